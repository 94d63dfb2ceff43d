"""Metrics as Prometheus reads them."""

import numpy as np

from randomness.monitoring import CARDS
from shuffler.monitoring import SeenRound, Watch
from shuffler.monitoring.metrics import metric_lines
from shuffler.monitoring.seen import seen_round


def fair(rounds: int, device: str = "A", seed: int = 1) -> list[SeenRound]:
    rng = np.random.default_rng(seed)
    made = []
    for number in range(rounds):
        cards = rng.permutation(CARDS).tolist()
        groups = [(first, cards[first : first + 3]) for first in range(0, 24, 3)]
        made.append(seen_round(device, f"R{number + 1}", groups, at=f"t{number + 1}"))
    return made


def test_metrics_are_prometheus_text() -> None:
    watch = Watch(0.001, compiled=False)
    for one in fair(3, 'A"1'):
        watch.take(one)
    lines = metric_lines(watch.devices.values())
    assert 'shuffler_monitor_rounds_total{serial="A\\"1"} 3' in lines
    assert 'shuffler_monitor_threshold{serial="A\\"1"} 1000' in lines
    assert 'shuffler_monitor_alarm{serial="A\\"1"} 0' in lines
    assert sum(line.startswith("# TYPE") for line in lines) == 8

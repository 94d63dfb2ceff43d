"""The saved state: continues exactly, and what is no state is refused."""

from pathlib import Path

import numpy as np
import pytest

from randomness.monitoring import CARDS, MonitoringError
from shuffler.monitoring import SeenRound, Watch
from shuffler.monitoring.keeping import load, save
from shuffler.monitoring.seen import seen_round


def fair(rounds: int, device: str = "A", seed: int = 1) -> list[SeenRound]:
    rng = np.random.default_rng(seed)
    made = []
    for number in range(rounds):
        cards = rng.permutation(CARDS).tolist()
        groups = [(first, cards[first : first + 3]) for first in range(0, 24, 3)]
        made.append(seen_round(device, f"R{number + 1}", groups, at=f"t{number + 1}"))
    return made


def test_a_saved_watch_continues(tmp_path: Path) -> None:
    rounds = fair(20)
    straight, first = Watch(0.01, compiled=False), Watch(0.01, compiled=False)
    for one in rounds:
        straight.take(one)
    for one in rounds[:9]:
        first.take(one)
    path = tmp_path / "state.npz"
    save(path, first, {"kind": "journal", "after": 5})
    kept = load(path, compiled=False)
    assert kept.source == {"kind": "journal", "after": 5}
    for one in rounds[9:]:
        kept.watch.take(one)
    assert kept.watch.devices["A"].to_json() == straight.devices["A"].to_json()


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04"])
def test_what_is_no_state_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with pytest.raises(MonitoringError, match="not a saved state"):
        load(path)

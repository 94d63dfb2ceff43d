"""The monitor in numbers, as Prometheus reads them (text exposition format 0.0.4). Pure."""

from collections.abc import Callable, Iterable

from shuffler.monitoring.watch import Watched

_ROWS: tuple[tuple[str, str, str, Callable[[Watched], float]], ...] = (
    ("monitor_rounds_total", "counter", "Rounds watched.", lambda one: one.monitor.rounds),
    ("monitor_cards_total", "counter", "Cards watched.", lambda one: one.monitor.cards),
    ("monitor_unusable_rounds_total", "counter", "Rounds without usable cards.", lambda one: one.unusable),
    ("monitor_impossible_rounds_total", "counter", "Rounds that no deck of 52 gives.",
     lambda one: one.impossible_rounds),
    ("monitor_evidence", "gauge", "Evidence against a fair shuffle; 1 at the start.", lambda one: one.monitor.evidence),
    ("monitor_evidence_peak", "gauge", "The largest evidence so far.", lambda one: one.monitor.peak),
    ("monitor_threshold", "gauge", "Evidence that raises the alarm: 1/level.", lambda one: 1 / one.monitor.level),
    ("monitor_alarm", "gauge", "1 once the alarm was raised.", lambda one: one.alarmed),
)  # fmt: skip


def metric_lines(devices: Iterable[Watched]) -> list[str]:
    """The lines of all devices."""
    devices = list(devices)
    lines: list[str] = []
    for name, kind, about, value in _ROWS:
        lines += [f"# HELP shuffler_{name} {about}", f"# TYPE shuffler_{name} {kind}"]
        lines += [f'shuffler_{name}{{serial="{_escaped(one.device)}"}} {float(value(one)):g}' for one in devices]
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

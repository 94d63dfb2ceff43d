"""The bench in numbers, as Prometheus reads them (text exposition format 0.0.4)."""

import time
from collections.abc import Iterable, Mapping

from firmware_sim.unit.emulator import Emulator
from shuffler.api.bench import Bench

Sample = tuple[Mapping[str, str], float]
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"})  # as the format has label values


def metrics(bench: Bench) -> str:
    """The whole page."""
    devices = list(bench.devices)
    emulators = [device.served.emulator for device in devices]
    lines_of = [device.transcript for device in devices]
    for one in lines_of:
        one.decode()

    def each(values: Iterable[float]) -> list[Sample]:
        return [({"serial": device.serial}, value) for device, value in zip(devices, values, strict=True)]

    def faults(emulator: Emulator) -> int:
        return len(emulator.firmware.desk.active) if emulator.is_on else 0

    lines: list[str] = []
    for name, kind, about, samples in (
        ("bench_uptime_seconds", "gauge", "How long the bench has run.", _one(time.monotonic() - bench.started)),
        ("bench_devices", "gauge", "Devices on the bench.", _one(len(devices))),
        ("bench_devices_created_total", "counter", "Devices ever put on it.", _one(bench.devices.created)),
        ("bench_streams", "gauge", "Open event streams.", _one(bench.streams)),
        ("bench_requests_total", "counter", "Requests to the API.", _one(bench.requests)),
        ("bench_events_total", "counter", "Events published.", _one(bench.hub.last)),
        ("bench_changes_total", "counter", "Changes in the audit log.", _one(bench.audit.count)),
        ("device_on", "gauge", "1 while the device is on.", each(one.is_on for one in emulators)),
        ("device_connected", "gauge", "1 while a host holds it.", each(one.served.runner.attached for one in devices)),
        ("device_clock_rate", "gauge", "How fast its clock runs.", each(one.clock.speed for one in emulators)),
        ("device_faults", "gauge", "Faults that hold it.", each(map(faults, emulators))),
        ("device_frames_total", "counter", "Frames on its line.", each(one.count for one in lines_of)),
        ("device_retransmitted_total", "counter", "Frames sent again.", each(one.retransmitted for one in lines_of)),
        ("device_spoiled_total", "counter", "Frames that the line spoiled.", each(one.garbage for one in lines_of)),
        ("device_received_bytes_total", "counter", "Bytes from the host.", each(one.bytes_in for one in lines_of)),
        ("device_sent_bytes_total", "counter", "Bytes to the host.", each(one.bytes_out for one in lines_of)),
    ):  # fmt: skip
        lines += [f"# HELP shuffler_{name} {about}", f"# TYPE shuffler_{name} {kind}"]
        lines += [f"shuffler_{name}{_labels(labels)} {value:g}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _one(value: float) -> list[Sample]:
    return [({}, value)]


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items()) + "}"

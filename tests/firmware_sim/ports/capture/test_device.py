"""A recorded device does what it did before, and the record has every byte."""

from firmware_sim.ports.capture.device import CapturedDevice
from firmware_sim.ports.capture.records import OPEN, SHUT, SerialEvent


class Echo:
    def __init__(self) -> None:
        self.held = b""
        self.calls: list[str] = []

    def receive(self, data: bytes, now: int) -> None:
        self.held += data

    def data_to_send(self, now: int) -> bytes:
        held, self.held = self.held, b""
        return held

    def tick(self, now: int) -> None:
        self.calls.append(f"tick {now}")

    def next_deadline(self) -> int:
        return 42

    def pull_cable(self) -> None:
        self.calls.append("pulled")


class Sink:
    def __init__(self) -> None:
        self.seen: list[tuple[object, ...]] = []

    def serial(self, *record: object) -> None:
        self.seen.append(record)


def test_everything_passes_and_the_line_is_recorded() -> None:
    echo, sink = Echo(), Sink()
    device = CapturedDevice(echo, sink)
    device.receive(b"ping", 1)
    assert device.data_to_send(2) == b"ping"
    assert device.data_to_send(2) == b""
    device.tick(3)
    assert device.next_deadline() == 42
    device.pull_cable()
    assert echo.calls == ["tick 3", "pulled"]
    assert sink.seen == [
        (SerialEvent.RECEIVED, OPEN, b"ping"),
        (SerialEvent.TRANSMITTED, OPEN, b"ping"),
        (SerialEvent.STATUS_CHANGED, SHUT),
    ]

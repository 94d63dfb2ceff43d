"""A device whose cable is recorded, whichever port it hangs on."""

from typing import Protocol

from firmware_sim.ports.capture.records import OPEN, SHUT, ControlLines, SerialEvent
from protocol.messages import Hello


class CableEnd(Protocol):
    """What a port drives; `firmware_sim.unit.device.Device` is one."""

    def receive(self, data: bytes, now: int) -> None: ...

    def data_to_send(self, now: int) -> bytes: ...

    def tick(self, now: int) -> None: ...

    def next_deadline(self) -> int | None: ...

    def pull_cable(self) -> None: ...

    @property
    def has_session(self) -> bool: ...

    def yields_to(self, hello: Hello, *, young: bool) -> bool: ...


class SerialSink(Protocol):
    """Where the records go; a line of a `CaptureFile` is one."""

    def serial(self, event: SerialEvent, lines: ControlLines, data: bytes = b"") -> None: ...


class CapturedDevice:
    """Passes everything through and records the bytes of both directions and the cable's end."""

    def __init__(self, device: CableEnd, capture: SerialSink) -> None:
        self.device = device
        self._capture = capture

    def receive(self, data: bytes, now: int) -> None:
        self._capture.serial(SerialEvent.RECEIVED, OPEN, data)
        self.device.receive(data, now)

    def data_to_send(self, now: int) -> bytes:
        data = self.device.data_to_send(now)
        if data:
            self._capture.serial(SerialEvent.TRANSMITTED, OPEN, data)
        return data

    def tick(self, now: int) -> None:
        self.device.tick(now)

    def next_deadline(self) -> int | None:
        return self.device.next_deadline()

    def pull_cable(self) -> None:
        self._capture.serial(SerialEvent.STATUS_CHANGED, SHUT)
        self.device.pull_cable()

    @property
    def has_session(self) -> bool:
        return self.device.has_session

    def yields_to(self, hello: Hello, *, young: bool) -> bool:
        return self.device.yields_to(hello, young=young)

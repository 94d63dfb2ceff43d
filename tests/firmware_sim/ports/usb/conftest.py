"""A device with a pipe that a test holds both ends of, and a host that counts its transfers."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.identity import UsbIdentity
from protocol.usb.requests import RequestKey, SetupPacket
from protocol.usb.transfers import Completion, Transfer, TransferId


@dataclass
class HeldPipe:
    """Takes at most `room` bytes, sends what the test put into `outbox`, remembers its cable."""

    room: int = 1_000_000
    inbox: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)
    cable: list[str] = field(default_factory=list)
    wake: Callable[[], None] = lambda: None

    def opened(self) -> None:
        self.cable.append("opened")

    def closed(self) -> None:
        self.cable.append("closed")

    def receive(self, data: bytes) -> int:
        taken = min(len(data), self.room)
        self.room -= taken
        self.inbox += data[:taken]
        return taken

    def data_to_send(self, limit: int) -> bytes:
        sent = bytes(self.outbox[:limit])
        del self.outbox[:limit]
        return sent

    def on_ready(self, wake: Callable[[], None]) -> None:
        self.wake = wake


class BareHost:
    """Talks to the device model itself: numbers transfers, keeps what ended."""

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self.ended: dict[int, Completion] = {}
        self._next = 0

    def start(self, endpoint: int, data: bytes = b"", length: int = 0, **more: object) -> int:
        self._next += 1
        transfer = Transfer(id=TransferId(self._next), endpoint=endpoint, data=data, length=length, **more)
        self.device.submit(transfer)
        self.collect()
        return self._next

    def collect(self) -> None:
        for completion in self.device.take_completions():
            assert completion.id not in self.ended
            self.ended[completion.id] = completion

    def do(self, endpoint: int, data: bytes = b"", length: int = 0, **more: object) -> Completion:
        return self.ended[self.start(endpoint, data, length, **more)]

    def control(
        self, key: RequestKey | tuple[int, int], value: int = 0, index: int = 0, data: bytes | int = b""
    ) -> Completion:
        kind, request = key.value if isinstance(key, RequestKey) else key
        length = data if isinstance(data, int) else len(data)
        setup = SetupPacket(request_type=kind, request=request, value=value, index=index, length=length)
        if setup.is_in:
            return self.do(0x80, length=length, setup=setup.build())
        assert isinstance(data, bytes)
        return self.do(0x00, data=data, setup=setup.build())

    def configure(self) -> None:
        assert self.control(RequestKey.SET_CONFIGURATION, value=1).status == 0

    def open_port(self) -> None:
        self.configure()
        assert self.control(RequestKey.SET_CONTROL_LINE_STATE, value=3).status == 0


@pytest.fixture
def pipe() -> HeldPipe:
    return HeldPipe()


@pytest.fixture
def device(pipe: HeldPipe) -> UsbDevice:
    return UsbDevice(UsbIdentity(), pipe)


@pytest.fixture
def host(device: UsbDevice) -> BareHost:
    device.attach()
    return BareHost(device)


@pytest.fixture(scope="session")
def host_of() -> Callable[[UsbDevice], BareHost]:
    def attach(device: UsbDevice) -> BareHost:
        device.attach()
        return BareHost(device)

    return attach


@pytest.fixture
def open_host(host: BareHost) -> BareHost:
    host.open_port()
    return host

"""A cable within the process: a host on the same event loop holds the device as a TCP client would, byte for byte."""

from collections.abc import Callable

from firmware_sim.ports.runner import DeviceRunner


class DirectPort:
    """One end of the cable; the other is the device's runner."""

    def __init__(self, runner: DeviceRunner, *, received: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        """`received` gets what the device sends, in the middle of its step; `lost` is told when the cable is out."""
        self._runner = runner
        self._received = received
        self._lost = lost
        self.is_open = False

    def open(self) -> bool:
        """Plug in; False where another client holds the device or the cable is out."""
        if not self.is_open:
            self.is_open = self._runner.attach(self._received, self._evicted)
        return self.is_open

    def write(self, data: bytes) -> None:
        """Bytes for the device; lost where the cable is out."""
        if self.is_open:
            self._runner.receive(data)

    def drop_client(self) -> None:
        """Somebody pulls the cable."""
        if self.is_open:
            self.close()
            self._lost()

    def close(self) -> None:
        """Let the device go."""
        if self.is_open:
            self.is_open = False
            self._runner.detach()

    def _evicted(self) -> None:
        """A host on another cable has taken the device, since there was no session on this one."""
        self.is_open = False
        self._lost()

"""A serial port over the network (RFC 2217): pyserial's server side over a TCP connection, for hosts without a pty.

The line settings that a client asks for are taken and told back; an emulated line has no use for them. Its control
lines say that a device is there and ready.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import serial
from serial.rfc2217 import PortManager

from firmware_sim.ports.runner import DeviceRunner
from firmware_sim.ports.tcp import NotTelnet, TcpPort

SUBOPTION_MAX = 256  # bytes of a telnet suboption; the longest of RFC 2217, a signature, is shorter


@dataclass(slots=True)
class LineSettings:
    """What pyserial's server side reads and sets of a serial port."""

    baudrate: int = 115200
    bytesize: int = serial.EIGHTBITS
    parity: str = serial.PARITY_NONE
    stopbits: float = serial.STOPBITS_ONE
    xonxoff: bool = False
    rtscts: bool = False
    dtr: bool = True
    rts: bool = True
    break_condition: bool = False
    cts: bool = field(default=True, init=False)
    dsr: bool = field(default=True, init=False)
    cd: bool = field(default=True, init=False)
    ri: bool = field(default=False, init=False)

    def reset_input_buffer(self) -> None:
        """Nothing waits here."""

    def reset_output_buffer(self) -> None:
        """Nor there."""


class NetworkSerial:
    """One connection: telnet commands are answered, what is left is the stream."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.settings = LineSettings()
        self._write = write
        self._manager = PortManager(self.settings, _Connection(write))

    def inward(self, data: bytes) -> bytes:
        """The stream in what the client sent; raises NotTelnet."""
        try:
            stream = b"".join(self._manager.filter(data))
        except (struct.error, IndexError, KeyError, TypeError, ValueError) as problem:
            raise NotTelnet(str(problem)) from problem
        if len(self._manager.suboption or b"") > SUBOPTION_MAX:
            raise NotTelnet("a telnet suboption without an end")
        return stream

    def outward(self, data: bytes) -> None:
        """Send the stream, with telnet's own byte doubled."""
        self._write(b"".join(self._manager.escape(data)))


@dataclass(frozen=True, slots=True)
class _Connection:
    """What pyserial writes to."""

    write: Callable[[bytes], None]


class Rfc2217Port(TcpPort):
    """A TCP port whose clients speak to it as to a serial port over the network."""

    scheme = "rfc2217"
    telnet = NetworkSerial


@dataclass(frozen=True, slots=True)
class Rfc2217:
    """A serial port over the network; port 0 picks a free one."""

    host: str = "127.0.0.1"
    port: int = 0
    baud: int | None = None

    async def open(self, runner: DeviceRunner, _serial: str) -> Rfc2217Port:
        """Listen."""
        return await Rfc2217Port.open(runner, self.host, self.port, baud=self.baud)

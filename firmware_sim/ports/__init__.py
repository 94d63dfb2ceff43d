"""Where a device meets the operating system: a list of ports, and the runner that gives it real time."""

from firmware_sim.ports.direct import DirectPort
from firmware_sim.ports.pacing import Pacer
from firmware_sim.ports.port import Port, PortSettings
from firmware_sim.ports.pty import AVAILABLE as HAS_PTY
from firmware_sim.ports.pty import Pty, PtyPort
from firmware_sim.ports.runner import DeviceRunner
from firmware_sim.ports.tcp import Tcp, TcpPort

__all__ = [
    "HAS_PTY",
    "DeviceRunner",
    "DirectPort",
    "Pacer",
    "Port",
    "PortSettings",
    "Pty",
    "PtyPort",
    "Tcp",
    "TcpPort",
    "local_port",
]


def local_port() -> PortSettings:
    """A port for a client on this machine: a pseudo-terminal, or TCP on a system without them."""
    return Pty() if HAS_PTY else Tcp()

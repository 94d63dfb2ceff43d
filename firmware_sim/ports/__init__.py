"""Where a device meets the operating system: TCP, pseudo-terminals, and the runner that gives it real time."""

from firmware_sim.ports.direct import DirectPort
from firmware_sim.ports.pacing import Pacer
from firmware_sim.ports.pty import PtyPort
from firmware_sim.ports.runner import DeviceRunner
from firmware_sim.ports.tcp import TcpPort

__all__ = ["DeviceRunner", "DirectPort", "Pacer", "PtyPort", "TcpPort"]

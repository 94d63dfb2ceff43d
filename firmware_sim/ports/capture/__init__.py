"""Recordings of the line for Wireshark: USB transfers and the serial stream, in one pcapng file."""

from firmware_sim.ports.capture.device import CapturedDevice
from firmware_sim.ports.capture.file import CaptureFile

__all__ = ["CaptureFile", "CapturedDevice"]

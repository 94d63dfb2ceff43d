"""Recordings of the line for Wireshark: USB transfers and the serial stream, in one pcapng file."""

from firmware_sim.capture.device import CapturedDevice
from firmware_sim.capture.file import CaptureFile

__all__ = ["CaptureFile", "CapturedDevice"]

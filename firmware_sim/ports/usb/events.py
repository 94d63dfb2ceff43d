"""What happened to a USB device, for whoever watches it: the control plane, a log, a test."""

from dataclasses import dataclass

from firmware_sim.ports.usb.acm import LineCoding
from protocol.usb.requests import SetupPacket


@dataclass(frozen=True, kw_only=True)
class Attached:
    """A host took the device and gave it power."""


@dataclass(frozen=True, kw_only=True)
class Detached:
    """The host let go, or the cable was pulled."""


@dataclass(frozen=True, kw_only=True)
class WasReset:
    """The host reset the bus."""


@dataclass(frozen=True, kw_only=True)
class Suspended:
    """The bus went quiet."""


@dataclass(frozen=True, kw_only=True)
class Resumed:
    """The bus woke; `by_device` when the device asked for it."""

    by_device: bool


@dataclass(frozen=True, kw_only=True)
class Configured:
    """SET_CONFIGURATION; zero means: no longer."""

    value: int


@dataclass(frozen=True, kw_only=True)
class LineCodingSet:
    """SET_LINE_CODING."""

    coding: LineCoding


@dataclass(frozen=True, kw_only=True)
class ControlLinesSet:
    """SET_CONTROL_LINE_STATE."""

    dtr: bool
    rts: bool


@dataclass(frozen=True, kw_only=True)
class BreakSent:
    """SEND_BREAK; None means: until told otherwise."""

    milliseconds: int | None


@dataclass(frozen=True, kw_only=True)
class EndpointHalted:
    """Transfers on this endpoint stall from here on."""

    endpoint: int


@dataclass(frozen=True, kw_only=True)
class EndpointCleared:
    """The host cleared the halt."""

    endpoint: int


@dataclass(frozen=True, kw_only=True)
class RequestStalled:
    """A control request the device does not know or cannot fulfil."""

    setup: SetupPacket


UsbEvent = (
    Attached
    | Detached
    | WasReset
    | Suspended
    | Resumed
    | Configured
    | LineCodingSet
    | ControlLinesSet
    | BreakSent
    | EndpointHalted
    | EndpointCleared
    | RequestStalled
)

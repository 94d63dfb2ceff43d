"""What the pyusb backend hands out and keeps: devices it found, devices it holds, open handles."""

from dataclasses import dataclass, field
from typing import Protocol

from firmware_sim.ports.usb.bus import Slot
from protocol.usb.transfers import Completion, TransferId


class Owner(Protocol):
    """The backend, as an attachment sees it."""

    def stir(self) -> None: ...

    def forget(self, attachment: "Attachment") -> None: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """A device as `enumerate_devices` gave it; plugged in anew it is another one."""

    slot: Slot
    plugs: int


@dataclass(kw_only=True, eq=False)
class Attachment:
    """A device while this backend holds it: open handles, claims, transfers that ended."""

    backend: Owner
    slot: Slot
    handles: int = 0
    claims: dict[int, "Handle"] = field(default_factory=dict)
    ended: dict[TransferId, Completion] = field(default_factory=dict)
    gone: bool = False

    def stirred(self) -> None:
        self.backend.stir()

    def removed(self) -> None:
        self.gone = True
        self.collect()
        self.backend.forget(self)

    def collect(self) -> None:
        self.ended.update((ended.id, ended) for ended in self.slot.device.take_completions())


@dataclass(kw_only=True, eq=False)
class Handle:
    """An open device."""

    attachment: Attachment
    closed: bool = False

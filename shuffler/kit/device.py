"""A device in the hands of a test: whatever can be done to it and its world, wherever it runs.

    device.rig({2: "Qs Ks As"})                  the next shuffle deals seat 2 these cards
    device.inject("jam_exit", when="group=1")    a card sticks at the exit while the second group is delivered
    device.clear("jam_exit")                     it is freed
    device.hands.press("OK")

The verbs are the same on a TCP port, a pseudo-terminal, USB/IP and in memory; where it runs says how each is done.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from firmware_sim.control.control import Control, Truth
from firmware_sim.control.injections import Trigger
from firmware_sim.program.panel import Panel
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.transcript import Transcript

Result = TypeVar("Result")


class Hands:
    """What hands do at the machine; each method is the control plane's of the same name."""

    def __init__(self, act: Callable[[Callable[[Control], Any]], Any]) -> None:
        self._act = act

    def press(self, button: str) -> None:
        """Press a button of the front panel."""
        self._act(lambda control: control.press(button))

    def lift(self, count: int | None = None) -> list[int]:
        """Take cards, or all, from the output tray."""
        taken: list[int] = self._act(lambda control: control.lift(count))
        return taken

    def put_back(self, count: int = 1) -> None:
        """Lay the last cards taken back into the output tray."""
        self._act(lambda control: control.put_back(count))

    def lay_in(self) -> None:
        """Put all cards that lie beside the machine into the infeed tray."""
        self._act(lambda control: control.lay_in())

    def take_from_infeed(self) -> list[int]:
        """Take everything out of the infeed tray."""
        taken: list[int] = self._act(lambda control: control.take_from_infeed())
        return taken

    def draw(self, count: int = 1) -> list[int]:
        """Pull cards out of the exit although nothing was asked for."""
        taken: list[int] = self._act(lambda control: control.draw(count))
        return taken

    def gather(self) -> list[int]:
        """Pick up all cards from the table."""
        taken: list[int] = self._act(lambda control: control.gather())
        return taken

    def empty_inside(self) -> list[int]:
        """Take every card out through the open door."""
        taken: list[int] = self._act(lambda control: control.empty_inside())
        return taken

    def open_door(self) -> None:
        """Open the door."""
        self._act(lambda control: control.open_door())

    def close_door(self) -> None:
        """Close the door."""
        self._act(lambda control: control.close_door())


class KitDevice(ABC):
    """One device of a test."""

    def __init__(self, settings: DeviceSettings, transcript: Transcript) -> None:
        self.settings = settings
        self.transcript = transcript
        self.hands = Hands(self.act)

    @property
    def serial(self) -> str:
        """Its serial number."""
        return self.settings.serial

    @property
    @abstractmethod
    def url(self) -> str:
        """What a controller opens."""

    @abstractmethod
    def act(self, action: Callable[[Control], Result]) -> Result:
        """Do something on the device's control plane, between two of its steps."""

    # ----------------------------------------------------------------------------------------------- cards and faults

    def rig(
        self, cards: Mapping[int, str | Sequence[int]] | str | Sequence[int], seats: Sequence[int] | None = None
    ) -> None:
        """Fix the next shuffle: hands by seat (0: dealer) for a round dealt to `seats`, or its first cards in order."""
        if isinstance(cards, Mapping):
            hands = dict(cards)
            self.act(lambda control: control.next_hands(hands, seats))
        else:
            order = cards
            self.act(lambda control: control.next_deck(order))

    def inject(
        self,
        name: str,
        *,
        at_card: int | None = None,
        at_s: float | None = None,
        when: str | None = None,
        rate: float = 0.0,
        times: int = 1,
        clear_after_s: float | None = None,
        by_hand: bool = False,
        retries: int | None = None,
        **options: Any,
    ) -> None:
        """Let something go wrong, at once or when one of at_card, at_s, when and rate says."""
        trigger = Trigger(
            at_card=at_card, at_us=_us(at_s), when=when, rate=rate, times=times, clear_after_us=_us(clear_after_s),
            by_hand=by_hand, retries=retries,
        )  # fmt: skip
        self.act(lambda control: control.inject(name, trigger, **options))

    def clear(self, name: str | None = None) -> int:
        """Put right what stands and disarm what waits, by name or all; how many that were. OK is pressed by hands."""
        return self.act(lambda control: control.mend(name))

    # ---------------------------------------------------------------------------------------------- time, power, cable

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Let so much of the machine's time pass at once."""

    @abstractmethod
    def unplug(self) -> None:
        """Pull the data cable and leave it out."""

    @abstractmethod
    def plug(self) -> None:
        """Put the data cable back in."""

    @abstractmethod
    def power(self, on: bool) -> None:
        """Switch it on or off, and leave it so."""

    @abstractmethod
    def cut_power(self) -> None:
        """The power goes and comes back."""

    # ------------------------------------------------------------------------------------------------------ looking at

    def panel(self) -> Panel:
        """What the dealer sees."""
        return self.act(lambda control: control.panel())

    def truth(self) -> Truth:
        """Where every card really is."""
        return self.act(lambda control: control.truth())

    # -------------------------------------------------------------------------------------------------- as a controller

    @abstractmethod
    def deal(self, seats: Sequence[int] = (1, 2, 3), *, limit_s: float = 300.0) -> dict[int, str]:
        """A whole round as a plain controller deals it: each seat's cards by name, 0 the dealer's."""


def _us(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds * 1_000_000)

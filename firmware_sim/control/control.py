"""The control plane of one device, in process: a tester's actions, and a view of everything the firmware can't see.

Nothing here can be reached over the device plane.
"""

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.control.actions import Actions
from firmware_sim.control.injector import Injector
from firmware_sim.control.world import World
from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import OrderSource
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.orders import status
from firmware_sim.program.panel import Panel, panel_of
from protocol.vocabulary import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Where the cards are, which the firmware does not know: faces by place."""

    infeed: tuple[int, ...]
    stack: tuple[int, ...]
    rack: tuple[int, ...]
    play: tuple[int, ...]
    tray: tuple[int, ...]
    table: tuple[int, ...]
    aside: tuple[int, ...]
    dropped: tuple[int, ...]


class Control(Actions):
    """One device's control plane; `firmware` gives the program that runs on it now."""

    def __init__(
        self,
        *,
        profile: Profile,
        machine: Mechanism,
        firmware: Callable[[], Firmware],
        engine: OrderSource | None,
        luck: Callable[[], float],
        world: World | None = None,
    ) -> None:
        self._profile = profile
        self._machine = machine
        self._firmware = firmware
        self._engine = engine
        self._world = world if world is not None else World()
        self._seen_event = 0
        self.injector = Injector(
            machine,
            sees_double=profile.senses.sees_double,
            jam_retries=profile.build.jam_retries,
            luck=luck,
            world=self._world,
        )

    def panel(self) -> Panel:
        """What the dealer sees."""
        return panel_of(self._firmware())

    def truth(self) -> Truth:
        """Where every card really is."""
        faces, places = self._machine.faces, self._machine.places
        return Truth(**{name: tuple(faces[card] for card in getattr(places, name)) for name in Truth.__slots__})

    def next_due(self) -> int | None:
        """Microseconds until something is due in the machine; None if nothing is."""
        return self._world.next_due()

    def attach(self) -> None:
        firmware = self._firmware()
        if self.injector.watches and self._watch not in firmware.watchers:
            self._seen_event = firmware.board.events.last
            firmware.watchers.append(self._watch)

    def _watch(self, firmware: Firmware) -> None:
        events = firmware.board.events
        names = {type(event).__name__ for event in events.after(self._seen_event)}
        self._seen_event = events.last
        self.injector.observe(status(firmware, Role.DEALER), names)
        if not self.injector.watches:
            firmware.watchers.remove(self._watch)

"""What all parts of the firmware share: profile, memory, events, log, meters, the machine, the time of this step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firmware_sim.events import EventQueue
from firmware_sim.log import Log
from firmware_sim.mechanism import Mechanism
from firmware_sim.nvstore import NvStore
from firmware_sim.profile import Profile
from protocol import messages as m
from protocol.messages import GameEntry
from protocol.vocabulary import DeviceFlag, FaultCode, Place
from randomness import HealthFailure

METERS = ("shuffles", "rounds", "groups", "cards", "misdeals", "faults", "power_ups")


NO_FLAGS = DeviceFlag(0)


@dataclass(frozen=True, slots=True)
class Draw:
    """An order for a deck: position i gets the card that came in at order[i]."""

    order: list[int]
    flags: DeviceFlag = NO_FLAGS  # RIGGED where the control plane had its say
    note: str = ""  # for the log


Shuffler = Callable[[int, GameEntry], Draw]


class Board:
    """Shared by the parts; each part owns its own keys in the store."""

    def __init__(
        self,
        *,
        profile: Profile,
        store: NvStore,
        events: EventQueue,
        machine: Mechanism,
        chance: Callable[[int], bytes],
        shuffler: Shuffler,
        raw: Callable[[int], bytes],
        serial: str,
        flags: DeviceFlag,
        now_us: int,
    ) -> None:
        self.profile = profile
        self.store = store
        self.events = events
        self.machine = machine
        self._chance = chance
        self.shuffler = shuffler
        self.raw = raw  # output of the generator behind the shuffles
        self.serial = serial
        self.flags = flags
        self.now_us = now_us
        self.log = Log(store, profile.build.log_lines)
        self.passing: list[m.Event] = []
        self.meters: list[int] = list(store.get("meters", [0] * len(METERS)))
        self.held = False  # a fault stops whatever moves
        self.raise_fault: Callable[[FaultCode, Place | None, int], None] = _no_faults
        self.release_tray: Callable[[], bool] = lambda: False  # mends tray faults; True where no other is left
        self.strays: Callable[[], bool] = lambda: False  # cards where memory knows of none
        game = profile.game(store.get("game", profile.games[0].game))
        self.game: GameEntry = game if game is not None else profile.games[0]

    def chance(self, count: int) -> bytes:
        """Random bytes; raises HealthFailure where the noise source is dead."""
        if self.machine.noise_dead:
            raise HealthFailure("the noise source gives the same byte for ever: repetition count test")
        return self._chance(count)

    def emit(self, kind: type[m.Event], /, **fields: Any) -> None:
        """Send an event once this step has been committed."""
        self.events.append(kind, self.now_us, **fields)

    def write(self, text: str) -> None:
        """One line in the log."""
        self.log.write(self.now_us, text)

    def count(self, meter: int, by: int = 1) -> None:
        """Turn a meter on."""
        self.meters[meter] += by
        self.store.put("meters", list(self.meters))

    def choose_game(self, game: GameEntry) -> None:
        """Turn to another line of the menu."""
        self.game = game
        self.store.put("game", game.game)


SHUFFLES, ROUNDS, GROUPS, CARDS, MISDEALS, FAULTS, POWER_UPS = range(len(METERS))


def _no_faults(code: FaultCode, place: Place | None, detail: int) -> None:
    raise AssertionError(f"fault {code.name} ({place}, {detail}) before the fault desk is there")

"""What all parts of the firmware share: profile, memory, events, log, meters, the machine, the time of this step."""

from collections.abc import Callable
from dataclasses import astuple, fields, replace
from typing import Any

from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import HandShuffled, Shuffler
from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.log import Log
from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.records import MetersRecord
from protocol import messages as m
from protocol.messages import GameEntry
from protocol.vocabulary import DeviceFlag

EVENT_RESERVE = 48  # a round's worth of events and a few faults still fit when dealing stops
METERS = tuple(entry.name for entry in fields(MetersRecord))


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
        noise_passes: Callable[[], bool],
        shuffler: Shuffler,
        raw: Callable[[int], bytes],
        prepared: Callable[[], HandShuffled],
        serial: str,
        flags: DeviceFlag,
        now_us: int,
    ) -> None:
        self.profile = profile
        self.store = store
        self.events = events
        self.machine = machine
        self.chance = chance  # raises a RandomnessError where the noise fails its health tests
        self.noise_passes = noise_passes  # the health test on demand
        self.shuffler = shuffler
        self.raw = raw  # output of the generator behind the shuffles
        self.prepared = prepared  # what is known of a deck that was shuffled by hand
        self.serial = serial
        self.flags = flags
        self.now_us = now_us
        self.log = Log(store, profile.build.log_lines)
        self.meters: list[int] = list(astuple(store.get("meters", MetersRecord())))
        self.memory_full = False  # nothing can be kept: nothing may happen
        self.held = False  # a fault stops whatever moves
        game = profile.game(store.get("game", profile.games[0].game))
        self.game: GameEntry = game if game is not None else profile.games[0]
        self._ask_for_cards()

    def emit(self, event_type: type[m.Event], /, **fields: Any) -> None:
        """Send an event once this step has been committed."""
        self.events.append(event_type, self.now_us, **fields)

    @property
    def events_nearly_full(self) -> bool:
        """Whether the events of another motion might not fit."""
        return self.events.room < EVENT_RESERVE

    def write(self, text: str) -> None:
        """One line in the log."""
        self.log.write(self.now_us, text)

    def count(self, meter: int, by: int = 1) -> None:
        """Turn a meter on."""
        self.meters[meter] += by
        self.store.put("meters", MetersRecord(*self.meters))

    def choose_game(self, game: GameEntry) -> None:
        """Turn to another line of the menu."""
        self.game = game
        self.store.put("game", game.game)
        self._ask_for_cards()

    def _ask_for_cards(self) -> None:
        """Let the panel say how many cards a deck of this game has."""
        people = self.machine.people
        people.asked = replace(people.asked, wanted_cards=self.game.deck_cards * self.profile.build.decks)


SHUFFLES, ROUNDS, GROUPS, CARDS, MISDEALS, FAULTS, POWER_UPS = range(len(METERS))

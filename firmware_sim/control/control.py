"""The control plane: what a tester can do to the device and its world that no table controller ever could.

In process only; nothing here can be reached over the device plane. Whatever touches the order of cards marks the
shuffle as rigged, on the wire and in the log.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_sim.control.injections import Trigger
from firmware_sim.control.injector import Injector, PowerLost, Supply
from firmware_sim.errors import BadControl
from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.shuffling import AS_DRAWN, OrderSource
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.groups import plan_groups
from firmware_sim.program.orders import status
from firmware_sim.program.panel import BUTTONS, Panel, panel_of
from protocol.cards import JOKER, RANKS, SUIT_LETTERS, SUITS
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import Role


def card_code(name: str) -> int:
    """The face of a card by name: "Q♠", "Qs", "10h" or "joker"."""
    if name.lower() == "joker":
        return JOKER
    rank, suit = name[:-1].upper().replace("10", "T"), name[-1:]
    suits = SUITS if suit in SUITS else SUIT_LETTERS
    if len(rank) != 1 or rank not in RANKS or suit.lower() not in suits or not suit:
        raise BadControl(f"{name!r} is not a card: write a rank of {RANKS} and a suit of {SUITS} or {SUIT_LETTERS}")
    return RANKS.index(rank) + 13 * suits.index(suit.lower())


def card_codes(names: str | Sequence[int]) -> list[int]:
    """Faces from "Q♠ K♠ A♠" or from numbers."""
    if isinstance(names, str):
        return [card_code(name) for name in names.split()]
    codes = [int(code) for code in names]
    if bad := next((code for code in codes if not 0 <= code <= JOKER), None):
        raise BadControl(f"{bad} is not a face: they are numbered 0 to {JOKER}")
    return codes


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


def _no_clock(_: float = 0) -> None:
    raise BadControl("nobody owns this device's clock")


class Control:
    """One device's control plane; `firmware` gives whatever runs on it now."""

    def __init__(
        self,
        *,
        profile: Profile,
        machine: Mechanism,
        firmware: Callable[[], Firmware],
        engine: OrderSource | None,
        luck: Callable[[], float],
    ) -> None:
        self._profile = profile
        self._machine = machine
        self._firmware = firmware
        self._engine = engine
        self._seen_event = 0
        # Filled in by whoever owns the device's time.
        self.turn_clock: Callable[[int], None] = _no_clock
        self.set_rate: Callable[[float], None] = _no_clock
        self.next_due: Callable[[], int | None] = _no_clock
        self.injector = Injector(
            machine,
            sees_double=profile.senses.sees_double,
            jam_retries=profile.build.jam_retries,
            luck=luck,
        )

    # --------------------------------------------------------------------------------------------------------- rigging

    def next_deck(self, order: str | Sequence[int]) -> None:
        """The next shuffle deals these cards first, in this order; the rest as drawn. Marked as rigged."""
        codes = card_codes(order)
        limit = max(game.deck_cards for game in self._profile.games) * self._profile.build.decks
        if len(codes) > limit:
            raise BadControl(f"{len(codes)} cards are more than a deck of {limit} has")
        twice = next((code for code in codes if codes.count(code) > self._profile.build.decks), None)
        if twice is not None and twice != JOKER:
            raise BadControl(f"face {twice} is asked for more often than the deck has it")
        self._rig().rigged.append(codes)

    def next_hands(self, hands: Mapping[int, str | Sequence[int]], seats: Sequence[int] | None = None) -> None:
        """The next shuffle gives these seats (0 the dealer) these cards, in a round dealt to `seats` (all).

        Cards that are not named stay as drawn.
        """
        game = self._firmware().board.game
        at_table = sorted(seats) if seats is not None else list(range(1, game.groups + 1))
        mask = sum(1 << (seat - 1) for seat in at_table if 1 <= seat <= game.groups)
        if not at_table or mask.bit_count() != len(at_table):
            raise BadControl(f"{game.name} has seats 1 to {game.groups}")
        wanted = {seat: card_codes(cards) for seat, cards in hands.items()}
        groups = plan_groups(game, mask, self._profile.is_shoe)
        sizes = {seat: sum(group.size for group in groups if group.seat == seat) for seat in (*at_table, DEALER_SEAT)}
        for seat, cards in wanted.items():
            if sizes.get(seat) != len(cards):
                raise BadControl(f"seat {seat} gets {sizes.get(seat, 0)} cards in this round, not {len(cards)}")
        named = [card for cards in wanted.values() for card in cards]
        if len(set(named)) != len(named) and self._profile.build.decks == 1:
            raise BadControl("a card can't be in two hands")
        seats_in_order = [group.seat for group in groups for _ in range(group.size)]
        order = [wanted[seat].pop(0) if seat in wanted else AS_DRAWN for seat in seats_in_order]
        self._rig().rigged.append(order)

    def wear(self, **defects: Any) -> None:
        """Give the shuffling mechanism imperfections of its kernel (sticky=…, dead=…, source_bias=…); none mends it."""
        self._rig().wear(**defects)

    def unrig(self) -> None:
        """Forget every deck that was to be dealt as told, and mend the mechanism."""
        rig = self._rig()
        rig.rigged.clear()
        rig.wear()

    # ---------------------------------------------------------------------------------------------------------- faults

    def inject(self, name: str, trigger: Trigger | None = None, **options: Any) -> None:
        """Let something go wrong; the names are in `injection_table.INJECTIONS`."""
        try:
            self.injector.inject(name, trigger, **options)
        except PowerLost as lost:
            self.supply.cycle_power(lost)
        self.attach()

    def mend(self, name: str | None = None) -> int:
        """Put right what stands and disarm what waits, by name or all; how many that were."""
        return self.injector.mend(name)

    def advance(self, seconds: float) -> None:
        """Let so much of the machine's time pass at once: motors, people, timers, calendar; the line's does not."""
        if seconds < 0:
            raise BadControl(f"time does not run back: {seconds:g} s")
        self.turn_clock(int(seconds * 1_000_000))

    def run_at(self, rate: float) -> None:
        """Let the machine's clock run so many times as fast as the line's from now on; 0 stops it."""
        self.set_rate(rate)

    def step(self) -> float:
        """Let time pass up to the next thing that is due in the machine and do it; how many seconds that were."""
        due = self.next_due()
        if due is None:
            return 0.0
        self.turn_clock(due)
        return due / 1_000_000

    @property
    def supply(self) -> Supply:
        """Hooks for power, cable and memory, filled in by whoever owns the device."""
        return self.injector.supply

    # ----------------------------------------------------------------------------------------------------------- hands

    def lay_in(self, cards: Sequence[int] | None = None) -> None:
        """Put cards that lie aside, or all of them, into the infeed tray."""
        aside = self._machine.places.aside
        chosen = list(aside) if cards is None else list(cards)
        if not chosen or not set(chosen) <= set(aside):
            raise BadControl("there are no such cards beside the machine to lay in")
        self._machine.put_in_infeed(chosen)

    def take_from_infeed(self) -> list[int]:
        """Take everything out of the infeed tray."""
        return self._machine.take_from_infeed()

    def lift(self, count: int | None = None) -> list[int]:
        """Take cards, or all, from the output tray."""
        return self._machine.lift(count)

    def put_back(self, count: int = 1) -> None:
        """Lay the last cards taken back into the output tray."""
        table = self._machine.places.table
        if count > len(table):
            raise BadControl(f"{len(table)} cards lie on the table, {count} can't be put back")
        self._machine.put_in_tray(table[len(table) - count :])

    def draw(self, count: int = 1) -> list[int]:
        """Pull cards out of the exit although nothing was asked for."""
        return self._machine.draw(count)

    def gather(self) -> list[int]:
        """Pick up all cards from the table."""
        return self._machine.gather()

    def empty_inside(self) -> list[int]:
        """Take every card out through the open door."""
        if not self._machine.door_open:
            raise BadControl("the door is closed: open it first")
        return self._machine.empty_inside()

    def open_door(self) -> None:
        """Open the door."""
        self._machine.move_door(True)

    def close_door(self) -> None:
        """Close the door."""
        self._machine.move_door(False)

    def press(self, button: str) -> None:
        """Press a button of the front panel."""
        if button not in BUTTONS:
            raise BadControl(f"there is no button {button!r}; there are {', '.join(BUTTONS)}")
        self._machine.press(button)

    # ------------------------------------------------------------------------------------------------------ looking at

    def panel(self) -> Panel:
        """What the dealer sees."""
        return panel_of(self._firmware())

    def truth(self) -> Truth:
        """Where every card really is."""
        faces, places = self._machine.faces, self._machine.places
        return Truth(**{name: tuple(faces[card] for card in getattr(places, name)) for name in Truth.__slots__})

    def attach(self) -> None:
        """Watch the firmware that runs now for conditions to come true."""
        firmware = self._firmware()
        if self.injector.watches and self._watch not in firmware.watchers:
            self._seen_event = firmware.board.events.last
            firmware.watchers.append(self._watch)

    # --------------------------------------------------------------------------------------------------------- private

    def _watch(self, firmware: Firmware) -> None:
        events = firmware.board.events
        names = {type(event).__name__ for event in events.after(self._seen_event)}
        self._seen_event = events.last
        self.injector.observe(status(firmware, Role.DEALER), names)
        if not self.injector.watches:
            firmware.watchers.remove(self._watch)

    def _rig(self) -> OrderSource:
        if self._engine is None:
            raise BadControl("this device draws its shuffles elsewhere and can't be rigged")
        return self._engine

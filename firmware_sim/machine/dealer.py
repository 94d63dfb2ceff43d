"""The people at the table: a dealer who does what the lights ask after a moment, or nobody until someone is told to."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.errors import BadControl
from firmware_sim.machine.mechanism import Mechanism, PanelRequest, People, composition
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.signals import PanelCall
from protocol.cards import CUT_CARD, JOKER
from protocol.vocabulary import FaultCode

HANDS = ("auto", "manual")
FACES = 52
ATTEMPTS = 3  # how often a dealer tries to clear the same thing before calling for service


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How quick the dealer is, in microseconds (assumptions: unhurried hands at a table)."""

    lift_us: int = 600_000
    stub_us: int = 800_000
    collect_us: int = 2_000_000
    load_us: int = 300_000
    attend_us: int = 4_000_000


class Dealer(People):
    """Lifts groups and stub, collects the cards when the round is over, lays a deck in, clears what a dealer can."""

    def __init__(
        self,
        machine: Mechanism,
        decks: list[list[int]],
        pace: Pace | None = None,
        prepare: Callable[[list[int]], list[int]] | None = None,
    ) -> None:
        """`decks` lie aside; the first goes into the infeed tray at once. `prepare` shuffles one by hand before."""
        super().__init__(machine.people.asked)
        self._machine = machine
        self._pace = pace if pace is not None else Pace()
        self._waiting = decks
        self._home = {card: index for index, deck in enumerate(decks) for card in deck}
        self._prepare = prepare
        self._box: list[int] = []  # jokers that no deck needs now
        codes = Counter(machine.faces[card] for card in (decks[0] if decks else ()))
        self._packs = codes[0]
        self._cut_cards = codes[CUT_CARD]
        self._collect_at: int | None = None
        self._lift_at: int | None = None
        self._attend_at: int | None = None
        self._load_at: int | None = 0
        self._attempts = 0
        self._attended = FaultCode.NONE
        self.next_us = 0
        machine.people = self
        machine.plan()

    def find_decks(self) -> None:
        self._sort_out([])

    def see(self, asked: PanelRequest, now_us: int) -> None:
        super().see(asked, now_us)
        call = asked.call
        self._lift_at = self._attend_at = None
        pace = self._pace
        if call is PanelCall.TAKE_GROUP:
            self._lift_at = now_us + pace.lift_us
        elif call is PanelCall.TAKE_STUB:
            self._lift_at = now_us + pace.stub_us
        elif call is PanelCall.COLLECT:
            self._collect_at = now_us + pace.collect_us
        elif call is PanelCall.ATTEND:
            code = asked.attention
            if code is not self._attended or code not in _DECK_FAULTS:  # the same deck, wrong again, counts on
                self._attended, self._attempts = code, 0
            if self._attempts < ATTEMPTS:
                self._attend_at = now_us + pace.attend_us
        elif call is PanelCall.TAKE_SORTED:
            self._attend_at = now_us + pace.load_us
        if call in _PROGRESS:
            self._attended = FaultCode.NONE
        if call is PanelCall.ATTEND:
            self._load_at = None
        elif self._load_at is None and not self._machine.places.infeed and (
            self._waiting or call is PanelCall.LOAD_CARDS
        ):
            self._load_at = now_us + pace.load_us
        self._plan()

    def notice(self, now_us: int) -> None:
        if self.asked.call is PanelCall.COLLECT and self._collect_at is None:
            self._collect_at = now_us + self._pace.collect_us
            self._plan()

    def act(self, now_us: int) -> None:
        if self._lift_at is not None and self._lift_at <= now_us:
            self._lift_at = None
            self._machine.lift()
            if self._machine.places.tray:  # not all of it came along: once more, unless the lights say otherwise
                self._lift_at = now_us + self._pace.stub_us
        if self._collect_at is not None and self._collect_at <= now_us:
            self._collect_at = None
            self._collect(now_us)
        if self._attend_at is not None and self._attend_at <= now_us:
            self._attend_at = None
            self._attend(now_us)
        if self._load_at is not None and self._load_at <= now_us:
            self._load_at = None
            self._load()
        self._plan()

    def _collect(self, now_us: int) -> None:
        machine = self._machine
        if machine.places.tray:
            self._collect_at = now_us + self._pace.collect_us
            return
        if cards := machine.gather():
            if self._prepare is not None:  # a deck that is shuffled by hand is looked through first
                machine.injections.clear_by_dealer(deck_in_hand=True)
            if len(cards) == self._deck_size() and self._prepare is None:
                self._waiting.append(cards)
            else:
                self._sort_out(cards)
        if self._load_at is None and not machine.places.infeed:
            self._load_at = now_us + self._pace.load_us

    def _sort_out(self, cards: list[int]) -> None:
        """Part what lies about into decks; strangers stay with the deck they came with. Only whole decks wait."""
        home, places = self._home, self._machine.places
        owner = next((home[card] for card in cards if card in home), 0)
        for card in cards:
            home.setdefault(card, owner)
        busy = (places.infeed, places.stack, places.rack, places.play, places.tray, places.table)
        away = {home[card] for place in busy for card in place if card in home}
        decks: dict[int, list[int]] = {}
        for card in places.aside:
            if card in home and home[card] not in away:
                decks.setdefault(home[card], []).append(card)
        first = [home[deck[0]] for deck in self._waiting if deck and deck[0] in home]
        order = sorted(decks, key=lambda deck: (first.index(deck) if deck in first else len(first), deck))
        self._waiting = [decks[deck] for deck in order]

    def _load(self) -> None:
        machine = self._machine
        aside = set(machine.places.aside)
        if not machine.places.infeed and not (self._waiting and aside.issuperset(self._waiting[0])):
            self._sort_out([])  # other hands have put a deck aside, or taken one
        if self._waiting and not machine.places.infeed and not machine.door_open:
            deck = self._with_jokers(self._waiting.pop(0))
            machine.put_in_infeed(deck if self._prepare is None else self._prepare(deck))

    def _attend(self, now_us: int) -> None:
        machine = self._machine
        if self.asked.call is PanelCall.TAKE_SORTED:
            self._waiting.insert(0, machine.take_from_infeed())  # a sorted deck is put back to be shuffled
            self._load_at = now_us + self._pace.load_us
            return
        machine.injections.clear_by_dealer(deck_in_hand=machine.infeed_occupied)
        if self.asked.attention in _DECK_FAULTS:
            self._put_right()
        if self.asked.attention is FaultCode.CARDS_LEFT_INSIDE:
            machine.empty_inside()
        if machine.places.tray and self.asked.attention in _TRAY_FAULTS:
            machine.lift(len(machine.places.tray))  # told so, a dealer looks and leaves none
        machine.press("OK")
        self._attempts += 1
        if self._attempts < ATTEMPTS:
            self._attend_at = now_us + self._pace.attend_us

    def _put_right(self) -> None:
        """The deck in the infeed tray is not a deck: take it out, look for what is missing, lay one whole deck in."""
        machine = self._machine
        if machine.places.tray:
            machine.lift()
        cards = machine.take_from_infeed()
        inside = {self._home.get(card) for card in (*machine.places.stack, *machine.places.rack, *machine.places.play)}
        about = [card for card in machine.places.table if self._home.get(card) not in inside]
        machine.places.move(about, "table", "aside")
        if self._prepare is not None and about:  # as when it is collected: a deck for a shoe is looked through
            machine.injections.clear_by_dealer(deck_in_hand=True)
        self._waiting = []
        self._sort_out([*cards, *about])
        wanted = {self._home.get(card) for card in cards}
        whole = next((deck for deck in self._waiting if self._home[deck[0]] in wanted), None)
        if whole is not None:
            self._waiting.remove(whole)
            whole = self._with_jokers(whole)
            machine.put_in_infeed(self._counted(whole) if self.asked.attention is FaultCode.LONG_DECK else whole)

    def _counted(self, deck: list[int]) -> list[int]:
        """A deck that is too long without what is there too often; that belongs to no deck from now on."""
        faces, kept = self._machine.faces, list(deck)
        while len(kept) > self._deck_size():
            often = Counter(faces[card] for card in kept)
            spare = max(kept, key=lambda card: (often[faces[card]], card))  # of equals the one that came last
            kept.remove(spare)
            del self._home[spare]
        return kept

    def _deck_size(self) -> int:
        """Cards in a deck of the game that the panel names, with the cut card of a shoe."""
        return self.asked.wanted_cards + self._cut_cards

    def _with_jokers(self, deck: list[int]) -> list[int]:
        """A deck with as many jokers as the game wants: from the box, or back into it."""
        faces, home = self._machine.faces, self._home
        jokers = [card for card in deck if faces[card] == JOKER]
        wanted = max(0, self.asked.wanted_cards - FACES * self._packs)
        for card in jokers[wanted:]:
            deck.remove(card)
            del home[card]
            self._box.append(card)
        self._box = [card for card in self._box if card in self._machine.places.aside]  # other hands may have some
        for _ in range(wanted - len(jokers)):
            card = self._box.pop() if self._box else self._machine.introduce([JOKER])[0]
            home[card] = home.get(deck[0], 0)
            deck.append(card)
        return deck

    def _plan(self) -> None:
        first = self._lift_at
        for at in (self._collect_at, self._load_at, self._attend_at):
            if at is not None and (first is None or at < first):
                first = at
        self.next_us = first


_PROGRESS = (PanelCall.TAKE_GROUP, PanelCall.TAKE_STUB, PanelCall.TAKE_SORTED)  # what was attended to is over
_DECK_FAULTS = (FaultCode.SHORT_DECK, FaultCode.LONG_DECK, FaultCode.DUPLICATE_CARD, FaultCode.FOREIGN_CARD)
_TRAY_FAULTS = (
    FaultCode.CARD_LEFT_IN_TRAY,
    FaultCode.GROUP_REMOVED_SHORT,
    FaultCode.CARD_PUT_BACK,
    FaultCode.TRAY_SENSOR_STUCK,
)


def seat_dealer(
    hands: str,
    machine: Mechanism,
    profile: Profile,
    pace: Pace | None = None,
    prepare: Callable[[list[int]], list[int]] | None = None,
) -> list[list[int]]:
    """Bring the decks of the table and, with "auto" hands, a dealer; else the decks lie aside until someone acts."""
    if hands not in HANDS:
        raise BadControl(f"hands are {' or '.join(HANDS)}, not {hands!r}")
    pack = composition(profile.games[0].deck_cards, profile.build.decks)
    if profile.build.cut_card_from_end:
        pack.append(CUT_CARD)
    decks = [machine.introduce(pack) for _ in range(2 if profile.build.prestages else 1)]
    if hands == "auto":
        Dealer(machine, list(decks), pace, prepare)
    return decks

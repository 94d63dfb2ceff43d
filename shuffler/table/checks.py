"""Does the device's word hold? Each check on its own, against what the round must be; no trust in the device's own.

A `Lie` is a misdeal with its reason: the round is void, it is never settled.
"""

from collections import Counter
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.cards import FACE_UP, FACES, UNREADABLE, card_name
from protocol.commitment import Context, opens
from protocol.messages import DEALER_SEAT, UNCOUNTED
from protocol.vocabulary import CommitKind, DeviceFlag

HAND = 3


class Lie(Exception):
    """What the device said can't be, or can't be checked; the text names the check that found it."""


def check_number(event: m.Event) -> None:
    """An event without a number is in no journal: nothing may follow from it."""
    if event.number == 0 and event.entry.durable:
        raise Lie(f"event number: a {type(event).__name__} came without one, so that it can't be kept")


@dataclass(slots=True)
class DeckWatch:
    """One deck from its commitment to its stub; raises Lie at the first word that does not hold.

    A shoe deals one card at a time. A device that does not read faces names feeder slots.
    """

    serial: str
    epoch: int
    shuffled: m.ShuffleCompleted
    deck_cards: int
    commits: CommitKind
    reads_faces: bool
    rotation: bool = False
    decks: int = 1
    round: int = 0
    seats: tuple[int, ...] = ()
    taken: list[tuple[int, int]] = field(default_factory=list)  # (seat, first position) of each delivery
    seen: Counter[int] = field(default_factory=Counter)
    places: dict[int, int] = field(default_factory=dict)  # the card, or feeder slot, at each position that was named
    named: set[int] = field(default_factory=set)  # the dealer's deliveries that were disclosed
    stub: int | None = None
    order: tuple[int, ...] = ()  # who gets each delivery: the dealer last; in rotation one card at a time
    name: str = field(init=False)  # the shuffle's name in the books
    size: int = field(init=False)  # cards in a delivery
    _context: Context = field(init=False)

    def __post_init__(self) -> None:
        if self.shuffled.count != self.deck_cards:
            raise Lie(f"deck count: {self.shuffled.count} cards were shuffled, the game has {self.deck_cards}")
        if self.shuffled.kind is not self.commits:
            raise Lie(f"commitment: the shuffle commits to {self.shuffled.kind.name}, not {self.commits.name}")
        shuffled = self.shuffled
        self.name = f"{self.serial}/{self.epoch:016x}/{shuffled.shuffle}"
        self.size = 1 if self.rotation else HAND
        self._context = Context(
            serial=self.serial,
            epoch=self.epoch,
            shuffle=shuffled.shuffle,
            game=shuffled.game,
            count=shuffled.count,
            nonce=shuffled.nonce,
        )

    @property
    def rigged(self) -> bool:
        """Whether this deck must not count for anything but tests."""
        return bool(self.shuffled.flags & (DeviceFlag.RIGGED | DeviceFlag.SEEDED))

    @property
    def all_dealt(self) -> bool:
        """Whether every delivery of the round was taken."""
        return len(self.taken) == len(self.order)

    @property
    def dealt(self) -> int:
        """Cards that have left the deck."""
        return len(self.taken) * self.size

    @property
    def disclosed(self) -> bool:
        """Whether all of the dealer's cards were named."""
        return bool(self.order) and len(self.named) == self.order.count(DEALER_SEAT)

    @property
    def begun(self) -> tuple[int, ...]:
        """The first cards of the deck, as far as they are named without a gap."""
        places = self.places
        found: list[int] = []
        while len(found) in places:
            found.append(places[len(found)])
        return tuple(found)

    @property
    def is_complete(self) -> bool:
        """Whether the device owes nothing more to this round."""
        return self.disclosed and self.stub is not None

    def begin(self, number: int, seats: tuple[int, ...]) -> None:
        """A round is dealt from this deck."""
        self.round, self.seats = number, seats
        turn = (*seats, DEALER_SEAT)
        self.order = turn * HAND if self.rotation else turn

    def ready(self, event: m.GroupReady) -> None:
        """A delivery lies in the tray."""
        self._delivery(event.round, event.group, event.seat, event.count)

    def removed(self, event: m.GroupRemoved) -> tuple[int, ...] | None:
        """A delivery was taken: its cards, or None where they are not named yet."""
        seat = self._delivery(event.round, event.group, event.seat, event.count)
        first = self.dealt
        self.taken.append((seat, first))
        if event.shuffle != self.shuffled.shuffle:
            raise Lie(f"shuffle: the group is of shuffle {event.shuffle}, not {self.shuffled.shuffle}")
        if seat == DEALER_SEAT:
            if not event.withheld or event.opening.codes:
                raise Lie("early: the dealer's cards were named before the decisions closed")
            return None
        if event.withheld:
            raise Lie(f"withheld: the cards of seat {seat} were not named")
        return self._cards(event.opening, first)

    def disclose(self, event: m.HandDisclosed) -> tuple[int, ...]:
        """A withheld delivery is named; the cards of the dealer so far."""
        if event.round != self.round or event.shuffle != self.shuffled.shuffle or event.seat != DEALER_SEAT:
            raise Lie(f"disclosure: of round {event.round}, shuffle {event.shuffle}, seat {event.seat}")
        if not 1 <= event.group <= len(self.taken) or self.taken[event.group - 1][0] != DEALER_SEAT:
            raise Lie(f"disclosure: group {event.group} was not the dealer's")
        if event.group in self.named:
            raise Lie(f"disclosure: group {event.group} was named twice")
        self.named.add(event.group)
        return self._cards(event.opening, self.taken[event.group - 1][1]) or ()

    def stub_removed(self, event: m.StubRemoved) -> None:
        """The rest of the deck was taken; with the hands it must make up the deck."""
        if self.stub is not None:
            raise Lie("stub: it was taken twice")
        if event.round != self.round:
            raise Lie(f"stub: of round {event.round} in round {self.round}")
        if not self.all_dealt:
            raise Lie(f"stub: it was taken after {len(self.taken)} of {len(self.order)} groups")
        if event.count == UNCOUNTED:
            raise Lie("uncounted: a power cut took the count of the stub, so that nobody knows if the deck is whole")
        if event.count + self.dealt != self.deck_cards:
            raise Lie(f"stub count: {self.dealt} cards dealt and a stub of {event.count} are not {self.deck_cards}")
        self.stub = event.count

    def _delivery(self, number: int, group: int, seat: int, count: int) -> int:
        if number != self.round:
            raise Lie(f"round: a group of round {number} in round {self.round}")
        if len(self.taken) >= len(self.order):
            raise Lie(f"extra group: the round has {len(self.order)}")
        if group != len(self.taken) + 1:
            raise Lie(f"missing group: group {group} came where {len(self.taken) + 1} was next")
        if seat != self.order[len(self.taken)]:
            raise Lie(f"seat order: the group went to seat {seat}, seat {self.order[len(self.taken)]} was next")
        if count != self.size:
            raise Lie(f"card count: {count} cards in a group of {self.size}")
        return seat

    def _cards(self, opening: m.Opening, first: int) -> tuple[int, ...] | None:
        cards = opening.cards if self.reads_faces else opening.places
        if len(cards) != self.size:
            raise Lie(f"card count: {len(cards)} cards were named in a group of {self.size}")
        if self.rotation and cards[0] in (FACE_UP, UNREADABLE):
            return None  # a shoe knows a card only as it leaves; this one is for people's eyes
        known, copies = (FACES, self.decks) if self.reads_faces else (self.deck_cards, 1)
        for card in cards:
            if not 0 <= card < known:
                raise Lie(f"not in the deck: {self._named(card)}")
            before = self.seen.get(card, 0)
            if before == copies:
                raise Lie(f"duplicate: {self._named(card)} was dealt before")
            self.seen[card] = before + 1
        if opening.first != first:
            raise Lie(f"position: the group was opened at {opening.first}, it was dealt at {first}")
        if self.commits is not CommitKind.NOTHING and not opens(self._context, self.shuffled.root, opening):
            raise Lie("opening: these cards are not what the shuffle was committed to")
        self.places.update(enumerate(cards, first))
        return cards if self.reads_faces else None

    def _named(self, card: int) -> str:
        return card_name(card) if self.reads_faces else f"slot {card}"

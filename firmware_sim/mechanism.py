"""The physical machine: where every card is, what moves it, and what the sensors say about that.

Cards are ids, a face is an attribute of one; every card is in exactly one place. The firmware starts passes and gets
signals; it never looks at a place. A pass moves cards one after another by a law of time, so it costs one step however
many cards it has, and can be stopped between any two of them. People act through the methods under "hands".
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from firmware_sim.profile import Profile
from protocol.cards import FACE_UP, FACES, FOREIGN, JOKER, UNREAD, UNREADABLE


class Lane(IntEnum):
    """The two ways through the machine, which run at the same time."""

    IN = 0
    OUT = 1


class Pass(IntEnum):
    """What a lane is doing."""

    INTAKE = 0  # infeed tray to stack
    SHUFFLE = 1  # stack to rack, in the order drawn
    SORT = 2  # stack to rack, in factory order, then back to the infeed tray
    READ = 3  # past the reader, back onto the stack
    DELIVER = 4  # deck in play to output tray
    STUB = 5


class Sign(IntEnum):
    """How a pass ended, as the sensors tell it."""

    DONE = 0
    NO_EDGE_FEEDER = 1  # the feed roller turns and no card edge arrives
    NO_EDGE_TRANSPORT = 2
    NO_EDGE_COMPARTMENT = 3
    NO_EDGE_EXIT = 4
    THICK = 5  # thicker than one card
    SLIPPING = 6  # the roller slips on the card
    STALLED = 7  # the motor draws current and does not turn
    TOUCHED = 8  # a hand came into the tray


class Call(IntEnum):
    """What the panel's lights ask of the dealer."""

    NOTHING = 0
    LOAD_CARDS = 1
    TAKE_GROUP = 2
    TAKE_STUB = 3
    COLLECT = 4
    TAKE_SORTED = 5
    ATTEND = 6


class PassEnded(NamedTuple):
    """A lane stopped: how, after how many cards by its counter, and what the reader read of them."""

    lane: Lane
    work: Pass
    sign: Sign
    seen: int
    codes: bytes  # UNREAD where there is no reader
    wrong_backs: int


class TrayTouched(NamedTuple):
    """A hand went into the output tray and came out; is anything lying there now?"""

    occupied: bool


class InfeedTouched(NamedTuple):
    """A hand went to the infeed tray."""

    occupied: bool


class DoorSensed(NamedTuple):
    """The door switch."""

    open: bool


class HeatSensed(NamedTuple):
    """The thermostat."""

    hot: bool


class ButtonPressed(NamedTuple):
    """A button of the front panel."""

    button: str


Signal = PassEnded | TrayTouched | InfeedTouched | DoorSensed | HeatSensed | ButtonPressed


@dataclass(slots=True)
class Motion:
    """A pass under way."""

    work: Pass
    start_us: int
    card_us: int
    total: int
    stop_at: int  # cards moved when it ends
    sign: Sign
    end_us: int
    order: Sequence[int] | None = None
    doubles: int = 0  # cards that pass unseen beneath another


@dataclass(slots=True)
class Hitch:
    """What a fault does to a pass: where it stops it and how that looks, or how many cards slip by unseen."""

    at: int
    sign: Sign = Sign.DONE
    extra: int = 0
    lost_us: int = 0


@dataclass(slots=True)
class Oddity:
    """What is not ordinary about a card."""

    back: str = ""
    face_up: bool = False
    unreadable: bool = False


@dataclass(slots=True)
class Places:
    """Where cards can be; each list is in order, the next card to move first."""

    infeed: list[int] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)
    rack: list[int] = field(default_factory=list)
    play: list[int] = field(default_factory=list)
    tray: list[int] = field(default_factory=list)
    table: list[int] = field(default_factory=list)
    aside: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)

    def all(self) -> list[int]:
        """Every card."""
        return [*self.infeed, *self.stack, *self.rack, *self.play, *self.tray, *self.table, *self.aside, *self.dropped]


class Mechanism:
    """Motors below, sensors above, people beside."""

    def __init__(self, profile: Profile) -> None:
        self.places = Places()
        self.faces: list[int] = []
        self.odd: dict[int, Oddity] = {}
        self._reads_in = profile.senses.reads_faces and not profile.is_shoe
        self._reads_out = profile.senses.reads_faces
        self._sees_backs = profile.senses.sees_backs
        self.door_open = False
        self.hot = False
        self.tray_sensor_stuck: bool | None = None  # the value it is stuck at
        self.signals: list[Signal] = []
        self.motions: list[Motion | None] = [None, None]
        self.people: People = Nobody()
        self.hitches: Callable[[Pass, int], Hitch | None] | None = None
        self.misreads: Callable[[int, int], int] | None = None
        self.call = Call.NOTHING
        self._motor_start_us = profile.timings.motor_start_us
        self._next_us: int | None = None

    # ------------------------------------------------------------------------------------------------------------ time

    def next_us(self) -> int | None:
        """When something is due."""
        return self._next_us

    def advance(self, now_us: int) -> None:
        """End what is due and let people act; what the sensors saw of it is in `signals`."""
        while self._next_us is not None and self._next_us <= now_us:
            due = self._next_us
            for lane, motion in enumerate(self.motions):
                if motion is not None and motion.end_us <= due:
                    self._end(Lane(lane), motion)
            if (at := self.people.next_us) is not None and at <= due:
                self.people.act(due)
            self.plan()

    def plan(self) -> None:
        """Note what is due next; whoever changed a motion or a person's mind says so."""
        first = self.people.next_us
        for motion in self.motions:
            if motion is not None and (first is None or motion.end_us < first):
                first = motion.end_us
        self._next_us = first

    # ---------------------------------------------------------------------------------------------------------- motors

    def start(
        self, work: Pass, now_us: int, card_us: int, count: int | None = None, order: Sequence[int] | None = None
    ) -> None:
        """Begin a pass over so many cards, or all there are; the first card moves strictly later."""
        places = self.places
        source = _source(places, work)
        total = len(source) if count is None or count > len(source) else count
        motion = Motion(work, now_us + self._motor_start_us, card_us, total, total, Sign.DONE, 0, order)
        motion.end_us = motion.start_us + card_us * total + (0 if total else 1)
        if count is not None and count > total:  # the counter waits for a card that does not come
            motion.end_us += card_us
        if self.hitches is not None and (hitch := self.hitches(work, total)) is not None:
            if hitch.sign is Sign.DONE:
                motion.doubles = min(hitch.extra, len(source) - total)
            else:
                motion.stop_at, motion.sign, motion.doubles = hitch.at, hitch.sign, hitch.extra
                motion.end_us = motion.start_us + card_us * (hitch.at + 1) + hitch.lost_us
        self.motions[_LANE[work]] = motion
        self.plan()

    def moved(self, lane: Lane, now_us: int) -> int:
        """How many cards the counter of a lane has seen of the pass under way."""
        motion = self.motions[lane]
        return 0 if motion is None else _progress(motion, now_us)

    def stop(self, lane: Lane, now_us: int) -> PassEnded | None:
        """Stop a lane where it is; what its counter and reader saw, or None where nothing moved."""
        motion = self.motions[lane]
        if motion is None:
            return None
        motion.stop_at, motion.sign = _progress(motion, now_us), Sign.DONE
        self._end(lane, motion)
        self.plan()
        ended = self.signals.pop()
        assert isinstance(ended, PassEnded)
        return ended

    def power_off(self, now_us: int) -> None:
        """Motors stop wherever they are; nobody listens to the sensors."""
        for lane in Lane:
            self.stop(lane, now_us)
        self.signals.clear()
        self.show(Call.NOTHING, now_us)

    def hand_over(self) -> None:
        """The shuffled deck moves to where it is dealt from."""
        self.places.play, self.places.rack = self.places.rack + self.places.play, []

    def hand_over_stack(self) -> None:
        """In a shoe the decks are dealt from where they were put in."""
        self.places.play, self.places.stack = self.places.stack + self.places.play, []

    def give_back(self) -> None:
        """Push the cards of the coming deck out into the infeed tray."""
        places = self.places
        places.infeed = places.rack + places.stack + places.infeed
        places.rack, places.stack = [], []
        self.signals.append(InfeedTouched(bool(places.infeed)))

    def recirculate(self) -> None:
        """Bring a half-shuffled deck back onto the stack."""
        places = self.places
        places.stack, places.rack = places.rack + places.stack, []

    def show(self, call: Call, now_us: int) -> None:
        """Set the lights that people look at."""
        if call is not self.call:
            self.call = call
            self.people.see(call, now_us)
            self.plan()

    # --------------------------------------------------------------------------------------------------------- sensors

    @property
    def infeed_occupied(self) -> bool:
        return bool(self.places.infeed)

    @property
    def tray_occupied(self) -> bool:
        stuck = self.tray_sensor_stuck
        return bool(self.places.tray) if stuck is None else stuck

    @property
    def tray_sensor_answers(self) -> bool:
        """The sensor's own test: does it follow its lamp?"""
        return self.tray_sensor_stuck is None

    @property
    def next_deck_inside(self) -> bool:
        """Presence on the stack or in the rack."""
        return bool(self.places.stack or self.places.rack)

    @property
    def play_deck_inside(self) -> bool:
        """Presence where the deck in play lies."""
        return bool(self.places.play)

    def read(self, cards: Sequence[int]) -> bytes:
        """What a reader makes of cards that pass it."""
        faces = self.faces
        codes = [faces[card] for card in cards]
        if self.odd:
            for at, card in enumerate(cards):
                if (odd := self.odd.get(card)) is not None:
                    codes[at] = FACE_UP if odd.face_up else UNREADABLE if odd.unreadable else codes[at]
        if self.misreads is not None:
            codes = [self.misreads(card, code) for card, code in zip(cards, codes, strict=True)]
        return bytes(codes)

    # ----------------------------------------------------------------------------------------------------------- hands

    def introduce(self, faces: Iterable[int], back: str = "") -> list[int]:
        """New cards come to the table: they lie aside until someone puts them somewhere."""
        first = len(self.faces)
        self.faces.extend(faces)
        cards = list(range(first, len(self.faces)))
        self.places.aside.extend(cards)
        if back:
            for card in cards:
                self.odd[card] = Oddity(back=back)
        return cards

    def put_in_infeed(self, cards: Sequence[int]) -> None:
        """Lay cards from beside into the infeed tray."""
        self._take(self.places.aside, cards)
        self.places.infeed.extend(cards)
        self.signals.append(InfeedTouched(True))
        self.plan()

    def take_from_infeed(self) -> list[int]:
        """Take everything out of the infeed tray."""
        cards, self.places.infeed = self.places.infeed, []
        self.places.aside.extend(cards)
        self.signals.append(InfeedTouched(False))
        self.plan()
        return cards

    def lift(self, count: int | None = None) -> list[int]:
        """Take cards, or all, from the output tray to the table."""
        tray = self.places.tray
        taken = tray[:count] if count is not None else tray[:]
        del tray[: len(taken)]
        self.places.table.extend(taken)
        self.signals.append(TrayTouched(self.tray_occupied))
        self.plan()
        return taken

    def put_in_tray(self, cards: Sequence[int]) -> None:
        """Lay cards from the table into the output tray."""
        self._take(self.places.table, cards)
        self.places.tray.extend(cards)
        self.signals.append(TrayTouched(self.tray_occupied))
        self.plan()

    def gather(self) -> list[int]:
        """Pick up all cards on the table and hold them beside."""
        cards, self.places.table = self.places.table, []
        self.places.aside.extend(cards)
        return cards

    def move_door(self, opened: bool) -> None:
        """Open or close the door."""
        if opened is not self.door_open:
            self.door_open = opened
            self.signals.append(DoorSensed(opened))
            self.plan()

    def press(self, button: str) -> None:
        """Press a button of the front panel."""
        self.signals.append(ButtonPressed(button))
        self.plan()

    # --------------------------------------------------------------------------------------------------------- private

    def _end(self, lane: Lane, motion: Motion) -> None:
        self.motions[lane] = None
        count, work, places = motion.stop_at, motion.work, self.places
        source = _source(places, work)
        moved = source[: count + motion.doubles]
        if work is not Pass.READ:
            del source[: len(moved)]
        if work is Pass.INTAKE:
            places.stack.extend(moved)
        elif work >= Pass.DELIVER:
            places.tray.extend(moved)
        elif work is Pass.SHUFFLE and motion.order is not None and count == motion.total:
            moved = places.rack = [moved[i] for i in motion.order]
        elif work is Pass.SORT and count == motion.total:
            moved.sort(key=self.faces.__getitem__)
            places.infeed.extend(moved)
        elif work is not Pass.READ:
            places.rack.extend(moved)
        wrong = 0
        if self.odd and self._sees_backs and work in (Pass.INTAKE, Pass.READ):
            wrong = sum(1 for card in moved if card in self.odd and self.odd[card].back)
        reads = self._reads_out if lane is Lane.OUT else self._reads_in
        codes = self.read(moved) if reads else bytes((UNREAD,)) * len(moved)
        self.signals.append(PassEnded(lane, work, motion.sign, count, codes, wrong))

    @staticmethod
    def _take(place: list[int], cards: Sequence[int]) -> None:
        if place[: len(cards)] == cards:
            del place[: len(cards)]
            return
        wanted = set(cards)
        place[:] = [card for card in place if card not in wanted]


class People:
    """Whoever stands at the machine: sees its lights, acts in time. This one does nothing."""

    next_us: int | None = None

    def see(self, call: Call, now_us: int) -> None:
        """The lights changed."""

    def act(self, now_us: int) -> None:
        """Do what is due."""


class Nobody(People):
    """The room is empty."""


_LANE = {
    Pass.INTAKE: Lane.IN,
    Pass.SHUFFLE: Lane.IN,
    Pass.SORT: Lane.IN,
    Pass.READ: Lane.IN,
    Pass.DELIVER: Lane.OUT,
    Pass.STUB: Lane.OUT,
}


def _source(places: Places, work: Pass) -> list[int]:
    if work is Pass.INTAKE:
        return places.infeed
    return places.play if work >= Pass.DELIVER else places.stack


def _progress(motion: Motion, now_us: int) -> int:
    if now_us < motion.start_us or not motion.card_us:
        return 0 if now_us < motion.end_us else motion.stop_at
    return min((now_us - motion.start_us) // motion.card_us, motion.stop_at)


def composition(deck_cards: int, decks: int = 1) -> list[int]:
    """The faces of a pack in factory order: 52, or with jokers above; one unit a deck."""
    return [min(face, JOKER) for face in range(deck_cards)] * decks


def is_face(code: int) -> bool:
    """Whether a code names a card of some deck."""
    return code < FACES or code == JOKER


assert FOREIGN > JOKER

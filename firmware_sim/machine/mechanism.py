"""The physical machine: where every card is, what moves it, and what the sensors say about that.

Cards are ids, a face is an attribute of one; every card is in exactly one place. The firmware starts passes and gets
signals; it never looks at a place. A pass moves cards one after another by a law of time, so it costs one step however
many cards it has, and can be stopped between any two of them. People act through the methods under "hands".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firmware_sim.errors import BadControl
from firmware_sim.machine.noise import Noise
from firmware_sim.machine.places import PlaceName, Places
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.signals import (
    ButtonPressed,
    DoorSensed,
    ExitPassed,
    HeatSensed,
    InfeedTouched,
    Lane,
    PanelCall,
    Pass,
    PassEnded,
    Sign,
    Signal,
    TrayTouched,
)
from protocol.cards import FACE_UP, JOKER, UNREAD, UNREADABLE
from protocol.vocabulary import FaultCode, Place
from randomness.entropy import SystemEntropy


@dataclass(slots=True)
class Motion:
    """A pass under way."""

    work: Pass
    start_us: int
    card_us: int
    stop_at: int  # cards its counter will have seen when it ends
    end_us: int
    whole: bool  # nothing stops it early
    order: Sequence[int] | None = None
    sign: Sign = Sign.DONE
    hidden_at: int | None = None  # the card of this index lies unseen beneath the one before
    retries: int = 0
    done: int = 0  # seen before, where a hand was in the tray meanwhile
    codes: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstruction:
    """What an injection does to a pass: after how many cards, how it looks, and how many go unseen."""

    at: int
    sign: Sign = Sign.DONE  # DONE: the pass goes on
    hides: bool = False
    retries: int = 0


@dataclass(slots=True)
class CardDefect:
    """What is not ordinary about a card."""

    back: str = ""
    face_up: bool = False
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class PanelRequest:
    """What lights and panel ask of people."""

    call: PanelCall = PanelCall.NOTHING
    attention: FaultCode = FaultCode.NONE  # the fault that the panel names
    wanted_cards: int = 0  # in a deck, as the panel says


class People:
    """People at the machine: they see its lights and act in time. These do nothing."""

    next_us: int | None = None

    def __init__(self, asked: PanelRequest) -> None:
        self.asked = asked

    def see(self, asked: PanelRequest, _now_us: int) -> None:
        """The lights changed."""
        self.asked = asked

    def act(self, now_us: int) -> None:
        """Do what is due."""

    def find_decks(self) -> None:
        """The cards lie elsewhere than they did a moment ago: look where the decks are."""

    def notice(self, now_us: int) -> None:
        """Cards have come to lie on the table or beside the machine."""


class Injections:
    """What may go wrong, asked at each chance; here nothing does. `injector.Injector` is the one that can."""

    next_us: int | None = None

    def act(self, now_us: int) -> None:
        """Do what is due."""

    def obstruction(self, motion: Motion, cards: int) -> Obstruction | None:
        """What happens to a pass that starts now."""

    def misread(self, code: int) -> int:
        """What the reader makes of a card."""
        return code

    def leaves(self, _stub: bool) -> int:
        """How many cards stay in the tray although all were to be taken."""
        return 0

    def laid_in(self) -> None:
        """A deck was laid into the infeed tray."""

    def lifted(self, now_us: int) -> None:
        """Something was lifted from the tray."""

    def clear_by_dealer(self, deck_in_hand: bool) -> None:
        """A dealer clears what a dealer can."""


class Mechanism:
    """Motors below, sensors above, people beside."""

    def __init__(self, profile: Profile, noise: Noise | None = None) -> None:
        self.places = Places()
        self.faces: list[int] = []
        self.defects: dict[int, CardDefect] = {}
        self.now_us = 0
        self.door_open = False
        self.hot = False
        self.clock_lost = False
        self.noise = noise if noise is not None else Noise(SystemEntropy())
        self.blocked: set[Place] = set()
        self.dead_parts: set[str] = set()
        self.tray_sensor_stuck: bool | None = None  # the value it is stuck at
        self.signals: list[Signal] = []
        self.motions: list[Motion | None] = [None, None]
        self.people = People(PanelRequest(wanted_cards=profile.games[0].deck_cards * profile.build.decks))
        self.injections = Injections()
        self.has_injections = False  # whether `injections` is to be asked at all
        self._last_out = Pass.DELIVER
        self._reads_in = profile.senses.reads_faces and not profile.is_shoe
        self._reads_out = profile.senses.reads_faces
        self._sees_backs = profile.senses.sees_backs
        self._motor_start_us = profile.timings.motor_start_us
        self._retry_us = profile.timings.retry_us
        self._next_us: int | None = None
        self._hands_over = False

    # ------------------------------------------------------------------------------------------------------------ time

    def next_us(self) -> int | None:
        """When something is due."""
        return self._next_us

    def advance(self, now_us: int) -> None:
        """End what is due and let people act; what the sensors saw of it is in `signals`."""
        self.begin_step()
        while (due := self._next_us) is not None and due <= now_us:
            self.now_us = due
            for motion in self.motions:
                if motion is not None and motion.end_us <= due:
                    self._end(motion)
            if (at := self.people.next_us) is not None and at <= due:
                self.people.act(due)
            if (at := self.injections.next_us) is not None and at <= due:
                self.injections.act(due)
            self.plan()
        self.now_us = now_us

    def plan(self) -> None:
        """Note what is due next; whoever changed a motion or a person's mind says so."""
        first = self.people.next_us
        if (at := self.injections.next_us) is not None and (first is None or at < first):
            first = at
        for motion in self.motions:
            if motion is not None and (first is None or motion.end_us < first):
                first = motion.end_us
        self._next_us = first

    # ---------------------------------------------------------------------------------------------------------- motors

    def start(
        self, work: Pass, now_us: int, card_us: int, count: int | None = None, order: Sequence[int] | None = None
    ) -> None:
        """Begin a pass over so many cards, or all there are; the first card moves strictly later."""
        self.now_us = now_us
        there = len(_source(self.places, work))
        wanted = there if count is None else count
        cards = there if wanted > there else wanted
        begin = now_us + self._motor_start_us
        # The counter waits one card's time for a card that does not come.
        end = begin + card_us * (cards + (wanted > there)) + (not cards)
        motion = Motion(work, begin, card_us, cards, end, True, order)
        if self.has_injections and (obstruction := self.injections.obstruction(motion, cards)) is not None:
            self._hinder(motion, obstruction, there)
        if work >= Pass.DELIVER:
            self._last_out = work
        self.motions[work >= Pass.DELIVER] = motion
        self.plan()

    def moved(self, lane: Lane, now_us: int) -> int:
        """How many cards the counter of a lane has seen of the pass under way."""
        motion = self.motions[lane]
        return 0 if motion is None else motion.done + _progress(motion, now_us)

    def stop(self, lane: Lane, now_us: int) -> PassEnded | None:
        """Stop a lane where it is; what its counter and reader saw, or None where nothing moved."""
        motion = self.motions[lane]
        if motion is None:
            return None
        progress = _progress(motion, now_us)
        motion.whole = motion.whole and progress == motion.stop_at
        motion.stop_at, motion.sign = progress, Sign.DONE
        self._end(motion)
        self.plan()
        ended = self.signals.pop()
        assert isinstance(ended, PassEnded)
        return ended

    def power_off(self, now_us: int) -> None:
        """Motors stop wherever they are; nobody listens to the sensors."""
        self._hands_over = False
        for lane in Lane:
            self.stop(lane, now_us)
        self.signals.clear()
        self.show(replace(self.people.asked, call=PanelCall.NOTHING), now_us)

    def hand_over(self) -> None:
        """Let the next deck move to where it is dealt from, strictly after this step."""
        self._hands_over = True

    def begin_step(self) -> None:
        """The step before has lasted: what it set in motion happens."""
        if self._hands_over:
            self._hands_over = False
            # A shuffler deals from its rack; in a shoe the decks are dealt from where they were put in.
            self._push_out("play")

    def give_back(self) -> None:
        """Push the cards of the coming deck out into the infeed tray."""
        self._push_out("infeed")

    def _push_out(self, target: PlaceName) -> None:
        places = self.places
        places.move(places.stack, "stack", target, at=0)
        places.move(places.rack, "rack", target, at=0)

    def recirculate(self) -> None:
        """Bring a half-shuffled deck back onto the stack."""
        self.places.move(self.places.rack, "rack", "stack", at=0)

    def show(self, asked: PanelRequest, now_us: int) -> None:
        """Set the lights that people look at."""
        self.people.see(asked, now_us)
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
        codes = list(map(self.faces.__getitem__, cards))
        if self.defects:
            for at, card in enumerate(cards):
                if (odd := self.defects.get(card)) is not None:
                    codes[at] = FACE_UP if odd.face_up else UNREADABLE if odd.unreadable else codes[at]
        if self.has_injections:
            codes = [self.injections.misread(code) for code in codes]
        return bytes(codes)

    # ----------------------------------------------------------------------------------------------------------- hands

    def introduce(self, faces: Iterable[int]) -> list[int]:
        """New cards come to the table: they lie aside until someone puts them somewhere."""
        first = len(self.faces)
        self.faces.extend(faces)
        cards = list(range(first, len(self.faces)))
        self.places.add(cards)
        return cards

    def put_in_infeed(self, cards: Sequence[int]) -> None:
        """Lay cards from beside into the infeed tray."""
        self.places.move(cards, "aside", "infeed")
        if self.has_injections:
            self.injections.laid_in()
        self.signals.append(InfeedTouched(True))

    def take_from_infeed(self) -> list[int]:
        """Take everything out of the infeed tray."""
        cards = self.places.move(self.places.infeed, "infeed", "aside")
        self.signals.append(InfeedTouched(False))
        self._notice()
        return cards

    def lift(self, count: int | None = None) -> list[int]:
        """Take cards, or all, from the output tray to the table."""
        self._settle(self.now_us)
        tray = self.places.tray
        wanted = len(tray) if count is None else min(count, len(tray))
        if self.has_injections and count is None:
            wanted = max(0, wanted - self.injections.leaves(self._last_out is Pass.STUB))
        taken = self.places.move(tray[:wanted], "tray", "table")
        self.signals.append(TrayTouched(self.tray_occupied))
        if self.has_injections:
            self.injections.lifted(self.now_us)
        self._notice()
        return taken

    def put_in_tray(self, cards: Sequence[int]) -> None:
        """Lay cards from the table into the output tray."""
        self.places.move(cards, "table", "tray")
        self.signals.append(TrayTouched(self.tray_occupied))

    def draw(self, count: int = 1) -> list[int]:
        """Pull cards out of the exit although nothing was asked for."""
        cards = self.places.move(self.places.play[:count], "play", "table")
        self.signals.append(ExitPassed(self.read(cards) if self._reads_out else bytes((UNREAD,)) * len(cards)))
        self._notice()
        return cards

    def gather(self) -> list[int]:
        """Pick up all cards on the table and hold them beside."""
        return self.places.move(self.places.table, "table", "aside")

    def leave_inside(self, count: int) -> None:
        """Leave cards of the deck in the infeed tray, or of those aside, in the rack."""
        source: PlaceName = "infeed" if self.places.infeed else "aside"
        deck: Sequence[int] = getattr(self.places, source)
        if len(deck) < count:
            raise BadControl(f"{len(deck)} cards lie beside the machine, {count} can't be left inside")
        self.places.move(deck[:count], source, "rack")

    def empty_inside(self) -> list[int]:
        """Take every card out through the open door; they lie on the table then."""
        places = self.places
        cards = places.move(places.stack, "stack", "table")
        cards += places.move(places.rack, "rack", "table")
        cards += places.move(places.play, "play", "table")
        self._notice()
        return cards

    def _notice(self) -> None:
        self.people.notice(self.now_us)
        self.plan()

    def move_door(self, opened: bool) -> None:
        """Open or close the door."""
        if opened is not self.door_open:
            self.door_open = opened
            self.signals.append(DoorSensed(opened))

    def heat(self, hot: bool) -> None:
        """Let the machine get too hot, or cool down."""
        if hot is not self.hot:
            self.hot = hot
            self.signals.append(HeatSensed(hot))

    def press(self, button: str) -> None:
        """Press a button of the front panel."""
        self.signals.append(ButtonPressed(button))

    def halt(self, motion: Motion, sign: Sign, retry_us: int) -> None:
        """Something blocks a pass where it is now; its controller tries again for a while before it gives up."""
        progress = _progress(motion, self.now_us)
        motion.stop_at, motion.sign, motion.whole = progress, sign, False
        motion.end_us = self.now_us + retry_us
        self.plan()

    # --------------------------------------------------------------------------------------------------------- private

    def _hinder(self, motion: Motion, obstruction: Obstruction, there: int) -> None:
        motion.retries = obstruction.retries
        motion.end_us += obstruction.retries * self._retry_us
        if obstruction.hides and obstruction.at + 1 < there:
            motion.hidden_at = obstruction.at + 1
            if motion.stop_at == there:  # the pass takes all cards, and sees one fewer
                motion.stop_at -= 1
        if obstruction.sign is not Sign.DONE:
            motion.sign, motion.whole = obstruction.sign, False
            motion.stop_at = min(obstruction.at + obstruction.hides, motion.stop_at)
            moving_us = motion.card_us * (obstruction.at + 1)
            motion.end_us = motion.start_us + moving_us + obstruction.retries * self._retry_us

    def _settle(self, now_us: int) -> None:
        """What has arrived in the tray so far lies there."""
        motion = self.motions[Lane.OUT]
        if motion is None or not (progress := _progress(motion, now_us)):
            return
        moved, seen = self._move(motion, progress)
        motion.codes += self._codes(motion.work, seen)
        motion.done += progress
        motion.stop_at -= progress
        motion.start_us += progress * motion.card_us
        if motion.hidden_at is not None:
            motion.hidden_at -= len(moved)

    def _move(self, motion: Motion, count: int, whole: bool = False) -> tuple[list[int], list[int]]:
        """Move the cards of a pass; all of them, and those that the sensors saw, in the order in which they end."""
        work, hidden = motion.work, motion.hidden_at
        source = _source(self.places, work)
        if hidden is None or hidden < 0 or hidden > count:
            moved = seen = list(source[:count])
        else:
            moved = list(source[: count + 1])
            seen = moved[:hidden] + moved[hidden + 1 :]
        if work is Pass.READ:
            return moved, seen
        if work is Pass.SHUFFLE and whole and motion.order is not None and len(motion.order) == len(moved):
            unseen = set(moved) - set(seen) if seen is not moved else None
            moved = list(map(moved.__getitem__, motion.order))
            seen = [card for card in moved if card not in unseen] if unseen else moved
        way_in, way_out = _WAYS[work]
        if work is Pass.SORT:
            if whole:
                moved.sort(key=self.faces.__getitem__)
            else:
                way_out = "rack"
        self.places.move(moved, way_in, way_out)
        return moved, seen

    def _end(self, motion: Motion) -> None:
        work = motion.work
        lane = Lane.OUT if work >= Pass.DELIVER else Lane.IN
        self.motions[lane] = None
        _, seen = self._move(motion, motion.stop_at, motion.whole)
        wrong = 0
        if self.defects and self._sees_backs and (work is Pass.INTAKE or work is Pass.READ):
            wrong = sum(1 for card in seen if card in self.defects and self.defects[card].back)
        self.signals.append(
            PassEnded(
                lane,
                work,
                motion.sign,
                motion.done + len(seen),
                motion.codes + self._codes(work, seen),
                wrong,
                motion.retries,
            )
        )

    def _codes(self, work: Pass, cards: list[int]) -> bytes:
        reads = self._reads_out if work >= Pass.DELIVER else self._reads_in
        return self.read(cards) if reads else bytes((UNREAD,)) * len(cards)


# Where the cards of a pass come from and go to.
_WAYS: dict[Pass, tuple[PlaceName, PlaceName]] = {
    Pass.INTAKE: ("infeed", "stack"),
    Pass.SHUFFLE: ("stack", "rack"),
    Pass.SORT: ("stack", "infeed"),
    Pass.READ: ("stack", "stack"),
    Pass.DELIVER: ("play", "tray"),
    Pass.STUB: ("play", "tray"),
}


def _source(places: Places, work: Pass) -> Sequence[int]:
    cards: Sequence[int] = getattr(places, _WAYS[work][0])
    return cards


def _progress(motion: Motion, now_us: int) -> int:
    if now_us < motion.start_us or not motion.card_us:
        return 0 if now_us < motion.end_us else motion.stop_at
    return min((now_us - motion.start_us) // motion.card_us, motion.stop_at)


def composition(deck_cards: int, decks: int = 1) -> list[int]:
    """The faces of a pack in factory order: 52, jokers above that; one unit a deck."""
    return [min(face, JOKER) for face in range(deck_cards)] * decks

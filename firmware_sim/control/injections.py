"""The table of injections: physical causes that the control plane can bring about, and when each may strike."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_type_hints

from firmware_sim.control.names import name_of, names_of
from firmware_sim.errors import BadControl
from firmware_sim.machine.signals import Pass, Sign
from protocol import messages as m
from protocol.catalogue import CATALOGUE
from protocol.vocabulary import FaultCode, Place


class Nature(Enum):
    """Where an injection strikes."""

    PASS = "cards on their way"
    DECK = "the deck that is laid in"
    TRAY = "hands at the output tray"
    CARD = "a card inside the machine"
    PART = "a part of the machine"
    SUPPLY = "power, cable, memory"


@dataclass(frozen=True, slots=True)
class Kind:
    """One row: what it is, where it strikes, what the firmware should make of it."""

    name: str
    nature: Nature
    fault: FaultCode | None
    meaning: str
    passes: tuple[Pass, ...] = ()
    sign: Sign = Sign.DONE
    place: Place = Place.NOWHERE
    dealer_clears: bool = True


_F, _N = FaultCode, Nature
_IN, _SHUF, _OUT = (Pass.INTAKE, Pass.READ), (Pass.SHUFFLE, Pass.SORT), (Pass.DELIVER, Pass.STUB)

# fmt: off
INJECTIONS: tuple[Kind, ...] = (
    Kind("jam_feeder",          _N.PASS, _F.JAM_FEEDER,      "a card sticks in the feeder", _IN, Sign.NO_EDGE_FEEDER, Place.FEEDER),
    Kind("jam_transport",       _N.PASS, _F.JAM_TRANSPORT,   "a card sticks on the way from the stack", _SHUF, Sign.NO_EDGE_TRANSPORT, Place.TRANSPORT),
    Kind("jam_compartment",     _N.PASS, _F.JAM_COMPARTMENT, "a card sticks half in its compartment", _SHUF, Sign.NO_EDGE_COMPARTMENT, Place.COMPARTMENT),
    Kind("jam_exit",            _N.PASS, _F.JAM_EXIT,        "a card sticks at the exit", _OUT, Sign.NO_EDGE_EXIT, Place.EXIT),
    Kind("no_feed",             _N.PASS, _F.NO_FEED,         "the feed roller slips", _IN, Sign.SLIPPING, Place.FEEDER),
    Kind("motor_stall",         _N.PASS, _F.MOTOR_STALL,     "a motor does not turn", (*_IN, *_SHUF, *_OUT), Sign.STALLED, Place.MOTOR),
    Kind("double_feed",         _N.PASS, _F.DOUBLE_FEED,     "two cards pass as one", (*_IN, *_SHUF, *_OUT), Sign.THICK),
    Kind("short_deck",          _N.DECK, _F.SHORT_DECK,      "a card is missing"),
    Kind("long_deck",           _N.DECK, _F.LONG_DECK,       "a card too many, of a face the deck has"),
    Kind("duplicate_card",      _N.DECK, _F.DUPLICATE_CARD,  "a card replaced by a second one of another face in the deck"),
    Kind("foreign_card",        _N.DECK, _F.FOREIGN_CARD,    "a card replaced by one that is of no deck"),
    Kind("unreadable_card",     _N.DECK, _F.UNREADABLE_CARD, "a card whose face is soiled"),
    Kind("face_up_card",        _N.DECK, _F.FACE_UP_CARD,    "a card that lies boxed"),
    Kind("wrong_back",          _N.DECK, _F.WRONG_BACK,      "a card replaced by the same one of the other deck"),
    Kind("card_left_in_tray",   _N.TRAY, _F.CARD_LEFT_IN_TRAY,   "a card of the stub stays in the tray"),
    Kind("group_removed_short", _N.TRAY, _F.GROUP_REMOVED_SHORT, "a card of the group stays in the tray"),
    Kind("card_put_back",       _N.TRAY, _F.CARD_PUT_BACK,   "a card that was taken is laid back"),
    Kind("early_grab",          _N.TRAY, _F.EARLY_GRAB,      "a hand takes the first cards while others are coming"),
    Kind("swapped_card",        _N.CARD, None,               "a card inside is exchanged for one of no deck (face=: for that one)", _OUT),
    Kind("lost_card",           _N.CARD, None,               "a card inside falls out of the machine", _OUT),
    Kind("inserted_card",       _N.CARD, None,               "a card is slipped in (face=: that one)", _OUT),
    Kind("wrong_slot",          _N.CARD, None,               "the next group and the one behind it change places", _OUT),
    Kind("exposed_card",        _N.CARD, None,               "a card inside turns over", _OUT),
    Kind("stray_card",          _N.CARD, None,               "a card comes out of the exit unasked", _OUT),
    Kind("cards_left_inside",   _N.CARD, _F.CARDS_LEFT_INSIDE, "a forgotten card lies in the rack"),
    Kind("door_open",           _N.PART, _F.DOOR_OPEN,       "the door is opened", place=Place.DOOR),
    Kind("over_temperature",    _N.PART, _F.OVER_TEMPERATURE, "the machine gets too hot", place=Place.MOTOR, dealer_clears=False),
    Kind("tray_sensor_stuck",   _N.PART, _F.TRAY_SENSOR_STUCK, "the tray sensor reads occupied (value=false: empty) for ever", place=Place.TRAY),
    Kind("random_source",       _N.PART, _F.RANDOM_SOURCE,   "the noise source gives the same byte for ever (level=: that part of the time)", place=Place.RANDOM, dealer_clears=False),
    Kind("self_test_failed",    _N.PART, _F.SELF_TEST_FAILED, "the reader does not answer", place=Place.READER, dealer_clears=False),
    Kind("clock_lost",          _N.PART, _F.CLOCK_LOST,      "the clock's battery is empty; found at power-up", place=Place.CLOCK, dealer_clears=False),
    Kind("worn_reader",         _N.PART, _F.UNREADABLE_CARD, "each reading fails with probability level=", place=Place.READER),
    Kind("memory_corrupt",      _N.SUPPLY, _F.MEMORY_CORRUPT, "a bit in the middle of the memory flips; found at power-up", dealer_clears=False),
    Kind("power_cut",           _N.SUPPLY, _F.POWER_CUT,     "the power goes and comes back", dealer_clears=False),
    Kind("brown_out_loop",      _N.SUPPLY, _F.BROWN_OUT_LOOP, "the power sags three times in a row", dealer_clears=False),
    Kind("cable_pulled",        _N.SUPPLY, _F.CABLE_PULLED,  "the data cable is pulled and put back", dealer_clears=False),
)
# fmt: on

BY_NAME = {kind.name: kind for kind in INJECTIONS}

# What an injection can be told beside when it strikes; all others have nothing to be told.
OPTIONS: dict[str, tuple[str, ...]] = {
    "long_deck": ("face",),
    "duplicate_card": ("face",),
    "foreign_card": ("face",),
    "wrong_back": ("face",),
    "swapped_card": ("face", "position"),
    "lost_card": ("position",),
    "inserted_card": ("face", "position"),
    "wrong_slot": ("size", "position"),
    "exposed_card": ("position",),
    "cards_left_inside": ("face",),
    "tray_sensor_stuck": ("value",),
    "random_source": ("level",),
    "worn_reader": ("level",),
}


def check_options(name: str, options: Iterable[str], trigger: "Trigger") -> None:
    """Refuse what this injection would ignore."""
    allowed = OPTIONS.get(name, ())
    if unknown := sorted(set(options) - set(allowed)):
        has = f"has {' and '.join(allowed)}" if allowed else "has none"
        raise BadControl(f"{name} has no option {unknown[0]!r}: it {has}", unknown[0])
    if trigger.clear_after_us is not None and BY_NAME[name].nature is Nature.SUPPLY:
        raise BadControl(f"{name} is over at once: clear_after_s has nothing to clear", "clear_after_s")
    if trigger.retries is not None and BY_NAME[name].nature is not Nature.PASS:
        raise BadControl(f"{name} is not tried again: retries are for cards on their way", "retries")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """When: at the n-th card of a pass, at a time, on a condition, at a rate; at once where nothing is said."""

    at_card: int | None = None  # counted from 1
    at_us: int | None = None
    when: str | None = None  # "deal=group_in_tray", "group=3", "event=GroupReady", …
    rate: float = 0.0  # for each card of a pass, each deck, each lift
    times: int = 1  # 0: again and again
    clear_after_us: int | None = None  # clears itself after this time; else someone must
    by_hand: bool = False  # not even an automatic dealer clears it
    retries: int | None = None  # a jam that gives way after so many tries; None: not by itself

    def __post_init__(self) -> None:
        """Refuse contradictions."""
        values = {"at_card": self.at_card, "at_s": self.at_us, "when": self.when, "rate": self.rate or None}
        given = [name for name, value in values.items() if value is not None]
        if len(given) > 1:
            raise BadControl(f"give one of {', '.join(values)}, not both {given[0]} and {given[1]}", given[1])
        if not 0 <= self.rate <= 1:
            raise BadControl(f"a rate is from 0 to 1, not {self.rate}")
        least = {"at_card": 1, "at_us": 0, "times": 0, "clear_after_us": 0, "retries": 0}
        for name, low in least.items():
            if (value := getattr(self, name)) is not None and value < low:
                raise BadControl(f"{name} is at least {low}, not {value}")


def trigger_from(
    *, at_s: float | None = None, clear_after_s: float | None = None, rate: float | None = None, **fields: Any
) -> Trigger:
    """A trigger with its times in seconds."""
    return Trigger(at_us=_us(at_s), clear_after_us=_us(clear_after_s), rate=rate or 0.0, **fields)


def _us(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds * 1_000_000)


@dataclass(frozen=True, slots=True)
class Condition:
    """A field of the device's status, or the name of an event."""

    name: str
    value: str

    def holds(self, status: m.Status, events: set[str]) -> bool:
        """Now?"""
        if self.name == "event":
            return self.value in events
        actual = getattr(status, self.name)
        return self.value in (name_of(actual), str(int(actual)))


def parse_condition(text: str) -> Condition:
    """Read "name=value"; a name is a field of Status, or "event". A value that can't come is refused."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or name not in VALUES:
        raise BadControl(f"a condition reads NAME=VALUE with a name out of {', '.join(VALUES)}, not {text!r}")
    words = VALUES[name]
    if value not in words and not (name != "event" and value.isdecimal()):
        expected = f"one of {', '.join(words)}" if words else "a whole number"
        raise BadControl(f"{name} in a condition is {expected}, not {value!r}")
    return Condition(name, value)


# What each name of a condition may be, in words; those without are numbers.
VALUES: dict[str, tuple[str, ...]] = {
    **{name: names_of(kind) for name, kind in get_type_hints(m.Status).items()},
    "event": tuple(entry.name for entry in CATALOGUE if issubclass(entry.body, m.Event)),
}

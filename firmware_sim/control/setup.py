"""Set-up files: what a tester schedules before a device starts, in TOML, through the control plane.

    about = "a jam at the exit while the second group is delivered"
    profile = "i-deal-style"                 # which device it is for; any where it says nothing
    ends = "void"                            # how two rounds end: dealt (by default), void (one is), or it stops

    [device]
    decks = 6                                # for a shoe: 1 to 8

    [[deck]]                                 # the next shuffles in turn
    order = "Q♠ K♠ A♠ 2h 10d"                # its first cards; the rest as drawn
    [[deck]]
    seats = [1, 2, 5]                        # or by hands, for a round dealt to these seats
    hands = { 2 = "Q♠ K♠ A♠", dealer = "2♣ 3♦ 4♥" }

    [[fault]]                                # whatever should go wrong: names in docs/device.md
    name = "jam_exit"
    when = "group=1"                         # or at_card = 10, at_s = 30.0, rate = 0.001; at once where nothing is said
    times = 1                                # 0: again and again
    clear_after_s = 5.0                      # mends itself; by_hand = true: not even an automatic dealer does

    [mechanism]                              # imperfections of the shuffling mechanism's kernel
    sticky = 0.01
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from firmware_sim.control.control import Control, card_code, card_codes
from firmware_sim.control.injections import BY_NAME, Trigger, check_options, parse_condition
from firmware_sim.errors import BadControl, BadSetup, DeviceError
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.profile import Kind, Profile
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import FaultCode
from randomness import RandomnessError
from strict_toml import Document, Section, Source, read_source

MAX_DECKS = 8
MAX_CARD = 432  # eight decks of 54
MAX_TIMES = 1_000_000
MAX_SEAT = 16
DAY_S = 86_400.0
DEALT, VOID, STOPS = "dealt", "void", "stops"
ENDS = (DEALT, VOID, STOPS)  # all is dealt; a round is void and the next is dealt; it stops until it is cleared
AT_ONCE = ("at_card", "at_s", "when", "rate")  # a trigger is one of these, or none


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One injection to inject."""

    name: str
    trigger: Trigger
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckOrder:
    """One deck to rig: its first cards, or hands for seats."""

    order: tuple[int, ...] = ()
    hands: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A set-up, read and checked."""

    about: str
    ends: str  # how `shuffler deal --rounds 2` ends on it
    profile: str | None
    decks: int | None
    rigged: tuple[DeckOrder, ...]
    faults: tuple[Fault, ...]
    mechanism: Mapping[str, Any]

    def adapt(self, profile: Profile) -> Profile:
        """The profile that this set-up is for, with its number of decks; refused where it is for another."""
        if self.profile not in (None, profile.name):
            raise BadSetup(f"this set-up is for the profile {self.profile}, not for {profile.name}")
        if self.decks is None:
            return profile
        if profile.build.kind is not Kind.SHOE:
            raise BadSetup(f"{profile.name} holds one deck; a number of decks is for a shoe")
        return replace(profile, build=replace(profile.build, decks=self.decks))

    def apply(self, control: Control) -> None:
        """Schedule everything; raises BadSetup where something does not fit the device."""
        try:
            for deck in self.rigged:
                if deck.hands:
                    control.next_hands(deck.hands, deck.seats)
                else:
                    control.next_deck(deck.order)
            if self.mechanism:
                control.wear(**self.mechanism)
            for fault in self.faults:
                control.inject(fault.name, fault.trigger, **fault.options)
        except (BadControl, RandomnessError) as problem:
            raise BadSetup(str(problem)) from problem


def names() -> list[str]:
    """The set-ups that come with the product."""
    folder = resources.files("firmware_sim.control") / "setups"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def starting_in(code: FaultCode) -> list[str]:
    """The product's set-ups that bring a fault about."""
    return [name for name in names() if any(BY_NAME[fault.name].fault is code for fault in load(name).faults)]


def load(name_or_path: str) -> Setup:
    """One of the product's set-ups by name, or a file."""
    if name_or_path in names():
        return _of_the_product(name_or_path)
    try:
        return parse(name_or_path, read_source(name_or_path, BadSetup).text)
    except FileNotFoundError:
        raise BadSetup(f"no file and no set-up is called {name_or_path!r}; there are {', '.join(names())}") from None


@cache
def _of_the_product(name: str) -> Setup:
    path = resources.files("firmware_sim.control") / "setups" / f"{name}.toml"
    return parse(name, path.read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Setup:
    """A set-up from its text; what can't be meant is refused with file and line."""
    document = Document(BadSetup)
    document.add(Source(name, text))
    top = Section(document, (), document.data)
    about = top.text("about", " ").strip()
    ends = top.choice("ends", ENDS) if top.has("ends") else DEALT
    profile = top.choice("profile", profiles.names()) if top.has("profile") else None
    decks = None
    if top.has("device"):
        device = top.section("device")
        decks = device.whole("decks", 1, MAX_DECKS) if device.has("decks") else None
        device.finish()
    rigged = tuple(read_deck(row) for row in top.rows("deck"))
    faults = tuple(read_fault(row) for row in top.rows("fault"))
    mechanism = dict(top.section("mechanism").left) if top.has("mechanism") else {}
    top.finish()
    return Setup(
        about=about, ends=ends, profile=profile, decks=decks, rigged=rigged, faults=faults, mechanism=mechanism
    )


def read_deck(row: Section) -> DeckOrder:
    """A deck to rig, from its table."""
    if (row.has("order")) == (row.has("hands")):
        row.refuse("a deck has either an order or hands")
    if row.has("order"):
        order = _cards(row, "order")
        row.finish()
        return DeckOrder(order=order)
    named = row.section("hands")
    hands: dict[int, tuple[int, ...]] = {}
    for seat in list(named.left):
        if seat != "dealer" and not (seat.isdigit() and 1 <= int(seat) <= MAX_SEAT):
            named.refuse(f"a seat is a number from 1 to {MAX_SEAT} or dealer, not {seat!r}", seat)
        hands[DEALER_SEAT if seat == "dealer" else int(seat)] = _cards(named, seat)
    seats = row.take("seats") if row.has("seats") else None
    if seats is not None and (
        not isinstance(seats, list) or not all(type(seat) is int and 1 <= seat <= MAX_SEAT for seat in seats)
    ):
        row.refuse(f"seats is a list of numbers from 1 to {MAX_SEAT}, not {seats!r}", "seats")
    row.finish()
    return DeckOrder(hands=hands, seats=tuple(seats) if seats is not None else None)


def read_fault(row: Section) -> Fault:
    """An injection and when it strikes, from its table."""
    kind = BY_NAME[row.choice("name", BY_NAME)]
    given = [key for key in AT_ONCE if row.has(key)]
    if len(given) > 1:
        row.refuse(f"give one of {', '.join(AT_ONCE)}, not both {given[0]} and {given[1]}", given[1])
    values: dict[str, Any] = {}
    if row.has("at_card"):
        values["at_card"] = row.whole("at_card", 1, MAX_CARD)
    if row.has("at_s"):
        values["at_us"] = int(row.number("at_s", 0, DAY_S) * 1_000_000)
    if row.has("when"):
        values["when"] = row.text("when")
        _checked(row, "when", lambda: parse_condition(values["when"]))
    if row.has("rate"):
        values["rate"] = row.number("rate", 0, 1)
    if row.has("times"):
        values["times"] = row.whole("times", 0, MAX_TIMES)
    if row.has("clear_after_s"):
        values["clear_after_us"] = int(row.number("clear_after_s", 0, DAY_S) * 1_000_000)
    if row.has("by_hand"):
        values["by_hand"] = row.flag("by_hand")
    if row.has("retries"):
        values["retries"] = row.whole("retries", 0, MAX_TIMES)
    options = _options(row)
    row.finish()
    trigger = Trigger(**values)
    wrong = next(iter(options), None) or ("clear_after_s" if "clear_after_us" in values else "retries")
    _checked(row, wrong, lambda: check_options(kind.name, options, trigger))
    return Fault(name=kind.name, trigger=trigger, options=options)


def _options(row: Section) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if row.has("value"):
        options["value"] = row.flag("value")
    if row.has("level"):
        options["level"] = row.number("level", 0, 1)
    if row.has("position"):
        options["position"] = row.whole("position", 0, MAX_CARD)
    if isinstance(row.left.get("face"), str):
        options["face"] = _checked(row, "face", lambda: card_code(row.left["face"]))
        row.take("face")
    elif row.has("face"):
        options["face"] = row.whole("face", 0, 255)
    return options


def _cards(row: Section, key: str) -> tuple[int, ...]:
    text = row.text(key)
    return tuple(_checked(row, key, lambda: card_codes(text)))


def _checked(row: Section, key: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except DeviceError as problem:
        row.refuse(str(problem), key)

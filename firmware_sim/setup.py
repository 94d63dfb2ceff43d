"""Set-up files: what a tester schedules before a device starts, in TOML, through the control plane.

    about = "a jam at the exit while the second group is delivered"
    profile = "i-deal-style"                 # which device it is for; any where it says nothing

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

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from firmware_sim import profile as profiles
from firmware_sim.control import Control, card_code, card_codes
from firmware_sim.errors import BadControl, BadSetup, DeviceError
from firmware_sim.profile import Kind, Profile
from firmware_sim.trouble_table import BY_NAME, Trigger, parse_condition
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import FaultCode
from randomness import RandomnessError

MAX_DECKS = 8
_KEYS = {"about", "profile", "device", "deck", "fault", "mechanism"}
_TRIGGER_KEYS = {"at_card": int, "when": str, "rate": float, "times": int, "by_hand": bool, "retries": int}
_SECONDS = {"at_s": "at_us", "clear_after_s": "clear_after_us"}
_OPTIONS = {"value", "face", "level", "position"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One trouble to inject."""

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
    folder = resources.files("firmware_sim") / "setups"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def starting_in(code: FaultCode) -> list[str]:
    """The product's set-ups that bring a fault about."""
    return [name for name in names() if any(BY_NAME[fault.name].fault is code for fault in load(name).faults)]


def load(name_or_path: str) -> Setup:
    """One of the product's set-ups by name, or a file."""
    if name_or_path in names():
        return _of_the_product(name_or_path)
    try:
        return parse(name_or_path, Path(name_or_path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadSetup(f"no file and no set-up is called {name_or_path!r}; there are {', '.join(names())}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise BadSetup(f"can't read {name_or_path}: {problem}") from problem


@cache
def _of_the_product(name: str) -> Setup:
    return parse(name, (resources.files("firmware_sim") / "setups" / f"{name}.toml").read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Setup:
    """A set-up from its text; what can't be meant is refused with its place."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadSetup(f"{name} is not TOML: {problem}") from problem
    _only(name, data, _KEYS)
    profile = data.get("profile")
    if profile is not None and profile not in profiles.names():
        raise BadSetup(f"{name}: no profile is called {profile!r}; there are {', '.join(profiles.names())}")
    device = data.get("device", {})
    _only(f"{name} [device]", device, {"decks"})
    decks = device.get("decks")
    if decks is not None and (type(decks) is not int or not 1 <= decks <= MAX_DECKS):
        raise BadSetup(f"{name}: decks is 1 to {MAX_DECKS}, not {decks!r}")
    return Setup(
        about=str(data.get("about", "")),
        profile=profile,
        decks=decks,
        rigged=tuple(_deck(f"{name} [[deck]] {i + 1}", row) for i, row in enumerate(_rows(name, data, "deck"))),
        faults=tuple(_fault(f"{name} [[fault]] {i + 1}", row) for i, row in enumerate(_rows(name, data, "fault"))),
        mechanism=dict(data.get("mechanism", {})),
    )


def _rows(name: str, data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    rows = data.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadSetup(f"{name}: write each as [[{key}]]")
    return rows


def _deck(where: str, row: Mapping[str, Any]) -> DeckOrder:
    _only(where, row, {"order", "hands", "seats"})
    if ("order" in row) == ("hands" in row):
        raise BadSetup(f"{where}: give either an order or hands")
    if "order" in row:
        return DeckOrder(order=tuple(_checked(where, lambda: card_codes(row["order"]))))
    hands: dict[int, tuple[int, ...]] = {}
    for seat, cards in row["hands"].items():
        if seat != "dealer" and not seat.isdigit():
            raise BadSetup(f"{where}: a seat is a number or dealer, not {seat!r}")
        number = DEALER_SEAT if seat == "dealer" else int(seat)
        hands[number] = tuple(_checked(where, lambda cards=cards: card_codes(cards)))  # type: ignore[misc]
    seats = row.get("seats")
    return DeckOrder(hands=hands, seats=tuple(seats) if seats is not None else None)


def _fault(where: str, row: Mapping[str, Any]) -> Fault:
    _only(where, row, {"name", *_TRIGGER_KEYS, *_SECONDS, *_OPTIONS})
    name = row.get("name")
    if name not in BY_NAME:
        raise BadSetup(f"{where}: no trouble is called {name!r}; there are {', '.join(BY_NAME)}")
    values: dict[str, Any] = {}
    for key, kind in _TRIGGER_KEYS.items():
        if key in row:
            if not isinstance(row[key], (int, float) if kind is float else kind):
                raise BadSetup(f"{where}: {key} is a {kind.__name__}, not {row[key]!r}")
            values[key] = row[key]
    for key, target in _SECONDS.items():
        if key in row:
            values[target] = int(_checked(where, lambda key=key: float(row[key])) * 1_000_000)  # type: ignore[misc]
    if "when" in values:
        _checked(where, lambda: parse_condition(values["when"]))
    options = {key: row[key] for key in _OPTIONS if key in row}
    if isinstance(options.get("face"), str):
        options["face"] = _checked(where, lambda: card_code(options["face"]))
    return Fault(name=name, trigger=Trigger(**values), options=options)


def _checked(where: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (DeviceError, TypeError, ValueError) as problem:
        raise BadSetup(f"{where}: {problem}") from problem


def _only(where: str, data: Mapping[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(data) - known):
        raise BadSetup(f"{where} has no {unknown[0]!r}; it may have {', '.join(sorted(known))}")

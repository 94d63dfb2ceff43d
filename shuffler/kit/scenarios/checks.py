"""What a scenario can expect to be the case: one row a check, with how it is read, what it says, and what it finds."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from firmware_sim.control.control import Truth
from firmware_sim.program.orders import status
from protocol import messages as m
from protocol.cards import FACES, card_name
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import Role
from round_engine.money.ledger import EntryKind
from round_engine.wagers import METERED
from shuffler.kit.report import panel_line
from shuffler.kit.scenarios.stage import Stage
from shuffler.kit.scenarios.values import EVENTS, in_words, matches, read_cards, read_fields, told
from shuffler.kit.table import KitTable
from shuffler.table import Want
from strict_toml import Section

CENTS_MOST = 10**12
COUNT_MOST = 1_000_000
LIGHTS = ("green", "amber", "red")
TEXTS = ("top", "bottom")


@dataclass(frozen=True, slots=True)
class ScenarioCheck:
    """One row; `look` gives what came instead, or None where all is as wanted."""

    read: Callable[[Section, str], Any]
    say: Callable[[Any], str]
    look: Callable[[Stage, Any], str | None]
    at_table: bool = False  # only where a table plays


def _table(stage: Stage) -> KitTable:
    assert stage.table is not None
    return stage.table


# --- reading ---------------------------------------------------------------------------------------------------------


def _whole(section: Section, key: str) -> int:
    return section.whole(key, 0, COUNT_MOST)


def _texts(section: Section, key: str) -> tuple[str, ...]:
    given = section.take(key)
    if not isinstance(given, list) or not given or not all(isinstance(text, str) and text for text in given):
        section.refuse(f"{section.name(key)} must be a list of texts, not {given!r}", key)
    return tuple(given)


def _read_status(section: Section, key: str) -> dict[str, Any]:
    return read_fields(section.section(key), m.Status)


def _read_panel(section: Section, key: str) -> dict[str, Any]:
    panel = section.section(key)
    wanted: dict[str, Any] = {name: panel.text(name) for name in TEXTS if panel.has(name)}
    wanted |= {name: panel.flag(name) for name in LIGHTS if panel.has(name)}
    panel.finish()
    return wanted


def _read_counts(section: Section, key: str, among: tuple[str, ...], most: int = COUNT_MOST) -> dict[str, int]:
    counts = section.section(key)
    wanted = {name: counts.whole(name, 0, most) for name in among if counts.has(name)}
    if counts.left:
        name = next(iter(counts.left))
        counts.refuse(f"{counts.title} may have {', '.join(among)}, not {name!r}", name)
    return wanted


def _read_hands(section: Section, key: str) -> dict[int, str]:
    hands = section.section(key)
    return {_seat(hands, seat): " ".join(map(card_name, read_cards(hands, seat))) for seat in list(hands.left)}


def _read_spots(section: Section, key: str) -> dict[int, int]:
    spots = section.section(key)
    return {_seat(spots, seat): spots.whole(seat, 0, CENTS_MOST) for seat in list(spots.left)}


def _seat(section: Section, seat: str) -> int:
    if seat == "dealer":
        return DEALER_SEAT
    if not seat.isdecimal() or not 1 <= int(seat) <= 16:
        section.refuse(f"a seat is a number from 1 to 16 or dealer, not {seat!r}", seat)
    return int(seat)


def _read_accounts(section: Section, key: str) -> dict[str, int]:
    accounts = section.section(key)
    return {name: accounts.whole(name, -CENTS_MOST, CENTS_MOST) for name in list(accounts.left)}


def _read_meters(section: Section, key: str) -> dict[str, int]:
    return _read_counts(section, key, METERED, CENTS_MOST)


# --- looking ---------------------------------------------------------------------------------------------------------


def _differs(wanted: object, found: object) -> str | None:
    return None if found == wanted else str(found)


def _some_differ(wanted: Mapping[Any, Any], found: Mapping[Any, Any], lack: object = 0) -> str | None:
    """The rows of what was found that are not as wanted."""
    wrong = {name: found.get(name, lack) for name, value in wanted.items() if found.get(name, lack) != value}
    return _pairs(wrong) if wrong else None


def _pairs(values: Mapping[Any, Any]) -> str:
    return ", ".join(f"{'dealer' if name == DEALER_SEAT else name} {value}" for name, value in values.items())


def _look_status(stage: Stage, wanted: dict[str, Any]) -> str | None:
    if not stage.device.emulator.is_on:
        return "the device is off"
    found = status(stage.device.emulator.firmware, Role.DEALER)
    return None if matches(found, m.Status, wanted) else in_words(found, set(wanted))


def _look_panel(stage: Stage, wanted: dict[str, Any]) -> str | None:
    panel = stage.device.panel()
    texts = all(getattr(panel, name).startswith(wanted[name]) for name in TEXTS if name in wanted)
    lights = all(getattr(panel, name) == wanted[name] for name in LIGHTS if name in wanted)
    return None if texts and lights else panel_line(panel)


def _look_events(stage: Stage, wanted: dict[str, int]) -> str | None:
    return _some_differ(wanted, Counter(type(event).__name__ for event in stage.events))


def _look_hands(stage: Stage, wanted: dict[int, str]) -> str | None:
    return _some_differ(wanted, stage.dealt.by_seat(), "nothing")


def _look_cards(stage: Stage, wanted: dict[str, int]) -> str | None:
    truth = stage.device.truth()
    return _some_differ(wanted, {name: len(getattr(truth, name)) for name in wanted})


def _look_order(stage: Stage, wanted: bool) -> str | None:
    cards = [card for card in stage.dealt.in_dealt_order() if card < FACES]
    steps = [abs(after - before) for before, after in pairwise(cards)]
    in_order = bool(steps) and sum(step == 1 for step in steps) * 4 >= len(steps) * 3
    found = " ".join(map(card_name, cards)) or "no card that is named"
    return None if bool(cards) and in_order == wanted else found


def _look_reasons(said: list[str], wanted: tuple[str, ...]) -> str | None:
    missing = [text for text in wanted if not any(text in reason for reason in said)]
    return ("; ".join(said) or "nothing was said") if missing else None


def _look_paid(table: KitTable, kind: EntryKind, wanted: dict[int, int]) -> str | None:
    found = {spot: cents for spot, cents in table.paid(kind).items() if cents}
    return None if found == {spot: cents for spot, cents in wanted.items() if cents} else _pairs(found) or "nothing"


def _balances(table: KitTable, names: Mapping[str, int]) -> dict[str, int]:
    return {name: table.balance(name) for name in names}


def _meters(table: KitTable) -> dict[str, int]:
    return {wager: meter.amount for wager, meter in table.engine.meters.items()}


def _is(wanted: object) -> str:
    return str(wanted).lower() if isinstance(wanted, bool) else str(wanted)


# fmt: off
CHECKS: dict[str, ScenarioCheck] = {
    "status":   ScenarioCheck(_read_status, lambda wanted: told(m.Status, wanted), _look_status),
    "panel":    ScenarioCheck(_read_panel, _pairs, _look_panel),
    "events":   ScenarioCheck(lambda section, key: _read_counts(section, key, tuple(EVENTS)), _pairs, _look_events),
    "hands":    ScenarioCheck(_read_hands, _pairs, _look_hands),
    "cards":    ScenarioCheck(lambda section, key: _read_counts(section, key, Truth.__slots__), _pairs, _look_cards),
    "in_order": ScenarioCheck(lambda section, key: section.flag(key), _is, _look_order),
    "settled":  ScenarioCheck(_whole, _is, lambda stage, wanted: _differs(wanted, _table(stage).settled), True),
    "void":     ScenarioCheck(_whole, _is, lambda stage, wanted: _differs(wanted, _table(stage).void), True),
    "wants":    ScenarioCheck(lambda section, key: section.choice(key, [want.value for want in Want]), _is,
                      lambda stage, wanted: _differs(wanted, _table(stage).wants.value), True),
    "called":   ScenarioCheck(lambda section, key: section.choice(key, [want.value for want in Want]), _is,
                      lambda stage, wanted: None if wanted in [want.value for want in _table(stage).called] else "not called for", True),
    "reasons":  ScenarioCheck(_texts, "; ".join, lambda stage, wanted: _look_reasons(_table(stage).reasons, wanted), True),
    "refused":  ScenarioCheck(_texts, "; ".join, lambda stage, wanted: _look_reasons(_table(stage).refused, wanted), True),
    "awarded":  ScenarioCheck(_read_spots, _pairs, lambda stage, wanted: _look_paid(_table(stage), EntryKind.AWARDED, wanted), True),
    "backed_out": ScenarioCheck(_read_spots, _pairs, lambda stage, wanted: _look_paid(_table(stage), EntryKind.BACKED_OUT, wanted), True),
    "money":    ScenarioCheck(_read_accounts, _pairs, lambda stage, wanted: _some_differ(wanted, _balances(_table(stage), wanted)), True),
    "recorded": ScenarioCheck(_read_spots, _pairs, lambda stage, wanted: _look_paid(_table(stage), EntryKind.RECORDED, wanted), True),
    "meters":   ScenarioCheck(_read_meters, _pairs, lambda stage, wanted: _some_differ(wanted, _meters(_table(stage))), True),
    "device":   ScenarioCheck(lambda section, key: section.text(key), _is, lambda stage, wanted: _differs(wanted, stage.device.serial)),
}
# fmt: on


# --- always ----------------------------------------------------------------------------------------------------------


def broken_promises(stage: Stage) -> list[str]:
    """What holds at the end of every scenario, whatever its steps expect: nothing dealt twice, no cent unaccounted."""
    found: list[str] = []
    twice = [(number, group) for (_, _, number, group), times in stage.groups.items() if times > 1]
    found += [f"group {group} of round {number} was dealt twice" for number, group in twice]
    cards = Counter(card for card in stage.dealt.in_dealt_order() if card < FACES)
    decks = stage.device.emulator.build.profile.build.decks
    found += [f"{card_name(card)} is in two hands of the last round" for card, n in cards.items() if n > decks]
    if stage.table is not None and stage.table.out_of_balance:
        found.append(f"the books are out of balance by {stage.table.out_of_balance} cents")
    return found

"""From the text of rule files to a `RuleSet`, refusing what is unknown, missing or contradictory, with file and line.

Reads text, not files: `rulebook` is the edge that finds them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin, get_type_hints

from round_engine.errors import MoneyError
from round_engine.hands.cards import RANK_NAMES, RANKS, Card
from round_engine.keypads import DIALECTS
from round_engine.money import Cents, dollars, parse_dollars
from round_engine.rules.document import Overlay, RuleDocument, RuleSection
from round_engine.rules.house import MOST_SEATS, parse_house, parse_limits
from round_engine.rules.ruleset import (
    Dealing,
    Hand,
    Limit,
    Pay,
    PayRow,
    Paytable,
    ProgressiveRules,
    RuleSet,
    Settings,
    Showdown,
    WagerName,
)
from round_engine.wagers.registry import METERED, SETTLED, SHOWDOWNS, TABLED, WAGERS

FORMAT = 1
REQUIRED_CLAUSES = ("placed", "play_placed", "tip_placed", "forfeited", "misdeal")
PROGRESSIVE_CLAUSES = (
    "collected", "contributed", "reserved", "meter_award", "tray_award", "reseeded", "adjusted", "envy", "lost",
)  # fmt: skip

ADDED_LATER = ("several_meter_wins", "backed_out_envy")
"""Settings that a file written before them need not have: their defaults are what was done before."""

# The lowest hand of each "x high": x-3-2 of three suits, but A-4-2, because A-3-2 is a straight, as 4-3-2 is.
_LOWEST_HIGH = {f"{RANK_NAMES[high]} high": (high, 2 if high == 12 else 1, 0) for high in range(3, 13)}
_SUITS_APART = (2, 1, 0)

_ODDS = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+) (to|for) (\d+)")
_METER = re.compile(r"(\d+)% of meter")


def parse_rule_set(document: RuleDocument) -> RuleSet:
    """The whole rule set of a merged document."""
    top = RuleSection(document, (), document.data)
    if (form := top.take("format")) != FORMAT:
        top.refuse(f"format {form!r} is not known; this version reads format {FORMAT}", "format")
    top.choice("kind", ["rule-set"])
    identity = {key: top.text(key) for key in ("id", "title", "document")}

    game = top.section("game")
    least_hand = _qualifier(game.section("dealer_qualifies"))
    dealing = _dealing(game.section("dealing"))
    spots = game.section("spots_per_player")
    most_spots, adjacent = spots.whole("most", 1, MOST_SEATS), spots.flag("adjacent", False)
    spots.text("clause")
    spots.finish()
    ceiling = game.section("limit_ceiling")
    ceiling_required = ceiling.flag("needed")
    ceiling.text("clause")
    ceiling.finish()
    game.finish()

    showdown = _showdowns(top.section("showdown"))
    limits = parse_limits(top.section("limits"))
    paytables = _paytables(top.section("paytables"), limits)
    designators = _designators(top.section("designators"), paytables) if "designators" in top.left else {}
    settings = _settings(top.section("settings"))
    clauses = _clauses(top.section("clauses"))
    systems = {wager: _systems(top.section(wager), wager) for wager in METERED if wager in top.left}
    house = parse_house(
        top.section("house"),
        paytables=paytables,
        designators=designators,
        systems=systems,
        dealing=dealing,
        most_spots=most_spots,
        fixed_limits=limits,
    )
    top.finish()
    progressives = {
        wager: systems[wager][house.systems[wager]] for wager in METERED if wager in house.paytables
    }
    for wager, rules in progressives.items():
        for table in paytables[wager].values():
            _check_meter_order(document, table, rules)
        table = paytables[wager][house.paytables[wager]]
        if table.contribution_bp + rules.reserve_bp > 10_000:
            document.refuse(("paytables", wager, table.id), f"contribution and reserve of {wager} exceed the wager")
    return RuleSet(
        **identity,
        least_qualifying_hand=least_hand,
        showdown=showdown,
        paytables=paytables,
        designators=designators,
        dealing=dealing,
        spots_per_player_most=most_spots,
        spots_adjacent=adjacent,
        ceiling_required=ceiling_required,
        clauses=clauses,
        settings=settings,
        house=house,
        progressives=progressives,
    )


def _clauses(section: RuleSection) -> Mapping[str, str]:
    cap = section.text("cap", "house setting")
    lost = {name: section.text(name) for name in SETTLED if name in section.left}
    return {**_texts(section, REQUIRED_CLAUSES), **lost, "cap": cap}


def _texts(section: RuleSection, keys: Iterable[str]) -> Mapping[str, str]:
    texts = {key: section.text(key) for key in keys}
    section.finish()
    return texts


def _qualifier(section: RuleSection) -> tuple[Card, Card, Card]:
    text = section.text("with")
    section.text("clause")
    section.finish()
    if text == "pair":  # the lowest: 2-2-3
        return Card(2 * 13), Card(13), Card(1)
    ranks = _LOWEST_HIGH.get("five high" if text == "any hand" else text)
    if ranks is None:
        words = ", ".join(f'"{known}"' for known in _LOWEST_HIGH)
        section.refuse(f'the dealer qualifies with {words}, "pair" or "any hand", not with {text!r}', "with")
    one, two, three = (Card(suit * 13 + rank) for suit, rank in zip(_SUITS_APART, ranks, strict=True))
    return one, two, three


def _dealing(section: RuleSection) -> tuple[Dealing, ...]:
    offers = section.take("offers")
    if not isinstance(offers, list) or not offers or any(way not in get_args(Dealing) for way in offers):
        section.refuse(f"{section.title}.offers lists some of {', '.join(get_args(Dealing))}", "offers")
    section.text("clause")
    section.finish()
    return tuple(offers)


def _showdowns(section: RuleSection) -> dict[WagerName, Mapping[Showdown, PayRow]]:
    both: dict[WagerName, Mapping[Showdown, PayRow]] = {}
    for wager in SHOWDOWNS:
        inner = section.section(wager)
        rows = {result: _row(inner.section(result), result) for result in Showdown}
        inner.finish()
        for result, row in rows.items():
            if row.pay not in (Pay.TO_ONE, Pay.PUSH, Pay.NOTHING):
                inner.refuse(f'{inner.title}.{result} must pay "x to 1", "push" or "nothing", not "{row}"', result)
        both[wager] = rows
    section.finish()
    return both


def _row(section: RuleSection, hand: str, clause: str = "") -> PayRow:
    """A row cites its own clause where it has one, else that of its table."""
    text = section.text("pays")
    pay, value, per = _pay(section, text)
    least_high = None
    if hand is Hand.TOP_STRAIGHT_FLUSH:
        rank = section.text("from")
        if len(rank) != 1 or rank not in RANKS[1:]:
            section.refuse(f"{section.title}.from must be a rank from 3 to A, not {rank!r}", "from")
        least_high = RANKS.index(rank)
    envy = section.money("envy") if "envy" in section.left else Cents(0)
    if not clause or "clause" in section.left:
        clause = section.text("clause")
    row = PayRow(hand=hand, pay=pay, value=value, per=per, clause=clause, envy=envy, least_high=least_high)
    section.finish()
    return row


def _pay(section: RuleSection, text: str) -> tuple[Pay, int, int]:
    if found := _ODDS.fullmatch(text):
        value, per = int(found[1].replace(",", "")), int(found[3])
        if per == 0 or value == 0:
            section.refuse(f'"{text}" pays nothing or divides by zero; write "nothing"', "pays")
        return (Pay.TO_ONE if found[2] == "to" else Pay.FOR_ONE), value, per
    if found := _METER.fullmatch(text):
        if not 0 < int(found[1]) <= 100:
            section.refuse(f'"{text}": from 1% to 100% of a meter can be paid', "pays")
        return Pay.METER, int(found[1]), 1
    if text.startswith("$"):
        try:
            return Pay.AMOUNT, parse_dollars(text), 1
        except MoneyError as error:
            section.refuse(f"{section.title}.pays: {error}", "pays")
    if text in (Pay.PUSH, Pay.NOTHING):
        return Pay(text), 0, 1
    known = '"40 to 1", "500 for 1", "100% of meter", "$50", "push", "nothing"'
    return section.refuse(f"{section.title}.pays: {text!r} is none of {known}", "pays")


def _paytables(section: RuleSection, limits: Mapping[WagerName, Limit]) -> dict[WagerName, Mapping[str, Paytable]]:
    tables: dict[WagerName, Mapping[str, Paytable]] = {}
    for wager in TABLED:
        if wager in section.left:
            inner = section.section(wager)
            most = limits.get(wager, Limit()).maximum
            tables[wager] = {name: _paytable(one, wager, name, most) for name, one in inner.sections()}
    section.finish()
    return tables


def _paytable(section: RuleSection, wager: WagerName, name: str, most: Cents | None) -> Paytable:
    clause = section.text("clause")
    contribution = section.basis_points("contribution") if wager in METERED else 0
    rows: list[PayRow] = []
    for hand, required in WAGERS[wager].ladder:
        if hand not in section.left:
            if required:
                section.refuse(f'{section.title} lacks the row {hand}; a hand that pays nothing says so: "nothing"')
            continue
        row = _row(section.section(hand), hand, clause)
        _check_row(section, wager, row)
        _check_order(section, rows, row, most)
        rows.append(row)
    section.finish()
    return Paytable(id=name, wager=wager, rows=tuple(rows), clause=clause, contribution_bp=contribution)


def _check_row(section: RuleSection, wager: WagerName, row: PayRow) -> None:
    if problem := WAGERS[wager].check_row(row):
        section.refuse(f"{section.title}.{row.hand}: {problem}", row.hand)


def _check_order(section: RuleSection, above: list[PayRow], row: PayRow, most: Cents | None) -> None:
    """Refuse a lower hand that pays more than a higher one, at any stake up to the most that the rules allow."""
    if row.hand is Hand.DEALER_NOT_BEATEN:
        return
    for higher in above:
        if higher.pay is Pay.NOTHING and row.wins:
            section.refuse(f"{section.title}: {row.hand} pays {row}, but the higher {higher.hand} nothing", row.hand)
        if Pay.METER in (higher.pay, row.pay) and higher.pay is not row.pay:
            continue  # what a meter pays depends on its seed: `_check_meter_order`
        if higher.pay is Pay.AMOUNT and row.pay is Pay.TO_ONE and (most is None or row.paid(most) > higher.value):
            section.refuse(
                f"{section.title}: {higher.hand} pays {higher} and the lower {row.hand} {row}, which is more on a "
                "large stake: pay both by odds or both by fixed sums, or set a lower maximum",
                row.hand,
            )
        if _returned(row) > _returned(higher):
            section.refuse(f"{section.title}: {row.hand} pays {row}, more than {higher.hand} with {higher}", row.hand)


def _returned(row: PayRow, seed: int = 100) -> Fraction:
    """What comes back for a wager of $1, in cents; a share of a meter that stands at so many."""
    if row.pay in (Pay.TO_ONE, Pay.FOR_ONE):
        return row.odds * 100 + (100 if row.returns_stake else 0)
    return Fraction(seed * row.value, 100) if row.pay is Pay.METER else Fraction(row.value)


def _check_meter_order(document: RuleDocument, table: Paytable, rules: ProgressiveRules) -> None:
    """The same across shares of a meter, which is worth its seed at least, and all other pays."""
    for at, row in enumerate(table.rows):
        for higher in table.rows[:at]:
            if row.wins and higher.wins and _returned(row, rules.seed) > _returned(higher, rules.seed):
                document.refuse(
                    ("paytables", table.wager, table.id, row.hand),
                    f"paytables.{table.wager}.{table.id}: {row.hand} pays {row}, more than {higher.hand} with {higher} "
                    f"of a meter at its seed of {dollars(rules.seed)}",
                )


def _designators(
    section: RuleSection, paytables: Mapping[WagerName, Mapping[str, Paytable]]
) -> dict[str, Mapping[WagerName, str]]:
    names: dict[str, Mapping[WagerName, str]] = {}
    for name, inner in section.sections():
        names[name] = {
            wager: inner.choice(wager, paytables[wager]) for wager in TABLED if wager in inner.left
        }
        inner.finish()
    return names


_SETTING_TYPES = get_type_hints(Settings)
_PROGRESSIVE_TYPES = get_type_hints(ProgressiveRules)


def _settings(section: RuleSection) -> Settings:
    values: dict[str, Any] = {}
    for item in fields(Settings):
        if item.name in ("cap_counts_stakes", "cap_order", "cap_counts_awards") and item.name not in section.left:
            continue  # they mean something only where there is a cap
        if item.name == "cap":
            values["cap"] = None if section.left.get("cap") == "none" else section.money("cap")
            section.left.pop("cap", None)
        elif item.name == "settlement_order":
            values[item.name] = _settlement_order(section)
        elif item.name == "alive_after_fold":
            inner = section.section(item.name)
            values[item.name] = tuple(name for name in WAGERS if name in inner.left and inner.flag(name))
            inner.finish()
        else:
            values[item.name] = _typed(section, item.name, _SETTING_TYPES[item.name])
    section.finish()
    if values["cap"] is not None and values["cap"] == 0:
        section.refuse('settings.cap of $0 would pay nothing; write "none" for no cap', "cap")
    return Settings(**values)


def _typed(section: RuleSection, key: str, kind: Any) -> Any:
    if kind is bool:
        return section.flag(key)
    if get_origin(kind) is Literal:
        return section.choice(key, get_args(kind))
    if key == "keypad":
        return section.choice(key, DIALECTS)
    return section.money(key)


def _settlement_order(section: RuleSection) -> tuple[WagerName, ...]:
    order = section.take("settlement_order")
    if not isinstance(order, list) or len(set(map(str, order))) != len(order) or set(map(str, order)) - set(SETTLED):
        section.refuse(
            f"settings.settlement_order names some of {', '.join(SETTLED)}, each once; others come last",
            "settlement_order",
        )
    return tuple(order)


def _systems(section: RuleSection, wager: WagerName) -> dict[str, ProgressiveRules]:
    """Each system of a progressive wager: what they share, overlaid with what is the system's own."""
    shared = dict(section.left)
    shared.pop("systems", None)
    every = section.section("systems")
    section.left.clear()
    systems: dict[str, ProgressiveRules] = {}
    for name, inner in every.sections():
        own = dict(inner.left)
        merged = {**shared, **own}
        merged["clauses"] = {**shared.get("clauses", {}), **own.get("clauses", {})}
        one = Overlay(section.document, inner.path, section.path, merged, own)
        systems[name] = _progressive(one, wager)
    if not systems:
        every.refuse(f"{every.title} lacks a system")
    return systems


def _progressive(section: RuleSection, wager: WagerName) -> ProgressiveRules:
    clauses = _texts(section.section("clauses"), PROGRESSIVE_CLAUSES)
    denomination = section.money("denomination")
    if denomination == 0:
        section.refuse(f"{section.title}.denomination of $0 is no wager", "denomination")
    seed = section.money("seed")
    if section.flag("seed_multiplies"):
        seed = Cents(seed * denomination // 100)
    reserve = section.basis_points("reserve")
    values = {
        item.name: _typed(section, item.name, _PROGRESSIVE_TYPES[item.name])
        for item in fields(ProgressiveRules)
        if item.name not in ("wager", "denomination", "seed", "reserve_bp", "clauses")
        and (item.name in section.left or item.name not in ADDED_LATER)
    }
    section.finish()
    return ProgressiveRules(
        wager=wager,
        denomination=denomination,
        seed=seed,
        reserve_bp=reserve,
        clauses=clauses,
        **values,
    )

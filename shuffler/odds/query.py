"""One question about odds and its answer; reads rule files, prints nothing."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from round_engine import rulebook
from round_engine.errors import MoneyError, RuleError, RuleFileError
from round_engine.money import Cents, dollars, parse_dollars
from round_engine.odds import (
    PRINTED_OTHERS,
    TABLE_OF_WAGER,
    AnteGame,
    WagerOdds,
    compare,
    odds_of,
    parse_changes,
    together_odds,
    wagers_of,
)
from round_engine.ruleset import Pay, RuleSet, Wager
from round_engine.strategy import Strategy, parse
from shuffler.odds import tables
from shuffler.tables import Table

OPTIMAL = "optimal"
COMPARED = ("always", "Q-3-2", "Q-6-4", "K-3-2", "pair", "never")
PRINTED_RULES = "light-and-wonder"
"""The rule set with every paytable that the printed figures speak of, once the bad beat is laid over it."""
METERED = (Wager.PROGRESSIVE, Wager.BAD_BEAT)
DETAILED = 4
"""Up to so many wagers are shown with all their outcomes unasked."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """What the user asks; texts as typed."""

    rules: tuple[str, ...] = ()
    wagers: tuple[str, ...] = ()
    paytable: str | None = None
    stake: str | None = None
    strategy: str = OPTIMAL
    strategies: bool = False
    others: int = PRINTED_OTHERS
    meter: str | None = None
    together: str | None = None
    change: tuple[str, ...] = ()
    changes: Path | None = None
    side: tuple[str, ...] = ()
    printed: bool = False
    detail: bool = False

    @property
    def what_if(self) -> tuple[str, ...]:
        """The changes in the user's words."""
        return (*self.change, *((str(self.changes),) if self.changes is not None else ()))


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The same figures for people and for programs."""

    tables: tuple[Table, ...]
    data: list[dict[str, Any]]
    odds: tuple[WagerOdds, ...] = ()
    left_out: tuple[str, ...] = ()
    """Wagers that the question did not name and that cannot be answered, each with the reason."""


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """A rule set, the wagers of it that are asked for, and where it came from."""

    source: str
    sides: tuple[str, ...]
    rules: RuleSet
    wagers: tuple[Wager, ...]


def answer(query: Query) -> Answer:
    """Find the rules, count, and put the figures into tables and data."""
    if query.printed:
        comparisons = compare(rulebook.load(PRINTED_RULES, sides=rulebook.SIDE_WAGERS))
        return Answer(tables=(tables.printed(comparisons),), data=[tables.comparison_json(one) for one in comparisons])
    layouts = _layouts(query)
    if query.together is not None:
        return _together(query, layouts)
    if query.strategies:
        return _strategies(query, layouts)
    before, left_out = _all_odds(query, layouts)
    if query.what_if:
        after, also_left_out = _all_odds(query, [_changed(query, layout) for layout in layouts])
        return _before_and_after(query, before, after, left_out=(*left_out, *also_left_out))
    return Answer(
        tables=_shown(query, before),
        data=[tables.as_json(odds) for odds in before],
        odds=tuple(before),
        left_out=left_out,
    )


# Rules and wagers.


def _layouts(query: Query) -> list[_Layout]:
    wanted = _wagers(query.wagers)
    names = query.rules or (*rulebook.RULE_SETS, *rulebook.SIDE_WAGERS)
    found = [layout for name in names if (layout := _layout(name, query, wanted)).wagers]
    if not found:
        raise RuleError(f"none of {', '.join(names)} has {', '.join(wanted)}")
    if query.paytable is None:
        return found
    fitting = [
        replace(layout, wagers=wagers)
        for layout in found
        if (wagers := tuple(wager for wager in layout.wagers if _has_table(layout.rules, wager, query.paytable)))
    ]
    if not fitting:
        offered = sorted({name for layout in found for wager in layout.wagers for name in _tables(layout.rules, wager)})
        raise RuleError(f"there is no paytable {query.paytable} here; there are {', '.join(offered)}")
    return fitting


def _layout(name: str, query: Query, wanted: Sequence[Wager]) -> _Layout:
    if name in rulebook.SIDE_WAGERS:
        base = rulebook.load(PRINTED_RULES)
        rules = replace(rulebook.load(PRINTED_RULES, sides=[name]), id=name)
        own = tuple(wager for wager in wagers_of(rules) if wager not in wagers_of(base))
        return _Layout(source=PRINTED_RULES, sides=(name,), rules=rules, wagers=_among(own, wanted))
    sides = query.side
    rules = rulebook.load(name, sides=sides)
    if Wager.BAD_BEAT in wanted and Wager.BAD_BEAT not in wagers_of(rules) and query.rules:
        sides = (*sides, *rulebook.SIDE_WAGERS)
        rules = rulebook.load(name, sides=sides)
    return _Layout(source=name, sides=sides, rules=rules, wagers=_among(wagers_of(rules), wanted))


def _wagers(texts: Iterable[str]) -> tuple[Wager, ...]:
    known = {wager.value: wager for wager in TABLE_OF_WAGER}
    names = [text.strip().lower().replace("-", "_").replace(" ", "_") for text in texts]
    for name in names:
        if name not in known:
            also = " (ante includes play and ante bonus)" if name in ("play", "ante_bonus") else ""
            raise RuleError(f"{name!r} is no wager with odds of its own; there are {', '.join(known)}{also}")
    return tuple(known[name] for name in names)


def _among(offered: Iterable[Wager], wanted: Sequence[Wager]) -> tuple[Wager, ...]:
    return tuple(wager for wager in offered if not wanted or wager in wanted)


def _tables(rules: RuleSet, wager: Wager) -> tuple[str, ...]:
    return tuple(rules.paytables[TABLE_OF_WAGER[wager]])


def _has_table(rules: RuleSet, wager: Wager, paytable: str) -> bool:
    return paytable in _tables(rules, wager) or TABLE_OF_WAGER[wager] in rules.designators.get(paytable, {})


def _changed(query: Query, layout: _Layout) -> _Layout:
    changes = parse_changes(query.change, layout.rules)
    if query.changes is not None:
        changes = {**_read_changes(query.changes), **changes}
    rules = replace(rulebook.load(layout.source, sides=layout.sides, changes=changes), id=layout.rules.id)
    return replace(layout, rules=rules)


def _read_changes(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RuleFileError(str(path), None, f"cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise RuleFileError(str(path), None, f"not valid TOML: {error}") from None


# Figures.


def _all_odds(query: Query, layouts: Iterable[_Layout]) -> tuple[list[WagerOdds], tuple[str, ...]]:
    """The figures, and why some are missing: a stake that a wager does not take matters where the wager was named."""
    stake = None if query.stake is None else money(query.stake, "stake")
    if stake == 0:
        raise RuleError("a stake is more than $0")
    strategy = _strategy(query.strategy)
    every: list[WagerOdds] = []
    left_out: list[RuleError] = []
    for layout in layouts:
        for wager in layout.wagers:
            try:
                rules = _with_denomination(layout, wager, stake)
                every += odds_of(
                    rules, wager, query.paytable, stake=stake, strategy=strategy, others=query.others
                )
            except RuleError as error:
                if query.wagers:
                    raise
                left_out.append(error)
    if left_out and not every:
        raise left_out[0]
    return every, tuple(map(str, left_out))


def _with_denomination(layout: _Layout, wager: Wager, stake: Cents | None) -> RuleSet:
    """The rules as they are, or reloaded with the stake as the meter's denomination where awards grow with it."""
    how = layout.rules.progressives.get(wager)
    fixed = any(row.pay is Pay.AMOUNT for table in layout.rules.paytables.get(wager, {}).values() for row in table.rows)
    if how is None or stake is None or fixed or stake == how.denomination:
        return layout.rules
    changes = {wager.value: {"denomination": dollars(stake)}}
    return replace(rulebook.load(layout.source, sides=layout.sides, changes=changes), id=layout.rules.id)


def _strategy(text: str) -> Strategy | None:
    return None if text.strip().lower() == OPTIMAL else parse(text)


def money(text: str, what: str) -> Cents:
    """`10`, `$10` or `10.50` as cents."""
    try:
        return parse_dollars("$" + text.strip().removeprefix("$"))
    except MoneyError:
        raise MoneyError(f"{what} {text!r} is not an amount of dollars such as 5, $5 or 1,000.50") from None


# Answers.


def _shown(query: Query, every: list[WagerOdds]) -> tuple[Table, ...]:
    shown = [tables.overview(every)]
    if query.detail or len(every) <= DETAILED:
        for odds in every:
            shown.append(tables.detail(odds))
            if odds.meter is not None:
                shown.append(tables.meter(odds, None if query.meter is None else money(query.meter, "meter")))
    elif query.meter is not None:
        at = money(query.meter, "meter")
        shown += [tables.meter(odds, at) for odds in every if odds.meter is not None]
    return tuple(shown)


def _before_and_after(
    query: Query, before: list[WagerOdds], after: list[WagerOdds], left_out: tuple[str, ...]
) -> Answer:
    if [(odds.wager, odds.paytable) for odds in before] != [(odds.wager, odds.paytable) for odds in after]:
        raise RuleError("the change adds or removes paytables; give both rule sets with --rules instead")
    data = [
        {"variant": variant, **tables.as_json(odds)}
        for variant, every in (("before", before), ("after", after))
        for odds in every
    ]
    return Answer(tables=(tables.changed(before, after, query.what_if),), data=data, left_out=left_out)


def _strategies(query: Query, layouts: Iterable[_Layout]) -> Answer:
    shown: list[Table] = []
    data: list[dict[str, Any]] = []
    compared = [parse(text) for text in COMPARED]
    own = _strategy(query.strategy)
    if own is not None and own.plays not in [strategy.plays for strategy in compared]:
        compared.insert(0, own)
    for layout in layouts:
        offered = layout.rules.paytables[Wager.ANTE_BONUS]
        named = layout.rules.designators.get(query.paytable or "", {}).get(Wager.ANTE_BONUS, query.paytable)
        if Wager.ANTE not in layout.wagers:
            continue
        for table in offered.values() if named is None else (offered[named],):
            game = AnteGame(layout.rules, table)
            shown.append(tables.strategies(layout.rules, game, compared))
            data += [tables.as_json(game.odds(strategy)) for strategy in (None, *compared)]
    if not shown:
        raise RuleError("strategies decide the ante; leave out --wager or name ante")
    return Answer(tables=tuple(shown), data=data)


def _together(query: Query, layouts: Sequence[_Layout]) -> Answer:
    if len(layouts) != 1:
        raise RuleError("--together needs one rule set: add --rules NAME")
    (layout,) = layouts
    chosen: Mapping[Wager, str] = layout.rules.designators.get(query.paytable or "", {})
    every = together_odds(
        layout.rules, _stakes(query.together or ""), tables=chosen, strategy=_strategy(query.strategy)
    )
    return Answer(tables=(tables.together(every),), data=[tables.together_json(every)])


def _stakes(text: str) -> dict[Wager, Cents]:
    stakes: dict[Wager, Cents] = {}
    for part in text.split(","):
        name, equals, amount = part.partition("=")
        if not equals:
            raise RuleError(f"{part!r} is no stake: write them as ante=10,pair_plus=5")
        (wager,) = _wagers([name])
        if wager in stakes:
            raise RuleError(f"{wager} has two stakes")
        stakes[wager] = money(amount, f"stake of {wager}")
    return stakes

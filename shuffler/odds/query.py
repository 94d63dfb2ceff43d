"""One question about odds and its answer; reads rule files, prints nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from round_engine.errors import MoneyError, RuleError, RuleFileError
from round_engine.hands.strategy import Strategy, parse
from round_engine.money import Cents, dollars, parse_dollars
from round_engine.odds import (
    PRINTED_OTHERS,
    TABLE_OF_WAGER,
    AnteGame,
    Mix,
    WagerOdds,
    compare,
    odds_of,
    parse_changes,
    wagers_of,
)
from round_engine.odds.catalogue import ante_tables
from round_engine.odds.stakes import real_stake
from round_engine.rules import rulebook
from round_engine.rules.document import parse_toml
from round_engine.rules.ruleset import Pay, RuleSet, WagerName
from round_engine.wagers import METERED, WAGERS
from round_engine.wagers.ante import ANTE
from shuffler.odds import tables
from shuffler.odds.text_tables import TextTable
from strict_toml import read_source

OPTIMAL = "optimal"
COMPARED = ("always", "Q-3-2", "Q-6-4", "K-3-2", "pair", "never")
PRINTED_RULES = "light-and-wonder"
"""The rule set with every paytable that the printed figures speak of, once the bad beat is laid over it."""
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
    others: int | None = None
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

    tables: tuple[TextTable, ...]
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
    wagers: tuple[WagerName, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)

    def reloaded(self, more: Mapping[str, Any]) -> "_Layout":
        """The same with changes laid over those it has."""
        changes = _merged(self.changes, more)
        rules = replace(rulebook.load(self.source, sides=self.sides, changes=changes), id=self.rules.id)
        return replace(self, rules=rules, changes=changes)


def answer(query: Query) -> Answer:
    """Find the rules, count, and put the figures into tables and data."""
    _verify_combined(query)
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


# What can be asked together.

TAKES = {
    "--printed": frozenset[str](),
    "--together": frozenset({"rules", "paytable", "strategy", "others", "meter", "change", "changes", "side"}),
    "--strategies": frozenset({"rules", "wagers", "paytable", "stake", "strategy", "change", "changes", "side"}),
}
"""The options that each kind of question takes beside its own; a plain question takes all but these three."""
_SPELLED = {"change": "--set", "wagers": "--wager", "detail": "--detail"}


def _verify_combined(query: Query) -> None:
    """Refuse an option that the question would not heed."""
    kinds = [f"--{name}" for name in ("printed", "together", "strategies") if getattr(query, name) not in (None, False)]
    if len(kinds) > 1:
        raise RuleError(f"{' and '.join(kinds)} are different questions: ask one at a time")
    if not kinds:
        return
    plain = Query()
    for item in fields(Query):
        if f"--{item.name}" == kinds[0] or getattr(query, item.name) == getattr(plain, item.name):
            continue
        if item.name not in TAKES[kinds[0]]:
            raise RuleError(f"{_SPELLED.get(item.name, '--' + item.name)} means nothing with {kinds[0]}: leave it out")


# Rules and wagers.


def _layouts(query: Query) -> list[_Layout]:
    wanted = _wagers(query.wagers) or tuple(stakes_of(query.together) if query.together is not None else ())
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


def _layout(name: str, query: Query, wanted: Sequence[WagerName]) -> _Layout:
    if name in rulebook.SIDE_WAGERS:
        base = rulebook.load(PRINTED_RULES)
        rules = replace(rulebook.load(PRINTED_RULES, sides=[name]), id=name)
        own = tuple(wager for wager in wagers_of(rules) if wager not in wagers_of(base))
        return _Layout(source=PRINTED_RULES, sides=(name,), rules=rules, wagers=_among(own, wanted))
    sides = query.side
    rules = rulebook.load(name, sides=sides)
    for side in rulebook.SIDE_WAGERS if query.rules else ():
        added = rulebook.load(name, sides=(*sides, side))
        if any(wager in wanted for wager in wagers_of(added) if wager not in wagers_of(rules)):
            sides, rules = (*sides, side), added
    return _Layout(source=name, sides=sides, rules=rules, wagers=_among(wagers_of(rules), wanted))


def _wagers(texts: Iterable[str]) -> tuple[WagerName, ...]:
    known = tuple(TABLE_OF_WAGER)
    names = [text.strip().lower().replace("-", "_").replace(" ", "_") for text in texts]
    for name in names:
        if name not in known:
            part_of = WAGERS[name].judged_with if name in WAGERS else ""
            also = f" ({part_of} includes {name.replace('_', ' ')})" if part_of else ""
            raise RuleError(f"{name!r} is no wager with odds of its own; there are {', '.join(known)}{also}")
    return tuple(names)


def _among(offered: Iterable[WagerName], wanted: Sequence[WagerName]) -> tuple[WagerName, ...]:
    return tuple(wager for wager in offered if not wanted or wager in wanted)


def _tables(rules: RuleSet, wager: WagerName) -> tuple[str, ...]:
    return tuple(rules.paytables.get(TABLE_OF_WAGER[wager], {}))


def _has_table(rules: RuleSet, wager: WagerName, paytable: str) -> bool:
    return paytable in _tables(rules, wager) or TABLE_OF_WAGER[wager] in rules.designators.get(paytable, {})


def _changed(query: Query, layout: _Layout) -> _Layout:
    changes = {} if query.changes is None else _read_changes(query.changes)
    return layout.reloaded(_merged(changes, parse_changes(query.change, layout.rules)))


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """One mapping of changes laid over another, table by table."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(below, value) if both else value  # type: ignore[arg-type]
    return merged


def _read_changes(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_source(path, RuleFileError))
    except FileNotFoundError:
        raise RuleFileError(str(path), None, "there is no such file") from None


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
                    rules, wager, query.paytable, stake=stake, strategy=strategy, others=_others(query)
                )
            except RuleError as error:
                if query.wagers:
                    raise
                left_out.append(error)
    if left_out and not every:
        raise left_out[0]
    return every, tuple(map(str, left_out))


def _with_denomination(layout: _Layout, wager: WagerName, stake: Cents | None) -> RuleSet:
    """The rules as they are, or reloaded with the stake as the meter's denomination where awards grow with it."""
    how = layout.rules.progressives.get(wager)
    fixed = any(row.pay is Pay.AMOUNT for table in layout.rules.paytables.get(wager, {}).values() for row in table.rows)
    if how is None or stake is None or fixed or stake == how.denomination:
        return layout.rules
    return layout.reloaded({wager: {"denomination": dollars(stake)}}).rules


def _others(query: Query) -> int:
    return PRINTED_OTHERS if query.others is None else query.others


def _strategy(text: str) -> Strategy | None:
    return None if text.strip().lower() == OPTIMAL else parse(text)


def money(text: str, what: str) -> Cents:
    """`10`, `$10` or `10.50` as cents."""
    try:
        return parse_dollars("$" + text.strip().removeprefix("$"))
    except MoneyError:
        raise MoneyError(f"{what} {text!r} is not an amount of dollars such as 5, $5 or 1,000.50") from None


# Answers.


def _shown(query: Query, every: list[WagerOdds]) -> tuple[TextTable, ...]:
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


def _variants(query: Query, layouts: Sequence[_Layout]) -> list[tuple[str, _Layout]]:
    """The layouts as they are, and what they become where something is to be changed."""
    before = [("", layout) for layout in layouts]
    if not query.what_if:
        return before
    told = f", after {', '.join(query.what_if)}"
    return [(", before", layout) for layout in layouts] + [(told, _changed(query, layout)) for layout in layouts]


def _strategies(query: Query, layouts: Sequence[_Layout]) -> Answer:
    shown: list[TextTable] = []
    data: list[dict[str, Any]] = []
    compared = [parse(text) for text in COMPARED]
    own = _strategy(query.strategy)
    if own is not None and own.plays not in [strategy.plays for strategy in compared]:
        compared.insert(0, own)
    stake = None if query.stake is None else money(query.stake, "stake")
    for variant, layout in _variants(query, layouts):
        if ANTE.name not in layout.wagers:
            continue
        for table in ante_tables(layout.rules, query.paytable):
            at = None if stake is None else real_stake(layout.rules, ANTE.name, stake)
            game = AnteGame(layout.rules, table, at)
            shown.append(_retitled(tables.strategies(layout.rules, game, compared), variant))
            data += [_variant(variant) | tables.as_json(game.odds(strategy)) for strategy in (None, *compared)]
    if not shown:
        raise RuleError("strategies decide the ante; leave out --wager or name ante")
    return Answer(tables=tuple(shown), data=data)


def _retitled(table: TextTable, variant: str) -> TextTable:
    return replace(table, title=table.title + variant)


def _variant(told: str) -> dict[str, str]:
    return {"variant": "before" if told == ", before" else "after"} if told else {}


def _together(query: Query, layouts: Sequence[_Layout]) -> Answer:
    shown: list[TextTable] = []
    data: list[dict[str, Any]] = []
    for variant, layout in _variants(query, [one_layout(layouts)]):
        every = mix(query, layout.rules).odds
        shown.append(_retitled(tables.together(every), variant))
        data.append(_variant(variant) | tables.together_json(every))
    return Answer(tables=tuple(shown), data=data)


def one_layout(layouts: Sequence[_Layout]) -> _Layout:
    """The one rule set that stakes are put on."""
    if len(layouts) != 1:
        raise RuleError("--together needs one rule set: add --rules NAME")
    return layouts[0]


def mix(query: Query, rules: RuleSet) -> Mix:
    """The wagers of a question about several on one spot."""
    stakes = stakes_of(query.together or "")
    metered = [wager for wager in METERED if wager in stakes]
    if query.meter is not None and len(metered) != 1:
        raise RuleError("--meter says what one meter stands at: the stakes have " + (" and ".join(metered) or "none"))
    return Mix(
        rules,
        stakes,
        tables=_chosen_tables(query, rules, stakes),
        strategy=_strategy(query.strategy),
        meters={metered[0]: money(query.meter, "meter")} if query.meter is not None else None,
        others=_others(query) if metered else 0,
    )


def mix_of(query: Query) -> Mix:
    """The same with the rules found and changed as the question says."""
    layout = one_layout(_layouts(query))
    return mix(query, (_changed(query, layout) if query.what_if else layout).rules)


def _chosen_tables(query: Query, rules: RuleSet, stakes: Iterable[WagerName]) -> dict[WagerName, str]:
    """The paytable that is asked for, for every stake that has one of that name; a designator names two."""
    if query.paytable is None:
        return {}
    if query.paytable in rules.designators:
        return dict(rules.designators[query.paytable])
    return {
        TABLE_OF_WAGER[wager]: query.paytable
        for wager in stakes
        if query.paytable in rules.paytables.get(TABLE_OF_WAGER[wager], {})
    }


def stakes_of(text: str) -> dict[WagerName, Cents]:
    """`ante=10,pair_plus=5` as cents by wager."""
    stakes: dict[WagerName, Cents] = {}
    for part in text.split(","):
        name, equals, amount = part.partition("=")
        if not equals:
            raise RuleError(f"{part!r} is no stake: write them as ante=10,pair_plus=5")
        (wager,) = _wagers([name])
        if wager in stakes:
            raise RuleError(f"{wager} has two stakes")
        stakes[wager] = money(amount, f"stake of {wager}")
    return stakes

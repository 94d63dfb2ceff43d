"""`pair_plus.flush=3` and the like: a short way to say what a rule file would say, for rules that are to be changed."""

from collections.abc import Iterable
from typing import Any

from round_engine.errors import RuleError
from round_engine.odds.catalogue import TABLE_OF_WAGER
from round_engine.rules.ruleset import Pay, RuleSet, WagerName
from round_engine.wagers.registry import WAGERS

_KINDS = {Pay.TO_ONE: "{} to 1", Pay.FOR_ONE: "{} for 1", Pay.METER: "{}% of meter", Pay.AMOUNT: "${}"}


def parse_changes(texts: Iterable[str], rules: RuleSet) -> dict[str, Any]:
    """Changes in the shape of a rule file.

    `WAGER.ROW=PAYS` changes that row on every paytable of the wager, `WAGER.TABLE.ROW=PAYS` on one; PAYS is written as
    in a rule file ("3 to 1", "nothing") or as a bare number, which keeps the row's kind of pay. `.envy` after a row and
    `contribution` in a row's place change those. Any other dotted path is a key of the rule file.
    """
    changes: dict[str, Any] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        keys = [key.strip() for key in path.split(".")]
        if not equals or not all(keys) or not value.strip():
            raise RuleError(f"{text!r} is no change: write it as pair_plus.flush=3 or settings.cap=$500")
        for full_path, full_value in _expand(keys, value.strip(), rules):
            _put(changes, full_path, full_value)
    if rules.settings.cap is None and "cap" in changes.get("settings", {}):
        _put(changes, ["clauses", "cap"], "changed")
    return changes


def _expand(keys: list[str], value: str, rules: RuleSet) -> list[tuple[list[str], Any]]:
    """One change as the paths of a rule file that it means."""
    table_wager = TABLE_OF_WAGER.get(keys[0], keys[0])
    if table_wager not in WAGERS or table_wager not in rules.paytables:
        return [(keys, _literal(value))]
    names, rest = _tables_named(keys[1:], rules, table_wager)
    rows = [str(hand) for hand, _ in WAGERS[table_wager].ladder]
    if rest == ["contribution"]:
        return [(["paytables", table_wager, name, "contribution"], value) for name in names]
    if not rest or rest[0] not in rows:
        if table_wager in rules.progressives and names == list(rules.paytables[table_wager]):
            return [(keys, _literal(value))]
        raise RuleError(f"{keys[0]} has no row {'.'.join(rest)!r}; it has {', '.join(rows)}")
    if len(rest) == 2 and rest[1] in ("envy", "from"):
        return [(["paytables", table_wager, name, rest[0], rest[1]], value) for name in names]
    if len(rest) != 1:
        raise RuleError(f"{'.'.join(keys)!r}: after a row come envy and from, nothing else")
    return [
        (["paytables", table_wager, name, rest[0], "pays"], _pays(value, rules, table_wager, name, rest[0]))
        for name in names
    ]


def _tables_named(keys: list[str], rules: RuleSet, wager: WagerName) -> tuple[list[str], list[str]]:
    """The paytables that the first key names, or all, and the keys that are left."""
    offered = rules.paytables[wager]
    if keys and keys[0] in offered:
        return [keys[0]], keys[1:]
    return list(offered), keys


def _pays(value: str, rules: RuleSet, wager: WagerName, table: str, hand: str) -> str:
    """A bare number keeps the row's kind of pay; a row that pays nothing yet takes the kind of its table."""
    if not value.replace(",", "").isdigit():
        return value
    if int(value.replace(",", "")) == 0:
        return Pay.NOTHING.value
    rows = rules.paytables[wager][table].rows
    kinds = [row.pay for row in rows if row.hand == hand and row.pay in _KINDS]
    kinds += [Pay.TO_ONE if any(row.pay is Pay.TO_ONE for row in rows) else Pay.FOR_ONE]
    return _KINDS[kinds[0]].format(value)


def _literal(value: str) -> Any:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdigit() else value


def _put(changes: dict[str, Any], path: list[str], value: Any) -> None:
    inner = changes
    for key in path[:-1]:
        inner = inner.setdefault(str(key), {})
        if not isinstance(inner, dict):
            raise RuleError(f"two changes contradict each other at {'.'.join(path)}")
    inner[str(path[-1])] = value

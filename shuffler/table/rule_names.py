"""A table's rules by one name, side wagers included, as a journal keeps it: `south-dakota+bad-beat`."""

from collections.abc import Iterable
from typing import Any

from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet

CEILING = "$300"  # for rule sets that need one and were given none; the figure is the house's to set
SIDE_MARK = "+"


def rules_by_name(name: str, *, keypad: str | None = None) -> RuleSet:
    """A rule set by name or file, with a ceiling where it needs one; raises the engine's errors.

    `keypad` names the progressive system where the rules offer several.
    """
    base, *sides = name.split(SIDE_MARK)
    house: dict[str, Any] = {} if keypad is None else {"systems": {"progressive": keypad}}
    chosen = load(base, sides=sides, changes={"house": house} if house else None)
    if chosen.ceiling_required and chosen.house.limit_ceiling is None:
        chosen = load(base, sides=sides, changes={"house": {**house, "limit_ceiling": CEILING}})
    return chosen


def with_sides(rules: str, sides: Iterable[str] | None) -> str:
    """One name for a rule set with its side wagers."""
    return SIDE_MARK.join((rules, *(sides or ())))

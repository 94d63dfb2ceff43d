"""docs/rules.md: its tables are made from code, rule files and tests; the rest of the page is written by hand."""

from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

from proofs import clauses
from proofs.pages.markdown import replaced, table
from round_engine.keypads import DIALECTS
from round_engine.money import dollars
from round_engine.round.course import MOVES
from round_engine.round.state import Phase
from round_engine.rules.rulebook import RULE_SETS, load
from round_engine.rules.ruleset import ProgressiveRules, RuleSet, Settings, WagerName
from round_engine.staff import StaffRole
from round_engine.staff.rights import MOVE_RIGHTS

PAGE = clauses.ROOT / "docs" / "rules.md"


def told(value: Any, key: str = "") -> str:
    """A setting's value as a rule file writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, int):
        return f"{value / 100:g}%" if key.endswith("_bp") else dollars(value)
    return str(value)


def values(hint: Any) -> str:
    """What a setting can be."""
    if hint is bool:
        return "true, false"
    if str(get_origin(hint)) == "typing.Literal":
        return ", ".join(get_args(hint))
    if get_origin(hint) is tuple:
        return "any order"
    return "dollars, none" if type(None) in get_args(hint) else "dollars"


def settings() -> str:
    """Every setting of the round with its value in each rule set."""
    loaded = [load(name) for name in RULE_SETS]
    hints = get_type_hints(Settings)
    rows = [
        [f"`{item.name}`", values(hints[item.name]), *(told(getattr(rules.settings, item.name)) for rules in loaded)]
        for item in fields(Settings)
    ]
    return table(["setting", "values", *(f"`{name}`" for name in RULE_SETS)], rows)


def progressive_settings() -> str:
    """Every setting of a progressive with its value on each system."""

    def on(name: str, wager: WagerName, **changes: Any) -> ProgressiveRules:
        rules: RuleSet = load(name, sides=["bad-beat"], changes=changes)
        return rules.progressives[wager]

    systems = {
        "South Dakota": on("south-dakota", "progressive"),
        "`game-manager`": on("light-and-wonder", "progressive"),
        "`nexus`": on("light-and-wonder", "progressive", house={"systems": {"progressive": "nexus"}}),
        "`bad-beat`": on("ten-dollar-house", "bad_beat"),
    }
    hints = get_type_hints(ProgressiveRules)
    rows = []
    for item in fields(ProgressiveRules):
        if item.name not in ("wager", "clauses"):
            name = item.name.replace("reserve_bp", "reserve")
            kinds = "percentage" if item.name == "reserve_bp" else values(hints[item.name])
            rows.append(
                [f"`{name}`", kinds, *(told(getattr(rules, item.name), item.name) for rules in systems.values())]
            )
    return table(["setting", "values", *systems], rows)


def moves() -> str:
    """Which operation is taken in which phase."""
    phases = [phase for phase in Phase if phase not in (Phase.CLOSED, Phase.VOID)]
    rows = [
        [f"`{kind.__name__}`", *("×" if phase in move.phases else "" for phase in phases)]
        for kind, move in MOVES.items()
    ]
    return table(["operation", *phases], rows)


def roles() -> str:
    """Which role each operation and each key belongs to, and the clause of every document."""
    staff = list(StaffRole)
    rows = [
        [f"`{kind.__name__}`", *("×" if role in held else "" for role in staff), statute.format(n="000"), two, four]
        for kind, (held, statute, two, four) in MOVE_RIGHTS.items()
    ]
    parts = [table(["operation", *staff, "000 (and 001)", "002, 003", "004"], rows)]
    for name, keys in ((dialect.name, dialect.rights) for dialect in DIALECTS.values()):
        rows = [
            [key, *("×" if role in held else "" for role in staff), own, other.format(n="000")]
            for key, (held, own, other) in keys.items()
        ]
        parts.append(f"**`{name}`**\n\n" + table(["key", *staff, "clause", "in South Dakota"], rows))
    return "\n\n".join(parts)


def keypads() -> str:
    """For each keypad, which key is taken in which mode."""
    parts = []
    for dialect in DIALECTS.values():
        rows = [
            [mode, *("" if isinstance(dialect.moves[mode, key], str) else "×" for key in dialect.keys)]
            for mode in dialect.modes
        ]
        parts.append(f"**`{dialect.name}`**\n\n" + table(["while", *dialect.keys], rows))
    return "\n\n".join(parts)


def page() -> str:
    """The page with its tables fresh; a clause that an engine can show and no test does is a refusal."""
    documents, tests = clauses.clauses(), clauses.collected()
    if wrong := clauses.problems(documents, tests):
        raise SystemExit("\n".join(wrong))
    parts = {
        "moves": moves(),
        "keypads": keypads(),
        "roles": roles(),
        "settings": settings(),
        "progressive settings": progressive_settings(),
        "clauses": clauses.render(documents, tests),
    }
    return replaced(PAGE.read_text(encoding="utf-8"), parts)

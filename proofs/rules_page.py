"""`python -m proofs.rules_page` writes the tables of docs/rules.md that are made from code, rule files and tests.

`--check` writes nothing and fails when the page is stale or a clause that an engine can show has no test.
"""

import argparse
import re
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

from proofs import clauses
from round_engine.keypads import DIALECTS
from round_engine.money import dollars
from round_engine.round import MOVES
from round_engine.round_state import Phase
from round_engine.rulebook import RULE_SETS, load
from round_engine.ruleset import ProgressiveRules, RuleSet, Settings, Wager

PAGE = clauses.ROOT / "docs" / "rules.md"


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join(["| " + " | ".join(row) + " |" for row in (columns, ["---"] * len(columns), *rows)])


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

    def on(name: str, wager: Wager, **changes: Any) -> ProgressiveRules:
        rules: RuleSet = load(name, sides=["bad-beat"], changes=changes)
        return rules.progressives[wager]

    systems = {
        "South Dakota": on("south-dakota", Wager.PROGRESSIVE),
        "`game-manager`": on("light-and-wonder", Wager.PROGRESSIVE),
        "`nexus`": on("light-and-wonder", Wager.PROGRESSIVE, house={"systems": {"progressive": "nexus"}}),
        "`bad-beat`": on("ten-dollar-house", Wager.BAD_BEAT),
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


def keypads() -> str:
    """For each keypad, which key is taken in which mode."""
    parts = []
    for dialect in DIALECTS.values():
        rows = [
            [mode.value, *("" if isinstance(dialect.moves[mode, key], str) else "×" for key in dialect.keys)]
            for mode in dialect.modes
        ]
        parts.append(f"**`{dialect.name}`**\n\n" + table(["while", *dialect.keys], rows))
    return "\n\n".join(parts)


def render(page: str, sections: dict[str, str]) -> str:
    """The page with each marked part replaced by its fresh one."""
    for name, text in sections.items():
        start, end = f"<!-- made: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(page):
            raise SystemExit(f"docs/rules.md has no place for {name}: {start} … {end}")
        page = pattern.sub(lambda _found, body=f"{start}\n\n{text}\n\n{end}": body, page)  # type: ignore[misc]
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the generated tables of docs/rules.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is stale")
    checking = parser.parse_args().check
    documents, tests = clauses.clauses(), clauses.collected()
    sections = {
        "moves": moves(),
        "keypads": keypads(),
        "settings": settings(),
        "progressive settings": progressive_settings(),
        "clauses": clauses.render(documents, tests),
    }
    page = PAGE.read_text(encoding="utf-8")
    fresh = render(page, sections)
    wrong = clauses.problems(documents, tests)
    if checking and fresh != page:
        wrong.append("docs/rules.md is stale: run `make docs`")
    if not checking:
        PAGE.write_text(fresh, encoding="utf-8")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()

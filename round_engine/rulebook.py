"""Where rule files are found: the ones this package ships, and the user's own by path. The only file here that reads.

A file either is whole (`kind = "rule-set"`) or starts with `extends = "some-id"` and says only what differs. A side
wager (`kind = "side-wager"`) is laid over a rule set by `sides`.
"""

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from round_engine.errors import RuleFileError
from round_engine.rule_document import Document, Source, parse_toml
from round_engine.rule_parse import parse_rule_set
from round_engine.ruleset import (
    Hand,
    House,
    Limit,
    Pay,
    PayRow,
    Paytable,
    ProgressiveRules,
    RuleSet,
    Settings,
    Showdown,
    Wager,
)

__all__ = [
    "RULE_SETS",
    "SIDE_WAGERS",
    "Hand",
    "House",
    "Limit",
    "Pay",
    "PayRow",
    "Paytable",
    "ProgressiveRules",
    "RuleSet",
    "Settings",
    "Showdown",
    "Wager",
    "load",
]

RULE_SETS = ("south-dakota", "south-dakota-2015", "ten-dollar-house", "light-and-wonder")
SIDE_WAGERS = ("bad-beat",)
_IDENTITY = ("extends", "format", "kind", "id", "title", "document")
_DEEPEST = 8  # files that extend files that extend files …


def load(
    source: str | Path, *, sides: Iterable[str | Path] = (), changes: Mapping[str, Any] | None = None
) -> RuleSet:
    """The rule set of that id or file, with side wagers added and keys changed.

    `changes` has the shape of a rule file: `{"house": {"designator": "TCP-05"}, "settings": {"cap": "$500"}}`.
    """
    document = Document()
    _add(document, source, "rule-set", _DEEPEST)
    for side in sides:
        _add(document, side, "side-wager", _DEEPEST)
    if changes:
        document.add_changes(changes, "changed settings")
    return parse_rule_set(document)


def _add(document: Document, source: str | Path, kind: str, depth: int) -> None:
    read = _read(source)
    data = parse_toml(read)
    here = Document()
    here.add(read)
    base = data.get("extends")
    if base is not None:
        if depth == 0:
            here.refuse(("extends",), f"more than {_DEEPEST} files extend one another")
        if not isinstance(base, str):
            here.refuse(("extends",), "extends must name a rule set or a file")
        nearby = Path(source).parent / base
        _add(document, nearby if base.endswith(".toml") else base, kind, depth - 1)
    elif data.get("kind") != kind:
        here.refuse(("kind",), f'kind must be "{kind}" here, not {data.get("kind")!r}')
    document.add(read, without=("extends",) if kind == "rule-set" else _IDENTITY)


def _read(source: str | Path) -> Source:
    if isinstance(source, str) and source in (*RULE_SETS, *SIDE_WAGERS):
        shipped = resources.files("round_engine") / "rules" / f"{source}.toml"
        return Source(f"{source}.toml", shipped.read_text(encoding="utf-8"))
    path = Path(source)
    if not path.suffix and not path.exists():
        known = ", ".join((*RULE_SETS, *SIDE_WAGERS))
        raise RuleFileError(str(source), None, f"there is no rule set of that name; there are {known}, or give a path")
    try:
        return Source(str(path), path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RuleFileError(str(path), None, f"cannot be read: {error}") from None

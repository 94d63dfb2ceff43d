"""Where rule files are found: the ones this package ships, and the user's own by path. The only file here that reads.

A file either is whole (`kind = "rule-set"`) or starts with `extends = "some-id"` and says only what differs. A side
wager (`kind = "side-wager"`) is laid over a rule set by `sides`.
"""

import re
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from round_engine.errors import RuleFileError
from round_engine.rules.document import RuleDocument, Source, parse_toml
from round_engine.rules.parse import parse_rule_set
from round_engine.rules.ruleset import (
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
    WagerName,
)
from strict_toml import read_source

__all__ = [
    "RULE_SETS",
    "SIDE_WAGERS",
    "VARIANTS",
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
    "WagerName",
    "load",
]

_SHIPPED = resources.files("round_engine") / "rules"
_KIND = re.compile(r'^(kind = "([a-z-]+)"|extends = )', re.MULTILINE)


def _named(kind: str | None) -> tuple[str, ...]:
    """The shipped files of one kind, by name; None for those that extend another."""
    texts = {
        path.name.removesuffix(".toml"): path.read_text(encoding="utf-8")
        for path in _SHIPPED.iterdir()
        if path.name.endswith(".toml")
    }
    found = {name: match[2] for name, text in texts.items() if (match := _KIND.search(text)) is not None}
    return tuple(sorted(name for name, its_kind in found.items() if its_kind == kind))


RULE_SETS, SIDE_WAGERS, VARIANTS = _named("rule-set"), _named("side-wager"), _named(None)
"""Rule sets of a document, side wagers that any of them can add, and rule sets that extend another."""
SHIPPED = (*RULE_SETS, *SIDE_WAGERS, *VARIANTS)
_IDENTITY = ("extends", "format", "kind", "id", "title", "document")
_DEEPEST = 8  # files that extend files that extend files …


def load(
    source: str | Path, *, sides: Iterable[str | Path] = (), changes: Mapping[str, Any] | None = None
) -> RuleSet:
    """The rule set of that id or file, with side wagers added and keys changed.

    `changes` has the shape of a rule file: `{"house": {"designator": "TCP-05"}, "settings": {"cap": "$500"}}`.
    """
    document = RuleDocument()
    _add(document, source, "rule-set", _DEEPEST)
    for side in sides:
        _add(document, side, "side-wager", _DEEPEST)
    if changes:
        document.add_changes(changes, "changed settings")
    document.cite_changes()
    return parse_rule_set(document)


def _add(document: RuleDocument, source: str | Path, kind: str, depth: int) -> None:
    read = _read(source)
    data = parse_toml(read)
    cited = str(data.get("id") or Path(source).stem)
    here = RuleDocument()
    here.add(read)
    base = data.get("extends")
    if base is not None:
        if depth == 0:
            here.refuse(("extends",), f"more than {_DEEPEST} files extend one another")
        if not isinstance(base, str):
            here.refuse(("extends",), "extends must name a rule set or a file")
        nearby = Path(source).parent / base
        found: str | Path = nearby if base.endswith(".toml") else base
        if base.endswith(".toml") and not nearby.is_file():
            here.refuse(("extends",), f"extends {base!r}, and there is no such file beside it")
        if not base.endswith(".toml") and base not in SHIPPED:
            known = ", ".join(SHIPPED)
            here.refuse(("extends",), f"extends {base!r}; there are {known}, or a file's name that ends in .toml")
        _add(document, found, kind, depth - 1)
        if kind == "rule-set":
            _verify_own_id(document, here, cited)
    elif data.get("kind") != kind:
        here.refuse(("kind",), f'kind must be "{kind}" here, not {data.get("kind")!r}')
    is_main = kind == "rule-set"
    document.add(read, without=("extends",) if is_main else _IDENTITY, is_main=is_main, cited=cited)
    if is_main and base is not None:
        named = {key: data.get(key) for key in ("id", "title")}
        document.data["id"] = named["id"] or cited
        document.data["title"] = named["title"] or f"{document.data['id']}, from: {document.data['title']}"


def _verify_own_id(document: RuleDocument, here: RuleDocument, name: str) -> None:
    """A file that extends another is another rule set, and its id says so."""
    if name == document.data.get("id") or name in (*RULE_SETS, *SIDE_WAGERS):
        here.refuse(("id",), f"a file that extends another needs an id of its own, not {name!r}")


def _read(source: str | Path) -> Source:
    if isinstance(source, str) and source in SHIPPED:
        shipped = _SHIPPED / f"{source}.toml"
        return Source(f"{source}.toml", shipped.read_text(encoding="utf-8"))
    path = Path(source)
    if not path.suffix and not path.exists():
        known = ", ".join(SHIPPED)
        raise RuleFileError(str(source), None, f"there is no rule set of that name; there are {known}, or give a path")
    try:
        return read_source(path, RuleFileError)
    except FileNotFoundError:
        raise RuleFileError(str(path), None, "there is no such file") from None

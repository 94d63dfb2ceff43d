"""docs/architecture.md: its map is made from what each folder says of itself; the rest is written by hand."""

import ast
from pathlib import Path

from proofs.pages.markdown import replaced, table
from proofs.pages.registry import DOCS

ROOMS = ("strict_toml", "protocol", "randomness", "round_engine", "firmware_sim", "shuffler")


def page() -> str:
    """The page with its map fresh."""
    return replaced((DOCS / "architecture.md").read_text(encoding="utf-8"), {"map": "\n\n".join(map(_room, ROOMS))})


def _room(room: str) -> str:
    home = DOCS.parent / room
    doors = [door for door in sorted(home.rglob("__init__.py")) if door.parent != home]
    rows = [[f"`{door.parent.relative_to(DOCS.parent)}/`", _told(door)] for door in doors]
    about = f"### `{room}/`\n\n{_told(home / '__init__.py')}"
    return f"{about}\n\n{table(['folder', 'what it owns'], rows)}" if rows else about


def _told(door: Path) -> str:
    """What a folder says of itself, without examples."""
    text = ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or ""
    prose = [part for part in text.split("\n\n") if not part.startswith("    ")]
    return " ".join(" ".join(prose).split())

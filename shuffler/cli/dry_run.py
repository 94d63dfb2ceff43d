"""`shuffler certify --from FILE --dry-run`: what would be read, by which plan it would be judged, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from randomness.certification import FileLayout, Plan, Recorded

FIRST_CARDS = 8
_ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with a mark", "utf-16": "UTF-16"}


def show_layout(recorded: Recorded, plan: Plan, why: str, decks: int | None) -> None:
    """Two columns on standard output."""
    for name, said in _lines(recorded, plan, why, decks):
        typer.echo(f"{name + ':':<16} {said}")


def _lines(recorded: Recorded, plan: Plan, why: str, decks: int | None) -> Iterator[tuple[str, str]]:
    layout = recorded.layout
    yield "file", recorded.name
    if not recorded.piped:
        yield "SHA-256", recorded.digest()
    yield "form", layout.form.value + "".join(f", packed by {each}" for each in layout.compression)
    if layout.encoding:
        yield "text", _ENCODINGS.get(layout.encoding, layout.encoding.upper())
    if layout.separator:
        yield "separated by", layout.separator
    if layout.header:
        yield "column names", ", ".join(layout.header[:4]) + (", …" if len(layout.header) > 4 else "")
    if layout.columns:
        yield "columns read", f"{layout.cards} of {len(layout.header)}, in the order of their numbers"
    yield "cards of a row", f"{layout.cards}, {len(layout.faces)} different cards in the rows looked at"
    yield "deck", f"{layout.kind.words()} ({recorded.deck_known})"
    yield "dealt", layout.kind.dealing()
    yield "numbering", f"from {layout.numbered_from}"
    if layout.encoding:
        yield "first deck", f"line {layout.first_line}: {_cards(layout)} …"
    else:
        yield "first deck", f"{_cards(layout)} …"
    yield "input orders", "given" if layout.has_input else "not given: tests that need them are not applicable"
    yield (
        "decks",
        "unknown before the end of the pipe"
        if layout.decks is None
        else (f"{layout.decks:,}" if layout.exact else f"about {layout.decks:,} (by its lines)"),
    )
    yield from (("note", note) for note in layout.notes)
    yield "plan", f"{plan.name}, level {plan.level:g}, SHA-256 {plan.digest()}"
    if why:
        yield "", why
    counted = layout.decks if decks is None or layout.decks is None else min(decks, layout.decks)
    if counted is not None and counted < plan.least_decks:
        yield "verdict", f"can fail, but not pass: the plan's least sample is {plan.least_decks:,} decks"
    yield "", "nothing has been judged"


def _cards(layout: FileLayout) -> str:
    """The first cards of the first deck."""
    kind = layout.kind
    numbers = [int(kind.lookup[code]) for code in layout.first[:FIRST_CARDS]]
    named = zip(numbers, layout.first, strict=False)
    return " ".join(kind.card_name(card) if card < kind.distinct else kind.code_name(code) for card, code in named)

"""The catalogue: every declared message, in the order of the reference and by number."""

import hashlib
from functools import cache

from protocol import messages as m
from protocol.declare import CatalogueEntry, Chapter, Needs, Way, WireValue
from protocol.layout import describe

__all__ = [
    "BY_NUMBER",
    "CATALOGUE",
    "RECORDS",
    "CatalogueEntry",
    "Chapter",
    "Needs",
    "Way",
    "fingerprint",
    "needing",
]

REPLY_BIT = 0x80  # a command's own reply has the command's number with this bit set

_DECLARED = [kind for kind in vars(m).values() if isinstance(kind, type) and issubclass(kind, WireValue)]
_ORDER = list(Chapter)

CATALOGUE: tuple[CatalogueEntry, ...] = tuple(
    sorted(
        (kind.entry for kind in _DECLARED if issubclass(kind, m.Message) and "entry" in vars(kind)),
        key=lambda entry: (_ORDER.index(entry.chapter), entry.number & ~REPLY_BIT, entry.number),
    )
)
RECORDS: tuple[type[WireValue], ...] = tuple(
    kind for kind in _DECLARED if not issubclass(kind, m.Message) and kind is not WireValue
)
BY_NUMBER: dict[int, CatalogueEntry] = {entry.number: entry for entry in CATALOGUE}


def needing(state: Needs) -> frozenset[type[m.Message]]:
    """Return the commands that the device executes only in this state."""
    return frozenset(entry.body for entry in CATALOGUE if state in entry.needs)


@cache
def fingerprint() -> bytes:
    """Return 8 bytes that change whenever a message's number, name, fields or layout change."""
    lines = [f"{entry.number:02x} {entry.name} {describe(entry.body)}" for entry in CATALOGUE]
    return hashlib.sha256("\n".join(lines).encode()).digest()[:8]

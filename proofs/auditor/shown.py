"""What a table's screen said about rounds: which were over, which void, what each spot was paid."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

ROUND = re.compile(r"round (\S+), shuffle ")
WON = re.compile(r" spot (\d+) wins [^$]*\$([\d,]+)(?:\.(\d\d))?")


@dataclass
class ShownRound:
    outcome: str = ""
    won: dict[int, int] = field(default_factory=dict)  # cents by spot


def shown_rounds(lines: Iterable[str]) -> dict[str, ShownRound]:
    """The rounds on the screen, by name; a last line that was cut by a kill says nothing."""
    found: dict[str, ShownRound] = {}
    current: ShownRound | None = None
    for line in lines:
        if not line.endswith("\n"):
            break
        if (named := ROUND.search(line)) is not None:
            current = found[named[1]] = ShownRound()
        elif current is not None and line.startswith(" game over"):
            current.outcome = "settled"
        elif current is not None and line.startswith(" MISDEAL"):
            current.outcome = "void"
        elif current is not None and (won := WON.match(line)) is not None:
            spot, whole, part = won.groups()
            cents = 100 * int(whole.replace(",", "")) + int(part or 0)
            current.won[int(spot)] = current.won.get(int(spot), 0) + cents
    return found

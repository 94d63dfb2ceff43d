"""The deck tests: every table of rows, made for each kind of deck when it is asked for.

`face-` tests read the cards as they are; `input-` tests read each deck against the order it was shuffled from, and
need it; `previous-` tests read it against the deck before. A row has a name, what it sees, the clause that asks for
such a test where one does, and a maker: for a kind of deck it gives the tally, the judge and the least number of decks
from which the law holds well into the tail, or the reason why there is no such test.
"""

from dataclasses import dataclass
from functools import lru_cache

from randomness.decks import integrity, repeats
from randomness.decks.errors import UnknownTest
from randomness.decks.kinds.kind import STANDARD, DeckKind
from randomness.decks.rows import dealing, in_time, memory, order, places, positions, spread, weighted
from randomness.decks.rows.base import REPEAT_RULE, DeckTest

ROWS = {
    row.name: row
    for row in (
        *positions.ROWS, *order.ROWS, *memory.ROWS, *dealing.ROWS, *spread.ROWS, *in_time.ROWS, *memory.NEAR_ROWS,
        *places.ROWS, *weighted.ROWS,
    )
}  # fmt: skip


@lru_cache(maxsize=32)
def battery_tests(kind: DeckKind) -> dict[str, DeckTest | str]:
    """Every test of the registry: as it is for this deck, or why it is not made."""
    made = {name: row.make(kind) for name, row in ROWS.items()}
    return {
        name: test if isinstance(test, str) else DeckTest(row=ROWS[name], made=test) for name, test in made.items()
    }


def deck_test(name: str, kind: DeckKind = STANDARD) -> DeckTest:
    """The test of that name, for a deck that has it."""
    if name not in ROWS:
        raise UnknownTest(f"no deck test named {name!r}; there are {', '.join(ROWS)}")
    found = battery_tests(kind)[name]
    if isinstance(found, str):
        raise UnknownTest(f"the test {name!r} is not made for {kind.words()}: {found}")
    return found


DECK_TESTS = {name: deck_test(name) for name in ROWS}
"""Every test, as it is for one deck of 52 cards."""


@dataclass(frozen=True, kw_only=True)
class CertainTest:
    """A test that an ideal shuffle cannot fail by chance: one failure is a finding, and no level applies to it."""

    name: str
    sees: str
    clause: str


CERTAIN_TESTS = {
    test.name: test
    for test in (
        CertainTest(name=integrity.NAME, clause="COMAR 36.05.03.27 C; GLI-29",
                    sees="decks with wrong, missing or repeated cards, by row"),
        CertainTest(name=repeats.DECKS, clause=REPEAT_RULE, sees="whole decks that came twice, by row"),
        CertainTest(name=repeats.RINGS, clause=REPEAT_RULE,
                    sees="decks that came again, cut or turned over, by row"),
        CertainTest(name=repeats.PERMUTATIONS, clause=REPEAT_RULE,
                    sees="permutations, from the input or from the deck before, that came twice, by row"),
    )
}  # fmt: skip

"""docs/deck-battery.md, from the registry of the deck tests."""

from collections.abc import Iterator

from randomness.decks.layout import IN_FULL, LAGS, SEGMENT
from randomness.decks.power import REPORTED_POWER, power
from randomness.decks.registry import CERTAIN_TESTS, DECK_TESTS
from randomness.decks.rows.base import DeckTest, Subject
from randomness.decks.tallies import STRATA_EVERY
from randomness.result import Null

INTRODUCTION = f"""# The battery on decks

{len(DECK_TESTS)} tests of shuffled decks, and {len(CERTAIN_TESTS)} checks that an ideal shuffle cannot fail by chance.
This page is rendered from the registry (`make docs`).

Decks are rows of cards of one kind of deck: 52 faces (0 … 51) unless the kind says otherwise. The page gives the tests
as they are for 52 cards; for short decks, jokers and shoes each test has a law of its own or a reason why it has none
(`randomness.decks.battery_tests(kind)`). Tests that begin with `input-` (and a few others, marked) read each deck
against the order it was shuffled from; where that is not known they say *not applicable*. Tests that begin with
`previous-` read it against the deck before; where every deck was shuffled from the one before, they are the same
statistics as the `input-` tests and are judged once. Every count is a whole number and adds up exactly: one run, many
shards, compiled or in numpy give the same integers (a test compares both with a plain count of one deck). Every test
counts each of the first {IN_FULL:,} decks of a run, and beyond them one segment of {SEGMENT:,} decks in as many as the
table says: a longer run counts every deck that a shorter one does. Its result gives the decks it counted. Tests over
time look back {LAGS} decks.

```python
from randomness.decks import DeckBattery

battery = DeckBattery()                       # all tests; or DeckBattery(["input-valleys", ...], kind=deck_kind(36))
battery.update(decks, inputs)                 # rows of card codes; inputs: rows, one row for all, or left out
battery.merge(other)                          # another sequence (a shard): exact, in any order
state = battery.to_state()                    # plain values and arrays, for a checkpoint
results = battery.evaluate()                  # one value for each test: p, effect with interval, where to look
```

## How p-values are known

- **Counts of one deck** (valleys, rising sequences, …) have exact laws as whole numbers of orders out of 52!. The sum
  over N decks is that law convolved N times; the p-value is two-sided and randomised (split at a number that is a
  fixed function of the test and the data), so it is exactly uniform on ideal shuffles from the first deck on.
- **Tables** are summed as chi-square would be, but judged by their own laws. Card × position follows 52/51 times
  chi-square with 2,601 degrees of freedom (taken as plain chi-square it would alarm 17.5 % of the time at 5 %); lumped
  by suit, rank or colour the same factor holds. Adjacent pairs follow a sum of three chi-squares with mean 2,601, not
  chi-square with 2,651. All pairs of positions follow a sum over the irreducible parts of the action on ordered pairs.
- **Worst of many** (one cell, one position, one pair of positions, one lag): the least p-value with their number
  allowed for (Šidák); cells are exact and randomised.
- **Whole distributions** (`…-spread`): Pearson's sum over bins of a count, with its first three cumulants exact, joined
  with the exact law of the highest and the lowest deck. A mixture whose mean is right is found, and so is one deck that
  can't be.
- **Time**: tables and counts are kept by stretch (33 to 64 of one width, whatever the length of the run) and by phase
  of the row number (odd and even; a plan's `[strata] periods` names others), and strata are compared with each other.
  Beyond {IN_FULL:,} decks one segment in {STRATA_EVERY} is kept so. A cell is scored by the
  hypergeometric law given its total; the largest score over all cuts by the law of a change-point scan (a Markov chain
  of normal scores, `randomness/decks/scan.py`); drift is a slope over the run. Counts of one deck,
  kinds of hand at one seat, and the parts of one test (one cell, the whole table, the two halves) are joined by how
  they correlate (`randomness/decks/together.py`).
- **Hands of one deck** depend on each other: categories are judged with the exact covariance of two hands
  (22,100 × 18,424 pairs), strength by exchanging seats within each deck (Friedman), two seats by Fisher's noncentral
  hypergeometric law.

That all this holds, from the least sample size on and into the tail that Holm's rule lives in, is measured in
[evidence/calibration.md](evidence/calibration.md) (`make proof-calibration`); what each planted defect takes to be
found in [evidence/sensitivity.md](evidence/sensitivity.md) (`make proof-sensitivity`).
"""

HEADINGS = {
    Subject.POSITIONS: "Positions",
    Subject.ORDER: "Order",
    Subject.GUESSING: "Guessing",
    Subject.MEMORY: "Memory",
    Subject.DEALING: "Dealing",
    Subject.TIME: "Time",
}


def _law(test: DeckTest) -> str:
    return "exact" if test.null is Null.EXACT else test.null.value


def _needs(test: DeckTest) -> str:
    return " · ".join(
        note
        for note, holds in (("input order", test.needs_input), ("may be declared n/a", test.declarable))
        if holds
    )


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    for group in Subject:
        yield f"## {HEADINGS[group]}\n"
        yield "| test | sees | law | least decks | then 1 in | needs | asked for by |\n|---|---|---|---|---|---|---|"
        for test in DECK_TESTS.values():
            if test.group is group:
                yield (
                    f"| `{test.name}` | {test.sees} | {_law(test)} | {test.least:,} | {test.every} | {_needs(test)} "
                    f"| {test.clause} |"
                )
        yield ""
    yield "## Certain tests\n\n| test | sees | asked for by |\n|---|---|---|"
    for certain in CERTAIN_TESTS.values():
        yield f"| `{certain.name}` | {certain.sees} | {certain.clause} |"
    level = 0.01 / len(DECK_TESTS)
    yield (
        f"\n## What a sample would find\n\nThe least effect found with {REPORTED_POWER:.0%} probability at this test's "
        f"share of a 1 % level ({level:.1e}), by decks counted.\n\n"
        "| test | 10,000 decks | 1,000,000 decks | unit |\n|---|---|---|---|"
    )
    for test in DECK_TESTS.values():
        small, large = (power(test, many, level).least_effect for many in (10_000, 1_000_000))
        yield f"| `{test.name}` | {small:.3g} | {large:.3g} | {test.unit} |"

"""How counts of one deck correlate, where every order is equally likely."""

from randomness.decks.kinds.kind import STANDARD, DeckKind

# Over ideal decks of 52 cards; what is not listed is below 0.03. A test measures them again.
_PAIRS = {
    ("successions",      "rising_sequences"):   -0.23,
    ("successions",      "descents"):           -0.23,
    ("successions",      "valleys"):            -0.11,
    ("successions",      "suit_runs"):          -0.23,
    ("successions",      "colour_runs"):        -0.13,
    ("successions",      "longest_increasing"):  0.16,
    ("successions",      "riffle_guess"):        0.57,
    ("successions",      "shelf_guess"):         0.28,
    ("rising_sequences", "descents"):            0.11,
    ("rising_sequences", "inversions"):          0.10,
    ("rising_sequences", "longest_increasing"): -0.25,
    ("rising_sequences", "riffle_guess"):       -0.14,
    ("descents",         "inversions"):          0.10,
    ("descents",         "longest_increasing"): -0.25,
    ("descents",         "riffle_guess"):       -0.42,
    ("valleys",          "suit_runs"):           0.34,
    ("valleys",          "colour_runs"):         0.08,
    ("valleys",          "rank_runs"):          -0.06,
    ("valleys",          "riffle_guess"):       -0.12,
    ("valleys",          "shelf_guess"):        -0.27,
    ("inversions",       "fixed_points"):       -0.15,
    ("inversions",       "cycles"):             -0.08,
    ("inversions",       "longest_increasing"): -0.54,
    ("fixed_points",     "cycles"):              0.58,
    ("fixed_points",     "longest_increasing"):  0.13,
    ("cycles",           "longest_increasing"):  0.06,
    ("longest_increasing", "riffle_guess"):      0.18,
    ("longest_increasing", "shelf_guess"):       0.05,
    ("riffle_guess",     "shelf_guess"):         0.40,
    ("suit_runs",        "colour_runs"):         0.57,
    ("suit_runs",        "rank_runs"):          -0.14,
    ("colour_runs",      "rank_runs"):          -0.08,
}  # fmt: skip

Matrix = tuple[tuple[float, ...], ...]


def correlation(names: tuple[str, ...], kind: DeckKind = STANDARD) -> Matrix:
    """Of the counts with these names, each with each. For other decks than one of 52 cards they are taken as
    independent: of normal scores that depend on each other the largest is never larger (Šidák's inequality)."""
    if kind.cards != STANDARD.cards:
        return tuple(tuple(float(a == b) for b in names) for a in names)
    return tuple(
        tuple(1.0 if a == b else _PAIRS.get((a, b), _PAIRS.get((b, a), 0.0)) for b in names) for a in names
    )

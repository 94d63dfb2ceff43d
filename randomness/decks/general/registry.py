"""The deck tests for any kind of deck, by the names of the registry for 52 cards: a judge, or why there is none.

A test of the registry that is not here has no law for other decks yet, and says so.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomness.decks import laws
from randomness.decks.faces import place_name
from randomness.decks.general import dealing, hands, judges, pairs
from randomness.decks.general import laws as multiset
from randomness.decks.general.counting import card_scores
from randomness.decks.general.lis import LONGEST_KNOWN, longest_increasing
from randomness.decks.judges.base import Cells, Judge
from randomness.decks.judges.distribution import DistributionJudge
from randomness.decks.judges.extremes import NormalCellsJudge
from randomness.decks.judges.memory import LagsJudge
from randomness.decks.judges.positions import distance_law, lehmer_digits, one_in
from randomness.decks.judges.sums import LikelihoodJudge, SumJudge
from randomness.decks.kinds import DeckKind
from randomness.decks.layout import LAGS
from randomness.decks.registry import DECK_TESTS
from randomness.decks.rows.base import DeckTest
from randomness.decks.sums import Law

NOT_APART = "cards of one face are not told apart, and its law is that of a permutation"
NO_LAW = "its law is known for one deck of 52 cards, dealt in threes to seven players and a dealer"
MOST_PAIR_CELLS = 6_000_000
MOST_ORDERED = 5
"""Cards of a group of which every order is counted apart: 120 orders."""

Numbers = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class KindTest(DeckTest):
    """A row of the registry as it is for one kind of deck."""

    input_view: bool = False

    @property
    def needs_input(self) -> bool:
        return self.input_view


@dataclass(frozen=True, kw_only=True)
class _Made:
    tally: str
    judge: Judge
    least: int = 1


_Maker = Callable[[DeckKind], "_Made | str"]


@lru_cache(maxsize=32)
def kind_tests(kind: DeckKind) -> dict[str, KindTest | str]:
    """Every test of the registry: as it is for this deck, or why it is not made."""
    return {name: _test(kind, name) for name in DECK_TESTS}


def _test(kind: DeckKind, name: str) -> KindTest | str:
    row = DECK_TESTS[name]
    maker = _spread(name) if isinstance(row.judge, DistributionJudge) else _MAKERS.get(name)
    made = NO_LAW if maker is None else maker(kind)
    if isinstance(made, str):
        return made
    return KindTest(
        name=name, group=row.group, sees=row.sees, tally=made.tally, judge=made.judge, least=made.least,
        clause=row.clause, declarable=row.declarable, blocks=row.blocks, input_view=made.tally.startswith("input."),
    )  # fmt: skip


def reason(kind: DeckKind, name: str) -> str:
    """Why a test is not made for this deck; empty where it is."""
    found = kind_tests(kind).get(name, NO_LAW)
    return found if isinstance(found, str) else ""


# ----- laws of a count ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def law_of(kind: DeckKind, of: str) -> Law:
    """The exact law of a count over one deck, by the name of its tally's function."""
    n = kind.cards
    return Law(
        {
            "successions": lambda: _filled(multiset.successions(kind.copies), n),
            "fixed_points": lambda: multiset.matches(kind.copies),
            "adjacencies": lambda: laws.adjacencies(n),
            "rising_sequences": lambda: laws.rising_sequences(n),
            "descents": lambda: laws.descents(n),
            "valleys": lambda: laws.valleys(n),
            "peaks": lambda: laws.valleys(n),
            "inversions": lambda: _filled(multiset.inversions(kind.copies), n * (n - 1) // 2 + 1),
            "cycles": lambda: laws.cycles(n),
            "longest_increasing": lambda: longest_increasing(n),
            "riffle_guess": lambda: laws.right_guesses(n),
            "shelf_guess": lambda: laws.right_guesses(n),
            "suit_runs": lambda: multiset.runs(sizes(kind, kind.suits)),
            "colour_runs": lambda: multiset.runs(sizes(kind, kind.colours)),
            "rank_runs": lambda: multiset.runs(sizes(kind, kind.ranks)),
        }[of]()
    )


def _filled(counts: laws.Counts, cells: int) -> laws.Counts:
    """Up to the cells of the tally: values that copies of a face make impossible."""
    return (*counts, *[0] * (cells - len(counts)))


def sizes(kind: DeckKind, groups: Numbers) -> tuple[int, ...]:
    """Cards of each group of card numbers."""
    return tuple(int(many) for many in np.bincount(groups, weights=kind.copies))


def _count(tally: str, of: str, *, permutation: bool = True) -> _Maker:
    function = tally.rpartition(".")[2]

    def make(kind: DeckKind) -> _Made | str:
        if permutation and not kind.simple:
            return NOT_APART
        return _Made(tally=tally, judge=SumJudge(law=lambda: law_of(kind, function), of=of))

    return make


OF_FACES = (
    "suit_runs", "colour_runs", "rank_runs", "fixed_points", "lag_matches", "faces.successions", "faces.inversions",
)  # fmt: skip
"""Tallies whose law needs no told-apart cards."""


def _spread(name: str) -> _Maker:
    """The whole distribution of a count, as the row for 52 cards has it, by the law for the deck."""
    row = DECK_TESTS[name]
    function = row.tally.rpartition(".")[2]

    def make(kind: DeckKind) -> _Made | str:
        if not kind.simple and not row.tally.endswith(OF_FACES):
            return NOT_APART
        if function == "longest_increasing" and isinstance(_longest(kind), str):
            return str(_longest(kind))
        assert isinstance(row.judge, DistributionJudge)
        of = "fixed_points" if function == "lag_matches" else function
        return _Made(tally=row.tally, least=row.least, judge=replace(row.judge, law=lambda: law_of(kind, of)))

    return make


def _longest(kind: DeckKind) -> _Made | str:
    if kind.simple and kind.cards not in LONGEST_KNOWN:
        return f"the exact law is a sum over every partition of {kind.cards}"
    return _count("input.longest_increasing", "cards in the longest increasing subsequence")(kind)


def _parity(tally: str) -> _Maker:
    def make(kind: DeckKind) -> _Made | str:
        if not kind.simple:
            return NOT_APART
        judge = SumJudge(law=lambda: one_in(2), of="odd permutations", value=lambda inversions: inversions % 2)
        return _Made(tally=tally, judge=judge)

    return make


_RIFFLES, _SCALE = 7, 16


def _seven_riffles(kind: DeckKind) -> _Made | str:
    if not kind.simple:
        return NOT_APART
    weights = laws.riffle_weights(kind.cards, _RIFFLES, _SCALE)
    return _Made(
        tally="input.rising_sequences",
        judge=LikelihoodJudge(
            weights=lambda: np.array(weights), law=lambda: _riffle_law(kind.cards, weights),
            against=f"{_RIFFLES} riffles",
        ),
    )  # fmt: skip


@lru_cache(maxsize=16)
def _riffle_law(n: int, weights: laws.Counts) -> Law:
    return Law(laws.weighted(laws.rising_sequences(n), weights))


# ----- positions ------------------------------------------------------------------------------------------------------


def _seat_of(kind: DeckKind) -> list[int]:
    return [min(position // kind.group, kind.groups) for position in range(kind.cards)]


def _least(kind: DeckKind, groups: Numbers) -> int:
    """Decks from which the rarest cell of a table by position expects five."""
    return max(100, math.ceil(5 * kind.cards / min(sizes(kind, groups))))


def _table(by: str, lump: Callable[[DeckKind], tuple[Numbers, Sequence[str]]], *, seats: bool = False) -> _Maker:
    def make(kind: DeckKind) -> _Made | str:
        groups, names = lump(kind)
        each = _seat_of(kind) if seats else list(range(kind.cards))
        place = kind.seat_name if seats else place_name
        if seats and kind.groups < 2:
            return "one seat alone has no other to be compared with"
        return _Made(
            tally="faces.by_position",
            least=100 if groups.max() + 1 == kind.distinct and not seats else _least(kind, groups),
            judge=judges.position_table(
                each, groups.tolist(), kind.copies, lambda i, v: f"{by}{names[v]} at {place(i)}"
            ),
        )

    return make


def _cards(kind: DeckKind) -> tuple[Numbers, Sequence[str]]:
    return np.arange(kind.distinct), [kind.card_name(card) for card in range(kind.distinct)]


def _card_at(kind: DeckKind) -> Callable[[int, int], str]:
    return lambda position, card: f"{kind.card_name(card)} at {place_name(position)}"


def _ten_in_each(kind: DeckKind) -> int:
    return math.ceil(10 * kind.cards / min(kind.copies))


def _each_position(kind: DeckKind) -> _Made:
    judge = judges.each_position(kind.copies, place_name, _card_at(kind))
    return _Made(tally="faces.by_position", least=_ten_in_each(kind), judge=judge)


def _each_card(kind: DeckKind) -> _Made:
    judge = judges.each_card(kind.copies, kind.card_name, _card_at(kind))
    return _Made(tally="faces.by_position", least=_ten_in_each(kind), judge=judge)


def _each_cell(kind: DeckKind) -> _Made:
    cells = np.arange(kind.cards * kind.distinct).reshape(kind.cards, kind.distinct)
    of = {many: [card for card, has in enumerate(kind.copies) if has == many] for many in sorted(set(kind.copies))}
    judge = judges.cells_judge(
        [one_in(kind.cards, many) for many in of],
        [cells[:, cards].ravel() for cards in of.values()],
        lambda cell: _card_at(kind)(*divmod(cell, kind.distinct)),
        "relative deviation of one cell",
    )
    return _Made(tally="faces.by_position", least=16, judge=judge)


def _moved(view: str, earlier: str, *, each: bool) -> _Maker:
    """Places of an earlier order by places of this one."""

    def name(position: int, was: int) -> str:
        return f"{earlier} {place_name(was)} to {place_name(position)}"

    def make(kind: DeckKind) -> _Made | str:
        if not kind.simple:
            return NOT_APART
        n = kind.cards
        if each:
            judge: Judge = judges.cells_judge(
                [one_in(n)], [np.arange(n * n)], lambda cell: name(*divmod(cell, n)), "relative deviation of one cell"
            )
            return _Made(tally=f"{view}.by_position", least=16, judge=judge)
        judge = judges.position_table(list(range(n)), list(range(n)), kind.copies, name)
        return _Made(tally=f"{view}.by_position", least=100, judge=judge)

    return make


def _lehmer(kind: DeckKind) -> _Made | str:
    if not kind.simple:
        return NOT_APART
    judge = lehmer_digits(lambda i, d: f"{place_name(i)}, {d} lower cards still to come", kind.cards)
    return _Made(tally="faces.lehmer", least=10 * kind.cards, judge=judge)


# ----- pairs of positions ---------------------------------------------------------------------------------------------


def _pair_cell(kind: DeckKind) -> Callable[[int, int, int, int], str]:
    def name(i: int, j: int, first: int, second: int) -> str:
        if first < 0:
            return f"positions {i + 1} and {j + 1}: sum over all pairs of cards"
        return (
            f"{kind.card_name(first)} at {place_name(i)} with {kind.card_name(second)} at {place_name(j)}"
        )

    return name


def _pair_tables(make: Callable[[DeckKind, Callable[[int, int, int, int], str]], Judge], *, total: bool) -> _Maker:
    def maker(kind: DeckKind) -> _Made | str:
        many = kind.cards * (kind.cards - 1) // 2 * kind.distinct**2
        if many > MOST_PAIR_CELLS:
            return f"its tables would have {many:,} cells; the other tests of pairs look at the same positions"
        if total and not kind.simple:
            return NOT_APART
        return _Made(tally="position_pairs", least=kind.cards * (kind.cards - 1), judge=make(kind, _pair_cell(kind)))

    return maker


def _upper(n: int) -> Numbers:
    return np.flatnonzero(np.triu(np.ones((n, n), bool), 1))


def _two_positions(n: int) -> Callable[[int], str]:
    return lambda cell: f"positions {cell // n + 1} and {cell % n + 1}"


def _correlation(kind: DeckKind) -> _Made:
    n, upper = kind.cards, _upper(kind.cards)
    x = np.repeat(card_scores(kind), kind.copies).astype(float)
    square, fourth = float((x**2).mean()), float((x**4).mean())
    mean = -square / (n - 1)
    judge = NormalCellsJudge(
        mean=mean,
        deviation=math.sqrt((n * square**2 - fourth) / (n - 1) - mean**2),
        chosen=upper,
        decks_of=lambda _, decks: np.full(len(upper), float(decks)),
        name=_two_positions(n),
        scale=square,
    )
    return _Made(tally="faces.correlation", least=1_000, judge=judge)


def _same_kind(tally: str, groups: Callable[[DeckKind], Numbers]) -> _Maker:
    def make(kind: DeckKind) -> _Made:
        n = kind.cards
        law = one_in(n * (n - 1), multiset.shared(sizes(kind, groups(kind))))
        judge = judges.cells_judge(
            [law], [_upper(n)], _two_positions(n), "relative deviation of one pair of positions"
        )
        return _Made(tally=tally, least=16, judge=judge)

    return make


def _card_distances(kind: DeckKind) -> _Made | str:
    if not kind.simple:
        return NOT_APART
    n, upper = kind.cards, _upper(kind.cards)
    mean = (n + 1) / 3
    judge = NormalCellsJudge(
        mean=mean,
        deviation=math.sqrt(n * (n + 1) / 6 - mean**2),
        chosen=upper,
        decks_of=lambda _, decks: np.full(len(upper), float(decks)),
        name=lambda cell: f"distance of {kind.card_name(cell // n)} and {kind.card_name(cell % n)}",
        scale=mean,
        unit="relative deviation of the distance of two cards",
    )
    return _Made(tally="card_distances", least=1_000, judge=judge)


# ----- neighbours -----------------------------------------------------------------------------------------------------


def _follows(kind: DeckKind) -> Callable[[int, int], str]:
    return lambda a, b: f"{kind.card_name(a)} followed by {kind.card_name(b)}"


def _adjacent(kind: DeckKind) -> _Made:
    least = max(520, math.ceil(10 * kind.cards / min(kind.copies) ** 2))
    return _Made(tally="faces.adjacent", least=least, judge=judges.adjacent_pairs(kind.copies, _follows(kind)))


def _each_adjacent(kind: DeckKind) -> _Made:
    n, distinct = kind.cards, kind.distinct
    found: dict[tuple[int, int, bool], list[int]] = {}
    for a, one in enumerate(kind.copies):
        for b, other in enumerate(kind.copies):
            if a != b or one > 1:
                found.setdefault((one, other, a == b), []).append(a * distinct + b)
    judge = judges.cells_judge(
        [
            Law(multiset.followed_by_its_like(one, n) if same else multiset.followed(one, other, n))
            for one, other, same in found
        ],
        [np.array(cells) for cells in found.values()],
        lambda cell: _follows(kind)(*divmod(cell, distinct)),
        "relative deviation of one cell",
    )
    return _Made(tally="faces.adjacent", least=16, judge=judge)


def _lumped(what: str, lump: Callable[[DeckKind], tuple[Numbers, Sequence[str]]], least: int) -> _Maker:
    def make(kind: DeckKind) -> _Made:
        groups, names = lump(kind)
        judge = judges.lumped_adjacent(
            sizes(kind, groups), groups.tolist(), lambda a, b: f"{what}{names[a]} followed by {what}{names[b]}"
        )
        return _Made(tally="faces.adjacent", least=1_000 if kind.jokers else least, judge=judge)

    return make


def _distances(view: str, of: str) -> _Maker:
    def make(kind: DeckKind) -> _Made | str:
        if not kind.simple:
            return NOT_APART
        mean, covariance = distance_law(kind.cards)
        judge = judges.distances(mean, covariance, lambda d: f"{of} neighbours {d} positions apart")
        return _Made(tally=f"{view}.distances", least=10 * kind.cards, judge=judge)

    return make


def _stuck(view: str, of: str) -> _Maker:
    """Successions where cards are told apart; else neighbours by their faces."""

    def make(kind: DeckKind) -> _Made | str:
        if kind.simple:
            return _count(f"{view}.successions", "successions")(kind)
        # A pair of faces that were neighbours is met again about so often in one deck, by chance, as in a Poisson law.
        share = sum(many * many for many in kind.copies) / kind.cards**2
        deviation = math.sqrt(kind.cards * min(1.0, kind.cards * share**2))
        judge = judges.MeanJudge(of=of, cards=kind.cards, deviation=deviation)
        return _Made(tally=f"{view}.pairs_kept", least=200, judge=judge)

    return make


# ----- memory ---------------------------------------------------------------------------------------------------------


def _square(kind: DeckKind) -> float:
    x = np.repeat(card_scores(kind), kind.copies).astype(float)
    return float((x**2).mean())


def _serial(kind: DeckKind) -> _Made:
    judge = judges.serial_correlation(
        kind.cards, _square(kind), lambda i, j: f"{place_name(i)} of the previous deck, {place_name(j)}"
    )
    return _Made(tally="serial", least=520, judge=judge)


def _lag_correlation(kind: DeckKind) -> _Made:
    n, square = kind.cards, _square(kind)
    table = np.arange(LAGS * (n + 1)).reshape(LAGS, n + 1)[:, :n]
    judge = NormalCellsJudge(
        mean=0.0,
        deviation=square,
        chosen=table.ravel(),
        decks_of=lambda cells, _: np.repeat(cells[n :: n + 1], n).astype(float),
        name=lambda cell: f"lag {cell // (n + 1) + 1}, {place_name(cell % (n + 1))}",
        scale=square,
    )
    return _Made(tally="lag_correlation", least=1_000, judge=judge)


def _lag_matches(kind: DeckKind) -> _Made:
    n = kind.cards

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(LAGS, n + 1)[lag - 1]
        return np.array([np.arange(n + 1) @ row]), int(row.sum())

    judge = LagsJudge(
        law=lambda: law_of(kind, "fixed_points"), totals=totals, cells_in_lag=1,
        name=lambda lag, _: f"lag {lag}, cards in place",
    )  # fmt: skip
    return _Made(tally="lag_matches", least=2, judge=judge)


def _lag_shifts(kind: DeckKind) -> _Made | str:
    if not kind.simple:
        return NOT_APART
    n = kind.cards

    def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
        row = cells.reshape(LAGS, n)[lag - 1]
        return row, int(row.sum()) // n

    judge = LagsJudge(
        law=lambda: law_of(kind, "fixed_points"), totals=totals, cells_in_lag=n,
        name=lambda lag, shift: f"lag {lag}, cards moved {shift} positions down",
    )  # fmt: skip
    return _Made(tally="lag_shifts", least=100, judge=judge)


def _lag_order(part: int, of: str) -> _Maker:
    def make(kind: DeckKind) -> _Made | str:
        if not kind.simple:
            return NOT_APART
        n = kind.cards

        def totals(cells: Cells, lag: int) -> tuple[Cells, int]:
            row = cells.reshape(LAGS, 2, n)[lag - 1, part]
            return np.array([np.arange(n) @ row]), int(row.sum())

        judge = LagsJudge(
            law=lambda: law_of(kind, of), totals=totals, cells_in_lag=1, name=lambda lag, _: f"lag {lag}, {of}",
            unit=f"extra {of} a deck",
        )  # fmt: skip
        return _Made(tally="lag_order", least=2, judge=judge)

    return make


# ----- dealing --------------------------------------------------------------------------------------------------------


def _hands(make: Callable[[DeckKind], Judge], *, least: int, several: bool = False) -> _Maker:
    def maker(kind: DeckKind) -> _Made | str:
        if not hands.LEAST <= kind.group <= hands.MOST:
            return f"hands have categories from {hands.LEAST} to {hands.MOST} cards, not with {kind.group}"
        if several and kind.groups < 2:
            return "one seat alone has no other to be compared with"
        return _Made(tally="hands", least=least, judge=make(kind))

    return maker


def _strength(make: Callable[[DeckKind], Judge], *, dealer: bool) -> _Maker:
    def maker(kind: DeckKind) -> _Made | str:
        if not hands.LEAST <= kind.group <= hands.MOST:
            return f"hands have categories from {hands.LEAST} to {hands.MOST} cards, not with {kind.group}"
        if dealer and not kind.dealer:
            return "no hand is dealt to a dealer"
        if kind.groups < 2:
            return "one seat alone has no other to be compared with"
        return _Made(tally="seat_scores", least=100, judge=make(kind))

    return maker


def _order(tally: str, by: str) -> _Maker:
    def make(kind: DeckKind) -> _Made | str:
        if not 2 <= kind.group <= MOST_ORDERED:
            return f"the orders inside a group are counted for 2 to {MOST_ORDERED} cards, not for {kind.group}"
        if tally.startswith(("input.", "previous.")) and not kind.simple:
            return NOT_APART
        least = max(100, 17 * math.factorial(kind.group))
        return _Made(tally=tally, least=least, judge=dealing.group_order(kind, by))

    return make


def _suits(kind: DeckKind) -> tuple[Numbers, Sequence[str]]:
    return kind.suits, kind.suit_names


def _ranks(kind: DeckKind) -> tuple[Numbers, Sequence[str]]:
    return kind.ranks, kind.rank_names


def _colours(kind: DeckKind) -> tuple[Numbers, Sequence[str]]:
    return kind.colours, kind.colour_names


_MAKERS: dict[str, _Maker] = {
    "card-by-position":         _table("", _cards),
    "suit-by-position":         _table("", _suits),
    "rank-by-position":         _table("rank ", _ranks),
    "colour-by-position":       _table("", _colours),
    "each-position":            _each_position,
    "each-card":                _each_card,
    "each-cell":                _each_cell,
    "lehmer-digits":            _lehmer,
    "position-pairs":           _pair_tables(pairs.worst_pair, total=False),
    "position-pairs-total":     _pair_tables(pairs.all_pairs, total=True),
    "position-correlation":     _correlation,
    "same-suit-pairs":          _same_kind("same_suit", lambda kind: kind.suits),
    "same-rank-pairs":          _same_kind("same_rank", lambda kind: kind.ranks),
    "adjacent-pairs":           _adjacent,
    "each-adjacent-pair":       _each_adjacent,
    "suit-follows-suit":        _lumped("", _suits, 100),
    "rank-follows-rank":        _lumped("rank ", _ranks, 520),
    "card-distances":           _card_distances,
    "face-distances":           _distances("faces", "factory"),
    "suit-runs":                _count("suit_runs", "suit runs", permutation=False),
    "colour-runs":              _count("colour_runs", "colour runs", permutation=False),
    "rank-runs":                _count("rank_runs", "rank runs", permutation=False),
    "face-successions":         _count("faces.successions", "successions", permutation=False),
    "face-rising-sequences":    _count("faces.rising_sequences", "rising sequences"),
    "face-valleys":             _count("faces.valleys", "valleys"),
    "face-inversions":          _count("faces.inversions", "inversions", permutation=False),
    "face-parity":              _parity("faces.inversions"),
    "input-successions":        _stuck("input", "neighbours of the input still together"),
    "input-adjacencies":        _count("input.adjacencies", "adjacencies"),
    "input-rising-sequences":   _count("input.rising_sequences", "rising sequences"),
    "input-seven-riffles":      _seven_riffles,
    "input-descents":           _count("input.descents", "descents"),
    "input-valleys":            _count("input.valleys", "valleys"),
    "input-peaks":              _count("input.peaks", "peaks"),
    "input-inversions":         _count("input.inversions", "inversions"),
    "input-parity":             _parity("input.inversions"),
    "input-fixed-points":       _count("input.fixed_points", "faces in their place", permutation=False),
    "input-cycles":             _count("input.cycles", "cycles"),
    "input-longest-increasing": _longest,
    "input-distances":          _distances("input", "input"),
    "riffle-guess":             _count("input.riffle_guess", "right guesses"),
    "shelf-guess":              _count("input.shelf_guess", "right guesses"),
    "previous-riffle-guess":    _count("previous.riffle_guess", "right guesses"),
    "previous-shelf-guess":     _count("previous.shelf_guess", "right guesses"),
    "input-by-position":        _moved("input", "from input", each=False),
    "input-each-cell":          _moved("input", "from input", each=True),
    "previous-by-position":     _moved("previous", "from the previous deck's", each=False),
    "previous-each-cell":       _moved("previous", "from the previous deck's", each=True),
    "previous-successions":     _stuck("previous", "neighbours of the deck before still together"),
    "previous-rising-sequences": _count("previous.rising_sequences", "rising sequences"),
    "previous-valleys":         _count("previous.valleys", "valleys"),
    "previous-inversions":      _count("previous.inversions", "inversions"),
    "previous-fixed-points":    _count("previous.fixed_points", "faces in their place", permutation=False),
    "previous-cycles":          _count("previous.cycles", "cycles"),
    "serial-correlation":       _serial,
    "lag-matches":              _lag_matches,
    "lag-shifts":               _lag_shifts,
    "lag-descents":             _lag_order(0, "descents"),
    "lag-successions":          _lag_order(1, "successions"),
    "lag-correlation":          _lag_correlation,
    "card-by-seat":             _table("", _cards, seats=True),
    "rank-by-seat":             _table("rank ", _ranks, seats=True),
    "hand-categories":          _hands(dealing.all_hands, least=1_000),
    "hands-by-seat":            _hands(dealing.each_seat, least=520),
    "seats-alike":              _hands(dealing.seats_alike, least=1_000, several=True),
    "seat-strength":            _strength(dealing.seat_strength, dealer=False),
    "dealer-against-players":   _strength(lambda kind: dealing.DealersJudge(kind=kind), dealer=True),
    "group-order":              _order("faces.group_order", "face"),
    "group-order-by-rank":      _order("rank_order", "rank"),
    "group-order-by-input":     _order("input.group_order", "input place"),
    "group-order-by-previous":  _order("previous.group_order", "previous place"),
}  # fmt: skip

"""The deck tests: one literal table. What each sees, what it counts, by which law it is judged, and what it needs.

`face-` tests read the cards as they are; `input-` tests read each deck against the order it was shuffled from, and
need it; `previous-` tests read it against the deck before. `least` is the number of counted decks from which the law
holds well into the tail. `clause` names the rule or standard that asks for such a test, where one does.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from randomness.decks import integrity, laws, repeats
from randomness.decks.errors import UnknownTest
from randomness.decks.faces import CARDS, GROUP, RANK_NAMES, SEATS, SUIT_NAMES, card_name, place_name, seat_name
from randomness.decks.judges import dealing, memory, pairs, positions, seats
from randomness.decks.judges.sums import LikelihoodJudge, SumJudge
from randomness.decks.rows import in_time, places, spread
from randomness.decks.rows.base import (
    ADJACENCY_RULE,
    OUTCOME_RULE,
    PAIR_RULE,
    PERMUTATION_RULE,
    POSITION_RULE,
    REPEAT_RULE,
    RUNS_RULE,
    SERIAL_RULE,
    DeckTest,
    Subject,
)
from randomness.decks.rows.exact import law
from randomness.decks.rows.names import card_at, follows, from_to
from randomness.decks.sums import Law


def _count(function: str, of: str) -> SumJudge:
    return SumJudge(law=lambda: law(function), of=of)


def _parity() -> SumJudge:
    """Half of all orders take an odd number of swaps."""
    return SumJudge(law=lambda: positions.one_in(2), of="odd permutations", value=lambda inversions: inversions % 2)


_RIFFLES, _SCALE = 7, 16


def _seven_riffles() -> LikelihoodJudge:
    weights = laws.riffle_weights(CARDS, _RIFFLES, _SCALE)
    return LikelihoodJudge(
        weights=lambda: np.array(weights), law=lambda: _riffle_law(weights), against=f"{_RIFFLES} riffles"
    )


@lru_cache
def _riffle_law(weights: laws.Counts) -> Law:
    return Law(laws.weighted(laws.rising_sequences(CARDS), weights))


# ----- names of places ------------------------------------------------------------------------------------------------

_SEAT_OF = [min(position // GROUP, SEATS) for position in range(CARDS)]
_EACH = list(range(CARDS))
_SUITS = [face // 13 for face in range(CARDS)]
_RANKS = [face % 13 for face in range(CARDS)]
_COLOURS = [1 if face // 13 in (1, 2) else 0 for face in range(CARDS)]


def _seat(seat: int) -> str:
    return seat_name(seat) if seat < SEATS else "the undealt cards"


def _position_pair(i: int, j: int) -> str:
    return f"positions {i + 1} and {j + 1}"


def _pair_cell(i: int, j: int, first: int, second: int) -> str:
    if first < 0:
        return f"positions {i + 1} and {j + 1}: sum over all pairs of cards"
    return f"{card_name(first)} at {place_name(i)} with {card_name(second)} at {place_name(j)}"


def _lag_place(lag: int, position: int) -> str:
    return f"lag {lag}, {place_name(position)}"


def _lag_shift(lag: int, shift: int) -> str:
    return f"lag {lag}, cards moved {shift} positions down"


P, O, G, M, D = Subject.POSITIONS, Subject.ORDER, Subject.GUESSING, Subject.MEMORY, Subject.DEALING  # noqa: E741

_ROWS = (
    # ----- positions
    DeckTest(name="card-by-position", group=P, tally="faces.by_position", least=100, clause=POSITION_RULE,
             sees="any card that comes to any position too often or too seldom, over the whole table at once",
             judge=positions.position_table(_EACH, _EACH, card_at)),
    DeckTest(name="suit-by-position", group=P, tally="faces.by_position", least=100, clause=POSITION_RULE,
             sees="a suit that prefers positions",
             judge=positions.position_table(_EACH, _SUITS, lambda i, s: f"{SUIT_NAMES[s]} at {place_name(i)}")),
    DeckTest(name="rank-by-position", group=P, tally="faces.by_position", least=100, clause=POSITION_RULE,
             sees="a rank that prefers positions",
             judge=positions.position_table(_EACH, _RANKS, lambda i, r: f"rank {RANK_NAMES[r]} at {place_name(i)}")),
    DeckTest(name="colour-by-position", group=P, tally="faces.by_position", least=100, clause=POSITION_RULE,
             sees="a colour that prefers positions",
             judge=positions.position_table(_EACH, _COLOURS,
                                            lambda i, c: f"{('black', 'red')[c]} at {place_name(i)}")),
    DeckTest(name="each-position", group=P, tally="faces.by_position", least=520, clause=POSITION_RULE,
             sees="one position whose cards are uneven",
             judge=positions.each_row(place_name, card_at, by_value=False)),
    DeckTest(name="each-card", group=P, tally="faces.by_position", least=520, clause=POSITION_RULE,
             sees="one card whose positions are uneven",
             judge=positions.each_row(card_name, card_at, by_value=True)),
    DeckTest(name="each-cell", group=P, tally="faces.by_position", least=16, clause=POSITION_RULE,
             sees="one card at one position",
             judge=positions.each_cell(card_at)),
    DeckTest(name="lehmer-digits", group=P, tally="faces.lehmer", least=520, clause=POSITION_RULE,
             sees="the draw behind each position: how many of the cards still to come are lower",
             judge=positions.lehmer_digits(lambda i, d: f"{place_name(i)}, {d} lower cards still to come")),
    DeckTest(name="position-pairs", group=P, tally="position_pairs", least=2_652, clause=PAIR_RULE,
             sees="two positions whose cards go together in any way",
             judge=pairs.worst_pair(_pair_cell)),
    DeckTest(name="position-pairs-total", group=P, tally="position_pairs", least=2_652, clause=PAIR_RULE,
             sees="positions whose cards go together, spread over many pairs",
             judge=pairs.all_pairs(_pair_cell)),
    DeckTest(name="position-correlation", group=P, tally="faces.correlation", least=1_000, clause=PAIR_RULE,
             sees="two positions whose cards rise and fall together",
             judge=memory.position_correlation(_position_pair)),
    DeckTest(name="same-suit-pairs", group=P, tally="same_suit", least=16, clause=PAIR_RULE,
             sees="two positions that share a suit too often or too seldom",
             judge=memory.same_kind_pairs(12, _position_pair)),
    DeckTest(name="same-rank-pairs", group=P, tally="same_rank", least=16, clause=PAIR_RULE,
             sees="two positions that share a rank too often or too seldom",
             judge=memory.same_kind_pairs(3, _position_pair)),
    # ----- order of the faces
    DeckTest(name="adjacent-pairs", group=O, tally="faces.adjacent", least=520, clause=ADJACENCY_RULE,
             sees="cards that follow each other too often or too seldom, over all pairs at once",
             judge=positions.adjacent_pairs(follows)),
    DeckTest(name="each-adjacent-pair", group=O, tally="faces.adjacent", least=16, clause=ADJACENCY_RULE,
             sees="one card that follows another",
             judge=positions.each_adjacent_pair(follows)),
    DeckTest(name="suit-follows-suit", group=O, tally="faces.adjacent", least=100, clause=ADJACENCY_RULE,
             sees="suits that follow each other in a pattern",
             judge=positions.lumped_adjacent(_SUITS, lambda a, b: f"{SUIT_NAMES[a]} followed by {SUIT_NAMES[b]}")),
    DeckTest(name="rank-follows-rank", group=O, tally="faces.adjacent", least=520, clause=ADJACENCY_RULE,
             sees="ranks that follow each other in a pattern",
             judge=positions.lumped_adjacent(
                 _RANKS, lambda a, b: f"rank {RANK_NAMES[a]} followed by rank {RANK_NAMES[b]}")),
    DeckTest(name="card-distances", group=O, tally="card_distances", least=1_000, clause=ADJACENCY_RULE,
             sees="two cards that keep near each other or keep apart",
             judge=memory.card_distances(lambda a, b: f"distance of {card_name(a)} and {card_name(b)}")),
    DeckTest(name="face-distances", group=O, tally="faces.distances", least=520, clause=ADJACENCY_RULE,
             sees="neighbours of the factory order that come out too near or too far apart",
             judge=positions.distances(lambda d: f"factory neighbours {d} positions apart")),
    DeckTest(name="suit-runs", group=O, tally="suit_runs", least=1, clause=RUNS_RULE,
             sees="suits that clump or alternate", judge=_count("suit_runs", "suit runs")),
    DeckTest(name="colour-runs", group=O, tally="colour_runs", least=1, clause=RUNS_RULE,
             sees="colours that clump or alternate", judge=_count("colour_runs", "colour runs")),
    DeckTest(name="rank-runs", group=O, tally="rank_runs", least=1, clause=RUNS_RULE,
             sees="equal ranks that clump or keep apart", judge=_count("rank_runs", "rank runs")),
    DeckTest(name="face-successions", group=O, tally="faces.successions", least=1, clause=ADJACENCY_RULE,
             sees="factory neighbours still in sequence", judge=_count("successions", "successions")),
    DeckTest(name="face-rising-sequences", group=O, tally="faces.rising_sequences", least=1, clause=PERMUTATION_RULE,
             sees="riffles of a deck in factory order", judge=_count("rising_sequences", "rising sequences")),
    DeckTest(name="face-valleys", group=O, tally="faces.valleys", least=1, clause=PERMUTATION_RULE,
             sees="shelf shuffles of a deck in factory order", judge=_count("valleys", "valleys")),
    DeckTest(name="face-inversions", group=O, tally="faces.inversions", least=1, clause=PERMUTATION_RULE,
             sees="a deck that leans towards factory order or its reverse", judge=_count("inversions", "inversions")),
    DeckTest(name="face-parity", group=O, tally="faces.inversions", least=1, clause=PERMUTATION_RULE,
             sees="a machine that can only make even (or odd) permutations of its deck", judge=_parity()),
    # ----- order against the input
    DeckTest(name="input-successions", group=O, tally="input.successions", least=1, clause=ADJACENCY_RULE,
             sees="cards that stuck to the next one", judge=_count("successions", "successions")),
    DeckTest(name="input-adjacencies", group=O, tally="input.adjacencies", least=1, clause=ADJACENCY_RULE,
             sees="neighbours that stayed together, either way round", judge=_count("adjacencies", "adjacencies")),
    DeckTest(name="input-rising-sequences", group=O, tally="input.rising_sequences", least=1,
             clause=PERMUTATION_RULE,
             sees="interleaved packets: too few riffles", judge=_count("rising_sequences", "rising sequences")),
    DeckTest(name="input-seven-riffles", group=O, tally="input.rising_sequences", least=1, clause=PERMUTATION_RULE,
             sees="what seven riffles leave behind, by the most powerful test against them", judge=_seven_riffles()),
    DeckTest(name="input-descents", group=O, tally="input.descents", least=1, clause=PERMUTATION_RULE,
             sees="the inverse of riffles: cards dealt into piles that were stacked",
             judge=_count("descents", "descents")),
    DeckTest(name="input-valleys", group=O, tally="input.valleys", least=1, clause=PERMUTATION_RULE,
             sees="cards laid on shelves from above and below", judge=_count("valleys", "valleys")),
    DeckTest(name="input-peaks", group=O, tally="input.peaks", least=1, clause=PERMUTATION_RULE,
             sees="the mirror image of valleys", judge=_count("peaks", "peaks")),
    DeckTest(name="input-inversions", group=O, tally="input.inversions", least=1, clause=PERMUTATION_RULE,
             sees="an output that leans towards its input or its reverse", judge=_count("inversions", "inversions")),
    DeckTest(name="input-parity", group=O, tally="input.inversions", least=1, clause=PERMUTATION_RULE,
             sees="a fixed number of swaps: only even (or odd) permutations", judge=_parity()),
    DeckTest(name="input-fixed-points", group=O, tally="input.fixed_points", least=1, clause=PERMUTATION_RULE,
             sees="cards that keep (or avoid) their place", judge=_count("fixed_points", "fixed points")),
    DeckTest(name="input-cycles", group=O, tally="input.cycles", least=1, clause=PERMUTATION_RULE,
             sees="swaps done wrong: too few or too many cycles", judge=_count("cycles", "cycles")),
    DeckTest(name="input-longest-increasing", group=O, tally="input.longest_increasing", least=1,
             clause=PERMUTATION_RULE,
             sees="a long thread of the input order left in the output",
             judge=_count("longest_increasing", "cards in the longest increasing subsequence")),
    DeckTest(name="input-distances", group=O, tally="input.distances", least=520, clause=ADJACENCY_RULE,
             sees="neighbours of the input that come out too near or too far apart",
             judge=positions.distances(lambda d: f"input neighbours {d} positions apart")),
    # ----- guessing
    DeckTest(name="riffle-guess", group=G, tally="input.riffle_guess", least=1, clause=OUTCOME_RULE,
             sees="what a player gains who guesses the next card up from the one just seen",
             judge=_count("riffle_guess", "right guesses")),
    DeckTest(name="shelf-guess", group=G, tally="input.shelf_guess", least=1, clause=OUTCOME_RULE,
             sees="what a player gains who follows the direction of the last two cards",
             judge=_count("shelf_guess", "right guesses")),
    DeckTest(name="previous-riffle-guess", group=G, tally="previous.riffle_guess", least=1, clause=OUTCOME_RULE,
             sees="the same guess by a player who saw the deck before",
             judge=_count("riffle_guess", "right guesses")),
    DeckTest(name="previous-shelf-guess", group=G, tally="previous.shelf_guess", least=1, clause=OUTCOME_RULE,
             sees="the same guess by a player who saw the deck before",
             judge=_count("shelf_guess", "right guesses")),
    # ----- memory
    DeckTest(name="input-by-position", group=M, tally="input.by_position", least=100, clause=SERIAL_RULE,
             sees="any place of the input that leads to any place of the output",
             judge=positions.position_table(_EACH, _EACH, from_to("from input"))),
    DeckTest(name="input-each-cell", group=M, tally="input.by_position", least=16, clause=SERIAL_RULE,
             sees="one place of the input that leads to one place of the output",
             judge=positions.each_cell(from_to("from input"))),
    DeckTest(name="previous-by-position", group=M, tally="previous.by_position", least=100, clause=SERIAL_RULE,
             sees="any place in the deck before that leads to any place in this one",
             judge=positions.position_table(_EACH, _EACH, from_to("from the previous deck's"))),
    DeckTest(name="previous-each-cell", group=M, tally="previous.by_position", least=16, clause=SERIAL_RULE,
             sees="one place in the deck before that leads to one place in this one",
             judge=positions.each_cell(from_to("from the previous deck's"))),
    DeckTest(name="previous-successions", group=M, tally="previous.successions", least=1, clause=SERIAL_RULE,
             sees="neighbours of the deck before still in sequence", judge=_count("successions", "successions")),
    DeckTest(name="previous-rising-sequences", group=M, tally="previous.rising_sequences", least=1,
             clause=SERIAL_RULE,
             sees="riffles from one deck to the next", judge=_count("rising_sequences", "rising sequences")),
    DeckTest(name="previous-valleys", group=M, tally="previous.valleys", least=1, clause=SERIAL_RULE,
             sees="shelf shuffles from one deck to the next", judge=_count("valleys", "valleys")),
    DeckTest(name="previous-inversions", group=M, tally="previous.inversions", least=1, clause=SERIAL_RULE,
             sees="a deck that leans towards the one before or its reverse", judge=_count("inversions", "inversions")),
    DeckTest(name="previous-fixed-points", group=M, tally="previous.fixed_points", least=1, clause=SERIAL_RULE,
             sees="cards where they were in the deck before", judge=_count("fixed_points", "fixed points")),
    DeckTest(name="previous-cycles", group=M, tally="previous.cycles", least=1, clause=SERIAL_RULE,
             sees="swaps done wrong from one deck to the next", judge=_count("cycles", "cycles")),
    DeckTest(name="serial-correlation", group=M, tally="serial", least=520, clause=SERIAL_RULE,
             sees="any position that goes with any position of the deck before",
             judge=memory.serial_correlation(lambda i, j: f"{place_name(i)} of the previous deck, {place_name(j)}")),
    DeckTest(name="lag-matches", group=M, tally="lag_matches", least=2, clause=SERIAL_RULE,
             sees="cards in the place they had one to sixteen decks before",
             judge=memory.lag_matches(lambda: law("fixed_points"), lambda lag, _: f"lag {lag}, cards in place")),
    DeckTest(name="lag-shifts", group=M, tally="lag_shifts", least=100, clause=SERIAL_RULE,
             sees="cards moved round the deck together, one to sixteen decks later",
             judge=memory.lag_shifts(lambda: law("fixed_points"), _lag_shift)),
    DeckTest(name="lag-descents", group=M, tally="lag_order", least=2, clause=SERIAL_RULE,
             sees="cards that keep the order they had one to sixteen decks before",
             judge=memory.lag_descents(lambda: law("descents"), lambda lag, _: f"lag {lag}, descents")),
    DeckTest(name="lag-successions", group=M, tally="lag_order", least=2, clause=SERIAL_RULE,
             sees="neighbours that stay together from one to sixteen decks before",
             judge=memory.lag_successions(lambda: law("successions"), lambda lag, _: f"lag {lag}, successions")),
    DeckTest(name="lag-correlation", group=M, tally="lag_correlation", least=1_000, clause=SERIAL_RULE,
             sees="a position that goes with itself one to sixteen decks before",
             judge=memory.lag_correlation(_lag_place)),
    # ----- dealing
    DeckTest(name="card-by-seat", group=D, tally="faces.by_position", least=100, clause=OUTCOME_RULE,
             sees="a card that goes to a seat",
             judge=positions.position_table(_SEAT_OF, _EACH, lambda s, face: f"{card_name(face)} at {_seat(s)}")),
    DeckTest(name="rank-by-seat", group=D, tally="faces.by_position", least=100, clause=OUTCOME_RULE,
             sees="a rank that goes to a seat",
             judge=positions.position_table(_SEAT_OF, _RANKS, lambda s, r: f"rank {RANK_NAMES[r]} at {_seat(s)}")),
    DeckTest(name="hand-categories", group=D, tally="hands", least=100, clause=OUTCOME_RULE,
             sees="hands too good or too poor over the whole table", judge=dealing.all_hands()),
    DeckTest(name="hands-by-seat", group=D, tally="hands", least=520, clause=OUTCOME_RULE,
             sees="one seat with the wrong mix of hands", judge=dealing.each_seat()),
    DeckTest(name="seats-alike", group=D, tally="hands", least=520, clause=OUTCOME_RULE,
             sees="seats that get different mixes of hands", judge=dealing.seats_alike()),
    DeckTest(name="hands-of-two-seats", group=D, tally="hand_pairs", least=100, clause=OUTCOME_RULE,
             sees="two seats whose hands go together", judge=seats.TwoSeatsJudge()),
    DeckTest(name="seat-strength", group=D, tally="seat_scores", least=100, clause=OUTCOME_RULE,
             sees="a seat that is dealt better or poorer hands than the others of the same deal",
             judge=dealing.seat_strength()),
    DeckTest(name="dealer-against-players", group=D, tally="seat_scores", least=100, clause=OUTCOME_RULE,
             sees="a dealer who beats the players too often or too seldom", judge=dealing.DealerJudge()),
    DeckTest(name="group-order", group=D, tally="faces.group_order", least=100, clause=PERMUTATION_RULE,
             declarable=True,
             sees="three-card groups that come sorted by face", judge=dealing.group_order("face")),
    DeckTest(name="group-order-by-rank", group=D, tally="rank_order", least=100, clause=PERMUTATION_RULE,
             declarable=True,
             sees="three-card groups that come sorted by rank", judge=dealing.group_order("rank")),
    DeckTest(name="group-order-by-input", group=D, tally="input.group_order", least=100, clause=PERMUTATION_RULE,
             declarable=True,
             sees="three-card groups that come in feed order", judge=dealing.group_order("input place")),
    DeckTest(name="group-order-by-previous", group=D, tally="previous.group_order", least=100,
             clause=PERMUTATION_RULE, declarable=True,
             sees="three-card groups in the order of the deck before", judge=dealing.group_order("previous place")),
)  # fmt: skip

_TWINS = {
    "input-by-position": "card-by-position",
    "input-each-cell": "each-cell",
    "input-successions": "face-successions",
    "input-rising-sequences": "face-rising-sequences",
    "input-valleys": "face-valleys",
    "input-inversions": "face-inversions",
    "input-parity": "face-parity",
    "input-distances": "face-distances",
    "group-order-by-input": "group-order",
    "input-successions-spread": "face-successions-spread",
    "input-rising-sequences-spread": "face-rising-sequences-spread",
    "input-descents-spread": "face-descents-spread",
    "input-valleys-spread": "face-valleys-spread",
    "input-inversions-spread": "face-inversions-spread",
    "input-change-point": "face-change-point",
    "input-drift": "face-drift",
    "input-phases": "face-phases",
    "input-stuck-pairs": "face-stuck-pairs",
}
"""Tests that are one and the same where decks are shuffled from factory order."""

DECK_TESTS = {
    test.name: replace(test, twin=_TWINS.get(test.name, ""))
    for test in (*_ROWS, *spread.ROWS, *in_time.ROWS, *places.ROWS)
}


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


def deck_test(name: str) -> DeckTest:
    """The test of that name."""
    if name not in DECK_TESTS:
        raise UnknownTest(f"no deck test named {name!r}; there are {', '.join(DECK_TESTS)}")
    return DECK_TESTS[name]

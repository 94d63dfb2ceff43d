"""For every test a shuffle built to fail it, and where it says to look; and good shuffles that it passes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pytest

from randomness.decks import CERTAIN_TESTS, DECK_TESTS, DeckBattery, compiled_available
from randomness.decks.columns import hand_values
from randomness.decks.rows import in_time, spread
from randomness.decks.rows.base import Over
from randomness.kernels import make
from randomness.result import Outcome
from randomness.sources import make_source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not compiled_available(), reason="numba is not installed"),
]

Decks = np.ndarray
DECKS = 3_000
FACTORY = np.arange(52, dtype=np.uint8)
VALUES = hand_values()


def shuffles(kernel: str, many: int, seed: int = 1, **settings) -> Decks:
    return make(kernel, **settings).permutations(52, many, make_source("ctr", seed=seed)).astype(np.uint8)


@lru_cache
def _good(many: int, seed: int) -> Decks:
    return shuffles("ideal", many, seed)


def good(many: int = DECKS, seed: int = 7) -> Decks:
    return _good(many, seed).copy()


def put(deck: Decks, card: int, position: int) -> None:
    """Move a card to a position; what lay there takes its place."""
    now = int(np.flatnonzero(deck == card)[0])
    deck[now], deck[position] = deck[position], card


def sometimes(share: float, many: int, seed: int = 3) -> np.ndarray:
    return np.flatnonzero(np.random.default_rng(seed).random(many) < share)


@dataclass(frozen=True, kw_only=True)
class Planted:
    """Decks with a defect, the orders they came from (where it matters), and words of the finding."""

    decks: Decks
    place: str
    inputs: Decks | None = None


# ----- ways to spoil --------------------------------------------------------------------------------------------------


def spoil(change: Callable[[Decks, np.random.Generator], None], place: str, share: float = 0.3) -> Planted:
    decks, rng = good(), np.random.default_rng(5)
    for row in sometimes(share, len(decks)):
        change(decks[row], rng)
    return Planted(decks=decks, place=place)


def from_factory(kernel: str, place: str, many: int = DECKS, **settings) -> Planted:
    return Planted(decks=shuffles(kernel, many, **settings), place=place)


def from_inputs(kernel: str, place: str, many: int = DECKS, invert: bool = False, **settings) -> Planted:
    """The mechanism works on random input orders: only against them does it show."""
    w, inputs = shuffles(kernel, many, **settings), good(many, 11)
    if invert:
        w = np.argsort(w, axis=1).astype(np.uint8)
    return Planted(decks=np.take_along_axis(inputs, w.astype(int), axis=1), inputs=inputs, place=place)


def upside_down(planted: Planted) -> Planted:
    """The same seen in a mirror: high cards for low ones, so that valleys become peaks."""
    assert planted.inputs is not None
    return Planted(decks=planted.decks, inputs=planted.inputs[:, ::-1], place=planted.place)


def in_a_chain(kernel: str, place: str, many: int = DECKS, **settings) -> Planted:
    """Each deck is the one before, put through the mechanism."""
    w = shuffles(kernel, many, **settings)
    decks = np.empty_like(w)
    deck = good(1, 13)[0]
    for row, order in enumerate(w):
        deck = decks[row] = deck[order]
    return Planted(decks=decks, place=place)


def looking_back(lag: int, change: Callable[[Decks, Decks], None], place: str, share: float = 0.5) -> Planted:
    decks = good()
    for row in sometimes(share, len(decks)):
        if row >= lag:
            change(decks[row], decks[row - lag])
    return Planted(decks=decks, place=place)


def left_alone(name: str) -> Planted:
    """One deck in 30 comes as it went in, or turned over, among good ones: the mean of a count hardly moves."""
    words = DECK_TESTS[name].judge.of
    if name.startswith(("previous-", "lag-")):
        return looking_back(1, lambda now, then: now.__setitem__(slice(None), then), words, 1 / 30)
    decks, inputs = good(), np.tile(FACTORY, (DECKS, 1))
    for place, row in enumerate(sometimes(1 / 30, DECKS)):
        decks[row] = FACTORY[:: 1 if place % 2 else -1]
    return Planted(decks=decks, inputs=inputs, place=words)


LONG = 10_400


def rows_that_change(name: str, rate: float) -> np.ndarray:
    """Rows of a long sample in which something happens: in the first half, more and more often, or in odd rows."""
    rows, chance = np.arange(LONG), np.random.default_rng(3).random(LONG)
    if name.endswith("change-point"):
        return np.flatnonzero((rows < LONG // 2) & (chance < rate))
    if name.endswith("drift"):
        return np.flatnonzero(chance < 2 * rate * rows / LONG)
    return np.flatnonzero((rows % 2 == 1) & (chance < rate))


def changing(name: str) -> Planted:
    """What the test looks at happens too often, but not all the time."""
    decks, inputs = good(LONG), None
    if name.startswith("input-"):
        inputs = good(LONG, 11)
    counts = "-counts-" in name
    for row in rows_that_change(name, 0.3 if counts or name.startswith("hands") else 0.1):
        deck = decks[row]
        then = inputs[row] if inputs is not None else decks[row - 1]
        if name.startswith("hands"):
            give_a_pair(deck, 2)
        elif name.startswith("adjacent"):
            if deck[51] != 7:
                put(deck, 30, int(np.flatnonzero(deck == 7)[0]) + 1)
        elif counts:
            part = deck[10:30]
            part[:] = part[np.argsort(part if name.startswith("face-") else np.argsort(then)[part])]
        elif name.startswith("face-"):
            put(deck, 36, 6)
        else:
            put(deck, then[20], 6)
    places = {
        "hands": "player 3, pair", "adjacent": "9♣ followed by 6♥", "face": "Q♥ at position 7",
        "input": "from input position 21 to position 7", "previous": "previous deck's position 21 to position 7",
    }  # fmt: skip
    return Planted(decks=decks, inputs=inputs, place="mean number of" if counts else places[name.split("-")[0]])


def bottom_pair(deck: Decks, rng: np.random.Generator) -> None:
    """A♠ comes directly after K♠."""
    if deck[51] != 50:
        put(deck, 51, int(np.flatnonzero(deck == 50)[0]) + 1)


def stuck_at_the_bottom(place: str, *, given: bool = False) -> Planted:
    """The bottom pair of what went in stays together in one deck of twenty."""
    decks, inputs = good(), good(DECKS, 11)
    for row in sometimes(0.06, DECKS):
        then = inputs[row] if given else decks[row - 1]
        if decks[row, 51] != then[50]:
            put(decks[row], then[51], int(np.flatnonzero(decks[row] == then[50])[0]) + 1)
    return Planted(decks=decks, inputs=inputs if given else None, place=place)


def hearts_together(deck: Decks, rng: np.random.Generator) -> None:
    """A heart comes to lie beside another one."""
    at = int(rng.choice(np.flatnonzero(deck[:51] // 13 == 2)))
    others = np.flatnonzero(deck // 13 == 2)
    put(deck, deck[rng.choice(others[np.abs(others - at) > 1])], at + 1)


def naive_swap() -> Decks:
    rng = np.random.default_rng(2)
    decks = np.tile(FACTORY, (DECKS, 1))
    for deck in decks:
        for i, j in enumerate(rng.integers(0, 52, 52)):
            deck[i], deck[j] = deck[j], deck[i]
    return decks


def same_kind(deck: Decks, rng: np.random.Generator, kind: Callable[[Decks], Decks]) -> None:
    """Position 41 gets a card of the kind that lies at position 4."""
    others = np.flatnonzero(kind(deck) == kind(deck)[3])
    put(deck, deck[rng.choice(others[others != 3])], 40)


def gather(kind: Callable[[Decks], Decks], cards: int = 12) -> Callable[[Decks, np.random.Generator], None]:
    """Some cards in a row come sorted by kind."""

    def change(deck: Decks, rng: np.random.Generator) -> None:
        start = rng.integers(0, 52 - cards)
        part = deck[start : start + cards]
        part[:] = part[np.argsort(kind(part), kind="stable")]

    return change


def sorted_groups(key: Callable[[Decks], Decks]) -> Callable[[Decks, np.random.Generator], None]:
    def change(deck: Decks, rng: np.random.Generator) -> None:
        part = deck[9:12]
        part[:] = part[np.argsort(key(part))]

    return change


def give_a_pair(deck: Decks, seat: int) -> None:
    """The third card becomes one of the first one's rank from the undealt cards, if there is any."""
    same = np.flatnonzero(deck[24:] % 13 == deck[3 * seat] % 13)
    if len(same):
        put(deck, deck[24 + same[0]], 3 * seat + 2)


def has_a_pair(deck: Decks, seat: int) -> bool:
    return int(VALUES[tuple(deck[3 * seat : 3 * seat + 3])]) >> 10 >= 1


def best_hand_to(seat: int) -> Callable[[Decks, np.random.Generator], None]:
    def change(deck: Decks, rng: np.random.Generator) -> None:
        best = max(range(8), key=lambda s: int(VALUES[tuple(deck[3 * s : 3 * s + 3])]))
        hand = deck[3 * best : 3 * best + 3].copy()
        deck[3 * best : 3 * best + 3] = deck[3 * seat : 3 * seat + 3]
        deck[3 * seat : 3 * seat + 3] = hand

    return change


def both_seats_pair(deck: Decks, rng: np.random.Generator) -> None:
    if has_a_pair(deck, 1) != has_a_pair(deck, 4):
        give_a_pair(deck, 1 if has_a_pair(deck, 4) else 4)


def in_input_order(planted: Planted) -> Planted:
    """The third group comes in the order of the input."""
    decks, inputs = planted.decks.copy(), good(len(planted.decks), 17)
    for row in sometimes(0.3, len(decks)):
        places = np.argsort(inputs[row])
        decks[row, 9:12] = decks[row, 9:12][np.argsort(places[decks[row, 9:12]])]
    return Planted(decks=decks, inputs=inputs, place=planted.place)


def suit(cards: Decks) -> Decks:
    return cards // 13


def rank(cards: Decks) -> Decks:
    return cards % 13


def colour(cards: Decks) -> Decks:
    return (cards // 13 + 1) & 2


def as_is(cards: Decks) -> Decks:
    return cards


PLANTED: dict[str, Callable[[], Planted]] = {
    "card-by-position": lambda: Planted(decks=naive_swap(), place="at position"),
    "suit-by-position": lambda: spoil(lambda d, r: put(d, r.integers(0, 13), 6), "♣ at position 7"),
    "rank-by-position": lambda: spoil(lambda d, r: put(d, 12 + 13 * r.integers(0, 4), 6), "rank A at position 7"),
    "colour-by-position": lambda: spoil(lambda d, r: put(d, r.integers(13, 39), 6), "at position 7"),
    "each-position": lambda: spoil(lambda d, r: put(d, r.integers(0, 20), 6), "position 7"),
    "each-card": lambda: spoil(lambda d, r: put(d, 36, r.integers(0, 20)), "Q♥"),
    "each-cell": lambda: spoil(lambda d, r: put(d, 36, 6), "Q♥ at position 7", 0.05),
    "lehmer-digits": lambda: Planted(decks=naive_swap(), place="lower cards still to come"),
    "position-pairs": lambda: spoil(lambda d, r: put(d, (d[3] + 26) % 52, 40), "positions 4 and 41", 0.5),
    "position-pairs-total": lambda: Planted(
        decks=((np.arange(52) + np.random.default_rng(1).integers(0, 52, (DECKS, 1))) % 52).astype(np.uint8),
        place="positions",
    ),
    "position-correlation": lambda: spoil(lambda d, r: put(d, d[3] ^ 1, 40), "positions 4 and 41"),
    "same-suit-pairs": lambda: spoil(lambda d, r: same_kind(d, r, suit), "positions 4 and 41"),
    "same-rank-pairs": lambda: spoil(lambda d, r: same_kind(d, r, rank), "positions 4 and 41"),
    "adjacent-pairs": lambda: from_factory("ideal", "followed by", sticky="1/4"),
    "each-adjacent-pair": lambda: spoil(
        lambda d, r: put(d, 30, int(np.flatnonzero(d == 7)[0]) + 1) if d[51] != 7 else None,
        "9♣ followed by 6♥",
        0.06,
    ),
    "suit-follows-suit": lambda: spoil(gather(suit), "followed by"),
    "rank-follows-rank": lambda: spoil(
        lambda d, r: put(d, (d[20] % 13 + 1) % 13 + 13 * r.integers(0, 4), 21), "followed by rank", 0.9
    ),
    "card-distances": lambda: spoil(keep_near, "distance of 9♣ and 6♥", 0.3),
    "face-parity": lambda: Planted(decks=even_only(good(100)), place="odd permutations"),
    "input-parity": lambda: Planted(
        decks=even_only(good(100)), inputs=np.tile(FACTORY, (100, 1)), place="odd permutations"
    ),
    "face-distances": lambda: from_factory("riffle", "positions apart", passes=5),
    "suit-runs": lambda: spoil(gather(suit), "suit runs"),
    "colour-runs": lambda: spoil(gather(colour), "colour runs"),
    "rank-runs": lambda: spoil(gather(rank, 30), "rank runs"),
    "face-successions": lambda: from_factory("riffle", "successions", many=300, passes=5),
    "face-rising-sequences": lambda: from_factory("riffle", "rising sequences", many=100, passes=7),
    "face-valleys": lambda: from_factory("shelf", "valleys", many=10, shelves=10),
    "face-inversions": lambda: from_factory("riffle", "inversions", passes=5),
    "input-successions": lambda: from_inputs("ideal", "successions", sticky="1/50"),
    "input-adjacencies": lambda: from_inputs("shelf", "adjacencies", many=300),
    "input-rising-sequences": lambda: from_inputs("riffle", "rising sequences", many=100, passes=7),
    "input-seven-riffles": lambda: from_inputs("riffle", "likeness to 7 riffles", many=60, passes=7),
    "input-descents": lambda: from_inputs("riffle", "descents", many=100, invert=True, passes=7),
    "input-valleys": lambda: from_inputs("shelf", "valleys", many=10, shelves=10),
    "input-peaks": lambda: upside_down(from_inputs("shelf", "peaks", many=10, shelves=10)),
    "input-inversions": lambda: from_inputs("riffle", "inversions", passes=5),
    "input-fixed-points": lambda: one_cycle_each("fixed points"),
    "input-cycles": lambda: one_cycle_each("cycles"),
    "input-longest-increasing": lambda: from_inputs("riffle", "longest increasing", many=100, passes=4),
    "input-distances": lambda: from_inputs("riffle", "positions apart", passes=5),
    "riffle-guess": lambda: from_inputs("riffle", "right guesses", many=300, passes=4),
    "shelf-guess": lambda: from_inputs("shelf", "right guesses", many=30),
    "previous-riffle-guess": lambda: in_a_chain("riffle", "right guesses", many=300, passes=4),
    "previous-shelf-guess": lambda: in_a_chain("shelf", "right guesses", many=30),
    "input-by-position": lambda: from_inputs("riffle", "from input position", passes=5),
    "input-each-cell": lambda: from_inputs("riffle", "from input position", passes=3),
    "previous-by-position": lambda: in_a_chain("riffle", "from the previous deck's position", passes=5),
    "previous-each-cell": lambda: looking_back(
        1, lambda now, then: put(now, then[20], 7), "from the previous deck's position 21 to position 8", 0.06
    ),
    "previous-successions": lambda: in_a_chain("ideal", "successions", sticky="1/50"),
    "previous-rising-sequences": lambda: in_a_chain("riffle", "rising sequences", many=100, passes=7),
    "previous-valleys": lambda: in_a_chain("shelf", "valleys", many=10),
    "previous-inversions": lambda: in_a_chain("riffle", "inversions", passes=5),
    "previous-fixed-points": lambda: looking_back(1, lambda now, then: put(now, then[20], 20), "fixed points", 0.3),
    "previous-cycles": lambda: one_cycle_chain(),
    "serial-correlation": lambda: looking_back(
        1, lambda now, then: put(now, then[3] ^ 1, 7), "position 4 of the previous deck, position 8"
    ),
    "lag-matches": lambda: looking_back(7, lambda now, then: put(now, then[9], 9), "lag 7"),
    "lag-shifts": lambda: looking_back(
        5, lambda now, then: put(now, then[9], 20), "lag 5, cards moved 11 positions down"
    ),
    "lag-descents": lambda: looking_back(2, keep_order, "lag 2, descents", 0.2),
    "lag-successions": lambda: looking_back(
        6, lambda now, then: put(now, then[30], int(np.flatnonzero(now[:-1] == then[29])[0]) + 1)
        if now[51] != then[29] else None, "lag 6, successions",
    ),
    "lag-correlation": lambda: looking_back(3, lambda now, then: put(now, then[11] ^ 1, 11), "lag 3, position 12"),
    "card-by-seat": lambda: spoil(lambda d, r: put(d, 36, r.integers(6, 9)), "Q♥ at player 3"),
    "rank-by-seat": lambda: spoil(
        lambda d, r: put(d, 12 + 13 * r.integers(0, 4), r.integers(21, 24)), "rank A at dealer"
    ),
    "hand-categories": lambda: spoil(lambda d, r: [give_a_pair(d, s) for s in range(8)], "all seats, pair"),
    "hands-by-seat": lambda: spoil(lambda d, r: give_a_pair(d, 2), "player 3, pair"),
    "seats-alike": lambda: spoil(lambda d, r: give_a_pair(d, 2), "player 3, pair"),
    "hands-of-two-seats": lambda: spoil(both_seats_pair, "player 2 and player 5"),
    "seat-strength": lambda: spoil(best_hand_to(5), "player 6"),
    "dealer-against-players": lambda: spoil(best_hand_to(7), "dealer"),
    "group-order": lambda: spoil(sorted_groups(as_is), "player 4, group of 3 by face: lowest, middle, highest"),
    "group-order-by-rank": lambda: spoil(sorted_groups(rank), "player 4, group of 3 by rank: lowest, middle"),
    "group-order-by-input": lambda: in_input_order(Planted(decks=good(), place="player 4, group of 3 by input place")),
    "group-order-by-previous": lambda: looking_back(
        1, previous_order, "player 4, group of 3 by previous place: lowest, middle, highest"
    ),
    "face-stuck-pairs": lambda: spoil(bottom_pair, "K♠ and A♠ together", 0.06),
    "input-stuck-pairs": lambda: stuck_at_the_bottom("input positions 51 and 52 stay together", given=True),
    "previous-stuck-pairs": lambda: stuck_at_the_bottom("the previous deck's positions 51 and 52 stay together"),
    "kinds-that-stick": lambda: spoil(hearts_together, "♥ next to ♥", 0.5),
    "each-card-by-seat": lambda: spoil(lambda d, r: put(d, 36, r.integers(6, 9)), "Q♥ at player 3", 0.1),
    "high-card-by-seat": lambda: spoil(
        lambda d, r: put(d, 12 + 13 * r.integers(0, 4), 23), "highest card A at dealer"
    ),
    "each-hand-by-seat": lambda: spoil(lambda d, r: give_a_pair(d, 2), "pair at player 3"),
    **{test.name: partial(left_alone, test.name) for test in spread.ROWS},
    **{test.name: partial(changing, test.name) for test in in_time.ROWS if test.over is not Over.ALL},
    "classes-by-region": lambda: from_factory("defect:rising-class", "court cards towards the bottom", many=20_000),
    "input-lanes": lambda: from_inputs("defect:kept-lane", "the same lane of 8 as in the input", many=20_000),
    "previous-lanes": lambda: in_a_chain(
        "defect:kept-lane", "the same group of 3 as in the deck before", many=30_000, group=3
    ),
    "suit-by-distance": lambda: spoil(suit_four_later, "one suit, 4 positions apart", 0.9),
    "rank-by-distance": lambda: spoil(gather(rank, 30), "one rank, 1 positions apart"),
    "lag-far": lambda: looking_back(40, lambda now, then: put(now, then[9], 9), "lag 40, cards in place"),
    "lag-places": lambda: looking_back(
        2, lambda now, then: put(now, then[9], 9), "lag 2, position 10 keeps its card", 0.06
    ),
    "lag-each-cell": lambda: looking_back(
        3, lambda now, then: put(now, then[20], 7), "lag 3, from position 21 to position 8", 0.08
    ),
}


def suit_four_later(deck: Decks, rng: np.random.Generator) -> None:
    """A card of the suit of the one four places before it."""
    at = int(rng.integers(0, 48))
    alike = [card for card in range(52) if card // 13 == deck[at] // 13 and card != deck[at]]
    put(deck, int(rng.choice(alike)), at + 4)


def keep_near(deck: Decks, rng: np.random.Generator) -> None:
    """6♥ comes to lie within four places of 9♣."""
    at = int(np.flatnonzero(deck == 7)[0])
    put(deck, 30, at + int(rng.choice([s for s in (-4, -3, -2, 2, 3, 4) if 0 <= at + s < 52])))


def even_only(decks: Decks) -> Decks:
    for deck in decks:
        inversions = sum(int((deck[i + 1 :] < deck[i]).sum()) for i in range(52))
        if inversions % 2:
            deck[[0, 1]] = deck[[1, 0]]
    return decks


def keep_order(now: Decks, then: Decks) -> None:
    """Ten cards in a row come in the order they had then."""
    part = now[30:40]
    part[:] = part[np.argsort(np.argsort(then)[part])]


def previous_order(now: Decks, then: Decks) -> None:
    now[9:12] = now[9:12][np.argsort(np.argsort(then)[now[9:12]])]


def one_cycle(rng: np.random.Generator) -> Decks:
    """Sattolo's algorithm: always one cycle, never a card in its place."""
    w = FACTORY.copy()
    for i in range(51, 0, -1):
        j = rng.integers(0, i)
        w[i], w[j] = w[j], w[i]
    return w


def one_cycle_each(place: str) -> Planted:
    rng, inputs = np.random.default_rng(4), good(200, 19)
    return Planted(decks=np.array([row[one_cycle(rng)] for row in inputs]), inputs=inputs, place=place)


def one_cycle_chain() -> Planted:
    rng, deck = np.random.default_rng(4), FACTORY.copy()
    decks = []
    for _ in range(100):
        deck = deck[one_cycle(rng)]
        decks.append(deck)
    return Planted(decks=np.array(decks), place="cycles")


def test_every_test_has_a_defect_of_its_own() -> None:
    assert PLANTED.keys() == DECK_TESTS.keys()


@pytest.mark.parametrize("name", DECK_TESTS)
def test_a_planted_defect_is_found_and_named(name: str) -> None:
    planted = PLANTED[name]()
    battery = DeckBattery([name])
    battery.update(planted.decks, planted.inputs)
    result = battery.evaluate()[-1]
    assert result.outcome is Outcome.TESTED
    assert result.p is not None
    assert result.p < 1e-6
    assert any(planted.place in finding.place for finding in result.findings), result.findings
    assert result.effect is not None
    assert result.effect_low is not None
    assert result.effect_high is not None
    assert result.effect_low > 0 or result.effect_high < 0


@pytest.fixture(scope="module")
def clean() -> dict:
    inputs, w = good(20_000, 23), good(20_000, 29)
    battery = DeckBattery()
    battery.update(np.take_along_axis(inputs, w.astype(int), axis=1), inputs)
    return {result.test: result for result in battery.evaluate()}


@pytest.mark.parametrize("name", [*CERTAIN_TESTS, *DECK_TESTS])
def test_good_shuffles_pass(name: str, clean: dict) -> None:
    assert clean[name].outcome is Outcome.TESTED
    assert clean[name].p > 1e-4

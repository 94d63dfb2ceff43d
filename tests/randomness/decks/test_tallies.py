"""Counting: the compiled functions give the plain ones' integers, in any chunks, merged in any order."""

import numpy as np
import pytest

from randomness.decks import compiled_available
from randomness.decks.errors import DeckShapeError, MergeError, UnknownTest
from randomness.decks.layout import IN_FULL, LAGS, SEGMENT, TALLIES, is_counted
from randomness.decks.tallies import Tallies

compiled_only = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")

SMALL = [name for name in TALLIES if name != "position_pairs"]


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def counted(rows: np.ndarray, orders: np.ndarray | None = None, *, chunks: int = 0, **more) -> Tallies:
    made = Tallies(more.pop("names", SMALL), **more)
    for start in range(0, len(rows), chunks or len(rows)):
        stop = start + (chunks or len(rows))
        made.update(rows[start:stop], orders if orders is None or len(orders) == 1 else orders[start:stop])
    return made


def assert_same(one: Tallies, two: Tallies) -> None:
    assert one.decks == two.decks
    assert one.cells.keys() == two.cells.keys()
    for name, cells in one.cells.items():
        np.testing.assert_array_equal(cells, two.cells[name], err_msg=name)


@compiled_only
@pytest.mark.slow
def test_compiled_and_plain_count_the_same_integers() -> None:
    # Shuffled decks, and orderly ones that reach the far cells.
    tidy = np.arange(52, dtype=np.uint8)
    rows = np.concatenate([decks(30, 1), [tidy, tidy, tidy[::-1], np.roll(tidy, 1), tidy], decks(5, 2)])
    orders = np.concatenate([decks(35, 3), rows[35:]])
    plain = counted(rows, orders, names=TALLIES, compiled=False)
    assert_same(counted(rows, orders, names=TALLIES, compiled=True), plain)


@compiled_only
@pytest.mark.slow
def test_one_input_order_for_all_is_the_same_as_one_for_each() -> None:
    rows, order = decks(50, 4), decks(1, 5)
    each = counted(rows, np.repeat(order, 50, axis=0), compiled=True)
    assert_same(counted(rows, order, compiled=True), each)
    factory = np.arange(52, dtype=np.uint8)
    assert_same(counted(rows, factory[None], compiled=True), counted(rows, np.tile(factory, (50, 1)), compiled=True))
    plain = Tallies(["input.valleys"], compiled=False)
    plain.update(rows, order[0])
    np.testing.assert_array_equal(plain.cells["input.valleys"], each.cells["input.valleys"])


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("chunks", [1, 7, 100, SEGMENT, SEGMENT + 1])
def test_chunks_do_not_matter(chunks: int) -> None:
    many = 60 if chunks < 100 else 2 * SEGMENT + 300
    rows, orders = decks(many, 6), decks(many, 7)
    first = IN_FULL // SEGMENT - 1
    assert_same(counted(rows, orders, chunks=chunks, first_segment=first), counted(rows, orders, first_segment=first))


def test_plain_counting_does_not_depend_on_chunks_either() -> None:
    rows, orders = decks(24, 8), decks(24, 9)
    assert_same(counted(rows, orders, chunks=5, compiled=False), counted(rows, orders, compiled=False))


FULL = IN_FULL // SEGMENT
EVERY = TALLIES["faces.lehmer"].every


def in_segment(number: int, **more) -> Tallies:
    made = Tallies(["faces.lehmer", "faces.valleys", "position_pairs"], first_segment=number, **more)
    made.update(decks(3, 10))
    return made


def test_the_first_two_million_decks_are_counted_and_then_one_segment_in_so_many() -> None:
    assert IN_FULL >= 2_000_000
    for number in (0, 1, 37, FULL - 1):
        assert set(in_segment(number, compiled=False).decks.values()) == {3}
    for number in range(FULL, FULL + 2 * EVERY):
        counted = in_segment(number, compiled=False).decks
        assert counted["faces.valleys"] == 3
        assert counted["faces.lehmer"] == (3 if number % EVERY == 0 else 0)


@pytest.mark.parametrize("name", TALLIES)
def test_a_longer_run_counts_every_deck_that_a_shorter_one_does(name: str) -> None:
    """Whether a segment counts depends on its number alone, so more segments can only add to it."""
    segments = [is_counted(number, TALLIES[name].every) for number in range(4 * FULL)]
    assert all(segments[:FULL])
    assert sum(segments[: 3 * FULL]) <= sum(segments)


@compiled_only
@pytest.mark.slow
def test_shards_of_a_run_thin_out_as_one_sequence_would() -> None:
    rows, names = decks(5 * SEGMENT, 13), ["previous.valleys", "hands", "faces.lehmer"]
    whole = counted(rows, names=names, first_segment=FULL)
    parts = [
        counted(rows[first * SEGMENT : (first + 2) * SEGMENT], names=names, first_segment=FULL + first)
        for first in (0, 2, 4)
    ]
    parts[0].merge(parts[1])
    parts[0].merge(parts[2])
    for name in ("hands", "faces.lehmer"):
        np.testing.assert_array_equal(parts[0].cells[name], whole.cells[name])
    assert whole.decks == {"faces.lehmer": SEGMENT, "hands": 5 * SEGMENT, "previous.valleys": 2 * SEGMENT - 1}


@compiled_only
@pytest.mark.slow
def test_decks_shuffled_from_the_one_before_count_the_same_as_any_other() -> None:
    rows = decks(40, 14)
    orders = np.concatenate([decks(1, 15), rows[:-1]])
    assert_same(counted(rows, orders, chunks=9, compiled=True), counted(rows, orders, compiled=False))


def test_a_state_leaves_out_what_was_not_counted() -> None:
    made = Tallies(["hands", "position_pairs"], first_segment=IN_FULL // SEGMENT + 1, compiled=False)
    made.update(decks(3))
    state = made.to_state()
    assert list(state["cells"]) == ["hands"]
    assert_same(Tallies.from_state(state, compiled=False), made)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=[compiled_only, pytest.mark.slow])])
def test_merging_is_exact_in_any_order_and_keeps_sequences_apart(compiled: bool) -> None:
    parts = [decks(many, seed) for seed, many in enumerate((9, 1, 13), start=20)]

    def shard(rows: np.ndarray) -> Tallies:
        return counted(rows, rows[::-1], compiled=compiled)

    forward, backward = shard(parts[0]), shard(parts[2])
    forward.merge(shard(parts[1]))
    forward.merge(shard(parts[2]))
    backward.merge(shard(parts[1]))
    backward.merge(shard(parts[0]))
    assert_same(forward, backward)
    assert forward.decks["faces.valleys"] == 23
    assert forward.decks["previous.valleys"] == 20


def test_a_broken_sequence_has_no_deck_before() -> None:
    made = Tallies(["previous.valleys", "lag_matches"], compiled=False)
    made.update(decks(4))
    made.break_sequence()
    made.update(decks(3))
    assert made.decks == {"previous.valleys": 5, "lag_matches": 5}


def test_lags_reach_sixteen_decks_back_and_no_further() -> None:
    rows = decks(20, 30)
    rows[17], rows[19] = rows[1], rows[2]  # sixteen and seventeen decks later
    made = counted(rows, names=["lag_matches"], compiled=False)
    table = made.cells["lag_matches"].reshape(LAGS, 53)
    assert table[:, 52].nonzero()[0].tolist() == [15]
    assert table.sum(1).tolist() == [20 - lag for lag in range(1, 17)]


def test_a_kept_state_goes_on_to_the_same_counts() -> None:
    rows, orders = decks(30, 11), decks(30, 12)
    first = counted(rows[:17], orders[:17], compiled=False)
    kept = Tallies.from_state(first.to_state(), compiled=False)
    kept.update(rows[17:], orders[17:])
    assert_same(kept, counted(rows, orders, compiled=False))


@pytest.mark.parametrize("then", ["count", "merge", "clear"])
def test_a_state_stays_what_it_was_whatever_is_counted_after(then: str) -> None:
    made = counted(decks(5, 13), names=["hands"], compiled=False)
    state = made.to_state()
    before = state["cells"]["hands"].tolist()
    if then == "count":
        made.update(decks(3, 14))
    elif then == "merge":
        made.merge(counted(decks(3, 14), names=["hands"], compiled=False))
    else:
        made.clear()
    assert state["cells"]["hands"].tolist() == before
    assert made.cells["hands"].sum() == (0 if then == "clear" else 64)


def test_what_is_made_from_a_state_counts_in_cells_of_its_own() -> None:
    first = counted(decks(5, 13), names=["hands"], compiled=False)
    second = Tallies.from_state(first.to_state(), compiled=False)
    second.update(decks(3, 14))
    assert (first.cells["hands"].sum(), second.cells["hands"].sum()) == (40, 64)
    rows = [one.strata.by_stretch(["hands"])[:, 0].sum() for one in (first, second)]
    assert rows == [5, 8]


def test_without_input_orders_their_tallies_stay_empty() -> None:
    made = counted(decks(5), compiled=False)
    assert {name for name in SMALL if name.startswith("input.")} == {n for n, many in made.decks.items() if many == 0}


def test_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(UnknownTest, match=r"faces\.spades"):
        Tallies(["faces.spades"])
    with pytest.raises(DeckShapeError, match="52"):
        Tallies(["hands"]).update(np.zeros((3, 51), np.uint8))
    with pytest.raises(DeckShapeError, match="4 decks"):
        Tallies(["hands"]).update(decks(4), decks(3))
    with pytest.raises(MergeError):
        Tallies(["hands"]).merge(Tallies(["serial"]))

"""Counts by stretch and by phase: the plain counts of the same rows, whatever the shards and their order."""

import numpy as np
import pytest

from randomness.decks import compiled_available
from randomness.decks.errors import MergeError
from randomness.decks.layout import IN_FULL, SEGMENT, TALLIES
from randomness.decks.strata import NARROWEST, STRETCHES, Strata
from randomness.decks.tallies import Tallies

NAMES = ["faces.by_position", "input.by_position", "previous.valleys", "hands", "lag_matches"]
KEPT = ("faces.by_position", "input.by_position", "previous.valleys", "hands")
BOTH = [False, pytest.param(True, marks=pytest.mark.skipif(not compiled_available(), reason="numba is not installed"))]


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def counted(
    rows: np.ndarray,
    first: int = 0,
    *,
    compiled: bool,
    periods: tuple[int, ...] = (2,),
    orders: np.ndarray | None = None,
) -> Tallies:
    made = Tallies(NAMES, origin=5, periods=periods, compiled=compiled)
    made.update(rows, orders, row=5 + first)
    return made


def assert_same(one: Strata, two: Strata) -> None:
    assert one.width == two.width
    for name in one.names:
        np.testing.assert_array_equal(one.stretch[name], two.stretch[name], err_msg=name)
        np.testing.assert_array_equal(one.phase[name], two.phase[name], err_msg=name)


def test_only_what_can_be_compared_is_kept() -> None:
    assert Strata(NAMES).names == tuple(sorted(KEPT))


@pytest.mark.parametrize("compiled", BOTH)
def test_each_stretch_and_each_phase_holds_the_counts_of_its_rows(compiled: bool) -> None:
    rows = decks(100)
    strata = counted(rows, compiled=compiled, periods=(2, 3), orders=rows[::-1].copy()).strata
    table = strata.by_stretch(["faces.by_position"])
    assert strata.width == NARROWEST
    assert table[:, 0].tolist() == [32, 32, 32, 4]
    for stretch in range(4):
        part = rows[32 * stretch : 32 * stretch + 32]
        expected = [(part[:, i] == card).sum() for i in range(52) for card in range(52)]
        assert table[stretch, 1:].tolist() == expected
    phases = strata.by_phase(["faces.by_position"])
    numbers = np.arange(5, 105) % 6
    for phase in range(6):
        part = rows[numbers == phase]
        assert phases[phase, 0] == len(part)
        assert phases[phase, 1 + 52 * 7 + 3] == (part[:, 7] == 3).sum()


@pytest.mark.skipif(not compiled_available(), reason="numba is not installed")
@pytest.mark.parametrize("one_order", [True, False])
def test_compiled_and_plain_keep_the_same(one_order: bool) -> None:
    rows = decks(90, 1)
    orders = decks(1, 2) if one_order else decks(90, 3)
    for periods in ((2,), (8,), (2, 3)):
        one, two = (counted(rows, compiled=compiled, periods=periods, orders=orders) for compiled in (True, False))
        assert_same(one.strata, two.strata)


@pytest.mark.parametrize("compiled", BOTH)
def test_shards_merge_in_any_order_to_what_one_sequence_gives(compiled: bool) -> None:
    names, rows = ["faces.valleys", "hands"], decks(STRETCHES * NARROWEST + 300 if compiled else 300, 4)

    def shard(start: int, stop: int) -> Tallies:
        made = Tallies(names, compiled=compiled)
        made.update(rows[start:stop], row=start)
        return made

    whole, edges = shard(0, len(rows)), [0, 77, 200, 250, len(rows)]
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        parts = [shard(edges[part], edges[part + 1]) for part in order]
        for part in parts[1:]:
            parts[0].merge(part)
        assert_same(parts[0].strata, whole.strata)
    assert whole.strata.stretch["hands"][:, 0].sum() == len(rows)


def test_stretches_widen_by_two_and_keep_what_they_hold() -> None:
    strata = Strata(["hands"])
    seats = np.arange(8)[None] * 6
    for deck in (0, NARROWEST):
        strata.add("hands", strata.divided(TALLIES["hands"], seats, 48, deck, 0))
    strata.reach(STRETCHES * NARROWEST)
    assert strata.width == 2 * NARROWEST
    assert strata.stretch["hands"][:2, 0].tolist() == [2, 0]


def test_a_state_goes_on_and_leaves_out_what_is_empty() -> None:
    made = counted(decks(40, 5), 200, compiled=False)
    state = made.to_state()
    assert len(state["strata"]["kept"]["hands"]["stretch"]) == 2
    assert_same(Tallies.from_state(state, compiled=False).strata, made.strata)
    assert "input.by_position" not in state["strata"]["kept"]


def test_other_periods_do_not_merge() -> None:
    with pytest.raises(MergeError, match="periods"):
        Strata(["hands"]).merge(Strata(["hands"], periods=(3,)))


@pytest.mark.parametrize("compiled", BOTH)
def test_a_long_run_keeps_some_segments_and_counts_all(compiled: bool) -> None:
    rows, orders = decks(60, 6), decks(1, 7)
    kept = {}
    for number in (0, 1):
        made = Tallies(NAMES, first_segment=IN_FULL // SEGMENT + number, compiled=compiled)
        made.update(rows, orders)
        kept[number] = made
    assert kept[0].strata.phase["hands"][:, 0].sum() == 60
    assert kept[1].strata.phase["hands"][:, 0].sum() == 0
    for name in ("faces.by_position", "input.by_position", "hands"):
        np.testing.assert_array_equal(kept[0].cells[name], kept[1].cells[name], err_msg=name)
        assert kept[0].decks[name] == kept[1].decks[name]

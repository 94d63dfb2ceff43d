"""Fingerprints seen twice: found, numbered, in bounded memory and in any order."""

import numpy as np
import pytest

from randomness.decks import repeats
from randomness.decks.repeats import DECKS, RINGS, Repeats

UNIT = "share"


def seen(keys: np.ndarray, first: int = 0, marks: np.ndarray | None = None, **more) -> Repeats:
    made = Repeats(**more)
    made.add(keys, keys if marks is None else marks, np.arange(first, first + len(keys)))
    return made


def copies(made: Repeats):
    return made.copies(DECKS, "are the same deck", unit=UNIT)


def words(many: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, many, np.uint64)


def assert_same(one: dict, two: dict) -> None:
    assert one.keys() == two.keys()
    for key in one:
        if key == "twice":
            for mine, theirs in zip(one[key], two[key], strict=True):
                np.testing.assert_array_equal(mine, theirs)
        else:
            np.testing.assert_array_equal(one[key], two[key], err_msg=key)


def test_a_repeat_is_found_with_both_rows() -> None:
    keys = words(500)
    keys[321] = keys[17]
    result = copies(seen(keys, 1000))
    assert result.statistic == 1.0
    assert result.p is not None
    assert result.p < 1e-20
    assert result.findings[0].place == "rows 1017 and 1321 are the same deck"


def test_no_repeat_is_no_evidence() -> None:
    assert copies(seen(words(500))).p == 1.0


def test_one_key_with_two_marks_is_alike_and_no_copy() -> None:
    keys, marks = words(500), words(500, 2)
    keys[[40, 400]] = keys[3]
    made = seen(keys, marks=marks)
    assert copies(made).statistic == 0.0
    alike = made.alike(RINGS, "are alike", unit=UNIT)
    assert alike.statistic == 2.0
    assert alike.p is not None
    assert alike.p < 1e-20
    assert (alike.findings[0].place, alike.findings[0].observed) == ("rows 3 and 40 are alike", 3.0)


def test_a_copy_is_not_alike_as_well() -> None:
    keys = words(100)
    keys[50] = keys[1]
    assert seen(keys).alike(RINGS, "are alike", unit=UNIT).statistic == 0.0


def test_all_are_kept_up_to_the_stated_number() -> None:
    made = seen(words(1_000), most=1_000)
    assert (made.kept, made.share, made.pairs_found) == (1_000, 1.0, "all")
    more = seen(words(1_001), most=1_000)
    assert more.kept == 1_000
    assert more.share == pytest.approx(0.999, abs=0.005)


def test_a_longer_run_never_keeps_fewer_nor_compares_fewer_pairs() -> None:
    keys, before, pairs = words(9_000), 0, 0.0
    for decks in range(500, 9_000, 500):
        made = seen(keys[:decks], most=1_000)
        assert made.kept >= before
        assert decks**2 * made.share >= pairs
        before, pairs = made.kept, decks**2 * made.share


def test_a_long_run_begins_a_little_above_the_limit_it_comes_to() -> None:
    assert Repeats(4_000_000).pairs_found == "all"
    assert Repeats(1_000_000_000, most=4_000_000).share == pytest.approx(1 / 250, rel=0.01)
    keys = words(20_000)
    planned, open_ended = seen(keys, planned=20_000, most=2_000), seen(keys, most=2_000)
    assert planned.kept == 2_000
    assert_same(planned.to_state(), open_ended.to_state())


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5, 6, 7], [7, 2, 0, 5, 1, 3, 6, 4]])
def test_what_is_kept_does_not_depend_on_order_or_merging(monkeypatch: pytest.MonkeyPatch, order: list[int]) -> None:
    monkeypatch.setattr(repeats, "_PENDING", 50)
    keys, marks = words(5000), words(5000, 3)
    keys[4000:], marks[4500:] = keys[:1000], marks[500:1000]  # half are copies, half alike
    keys[2000:2100], marks[2000:2100] = keys[0], marks[0]
    for most in (300, 100_000):
        whole = seen(keys, marks=marks, most=most)
        edges = range(0, 5000, 625)
        parts = [seen(keys[at : at + 625], at, marks[at : at + 625], most=most) for at in edges]
        first, *rest = (parts[part] for part in order)
        for part in rest:
            first.merge(part)
        assert_same(first.to_state(), whole.to_state())
        assert first.kept <= most
    assert copies(whole).statistic == 500 + 100
    assert whole.alike(RINGS, "", unit=UNIT).statistic == 500


def test_a_thinned_sample_scales_its_effect_up() -> None:
    keys = words(5000)
    keys[4000:] = keys[:1000]
    made = seen(keys, most=300)
    assert made.kept <= 300
    assert made.share == pytest.approx(300 / 4000, rel=0.2)
    assert copies(made).statistic == pytest.approx(1000 * made.share, abs=30)
    assert copies(made).effect == pytest.approx(0.2, abs=0.1)


def test_one_deck_over_and_over_stays_one_entry() -> None:
    made = Repeats()
    for start in range(0, 300_000, 100_000):
        made.add(np.full(100_000, 12345, np.uint64), np.zeros(100_000, np.uint64), np.arange(start, start + 100_000))
    result = copies(made)
    assert made.kept == 1
    assert result.statistic == 299_999
    assert result.findings[0].place == "rows 0 and 1 are the same deck"


def test_a_kept_state_goes_on() -> None:
    keys = words(100)
    made = Repeats.from_state(seen(keys).to_state())
    made.add(keys[:3], keys[:3], np.arange(100, 103))
    assert copies(made).statistic == 3.0

"""Decks seen twice: found, numbered, in bounded memory and in any order."""

import numpy as np
import pytest

from randomness.decks import compiled_available, repeats
from randomness.decks.repeats import Repeats, hashes

compiled_only = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")


def decks(many: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def seen(values: np.ndarray, first: int = 0) -> Repeats:
    made = Repeats()
    made.add(values, np.arange(first, first + len(values)))
    return made


@compiled_only
@pytest.mark.slow
def test_compiled_and_plain_hashes_are_the_same() -> None:
    rows = decks(100)
    np.testing.assert_array_equal(hashes(rows, compiled=True), hashes(rows, compiled=False))


def test_hashes_differ_when_two_cards_change_places() -> None:
    row = decks(1)[0]
    swapped = [row]
    for i in range(52):
        for j in range(i + 1, 52):
            other = row.copy()
            other[[i, j]] = other[[j, i]]
            swapped.append(other)
    assert len(np.unique(hashes(np.array(swapped), compiled=False))) == 1327


def test_a_repeat_is_found_with_both_rows() -> None:
    rows = decks(500)
    rows[321] = rows[17]
    result = seen(hashes(rows, compiled=False), 1000).result()
    assert result.statistic == 1.0
    assert result.p is not None
    assert result.p < 1e-10
    assert result.findings[0].place == "rows 1017 and 1321 are the same deck"


def test_no_repeat_is_no_evidence() -> None:
    assert seen(hashes(decks(500), compiled=False)).result().p == 1.0


def test_the_sample_is_bounded_and_does_not_depend_on_order_or_merging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "MOST_KEPT", 300)
    monkeypatch.setattr(repeats, "_PENDING", 50)
    values = np.random.default_rng(1).integers(0, 2**64, 5000, np.uint64)
    values[4000:] = values[:1000]
    whole = seen(values)
    parts = [seen(values[start : start + 700], start) for start in range(0, 5000, 700)]
    parts[-1].merge(parts[0])
    for part in parts[1:-1]:
        parts[-1].merge(part)
    one, two = whole.to_state(), parts[-1].to_state()
    assert one.keys() == two.keys()
    for key in one:
        np.testing.assert_array_equal(one[key], two[key], err_msg=key)
    assert len(one["hash"]) <= 300
    assert one["level"] == 4
    # A sixteenth of the repeats is seen, and the effect is scaled up to all of them.
    assert whole.result().statistic == pytest.approx(1000 / 16, abs=30)
    assert whole.result().effect == pytest.approx(0.2, abs=0.1)


def test_one_deck_over_and_over_stays_one_entry() -> None:
    made = Repeats()
    for start in range(0, 300_000, 100_000):
        made.add(np.full(100_000, 12345, np.uint64), np.arange(start, start + 100_000))
    result = made.result()
    assert len(made.hash) == 1
    assert result.statistic == 299_999
    assert result.findings[0].place == "rows 0 and 1 are the same deck"


def test_a_kept_state_goes_on() -> None:
    values = np.arange(100, dtype=np.uint64)
    made = Repeats.from_state(seen(values).to_state())
    made.add(values[:3], np.arange(100, 103))
    assert made.result().statistic == 3.0

"""The laboratory proof at a small size: defects are what they say, rows are judged, and a good file fails nothing."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from proofs import lab_defects, laboratory
from proofs.lab_defects import CARD, DEFECTS, POSITION, defect_of
from randomness.decks import compiled_available

pytestmark = pytest.mark.skipif(not compiled_available(), reason="numba is not installed")

SMALL = 4_000


@pytest.mark.slow
@pytest.mark.parametrize("what", [defect.what for defect in DEFECTS])
def test_every_file_holds_whole_decks_and_the_same_again_from_the_same_seed(what: str) -> None:
    one, two = (defect_of(what).make(SMALL, 3).decks for _ in range(2))
    assert (np.sort(one, axis=1) == np.arange(52)).all()
    np.testing.assert_array_equal(one, two)


@pytest.mark.slow
def test_a_cell_is_too_full_where_it_says_and_too_empty_elsewhere() -> None:
    decks = lab_defects.one_cell(lambda rows, many: np.where(rows < many / 2, 0.9, -0.9))(100_000, 1).decks
    hits = decks[:, POSITION] == CARD
    assert hits[:50_000].mean() == pytest.approx(1.9 / 52, rel=0.1)
    assert hits[50_000:].mean() == pytest.approx(0.1 / 52, rel=0.4)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["one permutation in 500 used again", "bottom pair stuck, 2 %"])
def test_what_must_be_found_early_is_found_and_located(what: str) -> None:
    rejected, places = laboratory.certified((what, SMALL, 2))
    assert rejected
    assert any(defect_of(what).place in place for place in places)


@pytest.mark.slow
def test_a_climb_ends_where_the_defect_is_found() -> None:
    defect = defect_of("one permutation in 500 used again")
    with ProcessPoolExecutor(1) as pool:
        row = laboratory.climbed(defect, pool, seed=5, tries=4, top=3_162, pilot=1_000, say=lambda _: None)
    assert row.as_predicted
    assert row.by == "repeated-permutations"


def test_nine_of_ten_must_be_found_and_located() -> None:
    row = laboratory.Named(what="a", decks=1, found=9, located=9, tried=10, by="b")
    assert row.good
    assert not laboratory.Named(what="a", decks=1, found=9, located=8, tried=10, by="b").good
    assert laboratory.Named(what="a", decks=1, found=9, located=-1, tried=10, by="b").good
    assert "Not as it should be: a." in laboratory.report(
        [laboratory.Named(what="a", decks=1, found=8, located=-1, tried=10, by="b")], []
    )
    assert "as it should be." in laboratory.report([row], [])

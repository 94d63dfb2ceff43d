"""Array look-ups equal the single-hand functions, and refuse what is no hand."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

from round_engine.hands import (
    FIVE_CARD_RANKS,
    THREE_CARD_RANKS,
    HandError,
    arrays,
    best_five,
    best_five_array,
    category3_of_rank,
    category3_of_rank_array,
    category5_of_rank,
    category5_of_rank_array,
    rank3,
    rank3_array,
    rank3_table,
)
from round_engine.hands.arrays import BLOCK_HANDS, NOT_A_HAND


def random_faces(hands: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((hands, 52)).argsort(axis=1)[:, :width].astype(np.uint8)


def test_rank3_array_equals_rank3_on_all_hands() -> None:
    hands = list(combinations(range(52), 3))
    assert rank3_array(np.array(hands, dtype=np.uint8)).tolist() == [rank3(*hand) for hand in hands]


def test_rank3_table_holds_every_ordered_triple() -> None:
    table = rank3_table()
    assert np.count_nonzero(table != NOT_A_HAND) == 52 * 51 * 50
    assert (table == table.transpose(1, 0, 2)).all()
    assert (table == table.transpose(2, 1, 0)).all()


def test_best_five_array_equals_best_five() -> None:
    hands = random_faces(20_000, 6, seed=3)
    assert best_five_array(hands).tolist() == [best_five(hand) for hand in hands.tolist()]


def test_best_five_array_equals_best_five_on_every_flush_of_six() -> None:
    hands = np.array(list(combinations(range(13, 26), 6)), dtype=np.uint8)
    assert best_five_array(hands).tolist() == [best_five(hand) for hand in hands.tolist()]


@pytest.mark.parametrize("hands", [0, 1, BLOCK_HANDS - 1, BLOCK_HANDS, BLOCK_HANDS + 1])
def test_any_number_of_hands(hands: int) -> None:
    faces = random_faces(hands, 6, seed=4)
    assert rank3_array(faces[:, :3]).shape == best_five_array(faces).shape == (hands,)
    if hands:
        assert rank3_array(faces[:, :3])[-1] == rank3(*faces[-1, :3].tolist())
        assert best_five_array(faces)[-1] == best_five(faces[-1].tolist())


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint32, np.int64])
def test_any_integer_dtype_and_layout(dtype: type) -> None:
    faces = random_faces(1_000, 6, seed=5)
    assert (rank3_array(faces[:, :3].astype(dtype)) == rank3_array(faces[:, :3])).all()
    assert (best_five_array(np.asfortranarray(faces.astype(dtype))) == best_five_array(faces)).all()
    assert (best_five_array(faces.astype(dtype)[::-1, ::-1]) == best_five_array(faces)[::-1]).all()


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_compiled_loops_give_the_same_ranks(dtype: type) -> None:
    pytest.importorskip("numba")
    faces = random_faces(50_000, 6, seed=8).astype(dtype)
    three = faces[:, :3]
    assert (rank3_array(three, compiled=True) == rank3_array(three, compiled=False)).all()
    assert (best_five_array(faces, compiled=True) == best_five_array(faces, compiled=False)).all()
    suited = np.array(list(combinations(range(13, 26), 6)), dtype=dtype)
    assert (best_five_array(suited, compiled=True) == best_five_array(suited, compiled=False)).all()


def test_without_numba_many_hands_are_ranked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "COMPILED_FROM", 1)
    monkeypatch.setattr(arrays, "numba_is_installed", lambda: False)
    faces = random_faces(100, 6, seed=9)
    assert best_five_array(faces).tolist() == [best_five(hand) for hand in faces.tolist()]


def test_categories_of_ranks() -> None:
    assert category3_of_rank_array(np.arange(THREE_CARD_RANKS)).tolist() == [
        category3_of_rank(rank) for rank in range(THREE_CARD_RANKS)
    ]
    assert category5_of_rank_array(np.arange(FIVE_CARD_RANKS)).tolist() == [
        category5_of_rank(rank) for rank in range(FIVE_CARD_RANKS)
    ]


@pytest.mark.parametrize(("evaluate", "width"), [(rank3_array, 3), (best_five_array, 6)])
def test_a_face_outside_the_deck_is_refused(evaluate, width: int) -> None:
    faces = random_faces(10, width, seed=6).astype(np.int16)
    for bad in (52, -1, 300):
        faces[7, 1] = bad
        with pytest.raises(HandError, match=r"row 7 .*outside 0 … 51"):
            evaluate(faces)


def test_the_same_face_twice_is_refused() -> None:
    faces = random_faces(10, 3, seed=7)
    faces[4, 2] = faces[4, 0]
    with pytest.raises(HandError, match="row 4 holds the same face twice"):
        rank3_array(faces)


@pytest.mark.parametrize("shape", [(4,), (4, 5), (2, 2, 6)])
def test_a_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(HandError, match="N × 6 array of integers"):
        best_five_array(np.zeros(shape, dtype=np.uint8))


def test_floats_are_refused() -> None:
    with pytest.raises(HandError, match="float64"):
        rank3_array(np.zeros((2, 3)))


def test_single_hands_need_no_numpy() -> None:
    program = "import sys, round_engine.hands as h; h.rank3(0, 1, 2); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

"""The kit: decided by its secret, committed to by a hash that covers every field of the key."""

from dataclasses import replace

import numpy as np
import pytest

from randomness.proficiency import ProficiencyError, commitment, compose, key_from_json, key_to_json, set_decks
from randomness.proficiency.composing import LEAST_DECKS


def test_one_secret_gives_one_kit() -> None:
    assert compose(30, 4_000, 5) == compose(30, 4_000, 5)
    assert compose(30, 4_000, 5) != compose(30, 4_000, 6)


def test_fair_and_planted_sets_are_mixed_as_asked() -> None:
    key = compose(120, 4_000, 1, fair=0.25)
    fair = sum(not one.plant for one in key.sets)
    assert 15 < fair < 50
    assert {one.plant for one in key.sets} == {
        "", "favoured-cell", "favoured-card", "top-card-kept", "sticky", "memory", "wrong-card", "small-seed",
    }  # fmt: skip


def test_only_the_defects_that_were_asked_for_are_planted() -> None:
    key = compose(20, 4_000, 1, fair=0, plants=("sticky",), powers=(0.8,))
    assert {(one.plant, one.power) for one in key.sets} == {("sticky", 0.8)}


def test_decks_of_a_set_are_repeatable_and_as_many_as_stated() -> None:
    one = compose(1, 4_000, 9, fair=1).sets[0]
    first, second = (np.concatenate(list(set_decks(one, 20_000))) for _ in range(2))
    assert first.shape == (20_000, 52)
    assert (first == second).all()
    assert (np.sort(first, axis=1) == np.arange(52)).all()


def test_a_key_survives_json() -> None:
    key = compose(5, 4_000, 3)
    assert key_from_json(key_to_json(key)) == key


def test_the_commitment_changes_with_every_field_and_with_the_salt() -> None:
    key = compose(3, 4_000, 3, fair=0)
    one = key.sets[1]
    changes = ({"plant": ""}, {"mechanism": "ideal"}, {"power": 0.1}, {"seed": 1}, {"name": "set-9"})
    others = [replace(key, sets=(key.sets[0], replace(one, **change), key.sets[2])) for change in changes]
    hashes = {commitment(other, bytes(32)) for other in (key, *others, replace(key, decks=5_000))}
    assert len({*hashes, commitment(key, b"\1" * 32)}) == 8


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"sets": 0, "decks": 4_000}, "at least 1 set"),
        ({"sets": 1, "decks": LEAST_DECKS - 1}, "at least 1 set"),
        ({"sets": 1, "decks": 4_000, "plants": ("rust",)}, "no defect is called rust"),
        ({"sets": 1, "decks": 4_000, "powers": (1.0,)}, "between 0 and 1"),
        ({"sets": 9, "decks": 4_000, "powers": (0.9999,), "plants": ("favoured-cell",), "fair": 0}, "larger sets"),
    ],
)
def test_an_impossible_kit_is_refused(arguments: dict[str, object], why: str) -> None:
    with pytest.raises(ProficiencyError, match=why):
        compose(secret=1, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [{}, {"version": 99}, {"version": 1, "decks": 1, "sets": [{"name": "a"}]}])
def test_what_is_no_key_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ProficiencyError):
        key_from_json(data)

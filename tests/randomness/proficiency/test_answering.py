"""Our battery's answer to a set: fair decks are called fair, a gross defect is found and named by its test."""

import pytest

from randomness.proficiency import LabVerdict, SetKey, answer_set, set_decks

pytestmark = pytest.mark.slow


def made(mechanism: str) -> SetKey:
    return SetKey(name="s", plant="", mechanism=mechanism, power=0, seed=4)


def test_fair_decks_are_called_fair() -> None:
    assert answer_set("s", set_decks(made("ideal"), 2_000)).said is LabVerdict.FAIR


@pytest.mark.parametrize(
    ("mechanism", "test"),
    [("defect:sticky:rate=1/10", "adjacent-pairs"), ("defect:wrong-card:rate=1/100", "deck-integrity"),
     ("defect:small-seed:bits=12", "repeated-decks")],
)  # fmt: skip
def test_a_gross_defect_is_found(mechanism: str, test: str) -> None:
    found = answer_set("s", set_decks(made(mechanism), 2_000))
    assert found.said is LabVerdict.DEFECTIVE
    assert test in found.because

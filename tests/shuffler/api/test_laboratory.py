"""Randomness live: the same integers as the battery counts, and what is rigged is caught while the shuffler is not."""

import numpy as np
import pytest

from randomness import seeded_source
from randomness.decks import DeckBattery
from randomness.kernels import make
from shuffler.api.hub import Hub
from shuffler.api.laboratory import ALARM, SUBJECTS, TESTS, Laboratory
from shuffler.api.problems import ApiError


def test_it_counts_and_judges_what_the_battery_does() -> None:
    decks = make("ejection").permutations(52, 900, seeded_source(11)).astype(np.uint8)
    battery = DeckBattery(TESTS)
    battery.update(decks, np.arange(52, dtype=np.uint8))
    view = run("device", 900)
    assert view["cells"] == battery.tallies.cells["faces.by_position"].tolist()
    assert {one["name"]: one["p"] for one in view["tests"]} == {  # type: ignore[attr-defined]
        test.name: battery.p_value(test) for test in battery.tests
    }
    seen = battery.tallies.cells["hands"].reshape(8, 6).sum(axis=0)[::-1]
    assert [one["seen"] for one in view["categories"]] == seen.tolist()  # type: ignore[attr-defined]


def test_the_odds_of_each_category_are_exact() -> None:
    chances = [one["chance"] for one in run("device", 256)["categories"]]  # type: ignore[attr-defined]
    assert [round(chance * 22_100) for chance in chances] == [48, 52, 720, 1_096, 3_744, 16_440]


def run(subject: str, decks: int) -> dict[str, object]:
    laboratory = Laboratory(Hub())
    laboratory.choose(subject)
    laboratory._source = seeded_source(11)
    laboratory._take(*laboratory._count(laboratory._battery, decks))
    return laboratory.view()


@pytest.mark.parametrize("subject", ["riffle", "sticky", "biased", "feed"])
def test_what_is_rigged_is_caught(subject: str) -> None:
    assert run(subject, 6_000)["verdict"] == "defect"


@pytest.mark.parametrize("subject", ["device", "rack"])
def test_what_is_sound_is_not(subject: str) -> None:
    view = run(subject, 6_000)
    assert view["verdict"] == "nothing found", (view["worst"], ALARM)


def test_a_subject_that_is_none_is_refused_and_another_starts_from_no_deck() -> None:
    laboratory = Laboratory(Hub())
    with pytest.raises(ApiError, match="no subject is called"):
        laboratory.choose("wishful thinking")
    laboratory._take(*laboratory._count(laboratory._battery, 100))
    laboratory.choose("riffle")
    assert (laboratory.decks, laboratory.view()["subject"]) == (0, "riffle")
    assert set(SUBJECTS) == {one["name"] for one in laboratory.view()["subjects"]}

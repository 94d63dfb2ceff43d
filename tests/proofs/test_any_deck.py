"""The proof for any deck, in small."""

from dataclasses import replace

import numpy as np
import pytest

from proofs.any_deck import CASES, SEED, Alarms, Calibrated, catch, failures, one_run, p_values, report
from proofs.deck_plants import PLANTS, ideal
from proofs.uniformity import spread
from randomness.decks import DeckBattery
from randomness.decks.kinds import deck_kind

BY_NAME = {case.name: case for case in CASES}
SMALL = ("36 cards", "3 × 36 cards")
PLANTED = ("36 cards", "54 cards", "6 × 52 cards")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_p_values_of_ideal_decks_are_not_far_from_uniform(name: str) -> None:
    kind = BY_NAME[name].kind
    battery = DeckBattery(kind=kind)
    table = p_values((kind, 130, range(20), SEED))
    made = [column for column in range(len(battery.tests)) if not np.isnan(table[:, column]).any()]
    assert len(made) >= 16
    for column in made:
        found = spread(battery.tests[column].name, name, table[:, column].tolist())
        assert found.uniform, found


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_the_four_named_defects_are_found(name: str) -> None:
    kind = BY_NAME[name].kind
    wanted = {
        "sticky card": {"adjacent-pairs", "each-adjacent-pair", "face-successions"},
        "biased position": {"each-cell", "each-position", "card-by-position"},
        "clumped suits": {"suit-runs", "suit-follows-suit", "same-suit-pairs"},
        "a card missing, another doubled": {"deck-integrity"},
    }
    for number, (plant, tests) in enumerate(wanted.items()):
        chance = np.random.default_rng([SEED, number])
        rows, orders = PLANTS[plant](kind, *ideal(kind, 1_100, chance), chance)
        battery = DeckBattery([test for test in tests if test != "deck-integrity"], kind=kind)
        codes = np.array(kind.face_of)
        battery.update(codes[rows], codes[orders])
        caught = {one.test for one in battery.evaluate() if one.p is not None and one.p <= 1e-4}
        assert tests <= caught, (plant, tests - caught)


def test_ideal_decks_have_no_plant_in_them() -> None:
    case = replace(BY_NAME["36 cards"], kind=deck_kind(36))
    rows, orders = ideal(case.kind, 300, np.random.default_rng(1))
    battery = DeckBattery(["each-cell", "suit-runs", "each-adjacent-pair"], kind=case.kind)
    battery.update(np.array(case.kind.face_of)[rows], np.array(case.kind.face_of)[orders])
    assert all(one.p is not None and one.p > 1e-4 for one in battery.evaluate())


@pytest.mark.slow
def test_a_whole_run_reads_its_file_as_the_deck_it_is() -> None:
    assert not one_run((deck_kind(36), 500, 3, SEED))


def test_the_record_says_what_is_outside_the_limits() -> None:
    case = BY_NAME["36 cards"]
    bad = spread("each-cell", case.name, [0.001] * 50)
    calibrated = [Calibrated(case=case, spreads=(bad,), not_made=1)]
    ran = [Alarms(case=case, runs=100, failed=60, level=0.01)]
    wrong = failures(calibrated, [], ran)
    assert len(wrong) == 2
    assert "each-cell" in wrong[0]
    assert "Outside the limits" in report(calibrated, [], ran)
    assert catch.__doc__

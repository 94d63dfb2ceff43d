"""Scores: exact intervals, hits by defect, false alarms, and answers that do not fit the kit."""

import pytest
from scipy import stats

from randomness.proficiency import KitKey, LabVerdict, ProficiencyError, SetAnswer, SetKey, score
from randomness.proficiency.scoring import share


def key(*plants: str) -> KitKey:
    return KitKey(
        decks=4_000,
        sets=tuple(
            SetKey(name=f"s{number}", plant=one, mechanism="ideal", power=0.8 if one else 0.0, seed=1)
            for number, one in enumerate(plants)
        ),
    )


def said(name: str, verdict: str) -> SetAnswer:
    return SetAnswer(name=name, said=LabVerdict(verdict))


@pytest.mark.parametrize(("hits", "of"), [(0, 10), (3, 10), (10, 10), (57, 100), (1, 1)])
def test_intervals_are_clopper_pearson(hits: int, of: int) -> None:
    expected = stats.binomtest(hits, of).proportion_ci(0.95, method="exact")
    found = share(hits, of)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_hits_and_false_alarms_are_counted_by_defect() -> None:
    result = score(
        key("sticky", "sticky", "memory", "", ""),
        [said("s0", "defective"), said("s1", "fair"), said("s2", "defective"), said("s3", "defective")],
    )
    assert {one.plant: (one.found.hits, one.found.of) for one in result.plants} == {"sticky": (1, 2), "memory": (1, 1)}
    assert (result.false_alarms.hits, result.false_alarms.of) == (1, 2)
    assert result.unanswered == ("s4",)
    assert result.predicted == pytest.approx(0.8)


def test_inconclusive_is_neither_found_nor_a_false_alarm() -> None:
    result = score(key("sticky", ""), [said("s0", "inconclusive"), said("s1", "inconclusive")])
    assert (result.found.hits, result.false_alarms.hits, result.inconclusive) == (0, 0, 2)


def test_a_prediction_outside_the_interval_does_not_agree() -> None:
    result = score(key(*["sticky"] * 20), [said(f"s{number}", "fair") for number in range(20)])
    assert not result.plants[0].agrees


def test_answers_to_other_sets_and_double_answers_are_refused() -> None:
    with pytest.raises(ProficiencyError, match="no set called x"):
        score(key(""), [said("x", "fair")])
    with pytest.raises(ProficiencyError, match="answered twice"):
        score(key(""), [said("s0", "fair"), said("s0", "defective")])

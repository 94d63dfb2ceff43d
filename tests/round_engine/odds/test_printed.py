"""Every printed figure of the documents comes out of the enumeration; the two that do not are named."""

from fractions import Fraction

import pytest

from round_engine.odds.printed import PRINTED, REMARKS, Agreement, Comparison, Quantity, compare
from round_engine.rules import rulebook
from round_engine.rules.ruleset import WagerName


@pytest.fixture(scope="module")
def comparisons() -> list[Comparison]:
    return compare(rulebook.load("light-and-wonder", sides=rulebook.SIDE_WAGERS))


def found(comparisons: list[Comparison], wager: WagerName, quantity: Quantity) -> set[tuple[str, str]]:
    return {
        (one.printed.paytable, one.printed.text)
        for one in comparisons
        if one.printed.wager is wager and one.printed.quantity is quantity
    }


def test_only_two_printed_figures_differ(comparisons: list[Comparison]) -> None:
    differing = [one for one in comparisons if one.verdict is Agreement.DIFFERS]
    assert [(one.printed.paytable, one.printed.text, one.nearest) for one in differing] == [
        ("TCP-6B1", "10.23", "10.22 %"),
        ("1", "3.72", "3.71 %"),
    ]
    assert all((one.printed.paytable, one.printed.quantity, one.printed.text) in REMARKS for one in differing)


def test_only_the_bad_beat_average_is_approximate(comparisons: list[Comparison]) -> None:
    (one,) = [one for one in comparisons if one.verdict is Agreement.APPROXIMATE]
    assert one.printed.shown() == "$105,000"
    assert abs(one.difference) < one.printed.value / 100


def test_every_figure_of_the_documents_is_there(comparisons: list[Comparison]) -> None:
    assert len(comparisons) == len(PRINTED)
    par = found(comparisons, "ante", Quantity.HOUSE_ADVANTAGE)
    assert {name for name, _ in par} == {f"TCP-{number:02d}" for number in range(1, 13)}
    assert {text for _, text in par} == {"3.37", "3.61", "3.83"}
    assert found(comparisons, "six_card_bonus", Quantity.HOUSE_ADVANTAGE) == {
        ("TCP-6B1", "10.23"), ("TCP-6B2", "15.28"), ("TCP-6B3", "6.74"), ("TCP-6B4", "8.56"),
    }  # fmt: skip
    assert {text for _, text in found(comparisons, "six_card_bonus", Quantity.HIT_FREQUENCY)} == {"7.2798", "7.28"}
    assert found(comparisons, "progressive", Quantity.HIT_FREQUENCY) == {
        ("1", "3.72"), ("1", "3.71"), ("2", "0.45"),
    }  # fmt: skip


def test_exact_figures(comparisons: list[Comparison]) -> None:
    exact = {(one.printed.paytable, one.printed.quantity): one.exact for one in comparisons}
    assert exact["TCP-01", Quantity.HOUSE_ADVANTAGE] == Fraction(13_733_780, 407_170_400)
    assert exact["1", Quantity.HIT_FREQUENCY] == Fraction(820, 22_100)
    assert exact["1", Quantity.TOP_ODDS] == 22_100
    assert exact["1", Quantity.AVERAGE_TOP] == 4_094
    assert exact["2", Quantity.AVERAGE_TOP] == 5_420
    assert round(exact["TCP-BBP01", Quantity.TOP_ODDS]) == 514_104


def test_a_difference_is_measured_in_the_printed_unit(comparisons: list[Comparison]) -> None:
    (six,) = [one for one in comparisons if one.printed.text == "10.23"]
    assert float(six.difference) == pytest.approx(-0.0000521, abs=1e-7)

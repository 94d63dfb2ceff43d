"""Figures in words and as data."""

from fractions import Fraction

from shuffler.odds import Query, answer
from shuffler.odds.tables import fraction, percent


def test_fractions_are_written_in_full() -> None:
    assert fraction(Fraction(1)) == "1/1"
    assert fraction(Fraction(-18325, 18424)) == "-18325/18424"
    assert percent(Fraction(1, 3)) == "33.33333 %"


def test_json_has_every_figure_as_a_number_and_exactly() -> None:
    for row in answer(Query()).data:
        assert {"rule_set", "paytable", "wager"} <= row.keys()
        for name in ("house_advantage", "hit_frequency"):
            top, bottom = map(int, row[f"{name}_fraction"].split("/"))
            assert isinstance(row[name], float)
            assert row[name] == top / bottom


def test_json_of_a_metered_wager_says_where_the_return_comes_from() -> None:
    (row,) = answer(Query(rules=("bad-beat",))).data
    parts = [Fraction(row["meter"][f"{name}_fraction"]) for name in ("tray", "contribution", "seeding", "envy")]
    assert 1 - sum(parts) == Fraction(row["house_advantage_fraction"])


def test_json_of_printed_figures() -> None:
    rows = answer(Query(printed=True)).data
    assert {row["verdict"] for row in rows} == {"agrees", "approximate", "differs"}
    (six,) = [row for row in rows if row["verdict"] == "differs" and row["wager"] == "six_card_bonus"]
    assert six["printed"] == 0.1023
    assert round(six["exact"], 6) == 0.102248

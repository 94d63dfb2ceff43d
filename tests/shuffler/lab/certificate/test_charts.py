"""Charts: every axis has its title, every value lies inside, and nothing is left out or cut off."""

import re

import pytest

from shuffler.lab.certificate.charts import curve, deviations, heat_map, histogram, quantiles

P_VALUES = [0.0, 1e-280, 1e-12, 0.003, 0.2, 0.5, 0.7, 0.9, 1.0]
TITLES = {
    "map": (heat_map(deviations([[100 + (p == f) for f in range(52)] for p in range(52)]), "t"),
            ("position in the deck", "card (each suit", "standard deviations")),
    "short": (heat_map(deviations([[9] * 32] * 32), "t"),
              ("position in the deck (1 to 32", "card, in the order of the deck")),
    "histogram": (histogram(P_VALUES, "t"), ("p-value (0 to 1)", "tests in each bin")),
    "quantiles": (quantiles(P_VALUES, "t"), ("expected −log₁₀ p", "observed −log₁₀ p")),
    "curve": (curve([0, 9, 80, 9, 1, 0, 1], [0.0, 0.1, 0.8, 0.1], "matches"),
              ("matches in one deck", "share of decks")),
}  # fmt: skip


def box(svg: str) -> tuple[float, float]:
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("kind", TITLES)
def test_both_axes_say_what_they_show(kind: str) -> None:
    svg, titles = TITLES[kind]
    for title in titles:
        assert title in svg


@pytest.mark.parametrize("kind", TITLES)
def test_everything_lies_inside_the_chart(kind: str) -> None:
    svg, _ = TITLES[kind]
    wide, high = box(svg)
    for x, y in re.findall(r'c?x="(-?[\d.]+)" c?y="(-?[\d.]+)"', svg):
        assert 0 <= float(x) <= wide
        assert 0 <= float(y) <= high


def test_every_p_value_is_a_point_of_its_own_and_zero_is_marked() -> None:
    svg = quantiles(P_VALUES, "t")
    points = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" class="(\w+)"/>', svg)
    assert len(points) == len(P_VALUES)
    assert [css for *_, css in points].count("none") == 1
    heights = [float(y) for _, y, _ in points]
    assert heights == sorted(heights)
    assert heights[0] < heights[1] < heights[2] - 20  # 1e-280 is drawn above 1e-12, not beside it


def test_rare_counts_are_shown() -> None:
    svg, _ = TITLES["curve"]
    assert svg.count('class="bar"') == 6  # from 1 to 6, where a single deck lies


def test_bars_are_as_high_as_their_share() -> None:
    heights = [float(h) for h in re.findall(r'height="([\d.]+)" class="bar"', TITLES["curve"][0])]
    assert heights[1] / heights[0] == pytest.approx(80 / 9, abs=0.05)


def test_deviations_of_a_table_whose_faces_are_not_equally_many() -> None:
    twice = [[50, 25, 25]] * 4  # one face is in the deck twice as often
    assert deviations(twice) == [[0.0, 0.0, 0.0]] * 4
    assert deviations([[60, 40], [40, 60]])[0][0] == pytest.approx(2.0)

"""Two seats: Fisher's noncentral hypergeometric law."""

import numpy as np
import pytest
from scipy import stats

from randomness.decks.judges.seats import TwoSeatsJudge, hypergeometric_tails
from randomness.decks.kinds import STANDARD

ODDS = TwoSeatsJudge(kind=STANDARD).odds


@pytest.mark.parametrize(
    ("first", "second", "decks", "odds"), [(30, 20, 100, 1.0), (3, 90, 100, 0.5), (260, 250, 1000, ODDS)]
)
def test_tails_are_those_of_the_noncentral_hypergeometric_law(first: int, second: int, decks: int, odds: float) -> None:
    law = stats.nchypergeom_fisher(decks, first, second, odds)
    low, high = law.support()
    for both in range(low, high + 1, max(1, (high - low) // 15)):
        tails = hypergeometric_tails(both, first, second, decks, odds, 0.25)
        lower = law.cdf(both) - 0.75 * law.pmf(both)
        upper = law.sf(both) + 0.75 * law.pmf(both)
        assert tails.lower == pytest.approx(lower, rel=1e-6, abs=1e-12)
        assert tails.upper == pytest.approx(upper, rel=1e-6, abs=1e-12)


def test_seats_without_any_pair_are_no_surprise() -> None:
    assert hypergeometric_tails(0, 0, 40, 100, ODDS, 0.5).two_sided == 1.0


def test_large_samples_stay_quick_and_normal() -> None:
    decks = 10**8
    each = round(decks * 0.2561)
    spread = np.sqrt(decks) * 0.2561 * (1 - 0.2561)
    middle = hypergeometric_tails(round(each * each / decks), each, each, decks, 1.0, 0.5)
    out = hypergeometric_tails(round(each * each / decks + 3 * spread), each, each, decks, 1.0, 0.5)
    assert middle.two_sided == pytest.approx(1.0, abs=0.01)
    assert out.upper == pytest.approx(stats.norm.sf(3), rel=0.01)

"""Meters in a batch against meters fed wager by wager."""

import numpy as np
import pytest

from round_engine.batch.meters import _Growth
from round_engine.meters.awards import Meter, contribute


@pytest.mark.parametrize("rate", [1, 1400, 3333, 10_000])
def test_a_running_total_grows_as_one_contribution_after_another(rate: int) -> None:
    stakes = np.random.default_rng(2).integers(0, 8, size=500) * 25
    meter = start = Meter(wager="progressive", amount=100_000, reserve=7, carry=123, reserve_carry=9_999)
    totals = np.cumsum(stakes)
    growth = _Growth(contribution=totals * rate + start.carry, reserve=totals * 17 + start.reserve_carry)
    grown = start
    for number, stake in enumerate(stakes.tolist()):
        meter = contribute(meter, contribution_bp=rate, reserve_bp=17, stake=stake).meter
        if number % 3 == 0:
            grown = growth.up_to(grown, number)
            assert grown == meter

"""Patterns of stakes."""

import pytest

from round_engine.batch import Stakes
from round_engine.errors import WagerRefused
from round_engine.money import Cents
from round_engine.rules.rulebook import load


def test_a_pattern_lies_on_a_spot_as_wagers() -> None:
    wagers = Stakes.of(ante=Cents(1000), tip_ante=Cents(100), tip_play=True).on(3, "ann")
    assert (wagers.spot, wagers.player, wagers.stakes) == (3, "ann", {"ante": 1000, "tip_ante": 100})


def test_tips_are_refused_where_there_are_none() -> None:
    with pytest.raises(WagerRefused, match="no dealer tips"):
        Stakes.of(ante=Cents(1000), tip_ante=Cents(100)).verify(load("ten-dollar-house"))

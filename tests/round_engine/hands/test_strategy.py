"""Strategies: one decision for each rank."""

import pytest

from round_engine.errors import RoundEngineError
from round_engine.hands import THREE_CARD_RANKS, rank3
from round_engine.hands.cards import parse_hand
from round_engine.hands.strategy import ALWAYS, NEVER, Strategy, StrategyError, from_rank, from_rule, parse


def test_q_6_4_plays_itself_and_not_q_6_3() -> None:
    strategy = parse("Q-6-4")
    assert strategy.name == "Q-6-4"
    assert strategy.plays_hand(*parse_hand("Qc 6d 4h"))
    assert not strategy.plays_hand(*parse_hand("Qc 6d 3h"))
    assert strategy.plays_hand(*parse_hand("2c 2d 3h"))


@pytest.mark.parametrize("text", ["q-6-4", "Q64", " q64 ", "4-6-Q"])
def test_the_weakest_hand_may_be_written_in_several_ways(text: str) -> None:
    assert parse(text).plays == parse("Q-6-4").plays


def test_ten_may_be_written_with_two_digits() -> None:
    assert parse("Q-10-2").plays == parse("QT2").plays


def test_always_and_never() -> None:
    assert parse("always") is ALWAYS
    assert all(ALWAYS.plays)
    assert parse("NEVER") is NEVER
    assert not any(NEVER.plays)


def test_pair_folds_every_high_card() -> None:
    assert sum(parse("pair").plays) == THREE_CARD_RANKS - 274


def test_a_threshold_names_its_hand() -> None:
    assert from_rank(rank3(*parse_hand("Kc Kd 2h"))).name == "pair K-K-2 or better"


def test_a_rule_of_ones_own_is_asked_about_every_rank() -> None:
    strategy = from_rule("even", lambda rank: rank % 2 == 0)
    assert strategy.plays[:4] == (True, False, True, False)


@pytest.mark.parametrize("text", ["", "Q-6", "Q-6-1", "sometimes", "Q-6-4-2"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(StrategyError, match="say always, never, pair"):
        parse(text)
    assert issubclass(StrategyError, RoundEngineError)


def test_a_strategy_must_decide_for_every_rank() -> None:
    with pytest.raises(StrategyError, match="decides for 741 ranks"):
        Strategy(name="short", plays=(True,) * 740)

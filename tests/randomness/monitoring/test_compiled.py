"""The compiled bets are the plain ones, over whole rounds, partial rounds, rounds without cards, and repeats."""

import numpy as np
import pytest

from randomness.monitoring import CARDS, Monitor, SeenDeal, deal_of_groups
from randomness.monitoring.monitor import QuestionTally

pytest.importorskip("numba")
pytestmark = pytest.mark.slow  # compiling


def deals(rounds: int) -> list[SeenDeal]:
    rng = np.random.default_rng(5)
    made = []
    for number in range(rounds):
        cards = rng.permutation(CARDS).tolist()
        groups = [(first, cards[first : first + 3]) for first in range(0, 3 * (1 + number % 8), 3)]
        made.append(deal_of_groups(groups if number % 3 else groups[1:] + groups[:1]))
    made[12], made[30], made[31] = SeenDeal((), ()), made[7], made[7]
    return made


def test_compiled_and_plain_bets_are_equal() -> None:
    plain, compiled = Monitor(compiled=False), Monitor(compiled=True)
    played = deals(60)
    slow = plain.take_all(played)
    fast = np.concatenate([compiled.take_all(played[:25]), [compiled.take(played[25])], compiled.take_all(played[26:])])
    assert fast == pytest.approx(slow, rel=1e-12)
    for one, other in zip(plain.tallies, compiled.tallies, strict=True):
        assert one.since == other.since
        for name in QuestionTally.ARRAYS:
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-9), (one.question.name, name)
    assert compiled.alarm_round == plain.alarm_round == 31


def test_counts_can_be_left_out() -> None:
    counted, bare = Monitor(compiled=True), Monitor(compiled=True)
    played = deals(40)
    assert bare.take_all(played, counted=False).tolist() == counted.take_all(played).tolist()
    assert not any(tally.hits.any() for tally in bare.tallies)

"""The monitor: bets whose mean is 1, evidence that grows when cards are not fair, a state that continues."""

import numpy as np
import pytest

from randomness.kernels import parse
from randomness.monitoring import CARDS, DEALT, Monitor, MonitoringError, SeenDeal, deal_of_groups, evidence_of
from randomness.monitoring.bets import MISS, ODDS, TILT, reserve
from randomness.monitoring.monitor import CURVE_POINTS
from randomness.sources import make_source


def fair(rounds: int, seed: int, groups: int = 8) -> list[SeenDeal]:
    rng = np.random.default_rng(seed)
    return [
        SeenDeal(tuple(range(3 * groups)), tuple(rng.permutation(CARDS)[: 3 * groups].tolist())) for _ in range(rounds)
    ]


def table(mechanism: str, rounds: int, *, seed: int = 1) -> list[SeenDeal]:
    """Two decks that alternate, each shuffled from the order in which it was dealt."""
    kernel, source = parse(mechanism), make_source("ctr", seed=seed)
    decks = [np.arange(CARDS), np.arange(CARDS)]
    deals = []
    for number in range(rounds):
        decks[number % 2] = decks[number % 2][kernel.permutations(CARDS, 1, source)[0].astype(int)]
        deals.append(SeenDeal(tuple(range(DEALT)), tuple(decks[number % 2][:DEALT].tolist())))
    return deals


def test_every_bet_has_a_mean_of_1() -> None:
    for favoured in range(CARDS + 1):
        for seen in range(DEALT):
            left = CARDS - seen
            if favoured <= left:
                mean = MISS[favoured, seen] * (favoured / left * TILT + (left - favoured) / left)
                assert mean == pytest.approx(np.ones(len(ODDS)), abs=1e-12)


def test_capital_that_is_not_bet_yet_and_capital_that_is_add_up_to_1() -> None:
    assert reserve(0) == 1
    put_in = sum(reserve(number) - reserve(number + 1) for number in range(1000))
    assert put_in + reserve(1000) == pytest.approx(1)


def partial(cards: tuple[int, ...]) -> SeenDeal:
    """A deal that stops in the middle of a group: no table shows it, a proof about single cards needs it."""
    deal = object.__new__(SeenDeal)
    object.__setattr__(deal, "positions", tuple(range(len(cards))))
    object.__setattr__(deal, "cards", cards)
    return deal


@pytest.mark.parametrize("seen", [1, 2, 5, 7, 23])
def test_the_next_card_leaves_every_questions_evidence_as_it_is_on_average(seen: int) -> None:
    """Exact: over every card that may come next, the mean of the evidence is the evidence without it."""
    before = Monitor(compiled=False)
    deals = fair(6, seed=seen)
    for deal in deals:
        before.take(deal)
    state = before.to_state()
    prefix = deals[3].cards[:7] + tuple(card for card in deals[2].cards if card not in deals[3].cards[:7])
    prefix = prefix[:seen]

    def after(cards: tuple[int, ...]) -> list[float]:
        made = Monitor.from_state(state, compiled=False)
        made.take(partial(cards))
        return [tally.evidence(made.rounds) for tally in made.tallies]

    found = np.array([after((*prefix, card)) for card in range(CARDS) if card not in prefix])
    assert found.mean(axis=0) == pytest.approx(np.array(after(prefix)), rel=1e-9)
    moved = {tally.question.name for tally, column in zip(before.tallies, found.T, strict=True) if np.ptp(column) > 0}
    assert moved >= {"card-at-position", "card-overall", "kept-position-2", "dealt-again-1", "suit-in-group"}


def test_a_fair_table_raises_no_alarm() -> None:
    monitor = Monitor(compiled=False)
    for deal in fair(150, seed=11):
        monitor.take(deal)
    assert not monitor.alarmed
    assert monitor.peak < 100
    assert monitor.rounds == 150
    assert monitor.cards == 150 * DEALT


def test_sticking_cards_are_named_as_followers_two_rounds_later() -> None:
    monitor = Monitor(compiled=False)
    for deal in table("ejection:sticky=1/10", 60):
        monitor.take(deal)
    found = evidence_of(monitor, most=1)
    assert found.alarm
    assert found.alarm_round is not None
    assert found.alarm_round <= 60
    assert found.questions[0].name == "follower-2"
    assert found.questions[0].proven
    top = found.questions[0].top
    assert top is not None
    assert top.proven
    assert top.seen > 2 * top.expected


def test_a_deal_that_comes_again_raises_the_alarm_at_once() -> None:
    monitor = Monitor(compiled=False)
    deals = fair(30, seed=4)
    for deal in (*deals, deals[7]):
        monitor.take(deal)
    assert monitor.alarm_round == 31
    assert evidence_of(monitor, most=1).questions[0].name == "deal-again"


def test_a_group_that_was_not_shown_is_left_out() -> None:
    monitor = Monitor(compiled=False)
    cards = list(range(24))
    monitor.take(deal_of_groups([(first, cards[first : first + 3]) for first in (0, 3, 9)]))
    monitor.take(SeenDeal((), ()))
    assert monitor.rounds == 2
    assert monitor.cards == 9
    position = next(tally for tally in monitor.tallies if tally.question.name == "card-at-position")
    assert position.hits.sum() == 9
    assert position.trials[6:9].sum() == 0


def test_a_dealer_whose_cards_are_first_and_known_last_is_taken_at_the_right_position() -> None:
    monitor = Monitor(compiled=False)
    monitor.take(deal_of_groups([(3, (1, 2, 3)), (0, (40, 41, 42))]))
    position = next(tally for tally in monitor.tallies if tally.question.name == "card-at-position")
    assert position.hits[0, 40] == 1
    assert position.hits[3, 1] == 1
    assert position.expected[0, 40] == pytest.approx(1 / 49)
    assert position.expected[3, 1] == pytest.approx(1 / 52)


def test_a_state_continues_as_if_nothing_had_happened() -> None:
    deals = fair(40, seed=8)
    straight, first = (Monitor(level=0.01, compiled=False) for _ in range(2))
    for deal in deals:
        straight.take(deal)
    for deal in deals[:20]:
        first.take(deal)
    second = Monitor.from_state(first.to_state(), compiled=False)
    for deal in deals[20:]:
        second.take(deal)
    assert second.evidence == straight.evidence
    assert second.curve == straight.curve
    assert evidence_of(second) == evidence_of(straight)


def test_a_state_of_another_version_is_refused() -> None:
    with pytest.raises(MonitoringError, match="another version"):
        Monitor.from_state({**Monitor(compiled=False).to_state(), "version": 0})
    with pytest.raises(MonitoringError, match="another version"):
        Monitor.from_state({**Monitor(compiled=False).to_state(), "questions": ["card-at-position"]})


def test_a_level_is_a_probability() -> None:
    with pytest.raises(MonitoringError, match="between 0 and 1"):
        Monitor(level=1.0)


def test_the_curve_stays_short_and_keeps_its_peak() -> None:
    monitor = Monitor(compiled=False)
    for number in range(3000):
        monitor.rounds = number
        monitor.evidence = 7.0 if number == 1234 else 1.0
        monitor._draw()
    assert len(monitor.curve) <= CURVE_POINTS
    assert (1234, 7.0) in monitor.curve


@pytest.mark.parametrize(
    ("positions", "cards", "why"),
    [
        ((0, 1), (3, 4), "whole groups"),
        ((0, 1, 2), (3, 4, 4), "one card twice"),
        ((0, 1, 2), (3, 4, 52), "0 to 51, not 52"),
        ((1, 2, 3), (3, 4, 5), "three positions"),
        ((24, 25, 26), (3, 4, 5), "three positions"),
        ((0, 1, 2, 0, 1, 2), (3, 4, 5, 6, 7, 8), "one position twice"),
    ],
)
def test_what_no_deal_can_be_is_refused(positions: tuple[int, ...], cards: tuple[int, ...], why: str) -> None:
    with pytest.raises(MonitoringError, match=why):
        SeenDeal(positions, cards)

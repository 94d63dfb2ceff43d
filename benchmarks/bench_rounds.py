"""Whole seven-seat rounds through the scalar engine: every operation checked, every cent posted.

There is no peer that settles this game, so the peer is pokerkit doing the smallest part of it: ranking the hands.
"""

import json
import random
from collections.abc import Callable

from benchmarks import Section, best_rate
from round_engine.hands import rank3
from round_engine.hands.cards import RANKS, SUIT_LETTERS
from round_engine.round import operations as op
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet
from round_engine.table import Table
from round_engine.wagers import SpotWagers

ROUNDS = 2_000
PEER_ROUNDS = 100
SEATS = 7
ANTE, PAIR_PLUS, SIX_CARD, PROGRESSIVE = 1_000, 500, 500, 100
Q_6_4 = rank3(10, 13 + 4, 26 + 2)

STAKES: dict[str, dict[str, int]] = {
    "ante": {"ante": ANTE},
    "ante, pair plus, six card bonus": {"ante": ANTE, "pair_plus": PAIR_PLUS, "six_card_bonus": SIX_CARD},
    "the same and progressive": {
        "ante": ANTE, "pair_plus": PAIR_PLUS, "six_card_bonus": SIX_CARD, "progressive": PROGRESSIVE,
    },
}  # fmt: skip

Hands = list[tuple[int, ...]]


def decks(count: int) -> list[Hands]:
    """The same hands for every measurement, the dealer's first."""
    chance = random.Random(1)
    dealt = [chance.sample(range(52), 3 * (SEATS + 1)) for _ in range(count)]
    return [[tuple(deck[3 * at : 3 * at + 3]) for at in range(SEATS + 1)] for deck in dealt]


def play(table: Table, number: int, hands: Hands, wagers: tuple[SpotWagers, ...]) -> list[op.Operation]:
    """One round with the Q-6-4 strategy, every winner keyed; the operations it took."""
    do = table.do
    do(op.OpenRound(round_id=str(number), shuffle=str(number), dealer="dealer", wagers=wagers))
    do(op.LockWagers())
    for spot in range(1, SEATS + 1):
        do(op.DealGroup(spot=spot, cards=hands[spot]))
    do(op.DealGroup(spot=op.DEALER))
    folds = []
    for spot in range(1, SEATS + 1):
        if rank3(*hands[spot]) >= Q_6_4:
            do(op.Play(spot=spot, amount=ANTE))
        else:
            do(op.Fold(spot=spot))
            folds.append(spot)
    if folds:
        do(op.CollectFolds(spots=tuple(folds), counted=(3,) * len(folds)))
    do(op.RevealDealer(cards=hands[0]))
    while dues := table.dues():
        for press in table.keys_for(dues[0], supervisor="supervisor"):
            do(press)
    do(op.Settle())
    do(op.CloseRound())
    return table.in_play().operations


def rounds(rules: RuleSet, stakes: dict[str, int], dealt: list[Hands]) -> Callable[[], int]:
    wagers = tuple(SpotWagers.of(spot=spot, player=f"p{spot}", **stakes) for spot in range(1, SEATS + 1))

    def work() -> int:
        table = Table(rules)
        for number, hands in enumerate(dealt):
            play(table, number, hands, wagers)
        assert table.ledger.total() == 0
        return len(dealt)

    return work


def journalled(rules: RuleSet, stakes: dict[str, int], dealt: list[Hands]) -> Callable[[], int]:
    wagers = tuple(SpotWagers.of(spot=spot, player=f"p{spot}", **stakes) for spot in range(1, SEATS + 1))

    def work() -> int:
        table = Table(rules)
        for number, hands in enumerate(dealt):
            for one in play(table, number, hands, wagers):
                json.dumps(op.to_json(one))
        return len(dealt)

    return work


def pokerkit_ranks(dealt: list[Hands]) -> Callable[[], int]:
    from pokerkit import RhodeIslandHoldemHand, StandardHighHand

    def text(cards: tuple[int, ...]) -> str:
        return "".join(RANKS[face % 13] + SUIT_LETTERS[face // 13] for face in cards)

    texts = [[text(cards) for cards in hands] for hands in dealt]

    def work() -> int:
        for dealer, *players in texts:
            RhodeIslandHoldemHand(dealer)
            for own in players:
                RhodeIslandHoldemHand(own)
                StandardHighHand.from_game(own, dealer)
        return len(texts)

    return work


def run() -> list[Section]:
    dealt = decks(ROUNDS)
    rules = load("south-dakota")
    rates = {label: best_rate(rounds(rules, stakes, dealt)) for label, stakes in STAKES.items()}
    *_, (fullest, stakes) = STAKES.items()
    rates[f"{fullest}, every operation as JSON"] = best_rate(journalled(rules, stakes, dealt))
    peer = best_rate(pokerkit_ranks(dealt[:PEER_ROUNDS]))
    rows = [(f"round_engine: {label}", f"{rate:,.0f}", f"{rate / peer:.1f}") for label, rate in rates.items()]
    return [
        Section(
            title="Rounds through the scalar engine",
            columns=("seven seats", "rounds a second, one core", "ratio"),
            rows=(("pokerkit: ranking the hands of a round, nothing else", f"{peer:,.0f}", "1.0"), *rows),
            note="Open, lock, eight groups, seven decisions (Q-6-4), folds, reveal, progressive winners keyed at the "
            "keypad, settlement, close. No peer settles this game: pokerkit does the smallest part of it, eight "
            "three-card hands and seven times the best five of six.",
        )
    ]

"""Whole seven-seat rounds through the scalar engine: every operation checked, every cent posted."""

import json
import random

from benchmarks import Section, best_rate
from round_engine import operations as op
from round_engine.hands import rank3
from round_engine.rulebook import load
from round_engine.table import Table
from round_engine.wagers import SpotWagers

ROUNDS = 1_000
SEATS = 7
ANTE, PAIR_PLUS, SIX_CARD, PROGRESSIVE = 1_000, 500, 500, 100
Q_6_4 = rank3(10, 13 + 4, 26 + 2)

WAGERS = {
    "ante only": {"ante": ANTE},
    "ante, pair plus": {"ante": ANTE, "pair_plus": PAIR_PLUS},
    "ante, pair plus, six card bonus": {"ante": ANTE, "pair_plus": PAIR_PLUS, "six_card_bonus": SIX_CARD},
}


def decks(count: int) -> list[list[int]]:
    """The same decks for every measurement."""
    chance = random.Random(1)
    return [chance.sample(range(52), 3 * (SEATS + 1)) for _ in range(count)]


def play(table: Table, number: int, deck: list[int], wagers: tuple[SpotWagers, ...]) -> list[op.Operation]:
    """One round with the Q-6-4 strategy; the operations it took."""
    hands = [tuple(deck[3 * at : 3 * at + 3]) for at in range(SEATS + 1)]
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
    do(op.Settle())
    do(op.CloseRound())
    assert table.round is not None
    return table.round.operations


def run() -> list[Section]:
    rules = load("ten-dollar-house", changes={"settings": {"cap": "none"}})
    shuffled = decks(ROUNDS)
    rows = []
    for label, stakes in WAGERS.items():
        wagers = tuple(SpotWagers(spot=spot, player=f"p{spot}", **stakes) for spot in range(1, SEATS + 1))

        def work(wagers: tuple[SpotWagers, ...] = wagers) -> int:
            table = Table(rules)
            for number, deck in enumerate(shuffled):
                play(table, number, deck, wagers)
            assert table.ledger.total() == 0
            return ROUNDS

        rows.append((label, f"{best_rate(work):,.0f}"))

    def journal() -> int:
        table = Table(rules)
        for number, deck in enumerate(shuffled):
            for one in play(table, number, deck, wagers):
                json.dumps(op.to_json(one))
        return ROUNDS

    rows.append((f"{label}, every operation as JSON", f"{best_rate(journal):,.0f}"))
    return [
        Section(
            title="Rounds through the scalar engine",
            columns=("wagers on each of seven seats", "rounds a second, one core"),
            rows=tuple(rows),
            note="Open, lock, eight groups, seven decisions, folds, reveal, settlement, close; Q-6-4 strategy.",
        )
    ]

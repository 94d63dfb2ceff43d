"""The claim: random rounds of every rule set come out, to the cent, as in a second settlement, made from the documents.

Random wagers, tips, seats, decisions, misdeals; high hands all round in two rounds of five, so that jackpots, several
winners and envy occur. After every round: each player's gain, the dealer's tips and both meters equal the reference's,
the books sum to zero, and the round replayed from its operations, through JSON, gives an equal table.
"""

import argparse
import json
import random
from dataclasses import dataclass, field
from typing import Any

from proofs import reference_settlement as reference
from proofs.evidence import record
from round_engine.hands.cards import parse_hand
from round_engine.money.ledger import LAYOUT, TIPS, EntryKind
from round_engine.round import operations as op
from round_engine.rules.rulebook import RuleSet, load
from round_engine.staff import staff_of
from round_engine.table import Table, replay
from round_engine.table.state import TableState
from round_engine.wagers import SpotWagers

CEILING = {"limit_ceiling": "$300"}
GAMES: dict[str, tuple[str, dict[str, Any], reference.Game]] = {
    "south-dakota": ("south-dakota", {}, reference.Game(
        ante_bonus="A", pair_plus="A", six_card="TCP-6B1", fold_forfeits_pair_plus=True, progressive="1",
    )),
    "south-dakota, pair plus D, 6B3, progressive 2": (
        "south-dakota",
        {"paytables": {"pair_plus": "D", "six_card_bonus": "TCP-6B3", "progressive": "2"}},
        reference.Game(
            ante_bonus="A", pair_plus="D", six_card="TCP-6B3", fold_forfeits_pair_plus=True, progressive="2",
        ),
    ),
    "south-dakota-2015, 6B4": (
        "south-dakota-2015",
        {"paytables": {"six_card_bonus": "TCP-6B4"}},
        reference.Game(
            ante_bonus="A", pair_plus="A", six_card="TCP-6B4", fold_forfeits_pair_plus=True, progressive="1",
        ),
    ),
    "ten-dollar-house": ("ten-dollar-house", {}, reference.Game(
        ante_bonus="C", pair_plus="D", six_card="TCP-6B2", fold_forfeits_pair_plus=False, cap=500_000,
    )),
    "light-and-wonder, TCP-06, 6B2, game manager": (
        "light-and-wonder",
        {"designator": "TCP-06", "paytables": {"six_card_bonus": "TCP-6B2"}, **CEILING},
        reference.Game(
            ante_bonus="C", pair_plus="B", six_card="TCP-6B2", fold_forfeits_pair_plus=True, progressive="1",
            envy_to_own_spot=True,
        ),
    ),
    "light-and-wonder, TCP-08, progressive 2, nexus": (
        "light-and-wonder",
        {"designator": "TCP-08", "systems": {"progressive": "nexus"}, "paytables": {"progressive": "2"}, **CEILING},
        reference.Game(
            ante_bonus="B", pair_plus="C", six_card="TCP-6B1", fold_forfeits_pair_plus=True, progressive="2",
            folded_progressive_lives=False,
        ),
    ),
}  # fmt: skip
HIGH_HANDS = ("As Ks Qs", "Ah Kh Qh", "Js Ts 9s", "7h 6h 5h", "6d 5d 4d", "3c 3d 3h", "8c 8s 2c", "Jc Td 9c")
SEATS, DEALER_NAME, SUPERVISOR = 7, "dana", "sam"
STAFF = staff_of(dana="dealer", sam=("supervisor", "executive"))
PROGRESSIVE_SHARE = {"1": 14, "2": 20, "": 0}  # cents of each dollar
BAD_BEAT_SHARE = 26


@dataclass
class Tally:
    """What one game went through."""

    rounds: int = 0
    misdeals: int = 0
    postings: int = 0
    recorded: int = 0
    from_meter: int = 0
    several_from_meter: int = 0
    envies: int = 0
    capped: int = 0
    different: list[str] = field(default_factory=list)


def run(name: str, rounds: int, seed: int) -> Tally:
    """Play one game's rounds; what differed is in the tally."""
    source, house, game = GAMES[name]
    rules = load(source, sides=["bad-beat"], changes={"house": house})
    chance, table, tally = random.Random(f"{seed} {name}"), Table(rules, staff=STAFF), Tally()
    for number in range(rounds):
        before = table.state()
        play = RandomRound(table, chance, str(number))
        misdealt = play.go()
        tally.rounds += 1
        tally.misdeals += misdealt
        count(tally, table)
        problem = compare(game, before, play, table) if not misdealt else compare_void(before, table)
        problem = problem or compare_replay(rules, before, table)
        if problem:
            tally.different.append(f"round {number}: {problem}")
    return tally


class RandomRound:
    """One round with random wagers, cards and decisions."""

    def __init__(self, table: Table, chance: random.Random, name: str) -> None:
        self.table, self.chance, self.name = table, chance, name
        self.seats = sorted(chance.sample(range(1, SEATS + 1), chance.randint(1, SEATS)))
        deck = chance.sample(range(52), 52)
        if chance.random() < 0.4:
            high = [parse_hand(text) for text in HIGH_HANDS]
            chance.shuffle(high)
            deck = [face for cards in high for face in cards]
        self.hands = {spot: tuple(deck[3 * at : 3 * at + 3]) for at, spot in enumerate([op.DEALER, *self.seats])}
        self.wagers: dict[int, SpotWagers] = {}
        for spot in self.seats:
            self.wagers[spot] = self.bets(spot)
        self.tip_plays: dict[int, int] = {}

    def bets(self, spot: int) -> SpotWagers:
        chance, rules = self.chance, self.table.rules
        ante = chance.choice([0, 500, 700, 1000])
        pair_plus = chance.choice([0, 500, 900]) if ante else 600
        left = self.wagers.get(spot - 1)
        taken = [one.player for one in self.wagers.values()]
        joins = left is not None and rules.house.spots_per_player > taken.count(left.player) and chance.random() < 0.3
        tips = rules.settings.tips and chance.random() < 0.3
        stakes = {
            "ante": ante,
            "pair_plus": pair_plus,
            "six_card_bonus": chance.choice([0, 500]),
            "progressive": 100 * ("progressive" in rules.progressives and chance.random() < 0.7),
            "bad_beat": 100 * (chance.random() < 0.7),
            "tip_ante": 100 if tips and ante else 0,
            "tip_pair_plus": 200 if tips and pair_plus else 0,
        }
        player = left.player if joins and left is not None else f"p{spot}"
        return SpotWagers.of(spot=spot, player=player, **stakes)  # type: ignore[arg-type]

    def go(self) -> bool:
        """Play it; whether it ended as a misdeal, which may come before any operation."""
        doomed = self.chance.randint(0, 25) if self.chance.random() < 0.1 else -1
        for at, operation in enumerate(self.operations()):
            if at == doomed and self.table.can(op.DeclareMisdeal(reason="chance")):
                self.table.do(op.DeclareMisdeal(reason="chance"))
                return True
            self.table.do(operation)
        return False

    def operations(self) -> Any:
        table, chance = self.table, self.chance
        wagers = tuple(self.wagers.values())
        yield op.OpenRound(round_id=self.name, shuffle=self.name, dealer=DEALER_NAME, wagers=wagers)
        state = table.in_play
        yield op.LockWagers()
        for spot in self.seats:
            yield op.DealGroup(spot=spot, cards=self.hands[spot])
        yield op.DealGroup(spot=op.DEALER)
        for spot in list(state().undecided):
            ante = self.wagers[spot].stake("ante")
            if not ante or chance.random() < 0.3:
                yield op.Fold(spot=spot)
            else:
                self.tip_plays[spot] = chance.choice([0, self.wagers[spot].stake("tip_ante")])
                yield op.Play(spot=spot, amount=ante, tip=self.tip_plays[spot])  # type: ignore[arg-type]
        if folds := tuple(state().folds):
            yield op.CollectFolds(spots=folds, counted=(3,) * len(folds))
        yield op.RevealDealer(cards=self.hands[op.DEALER])
        while dues := table.dues():
            yield from table.keys_for(dues[0], supervisor=SUPERVISOR)
        yield op.Settle()
        yield op.CloseRound()

    def spots(self) -> list[reference.Spot]:
        """The spots as the reference sees them."""
        folds = self.table.in_play().folds
        return [
            reference.Spot(
                spot=spot,
                player=one.player,
                cards=self.hands[spot],
                folded=spot in folds,
                tip_play=self.tip_plays.get(spot, 0),
                **one.stakes,
            )
            for spot, one in self.wagers.items()
        ]


def compare(game: reference.Game, before: TableState, play: RandomRound, table: Table) -> str:
    """What differs from the reference, or nothing."""
    spots = play.spots()
    meters = {meter.wager: meter.amount for meter in before.meters}
    progressive = meters.get("progressive", 0)
    progressive += PROGRESSIVE_SHARE[game.progressive] * sum(one.progressive > 0 for one in spots)
    bad_beat = meters["bad_beat"] + BAD_BEAT_SHARE * sum(one.bad_beat > 0 for one in spots)
    expected = reference.settle(game, spots, play.hands[op.DEALER], progressive, bad_beat)

    def gained(account: str) -> int:
        return table.ledger.balance(account) - before.balances.get(account, 0)

    players = {player: gained(f"player:{player}") for player in expected.players}
    shown = {wager: meter.amount for wager, meter in table.meters.items()}
    found = (players, gained(TIPS), shown["bad_beat"], shown.get("progressive", 0))
    wanted = (expected.players, expected.tips, expected.bad_beat_meter, expected.meter)
    if found != wanted:
        return f"{found} instead of {wanted}"
    if table.ledger.total() or table.ledger.balance(LAYOUT):
        return "the books do not balance"
    return ""


def compare_void(before: TableState, table: Table) -> str:
    """What a misdeal left behind, or nothing."""
    after = {account: amount for account, amount in table.ledger.balances.items() if amount}
    if after != {account: amount for account, amount in before.balances.items() if amount}:
        return "a misdeal did not give everything back"
    return "" if tuple(table.meters.values()) == before.meters else "a misdeal left a meter moved"


def compare_replay(rules: RuleSet, before: TableState, table: Table) -> str:
    """Whether the round played again gives an equal table."""
    again = [op.from_json(json.loads(json.dumps(op.to_json(one)))) for one in table.in_play().operations]
    return "" if replay(rules, again, before) == table else "the replayed table differs"


def count(tally: Tally, table: Table) -> None:
    """Note what the round went through."""
    postings = table.in_play().postings
    tally.postings += len(postings)
    recorded = [one for jackpot in table.jackpots.values() for one in jackpot.active()]
    metered = sum(one.entry is EntryKind.RECORDED for one in postings)
    tally.recorded += len(recorded)
    tally.from_meter += metered
    tally.several_from_meter += metered > 1
    tally.envies += sum(one.entry is EntryKind.ENVY for one in postings)
    tally.capped += any("cut by the cap" in one.note for one in postings)


def main() -> None:
    parser = argparse.ArgumentParser(description="Settle random rounds twice, by two programs.")
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds of each game (20,000)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    names = ("rounds", "misdeals", "postings", "recorded", "from_meter", "several_from_meter", "envies", "capped")
    lines = ["| game | " + " | ".join(name.replace("_", " ") for name in names) + " | different |", "|---" * 10 + "|"]
    failed = False
    for name in GAMES:
        tally = run(name, chosen.rounds, chosen.seed)
        failed |= bool(tally.different)
        lines.append(
            f"| {name} | " + " | ".join(f"{getattr(tally, one):,}" for one in names) + f" | {len(tally.different):,} |"
        )
        print(lines[-1], *tally.different[:3], sep="\n", flush=True)
    note = (
        "Recorded: wins keyed at a keypad. From meter: those paid by percentage; several from meter: rounds with more "
        "than one. Every round was also replayed through JSON to an equal table.\n"
    )
    command = f"python -m proofs.settlement --rounds {chosen.rounds}"
    record("settlement", command=command, seed=chosen.seed, body=note + "\n" + "\n".join(lines))
    if failed:
        raise SystemExit("the two settlements differ")


if __name__ == "__main__":
    main()

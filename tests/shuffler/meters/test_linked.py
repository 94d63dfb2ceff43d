"""A table between its round and its sender: what is asked for, what is keyed, what is not taken."""

from dataclasses import replace

import pytest

from proofs.linked_table import DEALER, HANDS, rules
from round_engine.errors import MoveRefused
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal.entries import AwardAsked, AwardFixed, MeterLinked, MeterMoved, MoveKind
from shuffler.journal.meter_moves import MeterMoves
from shuffler.meters.errors import MeterMisuse
from shuffler.meters.linked import LinkedTable, link, rules_of, verify_rules
from shuffler.meters.sender import News, SenderLimits
from shuffler.meters.server import MeterSnapshot, Shown
from shuffler.meters.values import Claim, Hold, HoldState
from shuffler.table.booked_round import BookedRound

RULES = rules()
METER = rules_of(RULES, "bad_beat", "m")
SEED = METER.seed


class Server:
    """A sender whose news a test writes."""

    def __init__(self) -> None:
        self.limits = SenderLimits(moves=3, seconds=60)
        self.news = News(pushed=0, connected=True)
        self.asked: list[AwardAsked] = []

    def ask(self, entry: AwardAsked, moves: int) -> None:
        self.asked.append(entry)

    def hold(self, claim: Claim) -> None:
        self.held = claim

    def wake(self, *, hurry: bool = False) -> None:
        self.hurried = hurry


class Bench:
    """A table whose entries go to the outbox as a journal would write them."""

    def __init__(self, now: float = 0.0) -> None:
        self.now, self.said = now, []
        self.moves, self.server = MeterMoves(), Server()
        self.table = Table(RULES)
        self.write(link(self.table, self.moves, [METER], "t1"))
        self.linked = LinkedTable(self.moves, self.server, clock=lambda: self.now, say=self.said.append)
        self.round = BookedRound(
            self.table, dealer="dealer", supervisor="supervisor", prefix="R", last_round=0, meters=self.linked
        )

    def write(self, entries: list) -> None:
        for entry in entries:
            self.moves.take(entry)
            for move in self.moves.owed(entry):
                self.moves.take(move)
        if hasattr(self, "linked"):
            self.linked.lasting(entries)

    def flush(self) -> None:
        self.write(list(self.round.entries))
        self.round.entries.clear()

    def hit(self, *kinds: int) -> bool:
        """A round where the spots have these hands; whether it is settled."""
        spots = range(1, len(kinds) + 1)
        wagers = tuple(SpotWagers.of(spot=spot, player=f"p{spot}", ante=500, bad_beat=100) for spot in spots)
        shuffle = f"s{self.round.last_round}"
        self.round.open(self.linked.allowed(wagers), shuffle, rotation=False)
        for spot, kind in zip(spots, kinds, strict=True):
            self.round.deal(spot, HANDS[kind][spot - 1], shuffle, rotation=False)
        self.round.deal(0, None, shuffle, rotation=False)
        for spot in spots:
            self.round.decide(spot, True)
        self.round.dealer_cards = tuple(DEALER)
        return self.settle()

    def settle(self) -> bool:
        done = self.round.settle()
        self.flush()
        return done

    def answer(self, *holds: Hold) -> None:
        self.server.news = replace(self.server.news, holds=tuple(("m", hold) for hold in holds))


def fixed(spot: int, percent: int, amount: int, *, ticket: int = 1, **more) -> Hold:
    pot = amount * percent // 100
    return Hold(
        ticket=ticket, table="t1", round_id="R1", spot=spot, nth=1, percent=percent, state=HoldState.FIXED, pot=pot,
        left=pot, amount=amount, floor=min(SEED, amount), **more,
    )  # fmt: skip


def test_an_award_is_pending_until_the_server_has_fixed_it_and_then_paid_at_the_servers_meter() -> None:
    bench = Bench()
    assert not bench.hit(100)
    (asked,) = bench.server.asked
    assert (asked.spots, asked.nths, asked.percents) == ((1,), (1,), (100,))
    assert not bench.settle()
    assert bench.table.ledger.balance("player:p1") < 0
    bench.answer(fixed(1, 100, SEED + 777))
    assert bench.settle()
    assert bench.moves.fixed["m"].prize == SEED + 777
    assert bench.table.ledger.balance("payable:bad_beat") == 0
    assert bench.table.ledger.balance("player:p1") > SEED


def test_the_awards_of_a_round_are_asked_for_together_from_the_dealers_right() -> None:
    bench = Bench()
    bench.hit(25, 100)
    assert bench.server.asked[0].spots == (2, 1)
    bench.answer(fixed(2, 100, SEED + 52), replace(fixed(1, 25, SEED, ticket=2), state=HoldState.WAITING))
    assert not bench.settle()
    bench.answer(
        replace(fixed(2, 100, SEED + 52), state=HoldState.TAKEN, left=0), fixed(1, 25, SEED + 400, ticket=2)
    )
    assert bench.settle()
    assert bench.moves.fixed["m"].prize == (SEED + 400) // 4


def test_with_the_order_asked_each_award_waits_for_its_turn() -> None:
    bench = Bench()
    shown = Shown(replace(METER, order="asked"), 1, SEED, 0, SEED, 0)
    bench.server.news = replace(bench.server.news, snapshots=(MeterSnapshot(shown, 0, 0),))
    bench.hit(25, 100)
    assert bench.server.asked[0].spots == (2,)


def test_another_prize_than_the_rules_lead_to_is_not_paid() -> None:
    bench = Bench()
    bench.hit(100)
    bench.answer(replace(fixed(1, 100, SEED), pot=SEED + 1))
    with pytest.raises(MoveRefused, match="nothing is paid"):
        bench.settle()


def test_a_key_by_hand_is_refused_while_the_award_is_pending() -> None:
    from round_engine.round.operations import VerifyWin
    from round_engine.rules.ruleset import Hand

    bench = Bench()
    bench.hit(100)
    with pytest.raises(MoveRefused, match="pending"):
        bench.round.press(VerifyWin(wager="bad_beat", spot=1, hand=Hand.TOP_STRAIGHT_FLUSH, by="supervisor"))


def test_why_an_award_is_pending_is_said_once() -> None:
    bench = Bench()
    bench.hit(100)
    bench.server.news = replace(bench.server.news, connected=False, trouble="the server is away")
    for _ in range(3):
        assert not bench.settle()
    assert len(bench.said) == 1
    assert "pending, nothing is paid: the server is away" in bench.said[0]


def test_a_host_that_died_asks_again_for_what_it_had_asked() -> None:
    bench = Bench()
    bench.hit(100)
    again = Server()
    linked = LinkedTable(bench.moves, again, clock=lambda: 0.0)
    assert again.asked == bench.server.asked
    assert not linked.fix(bench.table, "R1", bench.table.dues()).entries


def test_the_meter_here_follows_the_server_with_what_is_not_sent_yet() -> None:
    bench = Bench()
    bench.hit(0)
    own = bench.moves.total("m").change
    shown = Shown(METER, 9, SEED + 5_000, 0, SEED, 0)
    bench.server.news = replace(bench.server.news, snapshots=(MeterSnapshot(shown, 0, 0),))
    (move,) = bench.linked.follow(bench.table)
    bench.table.do(move)
    assert bench.table.meters["bad_beat"].amount == SEED + 5_000 + own
    assert bench.linked.follow(bench.table) == ()


@pytest.mark.parametrize(
    ("news", "now", "why"),
    [
        (News(pushed=2, connected=False, away_since=0.0), 61.0, "away for 61 s"),
        (News(pushed=0, connected=False, away_since=0.0), 1.0, "3 contributions wait for the meter server"),
        (News(pushed=0, connected=False, stopped="restored from an older copy"), 0.0, "older copy"),
    ],
)
def test_a_wager_is_not_taken_when_too_much_waits(news: News, now: float, why: str) -> None:
    bench = Bench(now)
    bench.hit(0)
    bench.hit(0)
    bench.server.news = news
    wagers = (SpotWagers.of(spot=1, player="ann", ante=500, bad_beat=100),)
    (left,) = bench.linked.allowed(wagers)
    assert left.stakes == {"ante": 500}
    assert why in bench.said[-1]
    bench.server.news = News(pushed=9, connected=True)
    assert bench.linked.allowed(wagers) == wagers


def test_linking_brings_the_tables_own_money_along() -> None:
    bench = Bench()
    table = Table(RULES)
    table.jackpots["bad_beat"].meter = replace(table.meters["bad_beat"], amount=SEED + 123, reserve=7)
    (entry,) = link(table, MeterMoves(), [METER], "t1")
    assert (entry.transfer, entry.reserve_transfer) == (123, 7)
    assert link(bench.table, bench.moves, [METER], "t1") == []


@pytest.mark.parametrize(
    ("meter", "name", "why"),
    [
        (replace(METER, seed=1), "t1", "seed in cents 1"),
        (replace(METER, share_bp=1), "t1", "share in basis points"),
        (replace(METER, percents=(100,)), "t1", "percentages"),
        (replace(METER, name="other"), "t1", "linked to meter m"),
        (METER, "t2", "as table t1"),
    ],
)
def test_a_table_with_other_rules_or_another_name_is_not_linked(meter, name: str, why: str) -> None:
    bench = Bench()
    with pytest.raises(MeterMisuse, match=why):
        link(bench.table, bench.moves, [meter], name)


def test_a_house_that_splits_awards_is_not_linked() -> None:
    from round_engine.rules.rulebook import load

    split = load("south-dakota", sides=["bad-beat"], changes={"bad_beat": {"several_meter_wins": "split"}})
    with pytest.raises(MeterMisuse, match="one after another"):
        verify_rules(split, METER)


def test_entries_of_a_fixed_award_stand_before_its_move() -> None:
    bench = Bench()
    bench.hit(100)
    bench.answer(fixed(1, 100, SEED + 26))
    bench.round.settle()
    kinds = [type(entry) for entry in bench.round.entries]
    assert kinds.index(AwardFixed) == 0
    moves = []
    for entry in bench.round.entries:
        bench.moves.take(entry)
        moves += bench.moves.owed(entry)
    award = next(move for move in moves if move.kind is MoveKind.AWARD)
    assert award.ticket == 1
    assert MeterMoved in {type(move) for move in moves}
    assert isinstance(bench.moves.links["bad_beat"], MeterLinked)

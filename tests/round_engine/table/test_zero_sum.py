"""Whatever happens at a table, no cent appears or vanishes, a refusal changes nothing, and it all replays.

A random table of a random rule set goes through random operations, right and wrong: wagers, deals, folds, keys on three
keypads, undos, manual adjustments, linked meters, misdeals, jackpots with several winners.
"""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from round_engine.errors import RoundEngineError
from round_engine.keypads import DIALECTS, Key
from round_engine.meters.awards import payable_account, reserve_account
from round_engine.money.ledger import LAYOUT, EntryKind
from round_engine.round import operations as op
from round_engine.round.course import Phase
from round_engine.rules.ruleset import Hand, Pay, WagerName
from round_engine.table import Table, replay
from round_engine.table.state import TableState
from tests.round_engine.support import DEALER_NAME, EXECUTIVE, STAFF, SUPERVISOR, bet, hand, rules_for

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("south-dakota", {}),
    ("south-dakota", {"settings": {"misdeal_progressive": "stand", "misdeal_forfeits": "stand"}}),
    ("south-dakota-2015", {"progressive": {"reserve": "1.37%", "denomination": "$2.50", "envy_source": "meter"}}),
    ("ten-dollar-house", {"settings": {"cap": "$60", "cap_order": "largest-first"}}),
    ("ten-dollar-house", {"bad_beat": {"reserve": "3%", "percentage_rounding": "up", "tray_wins_keyed": False}}),
    ("light-and-wonder", {"house": {"designator": "TCP-12"}, "settings": {"misdeal_after_jackpot": "refused"}}),
    ("light-and-wonder", {"house": {"systems": {"progressive": "nexus"}}, "progressive": {"denomination": "$5"}}),
    ("light-and-wonder", {"paytables": {"progressive": {"1": {"akq_suited": {"pays": "30% of meter"}}}}}),
]
# Hands without a card in common, the high ones first: most of them pay some progressive.
HANDS = [
    "As Ks Qs", "Ah Kh Qh", "Js Ts 9s", "7h 6h 5h", "6d 5d 4d", "3c 3d 3h", "8c 8s 2c", "Jc Td 9c", "Kc Jd 4s",
    "Ad Qd 9d", "2d 2h 7c", "Qc 8d 4h", "Ac 6c 5c", "Th 7s 3s",
]  # fmt: skip
STAKES = st.sampled_from([0, 500, 1000])
METERED = st.sampled_from(["progressive", "bad_beat"])
OVER = (Phase.CLOSED, Phase.VOID)
STOPS = [*Phase, *[Phase.SETTLEMENT] * 8]


def everything(table: Table) -> str:
    """All that a table remembers, as text."""
    kept = (table.standing, table.rounds, table.shuffles, table.staff, table.audit)
    return repr((table.round, table.jackpots, table.ledger, kept))


class TableMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.done: list[op.Operation] = []
        self.rounds = 0

    @initialize(which=st.sampled_from(TABLES))
    def open_table(self, which: tuple[str, dict[str, Any]]) -> None:
        name, changes = which
        self.table = Table(rules_for(name, sides=["bad-beat"], **changes), staff=STAFF)

    # --- doing ---

    def do(self, operation: op.Operation) -> bool:
        """Do it if it is allowed; if it is not, nothing must have changed."""
        table = self.table
        before = everything(table)
        allowed = table.can(operation)
        try:
            applied = table.do(operation)
        except RoundEngineError:
            assert not allowed
            assert everything(table) == before
            return False
        assert allowed
        assert applied.operation == replace(operation, by=applied.operation.by, role=applied.operation.role)
        assert applied.operation.role is not None
        self.done.append(applied.operation)
        return True

    def phase(self) -> Phase | None:
        return self.table.round.phase if self.table.round is not None else None

    def in_phase(self, *phases: Phase) -> bool:
        return self.phase() in phases

    @precondition(lambda self: self.phase() in (None, *OVER))
    @rule(data=st.data(), stop=st.sampled_from(STOPS), hands=st.permutations(HANDS))
    def play_a_round_up_to(self, data: st.DataObject, stop: Phase, hands: list[str]) -> None:
        """Bets, deal and decisions up to some phase; most often up to the settlement."""
        self.open_and_bet(data)
        for phase, step in (
            (Phase.BETTING, lambda: self.do(op.LockWagers())),
            (Phase.LOCKED, lambda: self.deal(data, hands)),
            (Phase.DEALING, lambda: self.deal(data, hands)),
            (Phase.DECISIONS, lambda: self.decide(data)),
            (Phase.REVEAL, self.collect_and_reveal),
        ):
            if self.phase() is phase and phase is not stop:
                step()

    def open_and_bet(self, data: st.DataObject) -> None:
        self.rounds += 1
        name, rules = str(self.rounds), self.table.rules
        ways = st.sampled_from([None, *rules.dealing])
        self.do(op.OpenRound(round_id=name, shuffle=name, dealer=DEALER_NAME, dealing=data.draw(ways)))
        for spot in data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=5, unique=True)):
            metered = {
                wager: progressive.denomination
                for wager, progressive in rules.progressives.items()
                if data.draw(st.integers(0, 3))
            }
            player = data.draw(st.sampled_from([f"p{spot}", "ann", "bob"]))
            stakes = {"ante": data.draw(STAKES), "pair_plus": data.draw(STAKES), "six_card_bonus": data.draw(STAKES)}
            tips = {"tip_ante": 100, "tip_pair_plus": 100} if data.draw(st.booleans()) else {}
            if not self.do(op.PlaceWagers(wagers=bet(spot, player, **stakes, **metered, **tips))):
                self.do(op.PlaceWagers(wagers=bet(spot, ante=500, **metered)))
        if len(self.table.in_play().spots) > 1 and data.draw(st.booleans()):
            self.do(op.WithdrawWagers(spot=data.draw(st.integers(1, 7))))

    def deal(self, data: st.DataObject, hands: list[str]) -> None:
        """Some at first, all when called again; faces told at once or shown later."""
        state = self.table.in_play()
        hidden, some = data.draw(st.booleans()), data.draw(st.integers(1, 30))
        self.holdings = {spot: hand(hands[at]) for at, spot in enumerate([*state.spots, op.DEALER])}
        limit = some if state.phase is Phase.LOCKED else 99
        while state.to_receive and limit:
            limit -= 1
            spot = state.to_receive[-1]
            cards = self.holdings[spot]
            if state.dealing == "groups":
                self.do(op.DealGroup(spot=spot, cards=None if hidden or spot == op.DEALER else cards))
            else:
                at = (state.dealer if spot == op.DEALER else state.spots[spot]).dealt
                self.do(op.DealCard(spot=spot, card=None if hidden else cards[at]))
            if data.draw(st.integers(0, 9)) == 0:
                self.do(op.ExposeCard(spot=spot, card=cards[0]))
        for spot in [] if state.to_receive else list(state.spots):
            self.do(op.ShowHand(spot=spot, cards=self.holdings[spot]))

    def decide(self, data: st.DataObject) -> None:
        state = self.table.in_play()
        for spot in list(state.undecided):
            tip = data.draw(st.sampled_from([0, 100]))
            playing = data.draw(st.integers(0, 3)) > 0
            if not (playing and self.do(op.Play(spot=spot, amount=state.spots[spot].wagers.stake("ante"), tip=tip))):
                self.do(op.Fold(spot=spot))

    def collect_and_reveal(self) -> None:
        folds = tuple(self.table.in_play().folds)
        if folds:
            self.do(op.CollectFolds(spots=folds, counted=(3,) * len(folds)))
        self.do(op.RevealDealer(cards=self.holdings[op.DEALER]))

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule(count=st.integers(1, 4))
    def key_winners(self, count: int) -> None:
        for _ in range(count):
            if dues := self.table.dues():
                for press in self.table.keys_for(dues[0], supervisor=SUPERVISOR):
                    self.do(press)

    @precondition(lambda self: self.in_phase(Phase.LOCKED, Phase.SETTLEMENT))
    @rule(
        wager=METERED,
        key=st.sampled_from([key for dialect in DIALECTS.values() for key in dialect.keys]),
        by=st.sampled_from([DEALER_NAME, SUPERVISOR]),
        pressed=st.sampled_from([*Hand]),
        spot=st.integers(1, 7),
    )
    def press_any_key(self, wager: WagerName, key: Key, by: str, pressed: Hand, spot: int) -> None:
        self.do(op.PressKey(wager=wager, key=key, by=by, hand=pressed if key == "HAND" else None, spot=spot))

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule(wager=METERED, pressed=st.sampled_from([*Hand]), spot=st.integers(1, 7))
    def record_something(self, wager: WagerName, pressed: Hand, spot: int) -> None:
        """Right or wrong, on whatever keypad there is."""
        for key in ("HAND", "KEY TO JPH", "J-POT", "POSITION", "HAND", "CONFIRM", "EXECUTIVE CARD",
                    "ENTER", "KEY TO RUN"):  # fmt: skip
            by = dict.fromkeys(("HAND", "POSITION", "ENTER"), DEALER_NAME) | {"EXECUTIVE CARD": EXECUTIVE}
            if key == "ENTER":
                self.do(op.VerifyWin(wager=wager, spot=spot, hand=pressed, by=SUPERVISOR))
            name = by.get(key, SUPERVISOR)
            self.do(op.PressKey(wager=wager, key=key, by=name, hand=pressed if key == "HAND" else None, spot=spot))

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule(pressed=st.sampled_from([Hand.TOP_STRAIGHT_FLUSH, Hand.STRAIGHT_FLUSH, Hand.PAIR]), spot=st.integers(1, 7))
    def enter_and_undo(self, pressed: Hand, spot: int) -> None:
        meter = self.table.meters["bad_beat"]
        entered = False
        self.do(op.VerifyWin(wager="bad_beat", spot=spot, hand=pressed, by=SUPERVISOR))
        for key in ("HAND", "POSITION", "ENTER"):
            button = pressed if key == "HAND" else None
            entered = self.do(op.PressKey(wager="bad_beat", key=key, by=DEALER_NAME, hand=button, spot=spot))
        if self.do(op.PressKey(wager="bad_beat", key="UNDO", by=DEALER_NAME)) and entered:
            assert self.table.meters["bad_beat"] == meter

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule(wager=METERED, void=st.booleans())
    def back_out(self, wager: WagerName, void: bool) -> None:
        jackpot = self.table.jackpots.get(wager)
        newest = jackpot.active()[-1].number if jackpot is not None and jackpot.active() else 1
        self.do(op.BackOut(wager=wager, record=newest, by=SUPERVISOR, reason="review", void=void))

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule(spot=st.integers(1, 7))
    def settle_one_spot(self, spot: int) -> None:
        self.do(op.SettleSpot(spot=spot))

    @precondition(lambda self: self.in_phase(Phase.DECISIONS, Phase.REVEAL))
    @rule(spot=st.integers(0, 7), count=st.integers(0, 4))
    def count_wrongly(self, spot: int, count: int) -> None:
        self.do(op.DealGroup(spot=spot, count=count))

    @precondition(lambda self: self.in_phase(Phase.LOCKED, Phase.SETTLEMENT, *OVER))
    @rule(wager=METERED, percent=st.sampled_from([25, 30, 100]))
    def win_elsewhere(self, wager: WagerName, percent: int) -> None:
        meter = self.table.meters.get(wager)
        if meter is not None:
            change = self.table.rules.progressives[wager].seed - meter.amount
            change = change if percent == 100 else -(meter.amount * percent // 100)
            self.do(op.LinkMeter(wager=wager, change=change, table="next door", percent=percent))

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT, *OVER))
    @rule(wager=METERED, change=st.integers(-2_000_000, 50_000))
    def move_the_meter(self, wager: WagerName, change: int) -> None:
        self.do(op.AdjustMeter(wager=wager, change=change, by=SUPERVISOR, reason="audit"))
        self.do(op.LinkMeter(wager=wager, change=-change, table="next door"))

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule()
    def settle(self) -> None:
        self.do(op.Settle())

    @precondition(lambda self: self.in_phase(Phase.SETTLEMENT))
    @rule()
    def finish(self) -> None:
        self.key_winners(9)
        self.do(op.Settle())
        self.do(op.CloseRound())

    @precondition(lambda self: self.phase() not in (None, *OVER))
    @rule()
    def misdeal(self) -> None:
        if not self.do(op.DeclareMisdeal(reason="the machine says so")):
            for wager, jackpot in self.table.jackpots.items():
                while jackpot.active():
                    newest = jackpot.active()[-1].number
                    assert self.do(op.BackOut(wager=wager, record=newest, by=SUPERVISOR, reason="misdeal"))
            self.do(op.DeclareMisdeal(reason="the machine says so again"))

    # --- what must hold ---

    @invariant()
    def every_cent_is_somewhere(self) -> None:
        if not hasattr(self, "table"):
            return
        ledger = self.table.ledger
        assert ledger.total() == 0
        for wager, jackpot in self.table.jackpots.items():
            assert jackpot.meter.amount == ledger.balance(jackpot.meter.account) >= jackpot.meter.floor >= 0
            shares = any(row.pay is Pay.METER and row.value < 100 for row in jackpot.paytable.rows)
            assert shares or jackpot.meter.floor == jackpot.rules.seed
            assert jackpot.meter.reserve == ledger.balance(reserve_account(wager)) >= 0
            standing = [one for one in jackpot.active() if one.adjusted and one.row.pay is Pay.METER]
            assert ledger.balance(payable_account(wager)) == sum(one.prize for one in standing if not one.paid)
        assert ledger.balance(LAYOUT) == self.stakes_on_the_layout()

    def stakes_on_the_layout(self) -> int:
        """What should lie there, from the spots alone."""
        state = self.table.round
        if state is None or state.phase in (Phase.BETTING, *OVER) or state.settled:
            return 0
        total = 0
        for spot in state.spots.values():
            if spot.settled:
                continue
            total += sum(stake for name, stake in spot.stakes.items() if name not in ("progressive", "bad_beat"))
        unsettled = [number for number, spot in state.spots.items() if not spot.settled]
        given_up = [one for one in state.postings if one.entry is EntryKind.FORFEITED and one.spot in unsettled]
        return total - sum(one.amount for one in given_up)

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        through_json = [op.from_json(json.loads(json.dumps(op.to_json(one)))) for one in self.done]
        assert through_json == self.done
        assert replay(self.table.rules, through_json, staff=STAFF) == self.table
        if self.phase() in (None, *OVER):
            state = self.table.state()
            assert TableState.from_json(json.loads(json.dumps(state.to_json()))) == state
            again = Table(self.table.rules, state)
            assert again.state() == state


TestZeroSum = pytest.mark.slow(TableMachine.TestCase)
TestZeroSum.settings = settings(
    max_examples=100, stateful_step_count=20, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip

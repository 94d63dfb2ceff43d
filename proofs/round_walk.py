"""The claim: from every state that a round of two spots can reach, it can be closed without voiding what was right.

A breadth-first walk: from the opening, every operation (right ones, wrong counts, wrong keys, corrections, another
table's moves) by every role, in every state, until no new state appears; under every rule set, with its own progressive
and with the bad beat. In every state the books sum to zero, no meter is below its seed, and nothing is charged to a
winner. A round that is closed paid what the second settlement pays; a void one gave everything back. From every state
that is no misdeal there is a way to the close without a misdeal and without an award made void.

What is abstracted: the cards are a few chosen deals, and those of a bad beat with two spots are shared out among the
rule sets; states that differ only in history (the list of operations, cards that were exposed, records that were
backed out) count as one; with one spot, another table or a manual adjustment moves the meter once a round, with two
spots not at all; no more than three records stand at a time; in rotation the faces of a hand are all told or none.
"""

import argparse
import json
import re
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from proofs import reference_settlement as reference
from proofs.evidence import record
from round_engine.errors import RoundEngineError, WrongPhase
from round_engine.hands.cards import parse_hand
from round_engine.meters.awards import payable_account, reserve_account
from round_engine.meters.jackpot import Jackpot
from round_engine.money.ledger import LAYOUT, TRAY, EntryKind, Ledger
from round_engine.round import operations as op
from round_engine.round.course import Round
from round_engine.round.state import Phase
from round_engine.rules.rulebook import RULE_SETS, load
from round_engine.rules.ruleset import Dealing, Hand, Pay, RuleSet, WagerName
from round_engine.staff import StaffRole, staff_of
from round_engine.table import Table
from round_engine.wagers import SpotWagers

STAFF = staff_of(dana="dealer", sam="supervisor", eve="executive", link="system")
ACTORS = {StaffRole.DEALER: "dana", StaffRole.SUPERVISOR: "sam", StaffRole.EXECUTIVE: "eve", StaffRole.SYSTEM: "link"}
PLAYERS = {1: "p1", 2: "p2"}
MOST_RECORDS = 3
RECORDING = ("J-POT", "SUPERVISOR CARD", "EXECUTIVE CARD", "ENTER")
OVER = (Phase.CLOSED, Phase.VOID)
CONTRIBUTION = 14


@dataclass(frozen=True, kw_only=True)
class Deal:
    """The cards of a round and what lies on its spots."""

    name: str
    hands: dict[int, str]
    dealer: str
    stakes: dict[int, dict[str, int]]

    def wagers(self, wager: WagerName) -> dict[int, SpotWagers]:
        """The wagers by spot, "metered" standing for the progressive wager of the layout."""
        return {
            spot: SpotWagers(
                spot=spot,
                player=PLAYERS[spot],
                stakes={wager if name == "metered" else name: amount for name, amount in stakes.items()},
            )
            for spot, stakes in self.stakes.items()
        }

    def cards(self, spot: int) -> tuple[int, ...]:
        """The hand of a spot or the dealer."""
        return parse_hand(self.dealer if spot == op.DEALER else self.hands[spot])


BOTH = {1: {"ante": 500, "metered": 100}, 2: {"ante": 500, "pair_plus": 500, "metered": 100}}
PROGRESSIVE_DEALS = (
    Deal(name="jackpot, tray win", hands={1: "As Ks Qs", 2: "6c 6d 6s"}, dealer="9c 9d 4h", stakes=BOTH),
    Deal(
        name="no win, a forced fold",
        hands={1: "Kc Jd 4s", 2: "Ac Jh 7d"},
        dealer="9c 9d 4h",
        stakes={1: {"ante": 500}, 2: {"pair_plus": 500, "metered": 100}},
    ),
)
BAD_BEAT_DEALS = (
    Deal(name="100%, 25%", hands={1: "7h 6h 5h", 2: "6s 5s 4s"}, dealer="Qd Jd Td", stakes=BOTH),
    Deal(name="100% twice", hands={1: "7h 6h 5h", 2: "8s 7s 6s"}, dealer="Qd Jd Td", stakes=BOTH),
    Deal(name="tray win", hands={1: "2c 2d 5h", 2: "Ac Jh 7d"}, dealer="9c 9d 4h", stakes=BOTH),
)
BEATEN_APART, BEATEN_TWICE, FROM_THE_TRAY = BAD_BEAT_DEALS
BAD_BEAT_WALKS = (BEATEN_APART, FROM_THE_TRAY, BEATEN_TWICE, FROM_THE_TRAY)  # for the rule sets in their order
ALONE = {1: {"ante": 500, "metered": 100}}
ONE_SPOT = Deal(name="one spot, jackpot", hands={1: "As Ks Qs"}, dealer="9c 9d 4h", stakes=ALONE)
ONE_SPOT_BEATEN = Deal(name="one spot, 25%", hands={1: "6s 5s 4s"}, dealer="Qd Jd Td", stakes=ALONE)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A rule set with one progressive on it."""

    name: str
    rules: RuleSet
    game: reference.Game
    wager: WagerName
    deals: tuple[Deal, ...]


def _game(name: str, **more: Any) -> reference.Game:
    if name == "ten-dollar-house":
        return reference.Game(
            ante_bonus="C", pair_plus="D", six_card="TCP-6B2", fold_forfeits_pair_plus=False, cap=500_000, **more
        )
    return reference.Game(ante_bonus="A", pair_plus="A", six_card="TCP-6B1", fold_forfeits_pair_plus=True, **more)


def layouts() -> list[Layout]:
    """Every rule set with every keypad that it can have."""
    found: list[Layout] = []
    for name in RULE_SETS:
        house: dict[str, Any] = {"limit_ceiling": "$300"} if name == "light-and-wonder" else {}
        systems = {"light-and-wonder": ("game-manager", "nexus"), "ten-dollar-house": ()}.get(name, ("table",))
        for system in systems:
            rules = load(name, changes={"house": {**house, "systems": {"progressive": system}}})
            more = {"folded_progressive_lives": system != "nexus", "envy_to_own_spot": system == "game-manager"}
            how = rules.progressives["progressive"]
            found.append(
                Layout(
                    name=f"{name}, {how.keypad}", rules=rules, game=_game(name, progressive="1", **more),
                    wager="progressive", deals=PROGRESSIVE_DEALS,
                )
            )  # fmt: skip
        alone = {**house, "paytables": {"progressive": "none"}}
        rules = load(name, sides=["bad-beat"], changes={"house": alone})
        found.append(
            Layout(name=f"{name}, bad-beat", rules=rules, game=_game(name), wager="bad_beat", deals=BAD_BEAT_DEALS)
        )
    return found


# --- states ----------------------------------------------------------------------------------------------------------


def copied(table: Table) -> Table:
    """A table that can go another way; what never changes is shared."""
    new = copy(table)
    new.ledger = Ledger(table.ledger.balances)
    new.audit = []
    new.jackpots = {}
    for wager, jackpot in table.jackpots.items():
        other = copy(jackpot)
        other.records = []
        for one in jackpot.records:
            same = copy(one)
            same.paid = list(one.paid)
            other.records.append(same)
        other.verified, other.voided = dict(jackpot.verified), set(jackpot.voided)
        other.envy_paid = dict(jackpot.envy_paid)
        new.jackpots[wager] = other
    if table.round is not None:
        new.round = _copied_round(table.round)
    return new


def _copied_round(state: Round) -> Round:
    new = copy(state)
    new.spots = {number: copy(spot) for number, spot in state.spots.items()}
    new.dealer = copy(state.dealer)
    new.faces = set(state.faces)
    for name in ("to_receive", "undecided", "folds", "exposed", "postings"):
        setattr(new, name, list(getattr(state, name)))
    new.operations = []
    return new


def key_of(table: Table, moved: str) -> bytes:
    """A digest of what makes a state: everything that decides what can come, and every balance."""
    state = table.in_play()
    spots = tuple(
        (number, one.dealt, one.cards, one.decision, one.folded, one.settled) for number, one in state.spots.items()
    )
    jackpots = tuple(
        (
            jackpot.meter, jackpot.keypad, tuple(sorted(jackpot.verified)), tuple(sorted(jackpot.voided)),
            tuple(sorted(jackpot.envy_paid)), bool(jackpot.records) and jackpot.records[-1].backed_out,
            tuple(
                (one.hand, one.spot, one.due is not None, one.prize, one.floor, one.share, one.adjusted, bool(one.paid))
                for one in jackpot.active()
            ),
        )
        for jackpot in table.jackpots.values()
    )  # fmt: skip
    told = (
        state.phase, spots, state.dealer.dealt, state.dealer.cards, tuple(state.undecided), tuple(state.folds),
        state.folds_collected, state.settled, bool(state.miscount), moved, jackpots,
        sorted((account, amount) for account, amount in table.ledger.balances.items() if amount),
    )  # fmt: skip
    return blake2b(repr(told).encode(), digest_size=16).digest()


# --- operations ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Walk:
    """One layout and one deal to be walked through."""

    layout: Layout
    deal: Deal
    dealing: Dealing = "groups"
    moves_from_outside: bool = True

    @property
    def title(self) -> str:
        """What is walked through; the fingerprint tells a rule set from the same one after a change."""
        how = "" if self.dealing == "groups" else f", dealt in {self.dealing}"
        others = ", others move the meter" if self.moves_from_outside else ""
        return f"{self.layout.name} {self.layout.rules.short_fingerprint}: {self.deal.name}{how}{others}"

    def start(self) -> Table:
        """A table with a fresh meter and the round open."""
        table = Table(self.layout.rules, staff=STAFF)
        wagers = tuple(self.deal.wagers(self.layout.wager).values())
        dealer = ACTORS[StaffRole.DEALER]
        table.do(op.OpenRound(round_id="1", shuffle="1", dealer=dealer, dealing=self.dealing, wagers=wagers))
        return table

    def operations(self, table: Table, moved: str) -> Iterator[op.Operation]:
        """Everything that somebody could try in this state, without who does it."""
        state, deal, wager = table.in_play(), self.deal, self.layout.wager
        yield op.OpenRound(round_id="2", shuffle="2", dealer=ACTORS[StaffRole.DEALER])
        for spot, wagers in deal.wagers(wager).items():
            yield op.PlaceWagers(wagers=wagers)
            yield op.WithdrawWagers(spot=spot)
        yield op.LockWagers()
        for spot in (*deal.hands, op.DEALER):
            yield op.DealGroup(spot=spot, cards=None if spot == op.DEALER else deal.cards(spot))
            yield op.DealGroup(spot=spot, count=4)
            yield op.DealGroup(spot=spot)
            yield from self.cards_in_rotation(state, spot)
            if spot != op.DEALER:
                yield op.ShowHand(spot=spot, cards=deal.cards(spot))
                yield op.ShowHand(spot=spot, cards=deal.cards(spot)[:2])
        if not state.exposed:
            yield op.ExposeCard(spot=1)
        for spot, wagers in deal.wagers(wager).items():
            yield op.Play(spot=spot, amount=wagers.stake("ante"))
            yield op.Fold(spot=spot)
            yield op.SettleSpot(spot=spot)
        waiting = tuple(state.folds[state.folds_collected :])
        yield op.CollectFolds(spots=waiting, counted=(3,) * len(waiting))
        yield op.CollectFolds(spots=waiting, counted=(2,) * len(waiting))
        yield op.RevealDealer(cards=deal.cards(op.DEALER))
        yield op.RevealDealer(cards=deal.cards(op.DEALER)[:2])
        yield op.Settle()
        yield op.CloseRound()
        yield op.DeclareMisdeal(reason="walk")
        yield op.ChangeStaff(members=STAFF.members)
        yield from self.keys(table)
        if not moved and self.moves_from_outside:
            yield from self.from_outside(table)

    def cards_in_rotation(self, state: Round, spot: int) -> Iterator[op.Operation]:
        """One more card; a hand's faces are all told or none, the dealer's never."""
        hand = state.dealer if spot == op.DEALER else state.spots.get(spot)
        if hand is None or len(hand.cards) == hand.dealt:
            face = None if spot == op.DEALER or hand is None else self.deal.cards(spot)[hand.dealt % 3]
            yield op.DealCard(spot=spot, card=face)
        if hand is not None and not hand.cards:
            yield op.DealCard(spot=spot)

    def keys(self, table: Table) -> Iterator[op.Operation]:
        """Every key, with right and wrong hands; corrections of what is recorded."""
        wager, jackpot = self.layout.wager, table.jackpots[self.layout.wager]
        hands = self.buttons(table)
        standing = jackpot.active()
        for key in jackpot.dialect.keys:
            if key == "HAND":
                yield from (op.PressKey(wager=wager, key=key, hand=hand) for hand in hands)
            elif key == "POSITION":
                yield from (op.PressKey(wager=wager, key=key, spot=spot) for spot in self.deal.hands)
            elif key not in RECORDING or len(standing) < MOST_RECORDS:
                yield op.PressKey(wager=wager, key=key)
        for spot in self.deal.hands:
            for hand in hands:
                if (spot, hand) not in jackpot.verified:
                    yield op.VerifyWin(wager=wager, spot=spot, hand=hand)
        for one in standing[-2:]:
            yield op.BackOut(wager=wager, record=one.number, reason="walk")
            yield op.BackOut(wager=wager, record=one.number, reason="walk", void=True)

    def buttons(self, table: Table) -> list[Hand]:
        """The hands that the cards show, the top one, which may be wrong, and the one that is lit."""
        paytable, jackpot = self.layout.rules.paytable(self.layout.wager), table.jackpots[self.layout.wager]
        jackpot.dues(table.in_play())
        shown = {Hand(one.row.hand) for one in jackpot.dues_known[1]}
        lit = {jackpot.keypad.hand} if jackpot.keypad.hand is not None else set()
        return sorted({*shown, *lit, Hand(paytable.rows[0].hand)})

    def from_outside(self, table: Table) -> Iterator[op.Operation]:
        """Another table's wagers, its wins, a manual adjustment up and down."""
        wager, meter = self.layout.wager, table.meters[self.layout.wager]
        seed = self.layout.rules.progressives[wager].seed
        yield op.LinkMeter(wager=wager, change=CONTRIBUTION, table="next door")
        yield op.LinkMeter(wager=wager, change=seed - meter.amount, table="next door", percent=100)
        yield op.LinkMeter(wager=wager, change=-(meter.amount // 4), table="next door", percent=25)
        yield op.AdjustMeter(wager=wager, change=5, reason="walk")
        yield op.AdjustMeter(wager=wager, change=-1, reason="walk")
        yield op.AdjustMeter(wager=wager, change=seed - meter.amount, reason="walk")


@lru_cache(maxsize=4096)
def by_every_role(operation: op.Operation) -> tuple[op.Operation, ...]:
    """The operation by each role, and a player's by either player."""
    staff = [replace(operation, by=name, role=role) for role, name in ACTORS.items()]
    return (*staff, *(replace(operation, by=name, role=StaffRole.PLAYER) for name in PLAYERS.values()))


def walks() -> Iterator[Walk]:
    """Every layout: two spots with each deal; one spot while others move the meter; one spot in rotation where offered.

    Moves from outside multiply the states by ten: together with two spots they would be millions a walk. Of the bad
    beat's deals with two spots, which have hundreds of thousands of states each, every rule set gets one.
    """
    for layout in layouts():
        alone = ONE_SPOT_BEATEN if layout.wager == "bad_beat" else ONE_SPOT
        yield Walk(layout=layout, deal=alone)
        if "rotation" in layout.rules.dealing:
            yield Walk(layout=layout, deal=alone, dealing="rotation", moves_from_outside=False)
    beats = iter(BAD_BEAT_WALKS)
    for layout in layouts():
        deals = (next(beats),) if layout.wager == "bad_beat" else layout.deals
        yield from (Walk(layout=layout, deal=deal, moves_from_outside=False) for deal in deals)


# --- the walk --------------------------------------------------------------------------------------------------------


@dataclass
class Walked:
    """What a walk found."""

    states: int = 0
    tried: int = 0
    moves: int = 0
    closed: int = 0
    void: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass
class _Graph:
    """States by number, with the ways back that void nothing."""

    numbers: dict[bytes, int] = field(default_factory=dict)
    back: list[list[int]] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    came: list[tuple[int, op.Operation | None]] = field(default_factory=list)  # the shortest way to each

    def way(self, number: int) -> str:
        """The operations that lead to a state."""
        told: list[str] = []
        while (step := self.came[number])[1] is not None:
            number, operation = step
            plain = op.to_json(operation) if operation is not None else {}
            told.append(" ".join(f"{value}" for key, value in plain.items() if value and key not in ("by", "reason")))
        return "; ".join(reversed(told))


def walk(one: Walk, most: int | None = None) -> Walked:
    """Go through every state; `most` stops early, for a look."""
    found, graph = Walked(), _Graph()
    start = one.start()
    todo: deque[tuple[int, Table, str]] = deque()
    _arrive(one, graph, found, todo, start, "", (-1, None))
    while todo and (most is None or len(graph.numbers) < most):
        number, table, moved = todo.popleft()
        if graph.phases[number] in OVER:
            continue
        for operation in one.operations(table, moved):
            for named in by_every_role(operation):
                found.tried += 1
                try:
                    table.verify(named)
                except RoundEngineError:
                    continue
                after = copied(table)
                applied = after.do(named)
                found.moves += 1
                if bad := [posting for posting in applied.postings if posting.amount <= 0]:
                    found.problems.append(f"{named}: a posting of {bad[0].amount} cents")
                outside = moved
                if isinstance(named, op.LinkMeter | op.AdjustMeter):
                    outside = f"{type(named).__name__} {getattr(named, 'percent', 0)}"
                to = _arrive(one, graph, found, todo, after, outside, (number, named))
                if not isinstance(named, op.DeclareMisdeal) and not (isinstance(named, op.BackOut) and named.void):
                    graph.back[to].append(number)
    found.states = len(graph.numbers)
    if not todo:
        found.problems += dead_ends(graph)
    return found


def _arrive(
    one: Walk,
    graph: _Graph,
    found: Walked,
    todo: deque[tuple[int, Table, str]],
    table: Table,
    moved: str,
    came: tuple[int, op.Operation | None],
) -> int:
    key = key_of(table, moved)
    number = graph.numbers.get(key)
    if number is None:
        number = graph.numbers[key] = len(graph.numbers)
        graph.back.append([])
        phase = table.in_play().phase
        graph.phases.append(phase)
        graph.came.append(came)
        found.closed += phase is Phase.CLOSED
        found.void += phase is Phase.VOID
        found.problems += [f"{problem}: {graph.way(number)}" for problem in broken(one, table, moved)]
        todo.append((number, table, moved))
    return number


def dead_ends(graph: _Graph) -> list[str]:
    """States from which no way leads to the close without voiding; a misdeal leads to the void round by itself."""
    alive = [phase is Phase.CLOSED for phase in graph.phases]
    todo = [number for number, closed in enumerate(alive) if closed]
    while todo:
        for before in graph.back[todo.pop()]:
            if not alive[before]:
                alive[before] = True
                todo.append(before)
    return [
        f"dead end in {phase}: {graph.way(number)}"
        for number, phase in enumerate(graph.phases)
        if not alive[number] and phase not in (Phase.VOID, Phase.MISDEALT)
    ]


# --- what must hold --------------------------------------------------------------------------------------------------


def broken(one: Walk, table: Table, moved: str) -> Iterator[str]:
    """What a state breaks."""
    ledger, state, wager = table.ledger, table.in_play(), one.layout.wager
    jackpot = table.jackpots[wager]
    if ledger.total():
        yield f"the books sum to {ledger.total()}"
    if ledger.balance(jackpot.meter.account) != jackpot.meter.amount:
        yield "the meter is not what the books say"
    if jackpot.meter.amount < least_meter(table, wager, moved):
        yield f"the meter shows {jackpot.meter.amount}"
    if jackpot.meter.reserve != ledger.balance(reserve_account(wager)) or jackpot.meter.reserve < 0:
        yield "the reserve is not what the books say"
    standing = [record for record in jackpot.active() if record.adjusted and record.row.pay is Pay.METER]
    if ledger.balance(payable_account(wager)) != sum(record.prize for record in standing if not record.paid):
        yield "awards recorded and not paid do not agree with the books"
    if state.phase is Phase.MISDEALT and not _can_be_void(table):
        yield "a misdeal that cannot be declared"
    if state.phase in OVER and (ledger.balance(LAYOUT) or ledger.balance(payable_account(wager))):
        yield "something is left on the layout or unpaid"
    if state.phase is Phase.VOID:
        accounts = (*(f"player:{name}" for name in PLAYERS.values()), TRAY)
        owed = {account: ledger.balance(account) for account in accounts}
        if any(owed.values()):
            yield f"a void round leaves {owed}"
    if state.phase is Phase.CLOSED and not jackpot.voided:
        yield from misspaid(one, table, moved)


def least_meter(table: Table, wager: WagerName, moved: str) -> int:
    """The seed, less a quarter for every award of 25% that stands since."""
    jackpot = table.jackpots[wager]
    quarters = moved.endswith(" 25") + sum(record.row.value == 25 and record.adjusted for record in jackpot.active())
    least: int = jackpot.rules.seed
    for _ in range(quarters):
        least -= -(-least // 4)
    return least


def _can_be_void(table: Table) -> bool:
    """Whether a supervisor's corrections, newest first, lead to the void round."""
    after = copied(table)
    for wager, jackpot in after.jackpots.items():
        while standing := jackpot.active():
            by = ACTORS[StaffRole.SUPERVISOR]
            after.do(op.BackOut(wager=wager, record=standing[-1].number, reason="walk", by=by))
    return after.can(op.DeclareMisdeal(reason="walk"))


def misspaid(one: Walk, table: Table, moved: str) -> Iterator[str]:
    """A closed round against the second settlement; where others moved the meter, only what hangs on no meter."""
    state, wager = table.in_play(), one.layout.wager
    spots = [
        reference.Spot(
            spot=number, player=spot.wagers.player, cards=one.deal.cards(number), folded=spot.folded,
            **spot.wagers.stakes,
        )
        for number, spot in state.spots.items()
    ]  # fmt: skip
    lit = sum(getattr(spot, wager) > 0 for spot in spots)
    share = lit * one.layout.rules.paytable(wager).contribution_bp // 100
    meter = one.layout.rules.progressives[wager].seed + share
    expected = reference.settle(one.layout.game, spots, one.deal.cards(op.DEALER), meter, meter)
    gained = {name: table.ledger.balance(f"player:{name}") for name in expected.players}
    if not moved and gained != expected.players:
        yield f"paid {gained} instead of {expected.players}"
    awarded = {
        due.spot: sum(
            posting.amount * (1 if posting.entry is EntryKind.AWARDED else -1)
            for posting in state.postings
            if posting.spot == due.spot and (posting.entry is EntryKind.AWARDED or _is_taken_back(posting))
        )
        for due in table.jackpots[wager].dues(state)
    }
    prizes = {due.spot: prize for due, prize in table.jackpots[wager].prizes().items()}
    if awarded != prizes:
        yield f"awarded {awarded}, recorded {prizes}"


def _is_taken_back(posting: Any) -> bool:
    from_a_player = posting.source.startswith("player:")
    return posting.entry is EntryKind.BACKED_OUT and from_a_player and posting.note[:6] == "record"


# --- a plant, and the record -----------------------------------------------------------------------------------------


@contextmanager
def planted_dead_end() -> Iterator[None]:
    """An engine in which a win that was backed out after the settlement can't be keyed again."""
    real = Jackpot._record

    def not_after_the_settlement(self: Jackpot, state: Any, *more: Any) -> Any:
        if state.settled:
            raise WrongPhase("planted: wins are recorded before the settlement only")
        return real(self, state, *more)

    Jackpot._record = not_after_the_settlement  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        Jackpot._record = real  # type: ignore[method-assign]


def find_the_plant() -> list[str]:
    """The dead ends of a round with one spot on the planted engine, with the way to each."""
    with planted_dead_end():
        found = walk(Walk(layout=layouts()[0], deal=ONE_SPOT, moves_from_outside=False))
    return [problem for problem in found.problems if problem.startswith("dead end")]


def kept_or_walked(one: Walk, most: int | None, folder: Path | None) -> Walked:
    """What an earlier run has found, or else a walk, which is kept; a walk that stops early is not."""
    if folder is None or most is not None:
        return walk(one, most)
    path = folder / (re.sub(r"[^a-z0-9]+", "-", one.title.lower()) + ".json")
    if path.exists():
        return Walked(**json.loads(path.read_text(encoding="utf-8")))
    found = walk(one)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Walk through every state of a round with two spots.")
    parser.add_argument("--only", default="", help="only walks whose title contains this")
    parser.add_argument("--most", type=int, help="stop each walk at so many states")
    parser.add_argument("--keep", type=Path, help="a folder to resume from: walks that are in it are not walked again")
    chosen = parser.parse_args()
    lines = ["| walk | states | closed | void | operations tried | taken | problems |", "|---" * 7 + "|"]
    total = Walked()
    for one in walks():
        if chosen.only not in one.title:
            continue
        began = time.monotonic()
        found = kept_or_walked(one, chosen.most, chosen.keep)
        lines.append(row(one.title, found))
        for name in ("states", "tried", "moves", "closed", "void", "problems"):
            setattr(total, name, getattr(total, name) + getattr(found, name))
        print(f"{lines[-1]} {time.monotonic() - began:.0f} s", *found.problems[:5], sep="\n", flush=True)
    if not chosen.most and not chosen.only:
        write_down([*lines, row("all", total)], find_the_plant())
    if total.problems:
        raise SystemExit("there are dead ends or unsound states")


def row(title: str, found: Walked) -> str:
    """A line of the record."""
    counts = (found.states, found.closed, found.void, found.tried, found.moves, len(found.problems))
    return f"| {title} | " + " | ".join(f"{count:,}" for count in counts) + " |"


def write_down(table: list[str], plant: list[str]) -> None:
    """The record, with what was walked through and what was found of the plant."""
    if not plant:
        raise SystemExit("the planted dead end was not found")
    note = (__doc__ or "").split("\n\n", 1)[1].strip()
    told = (
        f"Planted (a win that was backed out after the settlement can't be keyed again): {len(plant)} dead ends found."
    )
    body = "\n\n".join((note, "\n".join(table), told, f"The first: {plant[0]}"))
    record("round-walk", command="make proof-round-walk", seed="none", body=body)


if __name__ == "__main__":
    main()

"""Proof: every order in which two tables can act around a hit on one meter ends conserved, in model and server.

Each table plays one round by a small automaton: it contributes, sends its outbox (the answer may be lost, so that it
sends again), has the prize frozen, confirms it, backs it out, calls a misdeal or closes. `explore` walks every joint
state of two tables and counts the orders that lead through it; `OnServer` takes the same steps on PostgreSQL.
"""

import argparse
from contextlib import closing
from dataclasses import dataclass, replace
from typing import NamedTuple

from proofs import evidence
from proofs.meter_model import MeterModel
from proofs.postgres import cluster
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.database import connect, migrate
from shuffler.meters.server import Batch, MeterServer
from shuffler.meters.values import Hold, HoldState, MeterRules, Wanted

STAKE_SHARE, RESERVE_SHARE = 26, 3
ROUND = "R1"
SPOT = 3
SWEEP_EVERY = 200  # steps on the server
SWEEP = "VACUUM (TRUNCATE false) meters.meter, meters.enrolled, meters.enrolment, meters.hold, meters.ledger"


class Step(NamedTuple):
    """One table does one thing."""

    table: int
    what: str


@dataclass(frozen=True, slots=True)
class Player:
    """One table's round so far."""

    percent: int  # of the meter that its hit takes; 0 for no hit
    phase: str = "idle"
    outbox: tuple[MeterMoved, ...] = ()
    acked: int = 0
    lost: bool = False  # whether an answer has been lost once
    resend: bool = False  # whether it must send again because of it
    asked: bool = False
    misdealt: bool = False

    @property
    def done(self) -> bool:
        return self.phase == "over" and self.acked == len(self.outbox)

    def enabled(self, hold: Hold | None) -> list[str]:
        """What it can do now."""
        steps = []
        unsent = self.acked < len(self.outbox)
        if unsent:
            steps.append("send")
            if not self.lost:
                steps.append("send and lose the answer")
        match self.phase:
            case "idle":
                steps.append("contribute")
            case "locked":
                steps.append("misdeal")
                if not self.percent:
                    steps.append("close")
                elif not unsent:
                    steps.append("freeze")
            case "frozen":
                steps.append("misdeal")
                if hold is not None and hold.state is HoldState.FIXED:
                    steps.append("confirm")
            case "recorded":
                steps += ["back out", "close"]
            case "backed out":
                steps += ["misdeal", "close"]
        return steps

    def did(self, what: str, hold: Hold | None, seed: int) -> "Player":
        """The table after a step."""
        match what:
            case "send":
                return replace(self, acked=len(self.outbox), resend=False)
            case "send and lose the answer":
                return replace(self, lost=True, resend=True)
            case "contribute":
                return self._moved(MoveKind.CONTRIBUTION, "locked", STAKE_SHARE, RESERVE_SHARE)
            case "freeze":
                return replace(self, phase="frozen", asked=True)
            case "confirm":
                assert hold is not None
                whole = hold.percent == 100
                restart, aside = (seed, hold.reserve) if whole else (0, 0)
                return self._moved(
                    MoveKind.AWARD, "recorded", restart + aside - hold.left, -aside, prize=hold.left, seed=restart,
                    from_reserve=aside, ticket=hold.ticket, spot=SPOT,
                )  # fmt: skip
            case "back out":
                award = self.outbox[-1] if self.outbox[-1].kind is MoveKind.AWARD else _award(self.outbox)
                return self._moved(
                    MoveKind.BACK_OUT, "backed out", -award.change, -award.reserve_change, spot=SPOT
                )
            case "misdeal":
                voided = self._moved(MoveKind.VOID, "over", -STAKE_SHARE, -RESERVE_SHARE)
                return replace(voided._released(), misdealt=True)
            case _:
                return replace(self, phase="over")._released()

    def _released(self) -> "Player":
        return self._moved(MoveKind.RELEASE, "over", 0, 0) if self.asked else self

    def _moved(
        self, kind: MoveKind, phase: str, change: int, reserve_change: int, *, prize: int = 0, seed: int = 0,
        from_reserve: int = 0, ticket: int = 0, spot: int = 0,
    ) -> "Player":  # fmt: skip
        move = MeterMoved(
            number=len(self.outbox) + 1, meter="m", round_id=ROUND, spot=spot, kind=kind, nth=1, change=change,
            reserve_change=reserve_change, prize=prize, seed=seed, from_reserve=from_reserve, ticket=ticket,
        )  # fmt: skip
        return replace(self, phase=phase, outbox=(*self.outbox, move))


def _award(outbox: tuple[MeterMoved, ...]) -> MeterMoved:
    return next(move for move in outbox if move.kind is MoveKind.AWARD)


class Joint(NamedTuple):
    """Two tables and the meter."""

    players: tuple[Player, Player]
    meter: MeterModel

    def hold(self, table: int) -> Hold | None:
        return self.meter.hold_of(name(table), ROUND, Wanted(SPOT, 1, self.players[table].percent))

    def steps(self) -> list[Step]:
        """Everything that can happen next."""
        return [Step(at, what) for at, player in enumerate(self.players) for what in player.enabled(self.hold(at))]

    def after(self, step: Step) -> "Joint":
        """The next state."""
        player, hold, meter = self.players[step.table], self.hold(step.table), self.meter
        if step.what.startswith("send"):
            for move in player.outbox[player.acked :]:
                meter = meter.push(name(step.table), move)
        elif step.what == "freeze":
            meter = meter.ask(name(step.table), ROUND, (Wanted(SPOT, 1, player.percent),))
        changed = player.did(step.what, hold, meter.rules.seed)
        players = (changed, self.players[1]) if step.table == 0 else (self.players[0], changed)
        return Joint(players, meter)

    @property
    def done(self) -> bool:
        return all(player.done for player in self.players)


def name(table: int) -> str:
    """The table's name on the server."""
    return f"t{table + 1}"


def objections(joint: Joint) -> list[str]:
    """What is wrong with a state, and with the books where both tables have come to their end."""
    wrong = joint.meter.problems()
    if not joint.done:
        return wrong
    for at, player in enumerate(joint.players):
        rows = [row for row in joint.meter.rows if row.key.table == name(at)]
        told = sum(row.told for row in rows), sum(row.told_reserve for row in rows)
        owed = sum(move.change for move in player.outbox), sum(move.reserve_change for move in player.outbox)
        if told != owed:
            wrong.append(f"{name(at)} moved {owed}, the ledger has {told}")
        moves = [move for move in player.outbox if move.kind is not MoveKind.RELEASE]
        if sum(row.key.kind != "reset" for row in rows) != len(moves):
            wrong.append(f"{name(at)}: not every move is in the ledger exactly once")
        beaten = any(hold.pot and hold.table == name(1 - at) for hold in joint.meter.holds)
        if not beaten and any(row.borne for row in rows):
            wrong.append(f"{name(at)}: the house bears something, and no prize was fixed elsewhere")
        if any(hold.open for hold in joint.meter.holds if hold.table == name(at)):
            wrong.append(f"{name(at)} has left a reservation open")
    return wrong


@dataclass(frozen=True, slots=True)
class Case:
    """Where two tables start from."""

    title: str
    percents: tuple[int, int]
    rules: MeterRules
    before: int = 400  # above the seed when they start
    aside: int = 70
    loses: bool = True  # whether answers of the server can be lost
    drained: bool = False  # whether a third table has had a quarter of it before

    def start(self) -> Joint:
        """Both tables idle, the meter above its seed."""
        meter = MeterModel.new(self.rules).push("t0", self.opening)
        if self.drained:
            meter = meter.ask("t0", "R0", (QUARTER,)).push("t0", self.quarter)
        first, second = (Player(percent, lost=not self.loses) for percent in self.percents)
        return Joint((first, second), meter)

    @property
    def quarter(self) -> MeterMoved:
        """What the third table has won before."""
        prize = (self.rules.seed + self.before) // 4
        return MeterMoved(
            number=2, meter="m", round_id="R0", spot=SPOT, kind=MoveKind.AWARD, nth=1, change=-prize, reserve_change=0,
            prize=prize, ticket=1,
        )  # fmt: skip

    @property
    def opening(self) -> MeterMoved:
        """What a third table has put in before."""
        return MeterMoved(
            number=1, meter="m", round_id="R0", spot=0, kind=MoveKind.CONTRIBUTION, nth=1, change=self.before,
            reserve_change=self.aside,
        )  # fmt: skip


QUARTER = Wanted(SPOT, 1, 25)
WHOLE = MeterRules(name="m", denomination=1000, spots=7, seed=1000, share_bp=2600, reserve_bp=300)
PARTS = replace(WHOLE, percents=(100, 25))
CAPPED = replace(PARTS, cap=1410)
CASES = (
    Case("both take the whole meter", (100, 100), WHOLE),
    Case("one takes it whole, one a quarter", (100, 25), PARTS),
    Case("both take a quarter, from a meter at its seed", (25, 25), PARTS, before=0, aside=0),
    Case("one hits, one does not", (100, 0), WHOLE),
    Case("one hits a quarter, one does not", (25, 0), PARTS),
    Case("the meter is at its cap", (100, 25), CAPPED),
    Case("the meter is below its seed", (100, 25), PARTS, before=0, drained=True),
)


class Explored(NamedTuple):
    """What a walk through every joint state found."""

    states: int
    steps: int
    ends: int
    orders: int  # different orders of steps from start to end
    problems: list[str]


def explore(case: Case) -> Explored:
    """Every state that two tables can reach, each looked at once; orders counted through all of them."""
    start = case.start()
    orders: dict[Joint, int] = {}
    problems: list[str] = []
    steps = ends = 0
    todo: list[tuple[Joint, list[Joint] | None]] = [(start, None)]
    while todo:
        joint, reached = todo.pop()
        if reached is not None:
            orders[joint] = sum(orders[one] for one in reached)
            continue
        if joint in orders:
            continue
        problems += [f"{case.title}: {problem}" for problem in objections(joint)]
        nexts = [joint.after(step) for step in joint.steps()]
        steps += len(nexts)
        if not nexts:
            ends += 1
            orders[joint] = 1
            if not joint.done:
                problems.append(f"{case.title}: nothing can happen any more, and a table is not done")
            continue
        todo.append((joint, nexts))
        todo += [(one, None) for one in nexts if one not in orders]
    return Explored(len(orders), steps, ends, orders[start], problems)


# --- on a server -----------------------------------------------------------------------------------------------------


class OnServer:
    """Walks the same states on PostgreSQL: a savepoint before each step, then server and model compared."""

    def __init__(self, server: MeterServer, case: Case) -> None:
        self.server, self.case = server, case
        self.steps = 0
        self.problems: list[str] = []

    def walk(self) -> None:
        """Every state once, every step that the server has a part in; all of it is rolled back at the end."""
        connection = self.server.connection
        start = self.case.start()
        with closing(connect(self.server.url)) as self._broom, connection.transaction(force_rollback=True):
            self.server.create_meter(self.case.rules)
            for table in ("t0", "t1", "t2"):
                self.server.enrol(table, "m", "owner")
            self.server.push("t0", JOURNAL, Batch(0, b"", 1, b"1", (self.case.opening,)))
            if self.case.drained:
                self.server.ask("t0", JOURNAL, 1, "m", "R0", (QUARTER,))
                self.server.push("t0", JOURNAL, Batch(1, b"1", 2, b"2", (self.case.quarter,)))
            self.compare(start, "the start")
            self._walk(start, set())

    def _walk(self, joint: Joint, seen: set[Joint]) -> None:
        for step in joint.steps():
            after = joint.after(step)
            if not step.what.startswith("send") and step.what != "freeze":
                if after not in seen:  # nothing of it reaches the server
                    seen.add(after)
                    self._walk(after, seen)
                continue
            is_new = after not in seen
            seen.add(after)
            with self.server.connection.transaction(force_rollback=True):
                self.act(joint, step)
                self.steps += 1
                if not self.steps % SWEEP_EVERY:  # else every look goes past what was rolled back before
                    self._broom.execute(SWEEP)
                self.compare(after, str(step))
                if is_new:
                    self._walk(after, seen)

    def act(self, joint: Joint, step: Step) -> None:
        """One step, as a table does it."""
        player, table = joint.players[step.table], name(step.table)
        if step.what == "freeze":
            wanted = (Wanted(SPOT, 1, player.percent),)
            self.server.ask(table, JOURNAL, len(player.outbox), "m", ROUND, wanted)
            return
        at = player.acked  # a record a move, so the place in the journal is the number of the move
        for repeat in range(2 if player.resend else 1):
            end = len(player.outbox)
            known = self.server.place(table).seq
            if repeat == 0 and player.resend:
                end = known  # what it sent before the answer was lost comes once more
                if end <= at:
                    continue
            elif player.resend:
                at = known
            if end > at:
                batch = Batch(at, _hash(at), end, _hash(end), player.outbox[at:end])
                self.server.push(table, JOURNAL, batch)

    def compare(self, joint: Joint, where: str) -> None:
        """Whether the server shows what the model shows: balances, reservations, the newest rows and their number."""
        model = joint.meter
        (found,) = self.server.connection.execute(_STATE).fetchall()
        expected = (
            len(model.rows), model.amount, model.reserve, model.floor, model.held,
            [[*row.key, *row[1:]] for row in model.rows[-3:]],
            [[one.ticket, one.table, one.state, one.pot, one.left, one.amount, one.reserve, one.floor]
             for one in model.holds] or None,
        )  # fmt: skip
        if found != expected:
            self.problems.append(f"{self.case.title}, after {where}: the server has {found}, the model {expected}")


_STATE = b"""
SELECT version, amount, reserve, floor, held,
  (SELECT json_agg(json_build_array(table_name, round_id, spot, kind, nth, told, told_reserve, change, reserve_change,
                                    amount, reserve, floor) ORDER BY number)
     FROM meters.ledger AS l WHERE l.meter = m.name AND number > m.version - 3),
  (SELECT json_agg(json_build_array(ticket, table_name, state, pot, left_over, amount, reserve, floor) ORDER BY ticket)
     FROM meters.hold AS h WHERE h.meter = m.name)
FROM meters.meter AS m
"""
JOURNAL = b"journal-of-a-table"[:16]


def _hash(record: int) -> bytes:
    return b"" if record == 0 else str(record).encode()


def record(url: str, cases: tuple[Case, ...] = CASES) -> tuple[list[str], list[str]]:
    """Every case in the model and on an empty database: lines for the record, and what is wrong."""
    migrate(url)
    lines = [
        "",
        "Two tables, every order of their steps around a hit: each joint state is looked at once in the model; each",
        "step that reaches the server is taken there from that very state (a savepoint before it) and compared.",
        "",
        "| case | states | steps | orders from start to end | ends | steps on the server | problems |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    problems: list[str] = []
    with closing(MeterServer(url)) as server:
        for case in cases:
            found, walk = explore(case), OnServer(server, case)
            walk.walk()
            wrong = [*found.problems, *walk.problems]
            counts = found.states, found.steps, found.orders, found.ends, walk.steps, len(wrong)
            lines.append(f"| {case.title} | " + " | ".join(f"{count:,}" for count in counts) + " |")
            print(lines[-1], flush=True)
            problems += wrong
    return lines, problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="without lost answers; leaves no record")
    options = parser.parse_args()
    cases = tuple(replace(case, loses=False) for case in CASES) if options.short else CASES
    with cluster() as server:
        lines, problems = record(server.database("orders"), cases)
    print(*problems[:20], sep="\n")
    if not options.short:
        evidence.record("interleavings", command="make proof-interleavings", seed="none", body="\n".join(lines).strip())
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()

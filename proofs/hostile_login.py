"""Proof: whatever a hostile table's login pushes, every other table's money and the meter's law stay intact.

Between the attacks an honest table contributes, wins and backs out on the same meter; its rows must be taken and its
prizes paid to the cent. `make proof-hostile-login` runs a million pushes, and every ordered pair of kinds.
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from proofs import evidence
from proofs.postgres import cluster
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.audit import check
from shuffler.meters.database import migrate
from shuffler.meters.errors import JournalForked, MeterError, MeterRefused
from shuffler.meters.server import Batch, MeterServer
from shuffler.meters.values import MeterRules, Wanted

RULES = MeterRules(
    name="m", denomination=100, spots=7, seed=100_000, share_bp=2600, reserve_bp=300, percents=(100, 25)
)
LOGINS = {"honest": "meters_table", "hostile": "meters_table", "second_operator": "meters_operator"}
KINDS = (*MoveKind, "seed", "reset")
JOURNAL = b"h" * 16
AMOUNTS = (0, 1, -1, 26, 182, 183, -182, 21, 22, 25_000, 100_000, -100_000, 90_000_000, 2**62, -(2**62))
TICKETS = (0, 1, 2, 3, -1, 2**63 - 1)
CHECK_EVERY = 500


@dataclass(frozen=True, slots=True)
class Attack:
    """What the hostile login sends: batches of moves, and now and then a wish for a reservation."""

    batches: tuple[tuple[MeterMoved, ...], ...]
    seed: int

    @classmethod
    def of_kinds(cls, kinds: tuple[str, ...], chance: Random) -> "Attack":
        """These kinds after one another, with amounts that could be right and amounts that can't."""
        return cls(tuple((_move(kind, chance),) for kind in kinds for _ in range(4)), chance.getrandbits(32))

    @classmethod
    def at_random(cls, pushes: int, chance: Random) -> "Attack":
        """Any kinds in any order, one to three moves a push."""
        return cls(
            tuple(
                tuple(_move(chance.choice(KINDS), chance) for _ in range(chance.choice((1, 1, 1, 2, 3))))
                for _ in range(pushes)
            ),
            chance.getrandbits(32),
        )


def _move(kind: str, chance: Random) -> MeterMoved:
    """One move of that kind; half of them with amounts that belong together."""
    amount = chance.choice(AMOUNTS)
    aside = chance.choice((0, 0, chance.choice(AMOUNTS)))
    spot = chance.choice((0, 0, 3))
    prize = seed = from_reserve = ticket = 0
    if kind == MoveKind.AWARD:
        prize, seed = chance.choice(AMOUNTS), chance.choice((0, 100_000))
        from_reserve, ticket, spot = chance.choice((0, 0, 21)), chance.choice(TICKETS), 3
        if chance.random() < 0.7:
            amount, aside = seed + from_reserve - prize, -from_reserve
    plain = MeterMoved(
        number=1, meter="m", round_id=f"R{chance.randrange(6)}", spot=spot, kind=MoveKind.CONTRIBUTION,
        nth=chance.choice((1, 1, 1, 2, chance.choice(AMOUNTS))), change=amount, reserve_change=aside, prize=prize,
        seed=seed, from_reserve=from_reserve, ticket=ticket,
    )  # fmt: skip
    return replace(plain, kind=kind)


def attack(owner: MeterServer, honest: MeterServer, hostile: MeterServer, what: Attack) -> list[str]:
    """Send it, while the honest table t1 goes on; what went wrong."""
    chance = Random(what.seed)
    table = HonestTable(honest)
    problems: list[str] = []
    for number, moves in enumerate(what.batches, 1):
        place = hostile.place("t2")
        end = place.seq + 1
        numbered = tuple(replace(one, number=place.moves + at) for at, one in enumerate(moves, 1))
        before = table.told(owner)
        try:
            if chance.random() < 0.05:
                wanted = [Wanted(3, 1, chance.choice((25, 100, 7)))]
                hostile.ask("t2", JOURNAL, place.moves, "m", f"R{chance.randrange(6)}", wanted)
            hostile.push("t2", JOURNAL, Batch(place.seq, place.hash, end, str(end).encode(), numbered))
        except (MeterRefused, JournalForked):
            pass
        except MeterError as problem:
            problems.append(f"push {number}: {type(problem).__name__}: {problem}")
        if table.told(owner) != before:
            problems.append(f"push {number}: the rows of t1 have changed: {moves}")
        if number % 20 == 0 or number == len(what.batches):
            problems += table.goes_on(owner, chance)
        if number % CHECK_EVERY == 0 or number == len(what.batches):
            problems += check(owner).problems
    return problems


class HonestTable:
    """Table t1, which does what tables do."""

    def __init__(self, server: MeterServer) -> None:
        self.server = server

    def told(self, owner: MeterServer) -> tuple[int, int]:
        """Rows and cents that the ledger has of it."""
        row = owner.connection.execute(
            "SELECT count(*), coalesce(sum(told), 0)::bigint FROM meters.ledger WHERE table_name = 't1'"
        ).fetchone()
        assert row is not None
        return row[0], row[1]

    def goes_on(self, owner: MeterServer, chance: Random) -> Iterator[str]:
        """One round with a contribution, and an award unless the hostile table holds the meter."""
        place = self.server.place("t1")
        round_id = f"H{place.seq}"
        first = MeterMoved(
            number=place.moves + 1, meter="m", round_id=round_id, spot=0, kind=MoveKind.CONTRIBUTION, nth=1, change=182,
            reserve_change=21,
        )  # fmt: skip
        self._push(place.seq, place.hash, first)
        _free(owner)
        if chance.random() < 0.5:
            return
        (hold,) = self.server.ask("t1", JOURNAL, place.moves + 1, "m", round_id, [Wanted(3, 1, 25)])
        shown = self.server.meters()[0].amount
        if hold.pot != shown // 4:
            yield f"a quarter of {shown} was fixed as {hold.pot}"
        prize = replace(
            first, number=place.moves + 2, spot=3, kind=MoveKind.AWARD, change=-hold.pot, reserve_change=0,
            prize=hold.pot, ticket=hold.ticket,
        )  # fmt: skip
        place = self.server.place("t1")
        self._push(place.seq, place.hash, prize)
        if self.server.meters()[0].amount != shown - hold.pot:
            yield f"the prize of {hold.pot} did not come off {shown}"

    def _push(self, seq: int, hash_: bytes, move: MeterMoved) -> None:
        self.server.push("t1", JOURNAL, Batch(seq, hash_, seq + 1, str(seq + 1).encode(), (move,)))


def _free(owner: MeterServer) -> None:
    """Two operators release what the hostile table holds, so that the honest one is served."""
    rows = owner.connection.execute(
        "SELECT ticket FROM meters.hold WHERE table_name = 't2' AND state IN ('waiting', 'fixed') ORDER BY ticket"
    ).fetchall()
    for (ticket,) in rows:
        number = owner.propose("release", "Ann", "it is not paid", meter="m", ticket=ticket)
        owner.connection.execute("SET SESSION AUTHORIZATION second_operator")
        owner.approve(number, "Bob")
        owner.connection.execute("RESET SESSION AUTHORIZATION")


def prepare(owner: MeterServer) -> None:
    """A meter, and a login for each of two tables and a second operator."""
    owner.create_meter(RULES)
    for login, role in LOGINS.items():
        made = f"CREATE ROLE {login} LOGIN IN ROLE {role}; EXCEPTION WHEN duplicate_object THEN NULL;"
        owner.connection.execute(f"DO $$ BEGIN {made} END $$".encode())
    owner.enrol("t1", "m", "honest")
    owner.enrol("t2", "m", "hostile", transfer=500)


def main() -> None:
    """Run the proof and write its record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pushes", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--no-record", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    problems: list[str] = []
    with cluster() as server:
        pairs = list(product(KINDS, KINDS))
        plans = [Attack.of_kinds(pair, Random(f"{options.seed} {pair}")) for pair in pairs]
        chance = Random(options.seed)
        plans += [Attack.at_random(min(10_000, options.pushes - at), chance) for at in range(0, options.pushes, 10_000)]
        for number, plan in enumerate(plans):
            url = server.database(f"hostile{number}")
            migrate(url)
            with closing(MeterServer(url)) as owner:
                prepare(owner)
                with (
                    closing(MeterServer(url.replace("owner@", "honest@"))) as honest,
                    closing(MeterServer(url.replace("owner@", "hostile@"))) as hostile,
                ):
                    problems += attack(owner, honest, hostile, plan)
            server.run("dropdb", "-h", "127.0.0.1", "-p", str(server.port), "-U", "owner", f"hostile{number}")
            if number >= len(pairs):
                print(f"{(number - len(pairs) + 1) * 10_000:,} pushes, {len(problems)} problems", flush=True)
    print(f"{len(pairs)} pairs of kinds, {options.pushes:,} pushes: {len(problems)} problems")
    for problem in problems[:20]:
        print(problem)
    if not options.no_record:
        evidence.record(
            "hostile-login",
            command=f"python -m proofs.hostile_login --pushes {options.pushes}",
            seed=options.seed,
            body=f"{len(pairs)} ordered pairs of kinds and {options.pushes:,} random pushes by a hostile login,"
            f" beside an honest table that contributes and wins: {len(problems)} problems in"
            f" {time.monotonic() - began:.0f} s.",
        )
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()

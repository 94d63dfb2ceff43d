"""Proof: many table processes on one meter, killed, cut off and with the server crashing under them; no cent is lost.

Each table is a process of its own: engine, journal, sender. Accidents come at random: a table is ended by SIGKILL, the
server by `pg_ctl restart -m immediate`, a connection by the server's own hand. Afterwards the ledger is compared with
every journal, by the product and, posting by posting, by the auditor's reader, which imports nothing of the product.

A proof that is stopped goes on where it was: rounds are in the journals, accidents in a file beside them. What dies
here are processes, never the machine, so journals and server may lie in a file system in memory; `make
proof-power-cuts` and `make proof-disk-full` are about disks.
"""

import argparse
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import psycopg

from proofs import evidence
from proofs.auditor.entries import Reader
from proofs.auditor.file import layouts, rows
from proofs.linked_table import METER, Habits, LinkedBench, rules
from proofs.postgres import Cluster, cluster
from shuffler.meters import audit
from shuffler.meters.database import migrate
from shuffler.meters.linked import rules_of
from shuffler.meters.server import MeterServer
from shuffler.meters.values import HoldState

TELL_EVERY = 5  # rounds
DRAIN_S = 180.0
KILL, RESTART, CUT = "table killed", "server restarted", "connection cut"
ACCIDENTS = (KILL,) * 6 + (CUT,) * 3 + (RESTART,)
HABITS = Habits(spots=2, alone=0.8, hit=0.003, misdeal=0.02, back_out=0.1)
A_ROUND = """\
A proof round is one that a table process plays without a shuffler: hands are put on the layout by draw (one spot, or
two in a fifth of the rounds; three spots in a thousand have a bad beat for all of the meter or a quarter of it; one
round in fifty is a misdeal, one recorded award in ten is backed out and keyed again) and go the way of every round: the
engine, the bridge's booking, the table's own signed journal, which is committed before anything else, the sender,
PostgreSQL over TCP with `fsync = on`. Journals and server lie in {where}."""


def prepare(url: str, tables: list[str]) -> None:
    """A meter, and tables enrolled at it."""
    migrate(url)
    with closing(MeterServer(url)) as server:
        server.create_meter(rules_of(rules(), "bad_beat", METER))
        for table in tables:
            server.enrol(table, METER, "owner")


class Floor:
    """The tables' processes, and accidents among them."""

    def __init__(self, server: Cluster, url: str, folder: Path, *, tables: int, rounds: int, seed: int) -> None:
        self.server, self.url, self.folder = server, url, folder
        self.names = [f"T{number:02d}" for number in range(1, tables + 1)]
        self.share = -(-rounds // tables)
        self.chance = Random(seed)
        self.done: Counter[str] = Counter()
        self.played = 0
        self.spent_s = 0.0  # in runs that were stopped
        self._started = time.monotonic()
        self._state = folder / "state.json"
        if self._state.exists():
            saved = json.loads(self._state.read_text(encoding="utf-8"))
            self.done, self.played, self.spent_s = Counter(saved["done"]), saved["played"], saved["seconds"]
            self.chance = Random(seed + self.played)  # other accidents than those of its first rounds
        self._children: dict[int, str] = {}
        self._pipe, self._told = os.pipe()

    def run(self, accidents: int) -> None:
        """All rounds; accidents are spread over all but the last of them, which a stop may have left uncounted."""
        for name in self.names:
            self._fork(name)
        every = 0.95 * self.share * len(self.names) / (accidents + 1)
        said = time.monotonic()
        while self._children:
            self._reap()
            if select.select([self._pipe], [], [], 0.05)[0]:
                self.played += TELL_EVERY * len(os.read(self._pipe, 4096))
            while self.done.total() < accidents and self.played >= every * (self.done.total() + 1):
                self._accident()
            if time.monotonic() - said > 20:
                said = time.monotonic()
                print(f"{self.played:,} rounds, {self.done.total()} accidents", flush=True)

    @property
    def seconds(self) -> float:
        """How long it has taken so far, in all its runs."""
        return self.spent_s + time.monotonic() - self._started

    def save(self) -> None:
        """How far it is, for a run that goes on from here."""
        new = self._state.with_suffix(".new")
        saved = {"done": self.done, "played": self.played, "seconds": self.seconds}
        new.write_text(json.dumps(saved), encoding="utf-8")
        new.replace(self._state)

    def _accident(self) -> None:
        kind = self.chance.choice(ACCIDENTS)
        time.sleep(self.chance.uniform(0, 0.02))
        if kind == KILL:
            if not self._children:
                return
            child = self.chance.choice(list(self._children))
            name = self._children.pop(child)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self._fork(name)
        elif kind == RESTART:
            self.server.restart()
        else:
            with suppress(psycopg.Error), psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'shuffler'"
                    " ORDER BY random() LIMIT 1"
                )
        self.done[kind] += 1
        self.save()

    def _fork(self, name: str) -> None:
        seed = self.chance.randrange(1 << 30)
        child = os.fork()
        if child:
            self._children[child] = name
            return
        try:
            _table(self.url, self.folder / f"{name}.db", name, seed, self.share, self._told)
            os._exit(0)
        except BaseException as problem:
            os.write(2, f"{name}: {problem!r}\n".encode())
            os._exit(4)

    def _reap(self) -> None:
        for child in list(self._children):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                name = self._children.pop(child)
                if status:
                    raise SystemExit(f"table {name} ended with status {status}")

    def end(self) -> None:
        """Nobody is left behind, and a next run knows how far this one was."""
        self.save()
        for child in self._children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(self._pipe)
        os.close(self._told)


def _table(url: str, path: Path, name: str, seed: int, share: int, told: int) -> None:
    """One table's life: to the end of its share, unless it is killed before."""
    bench = LinkedBench(url, path, name, seed=seed, habits=HABITS)
    while bench.round.last_round < share:
        bench.play()
        if bench.round.last_round % TELL_EVERY == 0:
            os.write(told, b".")
    if not bench.close(drain_s=DRAIN_S):
        raise RuntimeError(f"not all was sent: {bench.sender.news}")


# --- afterwards ------------------------------------------------------------------------------------------------------


class Count:
    """One journal by the auditor's reader: the money on the meter's accounts, and what its outbox says."""

    def __init__(self, path: Path) -> None:
        self.moved = self.rounds = 0
        self.keys: Counter[tuple[Any, ...]] = Counter()
        self.paid = 0  # awards handed to players, less those taken back
        linked = False
        reader = Reader(layouts(path))
        for row in rows(path):
            for entry in reader.entries(row):
                match entry["name"]:
                    case "MeterLinked":
                        linked = True
                    case "Operated":
                        self.rounds += entry["operation"]["name"] == "OpenRound"
                        if linked:
                            self._postings(entry["postings"])
                    case "MeterMoved" if entry["kind"] != "release":
                        told = -entry["prize"] if entry["kind"] == "award" else entry["change"]
                        self.keys[entry["round_id"], entry["spot"], entry["kind"], entry["nth"], told] += 1

    def _postings(self, postings: list[dict[str, Any]]) -> None:
        account = "meter:bad_beat"
        for one in postings:
            if one["entry"] != "linked":
                self.moved += one["amount"] * ((one["target"] == account) - (one["source"] == account))
            if "payable:bad_beat" in (one["source"], one["target"]) and account not in (
                one["source"], one["target"],
            ):  # fmt: skip
                self.paid += one["amount"] * (1 if one["source"].startswith("payable") else -1)


def objections(url: str, folder: Path, names: list[str]) -> tuple[list[str], list[str]]:
    """What is wrong, and what was seen."""
    paths = [folder / f"{name}.db" for name in names]
    with closing(MeterServer(url)) as server:
        found = audit.reconcile(server, paths)
        problems = [*found.problems, *found.warnings]
        if found.unsent:
            problems.append(f"{found.unsent} moves were never sent")
        counts = {name: Count(path) for name, path in zip(names, paths, strict=True)}
        execute: Callable[..., Any] = server.connection.execute
        for name, count in counts.items():
            ledger = Counter(
                execute(
                    "SELECT round_id, spot, kind, nth, told FROM meters.ledger WHERE table_name = %s"
                    " AND kind <> 'reset'", (name,)
                ).fetchall()
            )  # fmt: skip
            if ledger != count.keys:
                odd = list((ledger - count.keys) + (count.keys - ledger))[:3]
                problems.append(f"{name}: ledger and journal have not the same moves exactly once: {odd}")
            ((told,),) = execute("SELECT sum(told) FROM meters.ledger WHERE table_name = %s", (name,)).fetchall()
            if told != count.moved:
                problems.append(f"{name}: the books moved the meter by {count.moved}, the ledger says {told}")
        ((awarded,),) = execute(
            "SELECT -sum(told) FROM meters.ledger AS l WHERE kind = 'award' AND NOT EXISTS (SELECT FROM meters.ledger"
            " AS b WHERE b.kind = 'back-out' AND (b.meter, b.table_name, b.round_id, b.spot, b.nth) ="
            " (l.meter, l.table_name, l.round_id, l.spot, l.nth))"
        ).fetchall()
        paid = sum(count.paid for count in counts.values())
        if (awarded or 0) != paid:
            problems.append(f"players were paid {paid} cents, the ledger has awards of {awarded}")
        (shown,) = server.meters()
        low = execute("SELECT count(*) FROM meters.ledger WHERE amount < floor AND kind <> 'award'").fetchall()[0][0]
        if low or shown.amount < shown.floor:
            problems.append(f"the meter was below its floor {low} times")
        open_holds = execute(
            "SELECT count(*) FROM meters.hold WHERE state NOT IN (%s, %s)", (HoldState.TAKEN, HoldState.RELEASED)
        ).fetchall()[0][0]
        if open_holds:
            problems.append(f"{open_holds} reservations were left open")
        kinds = dict(execute("SELECT kind, count(*) FROM meters.ledger GROUP BY kind ORDER BY kind").fetchall())
        waited = execute(
            "SELECT count(*) FROM meters.hold AS h WHERE EXISTS (SELECT FROM meters.hold AS before WHERE before.meter ="
            " h.meter AND before.ticket < h.ticket AND before.ended_at > h.asked_at)"
        ).fetchall()
        borne = execute("SELECT sum(change + reserve_change - told - told_reserve) FROM meters.ledger").fetchall()
    rounds = sum(count.rounds for count in counts.values())
    seen = [
        f"{rounds:,} rounds in {len(names)} journals, {found.moves:,} moves in their outboxes, {found.rows:,} rows in"
        f" the ledger: {', '.join(f'{kind} {count:,}' for kind, count in kinds.items())}",
        f"players were paid {paid / 100:,.2f} dollars from the meter; awards that stand in the ledger are the same sum",
        f"{waited[0][0]:,} awards waited until one before was done with; the house bore"
        f" {int(borne[0][0]) / 100:,.2f} dollars of misdeals and back-outs whose money another table had won",
    ]
    return problems, seen


class Ended(NamedTuple):
    """What a run came to."""

    problems: list[str]
    seen: list[str]
    done: Counter[str]
    seconds: float


def run(server: Cluster, folder: Path, *, tables: int, rounds: int, accidents: int, seed: int) -> Ended:
    """So many rounds with so many accidents, or the rest of them where a run before was stopped."""
    name = f"linked{seed}"
    floor = Floor(server, server.url(name), folder, tables=tables, rounds=rounds, seed=seed)
    if not (folder / "state.json").exists():
        prepare(server.database(name), floor.names)
        floor.save()
    try:
        floor.run(accidents)
    finally:
        floor.end()
    problems, seen = objections(server.url(name), folder, floor.names)
    if floor.done.total() < accidents:
        problems.append(f"{floor.done.total()} accidents of {accidents}")
    return Ended(problems, seen, floor.done, floor.seconds)


def scratch() -> Path:
    """Where a proof lies while it runs, and is found again when it was stopped."""
    memory = Path("/dev/shm")
    return (memory if memory.is_dir() else Path(tempfile.gettempdir())) / "shuffler-proof-linked"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200_000)
    parser.add_argument("--tables", type=int, default=16)
    parser.add_argument("--accidents", type=int, default=500)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--folder", type=Path, default=scratch(), help="a proof that was stopped goes on from here")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nobody is left behind
    tables = options.folder / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    with cluster(quick=False, folder=options.folder / "server") as server:
        ended = run(
            server, tables, tables=options.tables, rounds=options.rounds, accidents=options.accidents,
            seed=options.seed,
        )  # fmt: skip
    told = ", ".join(f"{name} {count:,}" for name, count in sorted(ended.done.items()))
    lines = [
        f"{options.tables} table processes on one meter, {ended.done.total():,} accidents: {told}.",
        "",
        *(f"- {line}" for line in ended.seen),
        f"- problems: {len(ended.problems)}",
        f"- {ended.seconds:,.0f} s",
        "",
        A_ROUND.format(where=f"`{options.folder.parent}`"),
    ]
    print("\n".join(lines), *ended.problems[:20], sep="\n")
    if options.rounds >= 200_000 and options.accidents >= 500:
        evidence.record("linked", command="make proof-linked", seed=options.seed, body="\n".join(lines))
    if not ended.problems:
        shutil.rmtree(options.folder)
    raise SystemExit(bool(ended.problems))


if __name__ == "__main__":
    main()

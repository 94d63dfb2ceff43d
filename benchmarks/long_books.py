"""Books of many rounds, made in minutes: a stretch that was really played, again and again with its numbers moved on.

Everything goes through the journal's own door, so that the chain, the checkpoints and their signatures are whole and
`reconcile` finds nothing. What does not hold is the cards' commitments, which name the shuffle they were made for.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.round.operations import OpenRound, Operation
from round_engine.rules.ruleset import RuleSet
from round_engine.table.state import TableState
from shuffler.journal import SqliteJournal
from shuffler.journal.entries import (
    Checkpoint,
    CommandKept,
    DealtFrom,
    DeviceSaid,
    Entry,
    HeadAnchored,
    Operated,
    RequestsReserved,
)
from shuffler.journal.file import connect
from shuffler.journal.restart import reopen
from shuffler.journal.signing import HeadSigner
from shuffler.table.players import seated
from shuffler.virtual.table import USB_FRAME_US, VirtualTable, quick

SERIAL = "BENCH-PAST"
CLOCK = "2026-01-01T00:00:00.000+00:00"
ROUND_FIELDS = ("round", "rounds", "shuffle", "shuffles")  # of messages: all of them rise by one a round
OWN = (Checkpoint, HeadAnchored, RequestsReserved)  # each journal writes its own


def unsynced(path: Path, create: bool) -> sqlite3.Connection:
    """A connection that does not wait for the disk."""
    database = connect(path, create)
    database.execute("PRAGMA synchronous=OFF")
    return database


class Stretch:
    """What a table wrote up to its first checkpoint, and from there to its second, commit by commit."""

    def __init__(self, commits: Sequence[Sequence[Entry]]) -> None:
        points = {at: one for at, commit in enumerate(commits) for one in commit if isinstance(one, Checkpoint)}
        (first, self.before), (last, self.after) = list(points.items())[:2]
        kept = [[one for one in commit if not isinstance(one, OWN)] for commit in commits[: last + 1]]
        self.prelude, self.commits = kept[: first + 1], kept[first + 1 :]
        self.rounds = self.after.tally.rounds - self.before.tally.rounds
        self.events = self.after.stores[0].newest_event - self.before.stores[0].newest_event

    def moved(self, times: int) -> list[list[Entry]]:
        """The same commits, so many stretches later."""
        return [[self._moved(one, times) for one in commit] for commit in self.commits]

    def _moved(self, entry: Entry, times: int) -> Entry:
        rounds = times * self.rounds
        match entry:
            case DeviceSaid(serial, epoch, event):
                return DeviceSaid(serial, epoch, _later(event, rounds, number=event.number + times * self.events))
            case Operated(operation, postings):
                return Operated(_later_move(operation, rounds), postings)
            case DealtFrom():
                numbers = {"shuffle": entry.shuffle + rounds, "device_round": entry.device_round + rounds}
                return replace(entry, round_id=_later_name(entry.round_id, rounds), **numbers)  # type: ignore[arg-type]
            case CommandKept(request, command):
                return CommandKept(request, _later(command, rounds))
        return entry

    def state(self, times: int) -> TableState:
        """The table at the end of the stretch that was moved so many times."""
        before, after = self.before.table.to_json(), self.after.table.to_json()
        was = before["balances"]
        balances = {account: now + times * (now - was[account]) for account, now in after["balances"].items()}
        last = after["rounds"]["R"][0][1] + times * self.rounds
        ((deck, _),) = after["shuffles"].items()
        meters = [
            new | {"amount": new["amount"] + times * (new["amount"] - old["amount"])}
            for old, new in zip(before["meters"], after["meters"], strict=True)
        ]
        used = {"rounds": {"R": [[1, last]]}, "shuffles": {deck: [[1, last]]}}
        return TableState.from_json(after | used | {"balances": balances, "meters": meters})


def build(path: Path, rounds: int, rules: RuleSet, signer: HeadSigner | None) -> int:
    """Make a journal of at least so many rounds; returns how many there are."""
    with TemporaryDirectory() as folder:
        stretch = _played(Path(folder) / "played.db", rules)
    books, times = SqliteJournal(path, clock=lambda: CLOCK, signer=signer, open_file=unsynced), 0
    _write(books, stretch.prelude)
    books.checkpoint(stretch.before.table)
    while books.position.rounds < rounds:
        _write(books, stretch.moved(times))
        books.checkpoint(stretch.state(times))
        times += 1
    books.close()
    return books.position.rounds


def _played(path: Path, rules: RuleSet) -> Stretch:
    books = SqliteJournal(path, clock=lambda: CLOCK, open_file=unsynced)
    commits: list[Sequence[Entry]] = []
    books.listeners.append(commits.append)
    build = quick(Build(profile=load_profile("i-deal-style"), serial=SERIAL, seed=1))
    table = VirtualTable(reopen(books, rules).table, books, seated("Q-6-4", 7), build, seed=1, poll_us=USB_FRAME_US)
    while sum(isinstance(one, Checkpoint) for commit in commits for one in commit) < 2:
        table.play(1)
    books.close()
    return Stretch(commits)


def _write(books: SqliteJournal, commits: Sequence[Sequence[Entry]]) -> None:
    """One record for each, but the last, which waits for its checkpoint."""
    for number, commit in enumerate(commits, 1):
        books.write(commit)
        if number < len(commits):
            books.flush()


def _later(message: Any, rounds: int, **changes: int) -> Any:
    later = {name: getattr(message, name) + rounds for name in _round_fields(message.__class__)}
    return replace(message, **later, **changes) if later or changes else message


@cache
def _round_fields(kind: type) -> tuple[str, ...]:
    names = {one.name for one in fields(kind)}
    return tuple(name for name in ROUND_FIELDS if name in names)


def _later_move(operation: Operation, rounds: int) -> Operation:
    if isinstance(operation, OpenRound):
        operation = replace(operation, round_id=_later_name(operation.round_id, rounds))
    shuffle = getattr(operation, "shuffle", None)
    return operation if shuffle is None else replace(operation, shuffle=_later_name(shuffle, rounds, "/"))  # type: ignore[call-arg]


def _later_name(name: str, rounds: int, mark: str = "R") -> str:
    """`R7`, or `SERIAL/EPOCH/7`, with a later number."""
    head, _, number = name.rpartition(mark)
    return f"{head}{mark}{int(number) + rounds}"

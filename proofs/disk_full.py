"""Proof: a disk that fails at the n-th write, for every n of three rounds; the host's books hold.

A small library put before the C library lets the n-th write, truncation or sync of the journal's files fail with
ENOSPC, once, or from there on until there is room again, or after half of its bytes. The host stops with a sentence;
then there is room, the journal is reopened, three more rounds are played, and product and auditor look at all of it:
nothing doubled, nothing shown that is not booked, nothing acknowledged that is not stored.

The device likewise: its memory fails at the n-th write, once or for ten seconds, for every n of three rounds of every
profile. It says MEMORY_FULL and stands; then there is room, and it goes on by itself: every round is closed or misdealt
once, the host's events have no hole and no double, no card is lost.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from firmware_sim.machine import profile as profiles
from firmware_sim.machine.profile import load as load_profile
from firmware_sim.program.nvstore import VolatileMedium
from firmware_sim.unit.emulator import Build
from proofs import evidence
from proofs.auditor import audit
from proofs.auditor.shown import shown_rounds
from proofs.table import Table, build, objections
from protocol import messages as m
from protocol.vocabulary import FaultCode
from round_engine.rules.rulebook import load
from shuffler.journal import JournalUnwritable, SqliteJournal
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import reopen
from shuffler.table.narration import Narrator
from shuffler.table.players import seated
from shuffler.table.view import view_of
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")
NAME = "journal.db"
MODES = {"once": 0, "until there is room": 1, "after half of it": 2}
NEVER = 1 << 30
ROUNDS = 3
DEVICE_TRIES = {1: "once", 10: "for ten seconds"}  # a second between two tries

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long fails_at = 1L << 30, seen = 0;
static int how = 0;

void disk_plan(long at, int mode) { fails_at = at; seen = 0; how = mode; }
long disk_seen(void) { return seen; }

static int watched(int fd)
{
    char link[64], path[4096];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "JOURNAL") != NULL && strstr(path, "-shm") == NULL;
}

static int fails(int fd)
{
    if (!watched(fd)) return 0;
    seen++;
    return seen == fails_at || (how == 1 && seen > fails_at);
}

#define REAL(name) ((real_##name)dlsym(RTLD_NEXT, #name))
typedef ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
typedef ssize_t (*real_write)(int, const void *, size_t);
typedef int (*real_ftruncate64)(int, off64_t);
typedef int (*real_fsync)(int);
typedef int (*real_fdatasync)(int);

ssize_t pwrite64(int fd, const void *data, size_t count, off64_t at)
{
    if (fails(fd)) {
        if (how == 2 && count > 1) { how = 1; return REAL(pwrite64)(fd, data, count / 2, at); }
        errno = ENOSPC; return -1;
    }
    return REAL(pwrite64)(fd, data, count, at);
}
ssize_t write(int fd, const void *data, size_t count)
{
    if (fails(fd)) { errno = ENOSPC; return -1; }
    return REAL(write)(fd, data, count);
}
int ftruncate64(int fd, off64_t length)
{
    if (fails(fd)) { errno = ENOSPC; return -1; }
    return REAL(ftruncate64)(fd, length);
}
int fsync(int fd) { if (fails(fd)) { errno = EIO; return -1; } return REAL(fsync)(fd); }
int fdatasync(int fd) { if (fails(fd)) { errno = EIO; return -1; } return REAL(fdatasync)(fd); }
"""


def run(every: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """In a child before whose C library the failing one lies; what came of every n-th write, and what is wrong."""
    source, library = folder / "disk.c", folder / "disk.so"
    source.write_text(SOURCE.replace("JOURNAL", NAME), encoding="ascii")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    command = [sys.executable, "-m", "proofs.disk_full", "--inside", str(folder), "--every", str(every)]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    outcomes: Counter[str] = Counter()
    wrong = [] if done.returncode == 0 else [f"the child ended with {done.returncode}: {done.stderr[-500:]}"]
    for line in done.stdout.splitlines():
        kind, _, text = line.partition("\t")
        if kind == "wrong":
            wrong.append(text)
        else:
            outcomes[kind] += 1
    return outcomes, wrong


# --------------------------------------------------------------------------------------------------------- the device


class FullMedium(VolatileMedium):
    """Fails at one write, and for a while after it."""

    def __init__(self, at: int | None, tries: int) -> None:
        super().__init__()
        self.writes = 0
        self.refused_commits = 0
        self._at = at
        self._tries = tries  # that fail before there is room

    def append(self, data: bytes) -> None:
        self.refused_commits += self._is_full()
        self._write(lambda: VolatileMedium.append(self, data))

    def replace(self, data: bytes) -> None:
        self._write(lambda: VolatileMedium.replace(self, data))

    def _is_full(self) -> bool:
        return self._at is not None and self._at <= self.writes + 1 < self._at + self._tries

    def _write(self, write: Callable[[], None]) -> None:
        full = self._is_full()
        self.writes += 1
        if full:
            raise OSError(28, "No space left on device")
        write()


def device_life(profile: str, at: int | None, tries: int) -> tuple[int, list[str]]:
    """Three rounds on a device whose memory fails; how many writes it made, and what is wrong."""
    medium = FullMedium(at, tries)
    table = Table(build(profile), medium=medium, seats=0b1011)
    table.play(lambda: len(table.controller.closed) >= ROUNDS, steps=20_000)
    found = objections(table)
    misdealt = Counter(event.round for event in table.of(m.Misdealt))  # type: ignore[attr-defined]
    for number in table.controller.begun:
        if (closed := table.controller.closed.count(number)) + misdealt[number] != 1:
            found.append(f"round {number} was closed {closed} times and misdealt {misdealt[number]} times")
    if len(table.controller.closed) < ROUNDS:
        found.append(f"dealing stopped: {table.do(m.GetStatus())}")
    if table.missing:
        found.append(f"the host missed events: {table.missing}")
    if medium.refused_commits and not any(event.code is FaultCode.MEMORY_FULL for event in table.of(m.FaultRaised)):  # type: ignore[attr-defined]
        found.append("nobody was told that the memory was full")
    return medium.writes, [f"{profile}, write {at}, {tries} tries: {problem}" for problem in found]


def run_devices(every: int) -> tuple[Counter[str], list[str]]:
    """Every n-th write of every profile, once and for ten seconds."""
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    for profile in profiles.names():
        writes, found = device_life(profile, None, 0)
        wrong += found
        for tries in DEVICE_TRIES:
            for at in range(1, writes + 1, every):
                wrong += device_life(profile, at, tries)[1]
                outcomes[f"{profile}, {DEVICE_TRIES[tries]}"] += 1
    return outcomes, wrong


# --------------------------------------------------------------------------------------------------- inside the child


def _inside(folder: Path, every: int) -> None:
    disk = ctypes.CDLL(str(folder / "disk.so"))
    disk.disk_seen.restype = ctypes.c_long
    disk.disk_plan(ctypes.c_long(NEVER), 0)
    _life(folder / "count", disk, NEVER, 0)
    writes = disk.disk_seen()
    for mode, number in MODES.items():
        for at in range(1, writes + 1, every):
            try:
                print(f"{mode}: {_life(folder / f'{number}-{at}', disk, at, number)}\tat {at}")
            except Exception as problem:
                print(f"wrong\twrite {at}, {mode}: {problem!r}")


def _life(folder: Path, disk: ctypes.CDLL, at: int, mode: int) -> str:
    """Three rounds with a failure, then room, a restart and three more."""
    folder.mkdir()
    path, medium, screen = folder / NAME, VolatileMedium(), []
    disk.disk_plan(ctypes.c_long(at), mode)
    outcome = "nothing noticed"
    try:
        with closing(_journal(path)) as books:
            table = _seat(books, medium, screen)
            table.play(ROUNDS)
            table.desk.leave("the end")
    except JournalUnwritable:
        outcome = "stopped with a sentence"
    if at == NEVER:
        return outcome
    disk.disk_plan(ctypes.c_long(NEVER), 0)
    with closing(_journal(path)) as books:
        table = _seat(books, medium, screen)
        table.play(ROUNDS)
        table.desk.leave("the end")
    events = table.emulator.device.events
    assert events.acknowledged <= books.newest_event("D-1", events.epoch), "acknowledged and not stored"
    problems = reconcile(path, RULES).problems + audit(path, shown=shown_rounds(screen)).problems
    assert problems == [], problems
    return outcome


def _journal(path: Path) -> SqliteJournal:
    return SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"})


def _seat(books: SqliteJournal, medium: VolatileMedium, screen: list[str]) -> VirtualTable:
    opened = reopen(books, RULES)
    build = quick(Build(profile=load_profile("i-deal-style"), serial="D-1", seed=2))
    table = VirtualTable(
        opened.table, books, seated("Q-6-4", 7), build, medium=medium, last_round=opened.last_round, seed=books.records
    )
    table.core.device_rounds.update(opened.device_rounds)
    table.desk.books.listeners.append(Narrator(view_of(table.core), lambda line: screen.append(f"{line}\n")).show)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="try every n-th write")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        _inside(options.inside, options.every)
        return
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outcomes, wrong = run(options.every, Path(folder))
    devices, wrong_devices = run_devices(options.every)
    wrong += wrong_devices
    lines = [
        f"{outcomes.total():,} failures in the files of a journal of {ROUNDS} seven-seat rounds, each followed by"
        f" {ROUNDS} more after a restart:",
        "",
        *(f"- {name}: {count:,}" for name, count in sorted(outcomes.items())),
        "",
        f"{devices.total():,} failures of a device's memory in {ROUNDS} rounds:",
        "",
        *(f"- {name}: {count:,}" for name, count in sorted(devices.items())),
        "",
        f"- doubled, lost, shown and not booked, acknowledged and not stored: {len(wrong)}",
        f"- {time.perf_counter() - started:.0f} s",
    ]
    print("\n".join(lines), *wrong[:20], sep="\n")
    evidence.record("disk-full", command="make proof-disk-full", seed="none", body="\n".join(lines))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()

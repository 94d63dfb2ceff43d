"""Proof: the power goes at every single write and at every step of a round, and the cable at every step.

After each, the round that was open is resumed or voided as a misdeal, never silently wrong; the host's event stream has
no hole and no double; no card is lost; dealing goes on.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from firmware_sim.control.injector import PowerLost
from firmware_sim.machine import profile as profiles
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.groups import plan_groups
from firmware_sim.program.nvstore import VolatileMedium
from proofs.evidence import record
from proofs.table import Table, build, objections
from protocol import messages as m
from protocol.vocabulary import PowerUpCause

ROUNDS = 2  # the round under the knife, and the next one
FULL = 0x7F
FEW = 0b1011  # four groups: every state of a full table at half its length
STEPS = 8000


class Cut(Enum):
    """What of a write has reached the memory when the power goes."""

    BEFORE = "nothing"
    TORN = "half of it"
    AFTER = "all of it"


class CutMedium(VolatileMedium):
    """Loses the power at one write."""

    def __init__(self, at: int | None = None, cut: Cut = Cut.BEFORE) -> None:
        super().__init__()
        self.writes = 0
        self._at = at
        self._cut = cut

    def append(self, data: bytes) -> None:
        self.writes += 1
        if self.writes != self._at:
            super().append(data)
            return
        if self._cut is not Cut.BEFORE:
            super().append(data if self._cut is Cut.AFTER else data[: len(data) // 2])
        raise PowerLost(PowerUpCause.POWER_RETURNED)

    def replace(self, data: bytes) -> None:
        self.writes += 1
        if self.writes != self._at:
            super().replace(data)
            return
        if self._cut is Cut.AFTER:  # a rename is one step: it has happened or not
            super().replace(data)
        raise PowerLost(PowerUpCause.POWER_RETURNED)


@dataclass(slots=True)
class Tally:
    """What came of all cuts."""

    runs: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Put two together."""
        self.runs += other.runs
        self.fates += other.fates
        self.problems += other.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is played: a profile, its seats, and whether the next deck is staged meanwhile."""

    profile: str
    seed: int = 1
    seats: int = FULL
    prestage: bool = False
    program: type[Firmware] = Firmware

    def table(self, medium: VolatileMedium | None = None) -> Table:
        """A fresh table."""
        made = build(self.profile, self.seed, program=self.program)
        return Table(made, medium=medium, seats=self.seats, prestage=self.prestage)

    @property
    def name(self) -> str:
        return self.profile + (", next deck staged meanwhile" if self.prestage else "")


def judge(case: Case, table: Table, label: str, tally: Tally) -> None:
    """Hold what the host saw against what must be true of every round."""
    tally.runs += 1
    found = objections(table)
    profile = table.emulator.build.profile
    groups = plan_groups(profile.games[0], case.seats, profile.is_shoe)
    misdealt = Counter(event.round for event in table.of(m.Misdealt) if isinstance(event, m.Misdealt))
    for number in table.controller.begun:
        taken = [event.group for event in table.of(m.GroupRemoved) if event.round == number]  # type: ignore[attr-defined]
        named = [event for event in table.of(m.HandDisclosed) if event.round == number]  # type: ignore[attr-defined]
        closed = table.controller.closed.count(number)
        if closed + misdealt[number] != 1:
            found.append(f"round {number} was closed {closed} times and misdealt {misdealt[number]} times")
        elif closed and taken != list(range(1, len(groups) + 1)):
            found.append(f"round {number} was closed with groups {taken}")
        elif closed and len(named) != sum(group.seat == m.DEALER_SEAT for group in groups):
            found.append(f"round {number} was closed with {len(named)} dealer's groups named")
    found += _wrong_counts(table)
    if len(table.controller.closed) < ROUNDS:
        found.append(f"dealing stopped: {len(table.controller.closed)} rounds closed; {table.do(m.GetStatus())}")
    if table.missing:
        found.append(f"the host missed events: {table.missing}")
    for event in table.of(m.PoweredUp)[1:]:
        assert isinstance(event, m.PoweredUp)
        tally.fates[event.interrupted.name.lower()] += 1
    tally.problems += [f"{label}: {problem}" for problem in found]


def _wrong_counts(table: Table) -> list[str]:
    """Rounds that were closed although somebody really got another number of cards than was said."""
    found = []
    for number in table.controller.closed:
        if (said := table.said_cards(number)) != (real := table.real_cards.get(number, said)):
            found.append(f"round {number}: {said} cards were reported, {real} were lifted")
    return found


def finish(table: Table) -> None:
    """Play until the rounds are closed."""
    table.play(lambda: len(table.controller.closed) >= ROUNDS, steps=STEPS)


def count_writes(case: Case) -> int:
    """How many writes an undisturbed run makes."""
    medium = CutMedium()
    finish(case.table(medium))
    return medium.writes


def cut_writes(case: Case, every: int = 1) -> Tally:
    """Cut at each write, in each of the three ways."""
    tally = Tally()
    for at in range(1 + case.seed % every, count_writes(case) + 1, every):
        for cut in Cut:
            table = case.table(CutMedium(at, cut))
            finish(table)
            judge(case, table, f"{case.name}, write {at}, {cut.value} written", tally)
    return tally


def instants(case: Case) -> list[int]:
    """The times of an undisturbed run at which something happens, and the middle between each two."""
    table = case.table()
    times: list[int] = []

    def note() -> bool:
        times.append(table.bench.now)
        return len(table.controller.closed) >= ROUNDS

    table.play(note, steps=STEPS)
    ordered = sorted(set(times))
    return sorted({*ordered, *(a + (b - a) // 2 for a, b in pairwise(ordered))})


def cut_steps(case: Case, every: int = 1, *, cable: bool = False) -> Tally:
    """Cut the power, or pull the cable, at each instant and between each two."""
    tally = Tally()
    for at in instants(case)[case.seed % every :: every]:
        table = case.table()
        table.play(lambda table=table, at=at: _reached(table, at), steps=STEPS)  # type: ignore[misc]
        if cable:
            table.pull()
        else:
            table.emulator.power_cycle(PowerUpCause.POWER_RETURNED, table.bench.now)
        finish(table)
        what = "cable" if cable else "power"
        judge(case, table, f"{case.name}, {what} at {at} us", tally)
    return tally


def _reached(table: Table, at: int) -> bool:
    """Let time go to an instant and no further."""
    due = table.next_due()
    if due is not None and due <= at:
        return False
    table.bench.now = max(table.bench.now, at)
    return True


def cases(seed: int, seats: int = FULL) -> Iterator[Case]:
    """Every profile, and once more with the next deck on its way where a profile can do that."""
    for name in profiles.names():
        yield Case(profile=name, seed=seed, seats=seats)
        if profiles.load(name).build.prestages:
            yield Case(profile=name, seed=seed, seats=seats, prestage=True)


def run(seed: int, every: int = 1) -> Iterator[tuple[str, Tally]]:
    """All three for each case."""
    for case in cases(seed):
        yield f"{case.name}: power cut at every write, three ways", cut_writes(case, every)
        yield f"{case.name}: power cut at every step and between", cut_steps(case, every)
        yield f"{case.name}: cable pulled at every step and between", cut_steps(case, every, cable=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="try each n-th instant alone")
    given = parser.parse_args()
    lines = ["| what | cuts | resumed | voided | nothing open | problems |", "|---|---|---|---|---|---|"]
    problems: list[str] = []
    total = 0
    for what, tally in run(given.seed, given.every):
        fates = tally.fates
        total += tally.runs
        lines.append(
            f"| {what} | {tally.runs} | {fates['resumed']} | {fates['voided']} | {fates['nothing']} "
            f"| {len(tally.problems)} |"
        )
        print(lines[-1], flush=True)
        problems += tally.problems
    lines += ["", f"{total} cuts, {len(problems)} problems.", *(f"- {problem}" for problem in problems)]
    command = "python -m proofs.power_cuts" + (f" --every {given.every}" if given.every > 1 else "")
    record("power-cuts", command=command, seed=given.seed, body="\n".join(lines))
    if problems:
        raise SystemExit(f"{len(problems)} problems")


if __name__ == "__main__":
    main()

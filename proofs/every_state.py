"""Proof: every state that a device can reach leads back to idle, by exhaustion.

Breadth first: from the state after switching on, everything that a host, a hand or the power switch can do is done in
every state found, on every profile and across all games of its menu, until nothing new comes. Then an accident: in
each of these states every injection of the catalogue is made, and the host plays on until its fault shows. Each state
met for the first time, on either way, is left by a crew that does only what panel, fault catalogue and reference tell
it to: the device must come to idle and deal a whole round. States are told apart as in `way_out`, whose seeded walk has
several accidents at a time.

States are copied, not replayed; every so often one is reached again from the start, to show that a copy is no other.
"""

import argparse
import copy
import multiprocessing
import time
from collections import deque
from dataclasses import dataclass, field

from firmware_sim.control.injections import INJECTIONS
from firmware_sim.machine import profile as profiles
from firmware_sim.program.firmware import Firmware
from proofs.evidence import record
from proofs.way_out import Key, Stage, actions, lead_out
from protocol.vocabulary import FaultCode

INJECTED = frozenset(kind.name for kind in INJECTIONS)
PLAYED_ON = ("the host's next", "time", "the host's next", "time", "more time", "the host's next", "more time")
REACHED_AGAIN = 25  # every so many states


@dataclass(slots=True)
class Exhausted:
    """What became of one profile."""

    profile: str
    games: int
    states: int = 0  # without an accident
    after_accident: int = 0  # further ones
    moves: int = 0
    deepest: int = 0
    complete: bool = True  # whether nothing was left to try
    faults: set[FaultCode] = field(default_factory=set)
    again: int = 0
    traps: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Found:
    stage: Stage
    path: tuple[str, ...]


class Walk:
    """One profile: the states seen, and what is still to be tried."""

    def __init__(self, profile: str, program: type[Firmware] = Firmware) -> None:
        self.profile = profiles.load(profile)
        self.result = Exhausted(profile, len(self.profile.games))
        self._program = program
        self._choices = actions(self.profile)
        self._seen: set[Key] = set()
        self._todo: deque[_Found] = deque()
        self._left = 0

    def run(self, most: int | None = None) -> Exhausted:
        """Until nothing new comes, or so many states are found."""
        started = time.perf_counter()
        self._meet(_Found(self._fresh(), ()))
        while self._todo:
            if most is not None and self.result.states >= most:
                self.result.complete = False
                break
            found = self._todo.popleft()
            for name in self._choices:
                if name in INJECTED:
                    self._accident(found, name)
                else:
                    self._meet(_Found(self._made(found, name), (*found.path, name)))
        self.result.seconds = time.perf_counter() - started
        return self.result

    def _fresh(self) -> Stage:
        return Stage(self.profile, self.profile.games[0].game, self._program)

    def _made(self, found: _Found, *names: str) -> Stage:
        """A copy of the state after these steps."""
        stage = copy.deepcopy(found.stage)
        for name in names:
            self._choices[name](stage)
            self.result.moves += 1
        return stage

    def _meet(self, found: _Found) -> None:
        """A state without an accident: new ones are left, and gone on from."""
        if self._is_new(found.stage.key()):
            self.result.states += 1
            self.result.deepest = max(self.result.deepest, len(found.path))
            self._todo.append(found)
            self._leave(copy.deepcopy(found.stage), found.path)

    def _accident(self, found: _Found, name: str) -> None:
        """One injection, and the host plays on until it shows. What an injection has planned can't be copied."""
        stage = self._made(found, name)
        new = [0] if self._is_new(stage.key()) else []
        for played, further in enumerate(PLAYED_ON, 1):
            self._choices[further](stage)
            self.result.moves += 1
            if self._is_new(stage.key()):
                new.append(played)
        for played in new:
            self.result.after_accident += 1
            self._leave(self._made(found, name, *PLAYED_ON[:played]), (*found.path, name, *PLAYED_ON[:played]))

    def _is_new(self, key: Key) -> bool:
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _leave(self, stage: Stage, path: tuple[str, ...]) -> None:
        """The crew's turn, on a state met for the first time."""
        key = stage.key()
        self.result.faults |= set(stage.device.firmware.desk.active)
        self._left += 1
        stuck = None
        if self._left % REACHED_AGAIN == 0:
            stuck = self._reach_again(path, key)
        stuck = stuck or lead_out(stage)
        if stuck is not None:
            self.result.traps.append(f"{self.result.profile}: {stuck}; by {', '.join(path)}")

    def _reach_again(self, path: tuple[str, ...], key: Key) -> str | None:
        stage = self._fresh()
        stage.key()
        for name in path:
            self._choices[name](stage)
            stage.key()  # asked after each step on the way here, too: a host that looks is part of the way
        self.result.again += 1
        return None if stage.key() == key else "the same steps lead to another state"


def _run(profile: str) -> Exhausted:
    return Walk(profile).run()


def report(found: list[Exhausted]) -> str:
    """The record."""
    lines = [
        "| profile | games | states without an accident | further ones after one | moves | deepest | faults met "
        "| reached again | states without a way out |",
        "|---" * 9 + "|",
    ]
    for one in found:
        lines.append(
            f"| {one.profile} | {one.games} | {one.states:,} | {one.after_accident:,} | {one.moves:,} | {one.deepest} "
            f"| {len(one.faults)} | {one.again:,} | {len(one.traps)} |"
        )
    states, after = sum(one.states for one in found), sum(one.after_accident for one in found)
    traps = [trap for one in found for trap in one.traps]
    lines += [
        "",
        f"{states:,} states are all that commands, hands and the power switch can reach; {after:,} more after one "
        f"accident in each of them; {len(traps)} without a way out; {sum(one.seconds for one in found):.0f} s.",
        *(f"- {trap}" for trap in traps[:20]),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--profile", choices=profiles.names(), help="this one alone, without a record")
    chosen = parser.parse_args()
    names = [chosen.profile] if chosen.profile else profiles.names()
    with multiprocessing.Pool(chosen.workers) as pool:
        found = []
        for one in pool.imap(_run, names, chunksize=1):
            found.append(one)
            said = f"{one.states:,} states, {one.after_accident:,} after an accident, {len(one.traps)} traps"
            print(f"{one.profile}: {said}, {one.seconds:.0f} s", *one.traps[:3], sep="\n", flush=True)
    body = report(found)
    print(body)
    if not chosen.profile:
        note = (__doc__ or "").split("\n\n", 1)[1].strip() + "\n\n"
        record("every-state", command="make proof-every-state", seed="none: everything is tried", body=note + body)
    if any(one.traps for one in found):
        raise SystemExit("states without a way out")


if __name__ == "__main__":
    main()

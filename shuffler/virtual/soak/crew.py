"""Several tables soaked side by side, a process each, their reports made one."""

import multiprocessing as mp
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build
from round_engine.errors import RoundEngineError
from round_engine.rules.ruleset import RuleSet
from shuffler.errors import ShufflerError
from shuffler.table.players import seated
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.soak.report import SoakReport, merged
from shuffler.virtual.soak.table import Soak
from shuffler.virtual.table import Stalled

SAY_EVERY = 50  # rounds between two words to the parent

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakPlan:
    """What each table plays; table i has seed `seed` + i."""

    rules: RuleSet
    strategy: str = "Q-6-4"
    seats: int = 7
    profile: str = "i-deal-style"
    seed: int = 1
    rate: float = 0.02

    def table(self, number: int) -> Soak:
        """One table of the crew."""
        seed = self.seed + number
        build = Build(profile=load(self.profile), serial=f"SB-SOAK-{number}", seed=seed)
        return Soak(self.rules, MemoryBooks(), seated(self.strategy, self.seats), build, seed=seed, rate=self.rate)


def soak(plan: SoakPlan, rounds: int, workers: int = 1, progress: Progress | None = None) -> SoakReport:
    """Play so many rounds in all and judge them; Ctrl-C ends it early with a report of what was played."""
    report = merged(_together(plan, rounds, workers, progress if progress is not None else _say_nothing))
    report.judge(plan.rules, plan.seats - 1)
    report.stopped_early = report.settled + report.void < rounds
    return report


def _say_nothing(done: int) -> None:
    """Nobody asks how far it is."""


def _together(plan: SoakPlan, rounds: int, workers: int, progress: Progress) -> list[SoakReport]:
    context = mp.get_context("spawn")
    stop = context.Event()
    done: dict[Connection, int] = {}
    crew = []
    for number in range(workers):
        share = rounds // workers + (number < rounds % workers)
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(plan, number, share, theirs, stop), daemon=True)
        process.start()
        theirs.close()
        crew.append(process)
        done[ours] = 0
    try:
        reports = _gather(done, stop, progress)
    finally:
        stop.set()
        for process in crew:
            process.join()
    return reports


def _gather(done: dict[Connection, int], stop: Event, progress: Progress) -> list[SoakReport]:
    reports: list[SoakReport] = []
    listening = list(done)
    while listening:
        try:
            for pipe in wait(listening):
                assert isinstance(pipe, Connection)
                said = pipe.recv()
                if isinstance(said, int):
                    done[pipe] = said
                    progress(sum(done.values()))
                    continue
                listening.remove(pipe)
                if isinstance(said, str):
                    raise Stalled(said)
                reports.append(said)
        except KeyboardInterrupt:
            stop.set()
        except EOFError:
            raise Stalled("a table's process ended without a report") from None
    return reports


def _work(plan: SoakPlan, number: int, rounds: int, pipe: Connection, stop: Event) -> None:
    """One table in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    table = plan.table(number)

    def say(done: int) -> None:
        if done % SAY_EVERY == 0:
            pipe.send(done)
            if stop.is_set():
                raise KeyboardInterrupt

    try:
        pipe.send(table.run(rounds, say))
    except KeyboardInterrupt:
        pipe.send(table.reconcile())
    except (Stalled, RoundEngineError, ShufflerError) as problem:
        pipe.send(str(problem))

"""Proof: kill the host, cut the device's power, pull the cable, at random points, again and again; the books hold.

The device is a process of its own on a TCP port with its memory in a file. The host is forked for each life, plays
rounds over the port into a SQLite journal, and is ended by SIGKILL. At each restart the journal is reconciled, and at
the end by the product and by the auditor, which also compares it with all that the screens have shown.
"""

import argparse
import asyncio
import multiprocessing
import os
import select
import signal
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from firmware_sim.control.control import Control
from firmware_sim.machine.profile import load as load_profile
from firmware_sim.ports import Tcp, TcpPort
from firmware_sim.ports.serving import Location, open_all
from firmware_sim.unit.emulator import Build
from proofs import evidence
from proofs.auditor import audit
from proofs.auditor.shown import shown_rounds
from protocol import messages as m
from protocol.vocabulary import Role
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet
from shuffler.journal import SqliteJournal
from shuffler.journal.reconcile import Reconciled, reconcile
from shuffler.journal.restart import reopen
from shuffler.table.live import LiveTable
from shuffler.table.narration import Narrator
from shuffler.table.players import Bot, at_random
from shuffler.table.view import view_of

SPEED = 4000.0
STEPS = (0, 30)  # of the table's own between two accidents, so that a slow machine gets as far as a quick one
PATIENCE_S = 20.0
SEATS = 3
LAST_LIFE_S = 60.0
SCREEN = "screen.txt"  # what every life has shown, one after another


def rules() -> RuleSet:
    return load("light-and-wonder", changes={"house": {"limit_ceiling": "$300"}})


def run(kills: int, seed: int, folder: Path) -> tuple[Reconciled, dict[str, int]]:
    """So many accidents; what the journal shows afterwards and what was done."""
    chance = Random(seed)
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    device = context.Process(target=_device, args=(there, folder / "device.nv"), daemon=True)
    device.start()
    url: str = here.recv()
    done = {"host killed": 0, "power cut": 0, "cable pulled": 0}
    book = folder / "journal.db"
    try:
        while sum(done.values()) < kills:
            steps, told = os.pipe()
            child = _fork_host(url, book, chance.randrange(1 << 30), None, told)
            os.close(told)
            _wait_for(steps, chance.randint(*STEPS), chance)
            while sum(done.values()) < kills - 1 and chance.random() < 0.5:
                accident = chance.choice(("power cut", "cable pulled"))
                here.send(accident)
                here.recv()
                done[accident] += 1
                _wait_for(steps, chance.randint(*STEPS), chance)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(steps)
            done["host killed"] += 1
        child = _fork_host(url, book, chance.randrange(1 << 30), 3, None)
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"the last host ended with status {status}")
        here.send("groups")
        groups: int = here.recv()
    finally:
        here.send("stop")
        device.join(10)
    found = reconcile(book, rules(), dealt_groups=groups)
    with (folder / SCREEN).open(encoding="utf-8") as screen:
        found.problems += audit(book, device_groups=groups, shown=shown_rounds(screen)).problems
    return found, done


def run_lanes(kills: int, seed: int, lanes: int, folder: Path) -> list[tuple[Reconciled, dict[str, int]]]:
    """The same on several tables side by side, each with a device and a journal of its own: mostly they wait."""
    with ProcessPoolExecutor(lanes, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = []
        for lane in range(lanes):
            (folder / str(lane)).mkdir()
            share = kills // lanes + (lane < kills % lanes)
            futures.append(pool.submit(run, share, seed + lane, folder / str(lane)))
        return [future.result() for future in futures]


def _wait_for(steps: int, count: int, chance: Random) -> None:
    """Until the host has taken so many steps, and then a moment that may fall anywhere within the next one."""
    end = time.monotonic() + PATIENCE_S
    while count > 0 and time.monotonic() < end:
        if select.select([steps], [], [], 0.1)[0]:
            count -= len(os.read(steps, count)) or count
    time.sleep(chance.uniform(0, 0.01))


def _fork_host(url: str, book: Path, seed: int, rounds: int | None, told: int | None) -> int:
    """A host that plays until it is killed, or so many rounds and then to the end of its events."""
    child = os.fork()
    if child:
        return child
    try:
        books = SqliteJournal(book, clock=lambda: "-")
        opened = reopen(books, rules())
        screen = os.open(book.with_name(SCREEN), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        bots = [Bot(spot=spot, decide=at_random) for spot in range(1, SEATS + 1)]
        table = LiveTable(url, opened.table, books, bots, chance=Random(seed), last_round=opened.last_round,
                          device_rounds=opened.device_rounds)  # fmt: skip
        view = Narrator(view_of(table.core), lambda line: _put(screen, line))
        if rounds is None:
            assert told is not None
            table.desk.books.listeners.append(lambda entries: (view.show(entries), _tell(told))[-1])
            table.play(1_000_000)
        else:
            table.desk.books.listeners.append(view.show)
            table.play(rounds, limit_s=LAST_LIFE_S)
            table.desk.paused = True
            end = time.monotonic() + 1.0
            while time.monotonic() < end:
                table.step()
            table.close_port()
            table.desk.leave("the last life")
        os._exit(0 if table.done >= (rounds or 0) and not table.core.round.is_open else 3)
    except BaseException as problem:
        os.write(2, f"host: {problem!r}\n".encode())
        os._exit(4)


def _put(screen: int, line: str) -> None:
    os.write(screen, f"{line}\n".encode())


def _tell(told: int) -> None:
    os.write(told, b".")


def _device(pipe: Connection, memory: Path) -> None:
    async def main() -> None:
        build = Build(profile=load_profile("i-deal-style"), serial="KILLS", speed=SPEED)
        (served,) = await open_all([Location(build=build, ports=(Tcp(),), memory=memory)])
        pipe.send(served.urls[0])
        loop = asyncio.get_running_loop()
        while (order := await loop.run_in_executor(None, pipe.recv)) != "stop":
            if order == "power cut":
                served.do(Control.cut_power)
                pipe.send(True)
            elif order == "cable pulled":
                served.port(TcpPort).drop_client()
                pipe.send(True)
            else:
                reply = served.emulator.firmware.execute(m.GetCounters(), Role.DEALER, 0)
                assert isinstance(reply, m.Counters)
                pipe.send(reply.groups)
        await served.close()

    asyncio.run(main())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--lanes", type=int, default=8, help="tables side by side, lane i with seed SEED + i")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        lanes = run_lanes(options.kills, options.seed, options.lanes, Path(folder))
    done = sum((Counter(accidents) for _, accidents in lanes), Counter[str]())
    problems = [problem for found, _ in lanes for problem in found.problems]

    def total(name: str) -> str:
        return f"{sum(getattr(found, name) for found, _ in lanes):,}"

    lines = [
        f"{sum(done.values()):,} accidents at {options.lanes} tables, each with a device and a journal of its own.",
        "",
        *(f"- {name}: {count:,}" for name, count in done.items()),
        f"- rounds opened {total('rounds')}, settled {total('settled')}, void {total('void')}",
        f"- groups dealt and found in exactly one round: {total('groups')}",
        f"- journal records: {total('records')}, every chain whole, every round shown as paid booked as paid",
        f"- problems: {len(problems)}",
        f"- {time.perf_counter() - started:.0f} s",
    ]
    print("\n".join(lines), *problems[:20], sep="\n")
    evidence.record("kills", command="make proof-kills", seed=options.seed, body="\n".join(lines))
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()

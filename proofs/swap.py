"""Proof: under load the shuffler fails again and again, and the backup takes its place; nothing is lost.

Two devices in virtual time. In the middle of rounds the one in use is taken away, at a random step, and the other is
plugged in. A half-dealt round is void, never finished from the second deck; the journal reconciles, and the auditor
agrees.
"""

import argparse
import tempfile
import time
from pathlib import Path
from random import Random

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build, Emulator
from proofs import evidence
from proofs.auditor import audit
from proofs.kills import rules
from protocol import messages as m
from protocol.vocabulary import PowerUpCause, Role
from shuffler.journal import SqliteJournal
from shuffler.journal.reconcile import Reconciled, reconcile
from shuffler.journal.restart import reopen
from shuffler.table.players import Bot, at_random
from shuffler.table.values import Unplug
from shuffler.virtual.table import VirtualTable, quick

SEATS = 7
STEPS_BETWEEN = (1, 90)


def run(swaps: int, seed: int, folder: Path) -> Reconciled:
    """So many swaps; what the journal shows afterwards."""
    chance = Random(seed)
    book = folder / "journal.db"
    books = SqliteJournal(book, clock=lambda: "-")
    builds = [
        quick(Build(profile=load_profile("i-deal-style"), serial=name, seed=seed + at))
        for at, name in enumerate(("PRIMARY", "BACKUP"))
    ]
    bots = [Bot(spot=spot, decide=at_random) for spot in range(1, SEATS + 1)]
    made = VirtualTable(reopen(books, rules()).table, books, bots, builds[0], seed=seed)
    idle = Emulator(builds[1], now=made.bench.now)
    for _ in range(swaps):
        for _ in range(chance.randint(*STEPS_BETWEEN)):
            made.step()
        made.bench.pull()
        made.emulator.switch_off(made.bench.now)
        made.desk.move(Unplug("the shuffler is not fit"), made.bench.now)
        made.emulator, idle = idle, made.emulator
        made.emulator.switch_on(made.bench.now, PowerUpCause.SWITCHED_ON)
        made.bench.replace_device(made.emulator)
        made.desk.take(made.bench.plug(), made.bench.now)
    made.play(3)
    dealt = 0
    made.desk.paused = True
    for emulator in (made.emulator, idle):
        if emulator is idle:  # its last events are still in its memory: they come when it is plugged in again
            made.bench.pull()
            made.desk.move(Unplug("the other one's last events"), made.bench.now)
            emulator.switch_on(made.bench.now, PowerUpCause.SWITCHED_ON)
            made.bench.replace_device(emulator)
            made.desk.take(made.bench.plug(), made.bench.now)
        for _ in range(400):
            made.step()
        reply = emulator.firmware.execute(m.GetCounters(), Role.DEALER, emulator.device.machine_time(made.bench.now))
        assert isinstance(reply, m.Counters)
        dealt += reply.groups
    made.desk.leave("the last swap")
    books.close()
    found = reconcile(book, rules(), dealt_groups=dealt)
    found.problems += audit(book, device_groups=dealt).problems
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--swaps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = run(options.swaps, options.seed, Path(folder))
    lines = [
        f"- swaps: {options.swaps}",
        f"- rounds opened {found.rounds:,}, settled {found.settled:,}, void {found.void:,}",
        f"- groups dealt by both devices, each found in exactly one round: {found.groups:,}",
        f"- problems: {len(found.problems)}",
        f"- {time.perf_counter() - started:.0f} s",
    ]
    print("\n".join(lines), *found.problems[:20], sep="\n")
    evidence.record("swap", command="make proof-swap", seed=options.seed, body="\n".join(lines))
    raise SystemExit(bool(found.problems))


if __name__ == "__main__":
    main()

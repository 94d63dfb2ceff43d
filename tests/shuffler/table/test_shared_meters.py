"""A round whose award waits for a shared meter: nothing is paid, and nothing that the device does can void it."""

from collections.abc import Sequence

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.meters.awards import Due
from round_engine.round.operations import Operation
from round_engine.rules.rulebook import load
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.table import Want
from shuffler.table.players import Bot, at_random
from shuffler.table.shared_meters import Fixing
from shuffler.table.values import CallMisdeal, Unplug
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import VirtualTable, quick


class Meters:
    """Meters whose prizes are fixed when a test says so."""

    def __init__(self) -> None:
        self.ready = False
        self.asked = 0
        self.takes = True

    def allowed(self, wagers: Sequence[SpotWagers]) -> tuple[SpotWagers, ...]:
        return tuple(wagers) if self.takes else ()

    def follow(self, table: Table) -> tuple[Operation, ...]:
        return ()

    def fix(self, table: Table, round_id: str, dues: Sequence[Due]) -> Fixing:
        self.asked += 1
        return Fixing(ready=self.ready)


@pytest.fixture
def waiting() -> tuple[VirtualTable, Meters]:
    """A table where seat 1 has the ace, king and queen of spades, and the meter's server does not answer."""
    bots = [Bot(spot=spot, decide=at_random) for spot in (1, 2)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="LINKED", seed=5))
    table = VirtualTable(Table(load("south-dakota")), MemoryBooks(), bots, build, seed=1)
    meters = Meters()
    table.core.round.meters = meters
    table.emulator.control.rig_hands({1: "As Ks Qs"}, seats=[1, 2])
    while not table.core.round.awaits_meter and table.done < 3:  # the deck that lies ready was shuffled before
        table.step()
    return table, meters


def test_the_round_waits_and_is_settled_when_the_prize_is_fixed(waiting: tuple[VirtualTable, Meters]) -> None:
    table, meters = waiting
    core = table.core
    assert core.wants is Want.METER
    settled = core.round.settled
    assert table.core.table.ledger.balance("payable:progressive") == 0
    before = meters.asked
    table.desk.take([], table.bench.now)
    assert meters.asked > before
    meters.ready = True
    table.desk.take([], table.bench.now)
    assert (core.round.settled, core.round.void, core.round.awaits_meter) == (settled + 1, 0, False)
    table.play(1)
    assert core.round.settled == settled + 2


def test_a_device_that_is_taken_away_does_not_void_it(waiting: tuple[VirtualTable, Meters]) -> None:
    table, meters = waiting
    core = table.core
    settled = core.round.settled
    table.desk.move(Unplug("the shuffler jams"), table.bench.now)
    assert core.round.awaits_meter
    assert core.round.is_open
    meters.ready = True
    table.desk.take([], table.bench.now)
    assert (core.round.settled, core.round.void) == (settled + 1, 0)


def test_the_table_can_still_call_a_misdeal(waiting: tuple[VirtualTable, Meters]) -> None:
    table, _ = waiting
    core = table.core
    table.desk.move(CallMisdeal("two cards stuck together were found in the discard rack"), table.bench.now)
    assert (core.round.void, core.round.awaits_meter) == (1, False)

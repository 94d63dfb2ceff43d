"""The bench that `shuffler live` shows: a shuffler at a table, its backup beside it, players, and one seat for you."""

from dataclasses import dataclass
from pathlib import Path

from firmware_sim.machine.profile import load
from firmware_sim.ports.serving import Location
from firmware_sim.unit.emulator import Build
from shuffler.api.bench import Bench
from shuffler.api.loop_table import Joining, TablePace
from shuffler.api.seating import Seat
from shuffler.table.rule_names import rules_by_name

MAIN, BACKUP, TABLE = "SB-0001", "SB-0002", "main"
YOU = 4
BOTS = {1: "Ann", 2: "Bill", 6: "Dee", 7: "Eve"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceStart:
    """How the bench is to begin."""

    profile: str = "i-deal-style"
    rules: str = "light-and-wonder"
    speed: float = 4.0
    keypad: str | None = None
    journal: Path | None = None
    kiosk: bool = False  # nobody is there: everything goes by itself
    seed: int | None = None
    join: Joining | None = None  # to meters that are shared; needs a journal that stays


async def begin(bench: Bench, start: DeviceStart) -> None:
    """Put devices and table on an empty bench; raises what devices, rules and journal refuse."""
    for offset, serial in enumerate((MAIN, BACKUP)):
        seed = None if start.seed is None else start.seed + offset
        build = Build(profile=load(start.profile), serial=serial, speed=start.speed, seed=seed)
        await bench.devices.create(Location(build=build))
    rules = rules_by_name(start.rules, keypad=start.keypad)
    live = bench.tables.create(TABLE, MAIN, start.rules, rules, start.journal, join=start.join)
    for spot, player in BOTS.items():
        if spot in live.seating.seats:
            live.seating.put(Seat(spot=spot, kind="bot", player=player))
    if start.kiosk:
        live.seating.put(Seat(spot=YOU, kind="bot", player="Cal"))
        live.set_pace(TablePace(deals="auto", between_s=5.0, think_s=0.8))
    else:
        live.seating.put(Seat(spot=YOU, kind="person", player="You"))
        live.set_pace(TablePace(deals="hand", think_s=0.8, keys="people"))


async def begin_again(bench: Bench, start: DeviceStart) -> None:
    """Take everything away and begin anew; a journal that was asked for is continued."""
    for live in list(bench.tables):
        await bench.tables.remove(live.name)
    for serial in bench.devices.serials:
        await bench.devices.remove(serial)
    await begin(bench, start)

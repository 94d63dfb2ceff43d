"""Silence is an event: what a table says, when it wants the backup, when a round is void, when it gives up."""

from collections.abc import Callable
from random import Random

import pytest

from firmware_sim.machine import profile as profiles
from firmware_sim.machine.mechanism import People
from firmware_sim.unit.emulator import Build, Emulator
from round_engine.round.operations import DeclareMisdeal
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.errors import BadAddress, CannotOpen, GaveUp
from shuffler.journal.entries import Operated
from shuffler.table import Want
from shuffler.table.live import LiveTable
from shuffler.table.people import Players
from shuffler.table.players import seated
from shuffler.timeouts import USUAL
from shuffler.transports.ports import Transport
from shuffler.virtual.memory_books import MemoryBooks

RULES = load("light-and-wonder", changes={"house": {"limit_ceiling": "$300"}})
BOTS = seated("Q-6-4", 3)


class Pit:
    """Devices by address on one virtual clock; a device that is off can't be opened, one that is dead says nothing."""

    def __init__(self) -> None:
        self.now = 0
        self.devices: dict[str, Emulator] = {}
        self.off: set[str] = set()
        self.dead: set[str] = set()
        self.said: list[tuple[int, str]] = []

    def device(self, url: str, **more) -> Emulator:
        seed = sum(url.encode())  # another one for each: two decks alike would be noticed
        build = Build(profile=profiles.load("i-deal-style"), serial=url.upper(), seed=seed, speed=200.0, **more)
        self.devices[url] = Emulator(build, now=self.now)
        return self.devices[url]

    def open(self, url: str, baud: int = 0) -> Transport:
        if "!" in url:
            raise BadAddress(f"{url}: no such thing")
        if url in self.off or url not in self.devices:
            raise CannotOpen(f"{url}: connection refused")
        return Line(self, url)

    def pause(self, seconds: float) -> None:
        self.now += int(seconds * 1e6) + 1

    def table(self, url: str = "one", **more) -> LiveTable:
        return LiveTable(
            url, Table(RULES), MemoryBooks(),
            BOTS, chance=Random(1), open_port=self.open, clock=lambda: self.now, pause=self.pause,
            say=lambda sentence: self.said.append((self.now // 1_000_000, sentence)), **{"timeouts": USUAL, **more},
        )  # fmt: skip

    def run(self, table: LiveTable, until: Callable[[], bool], seconds: float = 3000) -> None:
        end = self.now + int(seconds * 1e6)
        while not until():
            assert self.now < end, "it never came to that"
            table.step()


class Line:
    """A port of a device in the pit."""

    def __init__(self, pit: Pit, url: str) -> None:
        self._pit, self._url = pit, url

    def read(self, timeout_s: float) -> bytes:
        pit, device = self._pit, self._pit.devices[self._url]
        end = pit.now + int(timeout_s * 1e6)
        while self._url not in pit.dead:
            data = device.data_to_send(pit.now)
            due = device.next_deadline()
            if data or due is None or due > end:
                pit.now = pit.now if data else end
                return data
            pit.now = max(pit.now, due)
            device.tick(pit.now)
        pit.now = end
        return b""

    def write(self, data: bytes) -> None:
        if self._url not in self._pit.dead:
            self._pit.devices[self._url].receive(data, self._pit.now)

    def close(self) -> None:
        self._pit.devices[self._url].pull_cable()


def test_a_device_that_is_not_there_is_said_after_five_seconds_and_given_up_after_the_patience() -> None:
    pit = Pit()
    table = pit.table(timeouts=USUAL.within(60))
    with pytest.raises(GaveUp, match="gave up after 60 s: one: connection refused"):
        pit.run(table, lambda: False)
    assert pit.said[0] == (5, "waiting: one: connection refused (giving up in 54 s)")
    assert pit.now // 1_000_000 == 60


def test_an_address_that_is_none_is_not_waited_for() -> None:
    with pytest.raises(BadAddress):
        Pit().table("!").step()


@pytest.mark.parametrize("how", ["off", "dead"])
def test_a_device_that_falls_silent_in_a_round_is_replaced_by_the_backup_and_the_round_is_void(how: str) -> None:
    pit = Pit()
    pit.device("one")
    pit.device("two")

    def come(want: Want) -> None:
        if want is Want.BACKUP and table.connection.url == "one":
            table.swap("two", table.connection.waits_for)

    table = pit.table(people=Players(BOTS, RULES, chance=Random(1), come=come))
    entries: list = []
    table.desk.books.listeners.append(entries.extend)
    pit.run(table, lambda: table.done == 2)
    pit.run(table, lambda: table.core.round.is_open)
    getattr(pit, how).add("one")
    if how == "off":
        table.line.lose("the connection broke")
    stopped = pit.now
    pit.run(table, lambda: table.connection.url == "two")
    assert 15 <= (pit.now - stopped) / 1e6 <= 19
    pit.run(table, lambda: table.done == 5)
    void = [e.operation for e in entries if isinstance(e, Operated) and isinstance(e.operation, DeclareMisdeal)]
    assert len(void) == 1


def test_a_device_that_comes_back_is_said_and_the_table_goes_on() -> None:
    pit = Pit()
    pit.device("one")
    table = pit.table()
    pit.run(table, lambda: table.done == 1)
    pit.dead.add("one")
    pit.run(table, lambda: bool(pit.said))
    pit.dead.clear()
    pit.run(table, lambda: table.done == 3)
    assert [text for _, text in pit.said] == [
        "waiting: no device answers on one: is it switched on? (giving up in 295 s)",
        "the shuffler answers",
    ]


def test_a_round_whose_stub_never_comes_is_void_after_three_minutes_and_the_table_does_not_wait_for_ever() -> None:
    pit = Pit()
    device = pit.device("one")
    table = pit.table()
    entries: list = []
    table.desk.books.listeners.append(entries.extend)
    pit.run(table, lambda: table.done == 1)
    core = table.core
    pit.run(table, lambda: core.round.is_open and core.round.deck is not None and core.round.deck.dealt >= 3)
    device.machine.people = People(device.machine.people.asked)  # the dealer leaves
    with pytest.raises(GaveUp, match=r"see its display|has not made a deck ready"):
        pit.run(table, lambda: False)
    (void,) = [e.operation for e in entries if isinstance(e, Operated) and isinstance(e.operation, DeclareMisdeal)]
    assert "nothing has moved for 180 s" in void.reason
    assert any("waiting: " in text for _, text in pit.said)


def test_a_table_that_was_stopped_for_an_hour_does_not_blame_the_device() -> None:
    pit = Pit()
    pit.device("one")
    table = pit.table()
    pit.run(table, lambda: table.done == 1)
    pit.now += 3_600_000_000
    pit.run(table, lambda: table.done == 3)
    assert table.core.round.void <= 1

"""Devices have their turns in order of time, and bytes come in between."""

import asyncio
import weakref
from collections.abc import Callable

import pytest

from firmware_sim.ports import clockwork
from firmware_sim.ports.clockwork import SLICE_US, Clockwork


class Noting:
    """Notes its turns; `then` is done in each."""

    def __init__(self, name: str, turns: list[str], then: Callable[["Noting"], None] = lambda _: None) -> None:
        self.due: int | None = None
        self._name = name
        self._turns = turns
        self._then = then

    def turn(self) -> None:
        self._turns.append(self._name)
        self._then(self)


def run(arrange: Callable[[Clockwork], None], until: Callable[[], bool]) -> None:
    async def main() -> None:
        arrange(Clockwork())
        async with asyncio.timeout(30):
            while not until():
                await asyncio.sleep(0)

    asyncio.run(main())


def test_the_earliest_has_its_turn_first() -> None:
    turns: list[str] = []

    def arrange(clock: Clockwork) -> None:
        start = clockwork.now()
        for name, after in (("third", 3000), ("first", 1000), ("second", 2000)):
            clock.want(Noting(name, turns), start + after)

    run(arrange, lambda: len(turns) == 3)
    assert turns == ["first", "second", "third"]


def test_whoever_wants_an_earlier_time_has_one_turn_then() -> None:
    turns: list[str] = []

    def arrange(clock: Clockwork) -> None:
        start, one = clockwork.now(), Noting("one", turns)
        clock.want(one, start + 2000)
        clock.want(one, start + 1000)
        clock.want(Noting("last", turns), start + 3000)

    run(arrange, lambda: "last" in turns)
    assert turns == ["one", "last"]


def test_whoever_wants_none_any_more_has_none() -> None:
    turns: list[str] = []

    def arrange(clock: Clockwork) -> None:
        start, stopped = clockwork.now(), Noting("stopped", turns)
        clock.want(stopped, start + 1000)
        stopped.due = None
        clock.want(Noting("last", turns), start + 2000)

    run(arrange, lambda: bool(turns))
    assert turns == ["last"]


def test_a_turn_that_fails_costs_the_others_nothing() -> None:
    turns: list[str] = []

    def arrange(clock: Clockwork) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: turns.append("told"))
        start = clockwork.now()
        clock.want(Noting("failing", turns, lambda _: 1 / 0), start)
        clock.want(Noting("next", turns), start + 1)

    run(arrange, lambda: "next" in turns)
    assert turns == ["failing", "told", "next"]


def test_the_loop_looks_for_bytes_after_each_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines that are late for ever, and a clock on which each turn takes half a slice."""
    turns: list[str] = []
    at = [0]
    monkeypatch.setattr(clockwork, "now", lambda: at[0])

    def arrange(clock: Clockwork) -> None:
        def again(one: Noting) -> None:
            at[0] += SLICE_US // 2
            clock.want(one, 0)

        def bytes_come() -> None:
            turns.append("bytes")
            asyncio.get_running_loop().call_soon(bytes_come)

        clock.want(Noting("machine", turns, again), 0)
        bytes_come()

    run(arrange, lambda: turns.count("machine") >= 6)
    played = "".join(turn[0] for turn in turns)
    assert "mmm" not in played
    assert "mmb" in played


def test_who_is_forgotten_has_no_turn_and_is_not_held() -> None:
    turns: list[str] = []
    gone: list[weakref.ref[Noting]] = []

    def arrange(clock: Clockwork) -> None:
        start, one = clockwork.now(), Noting("forgotten", turns)
        clock.want(one, start + 1000)
        clock.want(one, start + 500)
        clock.forget(one)
        gone.append(weakref.ref(one))
        clock.want(Noting("last", turns), start + 2000)

    run(arrange, lambda: "last" in turns)
    assert turns == ["last"]
    assert gone[0]() is None

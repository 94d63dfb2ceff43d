"""Parts return what they want done; only the firmware does it."""

import ast
from pathlib import Path

import pytest
from device_support import of, powered, ready

import firmware_sim.program
from firmware_sim.machine.signals import Lane, Pass
from firmware_sim.program.effects import Effects, Fail, Mention, Start, tell
from protocol import messages as m
from protocol.vocabulary import FaultCode, FaultState

PROGRAM = Path(firmware_sim.program.__file__).parent
PARTS = ("infeed.py", "deal.py", "fault_desk.py", "recall.py", "groups.py", "deck.py")
FIRMWARES_OWN = {"emit", "start", "passing"}


def reached_for(source: str) -> set[str]:
    """The firmware's own means that a source reaches for."""
    return {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)} & FIRMWARES_OWN


@pytest.mark.parametrize("part", PARTS)
def test_a_part_tells_nothing_and_starts_nothing_by_itself(part: str) -> None:
    assert not reached_for((PROGRAM / part).read_text(encoding="utf-8"))


def test_a_part_that_did_so_would_be_found() -> None:
    assert reached_for("class Deal:\n    def close(self):\n        self._board.emit(None)\n") == {"emit"}


def test_effects_are_applied_in_their_order() -> None:
    device = powered()
    device.firmware.apply([tell(m.DeckLoaded, count=1), tell(m.DeckLoaded, count=2)])
    assert [event.count for event in of(device, m.DeckLoaded)] == [1, 2]


def test_a_fault_among_the_effects_holds_the_machine() -> None:
    device = powered()
    effects: Effects = [Fail(FaultCode.JAM_EXIT, 3)]
    device.firmware.apply(effects)
    assert device.firmware.desk.state is FaultState.FAULTED
    assert [(event.code, event.detail) for event in of(device, m.FaultRaised)] == [(FaultCode.JAM_EXIT, 3)]


def test_a_pass_among_the_effects_is_started() -> None:
    device = ready()
    device.firmware.apply([Start(Pass.DELIVER, 100_000, 3)])
    assert device.machine.motions[Lane.OUT] is not None


def test_what_is_mentioned_in_passing_is_not_kept() -> None:
    device = powered()
    before = device.events.last
    device.firmware.apply([Mention(m.ShuffleProgressed, {"done": 10, "total": 52})])
    assert device.events.last == before
    event = m.ShuffleProgressed(number=0, time_ms=device.now_us // 1000, done=10, total=52)
    assert device.firmware.drain() == (event,)
    assert device.firmware.drain() == ()

"""The proof of fates at its small size, and that it finds each lie planted in the command memory."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from firmware_sim.program.command_memory import CommandMemory, Conflict, Forgotten, Stale, Verdict
from proofs.fates import Outcome, Step, cut_down, run
from protocol import messages as m
from protocol.vocabulary import Fate

_find, _fate, _admit, _look_up = CommandMemory._find, CommandMemory.fate, CommandMemory.admit, CommandMemory.look_up
_remember = CommandMemory.remember


def test_no_fate_that_is_told_is_a_lie() -> None:
    outcome = run(16_000, 1)
    assert outcome.lie == ""
    assert {"answer", "conflict", "done", "forgotten", "never_executed", "refused"} <= set(outcome.told)


# ------------------------------------------------------------------------------------------------------- planted lies


def what_was_dropped_was_never_executed(memory: CommandMemory, name: str, request: int) -> Verdict:
    verdict = _find(memory, name, request)
    return Stale() if isinstance(verdict, Forgotten) else verdict


def every_lower_id_is_fenced_off_too(memory: CommandMemory, instance: bytes, request: int) -> m.Message:
    told = _fate(memory, instance, request)
    known = memory._known(instance.hex())
    if isinstance(told, m.FateTold) and told.fate is Fate.NEVER_EXECUTED and request > known.newest:
        memory._put(instance.hex(), replace(known, newest=request))
    return told


def nothing_is_fenced_off(memory: CommandMemory, instance: bytes, request: int) -> m.Message:
    known = memory._known(instance.hex())
    told = _fate(memory, instance, request)
    memory._put(instance.hex(), known)
    return told


def another_command_gets_the_first_ones_answer(
    memory: CommandMemory, instance: bytes, request: int, command: m.Message
) -> Verdict:
    verdict = _look_up(memory, instance, request, command)
    return _find(memory, instance.hex(), request) if isinstance(verdict, Conflict) else verdict


def a_session_displaces_like_an_effect(memory: CommandMemory, instance: bytes, next_request: int) -> None:
    _admit(memory, instance, next_request)
    if instance.hex() not in memory._hosts:
        memory._make_host(instance.hex())


def whoever_began_the_round_may_be_displaced(
    memory: CommandMemory, instance: bytes, request: int, command: m.Message, reply: m.Message
) -> None:
    _remember(memory, instance, request, command, reply)
    memory._store.put("command:round", None)


def an_unknown_instance_has_never_done_anything(memory: CommandMemory, instance: bytes, next_request: int) -> None:
    _admit(memory, instance, next_request)
    name = instance.hex()
    if name not in memory._hosts:
        memory._put(name, replace(memory._known(name), floor=0))


def a_refusal_counts_as_done(memory: CommandMemory, instance: bytes, request: int) -> m.Message:
    told = _fate(memory, instance, request)
    if isinstance(told, m.FateTold) and told.fate is Fate.REFUSED:
        return m.FateTold(command=request, fate=Fate.DONE, code=0)
    return told


@pytest.mark.parametrize(
    ("method", "lie"),
    [
        ("_find", what_was_dropped_was_never_executed),
        ("fate", every_lower_id_is_fenced_off_too),
        ("fate", nothing_is_fenced_off),
        ("fate", a_refusal_counts_as_done),
        ("look_up", another_command_gets_the_first_ones_answer),
        ("admit", a_session_displaces_like_an_effect),
        ("admit", an_unknown_instance_has_never_done_anything),
        ("remember", whoever_began_the_round_may_be_displaced),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_planted_lie_is_found_and_cut_down(
    method: str, lie: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CommandMemory, method, lie)
    outcome: Outcome = run(60_000, 2)
    assert outcome.lie
    assert len(outcome.shortest) <= 24


def test_cutting_down_leaves_only_what_the_lie_needs() -> None:
    steps = [Step("command", number, 0, 0) for number in range(50)]

    def lies(some: list[Step]) -> str:
        hosts = {step.host for step in some}
        return "a lie" if {7, 31} <= hosts else ""

    assert [step.host for step in cut_down(steps, lies)] == [7, 31]

"""The command memory: a repeat gets the first answer, an old id is refused, an unknown fate is settled."""

import pytest

from firmware_sim.commands import INSTANCES, MEMORY, CommandMemory, New, Repeat, Stale
from firmware_sim.nvstore import NvStore, VolatileMedium
from protocol import messages as m
from protocol.vocabulary import ErrorCode, Fate

ONE, OTHER = b"1" * 16, b"2" * 16
REFUSED = m.Error(code=ErrorCode.NOT_NOW, text="later")


@pytest.fixture
def memory() -> CommandMemory:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 1)
    return memory


def test_a_new_command_is_new_once(memory: CommandMemory) -> None:
    assert memory.look_up(ONE, 1) == New()
    memory.remember(ONE, 1, m.Done())
    assert memory.look_up(ONE, 1) == Repeat(m.Done())


def test_a_refusal_is_remembered_too(memory: CommandMemory) -> None:
    memory.remember(ONE, 1, REFUSED)
    assert memory.look_up(ONE, 1) == Repeat(REFUSED)


def test_instances_do_not_share_numbers(memory: CommandMemory) -> None:
    memory.admit(OTHER, 1)
    memory.remember(ONE, 1, m.Done())
    assert memory.look_up(OTHER, 1) == New()


def test_an_id_that_was_passed_over_never_runs(memory: CommandMemory) -> None:
    memory.remember(ONE, 5, m.Done())
    assert memory.look_up(ONE, 3) == Stale()


def test_the_oldest_are_forgotten_and_refused(memory: CommandMemory) -> None:
    for request in range(1, MEMORY + 3):
        memory.remember(ONE, request, m.Done())
    assert memory.look_up(ONE, 2) == Stale()
    assert memory.look_up(ONE, 3) == Repeat(m.Done())


def test_all_of_it_survives_a_restart() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    memory = CommandMemory(store)
    memory.admit(ONE, 1)
    memory.remember(ONE, 1, m.Done())
    store.commit()
    again = CommandMemory(NvStore(medium))
    assert again.knows(ONE)
    assert again.look_up(ONE, 1) == Repeat(m.Done())


def test_ids_that_an_unknown_instance_used_before_never_run() -> None:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 10)
    assert memory.look_up(ONE, 9) == Stale()
    assert memory.look_up(ONE, 10) == New()


def test_only_so_many_instances_are_kept_and_the_oldest_goes() -> None:
    store = NvStore()
    memory = CommandMemory(store)
    for number in range(INSTANCES + 1):
        instance = bytes([number]) * 16
        memory.admit(instance, 1)
        memory.remember(instance, 1, m.Done())
        if number == 3:
            memory.admit(bytes(16), 1)  # used again: not the oldest any more
    assert memory.knows(bytes(16))
    assert not memory.knows(b"\x01" * 16)
    forgotten = (b"\x01" * 16).hex()
    assert store.keys(f"command:{forgotten}:") == []


@pytest.mark.parametrize(
    ("reply", "fate", "code"),
    [(m.Done(), Fate.DONE, 0), (REFUSED, Fate.REFUSED, ErrorCode.NOT_NOW)],
)
def test_the_fate_of_a_remembered_command_is_told(
    memory: CommandMemory, reply: m.Message, fate: Fate, code: int
) -> None:
    memory.remember(ONE, 1, reply)
    assert memory.fate(ONE, 1) == m.FateTold(command=1, fate=fate, code=code)


def test_asking_after_a_command_that_has_not_come_fences_it_off(memory: CommandMemory) -> None:
    assert memory.fate(ONE, 4).fate is Fate.NEVER_EXECUTED
    assert memory.look_up(ONE, 4) == Stale()
    assert memory.look_up(ONE, 5) == New()


def test_a_fence_far_ahead_leaves_no_answers_behind() -> None:
    store = NvStore()
    memory = CommandMemory(store)
    memory.admit(ONE, 1)
    for request in range(1, 11):
        memory.remember(ONE, request, m.Done())
    memory.fate(ONE, 4_000_000_000)
    assert store.keys(f"command:{ONE.hex()}:") == [f"command:{ONE.hex()}:newest"]

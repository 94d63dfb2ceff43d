"""The command memory: a repeat gets the first answer, an old id is refused, and no fate is told that is not true."""

import pytest

from firmware_sim.program.command_memory import (
    CommandMemory,
    Conflict,
    Forgotten,
    New,
    Repeat,
    Stale,
    Verdict,
)
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from protocol import messages as m
from protocol.limits import COMMAND_MEMORY, FENCES, GUESTS, INSTANCES
from protocol.vocabulary import ErrorCode, Fate

ONE, OTHER = b"1" * 16, b"2" * 16
REFUSED = m.Error(code=ErrorCode.NOT_NOW, text="later")
LOAD = m.Load()
BEGIN = m.BeginRound(round=1, seats=1)


def instance(number: int) -> bytes:
    return number.to_bytes(16, "little")


def told(memory: CommandMemory, of: bytes, request: int) -> Fate:
    answer = memory.fate(of, request)
    assert isinstance(answer, m.FateTold)
    return answer.fate


def look_up(memory: CommandMemory, of: bytes, request: int) -> Verdict:
    return memory.look_up(of, request, LOAD)


@pytest.fixture
def memory() -> CommandMemory:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 1)
    return memory


def test_a_new_command_is_new_once(memory: CommandMemory) -> None:
    assert look_up(memory, ONE, 1) == New()
    memory.remember(ONE, 1, LOAD, m.Done())
    assert look_up(memory, ONE, 1) == Repeat(m.Done())


def test_a_refusal_is_remembered_too(memory: CommandMemory) -> None:
    memory.remember(ONE, 1, LOAD, REFUSED)
    assert look_up(memory, ONE, 1) == Repeat(REFUSED)


def test_another_command_under_a_used_id_is_a_conflict_and_not_the_first_ones_answer(memory: CommandMemory) -> None:
    memory.remember(ONE, 1, BEGIN, m.Done())
    assert memory.look_up(ONE, 1, m.BeginRound(round=2, seats=1)) == Conflict()
    assert memory.look_up(ONE, 1, LOAD) == Conflict()
    assert memory.look_up(ONE, 1, BEGIN) == Repeat(m.Done())


def test_instances_do_not_share_numbers(memory: CommandMemory) -> None:
    memory.admit(OTHER, 1)
    memory.remember(ONE, 1, LOAD, m.Done())
    assert look_up(memory, OTHER, 1) == New()


def test_an_id_that_was_passed_over_never_runs(memory: CommandMemory) -> None:
    memory.remember(ONE, 5, LOAD, m.Done())
    assert look_up(memory, ONE, 3) == Stale()
    assert told(memory, ONE, 3) is Fate.NEVER_EXECUTED


def test_what_fell_out_of_the_memory_is_forgotten_and_not_called_never_executed(memory: CommandMemory) -> None:
    for request in range(1, COMMAND_MEMORY + 3):
        memory.remember(ONE, request, LOAD, m.Done())
    assert look_up(memory, ONE, 2) == Forgotten()
    assert told(memory, ONE, 2) is Fate.FORGOTTEN
    assert look_up(memory, ONE, 3) == Repeat(m.Done())


def test_questions_between_commands_cost_no_memory(memory: CommandMemory) -> None:
    for request in range(1, 100 * COMMAND_MEMORY, 100):  # ninety-nine of a hundred ids were questions
        memory.remember(ONE, request, LOAD, m.Done())
    assert look_up(memory, ONE, 1) == Repeat(m.Done())
    assert look_up(memory, ONE, 50) == Stale()


def test_all_of_it_survives_a_restart() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    memory = CommandMemory(store)
    memory.admit(ONE, 1)
    for request in range(1, COMMAND_MEMORY + 2):
        memory.remember(ONE, request, LOAD, m.Done())
    memory.fate(ONE, 200)
    store.commit()
    again = CommandMemory(NvStore(medium))
    assert again.knows(ONE)
    assert look_up(again, ONE, 1) == Forgotten()
    assert look_up(again, ONE, 2) == Repeat(m.Done())
    assert look_up(again, ONE, 200) == Stale()
    again.remember(ONE, COMMAND_MEMORY + 2, LOAD, m.Done())
    assert look_up(again, ONE, 2) == Forgotten()


def test_of_ids_that_an_unknown_instance_used_before_nothing_is_claimed() -> None:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 10)
    assert look_up(memory, ONE, 9) == Forgotten()
    assert told(memory, ONE, 9) is Fate.FORGOTTEN
    assert look_up(memory, ONE, 10) == New()


def test_sessions_that_only_ask_displace_nobody() -> None:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 1)
    memory.remember(ONE, 1, BEGIN, m.Done())
    for number in range(100, 100 + 10 * GUESTS):
        memory.admit(instance(number), 1)
    memory.admit(ONE, 2)
    assert told(memory, ONE, 1) is Fate.DONE


def test_only_so_many_instances_are_kept_and_the_one_longest_without_an_effect_goes() -> None:
    memory = CommandMemory(NvStore())
    for number in range(INSTANCES + 1):
        memory.admit(instance(number), 1)
        memory.remember(instance(number), 1, LOAD, m.Done())
        if number == 3:
            memory.remember(instance(0), 2, LOAD, m.Done())  # not the oldest any more
            memory.admit(instance(1), 2)  # a session alone changes nothing
    assert memory.knows(instance(0))
    assert not memory.knows(instance(1))
    assert told(memory, instance(1), 1) is Fate.FORGOTTEN


def test_a_displaced_instance_still_has_its_unused_ids() -> None:
    memory = CommandMemory(NvStore())
    for number in range(INSTANCES + 1):
        memory.admit(instance(number), 1)
        memory.remember(instance(number), 1, LOAD, m.Done())
    memory.admit(instance(0), 3)
    assert look_up(memory, instance(0), 1) == Forgotten()
    assert look_up(memory, instance(0), 2) == New()  # sent, lost, and certainly not executed


def test_the_instance_that_began_the_last_round_is_never_displaced() -> None:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 1)
    memory.remember(ONE, 1, BEGIN, m.Done())
    for number in range(100, 100 + 3 * INSTANCES):
        memory.admit(instance(number), 1)
        memory.remember(instance(number), 1, LOAD, m.Done())
    memory.admit(ONE, 2)
    assert told(memory, ONE, 1) is Fate.DONE


def test_nothing_of_an_instance_that_is_gone_stays_in_the_store() -> None:
    store = NvStore()
    memory = CommandMemory(store)
    memory.admit(ONE, 1)
    memory.remember(ONE, 1, LOAD, m.Done())
    for number in range(100, 100 + INSTANCES + GUESTS):
        memory.admit(instance(number), 1)
        memory.remember(instance(number), 1, LOAD, m.Done())
    assert store.keys(f"command:{ONE.hex()}") == []


@pytest.mark.parametrize(
    ("reply", "fate", "code"),
    [(m.Done(), Fate.DONE, 0), (REFUSED, Fate.REFUSED, ErrorCode.NOT_NOW)],
)
def test_the_fate_of_a_remembered_command_is_told(
    memory: CommandMemory, reply: m.Message, fate: Fate, code: int
) -> None:
    memory.remember(ONE, 1, LOAD, reply)
    assert memory.fate(ONE, 1) == m.FateTold(command=1, fate=fate, code=code)


def test_asking_after_a_command_that_has_not_come_fences_off_that_one_and_no_other(memory: CommandMemory) -> None:
    assert told(memory, ONE, 4) is Fate.NEVER_EXECUTED
    assert look_up(memory, ONE, 3) == New()
    assert look_up(memory, ONE, 4) == Stale()
    assert look_up(memory, ONE, 5) == New()
    memory.remember(ONE, 3, LOAD, m.Done())
    assert look_up(memory, ONE, 4) == Stale()


def test_a_question_far_ahead_costs_no_answers(memory: CommandMemory) -> None:
    for request in range(1, 11):
        memory.remember(ONE, request, LOAD, m.Done())
    memory.fate(ONE, 4_000_000_000)
    assert look_up(memory, ONE, 1) == Repeat(m.Done())
    assert look_up(memory, ONE, 11) == New()


def test_fences_are_bounded_and_a_command_above_them_makes_room(memory: CommandMemory) -> None:
    for request in range(100, 100 + FENCES):
        assert told(memory, ONE, request) is Fate.NEVER_EXECUTED
    refused = memory.fate(ONE, 500)
    assert isinstance(refused, m.Error)
    assert look_up(memory, ONE, 500) == New()
    memory.remember(ONE, 400, LOAD, m.Done())
    assert told(memory, ONE, 500) is Fate.NEVER_EXECUTED
    assert told(memory, ONE, 100) is Fate.NEVER_EXECUTED


def test_after_the_end_of_the_memory_was_lost_only_answers_that_are_kept_are_told() -> None:
    store = NvStore()
    memory = CommandMemory(store)
    memory.admit(ONE, 1)
    memory.remember(ONE, 1, m.Load(), m.Done())
    again = CommandMemory(store)
    again.doubt()
    again.admit(ONE, 4)  # it had used 2 and 3 before the end was lost
    assert again.fate(ONE, 1) == m.FateTold(command=1, fate=Fate.DONE, code=0)
    for lost in (2, 3):
        assert isinstance(again.look_up(ONE, lost, m.Load()), Forgotten)
        assert again.fate(ONE, lost) == m.FateTold(command=lost, fate=Fate.FORGOTTEN, code=0)
    assert isinstance(again.look_up(ONE, 4, m.Load()), New)
    again.admit(ONE, 9)  # only once: later sessions are as ever
    assert isinstance(again.look_up(ONE, 5, m.Load()), New)


def test_an_instance_that_was_doubted_and_displaced_since_starts_anew() -> None:
    memory = CommandMemory(NvStore())
    memory.admit(ONE, 1)
    memory.doubt()
    for number in range(100, 100 + GUESTS):
        memory.admit(instance(number), 1)
    memory.admit(ONE, 5)
    assert look_up(memory, ONE, 4) == Forgotten()
    assert look_up(memory, ONE, 5) == New()

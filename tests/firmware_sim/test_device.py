"""The device's joint: commands at most once, events until acknowledged, roles before commands, over the real link."""

from random import Random

import pytest
from bench_support import counting_device, host_session

from firmware_sim.nvstore import NvStore, VolatileMedium
from protocol import messages as m
from protocol.codec import number_of
from protocol.framing import pack_header, wrap
from protocol.roles import role_key
from protocol.vocabulary import ErrorCode, Fate, Role
from shuffler.commands import answer
from shuffler.session import Answered, Connected, EventArrived, EventsMissing
from shuffler.store import MemoryStore
from shuffler.virtual import VirtualBench


def bench(**more) -> VirtualBench:
    return VirtualBench(host_session(), counting_device(**more))


def call(bench: VirtualBench, command: m.Message) -> m.Message:
    request = bench.host.submit(command)
    answers: list[m.Message] = []

    def done(happenings: list) -> bool:
        answers.extend(h.reply for h in happenings if isinstance(h, Answered) and h.request == request)
        return bool(answers)

    bench.run(done)
    return answers[0]


def events(happenings: list) -> list[int]:
    return [h.event.number for h in happenings if isinstance(h, EventArrived)]


def test_a_command_is_answered() -> None:
    line = bench()
    line.plug()
    assert call(line, m.SelectGame(game=2)) == m.Done()
    assert call(line, m.SelectGame(game=3)).code is ErrorCode.NOT_FOUND


def test_a_repeat_under_the_same_id_gets_the_first_answer_and_runs_nothing() -> None:
    line = bench()
    line.plug()
    request = line.host.submit(m.SelectGame(game=2))
    line.step()
    line.host.link.send(m.SelectGame(game=2), request)
    line.run(lambda _: line.host.link.session.stream.idle)
    assert line.device.store.get("executed") == 1


def test_an_effect_command_without_an_id_is_refused() -> None:
    line = bench()
    line.plug()
    line.host.link.send(m.SelectGame(game=2), 0)
    line.run(lambda _: line.host.link.session.stream.idle)
    assert line.device.store.get("executed", 0) == 0


def test_events_come_once_each_and_are_forgotten_when_acknowledged() -> None:
    line = bench()
    line.plug()
    seen: list[int] = []
    for _ in range(40):
        line.host.submit(m.SelectGame(game=2))
        line.run(lambda happenings: not line.host.open_commands or seen.extend(events(happenings)))
    line.run(lambda happenings: seen.extend(events(happenings)) or line.device.events.acknowledged == 40)
    assert line.device.events.after(0) == []


def test_events_are_replayed_in_order_after_the_cable_was_out() -> None:
    line = bench()
    line.plug()
    line.pull()
    for number in range(100):
        line.device.firmware.emit(0, number)
    line.device.store.commit()
    seen = events(line.plug())
    line.run(lambda happenings: seen.extend(events(happenings)) or len(seen) >= 100)
    assert seen == list(range(1, 101))


def test_a_host_without_its_books_is_told_that_events_are_missing() -> None:
    line = bench()
    line.plug()
    call(line, m.SelectGame(game=2))
    line.run(lambda _: line.device.events.acknowledged == 1)
    line.replace_host(host_session(seed=9, store=MemoryStore(b"n" * 16)))
    happenings: list = []
    line.host.submit(m.SelectGame(game=2))
    line.run(lambda new: happenings.extend(new) or not line.host.open_commands)
    assert EventsMissing(1, 2) in happenings


def test_an_acknowledgement_of_events_that_do_not_exist_changes_nothing() -> None:
    line = bench()
    line.plug()
    line.host.link.send(m.AckEvents(upto=50), 0)
    line.step()
    assert line.device.events.acknowledged == 0


def test_all_is_remembered_across_a_power_cut() -> None:
    medium = VolatileMedium()
    host = host_session()
    line = VirtualBench(host, counting_device(store=NvStore(medium)))
    line.plug()
    call(line, m.SelectGame(game=2))
    line.replace_device(counting_device(seed=3, store=NvStore(medium), now=line.now))
    request = host.submit(m.SelectGame(game=4))
    happenings: list = []
    line.run(lambda new: happenings.extend(new) or not host.open_commands)
    assert Answered(request, m.SelectGame(game=4), m.Done()) in happenings
    (welcome,) = [h.welcome for h in happenings if isinstance(h, Connected)]
    assert (welcome.boots, welcome.known_instance) == (2, True)
    assert line.device.store.get("executed") == 2


def test_a_restarted_host_asks_after_its_open_command_and_it_does_not_run_again() -> None:
    store = MemoryStore(b"h" * 16)
    line = VirtualBench(host_session(store=store), counting_device())
    line.plug()
    line.host.submit(m.SelectGame(game=2))
    line.device.receive(line.host.data_to_send(0), 0)  # it arrives, the answer does not
    line.replace_host(host_session(seed=5, store=store))
    happenings: list = []
    line.run(lambda new: happenings.extend(new) or not line.host.open_commands)
    (answered,) = [h for h in happenings if isinstance(h, Answered)]
    assert answered.reply == m.FateTold(command=1, fate=Fate.DONE, code=0)
    assert line.device.store.get("executed") == 1


def test_a_command_that_never_arrived_is_known_as_never_executed() -> None:
    store = MemoryStore(b"h" * 16)
    line = VirtualBench(host_session(store=store), counting_device())
    line.plug()
    line.host.submit(m.SelectGame(game=2))
    line.host.data_to_send(0)  # lost
    line.replace_host(host_session(seed=5, store=store))
    happenings: list = []
    line.run(lambda new: happenings.extend(new) or not line.host.open_commands)
    (answered,) = [h for h in happenings if isinstance(h, Answered)]
    assert answered.reply.fate is Fate.NEVER_EXECUTED
    assert line.device.store.get("executed", 0) == 0


def test_a_command_that_needs_a_role_is_refused_without_it_and_taken_with_it() -> None:
    line = bench(role_keys={Role.SUPERVISOR: role_key("words")})
    line.plug()
    assert call(line, m.ClearFault(code=m.FaultCode.NONE)).code is ErrorCode.NOT_AUTHORISED
    challenge = call(line, m.AskChallenge(role=Role.SUPERVISOR))
    session = line.host.link.session.number
    proved = answer(challenge, "words", serial="TEST-1", session=session, role=Role.SUPERVISOR)
    assert call(line, proved) == m.Done()
    assert call(line, m.ClearFault(code=m.FaultCode.NONE)).code is ErrorCode.UNSUPPORTED  # let through to the firmware
    assert call(line, m.DropRole()) == m.Done()
    assert call(line, m.ClearFault(code=m.FaultCode.NONE)).code is ErrorCode.NOT_AUTHORISED


def test_a_role_ends_when_the_cable_is_pulled() -> None:
    line = bench(role_keys={Role.SUPERVISOR: role_key("words")})
    line.plug()
    line.device.authority.role = Role.SUPERVISOR
    line.pull()
    line.plug()
    assert call(line, m.ClearFault(code=m.FaultCode.NONE)).code is ErrorCode.NOT_AUTHORISED


@pytest.mark.parametrize("number", [0x7F, 0x55])
def test_an_unknown_message_gets_an_error_not_silence(number: int) -> None:
    line = bench()
    line.plug()
    session = line.host.link.session
    line.device.receive(wrap(pack_header(0, number, session.number, 1, 0, 77), b""), line.now)
    replies = line.host.link.receive(line.device.data_to_send(line.now), line.now)
    assert [(r.request, r.message.code) for r in replies] == [(77, ErrorCode.UNKNOWN_MESSAGE)]


def test_a_malformed_body_gets_an_error() -> None:
    line = bench()
    line.plug()
    session = line.host.link.session
    header = pack_header(0, number_of(m.SelectGame(game=1)), session.number, 1, 0, 77)
    line.device.receive(wrap(header, b"too long"), line.now)
    replies = line.host.link.receive(line.device.data_to_send(line.now), line.now)
    assert [(r.request, r.message.code) for r in replies] == [(77, ErrorCode.MALFORMED)]


def test_an_event_from_the_host_is_no_command() -> None:
    line = bench()
    line.plug()
    line.host.link.send(m.DoorMoved(number=1, time_ms=1, open=True), 5)
    line.run(lambda _: line.host.link.session.stream.idle)
    assert line.device.events.last == 0


def test_a_host_that_never_acknowledges_replies_loses_its_session_not_the_device() -> None:
    line = bench()
    line.plug()
    session = line.host.link.session.number
    for sequence in range(1, 2000):
        header = pack_header(0, number_of(m.GetCounters()), session, sequence, 0, sequence)
        line.device.receive(wrap(header, b""), 0)
        line.device.data_to_send(0)
    assert not line.device.link.is_up


def test_noise_of_all_kinds_never_stops_the_device() -> None:
    chance = Random(3)
    line = bench()
    line.plug()
    for _ in range(300):
        line.device.receive(chance.randbytes(chance.randrange(1, 400)), line.now)
    assert call(line, m.SelectGame(game=2)) == m.Done()

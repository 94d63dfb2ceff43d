"""The device's joint: commands at most once, events until acknowledged, roles before commands, over the real link."""

from random import Random

import pytest
from bench_support import counting_device, host_session

from firmware_sim.machine.profile import load
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from firmware_sim.unit.clock import MachineClock
from proofs.table import Table, build, objections
from protocol import messages as m
from protocol.codec import decode_body, encode_body, number_of
from protocol.commitment import Commitment, Context
from protocol.framing import Framer, pack_header, wrap
from protocol.host_link import HostLink
from protocol.limits import FREE_FAILURES, LOCK_OUT_S, MIN_BODY
from protocol.link import LinkDown
from protocol.roles import role_key
from protocol.vocabulary import Cleared, ErrorCode, Fate, FaultCode, FaultState, InfeedState, ResetReason, Role
from shuffler.host.commands import answer
from shuffler.host.session import Answered, Connected, EventArrived, EventsMissing
from shuffler.host.store import MemoryStore
from shuffler.virtual.bench import VirtualBench


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
    assert line.device.store.get("decks") == 1


def test_an_effect_command_without_an_id_is_refused() -> None:
    line = bench()
    line.plug()
    line.host.link.send(m.SelectGame(game=2), 0)
    line.run(lambda _: line.host.link.session.stream.idle)
    assert line.device.store.get("decks", 0) == 0


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
    assert line.device.store.get("decks") == 2


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
    assert line.device.store.get("decks") == 1


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
    assert line.device.store.get("decks", 0) == 0


def test_a_command_is_known_as_done_after_any_number_of_hosts_that_only_asked() -> None:
    store = MemoryStore(b"h" * 16)
    line = VirtualBench(host_session(store=store), counting_device())
    line.plug()
    line.host.submit(m.SelectGame(game=2))
    line.device.receive(line.host.data_to_send(0), 0)  # it arrives, the answer does not
    for other in range(40):
        line.replace_host(host_session(seed=other, store=MemoryStore(bytes([other]) * 16)))
        assert isinstance(
            call(line, m.GetInfo()), m.Error
        )  # an answer all the same
    line.replace_host(host_session(seed=5, store=store))
    happenings: list = []
    line.run(lambda new: happenings.extend(new) or not line.host.open_commands)
    (answered,) = [h for h in happenings if isinstance(h, Answered)]
    assert answered.reply == m.FateTold(command=1, fate=Fate.DONE, code=0)


def test_another_command_under_a_used_id_is_refused_as_a_conflict() -> None:
    line = bench()
    line.plug()
    assert call(line, m.SelectGame(game=2)) == m.Done()
    line.host._next = 1
    assert call(line, m.SelectGame(game=4)).code is ErrorCode.CONFLICT
    assert line.device.store.get("decks") == 1


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


def test_a_lock_out_takes_real_time_however_fast_the_machine_runs() -> None:
    line = bench(role_keys={Role.SUPERVISOR: role_key("words")}, clock=MachineClock(0, 1000.0))
    line.plug()
    for _ in range(FREE_FAILURES + 1):
        call(line, m.AskChallenge(role=Role.SUPERVISOR))
        assert call(line, m.ProveRole(role=Role.SUPERVISOR, proof=bytes(32))).code is ErrorCode.BAD_PROOF
    locked = line.now
    assert call(line, m.AskChallenge(role=Role.SUPERVISOR)).code is ErrorCode.LOCKED_OUT
    line.run(lambda _: line.now - locked > (LOCK_OUT_S - 2) * 1_000_000)
    assert call(line, m.AskChallenge(role=Role.SUPERVISOR)).code is ErrorCode.LOCKED_OUT
    line.run(lambda _: line.now - locked > (LOCK_OUT_S + 1) * 1_000_000)
    assert isinstance(call(line, m.AskChallenge(role=Role.SUPERVISOR)), m.Challenge)


def test_a_command_outside_the_order_is_refused_and_not_lost_without_a_word() -> None:
    line = bench()
    line.plug()
    session = line.host.link.session
    header = pack_header(0, number_of(m.SelectGame(game=2)), session.number, 0, 0, 9)
    line.device.receive(wrap(header, b"\x02"), line.now)
    found = [line.device.data_to_send(line.now)]
    (error,) = [decode_body(frame.message, frame.body) for frame in Framer().feed(b"".join(found))]
    assert isinstance(error, m.Error)
    assert error.code is ErrorCode.MALFORMED
    assert "sequence 0" in error.text
    assert line.device.store.get("decks", 0) == 0


@pytest.mark.parametrize(
    ("number", "body", "text"),
    [
        (0x30, b"\x01", "BeginRound: a body of 1 bytes does not fit: it ends before its fields do"),
        (0x30, bytes(9), "BeginRound: a body of 9 bytes does not fit: 3 bytes too many"),
        (0x44, b"\x02", "ServiceMode: a body of 1 bytes does not fit: 2 is no truth value (0 or 1)"),
        (0x40, b"\x09", "AskChallenge: a body of 1 bytes does not fit: 9 is no Role"),
        (0x7F, b"", "no message has the number 0x7f"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words_of_the_reference(number: int, body: bytes, text: str) -> None:
    line = bench()
    line.plug()
    line.host.link.send_encoded(number, body, 9)
    line.host._open[9] = m.GetStatus()
    found: list = []
    line.run(lambda happenings: found.extend(h for h in happenings if isinstance(h, Answered)) or bool(found))
    assert found[0].reply.text == text


# --------------------------------------------------------------------------------------------------------- small hosts


def small() -> VirtualBench:
    host = host_session()
    host.link = HostLink(instance=b"s" * 16, chance=Random(4).randbytes, window=1, max_body=MIN_BODY)
    return VirtualBench(host, counting_device())


def test_a_small_host_gets_its_window_and_its_longest_body() -> None:
    line = small()
    line.plug()
    welcome = line.host.link.welcome
    assert (welcome.window, welcome.max_body) == (1, MIN_BODY)
    assert [call(line, m.SelectGame(game=2)) for _ in range(5)] == [m.Done()] * 5


def test_a_host_that_is_too_small_is_told_so() -> None:
    host = HostLink(instance=b"s" * 16, chance=Random(4).randbytes, window=1, max_body=MIN_BODY - 1)
    device = counting_device()
    host.connect(0, 1)
    device.receive(host.data_to_send(0), 0)
    (refused,) = host.receive(device.data_to_send(0), 0)
    text = f"a host must take bodies of {MIN_BODY} bytes at least, this one takes {MIN_BODY - 1}"
    assert refused == LinkDown(ResetReason.CAPABILITY, text, refused=True)


def test_a_reply_that_is_too_long_for_a_small_host_is_an_error_and_a_log_comes_in_shorter_pages() -> None:
    line = small()
    line.plug()
    lines = tuple(m.LogLine(number=n, time_ms=0, hash=bytes(32), text="x" * 100) for n in range(1, 14))
    replies = {m.GetInfo: m.RandomBytes(data=bytes(1024)), m.ReadLog: m.LogPage(length=13, lines=lines)}
    line.device.firmware.execute = lambda command, *_: replies[type(command)]  # type: ignore[method-assign]
    error = call(line, m.GetInfo())
    assert (error.code, error.text) == (
        ErrorCode.TOO_LONG, "the reply takes 1026 bytes, this session 768: say hello with a larger max_body",
    )  # fmt: skip
    page = call(line, m.ReadLog(after=0, limit=13))
    assert page.lines == lines[: len(page.lines)]
    assert len(page.lines) == 5


def test_an_event_that_is_too_long_for_a_small_host_ends_the_session_and_stays() -> None:
    line = small()
    line.plug()
    opening = m.Opening(first=0, cards=(1,), salts=bytes(800), proof=b"")
    line.device.events.append(m.HandDisclosed, 0, round=1, group=1, seat=0, shuffle=1, opening=opening)
    line.device.store.commit()
    line.device.tick(line.now)
    (ended,) = line.host.receive(line.device.data_to_send(line.now), line.now)
    assert ended.reason is ResetReason.TOO_LONG
    assert ended.text == "event 1 takes 833 bytes, this session 768: it stays here"
    assert line.device.events.last == 1
    assert line.device.events.acknowledged == 0


@pytest.mark.parametrize("profile", ["i-deal-style", "i-deal-plus-style", "ace-style", "dealing-shoe"])
def test_every_group_of_every_game_fits_a_small_host(profile: str) -> None:
    context = Context(serial="S" * 32, epoch=1, shuffle=1, game=1, count=53, nonce=bytes(16))
    deck = Commitment(context, range(53), bytes(32 * 53))
    for game in load(profile).games:
        for size in (game.cards_per_group, game.dealer_cards):
            for first in range(53 - size):
                opening = deck.opening(first, size)
                event = m.GroupRemoved(
                    number=1, time_ms=1, round=1, group=1, seat=1, count=size, shuffle=1, withheld=False,
                    opening=opening,
                )  # fmt: skip
                assert len(encode_body(event)) <= MIN_BODY


class FullDisk(VolatileMedium):
    """Takes nothing while it is full."""

    full = False

    def append(self, data: bytes) -> None:
        self._refuse()
        super().append(data)

    def replace(self, data: bytes) -> None:
        self._refuse()
        super().replace(data)

    def _refuse(self) -> None:
        if self.full:
            raise OSError(28, "No space left on device")


def test_a_full_memory_is_a_fault_on_the_wire_and_a_red_panel_and_goes_on_when_there_is_room() -> None:
    disk = FullDisk()
    table = Table(build("i-deal-style"), medium=disk)
    assert table.play(lambda: bool(table.of(m.GroupReady)))
    before = len(table.events)
    disk.full = True
    for _ in range(200):
        table.step()
    status = table.do(m.GetStatus())
    assert isinstance(status, m.Status)
    assert (status.fault, status.fault_code) == (FaultState.FAULTED, FaultCode.MEMORY_FULL)
    panel = table.emulator.control.panel()
    assert panel.red
    assert panel.top == "MEMORY FULL"
    reply = table.do(m.SelfTest())
    assert isinstance(reply, m.Error)
    assert (reply.code, reply.text.split(":")[0]) == (ErrorCode.FAULTED, "MEMORY_FULL")
    assert len(table.events) == before  # nothing leaves that would not last
    disk.full = False
    table.play_rounds(2)
    codes = [event.code for event in table.of(m.FaultRaised)]  # type: ignore[attr-defined]
    assert codes == [FaultCode.MEMORY_FULL]
    assert [event.how for event in table.of(m.FaultCleared)] == [Cleared.BY_ITSELF]  # type: ignore[attr-defined]
    assert objections(table) == []


def test_a_device_that_starts_with_a_full_memory_says_so_and_goes_on_when_there_is_room() -> None:
    disk = FullDisk()
    disk.full = True
    table = Table(build("i-deal-style"), medium=disk)
    for _ in range(50):
        table.step()
    status = table.do(m.GetStatus())
    assert isinstance(status, m.Status)
    assert status.fault_code is FaultCode.MEMORY_FULL
    disk.full = False
    table.play_rounds(1)
    assert objections(table) == []


def test_an_answer_that_does_not_last_is_held_back_and_a_repeat_of_it_too() -> None:
    disk = FullDisk()
    table = Table(build("i-deal-style"), medium=disk)
    table.play(lambda: bool(table.of(m.PoweredUp)))
    while table.emulator.device.events.kept:
        table.step()
    disk.full = True
    request = table.host.submit(m.Load())
    for _ in range(100):
        table.step()
    assert request not in table._answers
    table.pull()  # the host comes back and asks for its answer
    for _ in range(100):
        table.step()
    assert request not in table._answers
    disk.full = False
    for _ in range(100):
        table.step()
    assert table._answers[request] == m.Done()
    assert table.do(m.GetStatus()).infeed is not InfeedState.EMPTY  # type: ignore[attr-defined]

"""Checks of commands at most once, fates, and events: C and E. The commands used write a line of the log, no more."""

from protocol import messages as m
from protocol.limits import FENCES
from protocol.vocabulary import ErrorCode, Fate
from shuffler.kit.conformance.device.bench import SuiteBench, error_of
from shuffler.kit.conformance.device.talk import Talk
from shuffler.kit.conformance.verdict import Failed, NotSeen, expect

MOST_MEMORY = 300  # answers that the suite is ready to push out


def _note(bench: SuiteBench, record: int = 1) -> m.NoteHead:
    """A command with an effect that shows: a line of the log with a journal of its own."""
    return m.NoteHead(journal=bench.chance(16), record=record, hash=bench.chance(32))


def _executed(talk: Talk, note: m.NoteHead, after: int) -> int:
    """How often a note was carried out: its lines in the log behind line `after`."""
    lines, last = 0, after
    for _ in range(200):
        page = talk.ask(m.ReadLog(after=last, limit=50))
        if not isinstance(page, m.LogPage):
            raise NotSeen(f"the log can't be read: {page}")
        if not page.lines:
            break
        lines += sum(note.journal.hex() in line.text for line in page.lines)
        last = page.lines[-1].number
    return lines


def _log_length(talk: Talk) -> int:
    counters = talk.ask(m.GetCounters())
    if not isinstance(counters, m.Counters):
        raise NotSeen(f"GetCounters got {type(counters).__name__}")
    return counters.log_length


def _do(talk: Talk, command: m.Message, request: int) -> m.Message:
    answer = talk.ask(command, request)
    if isinstance(answer, m.Error) and answer.code in (ErrorCode.FAULTED, ErrorCode.NOT_NOW, ErrorCode.EVENTS_FULL):
        raise NotSeen(f"{type(command).__name__} is refused: {answer.code.name} {answer.text}")
    return answer


def effects_need_an_id(bench: SuiteBench) -> str:
    """C-1"""
    talk = bench.open()
    length, note = _log_length(talk), _note(bench)
    before = len(talk.in_order)
    talk.post(note, 0)
    found = talk.until(lambda: next((one for one in talk.in_order[before:] if isinstance(one.message, m.Error)), None))
    if found is None or found.message is None:
        raise Failed("a command with an effect under id 0 got no Error")
    evidence = error_of(found.message, ErrorCode.MALFORMED, "NoteHead under id 0")
    expect(_executed(talk, note, length) == 0, "a command under id 0 was carried out")
    return evidence


def a_new_id_is_executed(bench: SuiteBench) -> str:
    """C-2"""
    talk = bench.open()
    length, note = _log_length(talk), _note(bench)
    answer = _do(talk, note, 40)
    expect(isinstance(answer, m.Done), f"a new command got {answer}")
    times = _executed(talk, note, length)
    expect(times == 1, f"a new command was carried out {times} times")
    return "id 40 of a new instance was carried out once"


def a_repeat_has_no_second_effect(bench: SuiteBench) -> str:
    """C-3"""
    talk = bench.open()
    length, note = _log_length(talk), _note(bench)
    time = m.SetTime(unix_ms=1_800_000_000_000)
    first = [_do(talk, time, 50), _do(talk, note, 51)]
    talk.quiet(30_000)
    again = [talk.ask(time, 50), talk.ask(note, 51)]
    expect(again == first, f"a repeat got {again[0]}, the first answer was {first[0]}")
    instance = talk.hello.instance
    talk.close()
    later = bench.open(instance=instance, next_request=60)
    expect(later.welcome.known_instance, "an instance with remembered answers is not known in the next session")
    third = [later.ask(time, 50), later.ask(note, 51)]
    expect(third == first, f"a repeat in the next session got {third[0]}, the first answer was {first[0]}")
    times = _executed(later, note, length)
    expect(times == 1, f"a command sent three times was carried out {times} times")
    return "three times the same answer, one effect, also across sessions"


def another_command_under_a_used_id_is_refused(bench: SuiteBench) -> str:
    """C-4"""
    talk = bench.open()
    length = _log_length(talk)
    first, other = _note(bench), _note(bench)
    _do(talk, first, 7)
    evidence = error_of(talk.ask(other, 7), ErrorCode.CONFLICT, "another command under a used id")
    expect(_executed(talk, other, length) == 0, "it was carried out all the same")
    return evidence


def an_overtaken_id_is_stale(bench: SuiteBench) -> str:
    """C-5"""
    talk = bench.open()
    length, late = _log_length(talk), _note(bench)
    _do(talk, _note(bench), 20)
    evidence = error_of(talk.ask(late, 15), ErrorCode.STALE_REQUEST, "id 15 after id 20")
    expect(_executed(talk, late, length) == 0, "it was carried out all the same")
    return evidence


def a_dropped_answer_is_forgotten(bench: SuiteBench) -> str:
    """C-6"""
    talk = bench.open()
    memory = talk.welcome.command_memory
    if not 0 < memory <= MOST_MEMORY:
        raise NotSeen(f"the device says that it remembers {memory} commands: too many to push out")
    length, note = _log_length(talk), _note(bench)
    _do(talk, note, 1)
    for request in range(2, memory + 3):
        talk.ask(m.SetTime(unix_ms=1_800_000_000_000 + request), request)
    evidence = error_of(talk.ask(note, 1), ErrorCode.FORGOTTEN, f"id 1 after {memory + 1} later commands")
    expect(_executed(talk, note, length) == 1, "it was carried out a second time")
    return evidence


def ids_before_the_hello_are_forgotten(bench: SuiteBench) -> str:
    """C-7"""
    talk = bench.open(next_request=100)
    talk.next_request = 200
    length, note = _log_length(talk), _note(bench)
    expect(not talk.welcome.known_instance, "a new instance is said to be known")
    evidence = error_of(talk.ask(note, 50), ErrorCode.FORGOTTEN, "id 50 of an unknown instance that starts at 100")
    expect(_executed(talk, note, length) == 0, "it was carried out all the same")
    return evidence


def fates_are_told(bench: SuiteBench) -> str:
    """C-10"""
    talk = bench.open()
    length, done, late, next_one = _log_length(talk), _note(bench), _note(bench), _note(bench)
    _do(talk, done, 5)
    refused = talk.ask(m.SelectGame(game=255), 6)
    _fate(talk, 5, Fate.DONE)
    if isinstance(refused, m.Error):
        _fate(talk, 6, Fate.REFUSED, int(refused.code))
    _fate(talk, 30, Fate.NEVER_EXECUTED)
    evidence = error_of(talk.ask(late, 30), ErrorCode.STALE_REQUEST, "a late copy of a command that was fenced off")
    expect(
        _executed(talk, late, length) == 0, "a command was carried out after its fate had been told as never executed"
    )
    expect(isinstance(talk.ask(next_one, 31), m.Done), "the id behind a fence is refused, too")
    return f"DONE, REFUSED and NEVER_EXECUTED told; {evidence}"


def _fate(talk: Talk, command: int, fate: Fate, code: int = 0) -> None:
    told = talk.ask(m.AskFate(command=command))
    wanted = m.FateTold(command=command, fate=fate, code=code)
    expect(told == wanted, f"the fate of {command} is {fate.name}, told was {told}")


def fences_are_bounded(bench: SuiteBench) -> str:
    """C-11"""
    talk = bench.open()
    talk.next_request = 10_000
    _do(talk, _note(bench), 1)
    for command in range(2, FENCES + 2):
        told = talk.ask(m.AskFate(command=1000 + command))
        expect(isinstance(told, m.FateTold), f"fence {command - 1} got {told}")
    evidence = error_of(talk.ask(m.AskFate(command=3000)), ErrorCode.NOT_NOW, f"fence {FENCES + 1}")
    expect(isinstance(talk.ask(_note(bench), 2500), m.Done), "a command above the fences is refused")
    expect(isinstance(talk.ask(m.AskFate(command=3000)), m.FateTold), "a command above the fences made no room")
    return f"{evidence}; a command above them made room"


def fates_are_true(bench: SuiteBench) -> str:
    """C-12"""
    talk = bench.open()
    length, notes = _log_length(talk), {request: _note(bench) for request in (10, 11, 12)}
    _do(talk, notes[10], 10)
    _do(talk, notes[12], 12)
    told = {}
    for request, note in notes.items():
        answer = talk.ask(m.AskFate(command=request))
        if not isinstance(answer, m.FateTold):
            raise Failed(f"AskFate of {request} got {answer}")
        told[request] = answer.fate
        times = _executed(talk, note, length)
        expect(
            (answer.fate is Fate.DONE) == (times == 1),
            f"the fate told of {request} is {answer.fate.name}, and it was carried out {times} times",
        )
    return ", ".join(f"{request} {fate.name}" for request, fate in told.items())


# --------------------------------------------------------------------------------------------------------------- events


def waiting(talk: Talk) -> list[m.Event]:
    """Events that the device tells of itself when a session opens; they are not acknowledged here."""
    wanted = talk.welcome.last_event - talk.welcome.acknowledged_event
    if wanted <= 0:
        raise NotSeen("no event waits in the device: deal a round first")

    def kept() -> list[m.Event]:
        return [one for one in talk.events() if 0 < one.number <= talk.welcome.last_event]

    talk.until(lambda: True if len(kept()) >= wanted else None, 60_000_000)
    return kept()


def events_wait_until_they_are_stored(bench: SuiteBench) -> str:
    """E-1"""
    first = bench.open()
    if bench.round is not None and bench.round.events():
        before, after = bench.round.welcome.acknowledged_event, first.welcome.acknowledged_event
        expect(
            after == before,
            f"nobody has acknowledged an event since {before}, and the device has dropped up to {after}",
        )
    told = waiting(first)
    first.close()
    again = waiting(bench.open())
    expect(
        again[: len(told)] == told,
        f"{len(told)} events that were received and not acknowledged are told as {len(again)} others",
    )
    return f"{len(told)} events that nobody had acknowledged were told again, the same"


def a_session_begins_with_what_waits(bench: SuiteBench) -> str:
    """E-2"""
    talk = bench.open()
    told = [one.number for one in waiting(talk)]
    first, last = talk.welcome.acknowledged_event + 1, talk.welcome.last_event
    expect(told == list(range(first, last + 1)), f"events {first} to {last} wait, told were {told[:30]}")
    return f"events {first} to {last} in order"


def only_events_that_exist_are_acknowledged(bench: SuiteBench) -> str:
    """E-3"""
    talk = bench.open()
    before = len(talk.in_order)
    talk.post(m.AckEvents(upto=talk.welcome.last_event + 1000), 0)
    found = talk.until(lambda: next((one for one in talk.in_order[before:] if isinstance(one.message, m.Error)), None))
    if found is None or found.message is None:
        raise Failed("an acknowledgement of events that do not exist got no Error")
    evidence = error_of(found.message, ErrorCode.OUT_OF_RANGE, "AckEvents of events to come")
    talk.close()
    after = bench.open().welcome
    expect(
        after.acknowledged_event <= talk.welcome.last_event + 50, f"event {after.acknowledged_event} counts as stored"
    )
    return evidence


def passing_events_are_not_kept(bench: SuiteBench) -> str:
    """E-6"""
    talk = bench.open()
    told = waiting(talk)
    passing = [one for one in talk.events() if isinstance(one, m.ShuffleProgressed)]
    expect(not [one for one in told if isinstance(one, m.ShuffleProgressed)], "a passing event was kept and told again")
    in_round = (
        [] if bench.round is None else [one for one in bench.round.events() if isinstance(one, m.ShuffleProgressed)]
    )
    expect(all(one.number == 0 for one in (*passing, *in_round)), "a passing event has a number")
    if not in_round:
        raise NotSeen(f"no passing event came; {bench.round_problem or 'no shuffle was watched'}")
    return f"{len(in_round)} passing events came with number 0 and were not told again"

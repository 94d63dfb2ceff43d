"""What a transcript shows of order, life, commands, events and rounds: S, L, C, E and D."""

from itertools import pairwise

from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.framing import RETRANSMITTED
from protocol.limits import COMMAND_MEMORY
from protocol.link import ACK, HEARTBEAT, RESET, SILENT_INTERVALS
from shuffler.kit.conformance.controller.opening import frames, plain_sessions, some_session, tempted
from shuffler.kit.conformance.controller.transcript import Poison, RunTranscript, newest_event
from shuffler.kit.conformance.controller.watcher import RESET_ACT, SILENCE
from shuffler.kit.conformance.verdict import Failed, NotApplicable, NotSeen, expect

SENT_AGAIN_US = 6_000_000
SLACK_US = 1_500_000


def frames_are_numbered(seen: RunTranscript) -> str:
    """S-1"""
    most = 0
    for session in some_session(seen):
        content: dict[int, tuple[int, int, bytes]] = {}
        for one in session.host:
            frame = one.frame
            if frame.sequence:
                said = (frame.message, frame.request, frame.body if seen.key is None else b"")
                expect(
                    content.setdefault(frame.sequence, said) == said, f"frame {frame.sequence} came with two contents"
                )
        highest = max(content, default=0)
        known = max((one.frame.acknowledge for one in session.device), default=0)
        missing = sorted(set(range(1, known + 1)) - set(content))
        expect(not missing, f"frames {missing[:5]} were never sent and {highest} was")
        if highest > 20 and len(content) * 2 < highest:
            raise Failed(f"{len(content)} numbers up to {highest} were used")
        gaps = set(range(1, highest + 1)) - set(content)
        if gaps and seen.quiet_line:
            raise Failed(f"frame {min(gaps)} was left out")
        most = max(most, highest)
    if not most:
        raise NotSeen("the host sent nothing in order")
    return f"frames 1 to {most} without a gap, each with one content"


def the_window_is_kept(seen: RunTranscript) -> str:
    """S-2"""
    widest = 0
    for session in some_session(seen):
        told = sorted((one.at, one.frame.acknowledge) for one in session.device)
        at, known = 0, 0
        for one in session.host:
            while at < len(told) and told[at][0] <= one.at:
                known = max(known, told[at][1])
                at += 1
            if one.frame.sequence:
                widest = max(widest, one.frame.sequence - known)
                expect(
                    one.frame.sequence - known <= session.welcome.window,
                    f"frame {one.frame.sequence} was sent with {known} acknowledged"
                    f" and a window of {session.welcome.window}",
                )
    if not widest:
        raise NotSeen("the host sent nothing in order")
    return f"at most {widest} frames were in flight"


def acknowledgements_are_true(seen: RunTranscript) -> str:
    """S-4"""
    highest = 0
    for session in some_session(seen):
        told: set[int] = set()
        at = whole = 0
        for one in session.host:
            while at < len(session.device) and session.device[at].at <= one.at:
                told.add(session.device[at].frame.sequence)
                at += 1
            while whole + 1 in told:
                whole += 1
            if any(not temptation.taken for temptation in session.poisoned) or not session.poisoned:
                expect(
                    one.frame.acknowledge <= whole, f"frame {one.frame.acknowledge} was acknowledged, {whole} were sent"
                )
            highest = max(highest, one.frame.acknowledge)
        enough = 8 if seen.quiet_line else 32  # one that was lost holds up the acknowledgements of all after it
        if whole >= enough and session.over_at is None and session.silenced_at is None:
            known = max(one.frame.acknowledge for one in session.host)
            expect(known * 2 >= whole, f"of {whole} frames {known} were acknowledged")
    if not highest:
        raise NotSeen("nothing was sent to the host in order")
    return f"up to frame {highest} acknowledged, none before it came"


def early_frames_are_told(seen: RunTranscript) -> str:
    """S-5"""
    sessions = some_session(seen)
    if all(session.welcome.window == 1 for session in sessions):
        raise NotApplicable("with a window of 1 no frame comes early (P-2)")
    tried = []
    for session in sessions:
        if session.overtaken is not None:
            after = [one for one in session.device if one.frame.sequence == session.overtaken + 1]
            before = [one for one in session.device if one.frame.sequence == session.overtaken]
            if after and before and before[0].at - after[0].at > 100_000:
                tried.append(session)
    if not tried:
        raise NotSeen("no frame could be sent behind its successor")
    if any(session.overtaken_told for session in tried):
        return "a frame that came early was told in an Ack before the missing one came"
    if not seen.quiet_line and len(tried) < 3:
        raise NotSeen("the line may have lost the Ack")
    raise Failed(f"{len(tried)} times a frame came early, and no Ack told so")


def commands_are_in_order(seen: RunTranscript) -> str:
    """S-6"""
    loose = (ACK, HEARTBEAT, RESET)
    wrong = [one.frame for one in frames(seen) if not one.frame.sequence and one.frame.message not in loose]
    expect(not wrong, f"{_name(wrong[0].message) if wrong else ''} came with sequence 0")
    wrong = [one.frame for one in frames(seen) if one.frame.sequence and one.frame.message in loose]
    expect(not wrong, f"{_name(wrong[0].message) if wrong else ''} came with a sequence number")
    return "commands have a number, acknowledgements and heartbeats have none"


def _name(number: int) -> str:
    entry = BY_NUMBER.get(number)
    return entry.name if entry is not None else f"message 0x{number:02x}"


def lost_frames_are_sent_again(seen: RunTranscript) -> str:
    """S-7"""
    for session in some_session(seen):
        for sequence, first in session.swallowed.items():
            copies = [one for one in session.host if one.frame.sequence == sequence and one.at > first]
            lasted = max((one.at for one in session.host), default=first) - first
            if not copies and lasted < SENT_AGAIN_US:
                continue
            expect(bool(copies), f"frame {sequence} was lost and not sent again in {lasted / 1e6:.0f} s")
            if seen.quiet_line:
                expect(
                    all(one.frame.flags & RETRANSMITTED for one in copies),
                    f"frame {sequence} was sent again without the flag RETRANSMITTED",
                )
            elif not any(one.frame.flags & RETRANSMITTED for one in copies):
                if len(copies) < 4:
                    continue
                raise Failed(f"frame {sequence} came {len(copies) + 1} times and never with the flag RETRANSMITTED")
            return f"frame {sequence} was lost and sent again after {(copies[0].at - first) / 1000:.0f} ms"
    raise NotSeen("no frame of the host could be lost on purpose")


def silence_is_filled(seen: RunTranscript) -> str:
    """L-1"""
    empty = whole = longest = 0
    for session in some_session(seen):
        interval = (session.welcome.heartbeat_ms or 1000) * 1000 + seen.jitter_us // 2
        end = (
            session.over_at
            or session.silenced_at
            or max([one.at for one in session.host] + [one.at for one in session.device], default=session.begun)
        )
        times = [session.begun, *(one.at for one in session.host if one.at <= end), end]
        for before, after in pairwise(times):
            empty += (after - before) // interval
            longest = max(longest, (after - before) * 2 // interval)
        whole += (end - session.begun) // interval
    if whole < 5:
        raise NotSeen("the sessions were too short")
    if seen.quiet_line:
        expect(longest < 5, f"the host said nothing for {longest / 2:.1f} heartbeat intervals")
    expect(empty * 5 <= whole * 3, f"in {empty} of {whole} heartbeat intervals the host said nothing")
    return f"the host spoke in {whole - empty} of {whole} heartbeat intervals"


def a_silent_device_is_lost(seen: RunTranscript) -> str:
    """L-2"""
    for session in some_session(seen):
        if session.act == SILENCE and session.silenced_at is not None:
            interval = (session.welcome.heartbeat_ms or 1000) * 1000
            end = session.silenced_at + SILENT_INTERVALS * interval + SLACK_US + seen.jitter_us
            late = [one for one in session.host if one.at > end]
            expect(
                not late,
                f"{(late[-1].at - session.silenced_at) / 1e6 if late else 0:.1f} s after the device's last word"
                " the host still speaks in its session",
            )
            newer = [one for greeting in seen.greetings for one in greeting.frames if one.at > session.silenced_at]
            expect(bool(newer) or not late, "the host waits for ever")
            return f"the host gave the session up{' and said hello again' if newer else ''}"
    raise NotSeen("no session lasted until the device fell silent")


def other_sessions_are_dropped(seen: RunTranscript) -> str:
    """L-4"""
    return tempted(seen, Poison.OTHER_SESSION)


def a_reset_ends_the_session(seen: RunTranscript) -> str:
    """L-3"""
    for session in some_session(seen):
        if session.act == RESET_ACT and session.over_at is not None and seen.key is None:
            late = [one for one in session.host if one.at > session.over_at + SLACK_US + seen.jitter_us]
            sequenced = [one for one in late if one.frame.sequence]
            if sequenced and not seen.quiet_line and len(sequenced) < 8:
                raise NotSeen("the line may have lost the reset")
            expect(not sequenced, "the host goes on in a session that the device has reset")
            return "after a Reset the host said nothing more in that session"
    raise NotSeen("no session lasted until it was reset")


# ------------------------------------------------------------------------------------------------------------- commands


def ids_are_used_once(seen: RunTranscript) -> str:
    """C-1"""
    instances: dict[bytes, dict[int, tuple[int, bytes]]] = {}
    for session in plain_sessions(seen):
        used = instances.setdefault(session.hello.instance, {})
        by_frame: dict[int, int] = {}
        for one in session.host:
            entry = BY_NUMBER.get(one.frame.message)
            if entry is None or not one.frame.sequence or (entry.reply is None and not entry.effect):
                continue
            request, said = one.frame.request, (one.frame.message, one.frame.body)
            expect(request != 0, f"{entry.name} came under id 0")
            if isinstance(one.message, m.AskFate) and one.message.command == request:
                continue
            expect(used.setdefault(request, said) == said, f"id {request} was used for two commands")
            by_frame[one.frame.sequence] = request
        sent = [by_frame[frame] for frame in sorted(by_frame)]
        expect(sent == sorted(sent), f"ids do not rise: {sent[:10]}")
    count = sum(map(len, instances.values()))
    if not count:
        raise NotSeen("no command came")
    for used in instances.values():
        first_seen = list(used)
        # A line that loses frames may show a command for the first time when it is sent again in a later session.
        expect(first_seen == sorted(first_seen) or not seen.quiet_line, f"ids do not rise: {first_seen[:10]}")
    return f"{count} ids of {len(instances)} instances, each for one command, rising"


def unanswered_commands_come_again(seen: RunTranscript) -> str:
    """C-9"""
    for session in plain_sessions(seen):
        if session.unanswered is None:
            continue
        later = [one for one in seen.of_instance(session.hello.instance) if one.begun > session.begun and one.host]
        if not later:
            continue
        said = {one.frame.body for one in session.host if one.frame.request == session.unanswered}
        again = [
            one for other in later for one in other.host
            if (one.frame.request == session.unanswered and one.frame.body in said)
            or (isinstance(one.message, m.AskFate) and one.message.command == session.unanswered)
        ]  # fmt: skip
        new = [
            one
            for other in later
            for one in other.host
            if one.frame.request > session.unanswered and _has_effect(one.frame.message)
        ]
        if not again and not new:
            continue
        expect(bool(again), f"command {session.unanswered} was never answered, and neither sent again nor asked after")
        _check_span(seen)
        return f"command {session.unanswered}, whose answer was lost, came again under its id"
    _check_span(seen)
    raise NotSeen("no host of the same instance came back after an answer was lost")


def _check_span(seen: RunTranscript) -> None:
    for session in seen.sessions:
        open_ids: set[int] = set()
        answered = {one.frame.request for one in session.device if one.frame.request}
        for one in session.host:
            if _has_effect(one.frame.message) and one.frame.request not in answered:
                open_ids.add(one.frame.request)
        expect(
            not open_ids or max(open_ids) - min(open_ids) < 2 * COMMAND_MEMORY,
            "too many commands wait for their answers",
        )


def _has_effect(number: int) -> bool:
    entry = BY_NUMBER.get(number)
    return entry is not None and entry.effect


# --------------------------------------------------------------------------------------------------------------- events


def events_are_acknowledged_after_they_came(seen: RunTranscript) -> str:
    """E-3"""
    newest: dict[int, int] = {}
    count = 0
    for session in plain_sessions(seen):
        epoch, at = session.welcome.epoch, 0
        newest.setdefault(epoch, session.welcome.acknowledged_event)
        for one in session.host:
            while at < len(session.device) and session.device[at].at <= one.at:
                event = session.device[at].message
                if isinstance(event, m.Event):
                    newest[epoch] = max(newest[epoch], event.number)
                at += 1
            if isinstance(one.message, m.AckEvents):
                count += 1
                expect(
                    one.message.upto <= newest[epoch],
                    f"event {one.message.upto} was acknowledged, the newest told was {newest[epoch]}",
                )
        newest[epoch] = max(newest[epoch], newest_event(session))
    if not count:
        raise NotSeen("the host acknowledged no event: one that just asks leaves them to others (E-4)")
    return f"{count} acknowledgements, each of events that had come"


def events_are_acknowledged(seen: RunTranscript) -> str:
    """E-1"""
    best = (0, 0)
    for session in plain_sessions(seen):
        told = newest_event(session)
        acked = max((one.message.upto for one in session.host if isinstance(one.message, m.AckEvents)), default=0)
        best = max(best, (acked, told))
    if not best[0]:
        raise NotSeen("the host acknowledged no event: one that just asks leaves them to others (E-4)")
    return f"events up to {best[0]} were acknowledged by AckEvents"


# --------------------------------------------------------------------------------------------------------------- rounds


def rounds_are_numbered_upwards(seen: RunTranscript) -> str:
    """D-1"""
    highest = 0
    begun: set[tuple[bytes, int]] = set()  # a command that comes again under its id is the same
    for session in plain_sessions(seen):
        for one in sorted((*session.host, *session.device), key=lambda one: one.at):
            message, who = one.message, (session.hello.instance, one.frame.request)
            if isinstance(message, m.Status):
                highest = max(highest, message.round)
            elif isinstance(message, m.BeginRound) and who not in begun:
                expect(message.round > highest, f"round {message.round} was begun, {highest} was used before")
                begun.add(who)
                highest = message.round
    if not begun:
        raise NotSeen("no round was begun")
    return f"{len(begun)} rounds, each with a higher number"


def nonces_are_fresh(seen: RunTranscript) -> str:
    """D-3"""
    nonces: dict[bytes, tuple[bytes, int]] = {}
    for session in plain_sessions(seen):
        for one in session.host:
            message = one.message
            if isinstance(message, m.Shuffle):
                who = (session.hello.instance, one.frame.request)
                expect(nonces.setdefault(message.nonce, who) == who, "two shuffles have the same nonce")
                expect(any(message.nonce), "the nonce of a shuffle is all zeros")
    if not nonces:
        raise NotSeen("no shuffle was asked for")
    return f"{len(nonces)} shuffles, each with a nonce of its own"

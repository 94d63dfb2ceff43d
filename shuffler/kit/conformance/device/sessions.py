"""Checks of opening, order and end of sessions: H, S, L and P."""

from protocol import messages as m
from protocol.codec import encode_body
from protocol.framing import RETRANSMITTED
from protocol.limits import MIN_BODY
from protocol.link import ACK, HEARTBEAT, RESET, SILENT_INTERVALS
from protocol.secure import PUBLIC_BYTES
from protocol.stream import ACK_DELAY_US
from protocol.vocabulary import Capability, ErrorCode, ResetReason
from shuffler.kit.conformance.device.bench import SuiteBench, error_of, refused
from shuffler.kit.conformance.device.lines import UNKNOWN_BIT
from shuffler.kit.conformance.device.talk import Arrival, Talk, greet
from shuffler.kit.conformance.verdict import Failed, NotApplicable, NotSeen, expect

INFO, STATUS = m.GetInfo.entry.number, m.GetStatus.entry.number
TRIES = 12
LINES = 12  # of the log, longer together than a small host's body
GIVE_UP_US = 120_000_000
SURELY_MISSING = 8  # later frames while one does not come, though the oldest is sent again first


def _plain(bench: SuiteBench) -> None:
    if bench.key is not None:
        raise NotApplicable("a key is set: only sealed sessions are opened")


# -------------------------------------------------------------------------------------------------------------- opening


def a_repeated_hello_gets_the_same_welcome(bench: SuiteBench) -> str:
    """H-2"""
    _plain(bench)
    hello = bench.hello()
    bench.line.settle()
    first, again = bench.greet(hello), bench.greet(hello)
    for one in (first, again):
        expect(
            one.frame.sequence == 0 and one.frame.session != 0,
            f"the welcome is frame {one.frame.sequence} of session {one.frame.session}",
        )
    expect(first.frame.session == again.frame.session, "a repeated hello opened a second session")
    expect(first.frame.body == again.frame.body, "a repeated hello got another welcome")
    return f"session 0x{first.frame.session:08x}, the same welcome twice"


def the_welcome_echoes_the_nonce(bench: SuiteBench) -> str:
    """H-3"""
    _plain(bench)
    hello = bench.hello()
    bench.line.settle()
    answered = greet(bench.line, hello, any_nonce=True)
    if answered is None or not isinstance(answered.answer, m.Welcome):
        raise NotSeen("no hello is welcomed")
    nonce = answered.answer.host_nonce
    expect(nonce == hello.nonce, f"the nonce {hello.nonce.hex()} came back as {nonce.hex()}")
    return f"{hello.nonce.hex()} came back"


def an_old_hello_ends_nothing(bench: SuiteBench) -> str:
    """H-4"""
    talk = bench.open()
    talk.ask(m.GetInfo())
    for _ in range(3):
        greet(bench.line, bench.hello(), tries=2)
        talk.still_answers("another hello")
    after = bench.open()
    after.ask(m.GetInfo())
    late = _answers_to(bench, talk.frame(INFO, b"", sequence=talk.sent + 1, request=talk.new_request()), talk, INFO)
    expect(late is None, "the session before the one in use is still served")
    return "three hellos without a further word left the session in use; the first frame of the next one ended it"


def _answers_to(bench: SuiteBench, frame: bytes, talk: Talk, number: int) -> Arrival | None:  # noqa: ARG001
    """Whether a session that is over still answers a question."""
    before = len(talk.in_order)
    for _ in range(3):
        bench.line.put(frame)
        talk.silent = True
        talk.quiet(200_000)
    return next((one for one in talk.in_order[before:] if one.frame.request), None)


def capabilities_are_agreed(bench: SuiteBench) -> str:
    """H-6"""
    public = b"" if bench.key is None else bench.chance(PUBLIC_BYTES)
    demanding = bench.hello(must=Capability(UNKNOWN_BIT) | _secure(bench), ephemeral=public)
    refused(bench.greet(demanding), ResetReason.CAPABILITY, "an unknown must bit")
    none = bench.open(may=Capability(0)).welcome.capabilities & ~Capability.SECURE
    expect(none == Capability(0), f"a host that can nothing was told {none!r}")
    both = bench.open(may=Capability.EVENT_REPLAY | Capability(UNKNOWN_BIT)).welcome.capabilities & ~Capability.SECURE
    expect(both & ~Capability.EVENT_REPLAY == Capability(0), f"a host of EVENT_REPLAY alone was told {both!r}")
    return "an unknown must bit was refused; the welcome names what both ends have"


def _secure(bench: SuiteBench) -> Capability:
    return Capability(0) if bench.key is None else Capability.SECURE


def the_smaller_limits_hold(bench: SuiteBench) -> str:
    """H-7"""
    welcome = bench.open(window=3, max_body=900).welcome
    expect(welcome.window == 3, f"a window of 3 was welcomed with {welcome.window}")
    expect(welcome.max_body == 900, f"bodies of 900 bytes were welcomed with {welcome.max_body}")
    wide = bench.open(window=200, max_body=60_000).welcome
    expect(
        wide.window < 200 and wide.max_body < 60_000,
        f"200 and 60,000 were taken as they are: {wide.window}, {wide.max_body}",
    )
    return f"3 and 900 were taken; 200 and 60,000 became {wide.window} and {wide.max_body:,}"


# ---------------------------------------------------------------------------------------------------------------- order


def frames_are_numbered_without_gaps(bench: SuiteBench) -> str:
    """S-1"""
    talk = bench.open()
    try:
        for _ in range(20):
            talk.ask(m.GetStatus())
    except NotSeen:
        later = sum(one.frame.sequence > talk.expected for one in talk.arrivals)
        if later >= SURELY_MISSING:
            raise Failed(f"frame {talk.expected} never came, and later ones came again and again") from None
        raise
    first: dict[int, tuple[int, int, bytes]] = {}
    for one in talk.arrivals:
        frame = one.frame
        if frame.sequence:
            same = first.setdefault(frame.sequence, (frame.message, frame.request, frame.body))
            expect(same == (frame.message, frame.request, frame.body), f"frame {frame.sequence} came with two contents")
    numbers = sorted(first)
    expect(numbers == list(range(1, len(numbers) + 1)), f"the frames are numbered {numbers[:20]}")
    return f"frames 1 to {len(numbers)}, each with one content"


def the_window_is_kept(bench: SuiteBench) -> str:
    """S-2"""
    talk = bench.open(window=2)
    talk.quiet(2_000_000)  # events that wait come first, and are acknowledged, by a heartbeat if by nothing else
    talk.acknowledges = False
    held = talk.expected - 1
    for _ in range(6):
        talk.post(m.GetStatus(), talk.new_request())
        talk.quiet(150_000)
    highest = max((one.frame.sequence for one in talk.arrivals), default=0)
    expect(highest <= held + 2, f"with a window of 2 and {held} acknowledged, frame {highest} came")
    talk.acknowledges = True
    if highest <= held:
        raise NotSeen("no answer came while nothing was acknowledged")
    return f"with {held} acknowledged and a window of 2 nothing beyond frame {highest} came"


def early_frames_are_kept_and_copies_dropped(bench: SuiteBench) -> str:
    """S-3"""
    talk = bench.open()
    ids = [talk.new_request() for _ in range(3)]
    base = talk.sent
    copies = [talk.frame(STATUS, b"", sequence=base + 1 + at, request=request) for at, request in enumerate(ids)]
    for at in (2, 1, 0, 0, 1, 2, 0):
        talk.line.put(copies[at])
    for request in ids:
        talk.post_raw(STATUS, b"", request)  # and again, until they are acknowledged
    for request in ids:
        if talk.reply(request) is None:
            raise Failed(f"frame {base + 1 + ids.index(request)} was not taken")
    talk.quiet()
    replies = [one.frame.request for one in talk.in_order if one.frame.request in ids]
    expect(replies == ids, f"requests {ids} sent in the order 3, 2, 1 and twice were answered as {replies}")
    return "three frames in the wrong order and twice were answered once each, in order"


def acknowledgements_say_what_has_come(bench: SuiteBench) -> str:
    """S-4"""
    talk = bench.open()
    for _ in range(5):
        talk.ask(m.GetStatus())
    talk.until(lambda: True if talk.peer_has == talk.sent else None)
    expect(talk.peer_has == talk.sent, f"{talk.sent} frames were sent and {talk.peer_has} acknowledged")
    beyond = max((one.frame.acknowledge for one in talk.arrivals), default=0)
    expect(beyond <= talk.sent, f"frame {beyond} was acknowledged, {talk.sent} were sent")
    return f"{talk.sent} frames sent, {talk.peer_has} acknowledged"


def an_ack_tells_what_came_early(bench: SuiteBench) -> str:
    """S-5"""
    talk = bench.open()
    talk.ask(m.GetStatus())
    talk.until(lambda: True if talk.peer_has == talk.sent else None)
    base, request = talk.sent, talk.new_request()

    def told() -> Arrival | None:
        return next(
            (
                one
                for one in talk.arrivals
                if one.frame.message == ACK and one.frame.acknowledge == base and one.frame.body != b"\0\0"
            ),
            None,
        )

    waits = []
    for _ in range(TRIES):
        begun = talk.line.wire.now()
        # Made anew for each try: with a key the same bytes would be a repeat, which is dropped unread.
        talk.line.put(talk.frame(STATUS, b"", sequence=base + 2, request=request))
        found = talk.until(told, 300_000)
        if found is not None:
            waits.append(found.at - begun)
            break
    ack = told()
    if ack is None:
        raise Failed("a frame that came early is not told in an Ack")
    expect(
        ack.frame.body == b"\1\0",
        f"frame {base + 2} came before {base + 1}: early should be 01 00, is {ack.frame.body.hex(' ')}",
    )
    limit = 2 * ACK_DELAY_US + bench.jitter_us
    expect(min(waits) <= limit, f"an early frame was acknowledged after {waits[0] / 1000:.0f} ms")
    talk.post_raw(STATUS, b"", talk.new_request())
    talk.sent += 1
    talk.until(lambda: True if talk.peer_has == talk.sent else None)
    return f"frame {base + 2} before {base + 1}: early 01 00 after {waits[0] / 1000:.0f} ms"


def commands_outside_the_order_are_refused(bench: SuiteBench) -> str:
    """S-6"""
    talk = bench.open()
    talk.ask(m.GetInfo())
    request = talk.new_request()
    for _ in range(TRIES):
        talk.line.put(talk.frame(INFO, b"", sequence=0, request=request))
        if talk.reply(request, 300_000) is not None:
            break
    answer = talk.reply(request)
    if answer is None or answer.message is None:
        raise Failed("a command with sequence 0 got no answer")
    evidence = error_of(answer.message, ErrorCode.MALFORMED, "GetInfo with sequence 0")
    stray = [
        one for one in talk.arrivals if not one.frame.sequence and one.frame.message not in (ACK, HEARTBEAT, RESET)
    ]
    expect(not stray, "the device sends commands' answers or events outside the order")
    return evidence


def what_is_not_acknowledged_is_sent_again(bench: SuiteBench) -> str:
    """S-7"""
    talk = bench.open()
    talk.until(lambda: None, 300_000)
    talk.acknowledges = False
    request = talk.new_request()
    talk.post(m.GetInfo(), request)

    def copies() -> list[Arrival] | None:
        found = [one for one in talk.arrivals if one.frame.request == request]
        flagged = [one for one in found if one.frame.flags & RETRANSMITTED]
        return found if flagged and len(found) >= 2 else None

    found = talk.until(copies, GIVE_UP_US)
    if found is None:
        count = sum(one.frame.request == request for one in talk.arrivals)
        raise Failed(f"an answer that is not acknowledged came {count} times, and never marked as sent again")
    expect(len({one.frame.sequence for one in found}) == 1, "an answer was sent again under another number")
    return f"sent again after {(found[1].at - found[0].at) / 1000:.0f} ms under the same number, marked RETRANSMITTED"


def a_dead_session_is_given_up(bench: SuiteBench) -> str:
    """S-10"""
    talk = bench.open()
    talk.until(lambda: None, 300_000)
    talk.acknowledges = False
    talk.post(m.GetInfo(), talk.new_request())
    begun = talk.line.wire.now()
    quiet_us = 6 * talk.welcome.heartbeat_ms * 1000 + bench.jitter_us

    def over() -> str | None:
        if talk.ended is not None:
            return talk.ended.reason.name
        last = talk.arrivals[-1].at if talk.arrivals else begun
        return "it says nothing any more" if talk.line.wire.now() - last > quiet_us else None

    found = talk.until(over, GIVE_UP_US)
    if found is None:
        raise Failed(f"an answer that is never acknowledged keeps the session for {GIVE_UP_US // 1_000_000} s")
    return f"given up after {(talk.line.wire.now() - begun) / 1e6:.0f} s: {found}"


# --------------------------------------------------------------------------------------------------------- life and end


def silence_is_filled_with_heartbeats(bench: SuiteBench) -> str:
    """L-1"""
    talk = bench.open()
    interval = talk.welcome.heartbeat_ms * 1000
    expect(0 < interval <= 60_000_000, f"heartbeats every {interval // 1000} ms are of no use")
    talk.quiet(1_000_000)
    before = len(talk.arrivals)
    talk.quiet(10 * interval + bench.jitter_us)
    beats = [one for one in talk.arrivals[before:] if one.frame.message == HEARTBEAT]
    expect(all(one.frame.sequence == 0 for one in beats), "a heartbeat has a sequence number")
    others = len(talk.arrivals) - before - len(beats)
    expect(len(beats) + others >= 4, f"in 10 intervals of silence {len(beats)} heartbeats came")
    expect(len(beats) <= 14, f"in 10 intervals {len(beats)} heartbeats came")
    return f"{len(beats)} heartbeats in 10 intervals of {interval // 1000:,} ms"


def a_silent_host_is_lost(bench: SuiteBench) -> str:
    """L-2"""
    talk = bench.open()
    talk.ask(m.GetInfo())
    interval = talk.welcome.heartbeat_ms * 1000
    talk.silent, talk.acknowledges = True, True
    bound = SILENT_INTERVALS * interval + bench.jitter_us
    end = talk.line.wire.now() + 3 * bound
    last = 0
    quiet_from = talk.line.wire.now()
    while talk.line.wire.now() < end:
        for frame in talk.line.take(100_000):
            if frame.session == talk.number and talk.line.wire.now() - quiet_from > bound:
                last = max(last, talk.line.wire.now())
    expect(
        not last, f"{(last - quiet_from) / 1e6:.1f} s after the host's last word the device still speaks in its session"
    )
    return f"nothing was said in the session more than {bound / 1e6:.1f} s after the host's last word"


def a_reset_ends_the_session(bench: SuiteBench) -> str:
    """L-3"""
    talk = bench.open()
    talk.ask(m.GetInfo())
    for _ in range(TRIES):
        talk.line.put(talk.frame(RESET, encode_body(m.Reset(reason=ResetReason.CLOSED, text=""))))
    talk.silent = True
    talk.quiet()
    late = _answers_to(bench, talk.frame(INFO, b"", sequence=talk.sent + 1, request=talk.new_request()), talk, INFO)
    expect(late is None, "a session that the host has reset still answers")
    return "a session that was reset answers nothing"


def unknown_sessions_are_reset(bench: SuiteBench) -> str:
    """L-4"""
    talk = bench.open()
    talk.ask(m.GetInfo())
    stranger = int.from_bytes(bench.chance(4), "little") | 1
    said: list[m.Reset] = []

    def listen() -> None:
        end = talk.line.wire.now() + 300_000
        while (left := end - talk.line.wire.now()) > 0:
            for frame in talk.line.take(left):
                if frame.session == stranger and frame.message == RESET:
                    found = Arrival(talk.line.wire.now(), frame, False).message
                    if isinstance(found, m.Reset):
                        said.append(found)

    for _ in range(TRIES):
        bench.line.put(
            talk.frame(RESET, encode_body(m.Reset(reason=ResetReason.CLOSED, text="")), session=stranger, sealed=False)
        )
    listen()
    expect(not said, "a reset of an unknown session is answered")
    for _ in range(TRIES):
        bench.line.put(talk.frame(INFO, b"", sequence=1, request=1, session=stranger, sealed=False))
        listen()
        if said:
            break
    if bench.key is not None:
        expect(not said, "an unsealed frame of an unknown session is answered though a key is set")
        return "with a key set, a stranger's frame is not answered"
    expect(bool(said), "a frame of an unknown session is not answered")
    expect(said[0].reason is ResetReason.UNKNOWN_SESSION, f"it is answered with {said[0].reason.name}")
    return f"UNKNOWN_SESSION, “{said[0].text}”; a reset is not answered"


# ---------------------------------------------------------------------------------------------------------- small hosts


def small_hosts_are_welcome(bench: SuiteBench) -> str:
    """P-1"""
    welcome = bench.open(window=1, max_body=MIN_BODY).welcome
    expect(
        welcome.window == 1 and welcome.max_body == MIN_BODY,
        f"a small host is welcomed with {welcome.window} and {welcome.max_body}",
    )
    if bench.key is None:
        refused(
            bench.greet(bench.hello(max_body=MIN_BODY - 1)), ResetReason.CAPABILITY, f"bodies of {MIN_BODY - 1} bytes"
        )
    return f"window 1 and bodies of {MIN_BODY} bytes are welcome, shorter ones refused"


def replies_fit_a_small_host(bench: SuiteBench) -> str:
    """P-3"""
    talk = bench.open(window=1, max_body=MIN_BODY)
    for record in range(1, LINES + 1):
        talk.ask(m.NoteHead(journal=bench.chance(16), record=record, hash=bench.chance(32)))
    counters = talk.ask(m.GetCounters())
    last = counters.log_length if isinstance(counters, m.Counters) else LINES
    pages = 0
    for after in (0, max(0, last - LINES)):
        answer = talk.ask(m.ReadLog(after=after, limit=255))
        if not isinstance(answer, m.LogPage):
            raise NotSeen(f"ReadLog got {type(answer).__name__}")
        pages += bool(answer.lines)
    longest = max(len(one.frame.body) for one in talk.arrivals)
    expect(longest <= MIN_BODY, f"a host of {MIN_BODY} bytes was sent {longest}")
    if not pages:
        raise NotSeen("the log is empty")
    return f"the longest body had {longest} of {MIN_BODY} bytes"

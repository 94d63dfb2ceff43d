"""What a transcript shows of framing, hellos and versions: B, F, V and H."""

from itertools import pairwise

from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import HELLO_VERSION, KNOWN_FLAGS, RETRANSMITTED, SEALED, VERSION
from protocol.limits import MAX_BODY, MIN_BODY
from protocol.link import HEARTBEAT, RESET
from protocol.vocabulary import Capability, ResetReason
from shuffler.kit.conformance.controller.transcript import (
    Poison,
    RunTranscript,
    SeenFrame,
    WatchedSession,
    newest_event,
)
from shuffler.kit.conformance.controller.watcher import SET_BACK, VERSION_ACT
from shuffler.kit.conformance.verdict import Failed, NotApplicable, NotSeen, expect

MOST_HELLOS = 8  # in three seconds: four by the rule, each perhaps doubled by a bad line
AT_ONCE_US = 500_000
ENOUGH_SESSIONS = 8  # over a cable that takes or delays one frame in three, all eight are missed once in 15,000 runs


def some_session(seen: RunTranscript) -> list[WatchedSession]:
    """Sessions in which the host has spoken; raises NotSeen."""
    found = [one for one in seen.sessions if one.host]
    if not found:
        raise NotSeen("no host opened a session")
    return found


def frames(seen: RunTranscript) -> list[SeenFrame]:
    """Every frame of the host in a session."""
    return [one for session in some_session(seen) for one in session.host]


def plain_sessions(seen: RunTranscript) -> list[WatchedSession]:
    """Sessions whose bodies can be read; raises NotApplicable where all are sealed."""
    if seen.key is not None:
        raise NotApplicable("the bodies are sealed: check this without a key")
    return some_session(seen)


def bodies_are_well_formed(seen: RunTranscript) -> str:
    """B-4"""
    count = 0
    for session in plain_sessions(seen):
        for one in session.host:
            try:
                decode_body(one.frame.message, one.frame.body)
            except RemoteProtocolError as problem:
                raise Failed(f"the host sent a body that can't be read: {problem}") from None
            count += 1
    return f"{count} bodies were well formed"


def two_delimiters_a_frame(seen: RunTranscript) -> str:
    """F-1"""
    if seen.pieces < 8:
        raise NotSeen("the host said too little")
    expect(
        seen.doubled_zeros * 2 >= seen.pieces,
        f"{seen.pieces} frames came with {seen.doubled_zeros} doubled delimiters: one is missing",
    )
    return f"{seen.pieces} frames, {seen.doubled_zeros} doubled delimiters"


def the_check_is_crc_32c(seen: RunTranscript) -> str:
    """F-2"""
    if not seen.sound and seen.garbage >= 3:
        raise Failed(f"{seen.garbage} pieces came, and the CRC-32C of none is right")
    tempted(seen, Poison.WRONG_CHECK)
    return f"{seen.sound} sound frames came; a frame with a wrong check was not acknowledged"


def endless_noise_is_thrown_away(seen: RunTranscript) -> str:
    """F-3"""
    for session in some_session(seen):
        if session.endless_at is not None:
            later = [one for one in session.host if one.at > session.endless_at and one.frame.acknowledge]
            last = max((one.frame.acknowledge for one in session.host if one.at <= session.endless_at), default=0)
            if later and later[-1].at - session.endless_at > AT_ONCE_US:
                expect(
                    later[-1].frame.acknowledge > last, "after a piece without an end the host hears nothing any more"
                )
                return "after 2,404 bytes without a delimiter the host heard the next frame"
    raise NotSeen("no session lasted long enough after the noise")


def tempted(seen: RunTranscript, poison: Poison) -> str:
    """Whether a poisoned frame was taken: it stood alone, and an acknowledgement gives it away."""
    found = [one for session in some_session(seen) for one in session.poisoned if one.poison is poison]
    if not found:
        raise NotSeen(f"no session lasted until a frame with {poison.value} was tried")
    expect(not any(one.taken for one in found), f"a frame with {poison.value} was taken and acknowledged")
    return f"a frame with {poison.value} was dropped"


def noise_is_dropped(seen: RunTranscript) -> str:
    """F-4"""
    evidence = tempted(seen, Poison.WRONG_CHECK)
    resets = [one for one in frames(seen) if one.frame.message == RESET and isinstance(one.message, m.Reset)]
    expect(
        not any(one.message.reason is ResetReason.BAD_HELLO for one in resets if isinstance(one.message, m.Reset)),
        "noise ended a session",
    )
    return evidence


def flags_are_understood(seen: RunTranscript) -> str:
    """F-5"""
    wrong = {one.frame.flags & ~KNOWN_FLAGS for one in frames(seen)} - {0}
    expect(not wrong, f"the host sets flags that no version has: {sorted(wrong)}")
    if seen.key is not None:
        return "the host sets known flags only"
    return tempted(seen, Poison.UNKNOWN_FLAG)


def hellos_have_version_one(seen: RunTranscript) -> str:
    """V-1"""
    hellos = [one.frame for greeting in seen.greetings for one in greeting.frames]
    if not hellos:
        raise NotSeen("no hello came")
    versions = {frame.version for frame in hellos}
    expect(versions == {HELLO_VERSION}, f"hellos have the header versions {sorted(versions)}")
    return f"{len(hellos)} hellos with header version {HELLO_VERSION}"


def sessions_have_their_version(seen: RunTranscript) -> str:
    """V-2"""
    versions = {one.frame.version for one in frames(seen)}
    expect(versions <= {VERSION}, f"frames of a session have the versions {sorted(versions)}")
    if seen.key is not None:
        return f"all frames have version {VERSION}"
    return f"all frames have version {VERSION}; {tempted(seen, Poison.OTHER_VERSION)}"


def another_version_ends_the_session(seen: RunTranscript) -> str:
    """V-4"""
    numbers = [number for number, why in seen.impostors.items() if why == VERSION_ACT]
    if not numbers:
        raise NotSeen("no host came back to be welcomed in a version that it did not offer")
    said = [one for one in seen.strays if one.frame.session in numbers]
    other = [one for one in said if one.frame.message != RESET]
    expect(not other, "the host uses a session of a version that it did not offer")
    resets = [one.message for one in said if isinstance(one.message, m.Reset)]
    if not resets and not seen.quiet_line:
        raise NotSeen("the line may have lost the host's reset")
    expect(bool(resets), "the host does not end a session of a version that it did not offer with a Reset")
    expect(
        resets[0] is not None and resets[0].reason is ResetReason.VERSION,
        f"it ends it with {resets[0].reason.name if resets[0] else ''}",
    )
    return "welcomed in version 9, the host sent Reset VERSION"


# --------------------------------------------------------------------------------------------------------------- hellos


def hellos_are_repeated(seen: RunTranscript) -> str:
    """H-1"""
    if not seen.greetings:
        raise NotSeen("no hello came")
    for greeting in seen.greetings:
        for one in greeting.frames:
            head = one.frame
            zero = head.session == head.sequence == head.acknowledge == head.request == 0
            expect(
                zero,
                f"a hello has session {head.session}, sequence {head.sequence}, acknowledge {head.acknowledge},"
                f" request {head.request}",
            )
        expect(len({one.frame.body for one in greeting.frames}) == 1, "a repeated hello has other bytes")
    first = seen.greetings[0]
    begun = first.frames[0].at
    count = sum(one.at - begun < first.withheld_us for one in first.frames)
    expect(count <= MOST_HELLOS, f"{count} hellos came in {first.withheld_us / 1e6:.0f} s: the wait must double")
    if count < 2:
        raise NotSeen("the first hello was answered before it was repeated")
    if seen.quiet_line:
        gaps = [(after.at - before.at) / 1000 for before, after in pairwise(first.frames)]
        least = 0.75 * 250 - seen.jitter_us / 1000
        expect(min(gaps) >= least, f"a hello was repeated after {min(gaps):.0f} ms, not 250")
    return f"{count} hellos in {first.withheld_us / 1e6:.0f} s without an answer, the same bytes"


def other_welcomes_are_dropped(seen: RunTranscript) -> str:
    """H-3"""
    numbers = [number for number, why in seen.impostors.items() if why == "another nonce"]
    if not numbers:
        raise NotSeen("no hello came")
    used = [one for one in seen.strays if one.frame.session in numbers]
    expect(not used, "the host uses a session whose welcome echoes another nonce")
    some_session(seen)
    return "a welcome with another nonce was dropped"


def a_heartbeat_comes_first(seen: RunTranscript) -> str:
    """H-5"""
    sessions = some_session(seen)
    first = [
        any(
            one.frame.message == HEARTBEAT and one.at - session.begun <= AT_ONCE_US + seen.jitter_us
            for one in session.host[:4]
        )
        for session in sessions
    ]
    if not any(first):
        if not seen.quiet_line and len(sessions) < ENOUGH_SESSIONS:
            raise NotSeen("the line may have lost the first heartbeat")
        raise Failed(f"in {len(sessions)} sessions no Heartbeat came at once after the welcome")
    return f"a Heartbeat came at once in {sum(first)} of {len(sessions)} sessions"


def limits_are_kept(seen: RunTranscript) -> str:
    """H-7"""
    longest = 0
    for session in some_session(seen):
        extra = 24 if seen.key is not None else 0
        for one in session.host:
            size = len(one.frame.body) - extra
            longest = max(longest, size)
            expect(
                size <= session.welcome.max_body, f"a body of {size} bytes came, agreed were {session.welcome.max_body}"
            )
    return f"the longest body had {longest} bytes"


def a_memory_that_was_set_back_is_refused(seen: RunTranscript) -> str:
    """H-8"""
    numbers = [number for number, why in seen.impostors.items() if why == SET_BACK]
    if not numbers:
        raise NotSeen("no host that stores events came back to a device whose memory was set back")
    said = [one for one in seen.strays if one.frame.session in numbers]
    commands = [one for one in said if one.frame.sequence]
    expect(not commands, "the host goes on with a device whose memory was set back")
    resets = [one.message for one in said if isinstance(one.message, m.Reset)]
    if not resets and not seen.quiet_line:
        raise NotSeen("the line may have lost the host's reset")
    expect(
        any(one.reason is ResetReason.SET_BACK for one in resets if isinstance(one, m.Reset)),
        "the host does not end such a session with Reset SET_BACK",
    )
    return "told of fewer events than it has stored, the host sent Reset SET_BACK"


def events_come_before_effects(seen: RunTranscript) -> str:
    """H-9"""
    judged = 0
    told: dict[int, int] = {}  # of each epoch, in earlier sessions: the host may have stored it then
    for session in plain_sessions(seen):
        last, before = session.welcome.last_event, told.get(session.welcome.epoch, 0)
        told[session.welcome.epoch] = max(before, newest_event(session))
        if last <= max(before, session.welcome.acknowledged_event):
            continue
        events = [one for one in session.device if isinstance(one.message, m.Event)]
        number = next((one.frame.sequence for one in events if _is_event(one, last)), None)
        for one in session.host:
            entry = BY_NUMBER.get(one.frame.message)
            if entry is not None and entry.effect and not one.frame.flags & RETRANSMITTED:
                come = number is not None and one.frame.acknowledge >= number
                expect(come, f"{entry.name} was sent before event {last} had come")
                judged += 1
                break
    if not judged:
        raise NotSeen("no command with an effect followed a welcome with events to come")
    return f"in {judged} sessions every event came before the first command with an effect"


def _is_event(one: SeenFrame, number: int) -> bool:
    return isinstance(one.message, m.Event) and one.message.number == number


def the_offer_makes_sense(seen: RunTranscript) -> str:
    """P-1"""
    if not seen.greetings:
        raise NotSeen("no hello came")
    for greeting in seen.greetings:
        hello = greeting.hello
        expect(MIN_BODY <= hello.max_body <= MAX_BODY, f"a hello offers bodies of {hello.max_body} bytes")
        expect(hello.window >= 1, "a hello offers a window of 0")
    return f"window {seen.greetings[0].hello.window}, bodies of {seen.greetings[0].hello.max_body} bytes"


def a_key_seals_everything(seen: RunTranscript) -> str:
    """X-1"""
    if seen.key is None:
        raise NotApplicable("no key is set: give --secure to check secure mode")
    for greeting in seen.greetings:
        expect(bool(greeting.hello.must & Capability.SECURE), "a host with a key does not demand SECURE")
    plain = [one for one in frames(seen) if not one.frame.flags & SEALED]
    expect(not plain, "the host sends unsealed frames in a sealed session")
    return f"every frame was sealed; {tempted(seen, Poison.UNSEALED)}"


def forged_frames_are_dropped(seen: RunTranscript) -> str:
    """X-4"""
    if seen.key is None:
        raise NotApplicable("no key is set: give --secure to check secure mode")
    return tempted(seen, Poison.BAD_SEAL)

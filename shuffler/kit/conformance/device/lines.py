"""Checks of conventions, framing and versions: B, F and V."""

from protocol import messages as m
from protocol.catalogue import fingerprint
from protocol.codec import encode_body
from protocol.framing import HELLO_VERSION, MAX_ENCODED, VERSION, wrap
from protocol.limits import MAX_BODY
from protocol.vocabulary import Capability, ErrorCode, ResetReason
from shuffler.kit.conformance.device.bench import SuiteBench, error_of, refused
from shuffler.kit.conformance.device.talk import Talk
from shuffler.kit.conformance.verdict import Failed, expect

UNKNOWN_NUMBER = 0x7E
UNKNOWN_BIT = 0x4000_0000
TRIES = 5


def _question(
    talk: Talk, sequence: int, request: int, *, flags: int = 0, version: int = VERSION
) -> bytes:
    number = m.GetInfo.entry.number
    return talk.frame(number, b"", sequence=sequence, request=request, flags=flags, version=version)


def _ignored(talk: Talk, frame: bytes, request: int, what: str) -> None:
    """Send it a few times: it must not be answered; the same place in the order then takes a sound question."""
    for _ in range(TRIES):
        talk.line.put(frame)
    talk.quiet()
    expect(talk.reply(request, 0) is None, f"{what} was answered")
    expect(talk.peer_has == talk.sent, f"{what} was acknowledged")
    talk.still_answers(what)


def malformed_bodies_are_refused(bench: SuiteBench) -> str:
    """B-4"""
    talk = bench.open(may=Capability(UNKNOWN_BIT))
    bodies: dict[str, tuple[type[m.Message], bytes]] = {
        "GetStatus with a byte too many": (m.GetStatus, b"\0"),
        "BeginRound cut short": (m.BeginRound, b"\1\0\0"),
        "ServiceMode with the bool 2": (m.ServiceMode, b"\2"),
        "AskChallenge for the role 99": (m.AskChallenge, b"\x63"),
    }
    for what, (kind, body) in bodies.items():
        request = talk.new_request()
        talk.post_raw(kind.entry.number, body, request)
        answer = talk.reply(request)
        if answer is None or answer.message is None:
            raise Failed(f"{what} got no answer")
        error_of(answer.message, ErrorCode.MALFORMED, what)
    return f"{len(bodies)} malformed bodies got MALFORMED; an unknown capability bit was ignored"


def frames_are_found_between_zeros(bench: SuiteBench) -> str:
    """F-1"""
    talk = bench.open()
    for prefix, suffix in ((b"\0\0\0\0", b"\0\0\0"), (b"\x11\x22\x33", b""), (b"", b"\0\0")):
        request = talk.new_request()
        talk.post_raw(m.GetInfo.entry.number, b"", request, before=prefix, behind=suffix)
        if talk.reply(request) is None:
            raise Failed(f"a frame behind {prefix.hex(' ') or 'nothing'} is not taken")
    for _ in range(8):
        talk.ask(m.GetStatus())
    pieces = bytes(bench.line.raw).count(b"\0\0")
    frames = len(bench.line.raw.replace(b"\0\0", b"\0").split(b"\0")) - 1
    expect(frames < 8 or pieces * 2 >= frames, f"{frames} frames came with {pieces} doubled delimiters: one is missing")
    return f"frames between any number of zeros are taken; the device's own {frames} stand between two each"


def the_check_is_crc_32c(bench: SuiteBench) -> str:
    """F-2"""
    garbage = bench.line.framer.garbage
    came = sum(len(talk.arrivals) for talk in bench.talks)
    talk = bench.open()
    sequence, request = talk.sent + 1, talk.new_request()
    _ignored(
        talk,
        talk.spoilt(m.GetInfo.entry.number, b"", sequence=sequence, request=request),
        request,
        "a frame with a wrong check",
    )
    return f"{came} sound frames came, {garbage.bad_crc} with a wrong check; one sent with a wrong check was dropped"


def long_noise_costs_only_itself(bench: SuiteBench) -> str:
    """F-3"""
    talk = bench.open()
    talk.line.put(b"\x2a" * (MAX_ENCODED + 500))
    talk.line.put(b"\0")
    talk.still_answers("an endless piece")
    request = talk.new_request()
    talk.post_raw(m.GetInfo.entry.number, bytes(MAX_BODY), request)
    answer = talk.reply(request)
    if answer is None or answer.message is None:
        raise Failed(f"a frame with a body of {MAX_BODY:,} bytes is not taken")
    error_of(answer.message, ErrorCode.MALFORMED, f"GetInfo with {MAX_BODY:,} bytes")
    return f"{MAX_ENCODED + 500:,} bytes without a delimiter were thrown away; a body of {MAX_BODY:,} bytes was taken"


def noise_is_dropped_in_silence(bench: SuiteBench) -> str:
    """F-4"""
    talk = bench.open()
    short = wrap(b"\1\2\3", b"")
    sequence, request = talk.sent + 1, talk.new_request()
    spoilt = talk.spoilt(m.GetInfo.entry.number, b"", sequence=sequence, request=request)
    before = len(talk.arrivals)
    for noise in (b"\0\x05\x01\0", short, spoilt, b"\0" + b"\xff" * 40 + b"\0"):
        for _ in range(TRIES):
            talk.line.put(noise)
    talk.quiet()
    said = [one for one in talk.arrivals[before:] if one.frame.sequence and one.frame.request == request]
    expect(not said, "noise was answered")
    ended = talk.ended
    expect(ended is None, f"noise ended the session: {ended.reason.name if ended else ''}")
    talk.still_answers("noise")
    return "pieces that are no COBS, too short or wrong in their check were dropped, and nothing was sent"


def upper_flags_must_be_understood(bench: SuiteBench) -> str:
    """F-5"""
    talk = bench.open()
    sequence, request = talk.sent + 1, talk.new_request()
    _ignored(talk, _question(talk, sequence, request, flags=0x40), request, "a frame with the unknown flag 0x40")
    request = talk.new_request()
    talk.post_raw(m.GetInfo.entry.number, b"", request, flags=0x02)
    expect(talk.reply(request) is not None, "a frame with the unknown flag 0x02 is dropped; lower bits may be ignored")
    return "0x40 was dropped, 0x02 ignored"


def hellos_are_framed_with_version_one(bench: SuiteBench) -> str:
    """V-1"""
    talk_of = bench.greet(bench.hello(version_min=VERSION, version_max=VERSION, must=Capability(UNKNOWN_BIT)))
    expect(talk_of.frame.version == HELLO_VERSION, f"a refusal has header version {talk_of.frame.version}")
    if bench.key is not None:
        return f"a refusal has header version {HELLO_VERSION}"
    welcome = bench.greet(bench.hello())
    expect(welcome.frame.version == HELLO_VERSION, f"the welcome has header version {welcome.frame.version}")
    return f"welcome and refusal have header version {HELLO_VERSION}"


def sessions_carry_their_version(bench: SuiteBench) -> str:
    """V-2"""
    talk = bench.open()
    talk.ask(m.GetInfo())
    versions = {one.frame.version for one in talk.arrivals}
    expect(versions == {VERSION}, f"frames of the session have the versions {sorted(versions)}")
    sequence, request = talk.sent + 1, talk.new_request()
    _ignored(talk, _question(talk, sequence, request, version=VERSION + 1), request, "a frame of another version")
    return f"all frames have version {VERSION}; one of version {VERSION + 1} was dropped"


def other_versions_are_refused(bench: SuiteBench) -> str:
    """V-3"""
    told = []
    for least, most in ((7, 9), (1, 1), (VERSION + 1, VERSION + 1)):
        what = f"a host of versions {least} to {most}"
        answer = bench.greet(bench.hello(version_min=least, version_max=most))
        refused(answer, ResetReason.VERSION, what)
        assert isinstance(answer.answer, m.Reset)
        expect(str(VERSION) in answer.answer.text, f"the refusal does not name its version: “{answer.answer.text}”")
        told.append(answer.answer.text)
    if bench.key is None:
        wide = bench.greet(bench.hello(version_min=1, version_max=200)).answer
        expect(
            isinstance(wide, m.Welcome) and wide.version == VERSION, "a host of versions 1 to 200 is not welcomed in 2"
        )
    return f"“{told[0]}”"


def unknown_messages_are_refused(bench: SuiteBench) -> str:
    """V-5"""
    talk = bench.open()
    said = []
    for number in (UNKNOWN_NUMBER, m.GroupReady.entry.number, m.Done.entry.number):
        request = talk.new_request()
        talk.post_raw(number, encode_body(m.Done()), request)
        answer = talk.reply(request)
        if answer is None or not isinstance(answer.message, m.Error):
            raise Failed(f"message 0x{number:02x} got no Error")
        said.append(answer.message.code.name)
    expect(said[0] == ErrorCode.UNKNOWN_MESSAGE.name, f"an unknown number got {said[0]}")
    return f"an unknown number, an event and a reply sent as commands got {', '.join(said)}"


def fingerprints_are_told_not_enforced(bench: SuiteBench) -> str:
    """V-6"""
    talk = bench.open(fingerprint=bytes(8))
    told = talk.welcome.fingerprint
    expect(told == fingerprint(), f"the device was made from another state of the reference: {told.hex()}")
    return f"a host of another fingerprint was welcomed; the device's is {told.hex()}"

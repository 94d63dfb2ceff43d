"""Checks of secure mode and roles: X and R."""

from protocol import messages as m
from protocol.codec import encode_body
from protocol.framing import SEALED, pack_header, wrap
from protocol.link import RESET
from protocol.secure import PUBLIC_BYTES
from protocol.vocabulary import Capability, ErrorCode, ResetReason, Role
from shuffler.kit.conformance.device.bench import SuiteBench, error_of, refused
from shuffler.kit.conformance.device.lines import TRIES
from shuffler.kit.conformance.device.talk import secured
from shuffler.kit.conformance.spoiling import flipped
from shuffler.kit.conformance.verdict import NotApplicable, expect

INFO = m.GetInfo.entry.number


def _keyed(bench: SuiteBench) -> bytes:
    if bench.key is None:
        raise NotApplicable("no key is set: give --secure to check secure mode")
    return bench.key


def a_key_closes_plain_sessions(bench: SuiteBench) -> str:
    """X-1"""
    _keyed(bench)
    evidence = refused(bench.greet(bench.hello()), ResetReason.SECURE_REQUIRED, "a plain hello")
    talk = bench.open()
    talk.ask(m.GetInfo())
    sequence, request = talk.sent + 1, talk.new_request()
    for _ in range(TRIES):
        talk.line.put(talk.frame(INFO, b"", sequence=sequence, request=request, sealed=False))
    talk.quiet()
    expect(talk.reply(request, 0) is None, "an unsealed command is answered")
    plain = [one for one in talk.arrivals if not one.sealed]
    expect(not plain, "the device sends unsealed frames in a sealed session")
    talk.still_answers("unsealed frames")
    return evidence


def the_handshake_is_judged(bench: SuiteBench) -> str:
    """X-2"""
    if bench.key is None:
        hello = bench.hello(must=Capability.SECURE, ephemeral=bench.chance(PUBLIC_BYTES))
        return refused(bench.greet(hello), ResetReason.SECURE_UNAVAILABLE, "a hello that demands a key")
    short = bench.hello(must=Capability.SECURE, ephemeral=bench.chance(PUBLIC_BYTES - 1))
    refused(bench.greet(short), ResetReason.BAD_HELLO, f"a public key of {PUBLIC_BYTES - 1} bytes")
    greeted, seal = secured(bench.line, bench.key, bench.chance, bench.hello())
    expect(greeted is not None and isinstance(greeted.answer, m.Welcome), "no welcome")
    expect(seal is not None, "the welcome's proof is not of this key and this handshake")
    wrong, other = secured(bench.line, bytes(32 * [0xA5]), bench.chance, bench.hello())
    expect(wrong is None or other is None, "the proof holds for another key, too")
    return "the proof in the welcome is of the key and of the whole handshake"


def every_frame_is_sealed_anew(bench: SuiteBench) -> str:
    """X-3"""
    _keyed(bench)
    talk = bench.open()
    for _ in range(5):
        expect(isinstance(talk.ask(m.GetInfo()), m.Info), "a sealed question is not answered")
    expect(all(one.frame.flags & SEALED for one in talk.arrivals), "a frame without SEALED came in a sealed session")
    return f"{len(talk.arrivals)} frames came, each opened by its counter"


def forged_frames_are_dropped(bench: SuiteBench) -> str:
    """X-4"""
    _keyed(bench)
    talk = bench.open()
    talk.ask(m.GetInfo())
    sequence, request = talk.sent + 1, talk.new_request()
    header = pack_header(SEALED, INFO, talk.number, sequence, talk.expected - 1, request)
    assert talk.seal is not None
    sealed = talk.seal.seal(header, b"")
    forged = sealed[:-4] + flipped(sealed[-4:])
    reset = encode_body(m.Reset(reason=ResetReason.CLOSED, text=""))
    for _ in range(TRIES):
        talk.line.put(wrap(header, forged))
        talk.line.put(talk.frame(RESET, reset, sealed=False))
    talk.quiet()
    expect(talk.reply(request, 0) is None, "a frame with a wrong tag is answered")
    expect(talk.ended is None, "a plain reset ended a sealed session")
    talk.still_answers("forged frames and a plain reset")
    note, copies = m.GetStatus(), len(talk.in_order)
    request = talk.new_request()
    frame = talk.message(note, sequence=talk.sent + 1, request=request)
    for _ in range(TRIES):
        talk.line.put(frame)
    talk.post(note, request)
    talk.reply(request)
    talk.quiet()
    came = [one for one in talk.in_order[copies:] if one.frame.request == request]
    expect(len(came) == 1, f"a sealed frame that came {TRIES} times was answered {len(came)} times")
    return "a wrong tag, a plain reset and a packet's second copy were dropped, and the session went on"


def roles_must_be_proved(bench: SuiteBench) -> str:
    """R-1"""
    talk = bench.open()
    evidence = error_of(talk.ask(m.ReadStub()), ErrorCode.NOT_AUTHORISED, "ReadStub without a role")
    error_of(talk.ask(m.RecallHand(round=1, seat=1)), ErrorCode.NOT_AUTHORISED, "RecallHand without a role")
    first, second = talk.ask(m.AskChallenge(role=Role.SUPERVISOR)), talk.ask(m.AskChallenge(role=Role.SUPERVISOR))
    if isinstance(first, m.Challenge) and isinstance(second, m.Challenge):
        expect(first.nonce != second.nonce, "two challenges have the same nonce")
    return evidence

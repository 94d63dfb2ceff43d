"""The secure session behind the vectors is one that both links accept."""

from protocol import messages as m
from protocol.render.handshake import KEY, handshake
from protocol.secure import Seal, derive, is_proof
from protocol.vocabulary import Capability


def test_it_is_the_same_every_time() -> None:
    assert handshake.__wrapped__() == handshake()


def test_both_ends_asked_for_secure_mode_and_the_proof_holds() -> None:
    made = handshake()
    assert made.hello.must & Capability.SECURE
    assert made.welcome.capabilities & Capability.SECURE
    assert made.keys == derive(KEY, made.shared, made.transcript)
    assert is_proof(made.keys, made.welcome.proof)


def test_it_shows_a_frame_of_every_kind() -> None:
    assert [(it.sender, type(it.message)) for it in handshake().sealed] == [
        ("host", m.Heartbeat),
        ("host", m.SelectGame),
        ("device", m.Done),
        ("device", m.GroupRemoved),
    ]


def test_each_sealed_frame_opens_once() -> None:
    made = handshake()
    device = Seal(send=made.keys.device, receive=made.keys.host)
    for sealed in made.sealed[:2]:
        header = sealed.line and bytes.fromhex(_header(sealed.frame))
        assert device.open(header, sealed.frame.body) is not None
        assert device.open(header, sealed.frame.body) is None


def _header(frame: tuple[int, ...]) -> str:
    sizes = (1, 1, 1, 4, 4, 4, 4)
    return b"".join(number.to_bytes(size, "little") for number, size in zip(frame[:7], sizes, strict=True)).hex()

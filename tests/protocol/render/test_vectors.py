"""The vectors stand on their own: each is checked here with the standard library from the words of the reference."""

import hashlib
import hmac
import json
from typing import Any

import pytest
from cobs import cobs
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from protocol.catalogue import CATALOGUE
from protocol.codec import decode_body
from protocol.commitment import Context, opens
from protocol.errors import RemoteProtocolError
from protocol.framing import Framer
from protocol.messages import Opening
from protocol.render.as_json import header_of, plain
from protocol.render.vectors import vectors
from tests.construct_oracle import construct_decode

VECTORS: dict[str, Any] = json.loads(vectors())


def unhex(text: str) -> bytes:
    return bytes.fromhex(text)


def u(number: int | str, size: int) -> bytes:
    return int(number).to_bytes(size, "little")


def built(fields: list[dict[str, Any]], values: dict[str, Any]) -> bytes:
    """A body from the JSON alone: schema and values."""
    out = b""
    for field in fields:
        value = values[field["name"]]
        match field["type"]:
            case "uint" | "enum" | "flags" | "bool":
                out += u(value, field["size"])
            case "bytes":
                assert len(unhex(value)) == field["size"]
                out += unhex(value)
            case "blob":
                out += u(len(unhex(value)), field["prefix"]) + unhex(value)
            case "text":
                out += u(len(value.encode()), field["prefix"]) + value.encode()
            case "cards" | "places":
                out += u(len(value), field["prefix"]) + bytes(value)
            case "record":
                out += built(VECTORS["records"][field["of"]], value)
            case "list":
                out += u(len(value), field["prefix"])
                out += b"".join(built(VECTORS["records"][field["of"]], each) for each in value)
            case other:
                raise AssertionError(other)
    return out


def fields_of(name: str) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = next(it["fields"] for it in VECTORS["catalogue"] if it["name"] == name)
    return fields


def header_bytes(header: dict[str, int]) -> bytes:
    return b"".join(u(header[field["name"]], int(field["type"][1:]) // 8) for field in VECTORS["protocol"]["header"])


# ------------------------------------------------------------------------------------------------------------ messages


@pytest.mark.parametrize("case", VECTORS["messages"], ids=lambda case: f"{case['message']}-{case['example']}")
def test_a_message_can_be_built_from_schema_and_values_alone(case: dict[str, Any]) -> None:
    body = built(fields_of(case["message"]), case["fields"])
    assert body.hex() == case["body"]
    line = unhex(case["frame"])
    assert line[0] == line[-1] == 0
    assert cobs.decode(line[1:-1])[:-4] == header_bytes(case["header"]) + body
    assert plain(decode_body(case["header"]["message"], body)) == case["fields"]


def test_every_message_is_there_with_several_examples() -> None:
    for entry in CATALOGUE:
        cases = [case for case in VECTORS["messages"] if case["message"] == entry.name]
        assert len(cases) == 1 if not fields_of(entry.name) else len(cases) >= 2


def test_every_word_of_an_enumeration_field_is_in_the_file() -> None:
    named = {field["of"] for it in VECTORS["catalogue"] for field in it["fields"] if field["type"] in ("enum", "flags")}
    assert named <= set(VECTORS["enums"])
    assert VECTORS["enums"]["Role"]["SUPERVISOR"] == 1


def test_the_fingerprint_can_be_made_from_the_layout_strings() -> None:
    lines = [f"{it['number']:02x} {it['name']} {it['layout']}" for it in VECTORS["catalogue"]]
    assert hashlib.sha256("\n".join(lines).encode()).digest()[:8].hex() == VECTORS["protocol"]["fingerprint"]


@pytest.mark.parametrize("case", VECTORS["refused_bodies"], ids=lambda case: case["why"])
def test_a_refused_body_is_refused(case: dict[str, Any]) -> None:
    for decode in (decode_body, construct_decode):
        with pytest.raises(RemoteProtocolError):
            decode(case["number"], unhex(case["body"]))


@pytest.mark.parametrize("case", VECTORS["streams"], ids=lambda case: case["name"])
def test_a_stream_has_the_frames_it_says(case: dict[str, Any]) -> None:
    frames = Framer().feed(unhex(case["stream"]))
    assert [{"header": header_of(it), "body": it.body.hex()} for it in frames] == case["frames"]
    assert frames or sum(case["noise"].values())


def test_streams_show_every_kind_of_noise() -> None:
    for kind in ("too_long", "not_cobs", "too_short", "bad_crc"):
        assert any(case["noise"][kind] for case in VECTORS["streams"]), kind


# --------------------------------------------------------------------------------------------------------- secure mode


def hkdf(*, salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869 by its own words."""
    key = hmac.new(salt, secret, hashlib.sha256).digest()
    out = block = b""
    for number in range(1, -(-length // 32) + 1):
        block = hmac.new(key, block + info + bytes((number,)), hashlib.sha256).digest()
        out += block
    return out[:length]


def test_the_secure_handshake_follows_from_its_inputs() -> None:
    case = VECTORS["secure"]
    private = X25519PrivateKey.from_private_bytes(unhex(case["host_private"]))
    other = X25519PrivateKey.from_private_bytes(unhex(case["device_private"]))
    assert private.public_key().public_bytes_raw().hex() == case["hello"]["fields"]["ephemeral"]
    assert other.public_key().public_bytes_raw().hex() == case["welcome"]["fields"]["ephemeral"]
    shared = private.exchange(X25519PublicKey.from_public_bytes(unhex(case["welcome"]["fields"]["ephemeral"])))
    assert shared.hex() == case["shared"] == other.exchange(private.public_key()).hex()

    without_proof = built(fields_of("Welcome"), case["welcome"]["fields"] | {"proof": ""})
    parts = (unhex(case["hello"]["body"]), without_proof, u(case["session"], 4))
    transcript = b"".join(u(len(part), 4) + part for part in parts)
    assert transcript.hex() == case["transcript"]
    digest = hashlib.sha256(transcript).digest()
    assert digest.hex() == case["digest"]

    info = case["info_prefix"].encode() + digest
    okm = hkdf(salt=unhex(case["pre_shared_key"]), secret=shared, info=info, length=96)
    assert [okm[:32].hex(), okm[32:64].hex(), okm[64:].hex()] == [
        case["host_key"],
        case["device_key"],
        case["proof_key"],
    ]
    proof = hmac.new(okm[64:], case["proof_label"].encode() + digest, hashlib.sha256).hexdigest()
    assert proof == case["proof"] == case["welcome"]["fields"]["proof"]
    assert case["welcome"]["header"]["session"] == case["session"]


@pytest.mark.parametrize("case", VECTORS["secure"]["frames"], ids=lambda case: f"{case['from']}-{case['message']}")
def test_a_sealed_frame_opens_with_its_senders_key_and_no_other(case: dict[str, Any]) -> None:
    secure = VECTORS["secure"]
    sealed, data = unhex(case["sealed_body"]), unhex(case["associated_data"])
    assert data == header_bytes(case["header"])
    assert sealed[:8] == u(case["counter"], 8)
    key = unhex(secure[f"{case['from']}_key"])
    clear = ChaCha20Poly1305(key).decrypt(bytes(4) + sealed[:8], sealed[8:], data)
    assert clear.hex() == case["clear_body"]
    assert clear == built(fields_of(case["message"]), case["fields"])
    (frame,) = Framer().feed(unhex(case["frame"]))
    assert frame.body == sealed
    other = unhex(secure["device_key" if case["from"] == "host" else "host_key"])
    with pytest.raises(InvalidTag):
        ChaCha20Poly1305(other).decrypt(bytes(4) + sealed[:8], sealed[8:], data)


def test_packet_counters_start_at_one_in_each_direction() -> None:
    for end in ("host", "device"):
        counters = [int(case["counter"]) for case in VECTORS["secure"]["frames"] if case["from"] == end]
        assert counters == list(range(1, len(counters) + 1))


# ------------------------------------------------------------------------------------------- roles, commitment, the log


def test_the_role_proof_follows_from_its_inputs() -> None:
    case = VECTORS["role"]
    domain = unhex(case["domain"])
    key = hashlib.sha256(domain + case["secret"].encode()).digest()
    assert key.hex() == case["key"]
    message = domain + case["serial"].encode() + b"\0" + u(case["session"], 4) + u(case["role"], 1)
    message += unhex(case["nonce"])
    assert hmac.new(key, message, hashlib.sha256).hexdigest() == case["proof"]


def test_the_root_follows_from_cards_and_salts() -> None:
    case, context = VECTORS["commitment"], VECTORS["commitment"]["context"]
    serial, nonce = context["serial"].encode(), unhex(context["nonce"])
    prefix = b"shuffler-bench/commitment/1/leaf\0" + u(len(serial), 1) + serial + u(context["epoch"], 8)
    prefix += u(context["shuffle"], 4) + u(context["game"], 1) + u(context["count"], 2) + u(len(nonce), 1) + nonce
    assert prefix.hex() == case["leaf_prefix"]
    salts = unhex(case["salts"])
    level = [
        hashlib.sha256(prefix + u(at, 2) + u(card, 1) + salts[32 * at : 32 * at + 32]).digest()
        for at, card in enumerate(case["cards"] or case["places"])
    ]
    level += [hashlib.sha256(unhex(case["empty_domain"])).digest()] * (64 - len(level))
    while len(level) > 1:
        level = [
            hashlib.sha256(unhex(case["node_domain"]) + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=True)
        ]
    assert level[0].hex() == case["root"]


@pytest.mark.parametrize("case", VECTORS["commitment"]["openings"], ids=lambda case: case.get("why", case["first"]))
def test_openings_open_or_not_as_they_say(case: dict[str, Any]) -> None:
    given = VECTORS["commitment"]["context"]
    context = Context(
        serial=given["serial"], epoch=int(given["epoch"]), shuffle=given["shuffle"], game=given["game"],
        count=given["count"], nonce=unhex(given["nonce"]),
    )  # fmt: skip
    opening = Opening(
        first=case["first"], cards=tuple(case["cards"]), places=tuple(case["places"]), salts=unhex(case["salts"]),
        proof=unhex(case["proof"]),
    )
    assert opens(context, unhex(VECTORS["commitment"]["root"]), opening) is case["opens"] is ("why" not in case)


def test_the_log_follows_from_the_hash_before() -> None:
    case = VECTORS["log"]
    previous = unhex(case["hash_before"])
    for line in case["lines"]:
        message = unhex(case["domain"]) + previous + u(line["number"], 4) + u(line["time_ms"], 8)
        previous = hashlib.sha256(message + line["text"].encode()).digest()
        assert previous.hex() == line["hash"]

"""RFC 3161 timestamps: the request that an authority answers, and the token that it gives.

A token is read for its digest and its time. Its signature is checked by `openssl ts`, which knows certificates.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from randomness.certification.errors import ReportError

MOST_BYTES = 1 << 20
_SEQUENCE, _OBJECT, _OCTETS, _TIME, _CONTEXT = 0x30, 0x06, 0x04, 0x18, 0xA0
_INTEGER, _NULL, _TRUE = b"\x02\x01\x01", b"\x05\x00", b"\x01\x01\xff"
_SHA256 = bytes.fromhex("0609608648016503040201")  # 2.16.840.1.101.3.4.2.1
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2
_TST_INFO = bytes.fromhex("2a864886f70d0109100104")  # 1.2.840.113549.1.9.16.1.4
LIMIT_S = 30


@dataclass(frozen=True, kw_only=True)
class Token:
    """A timestamp: DER bytes of the token alone, what it is over, when."""

    token: bytes
    imprint: bytes
    time: str


def query(digest: bytes) -> bytes:
    """A TimeStampReq for a SHA-256 digest, asking for the authority's certificate."""
    algorithm = _der(_SEQUENCE, _SHA256 + _NULL)
    number = bytearray(os.urandom(8))
    number[0] |= 0x80  # DER wants the shortest form: the zero byte before it is then needed
    nonce = b"\x02\x09\x00" + number
    return _der(_SEQUENCE, _INTEGER + _der(_SEQUENCE, algorithm + _der(_OCTETS, digest)) + nonce + _TRUE)


def parse(data: bytes) -> Token:
    """A token, or the answer of an authority that holds one; raises ReportError."""
    try:
        token = _token_in(data)
        info = _octets_after(token, _TST_INFO)
        fields = list(_parts(_only(info)))
        (_, algorithm), (_, imprint) = _parts(fields[2][1])
        if not algorithm.startswith(_SHA256):
            raise ReportError("the timestamp is not over a SHA-256 digest")
        time = next(body for tag, body in fields if tag == _TIME).decode("ascii")
        return Token(token=token, imprint=imprint, time=_readable(time))
    except (IndexError, ValueError, StopIteration):
        raise ReportError("the timestamp is no RFC 3161 token in DER form") from None


def verified(token: bytes, digest: bytes, authority: Path) -> tuple[bool, str]:
    """Whether a token is the authority's, by `openssl ts -verify`, and a phrase that says so."""
    with tempfile.NamedTemporaryFile(suffix=".tst") as file:
        file.write(token)
        file.flush()
        command = ["openssl", "ts", "-verify", "-digest", digest.hex(), "-in", file.name, "-token_in",
                   "-CAfile", str(authority)]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ReportError(f"openssl can't check the timestamp: {error}") from None
    good = done.returncode == 0
    return good, "signed by the given authority" if good else "NOT SIGNED by the given authority"


# ----- DER ------------------------------------------------------------------------------------------------------------


def _der(tag: int, body: bytes) -> bytes:
    assert len(body) < 128
    return bytes([tag, len(body)]) + body


def _token_in(data: bytes) -> bytes:
    """The ContentInfo: the data themselves, or the second part of a TimeStampResp."""
    first, *rest = _spans(_only(data))
    if first[0] == _OBJECT:
        if first[1] != _SIGNED_DATA:
            raise ValueError
        return data
    return rest[0][2]


def _octets_after(token: bytes, kind: bytes) -> bytes:
    """The octet string that follows an object identifier, one level of context tagging in between."""
    mark = bytes([_OBJECT, len(kind)]) + kind
    rest = token[token.index(mark) + len(mark) :]
    tag, body, _ = next(_spans(rest))
    if tag != _CONTEXT:
        raise ValueError
    tag, octets, _ = next(_spans(body))
    if tag != _OCTETS:
        raise ValueError
    return octets


def _only(data: bytes) -> bytes:
    """The body of the one sequence that the data are."""
    tag, body, whole = next(_spans(data))
    if tag != _SEQUENCE or len(whole) != len(data):
        raise ValueError
    return body


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    return ((tag, body) for tag, body, _ in _spans(data))


def _spans(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Tag, body and the whole of each value."""
    at = 0
    while at < len(data):
        start, tag, size = at, data[at], data[at + 1]
        at += 2
        if size & 0x80:
            many = size & 0x7F
            size = int.from_bytes(data[at : at + many], "big")
            at += many
        if at + size > len(data):
            raise ValueError
        yield tag, data[at : at + size], data[start : at + size]
        at += size


def _readable(time: str) -> str:
    """20261118142117Z as 2026-11-18T14:21:17Z."""
    if len(time) < 15 or not time[:14].isdigit() or not time.endswith("Z"):
        raise ValueError
    return f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:]}"

"""Frames on the byte stream: zero, COBS(header, body, CRC-32C), zero. Noise between frames damages no frame.

A delimiter comes before and after each frame, so that a damaged delimiter spoils only one frame.
"""

import struct
from dataclasses import dataclass
from typing import NamedTuple

from cobs import cobs
from mypy_extensions import mypyc_attr

from protocol.crc import SIZE as CRC_SIZE
from protocol.crc import crc32c
from protocol.layout import FORMATS, Field, Int
from protocol.limits import MAX_BODY

VERSION = 2
HELLO_VERSION = 1  # of hellos and their answers in every version, so that any two ends can report theirs
DELIMITER = b"\0"

# The receiver must understand the upper half of the flags and may ignore the lower half.
MUST_UNDERSTAND = 0xF0
SEALED = 0x80  # the body is a packet counter and an AEAD ciphertext
RETRANSMITTED = 0x01  # sent before under the same sequence number
KNOWN_FLAGS = SEALED | RETRANSMITTED

SEAL_OVERHEAD = 8 + 16  # counter and tag
HEADER = (
    Field("version", Int(1), "protocol version of the frame"),
    Field("flags", Int(1), "the receiver must understand the upper half"),
    Field("message", Int(1), "number of the message"),
    Field("session", Int(4), "random number of the session, chosen by the device; 0 in a hello and in its refusal"),
    Field("sequence", Int(4), "number of the frame within its direction of the session, from 1; 0 if unordered"),
    Field("acknowledge", Int(4), "every frame of the other direction up to this number has been received"),
    Field("request", Int(4), "id of the command, repeated in its reply; 0 in events"),
)
HEADER_SIZES = tuple(field.kind.size for field in HEADER if isinstance(field.kind, Int))
HEADER_FORMAT = struct.Struct("<" + "".join(FORMATS[size] for size in HEADER_SIZES))
HEADER_SIZE = HEADER_FORMAT.size
MAX_RAW = HEADER_SIZE + MAX_BODY + SEAL_OVERHEAD + CRC_SIZE
MAX_ENCODED = MAX_RAW + MAX_RAW // 254 + 1


class Frame(NamedTuple):
    """A valid frame: header fields as on the wire, then the body."""

    version: int
    flags: int
    message: int
    session: int
    sequence: int
    acknowledge: int
    request: int
    body: bytes


@dataclass(slots=True)
class Garbage:
    """Counts of noise by its kind."""

    too_long: int = 0
    not_cobs: int = 0
    too_short: int = 0
    bad_crc: int = 0

    @property
    def total(self) -> int:
        return self.too_long + self.not_cobs + self.too_short + self.bad_crc


_pack_header = HEADER_FORMAT.pack
_unpack_header = HEADER_FORMAT.unpack_from
_cobs_encode = cobs.encode
_cobs_decode = cobs.decode
_DecodeError = cobs.DecodeError
_RESIDUE = crc32c(crc32c(b"").to_bytes(CRC_SIZE, "little"))  # of any bytes followed by their own CRC


def pack_header(
    flags: int, message: int, session: int, sequence: int, acknowledge: int, request: int, version: int = VERSION
) -> bytes:
    """Return the bytes of a header; in secure mode they are also the associated data of the seal."""
    return _pack_header(version, flags, message, session, sequence, acknowledge, request)


def wrap(header: bytes, body: bytes) -> bytes:
    """Return a frame with its delimiters."""
    raw = header + body
    encoded: bytes = _cobs_encode(raw + crc32c(raw).to_bytes(CRC_SIZE, "little"))
    return DELIMITER + encoded + DELIMITER


def plain_frame(
    flags: int, message: int, session: int, sequence: int, acknowledge: int, request: int, body: bytes
) -> bytes:
    """Return an unsealed frame with its delimiters."""
    raw = _pack_header(VERSION, flags, message, session, sequence, acknowledge, request) + body
    encoded: bytes = _cobs_encode(raw + crc32c(raw).to_bytes(CRC_SIZE, "little"))
    return DELIMITER + encoded + DELIMITER


@mypyc_attr(allow_interpreted_subclasses=True)
class Framer:
    """Finds the frames in a byte stream, however it is split. Buffers less than one frame and never raises."""

    def __init__(self) -> None:
        self.garbage = Garbage()
        self._pending = b""
        self._skipping = False

    @property
    def pending(self) -> int:
        """The number of bytes buffered for an incomplete frame."""
        return len(self._pending)

    def feed(self, data: bytes) -> list[Frame]:
        """Return all frames that end within these bytes."""
        pieces = (self._pending + data).split(DELIMITER)
        pending = pieces.pop()
        if self._skipping and pieces:
            pieces[0] = b""
            self._skipping = False
            self.garbage.too_long += 1
        if self._skipping or len(pending) > MAX_ENCODED:
            self._skipping = True
            pending = b""
        self._pending = pending
        frames: list[Frame] = []
        for piece in pieces:
            if piece and (frame := self._decode(piece)) is not None:
                frames.append(frame)
        return frames

    def _decode(self, piece: bytes) -> Frame | None:
        if len(piece) > MAX_ENCODED:
            self.garbage.too_long += 1
            return None
        try:
            raw = _cobs_decode(piece)
        except _DecodeError:
            self.garbage.not_cobs += 1
            return None
        end = len(raw) - CRC_SIZE
        if end < HEADER_SIZE:
            self.garbage.too_short += 1
            return None
        if crc32c(raw) != _RESIDUE:
            self.garbage.bad_crc += 1
            return None
        return Frame._make((*_unpack_header(raw), raw[HEADER_SIZE:end]))

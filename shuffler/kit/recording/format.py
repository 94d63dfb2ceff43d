"""The file: a head, then pieces of the line as they came, each with its time and a check that chains it to all before.

Layout, version 2:

    "shufrec\\0", version (1 byte), then blocks: size (3 bytes), MessagePack, CRC-32C (4 bytes); little-endian
    first block   [start in microseconds since 1970, a note]
    others        [kind, microseconds since the piece before, bytes]
    last          a piece of kind END without bytes; a file without it was cut off

A check covers the check before it and its own block, so a piece that is changed, missing, doubled or moved is found.
Pure: bytes in, bytes out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

import msgspec

from protocol.crc import SIZE as CHECK_BYTES
from protocol.crc import crc32c
from shuffler.kit.recording.errors import BadRecording

MAGIC = b"shufrec\0"
VERSION = 2
PIECE_MAX = 1 << 20
SIZE_BYTES = 3
SIZE_MAX = 1 << 28

Us = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class PieceKind(IntEnum):
    """What a piece is."""

    HOST = 0  # bytes from the controller
    DEVICE = 1  # bytes from the device
    PLUGGED = 2  # the cable is in
    PULLED = 3  # the cable is out
    KEYS = 4  # a secure session's number (4 bytes) and its two keys, the host's and the device's (32 bytes each)
    END = 255


KEYS_BYTES = 4 + 32 + 32


@dataclass(frozen=True, slots=True)
class RecordedPiece:
    """Bytes that came together, or a change of the cable."""

    at_us: int  # since the start
    kind: PieceKind
    data: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A conversation as it was on the line."""

    started_us: int  # since 1970
    about: str
    pieces: tuple[RecordedPiece, ...]
    whole: bool = True  # False where the end is missing and the reader was told to take what there is


class _Head(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    started_us: Us
    about: str


class _Piece(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    kind: PieceKind
    passed_us: Us
    data: Annotated[bytes, msgspec.Meta(max_length=PIECE_MAX)]


_encode = msgspec.msgpack.Encoder().encode
_head = msgspec.msgpack.Decoder(_Head)
_piece = msgspec.msgpack.Decoder(_Piece)


class Writer:
    """Makes the bytes of a file, piece by piece."""

    def __init__(self) -> None:
        self._check = 0
        self._at_us = 0

    def head(self, started_us: int, about: str) -> bytes:
        """The start of the file."""
        return MAGIC + bytes((VERSION,)) + self._block(_encode(_Head(started_us, about)))

    def piece(self, piece: RecordedPiece) -> bytes:
        """The next piece; times that run backwards count as none passed."""
        passed = max(0, piece.at_us - self._at_us)
        self._at_us += passed
        return self._block(_encode(_Piece(piece.kind, passed, piece.data)))

    def end(self) -> bytes:
        """What shows that nothing is missing."""
        return self.piece(RecordedPiece(self._at_us, PieceKind.END))

    def _block(self, payload: bytes) -> bytes:
        block = len(payload).to_bytes(SIZE_BYTES, "little") + payload
        self._check = _check(self._check, block)
        return block + self._check.to_bytes(CHECK_BYTES, "little")


def written(recording: Recording) -> bytes:
    """A whole recording as a file."""
    writer = Writer()
    parts = [writer.head(recording.started_us, recording.about)]
    for piece in recording.pieces:
        whole = range(0, max(1, len(piece.data)), PIECE_MAX)
        parts += [writer.piece(RecordedPiece(piece.at_us, piece.kind, piece.data[at : at + PIECE_MAX])) for at in whole]
    return b"".join([*parts, writer.end()])


def read(data: bytes, *, cut_off: bool = False) -> Recording:
    """The recording in a file; raises BadRecording. `cut_off`: take what is sound of one whose end is missing."""
    reader = _Reader(data)
    head = reader.head()
    pieces: list[RecordedPiece] = []
    whole = False
    for piece in reader.pieces():
        if piece.kind is PieceKind.END:
            if reader.at != len(data):
                raise BadRecording(f"{len(data) - reader.at} bytes follow the recording's end: restore the file")
            whole = True
            break
        pieces.append(piece)
    if not whole and not cut_off:
        last_s = pieces[-1].at_us / 1e6 if pieces else 0.0
        raise BadRecording(
            f"the recording was cut off, or is still being written: its end is missing after piece {len(pieces)}"
            f" ({last_s:.3f} s); --cut-off reads what there is"
        )
    return Recording(started_us=head.started_us, about=head.about, pieces=tuple(pieces), whole=whole)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.at = len(MAGIC) + 1
        self._data = data
        self._check = 0

    def head(self) -> _Head:
        if not self._data.startswith(MAGIC):
            raise BadRecording("this is no recording: it does not begin as one (`shuffler proxy --record` makes them)")
        version = self._data[len(MAGIC) : self.at]
        if version and version[0] != VERSION:
            raise BadRecording(
                f"the recording has version {version[0]} of the format, this program reads {VERSION}: update it"
            )
        payload = self._block("the recording's head")
        try:
            return _head.decode(payload or b"")
        except msgspec.MsgspecError:
            raise BadRecording("the recording's head is damaged: restore the file from a copy") from None

    def pieces(self) -> Iterator[RecordedPiece]:
        """Every piece up to the end of the bytes."""
        at_us = count = 0
        while True:
            count += 1
            where = f"piece {count} ({at_us / 1e6:.3f} s, byte {self.at})"
            payload = self._block(where)
            if payload is None:
                return
            try:
                piece = _piece.decode(payload)
            except msgspec.MsgspecError as problem:
                raise BadRecording(f"{where} is of a kind that this program does not know ({problem})") from None
            if piece.kind is PieceKind.KEYS and len(piece.data) != KEYS_BYTES:
                raise BadRecording(f"{where} should hold a session's keys, but has {len(piece.data)} bytes")
            at_us += piece.passed_us
            yield RecordedPiece(at_us, piece.kind, piece.data)

    def _block(self, where: str) -> bytes | None:
        """The payload of the next block; None where the bytes end within it."""
        start = self.at + SIZE_BYTES
        end = start + int.from_bytes(self._data[self.at : start], "little")
        if start > len(self._data) or end + CHECK_BYTES > len(self._data):
            return None
        self._check = _check(self._check, self._data[self.at : end])
        if int.from_bytes(self._data[end : end + CHECK_BYTES], "little") != self._check:
            raise BadRecording(f"{where} is damaged: its check is wrong; restore the file from a copy")
        self.at = end + CHECK_BYTES
        return self._data[start:end]


def _check(before: int, block: bytes) -> int:
    return crc32c(before.to_bytes(CHECK_BYTES, "little") + block)

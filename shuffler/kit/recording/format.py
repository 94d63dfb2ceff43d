"""The file: a head, then pieces of the line as they came, each with its time and a check that chains it to all before.

Layout, version 1; numbers are unsigned LEB128 unless said otherwise, checks are CRC-32C, little-endian:

    head    "shufrec\\0", version (1 byte), start in microseconds since 1970, length and UTF-8 of a note, check
    piece   kind (1 byte), microseconds since the piece before, length, bytes, check
    end     a piece of kind END without bytes; a file without it was cut off

A check covers the check before it and its own piece, so a piece that is changed, missing, doubled or moved is found.
Pure: bytes in, bytes out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from protocol.crc import SIZE as CHECK_BYTES
from protocol.crc import crc32c
from shuffler.kit.recording.errors import BadRecording

MAGIC = b"shufrec\0"
VERSION = 1
PIECE_MAX = 1 << 20
SIZE_MAX = 1 << 28
US_MAX = 1 << 62
NUMBER_BYTES_MAX = 9


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


class Writer:
    """Makes the bytes of a file, piece by piece."""

    def __init__(self) -> None:
        self._check = 0
        self._at_us = 0

    def head(self, started_us: int, about: str) -> bytes:
        """The start of the file."""
        note = about.encode()
        return self._checked(MAGIC + bytes((VERSION,)) + _number(started_us) + _number(len(note)) + note)

    def piece(self, piece: RecordedPiece) -> bytes:
        """The next piece; times that run backwards count as none passed."""
        passed = max(0, piece.at_us - self._at_us)
        self._at_us += passed
        return self._checked(bytes((piece.kind,)) + _number(passed) + _number(len(piece.data)) + piece.data)

    def end(self) -> bytes:
        """What shows that nothing is missing."""
        return self.piece(RecordedPiece(self._at_us, PieceKind.END))

    def _checked(self, block: bytes) -> bytes:
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
    started_us, about = reader.head()
    pieces: list[RecordedPiece] = []
    try:
        for piece in reader.pieces():
            if piece.kind is PieceKind.END:
                if reader.at != len(data):
                    raise BadRecording(f"{len(data) - reader.at} bytes follow the recording's end: restore the file")
                return Recording(started_us=started_us, about=about, pieces=tuple(pieces))
            pieces.append(piece)
    except _Ended:
        if cut_off:
            return Recording(started_us=started_us, about=about, pieces=tuple(pieces), whole=False)
    last_s = pieces[-1].at_us / 1e6 if pieces else 0.0
    raise BadRecording(
        f"the recording was cut off, or is still being written: its end is missing after piece {len(pieces)}"
        f" ({last_s:.3f} s); --cut-off reads what there is"
    )


class _Ended(Exception):
    """The bytes ended within a piece."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._data = data
        self._check = 0
        self._count = 0

    def head(self) -> tuple[int, str]:
        if not self._data.startswith(MAGIC):
            raise BadRecording("this is no recording: it does not begin as one (`shuffler proxy --record` makes them)")
        try:
            self.at = len(MAGIC)
            version = self._take(1)[0]
            if version != VERSION:
                raise BadRecording(
                    f"the recording has version {version} of the format, this program reads {VERSION}: update it"
                )
            started_us, size = self._number(), self._number()
            if size > PIECE_MAX:
                raise BadRecording("the recording's head is damaged: restore the file from a copy")
            note = self._take(size)
            self._verify(0, "the recording's head")
            return started_us, note.decode()
        except (_Ended, UnicodeDecodeError):
            raise BadRecording("the recording's head is damaged: restore the file from a copy") from None

    def pieces(self) -> Iterator[RecordedPiece]:
        at_us = 0
        while self.at < len(self._data):
            start = self.at
            self._count += 1
            where = f"piece {self._count} ({at_us / 1e6:.3f} s, byte {start})"
            kind, passed, size = self._take(1)[0], self._number(), self._number()
            if size > PIECE_MAX or passed > US_MAX:
                raise BadRecording(f"{where} of the recording is damaged: restore the file from a copy")
            data = self._take(size)
            self._verify(start, where)
            at_us += passed
            if kind not in PieceKind.__members__.values():
                raise BadRecording(f"{where} is of a kind that this program does not know ({kind}): update it")
            if kind == PieceKind.KEYS and size != KEYS_BYTES:
                raise BadRecording(f"{where} should hold a session's keys, but has {size} bytes")
            yield RecordedPiece(at_us, PieceKind(kind), data)
        raise _Ended

    def _take(self, size: int) -> bytes:
        if self.at + size > len(self._data):
            raise _Ended
        self.at += size
        return self._data[self.at - size : self.at]

    def _number(self) -> int:
        value = 0
        for place in range(NUMBER_BYTES_MAX):
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value
        raise BadRecording(f"a number at byte {self.at} of the recording is damaged: restore the file from a copy")

    def _verify(self, start: int, where: str) -> None:
        block = self._data[start : self.at]
        self._check = _check(self._check, block)
        if int.from_bytes(self._take(CHECK_BYTES), "little") != self._check:
            raise BadRecording(f"{where} is damaged: its check is wrong; restore the file from a copy")


def _check(before: int, block: bytes) -> int:
    return crc32c(before.to_bytes(CHECK_BYTES, "little") + block)


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)

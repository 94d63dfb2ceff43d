"""A file or a pipe as bytes and as lines: unpacked (gzip, Zstandard), decoded (UTF-8, UTF-16), digested on the way.

What is inside is told by its first bytes, never by its name.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from randomness.certification.errors import RecordedError

COMMENTS = ("#", "//", "%", "sep=")
LONGEST_LINE = 1 << 20
"""What has no end is read in pieces of this size, each a line: memory stays bounded."""
_HEAD = 4096
_MOST_LAYERS = 3
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_NUMPY, _ZIP, _PARQUET = b"\x93NUMPY", b"PK\x03\x04", b"PAR1"
_REFUSED = {
    b"BZh": "a bzip2 file", b"\xfd7zXZ": "an xz file", b"7z\xbc\xaf": "a 7z archive", b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
}  # fmt: skip


class Hashed(io.RawIOBase):
    """Reads from another stream and digests what passes."""

    def __init__(self, inner: IO[bytes], marks: Collection[int] = ()) -> None:
        self._inner = inner
        self.sha256 = hashlib.sha256()
        self.passed = 0
        self.beginnings: dict[int, str] = {}
        """Digests of the first so many bytes, for each mark that was passed."""
        self._marks = sorted(set(marks))

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._inner.read(len(room))
        at = 0
        while self._marks and self._marks[0] <= self.passed + len(data):
            end = self._marks.pop(0) - self.passed
            self.sha256.update(data[at:end])
            self.beginnings[self.passed + end] = self.sha256.hexdigest()
            at = end
        self.sha256.update(data[at:])
        self.passed += len(data)
        room[: len(data)] = data
        return len(data)

    def release(self) -> None:
        """Close the file behind; standard input is not ours to close."""
        if self._inner is not sys.stdin.buffer:
            self._inner.close()


@dataclass(frozen=True, kw_only=True)
class Unpacked:
    """Bytes after every layer of compression, and what the layers were."""

    stream: io.BufferedReader[Any]
    compression: tuple[str, ...]
    head: bytes

    @property
    def is_numpy(self) -> bool:
        return self.head.startswith(_NUMPY)

    @property
    def is_archive(self) -> bool:
        return self.head.startswith(_ZIP)

    @property
    def is_parquet(self) -> bool:
        return self.head.startswith(_PARQUET)


def unpacked(raw: io.BufferedReader[Any], where: str) -> Unpacked:
    """Take every layer off."""
    stream: io.BufferedReader[Any] = raw
    layers: list[str] = []
    while len(layers) <= _MOST_LAYERS:
        head = _peeked(stream, where)
        if head.startswith(_GZIP):
            stream = io.BufferedReader(gzip.GzipFile(fileobj=stream, mode="rb"))
            layers.append("gzip")
        elif head.startswith(_ZSTD):
            stream = io.BufferedReader(
                _zstandard(where).ZstdDecompressor().stream_reader(stream, read_across_frames=True, closefd=False)
            )
            layers.append("Zstandard")
        else:
            break
    else:
        raise RecordedError(f"{where} is compressed more than {_MOST_LAYERS} times over: unpack it first")
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise RecordedError(
                f"{where} is {what}: expected CSV, JSON lines, .npy, .npz or Parquet, plain or gzip/zstd"
            )
    return Unpacked(stream=stream, compression=tuple(layers), head=head)


def _zstandard(where: str) -> Any:
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        raise RecordedError(
            f"{where} is compressed by Zstandard: install 'shuffler-bench[formats]', or unpack it"
        ) from None


def _peeked(stream: io.BufferedReader[Any], where: str) -> bytes:
    with readable(where):
        return stream.peek(_HEAD)[:_HEAD]


@contextmanager
def readable(where: str) -> Iterator[None]:
    """What goes wrong in a file's bytes, as one sentence."""
    try:
        yield
    except EOFError:
        raise RecordedError(f"{where} ends in the middle of its compressed data: copy it again") from None
    except OSError as error:
        raise RecordedError(f"can't read {where}: {error.strerror or error}") from None
    except zlib.error as error:
        raise RecordedError(f"{where} is damaged: {error}") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":  # of a package that may not be there
            raise RecordedError(f"{where} is damaged: {error}") from None
        raise


# ----- text -----------------------------------------------------------------------------------------------------------


def encoding_of(head: bytes) -> str:
    """By the mark at the beginning; without one, by where the zero bytes stand."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    pairs = len(head) // 2
    if pairs and head[1::2].count(0) > 0.4 * pairs:
        return "utf-16-le"
    if pairs and head[0::2].count(0) > 0.4 * pairs:
        return "utf-16-be"
    return "utf-8"


class TextLines:
    """Numbered lines without blank ones; `ahead` looks at the first without taking them."""

    def __init__(self, stream: io.BufferedReader[Any], encoding: str, where: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, errors="replace")
        self._where = where
        self._number = 0
        self._ended = True
        self._comment = False
        self.torn: int | None = None
        """The number of the line that was read last, if it has no end."""
        self._waiting: list[tuple[int, str]] = []

    def ahead(self, many: int) -> list[tuple[int, str]]:
        """The first so many, or all."""
        self._waiting = self.take(many)
        return self._waiting

    def take(self, many: int) -> list[tuple[int, str]]:
        """The next so many; fewer at the end."""
        taken, self._waiting = self._waiting[:many], self._waiting[many:]
        with readable(self._where):
            while len(taken) < many and (line := self._text.readline(LONGEST_LINE)):
                goes_on, self._ended = not self._ended, line.endswith("\n")
                self._number += not goes_on
                self._comment = self._comment if goes_on else line.lstrip().startswith(COMMENTS)
                if goes_on and self._comment:
                    continue
                self.torn = None if self._ended else self._number
                if text := line.strip("\ufeff \r\n\x00\x0b\x0c"):
                    taken.append((self._number, text))
        return taken


@dataclass(frozen=True, kw_only=True)
class WholeFile:
    """What one pass over a file tells."""

    sha256: str
    bytes: int
    lines: int
    """Of the text inside, after unpacking."""
    beginnings: Mapping[int, str]


def whole_file(where: str, marks: Collection[int] = ()) -> WholeFile:
    """Digest, size and lines, in one pass; a packed text is unpacked on the way."""
    raw = opened(where, marks)
    try:
        buffered = io.BufferedReader(raw, 1 << 20)
        lines = count_lines(unpacked(buffered, where).stream, where)
        with readable(where):
            while buffered.read(1 << 20):  # what follows the packed data
                pass
    finally:
        raw.release()
    return WholeFile(sha256=raw.sha256.hexdigest(), bytes=raw.passed, lines=lines, beginnings=raw.beginnings)


def count_lines(stream: io.BufferedReader[Any], where: str) -> int:
    """Line ends, and one more for a last line without one."""
    many, last = 0, b"\n"
    with readable(where):
        while data := stream.read(1 << 20):
            many += data.count(b"\n")
            last = data.rstrip(b"\0")[-1:] or last
    return many + (last != b"\n")


# ----- where it comes from --------------------------------------------------------------------------------------------


def opened(where: str, marks: Collection[int] = ()) -> Hashed:
    """Standard input for "-", or the file."""
    if where == "-":
        return Hashed(sys.stdin.buffer)
    path = Path(where)
    if path.is_dir():
        raise RecordedError(f"{where} is a folder: give one file")
    if not path.is_file():
        raise RecordedError(f"no file {where}")
    with readable(where):
        return Hashed(open(path, "rb"), marks)

"""Recordings on the disk: the edge with a clock and a file. A full disk ends the recording, not the conversation."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from firmware_sim.ports.capture.records import ControlLines, SerialEvent
from shuffler.kit.recording.errors import BadRecording
from shuffler.kit.recording.format import MAGIC, PIECE_MAX, SIZE_MAX, PieceKind, RecordedPiece, Recording, Writer, read

log = logging.getLogger(__name__)

_KINDS = {
    SerialEvent.RECEIVED: PieceKind.HOST,
    SerialEvent.TRANSMITTED: PieceKind.DEVICE,
    SerialEvent.STATUS_CHANGED: PieceKind.PULLED,
}


def steady_us() -> int:
    """Microseconds on a clock that nobody sets."""
    return time.monotonic_ns() // 1000


def wall_us() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class Recorder:
    """Writes a recording as things happen; a tap for a served device. Raises OSError where the file can't be made."""

    def __init__(
        self, path: Path, about: str = "", *, clock: Callable[[], int] = steady_us, size_max: int = SIZE_MAX
    ) -> None:
        self.path = path
        self._clock = clock
        self._start_us = clock()
        self._left = size_max
        self._writer = Writer()
        self._file = path.open("wb", buffering=0)
        self._ended = False
        self._put(self._writer.head(wall_us(), about))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """The end of the recording."""
        if not self._ended:
            self._put(self._writer.end())
        self._ended = True
        self._file.close()

    def serial(self, event: SerialEvent, lines: ControlLines, data: bytes = b"") -> None:  # noqa: ARG002
        """What a served device's line reports (`SerialSink`)."""
        self.note(_KINDS[event], data)

    def note(self, kind: PieceKind, data: bytes = b"") -> None:
        """One thing on the line, now."""
        now = self._clock() - self._start_us
        for at in range(0, max(1, len(data)), PIECE_MAX):
            if not self._ended:
                self._put(self._writer.piece(RecordedPiece(now, kind, data[at : at + PIECE_MAX])))

    def _put(self, block: bytes) -> None:
        self._left -= len(block)
        if self._left < 0:
            log.warning("recording %s has reached its limit and ends here, cut off", self.path)
            self._stop()
            return
        try:
            self._file.write(block)
        except OSError as error:
            log.warning("recording %s ends here, cut off: %s", self.path, error.strerror)
            self._stop()

    def _stop(self) -> None:
        self._ended = True
        self._file.close()


def load(path: Path, *, cut_off: bool = False) -> Recording:
    """The recording in a file; raises BadRecording, also where the file can't be read."""
    try:
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
            data = head + file.read(SIZE_MAX if head == MAGIC else 0)
    except OSError as problem:
        raise BadRecording(f"{path}: {problem.strerror or problem}") from None
    if len(data) >= SIZE_MAX:
        raise BadRecording(f"{path}: longer than a recording can be ({SIZE_MAX >> 20} MiB)")
    try:
        return read(data, cut_off=cut_off)
    except BadRecording as problem:
        raise BadRecording(f"{path}: {problem}") from None

"""What passed on one device's line: raw pieces for a capture, decoded frames for people. Bounded on both counts."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firmware_sim.ports.capture.pcapng import Direction, LinkType, interface, packet, section_header
from firmware_sim.ports.capture.records import ControlLines, SerialEvent, serial_record
from protocol.catalogue import BY_NUMBER
from protocol.framing import RETRANSMITTED, Frame, Framer, pack_header, wrap
from protocol.render.frames import frame_json

PIECES_BYTES = 8 << 20
FRAMES = 2000


@dataclass(frozen=True, slots=True)
class TranscriptPiece:
    """A piece of the stream as it came, or a change of the cable."""

    at_us: int  # since 1970
    event: SerialEvent
    lines: ControlLines
    data: bytes


class Transcript:
    """A sink for the line (`SerialSink`); frames are decoded when somebody looks, not while the device works."""

    def __init__(self, serial: str, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since 1970."""
        self.serial_number = serial
        self.count = 0  # of frames, ever
        self.retransmitted = 0
        self._clock = clock
        self._pieces: deque[TranscriptPiece] = deque()
        self._bytes = 0
        self._undecoded: deque[TranscriptPiece] = deque()
        self._waiting_bytes = 0
        self._frames: deque[dict[str, Any]] = deque(maxlen=FRAMES)
        self._framers = {SerialEvent.RECEIVED: Framer(), SerialEvent.TRANSMITTED: Framer()}
        self.bytes_in = self.bytes_out = 0

    def serial(self, event: SerialEvent, lines: ControlLines, data: bytes = b"") -> None:
        """The line's own report."""
        piece = TranscriptPiece(self._clock(), event, lines, data)
        for kept in (self._pieces, self._undecoded):
            kept.append(piece)
        self._bytes += len(data)
        self._waiting_bytes += len(data)
        while self._bytes > PIECES_BYTES:
            self._bytes -= len(self._pieces.popleft().data)
        if self._waiting_bytes > PIECES_BYTES // 8:
            self.decode()
        if event is SerialEvent.RECEIVED:
            self.bytes_in += len(data)
        elif event is SerialEvent.TRANSMITTED:
            self.bytes_out += len(data)

    @property
    def garbage(self) -> int:
        """Frames that the line spoiled."""
        return sum(framer.garbage.total for framer in self._framers.values())

    def decode(self) -> list[dict[str, Any]]:
        """Decode what has come since the last time; the new frames."""
        new: list[dict[str, Any]] = []
        while self._undecoded:
            piece = self._undecoded.popleft()
            self._waiting_bytes -= len(piece.data)
            if piece.event is SerialEvent.STATUS_CHANGED:
                new.append(self._numbered(piece, {"way": "cable", "message": "cable out"}))
                for framer in self._framers.values():
                    framer.feed(b"\0")
                continue
            way = "host" if piece.event is SerialEvent.RECEIVED else "device"
            for frame in self._framers[piece.event].feed(piece.data):
                self.retransmitted += bool(frame.flags & RETRANSMITTED)
                new.append(self._numbered(piece, {"way": way, **described(frame)}))
        self._frames.extend(new)
        return new

    def _numbered(self, piece: TranscriptPiece, what: dict[str, Any]) -> dict[str, Any]:
        self.count += 1
        return {"number": self.count, "at_us": piece.at_us, **what}

    def frames(self, after: int = 0, limit: int = FRAMES) -> list[dict[str, Any]]:
        """Decoded frames with a higher number, oldest first."""
        self.decode()
        return [frame for frame in self._frames if frame["number"] > after][:limit]

    def pcapng(self) -> bytes:
        """The raw pieces as a capture that Wireshark opens."""
        parts = [section_header("shuffler bench"), interface(LinkType.RTAC_SERIAL, f"serial {self.serial_number}")]
        for piece in self._pieces:
            way = Direction.OUTBOUND if piece.event is SerialEvent.TRANSMITTED else Direction.INBOUND
            record = serial_record(piece.event, piece.lines, piece.data, piece.at_us)
            parts.append(packet(0, piece.at_us, record, way))
        return b"".join(parts)


def described(frame: Frame) -> dict[str, Any]:
    """A frame by name and fields, and as the bytes on the line."""
    entry = BY_NUMBER.get(frame.message)
    line = wrap(
        pack_header(
            frame.flags, frame.message, frame.session, frame.sequence, frame.acknowledge, frame.request, frame.version
        ),
        frame.body,
    )
    return {
        **frame_json(frame),
        "meaning": entry.meaning if entry is not None else "",
        "group": entry.chapter.value if entry is not None else "",
        "line": line.hex(" "),
    }

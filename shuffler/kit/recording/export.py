"""A recording as a capture of a serial line that Wireshark opens. Pure."""

from firmware_sim.ports.capture.pcapng import Direction, LinkType, interface, packet, section_header
from firmware_sim.ports.capture.records import OPEN, SHUT, SerialEvent, serial_record
from shuffler.kit.recording.format import PieceKind, Recording

EVENTS = {
    PieceKind.HOST: (SerialEvent.RECEIVED, OPEN, Direction.INBOUND),
    PieceKind.DEVICE: (SerialEvent.TRANSMITTED, OPEN, Direction.OUTBOUND),
    PieceKind.PLUGGED: (SerialEvent.STATUS_CHANGED, OPEN, Direction.INBOUND),
    PieceKind.PULLED: (SerialEvent.STATUS_CHANGED, SHUT, Direction.INBOUND),
}
DATA_MAX = 65_536  # of one packet


def pcapng(recording: Recording) -> bytes:
    """The whole capture; keys are left out."""
    parts = [section_header("shuffler bench"), interface(LinkType.RTAC_SERIAL, recording.about or "recording")]
    for piece in recording.pieces:
        if piece.kind not in EVENTS:
            continue
        event, lines, direction = EVENTS[piece.kind]
        at_us = recording.started_us + piece.at_us
        for at in range(0, max(1, len(piece.data)), DATA_MAX):
            record = serial_record(event, lines, piece.data[at : at + DATA_MAX], at_us)
            parts.append(packet(0, at_us, record, direction))
    return b"".join(parts)

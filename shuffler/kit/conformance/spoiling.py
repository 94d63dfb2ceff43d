"""A sound frame made unsound on purpose, so that no noise on a bad line repairs it by chance."""

from cobs import cobs

from protocol.crc import SIZE as CRC_SIZE
from protocol.framing import DELIMITER

FLIPPED = 0x5A  # four bits of each byte: sixteen of a check, where a bad line flips eight at most


def wrong_check(frame: bytes) -> bytes:
    """The frame with a wrong check, delimiters included."""
    raw = cobs.decode(frame[1:-1])
    return DELIMITER + bytes(cobs.encode(raw[:-CRC_SIZE] + flipped(raw[-CRC_SIZE:]))) + DELIMITER


def flipped(data: bytes) -> bytes:
    """Every byte with half of its bits flipped."""
    return bytes(byte ^ FLIPPED for byte in data)

"""How bits are written in a file. Apart from the reader, so that the command line can name it without loading numpy."""

from enum import StrEnum


class BitFormat(StrEnum):
    """Raw bytes, ASCII zeros and ones, or whichever the beginning looks like."""

    AUTO = "auto"
    BYTES = "bytes"
    TEXT = "text"

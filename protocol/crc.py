"""The frame check: CRC-32C (Castagnoli), crcmod's "crc-32c"; 0xE3069283 over the ASCII digits 1 to 9."""

from collections.abc import Callable
from importlib import import_module

import crcmod.predefined

NAME = "crc-32c"
CHECK = 0xE3069283  # over b"123456789"
SIZE = 4

crc32c: Callable[[bytes], int] = crcmod.predefined.mkCrcFun(NAME)


def is_compiled() -> bool:
    """Whether crcmod has its C extension; the pure Python version is about 18 times slower."""
    return bool(import_module("crcmod.crcmod")._usingExtension)

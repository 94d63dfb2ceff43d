"""Connections for the USB/IP fuzz: one that does everything right, and many that do not."""

from collections.abc import Iterator
from random import Random

from firmware_sim.ports.usb.control import HANDLERS
from protocol.usb.requests import SetupPacket
from protocol.usb.usbip_wire import (
    HEADER_SIZE,
    TRANSFER_MAX,
    CmdSubmit,
    CmdUnlink,
    Op,
    build_submit,
    build_unlink,
    request_devices,
    request_import,
)

DEVICE_ID = 0x10001

SETUPS = {
    "device": "80 06  00 01  00 00  12 00",
    "configuration": "80 06  00 02  00 00  ff 00",
    "string": "80 06  03 03  09 04  ff 00",
    "status": "80 00  00 00  00 00  02 00",
    "configure": "00 09  01 00  00 00  00 00",
    "coding": "21 20  00 00  00 00  07 00",
    "lines": "21 22  03 00  00 00  00 00",
    "halt": "02 03  00 00  82 00  00 00",
    "clear": "02 01  00 00  82 00  00 00",
    "vendor": "c0 51  00 00  00 00  08 00",
    "reset": "23 03  04 00  01 00  00 00",
}
LINE_CODING = bytes.fromhex("00 c2 01 00  00 00 08")


def submit(seqnum: int, endpoint: int, *, data: bytes | None = None, length: int = 0, setup: str = "") -> bytes:
    raw = bytes.fromhex(SETUPS[setup]) if setup else bytes(8)
    command = CmdSubmit(
        seqnum=seqnum,
        device_id=DEVICE_ID,
        is_in=data is None,
        endpoint=endpoint,
        length=length if data is None else len(data),
        setup=raw,
    )
    return build_submit(command, data or b"")


def sound_conversation() -> list[bytes]:
    """A host that does everything right: enumerates, opens the port, talks, takes reads back."""
    return [
        request_devices(),
        request_import("1-1"),
        submit(1, 0, length=18, setup="device"),
        submit(2, 0, length=255, setup="configuration"),
        submit(3, 0, length=255, setup="string"),
        submit(4, 0, data=b"", setup="configure"),
        submit(5, 0, data=LINE_CODING, setup="coding"),
        submit(6, 0, data=b"", setup="lines"),
        submit(7, 1, length=16),
        submit(8, 2, length=512),
        submit(9, 2, length=1024),
        submit(10, 2, data=b"hello over there"),
        submit(11, 2, data=bytes(512)),
        build_unlink(CmdUnlink(seqnum=12, device_id=DEVICE_ID, victim=8)),
        submit(13, 2, length=512),
        build_unlink(CmdUnlink(seqnum=14, device_id=DEVICE_ID, victim=13)),
        submit(15, 0, length=8, setup="vendor"),
        submit(16, 0, data=b"", setup="halt"),
        submit(17, 2, length=64),
        submit(18, 0, data=b"", setup="clear"),
        submit(19, 0, data=b"", setup="reset"),
    ]


def random_command(chance: Random) -> bytes:
    """A header with sound fields and any content."""
    seqnum = chance.randrange(40)
    if chance.random() < 0.2:
        return build_unlink(CmdUnlink(seqnum=seqnum + 1000, device_id=DEVICE_ID, victim=chance.randrange(40)))
    endpoint = chance.choice((0, 0, 0, 1, 2, 2, 2, chance.randrange(16)))
    data = None if chance.random() < 0.6 else chance.randbytes(chance.choice((0, 1, 7, 64, 512, 513, 5000)))
    kind, request = chance.choice(list(HANDLERS)) if chance.random() < 0.8 else tuple(chance.randbytes(2))
    value = chance.choice((0, 1, 2, 0x0100, 0x0200, 0x0303, 0x0600, 0xFFFF))
    index = chance.choice((0, 1, 0x82, 0x02, 0x0409))
    size = chance.choice((0, 1, 2, 7, 18, 255)) if data is None else len(data)
    setup = SetupPacket(request_type=kind, request=request, value=value, index=index, length=size).build()
    command = CmdSubmit(
        seqnum=seqnum,
        device_id=DEVICE_ID,
        is_in=data is None,
        endpoint=endpoint,
        flags=chance.choice((0, 0, 1, 0x200)),
        length=chance.choice((0, 1, 16, 64, 512, 1000, 16384, TRANSFER_MAX)) if data is None else len(data),
        setup=setup,
    )
    return build_submit(command, data or b"")


def mutated(parts: list[bytes], chance: Random) -> list[bytes]:
    """A sound conversation with a few things wrong with it."""
    parts = list(parts)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(parts))
        part = bytearray(parts[at])
        match chance.randrange(7):
            case 0 if part:  # flip bits
                part[chance.randrange(len(part))] ^= 1 << chance.randrange(8)
            case 1 if part:  # set a word
                place = chance.randrange(len(part)) & ~3
                part[place : place + 4] = chance.choice((0, 2, 0x7FFFFFFF, 0xFFFFFFFF)).to_bytes(4, "big")
            case 2:  # cut
                del part[chance.randrange(len(part) + 1) :]
            case 3:  # insert
                place = chance.randrange(len(part) + 1)
                part[place:place] = chance.randbytes(chance.randint(1, 60))
            case 4:  # twice
                part += bytes(part)
            case 5:  # another order
                other = chance.randrange(len(parts))
                parts[at], parts[other] = parts[other], parts[at]
                continue
            case _:  # gone
                part.clear()
        parts[at] = bytes(part)
    return parts


def one_case(chance: Random) -> tuple[list[bytes], int]:
    """The bytes of one connection, and how many requests went into it."""
    kind = chance.random()
    if kind < 0.5:
        parts = mutated(sound_conversation(), chance)
    elif kind < 0.9:
        opening = [request_import("1-1")]
        if chance.random() < 0.7:
            opening += [submit(100, 0, data=b"", setup="configure"), submit(101, 0, data=b"", setup="lines")]
        parts = opening + [random_command(chance) for _ in range(chance.randint(1, 12))]
    elif kind < 0.95:
        parts = [chance.randbytes(chance.randint(1, 400))]
    else:
        code = chance.choice((*Op, chance.randrange(65536)))
        head = chance.choice((0x0111, 0x0106, 0)).to_bytes(2, "big") + code.to_bytes(2, "big") + chance.randbytes(4)
        parts = [head, chance.randbytes(chance.randint(0, 100))]
    return parts, len(parts)


def pieces(data: bytes, chance: Random) -> Iterator[bytes]:
    """The data as it might arrive, hung up on somewhere one time in four."""
    if chance.random() < 0.25:
        data = data[: chance.randrange(len(data) + 1)]
    at = 0
    while at < len(data):
        size = chance.choice((1, 7, HEADER_SIZE, 100, 1000, 100_000))
        yield data[at : at + size]
        at += size

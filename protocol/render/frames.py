"""A frame as text and as JSON: the output of `shuffler protocol decode`."""

from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import HELLO_VERSION, RETRANSMITTED, SEAL_OVERHEAD, SEALED, VERSION, Frame
from protocol.render.as_json import Json, header_of, plain
from protocol.render.tables import shown_fields
from protocol.secure import COUNTER_BYTES


def frame_lines(number: int, frame: Frame, *, whole: bool = False) -> list[str]:
    """Return a heading and one indented line for each field."""
    lines = [f"#{number} {_title(frame)}"]
    if frame.version not in (VERSION, HELLO_VERSION):
        return [*lines, f"    version {frame.version} is not known here; body {frame.body.hex()}"]
    if frame.flags & SEALED:
        counter = int.from_bytes(frame.body[:COUNTER_BYTES], "little")
        clear = len(frame.body) - SEAL_OVERHEAD
        return [*lines, f"    sealed: packet {counter}, {clear} bytes inside"]
    try:
        message = decode_body(frame.message, frame.body)
    except RemoteProtocolError as error:
        return [*lines, f"    not decodable: {error}", f"    body {frame.body.hex()}"]
    return lines + [f"    {name:<20} {value}" for name, value in shown_fields(message, whole=whole).items()]


def frame_json(frame: Frame) -> Json:
    """Return header, name, and fields or the error."""
    found: Json = {"header": header_of(frame), "message": _name(frame), "body": frame.body.hex()}
    if frame.flags & SEALED:
        return found | {"sealed": True}
    try:
        return found | {"fields": plain(decode_body(frame.message, frame.body))}
    except RemoteProtocolError as error:
        return found | {"error": str(error)}


def _title(frame: Frame) -> str:
    entry = BY_NUMBER.get(frame.message)
    way = f" {entry.way.value}" if entry is not None else ""
    again = ", retransmitted" if frame.flags & RETRANSMITTED else ""
    return (
        f"{_name(frame) or 'unknown'} 0x{frame.message:02X}{way}, session 0x{frame.session:08x}, "
        f"sequence {frame.sequence}, acknowledge {frame.acknowledge}, request {frame.request}{again}"
    )


def _name(frame: Frame) -> str | None:
    entry = BY_NUMBER.get(frame.message)
    return None if entry is None else entry.name

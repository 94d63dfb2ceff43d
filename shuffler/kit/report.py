"""What a failed test shows of its device: how it was made, its panel, and the last frames of its line by name."""

from collections.abc import Iterator
from typing import Any

from firmware_sim.errors import DeviceError
from firmware_sim.program.panel import Panel
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.render.tables import shown_fields
from shuffler.kit.device import KitDevice

FRAMES_SHOWN = 20
VALUE_CHARACTERS = 48
_UNSPOKEN = ("Ack", "AckEvents", "GetStatus", "Heartbeat")  # left out: they say nothing of what the ends meant
_ARROWS = {"host": "host  →", "device": "device ←", "cable": "cable  ×"}


def frame_line(frame: dict[str, Any]) -> str:
    """A frame of a transcript in one line: when, which way, its name and its fields."""
    seconds = frame["at_us"] / 1e6
    at = f"{seconds:>12.6f}" if seconds < 1e6 else f"{seconds % 86_400:>12.6f}"
    head = f"#{frame['number']:<4} {at}  {_ARROWS[frame['way']]:<8} {frame['message'] or 'unknown'}"
    return f"{head} {_fields(frame)}".rstrip()


def _fields(frame: dict[str, Any]) -> str:
    if "header" not in frame:
        return ""
    if frame.get("sealed"):
        return "(sealed)"
    try:
        message = decode_body(frame["header"]["message"], bytes.fromhex(frame["body"]))
    except RemoteProtocolError as problem:
        return f"({problem})"
    shown = shown_fields(message).items()
    return ", ".join(f"{name} {_short(value)}" for name, value in shown)


def _short(value: str) -> str:
    return value if len(value) <= VALUE_CHARACTERS else f"{value[: VALUE_CHARACTERS - 1]}…"


def last_frames(device: KitDevice, count: int = FRAMES_SHOWN, *, after: int = 0) -> list[str]:
    """The last frames of a device's line; acknowledgements, heartbeats and a status without news are left out."""
    return [frame_line(frame) for frame in _spoken(device.transcript.frames(after))][-count:]


def _spoken(frames: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    status = ""
    for frame in frames:
        if frame["message"] in _UNSPOKEN or (frame["message"] == "Status" and frame["body"] == status):
            continue
        if frame["message"] == "Status":
            status = frame["body"]
        yield frame


def panel_line(panel: Panel) -> str:
    """The panel in one line: both texts, the lights that are on, the buttons that do something."""
    lights = [name for name in ("green", "amber", "red") if getattr(panel, name)]
    shown = f"[{panel.top} | {panel.bottom}] lights: {', '.join(lights) or 'none'}"
    return shown + (f"; buttons: {', '.join(panel.buttons)}" if panel.buttons else "")


def picture(device: KitDevice) -> str:
    """Everything that a person asks first."""
    return "\n".join(_picture(device))


def _picture(device: KitDevice) -> Iterator[str]:
    settings = device.settings
    profile = settings.profile if isinstance(settings.profile, str) else settings.profile.name
    yield f"{device.serial}: profile {profile}, port {settings.port} ({device.url}), hands {settings.hands}"
    yield f"seed {settings.seed}"
    try:
        yield f"panel {panel_line(device.panel())}"
    except DeviceError as problem:
        yield f"panel: {problem}"
    frames = last_frames(device)
    yield f"last {len(frames)} frames" + ("" if frames else ": nothing was said on its line")
    yield from (f"  {line}" for line in frames)

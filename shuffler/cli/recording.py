"""`shuffler recording`: show, compare, replay and export recorded conversations."""

import asyncio
import os
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.exit_codes import FAILED
from shuffler.cli.keys import read_key, role_words
from shuffler.cli.output import device_failed, fail, say

if TYPE_CHECKING:
    from shuffler.kit.recording.conversation import ConversationStep
    from shuffler.kit.recording.differences import Difference, Masked
    from shuffler.kit.recording.format import Recording
    from shuffler.kit.recording.pace import ReplayPace
    from shuffler.kit.recording.player import ReplayOutcome

PORT_MAX = 65535
SHOWN_MAX = 50

app = typer.Typer(
    name="recording",
    help="Recorded conversations: `shuffler proxy --record` and `shuffler emulate --record` make them.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(help="A recording.")]
CutOff = Annotated[bool, typer.Option("--cut-off", help="Take what is sound of a recording whose end is missing.")]


class ReplayedEnd(Enum):
    """Which end of the conversation is played again."""

    DEVICE = "device"
    CONTROLLER = "controller"


@app.command()
def show(
    file: File,
    cut_off: CutOff = False,
    whole: Annotated[bool, typer.Option("--all", help="Every field of every message, bytes in full.")] = False,
) -> None:
    """Show what was said, message by message."""
    recording, steps = _load(file, cut_off)
    say(f"{recording.about or 'a recording'}: {len(recording.pieces)} pieces, {len(steps)} steps{_ending(recording)}")
    for step in steps:
        for line in _lines(step, whole):
            say(line)


@app.command()
def compare(
    recorded: File,
    came: Annotated[Path, typer.Argument(help="Another recording of the same conversation.")],
    cut_off: CutOff = False,
) -> None:
    """Compare two recordings, field by field; exit code 1 where they differ."""
    from shuffler.kit.recording.compare import compare as held_against

    found = held_against(_load(recorded, cut_off)[1], _load(came, cut_off)[1])
    _report(found.compared, found.differences, found.masked)
    if found.differences:
        raise typer.Exit(FAILED)


@app.command()
def replay(
    file: File,
    url: Annotated[str | None, typer.Argument(help="With --as controller: the device to talk to.")] = None,
    end: Annotated[ReplayedEnd, typer.Option("--as", help="Which end to play.")] = ReplayedEnd.DEVICE,
    speed: Annotated[
        float | None, typer.Option(help="Times the recorded pace, 1 keeps time. Default: as fast as the peer answers.")
    ] = None,
    patience: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="Seconds to wait for what the peer said then.")
    ] = 30.0,
    tcp: Annotated[
        int | None, typer.Option(min=0, max=PORT_MAX, help="As the device: TCP port, 0 for any free one.")
    ] = None,
    host: Annotated[str, typer.Option(help="As the device: address to listen on.")] = "127.0.0.1",
    pty: Annotated[bool, typer.Option("--pty", help="As the device: serve a pseudo-terminal.")] = False,
    link: Annotated[Path | None, typer.Option(help="Make this symbolic link to the pseudo-terminal.")] = None,
    baud: Annotated[int, typer.Option(min=50, help="As the controller: baud rate of a serial port.")] = 115200,
    secure: Annotated[Path | None, typer.Option(help="Open secure sessions with the key in this file.")] = None,
    role: Annotated[
        list[str] | None, typer.Option(help="As the controller: ROLE=PASSPHRASE for roles proved in the recording.")
    ] = None,
    cut_off: CutOff = False,
) -> None:
    """Play one end again to a live peer and report every difference; exit code 1 where there is one."""
    from shuffler.errors import ShufflerError
    from shuffler.kit.recording.as_controller import ReplayedController
    from shuffler.kit.recording.pace import ReplayPace
    from shuffler.kit.recording.ports import drive_controller

    if speed is not None and not (isfinite(speed) and speed > 0):
        raise fail(f"--speed {speed}: give a number of times above 0, such as 1 or 10")
    if end is ReplayedEnd.CONTROLLER and url is None:
        raise fail("--as controller talks to a device: give its address, such as socket://127.0.0.1:7001")
    if end is ReplayedEnd.DEVICE and url is not None:
        raise fail("--as device waits for a controller: give --tcp PORT or --pty instead of an address")
    _, steps = _load(file, cut_off)
    key = read_key(secure) if secure is not None else None
    pace = ReplayPace(speed=speed, patience_us=int(patience * 1e6))
    try:
        if end is ReplayedEnd.CONTROLLER:
            assert url is not None
            player = ReplayedController(steps, pace, os.urandom, key=key, secrets=role_words(role or []))
            outcome = drive_controller(player, url, baud=baud)
        else:
            outcome = _as_device(steps, pace, key, (host, tcp), pty or link is not None, link)
    except ShufflerError as problem:
        raise device_failed(problem) from None
    _report(outcome.compared, outcome.differences, outcome.masked)
    if outcome.stopped:
        raise fail(outcome.stopped, FAILED)
    if not outcome.matches:
        raise typer.Exit(FAILED)


def _as_device(
    steps: "tuple[ConversationStep, ...]",
    pace: "ReplayPace",
    key: bytes | None,
    address: tuple[str, int | None],
    pty: bool,
    link: Path | None,
) -> "ReplayOutcome":
    from shuffler.kit.recording.as_device import ReplayedDevice
    from shuffler.kit.recording.ports import serve_device

    host, port = address
    where = None if port is None and pty else (host, 7001 if port is None else port)
    player = ReplayedDevice(steps, pace, os.urandom, key=key)

    def told(addresses: list[str]) -> None:
        say(f"the recorded device is on {'  '.join(addresses)}, until its conversation is over")

    try:
        return asyncio.run(serve_device(player, tcp=where, pty=pty, link=link, told=told))
    except OSError as problem:
        raise fail(f"can't open the port: {problem.strerror or problem}; choose another with --tcp or --link") from None


@app.command()
def capture(
    file: File,
    out: Annotated[Path, typer.Argument(help="The capture to write (pcapng).")],
    cut_off: CutOff = False,
) -> None:
    """Write a recording as a capture that Wireshark opens, with docs/protocol/shuffler.lua frame by frame."""
    from shuffler.kit.recording.export import pcapng

    recording, _ = _load(file, cut_off)
    try:
        out.write_bytes(pcapng(recording))
    except OSError as problem:
        raise fail(f"{out}: {problem.strerror or problem}") from None
    say(f"{out}: {len(recording.pieces)} pieces")


# --------------------------------------------------------------------------------------------------------------- shared


def _load(file: Path, cut_off: bool) -> "tuple[Recording, tuple[ConversationStep, ...]]":
    from shuffler.kit.recording.conversation import conversation
    from shuffler.kit.recording.errors import BadRecording
    from shuffler.kit.recording.file import load

    try:
        recording = load(file, cut_off=cut_off)
    except BadRecording as problem:
        raise fail(str(problem)) from None
    return recording, conversation(recording)


def _ending(recording: "Recording") -> str:
    return "" if recording.whole else "; its end is missing"


def _report(compared: int, differences: "tuple[Difference, ...]", masked: "Masked") -> None:
    for difference in differences[:SHOWN_MAX]:
        say(str(difference))
    if len(differences) > SHOWN_MAX:
        say(f"… and {len(differences) - SHOWN_MAX} more")
    lines = masked.lines()
    if lines:
        say("not compared, since they are random by nature or depend on time:")
        for line in lines:
            say(f"  {line}")
    say(f"{compared} messages compared, {len(differences)} differences")


def _lines(step: "ConversationStep", whole: bool) -> list[str]:
    from protocol.render.tables import shown_fields
    from shuffler.kit.recording.conversation import Ended, Opaque, Opened, Pulled, Said, SessionRefused, Unreadable

    head = f"{step.at_us / 1e6:10.3f} s  #{step.number:<5}"
    match step:
        case Said(way=way, message=message, request=request):
            told = shown_fields(message, whole=whole)
            asked = f" (request {request})" if request else ""
            first = f"{head} {way.value}  {type(message).__name__}{asked}"
            if whole:
                return [first, *(f"{'':20}{name:<20} {value}" for name, value in told.items())]
            return [f"{first}  " + ", ".join(f"{name} {value}" for name, value in told.items())]
        case Opened(session=session, welcome=welcome):
            return [f"{head} session 0x{session:08x} with {welcome.serial}"]
        case SessionRefused(reset=reset):
            return [f"{head} refused: {reset.reason.name.lower()} {reset.text}"]
        case Ended(way=way, reset=reset):
            return [f"{head} {way.value}  session ended: {reset.reason.name.lower()} {reset.text}"]
        case Unreadable(way=way, why=why):
            return [f"{head} {way.value}  not decodable: {why}"]
        case Opaque(way=way, frame=frame):
            return [f"{head} {way.value}  sealed, message 0x{frame.message:02X}, {len(frame.body)} bytes"]
        case Pulled():
            return [f"{step.at_us / 1e6:10.3f} s  cable out"]
    return []

"""`shuffler device`: what a technician or a laboratory asks a device for, emulated or real."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from shuffler.client import Client
    from shuffler.device_log import DeviceLog

app = typer.Typer(help="Ask a device who it is, for its log, its program, an earlier hand.", no_args_is_help=True)

Url = Annotated[
    str, typer.Argument(help="Serial port, socket://HOST:PORT, usb://VID:PID/SERIAL, usbip://HOST:PORT/BUSID.")
]
Secure = Annotated[Path | None, typer.Option(help="The key file, where the device is in secure mode.")]
AsJson = Annotated[bool, typer.Option("--json", help="One line of JSON.")]


@contextmanager
def _opened(url: str, secure: Path | None) -> "Iterator[Client]":
    from shuffler.cli.keys import read_key
    from shuffler.client import Client
    from shuffler.errors import ShufflerError

    try:
        with Client.open(url, key=read_key(secure) if secure is not None else None) as client:
            yield client
    except ShufflerError as problem:
        raise fail(str(problem), 1) from None
    except KeyboardInterrupt:
        raise fail("stopped", 130) from None


@app.command()
def info(url: Url, secure: Secure = None, as_json: AsJson = False) -> None:
    """Identity, state of each machine, counters."""
    from protocol import messages as m
    from protocol.vocabulary import DeviceFlag

    with _opened(url, secure) as client:
        who = client.ask(m.GetInfo(), m.Info)
        status = client.ask(m.GetStatus(), m.Status)
        counters = client.ask(m.GetCounters(), m.Counters)
    told: dict[str, object] = {
        "model": who.model,
        "serial": who.serial,
        "firmware": who.firmware,
        "profile": who.profile,
        "flags": [flag.name for flag in DeviceFlag if flag in who.flags],
        "commits_to": who.commits.name.lower(),
        **{name: getattr(status, name).name for name in ("power", "infeed", "deal", "round_state", "fault", "mode")},
        "fault_code": status.fault_code.name,
        "round": status.round,
        **{
            name: getattr(counters, name)
            for name in ("shuffles", "rounds", "groups", "cards", "misdeals", "faults", "power_ups", "log_length")
        },
        "log_head": counters.log_head.hex(),
    }
    if as_json:
        typer.echo(json.dumps(told))
        return
    for name, value in told.items():
        typer.echo(f"{name.replace('_', ' '):<12} {', '.join(value) if isinstance(value, list) else value}")


@app.command()
def log(
    url: Url,
    out: Annotated[Path | None, typer.Option(help="Write it to this file; else to the terminal.")] = None,
    secure: Secure = None,
) -> None:
    """Read the device's log, check its chain of hashes, and write it as JSON lines. Exit code 1 where it is broken."""
    from shuffler.device_log import read_log, to_text

    with _opened(url, secure) as client:
        whole = read_log(client)
    text = "".join(f"{line}\n" for line in to_text(whole))
    if out is None:
        sys.stdout.write(text)
    else:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise fail(f"{out}: {problem.strerror}") from None
    _judge(whole, None)


@app.command("check-log")
def check_log(
    file: Annotated[Path, typer.Argument(help="A file that `shuffler device log --out` has written.")],
    head: Annotated[
        str | None, typer.Option(help="The head of the chain as noted elsewhere: shows a tail that was cut.")
    ] = None,
) -> None:
    """Check an exported log without the device: a changed, removed or cut line is found. Exit code 1 then."""
    from shuffler.device_log import BadLogFile, from_text

    try:
        whole = from_text(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise fail(f"{file}: {getattr(problem, 'strerror', None) or problem}") from None
    except BadLogFile as problem:
        raise fail(f"{file}: {problem}") from None
    try:
        noted = bytes.fromhex(head) if head is not None else None
    except ValueError:
        raise fail(f"--head {head}: expected hexadecimal digits") from None
    _judge(whole, noted)


def _judge(whole: "DeviceLog", head: bytes | None) -> None:
    broken = whole.broken(head)
    if broken is not None:
        raise fail(f"the log of {whole.serial} is broken at line {broken}: changed, removed or cut", 1)
    first = whole.lines[0].number if whole.lines else 0
    last = whole.lines[-1].number if whole.lines else 0
    shown = (head if head is not None else whole.head).hex()[:16]
    typer.echo(f"lines {first} to {last} of {whole.serial} are sound up to the head {shown}…", err=True)


@app.command()
def verify(
    url: Url,
    profile: Annotated[
        str | None, typer.Option(help="The profile it should run: a name or file; what the device says it is.")
    ] = None,
    secure: Secure = None,
) -> None:
    """Hold the device's program and profile against the files installed here. Exit code 1 where they differ."""
    from firmware_sim import profile as profiles
    from firmware_sim.errors import DeviceError
    from firmware_sim.verification import installed_image
    from protocol import messages as m

    challenge = os.urandom(32)
    with _opened(url, secure) as client:
        told = client.ask(m.Verify(challenge=challenge), m.Verified)
        name = profile if profile is not None else client.ask(m.GetInfo(), m.Info).profile
    try:
        expected = profiles.load(name)
    except DeviceError as problem:
        raise fail(f"{problem}: give its file with --profile") from None
    image = installed_image(expected.name, expected.text)
    typer.echo(f"challenge {challenge.hex()}\ndevice    {told.digest.hex()}, {told.files} files")
    if told.digest != image.digest(challenge):
        typer.echo(f"here      {image.digest(challenge).hex()}, {len(image.files)} files")
        raise fail(f"the device does not run the program installed here with the profile {expected.name}", 1)
    typer.echo(f"the same {len(image.files)} files are installed here, profile {expected.name}")


@app.command()
def recall(
    url: Url,
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="The round's number on the device.")],
    seat: Annotated[int, typer.Argument(min=0, max=16, help="The seat; 0 is the dealer.")],
    supervisor: Annotated[
        str, typer.Option(prompt=True, hide_input=True, envvar="SHUFFLER_SUPERVISOR", help="The supervisor's words.")
    ],
    secure: Secure = None,
) -> None:
    """What was dealt to a seat in one of the last rounds; needs the supervisor's words."""
    from protocol import messages as m
    from protocol.cards import card_name
    from protocol.vocabulary import Role

    with _opened(url, secure) as client:
        client.prove_role(Role.SUPERVISOR, supervisor)
        hand = client.ask(m.RecallHand(round=number, seat=seat), m.RecalledHand)
    who = "the dealer" if seat == m.DEALER_SEAT else f"seat {seat}"
    cards = " ".join(card_name(card) for card in hand.cards)
    typer.echo(f"round {number}, {who}: {cards} (shuffle {hand.shuffle})")

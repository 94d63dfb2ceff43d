"""`shuffler device`: what a technician or a laboratory asks a device for, emulated or real."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.deal import PATIENCE_S
from shuffler.cli.exit_codes import INTERRUPTED
from shuffler.cli.output import device_failed, fail, say, warn
from strict_toml import read_bounded_text

if TYPE_CHECKING:
    from shuffler.host.client import Client
    from shuffler.host.device_log import DeviceLog

MOST_LOG_BYTES = 1 << 30  # an exported log; about a million rounds

app = typer.Typer(
    help="Ask a device for its identity, log, program or past hands; void its round; reset it.",
    no_args_is_help=True,
)

Url = Annotated[
    str, typer.Argument(help="Serial port, socket://HOST:PORT, usb://VID:PID/SERIAL, usbip://HOST:PORT/BUSID.")
]
Secure = Annotated[Path | None, typer.Option(help="Key file, for a device in secure mode.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


@contextmanager
def _opened(url: str, secure: Path | None) -> "Iterator[Client]":
    """A client that acknowledges nothing: events are the table's evidence."""
    from shuffler.cli.keys import read_key
    from shuffler.errors import ShufflerError
    from shuffler.host.client import Client

    try:
        with Client.open(url, key=read_key(secure) if secure is not None else None, only_asks=True) as client:
            yield client
    except ShufflerError as problem:
        raise device_failed(problem) from None
    except KeyboardInterrupt:
        raise fail("stopped", INTERRUPTED) from None


@app.command()
def info(url: Url, secure: Secure = None, as_json: AsJson = False) -> None:
    """Show who the device is, what state it is in, and its counters."""
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
        say(f"{name.replace('_', ' '):<12} {', '.join(value) if isinstance(value, list) else value}")


@app.command()
def log(
    url: Url,
    out: Annotated[Path | None, typer.Option(help="Write the log to this file. Default: the terminal.")] = None,
    secure: Secure = None,
) -> None:
    """Read the device's log, check its chain of hashes, and write it as JSON lines. Exit code 1 where it is broken."""
    from shuffler.host.device_log import read_log, to_text

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
        str | None, typer.Option(help="The chain's last hash, noted elsewhere: shows whether the end was cut off.")
    ] = None,
) -> None:
    """Check an exported log without the device. Exit code 1 if a line was changed, removed or cut off."""
    whole = read_log_file(file)
    try:
        noted = bytes.fromhex(head) if head is not None else None
    except ValueError:
        raise fail(f"--head {head}: expected hexadecimal digits") from None
    _judge(whole, noted)


def read_log_file(file: Path) -> "DeviceLog":
    """An exported log; anything else is a sentence."""
    from shuffler.host.device_log import BadLogFile, from_text

    try:
        return from_text(read_bounded_text(file, MOST_LOG_BYTES))
    except OSError as problem:
        raise fail(f"{file}: {problem.strerror}") from None
    except ValueError as problem:
        raise fail(f"{file}: not an exported log: {problem}") from None
    except BadLogFile as problem:
        raise fail(f"{file}: {problem}") from None


def _judge(whole: "DeviceLog", head: bytes | None) -> None:
    from shuffler.host.printable import printable

    broken = whole.broken(head)
    if broken is not None:
        raise fail(f"the log of {whole.serial} is broken at line {broken}: changed, removed or cut", 1)
    first = whole.lines[0].number if whole.lines else 0
    last = whole.lines[-1].number if whole.lines else 0
    shown = (head if head is not None else whole.head).hex()[:16]
    typer.echo(printable(f"lines {first} to {last} of {whole.serial} are sound up to the head {shown}…"), err=True)


@app.command()
def verify(
    url: Url,
    profile: Annotated[
        str | None, typer.Option(help="Profile to compare with: a name or a file. Default: the one the device names.")
    ] = None,
    secure: Secure = None,
) -> None:
    """Compare the device's program and profile with the files installed here. Exit code 1 where they differ."""
    from firmware_sim.errors import DeviceError
    from firmware_sim.machine import profile as profiles
    from firmware_sim.unit.verification import installed_image
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
        str,
        typer.Option(prompt=True, hide_input=True, envvar="SHUFFLER_SUPERVISOR", help="The supervisor's pass phrase."),
    ],
    secure: Secure = None,
) -> None:
    """What was dealt to a seat in one of the last rounds; needs the supervisor's pass phrase."""
    from protocol import messages as m
    from protocol.cards import card_name
    from protocol.vocabulary import Role

    with _opened(url, secure) as client:
        client.prove_role(Role.SUPERVISOR, supervisor)
        hand = client.ask(m.RecallHand(round=number, seat=seat), m.RecalledHand)
    who = "the dealer" if seat == m.DEALER_SEAT else f"seat {seat}"
    cards = " ".join(card_name(card) for card in hand.cards)
    if hand.places:
        cards = "faces not read; from places " + ", ".join(map(str, hand.places)) + " of the feed"
    typer.echo(f"round {number}, {who}: {cards} (shuffle {hand.shuffle})")


@app.command()
def void(url: Url, secure: Secure = None) -> None:
    """Declare the device's open round a misdeal; the table's journal finds it in the device's events."""
    from protocol import messages as m
    from protocol.vocabulary import RoundState

    with _opened(url, secure) as client:
        status = client.ask(m.GetStatus(), m.Status)
        if status.round_state is RoundState.NO_ROUND:
            typer.echo("no round is open")
            return
        client.call(m.VoidRound(round=status.round))
    typer.echo(f"round {status.round} is void: its cards have to come back, be counted and shuffled anew")


@app.command()
def reset(
    url: Url,
    secure: Secure = None,
    supervisor: Annotated[
        str | None,
        typer.Option(
            envvar="SHUFFLER_SUPERVISOR", help="The supervisor's pass phrase, to clear a fault that has been mended."
        ),
    ] = None,
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds to wait for people and machine before giving up.")
    ] = PATIENCE_S,
) -> None:
    """Bring the device back to where a new round can start: clear its fault, void an open round, take its deck out."""
    from protocol import messages as m
    from protocol.vocabulary import FaultState, Role
    from shuffler.host.dealing import Waits, recover

    with _opened(url, secure) as client:
        status = client.ask(m.GetStatus(), m.Status)
        if status.fault is FaultState.FAULTED and supervisor is not None:
            client.prove_role(Role.SUPERVISOR, supervisor)
            client.call(m.ClearFault(code=status.fault_code))
            typer.echo(f"{status.fault_code.name} is cleared")
        for sentence in recover(client, Waits(patience, warn)):
            typer.echo(sentence)
    typer.echo("ready for a new deck")

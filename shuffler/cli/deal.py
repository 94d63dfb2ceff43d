"""`shuffler deal` and `shuffler demo`: a round on any device, drawn in the terminal."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from shuffler.client import Client
    from shuffler.dealing import Dealt, Progress

DEMO_SPEED = 4.0  # a shuffle as long as a real one is too long to watch twice


def deal(
    url: Annotated[
        str,
        typer.Argument(
            help="Serial port, socket://HOST:PORT, usb://VID:PID/SERIAL, usbip://HOST:PORT/BUSID or a pyserial URL."
        ),
    ],
    seats: Annotated[int, typer.Option(min=1, max=7, help="How many players.")] = 7,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds.")] = 1,
    secure: Annotated[Path | None, typer.Option(help="The key file, where the device is in secure mode.")] = None,
) -> None:
    """Shuffle and deal rounds on a device, emulated or real, and show the hands."""
    from shuffler.cli.keys import read_key
    from shuffler.client import Client
    from shuffler.errors import ShufflerError

    try:
        with Client.open(url, key=read_key(secure) if secure is not None else None) as client:
            play(client, seats, rounds)
    except ShufflerError as problem:
        raise fail(str(problem), 1) from None
    except KeyboardInterrupt:
        raise fail("stopped; the device keeps what it has dealt", 130) from None


def demo() -> None:
    """Start an emulated device on a pseudo-terminal and play a full seven-player round over it, settled and booked."""
    from firmware_sim.emulator import Build
    from firmware_sim.profile import load
    from firmware_sim.serving import Place, background
    from shuffler.cli.table import play as play_table
    from shuffler.client import Client
    from shuffler.errors import ShufflerError

    build = Build(profile=load("i-deal-style"), serial="SB-DEMO", speed=DEMO_SPEED)
    try:
        with background([Place(build=build, pty=True)]) as devices, Client.open(devices.url) as client:
            typer.echo(f"An emulated shuffler is on {devices.url}, {DEMO_SPEED:g} times as fast as a real one.")
            play(client, 7, 1)
            client.close()
            typer.echo("\nNow the same device with players, wagers and a progressive meter:\n")
            play_table(devices.url, "light-and-wonder", 2, 7, "Q-6-4", None)
    except ShufflerError as problem:
        raise fail(str(problem), 1) from None
    except KeyboardInterrupt:
        raise fail("stopped", 130) from None
    typer.echo(
        "\nWhat to try next:\n"
        "  .venv/bin/shuffler emulate                  a device that stays: TCP port 7001 and a serial port\n"
        "  .venv/bin/shuffler deal socket://127.0.0.1:7001\n"
        "  .venv/bin/shuffler table --journal books.db  a table with its books; then: shuffler journal list books.db\n"
        "  .venv/bin/shuffler --help                   everything else; docs/ explains it"
    )


def play(client: "Client", seats: int, rounds: int) -> None:
    """Deal and draw rounds; with a progress bar where there is a terminal, plainly where there is none."""
    from protocol import messages as m
    from shuffler.dealing import deal_round, ready_deck, wait_until_on

    info = client.ask(m.GetInfo(), m.Info)
    typer.echo(f"{info.model}, serial {info.serial}, firmware {info.firmware}, profile {info.profile}")
    last = wait_until_on(client).round
    for number in range(last + 1, last + 1 + rounds):
        started = time.monotonic()
        with _progress() as advance:
            shuffled = ready_deck(client, advance)
        typer.echo(
            f"shuffle {shuffled.shuffle}: {shuffled.count} cards in {time.monotonic() - started:.1f} s, "
            f"committed to {shuffled.root.hex()[:16]}…"
        )
        shown: set[int] = set()
        for dealt in deal_round(client, number, tuple(range(1, seats + 1)), shuffled):
            _show(dealt, shown)
        check = "every hand opens the commitment" if dealt.verified else "A HAND DOES NOT OPEN THE COMMITMENT"
        typer.echo(f"round {number}: {len(dealt.hands)} hands, stub of {dealt.stub} cards back; {check}")


def _show(dealt: "Dealt", shown: set[int]) -> None:
    """Draw the hands that are new."""
    from rich.console import Console

    from protocol.cards import card_name
    from protocol.messages import DEALER_SEAT
    from shuffler.cards_art import draw

    for seat, cards in dealt.hands.items():
        if seat in shown:
            continue
        shown.add(seat)
        who = "dealer" if seat == DEALER_SEAT else f"seat {seat}"
        if sys.stdout.isatty():
            typer.echo(who)
            Console().print(draw(cards))
        else:
            typer.echo(f"{who:>7}: {' '.join(card_name(card) for card in cards)}")


class _progress:
    """A progress bar for a shuffle in a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stdout.isatty()

    def __enter__(self) -> "Progress | None":
        if not self._live:
            return None
        from rich.progress import Progress as Bar

        self._bar = Bar(transient=True)
        self._bar.start()
        task = self._bar.add_task("shuffling", total=None)
        return lambda event: self._bar.update(task, completed=event.done, total=event.total)

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._bar.stop()

"""`shuffler deal` and `shuffler demo`: a round on any device, drawn in the terminal."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.exit_codes import FAILED, INTERRUPTED
from shuffler.cli.output import device_failed, fail, show_line, warn

if TYPE_CHECKING:
    from shuffler.host.client import Client
    from shuffler.host.dealing import Progress, Waits

PATIENCE_S = 120.0
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
    secure: Annotated[Path | None, typer.Option(help="Key file, for a device in secure mode.")] = None,
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds to wait for people and machine before giving up.")
    ] = PATIENCE_S,
    recover: Annotated[
        bool, typer.Option("--recover", help="First void a round that was left open and take its deck out.")
    ] = False,
    discard_events: Annotated[
        bool, typer.Option("--discard-events", help="Throw away events that the device keeps for another host.")
    ] = False,
) -> None:
    """Shuffle and deal rounds on a device, emulated or real, and show the hands."""
    from shuffler.errors import Refused, ShufflerError
    from shuffler.host.client import Client
    from shuffler.host.dealing import RoundFailed, RoundVoid

    key = None
    if secure is not None:
        from shuffler.cli.keys import read_key

        key = read_key(secure)
    try:
        with Client.open(url, key=key, discard_events=discard_events) as client:
            play(client, seats, rounds, patience_s=patience, recover=recover)
    except RoundVoid as problem:
        raise fail(str(problem), FAILED) from None
    except (Refused, RoundFailed) as problem:
        raise fail(f"{problem}; once it is mended, --recover voids what is open and starts again", FAILED) from None
    except ShufflerError as problem:
        raise device_failed(problem) from None
    except KeyboardInterrupt:
        raise fail("stopped; the device keeps what it has dealt", INTERRUPTED) from None


def demo() -> None:
    """Deal a round on an emulated shuffler, then play two at a table with seven players, settled and booked."""
    from firmware_sim.machine.profile import load
    from firmware_sim.ports import local_port
    from firmware_sim.ports.serving import Location, background
    from firmware_sim.unit.emulator import Build
    from shuffler.cli.table import play as play_table
    from shuffler.errors import ShufflerError
    from shuffler.host.client import Client

    # The table has a device of its own: a journal must have seen every event of the device that it is dealt from.
    builds = [Build(profile=load("i-deal-style"), serial=f"SB-DEMO-{number}", speed=DEMO_SPEED) for number in (1, 2)]
    try:
        with background([Location(build=build, ports=(local_port(),)) for build in builds]) as devices:
            first, second = (one.urls[0] for one in devices.served)
            typer.echo(f"An emulated shuffler is on {first}, {DEMO_SPEED:g} times as fast as a real one.")
            with Client.open(first) as client:
                play(client, 7, 1)
            typer.echo(f"\nNow a table with players, wagers and a progressive meter, on {second}:\n")
            play_table(second, "light-and-wonder", 2, 7, "Q-6-4", None)
    except ShufflerError as problem:
        raise device_failed(problem) from None
    except KeyboardInterrupt:
        raise fail("stopped", INTERRUPTED) from None
    program = sys.argv[0] if Path(sys.argv[0]).name == "shuffler" else "shuffler"
    typer.echo(
        "\nWhat to try next:\n"
        f"  {program} live                      the whole bench in your browser\n"
        f"  {program} emulate                   a device that stays: TCP port 7001 and a serial port\n"
        f"  {program} deal socket://127.0.0.1:7001\n"
        f"  {program} table --journal books.db  a table with its books; then: {program} journal list books.db\n"
        f"  {program} --help                    everything else"
    )


def play(client: "Client", seats: int, rounds: int, *, patience_s: float = PATIENCE_S, recover: bool = False) -> None:
    """Deal and draw rounds; with a progress bar where there is a terminal, plainly where there is none."""
    from protocol import messages as m
    from shuffler.host import dealing
    from shuffler.host.dealing import RoundVoid, wait_until_on

    waits = dealing.Waits(patience_s, warn)
    info = client.ask(m.GetInfo(), m.Info)
    show_line(f"{info.model}, serial {info.serial}, firmware {info.firmware}, profile {info.profile}")
    last = wait_until_on(client, waits).round
    if recover:
        for sentence in dealing.recover(client, waits):
            show_line(sentence)
    void = 0
    for number in range(last + 1, last + 1 + rounds):
        try:
            _one_round(client, number, seats, waits)
        except RoundVoid as problem:
            void += 1
            warn(f"round {number} is void: {problem}")
            dealing.recover(client, waits)
    for gap in client.gaps:
        warn(f"WARNING: events {gap.expected} … {gap.found - 1} of the device never came here")
    if void:
        raise RoundVoid(f"{void} of {rounds} rounds void")


def _one_round(client: "Client", number: int, seats: int, waits: "Waits") -> None:
    from protocol.vocabulary import CommitKind, DeviceFlag
    from shuffler.cli.hands_shown import HandsShown
    from shuffler.host.dealing import deal_round, ready_deck

    started = time.monotonic()
    with _progress() as advance:
        shuffled = ready_deck(client, advance, waits)
    shoe = bool(shuffled.flags & DeviceFlag.SHOE)
    took = f"{shuffled.count} cards in {time.monotonic() - started:.1f} s"
    if shoe:
        show_line(f"shoe: {took}, shuffled elsewhere")
    elif shuffled.kind is CommitKind.NOTHING:
        show_line(f"shuffle {shuffled.shuffle}: {took}, committed to nothing")
    else:
        show_line(f"shuffle {shuffled.shuffle}: {took}, committed to {shuffled.root.hex()[:16]}…")
    hands = HandsShown()
    for dealt in deal_round(client, number, tuple(range(1, seats + 1)), shuffled, waits):
        if not shoe:  # which deals a card at a time, in rotation
            hands.take(dealt)
    hands.take(dealt)
    hands.flush()
    check = "every hand opens the commitment" if dealt.verified else "A HAND DOES NOT OPEN THE COMMITMENT"
    if shuffled.kind is CommitKind.NOTHING:
        check = "nothing was committed to"
    show_line(f"round {number}: {len(dealt.hands)} hands, stub of {dealt.stub} cards back; {check}")


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

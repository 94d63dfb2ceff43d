"""`shuffler collect`: decks or raw bits from a device over any cable into a file that `certify` and `bits` read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.output import fail
from shuffler.cli.stopping import stopping

if TYPE_CHECKING:
    from shuffler.host.client import Client
    from shuffler.lab.collecting import DeckCollector

INTERRUPTED = 130
AS_STUB = "each deck shuffled, delivered whole as a stub, and the stub opened to a supervisor"
AS_DEALT = "each deck shuffled, dealt to {seats} seats and the dealer, groups opened as taken, the stub to a supervisor"
SORTED = "each deck sorted by the machine, taken out and laid in again as it was; "
CHECKED = "; every card opens the commitment published before the first one left"
RAW = "raw output of the generator, read by a laboratory in service mode; no shuffle used it"

DEVICE = "Device"
Supervisor = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        envvar="SHUFFLER_SUPERVISOR",
        help="The supervisor's pass phrase; only a supervisor is told the stub.",
        rich_help_panel=DEVICE,
    ),
]
Seats = Annotated[
    int,
    typer.Option(
        min=0,
        max=7,
        help="Deal to this many seats before taking the stub; 0 takes the whole deck at once.",
        rich_help_panel=DEVICE,
    ),
]
Sort = Annotated[
    bool,
    typer.Option(
        "--sort",
        help="Have the device sort each deck first, so that the order before the shuffle is known.",
        rich_help_panel=DEVICE,
    ),
]
Game = Annotated[
    int | None, typer.Option(help="Select this game from the device's game menu first.", rich_help_panel=DEVICE)
]
Secure = Annotated[Path | None, typer.Option(help="Key file, for a device in secure mode.", rich_help_panel=DEVICE)]
Baud = Annotated[int, typer.Option(min=50, help="Baud rate of a serial port.", rich_help_panel=DEVICE)]
DiscardEvents = Annotated[
    bool,
    typer.Option(
        "--discard-events",
        help="Throw away events that the device keeps for another host.",
        rich_help_panel=DEVICE,
    ),
]
Patience = Annotated[float, typer.Option(min=1, help="Give up after this many seconds without progress.")]


@dataclass(frozen=True, kw_only=True)
class CollectRequest:
    """What to collect decks from, and how."""

    url: str
    supervisor: str | None
    seats: int = 0
    sort: bool = False
    game: int | None = None
    secure: Path | None = None
    baud: int = 115200
    discard_events: bool = False
    patience_s: float = 600.0


def collect(
    url: Annotated[
        str,
        typer.Argument(help="Serial port, socket://HOST:PORT, usb://VID:PID/SERIAL or usbip://HOST:PORT/BUSID."),
    ],
    file: Annotated[Path, typer.Argument(help="Output file: JSON lines for decks, raw bytes for bits.")],
    decks: Annotated[
        int | None, typer.Option(min=1, help="Number of decks that the file shall hold at the end.")
    ] = None,
    bits: Annotated[
        int | None, typer.Option(min=8, help="Record this many raw bits of the device's generator instead of decks.")
    ] = None,
    supervisor: Supervisor = None,
    seats: Seats = 0,
    sort: Sort = False,
    game: Game = None,
    technician: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            envvar="SHUFFLER_TECHNICIAN",
            help="With --bits: the technician's pass phrase, to switch to service mode.",
        ),
    ] = None,
    laboratory: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            envvar="SHUFFLER_LABORATORY",
            help="With --bits: the laboratory's pass phrase, to read raw output.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an existing file of decks from the same device.")
    ] = False,
    secure: Secure = None,
    baud: Baud = 115200,
    discard_events: DiscardEvents = False,
    patience: Patience = 600.0,
) -> None:
    """Record decks, or raw bits, from a device for `shuffler certify --from` and `shuffler bits`.

    A device never names an undealt card, but it tells a supervisor the stub after it has been removed.

    So each deck is shuffled, delivered, opened to the supervisor, and checked against the device's commitment.

    Devices that read no faces can't be collected from. Ctrl-C leaves a complete file; --resume continues it.

    Exit code 0: all collected; 2: it could not; 130: stopped by Ctrl-C.

    Examples: shuffler collect /dev/ttyACM0 decks.jsonl --decks 10000 --supervisor 'WORDS'
    """
    from shuffler.errors import ShufflerError

    if (decks is None) == (bits is None):
        raise fail("say how much: --decks N, or --bits N")
    try:
        if bits is not None:
            if resume:
                raise fail("--resume continues a file of decks; bits are read in one go")
            done = collect_bits(
                url, file, bits, technician=technician, laboratory=laboratory, secure=secure, baud=baud,
                discard_events=discard_events,
            )  # fmt: skip
        else:
            assert decks is not None
            wanted = CollectRequest(
                url=url,
                supervisor=supervisor,
                seats=seats,
                sort=sort,
                game=game,
                secure=secure,
                baud=baud,
                discard_events=discard_events,
                patience_s=patience,
            )
            done = collect_decks(wanted, file, decks, resume=resume)
    except ShufflerError as problem:
        raise fail(str(problem)) from None
    except KeyboardInterrupt:
        typer.echo(f"broken off; {file} has everything collected so far, continue with --resume", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if not done:
        raise typer.Exit(INTERRUPTED)


# ----- decks ----------------------------------------------------------------------------------------------------------


def collect_decks(
    wanted: CollectRequest,
    file: Path,
    decks: int,
    *,
    resume: bool,
    refuse_marked: Callable[[str], Exception] | None = None,
) -> bool:
    """Fill a file up to so many decks; False when stopped before. `refuse_marked` makes the error for a device or deck
    that is marked as seeded or rigged."""
    from shuffler.lab.collecting import DeckCollector, DeckFile, provenance

    if not wanted.supervisor:
        raise fail("--supervisor WORDS (or SHUFFLER_SUPERVISOR): a device tells the rest of a deck to no one else")
    with opened(wanted.url, wanted.secure, wanted.baud, discard_events=wanted.discard_events) as client:
        _choose(client, wanted.game)
        collector = DeckCollector(
            client,
            supervisor=wanted.supervisor,
            seats=wanted.seats,
            sort=wanted.sort,
            patience_s=wanted.patience_s,
            watch=_say,
        )
        marks = _marks(collector)
        if marks and refuse_marked is not None:
            raise refuse_marked(f"the device is marked as {' and '.join(marks)}")
        how = (
            (SORTED if wanted.sort else "")
            + (AS_DEALT.format(seats=wanted.seats) if wanted.seats else AS_STUB)
            + CHECKED
        )
        kept = DeckFile(file, provenance(client, how, sys.argv[1:]), resume=resume)
        if kept.decks and not sys.stderr.isatty():
            _say(f"{file} has {kept.decks:,} decks already")
        why = "broken off"
        try:
            with stopping("stopping after the deck in hand") as stop, _bar("decks", decks, kept.decks) as show:
                for deck in collector.decks(lambda: stop() or kept.decks >= decks):
                    if deck.marks and refuse_marked is not None:
                        why = f"shuffle {deck.shuffle} is marked as {' and '.join(deck.marks)}"
                        raise refuse_marked(why)
                    kept.write(deck)
                    show(kept.decks)
            why = "complete" if kept.decks >= decks else "stopped"
        finally:
            kept.close(why, collector.left_out)
    left = "".join(f"; left out: {many:,} {why}" for why, many in collector.left_out.items())
    _say(f"{kept.decks:,} decks in {file}{left}" + ("" if why == "complete" else "; continue with --resume"))
    return why == "complete"


def _marks(collector: DeckCollector) -> tuple[str, ...]:
    from shuffler.lab.collecting.decks import MARKS

    return tuple(name for flag, name in MARKS if flag in collector.info.flags)


def _choose(client: Client, game: int | None) -> None:
    from protocol import messages as m
    from shuffler.host.dealing import wait_until_on

    wait_until_on(client)
    if game is not None and client.ask(m.ListGames(), m.Games).selected != game:
        client.call(m.SelectGame(game=game))


# ----- bits -----------------------------------------------------------------------------------------------------------


def collect_bits(
    url: str,
    file: Path,
    bits: int,
    *,
    technician: str | None,
    laboratory: str | None,
    secure: Path | None,
    baud: int,
    discard_events: bool = False,
) -> bool:
    """So many bits, to whole bytes, into a file with its provenance beside; False when stopped before the end."""
    from shuffler.lab.collecting import BitCollector, BitFile, provenance

    if not technician or not laboratory:
        raise fail("--technician WORDS and --laboratory WORDS: the one turns service mode on, the other reads")
    size = -(-bits // 8)
    with opened(url, secure, baud, discard_events=discard_events) as client:
        _choose(client, None)
        with BitCollector(client, technician=technician, laboratory=laboratory) as collector:
            kept = BitFile(file, provenance(client, RAW, sys.argv[1:]), marks=collector.marks)
            why = "broken off"
            try:
                with stopping("stopping") as stop, _bar("bytes", size, 0) as show:
                    for chunk in collector.chunks(size, stop):
                        kept.write(chunk)
                        show(kept.bytes)
                why = "complete" if kept.bytes == size else "stopped"
            finally:
                beside = kept.close(why)
    _say(f"{8 * kept.bytes:,} bits in {file}, where they come from in {beside}")
    return why == "complete"


# ----- output ---------------------------------------------------------------------------------------------------------


@contextmanager
def opened(url: str, secure: Path | None, baud: int, *, discard_events: bool = False) -> Iterator[Client]:
    """A client on that cable."""
    from shuffler.cli.keys import read_key
    from shuffler.host.client import Client

    key = read_key(secure) if secure is not None else None
    with Client.open(url, key=key, baud=baud, discard_events=discard_events) as client:
        yield client


def _say(text: str) -> None:
    typer.echo(text, err=True)


@contextmanager
def _bar(what: str, total: int, done: int) -> Iterator[Callable[[int], None]]:
    """Progress with rate and time left on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """So many a second."""

        def render(self, task: Any) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.3g} {what}/s")

    console = Console(stderr=True)
    amount = TextColumn("{task.completed:,} of {task.total:,} " + what)
    columns = (TextColumn("collecting"), BarColumn(), amount, Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("collecting", total=total, completed=done)
        yield lambda now: bar.update(task, completed=now)

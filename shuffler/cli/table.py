"""`shuffler table`: a table in the terminal, on any device, with its journal."""

import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.books import BookOptions, open_books, reopen_table
from shuffler.cli.exit_codes import FAILED
from shuffler.cli.linked import NAME_VARIABLE, VARIABLE, MeterOptions, address, joined, refuse_unlinked
from shuffler.cli.output import device_failed, fail, show_line, warn

if TYPE_CHECKING:
    from random import Random

    from firmware_sim.machine.mechanism import Mechanism
    from protocol.vocabulary import CommitKind
    from round_engine.rules.ruleset import RuleSet
    from shuffler.table.players import Bot

PATIENCE_S = 300.0
ATTENTION_S = 30.0  # between two calls for a person


def table(
    url: Annotated[
        str | None,
        typer.Argument(help="The device: serial port, socket://HOST:PORT, usb://…. Default: an emulated one."),
    ] = None,
    rules: Annotated[str, typer.Option(help="Rule set by name, or a rule file.")] = "light-and-wonder",
    side: Annotated[
        list[str] | None, typer.Option(help="Add a side wager to the layout: bad-beat, or its rule file; repeatable.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")] = 3,
    seats: Annotated[int, typer.Option(min=1, max=7, help="Number of players.")] = 7,
    profile: Annotated[str, typer.Option(help="Profile of the emulated device: a name or a file.")] = "i-deal-style",
    strategy: Annotated[str, typer.Option(help="How the players decide: Q-6-4, always, never or random.")] = "Q-6-4",
    journal: Annotated[Path | None, typer.Option(help="Journal file. An existing journal is continued.")] = None,
    speed: Annotated[
        float, typer.Option(min=0.1, help="Speed of the emulated machine; 1 is that of a real one.")
    ] = 4.0,
    backup: Annotated[
        str | None, typer.Option(help="Backup device: takes over after three faults, or 15 s without an answer.")
    ] = None,
    pauses: Annotated[
        float, typer.Option(min=0, help="Let players take up to this many seconds to decide, now and then.")
    ] = 0.0,
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds to wait for a device that is silent or stuck before giving up.")
    ] = PATIENCE_S,
    secure: Annotated[Path | None, typer.Option(help="Key file, for a device in secure mode.")] = None,
    commitment: Annotated[
        str | None,
        typer.Option(
            help="Least commitment to accept: order, slots or nothing. Default: the strongest that the device has."
        ),
    ] = None,
    sign: Annotated[Path | None, typer.Option(help="Sign the journal with this Ed25519 key (PEM).")] = None,
    anchor: Annotated[
        Path | None,
        typer.Option(help="Also write the journal's head to this file; keep it where nobody can change both."),
    ] = None,
    anchor_command: Annotated[
        str | None, typer.Option(help="At each checkpoint, run this program with the journal's name, record and hash.")
    ] = None,
    accept_rules: Annotated[
        bool, typer.Option("--accept-rules", help="Continue a journal that was played under other rules.")
    ] = False,
    meters: Annotated[
        str | None,
        typer.Option(envvar=VARIABLE, show_envvar=True, help="Share the meters on this server: postgresql://HOST/DB."),
    ] = None,
    table_name: Annotated[
        str | None,
        typer.Option(envvar=NAME_VARIABLE, show_envvar=True, help="This table's name on the server, as enrolled."),
    ] = None,
    unsent_limit: Annotated[
        int,
        typer.Option(min=1, help="Stop taking the progressive wager when this many contributions wait for the server."),
    ] = 500,
    away_limit: Annotated[
        float, typer.Option(min=1, help="Stop taking it when the server has not answered for this many seconds.")
    ] = 900.0,
) -> None:
    """Play full rounds: shuffle, deal, decisions, settlement, meter; over the real wire."""

    from firmware_sim.errors import DeviceError
    from firmware_sim.machine.profile import load
    from firmware_sim.ports import local_port
    from firmware_sim.ports.serving import Location, background
    from firmware_sim.unit.emulator import Build
    from round_engine.errors import RoundEngineError
    from shuffler.errors import ShufflerError

    linked = None
    if meters is not None:
        if table_name is None or journal is None:
            raise fail("shared meters need --table-name and a --journal that stays")
        linked = MeterOptions(url=address(meters), table=table_name, unsent=unsent_limit, away_s=away_limit)
    with ExitStack() as stack:
        machine = None
        if url is None:
            try:
                build = Build(profile=load(profile), serial="SB-TABLE", speed=speed)
            except DeviceError as problem:
                raise fail(str(problem)) from None
            emulated = stack.enter_context(background([Location(build=build, ports=(local_port(),))]))
            url, machine = emulated.url, emulated.served[0].emulator.machine
            typer.echo(f"An emulated shuffler is on {url}, {speed:g} times as fast as a real one.")
        try:
            books = BookOptions(sign=sign, anchor=anchor, anchor_command=anchor_command, accept_rules=accept_rules)
            play(
                url, with_sides(rules, side), rounds, seats, strategy, journal, backup, secure, machine, books,
                patience_s=patience, pauses_s=pauses, commitment=commitment, meters=linked,
            )  # fmt: skip
        except ShufflerError as problem:
            raise device_failed(problem) from None
        except RoundEngineError as problem:
            raise fail(str(problem), FAILED) from None
        except KeyboardInterrupt:
            raise fail("stopped; an open round is void when the table is opened again", 130) from None


def play(
    url: str,
    rules_name: str,
    rounds: int,
    seats: int,
    strategy: str,
    journal_path: Path | None,
    backup: str | None = None,
    secure: Path | None = None,
    machine: "Mechanism | None" = None,
    options: BookOptions | None = None,
    *,
    patience_s: float = PATIENCE_S,
    pauses_s: float = 0.0,
    commitment: str | None = None,
    meters: MeterOptions | None = None,
) -> None:
    """Open a table on a device and play rounds, each shown as it goes.

    Hands that the device does not read are seen on the table of an emulated `machine`; else the person at the terminal
    is asked for them.
    """
    from random import SystemRandom
    from tempfile import TemporaryDirectory

    from shuffler.cli.keys import read_key
    from shuffler.errors import DeviceUnfit, GaveUp
    from shuffler.host.printable import printable
    from shuffler.table import Want
    from shuffler.table.hand_entry import Operator
    from shuffler.table.live import LiveTable
    from shuffler.table.narration import Narrator
    from shuffler.table.people import Players
    from shuffler.table.players import Thinking
    from shuffler.table.view import view_of
    from shuffler.timeouts import USUAL
    from shuffler.virtual.eyes import TableEyes

    chosen = load_rules(rules_name)
    with ExitStack() as stack:
        path = journal_path or Path(stack.enter_context(TemporaryDirectory())) / "journal.db"
        options = options or BookOptions()
        books = stack.enter_context(closing(open_books(path, rules_name, options)))
        if meters is None:
            refuse_unlinked(books)
        opened = reopen_table(books, rules_name, chosen, options, resume=meters is not None)
        chance: Random = SystemRandom()
        called = float("-inf")

        def come(want: Want) -> None:
            nonlocal called
            refusal, connection = live.core.refusal, live.connection
            if want in (Want.BACKUP, Want.ANOTHER) and backup is not None and connection.url != backup:
                why = connection.waits_for if not live.host.is_up else refusal or "repeated faults"
                typer.echo(printable(f"the shuffler is not fit ({why}): switched off, the backup put in its place"))
                live.swap(backup, why)
            elif want is Want.ANOTHER:
                books.flush()
                raise DeviceUnfit(f"the device on {connection.url} can't be played: {refusal}")
            elif want is Want.ATTENTION and time.monotonic() > called + ATTENTION_S:
                called = time.monotonic()
                view.attention()

        players = bots(strategy, seats)
        clock = lambda: time.monotonic_ns() // 1000  # noqa: E731
        people = Players(
            players, chosen, chance=chance, come=come,
            look=TableEyes(lambda: machine) if machine is not None else Operator(opened.table, _ask, typer.echo),
            thinking=Thinking(longest_us=int(pauses_s * 1e6), chance=chance, clock=clock) if pauses_s else None,
        )  # fmt: skip
        live = LiveTable(
            url, opened.table, books, players, chance=chance, last_round=opened.last_round,
            device_rounds=opened.device_rounds, key=read_key(secure) if secure is not None else None,
            timeouts=USUAL.within(patience_s), people=people, say=warn,
        )  # fmt: skip
        view = Narrator(view_of(live.core), show_line)
        books.listeners.append(view.show)
        live.core.device.least_commitment = None if commitment is None else read_commitment(commitment)
        if meters is not None:
            live.core.round.meters = stack.enter_context(joined(books, opened.table, meters, show_line))
        try:
            live.play(rounds)
            live.desk.paused = True
            live.desk.leave("the rounds asked for were played")
        except GaveUp as problem:
            live.desk.leave(str(problem))
            raise
        finally:
            live.close_port()
        view.summary(view_of(live.core))
        if journal_path is not None:
            typer.echo(f"journal: {journal_path} (`shuffler journal verify {journal_path}`)")


def _ask(question: str) -> str:
    """A question for the person at the terminal."""
    import sys

    from shuffler.errors import BlindTable

    if not sys.stdin.isatty():
        raise BlindTable("this device does not read faces: run the table in a terminal and enter the hands")
    answer: str = typer.prompt(question)
    return answer


def load_rules(name: str) -> "RuleSet":
    """A rule set by name or file, with a ceiling where it needs one."""
    from round_engine.errors import RoundEngineError

    try:
        return rules_by_name(name)
    except RoundEngineError as problem:
        raise fail(str(problem)) from None


def rules_by_name(name: str) -> "RuleSet":
    """The same for callers that deal with the engine's errors themselves."""
    from shuffler.table import rule_names

    return rule_names.rules_by_name(name)


def with_sides(rules: str, sides: list[str] | None) -> str:
    """One name for a rule set with its side wagers."""
    from shuffler.table import rule_names

    return rule_names.with_sides(rules, sides)


def read_commitment(name: str) -> "CommitKind":
    """A kind of commitment by name."""
    from protocol.vocabulary import CommitKind

    try:
        return CommitKind[name.upper()]
    except KeyError:
        raise fail(f"--commitment {name}: expected order, slots or nothing") from None


def bots(strategy: str, seats: int) -> "list[Bot]":
    """As many players as seats, all of one mind."""
    from round_engine.errors import RoundEngineError
    from shuffler.table.players import seated

    try:
        return seated(strategy, seats)
    except RoundEngineError as problem:
        raise fail(f"--strategy {strategy}: {problem}") from None


def utc_now() -> str:
    """The time for a journal's record."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="milliseconds")

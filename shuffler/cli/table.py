"""`shuffler table`: a table in the terminal, on any device, with its journal."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from random import Random

    from firmware_sim.mechanism import Mechanism
    from round_engine.ruleset import RuleSet
    from shuffler.bots import Bot

CEILING = "$300"  # for rule sets that need one and were given none; the figure is the house's to set
STRATEGIES = ("Q-6-4", "always", "never", "random")


def table(
    url: Annotated[str | None, typer.Argument(help="The device; without one an emulated shuffler is started.")] = None,
    rules: Annotated[str, typer.Option(help="Rule set by name, or a rule file.")] = "light-and-wonder",
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds.")] = 3,
    seats: Annotated[int, typer.Option(min=1, max=7, help="How many players.")] = 7,
    profile: Annotated[str, typer.Option(help="The emulated device's profile.")] = "i-deal-style",
    strategy: Annotated[str, typer.Option(help="How the players decide: Q-6-4, always, never or random.")] = "Q-6-4",
    journal: Annotated[Path | None, typer.Option(help="The journal's file; it is gone on with where it is.")] = None,
    speed: Annotated[float, typer.Option(min=0.1, help="The emulated machine's speed.")] = 4.0,
    backup: Annotated[str | None, typer.Option(help="The backup device, for when the first one is not fit.")] = None,
    secure: Annotated[Path | None, typer.Option(help="The key file, where the device is in secure mode.")] = None,
) -> None:
    """Play full rounds: shuffle, deal, decisions, settlement, meter; over the real wire."""

    from firmware_sim.emulator import Build
    from firmware_sim.errors import DeviceError
    from firmware_sim.profile import load
    from firmware_sim.serving import Place, background
    from round_engine.errors import RoundEngineError
    from shuffler.errors import ShufflerError

    with ExitStack() as stack:
        machine = None
        if url is None:
            try:
                build = Build(profile=load(profile), serial="SB-TABLE", speed=speed)
            except DeviceError as problem:
                raise fail(str(problem)) from None
            emulated = stack.enter_context(background([Place(build=build, pty=True)]))
            url, machine = emulated.url, emulated.served[0].emulator.machine
            typer.echo(f"An emulated shuffler is on {url}, {speed:g} times as fast as a real one.")
        try:
            play(url, rules, rounds, seats, strategy, journal, backup, secure, machine)
        except (ShufflerError, RoundEngineError) as problem:
            raise fail(str(problem), 1) from None
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
) -> None:
    """Open a table on a device and play rounds, each shown as it goes.

    Hands that the device does not read are seen on the table of an emulated `machine`; else the person at the terminal
    is asked for them.
    """
    from random import SystemRandom
    from tempfile import TemporaryDirectory

    from shuffler.bridge import Want
    from shuffler.cli.keys import read_key
    from shuffler.eyes import Operator, TableEyes
    from shuffler.journal import SqliteJournal
    from shuffler.live_table import LiveTable
    from shuffler.restart import reopen
    from shuffler.table_view import TableView

    chosen = load_rules(rules_name)
    with ExitStack() as stack:
        path = journal_path or Path(stack.enter_context(TemporaryDirectory())) / "journal.db"
        books = stack.enter_context(closing(SqliteJournal(path, clock=utc_now, settings={"rules": rules_name})))
        if books.settings.get("rules") != rules_name:
            raise fail(f"{path} is the journal of a table under {books.settings.get('rules')}: use --rules to match it")
        opened = reopen(books, chosen)
        if opened.voided:
            typer.echo(f"round {opened.voided} was open when the table stopped: it is void, wagers are given back")
        chance: Random = SystemRandom()
        live = LiveTable(
            url, opened.table, books, bots(strategy, seats), chance=chance, last_round=opened.last_round,
            device_rounds=opened.device_rounds,
            key=read_key(secure) if secure is not None else None,
        )  # fmt: skip
        view = TableView(opened.table, typer.echo)
        live.desk.watch = view.show
        bridge = live.desk.bridge
        live.desk.eyes = TableEyes(machine, bridge) if machine is not None else Operator(bridge, _ask, typer.echo)

        def attend(want: Want) -> None:
            if want is Want.BACKUP and backup is not None and live.url != backup:
                typer.echo("the shuffler is not fit: switched off, unplugged, the backup put in its place")
                live.swap(backup, "repeated faults")
            elif want is Want.ATTENTION:
                view.attention()

        live.desk.attend = attend
        try:
            live.play(rounds)
            live.desk.paused = True
            books.flush()
        finally:
            live.close_port()
        view.summary()
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
    from round_engine.rulebook import load

    try:
        chosen = load(name)
        if chosen.ceiling_required and chosen.house.limit_ceiling is None:
            chosen = load(name, changes={"house": {"limit_ceiling": CEILING}})
    except RoundEngineError as problem:
        raise fail(str(problem)) from None
    return chosen


def bots(strategy: str, seats: int) -> "list[Bot]":
    """As many players as seats, all of one mind."""
    from round_engine.errors import RoundEngineError
    from shuffler.bots import seated

    try:
        return seated(strategy, seats)
    except RoundEngineError as problem:
        raise fail(f"--strategy {strategy}: {problem}") from None


def utc_now() -> str:
    """The time for a journal's record."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="milliseconds")

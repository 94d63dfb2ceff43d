"""`shuffler live`: device, table, journal, API and page in one process, on the loopback address."""

import asyncio
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.control_plane import announce, blame
from shuffler.cli.linked import NAME_VARIABLE, VARIABLE, MeterOptions, address, joined
from shuffler.cli.output import fail
from shuffler.cli.stopping import on_signal

if TYPE_CHECKING:
    from shuffler.api.loop_table import Joining
    from shuffler.api.starting import DeviceStart

PORT_MAX = 65535


def live(
    port: Annotated[int, typer.Option(min=0, max=PORT_MAX, help="Port of the page, 0 for any free one.")] = 7080,
    profile: Annotated[str, typer.Option(help="Profile of the emulated device: a name or a file.")] = "i-deal-style",
    rules: Annotated[str, typer.Option(help="Rule set by name, or a rule file.")] = "light-and-wonder",
    side: Annotated[
        list[str] | None, typer.Option(help="Add a side wager to the layout: bad-beat, or its rule file; repeatable.")
    ] = None,
    keypad: Annotated[
        str | None, typer.Option(help="The progressive's keypad where the rules offer several: game-manager, nexus.")
    ] = None,
    speed: Annotated[
        float, typer.Option(min=0, max=100_000, help="Speed of the machine; 1 is that of a real one.")
    ] = 4.0,
    seed: Annotated[int | None, typer.Option(help="Repeatable shuffles; the device says so on the wire.")] = None,
    journal: Annotated[Path | None, typer.Option(help="Journal file. An existing journal is continued.")] = None,
    kiosk: Annotated[
        bool, typer.Option("--kiosk", help="Unattended: the table plays by itself, over and over.")
    ] = False,
    meters: Annotated[
        str | None,
        typer.Option(envvar=VARIABLE, show_envvar=True, help="Share the meters on this server: postgresql://HOST/DB."),
    ] = None,
    table_name: Annotated[
        str | None,
        typer.Option(envvar=NAME_VARIABLE, show_envvar=True, help="The table's name there, as it was enrolled."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open no browser.")] = False,
    token_file: Annotated[
        Path | None, typer.Option(help="Where the token is written; only its owner may read it.")
    ] = None,
    audit: Annotated[Path | None, typer.Option(help="Append every change by the control API to this file.")] = None,
) -> None:
    """Open the whole bench in your browser: shuffler, table, faults, wire, randomness, journal. Until Ctrl-C.

    Works offline. Only the holder of the printed address can see or drive it.
    """
    try:
        from shuffler.api.starting import DeviceStart
    except ImportError as problem:
        raise blame(problem) from None
    from shuffler.table.rule_names import with_sides

    start = DeviceStart(
        profile=profile, rules=with_sides(rules, side), keypad=keypad, speed=speed, journal=journal, kiosk=kiosk,
        seed=seed, join=_joining(meters, table_name, journal),
    )  # fmt: skip
    asyncio.run(_serve(start, port, token_file, audit, open_browser=not no_browser))


def _joining(url: str | None, table_name: str | None, journal: Path | None) -> "Joining | None":
    """How the table joins the meters that it shares; None where it has its own."""
    if url is None:
        return None
    if table_name is None or journal is None:
        raise fail("shared meters need --table-name and a --journal that stays")
    options = MeterOptions(url=address(url), table=table_name)
    return lambda books, table, say: joined(books, table, options, say)


async def _serve(
    start: "DeviceStart", port: int, token_file: Path | None, audit: Path | None, *, open_browser: bool
) -> None:
    from firmware_sim.errors import DeviceError
    from round_engine.errors import RoundEngineError
    from shuffler.api import ApiServer, Bench
    from shuffler.api.access import write_opener
    from shuffler.api.starting import begin, begin_again
    from shuffler.journal import JournalError

    try:
        bench = Bench(audit=audit)
    except OSError as problem:
        raise fail(f"--audit {audit}: {problem.strerror}") from None
    bench.reset = lambda: begin_again(bench, start)
    try:
        try:
            await begin(bench, start)
            server = await ApiServer.open(bench, port=port, token_file=token_file)
        except (DeviceError, RoundEngineError, JournalError) as problem:
            raise fail(str(problem)) from None
        except OSError as problem:
            raise fail(f"port {port}: {problem.strerror or problem}; choose another with --port") from None
        stop = asyncio.Event()
        on_signal(stop)
        page = server.address.page + ("&kiosk" if start.kiosk else "")
        announce(server.address)
        opener = server.address.token_file.absolute().with_suffix(".html")
        try:
            if open_browser:
                write_opener(opener, page)
                await asyncio.to_thread(webbrowser.open, opener.as_uri())
            typer.echo("Ctrl-C ends it")
            await stop.wait()
        finally:
            opener.unlink(missing_ok=True)
            await server.close()
    finally:
        await bench.close()
    typer.echo("\nended")

"""`shuffler conform`: any device, or any controller, put through the protocol's numbered rules."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.exit_codes import FAILED, INCONCLUSIVE, INTERRUPTED
from shuffler.cli.output import device_failed, fail, say, warn

if TYPE_CHECKING:
    from shuffler.kit.conformance.verdict import RuleFinding

app = typer.Typer(
    help="Put a device or a controller through the protocol's numbered rules: rule, verdict, evidence.",
    no_args_is_help=True,
)

Secure = Annotated[Path | None, typer.Option(help="Secure mode with the key in this file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON instead of the table.")]
Junit = Annotated[Path | None, typer.Option(help="Write the report as JUnit XML to this file.")]
Jitter = Annotated[int, typer.Option(min=0, max=10_000, help="Milliseconds that the line itself may add to a time.")]
Rules = Annotated[list[str] | None, typer.Option("--rule", help="Check this rule only, such as H-2; repeatable.")]
All = Annotated[bool, typer.Option("--all", help="List the rules without a check too, each with the reason.")]


@app.command()
def device(
    url: Annotated[
        str, typer.Argument(help="Serial port, socket://HOST:PORT, usb://VID:PID/SERIAL, usbip://HOST:PORT/BUSID.")
    ],
    secure: Secure = None,
    rule: Rules = None,
    deal: Annotated[
        bool, typer.Option("--deal/--no-deal", help="Deal two short rounds; somebody handles the cards.")
    ] = True,
    jitter: Jitter = 250,
    junit: Junit = None,
    as_json: AsJson = False,
    everything: All = False,
) -> None:
    """Ask a device about every rule. Writes lines into its log, deals two rounds, and leaves others' events alone."""
    from protocol.render.rules import rules
    from shuffler.cli.keys import read_key
    from shuffler.errors import ShufflerError
    from shuffler.kit.conformance.device.suite import run
    from shuffler.kit.conformance.live import device_bench
    from shuffler.kit.conformance.report import line

    for one in rule or ():
        if one not in rules():
            raise fail(f"--rule {one}: no such rule; docs/protocol.md numbers them B-1 to K-2")
    key = read_key(secure) if secure is not None else None
    found: list[RuleFinding] = []
    try:
        with device_bench(url, key=key, jitter_ms=jitter, deals=deal) as bench:
            for finding in run(bench, frozenset(rule or ())):
                found.append(finding)
                if not as_json and (everything or finding.verdict.name != "NOT_CHECKED" or rule):
                    say(line(finding))
    except ShufflerError as problem:
        raise device_failed(problem) from None
    except KeyboardInterrupt:
        raise fail("stopped", INTERRUPTED) from None
    _conclude(f"the device at {url}", found, junit=junit, as_json=as_json)


@app.command()
def controller(
    port: Annotated[
        int | None, typer.Option("--tcp", min=0, max=65535, help="TCP port to listen on. Default: any free one.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    pty: Annotated[bool, typer.Option("--pty", help="Serve a pseudo-terminal (a serial port) instead of TCP.")] = False,
    profile: Annotated[str, typer.Option(help="Profile of the watching device: a name or a file.")] = "i-deal-style",
    speed: Annotated[
        float, typer.Option(min=0.1, max=1000.0, help="Speed of the machine; 1 is that of a real one.")
    ] = 20.0,
    patience: Annotated[
        float, typer.Option(min=1.0, max=86400.0, help="Seconds without a word of any controller, before it is judged.")
    ] = 60.0,
    secure: Secure = None,
    jitter: Jitter = 250,
    junit: Junit = None,
    as_json: AsJson = False,
    everything: All = False,
) -> None:
    """Be a device that watches its host: connect your controller, deal a round, and start it again where it ends.

    Each session is one act: a plain one with bad frames among the good, one that is reset, one that falls silent, one
    welcomed in a wrong version, one whose memory was set back. Ctrl-C judges by what was seen so far.
    """
    from firmware_sim.errors import DeviceError
    from firmware_sim.machine.profile import load
    from shuffler.cli.keys import read_key
    from shuffler.kit.conformance.live import WatchOptions, watching
    from shuffler.kit.conformance.report import line

    key = read_key(secure) if secure is not None else None
    try:
        watch = WatchOptions(
            profile=load(profile),
            host=host,
            port=port,
            pty=pty,
            speed=speed,
            key=key,
            jitter_ms=jitter,
            patience_s=patience,
        )
    except DeviceError as problem:
        raise fail(str(problem)) from None
    try:
        with watching(watch) as watched:
            warn(f"watching on {watched.url}: connect the controller and let it deal a round; Ctrl-C judges at once")
            try:
                found = watched.until_done()
            except KeyboardInterrupt:
                found = watched.findings()
    except OSError as problem:
        raise fail(f"can't listen on {host}: {problem.strerror or problem}") from None
    if not as_json:
        for finding in found:
            if everything or finding.verdict.name != "NOT_CHECKED":
                say(line(finding))
    _conclude("the controller", found, junit=junit, as_json=as_json)


def _conclude(what: str, found: "Sequence[RuleFinding]", *, junit: Path | None, as_json: bool) -> None:
    from shuffler.host.printable import printable
    from shuffler.kit.conformance import report
    from shuffler.kit.conformance.verdict import failed

    if junit is not None:
        try:
            junit.write_text(report.as_junit(what, found), encoding="utf-8")
        except OSError as problem:
            raise fail(f"{junit}: {problem.strerror}") from None
    if as_json:
        typer.echo(printable(report.as_json(what, found)))
    else:
        say(f"{what}: {report.summary(found)}")
    if failed(found):
        raise typer.Exit(FAILED)
    if not report.is_passed(found):
        raise typer.Exit(INCONCLUSIVE)

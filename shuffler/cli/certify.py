"""`shuffler certify`: decks from a mechanism, a device, a file or a pipe through a plan, to a verdict and a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.collect import DEVICE, Baud, Game, Seats, Secure, Sort, Supervisor
from shuffler.cli.output import fail
from shuffler.cli.stopping import stopping
from shuffler.cli.verdict import show

if TYPE_CHECKING:
    from randomness.certification import Run
    from shuffler.cli.collect import Wanted

app = typer.Typer(
    help="Certify shuffles: a mechanism's, a device's, or recorded decks from any machine; check a report.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WHAT, HOW, RUN, RESULT = "What is certified (one of these)", "How", "Who counts", "Result"
CHECKPOINT = Path("certify.checkpoint")


@app.callback()
def certify(
    context: typer.Context,
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="ideal, ejection, rack, shelf, riffle, with settings (riffle:passes=7), or defect:NAME.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="The mechanism of a device profile, e.g. i-deal-style.", rich_help_panel=WHAT)
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Recorded decks: CSV (52 columns, no header), JSON lines, .npy; - for a pipe.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="A device over the wire: serial port, tcp://HOST:PORT, usb://…; --decks says how many.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    collected: Annotated[
        Path | None,
        typer.Option(
            "--collected", metavar="FILE", help="Where a device's decks are kept; by its URL.", rich_help_panel=DEVICE
        ),
    ] = None,
    supervisor: Supervisor = None,
    seats: Seats = 0,
    sort: Sort = False,
    game: Game = None,
    secure: Secure = None,
    baud: Baud = 115200,
    plan: Annotated[
        str, typer.Option(help="quick, standard, full, gli-style, or a TOML file.", rich_help_panel=HOW)
    ] = "quick",
    decks: Annotated[
        int | None, typer.Option(min=1, help="How many decks; the plan's, or all of a file.", rich_help_panel=HOW)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Repeat a run. Without: fresh, and written down.", rich_help_panel=HOW)
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=512, help="Processes; the result is the same for any number.", rich_help_panel=RUN)
    ] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Count on a Dask cluster: tcp://HOST:PORT, or local.", rich_help_panel=RUN
        ),
    ] = None,
    outside: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINES",
            help="Also the generator's bits through dieharder, ent, rngtest, practrand.",
            rich_help_panel=HOW,
        ),
    ] = None,
    outside_seconds: Annotated[
        float, typer.Option(min=1, help="Longest time for each call of an engine.", rich_help_panel=HOW)
    ] = 300.0,
    bits: Annotated[
        Path | None,
        typer.Option(
            "--bits",
            metavar="FILE",
            help="Raw bits recorded from the device, for SP 800-22 in the report.",
            rich_help_panel=HOW,
        ),
    ] = None,
    not_applicable: Annotated[
        list[str] | None,
        typer.Option(
            "--not-applicable",
            help="A test that the device does not promise (order inside a group).",
            rich_help_panel=HOW,
        ),
    ] = None,
    test: Annotated[
        bool,
        typer.Option(
            "--test", help="A test of the bench: decks marked as rigged or seeded count too.", rich_help_panel=HOW
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint of the same run.", rich_help_panel=RUN)
    ] = False,
    checkpoint: Annotated[
        Path, typer.Option(help="Where an interrupted run is kept.", rich_help_panel=RUN)
    ] = CHECKPOINT,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The whole result.", rich_help_panel=RESULT)
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="The report.", rich_help_panel=RESULT)
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="One line a test.", rich_help_panel=RESULT)
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--sign", metavar="KEY", help="Sign with an Ed25519 private key (PEM).", rich_help_panel=RESULT),
    ] = None,
) -> None:
    """Certify the shuffles of a mechanism or a device, or decks recorded from any machine.

    Exit code 0: passed. 1: failed, and the output says where to look. 2: could not run.
    """
    if context.invoked_subcommand is not None:
        return
    from randomness.certification import Interrupted
    from randomness.certification import certify as do
    from randomness.certification.cluster import Cluster
    from randomness.certification.engines import local_engine
    from randomness.certification.outside import outside_of
    from randomness.errors import RandomnessError
    from randomness.outside import engines_named
    from shuffler.certificate import load_key, write
    from shuffler.cli.collect import Wanted
    from shuffler.errors import ShufflerError
    from shuffler.recorded_bits import recorded

    try:
        signer = None if key is None else load_key(key)
        engines = () if outside is None else engines_named(outside)
        one_of(mechanism, profile, source, device)
        if device is not None:
            wanted = Wanted(
                url=device, supervisor=supervisor, seats=seats, sort=sort, game=game, secure=secure, baud=baud
            )
            source = _collected(wanted, collected, decks, resume=resume, test=test)
            resume = resume and checkpoint.exists()
        run = _run(mechanism, profile, source, plan, decks, seed, tuple(not_applicable or ()), test)
        outside_runs = outside_of(run, engines, limit_seconds=outside_seconds)
        recorded_bits = None if bits is None else recorded(bits, run.plan, test=test)
        kept = checkpoint if run.subject.can_resume else None
        with stopping("stopping after the shards in hand") as stop, _progress(run) as (progress, turn):
            engine = local_engine(workers) if cluster is None else Cluster(cluster, workers=max(2, workers))
            record = do(
                run,
                engine,
                keep=kept,
                resume=resume,
                stop=stop,
                progress=progress,
                turn=turn,
                bits=recorded_bits,
                outside=outside_runs,
            )
        if outside is not None:
            record["reproduce"] += f" --outside {outside} --outside-seconds {outside_seconds:g}"
        if bits is not None:
            record["reproduce"] += f" --bits '{bits.name}'"
        write(record, signer, json_file=json_file, html_file=html_file, csv_file=csv_file)
    except Interrupted as interrupted:
        typer.echo(
            f"{interrupted}; kept in {checkpoint}: the same command with --resume{_seed_hint(run, seed)} goes on",
            err=True,
        )
        raise typer.Exit(2) from None
    except (RandomnessError, ShufflerError) as error:
        raise fail(str(error)) from None
    except OSError as error:
        raise fail(f"{error.filename}: {error.strerror}") from None
    except KeyboardInterrupt:
        raise fail("broken off; a checkpoint of the last seconds may be there for --resume") from None
    show(record)
    raise typer.Exit(0 if record["verdict"]["passed"] else 1)


@app.command()
def verify(
    report: Annotated[Path, typer.Argument(help="A report: HTML or JSON.")],
    key: Annotated[
        Path | None, typer.Option(help="The laboratory's public key (PEM): who signed must be this one.")
    ] = None,
) -> None:
    """Check that a report is whole and unchanged, and whose signature it bears.

    Exit code 0: intact (and signed, where a key is given). 1: changed, or not signed by that key. 2: can't be read.
    """
    from randomness.errors import RandomnessError
    from shuffler.certificate import check

    try:
        checked = check(report, key)
    except RandomnessError as error:
        raise fail(str(error)) from None
    for line in checked.said:
        typer.echo(line)
    raise typer.Exit(0 if checked.good else 1)


# ----- what to run ----------------------------------------------------------------------------------------------------


def one_of(*given: str | None) -> None:
    """A run has one subject."""
    if sum(one is not None for one in given) != 1:
        raise fail("say what to certify: one of --mechanism, --profile, --device, --from (see --help)")


def _collected(wanted: Wanted, file: Path | None, decks: int | None, *, resume: bool, test: bool) -> str:
    """The device's decks in a file: what is certified can be certified again."""
    from shuffler.cli.collect import collect_decks
    from shuffler.collecting import CannotCollect

    if decks is None:
        raise fail("--device needs --decks N: a real machine takes half a minute for each")
    if file is None:
        file = Path("-".join(["decks", *re.findall(r"\w+", wanted.url)]) + ".jsonl")

    def refused(why: str) -> CannotCollect:
        return CannotCollect(f"{why}: such decks count in a test of the bench alone (--test)")

    if not collect_decks(wanted, file, decks, resume=resume and file.exists(), refuse_marked=None if test else refused):
        typer.echo("the same command with --resume goes on", err=True)
        raise typer.Exit(2)
    return str(file)


def _run(
    mechanism: str | None,
    profile: str | None,
    source: str | None,
    plan: str,
    decks: int | None,
    seed: int | None,
    not_applicable: tuple[str, ...],
    test: bool,
) -> Run:
    from randomness.certification import PLANS, KernelSubject, Recorded, RecordedSubject, Run, load_plan
    from randomness.decks import deck_test
    from randomness.kernels import parse

    for name in not_applicable:
        if not deck_test(name).declarable:
            raise fail(f"'{name}' can't be declared not applicable; only the order inside a group can (group-order…)")
    loaded = load_plan(plan)
    plan_file = "" if plan in PLANS else Path(plan).name
    if source is not None:
        recorded = RecordedSubject(recorded=Recorded(source, test=test), not_promised=not_applicable)
        return Run(plan=loaded, subject=recorded, decks=decks, plan_file=plan_file)
    if profile is not None:
        mechanism = _mechanism_of(profile)
    assert mechanism is not None
    parse(mechanism)
    entropy = "given on the command line"
    if seed is None:
        import secrets

        seed, entropy = secrets.randbits(128), "operating system"
    subject = KernelSubject(
        mechanism=mechanism, seed=seed, entropy=entropy, profile=profile or "", not_promised=not_applicable
    )
    return Run(plan=loaded, subject=subject, decks=decks, plan_file=plan_file)


def _mechanism_of(profile: str) -> str:
    """The kernel of a device profile, as one line."""
    from firmware_sim.errors import DeviceError
    from firmware_sim.profile import load

    try:
        build = load(profile).build
    except DeviceError as problem:
        raise fail(str(problem)) from None
    settings = ",".join(
        f"{key}={'+'.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for key, value in build.kernel_parameters.items()
    )
    return f"{build.kernel}:{settings}" if settings else build.kernel


def _seed_hint(run: Run, seed: int | None) -> str:
    """A fresh seed has to be named, or the resumed run would be another one."""
    given = getattr(run.subject, "seed", None)
    return "" if seed is not None or given is None else f" --seed {given}"


@contextmanager
def _progress(run: Run) -> Iterator[tuple[Callable[[int], None], Callable[[str, int | None], None]]]:
    """A bar on standard error, with rate and time left, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """So many a second."""

        def render(self, task: Any) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    console = Console(stderr=True)
    typer.echo(f"plan {run.plan.name}, sha256 {run.plan.digest()}", err=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"), Rate(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("decks", total=run.subject.total(run.plan, run.decks))

        def turn(what: str, total: int | None) -> None:
            bar.reset(task, description=what, total=total)

        yield lambda done: bar.update(task, completed=done), turn

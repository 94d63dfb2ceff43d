"""`shuffler certify`: decks from a mechanism, a device, a file or a pipe through a plan, to a verdict and a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.collect import DEVICE, Baud, DiscardEvents, Game, Secure, Sort, Supervisor
from shuffler.cli.exit_codes import DONE, FAILED, INCONCLUSIVE
from shuffler.cli.output import fail
from shuffler.cli.stopping import stopping
from shuffler.cli.verdict import show

if TYPE_CHECKING:
    from randomness.certification import Run, RunRecord, RunSettings
    from randomness.decks.kinds import KindSettings
    from shuffler.cli.collect import CollectRequest
    from shuffler.lab.register import Register

app = typer.Typer(
    help="Certify shuffles: a mechanism's, a device's, or recorded decks from any machine; check a report.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WHAT, HOW, RUN, RESULT = "What is certified (one of these)", "Tests", "Processes", "Result"
KIND = "The deck, where it is not one of 52 cards dealt in threes"
MOST_SEATS = 7
CHECKPOINT = Path("certify.checkpoint")
ENDS = {"passed": DONE, "failed": FAILED, "inconclusive": INCONCLUSIVE}


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
            help="Recorded decks: CSV, JSON lines, .npy, .npz, Parquet, also packed (gzip, zstd); - for a pipe.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="A device: serial port, socket://HOST:PORT, usb://…; give the number with --decks.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    collected: Annotated[
        Path | None,
        typer.Option(
            "--collected",
            metavar="FILE",
            help="File for the decks collected from --device. Default: named after its URL.",
            rich_help_panel=DEVICE,
        ),
    ] = None,
    supervisor: Supervisor = None,
    deck: Annotated[
        int | None,
        typer.Option(
            metavar="CARDS",
            help="Cards of one deck: 32, 36, 40, 48, 52, 53, 54 (jokers). Default: as the file's rows say.",
            rich_help_panel=KIND,
        ),
    ] = None,
    shoe: Annotated[
        int | None,
        typer.Option(min=1, max=16, metavar="N", help="Number of decks shuffled together.", rich_help_panel=KIND),
    ] = None,
    ranks: Annotated[
        str | None,
        typer.Option(help="The ranks of a deck that is not a standard one, e.g. 789TJQKA.", rich_help_panel=KIND),
    ] = None,
    told_apart: Annotated[
        bool | None,
        typer.Option(
            "--told-apart/--not-told-apart",
            help="Whether the record tells equal cards of a shoe apart (by number, or as QH#3).",
            rich_help_panel=KIND,
        ),
    ] = None,
    group: Annotated[
        int | None, typer.Option(min=1, help="Cards in a group. Default: 3.", rich_help_panel=KIND)
    ] = None,
    dealer: Annotated[
        bool | None,
        typer.Option("--dealer/--no-dealer", help="Whether the last group is the dealer's.", rich_help_panel=KIND),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=64,
            help="Number of players. With --device: seats to deal to before the stub is taken (0 to 7).",
            rich_help_panel=KIND,
        ),
    ] = None,
    sort: Sort = False,
    game: Game = None,
    secure: Secure = None,
    baud: Baud = 115200,
    discard_events: DiscardEvents = False,
    plan: Annotated[
        str | None,
        typer.Option(
            help="quick, standard, full, gli-style, or a TOML file. Default: quick for a mechanism, for a file the "
            "strongest that its size allows.",
            rich_help_panel=HOW,
        ),
    ] = None,
    decks: Annotated[
        int | None,
        typer.Option(min=1, help="Number of decks. Default: the plan's, or all in the file.", rich_help_panel=HOW),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="Seed, to repeat a run. Default: a fresh one, stated in the record.", rich_help_panel=HOW
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=1,
            max=512,
            help="Number of worker processes; the result is the same for any number.",
            rich_help_panel=RUN,
        ),
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
            help="Also test the generator's bits with dieharder, ent, rngtest or practrand (commas between).",
            rich_help_panel=HOW,
        ),
    ] = None,
    outside_seconds: Annotated[
        float, typer.Option(min=1, help="Time limit in seconds for each outside program.", rich_help_panel=HOW)
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
    noise: Annotated[
        Path | None,
        typer.Option(
            "--noise",
            metavar="FILE",
            help="Raw noise samples, one per byte, for an SP 800-90B assessment in the report.",
            rich_help_panel=HOW,
        ),
    ] = None,
    not_applicable: Annotated[
        list[str] | None,
        typer.Option(
            "--not-applicable",
            help="Leave out a test of something the device does not promise, such as order inside a group.",
            rich_help_panel=HOW,
        ),
    ] = None,
    partial: Annotated[
        str | None,
        typer.Option(
            metavar="REASON",
            help="Allow --decks to read only the first rows of a file; the report states it on its first page.",
            rich_help_panel=HOW,
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="CLAUSE",
            help="Also evaluate against a clause for other equipment, by its id (e.g. cfr-547.14-b).",
            rich_help_panel=HOW,
        ),
    ] = None,
    test: Annotated[
        bool,
        typer.Option(
            "--test",
            help="Include rigged and seeded decks (marks the report as a test run).",
            rich_help_panel=HOW,
        ),
    ] = False,
    retest_of: Annotated[
        Path | None,
        typer.Option(
            "--retest-of",
            metavar="RECORD",
            help="Re-test, once, what this record (JSON or HTML) left in doubt, on a second file: --from FILE.",
            rich_help_panel=HOW,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="With --from: say what would be read, and test nothing.", rich_help_panel=HOW),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume from the checkpoint of the same run.", rich_help_panel=RUN)
    ] = False,
    checkpoint: Annotated[
        Path, typer.Option(help="File that an interrupted run is saved in.", rich_help_panel=RUN)
    ] = CHECKPOINT,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the full record to this file, as JSON.", rich_help_panel=RESULT
        ),
    ] = None,
    html_file: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write the report to this file, as HTML.", rich_help_panel=RESULT),
    ] = None,
    csv_file: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", help="Write one line per test to this file, as CSV.", rich_help_panel=RESULT
        ),
    ] = None,
    cover: Annotated[
        Path | None,
        typer.Option(
            "--cover",
            metavar="TOML",
            help="The cover: laboratory, client, model, serial, firmware, author, …",
            rich_help_panel=RESULT,
        ),
    ] = None,
    about: Annotated[
        list[str] | None,
        typer.Option("--about", metavar="KEY=VALUE", help="One field of the cover.", rich_help_panel=RESULT),
    ] = None,
    sign: Annotated[
        list[str] | None,
        typer.Option(
            "--sign",
            metavar="[ROLE=]KEY",
            help="Sign with an Ed25519 private key (PEM, may be encrypted); repeat it for a second signature.",
            rich_help_panel=RESULT,
        ),
    ] = None,
    register: Annotated[
        Path | None,
        typer.Option(
            envvar="SHUFFLER_REGISTER",
            metavar="FOLDER",
            help="The laboratory's register of files certified and records re-tested.",
            rich_help_panel=RESULT,
        ),
    ] = None,
) -> None:
    """Certify the shuffles of a mechanism or a device, or decks recorded from any machine.

    Exit code 0: passed. 1: failed, and the output says where to look. 2: could not run. 3: inconclusive.
    """
    if context.invoked_subcommand is not None:
        return
    from randomness.certification import PLANS, RunInterrupted, RunSettings
    from randomness.certification import certify as do
    from randomness.certification import retest as do_again
    from randomness.certification.clauses import chosen
    from randomness.certification.cluster import Cluster
    from randomness.certification.engines import local_engine
    from randomness.certification.outside import outside_of
    from randomness.decks.kinds import KindSettings
    from randomness.errors import RandomnessError
    from randomness.outside import engines_named
    from shuffler.cli.collect import CollectRequest
    from shuffler.cli.signing import signers
    from shuffler.errors import ShufflerError
    from shuffler.lab.certificate import load_cover, record_digest, write
    from shuffler.lab.certificate.cover import missing_fields
    from shuffler.lab.recorded_bits import recorded
    from shuffler.lab.register import Register

    try:
        hands = signers(sign or ())
        front = load_cover(cover, about or ())
        if hands and (blank := missing_fields(front)) and retest_of is None:
            raise fail(f"a cover with blanks is not signed; it has no {', '.join(blank)} (--cover, --about)")
        log = Register(register)
        engines = () if outside is None else engines_named(outside)
        one_of(mechanism, profile, source, device)
        _only_with_a_file(source, dry_run=dry_run, retest_of=retest_of, decks=decks, partial=partial)
        if device is not None:
            if (seats or 0) > MOST_SEATS:
                raise fail(f"a device deals to at most {MOST_SEATS} seats")
            wanted = CollectRequest(
                url=device, supervisor=supervisor, seats=seats or 0, sort=sort, game=game, secure=secure, baud=baud,
                discard_events=discard_events,
            )  # fmt: skip
            source = _collected(wanted, collected, decks, resume=resume, test=test)
            resume = resume and checkpoint.exists()
        first = None if retest_of is None else _first_record(retest_of, plan)
        said = KindSettings(
            deck=deck, shoe=shoe, ranks=ranks, told_apart=told_apart, group=group, dealer=dealer,
            seats=None if device is not None else seats,
        )  # fmt: skip
        settings = RunSettings(
            decks=decks, partial=partial or "", retest_of="" if retest_of is None else retest_of.name,
            plan_file="" if plan is None or plan in PLANS else Path(plan).name,
            outside=outside or "", outside_seconds=outside_seconds if outside else 0.0,
            bits="" if bits is None else bits.name, noise="" if noise is None else noise.name, also=tuple(also or ()),
        )  # fmt: skip
        run = _run(mechanism, profile, source, plan, settings, seed, tuple(not_applicable or ()), test, said, log)
        chosen(settings.also, front.standards)
        if dry_run:
            _show_layout(run)
            raise typer.Exit(0)
        run = replace(run, cover=front, earlier=log.earlier(run))
        outside_runs = outside_of(run, engines, limit_seconds=outside_seconds)
        assessed = None if noise is None else _assessed(noise)
        recorded_bits = None if bits is None else recorded(bits, run.plan, test=test)
        kept = checkpoint if run.subject.can_resume else None
        with stopping("stopping after the shards in hand") as stop, _progress(run) as (progress, turn):
            engine = local_engine(workers) if cluster is None else Cluster(cluster, workers=max(2, workers))
            how: Any = {"keep": kept, "resume": resume, "stop": stop, "progress": progress, "bits": recorded_bits}
            if first is not None:
                digest = record_digest(first)
                record = do_again(
                    first, digest, run, engine, claim=lambda second: log.claim(digest, second), **how
                )  # fmt: skip
            else:
                record = do(run, engine, turn=turn, outside=outside_runs, noise=assessed, **how)
        write(record, hands, json_file=json_file, html_file=html_file, csv_file=csv_file)
        log.enter(run, record)
    except RunInterrupted as interrupted:
        typer.echo(
            f"{interrupted}; kept in {checkpoint}: continue with the same command and --resume{_seed_hint(run, seed)}",
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
    raise typer.Exit(ENDS[record.verdict.outcome])


# ----- what to run ----------------------------------------------------------------------------------------------------


def one_of(*given: str | None) -> None:
    """A run has one subject."""
    if sum(one is not None for one in given) != 1:
        raise fail("say what to certify: one of --mechanism, --profile, --device, --from (see --help)")


def _collected(wanted: CollectRequest, file: Path | None, decks: int | None, *, resume: bool, test: bool) -> str:
    """The device's decks in a file: what is certified can be certified again."""
    from shuffler.cli.collect import collect_decks
    from shuffler.lab.collecting import CannotCollect

    if decks is None:
        raise fail("--device needs --decks N: a real machine takes half a minute for each")
    if file is None:
        file = Path("-".join(["decks", *re.findall(r"\w+", wanted.url)]) + ".jsonl")

    def refused(why: str) -> CannotCollect:
        return CannotCollect(f"{why}: such decks count in a test of the bench alone (--test)")

    if not collect_decks(wanted, file, decks, resume=resume and file.exists(), refuse_marked=None if test else refused):
        typer.echo("continue with the same command and --resume", err=True)
        raise typer.Exit(2)
    return str(file)


def _only_with_a_file(
    source: str | None, *, dry_run: bool, retest_of: Path | None, decks: int | None, partial: str | None
) -> None:
    if source is None and (dry_run or retest_of is not None):
        raise fail(f"{'--dry-run' if dry_run else '--retest-of'} is for files: it needs --from FILE")
    if retest_of is not None and decks is not None:
        raise fail("--retest-of reads the whole second file; leave --decks out")
    if partial is not None and (source is None or decks is None or not partial.strip()):
        raise fail("--partial REASON is for the first rows of a file: it needs --from FILE and --decks N")


def _first_record(path: Path, plan: str | None) -> RunRecord:
    """The record that asks for a re-test, once its seal is checked."""
    from randomness.certification import RetestError, check_due, load_plan
    from shuffler.lab.certificate import check, load_record

    checked = check(path)
    if not checked.good:
        raise RetestError(f"{path}: {checked.said[0]}")
    first = load_record(path)
    check_due(first)
    if plan is not None and load_plan(plan).digest() != first.plan_sha256:
        raise RetestError("a re-test is judged by the plan of the record; leave --plan out")
    return first


def _assessed(noise: Path) -> dict[str, Any]:
    """The noise file through SP 800-90B, as plain data for the record."""
    import hashlib

    from randomness.assessment import Samples, assess, section
    from shuffler.cli.entropy import read_noise

    data = read_noise(noise)
    samples = Samples.from_bytes(data)
    found = section(samples, non_iid=assess(samples))
    return {"file": noise.name, "sha256": hashlib.sha256(data).hexdigest(), **found}


def _show_layout(run: Run) -> None:
    from randomness.certification import RecordedSubject
    from shuffler.cli.dry_run import show_layout

    assert isinstance(run.subject, RecordedSubject)
    show_layout(run.subject.recorded, run.plan, run.plan_chosen, run.decks)


def _run(
    mechanism: str | None,
    profile: str | None,
    source: str | None,
    plan: str | None,
    settings: RunSettings,
    seed: int | None,
    not_applicable: tuple[str, ...],
    test: bool,
    said: KindSettings,
    log: Register,
) -> Run:
    from randomness.certification import KernelSubject, Recorded, RecordedSubject, Run, load_plan, strongest
    from randomness.decks import deck_test
    from randomness.kernels import parse

    for name in not_applicable:
        if not deck_test(name).declarable:
            raise fail(f"'{name}' can't be declared not applicable; only the order inside a group can (group-order…)")
    loaded = None if plan is None else load_plan(plan)
    if source is not None:
        file = Recorded(source, test=test, said=said, marks=log.sizes())
        recorded = RecordedSubject(recorded=file, not_promised=not_applicable)
        if loaded is not None:
            return Run(plan=loaded, subject=recorded, settings=settings)
        many, decks = file.about(), settings.decks
        choice = strongest(many if decks is None or many is None else min(many, decks))
        return Run(plan=choice.plan, subject=recorded, settings=settings, plan_chosen=choice.why)
    if profile is not None:
        mechanism = _mechanism_of(profile)
    assert mechanism is not None
    parse(mechanism)
    entropy = "given on the command line"
    if seed is None:
        import secrets

        seed, entropy = secrets.randbits(128), "operating system"
    subject = KernelSubject(
        mechanism=mechanism, seed=seed, entropy=entropy, profile=profile or "", not_promised=not_applicable,
        kind=said.kind(), deck_options=said.options(),
    )  # fmt: skip
    return Run(plan=loaded or load_plan("quick"), subject=subject, settings=settings)


def _mechanism_of(profile: str) -> str:
    """The kernel of a device profile, as one line."""
    from firmware_sim.errors import DeviceError
    from firmware_sim.machine.profile import load
    from shuffler.lab.mechanisms import mechanism_of

    try:
        return mechanism_of(load(profile))
    except DeviceError as problem:
        raise fail(str(problem)) from None


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
    why = f" ({run.plan_chosen})" if run.plan_chosen else ""
    typer.echo(f"plan {run.plan.name}, sha256 {run.plan.digest()}{why}", err=True)
    if not run.subject.kind.standard:
        kind = run.subject.kind
        typer.echo(f"deck of {kind.words()}; {kind.dealing()} ({run.subject.deck_known})", err=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"), Rate(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("decks", total=run.subject.total(run.plan, run.decks))

        def turn(what: str, total: int | None) -> None:
            bar.reset(task, description=what, total=total)

        yield lambda done: bar.update(task, completed=done), turn


def _add_commands() -> None:
    from shuffler.cli import reports

    for command in (reports.verify, reports.countersign, reports.stamp, reports.bundle, reports.check_bundle):
        app.command()(command)


_add_commands()

"""`shuffler proficiency`: a blind test for laboratories: make a kit, answer one, score the answers."""

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.output import fail, say
from shuffler.cli.stopping import stopping

if TYPE_CHECKING:
    from randomness.proficiency import KitScore

app = typer.Typer(help="A blind test for laboratories: sets of decks, fair or with a planted defect.")
SECRET_BITS = 256
SALT_BYTES = 32
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Kit = Annotated[Path, typer.Argument(help="The kit's folder.")]


@app.command()
def make(
    folder: Annotated[Path, typer.Argument(help="New folder for manifest and sets.")],
    sets: Annotated[int, typer.Option(min=1, max=100_000, help="Number of sets.")] = 40,
    decks: Annotated[int, typer.Option(min=4000, max=10_000_000, help="Decks in each set.")] = 10_000,
    fair: Annotated[float, typer.Option(min=0, max=1, help="Share of fair sets.")] = 0.4,
    defect: Annotated[list[str] | None, typer.Option(help="Plant only this defect; repeatable. Default: all.")] = None,
    power: Annotated[
        list[float] | None, typer.Option(help="Predicted power of planted defects; repeatable. Default: 0.5 0.8 0.95.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="Where the key goes. Default: FOLDER.key.json.")] = None,
    form: Annotated[str, typer.Option("--format", help="csv or npy.")] = "csv",
    seed: Annotated[
        int | None, typer.Option(help="Repeatable kit, for tests: the seed gives the key away.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a kit: sets to send to a laboratory, and a key to keep until its answers are in.

    The manifest holds a salted hash of the key, so that the key can't be changed afterwards.

    Examples: `shuffler proficiency make kit`; `shuffler proficiency make kit --sets 100 --defect sticky --power 0.8`.
    """
    from randomness.errors import RandomnessError
    from randomness.proficiency import compose
    from randomness.proficiency.composing import POWERS
    from shuffler.lab.proficiency import make_kit

    if form not in ("csv", "npy"):
        raise fail(f"--format {form}: expected csv or npy")
    key_file = key or folder.with_name(folder.name + ".key.json")
    if key_file.resolve().is_relative_to(folder.resolve()):
        raise fail(f"{key_file} lies in the kit's folder: the laboratory would get it")
    secret = seed if seed is not None else secrets.randbits(SECRET_BITS)
    salt = secrets.token_bytes(SALT_BYTES) if seed is None else seed.to_bytes(SALT_BYTES, "big", signed=True)
    try:
        made = compose(sets, decks, secret, fair=fair, plants=defect or (), powers=power or POWERS)
        manifest = make_kit(folder, key_file, made, salt, form=form, say=_progress)
    except FileExistsError:
        raise fail(f"{key_file} is there already: name another with --key") from None
    except RandomnessError as problem:
        raise fail(str(problem)) from None
    except OSError as problem:
        raise fail(f"{problem.filename}: {problem.strerror}") from None
    if as_json:
        typer.echo(json.dumps({"folder": str(folder), "key": str(key_file), **manifest}))
        return
    say(f"{folder}: {sets:,} sets of {decks:,} decks; send this folder")
    say(f"{key_file}: the key; keep it until the answers are in")
    say(f"commitment to the key: {manifest['key_commitment']}")


@app.command()
def answer(
    folder: Kit,
    out: Annotated[Path, typer.Option("--out", help="Where the answers go (CSV).")],
    as_json: Json = False,
) -> None:
    """Answer a kit with this program's own battery.

    Examples: `shuffler proficiency answer kit --out answers.csv`; add `--json` to print the answers too.
    """
    from dataclasses import asdict

    from randomness.errors import RandomnessError
    from shuffler.lab.proficiency import answers_of, write_answers

    try:
        with stopping("stopping after this set") as stop:
            found = []
            for one in answers_of(folder, say=_progress):
                found.append(one)
                if stop():
                    break
        write_answers(out, found)
    except RandomnessError as problem:
        raise fail(str(problem)) from None
    except OSError as problem:
        raise fail(f"{problem.filename}: {problem.strerror}") from None
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found]))
    else:
        say(f"{out}: {len(found):,} answers, {sum(one.said == 'defective' for one in found):,} defective")


@app.command()
def score(
    folder: Kit,
    answers: Annotated[Path, typer.Option(help="The laboratory's answers: CSV with set, verdict, because.")],
    key: Annotated[Path | None, typer.Option(help="The key. Default: FOLDER.key.json.")] = None,
    as_json: Json = False,
) -> None:
    """Check the key against its commitment, then score the answers.

    Examples: `shuffler proficiency score kit --answers answers.csv`; add `--json` for programs.

    Exit code 0: scored. 2: key, kit or answers can't be used.
    """
    from randomness.errors import RandomnessError
    from shuffler.lab.proficiency import read_answers, score_kit

    try:
        result = score_kit(folder, key or folder.with_name(folder.name + ".key.json"), read_answers(answers))
    except RandomnessError as problem:
        raise fail(str(problem)) from None
    if as_json:
        typer.echo(json.dumps(result.to_json()))
    else:
        show(result)


def show(result: "KitScore") -> None:
    """The score as a table."""
    say(f"{'defect':16} {'found':>9} {'rate':>6}  {'95 % interval':15} {'predicted':>9}")
    rows = [(one.plant, one.found, one.predicted) for one in result.plants]
    for name, found, predicted in (*rows, ("all defects", result.found, result.predicted)):
        if found.of:
            interval = f"{found.low:.2f} to {found.high:.2f}"
            counts = f"{found.hits}/{found.of}"
            say(f"{name:16} {counts:>9} {found.hits / found.of:6.2f}  {interval:15} {predicted:9.2f}")
    fair = result.false_alarms
    if fair.of:
        counts, interval = f"{fair.hits}/{fair.of}", f"{fair.low:.2f} to {fair.high:.2f}"
        say(f"{'false alarms':16} {counts:>9} {fair.hits / fair.of:6.2f}  {interval:15} {result.level:9.2f}")
    if result.inconclusive:
        say(f"{result.inconclusive:,} sets inconclusive: counted as not found")
    if result.unanswered:
        say(f"{len(result.unanswered):,} sets without an answer, such as {result.unanswered[0]}")


def _progress(text: str) -> None:
    import sys

    if sys.stderr.isatty():
        typer.echo(f"\r{text} ", err=True, nl=False)

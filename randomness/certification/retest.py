"""The re-test of a file: the tests that its record left in doubt, on a second file, once.

A record asks for one when nothing was rejected and a test came within the plan's margin. The second file is judged by
the plan of the record, on as many decks, and on those tests alone; both files' digests stand in the new record.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from randomness.certification import generator_bits
from randomness.certification.clauses import closed_rows
from randomness.certification.decision import INTEGRITY, Judged, Verdict, decide
from randomness.certification.engines import ShardEngine
from randomness.certification.errors import PlanError, RetestError
from randomness.certification.generator_bits import BitSource
from randomness.certification.judging import judge
from randomness.certification.plan import Plan, plan_of
from randomness.certification.record import finite, written
from randomness.certification.runs import Progress, Run, count_all


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """What a re-test needs of the record that it answers."""

    record_sha256: str
    file_sha256: str
    file_name: str
    data_digest: str
    decks: int
    doubtful: Mapping[str, float]
    """The tests in doubt, with their adjusted p."""
    plan: Plan
    clauses: tuple[Mapping[str, Any], ...]
    """The rows of the first record, clause by clause."""
    deck: str = ""
    """The deck that was assumed, in words; empty in records that do not say."""


def earlier_of(record: Mapping[str, Any]) -> Earlier:
    """From a record whose seal has been checked; raises RetestError where it asks for no re-test of a file."""
    try:
        verdict, subject, sample = record["verdict"], record["subject"], record["sample"]
        if record.get("retest_of") is not None:
            raise RetestError("this record is a re-test itself: a second one would be a search for a pass")
        if subject["kind"] != "recorded decks":
            raise RetestError("this record is of a mechanism, which is tested again in the same run")
        if verdict["outcome"] == Verdict.FAILED.value:
            raise RetestError("this record failed: a re-test is for tests in doubt, never for rejected ones")
        if not verdict["doubtful"] or not record["plan"]["retest_times"]:
            raise RetestError("this record leaves no test in doubt: there is nothing to test again")
        if verdict["missing"] != [verdict["retest"]["why"]]:
            raise RetestError(f"this record is inconclusive whatever a re-test says: {verdict['missing'][0]}")
        adjusted = {row["label"]: row["adjusted_p"] for row in record["results"]}
        return Earlier(
            record_sha256=record["seal"]["sha256"],
            file_sha256=subject["sha256"],
            file_name=subject["name"],
            data_digest=sample["sections"]["recorded"]["data_digest"],
            decks=sample["decks"],
            doubtful={label: adjusted[label] for label in verdict["doubtful"]},
            plan=plan_of(record["plan"]),
            clauses=tuple(record["clauses"]),
            deck=_deck(record["deck"]),
        )
    except (KeyError, TypeError) as error:
        raise RetestError(f"this is no record that a re-test can answer ({error} is missing)") from None
    except PlanError as error:
        raise RetestError(str(error)) from None


def _deck(said: Mapping[str, Any]) -> str:
    return f"{said['words']}; {said['dealing']}" if "words" in said else ""


def retest(
    earlier: Earlier,
    run: Run,
    engine: ShardEngine,
    *,
    claim: Callable[[str], None],
    keep: Path | None = None,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _decks: None,
    bits: BitSource | None = None,
) -> dict[str, Any]:
    """Count the second file, then `claim` it as the one re-test, then judge. `claim` raises where there was another."""
    deck = _deck(run.subject.kind.describe())
    if earlier.deck and deck != earlier.deck:
        raise RetestError(f"the first file was of another deck: {earlier.deck}\n  the second one is: {deck}")
    totals = count_all(run, engine, keep=keep, resume=resume, stop=stop, progress=progress)
    second = str(run.subject.describe()["sha256"])
    digests = {f"{section.battery.digest:016x}" for section in totals.sections.values()}
    if second == earlier.file_sha256 or earlier.data_digest in digests:
        raise RetestError("the second file holds the decks of the first: a re-test needs fresh ones")
    if totals.decks < earlier.decks:
        raise RetestError(
            f"the second file has {totals.decks:,} decks: the plan asks for as many as the first, {earlier.decks:,}"
        )
    found = None
    if any(label.startswith(f"{generator_bits.SECTION}:") for label in earlier.doubtful):
        if bits is None:
            raise RetestError("tests on the generator's bits are in doubt: give fresh ones with --bits")
        found = generator_bits.run_bits(bits, stop=stop)
    claim(second)
    judged = judge(run, totals)
    if found is not None:
        judged += [Judged(section=generator_bits.SECTION, result=result) for result in found.results]
    doubted = [one for one in judged if one.label in earlier.doubtful or one.result.test == INTEGRITY]
    if lost := [label for label in earlier.doubtful if label not in {one.label for one in doubted}]:
        raise RetestError(f"the second file does not allow the test {lost[0]}: record it in the form of the first")
    decision = decide(run.plan, doubted, decks=totals.decks, malformed_rows=totals.malformed_rows)
    if keep is not None:
        keep.unlink(missing_ok=True)
    said = asdict(earlier)
    del said["plan"], said["clauses"]
    return {
        **written(run, totals, doubted, decision, None),
        "outside": [],
        "bits": None if found is None else found.record,
        "controls": [],
        "retest_of": finite(said),
        "clauses": closed_rows(earlier.clauses, decision),
    }

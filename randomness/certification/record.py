"""The record of a run: every figure of the report as plain JSON values. No clock, no machine: same run, same record."""

import math
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from typing import Any

import numpy as np

from randomness.certification.decision import Decision, Judged, read_positions
from randomness.certification.judging import FIRST_CARDS, clause, sees
from randomness.certification.plan import Plan
from randomness.certification.runs import Run, code_digest
from randomness.certification.totals import Section, Totals
from randomness.decks import CERTAIN_TESTS, law, power
from randomness.decks.faces import CARDS
from randomness.decks.power import REPORTED_POWER

FORMAT = "shuffler certification record 1"
MOST_FINDINGS = 5
# tally, what it counts, the exact law
_CURVES = (
    ("input.rising_sequences", "rising sequences", "rising_sequences"),
    ("faces.rising_sequences", "rising sequences of the faces", "rising_sequences"),
    ("input.riffle_guess", "right guesses against a riffle", "riffle_guess"),
    ("input.shelf_guess", "right guesses against a shelf machine", "shelf_guess"),
)


# ----- writing down ---------------------------------------------------------------------------------------------------


def written(
    run: Run,
    totals: Totals,
    judged: Sequence[Judged],
    decision: Decision,
    second: tuple[list[Judged], Decision] | None,
) -> dict[str, Any]:
    """The record."""
    plan, level = run.plan, decision.collective.level / max(1, decision.collective.tests)
    passed = decision.passed and (second is None or second[1].passed)
    record = {
        "format": FORMAT,
        "verdict": {
            "passed": passed,
            "level": decision.collective.level,
            "family": decision.collective.tests,
            "failures": list(decision.failures),
            "rejected": list(decision.collective.rejected),
            "doubtful": list(decision.doubtful),
            "untested": list(decision.untested),
            "hints": [run.subject.hint] if run.subject.hint else [],
            "retest": _retest(run, decision, second),
        },
        "where_to_look": _where_to_look(judged, decision, second),
        "plan": {**asdict(plan), "sha256": plan.digest()},
        "subject": run.subject.describe(),
        "sample": {
            "decks": totals.decks,
            "shards": totals.shards,
            "sections": {name: _counted(section) for name, section in totals.sections.items()},
            "malformed_rows": totals.malformed_rows,
            "malformed": [{"row": row, "reason": why} for row, why in totals.malformed],
            "excluded_rows": totals.excluded_rows,
            "excluded": [{"row": row, "reason": why} for row, why in totals.excluded],
        },
        "tool": tool(),
        "results": [_row(plan, one, decision) for one in judged],
        "readings": [asdict(reading) for reading in decision.readings],
        "position_readings": [
            asdict(read_positions(name, _table(section), confidence))
            for name, section in totals.sections.items()
            if _table(section) is not None
            for confidence in plan.readings
        ],
        "power": [row for name, section in totals.sections.items() for row in _power(name, section, level)],
        "tables": {
            name: table.tolist() for name, section in totals.sections.items() if (table := _table(section)) is not None
        },
        "curves": [curve for name, section in totals.sections.items() for curve in _curves(name, section)],
        "reproduce": reproduce(run),
    }
    return dict(finite(record))


def _retest(run: Run, decision: Decision, second: tuple[list[Judged], Decision] | None) -> dict[str, Any] | None:
    if second is not None:
        found, again = second
        return {
            "tests": [_row(run.plan, one, again) for one in found],
            "passed": again.passed,
            "why": f"adjusted p above {run.plan.level:g} and not above {run.plan.retest_below:g}: fresh decks",
        }
    if decision.passed and decision.doubtful and run.plan.retest_times:
        return {
            "tests": [],
            "passed": None,
            "why": "the plan asks for a second record of as many fresh decks: "
            f"adjusted p above {run.plan.level:g} and not above {run.plan.retest_below:g}",
        }
    return None


def _where_to_look(
    judged: Sequence[Judged], decision: Decision, second: tuple[list[Judged], Decision] | None
) -> list[dict[str, Any]]:
    rejected = dict.fromkeys(decision.collective.rejected)
    places = []
    by_label = {one.label: one for one in judged}
    if second is not None:
        rejected |= dict.fromkeys(second[1].collective.rejected)
        by_label |= {one.label: one for one in second[0]}
    broken = [one.label for one in judged if one.result.test in CERTAIN_TESTS and (one.result.p or 0.0) < 1.0]
    for label in dict.fromkeys([*broken, *rejected]):
        result = by_label[label].result
        if result.p is not None and result.findings:
            found = [asdict(finding) for finding in result.findings[:MOST_FINDINGS]]
            places.append({"test": label, "sees": sees(by_label[label]), "findings": found})
    return places


def _row(plan: Plan, one: Judged, decision: Decision) -> dict[str, Any]:
    result = one.result
    return {
        "label": one.label,
        "section": one.section,
        "second_level": one.second_level,
        "clause": clause(plan, one),
        "sees": sees(one),
        "adjusted_p": decision.collective.adjusted.get(one.label),
        **asdict(result),
        "outcome": result.outcome.value,
        "null": None if result.null is None else result.null.value,
        "findings": [asdict(finding) for finding in result.findings[:MOST_FINDINGS]],
    }


def _counted(section: Section) -> dict[str, Any]:
    whole = section.battery.integrity
    return {
        "decks": whole.decks,
        "not_whole": whole.invalid + whole.bad_inputs,
        "blocks": max((len(kept) for kept in section.blocks.values()), default=0),
        "data_digest": f"{section.battery.digest:016x}",
        "sub_samples": sub_samples(section),
    }


def sub_samples(section: Section) -> list[dict[str, Any]]:
    """The tests that count one segment in so many of a long run, and what they saw of it: decks, or first cards."""
    tallies = section.battery.tallies
    seen = [
        ("decks", tallies.every[test.tally], tallies.decks[test.tally], test.name) for test in section.battery.tests
    ]
    seen += [("first cards", section.draws_every, test.draws, test.name) for test in section.draws.tests.values()]
    thinned: dict[tuple[str, int, int], list[str]] = {}
    for of, every, counted, test in sorted(seen, key=lambda one: (one[0], one[1], -one[2])):
        if every > 1:
            thinned.setdefault((of, every, counted), []).append(test)
    return [
        {"share": f"1 in {every}", "of": of, "counted": counted, "tests": tests}
        for (of, every, counted), tests in thinned.items()
    ]


def _table(section: Section) -> Any:
    """Card × position counts, a row for each position; None where the plan does not count them."""
    cells = section.battery.tallies.cells.get("faces.by_position")
    return None if cells is None else np.asarray(cells).reshape(CARDS, CARDS)


def _power(name: str, section: Section, level: float) -> list[dict[str, Any]]:
    rows = []
    for test in section.battery.tests:
        many = section.battery.tallies.decks[test.tally]
        if many >= test.least:
            rows.append({"section": name, **asdict(power(test, many, level))})
    for draw in section.draws.tests.values():
        if draw.p() is not None:
            least = draw.least_effect(level=level, power=REPORTED_POWER)
            rows.append(
                {
                    "section": name + FIRST_CARDS, "test": draw.name, "samples": draw.draws, "level": level,
                    "power": REPORTED_POWER, "least_effect": least, "unit": draw.unit,
                }
            )  # fmt: skip
    return rows


def _curves(name: str, section: Section) -> list[dict[str, Any]]:
    tallies = section.battery.tallies
    return [
        {
            "section": name,
            "counts": said,
            "decks": tallies.decks[tally],
            "observed": tallies.cells[tally].tolist(),
            "expected": [float(chance) for chance in law(of).pmf],
        }
        for tally, said, of in _CURVES
        if tallies.decks.get(tally)
    ]


def tool() -> dict[str, str]:
    """What did the testing."""
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    for name in ("shuffler-bench", "numba", "cryptography"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {**versions, "code_sha256": code_digest()}


def reproduce(run: Run) -> str:
    """One command that does it again."""
    said = run.subject.describe()
    what = ["shuffler certify", f"--plan '{run.plan_file}'" if run.plan_file else f"--plan {run.plan.name}"]
    if said["kind"] == "kernel":
        what += [f"--mechanism '{said['mechanism']}'", f"--seed {said['seed']}"]
    else:
        what.append(f"--from '{said['name'] if said['name'] != 'standard input' else '-'}'")
        what += ["--test"] if said["test_run"] else []
    if run.decks is not None:
        what.append(f"--decks {run.decks}")
    what += [f"--not-applicable {test}" for test in run.subject.not_promised]
    return " ".join(what)


def finite(value: Any) -> Any:
    """JSON has no infinity: null stands for it."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

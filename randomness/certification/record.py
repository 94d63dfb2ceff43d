"""The record of a run: every figure of the report as plain JSON values. No clock, no machine: same run, same record."""

import math
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from typing import Any

import numpy as np

from randomness.certification.clauses import STANDARD_LEVEL, clause_rows
from randomness.certification.decision import Decision, Judged, Verdict, read_positions
from randomness.certification.judging import FIRST_CARDS, clause, sees
from randomness.certification.plan import Plan
from randomness.certification.runs import Run, code_digest
from randomness.certification.shards import DRAWS_EVERY
from randomness.certification.totals import RunSection, Totals
from randomness.decks import CERTAIN_TESTS, IN_FULL, power
from randomness.decks.power import REPORTED_POWER
from randomness.decks.repeats import BYTES
from randomness.decks.rows.base import Over
from randomness.decks.tails import upper_z
from randomness.decks.tallies import STRATA_EVERY
from randomness.result import Finding, Outcome, Result

FORMAT = "shuffler certification record 2"
MOST_FINDINGS = 5
_ROWS = (list, tuple)
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
    verdict = decision.verdict if second is None else second[1].verdict
    record = {
        "format": FORMAT,
        "verdict": {
            "outcome": verdict.value,
            "passed": verdict is Verdict.PASSED,
            "level": decision.collective.level,
            "level_note": level_note(decision.collective.level),
            "family": decision.collective.tests,
            "least_decks": plan.least_decks,
            "missing": list(decision.missing),
            "failures": list(decision.failures),
            "rejected": list(decision.collective.rejected),
            "doubtful": list(decision.doubtful),
            "untested": list(decision.untested),
            "not_made": _not_made(judged),
            "notes": list(run.subject.notes),
            "retest": _retest(run, decision, second),
        },
        "where_to_look": _where_to_look(judged, decision, second),
        "clauses": clause_rows(judged, decision, {one.label: clause(plan, one) for one in judged}, totals.decks),
        "plan": {**asdict(plan), "sha256": plan.digest()},
        "plan_chosen": run.plan_chosen,
        "deck": {**run.subject.kind.describe(), "known": run.subject.deck_known},
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
            asdict(read_positions(name, _table(section), confidence, run.subject.kind.copies))
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


def _not_made(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """The tests without a p-value, once each, by why: what the cover says."""
    groups: dict[str, dict[str, str]] = {}
    for one in judged:
        if one.result.outcome in (Outcome.NOT_APPLICABLE, Outcome.TOO_FEW):
            groups.setdefault(one.result.outcome.value, {}).setdefault(one.result.test, "; ".join(one.result.unmet))
    return [
        {"why": why, "count": len(tests), "tests": list(tests), "reasons": list(dict.fromkeys(tests.values()))}
        for why, tests in groups.items()
    ]


def _retest(run: Run, decision: Decision, second: tuple[list[Judged], Decision] | None) -> dict[str, Any] | None:
    if second is not None:
        found, again = second
        return {
            "tests": [_row(run.plan, one, again) for one in found],
            "passed": again.verdict is Verdict.PASSED,
            "why": f"adjusted p above {run.plan.level:g} and not above {run.plan.retest_below:g}: fresh decks",
        }
    if (why := retest_owed(run)) in decision.missing:
        return {"tests": [], "passed": None, "why": why}
    return None


def retest_owed(run: Run) -> str:
    """Why a file whose tests are in doubt is not decided yet."""
    return (
        "the plan asks for a re-test on as many fresh decks: "
        f"adjusted p above {run.plan.level:g} and not above {run.plan.retest_below:g}"
    )


def level_note(level: float) -> str:
    """How a level compares with the standards' 0.01; a smaller one rejects less and shows less."""
    if level < STANDARD_LEVEL:
        return f"laxer than the {STANDARD_LEVEL:g} of GLI-19 3.2.2: a defect must be larger to be found"
    if level > STANDARD_LEVEL:
        return f"stricter than the {STANDARD_LEVEL:g} of GLI-19 3.2.2: an ideal device fails more often"
    return ""


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
        if result.p is not None:
            found = [vars(finding) for finding in (result.findings or (_whole_sample(result),))[:MOST_FINDINGS]]
            places.append({"test": label, "sees": sees(by_label[label]), "findings": found})
    return places


def _whole_sample(result: Result) -> Finding:
    """What there is to say of a test that looks at no single place: its effect, and how far out it is."""
    seen = result.effect if result.effect is not None else result.statistic
    unit = result.effect_unit if result.effect is not None else "the statistic"
    p = 1.0 if result.p is None else result.p
    return Finding(place=f"over the whole sample, {unit}", observed=seen or 0.0, expected=0.0, z=upper_z(p / 2))


def _row(plan: Plan, one: Judged, decision: Decision) -> dict[str, Any]:
    result = one.result
    return {
        "label": one.label,
        "section": one.section,
        "second_level": one.second_level,
        "clause": clause(plan, one),
        "sees": sees(one),
        "adjusted_p": decision.collective.adjusted.get(one.label),
        **vars(result),
        "outcome": result.outcome.value,
        "null": None if result.null is None else result.null.value,
        "findings": [vars(finding) for finding in result.findings[:MOST_FINDINGS]],
    }


def _counted(section: RunSection) -> dict[str, Any]:
    whole, copies = section.battery.integrity, section.battery.copies
    return {
        "decks": whole.decks,
        "not_whole": whole.invalid + whole.bad_inputs,
        "blocks": max((len(kept) for kept in section.blocks.values()), default=0),
        "data_digest": f"{section.battery.digest:016x}",
        "sub_samples": sub_samples(section),
        "repeats": [
            {
                "of": of,
                "seen": one.decks,
                "fingerprints": one.kept,
                "bytes": BYTES * one.kept,
                "pairs_found": one.pairs_found,
            }
            for of, one in (("decks", copies.decks), ("permutations", copies.permutations))
        ],
    }


def sub_samples(section: RunSection) -> list[dict[str, Any]]:
    """The tests that did not count every deck of a very long run: decks, or first cards, that they saw of it."""
    battery = section.battery
    whole = battery.integrity.decks - battery.integrity.invalid - battery.integrity.bad_inputs
    if whole <= IN_FULL:
        return []
    seen = [
        ("decks", battery.counted(test), test.every if test.over is Over.ALL else STRATA_EVERY, test.name)
        for test in battery.tests
    ]
    seen += [("first cards", test.draws, DRAWS_EVERY, test.name) for test in section.draws.tests.values()]
    thinned: dict[tuple[str, int, int], list[str]] = {}
    for of, counted, every, test in sorted(seen, key=lambda one: (one[0], -one[1], one[2])):
        if every > 1:
            thinned.setdefault((of, every, counted), []).append(test)
    return [
        {"share": f"the first {IN_FULL:,}, then 1 in {every}", "of": of, "counted": counted, "tests": tests}
        for (of, every, counted), tests in thinned.items()
    ]


def _table(section: RunSection) -> Any:
    """Card × position counts, a row for each position; None where the plan does not count them."""
    cells = section.battery.tallies.cells.get("faces.by_position")
    return None if cells is None or not len(cells) else np.asarray(cells).reshape(section.battery.kind.cards, -1)


def _power(name: str, section: RunSection, level: float) -> list[dict[str, Any]]:
    rows = []
    for test in section.battery.tests:
        many = section.battery.counted(test)
        if many >= test.least:
            rows.append({"section": name, **vars(power(test, many, level))})
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


def _curves(name: str, section: RunSection) -> list[dict[str, Any]]:
    tallies = section.battery.tallies
    return [
        {
            "section": name,
            "counts": said,
            "decks": tallies.decks[tally],
            "observed": tallies.cells[tally].tolist(),
            "expected": [float(chance) for chance in section.battery.law(of).pmf],
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
            versions[name] = "run from its source" if name == "shuffler-bench" else "not installed"
    return {**versions, "code_sha256": code_digest()}


def reproduce(run: Run) -> str:
    """One command that does it again."""
    said = run.subject.describe()
    what = ["shuffler certify", f"--plan '{run.plan_file}'" if run.plan_file else f"--plan {run.plan.name}"]
    if run.retest_of:
        what = ["shuffler certify", f"--retest-of '{run.retest_of}'"]
    if said["kind"] == "kernel":
        what += [f"--mechanism '{said['mechanism']}'", f"--seed {said['seed']}"]
    else:
        what.append(f"--from '{said['name'] if said['name'] != 'standard input' else '-'}'")
        what += ["--test"] if said["test_run"] else []
    what += run.subject.deck_options
    if run.decks is not None and not run.retest_of:
        what.append(f"--decks {run.decks}")
    what += [f"--not-applicable {test}" for test in run.subject.not_promised]
    return " ".join(what)


def finite(value: Any) -> Any:
    """JSON has no infinity: null stands for it."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, _ROWS):
        return [finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

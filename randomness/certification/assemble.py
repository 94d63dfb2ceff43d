"""Evidence of a run → its record. The only place that builds one."""

import math
import platform
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

import msgspec
import numpy as np

from randomness.certification import model as m
from randomness.certification.clauses import STANDARD_LEVEL, RunShown, chosen, clause_rows, clauses_of
from randomness.certification.decision import Decision, Judged, TwoLooks, Verdict, read_positions
from randomness.certification.judging import FIRST_CARDS, clause_name, sees
from randomness.certification.practical import practical
from randomness.certification.runs import KernelSubject, Run, code_digest
from randomness.certification.shards import DRAWS_EVERY
from randomness.certification.totals import RunSection, Totals
from randomness.decks import CERTAIN_TESTS, IN_FULL, power
from randomness.decks.power import REPORTED_POWER
from randomness.decks.repeats import BYTES
from randomness.decks.rows.base import Over
from randomness.decks.tails import upper_z
from randomness.decks.tallies import STRATA_EVERY
from randomness.result import Finding, Outcome, Result

MOST_FINDINGS = 5
# tally, what it counts, the exact law
_CURVES = (
    ("input.rising_sequences", "rising sequences", "rising_sequences"),
    ("faces.rising_sequences", "rising sequences of the faces", "rising_sequences"),
    ("input.riffle_guess", "right guesses against a riffle", "riffle_guess"),
    ("input.shelf_guess", "right guesses against a shelf machine", "shelf_guess"),
)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything that a run found."""

    run: Run
    totals: Totals
    judged: Sequence[Judged]
    decision: Decision
    """Of the first look; of a file that is a re-test, of both."""
    looks: tuple[TwoLooks, ...] = ()
    """Doubtful statistics that were tested again."""
    second: Decision | None = None
    """The decision of both looks, where the run made its own re-test."""
    bits: m.BitsPart | None = None
    noise: Mapping[str, Any] | None = None
    outside: tuple[m.OutsidePart, ...] = ()
    controls: tuple[m.ControlPart, ...] = ()
    retest_of: m.RetestOf | None = None
    first_results: tuple[m.TestRow, ...] = ()
    """The statistics of the record that a file re-tests: its clauses speak of them, too."""

    @property
    def final(self) -> Decision:
        """The decision that counts."""
        return self.decision if self.second is None else self.second


def assemble(found: Evidence) -> m.RunRecord:
    """The record."""
    run, totals, decision = found.run, found.totals, found.decision
    plan = run.plan
    strictest = plan.first_level / max(1, decision.collective.tests)
    clauses = chosen(run.settings.also, run.cover.standards)
    results = tuple(
        _row(one, decision, clauses_of(clause_name(one.section, one.result.test), clauses)) for one in found.judged
    )
    tables = {name: table for name, section in totals.sections.items() if (table := _table(section)) is not None}
    record = m.RunRecord(
        format=m.FORMAT,
        verdict=_verdict(found),
        where_to_look=tuple(_where_to_look(found)),
        practical=practical(totals.sections),
        clauses=clause_rows(clauses, *_for_clauses(found, results)),
        plan=plan,
        plan_sha256=plan.digest(),
        plan_chosen=run.plan_chosen,
        settings=msgspec.structs.replace(run.settings, deck=tuple(run.subject.deck_options)),
        reproduce=reproduce(run),
        earlier_runs=run.earlier,
        subject=run.subject.describe(),
        deck=m.DeckPart(**run.subject.kind.describe(), known=run.subject.deck_known),
        sample=_sample(run, totals),
        tool=tool(),
        results=results,
        readings=tuple(m.ReadingRow(**asdict(reading)) for reading in decision.readings),
        position_readings=tuple(
            m.PositionRow(**asdict(read_positions(name, table, confidence, run.subject.kind.copies)))
            for name, table in tables.items()
            for confidence in plan.readings
        ),
        power=tuple(row for name, section in totals.sections.items() for row in _power(name, section, strictest)),
        tables={name: tuple(tuple(row) for row in table.tolist()) for name, table in tables.items()},
        curves=tuple(curve for name, section in totals.sections.items() for curve in _curves(name, section)),
        bits=found.bits,
        noise=None if found.noise is None else m.open_table(dict(found.noise)),
        outside=found.outside,
        controls=found.controls,
        retest_of=found.retest_of,
        cover=run.cover,
    )
    return m.settled(record)


# ----- the decision ---------------------------------------------------------------------------------------------------


def _verdict(found: Evidence) -> m.VerdictPart:
    run, decision, final = found.run, found.decision, found.final
    return m.VerdictPart(
        outcome=final.verdict.value,
        level=run.plan.level,
        first_level=run.plan.first_level,
        level_note=level_note(run.plan.level),
        family=decision.collective.tests,
        least_decks=run.plan.least_decks,
        missing=final.missing,
        failures=final.failures,
        rejected=tuple(dict.fromkeys((*decision.collective.rejected, *final.collective.rejected))),
        doubtful=decision.doubtful,
        untested=decision.untested,
        not_performed=tuple(_not_performed(found.judged)),
        notes=run.subject.notes,
        retest=_retest(found),
    )


def _retest(found: Evidence) -> m.Retest | None:
    plan = found.run.plan
    owed = retest_owed(found.run)
    if not found.looks and owed not in found.final.missing:
        return None
    why = f"adjusted p above {plan.first_level:g} and not above {plan.retest_below:g}"
    rule = (
        f"{plan.retest_first:g} + p × q × ln({plan.retest_below:g} / {plan.retest_first:g}) at or below "
        f"{plan.level:g} rejects; p and q are the adjusted p-values of the two looks"
    )
    rows = tuple(
        m.RetestRow(
            label=look.judged.label, sees=sees(look.judged), samples=look.judged.result.samples,
            first_adjusted_p=look.first, p=look.judged.result.p, adjusted_p=look.second, combined_p=look.combined,
            rejected=look.rejected,
        )
        for look in found.looks
    )  # fmt: skip
    passed = None if not rows else found.final.verdict is Verdict.PASSED
    return m.Retest(why=why, rule=rule, tests=rows, passed=passed)


def retest_owed(run: Run) -> str:
    """Why a file whose tests are in doubt is not decided yet."""
    return (
        "the plan asks for a re-test on as many fresh decks: "
        f"adjusted p above {run.plan.first_level:g} and not above {run.plan.retest_below:g}"
    )


def level_note(level: float) -> str:
    """How a level compares with 0.01; a smaller one rejects less and shows less."""
    if level < STANDARD_LEVEL:
        return f"laxer than {STANDARD_LEVEL:g} (99 % confidence): a defect must be larger to be found"
    if level > STANDARD_LEVEL:
        return f"stricter than {STANDARD_LEVEL:g} (99 % confidence): an ideal device fails more often"
    return ""


def _not_performed(judged: Sequence[Judged]) -> Iterator[m.NotPerformed]:
    """The tests without a p-value, once each, by why."""
    groups: dict[str, dict[str, str]] = {}
    for one in judged:
        if one.result.outcome in (Outcome.NOT_APPLICABLE, Outcome.TOO_FEW):
            groups.setdefault(one.result.outcome.value, {}).setdefault(one.result.test, "; ".join(one.result.unmet))
    for why, tests in groups.items():
        reasons = tuple(dict.fromkeys(tests.values()))
        yield m.NotPerformed(why=why, count=len(tests), tests=tuple(tests), reasons=reasons)


def _for_clauses(found: Evidence, results: tuple[m.TestRow, ...]) -> tuple[tuple[m.TestRow, ...], RunShown]:
    """What the clauses are judged by; a re-test adds its rejections to the first look."""
    final = found.final
    rows = found.first_results or results
    names = {row.label: clause_name(row.section, row.test) for row in rows}
    adjusted = {row.label: row.adjusted_p for row in rows if row.adjusted_p is not None}
    shown = RunShown(
        outcome=final.verdict.value, decks=found.totals.decks, level=found.run.plan.level, family=len(adjusted),
        rejected=tuple(dict.fromkeys((*found.decision.collective.rejected, *final.collective.rejected))),
        adjusted=adjusted, names=names,
    )  # fmt: skip
    return rows, shown


# ----- statistics -----------------------------------------------------------------------------------------------------


def _where_to_look(found: Evidence) -> Iterator[m.Rejected]:
    by_label = {one.label: one for one in found.judged} | {
        look.judged.label: look.judged for look in found.looks if look.rejected
    }
    broken = [one.label for one in found.judged if one.result.test in CERTAIN_TESTS and (one.result.p or 0.0) < 1.0]
    rejected = (*found.decision.collective.rejected, *found.final.collective.rejected)
    for label in dict.fromkeys([*broken, *rejected]):
        result = by_label[label].result
        if result.p is not None:
            places = result.findings or (_whole_sample(result),)
            yield m.Rejected(test=label, sees=sees(by_label[label]), findings=_places(places))


def _places(findings: Sequence[Finding]) -> tuple[m.PlacePart, ...]:
    return tuple(
        m.PlacePart(
            place=one.place, observed=_finite(one.observed), expected=_finite(one.expected), z=_finite(one.z)
        )
        for one in findings[:MOST_FINDINGS]
    )  # fmt: skip


def _finite(value: float | None) -> float | None:
    """JSON has no infinity."""
    return None if value is None or not math.isfinite(value) else float(value)


def _whole_sample(result: Result) -> Finding:
    """For a test that looks at no single place: its effect, and how far out it is."""
    seen = result.effect if result.effect is not None else result.statistic
    unit = result.effect_unit if result.effect is not None else "the statistic"
    p = 1.0 if result.p is None else result.p
    return Finding(place=f"over the whole sample, {unit}", observed=seen or 0.0, expected=0.0, z=upper_z(p / 2))


def _row(one: Judged, decision: Decision, clauses: tuple[str, ...]) -> m.TestRow:
    result = one.result
    return m.TestRow(
        label=one.label,
        section=one.section,
        test=result.test,
        second_level=one.second_level,
        clauses=clauses,
        sees=sees(one),
        outcome=result.outcome.value,
        samples=result.samples,
        statistic=_finite(result.statistic),
        p=result.p,
        adjusted_p=decision.collective.adjusted.get(one.label),
        null=None if result.null is None else result.null.value,
        effect=_finite(result.effect),
        effect_low=_finite(result.effect_low),
        effect_high=_finite(result.effect_high),
        effect_unit=result.effect_unit,
        unmet=result.unmet,
        findings=_places(result.findings),
    )


def _power(name: str, section: RunSection, level: float) -> Iterator[m.PowerRow]:
    for test in section.battery.tests:
        many = section.battery.counted(test)
        if many >= test.least:
            said = power(test, many, level)
            yield m.PowerRow(
                section=name, test=said.test, samples=said.samples, level=said.level, power=said.power,
                least_effect=_finite(said.least_effect), unit=said.unit,
            )  # fmt: skip
    for draw in section.draws.tests.values():
        if draw.p() is not None:
            least = draw.least_effect(level=level, power=REPORTED_POWER)
            yield m.PowerRow(
                section=name + FIRST_CARDS, test=draw.name, samples=draw.draws, level=level, power=REPORTED_POWER,
                least_effect=_finite(least), unit=draw.unit,
            )  # fmt: skip


def _table(section: RunSection) -> Any:
    """Card × position counts, a row for each position; None where the plan does not count them."""
    cells = section.battery.tallies.cells.get("faces.by_position")
    return None if cells is None or not len(cells) else np.asarray(cells).reshape(section.battery.kind.cards, -1)


def _curves(name: str, section: RunSection) -> Iterator[m.Curve]:
    tallies = section.battery.tallies
    for tally, said, of in _CURVES:
        if tallies.decks.get(tally):
            yield m.Curve(
                section=name, counts=said, decks=tallies.decks[tally], observed=tuple(tallies.cells[tally].tolist()),
                expected=tuple(float(chance) for chance in section.battery.law(of).pmf),
            )  # fmt: skip


# ----- the sample -----------------------------------------------------------------------------------------------------


def _sample(run: Run, totals: Totals) -> m.Sample:
    kernel = isinstance(run.subject, KernelSubject)
    return m.Sample(
        decks=totals.decks,
        shards=totals.shards,
        rows_in_file=None if isinstance(run.subject, KernelSubject) else run.subject.recorded.rows,
        rows_read=totals.decks if kernel else totals.rows,
        sections={name: _section(section) for name, section in totals.sections.items()},
        misreads=m.Misreads(
            cards=totals.misread_cards, rows=totals.misread_rows, share_of_rows=totals.misread_share,
            most=run.plan.most_misread,
        ),
        malformed_rows=totals.malformed_rows,
        malformed=tuple(m.RowNote(row=row, reason=why) for row, why in totals.malformed),
        excluded_rows=totals.excluded_rows,
        excluded=tuple(m.RowNote(row=row, reason=why) for row, why in totals.excluded),
    )  # fmt: skip


def _section(section: RunSection) -> m.SectionPart:
    whole, copies = section.battery.integrity, section.battery.copies
    return m.SectionPart(
        decks=whole.decks,
        not_whole=whole.invalid + whole.bad_inputs,
        blocks=max((len(kept) for kept in section.blocks.values()), default=0),
        data_digest=f"{section.battery.digest:016x}",
        sub_samples=sub_samples(section),
        repeats=tuple(
            m.RepeatsFound(
                of=of, seen=one.decks, fingerprints=one.kept, bytes=BYTES * one.kept,
                pairs_found=one.pairs_found,
            )
            for of, one in (("decks", copies.decks), ("permutations", copies.permutations))
        ),
    )  # fmt: skip


def sub_samples(section: RunSection) -> tuple[m.SubSample, ...]:
    """The tests that did not count every deck of a very long run: decks, or first cards, that they saw of it."""
    battery = section.battery
    whole = battery.integrity.decks - battery.integrity.invalid - battery.integrity.bad_inputs
    if whole <= IN_FULL:
        return ()
    seen = [
        ("decks", battery.counted(test), test.every if test.over is Over.ALL else STRATA_EVERY, test.name)
        for test in battery.tests
    ]
    seen += [("first cards", test.draws, DRAWS_EVERY, test.name) for test in section.draws.tests.values()]
    thinned: dict[tuple[str, int, int], list[str]] = {}
    for of, counted, every, test in sorted(seen, key=lambda one: (one[0], -one[1], one[2])):
        if every > 1:
            thinned.setdefault((of, every, counted), []).append(test)
    return tuple(
        m.SubSample(share=f"the first {IN_FULL:,}, then 1 in {every}", of=of, counted=counted, tests=tuple(tests))
        for (of, every, counted), tests in thinned.items()
    )


# ----- the program ----------------------------------------------------------------------------------------------------


def tool() -> m.Tool:
    """What did the testing."""
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    for name in ("shuffler-bench", "numba", "cryptography"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "run from its source" if name == "shuffler-bench" else "not installed"
    return m.Tool(versions=versions, code_sha256=code_digest())


def reproduce(run: Run) -> str:
    """One command that repeats the run."""
    said, subject = run.settings, run.subject
    what = ["shuffler", "certify"]
    what += ["--retest-of", said.retest_of] if said.retest_of else ["--plan", said.plan_file or run.plan.name]
    if isinstance(subject, KernelSubject):
        what += ["--mechanism", subject.mechanism, "--seed", str(subject.seed)]
    else:
        what += ["--from", "-" if subject.recorded.piped else subject.recorded.name]
        what += ["--test"] if subject.recorded.test else []
    what += [word for option in subject.deck_options for word in option.split(" ")]
    what += ["--decks", str(said.decks)] if said.decks is not None and not said.retest_of else []
    what += ["--partial", said.partial] if said.partial else []
    what += [word for test in subject.not_promised for word in ("--not-applicable", test)]
    what += [word for clause in said.also for word in ("--also", clause)]
    if said.outside:
        what += ["--outside", said.outside, "--outside-seconds", f"{said.outside_seconds:g}"]
    what += ["--bits", said.bits] if said.bits else []
    what += ["--noise", said.noise] if said.noise else []
    return shlex.join(what)

"""Clause by clause: what each standard asks for, the evidence for it in a run, and what came of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from randomness.certification.decision import BLOCKS, Decision, Judged, Verdict
from randomness.certification.plan import LEAST_DECKS
from randomness.decks import CERTAIN_TESTS
from randomness.result import Outcome

MET, PARTLY, NOT_MET, INCONCLUSIVE = "met", "met in part", "not met", "inconclusive"
NOT_TESTED, OUTSIDE = "not tested", "not in this report"
STANDARD_LEVEL = 0.01
"""GLI-19 3.2.2: collectively, at a 99 % confidence level."""

# How a plan begins to name a standard, and the standard's name.
STANDARDS = (
    ("GLI-19",                  "GLI-19 v3.0"),
    ("GLI-29",                  "GLI-29 v1.0"),
    ("25 CFR",                  "25 CFR (United States, class II)"),
    ("58 Pa. Code",             "58 Pa. Code (Pennsylvania)"),
    ("COMAR",                   "COMAR (Maryland)"),
    ("N.J.A.C.",                "N.J.A.C. (New Jersey)"),
    ("A.R.S.D.",                "A.R.S.D. (South Dakota)"),
    ("S.D.",                    "A.R.S.D. (South Dakota)"),
    ("NIST SP 800-22 rev. 1a,", "NIST SP 800-22 rev. 1a"),
    ("NIST SP 800-90B,",        "NIST SP 800-90B"),
)  # fmt: skip
# What a laboratory shows by other means.
ELSEWHERE = (
    ("GLI-19 v3.0", "3.2.1", "review of the source of generator, scaling and shuffling"),
    ("GLI-19 v3.0", "3.3.2", "resistance to cryptanalysis, seeding, external entropy"),
)
GLI, COLLECTIVELY = "GLI-19 v3.0", "final outcomes evaluated collectively at a 99 % confidence level"
NAMED = "tests that it names"
_NUMBER = re.compile(r"[0-9][\w.:-]*( [A-Z]\b)?")


def clause_rows(
    judged: Sequence[Judged], decision: Decision, named: Mapping[str, str], decks: int
) -> list[dict[str, Any]]:
    """A row for each thing that a clause asks for; `named` has the clauses of each label."""
    rows = [_collective(decision), _outcomes(decks)]
    groups: dict[tuple[str, str, str], list[Judged]] = {}
    for one in judged:
        for key in clauses_in(named.get(one.label, "")):
            groups.setdefault(key, []).append(one)
    order = [name for _, name in STANDARDS]
    places = {name: order.index(name) for name in order}
    for key in sorted(groups, key=lambda key: (places.get(key[0], len(order)), _in_order(key[1]), key[2])):
        rows.append(_row(key, groups[key], decision))
    rows += [_line(*where, "by other means", OUTSIDE) for where in ELSEWHERE]
    return rows


def closed_rows(first: Sequence[Mapping[str, Any]], decision: Decision) -> list[dict[str, Any]]:
    """The rows of a first record after its re-test: what was open only for the re-test is met, or not."""
    collective = decision.collective
    bad = {label.partition(": ")[2].removesuffix(BLOCKS) for label in collective.rejected}
    rows = []
    for row in (dict(one) for one in first):
        whole = (row["standard"], row["clause"], row["asks"]) == (GLI, "3.2.2", COLLECTIVELY)
        if whole:
            row["evidence"] += f"; {collective.tests} tested again, {len(collective.rejected)} rejected"
        if bad & set(row["tests"]) or (whole and decision.verdict is Verdict.FAILED):
            row["verdict"] = NOT_MET
        elif row["verdict"] == INCONCLUSIVE and (whole or row["tests"]) and collective.level >= STANDARD_LEVEL:
            row["verdict"] = _met(row["too_few"])
        rows.append(row)
    return rows


def _met(too_few: int) -> str:
    """In part, where a test for the clause needs more decks than there were."""
    return PARTLY if too_few else MET


def _in_order(clause: str) -> list[tuple[int, str]]:
    """2.10 after 2.9."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", clause)]


def clauses_in(text: str) -> Iterable[tuple[str, str, str]]:
    """Standard, clause and what is asked, for each part of a text such as `GLI-19 3.2.2 runs; 3.4.2 mechanical`."""
    standard = ""
    for part in (each.strip() for each in text.split(";")):
        if not part:
            continue
        found = next(((prefix, name) for prefix, name in STANDARDS if part.startswith(prefix)), None)
        if found is not None:
            standard, part = found[1], part.removeprefix(found[0]).strip()
        elif not part[0].isdigit():
            standard, part = part, ""
        number = _NUMBER.match(part)
        clause = number[0] if number else ""
        asks = part.removeprefix(clause).strip().removeprefix("(").removesuffix(")")
        yield standard, clause, asks or NAMED


def _line(standard: str, clause: str, asks: str, evidence: str, verdict: str) -> dict[str, Any]:
    return {
        "standard": standard, "clause": clause, "asks": asks, "evidence": evidence, "verdict": verdict,
        "tests": [], "made": 0, "not_made": 0, "too_few": 0, "least_adjusted_p": None, "worst": "",
    }  # fmt: skip


def _collective(decision: Decision) -> dict[str, Any]:
    many, level = decision.collective.tests, decision.collective.level
    evidence = (
        f"Holm's rule over {many} statistics at the level {level:g}; {len(decision.collective.rejected)} rejected"
    )
    verdict = _MEANS[decision.verdict]
    if level < STANDARD_LEVEL and verdict == MET:
        evidence += f"; the clause asks for {STANDARD_LEVEL:g}"
        verdict = INCONCLUSIVE
    return _line(GLI, "3.2.2", COLLECTIVELY, evidence, verdict)


def _outcomes(decks: int) -> dict[str, Any]:
    enough = decks >= LEAST_DECKS
    asks = f"mechanical shufflers: at least {LEAST_DECKS:,} game outcomes"
    many = "1 deck" if decks == 1 else f"{decks:,} decks"
    return _line("GLI-19 v3.0", "3.4.2", asks, many, MET if enough else INCONCLUSIVE)


_MEANS = {Verdict.PASSED: MET, Verdict.FAILED: NOT_MET, Verdict.INCONCLUSIVE: INCONCLUSIVE}


def _row(key: tuple[str, str, str], judged: Sequence[Judged], decision: Decision) -> dict[str, Any]:
    adjusted, rejected = decision.collective.adjusted, set(decision.collective.rejected)
    made = [one for one in judged if one.result.p is not None]
    broken = [
        one for one in made if one.result.test in CERTAIN_TESTS and (one.result.p or 0.0) < decision.collective.level
    ]
    least = min((one.label for one in made if one.label in adjusted), key=adjusted.__getitem__, default="")
    bad = [one.label for one in made if one.label in rejected] + [one.label for one in broken]
    few = sum(one.result.outcome is Outcome.TOO_FEW for one in judged)
    if bad:
        verdict = NOT_MET
    elif not made:
        verdict = NOT_TESTED
    else:
        lax = decision.collective.level < STANDARD_LEVEL
        verdict = INCONCLUSIVE if decision.missing or lax else _met(few)
    tests = list(dict.fromkeys(one.result.test for one in judged))
    if key[2] == NAMED and len(tests) == 1:
        key = (key[0], key[1], f"test: {tests[0]}")
    row = _line(*key, f"{len(made)} of {len(judged)} statistics" + (f", {len(bad)} rejected" if bad else ""), verdict)
    return row | {
        "tests": tests,
        "made": len(made),
        "not_made": len(judged) - len(made),
        "too_few": few,
        "least_adjusted_p": adjusted.get(least),
        "worst": least,
    }

"""A conformance report for people and programs: text, JSON, JUnit."""

import json
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from protocol.framing import VERSION
from protocol.render.rules import rules
from shuffler.kit.conformance.verdict import RuleFinding, RuleVerdict

SHOWN = {RuleVerdict.PASSED, RuleVerdict.FAILED, RuleVerdict.NOT_SEEN, RuleVerdict.NOT_APPLICABLE}


def line(finding: RuleFinding) -> str:
    """One rule: its number, the verdict and the evidence."""
    return f"{finding.rule:<5} {finding.verdict.value:<15} {finding.evidence}"


def summary(findings: Sequence[RuleFinding]) -> str:
    """How many of each."""
    counts = Counter(one.verdict for one in findings)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in RuleVerdict if counts[verdict])


def as_json(what: str, findings: Sequence[RuleFinding]) -> str:
    """One line of JSON."""
    return json.dumps(
        {
            "tested": what,
            "protocol": VERSION,
            "passed": is_passed(findings),
            "rules": [
                {"rule": one.rule, "text": rules()[one.rule], "verdict": one.verdict.name, "evidence": one.evidence}
                for one in findings
            ],
        },
        ensure_ascii=False,
    )


def as_junit(what: str, findings: Sequence[RuleFinding]) -> str:
    """JUnit's XML: a test case a rule; what was not judged is skipped."""
    failures = sum(one.verdict is RuleVerdict.FAILED for one in findings)
    skipped = sum(one.verdict not in (RuleVerdict.FAILED, RuleVerdict.PASSED) for one in findings)
    suite = ElementTree.Element(
        "testsuite",
        name=f"conformance of {what}",
        tests=str(len(findings)),
        failures=str(failures),
        skipped=str(skipped),
    )
    for one in findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"protocol.v{VERSION}", name=f"{one.rule} {rules()[one.rule]}"
        )
        if one.verdict is RuleVerdict.FAILED:
            ElementTree.SubElement(case, "failure", message=_printable(one.evidence))
        elif one.verdict is not RuleVerdict.PASSED:
            ElementTree.SubElement(case, "skipped", message=_printable(f"{one.verdict.value}: {one.evidence}"))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _printable(text: str) -> str:
    """Without the control characters that XML does not allow; they may come from the implementation under test."""
    return "".join(character if character.isprintable() else "�" for character in text)


def is_passed(findings: Sequence[RuleFinding]) -> bool:
    """Whether no rule is broken and something was judged."""
    judged = [one for one in findings if one.verdict in (RuleVerdict.PASSED, RuleVerdict.FAILED)]
    return bool(judged) and all(one.verdict is RuleVerdict.PASSED for one in judged)

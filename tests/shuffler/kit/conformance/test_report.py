"""The report as text, JSON and JUnit."""

import json
from xml.etree import ElementTree

from shuffler.kit.conformance import report
from shuffler.kit.conformance.verdict import RuleFinding, RuleVerdict

FOUND = [
    RuleFinding("H-2", RuleVerdict.PASSED, "the same welcome twice"),
    RuleFinding("H-3", RuleVerdict.FAILED, "the nonce\x1b came back as another"),
    RuleFinding("S-8", RuleVerdict.NOT_CHECKED, "its own affair"),
]


def test_a_line_has_rule_verdict_and_evidence() -> None:
    assert report.line(FOUND[0]) == "H-2   passed          the same welcome twice"
    assert report.summary(FOUND) == "1 passed, 1 FAILED, 1 not checked"


def test_json_names_the_rules_text() -> None:
    told = json.loads(report.as_json("a device", FOUND))
    assert told["passed"] is False
    assert told["rules"][1]["verdict"] == "FAILED"
    assert told["rules"][1]["text"].startswith("The welcome echoes")


def test_junit_counts_and_escapes() -> None:
    suite = ElementTree.fromstring(report.as_junit("a device", FOUND))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "the nonce� came back as another"


def test_nothing_judged_is_no_pass() -> None:
    assert not report.is_passed([FOUND[2]])
    assert report.is_passed([FOUND[0], FOUND[2]])

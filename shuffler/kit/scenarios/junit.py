"""Outcomes as a JUnit report, which every CI server reads."""

from collections.abc import Sequence
from xml.etree import ElementTree as xml

from shuffler.kit.scenarios.running import ScenarioOutcome

SUITE = "shuffler scenarios"


def junit(outcomes: Sequence[ScenarioOutcome], seconds: Sequence[float]) -> bytes:
    """One case a scenario; `seconds` is how long each took by the clock on the wall."""
    failed = sum(not outcome.passed for outcome in outcomes)
    attributes = {"tests": str(len(outcomes)), "failures": str(failed), "errors": "0", "skipped": "0"}
    root = xml.Element("testsuites", {"name": SUITE, **attributes})
    suite = xml.SubElement(root, "testsuite", {"name": SUITE, **attributes, "time": f"{sum(seconds):.3f}"})
    for outcome, took in zip(outcomes, seconds, strict=True):
        scenario, failure = outcome.scenario, outcome.failure
        case = xml.SubElement(
            suite, "testcase", {"classname": "scenario", "name": scenario.name, "time": f"{took:.3f}"}
        )
        properties = xml.SubElement(case, "properties")
        for name, value in (("seed", scenario.seed), ("virtual_s", f"{outcome.virtual_s:.3f}")):
            xml.SubElement(properties, "property", {"name": name, "value": str(value)})
        if failure is not None:
            said = {"message": printable(f"expected {failure.expected}; came {failure.came}"), "type": failure.verb}
            xml.SubElement(case, "failure", said).text = printable(outcome.text())
    xml.indent(root)
    written: bytes = xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def printable(text: str) -> str:
    """Without the characters that XML does not allow at all."""
    return "".join(one if one in "\t\n" or (one.isprintable() and one <= "\uffff") else "\ufffd" for one in text)

"""What a check says of a rule: a verdict and the evidence for it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class RuleVerdict(Enum):
    """How a rule came out; only FAILED is a finding against the implementation."""

    PASSED = "passed"
    FAILED = "FAILED"
    NOT_SEEN = "not seen"  # nothing happened by which it could be judged
    NOT_APPLICABLE = "does not apply"  # this implementation has no such thing
    NOT_CHECKED = "not checked"  # the suite has no check


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One rule's row of the report."""

    rule: str
    verdict: RuleVerdict
    evidence: str


class Failed(Exception):
    """The rule is broken; the message is the evidence."""


class NotSeen(Exception):
    """What the rule is about did not happen; the message says why."""


class NotApplicable(Exception):
    """The rule is about something that this implementation does not have."""


def expect(holds: bool, evidence: str) -> None:
    """Raise Failed with this evidence unless it holds."""
    if not holds:
        raise Failed(evidence)


def failed(findings: Iterable[RuleFinding]) -> list[str]:
    """The rules that are broken."""
    return [one.rule for one in findings if one.verdict is RuleVerdict.FAILED]

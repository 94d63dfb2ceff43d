"""Which rules have a check, and which have none and why: every rule of the reference is in one of the two tables."""

import pytest

from protocol.render.rules import rules
from shuffler.kit.conformance.controller import suite as controller
from shuffler.kit.conformance.device import suite as device

SUITES = pytest.mark.parametrize("suite", [device, controller], ids=["device", "controller"])


@SUITES
def test_every_rule_has_a_check_or_a_reason(suite) -> None:
    assert set(suite.CHECKS) | set(suite.UNCHECKED) == set(rules())
    assert not set(suite.CHECKS) & set(suite.UNCHECKED)
    assert all(reason.strip() for reason in suite.UNCHECKED.values())


@SUITES
def test_a_check_says_which_rule_it_is_for(suite) -> None:
    for rule, check in suite.CHECKS.items():
        assert check.__doc__ == rule, check.__name__


def test_a_rule_that_no_suite_checks_is_shown_otherwise() -> None:
    nobody = set(device.UNCHECKED) & set(controller.UNCHECKED)
    assert nobody == {
        "B-1", "B-2", "B-3", "B-5", "B-6", "B-7",  # every frame and opening shows them
        "S-8", "S-9", "P-2", "P-4", "P-5",
        "C-8", "E-4", "E-5", "R-2",  # would harm other hosts, the table or a role
        "D-4", "D-8", "D-9", "D-10", "D-11", "D-12", "D-15", "D-16", "D-17",
        "A-1", "A-2", "A-3", "A-4", "A-5",
    }  # fmt: skip

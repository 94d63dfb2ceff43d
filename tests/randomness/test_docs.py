"""What docs/randomness.md says in numbers is what the code does."""

from dataclasses import fields
from pathlib import Path

import pytest

from randomness.drbg import MAX_REQUEST_BYTES, MECHANISMS
from randomness.health import START_UP_SAMPLES, HealthPolicy, ProportionRule
from randomness.kernels.catalogue import MECHANISMS as SHUFFLES
from randomness.kernels.dice import plan_dice
from randomness.kernels.imperfections import Imperfections

PAGE = (Path(__file__).parents[2] / "docs" / "randomness.md").read_text(encoding="utf-8")


def test_the_health_cutoffs_are_the_codes() -> None:
    policy = HealthPolicy()
    assert f"2^-{policy.alpha_bits:.0f}" in PAGE
    assert f"fails at {policy.repetition} equal samples" in PAGE
    assert f"comes {policy.proportion} times within {policy.window} samples" in PAGE
    printed = HealthPolicy(rule=ProportionRule.AS_PRINTED)
    assert f"formula as printed gives {printed.proportion}" in PAGE
    assert f"{START_UP_SAMPLES:,} samples" in PAGE


def test_the_generator_is_the_codes() -> None:
    assert f"{MAX_REQUEST_BYTES:,} bytes a\nrequest" in PAGE
    assert all(f"(`{name}`" in PAGE for name in MECHANISMS)


def test_the_slice_is_the_codes() -> None:
    plan = plan_dice(range(2, 53))
    assert plan.words * 8 == 32
    assert f"{plan.acceptance:.2%}".replace("%", " %") in PAGE


@pytest.mark.parametrize("name", SHUFFLES)
def test_every_mechanism_and_parameter_is_listed(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}`"))
    for field in fields(SHUFFLES[name]):
        assert f"`{field.name}`" in row
        if isinstance(field.default, int):
            assert f"`{field.name}` ({field.default})" in row


def test_every_imperfection_is_listed() -> None:
    assert all(f"`{field.name}`" in PAGE for field in fields(Imperfections))

"""An assessment as plain data."""

import json

import numpy as np

from randomness.assessment import Samples, assess, assess_iid, health_tests, section
from randomness.health import HealthPolicy

RNG = np.random.default_rng(44)


def test_every_number_of_the_assessment_is_in_the_section() -> None:
    samples = Samples.from_bytes(RNG.integers(0, 4, 5_000, dtype=np.uint8).tobytes())
    found = assess(samples)
    data = json.loads(json.dumps(section(samples, non_iid=found)))
    assert data["assessed"] == found.assessed
    assert data["non_iid"]["h_bitstring"] == found.h_bitstring
    seen = {(row["of"], row["estimator"]): row for row in data["non_iid"]["estimates"]}
    assert len(seen) == 17
    for of, estimate in found.estimates():
        assert seen[of, estimate.name]["min_entropy"] == estimate.min_entropy
        assert seen[of, estimate.name]["figures"] == dict(estimate.figures)
    assert (data["iid"], data["restart"], data["passed"], data["enough_samples"]) == (None, None, True, False)


def test_samples_that_are_not_independent_are_worth_nothing_on_that_track() -> None:
    samples = Samples.from_bytes(np.repeat(RNG.integers(0, 4, 200, dtype=np.uint8), 3).tobytes())
    found = assess_iid(samples, np.random.default_rng(1), shuffles=50)
    data = json.loads(json.dumps(section(samples, iid=found)))
    assert (data["passed"], data["assessed"], data["health_tests"]) == (False, 0.0, [])
    assert data["iid"]["h_original"] == found.h_original > 1.0


def test_cutoffs_are_the_health_tests_own() -> None:
    """SP 800-90B 4.4: 41 equal bits in a row at 2^-40; one bit in a window of 1,024."""
    rows = {row["alpha_bits"]: row for row in health_tests(1.0, binary=True)}
    assert (rows[40]["repetition_count"], rows[20]["repetition_count"]) == (41, 21)
    policy = HealthPolicy.assessed(1.0, binary=True)
    assert (rows[40]["adaptive_proportion"], rows[40]["window"]) == (policy.proportion, 1024)
    assert health_tests(3.2, binary=False)[0]["window"] == 512
    assert health_tests(0.0, binary=False) == []

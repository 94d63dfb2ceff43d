"""The table of the fifteen, and the published example values of all of them."""

import inspect

import pytest

from randomness.bits import TESTS, Bits, named, run_all
from randomness.result import Outcome

# SP 800-22 rev. 1a, appendix B: 1,000,000 bits, default parameters of the suite (block 128, entropy 10, serial 16,
# complexity 500, template 000000001).
APPENDIX_B = {
    "frequency": (0.578211, 0.953749),
    "block-frequency": (0.380615, 0.211072),
    "cumulative-sums/forward": (0.628308, 0.669886),
    "cumulative-sums/backward": (0.663369, 0.724265),
    "runs": (0.419268, 0.561917),
    "longest-run": (0.024390, 0.718945),
    "rank": (0.083553, 0.306156),
    "spectral": (0.010186, 0.847187),
    "non-overlapping-template/000000001": (0.165757, 0.078790),
    "overlapping-template": (0.296897, 0.110434),
    "universal": (0.669012, 0.282568),
    "approximate-entropy": (0.361595, 0.700073),
    "random-excursions/+1": (0.844143, 0.786868),
    "random-excursions-variant/-1": (0.760966, 0.826009),
    "linear-complexity": (0.255475, 0.826335),
    "serial/1": (0.143005, 0.766182),
    "serial/2": (0.034354, 0.462921),
}


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
def test_appendix_b(pi_bits: str, e_bits: str, compiled: bool) -> None:
    of_pi = {result.test: result.p for result in run_all(Bits.from_text(pi_bits, compiled=compiled))}
    of_e = {result.test: result.p for result in run_all(Bits.from_text(e_bits, compiled=compiled))}
    assert len(of_pi) == len(of_e) == 188
    for test, (for_pi, for_e) in APPENDIX_B.items():
        assert of_pi[test] == pytest.approx(for_pi, abs=6e-7), test
        assert of_e[test] == pytest.approx(for_e, abs=6e-7), test


def test_every_test_has_a_published_value() -> None:
    assert {test.split("/")[0] for test in APPENDIX_B} == {test.name for test in TESTS}


def test_fifteen_tests_with_188_p_values_in_the_order_of_the_sections() -> None:
    assert len(TESTS) == 15
    assert sum(test.p_values for test in TESTS) == 188
    assert [test.section for test in TESTS] == [f"2.{number}" for number in range(1, 16)]


def test_too_few_bits_say_so_188_times() -> None:
    results = list(run_all(Bits([0, 1] * 40, compiled=False)))
    assert len({result.test for result in results}) == 188
    assert {result.outcome for result in results} == {Outcome.TOO_FEW}
    assert all(result.p is None and "80 bits; the test needs at least" in result.unmet[0] for result in results)


def test_each_row_states_the_least_length_its_function_enforces() -> None:
    for test in TESTS:
        if test.least_bits > 100_000:
            continue
        below, at = Bits([0] * (test.least_bits - 1), compiled=False), Bits([0] * test.least_bits, compiled=False)
        assert {result.outcome for result in test.run(below)} == {Outcome.TOO_FEW}, test.name
        assert {result.outcome for result in test.run(at)} == {Outcome.TESTED}, test.name


@pytest.mark.slow
def test_each_row_of_the_long_tests_states_the_least_length_too() -> None:
    for test in TESTS:
        if test.least_bits <= 100_000 or test.name.startswith("random-excursions"):
            continue
        below, at = Bits([0] * (test.least_bits - 1), compiled=False), Bits([0] * test.least_bits, compiled=False)
        assert {result.outcome for result in test.run(below)} == {Outcome.TOO_FEW}, test.name
        assert {result.outcome for result in test.run(at)} == {Outcome.TESTED}, test.name


def test_corrected_runs_are_offered_exactly_where_the_function_takes_them() -> None:
    for test in TESTS:
        assert ("corrected" in inspect.signature(test.run).parameters) is (test.corrected is not None), test.name


def test_tests_are_found_by_name() -> None:
    assert named("rank") is TESTS[4]
    assert named("poker") is None

"""The proof of what the bit battery finds, at its small size."""

import pytest

from proofs.classical_generators import GENERATORS, Found, calibrate, find, report


@pytest.mark.slow
def test_mt19937_passes_a_million_bits_and_is_found_in_two() -> None:
    short, long = (find("defect:mt19937", sequences, 1) for sequences in (1, 2))
    assert (short.rejected, short.tests) == (0, ())
    assert (long.rejected, long.tests) == (1, ("word-complexity",))


def test_lengths_on_good_bits_follow_the_law_and_others_do_not() -> None:
    good = calibrate(200, words=256)
    assert sum(good.lengths.values()) == 2_000
    assert good.p > 1e-4
    assert good.alarms <= 12


def test_the_report_has_a_row_for_each_generator() -> None:
    found = [Found(generator=name, bits=10, seeds=2, rejected=0, tests=()) for name in GENERATORS]
    assert report(found, calibrate(20, words=64)).count("| 0 of 2 | nothing |") == len(GENERATORS)

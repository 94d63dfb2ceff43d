"""A sample of `make proof-journal-flips`."""

from pathlib import Path

import pytest

from proofs import journal_flips


@pytest.mark.slow
def test_a_damaged_journal_is_said_to_be_corrupt_or_is_read_as_it_was(tmp_path: Path) -> None:
    outcomes, wrong, size = journal_flips.run(tmp_path, [*range(0, 128, 8), *range(128, 40_000, 331)])
    assert wrong == []
    assert size > 8192
    assert outcomes["flipped: said to be corrupt"] > 10
    assert outcomes["cut: said to be corrupt"] > 10

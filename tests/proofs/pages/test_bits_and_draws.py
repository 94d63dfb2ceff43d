"""What docs/bits-and-draws.md says of corrections is what the registry has."""

from proofs.pages.bits_and_draws import CORRECTIONS
from randomness.bits import TESTS


def test_every_correction_is_explained_and_no_other() -> None:
    assert list(CORRECTIONS) == [test.name for test in TESTS if test.corrected is not None]

"""docs/bits-and-draws.md is what the registries say."""

from proofs.battery_page import CORRECTIONS, PAGE, page
from randomness.bits import TESTS


def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_every_correction_is_explained_and_no_other() -> None:
    assert list(CORRECTIONS) == [test.name for test in TESTS if test.corrected is not None]

"""The table of planted defects in the documentation."""

from proofs.pages.proficiency import page
from randomness.proficiency import PLANTS


def test_every_defect_is_in_the_page() -> None:
    text = page()
    assert all(f"| `{one.name}` | {one.what} | `{one.test}` |" in text for one in PLANTS)

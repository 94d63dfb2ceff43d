"""The table of timeouts in the documentation."""

from proofs.pages.timeouts import page
from shuffler.timeouts import rows


def test_every_timeout_is_in_the_page_with_its_time() -> None:
    text = page()
    for row in rows():
        assert f"| `{row.name}` | {row.seconds:g} s |" in text

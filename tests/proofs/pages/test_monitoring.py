"""The table of questions in the documentation."""

from proofs.pages.monitoring import page
from randomness.monitoring import QUESTIONS


def test_every_question_is_in_the_page() -> None:
    text = page()
    assert all(f"| `{one.name}` | {one.asks} |" in text for one in QUESTIONS)

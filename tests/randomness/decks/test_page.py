"""The page of the deck tests is what the registry says."""

import importlib
from pathlib import Path

from randomness.decks import DECK_TESTS

PAGE = Path(__file__).parents[3] / "docs" / "deck-battery.md"


def test_the_committed_page_is_fresh() -> None:
    made = "\n".join(importlib.import_module("randomness.decks.__main__").page()) + "\n"
    assert PAGE.read_text(encoding="utf-8") == made, "run `make docs`"


def test_every_test_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in DECK_TESTS:
        assert f"| `{name}` |" in text

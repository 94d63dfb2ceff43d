"""docs/odds.md is what the code would write today."""

from pathlib import Path

from shuffler.odds import page

PAGE = Path(__file__).parents[3] / "docs" / "odds.md"


def test_the_committed_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_page_names_both_figures_that_differ() -> None:
    text = page()
    assert "differs: 10.22479 % rounds to 10.22 %" in text
    assert "differs: a misprint, 820 of 22,100 hands" in text

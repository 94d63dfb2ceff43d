"""The page of odds names what is printed wrong."""

from shuffler.odds import page


def test_the_page_names_both_figures_that_differ() -> None:
    text = page()
    assert "differs: 10.22479 % rounds to 10.22 %" in text
    assert "differs: a misprint, 820 of 22,100 hands" in text

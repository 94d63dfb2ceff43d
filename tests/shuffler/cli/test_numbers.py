"""Numbers on the command line."""

import pytest
import typer

from shuffler.cli.numbers import byte_count, number_list


def test_lists_and_ranges() -> None:
    assert number_list("7", "--x", low=1, high=60) == [7]
    assert number_list("1-3, 10", "--x", low=1, high=60) == [1, 2, 3, 10]


@pytest.mark.parametrize("text", ["", "x", "3-1", "1,,2", "-1", "1-99999999", "0", "61"])
def test_lists_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        number_list(text, "--x", low=1, high=60)


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("1000", 1000), ("64k", 64_000), ("100M", 10**8), ("1 Gi", 2**30), ("2kb", 2000), ("1TiB", 2**40)],
)
def test_sizes(text: str, count: int) -> None:
    assert byte_count(text, "--bytes") == count


@pytest.mark.parametrize("text", ["", "k", "-1", "1.5M", "1x", "ten"])
def test_sizes_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        byte_count(text, "--bytes")

"""Cents inside, dollars outside."""

import pytest

from round_engine.errors import MoneyError
from round_engine.money import cents, dollars, parse_dollars


@pytest.mark.parametrize(
    ("text", "amount"), [("$5", 500), ("$1,000", 100_000), ("$0.50", 50), ("$10,000.01", 1_000_001), ("$0", 0)]
)
def test_dollars_are_read_and_written(text: str, amount: int) -> None:
    assert parse_dollars(text) == amount
    assert dollars(amount) == text


def test_a_debt_has_its_sign_before_the_dollar() -> None:
    assert dollars(-50) == "-$0.50"


@pytest.mark.parametrize("text", ["5", "$", "$1.5", "$1.555", "$1,00", "$-5", "$5 ", "€5", "$1,0000"])
def test_other_texts_are_no_dollars(text: str) -> None:
    with pytest.raises(MoneyError, match="is not an amount of dollars"):
        parse_dollars(text)


@pytest.mark.parametrize("amount", [0.5, 1.0, True, "5", None])
def test_fractional_or_other_than_whole_cents_are_refused(amount: object) -> None:
    with pytest.raises(MoneyError, match="must be whole cents"):
        cents(amount)


def test_negative_cents_are_refused() -> None:
    with pytest.raises(MoneyError, match="must not be negative"):
        cents(-1)

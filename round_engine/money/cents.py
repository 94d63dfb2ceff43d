"""Money is integer cents; dollars exist only where people read or write them."""

import re
from typing import NewType

from round_engine.errors import MoneyError

Cents = NewType("Cents", int)

ZERO = Cents(0)

_DOLLARS = re.compile(r"\$(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{2}))?")


def cents(amount: object, what: str = "amount") -> Cents:
    """The amount as cents; refuses anything but a whole number of them, zero or more."""
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise MoneyError(f"{what} must be whole cents, not {amount!r}")
    if amount < 0:
        raise MoneyError(f"{what} must not be negative, got {amount} cents")
    return Cents(amount)


def parse_dollars(text: str) -> Cents:
    """`"$1,000"` or `"$0.50"` as cents."""
    found = _DOLLARS.fullmatch(text)
    if found is None:
        raise MoneyError(f'{text!r} is not an amount of dollars such as "$5" or "$1,000.50"')
    return Cents(int(found[1].replace(",", "")) * 100 + int(found[2] or 0))


def dollars(amount: int) -> str:
    """Cents as people read them: `$1,000` or `-$0.50`."""
    whole, rest = divmod(abs(amount), 100)
    sign = "-" if amount < 0 else ""
    return f"{sign}${whole:,}.{rest:02d}" if rest else f"{sign}${whole:,}"

"""What a row pays at a stake: exact for one unit, or in whole cents with limits and the cap for real money."""

from dataclasses import dataclass
from fractions import Fraction

from round_engine.errors import RuleError
from round_engine.money import Cents, dollars
from round_engine.rules.ruleset import Pay, PayRow, RuleSet, WagerName

UNIT: Cents = Cents(100)


@dataclass(frozen=True, kw_only=True)
class Stake:
    """A stake in cents. A unit stake is exact and knows no cap; a real one pays as the table would."""

    cents: Cents
    real: bool
    cap: Cents | None = None
    cap_counts_stakes: bool = False

    def pay(self, row: PayRow | None) -> Fraction:
        """Cents paid beside a returned stake."""
        if row is None:
            return Fraction(0)
        if self.real or row.pay is Pay.AMOUNT:
            return Fraction(row.paid(self.cents))
        return self.cents * row.odds if row.pay in (Pay.TO_ONE, Pay.FOR_ONE) else Fraction(0)

    def capped(self, winnings: Fraction, returned: int = 0) -> Fraction:
        """What the cap leaves of a hand's winnings; `returned` are the stakes that go back with them."""
        if self.cap is None:
            return winnings
        room = self.cap - returned if self.cap_counts_stakes else self.cap
        return min(winnings, Fraction(max(room, 0)))


def unit_stake() -> Stake:
    """One unit, for figures that hold at any stake."""
    return Stake(cents=UNIT, real=False)


def real_stake(rules: RuleSet, wager: WagerName, cents: Cents) -> Stake:
    """A stake within the table's limits for that wager, under its cap."""
    limit = rules.house.limits.get(wager)
    low = limit.minimum if limit is not None else None
    high = limit.maximum if limit is not None else None
    if high is None:
        high = rules.house.limit_ceiling
    if cents <= 0:
        raise RuleError(f"a stake is more than {dollars(0)}, not {dollars(cents)}")
    if low is not None and cents < low:
        raise RuleError(f"{rules.id}: {wager} takes at least {dollars(low)}, not {dollars(cents)}")
    if high is not None and cents > high:
        raise RuleError(f"{rules.id}: {wager} takes at most {dollars(high)}, not {dollars(cents)}")
    return Stake(
        cents=cents, real=True, cap=rules.settings.cap, cap_counts_stakes=rules.settings.cap_counts_stakes
    )

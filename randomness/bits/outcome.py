"""How a bit test says its result: the name of the test, and of the p-value where it has several."""

import math

from randomness.result import Null, Outcome, Result


def judged(
    name: str,
    bits: int,
    *,
    statistic: float,
    p: float,
    effect: float | None = None,
    deviation: float | None = None,
    unit: str = "",
) -> Result:
    """A p-value; `deviation` is the effect's standard deviation and gives its 99 % interval."""
    reach = 2.575829 * deviation if deviation is not None else None
    return Result(
        test=name,
        outcome=Outcome.TESTED,
        samples=bits,
        statistic=statistic,
        p=min(1.0, max(0.0, p)),
        null=Null.ASYMPTOTIC,
        effect=effect,
        effect_low=None if effect is None or reach is None else effect - reach,
        effect_high=None if effect is None or reach is None else effect + reach,
        effect_unit=unit,
    )


def too_few(name: str, bits: int, *unmet: str) -> Result:
    """No p-value, and why."""
    return Result(test=name, outcome=Outcome.TOO_FEW, samples=bits, unmet=unmet)


def short(bits: int, least: int) -> str | None:
    """The sentence for a sequence below the test's least length, which is never below one bit."""
    least = max(least, 1)
    return None if bits >= least else f"{bits:,} bits; the test needs at least {least:,}"


def chi_square(observed: list[int], probabilities: tuple[float, ...]) -> float:
    """Pearson's statistic of counts against their probabilities."""
    total = sum(observed)
    return math.fsum(
        (seen - total * chance) ** 2 / (total * chance) for seen, chance in zip(observed, probabilities, strict=True)
    )

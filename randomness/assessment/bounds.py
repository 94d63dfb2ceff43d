"""The 99 % upper bounds that the estimators share."""

import math

Z_ALPHA = 2.5758293035489008
"""The normal quantile at 0.995: SP 800-90B prints 2.576, NIST's tool has all digits."""


def upper_bound(p: float, trials: int) -> float:
    """The bound on a probability seen as the share p of so many trials (6.3.1 step 2), at most 1."""
    return min(1.0, p + Z_ALPHA * math.sqrt(p * (1.0 - p) / (trials - 1)))


def entropy(p: float) -> float:
    """-log2 p, and never a negative zero."""
    return max(0.0, -math.log2(p))

"""SP 800-90B 6.3.1: the most common value."""

import numpy as np

from randomness.assessment.bounds import entropy, upper_bound
from randomness.assessment.estimate import Estimate
from randomness.assessment.samples import Series

NAME, SECTION = "Most Common Value", "6.3.1"


def most_common_value(series: Series) -> Estimate:
    """The share of the commonest sample, bounded from above."""
    mode = int(np.bincount(series.values).max())
    share = mode / len(series)
    bound = upper_bound(share, len(series))
    return Estimate(
        name=NAME,
        section=SECTION,
        figures={"Mode count": mode, "p-hat": share, "p_u": bound},
        min_entropy=entropy(bound),
    )

"""SP 800-90B 6.3.2: how soon a bit comes again. For bits only."""

import math

from randomness.assessment.bounds import Z_ALPHA, entropy
from randomness.assessment.estimate import Estimate, refused
from randomness.assessment.samples import Series

NAME, SECTION = "Collision", "6.3.2"


def collision(series: Series) -> Estimate:
    """The mean wait, bounded from below, is 2 + 2 p (1 - p) for bits of chance p: step 7 without its gamma function."""
    waits = series.engine.waits(series.values)
    if waits.number < 2:
        return refused(NAME, SECTION, f"{waits.number} collisions; the estimate needs two at the least")
    mean = waits.total / waits.number
    deviation = math.sqrt(max(0.0, (waits.squares - waits.total * mean) / (waits.number - 1)))
    bound = max(2.0, mean - Z_ALPHA * deviation / math.sqrt(waits.number))
    p = 0.5 + math.sqrt(1.25 - 0.5 * bound) if bound < 2.5 else 0.5
    return Estimate(
        name=NAME,
        section=SECTION,
        figures={
            "v": waits.number,
            "Sum t_i": waits.total,
            "X-bar": mean,
            "sigma-hat": deviation,
            "X-bar'": bound,
            "p": p,
        },
        min_entropy=entropy(p),
    )

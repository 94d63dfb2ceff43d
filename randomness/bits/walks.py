"""SP 800-22 rev. 1a, sections 2.13 to 2.15: the walk of +1 for a one and -1 for a zero."""

import math

from randomness.bits.engine import CYCLE_STATES, MOST_VISITS, VISIT_STATES, Walk
from randomness.bits.outcome import chi_square, judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.result import Result
from randomness.special import chi_square_tail, normal_below, normal_two_sided

_LEAST_CYCLES = 500  # section 2.14.4: J >= max(0.005 sqrt(n), 500)


def cumulative_sums(bits: Bits, *, least_bits: int = 100) -> tuple[Result, Result]:
    """Section 2.13: the farthest the walk gets from its start, and, backwards, from its end."""
    n = len(bits)
    if unmet := short(n, least_bits):
        return too_few("cumulative-sums/forward", n, unmet), too_few("cumulative-sums/backward", n, unmet)
    walk = bits.walk
    forward = max(walk.highest, -walk.lowest)
    backward = max(walk.highest - walk.end, walk.end - walk.lowest)
    return (
        judged("cumulative-sums/forward", n, statistic=forward, p=farthest_tail(forward, n)),
        judged("cumulative-sums/backward", n, statistic=backward, p=farthest_tail(backward, n)),
    )


def farthest_tail(distance: int, n: int) -> float:
    """P(the walk of n steps gets at least so far): the sums of section 3.13, to the last term that counts."""
    step = distance / math.sqrt(n)
    terms = range(-math.ceil((10.0 / step + 3.0) / 4.0), math.ceil((10.0 / step + 3.0) / 4.0) + 1)
    stays = math.fsum(normal_below((4 * k + 1) * step) - normal_below((4 * k - 1) * step) for k in terms)
    crosses = math.fsum(normal_below((4 * k + 3) * step) - normal_below((4 * k + 1) * step) for k in terms)
    return 1.0 - stays + crosses


def random_excursions(
    bits: Bits, *, least_bits: int = 1_000_000, least_cycles: int = _LEAST_CYCLES
) -> tuple[Result, ...]:
    """Section 2.14: the number of visits to each of eight states within a cycle, one p-value a state."""
    names = tuple(f"random-excursions/{state:+d}" for state in CYCLE_STATES)
    n = len(bits)
    unmet = short(n, least_bits) or _few_cycles(bits.walk, n, least_cycles)
    if unmet:
        return tuple(too_few(name, n, unmet) for name in names)
    walk = bits.walk
    statistics = [
        chi_square(seen.tolist(), visit_law(state)) for state, seen in zip(CYCLE_STATES, walk.cycle_visits, strict=True)
    ]
    return tuple(
        judged(name, n, statistic=statistic, p=chi_square_tail(statistic, MOST_VISITS))
        for name, statistic in zip(names, statistics, strict=True)
    )


def visit_law(state: int) -> tuple[float, ...]:
    """P(a cycle visits `state` 0, 1, 2, 3, 4 times, or more often): section 3.14."""
    leave = 1.0 / (2.0 * abs(state))
    once = [leave * leave * (1.0 - leave) ** (k - 1) for k in range(1, MOST_VISITS)]
    return (1.0 - leave, *once, leave * (1.0 - leave) ** (MOST_VISITS - 1))


def random_excursions_variant(
    bits: Bits, *, least_bits: int = 1_000_000, least_cycles: int = _LEAST_CYCLES
) -> tuple[Result, ...]:
    """Section 2.15: all visits to each of eighteen states, one p-value a state."""
    names = tuple(f"random-excursions-variant/{state:+d}" for state in VISIT_STATES)
    n = len(bits)
    unmet = short(n, least_bits) or _few_cycles(bits.walk, n, least_cycles)
    if unmet:
        return tuple(too_few(name, n, unmet) for name in names)
    cycles = bits.walk.cycles
    results = []
    for name, state, seen in zip(names, VISIT_STATES, bits.walk.visits.tolist(), strict=True):
        z = (seen - cycles) / math.sqrt(cycles * (4.0 * abs(state) - 2.0))
        results.append(judged(name, n, statistic=float(seen), p=normal_two_sided(z)))
    return tuple(results)


def _few_cycles(walk: Walk, n: int, least_cycles: int) -> str | None:
    least = max(math.ceil(0.005 * math.sqrt(n)), least_cycles)
    return None if walk.cycles >= least else f"{walk.cycles:,} cycles; the test needs at least {least:,}"

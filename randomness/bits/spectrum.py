"""SP 800-22 rev. 1a, section 2.6: peaks of the discrete Fourier transform."""

import math

import numpy as np

from randomness.bits.outcome import judged, short, too_few
from randomness.bits.sequence import Bits
from randomness.result import Result
from randomness.special import normal_two_sided

_ABOVE = 0.05  # the share of peaks above the threshold
_THRESHOLD = math.log(1.0 / _ABOVE)  # of |X|²/n, which is exponential


def spectral(bits: Bits, *, least_bits: int = 1_000, corrected: bool = False) -> tuple[Result]:
    """Section 2.6: the share of the first n/2 peaks below the 95 % threshold.

    The standard's variance, n * 0.95 * 0.05 / 4, is a fit. `corrected` derives it: the squared peaks of ±1 add up to a
    constant (Parseval), so the count's variance loses its covariance with that sum, (T exp(-T))² a peak with T = ln 20:
    n/2 * (0.95 * 0.05 - (0.05 ln 20)²) = n * 0.95 * 0.05 / 3.79.
    """
    n = len(bits)
    if unmet := short(n, max(least_bits, 2)):
        return (too_few("spectral", n, unmet),)
    half = n // 2
    spectrum = np.fft.rfft(bits.values)[:half]  # of 0 and 1: half of that of ±1, but for the first, the sum
    spectrum[0] = bits.ones - n / 2.0
    parts = spectrum.view(np.float64)
    np.square(parts, out=parts)
    below = int(np.count_nonzero(parts[0::2] + parts[1::2] < _THRESHOLD * n / 4.0))
    expected = (1.0 - _ABOVE) * n / 2.0
    variance = n * _ABOVE * (1.0 - _ABOVE) / 4.0
    if corrected:
        variance = n / 2.0 * (_ABOVE * (1.0 - _ABOVE) - (_ABOVE * _THRESHOLD) ** 2)
    z = (below - expected) / math.sqrt(variance)
    return (
        judged(
            "spectral",
            n,
            statistic=z,
            p=normal_two_sided(z),
            effect=(below - expected) / half,
            deviation=math.sqrt(variance) / half,
            unit="share of peaks below the threshold minus 0.95",
        ),
    )

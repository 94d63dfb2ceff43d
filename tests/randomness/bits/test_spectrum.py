"""Section 2.6."""

import numpy as np
import pytest

from randomness.bits import Bits, spectral


def test_2_6_8_first_hundred_bits_of_pi_with_the_erratum(first_100_of_pi: Bits) -> None:
    """The document prints N1 = 46 and p = 0.168669; its own formulas, and NIST's code, give N1 = 48 and 0.646355."""
    (result,) = spectral(first_100_of_pi, least_bits=100)
    assert result.p == pytest.approx(0.646355, abs=6e-7)
    assert result.effect == pytest.approx((48 - 47.5) / 50)


def test_the_corrected_variance_is_that_of_simulated_spectra() -> None:
    """Pooled over 400 sequences of 4,096 bits the variance is known to 7 %; the two candidates differ by 5.5 %."""
    rng = np.random.default_rng(8)
    n, sequences = 4_096, 400
    standard = [spectral(Bits(rng.integers(0, 2, n, dtype=np.uint8), compiled=False))[0] for _ in range(sequences)]
    spread = np.var([result.effect for result in standard]) * (n / 2) ** 2 / n
    derived = 0.5 * (0.0475 - (0.05 * np.log(20.0)) ** 2)
    assert derived == pytest.approx(0.0475 / 3.7903, rel=1e-4)
    assert spread == pytest.approx(derived, rel=0.2)
    narrow, wide = standard[0], spectral(Bits(rng.integers(0, 2, n, dtype=np.uint8), compiled=False), corrected=True)[0]
    assert wide.effect_high - wide.effect == pytest.approx(  # type: ignore[operator]
        (narrow.effect_high - narrow.effect) * np.sqrt(4 / 3.7903),
        rel=1e-4,  # type: ignore[operator]
    )

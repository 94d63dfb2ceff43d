"""Section 2.9."""

import numpy as np
import pytest

from randomness.bits import Bits, universal
from randomness.bits.maurer import UNIVERSAL_LAWS, _lag_sums, exact_spread
from randomness.errors import BitsError


def test_the_table_of_least_lengths() -> None:
    assert [law.least_bits for law in UNIVERSAL_LAWS] == [1010 * 2**law.length * law.length for law in UNIVERSAL_LAWS]


@pytest.mark.parametrize("law", UNIVERSAL_LAWS[:3])
def test_the_tables_mean_and_variance_are_those_of_geometric_distances(law: object) -> None:
    values = 2**law.length  # type: ignore[attr-defined]
    distance = np.arange(1, 60 * values)
    chance = (1 / values) * (1 - 1 / values) ** (distance - 1.0)
    assert np.dot(chance, np.log2(distance)) == pytest.approx(law.mean, abs=6e-8)  # type: ignore[attr-defined]
    assert _lag_sums(law.length).variance == pytest.approx(law.variance, abs=1e-3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("length", "d", "e"), [(3, 0.2732725, 0.4890883), (6, 0.3489769, 0.3941338), (7, 0.3631815, 0.3813210)]
)
def test_covariances_give_the_constants_of_coron_and_naccache(length: int, d: float, e: float) -> None:
    """Their table: spread² = (d + e 2^L / K) variance / K."""
    sums = _lag_sums(length)
    assert 1 + 2 * sums.covariances / sums.variance == pytest.approx(d, abs=6e-8)
    assert -2 * sums.weighted / sums.variance / 2**length == pytest.approx(e, abs=6e-8)


def test_the_exact_spread_is_that_of_simulated_sequences() -> None:
    rng = np.random.default_rng(4)
    length, first, blocks, sequences = 6, 640, 4_000, 300
    means = []
    for _ in range(sequences):
        bits = Bits(rng.integers(0, 2, length * (first + blocks), dtype=np.uint8), compiled=False)
        means.append(universal(bits, length=length, warm_up=first)[0].effect)
    assert np.std(means) == pytest.approx(exact_spread(length, blocks), rel=0.15)


def test_a_length_out_of_the_table_is_refused() -> None:
    with pytest.raises(BitsError, match="6 to 16"):
        universal(Bits([0, 1], compiled=False), length=5)

"""The published example inputs: pi and e in binary, integer part first, as the standard's data files have them."""

import mpmath
import pytest

from randomness.bits import Bits


def binary_digits(constant: "mpmath.mpf", count: int) -> str:
    with mpmath.workprec(count + 64):
        return bin(int(mpmath.floor(mpmath.ldexp(+constant, count))))[2 : 2 + count]


@pytest.fixture(scope="session")
def pi_bits() -> str:
    return binary_digits(mpmath.pi, 1_000_000)


@pytest.fixture(scope="session")
def e_bits() -> str:
    return binary_digits(mpmath.e, 1_000_000)


@pytest.fixture(scope="session")
def first_100_of_pi() -> Bits:
    return Bits.from_text(binary_digits(mpmath.pi, 100), compiled=False)

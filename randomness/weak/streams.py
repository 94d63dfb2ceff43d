"""Planted defects as byte streams: generators that nobody should deal cards with. For negative controls only."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from randomness.errors import BadParameter
from randomness.kernels.imperfections import BiasedSource, StuckSource
from randomness.source import RandomSource

BLOCK = 1 << 14
"""States that one step of the vectorised recurrence makes."""


class StreamDefect(Protocol):
    """A frozen dataclass whose fields are the parameters; `open` gives the bad source, seeded from a good one."""

    name: ClassVar[str]

    def open(self, inner: RandomSource) -> RandomSource:
        """The source; it keeps its own state."""
        ...


class _Congruential:
    """x -> multiplier * x + increment mod modulus; the upper `keep` of `width` bits of each state, as a bit stream."""

    def __init__(self, state: int, multiplier: int, increment: int, modulus: int, width: int, keep: int) -> None:
        self._state = state
        self._modulus = np.uint64(modulus)
        self._width, self._keep = width, keep
        factors, shifts = [], []
        factor, shift = 1, 0
        for _ in range(BLOCK):
            factor, shift = factor * multiplier % modulus, (shift * multiplier + increment) % modulus
            factors.append(factor)
            shifts.append(shift)
        self._factors, self._shifts = np.array(factors, np.uint64), np.array(shifts, np.uint64)
        self._bits: NDArray[np.uint8] = np.empty(0, np.uint8)

    def generate(self, n: int) -> bytes:
        """`n` bytes; requests of any sizes give one and the same stream."""
        parts, have = [self._bits], len(self._bits)
        while have < 8 * n:
            states = (self._factors * np.uint64(self._state) + self._shifts) % self._modulus
            self._state = int(states[-1])
            octets = states.astype(">u8").view(np.uint8).reshape(-1, 8)
            first = 64 - self._width
            bits = np.unpackbits(octets, axis=1)[:, first : first + self._keep]
            parts.append(bits.reshape(-1))
            have += bits.size
        stream = np.concatenate(parts)
        self._bits = stream[8 * n :].copy()
        return np.packbits(stream[: 8 * n]).tobytes()


def _check_keep(keep: int, width: int) -> None:
    if not 1 <= keep <= width:
        raise BadParameter(f"1 to {width} bits of each state can be kept, not {keep}")


def _seed(inner: RandomSource) -> int:
    return int.from_bytes(inner.generate(8), "little")


@dataclass(frozen=True, kw_only=True)
class Lcg:
    """x -> 1664525 x + 1013904223 mod 2^32 (Numerical Recipes), the upper `keep` bits of each state.

    Predicted: bit k of the state has period 2^(k+1), so with all 32 bits kept every fourth byte repeats after 256
    states: the spectral test of SP 800-22 fails at 10^6 bits, the other fourteen pass, and card x position of decks
    shuffled from eight states each fails within a hundred decks. With the upper 16 bits or fewer all fifteen pass: for
    outside testers.
    """

    name: ClassVar[str] = "lcg"
    keep: int = 32

    def __post_init__(self) -> None:
        _check_keep(self.keep, 32)

    def open(self, inner: RandomSource) -> RandomSource:
        """Seeded with 32 bits."""
        return _Congruential(_seed(inner) % 2**32, 1664525, 1013904223, 2**32, 32, self.keep)


@dataclass(frozen=True, kw_only=True)
class Minstd:
    """x -> multiplier x mod 2^31 - 1 (Park and Miller), the upper `keep` bits of each 31-bit state.

    Predicted: no short cycles in any bit; SP 800-22 at 10^6 bits passes it, and so does the deck battery. Each state
    fixes the next, pairs of states lie on `multiplier` lines and the period is 2^31 - 2: for outside testers with
    hundreds of megabytes, and for code review.
    """

    name: ClassVar[str] = "minstd"
    multiplier: int = 16807
    keep: int = 31

    def __post_init__(self) -> None:
        _check_keep(self.keep, 31)
        if not 2 <= self.multiplier < 2**31 - 1:
            raise BadParameter(f"a multiplier from 2 to 2^31 - 2, not {self.multiplier}")

    def open(self, inner: RandomSource) -> RandomSource:
        """Seeded with a state that is not 0."""
        return _Congruential(1 + _seed(inner) % (2**31 - 2), self.multiplier, 0, 2**31 - 1, 31, self.keep)


@dataclass(frozen=True, kw_only=True)
class Randu:
    """x -> 65539 x mod 2^31 from an odd seed (IBM's RANDU), the upper `keep` bits of each 31-bit state.

    Predicted: with all bits kept the lowest is always 1, the next alternates, the third never changes: runs, spectral
    test and templates fail at 10^6 bits, frequency too where the third is 1. x'' = 6 x' - 9 x, so three numbers in a
    row lie on 15 planes, which a serial test of triples of the upper bits sees; SP 800-22 passes the upper 16 alone.
    Decks show it within about a thousand (each card's positions).
    """

    name: ClassVar[str] = "randu"
    keep: int = 31

    def __post_init__(self) -> None:
        _check_keep(self.keep, 31)

    def open(self, inner: RandomSource) -> RandomSource:
        """Seeded with an odd state."""
        return _Congruential(_seed(inner) % 2**31 | 1, 65539, 0, 2**31, 31, self.keep)


@dataclass(frozen=True, kw_only=True)
class JavaRandom:
    """java.util.Random: x -> 25214903917 x + 11 mod 2^48, the upper `keep` of 48 bits (nextInt gives 32).

    Predicted: the lowest of 32 bits given has period 2^17 and follows a recurrence of 65,537, which the word test of
    `shuffler bits --beyond` finds in 4.3 million bits; with 31 bits or fewer kept nothing here does. Two outputs give
    the state away to anybody who tries 2^16 guesses: for code review.
    """

    name: ClassVar[str] = "java-random"
    keep: int = 32

    def __post_init__(self) -> None:
        _check_keep(self.keep, 48)

    def open(self, inner: RandomSource) -> RandomSource:
        """Seeded with 48 bits, as Random's own constructor ends up with."""
        return _Congruential(_seed(inner) % 2**48, 25214903917, 11, 2**48, 48, self.keep)


@dataclass(frozen=True, kw_only=True)
class Mt19937:
    """The Mersenne twister MT19937, 32-bit words, lowest byte first: the usual generator of many languages.

    Predicted: SP 800-22 passes it at any size, and so do decks. Every bit of its words follows a recurrence of 19,937
    bits, which the word test of `shuffler bits --beyond` finds in 1,310,720 bits.
    """

    name: ClassVar[str] = "mt19937"

    def open(self, inner: RandomSource) -> RandomSource:
        """Seeded with 32 bits, as init_genrand does."""
        return _Twister(_seed(inner) % 2**32)


class _Twister:
    def __init__(self, seed: int) -> None:
        self._words = np.random.RandomState(seed)
        self._left = b""

    def generate(self, n: int) -> bytes:
        """`n` bytes; requests of any sizes give one and the same stream."""
        more = max(0, -(-(n - len(self._left)) // 4))
        data = self._left + self._words.randint(0, 2**32, more, dtype=np.uint32).astype("<u4").tobytes()
        self._left = data[n:]
        return data[:n]


@dataclass(frozen=True, kw_only=True)
class ShortPeriod:
    """A good stream that starts again after `period` bytes.

    Predicted: with 32 bytes a deck, whole decks come again after period / gcd(period, 32) decks (refused words shift
    that a little); the duplicates test finds it at the first repeat, the bit battery once a sequence spans two periods.
    """

    name: ClassVar[str] = "short-period"
    period: int = 65536

    def __post_init__(self) -> None:
        if not 1 <= self.period <= 2**26:
            raise BadParameter(f"a period of 1 to 2^26 bytes, not {self.period}")

    def open(self, inner: RandomSource) -> RandomSource:
        """The first `period` bytes of the good source, over and over."""
        return _Loop(inner.generate(self.period))


class _Loop:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._next = 0

    def generate(self, n: int) -> bytes:
        """`n` bytes."""
        start = self._next
        self._next = (start + n) % len(self._data)
        rounds = -(-(start + n) // len(self._data))
        return (self._data * rounds)[start : start + n]


@dataclass(frozen=True, kw_only=True)
class StuckBit:
    """Bit `bit` of every 64-bit word reads `value`.

    Predicted: ones are 1/128 too frequent overall, which the frequency test sees within 5·10^4 bits at level 0.01. In a
    deck the upper bits steer the first dice of each of its four words: a noncentrality of card x position a deck of 2.0
    for bit 63 (120 decks at power 0.8), 1.5 for bit 60, 0.63 for bit 57, 0.006 for bit 50 and none for the lowest.
    """

    name: ClassVar[str] = "stuck-bit"
    bit: int = 0
    value: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.bit <= 63 or self.value not in (0, 1):
            raise BadParameter(f"a bit from 0 to 63 stuck at 0 or 1, not bit {self.bit} at {self.value}")

    def open(self, inner: RandomSource) -> RandomSource:
        """The good source with one bit stuck."""
        return StuckSource(inner, self.bit, self.value)


@dataclass(frozen=True, kw_only=True)
class BiasedBits:
    """Every bit is 1 with probability 1/2 + `bias`.

    Predicted: the frequency test at level alpha and power 0.8 needs (z_alpha/2 + 0.84)^2 / (4 bias^2) bits.
    """

    name: ClassVar[str] = "biased-bits"
    bias: float = 0.01

    def __post_init__(self) -> None:
        if not -0.5 <= self.bias <= 0.5:
            raise BadParameter(f"a bias from -0.5 to 0.5, not {self.bias}")

    def open(self, inner: RandomSource) -> RandomSource:
        """The good source, pushed."""
        return BiasedSource(inner, self.bias)

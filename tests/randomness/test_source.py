"""The seam to random bytes."""

from randomness.drbg import DrbgSource
from randomness.source import FillingSource, RandomSource, read_words
from randomness.sources import seeded_source


class Plain:
    """A source without `fill`."""

    def __init__(self) -> None:
        self._inner = seeded_source(1)

    def generate(self, n: int) -> bytes:
        return self._inner.generate(n)


def test_words_are_little_endian_and_the_same_with_and_without_fill() -> None:
    plain, filling = Plain(), seeded_source(1)
    assert isinstance(plain, RandomSource)
    assert not isinstance(plain, FillingSource)
    assert isinstance(filling, FillingSource)
    words = read_words(plain, 100)
    assert words.tolist() == read_words(filling, 100).tolist()
    assert int(words[0]) == int.from_bytes(seeded_source(1).generate(800)[:8], "little")


def test_a_drbg_source_is_a_random_source() -> None:
    assert isinstance(seeded_source(1), DrbgSource)

"""Every word of the vocabulary is explained, and nothing else is."""

from enum import IntEnum, IntFlag

import pytest

from protocol import vocabulary
from protocol.render.words import WORDS, numbers_of

ENUMERATIONS = [
    kind
    for kind in vars(vocabulary).values()
    if isinstance(kind, type) and issubclass(kind, IntEnum | IntFlag) and kind not in (IntEnum, IntFlag)
]


def test_every_enumeration_is_there() -> None:
    assert set(WORDS) == set(ENUMERATIONS)


@pytest.mark.parametrize("kind", ENUMERATIONS, ids=lambda kind: kind.__name__)
def test_every_word_is_explained_and_nothing_else(kind: type[IntEnum]) -> None:
    assert list(WORDS[kind]) == list(numbers_of(kind)), "add the new word to protocol/render/words.py, in order"
    assert all(WORDS[kind].values())


@pytest.mark.parametrize("kind", [it for it in ENUMERATIONS if issubclass(it, IntEnum)], ids=lambda kind: kind.__name__)
def test_numbers_have_no_gaps(kind: type[IntEnum]) -> None:
    numbers = list(numbers_of(kind).values())
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

"""The reference, header and vectors are rendered the same each time."""

import pytest

from protocol.render import DOCUMENTS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rendering_twice_gives_the_same(name: str) -> None:
    assert DOCUMENTS[name]() == DOCUMENTS[name]()

"""The committed reference, header and vectors are what the code renders."""

from pathlib import Path

import pytest

from protocol.render import DOCUMENTS

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_committed_document_is_what_the_code_renders(name: str) -> None:
    committed = (DOCS / name).read_bytes()
    assert committed == DOCUMENTS[name]().encode(), f"docs/{name} is stale: run `shuffler protocol docs` and commit it"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rendering_twice_gives_the_same(name: str) -> None:
    assert DOCUMENTS[name]() == DOCUMENTS[name]()

"""construct's Structs follow the declarations."""

import pytest

from protocol import messages as m
from protocol.catalogue import CATALOGUE, RECORDS
from protocol.codec import encode_body
from protocol.framing import HEADER_SIZE, pack_header
from protocol.layout import Fixed, Int, layout
from protocol.render.examples import typical
from protocol.structs import HEADER, struct_of


@pytest.mark.parametrize("kind", [*RECORDS, *(entry.body for entry in CATALOGUE)], ids=lambda kind: kind.__name__)
def test_fixed_bodies_have_the_size_that_construct_gives_them(kind: type) -> None:
    kinds = [field.kind for field in layout(kind)]
    if all(isinstance(each, Int | Fixed) for each in kinds):
        assert struct_of(kind).sizeof() == sum(each.size for each in kinds if isinstance(each, Int | Fixed))


def test_a_body_parses_with_construct_alone() -> None:
    parsed = struct_of(m.Games).parse(encode_body(typical(m.Games)))
    assert (parsed.selected, [game.name for game in parsed.games]) == (1, ["Three Card Poker", "Five-card stud"])


def test_the_header_parses_with_construct_alone() -> None:
    assert HEADER.sizeof() == HEADER_SIZE
    parsed = HEADER.parse(pack_header(1, 2, 3, 4, 5, 6))
    assert [parsed[name] for name in ("flags", "message", "session", "request")] == [1, 2, 3, 6]

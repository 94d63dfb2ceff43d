"""Hypothesis values of any message, made from its layout."""

from enum import IntEnum

from hypothesis import strategies as st

from protocol.layout import Blob, Codes, Field, Fixed, Int, Nested, Records, Text, layout

LONGEST = 300  # of a blob or a list of cards: beyond a COBS block, and three of them still fit a body


def values(kind: type) -> st.SearchStrategy:
    """Any value of a message or record that fits the wire."""
    return st.builds(kind, **{field.name: _field(field) for field in layout(kind)})


def _field(field: Field) -> st.SearchStrategy:
    match field.kind:
        case Int(size, kind):
            return _number(size, kind)
        case Fixed(size):
            return st.binary(min_size=size, max_size=size)
        case Blob(prefix):
            return st.binary(max_size=255 if prefix == 1 else LONGEST)
        case Text():
            return st.text(max_size=63)  # at most 4 bytes a character
        case Codes():
            return st.lists(st.integers(0, 255), max_size=LONGEST).map(tuple)
        case Nested(inner):
            return values(inner)
        case Records(_, inner):
            return st.lists(values(inner), max_size=4).map(tuple)


def _number(size: int, kind: type) -> st.SearchStrategy:
    if kind is bool:
        return st.booleans()
    if issubclass(kind, IntEnum):
        return st.sampled_from(kind)
    return st.integers(0, (1 << 8 * size) - 1).map(kind)

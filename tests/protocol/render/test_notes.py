"""Every field is explained, and no note is left over."""

import pytest

from protocol.layout import RECORDS, layout
from protocol.render.notes import COMMON, SPECIFIC, note
from protocol.wire import BODIES

KINDS = [*BODIES, *RECORDS]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_is_explained(kind: type) -> None:
    missing = [field.name for field in layout(kind) if not note(kind, field.name)]
    assert not missing, "explain them in protocol/render/notes.py"


def test_no_note_is_left_over() -> None:
    fields = {kind: {field.name for field in layout(kind)} for kind in KINDS}
    assert not [(kind.__name__, name) for kind, notes in SPECIFIC.items() for name in notes if name not in fields[kind]]
    used = {name for kind, names in fields.items() for name in names - set(SPECIFIC.get(kind, {}))}
    assert set(COMMON) == used & set(COMMON)

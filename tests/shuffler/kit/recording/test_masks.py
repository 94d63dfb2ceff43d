"""The masks: no name that does not exist, and a decision for every field that could be random."""

import pytest

from protocol import messages as m
from protocol.catalogue import CATALOGUE, RECORDS
from protocol.layout import Blob, Fixed, layout
from shuffler.kit.recording.masks import MASKED, reason

KINDS = (*RECORDS, *(entry.body for entry in CATALOGUE))

# Bytes that say the same in every run of the same conversation.
COMPARED = {(m.Hello, "fingerprint"), (m.Welcome, "fingerprint")}


@pytest.mark.parametrize("kind", MASKED)
def test_every_masked_field_exists(kind: type) -> None:
    assert set(MASKED[kind]) <= {field.name for field in layout(kind)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_bytes_is_either_masked_or_known_to_repeat(kind: type) -> None:
    for field in layout(kind):
        if isinstance(field.kind, Fixed | Blob):
            assert (reason(kind, field.name) is None) == ((kind, field.name) in COMPARED), field.name


def test_cards_rounds_and_faults_are_never_masked() -> None:
    for kind, name in (
        (m.Opening, "cards"), (m.GroupRemoved, "seat"), (m.FaultRaised, "code"), (m.BeginRound, "seats"),
        (m.ShuffleCompleted, "count"), (m.GroupReady, "number"), (m.Info, "serial"),
    ):  # fmt: skip
        assert reason(kind, name) is None

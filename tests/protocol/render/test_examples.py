"""Examples: every message has a least, a typical, a filled and a largest one that say something."""

import pytest

from protocol import messages as m
from protocol.catalogue import CATALOGUE, CatalogueEntry
from protocol.codec import encode_body
from protocol.commitment import opens
from protocol.framing import VERSION
from protocol.layout import layout
from protocol.log_chain import first_broken
from protocol.render.examples import all_examples, examples, filled, largest, least, typical
from protocol.story import commitment, context
from protocol.stream import WINDOW

every_kind = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)


@every_kind
def test_every_message_has_a_typical_example(entry: CatalogueEntry) -> None:
    assert examples(entry)[0].name == "typical"


@every_kind
def test_examples_of_a_message_with_fields_differ(entry: CatalogueEntry) -> None:
    bodies = [example.frame.body for example in examples(entry)]
    assert len(set(bodies)) == len(bodies)
    assert len(bodies) == 1 if not layout(entry.body) else len(bodies) >= 2


@every_kind
def test_the_least_is_the_shortest_and_the_largest_the_longest(entry: CatalogueEntry) -> None:
    sizes = [len(encode_body(kind(entry.body))) for kind in (least, filled, largest)]
    assert sizes == sorted(sizes)


def test_a_filled_body_counts_up_through_its_numbers() -> None:
    assert encode_body(filled(m.BeginRound)) == bytes([1, 2, 3, 4, 5, 6])
    assert encode_body(filled(m.Verified))[:34] == bytes(range(1, 35))


def test_the_story_holds_together() -> None:
    root = typical(m.ShuffleCompleted).root
    for opening in (typical(m.GroupRemoved).opening, typical(m.HandDisclosed).opening, typical(m.Stub).opening):
        assert opens(context(), root, opening)
        assert opening.cards == commitment().codes[opening.first : opening.first + len(opening.cards)]
    assert first_broken(typical(m.LogPage).lines) is None
    assert typical(m.Counters).log_head == typical(m.LogPage).lines[-1].hash
    assert typical(m.Hello).version_max == typical(m.Welcome).version == VERSION
    assert typical(m.Hello).window == typical(m.Welcome).window == WINDOW


def test_headers_are_what_a_sender_would_write() -> None:
    for example in all_examples():
        frame = example.frame
        if isinstance(example.message, m.Hello | m.Welcome | m.Reset | m.Ack | m.Heartbeat):
            assert frame.sequence == 0
        else:
            assert frame.sequence > 0
        if isinstance(example.message, m.Event | m.AckEvents):
            assert frame.request == 0
        elif example.entry.effect:
            assert frame.request > 0

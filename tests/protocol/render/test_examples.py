"""Examples: every message has a least, a typical, a filled and a largest one that say something."""

import pytest

from protocol import messages as m
from protocol.catalogue import CATALOGUE, CatalogueEntry
from protocol.codec import encode_body
from protocol.layout import layout
from protocol.render.examples import all_examples, examples, filled, largest, least

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

"""The catalogue is total: every message has a row, a layout, a number of its own and a reply that exists."""

from dataclasses import replace

import pytest

from protocol import catalogue
from protocol import messages as m
from protocol.catalogue import (
    BY_NUMBER,
    CATALOGUE,
    RECORDS,
    CatalogueEntry,
    Chapter,
    Needs,
    Way,
    fingerprint,
    needing,
)

REPLY_BIT = 0x80

every_entry = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)


def test_the_catalogue_has_every_message_in_the_order_of_the_reference() -> None:
    declared = [kind for kind in vars(m).values() if isinstance(kind, type) and "entry" in vars(kind)]
    assert {entry.body for entry in CATALOGUE} == set(declared)
    assert [entry.name for entry in CATALOGUE][:11] == [
        "Hello", "Welcome", "Reset", "Ack", "Heartbeat", "Done", "Error", "AskFate", "FateTold", "GetInfo", "Info"
    ]  # fmt: skip


def test_commands_name_the_state_that_they_need() -> None:
    assert needing(Needs.HEALTH) < needing(Needs.PLAY) < needing(Needs.POWER)
    assert m.BeginRound in needing(Needs.HEALTH)
    assert m.SelectGame in needing(Needs.PLAY) - needing(Needs.HEALTH)
    assert m.VoidRound in needing(Needs.POWER) - needing(Needs.PLAY)
    assert m.GetStatus not in needing(Needs.POWER)


def test_records_are_no_messages() -> None:
    assert not [kind for kind in RECORDS if issubclass(kind, m.Message)]


def test_numbers_names_and_bodies_are_unique() -> None:
    assert len(BY_NUMBER) == len({entry.name for entry in CATALOGUE}) == len(CATALOGUE)
    assert all(0 < entry.number < 0x100 for entry in CATALOGUE)


@every_entry
def test_a_reply_is_a_message_of_the_device(entry: CatalogueEntry) -> None:
    if entry.reply is not None:
        assert entry.way is Way.HOST
        assert entry.reply.entry.way is Way.DEVICE


@every_entry
def test_a_reply_of_its_own_has_the_number_of_its_command_with_the_high_bit(entry: CatalogueEntry) -> None:
    if entry.reply not in (None, m.Done, m.Welcome):
        assert entry.reply.entry.number == entry.number | REPLY_BIT


@every_entry
def test_only_what_the_host_sends_has_effects_and_needs_roles(entry: CatalogueEntry) -> None:
    if entry.effect or entry.roles:
        assert entry.way is Way.HOST
        assert entry.chapter is not Chapter.LINK
        assert entry.reply is not None


@every_entry
def test_every_command_but_the_acknowledgement_of_events_has_a_reply(entry: CatalogueEntry) -> None:
    if entry.way is Way.HOST:
        assert (entry.reply is None) == (entry.body is m.AckEvents)


@every_entry
def test_every_answer_answers_something(entry: CatalogueEntry) -> None:
    if entry.way is Way.DEVICE and entry.chapter not in (Chapter.EVENT, Chapter.LINK) and entry.body is not m.Error:
        assert [other.name for other in CATALOGUE if other.reply is entry.body]


@every_entry
def test_events_are_in_their_group_and_nothing_else_is(entry: CatalogueEntry) -> None:
    assert issubclass(entry.body, m.Event) == (entry.chapter is Chapter.EVENT)
    if entry.chapter is Chapter.EVENT:
        assert entry.way is Way.DEVICE


def test_what_names_undealt_or_earlier_cards_needs_a_supervisor() -> None:
    assert [role.name for role in m.ReadStub.entry.roles] == ["SUPERVISOR"]
    assert [role.name for role in m.RecallHand.entry.roles] == ["SUPERVISOR"]


def test_the_fingerprint_changes_with_a_number_a_name_and_a_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    first = fingerprint()
    seen = {first}
    assert len(first) == 8
    moved = (replace(CATALOGUE[0], number=0x7F), *CATALOGUE[1:])
    swapped = (replace(CATALOGUE[0], body=m.Verify), *CATALOGUE[1:])
    for changed in (moved, swapped, CATALOGUE[1:]):
        monkeypatch.setattr(catalogue, "CATALOGUE", changed)
        seen.add(fingerprint.__wrapped__())
    assert len(seen) == 4
    monkeypatch.setattr(catalogue, "CATALOGUE", tuple(replace(entry, durable=True) for entry in CATALOGUE))
    assert fingerprint.__wrapped__() == first

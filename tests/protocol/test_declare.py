"""Declarations: what a decorator and a field state is what every reader gets."""

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from protocol import messages as m
from protocol.catalogue import CATALOGUE, RECORDS, CatalogueEntry
from protocol.declare import Chapter, Message, Needs, Way, command, u8
from protocol.layout import is_fixed, layout
from protocol.render.examples import typical
from protocol.vocabulary import FlagWord, Role, Word

every_entry = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
every_kind = pytest.mark.parametrize(
    "kind", [*RECORDS, *(entry.body for entry in CATALOGUE)], ids=lambda kind: kind.__name__
)


@every_kind
def test_every_field_states_its_type_and_its_meaning(kind: type) -> None:
    assert [field.name for field in layout(kind)] == [field.name for field in fields(kind)]
    assert not [field.name for field in layout(kind) if not field.meaning]
    assert not [field.name for field in layout(kind) if field.meaning.endswith(".")]


@every_kind
def test_fields_of_fixed_size_come_first(kind: type) -> None:
    fixed = [is_fixed(field.kind) for field in layout(kind)]
    assert fixed == sorted(fixed, reverse=True)


@every_kind
def test_every_word_of_an_enumeration_fits_its_field(kind: type) -> None:
    for field in layout(kind):
        of = getattr(field.kind, "type", None)
        if isinstance(of, type) and issubclass(of, Word | FlagWord):
            assert max(of) < 1 << 8 * field.kind.size, field.name  # type: ignore[union-attr]


@every_kind
def test_values_are_frozen_and_without_a_dictionary(kind: type) -> None:
    assert "__dict__" not in dir(kind)
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


@every_entry
def test_every_message_has_an_example_and_says_in_sentences_what_it_means(entry: CatalogueEntry) -> None:
    assert type(typical(entry.body)) is entry.body
    assert entry.meaning[0].isupper()
    assert entry.meaning.endswith(".")
    assert len(entry.meaning) <= 120


def test_a_message_knows_its_declaration() -> None:
    entry = m.BeginRound.entry
    assert (entry.number, entry.name, entry.chapter, entry.way) == (0x30, "BeginRound", Chapter.DEAL, Way.HOST)
    assert entry.reply is m.Done
    assert entry.effect
    assert m.BeginRound(round=1, seats=1).entry is entry


def test_a_declared_message_is_a_frozen_value() -> None:
    @command(0x7E, Chapter.DEVICE, reply=m.Done, roles=(Role.TECHNICIAN,), needs=Needs.POWER)
    class Blink(Message):
        """Blinks.

        More about it.
        """

        times: int = u8("number of times", 3)

    assert Blink(times=3) == Blink(times=3)
    assert replace(Blink(times=3), times=4).times == 4
    assert repr(Blink(times=3)).endswith("Blink(times=3)")
    with pytest.raises(FrozenInstanceError):
        Blink(times=3).times = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        Blink()  # type: ignore[call-arg]
    assert (Blink.entry.meaning, Blink.entry.details) == ("Blinks.", "More about it.")
    assert (Blink.entry.effect, Blink.entry.durable, Blink.entry.roles) == (False, False, (Role.TECHNICIAN,))


def test_commands_that_the_books_depend_on_are_durable_before_they_are_sent() -> None:
    assert m.BeginRound.entry.durable
    assert m.VoidRound.entry.durable
    assert not m.DealGroup.entry.durable
    assert all(entry.effect for entry in CATALOGUE if entry.durable and entry.way is Way.HOST)


def test_events_are_durable_unless_they_pass() -> None:
    assert m.GroupRemoved.entry.durable
    assert not m.ShuffleProgressed.entry.durable
    for entry in CATALOGUE:
        if issubclass(entry.body, m.Event):
            assert (typical(entry.body).number > 0) == entry.durable

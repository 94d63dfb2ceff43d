"""Two conversations held against each other: what is masked, what is missing, and the place of every change."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from protocol import messages as m
from protocol.catalogue import CATALOGUE, Way
from protocol.device_link import DeviceLink, Identity
from protocol.host_link import HostLink
from protocol.render.examples import filled, typical
from protocol.story import made_up
from shuffler.kit.recording.compare import compare
from shuffler.kit.recording.conversation import ConversationStep, Ended, Opened, Said, heard
from shuffler.kit.recording.format import PieceKind, RecordedPiece

IDENTITY = Identity(
    serial="SB-7", epoch=5, boots=1, last_event=0, acknowledged_event=0, command_memory=64, known_instance=False
)


def spoken(messages: Sequence[m.Message], *, seed: str = "a", cut: int = 0) -> tuple[ConversationStep, ...]:
    """A conversation of these messages over two real links; `cut`: in pieces of so many bytes."""
    draws = iter(range(1 << 30))
    host = HostLink(instance=made_up(seed, 16), chance=lambda n: made_up(f"{seed} {next(draws)}", n))
    device = DeviceLink(identity=lambda _: IDENTITY, chance=lambda n: made_up(f"{seed} {next(draws)}", n))
    pieces: list[RecordedPiece] = []
    now = 0

    def carry() -> None:
        nonlocal now
        for _ in range(4):
            now += 1000
            for end, other, kind in ((host, device, PieceKind.HOST), (device, host, PieceKind.DEVICE)):
                data = end.data_to_send(now)
                size = cut or max(1, len(data))
                for at in range(0, len(data), size):
                    pieces.append(RecordedPiece(now, kind, data[at : at + size]))
                other.receive(data, now)

    host.connect(now, 1)
    carry()
    for number, message in enumerate(messages, 1):
        from_host = message.entry.way is Way.HOST
        (host if from_host else device).send(message, 0 if isinstance(message, m.Event) else number)
        carry()
    host.close(now)
    carry()
    return heard(pieces)


STORY = [
    m.GetInfo(), typical(m.Info), m.Load(), m.Done(), typical(m.DeckLoaded), typical(m.Shuffle), m.Done(),
    typical(m.ShuffleCompleted), typical(m.BeginRound), m.Done(), typical(m.GroupReady),
    typical(m.GroupRemoved), typical(m.FaultRaised), m.AckEvents(upto=71),
]  # fmt: skip


def test_a_conversation_is_heard_as_it_was_said_however_it_is_cut() -> None:
    steps = spoken(STORY)
    assert isinstance(steps[0], Opened)
    assert isinstance(steps[-1], Ended)
    assert [step.message for step in steps if isinstance(step, Said)] == STORY
    for cut in (1, 7, 100):
        assert spoken(STORY, cut=cut) == steps


def test_another_run_differs_only_in_what_is_masked() -> None:
    found = compare(spoken(STORY), spoken(STORY, seed="b"))
    assert found.differences == ()
    assert set(found.masked.counts) == {"Hello.instance", "Hello.nonce", "Welcome.host_nonce", "Welcome.nonce"}
    assert found.masked.lines()[0] == "Hello.instance (random): differs in 1"


@pytest.mark.parametrize(
    ("at", "change", "name"),
    [
        (1, {"serial": "SB-8"}, "Info.serial"),
        (4, {"count": 51}, "DeckLoaded.count"),
        (8, {"seats": 0x3F}, "BeginRound.seats"),
        (10, {"seat": 3}, "GroupReady.seat"),
        (12, {"detail": 8}, "FaultRaised.detail"),
    ],
)
def test_a_changed_field_is_reported_at_its_place(at: int, change: dict[str, object], name: str) -> None:
    other = list(STORY)
    other[at] = replace(other[at], **change)
    recorded = spoken(STORY)
    (difference,) = compare(recorded, spoken(other)).differences
    place = [step for step in recorded if isinstance(step, Said)][at]
    assert f"{difference.message}.{difference.field}" == name
    assert (difference.number, difference.at_us) == (place.number, place.at_us)
    assert name in str(difference)


def test_a_changed_card_is_named_by_its_place_in_the_hand() -> None:
    other = list(STORY)
    removed = other[11]
    assert isinstance(removed, m.GroupRemoved)
    cards = (removed.opening.cards[0], 0, removed.opening.cards[2])
    other[11] = replace(removed, opening=replace(removed.opening, cards=cards, salts=bytes(96)))
    found = compare(spoken(STORY), spoken(other))
    (difference,) = found.differences
    assert difference.field == "opening.cards[1]"
    assert difference.came == "2♣"
    assert found.masked.counts["GroupRemoved.opening.salts"] == 1


def test_a_missing_message_does_not_make_all_after_it_differ() -> None:
    (difference,) = compare(spoken(STORY), spoken(STORY[:10] + STORY[11:])).differences
    assert (difference.message, difference.came) == ("GroupReady", "nothing")
    (difference,) = compare(spoken(STORY[:10] + STORY[11:]), spoken(STORY)).differences
    assert (difference.message, difference.recorded) == ("GroupReady", "nothing")


def test_acknowledgements_count_by_how_far_they_reach() -> None:
    twice = [*STORY[:-1], m.AckEvents(upto=70), m.AckEvents(upto=71)]
    assert compare(spoken(STORY), spoken(twice)).differences == ()
    (difference,) = compare(spoken(STORY), spoken([*STORY[:-1], m.AckEvents(upto=70)])).differences
    assert (difference.message, difference.field, difference.came) == ("AckEvents", "upto", "70")


def test_of_questions_for_the_status_only_the_last_answer_counts() -> None:
    early, late = (replace(typical(m.Status), round=number) for number in (1, 2))
    polled = [m.GetStatus(), early, m.GetStatus(), late, m.Load(), m.Done()]
    once = [m.GetStatus(), late, m.Load(), m.Done()]
    assert compare(spoken(polled), spoken(once)).differences == ()
    (difference,) = compare(spoken(polled), spoken([m.GetStatus(), early, m.Load(), m.Done()])).differences
    assert difference.field == "round"


def test_every_message_can_be_compared_with_itself_and_with_another_of_its_kind() -> None:
    for entry in CATALOGUE:
        if entry.chapter.value == "link" or entry.body in (m.AckEvents, m.GetStatus, m.Status):
            continue
        one, other = typical(entry.body), filled(entry.body)
        assert compare(spoken([one]), spoken([one])).differences == ()
        found = compare(spoken([one]), spoken([other]))
        assert one == other or found.differences or found.masked.counts

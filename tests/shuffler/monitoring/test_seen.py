"""Rounds from events: which groups are taken, when a round is over, and why a round can't be used."""

from protocol import messages as m
from shuffler.journal.entries import DealtFrom, DeviceSaid, Entry
from shuffler.monitoring import DealtRounds, SeenRound

SERIAL, EPOCH = "SB-1", 9


def opening(first: int, cards: tuple[int, ...]) -> m.Opening:
    return m.Opening(first=first, cards=cards, salts=b"", proof=b"")


def group(number: int, first: int, cards: tuple[int, ...], *, withheld: bool = False, dealt: int = 1) -> m.Event:
    return m.GroupRemoved(
        number=1, time_ms=0, round=dealt, group=number, seat=number, count=3, shuffle=1, withheld=withheld,
        opening=opening(first, () if withheld else cards),
    )  # fmt: skip


def disclosed(first: int, cards: tuple[int, ...], dealt: int = 1) -> m.Event:
    return m.HandDisclosed(
        number=1, time_ms=0, round=dealt, group=2, seat=0, shuffle=1, opening=opening(first, cards)
    )  # fmt: skip


def stub(dealt: int = 1) -> m.Event:
    return m.StubReady(number=1, time_ms=0, round=dealt, count=40)


def rounds(*events: m.Event, named: str = "R7", rigged: bool = False) -> list[SeenRound]:
    entries: list[Entry] = [
        DealtFrom(round_id=named, serial=SERIAL, epoch=EPOCH, shuffle=1, device_round=1, rigged=rigged)
    ]
    entries += [DeviceSaid(SERIAL, EPOCH, event) for event in events]
    return list(DealtRounds().take(entries, "now"))


def test_a_round_has_its_groups_in_the_order_they_became_known() -> None:
    (seen,) = rounds(
        group(1, 0, (), withheld=True), group(2, 3, (1, 2, 3)), disclosed(0, (9, 10, 11)), stub()
    )  # fmt: skip
    assert seen.deal is not None
    assert seen.deal.positions == (3, 4, 5, 0, 1, 2)
    assert seen.deal.cards == (1, 2, 3, 9, 10, 11)
    assert (seen.device, seen.round, seen.at, seen.rigged) == (SERIAL, "R7", "now", False)


def test_a_round_that_is_not_finished_is_not_taken() -> None:
    assert rounds(group(1, 0, (1, 2, 3))) == []


def test_a_void_round_ends_when_the_next_begins() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 3)), group(1, 0, (4, 5, 6), dealt=2))
    assert seen.deal is not None
    assert seen.deal.cards == (1, 2, 3)


def test_a_hand_that_was_never_shown_is_left_out() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 3)), group(2, 3, (), withheld=True), stub())
    assert seen.deal is not None
    assert seen.deal.positions == (0, 1, 2)


def test_a_hand_that_is_shown_after_its_round_changes_nothing() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 3)), stub(), disclosed(3, (7, 8, 9)))
    assert seen.deal is not None
    assert len(seen.deal.cards) == 3


def test_a_rigged_round_says_so() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 3)), stub(), rigged=True)
    assert seen.rigged


def test_one_card_twice_is_impossible() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 3)), group(2, 3, (4, 5, 1)), stub())
    assert seen.deal is None
    assert seen.impossible == "3♣ twice in one round"


def test_a_card_that_was_not_read_makes_the_round_unusable() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 254)), stub())
    assert seen.deal is None
    assert "the device read" in seen.unusable


def test_other_games_are_not_watched() -> None:
    (seen,) = rounds(group(1, 0, (1, 2, 3, 4, 5)), stub())
    assert "groups of 3" in seen.unusable


def test_a_device_that_reads_no_faces_shows_nothing() -> None:
    (seen,) = rounds(group(1, 0, ()), stub())
    assert seen.unusable == "no group was shown"

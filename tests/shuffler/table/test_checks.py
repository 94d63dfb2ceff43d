"""Each word of a device about one deck, checked alone."""

import hashlib
from dataclasses import replace

import pytest

from protocol import messages as m
from protocol.cards import FACE_UP
from protocol.commitment import SALT_BYTES, Commitment, Context
from protocol.vocabulary import CommitKind, DeviceFlag
from shuffler.table.checks import DeckWatch, Lie, check_number

CARDS = tuple((5 * at + 2) % 52 for at in range(52))
SALTS = hashlib.shake_128(b"checks").digest(52 * SALT_BYTES)
CONTEXT = Context(serial="SB", epoch=7, shuffle=3, game=1, count=52, nonce=bytes(16))
TREE = Commitment(CONTEXT, CARDS, SALTS)


def watch(*, kind: CommitKind = CommitKind.ORDER, faces: bool = True, shoe: bool = False, decks: int = 1) -> DeckWatch:
    shuffled = m.ShuffleCompleted(
        number=1, time_ms=0, shuffle=3, count=52 * decks, game=1, kind=kind, flags=DeviceFlag(0), nonce=bytes(16),
        root=TREE.root,
    )  # fmt: skip
    deck = DeckWatch(
        serial="SB", epoch=7, shuffled=shuffled, deck_cards=52 * decks, commits=kind, reads_faces=faces,
        rotation=shoe, decks=decks,
    )  # fmt: skip
    deck.begin(1, (1, 2))
    return deck


def removed(group: int, seat: int, opening: m.Opening, count: int = 3) -> m.GroupRemoved:
    return m.GroupRemoved(
        number=9, time_ms=0, round=1, group=group, seat=seat, count=count, shuffle=3, withheld=seat == 0,
        opening=opening,
    )  # fmt: skip


def bare(first: int, *cards: int) -> m.Opening:
    return m.Opening(first=first, cards=cards, salts=b"", proof=b"")


def disclosed(group: int, opening: m.Opening) -> m.HandDisclosed:
    return m.HandDisclosed(number=12, time_ms=0, round=1, group=group, seat=0, shuffle=3, opening=opening)


def test_a_whole_deck_as_it_should_be() -> None:
    deck = watch()
    assert deck.removed(removed(1, 1, TREE.opening(0, 3))) == CARDS[0:3]
    assert deck.removed(removed(2, 2, TREE.opening(3, 3))) == CARDS[3:6]
    assert not deck.all_dealt
    assert deck.removed(removed(3, 0, bare(0))) is None
    assert deck.all_dealt
    assert not deck.disclosed
    assert deck.disclose(disclosed(3, TREE.opening(6, 3))) == CARDS[6:9]
    deck.stub_removed(m.StubRemoved(number=13, time_ms=0, round=1, count=43))
    assert deck.is_complete


@pytest.mark.parametrize(
    ("opening", "says"),
    [
        (TREE.opening(3, 3), "position"),
        (replace(TREE.opening(0, 3), cards=(0, 1, 3)), "opening"),
        (TREE.opening(0, 2), "card count"),
        (replace(TREE.opening(0, 3), cards=(2, 2, 12)), "duplicate"),
        (replace(TREE.opening(0, 3), cards=(2, 7, 60)), "not in the deck"),
        (replace(TREE.opening(0, 3), salts=bytes(96)), "opening"),
    ],
)
def test_a_group_that_lies(opening: m.Opening, says: str) -> None:
    with pytest.raises(Lie, match=says):
        watch().removed(removed(1, 1, opening))


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (removed(2, 1, TREE.opening(0, 3)), "missing group"),
        (removed(1, 2, TREE.opening(0, 3)), "seat order"),
        (removed(1, 1, TREE.opening(0, 3), count=4), "card count"),
        (replace(removed(1, 1, TREE.opening(0, 3)), round=2), "round"),
        (replace(removed(1, 1, TREE.opening(0, 3)), shuffle=2), "shuffle"),
        (replace(removed(1, 1, TREE.opening(0, 3)), withheld=True), "withheld"),
    ],
)
def test_a_delivery_out_of_place(event: m.GroupRemoved, says: str) -> None:
    with pytest.raises(Lie, match=says):
        watch().removed(event)


def test_slots_are_checked_where_faces_are_not_read() -> None:
    deck = watch(kind=CommitKind.SLOTS, faces=False)
    first = replace(TREE.opening(0, 3), cards=(), places=TREE.opening(0, 3).cards)
    assert deck.removed(removed(1, 1, first)) is None
    with pytest.raises(Lie, match="slot 2 was dealt before"):
        deck.removed(removed(2, 2, first))
    with pytest.raises(Lie, match="opening"):
        watch(kind=CommitKind.SLOTS, faces=False).removed(removed(1, 1, replace(first, places=(0, 1, 2))))
    with pytest.raises(Lie, match="card count"):
        watch(kind=CommitKind.SLOTS, faces=False).removed(removed(1, 1, TREE.opening(0, 3)))


def test_a_shoe_deals_one_card_at_a_time_and_may_have_a_face_as_often_as_decks() -> None:
    deck = watch(kind=CommitKind.NOTHING, shoe=True, decks=2)
    assert deck.order == (1, 2, 0) * 3
    assert deck.removed(removed(1, 1, bare(0, 5), count=1)) == (5,)
    assert deck.removed(removed(2, 2, bare(1, 5), count=1)) == (5,)
    deck.removed(removed(3, 0, bare(0), count=1))
    with pytest.raises(Lie, match="duplicate"):
        deck.removed(removed(4, 1, bare(3, 5), count=1))


def test_an_exposed_card_of_a_shoe_is_left_to_peoples_eyes() -> None:
    deck = watch(kind=CommitKind.NOTHING, shoe=True)
    assert deck.removed(removed(1, 1, bare(0, FACE_UP), count=1)) is None


def test_the_dealers_cards_are_named_once_each() -> None:
    deck = watch(kind=CommitKind.NOTHING, shoe=True)
    for at, seat in enumerate(deck.order):
        deck.removed(removed(at + 1, seat, bare(at, at) if seat else bare(0), count=1))
    assert deck.disclose(disclosed(3, bare(2, 2))) == (2,)
    assert not deck.disclosed
    with pytest.raises(Lie, match="named twice"):
        deck.disclose(disclosed(3, bare(2, 40)))
    deck.disclose(disclosed(6, bare(5, 41)))
    deck.disclose(disclosed(9, bare(8, 42)))
    assert deck.disclosed


def test_hands_and_stub_make_up_the_deck_once() -> None:
    def stub(count: int, number: int = 1) -> m.StubRemoved:
        return m.StubRemoved(number=13, time_ms=0, round=number, count=count)

    deck = watch()
    with pytest.raises(Lie, match="taken after 0 of 3 groups"):
        deck.stub_removed(stub(52))
    deck.removed(removed(1, 1, TREE.opening(0, 3)))
    deck.removed(removed(2, 2, TREE.opening(3, 3)))
    deck.removed(removed(3, 0, bare(0)))
    with pytest.raises(Lie, match="9 cards dealt and a stub of 42 are not 52"):
        deck.stub_removed(stub(42))
    with pytest.raises(Lie, match="a power cut took the count"):
        deck.stub_removed(stub(m.UNCOUNTED))
    with pytest.raises(Lie, match="of round 2 in round 1"):
        deck.stub_removed(stub(43, number=2))
    deck.stub_removed(stub(43))
    with pytest.raises(Lie, match="twice"):
        deck.stub_removed(stub(43))


def test_how_a_deck_begins_is_known_as_far_as_it_is_named() -> None:
    deck = watch()
    assert deck.begun == ()
    deck.removed(removed(1, 1, TREE.opening(0, 3)))
    assert deck.begun == CARDS[:3]
    deck.removed(removed(2, 2, TREE.opening(3, 3)))
    deck.removed(removed(3, 0, bare(0)))
    assert deck.begun == CARDS[:6]
    deck.disclose(disclosed(3, TREE.opening(6, 3)))
    assert deck.begun == CARDS[:9]


def test_what_is_to_be_kept_has_a_number() -> None:
    check_number(m.ShuffleProgressed(number=0, time_ms=0, done=1, total=4))
    check_number(m.StubRemoved(number=1, time_ms=0, round=1, count=40))
    with pytest.raises(Lie, match="event number: a StubRemoved"):
        check_number(m.StubRemoved(number=0, time_ms=0, round=1, count=40))

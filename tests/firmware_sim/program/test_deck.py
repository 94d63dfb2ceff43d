"""A shuffled deck: what opens its commitment, and what is wrong with cards that leave it."""

import pytest

from firmware_sim.program.deck import Deck, excess, pack_counts
from protocol.cards import CUT_CARD, FACE_UP, FOREIGN, JOKER, UNREAD, UNREADABLE
from protocol.commitment import SALT_BYTES, Context, opens
from protocol.vocabulary import CommitKind, DeviceFlag, MisdealReason

_R = MisdealReason
SALTS = bytes(range(256)) * (52 * SALT_BYTES // 256 + 1)


def made(kind: CommitKind = CommitKind.ORDER, codes: bytes = bytes(range(51, -1, -1))) -> Deck:
    salts = SALTS[: SALT_BYTES * len(codes)] if kind is not CommitKind.NOTHING else b""
    flags = DeviceFlag.SEEDED
    return Deck(
        shuffle=7, epoch=5, game=1, count=52, kind=kind, flags=flags, nonce=bytes(16), codes=codes, salts=salts
    )


def test_it_comes_back_from_the_store_as_it_went() -> None:
    deck = made()
    assert Deck.from_record(deck.record()) == deck


def test_an_opening_opens_the_root_at_its_place_and_at_no_other() -> None:
    deck = made()
    context = Context(serial="S", epoch=5, shuffle=7, game=1, count=52, nonce=bytes(16))
    opening = deck.opening("S", 3, 3)
    assert opening.cards == (48, 47, 46)
    assert opens(context, deck.commitment("S").root, opening)
    moved = type(opening)(first=6, cards=opening.cards, salts=opening.salts, proof=opening.proof)
    assert not opens(context, deck.commitment("S").root, moved)


def test_without_a_commitment_an_opening_is_the_cards_alone() -> None:
    opening = made(CommitKind.NOTHING).opening("S", 0, 2)
    assert (opening.cards, opening.salts, opening.proof) == ((51, 50), b"", b"")


# fmt: off
LEAVING = [
    (0, (51, 50, 49),                  None),
    (6, (45, 44, 43),                  None),
    (3, (48, FACE_UP, 46),             None),                   # recorded elsewhere, no misdeal
    (3, (48, UNREADABLE, 46),          None),                   # known from the shuffle
    (3, (UNREAD,) * 3,                 None),                   # no reader at the exit
    (3, (48, FOREIGN, 46),             _R.CARD_NOT_IN_DECK),
    (3, (48, JOKER, 46),               _R.CARD_NOT_IN_DECK),
    (3, (48, 51, 46),                  _R.DUPLICATE_CARD),      # dealt in the group before
    (3, (48, 48, 46),                  _R.DUPLICATE_CARD),      # twice in this group
    (3, (45, 44, 43),                  _R.OUT_OF_ORDER),        # the next group
    (3, (47, 48, 46),                  _R.OUT_OF_ORDER),        # the right cards in another order
    (3, (FACE_UP, 47, FOREIGN),        _R.CARD_NOT_IN_DECK),    # an exposed card hides nothing else
]
# fmt: on


@pytest.mark.parametrize(("first", "seen", "reason"), LEAVING)
def test_what_leaves_is_held_against_what_was_committed_to(
    first: int, seen: tuple[int, ...], reason: MisdealReason | None
) -> None:
    assert made().objection(first, bytes(seen)) is reason


# fmt: off
DRAWN = [
    ((1, 2, 3),                1, None),
    ((1, 2, 1),                1, _R.DUPLICATE_CARD),
    ((1, 2, 1),                2, None),
    ((1, 1, 1),                2, _R.DUPLICATE_CARD),
    ((1, FOREIGN),             8, _R.CARD_NOT_IN_DECK),
    ((1, CUT_CARD),            1, _R.CARD_NOT_IN_DECK),         # the firmware takes cut cards out before
    ((FACE_UP, FACE_UP, 1),    1, None),
    ((UNREADABLE,) * 3,        1, None),
    ((UNREAD,) * 60,           1, None),
]
# fmt: on


@pytest.mark.parametrize(("drawn", "decks", "reason"), DRAWN)
def test_a_shoe_holds_what_was_drawn_against_the_pack(
    drawn: tuple[int, ...], decks: int, reason: MisdealReason | None
) -> None:
    assert made(CommitKind.NOTHING, bytes(drawn)).shoe_objection(52, decks) is reason


def test_excess_names_a_card_that_is_there_too_often() -> None:
    assert excess(bytes((5, 6, 5)), pack_counts(52, 1)) == 5
    assert excess(bytes((5, 6, 5)), pack_counts(52, 2)) is None
    assert excess(bytes((JOKER, JOKER)), pack_counts(54, 1)) is None
    assert excess(bytes((JOKER, JOKER)), pack_counts(53, 1)) == JOKER

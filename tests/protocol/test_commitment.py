"""Commitments: the root is what the reference says, every opening opens, nothing else does."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.commitment import HASH_BYTES, SALT_BYTES, Commitment, Context, opens
from protocol.errors import LocalProtocolError
from protocol.messages import Opening

NONCE = bytes(range(16))


def context(count: int) -> Context:
    return Context(serial="SB-7", epoch=0x1122334455667788, shuffle=9, game=2, count=count, nonce=NONCE)


def salts(count: int) -> bytes:
    return hashlib.shake_128(b"salts").digest(SALT_BYTES * count)


def committed(count: int) -> Commitment:
    return Commitment(context(count), [(7 * i + 3) % 52 for i in range(count)], salts(count))


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def reference_root(cards: list[int], salt: bytes) -> bytes:
    """The root by the words of the reference: recursive, without sharing a line with the product."""
    prefix = b"shuffler-bench/commitment/1/leaf\0" + b"\x04SB-7" + bytes.fromhex("8877665544332211 09000000 02")
    prefix += len(cards).to_bytes(2, "little") + b"\x10" + NONCE
    leaves = [
        sha(prefix, i.to_bytes(2, "little"), bytes([card]), salt[32 * i : 32 * i + 32]) for i, card in enumerate(cards)
    ]
    while len(leaves) & (len(leaves) - 1):
        leaves.append(sha(b"shuffler-bench/commitment/1/empty\0"))

    def node(hashes: list[bytes]) -> bytes:
        half = len(hashes) // 2
        if not half:
            return hashes[0]
        return sha(b"shuffler-bench/commitment/1/node\0", node(hashes[:half]), node(hashes[half:]))

    return node(leaves)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 52, 54, 104])
def test_the_root_is_the_one_of_the_reference(count: int) -> None:
    assert committed(count).root == reference_root([(7 * i + 3) % 52 for i in range(count)], salts(count))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 11])
def test_every_run_of_neighbours_opens(count: int) -> None:
    deck = committed(count)
    for first in range(count):
        for length in range(1, count - first + 1):
            opening = deck.opening(first, length)
            assert opening.cards == deck.codes[first : first + length]
            assert opens(context(count), deck.root, opening)


def test_every_group_of_a_full_deck_opens_at_its_place_and_at_no_other() -> None:
    deck = committed(52)
    for first in range(0, 50, 3):
        opening = deck.opening(first, 3)
        assert opens(context(52), deck.root, opening)
        for other in set(range(0, 50, 3)) - {first}:
            assert not opens(context(52), deck.root, replace(opening, first=other))


@given(first=st.integers(0, 51), length=st.integers(1, 52), data=st.data())
def test_an_opening_with_any_bit_changed_does_not_open(first: int, length: int, data: st.DataObject) -> None:
    deck = committed(52)
    opening = deck.opening(first, min(length, 52 - first))
    part = data.draw(st.sampled_from(["salts", "proof"] if opening.proof else ["salts"]))
    changed = bytearray(getattr(opening, part))
    bit = data.draw(st.integers(0, 8 * len(changed) - 1))
    changed[bit >> 3] ^= 1 << (bit & 7)
    assert not opens(context(52), deck.root, replace(opening, **{part: bytes(changed)}))


def test_another_card_does_not_open() -> None:
    deck = committed(52)
    opening = deck.opening(12, 3)
    for at in range(3):
        for card in set(range(256)) - {opening.codes[at]}:
            cards = (*opening.codes[:at], card, *opening.codes[at + 1 :])
            assert not opens(context(52), deck.root, replace(opening, cards=cards))


@pytest.mark.parametrize(
    "changed",
    [{"serial": "SB-8"}, {"epoch": 1}, {"shuffle": 10}, {"game": 3}, {"count": 51}, {"nonce": bytes(16)}],
    ids=lambda changed: next(iter(changed)),
)
def test_the_root_of_another_shuffle_does_not_open(changed: dict[str, object]) -> None:
    deck = committed(52)
    assert not opens(replace(context(52), **changed), deck.root, deck.opening(0, 3))
    assert Commitment(context(52), deck.codes, deck.salts).root == deck.root


@pytest.mark.parametrize(
    "spoil",
    [
        lambda it: replace(it, proof=it.proof[:-HASH_BYTES]),
        lambda it: replace(it, proof=it.proof[:-1]),
        lambda it: replace(it, proof=it.proof + bytes(HASH_BYTES)),
        lambda it: replace(it, proof=b""),
        lambda it: replace(it, salts=it.salts[:-1]),
        lambda it: replace(it, salts=it.salts + bytes(SALT_BYTES)),
        lambda it: replace(it, cards=it.codes[:-1]),
        lambda it: replace(it, cards=(*it.cards, 0)),
        lambda it: replace(it, cards=()),
        lambda it: replace(it, first=50),
        lambda it: replace(it, first=65535),
        lambda it: Opening(first=0, cards=(), salts=b"", proof=b""),
    ],
)
def test_a_misshapen_opening_does_not_open(spoil: object) -> None:
    deck = committed(52)
    assert not opens(context(52), deck.root, spoil(deck.opening(9, 3)))  # type: ignore[operator]


def test_an_opening_holds_no_leaf_of_a_card_it_does_not_name_but_its_neighbours_in_the_pair() -> None:
    deck = committed(52)
    opening = deck.opening(9, 3)
    others = [deck.salts[32 * i : 32 * i + 32] for i in range(52) if not 9 <= i < 12]
    assert not [salt for salt in others if salt in opening.salts + opening.proof]
    assert len(opening.proof) // HASH_BYTES <= 2 * 6


def test_nothing_opened_is_an_empty_opening_that_proves_nothing() -> None:
    deck = committed(52)
    assert deck.opening(4, 0) == Opening(first=4, cards=(), salts=b"", proof=b"")
    assert not opens(context(52), deck.root, deck.opening(4, 0))


@pytest.mark.parametrize(("first", "count"), [(50, 3), (-1, 2), (0, 53), (0, -1)])
def test_positions_outside_the_deck_are_refused(first: int, count: int) -> None:
    with pytest.raises(LocalProtocolError, match="deck of 52"):
        committed(52).opening(first, count)


def test_a_commitment_needs_a_salt_for_every_card() -> None:
    with pytest.raises(LocalProtocolError, match="32 bytes of salt"):
        Commitment(context(3), [1, 2, 3], bytes(95))
    with pytest.raises(LocalProtocolError, match="as many cards"):
        Commitment(context(3), [1, 2], bytes(64))

"""A shuffle's commitment: one root over per-card salted leaves, opened group by group.

Leaf i binds the domain, the context (device, epoch, shuffle, game, the host's nonce), the position, the card's code
(if the device reads no faces: its place in the feed) and its own 32 secret bytes. The tree is a binary hash tree
over the leaves, padded to a power of two with empty leaves. An opening names consecutive cards, their salts and the
sibling hashes up to the root: it proves that these cards were fixed before the first group and reveals nothing about
the others. It proves that the order was fixed, not that it was random.
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from protocol.errors import LocalProtocolError
from protocol.messages import Opening
from protocol.vocabulary import CommitKind

SALT_BYTES = 32
HASH_BYTES = 32
_LEAF = b"shuffler-bench/commitment/1/leaf\0"
_NODE = b"shuffler-bench/commitment/1/node\0"
_sha256 = hashlib.sha256
_place = struct.Struct("<HB").pack  # position and code of a card
_EMPTY = _sha256(b"shuffler-bench/commitment/1/empty\0").digest()


@dataclass(frozen=True, kw_only=True)
class Context:
    """The values that a root is bound to, so that it can't be used for another shuffle."""

    serial: str
    epoch: int
    shuffle: int
    game: int
    count: int
    nonce: bytes

    @cached_property
    def prefix(self) -> bytes:
        """The context as bytes; each part has a fixed length or follows its length."""
        name = self.serial.encode()
        return b"".join(
            (
                _LEAF,
                len(name).to_bytes(1, "little"),
                name,
                self.epoch.to_bytes(8, "little"),
                self.shuffle.to_bytes(4, "little"),
                self.game.to_bytes(1, "little"),
                self.count.to_bytes(2, "little"),
                len(self.nonce).to_bytes(1, "little"),
                self.nonce,
            )
        )


class Commitment:
    """The device's side: has all leaves, makes the root and the openings."""

    def __init__(
        self, context: Context, codes: Sequence[int], salts: bytes, *, kind: CommitKind = CommitKind.ORDER
    ) -> None:
        """`codes` are cards, or places in the feed if the kind is SLOTS."""
        if len(codes) != context.count or len(salts) != SALT_BYTES * len(codes):
            raise LocalProtocolError("a commitment needs as many cards as its context says, with 32 bytes of salt each")
        self.codes = tuple(codes)
        self._kind = kind
        self.salts = salts
        leaves = _leaves(context.prefix, 0, codes, salts)
        self._levels = [leaves + [_EMPTY] * (_width(len(leaves)) - len(leaves))]
        while len(level := self._levels[-1]) > 1:
            self._levels.append(_level_above(level))

    @property
    def root(self) -> bytes:
        """The published hash."""
        return self._levels[-1][0]

    def opening(self, first: int, count: int) -> Opening:
        """Open `count` cards from position `first` on."""
        if count < 0 or first < 0 or first + count > len(self.codes):
            last = first + count - 1
            raise LocalProtocolError(f"positions {first} … {last} are not all in a deck of {len(self.codes)}")
        if count == 0:
            return Opening(first=first, cards=(), salts=b"", proof=b"")
        proof: list[bytes] = []
        low, high = first, first + count
        for level in self._levels[:-1]:
            if low % 2:
                proof.append(level[low - 1])
            if high % 2:
                proof.append(level[high])
            low, high = low // 2, (high + 1) // 2
        opened = self.codes[first : first + count]
        slots = self._kind is CommitKind.SLOTS
        return Opening(
            first=first,
            cards=() if slots else opened,
            places=opened if slots else (),
            salts=self.salts[SALT_BYTES * first : SALT_BYTES * (first + count)],
            proof=b"".join(proof),
        )


def opens(context: Context, root: bytes, opening: Opening) -> bool:
    """Whether the root commits to these cards at these positions: the host's check."""
    first, codes = opening.first, opening.cards or opening.places
    count = len(codes)
    if count == 0 or (opening.cards and opening.places):
        return False
    if first + count > context.count or len(opening.salts) != SALT_BYTES * count:
        return False
    level = _leaves(context.prefix, first, codes, opening.salts)
    proof, at = opening.proof, 0
    low, high = first, first + count
    for _ in range(_width(context.count).bit_length() - 1):
        if low & 1:
            level.insert(0, proof[at : at + HASH_BYTES])
            at += HASH_BYTES
        if high & 1:
            level.append(proof[at : at + HASH_BYTES])
            at += HASH_BYTES
        above = []  # written out: a comprehension is a call a level, and this runs for every group
        for i in range(0, len(level), 2):
            above.append(_sha256(_NODE + level[i] + level[i + 1]).digest())
        level = above
        low, high = low >> 1, (high + 1) >> 1
    return at == len(proof) and level == [root]


def _leaves(prefix: bytes, first: int, cards: Sequence[int], salts: bytes) -> list[bytes]:
    return [
        _sha256(prefix + _place(first + i, card) + salts[SALT_BYTES * i : SALT_BYTES * (i + 1)]).digest()
        for i, card in enumerate(cards)
    ]


def _level_above(level: list[bytes]) -> list[bytes]:
    hashes = iter(level)
    return [_sha256(_NODE + left + right).digest() for left, right in zip(hashes, hashes, strict=True)]


def _width(count: int) -> int:
    return 1 << max(count - 1, 0).bit_length()

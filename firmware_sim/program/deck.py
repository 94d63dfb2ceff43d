"""A shuffled deck as the firmware knows it: what it read, in deal order, and what opens its commitment."""

from collections import Counter
from dataclasses import dataclass, field, fields
from functools import cache

from firmware_sim.machine.mechanism import composition
from firmware_sim.program.records import DeckRecord
from protocol.cards import FACE_UP, UNREAD, UNREADABLE
from protocol.commitment import Commitment, Context
from protocol.messages import Opening
from protocol.vocabulary import CommitKind, DeviceFlag, MisdealReason

NO_ROOT = bytes(32)
_KEPT = tuple(entry.name for entry in fields(DeckRecord))


@dataclass(slots=True)
class Deck:
    """The record of one shuffle; a shoe's grows with each card drawn."""

    shuffle: int
    epoch: int  # in which the host was told of it
    game: int
    count: int
    kind: CommitKind
    flags: DeviceFlag
    nonce: bytes
    codes: bytes  # what is committed to: faces in deal order, or the feed's slots
    salts: bytes
    _commitment: Commitment | None = field(default=None, compare=False)

    def commitment(self, serial: str) -> Commitment:
        """The tree over this deck, built when first asked for."""
        if self._commitment is None:
            context = Context(
                serial=serial,
                epoch=self.epoch,
                shuffle=self.shuffle,
                game=self.game,
                count=self.count,
                nonce=self.nonce,
            )
            self._commitment = Commitment(context, self.codes, self.salts, kind=self.kind)
        return self._commitment

    def opening(self, serial: str, first: int, count: int) -> Opening:
        """Cards with their proof; without a commitment, the cards alone."""
        if self.kind is CommitKind.NOTHING:
            return Opening(first=first, cards=tuple(self.codes[first : first + count]), salts=b"", proof=b"")
        return self.commitment(serial).opening(first, count)

    def record(self) -> DeckRecord:
        """For the store."""
        return DeckRecord(**{name: getattr(self, name) for name in _KEPT})

    @classmethod
    def from_record(cls, record: DeckRecord) -> "Deck":
        """Back from the store."""
        return cls(**{name: getattr(record, name) for name in _KEPT})

    def objection(self, first: int, seen: bytes) -> MisdealReason | None:
        """What is wrong with cards that leave from position `first`, where faces were committed to."""
        expected = self.codes[first : first + len(seen)]
        if seen == expected or seen.count(UNREAD) == len(seen):
            return None
        for at, (code, wanted) in enumerate(zip(seen, expected, strict=False)):
            # An exposed card is recorded and no misdeal; a card that the reader misses is known from the shuffle.
            if code in (wanted, FACE_UP, UNREADABLE):
                continue
            if code not in self.codes:
                return MisdealReason.CARD_NOT_IN_DECK
            if code in self.codes[:first] or code in seen[:at]:
                return MisdealReason.DUPLICATE_CARD
            return MisdealReason.OUT_OF_ORDER
        return None

    def shoe_objection(self, deck_cards: int, decks: int) -> MisdealReason | None:
        """What is wrong with the cards drawn from a shoe so far; one that can't be read is left to people's eyes."""
        pack = pack_counts(deck_cards, decks)
        read = bytes(code for code in self.codes if code not in (FACE_UP, UNREADABLE, UNREAD))
        if any(code not in pack for code in read):
            return MisdealReason.CARD_NOT_IN_DECK
        return MisdealReason.DUPLICATE_CARD if excess(read, pack) is not None else None


@cache
def pack_counts(deck_cards: int, decks: int) -> Counter[int]:
    """How often a pack has each face."""
    return Counter(composition(deck_cards, decks))


def excess(codes: bytes, pack: Counter[int]) -> int | None:
    """A card that was seen more often than the pack has it, where there is one."""
    return next((code for code, count in Counter(codes).items() if count > pack[code]), None)

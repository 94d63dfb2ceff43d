"""Ed25519 signatures over the chain's head: who may sign, what was signed, whether a seal holds.

A signature proves that whoever has the private key saw this head. It stops nobody who has the key and the file.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shuffler.journal.chain import FORMAT, NAME
from shuffler.journal.entries import HeadSigned, KeyChanged
from shuffler.journal.errors import JournalBroken

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_HEAD = f"{NAME}/{FORMAT} head\0".encode()
_KEY = f"{NAME}/{FORMAT} key\0".encode()
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class HeadSigner:
    """A private key; `public` names it."""

    private: "Ed25519PrivateKey"
    public: bytes

    @classmethod
    def of(cls, private: "Ed25519PrivateKey") -> "HeadSigner":
        """From a key."""
        return cls(private, private.public_key().public_bytes_raw())

    def sign(self, seq: int, head: bytes) -> HeadSigned:
        """Seal the record `seq`, whose hash is `head`."""
        signature = self.private.sign(head_text(seq, head))
        return HeadSigned(seq=seq, head=head, key=self.public, signature=signature)

    def hand_over(self, seq: int, head: bytes, new: bytes) -> KeyChanged:
        """The old key names the new one; the entry follows record `seq`."""
        return KeyChanged(old=self.public, new=new, signature=self.private.sign(key_text(seq, head, new)))


def head_text(seq: int, head: bytes) -> bytes:
    """What a signature of a head is over."""
    return _HEAD + seq.to_bytes(8, "little") + head


def key_text(seq: int, head: bytes, new: bytes) -> bytes:
    """What the old key signs when a new one takes its place."""
    return _KEY + seq.to_bytes(8, "little") + head + new


class Trust:
    """The keys that are accepted, as a journal's own entries change them; without any, every key is taken as it is."""

    def __init__(self, keys: Iterable[bytes] = ()) -> None:
        self.keys = set(keys)
        self.given = frozenset(self.keys)
        self.signed_upto = 0
        self.signed_by: bytes | None = None

    def accepts(self, key: bytes) -> bool:
        """Whether a signature of that key counts."""
        return not self.given or key in self.keys

    def take(self, seq: int, before: bytes, entry: HeadSigned | KeyChanged) -> None:
        """One seal in record `seq`, whose predecessor's hash is `before`; raises JournalBroken."""
        if isinstance(entry, KeyChanged):
            self._change(seq, before, entry)
            return
        if entry.seq != seq - 1 or entry.head != before:
            raise JournalBroken(f"record {seq} signs another head than that of the record before it")
        if not self.accepts(entry.key):
            raise JournalBroken(f"record {seq} is signed by {entry.key.hex()}, which is not an accepted key")
        if not holds(entry.key, entry.signature, head_text(entry.seq, entry.head)):
            raise JournalBroken(f"record {seq}: the signature does not hold")
        self.signed_upto, self.signed_by = entry.seq, entry.key

    def _change(self, seq: int, before: bytes, entry: KeyChanged) -> None:
        if entry.signature:
            if not self.accepts(entry.old) or not holds(
                entry.old, entry.signature, key_text(seq - 1, before, entry.new)
            ):
                raise JournalBroken(f"record {seq} changes the key without a valid signature of the accepted one")
            self.keys.add(entry.new)
            self.keys.discard(entry.old)
        elif self.given and entry.new not in self.given:
            raise JournalBroken(
                f"record {seq} says that the key {entry.old.hex() or 'before'} is lost and {entry.new.hex()} signs from"
                " here on: give that key too if the operator confirms it"
            )


def holds(key: bytes, signature: bytes, text: bytes) -> bool:
    """Whether an Ed25519 signature is valid."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True

"""Does an opening belong to a shuffle's root? From "Commitment and openings" of docs/protocol.md."""

import hashlib
from typing import Any

LEAF = b"shuffler-bench/commitment/1/leaf\0"
NODE = b"shuffler-bench/commitment/1/node\0"


def committed(opening: dict[str, Any]) -> list[int]:
    """What the leaves are made over: cards, or the feed's places where the machine reads no faces."""
    found: list[int] = opening["cards"] or opening.get("places", [])
    return found


def opens(serial: str, epoch: int, shuffled: dict[str, Any], opening: dict[str, Any]) -> bool:
    """Whether these cards at these positions are what the root was made over."""
    name, nonce = serial.encode(), shuffled["nonce"]
    prefix = LEAF + bytes([len(name)]) + name + epoch.to_bytes(8, "little")
    prefix += shuffled["shuffle"].to_bytes(4, "little") + bytes([shuffled["game"]])
    prefix += shuffled["count"].to_bytes(2, "little") + bytes([len(nonce)]) + nonce
    cards, salts, proof = committed(opening), opening["salts"], opening["proof"]
    low, high = opening["first"], opening["first"] + len(cards)
    if not cards or high > shuffled["count"] or len(salts) != 32 * len(cards):
        return False
    hashes = []
    for at, card in enumerate(cards):
        salt = salts[32 * at : 32 * at + 32]
        hashes.append(hashlib.sha256(prefix + (low + at).to_bytes(2, "little") + bytes([card]) + salt).digest())
    width = 1
    while width < shuffled["count"]:
        width *= 2
    while width > 1:
        if low % 2:
            hashes, proof = [proof[:32], *hashes], proof[32:]
        if high % 2:
            hashes, proof = [*hashes, proof[:32]], proof[32:]
        hashes = [hashlib.sha256(NODE + hashes[at] + hashes[at + 1]).digest() for at in range(0, len(hashes), 2)]
        low, high, width = low // 2, (high + 1) // 2, width // 2
    return hashes == [shuffled["root"]] and not proof

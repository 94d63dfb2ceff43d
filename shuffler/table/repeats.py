"""Decks that lie as an earlier one did: a shuffle that is any good does not give the same order twice."""

from collections import deque
from typing import TypeVar

from protocol.vocabulary import DeviceFlag
from shuffler.table.checks import DeckWatch, Lie

Key = TypeVar("Key")

DECKS_KEPT = 1024
ENOUGH = 9  # cards in their order: two decks agree in them by chance once in 10^15
FEW = 6  # one player and the dealer: once in 10^10, so that one repeat in DECKS_KEPT decks is no proof; two are


class RepeatedDeals:
    """Remembers how the last decks began, over rounds and devices; a rigged deck may lie as it likes."""

    def __init__(self) -> None:
        self._roots: dict[bytes, str] = {}
        self._begun: dict[tuple[int, ...], str] = {}
        self._few: deque[tuple[int, str]] = deque()  # repeats of few cards: at which deck, and its name
        self._decks = 0
        self._checked = ""  # the last deck of which enough cards were named and compared

    def check_root(self, deck: DeckWatch) -> None:
        """Salts are fresh in every commitment, so that no root comes twice; raises Lie."""
        root = deck.shuffled.root
        if not any(root):
            return
        if root in self._roots:
            raise Lie(f"repeat: shuffle {self._roots[root]} had the same commitment")
        _keep(self._roots, root, deck.name, DECKS_KEPT)

    def check_order(self, deck: DeckWatch) -> None:
        """Once the cards are named: raises Lie where an earlier deck began the same way."""
        named = len(deck.places)
        if named < FEW or deck.name == self._checked or (named < ENOUGH and not deck.disclosed):
            return
        begun = deck.begun
        if len(begun) < FEW or (len(begun) < ENOUGH and not deck.disclosed) or DeviceFlag.RIGGED in deck.shuffled.flags:
            return
        key = begun[:ENOUGH] if len(begun) >= ENOUGH else begun[:FEW]
        before = self._begun.get(key, deck.name)
        if before != deck.name and (len(key) == ENOUGH or self._again(deck.name)):
            raise Lie(f"repeat: the deck lies as in shuffle {before}")
        if before == deck.name and key not in self._begun:
            self._decks += 1
            for part in (begun[:FEW], key):
                _keep(self._begun, part, deck.name, 2 * DECKS_KEPT)
        if len(key) == ENOUGH:
            self._checked = deck.name

    def _again(self, name: str) -> bool:
        """A repeat of few cards; whether there was another one not long ago."""
        while self._few and self._few[0][0] < self._decks - DECKS_KEPT:
            self._few.popleft()
        earlier = any(known != name for _, known in self._few)
        self._few.append((self._decks, name))
        return earlier


def _keep(memory: dict[Key, str], key: Key, name: str, most: int) -> None:
    memory.setdefault(key, name)
    if len(memory) > most:
        del memory[next(iter(memory))]

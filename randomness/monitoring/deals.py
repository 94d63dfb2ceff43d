"""What a table shows of one shuffle: cards at positions of the dealt order, in the order they became known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from randomness.errors import RandomnessError

CARDS = 52
GROUP = 3
GROUPS = 8
"""Seven players and the dealer."""
DEALT = GROUP * GROUPS


class MonitoringError(RandomnessError):
    """A deal that no fair or unfair shuffle of one deck gives, or a saved state of another version."""


@dataclass(frozen=True, slots=True)
class SeenDeal:
    """The seen cards of one round. Whole groups of three; a group that was never shown is missing."""

    positions: tuple[int, ...]
    """In the dealt order, from 0; in the order in which the cards became known."""
    cards: tuple[int, ...]
    """Faces 0 to 51, all different."""

    def __post_init__(self) -> None:
        if len(self.positions) != len(self.cards) or len(self.cards) % GROUP:
            raise MonitoringError(f"a deal has whole groups of {GROUP}, not {len(self.cards)} cards")
        if any(not 0 <= card < CARDS for card in self.cards):
            bad = next(card for card in self.cards if not 0 <= card < CARDS)
            raise MonitoringError(f"faces are numbered 0 to {CARDS - 1}, not {bad}")
        if len(set(self.cards)) < len(self.cards):
            raise MonitoringError("one card twice in one round")
        for first in range(0, len(self.positions), GROUP):
            group = self.positions[first : first + GROUP]
            whole = group[0] % GROUP == 0 and group == tuple(range(group[0], group[0] + GROUP))
            if not whole or not 0 <= group[0] < DEALT:
                raise MonitoringError(f"a group lies at three positions of the first {DEALT}, not at {group}")
        if len(set(self.positions)) < len(self.positions):
            raise MonitoringError("one position twice in one round")


def deal_of_groups(groups: Iterable[tuple[int, Sequence[int]]]) -> SeenDeal:
    """A deal from (position of the first card, three cards), in the order in which the groups became known."""
    positions: list[int] = []
    cards: list[int] = []
    for first, group in groups:
        positions += range(first, first + len(group))
        cards += group
    return SeenDeal(tuple(positions), tuple(cards))

"""How a round is divided: which group goes to which seat, in which order, of how many cards."""

from functools import lru_cache
from typing import NamedTuple

from protocol.messages import DEALER_SEAT, GameEntry

MAX_SEATS = 16


class Group(NamedTuple):
    """One delivery of a round."""

    seat: int
    size: int
    first: int  # position of its first card, counted from where the round began


@lru_cache(maxsize=256)
def plan_groups(game: GameEntry, seats: int, rotation: bool) -> tuple[Group, ...]:
    """The deliveries in order: seats upwards, the dealer last or first; in rotation one card at a time, lap by lap."""
    order = [seat for seat in range(1, MAX_SEATS + 1) if seats >> (seat - 1) & 1]
    order = [DEALER_SEAT, *order] if game.dealer_first else [*order, DEALER_SEAT]
    sizes = {seat: game.dealer_cards if seat == DEALER_SEAT else game.cards_per_group for seat in order}
    if rotation:
        hands = [(seat, 1) for lap in range(max(sizes.values())) for seat in order if lap < sizes[seat]]
    else:
        hands = [(seat, sizes[seat]) for seat in order]
    groups: list[Group] = []
    first = 0
    for seat, size in hands:
        groups.append(Group(seat, size, first))
        first += size
    return tuple(groups)


def cards_of(groups: tuple[Group, ...]) -> int:
    """How many cards a round takes."""
    return groups[-1].first + groups[-1].size if groups else 0

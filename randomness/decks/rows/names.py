"""How cells of the tables are named where a test says where to look."""

from collections.abc import Callable

from randomness.decks.faces import card_name, place_name


def card_at(position: int, face: int) -> str:
    return f"{card_name(face)} at {place_name(position)}"


def from_to(earlier: str) -> Callable[[int, int], str]:
    def name(position: int, was: int) -> str:
        return f"{earlier} {place_name(was)} to {place_name(position)}"

    return name


def follows(first: int, second: int) -> str:
    return f"{card_name(first)} followed by {card_name(second)}"

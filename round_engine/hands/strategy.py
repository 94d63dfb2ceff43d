"""When to play and when to fold: a yes or no for each of the 741 ranks a hand can have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from round_engine.errors import RoundEngineError
from round_engine.hands import THREE_CARD_RANKS, ThreeCardCategory, lowest_rank3, name_of_rank3, rank3
from round_engine.hands.cards import RANKS


class StrategyError(RoundEngineError):
    """A strategy that cannot be read or does not answer for every hand."""


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """One decision for each rank of `hands.rank3`, weakest hand first."""

    name: str
    plays: tuple[bool, ...]

    def __post_init__(self) -> None:
        if len(self.plays) != THREE_CARD_RANKS:
            raise StrategyError(f"a strategy decides for {THREE_CARD_RANKS} ranks, {self.name!r} for {len(self.plays)}")

    def plays_hand(self, a: int, b: int, c: int) -> bool:
        """Whether three faces are played."""
        return self.plays[rank3(a, b, c)]


def from_rank(rank: int, name: str | None = None) -> Strategy:
    """Play that rank or better; 741 is above every hand, so never play."""
    return Strategy(
        name=f"{name_of_rank3(rank)} or better" if name is None else name,
        plays=tuple(other >= rank for other in range(THREE_CARD_RANKS)),
    )


def from_rule(name: str, rule: Callable[[int], bool]) -> Strategy:
    """Ask a rule of the user's own about each rank."""
    return Strategy(name=name, plays=tuple(bool(rule(rank)) for rank in range(THREE_CARD_RANKS)))


def parse(text: str) -> Strategy:
    """`always`, `never`, `pair`, or the weakest hand to play as three ranks such as `Q-6-4`."""
    word = text.strip().lower()
    if word == "always":
        return ALWAYS
    if word == "never":
        return NEVER
    if word == "pair":
        return from_rank(lowest_rank3(ThreeCardCategory.PAIR), "pair")
    cards = word.upper().replace("10", "T").replace("-", "")
    if len(cards) != 3 or any(card not in RANKS for card in cards):
        raise StrategyError(f"{text!r} is no strategy: say always, never, pair, or the weakest hand to play, as Q-6-4")
    first, second, third = (suit * 13 + RANKS.index(card) for suit, card in enumerate(cards))
    return from_rank(rank3(first, second, third), "-".join(cards))


ALWAYS: Final = from_rank(0, "always")
NEVER: Final = from_rank(THREE_CARD_RANKS, "never")

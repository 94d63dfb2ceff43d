"""Players without hands: what each puts on its spot and whether it plays, for soaks, tests and demonstrations."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from round_engine.hands.strategy import Strategy, parse
from round_engine.round.state import Spot
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import SpotWagers, usual_stakes

Decide = Callable[[Spot, Random], bool]
PAUSES_OFTEN = 0.05  # of a player's decisions, where players pause at all


def by_strategy(strategy: Strategy) -> Decide:
    """Play as a table of hands says."""
    plays = strategy.plays
    return lambda spot, _: plays[spot.rank]


def at_random(spot: Spot, chance: Random) -> bool:  # noqa: ARG001
    """Toss a coin."""
    return chance.random() < 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """One player at one spot, with the usual stakes in every round."""

    spot: int
    decide: Decide
    _wagers: dict[str, SpotWagers] = field(default_factory=dict, compare=False, repr=False)  # by rules' fingerprint

    def wagers(self, rules: RuleSet) -> SpotWagers:
        """Return what is on the spot when the betting is over: the usual stake on every circle of the layout."""
        known = self._wagers.get(rules.fingerprint)
        if known is None:
            known = SpotWagers(spot=self.spot, player=f"player {self.spot}", stakes=usual_stakes(rules))
            self._wagers[rules.fingerprint] = known
        return known


def seated(strategy: str, seats: int) -> list[Bot]:
    """As many players as seats, all of one mind: "random", or a strategy of the engine's. Raises its errors."""
    decide = at_random if strategy == "random" else by_strategy(parse(strategy))
    return [Bot(spot=spot, decide=decide) for spot in range(1, seats + 1)]


class Thinking:
    """Players who now and then take their time over a decision."""

    def __init__(self, *, longest_us: int, chance: Random, clock: Callable[[], int]) -> None:
        self._longest_us = longest_us
        self._chance = chance
        self._clock = clock
        self._due: dict[int, int] = {}

    def is_over(self, spot: int) -> bool:
        """Whether a spot has decided."""
        now = self._clock()
        if spot not in self._due:
            pauses = self._chance.random() < PAUSES_OFTEN
            self._due[spot] = now + (self._chance.randrange(self._longest_us + 1) if pauses else 0)
        if now < self._due[spot]:
            return False
        del self._due[spot]
        return True

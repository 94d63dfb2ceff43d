"""Who sits where, with what on the layout, and how each decides. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from round_engine.hands.strategy import parse
from round_engine.round.state import Spot
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import SpotWagers, usual_stakes, verify_wagers
from shuffler.api.problems import conflict, not_found
from shuffler.table.players import Decide, at_random, by_strategy

Kind = Literal["empty", "bot", "person"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One seat."""

    spot: int
    kind: Kind = "empty"
    player: str = ""
    strategy: str = "Q-6-4"
    stakes: Mapping[str, int] = field(default_factory=dict)  # in cents, by wager

    def wagers(self) -> SpotWagers:
        """What lies on the spot."""
        return SpotWagers(spot=self.spot, player=self.player or f"player {self.spot}", stakes=dict(self.stakes))


class Seating:
    """The seats of one table; what is not allowed on the layout is refused when it is put there."""

    def __init__(self, rules: RuleSet, seats: int) -> None:
        self._rules = rules
        self._chance_of: dict[int, Decide] = {}
        self.seats: dict[int, Seat] = {spot: Seat(spot=spot) for spot in range(1, seats + 1)}

    def get(self, spot: int) -> Seat:
        """By number."""
        if spot not in self.seats:
            raise not_found(f"this table has seats 1 to {len(self.seats)}, not {spot}")
        return self.seats[spot]

    def put(self, seat: Seat) -> None:
        """Somebody sits down, changes a stake or leaves; raises the engine's refusal of a wager."""
        self.get(seat.spot)
        if seat.kind != "empty":
            seat = replace(seat, stakes=seat.stakes or usual_stakes(self._rules))
            verify_wagers(self._rules, seat.wagers())
            self._chance_of[seat.spot] = at_random if seat.strategy == "random" else by_strategy(parse(seat.strategy))
        self.seats[seat.spot] = seat

    def layout(self) -> tuple[SpotWagers, ...]:
        """All wagers."""
        return tuple(seat.wagers() for seat in self.seats.values() if seat.kind != "empty")

    def bot_plays(self, spot: int, held: Spot, chance: Random) -> bool:
        """How a bot decides."""
        decide = self._chance_of.get(spot)
        if decide is None:
            raise conflict(f"nobody sits at seat {spot}")
        return decide(held, chance)

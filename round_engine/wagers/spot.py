"""What a player puts on one spot before the cards, and whether the rules allow it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from round_engine.errors import MoneyError, RuleError, WagerRefused
from round_engine.money import cents
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.wagers.registry import PLACED, WAGERS

PLACEABLE = tuple(wager.name for wager in PLACED)
INITIAL = tuple(wager for wager in PLACED if wager.is_initial)


def clean_stakes(stakes: Mapping[str, int], where: str) -> dict[WagerName, int]:
    """Return the stakes in the layout's order, without those of 0; refuse an unknown wager or what is no amount."""
    for name, amount in stakes.items():
        if name not in PLACEABLE:
            raise WagerRefused(f"{where}: there is no wager {name!r}; there are {', '.join(PLACEABLE)}")
        if type(amount) is not int or amount < 0:
            try:
                cents(amount, f"{where}: {name}")
            except MoneyError as error:
                raise WagerRefused(str(error)) from None
    return {name: int(stakes[name]) for name in PLACEABLE if stakes.get(name)}


@dataclass(frozen=True, kw_only=True, slots=True)
class SpotWagers:
    """The initial wagers on one spot, in whole cents by wager; spot 1 is at the dealer's left."""

    spot: int
    player: str
    stakes: dict[WagerName, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no spot, no name or no amount, whatever the rules."""
        if type(self.spot) is not int or self.spot < 1:
            raise WagerRefused(f"{self.spot!r} is no spot: spots are counted from 1")
        if type(self.player) is not str or not self.player:
            raise WagerRefused(f"spot {self.spot}: a wager needs the name of its player")
        object.__setattr__(self, "stakes", clean_stakes(self.stakes, f"spot {self.spot}"))

    @classmethod
    def of(cls, *, spot: int, player: str, **stakes: int) -> "SpotWagers":
        """Return the wagers with each stake as a keyword: `SpotWagers.of(spot=1, player="ann", ante=500)`."""
        return cls(spot=spot, player=player, stakes=stakes)

    def stake(self, wager: WagerName) -> int:
        """Return the stake on a wager, 0 where there is none."""
        return self.stakes.get(wager, 0)

    def __hash__(self) -> int:
        return hash((self.spot, self.player, tuple(self.stakes.items())))


def verify_table(rules: RuleSet) -> None:
    """Refuse to open a table whose rule set needs a figure that the house has not given."""
    if rules.ceiling_required and rules.house.limit_ceiling is None:
        raise RuleError(
            f"{rules.id} needs house.limit_ceiling: the highest wager that the jurisdiction allows (it is not in the "
            'documents); for example {"house": {"limit_ceiling": "$300"}}'
        )


def verify_wagers(rules: RuleSet, wagers: SpotWagers) -> None:
    """Refuse wagers that the rules do not allow on one spot."""
    spot, stakes = wagers.spot, wagers.stakes
    if spot > rules.house.seats:
        raise WagerRefused(f"spot {spot} is not at this table: spots go from 1 to {rules.house.seats}")
    for wager in INITIAL:
        if wager.is_mandatory(rules) and wager.name not in stakes:
            raise WagerRefused(f"spot {spot}: the {wager.label.lower()} is mandatory at this table")
    if not any(wager.name in stakes for wager in INITIAL):
        first = " or a ".join(wager.label.lower() for wager in INITIAL)
        raise WagerRefused(f"spot {spot}: an {first} wager comes first ({rules.clauses['placed']})")
    for name, amount in stakes.items():
        WAGERS[name].verify(rules, spot, stakes, amount)


def verify_seating(rules: RuleSet, seated: Mapping[int, str], wagers: SpotWagers) -> None:
    """Refuse a spot that is another player's, or one more than its player may have; `seated` is player by spot."""
    spot, player = wagers.spot, wagers.player
    if seated.get(spot, player) != player:
        raise WagerRefused(f"spot {spot} belongs to {seated[spot]!r}")
    if player not in seated.values():
        return
    others = [taken for taken, owner in seated.items() if owner == player and taken != spot]
    if len(others) >= rules.house.spots_per_player:
        raise WagerRefused(
            f"spot {spot}: {player!r} already has {len(others)}, and a player may have {rules.house.spots_per_player}"
        )
    if others and rules.spots_adjacent and not any(abs(taken - spot) == 1 for taken in others):
        raise WagerRefused(f"spot {spot}: a player's spots must be neighbours, and {player!r} has {others}")

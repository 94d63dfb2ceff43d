"""What lies on a spot, as a pattern that many spots of many rounds can share."""

from dataclasses import dataclass, field

from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.wagers.play import PLAY, raised
from round_engine.wagers.registry import WAGERS
from round_engine.wagers.spot import SpotWagers, clean_stakes, verify_wagers


@dataclass(frozen=True, kw_only=True)
class Stakes:
    """The wagers of one spot in whole cents."""

    stakes: dict[WagerName, int] = field(default_factory=dict)
    tip_play: bool = False
    """Whether a hand that is played adds a tip on play, equal to the one on the ante."""

    def __post_init__(self) -> None:
        """Refuse what is no wager or no amount."""
        object.__setattr__(self, "stakes", clean_stakes(self.stakes, "a pattern"))

    @classmethod
    def of(cls, *, tip_play: bool = False, **stakes: int) -> "Stakes":
        """Return the pattern with each stake as a keyword: `Stakes.of(ante=500, pair_plus=500)`."""
        return cls(stakes=stakes, tip_play=tip_play)

    def __hash__(self) -> int:
        return hash((tuple(self.stakes.items()), self.tip_play))

    @property
    def awaits_decision(self) -> bool:
        """Whether the hand is played or folded."""
        return any(WAGERS[name].awaits_decision for name in self.stakes)

    def folds_below(self, rules: RuleSet) -> int:
        """Return the rank below which the rules make the hand fold."""
        return max((WAGERS[name].folds_below(rules, self.stakes) for name in self.stakes), default=0)

    def ended(self, *, folded: bool) -> dict[WagerName, int]:
        """Return the stakes at the end of a hand: with those that playing adds, or without."""
        tip = self.stakes.get(f"tip_{PLAY.on}", 0) if self.tip_play else 0
        return dict(self.stakes) if folded else raised(self.stakes, tip)

    def on(self, spot: int, player: str) -> SpotWagers:
        """Return the same as the wagers of a spot."""
        return SpotWagers(spot=spot, player=player, stakes=self.stakes)

    def verify(self, rules: RuleSet) -> None:
        """Refuse what the rules do not allow on a spot."""
        verify_wagers(rules, self.on(1, "any"))

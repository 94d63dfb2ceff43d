"""What a player puts on one spot before the cards, and whether the rules let it stand."""

from collections.abc import Mapping
from dataclasses import dataclass

from round_engine.errors import MoneyError, RuleError, WagerRefused
from round_engine.money import ZERO, Cents, cents, dollars
from round_engine.rules.ruleset import Limit, RuleSet, Wager


@dataclass(frozen=True, kw_only=True, slots=True)
class SpotWagers:
    """The initial wagers on one spot, in whole cents; spot 1 is at the dealer's left."""

    spot: int
    player: str
    ante: Cents = ZERO
    pair_plus: Cents = ZERO
    six_card_bonus: Cents = ZERO
    progressive: Cents = ZERO
    bad_beat: Cents = ZERO
    tip_ante: Cents = ZERO
    tip_pair_plus: Cents = ZERO

    def __post_init__(self) -> None:
        """Refuse what is no spot, no name or no amount, whatever the rules."""
        if type(self.spot) is not int or self.spot < 1:
            raise WagerRefused(f"{self.spot!r} is no spot: spots are counted from 1")
        if type(self.player) is not str or not self.player:
            raise WagerRefused(f"spot {self.spot}: a wager needs the name of its player")
        for name in AMOUNTS:
            amount = getattr(self, name)
            if type(amount) is not int or amount < 0:
                try:
                    cents(amount, f"spot {self.spot}: {name}")
                except MoneyError as error:
                    raise WagerRefused(str(error)) from None


AMOUNTS = ("ante", "pair_plus", "six_card_bonus", "progressive", "bad_beat", "tip_ante", "tip_pair_plus")
NO_LIMIT = Limit()
LIMITED = (Wager.ANTE, Wager.PAIR_PLUS, Wager.SIX_CARD_BONUS)


def verify_table(rules: RuleSet) -> None:
    """Refuse to open a table whose rule set needs a figure that the house has not given."""
    if rules.ceiling_required and rules.house.limit_ceiling is None:
        raise RuleError(
            f"{rules.id} needs house.limit_ceiling: the highest wager that the jurisdiction allows (it is not in the "
            'documents); for example {"house": {"limit_ceiling": "$300"}}'
        )


def verify_wagers(rules: RuleSet, wagers: SpotWagers) -> None:
    """Refuse wagers that the rules do not allow on one spot."""
    spot = wagers.spot
    if spot > rules.house.seats:
        raise WagerRefused(f"spot {spot} is not at this table: spots go from 1 to {rules.house.seats}")
    _verify_initial_bet(rules, wagers)
    for wager in LIMITED:
        if amount := getattr(wagers, wager):
            _verify_limit(rules, spot, wager, amount)
    for wager in (Wager.PROGRESSIVE, Wager.BAD_BEAT):
        if amount := getattr(wagers, wager):
            _verify_metered(rules, spot, wager, amount)
    if wagers.tip_ante or wagers.tip_pair_plus:
        _verify_tips(rules, wagers)


def _verify_initial_bet(rules: RuleSet, wagers: SpotWagers) -> None:
    if rules.house.ante_mandatory and not wagers.ante:
        raise WagerRefused(f"spot {wagers.spot}: the ante is mandatory at this table")
    if not wagers.ante and not wagers.pair_plus:
        raise WagerRefused(f"spot {wagers.spot}: an ante or a pair plus wager comes first ({rules.clauses['placed']})")


def _verify_limit(rules: RuleSet, spot: int, wager: Wager, amount: int) -> None:
    if not rules.offers(wager):
        raise WagerRefused(f"spot {spot}: this layout has no {wager} wager")
    limit = rules.house.limits.get(wager, NO_LIMIT)
    if limit.minimum is not None and amount < limit.minimum:
        least = dollars(limit.minimum)
        raise WagerRefused(f"spot {spot}: {wager} of {dollars(amount)} is below the minimum of {least}")
    if limit.maximum is not None and amount > limit.maximum:
        most = dollars(limit.maximum)
        raise WagerRefused(f"spot {spot}: {wager} of {dollars(amount)} is above the maximum of {most}")
    _verify_ceiling(rules, spot, wager, amount)


def _verify_ceiling(rules: RuleSet, spot: int, wager: str, amount: int) -> None:
    ceiling = rules.house.limit_ceiling
    if ceiling is not None and amount > ceiling:
        raise WagerRefused(f"spot {spot}: {wager} of {dollars(amount)} is above the ceiling of {dollars(ceiling)}")


def _verify_metered(rules: RuleSet, spot: int, wager: Wager, amount: int) -> None:
    progressive = rules.progressives.get(wager)
    if progressive is None:
        raise WagerRefused(f"spot {spot}: this layout has no {wager} wager")
    if amount != progressive.denomination:
        raise WagerRefused(
            f"spot {spot}: the {wager} wager is {dollars(progressive.denomination)}, not {dollars(amount)}"
        )
    _verify_ceiling(rules, spot, wager, amount)


def _verify_tips(rules: RuleSet, wagers: SpotWagers) -> None:
    spot = wagers.spot
    if not rules.settings.tips:
        raise WagerRefused(f"spot {spot}: {rules.id} has no dealer tips as wagers")
    for wager, own, tip in (
        (Wager.ANTE, wagers.ante, wagers.tip_ante),
        (Wager.PAIR_PLUS, wagers.pair_plus, wagers.tip_pair_plus),
    ):
        if tip and not own:
            raise WagerRefused(
                f"spot {spot}: a tip on {wager} needs the player's own {wager} wager ({rules.clauses['tip_placed']})"
            )
        limit = rules.house.limits.get(wager, NO_LIMIT)
        if tip and limit.maximum is not None and tip > limit.maximum:
            raise WagerRefused(
                f"spot {spot}: a tip of {dollars(tip)} on {wager} is above the maximum of {dollars(limit.maximum)}"
            )
        _verify_ceiling(rules, spot, f"a tip on {wager}", tip)


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

"""Exact odds: house advantage, hit frequency and variance of every wager, as fractions, by counting every deal."""

from round_engine.odds.against_dealer import AnteGame, Decision
from round_engine.odds.figures import Meter, Outcome, WagerOdds
from round_engine.odds.hand_value import pair_plus_odds, six_card_odds
from round_engine.odds.metered import metered_odds

__all__ = ["AnteGame", "Decision", "Meter", "Outcome", "WagerOdds", "metered_odds", "pair_plus_odds", "six_card_odds"]

"""Exact odds: house advantage, hit frequency and variance of every wager, as fractions, by counting every deal."""

from round_engine.odds.against_dealer import AnteGame, Decision
from round_engine.odds.catalogue import TABLE_OF_WAGER, all_odds, odds_of, wagers_of
from round_engine.odds.changes import parse_changes
from round_engine.odds.figures import Meter, Outcome, WagerOdds
from round_engine.odds.hand_value import pair_plus_odds, six_card_odds
from round_engine.odds.metered import PRINTED_OTHERS, metered_odds
from round_engine.odds.printed import PRINTED, Comparison, Printed, Quantity, Verdict, compare
from round_engine.odds.together import TOGETHER, TogetherOdds, together_odds

__all__ = [
    "PRINTED",
    "PRINTED_OTHERS",
    "TABLE_OF_WAGER",
    "TOGETHER",
    "AnteGame",
    "Comparison",
    "Decision",
    "Meter",
    "Outcome",
    "Printed",
    "Quantity",
    "TogetherOdds",
    "Verdict",
    "WagerOdds",
    "all_odds",
    "compare",
    "metered_odds",
    "odds_of",
    "pair_plus_odds",
    "parse_changes",
    "six_card_odds",
    "together_odds",
    "wagers_of",
]

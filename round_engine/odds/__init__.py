"""Exact odds: house advantage, hit frequency and variance of every wager, as fractions, by counting every deal."""

from round_engine.odds.against_dealer import AnteGame, Threshold
from round_engine.odds.catalogue import TABLE_OF_WAGER, all_odds, odds_of, wagers_of
from round_engine.odds.changes import parse_changes
from round_engine.odds.figures import MeterFigures, WagerEnd, WagerOdds
from round_engine.odds.hand_value import table_odds
from round_engine.odds.metered import PRINTED_OTHERS, metered_odds
from round_engine.odds.printed import PRINTED, Agreement, Comparison, Printed, Quantity, compare
from round_engine.odds.together import TOGETHER, Mix, TogetherOdds, together_odds

__all__ = [
    "PRINTED",
    "PRINTED_OTHERS",
    "TABLE_OF_WAGER",
    "TOGETHER",
    "Agreement",
    "AnteGame",
    "Comparison",
    "MeterFigures",
    "Mix",
    "Printed",
    "Quantity",
    "Threshold",
    "TogetherOdds",
    "WagerEnd",
    "WagerOdds",
    "all_odds",
    "compare",
    "metered_odds",
    "odds_of",
    "parse_changes",
    "table_odds",
    "together_odds",
    "wagers_of",
]

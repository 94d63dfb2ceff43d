"""The page docs/odds.md, rendered from the figures it shows."""

from round_engine.hands.strategy import parse
from round_engine.odds import AnteGame
from round_engine.odds.catalogue import ante_tables
from round_engine.rules import rulebook
from shuffler.odds import tables
from shuffler.odds.query import COMPARED, PRINTED_RULES, Query, answer
from shuffler.odds.text_tables import markdown

INTRODUCTION = """# Exact odds

Every figure here is counted, not simulated: all 22,100 three-card hands, all 407,170,400 deals of a player's and a
dealer's hand, all 20,358,520 sets of six cards. Written by `make docs` (`shuffler odds --page`); a test fails when this
page is stale. `shuffler odds --help` lists what else can be asked.

How the deals are counted: a player's hand meets every dealer's hand that shares no card with it. For each of the
22,100 player hands the dealer hands below a given rank are counted by inclusion and exclusion over the player's three
cards, so no deal is skipped and none is visited one by one. Sets of six cards are counted by their ranks, each weighted
with its ways of having suits. A plain enumeration in C (`benchmarks/brute_force.c`) gives the same counts in a test.

The optimal decision is found, not assumed: each of the 22,100 hands is played where that loses less than folding. The
result is Q-6-4 or better under every rule set.

A metered wager's figures hold in the long run: everything paid into a meter is won some day, so the house gives back
the contribution, the seed of each new meter, the awards from the tray and the envy bonuses. Its variance is that of its
own award, with the meter in its long-run distribution and wagers coming one after another.
"""


def page() -> str:
    """The whole page."""
    printed = answer(Query(printed=True)).tables
    overview = [tables.overview(answer(Query()).odds, exactly=True)]
    rules = rulebook.load(PRINTED_RULES)
    strategies = [
        tables.strategies(rules, AnteGame(rules, table), [parse(text) for text in COMPARED])
        for table in ante_tables(rules)
    ]
    shown = [*printed, *overview, *strategies]
    return INTRODUCTION + "\n" + "\n".join(markdown(table) for table in shown)

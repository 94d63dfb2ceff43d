"""Every wager that the engine knows, in the order in which a layout lists them."""

from collections.abc import Mapping

from round_engine.errors import RuleError
from round_engine.rules.ruleset import RuleSet, WagerName
from round_engine.wagers.ante import ANTE
from round_engine.wagers.ante_bonus import ANTE_BONUS
from round_engine.wagers.bad_beat import BAD_BEAT
from round_engine.wagers.pair_plus import PAIR_PLUS
from round_engine.wagers.play import PLAY
from round_engine.wagers.prime import PRIME
from round_engine.wagers.progressive import PROGRESSIVE
from round_engine.wagers.six_card_bonus import SIX_CARD_BONUS
from round_engine.wagers.tips import TIPS_ON
from round_engine.wagers.wager import Wager

WAGERS: Mapping[WagerName, Wager] = {
    wager.name: wager
    for wager in (PLAY, ANTE_BONUS, ANTE, PAIR_PLUS, SIX_CARD_BONUS, PRIME, PROGRESSIVE, BAD_BEAT, *TIPS_ON)
}

PLACED = tuple(wager for wager in WAGERS.values() if wager.is_placed)
"""What a player can put on a spot before the cards."""
AWAITING = frozenset(wager.name for wager in PLACED if wager.awaits_decision)
"""The wagers that wait for a decision."""
FORCING = tuple(wager for wager in PLACED if type(wager).folds_below is not Wager.folds_below)
"""The wagers that can make a hand fold."""
METERED = tuple(name for name, wager in WAGERS.items() if wager.is_metered)
TABLED = tuple(name for name, wager in WAGERS.items() if wager.ladder)
"""The wagers that have paytables."""
SHOWDOWNS = tuple(name for name, wager in WAGERS.items() if not wager.ladder and wager.posted_as == name)
"""The wagers that are paid by how a hand ends against the dealer."""
CIRCLES = tuple(wager for wager in WAGERS.values() if wager.short)
"""The wagers that have a place on the layout."""
JUDGED = tuple(name for name, wager in WAGERS.items() if wager.judged_with == name)
"""The wagers that have odds of their own."""
SETTLED = tuple(name for name, wager in WAGERS.items() if wager.is_settled and wager.posted_as == name)
"""The wagers a spot is settled for, in the order all documents agree on."""


def wager_of(name: str) -> Wager:
    """Return the wager of that name."""
    if name not in WAGERS:
        raise RuleError(f"there is no wager {name!r}; there are {', '.join(WAGERS)}")
    return WAGERS[name]


def offered(rules: RuleSet) -> tuple[Wager, ...]:
    """Return the wagers that a player can place on this layout, tips left out."""
    return tuple(wager for wager in PLACED if wager.posted_as == wager.name and wager.is_offered(rules))


def placed_names() -> tuple[WagerName, ...]:
    """Return every wager that some layout lets a player place, tips left out."""
    return tuple(wager.name for wager in PLACED if wager.posted_as == wager.name)


def usual_stakes(rules: RuleSet) -> dict[WagerName, int]:
    """Return the stakes of a player who is given none: every circle of the layout."""
    return {wager.name: stake for wager in offered(rules) if (stake := wager.usual(rules))}


def wager_label(name: str) -> str:
    """Return the wager as people call it: `six_card_bonus` is "6 Card Bonus"."""
    return WAGERS[name].label if name in WAGERS else name.replace("_", " ")

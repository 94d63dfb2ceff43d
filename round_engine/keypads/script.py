"""The keys that record one win, for whoever works a keypad without hands."""

from round_engine.keypads.keypad import Key
from round_engine.operations import PressKey
from round_engine.progressive import Due
from round_engine.ruleset import Hand, ProgressiveRules


def keys_for(rules: ProgressiveRules, due: Due, prize: int, *, dealer: str, supervisor: str) -> list[PressKey]:
    """The keys in their order; `prize` decides between a supervisor's and an executive's card."""
    wager, hand = due.wager, Hand(due.row.hand)
    if rules.keypad == "game-manager":
        return [
            PressKey(wager=wager, key=Key.HAND, by=dealer, hand=hand),
            PressKey(wager=wager, key=Key.KEY_TO_JPH, by=supervisor),
            PressKey(wager=wager, key=Key.J_POT, by=supervisor),
            PressKey(wager=wager, key=Key.KEY_TO_RUN, by=supervisor),
        ]
    if rules.keypad == "nexus":
        card = Key.EXECUTIVE_CARD if prize >= rules.executive_from else Key.SUPERVISOR_CARD
        return [
            PressKey(wager=wager, key=Key.POSITION, by=dealer, spot=due.spot),
            PressKey(wager=wager, key=Key.HAND, by=dealer, hand=hand),
            PressKey(wager=wager, key=Key.CONFIRM, by=supervisor),
            PressKey(wager=wager, key=card, by=supervisor),
        ]
    return [
        PressKey(wager=wager, key=Key.HAND, by=dealer, hand=hand),
        PressKey(wager=wager, key=Key.POSITION, by=dealer, spot=due.spot),
        PressKey(wager=wager, key=Key.ENTER, by=supervisor),
    ]

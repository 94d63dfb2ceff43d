"""The operations that record one win, for whoever works a keypad without hands."""

from round_engine.errors import StaffError
from round_engine.keypads.keypad import Key
from round_engine.meters.awards import Due
from round_engine.round.operations import Operation, PressKey, VerifyWin
from round_engine.rules.ruleset import Hand, ProgressiveRules
from round_engine.staff import Staff, StaffRole


def keys_for(
    rules: ProgressiveRules, due: Due, prize: int, *, dealer: str, supervisor: str, staff: Staff
) -> list[Operation]:
    """The keys in their order, and where the dealer presses them all, the verification first.

    `prize` decides between a supervisor's and an executive's card.
    """
    wager, hand = due.wager, Hand(due.row.hand)
    if rules.keypad == "game-manager":
        return [
            PressKey(wager=wager, key=Key.HAND, by=dealer, hand=hand),
            PressKey(wager=wager, key=Key.KEY_TO_JPH, by=supervisor),
            PressKey(wager=wager, key=Key.J_POT, by=supervisor),
            PressKey(wager=wager, key=Key.KEY_TO_RUN, by=supervisor),
        ]
    if rules.keypad == "nexus":
        needed = prize >= rules.executive_from
        return [
            PressKey(wager=wager, key=Key.POSITION, by=dealer, spot=due.spot),
            PressKey(wager=wager, key=Key.HAND, by=dealer, hand=hand),
            PressKey(wager=wager, key=Key.CONFIRM, by=supervisor),
            PressKey(wager=wager, key=Key.EXECUTIVE_CARD, by=_executive(rules, supervisor, staff))
            if needed
            else PressKey(wager=wager, key=Key.SUPERVISOR_CARD, by=supervisor),
        ]
    keys = [
        PressKey(wager=wager, key=Key.HAND, by=dealer, hand=hand),
        PressKey(wager=wager, key=Key.POSITION, by=dealer, spot=due.spot),
        PressKey(wager=wager, key=Key.ENTER, by=dealer),
    ]
    verify = VerifyWin(wager=wager, spot=due.spot, hand=hand, by=supervisor)
    return [verify, *keys] if rules.confirmer_is_not_the_dealer else list(keys)


def _executive(rules: ProgressiveRules, supervisor: str, staff: Staff) -> str:
    """Whoever swipes an executive's card: the supervisor who holds one, else the first on the staff who does."""
    holding = staff.holding(StaffRole.EXECUTIVE)
    if supervisor in holding or not rules.confirmer_is_not_the_dealer:
        return supervisor
    if not holding:
        raise StaffError("this prize takes an executive's card, and nobody on the staff holds one")
    return holding[0]

"""What is said and shown at a table, beyond what the clauses ask."""

import pytest

from round_engine.errors import WrongPhase
from round_engine.round import operations as op
from round_engine.rules.ruleset import Hand
from round_engine.table.calls import dealers_hand, hands_left_face_up, no_more_bets, win_page
from tests.round_engine.support import DEALER_NAME, NINES, NOTHING, SUPERVISOR, bet, dealt, new_table, opened, revealed

LIT = {"ante": 500, "progressive": 100}


@pytest.mark.parametrize(
    ("without", "call"),
    [((), "No more bets."), ((3,), "No more bets. No PAIR PLUS, position 3."),
     ((1, 2), "No more bets. No PAIR PLUS, position 1 and 2.")],
)  # fmt: skip
def test_no_more_bets(without: tuple[int, ...], call: str) -> None:
    table = new_table()
    opened(table, *(bet(spot, ante=500, pair_plus=0 if spot in without else 500) for spot in (1, 2, 3)))
    assert no_more_bets(table.in_play()) == call


def test_the_lowest_hand_that_plays_is_called_as_playing() -> None:
    table = new_table()
    revealed(table, [bet(1, ante=500)], {1: NOTHING}, "Qd 3c 2s")
    assert dealers_hand(table.in_play()) == "Dealer plays with high card Q-3-2."


def test_before_the_reveal_nothing_is_told() -> None:
    table = new_table()
    dealt(table, [bet(1, **LIT)], {1: "As Ks Qs"})
    with pytest.raises(WrongPhase, match="has not been revealed"):
        dealers_hand(table.in_play())
    assert hands_left_face_up(table.in_play()) == ()


def test_the_page_of_a_wrong_record_says_what_is_missing() -> None:
    table = new_table()
    revealed(table, [bet(1, **LIT)], {1: NOTHING}, NINES)
    for key in ("HAND", "KEY TO JPH", "J-POT"):
        button = Hand.STRAIGHT if key == "HAND" else None
        by = DEALER_NAME if key == "HAND" else SUPERVISOR
        table.do(op.PressKey(wager="progressive", key=key, by=by, hand=button))
    table.do(op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="wrong"))
    page = win_page(table.in_play(), table.jackpots["progressive"].records[0])
    for part in ("record     1 (backed out)", "position   not keyed", "player     not known", "$6 from the tray"):
        assert part in page

"""Wagers that are refused, each by name; a refused one changes nothing."""

from typing import Any

import pytest

from round_engine.errors import RuleError, WagerRefused
from round_engine.round import operations as op
from round_engine.rules.rulebook import load
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from tests.round_engine.support import bet, new_table, opened


def refused(wagers: SpotWagers, says: str, name: str = "south-dakota", **changes: Any) -> None:
    """Refused by an open round with one spot taken, which stays as it was."""
    table = new_table(name, **changes)
    opened(table, bet(1, "ann", ante=500))
    before = repr(table.round)
    with pytest.raises(WagerRefused, match=says):
        table.do(op.PlaceWagers(wagers=wagers))
    assert repr(table.round) == before


@pytest.mark.parametrize("amount", [5.5, 500.0, "500", None, True])
@pytest.mark.parametrize("wager", ["ante", "pair_plus", "six_card_bonus", "progressive", "bad_beat", "tip_ante"])
def test_fractional_cents_and_other_than_whole_ones(wager: str, amount: Any) -> None:
    with pytest.raises(WagerRefused, match=f"spot 2: {wager} must be whole cents"):
        SpotWagers.of(spot=2, player="ann", **{wager: amount})


@pytest.mark.parametrize("wager", ["ante", "pair_plus", "six_card_bonus", "progressive", "bad_beat", "tip_pair_plus"])
def test_negative_wagers(wager: str) -> None:
    with pytest.raises(WagerRefused, match=f"spot 2: {wager} must not be negative"):
        SpotWagers.of(spot=2, player="ann", **{wager: -1})  # type: ignore[arg-type]


@pytest.mark.parametrize("spot", [0, -1, 1.0, True, "1", None])
def test_spots_that_are_none(spot: Any) -> None:
    with pytest.raises(WagerRefused, match="is no spot"):
        SpotWagers.of(spot=spot, player="ann")


@pytest.mark.parametrize("player", ["", None, 7])
def test_wagers_without_a_player(player: Any) -> None:
    with pytest.raises(WagerRefused, match="needs the name of its player"):
        SpotWagers.of(spot=1, player=player)


def test_a_spot_beyond_the_table() -> None:
    refused(bet(8, ante=500), "spots go from 1 to 7")
    refused(bet(4, ante=500), "spots go from 1 to 3", house={"seats": 3})


@pytest.mark.parametrize("wager", ["ante", "pair_plus", "six_card_bonus"])
@pytest.mark.parametrize(("amount", "says"), [(499, "below the minimum of \\$5"), (2001, "above the maximum of \\$20")])
def test_wagers_outside_the_posted_limits(wager: str, amount: int, says: str) -> None:
    posted = {"house": {"limits": {wager: {"minimum": "$5", "maximum": "$20"}}}}
    main = {} if wager in ("ante", "pair_plus") else {"ante": 500}
    refused(bet(2, **main, **{wager: amount}), says, **posted)


def test_over_the_ceiling() -> None:
    refused(bet(2, ante=30_001), "above the ceiling of \\$300", "light-and-wonder")


def test_a_table_that_needs_a_ceiling_is_not_opened_without_one() -> None:
    with pytest.raises(RuleError, match=r"needs house\.limit_ceiling"):
        Table(load("light-and-wonder"))


@pytest.mark.parametrize("stakes", [{}, {"six_card_bonus": 500}, {"progressive": 100}])
def test_side_wagers_alone(stakes: dict[str, int]) -> None:
    refused(bet(2, **stakes), "an ante or a pair plus wager comes first")


def test_pair_plus_alone_where_the_ante_is_mandatory() -> None:
    refused(bet(2, pair_plus=500), "the ante is mandatory", house={"ante_mandatory": True})


@pytest.mark.parametrize("amount", [1, 99, 101, 200])
def test_a_progressive_wager_of_another_denomination(amount: int) -> None:
    refused(bet(2, ante=500, progressive=amount), "the progressive wager is \\$1")


def test_wagers_that_the_layout_does_not_have() -> None:
    refused(bet(2, ante=500, bad_beat=100), "this layout has no bad_beat wager")
    no_side = {"house": {"paytables": {"six_card_bonus": "none", "progressive": "none"}}}
    refused(bet(2, ante=500, six_card_bonus=500), "this layout has no six_card_bonus wager", **no_side)
    refused(bet(2, ante=500, progressive=100), "this layout has no progressive wager", **no_side)


def test_a_tip_without_the_players_own_wager() -> None:
    refused(bet(2, pair_plus=500, tip_ante=100), "a tip on ante needs the player's own ante wager")
    refused(bet(2, ante=500, tip_pair_plus=100), "a tip on pair_plus needs the player's own pair_plus wager")


def test_tips_where_there_are_none() -> None:
    refused(bet(2, ante=500, tip_ante=100), "has no dealer tips as wagers", "light-and-wonder")


def test_tips_above_the_maximum() -> None:
    posted = {"house": {"limits": {"ante": {"maximum": "$20"}}}}
    refused(bet(2, ante=500, tip_ante=2001), "a tip of \\$20.01 on ante is above the maximum", **posted)
    opened(new_table(**posted), bet(2, ante=500, tip_ante=2000))


def test_another_players_spot() -> None:
    refused(bet(1, "bob", ante=500), "spot 1 belongs to 'ann'")


def test_two_spots_where_one_is_allowed() -> None:
    refused(bet(2, "ann", ante=500), "a player may have 1", "ten-dollar-house")


def test_two_spots_apart_where_they_must_be_neighbours() -> None:
    refused(bet(3, "ann", ante=500), "must be neighbours", "light-and-wonder")


def test_a_spot_named_twice_in_the_opening() -> None:
    table = new_table()
    twice = (bet(1, ante=500), bet(1, ante=700))
    with pytest.raises(WagerRefused, match="spot 1 is named twice"):
        table.do(op.OpenRound(round_id="1", shuffle="1", dealer="dana", wagers=twice))
    assert table.round is None


def test_wagers_can_be_changed_and_taken_back_until_the_lock() -> None:
    table = new_table()
    opened(table, bet(1, "ann", ante=500))
    table.do(op.PlaceWagers(wagers=bet(1, "ann", ante=700, pair_plus=100)))
    table.do(op.PlaceWagers(wagers=bet(2, ante=500)))
    table.do(op.WithdrawWagers(spot=2))
    with pytest.raises(WagerRefused, match="there is no wager on spot 2"):
        table.do(op.WithdrawWagers(spot=2))
    table.do(op.LockWagers())
    assert table.ledger.balance("player:ann") == -800
    assert list(table.in_play().spots) == [1]


def test_what_has_been_allowed_is_not_remembered_without_end() -> None:
    table = new_table()
    opened(table)
    for amount in range(100, 1300):
        table.do(op.PlaceWagers(wagers=bet(1, ante=amount)))
    assert len(table.book.allowed_wagers) < 1025


def test_no_lock_without_a_wager() -> None:
    table = new_table()
    opened(table)
    assert not table.can(op.LockWagers())
    with pytest.raises(WagerRefused, match="nobody has a wager"):
        table.do(op.LockWagers())


def test_a_spot_between_two_of_the_same_player_is_withdrawn_last() -> None:
    """Only where a house lets a player have three neighbours."""
    table = new_table("light-and-wonder", game={"spots_per_player": {"most": 3}}, house={"spots_per_player": 3})
    opened(table, *(bet(spot, "ann", ante=500) for spot in (1, 2, 3)))
    with pytest.raises(WagerRefused, match="lies between"):
        table.do(op.WithdrawWagers(spot=2))
    table.do(op.WithdrawWagers(spot=3))
    table.do(op.WithdrawWagers(spot=2))


def test_equal_looking_amounts_of_another_type_never_slip_through() -> None:
    """500.0 equals 500 and hashes like it: it must not be taken for a wager that has been allowed."""
    table = new_table()
    opened(table, bet(1, ante=500))
    with pytest.raises(WagerRefused, match="must be whole cents"):
        table.do(op.PlaceWagers(wagers=SpotWagers.of(spot=1, player="p1", ante=500.0)))  # type: ignore[arg-type]

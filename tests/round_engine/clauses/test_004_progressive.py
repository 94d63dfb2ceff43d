"""Light & Wonder training manual (004): the progressive on Game Manager and on Nexus Command, and Appendix A."""

from typing import Any

import pytest

from round_engine.errors import KeyRefused, MoveRefused, OutOfTurn, RoleRefused, WagerRefused
from round_engine.keypads import Key
from round_engine.money.ledger import TRAY, EntryKind
from round_engine.round import operations as op
from round_engine.rules.ruleset import Hand
from round_engine.table import Table
from tests.round_engine.support import (
    AKQ_HEARTS,
    AKQ_SPADES,
    DEALER_NAME,
    EXECUTIVE,
    NINES,
    NOTHING,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUPERVISOR,
    TRIPS,
    bet,
    found,
    key_all,
    net,
    new_table,
    only,
    opened,
    played,
    revealed,
    triggering,
)

LIT = {"ante": 500, "progressive": 100}
SYSTEMS = ("game-manager", "nexus")
both = pytest.mark.parametrize("system", SYSTEMS)


def lw_table(system: str, **changes: Any) -> Table:
    house = {"systems": {"progressive": system}, **changes.pop("house", {})}
    return new_table("light-and-wonder", house=house, **changes)


def press(table: Table, key: Key, *, by: str = DEALER_NAME, hand: Hand | None = None, spot: int | None = None) -> None:
    table.do(op.PressKey(wager="progressive", key=key, by=by, hand=hand, spot=spot))


# --- what both systems have in common --------------------------------------------------------------------------------


@both
@pytest.mark.clause("004 GM (1)", "004 Nexus (1)")
def test_1_the_wager_is_optional(system: str) -> None:
    played(lw_table(system), [bet(1, ante=500), bet(2, **LIT)], {1: PAIR, 2: NOTHING}, NINES)


@both
@pytest.mark.clause("004 GM (2)", "004 Nexus (2)")
def test_2_each_players_own_cards_count_and_nobody_elses(system: str) -> None:
    postings = played(lw_table(system), [bet(1, **LIT), bet(2, **LIT)], {1: TRIPS, 2: NOTHING}, "8h 7h 6h")
    assert {one.spot for one in found(postings, EntryKind.AWARDED, "progressive")} == {1}


@both
@pytest.mark.clause("004 GM (3)", "004 Nexus (3)")
@pytest.mark.parametrize(
    ("own", "pays"),
    [
        (AKQ_HEARTS, (500, 500)),
        ("Ac Kc Qc", (500, 500)),
        (STRAIGHT_FLUSH, (70, 100)),
        (TRIPS, (60, 90)),
        (STRAIGHT, (6, 0)),
        (PAIR, (0, 0)),
    ],
)
def test_3_paytables_and_the_wager_is_not_returned(system: str, own: str, pays: tuple[int, int]) -> None:
    for column, odds in enumerate(pays, 1):
        table = lw_table(system, house={"paytables": {"progressive": str(column)}})
        postings = played(table, [bet(1, **LIT)], {1: own}, NINES)
        assert net(found(postings, wager="progressive"), "player:p1") == 100 * odds - 100


@both
@pytest.mark.clause("004 GM (3)", "004 Nexus (3)")
def test_3_seed_awards_and_envy_multiply_with_the_wager(system: str) -> None:
    table = lw_table(system, progressive={"denomination": "$5"})
    assert table.meters["progressive"].amount == 500_000
    five = {"ante": 500, "progressive": 500}
    hands = {1: "Ad Kd Qd", 2: NOTHING}
    postings = played(table, [bet(1, **five), bet(2, **five)], hands, NINES)
    assert only(postings, EntryKind.AWARDED, "progressive").amount == 250_000
    assert only(postings, EntryKind.ENVY, "progressive", spot=2).amount == 12_500


@both
@pytest.mark.clause("004 GM (4)", "004 Nexus (4)")
def test_4_reseeded_when_the_full_award_hits(system: str) -> None:
    table = lw_table(system)
    postings = played(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    assert only(postings, EntryKind.RECORDED, "progressive").amount == 100_014
    assert only(postings, EntryKind.SEEDED, "progressive").source == "house"
    assert table.meters["progressive"].amount == 100_000


@both
@pytest.mark.clause("004 GM (5)", "004 Nexus (5)")
def test_5_the_regular_games_wager_comes_first(system: str) -> None:
    with pytest.raises(WagerRefused, match="an ante or a pair plus wager comes first"):
        opened(lw_table(system), bet(1, progressive=100))
    opened(lw_table(system), bet(1, pair_plus=500, progressive=100))


@pytest.mark.parametrize(
    ("system", "key"),
    [
        pytest.param("game-manager", "COIN IN", marks=pytest.mark.clause("004 GM (6)")),
        pytest.param("nexus", "START GAME", marks=pytest.mark.clause("004 Nexus (6)")),
    ],
)
def test_6_the_lock_key_lights_the_sensors_and_the_wagers_are_removed(system: str, key: Key) -> None:
    table = lw_table(system)
    assert table.jackpots["progressive"].dialect.lock_key == key
    opened(table, bet(1, **LIT), bet(2, ante=500), bet(3, **LIT))
    postings = table.do(op.LockWagers()).postings
    assert table.jackpots["progressive"].keypad.lit == (1, 3)
    assert [one.spot for one in found(postings, EntryKind.COLLECTED)] == [1, 3]
    assert table.meters["progressive"].amount == 100_028


@both
@pytest.mark.clause("004 GM (8)", "004 Nexus (8)")
def test_8_standard_bonus_and_progressive_wagers_are_reconciled_spot_by_spot(system: str) -> None:
    table = lw_table(system)
    revealed(table, [bet(1, **LIT, six_card_bonus=100), bet(2, **LIT)], {1: STRAIGHT, 2: TRIPS}, NINES)
    key_all(table)
    order = [(one.spot, one.wager) for one in table.do(op.Settle()).postings]
    assert [spot for spot, _ in order] == sorted((spot for spot, _ in order), reverse=True)
    assert order[-1] == (1, "progressive")


@pytest.mark.parametrize(
    ("system", "pays"),
    [
        pytest.param("nexus", 0, marks=pytest.mark.clause("004 Nexus (8)")),
        pytest.param("game-manager", 6000, marks=pytest.mark.clause("004 GM (8)")),
    ],
)
def test_8_folded_hands_do_not_qualify_on_nexus_and_stay_alive_on_game_manager(system: str, pays: int) -> None:
    postings = played(lw_table(system), [bet(1, **LIT)], {1: TRIPS}, NINES, fold=[1])
    assert net(found(postings, wager="progressive"), "player:p1") == pays - 100


@both
@pytest.mark.clause("004 GM (9)(a)", "004 Nexus (9)(a)")
def test_9a_percentage_pays_come_from_the_meter(system: str) -> None:
    postings = played(lw_table(system), [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    assert only(postings, EntryKind.RECORDED, "progressive").source == "meter:progressive"


@both
@pytest.mark.clause("004 GM (9)(b)", "004 Nexus (9)(b)")
def test_9b_other_hands_come_from_the_tray(system: str) -> None:
    table = lw_table(system)
    postings = played(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    assert only(postings, EntryKind.AWARDED, "progressive").source == TRAY
    assert table.meters["progressive"].amount == 100_014


@both
@pytest.mark.clause("004 GM (9)(c)", "004 Nexus (9)(c)", "004 Appendix A")
def test_9c_several_meter_wins_go_from_the_far_right_counter_clockwise(system: str) -> None:
    tens = {"progressive": {"1": {"akq_suited": {"pays": "10% of meter"}}}}
    table = lw_table(system, paytables=tens)
    wagers = [bet(1, **LIT), bet(4, **LIT), bet(7, **LIT)]
    revealed(table, wagers, {1: "Ad Kd Qd", 4: AKQ_SPADES, 7: AKQ_HEARTS}, NINES)
    recorded = found(key_all(table), EntryKind.RECORDED)
    first = 100_042 // 10
    assert [(one.spot, one.amount) for one in recorded] == [(7, first), (4, 100_042 - first), (1, 10_000)]
    assert table.meters["progressive"].amount == 90_000


@pytest.mark.clause("004 Appendix A")
def test_appendix_a_can_be_replaced_by_the_casinos_controls() -> None:
    tens = {"progressive": {"1": {"akq_suited": {"pays": "10% of meter"}}}}
    table = lw_table("nexus", paytables=tens, progressive={"meter_win_order": "dealers-left"})
    revealed(table, [bet(1, **LIT), bet(7, **LIT)], {1: "Ad Kd Qd", 7: AKQ_HEARTS}, NINES)
    press(table, "POSITION", spot=7)
    press(table, "HAND", hand=Hand.AKQ_SUITED)
    press(table, "CONFIRM", by=SUPERVISOR)
    with pytest.raises(OutOfTurn, match="spot 1 with akq_suited is paid from the meter first"):
        press(table, "SUPERVISOR CARD", by=SUPERVISOR)


@both
@pytest.mark.clause("004 GM (9)(f)", "004 Nexus (9)(f)")
def test_9f_the_record_has_everything_that_a_win_page_prints(system: str) -> None:
    table = lw_table(system)
    revealed(table, [bet(2, "ann", **LIT)], {2: AKQ_SPADES}, NINES)
    key_all(table)
    assert table.round is not None
    (record,) = table.jackpots["progressive"].records
    who = EXECUTIVE if system == "nexus" else SUPERVISOR
    assert (record.spot, record.hand, record.prize, record.by) == (2, "akq_spades", 100_014, who)
    assert table.round.spots[2].wagers.player == "ann"


@pytest.mark.parametrize(
    ("system", "key"),
    [
        pytest.param("game-manager", "GAME OVER", marks=pytest.mark.clause("004 GM (9)(h)")),
        pytest.param("nexus", "END GAME", marks=pytest.mark.clause("004 Nexus (9)(g)")),
    ],
)
def test_9_the_end_key_resets_the_system(system: str, key: Key) -> None:
    table = lw_table(system)
    played(table, [bet(1, **LIT)], {1: NOTHING}, NINES)
    assert table.jackpots["progressive"].dialect.end_key == key
    assert table.jackpots["progressive"].keypad.mode == "open"


@both
@pytest.mark.clause("004 GM (9)(i)", "004 Nexus (9)(h)")
def test_9_a_recorded_prize_is_only_backed_out_by_hand_with_an_audit_line(system: str) -> None:
    table = lw_table(system)
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    before = table.meters["progressive"]
    key_all(table)
    with pytest.raises(MoveRefused, match="needs a name and a reason"):
        table.do(op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason=""))
    with pytest.raises(MoveRefused, match="BackOut is for the supervisor or the executive"):
        table.do(op.BackOut(wager="progressive", record=1, by=DEALER_NAME, reason="mine"))
    table.do(op.BackOut(wager="progressive", record=1, by=SUPERVISOR, reason="camera review"))
    assert table.meters["progressive"] == before
    assert [(line.by, line.reason, line.amount) for line in table.audit] == [(SUPERVISOR, "camera review", 100_014)]


# --- envy ------------------------------------------------------------------------------------------------------------


@both
@pytest.mark.clause("004 GM (10)(a)", "004 Nexus (10)(a)")
@pytest.mark.parametrize(("own", "amount"), [(AKQ_SPADES, 10_000), (AKQ_HEARTS, 2_500), (STRAIGHT_FLUSH, 0)])
def test_10a_all_other_lit_spots_win_the_envy_pay(system: str, own: str, amount: int) -> None:
    wagers = [bet(1, **LIT), bet(2, **LIT), bet(3, **LIT), bet(4, ante=500)]
    hands = {1: "2c 5d 9h", 2: own, 3: "3c 8d Tc", 4: "4c 7d Jh"}
    paid = {one.spot: one.amount for one in found(played(lw_table(system), wagers, hands, NINES), EntryKind.ENVY)}
    assert paid == ({1: amount, 3: amount} if amount else {})


@pytest.mark.parametrize(
    ("system", "spots"),
    [
        pytest.param("game-manager", [3, 2], marks=pytest.mark.clause("004 GM (10)(a)")),
        pytest.param("nexus", [3], marks=pytest.mark.clause("004 Nexus (10)(a)")),
    ],
)
def test_10a_ones_own_other_hand_is_paid_on_game_manager_only(system: str, spots: list[int]) -> None:
    wagers = [bet(1, "ann", **LIT), bet(2, "ann", **LIT), bet(3, "bob", **LIT)]
    hands = {1: AKQ_SPADES, 2: "2c 5d 9h", 3: "3c 8d Tc"}
    assert [one.spot for one in found(played(lw_table(system), wagers, hands, NINES), EntryKind.ENVY)] == spots


@both
@pytest.mark.clause("004 GM (10)(a)", "004 Nexus (10)(a)")
def test_10a_never_from_the_dealer(system: str) -> None:
    wagers = [bet(1, **LIT), bet(2, **LIT)]
    assert not found(played(lw_table(system), wagers, {1: NOTHING, 2: PAIR}, AKQ_SPADES), EntryKind.ENVY)


@pytest.mark.clause("004 Nexus (10)(a)")
def test_10a_only_at_the_table_where_it_happened() -> None:
    one, other = lw_table("nexus"), lw_table("nexus")
    revealed(other, [bet(1, **LIT)], {1: NOTHING}, NINES)
    played(one, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    other.do(op.LinkMeter(wager="progressive", change=-14, table="one"))
    assert not found(other.do(op.Settle()).postings, EntryKind.ENVY)


@pytest.mark.clause("004 Nexus (8)", "004 Nexus (10)(a)")
@pytest.mark.parametrize(("setting", "spots"), [(False, []), (True, [2])])
def test_10a_a_disqualified_folded_hand_triggers_nothing(setting: bool, spots: list[int]) -> None:
    table = lw_table("nexus", progressive={"envy_from_disqualified": setting})
    postings = played(table, [bet(1, **LIT), bet(2, **LIT)], {1: AKQ_SPADES, 2: NOTHING}, NINES, fold=[1])
    assert [one.spot for one in found(postings, EntryKind.ENVY)] == spots


@both
@pytest.mark.clause("004 GM (10)(b)", "004 Nexus (10)(b)")
def test_10b_a_triggering_hand_stays_face_up(system: str) -> None:
    table = lw_table(system)
    revealed(table, [bet(1, **LIT), bet(2, **LIT)], {1: AKQ_HEARTS, 2: STRAIGHT_FLUSH}, NINES)
    assert triggering(table, "progressive") == [1]


@both
@pytest.mark.clause("004 GM (10)(c)", "004 Nexus (10)(c)")
def test_10c_envies_are_paid_at_the_end_and_several_pay_several_times(system: str) -> None:
    table = lw_table(system)
    wagers = [bet(1, **LIT), bet(2, **LIT), bet(3, **LIT)]
    revealed(table, wagers, {1: AKQ_HEARTS, 2: AKQ_SPADES, 3: "3c 8d Td"}, NINES)
    key_all(table)
    postings = table.do(op.Settle()).postings
    paid = sorted((one.spot, one.amount) for one in found(postings, EntryKind.ENVY))
    assert paid == [(1, 10_000), (2, 2_500), (3, 2_500), (3, 10_000)]
    assert {one.entry for one in postings[-4:]} == {EntryKind.ENVY}


# --- the keypads -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("004 GM (9)(d)")
def test_gm_9d_the_hand_button_again_turns_it_off() -> None:
    table = lw_table("game-manager")
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    press(table, "HAND", hand=Hand.STRAIGHT)
    press(table, "HAND", hand=Hand.STRAIGHT)
    assert table.jackpots["progressive"].keypad.mode == "locked"


@pytest.mark.clause("004 GM (9)(e)", "004 GM (9)(f)")
def test_gm_9f_a_supervisors_key_at_jph_and_j_pot_record_the_win() -> None:
    table = lw_table("game-manager")
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    press(table, "HAND", hand=Hand.AKQ_SPADES)
    with pytest.raises(KeyRefused, match="the key is not at JPH"):
        press(table, "J-POT", by=SUPERVISOR)
    with pytest.raises(RoleRefused, match="is for the supervisor"):
        press(table, "KEY TO JPH")
    press(table, "KEY TO JPH", by=SUPERVISOR)
    press(table, "J-POT", by=SUPERVISOR)
    (record,) = table.jackpots["progressive"].records
    assert (record.spot, record.prize, record.adjusted) == (1, 100_014, False)
    assert table.meters["progressive"].amount == 100_014


@pytest.mark.clause("004 GM (9)(g)")
def test_gm_9g_the_key_back_at_run_adjusts_the_meter() -> None:
    table = lw_table("game-manager")
    revealed(table, [bet(1, **LIT)], {1: AKQ_SPADES}, NINES)
    press(table, "HAND", hand=Hand.AKQ_SPADES)
    press(table, "KEY TO JPH", by=SUPERVISOR)
    press(table, "J-POT", by=SUPERVISOR)
    with pytest.raises(MoveRefused, match="the progressive keypad is not done"):
        table.do(op.Settle())
    press(table, "KEY TO RUN", by=SUPERVISOR)
    assert table.meters["progressive"].amount == 100_000
    table.do(op.Settle())


@pytest.mark.clause("004 Nexus (9)(d)")
def test_nexus_9d_spot_then_hand_and_the_hand_again_turns_it_off() -> None:
    table = lw_table("nexus")
    revealed(table, [bet(1, **LIT), bet(2, ante=500)], {1: TRIPS, 2: NOTHING}, NINES)
    with pytest.raises(KeyRefused, match="select the winner's spot first"):
        press(table, "HAND", hand=Hand.THREE_OF_A_KIND)
    with pytest.raises(KeyRefused, match="position 2 has no progressive wager"):
        press(table, "POSITION", spot=2)
    press(table, "POSITION", spot=1)
    press(table, "HAND", hand=Hand.STRAIGHT)
    press(table, "HAND", hand=Hand.STRAIGHT)
    assert table.jackpots["progressive"].keypad.mode == "spot selected"


@pytest.mark.clause("004 Nexus (9)(e)", "004 Nexus (9)(f)")
@pytest.mark.parametrize(("own", "hand", "needs_executive"), [(TRIPS, Hand.THREE_OF_A_KIND, False),
                                                              (AKQ_SPADES, Hand.AKQ_SPADES, True)])  # fmt: skip
def test_nexus_9f_confirm_and_a_card_by_jackpot_level(own: str, hand: Hand, needs_executive: bool) -> None:
    table = lw_table("nexus")
    revealed(table, [bet(1, **LIT)], {1: own}, NINES)
    press(table, "POSITION", spot=1)
    press(table, "HAND", hand=hand)
    with pytest.raises(RoleRefused, match="is for the supervisor"):
        press(table, "CONFIRM")
    press(table, "CONFIRM", by=SUPERVISOR)
    if needs_executive:
        with pytest.raises(KeyRefused, match="takes an executive card"):
            press(table, "SUPERVISOR CARD", by=SUPERVISOR)
        assert table.jackpots["progressive"].records == []
        press(table, "EXECUTIVE CARD", by=EXECUTIVE)
    else:
        press(table, "SUPERVISOR CARD", by=SUPERVISOR)
    assert len(table.jackpots["progressive"].records) == 1
    table.do(op.Settle())


@pytest.mark.clause("004 Nexus (9)(f)")
def test_nexus_9f_the_level_is_a_setting() -> None:
    table = lw_table("nexus", progressive={"executive_from": "$50"})
    revealed(table, [bet(1, **LIT)], {1: TRIPS}, NINES)
    assert [press.key for press in table.keys_for(table.dues()[0], supervisor=SUPERVISOR)][-1] == "EXECUTIVE CARD"

"""A shared meter as a pure machine."""

import pytest

from proofs.meter_model import MeterModel
from shuffler.journal.entries import MeterMoved, MoveKind
from shuffler.meters.errors import MeterRefused
from shuffler.meters.values import HoldState, MeterRules, Wanted

RULES = MeterRules(name="m", denomination=1000, spots=7, seed=1000, share_bp=2600, reserve_bp=300, percents=(100, 25))


def move(kind: MoveKind, change: int = 0, reserve: int = 0, *, round_id: str = "R1", nth: int = 1, **more):
    spot = 3 if kind in (MoveKind.AWARD, MoveKind.BACK_OUT) else 0
    return MeterMoved(
        number=1, meter="m", round_id=round_id, spot=spot, kind=kind, nth=nth, change=change, reserve_change=reserve,
        **more,
    )  # fmt: skip


def award(meter: MeterModel, table: str, round_id: str = "R1", nth: int = 1) -> MeterModel:
    hold = meter.hold_of(table, round_id, Wanted(3, nth, 0))
    assert hold is not None
    assert hold.state is HoldState.FIXED
    seed, aside = (1000, hold.reserve) if hold.percent == 100 else (0, 0)
    taken = move(
        MoveKind.AWARD, seed + aside - hold.pot, -aside, round_id=round_id, nth=nth, prize=hold.pot, seed=seed,
        from_reserve=aside, ticket=hold.ticket,
    )  # fmt: skip
    return meter.push(table, taken)


def raised(amount: int = 400, reserve: int = 70) -> MeterModel:
    return MeterModel.new(RULES).push("t0", move(MoveKind.CONTRIBUTION, amount, reserve, round_id="R0"))


def test_a_move_that_comes_twice_is_taken_once() -> None:
    once = raised()
    assert once.push("t0", move(MoveKind.CONTRIBUTION, 400, 70, round_id="R0")) == once
    with pytest.raises(MeterRefused, match="other amounts"):
        once.push("t0", move(MoveKind.CONTRIBUTION, 401, 70, round_id="R0"))


def test_contributions_go_on_above_a_prize_that_is_fixed() -> None:
    meter = raised().ask("t1", "R1", (Wanted(3, 1, 100),))
    meter = meter.push("t2", move(MoveKind.CONTRIBUTION, 26, 3))
    meter = award(meter, "t1")
    assert meter.amount == 26 + 1000 + 70
    assert meter.reserve == 3
    assert not meter.problems()


def test_the_second_of_two_hits_sees_the_meter_after_the_first() -> None:
    meter = raised().ask("t1", "R1", (Wanted(3, 1, 100),)).ask("t2", "R1", (Wanted(3, 1, 25),))
    second = meter.hold_of("t2", "R1", Wanted(3, 1, 25))
    assert second is not None
    assert second.state is HoldState.WAITING
    meter = award(meter, "t1")
    second = meter.hold_of("t2", "R1", Wanted(3, 1, 25))
    assert second is not None
    assert (second.state, second.amount, second.pot) == (HoldState.FIXED, 1070, 267)
    meter = award(meter, "t2")
    assert (meter.amount, meter.floor) == (803, 803)


def test_awards_of_one_round_are_served_together() -> None:
    meter = raised().ask("t1", "R1", (Wanted(5, 1, 25), Wanted(3, 1, 100))).ask("t2", "R1", (Wanted(1, 1, 100),))
    assert [hold.table for hold in meter.holds] == ["t1", "t1", "t2"]


def test_an_award_without_a_reservation_is_refused() -> None:
    with pytest.raises(MeterRefused, match="without a reservation"):
        raised().push("t1", move(MoveKind.AWARD, -10, prize=10))


def test_another_prize_than_the_one_reserved_is_refused() -> None:
    meter = raised().ask("t1", "R1", (Wanted(3, 1, 25),))
    with pytest.raises(MeterRefused, match="not what is reserved"):
        meter.push("t1", move(MoveKind.AWARD, -351, prize=351, ticket=1))


def test_an_award_that_a_restored_server_has_forgotten_is_taken_and_the_house_bears_what_is_missing() -> None:
    meter = raised().push("t1", move(MoveKind.AWARD, -5000 + 1000, prize=5000, seed=1000, ticket=7))
    assert meter.amount == 1000
    assert meter.rows[-2].borne == 5000 - 1400
    assert meter.last_ticket == 7
    assert not meter.problems()


def test_a_misdeal_takes_back_what_is_still_there_and_the_house_bears_the_rest() -> None:
    meter = raised(0, 0).push("t2", move(MoveKind.CONTRIBUTION, 26, 3)).ask("t1", "R1", (Wanted(3, 1, 100),))
    meter = award(meter, "t1").push("t2", move(MoveKind.VOID, -26, -3))
    assert (meter.amount, meter.reserve) == (1003, 0) or (meter.amount, meter.reserve) == (1000, 0)
    assert meter.rows[-1].borne > 0
    assert not meter.problems()


def test_a_misdealt_round_gives_its_own_reservation_up_first() -> None:
    meter = raised().push("t1", move(MoveKind.CONTRIBUTION, 26, 3)).ask("t1", "R1", (Wanted(3, 1, 100),))
    meter = meter.push("t1", move(MoveKind.VOID, -26, -3))
    assert (meter.amount, meter.reserve, meter.held) == (1400, 70, 0)
    assert meter.rows[-1].borne == 0


def test_an_award_of_a_meter_below_its_seed_is_backed_out_to_the_cent() -> None:
    meter = award(raised(0, 0).ask("t0", "R0", (Wanted(3, 1, 25),)), "t0", "R0")
    assert (meter.amount, meter.floor) == (750, 750)
    won = award(meter.ask("t1", "R1", (Wanted(3, 1, 100),)), "t1")
    assert (won.amount, won.floor) == (1000, 1000)
    back = won.push("t1", move(MoveKind.BACK_OUT, 750 - 1000))
    assert (back.amount, back.floor, back.rows[-1].borne) == (750, 750, 0)


def test_what_is_above_the_cap_goes_to_the_reserve() -> None:
    capped = MeterModel.new(MeterRules(name="m", denomination=1000, spots=7, seed=1000, share_bp=2600, cap=1010))
    meter = capped.push("t1", move(MoveKind.CONTRIBUTION, 26, 3))
    assert (meter.amount, meter.reserve) == (1010, 19)


def test_two_people_may_not_take_what_is_held() -> None:
    meter = raised().ask("t1", "R1", (Wanted(3, 1, 100),))
    with pytest.raises(MeterRefused, match="must stay"):
        meter.correct(-1, 1)
    assert meter.correct(5, 1).amount == 1405

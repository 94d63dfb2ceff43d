"""The proof of the settlement, small; and that a wrong settlement is found."""

import pytest

from proofs import reference_settlement, settlement
from round_engine.round import settlement as engine


@pytest.mark.parametrize("name", settlement.GAMES)
def test_random_rounds_come_out_as_in_the_reference(name: str) -> None:
    tally = settlement.run(name, rounds=120, seed=2)
    assert tally.different == []
    assert min(tally.misdeals, tally.recorded, tally.from_meter, tally.envies) > 0


def test_a_wrong_paytable_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reference_settlement.PAIR_PLUS, "A", {5: 40, 4: 30, 3: 6, 2: 3, 1: 1})
    assert settlement.run("south-dakota", rounds=40, seed=2).different


def test_a_wrong_order_of_winners_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = reference_settlement.settle

    def from_the_left(game, spots, *more):  # type: ignore[no-untyped-def]
        return real(game, [one.__class__(**{**vars(one), "spot": -one.spot}) for one in spots], *more)

    monkeypatch.setattr(reference_settlement, "settle", from_the_left)
    assert settlement.run("ten-dollar-house", rounds=120, seed=2).different


def test_a_cent_too_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = engine.settle

    def generous(*arguments, **named):  # type: ignore[no-untyped-def]
        postings = real(*arguments, **named)
        return [
            one._replace(amount=one.amount + 1) if one.wager == "six_card_bonus" and one.entry == "won" else one
            for one in postings
        ]

    monkeypatch.setattr("round_engine.round.course.settle", generous)
    assert settlement.run("south-dakota", rounds=120, seed=2).different

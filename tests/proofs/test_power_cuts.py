"""Power cuts and cable pulls at a sample of a round's instants, and a firmware that gets them wrong."""

import pytest

from firmware_sim.program.deal import Deal
from firmware_sim.program.firmware import Firmware
from proofs.power_cuts import FEW, Case, Tally, cases, cut_steps, cut_writes
from protocol.vocabulary import Interrupted

SMALL = list(cases(seed=3, seats=FEW))


def assert_sound(tally: Tally) -> None:
    assert tally.problems == []
    assert tally.runs


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_a_power_cut_at_a_write_leaves_the_round_resumed_or_void(case: Case) -> None:
    assert_sound(cut_writes(case, every=17))


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_a_power_cut_at_a_step_leaves_the_round_resumed_or_void(case: Case) -> None:
    assert_sound(cut_steps(case, every=41))


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_a_cable_pulled_at_a_step_changes_nothing(case: Case) -> None:
    assert_sound(cut_steps(case, every=67, cable=True))


class Forgetful(Deal):
    """Goes on with an interrupted delivery as if it knew how many cards had come."""

    def fate(self) -> Interrupted:
        return Interrupted.RESUMED if super().fate() is not Interrupted.NOTHING else Interrupted.NOTHING


class ForgetfulFirmware(Firmware):
    """With that."""

    deal_type = Forgetful


@pytest.mark.slow
def test_a_firmware_that_resumes_what_it_cannot_know_is_caught() -> None:
    tally = cut_steps(Case(profile="ace-style", seats=FEW, program=ForgetfulFirmware), every=11)
    assert tally.problems


class Repeating(Firmware):
    """Sends before the step lasts: a cut then makes the same event number mean two things."""

    def tick(self, now_us: int) -> None:
        super().tick(now_us)
        self.board.store.put("deal", self.board.store.get("deal-before"))
        self.board.store.put("deal-before", [*self.board.store.get("deal", [])] or None)


@pytest.mark.slow
def test_a_firmware_that_saves_its_state_a_step_late_is_caught() -> None:
    tally = cut_writes(Case(profile="i-deal-style", seats=FEW, program=Repeating), every=9)
    assert tally.problems

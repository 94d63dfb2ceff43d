"""By the status alone: the next command on the way to a fresh deck of the right game."""

import pytest

from protocol import messages as m
from protocol.vocabulary import DealState, FaultCode, FaultState, InfeedState, Mode, PowerState, Role, RoundState
from shuffler.table.between_rounds import can_prepare, next_command

NONCE = bytes(range(16))


def status(
    infeed: InfeedState = InfeedState.EMPTY,
    deal: DealState = DealState.NO_DECK,
    round_state: RoundState = RoundState.NO_ROUND,
    game: int = 1,
    mode: Mode = Mode.PLAY,
    power: PowerState = PowerState.ON,
) -> m.Status:
    return m.Status(
        power=power, infeed=infeed, deal=deal, round_state=round_state, fault=FaultState.CLEAR, mode=mode,
        fault_code=FaultCode.NONE, game=game, round=8, group=0, groups=0, shuffle=3, door_open=False, role=Role.DEALER,
        last_event=20,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at", "command"),
    [
        (status(), m.Load()),
        (status(game=4), m.SelectGame(game=1)),
        (status(InfeedState.LOADED), m.Shuffle(nonce=NONCE)),
        (status(InfeedState.LOADED, game=4), m.Shuffle(nonce=NONCE)),  # the only way out of the machine
        (status(deal=DealState.READY), m.EjectStub()),
        (status(deal=DealState.READY, game=4), m.EjectStub()),
        (status(deal=DealState.STUB_INSIDE), m.EjectStub()),
        (status(deal=DealState.MISDEALT), m.EjectStub()),
        (status(deal=DealState.READY, round_state=RoundState.DECIDING), m.VoidRound(round=8)),
        (status(InfeedState.SHUFFLING), None),
        (status(InfeedState.LOADING), None),
        (status(deal=DealState.STUB_IN_TRAY), None),
    ],
)
def test_the_next_command(at: m.Status, command: m.Message | None) -> None:
    assert next_command(at, 1, lambda: NONCE) == command


def test_nothing_is_prepared_while_the_machine_is_not_up_or_not_set_to_play() -> None:
    assert can_prepare(status())
    assert not can_prepare(status(power=PowerState.SELF_TEST))
    assert not can_prepare(status(mode=Mode.SERVICE))

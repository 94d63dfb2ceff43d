"""No round is open: what brings a fresh deck of the right game into play, by the device's status alone."""

from collections.abc import Callable

from protocol import messages as m
from protocol.vocabulary import DealState, InfeedState, Mode, PowerState, RoundState

DECK_IN_PLAY = (DealState.READY, DealState.STUB_INSIDE, DealState.MISDEALT)


def can_prepare(status: m.Status) -> bool:
    """Whether the machine is up and set to deal."""
    return status.power is PowerState.ON and status.mode is Mode.PLAY


def next_command(status: m.Status, game: int, nonce: Callable[[], bytes]) -> m.Message | None:
    """What to ask for next, or None where the machine is busy and waiting is all there is to do.

    A deck that was dealt from, or that this table did not see shuffled, is never dealt: it is ejected.
    """
    if status.round_state is not RoundState.NO_ROUND:
        return m.VoidRound(round=status.round)
    if status.deal in DECK_IN_PLAY:
        return m.EjectStub()
    if status.infeed is InfeedState.EMPTY and status.deal is DealState.NO_DECK:
        return m.Load() if status.game == game else m.SelectGame(game=game)
    if status.infeed is InfeedState.LOADED:
        return m.Shuffle(nonce=nonce())
    return None

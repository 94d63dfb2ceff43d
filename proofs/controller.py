"""A small table controller that plays rounds by asking for the status: what any host must be able to live with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.vocabulary import DealState, ErrorCode, FaultState, InfeedState, Mode, PowerState, RoundState

NONCE = bytes(range(16))


@dataclass(slots=True)
class Controller:
    """`act` sends at most one command; call it again whenever something may have changed."""

    do: Callable[[m.Message], m.Message]
    seats: int = 0x7F
    prestage: bool = False
    groups: int = 0
    shoe: bool = False
    round: int = 0  # the last number used
    refused: list[m.Error] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)

    def act(self) -> bool:
        """Do what the device is ready for; whether a command was carried out."""
        status = self.do(m.GetStatus())
        assert isinstance(status, m.Status), status
        command = self.next_command(status)
        if command is None:
            return False
        reply = self.do(command)
        if isinstance(reply, m.Error):
            self.refused.append(reply)
            if reply.code is ErrorCode.NO_CARDS:  # too few are left in a shoe for these seats
                return isinstance(self.do(m.EjectStub()), m.Done)
            return False
        if isinstance(command, m.CloseDecisions):
            self.closed.append(command.round)
        elif isinstance(command, m.BeginRound):
            self.begun.append(command.round)
        return True

    def next_command(self, status: m.Status) -> m.Message | None:
        """What a status asks for."""
        if status.power is not PowerState.ON:
            return None
        if status.round_state is RoundState.DECIDING:
            return m.CloseDecisions(round=status.round)
        if status.fault is not FaultState.CLEAR or status.mode is not Mode.PLAY:
            return None
        if status.deal is DealState.READY:
            if status.round_state is RoundState.NO_ROUND:
                self.round = max(self.round, status.round) + 1
                return m.BeginRound(round=self.round, seats=self.seats)
            return m.DealGroup(round=status.round, groups=self.groups)
        if status.deal in (DealState.STUB_INSIDE, DealState.MISDEALT):
            return m.EjectStub()
        if (status.deal is DealState.NO_DECK or self.prestage) and status.infeed is InfeedState.EMPTY:
            return m.Load()
        if status.infeed is InfeedState.LOADED and not self.shoe:
            return m.Shuffle(nonce=NONCE)
        return None

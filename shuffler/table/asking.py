"""Commands for the device: one of a kind at a time."""

from protocol import messages as m
from shuffler.table.values import Send


class Asking:
    """Commands that are to be sent, and the kinds that are under way."""

    def __init__(self) -> None:
        self.sends: list[Send] = []
        self._under_way: set[type[m.Message]] = set()

    def ask(self, command: m.Message) -> bool:
        """Send a command, unless one of its kind is under way; whether it is sent."""
        if type(command) in self._under_way:
            return False
        self._under_way.add(type(command))
        self.sends.append(Send(command))
        return True

    def waits_for(self, kind: type[m.Message]) -> bool:
        """Whether a command of this kind is still to be answered."""
        return kind in self._under_way

    def answered(self, kind: type[m.Message]) -> None:
        """A command of this kind may be sent again."""
        self._under_way.discard(kind)

    def line_lost(self) -> None:
        """Nothing that was sent will be answered."""
        self._under_way.clear()

    def forget(self) -> None:
        """Another device starts with a clean sheet."""
        self._under_way.clear()
        self.sends.clear()

    def take_sends(self) -> list[Send]:
        """What is to be sent since the last call."""
        sends, self.sends = self.sends, []
        return sends

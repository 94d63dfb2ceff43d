"""Commands for the device: one of a kind at a time."""

from protocol import messages as m
from shuffler.table.values import Send


class Asking:
    """Commands that are to be sent, and the kinds that are under way."""

    def __init__(self) -> None:
        self.sends: list[Send] = []
        self.under_way: set[type[m.Message]] = set()

    def ask(self, command: m.Message) -> bool:
        """Send a command, unless one of its kind is under way; whether it is sent."""
        if type(command) in self.under_way:
            return False
        self.under_way.add(type(command))
        self.sends.append(Send(command))
        return True

    def forget(self) -> None:
        """Another device starts with a clean sheet."""
        self.under_way.clear()
        self.sends.clear()

"""What the bridge sends to the device: one command of a kind at a time, and in between the question how it is."""

from protocol import messages as m

POLL_US = 250_000


class Asking:
    """Commands to be submitted, the kinds that are under way, and when to ask for the status again."""

    def __init__(self) -> None:
        self.commands: list[m.Message] = []
        self.poll_at: int | None = None
        self._under_way: set[type[m.Message]] = set()

    def ask(self, command: m.Message) -> bool:
        """Send a command, unless one of its kind is under way; whether it was sent."""
        if type(command) in self._under_way:
            return False
        self._under_way.add(type(command))
        self.commands.append(command)
        return True

    def waits_for(self, kind: type[m.Message]) -> bool:
        """Whether a command of this kind is still to be answered."""
        return kind in self._under_way

    def answered(self, command: m.Message) -> None:
        """A command of this kind may be sent again."""
        self._under_way.discard(type(command))

    def line_lost(self) -> None:
        """Nothing that was sent will be answered."""
        self._under_way.clear()

    def poll(self, now: int) -> None:
        """Ask for the status in a moment, unless that is to happen anyway."""
        if self.poll_at is None:
            self.poll_at = now + POLL_US

    def tick(self, now: int) -> None:
        """Ask for the status when it is time."""
        if self.poll_at is not None and now >= self.poll_at:
            self.poll_at = None
            self.ask(m.GetStatus())

    def device_gone(self) -> None:
        """Another device starts with a clean sheet."""
        self.poll_at = None
        self._under_way.clear()
        self.commands.clear()

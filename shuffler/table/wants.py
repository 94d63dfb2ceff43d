"""What a table waits for, how long it has waited, and when somebody must come."""

from enum import Enum

FAULTS_BEFORE_BACKUP = 3  # faults or lies without a settled round between them
STUCK_US = 180_000_000  # of waiting for the device between rounds before the backup is asked for
QUIET_US = 300_000_000  # without an event in a round, while the device has something to do, before the round is void


class Want(Enum):
    """What the bridge waits for; the driver provides it."""

    DEVICE = "device"  # nothing to do but wait
    WAGERS = "wagers"  # a checked deck is ready: `open_round`
    DECISIONS = "decisions"  # `decide` for `to_decide`
    FACES = "faces"  # the device does not read cards: `show` hands
    METER = "meter"  # an award of a shared meter waits for its server: `go_on` from time to time
    KEYS = "keys"  # awards have to be recorded: `press` keys (only where `keys_by_people`)
    ATTENTION = "attention"  # a fault holds the machine: somebody must mend it
    BACKUP = "backup"  # the machine is not fit: put the backup in its place
    ANOTHER = "another device"  # this one can't be played at all: `refusal` says why


class Waiting:
    """The want of the moment, with the counts and times that turn it into a call for people."""

    def __init__(self) -> None:
        self.wants = Want.DEVICE
        self.calls = 0  # how often somebody has been asked to come
        self._faults = 0
        self._stuck_since: int | None = None
        self._quiet_since: int | None = None

    def call(self, want: Want) -> None:
        """Somebody must come."""
        self.wants = want
        self.calls += 1

    def start_again(self) -> None:
        """A round was settled, or another device comes: what was wrong before does not count any more."""
        self._faults = 0
        self._stuck_since = None

    def fault(self) -> None:
        """Something is wrong with the machine; after some of it without a settled round the backup is wanted."""
        self._faults += 1
        if self._faults >= FAULTS_BEFORE_BACKUP:  # however fast each of them is cleared
            self.call(Want.BACKUP)

    def held_by_fault(self) -> None:
        """A fault holds the machine."""
        self.call(Want.BACKUP if self._faults >= FAULTS_BEFORE_BACKUP else Want.ATTENTION)

    def ready(self) -> None:
        """A deck is ready for wagers."""
        self._stuck_since = None
        self.wants = Want.WAGERS

    def not_ready(self, now: int) -> None:
        """No deck yet; after too long a time the backup is wanted."""
        if self._stuck_since is None:
            self._stuck_since = now
        elif now - self._stuck_since > STUCK_US:
            self.call(Want.BACKUP)
        if self.wants is Want.WAGERS:
            self.wants = Want.DEVICE

    # ---------------------------------------------------------------------------------------------- silence in a round

    def heard(self) -> None:
        """The device said something."""
        self._quiet_since = None

    def too_quiet(self, now: int, *, in_round: bool) -> bool:
        """Whether a round has waited for the device too long."""
        if not in_round or self.wants is not Want.DEVICE:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now
        elif now - self._quiet_since >= QUIET_US:
            self._quiet_since = None
            return True
        return False

    def quiet_until(self) -> int | None:
        """When silence becomes too long."""
        return None if self._quiet_since is None else self._quiet_since + QUIET_US

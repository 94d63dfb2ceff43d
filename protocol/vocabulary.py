"""The words of the wire: states, faults, roles, reasons and capability bits, each with its number."""

from enum import IntEnum, IntFlag


class Capability(IntFlag):
    """What an end can do: a `must` bit that the peer lacks ends the hello, a `may` bit is used where both have it."""

    SECURE = 0x0001
    EVENT_REPLAY = 0x0002
    COMMITMENTS = 0x0004


class ResetReason(IntEnum):
    """Why a session ended or was refused."""

    CLOSED = 0
    UNKNOWN_SESSION = 1
    VERSION = 2
    CAPABILITY = 3
    BUSY = 4
    SECURE_REQUIRED = 5
    SECURE_UNAVAILABLE = 6
    BAD_HELLO = 7
    PEER_SILENT = 8
    POWERING_OFF = 9
    OUT_OF_NUMBERS = 10


class ErrorCode(IntEnum):
    """Why a command was refused; the command had no effect."""

    UNKNOWN_MESSAGE = 1
    MALFORMED = 2
    NOT_NOW = 3
    FAULTED = 4
    NOT_AUTHORISED = 5
    LOCKED_OUT = 6
    BAD_PROOF = 7
    STALE_REQUEST = 8
    OUT_OF_RANGE = 9
    UNSUPPORTED = 10
    NOT_FOUND = 11
    WRONG_ROUND = 12
    EVENTS_FULL = 13
    NO_CARDS = 14


class Role(IntEnum):
    """Who is asking; DEALER needs no proof, the others answer a challenge."""

    DEALER = 0
    SUPERVISOR = 1
    TECHNICIAN = 2
    LABORATORY = 3


class PowerState(IntEnum):
    """Whether the machine is up."""

    OFF = 0
    SELF_TEST = 1
    ON = 2


class InfeedState(IntEnum):
    """The deck that comes next: from the infeed tray to shuffled and staged."""

    EMPTY = 0
    LOADING = 1
    LOADED = 2
    SHUFFLING = 3
    VERIFYING = 4
    STAGED = 5
    SORTING = 6
    READING = 7
    RECOUNTING = 8


class DealState(IntEnum):
    """The deck in play: from ready to its stub taken back."""

    NO_DECK = 0
    READY = 1
    DELIVERING = 2
    GROUP_IN_TRAY = 3
    DEALER_IN_TRAY = 4
    STUB_INSIDE = 5
    STUB_DELIVERING = 6
    STUB_IN_TRAY = 7
    MISDEALT = 8


class RoundState(IntEnum):
    """The round: from its first group to the decisions closed."""

    NO_ROUND = 0
    DEALING = 1
    DECIDING = 2


class FaultState(IntEnum):
    """Whether a fault holds the machine."""

    CLEAR = 0
    FAULTED = 1
    RECOVERING = 2


class Mode(IntEnum):
    """What the machine is for at the moment; only PLAY deals."""

    PLAY = 0
    SORT = 1
    VERIFY_DECK = 2
    SERVICE = 3


class FaultCode(IntEnum):
    """What went wrong; `firmware_sim` holds the full catalogue of causes, panel texts and cures."""

    NONE = 0
    JAM_FEEDER = 1
    JAM_TRANSPORT = 2
    JAM_COMPARTMENT = 3
    JAM_EXIT = 4
    DOUBLE_FEED = 5
    NO_FEED = 6
    SHORT_DECK = 7
    LONG_DECK = 8
    DUPLICATE_CARD = 9
    FOREIGN_CARD = 10
    UNREADABLE_CARD = 11
    FACE_UP_CARD = 12
    WRONG_BACK = 13
    CARD_LEFT_IN_TRAY = 14
    GROUP_REMOVED_SHORT = 15
    CARD_PUT_BACK = 16
    EARLY_GRAB = 17
    DOOR_OPEN = 18
    TRAY_SENSOR_STUCK = 19
    MOTOR_STALL = 20
    OVER_TEMPERATURE = 21
    RANDOM_SOURCE = 22
    MEMORY_CORRUPT = 23
    CLOCK_LOST = 24
    POWER_CUT = 25
    CABLE_PULLED = 26
    BROWN_OUT_LOOP = 27
    EVENTS_FULL = 28
    CARDS_LEFT_INSIDE = 29
    SELF_TEST_FAILED = 30


class Place(IntEnum):
    """Where in the machine."""

    NOWHERE = 0
    FEEDER = 1
    TRANSPORT = 2
    COMPARTMENT = 3
    EXIT = 4
    TRAY = 5
    DOOR = 6
    MOTOR = 7
    READER = 8
    RANDOM = 9
    MEMORY = 10
    CLOCK = 11
    POWER = 12
    CABLE = 13


class Cleared(IntEnum):
    """Who ended a fault."""

    BY_ITSELF = 0
    BY_DEALER = 1
    BY_HOST = 2
    BY_POWER_CYCLE = 3


class MisdealReason(IntEnum):
    """Why a round is void."""

    GROUP_COUNT = 1
    DUPLICATE_CARD = 2
    CARD_NOT_IN_DECK = 3
    OUT_OF_ORDER = 4
    PAST_THE_STUB = 5
    POWER_CUT = 6
    MECHANISM = 7
    HOST_VOID = 8
    DECK_COUNT = 9


class PowerUpCause(IntEnum):
    """Why the machine started."""

    SWITCHED_ON = 0
    POWER_RETURNED = 1
    BROWN_OUT = 2


class Interrupted(IntEnum):
    """What power-up made of a round that was open when power went."""

    NOTHING = 0
    RESUMED = 1
    VOIDED = 2


class CommitKind(IntEnum):
    """What a shuffle's root commits to."""

    NOTHING = 0
    ORDER = 1
    SLOTS = 2


class Fate(IntEnum):
    """What became of a command that was sent and not seen answered."""

    DONE = 1
    REFUSED = 2
    NEVER_EXECUTED = 3


class DeviceFlag(IntFlag):
    """What kind of device this is, and whether its shuffles may count for certification."""

    READS_FACES = 0x0001
    HAND_RECALL = 0x0002
    PRESTAGES = 0x0004
    SHOE = 0x0008
    SECURE = 0x0010
    SEEDED = 0x0100
    RIGGED = 0x0200

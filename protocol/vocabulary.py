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
    SET_BACK = 11
    TOO_LONG = 12


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
    FORGOTTEN = 15
    CONFLICT = 16
    TOO_LONG = 17


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
    """What went wrong, with its meaning; the page on faults has signs, panel texts and cures."""

    _value_: int
    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> "FaultCode":
        """A number that carries its meaning."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    NONE = 0, "no fault"
    JAM_FEEDER = 1, "a card is stuck between infeed tray and stack"
    JAM_TRANSPORT = 2, "a card is stuck on the way from the stack"
    JAM_COMPARTMENT = 3, "a card does not go all the way into its place"
    JAM_EXIT = 4, "a card is stuck on the way to the output tray"
    DOUBLE_FEED = 5, "two cards pass as one"
    NO_FEED = 6, "the feed roller slips on the cards"
    SHORT_DECK = 7, "cards are missing"
    LONG_DECK = 8, "there are cards too many"
    DUPLICATE_CARD = 9, "a card is in the deck twice"
    FOREIGN_CARD = 10, "a card does not belong to the deck"
    UNREADABLE_CARD = 11, "a face is soiled or worn"
    FACE_UP_CARD = 12, "a card lies boxed, face up"
    WRONG_BACK = 13, "a card of the other deck"
    CARD_LEFT_IN_TRAY = 14, "the tray was not emptied"
    GROUP_REMOVED_SHORT = 15, "fewer cards were taken than lay there"
    CARD_PUT_BACK = 16, "a card was laid into the tray"
    EARLY_GRAB = 17, "cards were taken while others were still coming"
    DOOR_OPEN = 18, "the door was opened"
    TRAY_SENSOR_STUCK = 19, "the tray sensor is blind or lit for ever"
    MOTOR_STALL = 20, "a motor does not turn"
    OVER_TEMPERATURE = 21, "the machine is too hot"
    RANDOM_SOURCE = 22, "the noise source fails its health test"
    MEMORY_CORRUPT = 23, "the non-volatile memory does not check"
    CLOCK_LOST = 24, "the clock's battery is empty"
    POWER_CUT = 25, "the power went"
    CABLE_PULLED = 26, "the data cable is out"
    BROWN_OUT_LOOP = 27, "the supply sags again and again"
    EVENTS_FULL = 28, "the host does not acknowledge events"
    CARDS_LEFT_INSIDE = 29, "cards are inside that nobody knows of"
    SELF_TEST_FAILED = 30, "a part does not answer"
    MEMORY_FULL = 31, "the memory cannot be written"


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
    FORGOTTEN = 4


class DeviceFlag(IntFlag):
    """What kind of device this is, and whether its shuffles may count for certification."""

    READS_FACES = 0x0001
    HAND_RECALL = 0x0002
    PRESTAGES = 0x0004
    SHOE = 0x0008
    SECURE = 0x0010
    SEEDED = 0x0100
    RIGGED = 0x0200


OF_A_SHUFFLE = DeviceFlag.SEEDED | DeviceFlag.RIGGED  # what a shuffle says of itself; the others are the device's

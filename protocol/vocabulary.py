"""The words of the wire: states, faults, roles, reasons and capability bits, each with its number and its meaning."""

from enum import IntEnum, IntFlag


class Word(IntEnum):
    """A number that carries its meaning."""

    _value_: int
    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> "Word":
        word = int.__new__(cls, value)
        word._value_ = value
        word.meaning = meaning
        return word


class FlagWord(IntFlag):
    """FlagWord that carry their meaning."""

    _value_: int
    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> "FlagWord":
        bit = int.__new__(cls, value)
        bit._value_ = value
        bit.meaning = meaning
        return bit


class Capability(FlagWord):
    """What an end supports. A `must` bit that the peer lacks refuses the hello; a `may` bit is used if both have it."""

    SECURE = 0x0001, "secure mode: authenticated handshake, every frame sealed"
    EVENT_REPLAY = 0x0002, "events are kept until acknowledged and replayed"
    COMMITMENTS = 0x0004, "each shuffle is committed to, and groups come with openings"


class ResetReason(Word):
    """Why a session ended or was refused."""

    CLOSED = 0, "the sender has finished, or opened another session"
    UNKNOWN_SESSION = 1, "the device has no session with this number: send Hello"
    VERSION = 2, "the ends have no protocol version in common"
    CAPABILITY = 3, "the hello requires a capability that the device lacks"
    BUSY = 4, "the sender's queue is full because its frames are not acknowledged, or another host holds the port"
    SECURE_REQUIRED = 5, "the device has a key and opens only secure sessions"
    SECURE_UNAVAILABLE = 6, "the hello requires secure mode and the device has no key"
    BAD_HELLO = 7, "the hello can't be decoded, or its public key is invalid"
    PEER_SILENT = 8, "nothing was received for three heartbeat intervals; local, never sent"
    POWERING_OFF = 9, "the device is switching off"
    OUT_OF_NUMBERS = 10, "the session has used all sequence numbers: open a new one"
    SET_BACK = 11, "the device's newest event is older than the host's stored events of the same epoch"
    TOO_LONG = 12, "the next event is longer than this session's `max_body`; the device keeps it"


class ErrorCode(Word):
    """Why a command was refused. A refused command has no effect."""

    UNKNOWN_MESSAGE = 1, "the catalogue has no such number, or the message is not a command"
    MALFORMED = 2, "the body does not match its layout, or a command with an effect has request id 0"
    NOT_NOW = 3, "not possible in the device's current state"
    FAULTED = 4, "a fault is active: clear it first"
    NOT_AUTHORISED = 5, "the session has not proved a role that may send this command"
    LOCKED_OUT = 6, "too many wrong proofs: wait"
    BAD_PROOF = 7, "the proof is wrong"
    STALE_REQUEST = 8, "a later command arrived first, or AskFate fenced the id off: never executed"
    OUT_OF_RANGE = 9, "a field has a value that this device does not accept"
    UNSUPPORTED = 10, "this kind of device does not support the command"
    NOT_FOUND = 11, "the requested item does not exist"
    WRONG_ROUND = 12, "the round is not the open one, or its number is not higher than the last"
    EVENTS_FULL = 13, "the event memory is full: acknowledge events first"
    NO_CARDS = 14, "there are no cards where the command needs them"
    FORGOTTEN = 15, "the device no longer knows whether this id was executed; it will not execute it again"
    CONFLICT = 16, "another command was executed under this request id"
    TOO_LONG = 17, "the reply is longer than this session's `max_body`"


class Role(Word):
    """Who sends a command. DEALER needs no proof; the others answer a challenge."""

    DEALER = 0, "everyone, without proof"
    SUPERVISOR = 1, "reads hands of earlier rounds and the stub, clears faults"
    TECHNICIAN = 2, "enters service mode, clears faults"
    LABORATORY = 3, "reads raw output of the generator"


class PowerState(Word):
    """Whether the device is running."""

    OFF = 0, "no power"
    SELF_TEST = 1, "running the self-test after power-up"
    ON = 2, "running"


class InfeedState(Word):
    """The next deck: from the infeed tray until it is shuffled and staged."""

    EMPTY = 0, "no next deck"
    LOADING = 1, "taking in cards, or waiting for cards in the infeed tray"
    LOADED = 2, "a deck was taken in and counted"
    SHUFFLING = 3, "shuffling"
    VERIFYING = 4, "comparing the shuffled deck with the deck of the game"
    STAGED = 5, "shuffled, committed and waiting for the deck in play to end"
    SORTING = 6, "sorting into factory order"
    READING = 7, "counting and reading without shuffling"
    RECOUNTING = 8, "recounting a deck inside that was touched or interrupted by a power cut"


class DealState(Word):
    """The deck in play: from ready until its stub is taken."""

    NO_DECK = 0, "no deck in play"
    READY = 1, "a shuffled deck is ready"
    DELIVERING = 2, "a group is moving to the tray"
    GROUP_IN_TRAY = 3, "a player's group is in the tray"
    DEALER_IN_TRAY = 4, "the dealer's group is in the tray"
    STUB_INSIDE = 5, "all groups are delivered, the stub is inside"
    STUB_DELIVERING = 6, "the stub is moving to the tray"
    STUB_IN_TRAY = 7, "the stub is in the tray"
    MISDEALT = 8, "the round is void: return all cards"


class RoundState(Word):
    """The round: from its first group until the decisions are closed."""

    NO_ROUND = 0, "no round is open"
    DEALING = 1, "groups are being delivered"
    DECIDING = 2, "all groups are delivered, decisions are open"


class FaultState(Word):
    """Whether a fault stops the device."""

    CLEAR = 0, "no fault"
    FAULTED = 1, "a fault is active"
    RECOVERING = 2, "the cause is removed, the device is recovering"


class Mode(Word):
    """What the device is set to do. It deals only in PLAY."""

    PLAY = 0, "shuffles and deals"
    SORT = 1, "sorts decks"
    VERIFY_DECK = 2, "counts and reads decks"
    SERVICE = 3, "under maintenance by a technician"


class FaultCode(Word):
    """What went wrong. The page on faults lists symptoms, panel texts and remedies."""

    NONE = 0, "no fault"
    JAM_FEEDER = 1, "a card is stuck between infeed tray and stack"
    JAM_TRANSPORT = 2, "a card is stuck on the way from the stack"
    JAM_COMPARTMENT = 3, "a card is stuck in front of its compartment"
    JAM_EXIT = 4, "a card is stuck on the way to the output tray"
    DOUBLE_FEED = 5, "two cards were fed as one"
    NO_FEED = 6, "the feed roller slips"
    SHORT_DECK = 7, "cards are missing"
    LONG_DECK = 8, "there are too many cards"
    DUPLICATE_CARD = 9, "a card is in the deck twice"
    FOREIGN_CARD = 10, "a card does not belong to the deck"
    UNREADABLE_CARD = 11, "a face is soiled or worn"
    FACE_UP_CARD = 12, "a card is boxed: face up"
    WRONG_BACK = 13, "a card belongs to the other deck"
    CARD_LEFT_IN_TRAY = 14, "the tray was not emptied"
    GROUP_REMOVED_SHORT = 15, "fewer cards were taken than were in the tray"
    CARD_PUT_BACK = 16, "a card was put into the tray"
    EARLY_GRAB = 17, "cards were taken during delivery"
    DOOR_OPEN = 18, "the door was opened"
    TRAY_SENSOR_STUCK = 19, "the tray sensor does not change"
    MOTOR_STALL = 20, "a motor does not turn"
    OVER_TEMPERATURE = 21, "the device is too hot"
    RANDOM_SOURCE = 22, "the noise source failed its health test"
    MEMORY_CORRUPT = 23, "the checksum of the non-volatile memory is wrong"
    CLOCK_LOST = 24, "the clock's battery is empty"
    POWER_CUT = 25, "the power failed"
    CABLE_PULLED = 26, "the data cable is unplugged"
    BROWN_OUT_LOOP = 27, "repeated brown-outs"
    EVENTS_FULL = 28, "the host does not acknowledge events"
    CARDS_LEFT_INSIDE = 29, "unknown cards are inside"
    SELF_TEST_FAILED = 30, "a part does not respond"
    MEMORY_FULL = 31, "the non-volatile memory can't be written"


class Place(Word):
    """A part of the device."""

    NOWHERE = 0, "no particular place"
    FEEDER = 1, "infeed tray and feeder"
    TRANSPORT = 2, "card transport"
    COMPARTMENT = 3, "compartments or rack"
    EXIT = 4, "between compartments and tray"
    TRAY = 5, "output tray"
    DOOR = 6, "service door"
    MOTOR = 7, "a motor"
    READER = 8, "card reader"
    RANDOM = 9, "random source"
    MEMORY = 10, "non-volatile memory"
    CLOCK = 11, "calendar clock"
    POWER = 12, "power supply"
    CABLE = 13, "data cable"


class Cleared(Word):
    """How a fault ended."""

    BY_ITSELF = 0, "the cause went away"
    BY_DEALER = 1, "at the device"
    BY_HOST = 2, "by ClearFault"
    BY_POWER_CYCLE = 3, "switched off and on"


class MisdealReason(Word):
    """Why a round is void."""

    GROUP_COUNT = 1, "a group has the wrong number of cards"
    DUPLICATE_CARD = 2, "a face was dealt more often than the deck has it"
    CARD_NOT_IN_DECK = 3, "a card is not in the deck"
    OUT_OF_ORDER = 4, "groups were taken or delivered out of order"
    PAST_THE_STUB = 5, "more cards were requested than were left"
    POWER_CUT = 6, "the power failed during the round"
    MECHANISM = 7, "a fault of the device spoiled the round"
    HOST_VOID = 8, "the host sent VoidRound"
    DECK_COUNT = 9, "the deck has the wrong number of cards"


class PowerUpCause(Word):
    """Why the device started."""

    SWITCHED_ON = 0, "its switch was turned on"
    POWER_RETURNED = 1, "power returned after a cut"
    BROWN_OUT = 2, "the supply voltage dipped"


class Interrupted(Word):
    """What happened at power-up to the round that was open."""

    NOTHING = 0, "no round was open"
    RESUMED = 1, "the open round continues"
    VOIDED = 2, "the open round is void"


class CommitKind(Word):
    """What a shuffle's root commits to."""

    NOTHING = 0, "no commitment: root and openings are empty"
    ORDER = 1, "the card codes in dealt order"
    SLOTS = 2, "for a device without a card reader: the infeed place of each card"


class Fate(Word):
    """The outcome of a command whose answer the host did not receive."""

    DONE = 1, "executed"
    REFUSED = 2, "refused without effect; `code` gives the reason"
    NEVER_EXECUTED = 3, "not executed, and never will be"
    FORGOTTEN = 4, "the device no longer knows; it will not execute the command from now on"


class DeviceFlag(FlagWord):
    """What kind of device this is, and whether its shuffles may count for certification."""

    READS_FACES = 0x0001, "has a card reader"
    HAND_RECALL = 0x0002, "remembers hands of earlier rounds"
    PRESTAGES = 0x0004, "shuffles the next deck while one is in play"
    SHOE = 0x0008, "a dealing shoe: deals the cards it is given"
    SECURE = 0x0010, "has a key for secure mode"
    SEEDED = 0x0100, "its randomness comes from a seed: repeatable, not for play"
    RIGGED = 0x0200, "a tester set the order: not a shuffle"


OF_A_SHUFFLE = DeviceFlag.SEEDED | DeviceFlag.RIGGED  # the flags of a shuffle; the others belong to the device

VOCABULARY: tuple[type[Word] | type[FlagWord], ...] = tuple(
    kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Word | FlagWord) and kind not in (Word, FlagWord)
)

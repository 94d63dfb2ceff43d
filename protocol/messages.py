"""Every message of the wire, declared once, like the `.proto` file of another protocol.

A message is a frozen value. Its decorator states number, chapter, direction, reply, effect, roles, the state that the
device must be in, and durability. Each field states its wire type, its meaning and an example. The docstring's first
paragraph is the meaning of the message. Everything else about the wire is derived from this file.

Numbers are unsigned and little-endian, without padding. Fields of fixed size come first, so that a packed C struct
covers the head of every body. Times are device milliseconds, cards are codes of `cards.py`. A reply is declared before
the command that it answers; its number is the command's with the high bit set.
"""

from protocol import story
from protocol.declare import (
    Chapter,
    Needs,
    Way,
    WireValue,
    answer,
    blob8,
    blob16,
    card_codes,
    command,
    event,
    feed_places,
    fixed,
    listed,
    message,
    nested,
    record,
    u8,
    u16,
    u32,
    u64,
    utf8,
)
from protocol.declare import Message as Message
from protocol.limits import MAX_BODY
from protocol.story import made_up
from protocol.vocabulary import (
    Capability,
    Cleared,
    CommitKind,
    DealState,
    DeviceFlag,
    ErrorCode,
    Fate,
    FaultCode,
    FaultState,
    InfeedState,
    Interrupted,
    MisdealReason,
    Mode,
    Place,
    PowerState,
    PowerUpCause,
    ResetReason,
    Role,
    RoundState,
)

DEALER_SEAT = 0
UNCOUNTED = 0xFFFF  # the count of a stub that a power cut made unknown

# Meanings that several fields share.
_ROUND = "the host's number of the round"
_GROUP = "number of the group within the round, from 1"
_SEAT = "seat of the table, from 1 at the dealer's left; 0 is the dealer"
_SHUFFLE = "number of the shuffle that the cards come from"
_OPENING = "the cards, with the salts and hashes that open the commitment for them"
_CARDS = "card codes in dealt order; empty if the device reads no faces"
_PLACES = "if it reads no faces: the place in the feed, from 0, of each card"
_SERIAL = "serial number of the device"
_BOOTS = "power-ups since manufacture"
_LAST_EVENT = "number of the newest event"
_UPTIME = "milliseconds since the sender started"
_UNIX = "calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set"
_SHUFFLES, _ROUNDS, _MISDEALS, _FAULTS = "decks shuffled", "rounds begun", "rounds voided", "faults raised"
_LOG_LENGTH = "number of lines in the log"
_LOG_HEAD = "hash of the log's last line: reveals a truncated log"
_TEXT = "for people"

# ------------------------------------------------------------------------------------------------------------- records


@record
class Opening(WireValue):
    """Consecutive cards with the salts and hashes that open the shuffle's commitment for them and for no other card.

    A device with a card reader names cards; one without names the places in the feed that the cards came from.
    """

    first: int = u16("position of the first card in the dealt order, from 0")
    cards: tuple[int, ...] = card_codes(_CARDS)
    places: tuple[int, ...] = feed_places(_PLACES, default=())
    salts: bytes = blob16("32 bytes for each card, in the same order")
    proof: bytes = blob16("sibling hashes, 32 bytes each, level by level from the leaves, left before right")

    @property
    def codes(self) -> tuple[int, ...]:
        """The committed values: cards, or places."""
        return self.cards or self.places


@record
class GameEntry(WireValue):
    """One game of the menu."""

    game: int = u8("its number for SelectGame")
    cards_per_group: int = u8("cards in a player's group")
    dealer_cards: int = u8("cards in the dealer's group")
    groups: int = u8("maximum number of player groups in a round")
    dealer_first: bool = u8("whether the dealer's group comes before the players'")
    deck_cards: int = u16("cards in one deck")
    name: str = utf8("for people")


@record
class LogLine(WireValue):
    """One line of the log with its chain hash."""

    number: int = u32("line number, from 1")
    time_ms: int = u64("device milliseconds since power-up")
    hash: bytes = fixed(32, "chains this line to the previous one")
    text: str = utf8("for people")


# ---------------------------------------------------------------------------------------------------------------- link


@message(0x02, Chapter.LINK, Way.DEVICE)
class Welcome(Message):
    """Accepts a hello. The frame's header carries the number of the new session."""

    version: int = u8("protocol version of this session", 2)
    capabilities: Capability = u32(
        "capabilities that both ends have", Capability.EVENT_REPLAY | Capability.COMMITMENTS
    )
    window: int = u8("frames that either end may send unacknowledged", 16)
    max_body: int = u16("longest body of this session", MAX_BODY)
    heartbeat_ms: int = u16("an end that has sent nothing for this long sends a heartbeat", 1000)
    fingerprint: bytes = fixed(8, "fingerprint of the device's catalogue", story.fingerprint)
    epoch: int = u64("random number, never 0; changes whenever the event memory is reset", story.EPOCH)
    boots: int = u32(_BOOTS, 12)
    last_event: int = u32(_LAST_EVENT, 70)
    acknowledged_event: int = u32("newest event that a host has acknowledged", 68)
    command_memory: int = u16("number of commands that the device remembers for each instance", 64)
    known_instance: bool = u8("whether the device remembers commands of the host's instance", True)
    host_nonce: bytes = fixed(16, "the nonce of the hello that this welcome answers", story.HOST_NONCE)
    nonce: bytes = fixed(16, "16 random bytes, new in each welcome", made_up("device nonce", 16))
    serial: str = utf8(_SERIAL, story.SERIAL)
    ephemeral: bytes = blob8("X25519 public key (32 bytes) in secure mode, else empty", b"")
    proof: bytes = blob8("proof of the key (32 bytes) in secure mode, else empty", b"")


@message(0x01, Chapter.LINK, Way.HOST, reply=Welcome)
class Hello(Message):
    """Opens a session: versions, capabilities and the host's instance."""

    version_min: int = u8("lowest protocol version that the host supports", 2)
    version_max: int = u8("highest protocol version that the host supports", 2)
    must: Capability = u32("capabilities that the host requires", Capability(0))
    may: Capability = u32("capabilities that the host can use", Capability.EVENT_REPLAY | Capability.COMMITMENTS)
    window: int = u8("frames that the host accepts unacknowledged", 16)
    max_body: int = u16("longest body that the host accepts", MAX_BODY)
    fingerprint: bytes = fixed(8, "fingerprint of the host's catalogue", story.fingerprint)
    instance: bytes = fixed(16, "16 random bytes that identify the host's request numbering", story.INSTANCE)
    next_request: int = u32("lowest request id that was not used before this hello", 17)
    nonce: bytes = fixed(16, "16 random bytes, new in each hello", story.HOST_NONCE)
    ephemeral: bytes = blob8("X25519 public key (32 bytes) in secure mode, else empty", b"")


@message(0x03, Chapter.LINK, Way.BOTH)
class Reset(Message):
    """Ends or refuses a session."""

    reason: ResetReason = u8("reason", ResetReason.UNKNOWN_SESSION)
    text: str = utf8(_TEXT, "this device knows no such session: say hello")


@message(0x04, Chapter.LINK, Way.BOTH)
class Ack(Message):
    """Acknowledges frames when there is nothing else to send, and reports frames that arrived early."""

    early: int = u16("bit n: frame `acknowledge` + 2 + n has arrived; 0 if no frame is missing", 0b101)


@message(0x05, Chapter.LINK, Way.BOTH)
class Heartbeat(Message):
    """Shows that the sender is alive. After three intervals of silence the link is down."""

    uptime_ms: int = u64(_UPTIME, 5_025_000)
    last_event: int = u32("device: newest event; host: newest event that it has stored", 70)


# ------------------------------------------------------------------------------------------------------------- session


@answer(0x80, Chapter.SESSION)
class Done(Message):
    """The command was executed or, if it moves cards, started. Events report the rest."""


@answer(0x81, Chapter.SESSION)
class Error(Message):
    """The command was refused and had no effect."""

    code: ErrorCode = u16("reason", ErrorCode.NOT_NOW)
    text: str = utf8(_TEXT, "no deck is ready")


@answer(0x8F, Chapter.SESSION)
class FateTold(Message):
    """Reports the outcome of a command."""

    command: int = u32("request id of the command", 17)
    fate: Fate = u8("outcome", Fate.REFUSED)
    code: int = u16("ErrorCode if the command was refused, else 0", ErrorCode.NOT_NOW)


@command(0x0F, Chapter.SESSION, reply=FateTold)
class AskFate(Message):
    """Asks for the outcome of a command whose answer was lost. If the device has not executed it yet, it never will."""

    command: int = u32("request id of the command", 17)


# -------------------------------------------------------------------------------------------------------------- device


@answer(0x90, Chapter.DEVICE)
class Info(Message):
    """Identity and kind of the device, and whether its shuffles are seeded or rigged."""

    flags: DeviceFlag = u16(
        "kind of device", DeviceFlag.READS_FACES | DeviceFlag.HAND_RECALL | DeviceFlag.SEEDED
    )
    commits: CommitKind = u8("what its shuffles commit to", CommitKind.ORDER)
    decks: int = u8("number of decks that it holds", 1)
    deck_cards: int = u16("cards in one deck of the selected game", 52)
    model: str = utf8("model name", "bench shuffler")
    serial: str = utf8(_SERIAL, story.SERIAL)
    firmware: str = utf8("firmware version", "0.1.0")
    profile: str = utf8("name of the device profile", "single-deck")


@command(0x10, Chapter.DEVICE, reply=Info)
class GetInfo(Message):
    """Asks for identity and kind of the device."""


@answer(0x91, Chapter.DEVICE)
class Status(Message):
    """The current state of the device. It never contains a card."""

    power: PowerState = u8("power", PowerState.ON)
    infeed: InfeedState = u8("the next deck", InfeedState.STAGED)
    deal: DealState = u8("the deck in play", DealState.GROUP_IN_TRAY)
    round_state: RoundState = u8("the round", RoundState.DEALING)
    fault: FaultState = u8("whether a fault is active", FaultState.CLEAR)
    mode: Mode = u8("mode", Mode.PLAY)
    fault_code: FaultCode = u8("the active fault", FaultCode.NONE)
    game: int = u8("number of the selected game", story.GAME)
    round: int = u32("number of the newest round", story.ROUND)
    group: int = u8("groups removed so far in this round", 2)
    groups: int = u8("groups in this round", 8)
    shuffle: int = u32("number of the shuffle in play, 0 for none", story.SHUFFLE)
    door_open: bool = u8("whether the door is open", False)
    role: Role = u8("role that this session has proved", Role.DEALER)
    last_event: int = u32(_LAST_EVENT, 70)


@command(0x11, Chapter.DEVICE, reply=Status)
class GetStatus(Message):
    """Asks for the current state of the device."""


@answer(0x92, Chapter.DEVICE)
class SelfTestResult(Message):
    """The result of the self-test."""

    passed: bool = u8("whether every part passed", False)
    fault: FaultCode = u8("first fault found", FaultCode.TRAY_SENSOR_STUCK)
    text: str = utf8(_TEXT, "the tray sensor never changes")


@command(0x12, Chapter.DEVICE, reply=SelfTestResult, effect=True, needs=Needs.POWER)
class SelfTest(Message):
    """Runs the self-test. Refused while cards are moving."""


@answer(0x93, Chapter.DEVICE)
class Verified(Message):
    """The digest for a challenge."""

    digest: bytes = fixed(
        32, "HMAC-SHA-256 over the device's program and profile, keyed by the challenge", made_up("digest", 32)
    )
    files: int = u16("number of files covered", 31)


@command(0x13, Chapter.DEVICE, reply=Verified)
class Verify(Message):
    """Asks for a keyed digest of the device's program and profile."""

    challenge: bytes = fixed(32, "32 bytes that were never used before", made_up("challenge", 32))


@answer(0x94, Chapter.DEVICE)
class Time(Message):
    """The device's clock and calendar."""

    uptime_ms: int = u64(_UPTIME, 5_025_100)
    unix_ms: int = u64(_UNIX, story.UNIX_MS)


@command(0x14, Chapter.DEVICE, reply=Time, effect=True)
class SetTime(Message):
    """Sets the device's calendar. Event times are unaffected: they follow the device's own clock."""

    unix_ms: int = u64(_UNIX, story.UNIX_MS)


@answer(0x95, Chapter.DEVICE)
class Counters(Message):
    """The meters since manufacture, and the head of the hash-chained log."""

    shuffles: int = u32(_SHUFFLES, story.SHUFFLE)
    rounds: int = u32(_ROUNDS, story.ROUND)
    groups: int = u32("groups delivered", 19_870)
    cards: int = u64("cards moved", 59_610)
    misdeals: int = u32(_MISDEALS, 4)
    faults: int = u32(_FAULTS, 23)
    power_ups: int = u32("power-ups", 12)
    log_length: int = u32(_LOG_LENGTH, story.LOG_LENGTH)
    log_head: bytes = fixed(32, _LOG_HEAD, story.log_head)


@command(0x15, Chapter.DEVICE, reply=Counters)
class GetCounters(Message):
    """Asks for the meters."""


# ---------------------------------------------------------------------------------------------------------------- game


@answer(0xA0, Chapter.GAME)
class Games(Message):
    """The game menu and the selected game."""

    selected: int = u8("number of the selected game", story.GAME)
    games: tuple[GameEntry, ...] = listed("the menu", story.games)


@command(0x20, Chapter.GAME, reply=Games)
class ListGames(Message):
    """Asks for the game menu."""


@command(0x21, Chapter.GAME, reply=Done, effect=True, needs=Needs.POWER | Needs.PLAY, durable=True)
class SelectGame(Message):
    """Selects a game of the menu. Refused while a round is open."""

    game: int = u8("its number in the menu", story.GAME)


# ---------------------------------------------------------------------------------------------------------------- deck


@command(0x28, Chapter.DECK, reply=Done, effect=True, needs=Needs.ALL)
class Load(Message):
    """Takes in the cards in the infeed tray."""


@command(0x29, Chapter.DECK, reply=Done, effect=True, needs=Needs.ALL)
class Shuffle(Message):
    """Shuffles the loaded deck and commits to its order."""

    nonce: bytes = fixed(16, "16 random bytes from the host, bound into the commitment", story.SHUFFLE_NONCE)


@command(0x2A, Chapter.DECK, reply=Done, effect=True, needs=Needs.ALL)
class Sort(Message):
    """Sorts the loaded deck into factory order. A sorted deck can't be dealt."""


@command(0x2B, Chapter.DECK, reply=Done, effect=True, needs=Needs.ALL)
class VerifyDeck(Message):
    """Counts and reads the loaded deck without shuffling it."""


@command(0x2C, Chapter.DECK, reply=Done, effect=True, needs=Needs.ALL)
class EjectStub(Message):
    """Delivers the rest of the deck in play."""


@answer(0xAD, Chapter.DECK)
class Stub(Message):
    """The cards of the stub that was removed last."""

    shuffle: int = u32(_SHUFFLE, story.SHUFFLE)
    opening: Opening = nested(_OPENING, story.stub_opening)


@command(0x2D, Chapter.DECK, reply=Stub, roles=(Role.SUPERVISOR,))
class ReadStub(Message):
    """Asks for the cards of the stub that was removed last."""


# ---------------------------------------------------------------------------------------------------------------- deal


@command(0x30, Chapter.DEAL, reply=Done, effect=True, needs=Needs.ALL, durable=True)
class BeginRound(Message):
    """Opens a round for these seats."""

    round: int = u32("number of the round; higher than that of every earlier round", story.ROUND)
    seats: int = u16("bit n - 1 for seat n", 0b111_1111)


@command(0x31, Chapter.DEAL, reply=Done, effect=True, needs=Needs.ALL)
class DealGroup(Message):
    """Delivers the next groups of the round in order, each after the previous one was taken."""

    round: int = u32(_ROUND, story.ROUND)
    groups: int = u8("number of groups; 0 for all that are left", 0)


@command(0x32, Chapter.DEAL, reply=Done, effect=True, needs=Needs.POWER, durable=True)
class CloseDecisions(Message):
    """Reports that every player has decided. The device then discloses the dealer's cards."""

    round: int = u32(_ROUND, story.ROUND)


@command(0x33, Chapter.DEAL, reply=Done, effect=True, needs=Needs.POWER, durable=True)
class VoidRound(Message):
    """Declares a misdeal: no further group is delivered, all cards are returned, recounted and reshuffled."""

    round: int = u32(_ROUND, story.ROUND)


@answer(0xB4, Chapter.DEAL)
class RecalledHand(Message):
    """The cards of a group of an earlier round."""

    round: int = u32(_ROUND, story.ROUND - 1)
    seat: int = u8(_SEAT, 3)
    shuffle: int = u32(_SHUFFLE, story.SHUFFLE - 1)
    cards: tuple[int, ...] = card_codes(_CARDS, (10, 36, 51))
    places: tuple[int, ...] = feed_places(_PLACES, default=())


@command(0x34, Chapter.DEAL, reply=RecalledHand, roles=(Role.SUPERVISOR,))
class RecallHand(Message):
    """Asks for the cards of a group of an earlier round."""

    round: int = u32(_ROUND, story.ROUND - 1)
    seat: int = u8(_SEAT, 3)


# ----------------------------------------------------------------------------------------------------------------- log


@command(0x38, Chapter.LOG, reply=None)
class AckEvents(Message):
    """Reports that the host has stored every event up to this number."""

    upto: int = u32("newest stored event; the device may forget it and all earlier ones", 70)


@answer(0xB9, Chapter.LOG)
class LogPage(Message):
    """Lines of the log with their chain hashes."""

    length: int = u32(_LOG_LENGTH, story.LOG_LENGTH)
    lines: tuple[LogLine, ...] = listed("the lines; fewer than requested if they would not fit", story.log_lines)


@command(0x39, Chapter.LOG, reply=LogPage)
class ReadLog(Message):
    """Asks for lines of the device's log."""

    after: int = u32("number of the line before the first one requested", 4408)
    limit: int = u8("maximum number of lines", 2)


@command(0x3A, Chapter.LOG, reply=Done, effect=True)
class NoteHead(Message):
    """Writes the newest hash of the host's journal into the log. A journal that is rewritten later is then detected."""

    journal: bytes = fixed(16, "identifies the journal: the host's instance", story.INSTANCE)
    record: int = u64("number of the journal's newest record", 60_420)
    hash: bytes = fixed(32, "hash of that record", made_up("journal head", 32))


# --------------------------------------------------------------------------------------------------------- maintenance


@answer(0xC0, Chapter.MAINTENANCE)
class Challenge(Message):
    """The nonce that the host must answer to prove a role."""

    role: Role = u8("the role", Role.SUPERVISOR)
    nonce: bytes = fixed(32, "32 random bytes, valid for one answer in this session", story.ROLE_NONCE)


@command(0x40, Chapter.MAINTENANCE, reply=Challenge)
class AskChallenge(Message):
    """Asks for a challenge to prove a role."""

    role: Role = u8("the role", Role.SUPERVISOR)


@command(0x41, Chapter.MAINTENANCE, reply=Done)
class ProveRole(Message):
    """Proves a role. The session keeps it until it ends or drops the role."""

    role: Role = u8("the role", Role.SUPERVISOR)
    proof: bytes = fixed(32, "answer to the challenge (see Roles)", story.role_proof)


@command(0x42, Chapter.MAINTENANCE, reply=Done)
class DropRole(Message):
    """Returns to the role dealer."""


@command(
    0x43,
    Chapter.MAINTENANCE,
    reply=Done,
    effect=True,
    roles=(Role.SUPERVISOR, Role.TECHNICIAN),
    needs=Needs.POWER,
    durable=True,
)
class ClearFault(Message):
    """Reports that the cause of a fault was removed."""

    code: FaultCode = u8("the fault", FaultCode.JAM_EXIT)


@command(
    0x44, Chapter.MAINTENANCE, reply=Done, effect=True, roles=(Role.TECHNICIAN,), needs=Needs.POWER, durable=True
)
class ServiceMode(Message):
    """Enters or leaves service mode."""

    on: bool = u8("whether to enter service mode", True)


@answer(0xC5, Chapter.MAINTENANCE)
class RandomBytes(Message):
    """Raw output of the generator. It is used for nothing else."""

    data: bytes = blob16("raw output", made_up("random", 16))


@command(0x45, Chapter.MAINTENANCE, reply=RandomBytes, roles=(Role.LABORATORY,), needs=Needs.POWER)
class ReadRandom(Message):
    """Asks for raw output of the generator. Possible in service mode only."""

    count: int = u16("number of bytes, at most 1,024", 16)


# -------------------------------------------------------------------------------------------------------------- events


@record
class Event(Message):
    """Root of all events."""

    number: int = u32("event number within the epoch, from 1 without gaps; 0 if the event is not kept", story.EVENT)
    time_ms: int = u64("device milliseconds since power-up", story.TIME_MS)


@event(0x60)
class PoweredUp(Event):
    """The device started."""

    boots: int = u32(_BOOTS, 12)
    cause: PowerUpCause = u8("reason", PowerUpCause.POWER_RETURNED)
    interrupted: Interrupted = u8("what happened to an open round", Interrupted.VOIDED)
    round: int = u32("number of that round, 0 for none", story.ROUND - 1)


@event(0x61)
class DeckLoaded(Event):
    """Cards were taken in and counted."""

    count: int = u16("cards counted", 52)


@event(0x62, durable=False)
class ShuffleProgressed(Event):
    """Reports the progress of a shuffle. Passing: the device does not keep this event."""

    number: int = u32("always 0", 0)
    done: int = u16("cards processed", 26)
    total: int = u16("cards in the deck", 52)


@event(0x63)
class ShuffleCompleted(Event):
    """A deck was shuffled, counted and committed to."""

    shuffle: int = u32(_SHUFFLE, story.SHUFFLE)
    count: int = u16("cards committed to", 52)
    game: int = u8("number of the game that it was shuffled for", story.GAME)
    kind: CommitKind = u8("what the root commits to", CommitKind.ORDER)
    flags: DeviceFlag = u16("SEEDED and RIGGED if they apply to this shuffle; no other bit", DeviceFlag.SEEDED)
    nonce: bytes = fixed(16, "the host's nonce, bound into the root", story.SHUFFLE_NONCE)
    root: bytes = fixed(32, "root of the commitment", story.root)


@event(0x64)
class DeckSorted(Event):
    """A deck was sorted into factory order. It can't be dealt."""

    count: int = u16("cards counted", 52)


@event(0x65)
class DeckVerified(Event):
    """A deck was counted and read without shuffling."""

    count: int = u16("cards counted", 52)
    complete: bool = u8("whether it is the complete deck of the selected game", True)


@event(0x66)
class GroupReady(Event):
    """A group is in the tray."""

    round: int = u32(_ROUND, story.ROUND)
    group: int = u8(_GROUP, 2)
    seat: int = u8(_SEAT, 2)
    count: int = u8("cards in the tray", 3)


@event(0x67)
class GroupRemoved(Event):
    """A group was taken. Its cards are named unless they are withheld until decisions are closed."""

    round: int = u32(_ROUND, story.ROUND)
    group: int = u8(_GROUP, 2)
    seat: int = u8(_SEAT, 2)
    count: int = u8("cards taken", 3)
    shuffle: int = u32(_SHUFFLE, story.SHUFFLE)
    withheld: bool = u8("whether HandDisclosed names the cards later; the opening is then empty", False)
    opening: Opening = nested(_OPENING, story.group_opening)


@event(0x68)
class HandDisclosed(Event):
    """Names the cards of a withheld group after decisions were closed."""

    round: int = u32(_ROUND, story.ROUND)
    group: int = u8(_GROUP, 8)
    seat: int = u8(_SEAT, DEALER_SEAT)
    shuffle: int = u32(_SHUFFLE, story.SHUFFLE)
    opening: Opening = nested(_OPENING, story.dealer_opening)


@event(0x69)
class CardExposed(Event):
    """A card showed its face during delivery. This is not a misdeal."""

    round: int = u32(_ROUND, story.ROUND)
    group: int = u8(_GROUP, 2)
    seat: int = u8(_SEAT, 2)


@event(0x6A)
class StubReady(Event):
    """The stub is in the tray."""

    round: int = u32(_ROUND, story.ROUND)
    count: int = u16("cards left in the deck; 65,535 if a power cut made it unknown", 28)


@event(0x6B)
class StubRemoved(Event):
    """The stub was taken. Its cards stay secret."""

    round: int = u32(_ROUND, story.ROUND)
    count: int = u16("cards taken; 65,535 if a power cut made it unknown", 28)


@event(0x6C)
class FaultRaised(Event):
    """A fault stopped the device."""

    code: FaultCode = u8("the fault", FaultCode.JAM_EXIT)
    place: Place = u8("where it happened", Place.EXIT)
    detail: int = u16("a number whose meaning depends on the fault", 7)


@event(0x6D)
class FaultCleared(Event):
    """A fault ended and the device continues."""

    code: FaultCode = u8("the fault", FaultCode.JAM_EXIT)
    how: Cleared = u8("how it ended", Cleared.BY_DEALER)


@event(0x6E)
class Misdealt(Event):
    """The round is void."""

    round: int = u32(_ROUND, story.ROUND)
    reason: MisdealReason = u8("reason", MisdealReason.GROUP_COUNT)
    group: int = u8("number of the group that revealed it, 0 for none", 3)
    expected: int = u16("cards expected", 3)
    seen: int = u16("cards counted", 4)


@event(0x6F)
class DoorMoved(Event):
    """The door was opened or closed."""

    open: bool = u8("whether it is open", True)


@event(0x70)
class ModeChanged(Event):
    """The device changed its mode."""

    mode: Mode = u8("the new mode", Mode.SERVICE)


@event(0x71)
class CountersReported(Event):
    """The meters at the end of a deck, and the head of the log."""

    shuffles: int = u32(_SHUFFLES, story.SHUFFLE)
    rounds: int = u32(_ROUNDS, story.ROUND)
    misdeals: int = u32(_MISDEALS, 4)
    faults: int = u32(_FAULTS, 23)
    log_length: int = u32(_LOG_LENGTH, story.LOG_LENGTH)
    log_head: bytes = fixed(32, _LOG_HEAD, story.log_head)

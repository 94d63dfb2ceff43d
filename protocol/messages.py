"""Every message of the wire as a frozen value: what callers see. No bytes here: `wire.py` says how each is laid out.

Times are device milliseconds, cards are codes of `cards.py`, seats count from 1 at the dealer's left; 0 is the dealer.
Command ids, directions, replies and meanings are in `catalogue.py`.
"""

from dataclasses import dataclass

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
UNCOUNTED = 0xFFFF  # a stub of which the power cut took the count

# -------------------------------------------------------------------------------------------------------------- shared


@dataclass(frozen=True, slots=True)
class Message:
    """Root of all messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Neighbouring positions with what opens the shuffle's commitment for them and nothing else.

    A device that reads faces names cards; one that does not names the places in the feed that they came from.
    """

    first: int  # position of the first card in the dealt order
    cards: tuple[int, ...]
    places: tuple[int, ...] = ()  # in the feed, from 0; either these or cards
    salts: bytes  # 32 bytes a card
    proof: bytes  # the sibling hashes, 32 bytes each, level by level, left before right

    @property
    def codes(self) -> tuple[int, ...]:
        """What the shuffle was committed to here: cards, or places."""
        return self.cards or self.places


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEntry:
    """One line of the game menu."""

    game: int
    cards_per_group: int
    dealer_cards: int
    groups: int  # most player groups a round
    dealer_first: bool
    deck_cards: int
    name: str


# ---------------------------------------------------------------------------------------------------------------- link


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello(Message):
    """The host opens a session."""

    version_min: int
    version_max: int
    must: Capability
    may: Capability
    window: int
    max_body: int
    fingerprint: bytes  # 8 bytes of the catalogue's digest
    instance: bytes  # 16 random bytes, one for the life of the host's command numbering
    next_request: int  # request ids below it were used before this hello
    nonce: bytes  # 16 random bytes
    ephemeral: bytes  # X25519 public key in secure mode, else empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome(Message):
    """The device answers a hello; the header carries the new session's number."""

    version: int
    capabilities: Capability
    window: int
    max_body: int
    heartbeat_ms: int
    fingerprint: bytes
    epoch: int  # random, new whenever the event memory starts anew
    boots: int
    last_event: int
    acknowledged_event: int
    command_memory: int  # how many executed commands of an instance are remembered
    known_instance: bool
    host_nonce: bytes
    nonce: bytes
    serial: str
    ephemeral: bytes
    proof: bytes  # in secure mode: HMAC over the whole handshake, else empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset(Message):
    """Either end ends or refuses a session."""

    reason: ResetReason
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ack(Message):
    """The header's acknowledgement, and which frames beyond the first missing one have come."""

    early: int  # bit n: frame `acknowledge` + 2 + n


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat(Message):
    """I am here."""

    uptime_ms: int
    last_event: int  # device: newest event; host: newest event it has stored


# ------------------------------------------------------------------------------------------------------------- replies


@dataclass(frozen=True, slots=True)
class Done(Message):
    """The command was carried out, or begun where it moves cards; events tell the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Message):
    """The command was refused and changed nothing."""

    code: ErrorCode
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskFate(Message):
    """What became of that command? If it has not come by now, it never will be executed."""

    command: int  # its request id


@dataclass(frozen=True, slots=True, kw_only=True)
class FateTold(Message):
    """What became of it, and why it was refused where it was."""

    command: int
    fate: Fate
    code: int  # an ErrorCode where it was refused, else 0


# -------------------------------------------------------------------------------------------------------------- device


@dataclass(frozen=True, slots=True)
class GetInfo(Message):
    """Who are you?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Info(Message):
    """Identity and kind of the device."""

    flags: DeviceFlag
    commits: CommitKind
    decks: int
    deck_cards: int
    model: str
    serial: str
    firmware: str
    profile: str


@dataclass(frozen=True, slots=True)
class GetStatus(Message):
    """How are you?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(Message):
    """The state of each machine in the device."""

    power: PowerState
    infeed: InfeedState
    deal: DealState
    round_state: RoundState
    fault: FaultState
    mode: Mode
    fault_code: FaultCode
    game: int
    round: int
    group: int  # groups removed so far in this round
    groups: int  # groups this round has
    shuffle: int  # number of the shuffle in play
    door_open: bool
    role: Role
    last_event: int


@dataclass(frozen=True, slots=True)
class SelfTest(Message):
    """Test yourself; refused while cards are moving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestResult(Message):
    """What the self-test found."""

    passed: bool
    fault: FaultCode
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify(Message):
    """Prove your program against a fresh challenge."""

    challenge: bytes  # 32 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified(Message):
    """HMAC-SHA-256 over the device's program and profile, keyed by the challenge."""

    digest: bytes  # 32 bytes
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTime(Message):
    """Set the device's calendar; its event times go on by its own clock."""

    unix_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Time(Message):
    """The device's own clock, and its calendar as set."""

    uptime_ms: int
    unix_ms: int


@dataclass(frozen=True, slots=True)
class GetCounters(Message):
    """Read the meters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters(Message):
    """The meters since manufacture, and the head of the hash-chained log."""

    shuffles: int
    rounds: int
    groups: int
    cards: int
    misdeals: int
    faults: int
    power_ups: int
    log_length: int
    log_head: bytes  # 32 bytes


# ---------------------------------------------------------------------------------------------------------------- game


@dataclass(frozen=True, slots=True)
class ListGames(Message):
    """Read the game menu."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Games(Message):
    """The game menu."""

    selected: int
    games: tuple[GameEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectGame(Message):
    """Choose a game of the menu; only with no round open."""

    game: int


# ---------------------------------------------------------------------------------------------------------------- deck


@dataclass(frozen=True, slots=True)
class Load(Message):
    """Take the cards that lie in the infeed tray."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle(Message):
    """Shuffle the loaded deck and commit to its order."""

    nonce: bytes  # 16 bytes of the host's, bound into the commitment


@dataclass(frozen=True, slots=True)
class Sort(Message):
    """Put the loaded deck into factory order; a sorted deck can't be dealt."""


@dataclass(frozen=True, slots=True)
class VerifyDeck(Message):
    """Count and read the loaded deck without shuffling it."""


@dataclass(frozen=True, slots=True)
class EjectStub(Message):
    """Deliver what is left of the deck in play."""


@dataclass(frozen=True, slots=True)
class ReadStub(Message):
    """Supervisor: the cards of the stub that was last removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub(Message):
    """The cards of the last stub and their openings."""

    shuffle: int
    opening: Opening


# ---------------------------------------------------------------------------------------------------------------- deal


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginRound(Message):
    """Open a round: which seats get a group. The number is the host's and must grow."""

    round: int
    seats: int  # bit n - 1 for seat n


@dataclass(frozen=True, slots=True, kw_only=True)
class DealGroup(Message):
    """Deliver the next groups of the round in order, each once the one before has been taken."""

    round: int
    groups: int  # 0 for all that are left


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseDecisions(Message):
    """Every player has decided: the dealer's cards may be named."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRound(Message):
    """The host declares a misdeal: no further group, all cards back, recount, reshuffle."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHand(Message):
    """Supervisor: the cards of one group of an earlier round."""

    round: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledHand(Message):
    """What was dealt to that seat."""

    round: int
    seat: int
    shuffle: int
    cards: tuple[int, ...]
    places: tuple[int, ...] = ()  # where the device reads no faces, instead of cards


# ----------------------------------------------------------------------------------------------------------------- log


@dataclass(frozen=True, slots=True, kw_only=True)
class AckEvents(Message):
    """The host has stored every event up to this number."""

    upto: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLog(Message):
    """Read lines of the device's log after a number."""

    after: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line of the log with the hash that chains it."""

    number: int
    time_ms: int
    hash: bytes  # 32 bytes
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage(Message):
    """Lines of the log; fewer than asked where a frame would be too long."""

    length: int
    lines: tuple[LogLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteHead(Message):
    """Write the newest hash of the host's journal into the log, so that a journal that is rewritten later is found."""

    journal: bytes  # 16 bytes that name the journal
    record: int
    hash: bytes  # 32 bytes


# --------------------------------------------------------------------------------------------------------- maintenance


@dataclass(frozen=True, slots=True, kw_only=True)
class AskChallenge(Message):
    """I want this role."""

    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge(Message):
    """Prove it: the nonce to answer."""

    role: Role
    nonce: bytes  # 32 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveRole(Message):
    """The proof; the role holds until the session ends or is dropped."""

    role: Role
    proof: bytes  # 32 bytes


@dataclass(frozen=True, slots=True)
class DropRole(Message):
    """Back to dealer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearFault(Message):
    """Technician or supervisor: the cause is mended, go on."""

    code: FaultCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMode(Message):
    """Technician: enter or leave service mode."""

    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRandom(Message):
    """Laboratory: raw output of the generator; service mode only."""

    count: int  # bytes, at most 1,024


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomBytes(Message):
    """Raw output; it is used for nothing else."""

    data: bytes


# -------------------------------------------------------------------------------------------------------------- events


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Message):
    """Root of all events: numbered within the store's epoch and kept until acknowledged; 0 marks a passing one."""

    number: int
    time_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredUp(Event):
    """The machine started."""

    boots: int
    cause: PowerUpCause
    interrupted: Interrupted
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckLoaded(Event):
    """Cards were taken in and counted."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleProgressed(Event):
    """Passing: how far the shuffle is, by count alone."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleCompleted(Event):
    """A deck is shuffled, counted and committed to."""

    shuffle: int
    count: int
    game: int
    kind: CommitKind
    flags: DeviceFlag  # SEEDED, RIGGED
    nonce: bytes  # the host's, as bound into the root
    root: bytes  # 32 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckSorted(Event):
    """A deck lies in factory order; it can't be dealt."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckVerified(Event):
    """A deck was counted and read without shuffling."""

    count: int
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReady(Event):
    """A group lies in the tray."""

    round: int
    group: int
    seat: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRemoved(Event):
    """A group was taken; its cards are named unless withheld (the dealer's until decisions close)."""

    round: int
    group: int
    seat: int
    count: int
    shuffle: int
    withheld: bool
    opening: Opening


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDisclosed(Event):
    """A withheld group is named."""

    round: int
    group: int
    seat: int
    shuffle: int
    opening: Opening


@dataclass(frozen=True, slots=True, kw_only=True)
class CardExposed(Event):
    """A card showed its face on the way; recorded, not a misdeal."""

    round: int
    group: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StubReady(Event):
    """What is left of the deck lies in the tray."""

    round: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StubRemoved(Event):
    """The rest of the deck was taken; its cards stay closed."""

    round: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRaised(Event):
    """The machine stopped."""

    code: FaultCode
    place: Place
    detail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCleared(Event):
    """The machine goes on."""

    code: FaultCode
    how: Cleared


@dataclass(frozen=True, slots=True, kw_only=True)
class Misdealt(Event):
    """The round is void."""

    round: int
    reason: MisdealReason
    group: int
    expected: int
    seen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorMoved(Event):
    """The door was opened or closed."""

    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChanged(Event):
    """The machine is now for something else."""

    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class CountersReported(Event):
    """The meters at the end of a deck, with the log's head."""

    shuffles: int
    rounds: int
    misdeals: int
    faults: int
    log_length: int
    log_head: bytes  # 32 bytes

"""The catalogue: every message with its number, direction, reply, authority and meaning. One literal table."""

import hashlib
from dataclasses import dataclass
from enum import Enum

from protocol import messages as m
from protocol.vocabulary import Role


class Group(Enum):
    """The chapters of the protocol reference."""

    LINK = "link"
    SESSION = "session"
    DEVICE = "device"
    GAME = "game"
    DECK = "deck"
    DEAL = "deal"
    LOG = "log"
    MAINTENANCE = "maintenance"
    EVENT = "event"


class Way(Enum):
    """Who sends it."""

    HOST = "host → device"
    DEVICE = "device → host"
    BOTH = "both ways"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: `effect` commands are remembered by the device and never executed twice."""

    number: int
    body: type[m.Message]
    group: Group
    way: Way
    reply: type[m.Message] | None
    effect: bool
    roles: tuple[Role, ...]  # who may; empty: everyone
    meaning: str

    @property
    def name(self) -> str:
        return self.body.__name__


_L, _S, _D, _G, _K = Group.LINK, Group.SESSION, Group.DEVICE, Group.GAME, Group.DECK
_A, _O, _M, _E = Group.DEAL, Group.LOG, Group.MAINTENANCE, Group.EVENT
_H, _V, _B = Way.HOST, Way.DEVICE, Way.BOTH
_ANY: tuple[Role, ...] = ()
_SUP, _TEC, _LAB = (Role.SUPERVISOR,), (Role.TECHNICIAN,), (Role.LABORATORY,)
_MND = (Role.SUPERVISOR, Role.TECHNICIAN)

# fmt: off
CATALOGUE: tuple[Entry, ...] = (
    #     no    body                 group way reply              effect roles meaning
    Entry(0x01, m.Hello,             _L, _H, m.Welcome,           False, _ANY, "opens a session: versions, capabilities, the host's instance"),
    Entry(0x02, m.Welcome,           _L, _V, None,                False, _ANY, "accepts it: session number, store epoch, newest and acknowledged event"),
    Entry(0x03, m.Reset,             _L, _B, None,                False, _ANY, "ends or refuses a session, with the reason"),
    Entry(0x04, m.Ack,               _L, _B, None,                False, _ANY, "carries only the header's acknowledgement"),
    Entry(0x05, m.Heartbeat,         _L, _B, None,                False, _ANY, "sent while there is nothing else to say; silence for three intervals is link down"),
    Entry(0x80, m.Done,              _S, _V, None,                False, _ANY, "carried out, or begun where cards move"),
    Entry(0x81, m.Error,             _S, _V, None,                False, _ANY, "refused; nothing changed"),
    Entry(0x0F, m.AskFate,           _S, _H, m.FateTold,          False, _ANY, "asks what became of an unanswered command; one not executed by now never will be"),
    Entry(0x8F, m.FateTold,          _S, _V, None,                False, _ANY, "done, refused or never executed"),

    Entry(0x10, m.GetInfo,           _D, _H, m.Info,              False, _ANY, "asks for identity and kind"),
    Entry(0x90, m.Info,              _D, _V, None,                False, _ANY, "identity, what it can sense and commit to, whether it is seeded or rigged"),
    Entry(0x11, m.GetStatus,         _D, _H, m.Status,            False, _ANY, "asks for the state of each machine"),
    Entry(0x91, m.Status,            _D, _V, None,                False, _ANY, "the state of each machine; never a card"),
    Entry(0x12, m.SelfTest,          _D, _H, m.SelfTestResult,    True,  _ANY, "runs the self-test; refused while cards move"),
    Entry(0x92, m.SelfTestResult,    _D, _V, None,                False, _ANY, "what the self-test found"),
    Entry(0x13, m.Verify,            _D, _H, m.Verified,          False, _ANY, "asks for a keyed digest of program and profile"),
    Entry(0x93, m.Verified,          _D, _V, None,                False, _ANY, "the digest for that challenge"),
    Entry(0x14, m.SetTime,           _D, _H, m.Time,              True,  _ANY, "sets the device's calendar"),
    Entry(0x94, m.Time,              _D, _V, None,                False, _ANY, "the device's clock and calendar"),
    Entry(0x15, m.GetCounters,       _D, _H, m.Counters,          False, _ANY, "asks for the meters"),
    Entry(0x95, m.Counters,          _D, _V, None,                False, _ANY, "the meters and the head of the log"),

    Entry(0x20, m.ListGames,         _G, _H, m.Games,             False, _ANY, "asks for the game menu"),
    Entry(0xA0, m.Games,             _G, _V, None,                False, _ANY, "the game menu and the choice"),
    Entry(0x21, m.SelectGame,        _G, _H, m.Done,              True,  _ANY, "chooses a game; no round may be open"),

    Entry(0x28, m.Load,              _K, _H, m.Done,              True,  _ANY, "takes the cards in the infeed tray"),
    Entry(0x29, m.Shuffle,           _K, _H, m.Done,              True,  _ANY, "shuffles the loaded deck"),
    Entry(0x2A, m.Sort,              _K, _H, m.Done,              True,  _ANY, "sorts the loaded deck; it can't be dealt then"),
    Entry(0x2B, m.VerifyDeck,        _K, _H, m.Done,              True,  _ANY, "counts and reads the loaded deck"),
    Entry(0x2C, m.EjectStub,         _K, _H, m.Done,              True,  _ANY, "delivers the rest of the deck in play"),
    Entry(0x2D, m.ReadStub,          _K, _H, m.Stub,              False, _SUP, "asks for the cards of the last stub"),
    Entry(0xAD, m.Stub,              _K, _V, None,                False, _ANY, "the cards of the last stub"),

    Entry(0x30, m.BeginRound,        _A, _H, m.Done,              True,  _ANY, "opens a round for these seats"),
    Entry(0x31, m.DealGroup,         _A, _H, m.Done,              True,  _ANY, "delivers the next groups in order"),
    Entry(0x32, m.CloseDecisions,    _A, _H, m.Done,              True,  _ANY, "lets the dealer's cards be named"),
    Entry(0x33, m.VoidRound,         _A, _H, m.Done,              True,  _ANY, "declares a misdeal"),
    Entry(0x34, m.RecallHand,        _A, _H, m.RecalledHand,      False, _SUP, "asks what an earlier group was"),
    Entry(0xB4, m.RecalledHand,      _A, _V, None,                False, _ANY, "what that group was"),

    Entry(0x38, m.AckEvents,         _O, _H, None,                False, _ANY, "the host has stored all events up to this one"),
    Entry(0x39, m.ReadLog,           _O, _H, m.LogPage,           False, _ANY, "asks for lines of the log"),
    Entry(0xB9, m.LogPage,           _O, _V, None,                False, _ANY, "lines of the log with their chain hashes"),

    Entry(0x40, m.AskChallenge,      _M, _H, m.Challenge,         False, _ANY, "asks to prove a role"),
    Entry(0xC0, m.Challenge,         _M, _V, None,                False, _ANY, "the nonce to answer"),
    Entry(0x41, m.ProveRole,         _M, _H, m.Done,              False, _ANY, "proves the role for this session"),
    Entry(0x42, m.DropRole,          _M, _H, m.Done,              False, _ANY, "gives the role back"),
    Entry(0x43, m.ClearFault,        _M, _H, m.Done,              True,  _MND, "says that a fault's cause is mended"),
    Entry(0x44, m.ServiceMode,       _M, _H, m.Done,              True,  _TEC, "enters or leaves service mode"),
    Entry(0x45, m.ReadRandom,        _M, _H, m.RandomBytes,       False, _LAB, "asks for raw output of the generator; in service mode only"),
    Entry(0xC5, m.RandomBytes,       _M, _V, None,                False, _ANY, "raw output, never used for a shuffle"),

    Entry(0x60, m.PoweredUp,         _E, _V, None,                False, _ANY, "the machine started, and what became of an open round"),
    Entry(0x61, m.DeckLoaded,        _E, _V, None,                False, _ANY, "cards were taken in and counted"),
    Entry(0x62, m.ShuffleProgressed, _E, _V, None,                False, _ANY, "how far the shuffle is; passing, not kept"),
    Entry(0x63, m.ShuffleCompleted,  _E, _V, None,                False, _ANY, "a deck is shuffled and committed to"),
    Entry(0x64, m.DeckSorted,        _E, _V, None,                False, _ANY, "a deck is sorted"),
    Entry(0x65, m.DeckVerified,      _E, _V, None,                False, _ANY, "a deck was counted and read"),
    Entry(0x66, m.GroupReady,        _E, _V, None,                False, _ANY, "a group lies in the tray"),
    Entry(0x67, m.GroupRemoved,      _E, _V, None,                False, _ANY, "a group was taken; its cards and their openings"),
    Entry(0x68, m.HandDisclosed,     _E, _V, None,                False, _ANY, "the dealer's cards, once decisions are closed"),
    Entry(0x69, m.CardExposed,       _E, _V, None,                False, _ANY, "a card showed its face"),
    Entry(0x6A, m.StubReady,         _E, _V, None,                False, _ANY, "the stub lies in the tray"),
    Entry(0x6B, m.StubRemoved,       _E, _V, None,                False, _ANY, "the stub was taken; its count"),
    Entry(0x6C, m.FaultRaised,       _E, _V, None,                False, _ANY, "the machine stopped"),
    Entry(0x6D, m.FaultCleared,      _E, _V, None,                False, _ANY, "the machine goes on"),
    Entry(0x6E, m.Misdealt,          _E, _V, None,                False, _ANY, "the round is void"),
    Entry(0x6F, m.DoorMoved,         _E, _V, None,                False, _ANY, "the door moved"),
    Entry(0x70, m.ModeChanged,       _E, _V, None,                False, _ANY, "the machine is now for something else"),
    Entry(0x71, m.CountersReported,  _E, _V, None,                False, _ANY, "the meters at the end of a deck"),
)
# fmt: on

BY_NUMBER: dict[int, Entry] = {entry.number: entry for entry in CATALOGUE}
BY_BODY: dict[type[m.Message], Entry] = {entry.body: entry for entry in CATALOGUE}

PASSING_EVENTS = frozenset({m.ShuffleProgressed})  # number 0, not kept, not replayed

LINK_NUMBERS = frozenset(entry.number for entry in CATALOGUE if entry.group is Group.LINK)


def fingerprint() -> bytes:
    """Eight bytes that change whenever a message's number, fields or layout change."""
    from protocol.layout import describe

    lines = [f"{entry.number:02x} {entry.name} {describe(entry.body)}" for entry in CATALOGUE]
    return hashlib.sha256("\n".join(lines).encode()).digest()[:8]

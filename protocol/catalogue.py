"""The catalogue: every message with its number, direction, reply, authority and meaning. One literal table."""

import hashlib
from dataclasses import dataclass
from enum import Enum
from functools import cache

from protocol import messages as m
from protocol.vocabulary import Role


class Chapter(Enum):
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
class CatalogueEntry:
    """One row: `effect` commands are remembered by the device and never executed twice."""

    number: int
    body: type[m.Message]
    group: Chapter
    way: Way
    reply: type[m.Message] | None
    effect: bool
    roles: tuple[Role, ...]  # who may; empty: everyone
    meaning: str

    @property
    def name(self) -> str:
        return self.body.__name__


_L, _S, _D, _G, _K = Chapter.LINK, Chapter.SESSION, Chapter.DEVICE, Chapter.GAME, Chapter.DECK
_A, _O, _M, _E = Chapter.DEAL, Chapter.LOG, Chapter.MAINTENANCE, Chapter.EVENT
_H, _V, _B = Way.HOST, Way.DEVICE, Way.BOTH
_ANY: tuple[Role, ...] = ()
_SUP, _TEC, _LAB = (Role.SUPERVISOR,), (Role.TECHNICIAN,), (Role.LABORATORY,)
_MND = (Role.SUPERVISOR, Role.TECHNICIAN)

# fmt: off
CATALOGUE: tuple[CatalogueEntry, ...] = (
    #     no    body                 group way reply              effect roles meaning
    CatalogueEntry(0x01, m.Hello,             _L, _H, m.Welcome,           False, _ANY, "opens a session: versions, capabilities, the host's instance"),
    CatalogueEntry(0x02, m.Welcome,           _L, _V, None,                False, _ANY, "accepts it: session number, store epoch, newest and acknowledged event"),
    CatalogueEntry(0x03, m.Reset,             _L, _B, None,                False, _ANY, "ends or refuses a session, with the reason"),
    CatalogueEntry(0x04, m.Ack,               _L, _B, None,                False, _ANY, "carries the header's acknowledgement, and which frames have come beyond the first missing one"),
    CatalogueEntry(0x05, m.Heartbeat,         _L, _B, None,                False, _ANY, "sent while there is nothing else to say; silence for three intervals is link down"),
    CatalogueEntry(0x80, m.Done,              _S, _V, None,                False, _ANY, "carried out, or begun where cards move"),
    CatalogueEntry(0x81, m.Error,             _S, _V, None,                False, _ANY, "refused; nothing changed"),
    CatalogueEntry(0x0F, m.AskFate,           _S, _H, m.FateTold,          False, _ANY, "asks what became of an unanswered command; one not executed by now never will be"),
    CatalogueEntry(0x8F, m.FateTold,          _S, _V, None,                False, _ANY, "done, refused, never executed or forgotten"),

    CatalogueEntry(0x10, m.GetInfo,           _D, _H, m.Info,              False, _ANY, "asks for identity and kind"),
    CatalogueEntry(0x90, m.Info,              _D, _V, None,                False, _ANY, "identity, what it can sense and commit to, whether it is seeded or rigged"),
    CatalogueEntry(0x11, m.GetStatus,         _D, _H, m.Status,            False, _ANY, "asks for the state of each machine"),
    CatalogueEntry(0x91, m.Status,            _D, _V, None,                False, _ANY, "the state of each machine; never a card"),
    CatalogueEntry(0x12, m.SelfTest,          _D, _H, m.SelfTestResult,    True,  _ANY, "runs the self-test; refused while cards move"),
    CatalogueEntry(0x92, m.SelfTestResult,    _D, _V, None,                False, _ANY, "what the self-test found"),
    CatalogueEntry(0x13, m.Verify,            _D, _H, m.Verified,          False, _ANY, "asks for a keyed digest of program and profile"),
    CatalogueEntry(0x93, m.Verified,          _D, _V, None,                False, _ANY, "the digest for that challenge"),
    CatalogueEntry(0x14, m.SetTime,           _D, _H, m.Time,              True,  _ANY, "sets the device's calendar"),
    CatalogueEntry(0x94, m.Time,              _D, _V, None,                False, _ANY, "the device's clock and calendar"),
    CatalogueEntry(0x15, m.GetCounters,       _D, _H, m.Counters,          False, _ANY, "asks for the meters"),
    CatalogueEntry(0x95, m.Counters,          _D, _V, None,                False, _ANY, "the meters and the head of the log"),

    CatalogueEntry(0x20, m.ListGames,         _G, _H, m.Games,             False, _ANY, "asks for the game menu"),
    CatalogueEntry(0xA0, m.Games,             _G, _V, None,                False, _ANY, "the game menu and the choice"),
    CatalogueEntry(0x21, m.SelectGame,        _G, _H, m.Done,              True,  _ANY, "chooses a game; no round may be open"),

    CatalogueEntry(0x28, m.Load,              _K, _H, m.Done,              True,  _ANY, "takes the cards in the infeed tray"),
    CatalogueEntry(0x29, m.Shuffle,           _K, _H, m.Done,              True,  _ANY, "shuffles the loaded deck"),
    CatalogueEntry(0x2A, m.Sort,              _K, _H, m.Done,              True,  _ANY, "sorts the loaded deck; it can't be dealt then"),
    CatalogueEntry(0x2B, m.VerifyDeck,        _K, _H, m.Done,              True,  _ANY, "counts and reads the loaded deck"),
    CatalogueEntry(0x2C, m.EjectStub,         _K, _H, m.Done,              True,  _ANY, "delivers the rest of the deck in play"),
    CatalogueEntry(0x2D, m.ReadStub,          _K, _H, m.Stub,              False, _SUP, "asks for the cards of the last stub"),
    CatalogueEntry(0xAD, m.Stub,              _K, _V, None,                False, _ANY, "the cards of the last stub"),

    CatalogueEntry(0x30, m.BeginRound,        _A, _H, m.Done,              True,  _ANY, "opens a round for these seats"),
    CatalogueEntry(0x31, m.DealGroup,         _A, _H, m.Done,              True,  _ANY, "delivers the next groups in order"),
    CatalogueEntry(0x32, m.CloseDecisions,    _A, _H, m.Done,              True,  _ANY, "lets the dealer's cards be named"),
    CatalogueEntry(0x33, m.VoidRound,         _A, _H, m.Done,              True,  _ANY, "declares a misdeal"),
    CatalogueEntry(0x34, m.RecallHand,        _A, _H, m.RecalledHand,      False, _SUP, "asks what an earlier group was"),
    CatalogueEntry(0xB4, m.RecalledHand,      _A, _V, None,                False, _ANY, "what that group was"),

    CatalogueEntry(0x38, m.AckEvents,         _O, _H, None,                False, _ANY, "the host has stored all events up to this one"),
    CatalogueEntry(0x39, m.ReadLog,           _O, _H, m.LogPage,           False, _ANY, "asks for lines of the log"),
    CatalogueEntry(0xB9, m.LogPage,           _O, _V, None,                False, _ANY, "lines of the log with their chain hashes"),
    CatalogueEntry(0x3A, m.NoteHead,          _O, _H, m.Done,              True,  _ANY, "writes the head of the host's journal into the log"),

    CatalogueEntry(0x40, m.AskChallenge,      _M, _H, m.Challenge,         False, _ANY, "asks to prove a role"),
    CatalogueEntry(0xC0, m.Challenge,         _M, _V, None,                False, _ANY, "the nonce to answer"),
    CatalogueEntry(0x41, m.ProveRole,         _M, _H, m.Done,              False, _ANY, "proves the role for this session"),
    CatalogueEntry(0x42, m.DropRole,          _M, _H, m.Done,              False, _ANY, "gives the role back"),
    CatalogueEntry(0x43, m.ClearFault,        _M, _H, m.Done,              True,  _MND, "says that a fault's cause is mended"),
    CatalogueEntry(0x44, m.ServiceMode,       _M, _H, m.Done,              True,  _TEC, "enters or leaves service mode"),
    CatalogueEntry(0x45, m.ReadRandom,        _M, _H, m.RandomBytes,       False, _LAB, "asks for raw output of the generator; in service mode only"),
    CatalogueEntry(0xC5, m.RandomBytes,       _M, _V, None,                False, _ANY, "raw output, never used for a shuffle"),

    CatalogueEntry(0x60, m.PoweredUp,         _E, _V, None,                False, _ANY, "the machine started, and what became of an open round"),
    CatalogueEntry(0x61, m.DeckLoaded,        _E, _V, None,                False, _ANY, "cards were taken in and counted"),
    CatalogueEntry(0x62, m.ShuffleProgressed, _E, _V, None,                False, _ANY, "how far the shuffle is; passing, not kept"),
    CatalogueEntry(0x63, m.ShuffleCompleted,  _E, _V, None,                False, _ANY, "a deck is shuffled and committed to"),
    CatalogueEntry(0x64, m.DeckSorted,        _E, _V, None,                False, _ANY, "a deck is sorted"),
    CatalogueEntry(0x65, m.DeckVerified,      _E, _V, None,                False, _ANY, "a deck was counted and read"),
    CatalogueEntry(0x66, m.GroupReady,        _E, _V, None,                False, _ANY, "a group lies in the tray"),
    CatalogueEntry(0x67, m.GroupRemoved,      _E, _V, None,                False, _ANY, "a group was taken; its cards and their openings"),
    CatalogueEntry(0x68, m.HandDisclosed,     _E, _V, None,                False, _ANY, "the dealer's cards, once decisions are closed"),
    CatalogueEntry(0x69, m.CardExposed,       _E, _V, None,                False, _ANY, "a card showed its face"),
    CatalogueEntry(0x6A, m.StubReady,         _E, _V, None,                False, _ANY, "the stub lies in the tray"),
    CatalogueEntry(0x6B, m.StubRemoved,       _E, _V, None,                False, _ANY, "the stub was taken; its count"),
    CatalogueEntry(0x6C, m.FaultRaised,       _E, _V, None,                False, _ANY, "the machine stopped"),
    CatalogueEntry(0x6D, m.FaultCleared,      _E, _V, None,                False, _ANY, "the machine goes on"),
    CatalogueEntry(0x6E, m.Misdealt,          _E, _V, None,                False, _ANY, "the round is void"),
    CatalogueEntry(0x6F, m.DoorMoved,         _E, _V, None,                False, _ANY, "the door moved"),
    CatalogueEntry(0x70, m.ModeChanged,       _E, _V, None,                False, _ANY, "the machine is now for something else"),
    CatalogueEntry(0x71, m.CountersReported,  _E, _V, None,                False, _ANY, "the meters at the end of a deck"),
)
# fmt: on

BY_NUMBER: dict[int, CatalogueEntry] = {entry.number: entry for entry in CATALOGUE}
BY_BODY: dict[type[m.Message], CatalogueEntry] = {entry.body: entry for entry in CATALOGUE}

NEEDS_PLAY: frozenset[type[m.Message]] = frozenset(
    {m.Load, m.Shuffle, m.Sort, m.VerifyDeck, m.EjectStub, m.BeginRound, m.DealGroup, m.SelectGame}
)
NEEDS_HEALTH = NEEDS_PLAY - {m.SelectGame}  # refused while a fault holds the machine; another game may be the cure
NEEDS_POWER = NEEDS_PLAY | {m.CloseDecisions, m.VoidRound, m.ClearFault, m.ServiceMode, m.SelfTest, m.ReadRandom}

PASSING_EVENTS = frozenset({m.ShuffleProgressed})  # number 0, not kept, not replayed

LINK_NUMBERS = frozenset(entry.number for entry in CATALOGUE if entry.group is Chapter.LINK)


@cache  # each hello, each welcome and whoever reads one asks for it
def fingerprint() -> bytes:
    """Eight bytes that change whenever a message's number, fields or layout change."""
    from protocol.layout import describe

    lines = [f"{entry.number:02x} {entry.name} {describe(entry.body)}" for entry in CATALOGUE]
    return hashlib.sha256("\n".join(lines).encode()).digest()[:8]

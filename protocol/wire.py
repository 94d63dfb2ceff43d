"""How each message body is laid out, once, with construct: the only file that says so. Little-endian, no padding.

Fields of fixed size come first, those of variable size last, so that a packed C struct covers every body's head.
`codec.py` derives its fast path from these definitions and the tests hold the two equal.
"""

from typing import Any

from construct import (
    Bytes,
    Construct,
    GreedyBytes,
    Int8ul,
    Int16ul,
    Int32ul,
    Int64ul,
    PascalString,
    Prefixed,
    PrefixedArray,
    Struct,
)

from protocol import messages as m

U8, U16, U32, U64 = Int8ul, Int16ul, Int32ul, Int64ul
Text = PascalString(Int8ul, "utf8")
Blob8 = Prefixed(Int8ul, GreedyBytes)
Blob16 = Prefixed(Int16ul, GreedyBytes)
Cards = PrefixedArray(Int16ul, Int8ul)
Places = PrefixedArray(Int16ul, Int8ul)
Hash = Bytes(32)
Nonce = Bytes(16)

OPENING = Struct(
    "first" / U16,
    "cards" / Cards,
    "places" / Places,
    "salts" / Blob16,
    "proof" / Blob16,
)

GAME_ENTRY = Struct(
    "game" / U8,
    "cards_per_group" / U8,
    "dealer_cards" / U8,
    "groups" / U8,
    "dealer_first" / U8,
    "deck_cards" / U16,
    "name" / Text,
)

LOG_LINE = Struct(
    "number" / U32,
    "time_ms" / U64,
    "hash" / Hash,
    "text" / Text,
)

EVENT = ("number" / U32, "time_ms" / U64)

BODIES: dict[type[m.Message], "Construct[Any, Any]"] = {
    # link
    m.Hello: Struct(
        "version_min" / U8,
        "version_max" / U8,
        "must" / U32,
        "may" / U32,
        "window" / U8,
        "max_body" / U16,
        "fingerprint" / Bytes(8),
        "instance" / Nonce,
        "next_request" / U32,
        "nonce" / Nonce,
        "ephemeral" / Blob8,
    ),
    m.Welcome: Struct(
        "version" / U8,
        "capabilities" / U32,
        "window" / U8,
        "max_body" / U16,
        "heartbeat_ms" / U16,
        "fingerprint" / Bytes(8),
        "epoch" / U64,
        "boots" / U32,
        "last_event" / U32,
        "acknowledged_event" / U32,
        "command_memory" / U16,
        "known_instance" / U8,
        "host_nonce" / Nonce,
        "nonce" / Nonce,
        "serial" / Text,
        "ephemeral" / Blob8,
        "proof" / Blob8,
    ),
    m.Reset: Struct("reason" / U8, "text" / Text),
    m.Ack: Struct("early" / U16),
    m.Heartbeat: Struct("uptime_ms" / U64, "last_event" / U32),
    # replies
    m.Done: Struct(),
    m.Error: Struct("code" / U16, "text" / Text),
    m.AskFate: Struct("command" / U32),
    m.FateTold: Struct("command" / U32, "fate" / U8, "code" / U16),
    # device
    m.GetInfo: Struct(),
    m.Info: Struct(
        "flags" / U16,
        "commits" / U8,
        "decks" / U8,
        "deck_cards" / U16,
        "model" / Text,
        "serial" / Text,
        "firmware" / Text,
        "profile" / Text,
    ),
    m.GetStatus: Struct(),
    m.Status: Struct(
        "power" / U8,
        "infeed" / U8,
        "deal" / U8,
        "round_state" / U8,
        "fault" / U8,
        "mode" / U8,
        "fault_code" / U8,
        "game" / U8,
        "round" / U32,
        "group" / U8,
        "groups" / U8,
        "shuffle" / U32,
        "door_open" / U8,
        "role" / U8,
        "last_event" / U32,
    ),
    m.SelfTest: Struct(),
    m.SelfTestResult: Struct("passed" / U8, "fault" / U8, "text" / Text),
    m.Verify: Struct("challenge" / Bytes(32)),
    m.Verified: Struct("digest" / Hash, "files" / U16),
    m.SetTime: Struct("unix_ms" / U64),
    m.Time: Struct("uptime_ms" / U64, "unix_ms" / U64),
    m.GetCounters: Struct(),
    m.Counters: Struct(
        "shuffles" / U32,
        "rounds" / U32,
        "groups" / U32,
        "cards" / U64,
        "misdeals" / U32,
        "faults" / U32,
        "power_ups" / U32,
        "log_length" / U32,
        "log_head" / Hash,
    ),
    # game
    m.ListGames: Struct(),
    m.Games: Struct("selected" / U8, "games" / PrefixedArray(U8, GAME_ENTRY)),
    m.SelectGame: Struct("game" / U8),
    # deck
    m.Load: Struct(),
    m.Shuffle: Struct("nonce" / Nonce),
    m.Sort: Struct(),
    m.VerifyDeck: Struct(),
    m.EjectStub: Struct(),
    m.ReadStub: Struct(),
    m.Stub: Struct("shuffle" / U32, "opening" / OPENING),
    # deal
    m.BeginRound: Struct("round" / U32, "seats" / U16),
    m.DealGroup: Struct("round" / U32, "groups" / U8),
    m.CloseDecisions: Struct("round" / U32),
    m.VoidRound: Struct("round" / U32),
    m.RecallHand: Struct("round" / U32, "seat" / U8),
    m.RecalledHand: Struct("round" / U32, "seat" / U8, "shuffle" / U32, "cards" / Cards, "places" / Places),
    # log
    m.AckEvents: Struct("upto" / U32),
    m.ReadLog: Struct("after" / U32, "limit" / U8),
    m.LogPage: Struct("length" / U32, "lines" / PrefixedArray(U8, LOG_LINE)),
    m.NoteHead: Struct("journal" / Bytes(16), "record" / U64, "hash" / Hash),
    # maintenance
    m.AskChallenge: Struct("role" / U8),
    m.Challenge: Struct("role" / U8, "nonce" / Bytes(32)),
    m.ProveRole: Struct("role" / U8, "proof" / Bytes(32)),
    m.DropRole: Struct(),
    m.ClearFault: Struct("code" / U8),
    m.ServiceMode: Struct("on" / U8),
    m.ReadRandom: Struct("count" / U16),
    m.RandomBytes: Struct("data" / Blob16),
    # events
    m.PoweredUp: Struct(*EVENT, "boots" / U32, "cause" / U8, "interrupted" / U8, "round" / U32),
    m.DeckLoaded: Struct(*EVENT, "count" / U16),
    m.ShuffleProgressed: Struct(*EVENT, "done" / U16, "total" / U16),
    m.ShuffleCompleted: Struct(
        *EVENT,
        "shuffle" / U32,
        "count" / U16,
        "game" / U8,
        "kind" / U8,
        "flags" / U16,
        "nonce" / Nonce,
        "root" / Hash,
    ),
    m.DeckSorted: Struct(*EVENT, "count" / U16),
    m.DeckVerified: Struct(*EVENT, "count" / U16, "complete" / U8),
    m.GroupReady: Struct(*EVENT, "round" / U32, "group" / U8, "seat" / U8, "count" / U8),
    m.GroupRemoved: Struct(
        *EVENT,
        "round" / U32,
        "group" / U8,
        "seat" / U8,
        "count" / U8,
        "shuffle" / U32,
        "withheld" / U8,
        "opening" / OPENING,
    ),
    m.HandDisclosed: Struct(
        *EVENT, "round" / U32, "group" / U8, "seat" / U8, "shuffle" / U32, "opening" / OPENING
    ),
    m.CardExposed: Struct(*EVENT, "round" / U32, "group" / U8, "seat" / U8),
    m.StubReady: Struct(*EVENT, "round" / U32, "count" / U16),
    m.StubRemoved: Struct(*EVENT, "round" / U32, "count" / U16),
    m.FaultRaised: Struct(*EVENT, "code" / U8, "place" / U8, "detail" / U16),
    m.FaultCleared: Struct(*EVENT, "code" / U8, "how" / U8),
    m.Misdealt: Struct(*EVENT, "round" / U32, "reason" / U8, "group" / U8, "expected" / U16, "seen" / U16),
    m.DoorMoved: Struct(*EVENT, "open" / U8),
    m.ModeChanged: Struct(*EVENT, "mode" / U8),
    m.CountersReported: Struct(
        *EVENT,
        "shuffles" / U32,
        "rounds" / U32,
        "misdeals" / U32,
        "faults" / U32,
        "log_length" / U32,
        "log_head" / Hash,
    ),
}

HEADER = Struct(
    "version" / U8,
    "flags" / U8,
    "message" / U8,
    "session" / U32,
    "sequence" / U32,
    "acknowledge" / U32,
    "request" / U32,
)

MIN_BODY = 768  # the shortest limit that a host may ask for; a group of seven cards with its proof needs 700
MAX_BODY = 2048  # the longest body either end may send; an opening of 17 cards with its proof needs 1,200

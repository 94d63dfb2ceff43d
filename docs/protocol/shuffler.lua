-- Wireshark dissector of the shuffler bench's wire protocol, version 2, catalogue 3e8af397f52600bc.
--
-- Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/recording.md shows
-- how to install it; docs/protocol.md explains every field. Reads TCP, serial captures (RTAC Serial) and USB bulk transfers.

local VERSION = 2
local HELLO_VERSION = 1
local HEADER_SIZE = 19
local MAX_BODY = 2048
local MAX_ENCODED = 2104
local SEALED = 128
local RETRANSMITTED = 1
local COUNTER_SIZE = 8
local SEAL_OVERHEAD = 24

local WORDS = {
  ["ResetReason"] = { [0] = "CLOSED", [1] = "UNKNOWN_SESSION", [2] = "VERSION", [3] = "CAPABILITY", [4] = "BUSY", [5] = "SECURE_REQUIRED", [6] = "SECURE_UNAVAILABLE", [7] = "BAD_HELLO", [8] = "PEER_SILENT", [9] = "POWERING_OFF", [10] = "OUT_OF_NUMBERS", [11] = "SET_BACK", [12] = "TOO_LONG" },
  ["ErrorCode"] = { [1] = "UNKNOWN_MESSAGE", [2] = "MALFORMED", [3] = "NOT_NOW", [4] = "FAULTED", [5] = "NOT_AUTHORISED", [6] = "LOCKED_OUT", [7] = "BAD_PROOF", [8] = "STALE_REQUEST", [9] = "OUT_OF_RANGE", [10] = "UNSUPPORTED", [11] = "NOT_FOUND", [12] = "WRONG_ROUND", [13] = "EVENTS_FULL", [14] = "NO_CARDS", [15] = "FORGOTTEN", [16] = "CONFLICT", [17] = "TOO_LONG" },
  ["Role"] = { [0] = "DEALER", [1] = "SUPERVISOR", [2] = "TECHNICIAN", [3] = "LABORATORY" },
  ["PowerState"] = { [0] = "OFF", [1] = "SELF_TEST", [2] = "ON" },
  ["InfeedState"] = { [0] = "EMPTY", [1] = "LOADING", [2] = "LOADED", [3] = "SHUFFLING", [4] = "VERIFYING", [5] = "STAGED", [6] = "SORTING", [7] = "READING", [8] = "RECOUNTING" },
  ["DealState"] = { [0] = "NO_DECK", [1] = "READY", [2] = "DELIVERING", [3] = "GROUP_IN_TRAY", [4] = "DEALER_IN_TRAY", [5] = "STUB_INSIDE", [6] = "STUB_DELIVERING", [7] = "STUB_IN_TRAY", [8] = "MISDEALT" },
  ["RoundState"] = { [0] = "NO_ROUND", [1] = "DEALING", [2] = "DECIDING" },
  ["FaultState"] = { [0] = "CLEAR", [1] = "FAULTED", [2] = "RECOVERING" },
  ["Mode"] = { [0] = "PLAY", [1] = "SORT", [2] = "VERIFY_DECK", [3] = "SERVICE" },
  ["FaultCode"] = { [0] = "NONE", [1] = "JAM_FEEDER", [2] = "JAM_TRANSPORT", [3] = "JAM_COMPARTMENT", [4] = "JAM_EXIT", [5] = "DOUBLE_FEED", [6] = "NO_FEED", [7] = "SHORT_DECK", [8] = "LONG_DECK", [9] = "DUPLICATE_CARD", [10] = "FOREIGN_CARD", [11] = "UNREADABLE_CARD", [12] = "FACE_UP_CARD", [13] = "WRONG_BACK", [14] = "CARD_LEFT_IN_TRAY", [15] = "GROUP_REMOVED_SHORT", [16] = "CARD_PUT_BACK", [17] = "EARLY_GRAB", [18] = "DOOR_OPEN", [19] = "TRAY_SENSOR_STUCK", [20] = "MOTOR_STALL", [21] = "OVER_TEMPERATURE", [22] = "RANDOM_SOURCE", [23] = "MEMORY_CORRUPT", [24] = "CLOCK_LOST", [25] = "POWER_CUT", [26] = "CABLE_PULLED", [27] = "BROWN_OUT_LOOP", [28] = "EVENTS_FULL", [29] = "CARDS_LEFT_INSIDE", [30] = "SELF_TEST_FAILED", [31] = "MEMORY_FULL" },
  ["Place"] = { [0] = "NOWHERE", [1] = "FEEDER", [2] = "TRANSPORT", [3] = "COMPARTMENT", [4] = "EXIT", [5] = "TRAY", [6] = "DOOR", [7] = "MOTOR", [8] = "READER", [9] = "RANDOM", [10] = "MEMORY", [11] = "CLOCK", [12] = "POWER", [13] = "CABLE" },
  ["Cleared"] = { [0] = "BY_ITSELF", [1] = "BY_DEALER", [2] = "BY_HOST", [3] = "BY_POWER_CYCLE" },
  ["MisdealReason"] = { [1] = "GROUP_COUNT", [2] = "DUPLICATE_CARD", [3] = "CARD_NOT_IN_DECK", [4] = "OUT_OF_ORDER", [5] = "PAST_THE_STUB", [6] = "POWER_CUT", [7] = "MECHANISM", [8] = "HOST_VOID", [9] = "DECK_COUNT" },
  ["PowerUpCause"] = { [0] = "SWITCHED_ON", [1] = "POWER_RETURNED", [2] = "BROWN_OUT" },
  ["Interrupted"] = { [0] = "NOTHING", [1] = "RESUMED", [2] = "VOIDED" },
  ["CommitKind"] = { [0] = "NOTHING", [1] = "ORDER", [2] = "SLOTS" },
  ["Fate"] = { [1] = "DONE", [2] = "REFUSED", [3] = "NEVER_EXECUTED", [4] = "FORGOTTEN" },
}

local FLAGS = {
  ["Capability"] = {
    { name = "SECURE", mask = 1 },
    { name = "EVENT_REPLAY", mask = 2 },
    { name = "COMMITMENTS", mask = 4 },
  },
  ["DeviceFlag"] = {
    { name = "READS_FACES", mask = 1 },
    { name = "HAND_RECALL", mask = 2 },
    { name = "PRESTAGES", mask = 4 },
    { name = "SHOE", mask = 8 },
    { name = "SECURE", mask = 16 },
    { name = "SEEDED", mask = 256 },
    { name = "RIGGED", mask = 512 },
  },
}

local CARDS = {
  [0] = "2♣",
  [1] = "3♣",
  [2] = "4♣",
  [3] = "5♣",
  [4] = "6♣",
  [5] = "7♣",
  [6] = "8♣",
  [7] = "9♣",
  [8] = "T♣",
  [9] = "J♣",
  [10] = "Q♣",
  [11] = "K♣",
  [12] = "A♣",
  [13] = "2♦",
  [14] = "3♦",
  [15] = "4♦",
  [16] = "5♦",
  [17] = "6♦",
  [18] = "7♦",
  [19] = "8♦",
  [20] = "9♦",
  [21] = "T♦",
  [22] = "J♦",
  [23] = "Q♦",
  [24] = "K♦",
  [25] = "A♦",
  [26] = "2♥",
  [27] = "3♥",
  [28] = "4♥",
  [29] = "5♥",
  [30] = "6♥",
  [31] = "7♥",
  [32] = "8♥",
  [33] = "9♥",
  [34] = "T♥",
  [35] = "J♥",
  [36] = "Q♥",
  [37] = "K♥",
  [38] = "A♥",
  [39] = "2♠",
  [40] = "3♠",
  [41] = "4♠",
  [42] = "5♠",
  [43] = "6♠",
  [44] = "7♠",
  [45] = "8♠",
  [46] = "9♠",
  [47] = "T♠",
  [48] = "J♠",
  [49] = "Q♠",
  [50] = "K♠",
  [51] = "A♠",
  [52] = "joker",
  [53] = "cut card",
  [252] = "foreign",
  [253] = "face up",
  [254] = "unreadable",
  [255] = "not read",
}

local RECORDS = {
  ["Opening"] = {
    { name = "first", type = "uint", size = 2, note = "position of the first card in the dealt order, from 0" },
    { name = "cards", type = "cards", prefix = 2, note = "card codes in dealt order; empty if the device reads no faces" },
    { name = "places", type = "places", prefix = 2, note = "if it reads no faces: the place in the feed, from 0, of each card" },
    { name = "salts", type = "blob", prefix = 2, note = "32 bytes for each card, in the same order" },
    { name = "proof", type = "blob", prefix = 2, note = "sibling hashes, 32 bytes each, level by level from the leaves, left before right" },
  },
  ["GameEntry"] = {
    { name = "game", type = "uint", size = 1, note = "its number for SelectGame" },
    { name = "cards_per_group", type = "uint", size = 1, note = "cards in a player's group" },
    { name = "dealer_cards", type = "uint", size = 1, note = "cards in the dealer's group" },
    { name = "groups", type = "uint", size = 1, note = "maximum number of player groups in a round" },
    { name = "dealer_first", type = "bool", size = 1, note = "whether the dealer's group comes before the players'" },
    { name = "deck_cards", type = "uint", size = 2, note = "cards in one deck" },
    { name = "name", type = "text", prefix = 1, note = "for people" },
  },
  ["LogLine"] = {
    { name = "number", type = "uint", size = 4, note = "line number, from 1" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "hash", type = "bytes", size = 32, note = "chains this line to the previous one" },
    { name = "text", type = "text", prefix = 1, note = "for people" },
  },
}

local HEADER = {
  [1] = { name = "version", size = 1, base = "DEC", note = "protocol version of the frame" },
  [2] = { name = "flags", size = 1, base = "HEX", note = "the receiver must understand the upper half" },
  [3] = { name = "message", size = 1, base = "HEX", note = "number of the message" },
  [4] = { name = "session", size = 4, base = "HEX", note = "random number of the session, chosen by the device; 0 in a hello and in its refusal" },
  [5] = { name = "sequence", size = 4, base = "DEC", note = "number of the frame within its direction of the session, from 1; 0 if unordered" },
  [6] = { name = "acknowledge", size = 4, base = "DEC", note = "every frame of the other direction up to this number has been received" },
  [7] = { name = "request", size = 4, base = "DEC", note = "id of the command, repeated in its reply; 0 in events" },
}

local MESSAGES = {
  [1] = { name = "Hello", filter = "hello", meaning = "Opens a session: versions, capabilities and the host's instance.", fields = {
    { name = "version_min", type = "uint", size = 1, note = "lowest protocol version that the host supports" },
    { name = "version_max", type = "uint", size = 1, note = "highest protocol version that the host supports" },
    { name = "must", type = "flags", size = 4, of = "Capability", note = "capabilities that the host requires" },
    { name = "may", type = "flags", size = 4, of = "Capability", note = "capabilities that the host can use" },
    { name = "window", type = "uint", size = 1, note = "frames that the host accepts unacknowledged" },
    { name = "max_body", type = "uint", size = 2, note = "longest body that the host accepts" },
    { name = "fingerprint", type = "bytes", size = 8, note = "fingerprint of the host's catalogue" },
    { name = "instance", type = "bytes", size = 16, note = "16 random bytes that identify the host's request numbering" },
    { name = "next_request", type = "uint", size = 4, note = "lowest request id that was not used before this hello" },
    { name = "nonce", type = "bytes", size = 16, note = "16 random bytes, new in each hello" },
    { name = "ephemeral", type = "blob", prefix = 1, note = "X25519 public key (32 bytes) in secure mode, else empty" },
  } },
  [2] = { name = "Welcome", filter = "welcome", meaning = "Accepts a hello. The frame's header carries the number of the new session.", fields = {
    { name = "version", type = "uint", size = 1, note = "protocol version of this session" },
    { name = "capabilities", type = "flags", size = 4, of = "Capability", note = "capabilities that both ends have" },
    { name = "window", type = "uint", size = 1, note = "frames that either end may send unacknowledged" },
    { name = "max_body", type = "uint", size = 2, note = "longest body of this session" },
    { name = "heartbeat_ms", type = "uint", size = 2, note = "an end that has sent nothing for this long sends a heartbeat" },
    { name = "fingerprint", type = "bytes", size = 8, note = "fingerprint of the device's catalogue" },
    { name = "epoch", type = "uint", size = 8, note = "random number, never 0; changes whenever the event memory is reset" },
    { name = "boots", type = "uint", size = 4, note = "power-ups since manufacture" },
    { name = "last_event", type = "uint", size = 4, note = "number of the newest event" },
    { name = "acknowledged_event", type = "uint", size = 4, note = "newest event that a host has acknowledged" },
    { name = "command_memory", type = "uint", size = 2, note = "number of commands that the device remembers for each instance" },
    { name = "known_instance", type = "bool", size = 1, note = "whether the device remembers commands of the host's instance" },
    { name = "host_nonce", type = "bytes", size = 16, note = "the nonce of the hello that this welcome answers" },
    { name = "nonce", type = "bytes", size = 16, note = "16 random bytes, new in each welcome" },
    { name = "serial", type = "text", prefix = 1, note = "serial number of the device" },
    { name = "ephemeral", type = "blob", prefix = 1, note = "X25519 public key (32 bytes) in secure mode, else empty" },
    { name = "proof", type = "blob", prefix = 1, note = "proof of the key (32 bytes) in secure mode, else empty" },
  } },
  [3] = { name = "Reset", filter = "reset", meaning = "Ends or refuses a session.", fields = {
    { name = "reason", type = "enum", size = 1, of = "ResetReason", note = "reason" },
    { name = "text", type = "text", prefix = 1, note = "for people" },
  } },
  [4] = { name = "Ack", filter = "ack", meaning = "Acknowledges frames when there is nothing else to send, and reports frames that arrived early.", fields = {
    { name = "early", type = "uint", size = 2, note = "bit n: frame `acknowledge` + 2 + n has arrived; 0 if no frame is missing" },
  } },
  [5] = { name = "Heartbeat", filter = "heartbeat", meaning = "Shows that the sender is alive. After three intervals of silence the link is down.", fields = {
    { name = "uptime_ms", type = "uint", size = 8, note = "milliseconds since the sender started" },
    { name = "last_event", type = "uint", size = 4, note = "device: newest event; host: newest event that it has stored" },
  } },
  [128] = { name = "Done", filter = "done", meaning = "The command was executed or, if it moves cards, started. Events report the rest.", fields = {
  } },
  [129] = { name = "Error", filter = "error", meaning = "The command was refused and had no effect.", fields = {
    { name = "code", type = "enum", size = 2, of = "ErrorCode", note = "reason" },
    { name = "text", type = "text", prefix = 1, note = "for people" },
  } },
  [15] = { name = "AskFate", filter = "ask_fate", meaning = "Asks for the outcome of a command whose answer was lost. If the device has not executed it yet, it never will.", fields = {
    { name = "command", type = "uint", size = 4, note = "request id of the command" },
  } },
  [143] = { name = "FateTold", filter = "fate_told", meaning = "Reports the outcome of a command.", fields = {
    { name = "command", type = "uint", size = 4, note = "request id of the command" },
    { name = "fate", type = "enum", size = 1, of = "Fate", note = "outcome" },
    { name = "code", type = "uint", size = 2, note = "ErrorCode if the command was refused, else 0" },
  } },
  [16] = { name = "GetInfo", filter = "get_info", meaning = "Asks for identity and kind of the device.", fields = {
  } },
  [144] = { name = "Info", filter = "info", meaning = "Identity and kind of the device, and whether its shuffles are seeded or rigged.", fields = {
    { name = "flags", type = "flags", size = 2, of = "DeviceFlag", note = "kind of device" },
    { name = "commits", type = "enum", size = 1, of = "CommitKind", note = "what its shuffles commit to" },
    { name = "decks", type = "uint", size = 1, note = "number of decks that it holds" },
    { name = "deck_cards", type = "uint", size = 2, note = "cards in one deck of the selected game" },
    { name = "model", type = "text", prefix = 1, note = "model name" },
    { name = "serial", type = "text", prefix = 1, note = "serial number of the device" },
    { name = "firmware", type = "text", prefix = 1, note = "firmware version" },
    { name = "profile", type = "text", prefix = 1, note = "name of the device profile" },
  } },
  [17] = { name = "GetStatus", filter = "get_status", meaning = "Asks for the current state of the device.", fields = {
  } },
  [145] = { name = "Status", filter = "status", meaning = "The current state of the device. It never contains a card.", fields = {
    { name = "power", type = "enum", size = 1, of = "PowerState", note = "power" },
    { name = "infeed", type = "enum", size = 1, of = "InfeedState", note = "the next deck" },
    { name = "deal", type = "enum", size = 1, of = "DealState", note = "the deck in play" },
    { name = "round_state", type = "enum", size = 1, of = "RoundState", note = "the round" },
    { name = "fault", type = "enum", size = 1, of = "FaultState", note = "whether a fault is active" },
    { name = "mode", type = "enum", size = 1, of = "Mode", note = "mode" },
    { name = "fault_code", type = "enum", size = 1, of = "FaultCode", note = "the active fault" },
    { name = "game", type = "uint", size = 1, note = "number of the selected game" },
    { name = "round", type = "uint", size = 4, note = "number of the newest round" },
    { name = "group", type = "uint", size = 1, note = "groups removed so far in this round" },
    { name = "groups", type = "uint", size = 1, note = "groups in this round" },
    { name = "shuffle", type = "uint", size = 4, note = "number of the shuffle in play, 0 for none" },
    { name = "door_open", type = "bool", size = 1, note = "whether the door is open" },
    { name = "role", type = "enum", size = 1, of = "Role", note = "role that this session has proved" },
    { name = "last_event", type = "uint", size = 4, note = "number of the newest event" },
  } },
  [18] = { name = "SelfTest", filter = "self_test", meaning = "Runs the self-test. Refused while cards are moving.", fields = {
  } },
  [146] = { name = "SelfTestResult", filter = "self_test_result", meaning = "The result of the self-test.", fields = {
    { name = "passed", type = "bool", size = 1, note = "whether every part passed" },
    { name = "fault", type = "enum", size = 1, of = "FaultCode", note = "first fault found" },
    { name = "text", type = "text", prefix = 1, note = "for people" },
  } },
  [19] = { name = "Verify", filter = "verify", meaning = "Asks for a keyed digest of the device's program and profile.", fields = {
    { name = "challenge", type = "bytes", size = 32, note = "32 bytes that were never used before" },
  } },
  [147] = { name = "Verified", filter = "verified", meaning = "The digest for a challenge.", fields = {
    { name = "digest", type = "bytes", size = 32, note = "HMAC-SHA-256 over the device's program and profile, keyed by the challenge" },
    { name = "files", type = "uint", size = 2, note = "number of files covered" },
  } },
  [20] = { name = "SetTime", filter = "set_time", meaning = "Sets the device's calendar. Event times are unaffected: they follow the device's own clock.", fields = {
    { name = "unix_ms", type = "uint", size = 8, note = "calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set" },
  } },
  [148] = { name = "Time", filter = "time", meaning = "The device's clock and calendar.", fields = {
    { name = "uptime_ms", type = "uint", size = 8, note = "milliseconds since the sender started" },
    { name = "unix_ms", type = "uint", size = 8, note = "calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set" },
  } },
  [21] = { name = "GetCounters", filter = "get_counters", meaning = "Asks for the meters.", fields = {
  } },
  [149] = { name = "Counters", filter = "counters", meaning = "The meters since manufacture, and the head of the hash-chained log.", fields = {
    { name = "shuffles", type = "uint", size = 4, note = "decks shuffled" },
    { name = "rounds", type = "uint", size = 4, note = "rounds begun" },
    { name = "groups", type = "uint", size = 4, note = "groups delivered" },
    { name = "cards", type = "uint", size = 8, note = "cards moved" },
    { name = "misdeals", type = "uint", size = 4, note = "rounds voided" },
    { name = "faults", type = "uint", size = 4, note = "faults raised" },
    { name = "power_ups", type = "uint", size = 4, note = "power-ups" },
    { name = "log_length", type = "uint", size = 4, note = "number of lines in the log" },
    { name = "log_head", type = "bytes", size = 32, note = "hash of the log's last line: reveals a truncated log" },
  } },
  [32] = { name = "ListGames", filter = "list_games", meaning = "Asks for the game menu.", fields = {
  } },
  [160] = { name = "Games", filter = "games", meaning = "The game menu and the selected game.", fields = {
    { name = "selected", type = "uint", size = 1, note = "number of the selected game" },
    { name = "games", type = "list", prefix = 1, of = "GameEntry", note = "the menu" },
  } },
  [33] = { name = "SelectGame", filter = "select_game", meaning = "Selects a game of the menu. Refused while a round is open.", fields = {
    { name = "game", type = "uint", size = 1, note = "its number in the menu" },
  } },
  [40] = { name = "Load", filter = "load", meaning = "Takes in the cards in the infeed tray.", fields = {
  } },
  [41] = { name = "Shuffle", filter = "shuffle", meaning = "Shuffles the loaded deck and commits to its order.", fields = {
    { name = "nonce", type = "bytes", size = 16, note = "16 random bytes from the host, bound into the commitment" },
  } },
  [42] = { name = "Sort", filter = "sort", meaning = "Sorts the loaded deck into factory order. A sorted deck can't be dealt.", fields = {
  } },
  [43] = { name = "VerifyDeck", filter = "verify_deck", meaning = "Counts and reads the loaded deck without shuffling it.", fields = {
  } },
  [44] = { name = "EjectStub", filter = "eject_stub", meaning = "Delivers the rest of the deck in play.", fields = {
  } },
  [45] = { name = "ReadStub", filter = "read_stub", meaning = "Asks for the cards of the stub that was removed last.", fields = {
  } },
  [173] = { name = "Stub", filter = "stub", meaning = "The cards of the stub that was removed last.", fields = {
    { name = "shuffle", type = "uint", size = 4, note = "number of the shuffle that the cards come from" },
    { name = "opening", type = "record", of = "Opening", note = "the cards, with the salts and hashes that open the commitment for them" },
  } },
  [48] = { name = "BeginRound", filter = "begin_round", meaning = "Opens a round for these seats.", fields = {
    { name = "round", type = "uint", size = 4, note = "number of the round; higher than that of every earlier round" },
    { name = "seats", type = "uint", size = 2, note = "bit n - 1 for seat n" },
  } },
  [49] = { name = "DealGroup", filter = "deal_group", meaning = "Delivers the next groups of the round in order, each after the previous one was taken.", fields = {
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "groups", type = "uint", size = 1, note = "number of groups; 0 for all that are left" },
  } },
  [50] = { name = "CloseDecisions", filter = "close_decisions", meaning = "Reports that every player has decided. The device then discloses the dealer's cards.", fields = {
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
  } },
  [51] = { name = "VoidRound", filter = "void_round", meaning = "Declares a misdeal: no further group is delivered, all cards are returned, recounted and reshuffled.", fields = {
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
  } },
  [52] = { name = "RecallHand", filter = "recall_hand", meaning = "Asks for the cards of a group of an earlier round.", fields = {
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "seat", type = "uint", size = 1, note = "seat of the table, from 1 at the dealer's left; 0 is the dealer" },
  } },
  [180] = { name = "RecalledHand", filter = "recalled_hand", meaning = "The cards of a group of an earlier round.", fields = {
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "seat", type = "uint", size = 1, note = "seat of the table, from 1 at the dealer's left; 0 is the dealer" },
    { name = "shuffle", type = "uint", size = 4, note = "number of the shuffle that the cards come from" },
    { name = "cards", type = "cards", prefix = 2, note = "card codes in dealt order; empty if the device reads no faces" },
    { name = "places", type = "places", prefix = 2, note = "if it reads no faces: the place in the feed, from 0, of each card" },
  } },
  [56] = { name = "AckEvents", filter = "ack_events", meaning = "Reports that the host has stored every event up to this number.", fields = {
    { name = "upto", type = "uint", size = 4, note = "newest stored event; the device may forget it and all earlier ones" },
  } },
  [57] = { name = "ReadLog", filter = "read_log", meaning = "Asks for lines of the device's log.", fields = {
    { name = "after", type = "uint", size = 4, note = "number of the line before the first one requested" },
    { name = "limit", type = "uint", size = 1, note = "maximum number of lines" },
  } },
  [185] = { name = "LogPage", filter = "log_page", meaning = "Lines of the log with their chain hashes.", fields = {
    { name = "length", type = "uint", size = 4, note = "number of lines in the log" },
    { name = "lines", type = "list", prefix = 1, of = "LogLine", note = "the lines; fewer than requested if they would not fit" },
  } },
  [58] = { name = "NoteHead", filter = "note_head", meaning = "Writes the newest hash of the host's journal into the log. A journal that is rewritten later is then detected.", fields = {
    { name = "journal", type = "bytes", size = 16, note = "identifies the journal: the host's instance" },
    { name = "record", type = "uint", size = 8, note = "number of the journal's newest record" },
    { name = "hash", type = "bytes", size = 32, note = "hash of that record" },
  } },
  [64] = { name = "AskChallenge", filter = "ask_challenge", meaning = "Asks for a challenge to prove a role.", fields = {
    { name = "role", type = "enum", size = 1, of = "Role", note = "the role" },
  } },
  [192] = { name = "Challenge", filter = "challenge", meaning = "The nonce that the host must answer to prove a role.", fields = {
    { name = "role", type = "enum", size = 1, of = "Role", note = "the role" },
    { name = "nonce", type = "bytes", size = 32, note = "32 random bytes, valid for one answer in this session" },
  } },
  [65] = { name = "ProveRole", filter = "prove_role", meaning = "Proves a role. The session keeps it until it ends or drops the role.", fields = {
    { name = "role", type = "enum", size = 1, of = "Role", note = "the role" },
    { name = "proof", type = "bytes", size = 32, note = "answer to the challenge (see Roles)" },
  } },
  [66] = { name = "DropRole", filter = "drop_role", meaning = "Returns to the role dealer.", fields = {
  } },
  [67] = { name = "ClearFault", filter = "clear_fault", meaning = "Reports that the cause of a fault was removed.", fields = {
    { name = "code", type = "enum", size = 1, of = "FaultCode", note = "the fault" },
  } },
  [68] = { name = "ServiceMode", filter = "service_mode", meaning = "Enters or leaves service mode.", fields = {
    { name = "on", type = "bool", size = 1, note = "whether to enter service mode" },
  } },
  [69] = { name = "ReadRandom", filter = "read_random", meaning = "Asks for raw output of the generator. Possible in service mode only.", fields = {
    { name = "count", type = "uint", size = 2, note = "number of bytes, at most 1,024" },
  } },
  [197] = { name = "RandomBytes", filter = "random_bytes", meaning = "Raw output of the generator. It is used for nothing else.", fields = {
    { name = "data", type = "blob", prefix = 2, note = "raw output" },
  } },
  [96] = { name = "PoweredUp", filter = "powered_up", meaning = "The device started.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "boots", type = "uint", size = 4, note = "power-ups since manufacture" },
    { name = "cause", type = "enum", size = 1, of = "PowerUpCause", note = "reason" },
    { name = "interrupted", type = "enum", size = 1, of = "Interrupted", note = "what happened to an open round" },
    { name = "round", type = "uint", size = 4, note = "number of that round, 0 for none" },
  } },
  [97] = { name = "DeckLoaded", filter = "deck_loaded", meaning = "Cards were taken in and counted.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "count", type = "uint", size = 2, note = "cards counted" },
  } },
  [98] = { name = "ShuffleProgressed", filter = "shuffle_progressed", meaning = "Reports the progress of a shuffle. Passing: the device does not keep this event.", fields = {
    { name = "number", type = "uint", size = 4, note = "always 0" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "done", type = "uint", size = 2, note = "cards processed" },
    { name = "total", type = "uint", size = 2, note = "cards in the deck" },
  } },
  [99] = { name = "ShuffleCompleted", filter = "shuffle_completed", meaning = "A deck was shuffled, counted and committed to.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "shuffle", type = "uint", size = 4, note = "number of the shuffle that the cards come from" },
    { name = "count", type = "uint", size = 2, note = "cards committed to" },
    { name = "game", type = "uint", size = 1, note = "number of the game that it was shuffled for" },
    { name = "kind", type = "enum", size = 1, of = "CommitKind", note = "what the root commits to" },
    { name = "flags", type = "flags", size = 2, of = "DeviceFlag", note = "SEEDED and RIGGED if they apply to this shuffle; no other bit" },
    { name = "nonce", type = "bytes", size = 16, note = "the host's nonce, bound into the root" },
    { name = "root", type = "bytes", size = 32, note = "root of the commitment" },
  } },
  [100] = { name = "DeckSorted", filter = "deck_sorted", meaning = "A deck was sorted into factory order. It can't be dealt.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "count", type = "uint", size = 2, note = "cards counted" },
  } },
  [101] = { name = "DeckVerified", filter = "deck_verified", meaning = "A deck was counted and read without shuffling.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "count", type = "uint", size = 2, note = "cards counted" },
    { name = "complete", type = "bool", size = 1, note = "whether it is the complete deck of the selected game" },
  } },
  [102] = { name = "GroupReady", filter = "group_ready", meaning = "A group is in the tray.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "group", type = "uint", size = 1, note = "number of the group within the round, from 1" },
    { name = "seat", type = "uint", size = 1, note = "seat of the table, from 1 at the dealer's left; 0 is the dealer" },
    { name = "count", type = "uint", size = 1, note = "cards in the tray" },
  } },
  [103] = { name = "GroupRemoved", filter = "group_removed", meaning = "A group was taken. Its cards are named unless they are withheld until decisions are closed.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "group", type = "uint", size = 1, note = "number of the group within the round, from 1" },
    { name = "seat", type = "uint", size = 1, note = "seat of the table, from 1 at the dealer's left; 0 is the dealer" },
    { name = "count", type = "uint", size = 1, note = "cards taken" },
    { name = "shuffle", type = "uint", size = 4, note = "number of the shuffle that the cards come from" },
    { name = "withheld", type = "bool", size = 1, note = "whether HandDisclosed names the cards later; the opening is then empty" },
    { name = "opening", type = "record", of = "Opening", note = "the cards, with the salts and hashes that open the commitment for them" },
  } },
  [104] = { name = "HandDisclosed", filter = "hand_disclosed", meaning = "Names the cards of a withheld group after decisions were closed.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "group", type = "uint", size = 1, note = "number of the group within the round, from 1" },
    { name = "seat", type = "uint", size = 1, note = "seat of the table, from 1 at the dealer's left; 0 is the dealer" },
    { name = "shuffle", type = "uint", size = 4, note = "number of the shuffle that the cards come from" },
    { name = "opening", type = "record", of = "Opening", note = "the cards, with the salts and hashes that open the commitment for them" },
  } },
  [105] = { name = "CardExposed", filter = "card_exposed", meaning = "A card showed its face during delivery. This is not a misdeal.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "group", type = "uint", size = 1, note = "number of the group within the round, from 1" },
    { name = "seat", type = "uint", size = 1, note = "seat of the table, from 1 at the dealer's left; 0 is the dealer" },
  } },
  [106] = { name = "StubReady", filter = "stub_ready", meaning = "The stub is in the tray.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "count", type = "uint", size = 2, note = "cards left in the deck; 65,535 if a power cut made it unknown" },
  } },
  [107] = { name = "StubRemoved", filter = "stub_removed", meaning = "The stub was taken. Its cards stay secret.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "count", type = "uint", size = 2, note = "cards taken; 65,535 if a power cut made it unknown" },
  } },
  [108] = { name = "FaultRaised", filter = "fault_raised", meaning = "A fault stopped the device.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "code", type = "enum", size = 1, of = "FaultCode", note = "the fault" },
    { name = "place", type = "enum", size = 1, of = "Place", note = "where it happened" },
    { name = "detail", type = "uint", size = 2, note = "a number whose meaning depends on the fault" },
  } },
  [109] = { name = "FaultCleared", filter = "fault_cleared", meaning = "A fault ended and the device continues.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "code", type = "enum", size = 1, of = "FaultCode", note = "the fault" },
    { name = "how", type = "enum", size = 1, of = "Cleared", note = "how it ended" },
  } },
  [110] = { name = "Misdealt", filter = "misdealt", meaning = "The round is void.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "round", type = "uint", size = 4, note = "the host's number of the round" },
    { name = "reason", type = "enum", size = 1, of = "MisdealReason", note = "reason" },
    { name = "group", type = "uint", size = 1, note = "number of the group that revealed it, 0 for none" },
    { name = "expected", type = "uint", size = 2, note = "cards expected" },
    { name = "seen", type = "uint", size = 2, note = "cards counted" },
  } },
  [111] = { name = "DoorMoved", filter = "door_moved", meaning = "The door was opened or closed.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "open", type = "bool", size = 1, note = "whether it is open" },
  } },
  [112] = { name = "ModeChanged", filter = "mode_changed", meaning = "The device changed its mode.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "mode", type = "enum", size = 1, of = "Mode", note = "the new mode" },
  } },
  [113] = { name = "CountersReported", filter = "counters_reported", meaning = "The meters at the end of a deck, and the head of the log.", fields = {
    { name = "number", type = "uint", size = 4, note = "event number within the epoch, from 1 without gaps; 0 if the event is not kept" },
    { name = "time_ms", type = "uint", size = 8, note = "device milliseconds since power-up" },
    { name = "shuffles", type = "uint", size = 4, note = "decks shuffled" },
    { name = "rounds", type = "uint", size = 4, note = "rounds begun" },
    { name = "misdeals", type = "uint", size = 4, note = "rounds voided" },
    { name = "faults", type = "uint", size = 4, note = "faults raised" },
    { name = "log_length", type = "uint", size = 4, note = "number of lines in the log" },
    { name = "log_head", type = "bytes", size = 32, note = "hash of the log's last line: reveals a truncated log" },
  } },
}

local shuffler = Proto("shuffler", "Shuffler bench protocol")

-- ------------------------------------------------------------------------------------------------------------ fields

local fields, order = {}, {}

local function declare(filter, field)
  fields[filter] = field
  order[#order + 1] = field
end

local NUMBERS = { [1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32, [8] = ProtoField.uint64 }

local function declare_flags(filter, flags, size)
  for _, bit in ipairs(flags) do
    local name = filter .. "." .. bit.name:lower()
    declare(name, ProtoField.bool(name, bit.name, 8 * size, nil, bit.mask))
  end
end

local function declare_fields(prefix, list)
  for _, field in ipairs(list) do
    local filter, kind = prefix .. "." .. field.name, field.type
    if kind == "uint" then
      declare(filter, NUMBERS[field.size](filter, field.name, base.DEC, nil, nil, field.note))
    elseif kind == "bool" then
      declare(filter, ProtoField.bool(filter, field.name, base.NONE, nil, nil, field.note))
    elseif kind == "enum" then
      declare(filter, NUMBERS[field.size](filter, field.name, base.DEC, WORDS[field.of], nil, field.note))
    elseif kind == "flags" then
      declare(filter, NUMBERS[field.size](filter, field.name, base.HEX, nil, nil, field.note))
      declare_flags(filter, FLAGS[field.of], field.size)
    elseif kind == "bytes" or kind == "blob" then
      declare(filter, ProtoField.bytes(filter, field.name, base.NONE, field.note))
    elseif kind == "text" then
      declare(filter, ProtoField.string(filter, field.name, base.UNICODE, field.note))
    elseif kind == "cards" then
      declare(filter, ProtoField.uint8(filter, field.name, base.DEC, CARDS, nil, field.note))
    elseif kind == "places" then
      declare(filter, ProtoField.uint8(filter, field.name, base.DEC, nil, nil, field.note))
    elseif kind == "record" or kind == "list" then
      declare(filter, ProtoField.none(filter, field.name, field.note))
      declare_fields(filter, RECORDS[field.of])
    end
  end
end

local names = {}
for number, message in pairs(MESSAGES) do names[number] = message.name end

for _, field in ipairs(HEADER) do
  local filter = "shuffler." .. field.name
  local words = field.name == "message" and names or nil
  declare(filter, NUMBERS[field.size](filter, field.name, base[field.base], words, nil, field.note))
end
local HEADER_FLAGS = { { name = "SEALED", mask = SEALED }, { name = "RETRANSMITTED", mask = RETRANSMITTED } }
declare_flags("shuffler.flags", HEADER_FLAGS, 1)
for _, message in pairs(MESSAGES) do declare_fields("shuffler." .. message.filter, message.fields) end

local CHECKS = { [0] = "wrong", [1] = "right" }
declare("shuffler.body", ProtoField.bytes("shuffler.body", "body"))
declare("shuffler.crc", ProtoField.uint32("shuffler.crc", "crc", base.HEX, nil, nil, "CRC-32C over header and body"))
declare("shuffler.crc.status", ProtoField.uint8("shuffler.crc.status", "crc status", base.DEC, CHECKS))
declare("shuffler.sealed.counter", ProtoField.uint64("shuffler.sealed.counter", "packet counter"))
declare("shuffler.sealed.ciphertext", ProtoField.bytes("shuffler.sealed.ciphertext", "ciphertext and tag"))
declare("shuffler.noise", ProtoField.string("shuffler.noise", "noise", base.ASCII, "why these bytes are no frame"))
shuffler.fields = order

local bad_crc = ProtoExpert.new("shuffler.bad_crc", "wrong CRC", expert.group.CHECKSUM, expert.severity.ERROR)
local noise = ProtoExpert.new("shuffler.not_a_frame", "not a frame", expert.group.MALFORMED, expert.severity.WARN)
local malformed = ProtoExpert.new("shuffler.malformed", "malformed body", expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("shuffler.unknown", "unknown message", expert.group.UNDECODED, expert.severity.WARN)
local again = ProtoExpert.new("shuffler.again", "retransmitted", expert.group.SEQUENCE, expert.severity.NOTE)
shuffler.experts = { bad_crc, noise, malformed, unknown, again }

-- ----------------------------------------------------------------------------------------------------- CRC and COBS

local xor = bit32 and bit32.bxor or bit and function(a, b) return bit.bxor(a, b) % 4294967296 end
  or load("return function(a, b) return a ~ b end")()

local CRC = {}
for byte = 0, 255 do
  local crc = byte
  for _ = 1, 8 do
    local half = math.floor(crc / 2)
    crc = crc % 2 == 1 and xor(half, 0x82F63B78) or half
  end
  CRC[byte] = crc
end

local function crc32c(text, last)
  local crc = 0xFFFFFFFF
  for at = 1, last do
    crc = xor(CRC[xor(crc % 256, text:byte(at))], math.floor(crc / 256))
  end
  return xor(crc, 0xFFFFFFFF)
end

local function little(text, at)
  local a, b, c, d = text:byte(at, at + 3)
  return a + 256 * b + 65536 * c + 16777216 * d
end

local function uncobs(piece)
  local out, at, last = {}, 1, #piece
  while at <= last do
    local code = piece:byte(at)
    if at + code - 1 > last then return nil end
    out[#out + 1] = piece:sub(at + 1, at + code - 1)
    at = at + code
    if code < 255 and at <= last then out[#out + 1] = "\0" end
  end
  return table.concat(out)
end

-- Decode a piece between two delimiters: return its bytes and whether the check is right, or nil and why it is noise.
local function unpacked(piece)
  if #piece > MAX_ENCODED then return nil, "too long" end
  local raw = uncobs(piece)
  if raw == nil then return nil, "not COBS" end
  if #raw < HEADER_SIZE + 4 then return nil, "too short" end
  return raw, crc32c(raw, #raw - 4) == little(raw, #raw - 3)
end

local function is_utf8(text)
  local at, last = 1, #text
  while at <= last do
    local first = text:byte(at)
    local more = first < 0x80 and 0 or first >= 0xC2 and first < 0xE0 and 1 or first >= 0xE0 and first < 0xF0 and 2
      or first >= 0xF0 and first < 0xF5 and 3
    if not more or at + more > last then return false end
    local least = ({ [0xE0] = 0xA0, [0xF0] = 0x90 })[first] or 0x80
    local most = ({ [0xED] = 0x9F, [0xF4] = 0x8F })[first] or 0xBF
    for follow = 1, more do
      local byte = text:byte(at + follow)
      if byte < least or byte > most then return false end
      least, most = 0x80, 0xBF
    end
    at = at + more + 1
  end
  return true
end

-- ------------------------------------------------------------------------------------------------------------- bodies

-- A cursor over a body: `take` returns a range of `size` bytes, or raises an error with the reason.
local Cursor = {}
Cursor.__index = Cursor

function Cursor:take(size)
  if self.at + size > self.last then error({ reason = "it ends before its fields do" }) end
  self.at = self.at + size
  return self.bytes(self.at - size, size)
end

local function number_of(range)
  return range:len() == 8 and range:le_uint64() or range:le_uint()
end

local add_fields

local function add_field(tree, cursor, prefix, field)
  local filter, kind = prefix .. "." .. field.name, field.type
  local shown = fields[filter]
  if kind == "uint" or kind == "enum" or kind == "flags" then
    local range = cursor:take(field.size)
    local item = tree:add_le(shown, range)
    if kind == "enum" and WORDS[field.of][range:le_uint()] == nil then
      error({ reason = range:le_uint() .. " is no " .. field.of })
    elseif kind == "flags" then
      for _, bit in ipairs(FLAGS[field.of]) do item:add_le(fields[filter .. "." .. bit.name:lower()], range) end
    end
  elseif kind == "bool" then
    local range = cursor:take(field.size)
    tree:add_le(shown, range)
    if range:le_uint() > 1 then error({ reason = range:le_uint() .. " is no truth value (0 or 1)" }) end
  elseif kind == "bytes" then
    tree:add(shown, cursor:take(field.size))
  elseif kind == "record" then
    add_fields(tree:add(shown, cursor.bytes(cursor.at, 0)), cursor, filter, RECORDS[field.of])
  else
    local count = number_of(cursor:take(field.prefix))
    if kind == "list" then
      for _ = 1, count do
        add_fields(tree:add(shown, cursor.bytes(cursor.at, 0)), cursor, filter, RECORDS[field.of])
      end
    elseif kind == "cards" or kind == "places" then
      local range = cursor:take(count)
      for at = 0, count - 1 do tree:add(shown, range(at, 1)) end
    elseif kind == "text" then
      local range = cursor:take(count)
      if not is_utf8(range:raw()) then error({ reason = "a text is not UTF-8" }) end
      tree:add_packet_field(shown, range, ENC_UTF_8)
    else
      tree:add(shown, cursor:take(count))
    end
  end
end

add_fields = function(tree, cursor, prefix, list)
  for _, field in ipairs(list) do add_field(tree, cursor, prefix, field) end
end

local function add_body(tree, raw, last, message)
  local cursor = setmetatable({ bytes = raw, at = HEADER_SIZE, last = last }, Cursor)
  local whole, problem = pcall(function()
    if last - HEADER_SIZE > MAX_BODY then error({ reason = "longer than a body may be" }) end
    add_fields(tree, cursor, "shuffler." .. message.filter, message.fields)
    if cursor.at < last then error({ reason = (last - cursor.at) .. " bytes too many" }) end
  end)
  if not whole then
    if type(problem) ~= "table" then error(problem) end
    tree:add_proto_expert_info(malformed, message.name .. ": " .. problem.reason)
  end
end

-- ------------------------------------------------------------------------------------------------------------- frames

local function add_noise(tree, range, why)
  local item = tree:add(shuffler, range, "Shuffler: " .. why)
  item:add(fields["shuffler.noise"], range, why)
  item:add_proto_expert_info(noise, why)
  return why
end

-- Add one piece between delimiters to the tree; return its text for the packet list.
local function add_frame(tree, range, piece)
  local text, right = unpacked(piece)
  if text == nil then return add_noise(tree, range, right) end
  local raw = ByteArray.new(text, true):tvb("Shuffler frame")
  local last = #text - 4
  local number, flags = text:byte(3), text:byte(2)
  local message = MESSAGES[number]
  local name = message and message.name or string.format("message 0x%02X", number)
  local item = tree:add(shuffler, raw(), "Shuffler: " .. name)
  if message then item:append_text(", " .. message.meaning) end
  local at = 0
  for _, field in ipairs(HEADER) do
    local shown = item:add_le(fields["shuffler." .. field.name], raw(at, field.size))
    if field.name == "flags" then
      shown:add_le(fields["shuffler.flags.sealed"], raw(at, 1))
      shown:add_le(fields["shuffler.flags.retransmitted"], raw(at, 1))
    end
    at = at + field.size
  end
  if flags % (2 * RETRANSMITTED) >= RETRANSMITTED then item:add_proto_expert_info(again) end
  if not right then
    item:add(fields["shuffler.body"], raw(at, last - at))
    name = name .. " (wrong CRC)"
  elseif flags % (2 * SEALED) >= SEALED and last - at >= SEAL_OVERHEAD then
    item:add_le(fields["shuffler.sealed.counter"], raw(at, COUNTER_SIZE))
    item:add(fields["shuffler.sealed.ciphertext"], raw(at + COUNTER_SIZE, last - at - COUNTER_SIZE))
    name = name .. " (sealed)"
  elseif message == nil or (text:byte(1) ~= VERSION and text:byte(1) ~= HELLO_VERSION) then
    item:add(fields["shuffler.body"], raw(at, last - at))
    item:add_proto_expert_info(unknown, message and "unknown version" or "unknown message")
  else
    add_body(item, raw, last, message)
  end
  local crc = item:add_le(fields["shuffler.crc"], raw(last, 4))
  crc:add(fields["shuffler.crc.status"], raw(last, 4), right and 1 or 0)
  if not right then item:add_proto_expert_info(bad_crc) end
  return name
end

local function tell(pinfo, said)
  if #said == 0 then return end
  pinfo.cols.protocol = "SHUFFLER"
  pinfo.cols.info = table.concat(said, ", ")
end

-- Whether a text contains a complete valid frame: distinguishes this protocol from other streams.
local function has_frame(text)
  local pieces = 0
  for piece in text:gmatch("[^%z]+") do
    pieces = pieces + 1
    if pieces > 8 then return false end
    local _, right = unpacked(piece)
    if right == true then return true end
  end
  return false
end

-- ---------------------------------------------------------------------------------------------------------------- TCP

local LONGEST_GAP = 1048576 -- without a delimiter; beyond it nothing is waited for

function shuffler.dissector(tvb, pinfo, tree)
  local text, said, at = tvb:raw(), {}, 1
  while at <= #text do
    local stop = text:find("\0", at, true)
    if stop == nil then
      if #text - at < LONGEST_GAP then
        pinfo.desegment_offset = at - 1
        pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
      else
        said[#said + 1] = add_noise(tree, tvb(at - 1), "too long")
      end
      break
    end
    if stop > at then said[#said + 1] = add_frame(tree, tvb(at - 1, stop - at), text:sub(at, stop - 1)) end
    at = stop + 1
  end
  tell(pinfo, said)
  return tvb:len()
end

DissectorTable.get("tcp.port"):add(7001, shuffler)
shuffler:register_heuristic("tcp", function(tvb, pinfo, tree)
  if not has_frame(tvb:raw()) then return false end
  pinfo.conversation = shuffler
  shuffler.dissector(tvb, pinfo, tree)
  return true
end)

-- ---------------------------------------------------------------------------------------------- serial lines and USB

-- Streams without reassembly below: the rest of each, and what every packet completed, from the first pass.
local streams, completed = {}, {}

function shuffler.init()
  streams, completed = {}, {}
end

local function pieces_of(stream, text)
  local pieces, at = {}, 1
  while true do
    local stop = text:find("\0", at, true)
    if stop == nil then break end
    if stream.skipping then
      pieces[#pieces + 1] = { why = "too long" }
      stream.skipping = false
    else
      local piece = stream.pending .. text:sub(at, stop - 1)
      if #piece > 0 then pieces[#pieces + 1] = { text = piece } end
    end
    stream.pending = ""
    at = stop + 1
  end
  if not stream.skipping then
    stream.pending = stream.pending .. text:sub(at)
    if #stream.pending > MAX_ENCODED then stream.skipping, stream.pending = true, "" end
  end
  return pieces
end

local function dissect_stream(key, tvb, pinfo, tree)
  if not pinfo.visited or completed[pinfo.number] == nil then
    streams[key] = streams[key] or { pending = "", skipping = false }
    completed[pinfo.number] = pieces_of(streams[key], tvb:raw())
  end
  local said = {}
  for _, piece in ipairs(completed[pinfo.number]) do
    said[#said + 1] = piece.why and add_noise(tree, tvb(), piece.why) or add_frame(tree, tvb(), piece.text)
  end
  tell(pinfo, said)
end

-- RTAC Serial: a header of twelve bytes; the ninth is the event, 0 for a change of the control lines.
local RTAC_HEADER, RTAC_EVENT = 12, 8
local rtac = Dissector.get("rtacser")
local interface = Field.new("frame.interface_id")
local serial = Proto("shuffler_serial", "Shuffler bench protocol on a serial line")

function serial.dissector(tvb, pinfo, tree)
  rtac:call(tvb, pinfo, tree)
  if tvb:len() < RTAC_HEADER then return end
  local found = interface()
  local line = "line " .. (found and found.value or 0) .. " "
  local event = tvb(RTAC_EVENT, 1):uint()
  if event == 0 and not pinfo.visited then streams[line .. 1], streams[line .. 2] = nil, nil end
  if tvb:len() > RTAC_HEADER then dissect_stream(line .. event, tvb(RTAC_HEADER):tvb(), pinfo, tree) end
end

local encapsulations = wtap_encaps or wtap
DissectorTable.get("wtap_encap"):add(encapsulations.RTAC_SERIAL, serial)

-- USB: each direction has its own endpoint address; notifications of the same device are not part of the stream.
local BULK = 3
local transfer_type = Field.new("usb.transfer_type")
local bulk = Proto("shuffler_usb", "Shuffler bench protocol on USB")

function bulk.dissector(tvb, pinfo, tree)
  local kind = transfer_type()
  if kind ~= nil and kind.value ~= BULK then return 0 end
  dissect_stream("usb " .. tostring(pinfo.src) .. " " .. tostring(pinfo.dst), tvb, pinfo, tree)
  return tvb:len()
end

DissectorTable.get("usb.product"):add(0x12090001, bulk) -- the test id that the emulated device shows by default
bulk:register_heuristic("usb.bulk", function(tvb, pinfo, tree)
  local key = "usb " .. tostring(pinfo.src) .. " " .. tostring(pinfo.dst)
  if streams[key] == nil and completed[pinfo.number] == nil and not has_frame(tvb:raw()) then return false end
  bulk.dissector(tvb, pinfo, tree)
  return true
end)

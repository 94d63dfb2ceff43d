// The shuffler bench's wire protocol, version 2, catalogue 3e8af397f52600bc: encode, decode, framing, commitment,
// role proof. No dependencies; runs in Node and in browsers.
//
// Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/protocol.md is the
// reference, docs/protocol/vectors.json has bytes to test with.

export const VERSION = 2;
export const HELLO_VERSION = 1;
export const HEADER_SIZE = 19;
export const MIN_BODY = 768;
export const MAX_BODY = 2048;
export const MAX_ENCODED = 2104;
export const FLAG_SEALED = 128;
export const FLAG_RETRANSMITTED = 1;
export const FLAGS_KNOWN = 129;
export const FLAGS_MUST_UNDERSTAND = 240;
export const FINGERPRINT = "3e8af397f52600bc";

export const Capability = Object.freeze({"SECURE": 1, "EVENT_REPLAY": 2, "COMMITMENTS": 4});
export const ResetReason = Object.freeze({"CLOSED": 0, "UNKNOWN_SESSION": 1, "VERSION": 2, "CAPABILITY": 3, "BUSY": 4, "SECURE_REQUIRED": 5, "SECURE_UNAVAILABLE": 6, "BAD_HELLO": 7, "PEER_SILENT": 8, "POWERING_OFF": 9, "OUT_OF_NUMBERS": 10, "SET_BACK": 11, "TOO_LONG": 12});
export const ErrorCode = Object.freeze({"UNKNOWN_MESSAGE": 1, "MALFORMED": 2, "NOT_NOW": 3, "FAULTED": 4, "NOT_AUTHORISED": 5, "LOCKED_OUT": 6, "BAD_PROOF": 7, "STALE_REQUEST": 8, "OUT_OF_RANGE": 9, "UNSUPPORTED": 10, "NOT_FOUND": 11, "WRONG_ROUND": 12, "EVENTS_FULL": 13, "NO_CARDS": 14, "FORGOTTEN": 15, "CONFLICT": 16, "TOO_LONG": 17});
export const Role = Object.freeze({"DEALER": 0, "SUPERVISOR": 1, "TECHNICIAN": 2, "LABORATORY": 3});
export const PowerState = Object.freeze({"OFF": 0, "SELF_TEST": 1, "ON": 2});
export const InfeedState = Object.freeze({"EMPTY": 0, "LOADING": 1, "LOADED": 2, "SHUFFLING": 3, "VERIFYING": 4, "STAGED": 5, "SORTING": 6, "READING": 7, "RECOUNTING": 8});
export const DealState = Object.freeze({"NO_DECK": 0, "READY": 1, "DELIVERING": 2, "GROUP_IN_TRAY": 3, "DEALER_IN_TRAY": 4, "STUB_INSIDE": 5, "STUB_DELIVERING": 6, "STUB_IN_TRAY": 7, "MISDEALT": 8});
export const RoundState = Object.freeze({"NO_ROUND": 0, "DEALING": 1, "DECIDING": 2});
export const FaultState = Object.freeze({"CLEAR": 0, "FAULTED": 1, "RECOVERING": 2});
export const Mode = Object.freeze({"PLAY": 0, "SORT": 1, "VERIFY_DECK": 2, "SERVICE": 3});
export const FaultCode = Object.freeze({"NONE": 0, "JAM_FEEDER": 1, "JAM_TRANSPORT": 2, "JAM_COMPARTMENT": 3, "JAM_EXIT": 4, "DOUBLE_FEED": 5, "NO_FEED": 6, "SHORT_DECK": 7, "LONG_DECK": 8, "DUPLICATE_CARD": 9, "FOREIGN_CARD": 10, "UNREADABLE_CARD": 11, "FACE_UP_CARD": 12, "WRONG_BACK": 13, "CARD_LEFT_IN_TRAY": 14, "GROUP_REMOVED_SHORT": 15, "CARD_PUT_BACK": 16, "EARLY_GRAB": 17, "DOOR_OPEN": 18, "TRAY_SENSOR_STUCK": 19, "MOTOR_STALL": 20, "OVER_TEMPERATURE": 21, "RANDOM_SOURCE": 22, "MEMORY_CORRUPT": 23, "CLOCK_LOST": 24, "POWER_CUT": 25, "CABLE_PULLED": 26, "BROWN_OUT_LOOP": 27, "EVENTS_FULL": 28, "CARDS_LEFT_INSIDE": 29, "SELF_TEST_FAILED": 30, "MEMORY_FULL": 31});
export const Place = Object.freeze({"NOWHERE": 0, "FEEDER": 1, "TRANSPORT": 2, "COMPARTMENT": 3, "EXIT": 4, "TRAY": 5, "DOOR": 6, "MOTOR": 7, "READER": 8, "RANDOM": 9, "MEMORY": 10, "CLOCK": 11, "POWER": 12, "CABLE": 13});
export const Cleared = Object.freeze({"BY_ITSELF": 0, "BY_DEALER": 1, "BY_HOST": 2, "BY_POWER_CYCLE": 3});
export const MisdealReason = Object.freeze({"GROUP_COUNT": 1, "DUPLICATE_CARD": 2, "CARD_NOT_IN_DECK": 3, "OUT_OF_ORDER": 4, "PAST_THE_STUB": 5, "POWER_CUT": 6, "MECHANISM": 7, "HOST_VOID": 8, "DECK_COUNT": 9});
export const PowerUpCause = Object.freeze({"SWITCHED_ON": 0, "POWER_RETURNED": 1, "BROWN_OUT": 2});
export const Interrupted = Object.freeze({"NOTHING": 0, "RESUMED": 1, "VOIDED": 2});
export const CommitKind = Object.freeze({"NOTHING": 0, "ORDER": 1, "SLOTS": 2});
export const Fate = Object.freeze({"DONE": 1, "REFUSED": 2, "NEVER_EXECUTED": 3, "FORGOTTEN": 4});
export const DeviceFlag = Object.freeze({"READS_FACES": 1, "HAND_RECALL": 2, "PRESTAGES": 4, "SHOE": 8, "SECURE": 16, "SEEDED": 256, "RIGGED": 512});

const RECORDS = {
  Opening: [
    {"name": "first", "type": "uint", "size": 2},
    {"name": "cards", "type": "cards", "prefix": 2},
    {"name": "places", "type": "places", "prefix": 2},
    {"name": "salts", "type": "blob", "prefix": 2},
    {"name": "proof", "type": "blob", "prefix": 2},
  ],
  GameEntry: [
    {"name": "game", "type": "uint", "size": 1},
    {"name": "cards_per_group", "type": "uint", "size": 1},
    {"name": "dealer_cards", "type": "uint", "size": 1},
    {"name": "groups", "type": "uint", "size": 1},
    {"name": "dealer_first", "type": "bool", "size": 1},
    {"name": "deck_cards", "type": "uint", "size": 2},
    {"name": "name", "type": "text", "prefix": 1},
  ],
  LogLine: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "hash", "type": "bytes", "size": 32},
    {"name": "text", "type": "text", "prefix": 1},
  ],
};

const CATALOGUE = [
  { number: 0x01, name: "Hello", from: "host", reply: "Welcome", effect: false, fields: [
    {"name": "version_min", "type": "uint", "size": 1},
    {"name": "version_max", "type": "uint", "size": 1},
    {"name": "must", "type": "flags", "size": 4, "of": "Capability"},
    {"name": "may", "type": "flags", "size": 4, "of": "Capability"},
    {"name": "window", "type": "uint", "size": 1},
    {"name": "max_body", "type": "uint", "size": 2},
    {"name": "fingerprint", "type": "bytes", "size": 8},
    {"name": "instance", "type": "bytes", "size": 16},
    {"name": "next_request", "type": "uint", "size": 4},
    {"name": "nonce", "type": "bytes", "size": 16},
    {"name": "ephemeral", "type": "blob", "prefix": 1},
  ] },
  { number: 0x02, name: "Welcome", from: "device", reply: null, effect: false, fields: [
    {"name": "version", "type": "uint", "size": 1},
    {"name": "capabilities", "type": "flags", "size": 4, "of": "Capability"},
    {"name": "window", "type": "uint", "size": 1},
    {"name": "max_body", "type": "uint", "size": 2},
    {"name": "heartbeat_ms", "type": "uint", "size": 2},
    {"name": "fingerprint", "type": "bytes", "size": 8},
    {"name": "epoch", "type": "uint", "size": 8},
    {"name": "boots", "type": "uint", "size": 4},
    {"name": "last_event", "type": "uint", "size": 4},
    {"name": "acknowledged_event", "type": "uint", "size": 4},
    {"name": "command_memory", "type": "uint", "size": 2},
    {"name": "known_instance", "type": "bool", "size": 1},
    {"name": "host_nonce", "type": "bytes", "size": 16},
    {"name": "nonce", "type": "bytes", "size": 16},
    {"name": "serial", "type": "text", "prefix": 1},
    {"name": "ephemeral", "type": "blob", "prefix": 1},
    {"name": "proof", "type": "blob", "prefix": 1},
  ] },
  { number: 0x03, name: "Reset", from: "both", reply: null, effect: false, fields: [
    {"name": "reason", "type": "enum", "size": 1, "of": "ResetReason"},
    {"name": "text", "type": "text", "prefix": 1},
  ] },
  { number: 0x04, name: "Ack", from: "both", reply: null, effect: false, fields: [
    {"name": "early", "type": "uint", "size": 2},
  ] },
  { number: 0x05, name: "Heartbeat", from: "both", reply: null, effect: false, fields: [
    {"name": "uptime_ms", "type": "uint", "size": 8},
    {"name": "last_event", "type": "uint", "size": 4},
  ] },
  { number: 0x80, name: "Done", from: "device", reply: null, effect: false, fields: [] },
  { number: 0x81, name: "Error", from: "device", reply: null, effect: false, fields: [
    {"name": "code", "type": "enum", "size": 2, "of": "ErrorCode"},
    {"name": "text", "type": "text", "prefix": 1},
  ] },
  { number: 0x0f, name: "AskFate", from: "host", reply: "FateTold", effect: false, fields: [
    {"name": "command", "type": "uint", "size": 4},
  ] },
  { number: 0x8f, name: "FateTold", from: "device", reply: null, effect: false, fields: [
    {"name": "command", "type": "uint", "size": 4},
    {"name": "fate", "type": "enum", "size": 1, "of": "Fate"},
    {"name": "code", "type": "uint", "size": 2},
  ] },
  { number: 0x10, name: "GetInfo", from: "host", reply: "Info", effect: false, fields: [] },
  { number: 0x90, name: "Info", from: "device", reply: null, effect: false, fields: [
    {"name": "flags", "type": "flags", "size": 2, "of": "DeviceFlag"},
    {"name": "commits", "type": "enum", "size": 1, "of": "CommitKind"},
    {"name": "decks", "type": "uint", "size": 1},
    {"name": "deck_cards", "type": "uint", "size": 2},
    {"name": "model", "type": "text", "prefix": 1},
    {"name": "serial", "type": "text", "prefix": 1},
    {"name": "firmware", "type": "text", "prefix": 1},
    {"name": "profile", "type": "text", "prefix": 1},
  ] },
  { number: 0x11, name: "GetStatus", from: "host", reply: "Status", effect: false, fields: [] },
  { number: 0x91, name: "Status", from: "device", reply: null, effect: false, fields: [
    {"name": "power", "type": "enum", "size": 1, "of": "PowerState"},
    {"name": "infeed", "type": "enum", "size": 1, "of": "InfeedState"},
    {"name": "deal", "type": "enum", "size": 1, "of": "DealState"},
    {"name": "round_state", "type": "enum", "size": 1, "of": "RoundState"},
    {"name": "fault", "type": "enum", "size": 1, "of": "FaultState"},
    {"name": "mode", "type": "enum", "size": 1, "of": "Mode"},
    {"name": "fault_code", "type": "enum", "size": 1, "of": "FaultCode"},
    {"name": "game", "type": "uint", "size": 1},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "group", "type": "uint", "size": 1},
    {"name": "groups", "type": "uint", "size": 1},
    {"name": "shuffle", "type": "uint", "size": 4},
    {"name": "door_open", "type": "bool", "size": 1},
    {"name": "role", "type": "enum", "size": 1, "of": "Role"},
    {"name": "last_event", "type": "uint", "size": 4},
  ] },
  { number: 0x12, name: "SelfTest", from: "host", reply: "SelfTestResult", effect: true, fields: [] },
  { number: 0x92, name: "SelfTestResult", from: "device", reply: null, effect: false, fields: [
    {"name": "passed", "type": "bool", "size": 1},
    {"name": "fault", "type": "enum", "size": 1, "of": "FaultCode"},
    {"name": "text", "type": "text", "prefix": 1},
  ] },
  { number: 0x13, name: "Verify", from: "host", reply: "Verified", effect: false, fields: [
    {"name": "challenge", "type": "bytes", "size": 32},
  ] },
  { number: 0x93, name: "Verified", from: "device", reply: null, effect: false, fields: [
    {"name": "digest", "type": "bytes", "size": 32},
    {"name": "files", "type": "uint", "size": 2},
  ] },
  { number: 0x14, name: "SetTime", from: "host", reply: "Time", effect: true, fields: [
    {"name": "unix_ms", "type": "uint", "size": 8},
  ] },
  { number: 0x94, name: "Time", from: "device", reply: null, effect: false, fields: [
    {"name": "uptime_ms", "type": "uint", "size": 8},
    {"name": "unix_ms", "type": "uint", "size": 8},
  ] },
  { number: 0x15, name: "GetCounters", from: "host", reply: "Counters", effect: false, fields: [] },
  { number: 0x95, name: "Counters", from: "device", reply: null, effect: false, fields: [
    {"name": "shuffles", "type": "uint", "size": 4},
    {"name": "rounds", "type": "uint", "size": 4},
    {"name": "groups", "type": "uint", "size": 4},
    {"name": "cards", "type": "uint", "size": 8},
    {"name": "misdeals", "type": "uint", "size": 4},
    {"name": "faults", "type": "uint", "size": 4},
    {"name": "power_ups", "type": "uint", "size": 4},
    {"name": "log_length", "type": "uint", "size": 4},
    {"name": "log_head", "type": "bytes", "size": 32},
  ] },
  { number: 0x20, name: "ListGames", from: "host", reply: "Games", effect: false, fields: [] },
  { number: 0xa0, name: "Games", from: "device", reply: null, effect: false, fields: [
    {"name": "selected", "type": "uint", "size": 1},
    {"name": "games", "type": "list", "prefix": 1, "of": "GameEntry"},
  ] },
  { number: 0x21, name: "SelectGame", from: "host", reply: "Done", effect: true, fields: [
    {"name": "game", "type": "uint", "size": 1},
  ] },
  { number: 0x28, name: "Load", from: "host", reply: "Done", effect: true, fields: [] },
  { number: 0x29, name: "Shuffle", from: "host", reply: "Done", effect: true, fields: [
    {"name": "nonce", "type": "bytes", "size": 16},
  ] },
  { number: 0x2a, name: "Sort", from: "host", reply: "Done", effect: true, fields: [] },
  { number: 0x2b, name: "VerifyDeck", from: "host", reply: "Done", effect: true, fields: [] },
  { number: 0x2c, name: "EjectStub", from: "host", reply: "Done", effect: true, fields: [] },
  { number: 0x2d, name: "ReadStub", from: "host", reply: "Stub", effect: false, fields: [] },
  { number: 0xad, name: "Stub", from: "device", reply: null, effect: false, fields: [
    {"name": "shuffle", "type": "uint", "size": 4},
    {"name": "opening", "type": "record", "of": "Opening"},
  ] },
  { number: 0x30, name: "BeginRound", from: "host", reply: "Done", effect: true, fields: [
    {"name": "round", "type": "uint", "size": 4},
    {"name": "seats", "type": "uint", "size": 2},
  ] },
  { number: 0x31, name: "DealGroup", from: "host", reply: "Done", effect: true, fields: [
    {"name": "round", "type": "uint", "size": 4},
    {"name": "groups", "type": "uint", "size": 1},
  ] },
  { number: 0x32, name: "CloseDecisions", from: "host", reply: "Done", effect: true, fields: [
    {"name": "round", "type": "uint", "size": 4},
  ] },
  { number: 0x33, name: "VoidRound", from: "host", reply: "Done", effect: true, fields: [
    {"name": "round", "type": "uint", "size": 4},
  ] },
  { number: 0x34, name: "RecallHand", from: "host", reply: "RecalledHand", effect: false, fields: [
    {"name": "round", "type": "uint", "size": 4},
    {"name": "seat", "type": "uint", "size": 1},
  ] },
  { number: 0xb4, name: "RecalledHand", from: "device", reply: null, effect: false, fields: [
    {"name": "round", "type": "uint", "size": 4},
    {"name": "seat", "type": "uint", "size": 1},
    {"name": "shuffle", "type": "uint", "size": 4},
    {"name": "cards", "type": "cards", "prefix": 2},
    {"name": "places", "type": "places", "prefix": 2},
  ] },
  { number: 0x38, name: "AckEvents", from: "host", reply: null, effect: false, fields: [
    {"name": "upto", "type": "uint", "size": 4},
  ] },
  { number: 0x39, name: "ReadLog", from: "host", reply: "LogPage", effect: false, fields: [
    {"name": "after", "type": "uint", "size": 4},
    {"name": "limit", "type": "uint", "size": 1},
  ] },
  { number: 0xb9, name: "LogPage", from: "device", reply: null, effect: false, fields: [
    {"name": "length", "type": "uint", "size": 4},
    {"name": "lines", "type": "list", "prefix": 1, "of": "LogLine"},
  ] },
  { number: 0x3a, name: "NoteHead", from: "host", reply: "Done", effect: true, fields: [
    {"name": "journal", "type": "bytes", "size": 16},
    {"name": "record", "type": "uint", "size": 8},
    {"name": "hash", "type": "bytes", "size": 32},
  ] },
  { number: 0x40, name: "AskChallenge", from: "host", reply: "Challenge", effect: false, fields: [
    {"name": "role", "type": "enum", "size": 1, "of": "Role"},
  ] },
  { number: 0xc0, name: "Challenge", from: "device", reply: null, effect: false, fields: [
    {"name": "role", "type": "enum", "size": 1, "of": "Role"},
    {"name": "nonce", "type": "bytes", "size": 32},
  ] },
  { number: 0x41, name: "ProveRole", from: "host", reply: "Done", effect: false, fields: [
    {"name": "role", "type": "enum", "size": 1, "of": "Role"},
    {"name": "proof", "type": "bytes", "size": 32},
  ] },
  { number: 0x42, name: "DropRole", from: "host", reply: "Done", effect: false, fields: [] },
  { number: 0x43, name: "ClearFault", from: "host", reply: "Done", effect: true, fields: [
    {"name": "code", "type": "enum", "size": 1, "of": "FaultCode"},
  ] },
  { number: 0x44, name: "ServiceMode", from: "host", reply: "Done", effect: true, fields: [
    {"name": "on", "type": "bool", "size": 1},
  ] },
  { number: 0x45, name: "ReadRandom", from: "host", reply: "RandomBytes", effect: false, fields: [
    {"name": "count", "type": "uint", "size": 2},
  ] },
  { number: 0xc5, name: "RandomBytes", from: "device", reply: null, effect: false, fields: [
    {"name": "data", "type": "blob", "prefix": 2},
  ] },
  { number: 0x60, name: "PoweredUp", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "boots", "type": "uint", "size": 4},
    {"name": "cause", "type": "enum", "size": 1, "of": "PowerUpCause"},
    {"name": "interrupted", "type": "enum", "size": 1, "of": "Interrupted"},
    {"name": "round", "type": "uint", "size": 4},
  ] },
  { number: 0x61, name: "DeckLoaded", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "count", "type": "uint", "size": 2},
  ] },
  { number: 0x62, name: "ShuffleProgressed", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "done", "type": "uint", "size": 2},
    {"name": "total", "type": "uint", "size": 2},
  ] },
  { number: 0x63, name: "ShuffleCompleted", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "shuffle", "type": "uint", "size": 4},
    {"name": "count", "type": "uint", "size": 2},
    {"name": "game", "type": "uint", "size": 1},
    {"name": "kind", "type": "enum", "size": 1, "of": "CommitKind"},
    {"name": "flags", "type": "flags", "size": 2, "of": "DeviceFlag"},
    {"name": "nonce", "type": "bytes", "size": 16},
    {"name": "root", "type": "bytes", "size": 32},
  ] },
  { number: 0x64, name: "DeckSorted", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "count", "type": "uint", "size": 2},
  ] },
  { number: 0x65, name: "DeckVerified", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "count", "type": "uint", "size": 2},
    {"name": "complete", "type": "bool", "size": 1},
  ] },
  { number: 0x66, name: "GroupReady", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "group", "type": "uint", "size": 1},
    {"name": "seat", "type": "uint", "size": 1},
    {"name": "count", "type": "uint", "size": 1},
  ] },
  { number: 0x67, name: "GroupRemoved", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "group", "type": "uint", "size": 1},
    {"name": "seat", "type": "uint", "size": 1},
    {"name": "count", "type": "uint", "size": 1},
    {"name": "shuffle", "type": "uint", "size": 4},
    {"name": "withheld", "type": "bool", "size": 1},
    {"name": "opening", "type": "record", "of": "Opening"},
  ] },
  { number: 0x68, name: "HandDisclosed", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "group", "type": "uint", "size": 1},
    {"name": "seat", "type": "uint", "size": 1},
    {"name": "shuffle", "type": "uint", "size": 4},
    {"name": "opening", "type": "record", "of": "Opening"},
  ] },
  { number: 0x69, name: "CardExposed", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "group", "type": "uint", "size": 1},
    {"name": "seat", "type": "uint", "size": 1},
  ] },
  { number: 0x6a, name: "StubReady", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "count", "type": "uint", "size": 2},
  ] },
  { number: 0x6b, name: "StubRemoved", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "count", "type": "uint", "size": 2},
  ] },
  { number: 0x6c, name: "FaultRaised", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "code", "type": "enum", "size": 1, "of": "FaultCode"},
    {"name": "place", "type": "enum", "size": 1, "of": "Place"},
    {"name": "detail", "type": "uint", "size": 2},
  ] },
  { number: 0x6d, name: "FaultCleared", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "code", "type": "enum", "size": 1, "of": "FaultCode"},
    {"name": "how", "type": "enum", "size": 1, "of": "Cleared"},
  ] },
  { number: 0x6e, name: "Misdealt", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "round", "type": "uint", "size": 4},
    {"name": "reason", "type": "enum", "size": 1, "of": "MisdealReason"},
    {"name": "group", "type": "uint", "size": 1},
    {"name": "expected", "type": "uint", "size": 2},
    {"name": "seen", "type": "uint", "size": 2},
  ] },
  { number: 0x6f, name: "DoorMoved", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "open", "type": "bool", "size": 1},
  ] },
  { number: 0x70, name: "ModeChanged", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "mode", "type": "enum", "size": 1, "of": "Mode"},
  ] },
  { number: 0x71, name: "CountersReported", from: "device", reply: null, effect: false, fields: [
    {"name": "number", "type": "uint", "size": 4},
    {"name": "time_ms", "type": "uint", "size": 8},
    {"name": "shuffles", "type": "uint", "size": 4},
    {"name": "rounds", "type": "uint", "size": 4},
    {"name": "misdeals", "type": "uint", "size": 4},
    {"name": "faults", "type": "uint", "size": 4},
    {"name": "log_length", "type": "uint", "size": 4},
    {"name": "log_head", "type": "bytes", "size": 32},
  ] },
];

/** A message or a field that does not fit the wire. */
export class Unencodable extends Error {}

/** A body that does not match its message, or an unknown number. */
export class Malformed extends Error {}

// ---------------------------------------------------------------------------------------------------------- catalogue

const BY_NAME = new Map(CATALOGUE.map((entry) => [entry.name, entry]));
const BY_NUMBER = new Map(CATALOGUE.map((entry) => [entry.number, entry]));
const ENUMS = {
  ResetReason, ErrorCode, Role, PowerState, InfeedState, DealState, RoundState, FaultState, Mode, FaultCode, Place, Cleared, MisdealReason, PowerUpCause, Interrupted, CommitKind, Fate
};
const VALUES = Object.fromEntries(Object.entries(ENUMS).map(([name, words]) => [name, new Set(Object.values(words))]));

/** The number of a message. */
export function numberOf(name) {
  const entry = BY_NAME.get(name);
  if (entry === undefined) throw new Unencodable(`${name} is no message of the catalogue`);
  return entry.number;
}

/** The name of a message; undefined if there is none. */
export function nameOf(number) {
  return BY_NUMBER.get(number)?.name;
}

/** The name of the reply to a command; null if it has none. */
export function replyTo(name) {
  return BY_NUMBER.get(numberOf(name)).reply;
}

/** Whether the device remembers a command and never executes it twice. */
export function hasEffect(name) {
  return BY_NUMBER.get(numberOf(name)).effect;
}

// ------------------------------------------------------------------------------------------------------------- bodies

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function joined(parts) {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function little(value, size) {
  let left = BigInt(value);
  if (left < 0n || left >> BigInt(8 * size) !== 0n) throw new Unencodable(`${value} does not fit ${size} bytes`);
  const out = new Uint8Array(size);
  for (let at = 0; at < size; at++, left >>= 8n) out[at] = Number(left & 255n);
  return out;
}

function bytesOf(value, name) {
  if (!(value instanceof Uint8Array)) throw new Unencodable(`${name}: expected a Uint8Array`);
  return value;
}

function encodeFields(fields, values, where, parts) {
  for (const field of fields) {
    const value = values[field.name];
    const name = `${where}.${field.name}`;
    if (value === undefined || value === null) throw new Unencodable(`${name} is missing`);
    switch (field.type) {
      case "bool":
        if (typeof value !== "boolean") throw new Unencodable(`${name}: expected true or false`);
        parts.push(little(value ? 1 : 0, field.size));
        break;
      case "enum":
        if (!VALUES[field.of].has(value)) throw new Unencodable(`${name}: ${value} is no ${field.of}`);
        parts.push(little(value, field.size));
        break;
      case "uint":
      case "flags":
        if (typeof value !== "bigint" && !Number.isInteger(value)) throw new Unencodable(`${name}: no whole number`);
        parts.push(little(value, field.size));
        break;
      case "bytes":
        if (bytesOf(value, name).length !== field.size) throw new Unencodable(`${name} must have ${field.size} bytes`);
        parts.push(value);
        break;
      case "blob":
        parts.push(little(bytesOf(value, name).length, field.prefix), value);
        break;
      case "text": {
        const text = encoder.encode(value);
        parts.push(little(text.length, field.prefix), text);
        break;
      }
      case "record":
        encodeFields(RECORDS[field.of], value, name, parts);
        break;
      case "list":
        parts.push(little(value.length, field.prefix));
        for (const item of value) encodeFields(RECORDS[field.of], item, name, parts);
        break;
      default:
        parts.push(little(value.length, field.prefix));
        for (const code of value) parts.push(little(code, 1));
    }
  }
}

/** The bytes of a message's body; throws Unencodable. */
export function encodeBody(name, values = {}) {
  const parts = [];
  encodeFields(BY_NUMBER.get(numberOf(name)).fields, values, name, parts);
  const body = joined(parts);
  if (body.length > MAX_BODY) throw new Unencodable(`${name} takes ${body.length} bytes, a body may have ${MAX_BODY}`);
  return body;
}

class Cursor {
  constructor(body, name) {
    this.body = body;
    this.name = name;
    this.at = 0;
  }

  take(size) {
    if (this.at + size > this.body.length) throw new Malformed(`${this.name}: it ends before its fields do`);
    this.at += size;
    return this.body.slice(this.at - size, this.at);
  }

  number(size) {
    let value = 0n;
    const bytes = this.take(size);
    for (let at = size - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]);
    return size === 8 ? value : Number(value);
  }

  text(size) {
    try {
      return decoder.decode(this.take(size));
    } catch (problem) {
      if (problem instanceof Malformed) throw problem;
      throw new Malformed(`${this.name}: a text is not UTF-8`);
    }
  }

  fields(list) {
    const values = {};
    for (const field of list) values[field.name] = this.field(field);
    return values;
  }

  field(field) {
    switch (field.type) {
      case "uint":
      case "flags":
        return this.number(field.size);
      case "bool": {
        const value = this.number(field.size);
        if (value > 1) throw new Malformed(`${this.name}.${field.name}: ${value} is no truth value (0 or 1)`);
        return value === 1;
      }
      case "enum": {
        const value = this.number(field.size);
        if (!VALUES[field.of].has(value)) throw new Malformed(`${this.name}.${field.name}: ${value} is no ${field.of}`);
        return value;
      }
      case "bytes":
        return this.take(field.size);
      case "blob":
        return this.take(this.number(field.prefix));
      case "text":
        return this.text(this.number(field.prefix));
      case "record":
        return this.fields(RECORDS[field.of]);
      case "list": {
        const items = [];
        for (let left = this.number(field.prefix); left > 0; left--) items.push(this.fields(RECORDS[field.of]));
        return items;
      }
      default:
        return [...this.take(this.number(field.prefix))];
    }
  }
}

/** A message's name and fields; throws Malformed. */
export function decodeBody(number, body) {
  const entry = BY_NUMBER.get(number);
  if (entry === undefined) throw new Malformed(`no message has the number ${number}`);
  if (body.length > MAX_BODY) throw new Malformed(`${entry.name}: a body of ${body.length} bytes is too long`);
  const cursor = new Cursor(body, entry.name);
  const fields = cursor.fields(entry.fields);
  if (cursor.at !== body.length) throw new Malformed(`${entry.name}: ${body.length - cursor.at} bytes too many`);
  return { name: entry.name, fields };
}

// ------------------------------------------------------------------------------------------------------------ framing

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C (Castagnoli). */
export function crc32c(data) {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}

/** COBS: bytes without a zero. */
export function cobsEncode(raw) {
  const out = [0];
  let mark = 0;
  raw.forEach((byte, at) => {
    if (byte) out.push(byte);
    if (!byte || (out.length - mark === 255 && at + 1 < raw.length)) {
      out[mark] = out.length - mark;
      mark = out.push(0) - 1;
    }
  });
  out[mark] = out.length - mark;
  return Uint8Array.from(out);
}

/** The decoded bytes; null if they are not COBS. */
export function cobsDecode(piece) {
  const out = [];
  for (let at = 0; at < piece.length; ) {
    const code = piece[at];
    if (code === 0 || at + code > piece.length) return null;
    for (let next = at + 1; next < at + code; next++) out.push(piece[next]);
    at += code;
    if (code < 255 && at < piece.length) out.push(0);
  }
  return Uint8Array.from(out);
}

/** A frame as bytes, with both delimiters. */
export function wrap({ version = VERSION, flags = 0, message, body, ...numbers }) {
  const { session = 0, sequence = 0, acknowledge = 0, request = 0 } = numbers;
  const head = [version, flags, message].map((value) => little(value, 1));
  const raw = joined([...head, ...[session, sequence, acknowledge, request].map((value) => little(value, 4)), body]);
  const zero = new Uint8Array(1);
  return joined([zero, cobsEncode(joined([raw, little(crc32c(raw), 4)])), zero]);
}

/** Finds the frames in a byte stream, however it is split. Buffers less than one frame and never throws. */
export class Framer {
  constructor() {
    this.noise = { too_long: 0, not_cobs: 0, too_short: 0, bad_crc: 0 };
    this.pending = new Uint8Array(0);
    this.skipping = false;
  }

  /** All frames that end within these bytes. */
  feed(data) {
    const frames = [];
    let rest = joined([this.pending, data]);
    for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
      if (this.skipping) {
        this.skipping = false;
        this.noise.too_long++;
      } else if (end > 0) {
        const frame = this.unpack(rest.subarray(0, end));
        if (frame !== null) frames.push(frame);
      }
    }
    if (this.skipping || rest.length > MAX_ENCODED) {
      this.skipping = true;
      rest = new Uint8Array(0);
    }
    this.pending = rest.slice();
    return frames;
  }

  unpack(piece) {
    if (piece.length > MAX_ENCODED) return this.spoiled("too_long");
    const raw = cobsDecode(piece);
    if (raw === null) return this.spoiled("not_cobs");
    const end = raw.length - 4;
    if (end < HEADER_SIZE) return this.spoiled("too_short");
    const view = new DataView(raw.buffer);
    if (crc32c(raw.subarray(0, end)) !== view.getUint32(end, true)) return this.spoiled("bad_crc");
    const [session, sequence, acknowledge, request] = [3, 7, 11, 15].map((at) => view.getUint32(at, true));
    const body = raw.slice(HEADER_SIZE, end);
    return { version: raw[0], flags: raw[1], message: raw[2], session, sequence, acknowledge, request, body };
  }

  spoiled(how) {
    this.noise[how]++;
    return null;
  }
}

// ------------------------------------------------------------------------------------------------------------- hashes

function fractions(root, count) {
  const out = [];
  for (let candidate = 2; out.length < count; candidate++) {
    let prime = true;
    for (let by = 2; by * by <= candidate && prime; by++) prime = candidate % by !== 0;
    if (prime) out.push(((candidate ** (1 / root)) * 2 ** 32) >>> 0);
  }
  return Uint32Array.from(out);
}

const SHA_START = fractions(2, 8); // FIPS 180-4, 5.3.3: fractional parts of the square roots of the first 8 primes
const SHA_ROUNDS = fractions(3, 64); // 4.2.2: of the cube roots of the first 64

const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** SHA-256. */
export function sha256(data) {
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, 8n * BigInt(data.length));
  const state = SHA_START.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const small = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const large = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + small + w[i - 7] + large;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const mixed = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const one = (h + mixed + SHA_ROUNDS[i] + w[i]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

/** HMAC-SHA-256. */
export function hmacSha256(key, data) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined([block.map((byte) => byte ^ 0x36), data]));
  return sha256(joined([block.map((byte) => byte ^ 0x5c), inner]));
}

// -------------------------------------------------------------------------------------------------------------- roles

const ROLE_DOMAIN = encoder.encode("shuffler-bench/role/1\0");

/** A role's key from its secret words. */
export function roleKey(secret) {
  return sha256(joined([ROLE_DOMAIN, encoder.encode(secret)]));
}

/** The answer to a Challenge, for ProveRole. */
export function roleProof(key, { serial, session, role, nonce }) {
  const who = joined([encoder.encode(serial), new Uint8Array(1), little(session, 4), little(role, 1), nonce]);
  return hmacSha256(key, joined([ROLE_DOMAIN, who]));
}

// --------------------------------------------------------------------------------------------------------- commitment

const LEAF = encoder.encode("shuffler-bench/commitment/1/leaf\0");
const NODE = encoder.encode("shuffler-bench/commitment/1/node\0");
const EMPTY = sha256(encoder.encode("shuffler-bench/commitment/1/empty\0"));
const SALT = 32;

function leafPrefix({ serial, epoch, shuffle, game, count, nonce }) {
  const name = encoder.encode(serial);
  const numbers = [little(epoch, 8), little(shuffle, 4), little(game, 1), little(count, 2), little(nonce.length, 1)];
  return joined([LEAF, little(name.length, 1), name, ...numbers, nonce]);
}

function leaves(prefix, first, codes, salts) {
  return codes.map((code, at) =>
    sha256(joined([prefix, little(first + at, 2), little(code, 1), salts.subarray(SALT * at, SALT * at + SALT)])));
}

function levelAbove(level) {
  return Array.from({ length: level.length / 2 }, (_, at) => sha256(joined([NODE, level[2 * at], level[2 * at + 1]])));
}

/** The root of a shuffle's commitment, from every card and every salt. */
export function commitmentRoot(context, codes, salts) {
  let level = leaves(leafPrefix(context), 0, codes, salts);
  let width = 1;
  while (width < codes.length) width *= 2;
  while (level.length < width) level.push(EMPTY);
  while (level.length > 1) level = levelAbove(level);
  return level[0];
}

const same = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);

/** Whether the root commits to the cards of an opening. */
export function opens(context, root, opening) {
  const codes = opening.cards.length ? opening.cards : opening.places;
  if (codes.length === 0 || (opening.cards.length && opening.places.length)) return false;
  let low = opening.first;
  let high = low + codes.length;
  if (high > context.count || opening.salts.length !== SALT * codes.length) return false;
  let level = leaves(leafPrefix(context), low, codes, opening.salts);
  let at = 0;
  for (let width = 1; width < context.count; width *= 2) {
    if (low & 1) level.unshift(opening.proof.subarray(at, (at += 32)));
    if (high & 1) level.push(opening.proof.subarray(at, (at += 32)));
    level = levelAbove(level);
    [low, high] = [low >> 1, (high + 1) >> 1];
  }
  return at === opening.proof.length && level.length === 1 && same(level[0], root);
}

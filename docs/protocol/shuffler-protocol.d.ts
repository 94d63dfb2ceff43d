// The shuffler bench's wire protocol, version 2, catalogue 3e8af397f52600bc: encode, decode, framing, commitment,
// role proof. No dependencies; runs in Node and in browsers.
//
// Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/protocol.md is the
// reference, docs/protocol/vectors.json has bytes to test with.

export const VERSION: 2;
export const HELLO_VERSION: 1;
export const HEADER_SIZE: 19;
export const MIN_BODY: 768;
export const MAX_BODY: 2048;
export const MAX_ENCODED: 2104;
export const FLAG_SEALED: 128;
export const FLAG_RETRANSMITTED: 1;
export const FLAGS_KNOWN: 129;
export const FLAGS_MUST_UNDERSTAND: 240;
export const FINGERPRINT: string;

/** What an end supports. A `must` bit that the peer lacks refuses the hello; a `may` bit is used if both have it. */
export const Capability: {
  /** secure mode: authenticated handshake, every frame sealed */
  readonly SECURE: 1;
  /** events are kept until acknowledged and replayed */
  readonly EVENT_REPLAY: 2;
  /** each shuffle is committed to, and groups come with openings */
  readonly COMMITMENTS: 4;
};
export type Capability = number;

/** Why a session ended or was refused. */
export const ResetReason: {
  /** the sender has finished, or opened another session */
  readonly CLOSED: 0;
  /** the device has no session with this number: send Hello */
  readonly UNKNOWN_SESSION: 1;
  /** the ends have no protocol version in common */
  readonly VERSION: 2;
  /** the hello requires a capability that the device lacks */
  readonly CAPABILITY: 3;
  /** the sender's queue is full because its frames are not acknowledged, or another host holds the port */
  readonly BUSY: 4;
  /** the device has a key and opens only secure sessions */
  readonly SECURE_REQUIRED: 5;
  /** the hello requires secure mode and the device has no key */
  readonly SECURE_UNAVAILABLE: 6;
  /** the hello can't be decoded, or its public key is invalid */
  readonly BAD_HELLO: 7;
  /** nothing was received for three heartbeat intervals; local, never sent */
  readonly PEER_SILENT: 8;
  /** the device is switching off */
  readonly POWERING_OFF: 9;
  /** the session has used all sequence numbers: open a new one */
  readonly OUT_OF_NUMBERS: 10;
  /** the device's newest event is older than the host's stored events of the same epoch */
  readonly SET_BACK: 11;
  /** the next event is longer than this session's `max_body`; the device keeps it */
  readonly TOO_LONG: 12;
};
export type ResetReason = (typeof ResetReason)[keyof typeof ResetReason];

/** Why a command was refused. A refused command has no effect. */
export const ErrorCode: {
  /** the catalogue has no such number, or the message is not a command */
  readonly UNKNOWN_MESSAGE: 1;
  /** the body does not match its layout, or a command with an effect has request id 0 */
  readonly MALFORMED: 2;
  /** not possible in the device's current state */
  readonly NOT_NOW: 3;
  /** a fault is active: clear it first */
  readonly FAULTED: 4;
  /** the session has not proved a role that may send this command */
  readonly NOT_AUTHORISED: 5;
  /** too many wrong proofs: wait */
  readonly LOCKED_OUT: 6;
  /** the proof is wrong */
  readonly BAD_PROOF: 7;
  /** a later command arrived first, or AskFate fenced the id off: never executed */
  readonly STALE_REQUEST: 8;
  /** a field has a value that this device does not accept */
  readonly OUT_OF_RANGE: 9;
  /** this kind of device does not support the command */
  readonly UNSUPPORTED: 10;
  /** the requested item does not exist */
  readonly NOT_FOUND: 11;
  /** the round is not the open one, or its number is not higher than the last */
  readonly WRONG_ROUND: 12;
  /** the event memory is full: acknowledge events first */
  readonly EVENTS_FULL: 13;
  /** there are no cards where the command needs them */
  readonly NO_CARDS: 14;
  /** the device no longer knows whether this id was executed; it will not execute it again */
  readonly FORGOTTEN: 15;
  /** another command was executed under this request id */
  readonly CONFLICT: 16;
  /** the reply is longer than this session's `max_body` */
  readonly TOO_LONG: 17;
};
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** Who sends a command. DEALER needs no proof; the others answer a challenge. */
export const Role: {
  /** everyone, without proof */
  readonly DEALER: 0;
  /** reads hands of earlier rounds and the stub, clears faults */
  readonly SUPERVISOR: 1;
  /** enters service mode, clears faults */
  readonly TECHNICIAN: 2;
  /** reads raw output of the generator */
  readonly LABORATORY: 3;
};
export type Role = (typeof Role)[keyof typeof Role];

/** Whether the device is running. */
export const PowerState: {
  /** no power */
  readonly OFF: 0;
  /** running the self-test after power-up */
  readonly SELF_TEST: 1;
  /** running */
  readonly ON: 2;
};
export type PowerState = (typeof PowerState)[keyof typeof PowerState];

/** The next deck: from the infeed tray until it is shuffled and staged. */
export const InfeedState: {
  /** no next deck */
  readonly EMPTY: 0;
  /** taking in cards, or waiting for cards in the infeed tray */
  readonly LOADING: 1;
  /** a deck was taken in and counted */
  readonly LOADED: 2;
  /** shuffling */
  readonly SHUFFLING: 3;
  /** comparing the shuffled deck with the deck of the game */
  readonly VERIFYING: 4;
  /** shuffled, committed and waiting for the deck in play to end */
  readonly STAGED: 5;
  /** sorting into factory order */
  readonly SORTING: 6;
  /** counting and reading without shuffling */
  readonly READING: 7;
  /** recounting a deck inside that was touched or interrupted by a power cut */
  readonly RECOUNTING: 8;
};
export type InfeedState = (typeof InfeedState)[keyof typeof InfeedState];

/** The deck in play: from ready until its stub is taken. */
export const DealState: {
  /** no deck in play */
  readonly NO_DECK: 0;
  /** a shuffled deck is ready */
  readonly READY: 1;
  /** a group is moving to the tray */
  readonly DELIVERING: 2;
  /** a player's group is in the tray */
  readonly GROUP_IN_TRAY: 3;
  /** the dealer's group is in the tray */
  readonly DEALER_IN_TRAY: 4;
  /** all groups are delivered, the stub is inside */
  readonly STUB_INSIDE: 5;
  /** the stub is moving to the tray */
  readonly STUB_DELIVERING: 6;
  /** the stub is in the tray */
  readonly STUB_IN_TRAY: 7;
  /** the round is void: return all cards */
  readonly MISDEALT: 8;
};
export type DealState = (typeof DealState)[keyof typeof DealState];

/** The round: from its first group until the decisions are closed. */
export const RoundState: {
  /** no round is open */
  readonly NO_ROUND: 0;
  /** groups are being delivered */
  readonly DEALING: 1;
  /** all groups are delivered, decisions are open */
  readonly DECIDING: 2;
};
export type RoundState = (typeof RoundState)[keyof typeof RoundState];

/** Whether a fault stops the device. */
export const FaultState: {
  /** no fault */
  readonly CLEAR: 0;
  /** a fault is active */
  readonly FAULTED: 1;
  /** the cause is removed, the device is recovering */
  readonly RECOVERING: 2;
};
export type FaultState = (typeof FaultState)[keyof typeof FaultState];

/** What the device is set to do. It deals only in PLAY. */
export const Mode: {
  /** shuffles and deals */
  readonly PLAY: 0;
  /** sorts decks */
  readonly SORT: 1;
  /** counts and reads decks */
  readonly VERIFY_DECK: 2;
  /** under maintenance by a technician */
  readonly SERVICE: 3;
};
export type Mode = (typeof Mode)[keyof typeof Mode];

/** What went wrong. The page on faults lists symptoms, panel texts and remedies. */
export const FaultCode: {
  /** no fault */
  readonly NONE: 0;
  /** a card is stuck between infeed tray and stack */
  readonly JAM_FEEDER: 1;
  /** a card is stuck on the way from the stack */
  readonly JAM_TRANSPORT: 2;
  /** a card is stuck in front of its compartment */
  readonly JAM_COMPARTMENT: 3;
  /** a card is stuck on the way to the output tray */
  readonly JAM_EXIT: 4;
  /** two cards were fed as one */
  readonly DOUBLE_FEED: 5;
  /** the feed roller slips */
  readonly NO_FEED: 6;
  /** cards are missing */
  readonly SHORT_DECK: 7;
  /** there are too many cards */
  readonly LONG_DECK: 8;
  /** a card is in the deck twice */
  readonly DUPLICATE_CARD: 9;
  /** a card does not belong to the deck */
  readonly FOREIGN_CARD: 10;
  /** a face is soiled or worn */
  readonly UNREADABLE_CARD: 11;
  /** a card is boxed: face up */
  readonly FACE_UP_CARD: 12;
  /** a card belongs to the other deck */
  readonly WRONG_BACK: 13;
  /** the tray was not emptied */
  readonly CARD_LEFT_IN_TRAY: 14;
  /** fewer cards were taken than were in the tray */
  readonly GROUP_REMOVED_SHORT: 15;
  /** a card was put into the tray */
  readonly CARD_PUT_BACK: 16;
  /** cards were taken during delivery */
  readonly EARLY_GRAB: 17;
  /** the door was opened */
  readonly DOOR_OPEN: 18;
  /** the tray sensor does not change */
  readonly TRAY_SENSOR_STUCK: 19;
  /** a motor does not turn */
  readonly MOTOR_STALL: 20;
  /** the device is too hot */
  readonly OVER_TEMPERATURE: 21;
  /** the noise source failed its health test */
  readonly RANDOM_SOURCE: 22;
  /** the checksum of the non-volatile memory is wrong */
  readonly MEMORY_CORRUPT: 23;
  /** the clock's battery is empty */
  readonly CLOCK_LOST: 24;
  /** the power failed */
  readonly POWER_CUT: 25;
  /** the data cable is unplugged */
  readonly CABLE_PULLED: 26;
  /** repeated brown-outs */
  readonly BROWN_OUT_LOOP: 27;
  /** the host does not acknowledge events */
  readonly EVENTS_FULL: 28;
  /** unknown cards are inside */
  readonly CARDS_LEFT_INSIDE: 29;
  /** a part does not respond */
  readonly SELF_TEST_FAILED: 30;
  /** the non-volatile memory can't be written */
  readonly MEMORY_FULL: 31;
};
export type FaultCode = (typeof FaultCode)[keyof typeof FaultCode];

/** A part of the device. */
export const Place: {
  /** no particular place */
  readonly NOWHERE: 0;
  /** infeed tray and feeder */
  readonly FEEDER: 1;
  /** card transport */
  readonly TRANSPORT: 2;
  /** compartments or rack */
  readonly COMPARTMENT: 3;
  /** between compartments and tray */
  readonly EXIT: 4;
  /** output tray */
  readonly TRAY: 5;
  /** service door */
  readonly DOOR: 6;
  /** a motor */
  readonly MOTOR: 7;
  /** card reader */
  readonly READER: 8;
  /** random source */
  readonly RANDOM: 9;
  /** non-volatile memory */
  readonly MEMORY: 10;
  /** calendar clock */
  readonly CLOCK: 11;
  /** power supply */
  readonly POWER: 12;
  /** data cable */
  readonly CABLE: 13;
};
export type Place = (typeof Place)[keyof typeof Place];

/** How a fault ended. */
export const Cleared: {
  /** the cause went away */
  readonly BY_ITSELF: 0;
  /** at the device */
  readonly BY_DEALER: 1;
  /** by ClearFault */
  readonly BY_HOST: 2;
  /** switched off and on */
  readonly BY_POWER_CYCLE: 3;
};
export type Cleared = (typeof Cleared)[keyof typeof Cleared];

/** Why a round is void. */
export const MisdealReason: {
  /** a group has the wrong number of cards */
  readonly GROUP_COUNT: 1;
  /** a face was dealt more often than the deck has it */
  readonly DUPLICATE_CARD: 2;
  /** a card is not in the deck */
  readonly CARD_NOT_IN_DECK: 3;
  /** groups were taken or delivered out of order */
  readonly OUT_OF_ORDER: 4;
  /** more cards were requested than were left */
  readonly PAST_THE_STUB: 5;
  /** the power failed during the round */
  readonly POWER_CUT: 6;
  /** a fault of the device spoiled the round */
  readonly MECHANISM: 7;
  /** the host sent VoidRound */
  readonly HOST_VOID: 8;
  /** the deck has the wrong number of cards */
  readonly DECK_COUNT: 9;
};
export type MisdealReason = (typeof MisdealReason)[keyof typeof MisdealReason];

/** Why the device started. */
export const PowerUpCause: {
  /** its switch was turned on */
  readonly SWITCHED_ON: 0;
  /** power returned after a cut */
  readonly POWER_RETURNED: 1;
  /** the supply voltage dipped */
  readonly BROWN_OUT: 2;
};
export type PowerUpCause = (typeof PowerUpCause)[keyof typeof PowerUpCause];

/** What happened at power-up to the round that was open. */
export const Interrupted: {
  /** no round was open */
  readonly NOTHING: 0;
  /** the open round continues */
  readonly RESUMED: 1;
  /** the open round is void */
  readonly VOIDED: 2;
};
export type Interrupted = (typeof Interrupted)[keyof typeof Interrupted];

/** What a shuffle's root commits to. */
export const CommitKind: {
  /** no commitment: root and openings are empty */
  readonly NOTHING: 0;
  /** the card codes in dealt order */
  readonly ORDER: 1;
  /** for a device without a card reader: the infeed place of each card */
  readonly SLOTS: 2;
};
export type CommitKind = (typeof CommitKind)[keyof typeof CommitKind];

/** The outcome of a command whose answer the host did not receive. */
export const Fate: {
  /** executed */
  readonly DONE: 1;
  /** refused without effect; `code` gives the reason */
  readonly REFUSED: 2;
  /** not executed, and never will be */
  readonly NEVER_EXECUTED: 3;
  /** the device no longer knows; it will not execute the command from now on */
  readonly FORGOTTEN: 4;
};
export type Fate = (typeof Fate)[keyof typeof Fate];

/** What kind of device this is, and whether its shuffles may count for certification. */
export const DeviceFlag: {
  /** has a card reader */
  readonly READS_FACES: 1;
  /** remembers hands of earlier rounds */
  readonly HAND_RECALL: 2;
  /** shuffles the next deck while one is in play */
  readonly PRESTAGES: 4;
  /** a dealing shoe: deals the cards it is given */
  readonly SHOE: 8;
  /** has a key for secure mode */
  readonly SECURE: 16;
  /** its randomness comes from a seed: repeatable, not for play */
  readonly SEEDED: 256;
  /** a tester set the order: not a shuffle */
  readonly RIGGED: 512;
};
export type DeviceFlag = number;

/** One Opening. */
export interface Opening {
  /** position of the first card in the dealt order, from 0 */
  first: number;
  /** card codes in dealt order; empty if the device reads no faces */
  cards: number[];
  /** if it reads no faces: the place in the feed, from 0, of each card */
  places: number[];
  /** 32 bytes for each card, in the same order */
  salts: Uint8Array;
  /** sibling hashes, 32 bytes each, level by level from the leaves, left before right */
  proof: Uint8Array;
}

/** One GameEntry. */
export interface GameEntry {
  /** its number for SelectGame */
  game: number;
  /** cards in a player's group */
  cards_per_group: number;
  /** cards in the dealer's group */
  dealer_cards: number;
  /** maximum number of player groups in a round */
  groups: number;
  /** whether the dealer's group comes before the players' */
  dealer_first: boolean;
  /** cards in one deck */
  deck_cards: number;
  /** for people */
  name: string;
}

/** One LogLine. */
export interface LogLine {
  /** line number, from 1 */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** chains this line to the previous one */
  hash: Uint8Array;
  /** for people */
  text: string;
}

/** 0x01, host → device: Opens a session: versions, capabilities and the host's instance. */
export interface Hello {
  /** lowest protocol version that the host supports */
  version_min: number;
  /** highest protocol version that the host supports */
  version_max: number;
  /** capabilities that the host requires */
  must: Capability;
  /** capabilities that the host can use */
  may: Capability;
  /** frames that the host accepts unacknowledged */
  window: number;
  /** longest body that the host accepts */
  max_body: number;
  /** fingerprint of the host's catalogue */
  fingerprint: Uint8Array;
  /** 16 random bytes that identify the host's request numbering */
  instance: Uint8Array;
  /** lowest request id that was not used before this hello */
  next_request: number;
  /** 16 random bytes, new in each hello */
  nonce: Uint8Array;
  /** X25519 public key (32 bytes) in secure mode, else empty */
  ephemeral: Uint8Array;
}

/** 0x02, device → host: Accepts a hello. The frame's header carries the number of the new session. */
export interface Welcome {
  /** protocol version of this session */
  version: number;
  /** capabilities that both ends have */
  capabilities: Capability;
  /** frames that either end may send unacknowledged */
  window: number;
  /** longest body of this session */
  max_body: number;
  /** an end that has sent nothing for this long sends a heartbeat */
  heartbeat_ms: number;
  /** fingerprint of the device's catalogue */
  fingerprint: Uint8Array;
  /** random number, never 0; changes whenever the event memory is reset */
  epoch: bigint;
  /** power-ups since manufacture */
  boots: number;
  /** number of the newest event */
  last_event: number;
  /** newest event that a host has acknowledged */
  acknowledged_event: number;
  /** number of commands that the device remembers for each instance */
  command_memory: number;
  /** whether the device remembers commands of the host's instance */
  known_instance: boolean;
  /** the nonce of the hello that this welcome answers */
  host_nonce: Uint8Array;
  /** 16 random bytes, new in each welcome */
  nonce: Uint8Array;
  /** serial number of the device */
  serial: string;
  /** X25519 public key (32 bytes) in secure mode, else empty */
  ephemeral: Uint8Array;
  /** proof of the key (32 bytes) in secure mode, else empty */
  proof: Uint8Array;
}

/** 0x03, both ways: Ends or refuses a session. */
export interface Reset {
  /** reason */
  reason: ResetReason;
  /** for people */
  text: string;
}

/** 0x04, both ways: Acknowledges frames when there is nothing else to send, and reports frames that arrived early. */
export interface Ack {
  /** bit n: frame `acknowledge` + 2 + n has arrived; 0 if no frame is missing */
  early: number;
}

/** 0x05, both ways: Shows that the sender is alive. After three intervals of silence the link is down. */
export interface Heartbeat {
  /** milliseconds since the sender started */
  uptime_ms: bigint;
  /** device: newest event; host: newest event that it has stored */
  last_event: number;
}

/** 0x80, device → host: The command was executed or, if it moves cards, started. Events report the rest. */
export interface Done {
}

/** 0x81, device → host: The command was refused and had no effect. */
export interface Error {
  /** reason */
  code: ErrorCode;
  /** for people */
  text: string;
}

/** 0x0F, host → device: Asks for the outcome of a command whose answer was lost. If the device has not executed it yet, it never will. */
export interface AskFate {
  /** request id of the command */
  command: number;
}

/** 0x8F, device → host: Reports the outcome of a command. */
export interface FateTold {
  /** request id of the command */
  command: number;
  /** outcome */
  fate: Fate;
  /** ErrorCode if the command was refused, else 0 */
  code: number;
}

/** 0x10, host → device: Asks for identity and kind of the device. */
export interface GetInfo {
}

/** 0x90, device → host: Identity and kind of the device, and whether its shuffles are seeded or rigged. */
export interface Info {
  /** kind of device */
  flags: DeviceFlag;
  /** what its shuffles commit to */
  commits: CommitKind;
  /** number of decks that it holds */
  decks: number;
  /** cards in one deck of the selected game */
  deck_cards: number;
  /** model name */
  model: string;
  /** serial number of the device */
  serial: string;
  /** firmware version */
  firmware: string;
  /** name of the device profile */
  profile: string;
}

/** 0x11, host → device: Asks for the current state of the device. */
export interface GetStatus {
}

/** 0x91, device → host: The current state of the device. It never contains a card. */
export interface Status {
  /** power */
  power: PowerState;
  /** the next deck */
  infeed: InfeedState;
  /** the deck in play */
  deal: DealState;
  /** the round */
  round_state: RoundState;
  /** whether a fault is active */
  fault: FaultState;
  /** mode */
  mode: Mode;
  /** the active fault */
  fault_code: FaultCode;
  /** number of the selected game */
  game: number;
  /** number of the newest round */
  round: number;
  /** groups removed so far in this round */
  group: number;
  /** groups in this round */
  groups: number;
  /** number of the shuffle in play, 0 for none */
  shuffle: number;
  /** whether the door is open */
  door_open: boolean;
  /** role that this session has proved */
  role: Role;
  /** number of the newest event */
  last_event: number;
}

/** 0x12, host → device: Runs the self-test. Refused while cards are moving. */
export interface SelfTest {
}

/** 0x92, device → host: The result of the self-test. */
export interface SelfTestResult {
  /** whether every part passed */
  passed: boolean;
  /** first fault found */
  fault: FaultCode;
  /** for people */
  text: string;
}

/** 0x13, host → device: Asks for a keyed digest of the device's program and profile. */
export interface Verify {
  /** 32 bytes that were never used before */
  challenge: Uint8Array;
}

/** 0x93, device → host: The digest for a challenge. */
export interface Verified {
  /** HMAC-SHA-256 over the device's program and profile, keyed by the challenge */
  digest: Uint8Array;
  /** number of files covered */
  files: number;
}

/** 0x14, host → device: Sets the device's calendar. Event times are unaffected: they follow the device's own clock. */
export interface SetTime {
  /** calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set */
  unix_ms: bigint;
}

/** 0x94, device → host: The device's clock and calendar. */
export interface Time {
  /** milliseconds since the sender started */
  uptime_ms: bigint;
  /** calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set */
  unix_ms: bigint;
}

/** 0x15, host → device: Asks for the meters. */
export interface GetCounters {
}

/** 0x95, device → host: The meters since manufacture, and the head of the hash-chained log. */
export interface Counters {
  /** decks shuffled */
  shuffles: number;
  /** rounds begun */
  rounds: number;
  /** groups delivered */
  groups: number;
  /** cards moved */
  cards: bigint;
  /** rounds voided */
  misdeals: number;
  /** faults raised */
  faults: number;
  /** power-ups */
  power_ups: number;
  /** number of lines in the log */
  log_length: number;
  /** hash of the log's last line: reveals a truncated log */
  log_head: Uint8Array;
}

/** 0x20, host → device: Asks for the game menu. */
export interface ListGames {
}

/** 0xA0, device → host: The game menu and the selected game. */
export interface Games {
  /** number of the selected game */
  selected: number;
  /** the menu */
  games: GameEntry[];
}

/** 0x21, host → device: Selects a game of the menu. Refused while a round is open. */
export interface SelectGame {
  /** its number in the menu */
  game: number;
}

/** 0x28, host → device: Takes in the cards in the infeed tray. */
export interface Load {
}

/** 0x29, host → device: Shuffles the loaded deck and commits to its order. */
export interface Shuffle {
  /** 16 random bytes from the host, bound into the commitment */
  nonce: Uint8Array;
}

/** 0x2A, host → device: Sorts the loaded deck into factory order. A sorted deck can't be dealt. */
export interface Sort {
}

/** 0x2B, host → device: Counts and reads the loaded deck without shuffling it. */
export interface VerifyDeck {
}

/** 0x2C, host → device: Delivers the rest of the deck in play. */
export interface EjectStub {
}

/** 0x2D, host → device: Asks for the cards of the stub that was removed last. */
export interface ReadStub {
}

/** 0xAD, device → host: The cards of the stub that was removed last. */
export interface Stub {
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** the cards, with the salts and hashes that open the commitment for them */
  opening: Opening;
}

/** 0x30, host → device: Opens a round for these seats. */
export interface BeginRound {
  /** number of the round; higher than that of every earlier round */
  round: number;
  /** bit n - 1 for seat n */
  seats: number;
}

/** 0x31, host → device: Delivers the next groups of the round in order, each after the previous one was taken. */
export interface DealGroup {
  /** the host's number of the round */
  round: number;
  /** number of groups; 0 for all that are left */
  groups: number;
}

/** 0x32, host → device: Reports that every player has decided. The device then discloses the dealer's cards. */
export interface CloseDecisions {
  /** the host's number of the round */
  round: number;
}

/** 0x33, host → device: Declares a misdeal: no further group is delivered, all cards are returned, recounted and reshuffled. */
export interface VoidRound {
  /** the host's number of the round */
  round: number;
}

/** 0x34, host → device: Asks for the cards of a group of an earlier round. */
export interface RecallHand {
  /** the host's number of the round */
  round: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
}

/** 0xB4, device → host: The cards of a group of an earlier round. */
export interface RecalledHand {
  /** the host's number of the round */
  round: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** card codes in dealt order; empty if the device reads no faces */
  cards: number[];
  /** if it reads no faces: the place in the feed, from 0, of each card */
  places: number[];
}

/** 0x38, host → device: Reports that the host has stored every event up to this number. */
export interface AckEvents {
  /** newest stored event; the device may forget it and all earlier ones */
  upto: number;
}

/** 0x39, host → device: Asks for lines of the device's log. */
export interface ReadLog {
  /** number of the line before the first one requested */
  after: number;
  /** maximum number of lines */
  limit: number;
}

/** 0xB9, device → host: Lines of the log with their chain hashes. */
export interface LogPage {
  /** number of lines in the log */
  length: number;
  /** the lines; fewer than requested if they would not fit */
  lines: LogLine[];
}

/** 0x3A, host → device: Writes the newest hash of the host's journal into the log. A journal that is rewritten later is then detected. */
export interface NoteHead {
  /** identifies the journal: the host's instance */
  journal: Uint8Array;
  /** number of the journal's newest record */
  record: bigint;
  /** hash of that record */
  hash: Uint8Array;
}

/** 0x40, host → device: Asks for a challenge to prove a role. */
export interface AskChallenge {
  /** the role */
  role: Role;
}

/** 0xC0, device → host: The nonce that the host must answer to prove a role. */
export interface Challenge {
  /** the role */
  role: Role;
  /** 32 random bytes, valid for one answer in this session */
  nonce: Uint8Array;
}

/** 0x41, host → device: Proves a role. The session keeps it until it ends or drops the role. */
export interface ProveRole {
  /** the role */
  role: Role;
  /** answer to the challenge (see Roles) */
  proof: Uint8Array;
}

/** 0x42, host → device: Returns to the role dealer. */
export interface DropRole {
}

/** 0x43, host → device: Reports that the cause of a fault was removed. */
export interface ClearFault {
  /** the fault */
  code: FaultCode;
}

/** 0x44, host → device: Enters or leaves service mode. */
export interface ServiceMode {
  /** whether to enter service mode */
  on: boolean;
}

/** 0x45, host → device: Asks for raw output of the generator. Possible in service mode only. */
export interface ReadRandom {
  /** number of bytes, at most 1,024 */
  count: number;
}

/** 0xC5, device → host: Raw output of the generator. It is used for nothing else. */
export interface RandomBytes {
  /** raw output */
  data: Uint8Array;
}

/** 0x60, device → host: The device started. */
export interface PoweredUp {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** power-ups since manufacture */
  boots: number;
  /** reason */
  cause: PowerUpCause;
  /** what happened to an open round */
  interrupted: Interrupted;
  /** number of that round, 0 for none */
  round: number;
}

/** 0x61, device → host: Cards were taken in and counted. */
export interface DeckLoaded {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards counted */
  count: number;
}

/** 0x62, device → host: Reports the progress of a shuffle. Passing: the device does not keep this event. */
export interface ShuffleProgressed {
  /** always 0 */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards processed */
  done: number;
  /** cards in the deck */
  total: number;
}

/** 0x63, device → host: A deck was shuffled, counted and committed to. */
export interface ShuffleCompleted {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** cards committed to */
  count: number;
  /** number of the game that it was shuffled for */
  game: number;
  /** what the root commits to */
  kind: CommitKind;
  /** SEEDED and RIGGED if they apply to this shuffle; no other bit */
  flags: DeviceFlag;
  /** the host's nonce, bound into the root */
  nonce: Uint8Array;
  /** root of the commitment */
  root: Uint8Array;
}

/** 0x64, device → host: A deck was sorted into factory order. It can't be dealt. */
export interface DeckSorted {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards counted */
  count: number;
}

/** 0x65, device → host: A deck was counted and read without shuffling. */
export interface DeckVerified {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards counted */
  count: number;
  /** whether it is the complete deck of the selected game */
  complete: boolean;
}

/** 0x66, device → host: A group is in the tray. */
export interface GroupReady {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** number of the group within the round, from 1 */
  group: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
  /** cards in the tray */
  count: number;
}

/** 0x67, device → host: A group was taken. Its cards are named unless they are withheld until decisions are closed. */
export interface GroupRemoved {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** number of the group within the round, from 1 */
  group: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
  /** cards taken */
  count: number;
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** whether HandDisclosed names the cards later; the opening is then empty */
  withheld: boolean;
  /** the cards, with the salts and hashes that open the commitment for them */
  opening: Opening;
}

/** 0x68, device → host: Names the cards of a withheld group after decisions were closed. */
export interface HandDisclosed {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** number of the group within the round, from 1 */
  group: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** the cards, with the salts and hashes that open the commitment for them */
  opening: Opening;
}

/** 0x69, device → host: A card showed its face during delivery. This is not a misdeal. */
export interface CardExposed {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** number of the group within the round, from 1 */
  group: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
}

/** 0x6A, device → host: The stub is in the tray. */
export interface StubReady {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** cards left in the deck; 65,535 if a power cut made it unknown */
  count: number;
}

/** 0x6B, device → host: The stub was taken. Its cards stay secret. */
export interface StubRemoved {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** cards taken; 65,535 if a power cut made it unknown */
  count: number;
}

/** 0x6C, device → host: A fault stopped the device. */
export interface FaultRaised {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the fault */
  code: FaultCode;
  /** where it happened */
  place: Place;
  /** a number whose meaning depends on the fault */
  detail: number;
}

/** 0x6D, device → host: A fault ended and the device continues. */
export interface FaultCleared {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the fault */
  code: FaultCode;
  /** how it ended */
  how: Cleared;
}

/** 0x6E, device → host: The round is void. */
export interface Misdealt {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** reason */
  reason: MisdealReason;
  /** number of the group that revealed it, 0 for none */
  group: number;
  /** cards expected */
  expected: number;
  /** cards counted */
  seen: number;
}

/** 0x6F, device → host: The door was opened or closed. */
export interface DoorMoved {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** whether it is open */
  open: boolean;
}

/** 0x70, device → host: The device changed its mode. */
export interface ModeChanged {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the new mode */
  mode: Mode;
}

/** 0x71, device → host: The meters at the end of a deck, and the head of the log. */
export interface CountersReported {
  /** event number within the epoch, from 1 without gaps; 0 if the event is not kept */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** decks shuffled */
  shuffles: number;
  /** rounds begun */
  rounds: number;
  /** rounds voided */
  misdeals: number;
  /** faults raised */
  faults: number;
  /** number of lines in the log */
  log_length: number;
  /** hash of the log's last line: reveals a truncated log */
  log_head: Uint8Array;
}

/** Every message by its name. */
export interface Messages {
  Hello: Hello;
  Welcome: Welcome;
  Reset: Reset;
  Ack: Ack;
  Heartbeat: Heartbeat;
  Done: Done;
  Error: Error;
  AskFate: AskFate;
  FateTold: FateTold;
  GetInfo: GetInfo;
  Info: Info;
  GetStatus: GetStatus;
  Status: Status;
  SelfTest: SelfTest;
  SelfTestResult: SelfTestResult;
  Verify: Verify;
  Verified: Verified;
  SetTime: SetTime;
  Time: Time;
  GetCounters: GetCounters;
  Counters: Counters;
  ListGames: ListGames;
  Games: Games;
  SelectGame: SelectGame;
  Load: Load;
  Shuffle: Shuffle;
  Sort: Sort;
  VerifyDeck: VerifyDeck;
  EjectStub: EjectStub;
  ReadStub: ReadStub;
  Stub: Stub;
  BeginRound: BeginRound;
  DealGroup: DealGroup;
  CloseDecisions: CloseDecisions;
  VoidRound: VoidRound;
  RecallHand: RecallHand;
  RecalledHand: RecalledHand;
  AckEvents: AckEvents;
  ReadLog: ReadLog;
  LogPage: LogPage;
  NoteHead: NoteHead;
  AskChallenge: AskChallenge;
  Challenge: Challenge;
  ProveRole: ProveRole;
  DropRole: DropRole;
  ClearFault: ClearFault;
  ServiceMode: ServiceMode;
  ReadRandom: ReadRandom;
  RandomBytes: RandomBytes;
  PoweredUp: PoweredUp;
  DeckLoaded: DeckLoaded;
  ShuffleProgressed: ShuffleProgressed;
  ShuffleCompleted: ShuffleCompleted;
  DeckSorted: DeckSorted;
  DeckVerified: DeckVerified;
  GroupReady: GroupReady;
  GroupRemoved: GroupRemoved;
  HandDisclosed: HandDisclosed;
  CardExposed: CardExposed;
  StubReady: StubReady;
  StubRemoved: StubRemoved;
  FaultRaised: FaultRaised;
  FaultCleared: FaultCleared;
  Misdealt: Misdealt;
  DoorMoved: DoorMoved;
  ModeChanged: ModeChanged;
  CountersReported: CountersReported;
}

export type MessageName = keyof Messages;
export type HostMessageName = "Hello" | "Reset" | "Ack" | "Heartbeat" | "AskFate" | "GetInfo" | "GetStatus" | "SelfTest" | "Verify" | "SetTime" | "GetCounters" | "ListGames" | "SelectGame" | "Load" | "Shuffle" | "Sort" | "VerifyDeck" | "EjectStub" | "ReadStub" | "BeginRound" | "DealGroup" | "CloseDecisions" | "VoidRound" | "RecallHand" | "AckEvents" | "ReadLog" | "NoteHead" | "AskChallenge" | "ProveRole" | "DropRole" | "ClearFault" | "ServiceMode" | "ReadRandom";
export type DeviceMessageName = "Welcome" | "Reset" | "Ack" | "Heartbeat" | "Done" | "Error" | "FateTold" | "Info" | "Status" | "SelfTestResult" | "Verified" | "Time" | "Counters" | "Games" | "Stub" | "RecalledHand" | "LogPage" | "Challenge" | "RandomBytes" | "PoweredUp" | "DeckLoaded" | "ShuffleProgressed" | "ShuffleCompleted" | "DeckSorted" | "DeckVerified" | "GroupReady" | "GroupRemoved" | "HandDisclosed" | "CardExposed" | "StubReady" | "StubRemoved" | "FaultRaised" | "FaultCleared" | "Misdealt" | "DoorMoved" | "ModeChanged" | "CountersReported";

/** A message or a field that does not fit the wire. */
export class Unencodable extends Error {}
/** A body that does not match its message, or an unknown number. */
export class Malformed extends Error {}

/** The number of a message. */
export function numberOf(name: MessageName): number;
/** The name of a message; undefined if there is none. */
export function nameOf(number: number): MessageName | undefined;
/** The name of the reply to a command; null if it has none. */
export function replyTo(name: MessageName): MessageName | null;
/** Whether the device remembers a command and never executes it twice. */
export function hasEffect(name: MessageName): boolean;

/** A message by name, with its fields. */
export type Decoded = { [Name in MessageName]: { name: Name; fields: Messages[Name] } }[MessageName];
/** The bytes of a message's body; throws Unencodable. */
export function encodeBody<Name extends MessageName>(name: Name, values?: Messages[Name]): Uint8Array;
/** A message's name and fields; throws Malformed. */
export function decodeBody(number: number, body: Uint8Array): Decoded;

/** CRC-32C (Castagnoli). */
export function crc32c(data: Uint8Array): number;
/** COBS: bytes without a zero. */
export function cobsEncode(raw: Uint8Array): Uint8Array;
/** The decoded bytes; null if they are not COBS. */
export function cobsDecode(piece: Uint8Array): Uint8Array | null;

/** A frame: header fields as on the wire, then the body. */
export interface Frame {
  version: number;
  flags: number;
  message: number;
  session: number;
  sequence: number;
  acknowledge: number;
  request: number;
  body: Uint8Array;
}
/** A frame as bytes, with both delimiters. */
export function wrap(frame: Partial<Frame> & Pick<Frame, "message" | "body">): Uint8Array;
/** Finds the frames in a byte stream, however it is split. Buffers less than one frame and never throws. */
export class Framer {
  /** Counts of noise by its kind. */
  readonly noise: { too_long: number; not_cobs: number; too_short: number; bad_crc: number };
  /** All frames that end within these bytes. */
  feed(data: Uint8Array): Frame[];
}

/** SHA-256. */
export function sha256(data: Uint8Array): Uint8Array;
/** HMAC-SHA-256. */
export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
/** A role's key from its secret words. */
export function roleKey(secret: string): Uint8Array;
/** The answer to a Challenge, for ProveRole. */
export function roleProof(
  key: Uint8Array,
  asked: { serial: string; session: number; role: Role; nonce: Uint8Array },
): Uint8Array;

/** The values that a root is bound to. */
export interface Context {
  serial: string;
  epoch: bigint;
  shuffle: number;
  game: number;
  count: number;
  nonce: Uint8Array;
}
/** The root of a shuffle's commitment, from every card and every salt. */
export function commitmentRoot(context: Context, codes: number[], salts: Uint8Array): Uint8Array;
/** Whether the root commits to the cards of an opening. */
export function opens(context: Context, root: Uint8Array, opening: Opening): boolean;

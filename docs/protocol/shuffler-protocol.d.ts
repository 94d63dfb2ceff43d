// The shuffler bench's wire protocol, version 2, catalogue 3e8af397f52600bc: encode, decode, framing, commitment,
// role proof. No dependencies; runs in Node and in browsers.
//
// Rendered by `shuffler protocol docs` from the message catalogue: change that, not this. docs/protocol.md explains it,
// docs/protocol/vectors.json has bytes to test against.

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

/** What an end can do: a `must` bit that the peer lacks ends the hello, a `may` bit is used where both have it. */
export const Capability: {
  /** secure mode: authenticated handshake, every frame sealed */
  readonly SECURE: 1;
  /** events are kept until acknowledged and replayed */
  readonly EVENT_REPLAY: 2;
  /** shuffles are committed to and groups come with openings */
  readonly COMMITMENTS: 4;
};
export type Capability = number;

/** Why a session ended or was refused. */
export const ResetReason: {
  /** the sender is done, or opened another session */
  readonly CLOSED: 0;
  /** the device has no session of that number: say hello */
  readonly UNKNOWN_SESSION: 1;
  /** no protocol version in common */
  readonly VERSION: 2;
  /** the hello demands a capability that the device lacks */
  readonly CAPABILITY: 3;
  /** the sender can't take more: replies are not being acknowledged, or another host holds the port */
  readonly BUSY: 4;
  /** a key is set in the device: only secure sessions are opened */
  readonly SECURE_REQUIRED: 5;
  /** the hello demands secure mode and the device has no key */
  readonly SECURE_UNAVAILABLE: 6;
  /** the hello could not be decoded, or its public key is not usable */
  readonly BAD_HELLO: 7;
  /** nothing was heard for three heartbeat intervals; local, not sent */
  readonly PEER_SILENT: 8;
  /** the device is being switched off */
  readonly POWERING_OFF: 9;
  /** sequence numbers are used up: open a new session */
  readonly OUT_OF_NUMBERS: 10;
  /** the device's newest event is older than what the host has stored of the same epoch */
  readonly SET_BACK: 11;
  /** the next event is longer than this session's `max_body`; it stays with the device */
  readonly TOO_LONG: 12;
};
export type ResetReason = (typeof ResetReason)[keyof typeof ResetReason];

/** Why a command was refused; the command had no effect. */
export const ErrorCode: {
  /** the number is not in the catalogue, or is no command */
  readonly UNKNOWN_MESSAGE: 1;
  /** the body does not fit its layout, or a command with an effect has request id 0 */
  readonly MALFORMED: 2;
  /** the machine's state does not allow it */
  readonly NOT_NOW: 3;
  /** a fault holds the machine: clear it first */
  readonly FAULTED: 4;
  /** the session has not proved a role that may do this */
  readonly NOT_AUTHORISED: 5;
  /** too many wrong proofs: wait */
  readonly LOCKED_OUT: 6;
  /** the proof is wrong */
  readonly BAD_PROOF: 7;
  /** a later command has come or AskFate fenced the id off: not executed, and never will be */
  readonly STALE_REQUEST: 8;
  /** a field has a value that this device does not take */
  readonly OUT_OF_RANGE: 9;
  /** this kind of device can't do it */
  readonly UNSUPPORTED: 10;
  /** there is no such thing to be read */
  readonly NOT_FOUND: 11;
  /** the round named is not the open one, or its number does not grow */
  readonly WRONG_ROUND: 12;
  /** the event memory is full: acknowledge events first */
  readonly EVENTS_FULL: 13;
  /** no cards where they are needed */
  readonly NO_CARDS: 14;
  /** the memory no longer reaches back to this id: executed or not, it will not be executed again */
  readonly FORGOTTEN: 15;
  /** another command was executed under this request id */
  readonly CONFLICT: 16;
  /** the reply is longer than this session's `max_body` */
  readonly TOO_LONG: 17;
};
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** Who is asking; DEALER needs no proof, the others answer a challenge. */
export const Role: {
  /** everyone, without proof */
  readonly DEALER: 0;
  /** reads hands of earlier rounds and the stub, clears faults */
  readonly SUPERVISOR: 1;
  /** service mode, clears faults */
  readonly TECHNICIAN: 2;
  /** reads raw output of the generator */
  readonly LABORATORY: 3;
};
export type Role = (typeof Role)[keyof typeof Role];

/** Whether the machine is up. */
export const PowerState: {
  /** no power */
  readonly OFF: 0;
  /** testing itself after power-up */
  readonly SELF_TEST: 1;
  /** up */
  readonly ON: 2;
};
export type PowerState = (typeof PowerState)[keyof typeof PowerState];

/** The deck that comes next: from the infeed tray to shuffled and staged. */
export const InfeedState: {
  /** no coming deck */
  readonly EMPTY: 0;
  /** taking cards in, or waiting for them in the infeed tray */
  readonly LOADING: 1;
  /** a deck was taken in and counted */
  readonly LOADED: 2;
  /** shuffling */
  readonly SHUFFLING: 3;
  /** holding the shuffled deck against the pack */
  readonly VERIFYING: 4;
  /** shuffled, committed to and waiting for the deck in play to end */
  readonly STAGED: 5;
  /** sorting into factory order */
  readonly SORTING: 6;
  /** counting and reading without shuffling */
  readonly READING: 7;
  /** counting a deck inside anew that hands or a power cut may have spoiled */
  readonly RECOUNTING: 8;
};
export type InfeedState = (typeof InfeedState)[keyof typeof InfeedState];

/** The deck in play: from ready to its stub taken back. */
export const DealState: {
  /** no deck in play */
  readonly NO_DECK: 0;
  /** a shuffled deck is ready */
  readonly READY: 1;
  /** a group is on its way to the tray */
  readonly DELIVERING: 2;
  /** a player's group lies in the tray */
  readonly GROUP_IN_TRAY: 3;
  /** the dealer's group lies in the tray */
  readonly DEALER_IN_TRAY: 4;
  /** all groups are out, the rest of the deck is inside */
  readonly STUB_INSIDE: 5;
  /** the stub is on its way to the tray */
  readonly STUB_DELIVERING: 6;
  /** the stub lies in the tray */
  readonly STUB_IN_TRAY: 7;
  /** the round is void: all cards back */
  readonly MISDEALT: 8;
};
export type DealState = (typeof DealState)[keyof typeof DealState];

/** The round: from its first group to the decisions closed. */
export const RoundState: {
  /** no round is open */
  readonly NO_ROUND: 0;
  /** groups are being delivered */
  readonly DEALING: 1;
  /** all groups are out, decisions are open */
  readonly DECIDING: 2;
};
export type RoundState = (typeof RoundState)[keyof typeof RoundState];

/** Whether a fault holds the machine. */
export const FaultState: {
  /** no fault */
  readonly CLEAR: 0;
  /** a fault holds the machine */
  readonly FAULTED: 1;
  /** on the way back */
  readonly RECOVERING: 2;
};
export type FaultState = (typeof FaultState)[keyof typeof FaultState];

/** What the machine is for at the moment; only PLAY deals. */
export const Mode: {
  /** shuffles and deals */
  readonly PLAY: 0;
  /** sorts decks */
  readonly SORT: 1;
  /** counts and reads decks */
  readonly VERIFY_DECK: 2;
  /** in a technician's hands */
  readonly SERVICE: 3;
};
export type Mode = (typeof Mode)[keyof typeof Mode];

/** What went wrong, with its meaning; the page on faults has signs, panel texts and cures. */
export const FaultCode: {
  /** no fault */
  readonly NONE: 0;
  /** a card is stuck between infeed tray and stack */
  readonly JAM_FEEDER: 1;
  /** a card is stuck on the way from the stack */
  readonly JAM_TRANSPORT: 2;
  /** a card does not go all the way into its place */
  readonly JAM_COMPARTMENT: 3;
  /** a card is stuck on the way to the output tray */
  readonly JAM_EXIT: 4;
  /** two cards pass as one */
  readonly DOUBLE_FEED: 5;
  /** the feed roller slips on the cards */
  readonly NO_FEED: 6;
  /** cards are missing */
  readonly SHORT_DECK: 7;
  /** there are cards too many */
  readonly LONG_DECK: 8;
  /** a card is in the deck twice */
  readonly DUPLICATE_CARD: 9;
  /** a card does not belong to the deck */
  readonly FOREIGN_CARD: 10;
  /** a face is soiled or worn */
  readonly UNREADABLE_CARD: 11;
  /** a card lies boxed, face up */
  readonly FACE_UP_CARD: 12;
  /** a card of the other deck */
  readonly WRONG_BACK: 13;
  /** the tray was not emptied */
  readonly CARD_LEFT_IN_TRAY: 14;
  /** fewer cards were taken than lay there */
  readonly GROUP_REMOVED_SHORT: 15;
  /** a card was laid into the tray */
  readonly CARD_PUT_BACK: 16;
  /** cards were taken while others were still coming */
  readonly EARLY_GRAB: 17;
  /** the door was opened */
  readonly DOOR_OPEN: 18;
  /** the tray sensor is blind or lit for ever */
  readonly TRAY_SENSOR_STUCK: 19;
  /** a motor does not turn */
  readonly MOTOR_STALL: 20;
  /** the machine is too hot */
  readonly OVER_TEMPERATURE: 21;
  /** the noise source fails its health test */
  readonly RANDOM_SOURCE: 22;
  /** the non-volatile memory does not check */
  readonly MEMORY_CORRUPT: 23;
  /** the clock's battery is empty */
  readonly CLOCK_LOST: 24;
  /** the power went */
  readonly POWER_CUT: 25;
  /** the data cable is out */
  readonly CABLE_PULLED: 26;
  /** the supply sags again and again */
  readonly BROWN_OUT_LOOP: 27;
  /** the host does not acknowledge events */
  readonly EVENTS_FULL: 28;
  /** cards are inside that nobody knows of */
  readonly CARDS_LEFT_INSIDE: 29;
  /** a part does not answer */
  readonly SELF_TEST_FAILED: 30;
  /** the memory cannot be written */
  readonly MEMORY_FULL: 31;
};
export type FaultCode = (typeof FaultCode)[keyof typeof FaultCode];

/** Where in the machine. */
export const Place: {
  /** no place in particular */
  readonly NOWHERE: 0;
  /** infeed and feeder */
  readonly FEEDER: 1;
  /** the way of the cards */
  readonly TRANSPORT: 2;
  /** the compartments or the rack */
  readonly COMPARTMENT: 3;
  /** between compartments and tray */
  readonly EXIT: 4;
  /** the dealer's tray */
  readonly TRAY: 5;
  /** the service door */
  readonly DOOR: 6;
  /** a motor */
  readonly MOTOR: 7;
  /** the card reader */
  readonly READER: 8;
  /** the random source */
  readonly RANDOM: 9;
  /** the non-volatile memory */
  readonly MEMORY: 10;
  /** the calendar clock */
  readonly CLOCK: 11;
  /** the power supply */
  readonly POWER: 12;
  /** the data cable */
  readonly CABLE: 13;
};
export type Place = (typeof Place)[keyof typeof Place];

/** Who ended a fault. */
export const Cleared: {
  /** the cause went away */
  readonly BY_ITSELF: 0;
  /** at the machine */
  readonly BY_DEALER: 1;
  /** by ClearFault */
  readonly BY_HOST: 2;
  /** switched off and on */
  readonly BY_POWER_CYCLE: 3;
};
export type Cleared = (typeof Cleared)[keyof typeof Cleared];

/** Why a round is void. */
export const MisdealReason: {
  /** a group with the wrong number of cards */
  readonly GROUP_COUNT: 1;
  /** a face dealt more often than the deck has it */
  readonly DUPLICATE_CARD: 2;
  /** a card that the deck does not have */
  readonly CARD_NOT_IN_DECK: 3;
  /** groups taken or delivered out of order */
  readonly OUT_OF_ORDER: 4;
  /** more cards asked for than were left */
  readonly PAST_THE_STUB: 5;
  /** power went in the middle of the round */
  readonly POWER_CUT: 6;
  /** a fault in the machine spoiled the round */
  readonly MECHANISM: 7;
  /** the host said so (VoidRound) */
  readonly HOST_VOID: 8;
  /** the deck does not count out */
  readonly DECK_COUNT: 9;
};
export type MisdealReason = (typeof MisdealReason)[keyof typeof MisdealReason];

/** Why the machine started. */
export const PowerUpCause: {
  /** by its switch */
  readonly SWITCHED_ON: 0;
  /** power came back after a cut */
  readonly POWER_RETURNED: 1;
  /** the supply dipped */
  readonly BROWN_OUT: 2;
};
export type PowerUpCause = (typeof PowerUpCause)[keyof typeof PowerUpCause];

/** What power-up made of a round that was open when power went. */
export const Interrupted: {
  /** no round was open */
  readonly NOTHING: 0;
  /** the open round goes on */
  readonly RESUMED: 1;
  /** the open round is void */
  readonly VOIDED: 2;
};
export type Interrupted = (typeof Interrupted)[keyof typeof Interrupted];

/** What a shuffle's root commits to. */
export const CommitKind: {
  /** no commitment: root and openings say nothing */
  readonly NOTHING: 0;
  /** the codes of the cards in dealt order */
  readonly ORDER: 1;
  /** for a machine that reads no faces: the place in the infeed that each card came from */
  readonly SLOTS: 2;
};
export type CommitKind = (typeof CommitKind)[keyof typeof CommitKind];

/** What became of a command that was sent and not seen answered. */
export const Fate: {
  /** executed */
  readonly DONE: 1;
  /** refused, nothing changed; `code` says why */
  readonly REFUSED: 2;
  /** not executed, and never will be */
  readonly NEVER_EXECUTED: 3;
  /** the memory no longer says; it will not be executed from here on */
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
  /** a dealing shoe: deals what it is given */
  readonly SHOE: 8;
  /** a key is set */
  readonly SECURE: 16;
  /** its randomness comes from a seed: repeatable, not for play */
  readonly SEEDED: 256;
  /** the order was set by hand: a test, not a shuffle */
  readonly RIGGED: 512;
};
export type DeviceFlag = number;

/** One Opening. */
export interface Opening {
  /** position of the first card in the dealt order, from 0 */
  first: number;
  /** card codes of neighbouring positions; none where the device reads no faces */
  cards: number[];
  /** instead of cards, where it does not: places in the feed, from 0, that they came from */
  places: number[];
  /** 32 bytes a card, in the same order */
  salts: Uint8Array;
  /** sibling hashes, 32 bytes each, level by level from the leaves, left before right */
  proof: Uint8Array;
}

/** One GameEntry. */
export interface GameEntry {
  /** its number for SelectGame */
  game: number;
  /** cards of a player's group */
  cards_per_group: number;
  /** cards of the dealer's group */
  dealer_cards: number;
  /** most player groups a round */
  groups: number;
  /** whether the dealer's group comes before the players' */
  dealer_first: boolean;
  /** cards of one deck */
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
  /** chains this line to the one before */
  hash: Uint8Array;
  /** for people */
  text: string;
}

/** 0x01, host → device: opens a session: versions, capabilities, the host's instance. */
export interface Hello {
  /** lowest protocol version that the host speaks */
  version_min: number;
  /** highest one */
  version_max: number;
  /** capabilities without which the host opens no session */
  must: Capability;
  /** capabilities that the host can use */
  may: Capability;
  /** frames that the host takes unacknowledged */
  window: number;
  /** longest body that the host takes */
  max_body: number;
  /** digest of the host's catalogue */
  fingerprint: Uint8Array;
  /** 16 random bytes, one value for the life of the host's request numbering */
  instance: Uint8Array;
  /** request ids below it were used before this hello */
  next_request: number;
  /** 16 random bytes, new in each hello */
  nonce: Uint8Array;
  /** X25519 public key (32 bytes) in secure mode, else empty */
  ephemeral: Uint8Array;
}

/** 0x02, device → host: accepts it: session number, store epoch, newest and acknowledged event. */
export interface Welcome {
  /** version of this session */
  version: number;
  /** what both ends have */
  capabilities: Capability;
  /** frames that either end may send unacknowledged */
  window: number;
  /** longest body of this session */
  max_body: number;
  /** an end that has sent nothing for this long sends a heartbeat */
  heartbeat_ms: number;
  /** digest of the device's catalogue */
  fingerprint: Uint8Array;
  /** random, new whenever the event memory starts anew; never 0 */
  epoch: bigint;
  /** power-ups since manufacture */
  boots: number;
  /** number of the newest event */
  last_event: number;
  /** newest event that a host has acknowledged */
  acknowledged_event: number;
  /** commands of an instance that are remembered */
  command_memory: number;
  /** whether commands of the host's instance are remembered */
  known_instance: boolean;
  /** the hello's nonce: ties this welcome to it */
  host_nonce: Uint8Array;
  /** 16 random bytes, new in each welcome */
  nonce: Uint8Array;
  /** serial number of the device */
  serial: string;
  /** X25519 public key (32 bytes) in secure mode, else empty */
  ephemeral: Uint8Array;
  /** 32 bytes in secure mode (see there), else empty */
  proof: Uint8Array;
}

/** 0x03, both ways: ends or refuses a session, with the reason. */
export interface Reset {
  /** why */
  reason: ResetReason;
  /** for people */
  text: string;
}

/** 0x04, both ways: carries the header's acknowledgement, and which frames have come beyond the first missing one. */
export interface Ack {
  /** bit n: frame `acknowledge` + 2 + n has come; 0 where none is missing */
  early: number;
}

/** 0x05, both ways: sent while there is nothing else to say; silence for three intervals is link down. */
export interface Heartbeat {
  /** milliseconds since the sender started */
  uptime_ms: bigint;
  /** device: newest event; host: newest event that it has stored */
  last_event: number;
}

/** 0x80, device → host: carried out, or begun where cards move. */
export interface Done {
}

/** 0x81, device → host: refused; nothing changed. */
export interface Error {
  /** why */
  code: ErrorCode;
  /** for people */
  text: string;
}

/** 0x0F, host → device: asks what became of an unanswered command; one not executed by now never will be. */
export interface AskFate {
  /** request id of the command asked about */
  command: number;
}

/** 0x8F, device → host: done, refused, never executed or forgotten. */
export interface FateTold {
  /** request id of the command asked about */
  command: number;
  /** what became of it */
  fate: Fate;
  /** an ErrorCode where it was refused, else 0 */
  code: number;
}

/** 0x10, host → device: asks for identity and kind. */
export interface GetInfo {
}

/** 0x90, device → host: identity, what it can sense and commit to, whether it is seeded or rigged. */
export interface Info {
  /** what kind of device this is */
  flags: DeviceFlag;
  /** what its shuffles commit to */
  commits: CommitKind;
  /** decks it holds */
  decks: number;
  /** cards of one deck of the chosen game */
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

/** 0x11, host → device: asks for the state of each machine. */
export interface GetStatus {
}

/** 0x91, device → host: the state of each machine; never a card. */
export interface Status {
  /** power machine */
  power: PowerState;
  /** the coming deck */
  infeed: InfeedState;
  /** the deck in play */
  deal: DealState;
  /** the round */
  round_state: RoundState;
  /** fault machine */
  fault: FaultState;
  /** what the machine is for */
  mode: Mode;
  /** the fault that holds it */
  fault_code: FaultCode;
  /** the chosen game */
  game: number;
  /** number of the newest round */
  round: number;
  /** groups removed so far in this round */
  group: number;
  /** groups that this round has */
  groups: number;
  /** number of the shuffle in play, 0 for none */
  shuffle: number;
  /** whether the door is open */
  door_open: boolean;
  /** the role that this session has proved */
  role: Role;
  /** number of the newest event */
  last_event: number;
}

/** 0x12, host → device: runs the self-test; refused while cards move. */
export interface SelfTest {
}

/** 0x92, device → host: what the self-test found. */
export interface SelfTestResult {
  /** whether all is well */
  passed: boolean;
  /** the first fault found */
  fault: FaultCode;
  /** for people */
  text: string;
}

/** 0x13, host → device: asks for a keyed digest of program and profile. */
export interface Verify {
  /** 32 bytes that were never used before */
  challenge: Uint8Array;
}

/** 0x93, device → host: the digest for that challenge. */
export interface Verified {
  /** HMAC-SHA-256 over the device's program and profile, keyed by the challenge */
  digest: Uint8Array;
  /** how many files it covers */
  files: number;
}

/** 0x14, host → device: sets the device's calendar. */
export interface SetTime {
  /** calendar time in milliseconds since 1970-01-01T00:00Z; 0 where it was never set */
  unix_ms: bigint;
}

/** 0x94, device → host: the device's clock and calendar. */
export interface Time {
  /** milliseconds since the sender started */
  uptime_ms: bigint;
  /** calendar time in milliseconds since 1970-01-01T00:00Z; 0 where it was never set */
  unix_ms: bigint;
}

/** 0x15, host → device: asks for the meters. */
export interface GetCounters {
}

/** 0x95, device → host: the meters and the head of the log. */
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
  /** lines of the log so far */
  log_length: number;
  /** hash of the log's last line: shows a cut tail */
  log_head: Uint8Array;
}

/** 0x20, host → device: asks for the game menu. */
export interface ListGames {
}

/** 0xA0, device → host: the game menu and the choice. */
export interface Games {
  /** number of the chosen game */
  selected: number;
  /** the menu */
  games: GameEntry[];
}

/** 0x21, host → device: chooses a game; no round may be open. */
export interface SelectGame {
  /** its number on the menu */
  game: number;
}

/** 0x28, host → device: takes the cards in the infeed tray. */
export interface Load {
}

/** 0x29, host → device: shuffles the loaded deck. */
export interface Shuffle {
  /** 16 bytes of the host's, bound into the commitment */
  nonce: Uint8Array;
}

/** 0x2A, host → device: sorts the loaded deck; it can't be dealt then. */
export interface Sort {
}

/** 0x2B, host → device: counts and reads the loaded deck. */
export interface VerifyDeck {
}

/** 0x2C, host → device: delivers the rest of the deck in play. */
export interface EjectStub {
}

/** 0x2D, host → device: asks for the cards of the last stub. */
export interface ReadStub {
}

/** 0xAD, device → host: the cards of the last stub. */
export interface Stub {
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** the cards and what opens the commitment for them */
  opening: Opening;
}

/** 0x30, host → device: opens a round for these seats. */
export interface BeginRound {
  /** must be higher than that of every earlier round */
  round: number;
  /** bit n - 1 for seat n */
  seats: number;
}

/** 0x31, host → device: delivers the next groups in order. */
export interface DealGroup {
  /** the host's number of the round */
  round: number;
  /** how many, 0 for all that are left */
  groups: number;
}

/** 0x32, host → device: lets the dealer's cards be named. */
export interface CloseDecisions {
  /** the host's number of the round */
  round: number;
}

/** 0x33, host → device: declares a misdeal. */
export interface VoidRound {
  /** the host's number of the round */
  round: number;
}

/** 0x34, host → device: asks what an earlier group was. */
export interface RecallHand {
  /** the host's number of the round */
  round: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
}

/** 0xB4, device → host: what that group was. */
export interface RecalledHand {
  /** the host's number of the round */
  round: number;
  /** seat of the table, from 1 at the dealer's left; 0 is the dealer */
  seat: number;
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** card codes in dealt order; none where the device reads no faces */
  cards: number[];
  /** instead of cards, where it does not: their places in the feed, from 0 */
  places: number[];
}

/** 0x38, host → device: the host has stored all events up to this one. */
export interface AckEvents {
  /** every event up to this number is stored and may be forgotten */
  upto: number;
}

/** 0x39, host → device: asks for lines of the log. */
export interface ReadLog {
  /** lines with higher numbers are wanted */
  after: number;
  /** at most so many */
  limit: number;
}

/** 0xB9, device → host: lines of the log with their chain hashes. */
export interface LogPage {
  /** lines of the log so far */
  length: number;
  /** the lines; fewer than asked where they would not fit */
  lines: LogLine[];
}

/** 0x3A, host → device: writes the head of the host's journal into the log. */
export interface NoteHead {
  /** names the journal: the host's instance */
  journal: Uint8Array;
  /** number of its newest record */
  record: bigint;
  /** hash of that record */
  hash: Uint8Array;
}

/** 0x40, host → device: asks to prove a role. */
export interface AskChallenge {
  /** the role */
  role: Role;
}

/** 0xC0, device → host: the nonce to answer. */
export interface Challenge {
  /** the role */
  role: Role;
  /** 32 random bytes, good for one answer in this session */
  nonce: Uint8Array;
}

/** 0x41, host → device: proves the role for this session. */
export interface ProveRole {
  /** the role */
  role: Role;
  /** the answer (see Roles) */
  proof: Uint8Array;
}

/** 0x42, host → device: gives the role back. */
export interface DropRole {
}

/** 0x43, host → device: says that a fault's cause is mended. */
export interface ClearFault {
  /** the fault whose cause is mended */
  code: FaultCode;
}

/** 0x44, host → device: enters or leaves service mode. */
export interface ServiceMode {
  /** enter or leave */
  on: boolean;
}

/** 0x45, host → device: asks for raw output of the generator; in service mode only. */
export interface ReadRandom {
  /** bytes, at most 1,024 */
  count: number;
}

/** 0xC5, device → host: raw output, never used for a shuffle. */
export interface RandomBytes {
  /** raw output */
  data: Uint8Array;
}

/** 0x60, device → host: the machine started, and what became of an open round. */
export interface PoweredUp {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** power-ups since manufacture */
  boots: number;
  /** why it started */
  cause: PowerUpCause;
  /** what became of an open round */
  interrupted: Interrupted;
  /** that round, 0 for none */
  round: number;
}

/** 0x61, device → host: cards were taken in and counted. */
export interface DeckLoaded {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards counted */
  count: number;
}

/** 0x62, device → host: how far the shuffle is; passing, not kept. */
export interface ShuffleProgressed {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards through */
  done: number;
  /** cards of the deck */
  total: number;
}

/** 0x63, device → host: a deck is shuffled and committed to. */
export interface ShuffleCompleted {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** number of the shuffle that the cards come from */
  shuffle: number;
  /** cards committed to */
  count: number;
  /** the game it was shuffled for */
  game: number;
  /** what the root commits to */
  kind: CommitKind;
  /** SEEDED and RIGGED where they apply to this shuffle; no other bit */
  flags: DeviceFlag;
  /** the host's, as bound into the root */
  nonce: Uint8Array;
  /** the commitment */
  root: Uint8Array;
}

/** 0x64, device → host: a deck is sorted. */
export interface DeckSorted {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards counted */
  count: number;
}

/** 0x65, device → host: a deck was counted and read. */
export interface DeckVerified {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** cards counted */
  count: number;
  /** whether it is the deck of the chosen game */
  complete: boolean;
}

/** 0x66, device → host: a group lies in the tray. */
export interface GroupReady {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
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

/** 0x67, device → host: a group was taken; its cards and their openings. */
export interface GroupRemoved {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
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
  /** the cards are named later, by HandDisclosed; the opening is empty */
  withheld: boolean;
  /** the cards and what opens the commitment for them */
  opening: Opening;
}

/** 0x68, device → host: the dealer's cards, once decisions are closed. */
export interface HandDisclosed {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
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
  /** the cards and what opens the commitment for them */
  opening: Opening;
}

/** 0x69, device → host: a card showed its face. */
export interface CardExposed {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
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

/** 0x6A, device → host: the stub lies in the tray. */
export interface StubReady {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** cards left of the deck */
  count: number;
}

/** 0x6B, device → host: the stub was taken; its count. */
export interface StubRemoved {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** cards taken */
  count: number;
}

/** 0x6C, device → host: the machine stopped. */
export interface FaultRaised {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** what */
  code: FaultCode;
  /** where */
  place: Place;
  /** a number that depends on the fault */
  detail: number;
}

/** 0x6D, device → host: the machine goes on. */
export interface FaultCleared {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** what */
  code: FaultCode;
  /** by whom */
  how: Cleared;
}

/** 0x6E, device → host: the round is void. */
export interface Misdealt {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the host's number of the round */
  round: number;
  /** why */
  reason: MisdealReason;
  /** the group it showed at, 0 for none */
  group: number;
  /** cards expected */
  expected: number;
  /** cards seen */
  seen: number;
}

/** 0x6F, device → host: the door moved. */
export interface DoorMoved {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** open or closed */
  open: boolean;
}

/** 0x70, device → host: the machine is now for something else. */
export interface ModeChanged {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
  number: number;
  /** device milliseconds since power-up */
  time_ms: bigint;
  /** the new mode */
  mode: Mode;
}

/** 0x71, device → host: the meters at the end of a deck. */
export interface CountersReported {
  /** event number within the epoch, from 1 without gaps; 0 marks a passing event */
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
  /** lines of the log so far */
  log_length: number;
  /** hash of the log's last line: shows a cut tail */
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
/** A body that does not fit its message, or a number that no message has. */
export class Malformed extends Error {}

/** The number of a message. */
export function numberOf(name: MessageName): number;
/** The name of a message; undefined for a number that none has. */
export function nameOf(number: number): MessageName | undefined;
/** The name of the reply to a command; null where it has none. */
export function replyTo(name: MessageName): MessageName | null;
/** Whether a command is remembered by the device and never executed twice. */
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
/** The bytes behind COBS; null where it is none. */
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
/** A frame as bytes for the line, with the delimiters before and after it. */
export function wrap(frame: Partial<Frame> & Pick<Frame, "message" | "body">): Uint8Array;
/** Bytes in, sound frames out, however the bytes are cut; keeps less than one frame and never throws. */
export class Framer {
  /** What the line spoiled, counted by how it showed. */
  readonly noise: { too_long: number; not_cobs: number; too_short: number; bad_crc: number };
  /** All frames that end within these bytes. */
  feed(data: Uint8Array): Frame[];
}

/** SHA-256. */
export function sha256(data: Uint8Array): Uint8Array;
/** HMAC-SHA-256. */
export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
/** A role's key from the words that its holder keeps. */
export function roleKey(secret: string): Uint8Array;
/** The answer to a Challenge, for ProveRole. */
export function roleProof(
  key: Uint8Array,
  asked: { serial: string; session: number; role: Role; nonce: Uint8Array },
): Uint8Array;

/** What a root is bound to. */
export interface Context {
  serial: string;
  epoch: bigint;
  shuffle: number;
  game: number;
  count: number;
  nonce: Uint8Array;
}
/** The root of a shuffle's commitment, for whoever knows every card and every salt. */
export function commitmentRoot(context: Context, codes: number[], salts: Uint8Array): Uint8Array;
/** Whether the cards of an opening are what the root was made over. */
export function opens(context: Context, root: Uint8Array, opening: Opening): boolean;

/*
 * The shuffler bench's wire protocol, version 2, catalogue 3e8af397f52600bc.
 *
 * Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/protocol.md is the
 * reference, docs/protocol/vectors.json has frames to test with.
 *
 * C99, header only, no allocation. Everything that reads a body or a frame checks its bounds. The packed `_head`
 * structs mirror the bytes of a body's fixed part: on a little-endian machine they can be copied in and out with
 * memcpy, elsewhere use the decoders. Decoded bytes and text point into the buffer that was decoded.
 */

#ifndef SHUFFLER_PROTOCOL_H
#define SHUFFLER_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHUF_VERSION 2
#define SHUF_FINGERPRINT "3e8af397f52600bc" /* 8 bytes in hex */
#define SHUF_FINGERPRINT_BYTES { 0x3E, 0x8A, 0xF3, 0x97, 0xF5, 0x26, 0x00, 0xBC } /* the same for an array */
#define SHUF_HELLO_VERSION 1 /* of hello, welcome and a reset that refuses */
#define SHUF_MIN_BODY 768 /* least max_body that a host may ask for */
#define SHUF_CRC_CHECK 0xE3069283u /* CRC-32C over "123456789" */
#define SHUF_CRC_SIZE 4
#define SHUF_HEADER_SIZE 19
#define SHUF_MAX_BODY 2048 /* longest body in clear */
#define SHUF_SEAL_OVERHEAD 24 /* packet counter and tag of a sealed body */
#define SHUF_MAX_RAW 2095 /* header, longest sealed body, check */
#define SHUF_MAX_ENCODED 2104 /* the same in COBS, without delimiters */
#define SHUF_FLAG_SEALED 0x80 /* the body is a packet counter and an AEAD ciphertext */
#define SHUF_FLAG_RETRANSMITTED 0x01 /* sent before under the same sequence number */
#define SHUF_FLAGS_KNOWN 0x81
#define SHUF_FLAGS_MUST 0xF0 /* a frame with an unknown one of these is dropped */

/* Message numbers. */
enum {
    SHUF_MSG_HELLO = 0x01,
    SHUF_MSG_WELCOME = 0x02,
    SHUF_MSG_RESET = 0x03,
    SHUF_MSG_ACK = 0x04,
    SHUF_MSG_HEARTBEAT = 0x05,
    SHUF_MSG_DONE = 0x80,
    SHUF_MSG_ERROR = 0x81,
    SHUF_MSG_ASK_FATE = 0x0F,
    SHUF_MSG_FATE_TOLD = 0x8F,
    SHUF_MSG_GET_INFO = 0x10,
    SHUF_MSG_INFO = 0x90,
    SHUF_MSG_GET_STATUS = 0x11,
    SHUF_MSG_STATUS = 0x91,
    SHUF_MSG_SELF_TEST = 0x12,
    SHUF_MSG_SELF_TEST_RESULT = 0x92,
    SHUF_MSG_VERIFY = 0x13,
    SHUF_MSG_VERIFIED = 0x93,
    SHUF_MSG_SET_TIME = 0x14,
    SHUF_MSG_TIME = 0x94,
    SHUF_MSG_GET_COUNTERS = 0x15,
    SHUF_MSG_COUNTERS = 0x95,
    SHUF_MSG_LIST_GAMES = 0x20,
    SHUF_MSG_GAMES = 0xA0,
    SHUF_MSG_SELECT_GAME = 0x21,
    SHUF_MSG_LOAD = 0x28,
    SHUF_MSG_SHUFFLE = 0x29,
    SHUF_MSG_SORT = 0x2A,
    SHUF_MSG_VERIFY_DECK = 0x2B,
    SHUF_MSG_EJECT_STUB = 0x2C,
    SHUF_MSG_READ_STUB = 0x2D,
    SHUF_MSG_STUB = 0xAD,
    SHUF_MSG_BEGIN_ROUND = 0x30,
    SHUF_MSG_DEAL_GROUP = 0x31,
    SHUF_MSG_CLOSE_DECISIONS = 0x32,
    SHUF_MSG_VOID_ROUND = 0x33,
    SHUF_MSG_RECALL_HAND = 0x34,
    SHUF_MSG_RECALLED_HAND = 0xB4,
    SHUF_MSG_ACK_EVENTS = 0x38,
    SHUF_MSG_READ_LOG = 0x39,
    SHUF_MSG_LOG_PAGE = 0xB9,
    SHUF_MSG_NOTE_HEAD = 0x3A,
    SHUF_MSG_ASK_CHALLENGE = 0x40,
    SHUF_MSG_CHALLENGE = 0xC0,
    SHUF_MSG_PROVE_ROLE = 0x41,
    SHUF_MSG_DROP_ROLE = 0x42,
    SHUF_MSG_CLEAR_FAULT = 0x43,
    SHUF_MSG_SERVICE_MODE = 0x44,
    SHUF_MSG_READ_RANDOM = 0x45,
    SHUF_MSG_RANDOM_BYTES = 0xC5,
    SHUF_MSG_POWERED_UP = 0x60,
    SHUF_MSG_DECK_LOADED = 0x61,
    SHUF_MSG_SHUFFLE_PROGRESSED = 0x62,
    SHUF_MSG_SHUFFLE_COMPLETED = 0x63,
    SHUF_MSG_DECK_SORTED = 0x64,
    SHUF_MSG_DECK_VERIFIED = 0x65,
    SHUF_MSG_GROUP_READY = 0x66,
    SHUF_MSG_GROUP_REMOVED = 0x67,
    SHUF_MSG_HAND_DISCLOSED = 0x68,
    SHUF_MSG_CARD_EXPOSED = 0x69,
    SHUF_MSG_STUB_READY = 0x6A,
    SHUF_MSG_STUB_REMOVED = 0x6B,
    SHUF_MSG_FAULT_RAISED = 0x6C,
    SHUF_MSG_FAULT_CLEARED = 0x6D,
    SHUF_MSG_MISDEALT = 0x6E,
    SHUF_MSG_DOOR_MOVED = 0x6F,
    SHUF_MSG_MODE_CHANGED = 0x70,
    SHUF_MSG_COUNTERS_REPORTED = 0x71
};

/* What an end supports. A `must` bit that the peer lacks refuses the hello; a `may` bit is used if both have it. */
enum shuf_capability {
    /* secure mode: authenticated handshake, every frame sealed */
    SHUF_CAPABILITY_SECURE = 0x0001,
    /* events are kept until acknowledged and replayed */
    SHUF_CAPABILITY_EVENT_REPLAY = 0x0002,
    /* each shuffle is committed to, and groups come with openings */
    SHUF_CAPABILITY_COMMITMENTS = 0x0004
};

/* Why a session ended or was refused. */
enum shuf_reset_reason {
    /* the sender has finished, or opened another session */
    SHUF_RESET_REASON_CLOSED = 0,
    /* the device has no session with this number: send Hello */
    SHUF_RESET_REASON_UNKNOWN_SESSION = 1,
    /* the ends have no protocol version in common */
    SHUF_RESET_REASON_VERSION = 2,
    /* the hello requires a capability that the device lacks */
    SHUF_RESET_REASON_CAPABILITY = 3,
    /* the sender's queue is full because its frames are not acknowledged, or another host holds the port */
    SHUF_RESET_REASON_BUSY = 4,
    /* the device has a key and opens only secure sessions */
    SHUF_RESET_REASON_SECURE_REQUIRED = 5,
    /* the hello requires secure mode and the device has no key */
    SHUF_RESET_REASON_SECURE_UNAVAILABLE = 6,
    /* the hello can't be decoded, or its public key is invalid */
    SHUF_RESET_REASON_BAD_HELLO = 7,
    /* nothing was received for three heartbeat intervals; local, never sent */
    SHUF_RESET_REASON_PEER_SILENT = 8,
    /* the device is switching off */
    SHUF_RESET_REASON_POWERING_OFF = 9,
    /* the session has used all sequence numbers: open a new one */
    SHUF_RESET_REASON_OUT_OF_NUMBERS = 10,
    /* the device's newest event is older than the host's stored events of the same epoch */
    SHUF_RESET_REASON_SET_BACK = 11,
    /* the next event is longer than this session's `max_body`; the device keeps it */
    SHUF_RESET_REASON_TOO_LONG = 12
};

static inline int shuf_reset_reason_known(unsigned value)
{
    return value <= 12;
}

/* Why a command was refused. A refused command has no effect. */
enum shuf_error_code {
    /* the catalogue has no such number, or the message is not a command */
    SHUF_ERROR_CODE_UNKNOWN_MESSAGE = 1,
    /* the body does not match its layout, or a command with an effect has request id 0 */
    SHUF_ERROR_CODE_MALFORMED = 2,
    /* not possible in the device's current state */
    SHUF_ERROR_CODE_NOT_NOW = 3,
    /* a fault is active: clear it first */
    SHUF_ERROR_CODE_FAULTED = 4,
    /* the session has not proved a role that may send this command */
    SHUF_ERROR_CODE_NOT_AUTHORISED = 5,
    /* too many wrong proofs: wait */
    SHUF_ERROR_CODE_LOCKED_OUT = 6,
    /* the proof is wrong */
    SHUF_ERROR_CODE_BAD_PROOF = 7,
    /* a later command arrived first, or AskFate fenced the id off: never executed */
    SHUF_ERROR_CODE_STALE_REQUEST = 8,
    /* a field has a value that this device does not accept */
    SHUF_ERROR_CODE_OUT_OF_RANGE = 9,
    /* this kind of device does not support the command */
    SHUF_ERROR_CODE_UNSUPPORTED = 10,
    /* the requested item does not exist */
    SHUF_ERROR_CODE_NOT_FOUND = 11,
    /* the round is not the open one, or its number is not higher than the last */
    SHUF_ERROR_CODE_WRONG_ROUND = 12,
    /* the event memory is full: acknowledge events first */
    SHUF_ERROR_CODE_EVENTS_FULL = 13,
    /* there are no cards where the command needs them */
    SHUF_ERROR_CODE_NO_CARDS = 14,
    /* the device no longer knows whether this id was executed; it will not execute it again */
    SHUF_ERROR_CODE_FORGOTTEN = 15,
    /* another command was executed under this request id */
    SHUF_ERROR_CODE_CONFLICT = 16,
    /* the reply is longer than this session's `max_body` */
    SHUF_ERROR_CODE_TOO_LONG = 17
};

static inline int shuf_error_code_known(unsigned value)
{
    return value >= 1 && value <= 17;
}

/* Who sends a command. DEALER needs no proof; the others answer a challenge. */
enum shuf_role {
    /* everyone, without proof */
    SHUF_ROLE_DEALER = 0,
    /* reads hands of earlier rounds and the stub, clears faults */
    SHUF_ROLE_SUPERVISOR = 1,
    /* enters service mode, clears faults */
    SHUF_ROLE_TECHNICIAN = 2,
    /* reads raw output of the generator */
    SHUF_ROLE_LABORATORY = 3
};

static inline int shuf_role_known(unsigned value)
{
    return value <= 3;
}

/* Whether the device is running. */
enum shuf_power_state {
    /* no power */
    SHUF_POWER_STATE_OFF = 0,
    /* running the self-test after power-up */
    SHUF_POWER_STATE_SELF_TEST = 1,
    /* running */
    SHUF_POWER_STATE_ON = 2
};

static inline int shuf_power_state_known(unsigned value)
{
    return value <= 2;
}

/* The next deck: from the infeed tray until it is shuffled and staged. */
enum shuf_infeed_state {
    /* no next deck */
    SHUF_INFEED_STATE_EMPTY = 0,
    /* taking in cards, or waiting for cards in the infeed tray */
    SHUF_INFEED_STATE_LOADING = 1,
    /* a deck was taken in and counted */
    SHUF_INFEED_STATE_LOADED = 2,
    /* shuffling */
    SHUF_INFEED_STATE_SHUFFLING = 3,
    /* comparing the shuffled deck with the deck of the game */
    SHUF_INFEED_STATE_VERIFYING = 4,
    /* shuffled, committed and waiting for the deck in play to end */
    SHUF_INFEED_STATE_STAGED = 5,
    /* sorting into factory order */
    SHUF_INFEED_STATE_SORTING = 6,
    /* counting and reading without shuffling */
    SHUF_INFEED_STATE_READING = 7,
    /* recounting a deck inside that was touched or interrupted by a power cut */
    SHUF_INFEED_STATE_RECOUNTING = 8
};

static inline int shuf_infeed_state_known(unsigned value)
{
    return value <= 8;
}

/* The deck in play: from ready until its stub is taken. */
enum shuf_deal_state {
    /* no deck in play */
    SHUF_DEAL_STATE_NO_DECK = 0,
    /* a shuffled deck is ready */
    SHUF_DEAL_STATE_READY = 1,
    /* a group is moving to the tray */
    SHUF_DEAL_STATE_DELIVERING = 2,
    /* a player's group is in the tray */
    SHUF_DEAL_STATE_GROUP_IN_TRAY = 3,
    /* the dealer's group is in the tray */
    SHUF_DEAL_STATE_DEALER_IN_TRAY = 4,
    /* all groups are delivered, the stub is inside */
    SHUF_DEAL_STATE_STUB_INSIDE = 5,
    /* the stub is moving to the tray */
    SHUF_DEAL_STATE_STUB_DELIVERING = 6,
    /* the stub is in the tray */
    SHUF_DEAL_STATE_STUB_IN_TRAY = 7,
    /* the round is void: return all cards */
    SHUF_DEAL_STATE_MISDEALT = 8
};

static inline int shuf_deal_state_known(unsigned value)
{
    return value <= 8;
}

/* The round: from its first group until the decisions are closed. */
enum shuf_round_state {
    /* no round is open */
    SHUF_ROUND_STATE_NO_ROUND = 0,
    /* groups are being delivered */
    SHUF_ROUND_STATE_DEALING = 1,
    /* all groups are delivered, decisions are open */
    SHUF_ROUND_STATE_DECIDING = 2
};

static inline int shuf_round_state_known(unsigned value)
{
    return value <= 2;
}

/* Whether a fault stops the device. */
enum shuf_fault_state {
    /* no fault */
    SHUF_FAULT_STATE_CLEAR = 0,
    /* a fault is active */
    SHUF_FAULT_STATE_FAULTED = 1,
    /* the cause is removed, the device is recovering */
    SHUF_FAULT_STATE_RECOVERING = 2
};

static inline int shuf_fault_state_known(unsigned value)
{
    return value <= 2;
}

/* What the device is set to do. It deals only in PLAY. */
enum shuf_mode {
    /* shuffles and deals */
    SHUF_MODE_PLAY = 0,
    /* sorts decks */
    SHUF_MODE_SORT = 1,
    /* counts and reads decks */
    SHUF_MODE_VERIFY_DECK = 2,
    /* under maintenance by a technician */
    SHUF_MODE_SERVICE = 3
};

static inline int shuf_mode_known(unsigned value)
{
    return value <= 3;
}

/* What went wrong. The page on faults lists symptoms, panel texts and remedies. */
enum shuf_fault_code {
    /* no fault */
    SHUF_FAULT_CODE_NONE = 0,
    /* a card is stuck between infeed tray and stack */
    SHUF_FAULT_CODE_JAM_FEEDER = 1,
    /* a card is stuck on the way from the stack */
    SHUF_FAULT_CODE_JAM_TRANSPORT = 2,
    /* a card is stuck in front of its compartment */
    SHUF_FAULT_CODE_JAM_COMPARTMENT = 3,
    /* a card is stuck on the way to the output tray */
    SHUF_FAULT_CODE_JAM_EXIT = 4,
    /* two cards were fed as one */
    SHUF_FAULT_CODE_DOUBLE_FEED = 5,
    /* the feed roller slips */
    SHUF_FAULT_CODE_NO_FEED = 6,
    /* cards are missing */
    SHUF_FAULT_CODE_SHORT_DECK = 7,
    /* there are too many cards */
    SHUF_FAULT_CODE_LONG_DECK = 8,
    /* a card is in the deck twice */
    SHUF_FAULT_CODE_DUPLICATE_CARD = 9,
    /* a card does not belong to the deck */
    SHUF_FAULT_CODE_FOREIGN_CARD = 10,
    /* a face is soiled or worn */
    SHUF_FAULT_CODE_UNREADABLE_CARD = 11,
    /* a card is boxed: face up */
    SHUF_FAULT_CODE_FACE_UP_CARD = 12,
    /* a card belongs to the other deck */
    SHUF_FAULT_CODE_WRONG_BACK = 13,
    /* the tray was not emptied */
    SHUF_FAULT_CODE_CARD_LEFT_IN_TRAY = 14,
    /* fewer cards were taken than were in the tray */
    SHUF_FAULT_CODE_GROUP_REMOVED_SHORT = 15,
    /* a card was put into the tray */
    SHUF_FAULT_CODE_CARD_PUT_BACK = 16,
    /* cards were taken during delivery */
    SHUF_FAULT_CODE_EARLY_GRAB = 17,
    /* the door was opened */
    SHUF_FAULT_CODE_DOOR_OPEN = 18,
    /* the tray sensor does not change */
    SHUF_FAULT_CODE_TRAY_SENSOR_STUCK = 19,
    /* a motor does not turn */
    SHUF_FAULT_CODE_MOTOR_STALL = 20,
    /* the device is too hot */
    SHUF_FAULT_CODE_OVER_TEMPERATURE = 21,
    /* the noise source failed its health test */
    SHUF_FAULT_CODE_RANDOM_SOURCE = 22,
    /* the checksum of the non-volatile memory is wrong */
    SHUF_FAULT_CODE_MEMORY_CORRUPT = 23,
    /* the clock's battery is empty */
    SHUF_FAULT_CODE_CLOCK_LOST = 24,
    /* the power failed */
    SHUF_FAULT_CODE_POWER_CUT = 25,
    /* the data cable is unplugged */
    SHUF_FAULT_CODE_CABLE_PULLED = 26,
    /* repeated brown-outs */
    SHUF_FAULT_CODE_BROWN_OUT_LOOP = 27,
    /* the host does not acknowledge events */
    SHUF_FAULT_CODE_EVENTS_FULL = 28,
    /* unknown cards are inside */
    SHUF_FAULT_CODE_CARDS_LEFT_INSIDE = 29,
    /* a part does not respond */
    SHUF_FAULT_CODE_SELF_TEST_FAILED = 30,
    /* the non-volatile memory can't be written */
    SHUF_FAULT_CODE_MEMORY_FULL = 31
};

static inline int shuf_fault_code_known(unsigned value)
{
    return value <= 31;
}

/* A part of the device. */
enum shuf_place {
    /* no particular place */
    SHUF_PLACE_NOWHERE = 0,
    /* infeed tray and feeder */
    SHUF_PLACE_FEEDER = 1,
    /* card transport */
    SHUF_PLACE_TRANSPORT = 2,
    /* compartments or rack */
    SHUF_PLACE_COMPARTMENT = 3,
    /* between compartments and tray */
    SHUF_PLACE_EXIT = 4,
    /* output tray */
    SHUF_PLACE_TRAY = 5,
    /* service door */
    SHUF_PLACE_DOOR = 6,
    /* a motor */
    SHUF_PLACE_MOTOR = 7,
    /* card reader */
    SHUF_PLACE_READER = 8,
    /* random source */
    SHUF_PLACE_RANDOM = 9,
    /* non-volatile memory */
    SHUF_PLACE_MEMORY = 10,
    /* calendar clock */
    SHUF_PLACE_CLOCK = 11,
    /* power supply */
    SHUF_PLACE_POWER = 12,
    /* data cable */
    SHUF_PLACE_CABLE = 13
};

static inline int shuf_place_known(unsigned value)
{
    return value <= 13;
}

/* How a fault ended. */
enum shuf_cleared {
    /* the cause went away */
    SHUF_CLEARED_BY_ITSELF = 0,
    /* at the device */
    SHUF_CLEARED_BY_DEALER = 1,
    /* by ClearFault */
    SHUF_CLEARED_BY_HOST = 2,
    /* switched off and on */
    SHUF_CLEARED_BY_POWER_CYCLE = 3
};

static inline int shuf_cleared_known(unsigned value)
{
    return value <= 3;
}

/* Why a round is void. */
enum shuf_misdeal_reason {
    /* a group has the wrong number of cards */
    SHUF_MISDEAL_REASON_GROUP_COUNT = 1,
    /* a face was dealt more often than the deck has it */
    SHUF_MISDEAL_REASON_DUPLICATE_CARD = 2,
    /* a card is not in the deck */
    SHUF_MISDEAL_REASON_CARD_NOT_IN_DECK = 3,
    /* groups were taken or delivered out of order */
    SHUF_MISDEAL_REASON_OUT_OF_ORDER = 4,
    /* more cards were requested than were left */
    SHUF_MISDEAL_REASON_PAST_THE_STUB = 5,
    /* the power failed during the round */
    SHUF_MISDEAL_REASON_POWER_CUT = 6,
    /* a fault of the device spoiled the round */
    SHUF_MISDEAL_REASON_MECHANISM = 7,
    /* the host sent VoidRound */
    SHUF_MISDEAL_REASON_HOST_VOID = 8,
    /* the deck has the wrong number of cards */
    SHUF_MISDEAL_REASON_DECK_COUNT = 9
};

static inline int shuf_misdeal_reason_known(unsigned value)
{
    return value >= 1 && value <= 9;
}

/* Why the device started. */
enum shuf_power_up_cause {
    /* its switch was turned on */
    SHUF_POWER_UP_CAUSE_SWITCHED_ON = 0,
    /* power returned after a cut */
    SHUF_POWER_UP_CAUSE_POWER_RETURNED = 1,
    /* the supply voltage dipped */
    SHUF_POWER_UP_CAUSE_BROWN_OUT = 2
};

static inline int shuf_power_up_cause_known(unsigned value)
{
    return value <= 2;
}

/* What happened at power-up to the round that was open. */
enum shuf_interrupted {
    /* no round was open */
    SHUF_INTERRUPTED_NOTHING = 0,
    /* the open round continues */
    SHUF_INTERRUPTED_RESUMED = 1,
    /* the open round is void */
    SHUF_INTERRUPTED_VOIDED = 2
};

static inline int shuf_interrupted_known(unsigned value)
{
    return value <= 2;
}

/* What a shuffle's root commits to. */
enum shuf_commit_kind {
    /* no commitment: root and openings are empty */
    SHUF_COMMIT_KIND_NOTHING = 0,
    /* the card codes in dealt order */
    SHUF_COMMIT_KIND_ORDER = 1,
    /* for a device without a card reader: the infeed place of each card */
    SHUF_COMMIT_KIND_SLOTS = 2
};

static inline int shuf_commit_kind_known(unsigned value)
{
    return value <= 2;
}

/* The outcome of a command whose answer the host did not receive. */
enum shuf_fate {
    /* executed */
    SHUF_FATE_DONE = 1,
    /* refused without effect; `code` gives the reason */
    SHUF_FATE_REFUSED = 2,
    /* not executed, and never will be */
    SHUF_FATE_NEVER_EXECUTED = 3,
    /* the device no longer knows; it will not execute the command from now on */
    SHUF_FATE_FORGOTTEN = 4
};

static inline int shuf_fate_known(unsigned value)
{
    return value >= 1 && value <= 4;
}

/* What kind of device this is, and whether its shuffles may count for certification. */
enum shuf_device_flag {
    /* has a card reader */
    SHUF_DEVICE_FLAG_READS_FACES = 0x0001,
    /* remembers hands of earlier rounds */
    SHUF_DEVICE_FLAG_HAND_RECALL = 0x0002,
    /* shuffles the next deck while one is in play */
    SHUF_DEVICE_FLAG_PRESTAGES = 0x0004,
    /* a dealing shoe: deals the cards it is given */
    SHUF_DEVICE_FLAG_SHOE = 0x0008,
    /* has a key for secure mode */
    SHUF_DEVICE_FLAG_SECURE = 0x0010,
    /* its randomness comes from a seed: repeatable, not for play */
    SHUF_DEVICE_FLAG_SEEDED = 0x0100,
    /* a tester set the order: not a shuffle */
    SHUF_DEVICE_FLAG_RIGGED = 0x0200
};

/* ------------------------------------------------------------------------------------------------------- results */

typedef enum {
    SHUF_OK = 0,
    SHUF_TOO_LONG = 1,  /* more bytes between two delimiters than a frame can have */
    SHUF_NOT_COBS = 2,  /* the bytes are no COBS encoding */
    SHUF_TOO_SHORT = 3, /* less than a header and a check */
    SHUF_BAD_CRC = 4,   /* the check is wrong */
    SHUF_MALFORMED = 5, /* the body does not fit its message's layout */
    SHUF_UNKNOWN = 6,   /* the message number is not in the catalogue */
    SHUF_NO_ROOM = 7    /* the caller's buffer is too small */
} shuf_result;

/* Bytes inside the caller's buffer: valid as long as the buffer. Text has no terminating zero. */
typedef struct {
    const uint8_t *data;
    size_t length;
} shuf_bytes;

/* Consecutive records inside the caller's buffer: iterate over them with shuf_list_cursor() and the record's _take(). */
typedef struct {
    const uint8_t *data;
    size_t length;
    size_t count;
} shuf_list;

/* -------------------------------------------------------------------------------------------- numbers in bytes */

static inline uint16_t shuf_get_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t shuf_get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t shuf_get_u64(const uint8_t *at)
{
    return (uint64_t)shuf_get_u32(at) | (uint64_t)shuf_get_u32(at + 4) << 32;
}

static inline void shuf_put_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

/* ------------------------------------------------------------------------------------------------------ CRC-32C */

/* CRC-32C (Castagnoli), four bits at a time. Start with crc = 0; pass the last result to continue. */
static inline uint32_t shuf_crc32c(uint32_t crc, const uint8_t *data, size_t length)
{
    static const uint32_t nibble[16] = {
        0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u, 0x417B1DBCu, 0x5125DAD3u, 0x61C69362u, 0x7198540Du,
        0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u, 0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u
    };
    size_t i;
    crc = ~crc;
    for (i = 0; i < length; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ nibble[crc & 15u];
        crc = crc >> 4 ^ nibble[crc & 15u];
    }
    return ~crc;
}

/* --------------------------------------------------------------------------------------------------------- COBS */

/* Decodes the bytes between two delimiters. `raw` may be `encoded` itself: decoding works in place. */
static inline shuf_result shuf_cobs_decode(const uint8_t *encoded, size_t length, uint8_t *raw, size_t capacity,
                                           size_t *raw_length)
{
    size_t in = 0, out = 0;
    while (in < length) {
        size_t code = encoded[in++], run;
        if (code == 0 || code - 1 > length - in)
            return SHUF_NOT_COBS;
        if (code - 1 > capacity - out)
            return SHUF_NO_ROOM;
        for (run = 1; run < code; run++) {
            if (encoded[in] == 0)
                return SHUF_NOT_COBS;
            raw[out++] = encoded[in++];
        }
        if (code < 255 && in < length) {
            if (out == capacity)
                return SHUF_NO_ROOM;
            raw[out++] = 0;
        }
    }
    *raw_length = out;
    return SHUF_OK;
}

/* Encodes without delimiters. A `capacity` of length + length / 254 + 1 is always enough. */
static inline shuf_result shuf_cobs_encode(const uint8_t *raw, size_t length, uint8_t *encoded, size_t capacity,
                                           size_t *encoded_length)
{
    size_t in, out = 1, mark = 0;
    uint8_t code = 1;
    if (capacity == 0)
        return SHUF_NO_ROOM;
    for (in = 0; in < length; in++) {
        if (raw[in] != 0) {
            if (out == capacity)
                return SHUF_NO_ROOM;
            encoded[out++] = raw[in];
            code++;
        }
        if (raw[in] == 0 || (code == 255 && in + 1 < length)) {
            encoded[mark] = code;
            code = 1;
            if (out == capacity)
                return SHUF_NO_ROOM;
            mark = out++;
        }
    }
    encoded[mark] = code;
    *encoded_length = out;
    return SHUF_OK;
}

/* ------------------------------------------------------------------------------------------------------- frames */

typedef struct {
    uint8_t version;
    uint8_t flags;
    uint8_t message;
    uint32_t session;
    uint32_t sequence;
    uint32_t acknowledge;
    uint32_t request;
} shuf_header;

static inline void shuf_header_parse(shuf_header *out, const uint8_t raw[SHUF_HEADER_SIZE])
{
    out->version = raw[0];
    out->flags = raw[1];
    out->message = raw[2];
    out->session = shuf_get_u32(raw + 3);
    out->sequence = shuf_get_u32(raw + 7);
    out->acknowledge = shuf_get_u32(raw + 11);
    out->request = shuf_get_u32(raw + 15);
}

static inline void shuf_header_pack(const shuf_header *header, uint8_t raw[SHUF_HEADER_SIZE])
{
    raw[0] = header->version;
    raw[1] = header->flags;
    raw[2] = header->message;
    shuf_put_u32(raw + 3, header->session);
    shuf_put_u32(raw + 7, header->sequence);
    shuf_put_u32(raw + 11, header->acknowledge);
    shuf_put_u32(raw + 15, header->request);
}

/* Decodes a frame from the bytes between two delimiters; `body` points into `raw`, which needs SHUF_MAX_RAW bytes. */
static inline shuf_result shuf_frame_decode(const uint8_t *encoded, size_t length, uint8_t *raw, size_t capacity,
                                            shuf_header *header, shuf_bytes *body)
{
    size_t end = 0;
    shuf_result result;
    if (length > SHUF_MAX_ENCODED)
        return SHUF_TOO_LONG;
    result = shuf_cobs_decode(encoded, length, raw, capacity, &end);
    if (result != SHUF_OK)
        return result;
    if (end < SHUF_HEADER_SIZE + SHUF_CRC_SIZE)
        return SHUF_TOO_SHORT;
    end -= SHUF_CRC_SIZE;
    if (shuf_crc32c(0, raw, end) != shuf_get_u32(raw + end))
        return SHUF_BAD_CRC;
    shuf_header_parse(header, raw);
    body->data = raw + SHUF_HEADER_SIZE;
    body->length = end - SHUF_HEADER_SIZE;
    return SHUF_OK;
}

/* Encodes a frame with both delimiters; `raw` and `line` need SHUF_MAX_RAW and SHUF_MAX_ENCODED + 2 bytes. */
static inline shuf_result shuf_frame_encode(const shuf_header *header, const uint8_t *body, size_t length, uint8_t *raw,
                                            size_t raw_capacity, uint8_t *line, size_t line_capacity,
                                            size_t *line_length)
{
    size_t end = SHUF_HEADER_SIZE + length, encoded = 0;
    shuf_result result;
    if (length > SHUF_MAX_RAW - SHUF_HEADER_SIZE - SHUF_CRC_SIZE)
        return SHUF_TOO_LONG;
    if (raw_capacity < end + SHUF_CRC_SIZE || line_capacity < 2)
        return SHUF_NO_ROOM;
    shuf_header_pack(header, raw);
    if (length > 0)
        memcpy(raw + SHUF_HEADER_SIZE, body, length);
    shuf_put_u32(raw + end, shuf_crc32c(0, raw, end));
    result = shuf_cobs_encode(raw, end + SHUF_CRC_SIZE, line + 1, line_capacity - 2, &encoded);
    if (result != SHUF_OK)
        return result;
    line[0] = 0;
    line[encoded + 1] = 0;
    *line_length = encoded + 2;
    return SHUF_OK;
}

/* Splits a byte stream at its delimiters; initialise with zeros. */
typedef struct {
    uint8_t piece[SHUF_MAX_ENCODED];
    size_t length;
    int complete;
    int skipping;
    size_t too_long; /* pieces thrown away because no frame is so long */
} shuf_receiver;

/* Feeds one byte; nonzero when piece[0 .. length) is complete: pass it to shuf_frame_decode(). */
static inline int shuf_receiver_push(shuf_receiver *receiver, uint8_t byte)
{
    if (receiver->complete) {
        receiver->complete = 0;
        receiver->length = 0;
    }
    if (byte != 0) {
        if (receiver->length == SHUF_MAX_ENCODED)
            receiver->skipping = 1;
        else
            receiver->piece[receiver->length++] = byte;
        return 0;
    }
    if (receiver->skipping) {
        receiver->too_long++;
        receiver->skipping = 0;
        receiver->length = 0;
        return 0;
    }
    receiver->complete = receiver->length > 0;
    return receiver->complete;
}

/* ------------------------------------------------------------------------------------------------ reading bodies */

/* Reads forward, never past the end. After an error `bad` stays set and every value is zero. */
typedef struct {
    const uint8_t *at;
    size_t left;
    int bad;
} shuf_cursor;

static inline shuf_cursor shuf_cursor_over(const uint8_t *data, size_t length)
{
    shuf_cursor cursor;
    cursor.at = data;
    cursor.left = length;
    cursor.bad = length > SHUF_MAX_BODY;
    return cursor;
}

static inline shuf_cursor shuf_list_cursor(const shuf_list *list)
{
    return shuf_cursor_over(list->data, list->length);
}

/* Returns `count` bytes, or a null pointer if fewer are left. */
static inline const uint8_t *shuf_take(shuf_cursor *cursor, size_t length)
{
    const uint8_t *taken = cursor->at;
    if (cursor->bad || length > cursor->left) {
        cursor->bad = 1;
        return NULL;
    }
    if (length > 0) {
        cursor->at += length;
        cursor->left -= length;
    }
    return taken;
}

static inline uint8_t shuf_take_u8(shuf_cursor *cursor)
{
    const uint8_t *at = shuf_take(cursor, 1);
    return at == NULL ? 0 : *at;
}

static inline uint16_t shuf_take_u16(shuf_cursor *cursor)
{
    const uint8_t *at = shuf_take(cursor, 2);
    return at == NULL ? 0 : shuf_get_u16(at);
}

static inline uint32_t shuf_take_u32(shuf_cursor *cursor)
{
    const uint8_t *at = shuf_take(cursor, 4);
    return at == NULL ? 0 : shuf_get_u32(at);
}

static inline uint64_t shuf_take_u64(shuf_cursor *cursor)
{
    const uint8_t *at = shuf_take(cursor, 8);
    return at == NULL ? 0 : shuf_get_u64(at);
}

static inline void shuf_take_fixed(shuf_cursor *cursor, uint8_t *out, size_t length)
{
    const uint8_t *at = shuf_take(cursor, length);
    if (at == NULL)
        memset(out, 0, length);
    else
        memcpy(out, at, length);
}

static inline shuf_bytes shuf_take_bytes(shuf_cursor *cursor, size_t length)
{
    shuf_bytes taken;
    taken.data = shuf_take(cursor, length);
    taken.length = cursor->bad ? 0 : length;
    return taken;
}

/* Whether bytes are UTF-8 of Unicode scalar values: no overlong forms, no surrogates, nothing above U+10FFFF. */
static inline int shuf_is_utf8(const uint8_t *at, size_t length)
{
    while (length > 0) {
        size_t more, i;
        uint32_t point, least;
        if (at[0] < 0x80) {
            more = 0, point = at[0], least = 0;
        } else if (at[0] >= 0xC2 && at[0] < 0xE0) {
            more = 1, point = at[0] & 0x1Fu, least = 0x80;
        } else if (at[0] >= 0xE0 && at[0] < 0xF0) {
            more = 2, point = at[0] & 0x0Fu, least = 0x800;
        } else if (at[0] >= 0xF0 && at[0] < 0xF5) {
            more = 3, point = at[0] & 0x07u, least = 0x10000;
        } else {
            return 0;
        }
        if (more >= length)
            return 0;
        for (i = 1; i <= more; i++) {
            if ((at[i] & 0xC0) != 0x80)
                return 0;
            point = point << 6 | (at[i] & 0x3Fu);
        }
        if (point < least || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
            return 0;
        at += more + 1;
        length -= more + 1;
    }
    return 1;
}

static inline shuf_bytes shuf_take_text(shuf_cursor *cursor, size_t length)
{
    shuf_bytes taken = shuf_take_bytes(cursor, length);
    if (taken.length > 0 && !shuf_is_utf8(taken.data, taken.length))
        cursor->bad = 1;
    return taken;
}

static inline shuf_result shuf_cursor_end(const shuf_cursor *cursor)
{
    return cursor->bad || cursor->left > 0 ? SHUF_MALFORMED : SHUF_OK;
}

/* ------------------------------------------------------------------------------------------------ writing bodies */

/* Writes forward, never past the end. After an error `bad` gives the reason. */
typedef struct {
    uint8_t *at;
    size_t room;
    size_t length;
    shuf_result bad;
} shuf_writer;

static inline shuf_writer shuf_writer_into(uint8_t *body, size_t room)
{
    shuf_writer writer;
    writer.at = body;
    writer.room = room;
    writer.length = 0;
    writer.bad = SHUF_OK;
    return writer;
}

static inline void shuf_write(shuf_writer *writer, const void *data, size_t length)
{
    if (writer->bad == SHUF_OK && length > writer->room - writer->length)
        writer->bad = SHUF_NO_ROOM;
    if (writer->bad == SHUF_OK && length > 0) {
        memcpy(writer->at + writer->length, data, length);
        writer->length += length;
    }
}

static inline void shuf_write_number(shuf_writer *writer, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    size_t i;
    for (i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    shuf_write(writer, bytes, size);
}

/* Writes bytes after their length; `size` is the size of the length. */
static inline void shuf_write_bytes(shuf_writer *writer, shuf_bytes bytes, size_t size)
{
    if (writer->bad == SHUF_OK && size == 1 && bytes.length > 255)
        writer->bad = SHUF_MALFORMED;
    shuf_write_number(writer, bytes.length, size);
    shuf_write(writer, bytes.data, bytes.length);
}

static inline shuf_result shuf_writer_end(const shuf_writer *writer, size_t *length)
{
    *length = writer->length;
    return writer->bad;
}

/* ---------------------------------------------------------------------------------------------------------- SHA-256 */

typedef struct {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t length;
} shuf_sha256;

static inline uint32_t shuf_rotate(uint32_t word, unsigned by)
{
    return word >> by | word << (32u - by);
}

static inline void shuf_sha256_block(shuf_sha256 *sha)
{
    static const uint32_t k[64] = {
        0x428A2F98u, 0x71374491u, 0xB5C0FBCFu, 0xE9B5DBA5u, 0x3956C25Bu, 0x59F111F1u, 0x923F82A4u, 0xAB1C5ED5u,
        0xD807AA98u, 0x12835B01u, 0x243185BEu, 0x550C7DC3u, 0x72BE5D74u, 0x80DEB1FEu, 0x9BDC06A7u, 0xC19BF174u,
        0xE49B69C1u, 0xEFBE4786u, 0x0FC19DC6u, 0x240CA1CCu, 0x2DE92C6Fu, 0x4A7484AAu, 0x5CB0A9DCu, 0x76F988DAu,
        0x983E5152u, 0xA831C66Du, 0xB00327C8u, 0xBF597FC7u, 0xC6E00BF3u, 0xD5A79147u, 0x06CA6351u, 0x14292967u,
        0x27B70A85u, 0x2E1B2138u, 0x4D2C6DFCu, 0x53380D13u, 0x650A7354u, 0x766A0ABBu, 0x81C2C92Eu, 0x92722C85u,
        0xA2BFE8A1u, 0xA81A664Bu, 0xC24B8B70u, 0xC76C51A3u, 0xD192E819u, 0xD6990624u, 0xF40E3585u, 0x106AA070u,
        0x19A4C116u, 0x1E376C08u, 0x2748774Cu, 0x34B0BCB5u, 0x391C0CB3u, 0x4ED8AA4Au, 0x5B9CCA4Fu, 0x682E6FF3u,
        0x748F82EEu, 0x78A5636Fu, 0x84C87814u, 0x8CC70208u, 0x90BEFFFAu, 0xA4506CEBu, 0xBEF9A3F7u, 0xC67178F2u
    };
    uint32_t w[64], v[8];
    size_t i;
    for (i = 0; i < 16; i++)
        w[i] = (uint32_t)sha->block[4 * i] << 24 | (uint32_t)sha->block[4 * i + 1] << 16
             | (uint32_t)sha->block[4 * i + 2] << 8 | sha->block[4 * i + 3];
    for (i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (shuf_rotate(a, 7) ^ shuf_rotate(a, 18) ^ a >> 3) + w[i - 7]
             + (shuf_rotate(b, 17) ^ shuf_rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, sha->state, sizeof v);
    for (i = 0; i < 64; i++) {
        uint32_t s1 = shuf_rotate(v[4], 6) ^ shuf_rotate(v[4], 11) ^ shuf_rotate(v[4], 25);
        uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t s0 = shuf_rotate(v[0], 2) ^ shuf_rotate(v[0], 13) ^ shuf_rotate(v[0], 22);
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (i = 0; i < 8; i++)
        sha->state[i] += v[i];
}

static inline void shuf_sha256_start(shuf_sha256 *sha)
{
    static const uint32_t first[8] = { 0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au,
                                       0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u };
    memcpy(sha->state, first, sizeof first);
    sha->length = 0;
}

static inline void shuf_sha256_add(shuf_sha256 *sha, const void *data, size_t length)
{
    const uint8_t *at = (const uint8_t *)data;
    while (length > 0) {
        size_t used = (size_t)(sha->length % 64), room = 64 - used, taken = length < room ? length : room;
        memcpy(sha->block + used, at, taken);
        at += taken;
        length -= taken;
        sha->length += taken;
        if (taken == room)
            shuf_sha256_block(sha);
    }
}

static inline void shuf_sha256_end(shuf_sha256 *sha, uint8_t out[32])
{
    static const uint8_t pad[64] = { 0x80 };
    uint64_t bits = sha->length * 8;
    uint8_t tail[8];
    size_t i, used = (size_t)(sha->length % 64);
    for (i = 0; i < 8; i++)
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    shuf_sha256_add(sha, pad, used < 56 ? 56 - used : 120 - used);
    shuf_sha256_add(sha, tail, sizeof tail);
    for (i = 0; i < 32; i++)
        out[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ------------------------------------------------------------------------------------------------------------- HMAC */

typedef struct {
    shuf_sha256 inner;
    uint8_t outer[64];
} shuf_hmac;

/* `key` has 32 bytes. */
static inline void shuf_hmac_start(shuf_hmac *hmac, const uint8_t key[32])
{
    uint8_t inner[64];
    size_t i;
    for (i = 0; i < 64; i++) {
        uint8_t byte = i < 32 ? key[i] : 0;
        inner[i] = (uint8_t)(byte ^ 0x36u);
        hmac->outer[i] = (uint8_t)(byte ^ 0x5Cu);
    }
    shuf_sha256_start(&hmac->inner);
    shuf_sha256_add(&hmac->inner, inner, sizeof inner);
}

static inline void shuf_hmac_end(shuf_hmac *hmac, uint8_t out[32])
{
    shuf_sha256 outer;
    shuf_sha256_end(&hmac->inner, out);
    shuf_sha256_start(&outer);
    shuf_sha256_add(&outer, hmac->outer, sizeof hmac->outer);
    shuf_sha256_add(&outer, out, 32);
    shuf_sha256_end(&outer, out);
}

/* ------------------------------------------------------------------------------------------------------------ roles */

#define SHUF_ROLE_DOMAIN "shuffler-bench/role/1" /* with its terminating zero */

/* R-1: a role's key from its secret words. */
static inline void shuf_role_key(const char *words, uint8_t key[32])
{
    shuf_sha256 sha;
    shuf_sha256_start(&sha);
    shuf_sha256_add(&sha, SHUF_ROLE_DOMAIN, sizeof SHUF_ROLE_DOMAIN);
    shuf_sha256_add(&sha, words, strlen(words));
    shuf_sha256_end(&sha, key);
}

/* R-1: the answer to a challenge, for ProveRole. */
static inline void shuf_role_proof(const uint8_t key[32], shuf_bytes serial, uint32_t session, uint8_t role,
                                   const uint8_t nonce[32], uint8_t proof[32])
{
    shuf_hmac hmac;
    uint8_t tail[6] = { 0 };
    shuf_put_u32(tail + 1, session);
    tail[5] = role;
    shuf_hmac_start(&hmac, key);
    shuf_sha256_add(&hmac.inner, SHUF_ROLE_DOMAIN, sizeof SHUF_ROLE_DOMAIN);
    shuf_sha256_add(&hmac.inner, serial.data, serial.length);
    shuf_sha256_add(&hmac.inner, tail, sizeof tail);
    shuf_sha256_add(&hmac.inner, nonce, 32);
    shuf_hmac_end(&hmac, proof);
}

/* -------------------------------------------------------------------------------------------------- packed heads */

#pragma pack(push, 1)

#define SHUF_OPENING_HEAD_SIZE 2
typedef struct {
    uint16_t first;
} shuf_opening_head;

#define SHUF_GAME_ENTRY_HEAD_SIZE 7
typedef struct {
    uint8_t game;
    uint8_t cards_per_group;
    uint8_t dealer_cards;
    uint8_t groups;
    uint8_t dealer_first;
    uint16_t deck_cards;
} shuf_game_entry_head;

#define SHUF_LOG_LINE_HEAD_SIZE 44
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint8_t hash[32];
} shuf_log_line_head;

#define SHUF_HELLO_HEAD_SIZE 57
typedef struct {
    uint8_t version_min;
    uint8_t version_max;
    uint32_t must;
    uint32_t may;
    uint8_t window;
    uint16_t max_body;
    uint8_t fingerprint[8];
    uint8_t instance[16];
    uint32_t next_request;
    uint8_t nonce[16];
} shuf_hello_head;

#define SHUF_WELCOME_HEAD_SIZE 73
typedef struct {
    uint8_t version;
    uint32_t capabilities;
    uint8_t window;
    uint16_t max_body;
    uint16_t heartbeat_ms;
    uint8_t fingerprint[8];
    uint64_t epoch;
    uint32_t boots;
    uint32_t last_event;
    uint32_t acknowledged_event;
    uint16_t command_memory;
    uint8_t known_instance;
    uint8_t host_nonce[16];
    uint8_t nonce[16];
} shuf_welcome_head;

#define SHUF_RESET_HEAD_SIZE 1
typedef struct {
    uint8_t reason;
} shuf_reset_head;

#define SHUF_ACK_HEAD_SIZE 2
typedef struct {
    uint16_t early;
} shuf_ack_head;

#define SHUF_HEARTBEAT_HEAD_SIZE 12
typedef struct {
    uint64_t uptime_ms;
    uint32_t last_event;
} shuf_heartbeat_head;

#define SHUF_ERROR_HEAD_SIZE 2
typedef struct {
    uint16_t code;
} shuf_error_head;

#define SHUF_ASK_FATE_HEAD_SIZE 4
typedef struct {
    uint32_t command;
} shuf_ask_fate_head;

#define SHUF_FATE_TOLD_HEAD_SIZE 7
typedef struct {
    uint32_t command;
    uint8_t fate;
    uint16_t code;
} shuf_fate_told_head;

#define SHUF_INFO_HEAD_SIZE 6
typedef struct {
    uint16_t flags;
    uint8_t commits;
    uint8_t decks;
    uint16_t deck_cards;
} shuf_info_head;

#define SHUF_STATUS_HEAD_SIZE 24
typedef struct {
    uint8_t power;
    uint8_t infeed;
    uint8_t deal;
    uint8_t round_state;
    uint8_t fault;
    uint8_t mode;
    uint8_t fault_code;
    uint8_t game;
    uint32_t round;
    uint8_t group;
    uint8_t groups;
    uint32_t shuffle;
    uint8_t door_open;
    uint8_t role;
    uint32_t last_event;
} shuf_status_head;

#define SHUF_SELF_TEST_RESULT_HEAD_SIZE 2
typedef struct {
    uint8_t passed;
    uint8_t fault;
} shuf_self_test_result_head;

#define SHUF_VERIFY_HEAD_SIZE 32
typedef struct {
    uint8_t challenge[32];
} shuf_verify_head;

#define SHUF_VERIFIED_HEAD_SIZE 34
typedef struct {
    uint8_t digest[32];
    uint16_t files;
} shuf_verified_head;

#define SHUF_SET_TIME_HEAD_SIZE 8
typedef struct {
    uint64_t unix_ms;
} shuf_set_time_head;

#define SHUF_TIME_HEAD_SIZE 16
typedef struct {
    uint64_t uptime_ms;
    uint64_t unix_ms;
} shuf_time_head;

#define SHUF_COUNTERS_HEAD_SIZE 68
typedef struct {
    uint32_t shuffles;
    uint32_t rounds;
    uint32_t groups;
    uint64_t cards;
    uint32_t misdeals;
    uint32_t faults;
    uint32_t power_ups;
    uint32_t log_length;
    uint8_t log_head[32];
} shuf_counters_head;

#define SHUF_GAMES_HEAD_SIZE 1
typedef struct {
    uint8_t selected;
} shuf_games_head;

#define SHUF_SELECT_GAME_HEAD_SIZE 1
typedef struct {
    uint8_t game;
} shuf_select_game_head;

#define SHUF_SHUFFLE_HEAD_SIZE 16
typedef struct {
    uint8_t nonce[16];
} shuf_shuffle_head;

#define SHUF_STUB_HEAD_SIZE 4
typedef struct {
    uint32_t shuffle;
} shuf_stub_head;

#define SHUF_BEGIN_ROUND_HEAD_SIZE 6
typedef struct {
    uint32_t round;
    uint16_t seats;
} shuf_begin_round_head;

#define SHUF_DEAL_GROUP_HEAD_SIZE 5
typedef struct {
    uint32_t round;
    uint8_t groups;
} shuf_deal_group_head;

#define SHUF_CLOSE_DECISIONS_HEAD_SIZE 4
typedef struct {
    uint32_t round;
} shuf_close_decisions_head;

#define SHUF_VOID_ROUND_HEAD_SIZE 4
typedef struct {
    uint32_t round;
} shuf_void_round_head;

#define SHUF_RECALL_HAND_HEAD_SIZE 5
typedef struct {
    uint32_t round;
    uint8_t seat;
} shuf_recall_hand_head;

#define SHUF_RECALLED_HAND_HEAD_SIZE 9
typedef struct {
    uint32_t round;
    uint8_t seat;
    uint32_t shuffle;
} shuf_recalled_hand_head;

#define SHUF_ACK_EVENTS_HEAD_SIZE 4
typedef struct {
    uint32_t upto;
} shuf_ack_events_head;

#define SHUF_READ_LOG_HEAD_SIZE 5
typedef struct {
    uint32_t after;
    uint8_t limit;
} shuf_read_log_head;

#define SHUF_LOG_PAGE_HEAD_SIZE 4
typedef struct {
    uint32_t length;
} shuf_log_page_head;

#define SHUF_NOTE_HEAD_HEAD_SIZE 56
typedef struct {
    uint8_t journal[16];
    uint64_t record;
    uint8_t hash[32];
} shuf_note_head_head;

#define SHUF_ASK_CHALLENGE_HEAD_SIZE 1
typedef struct {
    uint8_t role;
} shuf_ask_challenge_head;

#define SHUF_CHALLENGE_HEAD_SIZE 33
typedef struct {
    uint8_t role;
    uint8_t nonce[32];
} shuf_challenge_head;

#define SHUF_PROVE_ROLE_HEAD_SIZE 33
typedef struct {
    uint8_t role;
    uint8_t proof[32];
} shuf_prove_role_head;

#define SHUF_CLEAR_FAULT_HEAD_SIZE 1
typedef struct {
    uint8_t code;
} shuf_clear_fault_head;

#define SHUF_SERVICE_MODE_HEAD_SIZE 1
typedef struct {
    uint8_t on;
} shuf_service_mode_head;

#define SHUF_READ_RANDOM_HEAD_SIZE 2
typedef struct {
    uint16_t count;
} shuf_read_random_head;

#define SHUF_POWERED_UP_HEAD_SIZE 22
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t boots;
    uint8_t cause;
    uint8_t interrupted;
    uint32_t round;
} shuf_powered_up_head;

#define SHUF_DECK_LOADED_HEAD_SIZE 14
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint16_t count;
} shuf_deck_loaded_head;

#define SHUF_SHUFFLE_PROGRESSED_HEAD_SIZE 16
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint16_t done;
    uint16_t total;
} shuf_shuffle_progressed_head;

#define SHUF_SHUFFLE_COMPLETED_HEAD_SIZE 70
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t shuffle;
    uint16_t count;
    uint8_t game;
    uint8_t kind;
    uint16_t flags;
    uint8_t nonce[16];
    uint8_t root[32];
} shuf_shuffle_completed_head;

#define SHUF_DECK_SORTED_HEAD_SIZE 14
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint16_t count;
} shuf_deck_sorted_head;

#define SHUF_DECK_VERIFIED_HEAD_SIZE 15
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint16_t count;
    uint8_t complete;
} shuf_deck_verified_head;

#define SHUF_GROUP_READY_HEAD_SIZE 19
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint8_t group;
    uint8_t seat;
    uint8_t count;
} shuf_group_ready_head;

#define SHUF_GROUP_REMOVED_HEAD_SIZE 24
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint8_t group;
    uint8_t seat;
    uint8_t count;
    uint32_t shuffle;
    uint8_t withheld;
} shuf_group_removed_head;

#define SHUF_HAND_DISCLOSED_HEAD_SIZE 22
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint8_t group;
    uint8_t seat;
    uint32_t shuffle;
} shuf_hand_disclosed_head;

#define SHUF_CARD_EXPOSED_HEAD_SIZE 18
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint8_t group;
    uint8_t seat;
} shuf_card_exposed_head;

#define SHUF_STUB_READY_HEAD_SIZE 18
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint16_t count;
} shuf_stub_ready_head;

#define SHUF_STUB_REMOVED_HEAD_SIZE 18
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint16_t count;
} shuf_stub_removed_head;

#define SHUF_FAULT_RAISED_HEAD_SIZE 16
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint8_t code;
    uint8_t place;
    uint16_t detail;
} shuf_fault_raised_head;

#define SHUF_FAULT_CLEARED_HEAD_SIZE 14
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint8_t code;
    uint8_t how;
} shuf_fault_cleared_head;

#define SHUF_MISDEALT_HEAD_SIZE 22
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t round;
    uint8_t reason;
    uint8_t group;
    uint16_t expected;
    uint16_t seen;
} shuf_misdealt_head;

#define SHUF_DOOR_MOVED_HEAD_SIZE 13
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint8_t open;
} shuf_door_moved_head;

#define SHUF_MODE_CHANGED_HEAD_SIZE 13
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint8_t mode;
} shuf_mode_changed_head;

#define SHUF_COUNTERS_REPORTED_HEAD_SIZE 64
typedef struct {
    uint32_t number;
    uint64_t time_ms;
    uint32_t shuffles;
    uint32_t rounds;
    uint32_t misdeals;
    uint32_t faults;
    uint32_t log_length;
    uint8_t log_head[32];
} shuf_counters_reported_head;

#pragma pack(pop)

typedef char shuf_check_opening_head[sizeof(shuf_opening_head) == 2 ? 1 : -1];
typedef char shuf_check_game_entry_head[sizeof(shuf_game_entry_head) == 7 ? 1 : -1];
typedef char shuf_check_log_line_head[sizeof(shuf_log_line_head) == 44 ? 1 : -1];
typedef char shuf_check_hello_head[sizeof(shuf_hello_head) == 57 ? 1 : -1];
typedef char shuf_check_welcome_head[sizeof(shuf_welcome_head) == 73 ? 1 : -1];
typedef char shuf_check_reset_head[sizeof(shuf_reset_head) == 1 ? 1 : -1];
typedef char shuf_check_ack_head[sizeof(shuf_ack_head) == 2 ? 1 : -1];
typedef char shuf_check_heartbeat_head[sizeof(shuf_heartbeat_head) == 12 ? 1 : -1];
typedef char shuf_check_error_head[sizeof(shuf_error_head) == 2 ? 1 : -1];
typedef char shuf_check_ask_fate_head[sizeof(shuf_ask_fate_head) == 4 ? 1 : -1];
typedef char shuf_check_fate_told_head[sizeof(shuf_fate_told_head) == 7 ? 1 : -1];
typedef char shuf_check_info_head[sizeof(shuf_info_head) == 6 ? 1 : -1];
typedef char shuf_check_status_head[sizeof(shuf_status_head) == 24 ? 1 : -1];
typedef char shuf_check_self_test_result_head[sizeof(shuf_self_test_result_head) == 2 ? 1 : -1];
typedef char shuf_check_verify_head[sizeof(shuf_verify_head) == 32 ? 1 : -1];
typedef char shuf_check_verified_head[sizeof(shuf_verified_head) == 34 ? 1 : -1];
typedef char shuf_check_set_time_head[sizeof(shuf_set_time_head) == 8 ? 1 : -1];
typedef char shuf_check_time_head[sizeof(shuf_time_head) == 16 ? 1 : -1];
typedef char shuf_check_counters_head[sizeof(shuf_counters_head) == 68 ? 1 : -1];
typedef char shuf_check_games_head[sizeof(shuf_games_head) == 1 ? 1 : -1];
typedef char shuf_check_select_game_head[sizeof(shuf_select_game_head) == 1 ? 1 : -1];
typedef char shuf_check_shuffle_head[sizeof(shuf_shuffle_head) == 16 ? 1 : -1];
typedef char shuf_check_stub_head[sizeof(shuf_stub_head) == 4 ? 1 : -1];
typedef char shuf_check_begin_round_head[sizeof(shuf_begin_round_head) == 6 ? 1 : -1];
typedef char shuf_check_deal_group_head[sizeof(shuf_deal_group_head) == 5 ? 1 : -1];
typedef char shuf_check_close_decisions_head[sizeof(shuf_close_decisions_head) == 4 ? 1 : -1];
typedef char shuf_check_void_round_head[sizeof(shuf_void_round_head) == 4 ? 1 : -1];
typedef char shuf_check_recall_hand_head[sizeof(shuf_recall_hand_head) == 5 ? 1 : -1];
typedef char shuf_check_recalled_hand_head[sizeof(shuf_recalled_hand_head) == 9 ? 1 : -1];
typedef char shuf_check_ack_events_head[sizeof(shuf_ack_events_head) == 4 ? 1 : -1];
typedef char shuf_check_read_log_head[sizeof(shuf_read_log_head) == 5 ? 1 : -1];
typedef char shuf_check_log_page_head[sizeof(shuf_log_page_head) == 4 ? 1 : -1];
typedef char shuf_check_note_head_head[sizeof(shuf_note_head_head) == 56 ? 1 : -1];
typedef char shuf_check_ask_challenge_head[sizeof(shuf_ask_challenge_head) == 1 ? 1 : -1];
typedef char shuf_check_challenge_head[sizeof(shuf_challenge_head) == 33 ? 1 : -1];
typedef char shuf_check_prove_role_head[sizeof(shuf_prove_role_head) == 33 ? 1 : -1];
typedef char shuf_check_clear_fault_head[sizeof(shuf_clear_fault_head) == 1 ? 1 : -1];
typedef char shuf_check_service_mode_head[sizeof(shuf_service_mode_head) == 1 ? 1 : -1];
typedef char shuf_check_read_random_head[sizeof(shuf_read_random_head) == 2 ? 1 : -1];
typedef char shuf_check_powered_up_head[sizeof(shuf_powered_up_head) == 22 ? 1 : -1];
typedef char shuf_check_deck_loaded_head[sizeof(shuf_deck_loaded_head) == 14 ? 1 : -1];
typedef char shuf_check_shuffle_progressed_head[sizeof(shuf_shuffle_progressed_head) == 16 ? 1 : -1];
typedef char shuf_check_shuffle_completed_head[sizeof(shuf_shuffle_completed_head) == 70 ? 1 : -1];
typedef char shuf_check_deck_sorted_head[sizeof(shuf_deck_sorted_head) == 14 ? 1 : -1];
typedef char shuf_check_deck_verified_head[sizeof(shuf_deck_verified_head) == 15 ? 1 : -1];
typedef char shuf_check_group_ready_head[sizeof(shuf_group_ready_head) == 19 ? 1 : -1];
typedef char shuf_check_group_removed_head[sizeof(shuf_group_removed_head) == 24 ? 1 : -1];
typedef char shuf_check_hand_disclosed_head[sizeof(shuf_hand_disclosed_head) == 22 ? 1 : -1];
typedef char shuf_check_card_exposed_head[sizeof(shuf_card_exposed_head) == 18 ? 1 : -1];
typedef char shuf_check_stub_ready_head[sizeof(shuf_stub_ready_head) == 18 ? 1 : -1];
typedef char shuf_check_stub_removed_head[sizeof(shuf_stub_removed_head) == 18 ? 1 : -1];
typedef char shuf_check_fault_raised_head[sizeof(shuf_fault_raised_head) == 16 ? 1 : -1];
typedef char shuf_check_fault_cleared_head[sizeof(shuf_fault_cleared_head) == 14 ? 1 : -1];
typedef char shuf_check_misdealt_head[sizeof(shuf_misdealt_head) == 22 ? 1 : -1];
typedef char shuf_check_door_moved_head[sizeof(shuf_door_moved_head) == 13 ? 1 : -1];
typedef char shuf_check_mode_changed_head[sizeof(shuf_mode_changed_head) == 13 ? 1 : -1];
typedef char shuf_check_counters_reported_head[sizeof(shuf_counters_reported_head) == 64 ? 1 : -1];

/* ------------------------------------------------------------------------------------------------------- records */

/* One Opening. */
typedef struct {
    uint16_t first; /* position of the first card in the dealt order, from 0 */
    shuf_bytes cards; /* card codes in dealt order; empty if the device reads no faces */
    shuf_bytes places; /* if it reads no faces: the place in the feed, from 0, of each card */
    shuf_bytes salts; /* 32 bytes for each card, in the same order */
    shuf_bytes proof; /* sibling hashes, 32 bytes each, level by level from the leaves, left before right */
} shuf_opening;

static inline void shuf_opening_take(shuf_cursor *cursor, shuf_opening *out)
{
    out->first = shuf_take_u16(cursor);
    out->cards = shuf_take_bytes(cursor, shuf_take_u16(cursor));
    out->places = shuf_take_bytes(cursor, shuf_take_u16(cursor));
    out->salts = shuf_take_bytes(cursor, shuf_take_u16(cursor));
    out->proof = shuf_take_bytes(cursor, shuf_take_u16(cursor));
}

/* One GameEntry. */
typedef struct {
    uint8_t game; /* its number for SelectGame */
    uint8_t cards_per_group; /* cards in a player's group */
    uint8_t dealer_cards; /* cards in the dealer's group */
    uint8_t groups; /* maximum number of player groups in a round */
    uint8_t dealer_first; /* whether the dealer's group comes before the players': 0 or 1 */
    uint16_t deck_cards; /* cards in one deck */
    shuf_bytes name; /* for people; UTF-8 */
} shuf_game_entry;

static inline void shuf_game_entry_take(shuf_cursor *cursor, shuf_game_entry *out)
{
    out->game = shuf_take_u8(cursor);
    out->cards_per_group = shuf_take_u8(cursor);
    out->dealer_cards = shuf_take_u8(cursor);
    out->groups = shuf_take_u8(cursor);
    out->dealer_first = shuf_take_u8(cursor);
    cursor->bad |= out->dealer_first > 1;
    out->deck_cards = shuf_take_u16(cursor);
    out->name = shuf_take_text(cursor, shuf_take_u8(cursor));
}

/* One LogLine. */
typedef struct {
    uint32_t number; /* line number, from 1 */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint8_t hash[32]; /* chains this line to the previous one */
    shuf_bytes text; /* for people; UTF-8 */
} shuf_log_line;

static inline void shuf_log_line_take(shuf_cursor *cursor, shuf_log_line *out)
{
    out->number = shuf_take_u32(cursor);
    out->time_ms = shuf_take_u64(cursor);
    shuf_take_fixed(cursor, out->hash, 32);
    out->text = shuf_take_text(cursor, shuf_take_u8(cursor));
}

/* ------------------------------------------------------------------------------------------------------ messages */

/* 0x01 Hello, host -> device: Opens a session: versions, capabilities and the host's instance. */
typedef struct {
    uint8_t version_min; /* lowest protocol version that the host supports */
    uint8_t version_max; /* highest protocol version that the host supports */
    uint32_t must; /* capabilities that the host requires: enum shuf_capability */
    uint32_t may; /* capabilities that the host can use: enum shuf_capability */
    uint8_t window; /* frames that the host accepts unacknowledged */
    uint16_t max_body; /* longest body that the host accepts */
    uint8_t fingerprint[8]; /* fingerprint of the host's catalogue */
    uint8_t instance[16]; /* 16 random bytes that identify the host's request numbering */
    uint32_t next_request; /* lowest request id that was not used before this hello */
    uint8_t nonce[16]; /* 16 random bytes, new in each hello */
    shuf_bytes ephemeral; /* X25519 public key (32 bytes) in secure mode, else empty */
} shuf_hello;

static inline shuf_result shuf_hello_decode(shuf_hello *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->version_min = shuf_take_u8(&cursor);
    out->version_max = shuf_take_u8(&cursor);
    out->must = shuf_take_u32(&cursor);
    out->may = shuf_take_u32(&cursor);
    out->window = shuf_take_u8(&cursor);
    out->max_body = shuf_take_u16(&cursor);
    shuf_take_fixed(&cursor, out->fingerprint, 8);
    shuf_take_fixed(&cursor, out->instance, 16);
    out->next_request = shuf_take_u32(&cursor);
    shuf_take_fixed(&cursor, out->nonce, 16);
    out->ephemeral = shuf_take_bytes(&cursor, shuf_take_u8(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x02 Welcome, device -> host: Accepts a hello. The frame's header carries the number of the new session. */
typedef struct {
    uint8_t version; /* protocol version of this session */
    uint32_t capabilities; /* capabilities that both ends have: enum shuf_capability */
    uint8_t window; /* frames that either end may send unacknowledged */
    uint16_t max_body; /* longest body of this session */
    uint16_t heartbeat_ms; /* an end that has sent nothing for this long sends a heartbeat */
    uint8_t fingerprint[8]; /* fingerprint of the device's catalogue */
    uint64_t epoch; /* random number, never 0; changes whenever the event memory is reset */
    uint32_t boots; /* power-ups since manufacture */
    uint32_t last_event; /* number of the newest event */
    uint32_t acknowledged_event; /* newest event that a host has acknowledged */
    uint16_t command_memory; /* number of commands that the device remembers for each instance */
    uint8_t known_instance; /* whether the device remembers commands of the host's instance: 0 or 1 */
    uint8_t host_nonce[16]; /* the nonce of the hello that this welcome answers */
    uint8_t nonce[16]; /* 16 random bytes, new in each welcome */
    shuf_bytes serial; /* serial number of the device; UTF-8 */
    shuf_bytes ephemeral; /* X25519 public key (32 bytes) in secure mode, else empty */
    shuf_bytes proof; /* proof of the key (32 bytes) in secure mode, else empty */
} shuf_welcome;

static inline shuf_result shuf_welcome_decode(shuf_welcome *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->version = shuf_take_u8(&cursor);
    out->capabilities = shuf_take_u32(&cursor);
    out->window = shuf_take_u8(&cursor);
    out->max_body = shuf_take_u16(&cursor);
    out->heartbeat_ms = shuf_take_u16(&cursor);
    shuf_take_fixed(&cursor, out->fingerprint, 8);
    out->epoch = shuf_take_u64(&cursor);
    out->boots = shuf_take_u32(&cursor);
    out->last_event = shuf_take_u32(&cursor);
    out->acknowledged_event = shuf_take_u32(&cursor);
    out->command_memory = shuf_take_u16(&cursor);
    out->known_instance = shuf_take_u8(&cursor);
    cursor.bad |= out->known_instance > 1;
    shuf_take_fixed(&cursor, out->host_nonce, 16);
    shuf_take_fixed(&cursor, out->nonce, 16);
    out->serial = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    out->ephemeral = shuf_take_bytes(&cursor, shuf_take_u8(&cursor));
    out->proof = shuf_take_bytes(&cursor, shuf_take_u8(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x03 Reset, both ways: Ends or refuses a session. */
typedef struct {
    uint8_t reason; /* reason: enum shuf_reset_reason */
    shuf_bytes text; /* for people; UTF-8 */
} shuf_reset;

static inline shuf_result shuf_reset_decode(shuf_reset *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->reason = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_reset_reason_known(out->reason);
    out->text = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x04 Ack, both ways: Acknowledges frames when there is nothing else to send, and reports frames that arrived early. */
typedef struct {
    uint16_t early; /* bit n: frame `acknowledge` + 2 + n has arrived; 0 if no frame is missing */
} shuf_ack;

static inline shuf_result shuf_ack_decode(shuf_ack *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->early = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x05 Heartbeat, both ways: Shows that the sender is alive. After three intervals of silence the link is down. */
typedef struct {
    uint64_t uptime_ms; /* milliseconds since the sender started */
    uint32_t last_event; /* device: newest event; host: newest event that it has stored */
} shuf_heartbeat;

static inline shuf_result shuf_heartbeat_decode(shuf_heartbeat *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->uptime_ms = shuf_take_u64(&cursor);
    out->last_event = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x80 Done, device -> host: The command was executed or, if it moves cards, started. Events report the rest. No fields. */
static inline shuf_result shuf_done_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x81 Error, device -> host: The command was refused and had no effect. */
typedef struct {
    uint16_t code; /* reason: enum shuf_error_code */
    shuf_bytes text; /* for people; UTF-8 */
} shuf_error;

static inline shuf_result shuf_error_decode(shuf_error *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->code = shuf_take_u16(&cursor);
    cursor.bad |= !shuf_error_code_known(out->code);
    out->text = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x0F AskFate, host -> device: Asks for the outcome of a command whose answer was lost. If the device has not executed it yet, it never will. */
typedef struct {
    uint32_t command; /* request id of the command */
} shuf_ask_fate;

static inline shuf_result shuf_ask_fate_decode(shuf_ask_fate *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->command = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x8F FateTold, device -> host: Reports the outcome of a command. */
typedef struct {
    uint32_t command; /* request id of the command */
    uint8_t fate; /* outcome: enum shuf_fate */
    uint16_t code; /* ErrorCode if the command was refused, else 0 */
} shuf_fate_told;

static inline shuf_result shuf_fate_told_decode(shuf_fate_told *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->command = shuf_take_u32(&cursor);
    out->fate = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fate_known(out->fate);
    out->code = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x10 GetInfo, host -> device: Asks for identity and kind of the device. No fields. */
static inline shuf_result shuf_get_info_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x90 Info, device -> host: Identity and kind of the device, and whether its shuffles are seeded or rigged. */
typedef struct {
    uint16_t flags; /* kind of device: enum shuf_device_flag */
    uint8_t commits; /* what its shuffles commit to: enum shuf_commit_kind */
    uint8_t decks; /* number of decks that it holds */
    uint16_t deck_cards; /* cards in one deck of the selected game */
    shuf_bytes model; /* model name; UTF-8 */
    shuf_bytes serial; /* serial number of the device; UTF-8 */
    shuf_bytes firmware; /* firmware version; UTF-8 */
    shuf_bytes profile; /* name of the device profile; UTF-8 */
} shuf_info;

static inline shuf_result shuf_info_decode(shuf_info *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->flags = shuf_take_u16(&cursor);
    out->commits = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_commit_kind_known(out->commits);
    out->decks = shuf_take_u8(&cursor);
    out->deck_cards = shuf_take_u16(&cursor);
    out->model = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    out->serial = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    out->firmware = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    out->profile = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x11 GetStatus, host -> device: Asks for the current state of the device. No fields. */
static inline shuf_result shuf_get_status_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x91 Status, device -> host: The current state of the device. It never contains a card. */
typedef struct {
    uint8_t power; /* power: enum shuf_power_state */
    uint8_t infeed; /* the next deck: enum shuf_infeed_state */
    uint8_t deal; /* the deck in play: enum shuf_deal_state */
    uint8_t round_state; /* the round: enum shuf_round_state */
    uint8_t fault; /* whether a fault is active: enum shuf_fault_state */
    uint8_t mode; /* mode: enum shuf_mode */
    uint8_t fault_code; /* the active fault: enum shuf_fault_code */
    uint8_t game; /* number of the selected game */
    uint32_t round; /* number of the newest round */
    uint8_t group; /* groups removed so far in this round */
    uint8_t groups; /* groups in this round */
    uint32_t shuffle; /* number of the shuffle in play, 0 for none */
    uint8_t door_open; /* whether the door is open: 0 or 1 */
    uint8_t role; /* role that this session has proved: enum shuf_role */
    uint32_t last_event; /* number of the newest event */
} shuf_status;

static inline shuf_result shuf_status_decode(shuf_status *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->power = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_power_state_known(out->power);
    out->infeed = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_infeed_state_known(out->infeed);
    out->deal = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_deal_state_known(out->deal);
    out->round_state = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_round_state_known(out->round_state);
    out->fault = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fault_state_known(out->fault);
    out->mode = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_mode_known(out->mode);
    out->fault_code = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fault_code_known(out->fault_code);
    out->game = shuf_take_u8(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->group = shuf_take_u8(&cursor);
    out->groups = shuf_take_u8(&cursor);
    out->shuffle = shuf_take_u32(&cursor);
    out->door_open = shuf_take_u8(&cursor);
    cursor.bad |= out->door_open > 1;
    out->role = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_role_known(out->role);
    out->last_event = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x12 SelfTest, host -> device: Runs the self-test. Refused while cards are moving. No fields. */
static inline shuf_result shuf_self_test_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x92 SelfTestResult, device -> host: The result of the self-test. */
typedef struct {
    uint8_t passed; /* whether every part passed: 0 or 1 */
    uint8_t fault; /* first fault found: enum shuf_fault_code */
    shuf_bytes text; /* for people; UTF-8 */
} shuf_self_test_result;

static inline shuf_result shuf_self_test_result_decode(shuf_self_test_result *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->passed = shuf_take_u8(&cursor);
    cursor.bad |= out->passed > 1;
    out->fault = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fault_code_known(out->fault);
    out->text = shuf_take_text(&cursor, shuf_take_u8(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x13 Verify, host -> device: Asks for a keyed digest of the device's program and profile. */
typedef struct {
    uint8_t challenge[32]; /* 32 bytes that were never used before */
} shuf_verify;

static inline shuf_result shuf_verify_decode(shuf_verify *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    shuf_take_fixed(&cursor, out->challenge, 32);
    return shuf_cursor_end(&cursor);
}

/* 0x93 Verified, device -> host: The digest for a challenge. */
typedef struct {
    uint8_t digest[32]; /* HMAC-SHA-256 over the device's program and profile, keyed by the challenge */
    uint16_t files; /* number of files covered */
} shuf_verified;

static inline shuf_result shuf_verified_decode(shuf_verified *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    shuf_take_fixed(&cursor, out->digest, 32);
    out->files = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x14 SetTime, host -> device: Sets the device's calendar. Event times are unaffected: they follow the device's own clock. */
typedef struct {
    uint64_t unix_ms; /* calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set */
} shuf_set_time;

static inline shuf_result shuf_set_time_decode(shuf_set_time *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->unix_ms = shuf_take_u64(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x94 Time, device -> host: The device's clock and calendar. */
typedef struct {
    uint64_t uptime_ms; /* milliseconds since the sender started */
    uint64_t unix_ms; /* calendar time in milliseconds since 1970-01-01T00:00Z; 0 if it was never set */
} shuf_time;

static inline shuf_result shuf_time_decode(shuf_time *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->uptime_ms = shuf_take_u64(&cursor);
    out->unix_ms = shuf_take_u64(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x15 GetCounters, host -> device: Asks for the meters. No fields. */
static inline shuf_result shuf_get_counters_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x95 Counters, device -> host: The meters since manufacture, and the head of the hash-chained log. */
typedef struct {
    uint32_t shuffles; /* decks shuffled */
    uint32_t rounds; /* rounds begun */
    uint32_t groups; /* groups delivered */
    uint64_t cards; /* cards moved */
    uint32_t misdeals; /* rounds voided */
    uint32_t faults; /* faults raised */
    uint32_t power_ups; /* power-ups */
    uint32_t log_length; /* number of lines in the log */
    uint8_t log_head[32]; /* hash of the log's last line: reveals a truncated log */
} shuf_counters;

static inline shuf_result shuf_counters_decode(shuf_counters *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->shuffles = shuf_take_u32(&cursor);
    out->rounds = shuf_take_u32(&cursor);
    out->groups = shuf_take_u32(&cursor);
    out->cards = shuf_take_u64(&cursor);
    out->misdeals = shuf_take_u32(&cursor);
    out->faults = shuf_take_u32(&cursor);
    out->power_ups = shuf_take_u32(&cursor);
    out->log_length = shuf_take_u32(&cursor);
    shuf_take_fixed(&cursor, out->log_head, 32);
    return shuf_cursor_end(&cursor);
}

/* 0x20 ListGames, host -> device: Asks for the game menu. No fields. */
static inline shuf_result shuf_list_games_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0xA0 Games, device -> host: The game menu and the selected game. */
typedef struct {
    uint8_t selected; /* number of the selected game */
    shuf_list games; /* the menu: shuf_game_entry each */
} shuf_games;

static inline shuf_result shuf_games_decode(shuf_games *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->selected = shuf_take_u8(&cursor);
    {
        shuf_game_entry item;
        size_t i;
        out->games.count = shuf_take_u8(&cursor);
        out->games.data = cursor.at;
        for (i = 0; i < out->games.count && !cursor.bad; i++)
            shuf_game_entry_take(&cursor, &item);
        out->games.length = cursor.bad ? 0 : (size_t)(cursor.at - out->games.data);
    }
    return shuf_cursor_end(&cursor);
}

/* 0x21 SelectGame, host -> device: Selects a game of the menu. Refused while a round is open. */
typedef struct {
    uint8_t game; /* its number in the menu */
} shuf_select_game;

static inline shuf_result shuf_select_game_decode(shuf_select_game *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->game = shuf_take_u8(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x28 Load, host -> device: Takes in the cards in the infeed tray. No fields. */
static inline shuf_result shuf_load_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x29 Shuffle, host -> device: Shuffles the loaded deck and commits to its order. */
typedef struct {
    uint8_t nonce[16]; /* 16 random bytes from the host, bound into the commitment */
} shuf_shuffle;

static inline shuf_result shuf_shuffle_decode(shuf_shuffle *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    shuf_take_fixed(&cursor, out->nonce, 16);
    return shuf_cursor_end(&cursor);
}

/* 0x2A Sort, host -> device: Sorts the loaded deck into factory order. A sorted deck can't be dealt. No fields. */
static inline shuf_result shuf_sort_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x2B VerifyDeck, host -> device: Counts and reads the loaded deck without shuffling it. No fields. */
static inline shuf_result shuf_verify_deck_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x2C EjectStub, host -> device: Delivers the rest of the deck in play. No fields. */
static inline shuf_result shuf_eject_stub_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x2D ReadStub, host -> device: Asks for the cards of the stub that was removed last. No fields. */
static inline shuf_result shuf_read_stub_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0xAD Stub, device -> host: The cards of the stub that was removed last. */
typedef struct {
    uint32_t shuffle; /* number of the shuffle that the cards come from */
    shuf_opening opening; /* the cards, with the salts and hashes that open the commitment for them */
} shuf_stub;

static inline shuf_result shuf_stub_decode(shuf_stub *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->shuffle = shuf_take_u32(&cursor);
    shuf_opening_take(&cursor, &out->opening);
    return shuf_cursor_end(&cursor);
}

/* 0x30 BeginRound, host -> device: Opens a round for these seats. */
typedef struct {
    uint32_t round; /* number of the round; higher than that of every earlier round */
    uint16_t seats; /* bit n - 1 for seat n */
} shuf_begin_round;

static inline shuf_result shuf_begin_round_decode(shuf_begin_round *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->round = shuf_take_u32(&cursor);
    out->seats = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x31 DealGroup, host -> device: Delivers the next groups of the round in order, each after the previous one was taken. */
typedef struct {
    uint32_t round; /* the host's number of the round */
    uint8_t groups; /* number of groups; 0 for all that are left */
} shuf_deal_group;

static inline shuf_result shuf_deal_group_decode(shuf_deal_group *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->round = shuf_take_u32(&cursor);
    out->groups = shuf_take_u8(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x32 CloseDecisions, host -> device: Reports that every player has decided. The device then discloses the dealer's cards. */
typedef struct {
    uint32_t round; /* the host's number of the round */
} shuf_close_decisions;

static inline shuf_result shuf_close_decisions_decode(shuf_close_decisions *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->round = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x33 VoidRound, host -> device: Declares a misdeal: no further group is delivered, all cards are returned, recounted and reshuffled. */
typedef struct {
    uint32_t round; /* the host's number of the round */
} shuf_void_round;

static inline shuf_result shuf_void_round_decode(shuf_void_round *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->round = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x34 RecallHand, host -> device: Asks for the cards of a group of an earlier round. */
typedef struct {
    uint32_t round; /* the host's number of the round */
    uint8_t seat; /* seat of the table, from 1 at the dealer's left; 0 is the dealer */
} shuf_recall_hand;

static inline shuf_result shuf_recall_hand_decode(shuf_recall_hand *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->round = shuf_take_u32(&cursor);
    out->seat = shuf_take_u8(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0xB4 RecalledHand, device -> host: The cards of a group of an earlier round. */
typedef struct {
    uint32_t round; /* the host's number of the round */
    uint8_t seat; /* seat of the table, from 1 at the dealer's left; 0 is the dealer */
    uint32_t shuffle; /* number of the shuffle that the cards come from */
    shuf_bytes cards; /* card codes in dealt order; empty if the device reads no faces */
    shuf_bytes places; /* if it reads no faces: the place in the feed, from 0, of each card */
} shuf_recalled_hand;

static inline shuf_result shuf_recalled_hand_decode(shuf_recalled_hand *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->round = shuf_take_u32(&cursor);
    out->seat = shuf_take_u8(&cursor);
    out->shuffle = shuf_take_u32(&cursor);
    out->cards = shuf_take_bytes(&cursor, shuf_take_u16(&cursor));
    out->places = shuf_take_bytes(&cursor, shuf_take_u16(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x38 AckEvents, host -> device: Reports that the host has stored every event up to this number. */
typedef struct {
    uint32_t upto; /* newest stored event; the device may forget it and all earlier ones */
} shuf_ack_events;

static inline shuf_result shuf_ack_events_decode(shuf_ack_events *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->upto = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x39 ReadLog, host -> device: Asks for lines of the device's log. */
typedef struct {
    uint32_t after; /* number of the line before the first one requested */
    uint8_t limit; /* maximum number of lines */
} shuf_read_log;

static inline shuf_result shuf_read_log_decode(shuf_read_log *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->after = shuf_take_u32(&cursor);
    out->limit = shuf_take_u8(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0xB9 LogPage, device -> host: Lines of the log with their chain hashes. */
typedef struct {
    uint32_t length; /* number of lines in the log */
    shuf_list lines; /* the lines; fewer than requested if they would not fit: shuf_log_line each */
} shuf_log_page;

static inline shuf_result shuf_log_page_decode(shuf_log_page *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->length = shuf_take_u32(&cursor);
    {
        shuf_log_line item;
        size_t i;
        out->lines.count = shuf_take_u8(&cursor);
        out->lines.data = cursor.at;
        for (i = 0; i < out->lines.count && !cursor.bad; i++)
            shuf_log_line_take(&cursor, &item);
        out->lines.length = cursor.bad ? 0 : (size_t)(cursor.at - out->lines.data);
    }
    return shuf_cursor_end(&cursor);
}

/* 0x3A NoteHead, host -> device: Writes the newest hash of the host's journal into the log. A journal that is rewritten later is then detected. */
typedef struct {
    uint8_t journal[16]; /* identifies the journal: the host's instance */
    uint64_t record; /* number of the journal's newest record */
    uint8_t hash[32]; /* hash of that record */
} shuf_note_head;

static inline shuf_result shuf_note_head_decode(shuf_note_head *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    shuf_take_fixed(&cursor, out->journal, 16);
    out->record = shuf_take_u64(&cursor);
    shuf_take_fixed(&cursor, out->hash, 32);
    return shuf_cursor_end(&cursor);
}

/* 0x40 AskChallenge, host -> device: Asks for a challenge to prove a role. */
typedef struct {
    uint8_t role; /* the role: enum shuf_role */
} shuf_ask_challenge;

static inline shuf_result shuf_ask_challenge_decode(shuf_ask_challenge *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->role = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_role_known(out->role);
    return shuf_cursor_end(&cursor);
}

/* 0xC0 Challenge, device -> host: The nonce that the host must answer to prove a role. */
typedef struct {
    uint8_t role; /* the role: enum shuf_role */
    uint8_t nonce[32]; /* 32 random bytes, valid for one answer in this session */
} shuf_challenge;

static inline shuf_result shuf_challenge_decode(shuf_challenge *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->role = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_role_known(out->role);
    shuf_take_fixed(&cursor, out->nonce, 32);
    return shuf_cursor_end(&cursor);
}

/* 0x41 ProveRole, host -> device: Proves a role. The session keeps it until it ends or drops the role. */
typedef struct {
    uint8_t role; /* the role: enum shuf_role */
    uint8_t proof[32]; /* answer to the challenge (see Roles) */
} shuf_prove_role;

static inline shuf_result shuf_prove_role_decode(shuf_prove_role *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->role = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_role_known(out->role);
    shuf_take_fixed(&cursor, out->proof, 32);
    return shuf_cursor_end(&cursor);
}

/* 0x42 DropRole, host -> device: Returns to the role dealer. No fields. */
static inline shuf_result shuf_drop_role_decode(const uint8_t *body, size_t length)
{
    (void)body;
    return length == 0 ? SHUF_OK : SHUF_MALFORMED;
}

/* 0x43 ClearFault, host -> device: Reports that the cause of a fault was removed. */
typedef struct {
    uint8_t code; /* the fault: enum shuf_fault_code */
} shuf_clear_fault;

static inline shuf_result shuf_clear_fault_decode(shuf_clear_fault *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->code = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fault_code_known(out->code);
    return shuf_cursor_end(&cursor);
}

/* 0x44 ServiceMode, host -> device: Enters or leaves service mode. */
typedef struct {
    uint8_t on; /* whether to enter service mode: 0 or 1 */
} shuf_service_mode;

static inline shuf_result shuf_service_mode_decode(shuf_service_mode *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->on = shuf_take_u8(&cursor);
    cursor.bad |= out->on > 1;
    return shuf_cursor_end(&cursor);
}

/* 0x45 ReadRandom, host -> device: Asks for raw output of the generator. Possible in service mode only. */
typedef struct {
    uint16_t count; /* number of bytes, at most 1,024 */
} shuf_read_random;

static inline shuf_result shuf_read_random_decode(shuf_read_random *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->count = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0xC5 RandomBytes, device -> host: Raw output of the generator. It is used for nothing else. */
typedef struct {
    shuf_bytes data; /* raw output */
} shuf_random_bytes;

static inline shuf_result shuf_random_bytes_decode(shuf_random_bytes *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->data = shuf_take_bytes(&cursor, shuf_take_u16(&cursor));
    return shuf_cursor_end(&cursor);
}

/* 0x60 PoweredUp, device -> host: The device started. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t boots; /* power-ups since manufacture */
    uint8_t cause; /* reason: enum shuf_power_up_cause */
    uint8_t interrupted; /* what happened to an open round: enum shuf_interrupted */
    uint32_t round; /* number of that round, 0 for none */
} shuf_powered_up;

static inline shuf_result shuf_powered_up_decode(shuf_powered_up *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->boots = shuf_take_u32(&cursor);
    out->cause = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_power_up_cause_known(out->cause);
    out->interrupted = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_interrupted_known(out->interrupted);
    out->round = shuf_take_u32(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x61 DeckLoaded, device -> host: Cards were taken in and counted. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint16_t count; /* cards counted */
} shuf_deck_loaded;

static inline shuf_result shuf_deck_loaded_decode(shuf_deck_loaded *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->count = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x62 ShuffleProgressed, device -> host: Reports the progress of a shuffle. Passing: the device does not keep this event. */
typedef struct {
    uint32_t number; /* always 0 */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint16_t done; /* cards processed */
    uint16_t total; /* cards in the deck */
} shuf_shuffle_progressed;

static inline shuf_result shuf_shuffle_progressed_decode(shuf_shuffle_progressed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->done = shuf_take_u16(&cursor);
    out->total = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x63 ShuffleCompleted, device -> host: A deck was shuffled, counted and committed to. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t shuffle; /* number of the shuffle that the cards come from */
    uint16_t count; /* cards committed to */
    uint8_t game; /* number of the game that it was shuffled for */
    uint8_t kind; /* what the root commits to: enum shuf_commit_kind */
    uint16_t flags; /* SEEDED and RIGGED if they apply to this shuffle; no other bit: enum shuf_device_flag */
    uint8_t nonce[16]; /* the host's nonce, bound into the root */
    uint8_t root[32]; /* root of the commitment */
} shuf_shuffle_completed;

static inline shuf_result shuf_shuffle_completed_decode(shuf_shuffle_completed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->shuffle = shuf_take_u32(&cursor);
    out->count = shuf_take_u16(&cursor);
    out->game = shuf_take_u8(&cursor);
    out->kind = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_commit_kind_known(out->kind);
    out->flags = shuf_take_u16(&cursor);
    shuf_take_fixed(&cursor, out->nonce, 16);
    shuf_take_fixed(&cursor, out->root, 32);
    return shuf_cursor_end(&cursor);
}

/* 0x64 DeckSorted, device -> host: A deck was sorted into factory order. It can't be dealt. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint16_t count; /* cards counted */
} shuf_deck_sorted;

static inline shuf_result shuf_deck_sorted_decode(shuf_deck_sorted *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->count = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x65 DeckVerified, device -> host: A deck was counted and read without shuffling. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint16_t count; /* cards counted */
    uint8_t complete; /* whether it is the complete deck of the selected game: 0 or 1 */
} shuf_deck_verified;

static inline shuf_result shuf_deck_verified_decode(shuf_deck_verified *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->count = shuf_take_u16(&cursor);
    out->complete = shuf_take_u8(&cursor);
    cursor.bad |= out->complete > 1;
    return shuf_cursor_end(&cursor);
}

/* 0x66 GroupReady, device -> host: A group is in the tray. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint8_t group; /* number of the group within the round, from 1 */
    uint8_t seat; /* seat of the table, from 1 at the dealer's left; 0 is the dealer */
    uint8_t count; /* cards in the tray */
} shuf_group_ready;

static inline shuf_result shuf_group_ready_decode(shuf_group_ready *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->group = shuf_take_u8(&cursor);
    out->seat = shuf_take_u8(&cursor);
    out->count = shuf_take_u8(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x67 GroupRemoved, device -> host: A group was taken. Its cards are named unless they are withheld until decisions are closed. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint8_t group; /* number of the group within the round, from 1 */
    uint8_t seat; /* seat of the table, from 1 at the dealer's left; 0 is the dealer */
    uint8_t count; /* cards taken */
    uint32_t shuffle; /* number of the shuffle that the cards come from */
    uint8_t withheld; /* whether HandDisclosed names the cards later; the opening is then empty: 0 or 1 */
    shuf_opening opening; /* the cards, with the salts and hashes that open the commitment for them */
} shuf_group_removed;

static inline shuf_result shuf_group_removed_decode(shuf_group_removed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->group = shuf_take_u8(&cursor);
    out->seat = shuf_take_u8(&cursor);
    out->count = shuf_take_u8(&cursor);
    out->shuffle = shuf_take_u32(&cursor);
    out->withheld = shuf_take_u8(&cursor);
    cursor.bad |= out->withheld > 1;
    shuf_opening_take(&cursor, &out->opening);
    return shuf_cursor_end(&cursor);
}

/* 0x68 HandDisclosed, device -> host: Names the cards of a withheld group after decisions were closed. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint8_t group; /* number of the group within the round, from 1 */
    uint8_t seat; /* seat of the table, from 1 at the dealer's left; 0 is the dealer */
    uint32_t shuffle; /* number of the shuffle that the cards come from */
    shuf_opening opening; /* the cards, with the salts and hashes that open the commitment for them */
} shuf_hand_disclosed;

static inline shuf_result shuf_hand_disclosed_decode(shuf_hand_disclosed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->group = shuf_take_u8(&cursor);
    out->seat = shuf_take_u8(&cursor);
    out->shuffle = shuf_take_u32(&cursor);
    shuf_opening_take(&cursor, &out->opening);
    return shuf_cursor_end(&cursor);
}

/* 0x69 CardExposed, device -> host: A card showed its face during delivery. This is not a misdeal. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint8_t group; /* number of the group within the round, from 1 */
    uint8_t seat; /* seat of the table, from 1 at the dealer's left; 0 is the dealer */
} shuf_card_exposed;

static inline shuf_result shuf_card_exposed_decode(shuf_card_exposed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->group = shuf_take_u8(&cursor);
    out->seat = shuf_take_u8(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x6A StubReady, device -> host: The stub is in the tray. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint16_t count; /* cards left in the deck; 65,535 if a power cut made it unknown */
} shuf_stub_ready;

static inline shuf_result shuf_stub_ready_decode(shuf_stub_ready *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->count = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x6B StubRemoved, device -> host: The stub was taken. Its cards stay secret. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint16_t count; /* cards taken; 65,535 if a power cut made it unknown */
} shuf_stub_removed;

static inline shuf_result shuf_stub_removed_decode(shuf_stub_removed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->count = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x6C FaultRaised, device -> host: A fault stopped the device. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint8_t code; /* the fault: enum shuf_fault_code */
    uint8_t place; /* where it happened: enum shuf_place */
    uint16_t detail; /* a number whose meaning depends on the fault */
} shuf_fault_raised;

static inline shuf_result shuf_fault_raised_decode(shuf_fault_raised *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->code = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fault_code_known(out->code);
    out->place = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_place_known(out->place);
    out->detail = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x6D FaultCleared, device -> host: A fault ended and the device continues. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint8_t code; /* the fault: enum shuf_fault_code */
    uint8_t how; /* how it ended: enum shuf_cleared */
} shuf_fault_cleared;

static inline shuf_result shuf_fault_cleared_decode(shuf_fault_cleared *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->code = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_fault_code_known(out->code);
    out->how = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_cleared_known(out->how);
    return shuf_cursor_end(&cursor);
}

/* 0x6E Misdealt, device -> host: The round is void. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t round; /* the host's number of the round */
    uint8_t reason; /* reason: enum shuf_misdeal_reason */
    uint8_t group; /* number of the group that revealed it, 0 for none */
    uint16_t expected; /* cards expected */
    uint16_t seen; /* cards counted */
} shuf_misdealt;

static inline shuf_result shuf_misdealt_decode(shuf_misdealt *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->round = shuf_take_u32(&cursor);
    out->reason = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_misdeal_reason_known(out->reason);
    out->group = shuf_take_u8(&cursor);
    out->expected = shuf_take_u16(&cursor);
    out->seen = shuf_take_u16(&cursor);
    return shuf_cursor_end(&cursor);
}

/* 0x6F DoorMoved, device -> host: The door was opened or closed. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint8_t open; /* whether it is open: 0 or 1 */
} shuf_door_moved;

static inline shuf_result shuf_door_moved_decode(shuf_door_moved *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->open = shuf_take_u8(&cursor);
    cursor.bad |= out->open > 1;
    return shuf_cursor_end(&cursor);
}

/* 0x70 ModeChanged, device -> host: The device changed its mode. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint8_t mode; /* the new mode: enum shuf_mode */
} shuf_mode_changed;

static inline shuf_result shuf_mode_changed_decode(shuf_mode_changed *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->mode = shuf_take_u8(&cursor);
    cursor.bad |= !shuf_mode_known(out->mode);
    return shuf_cursor_end(&cursor);
}

/* 0x71 CountersReported, device -> host: The meters at the end of a deck, and the head of the log. */
typedef struct {
    uint32_t number; /* event number within the epoch, from 1 without gaps; 0 if the event is not kept */
    uint64_t time_ms; /* device milliseconds since power-up */
    uint32_t shuffles; /* decks shuffled */
    uint32_t rounds; /* rounds begun */
    uint32_t misdeals; /* rounds voided */
    uint32_t faults; /* faults raised */
    uint32_t log_length; /* number of lines in the log */
    uint8_t log_head[32]; /* hash of the log's last line: reveals a truncated log */
} shuf_counters_reported;

static inline shuf_result shuf_counters_reported_decode(shuf_counters_reported *out,
    const uint8_t *body, size_t length)
{
    shuf_cursor cursor = shuf_cursor_over(body, length);
    out->number = shuf_take_u32(&cursor);
    out->time_ms = shuf_take_u64(&cursor);
    out->shuffles = shuf_take_u32(&cursor);
    out->rounds = shuf_take_u32(&cursor);
    out->misdeals = shuf_take_u32(&cursor);
    out->faults = shuf_take_u32(&cursor);
    out->log_length = shuf_take_u32(&cursor);
    shuf_take_fixed(&cursor, out->log_head, 32);
    return shuf_cursor_end(&cursor);
}

/* ------------------------------------------------------------------------------------- bodies that a host writes */

static inline shuf_result shuf_hello_encode(const shuf_hello *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->version_min, 1);
    shuf_write_number(&writer, in->version_max, 1);
    shuf_write_number(&writer, in->must, 4);
    shuf_write_number(&writer, in->may, 4);
    shuf_write_number(&writer, in->window, 1);
    shuf_write_number(&writer, in->max_body, 2);
    shuf_write(&writer, in->fingerprint, 8);
    shuf_write(&writer, in->instance, 16);
    shuf_write_number(&writer, in->next_request, 4);
    shuf_write(&writer, in->nonce, 16);
    shuf_write_bytes(&writer, in->ephemeral, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_reset_encode(const shuf_reset *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->reason, 1);
    shuf_write_bytes(&writer, in->text, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_ack_encode(const shuf_ack *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->early, 2);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_heartbeat_encode(const shuf_heartbeat *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->uptime_ms, 8);
    shuf_write_number(&writer, in->last_event, 4);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_ask_fate_encode(const shuf_ask_fate *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->command, 4);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_verify_encode(const shuf_verify *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write(&writer, in->challenge, 32);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_set_time_encode(const shuf_set_time *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->unix_ms, 8);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_select_game_encode(const shuf_select_game *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->game, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_shuffle_encode(const shuf_shuffle *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write(&writer, in->nonce, 16);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_begin_round_encode(const shuf_begin_round *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->round, 4);
    shuf_write_number(&writer, in->seats, 2);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_deal_group_encode(const shuf_deal_group *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->round, 4);
    shuf_write_number(&writer, in->groups, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_close_decisions_encode(const shuf_close_decisions *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->round, 4);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_void_round_encode(const shuf_void_round *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->round, 4);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_recall_hand_encode(const shuf_recall_hand *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->round, 4);
    shuf_write_number(&writer, in->seat, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_ack_events_encode(const shuf_ack_events *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->upto, 4);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_read_log_encode(const shuf_read_log *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->after, 4);
    shuf_write_number(&writer, in->limit, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_note_head_encode(const shuf_note_head *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write(&writer, in->journal, 16);
    shuf_write_number(&writer, in->record, 8);
    shuf_write(&writer, in->hash, 32);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_ask_challenge_encode(const shuf_ask_challenge *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->role, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_prove_role_encode(const shuf_prove_role *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->role, 1);
    shuf_write(&writer, in->proof, 32);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_clear_fault_encode(const shuf_clear_fault *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->code, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_service_mode_encode(const shuf_service_mode *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->on, 1);
    return shuf_writer_end(&writer, length);
}

static inline shuf_result shuf_read_random_encode(const shuf_read_random *in,
    uint8_t *body, size_t room, size_t *length)
{
    shuf_writer writer = shuf_writer_into(body, room);
    shuf_write_number(&writer, in->count, 2);
    return shuf_writer_end(&writer, length);
}

/* ------------------------------------------------------------------------------------------------------- commitment */

#ifndef SHUF_MAX_OPENED
#define SHUF_MAX_OPENED 54 /* cards of one opening that this program checks; 34 bytes of stack for each */
#endif

/* The values that a root is bound to: serial and epoch from the welcome, the others from ShuffleCompleted. */
typedef struct {
    shuf_bytes serial;
    uint64_t epoch;
    uint32_t shuffle;
    uint8_t game;
    uint16_t count;
    uint8_t nonce[16];
} shuf_context;

static inline void shuf_commitment_leaf(const shuf_context *context, uint16_t position, uint8_t code,
                                        const uint8_t *salt, uint8_t out[32])
{
    static const char domain[] = "shuffler-bench/commitment/1/leaf";
    shuf_sha256 sha;
    uint8_t part[16];
    shuf_sha256_start(&sha);
    shuf_sha256_add(&sha, domain, sizeof domain);
    part[0] = (uint8_t)context->serial.length;
    shuf_sha256_add(&sha, part, 1);
    shuf_sha256_add(&sha, context->serial.data, context->serial.length);
    shuf_put_u32(part, (uint32_t)context->epoch);
    shuf_put_u32(part + 4, (uint32_t)(context->epoch >> 32));
    shuf_put_u32(part + 8, context->shuffle);
    part[12] = context->game;
    part[13] = (uint8_t)context->count;
    part[14] = (uint8_t)(context->count >> 8);
    part[15] = (uint8_t)sizeof context->nonce;
    shuf_sha256_add(&sha, part, sizeof part);
    shuf_sha256_add(&sha, context->nonce, sizeof context->nonce);
    part[0] = (uint8_t)position;
    part[1] = (uint8_t)(position >> 8);
    part[2] = code;
    shuf_sha256_add(&sha, part, 3);
    shuf_sha256_add(&sha, salt, 32);
    shuf_sha256_end(&sha, out);
}

/* K-2: whether the root commits to these cards (or places). */
static inline int shuf_opening_opens(const shuf_context *context, const uint8_t root[32], const shuf_opening *opening)
{
    static const char domain[] = "shuffler-bench/commitment/1/node";
    uint8_t level[SHUF_MAX_OPENED + 2][32];
    const shuf_bytes *codes = opening->cards.length > 0 ? &opening->cards : &opening->places;
    size_t low = opening->first, high = low + codes->length, used = 0, size = 0, width, i;
    if (codes->length == 0 || codes->length > SHUF_MAX_OPENED || high > context->count)
        return 0;
    if (opening->cards.length > 0 && opening->places.length > 0)
        return 0;
    if (opening->salts.length != 32 * codes->length)
        return 0;
    for (i = low; i < high; i++, size++)
        shuf_commitment_leaf(context, (uint16_t)i, codes->data[size], opening->salts.data + 32 * size, level[size]);
    for (width = 1; width < context->count; width *= 2) {
        if (low % 2) {
            if (opening->proof.length - used < 32)
                return 0;
            memmove(level + 1, level, 32 * size++);
            memcpy(level[0], opening->proof.data + used, 32);
            used += 32;
        }
        if (high % 2) {
            if (opening->proof.length - used < 32)
                return 0;
            memcpy(level[size++], opening->proof.data + used, 32);
            used += 32;
        }
        for (i = 0; i < size / 2; i++) {
            shuf_sha256 sha;
            shuf_sha256_start(&sha);
            shuf_sha256_add(&sha, domain, sizeof domain);
            shuf_sha256_add(&sha, level[2 * i], 64);
            shuf_sha256_end(&sha, level[i]);
        }
        size /= 2;
        low /= 2;
        high = (high + 1) / 2;
    }
    return size == 1 && used == opening->proof.length && memcmp(level[0], root, 32) == 0;
}

#ifdef __cplusplus
}
#endif

#endif /* SHUFFLER_PROTOCOL_H */

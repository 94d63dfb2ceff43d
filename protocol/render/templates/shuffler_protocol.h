/*
 * The shuffler bench's wire protocol, version @version@, catalogue @fingerprint@.
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

/* @insert constants@ */

/* @insert numbers@ */

/* @insert enumerations@ */

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

/* a role's key from its secret words. */
static inline void shuf_role_key(const char *words, uint8_t key[32])
{
    shuf_sha256 sha;
    shuf_sha256_start(&sha);
    shuf_sha256_add(&sha, SHUF_ROLE_DOMAIN, sizeof SHUF_ROLE_DOMAIN);
    shuf_sha256_add(&sha, words, strlen(words));
    shuf_sha256_end(&sha, key);
}

/* the answer to a challenge, for ProveRole. */
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

/* @insert heads@ */

#pragma pack(pop)

/* @insert head_checks@ */

/* ------------------------------------------------------------------------------------------------------- records */

/* @insert records@ */

/* ------------------------------------------------------------------------------------------------------ messages */

/* @insert messages@ */

/* ------------------------------------------------------------------------------------- bodies that a host writes */

/* @insert encoders@ */

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

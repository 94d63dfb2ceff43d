"""The part of the C header that stays the same whatever the catalogue says: check, COBS, header, cursor."""

PROLOGUE = r"""
#ifndef SHUFFLER_PROTOCOL_H
#define SHUFFLER_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
"""

EPILOGUE = r"""
#ifdef __cplusplus
}
#endif

#endif /* SHUFFLER_PROTOCOL_H */
"""

HELPERS = r"""
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

/* Bytes inside the caller's buffer: good as long as that is. Text is not terminated by a zero. */
typedef struct {
    const uint8_t *data;
    size_t length;
} shuf_bytes;

/* Records behind each other inside the caller's buffer: walk them with shuf_list_cursor() and the record's _take(). */
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

/* CRC-32C (Castagnoli), four bits at a time. Start with crc = 0; give the last result to go on. */
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

/* Decodes what stands between two delimiters. `raw` may be `encoded` itself: decoding never gets ahead of reading. */
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

/* Encodes; `capacity` of length + length / 254 + 1 always suffices. Delimiters are not written. */
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

/* A frame from what stands between two delimiters; `body` points into `raw`, which needs SHUF_MAX_RAW bytes. */
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

/* A frame for the line, both delimiters included; `raw` and `line` need SHUF_MAX_RAW and SHUF_MAX_ENCODED + 2 bytes. */
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

/* Cuts a byte stream at its delimiters; start from an object of all zeros. */
typedef struct {
    uint8_t piece[SHUF_MAX_ENCODED];
    size_t length;
    int complete;
    int skipping;
    size_t too_long; /* pieces thrown away because no frame is so long */
} shuf_receiver;

/* Takes one byte; nonzero when piece[0 .. length) stands between two delimiters and wants shuf_frame_decode(). */
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

/* Reads forward and never past the end; once something did not fit, `bad` stays set and every value is zero. */
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

/* So many bytes, or a null pointer where they are not there. */
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

/* Writes forward and never past the room; once something did not fit, `bad` says why. */
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

/* Bytes behind their length; `size` is that of the length. */
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
"""

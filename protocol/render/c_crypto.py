"""The part of the C header with hashes: SHA-256, HMAC, commitments, roles. The same whatever the catalogue says."""

CRYPTO = r"""
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

/* R-1: a role's key from the words that its holder keeps. */
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
"""

COMMITMENT = r"""
/* ------------------------------------------------------------------------------------------------------- commitment */

#ifndef SHUF_MAX_OPENED
#define SHUF_MAX_OPENED 54 /* cards of one opening that this program checks; 34 bytes of stack for each */
#endif

/* What a root is bound to: serial and epoch are the welcome's, the others are in ShuffleCompleted. */
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

/* K-2: whether these cards (or places) are what the root was made over. */
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
"""

/*
 * A small host: one round of Three Card Poker over TCP, from docs/protocol.md and the rendered C header alone.
 *
 *     cc -std=c99 -I docs/protocol -o small_host examples/c/small_host.c
 *     ./small_host 127.0.0.1 7001
 *
 * It is the small-host profile (P-1 to P-5): a window of 1, bodies of 768 bytes, no queue, no allocation, about 6 kB of
 * state. The rules it follows are named by their numbers. Exit code 0: a whole round, every opening checked.
 */
#define _POSIX_C_SOURCE 200112L
#define SHUF_MAX_OPENED 8
#include "shuffler_protocol.h"

#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { RETRY_MS = 300, HELLO_MS = 250, HELLO_MOST_MS = 2000, MUST_UNDERSTAND = 0xF0, PATIENCE_MS = 60000, SEATS = 7, HAND = 3 };

static struct {
    int line;
    shuf_receiver receiver;
    uint8_t raw[SHUF_MAX_RAW];
    /* the session */
    uint32_t session, sent, received; /* numbers of the last frames in order (S-1) */
    uint32_t request;                 /* C-1: rises and is never used again */
    uint32_t heartbeat_ms;
    uint64_t heard, spoken;
    /* the one frame in flight (P-2) */
    uint8_t number, body[64]; /* its message and body */
    size_t length;
    int waiting;
    uint64_t sent_at;
    unsigned tries;
    /* what came in order last */
    shuf_header header;
    shuf_bytes came;
    /* who the device is */
    char serial[256];
    size_t serial_length;
    uint64_t epoch;
    uint32_t newest; /* E-3: the newest event that is stored */
} host;

static void fail(const char *why, ...)
{
    va_list more;
    va_start(more, why);
    vfprintf(stderr, why, more);
    fputc('\n', stderr);
    exit(1);
}

static uint64_t now_ms(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000u + (uint64_t)at.tv_nsec / 1000000u;
}

static void random_bytes(uint8_t *out, size_t length)
{
    FILE *source = fopen("/dev/urandom", "rb");
    if (source == NULL || fread(out, 1, length, source) != length)
        fail("no random bytes");
    fclose(source);
}

static void put_frame(uint8_t version, uint8_t number, uint32_t sequence, uint32_t request, uint8_t flags,
                      const uint8_t *body, size_t length)
{
    static uint8_t raw[256], line[300];
    shuf_header header = { 0 };
    size_t size = 0, done = 0;
    header.version = version;
    header.flags = flags;
    header.message = number;
    header.session = host.session;
    header.sequence = sequence;
    header.acknowledge = host.received; /* S-4: in every frame */
    header.request = request;
    if (shuf_frame_encode(&header, body, length, raw, sizeof raw, line, sizeof line, &size) != SHUF_OK)
        fail("message 0x%02x does not fit", number);
    while (done < size) {
        ssize_t written = write(host.line, line + done, size - done);
        if (written <= 0)
            fail("the line is gone");
        done += (size_t)written;
    }
    host.spoken = now_ms();
}

static void beat(void) /* L-1 */
{
    shuf_heartbeat heartbeat = { 0 };
    uint8_t body[16];
    size_t length = 0;
    heartbeat.uptime_ms = now_ms();
    heartbeat.last_event = host.newest;
    shuf_heartbeat_encode(&heartbeat, body, sizeof body, &length);
    put_frame(SHUF_VERSION, SHUF_MSG_HEARTBEAT, 0, 0, 0, body, length);
}

static void send_in_flight(void)
{
    put_frame(SHUF_VERSION, host.number, host.sent, host.number == SHUF_MSG_ACK_EVENTS ? 0 : host.request,
              host.tries++ ? SHUF_FLAG_RETRANSMITTED : 0, host.body, host.length);
    host.sent_at = now_ms();
}

/* A frame that is sound and of this session, or none so far; waits a little. */
static int next_frame(void)
{
    struct pollfd wait = { 0 };
    wait.fd = host.line;
    wait.events = POLLIN;
    if (poll(&wait, 1, 20) > 0) {
        uint8_t byte;
        while (poll(&wait, 1, 0) > 0) {
            if (read(host.line, &byte, 1) != 1)
                fail("the device closed the line");
            if (!shuf_receiver_push(&host.receiver, byte))
                continue;
            if (shuf_frame_decode(host.receiver.piece, host.receiver.length, host.raw, sizeof host.raw, &host.header,
                                  &host.came) == SHUF_OK)
                return 1; /* F-4: whatever else is noise */
        }
    }
    return 0;
}

static void take_reset(void)
{
    shuf_reset reset;
    if (shuf_reset_decode(&reset, host.came.data, host.came.length) == SHUF_OK)
        fail("the device ended the session (reason %u): %.*s", reset.reason, (int)reset.text.length,
             (const char *)reset.text.data);
}

/* The next message in order; keeps the session alive meanwhile. 0: the frame in flight has arrived, or time has passed. */
static int next_message(void)
{
    uint64_t now;
    int frame = next_frame();
    now = now_ms();
    if (frame && host.header.session == host.session && host.header.version == SHUF_VERSION
        && (host.header.flags & MUST_UNDERSTAND) == 0) { /* F-5 */
        host.heard = now;
        if (host.header.message == SHUF_MSG_RESET)
            take_reset();
        if (host.waiting && host.header.acknowledge == host.sent)
            host.waiting = 0;
        if (host.header.sequence != 0) {
            uint8_t early[2] = { 0, 0 };
            int is_next = host.header.sequence == host.received + 1;
            host.received += (uint32_t)is_next;
            put_frame(SHUF_VERSION, SHUF_MSG_ACK, 0, 0, 0, early, sizeof early); /* P-2: at once, also a second time */
            if (is_next)
                return 1;
        }
    }
    if (host.waiting && now - host.sent_at >= RETRY_MS) { /* P-5 */
        if (host.tries > 12)
            fail("the device does not acknowledge"); /* S-10 */
        send_in_flight();
    }
    if (now - host.spoken >= host.heartbeat_ms)
        beat();
    if (now - host.heard >= 3 * host.heartbeat_ms)
        fail("the device is silent"); /* L-2 */
    return 0;
}

static void post(uint8_t number, size_t length)
{
    host.number = number;
    host.length = length;
    host.sent++;
    host.tries = 0;
    host.waiting = 1;
    send_in_flight();
}

static void hello(void)
{
    static const uint8_t fingerprint[8] = SHUF_FINGERPRINT_BYTES;
    shuf_hello hello = { 0 };
    shuf_welcome welcome;
    uint8_t body[128];
    size_t length = 0;
    uint64_t begun = now_ms(), said = 0, wait = 0;
    hello.version_min = hello.version_max = SHUF_VERSION;
    hello.window = 1;
    hello.max_body = SHUF_MIN_BODY; /* P-1 */
    memcpy(hello.fingerprint, fingerprint, sizeof fingerprint);
    random_bytes(hello.instance, sizeof hello.instance);
    hello.next_request = 1;
    random_bytes(hello.nonce, sizeof hello.nonce);
    if (shuf_hello_encode(&hello, body, sizeof body, &length) != SHUF_OK)
        fail("the hello does not fit");
    for (;;) {
        if (now_ms() - said >= wait) { /* H-1 */
            put_frame(SHUF_HELLO_VERSION, SHUF_MSG_HELLO, 0, 0, 0, body, length);
            said = now_ms();
            wait = wait == 0 ? HELLO_MS : wait * 2 < HELLO_MOST_MS ? wait * 2 : HELLO_MOST_MS;
        }
        if (now_ms() - begun > PATIENCE_MS)
            fail("no device answers");
        if (!next_frame())
            continue;
        if (host.header.message == SHUF_MSG_RESET && host.header.session == 0)
            take_reset();
        if (host.header.message == SHUF_MSG_WELCOME
            && shuf_welcome_decode(&welcome, host.came.data, host.came.length) == SHUF_OK
            && memcmp(welcome.host_nonce, hello.nonce, sizeof hello.nonce) == 0) /* H-3 */
            break;
    }
    host.session = host.header.session;
    if (welcome.version != SHUF_VERSION) { /* V-4 */
        shuf_reset reset = { 0 };
        reset.reason = SHUF_RESET_REASON_VERSION;
        if (shuf_reset_encode(&reset, body, sizeof body, &length) == SHUF_OK)
            put_frame(SHUF_HELLO_VERSION, SHUF_MSG_RESET, 0, 0, 0, body, length);
        fail("the device chose version %u", welcome.version);
    }
    host.heartbeat_ms = welcome.heartbeat_ms;
    host.epoch = welcome.epoch;
    host.newest = welcome.acknowledged_event; /* this host has stored nothing before */
    host.serial_length = welcome.serial.length;
    memcpy(host.serial, welcome.serial.data, welcome.serial.length);
    host.heard = now_ms();
    beat(); /* H-5 */
    printf("session %08x with %.*s\n", (unsigned)host.session, (int)host.serial_length, host.serial);
}

/* -------------------------------------------------------------------------------------------------------- the round */

static struct {
    int loaded, disclosed, groups, stub, replied, refused;
    shuf_context context;
    uint8_t root[32], kind;
} table;

static void show(unsigned seat, const shuf_opening *opening, uint32_t shuffle)
{
    static const char ranks[] = "23456789TJQKA", *suits[] = { "c", "d", "h", "s" };
    const shuf_bytes *codes = opening->cards.length ? &opening->cards : &opening->places;
    size_t i;
    if (codes->length != HAND)
        fail("seat %u: %u cards in a hand", seat, (unsigned)codes->length);
    if (table.kind != SHUF_COMMIT_KIND_NOTHING
        && (shuffle != table.context.shuffle || !shuf_opening_opens(&table.context, table.root, opening)))
        fail("seat %u: these cards are not what the shuffle was committed to", seat); /* K-2 */
    printf("seat %u:", seat);
    for (i = 0; i < codes->length; i++)
        if (opening->cards.length && codes->data[i] < 52)
            printf(" %c%s", ranks[codes->data[i] % 13], suits[codes->data[i] / 13]);
        else
            printf(" %s %u", opening->cards.length ? "code" : "place", codes->data[i]); /* B-6 */
    printf("\n");
}

static void take_event(void)
{
    const uint8_t *body = host.came.data;
    size_t length = host.came.length;
    uint32_t number = length >= 4 ? shuf_get_u32(body) : 0; /* every event begins with its number */
    shuf_shuffle_completed done;
    shuf_group_removed removed;
    shuf_hand_disclosed disclosed;
    shuf_stub_removed stub;
    if (number != 0 && number <= host.newest)
        return; /* E-3: a replay changes nothing */
    if (number != 0)
        host.newest = number; /* a host with books writes them here */
    switch (host.header.message) {
    case SHUF_MSG_DECK_LOADED:
        table.loaded = 1;
        break;
    case SHUF_MSG_SHUFFLE_COMPLETED:
        if (shuf_shuffle_completed_decode(&done, body, length) != SHUF_OK)
            fail("a shuffle that can't be read");
        if (memcmp(done.nonce, table.context.nonce, sizeof done.nonce) != 0)
            fail("the shuffle is not bound to our nonce"); /* D-3 */
        table.context.serial.data = (const uint8_t *)host.serial;
        table.context.serial.length = host.serial_length;
        table.context.epoch = host.epoch;
        table.context.shuffle = done.shuffle;
        table.context.game = done.game;
        table.context.count = done.count;
        table.kind = done.kind;
        memcpy(table.root, done.root, sizeof done.root);
        printf("shuffle %u of %u cards\n", (unsigned)done.shuffle, done.count);
        break;
    case SHUF_MSG_GROUP_REMOVED:
        if (shuf_group_removed_decode(&removed, body, length) != SHUF_OK)
            fail("a group that can't be read");
        if (!removed.withheld)
            show(removed.seat, &removed.opening, removed.shuffle);
        table.groups++;
        break;
    case SHUF_MSG_HAND_DISCLOSED:
        if (shuf_hand_disclosed_decode(&disclosed, body, length) != SHUF_OK)
            fail("a hand that can't be read");
        show(disclosed.seat, &disclosed.opening, disclosed.shuffle);
        table.disclosed = 1;
        break;
    case SHUF_MSG_STUB_REMOVED:
        if (shuf_stub_removed_decode(&stub, body, length) != SHUF_OK)
            fail("a stub that can't be read");
        table.stub = stub.count;
        break;
    case SHUF_MSG_MISDEALT:
        fail("misdeal: all wagers back, all cards collected, a new round"); /* D-13 */
    }
}

/* One step: events are taken and acknowledged once stored, a reply is noted. */
static void step(void)
{
    static uint32_t acknowledged;
    if (!host.waiting && host.newest > acknowledged) { /* E-1 */
        shuf_ack_events ack;
        acknowledged = ack.upto = host.newest;
        shuf_ack_events_encode(&ack, host.body, sizeof host.body, &host.length);
        post(SHUF_MSG_ACK_EVENTS, host.length);
    }
    if (!next_message())
        return;
    if (host.header.request == host.request && host.header.request != 0) {
        shuf_error error;
        table.replied = host.header.message;
        table.refused = 0;
        if (host.header.message == SHUF_MSG_ERROR && shuf_error_decode(&error, host.came.data, host.came.length) == SHUF_OK) {
            table.refused = error.code;
            fprintf(stderr, "refused (%u): %.*s\n", error.code, (int)error.text.length, (const char *)error.text.data);
        }
    } else if (host.header.request == 0) {
        take_event();
    }
}

/* Sends a command and waits for its answer, which lies in host.came. */
static void command(uint8_t number, const uint8_t *body, size_t length)
{
    while (host.waiting)
        step();
    host.request++;
    memcpy(host.body, body, length);
    table.replied = 0;
    post(number, length);
    while (!table.replied)
        step();
    if (table.refused)
        exit(2);
}

static void wait_for(const int *what, int least)
{
    uint64_t begun = now_ms();
    while (*what < least) {
        if (now_ms() - begun > PATIENCE_MS)
            fail("nothing comes any more");
        step();
    }
}

static void play(void)
{
    shuf_status status;
    shuf_begin_round begin = { 0 };
    shuf_deal_group deal = { 0 };
    shuf_close_decisions close_decisions = { 0 };
    uint8_t body[32];
    size_t length = 0;
    do { /* wait for the power-up self-test */
        command(SHUF_MSG_GET_STATUS, body, 0);
        if (shuf_status_decode(&status, host.came.data, host.came.length) != SHUF_OK)
            fail("a status that can't be read");
    } while (status.power != SHUF_POWER_STATE_ON);
    while (host.newest < status.last_event)
        step(); /* H-9: what happened before comes first */
    memset(&table, 0, sizeof table);
    command(SHUF_MSG_LOAD, body, 0); /* D-2 */
    wait_for(&table.loaded, 1);
    random_bytes(table.context.nonce, sizeof table.context.nonce);
    command(SHUF_MSG_SHUFFLE, table.context.nonce, sizeof table.context.nonce); /* D-3 */
    while (table.context.shuffle == 0)
        step();
    begin.round = status.round + 1; /* D-1, D-4 */
    begin.seats = (1u << SEATS) - 1;
    shuf_begin_round_encode(&begin, body, sizeof body, &length);
    command(SHUF_MSG_BEGIN_ROUND, body, length);
    deal.round = begin.round;
    shuf_deal_group_encode(&deal, body, sizeof body, &length);
    command(SHUF_MSG_DEAL_GROUP, body, length);
    wait_for(&table.groups, SEATS + 1); /* D-5 */
    close_decisions.round = begin.round;
    shuf_close_decisions_encode(&close_decisions, body, sizeof body, &length);
    command(SHUF_MSG_CLOSE_DECISIONS, body, length); /* D-6 */
    wait_for(&table.disclosed, 1);
    command(SHUF_MSG_EJECT_STUB, body, 0); /* D-7 */
    wait_for(&table.stub, 1);
    if (table.stub + (SEATS + 1) * HAND != table.context.count)
        fail("%d cards are in the stub", table.stub);
    printf("round %u: every hand opens the commitment\n", (unsigned)begin.round);
}

int main(int count, char **words)
{
    struct addrinfo want = { 0 }, *found = NULL;
    if (count != 3) {
        fprintf(stderr, "usage: small_host HOST PORT\n");
        return 2;
    }
    want.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(words[1], words[2], &want, &found) != 0)
        fail("%s: no such host", words[1]);
    host.line = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (host.line < 0 || connect(host.line, found->ai_addr, found->ai_addrlen) != 0)
        fail("%s:%s can't be reached", words[1], words[2]);
    freeaddrinfo(found);
    hello();
    play();
    while (host.waiting)
        step();
    put_frame(SHUF_VERSION, SHUF_MSG_RESET, 0, 0, 0, (const uint8_t *)"\0\0", 2); /* L-3: CLOSED, no text */
    close(host.line);
    return 0;
}

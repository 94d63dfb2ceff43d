/* A controller's test in C: rig a hand, jam a card, recover, while speaking to the device over its wire.
 *
 *     shuffler emulate --tcp 0 --control 7080 --speed 50
 *     cc -std=c99 -D_POSIX_C_SOURCE=200809L -I docs/protocol examples/controller.c -o controller
 *     ./controller 7080 TOKEN_FILE SB-0001
 *
 * Needs nothing but a C99 compiler and POSIX sockets. */

#include "shuffler_protocol.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *serial_number;
static char token[128];
static int control_port;

static void stop(const char *why)
{
    fprintf(stderr, "controller: %s\n", why);
    exit(1);
}

static int dial(int port)
{
    struct sockaddr_in address;
    int line = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (line < 0 || connect(line, (struct sockaddr *)&address, sizeof address) != 0)
        stop("can't connect");
    return line;
}

static void put_all(int line, const void *data, size_t length)
{
    const char *at = data;
    while (length > 0) {
        ssize_t sent = write(line, at, length);
        if (sent <= 0)
            stop("the line is gone");
        at += sent;
        length -= (size_t)sent;
    }
}

/* ------------------------------------------------------------------------------------------------ the control plane */

/* One request; the answer's body lies in a buffer that the next request overwrites. */
static const char *bench(const char *method, const char *path, const char *body)
{
    static char answer[65536];
    char head[1024];
    size_t have = 0;
    ssize_t got;
    int line = dial(control_port);
    char *found;
    snprintf(head, sizeof head,
             "%s /api/v1/devices/%s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
             "Content-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
             method, serial_number, path, control_port, token, strlen(body));
    put_all(line, head, strlen(head));
    put_all(line, body, strlen(body));
    while ((got = read(line, answer + have, sizeof answer - 1 - have)) > 0)
        have += (size_t)got;
    close(line);
    answer[have] = 0;
    if (strncmp(answer, "HTTP/1.1 2", 10) != 0)
        stop(answer);
    found = strstr(answer, "\r\n\r\n");
    return found != NULL ? found + 4 : answer + have;
}

/* --------------------------------------------------------------------------------------------------------- the link */

static int device;
static uint32_t session, sequence, heard, request;
static uint8_t raw[SHUF_MAX_RAW], wire[SHUF_MAX_ENCODED + 2];

static void send_frame(uint8_t message, const uint8_t *body, size_t length, int ordered, uint32_t id)
{
    shuf_header header;
    size_t size = 0;
    header.version = SHUF_VERSION;
    header.flags = 0;
    header.message = message;
    header.session = session;
    header.sequence = ordered ? ++sequence : 0;
    header.acknowledge = heard;
    header.request = id;
    if (shuf_frame_encode(&header, body, length, raw, sizeof raw, wire, sizeof wire, &size) != SHUF_OK)
        stop("a frame is too long");
    put_all(device, wire, size);
}

static void command(uint8_t message, const uint8_t *body, size_t length)
{
    send_frame(message, body, length, 1, ++request);
}

static void some_bytes(uint8_t *out, size_t length)
{
    FILE *source = fopen("/dev/urandom", "rb");
    if (source == NULL || fread(out, 1, length, source) != length)
        stop("no random bytes");
    fclose(source);
}

/* The next frame that is in order; its body stays good until the next call. */
static shuf_bytes next_frame(shuf_header *header)
{
    static shuf_receiver receiver;
    static uint8_t decoded[SHUF_MAX_RAW];
    shuf_bytes body;
    for (;;) {
        uint8_t byte;
        if (read(device, &byte, 1) != 1)
            stop("the device is gone");
        if (!shuf_receiver_push(&receiver, byte))
            continue;
        if (shuf_frame_decode(receiver.piece, receiver.length, decoded, sizeof decoded, header, &body) != SHUF_OK)
            continue;
        if (header->sequence != 0) {
            uint8_t early[2] = {0, 0};
            if (header->sequence != heard + 1)
                continue;
            heard = header->sequence;
            send_frame(SHUF_MSG_ACK, early, sizeof early, 0, 0);
        }
        if (header->message == SHUF_MSG_HEARTBEAT) {
            uint8_t beat[12] = {0};
            send_frame(SHUF_MSG_HEARTBEAT, beat, sizeof beat, 0, 0);
            continue;
        }
        return body;
    }
}

static void open_session(void)
{
    uint8_t hello[128] = {0}, beat[12] = {0};
    shuf_header header;
    hello[0] = hello[1] = SHUF_VERSION; /* lowest and highest version; then must and may */
    hello[10] = 16;                              /* window */
    hello[11] = SHUF_MAX_BODY & 255;
    hello[12] = SHUF_MAX_BODY >> 8;
    some_bytes(hello + 21, 16); /* instance; the catalogue's fingerprint before it may be zero */
    hello[37] = 1;              /* the first request id */
    some_bytes(hello + 41, 16); /* nonce; then the length of no key */
    send_frame(SHUF_MSG_HELLO, hello, 58, 0, 0);
    do
        (void)next_frame(&header);
    while (header.message != SHUF_MSG_WELCOME && header.message != SHUF_MSG_RESET);
    if (header.message == SHUF_MSG_RESET)
        stop("the device refused the session");
    session = header.session;
    send_frame(SHUF_MSG_HEARTBEAT, beat, sizeof beat, 0, 0);
}

/* -------------------------------------------------------------------------------------------------------- the story */

static void deal_until_seat_2(void)
{
    int loaded = 0;
    command(SHUF_MSG_GET_STATUS, NULL, 0);
    for (;;) {
        shuf_header header;
        shuf_bytes body = next_frame(&header);
        if (header.message == SHUF_MSG_STATUS && !loaded) {
            struct timespec moment = {0, 50000000};
            if (body.data[0] == SHUF_POWER_STATE_ON) {
                loaded = 1;
                command(SHUF_MSG_LOAD, NULL, 0);
            } else {
                nanosleep(&moment, NULL); /* the self-test runs */
                command(SHUF_MSG_GET_STATUS, NULL, 0);
            }
        } else if (header.message == SHUF_MSG_DECK_LOADED) {
            uint8_t nonce[16];
            some_bytes(nonce, sizeof nonce);
            command(SHUF_MSG_SHUFFLE, nonce, sizeof nonce);
        } else if (header.message == SHUF_MSG_SHUFFLE_COMPLETED) {
            uint8_t begin[6] = {1, 0, 0, 0, 0x7f, 0}, deal[5] = {1, 0, 0, 0, 0};
            command(SHUF_MSG_BEGIN_ROUND, begin, sizeof begin);
            command(SHUF_MSG_DEAL_GROUP, deal, sizeof deal);
        } else if (header.message == SHUF_MSG_FAULT_RAISED) {
            if (strstr(bench("GET", "/panel", ""), "JAM AT EXIT") == NULL)
                stop("the panel does not say so");
            bench("POST", "/actions/clear", "{\"name\":\"jam_exit\"}"); /* the card is freed */
            bench("POST", "/actions/press", "{\"button\":\"OK\"}");
        } else if (header.message == SHUF_MSG_GROUP_REMOVED) {
            shuf_group_removed group;
            if (shuf_group_removed_decode(&group, body.data, body.length) != SHUF_OK)
                stop("a group that can't be read");
            if (group.seat == 2) {
                const uint8_t wanted[3] = {49, 50, 51};
                if (group.opening.cards.length != 3 || memcmp(group.opening.cards.data, wanted, 3) != 0)
                    stop("seat 2 got other cards");
                return;
            }
        } else if (header.message == SHUF_MSG_ERROR)
            stop("the device refused");
    }
}

int main(int argc, char **argv)
{
    FILE *file;
    const char *url;
    if (argc != 4)
        stop("usage: controller CONTROL_PORT TOKEN_FILE SERIAL");
    control_port = atoi(argv[1]);
    serial_number = argv[3];
    file = fopen(argv[2], "r");
    if (file == NULL || fscanf(file, "%127s", token) != 1)
        stop("the token file can't be read");
    fclose(file);
    bench("POST", "/actions/rig_hands", "{\"hands\":{\"2\":\"Qs Ks As\"}}");
    bench("POST", "/actions/inject", "{\"name\":\"jam_exit\",\"when\":\"group=1\",\"by_hand\":true}");
    url = strstr(bench("GET", "", ""), "socket://127.0.0.1:");
    if (url == NULL)
        stop("the device has no TCP port");
    device = dial(atoi(url + strlen("socket://127.0.0.1:")));
    open_session();
    deal_until_seat_2();
    close(device);
    puts("seat 2 was dealt Q\u2660 K\u2660 A\u2660 after a jam at the exit was cleared");
    return 0;
}

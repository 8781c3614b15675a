/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to an object server, of a peer that knows the secret: what its endpoint says (how long
 * messages are that it can receive, and how many), and then messages that are requests, nearly.
 * After each input an honest client is welcomed. */
#include "peer.h"

#include "network/fabric/tcp.h"
#include "network/objects/protocol.h"

#include "weir/base/log.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static struct weir_object_server *server;

/* Up to READY. False: the server has hung up. */
static bool shake_hands(int fd, uint32_t credits, uint32_t message_bytes)
{
    static const struct weir_endpoint_info info;
    struct weir_handshake handshake;

    peer_begin(&handshake, false, credits, message_bytes, 16);
    while (handshake.state != WEIR_HANDSHAKE_FAILED) {
        unsigned char bytes[512];
        size_t wanted;
        ssize_t got;

        if (handshake.out_bytes > 0 &&
            send(fd, handshake.out, handshake.out_bytes, MSG_NOSIGNAL) < 0)
            return false;
        handshake.out_bytes = 0;
        if (handshake.state == WEIR_HANDSHAKE_DONE)
            return true;
        wanted = weir_handshake_wants(&handshake);
        got = recv(fd, bytes, wanted < sizeof bytes ? wanted : sizeof bytes, 0);
        if (got <= 0)
            return false;
        weir_handshake_take(&handshake, bytes, (size_t)got);
        if (handshake.state == WEIR_HANDSHAKE_OFFERED)
            weir_handshake_accept(&handshake, &info);
    }
    return false;
}

static bool send_message(int fd, const void *message, size_t bytes)
{
    struct tcp_frame frame = {.kind = TCP_SEND, .bytes = htole64(bytes)};

    return send(fd, &frame, sizeof frame, MSG_NOSIGNAL) == sizeof frame &&
           send(fd, message, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static bool send_hello(int fd)
{
    struct {
        struct weir_request request;
        struct weir_hello hello;
    } message = {{.verb = WEIR_VERB_HELLO, .id = 1, .payload_bytes = sizeof message.hello},
                 {.magic = WEIR_PROTOCOL_MAGIC,
                  .version = WEIR_PROTOCOL_VERSION,
                  .server_count = 1,
                  .stripe_count = 1,
                  .unit_bytes = WEIR_CHUNK_BYTES}};

    return send_message(fd, &message, sizeof message);
}

/* Bytes that have come within the time, thrown away. */
static size_t listen_for(int fd, int milliseconds)
{
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    unsigned char bytes[4096];
    ssize_t got = poll(&watched, 1, milliseconds) > 0 ? recv(fd, bytes, sizeof bytes, 0) : 0;

    return got > 0 ? (size_t)got : 0;
}

/* Eight bytes make a request. */
static void ask(int fd, const unsigned char *bytes)
{
    unsigned char message[sizeof(struct weir_request) + 512] = {0};
    struct weir_request request = {.verb = bytes[0] % (WEIR_VERB_COUNT + 1),
                                   .flags = bytes[1] & 7,
                                   .id = 2,
                                   .object = bytes[2] >> 4,
                                   .generation = bytes[2] & 15,
                                   .offset = (uint64_t)bytes[3] << (bytes[4] & 63),
                                   .bytes = (uint64_t)bytes[5] << (bytes[4] >> 3),
                                   .unit_bytes = bytes[1] & 8 ? WEIR_CHUNK_BYTES : 0,
                                   .count = bytes[6],
                                   .path_bytes = bytes[7] & 7,
                                   .payload_bytes = (uint32_t)(bytes[7] >> 3) * 16};
    size_t bytes_said = sizeof request + request.path_bytes + request.payload_bytes;

    memcpy(message, &request, sizeof request);
    memset(message + sizeof request, 'a' + (bytes[1] & 1), request.path_bytes);
    for (size_t i = sizeof request + request.path_bytes; i < bytes_said; i++)
        message[i] = bytes[i % 8];
    if (send_message(fd, message, bytes[1] & 16 ? bytes_said / 2 : bytes_said))
        listen_for(fd, 0);
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    struct weir_object_server_params params = {
        .fabric = {.provider = "tcp", .interface = "127.0.0.1", .gid_index = -1},
        .listen = "127.0.0.1",
        .capacity_bytes = 4 * WEIR_CHUNK_BYTES,
        .client_limit = 64,
    };
    struct weir_error error = {0};
    int failure;

    (void)count;
    (void)words;
    weir_log_set_level(WEIR_LOG_ERROR);
    failure = weir_object_server_open(&params, &server, &error);
    assert(!failure);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    int fd;

    if (count < 4)
        return 0;
    fd = peer_dial(weir_object_server_address(server));
    if (shake_hands(fd, 1u + bytes[0] % 64, bytes[1] & 1 ? 4096 : 1u + bytes[2] * 16u)) {
        if (bytes[3] & 1)
            send_hello(fd);
        for (bytes += 4, count -= 4; count >= 8; bytes += 8, count -= 8)
            ask(fd, bytes);
        listen_for(fd, 1);
    }
    close(fd);
    fd = peer_dial(weir_object_server_address(server));
    /* It is still there, and answers. */
    if (!shake_hands(fd, 4, 4096) || !send_hello(fd) || listen_for(fd, 10000) == 0)
        abort();
    close(fd);
    return 0;
}

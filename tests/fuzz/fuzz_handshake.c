/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a new connection: the first one says how far an honest peer got before it began to talk
 * nonsense. With the secret, nonsense may be an endpoint, a frame of tcp, or what follows one. The
 * same bytes go to the handshake alone, as server and as client. */
#include "peer.h"

#include "network/fabric/tcp.h"

#include "weir/base/log.h"

#include <errno.h>
#include <unistd.h>

#define MEMORY_BYTES 65536

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* How far the peer is honest. */
enum honesty { HELLO, PROOF, ENDPOINT, READY, STAGES };

struct scene {
    struct weir_fabric *fabric;
    struct weir_link *link;
    uint64_t joined, refused;
    int fd;
};

static void poll_once(struct scene *scene)
{
    struct weir_event events[4];
    int count = weir_fabric_poll(scene->fabric, events, 4, 0);

    assert(count >= 0);
    for (int i = 0; i < count; i++) {
        if (events[i].kind == WEIR_EVENT_JOINED)
            scene->link = events[i].link;
        if (events[i].kind == WEIR_EVENT_MESSAGE)
            weir_link_release(events[i].link, events[i].message);
        if (events[i].kind == WEIR_EVENT_LEFT) {
            weir_link_close(events[i].link);
            scene->link = NULL;
        }
    }
}

static bool hear(struct scene *scene, void *text, size_t bytes)
{
    size_t heard = 0;

    while (heard < bytes) {
        ssize_t got = recv(scene->fd, (unsigned char *)text + heard, bytes - heard, MSG_DONTWAIT);

        if (got == 0 || (got < 0 && errno != EAGAIN))
            return false;
        heard += got > 0 ? (size_t)got : 0;
        poll_once(scene);
    }
    return true;
}

static void say(struct scene *scene, const void *text, size_t bytes)
{
    const unsigned char *next = text;

    while (bytes > 0) {
        ssize_t sent = send(scene->fd, next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno != EAGAIN)
            return;
        next += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
        poll_once(scene);
    }
}

/* Says what an honest peer says before the stage is reached. False: the fabric has hung up. */
static bool be_honest(struct scene *scene, enum honesty until)
{
    static const struct weir_endpoint_info info;
    struct weir_handshake handshake;

    peer_begin(&handshake, false, 4, 512, 4);
    for (enum honesty stage = HELLO; stage != until; stage++) {
        union weir_handshake_message answer;
        size_t wanted = weir_handshake_wants(&handshake);

        say(scene, handshake.out, handshake.out_bytes);
        handshake.out_bytes = 0;
        if (!hear(scene, &answer, wanted))
            return false;
        weir_handshake_take(&handshake, &answer, wanted);
        if (handshake.state == WEIR_HANDSHAKE_FAILED)
            return false;
        if (handshake.state == WEIR_HANDSHAKE_OFFERED)
            weir_handshake_accept(&handshake, &info);
    }
    if (handshake.state == WEIR_HANDSHAKE_DONE)
        say(scene, handshake.out, handshake.out_bytes);
    return true;
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count;
    (void)words;
    weir_log_set_level(WEIR_LOG_ERROR);
    return 0;
}

/* Eight bytes make a frame that is nearly right, and what belongs behind it. */
static void say_frame(struct scene *scene, const unsigned char *bytes, struct weir_region_key key)
{
    static const unsigned char nothing[1024];
    struct tcp_frame frame = {
        .kind = bytes[0] % 16,
        .handled = htole32(bytes[3] & 0x80 ? UINT32_MAX - bytes[3] : bytes[3]),
        .bytes = htole64((uint64_t)bytes[4] << (bytes[1] >> 2 & 15)),
        .address = htole64(key.address + (uint64_t)bytes[5] * 300 - (bytes[1] & 2)),
        .key = htole64(key.key ^ (bytes[6] & 3)),
    };

    say(scene, &frame, sizeof frame);
    if (frame.kind == TCP_WRITE || frame.kind == TCP_SEND || frame.kind == TCP_DATA)
        say(scene, nothing, (size_t)bytes[4] << (bytes[7] & 1));
}

static void post_some(struct scene *scene, struct weir_region *region,
                      const struct weir_region_key *key, unsigned kinds)
{
    for (unsigned i = 0; i < 6 && scene->link != NULL; i++) {
        struct weir_wr wr = {.verb = kinds >> i & 1 ? WEIR_WR_READ : WEIR_WR_WRITE,
                             .data = region->memory,
                             .bytes = 16,
                             .region = region,
                             .remote_address = key->address,
                             .remote = key};

        weir_link_post(scene->link, &wr, 1);
    }
}

/* The handshake by itself: whatever comes, it ends, and says no more than it has room for. */
static void fuzz_alone(const uint8_t *bytes, size_t count, bool is_server)
{
    static const struct weir_endpoint_info info;
    struct weir_handshake handshake;

    peer_begin(&handshake, is_server, 4, 512, 4);
    while (count > 0 && weir_handshake_wants(&handshake) > 0) {
        size_t taken = weir_handshake_take(&handshake, bytes, count);

        assert(taken > 0 && taken <= count);
        bytes += taken;
        count -= taken;
        if (handshake.state == WEIR_HANDSHAKE_OFFERED)
            weir_handshake_accept(&handshake, &info);
        assert(handshake.out_bytes <= sizeof handshake.out);
        handshake.out_bytes = 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct weir_fabric_params params = {
        .provider = "tcp", .interface = "127.0.0.1", .gid_index = -1, .depth = 8};
    struct scene scene = {0};
    struct weir_error error = {0};
    struct weir_region *region;
    char address[WEIR_ADDRESS_BYTES];
    struct weir_region_key key;
    unsigned char *memory;
    enum honesty stage;
    int failure;

    if (count == 0)
        return 0;
    fuzz_alone(bytes, count, true);
    fuzz_alone(bytes, count, false);
    memory = malloc(MEMORY_BYTES);
    failure = weir_fabric_open(&params, &scene.fabric, &error);
    assert(!failure);
    failure = weir_fabric_listen(scene.fabric, NULL, address, &error);
    assert(!failure);
    failure = weir_region_open(scene.fabric, memory, MEMORY_BYTES, NULL, WEIR_REGION_SERVED,
                               &region, &error);
    assert(!failure);
    scene.fd = peer_dial(address);
    key = weir_region_key(region);
    stage = bytes[0] % STAGES;
    if (be_honest(&scene, stage)) {
        for (unsigned i = 0; i < 4; i++)
            poll_once(&scene);
        if (stage == READY && bytes[0] & 4)
            post_some(&scene, region, &key, bytes[0] >> 3);
        bytes++;
        count--;
        for (; stage == READY && count >= 8; bytes += 8, count -= 8)
            say_frame(&scene, bytes, key);
        say(&scene, bytes, count);
    }
    for (unsigned i = 0; i < 4; i++)
        poll_once(&scene);
    close(scene.fd);
    for (unsigned i = 0; i < 4; i++)
        poll_once(&scene);
    weir_region_close(region);
    weir_fabric_close(scene.fabric);
    free(memory);
    return 0;
}

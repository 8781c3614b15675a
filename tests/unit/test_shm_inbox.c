/* SPDX-License-Identifier: Apache-2.0 */
/* The inboxes of the shm provider: every message arrives once, in order and whole; who sleeps is
 * woken; what a broken peer writes there ends the link and not the process. */
#include "network/fabric/shm.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CREDITS = 5, SLOTS = 8, MESSAGE_BYTES = 300, PING_PONGS = 100000, TIMEOUT_MS = 5000 };

/* Both ends of an inbox, in one process. */
struct pair {
    struct weir_shm_inbox owner, peer;
    struct weir_shm_inbox_info info;
};

/* The inbox of that process. */
static int join(struct weir_shm_inbox *inbox, int32_t process,
                const struct weir_shm_inbox_info *info)
{
    struct weir_shm_peer peer;
    int code = weir_shm_peer_open(&peer, process);

    code = code ? code : weir_shm_inbox_join(inbox, &peer, info);
    weir_shm_peer_close(&peer);
    return code;
}

static void open_pair(struct pair *pair)
{
    assert_int_equal(weir_shm_inbox_open(&pair->owner, CREDITS, MESSAGE_BYTES, &pair->info), 0);
    assert_int_equal(join(&pair->peer, getpid(), &pair->info), 0);
}

static void close_pair(struct pair *pair)
{
    weir_shm_inbox_close(&pair->peer);
    weir_shm_inbox_close(&pair->owner);
}

static int send_bytes(struct weir_shm_inbox *inbox, const void *header, uint32_t header_bytes,
                      void *data, uint64_t bytes)
{
    return weir_shm_inbox_send(inbox, &(struct weir_wr){.verb = WEIR_WR_SEND,
                                                        .header = header,
                                                        .header_bytes = header_bytes,
                                                        .data = data,
                                                        .bytes = bytes});
}

/* A header and data of every length, which are one message at the other end; the ring is round many
 * times, filled to different heights. */
static void messages_of_every_length_arrive_whole_and_in_order(void **state)
{
    unsigned char bytes[2 * MESSAGE_BYTES], message[MESSAGE_BYTES];
    unsigned sent = 0, received = 0;
    struct pair pair;

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    open_pair(&pair);
    while (received < 3 * MESSAGE_BYTES) {
        unsigned burst = 1 + sent % SLOTS;

        for (unsigned i = 0; i < burst; i++, sent++) {
            unsigned length = sent % (MESSAGE_BYTES + 1), header = sent % 64;

            header = header < length ? header : length;
            assert_int_equal(send_bytes(&pair.peer, bytes + sent % 128, header,
                                        bytes + sent % 128 + header, length - header),
                             0);
        }
        assert_int_equal(weir_shm_inbox_waiting(&pair.owner), burst);
        for (unsigned i = 0; i < burst; i++, received++) {
            unsigned length = received % (MESSAGE_BYTES + 1);

            assert_int_equal(weir_shm_inbox_receive(&pair.owner, message), length);
            assert_memory_equal(message, bytes + received % 128, length);
        }
    }
    assert_int_equal(weir_shm_inbox_waiting(&pair.owner), 0);
    close_pair(&pair);
}

static void an_inbox_that_is_full_takes_nothing_and_loses_nothing(void **state)
{
    unsigned char message[MESSAGE_BYTES];
    struct pair pair;

    open_pair(&pair);
    for (unsigned i = 0; i < SLOTS; i++)
        assert_int_equal(send_bytes(&pair.peer, &i, sizeof i, NULL, 0), 0);
    assert_int_equal(send_bytes(&pair.peer, message, 4, NULL, 0), -EAGAIN);
    for (unsigned i = 0; i < SLOTS; i++) {
        assert_int_equal(weir_shm_inbox_receive(&pair.owner, message), sizeof i);
        assert_memory_equal(message, &i, sizeof i);
    }
    assert_int_equal(send_bytes(&pair.peer, message, 4, NULL, 0), 0);
    close_pair(&pair);
}

static void a_message_that_is_too_long_is_refused(void **state)
{
    unsigned char bytes[MESSAGE_BYTES + 1] = {0};
    struct pair pair;

    open_pair(&pair);
    assert_int_equal(send_bytes(&pair.peer, bytes, 0, bytes, MESSAGE_BYTES + 1), -EMSGSIZE);
    assert_int_equal(send_bytes(&pair.peer, bytes, 1, bytes, MESSAGE_BYTES), -EMSGSIZE);
    assert_int_equal(send_bytes(&pair.peer, bytes, MESSAGE_BYTES + 1, NULL, 0), -EMSGSIZE);
    assert_int_equal(send_bytes(&pair.peer, bytes, 1, bytes, UINT64_MAX), -EMSGSIZE);
    assert_int_equal(weir_shm_inbox_waiting(&pair.owner), 0);
    assert_int_equal(send_bytes(&pair.peer, bytes, 1, bytes, MESSAGE_BYTES - 1), 0);
    close_pair(&pair);
}

static void counts_run_through_their_end(void **state)
{
    unsigned char message[MESSAGE_BYTES];
    struct pair pair;

    open_pair(&pair);
    pair.peer.count = pair.peer.received = pair.owner.count = UINT32_MAX - 2;
    atomic_store(&pair.owner.head->sent, UINT32_MAX - 2);
    atomic_store(&pair.owner.head->received, UINT32_MAX - 2);
    for (unsigned i = 0; i < SLOTS; i++)
        assert_int_equal(send_bytes(&pair.peer, &i, sizeof i, NULL, 0), 0);
    assert_int_equal(send_bytes(&pair.peer, message, 4, NULL, 0), -EAGAIN);
    assert_int_equal(weir_shm_inbox_waiting(&pair.owner), SLOTS);
    for (unsigned i = 0; i < SLOTS; i++) {
        assert_int_equal(weir_shm_inbox_receive(&pair.owner, message), sizeof i);
        assert_memory_equal(message, &i, sizeof i);
    }
    close_pair(&pair);
}

static void counts_that_cannot_be_are_refused(void **state)
{
    static const uint32_t forged[] = {SLOTS + 1, 1u << 31, UINT32_MAX};
    struct pair pair;

    open_pair(&pair);
    for (unsigned i = 0; i < sizeof forged / sizeof *forged; i++) {
        atomic_store(&pair.owner.head->sent, forged[i]);
        assert_int_equal(weir_shm_inbox_waiting(&pair.owner), -EPROTO);
        atomic_store(&pair.owner.head->sent, 0);
        /* The owner says that it received what was never sent, where the ring seems full. */
        pair.peer.received = pair.peer.count - SLOTS;
        atomic_store(&pair.owner.head->received, 0u - forged[i]);
        assert_int_equal(send_bytes(&pair.peer, "x", 1, NULL, 0), -EPROTO);
        atomic_store(&pair.owner.head->received, 0);
        pair.peer.received = 0;
    }
    assert_int_equal(weir_shm_inbox_waiting(&pair.owner), 0);
    assert_int_equal(send_bytes(&pair.peer, "x", 1, NULL, 0), 0);
    close_pair(&pair);
}

static void a_length_that_cannot_be_is_refused(void **state)
{
    static const uint32_t forged[] = {MESSAGE_BYTES + 1, 1u << 31, UINT32_MAX};
    unsigned char message[MESSAGE_BYTES + 64];
    struct pair pair;

    open_pair(&pair);
    memset(message, 0x5a, sizeof message);
    assert_int_equal(send_bytes(&pair.peer, "x", 1, NULL, 0), 0);
    for (unsigned i = 0; i < sizeof forged / sizeof *forged; i++) {
        memcpy(pair.peer.slots, &forged[i], sizeof forged[i]);
        assert_int_equal(weir_shm_inbox_receive(&pair.owner, message), -EPROTO);
    }
    for (unsigned i = 0; i < sizeof message; i++)
        assert_int_equal(message[i], 0x5a);
    close_pair(&pair);
}

static int unsealed_file(void)
{
    int fd = memfd_create("unsealed", MFD_CLOEXEC);

    assert_true(fd >= 0 && ftruncate(fd, 1 << 20) == 0);
    return fd;
}

static uint64_t inode_of(int fd)
{
    struct stat facts;

    assert_int_equal(fstat(fd, &facts), 0);
    return facts.st_ino;
}

/* A info that lies about the inbox, or names what is none. */
static void cards_that_lie_are_refused(void **state)
{
    int descriptors[2], unsealed = unsealed_file();
    struct pair pair;

    open_pair(&pair);
    assert_int_equal(pipe(descriptors), 0);
    {
        const struct weir_shm_inbox_info good = pair.info;
        const struct weir_shm_inbox_info infos[] = {
            {good.inode + 1, good.fd, good.slot_count, good.message_bytes},
            {good.inode, 9999, good.slot_count, good.message_bytes},
            {good.inode, -1, good.slot_count, good.message_bytes},
            {good.inode, good.fd, 0, good.message_bytes},
            {good.inode, good.fd, 7, good.message_bytes},
            {good.inode, good.fd, 64, good.message_bytes},
            {good.inode, good.fd, 1u << 31, good.message_bytes},
            {good.inode, good.fd, good.slot_count, 0},
            {good.inode, good.fd, good.slot_count, 1 << 20},
            {good.inode, good.fd, good.slot_count, UINT32_MAX},
            {inode_of(unsealed), unsealed, good.slot_count, good.message_bytes},
            {inode_of(descriptors[0]), descriptors[0], good.slot_count, good.message_bytes},
        };

        for (unsigned i = 0; i < sizeof infos / sizeof *infos; i++) {
            struct weir_shm_inbox inbox;

            assert_true(join(&inbox, getpid(), &infos[i]) < 0);
            assert_null(inbox.head);
            weir_shm_inbox_close(&inbox);
        }
        weir_shm_inbox_close(&pair.peer);
        assert_true(join(&pair.peer, 0, &good) < 0);
        assert_true(join(&pair.peer, -1, &good) < 0);
        assert_int_equal(join(&pair.peer, getpid(), &good), 0);
    }
    close(descriptors[0]);
    close(descriptors[1]);
    close(unsealed);
    close_pair(&pair);
}

static void only_who_sleeps_is_woken_and_only_once(void **state)
{
    struct pair pair;

    open_pair(&pair);
    assert_false(weir_shm_inbox_wants_wake(&pair.peer));
    weir_shm_inbox_sleep(&pair.owner, true);
    assert_true(weir_shm_inbox_wants_wake(&pair.peer));
    assert_false(weir_shm_inbox_wants_wake(&pair.peer));
    weir_shm_inbox_sleep(&pair.owner, true);
    weir_shm_inbox_sleep(&pair.owner, false);
    assert_false(weir_shm_inbox_wants_wake(&pair.peer));
    close_pair(&pair);
}

static void an_inbox_leaves_nothing_open(void **state)
{
    int before = dup(0), after;
    struct pair pair;

    close(before);
    for (unsigned i = 0; i < 10; i++) {
        open_pair(&pair);
        close_pair(&pair);
    }
    after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

/* ---- the instant in which one falls asleep and the other sends ---- */

enum { INSTANTS = 200000, LOOKS_PER_YIELD = 1000 };

struct instant {
    struct pair pair;
    atomic_uint here; /* arrivals at the start of instants, and at their end */
    atomic_uint woken;
};

static void arrive(struct instant *instant, unsigned count)
{
    unsigned looks = 0;

    atomic_fetch_add(&instant->here, 1);
    while (atomic_load(&instant->here) < count)
        if (++looks % LOOKS_PER_YIELD == 0)
            sched_yield();
}

static void *send_in_each(void *context)
{
    struct instant *instant = context;

    for (unsigned i = 0; i < INSTANTS; i++) {
        arrive(instant, 4 * i + 2);
        send_bytes(&instant->pair.peer, &i, sizeof i, NULL, 0);
        atomic_store_explicit(&instant->woken, weir_shm_inbox_wants_wake(&instant->pair.peer),
                              memory_order_relaxed);
        arrive(instant, 4 * i + 4);
    }
    return NULL;
}

/* Who says that it sleeps sees the message, or is woken: never neither. */
static void who_falls_asleep_sees_the_message_or_is_woken(void **state)
{
    unsigned char message[MESSAGE_BYTES];
    static struct instant instant;
    unsigned lost = 0;
    pthread_t sender;

    open_pair(&instant.pair);
    assert_int_equal(pthread_create(&sender, NULL, send_in_each, &instant), 0);
    for (unsigned i = 0; i < INSTANTS; i++) {
        int waiting;

        arrive(&instant, 4 * i + 2);
        weir_shm_inbox_sleep(&instant.pair.owner, true);
        waiting = weir_shm_inbox_waiting(&instant.pair.owner);
        arrive(&instant, 4 * i + 4);
        lost += waiting == 0 && !atomic_load(&instant.woken);
        weir_shm_inbox_sleep(&instant.pair.owner, false);
        lost += weir_shm_inbox_receive(&instant.pair.owner, message) != sizeof i;
    }
    pthread_join(sender, NULL);
    assert_int_equal(lost, 0);
    close_pair(&instant.pair);
}

/* ---- two processes that sleep whenever they can ---- */

/* False: nothing came, and nobody woke us. */
static bool await(struct weir_shm_inbox *inbox, int socket)
{
    char bytes[64];

    for (;;) {
        struct pollfd waiting = {.fd = socket, .events = POLLIN};

        if (weir_shm_inbox_waiting(inbox) > 0)
            return true;
        weir_shm_inbox_sleep(inbox, true);
        if (weir_shm_inbox_waiting(inbox) == 0 && poll(&waiting, 1, TIMEOUT_MS) != 1)
            return false;
        weir_shm_inbox_sleep(inbox, false);
        while (recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            ;
    }
}

static bool tell(struct weir_shm_inbox *outbox, int socket, unsigned number)
{
    if (send_bytes(outbox, &number, sizeof number, NULL, 0) != 0)
        return false;
    return !weir_shm_inbox_wants_wake(outbox) ||
           send(socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

static bool play(struct weir_shm_inbox *inbox, struct weir_shm_inbox *outbox, int socket,
                 bool begins)
{
    unsigned char message[MESSAGE_BYTES];

    for (unsigned number = 0; number < PING_PONGS; number++) {
        if (begins && !tell(outbox, socket, number))
            return false;
        if (!await(inbox, socket) || weir_shm_inbox_receive(inbox, message) != sizeof number ||
            memcmp(message, &number, sizeof number) != 0)
            return false;
        if (!begins && !tell(outbox, socket, number))
            return false;
    }
    return true;
}

static int play_in_child(int socket, int32_t parent)
{
    struct weir_shm_inbox_info ours, theirs;
    struct weir_shm_inbox inbox, outbox;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (weir_shm_inbox_open(&inbox, CREDITS, MESSAGE_BYTES, &ours) != 0 ||
        write(socket, &ours, sizeof ours) != sizeof ours ||
        recv(socket, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs ||
        join(&outbox, parent, &theirs) != 0)
        return 1;
    return play(&inbox, &outbox, socket, false) ? 0 : 2;
}

static void nobody_sleeps_through_a_message(void **state)
{
    struct weir_shm_inbox_info ours, theirs;
    struct weir_shm_inbox inbox, outbox;
    int sockets[2], status;
    pid_t parent = getpid(), child;
    bool went_well;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(sockets[0]);
        _exit(play_in_child(sockets[1], parent));
    }
    close(sockets[1]);
    assert_int_equal(weir_shm_inbox_open(&inbox, CREDITS, MESSAGE_BYTES, &ours), 0);
    assert_int_equal(recv(sockets[0], &theirs, sizeof theirs, MSG_WAITALL), sizeof theirs);
    assert_int_equal(join(&outbox, child, &theirs), 0);
    assert_int_equal(write(sockets[0], &ours, sizeof ours), sizeof ours);
    went_well = play(&inbox, &outbox, sockets[0], true);
    if (!went_well)
        kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(went_well);
    assert_int_equal(status, 0);
    close(sockets[0]);
    weir_shm_inbox_close(&inbox);
    weir_shm_inbox_close(&outbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_every_length_arrive_whole_and_in_order),
        cmocka_unit_test(an_inbox_that_is_full_takes_nothing_and_loses_nothing),
        cmocka_unit_test(a_message_that_is_too_long_is_refused),
        cmocka_unit_test(counts_run_through_their_end),
        cmocka_unit_test(counts_that_cannot_be_are_refused),
        cmocka_unit_test(a_length_that_cannot_be_is_refused),
        cmocka_unit_test(cards_that_lie_are_refused),
        cmocka_unit_test(only_who_sleeps_is_woken_and_only_once),
        cmocka_unit_test(an_inbox_leaves_nothing_open),
        cmocka_unit_test(who_falls_asleep_sees_the_message_or_is_woken),
        cmocka_unit_test(nobody_sleeps_through_a_message),
    };

    return cmocka_run_group_tests_name("shm_inbox", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics of shared memory, each in a process of its own: what is true of all providers is tested
 * elsewhere; here are peers that are killed, that lie, and that live where they cannot be reached.
 */
#include "network/fabric/shm.h"

#include "weir/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MEMORY_BYTES = 4 << 20,
    MESSAGE_BYTES = 1000,
    CREDITS = 6,
    PING_PONGS = 20000,
    SLOW_NS = 400000000, /* poll looks around so often, even if nobody wakes it */
};

#define TIMEOUT_NS UINT64_C(20000000000)

/* One end: its fabric, its memory, and the link to the other. */
struct end {
    struct weir_fabric *fabric;
    struct weir_link *link;
    struct weir_slab slab;
    struct weir_region *region, *hidden; /* served; not served */
    unsigned char *plain;
    struct weir_region *plain_region;
};

/* What a server tells of itself in its first message. */
struct keys {
    struct weir_region_key slab, plain, hidden;
};

static bool open_end(struct end *end, uint64_t spin_ns)
{
    struct weir_error error = {0};

    memset(end, 0, sizeof *end);
    end->slab.fd = -1;
    end->plain = calloc(1, MEMORY_BYTES);
    return end->plain &&
           weir_fabric_open(&(struct weir_fabric_params){.provider = "shm",
                                                         .interface = "127.0.0.1",
                                                         .message_bytes = MESSAGE_BYTES,
                                                         .message_credits = CREDITS,
                                                         .spin_ns = spin_ns},
                            &end->fabric, &error) == 0 &&
           weir_slab_open(&end->slab, &(struct weir_slab_params){.bytes = MEMORY_BYTES}) == 0 &&
           weir_region_open(end->fabric, end->slab.memory, MEMORY_BYTES, &end->slab,
                            WEIR_REGION_SERVED, &end->region, &error) == 0 &&
           weir_region_open(end->fabric, end->slab.memory, MEMORY_BYTES, &end->slab,
                            WEIR_REGION_LOCAL, &end->hidden, &error) == 0 &&
           weir_region_open(end->fabric, end->plain, MEMORY_BYTES, NULL, WEIR_REGION_SERVED,
                            &end->plain_region, &error) == 0;
}

static void close_end(struct end *end)
{
    weir_region_close(end->region);
    weir_region_close(end->hidden);
    weir_region_close(end->plain_region);
    weir_fabric_close(end->fabric);
    weir_slab_close(&end->slab);
    free(end->plain);
}

/* The next event of this kind; others are thrown away, messages released. False: it does not
 * come. */
static bool await(struct end *end, enum weir_event_kind kind, struct weir_event *event)
{
    uint64_t until_ns = weir_clock_kernel_ns() + TIMEOUT_NS;

    while (weir_clock_kernel_ns() < until_ns) {
        int count = weir_fabric_poll(end->fabric, event, 1, TIMEOUT_NS);

        if (count < 0)
            return false;
        if (count == 1 && event->kind == kind)
            return true;
        if (count == 1 && event->kind == WEIR_EVENT_MESSAGE)
            weir_link_release(event->link, event->message);
        if (count == 1 && event->kind == WEIR_EVENT_LEFT)
            return false;
    }
    return false;
}

static bool post(struct end *end, const struct weir_wr *wr)
{
    return weir_link_post(end->link, wr, 1) == 1;
}

static bool say(struct end *end, const void *bytes, size_t count)
{
    return post(end, &(struct weir_wr){
                         .verb = WEIR_WR_SEND, .header = bytes, .header_bytes = (uint32_t)count});
}

/* ---- a server in a process of its own ---- */

/* What it does with a message; its first byte. */
enum order { ORDER_ECHO = 'e', ORDER_SUM = 's' };

/* ORDER_SUM is answered with the sum of bytes at the start of the slab, or of other memory. */
struct sum {
    char order;
    bool is_plain;
    uint32_t bytes;
    uint64_t sum;
};

static uint64_t sum_of(const unsigned char *bytes, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

static bool answer(struct end *end, const struct weir_event *event)
{
    char order = event->bytes > 0 ? *(const char *)event->message : (char)ORDER_ECHO;
    struct sum sum;

    if (order != ORDER_SUM)
        return say(end, event->message, event->bytes);
    memcpy(&sum, event->message, sizeof sum);
    sum.sum = sum_of(sum.is_plain ? end->plain : end->slab.memory, sum.bytes);
    return say(end, &sum, sizeof sum);
}

static int serve(struct end *end)
{
    bool owes_keys = false;
    struct keys keys;

    for (;;) {
        struct weir_event event;

        /* The peer may not be ready to receive when it is told of. */
        if (owes_keys && say(end, &keys, sizeof keys))
            owes_keys = false;
        if (weir_fabric_poll(end->fabric, &event, 1, UINT64_MAX) != 1)
            continue;
        if (event.kind == WEIR_EVENT_LEFT)
            return 0;
        if (event.kind == WEIR_EVENT_JOINED) {
            end->link = event.link;
            keys = (struct keys){weir_region_key(end->region), weir_region_key(end->plain_region),
                                 weir_region_key(end->hidden)};
            owes_keys = true;
        } else if (event.kind == WEIR_EVENT_MESSAGE) {
            if (!answer(end, &event))
                return 2;
            weir_link_release(end->link, event.message);
        } else if (event.result != 0) {
            return 3;
        }
    }
}

static int serve_all(uint64_t spin_ns, int to)
{
    char address[WEIR_ADDRESS_BYTES] = "";
    struct weir_error error = {0};
    struct end end;
    int code;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!open_end(&end, spin_ns) || weir_fabric_listen(end.fabric, NULL, address, &error) != 0 ||
        write(to, address, sizeof address) != sizeof address)
        return 9;
    code = serve(&end);
    close_end(&end);
    return code;
}

/* Becomes what a test wants the server to be, before it opens anything. False: not possible. */
typedef bool change_of_life(void);

static pid_t begin_server(uint64_t spin_ns, change_of_life *change,
                          char address[WEIR_ADDRESS_BYTES])
{
    pid_t process;
    int to_us[2];

    assert_int_equal(pipe2(to_us, O_CLOEXEC), 0);
    process = fork();
    assert_true(process >= 0);
    if (process == 0)
        _exit(change && !change() ? 77 : serve_all(spin_ns, to_us[1]));
    close(to_us[1]);
    if (read(to_us[0], address, WEIR_ADDRESS_BYTES) != WEIR_ADDRESS_BYTES)
        address[0] = '\0';
    close(to_us[0]);
    return process;
}

static void end_server(pid_t process, int expected)
{
    int status;

    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, expected);
}

/* Connects, and reads the keys. */
static void join(struct end *end, const char *address, uint64_t spin_ns, struct keys *keys)
{
    struct weir_event event;

    assert_true(open_end(end, spin_ns));
    assert_int_equal(weir_fabric_connect(end->fabric, address, NULL, 0, &end->link), 0);
    assert_true(await(end, WEIR_EVENT_JOINED, &event));
    assert_true(await(end, WEIR_EVENT_MESSAGE, &event));
    assert_int_equal(event.bytes, sizeof *keys);
    memcpy(keys, event.message, sizeof *keys);
    weir_link_release(end->link, event.message);
}

/* A server in a process of its own, and this process as its client. */
struct pair {
    struct keys keys;
    struct end end;
    pid_t server;
};

static void begin_pair(struct pair *pair, uint64_t spin_ns)
{
    char address[WEIR_ADDRESS_BYTES];

    pair->server = begin_server(spin_ns, NULL, address);
    join(&pair->end, address, spin_ns, &pair->keys);
}

/* `expected`: what the server ends with. */
static void end_pair(struct pair *pair, int expected)
{
    close_end(&pair->end);
    end_server(pair->server, expected);
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Checks that all shared memory of a process is anonymous, so that the kernel frees it when the
 * last process ends: a file in /dev/shm would stay. */
static void assert_shares_no_file(pid_t process)
{
    char path[64], line[512];
    unsigned anonymous = 0;
    FILE *maps;

    snprintf(path, sizeof path, "/proc/%d/maps", process);
    maps = fopen(path, "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long inode = 0;
        char flags[8] = "";
        int name = 0;

        assert_true(sscanf(line, "%*s %7s %*s %*s %lu %n", flags, &inode, &name) == 2);
        if (flags[3] != 's' || inode == 0)
            continue;
        if (strncmp(line + name, "/memfd:weir", 11) != 0)
            fail_msg("process %d shares %s", process, line + name);
        anonymous++;
    }
    fclose(maps);
    assert_true(anonymous > 0);
}

/* ---- data and messages ---- */

static void messages_of_every_length_come_back(void **state)
{
    unsigned char bytes[MESSAGE_BYTES];
    struct weir_event event;
    struct pair pair;

    begin_pair(&pair, 0);
    assert_int_equal(weir_link_credits(pair.end.link), CREDITS);
    assert_int_equal(weir_link_message_bytes(pair.end.link), MESSAGE_BYTES);
    for (unsigned length = 0; length <= MESSAGE_BYTES; length++) {
        for (unsigned i = 0; i < length; i++)
            bytes[i] = (unsigned char)(length + i * 7) | 0x80;
        memcpy(pair.end.slab.memory, bytes, length);
        assert_true(post(&pair.end, &(struct weir_wr){.verb = WEIR_WR_SEND,
                                                      .data = pair.end.slab.memory,
                                                      .bytes = length,
                                                      .region = pair.end.region}));
        assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
        assert_int_equal(event.bytes, length);
        assert_int_equal((uintptr_t)event.message % 64, 0);
        assert_memory_equal(event.message, bytes, length);
        weir_link_release(pair.end.link, event.message);
    }
    end_pair(&pair, 0);
}

/* What was written before a message is there when the message is. */
static void writes_are_seen_by_the_message_after_them(void **state)
{
    struct weir_event event;
    struct pair pair;

    begin_pair(&pair, 0);
    for (unsigned round = 0; round < 400; round++) {
        uint32_t bytes = 1 + round * 7919u % (round % 2 ? 20000 : MEMORY_BYTES / 4);
        struct sum sum = {.order = ORDER_SUM, .is_plain = round % 4 >= 2, .bytes = bytes};
        const struct weir_region_key *key = sum.is_plain ? &pair.keys.plain : &pair.keys.slab;

        memset(pair.end.plain, (int)round + 1, bytes);
        pair.end.plain[bytes / 2] = (unsigned char)(round / 3);
        assert_true(post(&pair.end, &(struct weir_wr){.verb = WEIR_WR_WRITE,
                                                      .data = pair.end.plain,
                                                      .bytes = bytes,
                                                      .region = pair.end.plain_region,
                                                      .remote_address = key->address,
                                                      .remote = key}));
        assert_true(say(&pair.end, &sum, sizeof sum));
        assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
        memcpy(&sum, event.message, sizeof sum);
        assert_true(sum.sum == sum_of(pair.end.plain, bytes));
        weir_link_release(pair.end.link, event.message);
    }
    end_pair(&pair, 0);
}

/* Both ends sleep whenever they can. */
static void who_sleeps_is_woken(void **state)
{
    struct weir_event event;
    unsigned slow = 0;
    struct pair pair;

    begin_pair(&pair, 1);
    for (unsigned i = 0; i < PING_PONGS; i++) {
        uint64_t start_ns = weir_clock_kernel_ns();

        assert_true(say(&pair.end, "e", 1));
        assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
        weir_link_release(pair.end.link, event.message);
        slow += weir_clock_kernel_ns() - start_ns >= SLOW_NS;
    }
    /* A host that is busy with other things may be slow now and then. */
    assert_in_range(slow, 0, 10);
    end_pair(&pair, 0);
}

/* What poll does before it sleeps. False: there is an event. */
static bool sleeps(struct end *end, struct weir_event *event)
{
    bool is_armed = false;
    int count = end->fabric->provider->progress(end->fabric, event, 1, &is_armed);

    return count == 0 && is_armed;
}

/* Two ends in one process; and what came while one made up its mind to sleep keeps it awake. */
static void who_has_something_to_tell_does_not_sleep(void **state)
{
    char address[WEIR_ADDRESS_BYTES];
    struct weir_error error = {0};
    struct weir_event event = {.kind = WEIR_EVENT_DONE};
    struct end one, other;
    unsigned joined = 0;

    assert_true(open_end(&one, 0) && open_end(&other, 0));
    assert_int_equal(weir_fabric_listen(other.fabric, NULL, address, &error), 0);
    assert_int_equal(weir_fabric_connect(one.fabric, address, NULL, 0, &one.link), 0);
    for (unsigned round = 0; joined < 2; round++) {
        struct end *end = round % 2 ? &other : &one;

        if (weir_fabric_poll(end->fabric, &event, 1, 1000000) != 1)
            continue;
        assert_int_equal(event.kind, WEIR_EVENT_JOINED);
        end->link = event.link;
        joined++;
    }
    assert_true(sleeps(&other, &event));
    assert_true(say(&one, "e", 1));
    assert_false(sleeps(&one, &event));
    assert_int_equal(event.kind, WEIR_EVENT_DONE);
    assert_false(sleeps(&other, &event));
    assert_int_equal(event.kind, WEIR_EVENT_MESSAGE);
    weir_link_release(other.link, event.message);
    assert_true(sleeps(&one, &event));
    assert_int_equal(weir_fabric_poll(other.fabric, &event, 1, 0), 0);
    assert_true(sleeps(&other, &event));
    close_end(&one);
    close_end(&other);
}

static void messages_wait_for_who_keeps_the_ones_before(void **state)
{
    void *kept[CREDITS];
    struct weir_event event;
    struct pair pair;

    begin_pair(&pair, 0);
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < CREDITS; i++)
            assert_true(say(&pair.end, &(unsigned char[]){'e', (unsigned char)i}, 2));
        for (unsigned i = 0; i < CREDITS; i++) {
            assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
            kept[i] = event.message;
        }
        /* One more answer than there are buffers: it waits. */
        assert_true(say(&pair.end, "ex", 2));
        while (weir_link_outstanding(pair.end.link) > 0)
            assert_true(weir_fabric_poll(pair.end.fabric, &event, 1, TIMEOUT_NS) == 1 &&
                        event.kind == WEIR_EVENT_DONE);
        assert_int_equal(weir_fabric_poll(pair.end.fabric, &event, 1, 2000000), 0);
        for (unsigned i = 0; i < CREDITS; i++) {
            unsigned which = (i * 5 + round) % CREDITS;

            assert_int_equal(((unsigned char *)kept[which])[1], which);
            weir_link_release(pair.end.link, kept[which]);
        }
        assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
        assert_memory_equal(event.message, "ex", 2);
        weir_link_release(pair.end.link, event.message);
    }
    end_pair(&pair, 0);
}

/* What is done is told in time: a long list is not copied as a whole before anything is told. */
static void a_post_copies_only_so_much_at_once(void **state)
{
    struct weir_wr wrs[8];
    struct weir_event event;
    unsigned done = 0;
    struct pair pair;
    int taken;

    begin_pair(&pair, 0);
    for (unsigned i = 0; i < 8; i++)
        wrs[i] = (struct weir_wr){.verb = i % 2 ? WEIR_WR_READ : WEIR_WR_WRITE,
                                  .data = pair.end.slab.memory,
                                  .bytes = MEMORY_BYTES / 4,
                                  .region = pair.end.region,
                                  .remote_address = pair.keys.slab.address,
                                  .remote = &pair.keys.slab,
                                  .context = &wrs[i]};
    for (unsigned posted = 0; posted < 8; posted += (unsigned)taken) {
        taken = weir_link_post(pair.end.link, wrs + posted, 8 - posted);
        assert_int_equal(taken, 1);
        assert_int_equal(weir_link_outstanding(pair.end.link), 1);
        assert_true(await(&pair.end, WEIR_EVENT_DONE, &event));
        assert_int_equal(event.result, 0);
        assert_ptr_equal(event.context, &wrs[done++]);
    }
    end_pair(&pair, 0);
}

/* ---- peers that lie ---- */

static int result_of(struct end *end, enum weir_wr_verb verb, const struct weir_region_key *key)
{
    struct weir_event event;

    assert_true(post(end, &(struct weir_wr){.verb = verb,
                                            .data = end->plain,
                                            .bytes = 8,
                                            .region = end->plain_region,
                                            .remote_address = key->address,
                                            .remote = key}));
    assert_true(await(end, WEIR_EVENT_DONE, &event));
    return event.result;
}

static void keys_that_open_nothing_are_refused_and_the_link_stays(void **state)
{
    struct weir_event event;
    struct pair pair;

    begin_pair(&pair, 0);
    {
        struct weir_region_key forged[5];

        for (unsigned i = 0; i < 5; i++)
            forged[i] = pair.keys.slab;
        forged[0] = pair.keys.hidden;
        forged[1].process = getpid(); /* not the peer's */
        forged[1].fd = pair.end.slab.fd;
        forged[2].fd = 0;
        forged[3].bytes = 7;
        forged[4] = pair.keys.plain;
        forged[4].address = 64; /* nothing is there */
        for (unsigned i = 0; i < 5; i++) {
            assert_int_equal(result_of(&pair.end, WEIR_WR_READ, &forged[i]), -EACCES);
            assert_int_equal(result_of(&pair.end, WEIR_WR_WRITE, &forged[i]), -EACCES);
        }
    }
    assert_int_equal(result_of(&pair.end, WEIR_WR_READ, &pair.keys.slab), 0);
    assert_true(say(&pair.end, "e", 1));
    assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
    end_pair(&pair, 0);
}

/* Into every inbox of this process, as a peer that has gone mad could. */
static void scribble_into_inboxes(uint32_t sent)
{
    for (int fd = 0; fd < 256; fd++) {
        char path[64], name[64] = "";
        struct weir_shm_inbox_head *head;

        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, name, sizeof name - 1) < 0 || !strstr(name, "memfd:weir"))
            continue;
        head = mmap(NULL, sizeof *head, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(head, MAP_FAILED);
        atomic_store(&head->sent, sent);
        munmap(head, sizeof *head);
    }
}

static void an_inbox_full_of_nonsense_ends_the_link(void **state)
{
    struct weir_event event;
    struct pair pair;

    begin_pair(&pair, 0);
    scribble_into_inboxes(123456);
    assert_false(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
    assert_int_equal(event.kind, WEIR_EVENT_LEFT);
    assert_int_equal(event.result, -EPROTO);
    assert_int_equal(weir_fabric_poll(pair.end.fabric, &event, 1, 1000000), 0);
    assert_true(
        weir_link_post(pair.end.link,
                       &(struct weir_wr){.verb = WEIR_WR_SEND, .header = "e", .header_bytes = 1},
                       1) < 0);
    end_pair(&pair, 0);
}

/* ---- peers that die ---- */

/* In the middle of everything: writes fly, messages are under way. */
static void a_peer_that_is_killed_has_left_and_leaves_nothing(void **state)
{
    unsigned descriptors = open_descriptors();

    for (unsigned round = 0; round < 5; round++) {
        char address[WEIR_ADDRESS_BYTES];
        struct weir_event event = {.kind = WEIR_EVENT_DONE};
        unsigned wrs = 0, unanswered = 0;
        struct keys keys;
        struct end end;
        pid_t server = begin_server(round % 2, NULL, address);

        join(&end, address, round % 2, &keys);
        assert_shares_no_file(server);
        assert_shares_no_file(getpid());
        while (event.kind != WEIR_EVENT_LEFT) {
            struct weir_wr wr = {.verb = WEIR_WR_WRITE,
                                 .data = end.plain,
                                 .bytes = 65536,
                                 .region = end.plain_region,
                                 .remote_address =
                                     round < 3 ? keys.slab.address : keys.plain.address,
                                 .remote = round < 3 ? &keys.slab : &keys.plain};

            if (weir_link_post(end.link, &wr, 1) == 1 && ++wrs == 20 + round)
                kill(server, SIGKILL);
            unanswered += unanswered < CREDITS && say(&end, "e", 1);
            if (weir_fabric_poll(end.fabric, &event, 1, 1000000) < 1)
                continue;
            if (event.kind == WEIR_EVENT_MESSAGE) {
                weir_link_release(end.link, event.message);
                unanswered--;
            }
            assert_true(event.kind != WEIR_EVENT_DONE || event.result == 0 ||
                        event.result == -ECONNRESET || event.result == -EACCES);
        }
        assert_true(event.result < 0);
        assert_int_equal(weir_link_outstanding(end.link), 0);
        weir_link_close(end.link);
        close_end(&end);
        end_server(server, SIGKILL);
    }
    assert_int_equal(open_descriptors(), descriptors);
}

/* Its last words are heard. */
static void what_a_peer_said_before_it_left_is_told_first(void **state)
{
    struct weir_event event;
    struct pair pair;

    begin_pair(&pair, 0);
    for (unsigned i = 0; i < CREDITS; i++)
        assert_true(say(&pair.end, &(unsigned char[]){'e', (unsigned char)i}, 2));
    usleep(100000);
    kill(pair.server, SIGKILL);
    end_server(pair.server, SIGKILL);
    usleep(10000);
    for (unsigned i = 0; i < CREDITS; i++) {
        assert_true(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
        assert_int_equal(((unsigned char *)event.message)[1], i);
        weir_link_release(pair.end.link, event.message);
    }
    assert_false(await(&pair.end, WEIR_EVENT_MESSAGE, &event));
    assert_int_equal(event.kind, WEIR_EVENT_LEFT);
    close_end(&pair.end);
}

/* ---- peers that cannot be reached ---- */

static bool become_nobody(void)
{
    return setgid(65534) == 0 && setuid(65534) == 0;
}

/* The process that goes on is in the new namespace, and its parent passes on how it ends. */
static bool leave_namespace(void)
{
    int status;
    pid_t process;

    if (unshare(CLONE_NEWPID) != 0)
        return false;
    process = fork();
    if (process == 0)
        return true;
    waitpid(process, &status, 0);
    _exit(WEXITSTATUS(status));
}

static void refuse_to_join(change_of_life *change)
{
    char address[WEIR_ADDRESS_BYTES];
    struct weir_event event;
    struct end end;
    pid_t server = begin_server(0, change, address);
    int status;

    if (address[0] == '\0') {
        waitpid(server, &status, 0);
        skip();
    }
    assert_true(open_end(&end, 0));
    assert_int_equal(weir_fabric_connect(end.fabric, address, NULL, 0, &end.link), 0);
    assert_int_equal(weir_fabric_poll(end.fabric, &event, 1, TIMEOUT_NS), 1);
    assert_int_equal(event.kind, WEIR_EVENT_LEFT);
    assert_true(event.result < 0);
    close_end(&end);
    kill(server, SIGKILL);
    waitpid(server, &status, 0);
}

static void a_peer_of_another_user_cannot_join(void **state)
{
    refuse_to_join(become_nobody);
}

static void a_peer_in_another_container_cannot_join(void **state)
{
    refuse_to_join(leave_namespace);
}

/* A process of another user that is linked by a socket, which it closes at SIGUSR1, and lives until
 * it is killed. */
static pid_t connect_as_nobody(int family, const struct sockaddr *address, socklen_t bytes)
{
    sigset_t closing;
    pid_t child;
    int fd, number;

    sigemptyset(&closing);
    sigaddset(&closing, SIGUSR1);
    sigprocmask(SIG_BLOCK, &closing, NULL);
    child = fork();
    if (child != 0)
        return child;
    /* In this order: another user clears the signal. */
    if (setuid(65534) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        _exit(1);
    fd = socket(family, SOCK_STREAM, 0);
    if (connect(fd, address, bytes) != 0)
        _exit(1);
    sigwait(&closing, &number);
    close(fd);
    for (;;)
        pause();
}

static void root_goes_by_the_owner_of_the_socket_and_not_by_what_a_peer_says(void **state)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const struct weir_shm_place root = {.user = 0}, nobody = {.user = 65534};

    if (geteuid() != 0)
        skip();
    for (unsigned i = 0; i < 2; i++) {
        struct sockaddr *address = i ? (struct sockaddr *)&six : (struct sockaddr *)&four;
        socklen_t bytes = i ? sizeof six : sizeof four;
        int listener = socket(address->sa_family, SOCK_STREAM, 0);
        struct weir_shm_peer self, other;
        const char *refusal;
        pid_t child;
        char byte;
        int fd;

        if (listener < 0 || bind(listener, address, bytes) != 0)
            continue; /* no IPv6 here */
        assert_int_equal(listen(listener, 1), 0);
        assert_int_equal(getsockname(listener, address, &bytes), 0);
        child = connect_as_nobody(address->sa_family, address, bytes);
        fd = accept(listener, NULL, NULL);
        assert_true(fd >= 0);
        assert_int_equal(weir_shm_peer_open(&self, getpid()), 0);
        assert_int_equal(weir_shm_peer_open(&other, child), 0);
        refusal = weir_shm_peer_refuse(fd, &root, &self);
        assert_non_null(refusal);
        assert_non_null(strstr(refusal, "not its user's"));
        assert_null(weir_shm_peer_refuse(fd, &root, &other));
        assert_null(weir_shm_peer_refuse(fd, &nobody, &self));
        /* The kernel's tables have a socket that is closed as one of root's. */
        kill(child, SIGUSR1);
        assert_int_equal(recv(fd, &byte, 1, 0), 0);
        assert_non_null(weir_shm_peer_refuse(fd, &root, &self));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        assert_non_null(weir_shm_peer_refuse(fd, &root, &other));
        weir_shm_peer_close(&self);
        weir_shm_peer_close(&other);
        close(fd);
        close(listener);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_every_length_come_back),
        cmocka_unit_test(writes_are_seen_by_the_message_after_them),
        cmocka_unit_test(who_sleeps_is_woken),
        cmocka_unit_test(who_has_something_to_tell_does_not_sleep),
        cmocka_unit_test(messages_wait_for_who_keeps_the_ones_before),
        cmocka_unit_test(a_post_copies_only_so_much_at_once),
        cmocka_unit_test(keys_that_open_nothing_are_refused_and_the_link_stays),
        cmocka_unit_test(an_inbox_full_of_nonsense_ends_the_link),
        cmocka_unit_test(a_peer_that_is_killed_has_left_and_leaves_nothing),
        cmocka_unit_test(what_a_peer_said_before_it_left_is_told_first),
        cmocka_unit_test(a_peer_of_another_user_cannot_join),
        cmocka_unit_test(root_goes_by_the_owner_of_the_socket_and_not_by_what_a_peer_says),
        cmocka_unit_test(a_peer_in_another_container_cannot_join),
    };

    return cmocka_run_group_tests_name("shm", tests, NULL, NULL);
}

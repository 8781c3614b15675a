/* SPDX-License-Identifier: Apache-2.0 */
/* Sets a ring up by asking for everything and dropping what the kernel does not know, and says in
 * words what came of it. */
#include "uring_ring.h"

#include "posix_files.h"

#include "weir/base/clock.h"
#include "weir/base/remedy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_MAX = 4096, DRAIN_NS = 100000000 };

#define WAY_OUT "use " WEIR_REMEDY_BACKEND " libaio or " WEIR_REMEDY_BACKEND " posix"

/* What is asked of the kernel though not needed, the newest first. Polling by a thread of the
 * kernel has no use for `own` ones, which are about the task that waits. */
static const struct {
    unsigned flags;
    bool is_own;
    const char *name;  /* what it is called in results; NULL: not worth a word */
    const char *since; /* the Linux that has it */
} features[] = {
    {IORING_SETUP_DEFER_TASKRUN, true, "deferred task work", "6.1"},
    {IORING_SETUP_SINGLE_ISSUER, false, "single issuer", "6.0"},
    {IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, true, "cooperative task work", "5.19"},
    {IORING_SETUP_SUBMIT_ALL, false, NULL, "5.18"},
    {IORING_SETUP_CQSIZE, false, NULL, "5.5"},
};

enum { FEATURE_COUNT = sizeof features / sizeof *features };

/* ---- set-up ---- */

static unsigned requested_flags(const struct weir_uring_request *request)
{
    unsigned flags = 0;

    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (!features[i].is_own || !request->has_poller)
            flags |= features[i].flags;
    if (request->is_polled)
        flags |= IORING_SETUP_IOPOLL;
    if (request->has_poller)
        flags |= IORING_SETUP_SQPOLL;
    if (request->poller_cpu >= 0)
        flags |= IORING_SETUP_SQ_AFF;
    return flags;
}

static int set_up(struct weir_uring_ring *ring, unsigned flags)
{
    const struct weir_uring_request *request = &ring->request;
    struct io_uring_params params = {
        .flags = flags,
        .cq_entries = request->depth > request->entries ? request->depth : request->entries,
        .sq_thread_cpu = request->poller_cpu >= 0 ? (unsigned)request->poller_cpu : 0,
        .sq_thread_idle = request->poller_idle_ms,
    };
    int rc;

    if (!(flags & IORING_SETUP_CQSIZE))
        params.cq_entries = 0;
    rc = io_uring_queue_init_params(request->entries, &ring->ring, &params);
    if (rc == 0)
        ring->room = params.cq_entries;
    return rc;
}

static int set_up_with_what_there_is(struct weir_uring_ring *ring)
{
    unsigned flags = ring->asked_flags;
    int rc = set_up(ring, flags);

    for (unsigned i = 0; i < FEATURE_COUNT && rc == -EINVAL; i++) {
        if (!(flags & features[i].flags))
            continue;
        flags &= ~features[i].flags;
        rc = set_up(ring, flags);
    }
    return rc;
}

/* ---- why there is no ring ---- */

static int refuse_forbidden(const char *place, struct weir_error *error)
{
    /* 0, 1 (for all but a group) or 2; the kernel may not have it. */
    long value = weir_posix_kernel_number("/proc/sys/kernel/io_uring_disabled");

    if (value > 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EPERM, place,
                              "io_uring is switched off on this host (sysctl "
                              "kernel.io_uring_disabled is %ld): have it set to 0, or " WAY_OUT,
                              value);
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EPERM, place,
                          "io_uring is forbidden to this process, as containers do (sysctl "
                          "kernel.io_uring_disabled is %s): have it allowed, or " WAY_OUT,
                          value == 0 ? "0" : "not there");
}

/* The limit of memory that may be locked, for sentences. */
static const char *format_lock_limit(char text[WEIR_SIZE_TEXT_BYTES])
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return "none";
    return weir_size_format_exact(limit.rlim_cur, text);
}

static int refuse(const struct weir_uring_ring *ring, int rc, const char *place,
                  struct weir_error *error)
{
    const struct weir_uring_request *request = &ring->request;
    char limit[WEIR_SIZE_TEXT_BYTES];

    if (rc == -EPERM || rc == -EACCES)
        return refuse_forbidden(place, error);
    if (rc == -ENOSYS)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, place,
                              "this kernel has no io_uring: " WAY_OUT);
    if (rc == -ENOMEM)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, place,
                              "no memory for a ring of %u: older kernels count it as locked "
                              "memory, whose limit is %s: raise that (ulimit -l), take a smaller "
                              "--depth, or " WAY_OUT,
                              request->entries, format_lock_limit(limit));
    if (rc == -EINVAL && request->poller_cpu >= 0)
        return weir_error_usage(error, place,
                                "--uring.sqpoll-cpu: the kernel has no CPU %d for its thread: "
                                "name another, or leave the option out",
                                request->poller_cpu);
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, place,
                          "a ring of %u cannot be set up: %s: " WAY_OUT, request->entries,
                          strerror(-rc));
}

/* ---- what is registered ---- */

/* Places for files to come. Kernels before 5.19 want to be given a list of none. */
static int register_places(struct weir_uring_ring *ring, unsigned count)
{
    int rc = io_uring_register_files_sparse(&ring->ring, count);
    int *none;

    if (rc != -EINVAL)
        return rc;
    none = malloc(count * sizeof *none);
    if (!none)
        return -ENOMEM;
    memset(none, -1, count * sizeof *none);
    rc = io_uring_register_files(&ring->ring, none, count);
    free(none);
    return rc;
}

static void prepare_files(struct weir_uring_ring *ring)
{
    struct rlimit limit = {.rlim_cur = FILES_MAX};
    unsigned count;

    if (!ring->request.must_register_files)
        return;
    getrlimit(RLIMIT_NOFILE, &limit);
    count = limit.rlim_cur < FILES_MAX ? (unsigned)limit.rlim_cur : FILES_MAX;
    ring->is_placed = calloc(count, sizeof *ring->is_placed);
    ring->files_rc = ring->is_placed ? register_places(ring, count) : -ENOMEM;
    if (ring->files_rc == 0)
        ring->file_count = count;
}

int weir_uring_ring_open(struct weir_uring_ring *ring, const struct weir_uring_request *request,
                         const char *place, struct weir_error *error)
{
    int rc;

    *ring = (struct weir_uring_ring){.request = *request, .asked_flags = requested_flags(request)};
    rc = set_up_with_what_there_is(ring);
    if (rc < 0)
        return refuse(ring, rc, place, error);
    if (!(ring->ring.features & IORING_FEAT_EXT_ARG)) {
        io_uring_queue_exit(&ring->ring);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EOPNOTSUPP, place,
                              "io_uring of this kernel cannot limit its waiting, as that of Linux "
                              "5.11 can: " WAY_OUT);
    }
    rc = io_uring_register_ring_fd(&ring->ring);
    ring->ring_rc = rc < 0 ? rc : 0;
    prepare_files(ring);
    return 0;
}

/* What the kernel has not been told of, and will not be. Its thread takes what it was told of in
 * its own time. */
static unsigned count_withheld(const struct weir_uring_ring *ring)
{
    return ring->request.has_poller ? ring->ring.sq.sqe_tail - ring->ring.sq.sqe_head
                                    : io_uring_sq_ready(&ring->ring);
}

void weir_uring_ring_drain(struct weir_uring_ring *ring)
{
    unsigned withheld = count_withheld(ring);

    while (ring->flying > withheld) {
        struct io_uring_sync_cancel_reg all = {.flags = IORING_ASYNC_CANCEL_ANY |
                                                        IORING_ASYNC_CANCEL_ALL};
        struct __kernel_timespec timeout = {.tv_nsec = DRAIN_NS};
        struct io_uring_cqe *first;
        unsigned count;
        int rc;

        /* Only what has not begun can be cancelled, and only since Linux 6.0: the rest is waited
         * for. What the kernel's thread takes up meanwhile is cancelled the next time. */
        io_uring_register_sync_cancel(&ring->ring, &all);
        rc = io_uring_wait_cqe_timeout(&ring->ring, &first, &timeout);
        if (rc < 0 && rc != -EINTR && rc != -ETIME)
            return;
        count = io_uring_cq_ready(&ring->ring);
        io_uring_cq_advance(&ring->ring, count);
        ring->flying -= count;
    }
}

void weir_uring_ring_close(struct weir_uring_ring *ring)
{
    weir_uring_ring_drain(ring);
    io_uring_queue_exit(&ring->ring);
    free(ring->is_placed);
}

void weir_uring_ring_lend(struct weir_uring_ring *ring, void *memory, size_t bytes)
{
    const size_t most = (size_t)1 << WEIR_URING_BUFFER_SHIFT;
    size_t count = (bytes + most - 1) / most;
    struct iovec *pieces;

    if (!ring->request.must_register_memory || count == 0)
        return;
    pieces = calloc(count, sizeof *pieces);
    for (size_t i = 0; pieces && i < count; i++) {
        pieces[i].iov_base = (unsigned char *)memory + i * most;
        pieces[i].iov_len = i + 1 < count ? most : bytes - i * most;
    }
    ring->memory_bytes = bytes;
    ring->memory_rc =
        pieces ? io_uring_register_buffers(&ring->ring, pieces, (unsigned)count) : -ENOMEM;
    free(pieces);
    if (ring->memory_rc < 0)
        return;
    ring->memory = (uintptr_t)memory;
    ring->registered_bytes = bytes;
}

void weir_uring_ring_give_back(struct weir_uring_ring *ring)
{
    weir_uring_ring_drain(ring);
    if (ring->registered_bytes > 0)
        io_uring_unregister_buffers(&ring->ring);
    ring->registered_bytes = 0;
}

void weir_uring_ring_add_file(struct weir_uring_ring *ring, int fd)
{
    if ((unsigned)fd >= ring->file_count) {
        ring->unplaced_count++;
        return;
    }
    ring->is_placed[fd] = io_uring_register_files_update(&ring->ring, (unsigned)fd, &fd, 1) == 1;
    ring->placed_count += ring->is_placed[fd];
}

void weir_uring_ring_remove_file(struct weir_uring_ring *ring, int fd)
{
    int none = -1;

    if (!weir_uring_ring_has_file(ring, fd))
        return;
    io_uring_register_files_update(&ring->ring, (unsigned)fd, &none, 1);
    ring->is_placed[fd] = false;
}

/* ---- what came of it, in words ---- */

static void describe_features(const struct weir_uring_ring *ring, struct weir_session_facts *facts)
{
    for (unsigned i = 0; i < FEATURE_COUNT; i++) {
        unsigned flags = features[i].flags;

        if (!features[i].name || !(ring->asked_flags & flags))
            continue;
        if ((ring->ring.flags & flags) == flags) {
            weir_session_got(facts, "%s", features[i].name);
            continue;
        }
        weir_session_missed(facts, "io_uring has no %s -> Linux %s", features[i].name,
                            features[i].since);
    }
}

static void describe_memory(const struct weir_uring_ring *ring, struct weir_session_facts *facts)
{
    char bytes[WEIR_SIZE_TEXT_BYTES];
    char limit[WEIR_SIZE_TEXT_BYTES];

    if (ring->registered_bytes > 0)
        weir_session_got(facts, "fixed buffers");
    if (ring->memory_rc == 0)
        return;
    weir_size_format_exact(ring->memory_bytes, bytes);
    if (ring->memory_rc == -ENOMEM)
        weir_session_missed(facts, "buffers of %s were not registered (limit %s) -> ulimit -l",
                            bytes, format_lock_limit(limit));
    else
        weir_session_missed(facts, "buffers were not registered (%s) -> --uring.fixed-buffers=0",
                            strerror(-ring->memory_rc));
}

static void describe_files(const struct weir_uring_ring *ring, struct weir_session_facts *facts)
{
    if (ring->placed_count > 0)
        weir_session_got(facts, "registered files");
    if (ring->files_rc < 0) {
        weir_session_missed(facts, "files were not registered (%s) -> --uring.fixed-files=0",
                            strerror(-ring->files_rc));
    }
    if (ring->file_count > 0 && ring->unplaced_count > 0) {
        weir_session_missed(facts,
                            "%u files were not registered, as descriptors from %u on have no place",
                            ring->unplaced_count, ring->file_count);
    }
}

void weir_uring_ring_describe(const struct weir_uring_ring *ring, struct weir_session_facts *facts)
{
    weir_session_got(facts, "ring of %u", ring->ring.sq.ring_entries);
    if (ring->room < ring->request.depth) {
        weir_session_missed(facts, "the ring holds %u of depth %u -> leave --uring.entries out",
                            ring->room, ring->request.depth);
    }
    describe_features(ring, facts);
    if (ring->request.has_poller)
        weir_session_got(facts, "submission by the kernel's thread");
    if (ring->request.is_polled)
        weir_session_got(facts, "polled completions");
    else if (ring->request.spin_ns > 0)
        weir_session_got(facts, "waits that spin up to %llu us",
                         (unsigned long long)(ring->request.spin_ns / 1000));
    if (ring->ring_rc == 0) {
        weir_session_got(facts, "registered ring");
    } else {
        weir_session_missed(facts, "the ring was not registered (%s) -> Linux 5.18",
                            strerror(-ring->ring_rc));
    }
    describe_memory(ring, facts);
    describe_files(ring, facts);
}

/* ---- system calls ---- */

void weir_uring_ring_wait_for_space(struct weir_uring_ring *ring)
{
    int rc = 0;

    while ((rc >= 0 || rc == -EINTR) && io_uring_sq_space_left(&ring->ring) == 0)
        rc = io_uring_sqring_wait(&ring->ring);
}

/* Hands over without waiting. Where completions are brought in by the calls of this task alone,
 * they are asked for with it. */
static int hand_over(struct weir_uring_ring *ring)
{
    return ring->request.has_poller ? io_uring_submit(&ring->ring)
                                    : io_uring_submit_and_get_events(&ring->ring);
}

/* True if completions may be had by nothing but a call. */
static bool must_look(const struct weir_uring_ring *ring)
{
    const unsigned hidden = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;

    return (ring->request.is_polled && !ring->request.has_poller) ||
           IO_URING_READ_ONCE(*ring->ring.sq.kflags) & hidden;
}

static bool should_spin(struct weir_uring_ring *ring)
{
    if (ring->request.spin_ns == 0 || ring->request.is_polled)
        return false;
    if (ring->spin_skips == 0)
        return true;
    ring->spin_skips--;
    return false;
}

/* Looks at the ring until `min` completions are there or the time is over: putting the task to
 * sleep, and its processor, and waking them costs about as much as a transfer of a fast device.
 * Slow devices are spun for seldom. */
static bool spin(struct weir_uring_ring *ring, unsigned min)
{
    uint64_t end_ns = weir_clock_kernel_ns() + ring->request.spin_ns;

    do {
        if (must_look(ring))
            io_uring_get_events(&ring->ring);
        if (io_uring_cq_ready(&ring->ring) >= min) {
            ring->spin_misses = 0;
            return true;
        }
    } while (weir_clock_kernel_ns() < end_ns);
    if (ring->spin_misses < WEIR_URING_MISSES_MAX)
        ring->spin_misses++;
    ring->spin_skips = (1U << ring->spin_misses) - 1;
    return false;
}

static struct __kernel_timespec timespec_of(uint64_t ns)
{
    return (struct __kernel_timespec){.tv_sec = (long long)(ns / 1000000000),
                                      .tv_nsec = (long long)(ns % 1000000000)};
}

static int hand_over_and_wait(struct weir_uring_ring *ring, unsigned min, uint64_t timeout_ns)
{
    struct __kernel_timespec timeout = timespec_of(timeout_ns);
    struct io_uring_cqe *first;

    if (min == 0 || timeout_ns == 0)
        return hand_over(ring);
    if (timeout_ns > ring->request.spin_ns && should_spin(ring)) {
        int rc = hand_over(ring);

        if (rc < 0 || spin(ring, min))
            return rc;
    }
    if (timeout_ns == WEIR_FOREVER)
        return io_uring_submit_and_wait(&ring->ring, min);
    return io_uring_submit_and_wait_timeout(&ring->ring, &first, min, &timeout, NULL);
}

/* The kernel had no memory for a request: what it has already is waited for, and gives some. */
static int wait_for_one(struct weir_uring_ring *ring, unsigned min, uint64_t timeout_ns)
{
    struct __kernel_timespec timeout = timespec_of(timeout_ns);
    struct io_uring_cqe *first;
    int rc;

    if (io_uring_cq_ready(&ring->ring) > 0 || min == 0)
        return 0;
    if (ring->flying <= io_uring_sq_ready(&ring->ring))
        return -ENOMEM;
    rc = timeout_ns == WEIR_FOREVER ? io_uring_wait_cqe(&ring->ring, &first)
                                    : io_uring_wait_cqe_timeout(&ring->ring, &first, &timeout);
    return rc == -EINTR || rc == -ETIME ? 0 : rc;
}

/* More is to be handed over or waited for. A call that could not take all has not waited either,
 * and one that polls may come back with too few for no reason. */
static bool must_go_on(const struct weir_uring_ring *ring, unsigned before, unsigned prepared,
                       uint64_t timeout_ns)
{
    if (ring->request.is_polled && timeout_ns == WEIR_FOREVER)
        return true;
    return prepared > 0 && prepared != before && !ring->request.has_poller;
}

int weir_uring_ring_turn(struct weir_uring_ring *ring, unsigned min, uint64_t timeout_ns)
{
    unsigned prepared = io_uring_sq_ready(&ring->ring);
    unsigned ready = io_uring_cq_ready(&ring->ring);

    while (prepared > 0 || ready < min || (ready == 0 && must_look(ring))) {
        unsigned least = ready < min ? min : 0;
        unsigned before = prepared;
        int rc = hand_over_and_wait(ring, least, timeout_ns);

        if (rc == -EAGAIN || rc == -EBUSY)
            return wait_for_one(ring, min, timeout_ns);
        if (rc < 0)
            return rc == -EINTR || rc == -ETIME ? 0 : rc;
        prepared = io_uring_sq_ready(&ring->ring);
        ready = io_uring_cq_ready(&ring->ring);
        if (ready >= min || !must_go_on(ring, before, prepared, timeout_ns))
            break;
    }
    return 0;
}

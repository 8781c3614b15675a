/* SPDX-License-Identifier: Apache-2.0 */
/* What the uring backend says of hosts that have less of io_uring, or none. */
#include "weir/io/backend.h"

#include <errno.h>
#include <liburing.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct weir_backend weir_backend_uring;

/* ---- a made-up kernel ---- */

struct kernel {
    int setup_result;      /* below 0: of all rings; */
    int poller_result;     /* of those with a thread of the kernel */
    unsigned known_flags;  /* of io_uring_setup; 0: all */
    unsigned most_buffers; /* that can be registered; 0: all */
    int memory_result;     /* below 0: of all registering */
    int flag_error;        /* of preadv2 with flags */
    int has_no_probe;
    const char *disabled; /* kernel.io_uring_disabled; NULL: not there */
    const char *status;   /* /proc/self/status */
};

static struct kernel kernel;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                                      struct io_uring_params *params);
int __wrap_io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                                      struct io_uring_params *params);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *pieces,
                                     unsigned count);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *pieces,
                                     unsigned count);
struct io_uring_probe *__real_io_uring_get_probe_ring(struct io_uring *ring);
struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring);
ssize_t __real_preadv2(int fd, const struct iovec *places, int count, off_t offset, int flags);
ssize_t __wrap_preadv2(int fd, const struct iovec *places, int count, off_t offset, int flags);

FILE *__wrap_fopen(const char *path, const char *mode)
{
    const char *text = NULL;

    if (strcmp(path, "/proc/sys/kernel/io_uring_disabled") == 0)
        text = kernel.disabled;
    else if (strcmp(path, "/proc/self/status") == 0)
        text = kernel.status != NULL ? kernel.status : "Seccomp:\t0\n";
    else
        return __real_fopen(path, mode);
    return text != NULL ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : NULL;
}

int __wrap_io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                                      struct io_uring_params *params)
{
    if (kernel.setup_result < 0)
        return kernel.setup_result;
    if (kernel.poller_result < 0 && params->flags & IORING_SETUP_SQPOLL)
        return kernel.poller_result;
    if (kernel.known_flags != 0 && params->flags & ~kernel.known_flags)
        return -EINVAL;
    return __real_io_uring_queue_init_params(entries, ring, params);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *pieces,
                                     unsigned count)
{
    if (kernel.memory_result < 0)
        return kernel.memory_result;
    if (kernel.most_buffers != 0 && count > kernel.most_buffers)
        return -ENOMEM;
    return __real_io_uring_register_buffers(ring, pieces, count);
}

struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring)
{
    return kernel.has_no_probe ? NULL : __real_io_uring_get_probe_ring(ring);
}

ssize_t __wrap_preadv2(int fd, const struct iovec *places, int count, off_t offset, int flags)
{
    if (kernel.flag_error == 0)
        return __real_preadv2(fd, places, count, offset, flags);
    errno = kernel.flag_error;
    return -1;
}

static int has_io_uring(void **state)
{
    struct io_uring ring;
    int rc;

    (void)state;
    rc = io_uring_queue_init(1, &ring, 0);
    if (rc < 0) {
        print_message("skipped: this kernel gives no ring: %s\n", strerror(-rc));
        skip();
    }
    io_uring_queue_exit(&ring);
    return 0;
}

/* ---- what is said ---- */

static void expect(const struct weir_diagnosis *diagnosis, const char *subject,
                   enum weir_verdict verdict, const char *text, const char *remedy)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct weir_diagnosis_line *line = &diagnosis->lines[i];

        if (strcmp(line->subject, subject) != 0)
            continue;
        if (line->verdict != verdict || strstr(line->text, text) == NULL)
            fail_msg("%s: %s: %s", subject, weir_verdict_name(line->verdict), line->text);
        if ((remedy == NULL) != (line->remedy == NULL) ||
            (remedy != NULL && strstr(line->remedy, remedy) == NULL))
            fail_msg("%s: -> %s", subject, line->remedy != NULL ? line->remedy : "(none)");
        return;
    }
    fail_msg("nothing is said of %s", subject);
}

static void a_host_without_rings_says_why(void **state)
{
    static const struct {
        struct kernel kernel;
        const char *text;
        const char *remedy;
    } cases[] = {
        {{.setup_result = -EPERM, .disabled = "2\n"}, "io_uring_disabled is 2", "=0"},
        {{.setup_result = -EPERM, .disabled = "1\n"}, "all but a group", "io_uring_group=NUMBER"},
        {{.setup_result = -EPERM, .disabled = "0\n", .status = "Seccomp:\t2\n"},
         "seccomp filter",
         "seccomp=unconfined"},
        {{.setup_result = -EPERM}, "security module", "dmesg"},
        {{.setup_result = -ENOSYS, .status = "Seccomp:\t2\n"}, "seccomp filter", "io_uring_setup"},
        {{.setup_result = -ENOSYS}, "this kernel has none", "Linux 5.11"},
        {{.setup_result = -EOPNOTSUPP}, "too old", "Linux 5.11"},
        {{.setup_result = -ENOMEM}, "Cannot allocate memory", "memlock"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_diagnosis diagnosis = {0};

        kernel = cases[i].kernel;
        weir_backend_uring.diagnose(&diagnosis, "/tmp/none");
        assert_int_equal(diagnosis.count, 1);
        expect(&diagnosis, "io_uring", WEIR_MISSING, cases[i].text, cases[i].remedy);
        weir_diagnosis_close(&diagnosis);
    }
}

static void what_a_ring_lacks_is_told(void **state)
{
    static const struct {
        struct kernel kernel;
        const char *subject;
        enum weir_verdict verdict;
        const char *text;
        const char *remedy;
    } cases[] = {
        {{.known_flags = IORING_SETUP_CQSIZE | IORING_SETUP_SQPOLL | IORING_SETUP_IOPOLL},
         "io_uring",
         WEIR_LIMITED,
         "no deferred task work",
         "later kernel"},
        {{.has_no_probe = 1},
         "io_uring",
         WEIR_LIMITED,
         "block: read, read-fixed, write",
         "later kernel"},
        {{.most_buffers = 8}, "fixed buffers", WEIR_LIMITED, "registered, 8 can", "see memlock"},
        {{.most_buffers = 11}, "fixed buffers", WEIR_LIMITED, "registered, 8 can", "see memlock"},
        {{.memory_result = -ENOMEM},
         "fixed buffers",
         WEIR_LIMITED,
         "registered, 0 can",
         "fixed-buffers=0"},
        {{.memory_result = -EOPNOTSUPP},
         "fixed buffers",
         WEIR_LIMITED,
         "not supported",
         "fixed-buffers=0"},
        {{.most_buffers = 32}, "fixed buffers", WEIR_GOOD, "32 buffers of 1 MiB can", NULL},
        {{.poller_result = -EPERM}, "SQPOLL", WEIR_LIMITED, "not permitted", "run as root"},
        {{.flag_error = EOPNOTSUPP}, "NOWAIT", WEIR_NOTED, "--uring.nowait is refused", NULL},
        {{.flag_error = EOPNOTSUPP}, "DONTCACHE", WEIR_NOTED, "Linux 6.14", NULL},
        {{.flag_error = EAGAIN}, "NOWAIT", WEIR_GOOD, "has it", NULL},
        {{.flag_error = EAGAIN}, "DONTCACHE", WEIR_GOOD, "has it", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_diagnosis diagnosis = {0};

        kernel = cases[i].kernel;
        weir_backend_uring.diagnose(&diagnosis, "/tmp/none");
        expect(&diagnosis, cases[i].subject, cases[i].verdict, cases[i].text, cases[i].remedy);
        weir_diagnosis_close(&diagnosis);
    }
}

static void without_a_path_nothing_is_said_of_a_target(void **state)
{
    struct weir_diagnosis diagnosis = {0};

    (void)state;
    kernel = (struct kernel){0};
    weir_backend_uring.diagnose(&diagnosis, NULL);
    assert_int_equal(diagnosis.count, 3);
    weir_diagnosis_close(&diagnosis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_rings_says_why),
        cmocka_unit_test_setup(what_a_ring_lacks_is_told, has_io_uring),
        cmocka_unit_test_setup(without_a_path_nothing_is_said_of_a_target, has_io_uring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the libaio backend says of hosts that have no room for it, or forbid it. */
#include "weir/io/backend.h"

#include <errno.h>
#include <libaio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct weir_backend weir_backend_libaio;

/* ---- a made-up kernel ---- */

struct kernel {
    int setup_result;
    const char *limit; /* fs.aio-max-nr; NULL: not there */
    const char *taken; /* fs.aio-nr */
    const char *status;
    long processors;
    unsigned contexts; /* that were made and not ended */
};

static struct kernel kernel;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
/* The linker would not see that the library's callers want these. */
int __wrap_io_setup(int count, io_context_t *context) __attribute__((used));
int __wrap_io_destroy(io_context_t context) __attribute__((used));
long __real_sysconf(int name);
long __wrap_sysconf(int name);

FILE *__wrap_fopen(const char *path, const char *mode)
{
    const char *text = NULL;

    if (strcmp(path, "/proc/sys/fs/aio-max-nr") == 0)
        text = kernel.limit;
    else if (strcmp(path, "/proc/sys/fs/aio-nr") == 0)
        text = kernel.taken;
    else if (strcmp(path, "/proc/self/status") == 0)
        text = kernel.status;
    else
        return __real_fopen(path, mode);
    return text != NULL ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : NULL;
}

int __wrap_io_setup(int count, io_context_t *context)
{
    assert_int_equal(count, 128);
    if (kernel.setup_result < 0)
        return kernel.setup_result;
    *context = (io_context_t)&kernel;
    kernel.contexts++;
    return 0;
}

int __wrap_io_destroy(io_context_t context)
{
    assert_ptr_equal(context, &kernel);
    kernel.contexts--;
    return 0;
}

long __wrap_sysconf(int name)
{
    return name == _SC_NPROCESSORS_CONF ? kernel.processors : __real_sysconf(name);
}

/* ---- what is said ---- */

static void room_and_refusals_are_told(void **state)
{
    static const struct {
        struct kernel kernel;
        enum weir_verdict verdict;
        const char *text;
        const char *remedy; /* NULL: there is none */
    } cases[] = {
        {{0, "65536\n", "0\n", NULL, 512, 0}, WEIR_GOOD, "room for 512 ranks", NULL},
        {{0, "65536\n", "1\n", NULL, 512, 0}, WEIR_LIMITED, "room for 511", "aio-max-nr=1048576"},
        {{0, NULL, NULL, NULL, 2, 0}, WEIR_NOTED, "not told", NULL},
        {{-EAGAIN, "65536\n", "65500\n", NULL, 2, 0},
         WEIR_MISSING,
         "room for 0 ranks",
         "aio-max-nr=1048576"},
        {{-EAGAIN, "100\n", "500\n", NULL, 2, 0}, WEIR_MISSING, "room for 0 ranks", "aio-max-nr"},
        /* A limit that is raised already is raised further, not lowered. */
        {{-EAGAIN, "1048576\n", "1048576\n", NULL, 2, 0},
         WEIR_MISSING,
         "room for 0 ranks",
         "aio-max-nr=2097152"},
        {{0, "1048576\n", "1048000\n", NULL, 16384, 0},
         WEIR_LIMITED,
         "room for 4 ranks",
         "aio-max-nr=4194304"},
        /* Somebody else was faster between the two looks. */
        {{-EAGAIN, "65536\n", "0\n", NULL, 2, 0}, WEIR_MISSING, "room for 512", "aio-max-nr"},
        {{-ENOSYS, "65536\n", "0\n", "Seccomp:\t0\n", 2, 0},
         WEIR_MISSING,
         "this kernel has no",
         "CONFIG_AIO"},
        {{-ENOSYS, "65536\n", "0\n", "Seccomp:\t2\n", 2, 0}, WEIR_MISSING, "seccomp", "io_submit"},
        {{-EPERM, "65536\n", "0\n", "Seccomp:\t2\n", 2, 0}, WEIR_MISSING, "seccomp", "io_submit"},
        {{-ENOMEM, "65536\n", "0\n", NULL, 2, 0}, WEIR_MISSING, "Cannot allocate", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_diagnosis diagnosis = {0};
        const struct weir_diagnosis_line *line;

        kernel = cases[i].kernel;
        weir_backend_libaio.diagnose(&diagnosis, NULL);
        assert_int_equal(diagnosis.count, 1);
        assert_int_equal(kernel.contexts, 0);
        line = &diagnosis.lines[0];
        assert_string_equal(line->subject, "libaio");
        if (line->verdict != cases[i].verdict || strstr(line->text, cases[i].text) == NULL)
            fail_msg("case %zu: %s: %s", i, weir_verdict_name(line->verdict), line->text);
        if ((cases[i].remedy == NULL) != (line->remedy == NULL) ||
            (line->remedy != NULL && strstr(line->remedy, cases[i].remedy) == NULL))
            fail_msg("case %zu: -> %s", i, line->remedy != NULL ? line->remedy : "(none)");
        weir_diagnosis_close(&diagnosis);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_and_refusals_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

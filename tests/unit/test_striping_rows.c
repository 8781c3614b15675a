/* SPDX-License-Identifier: Apache-2.0 */
/* The options for Lustre, GPFS and BeeGFS as this very build has them: built, or refused with the
 * header that was missing and the way out. */
#include "weir/io/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *key;
    const char *header;
    const char *way_out;
} cases[] = {
    {"posix.lustre.stripecount", "lustre/lustreapi.h", "lfs setstripe"},
    {"posix.lustre.stripesize", "lustre/lustreapi.h", "lfs setstripe"},
    {"posix.lustre.startost", "lustre/lustreapi.h", "lfs setstripe"},
    {"posix.lustre.pool", "lustre/lustreapi.h", "lfs setstripe"},
    {"posix.lustre.ignorelocks", "lustre/lustreapi.h", "leave the option out"},
    {"posix.gpfs.hintaccess", "gpfs_fcntl.h", "leave the option out"},
    {"posix.gpfs.releasetoken", "gpfs_fcntl.h", "leave the option out"},
    {"posix.gpfs.finegrainwritesharing", "gpfs_fcntl.h", "leave the option out"},
    {"posix.gpfs.finegrainreadsharing", "gpfs_fcntl.h", "leave the option out"},
    {"posix.gpfs.createsharing", "gpfs_fcntl.h", "leave the option out"},
    {"posix.beegfs.NumTargets", "beegfs/beegfs.h", "beegfs-ctl --setpattern"},
    {"posix.beegfs.ChunkSize", "beegfs/beegfs.h", "beegfs-ctl --setpattern"},
};

static void options_that_are_not_built_name_the_header_and_the_way_out(void **state)
{
    const struct weir_backend *posix = weir_backend_find(&weir_registry, "posix");

    (void)state;
    assert_non_null(posix);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_option *row = posix->descriptor.options.rows;

        while (row->name && strcmp(row->name, cases[i].key) != 0)
            row++;
        assert_non_null(row->name);
        assert_non_null(strstr(row->needs, cases[i].header));
        if (!row->refusal)
            continue;
        assert_non_null(strstr(row->refusal, "was not found when weir was built"));
        assert_non_null(strstr(row->refusal, cases[i].way_out));
    }
}

/* A value for what is not built would be ignored without a word. */
static void a_refused_option_takes_no_value(void **state)
{
    const struct weir_backend *posix = weir_backend_find(&weir_registry, "posix");
    const struct weir_option_set *set = &posix->descriptor.options;
    struct weir_arena arena = {0};
    struct weir_option_binding binding = {set, weir_arena_take(&arena, set->values_bytes)};
    const struct weir_option_parser parser = {
        .place = "test", .arena = &arena, .bindings = &binding, .binding_count = 1};

    (void)state;
    weir_options_reset(&parser);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        int rc = weir_options_assign(&parser, "-O", cases[i].key, "65536", &error);

        if (rc == 0)
            continue;
        assert_non_null(strstr(error.text, cases[i].key));
        assert_non_null(strstr(error.text, "not built"));
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    }
    weir_arena_close(&arena);
}

#define TEST(name)                                                                                 \
    {                                                                                              \
        "striping_rows." #name, name, NULL, NULL, NULL                                             \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_that_are_not_built_name_the_header_and_the_way_out),
        TEST(a_refused_option_takes_no_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

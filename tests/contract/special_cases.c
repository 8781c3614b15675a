/* SPDX-License-Identifier: Apache-2.0 */
/* What single backends promise beyond the contract. */
#include "special_cases.h"

#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAULT_OPS = 7, UNITS = 40 };

/* ---- mpiio ---- */

/* Whether the library takes "ufs:" away or not, it is the same file for all that is done. */
void a_prefix_is_what_the_library_makes_of_it(void **state)
{
    const struct subject *subject = *state;
    struct weir_file_params params = {
        .path = "ufs:kind",
        .can_write = true,
        .must_create = true,
        .claim = WEIR_CLAIM_NEW,
        .group = subject->group,
    };
    struct weir_name_facts facts;
    char before[BENCH_PATH_BYTES];
    struct weir_file *file;
    struct bench bench;
    FILE *foreign;
    int rc;

    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(subject->directory), 0);
    foreign = fopen("kind", "w");
    assert_non_null(foreign);
    fputs("precious", foreign);
    fclose(foreign);
    open_bench(&bench, subject, NULL);
    rc = stat_name(&bench, params.path, &facts);
    assert_int_equal(rc, access("ufs:kind", F_OK) == 0 || rc == 0 ? 0 : -ENOENT);
    if (rc == -ENOENT) {
        assert_int_equal(bench.backend->file->open(bench.session, &params, &file), 0);
        close_file(&bench, file);
        assert_int_equal(access("ufs:kind", F_OK), 0);
        remove_name(&bench, params.path);
        assert_int_equal(access("ufs:kind", F_OK), -1);
    } else {
        assert_int_equal(bench.backend->file->open(bench.session, &params, &file), -EEXIST);
    }
    close_bench(&bench);
    assert_int_equal(unlink("kind"), 0);
    assert_int_equal(chdir(before), 0);
}

void a_name_may_be_one_letter(void **state)
{
    struct bench bench;

    open_bench(&bench, *state, NULL);
    if (access("w", F_OK) == 0) {
        close_bench(&bench);
        skip_because("there is something of that name");
    }
    close_file(&bench, make_file(&bench, "w"));
    remove_name(&bench, "w");
    close_bench(&bench);
}

void hints_come_from_environment_and_file(void **state)
{
    const struct subject *subject = *state;
    struct weir_error error = {0};
    struct bench bench;
    char path[BENCH_PATH_BYTES];
    char option[BENCH_PATH_BYTES + 32];
    FILE *hints;

    snprintf(path, sizeof path, "%s/hints", subject->directory);
    snprintf(option, sizeof option, "mpiio.hintsFileName=%s", path);
    assert_int_equal(setenv("IOR_HINT__MPI__cb_nodes", "1", 1), 0);
    hints = fopen(path, "w");
    assert_non_null(hints);
    fputs("# a comment\n\n  IOR_HINT__GPFS__hint = value \nIOR_HINT__MPI__last=1", hints);
    fclose(hints);
    assert_int_equal(try_session(&bench, subject, option, &error), 0);
    forget_session(&bench);

    hints = fopen(path, "w");
    assert_non_null(hints);
    fputs("cb_nodes=1\n", hints);
    fclose(hints);
    assert_true(try_session(&bench, subject, option, &error) < 0);
    assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(error.text, "'cb_nodes=1' is no hint"));
    forget_session(&bench);

    assert_int_equal(unlink(path), 0);
    memset(&error, 0, sizeof error);
    assert_true(try_session(&bench, subject, option, &error) < 0);
    assert_non_null(strstr(error.text, "No such file"));
    forget_session(&bench);
    unsetenv("IOR_HINT__MPI__cb_nodes");
}

void preallocated_files_have_their_size_from_the_start(void **state)
{
    const struct subject *subject = *state;
    struct weir_file_params params = {
        .can_write = true,
        .can_read = true,
        .must_create = true,
        .group = subject->group,
        .expected_bytes = 4 * UNIT_BYTES,
    };
    struct weir_file *file;
    struct bench bench;

    open_bench(&bench, subject, "mpiio.preallocate=1");
    params.path = path_of(&bench, "preallocated");
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), 0);
    assert_int_equal(bench.backend->file->size(bench.session, file), 4 * UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, params.path);
    close_bench(&bench);
}

/* ---- fault ---- */

void transfers_fail_where_they_are_told_to(void **state)
{
    /* One letter per transfer: full, short, or failed. */
    static const struct {
        const char *options;
        enum weir_op_verb verb;
        const char *expected;
    } cases[] = {
        {NULL, WEIR_OP_WRITE, "fffffff"},
        {"fault.errno=ENOSPC", WEIR_OP_WRITE, "Effffff"},
        {"fault.errno=ENOSPC,fault.at=3", WEIR_OP_WRITE, "fffEfff"},
        {"fault.errno=ENOSPC,fault.at=2,fault.every=2", WEIR_OP_WRITE, "ffEfEfE"},
        {"fault.errno=ENOSPC,fault.at=4,fault.every=1", WEIR_OP_WRITE, "ffffEEE"},
        {"fault.errno=ENOSPC,fault.every=1,fault.verb=read", WEIR_OP_WRITE, "fffffff"},
        {"fault.errno=ENOSPC,fault.every=1,fault.verb=write", WEIR_OP_WRITE, "EEEEEEE"},
        {"fault.errno=ENOSPC,fault.every=1,fault.rank=0", WEIR_OP_WRITE, "EEEEEEE"},
        {"fault.errno=ENOSPC,fault.every=1,fault.rank=1", WEIR_OP_WRITE, "fffffff"},
        {"fault.short=4096,fault.at=1,fault.every=3", WEIR_OP_WRITE, "fsffsff"},
        {"fault.short=8192,fault.at=1", WEIR_OP_READ, "f0fffff"},
        {"fault.delay=1,fault.every=1", WEIR_OP_READ, "fffffff"},
    };
    const struct subject *subject = *state;
    unsigned char *data;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_file *file;
        struct bench bench;
        const char *path;

        open_bench(&bench, subject, cases[i].options);
        data = make_data(&bench, FAULT_OPS, 1);
        path = path_of(&bench, "faulty");
        file = make_file(&bench, path);
        assert_int_equal(truncate(path, FAULT_OPS * UNIT_BYTES), 0);
        for (unsigned n = 0; n < FAULT_OPS; n++) {
            int64_t result =
                move(&bench, cases[i].verb, file, data, (uint64_t)n * UNIT_BYTES, UNIT_BYTES);
            char letter = cases[i].expected[n];

            assert_int_equal(result, letter == 'f'   ? UNIT_BYTES
                                     : letter == 's' ? UNIT_BYTES - 4096
                                     : letter == '0' ? 0
                                                     : -ENOSPC);
        }
        close_file(&bench, file);
        remove_name(&bench, path);
        close_bench(&bench);
    }
}

void a_flip_is_one_bit_of_each_read_that_is_hit(void **state)
{
    /* An operation that is refused because the queue is full must not count twice. */
    static const struct {
        const char *options;
        unsigned wrong_bits;
    } cases_of_flips[] = {
        {"fault.flip=1,fault.verb=read,fault.at=2", 1},
        {"fault.flip=1,fault.at=45", 1},
        {"fault.flip=1,fault.verb=read,fault.at=20,fault.every=1", UNITS - 20},
    };
    const struct subject *subject = *state;

    for (size_t n = 0; n < sizeof cases_of_flips / sizeof *cases_of_flips; n++) {
        struct weir_file *file;
        struct bench bench;
        unsigned char *data;
        unsigned char *back;
        const char *path;
        unsigned wrong_bits = 0;

        open_bench(&bench, subject, cases_of_flips[n].options);
        data = make_data(&bench, UNITS, 1);
        back = make_data(&bench, UNITS, 0);
        path = path_of(&bench, "flipped");
        file = make_file(&bench, path);
        move_units(&bench, WEIR_OP_WRITE, file, data, UNITS, false);
        move_units(&bench, WEIR_OP_READ, file, back, UNITS, false);
        for (size_t i = 0; i < UNITS * UNIT_BYTES; i++)
            wrong_bits += (unsigned)__builtin_popcount(data[i] ^ back[i]);
        assert_int_equal(wrong_bits, cases_of_flips[n].wrong_bits);
        close_file(&bench, file);
        remove_name(&bench, path);
        close_bench(&bench);
    }
}

void open_sync_and_close_fail_where_they_are_told_to(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct weir_name_facts facts;
    struct bench bench;
    const char *path;

    open_bench(&bench, subject, "fault.open=EACCES");
    path = path_of(&bench, "never");
    assert_int_equal(open_file(&bench, path, true, &file), -EACCES);
    assert_int_equal(stat_name(&bench, path, &facts), -ENOENT);
    close_bench(&bench);

    open_bench(&bench, subject, "fault.sync=EIO,fault.close=EDQUOT");
    path = path_of(&bench, "closed");
    file = make_file(&bench, path);
    assert_int_equal(bench.backend->file->sync(bench.session, file), -EIO);
    assert_int_equal(bench.backend->file->close(bench.session, file), -EDQUOT);
    remove_name(&bench, path);
    close_bench(&bench);
}

void a_fault_nobody_knows_is_refused(void **state)
{
    struct subject subject = *(const struct subject *)*state;
    struct weir_error error = {0};
    struct bench bench;

    assert_true(try_session(&bench, &subject, "fault.errno=ENONSENSE", &error) < 0);
    assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(error.text, "fault.errno"));
    forget_session(&bench);
    memset(&error, 0, sizeof error);
    subject.inner = NULL;
    subject.options = NULL;
    assert_true(try_session(&bench, &subject, NULL, &error) < 0);
    assert_non_null(strstr(error.text, "fault:posix"));
    forget_session(&bench);
}

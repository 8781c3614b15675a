/* SPDX-License-Identifier: Apache-2.0 */
/* A session of one backend with a file and an operation for each slot, for unit tests of backends
 * whose system calls are counted. Whoever includes this says which backend that is. */
#ifndef WEIR_TESTS_BACKEND_BED_H
#define WEIR_TESTS_BACKEND_BED_H

#include "weir/io/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEPTH = 32, TRANSFER = 4096, PATH_BYTES = 256 };

struct bench {
    struct weir_arena arena;
    struct weir_group *group;
    struct weir_session *session;
    struct weir_file *file;
    struct weir_error error;
    char path[PATH_BYTES];
    unsigned char *data;
    struct weir_op ops[DEPTH];
};

static inline int try_session(struct bench *bench, const char *options)
{
    const struct weir_option_set *set = &tested_backend.descriptor.options;
    struct weir_option_binding binding = {.set = set};
    const struct weir_option_parser parser = {
        .place = "test", .arena = &bench->arena, .bindings = &binding, .binding_count = 1};
    struct weir_session_params params = {.depth = DEPTH};

    memset(bench, 0, sizeof *bench);
    binding.values = weir_arena_take(&bench->arena, set->values_bytes);
    weir_options_reset(&parser);
    if (*options && weir_options_assign_list(&parser, "test", options, &bench->error) < 0)
        fail_msg("%s", bench->error.text);
    assert_int_equal(weir_group_self_open(&bench->group), 0);
    params.options = binding.values;
    params.group = bench->group;
    return tested_backend.open(&params, &bench->session, &bench->error);
}

static inline void forget_session(struct bench *bench)
{
    if (bench->session)
        tested_backend.close(bench->session);
    weir_group_close(bench->group);
    weir_arena_close(&bench->arena);
}

static inline void close_file(struct bench *bench, struct weir_file *file)
{
    assert_int_equal(tested_backend.file->close(bench->session, file), 0);
}

/* Each writes its own place. */
static inline void fill_ops(struct bench *bench)
{
    bench->data = aligned_alloc(TRANSFER, (size_t)DEPTH * TRANSFER);
    assert_non_null(bench->data);
    for (unsigned i = 0; i < DEPTH; i++) {
        memset(bench->data + (size_t)i * TRANSFER, (int)i + 1, TRANSFER);
        bench->ops[i] = (struct weir_op){
            .verb = WEIR_OP_WRITE,
            .file = bench->file,
            .data = bench->data + (size_t)i * TRANSFER,
            .offset = (uint64_t)i * TRANSFER,
            .size = TRANSFER,
            .slot = i,
        };
    }
}

static inline int submit(struct bench *bench, unsigned first, unsigned count)
{
    struct weir_op *ops[DEPTH];

    for (unsigned i = 0; i < count; i++)
        ops[i] = &bench->ops[first + i];
    return tested_backend.transfer->submit(bench->session, ops, count);
}

static inline int reap(struct bench *bench, unsigned min, uint64_t timeout_ns)
{
    struct weir_op *done[DEPTH];

    return tested_backend.transfer->reap(bench->session, done, min, DEPTH, timeout_ns);
}

static inline void move_all(struct bench *bench, enum weir_op_verb verb)
{
    for (unsigned i = 0; i < DEPTH; i++) {
        bench->ops[i].verb = verb;
        bench->ops[i].result = -1;
    }
    assert_int_equal(submit(bench, 0, DEPTH), DEPTH);
    assert_int_equal(reap(bench, DEPTH, WEIR_FOREVER), DEPTH);
    for (unsigned i = 0; i < DEPTH; i++)
        assert_int_equal(bench->ops[i].result, TRANSFER);
}

static inline const char *describe(struct bench *bench, struct weir_session_facts *facts)
{
    *facts = (struct weir_session_facts){0};
    tested_backend.describe(bench->session, facts);
    return weir_text_string(&facts->shortfall);
}

static inline void forget_facts(struct weir_session_facts *facts)
{
    weir_text_close(&facts->granted);
    weir_text_close(&facts->shortfall);
}

#endif

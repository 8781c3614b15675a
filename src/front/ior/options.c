/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one test for the rows of all tables. */
#include "options.h"

/* ---- requests ---- */

bool weir_ior_is_told(const struct weir_ior_request *request)
{
    const struct weir_ior_config *ior = &request->ior;

    return ior->write_file || ior->read_file || ior->check_write || ior->check_read;
}

static bool does_all(const struct weir_ior_request *request)
{
    return !weir_ior_is_told(request) && !weir_ior_does_mix(request);
}

bool weir_ior_does_write(const struct weir_ior_request *request)
{
    return request->ior.write_file || does_all(request);
}

bool weir_ior_does_mix(const struct weir_ior_request *request)
{
    return request->additions.read_percent >= 0;
}

bool weir_ior_does_read(const struct weir_ior_request *request)
{
    return request->ior.read_file || request->ior.check_read || does_all(request);
}

const struct weir_front_tables weir_ior_option_tables = {
    .place = "ior",
    .title = "IOR",
    .options = &weir_ior_option_set,
    .old = &weir_ior_old_set,
    .additions = &weir_ior_addition_set,
    .orders = &weir_ior_order_set,
    .foreign = weir_ior_foreign_words,
};

/* A request with its parser; values are all zero. */
static struct weir_ior_request *make_request(struct weir_arena *arena,
                                             const struct weir_backends *backends)
{
    struct weir_ior_request *request = weir_arena_take(arena, sizeof *request);

    weir_front_request_init(&request->base, &weir_ior_option_tables,
                            (void *[]){&request->ior, &request->additions}, arena, backends);
    return request;
}

struct weir_ior_request *weir_ior_request_new(struct weir_arena *arena,
                                              const struct weir_backends *backends)
{
    struct weir_ior_request *request = make_request(arena, backends);

    weir_options_reset(&request->base.parser);
    return request;
}

struct weir_ior_request *weir_ior_request_repeat(struct weir_ior_request *request)
{
    struct weir_ior_request *next =
        make_request(request->base.parser.arena, request->base.backends);

    weir_front_request_copy(&next->base, &request->base);
    request->next = next;
    return next;
}

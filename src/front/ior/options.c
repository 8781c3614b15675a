/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one test for the rows of all tables, and the help that rows make. */
#include "options.h"

#include <string.h>

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

/* Tables before those of the backends. */
#define OWN_SETS 3

/* A request with its parser; values are all zero. */
static struct weir_ior_request *make_request(struct weir_arena *arena,
                                             const struct weir_backends *backends)
{
    struct weir_ior_request *request = weir_arena_take(arena, sizeof *request);
    size_t count = OWN_SETS + backends->count;
    struct weir_option_binding *bindings = weir_arena_take(arena, count * sizeof *bindings);

    request->backends = backends;
    request->backend_values =
        weir_arena_take(arena, backends->count * sizeof *request->backend_values);
    bindings[0] = (struct weir_option_binding){&weir_ior_option_set, &request->ior};
    bindings[1] = (struct weir_option_binding){&weir_ior_old_set, &request->ior};
    bindings[2] = (struct weir_option_binding){&weir_ior_addition_set, &request->additions};
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_option_set *set = &backends->descriptors[i]->options;

        request->backend_values[i] = weir_arena_take(arena, set->values_bytes);
        bindings[OWN_SETS + i] = (struct weir_option_binding){set, request->backend_values[i]};
    }
    request->parser = (struct weir_option_parser){.place = "ior",
                                                  .arena = arena,
                                                  .bindings = bindings,
                                                  .binding_count = count,
                                                  .foreign = weir_ior_foreign_words};
    return request;
}

struct weir_ior_request *weir_ior_request_new(struct weir_arena *arena,
                                              const struct weir_backends *backends)
{
    struct weir_ior_request *request = make_request(arena, backends);

    weir_options_reset(&request->parser);
    return request;
}

struct weir_ior_request *weir_ior_request_repeat(struct weir_ior_request *request)
{
    struct weir_ior_request *next = make_request(request->parser.arena, request->backends);

    for (size_t i = 0; i < request->parser.binding_count; i++) {
        const struct weir_option_binding *from = &request->parser.bindings[i];

        if (from->set->values_bytes > 0)
            memcpy(next->parser.bindings[i].values, from->values, from->set->values_bytes);
    }
    request->next = next;
    return next;
}

int weir_ior_request_parse(struct weir_ior_request *request, int count, const char *const words[],
                           struct weir_ior_orders *orders, struct weir_error *error)
{
    struct weir_option_parser parser = request->parser;
    struct weir_option_binding *bindings =
        weir_arena_take(parser.arena, (parser.binding_count + 1) * sizeof *bindings);

    memcpy(bindings, parser.bindings, parser.binding_count * sizeof *bindings);
    bindings[parser.binding_count++] = (struct weir_option_binding){&weir_ior_order_set, orders};
    parser.bindings = bindings;
    return weir_options_parse(&parser, count, words, error);
}

/* ---- help ---- */

static void add_table(struct weir_text *text, const char *title, const struct weir_option_set *set)
{
    weir_text_add(text, "\n\n%s\n", title);
    weir_options_help(text, set);
}

static void add_module(struct weir_text *text, const struct weir_option_set *set)
{
    weir_text_add(text, "\n\nModule %s\n", set->name);
    weir_options_help(text, set);
}

void weir_ior_help(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(text, "Synopsis ior [options]\n");
    weir_options_help(text, &weir_ior_option_set);
    for (size_t i = 0; i < backends->count; i++) {
        if (backends->descriptors[i]->options.rows)
            add_module(text, &backends->descriptors[i]->options);
    }
    add_table(text, "Weir", &weir_ior_addition_set);
    add_table(text, "In place of a run", &weir_ior_order_set);
    add_table(text, "Older versions of IOR, and backends that are not built", &weir_ior_old_set);
}

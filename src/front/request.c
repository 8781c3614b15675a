/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one test for the rows of all tables. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

void weir_front_request_init(struct weir_front_request *request,
                             const struct weir_front_request_tables *tables,
                             struct weir_arena *arena, const struct weir_backends *backends)
{
    size_t count = tables->binding_count + 1 + backends->count;
    struct weir_option_binding *bindings = weir_arena_take(arena, count * sizeof *bindings);
    struct weir_option_binding *next = bindings;

    request->backends = backends;
    request->backend_values =
        weir_arena_take(arena, backends->count * sizeof *request->backend_values);
    for (size_t i = 0; i < tables->binding_count; i++)
        *next++ = tables->bindings[i];
    *next++ = (struct weir_option_binding){&weir_common_set, &request->common};
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_option_set *set = &backends->descriptors[i]->options;

        request->backend_values[i] = weir_arena_take(arena, set->values_bytes);
        *next++ = (struct weir_option_binding){set, request->backend_values[i]};
    }
    request->parser = (struct weir_option_parser){.place = tables->place,
                                                  .arena = arena,
                                                  .bindings = bindings,
                                                  .binding_count = count,
                                                  .foreign = tables->foreign};
}

void weir_front_request_copy(struct weir_front_request *request,
                             const struct weir_front_request *from)
{
    for (size_t i = 0; i < from->parser.binding_count; i++) {
        const struct weir_option_binding *binding = &from->parser.bindings[i];

        if (binding->set->values_bytes > 0)
            memcpy(request->parser.bindings[i].values, binding->values, binding->set->values_bytes);
    }
}

int weir_front_request_parse(const struct weir_front_request *request, int count,
                             const char *const words[], const struct weir_option_set *order_set,
                             struct weir_orders *orders, struct weir_error *error)
{
    struct weir_option_parser parser = request->parser;
    struct weir_option_binding *bindings =
        weir_arena_take(parser.arena, (parser.binding_count + 1) * sizeof *bindings);

    memcpy(bindings, parser.bindings, parser.binding_count * sizeof *bindings);
    bindings[parser.binding_count++] = (struct weir_option_binding){order_set, orders};
    parser.bindings = bindings;
    return weir_options_parse(&parser, count, words, error);
}

int weir_front_request_add_permission(struct weir_plan *plan, int first, const char *place,
                                      struct weir_error *error)
{
    const char *value = getenv("WEIR_OVERWRITE");

    if (!value || *value == '\0' || strcmp(value, "0") == 0)
        return 0;
    if (strcmp(value, "1") != 0)
        return weir_error_usage(
            error, place,
            "WEIR_OVERWRITE: \"%s\" is neither 0 nor 1; with 1, files that this "
            "program did not make may be overwritten and removed",
            value);
    weir_plan_insert_word(plan, (size_t)first, "--overwrite");
    return 0;
}

/* ---- help ---- */

void weir_front_request_add_help(struct weir_text *text, const char *title,
                                 const struct weir_option_set *set)
{
    weir_text_add(text, "\n\n%s\n", title);
    weir_options_help(text, set);
}

void weir_front_request_add_backends_help(struct weir_text *text,
                                          const struct weir_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_option_set *set = &backends->descriptors[i]->options;

        if (!set->rows)
            continue;
        weir_text_add(text, "\n\nModule %s\n", set->name);
        weir_options_help(text, set);
    }
}

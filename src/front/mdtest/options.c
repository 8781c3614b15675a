/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one command line for the rows of all tables, and the help that rows
 * make. */
#include "options.h"

#include "version.h"

#include <string.h>

/* Tables before those of the backends. */
#define OWN_SETS 3

struct weir_mdtest_request *weir_mdtest_request_new(struct weir_arena *arena,
                                                    const struct weir_backends *backends)
{
    struct weir_mdtest_request *request = weir_arena_take(arena, sizeof *request);
    size_t count = OWN_SETS + backends->count;
    struct weir_option_binding *bindings = weir_arena_take(arena, count * sizeof *bindings);

    request->backends = backends;
    request->backend_values =
        weir_arena_take(arena, backends->count * sizeof *request->backend_values);
    bindings[0] = (struct weir_option_binding){&weir_mdtest_option_set, &request->mdtest};
    bindings[1] = (struct weir_option_binding){&weir_mdtest_old_set, &request->mdtest};
    bindings[2] = (struct weir_option_binding){&weir_mdtest_addition_set, &request->additions};
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_option_set *set = &backends->descriptors[i]->options;

        request->backend_values[i] = weir_arena_take(arena, set->values_bytes);
        bindings[OWN_SETS + i] = (struct weir_option_binding){set, request->backend_values[i]};
    }
    request->parser = (struct weir_option_parser){.place = "mdtest",
                                                  .arena = arena,
                                                  .bindings = bindings,
                                                  .binding_count = count,
                                                  .foreign = weir_mdtest_foreign_words};
    weir_options_reset(&request->parser);
    return request;
}

int weir_mdtest_request_parse(struct weir_mdtest_request *request, int count,
                              const char *const words[], struct weir_mdtest_orders *orders,
                              struct weir_error *error)
{
    struct weir_option_parser parser = request->parser;
    struct weir_option_binding *bindings =
        weir_arena_take(parser.arena, (parser.binding_count + 1) * sizeof *bindings);

    memcpy(bindings, parser.bindings, parser.binding_count * sizeof *bindings);
    bindings[parser.binding_count++] = (struct weir_option_binding){&weir_mdtest_order_set, orders};
    parser.bindings = bindings;
    return weir_options_parse(&parser, count, words, error);
}

bool weir_mdtest_has_old_names(const struct weir_mdtest_request *request)
{
    return weir_mdtest_version_has_old_names(request->additions.compat);
}

void weir_mdtest_help(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(text, "Synopsis mdtest [options]\n");
    weir_options_help(text, &weir_mdtest_option_set);
    (void)backends;
}

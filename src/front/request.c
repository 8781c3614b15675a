/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one test for the rows of all tables. */
#include "request.h"

#include "absent_backends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void weir_front_request_init(struct weir_front_request *request,
                             const struct weir_front_tables *tables, void *const values[2],
                             struct weir_arena *arena, const struct weir_backends *backends)
{
    const struct weir_option_binding own[] = {
        {tables->old, values[0]},
        {tables->options, values[0]},
        {&weir_absent_backend_set, NULL},
        {tables->additions, values[1]},
        {&weir_common_set, &request->common},
    };
    size_t skipped = tables->old ? 0 : 1;
    size_t own_count = sizeof own / sizeof *own - skipped;
    size_t count = own_count + backends->count;
    struct weir_option_binding *bindings = weir_arena_take(arena, count * sizeof *bindings);

    request->backends = backends;
    request->backend_values =
        weir_arena_take(arena, backends->count * sizeof *request->backend_values);
    memcpy(bindings, own + skipped, own_count * sizeof *bindings);
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_option_set *set = &backends->descriptors[i]->options;

        request->backend_values[i] = weir_arena_take(arena, set->values_bytes);
        bindings[own_count + i] = (struct weir_option_binding){set, request->backend_values[i]};
    }
    request->parser = (struct weir_option_parser){.place = tables->place,
                                                  .arena = arena,
                                                  .bindings = bindings,
                                                  .binding_count = count,
                                                  .foreign = tables->foreign,
                                                  .spellings = &request->spellings};
}

void weir_front_request_copy(struct weir_front_request *request,
                             const struct weir_front_request *from)
{
    for (size_t i = 0; i < from->parser.binding_count; i++) {
        const struct weir_option_binding *binding = &from->parser.bindings[i];

        if (binding->set->values_bytes > 0)
            memcpy(request->parser.bindings[i].values, binding->values, binding->set->values_bytes);
    }
    request->direct_option = from->direct_option;
    request->spellings = from->spellings;
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

struct weir_option_set weir_front_common_set(const struct weir_front_tables *tables,
                                             struct weir_option rows[WEIR_COMMON_ROWS_MAX])
{
    size_t count = 0;

    for (const struct weir_option *row = weir_common_set.rows; row->name; row++) {
        const struct weir_option *own = weir_options_find(tables->additions->rows, row->name);

        assert(count + 1 < WEIR_COMMON_ROWS_MAX);
        if (own == NULL || !own->is_final)
            rows[count++] = *row;
    }
    rows[count] = (struct weir_option){0};
    return (struct weir_option_set){weir_common_set.name, rows, 0};
}

static void add_set(struct weir_text *text, const char *title, const char *original,
                    const struct weir_option_set *set)
{
    weir_text_add(text, "\n\n%s%s\n", title, original);
    weir_options_help(text, set);
}

void weir_front_request_add_help(struct weir_text *text, const struct weir_front_tables *tables,
                                 const struct weir_backends *backends)
{
    struct weir_option rows[WEIR_COMMON_ROWS_MAX];
    const struct weir_option_set common = weir_front_common_set(tables, rows);

    weir_text_add(text, "Synopsis %s [options]%s%s\n", tables->place, tables->operands ? " " : "",
                  tables->operands ? tables->operands : "");
    weir_options_help(text, tables->options);
    add_set(text, "Weir, for ", tables->title, tables->additions);
    for (size_t i = 0; i < backends->count; i++)
        if (backends->descriptors[i]->options.rows)
            add_set(text, "Module ", backends->descriptors[i]->options.name,
                    &backends->descriptors[i]->options);
    add_set(text, "Weir", "", &common);
    add_set(text, "In place of a run", "", tables->orders);
    if (tables->old)
        add_set(text, "Older versions of ", tables->title, tables->old);
    add_set(text, "Backends that are not built", "", &weir_absent_backend_set);
}

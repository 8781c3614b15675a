/* SPDX-License-Identifier: Apache-2.0 */
/* Has ranks placed as a run would place them: each with what this process may use. */
#include "picture.h"

#include "weir/base/arena.h"
#include "weir/system/environment.h"
#include "weir/system/running.h"
#include "weir/system/seats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The whole file; NULL if it cannot be read, with *error set. */
static char *read_file(const char *path, struct weir_arena *arena, struct weir_error *error)
{
    struct weir_text text = {0};
    FILE *file = fopen(path, "re");
    char piece[4096];
    char *copy = NULL;
    size_t count;

    if (file == NULL) {
        weir_error_usage(error, path, "the rankfile cannot be read: %s", strerror(errno));
        return NULL;
    }
    while ((count = fread(piece, 1, sizeof piece, file)) > 0)
        weir_text_add_bytes(&text, piece, count);
    if (ferror(file))
        weir_error_usage(error, path, "the rankfile cannot be read: %s", strerror(errno));
    else
        copy = weir_arena_copy(arena, weir_text_string(&text));
    fclose(file);
    weir_text_close(&text);
    return copy;
}

/* Names of the devices behind the path, with NULL at the end; NULL if there are none. */
static const char *const *list_devices(const char *root, const char *path, struct weir_arena *arena)
{
    struct weir_storage_facts facts = {0};
    const char **names;

    if (path == NULL)
        return NULL;
    weir_storage_describe(root, path, &facts);
    if (facts.device_count == 0)
        return NULL;
    names = weir_arena_take(arena, (facts.device_count + 1) * sizeof *names);
    for (uint32_t i = 0; i < facts.device_count; i++)
        names[i] = weir_arena_copy(arena, facts.devices[i].name);
    return names;
}

static int draw(const struct weir_doctor_params *params, const struct weir_topology *topology,
                struct weir_arena *arena, struct weir_text *text, struct weir_error *error)
{
    const struct weir_pinning *pinning = params->pinning;
    unsigned count = params->rank_count;
    struct weir_cpu_set *given = weir_arena_take(arena, (count + 1) * sizeof *given);
    unsigned *ranks = weir_arena_take(arena, (count + 1) * sizeof *ranks);
    struct weir_seat *seats = weir_arena_take(arena, (count + 1) * sizeof *seats);
    struct weir_seat_request request = {
        .pinning = pinning, .rank_count = count, .given = given, .ranks = ranks};
    struct weir_cpu_set all;
    int rc = 0;

    weir_topology_processors(topology, &all, &given[0]);
    weir_running_cpus(&given[0]);
    for (unsigned i = 0; i < count; i++) {
        given[i] = given[0];
        ranks[i] = i;
    }
    if (pinning->policy == WEIR_PIN_RANKFILE) {
        request.rankfile = read_file(pinning->rankfile_path, arena, error);
        if (request.rankfile == NULL)
            return error->code;
    }
    if (pinning->policy == WEIR_PIN_STORAGE)
        request.devices = list_devices(params->root, params->path, arena);
    if (count > 0)
        rc = weir_seats_plan(topology, &request, seats, error);
    if (rc == 0)
        weir_seats_draw(text, topology, &request, seats);
    return rc;
}

int weir_doctor_draw(const struct weir_doctor_params *params, const struct weir_topology *topology,
                     struct weir_text *text, struct weir_error *error)
{
    struct weir_arena arena = {0};
    int rc = draw(params, topology, &arena, text, error);

    weir_arena_close(&arena);
    return rc;
}

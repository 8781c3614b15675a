/* SPDX-License-Identifier: Apache-2.0 */
/* Has ranks placed as a run would place them: each with what this process may use. */
#include "picture.h"

#include "weir/base/arena.h"
#include "weir/system/bindings.h"
#include "weir/system/environment.h"
#include "weir/system/running.h"

/* The needs of the policy beside the topology. */
struct needs {
    struct weir_text rankfile;
    struct weir_storage_facts storage;
    struct weir_binding_needs devices;
};

static int find_needs(const struct weir_doctor_params *params, const struct weir_topology *topology,
                      struct needs *needs, struct weir_binding_request *request,
                      struct weir_error *error)
{
    if (params->pinning->policy == WEIR_PIN_STORAGE && params->path != NULL) {
        weir_storage_describe(params->root, params->path, &needs->storage);
        request->devices = weir_bindings_devices(topology, &needs->storage, &needs->devices);
    }
    if (params->pinning->policy != WEIR_PIN_RANKFILE)
        return 0;
    if (weir_bindings_read_rankfile(params->pinning->rankfile_path, &needs->rankfile, error) == 0)
        request->rankfile = weir_text_string(&needs->rankfile);
    return error->code;
}

static int draw(const struct weir_doctor_params *params, const struct weir_topology *topology,
                struct weir_arena *arena, struct weir_text *text, struct weir_error *error)
{
    unsigned count = params->rank_count;
    struct weir_cpu_set *given = weir_arena_take(arena, (count + 1) * sizeof *given);
    unsigned *ranks = weir_arena_take(arena, (count + 1) * sizeof *ranks);
    struct weir_binding *bindings = weir_arena_take(arena, (count + 1) * sizeof *bindings);
    struct weir_binding_request request = {
        .pinning = params->pinning, .rank_count = count, .given = given, .ranks = ranks};
    struct needs *needs = weir_arena_take(arena, sizeof *needs);
    struct weir_cpu_set all;
    int code;

    weir_topology_processors(topology, &all, &given[0]);
    weir_running_cpus(&given[0]);
    for (unsigned i = 0; i < count; i++) {
        given[i] = given[0];
        ranks[i] = i;
    }
    code = find_needs(params, topology, needs, &request, error);
    if (code == 0 && count > 0)
        code = weir_bindings_plan(topology, &request, bindings, error);
    if (code == 0)
        weir_bindings_draw(text, topology, &request, bindings);
    weir_text_close(&needs->rankfile);
    return code;
}

int weir_doctor_draw(const struct weir_doctor_params *params, const struct weir_topology *topology,
                     struct weir_text *text, struct weir_error *error)
{
    struct weir_arena arena = {0};
    int rc = draw(params, topology, &arena, text, error);

    weir_arena_close(&arena);
    return rc;
}

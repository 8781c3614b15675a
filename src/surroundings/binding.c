/* SPDX-License-Identifier: Apache-2.0 */
/* Bindings are planned node by node, taken before memory is, and left when the test ends, or kept
 * for the next one. */
#include "parts.h"
#include "rankfile_text.h"

#include "weir/base/call_watch.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plan of a node ---- */

/* Of the ranks of this node; NULL but on its first rank. */
struct table {
    struct weir_cpu_set *given;
    unsigned *ranks;
    struct weir_binding *bindings;
    uint32_t *given_core_counts;
};

static void free_table(struct table *table)
{
    free(table->given);
    free(table->ranks);
    free(table->bindings);
    free(table->given_core_counts);
}

static bool take_table(const struct weir_group *group, struct table *table)
{
    size_t count = (size_t)group->node_size;
    unsigned filled = 0;

    table->given = calloc(count, sizeof *table->given);
    table->ranks = calloc(count, sizeof *table->ranks);
    table->bindings = calloc(count, sizeof *table->bindings);
    table->given_core_counts = calloc(count, sizeof *table->given_core_counts);
    if (!table->given || !table->ranks || !table->bindings || !table->given_core_counts)
        return false;
    for (int rank = 0; rank < group->size; rank++)
        if (group->node_of_rank[rank] == group->node)
            table->ranks[filled++] = (unsigned)rank;
    return true;
}

static void count_given_cores(const struct weir_surroundings *surroundings,
                              const struct table *table)
{
    const struct weir_topology *topology = surroundings->host.topology;

    for (int i = 0; i < surroundings->group->node_size; i++) {
        const struct weir_cpu_set *given = &table->given[i];
        struct weir_cpu_set cores = topology != NULL ? weir_topology_cores(topology, given)
                                                     : weir_processor_cores("", given);

        table->given_core_counts[i] = weir_cpu_set_count(&cores);
    }
}

/* The placement of a rank without a policy, as the kernel alone reports it. */
static struct weir_binding binding_as_given(const struct weir_cpu_set *given)
{
    return (struct weir_binding){.cpus = *given,
                                 .cores = weir_processor_cores("", given),
                                 .numa_nodes = weir_processor_numa_nodes("", given)};
}

static int plan_bindings(const struct weir_surroundings *surroundings, const char *rankfile,
                         const struct table *table, struct weir_error *error)
{
    const struct weir_topology *topology = surroundings->host.topology;
    struct weir_binding_needs needs = {0};
    struct weir_binding_request request = {
        .pinning = &surroundings->test->pinning,
        .rank_count = (unsigned)surroundings->group->node_size,
        .given = table->given,
        .ranks = table->ranks,
        .host = surroundings->group->node_names[surroundings->group->node],
        .rankfile = rankfile,
    };

    if (topology == NULL && weir_surroundings_is_pinned(surroundings)) {
        *error = surroundings->host.no_topology;
        return error->code;
    }
    for (unsigned i = 0; topology == NULL && i < request.rank_count; i++)
        table->bindings[i] = binding_as_given(&table->given[i]);
    if (topology == NULL)
        return 0;
    if (surroundings->test->pinning.policy == WEIR_PIN_STORAGE)
        request.devices = weir_bindings_devices(topology, &surroundings->storage, &needs);
    return weir_bindings_plan(topology, &request, table->bindings, error);
}

/* Reuses the sets of `given`, which are not needed any more, for those of the bindings. */
static void watch_stolen(struct weir_surroundings *surroundings, const struct table *table)
{
    unsigned count = (unsigned)surroundings->group->node_size;

    for (unsigned i = 0; i < count; i++)
        table->given[i] = table->bindings[i].cpus;
    surroundings->stolen_watch = weir_stolen_open("", table->given, count);
}

/* Collective. */
static int share_bindings(struct weir_surroundings *surroundings, const char *rankfile,
                          struct table *table, struct weir_error *error)
{
    struct weir_group *group = surroundings->group;
    const struct weir_cpu_set *given = &surroundings->host.given;
    int code = weir_group_gather_on_node(group, given, sizeof *given, table->given);

    if (code == 0 && table->bindings != NULL) {
        count_given_cores(surroundings, table);
        if (plan_bindings(surroundings, rankfile, table, error) == 0)
            watch_stolen(surroundings, table);
    }
    if (weir_group_agree(group, error) != 0)
        return error->code;
    if (code == 0)
        code = weir_group_scatter_on_node(group, table->bindings, sizeof surroundings->binding,
                                          &surroundings->binding);
    if (code == 0)
        code = weir_group_scatter_on_node(group, table->given_core_counts,
                                          sizeof surroundings->given_core_count,
                                          &surroundings->given_core_count);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "the ranks of a node cannot share it: %s", strerror(-code));
    return code;
}

static int choose_binding(struct weir_surroundings *surroundings, const char *rankfile,
                          struct weir_error *error)
{
    struct table table = {0};

    if (surroundings->group->node_rank == 0 && !take_table(surroundings->group, &table))
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    if (weir_group_agree(surroundings->group, error) == 0)
        share_bindings(surroundings, rankfile, &table, error);
    free_table(&table);
    return error->code;
}

/* ---- sitting down ---- */

static int refuse_binding(const struct weir_surroundings *surroundings, int code,
                          const struct weir_cpu_set *got, struct weir_error *error)
{
    struct weir_text wanted = {0}, found = {0};

    weir_cpu_set_format(&surroundings->binding.cpus, &wanted);
    weir_cpu_set_format(got, &found);
    if (code != 0)
        weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, code, surroundings->test->dialect,
            "--pin: this rank cannot be bound to the processors %s: %s: leave --pin out, or "
            "let the launcher bind",
            weir_text_string(&wanted), strerror(-code));
    else
        weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, -EBUSY, surroundings->test->dialect,
            "--pin: this rank was to be bound to the processors %s and got %s: does something "
            "else on this host, such as a daemon or a control group, place processes?",
            weir_text_string(&wanted), weir_text_string(&found));
    weir_text_close(&wanted);
    weir_text_close(&found);
    return error->code;
}

/* Binding counts as done if sched_getaffinity(2) confirms it. */
static int bind_rank(struct weir_surroundings *surroundings, struct weir_error *error)
{
    struct weir_cpu_set got = {0};
    int code;

    if (!weir_surroundings_is_pinned(surroundings))
        return 0;
    surroundings->is_bound = true;
    code = weir_running_bind(&surroundings->binding.cpus);
    if (code == 0)
        code = weir_running_cpus(&got);
    if (code == 0 && weir_cpu_set_equals(&got, &surroundings->binding.cpus))
        return 0;
    return refuse_binding(surroundings, code, &got, error);
}

static int take(struct weir_surroundings *surroundings, struct weir_error *error)
{
    struct weir_group *group = surroundings->group;
    char *rankfile = NULL;

    if (weir_rankfile_text_read(group, &surroundings->test->pinning, &rankfile, error) == 0 &&
        choose_binding(surroundings, rankfile, error) == 0)
        bind_rank(surroundings, error);
    free(rankfile);
    return weir_group_agree(group, error);
}

static bool is_same_text(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Which storage is near depends on the target. */
bool weir_surroundings_suit(const struct weir_test *test, const struct weir_test *next)
{
    const struct weir_pinning *one = &test->pinning, *other = &next->pinning;

    return one->policy == other->policy && one->policy != WEIR_PIN_STORAGE &&
           one->order == other->order && is_same_text(one->list, other->list) &&
           is_same_text(one->rankfile_path, other->rankfile_path) &&
           is_same_text(one->nic, other->nic);
}

int weir_surroundings_begin_test(struct weir_surroundings *surroundings, struct weir_group *group,
                                 const struct weir_test *test, const char *path,
                                 struct weir_error *error)
{
    bool is_kept = surroundings->is_kept;

    surroundings->group = group;
    surroundings->test = test;
    surroundings->is_kept = false;
    if (!is_kept || strcmp(surroundings->path, path == NULL ? "" : path) != 0) {
        weir_storage_watch_close(surroundings);
        snprintf(surroundings->path, sizeof surroundings->path, "%s", path == NULL ? "" : path);
        weir_call_begin("stat", surroundings->path);
        surroundings->counts_reads =
            surroundings->path[0] != '\0' && weir_storage_counts_reads(surroundings->path);
        weir_call_end();
        weir_storage_watch_open(surroundings);
    }
    return is_kept ? 0 : take(surroundings, error);
}

void weir_surroundings_end_test(struct weir_surroundings *surroundings, bool keeps)
{
    surroundings->is_kept = keeps;
    if (keeps)
        return;
    weir_storage_watch_close(surroundings);
    weir_stolen_close(surroundings->stolen_watch);
    surroundings->stolen_watch = NULL;
    if (surroundings->is_bound)
        weir_running_bind(&surroundings->host.given);
    surroundings->is_bound = false;
    surroundings->looked_ns = 0;
    surroundings->pages = (struct weir_page_sample){0};
}

/* ---- memory ---- */

static int refuse_memory(struct weir_surroundings *surroundings, int code)
{
    const struct weir_membind *membind = &surroundings->test->membind;
    const char *dialect = surroundings->test->dialect;

    if (code == -EINVAL && membind->policy == WEIR_MEMBIND_NODE)
        return weir_error_set(&surroundings->refusal, WEIR_EXIT_USAGE, code, dialect,
                              "--membind node:%u: this host has no NUMA node %u, or this process "
                              "may not use it: name another one, or leave --membind out",
                              membind->node, membind->node);
    if (code == -EPERM || code == -ENOSYS)
        return weir_error_set(&surroundings->refusal, WEIR_EXIT_ENVIRONMENT, code, dialect,
                              "--membind %s: this process may not place its memory, or its kernel "
                              "cannot (mbind: %s): in a container, allow mbind and move_pages "
                              "(--cap-add SYS_NICE for Docker and Podman), or leave it out",
                              weir_membind_policy_name(membind->policy), strerror(-code));
    if (code == -EINVAL)
        return weir_error_set(&surroundings->refusal, WEIR_EXIT_ENVIRONMENT, code, dialect,
                              "--membind %s: the NUMA nodes that it means have no memory that this "
                              "process may use: choose other processors, node:N, or leave it out",
                              weir_membind_policy_name(membind->policy));
    return weir_error_set(
        &surroundings->refusal, WEIR_EXIT_ENVIRONMENT, code, dialect,
        "--membind: buffers cannot be placed as \"%s\" wants it: %s: leave it out",
        weir_membind_policy_name(membind->policy), strerror(-code));
}

int weir_surroundings_place_memory(void *context, void *memory, size_t bytes)
{
    struct weir_surroundings *surroundings = context;
    int code;

    surroundings->pages = (struct weir_page_sample){0};
    if (weir_surroundings_leaves_memory_alone(surroundings))
        return 0;
    code = weir_memory_bind(memory, bytes, &surroundings->test->membind,
                            surroundings->binding.numa_nodes);
    return code == 0 ? 0 : refuse_memory(surroundings, code);
}

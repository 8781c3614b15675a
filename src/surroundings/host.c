/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers on rank 0 the properties of all nodes, before the first test, and of the storage
 * behind the target, before each one. */
#include "parts.h"

#include "weir/base/call_watch.h"
#include "weir/base/log.h"
#include "weir/system/environment.h"
#include "weir/system/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- from all nodes to rank 0 ---- */

/* Of each node; NULL but on rank 0. */
struct survey {
    void *facts;
    const char **hosts;
};

static void free_survey(struct survey *survey)
{
    free(survey->facts);
    free(survey->hosts);
}

/* 0 or -errno; the survey is to be freed in any case. Collective. */
static int survey_nodes(struct weir_group *group, const void *mine, size_t bytes,
                        struct survey *survey)
{
    size_t nodes = (size_t)group->node_count;

    *survey = (struct survey){0};
    if (group->rank == 0) {
        survey->facts = calloc(nodes, bytes);
        survey->hosts = calloc(nodes, sizeof *survey->hosts);
    }
    if (weir_group_any(group, group->rank == 0 && (!survey->facts || !survey->hosts)))
        return -ENOMEM;
    for (size_t node = 0; survey->hosts != NULL && node < nodes; node++)
        survey->hosts[node] = group->node_names[node];
    return weir_group_gather_nodes(group, mine, bytes, survey->facts);
}

/* ---- before the first test ---- */

/* As weir_job_describe asks for it. */
static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void describe_job(const struct weir_group *group, struct weir_result *result)
{
    const char *library = weir_group_library(group);

    result->job_count = (unsigned)weir_job_describe(get_variable, &result->arena, &result->job);
    result->mpi_library = library[0] == '\0' ? NULL : weir_arena_copy(&result->arena, library);
    if (group->mismatch.fact[0] != '\0')
        result->launch_mismatch = weir_arena_printf(&result->arena, "%s; %s", group->mismatch.fact,
                                                    group->mismatch.remedy);
}

/* If the kernel does not report the allowed processors, all count as allowed until binding
 * fails. */
static struct weir_cpu_set given_cpus(void)
{
    struct weir_cpu_set cpus = {0};
    long count = sysconf(_SC_NPROCESSORS_CONF);

    if (weir_running_cpus(&cpus) == 0)
        return cpus;
    for (long cpu = 0; cpu < count; cpu++)
        weir_cpu_set_add(&cpus, (unsigned)cpu);
    return cpus;
}

static void look_around(struct weir_host_view *view, const struct weir_group *group)
{
    struct weir_memory_facts memory = {0};

    view->given = given_cpus();
    view->probe = weir_run_probe_open("");
    if (view->probe == NULL)
        weir_error_out_of_memory();
    view->machine = weir_environment_machine("");
    view->has_memory_policy = weir_memory_has_policy();
    if (group->node_rank == 0 && weir_memory_describe("", &memory) == 0)
        view->memory_bytes = memory.bytes_total;
}

/* The first rank of a node samples its processes: those of the job are known by their numbers.
 * Collective. */
static int watch_pressure(struct weir_host_view *view, struct weir_group *group)
{
    pid_t *pids;
    int code = weir_group_gather_pids(group, &pids);

    if (code == 0 && pids != NULL)
        view->pressure = weir_pressure_open("", pids, (size_t)group->node_size);
    free(pids);
    return code;
}

/* hwloc's variables may put another host in the place of this one. */
static void open_topology(struct weir_host_view *view)
{
    const struct weir_topology_source source = {0};

    if (weir_topology_open(&source, &view->topology, &view->no_topology) != 0) {
        view->topology = NULL;
        return;
    }
    if (weir_topology_is_this_host(view->topology))
        return;
    weir_topology_close(view->topology);
    view->topology = NULL;
    weir_error_usage(&view->no_topology, "hwloc",
                     "HWLOC_XMLFILE or HWLOC_SYNTHETIC describes another host than this one: unset "
                     "it, or set HWLOC_THISSYSTEM=1 if it does not");
}

/* A missing topology matters to --pin only, which is refused with this reason. */
static void find_topology(struct weir_host_view *view, struct weir_group *group)
{
    struct weir_error missing;

    if (group->node_rank == 0)
        open_topology(view);
    missing = view->no_topology;
    if (weir_group_agree(group, &missing) != 0 && group->rank == 0)
        weir_log(WEIR_LOG_WARNING, "what is told of cores and NUMA nodes comes from /sys alone: %s",
                 missing.text);
}

static int describe_nodes(const struct weir_host_view *view, struct weir_group *group,
                          struct weir_result *result)
{
    struct weir_node_facts mine = {0};
    struct survey survey;
    int code;

    if (group->node_rank == 0)
        weir_environment_describe("", view->topology, &mine);
    code = survey_nodes(group, &mine, sizeof mine, &survey);
    if (code == 0 && result != NULL)
        weir_result_set_nodes(result, survey.hosts, survey.facts, (unsigned)group->node_count);
    free_survey(&survey);
    return code;
}

int weir_surroundings_open(struct weir_surroundings *surroundings, struct weir_group *group,
                           const struct weir_clock *clock, struct weir_result *result,
                           struct weir_error *error)
{
    int code;

    *surroundings = (struct weir_surroundings){.clock = clock};
    look_around(&surroundings->host, group);
    find_topology(&surroundings->host, group);
    if (result != NULL)
        describe_job(group, result);
    code = watch_pressure(&surroundings->host, group);
    if (code == 0)
        code = describe_nodes(&surroundings->host, group, result);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, NULL,
                       "the nodes cannot tell what they are: %s", strerror(-code));
    return weir_group_agree(group, error);
}

int weir_surroundings_describe(struct weir_group *group, struct weir_result *result,
                               struct weir_error *error)
{
    struct weir_surroundings surroundings;
    int code = weir_surroundings_open(&surroundings, group, NULL, result, error);

    weir_surroundings_close(&surroundings);
    return code;
}

void weir_surroundings_close(struct weir_surroundings *surroundings)
{
    struct weir_host_view *host = &surroundings->host;

    weir_surroundings_end_test(surroundings, false);
    weir_topology_close(host->topology);
    weir_run_probe_close(host->probe);
    weir_pressure_close(host->pressure);
    *surroundings = (struct weir_surroundings){0};
}

/* ---- before each test ---- */

void weir_storage_watch_open(struct weir_surroundings *surroundings)
{
    surroundings->storage = (struct weir_storage_facts){0};
    if (surroundings->group->node_rank != 0)
        return;
    if (surroundings->path[0] != '\0') {
        weir_call_begin("stat", surroundings->path);
        weir_storage_describe("", surroundings->path, &surroundings->storage);
        weir_call_end();
    }
    surroundings->traffic_watch = weir_traffic_open("", &surroundings->storage);
}

void weir_storage_watch_close(struct weir_surroundings *surroundings)
{
    if (surroundings->traffic_watch != NULL)
        weir_traffic_close(surroundings->traffic_watch);
    surroundings->traffic_watch = NULL;
    surroundings->is_told = false;
}

int weir_surroundings_gather_storages(struct weir_surroundings *surroundings,
                                      struct weir_result *result, struct weir_test_result *facts)
{
    struct weir_group *group = surroundings->group;
    struct survey survey;
    int code = 0;

    /* Skipped only if no rank has another storage than in the test before. */
    if (weir_group_any(group, !surroundings->is_told)) {
        code = survey_nodes(group, &surroundings->storage, sizeof surroundings->storage, &survey);
        if (code == 0 && result != NULL)
            weir_result_set_storages(result, facts, survey.hosts, survey.facts,
                                     (unsigned)group->node_count);
        free_survey(&survey);
    } else if (result != NULL) {
        facts->storages = surroundings->storages;
        facts->storage_count = surroundings->storage_count;
    }
    surroundings->is_told = code == 0;
    if (code == 0 && result != NULL) {
        surroundings->storages = facts->storages;
        surroundings->storage_count = facts->storage_count;
    }
    return code;
}

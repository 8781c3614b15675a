/* SPDX-License-Identifier: Apache-2.0 */
/* Bindings are planned node by node, taken before memory is, and left when the test ends. */
#include "binding.h"

#include "binding_request.h"
#include "gather.h"
#include "run.h"

#include "weir/system/memory_place.h"
#include "weir/system/processor.h"
#include "weir/system/stolen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SAMPLE_NS UINT64_C(100000000)
/* Reading the counters of the kernel takes longer than a short phase. A kernel counts stolen time
 * in such ticks. */
#define COUNTER_SAMPLE_NS UINT64_C(10000000)

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

static bool is_pinned(const struct weir_run *run)
{
    return run->test->pinning.policy != WEIR_PIN_NONE;
}

static void count_given_cores(const struct weir_run *run, const struct table *table)
{
    const struct weir_topology *topology = run->host->topology;

    for (int i = 0; i < run->group->node_size; i++) {
        const struct weir_cpu_set *given = &table->given[i];
        struct weir_cpu_set cores = topology != NULL ? weir_topology_cores(topology, given)
                                                     : weir_processor_cores("", given);

        table->given_core_counts[i] = weir_cpu_set_count(&cores);
    }
}

/* What a rank without a policy has anyway, as the kernel alone tells it. */
static struct weir_binding binding_as_given(const struct weir_cpu_set *given)
{
    return (struct weir_binding){.cpus = *given,
                                 .cores = weir_processor_cores("", given),
                                 .numa_nodes = weir_processor_numa_nodes("", given)};
}

static int plan_bindings(const struct weir_run *run, const char *rankfile,
                         const struct table *table, struct weir_error *error)
{
    const struct weir_topology *topology = run->host->topology;
    struct weir_binding_needs needs = {0};
    struct weir_binding_request request = {
        .pinning = &run->test->pinning,
        .rank_count = (unsigned)run->group->node_size,
        .given = table->given,
        .ranks = table->ranks,
        .host = run->group->node_names[run->group->node],
        .rankfile = rankfile,
    };

    if (topology == NULL && is_pinned(run)) {
        *error = run->host->no_topology;
        return error->code;
    }
    for (unsigned i = 0; topology == NULL && i < request.rank_count; i++)
        table->bindings[i] = binding_as_given(&table->given[i]);
    if (topology == NULL)
        return 0;
    if (run->test->pinning.policy == WEIR_PIN_STORAGE)
        request.devices = weir_bindings_devices(topology, &run->storage, &needs);
    return weir_bindings_plan(topology, &request, table->bindings, error);
}

/* The sets of `given` have done their work, and take those of the bindings. */
static void watch_stolen(struct weir_run *run, const struct table *table)
{
    unsigned count = (unsigned)run->group->node_size;

    for (unsigned i = 0; i < count; i++)
        table->given[i] = table->bindings[i].cpus;
    run->stolen_watch = weir_stolen_open("", table->given, count);
}

/* Collective. */
static int share_bindings(struct weir_run *run, const char *rankfile, struct table *table,
                          struct weir_error *error)
{
    struct weir_group *group = run->group;
    const struct weir_cpu_set *given = &run->host->given;
    int code = weir_group_gather_on_node(group, given, sizeof *given, table->given);

    if (code == 0 && table->bindings != NULL) {
        count_given_cores(run, table);
        if (plan_bindings(run, rankfile, table, error) == 0)
            watch_stolen(run, table);
    }
    if (weir_group_agree(group, error) != 0)
        return error->code;
    if (code == 0)
        code =
            weir_group_scatter_on_node(group, table->bindings, sizeof run->binding, &run->binding);
    if (code == 0)
        code = weir_group_scatter_on_node(group, table->given_core_counts,
                                          sizeof run->given_core_count, &run->given_core_count);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "the ranks of a node cannot share it: %s", strerror(-code));
    return code;
}

static int choose_binding(struct weir_run *run, const char *rankfile, struct weir_error *error)
{
    struct table table = {0};

    if (run->group->node_rank == 0 && !take_table(run->group, &table))
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    if (weir_group_agree(run->group, error) == 0)
        share_bindings(run, rankfile, &table, error);
    free_table(&table);
    return error->code;
}

/* ---- sitting down ---- */

static int refuse_binding(const struct weir_run *run, int code, const struct weir_cpu_set *got,
                          struct weir_error *error)
{
    struct weir_text wanted = {0}, found = {0};

    weir_cpu_set_format(&run->binding.cpus, &wanted);
    weir_cpu_set_format(got, &found);
    if (code != 0)
        weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, code, run->test->dialect,
            "--pin: this rank cannot be bound to the processors %s: %s: leave --pin out, or "
            "let the launcher bind",
            weir_text_string(&wanted), strerror(-code));
    else
        weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, -EBUSY, run->test->dialect,
            "--pin: this rank was to be bound to the processors %s and got %s: does something "
            "else on this host, such as a daemon or a control group, place processes?",
            weir_text_string(&wanted), weir_text_string(&found));
    weir_text_close(&wanted);
    weir_text_close(&found);
    return error->code;
}

/* What the kernel says afterwards counts, not that it said yes. */
static int bind_rank(struct weir_run *run, struct weir_error *error)
{
    struct weir_cpu_set got = {0};
    int code;

    if (!is_pinned(run))
        return 0;
    run->is_bound = true;
    code = weir_running_bind(&run->binding.cpus);
    if (code == 0)
        code = weir_running_cpus(&got);
    if (code == 0 && weir_cpu_set_equals(&got, &run->binding.cpus))
        return 0;
    return refuse_binding(run, code, &got, error);
}

int weir_binding_take(struct weir_run *run, struct weir_error *error)
{
    char *rankfile = NULL;

    weir_host_view_aim(run);
    if (weir_binding_read_rankfile(run, &rankfile, error) == 0 &&
        choose_binding(run, rankfile, error) == 0)
        bind_rank(run, error);
    free(rankfile);
    return weir_group_agree(run->group, error);
}

void weir_binding_release(struct weir_run *run)
{
    if (run->traffic_watch != NULL)
        weir_traffic_close(run->traffic_watch);
    run->traffic_watch = NULL;
    weir_stolen_close(run->stolen_watch);
    run->stolen_watch = NULL;
    if (run->is_bound)
        weir_running_bind(&run->host->given);
    run->is_bound = false;
}

/* ---- memory ---- */

static int refuse_memory(struct weir_run *run, int code)
{
    const struct weir_membind *membind = &run->test->membind;
    const char *dialect = run->test->dialect;

    if (code == -EINVAL && membind->policy == WEIR_MEMBIND_NODE)
        return weir_error_set(&run->failure, WEIR_EXIT_USAGE, code, dialect,
                              "--membind node:%u: this host has no NUMA node %u, or this process "
                              "may not use it: name another one, or leave --membind out",
                              membind->node, membind->node);
    if (code == -EPERM || code == -ENOSYS)
        return weir_error_set(&run->failure, WEIR_EXIT_ENVIRONMENT, code, dialect,
                              "--membind %s: this process may not place its memory, or its kernel "
                              "cannot (mbind: %s): in a container, allow mbind and move_pages "
                              "(--cap-add SYS_NICE for Docker and Podman), or leave it out",
                              weir_membind_policy_name(membind->policy), strerror(-code));
    if (code == -EINVAL)
        return weir_error_set(&run->failure, WEIR_EXIT_ENVIRONMENT, code, dialect,
                              "--membind %s: the NUMA nodes that it means have no memory that this "
                              "process may use: choose other processors, node:N, or leave it out",
                              weir_membind_policy_name(membind->policy));
    return weir_error_set(
        &run->failure, WEIR_EXIT_ENVIRONMENT, code, dialect,
        "--membind: buffers cannot be placed as \"%s\" wants it: %s: leave it out",
        weir_membind_policy_name(membind->policy), strerror(-code));
}

/* Who started this process with a policy for its memory is not overruled unless it is asked for. */
static bool leaves_memory_alone(const struct weir_run *run)
{
    return run->test->membind.policy == WEIR_MEMBIND_NONE ||
           (run->test->membind.policy == WEIR_MEMBIND_AUTO && run->host->has_memory_policy);
}

int weir_binding_place_memory(void *context, void *memory, size_t bytes)
{
    struct weir_run *run = context;
    int code;

    if (leaves_memory_alone(run))
        return 0;
    code = weir_memory_bind(memory, bytes, &run->test->membind, run->binding.numa_nodes);
    return code == 0 ? 0 : refuse_memory(run, code);
}

/* ---- looks ---- */

static bool counters_are_old(const struct weir_run *run)
{
    return run->looked_ns == 0 || weir_run_now(run) - run->looked_ns >= COUNTER_SAMPLE_NS;
}

void weir_binding_sample_before(struct weir_run *run)
{
    if (run->traffic_watch != NULL)
        weir_traffic_read(run->traffic_watch, &run->traffic);
    run->samples_counters = counters_are_old(run);
    if (!run->samples_counters)
        return;
    if (run->stolen_watch != NULL)
        weir_stolen_begin(run->stolen_watch);
    weir_run_probe_read(run->host->probe, &run->look);
    run->looked_ns = weir_run_now(run);
}

/* What it may run on now: that of the binding, unless somebody has moved it. */
static void tell_place(const struct weir_binding *binding, const struct weir_running *now,
                       struct weir_execution *execution)
{
    bool is_elsewhere = !weir_cpu_set_equals(&now->cpus, &binding->cpus);

    execution->cpus = now->cpus;
    execution->cores = is_elsewhere ? weir_processor_cores("", &now->cpus) : binding->cores;
    execution->cpu_nodes =
        is_elsewhere ? weir_processor_numa_nodes("", &now->cpus) : binding->numa_nodes;
    execution->is_moved = is_elsewhere;
}

/* Who has one processor goes nowhere by itself: it was moved, even if it is back. */
static bool was_away(const struct weir_binding *binding, uint64_t migrations)
{
    return weir_cpu_set_count(&binding->cpus) == 1 && migrations != WEIR_UNKNOWN && migrations > 0;
}

/* After a short phase that began when the counters had just been read, they are not known: the next
 * phase after which they are read has its part, too. */
static struct weir_running look_again(struct weir_run *run)
{
    struct weir_running now = run->look;

    run->samples_counters |= counters_are_old(run);
    if (run->samples_counters) {
        weir_run_probe_read(run->host->probe, &now);
        run->looked_ns = weir_run_now(run);
    } else {
        weir_running_cpus(&now.cpus);
        now.migrations = now.preemptions = now.throttled_ns = WEIR_UNKNOWN;
        now.at_ns += weir_run_now(run) - run->looked_ns;
    }
    return now;
}

void weir_binding_sample_after(struct weir_run *run, struct weir_execution *execution)
{
    const struct weir_running *before = &run->look;
    const struct weir_binding *binding = &run->binding;
    struct weir_running now = look_again(run);

    *execution = (struct weir_execution){
        .is_known = true,
        .is_pinned = is_pinned(run),
        .is_narrowed = binding->is_narrowed,
        .is_far = binding->is_far,
        .given_core_count = run->given_core_count,
        .last_cpu = now.cpu,
        .wall_ns = now.at_ns - before->at_ns,
        .migrations = weir_growth(before->migrations, now.migrations),
        .preemptions = weir_growth(before->preemptions, now.preemptions),
        .throttled_ns = weir_growth(before->throttled_ns, now.throttled_ns),
        .stolen_ns = WEIR_UNKNOWN, /* until the node has told it */
        .stolen_cpus = weir_cpu_set_count(&binding->cpus),
    };
    tell_place(binding, &now, execution);
    execution->is_moved |= was_away(binding, execution->migrations);
    if (run->samples_counters)
        run->look = now;
}

static bool asks_nodes(const struct weir_membind *membind)
{
    return membind->policy == WEIR_MEMBIND_LOCAL || membind->policy == WEIR_MEMBIND_INTERLEAVE ||
           membind->policy == WEIR_MEMBIND_NODE;
}

/* Pages seldom move, and asking for them costs more than a short phase. */
static const struct weir_page_places *page_places(struct weir_run *run)
{
    struct weir_page_sample *sample = &run->pages;
    uint64_t now_ns = weir_run_now(run);

    if (sample->at_ns == 0 || now_ns - sample->at_ns >= PAGE_SAMPLE_NS) {
        sample->code = weir_memory_look(run->buffers.memory, run->buffers.bytes, &sample->places);
        sample->at_ns = now_ns;
    }
    return sample->code == 0 ? &sample->places : NULL;
}

/* Where the buffers are, and where they should be for the processors that the rank has now. */
static void look_at_memory(struct weir_run *run, struct weir_execution *execution)
{
    const struct weir_membind *membind = &run->test->membind;
    const struct weir_page_places *places = page_places(run);
    bool has_own_policy = leaves_memory_alone(run) && run->host->has_memory_policy;
    uint64_t wanted = weir_memory_wanted(membind, execution->cpu_nodes, has_own_policy);

    if (wanted == 0 && !has_own_policy)
        wanted = execution->cpu_nodes;
    /* A policy that the process was started with is asked for, too, but not known. */
    execution->asks_nodes = asks_nodes(membind) || has_own_policy;
    execution->wanted_nodes = wanted;
    if (places == NULL)
        return;
    execution->page_nodes = places->nodes;
    /* With no nodes known to compare with, none is away. */
    if (places->nodes != 0 && execution->wanted_nodes != 0)
        execution->away_permille = weir_memory_away_permille(places, execution->wanted_nodes);
}

/* On the first rank of a node, of all its ranks; else NULL. */
static const struct weir_stolen *stolen_of_node(const struct weir_run *run)
{
    if (run->stolen_watch == NULL)
        return NULL;
    return run->samples_counters ? weir_stolen_end(run->stolen_watch)
                                 : weir_stolen_unknown(run->stolen_watch);
}

/* The first rank has looked for as long as any rank of the node took; of that, this rank gets the
 * part for which it took itself. Collective. */
static int share_stolen(struct weir_run *run, struct weir_execution *execution)
{
    const struct weir_stolen *all = stolen_of_node(run);
    struct weir_stolen mine = {.ns = WEIR_UNKNOWN};
    int code = weir_group_deal_on_node(run->group, all, sizeof mine, &mine);

    execution->stolen_ns = mine.ns;
    if (mine.ns != WEIR_UNKNOWN && mine.interval_ns > execution->wall_ns)
        execution->stolen_ns =
            (uint64_t)((double)mine.ns * (double)execution->wall_ns / (double)mine.interval_ns);
    return code;
}

int weir_binding_sample_node(struct weir_run *run, struct weir_phase_facts *facts)
{
    int code = share_stolen(run, &facts->execution);
    struct weir_traffic now;

    if (code != 0)
        return code;
    look_at_memory(run, &facts->execution);
    if (run->traffic_watch == NULL)
        return 0;
    weir_traffic_read(run->traffic_watch, &now);
    facts->traffic = weir_traffic_between(&run->traffic, &now);
    return 0;
}

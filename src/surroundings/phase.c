/* SPDX-License-Identifier: Apache-2.0 */
/* Two looks around each phase: where this rank ran, and what happened to it and on its node. */
#include "parts.h"

#include "weir/base/call_watch.h"
#include "weir/system/processor.h"

#define PAGE_SAMPLE_NS UINT64_C(100000000)
/* Reading the counters of the kernel takes longer than a short phase. A kernel counts stolen time
 * in such ticks. */
#define COUNTER_SAMPLE_NS UINT64_C(10000000)
/* Parts of a storage that have failed are counted again after phases of a second. */
#define FAILED_SAMPLE_NS UINT64_C(1000000000)

static bool counters_are_old(const struct weir_surroundings *surroundings)
{
    return surroundings->looked_ns == 0 ||
           weir_clock_ns(surroundings->clock) - surroundings->looked_ns >= COUNTER_SAMPLE_NS;
}

static uint64_t read_storage(const struct weir_surroundings *surroundings)
{
    return surroundings->counts_reads ? weir_run_probe_storage_read(surroundings->host.probe)
                                      : WEIR_UNKNOWN;
}

void weir_surroundings_begin(struct weir_surroundings *surroundings)
{
    if (surroundings->traffic_watch != NULL)
        weir_traffic_read(surroundings->traffic_watch, &surroundings->traffic);
    if (surroundings->host.pressure != NULL) {
        weir_pressure_begin(surroundings->host.pressure);
        weir_clock_compare(surroundings->clock, &surroundings->clocks);
    }
    surroundings->storage_read_bytes = read_storage(surroundings);
    surroundings->samples_counters = counters_are_old(surroundings);
    if (!surroundings->samples_counters)
        return;
    if (surroundings->stolen_watch != NULL)
        weir_stolen_begin(surroundings->stolen_watch);
    weir_run_probe_read(surroundings->host.probe, &surroundings->look);
    surroundings->looked_ns = weir_clock_ns(surroundings->clock);
}

void weir_surroundings_enter(struct weir_surroundings *surroundings)
{
    surroundings->waited_of_ns = 0;
    surroundings->entered_ns = weir_clock_ns(surroundings->clock);
    surroundings->entered_waited_ns = weir_run_probe_waited(surroundings->host.probe);
}

void weir_surroundings_leave(struct weir_surroundings *surroundings)
{
    surroundings->waited_ns = weir_growth(surroundings->entered_waited_ns,
                                          weir_run_probe_waited(surroundings->host.probe));
    surroundings->waited_of_ns = weir_clock_ns(surroundings->clock) - surroundings->entered_ns;
}

/* The processors that the rank may run on now: those of the binding, unless that was changed from
 * outside. */
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

/* A rank that is bound to one processor cannot migrate by itself: any migration means that its
 * binding was changed, even if it is restored. */
static bool was_away(const struct weir_binding *binding, uint64_t migrations)
{
    return weir_cpu_set_count(&binding->cpus) == 1 && migrations != WEIR_UNKNOWN && migrations > 0;
}

/* Counters are not read after a short phase if they were read just before it; the next reading
 * includes its part. */
static struct weir_running look_again(struct weir_surroundings *surroundings)
{
    struct weir_running now = surroundings->look;

    surroundings->samples_counters |= counters_are_old(surroundings);
    if (surroundings->samples_counters) {
        weir_run_probe_read(surroundings->host.probe, &now);
        surroundings->looked_ns = weir_clock_ns(surroundings->clock);
    } else {
        weir_running_cpus(&now.cpus);
        now.migrations = now.preemptions = now.throttled_ns = WEIR_UNKNOWN;
        now.at_ns += weir_clock_ns(surroundings->clock) - surroundings->looked_ns;
    }
    return now;
}

static void sample_rank(struct weir_surroundings *surroundings, struct weir_execution *execution)
{
    const struct weir_running *before = &surroundings->look;
    const struct weir_binding *binding = &surroundings->binding;
    struct weir_running now = look_again(surroundings);

    *execution = (struct weir_execution){
        .is_known = true,
        .is_pinned = weir_surroundings_is_pinned(surroundings),
        .is_narrowed = binding->is_narrowed,
        .is_far = binding->is_far,
        .given_core_count = surroundings->given_core_count,
        .last_cpu = now.cpu,
        .wall_ns = now.at_ns - before->at_ns,
        .migrations = weir_growth(before->migrations, now.migrations),
        .preemptions = weir_growth(before->preemptions, now.preemptions),
        .throttled_ns = weir_growth(before->throttled_ns, now.throttled_ns),
        .stolen_ns = WEIR_UNKNOWN, /* until the node has told it */
        .stolen_cpus = weir_cpu_set_count(&binding->cpus),
        .waited_ns = surroundings->waited_of_ns > 0 ? surroundings->waited_ns : WEIR_UNKNOWN,
        .waited_of_ns = surroundings->waited_of_ns,
        .storage_read_bytes =
            weir_growth(surroundings->storage_read_bytes, read_storage(surroundings)),
    };
    tell_place(binding, &now, execution);
    execution->is_moved |= was_away(binding, execution->migrations);
    if (surroundings->samples_counters)
        surroundings->look = now;
}

static bool asks_nodes(const struct weir_membind *membind)
{
    return membind->policy == WEIR_MEMBIND_LOCAL || membind->policy == WEIR_MEMBIND_INTERLEAVE ||
           membind->policy == WEIR_MEMBIND_NODE;
}

/* Pages seldom move, and asking for them costs more than a short phase. */
static const struct weir_page_places *page_places(struct weir_surroundings *surroundings,
                                                  const void *memory, size_t bytes)
{
    struct weir_page_sample *sample = &surroundings->pages;
    uint64_t now_ns = weir_clock_ns(surroundings->clock);

    if (sample->at_ns == 0 || now_ns - sample->at_ns >= PAGE_SAMPLE_NS) {
        sample->code = weir_memory_sample_places(memory, bytes, &sample->places);
        sample->at_ns = now_ns;
    }
    return sample->code == 0 ? &sample->places : NULL;
}

/* Where the buffers are, and where they should be for the processors that the rank has now. */
static void look_at_memory(struct weir_surroundings *surroundings, const void *memory, size_t bytes,
                           struct weir_execution *execution)
{
    const struct weir_membind *membind = &surroundings->test->membind;
    const struct weir_page_places *places = page_places(surroundings, memory, bytes);
    bool has_own_policy =
        weir_surroundings_leaves_memory_alone(surroundings) && surroundings->host.has_memory_policy;
    uint64_t wanted = weir_memory_wanted(membind, execution->cpu_nodes, has_own_policy);

    if (wanted == 0 && !has_own_policy)
        wanted = execution->cpu_nodes;
    /* An inherited memory policy counts as asked for, though its nodes are not known. */
    execution->asks_nodes = asks_nodes(membind) || has_own_policy;
    execution->wanted_nodes = wanted;
    if (places == NULL)
        return;
    execution->page_nodes = places->nodes;
    /* If no nodes are known, no page counts as away. */
    if (places->nodes != 0 && execution->wanted_nodes != 0)
        execution->away_permille = weir_memory_away_permille(places, execution->wanted_nodes);
}

/* On the first rank of a node, of all its ranks; else NULL. */
static const struct weir_stolen *stolen_of_node(const struct weir_surroundings *surroundings)
{
    if (surroundings->stolen_watch == NULL)
        return NULL;
    return surroundings->samples_counters ? weir_stolen_end(surroundings->stolen_watch)
                                          : weir_stolen_unknown(surroundings->stolen_watch);
}

/* The first rank of the node measures stolen time until the slowest rank is done; each rank gets
 * the fraction of its own duration. Collective. */
static int share_stolen(struct weir_surroundings *surroundings, struct weir_group *group,
                        struct weir_execution *execution)
{
    const struct weir_stolen *all = stolen_of_node(surroundings);
    struct weir_stolen mine = {.ns = WEIR_UNKNOWN};
    int code = weir_group_deal_on_node(group, all, sizeof mine, &mine);

    execution->stolen_ns = mine.ns;
    if (mine.ns != WEIR_UNKNOWN && mine.interval_ns > execution->wall_ns)
        execution->stolen_ns =
            (uint64_t)((double)mine.ns * (double)execution->wall_ns / (double)mine.interval_ns);
    return code;
}

/* On the first rank of a node. */
static void look_at_node(struct weir_surroundings *surroundings, struct weir_execution *execution)
{
    struct weir_clock_pair clocks;

    weir_clock_compare(surroundings->clock, &clocks);
    execution->clock_ppm =
        weir_clock_drift_ppm(&surroundings->clocks, &clocks, &execution->clock_error_ppm);
    weir_pressure_end(surroundings->host.pressure, execution->waited_ns, &execution->pressure);
}

void weir_surroundings_end(struct weir_surroundings *surroundings, struct weir_group *group,
                           const void *memory, size_t bytes, struct weir_phase_surroundings *seen)
{
    struct weir_traffic now;

    sample_rank(surroundings, &seen->execution);
    seen->code = share_stolen(surroundings, group, &seen->execution);
    look_at_memory(surroundings, memory, bytes, &seen->execution);
    if (surroundings->host.pressure != NULL)
        look_at_node(surroundings, &seen->execution);
    if (surroundings->traffic_watch == NULL)
        return;
    weir_traffic_read(surroundings->traffic_watch, &now);
    seen->traffic = weir_traffic_between(&surroundings->traffic, &now);
    if (seen->execution.wall_ns >= FAILED_SAMPLE_NS) {
        weir_call_begin("getxattr", surroundings->path);
        weir_storage_count_failed("", &surroundings->storage);
        weir_call_end();
    }
    seen->traffic.failed_count = surroundings->storage.failed_count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One round: its ends meet, start together, and what they counted is gathered. */
#include "run.h"

#include "retransmits.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A flow goes round so much memory where the user does not say. */
#define WORKING_SET_MOST (UINT64_C(8) << 20)
/* Messages in flight that are checked have so much in all. */
#define VERIFIED_MOST (UINT64_C(64) << 20)
#define LINE_BYTES 64

/* ---- shapes ---- */

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

/* As many pieces of `stride` as fit, and one at least. */
static uint64_t fitting(uint64_t bytes, uint64_t stride)
{
    assert(stride > 0);
    return bytes > stride ? bytes / stride : 1;
}

struct net_trial net_trial_of(const struct weir_net_plan *plan, uint64_t bytes)
{
    struct net_trial trial = {
        .bytes = bytes,
        .stride = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES,
        .depth = weir_net_plan_depth(plan, bytes),
        .batch = weir_net_plan_batch(plan, bytes),
        .warm_up_ns = plan->warm_up_ns,
        .duration_ns = plan->duration_ns,
        .iterations = plan->iterations,
        .interval_ns = plan->interval_ns,
        .must_verify = plan->must_verify,
        .is_ping_pong = plan->measure == WEIR_NET_LATENCY,
    };

    if (trial.must_verify) {
        trial.depth = (unsigned)at_most(trial.depth, fitting(VERIFIED_MOST, trial.stride));
        trial.slot_count = trial.depth;
    } else if (trial.is_ping_pong) {
        trial.slot_count = 2;
    } else if (plan->working_set_bytes > 0) {
        trial.slot_count = fitting(plan->working_set_bytes, trial.stride);
    } else {
        trial.slot_count = at_most(trial.depth, fitting(WORKING_SET_MOST, trial.stride));
    }
    trial.batch = (unsigned)at_most(trial.batch, trial.depth);
    return trial;
}

/* ---- together ---- */

/* All ranks leave it; nobody has spun meanwhile. What comes from the network is heard. */
static int barrier(struct net_run *run, const struct net_trial *trial)
{
    struct net_barrier state;
    int code = 0;

    net_barrier_begin(&state, run->group, run->clock, run->plan);
    while (code == 0) {
        struct net_event events[16];
        int count = run->transport->ops->poll(run->transport, events, 16, 1000000);

        for (int i = 0; i < count; i++)
            net_endpoint_hear(run, trial, &events[i]);
        code = net_barrier_step(&state, true, net_is_stopping(run));
    }
    run->has_stopped |= state.flag != 0;
    return code < 0 ? code : 0;
}

static void end_trial(struct net_run *run)
{
    for (uint32_t i = 0; i < run->endpoint_count; i++)
        if (run->endpoints[i].link != NULL)
            run->endpoints[i].link->end = NULL;
    if (run->transport->ops->end != NULL)
        run->transport->ops->end(run->transport);
}

static int give_up(struct weir_error *error, int code)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "net",
                          "the ranks can no longer talk to each other: %s", strerror(-code));
}

static uint64_t cpu_ns(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) *
               UINT64_C(1000000000) +
           ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

/* What kept this rank from running, and its node's clock against its kernel's. */
struct net_watch {
    uint64_t waited_ns;
    struct weir_clock_pair clocks;
};

static void begin_watch(struct net_run *run, struct net_watch *watch)
{
    watch->waited_ns = weir_run_probe_waited(run->probe);
    if (run->pressure_watch == NULL)
        return;
    weir_pressure_begin(run->pressure_watch);
    weir_clock_compare(run->clock, &watch->clocks);
}

static void end_watch(struct net_run *run, const struct net_watch *watch)
{
    struct weir_clock_pair clocks;
    double error_ppm;

    run->waited_ns = weir_growth(watch->waited_ns, weir_run_probe_waited(run->probe));
    if (run->pressure_watch == NULL)
        return;
    weir_clock_compare(run->clock, &clocks);
    run->clock_ppm = fabs(weir_clock_drift_ppm(&watch->clocks, &clocks, &error_ppm));
    run->clock_ppm = fmax(run->clock_ppm - error_ppm, 0.0);
    weir_pressure_end(run->pressure_watch, run->waited_ns, &run->pressure);
}

/* Begins on all ranks, runs, and ends. *start_ns receives this rank's start. */
static int run_trial(struct net_run *run, const struct net_trial *trial, uint64_t *start_ns,
                     struct weir_error *error)
{
    struct weir_time_point point = {0};
    struct weir_fabric_facts facts;
    struct net_watch watch;
    int code;

    net_endpoints_begin(run, trial, error);
    /* Before any rank may wait in a call that spins. */
    code = barrier(run, trial);
    if (code < 0)
        return give_up(error, code);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    code = weir_group_synchronise(run->group, run->clock, &point);
    if (code < 0)
        return give_up(error, code);
    begin_watch(run, &watch);
    *start_ns = weir_group_start_together(run->group, run->clock, &point);
    if (*start_ns == 0)
        return give_up(error, -ECOMM);
    run->transport->ops->describe(run->transport, &facts);
    run->retransmit_count = net_retransmits(&facts);
    run->cpu_ns = cpu_ns();
    code = trial->is_ping_pong ? net_latency_run(run, trial, *start_ns)
                               : net_bandwidth_run(run, trial, *start_ns);
    run->cpu_ns = cpu_ns() - run->cpu_ns;
    if (run->retransmit_count != UINT64_MAX)
        run->retransmit_count = net_retransmits(&facts) - run->retransmit_count;
    run->elapsed_ns = weir_clock_ns(run->clock) - *start_ns;
    end_watch(run, &watch);
    /* Ranks with nothing to measure have come to the end at once: who was held since is missed
     * here, where that is told, and not in a gather. */
    if (code >= 0)
        code = barrier(run, trial);
    end_trial(run);
    return code < 0 ? give_up(error, code) : 0;
}

int net_round_try(struct net_run *run, struct weir_error *error)
{
    uint64_t largest = 0;
    struct net_trial trial;
    uint64_t start_ns;
    int code;

    for (unsigned i = 0; i < run->plan->size_count; i++)
        if (run->plan->sizes[i] > largest)
            largest = run->plan->sizes[i];
    trial = net_trial_of(run->plan, largest);
    trial.depth = trial.batch = 1;
    trial.slot_count = 1;
    trial.warm_up_ns = 0;
    trial.duration_ns = 0;
    trial.iterations = 1;
    trial.interval_ns = 0;
    trial.must_verify = false;
    trial.is_ping_pong = false;
    trial.number = run->trial_count++;
    code = run_trial(run, &trial, &start_ns, error);
    for (uint32_t i = 0; i < run->endpoint_count && code == 0; i++) {
        struct net_endpoint *end = &run->endpoints[i];
        struct net_peer *peer = &run->peers[end->peer];
        bool has_failed = end->is_opener && end->failure[0] != '\0';

        if (has_failed && peer->opened != NULL && strncmp(peer->failure, "first", 5) != 0)
            snprintf(peer->failure, sizeof peer->failure, "first message: %.140s", end->failure);
        if (has_failed && peer->opened != NULL)
            peer->opened->is_up = false;
    }
    return code;
}

/* ---- what was counted ---- */

/* Of a host, one flow tells what was sent again: the first of the lowest rank that sends. */
static bool is_first_sender(const struct net_run *run)
{
    const struct weir_group *group = run->group;

    for (uint32_t i = 0; i < run->flow_count; i++)
        if (group->node_of_rank[run->flows[i].source] == group->node &&
            run->flows[i].source < (uint32_t)group->rank)
            return false;
    return run->plan->verb != WEIR_NET_READ;
}

static void write_reports(struct net_run *run, uint64_t start_ns)
{
    uint32_t count = 0;

    run->reports[0].is_used = 0;
    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        const struct net_endpoint *end = &run->endpoints[i];
        const struct net_tally *tally = &end->tally;
        struct net_report *report = &run->reports[count];

        if (!end->is_opener)
            continue;
        *report = (struct net_report){.flow = end->flow,
                                      .is_used = 1,
                                      .count = tally->count,
                                      .peak_per_s = tally->peak_per_s,
                                      .wrong_count = end->wrong_count,
                                      .retransmit_count = UINT64_MAX};
        if (count == 0 && is_first_sender(run))
            report->retransmit_count = run->retransmit_count;
        if (tally->begin_ns >= start_ns && tally->end_ns >= tally->begin_ns) {
            report->begin_ns = tally->begin_ns - start_ns;
            report->end_ns = tally->end_ns - start_ns;
        }
        /* All of it is a part, too. Of messages that are done early, no part is known. */
        if (run->transport->is_done_early && run->plan->verb == WEIR_NET_SEND)
            report->peak_per_s = 0;
        else if (report->peak_per_s > 0 && report->end_ns > report->begin_ns)
            report->peak_per_s =
                fmax(report->peak_per_s,
                     (double)report->count * 1e9 / (double)(report->end_ns - report->begin_ns));
        if (end->latency->total > 0) {
            report->latency_min_ns = end->latency->min_ns;
            report->latency_median_ns = weir_histogram_percentile(end->latency, 0.5);
            report->latency_max_ns = end->latency->max_ns;
        }
        memcpy(report->failure, end->failure, sizeof report->failure);
        count++;
    }
}

static uint64_t make_extreme(const struct net_run *run, double value)
{
    uint64_t whole = value <= 0.0 ? 0 : value < (double)UINT32_MAX ? (uint64_t)value : UINT32_MAX;

    return whole == 0 ? 0 : whole << 32 | (uint32_t)run->group->rank;
}

/* Extremes of all ranks, the longest latency among them, by one reduction. */
static int find_extremes(struct net_run *run, uint64_t longest_ns)
{
    const double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double ranks = run->group->node_size;
    struct net_extremes *extremes = &run->extremes;

    *extremes = (struct net_extremes){.latency_ns = longest_ns};
    if (run->waited_ns != WEIR_UNKNOWN && run->elapsed_ns > 0)
        extremes->waited_permille =
            make_extreme(run, 1000.0 * (double)run->waited_ns / (double)run->elapsed_ns);
    if (cpus > 0.0 && ranks > cpus)
        extremes->excess_permille = make_extreme(run, 1000.0 * ranks / cpus);
    extremes->clock_ppm = make_extreme(run, run->clock_ppm);
    return weir_group_reduce(run->group, (uint64_t *)extremes, sizeof *extremes / sizeof(uint64_t),
                             WEIR_MAX);
}

/* The first rank of the node whose rank waited most tells rank 0 of its node, if that matters. */
static int gather_pressure(struct net_run *run)
{
    const struct weir_group *group = run->group;
    const uint32_t rank = (uint32_t)run->extremes.waited_permille;
    int leader;

    if (run->extremes.waited_permille >> 32 < WEIR_WAITED_PERMILLE)
        return 0;
    leader = group->node_leader[group->node_of_rank[rank]];
    if (leader == 0 || (group->rank != 0 && group->rank != leader))
        return 0;
    return group->rank == 0
               ? group->ops->receive(run->group, &run->pressure, sizeof run->pressure, leader)
               : group->ops->send(run->group, &run->pressure, sizeof run->pressure, 0);
}

/* All ranks' latencies; the sum of them is on every rank. */
static int merge_latencies(struct net_run *run)
{
    struct weir_histogram *merged = run->latency;
    uint64_t *sums = run->latency_sums;
    int code;

    weir_histogram_reset(merged);
    for (uint32_t i = 0; i < run->endpoint_count; i++)
        if (run->endpoints[i].is_opener && run->endpoints[i].latency->total > 0)
            weir_histogram_merge(merged, run->endpoints[i].latency);
    sums[0] = merged->total;
    sums[1] = merged->sum_ns;
    memcpy(sums + 2, merged->counts, sizeof merged->counts);
    code = weir_group_reduce(run->group, sums, 2 + WEIR_HISTOGRAM_BUCKETS, WEIR_SUM);
    if (code == 0)
        code = weir_group_reduce(run->group, &merged->min_ns, 1, WEIR_MIN);
    if (code == 0)
        code = find_extremes(run, merged->max_ns);
    merged->max_ns = run->extremes.latency_ns;
    merged->total = sums[0];
    merged->sum_ns = sums[1];
    memcpy(merged->counts, sums + 2, sizeof merged->counts);
    return code;
}

/* ---- rank 0 ---- */

/* What a flow that failed says is in the result if that keeps all of them, else in the report. */
static void fill_flow(const struct net_run *run, const struct net_report *report, uint64_t bytes,
                      struct weir_arena *arena, struct weir_net_flow_result *flow)
{
    flow->message_count = report->count;
    flow->byte_count = report->count * bytes;
    flow->begin_s = (double)report->begin_ns * 1e-9;
    flow->seconds = (double)(report->end_ns - report->begin_ns) * 1e-9;
    flow->peak_bytes_per_s =
        run->plan->measure == WEIR_NET_LATENCY ? 0 : report->peak_per_s * (double)bytes;
    flow->latency_min_s = (double)report->latency_min_ns * 1e-9;
    flow->latency_median_s = (double)report->latency_median_ns * 1e-9;
    flow->latency_max_s = (double)report->latency_max_ns * 1e-9;
    flow->wrong_count = report->wrong_count;
    flow->retransmit_count = report->retransmit_count;
    if (report->failure[0] != '\0' && run->has_many_flows)
        flow->failure = report->failure;
    else if (report->failure[0] != '\0')
        flow->failure =
            weir_arena_printf(arena, "%.*s", (int)sizeof report->failure - 1, report->failure);
}

/* Windows of flows, on one clock. */
static void derive(struct weir_net_measurement *measurement)
{
    double first = 0, last = 0, common_begin = 0, common_end = 0;
    uint64_t bytes = 0;
    bool is_first = true;

    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        const struct weir_net_flow_result *flow = &measurement->flows[i];
        double end = flow->begin_s + flow->seconds;

        if (flow->message_count == 0)
            continue;
        bytes += flow->byte_count;
        first = is_first || flow->begin_s < first ? flow->begin_s : first;
        last = is_first || end > last ? end : last;
        common_begin = is_first || flow->begin_s > common_begin ? flow->begin_s : common_begin;
        common_end = is_first || end < common_end ? end : common_end;
        is_first = false;
    }
    measurement->seconds = last - first;
    measurement->common_s = common_end > common_begin ? common_end - common_begin : 0;
    measurement->bytes_per_s = measurement->seconds > 0 ? (double)bytes / measurement->seconds : 0;
}

static void add_intervals(const struct net_run *run, const struct net_report *report,
                          const uint64_t *counts, uint64_t bytes, struct weir_net_result *result)
{
    double width = (double)run->plan->interval_ns * 1e-9;
    double seconds = (double)(report->end_ns - report->begin_ns) * 1e-9;

    for (uint32_t i = 0; i < run->interval_capacity && (double)i * width < seconds; i++) {
        double end = (double)(i + 1) * width;
        bool is_last = i + 1 == run->interval_capacity || end >= seconds;

        weir_net_result_add_interval(
            result, &(struct weir_net_interval){.measurement = result->measurement_count - 1,
                                                .flow = report->flow,
                                                .begin_s = (double)i * width,
                                                .end_s = is_last ? seconds : end,
                                                .byte_count = counts[i] * bytes});
    }
}

/* As many reports as rank 0 has got. */
static size_t count_reports(const struct net_run *run)
{
    return run->openers_most > 1 ? run->flow_count : (size_t)run->group->size;
}

static void fill_measurement(const struct net_run *run, uint32_t round, uint32_t repetition,
                             uint64_t bytes, struct weir_net_result *result)
{
    struct weir_net_measurement *measurement = weir_net_result_add(result, run->flow_count);
    const struct net_report *reports = run->all_reports;

    measurement->round = round;
    measurement->repetition = repetition;
    measurement->is_alone = run->plan->pattern == WEIR_NET_PAIRS && run->group->size >= 4 &&
                            round < (uint32_t)run->group->size / 2;
    measurement->message_bytes = bytes;
    measurement->is_latency_bound = strcmp(result->provider, "verbs") == 0 &&
                                    run->plan->batch > 1 && run->plan->signal_every != 1;
    *measurement->latency = *run->latency;
    for (uint32_t i = 0; i < run->flow_count; i++) {
        measurement->flows[i].source = run->flows[i].source;
        measurement->flows[i].sink = run->flows[i].sink;
        measurement->flows[i].retransmit_count = UINT64_MAX;
    }
    for (size_t i = 0; i < count_reports(run); i++)
        if (reports[i].is_used)
            fill_flow(run, &reports[i], bytes, &result->arena,
                      &measurement->flows[reports[i].flow]);
    derive(measurement);
    /* What was taken from the start to the end, warm-up and all, as if it were spread evenly. */
    if (run->elapsed_ns > 0)
        measurement->cpu_s = (double)run->cpu_ns / (double)run->elapsed_ns * measurement->seconds;
    measurement->waited_share = 0.001 * (double)(run->extremes.waited_permille >> 32);
    measurement->waited_rank = (uint32_t)run->extremes.waited_permille;
    measurement->rank_excess = 0.001 * (double)(run->extremes.excess_permille >> 32);
    measurement->excess_rank = (uint32_t)run->extremes.excess_permille;
    measurement->clock_ppm = (double)(run->extremes.clock_ppm >> 32);
    measurement->clock_rank = (uint32_t)run->extremes.clock_ppm;
    if (measurement->waited_share * 1000.0 >= WEIR_WAITED_PERMILLE)
        measurement->pressure = run->pressure;
    for (size_t i = 0; i < count_reports(run) && run->interval_capacity > 0; i++)
        if (reports[i].is_used)
            add_intervals(run, &reports[i], run->all_intervals + i * run->interval_capacity, bytes,
                          result);
    if (run->has_many_flows)
        weir_net_measurement_reduce(result, measurement, result->kept_flow_count);
}

/* ---- a measurement ---- */

/* As many items as this rank has openers, of `bytes` each. All ranks know how many each has: where
 * that is one at most, all give one; else those that have some send them. */
static int gather_items(const struct net_run *run, const void *mine, size_t bytes, void *all)
{
    struct weir_group *group = run->group;
    unsigned char *place = all;
    int code = 0;

    if (run->openers_most <= 1)
        return weir_group_gather(group, mine, bytes, all);
    if (group->rank > 0)
        return run->openers[group->rank] > 0
                   ? group->ops->send(group, mine, run->openers[group->rank] * bytes, 0)
                   : 0;
    memcpy(place, mine, run->openers[0] * bytes);
    for (int rank = 1; rank < group->size && code == 0; rank++) {
        place += run->openers[rank - 1] * bytes;
        if (run->openers[rank] > 0)
            code = group->ops->receive(group, place, run->openers[rank] * bytes, rank);
    }
    return code;
}

static int gather(struct net_run *run)
{
    int code = gather_items(run, run->reports, sizeof *run->reports, run->all_reports);

    if (code == 0 && run->interval_capacity > 0)
        code = gather_items(run, run->intervals, run->interval_capacity * sizeof *run->intervals,
                            run->all_intervals);
    if (code == 0)
        code = weir_group_reduce(run->group, &run->cpu_ns, 1, WEIR_SUM);
    if (code == 0)
        code = merge_latencies(run);
    return code == 0 ? gather_pressure(run) : code;
}

int net_round_measure(struct net_run *run, uint32_t round, uint32_t repetition, uint64_t bytes,
                      struct weir_net_result *result, struct weir_error *error)
{
    struct net_trial trial = net_trial_of(run->plan, bytes);
    uint64_t start_ns = 0;
    int code;

    trial.number = run->trial_count++;
    if (run->interval_capacity == 0)
        trial.interval_ns = 0;
    code = run_trial(run, &trial, &start_ns, error);
    if (code < 0)
        return code;
    write_reports(run, start_ns);
    code = gather(run);
    if (code < 0)
        return give_up(error, code);
    if (result == NULL)
        return 0;
    fill_measurement(run, round, repetition, bytes, result);
    result->measurements[result->measurement_count - 1].begun_s =
        weir_wall_clock_s() - (double)(weir_clock_ns(run->clock) - start_ns) * 1e-9;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How far the figures of a net run can be believed: findings, each a sentence. */
#include "weir/flows/result.h"

#include "weir/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pairs together with less than this part of what they have alone share something. */
#define TRUNK_PART 0.9
/* Pairs that share a port which is used to so much of its rate would have more without the others.
 */
#define LINK_PART 0.8
/* A working set in the CPU's cache matters where a flow comes near to what memory can do. */
#define CACHE_PART 0.5
/* The rate of one interval of a flow, the best of many, is compared with one measurement of the
 * memory copy: of 40 runs from memory the greatest quotient was 1.28. */
#define COPY_PART 0.5
/* Counts and times agree but for their start and end. */
#define COUNT_PART 0.1
/* Flows that overlapped for less than this part of the time were not measured together. */
#define OVERLAP_PART 0.9
#define BRIEF_S 0.05
#define SIZES_MAX 64
/* A message that takes so long, so many times the usual, and such a part of the measurement. */
#define STALL_S 0.2
#define STALL_TIMES 20
#define STALL_PART 0.05

/* ---- words ---- */

#define RATE_BYTES 48

static const char *rate_words(double bytes_per_s, char buffer[RATE_BYTES])
{
    snprintf(buffer, RATE_BYTES, "%.4g MB/s", bytes_per_s / 1e6);
    return buffer;
}

static const char *value_words(const struct weir_net_result *result, double value,
                               char buffer[RATE_BYTES])
{
    return result->is_latency ? weir_duration_format(value, buffer) : rate_words(value, buffer);
}

static bool is_verbs(const struct weir_net_result *result)
{
    return strcmp(result->provider, "verbs") == 0;
}

/* ---- all flows of all measurements ---- */

static bool has_wrong_data(const struct weir_net_result *result,
                           const struct weir_net_flow_result *flow)
{
    (void)result;
    return flow->wrong_count > 0;
}

static bool has_failed(const struct weir_net_result *result,
                       const struct weir_net_flow_result *flow)
{
    (void)result;
    return weir_net_flow_has_failed(flow);
}

/* What they make together; and of each kind the first one that was kept, if there is any. */
struct whole {
    uint64_t flows, failed, inside, wrong_messages, retransmits;
    uint32_t touched; /* measurements with retransmits */
    const struct weir_net_flow_result *first_failed, *first_inside, *first_wrong;
};

static void keep_first(const struct weir_net_result *result,
                       const struct weir_net_measurement *measurement,
                       bool (*is_one)(const struct weir_net_result *result,
                                      const struct weir_net_flow_result *flow),
                       const struct weir_net_flow_result **first)
{
    for (uint32_t i = 0; i < measurement->flow_count && *first == NULL; i++)
        if (is_one(result, &measurement->flows[i]))
            *first = &measurement->flows[i];
}

static struct whole whole_of(const struct weir_net_result *result)
{
    struct whole whole = {0};

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *one = &result->measurements[i];
        struct weir_net_totals totals = weir_net_totals_of(result, one);

        whole.flows += totals.flow_count;
        whole.failed += totals.failed_count;
        whole.inside += totals.inside_count;
        whole.wrong_messages += totals.wrong_count;
        if (totals.retransmit_count != UINT64_MAX && totals.retransmit_count > 0) {
            whole.retransmits += totals.retransmit_count;
            whole.touched++;
        }
        if (totals.failed_count > 0)
            keep_first(result, one, has_failed, &whole.first_failed);
        if (totals.wrong_count > 0)
            keep_first(result, one, has_wrong_data, &whole.first_wrong);
        if (totals.inside_count > 0)
            keep_first(result, one, weir_net_flow_is_inside, &whole.first_inside);
    }
    return whole;
}

static bool is_local(const struct whole *whole)
{
    return whole->flows > 0 && whole->inside == whole->flows;
}

bool weir_net_result_is_local(const struct weir_net_result *result)
{
    struct whole whole = whole_of(result);

    return is_local(&whole);
}

/* ---- what went wrong ---- */

static void judge_failures(struct weir_net_result *result, const struct whole *whole)
{
    if (whole->failed == 0 && whole->wrong_messages == 0)
        return;
    result->has_failed = true;
    if (whole->first_failed != NULL)
        weir_net_result_find(result, WEIR_FINDING_FLOW_ERRORS,
                             "%" PRIu64 " of %" PRIu64 " flows failed, the first from rank %u to "
                             "rank %u (%s)",
                             whole->failed, whole->flows, whole->first_failed->source,
                             whole->first_failed->sink, whole->first_failed->failure);
    if (whole->first_wrong == NULL && whole->wrong_messages > 0)
        weir_net_result_find(result, WEIR_FINDING_WRONG_DATA, "%" PRIu64 " messages were wrong",
                             whole->wrong_messages);
    if (whole->first_wrong != NULL)
        weir_net_result_find(result, WEIR_FINDING_WRONG_DATA,
                             "%" PRIu64 " messages had wrong content, the first from rank %u to "
                             "rank %u",
                             whole->wrong_messages, whole->first_wrong->source,
                             whole->first_wrong->sink);
}

static void judge_kept(struct weir_net_result *result, const struct whole *whole)
{
    if (result->kept_flow_count > 0)
        weir_net_result_find(result, WEIR_FINDING_FLOWS_LEFT_OUT,
                             "of %" PRIu64 " flows only totals and the %u worst of each "
                             "measurement are kept",
                             whole->flows, result->kept_flow_count);
}

static void judge_interruption(struct weir_net_result *result)
{
    if (result->is_interrupted)
        weir_net_result_find(result, WEIR_FINDING_INTERRUPTED,
                             "a signal ended the run after %u measurements -> repeat it",
                             result->measurement_count);
}

/* ---- stops ---- */

/* Median and greatest time of a message. */
static void describe_times(const struct weir_net_measurement *measurement, double *median_s,
                           double *max_s)
{
    double figures[WEIR_NET_LATENCY_COUNT];

    weir_net_latency_describe(measurement->latency, figures);
    *median_s = figures[WEIR_NET_LATENCY_MEDIAN];
    *max_s = figures[WEIR_NET_LATENCY_MAX];
    if (measurement->totals != NULL) {
        *median_s = measurement->totals->latency_median_s;
        *max_s = measurement->totals->latency_max_s;
    }
}

/* The measurement whose longest message took so long that nearly nothing was measured meanwhile. */
static void judge_stalls(struct weir_net_result *result)
{
    char longest[WEIR_DURATION_TEXT_BYTES], usual[WEIR_DURATION_TEXT_BYTES];
    double worst_s = 0, usual_s = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *one = &result->measurements[i];
        double median_s, max_s;

        describe_times(one, &median_s, &max_s);
        if (max_s < STALL_S || max_s < STALL_TIMES * median_s || max_s < STALL_PART * one->seconds)
            continue;
        count++;
        if (max_s <= worst_s)
            continue;
        worst_s = max_s;
        usual_s = median_s;
    }
    if (count > 0)
        weir_net_result_find(
            result, WEIR_FINDING_STALL,
            "a message took %s, the median %s (%u of %u measurements) -> repeat the run",
            weir_duration_format(worst_s, longest), weir_duration_format(usual_s, usual), count,
            result->measurement_count);
}

/* ---- flows together ---- */

static bool share_port(const struct weir_net_result *result, uint32_t one, uint32_t other)
{
    const struct weir_net_rank *a = &result->ranks[one], *b = &result->ranks[other];

    return strcmp(a->host, b->host) == 0 && strcmp(a->device, b->device) == 0;
}

/* The most pairs of one measurement that leave their host by one port, or come to it by one; of
 * these `*rank` is an end. Flows that stay on their host, and both directions of a pair, are no
 * others. */
static uint32_t count_sharing(const struct weir_net_result *result,
                              const struct weir_net_measurement *one, uint32_t *rank)
{
    uint32_t most = 0;

    for (uint32_t i = 0; result->ranks != NULL && i < one->flow_count; i++) {
        const struct weir_net_flow_result *flow = &one->flows[i];
        uint32_t out = 0, in = 0;

        for (uint32_t k = 0; k < one->flow_count && !weir_net_flow_is_inside(result, flow); k++) {
            if (weir_net_flow_is_inside(result, &one->flows[k]))
                continue;
            out += share_port(result, flow->source, one->flows[k].source);
            in += share_port(result, flow->sink, one->flows[k].sink);
        }
        if ((out > in ? out : in) > most) {
            most = out > in ? out : in;
            *rank = out >= in ? flow->source : flow->sink;
        }
    }
    return most;
}

/* True if the pairs, or some of them, share a port because several ranks of a host have it, and the
 * sum shows it. Of incast and outcast that is what is measured. */
static bool judge_one_link(struct weir_net_result *result, const struct weir_net_summary *line)
{
    char size[WEIR_SIZE_TEXT_BYTES], rate[RATE_BYTES], alone[RATE_BYTES];
    double port_bytes_per_s = (double)result->link_bits_per_s / 8;
    bool is_slowed =
        line->alone_bytes_per_s > 0 && line->bytes_per_s < TRUNK_PART * line->alone_bytes_per_s;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *one = &result->measurements[i];
        uint32_t rank = 0, sharing = 0, same_end = 0;

        if (one->is_alone || one->message_bytes != line->message_bytes || one->flow_count < 2)
            continue;
        for (uint32_t k = 1; k < one->flow_count; k++)
            same_end += one->flows[k].source == one->flows[0].source ||
                        one->flows[k].sink == one->flows[0].sink;
        sharing = same_end == 0 ? count_sharing(result, one, &rank) : 0;
        if (sharing < 2 || !(is_slowed || (port_bytes_per_s > 0 &&
                                           line->bytes_per_s >= LINK_PART * port_bytes_per_s)))
            continue;
        weir_net_result_find(
            result, WEIR_FINDING_ONE_LINK,
            "%u pairs share a port of %s, %s of %s (%s) -> one rank per port", sharing,
            result->ranks[rank].host, rate_words(line->bytes_per_s, rate),
            rate_words(is_slowed ? line->alone_bytes_per_s : port_bytes_per_s, alone),
            weir_size_format_exact(line->message_bytes, size));
        return true;
    }
    return false;
}

/* Flows of the measurements of all pairs at once that no trunk has carried are named. */
static void judge_trunk(struct weir_net_result *result, const struct whole *whole,
                        const struct weir_net_summary *line)
{
    char size[WEIR_SIZE_TEXT_BYTES];
    char together[RATE_BYTES];
    char alone[RATE_BYTES];

    if (line->alone_bytes_per_s <= 0 || line->bytes_per_s <= 0 ||
        line->bytes_per_s >= TRUNK_PART * line->alone_bytes_per_s)
        return;
    weir_net_result_find(
        result, WEIR_FINDING_TRUNK, "pairs at once have %s of %s one by one (%s)%s",
        rate_words(line->bytes_per_s, together), rate_words(line->alone_bytes_per_s, alone),
        weir_size_format_exact(line->message_bytes, size),
        whole->inside == 0              ? " -> check links of switches"
        : whole->inside == whole->flows ? " on one host -> several hosts"
                                        : ", some on one host -> mpiexec --map-by node");
}

/* The slowest is named. */
static void judge_pairs(struct weir_net_result *result, const struct weir_net_summary *line)
{
    struct weir_net_odd_pair worst;
    uint32_t count = weir_net_result_odd_pairs(result, line->message_bytes, &worst, 1);
    char size[WEIR_SIZE_TEXT_BYTES];
    char value[RATE_BYTES], middle[RATE_BYTES];

    if (count > 0)
        weir_net_result_find(result, WEIR_FINDING_ODD_PAIR,
                             "%u %s slow, %u to %u has %s, median %s (%s) -> check cables", count,
                             count == 1 ? "pair is" : "pairs are", worst.source, worst.sink,
                             value_words(result, worst.value, value),
                             value_words(result, worst.median, middle),
                             weir_size_format_exact(line->message_bytes, size));
}

static uint32_t count_flows(const struct weir_net_measurement *measurement)
{
    return measurement->totals != NULL ? measurement->totals->flow_count : measurement->flow_count;
}

static double overlap_of(const struct weir_net_measurement *measurement)
{
    if (count_flows(measurement) < 2 || measurement->seconds <= 0)
        return 1;
    return measurement->common_s / measurement->seconds;
}

static void judge_overlap(struct weir_net_result *result)
{
    const struct weir_net_measurement *worst = NULL;
    char size[WEIR_SIZE_TEXT_BYTES];
    uint32_t count = 0;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *measurement = &result->measurements[i];

        if (overlap_of(measurement) >= OVERLAP_PART)
            continue;
        count++;
        if (!worst || overlap_of(measurement) < overlap_of(worst))
            worst = measurement;
    }
    if (!worst)
        return;
    weir_net_result_find(
        result, WEIR_FINDING_OVERLAP,
        "%u flows ran together for %.3g of %.3g s at %s (%u of %u measurements) -> --duration",
        count_flows(worst), worst->common_s, worst->seconds,
        weir_size_format_exact(worst->message_bytes, size), count, result->measurement_count);
}

static void judge_duration(struct weir_net_result *result)
{
    double least = INFINITY;
    uint32_t count = 0;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        double seconds = result->measurements[i].seconds;

        if (seconds <= 0 || seconds >= BRIEF_S)
            continue;
        count++;
        least = fmin(least, seconds);
    }
    if (count > 0)
        weir_net_result_find(result, WEIR_FINDING_SHORT,
                             "%u of %u measurements took less than %g s, one %.2g s -> --duration",
                             count, result->measurement_count, BRIEF_S, least);
}

/* ---- what was measured ---- */

/* 500 ppm: the kernel's time services correct no more, and oscillators are within 100. */
#define DRIFT_PPM 500.0

static const char *host_of(const struct weir_net_result *result, uint32_t rank)
{
    return result->ranks != NULL && rank < result->rank_count ? result->ranks[rank].host : "a node";
}

static double pressure_of(const struct weir_net_measurement *one)
{
    double own = one->rank_excess > 1.0 ? 1.0 - 1.0 / one->rank_excess : 0.0;

    return weir_pressure_weigh(&one->pressure, one->waited_share, one->seconds, own);
}

/* CPUs of the ranks, and clocks of their nodes: of all measurements the worst. */
static void judge_nodes(struct weir_net_result *result)
{
    const struct weir_net_measurement *drift = NULL, *excess = NULL, *wait = NULL;
    char busiest[WEIR_TASK_NAME_BYTES + 16] = "";

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *one = &result->measurements[i];

        if (one->clock_ppm > DRIFT_PPM && (drift == NULL || one->clock_ppm > drift->clock_ppm))
            drift = one;
        if (one->rank_excess > 1.0 && (excess == NULL || one->rank_excess > excess->rank_excess))
            excess = one;
        if (pressure_of(one) > 0.0 && (wait == NULL || pressure_of(one) > pressure_of(wait)))
            wait = one;
    }
    if (excess != NULL)
        weir_net_result_find(result, WEIR_FINDING_OVERSUBSCRIBED,
                             "%s has %.1f ranks for each CPU -> fewer ranks or more nodes",
                             host_of(result, excess->excess_rank), excess->rank_excess);
    if (wait != NULL && wait->pressure.busiest_permille > 0)
        snprintf(busiest, sizeof busiest, ", %s %.0f %%", wait->pressure.busiest,
                 0.1 * wait->pressure.busiest_permille);
    if (wait != NULL && !weir_pressure_is_foreign(&wait->pressure, wait->waited_share))
        weir_net_result_find_as(result, WEIR_FINDING_CPU_PRESSURE, WEIR_NOTE, WEIR_QUALIFY,
                                "ranks on %s waited up to %.0f %% for a CPU in use by ranks or the "
                                "kernel -> fewer ranks per node",
                                host_of(result, wait->waited_rank), 100.0 * wait->waited_share);
    else if (wait != NULL)
        weir_net_result_find(result, WEIR_FINDING_CPU_PRESSURE,
                             "rank %u on %s waited %.0f %% for a CPU (load %.1f%s) -> use an idle "
                             "node",
                             wait->waited_rank, host_of(result, wait->waited_rank),
                             100.0 * wait->waited_share, 0.01 * wait->pressure.load_hundredths,
                             busiest);
    if (drift != NULL)
        weir_net_result_find(result, WEIR_FINDING_CLOCK_DRIFT,
                             "the clock of %s is %.0f ppm off its kernel's -> check clocksource, "
                             "LD_PRELOAD",
                             host_of(result, drift->clock_rank), drift->clock_ppm);
}

static void judge_bounds(struct weir_net_result *result)
{
    for (uint32_t i = 0; i < result->measurement_count; i++) {
        double median_s, max_s;

        if (!result->measurements[i].is_latency_bound)
            continue;
        describe_times(&result->measurements[i], &median_s, &max_s);
        if (max_s <= 0)
            continue;
        weir_net_result_find(
            result, WEIR_FINDING_LATENCY_BOUND,
            "latencies are upper bounds, messages lack signals -> --signal-every 1");
        return;
    }
}

/* The CPUs of both ends move the data of a flow; except over verbs, where adapters do, and perhaps
 * over MPI between hosts. */
static void judge_copies(struct weir_net_result *result, const struct whole *whole)
{
    char size[WEIR_SIZE_TEXT_BYTES], set[WEIR_SIZE_TEXT_BYTES], rate[RATE_BYTES], copy[RATE_BYTES];
    const struct weir_net_measurement *worst = NULL;
    double fastest = 0, limit = result->copy_bytes_per_s;
    bool fits_cache = !result->is_latency && result->working_set_bytes > 0 &&
                      result->working_set_bytes <= result->cache_bytes;

    if (limit <= 0 || is_verbs(result) ||
        (strcmp(result->provider, "mpi") == 0 && !is_local(whole)))
        return;
    for (uint32_t i = 0; i < result->measurement_count; i++) {
        struct weir_net_totals totals = weir_net_totals_of(result, &result->measurements[i]);
        double most = fmax(totals.fastest_bytes_per_s, totals.peak_bytes_per_s);

        if (most <= fastest)
            continue;
        fastest = most;
        worst = &result->measurements[i];
    }
    if (fastest > (1 + COPY_PART) * limit)
        weir_net_result_find(
            result, WEIR_FINDING_ABOVE_MEMORY,
            "a flow had %s (%s), a memory copy has %s -> --working-set", rate_words(fastest, rate),
            weir_size_format_exact(worst->message_bytes, size), rate_words(limit, copy));
    else if (fits_cache && fastest >= CACHE_PART * limit)
        weir_net_result_find(result, WEIR_FINDING_CPU_CACHE,
                             "%s per flow fit into the CPU's cache, at %.0f %% of memory's rate -> "
                             "--working-set",
                             weir_size_format(result->working_set_bytes, set),
                             100 * fastest / limit);
}

/* Messages that were never sent have no time: of latencies one after the other the sum is the time
 * of the flows, or half of it where that of a message is half of a round trip; bytes are messages
 * times their size; and no port carries more than its link does. */
static void judge_counts(struct weir_net_result *result, const struct whole *whole)
{
    double port_bytes_per_s = (double)result->link_bits_per_s / 8;
    char size[WEIR_SIZE_TEXT_BYTES], rate[RATE_BYTES], link[RATE_BYTES];

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *one = &result->measurements[i];
        double flow_s = 0, latency_s = 0;

        if (one->latency != NULL)
            latency_s = weir_histogram_mean_ns(one->latency) / 1e9 * (double)one->latency->total;
        for (uint32_t k = 0; k < one->flow_count; k++) {
            const struct weir_net_flow_result *flow = &one->flows[k];
            double flow_rate = flow->seconds > 0 ? (double)flow->byte_count / flow->seconds : 0;

            flow_s += flow->seconds;
            if (weir_net_flow_has_failed(flow))
                continue;
            if (flow->byte_count != flow->message_count * one->message_bytes) {
                weir_net_result_find(
                    result, WEIR_FINDING_COUNT_MISMATCH,
                    "%" PRIu64 " messages of %s make not %" PRIu64 " bytes (rank %u to %u)",
                    flow->message_count, weir_size_format_exact(one->message_bytes, size),
                    flow->byte_count, flow->source, flow->sink);
                return;
            }
            if (whole->inside == 0 && port_bytes_per_s > 0 &&
                flow_rate > (1 + COUNT_PART) * port_bytes_per_s) {
                weir_net_result_find(result, WEIR_FINDING_COUNT_MISMATCH,
                                     "rank %u to %u has %s over a link of %s", flow->source,
                                     flow->sink, rate_words(flow_rate, rate),
                                     rate_words(port_bytes_per_s, link));
                return;
            }
        }
        if (result->is_latency && one->totals == NULL && flow_s > 0 &&
            latency_s > (1 + COUNT_PART) * flow_s) {
            weir_net_result_find(result, WEIR_FINDING_COUNT_MISMATCH,
                                 "%" PRIu64 " messages took %.3g s in all, and their flows %.3g s",
                                 one->latency->total, latency_s, flow_s);
            return;
        }
    }
}

/* On one host no path drops segments: a receiver that answers late makes TCP send some again. */
static void judge_retransmits(struct weir_net_result *result, const struct whole *whole)
{
    if (whole->touched == 0 || (!is_verbs(result) && whole->inside == whole->flows))
        return;
    weir_net_result_find_as(
        result, WEIR_FINDING_RETRANSMITS, is_verbs(result) ? WEIR_WARNING : WEIR_NOTE, WEIR_QUALIFY,
        "%" PRIu64 " %s were resent (%u of %u measurements) -> check %s", whole->retransmits,
        is_verbs(result) ? "packets" : "segments", whole->touched, result->measurement_count,
        is_verbs(result) ? "cables, PFC and ECN" : "queues on the path");
}

/* Ranks without a flow have no buffers. */
static void judge_huge_pages(struct weir_net_result *result)
{
    uint32_t with_buffers = 0, without_pages = 0;

    for (uint32_t i = 0; result->ranks != NULL && i < result->rank_count; i++) {
        const struct weir_net_rank *rank = &result->ranks[i];

        with_buffers += rank->buffer_bytes > 0;
        without_pages += rank->buffer_bytes > 0 && rank->huge_page_bytes == 0;
    }
    if (without_pages > 0)
        weir_net_result_find(result, WEIR_FINDING_NOT_GRANTED,
                             "%u of %u ranks got no huge pages for buffers -> sysctl "
                             "vm.nr_hugepages",
                             without_pages, with_buffers);
}

static void judge_mtu(struct weir_net_result *result)
{
    uint32_t least = 0;
    uint32_t greatest = 0;

    for (uint32_t i = 0; i < result->rank_count; i++) {
        uint32_t mtu = result->ranks ? result->ranks[i].mtu_bytes : 0;

        if (mtu == 0)
            continue;
        if (least == 0 || mtu < result->ranks[least - 1].mtu_bytes)
            least = i + 1;
        if (greatest == 0 || mtu > result->ranks[greatest - 1].mtu_bytes)
            greatest = i + 1;
    }
    if (least == 0 || result->ranks[least - 1].mtu_bytes == result->ranks[greatest - 1].mtu_bytes)
        return;
    weir_net_result_find(result, WEIR_FINDING_MTU,
                         "the MTU is %u bytes at rank %u (%s), %u at rank %u (%s) -> one for all "
                         "ports",
                         result->ranks[least - 1].mtu_bytes, least - 1,
                         result->ranks[least - 1].host, result->ranks[greatest - 1].mtu_bytes,
                         greatest - 1, result->ranks[greatest - 1].host);
}

/* ---- providers ---- */

/* Of flows over a network, those between ranks of one host go another way. */
static void judge_hosts(struct weir_net_result *result, const struct whole *whole)
{
    const struct weir_net_flow_result *first = whole->first_inside;
    char where[WEIR_HOST_NAME_BYTES + 48] = "";

    if (whole->inside == 0 || whole->inside == whole->flows || strcmp(result->provider, "shm") == 0)
        return;
    if (first != NULL)
        snprintf(where, sizeof where, " (%u to %u on %s)", first->source, first->sink,
                 result->ranks[first->source].host);
    weir_net_result_find(result, WEIR_FINDING_SAME_HOST,
                         "%" PRIu64 " of %" PRIu64 " flows never left their host%s -> mpiexec "
                         "--map-by node",
                         whole->inside, whole->flows, where);
}

/* Two hosts cannot have one address of a network that joins them: either these hosts are one
 * machine by several names, or each has the address on a network of its own. */
static void judge_addresses(struct weir_net_result *result)
{
    const struct weir_net_rank *ranks = result->ranks;

    for (uint32_t i = 1; ranks != NULL && i < result->rank_count; i++)
        for (uint32_t k = 0; k < i && ranks[i].address[0] != '\0'; k++) {
            if (strcmp(ranks[i].address, ranks[k].address) != 0 ||
                strcmp(ranks[i].host, ranks[k].host) == 0)
                continue;
            weir_net_result_find(
                result, WEIR_FINDING_SAME_ADDRESS,
                "hosts %s (rank %u) and %s (rank %u) have one address, %s -> --interface",
                ranks[k].host, k, ranks[i].host, i, ranks[i].address);
            return;
        }
}

static bool is_software(const struct weir_net_result *result)
{
    for (uint32_t i = 0; result->ranks && i < result->rank_count; i++)
        if (strncmp(result->ranks[i].device, "rxe", 3) == 0)
            return true;
    return false;
}

static void judge_provider(struct weir_net_result *result, const struct whole *whole)
{
    if (strcmp(result->provider, "shm") == 0)
        weir_net_result_find(result, WEIR_FINDING_SHARED_MEMORY,
                             "data moved through shared memory, not a network -> several hosts");
    else if (strcmp(result->provider, "tcp") == 0 && is_local(whole))
        weir_net_result_find(result, WEIR_FINDING_LOOPBACK,
                             "all ranks are on one host, and TCP used no device -> several hosts");
    else if (strcmp(result->provider, "mpi") == 0 && is_local(whole))
        weir_net_result_find(result, WEIR_FINDING_LOOPBACK,
                             "all ranks are on one host, and MPI used no network -> several "
                             "hosts");
    else if (is_verbs(result) && is_software(result))
        weir_net_result_find(result, WEIR_FINDING_SOFTWARE_RDMA,
                             "the device is software (rxe), whose rates are those of CPUs");
    else if (is_verbs(result) && is_local(whole))
        weir_net_result_find(result, WEIR_FINDING_LOOPBACK,
                             "all ranks are on one host, and data stay in the adapter -> several "
                             "hosts");
}

void weir_net_result_judge(struct weir_net_result *result)
{
    struct weir_net_summary lines[SIZES_MAX];
    uint32_t count = weir_net_result_summarise(result, lines, SIZES_MAX);
    struct whole whole = whole_of(result);

    judge_interruption(result);
    judge_failures(result, &whole);
    judge_provider(result, &whole);
    judge_hosts(result, &whole);
    judge_addresses(result);
    judge_kept(result, &whole);
    judge_stalls(result);
    judge_mtu(result);
    judge_huge_pages(result);
    judge_overlap(result);
    judge_nodes(result);
    for (uint32_t i = 0; i < count; i++)
        if (!judge_one_link(result, &lines[i]))
            judge_trunk(result, &whole, &lines[i]);
    for (uint32_t i = 0; i < count; i++)
        judge_pairs(result, &lines[i]);
    judge_bounds(result);
    judge_copies(result, &whole);
    judge_counts(result, &whole);
    judge_retransmits(result, &whole);
    judge_duration(result);
}

void weir_net_result_believe(struct weir_net_result *result, const struct weir_net_plan *plan)
{
    bool has_wrong_data = false;

    for (unsigned i = 0; i < result->finding_count; i++)
        has_wrong_data |=
            strcmp(result->findings[i].name, weir_finding_rows[WEIR_FINDING_WRONG_DATA].name) == 0;
    result->believed_as =
        weir_findings_allow(result->findings, result->finding_count, plan->allowed, plan->intent);
    result->believed = weir_believe(&(struct weir_verdict_facts){
        .findings = result->findings,
        .finding_count = result->finding_count,
        .has_wrong_data = has_wrong_data,
        .is_partial = result->is_interrupted || result->has_failed,
        .is_as_asked = result->believed_as != WEIR_MEASURE_STORAGE,
    });
}

bool weir_net_result_is_refused(const struct weir_net_result *result,
                                const struct weir_net_plan *plan)
{
    for (unsigned i = 0; plan->is_strict && i < result->finding_count; i++)
        if (result->findings[i].severity == WEIR_WARNING || result->findings[i].effect == WEIR_VOID)
            return true;
    return false;
}

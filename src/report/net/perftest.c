/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that programs which read perftest understand: a block of facts, and a line for each message
 * size. The shapes are those of the outputs in tests/samples/net, of perftest 4.5; that version
 * says MB where it counts 2^20, later ones MiB, as we do. */
#include "formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE                                                                                       \
    "-----------------------------------------------------------------------------------"          \
    "----\n"
#define MIB 1048576.0

static const char *verb_of(const struct weir_net_plan *plan)
{
    static const char *const names[] = {
        [WEIR_NET_WRITE] = "RDMA_Write",
        [WEIR_NET_READ] = "RDMA_Read",
        [WEIR_NET_SEND] = "Send",
    };

    return names[plan->verb];
}

static bool is_latency(const struct weir_net_view *view)
{
    return view->plan->measure == WEIR_NET_LATENCY;
}

/* "IB" is also what perftest says of RoCE. */
static const char *transport_of(const struct weir_net_result *result)
{
    return strcmp(result->provider, "verbs") == 0 ? "IB" : result->provider;
}

static const char *link_of(const struct weir_net_result *result)
{
    if (strcmp(result->transport, "InfiniBand") == 0)
        return "IB";
    return strcmp(result->provider, "shm") == 0 ? "none" : "Ethernet";
}

/* ---- the block of facts ---- */

static void begin(const struct weir_net_view *view)
{
    static const char *const sides[] = {"local", "remote"};
    const char *unit = view->plan->is_in_bits ? "Gb/sec" : "MiB/sec";
    const struct weir_net_plan *plan = view->plan;
    const struct weir_net_result *result = view->result;

    weir_text_add(view->text, RULE "                    %s %s%s Test\n", verb_of(view->plan),
                  view->plan->is_both_ways ? "Bidirectional " : "",
                  is_latency(view) ? "Latency" : "BW");
    weir_text_add(view->text, " Dual-port       : OFF\t\tDevice         : ");
    weir_net_view_add_name(view, result->ranks ? result->ranks[0].device : "");
    weir_text_add(view->text, "\n Number of qps   : %u\t\tTransport type : %s\n", plan->pairs,
                  transport_of(result));
    weir_text_add(view->text, " Connection type : RC\t\tUsing SRQ      : OFF\n");
    weir_text_add(view->text, " TX depth        : %u\n", weir_net_plan_depth(plan, plan->sizes[0]));
    if (!is_latency(view))
        weir_text_add(view->text, " CQ Moderation   : %u\n",
                      plan->signal_every ? plan->signal_every
                                         : weir_net_plan_batch(plan, plan->sizes[0]));
    if (result->mtu_bytes > 0)
        weir_text_add(view->text, " Mtu             : %u[B]\n", result->mtu_bytes);
    weir_text_add(view->text, " Link type       : %s\n", link_of(result));
    if (plan->gid_index >= 0)
        weir_text_add(view->text, " GID index       : %d\n", plan->gid_index);
    if (plan->verb == WEIR_NET_READ)
        weir_text_add(view->text, " Outstand reads  : %u\n", result->read_depth);
    else
        weir_text_add(view->text, " Max inline data : %u[B]\n", result->inline_bytes);
    weir_text_add(view->text, " rdma_cm QPs\t : OFF\n Data ex. method : Ethernet\n");
    weir_text_add(view->text, RULE);
    for (uint32_t i = 0; view->result->ranks && i < 2 && i < view->result->rank_count; i++) {
        weir_text_add(view->text, " %s address: HOST ", sides[i]);
        weir_net_view_add_name(view, view->result->ranks[i].host);
        weir_text_add(view->text, " DEVICE ");
        weir_net_view_add_name(view, view->result->ranks[i].device);
        weir_text_add(view->text, "\n GID: ");
        weir_net_view_add_name(view, view->result->ranks[i].address);
        weir_text_add(view->text, "\n");
    }
    weir_text_add(view->text, RULE);
    if (is_latency(view))
        weir_text_add(view->text,
                      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
                      "t_avg[usec]    t_stdev[usec]   99%% percentile[usec]   99.9%% "
                      "percentile[usec] \n");
    else
        weir_text_add(view->text,
                      " #bytes     #iterations    BW peak[%s]    BW average[%s]   "
                      "MsgRate[Mpps]\n",
                      unit, unit);
}

/* ---- lines ---- */

/* Figures of one size: of one measurement, or of many. */
static void add_line(const struct weir_net_view *view, const struct weir_net_summary *line)
{
    double unit = view->plan->is_in_bits ? 1e9 / 8 : MIB;
    const double *latency = line->latency_s;

    weir_text_add(view->text, " %-10" PRIu64 " ", line->message_bytes);
    if (!is_latency(view)) {
        weir_text_add(view->text, "%-10" PRIu64 "       %-7.2f            %-7.2f\t\t   %.6f\n",
                      line->message_count, line->peak_bytes_per_s / unit, line->bytes_per_s / unit,
                      line->messages_per_s / 1e6);
        return;
    }
    weir_text_add(view->text,
                  "%-10" PRIu64 " %-10.2f     %-10.2f   %-10.2f \t       %-10.2f \t%-10.2f "
                  "\t\t%-10.2f \t\t%-10.2f\n",
                  line->message_count, latency[WEIR_NET_LATENCY_MIN] * 1e6,
                  latency[WEIR_NET_LATENCY_MAX] * 1e6, latency[WEIR_NET_LATENCY_MEDIAN] * 1e6,
                  latency[WEIR_NET_LATENCY_MEAN] * 1e6, latency[WEIR_NET_LATENCY_STDDEV] * 1e6,
                  latency[WEIR_NET_LATENCY_P99] * 1e6, latency[WEIR_NET_LATENCY_P999] * 1e6);
}

/* One line for each size is what their readers look for: where a size is measured more than once,
 * its line waits for the medians. */
static bool is_told_at_once(const struct weir_net_view *view)
{
    return view->plan->repetitions <= 1 && view->plan->pattern != WEIR_NET_ALL &&
           view->plan->pattern != WEIR_NET_BISECTION;
}

/* Medians of one are its figures. */
static void add_measurement(const struct weir_net_view *view,
                            const struct weir_net_measurement *measurement)
{
    struct weir_net_result one = *view->result;
    struct weir_net_measurement copy = *measurement;
    struct weir_net_summary line;

    if (!is_told_at_once(view) || measurement->is_alone)
        return;
    one.measurements = &copy;
    one.measurement_count = 1;
    weir_net_result_summarise(&one, &line, 1);
    add_line(view, &line);
}

static void end(const struct weir_net_view *view)
{
    struct weir_arena arena = {0};
    uint32_t count;
    struct weir_net_summary *lines = weir_net_view_summary(view, &arena, &count);

    for (uint32_t i = 0; i < count && !is_told_at_once(view); i++)
        add_line(view, &lines[i]);
    weir_text_add(view->text, RULE);
    weir_net_view_add_findings(view, "weir  ");
    weir_arena_close(&arena);
}

const struct weir_net_format_ops weir_net_perftest_ops = {begin, add_measurement, end};

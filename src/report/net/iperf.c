/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that programs which read iperf3 understand: one stream for each flow. The shapes are those
 * of the outputs in tests/samples/net, of iperf 3.12. Transfers are in units of 1024, bitrates in
 * units of 1000. */
#include "formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RULE "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
#define FIRST_ID 5 /* iperf's numbers are those of its sockets */
#define ID_STEP 2

/* ---- numbers ---- */

#define UNIT_BYTES 24

/* Three digits, as "3.51 G", "30.2 G", " 985 M"; four below the next unit: "1020 M". */
static const char *scaled(double value, double base, char buffer[UNIT_BYTES])
{
    static const char prefixes[] = " KMGTP";
    unsigned place = 0;
    int digits;

    while (value >= base && place + 2 < sizeof prefixes) {
        value /= base;
        place++;
    }
    digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(buffer, UNIT_BYTES, "%4.*f %c", digits, value, prefixes[place]);
    if (place == 0)
        buffer[strlen(buffer) - 1] = '\0';
    return buffer;
}

/* ---- flows ---- */

/* Of two flows between the same ranks, the first one counts as the client's. */
static bool is_reverse(const struct weir_net_measurement *measurement, uint32_t flow)
{
    for (uint32_t i = 0; i < flow; i++)
        if (measurement->flows[i].source == measurement->flows[flow].sink &&
            measurement->flows[i].sink == measurement->flows[flow].source)
            return true;
    return false;
}

static const char *role_of(const struct weir_net_view *view,
                           const struct weir_net_measurement *measurement, uint32_t flow)
{
    if (!view->plan->is_both_ways)
        return "";
    return is_reverse(measurement, flow) ? "[RX-C]" : "[TX-C]";
}

static const char *host_of(const struct weir_net_result *result, uint32_t rank)
{
    if (!result->ranks || rank >= result->rank_count)
        return "-";
    return result->ranks[rank].address[0] ? result->ranks[rank].address : result->ranks[rank].host;
}

/* Of all flows of which they are known; UINT64_MAX: of none. */
static uint64_t sum_retransmits(const struct weir_net_measurement *measurement)
{
    uint64_t sum = UINT64_MAX;

    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        uint64_t count = measurement->flows[i].retransmit_count;

        if (count != UINT64_MAX)
            sum = sum == UINT64_MAX ? count : sum + count;
    }
    return sum;
}

/* ---- lines ---- */

struct line {
    int id; /* 0: the sum */
    const char *role;
    double offset_s; /* of a flow: its begin after that of the first flow */
    double begin_s;
    double end_s;
    double byte_count;
    uint64_t retransmits; /* UINT64_MAX: not known */
    const char *side;     /* "sender", "receiver"; "": of an interval */
};

static void add_line(const struct weir_net_view *view, const struct line *line)
{
    double seconds = line->end_s - line->begin_s;
    char transfer[UNIT_BYTES];
    char rate[UNIT_BYTES];
    char retransmits[24] = "";

    if (line->id)
        weir_text_add(view->text, "[%3d]", line->id);
    else
        weir_text_add(view->text, "[SUM]");
    if (line->retransmits != UINT64_MAX)
        snprintf(retransmits, sizeof retransmits, "%3" PRIu64, line->retransmits);
    weir_text_add(view->text, "%s %6.2f-%-6.2f sec  %sBytes  %sbits/sec  %s%*s%s\n", line->role,
                  line->begin_s, line->end_s, scaled(line->byte_count, 1024, transfer),
                  scaled(seconds > 0 ? 8 * line->byte_count / seconds : 0, 1000, rate), retransmits,
                  line->side[0] ? (int)(16 - strlen(retransmits)) : 0, "", line->side);
}

static void add_columns(const struct weir_net_view *view, bool has_retransmits)
{
    weir_text_add(view->text, "[ ID]%s Interval           Transfer     Bitrate%s\n",
                  view->plan->is_both_ways ? "[Role]" : "", has_retransmits ? "         Retr" : "");
}

/* ---- sums ---- */

/* One, or with both ways one of those that send and one of those that receive, as in iperf3. Times
 * of a sum are on one clock: flows that ran one after the other are not added up as if at once. */
struct sums {
    struct line lines[2];
    uint32_t flow_counts[2];
};

static void count_line(const struct weir_net_view *view,
                       const struct weir_net_measurement *measurement, uint32_t flow,
                       const struct line *line, struct sums *sums)
{
    unsigned k = view->plan->is_both_ways && is_reverse(measurement, flow);
    struct line *sum = &sums->lines[k];

    if (sums->flow_counts[k]++ == 0)
        *sum = (struct line){.role = line->role,
                             .begin_s = line->begin_s + line->offset_s,
                             .retransmits = UINT64_MAX,
                             .side = ""};
    sum->begin_s = fmin(sum->begin_s, line->begin_s + line->offset_s);
    sum->end_s = fmax(sum->end_s, line->end_s + line->offset_s);
    sum->byte_count += line->byte_count;
    if (line->retransmits != UINT64_MAX)
        sum->retransmits =
            line->retransmits + (sum->retransmits == UINT64_MAX ? 0 : sum->retransmits);
}

static void add_sums(const struct weir_net_view *view, const struct sums *sums,
                     void (*add)(const struct weir_net_view *, const struct line *))
{
    for (unsigned k = 0; k < 2; k++)
        if (sums->flow_counts[k] > 1)
            add(view, &sums->lines[k]);
}

/* ---- intervals ---- */

static bool is_of(const struct weir_net_view *view, const struct weir_net_interval *interval,
                  uint32_t measurement)
{
    return interval->measurement == measurement &&
           interval->flow < view->result->measurements[measurement].flow_count;
}

/* Of the intervals with this number; those of one flow lie in the order of time. 0: no flow has so
 * many. */
static double longest_interval(const struct weir_net_view *view, uint32_t measurement,
                               uint32_t number, uint32_t *seen)
{
    double longest_s = 0;

    memset(seen, 0, view->result->measurements[measurement].flow_count * sizeof *seen);
    for (uint32_t i = 0; i < view->result->interval_count; i++) {
        const struct weir_net_interval *interval = &view->result->intervals[i];

        if (is_of(view, interval, measurement) && seen[interval->flow]++ == number)
            longest_s = fmax(longest_s, interval->end_s - interval->begin_s);
    }
    return longest_s;
}

/* The last, shorter interval has a rate that means little, and may exceed that of the wire:
 * iperf3 leaves it out. A measurement that is shorter than an interval has a line all the same. */
static bool is_tail(const struct weir_net_view *view, uint32_t number, double longest_s)
{
    return number > 0 && longest_s < (double)view->plan->interval_ns / 2e9;
}

static double first_begin(const struct weir_net_measurement *measurement)
{
    double first_s = INFINITY;

    for (uint32_t i = 0; i < measurement->flow_count; i++)
        first_s = fmin(first_s, measurement->flows[i].begin_s);
    return first_s;
}

/* All flows of the interval with this number. False if it is none, or a tail. */
static bool add_interval(const struct weir_net_view *view,
                         const struct weir_net_measurement *measurement, uint32_t number,
                         uint32_t *seen)
{
    const struct weir_net_result *result = view->result;
    uint32_t place = (uint32_t)(measurement - result->measurements);
    struct sums sums = {0};
    double longest_s = longest_interval(view, place, number, seen);
    double first_s = first_begin(measurement);
    uint32_t found = 0;

    if (is_tail(view, number, longest_s))
        return false;
    memset(seen, 0, measurement->flow_count * sizeof *seen);
    for (uint32_t i = 0; i < result->interval_count; i++) {
        const struct weir_net_interval *interval = &result->intervals[i];
        struct line line = {.retransmits = UINT64_MAX, .side = ""};

        if (!is_of(view, interval, place) || seen[interval->flow]++ != number)
            continue;
        if (found == 0 && measurement->flow_count > 1 && number > 0)
            weir_text_add(view->text, RULE);
        line.id = FIRST_ID + ID_STEP * (int)interval->flow;
        line.role = role_of(view, measurement, interval->flow);
        line.offset_s = measurement->flows[interval->flow].begin_s - first_s;
        line.begin_s = interval->begin_s;
        line.end_s = interval->end_s;
        line.byte_count = (double)interval->byte_count;
        add_line(view, &line);
        count_line(view, measurement, interval->flow, &line, &sums);
        found++;
    }
    add_sums(view, &sums, add_line);
    return found > 0;
}

/* ---- a measurement ---- */

/* Bytes that were completed had arrived: the receiver has as many as the sender. */
static void add_ends(const struct weir_net_view *view, const struct line *whole)
{
    struct line line = *whole;

    line.side = "sender";
    add_line(view, &line);
    line.retransmits = UINT64_MAX;
    line.side = "receiver";
    add_line(view, &line);
}

static void add_totals(const struct weir_net_view *view,
                       const struct weir_net_measurement *measurement)
{
    uint64_t retransmits = sum_retransmits(measurement);
    struct sums sums = {0};

    weir_text_add(view->text, RULE);
    add_columns(view, retransmits != UINT64_MAX);
    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        const struct weir_net_flow_result *flow = &measurement->flows[i];
        struct line line = {
            .id = FIRST_ID + ID_STEP * (int)i,
            .role = role_of(view, measurement, i),
            .end_s = flow->seconds,
            .byte_count = (double)flow->byte_count,
            .retransmits = flow->retransmit_count,
        };

        if (weir_net_flow_has_failed(flow)) {
            weir_text_add(view->text, "iperf3: error - %u -> %u: ", flow->source, flow->sink);
            weir_text_add_visible(view->text, flow->failure);
            weir_text_add(view->text, "\n");
            continue;
        }
        add_ends(view, &line);
        /* All flows together count over the time of the measurement. */
        line.end_s = measurement->seconds;
        count_line(view, measurement, i, &line, &sums);
    }
    add_sums(view, &sums, add_ends);
    weir_text_add(view->text, "\n");
}

static void add_measurement(const struct weir_net_view *view,
                            const struct weir_net_measurement *measurement)
{
    const struct weir_net_result *result = view->result;
    struct weir_arena arena = {0};

    if (measurement->flow_count == 0)
        return;
    weir_text_add(view->text, "Connecting to host ");
    weir_net_view_add_name(view, host_of(result, measurement->flows[0].sink));
    weir_text_add(view->text, ", port 0\n");
    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        weir_text_add(view->text, "[%3d] local ", FIRST_ID + ID_STEP * (int)i);
        weir_net_view_add_name(view, host_of(result, measurement->flows[i].source));
        weir_text_add(view->text, " port 0 connected to ");
        weir_net_view_add_name(view, host_of(result, measurement->flows[i].sink));
        weir_text_add(view->text, " port 0\n");
    }
    add_columns(view, false);

    uint32_t *seen = weir_arena_take(&arena, (measurement->flow_count + 1) * sizeof *seen);

    for (uint32_t number = 0; add_interval(view, measurement, number, seen);)
        number++;
    weir_arena_close(&arena);

    add_totals(view, measurement);
}

static void end(const struct weir_net_view *view)
{
    weir_text_add(view->text, "iperf Done.\n");
    weir_net_view_add_findings(view, "weir  ");
}

const struct weir_net_format_ops weir_net_iperf_ops = {.measurement = add_measurement, .end = end};

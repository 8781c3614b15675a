/* SPDX-License-Identifier: Apache-2.0 */
/* Our own table of a net run: a line for each measurement as it is made, then medians, pairs, the
 * matrix, latencies and findings. */
#include "figures.h"
#include "formats.h"
#include "trust/tables.h"

#include "weir/base/memory.h"
#include "weir/base/version.h"
#include "weir/measure/median.h"
#include "weir/report/measures.h"
#include "weir/report/net_report.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define MB 1e6
#define WHAT_WIDTH 16

/* ---- head ---- */

static void add_key(const struct weir_net_view *view, const char *key, const char *value)
{
    weir_text_add(view->text, "%-9s ", key);
    weir_text_add_visible(view->text, value);
    weir_text_add(view->text, "\n");
}

static void add_ranks(const struct weir_net_view *view)
{
    const struct weir_net_result *result = view->result;

    weir_text_add(view->text, "%-9s %u on %u %s\n", "ranks", result->rank_count, result->node_count,
                  result->node_count == 1 ? "host" : "hosts");
    for (uint32_t i = 0; result->ranks && i < result->rank_count; i++) {
        const struct weir_net_rank *rank = &result->ranks[i];

        weir_text_add(view->text, "  %7u ", i);
        weir_net_view_add_name(view, rank->host);
        if (rank->device[0]) {
            weir_text_add(view->text, ", ");
            weir_net_view_add_name(view, rank->device);
        }
        if (rank->address[0]) {
            weir_text_add(view->text, ", ");
            weir_net_view_add_name(view, rank->address);
        }
        if (rank->numa_node >= 0)
            weir_text_add(view->text, ", NUMA node %d", rank->numa_node);
        if (rank->mtu_bytes)
            weir_text_add(view->text, ", MTU %u", rank->mtu_bytes);
        weir_text_add(view->text, "\n");
    }
}

/* "128", or "16 to 128" where it depends on the size of messages. */
static void add_range(struct weir_text *text, const struct weir_net_plan *plan,
                      unsigned (*number)(const struct weir_net_plan *plan, uint64_t bytes))
{
    unsigned least = UINT_MAX, most = 0;

    for (unsigned i = 0; i < plan->size_count; i++) {
        unsigned one = number(plan, plan->sizes[i]);

        least = one < least ? one : least;
        most = one > most ? one : most;
    }
    if (least < most)
        weir_text_add(text, "%u to ", least);
    weir_text_add(text, "%u", most);
}

static const char rate_columns[] =
    "MiB/s = 2^20 bytes a second, MB/s = 10^6, of all flows together from the first post to the "
    "last completion;\nmessages a second; slowest and fastest flow; common: part of the time in "
    "which all flows ran; cores: processors\nkept busy by all ranks.\n";
static const char latency_columns[] =
    "Times of one message in us; of writes and sends half a round trip, of reads a whole one.\n";

static void add_latency_head(const struct weir_net_view *view)
{
    weir_text_add(view->text, "%9s %9s %9s %9s %9s %9s %9s %9s\n", "min", "mean", "median", "90%",
                  "99%", "99.9%", "max", "stddev");
}

static void begin(const struct weir_net_view *view)
{
    const struct weir_net_plan *plan = view->plan;
    const struct weir_net_result *result = view->result;
    bool is_latency = plan->measure == WEIR_NET_LATENCY;
    char date[WEIR_DATE_BYTES];
    struct weir_text *text = view->text;

    weir_text_add(view->text, "weir net %s: %s, %s, %s over %s", WEIR_VERSION,
                  weir_net_measure_name(plan->measure), weir_net_pattern_name(plan->pattern),
                  weir_net_verb_name(plan->verb), result->provider);
    if (result->transport[0])
        weir_text_add(view->text, " (%s)", result->transport);
    weir_text_add(view->text, "\n");
    if (plan->command_line)
        add_key(view, "command", plan->command_line);
    add_key(view, "began", weir_date_format(result->begun_s, date));
    if (result->library[0])
        add_key(view, "library", result->library);
    add_ranks(view);
    if (result->link_bits_per_s > 0)
        weir_text_add(view->text, "%-9s %g Gbit/s: at most %.0f MB/s in each direction\n", "link",
                      (double)result->link_bits_per_s / 1e9,
                      (double)result->link_bits_per_s / 8 / MB);
    if (result->mtu_bytes > 0)
        weir_text_add(view->text, "%-9s %u bytes\n", "MTU", result->mtu_bytes);
    if (result->copy_bytes_per_s > 0)
        weir_text_add(view->text, "%-9s one processor of rank 0 copies %.0f MB/s\n", "memory",
                      result->copy_bytes_per_s / MB);

    /* Only if huge pages were asked for. Ranks without a flow have no buffers. */
    uint64_t bytes = 0, huge_bytes = 0;

    for (uint32_t i = 0; view->plan->wants_huge_pages && result->ranks && i < result->rank_count;
         i++) {
        bytes += result->ranks[i].buffer_bytes;
        huge_bytes += result->ranks[i].huge_page_bytes;
    }
    if (bytes > 0)
        weir_text_add(view->text, "%-9s %.0f%% in huge pages\n", "buffers",
                      100.0 * (double)huge_bytes / (double)bytes);

    weir_text_add(text, "%-9s depth ", "load");
    add_range(text, plan, weir_net_plan_depth);
    weir_text_add(text, ", batch ");
    add_range(text, plan, weir_net_plan_batch);
    weir_text_add(text, ", %u %s%s per flow%s", plan->pairs,
                  strcmp(view->result->provider, "verbs") == 0 ? "queue pair" : "stream",
                  plan->pairs == 1 ? "" : "s",
                  plan->is_both_ways ? ", both directions at once" : "");
    if (plan->iterations > 0)
        weir_text_add(text, ", %" PRIu64 " messages each", plan->iterations);
    else
        weir_text_add(text, ", %g s each", (double)plan->duration_ns / 1e9);
    if (plan->warm_up_ns > 0)
        weir_text_add(text, " after %g s of warm-up", (double)plan->warm_up_ns / 1e9);
    if (plan->repetitions > 1)
        weir_text_add(text, ", %u repetitions", plan->repetitions);
    weir_text_add(text, "\n");
    weir_text_add(view->text, "\n%s\n", is_latency ? latency_columns : rate_columns);
    weir_text_add(view->text, "%3s %10s %-*s ", "rep", "bytes", WHAT_WIDTH, "flows");
    if (is_latency)
        add_latency_head(view);
    else
        weir_text_add(view->text, "%10s %10s %11s %12s %12s %7s %6s\n", "MiB/s", "MB/s",
                      "messages/s", "slowest MB/s", "fastest MB/s", "common", "cores");
}

/* ---- a measurement ---- */

static const char *what_of(const struct weir_net_measurement *measurement, uint32_t flow_count,
                           char buffer[48])
{
    const struct weir_net_flow_result *flow = measurement->flows;

    if (flow_count == 1)
        snprintf(buffer, 48, "%u -> %u%s", flow->source, flow->sink,
                 measurement->is_alone ? " alone" : "");
    else if (flow_count == 2 && measurement->flow_count == 2 && flow[0].source == flow[1].sink &&
             flow[0].sink == flow[1].source)
        snprintf(buffer, 48, "%u <-> %u%s", flow->source, flow->sink,
                 measurement->is_alone ? " alone" : "");
    else
        snprintf(buffer, 48, "%u together", flow_count);
    return buffer;
}

/* Quantiles that need more messages than there are stay empty. */
static void add_latency(const struct weir_net_view *view,
                        const double seconds[WEIR_NET_LATENCY_COUNT], uint64_t message_count)
{
    for (unsigned i = 0; i < WEIR_NET_LATENCY_COUNT; i++) {
        char cell[32];

        snprintf(cell, sizeof cell, "%.2f", seconds[i] * 1e6);
        weir_text_add(view->text, "%9s%s", weir_net_latency_is_known(i, message_count) ? cell : "",
                      i + 1 < WEIR_NET_LATENCY_COUNT ? " " : "\n");
    }
}

static void add_measurement(const struct weir_net_view *view,
                            const struct weir_net_measurement *measurement)
{
    const struct weir_net_totals totals = weir_net_totals_of(view->result, measurement);
    double latency[WEIR_NET_LATENCY_COUNT];
    char what[48];

    weir_text_add(view->text, "%3u %10" PRIu64 " %-*s ", measurement->repetition,
                  measurement->message_bytes, WHAT_WIDTH,
                  what_of(measurement, totals.flow_count, what));
    if (view->plan->measure == WEIR_NET_LATENCY) {
        weir_net_latency_describe(measurement->latency, latency);
        add_latency(view, latency, measurement->latency ? measurement->latency->total : 0);
    } else {
        double seconds = measurement->seconds > 0 ? measurement->seconds : INFINITY;

        weir_text_add(view->text, "%10.2f %10.2f %11.0f %12.2f %12.2f %5.0f %% %6.2f\n",
                      measurement->bytes_per_s / MIB, measurement->bytes_per_s / MB,
                      (double)totals.message_count / seconds, totals.slowest_bytes_per_s / MB,
                      totals.fastest_bytes_per_s / MB, 100 * measurement->common_s / seconds,
                      measurement->cpu_s / seconds);
    }
    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        const struct weir_net_flow_result *flow = &measurement->flows[i];

        if (!weir_net_flow_has_failed(flow))
            continue;
        weir_text_add(view->text, "    %u -> %u failed: ", flow->source, flow->sink);
        weir_text_add_visible(view->text, flow->failure);
        weir_text_add(view->text, "\n");
    }
}

/* ---- the end: pairs and the matrix ---- */

static double *matrix_of(const struct weir_net_view *view, struct weir_arena *arena)
{
    return weir_arena_take(
        arena, ((size_t)view->result->rank_count * view->result->rank_count + 1) * sizeof(double));
}

static const char *unit_of(const struct weir_net_view *view)
{
    return view->plan->measure == WEIR_NET_LATENCY ? "us" : "MB/s";
}

static double scaled(const struct weir_net_view *view, double value)
{
    return view->plan->measure == WEIR_NET_LATENCY ? value * 1e6 : value / MB;
}

static void add_cell(const struct weir_net_view *view, double value)
{
    if (value > 0)
        weir_text_add(view->text, " %10.2f", scaled(view, value));
    else
        weir_text_add(view->text, " %10s", "-");
}

/* "*" if it is odd, else " ". */
static char mark_of(const struct weir_net_odd_pair *odd, uint32_t odd_count, uint32_t source,
                    uint32_t sink)
{
    for (uint32_t i = 0; i < odd_count; i++)
        if (odd[i].source == source && odd[i].sink == sink)
            return '*';
    return ' ';
}

struct pair_table {
    const struct weir_net_odd_pair *odd;
    uint32_t odd_count;
    const double *alone; /* NULL: pairs were not measured alone */
    const double *together;
};

static void add_part(const struct weir_net_view *view, double together, double alone)
{
    if (together > 0 && alone > 0)
        weir_text_add(view->text, " %8.0f %%", 100 * together / alone);
    else
        weir_text_add(view->text, " %10s", "-");
}

static void add_pairs(const struct weir_net_view *view, const struct pair_table *table,
                      const struct weir_net_summary *line)
{
    char size[WEIR_SIZE_TEXT_BYTES];
    uint32_t rank_count = view->result->rank_count;

    weir_text_add(view->text, "\n%s, messages of %s, %s%s\n  %-12s",
                  table->alone ? "Pairs" : "Flows",
                  weir_size_format_exact(line->message_bytes, size), unit_of(view),
                  table->odd_count ? "; * is slower than the others" : "", "");
    if (table->alone)
        weir_text_add(view->text, " %10s %10s %10s\n", "alone", "together", "part");
    else
        weir_text_add(view->text, " %10s\n", "together");
    for (uint32_t i = 0; i < rank_count * rank_count; i++) {
        uint32_t source = i / rank_count;
        uint32_t sink = i % rank_count;
        char name[32];

        if (table->together[i] <= 0 && (!table->alone || table->alone[i] <= 0))
            continue;
        snprintf(name, sizeof name, "%u -> %u", source, sink);
        weir_text_add(view->text, "%c %-12s", mark_of(table->odd, table->odd_count, source, sink),
                      name);
        if (table->alone)
            add_cell(view, table->alone[i]);
        add_cell(view, table->together[i]);
        if (table->alone)
            add_part(view, table->together[i], table->alone[i]);
        weir_text_add(view->text, "\n");
    }
    /* The sums are those of what was measured, not of the medians of single flows. */
    if (view->plan->measure == WEIR_NET_LATENCY)
        return;
    weir_text_add(view->text, "  %-12s", "sum");
    if (table->alone)
        add_cell(view, line->alone_bytes_per_s);
    add_cell(view, line->bytes_per_s);
    if (table->alone)
        add_part(view, line->bytes_per_s, line->alone_bytes_per_s);
    weir_text_add(view->text, "\n");
}

/* Where there is no matrix. */
static void add_slow_flows(const struct weir_net_view *view, const struct weir_net_summary *line)
{
    enum { NAMED = 20 };
    struct weir_net_odd_pair odd[NAMED];
    uint32_t count = weir_net_result_odd_pairs(view->result, line->message_bytes, odd, NAMED);
    char size[WEIR_SIZE_TEXT_BYTES], name[32];

    weir_text_add(view->text,
                  "\nSlow flows, messages of %s, %s: the worst of %u, and the median of those that "
                  "ran with each\n",
                  weir_size_format_exact(line->message_bytes, size), unit_of(view), count);
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        snprintf(name, sizeof name, "%u -> %u", odd[i].source, odd[i].sink);
        weir_text_add(view->text, "  %-16s", name);
        add_cell(view, odd[i].value);
        add_cell(view, odd[i].median);
        weir_text_add(view->text, "\n");
    }
}

static void add_tables(const struct weir_net_view *view, const struct weir_net_summary *line)
{
    const struct weir_net_result *result = view->result;
    struct weir_arena arena = {0};
    struct weir_net_odd_pair *odd = weir_arena_take(
        &arena, ((size_t)result->rank_count * result->rank_count + 1) * sizeof *odd);
    double *alone = matrix_of(view, &arena);
    double *together = matrix_of(view, &arena);
    struct pair_table table = {.odd = odd, .together = together};

    table.odd_count = weir_net_result_odd_pairs(result, line->message_bytes, odd,
                                                result->rank_count * result->rank_count);
    weir_net_result_matrix_of(result, line->message_bytes, true, alone);
    weir_net_result_matrix_of(result, line->message_bytes, false, together);
    if (view->plan->pattern == WEIR_NET_PAIRS)
        table.alone = alone;
    if (view->plan->pattern == WEIR_NET_ALL || view->plan->pattern == WEIR_NET_BISECTION) {
        uint32_t rank_count = view->result->rank_count;
        char size[WEIR_SIZE_TEXT_BYTES];

        weir_text_add(
            view->text,
            "\nMatrix, messages of %s, %s: from the rank of the row to that of the column%s\n"
            "%7s",
            weir_size_format_exact(line->message_bytes, size), unit_of(view),
            table.odd_count ? "; * is slower than the others" : "", "");
        for (uint32_t i = 0; i < rank_count; i++)
            weir_text_add(view->text, " %10u ", i);
        weir_text_add(view->text, "\n");
        for (uint32_t i = 0; i < rank_count; i++) {
            weir_text_add(view->text, "%7u", i);
            for (uint32_t j = 0; j < rank_count; j++) {
                add_cell(view, table.together[i * rank_count + j]);
                weir_text_add(view->text, "%c", mark_of(table.odd, table.odd_count, i, j));
            }
            weir_text_add(view->text, "\n");
        }
    } else if (view->plan->pattern != WEIR_NET_PAIR) {
        add_pairs(view, &table, line);
    }
    weir_arena_close(&arena);
}

/* ---- the end: the verdict ---- */

#define REASONS_MAX 2
#define BLOCK_ROWS_MAX 8

/* The measurements with one size of messages. */
struct block_row {
    uint64_t message_bytes;
    double rate; /* bytes/s: the median, the least and the greatest; 0 of latencies */
    double rate_min;
    double rate_max;
    double p50; /* s; 0 = not known, likewise below */
    double p99;
    uint64_t message_count;
};

/* The verdict of a run that goes on, or of a stored one. */
struct block {
    enum weir_believed believed;
    enum weir_measure believed_as;
    const struct weir_finding *findings;
    unsigned finding_count;
    struct block_row rows[BLOCK_ROWS_MAX];
    uint32_t row_count; /* with those that have no room */
    unsigned ranks;
    unsigned nodes;
    const char *provider;
    bool is_latency;
};

static void add_block_row(struct weir_text *text, const struct block_row *row, bool is_latency,
                          bool is_markdown)
{
    const char *between = is_markdown ? " | " : "  ";
    char size[WEIR_SIZE_TEXT_BYTES], p50[WEIR_DURATION_TEXT_BYTES], p99[WEIR_DURATION_TEXT_BYTES];

    weir_text_add(text, is_markdown ? "| %s" : "weir  %8s",
                  weir_size_format_exact(row->message_bytes, size));
    if (!is_latency)
        weir_text_add(text, "%s%10.2f MB/s%s", between, row->rate / MB, between);
    if (!is_latency && row->rate_min < row->rate_max)
        weir_text_add(text, "median, %.0f to %.0f", row->rate_min / MB, row->rate_max / MB);
    else if (!is_latency)
        weir_text_add(text, "one measurement");
    else if (is_markdown)
        weir_text_add(text, " | | ");
    weir_text_add(text, "%s", is_markdown ? " | " : "");
    if (row->p50 > 0)
        weir_text_add(text, "%sp50 %7s  p99 %7s", is_markdown ? "" : "  ",
                      weir_duration_format(row->p50, p50),
                      row->p99 > 0 ? weir_duration_format(row->p99, p99) : "-");
    weir_text_add(text, "  n %" PRIu64 "%s\n", row->message_count, is_markdown ? " |" : "");
}

/* The verdict with its reasons, and a line for each size of messages. */
static void add_block(struct weir_text *text, const struct block *block, bool is_markdown)
{
    const struct weir_finding *finding = NULL;
    bool is_as_asked =
        block->believed == WEIR_BELIEVED_CAUTION && block->believed_as != WEIR_MEASURE_STORAGE;
    char head[64];
    int width = snprintf(head, sizeof head, "%s%s%s%s%s", is_markdown ? "### " : "weir  ",
                         weir_believed_names[block->believed], is_as_asked ? " " : "",
                         is_as_asked ? weir_measure_names[block->believed_as] : "",
                         is_as_asked ? ", as asked" : "");
    unsigned printed = 0;

    if (is_markdown)
        weir_text_add(text, "%s\n\n", head);
    while (printed < REASONS_MAX &&
           (finding = weir_finding_next(block->findings, block->finding_count, finding)) != NULL) {
        if (finding->explained_by != NULL || finding->effect == WEIR_INFORM)
            continue;
        printed++;
        if (is_markdown) {
            weir_text_add(text, "* ");
            weir_text_add_markdown(text, finding->text);
            weir_text_add(text, "\n");
            continue;
        }
        if (printed == 1)
            snprintf(head + width, sizeof head - (size_t)width, "  ");
        weir_trust_broken(text, head, finding->text);
        snprintf(head, sizeof head, "weir%*s", width - 2, "");
    }
    if (printed == 0 && !is_markdown)
        weir_text_add(text, "%s\n", head);
    if (is_markdown)
        weir_text_add(text, "\n| message | rate | repetitions | latency |\n|---|---:|---|---|\n");
    for (uint32_t i = 0; i < block->row_count && i < BLOCK_ROWS_MAX; i++)
        add_block_row(text, &block->rows[i], block->is_latency, is_markdown);
    if (block->row_count > BLOCK_ROWS_MAX)
        weir_text_add(text, "%s%u more: %s\n", is_markdown ? "\n" : "weir  ",
                      block->row_count - BLOCK_ROWS_MAX, "the summary of the run");
    weir_text_add(text, "%s%u ranks, %u node%s, %s, %s\n", is_markdown ? "\n" : "weir  ",
                  block->ranks, block->nodes, block->nodes == 1 ? "" : "s", block->provider,
                  block->is_latency ? "latency" : "bandwidth");
}

static double value_of(const struct weir_measured_phase *phase, const char *figure)
{
    const struct weir_measured_figure *found = weir_measured_find(phase, figure);

    return found != NULL ? found->value : 0;
}

void weir_net_report_verdict(struct weir_text *text, const struct weir_measured_run *run,
                             bool is_markdown)
{
    const struct weir_measured_phase *first = run->phase_count > 0 ? &run->phases[0] : NULL;
    struct block block = {.believed = run->believed,
                          .believed_as = first != NULL ? first->believed_as : WEIR_MEASURE_STORAGE,
                          .findings = first != NULL ? first->finding_list : NULL,
                          .finding_count = first != NULL ? first->finding_count : 0,
                          .ranks = run->ranks,
                          .nodes = run->nodes,
                          .provider = first != NULL ? first->backend : "",
                          .is_latency = first != NULL && strcmp(first->verb, "latency") == 0};
    double *values = weir_memory_grow(NULL, (run->phase_count + 1) * 3 * sizeof *values);

    for (unsigned i = 0; i < run->phase_count; i++) {
        const uint64_t bytes = run->phases[i].transfer_bytes;
        double *columns[3] = {values, values + run->phase_count, values + 2 * run->phase_count};
        static const char *const figures[] = {"rate", "p50", "p99"};
        struct block_row row = {.message_bytes = bytes};
        unsigned counts[3] = {0};
        bool is_known = run->phases[i].part[0] != '\0';

        for (unsigned k = 0; k < i; k++)
            is_known |= run->phases[k].part[0] == '\0' && run->phases[k].transfer_bytes == bytes;
        for (unsigned k = i; k < run->phase_count && !is_known; k++) {
            const struct weir_measured_phase *phase = &run->phases[k];

            if (phase->part[0] != '\0' || phase->transfer_bytes != bytes)
                continue;
            row.message_count += (uint64_t)value_of(phase, "operations");
            for (unsigned f = 0; f < 3; f++)
                if (value_of(phase, figures[f]) > 0)
                    columns[f][counts[f]++] = value_of(phase, figures[f]);
        }
        if (is_known)
            continue;
        if (counts[0] > 0) {
            row.rate = weir_median_sort(columns[0], counts[0]);
            row.rate_min = columns[0][0];
            row.rate_max = columns[0][counts[0] - 1];
        }
        row.p50 = counts[1] > 0 ? weir_median_sort(columns[1], counts[1]) : 0;
        row.p99 = counts[2] > 0 ? weir_median_sort(columns[2], counts[2]) : 0;
        if (block.row_count < BLOCK_ROWS_MAX)
            block.rows[block.row_count] = row;
        block.row_count++;
    }
    add_block(text, &block, is_markdown);
    free(values);
}

static void end(const struct weir_net_view *view)
{
    struct weir_arena arena = {0};
    uint32_t count;
    struct weir_net_summary *lines = weir_net_view_summary(view, &arena, &count);
    char date[WEIR_DATE_BYTES];
    bool is_begun = false;
    struct block block = {.believed = view->result->believed,
                          .believed_as = view->result->believed_as,
                          .findings = view->result->findings,
                          .finding_count = view->result->finding_count,
                          .ranks = view->result->rank_count,
                          .nodes = view->result->node_count,
                          .provider = view->result->provider,
                          .is_latency = view->plan->measure == WEIR_NET_LATENCY};

    if (view->plan->measure == WEIR_NET_BANDWIDTH && count > 0) {
        weir_text_add(view->text,
                      "\nSummary: all flows together%s; peak: of one flow\n"
                      "%10s %11s %10s %10s %10s %10s %10s %11s %6s\n",
                      view->result->measurement_count > count ? ", medians of what was repeated"
                                                              : "",
                      "bytes", "messages", "MiB/s", "MB/s", "min MB/s", "max MB/s", "peak MB/s",
                      "messages/s", "cores");
        for (uint32_t k = 0; k < count; k++) {
            const struct weir_net_summary *line = &lines[k];

            weir_text_add(view->text, "%10" PRIu64 " %11" PRIu64 " %10.2f %10.2f %10.2f %10.2f ",
                          line->message_bytes, line->message_count, line->bytes_per_s / MIB,
                          line->bytes_per_s / MB, line->bytes_per_s_min / MB,
                          line->bytes_per_s_max / MB);
            if (line->peak_bytes_per_s > 0)
                weir_text_add(view->text, "%10.2f", line->peak_bytes_per_s / MB);
            else
                weir_text_add(view->text, "%10s", "-");
            weir_text_add(view->text, " %11.0f %6.2f\n", line->messages_per_s, line->cpu_cores);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].latency_s[WEIR_NET_LATENCY_MAX] <= 0)
            continue;
        if (!is_begun) {
            weir_text_add(view->text, "\nLatency, us: all messages of all flows%s\n%10s %11s ",
                          lines[i].is_latency_bound ? "; upper bounds" : "", "bytes", "messages");
            add_latency_head(view);
        }
        is_begun = true;
        weir_text_add(view->text, "%10" PRIu64 " %11" PRIu64 " ", lines[i].message_bytes,
                      lines[i].message_count);
        add_latency(view, lines[i].latency_s, lines[i].message_count);
    }
    for (uint32_t i = 0; i < count; i++)
        if (view->result->kept_flow_count > 0)
            add_slow_flows(view, &lines[i]);
        else
            add_tables(view, &lines[i]);
    if (view->result->finding_count > 0)
        weir_text_add(view->text, "\nHow far to believe it\n");
    weir_net_view_add_findings(view, "  ");
    weir_text_add(view->text, "\n");
    block.row_count = count;
    for (uint32_t k = 0; k < count && k < BLOCK_ROWS_MAX; k++)
        block.rows[k] = (struct block_row){.message_bytes = lines[k].message_bytes,
                                           .rate = lines[k].bytes_per_s,
                                           .rate_min = lines[k].bytes_per_s_min,
                                           .rate_max = lines[k].bytes_per_s_max,
                                           .p50 = lines[k].latency_s[WEIR_NET_LATENCY_MEDIAN],
                                           .p99 = lines[k].latency_s[WEIR_NET_LATENCY_P99],
                                           .message_count = lines[k].message_count};
    add_block(view->text, &block, false);
    add_key(view,
            view->result->has_failed || view->result->is_interrupted ? "not finished" : "finished",
            weir_date_format(view->result->finished_s, date));
    weir_arena_close(&arena);
}

const struct weir_net_format_ops weir_net_table_ops = {begin, add_measurement, end};

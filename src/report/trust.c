/* SPDX-License-Identifier: Apache-2.0 */
/* The block after the dialect's report that says how far its numbers can be believed. Every line
 * begins with our name, so that no script takes it for a line of results. */
#include "ior_figures.h"
#include "repetitions.h"

#include "weir/base/version.h"
#include "weir/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "weir"
#define DURATION_BYTES 16

/* ---- lines ---- */

/* Adds one line; control characters in names and messages must not begin another. */
static void add_line(struct weir_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct weir_text *text, const char *format, ...)
{
    struct weir_text line = {0};
    va_list arguments;

    va_start(arguments, format);
    weir_text_add_list(&line, format, arguments);
    va_end(arguments);
    while (line.length > 0 && line.data[line.length - 1] == ' ')
        line.data[--line.length] = '\0';
    weir_text_add(text, PREFIX "%s", line.length > 0 ? "  " : "");
    weir_text_add_visible(text, weir_text_string(&line));
    weir_text_add(text, "\n");
    weir_text_close(&line);
}

/* Three digits and a unit: "12.3 us". */
static char *format_duration(double seconds, char buffer[DURATION_BYTES])
{
    static const struct {
        double limit_s;
        double unit_s;
        const char *unit;
    } units[] = {{999.5e-9, 1e-9, "ns"}, {999.5e-6, 1e-6, "us"}, {999.5e-3, 1e-3, "ms"}};
    double value = seconds;
    const char *unit = "s";

    if (seconds <= 0.0) {
        snprintf(buffer, DURATION_BYTES, "0 s");
        return buffer;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds < units[i].limit_s) {
            value = seconds / units[i].unit_s;
            unit = units[i].unit;
            break;
        }
    snprintf(buffer, DURATION_BYTES, "%.*f %s",
             value < 9.995   ? 2
             : value < 99.95 ? 1
                             : 0,
             value, unit);
    return buffer;
}

/* Which phase a line speaks of: the first columns of every table. */
#define PHASE_HEADER "  test iter phase "
#define PHASE_BYTES 48
static char *format_phase(const struct weir_repetitions *all, const char *iteration,
                          char buffer[PHASE_BYTES])
{
    const struct weir_phase *phase = all->phase;
    const char *deed = weir_verb_name(phase->verb);

    if (phase->is_check)
        deed = "check";
    else if (phase->is_prefill)
        deed = "fill";
    snprintf(buffer, PHASE_BYTES, "  %4u %4s %-6s", all->test, iteration, deed);
    return buffer;
}

static char *format_repetition(const struct weir_repetitions *all,
                               const struct weir_phase_result *result, char buffer[PHASE_BYTES])
{
    char iteration[16];

    snprintf(iteration, sizeof iteration, "%u", result->repetition);
    return format_phase(all, iteration, buffer);
}

/* What the tables are made from. */
struct view {
    const struct weir_plan *plan;
    const struct weir_result *result;
    const struct weir_repetitions *phases;
    unsigned phase_count;
};

/* ---- the head ---- */

#define SEEDS_SHOWN 4

/* Seeds of one kind without doubles; 0 stands for none. */
static void add_seeds(struct weir_text *line, const struct weir_result *result, const char *kind,
                      size_t offset)
{
    uint64_t seeds[SEEDS_SHOWN];
    unsigned count = 0;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const char *phase = (const char *)&result->phases[i];
        uint64_t seed = *(const uint64_t *)(const void *)(phase + offset);
        unsigned known = 0;

        while (known < count && seeds[known] != seed)
            known++;
        if (seed == 0 || known < count)
            continue;
        if (count == SEEDS_SHOWN) {
            weir_text_add(line, " and others");
            return;
        }
        weir_text_add(line, "%s%s%llu", line->length ? ", " : "", count ? "" : kind,
                      (unsigned long long)seed);
        seeds[count++] = seed;
    }
}

/* With its seeds a run can be repeated. */
static void add_head(struct weir_text *text, const struct view *view)
{
    struct weir_text seeds = {0};

    add_line(text, "%s", "");
    add_line(text, "how far these numbers can be believed");
    add_line(text, "plan %s, version %s, clock %s", view->plan->id, WEIR_VERSION,
             view->result->clock_name);
    add_seeds(&seeds, view->result, "seed of the data ",
              offsetof(struct weir_phase_result, data_seed));
    add_seeds(&seeds, view->result, "seed of the random order ",
              offsetof(struct weir_phase_result, order_seed));
    if (seeds.length > 0)
        add_line(text, "%s", weir_text_string(&seeds));
    weir_text_close(&seeds);
}

/* Below the clocks' error a drift is noise of their comparison. */
static bool has_drift(const struct weir_phase_result *phase)
{
    return phase->clock.drift_ppm * 1e-6 * phase->wall_s > phase->clock.error_s;
}

/* The worst of all phases: one line says what cross-node numbers are worth. */
static void add_clock(struct weir_text *text, const struct weir_result *result)
{
    struct weir_clock_quality worst = {.is_cross_node = false};
    char error[DURATION_BYTES];
    char offset[DURATION_BYTES];
    char drift[48] = "";

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_clock_quality *clock = &result->phases[i].clock;

        worst.is_cross_node = worst.is_cross_node || clock->is_cross_node;
        worst.error_s = fmax(worst.error_s, clock->error_s);
        worst.offset_s = fmax(worst.offset_s, clock->offset_s);
        if (has_drift(&result->phases[i]))
            worst.drift_ppm = fmax(worst.drift_ppm, clock->drift_ppm);
    }
    if (!worst.is_cross_node)
        return;
    if (worst.drift_ppm > 0.0)
        snprintf(drift, sizeof drift, ", drift %.2f ppm", worst.drift_ppm);
    add_line(text, "times of different nodes are good to %s; corrected: offset %s%s",
             format_duration(worst.error_s, error), format_duration(worst.offset_s, offset), drift);
}

/* ---- tables ---- */

/* A title and the names of the columns, before the first line. */
struct table {
    const char *title;
    const char *columns; /* NULL: the lines need none */
    bool is_begun;
};

static void begin_table(struct weir_text *text, struct table *table)
{
    if (table->is_begun)
        return;
    table->is_begun = true;
    add_line(text, "%s", "");
    add_line(text, "%s", table->title);
    if (table->columns)
        add_line(text, "%s", table->columns);
}

/* Adds the line of a phase, or of many as one, to a table. */
struct row_adder {
    struct table table;
    bool (*is_due)(const struct weir_phase_result *result);
    void (*add)(struct weir_text *text, const char *name, const struct weir_phase_result *result);
};

static void add_row(struct weir_text *text, struct row_adder *adder, const char *name,
                    const struct weir_phase_result *result)
{
    if (adder->is_due && !adder->is_due(result))
        return;
    begin_table(text, &adder->table);
    adder->add(text, name, result);
}

static void add_rows(struct weir_text *text, const struct view *view, struct row_adder adder)
{
    char name[PHASE_BYTES];

    for (unsigned i = 0; i < view->phase_count; i++) {
        const struct weir_repetitions *all = &view->phases[i];

        if (all->whole)
            add_row(text, &adder, format_phase(all, "all", name), all->whole);
        for (unsigned j = 0; !all->whole && j < all->row_count; j++)
            add_row(text, &adder, format_repetition(all, all->rows[j], name), all->rows[j]);
    }
}

static bool has_latency(const struct weir_phase_result *result)
{
    return result->latency && result->latency->total > 0;
}

static void add_latency(struct weir_text *text, const char *name,
                        const struct weir_phase_result *result)
{
    static const double fractions[] = {0.5, 0.9, 0.99, 0.999, 1.0};
    const struct weir_histogram *latency = result->latency;
    char mean[DURATION_BYTES];
    struct weir_text cells = {0};

    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        char value[DURATION_BYTES];
        double ns = (double)weir_histogram_percentile(latency, fractions[i]);

        weir_text_add(&cells, " %9s", format_duration(ns / 1e9, value));
    }
    add_line(text, "%s %9s%s", name, format_duration(weir_histogram_mean_ns(latency) / 1e9, mean),
             weir_text_string(&cells));
    weir_text_close(&cells);
}

static void add_latencies(struct weir_text *text, const struct view *view)
{
    add_rows(
        text, view,
        (struct row_adder){
            .table = {.title = "time of single transfers",
                      .columns = PHASE_HEADER "      mean       p50       p90       p99     p99.9"
                                              "       max",
                      .is_begun = false},
            .is_due = has_latency,
            .add = add_latency,
        });
}

static void add_slowest(struct weir_text *line, const struct weir_phase_result *result)
{
    for (uint32_t i = 0; i < result->slowest_count; i++) {
        const struct weir_slow_rank *rank = &result->slowest[i];
        char seconds[DURATION_BYTES];

        weir_text_add(line, "%s%u on %s (%s)", i > 0 ? ", " : "", rank->rank, rank->host,
                      format_duration(rank->seconds, seconds));
    }
}

static void add_ranks(struct weir_text *text, const char *name,
                      const struct weir_phase_result *result)
{
    double moved_mib = (double)result->byte_count / WEIR_MIB;
    char times[5][DURATION_BYTES];
    struct weir_text slowest = {0};

    add_slowest(&slowest, result);
    add_line(text, "%s %9s %9s %9s %9s %8.1f%% %9s %10.2f  %s", name,
             format_duration(result->rank_s_min, times[0]),
             format_duration(result->rank_s_mean, times[1]),
             format_duration(result->rank_s_max, times[2]),
             format_duration(result->common_s, times[3]), 100.0 * result->data_share,
             format_duration(result->wall_s, times[4]),
             weir_figures_rate(moved_mib, result->wall_s), weir_text_string(&slowest));
    weir_text_close(&slowest);
}

static void add_spreads(struct weir_text *text, const struct view *view)
{
    add_rows(
        text, view,
        (struct row_adder){
            .table = {.title =
                          "transfer times of the ranks without filling and checking data (data: "
                          "its share), and the wall clock with it",
                      .columns = PHASE_HEADER "       min      mean       max    common      data"
                                              "      wall wall MiB/s  slowest ranks",
                      .is_begun = false},
            .add = add_ranks,
        });
}

/* ---- verification ---- */

/* What the data say of themselves, where that is not what was expected there. */
static void add_found(struct weir_text *list, const struct weir_mismatch *mismatch,
                      uint64_t generation)
{
    weir_text_add(list, "; found data of file %u", mismatch->found_file);
    if (mismatch->has_found == WEIR_FOUND_PLACE)
        weir_text_add(list, ", offset %llu", (unsigned long long)mismatch->found_offset);
    weir_text_add(list, ", rank %u", mismatch->found_writer);
    if (mismatch->found_generation != generation)
        weir_text_add(list, ", generation %llu instead of %llu",
                      (unsigned long long)mismatch->found_generation,
                      (unsigned long long)generation);
}

/* The directory of a processor package depends on where the writer ran, which nobody keeps: there
 * is a star in its place. */
static void format_path(const struct weir_target *target, uint64_t number, uint64_t repetition,
                        char path[WEIR_PATH_BYTES])
{
    const struct weir_file_place place = {.number = number, .repetition = repetition};
    char whole[WEIR_PATH_BYTES];
    size_t stem_length;

    if (weir_target_path(target, &place, whole) != 0)
        return;
    if (!target->has_package_directory || target->is_shared) {
        memcpy(path, whole, sizeof whole);
        return;
    }
    stem_length = strlen(target->paths[number % target->path_count]);
    snprintf(path, WEIR_PATH_BYTES, "%.*s*%s", (int)stem_length, whole, whole + stem_length + 1);
}

static void add_mismatch(struct weir_text *text, const struct weir_mismatch *mismatch,
                         const struct weir_phase *phase, const struct weir_phase_result *result)
{
    struct weir_text found = {0};
    char path[WEIR_PATH_BYTES] = "?";

    format_path(phase->target, mismatch->file_number, result->repetition, path);
    if (mismatch->has_found)
        add_found(&found, mismatch, result->generation);
    add_line(text, "    %s, offset %llu: %s, %llu bytes, of rank %u, seen by rank %u%s", path,
             (unsigned long long)mismatch->offset,
             weir_mismatch_name((enum weir_mismatch_kind)mismatch->kind),
             (unsigned long long)mismatch->bytes, mismatch->writer, mismatch->reader,
             weir_text_string(&found));
    weir_text_close(&found);
}

static void add_kinds(struct weir_text *list, const struct weir_mismatch_log *log)
{
    const char *separator = ": ";

    for (unsigned i = 0; i < WEIR_MISMATCH_KIND_COUNT; i++) {
        if (log->kinds[i] == 0)
            continue;
        weir_text_add(list, "%s%llu %s", separator, (unsigned long long)log->kinds[i],
                      weir_mismatch_name((enum weir_mismatch_kind)i));
        separator = ", ";
    }
}

static void add_wrong(struct weir_text *text, const char *name, const struct weir_phase *phase,
                      const struct weir_phase_result *result)
{
    const struct weir_mismatch_log *log = &result->mismatches;
    struct weir_text kinds = {0};

    add_kinds(&kinds, log);
    add_line(text, "%s  %llu of %llu transfers wrong, %llu bytes%s", name,
             (unsigned long long)log->wrong_transfers, (unsigned long long)log->checked_transfers,
             (unsigned long long)log->wrong_bytes, weir_text_string(&kinds));
    weir_text_close(&kinds);
    for (uint64_t i = 0; i < log->kept; i++)
        add_mismatch(text, &log->first[i], phase, result);
}

static bool is_right(const struct weir_phase_result *result)
{
    return result->mismatches.checked_transfers > 0 && result->mismatches.wrong_transfers == 0;
}

/* Many right repetitions are one line, a wrong one never is. */
static void add_verdicts(struct weir_text *text, struct table *table,
                         const struct weir_repetitions *all)
{
    unsigned right_count = 0;
    uint64_t right_transfers = 0;
    char name[PHASE_BYTES];

    for (unsigned i = 0; i < all->count; i++)
        if (is_right(all->members[i])) {
            right_count++;
            right_transfers += all->members[i]->mismatches.checked_transfers;
        }
    if (right_count > WEIR_REPETITIONS_SHOWN) {
        begin_table(text, table);
        add_line(text, "%s  all %llu transfers of %u repetitions right",
                 format_phase(all, right_count == all->count ? "all" : "some", name),
                 (unsigned long long)right_transfers, right_count);
    }
    for (unsigned i = 0; i < all->count; i++) {
        const struct weir_phase_result *result = all->members[i];

        if (result->mismatches.wrong_transfers > 0) {
            begin_table(text, table);
            add_wrong(text, format_repetition(all, result, name), all->phase, result);
        } else if (is_right(result) && right_count <= WEIR_REPETITIONS_SHOWN) {
            begin_table(text, table);
            add_line(text, "%s  all %llu transfers right", format_repetition(all, result, name),
                     (unsigned long long)result->mismatches.checked_transfers);
        }
    }
}

static void add_verification(struct weir_text *text, const struct view *view)
{
    struct table table = {.title = "verification"};

    for (unsigned i = 0; i < view->phase_count; i++)
        add_verdicts(text, &table, &view->phases[i]);
}

/* ---- what went wrong, and what to know ---- */

/* What the findings do not say: how much was moved, and the failure with its rank and its place. */
static void add_outcome(struct weir_text *text, const char *name,
                        const struct weir_phase_result *phase)
{
    if (phase->outcome == WEIR_OUTCOME_PARTIAL)
        add_line(text, "%s  partial: %llu of %llu bytes were moved", name,
                 (unsigned long long)phase->byte_count, (unsigned long long)phase->expected_bytes);
    if (phase->failure[0])
        add_line(text, "%s  failed: %s", name, phase->failure);
}

static bool has_finding(const struct weir_phase_result *phase, const char *name)
{
    for (unsigned i = 0; i < phase->finding_count; i++)
        if (strcmp(phase->findings[i].name, name) == 0)
            return true;
    return false;
}

/* How many repetitions have a finding of this name; 0 if one before `position` has told it. */
static unsigned count_alike(const struct weir_repetitions *all, unsigned position, const char *name)
{
    unsigned count = 0;

    for (unsigned i = 0; i < all->count; i++) {
        if (!has_finding(all->members[i], name))
            continue;
        if (i < position)
            return 0;
        count++;
    }
    return count;
}

/* A note is told once for all repetitions, a warning each time. */
static void add_findings(struct weir_text *text, const char *name,
                         const struct weir_repetitions *all, unsigned position)
{
    static const char *const severities[] = {[WEIR_NOTE] = "note", [WEIR_WARNING] = "warning"};
    const struct weir_phase_result *phase = all->members[position];

    for (unsigned i = 0; i < phase->finding_count; i++) {
        const struct weir_finding *finding = &phase->findings[i];
        char more[48] = "";

        if (finding->severity == WEIR_NOTE) {
            unsigned alike = count_alike(all, position, finding->name);

            if (alike == 0)
                continue;
            if (alike > 1)
                snprintf(more, sizeof more, " (alike in %u repetitions)", alike);
        }
        add_line(text, "%s  %s %s: %s%s", name, severities[finding->severity], finding->name,
                 finding->text, more);
    }
}

static void add_remarks_of(struct weir_text *remarks, const struct weir_repetitions *all)
{
    char name[PHASE_BYTES];

    for (unsigned i = 0; i < all->count; i++) {
        format_repetition(all, all->members[i], name);
        add_outcome(remarks, name, all->members[i]);
        add_findings(remarks, name, all, i);
    }
}

/* What the front end says of a test: once, before its phases. */
static void add_test_remarks(struct weir_text *remarks, const struct weir_plan *plan,
                             const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];

    for (size_t i = 0; i < test->remark_count; i++)
        add_line(remarks, "  %4u             %s", begun->test, test->remarks[i]);
}

static void add_remarks(struct weir_text *text, const struct view *view)
{
    struct table table = {.title = "what to know"};
    struct weir_text remarks = {0};

    for (unsigned i = 0; i < view->result->test_count; i++)
        add_test_remarks(&remarks, view->plan, &view->result->tests[i]);
    for (unsigned i = 0; i < view->phase_count; i++)
        add_remarks_of(&remarks, &view->phases[i]);
    if (remarks.length > 0) {
        begin_table(text, &table);
        weir_text_add_bytes(text, weir_text_string(&remarks), remarks.length);
    }
    weir_text_close(&remarks);
}

static void add_end(struct weir_text *text, const struct weir_result *result)
{
    if (result->finished_s > 0.0 && !result->is_interrupted)
        return;
    add_line(text, "%s", "");
    add_line(text, result->finished_s > 0.0 ? "the run was interrupted: what stands here was done"
                                            : "the run was killed: what stands here was done");
}

void weir_report_trust(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    struct weir_arena arena = {0};
    struct view view = {.plan = plan, .result = result};

    if (plan->output.format != WEIR_FORMAT_IOR || plan->output.is_plain)
        return;
    view.phases = weir_repetitions_find(&arena, plan, result, &view.phase_count);
    add_head(text, &view);
    add_clock(text, result);
    add_latencies(text, &view);
    add_spreads(text, &view);
    add_verification(text, &view);
    add_remarks(text, &view);
    add_end(text, result);
    weir_arena_close(&arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The block after the dialect's report that says how far its numbers can be believed. Every line
 * begins with our name, so that no script takes it for a line of results. */
#include "ior_figures.h"

#include "weir/base/version.h"
#include "weir/report/report.h"

#include <ctype.h>
#include <stdarg.h>
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
    char line[1024];
    size_t length;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *byte = line; *byte; byte++)
        if (iscntrl((unsigned char)*byte))
            *byte = '?';
    length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    weir_text_add(text, "%s%s%s\n", PREFIX, length ? "  " : "", line);
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

static const char *phase_name(const struct weir_plan *plan, const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);

    return phase->is_check ? "check" : weir_verb_name(phase->verb);
}

/* Which phase a line speaks of: the first columns of every table. */
#define PHASE_HEADER "  test iter phase "
static char *format_phase(const struct weir_plan *plan, const struct weir_phase_result *result,
                          char buffer[32])
{
    snprintf(buffer, 32, "  %4u %4u %-6s", result->test, result->repetition,
             phase_name(plan, result));
    return buffer;
}

/* ---- the head ---- */

static void add_head(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result)
{
    add_line(text, "%s", "");
    add_line(text, "how far these numbers can be believed");
    add_line(text, "plan %s, version %s, clock %s", plan->id, WEIR_VERSION, result->clock_name);
}

/* The worst of all phases: one line says what cross-node numbers are worth. */
static void add_clock(struct weir_text *text, const struct weir_result *result)
{
    struct weir_clock_quality worst = {.is_cross_node = false};
    char error[DURATION_BYTES];
    char offset[DURATION_BYTES];

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_clock_quality *clock = &result->phases[i].clock;

        worst.is_cross_node = worst.is_cross_node || clock->is_cross_node;
        if (clock->error_s > worst.error_s)
            worst.error_s = clock->error_s;
        if (clock->offset_s > worst.offset_s)
            worst.offset_s = clock->offset_s;
        if (clock->drift_ppm > worst.drift_ppm)
            worst.drift_ppm = clock->drift_ppm;
    }
    if (worst.is_cross_node)
        add_line(text,
                 "times of different nodes are good to %s; corrected: offset %s, drift %.2f ppm",
                 format_duration(worst.error_s, error), format_duration(worst.offset_s, offset),
                 worst.drift_ppm);
}

/* ---- tables ---- */

static void add_latency(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_phase_result *result)
{
    static const double fractions[] = {0.5, 0.9, 0.99, 0.999, 1.0};
    const struct weir_histogram *latency = result->latency;
    char name[32];
    char mean[DURATION_BYTES];
    struct weir_text cells = {0};

    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        char value[DURATION_BYTES];
        double ns = (double)weir_histogram_percentile(latency, fractions[i]);

        weir_text_add(&cells, " %9s", format_duration(ns / 1e9, value));
    }
    add_line(text, "%s %9s%s", format_phase(plan, result, name),
             format_duration(weir_histogram_mean_ns(latency) / 1e9, mean),
             weir_text_string(&cells));
    weir_text_close(&cells);
}

static void add_latencies(struct weir_text *text, const struct weir_plan *plan,
                          const struct weir_result *result)
{
    bool has_header = false;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (!weir_figures_has_row(plan, phase) || !phase->latency || phase->latency->total == 0)
            continue;
        if (!has_header) {
            add_line(text, "%s", "");
            add_line(text, "time of single transfers");
            add_line(text, PHASE_HEADER " %9s %9s %9s %9s %9s %9s", "mean", "p50", "p90", "p99",
                     "p99.9", "max");
        }
        has_header = true;
        add_latency(text, plan, phase);
    }
}

static void add_ranks(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_phase_result *result)
{
    char name[32];
    char times[4][DURATION_BYTES];
    struct weir_text slowest = {0};

    for (uint32_t i = 0; i < result->slowest_count; i++) {
        const struct weir_slow_rank *rank = &result->slowest[i];
        char seconds[DURATION_BYTES];

        weir_text_add(&slowest, "%s%u on %s (%s)", i > 0 ? ", " : "", rank->rank, rank->host,
                      format_duration(rank->seconds, seconds));
    }
    add_line(text, "%s %9s %9s %9s %9s %8.1f%%  %s", format_phase(plan, result, name),
             format_duration(result->rank_s_min, times[0]),
             format_duration(result->rank_s_mean, times[1]),
             format_duration(result->rank_s_max, times[2]),
             format_duration(result->common_s, times[3]), 100.0 * result->data_share,
             weir_text_string(&slowest));
    weir_text_close(&slowest);
}

static void add_spreads(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result)
{
    bool has_header = false;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (!weir_figures_has_row(plan, phase))
            continue;
        if (!has_header) {
            add_line(text, "%s", "");
            add_line(text, "transfer times of the ranks, without the share that filling and "
                           "checking data took");
            add_line(text, PHASE_HEADER " %9s %9s %9s %9s %9s  %s", "min", "mean", "max", "common",
                     "data", "slowest ranks");
        }
        has_header = true;
        add_ranks(text, plan, phase);
    }
}

/* ---- verification ---- */

/* What the data say of themselves, where that is not what was expected there. */
static void add_found(struct weir_text *list, const struct weir_mismatch *mismatch,
                      uint64_t generation)
{
    weir_text_add(list, "; found data of file %u, offset %llu, rank %u", mismatch->found_file,
                  (unsigned long long)mismatch->found_offset, mismatch->found_writer);
    if (mismatch->found_generation != generation)
        weir_text_add(list, ", generation %llu instead of %llu",
                      (unsigned long long)mismatch->found_generation,
                      (unsigned long long)generation);
}

static void add_mismatch(struct weir_text *text, const struct weir_mismatch *mismatch,
                         uint64_t generation)
{
    struct weir_text found = {0};

    if (mismatch->has_found)
        add_found(&found, mismatch, generation);
    add_line(text, "    file %llu, offset %llu: %s, %llu bytes, of rank %u, seen by rank %u%s",
             (unsigned long long)mismatch->file_number, (unsigned long long)mismatch->offset,
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

static void add_verdict(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_phase_result *result)
{
    const struct weir_mismatch_log *log = &result->mismatches;
    struct weir_text kinds = {0};
    char name[32];

    format_phase(plan, result, name);
    if (log->wrong_transfers == 0) {
        add_line(text, "%s  all %llu transfers right", name,
                 (unsigned long long)log->checked_transfers);
        return;
    }
    add_kinds(&kinds, log);
    add_line(text, "%s  %llu of %llu transfers wrong, %llu bytes%s", name,
             (unsigned long long)log->wrong_transfers, (unsigned long long)log->checked_transfers,
             (unsigned long long)log->wrong_bytes, weir_text_string(&kinds));
    weir_text_close(&kinds);
    for (uint64_t i = 0; i < log->kept; i++)
        add_mismatch(text, &log->first[i], result->generation);
}

static void add_verification(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result)
{
    bool has_header = false;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->mismatches.checked_transfers == 0 && phase->mismatches.wrong_transfers == 0)
            continue;
        if (!has_header) {
            add_line(text, "%s", "");
            add_line(text, "verification");
        }
        has_header = true;
        add_verdict(text, plan, phase);
    }
}

/* ---- what went wrong, and what to know ---- */

static void add_outcome(struct weir_text *text, const char *name,
                        const struct weir_phase_result *phase)
{
    const char *why = phase->is_interrupted ? "interrupted" : "failed";

    if (phase->outcome == WEIR_OUTCOME_SKIPPED)
        add_line(text, "%s  not begun", name);
    if (phase->outcome == WEIR_OUTCOME_PARTIAL)
        add_line(text, "%s  %s: %llu of %llu bytes were moved", name, why,
                 (unsigned long long)phase->byte_count, (unsigned long long)phase->expected_bytes);
    if (phase->failure[0])
        add_line(text, "%s  failed: %s", name, phase->failure);
    if (phase->error_count > 0)
        add_line(text, "%s  operations that failed: %llu", name,
                 (unsigned long long)phase->error_count);
    if (phase->short_count > 0)
        add_line(text, "%s  transfers that came back short and were continued: %llu", name,
                 (unsigned long long)phase->short_count);
}

/* How often repetitions of a phase before number `end` have a finding of this name. */
static unsigned count_alike(const struct weir_result *result, const struct weir_phase_result *phase,
                            const char *name, unsigned end)
{
    unsigned count = 0;

    for (unsigned i = 0; i < end; i++) {
        const struct weir_phase_result *other = &result->phases[i];

        if (other->test != phase->test || other->phase != phase->phase)
            continue;
        for (unsigned j = 0; j < other->finding_count; j++)
            count += strcmp(other->findings[j].name, name) == 0;
    }
    return count;
}

/* A note is told once for all repetitions, a warning each time. */
static void add_findings(struct weir_text *text, const char *name, const struct weir_result *result,
                         unsigned position)
{
    static const char *const severities[] = {[WEIR_NOTE] = "note", [WEIR_WARNING] = "warning"};
    const struct weir_phase_result *phase = &result->phases[position];

    for (unsigned i = 0; i < phase->finding_count; i++) {
        const struct weir_finding *finding = &phase->findings[i];
        char more[48] = "";

        if (finding->severity == WEIR_NOTE) {
            unsigned all = count_alike(result, phase, finding->name, result->phase_count);

            if (count_alike(result, phase, finding->name, position) > 0)
                continue;
            if (all > 1)
                snprintf(more, sizeof more, " (alike in %u repetitions)", all);
        }
        add_line(text, "%s  %s %s: %s%s", name, severities[finding->severity], finding->name,
                 finding->text, more);
    }
}

static bool has_remarks(const struct weir_phase_result *phase)
{
    return phase->outcome != WEIR_OUTCOME_COMPLETE || phase->failure[0] || phase->error_count > 0 ||
           phase->short_count > 0 || phase->finding_count > 0;
}

static void add_remarks(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result)
{
    bool has_header = false;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        char name[32];

        if (!has_remarks(phase))
            continue;
        if (!has_header) {
            add_line(text, "%s", "");
            add_line(text, "what to know");
        }
        has_header = true;
        add_outcome(text, format_phase(plan, phase, name), phase);
        add_findings(text, name, result, i);
    }
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
    if (plan->output.format != WEIR_FORMAT_IOR || plan->output.is_plain)
        return;
    add_head(text, plan, result);
    add_clock(text, result);
    add_latencies(text, plan, result);
    add_spreads(text, plan, result);
    add_verification(text, plan, result);
    add_remarks(text, plan, result);
    add_end(text, result);
}

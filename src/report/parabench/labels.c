/* SPDX-License-Identifier: Apache-2.0 */
/* Our tables of a program: what the lists of Parabench leave to scripts. */

#include "parabench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABELS_TOLD 200
#define NAME_LEAST 12
#define NAME_MOST 40 /* wider ones move the rest of their row */

struct sheet {
    struct weir_text *text;
    const struct weir_program_result *program;
    int width; /* of the column of names */
    unsigned told;
};

double weir_parabench_label_rate(const struct weir_label_result *label)
{
    return weir_figures_rate((double)label->byte_count, label->last_end_s - label->first_begin_s);
}

double weir_parabench_inside_rate(const struct weir_label_result *label)
{
    return weir_figures_rate((double)label->byte_count, label->inside_s);
}

/* ---- cells ---- */

static void add_name(const struct sheet *sheet, const char *name)
{
    struct weir_text visible = {0};

    weir_text_add_visible(&visible, name);
    weir_text_add(sheet->text, "  %-*s", sheet->width, weir_text_string(&visible));
    weir_text_close(&visible);
}

static void add_seconds(struct weir_text *text, double seconds)
{
    char value[WEIR_DURATION_TEXT_BYTES];

    weir_text_add(text, " %8s", weir_duration_format(seconds, value));
}

static void add_none(struct weir_text *text)
{
    weir_text_add(text, " %8s", "-");
}

static void add_quantile(struct weir_text *text, const struct weir_histogram *histogram,
                         double fraction)
{
    if (histogram != NULL &&
        (fraction <= 0.5 ? histogram->total > 0 : weir_histogram_has_quantile(histogram, fraction)))
        add_seconds(text, (double)weir_histogram_percentile(histogram, fraction) / 1e9);
    else
        add_none(text);
}

static void add_mean(struct weir_text *text, const struct weir_histogram *histogram)
{
    if (histogram != NULL && histogram->total > 0)
        add_seconds(text, weir_histogram_mean_ns(histogram) / 1e9);
    else
        add_none(text);
}

/* ---- the verdict ---- */

void weir_parabench_verdict(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_phase_result *phase)
{
    const struct weir_program *planned = weir_figures_phase(plan, phase)->program;
    const struct weir_program_result *program = phase->program;
    char time[WEIR_DURATION_TEXT_BYTES];
    uint64_t failed = 0, all = 0;
    uint64_t checked = phase->mismatches.checked_transfers;

    for (unsigned i = 0; i < program->call_count; i++)
        if (program->calls[i].call < WEIR_CALL_WORDS) {
            failed += program->calls[i].failure_count;
            all += program->calls[i].count + program->calls[i].failure_count;
        }
    weir_text_add(text, WEIR_PARABENCH_LABELS_BEGIN);
    weir_text_add_visible(text, planned->path);
    weir_text_add(text, " on %u rank%s of %u node%s: ", phase->rank_count,
                  phase->rank_count == 1 ? "" : "s", phase->node_count,
                  phase->node_count == 1 ? "" : "s");
    if (phase->is_interrupted)
        weir_text_add(text, "interrupted, ");
    else if (phase->outcome == WEIR_OUTCOME_PARTIAL)
        weir_text_add(text, "not finished, ");
    if (all == 0)
        weir_text_add(text, "no command was made");
    else if (failed == 0)
        weir_text_add(text, "%" PRIu64 " command%s, none failed", all, all == 1 ? "" : "s");
    else
        weir_text_add(text, "%" PRIu64 " of %" PRIu64 " commands failed", failed, all);
    if (phase->mismatches.wrong_transfers > 0)
        weir_text_add(text, ", %" PRIu64 " of %" PRIu64 " transfer%s held wrong data",
                      phase->mismatches.wrong_transfers, checked, checked == 1 ? "" : "s");
    weir_text_add(text, "; %" PRIu64 " statements in %s%s\n", program->statement_count,
                  weir_duration_format(phase->windows.total_s, time),
                  planned->skips_calls ? "; dry run" : "");
}

/* ---- how it was run ---- */

void weir_parabench_parameters(struct weir_text *text, const struct weir_plan *plan,
                               const struct weir_phase_result *phase)
{
    const struct weir_program *planned = weir_figures_phase(plan, phase)->program;

    for (unsigned i = 0; i < planned->parameter_count; i++) {
        const struct weir_parameter *parameter = &planned->parameters[i];

        weir_text_add(text, "%s%s = ", i > 0 ? ", " : "parameters ",
                      planned->variables.names[parameter->variable]);
        weir_text_add_visible(text, parameter->value);
        weir_text_add(text, " (%s)", parameter->origin);
    }
    for (unsigned i = 0; i < planned->group_count; i++) {
        const struct weir_program_group *group = &planned->groups[i];

        weir_text_add(text, "%s",
                      i > 0                          ? ", "
                      : planned->parameter_count > 0 ? "; groups "
                                                     : "groups ");
        weir_text_add_visible(text, group->name);
        if (group->size > 0)
            weir_text_add(text, " of %" PRIu64 " rank%s", group->size, group->size == 1 ? "" : "s");
        else
            weir_text_add(text, " without ranks");
    }
    if (planned->parameter_count > 0 || planned->group_count > 0)
        weir_text_add(text, "\n");
}

/* ---- labels ---- */

/* Its time is not that of any call. */
static bool has_no_time(const struct weir_label_result *label)
{
    return label->is_core && label->call_count == 0;
}

static void add_durations(const struct sheet *sheet)
{
    weir_text_add(
        sheet->text,
        "\ntime of executions, over all ranks (core: calls alone, without open and "
        "close; time: wall clock)\n  %-*s kind  ranks executions      min     mean   median"
        "      p99      max\n",
        sheet->width, "label");
    for (unsigned i = 0; i < sheet->told; i++) {
        const struct weir_label_result *label = &sheet->program->labels[i];
        const struct weir_histogram *duration = has_no_time(label) ? NULL : label->duration;

        add_name(sheet, label->name);
        weir_text_add(sheet->text, " %-4s %6u %10" PRIu64, label->is_core ? "core" : "time",
                      label->rank_count, label->execution_count);
        add_quantile(sheet->text, duration, 0.0);
        add_mean(sheet->text, duration);
        add_quantile(sheet->text, duration, 0.5);
        add_quantile(sheet->text, duration, 0.99);
        add_quantile(sheet->text, duration, 1.0);
        weir_text_add(sheet->text, "\n");
    }
}

static void add_work(const struct sheet *sheet)
{
    weir_text_add(sheet->text,
                  "\nwork: rates over the whole span, what lies between executions included; "
                  "inside: over the time of executions alone (~: estimated)\n"
                  "mean and most: how far apart ranks began the same execution\n"
                  "  %-*s kind      calls          bytes      MiB/s MiB/s inside    calls/s"
                  "     mean     most\n",
                  sheet->width, "label");
    for (unsigned i = 0; i < sheet->told; i++) {
        const struct weir_label_result *label = &sheet->program->labels[i];
        double span_s = label->last_end_s - label->first_begin_s;

        add_name(sheet, label->name);
        weir_text_add(sheet->text, " %-4s %10" PRIu64 " %14" PRIu64 " %10.2f",
                      label->is_core ? "core" : "time", label->call_count, label->byte_count,
                      weir_parabench_label_rate(label) / WEIR_MIB);

        char cell[32] = "-";

        if (label->inside_s > 0.0)
            snprintf(cell, sizeof cell, "%s%.2f", label->inside_is_estimated ? "~" : "",
                     weir_parabench_inside_rate(label) / WEIR_MIB);
        weir_text_add(sheet->text, " %12s", cell);

        weir_text_add(sheet->text, " %10.1f", weir_figures_rate((double)label->call_count, span_s));
        if (label->skew_count > 0) {
            add_seconds(sheet->text, label->skew_mean_s);
            add_seconds(sheet->text, label->skew_max_s);
        } else {
            add_none(sheet->text);
            add_none(sheet->text);
        }
        weir_text_add(sheet->text, "\n");
    }
}

static void add_rank_times(struct weir_text *text, const struct weir_label_result *label)
{
    char value[WEIR_DURATION_TEXT_BYTES];

    if (has_no_time(label)) {
        for (unsigned i = 0; i < 3; i++)
            add_none(text);
        weir_text_add(text, " -\n");
        return;
    }
    add_seconds(text, label->rank_s_min);
    add_seconds(text, label->rank_s_mean);
    add_seconds(text, label->rank_s_max);
    for (unsigned i = 0; i < label->slowest_count && i < WEIR_LABEL_SLOWEST; i++) {
        const struct weir_label_rank *rank = &label->slowest[i];

        weir_text_add(text, "%s %" PRIu32 " on ", i > 0 ? "," : " ", rank->rank);
        weir_text_add_visible(text, rank->host != NULL ? rank->host : "?");
        weir_text_add(text, " (%s)", weir_duration_format(rank->seconds, value));
    }
    weir_text_add(text, "\n");
}

/* ---- commands ---- */

static void add_commands(const struct sheet *sheet)
{
    const struct weir_program_result *program = sheet->program;

    if (program->call_count > 0)
        weir_text_add(sheet->text,
                      "\ncommands: time of the one call that counts, of those that succeeded (Open "
                      "and Close: what\ncommands by name do beside it)\n"
                      "  %-12s successful     failed          bytes     mean      p50      p99"
                      "      max\n",
                      "command");
    for (unsigned i = 0; i < program->call_count; i++) {
        const struct weir_call_result *call = &program->calls[i];

        weir_text_add(sheet->text, "  %-12s %10" PRIu64 " %10" PRIu64 " %14" PRIu64,
                      weir_calls[call->call].label, call->count, call->failure_count,
                      call->byte_count);
        add_mean(sheet->text, call->latency);
        add_quantile(sheet->text, call->latency, 0.5);
        add_quantile(sheet->text, call->latency, 0.99);
        add_quantile(sheet->text, call->latency, 1.0);
        weir_text_add(sheet->text, "\n");
    }
}

/* ---- failures ---- */

static const char *reason_of(const struct weir_call_failure *failure)
{
    return failure->code == -ENODATA ? "file shorter than what was to be read"
                                     : strerror(-failure->code);
}

static void add_failures(const struct sheet *sheet)
{
    const struct weir_program_result *program = sheet->program;

    if (program->failure_count > 0)
        weir_text_add(sheet->text, "\nfailed commands\n   line command       failed  ranks  "
                                   "error, and where it came first\n");
    for (unsigned i = 0; i < program->failure_count; i++) {
        const struct weir_call_failure *failure = &program->failures[i];

        weir_text_add(sheet->text, "  %5u %-12s %7" PRIu64 " %6u  %s: first on rank %u",
                      failure->line, weir_calls[failure->call].label, failure->count,
                      failure->rank_count, reason_of(failure), failure->rank);
        if (failure->path != NULL && failure->path[0] != '\0') {
            weir_text_add(sheet->text, ": ");
            weir_text_add_visible(sheet->text, failure->path);
        }
        weir_text_add(sheet->text, "\n");
    }
    if (program->untold_failures > 0)
        weir_text_add(sheet->text,
                      "  %" PRIu64 " more failed at other lines or for other reasons: only the "
                      "first %d of those are told apart\n",
                      program->untold_failures, WEIR_CALL_FAILURES_MAX);
}

/* ---- what is not there ---- */

void weir_parabench_labels(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_phase_result *phase)
{
    const struct weir_program *planned = weir_figures_phase(plan, phase)->program;
    struct sheet sheet = {.text = text, .program = phase->program};

    sheet.told =
        sheet.program->label_count < LABELS_TOLD ? sheet.program->label_count : LABELS_TOLD;
    sheet.width = NAME_LEAST;
    for (unsigned i = 0; i < sheet.told; i++) {
        size_t length = strlen(sheet.program->labels[i].name);

        if (length > (size_t)sheet.width)
            sheet.width = length < NAME_MOST ? (int)length : NAME_MOST;
    }
    add_failures(&sheet);
    if (sheet.told > 0) {
        add_durations(&sheet);
        add_work(&sheet);

        /* Of labels that several ranks have. */
        bool is_begun = false;

        for (unsigned k = 0; k < sheet.told; k++) {
            const struct weir_label_result *label = &sheet.program->labels[k];

            if (label->rank_count < 2)
                continue;
            if (!is_begun)
                weir_text_add(
                    sheet.text,
                    "\ntime of single ranks in all their executions, of labels that several "
                    "ranks have\n  %-*s kind      min"
                    "     mean      max  slowest ranks\n",
                    sheet.width, "label");
            is_begun = true;
            add_name(&sheet, label->name);
            weir_text_add(sheet.text, " %-4s", label->is_core ? "core" : "time");
            add_rank_times(sheet.text, label);
        }
    }
    add_commands(&sheet);

    const struct weir_program_result *program = sheet.program;

    if (sheet.told < program->label_count)
        weir_text_add(sheet.text, "%u more labels are in the result file and the CSV alone\n",
                      program->label_count - sheet.told);
    if (program->merged_label_count > 0)
        weir_text_add(sheet.text,
                      "%" PRIu64 " executions of labels behind the first %d of a rank are one "
                      "label, \"(others)\"\n",
                      program->merged_label_count, WEIR_LABELS_MAX);
    if (program->unlisted_count > 0 && planned->event_limit == 0)
        weir_text_add(
            sheet.text,
            "events are in the tables above and in no list: none was kept (--events 0)\n");
    else if (program->unlisted_count > 0)
        weir_text_add(sheet.text,
                      "%" PRIu64 " events beyond %" PRIu64
                      " of all ranks (--events) are in the tables above and in no list\n",
                      program->unlisted_count, planned->event_limit);
}

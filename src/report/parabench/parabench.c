/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect parabench: "parabench" (the three reports of the original, and our
 * tables unless the output is plain), "parabench labels" (our tables alone), and "parabench xml"
 * (the original's results.xml). */
#include "parabench.h"
#include "ior/ior.h"
#include "json_fields.h"
#include "trust/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OWN "weir parabench: " /* begins our lines among those of the original */
#define LABELS_BEGIN "program "

/* ---- the lines of the original ---- */

/* Parabench 1.0.0 ends with them (looked at in its outputs): nothing in them is summed up over
 * ranks or equal labels. */

#define INDENT "                                        " /* of lines without a label */
#define LISTED 1000                                       /* events of a kind that are printed */
#define ELSEWHERE                                                                                  \
    ": all that were kept are in results.xml (-e), and in what weir report FILE --format "         \
    "xml|json makes of a result file (--result)\n"
#define DASHES "---------------------------------------------------------\n"

static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
#define UNITS (sizeof units / sizeof *units)

/* In the order of its Command Report; those that it does not have follow. */
static const enum weir_call order[] = {
    WEIR_CALL_FOPEN,  WEIR_CALL_FCLOSE,       WEIR_CALL_FWRITE,      WEIR_CALL_FREAD,
    WEIR_CALL_WRITE,  WEIR_CALL_APPEND,       WEIR_CALL_READ,        WEIR_CALL_LOOKUP,
    WEIR_CALL_DELETE, WEIR_CALL_MKDIR,        WEIR_CALL_RMDIR,       WEIR_CALL_CREATE,
    WEIR_CALL_STAT,   WEIR_CALL_RENAME,       WEIR_CALL_FSEEK,       WEIR_CALL_FCREAT,
    WEIR_CALL_FSYNC,  WEIR_CALL_PFOPEN,       WEIR_CALL_PFCLOSE,     WEIR_CALL_PFWRITE,
    WEIR_CALL_PFREAD, WEIR_CALL_PWRITE,       WEIR_CALL_PREAD,       WEIR_CALL_PDELETE,
    WEIR_CALL_LINK,   WEIR_CALL_DIRECT_WRITE, WEIR_CALL_DIRECT_READ, WEIR_CALL_LIST,
};
_Static_assert(sizeof order / sizeof *order == WEIR_CALL_WORDS, "each command has its line");

/* What a phase of the plan has done as a program; NULL: it is none, or was not begun. */
static const struct weir_program_result *program_of(const struct weir_plan *plan,
                                                    const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    return planned != NULL && planned->program != NULL && phase->outcome != WEIR_OUTCOME_SKIPPED
               ? phase->program
               : NULL;
}

/* Bytes/s of the calls of an event, and calls/s, over the time of the calls. */
static double bytes_per_s(const struct weir_program_event *event)
{
    return weir_figures_rate((double)event->byte_count, event->seconds);
}

static double calls_per_s(const struct weir_program_event *event)
{
    return weir_figures_rate((double)event->call_count, event->seconds);
}

/* ---- events ---- */

static void add_event_name(struct weir_text *text, const char *name, int width)
{
    struct weir_text visible = {0};

    weir_text_add_visible(&visible, name);
    weir_text_add(text, "   %*s", width, weir_text_string(&visible));
    weir_text_close(&visible);
}

static void add_time(struct weir_text *text, const struct weir_program_event *event,
                     const char *name)
{
    add_event_name(text, name, 28);
    weir_text_add(text, "   %13.6fs\n", event->seconds);
}

static void add_size(struct weir_text *text, double bytes)
{
    unsigned unit = 0;

    for (; bytes >= 1024.0 && unit + 1 < UNITS; unit++)
        bytes /= 1024.0;
    weir_text_add(text, " %7.2f %3s", bytes, units[unit]);
}

static void add_core_time(struct weir_text *text, const struct weir_program_event *event,
                          const char *name)
{
    static const char *const names[] = {"   avg", INDENT "min", INDENT "max"};
    double mean_s = event->call_count > 0 ? event->seconds / (double)event->call_count : 0.0;

    add_event_name(text, name, 25);

    const double rates[] = {bytes_per_s(event), event->rate_min_per_s, event->rate_max_per_s};

    for (unsigned i = 0; i < 3; i++) {
        weir_text_add(text, "%s", names[i]);
        add_size(text, rates[i]);
        weir_text_add(text, "/s\n");
    }

    weir_text_add(text,
                  "\n" INDENT "avg %11.6f s\n" INDENT "min %11.6f s\n" INDENT "max %11.6f s\n\n",
                  mean_s, event->call_min_s, event->call_max_s);
    weir_text_add(text, "%49.0f IOops/s\n\n%32s", floor(calls_per_s(event)), "Total:");
    add_size(text, (double)event->byte_count);
    weir_text_add(text, " / %f s\n\n", event->seconds);
}

static const struct list {
    bool is_core;
    const char *title, *none, *columns, *legend;
    const char *word; /* of the language */
} lists[] = {
    {false, "\n********************** Time Report **********************\n", "No time events.\n",
     " [P]   [#]                       [event]        [seconds]\n",
     "\n[P]          - Process rank\n"
     "[#]          - Execution order of the time command\n"
     "[event]      - Time event label\n"
     "[seconds]    - Duration of the time event\n",
     "time"},
    {true, "\n******************* Core Time Report ********************\n", "No coretime events.\n",
     " [P]   [#]                    [event]            [result]\n",
     "[results]\n- Core time I/O throughput (average, min, max)\n"
     "- Calltime (average, min, max) for all statements\n"
     "  during this CoreTime Event\n"
     "- Total data processed per time in seconds\n"
     "  during this CoreTime event\n",
     "ctime"},
};

static uint64_t count_events(const struct weir_program_result *program, const struct list *list)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < program->event_count; i++)
        count += program->labels[program->events[i].label].is_core == list->is_core;
    return count;
}

static bool has_executions(const struct weir_program_result *program, const struct list *list)
{
    for (unsigned i = 0; i < program->label_count; i++)
        if (program->labels[i].is_core == list->is_core && program->labels[i].execution_count > 0)
            return true;
    return false;
}

/* A run that was interrupted may be killed before thousands of lines are through. */
static void add_list(struct weir_text *text, const struct weir_program *planned,
                     const struct weir_phase_result *phase, const struct list *list)
{
    const struct weir_program_result *program = phase->program;
    uint64_t count = count_events(program, list);

    weir_text_add(text, "%s", list->title);
    if (count == 0 && has_executions(program, list)) {
        weir_text_add(text, OWN "no event of %s was kept (--events %" PRIu64 ")\n", list->word,
                      planned->event_limit);
    } else if (count == 0) {
        weir_text_add(text, "%s", list->none);
    } else if (phase->is_interrupted) {
        weir_text_add(text,
                      OWN "the run was interrupted, and its %" PRIu64
                          " events of %s are not printed" ELSEWHERE,
                      count, list->word);
    } else {
        weir_text_add(text, "%s", list->columns);

        /* The first ones of a kind. */
        const struct weir_program_event *before = NULL;
        uint64_t listed = 0;

        for (uint64_t i = 0; i < program->event_count && listed < LISTED; i++) {
            const struct weir_program_event *event = &program->events[i];
            const struct weir_label_result *label = &program->labels[event->label];

            if (label->is_core != list->is_core)
                continue;
            /* Rows are parted where the rank changes. The first event has no line before it. */
            if (before != NULL && before->rank != event->rank)
                weir_text_add(text, DASHES);
            weir_text_add(text, " %2" PRIu32 "   %3" PRIu32, event->rank, event->number);
            (list->is_core ? add_core_time : add_time)(text, event, label->name);
            before = event;
            listed++;
        }

        weir_text_add(text, "%s", list->legend);
        if (count > LISTED)
            weir_text_add(text, OWN "%" PRIu64 " more events of %s are not printed" ELSEWHERE,
                          count - LISTED, list->word);
    }
}

/* ---- commands ---- */

static bool add_command(struct weir_text *text, const struct weir_program_result *program,
                        enum weir_call command)
{
    for (unsigned i = 0; i < program->call_count; i++) {
        const struct weir_call_result *call = &program->calls[i];

        if (call->call != command || (call->count == 0 && call->failure_count == 0))
            continue;
        weir_text_add(text, " %-7s  %13" PRIu64 " successful / %13" PRIu64 " failed\n",
                      weir_calls[command].label, call->count, call->failure_count);
        return true;
    }
    return false;
}

static void add_summary(struct weir_text *text, const struct weir_program_result *program)
{
    const struct {
        const char *name;
        double seconds;
    } parts[] = {{"Setup:", program->setup_s},
                 {"Parser:", program->parser_s},
                 {"Interpreter:", program->interpreter_s},
                 {"Finalize:", program->finalize_s}};
    double all_s = 0.0;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        all_s += parts[i].seconds;
    weir_text_add(text, "\n%-12s %15.6fs\n", "Runtime:", all_s);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        weir_text_add(text, "%-12s %15.6fs %8.1f%%\n", parts[i].name, parts[i].seconds,
                      weir_figures_percent(parts[i].seconds, all_s));
}

/* ---- our tables ---- */

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

static double inside_rate(const struct weir_label_result *label)
{
    return weir_figures_rate((double)label->byte_count, label->inside_s);
}

/* ---- cells ---- */

static void add_label_name(const struct sheet *sheet, const char *name)
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

/* One line that begins with LABELS_BEGIN. */
static void add_verdict(struct weir_text *text, const struct weir_plan *plan,
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
    weir_text_add(text, LABELS_BEGIN);
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

/* The parameters and groups with which it ran, a line if there are any. */
static void add_parameters(struct weir_text *text, const struct weir_plan *plan,
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

        add_label_name(sheet, label->name);
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

        add_label_name(sheet, label->name);
        weir_text_add(sheet->text, " %-4s %10" PRIu64 " %14" PRIu64 " %10.2f",
                      label->is_core ? "core" : "time", label->call_count, label->byte_count,
                      weir_parabench_label_rate(label) / WEIR_MIB);

        char cell[32] = "-";

        if (label->inside_s > 0.0)
            snprintf(cell, sizeof cell, "%s%.2f", label->inside_is_estimated ? "~" : "",
                     inside_rate(label) / WEIR_MIB);
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

static void add_tables(struct weir_text *text, const struct weir_plan *plan,
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
            add_label_name(&sheet, label->name);
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

/* ---- results.xml ---- */

#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static void add_date(struct weir_text *text, double seconds)
{
    long long ms = fabs(seconds) < 1e12 ? llround(seconds * 1000.0) : 0;
    time_t when = (time_t)(ms / 1000);

    struct tm date = {0};

    localtime_r(&when, &date);
    weir_text_add(text, "date=\"%02d.%02d.%04d\" time=\"%02d:%02d:%02d.%03d\"", date.tm_mday,
                  date.tm_mon + 1, date.tm_year + 1900, date.tm_hour, date.tm_min, date.tm_sec,
                  (int)(ms % 1000));
}

/* ---- events ---- */

struct named_event {
    const char *name;
    const struct weir_program_event *event;
};

static int compare(const void *one, const void *other)
{
    const struct named_event *a = one, *b = other;
    int by_name = strcmp(a->name, b->name);

    if (by_name != 0)
        return by_name;
    if (a->event->rank != b->event->rank)
        return a->event->rank < b->event->rank ? -1 : 1;
    return a->event->number < b->event->number ? -1 : a->event->number > b->event->number;
}

static void add_event_list(struct weir_text *text, const struct weir_program_result *program,
                           bool is_core, struct weir_arena *arena)
{
    struct named_event *list = weir_arena_take(arena, (program->event_count + 1) * sizeof *list);
    size_t count = 0;

    for (uint64_t i = 0; i < program->event_count; i++) {
        const struct weir_label_result *label = &program->labels[program->events[i].label];

        if (label->is_core == is_core)
            list[count++] = (struct named_event){label->name, &program->events[i]};
    }
    qsort(list, count, sizeof *list, compare);
    weir_text_add(text, "  <EventList type=\"%s\"%s>\n", is_core ? "CoreTime" : "Time",
                  count == 0 ? "/" : "");
    for (size_t i = 0; i < count; i++) {
        const struct weir_program_event *event = list[i].event;

        weir_text_add(text, "    <Event rank=\"%" PRIu32 "\" id=\"%" PRIu32 "\" name=\"",
                      event->rank, event->number);
        weir_report_add_xml(text, list[i].name);
        weir_text_add(text, "\">\n");
        if (is_core) {
            double mean_s =
                event->call_count > 0 ? event->seconds / (double)event->call_count : 0.0;

            weir_text_add(text, "      <Throughput avg=\"%f\" min=\"%f\" max=\"%f\"/>\n",
                          bytes_per_s(event), event->rate_min_per_s, event->rate_max_per_s);
            weir_text_add(text, "      <Calltime avg=\"%f\" min=\"%f\" max=\"%f\"/>\n", mean_s,
                          event->call_min_s, event->call_max_s);
            weir_text_add(text,
                          "      <Requests num=\"%" PRIu64 "\" time=\"%f\" ioops=\"%.0f\"/>\n",
                          event->call_count, event->seconds, floor(calls_per_s(event)));
        } else {
            weir_text_add(text, "      <Walltime value=\"%f\"/>\n", event->seconds);
        }
        weir_text_add(text, "    </Event>\n");
    }
    if (count > 0)
        weir_text_add(text, "  </EventList>\n");
}

static void write_xml(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_program_result *program = program_of(plan, phase);
    struct weir_arena arena = {0};

    (void)result;
    if (program == NULL)
        return;
    weir_text_add(text, DECLARATION "<Report ");
    add_date(text, phase->begun_s + phase->windows.total_s);
    weir_text_add(text, " size=\"%u\" kernel=\"", phase->rank_count);
    weir_report_add_xml(text, weir_figures_phase(plan, phase)->program->path);
    weir_text_add(text, "\">\n");
    add_event_list(text, program, true, &arena);
    add_event_list(text, program, false, &arena);
    if (!plan->output.is_plain) {
        /* The verdict and the findings are processing instructions, which readers skip. */
        const struct weir_finding *finding = NULL;

        weir_text_add(text, "  <?weir-believed %s?>\n", weir_believed_names[phase->believed]);
        while ((finding = weir_finding_next(phase->findings, phase->finding_count, finding)) !=
               NULL) {
            weir_text_add(text, "  <?weir-finding level=\"%s\" name=\"%s\" effect=\"%s\"",
                          weir_severity_names[finding->severity], finding->name,
                          weir_effect_names[finding->effect]);
            if (finding->explained_by != NULL)
                weir_text_add(text, " explained_by=\"%s\"", finding->explained_by);
            weir_text_add(text, " text=\"");
            weir_report_add_xml(text, finding->text);
            weir_text_add(text, "\"?>\n");
        }
    }
    weir_text_add(text, "</Report>\n");
    weir_arena_close(&arena);
}

static const struct weir_reporter xml_reporter = {
    .name = "parabench xml",
    .is_document = true,
    .openings = (const char *const[]){DECLARATION "<Report date=", NULL},
    .phase_done = write_xml,
};

/* ---- the report ---- */

static bool is_silent(const struct weir_test *test)
{
    const char *value = weir_test_setting(test, "silent");

    return value != NULL && strcmp(value, "1") == 0;
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];

    (void)result;
    weir_report_remarks(text, OWN, plan, test);
    weir_report_room(text, OWN, begun);
}

/* Each line behind our name: no script takes it for one of Parabench's. */
static void move_own(struct weir_text *text, struct weir_text *own)
{
    char *line, *rest;

    for (line = rest = own->data; line != NULL && *line != '\0'; line = rest) {
        rest = strchr(line, '\n');
        *rest++ = '\0';
        weir_trust_line(text, "%s", line);
    }
    weir_text_close(own);
}

static void add_own(struct weir_text *text, const struct weir_plan *plan,
                    const struct weir_phase_result *phase)
{
    struct weir_text own = {0};

    add_verdict(&own, plan, phase);
    add_tables(&own, plan, phase);
    weir_text_add(text, "\n");
    move_own(text, &own);
}

static void add_notes(struct weir_text *text, const struct weir_phase_result *phase)
{
    if (phase->notes)
        weir_report_notes(text, phase);
    if (phase->failure[0] != '\0')
        weir_report_sentence(text, OWN, phase->failure);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_program_result *program = program_of(plan, phase);
    bool is_short = program != NULL && is_silent(plan->tests[phase->test]);
    bool has_own = !is_short && !plan->output.is_plain;
    bool is_brief = has_own && !weir_report_has_details(&plan->output);

    (void)result;
    if (program == NULL)
        return;
    if (has_own && !is_brief) {
        /* Before the lists of the original, which may be long. */
        struct weir_text own = {0};

        add_verdict(&own, plan, phase);
        add_parameters(&own, plan, phase);
        move_own(text, &own);
    }
    weir_text_add(text, "%s", program->warnings != NULL ? program->warnings : "");
    add_notes(text, phase);
    if (!is_short && !is_brief) {
        /* The Time Report, the Core Time Report and the Command Report, and, behind them, the times
         * of the run (looked at in its outputs). Of events the first 1000 of a kind; none of a run
         * that was interrupted. What is left out a line of ours tells. */
        const struct weir_program *planned = weir_figures_phase(plan, phase)->program;
        bool has_any = false;

        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            add_list(text, planned, phase, &lists[i]);
        weir_text_add(text, "\n******************** Command Report *********************\n");
        for (size_t i = 0; i < WEIR_CALL_WORDS; i++)
            has_any |= add_command(text, phase->program, order[i]);
        if (!has_any)
            weir_text_add(text, "No I/O commands executed.\n");
        weir_text_add(text, "\n");
    }
    if (phase->outcome == WEIR_OUTCOME_COMPLETE && !phase->is_interrupted)
        add_summary(text, program);
    if (has_own && !is_brief)
        add_own(text, plan, phase);
}

/* Without our own lines it tells of groups that are not mapped before all else. */
static const struct weir_reporter reporter = {
    .name = "parabench",
    .is_text = true,
    .warning_label = OWN,
    .openings = (const char *const[]){"\n********************** Time Report ",
                                      "\nRuntime: ", "Warning: Mapping for group ",
                                      "Warning: Group ", OWN, "weir  " LABELS_BEGIN, NULL},
    .test_begins = test_begins,
    .phase_done = phase_done,
};

/* ---- our tables alone ---- */

static void labels_done(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_phase_result *phase)
{
    (void)result;
    if (program_of(plan, phase) == NULL)
        return;
    add_notes(text, phase);
    add_verdict(text, plan, phase);
    add_parameters(text, plan, phase);
    add_tables(text, plan, phase);
}

static const struct weir_reporter labels_reporter = {
    .name = "parabench labels",
    .is_text = true,
    .warning_label = OWN,
    .openings = (const char *const[]){LABELS_BEGIN, OWN, NULL},
    .test_begins = test_begins,
    .phase_done = labels_done,
};

/* ---- the dialect ---- */

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_PATH, "--root"},
    {WEIR_REMEDY_ROOT, "--root"},
    {WEIR_REMEDY_ANYWHERE, "allow all with --anywhere"},
    {WEIR_REMEDY_BACKEND, "--backend"},
    {WEIR_REMEDY_DEVICE, "weir ior --device allow"},
    {WEIR_REMEDY_DEVICE_FORCE, "weir ior --device force"},
    {WEIR_REMEDY_KEEP, "a program without delete"},
    {WEIR_REMEDY_FILE_PER_RANK, "$$rank in the name"},
    {WEIR_REMEDY_REPETITIONS, "repeat"},
    {WEIR_REMEDY_DEADLINE, "--time-limit"},
    {WEIR_REMEDY_LONGER_PHASE, "repeat"},
    {WEIR_REMEDY_SYNC, "fsync"},
    {WEIR_REMEDY_TRANSFER_SIZE, "the size of the command"},
    {WEIR_REMEDY_SEED, "--seed"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_VERIFY_READS, "--verify"},
    {0},
};

static const struct weir_reporter *const reporters[] = {&reporter, &labels_reporter, &xml_reporter,
                                                        NULL};

/* results.xml */
static const struct weir_side_format side = {
    .setting = "xml", .option = "-e", .reporter = &xml_reporter};

const struct weir_dialect_reports weir_parabench_reports = {.dialect = "parabench",
                                                            .work = WEIR_WORKS_ON_PROGRAMS,
                                                            .reporters = reporters,
                                                            .remedies = remedies,
                                                            .rank_csv = &weir_ior_rank_csv,
                                                            .side = &side};

/* SPDX-License-Identifier: Apache-2.0 */
/* The lines with which Parabench 1.0.0 ends (looked at in its outputs): nothing in them is summed
 * up over ranks or equal labels. */

#include "parabench.h"
#include <inttypes.h>
#include <math.h>

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

const struct weir_program_result *weir_parabench_program(const struct weir_plan *plan,
                                                         const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    return planned != NULL && planned->program != NULL && phase->outcome != WEIR_OUTCOME_SKIPPED
               ? phase->program
               : NULL;
}

double weir_parabench_bytes_per_s(const struct weir_program_event *event)
{
    return weir_figures_rate((double)event->byte_count, event->seconds);
}

double weir_parabench_calls_per_s(const struct weir_program_event *event)
{
    return weir_figures_rate((double)event->call_count, event->seconds);
}

/* ---- events ---- */

static void add_name(struct weir_text *text, const char *name, int width)
{
    struct weir_text visible = {0};

    weir_text_add_visible(&visible, name);
    weir_text_add(text, "   %*s", width, weir_text_string(&visible));
    weir_text_close(&visible);
}

static void add_time(struct weir_text *text, const struct weir_program_event *event,
                     const char *name)
{
    add_name(text, name, 28);
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

    add_name(text, name, 25);

    const double rates[] = {weir_parabench_bytes_per_s(event), event->rate_min_per_s,
                            event->rate_max_per_s};

    for (unsigned i = 0; i < 3; i++) {
        weir_text_add(text, "%s", names[i]);
        add_size(text, rates[i]);
        weir_text_add(text, "/s\n");
    }

    weir_text_add(text,
                  "\n" INDENT "avg %11.6f s\n" INDENT "min %11.6f s\n" INDENT "max %11.6f s\n\n",
                  mean_s, event->call_min_s, event->call_max_s);
    weir_text_add(text, "%49.0f IOops/s\n\n%32s", floor(weir_parabench_calls_per_s(event)),
                  "Total:");
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
        weir_text_add(text, WEIR_PARABENCH_OWN "no event of %s was kept (--events %" PRIu64 ")\n",
                      list->word, planned->event_limit);
    } else if (count == 0) {
        weir_text_add(text, "%s", list->none);
    } else if (phase->is_interrupted) {
        weir_text_add(text,
                      WEIR_PARABENCH_OWN "the run was interrupted, and its %" PRIu64
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
            weir_text_add(
                text, WEIR_PARABENCH_OWN "%" PRIu64 " more events of %s are not printed" ELSEWHERE,
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

void weir_parabench_original(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_phase_result *phase)
{
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

void weir_parabench_summary(struct weir_text *text, const struct weir_program_result *program)
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

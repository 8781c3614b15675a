/* SPDX-License-Identifier: Apache-2.0 */
/* The results.xml of Parabench 1.0.0 (looked at in its outputs), with names escaped, events in the
 * order of name, rank and number, and the time in the local time zone. */
#include "parabench.h"

#include "json_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    int order = strcmp(a->name, b->name);

    if (order != 0)
        return order;
    if (a->event->rank != b->event->rank)
        return a->event->rank < b->event->rank ? -1 : 1;
    return a->event->number < b->event->number ? -1 : a->event->number > b->event->number;
}

static void add_list(struct weir_text *text, const struct weir_program_result *program,
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
                          weir_parabench_bytes_per_s(event), event->rate_min_per_s,
                          event->rate_max_per_s);
            weir_text_add(text, "      <Calltime avg=\"%f\" min=\"%f\" max=\"%f\"/>\n", mean_s,
                          event->call_min_s, event->call_max_s);
            weir_text_add(
                text, "      <Requests num=\"%" PRIu64 "\" time=\"%f\" ioops=\"%.0f\"/>\n",
                event->call_count, event->seconds, floor(weir_parabench_calls_per_s(event)));
        } else {
            weir_text_add(text, "      <Walltime value=\"%f\"/>\n", event->seconds);
        }
        weir_text_add(text, "    </Event>\n");
    }
    if (count > 0)
        weir_text_add(text, "  </EventList>\n");
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_program_result *program = weir_parabench_program(plan, phase);
    struct weir_arena arena = {0};

    (void)result;
    if (program == NULL)
        return;
    weir_text_add(text, DECLARATION "<Report ");
    add_date(text, phase->begun_s + phase->windows.total_s);
    weir_text_add(text, " size=\"%u\" kernel=\"", phase->rank_count);
    weir_report_add_xml(text, weir_figures_phase(plan, phase)->program->path);
    weir_text_add(text, "\">\n");
    add_list(text, program, true, &arena);
    add_list(text, program, false, &arena);
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

const struct weir_reporter weir_reporter_parabench_xml = {
    .name = "parabench xml",
    .is_document = true,
    .openings = (const char *const[]){DECLARATION "<Report date=", NULL},
    .phase_done = phase_done,
};

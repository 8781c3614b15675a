/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the report of a program whose numbers stand on standard input, a word and its values in
 * each line: tell_parabench REPORTER < SCENE. With WEIR_TELL_ALL, with our own tables and block. */
#include "weir/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 4096

static struct weir_arena arena;
static struct weir_program program = {.path = "?"};
static struct weir_program_event events[ENTRIES_MAX];
static struct weir_label_result labels[ENTRIES_MAX];
static struct weir_call_result calls[WEIR_CALL_COUNT];
static struct weir_program_result done = {
    .events = events, .labels = labels, .calls = calls, .warnings = ""};
static double begun_s;
static unsigned rank_count = 1;

static unsigned label_of(const char *name, bool is_core)
{
    unsigned i = 0;

    while (i < done.label_count &&
           (labels[i].is_core != is_core || strcmp(labels[i].name, name) != 0))
        i++;
    if (i == done.label_count) {
        labels[done.label_count++] =
            (struct weir_label_result){.name = weir_arena_copy(&arena, name), .is_core = is_core};
        labels[i].duration = weir_arena_take(&arena, sizeof *labels[i].duration);
        weir_histogram_reset(labels[i].duration);
    }
    return i;
}

/* "event core|time RANK NUMBER SECONDS CALLS BYTES CALL_MIN CALL_MAX RATE_MIN RATE_MAX LABEL" */
static void add_event(const char *values)
{
    struct weir_program_event *event = &events[done.event_count];
    char kind[8];
    int at = 0;

    if (done.event_count == ENTRIES_MAX ||
        sscanf(values, "%7s %u %u %lf %" SCNu64 " %" SCNu64 " %lf %lf %lf %lf %n", kind,
               &event->rank, &event->number, &event->seconds, &event->call_count,
               &event->byte_count, &event->call_min_s, &event->call_max_s, &event->rate_min_per_s,
               &event->rate_max_per_s, &at) < 10 ||
        at == 0)
        exit(2);
    event->label = label_of(values + at, strcmp(kind, "core") == 0);
    weir_histogram_add(labels[event->label].duration, (uint64_t)(event->seconds * 1e9));
    labels[event->label].execution_count++;
    done.event_count++;
}

/* "call LABEL SUCCEEDED FAILED" */
static void add_call(const char *values)
{
    struct weir_call_result *call = &calls[done.call_count++];
    char label[16];

    if (sscanf(values, "%15s %" SCNu64 " %" SCNu64, label, &call->count, &call->failure_count) < 3)
        exit(2);
    while (call->call < WEIR_CALL_WORDS && strcmp(weir_calls[call->call].label, label) != 0)
        call->call++;
    if (call->call == WEIR_CALL_WORDS)
        exit(2);
}

static void read_line(char *line)
{
    char *value = strchr(line, ' ');

    line[strcspn(line, "\n")] = '\0';
    if (value == NULL)
        exit(2);
    *value++ = '\0';
    if (strcmp(line, "event") == 0)
        add_event(value);
    else if (strcmp(line, "call") == 0)
        add_call(value);
    else if (strcmp(line, "kernel") == 0)
        program.path = weir_arena_copy(&arena, value);
    else if (strcmp(line, "begun") == 0)
        begun_s = strtod(value, NULL);
    else if (strcmp(line, "ranks") == 0)
        rank_count = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(line, "times") != 0 ||
             sscanf(value, "%lf %lf %lf %lf", &done.setup_s, &done.parser_s, &done.interpreter_s,
                    &done.finalize_s) != 4)
        exit(2);
}

static void add_all(struct weir_plan *plan, struct weir_result *result)
{
    static const char *const paths[] = {"."};
    static const struct weir_target target = {.paths = paths, .path_count = 1, .is_shared = true};
    static const struct weir_descriptor backend = {
        .name = "posix", .label = "POSIX", .version = ""};
    const struct weir_phase phase = {
        .verb = WEIR_PROGRAM, .target = &target, .depth = 1, .program = &program};
    struct weir_test *test = weir_plan_add_test(plan);
    struct weir_phase_result *record = weir_result_begin_phase(result);

    test->dialect = "parabench";
    test->backend = &backend;
    test->label = backend.label;
    weir_plan_add_phase(plan, test, &test->steps, &phase);
    result->tests[result->test_count++] = (struct weir_test_result){
        .rank_count = rank_count, .node_count = 1, .ranks_per_node = rank_count};
    result->begun_s = result->finished_s = record->begun_s = begun_s;
    record->rank_count = rank_count;
    record->node_count = 1;
    record->failure = "";
    record->program = &done;
    for (unsigned i = 0; i < done.call_count; i++)
        record->op_count += calls[i].count;
}

int main(int count, char *words[])
{
    static const char *const line_words[] = {"parabench"};
    struct weir_plan *plan = weir_plan_open("parabench", 1, line_words);
    struct weir_result *result = weir_result_open(1);
    struct weir_text text = {0};
    char line[4096];

    if (count != 2)
        return 2;
    plan->output.reporter = words[1];
    plan->output.is_plain = getenv("WEIR_TELL_ALL") == NULL;
    plan->output.has_details = true;
    while (fgets(line, sizeof line, stdin) != NULL)
        read_line(line);
    add_all(plan, result);
    weir_report_whole(&text, plan, result);
    fputs(weir_text_string(&text), stdout);
    weir_text_close(&text);
    weir_plan_close(plan);
    weir_result_close(result);
    weir_arena_close(&arena);
    return 0;
}

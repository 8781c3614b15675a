/* SPDX-License-Identifier: Apache-2.0 */
/* The reporters are given the plan and the result that the file holds. */
#include "show_report.h"

#include "weir/base/log.h"
#include "weir/report/expect.h"
#include "weir/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- one run ---- */

/* Adds a last column with the number of the run to the lines from `first` on. Headers of later runs
 * that equal *header, the latest one, are left out. Names in quotes may have ends of lines in them.
 */
static void add_run_column(struct weir_text *text, size_t first, unsigned run, const char *opening,
                           struct weir_text *header)
{
    struct weir_text lines = {0};
    const char *line = weir_text_string(text) + first;

    for (bool is_first = true; *line != '\0'; is_first = false) {
        bool is_header =
            opening != NULL ? strncmp(line, opening, strlen(opening) - 1) == 0 : is_first;
        int length = 0;

        for (bool is_quoted = false; line[length] != '\0' && (line[length] != '\n' || is_quoted);
             length++)
            is_quoted ^= line[length] == '"';
        if (length == 0) {
            weir_text_add(&lines, "\n");
        } else if (!is_header) {
            weir_text_add(&lines, "%.*s,%u\n", length, line, run);
        } else if (header->length != (size_t)length ||
                   memcmp(weir_text_string(header), line, (size_t)length) != 0) {
            weir_text_add(&lines, "%.*s,run\n", length, line);
            weir_text_clear(header);
            weir_text_add(header, "%.*s", length, line);
        }
        line += length + (line[length] == '\n');
    }
    text->length = first;
    if (text->data != NULL)
        text->data[first] = '\0';
    weir_text_add(text, "%s", weir_text_string(&lines));
    weir_text_close(&lines);
}

/* Rows of several runs are told apart by a column. */
static bool has_run_column(const struct weir_command *command)
{
    return command->report.format != NULL && strcasecmp(command->report.format, "csv") == 0 &&
           strcasecmp(command->report.run, "all") == 0;
}

/* Prints the lines of conditions that the report has no place for, and sets `failed` if one does
 * not hold. */
static void check_conditions(const struct weir_plan *plan, const struct weir_result *result,
                             struct weir_error *failed)
{
    struct weir_arena arena = {0};
    struct weir_text text = {0};

    if (!weir_report_has_conditions(plan))
        weir_report_conditions(&text, plan, result);
    fputs(weir_text_string(&text), stderr);
    weir_expect_fail(weir_expect_judge(&arena, plan, result), failed);
    weir_text_close(&text);
    weir_arena_close(&arena);
}

/* `header`: the latest one of those with a column of the run. */
static int tell_run(const struct weir_command *command, struct weir_recorded *run,
                    struct weir_text *text, struct weir_text *header, struct weir_error *failed,
                    struct weir_error *error)
{
    struct weir_plan *plan = run->plan;
    size_t first = text->length;
    int code = weir_front_choose_reporter(plan->dialect, &command->report, &plan->output, error);

    if (code == 0 && weir_reporter_find(&plan->output)->is_of_sweep && plan->sweep.axis_count == 0)
        code = weir_error_usage(error, "report", "\"%s\" is a format of sweeps, and run %u is none",
                                command->report.format, run->number + 1);
    plan->output.allows_unverified |= command->report.allows_unverified;
    if (code == 0 && command->report.expect != NULL) {
        plan->output.expect = command->report.expect;
        plan->output.allows_unverified = command->report.allows_unverified;
        code = weir_expect_check(plan->output.expect, plan, "report: " WEIR_EXPECT_PLACE, error);
    }
    if (code == 0)
        weir_report_whole(text, run->plan, run->result);
    if (code == 0 && command->report.expect != NULL)
        check_conditions(plan, run->result, failed);
    if (code == 0 && has_run_column(command))
        add_run_column(text, first, run->number + 1, weir_reporter_find(&plan->output)->header,
                       header);
    weir_recorded_close(run);
    return code;
}

/* ---- which of them ---- */

struct choice {
    struct weir_recorded_run *runs;
    unsigned count;
    unsigned first, last; /* of those that are told */
};

/* An id is longer than any number of runs. */
static bool find_run(const struct choice *choice, const char *word, unsigned *run)
{
    char *end;
    unsigned long number = strtoul(word, &end, 10);

    for (unsigned i = 0; i < choice->count; i++)
        if (choice->runs[i].id[0] != '\0' && strcasecmp(choice->runs[i].id, word) == 0) {
            *run = i;
            return true;
        }
    if (*word < '0' || *word > '9' || *end != '\0' || number < 1 || number > choice->count)
        return false;
    *run = (unsigned)number - 1;
    return true;
}

static int choose(const struct weir_command *command, struct choice *choice,
                  struct weir_error *error)
{
    choice->first = choice->last = choice->count - 1;
    if (strcasecmp(command->report.run, "last") == 0) {
        while (choice->first > 0 && !choice->runs[choice->first].has_report)
            choice->first--;
        choice->last = choice->first;
        return 0;
    }
    if (strcasecmp(command->report.run, "all") == 0) {
        choice->first = 0;
        if (choice->count > 1 && weir_reporter_find(&command->output)->is_document)
            return weir_error_usage(error, "report",
                                    "--run: all: a JSON document has one run, and %s has %u: "
                                    "choose one with --run 1 to %u",
                                    command->result_path, choice->count, choice->count);
        return 0;
    }
    if (!find_run(choice, command->report.run, &choice->first))
        return weir_error_usage(error, "report",
                                "--run: %s has no run %s: give last, all, list, a number from 1 to "
                                "%u, or an id that --run list shows",
                                command->result_path, command->report.run, choice->count);
    choice->last = choice->first;
    return 0;
}

/* How the run ended, in `room`. */
static const char *end_of(const struct weir_recorded_run *run, char room[32])
{
    if (!run->has_ended)
        return "none: cut, or still running";
    if (run->is_interrupted)
        return "interrupted";
    if (run->exit_code == WEIR_EXIT_DONE)
        return "yes";
    snprintf(room, 32, "failed (exit %d)", run->exit_code);
    return room;
}

/* A line with the facts of the run, and one with what was run. */
static void list_runs(const struct choice *choice, struct weir_text *text)
{
    weir_text_add(text, "%5s  %-16s  %-19s  %-12s  %5s  %5s  %6s  %s\n", "run", "id", "begun",
                  "dialect", "ranks", "nodes", "phases", "end");
    for (unsigned i = 0; i < choice->count; i++) {
        const struct weir_recorded_run *run = &choice->runs[i];
        const time_t begun = (time_t)run->begun_s;
        char date[32] = "-", end[32], ranks[16] = "-", nodes[16] = "-";
        struct tm parts;

        if (run->begun_s > 0 && localtime_r(&begun, &parts) != NULL)
            strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
        if (run->rank_count > 0)
            snprintf(ranks, sizeof ranks, "%u", run->rank_count);
        if (run->node_count > 0)
            snprintf(nodes, sizeof nodes, "%u", run->node_count);
        weir_text_add(text, "%5u  %-16s  %-19s  %-12s  %5s  %5s  %6u  %s", i + 1,
                      run->id[0] != '\0' ? run->id : "-", date, run->dialect, ranks, nodes,
                      run->phase_count, end_of(run, end));
        if (run->program[0] != '\0') {
            weir_text_add(text, "  ");
            weir_text_add_visible(text, run->program);
        }
        weir_text_add(text, "\n");
        if (run->command[0] == '\0' && run->job[0] == '\0')
            continue;
        weir_text_add(text, "       %s%s", run->job,
                      run->job[0] != '\0' && run->command[0] != '\0' ? ": " : "");
        weir_text_add_visible(text, run->command);
        weir_text_add(text, "\n");
    }
}

static void tell_of_others(const struct weir_command *command, const struct choice *choice)
{
    const unsigned told = choice->last - choice->first + 1;
    char end[32];

    if (strcasecmp(command->report.run, "last") == 0 && told < choice->count)
        weir_log(WEIR_LOG_WARNING,
                 "%s: this is run %u, the last with a report of %u runs; --run list shows the "
                 "others, --run 1 to %u or all prints them",
                 command->result_path, choice->last + 1, choice->count, choice->count);
    for (unsigned i = choice->first; i <= choice->last; i++)
        if (!choice->runs[i].has_report)
            weir_log(WEIR_LOG_WARNING,
                     "%s: run %u is left out: it is one of weir net, which prints its report only "
                     "while it runs",
                     command->result_path, i + 1);
        else if (!choice->runs[i].has_ended)
            weir_log(WEIR_LOG_WARNING, "%s: run %u has no end: it was cut, or is still running",
                     command->result_path, i + 1);
        else if (choice->runs[i].is_interrupted || choice->runs[i].exit_code != WEIR_EXIT_DONE)
            weir_log(WEIR_LOG_WARNING, "%s: run %u did not end well: %s", command->result_path,
                     i + 1, end_of(&choice->runs[i], end));
}

static int tell_chosen(const struct weir_command *command, const struct choice *choice,
                       struct weir_text *text, struct weir_error *failed, struct weir_error *error)
{
    bool is_one = choice->first == choice->last;
    struct weir_record_reader *reader = NULL;
    struct weir_text header = {0};
    struct weir_recorded run;
    int code = weir_record_open(command->result_path, is_one ? choice->first : WEIR_ALL_RUNS,
                                &reader, error);

    while (code >= 0 && (code = weir_record_next(reader, &run, error)) > 0)
        code = tell_run(command, &run, text, &header, failed, error);
    weir_record_close(reader);
    weir_text_close(&header);
    return code;
}

int weir_show_report(const struct weir_command *command, struct weir_text *text,
                     struct weir_error *failed, struct weir_error *error)
{
    struct weir_arena arena = {0};
    struct choice choice = {0};
    int code = weir_expect_check(command->report.expect, NULL, "report: " WEIR_EXPECT_PLACE, error);

    if (code == 0)
        code = weir_record_list(command->result_path, &arena, &choice.runs, &choice.count, error);
    if (code == 0 && strcasecmp(command->report.run, "list") == 0) {
        list_runs(&choice, text);
    } else if (code == 0) {
        code = choose(command, &choice, error);
        if (code == 0)
            code = tell_chosen(command, &choice, text, failed, error);
        if (code == 0)
            tell_of_others(command, &choice);
    }
    weir_arena_close(&arena);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints runs of result files: each by the reporter of its dialect, or as data; or a list. */
#include "show_report.h"

#include "weir/base/log.h"
#include "weir/measure/median.h"
#include "weir/report/expect.h"
#include "weir/report/measures.h"
#include "weir/report/net_report.h"
#include "weir/report/pictures.h"
#include "weir/report/redact.h"
#include "weir/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* What was printed so far. */
struct shown {
    const struct weir_command *command;
    struct weir_text *text;
    struct weir_page page;
    struct weir_text header;                   /* the latest one with a column of the run */
    unsigned runs;                             /* that were printed */
    unsigned last;                             /* number of the latest of them */
    const struct weir_reporter *reporter;      /* of that one */
    const struct weir_measured_run **measured; /* those of one document of metrics */
};

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
           (strcasecmp(command->report.run, "all") == 0 || command->result_path_count > 1);
}

/* A document of IOR or Parabench has one run, and the document of all dialects has no others in it.
 */
static int check_document(const struct shown *shown, const struct weir_reporter *reporter,
                          unsigned number, struct weir_error *error)
{
    bool is_ours = strcmp(reporter->name, WEIR_REPORTER_JSON) == 0;
    bool was_ours =
        shown->reporter != NULL && strcmp(shown->reporter->name, WEIR_REPORTER_JSON) == 0;

    if (shown->runs == 0 || (!reporter->is_document && is_ours == was_ours))
        return 0;
    return weir_error_usage(
        error, "report",
        "\"%s\": a document has one run, and runs %u and %u were chosen: choose "
        "one with --run %u, or the format json-long",
        shown->command->report.format, shown->last, number, number);
}

/* A report of the dialect, without the tests that were not asked for. */
static void tell_result(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const char *test)
{
    struct weir_result view = *result;

    if (test != NULL) {
        unsigned long number = strtoul(test, NULL, 10);

        view.tests = calloc(result->test_count + 1, sizeof *view.tests);
        view.phases = calloc(result->phase_count + 1, sizeof *view.phases);
        if (view.tests == NULL || view.phases == NULL)
            weir_error_out_of_memory();
        view.test_count = view.phase_count = 0;
        for (unsigned i = 0; i < result->test_count; i++)
            if (result->tests[i].test == number)
                view.tests[view.test_count++] = result->tests[i];
        for (unsigned i = 0; i < result->phase_count; i++)
            if (result->phases[i].test == number)
                view.phases[view.phase_count++] = result->phases[i];
        view.left_out_tests = result->test_count - view.test_count;
    }
    weir_report_whole(text, plan, &view);
    if (test != NULL) {
        free(view.tests);
        free(view.phases);
    }
}

/* A run as lines of values or as a part of a document. */
static void tell_data(struct shown *shown, const struct weir_measured_run *run, const char *format)
{
    if (strcmp(format, WEIR_REPORTER_METRICS) == 0) {
        shown->measured = realloc(shown->measured, (shown->runs + 1) * sizeof *shown->measured);
        if (shown->measured == NULL)
            weir_error_out_of_memory();
        shown->measured[shown->runs] = run;
        return;
    }
    for (unsigned i = 0; strcmp(format, WEIR_REPORTER_INFLUX) == 0 && i < run->phase_count; i++)
        weir_measured_influx_phase(shown->text, &run->phases[i]);
    if (strcmp(format, WEIR_REPORTER_INFLUX) == 0)
        return;
    if (strcmp(format, WEIR_REPORTER_JSON) == 0) {
        if (shown->runs == 0)
            weir_measured_json_begin(shown->text);
        weir_measured_json_run(shown->text, run, shown->runs == 0);
        return;
    }
    if (shown->reporter == NULL || strcmp(shown->reporter->name, WEIR_REPORTER_CSV) != 0)
        weir_measured_csv_header(shown->text);
    for (unsigned i = 0; i < run->phase_count; i++)
        weir_measured_csv_phase(shown->text, &run->phases[i]);
}

/* How the run ended, in `room`. */
static const char *end_of(const struct weir_measured_run *run, char room[32])
{
    if (!run->has_ended)
        return "none: cut, or still running";
    if (run->is_interrupted)
        return "interrupted";
    if (run->exit_code == WEIR_EXIT_DONE)
        return "yes";
    /* A condition that does not hold is no failure of the run. */
    snprintf(room, 32,
             weir_text_begins(run->exit_reason, "--expect") ? "yes (exit %d: --expect)"
                                                            : "failed (exit %d)",
             run->exit_code);
    return room;
}

static void tell_end(const struct weir_measured_run *run)
{
    char end[32];

    if (!run->has_ended)
        weir_log(WEIR_LOG_WARNING, "%s: run %u has no end: it was cut, or is still running",
                 run->source, run->number + 1);
    else if (!run->is_interrupted && weir_text_begins(run->exit_reason, "--expect"))
        weir_log(WEIR_LOG_WARNING, "%s: run %u ended with exit code %d: %s", run->source,
                 run->number + 1, run->exit_code, run->exit_reason);
    else if (run->is_interrupted || run->exit_code != WEIR_EXIT_DONE)
        weir_log(WEIR_LOG_WARNING, "%s: run %u did not end well: %s", run->source, run->number + 1,
                 end_of(run, end));
}

/* Prints the lines of conditions that the report has no place for, and sets `failed` if one does
 * not hold. */
static void check_conditions(const struct weir_measured_run *run,
                             const struct weir_report_request *request, bool has_place,
                             struct weir_error *failed)
{
    struct weir_arena arena = {0};
    struct weir_text text = {0};
    const struct weir_expectations *all =
        weir_expect_judge_run(&arena, run, request->expect, request->allows_unverified);

    if (!has_place)
        weir_expect_add_lines(&text, all);
    fputs(weir_text_string(&text), stderr);
    weir_expect_fail(all, failed);
    weir_text_close(&text);
    weir_arena_close(&arena);
}

/* Is it a format that runs of weir net have, too? */
static bool is_verdict(const char *format)
{
    return format != NULL && weir_text_list_has("verdict,markdown", format);
}

static int tell_run(struct shown *shown, const struct weir_measured_run *run,
                    struct weir_error *failed, struct weir_error *error)
{
    const struct weir_report_request *request = &shown->command->report;
    const char *reporter_name = weir_front_data_format(request->format);
    struct weir_output output = {.reporter = reporter_name};
    struct weir_plan plan = {0};
    const struct weir_reporter *reporter;
    size_t first = shown->text->length;
    int code = 0;

    if (run->plan == NULL && is_verdict(request->format))
        output.reporter = request->format;
    else if (run->plan == NULL && reporter_name == NULL) {
        if (strcasecmp(request->run, "all") != 0)
            return weir_error_usage(
                error, "report",
                "run %u of %s is one of weir net, which prints its own report "
                "only while it runs: use the format verdict, markdown, csv-long "
                "or json-long, or choose another run",
                run->number + 1, run->source);
        weir_log(WEIR_LOG_WARNING,
                 "%s: run %u is left out: it is one of weir net, which prints its own report only "
                 "while it runs; verdict, markdown, csv-long and json-long have it",
                 run->source, run->number + 1);
        return 0;
    }
    if (run->plan != NULL) {
        plan = *run->plan;
        code = weir_front_choose_reporter(plan.dialect, request, &plan.output, error);
        if (code == 0 && plan.sweep.axis_count > 0 && request->format == NULL &&
            request->compat == NULL && !plan.output.is_plain &&
            !weir_report_has_details(&plan.output))
            plan.output.reporter = "sweep";
        output = plan.output;
    }
    if (code != 0)
        return code;
    reporter = weir_reporter_find(&output);
    code = check_document(shown, reporter, run->number + 1, error);
    if (code == 0 && reporter->is_of_sweep && plan.sweep.axis_count == 0)
        code = weir_error_usage(error, "report", "\"%s\" is a format of sweeps, and run %u is none",
                                request->format, run->number + 1);
    plan.output.allows_unverified |= request->allows_unverified;
    if (code == 0 && request->expect != NULL && run->plan != NULL) {
        plan.output.expect = request->expect;
        plan.output.allows_unverified = request->allows_unverified;
        code = weir_expect_check(plan.output.expect, &plan, "report: " WEIR_EXPECT_PLACE, error);
    }
    if (code == 0 && run->plan == NULL && run->phase_count > 0)
        code = weir_expect_check_net(request->expect, run->phases[0].verb,
                                     "report: " WEIR_EXPECT_PLACE, error);
    if (code != 0)
        return code;
    if (weir_text_list_has(WEIR_REPORTER_CSV "," WEIR_REPORTER_JSON "," WEIR_REPORTER_INFLUX
                                             "," WEIR_REPORTER_METRICS,
                           reporter->name)) {
        tell_data(shown, run, reporter->name);
    } else if (run->plan == NULL) {
        weir_net_report_verdict(shown->text, run, strcmp(reporter->name, "markdown") == 0);
    } else {
        tell_result(shown->text, &plan, run->result, request->test);
        if (has_run_column(shown->command))
            add_run_column(shown->text, first, run->number + 1, reporter->header, &shown->header);
    }
    if (request->expect != NULL)
        check_conditions(run, request, run->plan != NULL && weir_report_has_conditions(&plan),
                         failed);
    shown->reporter = reporter;
    shown->last = run->number + 1;
    shown->runs++;
    tell_end(run);
    return 0;
}

/* ---- pages and pictures ---- */

static int draw_run(struct shown *shown, const struct weir_measured_run *run,
                    struct weir_error *failed, struct weir_error *error)
{
    const struct weir_report_request *request = &shown->command->report;
    int code = 0;

    if (request->picture == NULL)
        weir_page_add_run(&shown->page, run);
    else if (strcmp(request->picture, "list") == 0)
        weir_pictures_list(run, shown->text);
    else if (shown->runs > 0 && strcmp(request->format, "text") != 0)
        code = weir_error_usage(error, "report",
                                "--picture: a file has one picture, and runs %u and %u were "
                                "chosen: choose one with --run %u",
                                shown->last, run->number + 1, run->number + 1);
    else
        code = weir_pictures_draw(run, request->picture, request->format, shown->text, error);
    if (code == 0 && request->expect != NULL)
        check_conditions(run, request, false, failed);
    shown->last = run->number + 1;
    shown->runs++;
    tell_end(run);
    return code;
}

/* ---- the list ---- */

/* The rates of the first two kinds of phases, medians over repetitions: "write 2.09 GB/s". */
static void add_rates(struct weir_text *text, const struct weir_measured_run *run)
{
    double *values = calloc(run->phase_count + 1, sizeof *values);
    const char *told = "";
    char rate[WEIR_RATE_TEXT_BYTES];
    unsigned kinds = 0;

    if (values == NULL)
        weir_error_out_of_memory();
    for (unsigned i = 0; i < run->phase_count && kinds < 2; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        const char *name = weir_measured_find(phase, "rate") != NULL ? "rate" : "ops";
        unsigned count = 0;

        if (!phase->is_timed || phase->part[0] != '\0' || strcmp(told, phase->name) == 0)
            continue;
        for (unsigned k = i; k < run->phase_count; k++) {
            const struct weir_measured_figure *figure = weir_measured_find(&run->phases[k], name);

            if (figure != NULL && run->phases[k].part[0] == '\0' &&
                strcmp(run->phases[k].name, phase->name) == 0)
                values[count++] = figure->value;
        }
        weir_text_add(text, "%s", kinds++ > 0 ? ", " : "  ");
        weir_text_add_visible(text, phase->name);
        weir_text_add(text, " ");
        if (count > 0)
            weir_text_add(text, "%s",
                          weir_rate_format(weir_median_sort(values, count),
                                           strcmp(name, "rate") == 0 ? "B/s" : "ops/s", rate));
        told = phase->name;
    }
    free(values);
}

static void add_named(struct weir_text *text, const char *name, const char *value)
{
    if (value[0] == '\0')
        return;
    weir_text_add(text, "  %s ", name);
    weir_text_add_visible(text, value);
}

/* Adds the path of a program, and its parameters that are no defaults. */
static void add_program(struct weir_text *text, const struct weir_measured_run *run)
{
    const struct weir_program *program = run->phase_count > 0 && run->phases[0].planned != NULL
                                             ? run->phases[0].planned->program
                                             : NULL;

    if (program == NULL)
        return;
    weir_text_add(text, "  ");
    weir_text_add_visible(text, program->path);
    for (unsigned i = 0; i < program->parameter_count; i++) {
        const struct weir_parameter *parameter = &program->parameters[i];

        if (strcmp(parameter->origin, "default") == 0)
            continue;
        weir_text_add(text, " %s=", program->variables.names[parameter->variable]);
        weir_text_add_visible(text, parameter->value);
    }
}

/* A line with the facts of the run, one with what it found, and one with what was run. */
static void list_run(struct shown *shown, const struct weir_measured_run *run)
{
    const time_t begun = (time_t)run->begun_s;
    char date[32] = "-", end[32], ranks[16] = "-", nodes[16] = "-";
    struct weir_text *text = shown->text;
    unsigned phases = 0;
    struct tm parts;

    if (shown->runs++ == 0)
        weir_text_add(text, "%5s  %-16s  %-19s  %-12s  %5s  %5s  %6s  %s\n", "run", "id", "begun",
                      "dialect", "ranks", "nodes", "phases", "end");
    if (run->begun_s > 0 && localtime_r(&begun, &parts) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
    if (run->ranks > 0)
        snprintf(ranks, sizeof ranks, "%u", run->ranks);
    if (run->nodes > 0)
        snprintf(nodes, sizeof nodes, "%u", run->nodes);
    for (unsigned i = 0; i < run->phase_count; i++)
        phases += run->phases[i].part[0] == '\0';
    weir_text_add(text, "%5u  %-16s  %-19s  %-12s  %5s  %5s  %6u  %s\n", run->number + 1,
                  run->run_id[0] != '\0' ? run->run_id : "-", date, run->dialect, ranks, nodes,
                  phases, end_of(run, end));

    weir_text_add(text, "       %s", weir_believed_names[run->believed]);
    add_rates(text, run);
    add_named(text, "label", run->label);
    if (run->phase_count > 0)
        add_named(text, "target", run->phases[0].path);
    if (shown->command->result_path_count > 1)
        add_named(text, "file", run->source);
    weir_text_add(text, "\n");
    if (run->command[0] == '\0' && run->job[0] == '\0')
        return;
    weir_text_add(text, "       ");
    weir_text_add_visible(text, run->job);
    weir_text_add(text, "%s", run->job[0] != '\0' && run->command[0] != '\0' ? ": " : "");
    weir_text_add_visible(text, run->command);
    add_program(text, run);
    weir_text_add(text, "\n");
}

/* ---- all of them ---- */

static void tell_of_others(const struct shown *shown, const struct weir_measures *reader)
{
    const struct weir_command *command = shown->command;
    const unsigned count = weir_measures_count(reader);
    const char *damage = weir_measures_damage(reader);

    if (strcasecmp(command->report.run, "last") == 0 && shown->runs > 0 && shown->runs < count &&
        command->result_path_count == 1)
        weir_log(WEIR_LOG_WARNING,
                 "%s: this is run %u, the last with a report of %u runs; --run list shows the "
                 "others, --run 1 to %u or all prints them",
                 command->result_paths[0], shown->last, count, count);
    for (size_t length; *damage != '\0'; damage += length + (damage[length] == '\n')) {
        length = strcspn(damage, "\n");
        weir_log(WEIR_LOG_WARNING, "%.*s", (int)length, damage);
    }
}

int weir_show_report(const struct weir_command *command, struct weir_text *text,
                     struct weir_error *failed, struct weir_error *error)
{
    const struct weir_report_request *request = &command->report;
    const bool is_list = strcasecmp(request->run, "list") == 0;
    const bool is_drawn = weir_front_is_drawn(request);
    const bool is_data = is_drawn || weir_front_data_format(request->format) != NULL;
    struct weir_measures_query query = {
        .paths = command->result_paths,
        .path_count = command->result_path_count,
        .run = is_list ? "all" : request->run,
        .label = request->label,
        .test = request->test,
        .skips_net =
            strcasecmp(request->run, "last") == 0 && !is_data && !is_verdict(request->format),
    };
    struct weir_measures *reader;
    struct shown shown = {.command = command, .text = text};
    const struct weir_measured_run *run;
    int code = weir_expect_check(request->expect, NULL, "report: " WEIR_EXPECT_PLACE, error);

    if (code == 0)
        code = weir_redaction_open(&request->redact, &query.redaction, error);
    shown.page.is_redacted = query.redaction != NULL;
    reader = weir_measures_open(&query);
    while (code >= 0 && (code = weir_measures_next(reader, &run, error)) > 0) {
        if (request->test != NULL && run->phase_count == 0)
            continue;
        if (is_list)
            list_run(&shown, run);
        else if ((is_drawn ? draw_run(&shown, run, failed, error)
                           : tell_run(&shown, run, failed, error)) != 0)
            break;
    }
    if (weir_error_is_set(error))
        code = error->code;
    if (code == 0 && shown.runs == 0 && (request->label != NULL || request->test != NULL))
        code = weir_error_usage(
            error, "report", "no run of %s has %s%s%s%s%s: --run list shows them",
            command->result_paths[0], request->label ? "the label " : "",
            request->label ? request->label : "", request->label && request->test ? " and " : "",
            request->test ? "a test " : "", request->test ? request->test : "");
    else if (code == 0 && shown.runs == 0 && query.skips_net)
        code = weir_error_usage(error, "report",
                                "%s has runs of weir net alone, which prints its own report only "
                                "while it runs: use the format verdict, markdown, csv-long or "
                                "json-long",
                                command->result_paths[0]);
    if (code == 0 && shown.reporter != NULL &&
        strcmp(shown.reporter->name, WEIR_REPORTER_JSON) == 0)
        weir_measured_json_end(text);
    if (code == 0 && shown.measured != NULL)
        weir_measured_metrics(text, shown.measured, shown.runs);
    if (code == 0 && is_drawn && request->picture == NULL)
        weir_page_end(&shown.page, text);
    weir_page_close(&shown.page);
    if (code == 0)
        tell_of_others(&shown, reader);
    weir_measures_close(reader);
    weir_redaction_close(query.redaction);
    free(shown.measured);
    weir_text_close(&shown.header);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A page of HTML: verdict, workload, pictures, tables, environment, command line. */
#include "weir/report/pictures.h"

#include "compare/compare.h"
#include "dialect.h"
#include "figures.h"
#include "json_fields.h"
#include "picture/pictures.h"
#include "record/record.h"

#include "weir/base/memory.h"
#include "weir/base/version.h"
#include "weir/measure/median.h"
#include "weir/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 300            /* of the table of figures: more are in --format csv-long */
#define REPORT_BYTES_MAX 100000 /* of the report as text */

static const char page_begins[] = "<!DOCTYPE html>\n<!-- weir report -->\n";
static const char svg_begins[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-picture\"";
static const char script_begins[] = "# gnuplot 5: ";

bool weir_page_is_held(const char *begin)
{
    return weir_text_begins(begin, page_begins) || weir_text_begins(begin, svg_begins) ||
           weir_text_begins(begin, script_begins);
}

/* ---- single pictures ---- */

static bool is_of(const struct weir_picture *picture, const char *name)
{
    size_t length = strlen(name);

    return strncmp(picture->name, name, length) == 0 &&
           (picture->name[length] == '\0' || picture->name[length] == '-');
}

void weir_pictures_list(const struct weir_measured_run *run, struct weir_text *text)
{
    struct weir_pictures pictures;

    weir_pictures_open(&pictures, run);
    for (unsigned i = 0; i < pictures.count; i++) {
        weir_text_add(text, "%-32s  ", pictures.list[i]->name);
        weir_text_add_visible(text, pictures.list[i]->title);
        weir_text_add(text, "\n");
    }
    if (pictures.left_out > 0)
        weir_text_add(text, "%u more are left out; --test N shows those of one test\n",
                      pictures.left_out);
    weir_pictures_close(&pictures);
}

/* As the C library would decide it for output to a terminal. */
static bool uses_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);

        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

/* Draws the pictures of a name, as weir_pictures_draw() says. `subject`: "run 1". */
static int draw(const struct weir_pictures *pictures, const char *name, const char *format,
                const char *subject, struct weir_text *text, struct weir_error *error)
{
    const struct weir_picture *found = NULL;
    struct weir_text names = {0};
    unsigned count = 0;
    bool is_exact = false;
    int code = 0;

    for (unsigned i = 0; i < pictures->count && !is_exact; i++) {
        is_exact = strcmp(pictures->list[i]->name, name) == 0;
        if (!is_exact && !is_of(pictures->list[i], name))
            continue;
        found = pictures->list[i];
        count = is_exact ? 1 : count + 1;
        weir_text_add(&names, "%s%s", count > 1 ? ", " : "", found->name);
    }
    for (unsigned i = 0; count == 0 && i < pictures->count && i < 40; i++)
        weir_text_add(&names, "%s%s", i > 0 ? ", " : "", pictures->list[i]->name);
    if (count == 0)
        code = weir_error_usage(error, "report", "--picture: %s has no \"%s\"; it has %s", subject,
                                name, names.length > 0 ? weir_text_string(&names) : "no pictures");
    else if (count > 1 && strcmp(format, "text") != 0)
        code =
            weir_error_usage(error, "report", "--picture: a file has one picture: choose one of %s",
                             weir_text_string(&names));
    else if (strcmp(format, "gnuplot") == 0)
        weir_picture_gnuplot(found, text);
    else if (strcmp(format, "svg") == 0)
        weir_picture_svg(found, true, text);
    for (unsigned i = 0; code == 0 && strcmp(format, "text") == 0 && i < pictures->count; i++)
        if (count > 1 ? is_of(pictures->list[i], name) : pictures->list[i] == found)
            weir_picture_text(pictures->list[i], uses_utf8(), text);
    weir_text_close(&names);
    return code;
}

int weir_pictures_draw(const struct weir_measured_run *run, const char *name, const char *format,
                       struct weir_text *text, struct weir_error *error)
{
    struct weir_pictures pictures;
    char subject[32];
    int code;

    snprintf(subject, sizeof subject, "run %u", run->number + 1);
    weir_pictures_open(&pictures, run);
    code = draw(&pictures, name, format, subject, text, error);
    weir_pictures_close(&pictures);
    return code;
}

/* ---- pieces of a page ---- */

static void add_row(struct weir_text *text, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    weir_text_add(text, "<div><dt>");
    weir_xml_add(text, name);
    weir_text_add(text, "</dt><dd>");
    weir_xml_add(text, value);
    weir_text_add(text, "</dd></div>\n");
}

static void add_value_row(struct weir_text *text, const char *name, enum weir_quantity quantity,
                          double value)
{
    struct weir_text shown = {0};

    if (value > 0)
        weir_quantity_add(&shown, quantity, value);
    add_row(text, name, weir_text_string(&shown));
    weir_text_close(&shown);
}

/* "ok", "caution" or "bad": classes of the style. */
static const char *class_of(enum weir_believed believed)
{
    return believed == WEIR_BELIEVED_OK                                                ? "ok"
           : believed == WEIR_BELIEVED_CAUTION || believed == WEIR_BELIEVED_UNVERIFIED ? "caution"
                                                                                       : "bad";
}

static void add_badge(struct weir_text *text, enum weir_believed believed)
{
    weir_text_add(
        text, "<span class=\"badge %s\">%s</span>", class_of(believed),
        weir_believed_names[believed < WEIR_BELIEVED_COUNT ? believed : WEIR_BELIEVED_PARTIAL]);
}

/* ---- the verdict ---- */

/* Runs of weir net have their findings in the row of each phase: those of the first are all. */
static void add_verdict(struct weir_text *text, const struct weir_measured_run *run)
{
    struct weir_text block = {0};

    if (run->plan != NULL) {
        weir_report_verdict(&block, run->plan, run->result, false);
        weir_report_spell(&block, 0, weir_report_words_of(run->plan, 0));
    } else if (run->phase_count > 0) {
        weir_text_add(&block, "%s\n", weir_believed_names[run->believed]);
        for (unsigned i = 0; i < run->phases[0].finding_count; i++)
            weir_text_add(&block, "%s\n", run->phases[0].finding_list[i].text);
        weir_report_spell(&block, 0, weir_report_words("net"));
    }
    weir_text_add(text, "<pre class=\"verdict %s\">", class_of(run->believed));
    /* The prefix of each line marks the lines of Weir among those of a dialect: a page has no
     * others. */
    for (const char *line = weir_text_string(&block); *line != '\0'; line += strspn(line, "\n")) {
        struct weir_text shown = {0};
        size_t length = strcspn(line, "\n"), skipped = weir_text_begins(line, "weir  ") ? 6 : 0;

        weir_text_add(&shown, "%.*s\n", (int)(length - skipped), line + skipped);
        weir_xml_add(text, weir_text_string(&shown));
        weir_text_close(&shown);
        line += length;
    }
    weir_text_add(text, "</pre>\n");
    weir_text_close(&block);
}

/* ---- workload ---- */

static void add_facts(struct weir_text *text, const struct weir_measured_run *run)
{
    const struct weir_measured_phase *first = run->phase_count > 0 ? &run->phases[0] : NULL;
    char begun[WEIR_DATE_BYTES], line[160];
    struct weir_text tags = {0};

    weir_date_format_iso(run->begun_s, begun);
    weir_text_add(text, "<h3>Workload</h3>\n<dl class=\"facts\">\n");
    add_row(text, "command", run->command);
    add_row(text, "label", run->label);
    for (size_t i = 0; i < run->tag_count; i++)
        weir_text_add(&tags, "%s%s=%s", i > 0 ? ", " : "", run->tags[i].key, run->tags[i].value);
    add_row(text, "tags", weir_text_string(&tags));
    snprintf(line, sizeof line, "%u on %u node%s", run->ranks, run->nodes,
             run->nodes == 1 ? "" : "s");
    add_row(text, "ranks", run->ranks > 0 ? line : "");
    add_row(text, "hosts", run->hosts);
    if (first != NULL) {
        snprintf(line, sizeof line, "%.60s%s%.60s", first->layout,
                 first->layout[0] && first->pattern[0] ? ", " : "", first->pattern);
        add_row(text, "backend", first->backend);
        add_row(text, "target", first->path);
        add_row(text, "layout", line);
        add_value_row(text, "transfer", WEIR_QUANTITY_BYTES, (double)first->transfer_bytes);
        add_value_row(text, "block per rank", WEIR_QUANTITY_BYTES, (double)first->block_bytes);
        add_value_row(text, "items per rank", WEIR_QUANTITY_NUMBER, (double)first->items);
        add_value_row(text, "depth", WEIR_QUANTITY_NUMBER, first->depth);
        snprintf(line, sizeof line, "%.60s%s%.90s", first->filesystem,
                 first->storage[0] ? " on " : "", first->storage);
        add_row(text, "file system", line);
        add_row(text, "transport", first->transport);
    }
    add_row(text, "begun", begun);
    if (run->finished_s > run->begun_s)
        add_value_row(text, "duration", WEIR_QUANTITY_SECONDS, run->finished_s - run->begun_s);
    add_row(text, "end",
            !run->has_ended       ? "none: the run was cut, or is still going on"
            : run->exit_code != 0 ? run->exit_reason
                                  : "");
    weir_text_add(text, "</dl>\n");
    weir_text_close(&tags);
}

/* ---- pictures ---- */

/* More of one kind are folded, unless they are the first ones. */
#define UNFOLDED_MAX 6

static void add_picture(struct weir_text *text, const struct weir_picture *picture)
{
    weir_text_add(text, "<figure>\n<figcaption><b>");
    weir_xml_add(text, picture->title);
    weir_text_add(text, "</b> ");
    weir_xml_add(text, picture->caption);
    weir_text_add(text, "</figcaption>\n");
    weir_picture_svg(picture, false, text);
    weir_text_add(text, "<details><summary>as a table</summary><div class=\"wide\">\n");
    weir_picture_table(picture, true, text);
    weir_text_add(text, "</div></details>\n</figure>\n");
}

/* Frees the pictures. */
static void add_pictures(struct weir_text *text, struct weir_pictures *pictures)
{
    if (pictures->count > 0)
        weir_text_add(text, "<h3>Pictures</h3>\n<div class=\"pictures\">\n");
    for (unsigned i = 0, count; i < pictures->count; i += count) {
        const char *name = pictures->list[i]->name;
        int length = (int)strcspn(name, "-");
        bool is_folded;

        for (count = 1; i + count < pictures->count; count++)
            if (strncmp(pictures->list[i + count]->name, name, (size_t)length) != 0)
                break;
        is_folded = i > 0 && count > UNFOLDED_MAX;
        if (is_folded)
            weir_text_add(text,
                          "</div>\n<details><summary>%.*s: %u pictures</summary>\n<div "
                          "class=\"pictures\">\n",
                          length, name, count);
        for (unsigned k = i; k < i + count; k++)
            add_picture(text, pictures->list[k]);
        if (is_folded)
            weir_text_add(text, "</div>\n</details>\n<div class=\"pictures\">\n");
    }
    if (pictures->count > 0)
        weir_text_add(text, "</div>\n");
    if (pictures->left_out > 0)
        weir_text_add(text,
                      "<p>%u more pictures are left out: <code>--test N</code> makes a page of one "
                      "test.</p>\n",
                      pictures->left_out);
    weir_pictures_close(pictures);
}

/* ---- tables ---- */

static void add_figures(struct weir_text *text, const struct weir_measured_run *run)
{
    static const struct {
        const char *name, *title;
        enum weir_quantity quantity;
    } columns[] = {{"rate", "rate", WEIR_QUANTITY_BYTES_PER_S},
                   {"ops", "operations", WEIR_QUANTITY_OPS_PER_S},
                   {"p50", "p50", WEIR_QUANTITY_SECONDS},
                   {"p99", "p99", WEIR_QUANTITY_SECONDS},
                   {"latency_max", "max", WEIR_QUANTITY_SECONDS},
                   {"time", "time", WEIR_QUANTITY_SECONDS}};
    unsigned shown = 0, left_out = 0;

    weir_text_add(text, "<details><summary>Figures of each phase</summary><div class=\"wide\">"
                        "<table>\n<tr><th>phase</th><th>repetition</th>");
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        weir_text_add(text, "<th>%s</th>", columns[k].title);
    weir_text_add(text, "<th>verdict</th><th>findings</th></tr>\n");
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];

        if (phase->part[0] != '\0' && phase->found != NULL)
            continue;
        if (shown++ >= ROWS_MAX) {
            left_out++;
            continue;
        }
        weir_text_add(text, "<tr><td>");
        weir_xml_add(text, phase->name);
        weir_text_add(text, "%s",
                      phase->step[0] != '\0'     ? ", "
                      : phase->target[0] != '\0' ? " "
                                                 : "");
        weir_xml_add(text, phase->step[0] != '\0' ? phase->step : phase->target);
        weir_text_add(text, "</td><td>%u</td>", phase->repetition);
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            const struct weir_measured_figure *figure = weir_measured_find(phase, columns[k].name);

            weir_text_add(text, "<td>");
            if (figure != NULL)
                weir_quantity_add(text, columns[k].quantity, figure->value);
            weir_text_add(text, "</td>");
        }
        weir_text_add(text, "<td>%s</td><td>", weir_believed_names[phase->believed]);
        weir_xml_add(text, phase->findings);
        weir_text_add(text, "</td></tr>\n");
    }
    weir_text_add(text, "</table>");
    if (left_out > 0)
        weir_text_add(text, "<p>%u more rows: <code>--format csv-long</code></p>", left_out);
    weir_text_add(text, "</div></details>\n");
}

/* The report of the dialect for people, with all its tables, whatever the run itself printed. */
static void add_report(struct weir_text *text, const struct weir_measured_run *run)
{
    const struct weir_dialect_reports *dialect =
        run->plan != NULL ? weir_report_dialect(run->plan->dialect) : NULL;
    const struct weir_reporter *const *reporter = dialect != NULL ? dialect->reporters : NULL;
    struct weir_text report = {0};
    struct weir_plan plan;

    while (reporter != NULL && *reporter != NULL && !(*reporter)->is_text)
        reporter++;
    if (reporter == NULL || *reporter == NULL)
        return;
    plan = *run->plan;
    plan.output.reporter = plan.sweep.axis_count > 0 ? "sweep" : (*reporter)->name;
    plan.output.style = NULL;
    plan.output.has_details = true;
    plan.output.is_plain = false;
    plan.output.expect = NULL;
    weir_report_whole(&report, &plan, run->result);
    if (report.length > REPORT_BYTES_MAX) {
        report.length = REPORT_BYTES_MAX;
        report.data[REPORT_BYTES_MAX] = '\0';
        weir_text_add(&report, "\n... the rest: weir report FILE\n");
    }
    weir_text_add(text, "<details><summary>The report as text</summary><pre class=\"wide\">");
    weir_xml_add(text, weir_text_string(&report));
    weir_text_add(text, "</pre></details>\n");
    weir_text_close(&report);
}

/* ---- environment ---- */

/* Members of an object as rows; empty ones, and those of objects in it, are left out. */
static void add_object(struct weir_text *text, const json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        size_t length = strlen(key);
        bool is_bytes = length > 6 && strcmp(key + length - 6, "_bytes") == 0;
        struct weir_text shown = {0};
        char name[64];

        snprintf(name, sizeof name, "%.*s", is_bytes ? (int)length - 6 : 63, key);
        for (char *at = name; *at != '\0'; at++)
            *at = *at == '_' ? ' ' : *at;
        if (json_is_string(value))
            weir_text_add(&shown, "%s", json_string_value(value));
        else if (json_is_number(value) && json_number_value(value) > 0)
            weir_quantity_add(&shown, is_bytes ? WEIR_QUANTITY_BYTES : WEIR_QUANTITY_NUMBER,
                              json_number_value(value));
        else if (json_is_true(value))
            weir_text_add(&shown, "yes");
        for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++) {
            const json_t *part = json_array_get(value, i);
            const char *model = json_string_value(json_object_get(part, "model"));

            if (model == NULL || model[0] == '\0')
                model = json_string_value(json_object_get(part, "kind"));
            if (json_string_value(json_object_get(part, "name")) != NULL)
                weir_text_add(&shown, "%s%s%s%s", i > 0 ? "; " : "",
                              json_string_value(json_object_get(part, "name")),
                              model != NULL ? " " : "", model != NULL ? model : "");
        }
        add_row(text, name, weir_text_string(&shown));
        weir_text_close(&shown);
    }
}

static void add_list(struct weir_text *text, const char *title, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list) && i < 8; i++) {
        weir_text_add(text, "<details><summary>%s%s%s</summary><dl class=\"facts\">\n", title,
                      json_array_size(list) > 1 ? ": " : "",
                      json_array_size(list) > 1 ? "one of several kinds" : "");
        add_object(text, json_array_get(list, i));
        weir_text_add(text, "</dl></details>\n");
    }
}

static void add_environment(struct weir_text *text, const struct weir_measured_run *run)
{
    json_t *of_run, *of_test = NULL;

    weir_text_add(text, "<h3>Environment</h3>\n<dl class=\"facts\">\n");
    add_row(text, "weir", run->version);
    add_row(text, "MPI", run->mpi_library);
    add_row(text, "job", run->job);
    add_row(text, "kernel", run->kernel);
    add_row(text, "distribution", run->distribution);
    add_row(text, "CPU", run->cpu_model);
    weir_text_add(text, "</dl>\n");
    if (run->plan == NULL)
        return;
    of_run = weir_json_object(weir_record_run_fields, run->result);
    add_list(text, "Nodes", json_object_get(of_run, "environment"));
    if (run->result->test_count > 0)
        of_test = weir_json_object(weir_record_test_fields, &run->result->tests[0]);
    add_list(text, "Storage", json_object_get(of_test, "storage"));
    json_decref(of_run);
    json_decref(of_test);
}

/* ---- how to repeat it ---- */

static void add_repeat(struct weir_text *text, const struct weir_measured_run *run)
{
    const char *result = strstr(run->command, " --result"), *rest = result;
    struct weir_text command = {0};
    char ranks[32] = "";

    if (run->ranks > 1)
        snprintf(ranks, sizeof ranks, "mpiexec -n %u ", run->ranks);
    if (rest != NULL && rest[strlen(" --result")] != '\0') { /* and its value */
        rest += strlen(" --result") + 1;
        rest += strcspn(rest, " ");
    }
    weir_text_add(text, "<h3>How to repeat it</h3>\n<pre>%s", ranks);
    if (result != NULL) {
        weir_text_add(&command, "%.*s%s", (int)(result - run->command), run->command, rest);
        weir_xml_add(text, weir_text_string(&command));
        weir_text_close(&command);
    } else {
        weir_xml_add(text, run->command);
    }
    weir_text_add(text, " --result NEW.jsonl\nweir compare ");
    weir_xml_add(text, run->source);
    weir_text_add(text,
                  "%s%s -- NEW.jsonl</pre>\n<p>Run %s, plan %s: equal plans did the same work.",
                  run->run_id[0] != '\0' ? " --run " : "", run->run_id,
                  run->run_id[0] != '\0' ? run->run_id : "without an id",
                  run->plan_id[0] != '\0' ? run->plan_id : "unknown");
    if (run->phase_count > 0 && run->phases[0].found != NULL &&
        run->phases[0].found->data_seed != 0)
        weir_text_add(text, " Seed of the data: 0x%llx.",
                      (unsigned long long)run->phases[0].found->data_seed);
    weir_text_add(text, "</p>\n");
    if (run->plan != NULL && run->plan->source.script != NULL) {
        weir_text_add(text, "<details><summary>The script</summary><pre>");
        weir_xml_add(text, run->plan->source.script);
        weir_text_add(text, "</pre></details>\n");
    }
}

/* ---- the whole ---- */

/* Medians over repetitions of the first kinds of phases: "write 2.1 GB/s, read 3.0 GB/s". */
static void add_rates(struct weir_text *text, const struct weir_measured_run *run)
{
    double *values = weir_memory_grow(NULL, (run->phase_count + 1) * sizeof *values);

    for (unsigned i = 0, kinds = 0; i < run->phase_count && kinds < 3; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        bool is_in_bytes = weir_measured_find(phase, "rate") != NULL, is_new = phase->is_timed;
        unsigned count = 0;

        for (unsigned k = 0; k < i && is_new; k++)
            is_new = strcmp(run->phases[k].name, phase->name) != 0;
        for (unsigned k = i; k < run->phase_count && is_new; k++) {
            const struct weir_measured_figure *figure =
                weir_measured_find(&run->phases[k], is_in_bytes ? "rate" : "ops");

            if (figure != NULL && strcmp(run->phases[k].name, phase->name) == 0 &&
                run->phases[k].part[0] == '\0')
                values[count++] = figure->value;
        }
        if (count == 0)
            continue;
        weir_text_add(text, "%s", kinds++ > 0 ? ", " : "");
        weir_xml_add(text, phase->name);
        weir_text_add(text, " ");
        weir_quantity_add(text, is_in_bytes ? WEIR_QUANTITY_BYTES_PER_S : WEIR_QUANTITY_OPS_PER_S,
                          weir_median_sort(values, count));
    }
    free(values);
}

void weir_page_add_run(struct weir_page *page, const struct weir_measured_run *run)
{
    struct weir_text *text = &page->runs, *index = &page->index;
    struct weir_pictures pictures;
    char begun[WEIR_DATE_BYTES];

    page->count++;
    weir_date_format_iso(run->begun_s, begun);
    weir_text_add(index, "<tr><td><a href=\"#run-%u\">%u</a></td><td>", page->count,
                  run->number + 1);
    add_badge(index, run->believed);
    weir_text_add(index, "</td><td>");
    add_rates(index, run);
    weir_text_add(index, "</td><td>%u</td><td>%s</td><td>", run->ranks, begun);
    weir_xml_add(index, run->label[0] != '\0' ? run->label : run->command);
    weir_text_add(index, "</td></tr>\n");

    weir_text_add(text, "<section id=\"run-%u\">\n<h2>", page->count);
    add_badge(text, run->believed);
    weir_text_add(text,
                  run->plan != NULL && run->plan->sweep.axis_count > 0 ? " sweep over " : " ");
    weir_xml_add(text, run->dialect);
    weir_text_add(text, "%s", run->label[0] != '\0' ? ": " : "");
    weir_xml_add(text, run->label);
    weir_text_add(text, "</h2>\n");
    add_verdict(text, run);
    add_facts(text, run);
    weir_pictures_open(&pictures, run);
    add_pictures(text, &pictures);
    weir_text_add(text, "<h3>Tables</h3>\n");
    add_figures(text, run);
    add_report(text, run);
    add_environment(text, run);
    add_repeat(text, run);
    weir_text_add(text, "</section>\n");
}

int weir_page_compare(const struct weir_comparison_table *table, const char *report,
                      struct weir_text *text, struct weir_error *error)
{
    const struct weir_compare_request *request = table->request;
    struct weir_pictures pictures;
    struct weir_page page = {0};
    int code = 0;

    weir_pictures_open_comparison(&pictures, table);
    if (strcmp(request->drawn, "html") == 0) {
        weir_text_add(&page.runs, "<pre class=\"verdict %s wide\">",
                      table->exit_code == WEIR_EXIT_DONE     ? "ok"
                      : table->exit_code == WEIR_EXIT_FLAWED ? "bad"
                                                             : "caution");
        weir_xml_add(&page.runs, report);
        weir_text_add(&page.runs, "</pre>\n");
        add_pictures(&page.runs, &pictures);
        weir_page_end(&page, text);
        return 0;
    }
    code = draw(&pictures, request->picture != NULL ? request->picture : "change", request->drawn,
                "the comparison", text, error);
    weir_pictures_close(&pictures);
    return code;
}

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;padding:0 16px 32px;max-width:1560px;"
    "color:#1c2126;background:#fff;overflow-wrap:anywhere}\n"
    "h1{font-size:20px}h2{font-size:18px;border-top:1px solid #c9d1d9;padding-top:16px}"
    "h3{font-size:15px;margin:22px 0 6px}\n"
    "pre{white-space:pre-wrap;margin:6px 0;padding:8px 10px;background:#f3f5f7;font-size:13px}\n"
    "pre.verdict{border-left:5px "
    "solid}pre.ok{border-color:#1b7a3d}pre.caution{border-color:#9a6700}"
    "pre.bad{border-color:#b3261e}\n"
    ".badge{white-space:nowrap;padding:1px "
    "8px;border-radius:3px;font-size:13px;font-weight:600;color:#fff}"
    ".badge.ok{background:#1b7a3d}.badge.caution{background:#8a5a00}.badge.bad{background:#b3261e}"
    "\n"
    "table{border-collapse:collapse;font-size:13px}th,td{text-align:left;vertical-align:top;"
    "padding:2px 10px 2px 0;font-weight:400}th{color:#4d5a66}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:0 "
    "24px;"
    "margin:0;font-size:13px}.facts div{display:flex;gap:10px}dt{flex:0 0 "
    "104px;color:#4d5a66}dd{margin:0}a{color:#1f5fa8}summary{cursor:pointer;color:#1f5fa8;padding:"
    "3px "
    "0}\n"
    ".wide{overflow-x:auto}.wide table{overflow-wrap:normal}pre.wide{white-space:pre}\n"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));"
    "gap:18px "
    "28px}figure{margin:0;min-width:0;max-width:640px}figcaption{font-size:13px;margin-bottom:4px}"
    "svg{width:100%;height:auto;display:block}\n"
    "@media screen and (prefers-color-scheme:dark){body{color:#e4e8ec;background:#14181d}"
    "h2{border-color:#39424c}pre{background:#1f252c}th,dt{color:#aebbc7}a,summary{color:#7db3f0}"
    "pre.ok{border-color:#72cf93}pre.caution{border-color:#f0a860}pre.bad{border-color:#ff8f85}}\n"
    "@media print{details{display:none}figure,pre{break-inside:avoid}}\n";

void weir_page_end(struct weir_page *page, struct weir_text *text)
{
    char title[48] = "comparison";

    if (page->count > 0)
        snprintf(title, sizeof title, "report of %u run%s", page->count,
                 page->count == 1 ? "" : "s");
    weir_text_add(text,
                  "%s<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\">\n<title>Weir: %s</title>\n<style>\n%s",
                  page_begins, title, style);
    weir_picture_style(text);
    weir_text_add(text, "</style>\n</head>\n<body>\n<h1>Weir: %s</h1>\n", title);
    if (page->count > 1)
        weir_text_add(text,
                      "<div "
                      "class=\"wide\"><table>\n<tr><th>run</th><th>verdict</th><th>rates</"
                      "th><th>ranks</th><th>begun</th><th>label or command</th></tr>\n"
                      "%s</table></div>\n",
                      weir_text_string(&page->index));
    weir_text_add(text,
                  "%s<p>Made by weir %s. In pictures and tables 1 MB = 10^6 bytes, 1 MiB = 2^20 "
                  "bytes.</p>\n</body>\n</html>\n",
                  weir_text_string(&page->runs), WEIR_VERSION);
    weir_text_close(&page->index);
    weir_text_close(&page->runs);
}

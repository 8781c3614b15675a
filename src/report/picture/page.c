/* SPDX-License-Identifier: Apache-2.0 */
/* A page of HTML: verdict, workload, pictures, tables, environment, command line. */
#include "weir/report/pictures.h"

#include "compare/compare.h"
#include "dialect.h"
#include "picture/pictures.h"
#include "trust/tables.h"

#include "weir/base/memory.h"
#include "weir/base/version.h"
#include "weir/report/net_report.h"
#include "weir/report/report.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 40            /* in an error */
#define ROWS_MAX 300            /* of the table of figures: more are in --format csv-long */
#define REPORT_BYTES_MAX 100000 /* of the report as text */

static const char page_begins[] = "<!DOCTYPE html>\n<!-- weir report -->\n";
static const char svg_begins[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-picture\"";
static const char script_begins[] = "# gnuplot 5: ";

bool weir_page_is_own(const char *begin)
{
    return weir_text_begins(begin, page_begins) || weir_text_begins(begin, svg_begins) ||
           weir_text_begins(begin, script_begins);
}

/* ---- single pictures ---- */

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

static bool uses_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool is_utf8 = locale != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;

    if (locale != (locale_t)0)
        freelocale(locale);
    return is_utf8;
}

/* Draws the pictures of a name, as weir_pictures_draw() says. `place` is the command, `subject` has
 * the pictures: "run 1". */
static int draw(const struct weir_pictures *pictures, const char *name, const char *format,
                const char *place, const char *subject, struct weir_text *text,
                struct weir_error *error)
{
    bool is_text = strcmp(format, "text") == 0, is_exact = false;
    unsigned count = 0, named = 0;
    struct weir_text names = {0};
    int code = 0;

    for (unsigned i = 0; i < pictures->count; i++) {
        is_exact |= strcmp(pictures->list[i]->name, name) == 0;
        count += weir_picture_is_of(pictures->list[i], name);
    }
    for (unsigned i = 0; i < pictures->count; i++) {
        const struct weir_picture *picture = pictures->list[i];
        bool is_found =
            is_exact ? strcmp(picture->name, name) == 0 : weir_picture_is_of(picture, name);

        if ((is_found || count == 0) && named++ < NAMES_MAX)
            weir_text_add(&names, "%s%s", named > 1 ? ", " : "", picture->name);
        if (is_found && is_text)
            weir_picture_text(picture, uses_utf8(), text);
        else if (is_found && (is_exact || count == 1))
            strcmp(format, "svg") == 0 ? weir_picture_svg(picture, true, text)
                                       : weir_picture_gnuplot(picture, text);
    }
    if (named > NAMES_MAX)
        weir_text_add(&names, " and others: --picture list");
    if (count == 0)
        code = weir_error_usage(error, place, "--picture: %s has no \"%s\"; it has %s", subject,
                                name, named > 0 ? weir_text_string(&names) : "no pictures");
    else if (named > 1 && !is_text)
        code = weir_error_usage(error, place, "--picture: a file has one picture: choose one of %s",
                                weir_text_string(&names));
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
    code = draw(&pictures, name, format, "report", subject, text, error);
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

static const char *amount(struct weir_pictures *set, enum weir_quantity quantity, double value)
{
    return value > 0 ? weir_pictures_text(set, quantity, value) : "";
}

/* "ok", "caution" or "bad": classes of the style. */
static const char *class_of(enum weir_believed believed)
{
    return believed == WEIR_BELIEVED_OK ? "ok" : weir_believed_is_bad(believed) ? "bad" : "caution";
}

static void add_badge(struct weir_text *text, enum weir_believed believed)
{
    weir_text_add(
        text, "<span class=\"badge %s\">%s</span>", class_of(believed),
        weir_believed_names[believed < WEIR_BELIEVED_COUNT ? believed : WEIR_BELIEVED_PARTIAL]);
}

/* Ends preformatted text with a block of the report, from the line after `title` on. The prefix of
 * each line marks the lines of Weir among those of a dialect: a page has no others. Closes the
 * block. */
static void add_block(struct weir_text *text, struct weir_text *block, const char *title)
{
    const char *line = strstr(weir_text_string(block), title);
    struct weir_text shown = {0};

    for (line += line != NULL ? strlen(title) : 0; line != NULL && *line != '\0';
         line += strspn(line, "\n")) {
        line += weir_text_begins(line, "weir  ") ? strlen("weir  ") : 0;
        weir_text_add(&shown, "%.*s\n", (int)strcspn(line, "\n"), line);
        line += strcspn(line, "\n");
    }
    weir_xml_add(text, weir_text_string(&shown));
    weir_text_close(&shown);
    weir_text_add(text, "</pre>\n");
    weir_text_close(block);
}

static void add_verdict(struct weir_text *text, const struct weir_measured_run *run)
{
    struct weir_text block = {0};

    if (run->plan != NULL)
        weir_report_verdict(&block, run->plan, run->result, false);
    else
        weir_net_report_verdict(&block, run, false);
    weir_report_spell(&block, 0,
                      run->plan != NULL ? weir_report_words_of(run->plan, 0)
                                        : weir_report_words("net"));
    weir_text_add(text, "<pre class=\"verdict %s\">", class_of(run->believed));
    add_block(text, &block, "");
}

/* ---- workload ---- */

static void add_facts(struct weir_text *text, const struct weir_measured_run *run,
                      struct weir_pictures *set)
{
    const struct weir_measured_phase *first = run->phase_count > 0 ? &run->phases[0] : NULL;
    struct weir_arena *arena = &set->arena;
    const char *tags = "";
    char begun[WEIR_DATE_BYTES];

    for (size_t i = 0; i < run->tag_count; i++)
        tags = weir_arena_printf(arena, "%s%s%s=%s", tags, i > 0 ? ", " : "", run->tags[i].key,
                                 run->tags[i].value);
    weir_date_format_iso(run->begun_s, begun);
    weir_text_add(text, "<h3>Workload</h3>\n<dl class=\"facts\">\n");
    add_row(text, "command", run->command);
    add_row(text, "label", run->label);
    add_row(text, "tags", tags);
    if (run->ranks > 0)
        add_row(text, "ranks",
                weir_arena_printf(arena, "%u on %u node%s", run->ranks, run->nodes,
                                  run->nodes == 1 ? "" : "s"));
    add_row(text, "hosts", run->hosts);
    if (first != NULL) {
        add_row(text, "backend", first->backend);
        add_row(text, "target", first->path);
        add_row(text, "layout",
                weir_arena_printf(arena, "%s%s%s", first->layout,
                                  first->layout[0] && first->pattern[0] ? ", " : "",
                                  first->pattern));
        add_row(text, "transfer", amount(set, WEIR_QUANTITY_BYTES, first->transfer_bytes));
        add_row(text, "block per rank", amount(set, WEIR_QUANTITY_BYTES, first->block_bytes));
        add_row(text, "items per rank", amount(set, WEIR_QUANTITY_NUMBER, first->items));
        add_row(text, "depth", amount(set, WEIR_QUANTITY_NUMBER, first->depth));
        add_row(text, "file system",
                weir_arena_printf(arena, "%s%s%s", first->filesystem,
                                  first->storage[0] ? " on " : "", first->storage));
        add_row(text, "transport", first->transport);
    }
    add_row(text, "begun", begun);
    add_row(text, "duration", amount(set, WEIR_QUANTITY_SECONDS, run->finished_s - run->begun_s));
    add_row(text, "end",
            !run->has_ended       ? "none: the run was cut, or is still going on"
            : run->exit_code != 0 ? run->exit_reason
                                  : "");
    weir_text_add(text, "</dl>\n");
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

/* Pictures of phases are folded where pictures of the whole run come first. */
static void add_pictures(struct weir_text *text, struct weir_pictures *pictures)
{
    bool is_open = false;

    weir_text_add(text, "%s", pictures->count > 0 ? "<h3>Pictures</h3>\n" : "");
    for (unsigned i = 0, count; i < pictures->count; i += count) {
        const char *name = pictures->list[i]->name;
        int length = (int)strcspn(name, "-");
        bool is_folded;

        for (count = 1; i + count < pictures->count; count++)
            if (strncmp(pictures->list[i + count]->name, name, (size_t)length) != 0)
                break;
        is_folded = i > 0 && (count > UNFOLDED_MAX || i >= pictures->first_folded);
        if (is_folded)
            weir_text_add(text, "%s<details><summary>%.*s: %u picture%s</summary>\n",
                          is_open ? "</div>\n" : "", length, name, count, count == 1 ? "" : "s");
        if (is_folded || !is_open)
            weir_text_add(text, "<div class=\"pictures\">\n");
        for (unsigned k = i; k < i + count; k++)
            add_picture(text, pictures->list[k]);
        weir_text_add(text, "%s", is_folded ? "</div>\n</details>\n" : "");
        is_open = !is_folded;
    }
    weir_text_add(text, "%s", is_open ? "</div>\n" : "");
    if (pictures->left_out > 0)
        weir_text_add(text,
                      "<p>%u more pictures are left out: <code>--test N</code> makes a page of one "
                      "test.</p>\n",
                      pictures->left_out);
}

/* ---- tables ---- */

static void add_figures(struct weir_text *text, const struct weir_measured_run *run)
{
    static const char *const names[] = {"rate", "ops", "p50", "p99", "latency_max", "time"};
    const struct weir_figure_row *rows[sizeof names / sizeof *names];
    unsigned shown = 0;

    weir_text_add(text, "<details><summary>Figures of each phase</summary><div class=\"wide\">"
                        "<table>\n<tr><th>phase</th><th>repetition</th>");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        rows[k] = weir_figure_find(names[k]);
        weir_text_add(text, "<th title=\"%s\">%s</th>", rows[k]->meaning, rows[k]->name);
    }
    weir_text_add(text, "<th>verdict</th><th>findings</th></tr>\n");
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        const char *of = phase->step[0] != '\0' ? phase->step : phase->target;

        if ((phase->part[0] != '\0' && phase->found != NULL) || ++shown > ROWS_MAX)
            continue;
        weir_text_add(text, "<tr><td>");
        weir_xml_add(text, phase->name);
        weir_text_add(text, "%s", of[0] != '\0' ? ", " : "");
        weir_xml_add(text, of);
        weir_text_add(text, "</td><td>%u</td>", phase->repetition);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const struct weir_measured_figure *figure = weir_measured_find(phase, names[k]);

            weir_text_add(text, "<td>");
            if (figure != NULL)
                weir_quantity_add(text, weir_pictures_quantity(rows[k]->unit), figure->value);
            weir_text_add(text, "</td>");
        }
        weir_text_add(text, "<td>%s</td><td>", weir_believed_names[phase->believed]);
        weir_xml_add(text, phase->findings);
        weir_text_add(text, "</td></tr>\n");
    }
    weir_text_add(text, "</table>");
    if (shown > ROWS_MAX)
        weir_text_add(text, "<p>%u more rows: <code>--format csv-long</code></p>",
                      shown - ROWS_MAX);
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

/* ---- environment, and how to repeat it ---- */

static void add_environment(struct weir_text *text, const struct weir_measured_run *run)
{
    struct weir_trust_view view = {.plan = run->plan, .result = run->result};
    struct weir_text block = {0};

    weir_text_add(text, "<h3>Environment</h3>\n<pre class=\"environment\">");
    if (run->plan != NULL)
        weir_trust_environment(&block, &view);
    else
        weir_text_add(&block, "environment\n%s\n%s\n%s\n%s\n%s\n", run->distribution, run->kernel,
                      run->cpu_model, run->mpi_library, run->job);
    add_block(text, &block, "environment\n");
}

/* Appends an argument of a command, in quotes if it needs them. */
static void add_argument(struct weir_text *line, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";

    if (argument[0] != '\0' && argument[strspn(argument, plain)] == '\0')
        weir_text_add(line, "%s", argument);
    else
        weir_text_add_shell(line, argument);
}

/* The words of the command line, without options that name a run and not its work. Runs of weir net
 * have recorded a line alone. */
static void add_command(struct weir_text *line, const struct weir_measured_run *run,
                        struct weir_arena *arena)
{
    size_t count = run->plan != NULL ? run->plan->source.word_count : 0;

    if (count == 0)
        weir_text_add(line, "%s", weir_compare_work(arena, run->command));
    for (size_t i = 0; i < count; i++) {
        const char *word = run->plan->source.words[i];

        if (word[0] == '-' && weir_compare_work(arena, word)[0] == '\0') {
            i += strchr(word, '=') == NULL;
            continue;
        }
        weir_text_add(line, "%s", i > 0 ? " " : "");
        add_argument(line, word);
    }
}

static void add_repeat(struct weir_text *text, const struct weir_measured_run *run,
                       bool is_redacted, struct weir_arena *arena)
{
    struct weir_text lines = {0};
    const struct weir_phase_result *found = run->phase_count > 0 ? run->phases[0].found : NULL;
    const char *script = run->plan != NULL ? run->plan->source.script : NULL;

    if (run->ranks > 1)
        weir_text_add(&lines, "mpiexec -n %u ", run->ranks);
    add_command(&lines, run, arena);
    weir_text_add(&lines, " --result NEW.jsonl\nweir compare ");
    add_argument(&lines, run->source);
    weir_text_add(&lines, "%s%s -- NEW.jsonl", run->run_id[0] != '\0' ? " --run " : "",
                  run->run_id);
    weir_text_add(text, "<h3>How to repeat it</h3>\n<pre>");
    weir_xml_add(text, weir_text_string(&lines));
    weir_text_close(&lines);
    weir_text_add(text, "</pre>\n<p>Measured by weir ");
    weir_xml_add(text, run->version);
    if (run->plan_id[0] != '\0')
        weir_text_add(text, ". Plan %s: equal plans did the same work", run->plan_id);
    if (found != NULL && found->data_seed != 0)
        weir_text_add(text, ". Seed of the data: 0x%llx", (unsigned long long)found->data_seed);
    weir_text_add(text, ".</p>\n");
    if (script != NULL && is_redacted) {
        weir_text_add(text, "<p>The script is left out: it may have names.</p>\n");
    } else if (script != NULL) {
        weir_text_add(text, "<details><summary>The script</summary><pre>");
        weir_xml_add(text, script);
        weir_text_add(text, "</pre></details>\n");
    }
}

/* ---- the whole ---- */

void weir_page_add_run(struct weir_page *page, const struct weir_measured_run *run)
{
    struct weir_text *text = &page->runs, *index = &page->index;
    struct weir_pictures pictures;
    char begun[WEIR_DATE_BYTES];

    page->count++;
    weir_pictures_open(&pictures, run);
    weir_date_format_iso(run->begun_s, begun);
    weir_text_add(index, "<tr><td><a href=\"#run-%u\">%u</a></td><td>", page->count,
                  run->number + 1);
    add_badge(index, run->believed);
    weir_text_add(index, "</td><td>");
    weir_pictures_add_rates(&pictures, index);
    weir_text_add(index, "</td><td>%u</td><td>%s</td><td>", run->ranks, begun);
    weir_xml_add(index, run->label[0] != '\0' ? run->label : run->command);
    weir_text_add(index, "</td></tr>\n");

    weir_text_add(text, "<section id=\"run-%u\">\n<h2>", page->count);
    add_badge(text, run->believed);
    weir_xml_add(
        text,
        weir_arena_printf(&pictures.arena, " %s%s%s%s",
                          run->plan != NULL && run->plan->sweep.axis_count > 0 ? "sweep over " : "",
                          run->dialect, run->label[0] != '\0' ? ": " : "", run->label));
    weir_text_add(text, "</h2>\n");
    add_verdict(text, run);
    add_facts(text, run, &pictures);
    add_pictures(text, &pictures);
    weir_text_add(text, "<h3>Tables</h3>\n");
    add_figures(text, run);
    add_report(text, run);
    add_environment(text, run);
    add_repeat(text, run, page->is_redacted, &pictures.arena);
    weir_text_add(text, "</section>\n");
    weir_pictures_close(&pictures);
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
        weir_page_close(&page);
    } else {
        code = draw(&pictures, request->picture != NULL ? request->picture : "change",
                    request->drawn, "compare", "the comparison", text, error);
    }
    weir_pictures_close(&pictures);
    return code;
}

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;padding:0 16px 32px;max-width:1560px;"
    "color:#1c2126;background:#fff;overflow-wrap:anywhere}\n"
    "h1{font-size:20px}h2{font-size:18px;border-top:1px solid #c9d1d9;padding-top:16px}"
    "h3{font-size:15px;margin:22px 0 6px}\n"
    "pre{white-space:pre-wrap;margin:6px 0;padding:8px 10px;background:#f3f5f7;font-size:13px}\n"
    ".ok{--tone:#1b7a3d}.caution{--tone:#8a5a00}.bad{--tone:#b3261e}"
    "pre.verdict{border-left:5px solid var(--tone)}.badge{white-space:nowrap;padding:1px 8px;"
    "border-radius:3px;font-size:13px;font-weight:600;color:#fff;background:var(--tone)}\n"
    "table{border-collapse:collapse;font-size:13px}th,td{text-align:left;vertical-align:top;"
    "padding:2px 10px 2px 0;font-weight:400}th{color:#4d5a66}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));"
    "gap:0 24px;margin:0;font-size:13px}.facts div{display:flex;gap:10px}dt{flex:0 0 104px;"
    "color:#4d5a66}dd{margin:0}\n"
    "a,summary{color:#1f5fa8}summary{cursor:pointer;padding:3px 0}figure "
    "summary,p{font-size:13px}\n"
    ".wide{overflow-x:auto}.wide table{overflow-wrap:normal}details td{white-space:nowrap}"
    "pre.wide{white-space:pre}pre.environment{font-size:12px}\n"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));"
    "gap:18px 28px;margin:6px 0 14px}figure{margin:0;min-width:0;max-width:640px}"
    "figcaption{font-size:13px;margin-bottom:4px}svg{width:100%;height:auto;display:block}\n"
    "@media screen and (prefers-color-scheme:dark){body{color:#e4e8ec;background:#14181d}"
    "h2{border-color:#39424c}pre{background:#1f252c}th,dt{color:#aebbc7}a,summary{color:#7db3f0}"
    "pre.ok{--tone:#72cf93}pre.caution{--tone:#f0a860}pre.bad{--tone:#ff8f85}}\n"
    "@media print{details{display:none}figure,pre{break-inside:avoid}}\n";

void weir_page_end(const struct weir_page *page, struct weir_text *text)
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
                      "<div class=\"wide\"><table>\n<tr><th>run</th><th>verdict</th><th>rates</th>"
                      "<th>ranks</th><th>begun</th><th>label or command</th></tr>\n"
                      "%s</table></div>\n",
                      weir_text_string(&page->index));
    weir_text_add(text,
                  "%s<p>Made by weir %s. In pictures and tables 1 MB = 10^6 bytes, 1 MiB = 2^20 "
                  "bytes.</p>\n</body>\n</html>\n",
                  weir_text_string(&page->runs), WEIR_VERSION);
}

void weir_page_close(struct weir_page *page)
{
    weir_text_close(&page->index);
    weir_text_close(&page->runs);
}

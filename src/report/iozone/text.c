/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's text from 3.420 to 3.487. The fixed parts are byte for byte those that parsers of it
 * know; where it names its authors, as many lines say what is other here, so that scripts that
 * count lines find what they look for. */
#include "blocks.h"
#include "dates.h"
#include "figures.h"
#include "iozone.h"
#include "layout.h"
#include "rows.h"
#include "table.h"

#include "weir/base/version.h"

#include <ctype.h>
#include <string.h>

/* ---- the head ---- */

static const char about[] =
    "\tWeir " WEIR_VERSION " prints the lines of IOzone. What is other than there:\n"
    "\t             Children are MPI ranks, of one node or of many.\n"
    "\t             Parent sees all that was moved, over the time until the\n"
    "\t             last child was done, by synchronised clocks, on any\n"
    "\t             number of nodes.\n"
    "\t             Min throughput and Min xfer are those of the slowest\n"
    "\t             child, be they 0.\n"
    "\t             A test that failed has no number, and the run then\n"
    "\t             ends with a code that is not 0.\n";

/* Options that the front end changed or ignored. */
static void add_remarks(struct weir_text *text, const struct weir_plan *plan)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        weir_report_remarks(text, "\tNote: ", plan, plan->tests[i]);
}

/* The lines of the options, as the front end has them; older versions have other units. */
static void add_splash(struct weir_text *text, const struct weir_plan *plan)
{
    const char *line = weir_test_setting(plan->tests[0], "splash");
    const char *kb = weir_iozone_layout_of(plan)->kb;

    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        size_t begin;

        weir_text_add(text, "\t");
        begin = text->length;
        weir_text_add_bytes(text, line, length);
        weir_text_make_visible(text->data + begin, "\t");
        if (length > 3 && strcmp(text->data + text->length - 3, " kB") == 0)
            memcpy(text->data + text->length - 2, kb, 2);
        weir_text_add(text, "\n");
        line += length + (line[length] == '\n');
    }
}

static void add_command_line(struct weir_text *text, const struct weir_plan *plan)
{
    weir_text_add(text, "\tCommand line used:");
    for (size_t i = 0; i < plan->source.word_count; i++) {
        weir_text_add(text, " ");
        weir_text_add_visible(text, plan->source.words[i]);
    }
    weir_text_add(text, "\n");
}

/* The whole unit of an older version has another case: "Kbytes". */
static void add_settings(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_test *test = plan->tests[0];
    const char *kbyte = weir_iozone_layout_of(plan)->kbyte;
    const char *unit = weir_test_setting(test, "unit");
    uint64_t cache_kb = weir_iozone_number(test, "cache-kb");
    uint64_t line_bytes = weir_iozone_number(test, "line-bytes");
    uint64_t stride = weir_iozone_number(test, "stride");

    if (unit == NULL || strcmp(unit, "kb") == 0)
        weir_text_add(text, "\tOutput is in %ss/sec\n", kbyte);
    for (const char *line = weir_test_setting(test, "compute-time"); line && *line != '\0';) {
        size_t length = strcspn(line, "\n");

        weir_text_add(text, "\tCompute time ");
        weir_text_add_bytes(text, line, length);
        weir_text_add(text, "\n");
        line += length + (line[length] == '\n');
    }
    weir_text_add(text,
                  "\tTime Resolution = 0.000001 seconds.\n"
                  "\tProcessor cache size set to %llu %ss.\n"
                  "\tProcessor cache line size set to %llu bytes.\n"
                  "\tFile stride size set to %llu * record size.\n",
                  (unsigned long long)(cache_kb > 0 ? cache_kb : 1024), kbyte,
                  (unsigned long long)(line_bytes > 0 ? line_bytes : 32),
                  (unsigned long long)(stride > 0 ? stride : 17));
}

static void add_children(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_test *test = plan->tests[0];
    uint64_t least = weir_iozone_number(test, "least-children"), shown = least;
    uint64_t most = weir_iozone_number(test, "most-children");
    bool has_threads = weir_iozone_is_set(test, "threads");

    if (least > 0)
        weir_text_add(text, "\tMin process = %llu \n\tMax process = %llu \n",
                      (unsigned long long)least, (unsigned long long)most);
    for (unsigned i = 0; least == 0 && i < plan->test_count; i++) {
        uint64_t children = weir_iozone_number(plan->tests[i], "children");

        shown = children > shown ? children : shown;
    }
    weir_text_add(text, "\tThroughput test with %llu %s\n", (unsigned long long)shown,
                  has_threads ? (shown == 1 ? "thread" : "threads")
                              : (shown == 1 ? "process" : "processes"));
}

static void add_system(struct weir_text *text, const struct weir_host_facts *host)
{
    const char *system = host->system;

    weir_text_add(text, "\t\tCompiled for 64 bit mode.\n\t\tBuild: ");
    for (; *system != '\0'; system++)
        weir_text_add(text, "%c", tolower((unsigned char)*system));
    weir_text_add(text, "-%s \n", strcmp(host->machine, "x86_64") == 0 ? "AMD64" : host->machine);
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    char date[WEIR_DATE_BYTES];

    weir_text_add(text,
                  "\tIozone: Performance Test of File I/O\n\t        Version $Revision: %s $\n",
                  weir_iozone_layout_of(plan)->version);
    add_system(text, &result->host);
    weir_text_add(text, "\n%s\n", about);
    if (plan->test_count == 0)
        return;
    add_remarks(text, plan);
    if (result->launch_mismatch != NULL)
        weir_report_sentence(text, "\tNote: ", result->launch_mismatch);
    weir_text_add(text, "\tRun began: %s\n\n", weir_date_format(result->begun_s, date));
    add_splash(text, plan);
    add_command_line(text, plan);
    add_settings(text, plan);
    if (weir_iozone_is_throughput(plan->tests[0]))
        add_children(text, plan);
    else
        weir_iozone_table_heads(text, plan);
}

/* ---- tests ---- */

/* Tests of the plan that make one row, or one count of children, follow one another. */
static bool is_last_of_row(const struct weir_plan *plan, const struct weir_test *test)
{
    return test->number + 1 >= plan->test_count ||
           !weir_iozone_is_same_row(test, plan->tests[test->number + 1]);
}

static bool is_first_of_row(const struct weir_plan *plan, const struct weir_test *test)
{
    return test->number == 0 || !weir_iozone_is_same_row(test, plan->tests[test->number - 1]);
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const char *kbyte = weir_iozone_layout_of(plan)->kbyte;

    (void)result;
    if (is_first_of_row(plan, test))
        weir_report_room(text, "\tNote: ", begun);
    if (weir_iozone_is_throughput(test) && is_first_of_row(plan, test))
        weir_text_add(text, "\tEach %s writes a %llu %s file in %llu %s records\n",
                      weir_iozone_is_set(test, "threads") ? "thread" : "process",
                      (unsigned long long)weir_iozone_number(test, "file-kb"), kbyte,
                      (unsigned long long)weir_iozone_number(test, "record-kb"), kbyte);
}

static void add_problems(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_phase_result *phase)
{
    enum weir_iozone_test which = weir_iozone_test_of(plan, phase);
    const char *name =
        which < WEIR_IOZONE_TESTS ? weir_iozone_block_name(which) : "files of the test";

    if (phase->failure[0] != '\0') {
        weir_text_add(text, "ERROR: %s: ", name);
        weir_text_add_visible(text, phase->failure);
        weir_text_add(text, "\n");
    } else if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
        weir_text_add(text, "WARNING: %s: %s after %llu operations\n", name,
                      weir_figures_has_failed(phase) ? "failed" : "interrupted",
                      (unsigned long long)phase->op_count);
    }
    if (phase->mismatches.wrong_transfers > 0)
        weir_text_add(text, "ERROR: %s: data of %llu operations are not those that were written\n",
                      name, (unsigned long long)phase->mismatches.wrong_transfers);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    if (weir_figures_phase(plan, phase) == NULL || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (phase->notes != NULL)
        weir_report_notes(text, phase);
    add_problems(text, plan, phase);
    if (weir_iozone_is_throughput(plan->tests[phase->test]) &&
        weir_iozone_test_of(plan, phase) != WEIR_IOZONE_TESTS &&
        weir_iozone_has_number(plan, phase))
        weir_iozone_block(text, plan, result, phase);
}

static void add_end_of_row(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test *test)
{
    if (weir_iozone_is_throughput(test))
        weir_text_add(text, "\n\n");
    else
        weir_iozone_table_row(text, plan, result, test);
}

static void test_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *ended)
{
    const struct weir_test *test = plan->tests[ended->test];

    if (is_last_of_row(plan, test))
        add_end_of_row(text, plan, result, test);
}

/* ---- the end ---- */

/* Programs take these words for success. */
static bool is_complete(const struct weir_plan *plan, const struct weir_result *result)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (weir_iozone_test_of(plan, &result->phases[i]) != WEIR_IOZONE_TESTS &&
            !weir_iozone_has_number(plan, &result->phases[i]))
            return false;
    return result->finished_s > 0.0 && result->test_count == plan->test_count &&
           result->phase_count > 0 && weir_result_judge(result) == WEIR_EXIT_DONE;
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    const struct weir_test *last =
        result->test_count > 0 ? plan->tests[result->tests[result->test_count - 1].test] : NULL;
    bool is_throughput, has_excel;

    if (last == NULL)
        return;
    is_throughput = weir_iozone_is_throughput(last);
    has_excel = weir_iozone_is_set(plan->tests[0], "excel");
    if (!is_last_of_row(plan, last)) /* the run was cut in the middle of a row */
        add_end_of_row(text, plan, result, last);
    if (is_throughput && has_excel)
        weir_iozone_blocks_excel(text, plan, result);
    if (is_complete(plan, result))
        weir_text_add(text, "\niozone test complete.\n");
    else
        weir_text_add(text, "\niozone: %s\n",
                      result->is_interrupted ? "interrupted" : "not all tests were done");
    if (!is_throughput && has_excel)
        weir_iozone_table_excel(text, plan, result);
}

const struct weir_reporter weir_reporter_iozone = {
    .name = "iozone",
    .is_text = true,
    .openings = (const char *const[]){"\tIozone: Performance Test of File I/O\n", NULL},
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .test_ends = test_ends,
    .end = end,
};

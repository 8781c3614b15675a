/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of result files: the input is read as one, and what is whole in it is printed
 * as lines of values, as a document, and as the report of its dialect. */
#include "weir/report/measures.h"
#include "weir/report/report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* IOR's report has words for no others. */
static bool has_iors_verbs(const struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->test_count; i++)
        for (size_t j = 0; j < plan->tests[i]->phase_count; j++)
            if (!weir_verb_moves_data(plan->tests[i]->phases[j]->verb) &&
                plan->tests[i]->phases[j]->verb != WEIR_REMOVE)
                return false;
    return strcmp(plan->dialect, "ior") == 0;
}

static void print_run(struct weir_text *text, const struct weir_measured_run *run)
{
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];

        weir_measured_csv_phase(text, phase);
        for (unsigned k = 0; k < phase->figure_count; k++)
            if (!isfinite(phase->figures[k].value) || phase->figures[k].n == 0)
                abort();
    }
    weir_measured_json_run(text, run, false);
    if (run->plan != NULL) {
        struct weir_plan plan = *run->plan;

        plan.output.reporter = "ior";
        plan.output.style = NULL;
        if (has_iors_verbs(&plan))
            weir_report_whole(text, &plan, run->result);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const char *const paths[] = {path};
    const struct weir_measures_query query = {.paths = paths, .path_count = 1};
    const struct weir_measured_run *run;
    struct weir_measures *reader;
    struct weir_error error = {0};
    struct weir_text text = {0};
    int file = memfd_create("result", 0), code;

    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    reader = weir_measures_open(&query);
    while ((code = weir_measures_next(reader, &run, &error)) > 0)
        print_run(&text, run);
    if ((code < 0) != weir_error_is_set(&error))
        abort();
    weir_measures_close(reader);
    weir_text_close(&text);
    close(file);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of matched rows, and the exit code that it leads to. */
#include "compare.h"

#include "picture/pictures.h"

#include "weir/base/log.h"
#include "weir/base/memory.h"
#include "weir/report/compare.h"
#include "weir/report/redact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_name(struct weir_text *names, unsigned *count, const char *name)
{
    if ((*count)++ < 3)
        weir_text_add(names, "%s%s", *count > 1 ? ", " : "", name);
}

/* Counts cases with a row that was compared, and names those of --expect-cases without one. */
static int count_cases(struct weir_comparison_table *table, struct weir_text *missing,
                       unsigned *missing_count, struct weir_error *error)
{
    const struct weir_measures_query query = {
        .paths = &table->request->expected_path, .path_count = 1, .redaction = table->redaction};
    struct weir_measures *reader;
    const struct weir_measured_run *run;
    const struct weir_compare_line *latest = NULL;
    const struct weir_measured_phase **known = NULL; /* a phase of each case that is missing */
    int code;

    for (unsigned i = 0; i < table->judged.count; i++) {
        const struct weir_compare_line *line = &table->lines[i];

        if (table->judged.rows[i].verdict == WEIR_COMPARE_NOT_COMPARABLE ||
            (latest != NULL && latest->a == line->a && latest->b == line->b))
            continue;
        latest = line;
        table->case_count++;
    }
    if (table->request->expected_path == NULL)
        return 0;
    reader = weir_measures_open(&query);
    while ((code = weir_measures_next(reader, &run, error)) > 0)
        for (unsigned i = 0; i < run->phase_count; i++) {
            const struct weir_measured_phase *phase = &run->phases[i];
            bool is_compared = !phase->is_timed;

            for (unsigned k = 0; k < table->judged.count && !is_compared; k++)
                is_compared = table->judged.rows[k].verdict != WEIR_COMPARE_NOT_COMPARABLE &&
                              strcmp(table->lines[k].a->phase->case_id, phase->case_id) == 0 &&
                              strcmp(table->lines[k].a->phase->name, phase->name) == 0;
            for (unsigned k = 0; k < *missing_count && !is_compared; k++)
                is_compared = strcmp(known[k]->case_id, phase->case_id) == 0 &&
                              strcmp(known[k]->name, phase->name) == 0;
            if (is_compared)
                continue;
            known = weir_memory_grow(known, (*missing_count + 1) * sizeof(void *));
            known[*missing_count] = phase;
            add_name(missing, missing_count, phase->name);
        }
    weir_measures_close(reader);
    free(known);
    return code;
}

/* Several codes may hold: 2 and 3 are errors of reading, then 3, 5, 1, 4. */
static int set_exit(struct weir_comparison_table *table, struct weir_error *error)
{
    const struct weir_compare_request *request = table->request;
    const struct weir_compare *judged = &table->judged;
    const unsigned *verdicts = judged->verdicts;
    unsigned undecided = verdicts[WEIR_COMPARE_NO_DIFFERENCE] + verdicts[WEIR_COMPARE_CANNOT_TELL];
    struct weir_text slow = {0}, missing = {0}, *reason = &table->reason;
    unsigned slow_count = 0, missing_count = 0;
    int code = count_cases(table, &missing, &missing_count, error);

    for (unsigned i = 0; i < judged->count; i++)
        if (weir_compare_is_loss(judged, &judged->rows[i]))
            add_name(&slow, &slow_count, table->lines[i].name);
    table->exit_code = WEIR_EXIT_ENVIRONMENT;
    if (judged->count == 0) {
        weir_text_add(reason, "nothing was compared: no case of A is in B");
    } else if (judged->judged == 0) {
        weir_text_add(reason, "nothing was compared: no row is comparable");
    } else if (undecided == judged->judged && !request->allows_unsure) {
        weir_text_add(reason, "no row could be decided (--allow-unsure)");
    } else if (missing_count > 0) {
        table->exit_code = WEIR_EXIT_MISSING_CASES;
        weir_text_add(reason, "%u case%s of %s %s not compared: %s", missing_count,
                      missing_count == 1 ? "" : "s",
                      weir_redaction_path(table->redaction, request->expected_path),
                      missing_count == 1 ? "was" : "were", weir_text_string(&missing));
    } else if (table->case_count < request->expected_count) {
        table->exit_code = WEIR_EXIT_MISSING_CASES;
        weir_text_add(reason, "%u cases were compared, and %lld are expected", table->case_count,
                      (long long)request->expected_count);
    } else if (slow_count > 0) {
        table->exit_code = WEIR_EXIT_FLAWED;
        weir_text_add(reason, "slower by more than %g %%: %s", 100 * judged->limit,
                      weir_text_string(&slow));
        if (slow_count > 3)
            weir_text_add(reason, " and %u more", slow_count - 3);
    } else if (undecided > 0 && request->fails_if_unsure) {
        table->exit_code = WEIR_EXIT_UNFINISHED;
        weir_text_add(reason, "%u rows are undecided", undecided);
    } else {
        table->exit_code = WEIR_EXIT_DONE;
        weir_text_add(reason, "no row is known to be slower by more than %g %%",
                      100 * judged->limit);
    }
    weir_text_close(&slow);
    weir_text_close(&missing);
    return code;
}

int weir_report_compare(const struct weir_compare_request *request, struct weir_text *text,
                        int *exit_code, struct weir_error *error)
{
    struct weir_comparison_table table = {.request = request, .judged.limit = request->limit};
    struct weir_text report = {0};
    int code = weir_redaction_open(&request->redact, &table.redaction, error);

    if (code == 0)
        code = weir_compare_match(&table, error);

    if (code == 0) {
        table.judged.rows =
            weir_arena_take(&table.arena, (table.judged.count + 1) * sizeof *table.judged.rows);
        for (unsigned i = 0; i < table.judged.count; i++)
            table.judged.rows[i] = table.lines[i].row;
        weir_compare_judge(&table.judged, &table.arena);
        table.drift = weir_compare_drift(&table.judged);
        weir_compare_set_names(&table);
        code = set_exit(&table, error);
    }
    if (code == 0) {
        *exit_code = table.exit_code;
        (request->is_json ? weir_compare_print_json
                          : weir_compare_print)(&table, request->drawn != NULL ? &report : text);
        if (request->drawn != NULL)
            code = weir_page_compare(&table, weir_text_string(&report), text, error);
        /* The page may go to a file: the reason is for the log of make and CI, too. */
        if (table.exit_code != WEIR_EXIT_DONE)
            weir_log(WEIR_LOG_ERROR, "compare: exit %d: %s", table.exit_code,
                     weir_text_string(&table.reason));
    }
    for (unsigned i = 0; i < 3; i++)
        weir_measures_close(table.readers[i]);
    weir_redaction_close(table.redaction);
    weir_text_close(&table.reason);
    weir_text_close(&report);
    weir_arena_close(&table.arena);
    return code;
}

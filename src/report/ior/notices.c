/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings of IOR: replaced files, sizes that differ, wrong data, short transfers, outliers. */
#include "notices.h"

#include "figures.h"
#include "lines.h"
#include "words.h"

#include "weir/report/report.h"

#include <string.h>

static unsigned long long number(uint64_t value)
{
    return (unsigned long long)value;
}

/* ---- remarks ---- */

bool weir_notices_is_pretence(const char *remark)
{
    return weir_text_begins(remark, "Fake ");
}

static void add_remark(struct weir_text *text, const char *remark)
{
    if (!weir_notices_is_pretence(remark))
        weir_text_add(text, "WARNING: ");
    weir_text_add_visible(text, remark);
    weir_text_add(text, "\n");
}

void weir_notices_begin(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_test *first = plan->test_count > 0 ? plan->tests[0] : NULL;

    for (size_t i = 0; first && i < first->remark_count; i++)
        if (weir_notices_is_pretence(first->remarks[i]))
            add_remark(text, first->remarks[i]);
}

void weir_notices_test(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_test *test)
{
    for (size_t i = 0; i < test->remark_count; i++) {
        const char *remark = test->remarks[i];

        /* Pretended nodes of all tests stand at the beginning of the report. */
        if (!weir_plan_repeats_remark(plan, test, i) &&
            (!weir_notices_is_pretence(remark) || test->number > 0))
            add_remark(text, remark);
    }
}

/* ---- what the machine has ---- */

static void add_tasks(struct weir_text *text, const struct weir_test *test,
                      const struct weir_test_result *begun)
{
    if (test->rank_limit > begun->rank_count)
        weir_text_add(text,
                      "WARNING: More tasks requested (%llu) than available (%u), running on %u\n",
                      number(test->rank_limit), begun->rank_count, begun->rank_count);
}

/* ---- files that exist ---- */

static void add_existing(struct weir_text *text, const struct weir_test *test,
                         const struct weir_test_result *begun)
{
    if (begun->existing_count == 0 || !weir_test_phase(test, WEIR_WRITE))
        return;
    weir_text_add(text, "WARNING: The file \"");
    weir_text_add_visible(text, begun->existing_path);
    weir_text_add(text, "\" exists already and will be %s",
                  weir_words_replaces(test) ? "deleted" : "overwritten");
    if (begun->existing_count > 1)
        weir_text_add(text, " (and %llu more)", number(begun->existing_count - 1));
    weir_text_add(text, "\n");
}

void weir_notices_begun(struct weir_text *text, const struct weir_test *test,
                        const struct weir_test_result *begun)
{
    add_tasks(text, test, begun);
    add_existing(text, test, begun);
    weir_report_room(text, "WARNING: ", begun);
}

/* ---- sizes ---- */

/* A read after a write that a deadline cut expects no more than is there. IOR expects the whole. */
static uint64_t expected_by_ior(const struct weir_phase *phase,
                                const struct weir_phase_result *result)
{
    if (phase->stop.deadline_ns == 0 || phase->verb != WEIR_READ)
        return result->expected_bytes;
    return weir_layout_bytes_per_rank(&phase->transfers.layout) * result->rank_count;
}

static void add_sizes(struct weir_text *text, const struct weir_phase *phase,
                      const struct weir_phase_result *result)
{
    uint64_t expected_bytes = expected_by_ior(phase, result);

    if (result->has_differing_sizes)
        weir_text_add(text, "WARNING: inconsistent file size by different tasks\n");
    if (!weir_result_has_odd_size(result, phase->stop.minimum_ns > 0) &&
        result->byte_count >= expected_bytes)
        return;
    weir_text_add(text, "WARNING: Expected aggregate file size       = %llu\n",
                  number(expected_bytes));
    if (result->file_bytes != UINT64_MAX)
        weir_text_add(text, "WARNING: Stat() of aggregate file size      = %llu\n",
                      number(result->file_bytes));
    weir_text_add(text, "WARNING: Using actual aggregate bytes moved = %llu\n",
                  number(result->byte_count));
    if (phase->stop.deadline_ns > 0)
        weir_text_add(text, "WARNING: Maybe caused by deadlineForStonewalling\n");
}

/* The row below it has the usual columns, and parsers take it for one of a phase that is done. */
static void add_partial(struct weir_text *text, const struct weir_phase *phase,
                        const struct weir_phase_result *result)
{
    bool is_repeated = result->byte_count > result->expected_bytes;

    if (result->outcome == WEIR_OUTCOME_PARTIAL)
        weir_text_add(text, "WARNING: %s %u %s: its row is of %llu %s %llu bytes%s\n",
                      weir_verb_name(phase->verb), result->repetition,
                      weir_figures_has_failed(result) ? "failed" : "was interrupted",
                      number(result->byte_count), is_repeated ? "bytes, the" : "of",
                      number(result->expected_bytes),
                      is_repeated ? " of the layout more than once" : "");
}

/* ---- transfers ---- */

static void add_wrong_data(struct weir_text *text, const struct weir_phase *phase,
                           const struct weir_phase_result *result)
{
    uint64_t wrong = result->mismatches.wrong_transfers;

    if (wrong == 0)
        return;
    weir_text_add(text, "WARNING: Incorrect data on %s (%llu errors found).\n",
                  phase->is_check ? "write" : "read", number(wrong));
    weir_text_add(text, "Used Time Stamp %llu (0x%llx) for Data Signature\n",
                  number(result->data_seed), number(result->data_seed));
}

/* IOR has a line for each of them. */
static void add_short_transfers(struct weir_text *text, const struct weir_phase *phase,
                                const struct weir_phase_result *result)
{
    static const char *const calls[WEIR_VERB_COUNT] = {
        [WEIR_WRITE] = "write()",
        [WEIR_READ] = "read()",
        [WEIR_MIXED] = "read() or write()",
    };

    if (result->short_count > 0)
        weir_text_add(text, "WARNING: partial %s, %llu transfers came back short\n",
                      calls[phase->verb], number(result->short_count));
}

static void add_outliers(struct weir_text *text, const struct weir_phase *phase,
                         const struct weir_phase_result *result)
{
    static const char *const kinds[WEIR_OUTLIER_KINDS] = {
        [WEIR_OUTLIER_START] = "start time",
        [WEIR_OUTLIER_OPEN] = "elapsed create time",
        [WEIR_OUTLIER_TRANSFER] = "elapsed transfer time",
        [WEIR_OUTLIER_CLOSE] = "elapsed close time",
        [WEIR_OUTLIER_END] = "end time",
    };
    uint32_t kept =
        result->outlier_count < WEIR_OUTLIERS_KEPT ? result->outlier_count : WEIR_OUTLIERS_KEPT;

    for (uint32_t i = 0; i < kept; i++) {
        const struct weir_outlier *outlier = &result->outliers[i];

        weir_text_add(text, "WARNING: for ");
        weir_text_add_visible(text, outlier->host);
        weir_text_add(text, ", task %u, %s %s is %.6f (mean=%.6f, stddev=%.6f)\n", outlier->rank,
                      weir_verb_name(phase->verb), kinds[outlier->kind % WEIR_OUTLIER_KINDS],
                      outlier->value_s, outlier->mean_s, outlier->stddev_s);
    }
    if (result->outlier_count > kept)
        weir_text_add(text, "WARNING: %u more outliers are not shown\n",
                      result->outlier_count - kept);
}

void weir_notices_phase(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);

    if (!phase || !weir_verb_moves_data(phase->verb))
        return;
    if (weir_figures_has_row(plan, result) && !plan->tests[result->test]->is_dry_run)
        add_sizes(text, phase, result);
    if (weir_figures_has_row(plan, result))
        add_partial(text, phase, result);
    add_short_transfers(text, phase, result);
    add_outliers(text, phase, result);
    add_wrong_data(text, phase, result);
}

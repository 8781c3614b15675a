/* SPDX-License-Identifier: Apache-2.0 */
/* The block after the dialect's report that says how far its numbers can be believed. Every line
 * begins with our name, so that no script takes it for a line of results. */
#include "figures.h"
#include "sweep/sweep.h"
#include "tables.h"

#include "weir/base/version.h"
#include "weir/report/report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the head ---- */

#define SEEDS_SHOWN 4

/* Seeds of one kind without doubles; 0 stands for none. */
static void add_seeds(struct weir_text *line, const struct weir_result *result, const char *kind,
                      size_t offset)
{
    uint64_t seeds[SEEDS_SHOWN];
    unsigned count = 0;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const char *phase = (const char *)&result->phases[i];
        uint64_t seed = *(const uint64_t *)(const void *)(phase + offset);
        unsigned known = 0;

        while (known < count && seeds[known] != seed)
            known++;
        if (seed == 0 || known < count)
            continue;
        if (count == SEEDS_SHOWN) {
            weir_text_add(line, " and others");
            return;
        }
        weir_text_add(line, "%s%s%llu", line->length ? ", " : "", count ? "" : kind,
                      (unsigned long long)seed);
        seeds[count++] = seed;
    }
}

/* Tables and findings have numbers of tests: which target each one is. */
static void add_targets(struct weir_text *text, const struct weir_plan *plan)
{
    struct weir_text line = {0};
    bool has_targets = false;

    for (size_t i = 0; i < plan->test_count; i++)
        has_targets |= plan->tests[i]->peer != NULL;
    for (size_t i = 0; i < plan->test_count && has_targets; i++) {
        const char *peer = plan->tests[i]->peer;
        bool is_first = true;

        for (size_t k = 0; k < i && is_first; k++)
            is_first = peer == NULL ? plan->tests[k]->peer != NULL
                                    : plan->tests[k]->peer == NULL ||
                                          strcmp(plan->tests[k]->peer, peer) != 0;
        if (!is_first)
            continue;
        for (size_t k = i; k < plan->test_count; k++)
            if (peer == NULL
                    ? plan->tests[k]->peer == NULL
                    : plan->tests[k]->peer != NULL && strcmp(plan->tests[k]->peer, peer) == 0)
                weir_text_add(&line, "%s %zu", line.length == 0 ? "test" : ",", k);
        weir_text_add(&line, ": ");
        weir_text_add_visible(&line, peer != NULL ? peer : "all targets at once");
        weir_trust_line(text, "%s", weir_text_string(&line));
        weir_text_clear(&line);
    }
    weir_text_close(&line);
}

/* The worst of all phases: one line says what cross-node numbers are worth. Below the error of its
 * comparison a drift is noise. */
static void add_clock(struct weir_text *text, const struct weir_result *result)
{
    struct weir_clock_quality worst = {.is_cross_node = false};
    char error[WEIR_DURATION_TEXT_BYTES];
    char offset[WEIR_DURATION_TEXT_BYTES];
    char drift[48] = "";

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_clock_quality *clock = &result->phases[i].clock;

        worst.is_cross_node = worst.is_cross_node || clock->is_cross_node;
        worst.error_s = fmax(worst.error_s, clock->error_s);
        worst.offset_s = fmax(worst.offset_s, clock->offset_s);
        if (weir_result_has_drift(&result->phases[i]))
            worst.drift_ppm = fmax(worst.drift_ppm, clock->drift_ppm);
    }
    if (!worst.is_cross_node)
        return;
    if (worst.drift_ppm > 0.0)
        snprintf(drift, sizeof drift, ", drift %.2f ppm", worst.drift_ppm);
    weir_trust_line(text, "times of different nodes are good to %s; corrected: offset %s%s",
                    weir_duration_format(worst.error_s, error),
                    weir_duration_format(worst.offset_s, offset), drift);
}

/* ---- verification ---- */

/* The directory of a processor package depends on where the writer ran, which is not recorded: a
 * star stands in its place. */
static void format_path(const struct weir_target *target, uint64_t number, uint64_t repetition,
                        char path[WEIR_PATH_BYTES])
{
    const struct weir_file_place place = {.number = number, .repetition = repetition};
    char whole[WEIR_PATH_BYTES];
    size_t stem_length;

    if (weir_target_path(target, &place, whole) != 0)
        return;
    if (!target->has_package_directory || target->is_shared) {
        memcpy(path, whole, sizeof whole);
        return;
    }
    stem_length = strlen(target->paths[number % target->path_count]);
    snprintf(path, WEIR_PATH_BYTES, "%.*s*%s", (int)stem_length, whole, whole + stem_length + 1);
}

/* Data of an item are those of a piece of one file that all items of its owner would be; those of
 * IOR are of the item's number. Returns the offset in the item. With a tree of its owner's own, the
 * stride in which others make their items there is in the plan, but not that of nodes. */
static uint64_t format_item(const struct weir_phase *phase, const struct weir_mismatch *mismatch,
                            const struct weir_phase_result *result, char path[WEIR_PATH_BYTES])
{
    const struct weir_target *target = phase->target;
    uint64_t span = (phase->names.bytes + 4095) / 4096 * 4096;
    bool is_number = phase->names.payload.mode == WEIR_PAYLOAD_IOR;
    uint64_t item = is_number || span == 0 ? mismatch->offset : mismatch->offset / span;
    struct weir_tree_names names = {
        .root = target->paths[mismatch->file_number % target->path_count],
        .item = phase->names.item,
        .tree_owner = mismatch->file_number,
        .item_owner = mismatch->file_number,
        .repetition = result->repetition,
    };
    struct weir_tree_paths paths;

    if (target->tree->is_own && phase->names.tree_shift.kind != WEIR_SHIFT_NONE) {
        if (result->node_count > 1 || result->rank_count == 0)
            return mismatch->offset;
        names.tree_owner =
            (names.tree_owner + phase->names.tree_shift.distance) % result->rank_count;
    }
    if (item < weir_tree_items(target->tree) &&
        weir_tree_paths_init(&paths, target->tree, &names) == 0)
        weir_tree_item_path(&paths, item, path);
    return is_number || span == 0 ? 0 : mismatch->offset % span;
}

static void add_mismatch(struct weir_text *text, const struct weir_mismatch *mismatch,
                         const struct weir_phase *phase, const struct weir_phase_result *result)
{
    uint64_t offset = mismatch->offset;
    struct weir_text found = {0};
    char path[WEIR_PATH_BYTES] = "?";

    if (phase->program != NULL) /* its number is made of its name, and leads nowhere */
        snprintf(path, sizeof path, "a file");
    else if (phase->target->tree != NULL)
        offset = format_item(phase, mismatch, result, path);
    else
        format_path(phase->target, mismatch->file_number, result->repetition, path);
    if (mismatch->has_found) {
        /* The origin in the stamp of wrong data, where it is not the expected one. */
        weir_text_add(&found, "; found data of file %u", mismatch->found_file);
        if (mismatch->has_found == WEIR_FOUND_PLACE)
            weir_text_add(&found, ", offset %llu", (unsigned long long)mismatch->found_offset);
        weir_text_add(&found, ", rank %u", mismatch->found_writer);
        if (mismatch->found_generation != result->generation)
            weir_text_add(&found, ", generation %llu instead of %llu",
                          (unsigned long long)mismatch->found_generation,
                          (unsigned long long)result->generation);
    }
    weir_trust_line(text, "    %s, offset %llu: %s, %llu bytes, of rank %u, seen by rank %u%s",
                    path, (unsigned long long)offset,
                    weir_mismatch_name((enum weir_mismatch_kind)mismatch->kind),
                    (unsigned long long)mismatch->bytes, mismatch->writer, mismatch->reader,
                    weir_text_string(&found));
    weir_text_close(&found);
}

static const char *checked_unit(const struct weir_phase *phase)
{
    return weir_verb_works_on_trees(phase->verb) ? "files" : "transfers";
}

static bool is_right(const struct weir_phase_result *result)
{
    return result->mismatches.checked_transfers > 0 && result->mismatches.wrong_transfers == 0;
}

/* Many right repetitions are one line, a wrong one never is. */
static void add_verdicts(struct weir_text *text, struct weir_trust_table *table,
                         const struct weir_repetitions *all)
{
    unsigned right_count = 0;
    uint64_t right_transfers = 0;
    char name[WEIR_TRUST_PHASE_BYTES];

    for (unsigned i = 0; i < all->count; i++)
        if (is_right(all->members[i])) {
            right_count++;
            right_transfers += all->members[i]->mismatches.checked_transfers;
        }
    if (all->history != NULL && all->history->checked_transfers > 0) {
        right_count += all->folded_count;
        right_transfers += all->history->checked_transfers;
    }
    if (right_count > WEIR_REPETITIONS_SHOWN) {
        weir_trust_begin(text, table);
        weir_trust_line(
            text, "%s  all %llu %s of %u repetitions right",
            weir_trust_phase(all, right_count == all->count + all->folded_count ? "all" : "some",
                             name),
            (unsigned long long)right_transfers, checked_unit(all->phase), right_count);
    }
    for (unsigned i = 0; i < all->count; i++) {
        const struct weir_phase_result *result = all->members[i];

        if (result->mismatches.wrong_transfers > 0) {
            weir_trust_begin(text, table);

            const struct weir_mismatch_summary *log = &result->mismatches;
            struct weir_text kinds = {0};
            const char *separator = ": ";

            for (unsigned k = 0; k < WEIR_MISMATCH_KIND_COUNT; k++) {
                if (log->kinds[k] == 0)
                    continue;
                weir_text_add(&kinds, "%s%llu %s", separator, (unsigned long long)log->kinds[k],
                              weir_mismatch_name((enum weir_mismatch_kind)k));
                separator = ", ";
            }
            weir_trust_line(text, "%s  %llu of %llu %s wrong, %llu bytes%s",
                            weir_trust_repetition(all, result, name),
                            (unsigned long long)log->wrong_transfers,
                            (unsigned long long)log->checked_transfers, checked_unit(all->phase),
                            (unsigned long long)log->wrong_bytes, weir_text_string(&kinds));
            weir_text_close(&kinds);
            for (uint64_t k = 0; k < log->kept; k++)
                add_mismatch(text, &log->first[k], all->phase, result);
        } else if (is_right(result) && right_count <= WEIR_REPETITIONS_SHOWN) {
            weir_trust_begin(text, table);
            weir_trust_line(text, "%s  all %llu %s right", weir_trust_repetition(all, result, name),
                            (unsigned long long)result->mismatches.checked_transfers,
                            checked_unit(all->phase));
        }
    }
}

/* ---- what went wrong, and what to know ---- */

/* A phase of a least time starts again, and then moves more than its layout holds. */
static void add_moved(struct weir_text *text, const struct weir_phase *planned,
                      const struct weir_phase_result *phase)
{
    unsigned long long moved = phase->byte_count, whole = phase->expected_bytes;

    if (weir_trust_counts_ops(planned))
        weir_text_add(text, "%llu operation%s done", (unsigned long long)phase->op_count,
                      phase->op_count == 1 ? " was" : "s were");
    else if (moved > whole)
        weir_text_add(text, "%llu bytes were moved, the %llu of the layout more than once", moved,
                      whole);
    else
        weir_text_add(text, "%llu of %llu bytes were moved", moved, whole);
}

/* Adds facts that the findings do not contain: a failure or a part that was done, and directories
 * that a removal left. */
static void add_outcome(struct weir_trust_facts *facts, const struct weir_trust_view *view,
                        const struct weir_repetitions *all, const struct weir_phase_result *phase)
{
    struct weir_text text = {0};
    struct weir_finding fact = {.severity = WEIR_WARNING, .effect = WEIR_QUALIFY, .name = "failed"};

    if (phase->failure[0] != '\0') {
        /* Adds the line of a failure, with its rank, its place and what had been done; the finding
         * says no more than its count. */
        struct weir_text done = {0};

        if (phase->error_count > 0)
            weir_text_add(&done, "%llu operation%s failed", (unsigned long long)phase->error_count,
                          phase->error_count == 1 ? "" : "s");
        if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
            weir_text_add(&done, "%s", done.length > 0 ? ", " : "");
            add_moved(&done, all->phase, phase);
        }
        weir_text_add(&text, "%s%s%s%s", phase->failure, done.length > 0 ? " (" : "",
                      weir_text_string(&done), done.length > 0 ? ")" : "");
        weir_text_close(&done);
    } else if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
        fact.name = "partial";
        add_moved(&text, all->phase, phase);
    }
    fact.text = weir_text_string(&text);
    if (text.length > 0)
        weir_trust_fact(facts, view, all, phase, &fact, NULL);
    weir_text_clear(&text);
    if (phase->left_count > 0) {
        weir_text_add(&text, "%llu director%s not empty and %s not removed",
                      (unsigned long long)phase->left_count,
                      phase->left_count == 1 ? "y was" : "ies were",
                      phase->left_count == 1 ? "was" : "were");
        fact.name = "left";
        fact.text = weir_text_string(&text);
        weir_trust_fact(facts, view, all, phase, &fact, NULL);
    }
    weir_text_close(&text);
}

/* Remarks of the front end on a test: once, before its phases. */
static void add_test_remarks(struct weir_text *remarks, const struct weir_plan *plan,
                             const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];

    for (size_t i = 0; i < test->remark_count; i++) {
        unsigned count = 0;

        if (weir_plan_repeats_remark(plan, test, i))
            continue;
        for (unsigned k = begun->test; k < plan->test_count; k++)
            for (size_t j = 0; j < plan->tests[k]->remark_count; j++)
                count += strcmp(plan->tests[k]->remarks[j], test->remarks[i]) == 0;
        if (count > 1)
            weir_trust_line(remarks, "test %u: %s (%u tests)", begun->test, test->remarks[i],
                            count);
        else if (plan->test_count > 1)
            weir_trust_line(remarks, "test %u: %s", begun->test, test->remarks[i]);
        else
            weir_trust_line(remarks, "%s", test->remarks[i]);
    }
}

/* Findings and outcomes, the weightiest first, then remarks on options. */
static void add_remarks(struct weir_text *text, const struct weir_trust_view *view,
                        struct weir_arena *arena)
{
    struct weir_trust_table table = {.title = "what to know"};
    struct weir_trust_fold *folds = weir_trust_fold(view, arena);
    struct weir_trust_facts facts = {0};
    struct weir_text remarks = {0};

    for (unsigned i = 0; i < view->phase_count; i++)
        for (unsigned k = 0; k < view->phases[i].count; k++) {
            add_outcome(&facts, view, &view->phases[i], view->phases[i].members[k]);
            weir_trust_findings(&facts, view, &view->phases[i], view->phases[i].members[k], folds);
        }
    for (unsigned i = 0; i < view->result->test_count; i++)
        add_test_remarks(&remarks, view->plan, &view->result->tests[i]);
    for (unsigned i = 0; i <= WEIR_FINDING_WEIGHTS; i++) {
        struct weir_text *lines = i < WEIR_FINDING_WEIGHTS ? &facts.lines[i] : &remarks;

        if (lines->length > 0) {
            weir_trust_begin(text, &table);
            weir_text_add_bytes(text, weir_text_string(lines), lines->length);
        }
        weir_text_close(lines);
    }
    weir_trust_fold_close(folds);
}

static void add_end(struct weir_text *text, const struct weir_result *result)
{
    const char *how = "was interrupted";

    if (result->finished_s > 0.0 && !result->is_interrupted && result->given_up == NULL)
        return;
    weir_trust_line(text, "%s", "");
    if (result->given_up != NULL) {
        weir_trust_line(text,
                        "the run was aborted by --give-up: %s; the phase of that time has no row, "
                        "and its files remain",
                        result->given_up);
        return;
    }
    if (result->finished_s <= 0.0)
        how = "has no end: it was killed, or is still running";
    else if (result->is_out_of_time)
        how = "ended before the limit of its batch system";
    weir_trust_line(text, "the run %s; the report covers the work until then", how);
}

/* Where people look first after a run that went wrong. */
static void add_last(struct weir_text *text, const struct weir_result *result)
{
    enum weir_believed word = weir_result_believed(result);

    bool has_failed = word == WEIR_BELIEVED_PARTIAL || word == WEIR_BELIEVED_WRONG_DATA ||
                      weir_trust_end(result) != NULL;

    for (unsigned i = 0; i < result->phase_count; i++)
        has_failed |= result->phases[i].failure[0] != '\0' ||
                      result->phases[i].outcome == WEIR_OUTCOME_PARTIAL;
    if (has_failed && word >= WEIR_BELIEVED_PARTIAL)
        weir_trust_line(text, "%s", weir_believed_names[word]);
}

void weir_report_trust(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    struct weir_arena arena = {0};
    struct weir_trust_view view = {.plan = plan, .result = result};
    struct weir_trust_table table = {.title = "verification"};
    struct weir_text seeds = {0};
    char date[WEIR_DATE_BYTES], repetitions[64] = "";
    bool has_earlier = false;

    if (!weir_reporter_find(&plan->output)->is_text || plan->output.is_plain)
        return;
    weir_report_verdict(text, plan, result, false);
    if (!weir_report_has_details(&plan->output)) {
        for (unsigned i = 0; i < result->test_count; i++)
            add_test_remarks(text, plan, &result->tests[i]);
        weir_sweep_report(text, plan, result);
        add_last(text, result);
        return;
    }
    view.phases = weir_repetitions_find(&arena, plan, result, &view.phase_count);
    /* With its seeds a run can be repeated. */
    weir_trust_line(text, "%s", "");
    weir_trust_line(text, "how far these numbers can be believed");
    weir_trust_line(text, "plan %s, version %s, clock %s", view.plan->id, WEIR_VERSION,
                    view.result->clock_name);

    /* Times of day, clocks and the environment are those of this run. */
    const struct weir_resumed *resumed = &view.result->resumed;

    for (unsigned i = 0; i < view.result->phase_count; i++)
        has_earlier |= view.result->phases[i].kept_from[0] != '\0' &&
                       strcmp(view.result->phases[i].kept_from, resumed->run_id) != 0;

    if (resumed->kept_repetitions > 0)
        snprintf(repetitions, sizeof repetitions, ", and %u repetition%s of unfinished ones,",
                 resumed->kept_repetitions, resumed->kept_repetitions == 1 ? "" : "s");
    if (resumed->run_id[0] != '\0')
        weir_trust_line(text, "resumed: %u of %u steps%s are reused from the run begun at %s%s%s%s",
                        resumed->kept_count, resumed->step_count, repetitions,
                        weir_date_format_iso(resumed->begun_s, date),
                        has_earlier ? " and those before it" : "",
                        resumed->hosts != NULL ? ", which was on " : "",
                        resumed->hosts != NULL ? resumed->hosts : "");

    add_seeds(&seeds, view.result, "seed of the data ",
              offsetof(struct weir_phase_result, data_seed));
    add_seeds(&seeds, view.result, "seed of the random order ",
              offsetof(struct weir_phase_result, order_seed));
    if (seeds.length > 0)
        weir_trust_line(text, "%s", weir_text_string(&seeds));
    weir_text_close(&seeds);
    add_targets(text, view.plan);
    add_clock(text, result);
    weir_trust_times(text, &view);
    weir_trust_names(text, &view);
    weir_trust_load(text, &view);
    weir_trust_places(text, &view);
    weir_trust_environment(text, &view);
    for (unsigned i = 0; i < view.phase_count; i++)
        add_verdicts(text, &table, &view.phases[i]);
    add_remarks(text, &view, &arena);
    add_end(text, result);
    weir_sweep_report(text, plan, result);
    add_last(text, result);
    weir_arena_close(&arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a plan as text: documentation for the user, golden output for tests, and the source of the
 * plan's id. */
#include "explain.h"

#include "weir/plan/side_files.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* ---- files ---- */

static void add_target(struct weir_text *text, const struct weir_target *target)
{
    if (target->tree) {
        weir_explain_tree(text, target);
        return;
    }
    weir_text_add(text, target->is_device ? "devices" : "files");
    for (size_t i = 0; i < target->path_count; i++)
        weir_text_add(text, "%s %s", i > 0 ? "," : "", target->paths[i]);
    weir_text_add(text, target->is_shared ? "  one for all ranks" : "  one for each rank");
    if (target->has_exact_names)
        weir_text_add(text, ", named so");
    if (target->has_own_directory)
        weir_text_add(text, ", in a directory of its own");
    if (target->has_package_directory)
        weir_text_add(text, ", in a directory of its processor package");
    if (target->is_new_each_repetition)
        weir_text_add(text, ", anew for each repetition");
}

static bool is_same_target(const struct weir_target *a, const struct weir_target *b)
{
    if (a->path_count != b->path_count || a->is_shared != b->is_shared ||
        a->has_own_directory != b->has_own_directory ||
        a->has_package_directory != b->has_package_directory || a->is_device != b->is_device ||
        a->is_new_each_repetition != b->is_new_each_repetition ||
        a->has_exact_names != b->has_exact_names || !weir_tree_is_same(a->tree, b->tree))
        return false;
    for (size_t i = 0; i < a->path_count; i++)
        if (strcmp(a->paths[i], b->paths[i]) != 0)
            return false;
    return true;
}

/* The target of the phases whose line names no other one. */
static const struct weir_target *common_target(const struct weir_test *test)
{
    return test->phase_count > 0 ? test->phases[0]->target : NULL;
}

/* ---- phases ---- */

/* The hash makes the list a part of the plan's id. */
static void add_listing(struct weir_text *text, const struct weir_layout *layout)
{
    const struct weir_listing *listing = &layout->listing;

    weir_text_add(text, "%s of up to %s per rank: %s, listed in ",
                  weir_words_count(listing->count, "transfer").text,
                  weir_words_size(layout->transfer_bytes).text,
                  weir_words_size(layout->block_bytes).text);
    weir_text_add_visible(text, listing->path);
    weir_text_add(text, " (%016" PRIx64 "), up to %s", listing->hash,
                  weir_words_size(listing->end).text);
    if (listing->pauses_ns > 0)
        weir_text_add(text, ", with pauses of %s", weir_words_duration(listing->pauses_ns).text);
}

static void add_layout(struct weir_text *text, const struct weir_layout *layout)
{
    static const char *const orders[] = {
        [WEIR_ORDER_SEQUENTIAL] = "in order",
        [WEIR_ORDER_SHUFFLED] = "shuffled",
        [WEIR_ORDER_RANDOM_BLOCKS] = "at random block positions",
        [WEIR_ORDER_BACKWARD] = "backward",
        [WEIR_ORDER_STRIDED] = "strided",
        [WEIR_ORDER_ONE_PLACE] = "all at the first place",
    };

    if (layout->order == WEIR_ORDER_LISTED) {
        add_listing(text, layout);
        return;
    }
    weir_text_add(text, "%" PRIu64 " x %s per rank: %s, blocks of %s, %s",
                  weir_layout_ops_per_rank(layout),
                  weir_words_size(weir_layout_op_bytes(layout)).text,
                  weir_words_count(layout->segment_count, "segment").text,
                  weir_words_size(layout->block_bytes).text, orders[layout->order]);
    if (layout->order == WEIR_ORDER_STRIDED)
        weir_text_add(text, ", %" PRIu64 " transfers apart", layout->stride);
    weir_explain_if(text, layout->is_alike, "alike on all ranks");
    if (layout->is_at_once)
        weir_text_add(text, ", all in one noncontiguous transfer, data in pieces of %s",
                      weir_words_size(layout->transfer_bytes).text);
    if (layout->seed_is_given && weir_order_is_random(layout->order))
        weir_text_add(text, " with seed %" PRIu64, layout->seed);
}

static void add_mix(struct weir_text *text, const struct weir_transfers *transfers)
{
    if (!transfers->mixes_by_rank)
        weir_text_add(text, "; %u%% reads", transfers->read_percent);
    else if (transfers->alternates)
        weir_text_add(text, "; even ranks read, odd ones write");
    else if (transfers->reader_count > 0)
        weir_text_add(text, "; the first %" PRIu64 " ranks read, the others write",
                      transfers->reader_count);
    else
        weir_text_add(text, "; the first %u%% of the ranks read, the others write",
                      transfers->read_percent);
}

static void add_manner(struct weir_text *text, const struct weir_test *test,
                       const struct weir_phase *phase)
{
    if (phase->verb == WEIR_MIXED)
        add_mix(text, &phase->transfers);
    weir_explain_depth(text, test, phase);
    weir_explain_rate(text, &phase->rate, "transfer");
    weir_explain_if(text, phase->transfers.is_collective, "collective");
    weir_explain_if(text, phase->transfers.must_verify, "verify");
    weir_explain_if(text, phase->transfers.ends_at_mismatch, "end at the first mismatch");
    weir_explain_if(text, phase->transfers.must_replace, "replace");
    weir_explain_if(text, phase->transfers.must_sync_each, "sync after each transfer");
    weir_explain_if(text, phase->transfers.must_sync_at_end, "sync at end");
    weir_explain_if(text, phase->transfers.must_sync_before && phase->transfers.must_sync_after,
                    "sync before and after, not timed");
    weir_explain_if(text, phase->transfers.must_sync_before && !phase->transfers.must_sync_after,
                    "sync before, not timed");
    weir_explain_if(text, !phase->transfers.must_sync_before && phase->transfers.must_sync_after,
                    "sync after, not timed");
    weir_explain_if(text, phase->transfers.has_inner_barriers, "barriers around the transfers");
    weir_explain_if(text, phase->transfers.is_single_attempt, "a short transfer is an error");
    weir_explain_if(text, phase->leaves_open, "leave the file open");
    if (phase->transfers.log_name)
        weir_text_add(text, ", offsets are logged as %s", phase->transfers.log_name);
    if (phase->transfers.histogram_name)
        weir_text_add(text, ", latencies are told as %s", phase->transfers.histogram_name);
    weir_explain_if(text, phase->transfers.counts_close, "count the close");
    if (phase->stagger_ns > 0)
        weir_text_add(text, "; begin %s after the rank before",
                      weir_words_duration(phase->stagger_ns).text);
    if (phase->think_ns > 0)
        weir_text_add(text, "; pause %s after each transfer%s",
                      weir_words_duration(phase->think_ns).text,
                      phase->transfers.leaves_think_out ? ", not counted" : "");
    else
        weir_explain_if(text, phase->transfers.leaves_think_out, "pauses not counted");
}

/* The kind of a phase, in a word. */
static const char *phase_name(const struct weir_phase *phase)
{
    if (phase->is_check)
        return "check";
    return phase->is_prefill ? "prefill" : weir_verb_name(phase->verb);
}

/* The line of a program; its statements stand in lines of their own. */
static void add_program(struct weir_text *text, const struct weir_phase *phase)
{
    weir_text_add(text, "program");
    weir_explain_rate(text, &phase->rate, "call");
    if (phase->think_ns > 0)
        weir_text_add(text, "; pause %s after each call",
                      weir_words_duration(phase->think_ns).text);
    weir_explain_stop(text, &phase->stop, "call", false);
}

static void add_phase(struct weir_text *text, const struct weir_test *test,
                      const struct weir_phase *phase)
{
    if (weir_verb_works_on_trees(phase->verb)) {
        weir_explain_names(text, test, phase);
    } else if (phase->verb == WEIR_PROGRAM) {
        add_program(text, phase);
    } else if (weir_verb_moves_data(phase->verb)) {
        weir_text_add(text, "%-7s ", phase_name(phase));
        add_layout(text, &phase->transfers.layout);
        weir_explain_shift(text, "part of", &phase->shift);
        weir_explain_payload(text, &phase->transfers.payload);
        add_manner(text, test, phase);
        weir_explain_stop(text, &phase->stop, "transfer", weir_verb_reads(phase->verb));
    } else {
        weir_text_add(text, "remove");
        weir_explain_shift(text, "part of", &phase->shift);
    }
    weir_explain_if(text, phase->names.only_if_clean, "unless verification failed");
    weir_explain_if(text, phase->names.only_if_ending, "if the run ends in this test");
    if (!is_same_target(phase->target, common_target(test))) {
        weir_text_add(text, "; ");
        add_target(text, phase->target);
    }
}

/* ---- the tree ---- */

/* "on 4 ranks from rank 2, 8 apart" */
static void add_ranks(struct weir_text *text, const struct weir_rank_set *ranks)
{
    weir_text_add(text, "on %s from rank %" PRIu64, weir_words_count(ranks->count, "rank").text,
                  ranks->first);
    if (ranks->stride > 1)
        weir_text_add(text, ", %" PRIu64 " apart", ranks->stride);
}

static void add_step(struct weir_text *text, const struct weir_test *test,
                     const struct weir_step *step)
{
    switch (step->kind) {
    case WEIR_STEP_REPEAT:
        weir_text_add(text, "repeat %" PRIu64, step->count);
        break;
    case WEIR_STEP_UNTIL:
        weir_text_add(text, "repeat until %s are over", weir_words_duration(step->until_ns).text);
        break;
    case WEIR_STEP_ON_RANKS:
        add_ranks(text, &step->ranks);
        break;
    case WEIR_STEP_TIMED:
        weir_text_add(text, "timed ");
        weir_text_add_visible(text, step->label);
        break;
    case WEIR_STEP_BARRIER:
        weir_text_add(text, "barrier");
        break;
    case WEIR_STEP_SLEEP:
        weir_text_add(text, "sleep %s", weir_words_duration(step->sleep_ns).text);
        break;
    case WEIR_STEP_COMMAND:
        weir_text_add(text, "command%s ", step->is_per_node ? " on each node" : "");
        weir_text_add_visible(text, step->command);
        break;
    case WEIR_STEP_PHASE:
        add_phase(text, test, step->phase);
        break;
    }
    weir_text_add(text, "\n");
}

/* The check bounds how deep steps are nested. */
static void add_steps(struct weir_text *text, const struct weir_test *test,
                      const struct weir_step *steps, int indent)
{
    for (const struct weir_step *step = steps; step; step = step->next) {
        weir_text_add(text, "%*s", indent, "");
        add_step(text, test, step);
        if (step->kind == WEIR_STEP_PHASE && step->phase->verb == WEIR_PROGRAM)
            weir_program_explain(step->phase->program, text);
        add_steps(text, test, step->body, indent + 2);
    }
}

/* ---- tests ---- */

/* `is_case`: without those that name places. */
static void add_backend_options(struct weir_text *text, const struct weir_descriptor *backend,
                                const void *values, bool is_case)
{
    const struct weir_option *row = values ? backend->options.rows : NULL;

    for (; row && (row->letter || row->name); row++) {
        if (!weir_options_is_changed(row, values) || (is_case && row->is_place))
            continue;
        if (row->name)
            weir_text_add(text, "  option %s = ", row->name);
        else
            weir_text_add(text, "  option %c = ", row->letter);
        weir_options_value(text, row, values);
        weir_text_add(text, "\n");
    }
}

static void add_backend_name(struct weir_text *text, const struct weir_test *test)
{
    const char *label = test->label ? test->label : test->backend->label;
    bool is_label_enough = !test->inner && strcasecmp(label, test->backend->name) == 0;

    weir_text_add(text, "%s", label);
    if (!is_label_enough)
        weir_text_add(text, " (%s%s%s)", test->backend->name, test->inner ? ":" : "",
                      test->inner ? test->inner->name : "");
}

/* Repetitions are told by the tree, where there is a repeat. */
static uint64_t repetitions_in_tree(const struct weir_test *test)
{
    for (const struct weir_step *step = test->steps; step; step = step->next)
        if (step->kind == WEIR_STEP_REPEAT)
            return step->count;
    return 1;
}

static void add_line_if(struct weir_text *text, bool is_true, const char *line)
{
    if (is_true)
        weir_text_add(text, "  %s\n", line);
}

/* Where it is not as it always is; none changes nothing of what is done. */
static void add_watchdog(struct weir_text *text, const struct weir_test *test)
{
    if (test->watchdog_ns == 0 ||
        (test->watchdog_ns == WEIR_PLAN_WATCHDOG_NS && test->give_up_ns == 0))
        return;
    weir_text_add(text, "  tell of ranks that do not move for %s",
                  weir_words_duration(test->watchdog_ns).text);
    if (test->give_up_ns > 0)
        weir_text_add(text, "; give up after %s", weir_words_duration(test->give_up_ns).text);
    weir_text_add(text, "\n");
}

static void add_hog(struct weir_text *text, const struct weir_memory_hog *hog)
{
    uint64_t bytes = hog->bytes_per_rank > 0 ? hog->bytes_per_rank : hog->bytes_per_node;

    if (bytes > 0)
        weir_text_add(text, "  take %s of memory per %s\n", weir_words_size(bytes).text,
                      hog->bytes_per_rank > 0 ? "rank" : "node");
    if (hog->percent_of_node > 0)
        weir_text_add(text, "  take %u%% of the memory of each node\n", hog->percent_of_node);
}

static bool all_log_offsets(const struct weir_test *test)
{
    bool has_any = false;

    for (size_t i = 0; i < test->phase_count; i++) {
        const char *name = test->phases[i]->transfers.log_name;

        if (weir_verb_moves_data(test->phases[i]->verb) && !name)
            return false;
        has_any |= name != NULL;
    }
    return has_any;
}

static bool is_logged_before(const struct weir_test *test, size_t phase)
{
    for (size_t i = 0; i < phase; i++)
        if (test->phases[i]->transfers.log_name &&
            strcmp(test->phases[i]->transfers.log_name, test->phases[phase]->transfers.log_name) ==
                0)
            return true;
    return false;
}

/* The files as the engine calls them: %r is the number of the rank. */
static void add_offset_files(struct weir_text *text, const struct weir_test *test)
{
    const char *before = "  offsets and latencies of transfers to ";

    for (size_t i = 0; test->op_csv_prefix && i < test->phase_count; i++) {
        const char *log_name = test->phases[i]->transfers.log_name;
        char name[WEIR_PATH_BYTES];

        if (!log_name || is_logged_before(test, i))
            continue;
        weir_test_offset_file(test, log_name, "%r", name, sizeof name);
        weir_text_add(text, "%s%s", before, name);
        before = ", ";
    }
    if (before[0] == ',')
        weir_text_add(text, "\n");
}

/* It removes what it says, and keeps the rest. */
static bool has_program(const struct weir_test *test)
{
    return test->phase_count > 0 && test->phases[0]->program != NULL;
}

static void add_test_terms(struct weir_text *text, const struct weir_test *test, bool is_whole)
{
    if (test->rank_limit > 0)
        weir_text_add(text, "  on %s at most\n", weir_words_count(test->rank_limit, "rank").text);
    if (test->node_limit > 0)
        weir_text_add(text, "  on %s\n", weir_words_count(test->node_limit, "node").text);
    if (test->ranks_per_node_limit > 0)
        weir_text_add(text, "  on %s of each node\n",
                      weir_words_count(test->ranks_per_node_limit, "rank").text);
    if (test->time_limit_ns > 0)
        weir_text_add(text, "  begin no phase after %s\n",
                      weir_words_duration(test->time_limit_ns).text);
    if (test->outlier_ns > 0)
        weir_text_add(text, "  warn of ranks more than %s from the mean\n",
                      weir_words_duration(test->outlier_ns).text);
    if (test->interval_ppm > 0)
        weir_text_add(text,
                      "  from repetition %" PRIu64 " on, end once the interval of each median is "
                      "within %g %%, or after %s\n",
                      test->least_repetitions, (double)test->interval_ppm / 1e4,
                      weir_words_duration(test->repeat_limit_ns).text);
    if (test->repetitions != repetitions_in_tree(test))
        weir_text_add(text, "  counts as %s\n",
                      weir_words_count(test->repetitions, "repetition").text);
    if (test->given_nodes > 0)
        weir_text_add(text, "  count as %s\n", weir_words_count(test->given_nodes, "node").text);
    if (test->given_ranks_per_node > 0)
        weir_text_add(text, "  count as %s on the first node\n",
                      weir_words_count(test->given_ranks_per_node, "rank").text);
    weir_plan_explain_place(text, test);
    if (test->allowed != NULL)
        weir_text_add(text, "  findings without effect: %s (--allow)\n", test->allowed);
    add_hog(text, &test->hog);
    if (test->rank_csv_path)
        weir_text_add(text, "  figures of each rank to %s\n", test->rank_csv_path);
    add_offset_files(text, test);
    if (test->op_csv_prefix && !all_log_offsets(test))
        weir_text_add(text, "  figures of each transfer%s to %s-...csv\n",
                      test->op_csv_is_of_first ? " of rank 0"
                      : test->op_csv_is_of_all ? " of all ranks in one file"
                                               : "",
                      test->op_csv_prefix);
    if (test->rank_histogram_prefix) {
        char name[WEIR_PATH_BYTES];

        weir_test_latency_file(test, "%r", name, sizeof name);
        weir_text_add(text, "  latencies of each rank to %s\n", name);
    }
    add_line_if(text, test->tells_ranks, "quantiles of each rank");
    add_line_if(text, test->is_compared, "compared with the test before it");
    if (test->peer)
        weir_text_add(text, "  alone: %s\n", test->peer);
    add_line_if(text, test->must_keep && !has_program(test), "keep files");
    add_line_if(text, test->may_overwrite, "may overwrite files of others");
    add_line_if(text, test->may_take_used_device, "may take devices that are in use");
    add_line_if(text, test->goes_on_after_errors, "goes on after errors, and counts them");
    if (is_whole)
        add_watchdog(text, test);
    add_line_if(text, test->is_dry_run, "dry run");
    if (test->reference != 0)
        weir_text_add(text, "  reference %" PRId64 "\n", test->reference);
}

static void add_test(struct weir_text *text, const struct weir_test *test, bool is_whole)
{
    weir_text_add(text, "test %u  ", test->number);
    add_backend_name(text, test);
    if (common_target(test) && test->phases[0]->verb == WEIR_PROGRAM) {
        weir_text_add(text, "  in %s", common_target(test)->paths[0]);
    } else if (common_target(test)) {
        weir_text_add(text, "  ");
        add_target(text, common_target(test));
    }
    weir_text_add(text, "\n");
    add_backend_options(text, test->backend, test->backend_options, false);
    if (test->inner)
        add_backend_options(text, test->inner, test->inner_options, false);
    add_test_terms(text, test, is_whole);
    add_steps(text, test, test->steps, 2);
}

/* ---- the plan ---- */

/* One line, only if there is something to say. */
static void add_output(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_output *output = &plan->output;
    struct weir_text clauses = {0};

    weir_explain_if(&clauses, strcmp(output->reporter, plan->dialect) != 0, output->reporter);
    if (output->style)
        weir_text_add(&clauses, "; as %s", output->style);
    if (output->summary_path)
        weir_text_add(&clauses, "; to %s", output->summary_path);
    if (output->result_path)
        weir_text_add(&clauses, "; result file %s", output->result_path);
    if (output->live.path)
        weir_text_add(&clauses, "; live lines to %s", output->live.path);
    if (output->live.on_phase)
        weir_text_add(&clauses, "; after each phase the command \"%s\"", output->live.on_phase);
    if (output->label)
        weir_text_add(&clauses, "; label %s", output->label);
    for (size_t i = 0; i < output->tag_count; i++)
        weir_text_add(&clauses, "; %s=%s", output->tags[i].key, output->tags[i].value);
    if (output->position_path)
        weir_text_add(&clauses, "; position %" PRIu64 " to %s", output->position,
                      output->position_path);
    weir_explain_if(&clauses, output->is_plain, "plain");
    weir_explain_if(&clauses, output->warnings_are_errors && !output->is_strict,
                    "warnings are errors");
    weir_explain_if(&clauses, output->is_strict, "warnings and void figures are errors");
    if (output->expect)
        weir_text_add(&clauses, "; expect %s%s", output->expect,
                      output->allows_unverified ? " (or UNVERIFIED)" : "");
    for (char *end = clauses.data; end && (end = strchr(end, '\n'));)
        *end = ',';
    weir_explain_if(&clauses, output->has_details, "details");
    if (output->verbosity != 0)
        weir_text_add(&clauses, "; verbosity %d", output->verbosity);
    if (clauses.length > 0)
        weir_text_add(text, "output  %s\n", clauses.data + strlen("; "));
    weir_text_close(&clauses);
}

static void add_rank_order(struct weir_text *text, const struct weir_rank_order *order)
{
    if (order->kind == WEIR_RANKS_ROUND_ROBIN)
        weir_text_add(text, "ranks  one of each node in turn\n");
    if (order->kind == WEIR_RANKS_PACKED)
        weir_text_add(text, "ranks  node by node\n");
    if (order->kind != WEIR_RANKS_LISTED)
        return;
    weir_text_add(text, "ranks  on");
    for (size_t i = 0; i < order->host_count; i++) {
        weir_text_add(text, " ");
        weir_text_add_visible(text, order->hosts[i]);
    }
    weir_text_add(text, "\n");
}

static void add_limit(struct weir_text *text, const char *verb, double bytes_per_s)
{
    if (bytes_per_s > 0.0)
        weir_text_add(text, "sweep  limit of %s %.0f bytes/s\n", verb, bytes_per_s);
}

static void add_sweep(struct weir_text *text, const struct weir_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->axis_count; i++) {
        weir_text_add(text, "sweep  %s", sweep->axes[i].name);
        for (unsigned j = 0; j < sweep->axes[i].count; j++)
            weir_text_add(text, " %s", sweep->axes[i].values[j]);
        weir_text_add(text, "\n");
    }
    if (sweep->total_bytes > 0)
        weir_text_add(text, "sweep  %s in all\n", weir_words_size(sweep->total_bytes).text);
    if (sweep->total_items > 0)
        weir_text_add(text, "sweep  %s in all\n",
                      weir_words_count(sweep->total_items, "item").text);
}

static void add_limits(struct weir_text *text, const struct weir_sweep *sweep)
{
    add_limit(text, "reads", sweep->read_limit_per_s);
    add_limit(text, "writes", sweep->write_limit_per_s);
}

/* `is_whole`: else the work alone. */
static void explain(const struct weir_plan *plan, struct weir_text *text, bool is_whole)
{
    if (is_whole)
        add_output(text, plan);
    if (is_whole && plan->has_stop_before)
        weir_text_add(text, "end  %s before the job does\n",
                      weir_words_duration(plan->stop_before_ns).text);
    add_rank_order(text, &plan->rank_order);
    if (plan->rank_need > 0)
        weir_text_add(text, "ranks  at least %" PRIu64 "\n", plan->rank_need);
    add_sweep(text, &plan->sweep);
    if (is_whole)
        add_limits(text, &plan->sweep);
    for (size_t i = 0; i < plan->test_count; i++)
        add_test(text, plan->tests[i], is_whole);
}

void weir_plan_explain(const struct weir_plan *plan, struct weir_text *text)
{
    weir_text_add(text, "plan %s  %s\n", plan->id, plan->dialect);
    explain(plan, text, true);
}

void weir_plan_explain_work(const struct weir_plan *plan, struct weir_text *text)
{
    weir_text_add(text, "plan   %s\n", plan->dialect);
    explain(plan, text, false);
}

/* ---- cases ---- */

/* Puts "-" in the place of a path that is absolute, and before what is in it. */
static void hide_path(struct weir_text *text, const char *path)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strlen(path);
    char *at = text->data;

    while (length > 1 && path[0] == '/' && at != NULL && (at = strstr(at, path)) != NULL) {
        bool is_inside = at > text->data && (at[-1] == '/' || strchr(letters, at[-1]) != NULL);

        /* A string has its zero byte in strchr, too. */
        if (is_inside || (at[length] != '\0' && strchr(letters, at[length]) != NULL)) {
            at++;
            continue;
        }
        *at++ = '-';
        memmove(at, at + length - 1, strlen(at + length - 1) + 1);
    }
    text->length = text->data != NULL ? strlen(text->data) : 0;
}

/* The value of a parameter, with "-" for a directory that it names: one that is absolute, begins
 * with a dot, or is the end of a root; up to the first variable, as the front end finds roots. */
static const char *hide_root(struct weir_arena *arena, const struct weir_program *program,
                             const char *value)
{
    size_t length = strcspn(value, "$"), dots = strspn(value, ".");
    const char *rest;
    bool is_root;
    uint64_t number;

    while (value[strcspn(value, "$")] != '\0' && length > 0 && value[length - 1] != '/')
        length--;
    while (length > 1 && value[length - 1] == '/')
        length--;
    rest = value + length;
    is_root = (value[0] == '/' && length > 1) ||
              ((dots == 1 || dots == 2) && dots <= length && strchr("/", value[dots]) != NULL);
    for (unsigned i = 0; i < program->root_count && length > 0 && !is_root; i++) {
        size_t bytes = strlen(program->roots[i]);

        is_root = bytes > length && program->roots[i][bytes - length - 1] == '/' &&
                  strncmp(program->roots[i] + bytes - length, value, length) == 0 &&
                  weir_size_parse(value, &number) != 0;
    }
    return is_root ? weir_arena_printf(arena, "-%s", rest[strspn(rest, "/")] != '\0' ? rest : "")
                   : value;
}

/* The lines of a case, but for the number among equal ones. */
static void add_case(struct weir_text *text, const struct weir_test *test,
                     const struct weir_phase *phase)
{
    static const char *const no_paths[] = {"-"};
    const struct weir_program *program = phase->program;
    struct weir_target target = *phase->target;
    struct weir_phase work = *phase;

    weir_text_add(text, "case  %s  %s%s%s\n", test->dialect != NULL ? test->dialect : "",
                  test->backend->name, test->inner ? ":" : "",
                  test->inner ? test->inner->name : "");
    add_backend_options(text, test->backend, test->backend_options, true);
    if (test->inner)
        add_backend_options(text, test->inner, test->inner_options, true);
    weir_plan_explain_place(text, test);
    add_hog(text, &test->hog);
    add_line_if(text, test->goes_on_after_errors, "goes on after errors, and counts them");

    if (target.path_count > 1 && !target.has_exact_names)
        weir_text_add(text, "  on %s\n", weir_words_count(target.path_count, "path").text);
    target.paths = no_paths;
    target.path_count = 1;
    target.has_exact_names = false;
    work.target = &target;
    if (work.stop.status_path)
        work.stop.status_path = "-";
    if (work.transfers.layout.listing.path)
        work.transfers.layout.listing.path = "-";
    weir_text_add(text, "  ");
    add_phase(text, test, &work);
    weir_text_add(text, "\n");
    if (program) {
        struct weir_arena arena = {0};
        struct weir_parameter *parameters =
            weir_arena_take(&arena, (program->parameter_count + 1) * sizeof *parameters);
        struct weir_program shown = *program;

        for (unsigned i = 0; i < program->parameter_count; i++) {
            parameters[i] = program->parameters[i];
            parameters[i].value = hide_root(&arena, program, parameters[i].value);
        }
        shown.parameters = parameters;
        shown.root_count = 0; /* the current directory is one as a rule */
        weir_program_explain(&shown, text);
        for (unsigned i = 0; i < program->root_count; i++)
            hide_path(text, program->roots[i]);
        hide_path(text, phase->target->paths[0]);
        weir_arena_close(&arena);
    }
}

void weir_plan_explain_case(const struct weir_test *test, const struct weir_phase *phase,
                            struct weir_text *text)
{
    struct weir_text other = {0}, own = {0};
    unsigned number = 1;

    add_case(&own, test, phase);
    for (size_t i = 0; i < test->phase_count && test->phases[i]->number != phase->number; i++) {
        if (test->phases[i]->verb != phase->verb ||
            test->phases[i]->rank_limit != phase->rank_limit)
            continue;
        weir_text_clear(&other);
        add_case(&other, test, test->phases[i]);
        number += strcmp(weir_text_string(&other), weir_text_string(&own)) == 0;
    }
    weir_text_add(text, "%s", weir_text_string(&own));
    if (number > 1)
        weir_text_add(text, "  number %u\n", number);
    weir_text_close(&other);
    weir_text_close(&own);
}

void weir_plan_case_id(const struct weir_test *test, const struct weir_phase *phase, char id[17])
{
    struct weir_text text = {0};

    weir_plan_explain_case(test, phase, &text);
    snprintf(id, 17, "%016" PRIx64, weir_text_hash(weir_text_string(&text), text.length));
    weir_text_close(&text);
}

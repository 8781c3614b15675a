/* SPDX-License-Identifier: Apache-2.0 */
/* Levels 1 to 5 of IOR's -v, but for rows: level by level in one place for all layouts. */
#include "verbose.h"

#include "dates.h"
#include "figures.h"
#include "layout.h"
#include "lines.h"
#include "words.h"

/* ---- seeds of the data ---- */

/* IOR calls the seed of the data a time stamp, as it is one unless it was given. */
static void add_data_seed(struct weir_text *text, uint64_t seed)
{
    weir_text_add(text, "Using Time Stamp %llu (0x%llx) for Data Signature\n",
                  (unsigned long long)seed, (unsigned long long)seed);
}

static bool says_data_seed(const struct weir_plan *plan, const struct weir_phase *phase)
{
    return plan->output.verbosity >= 2 && phase &&
           phase->transfers.payload.mode != WEIR_PAYLOAD_NONE;
}

void weir_verbose_given_seed(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_test *test)
{
    const struct weir_phase *phase = weir_words_data_phase(test);

    if (says_data_seed(plan, phase) && phase->transfers.payload.seed_is_given)
        add_data_seed(text, phase->transfers.payload.seed);
}

/* A seed that the run drew, or learned from the data, is not known before. */
static void add_drawn_seed(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    if (!says_data_seed(plan, planned) || planned->transfers.payload.seed_is_given)
        return;
    for (unsigned i = 0; i < result->phase_count && &result->phases[i] != phase; i++)
        if (result->phases[i].test == phase->test && weir_figures_has_row(plan, &result->phases[i]))
            return;
    add_data_seed(text, phase->data_seed);
}

/* ---- before a test ---- */

static void add_hog(struct weir_text *text, const struct weir_memory_hog *hog)
{
    char size[WEIR_SIZE_TEXT_BYTES];

    if (hog->bytes_per_rank > 0)
        weir_text_add(text, "memory taken away by each task: %s\n",
                      weir_size_format(hog->bytes_per_rank, size));
    if (hog->bytes_per_node > 0)
        weir_text_add(text, "memory taken away on each node: %s\n",
                      weir_size_format(hog->bytes_per_node, size));
    if (hog->percent_of_node > 0)
        weir_text_add(text, "memory taken away on each node: %u%% of it\n", hog->percent_of_node);
}

void weir_verbose_test(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_test *test)
{
    if (plan->output.verbosity >= 3)
        add_hog(text, &test->hog);
    if (plan->output.verbosity >= 4 && !test->op_csv_prefix)
        weir_text_add(text, "single transfers are not listed here: -O savePerOpDataCSV=PREFIX "
                            "keeps them in files\n");
}

/* ---- pauses ---- */

/* The pause just before a phase in a list of steps; 0 if there is none, or no such phase. */
static uint64_t pause_before(const struct weir_step *step, const struct weir_phase *phase)
{
    uint64_t pause_ns = 0;

    for (; step; step = step->next) {
        uint64_t inner_ns = pause_before(step->body, phase);

        if (inner_ns > 0)
            return inner_ns;
        if (step->kind == WEIR_STEP_PHASE && step->phase->number == phase->number)
            return pause_ns;
        pause_ns = step->kind == WEIR_STEP_SLEEP ? step->sleep_ns : 0;
    }
    return 0;
}

static void add_pause(struct weir_text *text, const struct weir_test *test,
                      const struct weir_phase *phase)
{
    uint64_t pause_ns = pause_before(test->steps, phase);

    if (pause_ns > 0)
        weir_text_add(text, "delay before the %s phase: %.15g s\n", weir_verb_name(phase->verb),
                      (double)pause_ns / 1e9);
}

/* ---- the start of a phase ---- */

static void add_commencing(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_phase *planned, const struct weir_phase_result *phase)
{
    const struct weir_ior_layout *layout = weir_ior_layout_of(plan);
    const char *verb = weir_verb_name(planned->verb);
    char date[WEIR_DATE_BYTES];

    if (plan->output.verbosity < layout->commencing_verbosity)
        return;
    weir_date_format(phase->begun_s, date);
    if (layout->commencing == WEIR_COMMENCING_BLOCK)
        weir_text_add(text, "\nCommencing %s performance test.\n%s\n", verb, date);
    if (layout->commencing == WEIR_COMMENCING_LINE)
        weir_text_add(text, "Commencing %s performance test: %s\n%s", verb, date,
                      layout->has_gap_before_reads && planned->verb == WEIR_READ ? "\n" : "");
}

/* ---- single ranks ---- */

/* The rank whose part a rank takes. False if that depends on how ranks are placed on nodes, which a
 * result does not hold. */
static bool find_owner(const struct weir_phase *planned, const struct weir_phase_result *phase,
                       unsigned rank, uint64_t *owner)
{
    const struct weir_placement placement = {
        .ranks = phase->rank_count,
        .nodes = 1,
        .ranks_per_node = phase->rank_count,
        .is_block = true,
    };
    struct weir_shift shift = planned->shift;

    if (shift.varies)
        shift.seed += phase->repetition;
    if (shift.kind != WEIR_SHIFT_NONE && phase->node_count != 1)
        return false;
    *owner = weir_shift_owner(&shift, &placement, rank);
    return true;
}

/* False if the name of the rank's file is not known: a processor package may be part of it. */
static bool find_path(const struct weir_phase *planned, const struct weir_phase_result *phase,
                      unsigned rank, char path[WEIR_PATH_BYTES])
{
    const struct weir_target *target = planned->target;
    struct weir_file_place place = {.repetition = phase->repetition};

    if (!target->is_shared && target->has_package_directory)
        return false;
    if (!target->is_shared && !find_owner(planned, phase, rank, &place.number))
        return false;
    return weir_target_path(target, &place, path) == 0;
}

static void add_files(struct weir_text *text, const struct weir_phase *planned,
                      const struct weir_phase_result *phase)
{
    static const char *const doing[WEIR_VERB_COUNT] = {
        [WEIR_WRITE] = "writing",
        [WEIR_READ] = "reading",
        [WEIR_MIXED] = "reading and writing",
        [WEIR_REMOVE] = "removing",
    };
    bool is_done_by_one = planned->verb == WEIR_REMOVE && planned->target->is_shared;
    unsigned count = is_done_by_one ? 1 : phase->rank_count;
    char path[WEIR_PATH_BYTES];

    for (unsigned rank = 0; rank < count; rank++) {
        if (!find_path(planned, phase, rank, path))
            return;
        weir_text_add(text, "task %u %s ", rank, doing[planned->verb]);
        weir_text_add_visible(text, path);
        weir_text_add(text, "\n");
    }
}

static void add_stamps(struct weir_text *text, const struct weir_phase *planned,
                       const struct weir_phase_result *phase)
{
    static const char *const events[WEIR_STAMP_COUNT] = {
        [WEIR_STAMP_OPEN_START] = "open start",   [WEIR_STAMP_OPEN_STOP] = "open stop",
        [WEIR_STAMP_MOVE_START] = "start",        [WEIR_STAMP_MOVE_STOP] = "stop",
        [WEIR_STAMP_CLOSE_START] = "close start", [WEIR_STAMP_CLOSE_STOP] = "close stop",
    };

    for (unsigned rank = 0; rank < phase->rank_count; rank++)
        for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
            weir_text_add(text, "Test %u: Iter=%u, Task=%u, Time=%.6f, %s %s\n", phase->test,
                          phase->repetition, rank,
                          phase->begun_s + (double)phase->rows[rank].stamps_ns[i] / 1e9,
                          weir_verb_name(planned->verb), events[i]);
}

static void add_rank_stonewalls(struct weir_text *text, const struct weir_phase_result *phase)
{
    for (unsigned rank = 0; rank < phase->rank_count; rank++)
        weir_text_add(text, "%u: stonewalling pairs accessed: %llu\n", rank,
                      (unsigned long long)phase->rows[rank].stonewall_ops);
}

/* ---- phases ---- */

/* IOR's random shift lets some data be read several times and some never; ours is a permutation. */
static void add_hits(struct weir_text *text, const struct weir_phase_result *phase)
{
    weir_text_add(text, "#File Hits Dist: 0 %u\n", phase->rank_count);
}

static void add_prefill(struct weir_text *text, const struct weir_phase_result *phase)
{
    weir_text_add(text, "prefill: %llu bytes in %.6f s\n", (unsigned long long)phase->byte_count,
                  phase->windows.total_s);
}

/* Writes and reads that have a row. */
static void add_data_phase(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_phase *planned,
                           const struct weir_phase_result *phase)
{
    int verbosity = plan->output.verbosity;

    if (verbosity >= 1)
        add_pause(text, plan->tests[phase->test], planned);
    if (verbosity >= 3 && phase->rows)
        add_files(text, planned, phase);
    add_commencing(text, plan, planned, phase);
    add_drawn_seed(text, plan, result, phase);
    if (verbosity >= 2 && planned->shift.kind == WEIR_SHIFT_RANDOM)
        add_hits(text, phase);
    if (verbosity >= 3 && phase->rows)
        add_stamps(text, planned, phase);
    if (verbosity >= 1 && phase->rows && weir_figures_has_wear_out(plan, phase))
        add_rank_stonewalls(text, phase);
}

void weir_verbose_phase(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    if (!planned)
        return;
    if (weir_figures_has_row(plan, phase))
        add_data_phase(text, plan, result, planned, phase);
    else if (planned->is_prefill && plan->output.verbosity >= 2)
        add_prefill(text, phase);
    else if (planned->verb == WEIR_REMOVE && plan->output.verbosity >= 3 && phase->rows)
        add_files(text, planned, phase);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Phases: what mdtest's words ask for in the words of the plan. */
#include "lowering.h"

#include "weir/base/nearest.h"

#include <string.h>
#include <strings.h>

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)

/* Nodes or tasks, in units of -N, between who made an item and who works on it. */
enum { AT_CREATE = 0, AT_STAT = 1, AT_READ = 2, AT_REMOVE = 3 };

struct weir_mdtest_work weir_mdtest_lower_work(const struct weir_mdtest_config *mdtest)
{
    bool is_told = mdtest->create_only || mdtest->stat_only || mdtest->read_only ||
                   mdtest->remove_only || mdtest->rename_directories;
    bool is_narrowed = mdtest->directories_only || mdtest->files_only;

    return (struct weir_mdtest_work){
        .on_directories = (mdtest->directories_only || !is_narrowed) && mdtest->shared_files == 0,
        .on_files = mdtest->files_only || !is_narrowed,
        .creates = mdtest->create_only || !is_told,
        .stats = mdtest->stat_only || !is_told,
        .reads = mdtest->read_only || !is_told,
        .renames = mdtest->rename_directories || !is_told,
        .removes = mdtest->remove_only || !is_told,
    };
}

/* ---- what phases have in common ---- */

static struct weir_shift shift_of(const struct weir_mdtest_lowering *lowering, uint64_t steps)
{
    uint64_t stride = (uint64_t)lowering->mdtest->rank_stride;

    if (stride == 0 || steps == 0)
        return (struct weir_shift){0};
    return (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = stride * steps};
}

/* The directories of the trees. */
static struct weir_phase tree_phase(const struct weir_mdtest_lowering *lowering,
                                    enum weir_verb verb)
{
    return (struct weir_phase){
        .verb = verb,
        .target = lowering->target,
        .depth = 1,
        .names = {.is_directory = true,
                  .by_first_rank =
                      lowering->mdtest->by_first_rank && lowering->target->tree->is_own},
    };
}

static const char *item_of(const struct weir_mdtest_lowering *lowering, bool is_directory)
{
    if (is_directory)
        return "dir.mdtest.%r.%n";
    return lowering->mdtest->shared_files ? "file.mdtest.shared.%n" : "file.mdtest.%r.%n";
}

/* What a file of --savePerOpDataCSV is called after its prefix: the name of the test in mdtest's
 * table. Returns NULL if single operations are not logged. */
static const char *name_log(const struct weir_mdtest_lowering *lowering, enum weir_verb verb,
                            bool is_directory)
{
    const char *name = verb == WEIR_MKDIR || verb == WEIR_CREATE || verb == WEIR_MKNOD ? "creation"
                       : verb == WEIR_RMDIR || verb == WEIR_UNLINK                     ? "removal"
                       : verb == WEIR_READ_FILE                                        ? "read"
                                                : weir_verb_name(verb);

    if (!lowering->mdtest->op_csv_prefix)
        return NULL;
    return weir_arena_printf(&lowering->base.plan->arena, "%s %s",
                             is_directory ? "Directory" : "File", name);
}

/* Ranks that run the commands around phases; without commands all, as a plan has it. */
static enum weir_command_ranks command_ranks(const struct weir_mdtest_lowering *lowering)
{
    const char *word = lowering->request->additions.command_on;

    if (!lowering->mdtest->command_before && !lowering->mdtest->command_after)
        return WEIR_COMMAND_EACH_RANK;
    return strcmp(word, "node") == 0    ? WEIR_COMMAND_EACH_NODE
           : strcmp(word, "first") == 0 ? WEIR_COMMAND_FIRST_RANK
                                        : WEIR_COMMAND_EACH_RANK;
}

/* A phase on items, `steps` of -N away from who made them. */
static struct weir_phase item_phase(const struct weir_mdtest_lowering *lowering,
                                    enum weir_verb verb, bool is_directory, uint64_t steps)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;

    return (struct weir_phase){
        .verb = verb,
        .target = lowering->target,
        .shift = shift_of(lowering, steps),
        .depth = lowering->base.load.depth,
        .must_find_depth = lowering->base.load.must_find_depth,
        .rate = lowering->base.load.rate,
        .stop = {.status_path = lowering->mdtest->status_path,
                 .is_second_count =
                     lowering->mdtest->status_path && is_directory && lowering->work.on_files},
        .names = {.item = item_of(lowering, is_directory),
                  .log_name = name_log(lowering, verb, is_directory),
                  .is_directory = is_directory,
                  .is_shared = !is_directory && mdtest->shared_files,
                  .tree_shift = shift_of(lowering, mdtest->own_directory ? 1 : 0),
                  .order = lowering->request->additions.shuffles ? WEIR_ORDER_SHUFFLED
                                                                 : WEIR_ORDER_SEQUENTIAL,
                  .seed_is_given = mdtest->random_seed != 0,
                  .seed = (uint64_t)mdtest->random_seed,
                  .must_sync_all = mdtest->sync_all,
                  .command_before = mdtest->command_before,
                  .command_after = mdtest->command_after,
                  .command_ranks = command_ranks(lowering)},
    };
}

static struct weir_phase create_phase(const struct weir_mdtest_lowering *lowering,
                                      bool is_directory)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    enum weir_verb verb = is_directory          ? WEIR_MKDIR
                          : mdtest->makes_nodes ? WEIR_MKNOD
                                                : WEIR_CREATE;
    struct weir_phase phase = item_phase(lowering, verb, is_directory, AT_CREATE);

    phase.names.by_first_rank = mdtest->by_first_rank;
    phase.stop.deadline_ns = mdtest->deadline_ns;
    phase.stop.has_wear_out = mdtest->deadline_ns > 0;
    if (verb == WEIR_CREATE) {
        phase.names.bytes = (uint64_t)mdtest->write_bytes;
        phase.names.payload = lowering->payload;
        phase.names.must_verify_made = mdtest->verify_write && mdtest->write_bytes > 0;
        phase.names.must_sync = mdtest->sync_files;
    }
    return phase;
}

static struct weir_phase look_phase(const struct weir_mdtest_lowering *lowering,
                                    enum weir_verb verb, bool is_directory, uint64_t steps)
{
    struct weir_phase phase = item_phase(lowering, verb, is_directory, steps);

    if (lowering->mdtest->random_order)
        phase.names.order = WEIR_ORDER_SHUFFLED;
    return phase;
}

static struct weir_phase read_phase(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    struct weir_phase phase = look_phase(lowering, WEIR_READ_FILE, false, AT_READ);

    phase.names.bytes = (uint64_t)mdtest->read_bytes;
    phase.names.payload = lowering->payload;
    phase.names.must_verify = mdtest->verify_read;
    return phase;
}

static struct weir_phase remove_phase(const struct weir_mdtest_lowering *lowering,
                                      bool is_directory)
{
    struct weir_phase phase =
        item_phase(lowering, is_directory ? WEIR_RMDIR : WEIR_UNLINK, is_directory, AT_REMOVE);

    phase.names.by_first_rank = lowering->mdtest->by_first_rank;
    return phase;
}

static void add_phase(const struct weir_mdtest_lowering *lowering, struct weir_step **steps,
                      struct weir_phase phase)
{
    /* A rate of bytes is that of the phases that move some. */
    if (phase.rate.is_in_bytes && weir_phase_op_bytes(&phase) == 0)
        phase.rate = (struct weir_rate){0};
    weir_plan_add_phase(lowering->base.plan, lowering->base.test, steps, &phase);
}

/* ---- --also ---- */

/* What a verb of --also does with names. */
enum also_kind {
    OF_ITEMS,
    OF_DIRECTORIES, /* of the tree, which are listed */
    OF_NO_NAMES,    /* a name that is not there, with the suffix */
    MAKES_NAMES,    /* with the suffix, which are removed behind it */
    CHANGES_NAMES   /* to those with the suffix, and back behind it */
};

/* Verbs beyond mdtest's, in words of --also. */
static const struct {
    const char *word;
    enum weir_verb verb;
    enum also_kind kind;
    const char *suffix;
    bool is_of_files;
} also_rows[] = {
    {"stat", WEIR_STAT, OF_ITEMS, NULL, false},
    {"list", WEIR_LIST, OF_DIRECTORIES, NULL, false},
    {"list-stat", WEIR_LIST_STAT, OF_DIRECTORIES, NULL, false},
    {"lookup", WEIR_LOOKUP, OF_NO_NAMES, ".absent", false},
    {"open", WEIR_OPEN, OF_ITEMS, NULL, true},
    {"chmod", WEIR_CHMOD, OF_ITEMS, NULL, false},
    {"setxattr", WEIR_SETXATTR, OF_ITEMS, NULL, false},
    {"getxattr", WEIR_GETXATTR, OF_ITEMS, NULL, false},
    {"link", WEIR_LINK, MAKES_NAMES, ".link", true},
    {"symlink", WEIR_SYMLINK, MAKES_NAMES, ".symlink", false},
    {"rename", WEIR_RENAME, CHANGES_NAMES, ".renamed", false},
};

#define ALSO_ROWS (sizeof also_rows / sizeof *also_rows)

static int add_also(struct weir_mdtest_lowering *lowering, const char *word)
{
    struct weir_nearest nearest = {.typed = word, .length = strlen(word)};
    const char *near_word;

    for (size_t i = 0; i < ALSO_ROWS; i++) {
        weir_nearest_offer(&nearest, also_rows[i].word);
        if (strcasecmp(also_rows[i].word, word) != 0)
            continue;
        if (also_rows[i].kind >= MAKES_NAMES && lowering->mdtest->shared_files)
            return REFUSE(lowering,
                          "--also: %s: with -S all tasks would make the same names; leave one of "
                          "the two out",
                          word);
        if (also_rows[i].is_of_files && !lowering->work.on_files)
            return REFUSE(lowering, "--also: %s: is done with files, and -D has none", word);
        for (unsigned k = 0; k < lowering->also_count; k++)
            if (lowering->also[k] == i)
                return REFUSE(lowering, "--also: %s stands there twice; once is enough", word);
        lowering->also[lowering->also_count++] = (unsigned)i;
        return 0;
    }
    near_word = weir_nearest_word(&nearest);
    return REFUSE(
        lowering,
        "--also: there is no phase \"%s\"%s%s%s; there are stat, list, list-stat, lookup, "
        "open, chmod, setxattr, getxattr, link, symlink and rename",
        word, near_word ? " (did you mean " : "", near_word ? near_word : "",
        near_word ? "?)" : "");
}

int weir_mdtest_lower_also(struct weir_mdtest_lowering *lowering)
{
    const char *list = lowering->request->additions.also;
    int failure = 0;

    while (list && *list != '\0' && !failure) {
        size_t length = strcspn(list, ",");

        failure = add_also(
            lowering, weir_arena_printf(&lowering->base.plan->arena, "%.*s", (int)length, list));
        list += length + (list[length] == ',');
    }
    return failure;
}

/* Behind it the items are as they were, for whatever comes next: names that are made are removed,
 * and those that are changed are changed back. */
static void add_also_phase(const struct weir_mdtest_lowering *lowering, struct weir_step **steps,
                           unsigned row, bool is_directory)
{
    const char *item = item_of(lowering, is_directory);
    const char *suffix = also_rows[row].suffix ? also_rows[row].suffix : "";
    const char *other = weir_arena_printf(&lowering->base.plan->arena, "%s%s", item, suffix);
    struct weir_phase phase = look_phase(lowering, also_rows[row].verb, is_directory, AT_STAT);
    const struct weir_mdtest_work *work = &lowering->work;
    /* What a run that was killed has left of them. */
    bool only_removes =
        work->removes && !(work->creates || work->stats || work->reads || work->renames);

    if (also_rows[row].kind == OF_DIRECTORIES) {
        phase.names.item = NULL;
        phase.stop.status_path = NULL;
        phase.stop.is_second_count = false;
    } else if (also_rows[row].kind == OF_NO_NAMES) {
        phase.names.item = other;
    } else if (also_rows[row].kind >= MAKES_NAMES) {
        phase.names.new_item = other;
    }
    if (also_rows[row].kind < MAKES_NAMES || !only_removes)
        add_phase(lowering, steps, phase);
    if (also_rows[row].kind < MAKES_NAMES)
        return;
    phase.names.log_name = NULL; /* it only undoes the phase before it */
    phase.names.item = other;
    phase.names.new_item = item;
    if (also_rows[row].kind == MAKES_NAMES || only_removes) {
        /* A link to a directory is none. */
        phase.names.is_directory = is_directory && also_rows[row].kind == CHANGES_NAMES;
        phase.verb = phase.names.is_directory ? WEIR_RMDIR : WEIR_UNLINK;
        phase.names.new_item = NULL;
    }
    add_phase(lowering, steps, phase);
}

static void add_also_phases(const struct weir_mdtest_lowering *lowering, struct weir_step **steps,
                            bool is_directory)
{
    for (unsigned i = 0; i < lowering->also_count; i++)
        if (!is_directory || !also_rows[lowering->also[i]].is_of_files)
            add_also_phase(lowering, steps, lowering->also[i], is_directory);
}

/* ---- their order ---- */

static void add_directory_phases(const struct weir_mdtest_lowering *lowering,
                                 struct weir_step **steps)
{
    const struct weir_mdtest_work *work = &lowering->work;

    if (work->creates)
        add_phase(lowering, steps, create_phase(lowering, true));
    if (work->stats)
        add_phase(lowering, steps, look_phase(lowering, WEIR_STAT, true, AT_STAT));
    add_also_phases(lowering, steps, true);
    /* mdtest has a place for reads here, in which it does nothing. */
    if (work->renames && lowering->items > 1)
        add_phase(lowering, steps, item_phase(lowering, WEIR_RENAME, true, AT_READ));
    if (work->removes)
        add_phase(lowering, steps, remove_phase(lowering, true));
}

static void add_file_phases(const struct weir_mdtest_lowering *lowering, struct weir_step **steps)
{
    const struct weir_mdtest_work *work = &lowering->work;

    if (work->creates)
        add_phase(lowering, steps, create_phase(lowering, false));
    if (work->stats)
        add_phase(lowering, steps, look_phase(lowering, WEIR_STAT, false, AT_STAT));
    add_also_phases(lowering, steps, false);
    if (work->reads)
        add_phase(lowering, steps, read_phase(lowering));
    if (work->removes)
        add_phase(lowering, steps, remove_phase(lowering, false));
}

/* What --depth and --rate ask for must be there. */
static int check_load(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_common_words *common = &lowering->request->base.common;
    const struct weir_test *test = lowering->base.test;
    size_t paced = 0;

    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];

        paced += phase->rate.is_in_bytes;
        if (phase->must_find_depth && !weir_test_tried_phase(test, phase))
            return REFUSE(lowering,
                          "--depth: \"%s\": a trial of %s cannot be undone, and no phase before it "
                          "tries depths; give a number, or let this run make the items",
                          common->depth, weir_verb_name(phase->verb));
    }
    if (lowering->base.load.rate.is_in_bytes && paced == 0)
        return REFUSE(lowering,
                      "--rate: \"%s\" is a rate of bytes, and no phase moves any; give operations "
                      "per second, such as 20000, or -w and -e",
                      common->rate);
    if (paced > 0)
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "--rate: \"%s\" is a rate of bytes: it holds for the phases that "
                             "write or read",
                             common->rate);
    return 0;
}

int weir_mdtest_lower_steps(struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    const struct weir_mdtest_work *work = &lowering->work;
    struct weir_step **steps =
        &weir_plan_add_repeat(lowering->base.plan, &lowering->base.test->steps,
                              (uint64_t)mdtest->iterations)
             ->body;

    if (mdtest->delay_ns > 0)
        weir_plan_add_sleep(lowering->base.plan, steps, mdtest->delay_ns);
    if (work->creates)
        add_phase(lowering, steps, tree_phase(lowering, WEIR_MKDIR));
    if (work->on_directories && lowering->items > 0)
        add_directory_phases(lowering, steps);
    if (work->on_files && lowering->items > 0)
        add_file_phases(lowering, steps);
    if (work->removes)
        add_phase(lowering, steps, tree_phase(lowering, WEIR_RMDIR));
    if (lowering->base.test->phase_count == 0)
        return REFUSE(lowering, "there is nothing to do: -E reads files, and -U renames "
                                "directories, of which there must be two");
    return check_load(lowering);
}

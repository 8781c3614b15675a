/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a sweep, and its steps: each is read and lowered as a command line of its own, and
 * all of them into one plan. */
#include "sweep.h"

#include "axes.h"
#include "common_words.h"
#include "limit_words.h"
#include "parabench/parabench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 4096

struct words {
    const char *limit, *label, *tags;
    int64_t is_packed, is_round_robin, explains, help;
};

static const struct weir_option rows[] = {
    {0, "limit", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct words, limit),
     .help =
         "what is possible, such as 136.4GB/s, or read=140GB/s,write=120GB/s: rates are told as "
         "shares of it"},
    {0, "round-robin", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct words, is_round_robin),
     .help = "ranks of a step are one of each node in turn; so it is if nothing is said"},
    {0, "packed", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct words, is_packed),
     .help = "ranks of a step fill node after node"},
    {0, "label", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct words, label), .help = WEIR_LABEL_HELP},
    {0, "set", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct words, tags), .is_list = true,
     .help = WEIR_SET_HELP},
    {0, "explain", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct words, explains),
     .help = "print the plan in place of running it"},
    {'h', "help", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct words, help), .help = "print this page"},
    {0},
};
static const struct weir_option_set word_set = {"sweep", rows, sizeof(struct words)};

/* A sweep on its way to the plan. */
struct sweep {
    const struct weir_dialect *dialect;
    const struct weir_backends *backends;
    struct weir_plan *plan;
    struct weir_error *error;
    struct words words;
    const char *const *inner; /* words of the dialect, without those of the axes */
    int inner_count;
    const struct weir_front_request *fixed; /* what these alone ask for */
    struct weir_orders orders;
    struct weir_sweep_axis_words axes[2];
    unsigned axis_count;
    uint64_t total; /* bytes or items; 0: not given */
    /* Ranks on each node, as the launcher says, where total= and nodes= need it; 0 = not needed, or
     * unknown. */
    uint64_t launched_per_node;
};

#define REFUSE(sweep, ...) weir_error_usage((sweep)->error, "sweep", __VA_ARGS__)

/* ---- the words before the command line ---- */

static int read_total(struct sweep *sweep, const char *text)
{
    if (sweep->dialect->split == NULL)
        return REFUSE(sweep, "total=%s: what %s does is not split among ranks; leave it out", text,
                      sweep->dialect->name);
    if (sweep->total > 0)
        return REFUSE(sweep, "total=%s: it stands there twice", text);
    if (weir_size_parse(text, &sweep->total) || sweep->total == 0 || sweep->total > INT64_MAX / 2)
        return REFUSE(sweep, "total=%s: that is no size above 0", text);
    return 0;
}

static int read_axis(struct sweep *sweep, const char *word)
{
    struct weir_sweep_axis_words *axis = &sweep->axes[sweep->axis_count];

    if (sweep->axis_count == sizeof sweep->axes / sizeof *sweep->axes)
        return REFUSE(sweep, "%s: two axes are varied at once, and no more", word);
    if (weir_sweep_axis_read(sweep->dialect, sweep->fixed, word, &sweep->plan->arena, axis,
                             sweep->error))
        return -EINVAL;
    if (sweep->axis_count++ > 0 && strcmp(sweep->axes[0].row->name, axis->row->name) == 0)
        return REFUSE(sweep, "%s: %s is an axis already", word, axis->row->name);
    return 0;
}

/* "2GB/s" for both directions, or "read=2GB/s,write=1GB/s". */
static int read_limits(const struct sweep *sweep)
{
    struct weir_sweep *made = &sweep->plan->sweep;
    char *next;

    if (sweep->words.limit == NULL)
        return 0;
    for (char *part = weir_arena_copy(&sweep->plan->arena, sweep->words.limit); part; part = next) {
        bool is_read = strncmp(part, "read=", 5) == 0, is_write = strncmp(part, "write=", 6) == 0;
        double per_s;

        next = strchr(part, ',');
        if (next != NULL)
            *next++ = '\0';
        if (weir_limit_read("--limit",
                            part + (is_read    ? 5
                                    : is_write ? 6
                                               : 0),
                            "sweep", &per_s, sweep->error))
            return -EINVAL;
        made->read_limit_per_s = is_write ? made->read_limit_per_s : per_s;
        made->write_limit_per_s = is_read ? made->write_limit_per_s : per_s;
    }
    return 0;
}

static const struct weir_sweep_axis_words *find_axis(const struct sweep *sweep, const char *name)
{
    for (unsigned i = 0; i < sweep->axis_count; i++)
        if (strcmp(sweep->axes[i].row->name, name) == 0)
            return &sweep->axes[i];
    return NULL;
}

/* Returns the ranks on each node, if the launcher's variables say that all nodes have as many; 0 =
 * unknown, or not so. MPI is not started yet. Slurm has "2(x4)", or "2(x3),1" where they differ;
 * the others have the ranks on this node and of the job, and Open MPI 4 the nodes, too. Without
 * these, ranks of nodes that differ build different plans, which is refused when the run begins. */
static uint64_t launched_per_node(void)
{
    static const char *const names[][3] = {
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_MCA_orte_num_nodes"},
        {"MPI_LOCALNRANKS", "PMI_SIZE"},
        {"PALS_LOCAL_SIZE", "PMI_SIZE"}};
    const char *tasks = getenv("SLURM_STEP_TASKS_PER_NODE");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *local = getenv(names[i][0]), *size = getenv(names[i][1]);
        const char *nodes = names[i][2] != NULL ? getenv(names[i][2]) : NULL;
        int64_t here, all, node_count;

        if (local == NULL || size == NULL || weir_integer_parse(local, &here) != 0 ||
            weir_integer_parse(size, &all) != 0 || here <= 0)
            continue;
        if (all % here != 0 || (nodes != NULL && weir_integer_parse(nodes, &node_count) == 0 &&
                                node_count != all / here))
            return 0;
        return (uint64_t)here;
    }
    if (tasks == NULL || strchr(tasks, ',') != NULL)
        return 0;
    return strtoull(tasks, NULL, 10);
}

static int check(const struct sweep *sweep)
{
    bool has_ranks = find_axis(sweep, WEIR_SWEEP_RANKS) != NULL;
    bool has_nodes = find_axis(sweep, WEIR_SWEEP_NODES) != NULL;
    bool has_per_node = find_axis(sweep, WEIR_SWEEP_RANKS_PER_NODE) != NULL;

    if (sweep->axis_count == 0)
        return REFUSE(sweep, "there is no axis; give one, such as ranks=1..32x2");
    if (has_ranks && (has_nodes || has_per_node))
        return REFUSE(sweep, "ranks is a number of all nodes together; with nodes give "
                             "ranks-per-node");
    if (sweep->total > 0 && !has_ranks &&
        !(has_nodes && (has_per_node || sweep->launched_per_node > 0)))
        return REFUSE(sweep,
                      "total= is split among the ranks of each step, so their number must be "
                      "known: give ranks=N, or nodes= and ranks-per-node=%s",
                      has_nodes ? ", as no launcher says that all nodes have as many" : "");
    if (sweep->words.is_packed && sweep->words.is_round_robin)
        return REFUSE(sweep, "--packed and --round-robin contradict each other; leave one out");
    if (sweep->plan->source.script != NULL)
        return REFUSE(sweep, "a script has its own values; give its options on the command line");
    if ((sweep->axis_count > 1 ? sweep->axes[1].count : 1) > STEPS_MAX / sweep->axes[0].count)
        return REFUSE(sweep, "that are more than %d steps", STEPS_MAX);
    return 0;
}

/* ---- a step ---- */

/* The number that an axis has in this step; 0: it is none of the axes. */
static uint64_t number_of(const struct sweep *sweep, const unsigned places[], const char *name)
{
    const struct weir_sweep_axis_words *axis = find_axis(sweep, name);

    return axis != NULL ? axis->numbers[places[axis - sweep->axes]] : 0;
}

/* An option that is typed is not varied: the step would have another value than the one that
 * stands there. */
static int check_typed(const struct sweep *sweep, const struct weir_front_request *request)
{
    for (size_t i = 0; i < request->parser.binding_count; i++) {
        const struct weir_option_binding *fixed = &sweep->fixed->parser.bindings[i];
        const void *values = request->parser.bindings[i].values;

        for (const struct weir_option *row = fixed->set->rows; row && (row->letter || row->name);
             row++) {
            struct weir_text first = {0}, second = {0};
            bool differs = false;

            if (row->refusal != NULL || row->bytes == 0 || row->alias != NULL ||
                !weir_options_is_changed(row, fixed->values))
                continue;
            weir_options_value(&first, row, fixed->values);
            weir_options_value(&second, row, values);
            differs = strcmp(weir_text_string(&first), weir_text_string(&second)) != 0;
            weir_text_close(&first);
            weir_text_close(&second);
            if (differs && row->name)
                return REFUSE(sweep,
                              "%s is varied, and the command line gives it, too; leave it "
                              "out there",
                              row->name);
        }
    }
    return 0;
}

static struct weir_front_request *read_step(const struct sweep *sweep, const unsigned places[])
{
    size_t room = (size_t)sweep->inner_count + 2 * WEIR_SWEEP_WORDS_MAX + 1;
    const char **words = weir_arena_take(&sweep->plan->arena, room * sizeof *words);
    int count = sweep->inner_count;
    struct weir_orders orders = {0};
    struct weir_front_request *request;

    memcpy(words, sweep->inner, (size_t)count * sizeof *words);
    for (unsigned i = 0; i < sweep->axis_count; i++)
        count +=
            weir_sweep_axis_spell(&sweep->axes[i], places[i], &sweep->plan->arena, words + count);
    request = weir_dialect_read_request(sweep->dialect, sweep->plan, sweep->backends, count, words,
                                        &orders, sweep->error);
    return request == NULL || check_typed(sweep, request) ? NULL : request;
}

static uint64_t per_node_of(const struct sweep *sweep, const unsigned places[])
{
    uint64_t given = number_of(sweep, places, WEIR_SWEEP_RANKS_PER_NODE);

    return given > 0 ? given : sweep->launched_per_node;
}

static uint64_t ranks_of(const struct sweep *sweep, const unsigned places[])
{
    uint64_t ranks = number_of(sweep, places, WEIR_SWEEP_RANKS);

    return ranks > 0 ? ranks
                     : number_of(sweep, places, WEIR_SWEEP_NODES) * per_node_of(sweep, places);
}

/* The part of the total that falls to each rank. */
static int split(const struct sweep *sweep, struct weir_front_request *request,
                 const unsigned places[], uint64_t *done)
{
    uint64_t ranks = ranks_of(sweep, places);

    *done = sweep->total;
    if (sweep->total == 0)
        return 0;
    return sweep->dialect->split(request, sweep->total, ranks, done, sweep->error);
}

/* What the sweep says of a test of the step that the dialect does not know. */
static void mark_test(const struct sweep *sweep, struct weir_test *test, const unsigned places[],
                      uint64_t done)
{
    uint64_t ranks = number_of(sweep, places, WEIR_SWEEP_RANKS);

    if (ranks > 0 && test->rank_limit == 0)
        test->rank_limit = ranks;
    test->node_limit = number_of(sweep, places, WEIR_SWEEP_NODES);
    test->ranks_per_node_limit = per_node_of(sweep, places);
    if (ranks > sweep->plan->rank_need)
        sweep->plan->rank_need = ranks;
    if (done != sweep->total)
        weir_plan_add_remark(sweep->plan, test,
                             "total: %" PRIu64 " of %" PRIu64 " %s are done in this step, so that "
                             "all ranks do as much%s",
                             done, sweep->total, sweep->dialect->splits_items ? "items" : "bytes",
                             sweep->dialect->splits_items ? "" : ", in whole transfers");
}

static int add_step(const struct sweep *sweep, unsigned number, const unsigned places[])
{
    struct weir_plan *plan = sweep->plan;
    size_t first = plan->test_count;
    struct weir_front_request *request = read_step(sweep, places);
    uint64_t done;

    if (request == NULL || split(sweep, request, places, &done) ||
        sweep->dialect->lower(plan, request, sweep->error))
        return -EINVAL;
    for (size_t i = first; i < plan->test_count; i++) {
        plan->tests[i]->sweep_step = number;
        mark_test(sweep, plan->tests[i], places, done);
    }
    return 0;
}

/* ---- the plan ---- */

static void describe(const struct sweep *sweep)
{
    struct weir_sweep *made = &sweep->plan->sweep;

    made->axis_count = sweep->axis_count;
    for (unsigned i = 0; i < sweep->axis_count; i++)
        made->axes[i] = (struct weir_sweep_axis){.name = sweep->axes[i].row->name,
                                                 .values = sweep->axes[i].texts,
                                                 .count = sweep->axes[i].count};
    *(sweep->dialect->splits_items ? &made->total_items : &made->total_bytes) = sweep->total;
}

/* A list of hosts is the dialect's. */
static void order_ranks(const struct sweep *sweep)
{
    struct weir_rank_order *order = &sweep->plan->rank_order;

    if (order->kind != WEIR_RANKS_AS_LAUNCHED)
        return;
    if (sweep->words.is_packed)
        order->kind = WEIR_RANKS_PACKED;
    else if (sweep->words.is_round_robin || find_axis(sweep, WEIR_SWEEP_RANKS) != NULL)
        order->kind = WEIR_RANKS_ROUND_ROBIN;
}

/* Label and tags may be on either side of the --. */
static int name_run(const struct sweep *sweep)
{
    struct weir_output *output = &sweep->plan->output;

    if ((sweep->words.label != NULL && output->label != NULL) ||
        (sweep->words.tags != NULL && output->tag_count > 0))
        return REFUSE(sweep, "--%s: it is given before and after the --; leave one of the two out",
                      sweep->words.label != NULL && output->label != NULL ? "label" : "set");
    if (sweep->words.label != NULL)
        output->label = sweep->words.label;
    if (weir_label_check(output->label, "sweep", sweep->error) != 0 || sweep->words.tags == NULL)
        return sweep->error->code;
    return weir_tags_read(sweep->words.tags, &sweep->plan->arena, "sweep", sweep->error,
                          &output->tags, &output->tag_count);
}

static int add_steps(const struct sweep *sweep)
{
    unsigned inner = sweep->axis_count > 1 ? sweep->axes[1].count : 1;
    struct weir_output *output = &sweep->plan->output;

    describe(sweep);
    for (unsigned number = 0; number < sweep->axes[0].count * inner; number++)
        if (add_step(sweep, number, (unsigned[2]){number / inner, number % inner}))
            return -EINVAL;
    /* One table of the steps, in place of the dialect's head and rows for each of them. */
    if (strcmp(output->reporter, sweep->dialect->name) == 0 && !output->is_plain &&
        output->style == NULL && !output->has_details && output->verbosity == 0)
        output->reporter = "sweep";
    order_ranks(sweep);
    if (name_run(sweep) != 0)
        return -EINVAL;
    return weir_plan_freeze(sweep->plan, sweep->error);
}

/* `words`: those that are none of ours, axes and the total. */
static int read_axes(struct sweep *sweep, int count, const char *const words[])
{
    for (int i = 0; i < count; i++) {
        bool is_total = strncmp(words[i], "total=", 6) == 0;

        if (is_total ? read_total(sweep, words[i] + 6) : read_axis(sweep, words[i]))
            return -EINVAL;
    }
    if (sweep->total > 0 && find_axis(sweep, WEIR_SWEEP_NODES) != NULL &&
        find_axis(sweep, WEIR_SWEEP_RANKS_PER_NODE) == NULL)
        sweep->launched_per_node = launched_per_node();
    return check(sweep) || read_limits(sweep) ? -EINVAL : 0;
}

/* ---- the command ---- */

static int say_help(struct weir_command *command)
{
    command->kind = WEIR_COMMAND_SAY;
    weir_text_add(&command->text,
                  "Usage: weir sweep AXIS=VALUES [AXIS=VALUES] [total=SIZE] [OPTION...] -- DIALECT "
                  "[options]\n\n"
                  "Runs a command line of a dialect once for each value, in one job and with one "
                  "result,\nand ends with a table of the rates and where they stop to grow.\n\n"
                  "  mpiexec -n 32 weir sweep ranks=1..32x2 total=8g -- ior -w -r -t 1m -i 3 -o "
                  "/scratch/f\n"
                  "  mpiexec -n 8 weir sweep transfer=4k..16m*2 depth=1,8,32 -- ior -a uring "
                  "--direct -r -o /scratch/f\n\n"
                  "VALUES are a list (1,2,4), a range of factors (1..32x2 or 1..32*2) or of steps "
                  "(4..64+4).\n"
                  "total= is split among the ranks of each step, in whole transfers.\n");
    weir_options_help(&command->text, &word_set);
    weir_sweep_axes_add_help(&command->text);
    return 0;
}

/* The first word of the dialect; argc: there is none. */
static int find_inner(const struct weir_invocation *invocation)
{
    int i = invocation->first;

    while (i < invocation->argc && strcmp(invocation->argv[i], "--") != 0)
        i++;
    return i + 1 < invocation->argc ? i + 1 : invocation->argc;
}

/* The words of the dialect alone, before any axis. */
static int read_inner(struct sweep *sweep, int first)
{
    struct weir_plan *plan = sweep->plan;

    if (weir_dialect_add_environment(sweep->dialect, plan, first, sweep->error))
        return -EINVAL;
    sweep->inner = plan->source.words + first;
    sweep->inner_count = (int)plan->source.word_count - first;
    sweep->fixed =
        weir_dialect_read_request(sweep->dialect, plan, sweep->backends, sweep->inner_count,
                                  sweep->inner, &sweep->orders, sweep->error);
    return sweep->fixed == NULL ? -EINVAL : 0;
}

/* Options of the command are behind --, where they are read as in a run without a sweep. */
static int check_places(const struct sweep *sweep, int count, const char *const words[])
{
    const struct weir_option_parser *parser = &sweep->fixed->parser;

    for (int i = 0; i < count; i++) {
        bool is_own = weir_options_find_typed(word_set.rows, words[i]) != NULL;

        for (size_t k = 0; !is_own && k < parser->binding_count; k++)
            if (weir_options_find_typed(parser->bindings[k].set->rows, words[i]))
                return REFUSE(
                    sweep,
                    "%s: an option of the command: put it behind the --, as in weir sweep "
                    "AXIS=VALUES -- %s %s ...",
                    words[i], sweep->dialect->name, words[i]);
    }
    return 0;
}

static int read_plan(struct sweep *sweep, const struct weir_invocation *invocation, int inner,
                     struct weir_command *command)
{
    const struct weir_option_binding binding = {&word_set, &sweep->words};
    const struct weir_option_parser parser = {
        .place = "sweep", .arena = &sweep->plan->arena, .bindings = &binding, .binding_count = 1};
    int count = inner - 1 - invocation->first;
    const char **words = weir_arena_take(&sweep->plan->arena, ((size_t)count + 1) * sizeof *words);
    int options = weir_options_part(&parser, count, invocation->argv + invocation->first, words);

    weir_options_reset(&parser);
    if (read_inner(sweep, inner + 1) ||
        check_places(sweep, count, invocation->argv + invocation->first) ||
        weir_options_parse(&parser, options, words, sweep->error))
        return -EINVAL;
    if (sweep->words.help)
        return say_help(command);
    if (weir_dialect_say(sweep->dialect, sweep->backends, &sweep->orders, command))
        return 0;
    if (read_axes(sweep, count - options, words + options) || add_steps(sweep))
        return -EINVAL;
    command->kind =
        sweep->orders.explain || sweep->words.explains ? WEIR_COMMAND_EXPLAIN : WEIR_COMMAND_RUN;
    command->plan = sweep->plan;
    return 0;
}

static int refuse_dialect(const struct sweep *sweep, const char *word)
{
    if (sweep->dialect != &weir_dialect_parabench)
        return REFUSE(sweep, "%s: that is no command that can be swept; see weir sweep --help",
                      word);
    return REFUSE(sweep,
                  "%s: the table of a sweep has no rates of labels; run the program once for each "
                  "number of ranks (mpiexec -n N weir parabench ... --result N.jsonl), and compare "
                  "what weir report N.jsonl --format csv prints",
                  word);
}

int weir_sweep_read(const struct weir_invocation *invocation, struct weir_command *command,
                    struct weir_error *error)
{
    int inner = find_inner(invocation);
    struct sweep sweep = {.backends = invocation->backends, .error = error};
    int failure;

    for (int i = invocation->first; inner == invocation->argc && i < invocation->argc; i++)
        if (strcmp(invocation->argv[i], "--help") == 0 || strcmp(invocation->argv[i], "-h") == 0)
            return say_help(command);
    if (inner == invocation->argc)
        return REFUSE(&sweep, "the command line is missing behind the axes and --: weir sweep "
                              "ranks=1..32x2 -- ior -w -r -o FILE");
    sweep.dialect = weir_dialect_find(invocation->argv[inner]);
    if (sweep.dialect == NULL || sweep.dialect->axes == NULL)
        return refuse_dialect(&sweep, invocation->argv[inner]);
    command->dialect = sweep.dialect->name;
    sweep.plan = weir_plan_open(sweep.dialect->name, invocation->argc, invocation->argv);
    failure = read_plan(&sweep, invocation, inner, command);
    if (command->plan == NULL)
        weir_plan_close(sweep.plan);
    return failure;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in plans: groups over ranks, the table of operations, what is refused, and that their
 * text says everything that matters. */
#include "weir/io/backend.h"
#include "weir/plan/need.h"
#include "weir/plan/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- groups ---- */

#define GROUPS_MAX 6

struct mapping {
    struct weir_program_group groups[GROUPS_MAX];
    uint64_t ranks;
    struct weir_rank_range ranges[GROUPS_MAX];
    const char *warnings;
};

static const struct mapping mappings[] = {
    /* As Parabench maps it. */
    {.groups = {{"a", WEIR_GROUP_SINGLE, 0, 1, 0},
                {"b", WEIR_GROUP_DISJOINT, 1, 2, 0},
                {"c", WEIR_GROUP_DISJOINT, 1, 3, 0},
                {"d", WEIR_GROUP_DISJOINT, 2, 2, 0},
                {"e", WEIR_GROUP_PLAIN, 0, 4, 0}},
     .ranks = 6,
     .ranges = {{0, 1}, {1, 2}, {3, 3}, {1, 2}, {1, 4}},
     .warnings = ""},
    /* In whatever order they are declared; those of one number in that order. */
    {.groups = {{"e", WEIR_GROUP_PLAIN, 0, 4, 0},
                {"d", WEIR_GROUP_DISJOINT, 2, 2, 0},
                {"c", WEIR_GROUP_DISJOINT, 1, 3, 0},
                {"b", WEIR_GROUP_DISJOINT, 1, 2, 0},
                {"t", WEIR_GROUP_SINGLE, 2, 1, 0},
                {"s", WEIR_GROUP_SINGLE, 1, 2, 0}},
     .ranks = 8,
     .ranges = {{3, 4}, {3, 2}, {3, 3}, {6, 2}, {2, 1}, {0, 2}},
     .warnings = ""},
    /* Cut, and without any rank. */
    {.groups = {{"a", WEIR_GROUP_SINGLE, 0, 1, 0},
                {"b", WEIR_GROUP_DISJOINT, 0, 2, 0},
                {"c", WEIR_GROUP_DISJOINT, 0, 3, 0},
                {"d", WEIR_GROUP_DISJOINT, 0, 1, 0},
                {"e", WEIR_GROUP_PLAIN, 0, 0, 0},
                {"f", WEIR_GROUP_PLAIN, 0, 9, 0}},
     .ranks = 4,
     .ranges = {{0, 1}, {1, 2}, {3, 1}, {4, 0}, {1, 0}, {1, 3}},
     .warnings = "Warning: Mapping for group c incomplete (2 of 3 not mapped).\n"
                 "Warning: Group d will not be mapped (no ranks are left).\n"
                 "Warning: Group e will not be mapped (its size is 0).\n"
                 "Warning: Mapping for group f incomplete (6 of 9 not mapped).\n"},
    {.groups = {{"a", WEIR_GROUP_SINGLE, 0, UINT64_MAX, 0}, {"b", WEIR_GROUP_PLAIN, 0, 1, 0}},
     .ranks = 2,
     .ranges = {{0, 2}, {2, 0}},
     .warnings = "Warning: Mapping for group a incomplete "
                 "(18446744073709551613 of 18446744073709551615 not mapped).\n"
                 "Warning: Group b will not be mapped (no ranks are left).\n"},
    {.ranks = 1, .warnings = ""},
};

static void groups_share_the_ranks_out_by_their_tags(void **state)
{
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
        const struct mapping *mapping = &mappings[i];
        struct weir_program program = {.groups = mapping->groups};
        struct weir_rank_range ranges[GROUPS_MAX] = {{0}}, silent[GROUPS_MAX] = {{0}};
        struct weir_text warnings = {0};

        while (program.group_count < GROUPS_MAX && mapping->groups[program.group_count].name)
            program.group_count++;
        weir_program_map_groups(&program, mapping->ranks, ranges, &warnings);
        weir_program_map_groups(&program, mapping->ranks, silent, NULL);
        assert_memory_equal(ranges, silent, sizeof ranges);
        for (unsigned g = 0; g < program.group_count; g++) {
            assert_int_equal(ranges[g].count, mapping->ranges[g].count);
            assert_int_equal(ranges[g].first, mapping->ranges[g].first);
        }
        assert_string_equal(weir_text_string(&warnings), mapping->warnings);
        weir_text_close(&warnings);
    }
}

/* ---- the table of operations ---- */

static void every_operation_has_a_row_and_is_found_by_its_word(void **state)
{
    for (enum weir_call call = WEIR_CALL_WRITE; call < WEIR_CALL_COUNT; call++) {
        const struct weir_call_row *row = &weir_calls[call];

        assert_non_null(row->word);
        assert_non_null(row->label);
        assert_non_null(row->help);
        assert_int_equal(strspn(row->arguments, "NSOMWHPsomwhp"), strlen(row->arguments));
        assert_true(row->verb < WEIR_OP_VERB_COUNT);
        assert_false(row->moves_data && !row->is_timed);
        if (call < WEIR_CALL_WORDS)
            assert_int_equal(weir_call_find(row->word, strlen(row->word)), call);
        else
            assert_int_equal(weir_call_find(row->word, strlen(row->word)), WEIR_CALL_COUNT);
    }
    assert_int_equal(weir_call_find("FWrite(", 6), WEIR_CALL_FWRITE);
    assert_int_equal(weir_call_find("fwrit", 5), WEIR_CALL_COUNT);
    assert_int_equal(weir_call_find("fwrites", 7), WEIR_CALL_COUNT);
    assert_int_equal(weir_call_find("", 0), WEIR_CALL_COUNT);
}

static void operations_have_the_verbs_of_backends(void **state)
{
    static const struct {
        enum weir_call call;
        enum weir_op_verb verb;
    } rows[] = {
        {WEIR_CALL_WRITE, WEIR_OP_WRITE},     {WEIR_CALL_PREAD, WEIR_OP_READ},
        {WEIR_CALL_FSYNC, WEIR_OP_SYNC},      {WEIR_CALL_FOPEN, WEIR_OP_OPEN},
        {WEIR_CALL_FCLOSE, WEIR_OP_CLOSE},    {WEIR_CALL_STAT, WEIR_OP_STAT},
        {WEIR_CALL_MKDIR, WEIR_OP_MKDIR},     {WEIR_CALL_DELETE, WEIR_OP_UNLINK},
        {WEIR_CALL_RMDIR, WEIR_OP_RMDIR},     {WEIR_CALL_RENAME, WEIR_OP_RENAME},
        {WEIR_CALL_LINK, WEIR_OP_LINK},       {WEIR_CALL_LIST, WEIR_OP_LIST},
        {WEIR_CALL_CREATE, WEIR_OP_CREATE},   {WEIR_CALL_LOOKUP, WEIR_OP_LOOKUP},
        {WEIR_CALL_NAMED_OPEN, WEIR_OP_OPEN}, {WEIR_CALL_NAMED_CLOSE, WEIR_OP_CLOSE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(weir_calls[rows[i].call].verb, rows[i].verb);
}

/* ---- a plan ---- */

#define ALL_FLAGS (~0u - (WEIR_OPEN_TRUNCATE - 1u))

static const struct weir_descriptor store = {.name = "store",
                                             .label = "STORE",
                                             .abilities = WEIR_CAN_KEEP | WEIR_CAN_NAME,
                                             .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_LINK |
                                                           WEIR_NAMES_LIST,
                                             .open_flags = ALL_FLAGS};
static const struct weir_descriptor plain = {
    .name = "plain", .label = "PLAIN", .abilities = WEIR_CAN_KEEP | WEIR_CAN_NAME};
static const struct weir_descriptor nameless = {.name = "nameless",
                                                .label = "NAMELESS",
                                                .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_LIST,
                                                .open_flags = ALL_FLAGS};
static const struct weir_descriptor void_store = {
    .name = "void",
    .label = "VOID",
    .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_LINK | WEIR_NAMES_LIST | WEIR_NAMES_ARE_VOID,
    .open_flags = ALL_FLAGS};
static const struct weir_descriptor undirect = {.name = "undirect",
                                                .label = "UNDIRECT",
                                                .abilities = WEIR_CAN_NAME,
                                                .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_LIST,
                                                .open_flags = WEIR_OPEN_TRUNCATE};
static const struct weir_descriptor wrapper = {
    .name = "wrapper", .label = "WRAPPER", .abilities = WEIR_WRAPS};

enum { D, FILE_HANDLE, N, VARIABLE_COUNT };
static const char *const variable_names[VARIABLE_COUNT] = {"d", "f", "n"};
static const char *const root[] = {"/scratch"};
static const char *const two_roots[] = {"/scratch", "/home"};

struct subject {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_phase *phase;
    struct weir_target target;
    struct weir_program program;
    struct weir_program_group group;
    struct weir_pattern pattern;
    struct weir_parameter parameter;
    struct weir_statement *open, *rename, *repeat;
};

typedef void change(struct subject *x);

static const struct weir_expr *text_of(struct subject *x, const char *text)
{
    char reason[256];

    return weir_expr_text(&x->plan->arena, &x->program.variables, text, strlen(text), reason,
                          sizeof reason);
}

/* Behind `*last`, which it becomes. */
static struct weir_statement *add(struct subject *x, const struct weir_statement ***end,
                                  enum weir_statement_kind kind, const struct weir_expr *first,
                                  const struct weir_expr *second)
{
    struct weir_statement *statement = weir_arena_take(&x->plan->arena, sizeof *statement);
    const struct weir_expr **arguments = weir_arena_take(&x->plan->arena, 2 * sizeof *arguments);

    arguments[0] = first;
    arguments[1] = second;
    statement->kind = kind;
    statement->line = ++x->program.statement_count;
    statement->number = statement->line - 1;
    statement->arguments = arguments;
    statement->argument_count = first == NULL ? 0 : second == NULL ? 1 : 2;
    statement->variable = WEIR_NO_VARIABLE;
    statement->group = WEIR_INNERMOST;
    **end = statement;
    *end = &statement->next;
    return statement;
}

static struct weir_statement *add_call(struct subject *x, const struct weir_statement ***end,
                                       enum weir_call call, const struct weir_expr *first,
                                       const struct weir_expr *second)
{
    struct weir_statement *statement = add(x, end, WEIR_DO_CALL, first, second);

    statement->call = call;
    return statement;
}

static void add_statements(struct subject *x)
{
    struct weir_arena *arena = &x->plan->arena;
    const struct weir_expr *n = weir_expr_variable(arena, N),
                           *f = weir_expr_variable(arena, FILE_HANDLE);
    const struct weir_statement **end = &x->program.statements, **inner, **deep;
    struct weir_statement *outer;
    char reason[256];

    add(x, &end, WEIR_DO_ASSIGN, text_of(x, "$d/$$rank"), NULL)->variable = D;
    add(x, &end, WEIR_DO_PRINT, text_of(x, "in \\$d:"), weir_expr_variable(arena, D));
    x->repeat = add(x, &end, WEIR_DO_REPEAT, weir_expr_integer(arena, 100), NULL);
    x->repeat->variable = N;
    inner = &x->repeat->body;
    outer = add(x, &inner, WEIR_DO_CORE_TIME, text_of(x, "step $n"), NULL);
    deep = &outer->body;
    x->open = add_call(x, &deep, WEIR_CALL_FOPEN, text_of(x, "$d/f"), text_of(x, "w"));
    x->open->variable = FILE_HANDLE;
    x->open->open_flags = WEIR_OPEN_WRITE | WEIR_OPEN_CREATE | WEIR_OPEN_TRUNCATE;
    add_call(x, &deep, WEIR_CALL_FWRITE, f,
             weir_expr_operation(arena, WEIR_MULTIPLY, n, weir_expr_integer(arena, 4096), reason,
                                 sizeof reason));
    add_call(x, &deep, WEIR_CALL_FCLOSE, f, NULL);
    outer = add(x, &inner, WEIR_DO_IF,
                weir_expr_operation(arena, WEIR_LESS, n, weir_expr_integer(arena, 3), reason,
                                    sizeof reason),
                NULL);
    deep = &outer->body;
    x->rename = add_call(x, &deep, WEIR_CALL_RENAME, text_of(x, "$d/f"), text_of(x, "$d/g"));
    deep = &outer->otherwise;
    add(x, &deep, WEIR_DO_SLEEP, weir_expr_integer(arena, 10), NULL);
    outer = add(x, &end, WEIR_DO_GROUP, NULL, NULL);
    outer->group = 0;
    inner = &outer->body;
    outer = add(x, &inner, WEIR_DO_MASTER, NULL, NULL);
    deep = &outer->body;
    add_call(x, &deep, WEIR_CALL_RMDIR, text_of(x, "$d"), NULL);
    add(x, &inner, WEIR_DO_BARRIER, NULL, NULL);
    add(x, &end, WEIR_DO_BARRIER, NULL, NULL)->group = WEIR_ALL_RANKS;
}

static void open_subject(struct subject *x)
{
    static const char *const words[] = {"parabench", "x.pbl"};
    struct weir_phase phase = {.verb = WEIR_PROGRAM, .depth = 1};

    *x = (struct subject){
        .plan = weir_plan_open("parabench", 2, words),
        .target = {.paths = root, .path_count = 1, .is_shared = true},
        .program = {.path = "x.pbl",
                    .source = "",
                    .variables = {variable_names, VARIABLE_COUNT},
                    .parameter_count = 1,
                    .group_count = 1,
                    .pattern_count = 1,
                    .nesting = 3,
                    .roots = root,
                    .root_count = 1},
        .group = {"g", WEIR_GROUP_DISJOINT, 1, 2, 1},
        .pattern = {.name = "p", .iter = 10, .elem = 65536, .type = 1, .level = 3, .group = 0},
        .parameter = {"directory", D, "/scratch/d", "default"},
    };
    x->program.groups = &x->group;
    x->program.patterns = &x->pattern;
    x->program.parameters = &x->parameter;
    add_statements(x);
    x->test = weir_plan_add_test(x->plan);
    x->test->backend = &store;
    phase.target = &x->target;
    phase.program = &x->program;
    x->phase = weir_plan_add_phase(x->plan, x->test, &x->test->steps, &phase);
}

/* ---- what is refused ---- */

#define CHANGE(name, ...)                                                                          \
    static void name(struct subject *x)                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

CHANGE(no_change, (void)x)
CHANGE(no_program, x->phase->program = NULL)
CHANGE(other_verb, x->phase->verb = WEIR_REMOVE)
CHANGE(no_target, x->phase->target = NULL)
CHANGE(two_paths, x->target.paths = two_roots; x->target.path_count = 2)
CHANGE(own_paths, x->target.is_shared = false)
CHANGE(empty_path, static const char *const empty[] = {""}; x->target.paths = empty)
CHANGE(directory, static const char *const slash[] = {"/"}; x->target.paths = slash)
CHANGE(depth, x->phase->depth = 2)
CHANGE(shift, x->phase->shift.kind = WEIR_SHIFT_NODES)
CHANGE(rate, x->phase->rate = (struct weir_rate){WEIR_ARRIVALS_CONSTANT, 5.0, false, true})
CHANGE(poisson, x->phase->rate = (struct weir_rate){WEIR_ARRIVALS_POISSON, 5.0, false, true})
CHANGE(bytes_rate, x->phase->rate = (struct weir_rate){WEIR_ARRIVALS_CONSTANT, 5.0, true, true})
CHANGE(job_rate, x->phase->rate = (struct weir_rate){WEIR_ARRIVALS_CONSTANT, 5.0, false, false})
CHANGE(think, x->phase->think_ns = 1000)
CHANGE(think_share, x->phase->think_ppm = 1000)
CHANGE(deadline, x->phase->stop.deadline_ns = 1000000000)
CHANGE(op_limit, x->phase->stop.op_limit = 1)
CHANGE(no_limit, x->program.on_error = WEIR_ON_ERROR_STOP)
CHANGE(limit, x->program.on_error = WEIR_ON_ERROR_STOP; x->program.error_limit = 1)
CHANGE(caches, x->test->cache_drop = WEIR_DROP_NODE)
CHANGE(verify, x->program.must_verify = true)
CHANGE(verify_void, x->program.must_verify = true; x->test->backend = &void_store)
CHANGE(verify_append, x->program.must_verify = true; x->rename->call = WEIR_CALL_APPEND)
CHANGE(verify_handle, x->program.must_verify = true; x->open->open_flags |= WEIR_OPEN_APPEND)
CHANGE(on_nameless, x->test->backend = &nameless)
CHANGE(on_void, x->test->backend = &void_store)
CHANGE(on_plain, x->test->backend = &plain)
CHANGE(plain_names, x->test->backend = &plain; x->open->open_flags = WEIR_OPEN_READ)
CHANGE(plain_calls, plain_names(x); x->rename->call = WEIR_CALL_STAT)
CHANGE(plain_write, plain_calls(x); x->rename->call = WEIR_CALL_WRITE)
CHANGE(plain_append, plain_calls(x); x->rename->call = WEIR_CALL_APPEND)
CHANGE(plain_create, plain_calls(x); x->rename->call = WEIR_CALL_CREATE)
CHANGE(plain_link, plain_calls(x); x->rename->call = WEIR_CALL_LINK)
CHANGE(plain_list, plain_calls(x); x->rename->call = WEIR_CALL_LIST)
CHANGE(on_undirect, x->test->backend = &undirect)
CHANGE(direct_flag, on_undirect(x); x->open->open_flags |= WEIR_OPEN_DIRECT)
CHANGE(direct_call, on_undirect(x); x->rename->call = WEIR_CALL_DIRECT_READ)
CHANGE(wrapped, x->test->backend = &wrapper; x->test->inner = &store)
CHANGE(wrapped_plain, x->test->backend = &wrapper; x->test->inner = &plain)

static const struct {
    change *change;
    const char *clause; /* of the refusal; NULL: accepted */
} checks[] = {
    {no_change, NULL},
    {no_program, "without its program"},
    {other_verb, "runs no program"},
    {no_target, "one directory"},
    {two_paths, "one directory"},
    {own_paths, "one directory"},
    {empty_path, "0 bytes"},
    {directory, NULL},
    {depth, "depth 1"},
    {shift, "shift"},
    {rate, NULL},
    {poisson, "rate"},
    {bytes_rate, "rate"},
    {job_rate, "rate"},
    {think, NULL},
    {think_share, "pause"},
    {deadline, NULL},
    {op_limit, "time limit"},
    {no_limit, "0 failed calls"},
    {limit, NULL},
    {caches, "caches"},
    {verify, NULL},
    {verify_void, "backend void keeps no data"},
    {verify_append, "line 9: append: where the data will be"},
    {verify_handle, "line 5: fopen: where the data will be"},
    {on_nameless, "backend nameless has no names"},
    {on_void, NULL},
    {on_plain, "line 5: backend plain does not open files with O_TRUNC, which fopen"},
    {plain_names, "line 9: backend plain has no rename"},
    {plain_calls, NULL},
    {plain_write, "O_TRUNC, which write"},
    {plain_append, "O_APPEND, which append"},
    {plain_create, "O_TRUNC, which create"},
    {plain_link, "no link"},
    {plain_list, "no list"},
    {on_undirect, NULL},
    {direct_flag, "O_DIRECT, which fopen"},
    {direct_call, "O_DIRECT, which dread"},
    {wrapped, NULL},
    {wrapped_plain, "line 5: backend wrapper does not open"},
};

static void what_a_program_or_its_backend_cannot_do_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct subject x;
        struct weir_error error = {0};
        int status;

        open_subject(&x);
        checks[i].change(&x);
        status = weir_plan_freeze(x.plan, &error);
        if ((status != 0) != (checks[i].clause != NULL) ||
            (checks[i].clause && !strstr(error.text, checks[i].clause)))
            fail_msg("row %zu: %s", i, error.text);
        weir_plan_close(x.plan);
    }
}

/* ---- the text ---- */

static const char whole_text[] = "plan   parabench\n"
                                 "test 0  STORE  in /scratch\n"
                                 "  program\n"
                                 "    param $d = \"/scratch/d\"\n"
                                 "    group g: D 1, 2 ranks, from rank 0 on\n"
                                 "    pattern p: type 1, level 3, 10 x 64 KiB per rank of g\n"
                                 "    names may be in: /scratch\n"
                                 "    $d = \"$d/$$rank\"\n"
                                 "    print \"in \\$d:\", $d\n"
                                 "    repeat $n 100\n"
                                 "      ctime \"step $n\"\n"
                                 "        $f = fopen \"$d/f\", \"w\" (write create truncate)\n"
                                 "        fwrite $f, ($n * 4096)\n"
                                 "        fclose $f\n"
                                 "      if ($n < 3)\n"
                                 "        rename \"$d/f\", \"$d/g\"\n"
                                 "      else\n"
                                 "        sleep 10\n"
                                 "    on g\n"
                                 "      master\n"
                                 "        rmdir \"$d\"\n"
                                 "      barrier\n"
                                 "    barrier of all ranks\n";

static void explain(change *how, struct weir_text *text, char id[17])
{
    struct subject x;
    struct weir_error error = {0};

    open_subject(&x);
    how(&x);
    if (weir_plan_freeze(x.plan, &error))
        fail_msg("%s", error.text);
    weir_plan_explain_work(x.plan, text);
    memcpy(id, x.plan->id, 17);
    weir_plan_close(x.plan);
}

static void a_plan_tells_its_program(void **state)
{
    struct weir_text text = {0};
    char id[17];

    explain(no_change, &text, id);
    assert_string_equal(weir_text_string(&text), whole_text);
    weir_text_close(&text);
}

CHANGE(other_value, x->parameter.value = "/scratch/e")
CHANGE(other_group, x->group.size = 3)
CHANGE(other_tag, x->group.tag = WEIR_GROUP_PLAIN)
CHANGE(other_pattern, x->pattern.elem = 4096)
CHANGE(other_level, x->pattern.level = 0)
CHANGE(more_roots, x->program.roots = two_roots; x->program.root_count = 2)
CHANGE(seed, x->program.seed_is_given = true; x->program.seed = 5)
CHANGE(skip_calls, x->program.skips_calls = true)
CHANGE(skip_sleeps, x->program.skips_sleeps = true)
CHANGE(by_time, x->repeat->duration_ns = 2000000000)
CHANGE(together, by_time(x); x->repeat->is_together = true)
CHANGE(flags, x->open->open_flags |= WEIR_OPEN_SYNC)
CHANGE(other_call, x->rename->call = WEIR_CALL_LINK)

static void whatever_changes_the_work_changes_the_id(void **state)
{
    static const struct {
        change *change;
        const char *words;
    } rows[] = {
        {other_value, "param $d = \"/scratch/e\"\n"},
        {other_group, "D 1, 3 ranks, from rank 0 on"},
        {other_tag, "without letter 1, 2 ranks, from rank 0 on"},
        {other_pattern, "10 x 4 KiB"},
        {other_level, "level 0"},
        {more_roots, "names may be in: /scratch, /home\n"},
        {limit, "end after 1 failed call of a rank\n"},
        {seed, "seed 5\n"},
        {deadline, "program; stop after 1 s\n"},
        {rate, "program; at 5 calls per second of each rank, constant\n"},
        {think, "program; pause 0.000001 s after each call\n"},
        {verify, "    verify\n"},
        {skip_calls, "without calls\n"},
        {skip_sleeps, "without sleeps\n"},
        {by_time, "repeat $n for 2 s\n"},
        {together, "repeat $n for 2 s by the first rank's clock\n"},
        {flags, "(write create truncate sync)\n"},
        {other_call, "link \"$d/f\", \"$d/g\"\n"},
    };
    struct weir_text text = {0};
    char id[17], other[17];

    explain(no_change, &text, id);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_text_clear(&text);
        explain(rows[i].change, &text, other);
        if (!strstr(weir_text_string(&text), rows[i].words))
            fail_msg("row %zu: %s", i, weir_text_string(&text));
        assert_string_not_equal(id, other);
    }
    weir_text_close(&text);
}

CHANGE(event_limit, x->program.event_limit = 10)
CHANGE(other_origin, x->parameter.origin = "environment")
CHANGE(other_place, x->program.path = "dir/x.pbl"; x->open->line = 77)

static void what_changes_no_work_keeps_the_id(void **state)
{
    static change *const rows[] = {event_limit, other_origin, other_place};
    struct weir_text text = {0};
    char id[17], other[17];

    explain(no_change, &text, id);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        explain(rows[i], &text, other);
        assert_string_equal(id, other);
    }
    weir_text_close(&text);
}

/* ---- the rest ---- */

static void patterns_are_found_by_name(void **state)
{
    struct subject x;

    open_subject(&x);
    assert_ptr_equal(weir_program_find_pattern(&x.program, "p"), &x.pattern);
    assert_null(weir_program_find_pattern(&x.program, "P"));
    weir_plan_close(x.plan);
}

static void nothing_is_known_of_the_room_that_a_program_needs(void **state)
{
    struct subject x;
    struct weir_need need;
    struct weir_tree_need tree;

    open_subject(&x);
    weir_test_need(x.test, &need);
    assert_null(need.target);
    weir_test_tree_need(x.test, &tree);
    assert_null(tree.phase);
    assert_int_equal(weir_phase_op_bytes(x.phase), 0);
    weir_plan_close(x.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_share_the_ranks_out_by_their_tags),
        cmocka_unit_test(every_operation_has_a_row_and_is_found_by_its_word),
        cmocka_unit_test(operations_have_the_verbs_of_backends),
        cmocka_unit_test(what_a_program_or_its_backend_cannot_do_is_refused),
        cmocka_unit_test(a_plan_tells_its_program),
        cmocka_unit_test(whatever_changes_the_work_changes_the_id),
        cmocka_unit_test(what_changes_no_work_keeps_the_id),
        cmocka_unit_test(patterns_are_found_by_name),
        cmocka_unit_test(nothing_is_known_of_the_room_that_a_program_needs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a sweep: whose numbers they hold, what has none, and what is said of them. */
#include "report_cases.h"

#include "report/sweep/sweep.h"

#include <math.h>
#include <unistd.h>

#define STEPS_MAX 12
#define REPETITIONS 5
#define MB 1e6

static const char *const six_ranks[] = {"1", "2", "4", "8", "16", "32"};
static const char *const three_backends[] = {"posix", "uring", "stdio"};
static const char *const four_transfers[] = {"64k", "256k", "1m", "4m"};

/* Repetitions lie around the rate by so many parts of a percent. */
static const double jitter[REPETITIONS] = {0.0, 1.2, -0.9, 0.4, -1.6};

struct axis {
    const char *name;
    const char *const *values;
    unsigned count;
};

/* A test for each step, without phases. */
static struct scene make(const struct axis axes[], unsigned axis_count, uint64_t repetitions)
{
    struct scene scene = SCENE_OPEN("ior", "-t", "1m", "-o", "/scratch/f");
    struct weir_sweep *sweep = &scene.plan->sweep;
    unsigned inner = axes[axis_count - 1].count, steps = 1;

    weir_result_close(scene.result);
    scene.result = weir_result_open(STEPS_MAX);
    scene.result->begun_s = scene.result->finished_s = BEGUN_S;
    scene.plan->output.reporter = "ior";
    sweep->axis_count = axis_count;
    for (unsigned a = 0; a < axis_count; a++) {
        sweep->axes[a] = (struct weir_sweep_axis){axes[a].name, axes[a].values, axes[a].count};
        steps *= axes[a].count;
    }
    for (unsigned i = 0; i < steps; i++) {
        unsigned ranks = 4;
        struct weir_test *test;

        for (unsigned a = 0; a < axis_count; a++)
            if (strcmp(axes[a].name, "ranks") == 0)
                ranks = (unsigned)strtoul(
                    axes[a].values[a + 1 == axis_count ? i % inner : i / inner], NULL, 10);
        test = scene_test(&scene, ranks, "/scratch/f");
        test->dialect = "ior";
        test->sweep_step = i;
        test->repetitions = repetitions;
    }
    return scene;
}

static struct weir_phase *add_phase(struct scene *scene, unsigned step, enum weir_verb verb)
{
    struct weir_test *test = scene->plan->tests[step];
    struct weir_layout layout = {.segment_count = 1, .transfer_bytes = MIB};

    layout.block_bytes = 8 * GIB / scene->result->tests[step].rank_count;
    return scene_phase(scene, test, verb, scene_target(scene, "/scratch/f", true), layout);
}

static struct weir_phase_result *add_result(struct scene *scene, const struct weir_phase *phase,
                                            unsigned step, unsigned repetition, double rate)
{
    double seconds = 8.0 * GIB / (rate * (1.0 + jitter[repetition % REPETITIONS] / 100.0));

    return scene_done(scene, scene->plan->tests[step], phase, repetition,
                      (struct scene_row){8 * GIB, 0.001, seconds - 0.002, 0.001, seconds, 0.002});
}

/* Phases of each step, as the lists of rates are there; no repetitions where a rate is 0. */
static void add_kinds(struct scene *scene, const double writes[], const double reads[])
{
    const double *const rates[] = {writes, reads};

    for (unsigned i = 0; i < scene->plan->test_count; i++)
        for (unsigned r = 0; r < 2; r++) {
            const struct weir_phase *phase =
                rates[r] != NULL ? add_phase(scene, i, r == 0 ? WEIR_WRITE : WEIR_READ) : NULL;

            for (unsigned k = 0;
                 phase != NULL && rates[r][i] > 0.0 && k < scene->plan->tests[i]->repetitions; k++)
                add_result(scene, phase, i, k, rates[r][i]);
        }
}

static void make_failed_phase(struct weir_phase_result *done)
{
    done->outcome = WEIR_OUTCOME_PARTIAL;
    done->failure = "rank 3 on n1: write: No space left on device";
    done->error_count = 1;
}

static struct weir_phase_result *find(struct scene *scene, unsigned step, enum weir_verb verb,
                                      unsigned repetition)
{
    for (unsigned i = 0; i < scene->result->phase_count; i++) {
        struct weir_phase_result *done = &scene->result->phases[i];

        if (done->test == step && done->repetition == repetition &&
            weir_plan_find_phase(scene->plan, step, done->phase)->verb == verb)
            return done;
    }
    fail_msg("no such phase");
    return NULL;
}

/* ---- scenes ---- */

/* Writes level off, and fail at the last step; reads come from a cache first, and fall. */
static struct scene make_ranks(void)
{
    static const double writes[] = {300e6, 590e6, 1150e6, 2080e6, 2110e6, 2090e6},
                        reads[] = {9000e6, 1700e6, 2900e6, 2950e6, 2100e6, 0};
    struct scene scene = make((struct axis[]){{"ranks", six_ranks, 6}}, 1, REPETITIONS);

    scene.plan->sweep.total_bytes = 8 * GIB;
    scene.plan->sweep.write_limit_per_s = 2500e6;
    scene.plan->sweep.read_limit_per_s = 4000e6;
    add_kinds(&scene, writes, reads);
    for (unsigned k = 0; k < REPETITIONS; k++) {
        make_failed_phase(find(&scene, 5, WEIR_WRITE, k));
        weir_result_find(find(&scene, 0, WEIR_READ, k), WEIR_FINDING_RESIDENT, "in memory");
        weir_result_find(find(&scene, 3, WEIR_READ, k), WEIR_FINDING_SHORT, "%u ms", k);
    }
    weir_result_find(find(&scene, 3, WEIR_READ, 2), WEIR_FINDING_STALL, "for 3 s");
    return scene;
}

static struct scene make_once(void)
{
    static const double writes[] = {300e6, 590e6, 1150e6, 2080e6, 1500e6, 1900e6};
    struct scene scene = make((struct axis[]){{"ranks", six_ranks, 6}}, 1, 1);

    add_kinds(&scene, writes, NULL);
    return scene;
}

static struct scene make_flat(void)
{
    static const double writes[] = {2000e6, 2010e6, 1990e6, 2005e6, 1995e6, 2002e6};
    struct scene scene = make((struct axis[]){{"ranks", six_ranks, 6}}, 1, 3);

    add_kinds(&scene, writes, NULL);
    return scene;
}

static struct scene make_two_axes(void)
{
    static const double writes[] = {300e6,  1100e6, 2000e6, 2020e6, 310e6, 900e6,
                                    1500e6, 700e6,  0,      0,      0,     0};
    struct scene scene = make(
        (struct axis[]){{"backend", three_backends, 3}, {"transfer", four_transfers, 4}}, 2, 3);

    add_kinds(&scene, writes, NULL);
    return scene;
}

static struct scene make_backends(void)
{
    static const double reads[] = {1500e6, 2020e6, 2000e6};
    struct scene scene = make((struct axis[]){{"backend", three_backends, 3}}, 1, 3);

    add_kinds(&scene, NULL, reads);
    return scene;
}

static const struct weir_tree tree = {
    .node = "n.%k", .set_count = 1, .is_own = true, .items_per_directory = 100};

static struct scene make_names(void)
{
    static const enum weir_verb verbs[] = {WEIR_CREATE, WEIR_STAT};
    struct scene scene = make((struct axis[]){{"ranks", six_ranks, 4}}, 1, 3);

    scene.plan->dialect = "mdtest";
    for (unsigned i = 0; i < 4; i++) {
        struct weir_target *target = scene_target(&scene, "/d", false);

        target->tree = &tree;
        scene.plan->tests[i]->dialect = "mdtest";
        for (unsigned v = 0; v < 2; v++) {
            struct weir_phase phase = {
                .verb = verbs[v], .target = target, .depth = 1, .names.item = "f.%r.%n"};
            struct weir_test *test = scene.plan->tests[i];
            const struct weir_phase *planned =
                weir_plan_add_phase(scene.plan, test, &test->steps, &phase);

            for (unsigned k = 0; k < 3; k++) {
                struct weir_phase_result *done = weir_result_add_phase(scene.result);
                unsigned ranks = scene.result->tests[i].rank_count;

                done->test = i;
                done->phase = planned->number;
                done->repetition = k;
                done->rank_count = ranks;
                done->node_count = 1;
                done->op_count = 100 * ranks;
                done->rank_ops_min = done->rank_ops_max = 100;
                done->failure = "";
                done->windows.total_s =
                    100.0 * ranks / (1000.0 * (v + 1) * (i + 1) * (1.0 + jitter[k] / 100.0));
                done->submission = done->response = NULL;
                done->write_latency = done->read_latency = NULL;
                weir_histogram_add_many(done->latency, 1000000 * (k + 1), 100);
            }
        }
    }
    return scene;
}

static const struct {
    const char *name;
    struct scene (*make)(void);
} cases[] = {{"ranks", make_ranks},       {"once", make_once},         {"flat", make_flat},
             {"two-axes", make_two_axes}, {"backends", make_backends}, {"names", make_names}};
#define CASES (sizeof cases / sizeof *cases)

/* ---- numbers ---- */

static const struct weir_sweep_table *tables_of(struct scene *scene, struct weir_arena *arena,
                                                unsigned expected)
{
    unsigned count;
    const struct weir_sweep_table *tables =
        weir_sweep_tables(arena, scene->plan, scene->result, &count);

    assert_int_equal(count, expected);
    return tables;
}

static double median_of(const struct weir_sweep_table *table, unsigned row)
{
    return table->trends[row / table->group_size].steps[row % table->group_size].median;
}

static void rows_hold_medians_shares_and_efficiencies(void **state)
{
    struct scene scene = make_ranks();
    struct weir_arena arena = {0};
    const struct weir_sweep_table *writes = tables_of(&scene, &arena, 2), *reads = writes + 1;

    assert_string_equal(writes->name, "write");
    assert_string_equal(reads->name, "read");
    assert_int_equal(writes->count, 6);
    assert_true(writes->has_efficiency);
    assert_false(writes->counts_ops);
    for (unsigned i = 0; i < 5; i++) {
        const struct weir_sweep_row *row = &writes->rows[i];

        assert_int_equal(row->state, WEIR_SWEEP_COMPLETE);
        assert_int_equal(row->count, REPETITIONS);
        assert_int_equal(row->rank_count, 1u << i);
        assert_int_equal(row->bytes_per_rank * row->rank_count, 8 * GIB);
        assert_float_equal(row->of_limit, median_of(writes, i) / 2500e6, 1e-9);
        assert_float_equal(row->efficiency,
                           median_of(writes, i) / row->rank_count / median_of(writes, 0), 1e-9);
        if (i > 0)
            assert_float_equal(row->change, median_of(writes, i) / median_of(writes, i - 1), 1e-9);
        assert_true(row->p99_s > 0.002);
    }
    assert_float_equal(median_of(writes, 0), 300e6, 1.0);
    assert_float_equal(writes->trends[0].steps[0].spread, 0.014, 1e-6);
    assert_float_equal(writes->rows[0].efficiency, 1.0, 0.0);
    assert_float_equal(writes->rows[0].change, 0.0, 0.0);
    assert_int_equal(writes->trends[0].knee, 3);
    assert_int_equal(writes->trends[0].best, 4);
    assert_true(reads->rows[0].of_limit > 2.2);
    assert_string_equal(reads->rows[0].findings, "resident");
    assert_string_equal(reads->rows[3].findings, "short, stall");
    assert_null(reads->rows[1].findings);
    weir_arena_close(&arena);
    scene_close(&scene);
}

/* What failed, was cut, or read wrong data is no rate, however fast it was. */
static void rates_are_of_what_is_complete_and_right(void **state)
{
    static const double rates[] = {100e6, 200e6, 300e6, 400e6, 500e6, 600e6};
    static const struct {
        enum weir_sweep_state state;
        unsigned count;
    } expected[] = {{WEIR_SWEEP_COMPLETE, 3},    {WEIR_SWEEP_FAILED, 2},  {WEIR_SWEEP_WRONG, 2},
                    {WEIR_SWEEP_INTERRUPTED, 2}, {WEIR_SWEEP_SKIPPED, 2}, {WEIR_SWEEP_FAILED, 0}};
    struct scene scene = make((struct axis[]){{"ranks", six_ranks, 6}}, 1, 3);
    struct weir_arena arena = {0};
    const struct weir_sweep_table *table;

    add_kinds(&scene, NULL, rates);
    make_failed_phase(find(&scene, 1, WEIR_READ, 1));
    find(&scene, 1, WEIR_READ, 1)->windows.total_s /= 100.0;
    find(&scene, 2, WEIR_READ, 0)->mismatches.wrong_transfers = 1;
    find(&scene, 3, WEIR_READ, 2)->outcome = WEIR_OUTCOME_PARTIAL;
    find(&scene, 3, WEIR_READ, 2)->is_interrupted = true;
    find(&scene, 4, WEIR_READ, 2)->outcome = WEIR_OUTCOME_SKIPPED;
    for (unsigned k = 0; k < 3; k++)
        find(&scene, 5, WEIR_READ, k)->has_lost_bytes = true;
    table = tables_of(&scene, &arena, 1);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(table->rows[i].state, expected[i].state);
        assert_int_equal(table->rows[i].count, expected[i].count);
        assert_int_equal(table->rows[i].planned_count, 3);
        if (expected[i].count > 0)
            assert_float_equal(median_of(table, i), rates[i], 0.01 * rates[i]);
    }
    assert_float_equal(table->rows[5].efficiency, 0.0, 0.0);
    assert_int_equal(table->trends[0].measured, 5);
    weir_arena_close(&arena);
    scene_close(&scene);
}

/* A step that was not reached has no rate, and nothing is compared with it. */
static void missing_steps_are_compared_with_nothing(void **state)
{
    static const double rates[] = {0, 200e6, 0, 400e6, 500e6, 0};
    struct scene scene = make((struct axis[]){{"ranks", six_ranks, 6}}, 1, 3);
    struct weir_arena arena = {0};
    const struct weir_sweep_table *table;

    add_kinds(&scene, rates, NULL);
    table = tables_of(&scene, &arena, 1);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(table->rows[i].state,
                         rates[i] > 0.0 ? WEIR_SWEEP_COMPLETE : WEIR_SWEEP_MISSING);
        assert_int_equal(table->rows[i].rank_count, rates[i] > 0.0 ? 1u << i : 0);
    }
    assert_float_equal(table->rows[1].efficiency, 1.0, 0.0);
    assert_float_equal(table->rows[3].change, 0.0, 0.0);
    assert_float_equal(table->rows[4].change, 1.25, 1e-6);
    assert_float_equal(table->rows[4].efficiency, 500.0 / 16 / (200.0 / 2), 1e-6);
    /* One repetition of three. */
    weir_arena_close(&arena);
    scene_done(&scene, scene.plan->tests[5], scene.plan->tests[5]->phases[0], 0,
               (struct scene_row){8 * GIB, 0.1, 8, 0.1, 8.2, 0.002});
    table = tables_of(&scene, &arena, 1);
    assert_int_equal(table->rows[5].state, WEIR_SWEEP_MISSING);
    assert_int_equal(table->rows[5].count, 1);
    weir_arena_close(&arena);
    scene_close(&scene);
}

static void groups_are_those_of_the_first_axis(void **state)
{
    struct scene scene = make_two_axes();
    struct weir_arena arena = {0};
    const struct weir_sweep_table *table = tables_of(&scene, &arena, 1);

    assert_int_equal(table->group_count, 3);
    assert_int_equal(table->group_size, 4);
    assert_false(table->has_efficiency);
    assert_string_equal(table->rows[5].values[0], "uring");
    assert_string_equal(table->rows[5].values[1], "256k");
    assert_float_equal(table->rows[4].change, 0.0, 0.0);
    assert_float_equal(table->rows[5].change, 900.0 / 310, 1e-6);
    assert_int_equal(table->trends[0].knee, 2);
    assert_int_equal(table->trends[1].best, 2);
    assert_int_equal(table->trends[2].measured, 0);
    weir_arena_close(&arena);
    scene_close(&scene);
}

/* Where ranks are the first of two axes, they are compared at the same value of the second. */
static void efficiency_follows_the_ranks(void **state)
{
    static const double rates[] = {100e6, 200e6, 150e6, 100e6, 0, 0};
    struct scene scene =
        make((struct axis[]){{"ranks", six_ranks, 3}, {"transfer", four_transfers, 2}}, 2, 3);
    struct weir_arena arena = {0};
    const struct weir_sweep_table *table;

    add_kinds(&scene, rates, NULL);
    for (unsigned n = 0; n < 2; n++) {
        scene.plan->sweep.axes[0].name = n == 0 ? "ranks" : "ranks-per-node";
        table = tables_of(&scene, &arena, 1);
        assert_true(table->has_efficiency);
        assert_float_equal(table->rows[0].efficiency, 1.0, 0.0);
        assert_float_equal(table->rows[1].efficiency, 1.0, 0.0);
        assert_float_equal(table->rows[2].efficiency, 0.75, 1e-6);
        assert_float_equal(table->rows[3].efficiency, 0.25, 1e-6);
        assert_float_equal(table->rows[4].efficiency, 0.0, 0.0);
        weir_arena_close(&arena);
    }
    scene_close(&scene);
}

/* Along an axis of one value nothing changes. */
static void efficiency_is_along_what_changes(void **state)
{
    static const double rates[] = {100e6, 150e6, 100e6};
    struct scene scene =
        make((struct axis[]){{"nodes", six_ranks, 1}, {"ranks-per-node", six_ranks, 3}}, 2, 3);
    struct weir_arena arena = {0};
    const struct weir_sweep_table *table;

    for (unsigned i = 0; i < 3; i++)
        scene.result->tests[i].rank_count = 1u << i;
    add_kinds(&scene, rates, NULL);
    table = tables_of(&scene, &arena, 1);
    assert_float_equal(table->rows[0].efficiency, 1.0, 0.0);
    assert_float_equal(table->rows[1].efficiency,
                       1.5 * table->rows[0].rank_count / table->rows[1].rank_count, 1e-6);
    assert_float_equal(table->rows[2].efficiency,
                       1.0 * table->rows[0].rank_count / table->rows[2].rank_count, 1e-6);
    assert_true(table->rows[2].rank_count > table->rows[0].rank_count);
    weir_arena_close(&arena);
    scene_close(&scene);
}

static void names_are_counted_in_operations(void **state)
{
    struct scene scene = make_names();
    struct weir_arena arena = {0};
    const struct weir_sweep_table *tables = tables_of(&scene, &arena, 2);

    assert_string_equal(tables[0].name, "create files");
    assert_string_equal(tables[1].name, "stat files");
    assert_true(tables[1].counts_ops);
    assert_false(tables[1].moves_data);
    assert_float_equal(median_of(&tables[1], 2), 6000.0, 1.0);
    assert_float_equal(tables[1].rows[2].efficiency, 0.75, 1e-3);
    assert_float_equal(tables[1].rows[2].p99_s, 0.003, 0.00003);
    weir_arena_close(&arena);
    scene_close(&scene);
}

/* Its tests have words. What its children see, each in its own time, is more than all moved in the
 * whole of it. */
static void rates_of_iozone_are_of_the_whole_time(void **state)
{
    static const char *const words[] = {"bytes", "ops"};

    for (unsigned unit = 0; unit < 2; unit++) {
        struct scene scene = make((struct axis[]){{"ranks", six_ranks, 2}}, 1, 1);
        struct weir_setting settings[] = {{"tests", "write rewrite -"}, {"unit", words[unit]}};
        struct weir_arena arena = {0};
        const struct weir_sweep_table *tables;
        double ops_per_s = 0.0; /* of the last rewrite */

        scene.plan->dialect = "iozone";
        scene.plan->sweep.write_limit_per_s = 1000e6;
        for (unsigned i = 0; i < 2; i++) {
            scene.plan->tests[i]->dialect = "iozone";
            scene.plan->tests[i]->settings = settings;
            scene.plan->tests[i]->setting_count = 2;
            for (unsigned k = 0; k < 3; k++) {
                const struct weir_phase *phase =
                    add_phase(&scene, i, k < 2 ? WEIR_WRITE : WEIR_REMOVE);
                struct weir_phase_result *done =
                    add_result(&scene, phase, i, 0, 100e6 * (k + 1) * (i + 1));

                done->op_count = 1000 * (k + 1) * (i + 1);
                if (k == 1)
                    ops_per_s = (double)done->op_count / done->windows.total_s;
                done->counted.bytes_per_s_sum = 4 * 100e6 * (k + 1) * (i + 1);
                done->counted.ops_per_s_sum = 4 * 100.0 * (k + 1) * (i + 1);
            }
        }
        tables = tables_of(&scene, &arena, 2);
        assert_string_equal(tables[0].name, "write");
        assert_string_equal(tables[1].name, "rewrite");
        assert_int_equal(tables[1].counts_ops, unit == 1);
        assert_float_equal(median_of(&tables[1], 1), unit == 1 ? ops_per_s : 400e6, 1e-3);
        assert_float_equal(tables[1].rows[1].of_limit, 0.4, 1e-9);
        weir_arena_close(&arena);
        scene_close(&scene);
    }
}

/* Phases of a name that differ in size are no repetitions of each other. */
static void sizes_have_tables_of_their_own(void **state)
{
    static const double rates[] = {100e6, 200e6};
    struct scene scene = make((struct axis[]){{"depth", six_ranks, 2}}, 1, 1);
    struct weir_arena arena = {0};
    const struct weir_sweep_table *tables;

    add_kinds(&scene, rates, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct weir_phase *phase = add_phase(&scene, i, WEIR_WRITE);

        phase->transfers.layout.transfer_bytes *= 2;
        add_result(&scene, phase, i, 0, 10 * rates[i]);
    }
    tables = tables_of(&scene, &arena, 2);
    assert_string_equal(tables[0].name, "write");
    assert_string_equal(tables[1].name, "write (2)");
    assert_int_equal(tables[0].rows[0].count, 1);
    assert_float_equal(median_of(&tables[1], 1), 2000e6, 1.0);
    weir_arena_close(&arena);
    scene_close(&scene);
}

/* ---- texts ---- */

static void report(struct scene *scene, const char *reporter, struct weir_text *text)
{
    scene->plan->output.reporter = reporter;
    weir_text_clear(text);
    weir_report_whole(text, scene->plan, scene->result);
}

static void expect(const char *name, const struct weir_text *text)
{
    struct weir_text expected = {0};
    const char *path = scene_golden(name);

    if (getenv("WEIR_BLESS") != NULL)
        scene_store(path, weir_text_string(text));
    scene_load(path, &expected);
    assert_string_equal(weir_text_string(text), weir_text_string(&expected));
    weir_text_close(&expected);
}

static void tables_and_sentences_are_those_of_the_goldens(void **state)
{
    for (size_t i = 0; i < CASES; i++) {
        struct scene scene = cases[i].make();
        struct weir_text text = {0};
        char name[64];

        report(&scene, "sweep", &text);
        snprintf(name, sizeof name, "report/sweep-%s.sweep", cases[i].name);
        expect(name, &text);
        assert_true(weir_report_is_held(weir_text_string(&text)));
        weir_text_close(&text);
        scene_close(&scene);
    }
}

static void block_ends_the_report_unless_it_is_plain(void **state)
{
    struct scene scene = make_ranks();
    struct weir_text block = {0}, whole = {0};

    report(&scene, "sweep", &block);
    report(&scene, "ior", &whole);
    assert_true(whole.length > block.length);
    assert_string_equal(whole.data + whole.length - block.length, weir_text_string(&block));
    scene.plan->output.is_plain = true;
    report(&scene, "ior", &whole);
    assert_null(strstr(weir_text_string(&whole), "sweep"));
    scene.plan->output.is_plain = false;
    scene.plan->sweep.axis_count = 0;
    report(&scene, "ior", &whole);
    assert_null(strstr(weir_text_string(&whole), "sweep"));
    weir_text_close(&block);
    weir_text_close(&whole);
    scene_close(&scene);
}

static void file_gives_the_same_bytes(void **state)
{
    for (size_t i = 0; i < CASES; i++) {
        struct scene scene = cases[i].make();
        const char *const formats_of_sweeps[] = {"sweep", WEIR_REPORTER_CSV, scene.plan->dialect};
        struct weir_text lines = {0}, live = {0}, again = {0};
        struct weir_recorded read = {0};
        struct weir_error error = {0};
        char path[] = "/tmp/weir-sweep-XXXXXX";
        int descriptor = mkstemp(path);

        assert_true(descriptor >= 0);
        close(descriptor);
        record_whole(&lines, &scene);
        scene_store(path, weir_text_string(&lines));
        if (weir_record_read(path, WEIR_LAST_RUN, &read, &error) != 0)
            fail_msg("%s", error.text);
        unlink(path);
        for (size_t k = 0; k < 3; k++) {
            struct scene other = {read.plan, read.result};

            report(&scene, formats_of_sweeps[k], &live);
            report(&other, formats_of_sweeps[k], &again);
            assert_string_equal(weir_text_string(&live), weir_text_string(&again));
        }
        weir_recorded_close(&read);
        weir_text_close(&lines);
        weir_text_close(&live);
        weir_text_close(&again);
        scene_close(&scene);
    }
}

/* Each line of values names its step. */
static void lines_of_values_have_the_step(void **state)
{
    for (size_t c = 0; c < CASES; c++) {
        struct scene scene = cases[c].make();
        const struct weir_sweep *sweep = &scene.plan->sweep;
        struct weir_text text = {0}, cell = {0};

        report(&scene, WEIR_REPORTER_CSV, &text);
        assert_true(weir_report_is_held(weir_text_string(&text)));
        for (unsigned i = 0; i < sweep->axes[0].count && sweep->axis_count == 1; i++) {
            weir_text_clear(&cell);
            weir_text_add(&cell, ",%s=%s,", sweep->axes[0].name, sweep->axes[0].values[i]);
            if (scene.result->test_count == scene.plan->test_count)
                assert_non_null(strstr(text.data, weir_text_string(&cell)));
        }
        weir_text_close(&text);
        weir_text_close(&cell);
        scene_close(&scene);
    }
}

/* A file may hold anything. */
static void damaged_plans_have_no_tables(void **state)
{
    struct scene scene = make_once();
    struct weir_arena arena = {0};

    scene.plan->tests[2]->sweep_step = 4000000000u;
    assert_int_equal(tables_of(&scene, &arena, 1)->rows[2].state, WEIR_SWEEP_MISSING);
    weir_arena_close(&arena);
    scene.plan->sweep.axes[0].count = 0;
    tables_of(&scene, &arena, 0);
    scene.plan->sweep.axis_count = 2;
    scene.plan->sweep.axes[0].count = scene.plan->sweep.axes[1].count = 1u << 10;
    tables_of(&scene, &arena, 0);
    weir_arena_close(&arena);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_medians_shares_and_efficiencies),
        cmocka_unit_test(rates_are_of_what_is_complete_and_right),
        cmocka_unit_test(missing_steps_are_compared_with_nothing),
        cmocka_unit_test(groups_are_those_of_the_first_axis),
        cmocka_unit_test(efficiency_follows_the_ranks),
        cmocka_unit_test(efficiency_is_along_what_changes),
        cmocka_unit_test(names_are_counted_in_operations),
        cmocka_unit_test(rates_of_iozone_are_of_the_whole_time),
        cmocka_unit_test(sizes_have_tables_of_their_own),
        cmocka_unit_test(tables_and_sentences_are_those_of_the_goldens),
        cmocka_unit_test(block_ends_the_report_unless_it_is_plain),
        cmocka_unit_test(file_gives_the_same_bytes),
        cmocka_unit_test(lines_of_values_have_the_step),
        cmocka_unit_test(damaged_plans_have_no_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

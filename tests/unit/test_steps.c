/* SPDX-License-Identifier: Apache-2.0 */
/* Steps within steps: what is refused, what is explained, and what the engine makes of them on
 * ranks that are threads. */
#include "engine_bed.h"
#include "thread_group.h"

#include "weir/report/report.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

enum { SIZE = 4, BLOCK = 16384 };

/* ---- a plan whose steps a test makes ---- */

struct scene {
    char directory[64];
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_phase *write, *remove; /* patterns: not in the tree */
    struct weir_target *few_target;    /* files for some of the ranks */
    struct weir_result *result;
    struct world world;
    struct weir_clock clock;
    volatile sig_atomic_t stop_signals[SIZE];
    int rank_to_stop;             /* which gets a signal ... */
    unsigned phases_until_signal; /* ... after so many phases; 0: none */
};

static unsigned lines_of(const struct scene *scene, const char *name)
{
    char path[128], line[64];
    unsigned count = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", scene->directory, name);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        count++;
    if (file != NULL)
        fclose(file);
    unlink(path);
    return count;
}

static void open_scene(struct scene *scene, const char *backend)
{
    const struct weir_descriptor *descriptors[16];
    const char *words[WORDS_MAX] = {"ior", "-a", backend, "-w", "-t", "4k", "-b", "16k", "-o"};
    struct weir_error error = {0};
    struct weir_backends backends;
    struct weir_command command;
    char path[128];
    int count = 9;

    memset(scene, 0, sizeof *scene);
    snprintf(scene->directory, sizeof scene->directory, "/tmp/test_steps.XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    snprintf(path, sizeof path, "%s/f", scene->directory);
    words[count++] = path;
    if (strncmp(backend, "fault:", 6) == 0) {
        words[count++] = "--fault.verb=write";
        words[count++] = "--fault.at=9";
        words[count++] = "--fault.rank=1";
        words[count++] = "--fault.errno=EIO";
    }
    list_descriptors(&backends, &weir_registry, descriptors);
    if (weir_front_read(count, words, &backends, &command, &error) != 0)
        fail_msg("%s", error.text);
    scene->plan = command.plan;
    command.plan = NULL;
    weir_command_close(&command);
    scene->test = scene->plan->tests[0];
    scene->test->watchdog_ns = 0;
    scene->write = scene->test->phases[0];
    scene->remove = scene->test->phases[1];
    assert_int_equal(scene->write->verb, WEIR_WRITE);
    assert_int_equal(scene->remove->verb, WEIR_REMOVE);
    scene->test->steps = NULL;
    scene->test->phase_count = 0;
    scene->test->phases = NULL;
    scene->plan->phase_count = 0;
    scene->few_target = weir_arena_take(&scene->plan->arena, sizeof *scene->few_target);
    *scene->few_target = *scene->write->target;
    snprintf(path, sizeof path, "%s/few", scene->directory);
    scene->few_target->paths = weir_arena_take(&scene->plan->arena, sizeof(char *));
    *(const char **)scene->few_target->paths = weir_arena_copy(&scene->plan->arena, path);
}

static void close_scene(struct scene *scene)
{
    char path[128];

    weir_result_close(scene->result);
    weir_plan_close(scene->plan);
    snprintf(path, sizeof path, "%s/f", scene->directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/few", scene->directory);
    unlink(path);
    assert_int_equal(rmdir(scene->directory), 0);
}

static struct weir_phase *add(struct scene *scene, struct weir_step **steps,
                              const struct weir_phase *pattern)
{
    return weir_plan_add_phase(scene->plan, scene->test, steps, pattern);
}

static void add_few(struct scene *scene, struct weir_step **steps)
{
    add(scene, steps, scene->write)->target = scene->few_target;
}

static struct weir_step *on_ranks(struct scene *scene, struct weir_step **steps, uint64_t first,
                                  uint64_t count, uint64_t stride)
{
    return weir_plan_add_on_ranks(scene->plan, scene->test, steps,
                                  &(struct weir_rank_set){first, count, stride});
}

/* ---- runs ---- */

struct member {
    struct scene *scene;
    int rank;
    pthread_t thread;
    struct weir_error error;
};

static int raise_signal(void *context, struct weir_phase_result *phase, struct weir_error *error)
{
    struct scene *scene = context;

    (void)phase;
    (void)error;
    if (scene->phases_until_signal == scene->result->phase_count)
        scene->stop_signals[scene->rank_to_stop] = 15;
    return 0;
}

static void *take_part(void *context)
{
    struct member *member = context;
    struct scene *scene = member->scene;
    const struct weir_observer observer = {.context = scene, .phase_done = raise_signal};
    struct thread_group group;

    memset(&group, 0, sizeof group);
    join_world(&group, &scene->world, member->rank);
    weir_engine_run(&(struct weir_engine_params){.plan = scene->plan,
                                                 .registry = &weir_registry,
                                                 .group = &group.base,
                                                 .clock = &scene->clock,
                                                 .observer = &observer,
                                                 .stop_signal = &scene->stop_signals[member->rank]},
                    member->rank == 0 ? scene->result : NULL, &member->error);
    return NULL;
}

/* Returns when all ranks have; their errors are the same: `code`, and a sentence that has `words`.
 */
static void run_to_error(struct scene *scene, int size, int nodes, int code, const char *words)
{
    struct member members[SIZE];
    struct weir_error error = {0};

    if (weir_plan_freeze(scene->plan, &error) != 0)
        fail_msg("%s", error.text);
    scene->result = weir_result_open((unsigned)scene->plan->test_count);
    weir_clock_calibrate(&scene->clock, true);
    open_world(&scene->world, size, size / nodes);
    for (int rank = 0; rank < size; rank++) {
        members[rank] = (struct member){.scene = scene, .rank = rank};
        assert_int_equal(pthread_create(&members[rank].thread, NULL, take_part, &members[rank]), 0);
    }
    for (int rank = 0; rank < size; rank++)
        pthread_join(members[rank].thread, NULL);
    close_world(&scene->world);
    for (int rank = 0; rank < size; rank++) {
        assert_int_equal(members[rank].error.code, code);
        assert_non_null(strstr(members[rank].error.text, words));
        assert_true(code != 0 || members[rank].error.text[0] == '\0');
    }
}

static void run_on_ranks(struct scene *scene, int size)
{
    run_to_error(scene, size, 1, 0, "");
}

static void assert_loops(const uint64_t *loops, unsigned count, uint64_t outer, uint64_t inner)
{
    assert_int_equal(count, 2);
    assert_int_equal(loops[0], outer);
    assert_int_equal(loops[1], inner);
}

/* outer 10: timed "outer": inner 2: barrier, timed "inner": write; on 2 ranks: write */
static void make_nested(struct scene *scene)
{
    struct weir_step **outer = &weir_plan_add_repeat(scene->plan, &scene->test->steps, 10)->body;
    struct weir_step **timed = &weir_plan_add_timed(scene->plan, outer, "outer")->body;
    struct weir_step **inner = &weir_plan_add_repeat(scene->plan, timed, 2)->body;

    weir_plan_add_barrier(scene->plan, inner);
    add(scene, &weir_plan_add_timed(scene->plan, inner, "inner")->body, scene->write);
    add_few(scene, &on_ranks(scene, inner, 0, 2, 1)->body);
    scene->test->repetitions = 10;
}

static void every_round_of_nested_loops_is_recorded_with_its_place(void **state)
{
    const struct weir_timed_result *times;
    struct scene scene;

    (void)state;
    open_scene(&scene, "POSIX");
    make_nested(&scene);
    run_on_ranks(&scene, SIZE);
    assert_int_equal(scene.result->phase_count, 40);
    for (unsigned i = 0; i < 40; i++) {
        const struct weir_phase_result *phase = &scene.result->phases[i];
        unsigned ranks = i % 2 == 0 ? SIZE : 2;

        assert_loops(phase->loops, phase->loop_count, i / 4, i / 2 % 2);
        assert_int_equal(phase->repetition, i / 4);
        assert_int_equal(phase->outcome, WEIR_OUTCOME_COMPLETE);
        assert_int_equal(phase->rank_count, ranks);
        assert_int_equal(phase->byte_count, ranks * BLOCK);
        assert_int_equal(phase->file_bytes, ranks * BLOCK);
    }
    assert_int_equal(scene.result->timed_count, 30);
    times = scene.result->timed;
    for (unsigned i = 0; i < 10; i++, times += 3) {
        assert_loops(times[0].loops, times[0].loop_count, i, 0);
        assert_loops(times[1].loops, times[1].loop_count, i, 1);
        assert_int_equal(times[2].loop_count, 1);
        assert_int_equal(times[2].loops[0], i);
        assert_string_equal(times[0].label, "inner");
        assert_string_equal(times[2].label, "outer");
        assert_int_equal(times[2].rank_count, SIZE);
        assert_true(times[0].seconds > 0 && times[1].seconds > 0);
        assert_true(times[0].seconds + times[1].seconds <= times[2].seconds);
    }
    close_scene(&scene);
}

static void a_thousand_loops_within_one_another_run(void **state)
{
    struct weir_step **steps;
    struct scene scene;

    (void)state;
    open_scene(&scene, "POSIX");
    steps = &scene.test->steps;
    for (unsigned i = 0; i < 1000; i++)
        steps = &weir_plan_add_repeat(scene.plan, steps, i == 500 ? 2 : 1)->body;
    add(&scene, steps, scene.write);
    run_on_ranks(&scene, 1);
    assert_int_equal(scene.result->phase_count, 2);
    assert_int_equal(scene.result->phases[1].loop_count, 1000);
    assert_int_equal(scene.result->phases[1].loops[500], 1);
    assert_int_equal(scene.result->phases[1].loops[501], 0);
    assert_int_equal(scene.result->phases[1].repetition, 0);
    close_scene(&scene);
}

static void a_loop_until_a_time_lasts_as_long(void **state)
{
    const uint64_t until_ns = 30000000;
    struct weir_step **body;
    struct scene scene;
    unsigned last;

    (void)state;
    open_scene(&scene, "POSIX");
    body = &weir_plan_add_timed(scene.plan, &scene.test->steps, "all")->body;
    body = &weir_plan_add_until(scene.plan, body, until_ns)->body;
    add(&scene, body, scene.write);
    weir_plan_add_sleep(scene.plan, body, until_ns / 8);
    run_on_ranks(&scene, SIZE);
    last = scene.result->phase_count - 1;
    assert_true(last < 9);
    for (unsigned i = 0; i <= last; i++)
        assert_int_equal(scene.result->phases[i].loops[0], i);
    assert_int_equal(scene.result->timed_count, 1);
    assert_true(scene.result->timed[0].seconds >= (double)until_ns * 1e-9);
    close_scene(&scene);
}

/* Ranks 1 and 3 meet, of them rank 3 again alone; a set beyond the last rank has nobody. */
static void ranks_of_a_set_meet_alone(void **state)
{
    struct weir_step **odd, **steps;
    struct scene scene;

    (void)state;
    open_scene(&scene, "POSIX");
    steps = &weir_plan_add_repeat(scene.plan, &scene.test->steps, 3)->body;
    odd = &on_ranks(&scene, steps, 1, 9, 2)->body;
    weir_plan_add_barrier(scene.plan, odd);
    weir_plan_add_sleep(scene.plan, &on_ranks(&scene, odd, 1, 1, 1)->body, 1000);
    weir_plan_add_barrier(scene.plan, &on_ranks(&scene, steps, SIZE, 1, 1)->body);
    add(&scene, steps, scene.write);
    run_on_ranks(&scene, SIZE);
    assert_int_equal(scene.result->phase_count, 3);
    assert_int_equal(scene.result->phases[2].byte_count, SIZE * BLOCK);
    close_scene(&scene);
}

/* What a result file keeps of two loops, one of them within the other, and of a time. */
static void loops_and_times_are_kept_in_result_files(void **state)
{
    struct weir_text lines = {0};
    struct weir_recorded recorded;
    const struct weir_result *read;
    struct weir_error error = {0};
    struct weir_step **steps;
    struct scene scene;
    char path[128];
    FILE *file;

    (void)state;
    open_scene(&scene, "POSIX");
    steps = &weir_plan_add_repeat(scene.plan, &scene.test->steps, 2)->body;
    steps = &weir_plan_add_repeat(scene.plan, steps, 3)->body;
    add(&scene, steps, scene.write);
    run_on_ranks(&scene, 1);
    assert_int_equal(scene.result->phase_count, 6);
    *weir_result_add_timed(scene.result) =
        (struct weir_timed_result){.label = "one\ntime",
                                   .loop_count = 2,
                                   .loops = scene.result->phases[5].loops,
                                   .rank_count = 3,
                                   .outcome = WEIR_OUTCOME_PARTIAL,
                                   .begun_s = 1.5,
                                   .seconds = 0.25,
                                   .clock_error_s = 0.125};
    weir_record_run(&lines, scene.plan, scene.result);
    weir_record_test(&lines, scene.plan, scene.result, &scene.result->tests[0]);
    for (unsigned i = 0; i < 6; i++) {
        struct weir_phase_result *phase = &scene.result->phases[i];

        /* Trimmed once the phase was shown. */
        phase->latency = phase->submission = NULL;
        weir_record_phase(&lines, scene.plan, scene.result, phase);
    }
    weir_record_timed(&lines, scene.result, &scene.result->timed[0]);
    snprintf(path, sizeof path, "%s/few", scene.directory);
    file = fopen(path, "we");
    assert_non_null(file);
    fputs(weir_text_string(&lines), file);
    fclose(file);
    if (weir_record_read(path, WEIR_LAST_RUN, &recorded, &error) != 0)
        fail_msg("%s", error.text);
    read = recorded.result;
    assert_int_equal(read->phase_count, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_loops(read->phases[i].loops, read->phases[i].loop_count, i / 3, i % 3);
    assert_int_equal(read->timed_count, 1);
    assert_string_equal(read->timed[0].label, "one\ntime");
    assert_loops(read->timed[0].loops, read->timed[0].loop_count, 1, 2);
    assert_int_equal(read->timed[0].rank_count, 3);
    assert_int_equal(read->timed[0].outcome, WEIR_OUTCOME_PARTIAL);
    assert_true(read->timed[0].begun_s == 1.5 && read->timed[0].seconds == 0.25 &&
                read->timed[0].clock_error_s == 0.125);
    weir_recorded_close(&recorded);
    weir_text_close(&lines);
    close_scene(&scene);
}

/* ---- ends ---- */

/* 3 times: 5 times: write, on 2 ranks: write; remove */
static void make_cleaned(struct scene *scene)
{
    struct weir_step **outer = &weir_plan_add_repeat(scene->plan, &scene->test->steps, 3)->body;
    struct weir_step **inner = &weir_plan_add_repeat(scene->plan, outer, 5)->body;

    add(scene, inner, scene->write);
    add_few(scene, &on_ranks(scene, inner, 0, 2, 1)->body);
    add(scene, outer, scene->remove);
    scene->test->repetitions = 3;
}

static void assert_removed_last(const struct scene *scene)
{
    const struct weir_phase_result *last = &scene->result->phases[scene->result->phase_count - 1];
    char path[128];

    snprintf(path, sizeof path, "%s/f", scene->directory);
    assert_int_equal(last->phase, 2);
    assert_int_equal(last->loop_count, 1);
    assert_int_equal(access(path, F_OK), -1);
}

static void a_signal_to_one_rank_in_an_inner_loop_ends_all_loops(void **state)
{
    (void)state;
    /* Rank 1 is one of the two, rank 3 waits for them; after a phase of all, and of the two. */
    for (int rank = 1; rank < SIZE; rank += 2)
        for (unsigned phases = 3; phases <= 4; phases++) {
            struct scene scene;

            open_scene(&scene, "POSIX");
            make_cleaned(&scene);
            scene.rank_to_stop = rank;
            scene.phases_until_signal = phases;
            run_on_ranks(&scene, SIZE);
            assert_true(scene.result->is_interrupted);
            assert_int_equal(weir_result_judge(scene.result), WEIR_EXIT_FLAWED);
            /* At most one more of the phase that sees it, and the removal. */
            assert_in_range(scene.result->phase_count, phases + 1, phases + 2);
            assert_removed_last(&scene);
            close_scene(&scene);
        }
}

/* Rank 1 fails in its ninth transfer: the first one of the second round. */
static void a_failure_on_one_rank_of_a_set_ends_all_loops(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene, "fault:posix");
    make_cleaned(&scene);
    run_on_ranks(&scene, SIZE);
    assert_int_equal(scene.result->phases[1].outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(scene.result->phases[2].outcome, WEIR_OUTCOME_PARTIAL);
    assert_int_equal(scene.result->phase_count, 4);
    assert_removed_last(&scene);
    close_scene(&scene);
}

/* ---- refusals and explanations ---- */

static void refused_zero_count(struct scene *x)
{
    add(x, &weir_plan_add_repeat(x->plan, &x->test->steps, 0)->body, x->write);
}

static void refused_zero_time(struct scene *x)
{
    add(x, &weir_plan_add_until(x->plan, &x->test->steps, 0)->body, x->write);
}

static void refused_no_ranks(struct scene *x)
{
    add(x, &on_ranks(x, &x->test->steps, 0, 0, 1)->body, x->write);
}

static void refused_no_distance(struct scene *x)
{
    add(x, &on_ranks(x, &x->test->steps, 0, 1, 0)->body, x->write);
}

static void refused_no_label(struct scene *x)
{
    add(x, &weir_plan_add_timed(x->plan, &x->test->steps, "")->body, x->write);
}

static void refused_empty_body(struct scene *x)
{
    add(x, &x->test->steps, x->write);
    weir_plan_add_until(x->plan, &weir_plan_add_repeat(x->plan, &x->test->steps, 1)->body, 1);
}

static void refused_depth(struct scene *x)
{
    struct weir_step **steps = &x->test->steps;

    for (unsigned i = 0; i <= WEIR_PLAN_NESTING_MAX; i++)
        steps = &weir_plan_add_repeat(x->plan, steps, 1)->body;
    add(x, steps, x->write);
}

static void refused_later_ranks(struct scene *x)
{
    add(x, &on_ranks(x, &x->test->steps, 1, 2, 1)->body, x->write);
}

static void refused_apart_ranks(struct scene *x)
{
    struct weir_step **first = &on_ranks(x, &x->test->steps, 0, 4, 2)->body;

    add(x, &on_ranks(x, first, 0, 2, 1)->body, x->write);
}

static void refused_time_of_others(struct scene *x)
{
    struct weir_step **steps = &on_ranks(x, &x->test->steps, 1, 2, 1)->body;

    add(x, &x->test->steps, x->write);
    weir_plan_add_barrier(x->plan, &weir_plan_add_timed(x->plan, steps, "others")->body);
}

static void refused_shared_target(struct scene *x)
{
    add(x, &x->test->steps, x->write);
    add(x, &on_ranks(x, &x->test->steps, 0, 2, 1)->body, x->write);
}

static void refused_device(struct scene *x)
{
    x->few_target->is_device = true;
    add_few(x, &on_ranks(x, &x->test->steps, 0, 2, 1)->body);
}

static void refused_unknown_names(struct scene *x)
{
    x->few_target->is_new_each_repetition = true;
    add_few(x, &weir_plan_add_until(x->plan, &x->test->steps, 1)->body);
}

static void refused_inner_log(struct scene *x)
{
    struct weir_step **outer = &weir_plan_add_repeat(x->plan, &x->test->steps, 2)->body;

    x->test->op_csv_prefix = "ops";
    add(x, &weir_plan_add_repeat(x->plan, outer, 2)->body, x->write);
}

static void what_the_engine_does_not_do_is_refused(void **state)
{
    static const struct {
        void (*make)(struct scene *scene);
        const char *sentence;
    } cases[] = {
        {refused_zero_count, "0 repetitions"},
        {refused_zero_time, "a loop of 0 s"},
        {refused_no_ranks, "steps on 0 ranks"},
        {refused_no_distance, "ranks that are 0 apart"},
        {refused_no_label, "without a label"},
        {refused_empty_body, "around no step"},
        {refused_depth, "more than 4096 steps within one another"},
        {refused_later_ranks, "write on ranks other than the first"},
        {refused_apart_ranks, "write on ranks other than the first"},
        {refused_time_of_others, "a time (others) of ranks without rank 0"},
        {refused_shared_target, "different sets of ranks"},
        {refused_device, "devices on some of the ranks"},
        {refused_unknown_names, "a loop that ends by time"},
        {refused_inner_log, "rounds of one loop"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        struct scene scene;

        open_scene(&scene, "POSIX");
        cases[i].make(&scene);
        assert_int_equal(weir_plan_freeze(scene.plan, &error), -EINVAL);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        if (strstr(error.text, cases[i].sentence) == NULL)
            fail_msg("expected \"%s\", got \"%s\"", cases[i].sentence, error.text);
        close_scene(&scene);
    }
}

static void every_kind_of_step_is_explained(void **state)
{
    struct weir_text text = {0};
    struct weir_error error = {0};
    struct weir_step **steps;
    struct scene scene;
    const char *tree;

    (void)state;
    open_scene(&scene, "POSIX");
    steps = &weir_plan_add_until(scene.plan, &scene.test->steps, 1500000000)->body;
    steps = &weir_plan_add_timed(scene.plan, steps, "a\nb")->body;
    weir_plan_add_barrier(scene.plan, &on_ranks(&scene, steps, 3, 4, 8)->body);
    weir_plan_add_sleep(scene.plan, steps, 1000000000);
    add(&scene, &on_ranks(&scene, steps, 0, 1, 1)->body, scene.remove);
    assert_int_equal(weir_plan_freeze(scene.plan, &error), 0);
    weir_plan_explain(scene.plan, &text);
    tree = strstr(weir_text_string(&text), "  repeat");
    assert_non_null(tree);
    assert_string_equal(tree, "  repeat until 1.5 s are over\n"
                              "    timed a?b\n"
                              "      on 4 ranks from rank 3, 8 apart\n"
                              "        barrier\n"
                              "      sleep 1 s\n"
                              "      on 1 rank from rank 0\n"
                              "        remove\n");
    weir_text_close(&text);
    close_scene(&scene);
}

/* ---- commands ---- */

static void add_command(struct scene *scene, struct weir_step **steps, bool is_per_node,
                        const char *name, const char *more)
{
    char command[256];

    snprintf(command, sizeof command, "echo x >> %s/%s%s", scene->directory, name, more);
    weir_plan_add_command(scene->plan, steps, command, is_per_node);
}

static void commands_run_once_or_on_each_node_and_all_wait(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene, "POSIX");
    add_command(&scene, &scene.test->steps, false, "once", "");
    add(&scene, &scene.test->steps, scene.write);
    add_command(&scene, &scene.test->steps, true, "nodes", "; sleep 0.3");
    add(&scene, &scene.test->steps, scene.write);
    run_to_error(&scene, SIZE, 2, 0, "");
    assert_int_equal(lines_of(&scene, "once"), 1);
    assert_int_equal(lines_of(&scene, "nodes"), 2);
    assert_int_equal(scene.result->phase_count, 2);
    assert_true(scene.result->phases[1].begun_s - scene.result->phases[0].begun_s >= 0.3);
    close_scene(&scene);
}

static void a_command_that_fails_ends_the_run_and_no_other_runs(void **state)
{
    static const struct {
        bool is_per_node;
        const char *more, *words;
    } cases[] = {
        {false, "; exit 3", "exit code 3"},
        {true, "; kill -9 $$", "signal 9"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;

        open_scene(&scene, "POSIX");
        add_command(&scene, &scene.test->steps, cases[i].is_per_node, "first", cases[i].more);
        add(&scene, &scene.test->steps, scene.write);
        add_command(&scene, &scene.test->steps, false, "second", "");
        run_to_error(&scene, SIZE, 2, -ECHILD, cases[i].words);
        assert_int_equal(lines_of(&scene, "first"), cases[i].is_per_node ? 2 : 1);
        assert_int_equal(lines_of(&scene, "second"), 0);
        assert_int_equal(scene.result->phase_count, 0);
        close_scene(&scene);
    }
}

static void a_dry_run_runs_no_command(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene, "POSIX");
    scene.test->is_dry_run = true;
    add_command(&scene, &scene.test->steps, false, "once", "");
    add(&scene, &scene.test->steps, scene.write);
    run_on_ranks(&scene, SIZE);
    assert_int_equal(lines_of(&scene, "once"), 0);
    close_scene(&scene);
}

/* The shell makes the file before it writes the line. */
static void *signal_once_it_runs(void *context)
{
    struct scene *scene = context;
    struct stat file;
    char path[128];

    snprintf(path, sizeof path, "%s/once", scene->directory);
    while (stat(path, &file) != 0 || file.st_size == 0)
        usleep(1000);
    scene->stop_signals[0] = 15;
    return NULL;
}

/* The shell is asked to end, and that is no failure. */
static void a_signal_ends_a_command(void **state)
{
    struct scene scene;
    pthread_t thread;

    (void)state;
    open_scene(&scene, "POSIX");
    add_command(&scene, &scene.test->steps, false, "once", "; exec sleep 50");
    add(&scene, &scene.test->steps, scene.write);
    assert_int_equal(pthread_create(&thread, NULL, signal_once_it_runs, &scene), 0);
    run_on_ranks(&scene, SIZE);
    pthread_join(thread, NULL);
    assert_int_equal(lines_of(&scene, "once"), 1);
    assert_int_equal(scene.result->phase_count, 0);
    close_scene(&scene);
}

/* A command that does not hear of it is ended all the same, and not waited for. */
static void a_signal_ends_a_command_that_is_deaf(void **state)
{
    time_t begun = time(NULL);
    struct scene scene;
    pthread_t thread;

    (void)state;
    open_scene(&scene, "POSIX");
    add_command(&scene, &scene.test->steps, false, "once", "; trap '' TERM; sleep 50");
    add(&scene, &scene.test->steps, scene.write);
    assert_int_equal(pthread_create(&thread, NULL, signal_once_it_runs, &scene), 0);
    run_on_ranks(&scene, SIZE);
    pthread_join(thread, NULL);
    assert_in_range(time(NULL) - begun, 0, 45);
    assert_int_equal(lines_of(&scene, "once"), 1);
    assert_int_equal(scene.result->phase_count, 0);
    close_scene(&scene);
}

/* ---- side files of ranks ---- */

static void make_logged(struct scene *scene, char (*prefixes)[96])
{
    struct weir_phase *phase = add(scene, &scene->test->steps, scene->write);

    snprintf(prefixes[0], sizeof prefixes[0], "%s/Child_", scene->directory);
    snprintf(prefixes[1], sizeof prefixes[1], "%s/histogram_", scene->directory);
    scene->test->op_csv_prefix = prefixes[0];
    scene->test->rank_histogram_prefix = prefixes[1];
    phase->transfers.log_name = "wol";
    phase->transfers.histogram_name = "Write";
}

static void check_offsets(const struct scene *scene, unsigned rank, unsigned runs)
{
    unsigned long long offset, bytes;
    char path[128], heading[128];
    double latency;
    FILE *file;

    snprintf(path, sizeof path, "%s/Child_%u_wol.dat", scene->directory, rank);
    file = fopen(path, "r");
    assert_non_null(file);
    for (unsigned run = 0; run < runs; run++) {
        assert_non_null(fgets(heading, sizeof heading, file));
        assert_string_equal(heading, "Offset in kBytes   Latency in microseconds  Transfer size in "
                                     "bytes\n");
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(fscanf(file, "%llu %lf %llu ", &offset, &latency, &bytes), 3);
            assert_int_equal(offset, rank * 16 + 4 * i);
            assert_int_equal(bytes, 4096);
        }
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

static void check_bands(const struct scene *scene, unsigned rank, unsigned runs)
{
    unsigned bands = 0, total = 0, count;
    char path[128], line[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/histogram_%u.txt", scene->directory, rank);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        for (char *colon = strchr(line, ':'); strncmp(line, "Band", 4) == 0 && colon != NULL;
             colon = strchr(colon + 1, ':'))
            if (sscanf(colon, ":%u ", &count) == 1 && colon[1] != ' ')
                bands++, total += count;
    }
    fclose(file);
    assert_int_equal(bands, 40 * runs);
    assert_int_equal(total, 4 * runs);
}

static void each_rank_appends_its_offsets_and_latencies(void **state)
{
    char prefixes[2][96], name[32], path[128];
    struct scene scene;

    (void)state;
    open_scene(&scene, "POSIX");
    make_logged(&scene, prefixes);
    for (unsigned runs = 1; runs <= 2; runs++) {
        weir_result_close(scene.result);
        run_on_ranks(&scene, SIZE);
        for (unsigned rank = 0; rank < SIZE; rank++) {
            check_offsets(&scene, rank, runs);
            check_bands(&scene, rank, runs);
        }
    }
    for (unsigned rank = 0; rank < SIZE; rank++) {
        snprintf(name, sizeof name, "Child_%u_wol.dat", rank);
        lines_of(&scene, name);
        snprintf(path, sizeof path, "%s/histogram_%u.txt", scene.directory, rank);
        unlink(path);
    }
    close_scene(&scene);
}

static void a_foreign_side_file_is_refused(void **state)
{
    static const char *const names[] = {"Child_2_wol.dat", "histogram_3.txt"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char prefixes[2][96], path[128];
        struct scene scene;
        FILE *file;

        open_scene(&scene, "POSIX");
        make_logged(&scene, prefixes);
        snprintf(path, sizeof path, "%s/%s", scene.directory, names[i]);
        file = fopen(path, "w");
        fputs("mine\n", file);
        fclose(file);
        run_to_error(&scene, SIZE, 1, -EINVAL, names[i]);
        assert_int_equal(lines_of(&scene, names[i]), 1);
        close_scene(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_of_nested_loops_is_recorded_with_its_place),
        cmocka_unit_test(a_thousand_loops_within_one_another_run),
        cmocka_unit_test(a_loop_until_a_time_lasts_as_long),
        cmocka_unit_test(ranks_of_a_set_meet_alone),
        cmocka_unit_test(loops_and_times_are_kept_in_result_files),
        cmocka_unit_test(a_signal_to_one_rank_in_an_inner_loop_ends_all_loops),
        cmocka_unit_test(a_failure_on_one_rank_of_a_set_ends_all_loops),
        cmocka_unit_test(what_the_engine_does_not_do_is_refused),
        cmocka_unit_test(every_kind_of_step_is_explained),
        cmocka_unit_test(commands_run_once_or_on_each_node_and_all_wait),
        cmocka_unit_test(a_command_that_fails_ends_the_run_and_no_other_runs),
        cmocka_unit_test(a_dry_run_runs_no_command),
        cmocka_unit_test(a_signal_ends_a_command),
        cmocka_unit_test(a_signal_ends_a_command_that_is_deaf),
        cmocka_unit_test(each_rank_appends_its_offsets_and_latencies),
        cmocka_unit_test(a_foreign_side_file_is_refused),
    };

    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}

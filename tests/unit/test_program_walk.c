/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as one rank goes through them, and what is counted and timed on the way; and ranks that
 * wait for one another, or do not come. */
#include "engine/gather_program.h"
#include "engine/label_spans.h"
#include "engine/program.h"

#include "engine_bed.h"
#include "thread_group.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

/* ---- whole programs, on one rank ---- */

static const struct weir_phase_result *run_program(struct bed *bed, const char *options,
                                                   const char *source)
{
    char path[128], line[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/p.pbl", bed->directory);
    file = fopen(path, "we");
    assert_non_null(file);
    fputs(source, file);
    fclose(file);
    bed->dialect = "parabench";
    snprintf(line, sizeof line, "--anywhere %s %%s/p.pbl", options);
    run_well(bed, line);
    assert_int_equal(bed->result->phase_count, 1);
    assert_non_null(phase(bed, 0)->program);
    return phase(bed, 0);
}

static const struct weir_label_result *label(const struct weir_phase_result *phase,
                                             const char *name)
{
    for (unsigned i = 0; i < phase->program->label_count; i++)
        if (strcmp(phase->program->labels[i].name, name) == 0)
            return &phase->program->labels[i];
    fail_msg("no label %s", name);
    return NULL;
}

static void assert_failure(const struct weir_phase_result *phase, const char *end)
{
    size_t length = strlen(phase->failure);

    assert_int_equal(phase->outcome, WEIR_OUTCOME_PARTIAL);
    assert_true(length >= strlen(end));
    assert_string_equal(phase->failure + length - strlen(end), end);
}

static void all_core_times_around_a_call_count_it(void **state)
{
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_program(&bed, "--backend null",
                        "$f = fcreat(\"x\"); time [\"t\"] ctime [\"a\"] { fwrite($f, 1k);"
                        " repeat $i 2 { ctime [\"b$i\"] fwrite($f, 2k); } } fclose($f);");
    assert_int_equal(phase->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(label(phase, "a")->byte_count, 5 << 10);
    assert_int_equal(label(phase, "a")->call_count, 3);
    assert_int_equal(label(phase, "t")->byte_count, 5 << 10);
    assert_int_equal(label(phase, "b1")->byte_count, 2 << 10);
    assert_true(label(phase, "a")->is_core && !label(phase, "t")->is_core);
    assert_true(label(phase, "t")->rank_s_max >= label(phase, "a")->rank_s_max);
    assert_int_equal(phase->byte_count, 5 << 10);
    tear_down(&bed);
}

/* Blocks without a label have the same one, too. */
static void equal_labels_inside_of_one_another_count_their_calls_once(void **state)
{
    const struct weir_phase_result *phase;
    const struct weir_label_result *twice, *none;
    struct bed bed;

    set_up(&bed);
    phase = run_program(
        &bed, "--backend null",
        "$f = fcreat(\"x\"); time [\"a\"] { fwrite($f, 1k); time [\"a\"] fwrite($f, 2k); "
        "time [\"a\"] fwrite($f, 4k); sleep(20000); }"
        "ctime repeat $i 5 { ctime fwrite($f, 8k); } fclose($f);");
    twice = label(phase, "a");
    none = label(phase, "");
    assert_int_equal(twice->execution_count, 3);
    assert_int_equal(twice->call_count, 3);
    assert_int_equal(twice->byte_count, 7 << 10);
    assert_true(twice->rank_s_max >= 0.02);
    assert_true(twice->rank_s_max <= twice->last_end_s - twice->first_begin_s + 1e-9);
    assert_true(fabs(twice->inside_s - (twice->last_end_s - twice->first_begin_s)) < 1e-6);
    assert_false(twice->inside_is_estimated);
    /* The times of single executions are all there. */
    assert_int_equal(twice->duration->total, 3);
    assert_true((double)twice->duration->sum_ns * 1e-9 > twice->rank_s_max);
    assert_int_equal(none->execution_count, 6);
    assert_int_equal(none->call_count, 5);
    assert_int_equal(none->byte_count, 40 << 10);
    tear_down(&bed);
}

static void what_lies_between_executions_is_not_inside(void **state)
{
    const struct weir_label_result *rounds, *many;
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_program(&bed, "--backend null",
                        "repeat $i 3 { time [\"r\"] sleep(5000); sleep(50000); }"
                        "repeat $i 1024 ctime [\"m\"] {}");
    rounds = label(phase, "r");
    many = label(phase, "m");
    assert_true(rounds->last_end_s - rounds->first_begin_s >= 0.115);
    assert_true(fabs(rounds->inside_s - rounds->rank_s_max) < 1e-3);
    assert_false(rounds->inside_is_estimated);
    assert_true(many->inside_is_estimated);
    assert_true(many->inside_s > 0.0);
    assert_true(many->inside_s <= many->last_end_s - many->first_begin_s);
    tear_down(&bed);
}

/* Of three ranks the second begins first, and ends last in the second of two executions. */
static void spans_of_ranks_are_put_together(void **state)
{
    static const struct weir_label_span spans[3][2] = {
        {{1000, 4000}, {8000, 8500}}, {{0, 2000}, {7000, 9000}}, {{500, 5000}, {4500, 8000}}};
    struct weir_label_spans all = {.most_executions = 2};
    struct weir_label_result result = {0};

    for (unsigned rank = 0; rank < 3; rank++)
        for (unsigned i = 0; i < 2; i++)
            weir_label_spans_add(&all, i, &spans[rank][i]);
    weir_label_spans_finish(&all, &result);
    assert_int_equal(result.skew_count, 2);
    assert_true(fabs(result.skew_max_s - 3500e-9) < 1e-12);
    assert_true(fabs(result.skew_mean_s - 2250e-9) < 1e-12);
    assert_true(fabs(result.inside_s - 9000e-9) < 1e-12); /* 0 to 5000, 4500 to 9000 */
    assert_false(result.inside_is_estimated);
}

static void events_are_numbered_by_kind(void **state)
{
    const struct weir_program_event *events;
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_program(&bed, "--backend null",
                        "time [\"out\"] { time [\"in\"] {} ctime [\"c0\"] { ctime [\"c1\"] {} } }");
    events = phase->program->events;
    assert_int_equal(phase->program->event_count, 4);
    /* `time` by its end, `ctime` by its begin. */
    assert_string_equal(phase->program->labels[events[0].label].name, "in");
    assert_string_equal(phase->program->labels[events[1].label].name, "out");
    assert_string_equal(phase->program->labels[events[2].label].name, "c0");
    assert_string_equal(phase->program->labels[events[3].label].name, "c1");
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(events[i].number, i % 2);
    tear_down(&bed);
}

static void labels_and_events_beyond_the_limits_are_counted(void **state)
{
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_program(&bed, "--backend null --events 10",
                        "repeat $i 1030 { time [\"l$i\"] {} } ctime [\"c\"] {}");
    assert_int_equal(phase->program->label_count, WEIR_LABELS_MAX + 2);
    assert_int_equal(phase->program->merged_label_count, 7);
    assert_int_equal(label(phase, "(others)")->execution_count, 6);
    assert_int_equal(phase->program->event_count, 10);
    assert_int_equal(phase->program->unlisted_count, 1021);
    tear_down(&bed);
}

static void events_of_all_ranks_have_one_limit(void **state)
{
    static const struct {
        uint64_t limit, counts[4], sent[4];
    } cases[] = {
        {100, {10, 20, 30, 40}, {10, 20, 30, 40}}, {40, {100, 100, 100, 100}, {10, 10, 10, 10}},
        {40, {100, 4, 100, 0}, {26, 4, 10, 0}},    {3, {5, 5, 5, 5}, {3, 0, 0, 0}},
        {0, {5, 5, 5, 5}, {0, 0, 0, 0}},           {UINT64_MAX, {5, 0, 1, 2}, {5, 0, 1, 2}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t counts[4];

        memcpy(counts, cases[i].counts, sizeof counts);
        weir_program_share_events(counts, 4, cases[i].limit);
        assert_memory_equal(counts, cases[i].sent, sizeof counts);
    }
}

/* More than the lists print is in memory and in the result only where somebody asks for it. */
static void events_are_kept_where_they_are_asked_for(void **state)
{
    static const struct {
        const char *options;
        uint64_t kept;
    } cases[] = {{"--backend null", 2000},
                 {"--backend null --events 2500", 2500},
                 {"--backend null --summaryFormat JSON --summaryFile /dev/null", 2000},
                 {"--backend null --events 0", 0}};
    struct bed bed;

    set_up(&bed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_phase_result *phase =
            run_program(&bed, cases[i].options, "repeat $i 3000 { time [\"t\"] {} }");

        assert_int_equal(phase->program->event_count, cases[i].kept);
        assert_int_equal(phase->program->unlisted_count, 3000 - cases[i].kept);
        assert_int_equal(label(phase, "t")->execution_count, 3000);
    }
    tear_down(&bed);
}

static void a_loop_takes_its_variable_with_it(void **state)
{
    struct bed bed;

    set_up(&bed);
    run_program(&bed, "--backend null",
                "$i = 7; if ($$rank == 0) { repeat $i 2 {} }\n$x = $i + 1;");
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_PARTIAL);
    assert_non_null(strstr(phase(&bed, 0)->failure, "p.pbl:2: "));
    assert_non_null(strstr(phase(&bed, 0)->failure, "$i"));
    tear_down(&bed);
}

static void errors_of_a_program_end_it_with_their_line(void **state)
{
    struct bed bed;

    set_up(&bed);
    run_program(&bed, "--backend null", "$n = 0 - 2;\nrepeat $i $n { create(\"x\"); }");
    assert_failure(phase(&bed, 0), "p.pbl:2: a loop of -2 rounds");
    run_program(&bed, "--backend null", "$n = 0;\n\nsleep 5 / $n;");
    assert_failure(phase(&bed, 0), "p.pbl:3: division by zero");
    run_program(&bed, "--backend null", "$n = 9223372036854775807;\nsleep $n;");
    assert_failure(phase(&bed, 0), "p.pbl:2: a sleep of 9223372036854775807 microseconds is longer "
                                   "than 9223372036854775 (292 years)");
    run_program(&bed, "--backend null", "$n = 9223372036854776;\nsleep $n;");
    assert_failure(phase(&bed, 0), "p.pbl:2: a sleep of 9223372036854776 microseconds is longer "
                                   "than 9223372036854775 (292 years)");
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    tear_down(&bed);
}

static void a_time_limit_keeps_what_was_done(void **state)
{
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_program(&bed, "--backend null --time-limit 0.1s",
                        "ctime [\"all\"] repeat $i 1000000000000 { stat(\"x\"); }");
    assert_failure(phase, "p.pbl: the time limit of 0.1 s has ended it");
    assert_true(phase->op_count > 0);
    assert_int_equal(label(phase, "all")->call_count, phase->op_count);
    assert_true(phase->windows.total_s > 0.05 && phase->windows.total_s < 10.0);
    /* Rounds that do nothing are ended, too. */
    phase = run_program(&bed, "--backend null --time-limit 0.1s", "repeat $i 1000000000000 {}");
    assert_int_equal(phase->outcome, WEIR_OUTCOME_PARTIAL);
    phase = run_program(&bed, "--backend null --time-limit 0.1s", "sleep 1000000000;");
    assert_int_equal(phase->outcome, WEIR_OUTCOME_PARTIAL);
    phase = run_program(&bed, "--backend null --time-limit 0.1s", "sleep 9223372036854775;");
    assert_int_equal(phase->outcome, WEIR_OUTCOME_PARTIAL);
    tear_down(&bed);
}

static const struct weir_call_result *call_result(const struct weir_phase_result *phase,
                                                  enum weir_call call)
{
    for (unsigned i = 0; i < phase->program->call_count; i++)
        if (phase->program->calls[i].call == call)
            return &phase->program->calls[i];
    fail_msg("no call %s", weir_calls[call].word);
    return NULL;
}

static const struct weir_phase_result *run_in_directory(struct bed *bed, const char *options,
                                                        const char *format)
{
    char source[512];

    snprintf(source, sizeof source, format, bed->directory, bed->directory, bed->directory);
    return run_program(bed, options, source);
}

static void what_a_call_by_name_does_beside_is_in_the_table_of_calls_alone(void **state)
{
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_in_directory(
        &bed, "", "time [\"t\"] { write(\"%s/x\", 1k); read(\"%s/x\"); stat(\"%s/x\"); }");
    assert_int_equal(phase->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(call_result(phase, WEIR_CALL_WRITE)->count, 1);
    assert_int_equal(call_result(phase, WEIR_CALL_NAMED_OPEN)->count, 2);
    assert_int_equal(call_result(phase, WEIR_CALL_NAMED_CLOSE)->count, 2);
    assert_int_equal(call_result(phase, WEIR_CALL_NAMED_CLOSE)->failure_count, 0);
    assert_int_equal(phase->op_count, 3);
    assert_int_equal(phase->byte_count, 2 << 10);
    assert_int_equal(label(phase, "t")->call_count, 3);
    tear_down(&bed);
}

static void a_close_that_fails_is_a_failure_of_its_own(void **state)
{
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_in_directory(&bed, "--backend fault:posix --fault.close=EIO",
                             "write(\"%s/x\", 1k); mkdir(\"%s/d\");");
    assert_int_equal(phase->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(phase->error_count, 1);
    assert_int_equal(phase->program->failure_count, 1);
    assert_int_equal(phase->program->failures[0].code, -EIO);
    assert_int_equal(call_result(phase, WEIR_CALL_WRITE)->count, 1);
    assert_int_equal(call_result(phase, WEIR_CALL_NAMED_CLOSE)->failure_count, 1);
    assert_int_equal(call_result(phase, WEIR_CALL_MKDIR)->count, 1);
    phase = run_in_directory(&bed, "--backend fault:posix --fault.close=EIO --on-error stop",
                             "write(\"%s/x\", 1k); mkdir(\"%s/e\");");
    assert_failure(phase, "/x: Input/output error");
    tear_down(&bed);
}

/* The first piece takes longer than the limit, and is not all of the call. */
static void a_call_that_is_given_up_has_not_failed(void **state)
{
    const struct weir_phase_result *phase;
    struct bed bed;

    set_up(&bed);
    phase = run_in_directory(&bed,
                             "--backend fault:posix --fault.verb=write --fault.short=96 "
                             "--fault.delay=300000 --time-limit 0.1s --on-error stop",
                             "write(\"%s/x\", 4096); mkdir(\"%s/d\");");
    assert_failure(phase, "p.pbl: the time limit of 0.1 s has ended it");
    assert_int_equal(phase->error_count, 0);
    assert_int_equal(phase->program->failure_count, 0);
    assert_int_equal(phase->byte_count, 4000);
    /* Its open and its close. */
    assert_int_equal(phase->program->call_count, 2);
    tear_down(&bed);
}

static void failed_calls_are_told_by_line_and_error(void **state)
{
    const struct weir_program_result *program;
    char source[512];
    struct bed bed;

    set_up(&bed);
    snprintf(source, sizeof source,
             "repeat $i 3 {\nstat(\"%s/none$i\");\nrmdir(\"%s/none\"); }\nstat(\"%s/p.pbl\");",
             bed.directory, bed.directory, bed.directory);
    program = run_program(&bed, "", source)->program;
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    assert_int_equal(phase(&bed, 0)->error_count, 6);
    assert_int_equal(program->failure_count, 2);
    assert_int_equal(program->failures[0].line, 2);
    assert_int_equal(program->failures[0].count, 3);
    assert_int_equal(program->failures[0].code, -ENOENT);
    assert_non_null(strstr(program->failures[0].path, "none0"));
    assert_int_equal(program->failures[1].line, 3);
    program = run_program(&bed, "--on-error 2", source)->program;
    assert_int_equal(phase(&bed, 0)->error_count, 2);
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_PARTIAL);
    tear_down(&bed);
}

/* ---- ranks that wait for one another ---- */

enum { RANKS = 6 };

struct waiter {
    struct thread_group member;
    struct weir_clock clock;
    volatile sig_atomic_t stop_signal;
    struct weir_observer observer;
    struct weir_engine_params params;
    struct weir_test test;
    struct weir_tally tally;
    struct weir_run run;
    struct weir_program program;
    struct weir_phase phase;
    struct weir_program_walk walk;
    const struct weir_statement *meets_at;
    long comes_late_ns;
    uint64_t value;
    int code;
};

static void begin_waiter(struct waiter *waiter, struct world *world, int rank)
{
    memset(waiter, 0, sizeof *waiter);
    join_world(&waiter->member, world, rank);
    weir_clock_calibrate(&waiter->clock, false);
    waiter->params = (struct weir_engine_params){.clock = &waiter->clock,
                                                 .observer = &waiter->observer,
                                                 .stop_signal = &waiter->stop_signal};
    waiter->run = (struct weir_run){.params = &waiter->params,
                                    .group = &waiter->member.base,
                                    .test = &waiter->test,
                                    .tally = &waiter->tally};
    waiter->program.path = "p.pbl";
    waiter->walk = (struct weir_program_walk){.run = &waiter->run,
                                              .phase = &waiter->phase,
                                              .program = &waiter->program,
                                              .deadline_ns = UINT64_MAX};
    waiter->value = 100 + (uint64_t)rank;
}

static void *wait_in_thread(void *context)
{
    struct waiter *waiter = context;
    struct weir_error error = {0};

    assert_int_equal(weir_program_groups_open(&waiter->walk, &error), 0);
    nanosleep(&(struct timespec){.tv_nsec = waiter->comes_late_ns}, NULL);
    waiter->code = weir_program_share(&waiter->walk, 0, waiter->meets_at, &waiter->value);
    weir_program_meet(&waiter->walk, 0, NULL);
    weir_program_groups_close(&waiter->walk);
    return NULL;
}

static void wait_all(struct waiter waiters[RANKS])
{
    pthread_t threads[RANKS];

    for (int i = 0; i < RANKS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_in_thread, &waiters[i]), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
}

static const struct weir_statement places[] = {
    {.kind = WEIR_DO_BARRIER, .line = 12, .number = 3},
    {.kind = WEIR_DO_CALL, .call = WEIR_CALL_PFOPEN, .line = 14, .number = 5},
    {.kind = WEIR_DO_BARRIER, .line = 16, .number = 7},
};

/* At barriers on different lines, too. They wait at the end as well, which does not count. */
static void all_ranks_learn_the_value_of_the_first(void **state)
{
    static struct waiter waiters[RANKS];
    struct world world;

    open_world(&world, RANKS, 2);
    for (int i = 0; i < RANKS; i++) {
        begin_waiter(&waiters[i], &world, i);
        waiters[i].meets_at = &places[i % 2 * 2];
    }
    waiters[2].comes_late_ns = 50000000;
    wait_all(waiters);
    for (int i = 0; i < RANKS; i++) {
        uint64_t waited_ns = waiters[i].tally.waited_ns;

        assert_true(i == 2 ? waited_ns < 30000000 : waited_ns >= 40000000);
        assert_int_equal(waiters[i].code, 0);
        assert_int_equal(waiters[i].value, 100);
        assert_false(waiters[i].walk.must_end);
    }
    close_world(&world);
}

/* Whichever rank it is: none waits for ever, none goes on, and one of them says why. */
static void a_rank_that_is_elsewhere_ends_all(void **state)
{
    static struct waiter waiters[RANKS];
    struct world world;

    for (int odd = 0; odd < RANKS; odd++) {
        unsigned tellers = 0;

        open_world(&world, RANKS, 2);
        for (int i = 0; i < RANKS; i++) {
            begin_waiter(&waiters[i], &world, i);
            waiters[i].meets_at = i != odd ? &places[0] : odd % 2 == 0 ? NULL : &places[1];
        }
        wait_all(waiters);
        for (int i = 0; i < RANKS; i++) {
            const char *text = waiters[i].run.failure.text;

            assert_true(waiters[i].code != 0 && waiters[i].walk.must_end);
            tellers += text[0] != '\0';
            assert_true(text[0] == '\0' || strstr(text, "line 12") != NULL);
            assert_true(text[0] == '\0' ||
                        strstr(text, odd % 2 == 0 ? "has ended" : "line 14") != NULL);
        }
        assert_true(tellers >= 1);
        close_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_core_times_around_a_call_count_it),
        cmocka_unit_test(equal_labels_inside_of_one_another_count_their_calls_once),
        cmocka_unit_test(what_lies_between_executions_is_not_inside),
        cmocka_unit_test(spans_of_ranks_are_put_together),
        cmocka_unit_test(events_are_numbered_by_kind),
        cmocka_unit_test(labels_and_events_beyond_the_limits_are_counted),
        cmocka_unit_test(events_of_all_ranks_have_one_limit),
        cmocka_unit_test(events_are_kept_where_they_are_asked_for),
        cmocka_unit_test(a_loop_takes_its_variable_with_it),
        cmocka_unit_test(errors_of_a_program_end_it_with_their_line),
        cmocka_unit_test(a_time_limit_keeps_what_was_done),
        cmocka_unit_test(what_a_call_by_name_does_beside_is_in_the_table_of_calls_alone),
        cmocka_unit_test(a_close_that_fails_is_a_failure_of_its_own),
        cmocka_unit_test(a_call_that_is_given_up_has_not_failed),
        cmocka_unit_test(failed_calls_are_told_by_line_and_error),
        cmocka_unit_test(all_ranks_learn_the_value_of_the_first),
        cmocka_unit_test(a_rank_that_is_elsewhere_ends_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of programs: Parabench's own and ours, from a result at hand and from the result file. */
#include "golden_text.h"
#include "report_cases.h"

#include "weir/audit/audit.h"

#include <unistd.h>

#define RANKS 3

/* ---- a program that was run on three ranks, with labels and names that need care ---- */

static const char *const variable_names[] = {"base", "iter"};
static const struct weir_parameter parameters[] = {
    {.text = "directory", .variable = 0, .value = "./run", .origin = "default"},
    {.text = "rounds", .variable = 1, .value = "2", .origin = "command line"},
};
static const struct weir_program_group groups[] = {
    {.name = "solo", .tag = WEIR_GROUP_SINGLE, .order = 1, .size = 1, .line = 1},
    {.name = "rest", .tag = WEIR_GROUP_DISJOINT, .order = 2, .size = 4, .line = 1},
};
static const char *const roots[] = {"/scratch/pb"};

static const struct weir_program planned = {
    .path = "kernels/<a&b>.pbl",
    .variables = {.names = variable_names, .count = 2},
    .parameters = parameters,
    .parameter_count = 2,
    .groups = groups,
    .group_count = 2,
    .on_error = WEIR_ON_ERROR_STOP,
    .error_limit = 7,
    .roots = roots,
    .root_count = 1,
    .seed_is_given = true,
    .seed = 42,
    .must_verify = true,
    .event_limit = 4,
};

static struct weir_histogram *histogram(struct scene *scene, uint64_t first_ns, unsigned count)
{
    struct weir_histogram *made = weir_arena_take(&scene->plan->arena, sizeof *made);

    weir_histogram_reset(made);
    for (unsigned i = 0; i < count; i++)
        weir_histogram_add(made, first_ns * (i + 1));
    return weir_histogram_trim(&scene->plan->arena, made);
}

static void add_labels(struct scene *scene, struct weir_program_result *program)
{
    static const struct {
        const char *name;
        bool is_core;
        uint64_t bytes;
        double skew_s;
    } rows[] = {{"write \"small\" & <big>", true, 6 * MIB, 0.02},
                {"stat\tall\n", true, 0, 0},
                {"all", false, 6 * MIB, 0.0005}};
    struct weir_label_result *labels = weir_arena_take(&scene->plan->arena, 3 * sizeof *labels);

    for (unsigned i = 0; i < 3; i++) {
        labels[i] = (struct weir_label_result){
            .name = rows[i].name,
            .is_core = rows[i].is_core,
            .execution_count = 6,
            .rank_count = i == 1 ? 1 : RANKS,
            .call_count = 24,
            .byte_count = rows[i].bytes,
            .duration = histogram(scene, 10000000, 6),
            .call_s = 0.21,
            .first_begin_s = 0.125,
            .last_end_s = 0.5,
            .inside_s = (const double[]){0.25, 0, 0.3}[i],
            .inside_is_estimated = i == 0,
            .skew_count = rows[i].skew_s > 0 ? 2 : 0,
            .skew_mean_s = rows[i].skew_s,
            .skew_max_s = rows[i].skew_s * 1.5,
            .rank_s_min = 0.05,
            .rank_s_mean = 0.07,
            .rank_s_max = 0.09,
            .slowest_count = i == 1 ? 1 : 3,
            .slowest = {{2, 0.09, "n2"}, {0, 0.07, "n1"}, {1, 0.05, "n1"}},
        };
    }
    program->labels = labels;
    program->label_count = 3;
}

static void add_events(struct scene *scene, struct weir_program_result *program)
{
    struct weir_program_event *events = weir_arena_take(&scene->plan->arena, 9 * sizeof *events);

    for (unsigned i = 0; i < 9; i++)
        events[i] = (struct weir_program_event){
            .rank = i / 3,
            .label = (const unsigned[]){2, 1, 0}[i % 3],
            .number = i % 3 == 2,
            .begin_s = 0.125 + 0.001 * i,
            .seconds = i % 3 == 0 ? 12345.678901 : 0.000704 * (i + 1),
            .call_count = i % 3 == 0 ? 0 : 4,
            .byte_count = i % 3 == 2 ? 262144 : 0,
            .call_min_s = i % 3 == 0 ? 0 : 0.000169,
            .call_max_s = i % 3 == 0 ? 0 : 0.000187,
            .rate_min_per_s = i % 3 == 2 ? 350459893.048128 : 0,
            .rate_max_per_s = i % 3 == 2 ? 21845333333.333332 : 0,
        };
    program->events = events;
    program->event_count = 9;
    program->unlisted_count = 5;
}

static void add_calls(struct scene *scene, struct weir_program_result *program)
{
    struct weir_call_result *calls = weir_arena_take(&scene->plan->arena, 5 * sizeof *calls);
    struct weir_call_failure *failures = weir_arena_take(&scene->plan->arena, 2 * sizeof *failures);

    calls[0] =
        (struct weir_call_result){WEIR_CALL_WRITE, 24, 0, 6 * MIB, histogram(scene, 150000, 24)};
    calls[1] = (struct weir_call_result){WEIR_CALL_DELETE, 3, 40, 0, histogram(scene, 2000, 3)};
    calls[2] = (struct weir_call_result){WEIR_CALL_FOPEN, 0, 1, 0, histogram(scene, 1, 0)};
    calls[3] =
        (struct weir_call_result){WEIR_CALL_NAMED_OPEN, 24, 0, 0, histogram(scene, 9000, 24)};
    calls[4] =
        (struct weir_call_result){WEIR_CALL_NAMED_CLOSE, 24, 0, 0, histogram(scene, 1000, 24)};
    failures[0] = (struct weir_call_failure){12, WEIR_CALL_DELETE, -2, 40, 2, 2, "./x\ny"};
    failures[1] = (struct weir_call_failure){101, WEIR_CALL_FOPEN, -13, 1, 1, 0, ""};
    program->calls = calls;
    program->call_count = 5;
    program->failures = failures;
    program->failure_count = 2;
    program->untold_failures = 3;
}

static const struct weir_phase *add_phase(struct scene *scene, struct weir_test *test)
{
    struct weir_phase phase = {.verb = WEIR_PROGRAM,
                               .target = scene_target(scene, "/scratch/pb", true),
                               .depth = 1,
                               .program = &planned};

    return weir_plan_add_phase(scene->plan, test, &test->steps, &phase);
}

static struct weir_phase_result *add_record(struct scene *scene)
{
    struct weir_phase_result *done = weir_result_add_phase(scene->result);

    done->begun_s = BEGUN_S;
    done->rank_count = RANKS;
    done->node_count = 2;
    done->op_count = 27;
    done->error_count = 44;
    done->byte_count = 6 * MIB;
    done->file_bytes = UINT64_MAX;
    done->windows = (struct weir_windows){.transfer_s = 0.75, .total_s = 0.75};
    done->rank_s_min = 0.5;
    done->rank_s_mean = 0.625;
    done->rank_s_max = 0.75;
    done->failure = "";
    done->latency = done->submission = done->response = NULL;
    done->write_latency = done->read_latency = NULL;
    done->series = NULL;
    return done;
}

static struct scene make(void)
{
    struct scene scene = SCENE_OPEN("parabench", "-e", "kernels/<a&b>.pbl", "iter=2");
    struct weir_program_result *program = weir_arena_take(&scene.plan->arena, sizeof *program);
    struct weir_test *test = scene_test(&scene, RANKS, "/scratch/pb");
    static const struct weir_setting settings[] = {{"xml", "results.xml"}};

    scene.plan->dialect = test->dialect = "parabench";
    test->settings = settings;
    test->setting_count = 1;
    *program = (struct weir_program_result){
        .statement_count = 1234,
        .merged_label_count = 2,
        .warnings = "Warning: Mapping for group rest incomplete (2 of 4 not mapped).\n",
        .setup_s = 0.25,
        .parser_s = 0.0005,
        .interpreter_s = 0.7,
        .finalize_s = 0.0495,
    };
    add_labels(&scene, program);
    add_events(&scene, program);
    add_calls(&scene, program);
    add_phase(&scene, test);
    add_record(&scene)->program = program;
    return scene;
}

/* ---- the reports ---- */

static const struct {
    const char *reporter, *golden;
    bool is_plain, is_silent;
} reports[] = {
    {"parabench", "program.parabench", false, false},
    {"parabench", "program.parabench-plain", true, false},
    {"parabench", "program.parabench-silent", true, true},
    {"parabench labels", "program.parabench-labels", true, false},
    {"parabench xml", "program.parabench-xml", false, false},
};
#define REPORTS (sizeof reports / sizeof *reports)

static void tell(struct scene *scene, size_t report, struct weir_text *text)
{
    static const struct weir_setting silent[] = {{"silent", "1"}};

    scene->plan->output.reporter = reports[report].reporter;
    scene->plan->output.is_plain = reports[report].is_plain;
    if (reports[report].is_silent)
        scene->plan->tests[0]->settings = silent;
    weir_report_whole(text, scene->plan, scene->result);
}

static void each_report_has_its_lines(void **state)
{
    for (size_t i = 0; i < REPORTS; i++) {
        struct scene scene = make();
        struct weir_text text = {0};

        tell(&scene, i, &text);
        golden_expect(reports[i].golden, &text);
        weir_text_close(&text);
        scene_close(&scene);
    }
}

/* A report of any format may be replaced by another one. */
static void each_report_is_known_by_its_beginning(void **state)
{
    for (size_t i = 0; i < REPORTS; i++) {
        struct scene scene = make();
        struct weir_text text = {0};

        tell(&scene, i, &text);
        assert_true(weir_report_is_held(text.data));
        weir_text_close(&text);
        scene_close(&scene);
    }
}

static void a_program_without_events_and_commands_says_so(void **state)
{
    struct scene scene = make();
    struct weir_program_result nothing = {.warnings = ""};
    struct weir_text text = {0};

    scene.result->phases[0].program = &nothing;
    scene.result->phases[0].op_count = scene.result->phases[0].error_count = 0;
    tell(&scene, 0, &text);
    assert_non_null(strstr(text.data, "\nNo time events.\n\n"));
    assert_non_null(strstr(text.data, "\nNo coretime events.\n\n"));
    assert_non_null(strstr(text.data, "\nNo I/O commands executed.\n\n\nRuntime:"));
    assert_non_null(strstr(text.data, "no command was made"));
    weir_text_clear(&text);
    tell(&scene, 4, &text);
    assert_non_null(strstr(text.data, "\n  <EventList type=\"CoreTime\"/>\n"
                                      "  <EventList type=\"Time\"/>\n  <?weir-believed OK?>\n"
                                      "</Report>\n"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* What was done until then is told, behind the reason. */
static void a_program_that_failed_is_told_as_far_as_it_came(void **state)
{
    struct scene scene = make();
    struct weir_text text = {0};

    scene.result->phases[0].outcome = WEIR_OUTCOME_PARTIAL;
    scene.result->phases[0].failure = "rank 1 on n1: line 7: division by zero";
    tell(&scene, 0, &text);
    assert_non_null(strstr(text.data, "rank 1 on n1: line 7: division by zero\n\n**********"));
    assert_non_null(strstr(text.data, " on 3 ranks of 2 nodes: not finished, 41 of 68 commands"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* Before the lists of events, which may have thousands of lines. */
static void the_first_line_tells_how_it_went(void **state)
{
    static const char begin[] =
        "weir  program kernels/<a&b>.pbl on 3 ranks of 2 nodes: interrupted, "
        "41 of 68 commands failed, 2 of 9 transfers held wrong data; ";
    struct scene scene = make();
    struct weir_text text = {0};

    scene.result->phases[0].is_interrupted = true;
    scene.result->phases[0].mismatches.checked_transfers = 9;
    scene.result->phases[0].mismatches.wrong_transfers = 2;
    tell(&scene, 0, &text);
    assert_int_equal(strncmp(text.data, begin, strlen(begin)), 0);
    assert_non_null(strstr(text.data,
                           "\nweir  parameters base = ./run (default), iter = 2 (command "
                           "line); groups solo of 1 rank, rest of 4 ranks\n"));
    weir_text_close(&text);
    scene_close(&scene);
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

static void lists_end_after_1000_events_and_say_how_many_there_are(void **state)
{
    struct scene scene = make();
    struct weir_program_result program = *scene.result->phases[0].program;
    struct weir_program_event *events = weir_arena_take(&scene.plan->arena, 2003 * sizeof *events);
    struct weir_text text = {0};

    for (unsigned i = 0; i < 2003; i++)
        events[i] = (struct weir_program_event){.rank = i / 1000, .label = i < 1000 ? 2 : 0};
    program.events = events;
    program.event_count = 2003;
    scene.result->phases[0].program = &program;
    tell(&scene, 1, &text);
    assert_int_equal(count_of(text.data, "                    all   "), 1000);
    assert_int_equal(count_of(text.data, "IOops/s"), 1000);
    assert_null(strstr(text.data, "more events of time"));
    assert_non_null(strstr(text.data, "event\nweir parabench: 3 more events of ctime are not "));
    weir_text_clear(&text);
    scene.result->phases[0].is_interrupted = true;
    tell(&scene, 1, &text);
    assert_int_equal(count_of(text.data, "IOops/s"), 0);
    assert_non_null(strstr(text.data, "*\nweir parabench: the run was interrupted, and its 1000 "));
    assert_non_null(strstr(text.data, "*\nweir parabench: the run was interrupted, and its 1003 "));
    assert_non_null(strstr(text.data, "\n Write               24 successful"));
    weir_text_clear(&text);
    tell(&scene, 4, &text);
    assert_int_equal(count_of(text.data, "<Event "), 2003);
    weir_text_close(&text);
    scene_close(&scene);
}

static void events_that_were_not_kept_are_not_denied(void **state)
{
    struct scene scene = make();
    struct weir_program_result program = *scene.result->phases[0].program;
    struct weir_text text = {0};

    program.event_count = 0;
    scene.result->phases[0].program = &program;
    tell(&scene, 1, &text);
    assert_null(strstr(text.data, "No time events."));
    assert_null(strstr(text.data, "No coretime events."));
    assert_non_null(strstr(text.data, "no event of time was kept (--events 4)\n\n"));
    assert_non_null(strstr(text.data, "no event of ctime was kept (--events 4)\n\n"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* All of its calls failed. */
static void a_core_label_without_a_call_has_no_time(void **state)
{
    struct scene scene = make();
    struct weir_program_result program = *scene.result->phases[0].program;
    struct weir_label_result label = program.labels[0];
    struct weir_text text = {0};

    label.name = "forty characters of a label stand in line";
    label.call_count = 0;
    program.labels = &label;
    program.label_count = 1;
    program.event_count = 0;
    scene.result->phases[0].program = &program;
    tell(&scene, 3, &text);
    assert_non_null(strstr(text.data, " core      3          6        -        -        -        -"
                                      "        -\n"));
    assert_non_null(strstr(text.data, " core        -        -        - -\n"));
    label.is_core = false;
    weir_text_clear(&text);
    tell(&scene, 3, &text);
    assert_non_null(strstr(text.data, " time      3          6  10.0 ms"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* ---- the result file ---- */

static int reread(const struct scene *scene, struct weir_text *text, struct weir_recorded *read,
                  struct weir_error *error)
{
    char path[] = "/tmp/weir-parabench-report-XXXXXX";
    int code;

    close(mkstemp(path));
    scene_store(path, text->data);
    code = weir_record_read(path, WEIR_LAST_RUN, read, error);
    unlink(path);
    return code;
}

static void the_file_alone_gives_the_same_reports(void **state)
{
    for (size_t i = 0; i < REPORTS; i++) {
        struct scene scene = make(), again;
        struct weir_recorded read = {0};
        struct weir_error error = {0};
        struct weir_text file = {0}, one = {0}, other = {0};

        record_whole(&file, &scene);
        if (reread(&scene, &file, &read, &error) != 0)
            fail_msg("%s", error.text);
        again = (struct scene){.plan = read.plan, .result = read.result};
        tell(&scene, i, &one);
        tell(&again, i, &other);
        assert_string_equal(one.data, other.data);
        weir_text_clear(&one);
        record_whole(&one, &again);
        if (!reports[i].is_silent && !reports[i].is_plain && i > 0) /* the output is in it */
            assert_non_null(strstr(one.data, "\"program_result\":{"));
        weir_text_close(&file);
        weir_text_close(&one);
        weir_text_close(&other);
        weir_recorded_close(&read);
        scene_close(&scene);
    }
}

static void how_it_was_run_comes_back(void **state)
{
    struct scene scene = make();
    struct weir_recorded read = {0};
    struct weir_error error = {0};
    struct weir_text file = {0};
    const struct weir_program *program;

    record_whole(&file, &scene);
    assert_int_equal(reread(&scene, &file, &read, &error), 0);
    program = read.plan->tests[0]->phases[0]->program;
    assert_string_equal(program->path, planned.path);
    assert_int_equal(program->on_error, WEIR_ON_ERROR_STOP);
    assert_int_equal(program->error_limit, 7);
    assert_int_equal(program->event_limit, 4);
    assert_int_equal(program->root_count, 1);
    assert_string_equal(program->roots[0], "/scratch/pb");
    assert_int_equal(program->parameter_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct weir_parameter *parameter = &program->parameters[i];

        assert_string_equal(program->variables.names[parameter->variable], variable_names[i]);
        assert_string_equal(parameter->value, parameters[i].value);
        assert_string_equal(parameter->origin, parameters[i].origin);
        assert_string_equal(parameter->text, parameters[i].text);
    }
    assert_int_equal(program->group_count, 2);
    assert_string_equal(program->groups[1].name, "rest");
    assert_int_equal(program->groups[1].tag, WEIR_GROUP_DISJOINT);
    assert_int_equal(program->groups[1].order, 2);
    assert_int_equal(program->groups[1].size, 4);
    assert_true(program->seed_is_given && program->must_verify && !program->skips_calls);
    assert_int_equal(program->seed, 42);
    weir_text_close(&file);
    weir_recorded_close(&read);
    scene_close(&scene);
}

static void a_list_of_runs_tells_programs_apart(void **state)
{
    char path[] = "/tmp/weir-parabench-report-XXXXXX";
    struct scene scene = make();
    struct weir_recorded_run *runs;
    struct weir_error error = {0};
    struct weir_text file = {0};
    unsigned count;

    scene.result->rank_count = RANKS;
    record_whole(&file, &scene);
    close(mkstemp(path));
    scene_store(path, file.data);
    assert_int_equal(weir_record_list(path, &scene.plan->arena, &runs, &count, &error), 0);
    assert_int_equal(count, 1);
    assert_string_equal(runs[0].program, "kernels/<a&b>.pbl on 3 ranks iter=2");
    unlink(path);
    weir_text_close(&file);
    scene_close(&scene);
}

/* `from` becomes `to` in the text, behind `place`. */
static void replace(struct weir_text *text, const char *place, const char *from, const char *to)
{
    char *at = strstr(text->data, place);
    struct weir_text changed = {0};

    assert_non_null(at);
    at = strstr(at, from);
    assert_non_null(at);
    weir_text_add(&changed, "%.*s%s%s", (int)(at - text->data), text->data, to, at + strlen(from));
    weir_text_close(text);
    *text = changed;
}

static void damaged_programs_are_refused_or_left_out(void **state)
{
    static const struct {
        const char *place, *from, *to;
    } cases[] = {
        {"\"verb\":\"program\"", "program", "write"},
        {"\"verb\":\"program\"", "\"program\":{", "\"pogrom\":{"},
        {"\"verb\":\"program\"", "\"path\":\"kernels", "\"wrath\":\"kernels"},
        {"\"parameters\":[", "\"name\":\"base\"", "\"game\":\"base\""},
        {"\"parameters\":[", "[", "7,\"x\":["},
        {"\"groups\":[", "\"single\"", "\"double\""},
        {"\"program_result\":{", "\"call\":\"Write\"", "\"call\":\"Wrote\""},
        {"\"program_result\":{", "\"label\":[2,1,0", "\"label\":[2,1,3"},
        {"\"program_result\":{", "\"label\":\"all\"", "\"table\":\"all\""},
        {"\"program_result\":{", "\"slowest\":[", "\"slowest\":[{},{},"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = make();
        struct weir_recorded read = {0};
        struct weir_error error = {0};
        struct weir_text file = {0};

        record_whole(&file, &scene);
        replace(&file, cases[i].place, cases[i].from, cases[i].to);
        if (reread(&scene, &file, &read, &error) == 0 && read.damaged == 0)
            fail_msg("%s", cases[i].to);
        weir_recorded_close(&read);
        weir_text_close(&file);
        scene_close(&scene);
    }
}

/* ---- findings ---- */

/* Their names, each behind a blank. */
static void find_all(struct scene *scene, struct weir_text *names)
{
    struct weir_phase_result *phase = &scene->result->phases[0];

    weir_audit_phase(scene->plan, &scene->result->tests[0], phase);
    /* The scene has the null backend, which is not what it is about. */
    for (unsigned i = 0; i < phase->finding_count; i++)
        if (strcmp(phase->findings[i].name, "no-storage") != 0)
            weir_text_add(names, " %s", phase->findings[i].name);
}

static void ranks_that_began_apart_are_a_finding(void **state)
{
    struct scene scene = make(), clean = make();
    struct weir_text names = {0};
    struct weir_label_result *label;

    find_all(&scene, &names);
    assert_string_equal(names.data, " failed skewed-start");
    assert_non_null(strstr(scene.result->phases[0].findings[1].text, "30.0 ms apart"));
    weir_text_clear(&names);
    clean.result->phases[0].error_count = 0;
    clean.result->phases[0].program->labels[0].skew_mean_s = 0.008; /* of 35 ms */
    find_all(&clean, &names);
    assert_string_equal(weir_text_string(&names), "");
    /* Nor in a loop, in which they drift. */
    label = &clean.result->phases[0].program->labels[0];
    label->skew_mean_s = 0.03;
    label->execution_count = 4 * label->rank_count;
    find_all(&clean, &names);
    assert_string_equal(weir_text_string(&names), "");
    label->execution_count = 3 * label->rank_count;
    find_all(&clean, &names);
    assert_string_equal(weir_text_string(&names), " skewed-start");
    weir_text_close(&names);
    scene_close(&scene);
    scene_close(&clean);
}

static void data_that_passed_no_device_are_a_finding(void **state)
{
    static const struct {
        unsigned call;
        uint64_t mib, written_mib, read_mib;
        bool is_known, is_in_memory;
        const char *names, *text;
    } cases[] = {
        {WEIR_CALL_FWRITE, 100, 0, 0, true, false, " unsynced", "at least 100 %"},
        {WEIR_CALL_FWRITE, 100, 94, 0, true, false, " unsynced", "at least 6 %"},
        {WEIR_CALL_FWRITE, 100, 96, 0, true, false, "", NULL},
        {WEIR_CALL_FWRITE, 100, 0, 0, false, false, "", NULL},
        {WEIR_CALL_FWRITE, 100, 0, 0, true, true, " in-memory",
         "tmpfs is memory, direct I/O included"},
        {WEIR_CALL_FWRITE, 15, 0, 0, true, false, "", NULL},
        {WEIR_CALL_DIRECT_WRITE, 100, 0, 0, true, false, "", NULL},
        {WEIR_CALL_PREAD, 100, 100, 25, true, false, " resident", "at least 75 %"},
        {WEIR_CALL_READ, 100, 0, 300, true, false, "", NULL},
        {WEIR_CALL_DIRECT_READ, 100, 0, 0, true, false, "", NULL},
        {WEIR_CALL_DELETE, 100, 0, 0, true, false, "", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = make();
        struct weir_phase_result *phase = &scene.result->phases[0];
        struct weir_call_result call = {.call = cases[i].call, .byte_count = cases[i].mib * MIB};
        struct weir_program_result program = {.call_count = 1, .calls = &call, .warnings = ""};
        struct weir_text names = {0};

        phase->error_count = 0;
        phase->program = &program;
        phase->traffic = (struct weir_traffic){.has_devices = cases[i].is_known,
                                               .device_read_bytes = cases[i].read_mib * MIB,
                                               .device_written_bytes = cases[i].written_mib * MIB};
        snprintf(scene.result->tests[0].filesystem.type,
                 sizeof scene.result->tests[0].filesystem.type, "%s",
                 cases[i].is_in_memory ? "tmpfs" : "ext4");
        find_all(&scene, &names);
        assert_string_equal(weir_text_string(&names), cases[i].names);
        if (cases[i].text != NULL)
            assert_non_null(strstr(phase->findings[0].text, cases[i].text));
        weir_text_close(&names);
        scene_close(&scene);
    }
}

/* ---- what is kept when the phase has been shown ---- */

static void what_is_kept_tells_the_same(void **state)
{
    for (size_t i = 0; i < REPORTS; i++) {
        struct scene scene = make();
        struct weir_text one = {0}, other = {0};

        tell(&scene, i, &one);
        weir_result_keep_phase(scene.result, true);
        tell(&scene, i, &other);
        assert_string_equal(one.data, other.data);
        weir_text_close(&one);
        weir_text_close(&other);
        scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_report_has_its_lines),
        cmocka_unit_test(each_report_is_known_by_its_beginning),
        cmocka_unit_test(a_program_without_events_and_commands_says_so),
        cmocka_unit_test(a_program_that_failed_is_told_as_far_as_it_came),
        cmocka_unit_test(the_first_line_tells_how_it_went),
        cmocka_unit_test(lists_end_after_1000_events_and_say_how_many_there_are),
        cmocka_unit_test(events_that_were_not_kept_are_not_denied),
        cmocka_unit_test(a_core_label_without_a_call_has_no_time),
        cmocka_unit_test(the_file_alone_gives_the_same_reports),
        cmocka_unit_test(how_it_was_run_comes_back),
        cmocka_unit_test(a_list_of_runs_tells_programs_apart),
        cmocka_unit_test(damaged_programs_are_refused_or_left_out),
        cmocka_unit_test(ranks_that_began_apart_are_a_finding),
        cmocka_unit_test(data_that_passed_no_device_are_a_finding),
        cmocka_unit_test(what_is_kept_tells_the_same),
    };

    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests_name("parabench_report", tests, NULL, NULL);
}

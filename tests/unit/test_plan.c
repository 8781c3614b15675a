/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: how they are built, what is refused with which sentence, and that their text says
 * everything that matters. */
#include "weir/base/remedy.h"
#include "weir/plan/plan.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1) << 20)
#define S UINT64_C(1000000000)

/* ---- a plan to change ---- */

struct values {
    int64_t is_direct;
    const char *hints;
};

static const struct weir_option rows[] = {
    {.name = "store.direct",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct values, is_direct)},
    {.name = "store.hints", .type = WEIR_OPTION_TEXT, .offset = offsetof(struct values, hints)},
    {0},
};

static const struct weir_descriptor store = {
    .name = "store",
    .label = "STORE",
    .abilities = WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_KEEP | WEIR_CAN_NAME |
                 WEIR_CAN_QUEUE | WEIR_TAKES_DEVICES,
    .options = {.name = "STORE", .rows = rows, .values_bytes = sizeof(struct values)},
};
static const struct weir_descriptor bare = {.name = "bare", .label = "BARE"};
static const struct weir_descriptor wrapper = {
    .name = "wrapper", .label = "WRAPPER", .abilities = WEIR_WRAPS};

static const char *const one_path[] = {"out/testFile"};
static const char *const two_paths[] = {"a/one", "b/two"};
static const char *const offsets_path[] = {"out/testF.dat"};
static const char *const latencies_path[] = {"out/h3.txt"};
static const char *const same_paths[] = {"a/one", "a/one"};
static const char *const empty_path[] = {""};
static const char *const missing_path[] = {NULL};
static const char *const directory_path[] = {"out/"};

struct subject {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_step *repeat;
    struct weir_phase *write;
    struct weir_phase *read;
    struct weir_phase *remove;
    struct weir_target target;
    struct weir_target other_target;
    struct values values;
    struct values inner_values;
};

static const struct weir_phase plain_phase = {
    .depth = 1,
    .transfers = {.layout = {.segment_count = 4, .block_bytes = 16 * MIB, .transfer_bytes = MIB},
                  .batch = 1},
};

static void open_subject(struct subject *subject)
{
    static const char *const words[] = {"ior", "-o", "out/testFile"};
    struct weir_phase phase = plain_phase;

    *subject = (struct subject){
        .plan = weir_plan_open("ior", 3, words),
        .target = {.paths = one_path, .path_count = 1, .is_shared = true},
    };
    subject->test = weir_plan_add_test(subject->plan);
    subject->test->backend = &store;
    subject->test->backend_options = &subject->values;
    subject->test->label = "STORE";
    subject->test->repetitions = 3;
    subject->repeat = weir_plan_add_repeat(subject->plan, &subject->test->steps, 3);
    phase.target = &subject->target;
    subject->write =
        weir_plan_add_phase(subject->plan, subject->test, &subject->repeat->body, &phase);
    phase.verb = WEIR_READ;
    subject->read =
        weir_plan_add_phase(subject->plan, subject->test, &subject->repeat->body, &phase);
    phase.verb = WEIR_REMOVE;
    subject->remove =
        weir_plan_add_phase(subject->plan, subject->test, &subject->repeat->body, &phase);
}

static void close_subject(struct subject *subject)
{
    weir_plan_close(subject->plan);
}

/* ---- building ---- */

static void words_are_copied_and_joined_by_blanks(void **state)
{
    char word[] = "ior";
    const char *words[] = {word, "-a", "POSIX"};
    struct weir_plan *plan = weir_plan_open("ior", 3, words);

    (void)state;
    word[0] = 'x';
    assert_string_equal(plan->command_line, "ior -a POSIX");
    assert_int_equal(plan->source.word_count, 3);
    assert_string_equal(plan->source.words[0], "ior");
    assert_string_equal(plan->dialect, "ior");
    weir_plan_close(plan);
}

static void plan_without_words_is_allowed(void **state)
{
    struct weir_plan *plan = weir_plan_open("ior", 0, NULL);

    (void)state;
    assert_string_equal(plan->command_line, "");
    assert_int_equal(plan->source.word_count, 0);
    weir_plan_close(plan);
    weir_plan_close(NULL);
}

static void tests_and_phases_keep_order_and_number(void **state)
{
    struct weir_plan *plan = weir_plan_open("ior", 0, NULL);
    unsigned number = 0;

    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        struct weir_test *test = weir_plan_add_test(plan);

        assert_int_equal(test->number, i);
        assert_int_equal(test->repetitions, 1);
        for (unsigned k = 0; k < i; k++) {
            struct weir_phase phase = plain_phase;

            phase.think_ns = k;
            assert_int_equal(weir_plan_add_phase(plan, test, &test->steps, &phase)->number,
                             number++);
        }
    }
    assert_int_equal(plan->test_count, 9);
    assert_int_equal(plan->phase_count, number);
    for (unsigned i = 0; i < 9; i++) {
        const struct weir_step *step = plan->tests[i]->steps;

        assert_int_equal(plan->tests[i]->phase_count, i);
        for (unsigned k = 0; k < i; k++, step = step->next) {
            assert_int_equal(plan->tests[i]->phases[k]->think_ns, k);
            assert_ptr_equal(step->phase, plan->tests[i]->phases[k]);
        }
        assert_null(step);
    }
    weir_plan_close(plan);
}

static void steps_follow_in_the_order_they_were_added(void **state)
{
    struct subject subject;
    const struct weir_step *step;

    (void)state;
    open_subject(&subject);
    weir_plan_add_sleep(subject.plan, &subject.test->steps, 5 * S);
    step = subject.test->steps;
    assert_int_equal(step->kind, WEIR_STEP_REPEAT);
    assert_int_equal(step->count, 3);
    assert_ptr_equal(step->body->phase, subject.write);
    assert_ptr_equal(step->body->next->phase, subject.read);
    assert_ptr_equal(step->body->next->next->phase, subject.remove);
    step = step->next;
    assert_int_equal(step->kind, WEIR_STEP_SLEEP);
    assert_int_equal(step->sleep_ns, 5 * S);
    assert_null(step->next);
    close_subject(&subject);
}

static void phases_and_settings_are_found_by_name(void **state)
{
    static const struct weir_setting settings[] = {{"segmentCount", "4"}, {"fsync", "1"}};
    struct subject subject;

    (void)state;
    open_subject(&subject);
    subject.test->settings = settings;
    subject.test->setting_count = 2;
    assert_string_equal(weir_test_setting(subject.test, "fsync"), "1");
    assert_null(weir_test_setting(subject.test, "keepFile"));
    assert_ptr_equal(weir_test_phase(subject.test, WEIR_WRITE), subject.write);
    assert_ptr_equal(weir_test_phase(subject.test, WEIR_READ), subject.read);
    subject.read->is_check = true;
    assert_null(weir_test_phase(subject.test, WEIR_READ));
    subject.write->is_prefill = true;
    assert_null(weir_test_phase(subject.test, WEIR_WRITE));
    close_subject(&subject);
}

static void words_are_put_where_they_belong(void **state)
{
    struct weir_plan *plan = weir_plan_open("ior", 2, (const char *const[]){"ior", "-w"});

    (void)state;
    weir_plan_insert_word(plan, 1, "-O");
    weir_plan_insert_word(plan, 2, "a=b");
    weir_plan_insert_word(plan, 4, "-r");
    assert_int_equal(plan->source.word_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(plan->source.words[i],
                            ((const char *const[]){"ior", "-O", "a=b", "-w", "-r"})[i]);
    assert_string_equal(plan->command_line, "ior -w");
    weir_plan_close(plan);
}

static void remarks_keep_their_order(void **state)
{
    struct weir_plan *plan = weir_plan_open("ior", 0, NULL);
    struct weir_test *test = weir_plan_add_test(plan);

    (void)state;
    for (unsigned i = 0; i < 9; i++)
        weir_plan_add_remark(plan, test, "number %u", i);
    assert_int_equal(test->remark_count, 9);
    assert_string_equal(test->remarks[0], "number 0");
    assert_string_equal(test->remarks[8], "number 8");
    weir_plan_close(plan);
}

static void verbs_have_names(void **state)
{
    (void)state;
    assert_string_equal(weir_verb_name(WEIR_WRITE), "write");
    assert_string_equal(weir_verb_name(WEIR_READ), "read");
    assert_string_equal(weir_verb_name(WEIR_MIXED), "mixed");
    assert_string_equal(weir_verb_name(WEIR_REMOVE), "remove");
}

static void each_verb_moves_data_or_works_on_names(void **state)
{
    static const struct {
        enum weir_verb verb;
        bool moves, writes, reads, makes, names, removes;
    } cases[] = {{WEIR_WRITE, true, true, false, true, false, false},
                 {WEIR_READ, true, false, true, false, false, false},
                 {WEIR_MIXED, true, true, true, false, false, false},
                 {WEIR_REMOVE, false, false, false, false, true, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum weir_verb verb = cases[i].verb;

        assert_int_equal(verb, i);
        assert_int_equal(weir_verb_moves_data(verb), cases[i].moves);
        assert_int_equal(weir_verb_writes(verb), cases[i].writes);
        assert_int_equal(weir_verb_reads(verb), cases[i].reads);
        assert_int_equal(weir_verb_makes_files(verb), cases[i].makes);
        assert_int_equal(weir_verb_works_on_names(verb), cases[i].names);
        assert_int_equal(weir_verb_removes(verb), cases[i].removes);
    }
}

/* ---- paths ---- */

static void path_says_whose_file_it_is(void **state)
{
    static const char *const names[] = {"testFile"};
    static const char *const rooted[] = {"/testFile"};
    static const char *const patterns[] = {"out/f%r%%r-%r", "b/two"};
    static const struct {
        struct weir_target target;
        const char *path; /* of file 3 in repetition 2 */
    } cases[] = {
        {{.paths = one_path, .path_count = 1, .is_shared = true}, "out/testFile"},
        {{.paths = one_path, .path_count = 1}, "out/testFile.00000003"},
        {{.paths = two_paths, .path_count = 2}, "b/two.00000003"},
        {{.paths = one_path, .path_count = 1, .has_own_directory = true},
         "out/3/testFile.00000003"},
        {{.paths = names, .path_count = 1, .has_own_directory = true}, "3/testFile.00000003"},
        {{.paths = rooted, .path_count = 1, .has_own_directory = true}, "/3/testFile.00000003"},
        {{.paths = one_path, .path_count = 1, .is_shared = true, .is_new_each_repetition = true},
         "out/testFile.2"},
        {{.paths = one_path, .path_count = 1, .is_new_each_repetition = true},
         "out/testFile.00000003.2"},
        {{.paths = one_path, .path_count = 1, .has_package_directory = true},
         "out/testFile1/data.00000003"},
        {{.paths = two_paths,
          .path_count = 2,
          .has_package_directory = true,
          .is_new_each_repetition = true},
         "b/two1/data.00000003.2"},
        {{.paths = one_path, .path_count = 1, .is_device = true}, "out/testFile"},
        {{.paths = two_paths, .path_count = 2, .is_device = true}, "b/two"},
        {{.paths = one_path, .path_count = 1, .is_shared = true, .is_device = true},
         "out/testFile"},
        {{.paths = patterns, .path_count = 1, .has_exact_names = true}, "out/f3%r-3"},
        {{.paths = patterns, .path_count = 2, .has_exact_names = true}, "b/two"},
        {{.paths = patterns,
          .path_count = 1,
          .has_exact_names = true,
          .is_new_each_repetition = true},
         "out/f3%r-3.2"},
    };
    char path[WEIR_PATH_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            weir_target_path(&cases[i].target,
                             &(struct weir_file_place){.number = 3, .repetition = 2, .package = 1},
                             path),
            0);
        assert_string_equal(path, cases[i].path);
    }
}

static void path_of_great_numbers_is_not_cut(void **state)
{
    struct weir_target target = {.paths = two_paths, .path_count = 1};
    char path[WEIR_PATH_BYTES];

    (void)state;
    assert_int_equal(
        weir_target_path(&target, &(struct weir_file_place){.number = 1234567890}, path), 0);
    assert_string_equal(path, "a/one.1234567890");
}

static void path_that_does_not_fit_is_an_error(void **state)
{
    char name[WEIR_PATH_BYTES + 1];
    const char *paths[] = {name};
    struct weir_target target = {.paths = paths, .path_count = 1, .is_shared = true};
    char path[WEIR_PATH_BYTES];

    (void)state;
    memset(name, 'x', WEIR_PATH_BYTES);
    name[WEIR_PATH_BYTES] = '\0';
    assert_int_equal(weir_target_path(&target, &(struct weir_file_place){0}, path), -ENAMETOOLONG);
    name[WEIR_PATH_BYTES - 1] = '\0';
    assert_int_equal(weir_target_path(&target, &(struct weir_file_place){0}, path), 0);
    target.is_new_each_repetition = true;
    assert_int_equal(weir_target_path(&target, &(struct weir_file_place){0}, path), -ENAMETOOLONG);
    target.is_shared = false;
    assert_int_equal(weir_target_path(&target, &(struct weir_file_place){0}, path), -ENAMETOOLONG);
    target.has_own_directory = true;
    assert_int_equal(weir_target_path(&target, &(struct weir_file_place){0}, path), -ENAMETOOLONG);
}

/* ---- checking ---- */

/* One change to a plan as a function, so that tables can hold it. */
#define CHANGE(name, ...)                                                                          \
    static void name(struct subject *x)                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

static const struct weir_rate some_rate = {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 5};

static void mix(struct subject *x)
{
    x->read->verb = WEIR_MIXED;
    x->read->transfers.read_percent = 70;
}

/* Two of them, of which each rank has one; nothing is removed. */
static void devices(struct subject *x)
{
    x->target = (struct weir_target){.paths = two_paths, .path_count = 2, .is_device = true};
    x->test->must_keep = true;
    x->test->phase_count = 2;
}

CHANGE(no_transfer, x->write->transfers.layout.transfer_bytes = 0)
CHANGE(no_block, x->write->transfers.layout.block_bytes = 0)
CHANGE(no_segment, x->read->transfers.layout.segment_count = 0)
CHANGE(uneven_block, x->write->transfers.layout.block_bytes = 1000)
CHANGE(huge_file, x->write->transfers.layout.segment_count = UINT64_C(1) << 39)
CHANGE(overflowing_file, x->write->transfers.layout.segment_count = UINT64_MAX / 2)
CHANGE(no_depth, x->read->depth = 0)
CHANGE(huge_depth, x->read->depth = WEIR_PLAN_DEPTH_MAX + 1)
CHANGE(backend_without_sharing, x->test->backend = &bare)
CHANGE(backend_without_collectives, x->test->backend = &bare; x->target.is_shared = false;
       x->read->transfers.is_collective = true)
CHANGE(backend_without_memory, x->test->backend = &bare; x->target.is_shared = false;
       x->read->transfers.must_verify = true)
CHANGE(wrapped_backend_without_sharing, x->test->backend = &wrapper; x->test->inner = &bare)
CHANGE(wrapper_of_nothing, x->test->backend = &wrapper)
CHANGE(wrapper_of_wrapper, x->test->backend = &wrapper; x->test->inner = &wrapper)
CHANGE(inner_of_no_wrapper, x->test->inner = &bare)
CHANGE(wear_out_alone, x->write->stop.has_wear_out = true)
CHANGE(status_without_keep, x->write->stop.status_path = "status")
CHANGE(status_without_path, x->test->must_keep = true; x->write->stop.status_path = "")
CHANGE(status_of_cut_writes, x->test->must_keep = true; x->write->stop.status_path = "status";
       x->write->stop.deadline_ns = S)
CHANGE(check_without_verification, x->read->is_check = true)
CHANGE(verification_of_nothing, x->read->transfers.must_verify = true;
       x->read->transfers.payload.mode = WEIR_PAYLOAD_NONE)
CHANGE(verification_of_random_blocks, x->read->transfers.must_verify = true;
       x->write->transfers.layout.order = WEIR_ORDER_RANDOM_BLOCKS)
CHANGE(verifying_write, x->write->transfers.must_verify = true)
CHANGE(checking_remove, x->remove->is_check = true)
CHANGE(syncing_read, x->read->transfers.must_sync_each = true)
CHANGE(syncing_at_the_end_of_remove, x->remove->transfers.must_sync_at_end = true)
CHANGE(syncing_before_remove, x->remove->transfers.must_sync_before = true)
CHANGE(syncing_after_remove, x->remove->transfers.must_sync_after = true)
CHANGE(ending_write, x->write->names.only_if_ending = true)
CHANGE(syncing_remove, x->remove->transfers.must_sync_each = true)
CHANGE(replacing_read, x->read->transfers.must_replace = true)
CHANGE(clean_write, x->write->names.only_if_clean = true)
CHANGE(no_target, x->write->target = NULL)
CHANGE(no_path, x->target.path_count = 0)
CHANGE(missing_name, x->target.paths = missing_path)
CHANGE(empty_name, x->target.paths = empty_path)
CHANGE(directory_name, x->target.paths = directory_path)
CHANGE(list_of_shared_files, x->target.paths = two_paths; x->target.path_count = 2)
CHANGE(directories_of_shared_file, x->target.has_own_directory = true)
CHANGE(no_repetition, x->test->repetitions = 0)
CHANGE(empty_repeat, x->repeat->count = 0)
CHANGE(no_phase, x->test->phase_count = 0)
CHANGE(no_test, x->plan->test_count = 0)
CHANGE(empty_summary, x->plan->output.summary_path = "")
CHANGE(empty_result, x->plan->output.result_path = "")
CHANGE(same_outputs, x->plan->output.summary_path = "a"; x->plan->output.result_path = "a")

CHANGE(same_plain_outputs, x->plan->output.summary_path = "./a//b";
       x->plan->output.result_path = "a/./b")
CHANGE(same_climbing_outputs, x->plan->output.summary_path = "/../c/.././a/b";
       x->plan->output.result_path = "/a/c/../b")
CHANGE(result_climbs_over_data, x->plan->output.result_path = "x/../out/y/z/../../testFile")
CHANGE(result_over_data, x->plan->output.result_path = ".//out/./testFile")
CHANGE(summary_over_data, x->plan->output.summary_path = "out/testFile")
CHANGE(status_over_data, x->test->must_keep = true; x->read->stop.status_path = "out/testFile")
CHANGE(status_over_summary, x->test->must_keep = true; x->read->stop.status_path = "s";
       x->plan->output.summary_path = "s")
CHANGE(status_over_result, x->test->must_keep = true; x->read->stop.status_path = "s";
       x->plan->output.result_path = "./s")
CHANGE(result_over_own_file, x->target.is_shared = false;
       x->plan->output.result_path = "out/testFile.00000003")
CHANGE(result_over_family, x->target.is_shared = false;
       x->plan->output.result_path = "out/testFile")
CHANGE(result_over_repetition, x->target.is_new_each_repetition = true;
       x->plan->output.result_path = "out/testFile.2")
CHANGE(result_over_file_of_repetition, x->target.is_shared = false;
       x->target.is_new_each_repetition = true;
       x->plan->output.result_path = "out/testFile.00000000.2")
CHANGE(result_in_own_directory, x->target.is_shared = false; x->target.has_own_directory = true;
       x->plan->output.result_path = "out/12/testFile.00000012")
CHANGE(result_over_second_path, x->target.is_shared = false; x->target.paths = two_paths;
       x->target.path_count = 2; x->plan->output.result_path = "b/two.00000001")
CHANGE(offsets_over_data, x->test->op_csv_prefix = "out/test"; x->test->op_csv_is_of_first = true;
       x->read->transfers.log_name = "F"; x->target.paths = offsets_path)
CHANGE(offsets_beside_data, x->test->op_csv_prefix = "out/test"; x->test->op_csv_is_of_first = true;
       x->read->transfers.log_name = "G"; x->target.paths = offsets_path)
CHANGE(offsets_of_rank_over_result, x->test->op_csv_prefix = "Child_";
       x->read->transfers.log_name = "rol"; x->plan->output.result_path = "Child_7_rol.dat")
CHANGE(latencies_over_data, x->test->rank_histogram_prefix = "out/h";
       x->target.paths = latencies_path)
CHANGE(latencies_over_result, x->test->rank_histogram_prefix = "out/h";
       x->plan->output.result_path = "out/h12.txt")
CHANGE(result_beside_latencies, x->test->rank_histogram_prefix = "out/h";
       x->plan->output.result_path = "out/h12.txt2")

/* Own files with names as these patterns say. */
static void name(struct subject *x, const char *const paths[], size_t count)
{
    x->target = (struct weir_target){.paths = paths, .path_count = count, .has_exact_names = true};
}

static const char *const numbered_paths[] = {"out/f%r", "out/f%r"};
static const char *const equal_paths[] = {"out/one", "out/two", "./out//one"};
static const char *const colliding_paths[] = {"out/1", "out/f", "out/%r", "out/f%%", "out/%r"};
static const char *const number_in_paths[] = {"out/f", "out/2", "out/%r"};
static const char *const wrong_pattern[] = {"out/100%-f%r"};
static const char *const cut_pattern[] = {"out/100%"};

CHANGE(exact_names, name(x, numbered_paths, 2))
CHANGE(exact_list, name(x, colliding_paths, 5))
CHANGE(exact_list_of_few_ranks, name(x, equal_paths, 3); x->test->rank_limit = 2;
       for (size_t i = 0; i < x->test->phase_count; i++) x->test->phases[i]->rank_limit = 2)
CHANGE(result_beside_exact_names, name(x, numbered_paths, 1);
       x->plan->output.result_path = "out/f%r")
CHANGE(equal_exact_names, name(x, equal_paths, 3))
CHANGE(exact_name_of_a_number, name(x, number_in_paths, 3))
CHANGE(wrong_exact_name, name(x, wrong_pattern, 1))
CHANGE(cut_exact_name, name(x, cut_pattern, 1))
CHANGE(shared_exact_name, name(x, numbered_paths, 1); x->target.is_shared = true)
CHANGE(exact_name_in_directory, name(x, numbered_paths, 1); x->target.has_own_directory = true)
CHANGE(result_over_exact_name, name(x, numbered_paths, 1);
       x->plan->output.result_path = "out/./f12")

CHANGE(prefilling_read, x->read->is_prefill = true)
CHANGE(blind_end, x->read->transfers.ends_at_mismatch = true)
CHANGE(pattern_of_stamps, x->write->transfers.payload.pattern = WEIR_IOR_OFFSET)
CHANGE(varying_nodes, x->read->shift.kind = WEIR_SHIFT_NODES; x->read->shift.varies = true)
CHANGE(packages_of_shared_file, x->target.has_package_directory = true)
CHANGE(both_directories, x->target.is_shared = false; x->target.has_package_directory = true;
       x->target.has_own_directory = true)
CHANGE(two_hogs, x->test->hog.bytes_per_rank = 1; x->test->hog.percent_of_node = 1)
CHANGE(huge_hog, x->test->hog.percent_of_node = 101)
CHANGE(too_many_nodes, x->test->given_nodes = WEIR_PLAN_RANKS_MAX + 1)
CHANGE(too_many_ranks, x->test->given_ranks_per_node = WEIR_PLAN_RANKS_MAX + 1)
CHANGE(list_without_list, x->test->pinning.policy = WEIR_PIN_LIST)
CHANGE(list_of_cores, x->test->pinning.policy = WEIR_PIN_CORE; x->test->pinning.list = "0-3")
CHANGE(list_of_nothing, x->test->pinning.policy = WEIR_PIN_LIST; x->test->pinning.list = "")
CHANGE(list_beyond_all, x->test->pinning.policy = WEIR_PIN_LIST; x->test->pinning.list = "4096")
CHANGE(no_rankfile, x->test->pinning.policy = WEIR_PIN_RANKFILE)
CHANGE(empty_rankfile, x->test->pinning.policy = WEIR_PIN_RANKFILE;
       x->test->pinning.rankfile_path = "")
CHANGE(rankfile_of_none, x->test->pinning.rankfile_path = "r")
CHANGE(nic_of_numa, x->test->pinning.policy = WEIR_PIN_NUMA; x->test->pinning.nic = "eth0")
CHANGE(nameless_nic, x->test->pinning.policy = WEIR_PIN_NIC; x->test->pinning.nic = "")
CHANGE(order_of_none, x->test->pinning.order = WEIR_PIN_SCATTER)
CHANGE(order_of_list, x->test->pinning.policy = WEIR_PIN_LIST; x->test->pinning.list = "0";
       x->test->pinning.order = WEIR_PIN_COMPACT)
CHANGE(order_of_rankfile, x->test->pinning.policy = WEIR_PIN_RANKFILE;
       x->test->pinning.rankfile_path = "r"; x->test->pinning.order = WEIR_PIN_COMPACT)
CHANGE(storage_of_bare_backend, x->test->backend = &bare;
       x->test->pinning.policy = WEIR_PIN_STORAGE)
CHANGE(storage_of_wrapped_backend, x->test->backend = &wrapper; x->test->inner = &bare;
       x->test->pinning.policy = WEIR_PIN_STORAGE)
CHANGE(memory_beyond_nodes, x->test->membind.policy = WEIR_MEMBIND_NODE; x->test->membind.node = 64)
CHANGE(node_of_local_memory, x->test->membind.policy = WEIR_MEMBIND_LOCAL;
       x->test->membind.node = 1)
CHANGE(drop_of_bare_backend, x->test->backend = &bare; x->test->cache_drop = WEIR_DROP_NODE)
CHANGE(no_rank_file, x->test->rank_csv_path = "")
CHANGE(no_op_files, x->test->op_csv_prefix = "")
CHANGE(ranks_over_data, x->test->rank_csv_path = "./out/testFile")
CHANGE(ranks_over_result, x->test->rank_csv_path = "r"; x->plan->output.result_path = "./r")
CHANGE(ops_over_ranks, x->test->rank_csv_path = "o-0.csv"; x->test->op_csv_prefix = "./o")
CHANGE(result_in_package, x->target.is_shared = false; x->target.has_package_directory = true;
       x->plan->output.result_path = "out/testFile3/data.00000001")

CHANGE(deep_blocking_backend, x->test->backend = &bare; x->target.is_shared = false;
       x->read->depth = 2)
CHANGE(deep_wrapped_backend, x->test->backend = &wrapper; x->test->inner = &bare;
       x->target.is_shared = false; x->read->depth = 2)
CHANGE(deep_collective, x->write->transfers.is_collective = true; x->write->depth = 2)
CHANGE(no_batch, x->write->transfers.batch = 0)
CHANGE(huge_batch, x->write->depth = 8; x->write->transfers.batch = 9)
CHANGE(narrow_search, x->write->must_find_depth = true)
CHANGE(search_of_check, x->read->depth = 8; x->read->must_find_depth = true;
       x->read->transfers.must_verify = true; x->read->is_check = true)
CHANGE(search_of_prefill, x->write->depth = 8; x->write->must_find_depth = true;
       x->write->is_prefill = true)
CHANGE(search_at_rate, x->write->depth = 8; x->write->must_find_depth = true;
       x->write->rate = some_rate)
CHANGE(rate_without_arrivals, x->write->rate.per_s = 5)
CHANGE(bytes_without_arrivals, x->write->rate.is_in_bytes = true)
CHANGE(rank_without_arrivals, x->write->rate.is_per_rank = true)
CHANGE(no_rate, x->write->rate = some_rate; x->write->rate.per_s = 0)
CHANGE(negative_rate, x->write->rate = some_rate; x->write->rate.per_s = -1)
CHANGE(endless_rate, x->write->rate = some_rate; x->write->rate.per_s = INFINITY)
CHANGE(rate_that_is_none, x->write->rate = some_rate; x->write->rate.per_s = NAN)
CHANGE(rate_of_check, x->read->rate = some_rate; x->read->transfers.must_verify = true;
       x->read->is_check = true)
CHANGE(rate_of_prefill, x->write->rate = some_rate; x->write->is_prefill = true)
CHANGE(rate_of_collective, x->write->rate = some_rate; x->write->transfers.is_collective = true)
CHANGE(rate_with_pauses, x->write->rate = some_rate; x->write->think_ns = 1)
CHANGE(rate_of_remove, x->remove->rate = some_rate)
CHANGE(mix_of_write, x->write->transfers.read_percent = 1)
CHANGE(mix_above_all, mix(x); x->read->transfers.read_percent = 101)
CHANGE(mix_of_random_blocks, mix(x); x->read->transfers.layout.order = WEIR_ORDER_RANDOM_BLOCKS)
CHANGE(collective_mix, mix(x); x->read->transfers.is_collective = true)
CHANGE(mix_as_check, mix(x); x->read->transfers.must_verify = true; x->read->is_check = true)
CHANGE(mix_as_prefill, mix(x); x->read->is_prefill = true)
CHANGE(replacing_mix, mix(x); x->read->transfers.must_replace = true)
CHANGE(shifted_mix, mix(x); x->read->shift.kind = WEIR_SHIFT_NODES)
CHANGE(device_of_bare_backend, devices(x); x->test->backend = &bare)
CHANGE(device_with_directory, devices(x); x->target.has_own_directory = true)
CHANGE(device_with_package, devices(x); x->target.has_package_directory = true)
CHANGE(device_of_repetition, devices(x); x->target.is_new_each_repetition = true)
CHANGE(device_not_kept, devices(x); x->test->must_keep = false)
CHANGE(device_replaced, devices(x); x->write->transfers.must_replace = true)
CHANGE(device_removed, devices(x); x->test->phase_count = 3)
CHANGE(device_twice, devices(x); x->target.paths = same_paths)
CHANGE(device_over_result, devices(x); x->plan->output.result_path = "b/two")

static void ops_over_data(struct subject *x)
{
    static const char *const paths[] = {"out/ops-1.csv"};

    x->target.paths = paths;
    x->test->op_csv_prefix = "out//ops";
}

static void result_over_data_of_second_test(struct subject *x)
{
    struct weir_test *second = weir_plan_add_test(x->plan);
    struct weir_phase phase = *x->write;

    second->backend = &store;
    second->label = "STORE";
    x->other_target = (struct weir_target){.paths = two_paths, .path_count = 1, .is_shared = true};
    phase.target = &x->other_target;
    weir_plan_add_phase(x->plan, second, &second->steps, &phase);
    x->plan->output.result_path = "a/one";
}

/* Fits, but not with a number behind it. */
static void long_name(struct subject *x)
{
    char *name = weir_arena_take(&x->plan->arena, WEIR_PATH_BYTES);
    const char **paths = weir_arena_take(&x->plan->arena, sizeof *paths);

    memset(name, 'x', WEIR_PATH_BYTES - 4);
    *paths = name;
    x->target.paths = paths;
    x->target.is_shared = false;
}

CHANGE(open_for_none, x->read->leaves_open = true)
CHANGE(open_for_others, x->write->leaves_open = true; x->other_target = x->target;
       x->read->target = &x->other_target)
CHANGE(open_to_be_written, x->write->verb = WEIR_READ; x->read->verb = WEIR_WRITE;
       x->write->transfers.must_replace = false; x->write->leaves_open = true)
CHANGE(open_to_be_replaced, x->read->verb = WEIR_WRITE; x->read->transfers.must_replace = true;
       x->write->leaves_open = true)
CHANGE(open_for_shift, x->write->leaves_open = true; x->read->shift.kind = WEIR_SHIFT_NODES)
CHANGE(open_for_search, x->write->leaves_open = true; x->read->depth = 8;
       x->read->must_find_depth = true)
CHANGE(open_for_layout, x->write->leaves_open = true; x->read->transfers.layout.segment_count++)

static const struct {
    void (*change)(struct subject *subject);
    const char *sentence; /* its beginning */
    const char *way_out;
} senseless_plans[] = {
    {no_transfer, "ior: transfer size 0", "at least one byte"},
    {no_block, "ior: block size 0", "at least one transfer of 1m"},
    {no_segment, "ior: segment count 0", "at least one segment"},
    {uneven_block, "ior: block size 1000 is not a multiple of transfer size 1m", "choose"},
    {huge_file, "ior: 549755813888 segments of 16m blocks", "fewer or smaller"},
    {overflowing_file, "ior: 9223372036854775807 segments", "fewer or smaller"},
    {no_depth, "ior: queue depth 0", "1 to 4096"},
    {huge_depth, "ior: queue depth 4097", "1 to 4096"},
    {backend_without_sharing, "ior: backend bare cannot share", "file of its own"},
    {backend_without_collectives, "ior: backend bare has no collective", "independent"},
    {backend_without_memory, "ior: backend bare keeps no data", "do not verify"},
    {wrapped_backend_without_sharing, "ior: backend wrapper cannot share", "another backend"},
    {wrapper_of_nothing, "ior: backend wrapper stands around another", "wrapper:posix"},
    {wrapper_of_wrapper, "ior: backend wrapper cannot stand around wrapper", "stores data"},
    {inner_of_no_wrapper, "ior: backend store cannot stand around bare", "name one"},
    {wear_out_alone, "ior: wear-out without a deadline", "give the deadline"},
    {status_without_keep, "ior: status file status is of no use", "keep the files"},
    {status_without_path, "ior: the path of the status file has 0 bytes", "1 to 4095"},
    {status_of_cut_writes, "ior: status file status would promise", "add wear-out"},
    {check_without_verification, "ior: a check that does not verify", "make it a read"},
    {verification_of_nothing, "ior: data without content", "another payload"},
    {verification_of_random_blocks, "ior: data written at random", "shuffled order"},
    {verifying_write, "ior: write cannot verify", "add a read"},
    {checking_remove, "ior: remove is no check", "add a read"},
    {syncing_read, "ior: read has nothing to sync", "writes only"},
    {syncing_remove, "ior: remove has nothing to sync", "writes only"},
    {syncing_at_the_end_of_remove, "ior: remove has nothing to sync", "that move data"},
    {syncing_before_remove, "ior: remove has nothing to sync", "that move data"},
    {syncing_after_remove, "ior: remove has nothing to sync", "that move data"},
    {ending_write, "ior: write cannot wait for the end of a run", "removals"},
    {replacing_read, "ior: read cannot replace", "let the write"},
    {clean_write, "ior: write cannot wait for clean data", "removals"},
    {no_target, "ior: write without a file", "give a path"},
    {no_path, "ior: write without a file", "give a path"},
    {missing_name, "ior: empty path", "name of a file"},
    {empty_name, "ior: empty path", "name of a file"},
    {directory_name, "ior: path out/ names a directory", "add the name"},
    {long_name, "ior: a path of 4092 bytes is too long", "4095 must do"},
    {list_of_shared_files, "ior: 2 paths for one shared file", "file of its own"},
    {directories_of_shared_file, "ior: a directory for each rank", "file of its own"},
    {equal_exact_names, "ior: ranks 0 and 2 would have one file", "put %r"},
    {exact_name_of_a_number, "ior: ranks 1 and 2 would have one file", "put %r"},
    {wrong_exact_name, "ior: %- in the path out/100%-f%r", "%% a percent sign"},
    {cut_exact_name, "ior: % in the path out/100%", "%% a percent sign"},
    {shared_exact_name, "ior: names as they are given", "choose one"},
    {exact_name_in_directory, "ior: names as they are given", "choose one"},
    {result_over_exact_name, "ior: result file out/./f12 is one of", "of its own"},
    {no_repetition, "ior: 0 repetitions", "at least one"},
    {empty_repeat, "ior: 0 repetitions", "at least one"},
    {no_phase, "ior: nothing to do", "a write or a read"},
    {no_test, "ior: nothing to do", "at least one test"},
    {empty_summary, "ior: empty path for the results", "standard output"},
    {empty_result, "ior: empty path for the result file", "leave it out"},
    {same_outputs, "ior: result file and summary file are both a", "different"},
    {same_plain_outputs, "ior: result file and summary file are both a/./b", "different"},
    {same_climbing_outputs, "ior: result file and summary file are both /a/c/../b", "different"},
    {result_climbs_over_data, "ior: result file x/../out/y/z/../../testFile is one of the data fil",
     "path of its own"},
    {result_over_data, "ior: result file .//out/./testFile is one of the data files out/test",
     "path of its own"},
    {summary_over_data, "ior: summary file out/testFile is one of the data", "of its own"},
    {status_over_data, "ior: status file out/testFile is one of the data", "of its own"},
    {status_over_summary, "ior: summary file and status file are both s", "different"},
    {status_over_result, "ior: result file and status file are both ./s", "different"},
    {result_over_own_file, "ior: result file out/testFile.00000003 is one", "of its own"},
    {result_over_family, "ior: result file out/testFile is one", "of its own"},
    {result_over_repetition, "ior: result file out/testFile.2 is one", "of its own"},
    {result_over_file_of_repetition, "ior: result file out/testFile.00000000.2 is one",
     "of its own"},
    {result_in_own_directory, "ior: result file out/12/testFile.00000012 is", "of its own"},
    {offsets_over_data, "ior: file of offsets of transfers out/testF.dat is one", "of its own"},
    {offsets_of_rank_over_result,
     "ior: result file and file of offsets of transfers are both Child_7_rol.dat",
     "different paths"},
    {latencies_over_data, "ior: file of latencies of a rank out/h%r.txt is one", "of its own"},
    {latencies_over_result, "ior: result file and file of latencies of a rank are both out/h12.txt",
     "different paths"},
    {result_over_second_path, "ior: result file b/two.00000001 is one", "of its own"},
    {result_over_data_of_second_test, "ior: result file a/one is one of", "of its own"},
    {prefilling_read, "ior: read cannot fill files", "only writes"},
    {blind_end, "ior: a read that ends at a mismatch", "verify"},
    {pattern_of_stamps, "ior: a pattern of IOR's for data that are not", "choose one"},
    {varying_nodes, "ior: an order of ranks that is not random cannot vary", "a random one"},
    {packages_of_shared_file, "ior: a directory for each processor package but", "of its own"},
    {both_directories, "ior: a directory for each rank and one for each", "choose one"},
    {two_hogs, "ior: memory to be taken away is given twice", "per rank or per node"},
    {huge_hog, "ior: 101% of the memory", "there are 100%"},
    {too_many_nodes, "ior: 1048577 nodes and 0 ranks", "at most 1048576"},
    {too_many_ranks, "ior: 0 nodes and 1048577 ranks", "at most 1048576"},
    {list_without_list, "ior: policy list without a list", "to policy list alone"},
    {list_of_cores, "ior: policy core with a list", "to policy list alone"},
    {list_of_nothing, "ior: \"\" is no list of processors", "such as 0-3,8"},
    {list_beyond_all, "ior: \"4096\" is no list of processors", "below 4096"},
    {no_rankfile, "ior: policy rankfile without a rankfile", "to policy rankfile alone"},
    {empty_rankfile, "ior: empty path for the rankfile", "another policy"},
    {rankfile_of_none, "ior: policy none with a rankfile", "to policy rankfile alone"},
    {nic_of_numa, "ior: policy numa with network device eth0", "choose policy nic"},
    {nameless_nic, "ior: empty name of a network device", "leave it out"},
    {order_of_none, "ior: policy none has no places", "leave the order out"},
    {order_of_list, "ior: policy list has no places", "leave the order out"},
    {order_of_rankfile, "ior: policy rankfile has no places", "leave the order out"},
    {storage_of_bare_backend, "ior: policy storage, and backend bare has no files", "another"},
    {storage_of_wrapped_backend, "ior: policy storage, and backend wrapper has", "another"},
    {memory_beyond_nodes, "ior: memory on NUMA node 64", "one from 0 to 63"},
    {node_of_local_memory, "ior: memory policy local with NUMA node 1", "choose policy node"},
    {drop_of_bare_backend, "ior: backend bare has no files that a page cache", "another backend"},
    {no_rank_file, "ior: empty path for the figures of ranks", "leave it out"},
    {no_op_files, "ior: empty path for the figures of transfers", "leave it out"},
    {ranks_over_data, "ior: file of figures of ranks ./out/testFile is one of", "of its own"},
    {ranks_over_result, "ior: result file and file of figures of ranks are both", "different"},
    {ops_over_ranks, "ior: file of figures of ranks and file of figures of transfers are both o-0",
     "different"},
    {ops_over_data, "ior: file of figures of transfers out//ops is one of the data files out/ops-1",
     "of its own"},
    {result_in_package, "ior: result file out/testFile3/data.00000001 is one", "of its own"},
    {deep_blocking_backend, "ior: queue depth 2: backend bare makes one", "libaio or uring"},
    {deep_wrapped_backend, "ior: queue depth 2: backend wrapper makes one", "libaio or uring"},
    {deep_collective, "ior: queue depth 2: collective transfers", "independent ones"},
    {no_batch, "ior: a batch of 0 transfers at a queue depth of 1", "choose 1"},
    {huge_batch, "ior: a batch of 9 transfers at a queue depth of 8", "as many as the depth"},
    {narrow_search, "ior: the best depth up to 1", "greater one"},
    {search_of_check, "ior: a depth is to be found in a phase that is not timed", "give it one"},
    {search_of_prefill, "ior: a depth is to be found in a phase that is not", "give it one"},
    {search_at_rate, "ior: the best depth of a closed loop", "leave the rate out"},
    {rate_without_arrivals, "ior: a rate without arrivals", "constant or random"},
    {bytes_without_arrivals, "ior: a rate without arrivals", "constant or random"},
    {rank_without_arrivals, "ior: a rate without arrivals", "constant or random"},
    {no_rate, "ior: a rate of 0 per second", "above 0"},
    {negative_rate, "ior: a rate of -1 per second", "above 0"},
    {endless_rate, "ior: a rate of inf per second", "above 0"},
    {rate_that_is_none, "ior: a rate of nan per second", "above 0"},
    {rate_of_check, "ior: a rate for a phase that is not timed", "leave it out"},
    {rate_of_prefill, "ior: a rate for a phase that is not timed", "leave it out"},
    {rate_of_collective, "ior: a rate for collective transfers", "leave the rate out"},
    {rate_with_pauses, "ior: a rate and a pause", "one of both"},
    {rate_of_remove, "ior: remove has no rate", "only phases that move data"},
    {mix_of_write, "ior: write has no share of reads", "only mixed"},
    {mix_above_all, "ior: 101% of the transfers read", "there are 100%"},
    {mix_of_random_blocks, "ior: a mixed phase at random block positions", "shuffled order"},
    {collective_mix, "ior: a mixed phase with collective", "independent ones"},
    {mix_as_check, "ior: mixed is no check", "add a read"},
    {mix_as_prefill, "ior: mixed cannot fill files", "only writes"},
    {replacing_mix, "ior: mixed cannot replace", "let the write"},
    {shifted_mix, "ior: a mixed phase writes, and a rank", "shift reads"},
    {open_for_none, "ior: read leaves its file open, and no phase", WEIR_REMEDY_KEEP_OPEN},
    {open_for_others, "ior: write leaves its file open, and no phase", WEIR_REMEDY_KEEP_OPEN},
    {open_to_be_written, "ior: write cannot write the file that read", WEIR_REMEDY_KEEP_OPEN},
    {open_to_be_replaced, "ior: write cannot write the file that write", WEIR_REMEDY_KEEP_OPEN},
    {open_for_shift, "ior: a file that stays open is that of the rank", "leave the shift"},
    {open_for_search, "ior: a search for a depth opens the file", "give a depth"},
    {open_for_layout, "ior: write and read have not the same layout", "the same"},
    {device_of_bare_backend, "ior: backend bare does not take devices", "such as posix"},
    {device_with_directory, "ior: a device has one name", "leave directories"},
    {device_with_package, "ior: a device has one name", "leave directories"},
    {device_of_repetition, "ior: a device has one name", "leave directories"},
    {device_not_kept, "ior: a device is neither removed nor replaced", "keep it"},
    {device_replaced, "ior: a device is neither removed nor replaced", "keep it"},
    {device_removed, "ior: a device is neither removed nor replaced", "keep it"},
    {device_twice, "ior: device a/one is listed twice", "once"},
    {device_over_result, "ior: result file b/two is one of the data", "of its own"},
};

static void senseless_plans_are_refused_with_a_way_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof senseless_plans / sizeof *senseless_plans; i++) {
        struct weir_error error = {0};
        struct subject subject;

        open_subject(&subject);
        senseless_plans[i].change(&subject);
        assert_int_equal(weir_plan_check(subject.plan, &error), -EINVAL);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        if (strncmp(error.text, senseless_plans[i].sentence, strlen(senseless_plans[i].sentence)) !=
                0 ||
            !strstr(error.text, senseless_plans[i].way_out))
            fail_msg("expected \"%s ... %s\", got \"%s\"", senseless_plans[i].sentence,
                     senseless_plans[i].way_out, error.text);
        close_subject(&subject);
    }
}

CHANGE(nothing, (void)x)
CHANGE(largest_file, x->write->transfers.layout.block_bytes = MIB;
       x->write->transfers.layout.segment_count = (UINT64_C(1) << 43) - 1)
CHANGE(greatest_depth, x->read->depth = WEIR_PLAN_DEPTH_MAX)
CHANGE(greatest_batch, x->read->depth = x->read->transfers.batch = WEIR_PLAN_DEPTH_MAX)
CHANGE(storage_of_dry_run, x->test->backend = &bare; x->test->is_dry_run = true;
       x->test->pinning.policy = WEIR_PIN_STORAGE; x->test->cache_drop = WEIR_DROP_FILES;
       x->target.is_shared = false)
CHANGE(storage_of_wrapper, x->test->backend = &wrapper; x->test->inner = &store;
       x->test->pinning.policy = WEIR_PIN_STORAGE; x->test->cache_drop = WEIR_DROP_NODE)
CHANGE(deep_wrapper, x->test->backend = &wrapper; x->test->inner = &store; x->read->depth = 8)
CHANGE(deep_search, x->write->depth = 256; x->write->must_find_depth = true;
       x->write->transfers.batch = 16)
CHANGE(constant_rate, x->write->rate = some_rate; x->write->depth = 8)
CHANGE(random_rate, x->read->rate = (struct weir_rate){.arrivals = WEIR_ARRIVALS_POISSON,
                                                       .per_s = 0.001,
                                                       .is_in_bytes = true,
                                                       .is_per_rank = true})
CHANGE(mix_of_all, mix(x); x->read->transfers.read_percent = 100;
       x->read->transfers.must_verify = true; x->read->transfers.ends_at_mismatch = true;
       x->read->transfers.must_sync_each = true; x->read->transfers.must_sync_at_end = true;
       x->read->transfers.layout.order = WEIR_ORDER_SHUFFLED; x->read->rate = some_rate)
CHANGE(mix_of_none, mix(x); x->read->transfers.read_percent = 0)
CHANGE(two_devices, devices(x); x->plan->output.result_path = "b/two.00000001")
CHANGE(one_device, devices(x); x->target.is_shared = true; x->target.path_count = 1;
       x->plan->output.result_path = "a/one.00000000")
CHANGE(dry_device, devices(x); x->test->backend = &bare; x->test->is_dry_run = true)
CHANGE(able_wrapped_backend, x->test->backend = &wrapper; x->test->inner = &store;
       x->read->transfers.must_verify = true; x->read->transfers.is_collective = true)
CHANGE(own_files_of_bare_backend, x->test->backend = &bare; x->target.is_shared = false)
CHANGE(own_directories, x->target.is_shared = false; x->target.has_own_directory = true)
CHANGE(list_of_own_files, x->target.is_shared = false; x->target.paths = two_paths;
       x->target.path_count = 2)
CHANGE(complete_status, x->test->must_keep = true; x->write->stop.status_path = "status";
       x->write->stop.deadline_ns = S; x->write->stop.has_wear_out = true;
       x->read->stop.status_path = "status")
CHANGE(verification_of_shuffled_data, x->read->transfers.must_verify = true;
       x->read->is_check = true; x->write->transfers.layout.order = WEIR_ORDER_SHUFFLED)
CHANGE(remove_without_layout, x->remove->transfers.layout = (struct weir_layout){0};
       x->remove->depth = 0)

CHANGE(result_beside_shared_data, x->plan->output.result_path = "out/testFile.2";
       x->plan->output.summary_path = "out/testFile.00000001")
CHANGE(result_beside_own_files, x->target.is_shared = false;
       x->plan->output.result_path = "out/testFile.jsonl";
       x->plan->output.summary_path = "/out/testFile.00000001")
CHANGE(result_beside_own_directories, x->target.is_shared = false;
       x->target.has_own_directory = true; x->plan->output.result_path = "out/testFile.00000001";
       x->plan->output.summary_path = "out/1/testFile")

CHANGE(result_beside_packages, x->target.is_shared = false; x->target.has_package_directory = true;
       x->plan->output.result_path = "out/testFile/data.00000001";
       x->plan->output.summary_path = "out/testFile1/data")
CHANGE(side_files, x->test->rank_csv_path = "ops.csv"; x->test->op_csv_prefix = "ops")

static void packages_of_a_directory(struct subject *x)
{
    static const char *const paths[] = {"mnt/"};

    x->target.paths = paths;
    x->target.is_shared = false;
    x->target.has_package_directory = true;
}

static void sensible_plans_are_accepted(void **state)
{
    static void (*const changes[])(struct subject *) = {
        nothing,
        exact_names,
        exact_list,
        exact_list_of_few_ranks,
        result_beside_exact_names,
        offsets_beside_data,
        result_beside_latencies,
        largest_file,
        greatest_depth,
        greatest_batch,
        storage_of_dry_run,
        storage_of_wrapper,
        deep_wrapper,
        deep_search,
        constant_rate,
        random_rate,
        mix_of_all,
        mix_of_none,
        two_devices,
        one_device,
        dry_device,
        able_wrapped_backend,
        own_directories,
        own_files_of_bare_backend,
        list_of_own_files,
        complete_status,
        remove_without_layout,
        verification_of_shuffled_data,
        result_beside_shared_data,
        result_beside_own_files,
        result_beside_own_directories,
        result_beside_packages,
        side_files,
        packages_of_a_directory,
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct weir_error error = {0};
        struct subject subject;

        open_subject(&subject);
        changes[i](&subject);
        if (weir_plan_check(subject.plan, &error))
            fail_msg("case %zu: %s", i, error.text);
        close_subject(&subject);
    }
}

static void errors_of_several_tests_say_which(void **state)
{
    struct weir_error error = {0};
    struct subject subject;

    (void)state;
    open_subject(&subject);
    weir_plan_add_test(subject.plan)->backend = &store;
    assert_int_equal(weir_plan_check(subject.plan, &error), -EINVAL);
    assert_string_equal(error.text, "ior: test 1: nothing to do: ask for a write or a read");
    close_subject(&subject);
}

static void senseless_plan_is_not_frozen(void **state)
{
    struct weir_error error = {0};
    struct subject subject;

    (void)state;
    open_subject(&subject);
    no_transfer(&subject);
    assert_int_equal(weir_plan_freeze(subject.plan, &error), -EINVAL);
    assert_string_equal(subject.plan->id, "");
    close_subject(&subject);
}

/* ---- explaining ---- */

static void add_explanation(struct weir_text *text, void (*change)(struct subject *subject))
{
    struct subject subject;

    open_subject(&subject);
    change(&subject);
    weir_plan_explain(subject.plan, text);
    close_subject(&subject);
}

CHANGE(typical, x->write->transfers.must_replace = true;
       x->write->transfers.must_sync_at_end = true; x->read->shift.kind = WEIR_SHIFT_NODES;
       x->read->shift.distance = 1)

static void explanation_of_a_typical_plan_reads_well(void **state)
{
    struct weir_text text = {0};

    (void)state;
    add_explanation(&text, typical);
    assert_string_equal(weir_text_string(&text),
                        "plan   ior\n"
                        "test 0  STORE  files out/testFile  one for all ranks\n"
                        "  repeat 3\n"
                        "    write   64 x 1 MiB per rank: 4 segments, blocks of 16 MiB, in order; "
                        "replace; sync at end\n"
                        "    read    64 x 1 MiB per rank: 4 segments, blocks of 16 MiB, in order; "
                        "part of the rank 1 node"
                        " further\n"
                        "    remove\n");
    weir_text_close(&text);
}

static void elaborate(struct subject *x)
{
    x->plan->output.reporter = "ior json";
    x->plan->output.is_plain = true;
    x->plan->output.result_path = "run.jsonl";
    x->values = (struct values){.is_direct = 1, .hints = "a=b"};
    x->target.is_shared = false;
    x->target.has_own_directory = true;
    x->test->rank_limit = 4;
    x->test->must_keep = true;
    x->test->time_limit_ns = 90 * S;
    x->write->transfers.layout = (struct weir_layout){.segment_count = 1,
                                                      .block_bytes = 47008,
                                                      .transfer_bytes = 47008,
                                                      .order = WEIR_ORDER_SHUFFLED,
                                                      .seed_is_given = true,
                                                      .seed = 7};
    x->write->stop =
        (struct weir_stop){.deadline_ns = 3 * S / 2, .has_wear_out = true, .status_path = "status"};
    x->write->depth = 8;
    x->read->is_check = true;
    x->read->transfers.must_verify = true;
    x->read->target = &x->other_target;
    x->other_target = (struct weir_target){.paths = two_paths, .path_count = 2};
    x->remove->names.only_if_clean = true;
    weir_plan_add_sleep(x->plan, &x->test->steps, 1250);
}

static void explanation_of_an_elaborate_plan_says_it_all(void **state)
{
    struct weir_text text = {0};

    (void)state;
    add_explanation(&text, elaborate);
    assert_string_equal(
        weir_text_string(&text),
        "plan   ior\n"
        "output  ior json; result file run.jsonl; plain\n"
        "test 0  STORE  files out/testFile  one for each rank, in a directory of its own\n"
        "  option store.direct = 1\n"
        "  option store.hints = a=b\n"
        "  on 4 ranks at most\n"
        "  begin no phase after 90 s\n"
        "  keep files\n"
        "  repeat 3\n"
        "    write   1 x 47008 bytes per rank: 1 segment, blocks of 47008 bytes, shuffled with "
        "seed 7;"
        " depth 8; stop after 1.5 s, when all have done as much as the furthest; furthest count to"
        " status\n"
        "    check   64 x 1 MiB per rank: 4 segments, blocks of 16 MiB, in order; verify; files "
        "a/one,"
        " b/two  one for each rank\n"
        "    remove; unless verification failed\n"
        "  sleep 0.00000125 s\n");
    weir_text_close(&text);
}

/* Words on what phases move, how much at once, and where to. */
static void load(struct subject *x)
{
    devices(x);
    x->test->may_take_used_device = true;
    x->write->depth = 128;
    x->write->transfers.batch = 16;
    x->write->must_find_depth = true;
    mix(x);
    x->read->rate = (struct weir_rate){.arrivals = WEIR_ARRIVALS_POISSON, .per_s = 20000};
    x->read->depth = 4;
    x->remove->verb = WEIR_READ;
    x->remove->rate = (struct weir_rate){.arrivals = WEIR_ARRIVALS_CONSTANT,
                                         .per_s = 200 * MIB,
                                         .is_in_bytes = true,
                                         .is_per_rank = true};
}

static void explanation_says_how_much_is_asked_at_once(void **state)
{
    struct weir_text text = {0};

    (void)state;
    add_explanation(&text, load);
    assert_string_equal(
        weir_text_string(&text),
        "plan   ior\n"
        "test 0  STORE  devices a/one, b/two  one for each rank\n"
        "  keep files\n"
        "  may take devices that are in use\n"
        "  repeat 3\n"
        "    write   64 x 1 MiB per rank: 4 segments, blocks of 16 MiB, in order; depth found, up "
        "to 128, 16 at once\n"
        "    mixed   64 x 1 MiB per rank: 4 segments, blocks of 16 MiB, in order; 70% reads; depth "
        "4; at 20000 transfers per second of the job, Poisson\n"
        "    read    64 x 1 MiB per rank: 4 segments, blocks of 16 MiB, in order; at 200 MiB per "
        "second of each rank, constant\n");
    weir_text_close(&text);
}

CHANGE(placed, x->test->pinning.policy = WEIR_PIN_NIC; x->test->pinning.order = WEIR_PIN_SCATTER;
       x->test->pinning.nic = "mlx5_0"; x->test->membind.policy = WEIR_MEMBIND_NODE;
       x->test->membind.node = 3; x->test->wants_huge_pages = true;
       x->test->cache_drop = WEIR_DROP_NODE; x->plan->has_stop_before = true;
       x->plan->stop_before_ns = 90 * S)

static void explanation_says_where_ranks_and_buffers_are(void **state)
{
    static const char beginning[] = "plan   ior\n"
                                    "end  90 s before the job does\n"
                                    "test 0  STORE  files out/testFile  one for all ranks\n"
                                    "  ranks on cores near network device mlx5_0, scattered\n"
                                    "  buffers on NUMA node 3\n"
                                    "  buffers of huge pages\n"
                                    "  before reads, empty the page cache of each node\n"
                                    "  repeat 3\n";
    struct weir_text text = {0};

    (void)state;
    add_explanation(&text, placed);
    assert_true(text.length > strlen(beginning));
    text.data[strlen(beginning)] = '\0';
    assert_string_equal(text.data, beginning);
    weir_text_close(&text);
}

CHANGE(change_format, x->plan->output.reporter = "ior csv")
CHANGE(change_summary_path, x->plan->output.summary_path = "summary")
CHANGE(change_result_path, x->plan->output.result_path = "summary")
CHANGE(change_plain, x->plan->output.is_plain = true)
CHANGE(change_warnings, x->plan->output.warnings_are_errors = true)
CHANGE(change_verbosity, x->plan->output.verbosity = 1)
CHANGE(change_dialect, x->plan->dialect = "iozone")
CHANGE(change_backend, x->test->backend = &bare; x->test->label = "BARE")
CHANGE(change_inner, x->test->backend = &wrapper; x->test->inner = &store)
CHANGE(change_inner_option, change_inner(x); x->test->inner_options = &x->inner_values;
       x->inner_values.is_direct = 1)
CHANGE(change_label, x->test->label = "DISK")
CHANGE(change_flag, x->values.is_direct = 1)
CHANGE(change_text, x->values.hints = "x")
CHANGE(change_rank_limit, x->test->rank_limit = 2)
CHANGE(change_time_limit, x->test->time_limit_ns = S)
CHANGE(change_repetitions, x->test->repetitions = 2)
CHANGE(change_outlier, x->test->outlier_ns = S)
CHANGE(change_keep, x->test->must_keep = true)
CHANGE(change_overwrite, x->test->may_overwrite = true)
CHANGE(change_dry_run, x->test->is_dry_run = true)
CHANGE(change_reference, x->test->reference = -1)
CHANGE(change_path, x->target.paths = two_paths)
CHANGE(change_path_count, x->target.paths = two_paths; x->target.path_count = 2)
CHANGE(change_sharing, x->target.is_shared = false)
CHANGE(change_directory, x->target.has_own_directory = true)
CHANGE(change_exactness, x->target.has_exact_names = true)
CHANGE(change_newness, x->target.is_new_each_repetition = true)
CHANGE(change_one_target, x->other_target = x->target;
       x->other_target.is_new_each_repetition = true; x->read->target = &x->other_target)
CHANGE(change_repeat, x->repeat->count = 2)
CHANGE(change_sleep, weir_plan_add_sleep(x->plan, &x->repeat->body, S))
CHANGE(change_outer_sleep, weir_plan_add_sleep(x->plan, &x->test->steps, S))
CHANGE(change_phases, weir_plan_add_phase(x->plan, x->test, &x->repeat->body, x->read))
CHANGE(change_tests, weir_plan_add_test(x->plan)->backend = &store)
CHANGE(change_verb, x->write->verb = WEIR_READ)
CHANGE(change_check, x->read->is_check = true)
CHANGE(change_segments, x->write->transfers.layout.segment_count = 3)
CHANGE(change_block, x->write->transfers.layout.block_bytes = 8 * MIB)
CHANGE(change_transfer, x->write->transfers.layout.transfer_bytes = 512 * KIB)
CHANGE(change_order, x->write->transfers.layout.order = WEIR_ORDER_SHUFFLED)
CHANGE(change_order_more, x->write->transfers.layout.order = WEIR_ORDER_RANDOM_BLOCKS)
CHANGE(change_order_seed, change_order(x); x->write->transfers.layout.seed_is_given = true)
CHANGE(change_order_seed_more, change_order_seed(x); x->write->transfers.layout.seed = 5)
CHANGE(change_shift, x->read->shift.kind = WEIR_SHIFT_NODES)
CHANGE(change_shift_distance, change_shift(x); x->read->shift.distance = 1)
CHANGE(change_shift_ranks, x->read->shift.kind = WEIR_SHIFT_NODES_OR_RANKS)
CHANGE(change_shift_random, x->read->shift.kind = WEIR_SHIFT_RANDOM)
CHANGE(change_shift_random_distance, change_shift_random(x); x->read->shift.distance = 2)
CHANGE(change_shift_random_seed, change_shift_random(x); x->read->shift.seed = 2)
CHANGE(change_shift_permutation, x->read->shift.kind = WEIR_SHIFT_PERMUTATION)
CHANGE(change_shift_permutation_seed, change_shift_permutation(x); x->read->shift.seed = 2)
CHANGE(change_shift_of_remove, x->remove->shift.kind = WEIR_SHIFT_NODES)
CHANGE(change_payload, x->write->transfers.payload.mode = WEIR_PAYLOAD_FULL)
CHANGE(change_payload_more, x->write->transfers.payload.mode = WEIR_PAYLOAD_NONE)
CHANGE(change_payload_seed, x->write->transfers.payload.seed_is_given = true)
CHANGE(change_payload_seed_more, change_payload_seed(x); x->write->transfers.payload.seed = 5)
CHANGE(change_deadline, x->write->stop.deadline_ns = S)
CHANGE(change_wear_out, change_deadline(x); x->write->stop.has_wear_out = true)
CHANGE(change_op_limit, x->write->stop.op_limit = 10)
CHANGE(change_minimum, x->write->stop.minimum_ns = S)
CHANGE(change_status, x->write->stop.status_path = "status")
CHANGE(change_status_of_read, x->read->stop.status_path = "status")
CHANGE(change_verify, x->read->transfers.must_verify = true)
CHANGE(change_replace, x->write->transfers.must_replace = true)
CHANGE(change_collective, x->write->transfers.is_collective = true)
CHANGE(change_barriers, x->write->transfers.has_inner_barriers = true)
CHANGE(change_sync, x->write->transfers.must_sync_at_end = true)
CHANGE(change_sync_of_read, x->read->transfers.must_sync_at_end = true)
CHANGE(change_sync_before, x->write->transfers.must_sync_before = true)
CHANGE(change_sync_after, x->read->transfers.must_sync_after = true)
CHANGE(change_ending, x->remove->names.only_if_ending = true)
CHANGE(change_sync_each, x->write->transfers.must_sync_each = true)
CHANGE(change_attempts, x->write->transfers.is_single_attempt = true)
CHANGE(change_clean, x->remove->names.only_if_clean = true)
CHANGE(change_think, x->write->think_ns = 1)
CHANGE(change_depth, x->write->depth = 2)
CHANGE(change_batch, x->write->depth = 2; x->write->transfers.batch = 2)
CHANGE(change_search, x->write->depth = 2; x->write->must_find_depth = true)
CHANGE(change_open_file, x->write->leaves_open = true)
CHANGE(change_mix, x->write->verb = WEIR_MIXED)
CHANGE(change_mix_more, x->write->verb = WEIR_MIXED; x->write->transfers.read_percent = 1)
CHANGE(change_rate, x->write->rate = some_rate)
CHANGE(change_rate_more, x->write->rate = some_rate; x->write->rate.per_s = 5.0000000000000009)
CHANGE(change_rate_unit, x->write->rate = some_rate; x->write->rate.is_in_bytes = true)
CHANGE(change_rate_bytes, x->write->rate = some_rate; x->write->rate.is_in_bytes = true;
       x->write->rate.per_s = 0.1)
CHANGE(change_rate_huge, x->write->rate = some_rate; x->write->rate.is_in_bytes = true;
       x->write->rate.per_s = 1e18)
CHANGE(change_rate_scope, x->write->rate = some_rate; x->write->rate.is_per_rank = true)
CHANGE(change_arrivals, x->write->rate = some_rate; x->write->rate.arrivals = WEIR_ARRIVALS_POISSON)
CHANGE(change_device, x->target.is_device = true)
CHANGE(change_one_device, x->other_target = x->target; x->other_target.is_device = true;
       x->read->target = &x->other_target)
CHANGE(change_used_device, x->test->may_take_used_device = true)

CHANGE(change_compat, x->plan->output.style = "IOR 4.0")
CHANGE(change_compat_more, x->plan->output.style = "IOR 2.10")
CHANGE(change_pin, x->test->pinning.policy = WEIR_PIN_CORE)
CHANGE(change_pin_pu, x->test->pinning.policy = WEIR_PIN_PU)
CHANGE(change_pin_numa, x->test->pinning.policy = WEIR_PIN_NUMA)
CHANGE(change_pin_package, x->test->pinning.policy = WEIR_PIN_PACKAGE)
CHANGE(change_pin_storage, x->test->pinning.policy = WEIR_PIN_STORAGE)
CHANGE(change_pin_nic, x->test->pinning.policy = WEIR_PIN_NIC)
CHANGE(change_nic, change_pin_nic(x); x->test->pinning.nic = "eth0")
CHANGE(change_list, x->test->pinning.policy = WEIR_PIN_LIST; x->test->pinning.list = "0-3")
CHANGE(change_list_more, change_list(x); x->test->pinning.list = "3,0-2")
CHANGE(change_rankfile, x->test->pinning.policy = WEIR_PIN_RANKFILE;
       x->test->pinning.rankfile_path = "0-3")
CHANGE(change_order_of_cores, change_pin(x); x->test->pinning.order = WEIR_PIN_SCATTER)
CHANGE(change_order_of_nodes, change_pin_numa(x); x->test->pinning.order = WEIR_PIN_COMPACT)
CHANGE(change_membind, x->test->membind.policy = WEIR_MEMBIND_LOCAL)
CHANGE(change_membind_interleave, x->test->membind.policy = WEIR_MEMBIND_INTERLEAVE)
CHANGE(change_membind_none, x->test->membind.policy = WEIR_MEMBIND_NONE)
CHANGE(change_membind_node, x->test->membind.policy = WEIR_MEMBIND_NODE)
CHANGE(change_membind_node_more, change_membind_node(x); x->test->membind.node = 1)
CHANGE(change_huge_pages, x->test->wants_huge_pages = true)
CHANGE(change_drop, x->test->cache_drop = WEIR_DROP_FILES)
CHANGE(change_drop_more, x->test->cache_drop = WEIR_DROP_NODE)
CHANGE(change_end, x->plan->has_stop_before = true)
CHANGE(change_end_more, change_end(x); x->plan->stop_before_ns = 1)
CHANGE(change_hog, x->test->hog.bytes_per_rank = MIB)
CHANGE(change_hog_of_node, x->test->hog.bytes_per_node = MIB)
CHANGE(change_hog_part, x->test->hog.percent_of_node = 1)
CHANGE(change_given_nodes, x->test->given_nodes = 4)
CHANGE(change_given_ranks, x->test->given_ranks_per_node = 4)
CHANGE(change_rank_file, x->test->rank_csv_path = "f")
CHANGE(change_op_files, x->test->op_csv_prefix = "f")
CHANGE(change_op_files_more, x->test->op_csv_prefix = "f"; x->test->op_csv_is_of_first = true)
CHANGE(change_op_files_of_all, x->test->op_csv_prefix = "f"; x->test->op_csv_is_of_all = true)
CHANGE(change_ranks_told, x->test->tells_ranks = true)
CHANGE(change_package, x->target.has_package_directory = true)
CHANGE(change_one_package, x->other_target = x->target;
       x->other_target.has_package_directory = true; x->read->target = &x->other_target)
CHANGE(change_prefill, x->write->is_prefill = true)
CHANGE(change_mismatch, x->read->transfers.must_verify = true;
       x->read->transfers.ends_at_mismatch = true)
CHANGE(change_varying_random, change_shift_random(x); x->read->shift.varies = true)
CHANGE(change_varying_permutation, change_shift_permutation(x); x->read->shift.varies = true)
CHANGE(change_payload_ior, x->write->transfers.payload.mode = WEIR_PAYLOAD_IOR)
CHANGE(change_pattern, change_payload_ior(x); x->write->transfers.payload.pattern = WEIR_IOR_OFFSET)
CHANGE(change_pattern_more, change_payload_ior(x);
       x->write->transfers.payload.pattern = WEIR_IOR_INCOMPRESSIBLE)
CHANGE(change_pattern_most, change_payload_ior(x);
       x->write->transfers.payload.pattern = WEIR_IOR_RANDOM)

/* These say what is so anyway. */
CHANGE(compact_cores, change_pin(x); x->test->pinning.order = WEIR_PIN_COMPACT)
CHANGE(scattered_nodes, change_pin_numa(x); x->test->pinning.order = WEIR_PIN_SCATTER)
CHANGE(scattered_packages, change_pin_package(x); x->test->pinning.order = WEIR_PIN_SCATTER)
CHANGE(compact_nic, change_pin_nic(x); x->test->pinning.order = WEIR_PIN_COMPACT)

static void (*const changes_that_matter[])(struct subject *) = {
    nothing,
    change_format,
    change_summary_path,
    change_result_path,
    change_plain,
    change_warnings,
    change_verbosity,
    change_dialect,
    change_backend,
    change_inner,
    change_inner_option,
    change_label,
    change_flag,
    change_text,
    change_rank_limit,
    change_time_limit,
    change_repetitions,
    change_outlier,
    change_keep,
    change_overwrite,
    change_dry_run,
    change_reference,
    change_path,
    change_path_count,
    change_sharing,
    change_directory,
    change_exactness,
    change_newness,
    change_one_target,
    change_repeat,
    change_sleep,
    change_outer_sleep,
    change_phases,
    change_tests,
    change_verb,
    change_check,
    change_segments,
    change_block,
    change_transfer,
    change_order,
    change_order_more,
    change_order_seed,
    change_order_seed_more,
    change_shift,
    change_shift_distance,
    change_shift_ranks,
    change_shift_random,
    change_shift_random_distance,
    change_shift_random_seed,
    change_shift_permutation,
    change_shift_permutation_seed,
    change_shift_of_remove,
    change_payload,
    change_payload_more,
    change_payload_seed,
    change_payload_seed_more,
    change_deadline,
    change_wear_out,
    change_op_limit,
    change_minimum,
    change_status,
    change_status_of_read,
    change_verify,
    change_replace,
    change_collective,
    change_barriers,
    change_sync,
    change_sync_of_read,
    change_sync_before,
    change_sync_after,
    change_sync_each,
    change_attempts,
    change_clean,
    change_ending,
    change_think,
    change_depth,
    change_batch,
    change_search,
    change_open_file,
    change_mix,
    change_mix_more,
    change_rate,
    change_rate_more,
    change_rate_unit,
    change_rate_bytes,
    change_rate_huge,
    change_rate_scope,
    change_arrivals,
    change_device,
    change_one_device,
    change_used_device,
    change_compat,
    change_compat_more,
    change_pin,
    change_pin_pu,
    change_pin_numa,
    change_pin_package,
    change_pin_storage,
    change_pin_nic,
    change_nic,
    change_list,
    change_list_more,
    change_rankfile,
    change_order_of_cores,
    change_order_of_nodes,
    change_membind,
    change_membind_interleave,
    change_membind_none,
    change_membind_node,
    change_membind_node_more,
    change_huge_pages,
    change_drop,
    change_drop_more,
    change_end,
    change_end_more,
    change_hog,
    change_hog_of_node,
    change_hog_part,
    change_given_nodes,
    change_given_ranks,
    change_rank_file,
    change_op_files,
    change_op_files_more,
    change_op_files_of_all,
    change_ranks_told,
    change_package,
    change_one_package,
    change_prefill,
    change_mismatch,
    change_varying_random,
    change_varying_permutation,
    change_payload_ior,
    change_pattern,
    change_pattern_more,
    change_pattern_most,
};

#define CHANGE_COUNT (sizeof changes_that_matter / sizeof *changes_that_matter)

static void explanation_differs_when_any_member_differs(void **state)
{
    static struct weir_text texts[CHANGE_COUNT];

    (void)state;
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        add_explanation(&texts[i], changes_that_matter[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(texts[i].data, texts[k].data) == 0)
                fail_msg("changes %zu and %zu have the same text:\n%s", i, k, texts[i].data);
    }
    for (size_t i = 0; i < CHANGE_COUNT; i++)
        weir_text_close(&texts[i]);
}

static void same_places_have_the_same_text(void **state)
{
    static void (*const pairs[][2])(struct subject *) = {
        {change_pin, compact_cores},
        {change_pin_numa, scattered_nodes},
        {change_pin_package, scattered_packages},
        {change_pin_nic, compact_nic},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct weir_text texts[2] = {{0}};

        add_explanation(&texts[0], pairs[i][0]);
        add_explanation(&texts[1], pairs[i][1]);
        assert_string_equal(texts[0].data, texts[1].data);
        weir_text_close(&texts[0]);
        weir_text_close(&texts[1]);
    }
}

static void explanation_leaves_out_what_only_reports_repeat(void **state)
{
    static const struct weir_setting settings[] = {{"fsync", "1"}};
    struct weir_text texts[2] = {{0}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct subject subject;

        open_subject(&subject);
        if (i > 0) {
            subject.plan->command_line = "something else";
            subject.test->settings = settings;
            subject.test->setting_count = 1;
            weir_plan_add_remark(subject.plan, subject.test, "a remark");
        }
        weir_plan_explain(subject.plan, &texts[i]);
        close_subject(&subject);
    }
    assert_string_equal(texts[0].data, texts[1].data);
    weir_text_close(&texts[0]);
    weir_text_close(&texts[1]);
}

static void options_of_a_backend_that_were_not_read_have_their_defaults(void **state)
{
    static const struct values defaults;
    struct weir_error error = {0};
    struct subject subject;

    (void)state;
    open_subject(&subject);
    subject.test->backend_options = NULL;
    assert_int_equal(weir_plan_freeze(subject.plan, &error), 0);
    assert_non_null(subject.test->backend_options);
    assert_memory_equal(subject.test->backend_options, &defaults, sizeof defaults);
    weir_plan_close(subject.plan);
}

static void frozen_plan_has_the_hash_of_its_text_as_id(void **state)
{
    struct weir_error error = {0};
    struct weir_text before = {0}, after = {0};
    struct subject subject;
    char id[17];

    (void)state;
    open_subject(&subject);
    weir_plan_explain(subject.plan, &before);
    assert_int_equal(weir_plan_freeze(subject.plan, &error), 0);
    snprintf(id, sizeof id, "%016llx",
             (unsigned long long)weir_text_hash(before.data, before.length));
    assert_string_equal(subject.plan->id, id);
    assert_int_equal(strlen(id), 16);

    weir_plan_explain(subject.plan, &after);
    assert_memory_equal(after.data, "plan ", 5);
    assert_memory_equal(after.data + 5, id, 16);
    assert_string_equal(after.data + 5 + 16, before.data + 5);

    assert_int_equal(weir_plan_freeze(subject.plan, &error), 0);
    assert_string_equal(subject.plan->id, id);
    weir_text_close(&before);
    weir_text_close(&after);
    close_subject(&subject);
}

/* A run that goes on with another one may report elsewhere and end otherwise. */
static void id_is_that_of_the_work_alone(void **state)
{
    struct weir_error error = {0};
    struct subject subject;
    char id[17];

    (void)state;
    open_subject(&subject);
    assert_int_equal(weir_plan_freeze(subject.plan, &error), 0);
    memcpy(id, subject.plan->id, sizeof id);
    subject.plan->output.result_path = "other.jsonl";
    subject.plan->output.is_plain = true;
    subject.plan->output.verbosity = 3;
    subject.plan->has_stop_before = true;
    subject.plan->stop_before_ns = 1000000000;
    subject.test->watchdog_ns = 1000000000;
    subject.test->give_up_ns = 2000000000;
    assert_int_equal(weir_plan_freeze(subject.plan, &error), 0);
    assert_string_equal(subject.plan->id, id);
    subject.test->rank_limit = 1;
    assert_int_equal(weir_plan_freeze(subject.plan, &error), 0);
    assert_string_not_equal(subject.plan->id, id);
    close_subject(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_copied_and_joined_by_blanks),
        cmocka_unit_test(plan_without_words_is_allowed),
        cmocka_unit_test(tests_and_phases_keep_order_and_number),
        cmocka_unit_test(steps_follow_in_the_order_they_were_added),
        cmocka_unit_test(phases_and_settings_are_found_by_name),
        cmocka_unit_test(words_are_put_where_they_belong),
        cmocka_unit_test(remarks_keep_their_order),
        cmocka_unit_test(verbs_have_names),
        cmocka_unit_test(each_verb_moves_data_or_works_on_names),
        cmocka_unit_test(path_says_whose_file_it_is),
        cmocka_unit_test(path_of_great_numbers_is_not_cut),
        cmocka_unit_test(path_that_does_not_fit_is_an_error),
        cmocka_unit_test(senseless_plans_are_refused_with_a_way_out),
        cmocka_unit_test(sensible_plans_are_accepted),
        cmocka_unit_test(errors_of_several_tests_say_which),
        cmocka_unit_test(senseless_plan_is_not_frozen),
        cmocka_unit_test(explanation_of_a_typical_plan_reads_well),
        cmocka_unit_test(explanation_of_an_elaborate_plan_says_it_all),
        cmocka_unit_test(explanation_says_how_much_is_asked_at_once),
        cmocka_unit_test(explanation_says_where_ranks_and_buffers_are),
        cmocka_unit_test(explanation_differs_when_any_member_differs),
        cmocka_unit_test(same_places_have_the_same_text),
        cmocka_unit_test(explanation_leaves_out_what_only_reports_repeat),
        cmocka_unit_test(options_of_a_backend_that_were_not_read_have_their_defaults),
        cmocka_unit_test(frozen_plan_has_the_hash_of_its_text_as_id),
        cmocka_unit_test(id_is_that_of_the_work_alone),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}

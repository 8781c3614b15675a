/* SPDX-License-Identifier: Apache-2.0 */
/* Phases on trees in the result file: all that was asked for and found comes back. */
#include "report_cases.h"

#include <unistd.h>

static const struct weir_tree tree = {.top = "%r_%s",
                                      .node = "tree.%r.%k",
                                      .set_count = 2,
                                      .depth = 3,
                                      .branching = 4,
                                      .items_per_directory = 5,
                                      .crowded_count = 2,
                                      .crowded_items = 60,
                                      .only_leaves = true,
                                      .is_own = true};

static const struct weir_names all_names = {
    .item = "file.%r.%n",
    .new_item = "new.%r.%n",
    .is_directory = true,
    .is_shared = true,
    .by_first_rank = true,
    .tree_shift = {.kind = WEIR_SHIFT_RANDOM,
                   .distance = 2,
                   .seed = UINT64_MAX,
                   .varies = true,
                   .avoids_circle = true},
    .order = WEIR_ORDER_SHUFFLED,
    .seed_is_given = true,
    .seed = 7,
    .bytes = 3901,
    .payload = {.mode = WEIR_PAYLOAD_IOR,
                .pattern = WEIR_IOR_RANDOM,
                .seed_is_given = true,
                .seed = 9},
    .must_verify = true,
    .must_verify_made = true,
    .must_sync = true,
    .must_sync_all = true,
    .is_exclusive = true,
    .command_before = "echo \"one\"",
    .command_after = "echo \xff",
    .command_ranks = WEIR_COMMAND_FIRST_RANK,
    .cycle = {WEIR_STAT, WEIR_READ_FILE, WEIR_UNLINK, WEIR_CREATE},
    .cycle_count = 4,
    .log_name = "0.00-1",
    .rotation = {.count = 3, .first = 4, .working_set = 5, .stride = 6},
};

/* A cycle with all words, and the removal of the trees with none. */
static struct scene make_names(void)
{
    struct scene scene = SCENE_OPEN("mdtest", "-n", "10");
    struct weir_test *test = scene_test(&scene, 4, "out/0_0");
    struct weir_target *target = scene_target(&scene, "out", false);
    struct weir_phase *cycle, *removal;

    target->tree = &tree;
    cycle = scene_phase(&scene, test, WEIR_CYCLE, target, small_layout);
    removal = scene_phase(&scene, test, WEIR_RMDIR, target, small_layout);
    cycle->names = all_names;
    cycle->shift = (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = 3};
    scene.result->tests[0].node_map = "1010";
    for (unsigned i = 0; i < 2; i++)
        scene_done(&scene, test, i == 0 ? cycle : removal, 0, usual_row);
    cycle->transfers = removal->transfers = (struct weir_transfers){0};
    scene.plan->dialect = test->dialect = "mdtest"; /* IOR has no trees */
    return scene;
}

static void find_names(struct scene *scene)
{
    struct weir_phase_result *cycle = &scene->result->phases[0];
    struct weir_phase_result *removal = &scene->result->phases[1];

    cycle->rank_ops_min = 3;
    cycle->rank_ops_max = 12345678901;
    cycle->stonewall =
        (struct weir_stonewall){.has_deadline = true, .ops_min = 1, .ops_max = 4, .ops_mean = 2.5};
    cycle->verb_count = 4;
    for (unsigned i = 0; i < cycle->verb_count; i++)
        cycle->verbs[i] =
            (struct weir_verb_result){.verb = all_names.cycle[i],
                                      .op_count = 10 + i,
                                      .error_count = i,
                                      .latency = scene_histogram(scene, 1000 * (i + 1), 100, 8)};
    cycle->slow_directory_count = 2;
    cycle->slow_directories[0] = (struct weir_slow_directory){
        .path = "/d/one", .op_count = 7, .rank_count = 2, .mean_s = 0.25, .max_s = 0.5};
    cycle->slow_directories[1] = (struct weir_slow_directory){.path = "/d/two", .op_count = 1};
    removal->absent_count = 5;
    removal->left_count = 6;
    removal->depth_max = 7;
}

static struct scene reread(const struct scene *scene)
{
    char path[] = "/tmp/weir-record-names-XXXXXX";
    struct weir_recorded read = {0};
    struct weir_error error = {0};
    struct weir_text text = {0};

    close(mkstemp(path));
    record_whole(&text, scene);
    scene_store(path, text.data);
    weir_text_close(&text);
    if (weir_record_read(path, WEIR_LAST_RUN, &read, &error) != 0)
        fail_msg("%s", error.text);
    unlink(path);
    return (struct scene){.plan = read.plan, .result = read.result};
}

static void assert_same_shift(const struct weir_shift *one, const struct weir_shift *other)
{
    assert_int_equal(one->kind, other->kind);
    assert_int_equal(one->distance, other->distance);
    assert_int_equal(one->seed, other->seed);
    assert_int_equal(one->varies, other->varies);
    assert_int_equal(one->avoids_circle, other->avoids_circle);
}

static void assert_all_names(const struct weir_names *names)
{
    assert_string_equal(names->item, all_names.item);
    assert_string_equal(names->new_item, all_names.new_item);
    assert_true(names->is_directory && names->is_shared && names->by_first_rank);
    assert_same_shift(&names->tree_shift, &all_names.tree_shift);
    assert_int_equal(names->order, all_names.order);
    assert_true(names->seed_is_given);
    assert_int_equal(names->seed, all_names.seed);
    assert_int_equal(names->bytes, all_names.bytes);
    assert_int_equal(names->payload.mode, all_names.payload.mode);
    assert_int_equal(names->payload.pattern, all_names.payload.pattern);
    assert_true(names->payload.seed_is_given);
    assert_int_equal(names->payload.seed, all_names.payload.seed);
    assert_true(names->must_verify && names->must_verify_made && names->must_sync);
    assert_true(names->must_sync_all && names->is_exclusive && !names->only_if_clean);
    assert_string_equal(names->command_before, all_names.command_before);
    assert_string_equal(names->command_after, all_names.command_after);
    assert_int_equal(names->cycle_count, all_names.cycle_count);
    for (unsigned i = 0; i < all_names.cycle_count; i++)
        assert_int_equal(names->cycle[i], all_names.cycle[i]);
    assert_string_equal(names->log_name, all_names.log_name);
    assert_memory_equal(&names->rotation, &all_names.rotation, sizeof names->rotation);
}

static void trees_and_names_that_were_asked_for_come_back(void **state)
{
    static const struct weir_names no_names;
    struct scene scene = make_names();
    struct scene again = reread(&scene);
    const struct weir_test *test = again.plan->tests[0];
    const struct weir_tree *read = test->phases[0]->target->tree;

    (void)state;
    assert_string_equal(read->top, tree.top);
    assert_string_equal(read->node, tree.node);
    assert_int_equal(read->set_count, tree.set_count);
    assert_int_equal(read->depth, tree.depth);
    assert_int_equal(read->branching, tree.branching);
    assert_int_equal(read->items_per_directory, tree.items_per_directory);
    assert_int_equal(read->crowded_count, tree.crowded_count);
    assert_int_equal(read->crowded_items, tree.crowded_items);
    assert_true(read->only_leaves && read->is_own);
    assert_int_equal(test->phases[0]->verb, WEIR_CYCLE);
    assert_int_equal(test->phases[0]->shift.kind, WEIR_SHIFT_NODES_OR_RANKS);
    assert_int_equal(test->phases[0]->shift.distance, 3);
    assert_all_names(&test->phases[0]->names);
    assert_int_equal(test->phases[1]->verb, WEIR_RMDIR);
    assert_memory_equal(&test->phases[1]->names, &no_names, sizeof no_names);
    scene_close(&again);
    scene_close(&scene);
}

static void what_was_found_of_trees_comes_back(void **state)
{
    struct scene scene = make_names(), again;
    const struct weir_phase_result *wrote = scene.result->phases, *read;

    (void)state;
    find_names(&scene);
    again = reread(&scene);
    read = again.result->phases;
    assert_string_equal(again.result->tests[0].node_map, "1010");
    assert_int_equal(read[0].rank_ops_min, 3);
    assert_int_equal(read[0].rank_ops_max, 12345678901);
    assert_float_equal(read[0].stonewall.ops_mean, 2.5, 0);
    assert_int_equal(read[0].verb_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(read[0].verbs[i].verb, all_names.cycle[i]);
        assert_int_equal(read[0].verbs[i].op_count, 10 + i);
        assert_int_equal(read[0].verbs[i].error_count, i);
        assert_memory_equal(read[0].verbs[i].latency->counts, wrote[0].verbs[i].latency->counts,
                            sizeof read[0].verbs[i].latency->counts);
        assert_int_equal(read[0].verbs[i].latency->max_ns, wrote[0].verbs[i].latency->max_ns);
    }
    assert_int_equal(read[0].slow_directory_count, 2);
    assert_string_equal(read[0].slow_directories[0].path, "/d/one");
    assert_int_equal(read[0].slow_directories[0].op_count, 7);
    assert_int_equal(read[0].slow_directories[0].rank_count, 2);
    assert_float_equal(read[0].slow_directories[0].mean_s, 0.25, 0);
    assert_float_equal(read[0].slow_directories[0].max_s, 0.5, 0);
    assert_string_equal(read[0].slow_directories[1].path, "/d/two");
    assert_int_equal(read[1].slow_directory_count, 0);
    assert_int_equal(read[0].absent_count, 0);
    assert_int_equal(read[1].absent_count, 5);
    assert_int_equal(read[1].left_count, 6);
    assert_int_equal(read[0].depth_max, 0);
    assert_int_equal(read[1].depth_max, 7);
    assert_int_equal(read[1].verb_count, 0);
    scene_close(&again);
    scene_close(&scene);
}

/* Nothing is lost if it is read and written once more. */
static void a_record_of_trees_is_the_same_written_again(void **state)
{
    struct scene scene = make_names(), again;
    struct weir_text texts[2] = {{0}};

    (void)state;
    find_names(&scene);
    again = reread(&scene);
    record_whole(&texts[0], &scene);
    record_whole(&texts[1], &again);
    assert_string_equal(texts[0].data, texts[1].data);
    for (int i = 0; i < 2; i++)
        weir_text_clear(&texts[i]);
    weir_plan_explain(scene.plan, &texts[0]);
    weir_plan_explain(again.plan, &texts[1]);
    assert_string_equal(texts[0].data, texts[1].data);
    for (int i = 0; i < 2; i++)
        weir_text_close(&texts[i]);
    scene_close(&again);
    scene_close(&scene);
}

/* `from` becomes `to` in the text. */
static void replace(struct weir_text *text, const char *from, const char *to)
{
    char *at = strstr(text->data, from);
    struct weir_text changed = {0};

    assert_non_null(at);
    weir_text_add(&changed, "%.*s%s%s", (int)(at - text->data), text->data, to, at + strlen(from));
    weir_text_close(text);
    *text = changed;
}

static void damaged_trees_are_refused_or_left_out(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"\"cycle\":[\"stat\",", "\"cycle\":[\"start\","},
        {"\"cycle\":[\"stat\",", "\"cycle\":[1,"},
        {"\"cycle\":[\"stat\",",
         "\"cycle\":[\"stat\",\"stat\",\"stat\",\"stat\",\"stat\",\"stat\","},
        {"\"tree_depth\":3", "\"tree_depth\":64"},
        {"\"sets\":2", "\"sets\":0"},
        {"\"branching\":4", "\"branching\":0"},
        {"\"node\":\"tree", "\"knot\":\"tree"},
        {"\"tree\":{", "\"three\":{"},
        {"\"verb\":\"cycle\"", "\"verb\":\"write\""},
        {"\"verbs\":[{", "\"verbs\":[{},{},{},{},{},{"},
        {"\"missing_names\":5", "\"missing_names\":\"5\""},
        {"\"crowded_directories\":2", "\"crowded_directories\":65"},
        {"\"slowest_directories\":[{", "\"slowest_directories\":[{},{},{"},
        {"\"path\":\"/d/one", "\"wrath\":\"/d/one"},
    };
    char path[] = "/tmp/weir-record-names-XXXXXX";

    (void)state;
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = make_names();
        struct weir_recorded read = {0};
        struct weir_error error = {0};
        struct weir_text text = {0};

        find_names(&scene);
        record_whole(&text, &scene);
        replace(&text, cases[i].from, cases[i].to);
        scene_store(path, text.data);
        if (weir_record_read(path, WEIR_LAST_RUN, &read, &error) == 0 && read.damaged == 0)
            fail_msg("%s", cases[i].to);
        weir_recorded_close(&read);
        weir_text_close(&text);
        scene_close(&scene);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_and_names_that_were_asked_for_come_back),
        cmocka_unit_test(what_was_found_of_trees_comes_back),
        cmocka_unit_test(a_record_of_trees_is_the_same_written_again),
        cmocka_unit_test(damaged_trees_are_refused_or_left_out),
    };

    return cmocka_run_group_tests_name("record_names", tests, NULL, NULL);
}

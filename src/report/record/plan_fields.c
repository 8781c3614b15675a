/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as keys of the result file: a run can be read, reported and compared without the front
 * end that made it. docs/result-file.md explains each key. */
#include "record.h"

#include <stddef.h>
#include <string.h>

/* ---- names ---- */

const char *const weir_record_order_names[] = {
    [WEIR_ORDER_SEQUENTIAL] = "sequential",
    [WEIR_ORDER_SHUFFLED] = "shuffled",
    [WEIR_ORDER_RANDOM_BLOCKS] = "random_blocks",
    [WEIR_ORDER_BACKWARD] = "backward",
    [WEIR_ORDER_STRIDED] = "strided",
    [WEIR_ORDER_ONE_PLACE] = "one_place",
    [WEIR_ORDER_LISTED] = "listed",
};
static const char *const payload_modes[] = {
    [WEIR_PAYLOAD_STAMP] = "stamp",
    [WEIR_PAYLOAD_FULL] = "full",
    [WEIR_PAYLOAD_NONE] = "none",
    [WEIR_PAYLOAD_IOR] = "ior",
};
static const char *const shifts[] = {
    [WEIR_SHIFT_NONE] = "none",
    [WEIR_SHIFT_NODES] = "nodes",
    [WEIR_SHIFT_RANDOM] = "random",
    [WEIR_SHIFT_PERMUTATION] = "permutation",
    [WEIR_SHIFT_NODES_OR_RANKS] = "nodes_or_ranks",
};
static const char *const arrivals[] = {
    [WEIR_ARRIVALS_CLOSED] = "closed",
    [WEIR_ARRIVALS_CONSTANT] = "constant",
    [WEIR_ARRIVALS_POISSON] = "poisson",
};
static const char *const command_ranks[] = {
    [WEIR_COMMAND_EACH_RANK] = "each",
    [WEIR_COMMAND_EACH_NODE] = "node",
    [WEIR_COMMAND_FIRST_RANK] = "first",
};

static const char *const rank_orders[] = {
    [WEIR_RANKS_AS_LAUNCHED] = "as_launched",
    [WEIR_RANKS_ROUND_ROBIN] = "round_robin",
    [WEIR_RANKS_PACKED] = "packed",
    [WEIR_RANKS_LISTED] = "listed",
};
static const char *const cache_drops[] = {
    [WEIR_DROP_NOTHING] = "none",
    [WEIR_DROP_FILES] = "files",
    [WEIR_DROP_NODE] = "node",
};
static const char *const pin_orders[] = {
    [WEIR_PIN_ORDER_STANDARD] = "standard",
    [WEIR_PIN_COMPACT] = "compact",
    [WEIR_PIN_SCATTER] = "scatter",
};

/* ---- phases ---- */

#define TREE(key_text, member, type) WEIR_JSON_IF_ANY(weir_tree, key_text, member, type)

static const struct weir_json_field tree_fields[] = {
    TREE("top", top, STRING),
    TREE("node", node, STRING),
    TREE("sets", set_count, COUNT),
    TREE("tree_depth", depth, COUNT),
    TREE("branching", branching, COUNT),
    TREE("items_per_directory", items_per_directory, COUNT),
    TREE("crowded_directories", crowded_count, COUNT),
    TREE("items_per_crowded_directory", crowded_items, COUNT),
    TREE("only_leaves", only_leaves, FLAG),
    TREE("own", is_own, FLAG),
    {0},
};

#define TARGET(key_text, member) WEIR_JSON_IF_ANY(weir_target, key_text, member, FLAG)

static const struct weir_json_field target_fields[] = {
    WEIR_JSON_FIELD(weir_target, "paths", paths, STRINGS, .flags = WEIR_JSON_NEEDED,
                    WEIR_JSON_COUNT_IN(weir_target, path_count)),
    WEIR_JSON_FIELD(weir_target, "shared", is_shared, FLAG),
    TARGET("own_directory", has_own_directory),
    TARGET("new_each_repetition", is_new_each_repetition),
    TARGET("exact_names", has_exact_names),
    TARGET("device", is_device),
    TARGET("package_directory", has_package_directory),
    WEIR_JSON_IF_ANY(weir_target, "tree", tree, POINTER, WEIR_JSON_OF(tree_fields, weir_tree)),
    {0},
};

static json_t *write_cycle(const void *values)
{
    const struct weir_names *names = values;
    json_t *list = json_array();

    for (unsigned i = 0; i < names->cycle_count; i++)
        json_array_append_new(list, json_string(weir_verb_name(names->cycle[i])));
    return list;
}

static bool read_cycle(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_names *names = values;
    size_t count = json_array_size(value);

    (void)arena;
    if (count > WEIR_CYCLE_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(value, i));
        unsigned verb = 0;

        while (word && verb < WEIR_VERB_COUNT && strcmp(weir_verb_names[verb], word) != 0)
            verb++;
        if (!word || verb == WEIR_VERB_COUNT)
            return false;
        names->cycle[i] = (enum weir_verb)verb;
    }
    names->cycle_count = (unsigned)count;
    return json_is_array(value);
}

#define NAMES(key_text, member, ...) WEIR_JSON_IF_ANY(weir_names, key_text, member, __VA_ARGS__)

static const struct weir_json_field names_fields[] = {
    NAMES("item", item, STRING),
    NAMES("new_item", new_item, STRING),
    NAMES("directories", is_directory, FLAG),
    NAMES("shared_items", is_shared, FLAG),
    NAMES("by_first_rank", by_first_rank, FLAG),
    NAMES("tree_reorder", tree_shift.kind, NAME, WEIR_JSON_NAMES(shifts), .former = "tree_shift"),
    NAMES("tree_reorder_nodes", tree_shift.distance, COUNT, .former = "tree_shift_nodes"),
    NAMES("tree_reorder_seed", tree_shift.seed, SEED, .former = "tree_shift_seed"),
    NAMES("tree_reorder_varies", tree_shift.varies, FLAG, .former = "tree_shift_varies"),
    NAMES("tree_reorder_avoids_circle", tree_shift.avoids_circle, FLAG,
          .former = "tree_shift_avoids_circle"),
    NAMES("item_order", order, NAME, WEIR_JSON_NAMES(weir_record_order_names)),
    NAMES("item_seed_given", seed_is_given, FLAG),
    NAMES("item_seed", seed, SEED),
    NAMES("item_bytes", bytes, COUNT),
    NAMES("item_payload", payload.mode, NAME, WEIR_JSON_NAMES(payload_modes)),
    NAMES("item_pattern", payload.pattern, NAME, WEIR_JSON_NAMES(weir_ior_pattern_names)),
    NAMES("item_data_seed_given", payload.seed_is_given, FLAG),
    NAMES("item_data_seed", payload.seed, UNSIGNED),
    NAMES("verify_items", must_verify, FLAG),
    NAMES("verify_made", must_verify_made, FLAG),
    NAMES("sync_items", must_sync, FLAG),
    NAMES("sync_all", must_sync_all, FLAG),
    NAMES("exclusive", is_exclusive, FLAG),
    NAMES("command_before", command_before, STRING),
    NAMES("command_after", command_after, STRING),
    NAMES("command_ranks", command_ranks, NAME, WEIR_JSON_NAMES(command_ranks)),
    NAMES("log_name", log_name, STRING),
    NAMES("rotation_items", rotation.count, COUNT),
    NAMES("rotation_first", rotation.first, COUNT),
    NAMES("rotation_advance", rotation.advance, COUNT),
    NAMES("working_set", rotation.working_set, COUNT),
    NAMES("rotation_ranks", rotation.stride, COUNT),
    WEIR_JSON_FIELD(weir_names, "cycle", cycle, OWN, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_names, cycle_count), .write = write_cycle,
                    .read = read_cycle),
    {0},
};

#define PHASE(key_text, member, ...) WEIR_JSON_IF_ANY(weir_phase, key_text, member, __VA_ARGS__)
#define PHASE_ALWAYS(key_text, member, ...)                                                        \
    WEIR_JSON_FIELD(weir_phase, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_planned_phase_fields[] = {
    PHASE_ALWAYS("verb", verb, NAME, .names = weir_verb_names, .name_count = WEIR_VERB_COUNT),
    PHASE_ALWAYS("check", is_check, FLAG),
    PHASE_ALWAYS("prefill", is_prefill, FLAG),
    PHASE_ALWAYS("phase", number, UNSIGNED),
    PHASE_ALWAYS("target", target, POINTER, .flags = WEIR_JSON_NEEDED,
                 WEIR_JSON_OF(target_fields, weir_target)),
    PHASE("segments", transfers.layout.segment_count, COUNT),
    PHASE("block_bytes", transfers.layout.block_bytes, COUNT),
    PHASE("transfer_bytes", transfers.layout.transfer_bytes, COUNT),
    PHASE_ALWAYS("order", transfers.layout.order, NAME, WEIR_JSON_NAMES(weir_record_order_names)),
    PHASE("order_stride", transfers.layout.stride, COUNT),
    PHASE("order_alike", transfers.layout.is_alike, FLAG),
    PHASE("at_once", transfers.layout.is_at_once, FLAG),
    PHASE("listed_in", transfers.layout.listing.path, STRING),
    PHASE("listed_hash", transfers.layout.listing.hash, SEED),
    PHASE("listed", transfers.layout.listing.count, COUNT),
    PHASE("listed_end", transfers.layout.listing.end, COUNT),
    PHASE("listed_pauses_ns", transfers.layout.listing.pauses_ns, COUNT),
    PHASE("listed_longest_pause_ns", transfers.layout.listing.longest_pause_ns, COUNT),
    PHASE("order_seed_given", transfers.layout.seed_is_given, FLAG),
    PHASE("order_seed", transfers.layout.seed, SEED),
    PHASE_ALWAYS("reorder", shift.kind, NAME, WEIR_JSON_NAMES(shifts), .former = "shift"),
    PHASE("reorder_nodes", shift.distance, COUNT, .former = "shift_nodes"),
    PHASE("reorder_seed", shift.seed, SEED, .former = "shift_seed"),
    PHASE("reorder_varies", shift.varies, FLAG, .former = "shift_varies"),
    PHASE("reorder_avoids_circle", shift.avoids_circle, FLAG, .former = "shift_avoids_circle"),
    PHASE_ALWAYS("payload", transfers.payload.mode, NAME, WEIR_JSON_NAMES(payload_modes)),
    PHASE("pattern", transfers.payload.pattern, NAME, WEIR_JSON_NAMES(weir_ior_pattern_names)),
    PHASE("data_seed_given", transfers.payload.seed_is_given, FLAG),
    PHASE("payload_seed", transfers.payload.seed, UNSIGNED),
    PHASE("deadline_ns", stop.deadline_ns, COUNT),
    PHASE("ends_with_first", stop.ends_with_first, FLAG),
    PHASE("wear_out", stop.has_wear_out, FLAG),
    PHASE("op_limit", stop.op_limit, COUNT),
    PHASE("minimum_ns", stop.minimum_ns, COUNT),
    PHASE("status_path", stop.status_path, STRING),
    PHASE("second_count", stop.is_second_count, FLAG),
    PHASE("verify", transfers.must_verify, FLAG),
    PHASE("ends_at_mismatch", transfers.ends_at_mismatch, FLAG),
    PHASE("replace", transfers.must_replace, FLAG),
    PHASE("collective", transfers.is_collective, FLAG),
    PHASE("inner_barriers", transfers.has_inner_barriers, FLAG),
    PHASE("sync_at_end", transfers.must_sync_at_end, FLAG),
    PHASE("sync_before", transfers.must_sync_before, FLAG),
    PHASE("sync_after", transfers.must_sync_after, FLAG),
    PHASE("sync_each", transfers.must_sync_each, FLAG),
    PHASE("single_attempt", transfers.is_single_attempt, FLAG),
    PHASE("only_if_clean", names.only_if_clean, FLAG),
    PHASE("only_if_ending", names.only_if_ending, FLAG),
    PHASE("transfer_log", transfers.log_name, STRING),
    PHASE("histogram_name", transfers.histogram_name, STRING),
    PHASE("counts_close", transfers.counts_close, FLAG),
    PHASE("excludes_think_time", transfers.leaves_think_out, FLAG, .former = "leaves_think_out"),
    PHASE("stagger_ns", stagger_ns, COUNT),
    PHASE("think_ns", think_ns, COUNT),
    PHASE("think_ppm", think_ppm, COUNT),
    PHASE("read_percent", transfers.read_percent, UNSIGNED),
    PHASE("mixes_by_rank", transfers.mixes_by_rank, FLAG),
    PHASE("alternates", transfers.alternates, FLAG),
    PHASE("readers", transfers.reader_count, COUNT),
    PHASE("arrivals", rate.arrivals, NAME, WEIR_JSON_NAMES(arrivals)),
    PHASE("rate_per_s", rate.per_s, REAL),
    PHASE("rate_in_bytes", rate.is_in_bytes, FLAG),
    PHASE("rate_per_rank", rate.is_per_rank, FLAG),
    PHASE("depth", depth, UNSIGNED),
    PHASE("find_depth", must_find_depth, FLAG),
    PHASE("leaves_open", leaves_open, FLAG),
    PHASE("batch", transfers.batch, UNSIGNED),
    PHASE("rank_limit", rank_limit, COUNT),
    PHASE("case_id", case_id, TEXT),
    WEIR_JSON_FIELD(weir_phase, "names", names, OBJECT, .flags = WEIR_JSON_OMITTED,
                    .fields = names_fields, .when = offsetof(struct weir_phase, names.item),
                    .when_bytes = sizeof(struct weir_names) - offsetof(struct weir_names, item)),
    PHASE("program", program, POINTER,
          WEIR_JSON_OF(weir_record_planned_program_fields, weir_program)),
    {0},
};

/* ---- backends, and their options as texts ---- */

#define BACKEND(key_text, member)                                                                  \
    WEIR_JSON_FIELD(weir_descriptor, key_text, member, STRING, .flags = WEIR_JSON_NEEDED)

static const struct weir_json_field backend_fields[] = {
    BACKEND("name", name),
    BACKEND("label", label),
    BACKEND("version", version),
    {0},
};

static const char *option_key(const struct weir_option *row, char letter[2])
{
    letter[0] = row->letter;
    letter[1] = '\0';
    return row->name ? row->name : letter;
}

static json_t *backend_of(const struct weir_descriptor *backend, const void *values)
{
    json_t *object = weir_json_object(backend_fields, backend);
    json_t *given = json_object(), *standard = json_object();
    const struct weir_option *row = values ? backend->options.rows : NULL;
    struct weir_text text = {0};
    char letter[2];

    for (; row && (row->letter || row->name); row++) {
        weir_text_clear(&text);
        weir_options_value(&text, row, values);
        json_object_set_new(weir_options_is_changed(row, values) ? given : standard,
                            option_key(row, letter), weir_json_exact(weir_text_string(&text)));
    }
    weir_text_close(&text);
    json_object_set_new(object, "options", given);
    json_object_set_new(object, "defaults", standard);
    return object;
}

/* Each option becomes a text: reports and explanations print it so. */
static bool read_options(json_t *object, bool is_standard, struct weir_option **row,
                         const char **values, struct weir_arena *arena)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        const char *text = weir_json_exact_read(value, arena);
        size_t index = (size_t)((*row)->offset / sizeof *values);

        if (!text)
            return false;
        values[index] = text;
        (*row)->name = weir_arena_copy(arena, key);
        (*row)->type = WEIR_OPTION_TEXT;
        (*row)->standard = is_standard ? text : NULL;
        (*row)++;
        (*row)->offset = (index + 1) * sizeof *values;
    }
    return true;
}

static bool read_backend(const json_t *object, const struct weir_descriptor **backend,
                         const void **values, struct weir_arena *arena)
{
    struct weir_descriptor *made = weir_arena_take(arena, sizeof *made);
    json_t *given = json_object_get(object, "options");
    json_t *standard = json_object_get(object, "defaults");
    size_t count = json_object_size(given) + json_object_size(standard);
    struct weir_option *rows = weir_arena_take(arena, (count + 1) * sizeof *rows);
    const char **texts = weir_arena_take(arena, (count + 1) * sizeof *texts);

    made->options.rows = rows;
    *backend = made;
    *values = texts;
    return weir_json_take(object, backend_fields, made, arena) &&
           read_options(given, false, &rows, texts, arena) &&
           read_options(standard, true, &rows, texts, arena);
}

static json_t *write_backend(const void *values)
{
    const struct weir_test *test = values;

    return backend_of(test->backend, test->backend_options);
}

static bool take_backend(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_test *test = values;

    return read_backend(value, &test->backend, &test->backend_options, arena);
}

static json_t *write_inner(const void *values)
{
    const struct weir_test *test = values;

    return backend_of(test->inner, test->inner_options);
}

static bool take_inner(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_test *test = values;

    return read_backend(value, &test->inner, &test->inner_options, arena);
}

/* ---- tests ---- */

#define TEST(key_text, member, ...) WEIR_JSON_IF_ANY(weir_test, key_text, member, __VA_ARGS__)
#define TEST_ALWAYS(key_text, member, ...) WEIR_JSON_FIELD(weir_test, key_text, member, __VA_ARGS__)

static const struct weir_json_field placement_fields[] = {
    TEST_ALWAYS("pin", pinning.policy, NAME, .names = weir_pin_policy_names,
                .name_count = WEIR_PIN_POLICIES),
    TEST_ALWAYS("pin_order", pinning.order, NAME, WEIR_JSON_NAMES(pin_orders)),
    TEST("pin_list", pinning.list, STRING),
    TEST("pin_rankfile", pinning.rankfile_path, STRING),
    TEST("pin_nic", pinning.nic, STRING),
    TEST_ALWAYS("membind", membind.policy, NAME, .names = weir_membind_policy_names,
                .name_count = WEIR_MEMBIND_POLICIES),
    TEST("membind_node", membind.node, UNSIGNED),
    TEST_ALWAYS("huge_pages", wants_huge_pages, FLAG),
    TEST_ALWAYS("drop_caches", cache_drop, NAME, WEIR_JSON_NAMES(cache_drops)),
    TEST("measure", measure, NAME, .names = weir_measure_names,
         .name_count = sizeof weir_measure_names / sizeof *weir_measure_names),
    TEST("allow", allowed, STRING),
    {0},
};

const struct weir_json_field weir_record_planned_test_fields[] = {
    TEST_ALWAYS("test", number, UNSIGNED),
    TEST_ALWAYS("dialect", dialect, STRING, .flags = WEIR_JSON_NEEDED),
    TEST_ALWAYS("backend", backend, OWN, .flags = WEIR_JSON_NEEDED, .write = write_backend,
                .read = take_backend, .fields = backend_fields),
    TEST("inner", inner, OWN, .write = write_inner, .read = take_inner, .fields = backend_fields),
    TEST_ALWAYS("backend_label", label, STRING, .flags = WEIR_JSON_NEEDED),
    TEST("sweep_step", sweep_step, UNSIGNED),
    TEST("rank_limit", rank_limit, COUNT),
    TEST("node_limit", node_limit, COUNT),
    TEST("ranks_per_node_limit", ranks_per_node_limit, COUNT),
    TEST("time_limit_ns", time_limit_ns, COUNT),
    TEST_ALWAYS("repetitions", repetitions, COUNT),
    TEST("interval_ppm", interval_ppm, COUNT),
    TEST("least_repetitions", least_repetitions, COUNT),
    TEST("repeat_limit_ns", repeat_limit_ns, COUNT),
    TEST("outlier_ns", outlier_ns, COUNT),
    TEST("compared", is_compared, FLAG),
    TEST("peer", peer, STRING),
    TEST_ALWAYS("keep", must_keep, FLAG),
    TEST("overwrite", may_overwrite, FLAG),
    TEST("must_fit", must_fit, FLAG),
    TEST("take_used_device", may_take_used_device, FLAG),
    TEST("continue_after_errors", goes_on_after_errors, FLAG, .former = "go_on_after_errors"),
    TEST("watchdog_ns", watchdog_ns, COUNT),
    TEST("give_up_ns", give_up_ns, COUNT),
    TEST("dry_run", is_dry_run, FLAG),
    TEST("reference", reference, INTEGER),
    TEST("hog_bytes_per_rank", hog.bytes_per_rank, COUNT),
    TEST("hog_bytes_per_node", hog.bytes_per_node, COUNT),
    TEST("hog_percent_of_node", hog.percent_of_node, UNSIGNED),
    WEIR_JSON_PART("placement", placement_fields),
    TEST_ALWAYS("given_nodes", given_nodes, COUNT),
    TEST_ALWAYS("given_ranks_per_node", given_ranks_per_node, COUNT),
    TEST("rank_csv_path", rank_csv_path, STRING),
    TEST("op_csv_prefix", op_csv_prefix, STRING),
    TEST("rank_histogram_prefix", rank_histogram_prefix, STRING),
    TEST("op_csv_of_first", op_csv_is_of_first, FLAG),
    TEST("op_csv_of_all", op_csv_is_of_all, FLAG),
    TEST("reports_ranks", tells_ranks, FLAG, .former = "tells_ranks"),
    TEST_ALWAYS("remarks", remarks, STRINGS, WEIR_JSON_COUNT_IN(weir_test, remark_count)),
    TEST_ALWAYS("settings", settings, PAIRS, WEIR_JSON_COUNT_IN(weir_test, setting_count)),
    {0},
};
_Static_assert(sizeof(struct weir_setting) == sizeof(struct weir_fact) &&
                   offsetof(struct weir_setting, value) == offsetof(struct weir_fact, value),
               "settings are pairs like facts");

/* ---- the plan ---- */

static const struct weir_json_field whole_test_fields[] = {
    WEIR_JSON_ROWS_OF(weir_record_planned_test_fields),
    TEST_ALWAYS("phases", phases, POINTERS, WEIR_JSON_COUNT_IN(weir_test, phase_count),
                WEIR_JSON_OF(weir_record_planned_phase_fields, weir_phase)),
    TEST_ALWAYS("steps", steps, OWN, .write = weir_record_write_steps,
                .read = weir_record_read_steps, .fields = weir_record_step_fields),
    {0},
};

#define OUTPUT(key_text, member, ...) WEIR_JSON_IF_ANY(weir_output, key_text, member, __VA_ARGS__)

static const struct weir_json_field output_fields[] = {
    OUTPUT("reporter", reporter, STRING),
    OUTPUT("style", style, STRING),
    OUTPUT("summary_path", summary_path, STRING),
    OUTPUT("result_path", result_path, STRING),
    OUTPUT("plain", is_plain, FLAG),
    OUTPUT("apart", is_apart, FLAG),
    OUTPUT("resume", must_resume, FLAG),
    OUTPUT("warnings_are_errors", warnings_are_errors, FLAG),
    OUTPUT("strict", is_strict, FLAG),
    OUTPUT("expect", expect, STRING),
    OUTPUT("allow_unverified", allows_unverified, FLAG),
    OUTPUT("details", has_details, FLAG),
    OUTPUT("verbosity", verbosity, INTEGER),
    OUTPUT("progress_ns", progress_ns, COUNT),
    OUTPUT("live", live.path, STRING),
    OUTPUT("on_phase", live.on_phase, STRING),
    {0},
};

#define PLAN(key_text, member, ...) WEIR_JSON_FIELD(weir_plan, key_text, member, __VA_ARGS__)

static const struct weir_json_field axis_fields[] = {
    WEIR_JSON_FIELD(weir_sweep_axis, "name", name, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(weir_sweep_axis, "values", values, STRINGS, .flags = WEIR_JSON_NEEDED,
                    WEIR_JSON_COUNT_IN(weir_sweep_axis, count)),
    {0},
};

static json_t *write_axes(const void *values)
{
    const struct weir_sweep *sweep = values;
    json_t *list = json_array();

    for (unsigned i = 0; i < sweep->axis_count; i++)
        json_array_append_new(list, weir_json_object(axis_fields, &sweep->axes[i]));
    return list;
}

static bool read_axes(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_sweep *sweep = values;

    if (json_array_size(value) > sizeof sweep->axes / sizeof *sweep->axes)
        return false;
    sweep->axis_count = (unsigned)json_array_size(value);
    for (unsigned i = 0; i < sweep->axis_count; i++)
        if (!weir_json_take(json_array_get(value, i), axis_fields, &sweep->axes[i], arena))
            return false;
    return json_is_array(value);
}

static const struct weir_json_field sweep_fields[] = {
    WEIR_JSON_FIELD(weir_sweep, "axes", axes, OWN, .write = write_axes, .read = read_axes,
                    .fields = axis_fields),
    WEIR_JSON_IF_ANY(weir_sweep, "total_bytes", total_bytes, COUNT),
    WEIR_JSON_IF_ANY(weir_sweep, "total_items", total_items, COUNT),
    WEIR_JSON_IF_ANY(weir_sweep, "read_limit_per_s", read_limit_per_s, REAL),
    WEIR_JSON_IF_ANY(weir_sweep, "write_limit_per_s", write_limit_per_s, REAL),
    {0},
};

static const struct weir_json_field rank_order_fields[] = {
    WEIR_JSON_FIELD(weir_rank_order, "kind", kind, NAME, WEIR_JSON_NAMES(rank_orders)),
    WEIR_JSON_FIELD(weir_rank_order, "hosts", hosts, STRINGS,
                    WEIR_JSON_COUNT_IN(weir_rank_order, host_count)),
    {0},
};

static const struct weir_json_field plan_fields[] = {
    PLAN("command_line", command_line, STRING, .flags = WEIR_JSON_NEEDED),
    PLAN("output", output, OBJECT, .fields = output_fields),
    WEIR_JSON_IF_ANY(weir_plan, "stop_before", has_stop_before, FLAG),
    WEIR_JSON_IF_ANY(weir_plan, "stop_before_ns", stop_before_ns, COUNT),
    PLAN("rank_order", rank_order, OBJECT, .flags = WEIR_JSON_OMITTED,
         WEIR_JSON_WHEN(weir_plan, rank_order.kind), .fields = rank_order_fields),
    PLAN("sweep", sweep, OBJECT, .flags = WEIR_JSON_OMITTED,
         WEIR_JSON_WHEN(weir_plan, sweep.axis_count), .fields = sweep_fields),
    WEIR_JSON_IF_ANY(weir_plan, "rank_need", rank_need, COUNT),
    PLAN("tests", tests, POINTERS, WEIR_JSON_COUNT_IN(weir_plan, test_count),
         WEIR_JSON_OF(whole_test_fields, weir_test)),
    {0},
};

const struct weir_json_field weir_record_plan_fields[] = {
    PLAN("dialect", dialect, STRING, .flags = WEIR_JSON_NEEDED),
    PLAN("plan_id", id, TEXT, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_IF_ANY(weir_plan, "label", output.label, STRING),
    PLAN("tags", output.tags, PAIRS, .flags = WEIR_JSON_OMITTED,
         WEIR_JSON_WHEN(weir_plan, output.tag_count),
         WEIR_JSON_COUNT_IN(weir_plan, output.tag_count)),
    PLAN("argv", source.words, STRINGS, WEIR_JSON_COUNT_IN(weir_plan, source.word_count),
         .former = "words"),
    WEIR_JSON_IF_ANY(weir_plan, "script", source.script, STRING),
    WEIR_JSON_PART("plan", plan_fields),
    {0},
};

/* ---- what reports take for granted ---- */

static bool is_sound_tree(const struct weir_tree *tree)
{
    return tree->set_count > 0 && weir_tree_directories(tree) > 0 &&
           tree->crowded_count <= weir_tree_item_directories(tree) &&
           (tree->depth == 0 || (tree->branching > 0 && tree->node));
}

static bool is_sound_phase(const struct weir_phase *phase, unsigned number)
{
    const struct weir_layout *layout = &phase->transfers.layout;
    const struct weir_tree *tree = phase->target ? phase->target->tree : NULL;

    return phase->number == number && phase->target && phase->target->path_count > 0 &&
           weir_verb_works_on_trees(phase->verb) == (tree != NULL) &&
           (!tree || is_sound_tree(tree)) &&
           (phase->verb == WEIR_PROGRAM) == (phase->program != NULL) &&
           (!weir_verb_moves_data(phase->verb) ||
            (layout->transfer_bytes > 0 && layout->block_bytes >= layout->transfer_bytes &&
             layout->segment_count > 0));
}

bool weir_record_is_sound(struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];

        if (test->number != i || !test->backend || test->repetitions == 0 || test->phase_count == 0)
            return false;
        for (size_t j = 0; j < test->phase_count; j++)
            if (!is_sound_phase(test->phases[j], plan->phase_count++))
                return false;
    }
    return plan->test_count > 0 && plan->dialect && plan->command_line;
}

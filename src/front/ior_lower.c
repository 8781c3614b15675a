/* SPDX-License-Identifier: Apache-2.0 */
/* What IOR's words mean in the words of the plan, and which combinations of them mean nothing. */
#include "ior_lower.h"

#include "ior_check.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Everything that lowering one test needs. */
struct lowering {
    struct weir_plan *plan;
    struct weir_test *test;
    const struct weir_ior_request *request;
    const struct weir_ior_config *ior;
    const char *place;
    struct weir_error *error;
    const struct weir_target *target;
    struct weir_payload payload;
};

/* ---- the backend ---- */

struct backend_choice {
    const struct weir_descriptor *descriptor;
    const void *values;
};

static bool is_called(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && strncasecmp(name, text, length) == 0;
}

static bool find_backend(const struct lowering *lowering, const char *name, size_t length,
                         struct backend_choice *choice)
{
    const struct weir_backends *backends = lowering->request->backends;

    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_descriptor *descriptor = backends->descriptors[i];

        if (is_called(descriptor->name, name, length) ||
            is_called(descriptor->alias, name, length) ||
            is_called(descriptor->label, name, length)) {
            *choice = (struct backend_choice){descriptor, lowering->request->backend_values[i]};
            return true;
        }
    }
    return false;
}

/* IOR's own name of a backend, whether it is built or not; NULL if IOR has none like it. */
static const char *known_to_ior(const char *name, size_t length)
{
    static const char *const known[] = {
        "POSIX", "MPIIO", "DUMMY",  "AIO",   "MMAP",     "HDF5",    "NCMPI",
        "DFS",   "RADOS", "CEPHFS", "S3-4c", "S3-libs3", "S3-curl", "HDFS",
        "IME",   "PMDK",  "Gfarm",  "CHFS",  "FINCHFS",  "LIBNFS",
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (is_called(known[i], name, length))
            return known[i];
    }
    return NULL;
}

static int refuse_backend(const struct lowering *lowering, const char *name, size_t length)
{
    const struct weir_backends *backends = lowering->request->backends;
    struct weir_text names = {0};
    const char *known;
    int failure;

    for (size_t i = 0; i < backends->count; i++)
        weir_text_add(&names, "%s%s", i ? ", " : "", backends->descriptors[i]->name);
    known = known_to_ior(name, length);
    if (known)
        failure = weir_error_usage(lowering->error, lowering->place,
                                   "-a: backend %s is known to IOR, and not built here; there are: "
                                   "%s",
                                   known, weir_text_string(&names));
    else
        failure = weir_error_usage(lowering->error, lowering->place,
                                   "-a: unknown backend \"%.*s\"; there are: %s", (int)length, name,
                                   weir_text_string(&names));
    weir_text_close(&names);
    return failure;
}

static int choose_inner(const struct lowering *lowering, const struct weir_descriptor *wrapper,
                        const char *name, struct backend_choice *inner)
{
    if (*name == '\0')
        return weir_error_usage(lowering->error, lowering->place,
                                "-a: %s stands around another backend; name it, such as %s:posix",
                                wrapper->name, wrapper->name);
    if (!find_backend(lowering, name, strlen(name), inner))
        return refuse_backend(lowering, name, strlen(name));
    if (inner->descriptor->abilities & WEIR_WRAPS)
        return weir_error_usage(lowering->error, lowering->place,
                                "-a: %s cannot stand around %s, which itself stands around another "
                                "backend",
                                wrapper->name, inner->descriptor->name);
    return 0;
}

/* -a NAME, or -a WRAPPER:NAME. */
static int choose_backend(const struct lowering *lowering, const char *api)
{
    struct weir_test *test = lowering->test;
    struct backend_choice outer, inner = {0};
    size_t length = strcspn(api, ":");
    bool wraps;

    if (!find_backend(lowering, api, length, &outer))
        return refuse_backend(lowering, api, length);
    wraps = outer.descriptor->abilities & WEIR_WRAPS;
    if (api[length] == ':' && !wraps)
        return weir_error_usage(lowering->error, lowering->place,
                                "-a: %s stands around no other backend; write -a %s",
                                outer.descriptor->name, outer.descriptor->name);
    test->backend = outer.descriptor;
    test->backend_options = outer.values;
    test->label = outer.descriptor->label;
    if (!wraps)
        return 0;
    if (choose_inner(lowering, outer.descriptor, api + length + (api[length] == ':'), &inner))
        return -EINVAL;
    assert(inner.descriptor != NULL);
    test->inner = inner.descriptor;
    test->inner_options = inner.values;
    test->label = weir_arena_printf(&lowering->plan->arena, "%s:%s", outer.descriptor->label,
                                    inner.descriptor->label);
    return 0;
}

/* A dry run keeps the label and runs against nothing. */
static int choose_no_backend(const struct lowering *lowering)
{
    struct backend_choice none;

    if (!find_backend(lowering, "null", strlen("null"), &none))
        return weir_error_usage(lowering->error, lowering->place,
                                "dryRun: the backend null was not built");
    lowering->test->backend = none.descriptor;
    lowering->test->backend_options = none.values;
    lowering->test->inner = NULL;
    lowering->test->inner_options = NULL;
    return 0;
}

/* Words that are options of a backend by another name. */
static int lower_aliases(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    const struct {
        const char *key;
        const char *value; /* NULL: not given */
    } aliases[] = {
        {"posix.odirect", ior->use_o_direct ? "1" : NULL},
        {"mpiio.showHints", ior->show_hints ? "1" : NULL},
        {"mpiio.preallocate", ior->preallocate ? "1" : NULL},
        {"mpiio.hintsFileName", ior->hints_path},
    };
    int failure = 0;

    for (size_t i = 0; i < sizeof aliases / sizeof *aliases && !failure; i++) {
        if (aliases[i].value)
            failure = weir_options_assign(&lowering->request->parser, lowering->place,
                                          aliases[i].key, aliases[i].value, lowering->error);
    }
    return failure;
}

static int lower_backend(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    int failure = lower_aliases(lowering);

    if (!failure)
        failure = choose_backend(lowering, ior->api);
    if (!failure)
        failure = weir_ior_check_backend(ior, lowering->test, lowering->place, lowering->error);
    if (!failure && ior->dry_run)
        failure = choose_no_backend(lowering);
    return failure;
}

/* ---- what all phases have in common ---- */

static struct weir_payload lower_payload(const struct weir_ior_request *request)
{
    const char *data = request->additions.data;
    const char type = request->ior.data_packet_type[0];
    struct weir_payload payload = {
        .mode = type == 't' || type == 'o' ? WEIR_PAYLOAD_STAMP : WEIR_PAYLOAD_FULL,
        .seed_is_given = request->ior.signature != 0,
        .seed = (uint32_t)request->ior.signature,
    };

    if (data && strcmp(data, "stamp") == 0)
        payload.mode = WEIR_PAYLOAD_STAMP;
    else if (data && strcmp(data, "full") == 0)
        payload.mode = WEIR_PAYLOAD_FULL;
    else if (data)
        payload.mode = WEIR_PAYLOAD_NONE;
    return payload;
}

static size_t count_names(const char *list)
{
    size_t count = 1;

    for (; *list != '\0'; list++)
        count += *list == '@';
    return count;
}

static int lower_paths(const struct lowering *lowering, struct weir_target *target)
{
    struct weir_arena *arena = &lowering->plan->arena;
    const char *list = lowering->ior->test_file;
    const char **paths;

    target->path_count = count_names(list);
    paths = weir_arena_take(arena, target->path_count * sizeof *paths);
    for (size_t i = 0; i < target->path_count; i++) {
        size_t length = strcspn(list, "@");

        if (length == 0)
            return weir_error_usage(lowering->error, lowering->place,
                                    "-o: the list \"%s\" has an empty name",
                                    lowering->ior->test_file);
        paths[i] = weir_arena_printf(arena, "%.*s", (int)length, list);
        list += length + (list[length] == '@');
    }
    target->paths = paths;
    return 0;
}

static int lower_target(struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_target *target = weir_arena_take(&lowering->plan->arena, sizeof *target);

    if (lower_paths(lowering, target))
        return -EINVAL;
    if (target->path_count > 1 && !ior->file_per_process)
        return weir_error_usage(lowering->error, lowering->place,
                                "-o: a list of %zu names needs -F: a shared file has one name",
                                target->path_count);
    if (ior->unique_dir && !ior->file_per_process)
        return weir_error_usage(
            lowering->error, lowering->place,
            "-u: a directory for each file needs a file for each task; give -F");
    target->is_shared = !ior->file_per_process;
    target->has_own_directory = ior->unique_dir;
    target->is_new_each_repetition = ior->multi_file;
    lowering->target = target;
    return 0;
}

static struct weir_layout lower_layout(const struct weir_ior_config *ior)
{
    struct weir_layout layout = {
        .segment_count = (uint64_t)ior->segment_count,
        .block_bytes = (uint64_t)ior->block_bytes,
        .transfer_bytes = (uint64_t)ior->transfer_bytes,
        .order = WEIR_ORDER_SEQUENTIAL,
        .seed_is_given = ior->random_offset_seed >= 0,
        .seed = ior->random_offset_seed >= 0 ? (uint64_t)ior->random_offset_seed : 0,
    };

    if (ior->random_offset == 1)
        layout.order = WEIR_ORDER_SHUFFLED;
    else if (ior->random_offset > 1)
        layout.order = WEIR_ORDER_RANDOM_BLOCKS;
    return layout;
}

/* Under -C the check reads one node further than the reads do, so that no node reads twice what it
 * has cached. */
static struct weir_shift lower_shift(const struct weir_ior_config *ior, bool is_check)
{
    struct weir_shift shift = {.kind = WEIR_SHIFT_NONE,
                               .distance = (uint64_t)ior->task_per_node_offset};

    if (ior->reorder_tasks) {
        shift.kind = WEIR_SHIFT_NODES;
        shift.distance += is_check ? 1 : 0;
    } else if (ior->reorder_tasks_random) {
        shift.kind = ior->reorder_tasks_random == 1 ? WEIR_SHIFT_RANDOM : WEIR_SHIFT_PERMUTATION;
        shift.seed = (uint64_t)ior->reorder_tasks_random_seed;
    }
    return shift;
}

static struct weir_stop lower_stop(const struct weir_ior_config *ior)
{
    return (struct weir_stop){
        .deadline_ns = ior->deadline_ns,
        .has_wear_out = ior->wear_out,
        .op_limit = (uint64_t)ior->wear_out_iterations,
        .minimum_ns = ior->min_time_ns,
        .status_path = ior->status_path,
    };
}

/* ---- phases ---- */

/* A phase that moves data, without what only writes or reads have. */
static struct weir_phase data_phase(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;

    return (struct weir_phase){
        .target = lowering->target,
        .layout = lower_layout(ior),
        .payload = lowering->payload,
        .is_collective = ior->collective,
        .has_inner_barriers = ior->intra_test_barriers,
        .is_single_attempt = ior->single_transfer_attempt,
        .depth = 1,
    };
}

static struct weir_phase write_phase(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_WRITE;
    phase.shift.distance = (uint64_t)ior->task_per_node_offset;
    phase.stop = lower_stop(ior);
    phase.must_replace = !ior->use_existing_test_file;
    phase.must_sync_at_end = ior->fsync;
    phase.must_sync_each = ior->fsync_per_write;
    phase.think_ns = ior->inter_io_delay_ns;
    return phase;
}

static struct weir_phase read_phase(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_READ;
    phase.shift = lower_shift(ior, false);
    phase.stop = lower_stop(ior);
    phase.must_verify = ior->check_read && !ior->dry_run;
    phase.think_ns = ior->inter_io_delay_ns;
    return phase;
}

/* Reads everything that was written, however long it takes: no deadline, no pauses. */
static struct weir_phase check_phase(const struct lowering *lowering)
{
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_READ;
    phase.is_check = true;
    phase.must_verify = true;
    phase.shift = lower_shift(lowering->ior, true);
    phase.stop.op_limit = (uint64_t)lowering->ior->wear_out_iterations;
    return phase;
}

static struct weir_phase remove_phase(const struct lowering *lowering)
{
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_REMOVE;
    phase.shift.distance = (uint64_t)lowering->ior->task_per_node_offset;
    phase.is_collective = false;
    phase.has_inner_barriers = false;
    phase.is_single_attempt = false;
    phase.only_if_clean = lowering->ior->keep_file_with_error;
    return phase;
}

static void add_phase(const struct lowering *lowering, struct weir_step **steps,
                      struct weir_phase phase)
{
    weir_plan_add_phase(lowering->plan, lowering->test, steps, &phase);
}

static void add_delay(const struct lowering *lowering, struct weir_step **steps)
{
    if (lowering->ior->inter_test_delay_ns > 0)
        weir_plan_add_sleep(lowering->plan, steps, lowering->ior->inter_test_delay_ns);
}

static void lower_steps(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_step **steps =
        &weir_plan_add_repeat(lowering->plan, &lowering->test->steps, (uint64_t)ior->repetitions)
             ->body;

    if (weir_ior_does_write(ior)) {
        add_delay(lowering, steps);
        add_phase(lowering, steps, write_phase(lowering));
    }
    if (ior->check_write && !ior->dry_run)
        add_phase(lowering, steps, check_phase(lowering));
    if (weir_ior_does_read(ior)) {
        add_delay(lowering, steps);
        add_phase(lowering, steps, read_phase(lowering));
    }
    if (!ior->keep_file)
        add_phase(lowering, steps, remove_phase(lowering));
}

/* ---- words that reports repeat ---- */

static bool is_row(const struct weir_option *row)
{
    return row->letter != 0 || row->name;
}

/* The script is how the test was written down, not what it is. */
static bool is_setting(const struct weir_option *row)
{
    return row->name && !row->refusal &&
           row->offset != offsetof(struct weir_ior_config, script_path);
}

static size_t count_rows(const struct weir_option_set *set)
{
    size_t count = 0;

    for (const struct weir_option *row = set->rows; row && is_row(row); row++)
        count++;
    return count;
}

static struct weir_setting setting_of(struct weir_arena *arena, const struct weir_option *row,
                                      const void *values)
{
    struct weir_text text = {0};
    struct weir_setting setting = {.key = row->name};

    weir_options_value(&text, row, values);
    setting.value = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return setting;
}

static void lower_settings(const struct lowering *lowering)
{
    struct weir_test *test = lowering->test;
    struct weir_arena *arena = &lowering->plan->arena;
    const struct weir_option_set *options = &test->backend->options;
    struct weir_setting *settings = weir_arena_take(
        arena, (count_rows(&weir_ior_option_set) + count_rows(options)) * sizeof *settings);
    size_t count = 0;

    for (const struct weir_option *row = weir_ior_option_set.rows; is_row(row); row++) {
        if (is_setting(row))
            settings[count++] = setting_of(arena, row, lowering->ior);
    }
    for (const struct weir_option *row = options->rows; row && is_row(row); row++) {
        if (row->name && weir_options_is_changed(row, test->backend_options))
            settings[count++] = setting_of(arena, row, test->backend_options);
    }
    test->settings = settings;
    test->setting_count = count;
}

/* ---- the test ---- */

static void lower_limits(const struct lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_test *test = lowering->test;

    test->rank_limit = ior->task_count > 0 ? (uint64_t)ior->task_count : 0;
    test->time_limit_ns = ior->max_time_ns;
    test->repetitions = (uint64_t)ior->repetitions;
    test->outlier_ns = ior->outlier_threshold_ns;
    test->must_keep = ior->keep_file;
    test->may_overwrite = lowering->request->additions.may_overwrite;
    test->is_dry_run = ior->dry_run;
    test->reference = ior->reference_number;
}

/* In a script with several tests an error says which one it means. */
static const char *place_of(struct weir_plan *plan, const struct weir_ior_request *request)
{
    const char *place = request->parser.place;

    if (plan->test_count == 0 && !request->next)
        return place;
    return weir_arena_printf(&plan->arena, "%s: test %zu", place, plan->test_count);
}

int weir_ior_lower(struct weir_plan *plan, const struct weir_ior_request *request,
                   struct weir_error *error)
{
    struct lowering lowering = {
        .plan = plan,
        .request = request,
        .ior = &request->ior,
        .place = place_of(plan, request),
        .error = error,
        .payload = lower_payload(request),
    };
    int failure = weir_ior_check(&request->ior, lowering.payload.mode, lowering.place, error);

    if (failure)
        return failure;
    lowering.test = weir_plan_add_test(plan);
    failure = lower_backend(&lowering);
    if (!failure)
        failure = lower_target(&lowering);
    if (failure)
        return failure;
    lower_limits(&lowering);
    lower_steps(&lowering);
    lower_settings(&lowering);
    return 0;
}

void weir_ior_lower_output(struct weir_output *output, const struct weir_ior_request *request)
{
    const struct weir_ior_config *ior = &request->ior;

    if (strcmp(ior->summary_format, "JSON") == 0)
        output->format = WEIR_FORMAT_IOR_JSON;
    else if (strcmp(ior->summary_format, "CSV") == 0)
        output->format = WEIR_FORMAT_IOR_CSV;
    else
        output->format = WEIR_FORMAT_IOR;
    output->summary_path = ior->summary_path;
    output->result_path = request->additions.result_path;
    output->is_plain = request->additions.is_plain;
    output->warnings_are_errors = ior->warning_as_errors;
    output->verbosity = (int)(ior->verbose < 100 ? ior->verbose : 100);
}

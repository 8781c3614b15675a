/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, data, limits and settings of a test, and the output of the run, as far as all dialects
 * agree. */
#include "common_lowering.h"

#include "progress_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- paths ---- */

void weir_lower_path(const struct weir_lowering *lowering, const char *path,
                     struct weir_target *target)
{
    struct weir_arena *arena = &lowering->plan->arena;
    const char **paths = weir_arena_take(arena, sizeof *paths);

    paths[0] = weir_arena_copy(arena, path);
    target->paths = paths;
    target->path_count = 1;
}

int weir_lower_paths(const struct weir_lowering *lowering, const char *option, const char *list,
                     struct weir_target *target)
{
    struct weir_arena *arena = &lowering->plan->arena;
    const char **paths = weir_arena_take(arena, (strlen(list) / 2 + 1) * sizeof *paths);
    struct weir_text name = {0};

    target->path_count = 0;
    for (const char *at = list;; at++) {
        if (*at != '\0' && (*at != '@' || at[1] == '@')) {
            at += *at == '@';
            weir_text_add_bytes(&name, at, 1);
            continue;
        }
        if (name.length > 0)
            paths[target->path_count++] = weir_arena_copy(arena, weir_text_string(&name));
        name.length = 0;
        if (*at == '\0')
            break;
    }
    weir_text_close(&name);
    if (target->path_count == 0)
        return WEIR_REFUSE(lowering, "%s: there is no name in the list \"%s\"", option, list);
    target->paths = paths;
    return 0;
}

/* ---- data ---- */

/* IOR's data are 8-byte words. */
#define WORD_BYTES 8
/* Smaller pieces have no room for a stamp. */
#define STAMPED_BYTES 64

static enum weir_ior_pattern pattern_of(char letter)
{
    switch (letter) {
    case 'o':
        return WEIR_IOR_OFFSET;
    case 'i':
        return WEIR_IOR_INCOMPRESSIBLE;
    case 'r':
        return WEIR_IOR_RANDOM;
    default:
        return WEIR_IOR_TIMESTAMP;
    }
}

static enum weir_payload_mode mode_of(const char *data, enum weir_ior_pattern pattern)
{
    if (!data)
        return pattern == WEIR_IOR_TIMESTAMP || pattern == WEIR_IOR_OFFSET ? WEIR_PAYLOAD_STAMP
                                                                           : WEIR_PAYLOAD_FULL;
    if (strcmp(data, "stamp") == 0)
        return WEIR_PAYLOAD_STAMP;
    if (strcmp(data, "full") == 0)
        return WEIR_PAYLOAD_FULL;
    return strcmp(data, "ior") == 0 ? WEIR_PAYLOAD_IOR : WEIR_PAYLOAD_NONE;
}

struct weir_payload weir_lower_payload(const struct weir_front_request *request,
                                       const char *pattern, int64_t seed, int64_t no_seed)
{
    enum weir_ior_pattern meant = pattern_of(pattern[0]);
    struct weir_payload payload = {
        .mode = mode_of(request->common.data, meant),
        .seed_is_given = seed != no_seed,
        .seed = seed != no_seed ? (uint32_t)seed : 0,
    };

    if (payload.mode == WEIR_PAYLOAD_IOR)
        payload.pattern = meant;
    return payload;
}

/* Why data cannot be verified by a run that did not write them without the seed that they were made
 * with; NULL if they can. */
static const char *needs_seed(const struct weir_payload *payload, uint64_t bytes)
{
    if (payload->mode != WEIR_PAYLOAD_IOR)
        return bytes < STAMPED_BYTES ? "transfers below 64 bytes carry no stamp" : NULL;
    if (payload->pattern == WEIR_IOR_INCOMPRESSIBLE || payload->pattern == WEIR_IOR_RANDOM)
        return "IOR's random data do not tell the seed that they were made with";
    if (payload->pattern == WEIR_IOR_OFFSET && bytes <= WORD_BYTES)
        return "a word of IOR's that holds an offset does not tell the seed";
    return NULL;
}

int weir_lower_verification(const struct weir_verification *verification, const char *place,
                            struct weir_error *error)
{
    const struct weir_payload *payload = verification->payload;
    const char *reason = needs_seed(payload, verification->bytes);

    if (payload->mode == WEIR_PAYLOAD_NONE)
        return weir_error_usage(
            error, place, "%s: data written with --data none cannot be verified; use --data stamp",
            verification->option);
    if (verification->maker && !payload->seed_is_given && reason)
        return weir_error_usage(error, place,
                                "%s: %s: without %s there must be -G with the seed that the data "
                                "were written with",
                                verification->option, reason, verification->maker);
    return 0;
}

/* ---- phases on names ---- */

int weir_lower_names(const struct weir_lowering *lowering)
{
    /* There are backends that can remove the files that they write, and no more. */
    if (lowering->loop->name_verbs == 0)
        return WEIR_REFUSE(lowering,
                           "-a: backend %s has no directories, and none of the operations on names "
                           "that are measured; choose another one, such as posix or uring",
                           lowering->test->label);
    return 0;
}

/* ---- limits ---- */

void weir_lower_limits(const struct weir_lowering *lowering)
{
    const struct weir_common_words *common = &lowering->request->common;
    struct weir_test *test = lowering->test;

    test->may_overwrite = common->may_overwrite;
    test->goes_on_after_errors = strcmp(common->on_error, "continue") == 0;
    test->must_fit = common->must_fit;
}

/* ---- words that reports repeat ---- */

static bool is_row(const struct weir_option *row)
{
    return row->letter != 0 || row->name;
}

static size_t count_rows(const struct weir_option_set *set)
{
    size_t count = 0;

    for (const struct weir_option *row = set->rows; row && is_row(row); row++)
        count++;
    return count;
}

static void add_setting(struct weir_plan *plan, struct weir_setting *settings,
                        const struct weir_option *row, const void *values, size_t *count)
{
    struct weir_text text = {0};

    weir_options_value(&text, row, values);
    settings[(*count)++] = (struct weir_setting){
        .key = row->name,
        .value = weir_arena_copy(&plan->arena, weir_text_string(&text)),
    };
    weir_text_close(&text);
}

static size_t count_options(const struct weir_descriptor *backend)
{
    return backend ? count_rows(&backend->options) : 0;
}

/* The options of a backend that were given. There is room for all. */
static void add_options(const struct weir_lowering *lowering, struct weir_setting *settings,
                        const struct weir_descriptor *backend, const void *values)
{
    const struct weir_option *row = backend ? backend->options.rows : NULL;

    for (; row && is_row(row); row++)
        if (row->name && weir_options_is_changed(row, values))
            add_setting(lowering->plan, settings, row, values, &lowering->test->setting_count);
}

void weir_lower_settings(const struct weir_lowering *lowering, const struct weir_option_set *set,
                         const void *values, const char *but)
{
    struct weir_test *test = lowering->test;
    size_t room = count_rows(set) + count_options(test->backend) + count_options(test->inner);
    struct weir_setting *settings =
        weir_arena_take(&lowering->plan->arena, room * sizeof *settings);

    for (const struct weir_option *row = set->rows; is_row(row); row++)
        if (row->name && !row->refusal && (!but || strcasecmp(row->name, but) != 0))
            add_setting(lowering->plan, settings, row, values, &test->setting_count);
    add_options(lowering, settings, test->backend, test->backend_options);
    add_options(lowering, settings, test->inner, test->inner_options);
    test->settings = settings;
}

/* ---- nodes that are not there ---- */

static int read_fake(const struct weir_lowering *lowering, const char *variable, const char *remark,
                     uint64_t *count)
{
    const char *value = getenv(variable);
    int64_t number;

    if (value == NULL || *value == '\0')
        return 0;
    if (weir_integer_parse(value, &number) || number < 1)
        return weir_error_usage(lowering->error, lowering->place,
                                "%s: \"%s\" is not a number of 1 or more; unset it", variable,
                                value);
    *count = (uint64_t)number;
    weir_plan_add_remark(lowering->plan, lowering->test, "%s: using %s", remark, value);
    return 0;
}

int weir_lower_fake_nodes(const struct weir_lowering *lowering)
{
    struct weir_test *test = lowering->test;

    return read_fake(lowering, "IOR_FAKE_NODES", "Fake number of node", &test->given_nodes) ||
                   read_fake(lowering, "IOR_FAKE_TASK_PER_NODES", "Fake tasks per node",
                             &test->given_ranks_per_node)
               ? -EINVAL
               : 0;
}

/* ---- output ---- */

const char *weir_lower_reporter(const char *format, const char *usual)
{
    if (strcasecmp(format, "JSON") == 0)
        return WEIR_REPORTER_JSON;
    if (strcasecmp(format, "JUnit") == 0)
        return "junit";
    if (strcasecmp(format, "TAP") == 0)
        return "tap";
    return strcasecmp(format, "CSV") == 0 ? WEIR_REPORTER_CSV : usual;
}

bool weir_wants_details(int64_t is_set)
{
    const char *value = getenv("WEIR_DETAILS");

    return is_set > 0 || (value != NULL && strcmp(value, "1") == 0);
}

int weir_lower_output(struct weir_output *output, const struct weir_front_request *request,
                      struct weir_error *error)
{
    if (request->common.must_resume && !request->common.result_path)
        return weir_error_usage(error, request->parser.place,
                                "--resume: what is done already stands in a result file: give "
                                "--result FILE with the file of the run to go on with");
    output->result_path = request->common.result_path;
    output->must_resume = request->common.must_resume > 0;
    output->is_plain = request->common.is_plain;
    output->has_details = weir_wants_details(request->common.has_details);
    output->is_strict = request->common.is_strict > 0;
    output->warnings_are_errors |= output->is_strict;
    output->expect = request->common.expect;
    output->allows_unverified = request->common.allows_unverified > 0;
    output->label = request->common.label;
    if (weir_label_check(output->label, request->parser.place, error) ||
        weir_tags_read(request->common.tags, request->parser.arena, request->parser.place, error,
                       &output->tags, &output->tag_count))
        return -EINVAL;
    if (weir_progress_read(request->common.progress, request->parser.place, error,
                           &output->progress_ns))
        return -EINVAL;
    output->live = (struct weir_live_request){.path = request->common.live,
                                              .on_phase = request->common.on_phase};
    return weir_live_read(request->common.on_phase_limit, output->progress_ns,
                          request->parser.place, error, &output->live);
}

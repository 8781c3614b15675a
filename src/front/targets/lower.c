/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of the options of weir targets: rounds of tests, one for each target alone, in which
 * the first ranks work on it, and a last test in which rank r works on target r mod count. Targets
 * take turns, so that what changes with time differs between repetitions of each of them, and not
 * between targets. */
#include "lower.h"

#include "common_lowering.h"
#include "limit_words.h"
#include "sources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STANDARD_DEPTH 1
#define TESTS_MAX 65536
#define SIZE_UNASKED (INT64_C(10) << 30)
#define ASKED_ABOVE 0x1p30 /* bytes: what a login node and its file systems hardly notice */

struct lowering {
    struct weir_lowering base;
    const struct weir_targets_request *request;
    const struct weir_targets_config *config;
    struct weir_target_sources sources;
    double limit;          /* bytes per second of one target; 0: none */
    double limit_together; /* of all; 0: none */
    bool writes;
    bool is_buffered;
    const char *amount; /* a remark on what is moved without --size; NULL: --size was given */
};

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)

/* ---- limits ---- */

static int read_limit(const struct lowering *lowering, const char *option, const char *text,
                      double *per_s)
{
    *per_s = 0.0;
    return text == NULL
               ? 0
               : weir_limit_read(option, text, lowering->base.place, per_s, lowering->base.error);
}

/* ---- what is refused ---- */

static int check_devices(const struct lowering *lowering)
{
    const struct weir_targets_config *config = lowering->config;

    if (config->write_devices && config->reads_only)
        return REFUSE(lowering, "--write and --read-only contradict each other; leave one out");
    if (lowering->sources.are_devices && config->ranks_per_target > 1)
        return REFUSE(lowering, "--ranks-per-target: in the test of all devices each rank has one "
                                "of its own; leave it out, and give --depth for more transfers in "
                                "flight");
    return 0;
}

static int check(const struct lowering *lowering)
{
    const struct weir_targets_config *config = lowering->config;
    int64_t piece = config->transfer_bytes * config->ranks_per_target;

    if (config->is_buffered && lowering->base.request->common.is_direct)
        return REFUSE(lowering, "--buffered and --direct contradict each other; leave one out");
    if (config->transfer_bytes > INT64_MAX / config->ranks_per_target || config->bytes % piece != 0)
        return REFUSE(lowering,
                      "--size: %" PRId64 " bytes are not whole transfers (--transfer) of %" PRId64
                      " for each of %" PRId64 " ranks",
                      config->bytes, config->transfer_bytes, config->ranks_per_target);
    if (config->reads_only && lowering->sources.all[0].make != NULL)
        return REFUSE(lowering, "--read-only: for --lustre and --beegfs files are made anew on "
                                "their targets; leave it out");
    if (config->must_keep && lowering->sources.all[0].make != NULL)
        return REFUSE(lowering, "--keep: for --lustre and --beegfs files are made anew on their "
                                "targets; leave it out");
    return check_devices(lowering);
}

/* Refuses a run without --size that would move more than 1 GiB, and says how much that is; below,
 * and for --explain, keeps the sentence as a remark. */
static int check_amount(struct lowering *lowering)
{
    const struct weir_targets_config *config = lowering->config;
    const size_t count = lowering->sources.count;
    const bool has_all = !config->is_alone_only && count > 1;
    const double total = (double)config->bytes * (double)count * (double)config->repetitions *
                         (lowering->writes ? 2 : 1) * (has_all ? 2 : 1);
    char bytes[WEIR_SIZE_TEXT_BYTES], all[WEIR_SIZE_TEXT_BYTES];
    const char *sentence;

    if (lowering->request->config.bytes > 0)
        return 0;
    sentence = weir_arena_printf(
        &lowering->base.plan->arena,
        "--size: without it, %s on each of the targets (%zu) would be %s %" PRId64
        " time%s%s: %s in all",
        weir_size_format((uint64_t)config->bytes, bytes), count,
        lowering->writes ? "written and read" : "read", config->repetitions,
        config->repetitions > 1 ? "s" : "", has_all ? ", and again by all together" : "",
        weir_size_format((uint64_t)total, all));
    if (total > ASKED_ABOVE && !lowering->request->is_explained)
        return REFUSE(lowering, "%s; give --size 10g for that, or less", sentence);
    lowering->amount = sentence;
    return 0;
}

/* ---- backend ---- */

/* Past the page cache unless the backend cannot, or --buffered says otherwise. */
static int lower_backend(struct lowering *lowering)
{
    struct weir_lowering *base = &lowering->base;
    const struct weir_option *direct;
    bool bypasses;

    if (weir_lower_backend(base, lowering->config->api, WEIR_WORK_FILES))
        return -EINVAL;
    bypasses = base->loop->abilities & WEIR_BYPASSES_CACHE;
    direct = weir_options_find(base->loop->options.rows, "posix.odirect");
    if (lowering->config->is_buffered && bypasses)
        return REFUSE(lowering,
                      "--buffered: backend %s passes the page cache; choose another one, "
                      "such as posix",
                      base->test->label);
    if (lowering->config->is_buffered && direct &&
        weir_options_is_changed(direct, weir_test_options(base->test)))
        return REFUSE(lowering, "--buffered and --posix.odirect contradict each other; leave one "
                                "out");
    lowering->is_buffered = lowering->config->is_buffered || (!bypasses && !direct);
    if (!lowering->is_buffered && direct)
        return weir_options_assign(&base->request->parser, base->place, "posix.odirect", "1",
                                   base->error);
    if (!lowering->config->is_buffered && lowering->is_buffered && base->test->number == 0)
        WEIR_REMARK(base,
                    "backend %s has no transfers past the page cache: they go through it, as with "
                    "--buffered",
                    base->test->label);
    return 0;
}

/* ---- files and phases ---- */

/* What the names of files begin with: those of all together are others than those of each alone, so
 * that either may stay. */
static const char *path_of(const struct lowering *lowering, const struct weir_target_source *source,
                           size_t count)
{
    if (count == 1 || lowering->sources.are_devices)
        return source->path;
    return weir_arena_printf(&lowering->base.plan->arena, "%s.all", source->path);
}

/* The targets from `first` on, `count` of them. */
static const struct weir_target *lower_target(const struct lowering *lowering, size_t first,
                                              size_t count)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    struct weir_target *target = weir_arena_take(arena, sizeof *target);
    const char **paths = weir_arena_take(arena, count * sizeof *paths);

    for (size_t i = 0; i < count; i++)
        paths[i] = path_of(lowering, &lowering->sources.all[first + i], count);
    *target = (struct weir_target){
        .paths = paths,
        .path_count = count,
        .is_device = lowering->sources.are_devices,
        /* A device alone is one for all of its ranks, of which there is one. */
        .is_shared = lowering->sources.are_devices && count == 1,
    };
    return target;
}

/* Has the file system put the file of each rank on its target. */
static void add_makers(const struct lowering *lowering, struct weir_step **steps, size_t first,
                       size_t count)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    uint64_t ranks = (uint64_t)lowering->config->ranks_per_target * count;

    for (uint64_t rank = 0; rank < ranks; rank++) {
        const struct weir_target_source *source = &lowering->sources.all[first + rank % count];
        const char *path =
            weir_arena_printf(arena, "%s.%08" PRIu64, path_of(lowering, source, count), rank);

        if (source->make != NULL)
            weir_plan_add_command(
                lowering->base.plan, steps,
                weir_arena_printf(arena, source->make, weir_targets_quote(arena, path)), false);
    }
}

static struct weir_phase data_phase(const struct lowering *lowering, enum weir_verb verb,
                                    const struct weir_target *target)
{
    const struct weir_targets_config *config = lowering->config;

    return (struct weir_phase){
        .verb = verb,
        .target = target,
        .depth = lowering->base.load.depth,
        .must_find_depth = lowering->base.load.must_find_depth,
        .rate = lowering->base.load.rate,
        .transfers = {.layout = {.segment_count = 1,
                                 .block_bytes =
                                     (uint64_t)(config->bytes / config->ranks_per_target),
                                 .transfer_bytes = (uint64_t)config->transfer_bytes},
                      .payload = weir_lower_payload(lowering->base.request, "t", 0, 0),
                      .batch = 1},
    };
}

/* The test of some targets from `first` on. */
struct part {
    size_t first;
    size_t count;
    uint64_t repetitions;
    bool is_last; /* that works on these files */
};

static void add_steps(const struct lowering *lowering, const struct part *part)
{
    const struct weir_targets_config *config = lowering->config;
    struct weir_plan *plan = lowering->base.plan;
    struct weir_test *test = lowering->base.test;
    const struct weir_target *target = lower_target(lowering, part->first, part->count);
    struct weir_phase read = data_phase(lowering, WEIR_READ, target);
    struct weir_step **steps = &weir_plan_add_repeat(plan, &test->steps, part->repetitions)->body;

    if (lowering->writes) {
        struct weir_phase write = data_phase(lowering, WEIR_WRITE, target);
        bool is_made = lowering->sources.all[part->first].make != NULL;

        add_makers(lowering, steps, part->first, part->count);
        write.transfers.must_replace = !target->is_device && !is_made;
        write.transfers.must_sync_at_end = true;
        weir_plan_add_phase(plan, test, steps, &write);
    }
    weir_plan_add_phase(plan, test, steps, &read);
    if (lowering->writes && !target->is_device && !(config->must_keep && part->is_last))
        weir_plan_add_phase(
            plan, test, steps,
            &(struct weir_phase){.verb = WEIR_REMOVE, .target = target, .depth = 1});
}

/* ---- tests ---- */

/* What the report repeats. */
static void add_settings(const struct lowering *lowering, size_t count)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    const struct weir_targets_config *config = lowering->config;
    const struct weir_setting all[] = {
        {"targets", weir_arena_printf(arena, "%zu", count)},
        {"repetitions", weir_arena_printf(arena, "%" PRId64, config->repetitions)},
        {"size", weir_arena_printf(arena, "%" PRId64, config->bytes)},
        {"transfer", weir_arena_printf(arena, "%" PRId64, config->transfer_bytes)},
        {"ranks-per-target", weir_arena_printf(arena, "%" PRId64, config->ranks_per_target)},
        {"buffered", lowering->is_buffered ? "1" : "0"},
        {"limit", weir_arena_printf(arena, "%.0f", lowering->limit)},
        {"limit-together", weir_arena_printf(arena, "%.0f", lowering->limit_together)},
    };
    struct weir_setting *settings = weir_arena_take(arena, sizeof all);

    memcpy(settings, all, sizeof all);
    lowering->base.test->settings = settings;
    lowering->base.test->setting_count = sizeof all / sizeof *all;
}

static int add_test(struct lowering *lowering, const struct part *part)
{
    const struct weir_targets_config *config = lowering->config;
    struct weir_test *test = weir_plan_add_test(lowering->base.plan);

    lowering->base.test = test;
    if (lower_backend(lowering) || weir_lower_load(&lowering->base, STANDARD_DEPTH))
        return -EINVAL;
    add_steps(lowering, part);
    if (weir_lower_place(&lowering->base))
        return -EINVAL;
    weir_lower_limits(&lowering->base);
    test->rank_limit = (uint64_t)config->ranks_per_target * part->count;
    test->repetitions = part->repetitions;
    test->must_keep =
        (config->must_keep && part->is_last) || lowering->sources.are_devices || !lowering->writes;
    test->may_take_used_device =
        config->write_devices && strcmp(config->write_devices, "force") == 0;
    add_settings(lowering, part->count);
    return 0;
}

/* Adds the remarks on sources and on options without effect to the first test. */
static void remark(const struct lowering *lowering)
{
    const struct weir_targets_config *config = lowering->config;

    for (size_t i = 0; i < lowering->sources.remark_count; i++)
        WEIR_REMARK(&lowering->base, "%s", lowering->sources.remarks[i]);
    if (lowering->amount)
        WEIR_REMARK(&lowering->base, "%s", lowering->amount);
    if (config->write_devices && !lowering->sources.are_devices)
        WEIR_REMARK(&lowering->base, "--write: it is for --devices, and files of ours are written "
                                     "anyway: it changes nothing");
    if (lowering->sources.are_devices && config->must_keep)
        WEIR_REMARK(&lowering->base, "--keep: devices are not removed: it changes nothing");
    if (lowering->limit_together > 0.0 && (config->is_alone_only || lowering->sources.count == 1))
        WEIR_REMARK(&lowering->base, "--limit-together: there is no test of all: it changes "
                                     "nothing");
}

/* Each target alone, in one round after the other. */
static int add_rounds(struct lowering *lowering)
{
    const uint64_t rounds = (uint64_t)lowering->config->repetitions;

    for (uint64_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < lowering->sources.count; i++) {
            const struct part part = {i, 1, 1, round + 1 == rounds};

            if (add_test(lowering, &part))
                return -EINVAL;
            lowering->base.test->peer = lowering->sources.all[i].name;
            if (lowering->base.test->number == 0)
                remark(lowering);
        }
    return 0;
}

static int add_tests(struct lowering *lowering)
{
    const size_t count = lowering->sources.count;
    const struct part all = {0, count, (uint64_t)lowering->config->repetitions, true};
    bool has_all = !lowering->config->is_alone_only && count > 1;

    if ((uint64_t)lowering->config->repetitions * count > TESTS_MAX)
        return REFUSE(lowering,
                      "-i: %" PRId64 " repetitions of %zu targets are more than %d; give "
                      "fewer",
                      lowering->config->repetitions, count, TESTS_MAX);
    if (add_rounds(lowering))
        return -EINVAL;
    lowering->base.plan->rank_need = lowering->base.test->rank_limit * (has_all ? count : 1);
    return has_all ? add_test(lowering, &all) : 0;
}

int weir_targets_lower(struct weir_plan *plan, const struct weir_targets_request *request,
                       struct weir_error *error)
{
    const struct weir_targets_additions *additions = &request->additions;
    struct weir_targets_config *config = weir_arena_take(&plan->arena, sizeof *config);
    struct lowering lowering = {
        .base = {.plan = plan,
                 .request = &request->base,
                 .place = request->base.parser.place,
                 .error = error},
        .request = request,
        .config = config,
    };

    *config = request->config;
    if (config->bytes == 0)
        config->bytes = SIZE_UNASKED;
    if (read_limit(&lowering, "--limit", request->config.limit, &lowering.limit) ||
        read_limit(&lowering, "--limit-together", request->config.limit_together,
                   &lowering.limit_together) ||
        weir_targets_find(&plan->arena, request, &lowering.sources, error) || check(&lowering))
        return -EINVAL;
    lowering.writes = lowering.sources.are_devices ? request->config.write_devices != NULL
                                                   : !request->config.reads_only;
    if (check_amount(&lowering) || add_tests(&lowering))
        return -EINVAL;
    plan->output.reporter = weir_lower_reporter(additions->format, WEIR_TARGETS_REPORTER);
    plan->output.summary_path = additions->summary_path;
    plan->output.warnings_are_errors = additions->warnings_are_errors > 0;
    return weir_lower_output(&plan->output, &request->base, error);
}

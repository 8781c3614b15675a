/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of md-workbench's options: data sets, phases, the place of the working set. */
#include "lower.h"

#include "common_lowering.h"
#include "run_info.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)
#define REMARK(lowering, ...) WEIR_REMARK(&(lowering)->base, __VA_ARGS__)

#define PPM 1000000
#define NS_PER_PPM 1000
#define WAITING_MAX 1000
#define STANDARD_DEPTH 1 /* whatever a backend does with transfers */
/* Numbers of objects in a data set. The data of an object depend on it, and so runs that make, read
 * and remove objects must all have the same, wherever their working sets lie. */
#define NUMBERS (UINT64_C(1) << 28)

struct lowering {
    struct weir_lowering base;
    const struct weir_mdworkbench_config *config;
    bool precreates, measures, cleans;
    uint64_t start; /* first object of the working set */
    uint64_t end;   /* the same at the end of the run */
    struct weir_payload payload;
    const struct weir_target *target;
};

/* ---- what is refused, and what changes nothing ---- */

static int check_verification(const struct lowering *lowering)
{
    const struct weir_mdworkbench_config *config = lowering->config;
    const struct weir_verification verification = {
        .option = "-X",
        .payload = &lowering->payload,
        .bytes = (uint64_t)config->object_bytes,
        .maker = lowering->precreates ? NULL : "-1",
    };

    if (!config->verify_read || !lowering->measures || config->object_bytes == 0)
        return 0;
    return weir_lower_verification(&verification, lowering->base.place, lowering->base.error);
}

/* How fast it goes, and when it ends. */
static int check_pace(const struct lowering *lowering)
{
    const struct weir_mdworkbench_config *config = lowering->config;
    bool is_given = config->adaptive_waiting || config->waiting_ns > 0;
    const char *option = config->adaptive_waiting ? "-T" : "-t";

    if (config->waiting_ns / NS_PER_PPM > WAITING_MAX * PPM)
        return REFUSE(lowering, "-t: pauses of more than %d times what operations take; give less",
                      WAITING_MAX);
    if (is_given && lowering->base.load.depth > 1)
        return REFUSE(lowering,
                      "%s: of several operations in flight (--depth) none is followed by "
                      "a pause; leave one of the two out",
                      option);
    if (is_given && lowering->base.load.rate.arrivals != WEIR_ARRIVALS_CLOSED)
        return REFUSE(lowering, "%s: --rate says when operations begin; leave one of the two out",
                      option);
    if (config->deadline_ns > 0 && !config->wear_out && !config->read_only && lowering->measures)
        return REFUSE(lowering, "-w: each task would move the working set by another number, and "
                                "others would miss its objects; give -W, or --read-only");
    return 0;
}

/* What --depth and --rate cannot ask of a cycle that makes and removes objects. */
static int check_load(const struct lowering *lowering)
{
    const struct weir_common_words *common = &lowering->base.request->common;

    if (lowering->base.load.must_find_depth)
        return REFUSE(lowering,
                      "--depth: \"%s\" looks for the best depth by trials, and a trial of cycles "
                      "would move the working set; give a number",
                      common->depth);
    if (lowering->base.load.rate.is_in_bytes)
        return REFUSE(lowering,
                      "--rate: \"%s\" is a rate of bytes, and half of the operations move none; "
                      "give operations per second, such as 20000",
                      common->rate);
    return 0;
}

static int check(const struct lowering *lowering)
{
    const struct weir_mdworkbench_config *config = lowering->config;

    if (weir_lower_names(&lowering->base) || check_load(lowering) || check_pace(lowering))
        return -EINVAL;
    if (config->seed < INT32_MIN || config->seed > UINT32_MAX)
        return REFUSE(lowering, "-G: %" PRId64 " has more than 32 bits", config->seed);
    if (lowering->measures && config->objects > config->precreated)
        return REFUSE(lowering,
                      "-I: %" PRId64 " objects of each data set, of which there are %" PRId64
                      ": a task would work on what another one has not made yet; give -P as many, "
                      "or -I fewer",
                      config->objects, config->precreated);
    return check_verification(lowering);
}

static void remark(const struct lowering *lowering)
{
    static const char *const timing[] = {"waiting-time", "adaptive-waiting", "stonewall-timer",
                                         NULL};
    const struct weir_mdworkbench_config *config = lowering->config;
    const char *pace =
        weir_lower_given(&lowering->base, &weir_mdworkbench_option_set, config, timing);

    if (config->verbose > 0)
        REMARK(lowering, "-v: there is no more to print: it changes nothing");
    if (config->wear_out && config->deadline_ns == 0)
        REMARK(lowering, "-W: without -w no iteration is cut: it changes nothing");
    if (config->waiting_ns > 0 && config->adaptive_waiting)
        REMARK(lowering, "-t: -T has waiting times of its own: it changes nothing");
    if ((config->waiting_ns > 0 || config->adaptive_waiting || config->deadline_ns > 0) &&
        !lowering->measures)
        REMARK(lowering, "%s: there is no benchmark: %s", pace, WEIR_IDLE(pace));
    if (config->latency_all && !config->latency)
        REMARK(lowering, "--latency-all: there are no files without -L: it changes nothing");
    if (config->verify_read && !lowering->measures)
        REMARK(lowering, "-X: nothing is read: it changes nothing");
    else if (config->verify_read && config->object_bytes == 0)
        REMARK(lowering, "-X: objects of 0 bytes hold nothing to verify: it changes nothing");
    if (config->read_only && !lowering->measures)
        REMARK(lowering, "--read-only: there is no benchmark: it changes nothing");
}

/* ---- where ---- */

/* Waiting times of -T, as md-workbench doubles them. */
static const uint64_t waiting_ppm[] = {0, 62500, 125000, 250000, 500000, 1000000, 2000000, 4000000};

/* Cycles that an iteration has. */
static uint64_t cycles_of(const struct weir_mdworkbench_config *config)
{
    return config->adaptive_waiting ? sizeof waiting_ppm / sizeof *waiting_ppm : 1;
}

static uint64_t moved(const struct lowering *lowering)
{
    const struct weir_mdworkbench_config *config = lowering->config;

    return lowering->measures && !config->read_only
               ? (uint64_t)config->iterations * cycles_of(config) * (uint64_t)config->objects
               : 0;
}

/* A backend that does nothing has no working set either. */
static bool has_objects(const struct lowering *lowering)
{
    return !(lowering->base.loop->name_verbs & WEIR_NAMES_ARE_VOID);
}

/* Objects that are there already begin where the run before left them. */
static int lower_place(struct lowering *lowering)
{
    const struct weir_mdworkbench_config *config = lowering->config;

    lowering->start = (uint64_t)config->start_item;
    if (!lowering->precreates && lowering->start == 0 && has_objects(lowering) &&
        weir_run_info_read(config->run_info_path, &lowering->start, lowering->base.place,
                           lowering->base.error))
        return -EINVAL;
    lowering->end = lowering->start + moved(lowering);
    if (lowering->start >= NUMBERS || lowering->end + (uint64_t)config->precreated > NUMBERS)
        return REFUSE(lowering,
                      "-P, -I, -R: from object %" PRIu64 " on these make more than the %" PRIu64
                      " that a data set has numbers for; give fewer, or begin anew with -1",
                      lowering->start, NUMBERS);
    return 0;
}

static int lower_target(struct lowering *lowering)
{
    const struct weir_mdworkbench_config *config = lowering->config;
    struct weir_target *target = weir_arena_take(&lowering->base.plan->arena, sizeof *target);
    struct weir_tree *tree = weir_arena_take(&lowering->base.plan->arena, sizeof *tree);

    weir_lower_path(&lowering->base, config->directory, target);
    *tree = (struct weir_tree){
        .top = "%r_%s",
        .set_count = (uint64_t)config->data_sets,
        .items_per_directory = NUMBERS,
        .is_own = true,
    };
    target->tree = tree;
    lowering->target = target;
    return 0;
}

/* ---- phases ---- */

static void add_phase(const struct lowering *lowering, struct weir_step **steps,
                      struct weir_phase phase)
{
    phase.target = lowering->target;
    weir_plan_add_phase(lowering->base.plan, lowering->base.test, steps, &phase);
}

static struct weir_phase directory_phase(enum weir_verb verb)
{
    return (struct weir_phase){.verb = verb, .depth = 1, .names.is_directory = true};
}

static struct weir_phase object_phase(const struct lowering *lowering, enum weir_verb verb,
                                      uint64_t count, uint64_t first)
{
    struct weir_phase phase = {
        .verb = verb,
        .depth = lowering->base.load.depth,
        .rate = lowering->base.load.rate,
        .names = {.item = "file-%n", .rotation = {.count = count, .first = first}},
    };

    if (verb != WEIR_UNLINK) {
        phase.names.bytes = (uint64_t)lowering->config->object_bytes;
        phase.names.payload = lowering->payload;
    }
    return phase;
}

/* The name of a file of -L without its prefix, as md-workbench makes it: the factor of waiting and
 * the number of the iteration. Of cycles the engine adds the iteration and the operation. Returns
 * NULL without -L. */
static const char *name_log(const struct lowering *lowering, uint64_t waiting, uint64_t iteration,
                            const char *operation)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    double factor = (double)waiting / PPM;

    if (!lowering->config->latency)
        return NULL;
    return operation ? weir_arena_printf(arena, "%.2f-%" PRIu64 "-%s", factor, iteration, operation)
                     : weir_arena_printf(arena, "%.2f", factor);
}

/* The `number`-th cycle of each iteration. */
static struct weir_phase cycle_phase(const struct lowering *lowering, uint64_t number)
{
    static const enum weir_verb verbs[] = {WEIR_STAT, WEIR_READ_FILE, WEIR_UNLINK, WEIR_CREATE};
    const struct weir_mdworkbench_config *config = lowering->config;
    uint64_t count = (uint64_t)config->objects;
    uint64_t first = lowering->start + (config->read_only ? 0 : number * count);
    struct weir_phase phase = object_phase(lowering, WEIR_CYCLE, count, first);

    memcpy(phase.names.cycle, verbs, sizeof verbs);
    phase.names.cycle_count = config->read_only ? 2 : 4;
    phase.names.rotation.stride = (uint64_t)config->offset;
    phase.names.rotation.advance = config->read_only ? 0 : cycles_of(config) * count;
    phase.names.rotation.working_set = config->read_only ? 0 : (uint64_t)config->precreated;
    phase.names.must_verify = config->verify_read > 0 && config->object_bytes > 0;
    phase.stop.deadline_ns = config->deadline_ns;
    phase.stop.has_wear_out = config->wear_out && config->deadline_ns > 0;
    phase.think_ppm =
        config->adaptive_waiting ? waiting_ppm[number] : config->waiting_ns / NS_PER_PPM;
    phase.names.log_name = name_log(lowering, phase.think_ppm, 0, NULL);
    return phase;
}

static void lower_steps(const struct lowering *lowering)
{
    struct weir_step **steps = &lowering->base.test->steps;
    uint64_t precreated = (uint64_t)lowering->config->precreated;
    uint64_t iterations = (uint64_t)lowering->config->iterations;
    uint64_t waiting =
        lowering->config->adaptive_waiting ? 0 : lowering->config->waiting_ns / NS_PER_PPM;

    if (lowering->precreates) {
        struct weir_phase create = object_phase(lowering, WEIR_CREATE, precreated, lowering->start);

        create.names.log_name = name_log(lowering, waiting, 0, "precreate");
        add_phase(lowering, steps, directory_phase(WEIR_MKDIR));
        add_phase(lowering, steps, create);
    }
    if (lowering->measures && iterations > 0) {
        struct weir_step *repeat = weir_plan_add_repeat(lowering->base.plan, steps, iterations);

        lowering->base.test->repetitions = iterations;
        for (uint64_t i = 0; i < cycles_of(lowering->config); i++)
            add_phase(lowering, &repeat->body, cycle_phase(lowering, i));
    }
    if (lowering->cleans) {
        struct weir_phase removal = object_phase(lowering, WEIR_UNLINK, precreated, lowering->end);

        removal.names.log_name =
            name_log(lowering, waiting, lowering->measures ? iterations : 0, "cleanup");
        add_phase(lowering, steps, removal);
        add_phase(lowering, steps, directory_phase(WEIR_RMDIR));
    }
}

/* ---- the test, and its output ---- */

static void lower_limits(const struct lowering *lowering)
{
    struct weir_test *test = lowering->base.test;

    weir_lower_limits(&lowering->base);
    test->must_keep = !lowering->cleans;
    test->op_csv_prefix = lowering->config->latency;
    test->op_csv_is_of_first = test->op_csv_prefix && !lowering->config->latency_all;
    test->op_csv_is_of_all = test->op_csv_prefix && lowering->config->latency_all;
    test->tells_ranks = lowering->config->process_reports > 0;
    if (lowering->config->ignores_precreate_errors)
        test->goes_on_after_errors = true;
}

static int lower_output(const struct lowering *lowering,
                        const struct weir_mdworkbench_request *request)
{
    struct weir_output *output = &lowering->base.plan->output;
    const char *format = request->additions.summary_format;

    output->reporter = weir_lower_reporter(format, WEIR_MDWORKBENCH_REPORTER);
    output->summary_path = request->additions.summary_path;
    if (!lowering->cleans && has_objects(lowering)) {
        output->position_path = lowering->config->run_info_path;
        output->position = lowering->end;
        output->position_option = "--run-info-file";
        if (weir_run_info_check(output->position_path, lowering->base.place, lowering->base.error))
            return -EINVAL;
    }
    return weir_lower_output(output, &request->base, lowering->base.error);
}

int weir_mdworkbench_lower(struct weir_plan *plan, const struct weir_mdworkbench_request *request,
                           struct weir_error *error)
{
    const struct weir_mdworkbench_config *config = &request->config;
    bool is_told = config->runs_precreate || config->runs_benchmark || config->runs_cleanup;
    struct lowering lowering = {
        .base = {.plan = plan,
                 .test = weir_plan_add_test(plan),
                 .request = &request->base,
                 .place = request->base.parser.place,
                 .error = error},
        .config = config,
        .precreates = !is_told || config->runs_precreate,
        .measures = !is_told || config->runs_benchmark,
        .cleans = !is_told || config->runs_cleanup,
        .payload = weir_lower_payload(&request->base, config->data_packet_type, config->seed, -1),
    };

    if (weir_lower_backend(&lowering.base, config->api, WEIR_WORK_OBJECTS) ||
        weir_lower_load(&lowering.base, STANDARD_DEPTH) || check(&lowering) ||
        lower_place(&lowering) || lower_target(&lowering))
        return -EINVAL;
    lower_steps(&lowering);
    if (weir_lower_place(&lowering.base))
        return -EINVAL;
    remark(&lowering);
    lower_limits(&lowering);
    weir_lower_settings(&lowering.base, &weir_mdworkbench_option_set, config, NULL);
    return lower_output(&lowering, request);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of the words of parabench: which program, with which parameters and groups, and how
 * it is run. */
#include "options.h"

#include "common_lowering.h"
#include "language.h"
#include "time_words.h"

#include "weir/base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)
#define REMARK(lowering, ...) WEIR_REMARK(&(lowering)->base, __VA_ARGS__)

#define XML_PATH "results.xml" /* as the original calls it */

struct lowering {
    struct weir_lowering base;
    const struct weir_parabench_config *config;
    const struct weir_parabench_additions *additions;
    struct weir_program *program;
    uint64_t time_limit_ns;
    uint64_t think_ns;
};

/* ---- the program ---- */

/* The first word that sets no parameter. */
static int find_path(const struct lowering *lowering, const struct weir_parabench_request *request,
                     const char **path, const char **words)
{
    int count = 0;

    *path = NULL;
    for (int i = 0; i < request->word_count; i++)
        if (*path == NULL && strchr(request->words[i], '=') == NULL)
            *path = request->words[i];
        else
            words[count++] = request->words[i];
    if (*path == NULL)
        return REFUSE(lowering, "the program is missing: weir parabench [options] FILE.pbl "
                                "[name=value ...]");
    return count;
}

static int load(const struct lowering *lowering, const char *path, const char **text)
{
    struct weir_text whole = {0};
    FILE *file = fopen(path, "re");
    int code = file != NULL ? weir_text_add_file(&whole, file, SIZE_MAX) : -errno;

    if (code != 0)
        weir_error_set(lowering->base.error, WEIR_EXIT_ENVIRONMENT, code, lowering->base.place,
                       "%s: %s", path, strerror(-code));
    else if (weir_text_zero_line(&whole) != 0)
        REFUSE(lowering, "%s:%zu: is no text: there is a zero byte in this line", path,
               weir_text_zero_line(&whole));
    else
        *text = weir_arena_copy(&lowering->base.plan->arena, weir_text_string(&whole));
    weir_text_close(&whole);
    return lowering->base.error->code;
}

/* ---- groups ---- */

/* A line each: NAME or NAME:SIZE. */
static int read_sizes(const struct lowering *lowering, struct weir_pbl_job *job)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    const char *list = lowering->config->groups != NULL ? lowering->config->groups : "";
    struct weir_pbl_group_size *size = weir_arena_take(arena, (strlen(list) + 1) * sizeof *size);

    job->sizes = size;
    for (; *list != '\0'; size++, job->size_count++) {
        size_t length = strcspn(list, "\n");
        char *typed = weir_arena_printf(arena, "%.*s", (int)length, list);
        char *colon = strrchr(typed, ':');

        list += length + (list[length] == '\n');
        size->name = typed;
        if (colon == NULL)
            continue;
        *colon = '\0';
        if (weir_size_parse(colon + 1, &size->size) || size->size > WEIR_PLAN_RANKS_MAX)
            return REFUSE(lowering, "-g: \"%s:%s\": that is no number of ranks; give NAME:SIZE",
                          typed, colon + 1);
    }
    return 0;
}

static bool has_group(const struct weir_program *program, const char *name)
{
    for (unsigned i = 0; i < program->group_count; i++)
        if (strcmp(program->groups[i].name, name) == 0)
            return true;
    return false;
}

/* The original skips the blocks of all groups without a size, and says so among much else. */
static int check_groups(const struct lowering *lowering, const struct weir_pbl_job *job)
{
    const struct weir_program *program = lowering->program;
    struct weir_text missing = {0};
    unsigned count = 0;

    for (size_t i = 0; i < job->size_count; i++)
        if (!has_group(program, job->sizes[i].name))
            return REFUSE(lowering, "-g: the program defines no group \"%s\"", job->sizes[i].name);
    for (unsigned i = 0; i < program->group_count; i++)
        if (program->groups[i].size == 0) {
            count++;
            weir_text_add(&missing, " -g %s:SIZE", program->groups[i].name);
        }
    if (count > 0 && count == program->group_count)
        REFUSE(lowering,
               "-g: no group of the program has ranks, and all of their blocks would be skipped; "
               "give%s",
               weir_text_string(&missing));
    weir_text_close(&missing);
    return lowering->base.error->code;
}

/* ---- how it is run ---- */

static int lower_on_error(const struct lowering *lowering)
{
    const char *typed = lowering->additions->on_error;
    struct weir_program *program = lowering->program;
    int64_t limit = 1;

    if (strcmp(typed, "continue") == 0)
        return 0;
    if (strcmp(typed, "stop") != 0 && (weir_integer_parse(typed, &limit) || limit < 1))
        return REFUSE(lowering,
                      "--on-error: \"%s\" is neither continue nor stop nor a number of failed "
                      "calls",
                      typed);
    program->on_error = WEIR_ON_ERROR_STOP;
    program->error_limit = (uint64_t)limit;
    return 0;
}

static int lower_seed(const struct lowering *lowering)
{
    const char *typed = lowering->additions->seed;
    int64_t seed;

    if (typed == NULL)
        return 0;
    if (weir_integer_parse(typed, &seed) || seed < 0)
        return REFUSE(lowering, "--seed: \"%s\" is no whole number from 0 on", typed);
    lowering->program->seed_is_given = true;
    lowering->program->seed = (uint64_t)seed;
    return 0;
}

static bool writes_data(const struct weir_statement *statements)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next)
        if ((at->kind == WEIR_DO_CALL && weir_calls[at->call].moves_data &&
             weir_calls[at->call].writes) ||
            writes_data(at->body) || writes_data(at->otherwise))
            return true;
    return false;
}

/* Data of another run are known by its seed alone. */
static int check_seed(const struct lowering *lowering)
{
    const struct weir_program *program = lowering->program;

    if (!program->must_verify || program->seed_is_given || lowering->config->is_dry ||
        writes_data(program->statements))
        return 0;
    return REFUSE(lowering, "--verify: the program writes no data, and those of another run are "
                            "known by its seed: give --seed N in both runs, or leave it out");
}

static int read_time(const struct lowering *lowering, const char *option, const char *text,
                     uint64_t *ns)
{
    return text == NULL
               ? 0
               : weir_time_read(option, text, lowering->base.place, lowering->base.error, ns);
}

/* Rank 0 and the result hold the events of all ranks: without a wish for them, no more are kept
 * than the two lists of the text report print. */
static uint64_t event_limit(const struct lowering *lowering)
{
    enum { LISTED = 2000, ASKED_FOR = 100000 };
    const bool are_asked_for = lowering->config->exports || lowering->config->is_silent;

    if (lowering->additions->event_limit >= 0)
        return (uint64_t)lowering->additions->event_limit;
    return are_asked_for ? ASKED_FOR : LISTED;
}

static int lower_terms(struct lowering *lowering)
{
    struct weir_program *program = lowering->program;

    program->skips_calls = lowering->config->is_dry;
    program->skips_sleeps = lowering->config->is_agile;
    program->waits_for_signal = lowering->config->waits;
    program->must_verify = lowering->additions->must_verify;
    program->event_limit = event_limit(lowering);
    program->largest_bytes = weir_pbl_largest_bytes(program);
    if (lower_on_error(lowering) || lower_seed(lowering) || check_seed(lowering) ||
        read_time(lowering, "--time-limit", lowering->additions->time_limit,
                  &lowering->time_limit_ns) ||
        read_time(lowering, "--think", lowering->additions->think, &lowering->think_ns))
        return -EINVAL;
    if (lowering->additions->is_anywhere && lowering->additions->roots != NULL)
        return REFUSE(lowering, "--root: with --anywhere, any directory will do; leave one out");
    return lowering->additions->is_anywhere
               ? 0
               : weir_pbl_set_roots(&lowering->base, program, lowering->additions->roots);
}

/* ---- words of all dialects that a program has no use for ---- */

static int check_common(const struct lowering *lowering)
{
    const struct weir_common_words *common = &lowering->base.request->common;

    const struct {
        bool is_given;
        const char *sentence;
    } refused[] = {
        {common->data != NULL, "--data: programs write zeros, or what proves its place with "
                               "--verify"},
        {common->depth != NULL && strcmp(common->depth, "1") != 0,
         "--depth: the statements of a rank follow one another, and start one call at a time"},
        {common->is_direct, "--direct: a program says which files pass the page cache: dread, "
                            "dwrite, or O_DIRECT in the mode of fopen"},
        {strcmp(common->cache_drop, "none") != 0,
         "--drop-caches: a program reads and writes in one phase; run one that writes, and then "
         "one that reads, with the page cache emptied in between"},
        {common->must_fit, "--must-fit: how much a program writes is not known before it has run"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].is_given)
            return REFUSE(lowering, "%s; leave it out", refused[i].sentence);
    if (common->may_overwrite)
        REMARK(lowering, "--overwrite: a program may overwrite and remove what is in its roots: "
                         "it changes nothing");
    return 0;
}

static int check_rate(struct lowering *lowering)
{
    const struct weir_common_words *common = &lowering->base.request->common;
    struct weir_rate *rate = &lowering->base.load.rate;

    if (rate->arrivals == WEIR_ARRIVALS_CLOSED)
        return 0;
    if (rate->is_in_bytes)
        return REFUSE(lowering,
                      "--rate: \"%s\" is a rate of bytes, and many calls move none; give calls per "
                      "second of each rank, such as 100",
                      common->rate);
    if (rate->arrivals == WEIR_ARRIVALS_POISSON)
        return REFUSE(lowering, "--arrivals: calls of a program are due at equal distances; leave "
                                "it out");
    if (common->rate_of != NULL && !rate->is_per_rank)
        return REFUSE(lowering, "--rate-of: the rate of a program is that of each rank, for ranks "
                                "do not do the same; leave it out");
    rate->is_per_rank = true;
    return 0;
}

static void remark(const struct lowering *lowering)
{
    if (lowering->config->cleans)
        REMARK(lowering, "-c: nothing is removed but what the program says, as with the original");
    if (lowering->config->exports && lowering->config->is_dry)
        REMARK(lowering, "-e: with -d there is no " XML_PATH ", as with the original");
    if (lowering->config->is_dry && lowering->program->must_verify)
        REMARK(lowering, "--verify: with -d nothing is read: it changes nothing");
}

/* ---- the test, and its output ---- */

static void lower_phase(const struct lowering *lowering)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    struct weir_target *target = weir_arena_take(arena, sizeof *target);
    const char **paths = weir_arena_take(arena, sizeof *paths);
    struct weir_phase phase = {
        .verb = WEIR_PROGRAM,
        .target = target,
        .depth = 1,
        .stop.deadline_ns = lowering->time_limit_ns,
        .think_ns = lowering->think_ns,
        .rate = lowering->base.load.rate,
        .program = lowering->program,
    };

    paths[0] = lowering->program->root_count > 0 ? lowering->program->roots[0] : ".";
    *target = (struct weir_target){.paths = paths, .path_count = 1, .is_shared = true};
    weir_plan_add_phase(lowering->base.plan, lowering->base.test, &lowering->base.test->steps,
                        &phase);
}

static void lower_settings(const struct lowering *lowering)
{
    struct weir_test *test = lowering->base.test;
    struct weir_setting *settings =
        weir_arena_take(&lowering->base.plan->arena, 2 * sizeof *settings);

    if ((lowering->config->exports || lowering->config->is_silent) && !lowering->config->is_dry)
        settings[test->setting_count++] = (struct weir_setting){WEIR_PARABENCH_XML, XML_PATH};
    if (lowering->config->is_silent)
        settings[test->setting_count++] = (struct weir_setting){WEIR_PARABENCH_SILENT, "1"};
    test->settings = settings;
    weir_lower_limits(&lowering->base);
    test->must_keep = true;
    test->goes_on_after_errors = lowering->program->on_error == WEIR_ON_ERROR_CONTINUE;
}

static int lower_output(const struct lowering *lowering)
{
    struct weir_output *output = &lowering->base.plan->output;
    const char *format = lowering->additions->summary_format;
    int failure;

    output->reporter = weir_lower_reporter(format, WEIR_PARABENCH_REPORTER);
    output->summary_path = lowering->additions->summary_path;
    failure = weir_lower_output(output, lowering->base.request, lowering->base.error);
    output->is_plain |= lowering->config->is_silent != 0;
    return failure;
}

/* The program with its parameters and groups. */
static int lower_program(const struct lowering *lowering,
                         const struct weir_parabench_request *request)
{
    struct weir_plan *plan = lowering->base.plan;
    const char **words =
        weir_arena_take(&plan->arena, ((size_t)request->word_count + 1) * sizeof *words);
    struct weir_pbl_job job = {0};
    int count = find_path(lowering, request, &job.path, words);
    uint64_t begun_ns = weir_clock_kernel_ns();

    if (count < 0 || load(lowering, job.path, &job.text) || read_sizes(lowering, &job) ||
        weir_pbl_compile(&lowering->base, &job, lowering->program))
        return -EINVAL;
    lowering->program->parse_ns = weir_clock_kernel_ns() - begun_ns;
    plan->source.script = job.text;
    if (check_groups(lowering, &job))
        return -EINVAL;
    if (weir_pbl_set_parameters(&lowering->base, lowering->program, count, words))
        return -EINVAL;
    if (weir_pbl_check_numbers(&lowering->base, lowering->program))
        return -EINVAL;
    return weir_pbl_check_handles(&lowering->base, lowering->program);
}

int weir_parabench_lower(struct weir_plan *plan, const struct weir_front_request *base,
                         struct weir_error *error)
{
    const struct weir_parabench_request *request = (const struct weir_parabench_request *)base;
    struct lowering lowering = {
        .base = {.plan = plan,
                 .test = weir_plan_add_test(plan),
                 .request = base,
                 .place = base->parser.place,
                 .error = error},
        .config = &request->config,
        .additions = &request->additions,
        .program = weir_arena_take(&plan->arena, sizeof *lowering.program),
    };

    if (weir_lower_backend(&lowering.base, request->additions.backend, WEIR_WORK_CALLS) ||
        check_common(&lowering) || weir_lower_load(&lowering.base, 1) || check_rate(&lowering) ||
        lower_program(&lowering, request) || lower_terms(&lowering))
        return -EINVAL;
    lower_phase(&lowering);
    if (weir_lower_place(&lowering.base))
        return -EINVAL;
    remark(&lowering);
    lower_settings(&lowering);
    return lower_output(&lowering);
}

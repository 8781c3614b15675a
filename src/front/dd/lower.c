/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of dd's operands: which file, how much of it, and what goes with it. */
#include "options.h"

#include "common_lowering.h"

#include "weir/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)
#define STANDARD_BYTES 512

struct lowering {
    struct weir_lowering base;
    const struct weir_dd_operands *operands;
    bool writes;
    const char *path;
    uint64_t block_bytes; /* dd's block: our transfer */
    uint64_t count;       /* of each rank */
};

/* ---- which way ---- */

static bool is_source(const char *path)
{
    return strcmp(path, "/dev/zero") == 0 || strcmp(path, "/dev/urandom") == 0 ||
           strcmp(path, "/dev/random") == 0;
}

static int lower_direction(struct lowering *lowering)
{
    const char *input = lowering->operands->input, *output = lowering->operands->output;
    const char *count = lowering->operands->count;
    bool has_nocache = weir_dd_list_has(lowering->operands->iflag, "nocache") ||
                       weir_dd_list_has(lowering->operands->oflag, "nocache");

    if (has_nocache && count && strcmp(count, "0") == 0)
        return REFUSE(lowering,
                      "count=0 with nocache: nothing is moved, and a file is not dropped from the "
                      "page cache by a run of its own: give --drop-caches files to the read, as "
                      "every command here takes it");
    if (!input || !output)
        return REFUSE(lowering,
                      "%s= is missing: standard %s is not measured; give if=/dev/zero of=FILE to "
                      "write, or if=FILE of=/dev/null to read",
                      input ? "of" : "if", input ? "output" : "input");
    lowering->writes = is_source(input);
    lowering->path = lowering->writes ? output : input;
    if (lowering->writes && strcmp(output, "/dev/null") == 0)
        return REFUSE(lowering, "of=/dev/null: nothing is stored and nothing is read; name a file "
                                "in if= or in of=");
    if (!lowering->writes && strcmp(output, "/dev/null") != 0)
        return REFUSE(lowering,
                      "if=%.200s of=%.200s: a copy is not measured, for reads and writes would "
                      "hide each other; give of=/dev/null to read, or if=/dev/zero to write",
                      input, output);
    return 0;
}

/* ---- how much ---- */

/* `number` stays as it is if the operand is not given. */
static int read_number(const struct lowering *lowering, const char *operand, const char *text,
                       struct weir_dd_number *number)
{
    return text ? weir_dd_number_read(operand, text, number, lowering->base.error) : 0;
}

/* bs goes before the other two. */
static int lower_block(struct lowering *lowering)
{
    const struct weir_dd_operands *operands = lowering->operands;
    struct weir_dd_number bs = {STANDARD_BYTES, false}, ibs = bs, obs = bs;
    bool is_given = operands->bs != NULL;

    if (read_number(lowering, "bs", operands->bs, &bs) ||
        read_number(lowering, "ibs", operands->ibs, &ibs) ||
        read_number(lowering, "obs", operands->obs, &obs))
        return -EINVAL;
    if (!is_given && ibs.value != obs.value)
        return REFUSE(lowering,
                      "ibs=%" PRIu64 " and obs=%" PRIu64 ": blocks have one size here; give bs=",
                      ibs.value, obs.value);
    lowering->block_bytes = is_given ? bs.value : ibs.value;
    if (lowering->block_bytes == 0)
        return REFUSE(lowering, "%s=%s: blocks of no bytes; give more", is_given ? "bs" : "ibs",
                      is_given ? operands->bs : operands->ibs);
    return 0;
}

static int lower_count(struct lowering *lowering)
{
    const char *text = lowering->operands->count;
    struct weir_dd_number count = {0};
    uint64_t bytes;

    if (!text)
        return REFUSE(lowering,
                      "count= is missing: each rank must know how much it does; give the "
                      "blocks of each rank, or its bytes with a B behind them, such as 64MB");
    if (read_number(lowering, "count", text, &count))
        return -EINVAL;
    if (count.is_in_bytes && count.value % lowering->block_bytes != 0)
        return REFUSE(lowering,
                      "count=%s: that is no whole number of blocks of %" PRIu64
                      " bytes; give a multiple of bs",
                      text, lowering->block_bytes);
    lowering->count = count.is_in_bytes ? count.value / lowering->block_bytes : count.value;
    if (lowering->count == 0)
        return REFUSE(lowering, "count=%s: there is nothing to do; give at least 1", text);
    if (__builtin_mul_overflow(lowering->count, lowering->block_bytes, &bytes) || bytes > INT64_MAX)
        return REFUSE(lowering, "count=%s: blocks of %" PRIu64 " bytes are more than 8 EiB", text,
                      lowering->block_bytes);
    return 0;
}

static int check_place(const struct lowering *lowering, const char *operand, const char *text)
{
    struct weir_dd_number blocks = {0};

    if (read_number(lowering, operand, text, &blocks))
        return -EINVAL;
    if (blocks.value != 0)
        return REFUSE(lowering,
                      "%s=%s: each rank begins where its part of the file does, which is block 0 "
                      "of a file of its own; leave it out",
                      operand, text);
    return 0;
}

/* ---- lists ---- */

struct word {
    const char *name;    /* NULL ends a list */
    const char *refusal; /* NULL: taken */
};

#define NO_COPY "data are made and not copied: leave it out"
#define NO_USE "it changes nothing that is measured: leave it out"

static const struct word read_flags[] = {
    {"direct", NULL},
    {"fullblock", NULL},
    {"nocache", "ask for an empty page cache before the read: --drop-caches files"},
    {"dsync", "a read syncs nothing: leave it out"},
    {"sync", "a read syncs nothing: leave it out"},
    {"count_bytes", "give count= with a B behind the bytes"},
    {"skip_bytes", "each rank begins where its part does: leave it out"},
    {"append", "nothing is written: leave it out"},
    {"directory", "a directory is not read: leave it out"},
    {"nonblock", NO_USE},
    {"noatime", NO_USE},
    {"noctty", NO_USE},
    {"nofollow", NO_USE},
    {0},
};

static const struct word write_flags[] = {
    {"direct", NULL},
    {"dsync", NULL},
    {"sync", NULL},
    {"append", "each rank writes its part from the beginning: leave it out"},
    {"nocache", "have the data past the page cache with oflag=direct, or written back with "
                "conv=fsync"},
    {"seek_bytes", "each rank begins where its part does: leave it out"},
    {"fullblock", "it is a flag of if=, where it changes nothing: leave it out"},
    {"directory", "a directory is not written: leave it out"},
    {"nonblock", NO_USE},
    {"noatime", NO_USE},
    {"noctty", NO_USE},
    {"nofollow", NO_USE},
    {0},
};

static const struct word source_flags[] = {
    {"fullblock", NULL},
    {"direct", "nothing is read from a file: give oflag=direct"},
    {"count_bytes", "give count= with a B behind the bytes"},
    {0},
};

static const struct word no_flags[] = {{0}};

static const struct word conversions[] = {
    {"fsync", NULL},
    {"fdatasync", NULL},
    {"notrunc", NULL},
    {"excl", "files that no benchmark made are refused in any case: leave it out"},
    {"nocreat", "a write makes its file: leave it out"},
    {"noerror", "give --on-error continue, which counts what fails and goes on"},
    {"sparse", "nothing is left out of what is written: leave it out"},
    {"sync", NO_COPY},
    {"ascii", NO_COPY},
    {"ebcdic", NO_COPY},
    {"ibm", NO_COPY},
    {"block", NO_COPY},
    {"unblock", NO_COPY},
    {"lcase", NO_COPY},
    {"ucase", NO_COPY},
    {"swab", NO_COPY},
    {0},
};

static int check_word(const struct lowering *lowering, const char *operand, const char *text,
                      size_t length, const struct word *words)
{
    struct weir_text taken = {0};

    for (const struct word *word = words; word->name; word++) {
        if (strlen(word->name) == length && strncmp(word->name, text, length) == 0)
            return word->refusal ? REFUSE(lowering, "%s=%s: %s", operand, word->name, word->refusal)
                                 : 0;
        if (!word->refusal)
            weir_text_add(&taken, "%s%s", taken.length > 0 ? ", " : "", word->name);
    }
    REFUSE(lowering, "%s=%.*s: there is no such word for a %s; %s%s", operand, (int)length, text,
           lowering->writes ? "write" : "read", taken.length > 0 ? "there are " : "leave it out",
           weir_text_string(&taken));
    weir_text_close(&taken);
    return -EINVAL;
}

static int check_list(const struct lowering *lowering, const char *operand, const char *list,
                      const struct word *words)
{
    int status = 0;

    while (!status && list && *list != '\0') {
        size_t length = strcspn(list, ",");

        status = check_word(lowering, operand, list, length, words);
        list += length + (list[length] == ',');
    }
    return status;
}

static int check_lists(const struct lowering *lowering)
{
    const struct weir_dd_operands *operands = lowering->operands;

    if (check_list(lowering, "iflag", operands->iflag,
                   lowering->writes ? source_flags : read_flags) ||
        check_list(lowering, "oflag", operands->oflag, lowering->writes ? write_flags : no_flags) ||
        check_list(lowering, "conv", operands->conv, lowering->writes ? conversions : no_flags))
        return -EINVAL;
    return 0;
}

/* ---- where ---- */

/* As exact names have it (plan.h). */
static bool has_number(const char *path)
{
    for (const char *at = path; (at = strchr(at, '%')) != NULL; at += 2) {
        if (at[1] == 'r')
            return true;
        if (at[1] == '\0')
            break;
    }
    return false;
}

/* With %R for %r, all ranks would share a file in silence. A name may hold such a sign. */
static void remark_pattern(const struct lowering *lowering)
{
    const char *at = lowering->path;

    while ((at = strchr(at, '%')) != NULL && !isalpha((unsigned char)at[1]))
        at += at[1] == '%' ? 2 : 1;
    if (at != NULL)
        WEIR_REMARK(&lowering->base,
                    "%%%c in %.200s is no pattern: all ranks share one file of that name; %%r is "
                    "the number of the rank",
                    at[1], lowering->path);
}

static bool is_device(const char *path)
{
    return weir_text_begins(path, "/dev/") && !weir_text_begins(path, "/dev/shm/");
}

/* A slip in of= must not cost a disk. */
static int check_device(const struct lowering *lowering)
{
    const char *device = ((const struct weir_dd_request *)lowering->base.request)->additions.device;

    if (lowering->writes && is_device(lowering->path) && !device)
        return REFUSE(lowering,
                      "of=%s: all data on the device would be lost; --device allow permits that",
                      lowering->path);
    if (device && !is_device(lowering->path))
        return REFUSE(lowering, "--device: %s is no device; leave it out", lowering->path);
    lowering->base.test->may_take_used_device = device && strcmp(device, "force") == 0;
    return 0;
}

static const struct weir_target *lower_target(const struct lowering *lowering)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    struct weir_target *target = weir_arena_take(arena, sizeof *target);
    const char **paths = weir_arena_take(arena, sizeof *paths);

    paths[0] = weir_arena_copy(arena, lowering->path);
    *target = (struct weir_target){.paths = paths,
                                   .path_count = 1,
                                   .has_exact_names = has_number(lowering->path),
                                   .is_shared = !has_number(lowering->path),
                                   .file_mode = 0666, /* as of any program's redirection */
                                   .is_device = is_device(lowering->path)};
    return target;
}

/* "round-robin", "packed", or a list of hosts. */
static int lower_rank_order(const struct lowering *lowering, const char *text)
{
    struct weir_rank_order *order = &lowering->base.plan->rank_order;
    struct weir_arena *arena = &lowering->base.plan->arena;
    const char **hosts;

    if (!text)
        return 0;
    if (strcmp(text, "round-robin") == 0 || strcmp(text, "packed") == 0) {
        order->kind = text[0] == 'r' ? WEIR_RANKS_ROUND_ROBIN : WEIR_RANKS_PACKED;
        return 0;
    }
    hosts = weir_arena_take(arena, (strlen(text) + 1) * sizeof *hosts);
    *order = (struct weir_rank_order){.kind = WEIR_RANKS_LISTED, .hosts = hosts};
    for (const char *rest = text; *rest != '\0';) {
        size_t length = strcspn(rest, ",");

        if (length == 0)
            return REFUSE(lowering, "--rank-order: the list \"%s\" has an empty name", text);
        hosts[order->host_count++] = weir_arena_printf(arena, "%.*s", (int)length, rest);
        rest += length + (rest[length] == ',');
    }
    return 0;
}

/* ---- the test ---- */

static void add_phase(const struct lowering *lowering)
{
    const struct weir_dd_operands *operands = lowering->operands;
    const char *pattern =
        lowering->writes && strcmp(operands->input, "/dev/zero") != 0 ? "random" : "timestamp";
    struct weir_phase phase = {
        .verb = lowering->writes ? WEIR_WRITE : WEIR_READ,
        .target = lower_target(lowering),
        .depth = lowering->base.load.depth,
        .must_find_depth = lowering->base.load.must_find_depth,
        .rate = lowering->base.load.rate,
        .transfers = {.layout = {.segment_count = 1,
                                 .block_bytes = lowering->block_bytes * lowering->count,
                                 .transfer_bytes = lowering->block_bytes},
                      .payload = weir_lower_payload(lowering->base.request, pattern, -1, -1),
                      .batch = 1},
    };

    if (lowering->writes) {
        phase.transfers.must_replace =
            !weir_dd_list_has(operands->conv, "notrunc") && !phase.target->is_device;
        phase.transfers.must_sync_at_end = weir_dd_list_has(operands->conv, "fsync") ||
                                           weir_dd_list_has(operands->conv, "fdatasync");
        phase.transfers.must_sync_each =
            weir_dd_list_has(operands->oflag, "dsync") || weir_dd_list_has(operands->oflag, "sync");
    }
    weir_plan_add_phase(lowering->base.plan, lowering->base.test, &lowering->base.test->steps,
                        &phase);
}

static int lower_output(const struct lowering *lowering, const struct weir_dd_request *request)
{
    struct weir_output *output = &lowering->base.plan->output;
    const char *format = request->additions.summary_format;

    output->reporter = weir_lower_reporter(format, WEIR_DD_REPORTER);
    output->summary_path = request->additions.summary_path;
    return weir_lower_output(output, &request->base, lowering->base.error);
}

int weir_dd_lower(struct weir_plan *plan, const struct weir_dd_request *request,
                  struct weir_error *error)
{
    struct lowering lowering = {
        .base = {.plan = plan,
                 .test = weir_plan_add_test(plan),
                 .request = &request->base,
                 .place = request->base.parser.place,
                 .error = error},
        .operands = &request->operands,
    };

    if (lower_direction(&lowering) || check_device(&lowering) || lower_block(&lowering) ||
        lower_count(&lowering) || check_place(&lowering, "skip", request->operands.skip) ||
        check_place(&lowering, "seek", request->operands.seek) || check_lists(&lowering) ||
        weir_lower_backend(&lowering.base, request->additions.api, WEIR_WORK_FILES) ||
        weir_lower_load(&lowering.base, 1) ||
        lower_rank_order(&lowering, request->additions.rank_order))
        return -EINVAL;
    add_phase(&lowering);
    if (!has_number(lowering.path))
        remark_pattern(&lowering);
    if (weir_lower_place(&lowering.base))
        return -EINVAL;
    weir_lower_limits(&lowering.base);
    lowering.base.test->must_keep = true;
    lowering.base.test->tells_ranks = request->additions.each_rank > 0;
    weir_lower_settings(&lowering.base, &weir_dd_operand_set, &request->operands, NULL);
    return lower_output(&lowering, request);
}

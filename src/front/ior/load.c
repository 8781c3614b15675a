/* SPDX-License-Identifier: Apache-2.0 */
/* Depth, batch and rate: how much the words ask of the storage at once. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --depth auto searches up to this, and up to N as auto:N. */
#define SEARCH_DEPTH 256
#define PENDING_MIN 8 /* IOR's */

#define REFUSE(lowering, ...) weir_error_usage((lowering)->error, (lowering)->place, __VA_ARGS__)

/* ---- what the backend does by itself ---- */

static bool is_aio(const struct weir_ior_lowering *lowering)
{
    return strcmp(lowering->loop->name, "libaio") == 0;
}

/* Whether one of IOR's words has another value than when it is left out. */
static bool is_given(const struct weir_ior_lowering *lowering, const char *name)
{
    return weir_options_is_changed(weir_options_find(weir_ior_option_set.rows, name),
                                   lowering->ior);
}

static unsigned standard_depth(const struct weir_ior_lowering *lowering)
{
    if (is_aio(lowering))
        return (unsigned)lowering->ior->aio_max_pending;
    return lowering->loop->standard_depth > 0 ? lowering->loop->standard_depth : 1;
}

static unsigned standard_batch(const struct weir_ior_lowering *lowering)
{
    if (is_aio(lowering))
        return (unsigned)lowering->ior->aio_granularity;
    return lowering->loop->standard_batch > 0 ? lowering->loop->standard_batch : 1;
}

static void remark_unused(const struct weir_ior_lowering *lowering, const char *name)
{
    if (is_given(lowering, name))
        weir_plan_add_remark(lowering->plan, lowering->test,
                             "--%s: an option of backend AIO, and this test uses %s: it changes "
                             "nothing; use --depth and --batch",
                             name, lowering->test->label);
}

/* IOR's own rules for its backend AIO, which hold for no other. */
static int check_aio(const struct weir_ior_lowering *lowering)
{
    int64_t pending = lowering->ior->aio_max_pending;
    int64_t granularity = lowering->ior->aio_granularity;

    if (!is_aio(lowering)) {
        remark_unused(lowering, "aio.max-pending");
        remark_unused(lowering, "aio.granularity");
        return 0;
    }
    if (pending < PENDING_MIN || pending > WEIR_PLAN_DEPTH_MAX)
        return REFUSE(lowering,
                      "aio.max-pending: %" PRId64 " transfers in flight; give %d to %d, or --depth",
                      pending, PENDING_MIN, WEIR_PLAN_DEPTH_MAX);
    if (is_given(lowering, "aio.granularity") && (granularity < 1 || granularity > pending))
        return REFUSE(lowering,
                      "aio.granularity: %" PRId64 " transfers at once; give 1 to as many as "
                      "aio.max-pending, %" PRId64,
                      granularity, pending);
    return 0;
}

/* ---- depth ---- */

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool is_search(const char *depth)
{
    return strncasecmp(depth, "auto", strlen("auto")) == 0 && (depth[4] == '\0' || depth[4] == ':');
}

static int read_depth(const struct weir_ior_lowering *lowering, struct weir_ior_load *load)
{
    const char *depth = lowering->request->additions.depth;
    const char *number = depth;
    int64_t value = SEARCH_DEPTH;

    load->must_find_depth = is_search(depth);
    if (load->must_find_depth)
        number = depth[4] == ':' ? depth + 5 : NULL;
    if (number && weir_integer_parse(number, &value))
        return REFUSE(lowering, "--depth: \"%s\" is neither a number nor auto nor auto:NUMBER",
                      depth);
    if (value < 1 || value > WEIR_PLAN_DEPTH_MAX)
        return REFUSE(lowering, "--depth: %" PRId64 " transfers in flight; give 1 to %d", value,
                      WEIR_PLAN_DEPTH_MAX);
    load->depth = (unsigned)value;
    return 0;
}

static int lower_depth(const struct weir_ior_lowering *lowering, struct weir_ior_load *load)
{
    const char *depth = lowering->request->additions.depth;

    load->depth = standard_depth(lowering);
    if (depth && read_depth(lowering, load))
        return -EINVAL;
    if (depth && is_aio(lowering) && is_given(lowering, "aio.max-pending") &&
        (load->must_find_depth || load->depth != standard_depth(lowering)))
        return REFUSE(lowering,
                      "--depth: %s contradicts aio.max-pending, which says %u; leave one of the "
                      "two out",
                      depth, standard_depth(lowering));
    load->steady_depth = load->depth;
    if (load->must_find_depth)
        load->steady_depth = least_of(standard_depth(lowering), load->depth);
    return 0;
}

/* ---- batch ---- */

static int lower_batch(const struct weir_ior_lowering *lowering, struct weir_ior_load *load)
{
    int64_t batch = lowering->request->additions.batch;
    bool is_theirs = is_aio(lowering) && is_given(lowering, "aio.granularity");

    if (batch > 0 && is_theirs && batch != lowering->ior->aio_granularity)
        return REFUSE(lowering,
                      "--batch: %" PRId64 " contradicts aio.granularity, which says %" PRId64
                      "; leave one of the two out",
                      batch, lowering->ior->aio_granularity);
    if (batch == 0)
        batch = standard_batch(lowering);
    if (batch > load->depth && (lowering->request->additions.batch > 0 || is_theirs))
        return REFUSE(lowering,
                      "%s: %" PRId64 " transfers at once are more than the %u that are in flight; "
                      "give fewer, or a greater --depth",
                      is_theirs ? "aio.granularity" : "--batch", batch, load->depth);
    load->batch = least_of((unsigned)batch, load->depth);
    load->steady_batch = least_of((unsigned)batch, load->steady_depth);
    return 0;
}

/* ---- rate ---- */

/* "1e9" and "20000.5": a number without a unit, in decimal. */
static bool is_plain_number(const char *text)
{
    char *end = NULL;

    strtod(text, &end);
    return text[0] != '\0' && text[strspn(text, "0123456789.eE+")] == '\0' && *end == '\0';
}

static int read_rate(const struct weir_ior_lowering *lowering, struct weir_rate *rate)
{
    const char *typed = lowering->request->additions.rate;
    size_t length = strlen(typed);
    bool says_per_s = length > 2 && strcasecmp(typed + length - 2, "/s") == 0;
    const char *text = weir_arena_printf(&lowering->plan->arena, "%.*s",
                                         (int)(says_per_s ? length - 2 : length), typed);
    uint64_t bytes;

    rate->is_in_bytes = !is_plain_number(text);
    if (!rate->is_in_bytes)
        rate->per_s = strtod(text, NULL);
    else if (text[strspn(text, "0123456789.")] != '\0' && weir_size_parse(text, &bytes) == 0)
        rate->per_s = (double)bytes;
    else
        return REFUSE(lowering,
                      "--rate: \"%s\" is no rate; give transfers per second, such as 20000, or "
                      "bytes per second with a unit, such as 200m",
                      typed);
    if (!isfinite(rate->per_s))
        return REFUSE(lowering, "--rate: \"%s\" is out of range", typed);
    if (rate->per_s == 0.0)
        return REFUSE(lowering,
                      "--rate: at a rate of 0 nothing is ever due; give more, or leave it "
                      "out");
    return 0;
}

static int check_rate(const struct weir_ior_lowering *lowering)
{
    if (lowering->is_collective)
        return REFUSE(lowering,
                      "--rate: collective transfers wait for each other, and none can have "
                      "a time of its own; leave -c or --rate out");
    if (lowering->ior->inter_io_delay_ns > 0)
        return REFUSE(lowering, "--rate: transfers come at times, and interIODelay would have them "
                                "come after pauses; leave one of the two out");
    if (lowering->load.must_find_depth)
        return REFUSE(lowering,
                      "--rate: --depth auto looks for the depth of a load without a rate; "
                      "give a number, or leave --rate out");
    return 0;
}

static int lower_rate(const struct weir_ior_lowering *lowering, struct weir_rate *rate)
{
    const struct weir_ior_additions *additions = &lowering->request->additions;

    if (!additions->rate && (additions->rate_of || additions->arrivals))
        return REFUSE(lowering, "--%s: there is no rate; give --rate, or leave it out",
                      additions->rate_of ? "rate-of" : "arrivals");
    if (!additions->rate)
        return 0;
    if (read_rate(lowering, rate) || check_rate(lowering))
        return -EINVAL;
    rate->is_per_rank = additions->rate_of && strcmp(additions->rate_of, "rank") == 0;
    rate->arrivals = additions->arrivals && strcmp(additions->arrivals, "poisson") == 0
                         ? WEIR_ARRIVALS_POISSON
                         : WEIR_ARRIVALS_CONSTANT;
    return 0;
}

int weir_ior_lower_load(struct weir_ior_lowering *lowering)
{
    struct weir_ior_load *load = &lowering->load;

    if (check_aio(lowering) || lower_depth(lowering, load) || lower_batch(lowering, load) ||
        lower_rate(lowering, &load->rate))
        return -EINVAL;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How much IOR's own words ask of the storage at once, and what goes with --depth and --rate. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PENDING_MIN 8 /* IOR's */

#define REFUSE(lowering, ...)                                                                      \
    weir_error_usage((lowering)->base.error, (lowering)->base.place, __VA_ARGS__)

/* ---- what the backend does by itself ---- */

static bool is_aio(const struct weir_ior_lowering *lowering)
{
    return strcmp(lowering->base.loop->name, "libaio") == 0;
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
    return lowering->base.loop->standard_depth > 0 ? lowering->base.loop->standard_depth : 1;
}

static unsigned standard_batch(const struct weir_ior_lowering *lowering)
{
    if (is_aio(lowering))
        return (unsigned)lowering->ior->aio_granularity;
    return lowering->base.loop->standard_batch > 0 ? lowering->base.loop->standard_batch : 1;
}

static void remark_unused(const struct weir_ior_lowering *lowering, const char *name)
{
    if (is_given(lowering, name))
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "--%s: an option of backend AIO, and this test uses %s: it changes "
                             "nothing; use --depth and --batch",
                             name, lowering->base.test->label);
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

/* ---- depth and batch ---- */

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int check_depth(const struct weir_ior_lowering *lowering)
{
    const struct weir_load *load = &lowering->base.load;
    const char *depth = lowering->request->base.common.depth;

    if (depth && is_aio(lowering) && is_given(lowering, "aio.max-pending") &&
        (load->must_find_depth || load->depth != standard_depth(lowering)))
        return REFUSE(lowering,
                      "--depth: %s contradicts aio.max-pending, which says %u; leave one of the "
                      "two out",
                      depth, standard_depth(lowering));
    return 0;
}

static int lower_batch(struct weir_ior_lowering *lowering)
{
    const struct weir_load *load = &lowering->base.load;
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
    lowering->batch = least_of((unsigned)batch, load->depth);
    lowering->steady_batch = least_of((unsigned)batch, load->steady_depth);
    return 0;
}

/* ---- rate ---- */

static int check_rate(const struct weir_ior_lowering *lowering)
{
    if (lowering->base.load.rate.arrivals == WEIR_ARRIVALS_CLOSED)
        return 0;
    if (lowering->is_collective)
        return REFUSE(lowering,
                      "--rate: collective transfers wait for each other, and none can have "
                      "a time of its own; leave -c or --rate out");
    if (lowering->ior->inter_io_delay_ns > 0)
        return REFUSE(lowering, "--rate: transfers come at times, and interIODelay would have them "
                                "come after pauses; leave one of the two out");
    return 0;
}

int weir_ior_lower_load(struct weir_ior_lowering *lowering)
{
    if (check_aio(lowering) || weir_lower_load(&lowering->base, standard_depth(lowering)) ||
        check_depth(lowering) || lower_batch(lowering) || check_rate(lowering))
        return -EINVAL;
    return 0;
}

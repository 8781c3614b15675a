/* SPDX-License-Identifier: Apache-2.0 */
/* Depth and rate: how much the words ask of the storage at once. */
#include "common_lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --depth auto searches up to this, and up to N as auto:N. */
#define SEARCH_DEPTH 256

#define REFUSE WEIR_REFUSE

/* ---- depth ---- */

static bool is_search(const char *depth)
{
    return strncasecmp(depth, "auto", strlen("auto")) == 0 && (depth[4] == '\0' || depth[4] == ':');
}

static int read_depth(const struct weir_lowering *lowering, struct weir_load *load)
{
    const char *depth = lowering->request->common.depth;
    const char *number = depth;
    int64_t value = SEARCH_DEPTH;

    load->must_find_depth = is_search(depth);
    if (load->must_find_depth)
        number = depth[4] == ':' ? depth + 5 : NULL;
    if (number && weir_integer_parse(number, &value))
        return REFUSE(lowering, "--depth: \"%s\" is neither a number nor auto nor auto:NUMBER",
                      depth);
    if (value < 1 || value > WEIR_PLAN_DEPTH_MAX)
        return REFUSE(lowering, "--depth: %" PRId64 " operations in flight; give 1 to %d", value,
                      WEIR_PLAN_DEPTH_MAX);
    load->depth = (unsigned)value;
    return 0;
}

static int lower_depth(const struct weir_lowering *lowering, unsigned standard_depth,
                       struct weir_load *load)
{
    load->depth = standard_depth;
    if (lowering->request->common.depth && read_depth(lowering, load))
        return -EINVAL;
    load->steady_depth = load->depth;
    if (load->must_find_depth && standard_depth < load->depth)
        load->steady_depth = standard_depth;
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

static int read_rate(const struct weir_lowering *lowering, struct weir_rate *rate)
{
    const char *typed = lowering->request->common.rate;
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
                      "--rate: \"%s\" is no rate; give operations per second, such as 20000, or "
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

static int lower_rate(const struct weir_lowering *lowering, struct weir_rate *rate)
{
    const struct weir_common_words *common = &lowering->request->common;

    if (!common->rate && (common->rate_of || common->arrivals))
        WEIR_REMARK(lowering, "--%s: there is no rate (--rate): it changes nothing",
                    common->rate_of ? "rate-of" : "arrivals");
    if (!common->rate)
        return 0;
    if (lowering->load.must_find_depth)
        return REFUSE(lowering, "--rate: --depth auto looks for the depth of a load without a "
                                "rate; give a number, or leave --rate out");
    if (read_rate(lowering, rate))
        return -EINVAL;
    rate->is_per_rank = common->rate_of && strcmp(common->rate_of, "rank") == 0;
    rate->arrivals = common->arrivals && strcmp(common->arrivals, "poisson") == 0
                         ? WEIR_ARRIVALS_POISSON
                         : WEIR_ARRIVALS_CONSTANT;
    return 0;
}

int weir_lower_load(struct weir_lowering *lowering, unsigned standard_depth)
{
    struct weir_load *load = &lowering->load;

    if (lower_depth(lowering, standard_depth, load) || lower_rate(lowering, &load->rate))
        return -EINVAL;
    return 0;
}

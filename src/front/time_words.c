/* SPDX-License-Identifier: Apache-2.0 */
/* Times with a unit, and how long ranks may stand still. */
#include "time_words.h"

#include "weir/base/text.h"

#include <errno.h>

#define NS_PER_S UINT64_C(1000000000)

int weir_time_read(const char *option, const char *text, const char *place,
                   struct weir_error *error, uint64_t *ns)
{
    if (weir_time_parse(text, NS_PER_S, ns))
        return weir_error_usage(
            error, place,
            "%s: \"%s\" is no time; give seconds, minutes or hours, such as 60s, 5m or 1.5h",
            option, text);
    return 0;
}

int weir_watchdog_read(const char *watchdog, const char *give_up, const char *place,
                       struct weir_error *error, uint64_t *watchdog_ns, uint64_t *give_up_ns)
{
    *give_up_ns = 0;
    if (weir_time_read("--watchdog", watchdog, place, error, watchdog_ns) ||
        (give_up != NULL && weir_time_read("--give-up", give_up, place, error, give_up_ns)))
        return -EINVAL;
    if (*give_up_ns > 0 && (*watchdog_ns == 0 || *give_up_ns < *watchdog_ns))
        return weir_error_usage(error, place,
                                "--give-up: %s is less than the time of --watchdog, %s: give more, "
                                "or a shorter --watchdog that is not 0",
                                give_up, watchdog);
    return 0;
}

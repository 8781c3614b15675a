/* SPDX-License-Identifier: Apache-2.0 */
/* Times with a unit, and how long ranks may stand still. */
#include "time_words.h"

#include "weir/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S UINT64_C(1000000000)

uint64_t weir_time_unit_ns(const char *unit, size_t length)
{
    static const struct {
        const char *word;
        uint64_t ns;
    } units[] = {
        {"ms", NS_PER_S / 1000}, {"s", NS_PER_S}, {"min", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].word) == length && strncasecmp(unit, units[i].word, length) == 0)
            return units[i].ns;
    return 0;
}

/* Where nothing else can be meant, seconds need no unit, and m is minutes. */
static uint64_t unit_ns(const char *unit)
{
    if (*unit == '\0')
        return NS_PER_S;
    return strcasecmp(unit, "m") == 0 ? 60 * NS_PER_S : weir_time_unit_ns(unit, strlen(unit));
}

int weir_time_read(const char *option, const char *text, const char *place,
                   struct weir_error *error, uint64_t *ns)
{
    size_t length = strspn(text, "0123456789.");
    uint64_t unit = unit_ns(text + length);
    char number[64];

    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (unit == 0 || length >= sizeof number || weir_duration_parse(number, unit, ns))
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

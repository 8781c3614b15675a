/* SPDX-License-Identifier: Apache-2.0 */
/* A line for the first refusal of each host, the 10th, the 100th: who tries again and again fills
 * no log. */
#include "refusals.h"

#include "interface.h"

#include "weir/base/log.h"

#include <stdio.h>
#include <string.h>

static bool is_told(uint64_t count)
{
    while (count % 10 == 0)
        count /= 10;
    return count == 1;
}

void weir_refusals_tell(struct weir_refusals *refusals, const char *name, const char *reason)
{
    struct weir_refused_host *host = refusals->hosts;
    struct weir_host_port parsed = {.host = "?"};
    char times[48] = "";

    weir_host_port_parse(name, &parsed);
    while (host < refusals->hosts + WEIR_REFUSED_HOSTS - 1 && host->host[0] != '\0' &&
           strcmp(host->host, parsed.host) != 0)
        host++;
    /* The last one stands for all that had no room. */
    if (host->host[0] == '\0')
        snprintf(host->host, sizeof host->host, "%s", parsed.host);
    host->count++;
    if (!is_told(host->count))
        return;
    if (host->count > 1)
        snprintf(times, sizeof times, " (%llu times by now)", (unsigned long long)host->count);
    weir_log(WEIR_LOG_WARNING, "handshake: %s is refused: it %s%s", parsed.host, reason, times);
}

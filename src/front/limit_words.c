/* SPDX-License-Identifier: Apache-2.0 */
#include "limit_words.h"

#include "weir/base/text.h"

int weir_limit_read(const char *option, const char *text, const char *place, double *per_s,
                    struct weir_error *error)
{
    if (weir_rate_parse(text, true, per_s) != 0 || !(*per_s > 0.0) || *per_s > 1e18)
        return weir_error_usage(error, place,
                                "%s: \"%s\" is no rate; give one such as 5.5GB/s or 5GiB/s", option,
                                text);
    return 0;
}

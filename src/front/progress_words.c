/* SPDX-License-Identifier: Apache-2.0 */
/* The interval of progress lines. */
#include "progress_words.h"

#include "weir/base/log.h"
#include "weir/base/text.h"

#include <strings.h>

int weir_progress_read(const char *word, const char *place, struct weir_error *error,
                       uint64_t *interval_ns)
{
    static const struct {
        const char *word;
        uint64_t interval_ns;
    } words[] = {
        {"auto", WEIR_PROGRESS_AUTO}, {"on", WEIR_PROGRESS_ON}, {"off", WEIR_PROGRESS_OFF}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            *interval_ns = words[i].interval_ns;
            return 0;
        }
    }
    if (weir_time_parse(word, UINT64_C(1000000000), interval_ns) == 0 &&
        *interval_ns > WEIR_PROGRESS_ON)
        return 0;
    return weir_error_usage(
        error, place,
        "--progress: \"%s\" is neither auto, on, off nor a time above 0, such as 5 or 10s", word);
}

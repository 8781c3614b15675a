/* SPDX-License-Identifier: Apache-2.0 */
/* Words for places of ranks and memory. */
#include "pinning_words.h"
int weir_pinning_read(const struct weir_pinning_words *words, const char *place,
                      struct weir_pinning *pinning, struct weir_error *error)
{
    (void)words;
    (void)place;
    (void)pinning;
    (void)error;
    return 0;
}
int weir_membind_read(const char *word, const char *place, struct weir_membind *membind,
                      struct weir_error *error)
{
    (void)word;
    (void)place;
    (void)membind;
    (void)error;
    return 0;
}

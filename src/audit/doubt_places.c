/* SPDX-License-Identifier: Apache-2.0 */
/* Doubts whether ranks ran where they should, undisturbed. */
#include "doubts.h"

void weir_doubt_places(const struct weir_subject *subject)
{
    (void)subject;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a job was started by. */
#include "weir/system/environment.h"
size_t weir_job_describe(const char *(*get)(const char *name), struct weir_arena *arena,
                         struct weir_fact **facts)
{
    (void)get;
    (void)arena;
    *facts = NULL;
    return 0;
}

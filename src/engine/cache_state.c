/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the page cache before a phase that reads. */
#include "cache_state.h"
int weir_cache_state_check(struct weir_run *run, struct weir_error *error)
{
    (void)run;
    (void)error;
    return 0;
}
int weir_cache_state_prepare(struct weir_data_phase *data, struct weir_error *error)
{
    (void)data;
    (void)error;
    return 0;
}

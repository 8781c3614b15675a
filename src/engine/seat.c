/* SPDX-License-Identifier: Apache-2.0 */
/* Where this rank sits. */
#include "run.h"
int weir_host_view_open(struct weir_host_view *view, const struct weir_engine_params *params,
                        struct weir_result *result, struct weir_error *error)
{
    (void)view;
    (void)params;
    (void)result;
    (void)error;
    return 0;
}
void weir_host_view_close(struct weir_host_view *view)
{
    (void)view;
}
int weir_seat_take(struct weir_run *run, struct weir_error *error)
{
    (void)run;
    (void)error;
    return 0;
}
void weir_seat_leave(struct weir_run *run)
{
    (void)run;
}
int weir_seat_place_memory(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)memory;
    (void)bytes;
    return 0;
}
void weir_seat_look_before(struct weir_run *run)
{
    (void)run;
}
void weir_seat_look_after(struct weir_run *run, struct weir_execution *execution)
{
    (void)run;
    (void)execution;
}

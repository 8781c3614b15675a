/* SPDX-License-Identifier: Apache-2.0 */
/* Where this process runs. */
#include "weir/system/running.h"
#include "weir/base/execution.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
int weir_running_bind(const struct weir_cpu_set *cpus)
{
    (void)cpus;
    return 0;
}
int weir_running_cpus(struct weir_cpu_set *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    weir_cpu_set_add(cpus, 0);
    return 0;
}
struct weir_run_probe {
    int x;
};
struct weir_run_probe *weir_run_probe_open(const char *root)
{
    (void)root;
    return calloc(1, sizeof(struct weir_run_probe));
}
void weir_run_probe_close(struct weir_run_probe *probe)
{
    free(probe);
}
void weir_run_probe_watch(struct weir_run_probe *probe, const struct weir_cpu_set *cpus)
{
    (void)probe;
    (void)cpus;
}
void weir_run_probe_read(const struct weir_run_probe *probe, struct weir_running *running)
{
    (void)probe;
    *running = (struct weir_running){.migrations = WEIR_UNKNOWN};
}

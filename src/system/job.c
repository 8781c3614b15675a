/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher and batch system of a job, from named variables of its environment. */
#include "weir/system/environment.h"

#include "mask.h"

#include "weir/base/launch.h"
#include "weir/base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VALUE_BYTES 512

/* Several rows of one key: the first variable that is set counts. Variables that are not in
 * these tables are not read; those that are hold no secret. */
static const struct {
    const char *key;
    const char *variable;
} rows[] = {
    {"slurm job", "SLURM_JOB_ID"},
    {"slurm job", "SLURM_JOBID"},
    {"slurm array job", "SLURM_ARRAY_JOB_ID"},
    {"slurm array task", "SLURM_ARRAY_TASK_ID"},
    {"slurm step", "SLURM_STEP_ID"},
    {"slurm step", "SLURM_STEPID"},
    {"slurm job name", "SLURM_JOB_NAME"},
    {"slurm cluster", "SLURM_CLUSTER_NAME"},
    {"slurm partition", "SLURM_JOB_PARTITION"},
    {"slurm nodes", "SLURM_JOB_NODELIST"},
    {"slurm nodes", "SLURM_NODELIST"},
    {"slurm nodes of step", "SLURM_STEP_NODELIST"},
    {"slurm tasks", "SLURM_NTASKS"},
    {"slurm tasks", "SLURM_NPROCS"},
    {"slurm tasks per node", "SLURM_TASKS_PER_NODE"},
    {"slurm cpus per task", "SLURM_CPUS_PER_TASK"},
    {"slurm cpu binding", "SLURM_CPU_BIND"},
    {"slurm memory binding", "SLURM_MEM_BIND"},
    {"slurm distribution", "SLURM_DISTRIBUTION"},
    {"slurm het components", "SLURM_HET_SIZE"},
    {"slurm restarts", "SLURM_RESTART_COUNT"},
    {"slurm end time", "SLURM_JOB_END_TIME"},
    {"pbs job", "PBS_JOBID"},
    {"pbs job name", "PBS_JOBNAME"},
    {"pbs queue", "PBS_QUEUE"},
    {"lsf job", "LSB_JOBID"},
    {"lsf job name", "LSB_JOBNAME"},
    {"lsf queue", "LSB_QUEUE"},
    {"lsf hosts", "LSB_MCPU_HOSTS"},
    {"cobalt job", "COBALT_JOBID"},
    {"flux job", "FLUX_JOB_ID"},
    {"oar job", "OAR_JOB_ID"},
    {"open mpi pml", "OMPI_MCA_pml"},
    {"open mpi mtl", "OMPI_MCA_mtl"},
    {"open mpi btl", "OMPI_MCA_btl"},
    {"open mpi osc", "OMPI_MCA_osc"},
    {"open mpi coll", "OMPI_MCA_coll"},
    {"open mpi io", "OMPI_MCA_io"},
    {"open mpi fs", "OMPI_MCA_fs"},
    {"open mpi tcp interfaces", "OMPI_MCA_btl_tcp_if_include"},
    {"open mpi tcp interfaces left out", "OMPI_MCA_btl_tcp_if_exclude"},
    {"open mpi rdma ports", "OMPI_MCA_btl_openib_if_include"},
    {"ucx transports", "UCX_TLS"},
    {"ucx devices", "UCX_NET_DEVICES"},
    {"ucx protocols", "UCX_PROTO_ENABLE"},
    {"ucx rails", "UCX_MAX_RNDV_RAILS"},
    {"ucx gid index", "UCX_IB_GID_INDEX"},
    {"libfabric provider", "FI_PROVIDER"},
    {"libfabric interface", "FI_TCP_IFACE"},
    {"libfabric domain", "FI_OPX_HFI_SELECT"},
    {"intel mpi fabrics", "I_MPI_FABRICS"},
    {"intel mpi provider", "I_MPI_OFI_PROVIDER"},
    {"intel mpi pinning", "I_MPI_PIN"},
    {"mpich netmod", "MPIR_CVAR_CH4_NETMOD"},
    {"mpich interface", "MPIR_CVAR_NETWORK_IFACE"},
    {"cray mpich file system", "MPICH_MPIIO_HINTS"},
    {"cray mpich interfaces", "MPICH_OFI_NIC_POLICY"},
    {"psm2 unit", "HFI_UNIT"},
    {"psm3 nic", "PSM3_NIC"},
    {"romio hints", "ROMIO_HINTS"},
};

/* ---- values ---- */

/* Seconds since 1970 as a date; anything else as it is. */
static void name_time(char value[VALUE_BYTES])
{
    char *end;
    long long seconds;
    struct tm parts;
    time_t time;

    seconds = strtoll(value, &end, 10);
    time = (time_t)seconds;
    if (end != value && *end == '\0' && seconds > 0 && gmtime_r(&time, &parts) != NULL)
        strftime(value, VALUE_BYTES, "%Y-%m-%d %H:%M:%S UTC", &parts);
}

/* Half a list of nodes may read like a whole one. */
static void end_cut(char value[VALUE_BYTES])
{
    static const char ellipsis[] = "...";
    size_t length = strnlen(value, VALUE_BYTES - sizeof ellipsis);

    memcpy(value + length, ellipsis, sizeof ellipsis);
}

static bool keep_value(const char *value, const char *variable, char kept[VALUE_BYTES])
{
    bool is_cut;

    if (value == NULL || value[0] == '\0')
        return false;
    is_cut = snprintf(kept, VALUE_BYTES, "%s", value) >= VALUE_BYTES;
    weir_mask_addresses(kept);
    if (is_cut)
        end_cut(kept);
    if (strcmp(variable, "SLURM_JOB_END_TIME") == 0)
        name_time(kept);
    weir_text_make_visible(kept, "");
    return true;
}

static void add(struct weir_fact *facts, size_t *count, struct weir_arena *arena, const char *key,
                const char *value)
{
    facts[*count].key = key;
    facts[*count].value = weir_arena_copy(arena, value);
    ++*count;
}

static void add_rows(const char *(*get)(const char *name), struct weir_arena *arena,
                     struct weir_fact *facts, size_t *count)
{
    char value[VALUE_BYTES];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((*count == 0 || strcmp(facts[*count - 1].key, rows[i].key) != 0) &&
            keep_value(get(rows[i].variable), rows[i].variable, value))
            add(facts, count, arena, rows[i].key, value);
}

/* Grid Engine's names are common ones: they count only together. */
static void add_grid_engine(const char *(*get)(const char *name), struct weir_arena *arena,
                            struct weir_fact *facts, size_t *count)
{
    static const char *const grid[][2] = {
        {"grid engine job", "JOB_ID"},
        {"grid engine job name", "JOB_NAME"},
        {"grid engine queue", "QUEUE"},
    };
    const char *root = get("SGE_ROOT");
    char value[VALUE_BYTES];

    if (root == NULL || root[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++)
        if (keep_value(get(grid[i][1]), grid[i][1], value))
            add(facts, count, arena, grid[i][0], value);
}

size_t weir_job_describe(const char *(*get)(const char *name), struct weir_arena *arena,
                         struct weir_fact **facts)
{
    const size_t capacity = 1 + sizeof rows / sizeof *rows + 3;
    struct weir_launch launch;
    size_t count = 0;

    *facts = weir_arena_take(arena, capacity * sizeof **facts);
    weir_launch_read(get, &launch);
    if (launch.launcher != NULL)
        add(*facts, &count, arena, "launcher", launch.launcher);
    add_rows(get, arena, *facts, &count);
    add_grid_engine(get, arena, *facts, &count);
    return count;
}

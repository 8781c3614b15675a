/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/base/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Launchers by variables that they set in each process. mpiexec may start its daemons by srun, so
 * srun comes last. */
static const struct {
    const char *variable;
    const char *name;
} launchers[] = {
    {"PRTE_LAUNCHED", "Open MPI mpiexec"},
    {"OMPI_COMM_WORLD_RANK", "Open MPI mpiexec"},
    {"MV2_COMM_WORLD_RANK", "MVAPICH2 mpiexec"},
    {"I_MPI_HYDRA_BOOTSTRAP", "Intel MPI mpiexec"},
    {"HYDI_CONTROL_FD", "Hydra mpiexec"},
    {"MPI_LOCALRANKID", "Hydra mpiexec"},
    {"PALS_RANKID", "PALS mpiexec"},
    {"ALPS_APP_PE", "aprun"},
    {"JSM_NAMESPACE_RANK", "jsrun"},
    {"FLUX_TASK_RANK", "flux run"},
    {"SLURM_STEP_ID", "srun"},
    {"SLURM_STEPID", "srun"},
};

/* Variables for the rank of a task and for the number of tasks of its launch. PMIx defines no
 * variable for the size; PMIX_SIZE is read because some launchers set it. */
static const struct {
    const char *rank;
    const char *size;
} numbers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", "PMIX_SIZE"},
    {"PALS_RANKID", "PALS_SIZE"},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"ALPS_APP_PE", NULL},
};

/* Slurm numbers steps of its own (batch script, interactive shell, external processes) from here
 * on: SLURM_EXTERN_CONT - 2. */
#define FIRST_SPECIAL_STEP 4294967290u

static bool read_number(const char *(*get)(const char *name), const char *variable,
                        unsigned *number)
{
    const char *value = variable != NULL ? get(variable) : NULL;
    unsigned long parsed;
    char *end;

    if (value == NULL || *value < '0' || *value > '9')
        return false;
    parsed = strtoul(value, &end, 10);
    if (*end != '\0' || parsed > UINT_MAX)
        return false;
    *number = (unsigned)parsed;
    return true;
}

/* A shell on a terminal of srun --pty is one of the tasks, and the others end or idle: what is
 * started from it is no task itself. */
static bool is_below_terminal(const char *(*get)(const char *name), unsigned rank)
{
    unsigned task;

    return rank == 0 && get("SLURM_PTY_PORT") != NULL &&
           read_number(get, "SLURM_TASK_PID", &task) && task != (unsigned)getpid();
}

/* A batch script that was submitted by a task of a step has inherited the step's variables. Slurm
 * sets those of the task anew: the script is the only task on the first node. */
static bool is_step_of_submitter(const char *(*get)(const char *name))
{
    const char *ids = get("SLURM_GTIDS"), *tasks = get("SLURM_STEP_TASKS_PER_NODE");
    unsigned node;

    return ids != NULL && tasks != NULL && strcmp(ids, "0") == 0 &&
           read_number(get, "SLURM_NODEID", &node) && node == 0 && strtoul(tasks, NULL, 10) > 1;
}

/* Reads the tasks of the step that this process is one of. A batch script has SLURM_PROCID as well,
 * which is 0 there, and SLURM_NTASKS is that of its job. */
static void read_step(const char *(*get)(const char *name), struct weir_launch *launch)
{
    unsigned rank, step, count = 0;

    if (!read_number(get, "SLURM_PROCID", &rank))
        return;
    if (!launch->has_rank)
        launch->rank = rank;
    launch->has_rank = true;
    if ((read_number(get, "SLURM_STEP_ID", &step) || read_number(get, "SLURM_STEPID", &step)) &&
        step >= FIRST_SPECIAL_STEP)
        return;
    if (is_below_terminal(get, rank) || is_step_of_submitter(get))
        return;
    if (!read_number(get, "SLURM_STEP_NUM_TASKS", &count) && rank > 0)
        read_number(get, "SLURM_NTASKS", &count);
    launch->task_count = count;
    launch->is_of_step = count > 0;
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

void weir_launch_read(const char *(*get)(const char *name), struct weir_launch *launch)
{
    unsigned number;

    if (get == NULL)
        get = get_variable;
    *launch = (struct weir_launch){0};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && launch->launcher == NULL; i++) {
        const char *value = get(launchers[i].variable);

        if (value != NULL && value[0] != '\0')
            launch->launcher = launchers[i].name;
    }

    /* One launcher may have started another: the smaller launch is the inner one. Its rank counts,
     * also where it has none; without any size, the first rank of the table. */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned rank = 0, size = 0;
        bool has_rank = read_number(get, numbers[i].rank, &rank);
        bool has_size = read_number(get, numbers[i].size, &size) && size > 0;

        if (has_size ? launch->task_count == 0 || size < launch->task_count
                     : has_rank && !launch->has_rank && launch->task_count == 0) {
            launch->task_count = size;
            launch->has_rank = has_rank;
            launch->rank = rank;
        }
    }
    if (launch->task_count > 0)
        return;

    read_step(get, launch);
    if (!launch->has_rank && read_number(get, "MPI_LOCALRANKID", &number)) {
        launch->has_rank = true;
        launch->rank = number;
    }
    if (launch->task_count == 0 && read_number(get, "MPI_LOCALNRANKS", &number))
        launch->task_count = number;
}

void weir_launch_compare(const struct weir_launch *launch, unsigned rank_count, const char *library,
                         struct weir_launch_mismatch *mismatch)
{
    unsigned tasks = launch->task_count > launch->rank ? launch->task_count : launch->rank + 1;
    bool is_by_srun =
        launch->is_of_step || (launch->launcher != NULL && strcmp(launch->launcher, "srun") == 0);
    int name_length = (int)strcspn(library, ",");

    *mismatch = (struct weir_launch_mismatch){.fact = ""};
    if (tasks <= rank_count)
        return;
    /* An mpiexec without variables of its own may have started some ranks in a larger step. */
    if (rank_count > 1 && (launch->task_count <= rank_count || launch->is_of_step))
        return;
    snprintf(mismatch->fact, sizeof mismatch->fact,
             "the launcher started %u tasks%s, and MPI knows %u: %s", tasks,
             launch->task_count > launch->rank ? "" : " or more", rank_count,
             rank_count == 1 ? "each is a run of its own" : "they are several runs");
    if (is_by_srun)
        snprintf(mismatch->remedy, sizeof mismatch->remedy,
                 "start them with srun --mpi=pmix, or another PMI that the MPI library knows "
                 "(srun --mpi=list); in a container, use an MPI that knows it");
    else
        snprintf(mismatch->remedy, sizeof mismatch->remedy,
                 "start them with the mpiexec of %.*s%s%s%s; in a container, use the MPI of the "
                 "launcher outside",
                 name_length > 0 ? name_length : (int)sizeof "the MPI library" - 1,
                 name_length > 0 ? library : "the MPI library",
                 launch->launcher != NULL ? " (this was " : "",
                 launch->launcher != NULL ? launch->launcher : "",
                 launch->launcher != NULL ? ")" : "");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment of a process says of the launcher that started it: mpiexec, srun and others.
 */
#ifndef WEIR_BASE_LAUNCH_H
#define WEIR_BASE_LAUNCH_H

#include <stdbool.h>

struct weir_launch {
    const char *launcher; /* "srun", "Open MPI mpiexec"; NULL = unknown, or there is none */
    bool has_rank;        /* a launcher numbers its tasks */
    unsigned rank;        /* number of this task; 0 without has_rank */
    unsigned task_count;  /* tasks of the launch; 0 = unknown */
    bool is_of_step;      /* task_count is that of a Slurm step, which starts no MPI by itself */
};

/* Reads the variables of the launchers through `get`; NULL = getenv. Variables of an mpiexec go
 * before those of Slurm, by which it may start its daemons. SLURM_NTASKS alone says nothing: a
 * batch script has it, too. Before MPI starts: a library without a launcher sets such variables
 * itself. */
void weir_launch_read(const char *(*get)(const char *name), struct weir_launch *launch);

/* The launcher has started more tasks than MPI knows. All empty: it has not. */
struct weir_launch_mismatch {
    char fact[112];   /* "the launcher started 4 tasks, and MPI knows 1: ..." */
    char remedy[208]; /* what to start them with */
};

/* Fills in *mismatch where the launch has more tasks than MPI knows ranks. The tasks of a Slurm
 * step are compared with a single rank only. `library` is the version of the MPI library; "" =
 * unknown. */
void weir_launch_compare(const struct weir_launch *launch, unsigned rank_count, const char *library,
                         struct weir_launch_mismatch *mismatch);

#endif

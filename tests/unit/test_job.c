/* SPDX-License-Identifier: Apache-2.0 */
/* What made-up environments tell of jobs. */
#include "weir/system/environment.h"

#include "weir/base/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* "NAME=value", as environ(7) has it; ends with NULL. */
static const char *const *environment;

static const char *get(const char *name)
{
    size_t length = strlen(name);

    for (const char *const *each = environment; *each != NULL; each++)
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return NULL;
}

/* All facts as "key=value;". */
static void describe(const char *const *variables, char *text, size_t bytes)
{
    struct weir_arena arena = {0};
    struct weir_fact *facts;
    size_t length = 0;
    size_t count;

    environment = variables;
    count = weir_job_describe(get, &arena, &facts);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        length +=
            (size_t)snprintf(text + length, bytes - length, "%s=%s;", facts[i].key, facts[i].value);
    weir_arena_close(&arena);
}

static void jobs_are_what_their_variables_say(void **state)
{
    static const struct {
        const char *variables[16];
        const char *told;
    } cases[] = {
        {{NULL}, ""},
        {{"HOME=/root", "AWS_SECRET_ACCESS_KEY=x", "SLURM_JWT=y"}, ""},
        {{"SLURM_JOB_ID=4711", "SLURM_STEP_ID=0", "SLURM_JOB_NAME=io", "SLURM_JOB_PARTITION=p",
          "SLURM_JOB_NODELIST=n[1-2]", "SLURM_NTASKS=4", "SLURM_CPUS_PER_TASK=2",
          "SLURM_CPU_BIND=quiet,mask_cpu:0x1", "SLURM_HET_SIZE=2", "SLURM_JOB_END_TIME=1732185600"},
         "launcher=srun;slurm job=4711;slurm step=0;slurm job name=io;slurm partition=p;"
         "slurm nodes=n[1-2];slurm tasks=4;slurm cpus per task=2;"
         "slurm cpu binding=quiet,mask_cpu:0x1;slurm het components=2;"
         "slurm end time=2024-11-21 10:40:00 UTC;"},
        /* In a batch script, mpiexec is not there yet, and srun is not either. */
        {{"SLURM_JOB_ID=1", "SLURM_PROCID=0"}, "slurm job=1;"},
        /* Both names of one thing. */
        {{"SLURM_JOBID=1", "SLURM_JOB_ID=2"}, "slurm job=2;"},
        {{"SLURM_JOBID=1"}, "slurm job=1;"},
        {{"SLURM_JOB_ID=", "SLURM_JOBID=3"}, "slurm job=3;"},
        /* mpiexec starts its own by srun. */
        {{"OMPI_COMM_WORLD_RANK=0", "SLURM_STEP_ID=0"}, "launcher=Open MPI mpiexec;slurm step=0;"},
        {{"HYDI_CONTROL_FD=5", "MPI_LOCALRANKID=0"}, "launcher=Hydra mpiexec;"},
        {{"PBS_JOBID=7.server"}, "pbs job=7.server;"},
        {{"LSB_JOBID=8"}, "lsf job=8;"},
        {{"JOB_ID=9", "QUEUE=all.q"}, ""},
        {{"JOB_ID=9", "QUEUE=all.q", "SGE_ROOT=/opt/sge"},
         "grid engine job=9;grid engine queue=all.q;"},
        {{"OMPI_MCA_pml=ucx", "OMPI_MCA_btl=^openib", "OMPI_MCA_io=romio321", "UCX_TLS=rc,self",
          "UCX_NET_DEVICES=mlx5_0:1", "FI_PROVIDER=verbs", "I_MPI_FABRICS=shm:ofi"},
         "open mpi pml=ucx;open mpi btl=^openib;open mpi io=romio321;ucx transports=rc,self;"
         "ucx devices=mlx5_0:1;libfabric provider=verbs;intel mpi fabrics=shm:ofi;"},
        {{"OMPI_MCA_btl_tcp_if_include=eth0,10.1.2.0/24"}, "open mpi tcp interfaces=eth0,*/24;"},
        {{"SLURM_JOB_NAME=a\033[2J\nb"}, "slurm job name=a?[2J?b;"},
        {{"SLURM_JOB_END_TIME=soon"}, "slurm end time=soon;"},
        {{"SLURM_JOB_END_TIME=99999999999999999999"}, "slurm end time=99999999999999999999;"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[2048];

        describe(cases[i].variables, text, sizeof text);
        assert_string_equal(text, cases[i].told);
    }
}

static void values_that_are_cut_say_so(void **state)
{
    char name[1024] = "SLURM_JOB_NODELIST=";
    const char *const variables[] = {name, NULL};
    struct weir_arena arena = {0};
    struct weir_fact *facts;

    (void)state;
    memset(name + strlen(name), 'n', 900);
    environment = variables;
    assert_int_equal(weir_job_describe(get, &arena, &facts), 1);
    assert_string_equal(facts[0].key, "slurm nodes");
    assert_int_equal(strlen(facts[0].value), 511);
    assert_string_equal(facts[0].value + 507, "n...");
    weir_arena_close(&arena);
}

static const char *get_any(const char *name)
{
    (void)name;
    return "1";
}

static void all_keys_differ_and_are_printed_plainly(void **state)
{
    struct weir_arena arena = {0};
    struct weir_fact *facts;
    size_t count = weir_job_describe(get_any, &arena, &facts);

    (void)state;
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(strspn(facts[i].key, "abcdefghijklmnopqrstuvwxyz0123456789 "),
                         strlen(facts[i].key));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(facts[i].key, facts[j].key);
    }
    weir_arena_close(&arena);
}

static void a_launch_of_more_tasks_than_MPI_knows_is_seen(void **state)
{
    static const struct {
        const char *variables[8];
        unsigned tasks; /* 0 = no mismatch with one rank */
        const char *words;
    } cases[] = {
        {{NULL}, 0, ""},
        /* each launcher's own variables */
        {{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4"}, 4, "mpiexec of Lib 1.0"},
        {{"OMPI_COMM_WORLD_SIZE=4"}, 4, "mpiexec of Lib 1.0"},
        {{"PMI_RANK=1", "PMI_SIZE=2", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=1"}, 2, "Hydra"},
        {{"PMI_SIZE=3"}, 3, ""},
        {{"MV2_COMM_WORLD_RANK=0", "MV2_COMM_WORLD_SIZE=8"}, 8, "MVAPICH2"},
        {{"PMIX_RANK=0", "PMIX_SIZE=5"}, 5, ""},
        {{"PMIX_RANK=2"}, 3, " or more"},
        {{"PALS_RANKID=0", "PALS_SIZE=6"}, 6, "PALS"},
        {{"ALPS_APP_PE=7"}, 8, " or more"},
        {{"JSM_NAMESPACE_RANK=0", "JSM_NAMESPACE_SIZE=2"}, 2, "jsrun"},
        {{"FLUX_TASK_RANK=0", "FLUX_JOB_SIZE=2"}, 2, "flux"},
        {{"MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2"}, 2, ""},
        /* one task, and no number */
        {{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"}, 0, ""},
        {{"PMI_RANK=0", "PMI_SIZE=1", "MPI_LOCALNRANKS=1"}, 0, ""},
        {{"PMIX_RANK=0"}, 0, ""},
        {{"PMI_SIZE=four"}, 0, ""},
        {{"PMI_SIZE=0"}, 0, ""},
        {{"PMI_SIZE="}, 0, ""},
        {{"PMI_SIZE=4294967297"}, 0, ""},
        /* a step of Slurm */
        {{"SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_NTASKS=4"},
         4,
         "srun --mpi="},
        {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4"}, 4, "srun --mpi="},
        {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "PMIX_RANK=0"}, 4, "srun --mpi="},
        {{"SLURM_PROCID=1", "SLURM_NTASKS=4"}, 4, ""},
        {{"SLURM_PROCID=3"}, 4, " or more"},
        {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "SLURM_NTASKS=4"}, 0, ""},
        /* a batch script and shells of salloc, which are no tasks of the job */
        {{"SLURM_NTASKS=4"}, 0, ""},
        {{"SLURM_NTASKS=4", "SLURM_PROCID=0"}, 0, ""},
        {{"SLURM_STEP_NUM_TASKS=4"}, 0, ""},
        {{"SLURM_STEP_ID=4294967290", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4"}, 0, ""},
        /* below a shell on the terminal of srun --pty; the other tasks are none such */
        {{"SLURM_PTY_PORT=4000", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_TASK_PID=1"},
         0,
         ""},
        {{"SLURM_PTY_PORT=4000", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=4", "SLURM_TASK_PID=1"},
         4,
         ""},
        {{"SLURM_PTY_PORT=4000", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4"}, 4, ""},
        /* mpiexec in a step: its daemons are the tasks of Slurm, or one of its ranks is alone */
        {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "PMI_RANK=0", "PMI_SIZE=4"}, 4, "mpiexec"},
        {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "OMPI_COMM_WORLD_SIZE=1"}, 0, ""},
        {{"PMI_RANK=0", "PMI_SIZE=4", "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"}, 0, ""},
        /* one rank alone, started by any task of another launch */
        {{"MV2_COMM_WORLD_RANK=3", "MV2_COMM_WORLD_SIZE=4", "PMI_RANK=0", "PMI_SIZE=1"}, 0, ""},
        {{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4", "PMI_SIZE=1"}, 0, ""},
        {{"PMIX_RANK=3", "PMI_RANK=0", "PMI_SIZE=1"}, 0, ""},
        {{"PMI_RANK=0", "PMI_SIZE=1", "ALPS_APP_PE=7"}, 0, ""},
        {{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "PMI_RANK=1", "PMI_SIZE=2"}, 2, ""},
        /* a batch script that a task of a step has submitted; tasks of steps */
        {{"SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_NODEID=0",
          "SLURM_GTIDS=0", "SLURM_STEP_TASKS_PER_NODE=2(x2)"},
         0,
         ""},
        {{"SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_NODEID=0",
          "SLURM_GTIDS=0,1", "SLURM_STEP_TASKS_PER_NODE=2(x2)"},
         4,
         "srun --mpi="},
        {{"SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_NODEID=0",
          "SLURM_GTIDS=0", "SLURM_STEP_TASKS_PER_NODE=1(x4)"},
         4,
         "srun --mpi="},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_launch_mismatch mismatch;
        struct weir_launch launch;
        char fact[64];

        environment = cases[i].variables;
        weir_launch_read(get, &launch);
        weir_launch_compare(&launch, 1, "Lib 1.0, package: x", &mismatch);
        snprintf(fact, sizeof fact, "the launcher started %u tasks", cases[i].tasks);
        if (cases[i].tasks == 0)
            assert_string_equal(mismatch.fact, "");
        else if (strncmp(mismatch.fact, fact, strlen(fact)) != 0 ||
                 strstr(mismatch.fact, "MPI knows 1") == NULL)
            fail_msg("case %zu: %s", i, mismatch.fact);
        if (strstr(mismatch.fact, cases[i].words) == NULL &&
            strstr(mismatch.remedy, cases[i].words) == NULL)
            fail_msg("case %zu: %s; %s", i, mismatch.fact, mismatch.remedy);
        /* Two ranks are compared with the size of a launch, not with the tasks of a step. */
        weir_launch_compare(&launch, 2, "", &mismatch);
        snprintf(fact, sizeof fact,
                 "the launcher started %u tasks, and MPI knows 2: ", cases[i].tasks);
        if (launch.task_count <= 2 || launch.is_of_step)
            assert_string_equal(mismatch.fact, "");
        else
            assert_memory_equal(mismatch.fact, fact, strlen(fact));
        weir_launch_compare(&launch, 9, "", &mismatch);
        assert_string_equal(mismatch.fact, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_of_more_tasks_than_MPI_knows_is_seen),
        cmocka_unit_test(jobs_are_what_their_variables_say),
        cmocka_unit_test(values_that_are_cut_say_so),
        cmocka_unit_test(all_keys_differ_and_are_printed_plainly),
    };

    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}

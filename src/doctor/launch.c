/* SPDX-License-Identifier: Apache-2.0 */
/* Starting ranks: a launcher, and whether it is the one of the library that weir was built with. */
#include "kernel_files.h"
#include "subjects.h"
#include "ways_out.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Standard streams, the library's own, and a connection or two to each rank of the node: a launcher
 * has some per rank, too. */
enum { FILES_MIN = 1024, FILES_OF_RANK = 16 };

/* ---- launcher ---- */

/* Looks for a program as the shell does. */
static bool find_program(const char *name, char found[PATH_MAX])
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");

        if (length > 0 &&
            snprintf(found, PATH_MAX, "%.*s/%s", (int)length, path, name) < PATH_MAX &&
            access(found, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

enum family { FAMILY_UNKNOWN, FAMILY_OPEN_MPI, FAMILY_HYDRA };

/* By the name of the program that links lead to. */
static enum family family_of_program(const char *path)
{
    char target[PATH_MAX];
    const char *name;

    if (realpath(path, target) == NULL)
        return FAMILY_UNKNOWN;
    name = strrchr(target, '/') + 1;
    if (strcmp(name, "orterun") == 0 || strcmp(name, "prterun") == 0 ||
        strstr(target, "openmpi") != NULL)
        return FAMILY_OPEN_MPI;
    return strstr(name, "hydra") != NULL || strstr(target, "mpich") != NULL ? FAMILY_HYDRA
                                                                            : FAMILY_UNKNOWN;
}

/* Of the library, which the MPI-IO backend has told before. */
static enum family family_of_library(const struct weir_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct weir_diagnosis_line *line = &diagnosis->lines[i];

        if (strcmp(line->subject, "mpiio") != 0)
            continue;
        if (strstr(line->text, "Open MPI") != NULL)
            return FAMILY_OPEN_MPI;
        if (strstr(line->text, "MPICH") != NULL || strstr(line->text, "Intel") != NULL)
            return FAMILY_HYDRA;
    }
    return FAMILY_UNKNOWN;
}

/* Open MPI's launcher needs two variables to be set before it starts anything as root. */
static bool refuses_root(enum family family)
{
    return family == FAMILY_OPEN_MPI && geteuid() == 0 &&
           (getenv("OMPI_ALLOW_RUN_AS_ROOT") == NULL ||
            getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == NULL);
}

static void tell_mpiexec(struct weir_diagnosis *diagnosis, const char *program)
{
    enum family family = family_of_program(program);
    enum family library = family_of_library(diagnosis);

    if (family != FAMILY_UNKNOWN && library != FAMILY_UNKNOWN && family != library)
        weir_diagnosis_add(
            diagnosis, WEIR_LIMITED, "mpiexec",
            "put the mpiexec of the library that mpiio names above first in PATH, or name it by "
            "its whole path",
            "%s is another MPI's: each rank would be alone", program);
    else if (refuses_root(family))
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "mpiexec",
                           "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                           "or be another user",
                           "%s refuses to start anything as root", program);
    else
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "mpiexec", NULL, "%s", program);
}

static void tell_launcher(struct weir_diagnosis *diagnosis)
{
    char program[PATH_MAX];

    if (find_program("mpiexec", program))
        tell_mpiexec(diagnosis, program);
    else if (find_program("srun", program))
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "mpiexec", NULL, "none, but %s starts ranks, too",
                           program);
    else
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "mpiexec",
                           "add the bin directory of the MPI library to PATH, or load its module: "
                           "module avail\n"
                           "or install it, as root: apt-get install openmpi-bin (Debian), dnf "
                           "install openmpi (Fedora)",
                           "neither it nor srun is in PATH: weir runs with one rank only");
}

/* ---- open files ---- */

static void tell_open_files(const struct weir_examination *examination)
{
    uint64_t wanted = FILES_MIN + (uint64_t)FILES_OF_RANK * examination->rank_count;
    char value[32], setting[64];
    uint64_t soft, hard;

    if (examination->rank_count <= 16)
        wanted = FILES_MIN;
    if (!weir_kernel_limit(examination->root, "Max open files", &soft, &hard)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "open files", NULL,
                           "the kernel does not tell the limit (/proc/self/limits)");
        return;
    }
    if (soft >= wanted) {
        snprintf(value, sizeof value, "%" PRIu64, soft);
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "open files", NULL, "%s",
                           soft == UINT64_MAX ? "unlimited" : value);
        return;
    }
    weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "open files", NULL,
                       "%" PRIu64 " per process; launchers and files of many ranks want %" PRIu64,
                       soft, wanted);
    snprintf(value, sizeof value, "%" PRIu64, wanted < 65536 ? UINT64_C(65536) : wanted);
    snprintf(setting, sizeof setting, "LimitNOFILE=%s", value);
    weir_help_with_limit(examination,
                         &(struct weir_limit_words){.letter = 'n',
                                                    .unit_bytes = 1,
                                                    .name = "nofile",
                                                    .value = value,
                                                    .container_value = value,
                                                    .unit_setting = setting,
                                                    .slurm_name = "NOFILE"},
                         soft, hard);
}

void weir_examine_launch(const struct weir_examination *examination)
{
    const struct weir_launch_mismatch *mismatch = examination->mismatch;

    if (mismatch != NULL && mismatch->fact[0] != '\0')
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "tasks", mismatch->remedy, "%s",
                           mismatch->fact);
    tell_launcher(examination->diagnosis);
    tell_open_files(examination);
}

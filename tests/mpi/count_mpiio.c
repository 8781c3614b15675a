/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded, for mpiio_calls.sh: counts the calls of MPI-IO that a rank makes, and writes a line
 * "CALL COUNT BYTES" per call to the file <WEIR_MPIIO_CALLS>.<rank> in MPI_Finalize. BYTES is the
 * largest amount that one of the calls asked for; 0 = calls that move no data. The number of sizes
 * of $WEIR_STAT_PATH that were asked of its server is in <WEIR_MPIIO_CALLS>.<rank>.sizes. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call {
    SEEK,
    SET_VIEW,
    PREALLOCATE,
    SYNC,
    WRITE,
    WRITE_ALL,
    WRITE_AT,
    WRITE_AT_ALL,
    READ,
    READ_ALL,
    READ_AT,
    READ_AT_ALL,
    CALL_COUNT
};

static const char *const names[CALL_COUNT] = {
    "seek",     "set_view",     "preallocate", "sync",     "write",   "write_all",
    "write_at", "write_at_all", "read",        "read_all", "read_at", "read_at_all",
};

static long long counts[CALL_COUNT];
static long long largest[CALL_COUNT];

static long long size_count;

int statx(int directory, const char *restrict path, int flags, unsigned mask,
          struct statx *restrict facts)
{
    const char *counted = getenv("WEIR_STAT_PATH");

    if (counted && (flags & AT_STATX_FORCE_SYNC) != 0 && strcmp(path, counted) == 0)
        size_count++;
    return (int)syscall(SYS_statx, directory, path, flags, mask, facts);
}

static void note(enum call call, int count, MPI_Datatype type)
{
    int type_bytes = 0;
    long long bytes;

    if (count > 0)
        PMPI_Type_size(type, &type_bytes);
    bytes = (long long)count * type_bytes;
    counts[call]++;
    if (bytes > largest[call])
        largest[call] = bytes;
}

int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence)
{
    note(SEEK, 0, MPI_BYTE);
    return PMPI_File_seek(file, offset, whence);
}

int MPI_File_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype unit,
                      MPI_Datatype file_type, const char *representation, MPI_Info info)
{
    note(SET_VIEW, 0, MPI_BYTE);
    return PMPI_File_set_view(file, displacement, unit, file_type, representation, info);
}

int MPI_File_preallocate(MPI_File file, MPI_Offset bytes)
{
    note(PREALLOCATE, 0, MPI_BYTE);
    return PMPI_File_preallocate(file, bytes);
}

int MPI_File_sync(MPI_File file)
{
    note(SYNC, 0, MPI_BYTE);
    return PMPI_File_sync(file);
}

#define AT_POINTER(name, call, qualifier)                                                          \
    int MPI_File_##name(MPI_File file, qualifier void *data, int count, MPI_Datatype type,         \
                        MPI_Status *status)                                                        \
    {                                                                                              \
        note(call, count, type);                                                                   \
        return PMPI_File_##name(file, data, count, type, status);                                  \
    }

#define AT_OFFSET(name, call, qualifier)                                                           \
    int MPI_File_##name(MPI_File file, MPI_Offset offset, qualifier void *data, int count,         \
                        MPI_Datatype type, MPI_Status *status)                                     \
    {                                                                                              \
        note(call, count, type);                                                                   \
        return PMPI_File_##name(file, offset, data, count, type, status);                          \
    }

AT_POINTER(write, WRITE, const)
AT_POINTER(write_all, WRITE_ALL, const)
AT_POINTER(read, READ, )
AT_POINTER(read_all, READ_ALL, )
AT_OFFSET(write_at, WRITE_AT, const)
AT_OFFSET(write_at_all, WRITE_AT_ALL, const)
AT_OFFSET(read_at, READ_AT, )
AT_OFFSET(read_at_all, READ_AT_ALL, )

int MPI_Finalize(void)
{
    const char *prefix = getenv("WEIR_MPIIO_CALLS");
    char path[4096];
    FILE *file;
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", prefix ? prefix : "mpiio-calls", rank);
    file = fopen(path, "we");
    for (int call = 0; file && call < CALL_COUNT; call++)
        if (counts[call] > 0)
            fprintf(file, "%s %lld %lld\n", names[call], counts[call], largest[call]);
    if (file)
        fclose(file);
    snprintf(path, sizeof path, "%s.%d.sizes", prefix ? prefix : "mpiio-calls", rank);
    file = fopen(path, "we");
    if (file) {
        fprintf(file, "%lld\n", size_count);
        fclose(file);
    }
    return PMPI_Finalize();
}

// SPDX-License-Identifier: Apache-2.0
// slowed: loaded before weir, lets data move no faster than SLOWED_BYTES_PER_S, by a clock that
// weir does not read.
//
// Before each call that moves 4 KiB or more between ranks it sleeps as long as these bytes take at
// that rate: sendmsg (tcp), memcpy (shm), MPI_Isend (mpi). What any flow moves, divided by the time
// from its first post to its last completion, is below that rate then, however busy the machine is.
// Copies of 1 MiB or more are not messages of these tests, and are not slowed.
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void sleep_for(size_t bytes)
{
    static double bytes_per_s;
    struct timespec until;
    double seconds;

    if (bytes_per_s == 0) {
        const char *text = getenv("SLOWED_BYTES_PER_S");
        bytes_per_s = text ? strtod(text, NULL) : -1;
    }
    if (bytes < 4096 || bytes_per_s <= 0)
        return;
    seconds = (double)bytes / bytes_per_s;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        continue;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    if (bytes < 1 << 20)
        sleep_for(bytes);
    return memmove(to, from, bytes);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    static ssize_t (*real)(int, const struct msghdr *, int);
    size_t bytes = 0;

    if (!real)
        real = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    for (size_t i = 0; i < (size_t)message->msg_iovlen; i++)
        bytes += message->msg_iov[i].iov_len;
    sleep_for(bytes);
    return real(file, message, flags);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sleep_for((size_t)count);
    return PMPI_Isend(data, count, type, peer, tag, comm, request);
}

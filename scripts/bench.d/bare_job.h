/* SPDX-License-Identifier: Apache-2.0 */
/* What the bare loops of `bench engines` have in common: the words of the command line, buffers, a
 * random order, and the line at the end. All of it happens before the first transfer or after the
 * last. */
#ifndef WEIR_BENCH_BARE_JOB_H
#define WEIR_BENCH_BARE_JOB_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BARE_TRANSFER_BYTES = 4096, BARE_CLOCK_EVERY = 64 };

struct bare_job {
    const char *path;
    bool must_write;
    bool is_direct;
    unsigned depth;
    uint64_t lasting_ns;
    int fd;
    char *data; /* depth transfers, one after the other */
    uint32_t block_count;
    uint32_t *order; /* each block once, in random order; then from the beginning again */
    uint32_t next;
    uint64_t start_ns;
    unsigned batches; /* since the clock was read */
    bool is_over;
    uint64_t op_count;
    uint64_t lasted_ns;
    struct rusage usage_before;
    struct rusage usage_after;
};

static inline uint64_t bare_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t bare_next_offset(struct bare_job *job)
{
    uint64_t offset = (uint64_t)job->order[job->next] * BARE_TRANSFER_BYTES;

    if (++job->next == job->block_count)
        job->next = 0;
    return offset;
}

/* Once per batch; reads the clock now and then only. */
static inline bool bare_goes_on(struct bare_job *job)
{
    if (++job->batches % BARE_CLOCK_EVERY == 0)
        job->is_over = bare_now_ns() - job->start_ns >= job->lasting_ns;
    return !job->is_over;
}

static inline uint64_t bare_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 24;
}

static inline int bare_make_order(struct bare_job *job, uint64_t bytes)
{
    uint64_t seed = (uint64_t)getpid();

    job->block_count = (uint32_t)(bytes / BARE_TRANSFER_BYTES);
    job->order = malloc(job->block_count * sizeof *job->order);
    if (job->order == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < job->block_count; i++) {
        uint32_t other = (uint32_t)(bare_random(&seed) % (i + 1));

        job->order[i] = job->order[other];
        job->order[other] = i;
    }
    return 0;
}

/* Incompressible, as that of the others, and touched. */
static inline int bare_make_data(struct bare_job *job)
{
    size_t bytes = (size_t)job->depth * BARE_TRANSFER_BYTES;
    uint64_t seed = 1;

    if (posix_memalign((void **)&job->data, BARE_TRANSFER_BYTES, bytes) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < bytes; i++)
        job->data[i] = (char)bare_random(&seed);
    return 0;
}

/* FILE BYTES read|write DEPTH SECONDS direct|buffered; 0 or -errno */
static inline int bare_prepare(struct bare_job *job, int argc, char **argv)
{
    uint64_t bytes;

    if (argc != 7)
        return -EINVAL;
    *job = (struct bare_job){.path = argv[1],
                             .must_write = strcmp(argv[3], "write") == 0,
                             .depth = (unsigned)strtoul(argv[4], NULL, 10),
                             .lasting_ns = (uint64_t)(strtod(argv[5], NULL) * 1e9),
                             .is_direct = strcmp(argv[6], "direct") == 0};
    bytes = strtoull(argv[2], NULL, 10);
    if (bytes < BARE_TRANSFER_BYTES || job->depth == 0)
        return -EINVAL;
    job->fd =
        open(job->path, (job->must_write ? O_RDWR : O_RDONLY) | (job->is_direct ? O_DIRECT : 0));
    if (job->fd < 0)
        return -errno;
    return bare_make_order(job, bytes) != 0 ? -ENOMEM : bare_make_data(job);
}

static inline void bare_begin(struct bare_job *job)
{
    getrusage(RUSAGE_SELF, &job->usage_before);
    job->start_ns = bare_now_ns();
}

static inline double bare_seconds(struct timeval before, struct timeval after)
{
    return (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_usec - before.tv_usec) / 1e6;
}

/* Before anything is closed: some of that takes long. */
static inline void bare_stop(struct bare_job *job)
{
    job->lasted_ns = bare_now_ns() - job->start_ns;
    getrusage(RUSAGE_SELF, &job->usage_after);
}

/* Tells operations, nanoseconds, and seconds of the processor for the program and for the kernel;
 * or what went wrong. Returns the exit code. */
static inline int bare_end(struct bare_job *job, int error)
{
    if (error == 0)
        printf("%" PRIu64 " %" PRIu64 " %.6f %.6f\n", job->op_count, job->lasted_ns,
               bare_seconds(job->usage_before.ru_utime, job->usage_after.ru_utime),
               bare_seconds(job->usage_before.ru_stime, job->usage_after.ru_stime));
    else
        fprintf(stderr, "%s: FILE BYTES read|write DEPTH SECONDS direct|buffered: %s\n",
                job->path != NULL ? job->path : "usage", strerror(-error));
    if (job->path != NULL && job->fd >= 0)
        close(job->fd);
    free(job->order);
    free(job->data);
    return error != 0;
}

#endif

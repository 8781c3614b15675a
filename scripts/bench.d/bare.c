/* SPDX-License-Identifier: Apache-2.0 */
/* The least that can be done: a loop of pread or pwrite and nothing else, for the comparison with
 * Weir. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct job {
    const char *path;
    uint64_t transfer_bytes;
    uint64_t op_count;
    uint64_t *offsets;
    void *data;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Every transfer once; in random order (Fisher-Yates) if `seed` is not 0. Made before the clock
 * starts. */
static int job_prepare(struct job *job, uint64_t seed)
{
    job->offsets = malloc(job->op_count * sizeof *job->offsets);
    if (job->offsets == NULL || posix_memalign(&job->data, 4096, job->transfer_bytes) != 0)
        return -ENOMEM;
    memset(job->data, 0x5a, job->transfer_bytes);
    for (uint64_t i = 0; i < job->op_count; i++)
        job->offsets[i] = i * job->transfer_bytes;
    for (uint64_t i = job->op_count; seed != 0 && i > 1; i--) {
        uint64_t other, offset = job->offsets[i - 1];

        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        other = (seed >> 16) % i;
        job->offsets[i - 1] = job->offsets[other];
        job->offsets[other] = offset;
    }
    return 0;
}

static int read_all(const struct job *job, int fd)
{
    for (uint64_t i = 0; i < job->op_count; i++)
        if (pread(fd, job->data, job->transfer_bytes, (off_t)job->offsets[i]) !=
            (ssize_t)job->transfer_bytes)
            return -EIO;
    return 0;
}

static int write_all(const struct job *job, int fd)
{
    for (uint64_t i = 0; i < job->op_count; i++)
        if (pwrite(fd, job->data, job->transfer_bytes, (off_t)job->offsets[i]) !=
            (ssize_t)job->transfer_bytes)
            return -EIO;
    return 0;
}

static int run(struct job *job, int must_write)
{
    uint64_t start;
    int fd, error;

    if (must_write)
        unlink(job->path);
    fd = open(job->path, must_write ? O_CREAT | O_RDWR : O_RDONLY, 0644);
    if (fd < 0)
        return -errno;
    start = now_ns();
    error = must_write ? write_all(job, fd) : read_all(job, fd);
    if (error == 0)
        printf("%" PRIu64 " %" PRIu64 "\n", job->op_count, now_ns() - start);
    close(fd);
    return error;
}

/* What one reading of the time stamp counter costs: below this no transfer with a stamp of its own
 * can get. */
static void time_clock(void)
{
    enum { READINGS = 10000000 };
    uint64_t start = now_ns(), sum = 0;

    for (int i = 0; i < READINGS; i++)
#if defined(__x86_64__)
        sum += __builtin_ia32_rdtsc();
#else
        sum += now_ns();
#endif
    printf("%d %" PRIu64 "\n", READINGS, now_ns() - start);
    if (sum == 0)
        putchar('\n');
}

int main(int argc, char **argv)
{
    struct job job = {0};
    int must_write, error;

    if (argc == 2 && strcmp(argv[1], "clock") == 0) {
        time_clock();
        return 0;
    }
    if (argc != 6) {
        fprintf(stderr, "usage: bare clock | read|write FILE BYTES TRANSFER-BYTES SEED\n");
        return 2;
    }
    must_write = strcmp(argv[1], "write") == 0;
    job.path = argv[2];
    job.transfer_bytes = strtoull(argv[4], NULL, 10);
    if (job.transfer_bytes == 0)
        return 2;
    job.op_count = strtoull(argv[3], NULL, 10) / job.transfer_bytes;
    error = job_prepare(&job, strtoull(argv[5], NULL, 10));
    if (error == 0)
        error = run(&job, must_write);
    if (error != 0)
        fprintf(stderr, "bare: %s: %s\n", job.path, strerror(-error));
    free(job.data);
    free(job.offsets);
    return error != 0;
}

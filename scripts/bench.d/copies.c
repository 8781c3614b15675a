/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a transfer over shared memory can be: a copy. copies DEPTH goes round DEPTH
 * buffers of 4 KiB and writes them one after the other to 64 MiB of shared memory, as often as it
 * takes, and prints the processor time of a copy in ns: the median of passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BUFFER_BYTES = 4096, TARGET_BYTES = 64 << 20, PASSES = 9 };

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;

    return (difference > 0) - (difference < 0);
}

static unsigned char *map(size_t bytes, int flags)
{
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED) {
        perror("copies: memory");
        exit(1);
    }
    return memory;
}

static double pass(unsigned char *target, const unsigned char *buffers, size_t depth)
{
    double start_s = now_s();
    size_t turn = 0;

    for (size_t offset = 0; offset < TARGET_BYTES; offset += BUFFER_BYTES) {
        memcpy(target + offset, buffers + turn * BUFFER_BYTES, BUFFER_BYTES);
        turn = turn + 1 == depth ? 0 : turn + 1;
    }
    return (now_s() - start_s) * 1e9 * BUFFER_BYTES / TARGET_BYTES;
}

int main(int argc, char **argv)
{
    size_t depth = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned char *target, *buffers;
    double times[PASSES];

    if (depth == 0) {
        fputs("usage: copies DEPTH\n", stderr);
        return 1;
    }
    target = map(TARGET_BYTES, MAP_SHARED);
    buffers = map(depth * BUFFER_BYTES, MAP_PRIVATE);
    memset(buffers, 1, depth * BUFFER_BYTES);
    pass(target, buffers, depth);
    for (int i = 0; i < PASSES; i++)
        times[i] = pass(target, buffers, depth);
    qsort(times, PASSES, sizeof *times, compare);
    printf("%.1f\n", times[PASSES / 2]);
    return 0;
}

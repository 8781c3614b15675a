/* SPDX-License-Identifier: Apache-2.0 */
/* The four patterns of docs/examples for one rank, written in C with no more than their system
 * calls: what programs of `weir parabench` are measured beside. Names are made as they are needed,
 * or all of them before the clock starts. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KIB = 1024, SMALL = 4 * KIB, LARGE = 4096 * KIB, BLOCK_SIZES = 5, NAME_BYTES = 256 };

struct job {
    const char *home; /* the directory of the rank */
    unsigned count;   /* indices, or small files */
    char *buffer;     /* LARGE */
    uint64_t op_count;
    uint64_t untimed_ns; /* of what the programs do outside of their `time` */
    bool is_rehearsal;   /* names are made and kept, and nothing is done */
    bool has_names;      /* they were kept, */
    char *names;         /* one behind the other, */
    size_t used, room;   /* up to the next one */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "bare_patterns: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

/* In `buffer`, or the next one of those that were kept. */
__attribute__((format(printf, 3, 4))) static const char *name(struct job *job, char *buffer,
                                                              const char *format, ...)
{
    va_list arguments;
    int length;
    char *kept = job->names + job->used;

    if (job->has_names) {
        job->used += strlen(kept) + 1;
        return kept;
    }
    va_start(arguments, format);
    length = vsnprintf(buffer, NAME_BYTES, format, arguments);
    va_end(arguments);
    if (length >= NAME_BYTES) {
        errno = ENAMETOOLONG;
        fail("name", buffer);
    }
    if (!job->is_rehearsal)
        return buffer;
    if (job->room - job->used < NAME_BYTES) {
        job->room = 2 * job->room + NAME_BYTES;
        job->names = realloc(job->names, job->room);
        if (job->names == NULL)
            fail("names", "");
    }
    memcpy(job->names + job->used, buffer, strlen(buffer) + 1);
    job->used += strlen(buffer) + 1;
    return buffer;
}

static bool must_do(struct job *job)
{
    job->op_count++;
    return !job->is_rehearsal;
}

/* ---- operations ---- */

static void put(struct job *job, const char *path, size_t bytes, int flags)
{
    int fd;

    if (!must_do(job))
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (fd < 0 || pwrite(fd, job->buffer, bytes, 0) != (ssize_t)bytes || close(fd) != 0)
        fail("write", path);
}

static void get(struct job *job, const char *path, size_t bytes, off_t offset)
{
    int fd;

    if (!must_do(job))
        return;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, job->buffer, bytes, offset) != (ssize_t)bytes || close(fd) != 0)
        fail("read", path);
}

static void get_whole(struct job *job, const char *path)
{
    struct stat facts;
    int fd;

    if (!must_do(job))
        return;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) != 0 ||
        pread(fd, job->buffer, (size_t)facts.st_size, 0) != facts.st_size || close(fd) != 0)
        fail("read", path);
}

static void make_directory(struct job *job, const char *path)
{
    if (must_do(job) && mkdir(path, 0700) != 0)
        fail("mkdir", path);
}

static void remove_directory(struct job *job, const char *path)
{
    if (must_do(job) && rmdir(path) != 0)
        fail("rmdir", path);
}

static void delete_file(struct job *job, const char *path)
{
    if (must_do(job) && unlink(path) != 0)
        fail("delete", path);
}

static void move(struct job *job, const char *path, const char *new_path)
{
    if (must_do(job) && rename(path, new_path) != 0)
        fail("rename", path);
}

/* ---- patterns ---- */

static void create_index(struct job *job)
{
    static const struct {
        const char *name;
        size_t bytes;
    } parts[] = {{"layout", 48 * KIB}, {"attr/names", 8 * KIB}, {"attr/types", 3 * KIB}};
    char room[NAME_BYTES], path[NAME_BYTES], new_path[NAME_BYTES];

    for (unsigned i = 0; i < job->count; i++) {
        const char *index = name(job, room, "%s/idx%u", job->home, i);

        make_directory(job, index);
        make_directory(job, name(job, path, "%s/attr", index));
        make_directory(job, name(job, path, "%s/data", index));
        put(job, name(job, path, "%s/lock", index), KIB, O_TRUNC);
        for (unsigned part = 0; part < 3; part++)
            put(job, name(job, path, "%s/%s.new", index, parts[part].name), parts[part].bytes,
                O_TRUNC);
        for (unsigned part = 0; part < 3; part++) {
            const char *from = name(job, path, "%s/%s.new", index, parts[part].name);

            move(job, from, name(job, new_path, "%s/%s", index, parts[part].name));
        }
        delete_file(job, name(job, path, "%s/lock", index));
    }
}

/* The distributed part and the solo part, which on one rank are the same. */
static void index_index(struct job *job)
{
    char room[NAME_BYTES], path[NAME_BYTES];

    for (unsigned i = 0; i < 2 * job->count; i++) {
        const char *index = name(job, room, "%s/idx%u", job->home, i % job->count);

        get(job, name(job, path, "%s/layout", index), 4506, 0);
        get(job, name(job, path, "%s/attr/names", index), KIB, 0);
        put(job, name(job, path, "%s/data/part%u", index, 0), 4915, O_TRUNC);
    }
}

static void delete_index(struct job *job)
{
    char room[NAME_BYTES], path[NAME_BYTES];

    for (unsigned i = 0; i < job->count; i++) {
        const char *index = name(job, room, "%s/idx%u", job->home, i);

        delete_file(job, name(job, path, "%s/data/part%u", index, 0));
        delete_file(job, name(job, path, "%s/attr/names", index));
        delete_file(job, name(job, path, "%s/attr/types", index));
        delete_file(job, name(job, path, "%s/layout", index));
        remove_directory(job, name(job, path, "%s/data", index));
        remove_directory(job, name(job, path, "%s/attr", index));
        remove_directory(job, index);
        put(job, name(job, path, "%s/catalogue", job->home), 2 * KIB, O_TRUNC);
    }
}

/* Creation and removal of the large file are not timed. */
static int create_large(struct job *job, const char *path)
{
    uint64_t begin_ns = now_ns();
    int fd = job->is_rehearsal ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0 && !job->is_rehearsal)
        fail("create", path);
    job->untimed_ns += now_ns() - begin_ns;
    return fd;
}

static void delete_large(struct job *job, const char *path)
{
    uint64_t begin_ns = now_ns();

    if (!job->is_rehearsal && unlink(path) != 0)
        fail("delete", path);
    job->untimed_ns += now_ns() - begin_ns;
}

static void write_blocks(struct job *job, const char *path, int fd, size_t bytes)
{
    for (size_t at = 0; at < LARGE; at += bytes)
        if (must_do(job) && pwrite(fd, job->buffer, bytes, (off_t)at) != (ssize_t)bytes)
            fail("write", path);
    if (must_do(job) && fsync(fd) != 0)
        fail("fsync", path);
    if (must_do(job) && close(fd) != 0)
        fail("close", path);
}

static void basic_operations(struct job *job)
{
    char room[NAME_BYTES], path[NAME_BYTES], new_path[NAME_BYTES];

    for (unsigned i = 0; i < job->count; i++)
        put(job, name(job, path, "%s/f%u", job->home, i), SMALL, O_TRUNC);
    for (unsigned i = 0; i < job->count; i++)
        get_whole(job, name(job, path, "%s/f%u", job->home, i));
    for (unsigned i = 0; i < job->count; i++)
        put(job, name(job, path, "%s/f%u", job->home, i), SMALL, O_APPEND);
    for (unsigned i = 0; i < job->count; i++) {
        const char *from = name(job, path, "%s/f%u", job->home, i);

        move(job, from, name(job, new_path, "%s/g%u", job->home, i));
    }
    for (unsigned i = 0; i < job->count; i++)
        delete_file(job, name(job, path, "%s/g%u", job->home, i));
    for (unsigned size = 0; size < BLOCK_SIZES; size++) {
        size_t bytes = (size_t)SMALL << 2 * size;
        const char *large = name(job, room, "%s/large", job->home);

        write_blocks(job, large, create_large(job, large), bytes);
        for (size_t at = 0; at < LARGE; at += bytes)
            get(job, name(job, path, "%s/large", job->home), bytes, (off_t)at);
        delete_large(job, large);
    }
}

static const struct {
    const char *name;
    void (*run)(struct job *job);
} patterns[] = {{"create-index", create_index},
                {"index-index", index_index},
                {"delete-index", delete_index},
                {"basic-operations", basic_operations}};

/* ---- the clock ---- */

/* Prints operations and nanoseconds. */
static void measure(struct job *job, void (*run)(struct job *job), bool has_names)
{
    uint64_t start_ns;

    if (has_names) {
        job->is_rehearsal = true;
        run(job);
        *job = (struct job){.home = job->home,
                            .count = job->count,
                            .buffer = job->buffer,
                            .names = job->names,
                            .has_names = true};
    }
    start_ns = now_ns();
    run(job);
    printf("%" PRIu64 " %" PRIu64 "\n", job->op_count, now_ns() - start_ns - job->untimed_ns);
}

int main(int argc, char **argv)
{
    struct job job = {.buffer = malloc(LARGE)};

    if (argc < 4 || job.buffer == NULL) {
        fprintf(stderr, "usage: bare_patterns PATTERN HOME COUNT [names-before]\n");
        return 2;
    }
    memset(job.buffer, '0', LARGE);
    job.home = argv[2];
    job.count = (unsigned)strtoul(argv[3], NULL, 10);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (strcmp(patterns[i].name, argv[1]) == 0)
            measure(&job, patterns[i].run, argc > 4);
    free(job.names);
    free(job.buffer);
    return job.op_count == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The least that can be done for a program of `weir parabench`: the system calls of a list, one
 * after the other, with paths that were made before the clock starts. */
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

/* What a loop needs beside its list. */
struct state {
    char *buffer; /* as large as the largest operation */
    int kept;     /* the file that is open between operations */
};

/* A line of the list: verb, path, another path or -, bytes, offset. */
struct op {
    int (*perform)(struct state *state, const struct op *op);
    const char *path;
    const char *other;
    size_t bytes;
    off_t offset;
};

struct job {
    char *text; /* the list, its blanks and line ends replaced by NUL */
    struct op *ops;
    uint64_t count;
};

static int finish(int fd, ssize_t moved, size_t bytes)
{
    if (close(fd) != 0)
        return -1;
    errno = EIO;
    return moved == (ssize_t)bytes ? 0 : -1;
}

static int put(struct state *state, const struct op *op, int flags)
{
    int fd = open(op->path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

    return fd < 0 ? -1 : finish(fd, pwrite(fd, state->buffer, op->bytes, op->offset), op->bytes);
}

static int do_write(struct state *state, const struct op *op)
{
    return put(state, op, O_TRUNC);
}

static int do_append(struct state *state, const struct op *op)
{
    int fd = open(op->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0666);

    return fd < 0 ? -1 : finish(fd, write(fd, state->buffer, op->bytes), op->bytes);
}

static int do_read(struct state *state, const struct op *op)
{
    int fd = open(op->path, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? -1 : finish(fd, pread(fd, state->buffer, op->bytes, op->offset), op->bytes);
}

/* All of a file: its size is asked for. */
static int do_read_whole(struct state *state, const struct op *op)
{
    int fd = open(op->path, O_RDONLY | O_CLOEXEC);
    struct stat facts;

    if (fd < 0 || fstat(fd, &facts) != 0)
        return -1;
    return finish(fd, pread(fd, state->buffer, (size_t)facts.st_size, 0), op->bytes);
}

static int do_mkdir(struct state *state, const struct op *op)
{
    (void)state;
    return mkdir(op->path, 0700);
}

static int do_rmdir(struct state *state, const struct op *op)
{
    (void)state;
    return rmdir(op->path);
}

static int do_delete(struct state *state, const struct op *op)
{
    (void)state;
    return unlink(op->path);
}

static int do_rename(struct state *state, const struct op *op)
{
    (void)state;
    return rename(op->path, op->other);
}

static int do_fcreat(struct state *state, const struct op *op)
{
    state->kept = open(op->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return state->kept < 0 ? -1 : 0;
}

static int do_fwrite(struct state *state, const struct op *op)
{
    return pwrite(state->kept, state->buffer, op->bytes, op->offset) == (ssize_t)op->bytes ? 0 : -1;
}

static int do_fsync(struct state *state, const struct op *op)
{
    (void)op;
    return fsync(state->kept);
}

static int do_fclose(struct state *state, const struct op *op)
{
    (void)op;
    return close(state->kept);
}

static const struct {
    const char *name;
    int (*perform)(struct state *state, const struct op *op);
} verbs[] = {{"write", do_write},      {"append", do_append}, {"read", do_read},
             {"whole", do_read_whole}, {"mkdir", do_mkdir},   {"rmdir", do_rmdir},
             {"delete", do_delete},    {"rename", do_rename}, {"fcreat", do_fcreat},
             {"fwrite", do_fwrite},    {"fsync", do_fsync},   {"fclose", do_fclose}};

static int read_op(struct op *op, char *line)
{
    char *rest, *verb = strtok_r(line, " ", &rest);
    char *bytes, *offset;

    op->path = strtok_r(NULL, " ", &rest);
    op->other = strtok_r(NULL, " ", &rest);
    bytes = strtok_r(NULL, " ", &rest);
    offset = strtok_r(NULL, " ", &rest);
    if (offset == NULL)
        return -EINVAL;
    op->bytes = strtoull(bytes, NULL, 10);
    op->offset = (off_t)strtoull(offset, NULL, 10);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verb, verbs[i].name) == 0)
            op->perform = verbs[i].perform;
    return op->perform != NULL ? 0 : -EINVAL;
}

static int read_text(struct job *job, const char *list, size_t *bytes)
{
    FILE *file = fopen(list, "re");

    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return -errno;
    *bytes = (size_t)ftell(file);
    rewind(file);
    job->text = calloc(1, *bytes + 1);
    if (job->text == NULL || fread(job->text, 1, *bytes, file) != *bytes)
        return -EIO;
    return fclose(file);
}

static int read_list(struct job *job, const char *list)
{
    size_t bytes = 0;
    int error = read_text(job, list, &bytes);

    job->ops = error == 0 ? calloc(bytes / 8 + 1, sizeof *job->ops) : NULL;
    if (job->ops == NULL)
        return error != 0 ? error : -ENOMEM;
    for (char *line = job->text, *end; error == 0 && (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        *end = '\0';
        error = read_op(&job->ops[job->count++], line);
    }
    return error;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Operations, nanoseconds, and those of the processor. */
static int run(const struct job *job, struct state *state)
{
    uint64_t start = now_ns(CLOCK_MONOTONIC), used = now_ns(CLOCK_PROCESS_CPUTIME_ID);

    for (uint64_t i = 0; i < job->count; i++) {
        if (job->ops[i].perform(state, &job->ops[i]) != 0) {
            fprintf(stderr, "bare_program: line %" PRIu64 ": %s\n", i + 1, job->ops[i].path);
            return -errno;
        }
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", job->count, now_ns(CLOCK_MONOTONIC) - start,
           now_ns(CLOCK_PROCESS_CPUTIME_ID) - used);
    return 0;
}

int main(int argc, char **argv)
{
    struct state state = {.kept = -1};
    size_t largest = 0;
    struct job job = {0};
    int error;

    if (argc != 2) {
        fprintf(stderr, "usage: bare_program LIST\n");
        return 2;
    }
    error = read_list(&job, argv[1]);
    for (uint64_t i = 0; error == 0 && i < job.count; i++)
        largest = job.ops[i].bytes > largest ? job.ops[i].bytes : largest;
    state.buffer = malloc(largest + 1);
    if (state.buffer != NULL)
        memset(state.buffer, '0', largest + 1);
    error = error != 0 ? error : state.buffer != NULL ? run(&job, &state) : -ENOMEM;
    if (error != 0)
        fprintf(stderr, "bare_program: %s\n", strerror(-error));
    free(job.ops);
    free(job.text);
    free(state.buffer);
    return error != 0;
}

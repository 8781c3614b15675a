/* SPDX-License-Identifier: Apache-2.0 */
/* The least that can be done with names: create, stat and unlink of all paths of a list, one after
 * the other, with the system calls of Weir's posix backend and nothing else. */
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
    char *text; /* the list, its line ends replaced by NUL */
    const char **paths;
    uint64_t count;
};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0664);

    return fd < 0 ? fd : close(fd);
}

static int look(const char *path)
{
    struct stat facts;

    return lstat(path, &facts);
}

static const struct {
    const char *name;
    int (*perform)(const char *path);
} verbs[] = {{"create", create}, {"stat", look}, {"unlink", unlink}};

/* All paths are made before a clock starts. */
static int read_list(struct job *job, const char *list)
{
    FILE *file = fopen(list, "re");
    size_t bytes;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return -errno;
    bytes = (size_t)ftell(file);
    rewind(file);
    job->text = calloc(1, bytes + 1);
    if (job->text == NULL || fread(job->text, 1, bytes, file) != bytes)
        return -EIO;
    fclose(file);
    job->paths = calloc(bytes + 1, sizeof *job->paths);
    if (job->paths == NULL)
        return -ENOMEM;
    for (char *path = job->text, *end; (end = strchr(path, '\n')) != NULL; path = end + 1) {
        *end = '\0';
        job->paths[job->count++] = path;
    }
    return 0;
}

/* Operations, nanoseconds, and those of the processor. */
static int run(const struct job *job, size_t verb)
{
    uint64_t start = now_ns(CLOCK_MONOTONIC), used = now_ns(CLOCK_PROCESS_CPUTIME_ID);

    for (uint64_t i = 0; i < job->count; i++)
        if (verbs[verb].perform(job->paths[i]) != 0)
            return -errno;
    printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", verbs[verb].name, job->count,
           now_ns(CLOCK_MONOTONIC) - start, now_ns(CLOCK_PROCESS_CPUTIME_ID) - used);
    return 0;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    int error;

    if (argc != 2) {
        fprintf(stderr, "usage: bare_names LIST\n");
        return 2;
    }
    error = read_list(&job, argv[1]);
    for (size_t verb = 0; verb < sizeof verbs / sizeof *verbs && error == 0; verb++)
        error = run(&job, verb);
    if (error != 0)
        fprintf(stderr, "bare_names: %s\n", strerror(-error));
    free(job.paths);
    free(job.text);
    return error != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* MPI tells neither the path that it opens nor a descriptor, and cannot be told not to follow
 * links: so the descriptors of the process are compared with what stands under the name. */
#include "mpiio_names.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DESCRIPTORS_MAX = 65536,
    /* Of one open: the file, Open MPI's file of the shared pointer, and some to spare for what its
     * transports open meanwhile. */
    OPEN_DESCRIPTORS = 8
};

/* ---- descriptors ---- */

int weir_mpiio_next_descriptor(void)
{
    int fd = eventfd(0, EFD_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd;
}

static bool is_open_as(int descriptor, const struct stat *name)
{
    struct stat open;

    return fstat(descriptor, &open) == 0 && open.st_ino == name->st_ino &&
           open.st_dev == name->st_dev;
}

/* The descriptor is nearly always the predicted one, so that is tried first. */
static bool has_open(const struct stat *name, int expected)
{
    struct rlimit limit = {.rlim_cur = DESCRIPTORS_MAX};
    int count;

    if (expected >= 0 && is_open_as(expected, name))
        return true;
    getrlimit(RLIMIT_NOFILE, &limit);
    count = limit.rlim_cur < DESCRIPTORS_MAX ? (int)limit.rlim_cur : DESCRIPTORS_MAX;
    for (int fd = 0; fd < count; fd++)
        if (is_open_as(fd, name))
            return true;
    return false;
}

/* ROMIO opens the file on the ranks that move data, if hints say so: rank 0 is one of them. */
static bool is_left_to_others(const struct weir_file_params *params, int descriptor)
{
    struct stat facts;

    return params->group->rank != 0 && fstat(descriptor, &facts) != 0 && errno == EBADF;
}

/* MPI makes a file anew with O_EXCL on one rank only, and opens it again by its name on others: so
 * an empty file without a second name is as good as new. All ranks look before the first byte. */
static bool is_claimed(const struct stat *name, const struct weir_file_params *params)
{
    if (!S_ISREG(name->st_mode))
        return false;
    if (params->claim == WEIR_CLAIM_NEW || params->claim == WEIR_CLAIM_ITEM)
        return name->st_nlink == 1 && name->st_size == 0;
    if (params->id.inode == 0)
        return name->st_nlink == 1;
    return name->st_ino == params->id.inode && name->st_dev == params->id.device;
}

int weir_mpiio_judge(const char *path, const struct weir_file_params *params, int descriptor,
                     struct weir_file_id *id)
{
    struct stat name;

    if (lstat(path, &name) != 0)
        return -errno;
    *id = (struct weir_file_id){.device = name.st_dev, .inode = name.st_ino};
    if (params->claim == WEIR_CLAIM_ANY)
        return 0;
    if (S_ISLNK(name.st_mode))
        return -ELOOP;
    if (!is_claimed(&name, params))
        return -ESTALE;
    return has_open(&name, descriptor) || is_left_to_others(params, descriptor) ? 0 : -ESTALE;
}

/* ---- prefixes ---- */

static bool is_file(const char *path, struct stat *facts)
{
    return stat(path, facts) == 0 && S_ISREG(facts->st_mode);
}

/* What stands there is opened for reading, and compared. */
static int try_existing(const char *path, size_t prefix_bytes, bool *is_stripped)
{
    struct stat whole, rest;
    bool has_whole = is_file(path, &whole);
    bool has_rest = is_file(path + prefix_bytes, &rest);
    int descriptor = weir_mpiio_next_descriptor();
    int code = -ENOENT;
    MPI_File handle;

    if ((!has_whole && !has_rest) ||
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &handle) != MPI_SUCCESS)
        return -ENOENT;
    if (has_whole && has_open(&whole, descriptor))
        code = 0, *is_stripped = false;
    else if (has_rest && has_open(&rest, descriptor))
        code = 0, *is_stripped = true;
    MPI_File_close(&handle);
    return code;
}

/* A file with a unique name in the directory of `path`. */
static int try_new(const char *path, size_t prefix_bytes, bool *is_stripped)
{
    const char *slash = strrchr(path, '/');
    const char *colon = strrchr(path, ':');
    const char *last = slash > colon ? slash : colon;
    unsigned long long number = 0;
    char probe[PATH_MAX];
    int code = -ENOENT;
    MPI_File handle;

    if (getrandom(&number, sizeof number, 0) != sizeof number ||
        snprintf(probe, sizeof probe, "%.*s.weir-%016llx", (int)(last + 1 - path), path, number) >=
            (int)sizeof probe)
        return -ENAMETOOLONG;
    if (MPI_File_open(MPI_COMM_SELF, probe, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &handle) != MPI_SUCCESS)
        return -ENOENT;
    MPI_File_close(&handle);
    if (unlink(probe) == 0)
        code = 0, *is_stripped = false;
    else if (unlink(probe + prefix_bytes) == 0)
        code = 0, *is_stripped = true;
    return code;
}

const char *weir_mpiio_kernel_path(struct weir_mpiio_names *names, const char *path)
{
    const char *colon = strchr(path, ':');
    size_t bytes = colon ? (size_t)(colon - path) + 1 : 0;
    bool is_stripped = false;

    if (bytes == 0)
        return path;
    if (bytes >= sizeof names->prefix)
        return NULL;
    if (strncmp(names->prefix, path, bytes) != 0 || names->prefix[bytes] != '\0') {
        if (try_existing(path, bytes, &is_stripped) != 0 && try_new(path, bytes, &is_stripped) != 0)
            return NULL;
        memcpy(names->prefix, path, bytes);
        names->prefix[bytes] = '\0';
        names->is_stripped = is_stripped;
    }
    return names->is_stripped ? path + bytes : path;
}

bool weir_mpiio_may_make(const char *path, bool is_maker)
{
    char directory[PATH_MAX];

    snprintf(directory, sizeof directory, "%s", path);
    weir_text_cut_name(directory);
    return eaccess(directory, is_maker ? X_OK | W_OK : X_OK) == 0;
}

bool weir_mpiio_has_descriptors(void)
{
    int descriptors[OPEN_DESCRIPTORS];
    int count = 0, code;

    while (count < OPEN_DESCRIPTORS && (descriptors[count] = eventfd(0, EFD_CLOEXEC)) >= 0)
        count++;
    code = errno;
    for (int i = 0; i < count; i++)
        close(descriptors[i]);
    errno = code;
    return count == OPEN_DESCRIPTORS;
}

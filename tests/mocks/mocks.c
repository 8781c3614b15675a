/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for liblustreapi, libgpfs, BeeGFS's ioctl and statfs(2): they keep what they were
 * asked, make ordinary files, and fail on request. */
#include "mocks.h"

#include "striping.h"

#include <assert.h>
#include <beegfs/beegfs.h>
#include <errno.h>
#include <fcntl.h>
#include <gpfs_fcntl.h>
#include <lustre/lustreapi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

extern const struct weir_striping weir_striping_lustre;
extern const struct weir_striping weir_striping_gpfs;
extern const struct weir_striping weir_striping_beegfs;

/* What CMake writes where all three are installed. */
const struct weir_striping *const weir_stripings[] = {
    &weir_striping_lustre,
    &weir_striping_gpfs,
    &weir_striping_beegfs,
    NULL,
};

struct mocks mocks;

void mocks_reset(long magic)
{
    mocks = (struct mocks){.magic = magic};
}

static bool fails(const char *call)
{
    if (!mocks.fails || strcmp(mocks.fails, call) != 0)
        return false;
    errno = mocks.error;
    return true;
}

/* ---- statfs(2), ioctl(2): linked in the place of the real ones ---- */

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_statfs(const char *path, struct statfs *facts);

int __wrap_statfs(const char *path, struct statfs *facts)
{
    struct stat name;

    mocks.statfses++;
    if (stat(path, &name) != 0)
        return -1;
    *facts = (struct statfs){.f_type = mocks.magic};
    return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    void *argument;
    va_list arguments;

    va_start(arguments, request);
    argument = va_arg(arguments, void *);
    va_end(arguments);
    if (request != LL_IOC_SETFLAGS)
        return __real_ioctl(fd, request, argument);
    assert(fcntl(fd, F_GETFD) >= 0);
    mocks.lustre.ioctls++;
    memcpy(&mocks.lustre.ioctl_flags, argument, sizeof mocks.lustre.ioctl_flags);
    return fails("ioctl") ? -1 : 0;
}

/* Slowly, if asked for: a file may be there for a while before all is well with it. */
static int make_file(int directory, const char *path, int flags, mode_t mode, const char *call)
{
    int fd;

    if (!mocks.leaves_file && fails(call))
        return -1;
    usleep(mocks.settles_us);
    fd = openat(directory, path, flags | O_CREAT | O_EXCL, mode);
    if (fd < 0)
        return -1;
    usleep(mocks.settles_us);
    mocks.is_settled = true;
    if (!fails(call))
        return fd;
    if (mocks.leaves_data)
        assert(pwrite(fd, "data", 4, 0) == 4);
    close(fd);
    errno = mocks.error;
    return -1;
}

/* ---- liblustreapi ---- */

struct llapi_layout {
    uint64_t count, bytes, first;
    char pool[32];
};

struct llapi_layout *llapi_layout_alloc(void)
{
    struct llapi_layout *layout;

    if (fails("alloc"))
        return NULL;
    layout = calloc(1, sizeof *layout);
    assert(layout);
    layout->first = UINT64_MAX;
    mocks.lustre.layouts++;
    return layout;
}

void llapi_layout_free(struct llapi_layout *layout)
{
    mocks.lustre.layouts--;
    free(layout);
}

int llapi_layout_stripe_count_set(struct llapi_layout *layout, uint64_t stripe_count)
{
    layout->count = stripe_count;
    return fails("count") ? -1 : 0;
}

int llapi_layout_stripe_size_set(struct llapi_layout *layout, uint64_t stripe_size)
{
    layout->bytes = stripe_size;
    return fails("size") ? -1 : 0;
}

int llapi_layout_ost_index_set(struct llapi_layout *layout, int stripe_number, uint64_t ost_index)
{
    assert(stripe_number == 0);
    layout->first = ost_index;
    return fails("index") ? -1 : 0;
}

int llapi_layout_pool_name_set(struct llapi_layout *layout, const char *pool_name)
{
    snprintf(layout->pool, sizeof layout->pool, "%s", pool_name);
    return fails("pool") ? -1 : 0;
}

int llapi_layout_file_create(char *path, int open_flags, int mode,
                             const struct llapi_layout *layout)
{
    struct mock_lustre *lustre = &mocks.lustre;

    lustre->created++;
    lustre->had_layout = layout != NULL;
    lustre->flags = open_flags;
    lustre->mode = mode;
    if (layout) {
        lustre->count = layout->count;
        lustre->bytes = layout->bytes;
        lustre->first = layout->first;
        memcpy(lustre->pool, layout->pool, sizeof lustre->pool);
    }
    return make_file(AT_FDCWD, path, open_flags, (mode_t)mode, "create");
}

/* ---- BeeGFS ---- */

bool mock_beegfs_create(int directory, const char *name, mode_t mode, unsigned targets,
                        unsigned chunk)
{
    struct mock_beegfs *beegfs = &mocks.beegfs;
    struct stat facts;
    int fd;

    beegfs->created++;
    if (fstat(directory, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    beegfs->directory = facts.st_ino;
    snprintf(beegfs->name, sizeof beegfs->name, "%s", name);
    beegfs->mode = mode;
    beegfs->targets = targets;
    beegfs->chunk = chunk;
    fd = make_file(directory, name, O_WRONLY, mode, "create");
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* ---- libgpfs ---- */

static void keep_hint(int fd, const unsigned char *bytes, const int head[2])
{
    struct mock_hint *hint = &mocks.hints[mocks.hint_count];
    struct stat facts;

    assert(mocks.hint_count < MOCK_HINTS_MAX);
    assert(head[0] > 0 && head[0] % 8 == 0 && head[0] <= MOCK_HINT_BYTES);
    assert(fstat(fd, &facts) == 0);
    *hint = (struct mock_hint){
        .fd = fd, .is_directory = S_ISDIR(facts.st_mode), .type = head[1], .call = mocks.fcntls};
    memcpy(hint->bytes, bytes, (size_t)head[0]);
    mocks.hint_count++;
}

int gpfs_fcntl(int fd, void *argument)
{
    const unsigned char *bytes = argument;
    gpfsFcntlHeader_t header;
    int head[2];

    memcpy(&header, bytes, sizeof header);
    assert(header.fcntlVersion == GPFS_FCNTL_CURRENT_VERSION && header.fcntlReserved == 0);
    for (int at = sizeof header; at < header.totalLength; at += head[0]) {
        memcpy(head, bytes + at, sizeof head);
        assert(at + head[0] <= header.totalLength);
        keep_hint(fd, bytes + at, head);
    }
    mocks.fcntls++;
    return fails("fcntl") ? -1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the stand-ins for three file systems were asked, and how they shall answer. */
#ifndef WEIR_MOCKS_H
#define WEIR_MOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MOCK_HINTS_MAX = 32, MOCK_HINT_BYTES = 64 };

struct mock_lustre {
    unsigned layouts; /* that were allocated and are not freed yet */
    unsigned created; /* calls that would have made a file */
    bool had_layout;
    uint64_t count, bytes, first; /* of the layout of the last call; 0 and UINT64_MAX: not set */
    char pool[32];
    int flags;
    int mode;
    unsigned ioctls;
    long ioctl_flags;
};

struct mock_beegfs {
    unsigned created;
    ino_t directory;
    char name[32];
    mode_t mode;
    unsigned targets, chunk;
};

struct mock_hint {
    int fd;
    bool is_directory;
    int type;
    unsigned call; /* number of the gpfs_fcntl() it came with, from 0 */
    unsigned char bytes[MOCK_HINT_BYTES];
};

struct mocks {
    long magic;        /* of every path */
    unsigned statfses; /* how often that was asked */
    const char *fails; /* name of the call that fails with `error`; NULL: none */
    int error;
    bool leaves_file;    /* a failing creation leaves an empty file behind */
    bool leaves_data;    /* and somebody has written to it since */
    unsigned settles_us; /* a file takes this long to make, and as long again to get its layout */
    bool is_settled;
    struct mock_lustre lustre;
    struct mock_beegfs beegfs;
    struct mock_hint hints[MOCK_HINTS_MAX];
    unsigned hint_count;
    unsigned fcntls;
};

extern struct mocks mocks;

/* Everything works, nothing was asked, and all paths are on a file system of this type. */
void mocks_reset(long magic);

#endif

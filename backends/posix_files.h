/* SPDX-License-Identifier: Apache-2.0 */
/* Files, block devices and names of the kernel's file systems, shared by the backends that open
 * them with open(2). */
#ifndef WEIR_BACKENDS_POSIX_FILES_H
#define WEIR_BACKENDS_POSIX_FILES_H

#include "striping.h"
#include "weir/io/backend.h"

#include <sys/stat.h>
#include <sys/types.h>

/* What files and directories are made with, before the umask, where nothing else is asked for. */
#define WEIR_POSIX_FILE_MODE 0664
#define WEIR_POSIX_DIRECTORY_MODE 0775 /* as mdtest's */

struct weir_posix_file {
    struct weir_file base;
    int fd;
    struct weir_striped striped; /* if the session is striping */
};

/* A backend that needs more embeds this as the first member of its own session, and fills it with
 * weir_posix_session_init. */
struct weir_posix_session {
    struct weir_session base;
    bool is_direct;       /* files are opened with O_DIRECT */
    bool clears_nonblock; /* O_NONBLOCK would change what transfers do: off once a file is open */
    bool must_lock;       /* the range of each transfer is locked while it lasts */
    bool must_lock_file;  /* each file is locked whole while it is open */
    int lock_failure;     /* of the latest open that had to; 0: it was locked */
    const volatile sig_atomic_t *stop_signal; /* of weir_session_params */
    /* the file system that is told more of its files than open(2) can; NULL: none */
    const struct weir_striping *striping;
    struct weir_striping_options striping_options;
    /* of direct files whose file system does not say: what was measured last */
    struct weir_alignment alignment;
    struct weir_posix_file own_file; /* the first that is open; others are from the heap */
    bool own_file_is_open;
};

/* Ends the striping of a file whose descriptor is closed, and gives its memory back to the session
 * that opened it. */
void weir_posix_file_free(struct weir_posix_session *session, struct weir_posix_file *file);

/* The descriptor of an open file. */
static inline int weir_posix_fd(const struct weir_file *file)
{
    return ((const struct weir_posix_file *)file)->fd;
}

/* Fills a session that is part of another struct: `depth` transfers at once, and no options. It
 * holds nothing that would have to be released. */
void weir_posix_session_init(struct weir_posix_session *session, const struct weir_backend *backend,
                             bool is_direct, unsigned depth);

/* A blocking session, one transfer at a time. Errors as in weir_backend.open. */
int weir_posix_session_open(const struct weir_backend *backend, bool is_direct,
                            struct weir_session **session, struct weir_error *error);
void weir_posix_session_close(struct weir_session *session);

/* From now on files are made and opened as `options` ask; or refuses these, with *error set. */
int weir_posix_session_stripe(struct weir_session *session,
                              const struct weir_striping_options *options,
                              struct weir_error *error);

/* What open(2) is given for `params`, striping aside. Where a direct file may have to be made,
 * weir_posix_file_ops.open does more. */
int weir_posix_open_flags(const struct weir_posix_session *session,
                          const struct weir_file_params *params);

/* What a file is made with, and a directory, before the umask. */
mode_t weir_posix_file_mode(const struct weir_file_params *params);
mode_t weir_posix_directory_mode(const struct weir_session *session);

/* Whether the open file is what `params` claim, which is only then written: 0, or -errno as told
 * there. Sets *id of what is open, and refuses a directory (-EISDIR), which opens for reading like
 * a file. */
int weir_posix_judge(int fd, const struct weir_file_params *params, struct weir_file_id *id);

/* Opens the file that occupies the name of an item of WEIR_CLAIM_ITEM, if it may be written.
 * Returns the descriptor, or -errno as weir_posix_judge does. */
int weir_posix_open_found(const struct weir_posix_session *session,
                          const struct weir_file_params *params);

/* Removes the name if it still stands for the file that `fd` has open. Another program may change
 * the name after the look at it: Linux has no call that removes a name of a given file only. */
void weir_posix_unlink_same(const char *path, int fd);

/* A nameless file in the nearest directory above `path` that exists, for trying things out on its
 * file system: the descriptor, or -errno (-EINVAL: it cannot be direct). */
int weir_posix_open_scratch(const char *path, bool is_direct);

/* What stat(2) says. */
enum weir_name_kind weir_posix_kind(mode_t mode);

static inline struct weir_file_id weir_posix_id(const struct stat *facts)
{
    return (struct weir_file_id){.device = facts->st_dev, .inode = facts->st_ino};
}

/* The size of a device, which has none in stat(2); or -errno. */
int64_t weir_posix_device_bytes(int fd);

/* The number in a file of /proc or /sys, for sentences; -1 if there is none. */
long weir_posix_kernel_number(const char *path);

/* True if a seccomp filter is on this process: it is mostly a container's, and makes system calls
 * fail that the kernel has. */
bool weir_posix_is_filtered(void);

/* The way out of that, with the names of the system calls. */
#define WEIR_POSIX_FILTER_REMEDY                                                                   \
    "give the container a seccomp profile that allows %s\n"                                        \
    "or none, with Docker and Podman: --security-opt seccomp=unconfined"

/* As weir_file_ops.next_data, of a struct weir_posix_file. */
int64_t weir_posix_next_data(struct weir_session *session, struct weir_file *file, uint64_t offset);

/* pread(2) and pwrite(2). */
extern const struct weir_transfer_ops weir_posix_transfer_ops;

/* Creates with mode 0664 and without O_TRUNC, as IOR does. Where the session is direct and the file
 * system cannot be, open and alignment return -EOPNOTSUPP. */
extern const struct weir_file_ops weir_posix_file_ops;

/* ---- names, as of weir_name_ops ---- */

int weir_posix_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts);
int weir_posix_stat_item(struct weir_session *session, const char *path,
                         struct weir_name_facts *facts);
int weir_posix_stat_target(struct weir_session *session, const char *path,
                           struct weir_name_facts *facts);
int weir_posix_unlink(struct weir_session *session, const char *path);
int weir_posix_mkdir(struct weir_session *session, const char *path);
int weir_posix_rmdir(struct weir_session *session, const char *path);
int weir_posix_rename(struct weir_session *session, const char *path, const char *new_path);
int weir_posix_mknod(struct weir_session *session, const char *path);
int weir_posix_link(struct weir_session *session, const char *path, const char *new_path);
/* Leads to `path` as it is spelled, even if that is relative. */
int weir_posix_symlink(struct weir_session *session, const char *path, const char *new_path);
int weir_posix_chmod(struct weir_session *session, const char *path, unsigned mode);
int weir_posix_setxattr(struct weir_session *session, const char *path,
                        const unsigned char value[WEIR_XATTR_BYTES]);
int weir_posix_getxattr(struct weir_session *session, const char *path,
                        unsigned char value[WEIR_XATTR_BYTES]);
int weir_posix_list(struct weir_session *session, const char *path, weir_name_visit *visit,
                    void *context, struct weir_name_facts *facts, uint64_t *found);
int weir_posix_sync_all(struct weir_session *session, const char *path);
int weir_posix_alignment(struct weir_session *session, const char *path,
                         struct weir_alignment *alignment);

/* What an attribute of this length that was got makes of a GETXATTR. */
int weir_posix_judge_xattr(int bytes);

/* All of weir_name_ops but `check`. */
/* clang-format off */
#define WEIR_POSIX_NAME_OPS                                                                        \
    .stat = weir_posix_stat, .stat_item = weir_posix_stat_item,                                    \
    .stat_target = weir_posix_stat_target, .unlink = weir_posix_unlink,                            \
    .mkdir = weir_posix_mkdir, .rmdir = weir_posix_rmdir, .rename = weir_posix_rename,             \
    .mknod = weir_posix_mknod, .link = weir_posix_link, .symlink = weir_posix_symlink,             \
    .chmod = weir_posix_chmod, .setxattr = weir_posix_setxattr, .getxattr = weir_posix_getxattr,   \
    .list = weir_posix_list, .sync_all = weir_posix_sync_all, .alignment = weir_posix_alignment
/* clang-format on */

#define WEIR_POSIX_NAME_VERBS                                                                      \
    (WEIR_NAMES_RENAME | WEIR_NAMES_MKNOD | WEIR_NAMES_LINK | WEIR_NAMES_SYMLINK |                 \
     WEIR_NAMES_CHMOD | WEIR_NAMES_XATTR | WEIR_NAMES_LIST | WEIR_NAMES_SYNC_ALL)

/* What weir_posix_open_flags takes of weir_file_params.open_flags. */
#define WEIR_POSIX_OPEN_FLAGS                                                                      \
    (WEIR_OPEN_TRUNCATE | WEIR_OPEN_APPEND | WEIR_OPEN_EXCLUSIVE | WEIR_OPEN_SYNC |                \
     WEIR_OPEN_DIRECT | WEIR_OPEN_DIRECTORY | WEIR_OPEN_NOFOLLOW | WEIR_OPEN_NOATIME |             \
     WEIR_OPEN_NONBLOCK)

extern const struct weir_name_ops weir_posix_name_ops;

#endif

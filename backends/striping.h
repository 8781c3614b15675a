/* SPDX-License-Identifier: Apache-2.0 */
/* What a parallel file system can be told of a file beyond open(2): stripes when it is made, hints
 * and locks once it is open. One file per file system, which is in the build where its header is.
 */
#ifndef WEIR_BACKENDS_STRIPING_H
#define WEIR_BACKENDS_STRIPING_H

#include "weir/backends/striping_refusals.h"
#include "weir/io/backend.h"

#include <sys/types.h>

struct weir_lustre_options {
    int64_t stripe_count; /* 0: as the directory says, -1: all OSTs */
    int64_t stripe_bytes; /* 0: as the directory says */
    int64_t start_ost;    /* -1: any */
    int64_t must_ignore_locks;
    const char *pool; /* NULL: as the directory says */
};

struct weir_gpfs_options {
    int64_t must_hint_access;
    int64_t must_release_token;
    int64_t is_fine_grain_write;
    int64_t is_fine_grain_read;
    int64_t is_create_sharing;
};

struct weir_beegfs_options {
    int64_t target_count;   /* -1: as the directory says */
    const char *chunk_size; /* as typed; "-1": as the directory says */
};

/* A backend that offers the options has this in its own struct, and WEIR_STRIPING_ROWS among its
 * rows. What a build does not have stays unset: its rows are refused. */
struct weir_striping_options {
    struct weir_lustre_options lustre;
    struct weir_gpfs_options gpfs;
    struct weir_beegfs_options beegfs;
};

/* ---- rows ---- */

/* The authors have none of these file systems. */
#define WEIR_UNTRIED "tried with a stand-in only"

/* Literals that are put together, and designators, stand in no parentheses:
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define WEIR_STRIPING_ROW(key, kind, values, path, value, refused, need, text)                     \
    {                                                                                              \
        0, "posix." key, WEIR_OPTION_##kind, WEIR_OPTION_AT(values, path), value,                  \
            .refusal = refused, .since = "4.0", .help = text " (" WEIR_UNTRIED ")",                \
            .needs = need ", " WEIR_UNTRIED,                                                       \
            .better = "a target on another file system is refused before anything is touched"      \
    }
#define WEIR_LUSTRE_ROW(key, kind, values, path, value, text)                                      \
    WEIR_STRIPING_ROW(key, kind, values, path, value, WEIR_LUSTRE_REFUSAL,                         \
                      "lustre/lustreapi.h and liblustreapi", text)
#define WEIR_GPFS_ROW(key, kind, values, path, value, text)                                        \
    WEIR_STRIPING_ROW(key, kind, values, path, value, WEIR_GPFS_REFUSAL,                           \
                      "gpfs_fcntl.h and libgpfs", text)
#define WEIR_BEEGFS_ROW(key, kind, values, path, value, text)                                      \
    WEIR_STRIPING_ROW(key, kind, values, path, value, WEIR_BEEGFS_REFUSAL, "beegfs/beegfs.h", text)

/* The rows of `member`, a struct weir_striping_options in the values struct `values`. */
/* clang-format off */
#define WEIR_STRIPING_ROWS(values, member)                                                         \
    WEIR_LUSTRE_ROW("lustre.stripecount", INTEGER, values, member.lustre.stripe_count, "0",        \
                    "Lustre: OSTs of a new file; -1: all, 0: as its directory says"),              \
    WEIR_LUSTRE_ROW("lustre.stripesize", SIZE, values, member.lustre.stripe_bytes, "0",            \
                    "Lustre: bytes on one OST before the next, a multiple of 64k; 0: as the "      \
                    "directory says"),                                                             \
    WEIR_LUSTRE_ROW("lustre.startost", INTEGER, values, member.lustre.start_ost, "-1",             \
                    "Lustre: number of the first OST of a new file; -1: any"),                     \
    WEIR_LUSTRE_ROW("lustre.pool", TEXT, values, member.lustre.pool, NULL,                         \
                    "Lustre: pool of the OSTs of a new file"),                                     \
    WEIR_LUSTRE_ROW("lustre.ignorelocks", FLAG, values, member.lustre.must_ignore_locks, NULL,     \
                    "Lustre: transfers without Lustre's own locks"),                               \
    WEIR_GPFS_ROW("gpfs.hintaccess", FLAG, values, member.gpfs.must_hint_access, NULL,             \
                  "GPFS: declare what a rank will access before it does"),                         \
    WEIR_GPFS_ROW("gpfs.releasetoken", FLAG, values, member.gpfs.must_release_token, NULL,         \
                  "GPFS: give up all locks on a file right after opening it"),                     \
    WEIR_GPFS_ROW("gpfs.finegrainwritesharing", FLAG, values, member.gpfs.is_fine_grain_write,     \
                  NULL, "GPFS: hint that nodes write small pieces side by side"),                  \
    WEIR_GPFS_ROW("gpfs.finegrainreadsharing", FLAG, values, member.gpfs.is_fine_grain_read,       \
                  NULL, "GPFS: hint that nodes read small pieces side by side"),                   \
    WEIR_GPFS_ROW("gpfs.createsharing", FLAG, values, member.gpfs.is_create_sharing, NULL,         \
                  "GPFS: hint that nodes create files in one directory side by side"),             \
    WEIR_BEEGFS_ROW("beegfs.NumTargets", INTEGER, values, member.beegfs.target_count, "-1",        \
                    "BeeGFS: storage targets of a new file; -1: as its directory says"),           \
    WEIR_BEEGFS_ROW("beegfs.ChunkSize", TEXT, values, member.beegfs.chunk_size, "-1",              \
                    "BeeGFS: bytes on one target before the next, a power of two from 64k; "       \
                    "-1: as the directory says")
/* clang-format on */
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- file systems ---- */

/* What is kept for one open file. */
struct weir_striped {
    const struct weir_striping_options *options;
    struct weir_file_part part; /* where its transfers will lie */
    bool can_write;
    bool can_read;
    uint64_t declared_from; /* the range that was declared last */
    uint64_t declared_to;
    int directory; /* kept open for the sake of its hint; -1: none */
};

/* 0 or -errno, where nothing else is said. */
struct weir_striping {
    const char *label;   /* "Lustre" */
    const char *options; /* "--posix.lustre.*", for sentences */
    uint32_t magic;      /* what statfs(2) says of its files */
    bool (*is_asked)(const struct weir_striping_options *options);
    /* Refuses values that make no sense, with *error set. NULL: none can. */
    int (*check)(const struct weir_striping_options *options, const char *place,
                 struct weir_error *error);
    /* Makes a file that is not there (-EEXIST) and opens it with `flags`; the descriptor. */
    int (*create)(struct weir_striped *file, const char *path, int flags, mode_t mode);
    /* Once a file is open, whichever rank made it. NULL: nothing to say. */
    int (*opened)(struct weir_striped *file, int fd);
    /* Before a transfer; must cost nothing within the range declared last. NULL: nothing to say. */
    int (*before)(struct weir_striped *file, int fd, uint64_t offset, uint64_t size);
};

/* What was built, NULL-terminated. Defined by a generated file. */
extern const struct weir_striping *const weir_stripings[];

/* Finds the file system whose options were given, and checks their values; *chosen is NULL if none
 * were. Refuses options of two file systems at once. `place` is the backend's name. */
int weir_striping_choose(const struct weir_striping_options *options, const char *place,
                         const struct weir_striping **chosen, struct weir_error *error);

/* Refuses a path (which need not exist) that is on another type of file system. */
int weir_striping_check_path(const struct weir_striping *striping, const char *path,
                             const char *place, struct weir_error *error);

/* Makes and opens a file that is not there, and says what there is to say of it. The descriptor, or
 * -errno (-EEXIST: it is there), and then no file of ours is left behind. */
int weir_striping_make(const struct weir_striping *striping, struct weir_striped *file,
                       const char *path, int flags, mode_t mode);

/* Releases what is kept for a file. */
void weir_striped_end(struct weir_striped *file);

#endif

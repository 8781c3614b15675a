/* SPDX-License-Identifier: Apache-2.0 */
/* A backend as the rest of the program sees it, without touching it: names, abilities and
 * options. */
#ifndef WEIR_BASE_DESCRIPTOR_H
#define WEIR_BASE_DESCRIPTOR_H

#include "weir/base/options.h"

/* Abilities; a plan that needs one that is missing is refused before anything is touched. */
enum weir_ability {
    WEIR_CAN_SHARE = 1 << 0,   /* several ranks may open one file */
    WEIR_CAN_COLLECT = 1 << 1, /* collective transfers */
    WEIR_CAN_KEEP = 1 << 2,    /* data read is data written, so it can be verified */
    WEIR_CAN_NAME = 1 << 3,    /* has a namespace: stat, unlink, mkdir */
    WEIR_WRAPS = 1 << 4, /* stands around another backend, whose abilities it has: "fault:posix" */
    WEIR_BYPASSES_CACHE = 1 << 5, /* data does not pass the page cache of the node */
    WEIR_SYNCS_TOGETHER = 1 << 6, /* all ranks that opened a file must sync it together */
    WEIR_CAN_QUEUE = 1 << 7,      /* several transfers in flight at once */
    WEIR_TAKES_DEVICES = 1 << 8,  /* block devices are opened like files */
    WEIR_OPENS_TOGETHER = 1 << 9, /* all ranks that share a file must open and close it together */
};

/* Operations on names; a plan that needs one that is missing is refused. All that have
 * WEIR_CAN_NAME have stat, mkdir, rmdir and unlink. */
enum weir_name_verb {
    WEIR_NAMES_RENAME = 1 << 0,
    WEIR_NAMES_MKNOD = 1 << 1,
    WEIR_NAMES_LINK = 1 << 2,
    WEIR_NAMES_SYMLINK = 1 << 3,
    WEIR_NAMES_CHMOD = 1 << 4,
    WEIR_NAMES_XATTR = 1 << 5,
    WEIR_NAMES_LIST = 1 << 6,
    WEIR_NAMES_SYNC_ALL = 1 << 7,
    /* Of one without WEIR_CAN_NAME: it has all operations on names, and each of them succeeds and
       changes nothing. A stat finds a directory, a list no name. */
    WEIR_NAMES_ARE_VOID = 1 << 8,
};

/* How a file is opened: one or more of these; none: for reading. */
enum weir_open_flag {
    WEIR_OPEN_READ = 1 << 0,
    WEIR_OPEN_WRITE = 1 << 1,
    WEIR_OPEN_CREATE = 1 << 2,
    WEIR_OPEN_TRUNCATE = 1 << 3,
    WEIR_OPEN_APPEND = 1 << 4,
    WEIR_OPEN_EXCLUSIVE = 1 << 5,
    WEIR_OPEN_SYNC = 1 << 6,
    WEIR_OPEN_DIRECT = 1 << 7,
    WEIR_OPEN_DIRECTORY = 1 << 8,
    WEIR_OPEN_NOFOLLOW = 1 << 9,
    WEIR_OPEN_NOATIME = 1 << 10,
    WEIR_OPEN_NONBLOCK =
        1 << 11, /* no effect on regular files, as O_ASYNC, O_NOCTTY, O_LARGEFILE */
};

struct weir_descriptor {
    const char *name;    /* as typed: "posix" */
    const char *label;   /* as IOR prints it: "POSIX" */
    const char *alias;   /* a second name that is accepted, or NULL */
    const char *version; /* what IOR's apiVersion line shows; "" if nothing */
    const char *summary; /* one line for `weir backends` */
    unsigned abilities;  /* of enum weir_ability */
    unsigned name_verbs; /* of enum weir_name_verb */
    unsigned
        open_flags; /* of enum weir_open_flag: those from TRUNCATE on that an open may ask for */
    /* transfers in flight, and how many are handed over and waited for at once, where the user says
     * nothing; 0: 1 */
    unsigned standard_depth;
    unsigned standard_batch;
    struct weir_option_set options;
    /* Refuses values of `options` that are wrong on any host, for any ranks and devices; the
     * error names the remedy. Called when a plan is checked, before it runs or is explained. 0 or
     * the error. NULL: all values are accepted. */
    int (*check)(const void *options, struct weir_error *error);
    /* True if a session with these values moves all blocks of weir_file_params.part in one
     * transfer, which then begins at its offset in the file and continues in the next block of the
     * part where a block ends. NULL: a transfer is one range of the file. */
    bool (*spans_blocks)(const void *options);
};

#endif

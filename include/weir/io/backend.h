/* SPDX-License-Identifier: Apache-2.0 */
/* The seam to the backends: what a backend is, and the contract of every function it gives. The
 * queue enforces the contract of transfers; one contract suite runs over every backend. See
 * docs/backends.md for the lifecycle. */
#ifndef WEIR_IO_BACKEND_H
#define WEIR_IO_BACKEND_H

#include "weir/base/descriptor.h"
#include "weir/base/diagnosis.h"
#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/group/group.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_backend;
struct weir_op;

/* ---- live objects. A backend embeds them as the first member of its own structs. ---- */

/* One per rank: ring, context, queue pairs. Allocated by the backend, held by the engine. */
struct weir_session {
    const struct weir_backend *backend; /* set by the backend's open, like the other members */
    unsigned depth;        /* transfers that may be in flight: at most what was asked for */
    bool wants_huge_pages; /* buffers are best made of huge pages */
    bool bypasses_cache;   /* transfers pass no page cache of this node, as asked for */
    bool asks_direct;      /* hints ask for direct I/O, which a library may ignore */
    /* submit only prepares what reap hands to the kernel, so the time of acceptance is unknown:
     * an operation counts as accepted when it was issued, and no clock is read for it */
    bool submits_in_reap;
    unsigned queued_names; /* verbs of names that submit takes: 1u << WEIR_OP_STAT | ...; 0: none */
    uint64_t found_items;  /* that were to be made (WEIR_CLAIM_ITEM) and were there, so far */
    unsigned
        directory_mode; /* of directories that are made, less the umask; 0: 0775. The engine's */
};

/* Granularity of addresses, offsets and sizes of transfers. Each is a power of two; 1: none. */
struct weir_alignment {
    uint32_t memory;
    uint32_t offset; /* of offsets and sizes */
};

/* Identifies a file of the kernel on this node, under whatever name. */
struct weir_file_id {
    uint64_t device;
    uint64_t inode; /* 0: not known */
};

/* One open object. Allocated by the backend, held by the engine, used in the session that opened
 * it. */
struct weir_file {
    struct weir_alignment alignment;
    struct weir_file_id id; /* not known of storage that the kernel has no files for */
};

/* ---- transfers ---- */

enum weir_op_verb {
    WEIR_OP_WRITE,
    WEIR_OP_READ,
    /* Data written to `file` before this was submitted is stable when it is done. For `submit`
       only: what blocks has weir_file_ops.sync. */
    WEIR_OP_SYNC,
    /* Operations on names, for `submit` where weir_session.queued_names says so. */
    WEIR_OP_OPEN,  /* sets `file` on success */
    WEIR_OP_CLOSE, /* of `file`, whatever the result */
    WEIR_OP_STAT,
    WEIR_OP_MKDIR,
    WEIR_OP_UNLINK,
    WEIR_OP_RMDIR,
    WEIR_OP_RENAME,
    WEIR_OP_MKNOD,
    WEIR_OP_LINK,
    WEIR_OP_SYMLINK,
    WEIR_OP_CHMOD,
    WEIR_OP_SETXATTR,
    WEIR_OP_GETXATTR,
    WEIR_OP_LIST, /* with a stat of each name if request->facts is not NULL */
    /* Put together by the engine of the others, and timed as one; no backend sees them. */
    WEIR_OP_CREATE,    /* open, write, sync, close */
    WEIR_OP_READ_FILE, /* open, read, close */
    WEIR_OP_LOOKUP     /* stat of a name that is not there */
};
#define WEIR_OP_BACKEND_VERBS WEIR_OP_CREATE /* those below are the backends' */
#define WEIR_OP_VERB_COUNT 20

/* The operands of an operation on names. Lent from submit to reap. */
struct weir_name_request {
    const char *path;
    const char *new_path;          /* RENAME: replaced if it is there; LINK, SYMLINK: made */
    struct weir_name_facts *facts; /* STAT: filled on success. LIST: those of the last name */
    const struct weir_file_params *params; /* OPEN; its path is `path` */
    uint64_t *found;                       /* LIST: names in the directory, set on success */
    bool follows;                          /* STAT: of what a link leads to, as stat(2) */
};

/* One request slot, made once. The queue owns it; the engine has it from take to send and from reap
 * to give. */
struct weir_op {
    enum weir_op_verb verb;
    bool is_collective; /* all ranks of the file's group make this transfer together */
    bool may_wait;      /* it would have blocked where that was forbidden: now it is not */
    bool is_nowait;     /* the backend's: it was sent with the order not to block */
    uint8_t state;      /* the queue's: where in its life the slot is */
    struct weir_file *file;
    void *data; /* aligned as file->alignment.memory asks */
    uint64_t offset;
    uint64_t size;        /* > 0 */
    int64_t result;       /* bytes moved (0 of other verbs), or -errno; set by the backend */
    uint64_t issued_ns;   /* the three stamps are the queue's: handed to the backend, ... */
    uint64_t accepted_ns; /* ... taken by it, ... */
    uint64_t done_ns;     /* ... and seen complete */
    uint64_t due_ns;      /* the engine's: when it should have been issued, in an open loop */
    const struct weir_name_request *request; /* of operations on names */
    unsigned slot;                           /* 0 .. depth-1, for a backend's own parallel array */
    unsigned first_buffer;                   /* the engine's: number of the slot's first buffer */
};

#define WEIR_FOREVER UINT64_MAX

/* Give `transfer` (blocking), or `submit` and `reap`, or all three.
 *  - None of the three allocates, logs, reads a clock, the environment or a rank number, or calls a
 * collective (but for ops that are marked collective).
 *  - A failed or short transfer is a result, not a failure of the call. No backend retries. */
struct weir_transfer_ops {
    /* Moves op->size bytes; returns the bytes moved (0 at the end of the file) or -errno. */
    int64_t (*transfer)(struct weir_session *session, struct weir_op *op);

    /* Takes operations from the front, in order; returns how many (0: full, reap first), or -errno
     * if the session is broken. An operation taken comes back from exactly one reap with `result`
     * set. */
    int (*submit)(struct weir_session *session, struct weir_op *const ops[], unsigned count);

    /* Hands back at least `min` and at most `max` completed operations in any order; returns how
     * many. Fewer than `min`, or none, only after it has waited for `timeout_ns` (WEIR_FOREVER: as
     * long as it takes) or a signal has come. min = 0 never blocks; min is never above the number
     * in flight. -errno: the session is broken. */
    int (*reap)(struct weir_session *session, struct weir_op *done[], unsigned min, unsigned max,
                uint64_t timeout_ns);
};

/* ---- memory ---- */

/* The buffers of all slots: lent after the session is opened, and given back before it is closed.
 * Transfers may lie inside of them, outside, or across their end. */
struct weir_memory_ops {
    /* Registers them. A session that can do without, where the system refuses, goes on without and
     * tells it (weir_backend.describe). 0, or the error. */
    int (*lend)(struct weir_session *session, void *memory, size_t bytes, struct weir_error *error);
    void (*give_back)(struct weir_session *session);
};

/* ---- files ---- */

/* Where the transfers of one opener lie: in `block_count` blocks of `block_bytes`, `stride_bytes`
 * from one to the next, the first at `first_byte`. No blocks: anywhere. */
struct weir_file_part {
    uint64_t first_byte;
    uint64_t block_bytes;
    uint64_t stride_bytes;
    uint64_t block_count;
};

/* Kinds of files that an open accepts. The name may be replaced between a check of it and the
 * open, so the opener checks the file that it has opened, before the first byte. */
enum weir_claim {
    WEIR_CLAIM_ANY, /* whatever is there; links are followed */
    /* Nothing: this open makes the file, for which must_create is set too. -EEXIST: there is one.
     */
    WEIR_CLAIM_NEW,
    /* A regular file that is reached by no symbolic link (-ELOOP): the one of params->id, or, if
       that is not known, one that has no second name. Another one: -ESTALE. */
    WEIR_CLAIM_OWN,
    /* With must_create, a file that this open makes. An existing file is opened if it is regular
       (else -ESTALE), its name is no symbolic link (-ELOOP), no second name leads to it where data
       are to be written (-EMLINK), and it is empty or params->judge accepts it. Backends whose
       names are not files may open any. */
    WEIR_CLAIM_ITEM
};

/* An existing file that was opened with WEIR_CLAIM_ITEM. */
struct weir_found_file {
    uint64_t bytes;
    uint64_t link_count;
    int64_t modified_s; /* since 1970 */
    int descriptor;     /* for `read` */
    /* Reads up to `bytes` at a multiple of 4096 into memory that is aligned to it. Returns how many
     * it got, or -errno. */
    int64_t (*read)(const struct weir_found_file *found, void *data, size_t bytes, uint64_t offset);
};

struct weir_file_params {
    const char *path;
    bool can_write;
    bool can_read;
    bool must_create; /* make the file if there is none; of a shared file, see weir_file_ops.open */
    enum weir_claim claim;
    struct weir_file_id id; /* of WEIR_CLAIM_OWN */
    /* Of WEIR_CLAIM_ITEM: 0 if a file that is not empty may be written, else -errno. NULL: any. */
    int (*judge)(void *context, const struct weir_found_file *found);
    void *judge_context;
    /* the ranks that open this file together: a group of one for a file of its own */
    struct weir_group *group;
    uint64_t expected_bytes; /* what the file will grow to; 0: unknown */
    uint64_t transfer_bytes; /* of the largest transfer; 0: unknown */
    struct weir_file_part part;
    bool is_random; /* transfers come in no order */
    bool is_item;   /* one of many small files: weir_file.id is not needed */
    /* opened as open(2) would by these members, and no otherwise: for writing alone if it is not
     * read (else it may be opened for both), and through symbolic links, also of an item */
    bool is_exact;
    /* of enum weir_open_flag, from TRUNCATE on: those of descriptor.open_flags at most */
    unsigned open_flags;
    unsigned mode; /* of a file that is made, less the umask; 0: 0664 */
};

struct weir_file_ops {
    /* Collective over params->group for backends with WEIR_OPENS_TOGETHER, with must_create on all
     * ranks. Of others, the first rank opens a shared file with must_create, and the ranks after it
     * without, when the file is there. Sets *file only on success and leaves nothing behind on
     * failure (an existing file stays as it was). 0 or -errno. */
    int (*open)(struct weir_session *session, const struct weir_file_params *params,
                struct weir_file **file);
    /* Of backends with WEIR_OPENS_TOGETHER: what would keep this rank alone from an open that it
     * makes with others, who could wait for it for ever. Outside of the timing, before any of them
     * opens; makes nothing and changes nothing. 0 or -errno. Else NULL. */
    int (*may_open)(struct weir_session *session, const struct weir_file_params *params);
    /* Likewise: releases, without the others, what was opened with them, as far as that is
     * possible: some of them could not open it. It is not used or closed after that. */
    void (*abandon)(struct weir_session *session, struct weir_file *file);
    /* Releases the file in any case; the error is that of the release. Collective over
     * params->group where open was. */
    int (*close)(struct weir_session *session, struct weir_file *file);
    /* Data written is stable when this returns 0. Collective over params->group where open was. */
    int (*sync)(struct weir_session *session, struct weir_file *file);
    /* Present size in bytes, or -errno. */
    int64_t (*size)(struct weir_session *session, struct weir_file *file);
    /* From now on offsets of transfers count the bytes of the part's blocks alone, as if they lay
     * one behind the other, and a transfer may cross their ends; no blocks: as at first, all bytes
     * of the file. -EINVAL: no such part can be seen. Collective over params->group where open was.
     * NULL: files are seen whole. */
    int (*view)(struct weir_session *session, struct weir_file *file,
                const struct weir_file_part *part);
    /* Where the first byte from `offset` on is that does not lie in a hole; the size of the file if
     * there is none; or -errno. NULL: holes are unknown. */
    int64_t (*next_data)(struct weir_session *session, struct weir_file *file, uint64_t offset);
};

/* ---- names ---- */

enum weir_name_kind {
    WEIR_NAME_FILE,
    WEIR_NAME_LINK, /* a symbolic link, to whatever there is or is not, but to no device */
    WEIR_NAME_DIRECTORY,
    WEIR_NAME_DEVICE, /* or a symbolic link to one: names of devices often are */
    WEIR_NAME_OTHER
};

struct weir_name_facts {
    enum weir_name_kind kind;
    uint64_t bytes;         /* of a link: of what it leads to, 0 if that is not there */
    struct weir_file_id id; /* of the name itself, not of what a link leads to */
    uint64_t link_count;    /* names of it */
    int64_t modified_s;     /* since 1970 */
    bool is_others;         /* set by stat alone: of another user, as far as users are known */
};

/* Name and value of the extended attribute that SETXATTR sets and GETXATTR gets. */
#define WEIR_XATTR_NAME "user.weir"
#define WEIR_XATTR_VALUE "weir" /* and zeros */
#define WEIR_XATTR_BYTES 16

/* Called for each name in a directory, but for . and .. ; `name` is gone when it returns. Not 0:
 * nothing more is listed. */
typedef int weir_name_visit(void *context, const char *name);

/* All return 0 or -errno (-ENOENT: no such name). NULL: the backend has no such operation, of which
 * weir_descriptor.name_verbs has no bit. */
struct weir_name_ops {
    int (*stat)(struct weir_session *session, const char *path, struct weir_name_facts *facts);
    /* STAT of weir_queue_perform, which is timed: one look at the name alone, of which this node
     * may know already. A link is one even if it leads to a device, and either has 0 bytes. NULL:
     * stat does. */
    int (*stat_item)(struct weir_session *session, const char *path, struct weir_name_facts *facts);
    /* The same where the request follows links: one look at what the name leads to. NULL: the
     * backend has no links, or does not follow them; what there is for STAT does. */
    int (*stat_target)(struct weir_session *session, const char *path,
                       struct weir_name_facts *facts);
    int (*unlink)(struct weir_session *session, const char *path);
    int (*mkdir)(struct weir_session *session, const char *path);
    int (*rmdir)(struct weir_session *session, const char *path);
    int (*rename)(struct weir_session *session, const char *path, const char *new_path);
    int (*mknod)(struct weir_session *session, const char *path); /* an empty regular file */
    int (*link)(struct weir_session *session, const char *path, const char *new_path);
    int (*symlink)(struct weir_session *session, const char *path, const char *new_path);
    int (*chmod)(struct weir_session *session, const char *path, unsigned mode);
    int (*setxattr)(struct weir_session *session, const char *path,
                    const unsigned char value[WEIR_XATTR_BYTES]);
    int (*getxattr)(struct weir_session *session, const char *path,
                    unsigned char value[WEIR_XATTR_BYTES]);
    /* Reads the whole directory; `visit` may be NULL. `facts` not NULL: each name is looked at as
     * by stat, and the facts of the last one are left there. */
    int (*list)(struct weir_session *session, const char *path, weir_name_visit *visit,
                void *context, struct weir_name_facts *facts, uint64_t *found);
    /* All that was done in the file system of `path` is stable when this returns. */
    int (*sync_all)(struct weir_session *session, const char *path);
    /* Refuses, with *error set, a path (which need not exist) that the options of the session do
     * not fit. Called before anything is touched. NULL: they fit any path. */
    int (*check)(struct weir_session *session, const char *path, struct weir_error *error);
    /* The alignment that the file system of `path` (which need not exist) requires. -EOPNOTSUPP:
     * it has no O_DIRECT, which the session needs. NULL: no requirement. */
    int (*alignment)(struct weir_session *session, const char *path,
                     struct weir_alignment *alignment);
    /* The part of `path` that is the kernel's name of the file. NULL: all of it. */
    const char *(*kernel_path)(struct weir_session *session, const char *path);
    /* a name can be made anywhere: the directories that it says need not be there before */
    bool implies_directories;
};

/* ---- servers: for backends whose data live in processes of the job ---- */

#define WEIR_SERVER_ADDRESS_BYTES 128
#define WEIR_JOB_SECRET_BYTES 32

/* Roles of a rank in a test. */
enum weir_role { WEIR_ROLE_CLIENT = 1 << 0, WEIR_ROLE_SERVER = 1 << 1 };

/* One running server of this process. Allocated by the backend, held by the engine from the first
 * test that wants it to the end of the run, so that data outlive a test. It works by itself. */
struct weir_server {
    const struct weir_backend *backend;
    char address[WEIR_SERVER_ADDRESS_BYTES]; /* what sessions of all ranks find it by */
};

struct weir_server_params {
    const void *options; /* values of descriptor.options */
    unsigned server_count;
    unsigned server_number;      /* this one, 0 to server_count - 1, in the order of ranks */
    unsigned number_on_node;     /* among the servers of its node, from 0 on */
    unsigned client_count;       /* ranks that will be clients of it; 0: not known */
    unsigned node_server_count;  /* servers on its node, which share the memory; 0: not known */
    bool is_on_one_node;         /* all ranks are on the node of the server */
    const unsigned char *secret; /* WEIR_JOB_SECRET_BYTES, the same on all ranks of the run */
    /* Puts memory that was not yet touched onto a NUMA node (-1: any); 0 or -errno. NULL: the
     * kernel does. */
    int (*place)(void *context, void *memory, size_t bytes, int32_t numa_node);
    void *place_context;
    /* Lets the calling thread run near that node. */
    void (*bind)(int32_t numa_node);
    /* Refuses a block device that has something of others on it, which would be lost: 0, or the
     * error. NULL: devices are not checked. */
    int (*check_device)(const char *path, struct weir_error *error);
};

struct weir_server_ops {
    /* The roles of each rank; rank 0 is at least a client. The same answer on all ranks. Fills
     * roles[group->size]; 0, or the error with its remedy. */
    int (*assign)(const void *options, const struct weir_group *group, unsigned roles[],
                  struct weir_error *error);
    /* Sets *server only on success. On failure: 0 left behind, *error set. */
    int (*open)(const struct weir_server_params *params, struct weir_server **server,
                struct weir_error *error);
    void (*close)(struct weir_server *server);
    /* True if servers that were opened with the one options do for sessions with the other ones:
     * then they are kept from test to test, with the data. NULL: if no option differs. */
    bool (*is_same)(const void *options, const void *others);
};

/* ---- the backend itself: const, static ---- */

struct weir_session_params {
    unsigned depth;
    const void *options;              /* values of descriptor.options */
    struct weir_group *group;         /* all ranks of the test */
    const struct weir_backend *inner; /* of a wrapping backend ("fault:posix"), else NULL */
    const void *inner_options;
    /* where the backend adds what its options ask it to tell of the files it opens, for the
     * dialect's report; outlives the session. NULL on all ranks but rank 0 */
    struct weir_text *notes;
    /* addresses of the servers that run in this job, in the order of their ranks, and what they ask
     * for; none for backends without servers, or if the options name others */
    const char *const *servers;
    unsigned server_count;
    const unsigned char *secret;
    /* not 0: the run is to end, and no sleep of the backend's own goes on. NULL: never */
    const volatile sig_atomic_t *stop_signal;
};

/* What the system granted a session of its requests. */
struct weir_session_facts {
    struct weir_text granted;   /* "single issuer, fixed buffers": with commas between; may be "" */
    struct weir_text shortfall; /* what was asked for and not granted, and the way out: a sentence
                                   per line; "" if all was */
};

/* For weir_backend.describe: adds one thing that was granted, or one sentence on what was not. */
void weir_session_got(struct weir_session_facts *facts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void weir_session_missed(struct weir_session_facts *facts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct weir_backend {
    struct weir_descriptor descriptor;
    /* Sets *session only on success. On failure: 0 left behind, *error set. */
    int (*open)(const struct weir_session_params *params, struct weir_session **session,
                struct weir_error *error);
    /* Operations may be in flight if the session broke: they are cancelled or waited for, and not
     * handed back. Nothing touches the buffers when it returns. */
    void (*close)(struct weir_session *session);
    /* Adds to *facts. May be called at any time between open and close, but between transfers.
     * NULL: there is nothing to tell. */
    void (*describe)(struct weir_session *session, struct weir_session_facts *facts);
    /* Adds what this host lets the backend do, and with the file or device `path` (which need not
     * exist, but is no directory) if that is not NULL. Needs no session, and leaves nothing behind.
     * NULL: nothing that other backends do not tell. */
    void (*diagnose)(struct weir_diagnosis *diagnosis, const char *path);
    /* Adds the peer of the latest operation that failed: "server 1 at n2:7471
     * does not answer". NULL: the error says it all. */
    void (*explain)(struct weir_session *session, struct weir_text *text);
    /* A NULL table is an ability the backend does not have. */
    const struct weir_transfer_ops *transfer;
    const struct weir_file_ops *file;
    const struct weir_name_ops *names;
    const struct weir_memory_ops *memory;
    const struct weir_server_ops *server;
    /* Of a backend with WEIR_NAMES_ARE_VOID, which has no `names` for files that data are moved to:
     * what is done with the items of trees. */
    const struct weir_name_ops *void_names;
};

/* What is done with the items of trees, and through the queue. */
static inline const struct weir_name_ops *
weir_backend_item_names(const struct weir_backend *backend)
{
    return backend->void_names ? backend->void_names : backend->names;
}

/* A FIFO is in the place of a file. File systems return no such error. */
#define WEIR_EFIFO ENOSTR

/* ---- the list of backends that were built ---- */

/* Defined by the generated registry. */
struct weir_registry {
    const struct weir_backend *const *backends;
    size_t count;
    /* "name: reason" of backends that were not built, NULL-terminated */
    const char *const *left_out;
};
extern const struct weir_registry weir_registry;

/* By name, alias or label, without regard to case; NULL if there is none. */
const struct weir_backend *weir_backend_find(const struct weir_registry *registry,
                                             const char *name);

#endif

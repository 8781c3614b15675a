/* SPDX-License-Identifier: Apache-2.0 */
/* A client of object servers: names are hashed to a home server, data are striped over servers, and
 * many transfers may be in flight. Used by one thread. All functions return 0 (or a count) or
 * -errno; a server that is no more gives -EHOSTDOWN (it cut the link), -ETIMEDOUT (it does not
 * answer) or -ECONNREFUSED (it was not there, or refused us), for what needs it and in bounded
 * time. */
#ifndef WEIR_OBJECTS_CLIENT_H
#define WEIR_OBJECTS_CLIENT_H

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/fabric/fabric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_OBJECT_PATH_BYTES 1024
#define WEIR_OBJECT_SERVERS_MAX 1024

/* Messages that carry transfers of 64 KiB whole: for servers of clients whose mode is SEND. */
#define WEIR_OBJECT_MESSAGE_BYTES (65536 + 4096)

/* Who moves the data of a transfer. */
enum weir_object_mode {
    WEIR_OBJECT_ONE_SIDED, /* the client, by WRITE and READ into the server's memory */
    WEIR_OBJECT_PULL, /* the server, by READ (of what is written) and WRITE (of what is read), upon
                         a message: as NVMe over fabrics and NFS over RDMA do it */
    WEIR_OBJECT_SEND  /* messages carry the data, and the server copies them */
};

/* How far fsync goes: each level includes those before it. */
enum weir_object_flush {
    WEIR_FLUSH_BEST,     /* storage where there is a backing, else visible */
    WEIR_FLUSH_ACCEPTED, /* WRITEs are complete at the client */
    WEIR_FLUSH_VISIBLE, /* in the server's memory, seen by its processor: a commit message that goes
                           behind the WRITEs was answered */
    WEIR_FLUSH_STORAGE  /* and written to the backing, and that was synced */
};

struct weir_object_client_params {
    struct weir_fabric_params fabric;
    const char *const *addresses; /* of the servers, in the same order for all clients; borrowed */
    unsigned server_count;        /* 1 to WEIR_OBJECT_SERVERS_MAX */
    unsigned first_server; /* that the preflight begins with: another one for each client, so that
                              not all of them connect to one server at once */
    unsigned client_count; /* of the job, this one with them: servers that would not take them all
                              refuse the first one; 0: not known */
    bool leaves_trial;     /* another client on this node makes the preflight's trial */
    unsigned depth;        /* transfers in flight */
    uint64_t stripe_unit_bytes; /* of objects that are created; 0: 1 MiB */
    unsigned stripe_count;      /* of objects that are created; 0: all servers */
    enum weir_object_mode mode;
    enum weir_object_flush flush;
    bool tells_size_at_once; /* each write that makes the object longer tells its home; else close
                                and fsync do */
    uint64_t send_bytes;     /* SEND: the longest message; 0: WEIR_OBJECT_MESSAGE_BYTES */
};

struct weir_object_client;
struct weir_object; /* an open object */

/* Nobody is connected to yet. 0, or the error. */
int weir_object_client_open(const struct weir_object_client_params *params,
                            struct weir_object_client **client, struct weir_error *error);
/* Transfers in flight are dropped. NULL is allowed. */
void weir_object_client_close(struct weir_object_client *client);

/* Connects to all servers now, and moves one full-size message and one full work request over each
 * link: what is wrong with the way is told before anything is measured. A client that leaves the
 * trial to another one connects only, and where objects are not striped over all servers to the
 * first one only; to others it does when it needs them. 0, or the error, with the server, the step
 * that failed and the way out. */
int weir_object_client_preflight(struct weir_object_client *client, struct weir_error *error);

const struct weir_fabric_facts *weir_object_client_facts(const struct weir_object_client *client);
/* Transfers that can be under way at once, of params.depth at most: as many as a link takes, or
 * (PULL, SEND) as the servers have buffers for requests, those that it is not connected to as many
 * as the others. Known after the preflight. */
unsigned weir_object_client_depth(const struct weir_object_client *client);
/* The level that the fsyncs so far have reached at all servers that took part (BEST: there was
 * none). */
enum weir_object_flush weir_object_client_flushed(const struct weir_object_client *client);

/* Adds whom the latest failure concerned: "server 1 at n2:7471: does not answer". */
void weir_object_client_explain(const struct weir_object_client *client, struct weir_text *text);

/* Memory of transfers to come. Transfers may lie outside of it, at the cost of a copy. 0 or the
 * error. */
int weir_object_lend(struct weir_object_client *client, void *memory, size_t bytes,
                     struct weir_error *error);
void weir_object_give_back(struct weir_object_client *client);

/* ---- names ---- */

struct weir_object_params {
    const char *path;
    bool can_write;
    bool can_read;
    bool must_create; /* if there is none; an existing one stays as it is */
    uint64_t
        expected_bytes; /* memory for so many is taken at once when it is created; 0: as it grows */
};

enum weir_object_kind { WEIR_OBJECT_DATA, WEIR_OBJECT_DIRECTORY };

struct weir_object_facts {
    enum weir_object_kind kind;
    uint64_t bytes;
    uint64_t generation; /* changes when a name gets a new object */
    uint64_t unit_bytes;
    uint32_t stripe_count;
};

/* Names are paths with any bytes; a directory is a name that others begin with, and is made before
 * they are only where somebody asks for that. -ENOENT, -EISDIR, -ENOSPC, -ENAMETOOLONG ... */
int weir_object_open(struct weir_object_client *client, const struct weir_object_params *params,
                     struct weir_object **object);
/* Tells the home the size. The object is gone whatever the result. */
int weir_object_close(struct weir_object_client *client, struct weir_object *object);
int weir_object_sync(struct weir_object_client *client, struct weir_object *object);
int64_t weir_object_size(struct weir_object_client *client, struct weir_object *object);
int weir_object_stat(struct weir_object_client *client, const char *path,
                     struct weir_object_facts *facts);
int weir_object_unlink(struct weir_object_client *client, const char *path);
/* Where one server has the names of both directories (else -EXDEV: always within a directory, and
 * with a single server), and of directories those that are empty (-ENOTEMPTY). */
int weir_object_rename(struct weir_object_client *client, const char *path, const char *new_path);
int weir_object_mkdir(struct weir_object_client *client, const char *path);
int weir_object_rmdir(struct weir_object_client *client, const char *path);
/* Calls `name` with each name that is directly below `path`, in no order, until it returns false;
 * they are asked for as they are needed, a message full at a time. Names that come or go meanwhile
 * may be among them or not. */
int weir_object_list(struct weir_object_client *client, const char *path,
                     bool (*name)(void *context, const char *name,
                                  const struct weir_object_facts *facts),
                     void *context);

/* ---- data ---- */

enum weir_object_verb { WEIR_OBJECT_WRITE, WEIR_OBJECT_READ, WEIR_OBJECT_SYNC };

/* One transfer; whoever makes it keeps it until it is handed back. */
struct weir_object_io {
    struct weir_object *object;
    enum weir_object_verb verb;
    void *data;
    uint64_t offset;
    uint64_t bytes; /* > 0; SYNC: not looked at */
    int64_t result; /* bytes moved (READ: fewer at the end of the object), or -errno */
    void *context;  /* the caller's */
    unsigned slot;  /* 0 to depth - 1: not in flight twice */
};

/* As submit and reap of weir/io/backend.h. Neither allocates, but for the slow way: the first
 * transfer that comes to chunks whose places are not known asks for them before it is taken, and so
 * does a read beyond the known end for that; the first one outside of lent memory takes memory to
 * copy through. */
int weir_object_submit(struct weir_object_client *client, struct weir_object_io *const ios[],
                       unsigned count);
int weir_object_reap(struct weir_object_client *client, struct weir_object_io *done[], unsigned min,
                     unsigned max, uint64_t timeout_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What clients and servers of objects say to each other: one request, one answer. docs/rdma.md
 * tells the same in words. */
#ifndef WEIR_NETWORK_OBJECTS_PROTOCOL_H
#define WEIR_NETWORK_OBJECTS_PROTOCOL_H

#include "weir/fabric/fabric.h"
#include "weir/objects/client.h"
#include "weir/objects/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Structs travel as they lie in memory: little-endian, members aligned by themselves, no padding.
 */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structs travel as they are");

#define WEIR_PROTOCOL_VERSION 3u
#define WEIR_PROTOCOL_MAGIC UINT64_C(0x314a424f52494557) /* "WEIROBJ1" */

#define WEIR_PATH_BYTES_MAX (WEIR_OBJECT_PATH_BYTES - 1) /* without a NUL, which is never sent */
#define WEIR_MAP_CHUNKS_MAX 64u                 /* of one MAP; the runs of an answer always fit */
#define WEIR_RANGES_MAX 64u                     /* of one COMMIT */
#define WEIR_PULL_BYTES_MAX (UINT64_C(1) << 30) /* of one WRITE_PULL or READ_PUSH */
#define WEIR_ORPHANS_MAX 16u                    /* in one answer */
#define WEIR_OBJECT_BYTES_MAX (UINT64_C(1) << 62)
#define WEIR_NO_CHUNK UINT64_MAX /* address of chunks that nobody has written to */

/* Both ends receive messages of this length at least: every request and answer that is not data,
 * names or a list fits into the header of one work request. Links to shorter buffers are cut. */
#define WEIR_OBJECT_MESSAGE_BYTES_MIN WEIR_HEADER_BYTES

/* An object is known by its id: in the upper 16 bits its home, which is the server of its name
 * (weir_path_server) and knows its size and who has it open, and below a number there. */
static inline uint32_t weir_object_home(uint64_t object)
{
    return (uint32_t)(object >> 48);
}

/* To whom a verb is sent: H, the home of the (old) name or object; S, a server with a shard of the
 * object. Members that a verb does not name are 0 (`id` is always there). */
enum weir_verb {
    /* First on every link; others but PING are refused before it. Payload: struct weir_hello.
       Answer's payload: struct weir_welcome; or status -EPROTO, and a sentence of `payload_bytes`.
     */
    WEIR_VERB_HELLO = 1,
    WEIR_VERB_PING, /* payload: anything; it is the answer's */

    /* Answers of OPEN, CLOSE, UNLINK and RENAME may have a payload: `count` struct weir_orphan,
       objects that are gone. DROP each at all servers that may have a shard of it, and, when these
       have answered, at the server that said so, even if it has none. If the link ends before, it
       tells another client. */
    /* H: path, flags CREATE (then also `unit_bytes`, `count`: of stripes). Answer: facts, CREATED.
     */
    WEIR_VERB_OPEN,
    /* H. `bytes`: an end up to which was written, 0: none. Answer: facts. */
    WEIR_VERB_CLOSE,
    WEIR_VERB_STAT, /* H: path, or by id. Answer: facts */
    WEIR_VERB_SIZE, /* H. `bytes`: the object is at least so long. Answer: facts */
    /* H: path. Answer: facts. The object is gone when it is open nowhere. */
    WEIR_VERB_UNLINK,
    /* H: path, then new path, of which it is the home too (-EXDEV). Flag DIRECTORY: names that
       other servers may have in either are LOCKed; a directory is not renamed without that,
       -EISDIR. Answer: facts of what the new name led to before, if that was anything. */
    WEIR_VERB_RENAME,
    /* H: path. New names in a directory that is LOCKed: -EAGAIN, as of OPEN and RENAME. */
    WEIR_VERB_MKDIR,
    /* H: path. -ENOTEMPTY; names that another server may have in it are LOCKed. */
    WEIR_VERB_RMDIR,
    /* The server of the names in the directory: path of it. There are none (-ENOTEMPTY), and there
       will be none until UNLOCK, or until the link ends. */
    WEIR_VERB_LOCK,
    WEIR_VERB_UNLOCK,
    /* The server of the names in the directory: path of it ("" or "/": the top), `cookie` (0: from
       the start), `bytes`: the answer's payload at most. Payload: `count` items, each struct
       weir_list_item and its name. Answer's `cookie` goes into the next request; 0: that was all.
       There may be no items, and the cookie not 0. */
    WEIR_VERB_LIST,

    /* S, `offset`s being those in the shard. */
    /* `offset`: of the first chunk, a multiple of WEIR_CHUNK_BYTES; `count`: chunks, up to
       WEIR_MAP_CHUNKS_MAX; flag ALLOCATE (all or -ENOSPC). Payload of the answer: `count` struct
       weir_chunk_run, which cover exactly these. The link holds the shard until RELEASE, DROP or
       its end. */
    WEIR_VERB_MAP,
    WEIR_VERB_RELEASE, /* no WRITE or READ of ours is in flight, and addresses are forgotten */
    WEIR_VERB_DROP,    /* the shard is gone */
    /* Payload: `count` struct weir_range that were written. Flag STORAGE: to the backing, if there
       is one. Answer: `level`. Whatever came on this link before is in memory then. */
    WEIR_VERB_COMMIT,
    WEIR_VERB_WRITE_PULL, /* `offset`, `bytes`, `memory`, `address`: the server READs, then answers
                           */
    WEIR_VERB_READ_PUSH,  /* the same: the server WRITEs, then answers. Answer: `bytes` */
    WEIR_VERB_WRITE_SEND, /* `offset`; payload: `bytes` of data */
    WEIR_VERB_READ_SEND,  /* `offset`, `bytes`; answer's payload: the data */
    WEIR_VERB_COUNT
};

enum weir_request_flag {
    WEIR_REQUEST_CREATE = 1,
    WEIR_REQUEST_ALLOCATE = 2,
    WEIR_REQUEST_STORAGE = 4,
    WEIR_REQUEST_DIRECTORY = 8
};

enum weir_answer_flag { WEIR_ANSWER_CREATED = 1 };

struct weir_request {
    uint32_t verb;
    uint32_t flags;
    uint64_t id; /* echoed */
    uint64_t object;
    uint64_t generation;
    uint64_t offset;
    uint64_t bytes;
    uint64_t unit_bytes;
    uint64_t cookie;
    uint32_t count;
    uint16_t path_bytes;           /* the path follows this struct, */
    uint16_t new_path_bytes;       /* then the new one, */
    uint32_t payload_bytes;        /* then the payload: a request is exactly as long as these say */
    uint32_t reserved;             /* 0 */
    struct weir_region_key memory; /* of the client, ... */
    uint64_t address;              /* ... and where in it, as `remote_address` counts */
};
_Static_assert(sizeof(struct weir_request) == 120, "padding travels");

struct weir_answer {
    uint64_t id;
    int32_t status; /* 0 or -errno (as Linux counts) */
    uint32_t flags;
    /* facts */
    uint64_t object;
    uint64_t generation;
    uint64_t size;
    uint64_t unit_bytes;
    uint32_t stripe_count;
    uint32_t first_server; /* of shard 0 */
    uint32_t kind;         /* enum weir_object_kind */

    uint32_t count;
    uint64_t bytes; /* moved */
    uint64_t cookie;
    uint32_t level;         /* enum weir_object_flush */
    uint32_t payload_bytes; /* behind this struct */
};
_Static_assert(sizeof(struct weir_answer) == 88, "padding travels");

struct weir_hello {
    uint64_t magic;
    uint32_t version;
    uint32_t server_count; /* as this client knows them; the same for all clients */
    uint32_t server_index; /* of the one that it says hello to */
    uint32_t stripe_count; /* its defaults: told, so that nonsense is refused now */
    uint64_t unit_bytes;
    uint32_t client_count; /* that its job has, and that may come to this server; 0: not known */
    uint32_t reserved;     /* 0 */
};
_Static_assert(sizeof(struct weir_hello) == 40, "padding travels");

struct weir_welcome {
    uint64_t magic;
    uint32_t version;
    uint32_t message_credits; /* requests that the server takes from this link at once */
    uint64_t boot_id;         /* another one: another server, and all objects are gone */
    uint64_t capacity_bytes;
    struct weir_region_key slab;
    /* Memory that is nobody's, for a WRITE and a READ before anything is measured. */
    uint64_t scratch_address;
    uint64_t scratch_bytes;
    uint32_t has_backing;
    uint32_t is_huge;
};
_Static_assert(sizeof(struct weir_welcome) == 88, "padding travels");

struct weir_chunk_run {
    uint64_t address; /* of the first chunk, as `remote_address` counts; WEIR_NO_CHUNK: a hole */
    uint64_t count;   /* chunks that lie one behind the other */
};

struct weir_range {
    uint64_t offset; /* in the shard */
    uint64_t bytes;
};

struct weir_orphan {
    uint64_t object;
    uint64_t generation;
    uint32_t stripe_count;
    uint32_t first_server;
};

struct weir_list_item {
    uint64_t generation;
    uint64_t size;
    uint64_t unit_bytes;
    uint32_t stripe_count;
    uint32_t kind;
    uint32_t reserved;   /* 0 */
    uint32_t name_bytes; /* which follow: the last part of the path only, without a NUL */
};
_Static_assert(sizeof(struct weir_list_item) == 40, "padding travels");

/* A request that was found to be in order; pointers go into the message. */
struct weir_parsed_request {
    struct weir_request request; /* a copy: the message need not be aligned */
    const char *path;            /* not terminated */
    const char *new_path;
    const unsigned char *payload;
};

/* Reads a request of `bytes` bytes and checks all that can be checked without knowing any object:
 * lengths, ranges, counts, flags, paths, and members that must be 0. 0; -EINVAL: it is answered so;
 * -EBADMSG: it is so short that it has no id, and the link is cut. *parsed->request is filled
 * unless -EBADMSG. */
int weir_request_parse(const void *message, size_t bytes, struct weir_parsed_request *parsed);

/* The same for answers, at the client: lengths, and that status is 0 or a negative number above
 * -4096. *payload points into the message. 0 or -EBADMSG. */
int weir_answer_parse(const void *message, size_t bytes, struct weir_answer *answer,
                      const unsigned char **payload);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A server of named objects in memory: it owns a slab, hands out places in it, and answers small
 * messages, in a thread of its own. Data go one-sided, past it, or through it, as the client
 * chooses. docs/rdma.md has the protocol. */
#ifndef WEIR_OBJECTS_SERVER_H
#define WEIR_OBJECTS_SERVER_H

#include "weir/base/error.h"
#include "weir/fabric/fabric.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_CHUNK_BYTES (UINT64_C(1) << 20) /* what is allocated at once */

struct weir_object_server_params {
    struct weir_fabric_params fabric;
    const char *listen;      /* as of weir_fabric_listen */
    uint64_t capacity_bytes; /* rounded up to chunks */
    bool needs_huge_pages;   /* reserved ones, or it is not opened; false: if there are enough */
    /* A file or block device that fsync writes objects to: as large as the capacity (a file is
     * made so). Chunk n of memory is chunk n of it. What it holds at the start is not read. NULL:
     * fsync ends in memory. */
    const char *backing_path;
    /* As of weir_slab_params, but with the NUMA node of the network device (or
     * WEIR_NUMA_UNKNOWN). NULL: the kernel places it. */
    int (*place)(void *context, void *memory, size_t bytes, int32_t numa_node);
    void *place_context;
    /* Called in the server's thread before it serves, with that NUMA node. NULL: it runs where the
     * process does. */
    void (*bind)(int32_t numa_node);
    /* Asked whether the block device behind the memory may be written: 0, or the error. NULL: one
     * that nobody uses may. */
    int (*check_device)(const char *path, struct weir_error *error);
    unsigned client_limit; /* links at once; 0: 1024 */
    unsigned client_count; /* that are expected: the host must have descriptors and memory for so
                              many; 0: client_limit */
    unsigned node_server_count; /* servers that share the memory of this node; 0: 1 */
};

struct weir_object_server;

/* What it has. Plain data. */
struct weir_object_server_facts {
    struct weir_fabric_facts fabric;
    uint64_t capacity_bytes;
    uint64_t used_bytes;
    uint64_t object_count;
    uint64_t client_count; /* linked now */
    uint64_t message_count;
    uint64_t refused_count; /* before they were linked */
    bool is_broken;         /* its network failed as a whole: it serves nobody any more */
    bool is_huge;
    bool has_backing;
};

/* Memory is taken, placed, touched and registered, the backing opened, the listener opened, the
 * thread started. 0, or the error with its way out. */
int weir_object_server_open(const struct weir_object_server_params *params,
                            struct weir_object_server **server, struct weir_error *error);

/* "HOST:PORT". Valid as long as the server. */
const char *weir_object_server_address(const struct weir_object_server *server);

/* May be called by any thread. */
void weir_object_server_facts(struct weir_object_server *server,
                              struct weir_object_server_facts *facts);

/* Ends the thread; objects are gone. NULL is allowed. */
void weir_object_server_close(struct weir_object_server *server);

#endif

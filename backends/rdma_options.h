/* SPDX-License-Identifier: Apache-2.0 */
/* What the user says of remote memory, and what of it makes no sense. */
#ifndef WEIR_BACKENDS_RDMA_OPTIONS_H
#define WEIR_BACKENDS_RDMA_OPTIONS_H

#include "weir/base/arena.h"
#include "weir/base/options.h"
#include "weir/io/backend.h"
#include "weir/objects/client.h"

struct weir_rdma_options {
    const char *targets; /* a number, "per-node" or "self"; NULL: nothing was said */
    const char *hosts;
    const char *hosts_file;
    const char *secret_file;
    struct weir_fabric_params fabric; /* but for its secret */
    uint64_t capacity_bytes;
    bool wants_huge_pages;
    const char *back;
    uint64_t stripe_unit_bytes;
    unsigned stripe_count;
    enum weir_object_mode mode;
    enum weir_object_flush flush;
    enum weir_rdma_sizes { WEIR_RDMA_RELAXED, WEIR_RDMA_STRICT } sizes;
};

extern const struct weir_option weir_rdma_rows[];

/* Refuses, with the way out, what does not go together, whatever the ranks are: `values` are struct
 * weir_rdma_options. 0 or the error. */
int weir_rdma_options_check(const void *values, struct weir_error *error);

/* The number of ranks that --rdma.targets names. 0, or the error if it names none. */
int weir_rdma_targets_read(const char *word, unsigned *count, struct weir_error *error);

/* True if the servers are not of this job. */
bool weir_rdma_has_hosts(const struct weir_rdma_options *options);

#define WEIR_RDMA_DEVICE_BYTES 80 /* of a name in the list of --rdma.device, and its port */

/* How many devices --rdma.device names. */
unsigned weir_rdma_device_count(const struct weir_rdma_options *options);

/* What the options say of the network, for the number-th on its node of those that open one; texts
 * are borrowed from them, but the name of the device, which is in `device`. */
struct weir_fabric_params weir_rdma_fabric_params(const struct weir_rdma_options *options,
                                                  unsigned number,
                                                  char device[WEIR_RDMA_DEVICE_BYTES],
                                                  const unsigned char *secret);

/* The addresses of --rdma.hosts, or of the lines of --rdma.hosts-file ("HOST:PORT", empty ones and
 * what follows a # aside), in the arena. 0 or the error. */
int weir_rdma_hosts_read(const struct weir_rdma_options *options, struct weir_arena *arena,
                         const char *const **addresses, unsigned *count, struct weir_error *error);

/* What the backend's servers of this job are: weir_backend.server. */
extern const struct weir_server_ops weir_rdma_server_ops;

#endif

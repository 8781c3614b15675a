/* SPDX-License-Identifier: Apache-2.0 */
/* Which processors each rank of a node gets: a pure function of topology, policy and what the ranks
 * were given by their launcher. */
#ifndef WEIR_SYSTEM_BINDINGS_H
#define WEIR_SYSTEM_BINDINGS_H

#include "weir/base/facts.h"
#include "weir/base/pinning.h"
#include "weir/base/text.h"
#include "weir/system/topology.h"

/* Of one rank. Plain data, so that ranks can exchange it. */
struct weir_binding {
    struct weir_cpu_set cpus;  /* not empty */
    struct weir_cpu_set cores; /* the first processor of each of its cores */
    uint64_t numa_nodes;       /* of `cpus`, as bits */
    bool is_narrowed;          /* the policy offered more than what the rank was given */
    bool is_shared;            /* another rank has the same place, as there are not enough */
    bool is_far;               /* of STORAGE and NIC: the near places were all taken */
};

struct weir_binding_request {
    const struct weir_pinning *pinning;
    unsigned rank_count;              /* on this node */
    const struct weir_cpu_set *given; /* rank_count of them: where each rank may run, at the node */
    const unsigned *ranks;            /* rank_count of them: numbers in the job; for rankfiles */
    const char *host;                 /* for rankfiles; NULL: all hosts are this one */
    const char *rankfile;             /* text of the file: RANKFILE */
    /* names of devices, with NULL at the end: those behind the target for STORAGE, without which
     * STORAGE is refused; NULL: none */
    const char *const *devices;
};

/* Each rank, in the order of their numbers on the node, takes the first place that the policy
 * offers among those with the fewest ranks on it, as far as the rank may run there; it gets what of
 * the place it was given. WEIR_PIN_NONE leaves every rank what it was given. 0 and `bindings`
 * (rank_count of them); or a usage error that names the rank and the way out: a list or a rankfile
 * that names processors which the rank may not use or the host does not have, a device that is not
 * there or that nothing locates. */
int weir_bindings_plan(const struct weir_topology *topology,
                       const struct weir_binding_request *request, struct weir_binding *bindings,
                       struct weir_error *error);

/* ---- what some policies need ---- */

/* More lines than any rankfile needs: one for each of a million ranks. */
#define WEIR_RANKFILE_BYTES_MAX (UINT64_C(16) << 20)

/* Appends the text of a rankfile. 0, or an error that names the file; `text` is to be closed in any
 * case. */
int weir_bindings_read_rankfile(const char *path, struct weir_text *text, struct weir_error *error);

/* Names of devices, with NULL at the end. */
struct weir_binding_needs {
    const char *devices[WEIR_DEVICES_KEPT + 1];
};

/* The devices to sit near to for the data of a target: the disks below it, or where data leave the
 * node the network device that topology.h takes for the standard one. Returns needs->devices, whose
 * names are borrowed from both; NULL if there is none. */
const char *const *weir_bindings_devices(const struct weir_topology *topology,
                                         const struct weir_storage_facts *storage,
                                         struct weir_binding_needs *needs);

/* ---- a picture ---- */

/* The topology as a text for people, a line per NUMA node, and under each one its ranks. */
void weir_bindings_draw(struct weir_text *text, const struct weir_topology *topology,
                        const struct weir_binding_request *request,
                        const struct weir_binding *bindings);

#endif

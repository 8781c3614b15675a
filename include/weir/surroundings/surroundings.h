/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a phase: the host, the placement of the rank and its buffers, and the
 * traffic of devices and networks meanwhile. The first rank of each node observes what its ranks
 * share: topology, environment, storage, traffic and stolen time. A run opens and closes the
 * environment; a test and a phase each have one begin and one end. */
#ifndef WEIR_SURROUNDINGS_SURROUNDINGS_H
#define WEIR_SURROUNDINGS_SURROUNDINGS_H

#include "weir/group/group.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"
#include "weir/system/bindings.h"
#include "weir/system/environment.h"
#include "weir/system/memory_place.h"
#include "weir/system/pressure.h"
#include "weir/system/running.h"
#include "weir/system/stolen.h"
#include "weir/system/topology.h"

/* The host as a rank sees it. */
struct weir_host_view {
    struct weir_topology
        *topology;                 /* first rank of each node only; NULL if it cannot be had, ... */
    struct weir_error no_topology; /* ... and why */
    struct weir_cpu_set given;     /* where the launcher lets this rank run */
    struct weir_run_probe *probe;
    struct weir_pressure_watch *pressure; /* first rank of each node; else NULL */
    uint64_t machine;
    uint64_t memory_bytes;  /* of the node, or of the control groups that this rank is in */
    bool has_memory_policy; /* of its own (weir_memory_has_policy) */
};

/* Where the pages of the transfer buffers were. */
struct weir_page_sample {
    uint64_t at_ns; /* 0: never */
    int code;       /* 0, or -errno: unknown */
    struct weir_page_places places;
};

/* All zero before they are opened. */
struct weir_surroundings {
    const struct weir_clock *clock;
    struct weir_host_view host;
    /* of the test: */
    struct weir_group *group;
    const struct weir_test *test;
    bool is_kept;                             /* from the test before */
    struct weir_binding binding;              /* of this rank */
    uint32_t given_core_count;                /* cores of host.given */
    bool is_bound;                            /* to the binding */
    bool counts_reads;                        /* weir_storage_counts_reads(path) */
    char path[WEIR_PATH_BYTES];               /* behind which the storage is; "": there is none */
    struct weir_storage_facts storage;        /* behind the path; first rank of a node */
    struct weir_traffic_watch *traffic_watch; /* first rank of a node; else NULL */
    struct weir_stolen_watch *stolen_watch;   /* likewise, for all ranks of the node */
    bool is_told;                             /* rank 0 knows the storage of all nodes, ... */
    struct weir_storage_group *storages;      /* ... these, in the result's arena; rank 0 */
    unsigned storage_count;
    struct weir_error refusal; /* why weir_surroundings_place_memory was not 0 */
    /* of the phase: */
    struct weir_running look;      /* the latest one that read the kernel's counters */
    uint64_t looked_ns;            /* when that was; 0: never */
    bool samples_counters;         /* they are read around the present phase */
    struct weir_clock_pair clocks; /* before the phase; first rank of each node */
    uint64_t entered_ns;           /* time of weir_surroundings_enter() */
    uint64_t entered_waited_ns;    /* CPU wait of this rank before it */
    uint64_t waited_ns;            /* CPU wait between _enter() and _leave() */
    uint64_t waited_of_ns;         /* time between _enter() and _leave(); 0 = not yet known */
    uint64_t storage_read_bytes;   /* by this process before the phase; WEIR_UNKNOWN */
    struct weir_traffic traffic;
    struct weir_page_sample pages;
};

/* ---- around a run ---- */

/* Tells rank 0 what all nodes are (node_groups, job, mpi_library of `result`; the other ranks give
 * NULL). 0, or the error, the same on every rank. Collective. */
int weir_surroundings_open(struct weir_surroundings *surroundings, struct weir_group *group,
                           const struct weir_clock *clock, struct weir_result *result,
                           struct weir_error *error);
void weir_surroundings_close(struct weir_surroundings *surroundings);

/* Both, for commands that run no plan of the engine. */
int weir_surroundings_describe(struct weir_group *group, struct weir_result *result,
                               struct weir_error *error);

/* ---- around a test ---- */

/* Gives this rank its binding as the test wants it, and binds it there; on the first rank of a node
 * finds out what is behind `path` (NULL: nothing) and counts what passes it. The group and the test
 * must live until the end. Collective. */
int weir_surroundings_begin_test(struct weir_surroundings *surroundings, struct weir_group *group,
                                 const struct weir_test *test, const char *path,
                                 struct weir_error *error);
/* On rank 0, what all nodes see behind the path: into `facts`, of `result` (others: NULL). 0 or
 * -errno. Collective. */
int weir_surroundings_gather_storages(struct weir_surroundings *surroundings,
                                      struct weir_result *result, struct weir_test_result *facts);
/* Whether ranks stay where they are if they are those of both tests. */
bool weir_surroundings_suit(const struct weir_test *test, const struct weir_test *next);
/* The rank may run again where its launcher let it; or `keeps`: the next test has the same ranks,
 * and the surroundings suit it. If its path is the same too, what is known of the storage stays. */
void weir_surroundings_end_test(struct weir_surroundings *surroundings, bool keeps);

/* For weir_buffers_params.place: `context` are the surroundings. Not 0: see `refusal`. */
int weir_surroundings_place_memory(void *context, void *memory, size_t bytes);

/* ---- around a phase ---- */

/* Observations of this rank and, on the first rank of a node, of the node. */
struct weir_phase_surroundings {
    struct weir_execution execution;
    struct weir_traffic traffic; /* what passed devices and networks of the node */
    int code;                    /* -errno: the first rank of the node could not be heard; else 0 */
};

/* Before this rank waits for the start. */
void weir_surroundings_begin(struct weir_surroundings *surroundings);
/* Begin and end the interval in which waits of this rank for a CPU are counted: called just before
 * the agreed start, and after the last stamp of the rank. */
void weir_surroundings_enter(struct weir_surroundings *surroundings);
void weir_surroundings_leave(struct weir_surroundings *surroundings);
/* When its last stamp is taken, and no rank moves data any more. `group` are the ranks of the
 * phase, the first ones of the test or all; `memory` and `bytes` are the buffers. Collective, but
 * ranks do not agree. */
void weir_surroundings_end(struct weir_surroundings *surroundings, struct weir_group *group,
                           const void *memory, size_t bytes, struct weir_phase_surroundings *seen);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks and their buffers are wanted on a host: what a user says, as plain data. The front
 * end reads it, the plan holds it, and system makes bindings of it. */
#ifndef WEIR_BASE_PINNING_H
#define WEIR_BASE_PINNING_H

enum weir_pin_policy {
    WEIR_PIN_NONE,    /* as the launcher has placed them */
    WEIR_PIN_CORE,    /* a core for each, with all of its processors */
    WEIR_PIN_PU,      /* a processor (hardware thread) for each */
    WEIR_PIN_NUMA,    /* all processors of a NUMA node */
    WEIR_PIN_PACKAGE, /* all processors of a package (socket) */
    WEIR_PIN_STORAGE, /* cores, those nearest to the devices behind the target first */
    WEIR_PIN_NIC,     /* the same, nearest to a network device */
    WEIR_PIN_LIST,    /* processors of a list, one for each */
    WEIR_PIN_RANKFILE /* a set of processors for each rank, from a file */
};
#define WEIR_PIN_POLICIES 9

/* In which order ranks, by their numbers on the node, take what a policy offers. */
enum weir_pin_order {
    WEIR_PIN_ORDER_STANDARD, /* scatter for NUMA nodes and packages, else compact */
    WEIR_PIN_COMPACT,        /* neighbours next to each other: the first node is filled first */
    WEIR_PIN_SCATTER         /* each as far as possible from the one before: nodes in turn */
};

/* All zero: no rank is bound. */
struct weir_pinning {
    enum weir_pin_policy policy;
    enum weir_pin_order order;
    const char *list;          /* WEIR_PIN_LIST: "0-3,8", in the order of the text */
    const char *rankfile_path; /* WEIR_PIN_RANKFILE */
    const char *nic; /* WEIR_PIN_NIC: "mlx5_0" or "eth0"; NULL: the first that is up, RDMA before
                        Ethernet */
};

enum weir_membind_policy {
    WEIR_MEMBIND_AUTO,  /* near, as long as there is room, unless the process was started with a
                           policy of its own (numactl) */
    WEIR_MEMBIND_LOCAL, /* on the NUMA nodes of the rank's processors, or not at all */
    WEIR_MEMBIND_INTERLEAVE, /* page by page on all nodes that the process may use */
    WEIR_MEMBIND_NODE,       /* on one node that is named */
    WEIR_MEMBIND_NONE        /* as the kernel does it */
};
#define WEIR_MEMBIND_POLICIES 5

struct weir_membind {
    enum weir_membind_policy policy;
    unsigned node; /* WEIR_MEMBIND_NODE: its number */
};

/* The order that is given, or the policy's own. */
enum weir_pin_order weir_pin_order_of(const struct weir_pinning *pinning);

/* "none", "core", ... as a user types it; for LIST "list" and for RANKFILE "rankfile". */
extern const char *const weir_pin_policy_names[WEIR_PIN_POLICIES];
const char *weir_pin_policy_name(enum weir_pin_policy policy);
/* "auto", "local", "interleave", "node", "none" */
extern const char *const weir_membind_policy_names[WEIR_MEMBIND_POLICIES];
const char *weir_membind_policy_name(enum weir_membind_policy policy);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of hosts and file systems as plain data: gathered by system, stored in results, read by
 * reports. Texts are cut to fit; "" is unknown. */
#ifndef WEIR_BASE_FACTS_H
#define WEIR_BASE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* uname(2), cut to fit. */
struct weir_host_facts {
    char system[64];
    char node[64];
    char release[128];
    char version[128];
    char machine[64];
};

struct weir_filesystem_facts {
    bool is_known;
    uint64_t bytes_total;
    uint64_t bytes_used;      /* total minus free, as df counts it */
    uint64_t bytes_available; /* to this user: free, but for what the file system keeps back */
    uint64_t inodes_total;    /* 0 where the file system does not count them */
    uint64_t inodes_used;
    /* of the path, or its nearest existing parent, on the node that describes it; 0 = not known */
    uint64_t device;
    uint64_t inode;
    char type[32]; /* as in /proc/self/mountinfo: "ext4", "fuse.glusterfs"; "" if unknown */
};

#define WEIR_NICS_KEPT 8
#define WEIR_DEVICES_KEPT 8
#define WEIR_NUMA_UNKNOWN (-1)
#define WEIR_UNLIMITED UINT64_MAX

/* A network device with hardware behind it, or an RDMA port. */
struct weir_nic_facts {
    char name[32];  /* "eth0", "mlx5_0/1" */
    char kind[16];  /* "ethernet", "infiniband", "roce", "iwarp" */
    char state[16]; /* "up", "down", "active", ... */
    char driver[24];
    uint64_t bits_per_s; /* 0: not told */
    int32_t numa_node;   /* WEIR_NUMA_UNKNOWN */
};

/* Properties of a node, without those that differ between nodes of one kind (name, addresses,
 * free memory): two such nodes have the same bytes. To be zeroed before it is filled. */
struct weir_node_facts {
    char kernel[128]; /* "Linux 6.1.0-13-amd64 x86_64" */
    char distribution[96];
    char cpu_model[96];
    char governor[32]; /* "performance"; "mixed" if processors differ */
    char smt[16];      /* "on", "off", ... */
    char clock_source[32];
    char container[32];    /* "docker", "slurm-oci", ...; "" if it seems to be none */
    char hypervisor[32];   /* "kvm", ...; "" if it seems to be none */
    char cpus[96];         /* processors that this job may use here: "0-63" */
    char numa_memory[192]; /* "0: 64 GiB, 1: 64 GiB" */
    char transparent_huge_pages[16];
    uint32_t packages;
    uint32_t numa_nodes;
    uint32_t cores;
    uint32_t processors;
    uint64_t memory_bytes; /* to whole GiB from 8 GiB on: nodes of a kind differ by some pages */
    uint64_t memory_limit_bytes; /* of the control groups; WEIR_UNLIMITED */
    uint64_t huge_page_bytes;
    uint64_t huge_pages;         /* in reserve */
    uint64_t memlock_bytes;      /* WEIR_UNLIMITED */
    uint64_t open_files;         /* WEIR_UNLIMITED */
    uint64_t cpu_quota_permille; /* of one processor: 1500 is one and a half; WEIR_UNLIMITED */
    uint32_t nic_count;
    struct weir_nic_facts nics[WEIR_NICS_KEPT];
};

/* A block device in the chain behind a target. */
struct weir_device_facts {
    char name[32]; /* "dm-0", "nvme0n1" */
    char model[48];
    char scheduler[24];   /* the one in use: "none", "mq-deadline" */
    char write_cache[24]; /* "write back", "write through" */
    uint64_t bytes;
    uint32_t request_count;   /* nr_requests of its queue */
    uint32_t hardware_queues; /* 0: not told */
    uint32_t queue_depth;     /* of the device itself; 0: not told */
    uint32_t level;           /* 0: what the file system is on; its parts are level 1, ... */
    bool is_rotational;
    bool is_partition;
    bool is_memory; /* a RAM disk, zram, null_blk, or a loop device over a file in tmpfs: a flush
                       makes nothing durable */
    bool is_buffered_loop; /* the page cache of this node has the file behind a loop device */
    bool is_virtual;       /* a disk of a virtual machine, whose host may cache it */
    int32_t numa_node;     /* WEIR_NUMA_UNKNOWN */
};

enum weir_io_limit {
    WEIR_LIMIT_READ_BYTES,
    WEIR_LIMIT_WRITE_BYTES,
    WEIR_LIMIT_READ_OPS,
    WEIR_LIMIT_WRITE_OPS,
    WEIR_IO_LIMITS
};

/* The lowest I/O limits that control groups set for the devices of a storage. */
struct weir_io_limits {
    uint64_t per_s[WEIR_IO_LIMITS]; /* 0 = no limit */
    char device[32];                /* the first one that has a limit */
};

/* The storage behind a target as one node sees it; two nodes that see the same have the same
 * bytes. To be zeroed before it is filled. */
struct weir_storage_facts {
    bool is_known;
    bool is_network; /* data leave the node: counters of NICs apply, not those of block devices */
    /* is_network is false, but unknown: a FUSE file system without a name, or one that nodes share
     * through a block device (OCFS2) */
    bool may_be_network;
    char mount_point[256];
    char source[256];
    char type[32];
    char options[384];
    char striping[192]; /* "4 stripes of 1 MiB over 12 targets", as far as the file system tells */
    char client_cache[48]; /* a cache of the client's own: "page pool 4G"; "" = none is known */
    uint32_t failed_count; /* disks, paths or servers known to have failed */
    uint32_t part_count;   /* all of that kind, failed or not; 0 = none has failed */
    char part_kind[16];    /* "RAID disk", "path", "brick"; "" = none has failed */
    uint32_t device_count;
    struct weir_device_facts devices[WEIR_DEVICES_KEPT];
    struct weir_io_limits limits;
};

/* Whether it is known that one node alone has the storage: its own disks or memory. */
static inline bool weir_storage_is_local(const struct weir_storage_facts *facts)
{
    return facts->is_known && !facts->is_network && !facts->may_be_network;
}

/* Bytes that passed devices and networks of one node. Counters that are not available are 0 and
 * have their has_... member false. */
struct weir_traffic {
    bool has_devices; /* devices behind the target were found */
    bool has_network;
    bool has_loopback;
    bool has_client; /* the client of the file system counts the bytes of its mount */
    bool has_disks;  /* all disks of the node were counted, as the target's devices are unknown */
    uint64_t device_read_bytes;
    uint64_t device_written_bytes;
    uint64_t network_received_bytes;
    uint64_t network_sent_bytes;
    /* sent through lo: requests to file servers on this node, and any other traffic between
     * processes of the node */
    uint64_t loopback_bytes;
    /* requests to the devices that the file system is on, and their bytes */
    uint64_t top_reads;
    uint64_t top_read_bytes;
    uint64_t top_writes;
    uint64_t top_written_bytes;
    uint64_t client_read_bytes; /* payload that servers sent to the client */
    uint64_t client_written_bytes;
    uint64_t client_dirty_bytes;  /* not yet sent to servers when the phase ended */
    uint64_t client_cache_bytes;  /* size limit of the client's cache; 0 = unknown */
    uint64_t client_cached_bytes; /* used size of the client's cache when the phase ended */
    uint64_t client_at_ns;        /* CLOCK_MONOTONIC when the client's counters were read */
    uint64_t disks_read_bytes;    /* of all disks: upper bound for a daemon on this node */
    uint64_t disks_written_bytes;
    uint32_t failed_count; /* as in struct weir_storage_facts, when the phase ended */
};

/* Identity of a file, device or directory that a rank worked in, as stat(2) on its node returns it.
 */
struct weir_sight {
    uint64_t name;      /* hash of its path; 0 = not known */
    uint64_t device;    /* of the file system; of a block device, its own */
    uint64_t inode;     /* 0 for a block device */
    int64_t modified_s; /* since 1970 */
};

/* One thing to know of a whole run: "slurm job" and "4711". */
struct weir_fact {
    const char *key;
    const char *value;
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, swap space and huge pages; how much may be locked; and on which NUMA nodes it is. */
#include "kernel_files.h"
#include "subjects.h"
#include "ways_out.h"

#include "weir/base/pages.h"
#include "weir/system/limiting_group.h"
#include "weir/system/memory.h"
#include "weir/system/memory_place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* <linux/capability.h> */
enum { CAPABILITY_IPC_LOCK = 14 };

/* The memory that one rank registers at the standard depth with transfers of 1 MiB. */
#define RANK_BYTES (UINT64_C(32) << 20)
/* Two such ranks; also some thousand small registrations of an RDMA library and its queues. */
#define LOCKED_BYTES_MIN (UINT64_C(64) << 20)
/* Less is used up by the buffers of a few dozen ranks. */
#define FREE_BYTES_MIN (UINT64_C(1) << 30)

/* ---- memory, swap ---- */

static void tell_memory_limit(const struct weir_examination *examination, uint64_t host_bytes,
                              const struct weir_memory_facts *facts)
{
    char total[WEIR_SIZE_TEXT_BYTES], host[WEIR_SIZE_TEXT_BYTES], rest[WEIR_SIZE_TEXT_BYTES];
    struct weir_limiting_group group;

    weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "memory", NULL,
                       "a control group leaves %s of %s; %s are available",
                       weir_size_format(facts->bytes_total, total),
                       weir_size_format(host_bytes, host),
                       weir_size_format(facts->bytes_available, rest));
    weir_help_with_group(
        examination, "a greater --memory, or none", "--mem=0 or --exclusive",
        weir_limiting_group_find(examination->root, WEIR_GROUP_MEMORY, &group) ? &group : NULL);
}

static void tell_memory(const struct weir_examination *examination)
{
    char total[WEIR_SIZE_TEXT_BYTES], rest[WEIR_SIZE_TEXT_BYTES];
    struct weir_memory_facts facts;
    uint64_t host_bytes;

    if (!weir_kernel_memory(examination->root, "MemTotal", &host_bytes) ||
        weir_memory_describe(examination->root, &facts) != 0) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "memory", NULL,
                           "the kernel does not tell how much there is (/proc/meminfo)");
        return;
    }
    if (facts.bytes_total < host_bytes) {
        tell_memory_limit(examination, host_bytes, &facts);
        return;
    }
    weir_size_format(facts.bytes_total, total);
    weir_size_format(facts.bytes_available, rest);
    if (facts.bytes_available < FREE_BYTES_MIN)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "memory",
                           "end what takes it; ps -e -o rss,pid,comm --sort=-rss | head lists it",
                           "%s, of which only %s are available", total, rest);
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "memory", NULL,
                           "%s, of which %s are available", total, rest);
}

/* A hundredth of the memory swapped out is what idle daemons leave there. */
static void tell_swap(const struct weir_examination *examination)
{
    char total[WEIR_SIZE_TEXT_BYTES], used[WEIR_SIZE_TEXT_BYTES];
    uint64_t swap_bytes, free_bytes, host_bytes;

    if (!weir_kernel_memory(examination->root, "SwapTotal", &swap_bytes) ||
        !weir_kernel_memory(examination->root, "SwapFree", &free_bytes) ||
        !weir_kernel_memory(examination->root, "MemTotal", &host_bytes))
        return;
    if (swap_bytes == 0) {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "swap", NULL, "none");
        return;
    }
    weir_size_format(swap_bytes, total);
    weir_size_format(swap_bytes - free_bytes, used);
    if (swap_bytes - free_bytes > host_bytes / 100)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "swap",
                           "as root: swapoff -a before the run, if memory has room for it; "
                           "swapon -a afterwards",
                           "%s of %s are used: memory that was swapped out comes back while "
                           "something is timed",
                           used, total);
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "swap", NULL, "%s, next to unused",
                           total);
}

/* ---- huge pages ---- */

static void tell_huge_pages(const struct weir_examination *examination)
{
    const char *transparent = examination->node->transparent_huge_pages;
    char page[WEIR_SIZE_TEXT_BYTES] = "";
    char value[32] = "0";
    uint64_t page_bytes = 0;
    unsigned long reserved = 0, unused = 0;
    bool has_transparent =
        strcmp(transparent, "always") == 0 || strcmp(transparent, "madvise") == 0;

    if (!weir_kernel_memory(examination->root, "Hugepagesize", &page_bytes) &&
        transparent[0] == '\0') {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "huge pages", NULL,
                           "this kernel has none, or does not tell");
        return;
    }
    weir_size_format(page_bytes, page);
    if (weir_kernel_field(examination->root, "/proc/meminfo", "HugePages_Total", value,
                          sizeof value))
        sscanf(value, "%lu", &reserved);
    if (weir_kernel_field(examination->root, "/proc/meminfo", "HugePages_Free", value,
                          sizeof value))
        sscanf(value, "%lu", &unused);
    weir_diagnosis_add(examination->diagnosis,
                       unused > 0 || has_transparent ? WEIR_GOOD : WEIR_LIMITED, "huge pages", NULL,
                       "%lu of %s in reserve, %lu of them unused; transparent ones: %s", reserved,
                       page, unused, transparent[0] != '\0' ? transparent : "none");
    if (unused > 0 || has_transparent)
        return;
    weir_diagnosis_help(examination->diagnosis, "as root: sysctl -w vm.nr_hugepages=%lu",
                        reserved + 64);
    if (transparent[0] != '\0')
        weir_diagnosis_help(examination->diagnosis, "or as root: echo madvise > "
                                                    "/sys/kernel/mm/transparent_hugepage/enabled");
}

/* ---- NUMA ---- */

static void tell_balancing(const struct weir_examination *examination)
{
    char nodes[64] = "";
    uint64_t mode;

    if (!weir_kernel_number(examination->root, "/proc/sys/kernel/numa_balancing", &mode)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "NUMA balancing", NULL,
                           "this kernel has none, or does not tell");
        return;
    }
    weir_kernel_line(examination->root, "/sys/devices/system/node/online", nodes, sizeof nodes);
    if (mode == 0)
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "NUMA balancing", NULL, "off");
    else if (nodes[0] != '\0' && strpbrk(nodes, "-,") == NULL)
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "NUMA balancing", NULL,
                           "on, without effect: there is one NUMA node");
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "NUMA balancing",
                           "as root: sysctl -w kernel.numa_balancing=0",
                           "on: the kernel moves pages and tasks between NUMA nodes during a run");
}

void weir_examine_memory(const struct weir_examination *examination)
{
    tell_memory(examination);
    tell_swap(examination);
    tell_huge_pages(examination);
    tell_balancing(examination);
}

/* ---- locking ---- */

void weir_examine_locking(const struct weir_examination *examination)
{
    uint64_t wanted = examination->rank_count * RANK_BYTES;
    uint64_t soft, hard;
    char limit[WEIR_SIZE_TEXT_BYTES], wanted_text[WEIR_SIZE_TEXT_BYTES];

    if (wanted < LOCKED_BYTES_MIN)
        wanted = LOCKED_BYTES_MIN;
    if (!weir_kernel_limit(examination->root, "Max locked memory", &soft, &hard)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "memlock", NULL,
                           "the kernel does not tell the limit (/proc/self/limits)");
        return;
    }
    if (soft == UINT64_MAX)
        snprintf(limit, sizeof limit, "unlimited");
    else
        weir_size_format(soft, limit);
    if (soft >= wanted) {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "memlock", NULL, "%s", limit);
    } else if (weir_kernel_has_capability(examination->root, CAPABILITY_IPC_LOCK)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "memlock", NULL,
                           "%s, by which this user is not bound (CAP_IPC_LOCK)", limit);
    } else {
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "memlock", NULL,
                           "%s may be locked; registered buffers of io_uring and RDMA want %s",
                           limit, weir_size_format(wanted, wanted_text));
        weir_help_with_limit(examination,
                             &(struct weir_limit_words){.letter = 'l',
                                                        .unit_bytes = 1024,
                                                        .name = "memlock",
                                                        .value = "unlimited",
                                                        .container_value = "-1",
                                                        .unit_setting = "LimitMEMLOCK=infinity",
                                                        .slurm_name = "MEMLOCK"},
                             soft, hard);
    }
}

/* ---- placement ---- */

/* The last of the nodes: the first may be where pages go anyway. */
static unsigned last_node(uint64_t nodes)
{
    unsigned node = 0;

    while (nodes >>= 1)
        node++;
    return node;
}

static void tell_unplaced(struct weir_diagnosis *diagnosis, const char *what, int rc)
{
    weir_diagnosis_add(diagnosis, WEIR_LIMITED, "page placement", NULL, "%s: %s", what,
                       rc < 0 ? strerror(-rc) : "it is on another node");
    if (rc == -EPERM || rc == -ENOSYS)
        weir_diagnosis_help(diagnosis, "in a container: start it with --cap-add SYS_NICE (Docker, "
                                       "Podman), or let seccomp allow mbind and move_pages");
    else
        weir_diagnosis_help(diagnosis, "do without: --membind none");
}

/* Filters of system calls say that there are none, too. */
static bool is_filtered(const char *root)
{
    char mode[16];

    return weir_kernel_field(root, "/proc/self/status", "Seccomp", mode, sizeof mode) &&
           mode[0] == '2';
}

static void tell_placing(const struct weir_examination *examination, void *memory, size_t bytes,
                         uint64_t nodes)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;
    struct weir_membind membind = {.policy = WEIR_MEMBIND_NODE, .node = last_node(nodes)};
    struct weir_page_places places = {0};
    int bound = weir_memory_bind(memory, bytes, &membind, nodes);
    int seen;

    memset(memory, 1, bytes);
    seen = weir_memory_sample_places(memory, bytes, &places);
    if (bound == -ENOSYS && !is_filtered(examination->root))
        weir_diagnosis_add(diagnosis, WEIR_NOTED, "page placement", NULL,
                           "this kernel has no NUMA");
    else if (bound < 0)
        tell_unplaced(diagnosis, "memory cannot be bound to a NUMA node", bound);
    else if (seen < 0)
        tell_unplaced(diagnosis, "the kernel does not tell on which NUMA node memory is", seen);
    else if (places.nodes != UINT64_C(1) << membind.node)
        tell_unplaced(diagnosis, "memory was bound to a NUMA node in vain", 0);
    else
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "page placement", NULL,
                           "memory can be bound to NUMA nodes, and the kernel tells where it is");
}

void weir_examine_page_places(const struct weir_examination *examination)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t nodes = weir_memory_nodes();
    void *memory;

    if (nodes == 0) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "page placement", NULL,
                           "the kernel does not tell of NUMA nodes (/proc/self/status)");
        return;
    }
    memory = weir_pages_map(bytes);
    if (!memory)
        return;
    tell_placing(examination, memory, bytes, nodes);
    weir_pages_unmap(memory, bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Memory on NUMA nodes, by three system calls; libnuma would wrap them at the price of one more
 * library, and has no word of its own for "preferably on one of these nodes". */
#include "weir/system/memory_place.h"

#include "weir/base/cpu_set.h"
#include "weir/base/random.h"
#include "weir/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 5.15; older headers do not know it, and older kernels say EINVAL. It is a number of
 * an enumeration in those that do, so that nothing but the version can be asked. */
#define PREFERRED_MANY 5

enum {
    SAMPLES_MAX = 1024,
    KERNEL_NODES_MAX = 1024, /* get_mempolicy wants room for all that the kernel could have */
};

static unsigned count_nodes(uint64_t nodes)
{
    return (unsigned)__builtin_popcountll(nodes);
}

/* ---- asking ---- */

/* Kernels with cpusets, which are nearly all, report it here: "0-1". */
static uint64_t read_allowed_nodes(void)
{
    static const char name[] = "Mems_allowed_list:";
    FILE *facts = fopen("/proc/self/status", "re");
    struct weir_cpu_set nodes = {0};
    bool is_found = false;
    char line[1024];

    if (facts == NULL)
        return 0;
    while (!is_found && fgets(line, sizeof line, facts) != NULL) {
        char *list = line + sizeof name - 1;

        is_found = strncmp(line, name, sizeof name - 1) == 0;
        if (!is_found)
            continue;
        list += strspn(list, " \t");
        list[strcspn(list, "\n")] = '\0';
        /* Lists of nodes are written like those of processors. */
        if (weir_cpu_set_parse(list, &nodes) != 0)
            nodes = (struct weir_cpu_set){0};
    }
    fclose(facts);
    return nodes.words[0];
}

uint64_t weir_memory_nodes(void)
{
    unsigned long mask[KERNEL_NODES_MAX / (8 * sizeof(unsigned long))] = {0};
    uint64_t nodes = read_allowed_nodes();

    if (nodes == 0 && syscall(SYS_get_mempolicy, NULL, mask, (unsigned long)KERNEL_NODES_MAX + 1,
                              NULL, (unsigned long)MPOL_F_MEMS_ALLOWED) == 0)
        memcpy(&nodes, mask, sizeof nodes);
    return nodes;
}

bool weir_memory_has_policy(void)
{
    int mode = MPOL_DEFAULT;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0UL, NULL, 0UL) == 0 && mode != MPOL_DEFAULT;
}

uint64_t weir_memory_wanted(const struct weir_membind *membind, uint64_t cpu_nodes,
                            bool has_own_policy)
{
    switch (membind->policy) {
    case WEIR_MEMBIND_AUTO:
        return has_own_policy ? 0 : cpu_nodes;
    case WEIR_MEMBIND_LOCAL:
        return cpu_nodes;
    case WEIR_MEMBIND_INTERLEAVE:
        return weir_memory_nodes();
    case WEIR_MEMBIND_NODE:
        return membind->node < WEIR_NUMA_NODES_MAX ? UINT64_C(1) << membind->node : 0;
    case WEIR_MEMBIND_NONE:
        break;
    }
    return 0;
}

/* ---- placing ---- */

/* 0 or -errno. The kernel leaves out the last bit of the count that it is told. */
static int set_policy(void *memory, size_t bytes, int mode, uint64_t nodes)
{
    long code = syscall(SYS_mbind, memory, bytes, (unsigned long)mode, &nodes,
                        (unsigned long)WEIR_NUMA_NODES_MAX + 1, 0UL);

    return code == 0 ? 0 : -errno;
}

/* A preference only: where it cannot be set, the kernel places pages near the processor that
 * touches them first. */
static void prefer(void *memory, size_t bytes, uint64_t nodes)
{
    if (nodes == 0 || set_policy(memory, bytes, PREFERRED_MANY, nodes) == 0)
        return;
    if (count_nodes(nodes) == 1)
        set_policy(memory, bytes, MPOL_PREFERRED, nodes);
}

/* A process with one node has all of its memory there, whatever the kernel can do. */
static int bind_near(void *memory, size_t bytes, uint64_t cpu_nodes)
{
    uint64_t allowed = weir_memory_nodes();
    uint64_t nodes = allowed != 0 ? cpu_nodes & allowed : cpu_nodes;
    bool is_single = count_nodes(allowed) <= 1 && count_nodes(cpu_nodes) <= 1;
    int code;

    if (cpu_nodes == 0 && is_single)
        return 0;
    if (nodes == 0)
        return -EINVAL;
    code = set_policy(memory, bytes, MPOL_BIND, nodes);
    return is_single && (code == -ENOSYS || code == -EPERM) ? 0 : code;
}

int weir_memory_bind(void *memory, size_t bytes, const struct weir_membind *membind,
                     uint64_t cpu_nodes)
{
    uint64_t allowed;
    uint64_t nodes;

    switch (membind->policy) {
    case WEIR_MEMBIND_AUTO:
        if (!weir_memory_has_policy())
            prefer(memory, bytes, cpu_nodes);
        return 0;
    case WEIR_MEMBIND_LOCAL:
        return bind_near(memory, bytes, cpu_nodes);
    case WEIR_MEMBIND_INTERLEAVE:
        nodes = weir_memory_nodes();
        return nodes == 0 ? -ENOSYS : set_policy(memory, bytes, MPOL_INTERLEAVE, nodes);
    case WEIR_MEMBIND_NODE:
        allowed = weir_memory_nodes();
        nodes = weir_memory_wanted(membind, cpu_nodes, false);
        if (nodes == 0 || (allowed != 0 && (nodes & allowed) == 0))
            return -EINVAL;
        return set_policy(memory, bytes, MPOL_BIND, nodes);
    case WEIR_MEMBIND_NONE:
        break;
    }
    return 0;
}

int weir_memory_place_near(void *context, void *memory, size_t bytes, int32_t numa_node)
{
    (void)context;
    if (numa_node >= 0 && numa_node < WEIR_NUMA_NODES_MAX)
        prefer(memory, bytes, UINT64_C(1) << numa_node);
    return 0;
}

/* ---- looking ---- */

/* The first page of part `part` of `parts` equal ones. */
static size_t part_begin(size_t pages, size_t part, size_t parts)
{
    return pages / parts * part + pages % parts * part / parts;
}

/* One page from anywhere in each of `samples` equal parts: at equal distances, all might be on one
 * node of several that the pages take turns on. */
static void choose_pages(uintptr_t first, size_t count, uintptr_t page_bytes, void **pages,
                         size_t samples)
{
    for (size_t i = 0; i < samples; i++) {
        size_t begin = part_begin(count, i, samples);
        size_t length = part_begin(count, i + 1, samples) - begin;
        size_t page = begin + (size_t)weir_random_below(weir_random_at(count, i), length);

        pages[i] = (void *)((first + page) * page_bytes);
    }
}

int weir_memory_sample_places(const void *memory, size_t bytes, struct weir_page_places *places)
{
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)memory / page_bytes;
    const size_t count = ((uintptr_t)memory + bytes + page_bytes - 1) / page_bytes - first;
    const size_t samples = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    struct weir_page_places found = {0};
    void *pages[SAMPLES_MAX];
    int nodes[SAMPLES_MAX] = {0}; /* or -errno: -ENOENT has not been touched */

    if (bytes == 0) {
        *places = found;
        return 0;
    }
    choose_pages(first, count, page_bytes, pages, samples);
    /* Without nodes to move them to, the call reports where they are. */
    if (syscall(SYS_move_pages, 0, (unsigned long)samples, pages, NULL, nodes, 0) != 0)
        return -errno;
    for (size_t i = 0; i < samples; i++)
        if (nodes[i] >= 0 && nodes[i] < WEIR_NUMA_NODES_MAX) {
            found.nodes |= UINT64_C(1) << nodes[i];
            found.on_node[nodes[i]]++;
            found.pages++;
        }
    *places = found;
    return 0;
}

unsigned weir_memory_away_permille(const struct weir_page_places *places, uint64_t nodes)
{
    unsigned away = 0;

    for (unsigned node = 0; node < WEIR_NUMA_NODES_MAX; node++)
        if ((nodes >> node & 1) == 0)
            away += places->on_node[node];
    if (places->pages == 0)
        return 0;
    /* Rounded up: a page that is away is not to vanish. */
    return (unsigned)((away * UINT64_C(1000) + places->pages - 1) / places->pages);
}

/* ---- huge pages ---- */

/* The first line of a mapping is its range, "7f00-7f80 rw-p ..."; sizes follow, in KiB. */
static bool reads_range(const char *line, uint64_t *first, uint64_t *end)
{
    return sscanf(line, "%" SCNx64 "-%" SCNx64 " ", first, end) == 2;
}

static uint64_t huge_bytes_of(const char *line)
{
    static const char *const names[] = {
        "AnonHugePages:", "ShmemPmdMapped:", "Shared_Hugetlb:", "Private_Hugetlb:"};
    uint64_t kib = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (weir_text_begins(line, names[i]) &&
            sscanf(line + strlen(names[i]), " %" SCNu64, &kib) == 1)
            return kib * 1024;
    return 0;
}

/* A mapping may be larger than what was asked about, as the kernel joins neighbours: no more than
 * what is common to both can count. */
uint64_t weir_memory_huge_bytes(const char *root, const void *memory, size_t bytes)
{
    const uint64_t begin = (uint64_t)(uintptr_t)memory;
    uint64_t first, end, left = 0, sum = 0;
    char path[PATH_MAX], line[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/smaps", root);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        uint64_t huge = huge_bytes_of(line);

        if (reads_range(line, &first, &end)) {
            first = first > begin ? first : begin;
            end = end < begin + bytes ? end : begin + bytes;
            left = end > first ? end - first : 0;
        }
        huge = huge < left ? huge : left;
        left -= huge;
        sum += huge;
    }
    fclose(file);
    return sum;
}

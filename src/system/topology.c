/* SPDX-License-Identifier: Apache-2.0 */
/* Has hwloc look at a host, and keeps of what it saw the parts that matter for placing ranks. */
#include "weir/system/topology.h"

#include "topology_parts.h"

#include "weir/base/execution.h"
#include "weir/system/running.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hwloc's picture ---- */

/* The source of a topology, and its name in messages. */
struct origin {
    const char *xml_path;
    const char *synthetic;
    const char *place; /* NULL: this host */
};

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* hwloc would read the variables itself, but silently takes this host where their value is
 * invalid. */
static struct origin find_origin(const struct weir_topology_source *source)
{
    struct origin origin = {.xml_path = source->xml_path, .synthetic = source->synthetic};

    origin.place = origin.xml_path != NULL ? origin.xml_path : origin.synthetic;
    if (origin.place != NULL)
        return origin;
    origin.xml_path = setting("HWLOC_XMLFILE");
    if (origin.xml_path != NULL) {
        origin.place = "HWLOC_XMLFILE";
        return origin;
    }
    origin.synthetic = setting("HWLOC_SYNTHETIC");
    if (origin.synthetic != NULL)
        origin.place = "HWLOC_SYNTHETIC";
    return origin;
}

static int refuse_xml(const struct origin *origin, struct weir_error *error)
{
    return weir_error_usage(error, origin->place,
                            "hwloc finds no topology in %s: it must be a file as lstopo --of xml "
                            "writes it",
                            origin->place == origin->xml_path ? "this file" : origin->xml_path);
}

static int refuse_synthetic(const struct origin *origin, struct weir_error *error)
{
    return weir_error_usage(error, origin->place,
                            "hwloc finds no topology in %s: the form is "
                            "\"pack:2 numa:4 core:8 pu:2\"",
                            origin->place == origin->synthetic ? "this text" : origin->synthetic);
}

static int set_xml(hwloc_topology_t hwloc, const struct origin *origin, struct weir_error *error)
{
    FILE *file = fopen(origin->xml_path, "re");

    if (file == NULL)
        return weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, -errno, origin->place, "cannot read %s: %s",
            origin->place == origin->xml_path ? "this file" : origin->xml_path, strerror(errno));
    fclose(file);
    return hwloc_topology_set_xml(hwloc, origin->xml_path) == 0 ? 0 : refuse_xml(origin, error);
}

#define ACCELERATORS "hwloc_cuda,hwloc_nvml,hwloc_opencl,hwloc_rsmi,hwloc_levelzero,hwloc_gl"

void weir_topology_leave_out_plugins(void)
{
    setenv("HWLOC_PLUGINS_BLACKLIST",
           setting("HWLOC_XMLFILE") != NULL ? ACCELERATORS : ACCELERATORS ",hwloc_xml_libxml", 0);
}

/* Libraries of accelerators take seconds to start, and tell nothing of storage. What libpciaccess
 * and the processor itself (for which hwloc would go to each of them) know, the kernel tells hwloc
 * as well. */
static void leave_out(hwloc_topology_t hwloc)
{
    static const char *const components[] = {"cuda",      "nvml", "opencl", "rsmi",
                                             "levelzero", "gl",   "pci",    "x86"};

    for (size_t i = 0; i < sizeof components / sizeof *components; i++)
        hwloc_topology_set_components(hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                      components[i]);
    hwloc_topology_set_cache_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_icache_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_NONE);
}

static int configure(hwloc_topology_t hwloc, const struct origin *origin, struct weir_error *error)
{
    hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    leave_out(hwloc);
    if (origin->xml_path != NULL)
        return set_xml(hwloc, origin, error);
    if (origin->synthetic != NULL && hwloc_topology_set_synthetic(hwloc, origin->synthetic) != 0)
        return refuse_synthetic(origin, error);
    return 0;
}

static int load(hwloc_topology_t hwloc, const struct origin *origin, struct weir_error *error)
{
    int code = configure(hwloc, origin, error);

    if (code != 0 || hwloc_topology_load(hwloc) == 0)
        return code;
    code = errno != 0 ? -errno : -EIO;
    if (origin->xml_path != NULL)
        return refuse_xml(origin, error);
    if (origin->synthetic != NULL)
        return refuse_synthetic(origin, error);
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "topology",
                          "hwloc cannot tell what this host is made of: %s", strerror(-code));
}

/* ---- processors, cores, NUMA nodes ---- */

static struct weir_cpu_set cpus_of(hwloc_const_bitmap_t bitmap)
{
    struct weir_cpu_set cpus = {0};

    for (int cpu = hwloc_bitmap_next(bitmap, -1); cpu >= 0 && cpu < WEIR_CPUS_MAX;
         cpu = hwloc_bitmap_next(bitmap, cpu))
        weir_cpu_set_add(&cpus, (unsigned)cpu);
    return cpus;
}

/* The smallest unit with processors of its own: a core, or a processor of a host that does not
 * report cores. */
static hwloc_obj_t core_above(hwloc_topology_t hwloc, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, pu);

    return core != NULL ? core : pu;
}

static unsigned package_above(hwloc_topology_t hwloc, hwloc_obj_t object)
{
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_PACKAGE, object);

    return package != NULL ? package->logical_index : 0;
}

static void add_processor(struct weir_topology *topology, hwloc_topology_t hwloc, hwloc_obj_t pu,
                          bool begins_core)
{
    struct weir_core_part *core;

    if (begins_core) {
        core = &topology->cores[topology->core_count++];
        core->first = pu->os_index;
        core->package = package_above(hwloc, pu);
    }
    core = &topology->cores[topology->core_count - 1];
    weir_cpu_set_add(&core->cpus, pu->os_index);
    if (pu->os_index < core->first)
        core->first = pu->os_index;
    weir_cpu_set_add(&topology->all, pu->os_index);
    topology->core_of[pu->os_index] = (int)topology->core_count - 1;
}

static void keep_cores(struct weir_topology *topology, hwloc_topology_t hwloc)
{
    int count = hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_PU);
    hwloc_obj_t core = NULL;

    topology->cores = weir_arena_take(&topology->arena, (size_t)count * sizeof *topology->cores);
    for (unsigned cpu = 0; cpu < WEIR_CPUS_MAX; cpu++)
        topology->core_of[cpu] = -1;
    for (hwloc_obj_t pu = NULL;
         (pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, pu)) != NULL;) {
        if (pu->os_index >= WEIR_CPUS_MAX)
            continue;
        add_processor(topology, hwloc, pu, core_above(hwloc, pu) != core);
        core = core_above(hwloc, pu);
    }
}

static void keep_packages(struct weir_topology *topology)
{
    topology->package_count = 1;
    for (unsigned i = 0; i < topology->core_count; i++)
        if (topology->cores[i].package >= topology->package_count)
            topology->package_count = topology->cores[i].package + 1;
    topology->packages =
        weir_arena_take(&topology->arena, topology->package_count * sizeof *topology->packages);
    for (unsigned i = 0; i < topology->core_count; i++) {
        const struct weir_core_part *core = &topology->cores[i];

        topology->packages[core->package] =
            weir_cpu_set_or(&topology->packages[core->package], &core->cpus);
    }
}

/* Nodes may lie within each other, and fast memory beside the common one: a core belongs to the
 * smallest node, and of equal ones to the first. */
static void give_cores_nodes(struct weir_topology *topology, hwloc_topology_t hwloc)
{
    for (unsigned i = 0; i < topology->core_count; i++) {
        struct weir_core_part *core = &topology->cores[i];
        int least = WEIR_CPUS_MAX + 1;
        hwloc_obj_t node = NULL;

        while ((node = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, node)) != NULL) {
            int weight = hwloc_bitmap_weight(node->cpuset);

            if (!hwloc_bitmap_isset(node->cpuset, core->first) || weight >= least)
                continue;
            least = weight;
            core->node = node->logical_index;
        }
        topology->nodes[core->node].cpus =
            weir_cpu_set_or(&topology->nodes[core->node].cpus, &core->cpus);
        topology->nodes[core->node].package = core->package;
    }
}

static void keep_nodes(struct weir_topology *topology, hwloc_topology_t hwloc)
{
    hwloc_obj_t node = NULL;

    topology->node_count = (unsigned)hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_NUMANODE);
    topology->nodes =
        weir_arena_take(&topology->arena, topology->node_count * sizeof *topology->nodes);
    while ((node = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, node)) != NULL)
        topology->nodes[node->logical_index].number = node->os_index;
    give_cores_nodes(topology, hwloc);
}

static unsigned index_of_node(const struct weir_topology *topology, unsigned number)
{
    unsigned i = 0;

    while (i < topology->node_count && topology->nodes[i].number != number)
        i++;
    return i;
}

static void copy_distances(struct weir_topology *topology,
                           const struct hwloc_distances_s *distances)
{
    unsigned count = topology->node_count;
    uint64_t *kept = weir_arena_take(&topology->arena, (size_t)count * count * sizeof *kept);

    for (unsigned i = 0; i < distances->nbobjs; i++)
        for (unsigned j = 0; j < distances->nbobjs; j++) {
            unsigned from = index_of_node(topology, distances->objs[i]->os_index);
            unsigned to = index_of_node(topology, distances->objs[j]->os_index);

            if (from < count && to < count)
                kept[from * count + to] = distances->values[i * distances->nbobjs + j];
        }
    topology->distances = kept;
}

static void keep_distances(struct weir_topology *topology, hwloc_topology_t hwloc)
{
    struct hwloc_distances_s *distances;
    unsigned count = 1;

    if (hwloc_distances_get_by_type(hwloc, HWLOC_OBJ_NUMANODE, &count, &distances,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        count == 0)
        return;
    if (distances->nbobjs == topology->node_count)
        copy_distances(topology, distances);
    hwloc_distances_release(hwloc, distances);
}

/* The processors of this process count as allowed, whatever control groups hwloc found. */
static void keep_allowed(struct weir_topology *topology, hwloc_topology_t hwloc)
{
    struct weir_cpu_set running;

    topology->allowed = cpus_of(hwloc_topology_get_allowed_cpuset(hwloc));
    topology->is_this_host = hwloc_topology_is_thissystem(hwloc) != 0;
    if (topology->is_this_host && weir_running_cpus(&running) == 0)
        topology->allowed = weir_cpu_set_or(&topology->allowed, &running);
    topology->allowed = weir_cpu_set_and(&topology->allowed, &topology->all);
}

/* ---- devices ---- */

static enum weir_device_kind kind_of(hwloc_obj_t device)
{
    switch (device->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_BLOCK:
        return WEIR_DEVICE_DISK;
    case HWLOC_OBJ_OSDEV_NETWORK:
        return WEIR_DEVICE_NETWORK;
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
        return WEIR_DEVICE_RDMA;
    default:
        return WEIR_DEVICE_OTHER;
    }
}

/* "Port1State" and the like: 4 is active (hwloc's manual, object attributes). */
static enum weir_link_state rdma_link(hwloc_obj_t device)
{
    enum weir_link_state link = WEIR_LINK_UNKNOWN;

    for (unsigned i = 0; i < device->infos_count; i++) {
        const char *name = device->infos[i].name;
        size_t length = strlen(name);

        if (strncmp(name, "Port", 4) != 0 || length < 9 || strcmp(name + length - 5, "State") != 0)
            continue;
        if (strcmp(device->infos[i].value, "4") == 0)
            return WEIR_LINK_UP;
        link = WEIR_LINK_DOWN;
    }
    return link;
}

/* hwloc does not report it for Ethernet. */
static enum weir_link_state network_link(const char *name)
{
    char path[320], state[16] = "";
    FILE *file;

    snprintf(path, sizeof path, "/sys/class/net/%s/operstate", name);
    file = fopen(path, "re");
    if (file == NULL)
        return WEIR_LINK_UNKNOWN;
    if (fscanf(file, "%15s", state) != 1)
        state[0] = '\0';
    fclose(file);
    return strcmp(state, "up") == 0     ? WEIR_LINK_UP
           : strcmp(state, "down") == 0 ? WEIR_LINK_DOWN
                                        : WEIR_LINK_UNKNOWN;
}

static enum weir_link_state link_of(const struct weir_topology *topology, hwloc_obj_t device)
{
    enum weir_device_kind kind = kind_of(device);

    if (kind == WEIR_DEVICE_RDMA)
        return rdma_link(device);
    if (kind == WEIR_DEVICE_NETWORK && topology->is_this_host)
        return network_link(device->name);
    return WEIR_LINK_UNKNOWN;
}

/* A device attached to the whole host is as near to one node as to another. */
static void locate(const struct weir_topology *topology, hwloc_topology_t hwloc, hwloc_obj_t object,
                   struct weir_device_part *device)
{
    hwloc_obj_t ancestor = hwloc_get_non_io_ancestor_obj(hwloc, object);
    struct weir_cpu_set near = cpus_of(ancestor->cpuset);

    near = weir_cpu_set_and(&near, &topology->all);
    if (weir_topology_count(topology).numa_nodes == 1)
        near = topology->all;
    else if (weir_cpu_set_is_empty(&near) || weir_cpu_set_equals(&near, &topology->all))
        return;
    device->is_located = true;
    device->cpus = near;
}

static void keep_devices(struct weir_topology *topology, hwloc_topology_t hwloc)
{
    int count = hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_OS_DEVICE);
    hwloc_obj_t object = NULL;

    topology->devices = weir_arena_take(&topology->arena, (size_t)(count > 0 ? count : 1) *
                                                              sizeof *topology->devices);
    while ((object = hwloc_get_next_osdev(hwloc, object)) != NULL) {
        struct weir_device_part *device = &topology->devices[topology->device_count];

        if (object->name == NULL)
            continue;
        device->name = weir_arena_copy(&topology->arena, object->name);
        device->kind = kind_of(object);
        device->link = link_of(topology, object);
        locate(topology, hwloc, object, device);
        topology->device_count++;
    }
}

/* ---- opening and closing ---- */

/* Processors that would be left out of all output are refused, not dropped silently. */
static int check_numbers(hwloc_topology_t hwloc, struct weir_error *error)
{
    int cpu = hwloc_bitmap_last(hwloc_topology_get_complete_cpuset(hwloc));
    int node = hwloc_bitmap_last(hwloc_topology_get_complete_nodeset(hwloc));

    if (cpu >= WEIR_CPUS_MAX)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -E2BIG, "topology",
                              "there is a processor %d: processors up to %d can be told of: raise "
                              "WEIR_CPUS_MAX and build again",
                              cpu, WEIR_CPUS_MAX - 1);
    if (node >= WEIR_NUMA_NODES_MAX)
        return weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, -E2BIG, "topology",
            "there is a NUMA node %d: nodes up to %d can be told of: join them in "
            "the firmware (nodes per socket, sub-NUMA clustering)",
            node, WEIR_NUMA_NODES_MAX - 1);
    return 0;
}

static struct weir_topology *keep(hwloc_topology_t hwloc)
{
    struct weir_topology *topology = calloc(1, sizeof *topology);

    if (topology == NULL)
        weir_error_out_of_memory();
    keep_cores(topology, hwloc);
    keep_packages(topology);
    keep_nodes(topology, hwloc);
    keep_distances(topology, hwloc);
    keep_allowed(topology, hwloc);
    keep_devices(topology, hwloc);
    return topology;
}

int weir_topology_open(const struct weir_topology_source *source, struct weir_topology **topology,
                       struct weir_error *error)
{
    struct origin origin = find_origin(source);
    hwloc_topology_t hwloc;
    int code;

    if (hwloc_topology_init(&hwloc) != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "topology",
                              "hwloc cannot begin to look");
    code = load(hwloc, &origin, error);
    if (code == 0)
        code = check_numbers(hwloc, error);
    if (code == 0)
        *topology = keep(hwloc);
    hwloc_topology_destroy(hwloc);
    return code;
}

void weir_topology_close(struct weir_topology *topology)
{
    if (topology == NULL)
        return;
    weir_arena_close(&topology->arena);
    free(topology);
}

/* ---- questions ---- */

bool weir_topology_is_this_host(const struct weir_topology *topology)
{
    return topology->is_this_host;
}

struct weir_topology_counts weir_topology_count(const struct weir_topology *topology)
{
    struct weir_topology_counts counts = {
        .packages = topology->package_count,
        .cores = topology->core_count,
        .processors = weir_cpu_set_count(&topology->all),
    };

    for (unsigned i = 0; i < topology->node_count; i++)
        counts.numa_nodes += !weir_cpu_set_is_empty(&topology->nodes[i].cpus);
    return counts;
}

void weir_topology_processors(const struct weir_topology *topology, struct weir_cpu_set *all,
                              struct weir_cpu_set *allowed)
{
    *all = topology->all;
    *allowed = topology->allowed;
}

bool weir_topology_place(const struct weir_topology *topology, unsigned cpu,
                         struct weir_processor_place *place)
{
    const struct weir_core_part *core;

    if (cpu >= WEIR_CPUS_MAX || topology->core_of[cpu] < 0)
        return false;
    core = &topology->cores[topology->core_of[cpu]];
    *place = (struct weir_processor_place){
        .core = (unsigned)topology->core_of[cpu],
        .first_of_core = core->first,
        .numa_node = topology->nodes[core->node].number,
        .package = core->package,
    };
    return true;
}

struct weir_cpu_set weir_topology_cores(const struct weir_topology *topology,
                                        const struct weir_cpu_set *cpus)
{
    struct weir_cpu_set firsts = {0};

    for (unsigned cpu = weir_cpu_set_next(cpus, 0); cpu < WEIR_CPUS_MAX;
         cpu = weir_cpu_set_next(cpus, cpu + 1))
        if (topology->core_of[cpu] >= 0)
            weir_cpu_set_add(&firsts, topology->cores[topology->core_of[cpu]].first);
    return firsts;
}

uint64_t weir_topology_numa_nodes(const struct weir_topology *topology,
                                  const struct weir_cpu_set *cpus)
{
    uint64_t nodes = 0;

    for (unsigned i = 0; i < topology->node_count; i++) {
        struct weir_cpu_set common = weir_cpu_set_and(&topology->nodes[i].cpus, cpus);

        if (topology->nodes[i].number < 64 && !weir_cpu_set_is_empty(&common))
            nodes |= UINT64_C(1) << topology->nodes[i].number;
    }
    return nodes;
}

static const struct weir_device_part *find_device(const struct weir_topology *topology,
                                                  const char *name, size_t length)
{
    for (unsigned i = 0; i < topology->device_count; i++) {
        const struct weir_device_part *device = &topology->devices[i];

        if (strlen(device->name) == length && memcmp(device->name, name, length) == 0)
            return device;
    }
    return NULL;
}

/* The length of "sda" in "sda1", of "nvme0n1" in "nvme0n1p2". */
static size_t disk_length(const char *name)
{
    size_t length = strlen(name);

    while (length > 0 && isdigit((unsigned char)name[length - 1]))
        length--;
    if (length > 1 && name[length - 1] == 'p' && isdigit((unsigned char)name[length - 2]))
        length--;
    return length;
}

const struct weir_device_part *weir_topology_device(const struct weir_topology *topology,
                                                    const char *name)
{
    const struct weir_device_part *device = find_device(topology, name, strcspn(name, "/"));

    if (device != NULL)
        return device;
    device = find_device(topology, name, disk_length(name));
    return device != NULL && device->kind == WEIR_DEVICE_DISK ? device : NULL;
}

int weir_topology_near(const struct weir_topology *topology, const char *device,
                       struct weir_cpu_set *cpus)
{
    const struct weir_device_part *part = weir_topology_device(topology, device);

    if (part == NULL)
        return -ENODEV;
    if (!part->is_located)
        return -ENODATA;
    *cpus = part->cpus;
    return 0;
}

const char *weir_topology_standard_nic(const struct weir_topology *topology)
{
    static const struct {
        enum weir_device_kind kind;
        enum weir_link_state worst;
    } wishes[] = {
        {WEIR_DEVICE_RDMA, WEIR_LINK_UP},      {WEIR_DEVICE_RDMA, WEIR_LINK_UNKNOWN},
        {WEIR_DEVICE_NETWORK, WEIR_LINK_UP},   {WEIR_DEVICE_RDMA, WEIR_LINK_DOWN},
        {WEIR_DEVICE_NETWORK, WEIR_LINK_DOWN},
    };

    for (size_t wish = 0; wish < sizeof wishes / sizeof *wishes; wish++)
        for (unsigned i = 0; i < topology->device_count; i++) {
            const struct weir_device_part *device = &topology->devices[i];
            bool is_good = device->link == WEIR_LINK_UP || wishes[wish].worst == WEIR_LINK_DOWN ||
                           device->link == wishes[wish].worst;

            if (device->kind == wishes[wish].kind && is_good)
                return device->name;
        }
    return NULL;
}

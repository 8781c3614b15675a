/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs provider would use here, and what slows it down or stands in its way. */
#include "verbs.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An active port while it is told of. */
struct subject {
    struct weir_diagnosis *diagnosis;
    struct ibv_context *context;
    const char *device;
    char name[80]; /* "mlx5_0/1" */
    unsigned port;
    struct ibv_device_attr attributes;
    struct ibv_port_attr state;
};

/* ---- addresses ---- */

static const char *family_of(const struct ibv_gid_entry *entry)
{
    switch (weir_verbs_gid_score(entry)) {
    case 7:
    case 5:
        return "an IPv4 address";
    case 6:
    case 4:
        return "a global IPv6 address";
    case 3:
    case 2:
        return "only link-local, which no router forwards";
    default:
        return "of the subnet";
    }
}

static void tell_gid(const struct subject *subject, const struct ibv_gid_entry *entries,
                     size_t count)
{
    int best = weir_verbs_gid_choose(entries, count, subject->port, -1);
    char text[INET6_ADDRSTRLEN];
    bool is_weak;

    if (best < 0) {
        weir_diagnosis_add(subject->diagnosis, WEIR_LIMITED, subject->name,
                           "as root: ip address add ADDRESS/BITS dev DEVICE, of the network device "
                           "behind it",
                           "the port has no GID, so no peer can reach it");
        return;
    }
    weir_verbs_gid_text(&entries[best].gid, text, sizeof text);
    is_weak = weir_verbs_gid_score(&entries[best]) >= 2 &&
              (weir_verbs_gid_score(&entries[best]) <= 3 ||
               entries[best].gid_type == IBV_GID_TYPE_ROCE_V1);
    weir_diagnosis_add(subject->diagnosis, is_weak ? WEIR_LIMITED : WEIR_GOOD, subject->name, NULL,
                       "peers reach it by GID %u, %s (%s, %s)", entries[best].gid_index, text,
                       weir_verbs_transport(&subject->state, (int)entries[best].gid_type),
                       family_of(&entries[best]));
    if (is_weak)
        weir_diagnosis_help(subject->diagnosis,
                            "give the network device behind it an IP address, and let the port "
                            "speak RoCE v2: cma_roce_mode, or the tool of its vendor");
}

static void tell_addresses(const struct subject *subject)
{
    size_t room = (size_t)subject->state.gid_tbl_len * subject->attributes.phys_port_cnt;
    struct ibv_gid_entry *entries = room > 0 ? calloc(room, sizeof *entries) : NULL;
    ssize_t count;

    if (entries == NULL)
        return;
    count = ibv_query_gid_table(subject->context, entries, room, 0);
    tell_gid(subject, entries, count > 0 ? (size_t)count : 0);
    free(entries);
}

/* ---- speed ---- */

static void tell_mtu(const struct subject *subject)
{
    unsigned active = weir_verbs_mtu_bytes(subject->state.active_mtu);
    unsigned largest = weir_verbs_mtu_bytes(subject->state.max_mtu);
    bool is_less = active < largest;

    weir_diagnosis_add(subject->diagnosis, is_less ? WEIR_LIMITED : WEIR_GOOD, "MTU", NULL,
                       "%s has %u bytes of the %u that it is able to", subject->name, active,
                       largest);
    if (is_less && subject->state.link_layer == IBV_LINK_LAYER_ETHERNET)
        weir_diagnosis_help(subject->diagnosis,
                            "as root, here, at the peers and in every switch between: ip link set "
                            "DEVICE mtu %u or more",
                            largest + 104);
    else if (is_less)
        weir_diagnosis_help(subject->diagnosis,
                            "the subnet manager sets it: mtu=5 of the partition in opensm's "
                            "partitions.conf");
}

/* The kernel writes "16.0 GT/s PCIe" and "16". */
static double pcie_number(const char *device, const char *name)
{
    char path[64], line[64];

    snprintf(path, sizeof path, "device/%s", name);
    return weir_verbs_sysfs_line(device, path, line, sizeof line) ? strtod(line, NULL) : 0;
}

static void tell_bus(const struct subject *subject)
{
    double speed = pcie_number(subject->device, "current_link_speed");
    double fastest = pcie_number(subject->device, "max_link_speed");
    double width = pcie_number(subject->device, "current_link_width");
    double widest = pcie_number(subject->device, "max_link_width");
    bool is_trained_down = speed < fastest || width < widest;

    /* Software devices are on no bus. */
    if (speed <= 0 || width <= 0)
        return;
    weir_diagnosis_add(subject->diagnosis, is_trained_down ? WEIR_LIMITED : WEIR_GOOD, "PCIe", NULL,
                       "%s runs at %g GT/s x%g, and is able to %g GT/s x%g", subject->device, speed,
                       width, fastest, widest);
    if (is_trained_down)
        weir_diagnosis_help(subject->diagnosis,
                            "a slower or narrower slot, a riser, or a card that wants to be seated "
                            "again: lspci -vv tells LnkCap and LnkSta on both ends");
}

static void tell_iommu(const struct subject *subject)
{
    char type[32];

    if (!weir_verbs_sysfs_line(subject->device, "device/iommu_group/type", type, sizeof type))
        return;
    if (strcmp(type, "identity") == 0) {
        weir_diagnosis_add(subject->diagnosis, WEIR_GOOD, "IOMMU", NULL,
                           "addresses of %s are not translated", subject->device);
        return;
    }
    weir_diagnosis_add(subject->diagnosis, WEIR_NOTED, "IOMMU",
                       "iommu=pt on the kernel's command line, where this is the host's decision",
                       "addresses of %s are translated (%s), which can cost bandwidth",
                       subject->device, type);
}

static void tell_abilities(const struct subject *subject)
{
    struct ibv_device_attr_ex more = {0};
    bool has_paging = ibv_query_device_ex(subject->context, NULL, &more) == 0 &&
                      (more.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0;
    int begins = subject->attributes.max_qp_init_rd_atom;
    int answers = subject->attributes.max_qp_rd_atom;

    weir_diagnosis_add(
        subject->diagnosis, begins < 4 || answers < 4 ? WEIR_LIMITED : WEIR_GOOD, "reads in flight",
        begins < 4 || answers < 4 ? "more processes, or larger transfers, hide the latency of reads"
                                  : NULL,
        "%s begins %d and answers %d at once on a queue pair", subject->device, begins, answers);
    weir_diagnosis_add(subject->diagnosis, WEIR_NOTED, "registered memory", NULL,
                       "it is pinned%s; relaxed ordering is asked for but for messages",
                       has_paging ? " (the device could page on demand, which is not used)" : "");
}

/* ---- limits ---- */

static void tell_group(const struct subject *subject)
{
    uint64_t limit, taken;

    if (!weir_verbs_group_limit(subject->device, "hca_object", &limit, &taken))
        return;
    weir_diagnosis_add(subject->diagnosis, WEIR_LIMITED, "control group",
                       "as root: raise hca_object in rdma.max of the group",
                       "allows %" PRIu64 " objects of %s (queue pairs, regions, queues), of which "
                       "%" PRIu64 " are taken",
                       limit, subject->device, taken);
}

static void tell_memlock(struct weir_diagnosis *diagnosis)
{
    char allowed[WEIR_SIZE_TEXT_BYTES];
    struct weir_verbs_memlock memlock;

    weir_verbs_memlock(&memlock);
    if (memlock.limit == UINT64_MAX) {
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "locked memory", NULL,
                           "as much memory may be registered as there is");
        return;
    }
    weir_diagnosis_add(diagnosis, WEIR_LIMITED, "locked memory", WEIR_VERBS_MEMLOCK_WAYS("\n"),
                       "at most %s of memory can be registered (RLIMIT_MEMLOCK)",
                       weir_size_format(memlock.limit, allowed));
}

/* ---- all of it ---- */

static void tell_port(struct subject *subject, bool is_first)
{
    snprintf(subject->name, sizeof subject->name, "%s/%u", subject->device, subject->port);
    if (is_first)
        weir_diagnosis_add(subject->diagnosis, WEIR_NOTED, "choice", NULL,
                           "%s is used where no device is named", subject->name);
    tell_addresses(subject);
    tell_mtu(subject);
    tell_bus(subject);
    tell_iommu(subject);
    tell_abilities(subject);
    tell_group(subject);
}

/* How many of its ports are active. */
static unsigned tell_device(struct weir_diagnosis *diagnosis, struct ibv_device *device,
                            bool is_first)
{
    struct subject subject = {.diagnosis = diagnosis, .device = ibv_get_device_name(device)};
    unsigned active = 0;

    if (device->transport_type != IBV_TRANSPORT_IB)
        return 0;
    subject.context = ibv_open_device(device);
    if (subject.context == NULL)
        return 0; /* why not is told of /dev/infiniband */
    if (ibv_query_device(subject.context, &subject.attributes) == 0)
        for (subject.port = 1; subject.port <= subject.attributes.phys_port_cnt; subject.port++) {
            if (ibv_query_port(subject.context, (uint8_t)subject.port, &subject.state) != 0 ||
                subject.state.state != IBV_PORT_ACTIVE)
                continue;
            tell_port(&subject, is_first && active == 0);
            active++;
        }
    ibv_close_device(subject.context);
    return active;
}

void weir_verbs_diagnose(struct weir_diagnosis *diagnosis)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    unsigned active = 0;

    if (list == NULL)
        return;
    for (size_t i = 0; list[i] != NULL; i++)
        active += tell_device(diagnosis, list[i], active == 0);
    if (active > 0)
        tell_memlock(diagnosis);
    ibv_free_device_list(list);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which device, which port and which of its addresses are used, and what they are like. */
#include "verbs.h"

#include "weir/system/small_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel's files ---- */

bool weir_verbs_sysfs_line(const char *device, const char *name, char *line, size_t bytes)
{
    return weir_small_file_line(line, bytes, "/sys/class/infiniband/%s/%s", device, name);
}

/* ---- what ports are like ---- */

unsigned weir_verbs_mtu_bytes(enum ibv_mtu mtu)
{
    return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

enum ibv_mtu weir_verbs_mtu(unsigned bytes)
{
    enum ibv_mtu mtu = IBV_MTU_4096;

    while (mtu > IBV_MTU_256 && weir_verbs_mtu_bytes(mtu) > bytes)
        mtu--;
    return mtu;
}

/* "400 Gb/sec (4X NDR)": the kernel knows speeds that the attributes of older libraries have no
 * value for. */
uint64_t weir_verbs_rate(const char *device, unsigned port)
{
    char name[32], line[64];

    snprintf(name, sizeof name, "ports/%u/rate", port);
    if (!weir_verbs_sysfs_line(device, name, line, sizeof line))
        return 0;
    return (uint64_t)(strtod(line, NULL) * 1e9);
}

const char *weir_verbs_transport(const struct ibv_port_attr *port, int gid_type)
{
    if (port->link_layer != IBV_LINK_LAYER_ETHERNET)
        return "InfiniBand";
    return gid_type == IBV_GID_TYPE_ROCE_V1 ? "RoCE v1" : "RoCE v2";
}

/* ---- GIDs ---- */

void weir_verbs_gid_text(const union ibv_gid *gid, char *text, size_t bytes)
{
    if (inet_ntop(AF_INET6, gid->raw, text, (socklen_t)bytes) == NULL)
        snprintf(text, bytes, "?");
}

static bool is_mapped(const union ibv_gid *gid)
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};

    return memcmp(gid->raw, prefix, sizeof prefix) == 0;
}

static bool is_link_local(const union ibv_gid *gid)
{
    return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

static bool is_empty(const union ibv_gid *gid)
{
    static const unsigned char nothing[8];

    /* Ports without an address have the prefix of link-local ones and nothing behind it. */
    return memcmp(gid->raw + 8, nothing, 8) == 0;
}

/* The family that both ends are most likely to have in common, and that routers know, goes first;
 * then the version that crosses routers. */
unsigned weir_verbs_gid_score(const struct ibv_gid_entry *entry)
{
    bool is_local = is_link_local(&entry->gid);

    if (is_empty(&entry->gid))
        return 0;
    if (entry->gid_type == IBV_GID_TYPE_ROCE_V2)
        return is_mapped(&entry->gid) ? 7 : !is_local ? 6 : 3;
    if (entry->gid_type == IBV_GID_TYPE_ROCE_V1)
        return is_mapped(&entry->gid) ? 5 : !is_local ? 4 : 2;
    return 1; /* InfiniBand: the first one, which the subnet manager has given */
}

int weir_verbs_gid_choose(const struct ibv_gid_entry entries[], size_t count, unsigned port,
                          int wanted)
{
    unsigned best_score = 0;
    int best = -1;

    for (size_t i = 0; i < count; i++) {
        unsigned score = entries[i].port_num == port ? weir_verbs_gid_score(&entries[i]) : 0;

        if (wanted >= 0 && entries[i].gid_index != (uint32_t)wanted)
            continue;
        if (score > best_score) {
            best_score = score;
            best = (int)i;
        }
    }
    return best;
}

/* ---- choosing ---- */

/* A device while it is looked at. */
struct candidate {
    struct ibv_context *context;
    struct ibv_device_attr device;
    struct ibv_port_attr attributes;
    struct ibv_gid_entry *entries;
    size_t entry_count;
    unsigned port;
};

static void drop(struct candidate *candidate)
{
    free(candidate->entries);
    if (candidate->context != NULL)
        ibv_close_device(candidate->context);
    *candidate = (struct candidate){0};
}

/* An InfiniBand port does without. */
static void read_gids(struct candidate *candidate)
{
    size_t room = (size_t)candidate->attributes.gid_tbl_len * candidate->device.phys_port_cnt;
    ssize_t count;

    if (room == 0)
        return;
    candidate->entries = calloc(room, sizeof *candidate->entries);
    if (candidate->entries == NULL)
        return;
    count = ibv_query_gid_table(candidate->context, candidate->entries, room, 0);
    candidate->entry_count = count > 0 ? (size_t)count : 0;
}

/* "mlx5_0/1" -> the device's name and 1; without a number, 0. */
static unsigned split_name(const char *wanted, char name[64])
{
    const char *slash = strchr(wanted, '/');

    snprintf(name, 64, "%.*s", slash != NULL ? (int)(slash - wanted) : (int)strlen(wanted), wanted);
    return slash != NULL ? (unsigned)strtoul(slash + 1, NULL, 10) : 0;
}

static bool is_of_interface(const struct candidate *candidate, const char *interface)
{
    unsigned index = if_nametoindex(interface);
    union ibv_gid address = {.raw = {[10] = 0xff, [11] = 0xff}};

    if (inet_pton(AF_INET, interface, address.raw + 12) != 1 &&
        inet_pton(AF_INET6, interface, address.raw) != 1 && index == 0)
        return false;
    for (size_t i = 0; i < candidate->entry_count; i++) {
        const struct ibv_gid_entry *entry = &candidate->entries[i];

        if (entry->port_num != candidate->port)
            continue;
        if (index != 0 ? entry->ndev_ifindex == index
                       : memcmp(entry->gid.raw, address.raw, sizeof address.raw) == 0)
            return true;
    }
    return false;
}

/* Looks for an active port: `only` that one if it is not 0. */
static int look_at_ports(struct candidate *candidate, unsigned only, const char *interface)
{
    unsigned first = only != 0 ? only : 1;
    unsigned last = only != 0 ? only : candidate->device.phys_port_cnt;

    for (unsigned port = first; port <= last; port++) {
        if (ibv_query_port(candidate->context, (uint8_t)port, &candidate->attributes) != 0 ||
            candidate->attributes.state != IBV_PORT_ACTIVE)
            continue;
        candidate->port = port;
        free(candidate->entries);
        candidate->entries = NULL;
        candidate->entry_count = 0;
        read_gids(candidate);
        if (interface == NULL || is_of_interface(candidate, interface))
            return 0;
    }
    return -ENETDOWN;
}

/* What stood in the way of the devices that were looked at. */
struct obstacles {
    unsigned devices; /* of this name, or any */
    unsigned not_reliable;
    unsigned not_opened;
    int open_code;
    unsigned not_active;
};

static int consider(struct ibv_device *device, unsigned port, const char *interface,
                    struct candidate *candidate, struct obstacles *obstacles)
{
    int code;

    obstacles->devices++;
    /* iWARP connects by rdma_cm alone; others have no reliable connections. */
    if (device->transport_type != IBV_TRANSPORT_IB) {
        obstacles->not_reliable++;
        return -ENODEV;
    }
    candidate->context = ibv_open_device(device);
    if (candidate->context == NULL || ibv_query_device(candidate->context, &candidate->device)) {
        obstacles->not_opened++;
        obstacles->open_code = errno != 0 ? -errno : -EIO;
        drop(candidate);
        return -EIO;
    }
    code = look_at_ports(candidate, port, interface);
    if (code < 0) {
        obstacles->not_active++;
        drop(candidate);
    }
    return code;
}

static int search(struct ibv_device **list, const struct weir_fabric_params *params,
                  const char *interface, struct candidate *candidate, struct obstacles *obstacles)
{
    char name[64] = "";
    unsigned port = params->device != NULL ? split_name(params->device, name) : 0;
    unsigned left = params->device != NULL ? 0 : params->device_number;
    unsigned found;

    do {
        found = 0;
        *obstacles = (struct obstacles){0};
        for (size_t i = 0; list[i] != NULL; i++) {
            if ((name[0] != '\0' && strcmp(name, ibv_get_device_name(list[i])) != 0) ||
                consider(list[i], port, interface, candidate, obstacles) != 0)
                continue;
            if (left == 0)
                return 0;
            left--;
            found++;
            drop(candidate);
        }
        left %= found > 0 ? found : 1;
    } while (found > 0);
    return -ENODEV;
}

static int refuse(struct ibv_device **list, const char *wanted, const struct obstacles *obstacles,
                  struct weir_error *error)
{
    struct weir_text names = {0};

    for (size_t i = 0; list[i] != NULL; i++)
        weir_text_add(&names, "%s%s", i > 0 ? ", " : "", ibv_get_device_name(list[i]));
    if (list[0] == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODEV, "verbs",
                       "this node has no RDMA device; `weir doctor` tells more; the providers tcp "
                       "and shm do without");
    else if (obstacles->devices == 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODEV, "verbs",
                       "there is no device %s; this node has %s", wanted != NULL ? wanted : "",
                       weir_text_string(&names));
    else if (obstacles->devices == obstacles->not_reliable)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODEV, "verbs",
                       "%s: neither InfiniBand nor RoCE; iWARP and usNIC devices are reached by "
                       "the provider tcp",
                       wanted != NULL ? wanted : weir_text_string(&names));
    else if (obstacles->not_active == 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, obstacles->open_code, "verbs",
                       "%s cannot be opened: %s; /dev/infiniband/uverbs* must be there and "
                       "writable, in containers too",
                       wanted != NULL ? wanted : weir_text_string(&names),
                       strerror(-obstacles->open_code));
    else
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENETDOWN, "verbs",
                       "no port of %s is active; ibv_devinfo and `weir doctor` tell their states",
                       wanted != NULL ? wanted : weir_text_string(&names));
    weir_text_close(&names);
    return error->code;
}

static int refuse_gid(const struct candidate *candidate, int wanted, struct weir_error *error)
{
    struct weir_text there = {0};
    const char *name = ibv_get_device_name(candidate->context->device);
    char text[INET6_ADDRSTRLEN];

    for (size_t i = 0; i < candidate->entry_count && there.length < 300; i++) {
        if (candidate->entries[i].port_num != candidate->port ||
            weir_verbs_gid_score(&candidate->entries[i]) == 0)
            continue;
        weir_verbs_gid_text(&candidate->entries[i].gid, text, sizeof text);
        weir_text_add(&there, "%s%u: %s", there.length > 0 ? ", " : "",
                      candidate->entries[i].gid_index, text);
    }
    if (there.length == 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EADDRNOTAVAIL, "verbs",
                       "%s/%u has no GID: give the network device behind it an IP address", name,
                       candidate->port);
    else
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EADDRNOTAVAIL, "verbs",
                       "%s/%u has no GID number %d; there are %s", name, candidate->port, wanted,
                       weir_text_string(&there));
    weir_text_close(&there);
    return error->code;
}

static int take_gid(struct weir_verbs_fabric *fabric, const struct candidate *candidate, int wanted,
                    struct weir_error *error)
{
    int best =
        weir_verbs_gid_choose(candidate->entries, candidate->entry_count, candidate->port, wanted);
    bool is_needed = wanted >= 0 || candidate->attributes.link_layer == IBV_LINK_LAYER_ETHERNET ||
                     candidate->attributes.lid == 0;

    fabric->gid.index = -1;
    if (best < 0)
        return is_needed ? refuse_gid(candidate, wanted, error) : 0;
    fabric->gid.gid = candidate->entries[best].gid;
    fabric->gid.index = (int)candidate->entries[best].gid_index;
    fabric->gid.type = (int)candidate->entries[best].gid_type;
    return 0;
}

int weir_verbs_device_open(struct weir_verbs_fabric *fabric,
                           const struct weir_fabric_params *params, struct weir_error *error)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct candidate candidate = {0};
    struct obstacles obstacles;
    int code = -ENODEV;

    if (list == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, errno != 0 ? -errno : -ENODEV, "verbs",
                              "RDMA devices cannot be listed: %s; as root: modprobe ib_uverbs",
                              strerror(errno));
    /* The interface is a preference: the listener may be on another network than the device. */
    if (params->interface != NULL)
        code = search(list, params, params->interface, &candidate, &obstacles);
    if (code < 0)
        code = search(list, params, NULL, &candidate, &obstacles);
    if (code < 0) {
        code = refuse(list, params->device, &obstacles, error);
        ibv_free_device_list(list);
        return code;
    }
    ibv_free_device_list(list);
    code = take_gid(fabric, &candidate, params->gid_index, error);
    if (code == 0) {
        fabric->context = candidate.context;
        fabric->device = candidate.device;
        fabric->attributes = candidate.attributes;
        fabric->port = (uint8_t)candidate.port;
        candidate.context = NULL;
    }
    drop(&candidate);
    return code;
}

void weir_verbs_device_close(struct weir_verbs_fabric *fabric)
{
    if (fabric->context != NULL)
        ibv_close_device(fabric->context);
    fabric->context = NULL;
}

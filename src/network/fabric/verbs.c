/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA verbs: reliable connections of InfiniBand and RoCE devices. */
#include "verbs.h"

#include "weir/base/facts.h"
#include "weir/system/small_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct weir_provider weir_provider_verbs;

/* Requests have 32 bits for a length; nobody needs more than this at once. */
#define LONGEST_WR (UINT64_C(1) << 30)

/* ---- opening ---- */

/* What the user wished, within what the device is able to do. */
static int settle(struct weir_verbs_fabric *fabric, const struct weir_fabric_params *params,
                  struct weir_error *error)
{
    struct weir_fabric_params *settings = &fabric->settings;
    unsigned requests;

    *settings = *params;
    requests = weir_verbs_send_requests(settings);
    if (requests > (unsigned)fabric->device.max_qp_wr ||
        settings->message_credits > (unsigned)fabric->device.max_qp_wr)
        return weir_error_usage(
            error, "verbs",
            "a queue pair for %u work requests in flight and %u messages; the device "
            "has room for %d: a smaller depth",
            requests, settings->message_credits, fabric->device.max_qp_wr);
    if (settings->pkey_index > 0 && settings->pkey_index >= fabric->attributes.pkey_tbl_len)
        return weir_error_usage(error, "verbs",
                                "P_Key index %u: the port has %u entries, from 0 on; "
                                "/sys/class/infiniband/%s/ports/%u/pkeys lists them",
                                settings->pkey_index, fabric->attributes.pkey_tbl_len,
                                ibv_get_device_name(fabric->context->device), fabric->port);
    if (settings->timeout_exponent > 31 || settings->retry_count > 7)
        return weir_error_usage(error, "verbs",
                                "a timeout exponent of %u and %u retries; at most 31 and 7 are "
                                "possible",
                                settings->timeout_exponent, settings->retry_count);
    return 0;
}

static void tell_interface(struct weir_verbs_fabric *fabric)
{
    char *interface = fabric->base.interface;
    const size_t bytes = sizeof fabric->base.interface;

    if (fabric->attributes.link_layer != IBV_LINK_LAYER_ETHERNET)
        return;
    /* A GID of RoCE is an IP address; an IPv4 one is written without its prefix. */
    weir_verbs_gid_text(&fabric->gid.gid, interface, bytes);
    if (strncmp(interface, "::ffff:", 7) == 0)
        memmove(interface, interface + 7, strlen(interface + 7) + 1);
    else if (strncmp(interface, "fe80:", 5) == 0)
        interface[0] = '\0';
}

static void tell_facts(struct weir_verbs_fabric *fabric)
{
    struct weir_fabric_facts *facts = &fabric->base.facts;
    const struct weir_fabric_params *settings = &fabric->settings;
    const char *name = ibv_get_device_name(fabric->context->device);
    unsigned mtu = weir_verbs_mtu_bytes(fabric->attributes.active_mtu);
    unsigned reads =
        (unsigned)(fabric->device.max_qp_init_rd_atom > 0 ? fabric->device.max_qp_init_rd_atom : 1);
    uint64_t longest = fabric->attributes.max_msg_sz;
    int64_t node = WEIR_NUMA_UNKNOWN;

    snprintf(facts->provider, sizeof facts->provider, "verbs");
    snprintf(facts->device, sizeof facts->device, "%.27s/%u", name, fabric->port);
    snprintf(facts->transport, sizeof facts->transport, "%s",
             weir_verbs_transport(&fabric->attributes, fabric->gid.type));
    if (fabric->gid.index >= 0)
        weir_verbs_gid_text(&fabric->gid.gid, facts->address, sizeof facts->address);
    facts->gid_index = fabric->gid.index;
    weir_small_file_number(&node, "/sys/class/infiniband/%s/device/numa_node", name);
    facts->numa_node = (int32_t)node;
    facts->mtu_bytes = settings->mtu_bytes != 0 && settings->mtu_bytes < mtu
                           ? weir_verbs_mtu_bytes(weir_verbs_mtu(settings->mtu_bytes))
                           : mtu;
    facts->read_depth =
        settings->read_depth != 0 && settings->read_depth < reads ? settings->read_depth : reads;
    facts->depth = settings->depth;
    facts->bits_per_s = weir_verbs_rate(name, fabric->port);
    facts->longest_wr_bytes = longest == 0 || longest > LONGEST_WR ? LONGEST_WR : longest;
    facts->is_one_sided = true;
    facts->fails_in_order = true;
}

/* What is granted inline is only known of a queue pair. */
static int measure_inline(struct weir_verbs_fabric *fabric, struct weir_error *error)
{
    struct ibv_qp *qp =
        weir_verbs_pair_create(fabric, fabric->queues, &fabric->base.facts.inline_bytes);
    int code;

    if (qp == NULL) {
        code = errno != 0 ? -errno : -EIO;
        return weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, code, "verbs",
            "no queue pair for %u work requests in flight and %u messages: %s; `weir "
            "doctor` tells of the limits of device, memory and control group",
            weir_verbs_send_requests(&fabric->settings), fabric->settings.message_credits,
            strerror(-code));
    }
    ibv_destroy_qp(qp);
    return 0;
}

static int open_resources(struct weir_verbs_fabric *fabric, struct weir_error *error)
{
    int code;

    fabric->pd = ibv_alloc_pd(fabric->context);
    if (fabric->pd == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, errno != 0 ? -errno : -EIO, "verbs",
                              "no protection domain: %s; `weir doctor` tells of limits",
                              strerror(errno));
    fabric->channel = ibv_create_comp_channel(fabric->context);
    if (fabric->channel == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, errno != 0 ? -errno : -EIO, "verbs",
                              "no completion channel: %s; ulimit -n raises the number of open "
                              "files",
                              strerror(errno));
    code = weir_verbs_queues_open(fabric, error);
    return code < 0 ? code : measure_inline(fabric, error);
}

static void verbs_close(struct weir_fabric *base)
{
    struct weir_verbs_fabric *fabric = weir_verbs_fabric_of(base);

    weir_verbs_queues_close(fabric);
    if (fabric->channel != NULL)
        ibv_destroy_comp_channel(fabric->channel);
    if (fabric->pd != NULL)
        ibv_dealloc_pd(fabric->pd);
    weir_verbs_device_close(fabric);
    free(fabric->table);
    free(fabric);
}

static int open_fabric(struct weir_verbs_fabric *fabric, const struct weir_fabric_params *params,
                       struct weir_error *error)
{
    int code = weir_verbs_device_open(fabric, params, error);

    if (code == 0)
        code = settle(fabric, params, error);
    if (code < 0)
        return code;
    tell_facts(fabric);
    tell_interface(fabric);
    weir_verbs_requests_init(fabric);
    return open_resources(fabric, error);
}

/* Forks need no preparation with kernels since 5.12, which copy pinned pages for the child; and
 * nothing forks here after memory was registered. */
static int verbs_open(const struct weir_fabric_params *params, struct weir_fabric **out,
                      struct weir_error *error)
{
    struct weir_verbs_fabric *fabric = calloc(1, sizeof *fabric);
    int code;

    if (fabric == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "verbs", "out of memory");
    code = open_fabric(fabric, params, error);
    if (code < 0) {
        verbs_close(&fabric->base);
        return code;
    }
    *out = &fabric->base;
    return 0;
}

/* ---- memory ---- */

static int verbs_region_open(struct weir_fabric *base, void *memory, size_t bytes,
                             const struct weir_slab *slab, unsigned access,
                             struct weir_region **out, struct weir_error *error)
{
    struct weir_verbs_fabric *fabric = weir_verbs_fabric_of(base);
    struct weir_verbs_region *region = calloc(1, sizeof *region);
    bool is_served = access & WEIR_REGION_SERVED;
    int rights = IBV_ACCESS_LOCAL_WRITE;
    int code;

    (void)slab;
    if (region == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "verbs", "out of memory");
    if (is_served)
        rights |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    /* Messages and completions, which are written without it, do not overtake what was written
     * before them (PCIe: only a write that is relaxed itself passes others). Devices and kernels
     * that do not know it leave it out. */
    if (!(access & WEIR_REGION_WATCHED))
        rights |= IBV_ACCESS_RELAXED_ORDERING;
    region->mr = ibv_reg_mr(fabric->pd, memory, bytes, rights);
    if (region->mr == NULL) {
        code = errno != 0 ? -errno : -EIO;
        free(region);
        return weir_verbs_refuse_region(fabric, bytes, code, error);
    }
    region->base = (struct weir_region){
        .fabric = base,
        .memory = memory,
        .bytes = bytes,
        .is_served = is_served,
        .key = {.address = (uintptr_t)memory,
                .key = region->mr->rkey,
                .bytes = bytes,
                .process = -1,
                .fd = -1},
    };
    *out = &region->base;
    return 0;
}

static void verbs_region_close(struct weir_region *base)
{
    struct weir_verbs_region *region = (struct weir_verbs_region *)base;

    ibv_dereg_mr(region->mr);
    free(region);
}

const struct weir_provider weir_provider_verbs = {
    .name = "verbs",
    .host = &(const struct weir_provider_host){weir_verbs_check, weir_verbs_diagnose},
    .open = verbs_open,
    .close = verbs_close,
    .region_open = verbs_region_open,
    .region_close = verbs_region_close,
    .link_open = weir_verbs_link_open,
    .link_join = weir_verbs_link_join,
    .link_close = weir_verbs_link_close,
    .post = weir_verbs_post,
    .release = weir_verbs_release,
    .progress = weir_verbs_progress,
    .drain = weir_verbs_drain,
    .woken = weir_verbs_woken,
    .can_wait = true,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that stand in the way of registered memory, queue pairs and their queues: each refusal
 * says how much is wanted, how much there is, and what raises it. */
#include "verbs.h"

#include "weir/system/control_group.h"
#include "weir/system/small_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CAP_IPC_LOCK_BIT 14

/* ---- memory that may be locked ---- */

void weir_verbs_memlock(struct weir_verbs_memlock *memlock)
{
    char value[32];
    struct rlimit limit;

    *memlock = (struct weir_verbs_memlock){.limit = UINT64_MAX};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        memlock->limit = limit.rlim_cur;
    if (weir_small_file_field("/proc/self/status", "VmPin", value, sizeof value))
        memlock->pinned = strtoull(value, NULL, 10) * 1024;
    if (weir_small_file_field("/proc/self/status", "CapEff", value, sizeof value) &&
        (strtoull(value, NULL, 16) >> CAP_IPC_LOCK_BIT & 1) != 0)
        memlock->limit = UINT64_MAX;
}

static int check_memlock(uint64_t bytes, struct weir_error *error)
{
    char wanted[WEIR_SIZE_TEXT_BYTES], allowed[WEIR_SIZE_TEXT_BYTES], pinned[WEIR_SIZE_TEXT_BYTES];
    struct weir_verbs_memlock memlock;

    weir_verbs_memlock(&memlock);
    if (memlock.limit == UINT64_MAX ||
        (memlock.pinned <= memlock.limit && bytes <= memlock.limit - memlock.pinned))
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "verbs",
                          "%s of memory are to be registered, and %s are already; this process may "
                          "lock %s (RLIMIT_MEMLOCK): " WEIR_VERBS_MEMLOCK_WAYS("; "),
                          weir_size_format(bytes, wanted), weir_size_format(memlock.pinned, pinned),
                          weir_size_format(memlock.limit, allowed));
}

int weir_verbs_refuse_region(const struct weir_verbs_fabric *fabric, uint64_t bytes, int code,
                             struct weir_error *error)
{
    char wanted[WEIR_SIZE_TEXT_BYTES], largest[WEIR_SIZE_TEXT_BYTES];

    if (bytes > fabric->device.max_mr_size)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "verbs",
                              "%s cannot be registered in one piece; the device takes %s at most",
                              weir_size_format(bytes, wanted),
                              weir_size_format(fabric->device.max_mr_size, largest));
    if (code == -ENOMEM && check_memlock(bytes, error) < 0)
        return code;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "verbs",
                          "%s of memory cannot be registered: %s; `weir doctor` tells of the "
                          "limits of the device and of the control group",
                          weir_size_format(bytes, wanted), strerror(-code));
}

/* ---- control groups ---- */

struct search {
    const char *device;
    const char *resource;
    uint64_t least; /* left of a limit; UINT64_MAX: there is none */
    uint64_t *limit;
    uint64_t *taken;
};

/* Of a line "mlx5_0 hca_handle=2 hca_object=max"; false: no such, or "max". */
static bool find_value(const char *line, const struct search *search, uint64_t *value)
{
    size_t device_length = strlen(search->device), length = strlen(search->resource);
    const char *field = strstr(line, search->resource);

    if (strncmp(line, search->device, device_length) != 0 || line[device_length] != ' ' ||
        field == NULL || field[length] != '=' || field[length + 1] < '0' || field[length + 1] > '9')
        return false;
    *value = strtoull(field + length + 1, NULL, 10);
    return true;
}

static bool read_value(const struct weir_control_group *group, const char *name,
                       const struct search *search, uint64_t *value)
{
    char path[PATH_MAX], line[256];
    bool is_found = false;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", group->directory, name);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found = find_value(line, search, value);
    fclose(file);
    return is_found;
}

static void compare(void *context, const struct weir_control_group *group)
{
    struct search *search = context;
    uint64_t most, used = 0, left;

    if (!read_value(group, "rdma.max", search, &most))
        return;
    read_value(group, "rdma.current", search, &used);
    left = used < most ? most - used : 0;
    if (left >= search->least)
        return;
    search->least = left;
    *search->limit = most;
    *search->taken = used;
}

bool weir_verbs_group_limit(const char *device, const char *resource, uint64_t *limit,
                            uint64_t *taken)
{
    struct search search = {.device = device,
                            .resource = resource,
                            .least = UINT64_MAX,
                            .limit = limit,
                            .taken = taken};

    *limit = UINT64_MAX;
    *taken = 0;
    weir_control_groups_visit("", "rdma", compare, &search);
    return search.least != UINT64_MAX;
}

static int check_group(const char *device, uint64_t objects, struct weir_error *error)
{
    uint64_t limit, taken;

    if (!weir_verbs_group_limit(device, "hca_object", &limit, &taken) ||
        (taken <= limit && objects <= limit - taken))
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EAGAIN, "verbs",
                          "%" PRIu64 " objects of %s (regions, queue pairs, queues) are wanted; "
                          "the control group allows %" PRIu64 ", of which %" PRIu64 " are taken; "
                          "as root: raise hca_object in rdma.max of the group, or of the job in "
                          "the batch system",
                          objects, device, limit, taken);
}

/* ---- all limits ---- */

struct want {
    const char *what;
    uint64_t wanted;
    uint64_t allowed;
    const char *remedy;
};

static int check_device(const struct want wants[], size_t count, const char *device,
                        struct weir_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (wants[i].wanted > wants[i].allowed)
            return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSPC, "verbs",
                                  "%" PRIu64 " %s are wanted; the device %s has %" PRIu64 ": %s",
                                  wants[i].wanted, wants[i].what, device, wants[i].allowed,
                                  wants[i].remedy);
    return 0;
}

int weir_verbs_check(const struct weir_fabric *base, const struct weir_fabric_need *need,
                     struct weir_error *error)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_const_fabric_of(base);
    const struct weir_fabric_params *settings = &fabric->settings;
    const struct ibv_device_attr *device = &fabric->device;
    const char *name = ibv_get_device_name(fabric->context->device);
    uint64_t entries = (uint64_t)need->links * weir_verbs_link_entries(settings);
    const struct want wants[] = {
        {"bytes of a region", need->region_bytes, device->max_mr_size,
         "more and smaller regions, or a smaller --capacity"},
        {"memory regions", (uint64_t)need->regions + need->links, (uint64_t)device->max_mr,
         "fewer links or servers"},
        {"queue pairs", need->links, (uint64_t)device->max_qp, "fewer links"},
        {"work requests in flight on a queue pair", weir_verbs_send_requests(settings),
         (uint64_t)device->max_qp_wr, "a smaller depth"},
        {"messages to be received on a queue pair", settings->message_credits,
         (uint64_t)device->max_qp_wr, "fewer credits"},
        {"entries of a completion queue for a link", weir_verbs_link_entries(settings),
         (uint64_t)device->max_cqe, "a smaller depth"},
        {"entries of completion queues", entries,
         (uint64_t)device->max_cqe * (uint64_t)device->max_cq, "a smaller depth, or fewer links"},
        {"pieces of memory in a request", 2, (uint64_t)device->max_sge,
         "another device: this one cannot send a message and its data at once"},
    };
    int code = check_device(wants, sizeof wants / sizeof *wants, name, error);

    if (code == 0)
        code = check_memlock(
            need->locked_bytes + need->links * (uint64_t)weir_verbs_link_bytes(settings), error);
    /* Besides: a few completion queues, and what is opened once. */
    if (code == 0)
        code = check_group(name, need->regions + 2 * (uint64_t)need->links + 4, error);
    return code;
}

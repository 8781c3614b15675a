/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues: room for all that can complete on any link at once, always. */
#include "verbs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of the first queue, unless the first link needs more. */
#define FIRST_ENTRIES 2048u

static int add_queue(struct weir_verbs_fabric *fabric, unsigned entries)
{
    unsigned largest = (unsigned)fabric->device.max_cqe;
    unsigned wanted = fabric->queues != NULL ? 2 * fabric->queues->entries : FIRST_ENTRIES;
    struct weir_verbs_queue *queue;

    if (entries > largest)
        return -ENOSPC;
    if (wanted < entries)
        wanted = entries;
    if (wanted > largest)
        wanted = largest;
    queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return -ENOMEM;
    queue->cq = ibv_create_cq(fabric->context, (int)wanted, NULL, fabric->channel, 0);
    if (queue->cq == NULL) {
        int code = errno != 0 ? -errno : -EIO;

        free(queue);
        return code;
    }
    /* More than was asked for may be granted, but is not needed. */
    queue->entries = wanted;
    queue->next = fabric->queues;
    fabric->queues = queue;
    return 0;
}

int weir_verbs_queue_take(struct weir_verbs_fabric *fabric, unsigned entries,
                          struct weir_verbs_queue **queue)
{
    struct weir_verbs_queue *found = fabric->queues;
    int code;

    while (found != NULL && found->entries - found->taken < entries)
        found = found->next;
    if (found == NULL) {
        code = add_queue(fabric, entries);
        if (code < 0)
            return code;
        found = fabric->queues;
    }
    assert(found != NULL);
    found->taken += entries;
    *queue = found;
    return 0;
}

int weir_verbs_queues_open(struct weir_verbs_fabric *fabric, struct weir_error *error)
{
    unsigned entries = weir_verbs_link_entries(&fabric->settings);
    int code = add_queue(fabric, entries);

    if (code == -ENOSPC)
        return weir_error_set(
            error, WEIR_EXIT_USAGE, code, "verbs",
            "a link with %u work requests in flight needs %u entries of a completion "
            "queue; the device has %d at most: a smaller depth",
            fabric->settings.depth, entries, fabric->device.max_cqe);
    if (code < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "verbs",
                              "no completion queue: %s; `weir doctor` tells of limits",
                              strerror(-code));
    return 0;
}

void weir_verbs_queues_close(struct weir_verbs_fabric *fabric)
{
    struct weir_verbs_queue *next;

    for (struct weir_verbs_queue *queue = fabric->queues; queue != NULL; queue = next) {
        next = queue->next;
        ibv_destroy_cq(queue->cq);
        free(queue);
    }
    fabric->queues = NULL;
}

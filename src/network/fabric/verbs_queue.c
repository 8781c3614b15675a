/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues: room for all that can complete on any link at once, always. */
#include "verbs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of the first queue, unless the first link needs more. Less where maps of queues are scarce:
 * software iWARP has 144 pages of them for all that a process opens (and iWARP in hardware is
 * treated like it). */
#define FIRST_ENTRIES 2048u
#define FIRST_LINKS_OF_IWARP 2u /* with what is kept for each */

static int add_queue(struct weir_verbs_fabric *fabric, unsigned entries)
{
    unsigned largest = (unsigned)fabric->device.max_cqe;
    unsigned first = fabric->is_iwarp ? FIRST_LINKS_OF_IWARP * entries : FIRST_ENTRIES;
    unsigned wanted = fabric->queues != NULL ? 2 * fabric->queues->entries : first;
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

/* Where rdma_cm connects, a pair that has to be made anew leaves completions behind: as much room
 * as a link has is kept for those (weir_verbs_lane_renew), or what the device has left for them. A
 * link that does not even fit by itself stays as it is, for add_queue to refuse. */
static unsigned with_spare(const struct weir_verbs_fabric *fabric, unsigned entries)
{
    unsigned largest = (unsigned)fabric->device.max_cqe;

    if (!fabric->uses_cm || entries > largest)
        return entries;
    return weir_verbs_smaller(2 * entries, largest);
}

int weir_verbs_queue_take(struct weir_verbs_fabric *fabric, unsigned entries,
                          struct weir_verbs_queue **queue)
{
    unsigned needed = with_spare(fabric, entries);
    struct weir_verbs_queue *found = fabric->queues;
    int code;

    while (found != NULL && found->entries - found->taken < needed)
        found = found->next;
    if (found == NULL) {
        code = add_queue(fabric, needed);
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
    unsigned entries = with_spare(fabric, weir_verbs_link_entries(&fabric->settings));
    int code = add_queue(fabric, entries);

    if (code == -ENOSPC)
        return weir_error_set(error, WEIR_EXIT_USAGE, code, "verbs",
                              "a link of %u queue pairs with %u wires in flight needs %u entries "
                              "of a completion queue; the device has %d at most: a smaller depth, "
                              "or fewer pairs",
                              fabric->settings.pairs, fabric->settings.depth, entries,
                              fabric->device.max_cqe);
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

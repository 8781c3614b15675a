/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that peers may touch: whoever names its key finds its place, and nothing beyond. */
#include "secret.h"
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The slot of a region is in its key. */
#define REGION_SLOT_BITS 16
#define REGIONS_MAX (1u << REGION_SLOT_BITS)

static int find_slot(struct tcp_fabric *tcp, unsigned *slot)
{
    struct weir_region **more;

    for (*slot = 0; *slot < tcp->region_count; (*slot)++) {
        if (tcp->regions[*slot] == NULL)
            return 0;
    }
    if (tcp->region_count == REGIONS_MAX)
        return -ENOSPC;
    more = realloc(tcp->regions, (tcp->region_count + 1) * sizeof *more);
    if (more == NULL)
        return -ENOMEM;
    tcp->regions = more;
    tcp->regions[tcp->region_count++] = NULL;
    return 0;
}

int weir_tcp_region_open(struct weir_fabric *fabric, void *memory, size_t bytes,
                         const struct weir_slab *slab, unsigned access, struct weir_region **region,
                         struct weir_error *error)
{
    struct tcp_fabric *tcp = (struct tcp_fabric *)fabric;
    struct weir_region *made = calloc(1, sizeof *made);
    unsigned slot = 0;
    uint64_t key = 0;
    int failure = made == NULL ? -ENOMEM : find_slot(tcp, &slot);

    (void)slab;
    if (!failure)
        failure = weir_secret_random(&key, sizeof key);
    if (failure) {
        free(made);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, failure, "tcp",
                              "no room for another region of memory: %s", strerror(-failure));
    }
    *made = (struct weir_region){
        .fabric = fabric,
        .memory = memory,
        .bytes = bytes,
        .is_served = access & WEIR_REGION_SERVED,
        .key = {.address = (uintptr_t)memory,
                .key = key << REGION_SLOT_BITS | slot,
                .bytes = bytes,
                .process = -1,
                .fd = -1},
    };
    tcp->regions[slot] = made;
    *region = made;
    return 0;
}

unsigned char *weir_tcp_find(const struct tcp_fabric *fabric, uint64_t key, uint64_t address,
                             uint64_t bytes)
{
    uint64_t slot = key & (REGIONS_MAX - 1);
    const struct weir_region *region = slot < fabric->region_count ? fabric->regions[slot] : NULL;

    if (region == NULL || !region->is_served || region->key.key != key)
        return NULL;
    if (address < region->key.address || address - region->key.address > region->bytes ||
        bytes > region->bytes - (address - region->key.address))
        return NULL;
    return region->memory + (address - region->key.address);
}

static bool is_within(const unsigned char *place, const struct weir_region *region)
{
    return place != NULL && place >= region->memory && place < region->memory + region->bytes;
}

/* Peers do not know that memory goes away: what they write from now on is refused, and whom we owe
 * data of it can only be left. */
static void withdraw(struct tcp_link *link, const struct weir_region *region)
{
    if (link->stage == TCP_PAYLOAD && link->frame.kind == TCP_WRITE &&
        is_within(link->target, region)) {
        link->target = NULL;
        link->failure = -EACCES;
    }
    for (uint32_t i = link->reply_sent; i != link->replied; i++) {
        if (is_within(link->replies[i & link->reply_mask].data, region))
            weir_link_lose(&link->base, -EACCES);
    }
}

void weir_tcp_region_close(struct weir_region *region)
{
    struct tcp_fabric *tcp = (struct tcp_fabric *)region->fabric;
    struct weir_link *next;

    for (struct weir_link *link = region->fabric->links; link != NULL && region->is_served;
         link = next) {
        next = link->next;
        if (link->state == WEIR_LINK_UP)
            withdraw((struct tcp_link *)link, region);
    }
    tcp->regions[region->key.key & (REGIONS_MAX - 1)] = NULL;
    free(region);
}

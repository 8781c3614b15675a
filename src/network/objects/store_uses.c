/* SPDX-License-Identifier: Apache-2.0 */
/* Who uses what: a table by client and target, and a list for each client. */
#include "store_uses.h"

#include "weir/base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct weir_use {
    struct weir_node node;
    struct weir_use *next, **place; /* in the list of its client */
    struct weir_used *used;
    uint32_t client;
    uint32_t count;
};

static void free_use(struct weir_node *node)
{
    free(node);
}

int weir_uses_init(struct weir_uses *uses)
{
    return weir_table_init(&uses->table);
}

void weir_uses_fini(struct weir_uses *uses)
{
    weir_table_fini(&uses->table, free_use);
    free(uses->of_client);
    *uses = (struct weir_uses){0};
}

static uint64_t hash(uint32_t client, const struct weir_used *used)
{
    return weir_mix64((uintptr_t)used ^ (uint64_t)client << 32);
}

static struct weir_use *find(const struct weir_uses *uses, uint32_t client,
                             const struct weir_used *used)
{
    struct weir_node *node = weir_table_find(&uses->table, hash(client, used));

    for (; node; node = weir_table_next(node)) {
        struct weir_use *use = (struct weir_use *)node;

        if (use->client == client && use->used == used)
            return use;
    }
    return NULL;
}

static bool make_room(struct weir_uses *uses, uint32_t client)
{
    uint32_t room = uses->client_room ? uses->client_room : 16;
    struct weir_use **of_client;

    if (client < uses->client_room)
        return true;
    while (room <= client)
        room *= 2;
    of_client = calloc(room, sizeof *of_client);
    if (!of_client)
        return false;
    for (uint32_t i = 0; i < uses->client_room; i++) {
        of_client[i] = uses->of_client[i];
        if (of_client[i])
            of_client[i]->place = &of_client[i];
    }
    free(uses->of_client);
    uses->of_client = of_client;
    uses->client_room = room;
    return true;
}

int weir_uses_add(struct weir_uses *uses, uint32_t client, struct weir_used *used)
{
    struct weir_use *use = find(uses, client, used);

    if (use) {
        use->count++;
        return 0;
    }
    use = make_room(uses, client) ? malloc(sizeof *use) : NULL;
    if (!use)
        return -ENOMEM;
    *use = (struct weir_use){.next = uses->of_client[client],
                             .place = &uses->of_client[client],
                             .used = used,
                             .client = client,
                             .count = 1};
    if (use->next)
        use->next->place = &use->next;
    *use->place = use;
    weir_table_add(&uses->table, &use->node, hash(client, used));
    used->users++;
    return 0;
}

bool weir_uses_has(const struct weir_uses *uses, uint32_t client, const struct weir_used *used)
{
    return find(uses, client, used);
}

bool weir_uses_remove(struct weir_uses *uses, uint32_t client, struct weir_used *used, bool wholly)
{
    struct weir_use *use = find(uses, client, used);

    if (!use)
        return false;
    if (!wholly && --use->count)
        return true;
    *use->place = use->next;
    if (use->next)
        use->next->place = use->place;
    weir_table_remove(&uses->table, &use->node);
    free(use);
    used->users--;
    return true;
}

struct weir_used *weir_uses_any(const struct weir_uses *uses, uint32_t client)
{
    const struct weir_use *use = client < uses->client_room ? uses->of_client[client] : NULL;

    return use ? use->used : NULL;
}

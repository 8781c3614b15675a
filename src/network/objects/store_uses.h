/* SPDX-License-Identifier: Apache-2.0 */
/* Who uses what: which clients have an object open, hold a shard, are to drop one, or have a
 * directory locked, and how often. Each of these is found in O(1), and what a client uses in
 * O(that). */
#ifndef WEIR_NETWORK_OBJECTS_STORE_USES_H
#define WEIR_NETWORK_OBJECTS_STORE_USES_H

#include "table.h"

#include <stdbool.h>

/* A part of what is used. */
struct weir_used {
    uint32_t users;                                                       /* clients */
    enum { WEIR_USED_RECORD, WEIR_USED_SHARD, WEIR_USED_DIRECTORY } kind; /* what it is part of */
};

struct weir_uses {
    struct weir_table table;
    struct weir_use **of_client; /* heads of lists, by the client's number */
    uint32_t client_room;
};

/* 0 or -ENOMEM. */
int weir_uses_init(struct weir_uses *uses);
void weir_uses_fini(struct weir_uses *uses);

/* Once more. 0 or -ENOMEM. */
int weir_uses_add(struct weir_uses *uses, uint32_t client, struct weir_used *used);
bool weir_uses_has(const struct weir_uses *uses, uint32_t client, const struct weir_used *used);
/* Once less, or (`wholly`) not at all any more. False: the client does not use it. */
bool weir_uses_remove(struct weir_uses *uses, uint32_t client, struct weir_used *used, bool wholly);
/* Something that the client uses; NULL: nothing. */
struct weir_used *weir_uses_any(const struct weir_uses *uses, uint32_t client);

#endif

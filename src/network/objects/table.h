/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table whose nodes are the first member of what is in it. */
#ifndef WEIR_NETWORK_OBJECTS_TABLE_H
#define WEIR_NETWORK_OBJECTS_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct weir_node {
    struct weir_node *next;
    uint64_t hash;
};

struct weir_table {
    struct weir_node **buckets;
    size_t bucket_count; /* a power of two */
    size_t count;
};

/* 0 or -ENOMEM. */
int weir_table_init(struct weir_table *table);
/* Frees the nodes too, with `release`. */
void weir_table_fini(struct weir_table *table, void (*release)(struct weir_node *node));

/* The first node of a hash, and the next one of the same hash; NULL: none. */
struct weir_node *weir_table_find(const struct weir_table *table, uint64_t hash);
struct weir_node *weir_table_next(const struct weir_node *node);

/* Grows if it can, and becomes slower if not. */
void weir_table_add(struct weir_table *table, struct weir_node *node, uint64_t hash);
void weir_table_remove(struct weir_table *table, struct weir_node *node);

#endif

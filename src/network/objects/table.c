/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with chains. */
#include "table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int weir_table_init(struct weir_table *table)
{
    *table = (struct weir_table){.bucket_count = 64};
    table->buckets = calloc(table->bucket_count, sizeof(struct weir_node *));
    return table->buckets ? 0 : -ENOMEM;
}

static struct weir_node **bucket_of(const struct weir_table *table, uint64_t hash)
{
    return &table->buckets[hash & (table->bucket_count - 1)];
}

void weir_table_fini(struct weir_table *table, void (*release)(struct weir_node *node))
{
    for (size_t i = 0; table->buckets && i < table->bucket_count; i++)
        for (struct weir_node *node = table->buckets[i], *next; node; node = next) {
            next = node->next;
            release(node);
        }
    free(table->buckets);
    *table = (struct weir_table){0};
}

static struct weir_node *first_of(struct weir_node *node, uint64_t hash)
{
    while (node && node->hash != hash)
        node = node->next;
    return node;
}

struct weir_node *weir_table_find(const struct weir_table *table, uint64_t hash)
{
    return first_of(*bucket_of(table, hash), hash);
}

struct weir_node *weir_table_next(const struct weir_node *node)
{
    return first_of(node->next, node->hash);
}

static void grow(struct weir_table *table)
{
    struct weir_table larger = {.bucket_count = 2 * table->bucket_count, .count = table->count};

    larger.buckets = calloc(larger.bucket_count, sizeof(struct weir_node *));
    if (!larger.buckets)
        return;
    for (size_t i = 0; i < table->bucket_count; i++)
        for (struct weir_node *node = table->buckets[i], *next; node; node = next) {
            struct weir_node **bucket = bucket_of(&larger, node->hash);

            next = node->next;
            node->next = *bucket;
            *bucket = node;
        }
    free(table->buckets);
    *table = larger;
}

void weir_table_add(struct weir_table *table, struct weir_node *node, uint64_t hash)
{
    struct weir_node **bucket;

    if (table->count >= table->bucket_count)
        grow(table);
    bucket = bucket_of(table, hash);
    node->hash = hash;
    node->next = *bucket;
    *bucket = node;
    table->count++;
}

void weir_table_remove(struct weir_table *table, struct weir_node *node)
{
    struct weir_node **place = bucket_of(table, node->hash);

    while (*place != node) {
        assert(*place);
        place = &(*place)->next;
    }
    *place = node->next;
    table->count--;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes places of cores, processors, NUMA nodes and packages, and puts them in order. */
#include "binding_places.h"

#include "topology_parts.h"

#include <stdlib.h>

/* The inputs of places. */
struct site {
    const struct weir_topology *topology;
    const struct weir_cpu_set *usable;
    bool is_scattered;
};

static bool has_common(const struct weir_cpu_set *a, const struct weir_cpu_set *b)
{
    struct weir_cpu_set common = weir_cpu_set_and(a, b);

    return !weir_cpu_set_is_empty(&common);
}

static void add(struct weir_places *places, unsigned core, const struct weir_cpu_set *cpus,
                bool is_far)
{
    places->items[places->count++] =
        (struct weir_place){.cpus = *cpus, .core = core, .is_far = is_far};
}

/* ---- in turn ---- */

enum group { BY_NODE, BY_PACKAGE };

/* A place and where it is to stand. There is one for each round of a group. */
struct dealt {
    struct weir_place place;
    unsigned round;
    unsigned group;
};

static int compare_dealt(const void *a, const void *b)
{
    const struct dealt *left = a;
    const struct dealt *right = b;

    if (left->round != right->round)
        return left->round < right->round ? -1 : 1;
    return left->group < right->group ? -1 : left->group > right->group;
}

/* Reorders the places from `first` on: one of each group in turn, and within a group as they stood.
 * Groups that have no more drop out. */
static void deal(struct weir_places *places, unsigned first, const struct weir_topology *topology,
                 enum group by)
{
    unsigned count = places->count - first;
    unsigned group_count = by == BY_NODE ? topology->node_count : topology->package_count;
    unsigned *rounds = calloc(group_count > 0 ? group_count : 1, sizeof *rounds);
    struct dealt *dealt = calloc(count > 0 ? count : 1, sizeof *dealt);

    if (rounds == NULL || dealt == NULL)
        weir_error_out_of_memory();
    for (unsigned i = 0; i < count; i++) {
        const struct weir_place *place = &places->items[first + i];
        const struct weir_core_part *core = &topology->cores[place->core];
        unsigned group = by == BY_NODE ? core->node : core->package;

        dealt[i] = (struct dealt){.place = *place, .round = rounds[group]++, .group = group};
    }
    qsort(dealt, count, sizeof *dealt, compare_dealt);
    for (unsigned i = 0; i < count; i++)
        places->items[first + i] = dealt[i].place;
    free(dealt);
    free(rounds);
}

/* Neighbours of the order are then on different packages, and of those on different nodes. */
static void scatter(struct weir_places *places, unsigned first,
                    const struct weir_topology *topology)
{
    deal(places, first, topology, BY_NODE);
    deal(places, first, topology, BY_PACKAGE);
}

/* ---- cores and processors ---- */

static void offer_cores(struct weir_places *places, const struct site *site)
{
    const struct weir_topology *topology = site->topology;

    for (unsigned i = 0; i < topology->core_count; i++)
        if (has_common(&topology->cores[i].cpus, site->usable))
            add(places, i, &topology->cores[i].cpus, false);
    if (site->is_scattered)
        scatter(places, 0, topology);
}

/* The usable processor of a core that has `level` usable ones before it; false if there is none. */
static bool find_processor(const struct site *site, unsigned core, unsigned level,
                           struct weir_cpu_set *cpus)
{
    struct weir_cpu_set usable = weir_cpu_set_and(&site->topology->cores[core].cpus, site->usable);
    unsigned cpu = weir_cpu_set_next(&usable, 0);

    for (; level > 0 && cpu < WEIR_CPUS_MAX; level--)
        cpu = weir_cpu_set_next(&usable, cpu + 1);
    *cpus = (struct weir_cpu_set){0};
    weir_cpu_set_add(cpus, cpu);
    return cpu < WEIR_CPUS_MAX;
}

static void offer_processors_in_line(struct weir_places *places, const struct site *site)
{
    struct weir_cpu_set cpus;

    for (unsigned i = 0; i < site->topology->core_count; i++)
        for (unsigned level = 0; find_processor(site, i, level, &cpus); level++)
            add(places, i, &cpus, false);
}

/* The first processors of all cores, then the second ones. */
static void offer_processors_by_level(struct weir_places *places, const struct site *site)
{
    unsigned first = 0;

    for (unsigned level = 0; level == 0 || first < places->count; level++) {
        struct weir_cpu_set cpus;

        first = places->count;
        for (unsigned i = 0; i < site->topology->core_count; i++)
            if (find_processor(site, i, level, &cpus))
                add(places, i, &cpus, false);
        scatter(places, first, site->topology);
    }
}

static void offer_processors(struct weir_places *places, const struct site *site)
{
    if (site->is_scattered)
        offer_processors_by_level(places, site);
    else
        offer_processors_in_line(places, site);
}

/* ---- NUMA nodes and packages ---- */

static void offer_nodes(struct weir_places *places, const struct site *site)
{
    const struct weir_topology *topology = site->topology;

    for (unsigned node = 0; node < topology->node_count; node++)
        for (unsigned i = 0; i < topology->core_count; i++)
            if (topology->cores[i].node == node &&
                has_common(&topology->cores[i].cpus, site->usable))
                add(places, i, &topology->nodes[node].cpus, false);
    if (site->is_scattered)
        deal(places, 0, topology, BY_NODE);
}

static void offer_packages(struct weir_places *places, const struct site *site)
{
    const struct weir_topology *topology = site->topology;

    for (unsigned i = 0; i < topology->core_count; i++)
        if (has_common(&topology->cores[i].cpus, site->usable))
            add(places, i, &topology->packages[topology->cores[i].package], false);
    if (site->is_scattered)
        deal(places, 0, topology, BY_PACKAGE);
}

/* ---- cores near to a device, and then those that are not ---- */

/* Without the firmware's distances, nodes of one package are nearer than others. */
static uint64_t distance(const struct weir_topology *topology, unsigned from, unsigned to)
{
    if (topology->distances != NULL)
        return topology->distances[from * topology->node_count + to];
    if (from == to)
        return 0;
    return topology->nodes[from].package == topology->nodes[to].package ? 1 : 2;
}

/* From each node to the nearest of those that `near` is in. */
static uint64_t *measure_nodes(const struct weir_topology *topology,
                               const struct weir_cpu_set *near)
{
    uint64_t *shortest = calloc(topology->node_count, sizeof *shortest);

    if (shortest == NULL)
        weir_error_out_of_memory();
    for (unsigned to = 0; to < topology->node_count; to++) {
        shortest[to] = UINT64_MAX;
        for (unsigned from = 0; from < topology->node_count; from++) {
            uint64_t length = distance(topology, from, to);

            if (has_common(&topology->nodes[from].cpus, near) && length < shortest[to])
                shortest[to] = length;
        }
    }
    return shortest;
}

/* The least value above `*value`; false if that was the largest. */
static bool find_next(const uint64_t *values, unsigned count, uint64_t *value)
{
    bool is_found = false;
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < count; i++)
        if (values[i] > *value && (!is_found || values[i] < next)) {
            next = values[i];
            is_found = true;
        }
    *value = next;
    return is_found;
}

static void offer_far(struct weir_places *places, const struct site *site,
                      const struct weir_cpu_set *near)
{
    const struct weir_topology *topology = site->topology;
    uint64_t *lengths = measure_nodes(topology, near);
    uint64_t length = 0;
    bool goes_on = true;

    for (; goes_on; goes_on = find_next(lengths, topology->node_count, &length))
        for (unsigned i = 0; i < topology->core_count; i++) {
            const struct weir_core_part *core = &topology->cores[i];

            if (lengths[core->node] == length && has_common(&core->cpus, site->usable) &&
                !has_common(&core->cpus, near))
                add(places, i, &core->cpus, true);
        }
    free(lengths);
}

static void offer_near(struct weir_places *places, const struct site *site,
                       const struct weir_cpu_set *near)
{
    const struct weir_topology *topology = site->topology;

    for (unsigned i = 0; i < topology->core_count; i++)
        if (has_common(&topology->cores[i].cpus, site->usable) &&
            has_common(&topology->cores[i].cpus, near))
            add(places, i, &topology->cores[i].cpus, false);
    if (site->is_scattered)
        deal(places, 0, topology, BY_NODE);
    offer_far(places, site, near);
}

/* ---- all ---- */

void weir_places_make(struct weir_places *places, const struct weir_topology *topology,
                      const struct weir_pinning *pinning, const struct weir_cpu_set *usable,
                      const struct weir_cpu_set *near)
{
    const struct site site = {.topology = topology,
                              .usable = usable,
                              .is_scattered = weir_pin_order_of(pinning) == WEIR_PIN_SCATTER};

    *places = (struct weir_places){.items = calloc(WEIR_CPUS_MAX, sizeof *places->items)};
    if (places->items == NULL)
        weir_error_out_of_memory();
    switch (pinning->policy) {
    case WEIR_PIN_CORE:
        offer_cores(places, &site);
        break;
    case WEIR_PIN_PU:
        offer_processors(places, &site);
        break;
    case WEIR_PIN_NUMA:
        offer_nodes(places, &site);
        break;
    case WEIR_PIN_PACKAGE:
        offer_packages(places, &site);
        break;
    case WEIR_PIN_STORAGE:
    case WEIR_PIN_NIC:
        offer_near(places, &site, near);
        break;
    default: /* the others name their processors */
        break;
    }
}

void weir_places_close(struct weir_places *places)
{
    free(places->items);
    *places = (struct weir_places){0};
}

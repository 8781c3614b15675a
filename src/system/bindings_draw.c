/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a host as a text, a line per NUMA node, and under each one its ranks. */
#include "binding_lines.h"
#include "binding_places.h"
#include "topology_parts.h"

#include "weir/system/bindings.h"

#include <stdlib.h>

#define DEVICES_SHOWN 12

static void add_count(struct weir_text *text, unsigned count, const char *one, const char *many)
{
    weir_text_add(text, "%u %s", count, count == 1 ? one : many);
}

/* ---- parts of the host ---- */

/* The host, a package of several NUMA nodes, or a NUMA node as far as it is in a package. */
struct part {
    struct weir_cpu_set cpus;
    int package; /* -1: the host */
    int node;    /* index of its part; -1: a package, or the host */
};

struct parts {
    struct part *items; /* the host first; a package before its nodes */
    unsigned count;
};

static void add_part(struct parts *parts, const struct weir_cpu_set *cpus, int package, int node)
{
    parts->items[parts->count++] = (struct part){.cpus = *cpus, .package = package, .node = node};
}

static void add_package(struct parts *parts, const struct weir_topology *topology, unsigned package)
{
    unsigned first = parts->count;

    for (unsigned i = 0; i < topology->node_count; i++) {
        struct weir_cpu_set cpus =
            weir_cpu_set_and(&topology->nodes[i].cpus, &topology->packages[package]);

        if (weir_cpu_set_is_empty(&cpus))
            continue;
        if (parts->count == first && !weir_cpu_set_equals(&cpus, &topology->packages[package]))
            add_part(parts, &topology->packages[package], (int)package, -1);
        add_part(parts, &cpus, (int)package, (int)i);
    }
}

static void collect_parts(struct parts *parts, const struct weir_topology *topology)
{
    /* Each core is in one pair of package and node. */
    size_t most = 1 + topology->package_count + topology->core_count;

    *parts = (struct parts){.items = calloc(most, sizeof *parts->items)};
    if (parts->items == NULL)
        weir_error_out_of_memory();
    add_part(parts, &topology->all, -1, -1);
    for (unsigned i = 0; i < topology->package_count; i++)
        add_package(parts, topology, i);
}

/* The smallest part that has all of `cpus`; what is in none belongs to the host. */
static unsigned find_home(const struct parts *parts, const struct weir_cpu_set *cpus)
{
    unsigned home = 0;

    for (unsigned i = 1; i < parts->count; i++)
        if (weir_cpu_set_is_within(cpus, &parts->items[i].cpus) &&
            weir_cpu_set_count(&parts->items[i].cpus) <=
                weir_cpu_set_count(&parts->items[home].cpus))
            home = i;
    return home;
}

/* ---- devices ---- */

struct names {
    struct weir_text text;
    unsigned count;
};

static void add_name(struct names *names, const char *name)
{
    if (names->count++ >= DEVICES_SHOWN)
        return;
    weir_text_add(&names->text, "%s", names->count > 1 ? ", " : "");
    weir_text_add_visible(&names->text, name);
}

static void draw_names(struct weir_text *text, const char *intro, struct names *names)
{
    if (names->count > 0)
        weir_text_add(text, "%s%s", intro, weir_text_string(&names->text));
    if (names->count > DEVICES_SHOWN)
        weir_text_add(text, " and %u more", names->count - DEVICES_SHOWN);
    weir_text_close(&names->text);
}

static void draw_devices(const struct weir_binding_drawing *drawing, const struct parts *parts,
                         unsigned part, const char *intro)
{
    struct names names = {0};

    for (unsigned i = 0; i < drawing->topology->device_count; i++) {
        const struct weir_device_part *device = &drawing->topology->devices[i];

        if (device->kind != WEIR_DEVICE_OTHER && device->is_located &&
            find_home(parts, &device->cpus) == part)
            add_name(&names, device->name);
    }
    draw_names(drawing->text, intro, &names);
}

static void draw_lost_devices(const struct weir_binding_drawing *drawing)
{
    struct names names = {0};

    for (unsigned i = 0; i < drawing->topology->device_count; i++) {
        const struct weir_device_part *device = &drawing->topology->devices[i];

        if (device->kind != WEIR_DEVICE_OTHER && !device->is_located)
            add_name(&names, device->name);
    }
    if (names.count == 0)
        return;
    draw_names(drawing->text, "attached to no NUMA node: ", &names);
    weir_text_add(drawing->text, "\n");
}

/* ---- the head ---- */

static void draw_counts(const struct weir_binding_drawing *drawing)
{
    const struct weir_topology *topology = drawing->topology;
    struct weir_topology_counts counts = weir_topology_count(topology);
    struct weir_text *text = drawing->text;

    add_count(text, counts.packages, "package, ", "packages, ");
    add_count(text, counts.numa_nodes, "NUMA node, ", "NUMA nodes, ");
    add_count(text, counts.cores, "core, ", "cores, ");
    add_count(text, counts.processors, "processor", "processors");
    if (!weir_cpu_set_equals(&topology->all, &topology->allowed)) {
        weir_text_add(
            text, "; control groups allow %u of them: ", weir_cpu_set_count(&topology->allowed));
        weir_binding_set_add(text, &topology->allowed);
    }
    weir_text_add(text, "\n");
}

static bool all_were_given_the_same(const struct weir_binding_request *request)
{
    for (unsigned i = 1; i < request->rank_count; i++)
        if (!weir_cpu_set_equals(&request->given[0], &request->given[i]))
            return false;
    return true;
}

static void draw_given(const struct weir_binding_drawing *drawing)
{
    const struct weir_binding_request *request = drawing->request;
    struct weir_text *text = drawing->text;

    if (!all_were_given_the_same(request)) {
        weir_text_add(text, ", of different processors that each was given");
    } else if (!weir_cpu_set_equals(&request->given[0], &drawing->topology->allowed)) {
        weir_text_add(text, ", of %s ",
                      weir_cpu_set_count(&request->given[0]) == 1 ? "processor" : "processors");
        weir_binding_set_add(text, &request->given[0]);
    }
}

static void draw_policy(const struct weir_binding_drawing *drawing)
{
    const struct weir_pinning *pinning = drawing->request->pinning;
    struct weir_text *text = drawing->text;
    const char *nic =
        pinning->nic != NULL ? pinning->nic : weir_topology_standard_nic(drawing->topology);
    const char *const *device = drawing->request->devices;

    weir_text_add(text, "--pin %s", weir_pin_policy_name(pinning->policy));
    if (pinning->policy == WEIR_PIN_LIST)
        weir_text_add(text, ":%s", pinning->list);
    else if (pinning->policy == WEIR_PIN_RANKFILE)
        weir_text_add(text, ":%s", pinning->rankfile_path);
    else if (pinning->policy != WEIR_PIN_NONE)
        weir_text_add(text, " (%s)",
                      weir_pin_order_of(pinning) == WEIR_PIN_SCATTER ? "scatter" : "compact");
    if (pinning->policy == WEIR_PIN_NIC)
        weir_text_add(text, " near %s", nic);
    for (bool is_first = true; pinning->policy == WEIR_PIN_STORAGE && *device != NULL; device++) {
        weir_text_add(text, "%s%s", is_first ? " near " : ", ", *device);
        is_first = false;
    }
}

static void draw_head(const struct weir_binding_drawing *drawing)
{
    struct weir_text *text = drawing->text;

    draw_counts(drawing);
    if (drawing->request->rank_count == 0)
        return;
    draw_policy(drawing);
    weir_text_add(text, ": ");
    add_count(text, drawing->request->rank_count, "rank", "ranks");
    draw_given(drawing);
    weir_text_add(text, "\n");
}

/* ---- the picture ---- */

static void draw_title(const struct weir_binding_drawing *drawing, const struct part *part,
                       bool is_indented)
{
    struct weir_cpu_set cores = weir_topology_cores(drawing->topology, &part->cpus);
    struct weir_text *text = drawing->text;

    if (is_indented)
        weir_text_add(text, "  ");
    else
        weir_text_add(text, "package %d%s", part->package, part->node >= 0 ? ", " : "");
    if (part->node >= 0)
        weir_text_add(text, "NUMA node %u", drawing->topology->nodes[part->node].number);
    weir_text_add(text, ": ");
    add_count(text, weir_cpu_set_count(&cores), "core, ", "cores, ");
    weir_text_add(text, "%s", weir_cpu_set_count(&part->cpus) == 1 ? "processor " : "processors ");
    weir_binding_set_add(text, &part->cpus);
}

/* The ranks whose home is a part. */
static void draw_ranks(const struct weir_binding_drawing *drawing, const unsigned *homes,
                       unsigned part, int indent)
{
    unsigned *indices = calloc(drawing->request->rank_count + 1, sizeof *indices);
    unsigned count = 0;

    if (indices == NULL)
        weir_error_out_of_memory();
    for (unsigned i = 0; i < drawing->request->rank_count; i++)
        if (homes[i] == part)
            indices[count++] = i;
    weir_binding_lines_draw(drawing, indices, count, indent);
    free(indices);
}

static void draw_parts(const struct weir_binding_drawing *drawing, const struct parts *parts,
                       const unsigned *homes)
{
    bool is_within = false;

    for (unsigned i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];

        if (part->package < 0) {
            draw_devices(drawing, parts, i, "near all of them: ");
        } else {
            is_within = part->node >= 0 && part[-1].package == part->package;
            draw_title(drawing, part, is_within);
            draw_devices(drawing, parts, i, "; near: ");
        }
        if (part->package >= 0 || drawing->text->data[drawing->text->length - 1] != '\n')
            weir_text_add(drawing->text, "\n");
        draw_ranks(drawing, homes, i, part->package < 0 ? 0 : is_within ? 4 : 2);
    }
}

static void draw_memory_nodes(const struct weir_binding_drawing *drawing)
{
    for (unsigned i = 0; i < drawing->topology->node_count; i++)
        if (weir_cpu_set_is_empty(&drawing->topology->nodes[i].cpus))
            weir_text_add(drawing->text, "NUMA node %u: memory only\n",
                          drawing->topology->nodes[i].number);
}

void weir_bindings_draw(struct weir_text *text, const struct weir_topology *topology,
                        const struct weir_binding_request *request,
                        const struct weir_binding *bindings)
{
    const struct weir_binding_drawing drawing = {
        .text = text, .topology = topology, .request = request, .bindings = bindings};
    unsigned *homes = calloc(request->rank_count + 1, sizeof *homes);
    struct parts parts;

    if (homes == NULL)
        weir_error_out_of_memory();
    collect_parts(&parts, topology);
    for (unsigned i = 0; i < request->rank_count; i++)
        homes[i] = find_home(&parts, &bindings[i].cpus);
    draw_head(&drawing);
    draw_parts(&drawing, &parts, homes);
    draw_memory_nodes(&drawing);
    draw_lost_devices(&drawing);
    free(homes);
    free(parts.items);
}

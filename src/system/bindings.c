/* SPDX-License-Identifier: Apache-2.0 */
/* Gives each rank of a node its processors: the best place left that a policy offers, or what a
 * list or a file says. */
#include "weir/system/bindings.h"

#include "binding_places.h"
#include "rankfile.h"
#include "topology_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct plan {
    const struct weir_topology *topology;
    const struct weir_binding_request *request;
    struct weir_binding *bindings;
    struct weir_error *error;
};

static unsigned name_of_rank(const struct plan *plan, unsigned i)
{
    return plan->request->ranks != NULL ? plan->request->ranks[i] : i;
}

static void fill_binding(const struct plan *plan, unsigned i, const struct weir_cpu_set *cpus)
{
    plan->bindings[i] = (struct weir_binding){
        .cpus = *cpus,
        .cores = weir_topology_cores(plan->topology, cpus),
        .numa_nodes = weir_topology_numa_nodes(plan->topology, cpus),
    };
}

/* ---- refusals ---- */

/* The request, the obstacle, and the remedy. */
struct conflict {
    const char *wanted;
    struct weir_cpu_set wrong;
    const char *obstacle;
    struct weir_cpu_set right;
    const char *remedy;
};

static int refuse(const struct plan *plan, const char *place, const struct conflict *conflict)
{
    struct weir_text wrong = {0}, right = {0};
    int code;

    weir_cpu_set_format(&conflict->wrong, &wrong);
    weir_cpu_set_format(&conflict->right, &right);
    code = weir_error_usage(plan->error, place, "%s processors %s, but %s %s: %s", conflict->wanted,
                            weir_text_string(&wrong), conflict->obstacle, weir_text_string(&right),
                            conflict->remedy);
    weir_text_close(&wrong);
    weir_text_close(&right);
    return code;
}

static struct weir_cpu_set without(const struct weir_cpu_set *all, const struct weir_cpu_set *some)
{
    struct weir_cpu_set rest = *all;

    for (size_t i = 0; i < sizeof rest.words / sizeof *rest.words; i++)
        rest.words[i] &= ~some->words[i];
    return rest;
}

/* Processors that are named must be there, also where no rank takes them. */
static int check_existence(const struct plan *plan, const char *place, const char *wanted,
                           const struct weir_cpu_set *cpus)
{
    const struct conflict conflict = {
        .wanted = wanted,
        .wrong = without(cpus, &plan->topology->all),
        .obstacle = "those of this host are",
        .right = plan->topology->all,
        .remedy = "name some of these",
    };

    return weir_cpu_set_is_empty(&conflict.wrong) ? 0 : refuse(plan, place, &conflict);
}

/* Of those that a rank is to have by name, all must be its own to use. */
static int check_named(const struct plan *plan, const char *place, unsigned i,
                       const struct weir_cpu_set *cpus)
{
    char wanted[64];
    struct conflict conflict = {
        .wanted = wanted,
        .wrong = without(cpus, &plan->request->given[i]),
        .obstacle = "it was started on",
        .right = plan->request->given[i],
        .remedy = "name some of these, or start ranks unbound (mpiexec --bind-to none, srun "
                  "--cpu-bind=none, no taskset)",
    };
    struct weir_cpu_set closed = without(&conflict.wrong, &plan->topology->allowed);

    snprintf(wanted, sizeof wanted, "rank %u is to have", name_of_rank(plan, i));
    if (check_existence(plan, place, wanted, cpus) != 0)
        return -EINVAL;
    if (!weir_cpu_set_is_empty(&closed)) {
        conflict.wrong = closed;
        conflict.obstacle = "control groups leave this job only";
        conflict.right = plan->topology->allowed;
        conflict.remedy = "name some of these";
    }
    return weir_cpu_set_is_empty(&conflict.wrong) ? 0 : refuse(plan, place, &conflict);
}

/* ---- places that are offered ---- */

/* The first place of those with the fewest ranks that a rank may use. There is one: the places of a
 * policy cover all usable processors. */
static struct weir_place *find_place(struct weir_places *places, const struct weir_cpu_set *given)
{
    struct weir_place *best = NULL;

    for (unsigned i = 0; i < places->count; i++) {
        struct weir_place *place = &places->items[i];
        struct weir_cpu_set common;

        if (best != NULL && place->rank_count >= best->rank_count)
            continue;
        common = weir_cpu_set_and(&place->cpus, given);
        if (!weir_cpu_set_is_empty(&common))
            best = place;
    }
    assert(best != NULL);
    return best;
}

static void sit_down(const struct plan *plan, unsigned i, struct weir_place *place)
{
    struct weir_cpu_set cpus = weir_cpu_set_and(&place->cpus, &plan->request->given[i]);
    struct weir_cpu_set offered = weir_cpu_set_and(&place->cpus, &plan->topology->allowed);

    fill_binding(plan, i, &cpus);
    plan->bindings[i].is_narrowed = !weir_cpu_set_is_within(&offered, &cpus);
    plan->bindings[i].is_far = place->is_far;
    place->rank_count++;
}

static void take_places(const struct plan *plan, struct weir_places *places)
{
    unsigned count = plan->request->rank_count;
    struct weir_place **taken = calloc(count > 0 ? count : 1, sizeof *taken);

    if (taken == NULL)
        weir_error_out_of_memory();
    for (unsigned i = 0; i < count; i++) {
        taken[i] = find_place(places, &plan->request->given[i]);
        sit_down(plan, i, taken[i]);
    }
    for (unsigned i = 0; i < count; i++)
        plan->bindings[i].is_shared = taken[i]->rank_count > 1;
    free(taken);
}

static int plan_by_places(const struct plan *plan, const struct weir_cpu_set *near)
{
    struct weir_cpu_set usable = {0};
    struct weir_places places;

    for (unsigned i = 0; i < plan->request->rank_count; i++)
        usable = weir_cpu_set_or(&usable, &plan->request->given[i]);
    weir_places_make(&places, plan->topology, plan->request->pinning, &usable, near);
    take_places(plan, &places);
    weir_places_close(&places);
    return 0;
}

/* ---- near to a device ---- */

static int plan_by_storage(const struct plan *plan)
{
    const char *const *device = plan->request->devices;
    struct weir_cpu_set near = {0}, part;

    for (; device != NULL && *device != NULL; device++)
        if (weir_topology_near(plan->topology, *device, &part) == 0)
            near = weir_cpu_set_or(&near, &part);
    if (weir_cpu_set_is_empty(&near))
        return weir_error_usage(plan->error, "--pin storage",
                                "nothing tells which processors the storage behind the target is "
                                "near to: use --pin core");
    return plan_by_places(plan, &near);
}

static bool is_network(const struct weir_device_part *device)
{
    return device->kind == WEIR_DEVICE_NETWORK || device->kind == WEIR_DEVICE_RDMA;
}

static int refuse_nic(const struct plan *plan, const char *name)
{
    struct weir_text known = {0};
    int code;

    for (unsigned i = 0; i < plan->topology->device_count; i++)
        if (is_network(&plan->topology->devices[i]))
            weir_text_add(&known, "%s%s", known.length > 0 ? ", " : "",
                          plan->topology->devices[i].name);
    if (known.length == 0)
        code = weir_error_usage(plan->error, "--pin nic",
                                "this host has no network device with hardware behind it: use "
                                "--pin core");
    else
        code = weir_error_usage(plan->error, "--nic",
                                "this host has no network device %s; those with hardware behind "
                                "them are %s",
                                name, weir_text_string(&known));
    weir_text_close(&known);
    return code;
}

static int plan_by_nic(const struct plan *plan)
{
    const char *name = plan->request->pinning->nic;
    const struct weir_device_part *device;

    if (name == NULL)
        name = weir_topology_standard_nic(plan->topology);
    device = name != NULL ? weir_topology_device(plan->topology, name) : NULL;
    if (device == NULL || !is_network(device))
        return refuse_nic(plan, name);
    if (!device->is_located)
        return weir_error_usage(plan->error, "--pin nic",
                                "nothing tells which processors %s is near to: use --pin core",
                                name);
    return plan_by_places(plan, &device->cpus);
}

/* ---- by name ---- */

/* Two or more ranks have the same processors, and these have fewer cores than that. */
static void mark_crowds(const struct plan *plan)
{
    unsigned count = plan->request->rank_count;

    for (unsigned i = 0; i < count; i++) {
        unsigned twins = 0;

        for (unsigned j = 0; j < count; j++)
            twins += weir_cpu_set_equals(&plan->bindings[i].cpus, &plan->bindings[j].cpus);
        plan->bindings[i].is_shared = twins > weir_cpu_set_count(&plan->bindings[i].cores);
    }
}

/* The numbers of a list in the order of its text, over all ranges. `numbers` may be NULL. */
static unsigned spread_list(const char *list, unsigned *numbers)
{
    unsigned count = 0;

    while (*list != '\0') {
        char *end;
        unsigned long first = strtoul(list, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        for (; first <= last; first++, count++)
            if (numbers != NULL)
                numbers[count] = (unsigned)first;
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

static int give_numbers(const struct plan *plan, const unsigned *numbers, unsigned count)
{
    for (unsigned i = 0; i < plan->request->rank_count; i++) {
        struct weir_cpu_set cpus = {0};
        int code;

        weir_cpu_set_add(&cpus, numbers[i % count]);
        code = check_named(plan, "--pin list", i, &cpus);
        if (code != 0)
            return code;
        fill_binding(plan, i, &cpus);
    }
    mark_crowds(plan);
    return 0;
}

static int plan_by_list(const struct plan *plan)
{
    const char *list = plan->request->pinning->list;
    struct weir_cpu_set named;
    unsigned *numbers;
    unsigned count;
    int code = list != NULL ? weir_cpu_set_parse(list, &named) : -EINVAL;

    if (code == -ERANGE)
        return weir_error_usage(plan->error, "--pin list", "processors are numbered up to %d here",
                                WEIR_CPUS_MAX - 1);
    if (code != 0)
        return weir_error_usage(plan->error, "--pin list",
                                "a list is numbers and ranges of processors, as in list:0-3,8");
    code = check_existence(plan, "--pin list", "the list names", &named);
    if (code != 0)
        return code;
    count = spread_list(list, NULL);
    assert(count > 0);
    numbers = calloc(count, sizeof *numbers);
    if (numbers == NULL)
        weir_error_out_of_memory();
    spread_list(list, numbers);
    code = give_numbers(plan, numbers, count);
    free(numbers);
    return code;
}

static int give_row(const struct plan *plan, const struct weir_rankfile *rankfile, unsigned i)
{
    const char *path = plan->request->pinning->rankfile_path;
    const struct weir_rankfile_row *row = weir_rankfile_find(rankfile, name_of_rank(plan, i));
    char place[300];
    int code;

    if (row == NULL)
        return weir_error_usage(plan->error, path,
                                "rank %u has no line: add one, as in \"%u 0-3,8\"",
                                name_of_rank(plan, i), name_of_rank(plan, i));
    snprintf(place, sizeof place, "%s:%u", path, row->line);
    if (row->is_distant)
        return weir_error_usage(plan->error, place,
                                "rank %u runs on %s, but its line is for another host: start it "
                                "there, or change the line",
                                row->rank, plan->request->host);
    code = check_named(plan, place, i, &row->cpus);
    if (code == 0)
        fill_binding(plan, i, &row->cpus);
    return code;
}

static int plan_by_rankfile(const struct plan *plan)
{
    const struct weir_binding_request *request = plan->request;
    struct weir_rankfile rankfile;
    int code = weir_rankfile_read(request->rankfile, request->pinning->rankfile_path, request->host,
                                  &rankfile, plan->error);

    if (code != 0)
        return code;
    for (unsigned i = 0; code == 0 && i < request->rank_count; i++)
        code = give_row(plan, &rankfile, i);
    if (code == 0)
        mark_crowds(plan);
    weir_rankfile_close(&rankfile);
    return code;
}

/* ---- all ---- */

/* A rank without a processor of this topology cannot be placed. */
static int check_given(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->request->rank_count; i++) {
        char wanted[64];
        const struct conflict conflict = {
            .wanted = wanted,
            .wrong = plan->request->given[i],
            .obstacle = "those of this topology are",
            .right = plan->topology->all,
            .remedy = "use --pin none, or the topology of the host that the rank is on",
        };
        struct weir_cpu_set common = weir_cpu_set_and(&conflict.wrong, &conflict.right);

        snprintf(wanted, sizeof wanted, "rank %u may run on", name_of_rank(plan, i));
        if (weir_cpu_set_is_empty(&common))
            return refuse(plan, "--pin", &conflict);
    }
    return 0;
}

static int plan_as_given(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->request->rank_count; i++)
        fill_binding(plan, i, &plan->request->given[i]);
    return 0;
}

int weir_bindings_plan(const struct weir_topology *topology,
                       const struct weir_binding_request *request, struct weir_binding *bindings,
                       struct weir_error *error)
{
    const struct plan plan = {
        .topology = topology, .request = request, .bindings = bindings, .error = error};
    int code;

    if (request->pinning->policy == WEIR_PIN_NONE)
        return plan_as_given(&plan);
    code = check_given(&plan);
    if (code != 0)
        return code;
    switch (request->pinning->policy) {
    case WEIR_PIN_STORAGE:
        return plan_by_storage(&plan);
    case WEIR_PIN_NIC:
        return plan_by_nic(&plan);
    case WEIR_PIN_LIST:
        return plan_by_list(&plan);
    case WEIR_PIN_RANKFILE:
        return plan_by_rankfile(&plan);
    default:
        return plan_by_places(&plan, NULL);
    }
}

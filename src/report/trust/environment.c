/* SPDX-License-Identifier: Apache-2.0 */
/* Our lines of what ranks ran on: nodes, the job, and what is behind the targets. */
#include "tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Kinds of nodes, and of storage, that have lines. */
#define KINDS_MAX 3
/* Longer lines are broken between two things. */
#define LINE_BYTES 140
/* Longer things are cut. */
#define THING_BYTES 110
#define NICS_SHOWN 4

/* ---- lists of things ---- */

/* Things with a comma between them, on as many lines as they need. */
struct list {
    struct weir_text *text;
    struct weir_text line;
    const char *separator; /* before the next thing */
};

static void begin_list(struct list *list, struct weir_text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_thing(struct list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void begin_list(struct list *list, struct weir_text *text, const char *format, ...)
{
    va_list arguments;

    *list = (struct list){.text = text, .separator = ""};
    va_start(arguments, format);
    weir_text_add_list(&list->line, format, arguments);
    va_end(arguments);
}

static void end_line(struct list *list)
{
    weir_trust_line(list->text, "%s", weir_text_string(&list->line));
    weir_text_clear(&list->line);
}

static void add_thing(struct list *list, const char *format, ...)
{
    size_t length = THING_BYTES;
    struct weir_text thing = {0};
    va_list arguments;

    va_start(arguments, format);
    weir_text_add_list(&thing, format, arguments);
    va_end(arguments);
    /* Does not cut within a character of UTF-8. */
    if (thing.length > THING_BYTES) {
        while (length > 0 && ((unsigned char)thing.data[length] & 0xc0u) == 0x80u)
            length--;
        thing.length = length;
        thing.data[length] = '\0';
        weir_text_add(&thing, "...");
    }
    weir_text_add(&list->line, "%s", list->separator);
    if (list->line.length + thing.length > LINE_BYTES) {
        end_line(list);
        weir_text_add(&list->line, "     ");
    }
    weir_text_add(&list->line, " %s", weir_text_string(&thing));
    list->separator = ",";
    weir_text_close(&thing);
}

static void end_list(struct list *list)
{
    end_line(list);
    weir_text_close(&list->line);
}

/* ---- nodes ---- */

/* " (64 nodes)" */
#define COUNT_BYTES 32
static const char *format_count(unsigned count, char buffer[COUNT_BYTES])
{
    buffer[0] = '\0';
    if (count > 1)
        snprintf(buffer, COUNT_BYTES, " (%u nodes)", count);
    return buffer;
}

static void add_processors(struct list *list, const struct weir_node_facts *facts)
{
    char packages[24] = "";

    if (facts->packages > 1)
        snprintf(packages, sizeof packages, "%u x ", facts->packages);
    if (facts->cpu_model[0])
        add_thing(list, "%s%s", packages, facts->cpu_model);
    else if (facts->packages > 1)
        add_thing(list, "%u packages", facts->packages);
    if (facts->cores > 0)
        add_thing(list, "%u core%s", facts->cores, facts->cores == 1 ? "" : "s");
    if (facts->processors > 0 && facts->processors != facts->cores)
        add_thing(list, "%u processors", facts->processors);
    if (strncmp(facts->smt, "not", 3) == 0) /* "notsupported", "notimplemented" */
        add_thing(list, "no SMT");
    else if (facts->smt[0])
        add_thing(list, "SMT %s", facts->smt);
    if (facts->governor[0])
        add_thing(list, "governor %s", facts->governor);
    if (facts->clock_source[0])
        add_thing(list, "clock source %s", facts->clock_source);
}

static bool is_part(const struct weir_node_facts *facts)
{
    struct weir_cpu_set cpus;

    return weir_cpu_set_parse(facts->cpus, &cpus) == 0 &&
           weir_cpu_set_count(&cpus) < facts->processors;
}

/* The job may use less than the node has. */
static void add_limits(struct list *list, const struct weir_node_facts *facts)
{
    char size[WEIR_SIZE_TEXT_BYTES];
    const char *before = "limits: ";

    if (is_part(facts)) {
        add_thing(list, "%sprocessors %s", before, facts->cpus);
        before = "";
    }
    if (facts->cpu_quota_permille != WEIR_UNLIMITED && facts->cpu_quota_permille > 0) {
        add_thing(list, "%sa quota of %.2f processors", before,
                  0.001 * (double)facts->cpu_quota_permille);
        before = "";
    }
    if (facts->memory_limit_bytes != WEIR_UNLIMITED && facts->memory_limit_bytes > 0) {
        add_thing(list, "%s%s of memory", before,
                  weir_size_format(facts->memory_limit_bytes, size));
        before = "";
    }
    if (facts->memlock_bytes != WEIR_UNLIMITED)
        add_thing(list, "%smemlock %s", before, weir_size_format(facts->memlock_bytes, size));
}

static bool is_up(const struct weir_nic_facts *nic)
{
    return strcmp(nic->state, "up") == 0 || strcmp(nic->state, "active") == 0;
}

static void add_nodes(struct weir_text *text, struct weir_trust_table *table,
                      const struct weir_result *result)
{
    for (unsigned i = 0; i < result->node_group_count && i < KINDS_MAX; i++) {
        const struct weir_node_group *group = &result->node_groups[i];
        const struct weir_node_facts *facts = &group->facts;
        char count[COUNT_BYTES], size[WEIR_SIZE_TEXT_BYTES];
        unsigned shown = 0;
        struct list list;

        weir_trust_begin(text, table);
        begin_list(&list, text, "  %s%s:", group->hosts, format_count(group->count, count));
        if (facts->distribution[0])
            add_thing(&list, "%s", facts->distribution);
        if (facts->kernel[0])
            add_thing(&list, "%s", facts->kernel);
        if (facts->hypervisor[0])
            add_thing(&list, "guest of %s", facts->hypervisor);
        if (facts->container[0])
            add_thing(&list, "container %s", facts->container);
        add_processors(&list, facts);

        if (facts->memory_bytes > 0)
            add_thing(&list, "%s of memory", weir_size_format(facts->memory_bytes, size));
        if (facts->numa_nodes > 1 && facts->numa_memory[0] && strlen(facts->numa_memory) < 60)
            add_thing(&list, "%u NUMA nodes (%s)", facts->numa_nodes, facts->numa_memory);
        else if (facts->numa_nodes > 0)
            add_thing(&list, "%u NUMA node%s", facts->numa_nodes,
                      facts->numa_nodes == 1 ? "" : "s");
        if (facts->huge_pages > 0)
            add_thing(&list, "%" PRIu64 " huge pages of %s", facts->huge_pages,
                      weir_size_format(facts->huge_page_bytes, size));

        for (uint32_t k = 0; k < facts->nic_count && shown < NICS_SHOWN; k++) {
            const struct weir_nic_facts *nic = &facts->nics[k];
            char rate[32] = "";
            char near[32] = "";

            if (!is_up(nic))
                continue;
            if (nic->bits_per_s > 0)
                snprintf(rate, sizeof rate, " %g Gbit/s", 1e-9 * (double)nic->bits_per_s);
            if (nic->numa_node >= 0 && facts->numa_nodes > 1)
                snprintf(near, sizeof near, " at NUMA node %d", (int)nic->numa_node);
            add_thing(&list, "%s (%s%s)%s", nic->name, nic->kind, rate, near);
            shown++;
        }

        add_limits(&list, facts);
        end_list(&list);
    }
    if (result->node_group_count > KINDS_MAX)
        weir_trust_line(text, "  and %u more kind%s of nodes: --result keeps them all",
                        result->node_group_count - KINDS_MAX,
                        result->node_group_count - KINDS_MAX == 1 ? "" : "s");
}

/* ---- storage ---- */

/* "nvme0n1 (Samsung SSD 980, 1.82 TiB, none, write back)" */
static void describe_device(struct weir_text *thing, const struct weir_device_facts *device)
{
    char size[WEIR_SIZE_TEXT_BYTES];

    weir_text_add(thing, "%s", device->name);
    if (device->is_partition)
        return;
    weir_text_add(thing, " (");
    if (device->model[0])
        weir_text_add(thing, "%s, ", device->model);
    weir_text_add(thing, "%s", weir_size_format(device->bytes, size));
    if (device->is_rotational)
        weir_text_add(thing, ", rotating");
    if (device->scheduler[0])
        weir_text_add(thing, ", scheduler %s", device->scheduler);
    if (device->write_cache[0])
        weir_text_add(thing, ", %s", device->write_cache);
    weir_text_add(thing, ")");
}

static void add_storage(struct weir_text *text, const char *label,
                        const struct weir_storage_group *group, bool is_only)
{
    const struct weir_storage_facts *facts = &group->facts;
    struct list list;

    begin_list(&list, text, "  %s%s%s:", label, is_only ? "" : " on ", is_only ? "" : group->hosts);
    if (!facts->is_known) {
        add_thing(&list, "not known");
    } else {
        add_thing(&list, "%s", facts->mount_point[0] ? facts->mount_point : "not mounted");
        if (facts->type[0])
            add_thing(&list, "%s of %s", facts->type, facts->source);
        if (facts->striping[0])
            add_thing(&list, "%s", facts->striping);
        if (facts->client_cache[0])
            add_thing(&list, "client cache: %s", facts->client_cache);
        /* The parts of each device follow it: "md0 (...) on nvme0n1 (...) and nvme1n1 (...)". */
        for (uint32_t i = 0; i < facts->device_count; i++) {
            const struct weir_device_facts *device = &facts->devices[i];
            struct weir_text thing = {0};

            if (i > 0) {
                weir_text_add(&thing, "%s ", device->level > device[-1].level ? "on" : "and");
                list.separator = "";
            }
            describe_device(&thing, device);
            add_thing(&list, "%s", weir_text_string(&thing));
            weir_text_close(&thing);
        }
    }
    end_list(&list);
}

static bool has_same_storage(const struct weir_test_result *a, const struct weir_test_result *b)
{
    if (a->storage_count != b->storage_count)
        return false;
    for (unsigned i = 0; i < a->storage_count; i++)
        if (strcmp(a->storages[i].hosts, b->storages[i].hosts) != 0 ||
            /* They are compared byte by byte from the start: all zero before they are filled. */
            /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
            memcmp(&a->storages[i].facts, &b->storages[i].facts, sizeof a->storages[i].facts) != 0)
            return false;
    return true;
}

void weir_trust_environment(struct weir_text *text, const struct weir_trust_view *view)
{
    struct weir_trust_table table = {.title = "environment"};
    struct list list;
    unsigned told = 0;
    unsigned count = 0;

    add_nodes(text, &table, view->result);
    if (view->result->mpi_library || view->result->job_count != 0) {
        weir_trust_begin(text, &table);
        begin_list(&list, text, "  job:");
        for (unsigned i = 0; i < view->result->job_count; i++)
            add_thing(&list, "%s %s", view->result->job[i].key, view->result->job[i].value);
        if (view->result->mpi_library)
            add_thing(&list, "%s", view->result->mpi_library);
        end_list(&list);
    }
    /* Of each test whose storage is not that of the test before. */
    for (unsigned i = 0; i < view->result->test_count; i++) {
        const struct weir_test_result *test = &view->result->tests[i];
        char label[48] = "storage";

        if (i > 0 && has_same_storage(test, test - 1))
            continue;
        if (view->result->test_count > 1)
            snprintf(label, sizeof label, "storage from test %u on", test->test);
        for (unsigned j = 0; j < test->storage_count; j++, count++) {
            if (told == KINDS_MAX)
                continue;
            weir_trust_begin(text, &table);
            add_storage(text, label, &test->storages[j], test->storage_count == 1);
            told++;
        }
    }
    if (count > told)
        weir_trust_line(text, "  and %u more kind%s of storage: --result keeps them all",
                        count - told, count - told == 1 ? "" : "s");
}

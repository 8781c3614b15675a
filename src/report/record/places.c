/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, storage and places of ranks as parts of the result file, there and back. */
#include "record.h"

#include "weir/base/version.h"

#include <limits.h>
#include <string.h>

/* ---- the shape ---- */

#define END_OF_FIELDS                                                                              \
    {                                                                                              \
        .key = NULL                                                                                \
    }

#define NODE(key_text, member, type) WEIR_JSON_FIELD(weir_node_facts, key_text, member, type)

static const struct weir_json_field node_fields[] = {
    NODE("kernel", kernel, WEIR_JSON_TEXT),
    NODE("distribution", distribution, WEIR_JSON_TEXT),
    NODE("cpu_model", cpu_model, WEIR_JSON_TEXT),
    NODE("packages", packages, WEIR_JSON_UNSIGNED),
    NODE("numa_nodes", numa_nodes, WEIR_JSON_UNSIGNED),
    NODE("cores", cores, WEIR_JSON_UNSIGNED),
    NODE("processors", processors, WEIR_JSON_UNSIGNED),
    NODE("cpus", cpus, WEIR_JSON_TEXT),
    NODE("cpu_quota_permille", cpu_quota_permille, WEIR_JSON_KNOWN),
    NODE("smt", smt, WEIR_JSON_TEXT),
    NODE("governor", governor, WEIR_JSON_TEXT),
    NODE("clock_source", clock_source, WEIR_JSON_TEXT),
    NODE("container", container, WEIR_JSON_TEXT),
    NODE("hypervisor", hypervisor, WEIR_JSON_TEXT),
    NODE("memory_bytes", memory_bytes, WEIR_JSON_COUNT),
    NODE("memory_limit_bytes", memory_limit_bytes, WEIR_JSON_KNOWN),
    NODE("numa_memory", numa_memory, WEIR_JSON_TEXT),
    NODE("huge_page_bytes", huge_page_bytes, WEIR_JSON_COUNT),
    NODE("huge_pages", huge_pages, WEIR_JSON_COUNT),
    NODE("transparent_huge_pages", transparent_huge_pages, WEIR_JSON_TEXT),
    NODE("memlock_bytes", memlock_bytes, WEIR_JSON_KNOWN),
    NODE("open_files", open_files, WEIR_JSON_KNOWN),
    END_OF_FIELDS,
};

#define NIC(key_text, member, type) WEIR_JSON_FIELD(weir_nic_facts, key_text, member, type)

static const struct weir_json_field nic_fields[] = {
    NIC("name", name, WEIR_JSON_TEXT),
    NIC("kind", kind, WEIR_JSON_TEXT),
    NIC("state", state, WEIR_JSON_TEXT),
    NIC("driver", driver, WEIR_JSON_TEXT),
    NIC("bits_per_s", bits_per_s, WEIR_JSON_COUNT),
    NIC("numa_node", numa_node, WEIR_JSON_PLACE),
    END_OF_FIELDS,
};

#define STORAGE(key_text, member, type) WEIR_JSON_FIELD(weir_storage_facts, key_text, member, type)

static const struct weir_json_field storage_fields[] = {
    STORAGE("known", is_known, WEIR_JSON_FLAG),
    STORAGE("network", is_network, WEIR_JSON_FLAG),
    STORAGE("mount_point", mount_point, WEIR_JSON_TEXT),
    STORAGE("source", source, WEIR_JSON_TEXT),
    STORAGE("type", type, WEIR_JSON_TEXT),
    STORAGE("options", options, WEIR_JSON_TEXT),
    STORAGE("striping", striping, WEIR_JSON_TEXT),
    END_OF_FIELDS,
};

#define DEVICE(key_text, member, type) WEIR_JSON_FIELD(weir_device_facts, key_text, member, type)

static const struct weir_json_field device_fields[] = {
    DEVICE("name", name, WEIR_JSON_TEXT),
    DEVICE("level", level, WEIR_JSON_UNSIGNED),
    DEVICE("model", model, WEIR_JSON_TEXT),
    DEVICE("bytes", bytes, WEIR_JSON_COUNT),
    DEVICE("partition", is_partition, WEIR_JSON_FLAG),
    DEVICE("rotational", is_rotational, WEIR_JSON_FLAG),
    DEVICE("write_cache", write_cache, WEIR_JSON_TEXT),
    DEVICE("scheduler", scheduler, WEIR_JSON_TEXT),
    DEVICE("requests", request_count, WEIR_JSON_UNSIGNED),
    DEVICE("hardware_queues", hardware_queues, WEIR_JSON_UNSIGNED),
    DEVICE("queue_depth", queue_depth, WEIR_JSON_UNSIGNED),
    DEVICE("numa_node", numa_node, WEIR_JSON_PLACE),
    END_OF_FIELDS,
};

#define PLACE(key_text, member, type) WEIR_JSON_FIELD(weir_node_places, key_text, member, type)

static const struct weir_json_field node_place_fields[] = {
    PLACE("host", host, WEIR_JSON_TEXT),
    PLACE("ranks", rank_count, WEIR_JSON_UNSIGNED),
    PLACE("cpus", cpus, WEIR_JSON_CPUS),
    PLACE("cores", core_count, WEIR_JSON_UNSIGNED),
    PLACE("given_cores", given_core_count, WEIR_JSON_UNSIGNED),
    PLACE("pinned", is_pinned, WEIR_JSON_FLAG),
    PLACE("crowded_ranks", crowded_count, WEIR_JSON_UNSIGNED),
    PLACE("first_crowded_rank", first_crowded, WEIR_JSON_UNSIGNED),
    PLACE("crowded_cpu", crowded_cpu, WEIR_JSON_UNSIGNED),
    PLACE("moved_ranks", moved_count, WEIR_JSON_UNSIGNED),
    PLACE("first_moved_rank", first_moved, WEIR_JSON_UNSIGNED),
    PLACE("narrowed_ranks", narrowed_count, WEIR_JSON_UNSIGNED),
    PLACE("far_ranks", far_count, WEIR_JSON_UNSIGNED),
    PLACE("cpu_numa_nodes", cpu_nodes, WEIR_JSON_BITS),
    PLACE("page_numa_nodes", page_nodes, WEIR_JSON_BITS),
    PLACE("asks_numa_nodes", asks_nodes, WEIR_JSON_FLAG),
    PLACE("away_ranks", away_count, WEIR_JSON_UNSIGNED),
    PLACE("first_away_rank", first_away, WEIR_JSON_UNSIGNED),
    PLACE("away_permille", away_permille, WEIR_JSON_UNSIGNED),
    PLACE("remote_ranks", remote_count, WEIR_JSON_UNSIGNED),
    PLACE("first_remote_rank", first_remote, WEIR_JSON_UNSIGNED),
    PLACE("cpu_s", cpu_s, WEIR_JSON_REAL),
    PLACE("wall_s", wall_s, WEIR_JSON_REAL),
    PLACE("migrations", migrations, WEIR_JSON_KNOWN),
    PLACE("preemptions", preemptions, WEIR_JSON_KNOWN),
    PLACE("throttled_s", throttled_s, WEIR_JSON_REAL),
    PLACE("stolen_share", stolen_share, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

#define RANK(key_text, member, type) WEIR_JSON_FIELD(weir_rank_place, key_text, member, type)

static const struct weir_json_field rank_place_fields[] = {
    RANK("node", node, WEIR_JSON_UNSIGNED),
    RANK("cpus", cpus, WEIR_JSON_CPUS),
    RANK("last_cpu", last_cpu, WEIR_JSON_UNSIGNED),
    RANK("moved", is_moved, WEIR_JSON_FLAG),
    RANK("cpu_numa_nodes", cpu_nodes, WEIR_JSON_BITS),
    RANK("page_numa_nodes", page_nodes, WEIR_JSON_BITS),
    RANK("away_permille", away_permille, WEIR_JSON_UNSIGNED),
    RANK("migrations", migrations, WEIR_JSON_KNOWN),
    RANK("preemptions", preemptions, WEIR_JSON_KNOWN),
    END_OF_FIELDS,
};

static const struct weir_json_field residency_fields[] = {
    WEIR_JSON_FIELD(weir_residency_result, "asked_bytes", asked_bytes, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_residency_result, "resident_bytes", resident_bytes, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_residency_result, "ranks", rank_count, WEIR_JSON_UNSIGNED),
    END_OF_FIELDS,
};

static const struct weir_json_field device_traffic_fields[] = {
    WEIR_JSON_FIELD(weir_traffic, "device_read_bytes", device_read_bytes, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_traffic, "device_written_bytes", device_written_bytes, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

static const struct weir_json_field network_traffic_fields[] = {
    WEIR_JSON_FIELD(weir_traffic, "network_received_bytes", network_received_bytes,
                    WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_traffic, "network_sent_bytes", network_sent_bytes, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

/* ---- pieces ---- */

static json_t *list_of(const struct weir_json_field *fields, const void *elements, size_t stride,
                       size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();

        weir_json_put(object, fields, (const char *)elements + i * stride);
        json_array_append_new(list, object);
    }
    return list;
}

/* False if there are more than `room`. */
static bool take_list(const json_t *list, const struct weir_json_field *fields, void *elements,
                      size_t stride, size_t room)
{
    if (json_array_size(list) > room)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!weir_json_take(json_array_get(list, i), fields, (char *)elements + i * stride))
            return false;
    return true;
}

static json_t *text_or_null(const char *text)
{
    return text ? weir_json_exact(text) : json_null();
}

static json_t *group_of(unsigned count, const char *hosts)
{
    json_t *object = json_object();

    json_object_set_new(object, "count", json_integer(count));
    json_object_set_new(object, "hosts", text_or_null(hosts));
    return object;
}

static bool take_group(const json_t *object, struct weir_arena *arena, unsigned *count,
                       const char **hosts)
{
    json_int_t members = json_integer_value(json_object_get(object, "count"));

    if (members < 1 || members > UINT_MAX)
        return false;
    *count = (unsigned)members;
    *hosts = weir_json_exact_read(json_object_get(object, "hosts"), arena);
    return *hosts != NULL;
}

/* ---- the run ---- */

static json_t *nodes_of(const struct weir_result *result)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < result->node_group_count; i++) {
        const struct weir_node_group *group = &result->node_groups[i];
        const struct weir_node_facts *facts = &group->facts;
        json_t *object = group_of(group->count, group->hosts);

        weir_json_put(object, node_fields, facts);
        json_object_set_new(
            object, "nics",
            list_of(nic_fields, facts->nics, sizeof *facts->nics, facts->nic_count));
        json_array_append_new(list, object);
    }
    return list;
}

static bool take_nodes(const json_t *list, struct weir_result *result)
{
    result->node_group_count = (unsigned)json_array_size(list);
    result->node_groups = weir_arena_take(&result->arena, (result->node_group_count + 1) *
                                                              sizeof *result->node_groups);
    for (unsigned i = 0; i < result->node_group_count; i++) {
        const json_t *object = json_array_get(list, i);
        const json_t *nics = json_object_get(object, "nics");
        struct weir_node_group *group = &result->node_groups[i];

        group->facts.nic_count = (uint32_t)json_array_size(nics);
        if (!take_group(object, &result->arena, &group->count, &group->hosts) ||
            !weir_json_take(object, node_fields, &group->facts) ||
            !take_list(nics, nic_fields, group->facts.nics, sizeof *group->facts.nics,
                       WEIR_NICS_KEPT))
            return false;
    }
    return true;
}

static json_t *job_of(const struct weir_result *result)
{
    json_t *object = json_object();

    for (unsigned i = 0; i < result->job_count; i++)
        json_object_set_new(object, result->job[i].key, weir_json_exact(result->job[i].value));
    return object;
}

static bool take_job(json_t *object, struct weir_result *result)
{
    const char *key;
    json_t *value;

    result->job =
        weir_arena_take(&result->arena, (json_object_size(object) + 1) * sizeof *result->job);
    json_object_foreach(object, key, value)
    {
        struct weir_fact *fact = &result->job[result->job_count++];

        fact->key = weir_arena_copy(&result->arena, key);
        fact->value = weir_json_exact_read(value, &result->arena);
        if (!fact->value)
            return false;
    }
    return true;
}

static json_t *build_of_this(void)
{
    json_t *object = json_object();

    json_object_set_new(object, "type", json_string(WEIR_BUILD_TYPE));
    json_object_set_new(object, "compiler", json_string(WEIR_BUILD_COMPILER));
    json_object_set_new(object, "flags", json_string(WEIR_BUILD_FLAGS));
    return object;
}

void weir_record_put_environment(json_t *record, const struct weir_result *result)
{
    json_object_set_new(record, "build", build_of_this());
    json_object_set_new(record, "mpi_library", text_or_null(result->mpi_library));
    json_object_set_new(record, "job", job_of(result));
    json_object_set_new(record, "environment", nodes_of(result));
}

bool weir_record_take_environment(const json_t *record, struct weir_result *result)
{
    const json_t *library = json_object_get(record, "mpi_library");

    if (library && !json_is_null(library)) {
        result->mpi_library = weir_json_exact_read(library, &result->arena);
        if (!result->mpi_library)
            return false;
    }
    return take_job(json_object_get(record, "job"), result) &&
           take_nodes(json_object_get(record, "environment"), result);
}

/* ---- tests ---- */

json_t *weir_record_storages(const struct weir_test_result *test)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < test->storage_count; i++) {
        const struct weir_storage_group *group = &test->storages[i];
        const struct weir_storage_facts *facts = &group->facts;
        json_t *object = group_of(group->count, group->hosts);

        weir_json_put(object, storage_fields, facts);
        json_object_set_new(
            object, "devices",
            list_of(device_fields, facts->devices, sizeof *facts->devices, facts->device_count));
        json_array_append_new(list, object);
    }
    return list;
}

bool weir_record_take_storages(const json_t *list, struct weir_arena *arena,
                               struct weir_test_result *test)
{
    test->storage_count = (unsigned)json_array_size(list);
    test->storages = weir_arena_take(arena, (test->storage_count + 1) * sizeof *test->storages);
    for (unsigned i = 0; i < test->storage_count; i++) {
        const json_t *object = json_array_get(list, i);
        const json_t *devices = json_object_get(object, "devices");
        struct weir_storage_group *group = &test->storages[i];

        group->facts.device_count = (uint32_t)json_array_size(devices);
        if (!take_group(object, arena, &group->count, &group->hosts) ||
            !weir_json_take(object, storage_fields, &group->facts) ||
            !take_list(devices, device_fields, group->facts.devices, sizeof *group->facts.devices,
                       WEIR_DEVICES_KEPT))
            return false;
    }
    return true;
}

/* ---- phases ---- */

static json_t *places_of(const struct weir_phase_result *phase)
{
    json_t *object;

    if (!phase->node_places)
        return json_null();
    object = json_object();
    json_object_set_new(object, "nodes",
                        weir_json_columns(node_place_fields, phase->node_places,
                                          sizeof *phase->node_places, phase->node_count));
    json_object_set_new(object, "ranks",
                        phase->rank_places
                            ? weir_json_columns(rank_place_fields, phase->rank_places,
                                                sizeof *phase->rank_places, phase->rank_count)
                            : json_null());
    return object;
}

static bool take_rank_places(const json_t *columns, struct weir_arena *arena,
                             struct weir_phase_result *phase)
{
    if (!json_is_object(columns))
        return true;
    if (phase->rank_count > WEIR_RANK_PLACES_MAX)
        return false;
    phase->rank_places =
        weir_arena_take(arena, (phase->rank_count + 1) * sizeof *phase->rank_places);
    if (!weir_json_take_columns(columns, rank_place_fields, phase->rank_places,
                                sizeof *phase->rank_places, phase->rank_count))
        return false;
    for (unsigned i = 0; i < phase->rank_count; i++) {
        phase->rank_places[i].rank = i;
        if (phase->rank_places[i].node >= phase->node_count)
            return false;
    }
    return true;
}

/* Columns of another length than the phase has nodes are damaged, so a number of nodes that is
 * none takes no memory. */
static bool take_places(const json_t *places, struct weir_arena *arena,
                        struct weir_phase_result *phase)
{
    const json_t *nodes = json_object_get(places, "nodes");

    if (!json_is_object(places))
        return true;
    if (json_array_size(json_object_get(nodes, "host")) != phase->node_count)
        return false;
    phase->node_places =
        weir_arena_take(arena, (phase->node_count + 1) * sizeof *phase->node_places);
    return weir_json_take_columns(nodes, node_place_fields, phase->node_places,
                                  sizeof *phase->node_places, phase->node_count) &&
           take_rank_places(json_object_get(places, "ranks"), arena, phase);
}

static json_t *residency_of(const struct weir_residency_result *residency)
{
    json_t *object;

    if (residency->asked_bytes == 0)
        return json_null();
    object = json_object();
    weir_json_put(object, residency_fields, residency);
    return object;
}

static void put_nulls(json_t *object, const struct weir_json_field *fields)
{
    for (const struct weir_json_field *field = fields; field->key; field++)
        json_object_set_new(object, field->key, json_null());
}

static json_t *traffic_of(const struct weir_traffic *traffic)
{
    json_t *object;

    if (!traffic->has_devices && !traffic->has_network)
        return json_null();
    object = json_object();
    if (traffic->has_devices)
        weir_json_put(object, device_traffic_fields, traffic);
    else
        put_nulls(object, device_traffic_fields);
    if (traffic->has_network)
        weir_json_put(object, network_traffic_fields, traffic);
    else
        put_nulls(object, network_traffic_fields);
    return object;
}

static bool has_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value && !json_is_null(value);
}

static bool take_traffic(const json_t *object, struct weir_traffic *traffic)
{
    traffic->has_devices = has_number(object, "device_read_bytes");
    traffic->has_network = has_number(object, "network_received_bytes");
    return (!traffic->has_devices || weir_json_take(object, device_traffic_fields, traffic)) &&
           (!traffic->has_network || weir_json_take(object, network_traffic_fields, traffic));
}

void weir_record_put_cache(json_t *record, const struct weir_phase_result *phase)
{
    json_object_set_new(record, "residency", residency_of(&phase->residency));
    json_object_set_new(record, "traffic", traffic_of(&phase->traffic));
    json_object_set_new(record, "node_memory_bytes",
                        phase->node_memory_bytes > 0
                            ? json_integer((json_int_t)phase->node_memory_bytes)
                            : json_null());
}

void weir_record_put_places(json_t *record, const struct weir_phase_result *phase)
{
    json_object_set_new(record, "places", places_of(phase));
}

bool weir_record_take_places(const json_t *record, struct weir_arena *arena,
                             struct weir_phase_result *phase)
{
    const json_t *memory = json_object_get(record, "node_memory_bytes");

    if (memory && !json_is_null(memory) && json_integer_value(memory) < 1)
        return false;
    phase->node_memory_bytes = (uint64_t)json_integer_value(memory);
    return weir_json_take(json_object_get(record, "residency"), residency_fields,
                          &phase->residency) &&
           take_traffic(json_object_get(record, "traffic"), &phase->traffic) &&
           take_places(json_object_get(record, "places"), arena, phase);
}

/* ---- what a test wants of places ---- */

json_t *weir_record_placement(const struct weir_test *test)
{
    static const char *const drops[] = {
        [WEIR_DROP_NOTHING] = "none", [WEIR_DROP_FILES] = "files", [WEIR_DROP_NODE] = "node"};
    const struct weir_pinning *pinning = &test->pinning;
    bool is_scattered = weir_pin_order_of(pinning) == WEIR_PIN_SCATTER;
    const char *which = pinning->list ? pinning->list : pinning->rankfile_path;
    json_t *object = json_object();

    json_object_set_new(object, "pin", json_string(weir_pin_policy_name(pinning->policy)));
    json_object_set_new(object, "pin_order", json_string(is_scattered ? "scatter" : "compact"));
    json_object_set_new(object, "pin_places",
                        which || pinning->nic ? weir_json_exact(which ? which : pinning->nic)
                                              : json_null());
    json_object_set_new(object, "membind",
                        json_string(weir_membind_policy_name(test->membind.policy)));
    json_object_set_new(object, "membind_node",
                        test->membind.policy == WEIR_MEMBIND_NODE
                            ? json_integer((json_int_t)test->membind.node)
                            : json_null());
    json_object_set_new(object, "huge_pages", json_boolean(test->wants_huge_pages));
    json_object_set_new(object, "drop_caches", json_string(drops[test->cache_drop]));
    return object;
}

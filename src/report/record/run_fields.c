/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a run and its tests, as keys of the result file. */
#include "record.h"

#include <stddef.h>

/* ---- the run ---- */

static const struct weir_json_field host_fields[] = {
    WEIR_JSON_FIELD(weir_host_facts, "system", system, TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "node", node, TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "release", release, TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "version", version, TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "machine", machine, TEXT),
    {0},
};

/* Numbers that are null where they are 0: the host does not report them. */
#define TOLD(structure, key_text, member, ...)                                                     \
    WEIR_JSON_FIELD(structure, key_text, member, __VA_ARGS__, WEIR_JSON_WHEN(structure, member))

#define NIC(key_text, member, type) WEIR_JSON_FIELD(weir_nic_facts, key_text, member, type)

static const struct weir_json_field nic_fields[] = {
    NIC("name", name, TEXT),
    NIC("kind", kind, TEXT),
    NIC("state", state, TEXT),
    NIC("driver", driver, TEXT),
    TOLD(weir_nic_facts, "bits_per_s", bits_per_s, COUNT),
    NIC("numa_node", numa_node, PLACE),
    {0},
};

#define NODE(key_text, member, ...) WEIR_JSON_FIELD(weir_node_group, key_text, member, __VA_ARGS__)

static const struct weir_json_field node_fields[] = {
    NODE("count", count, UNSIGNED, .flags = WEIR_JSON_NEEDED),
    NODE("hosts", hosts, STRING, .flags = WEIR_JSON_NEEDED),
    NODE("kernel", facts.kernel, TEXT),
    NODE("distribution", facts.distribution, TEXT),
    NODE("cpu_model", facts.cpu_model, TEXT),
    TOLD(weir_node_group, "packages", facts.packages, UNSIGNED),
    TOLD(weir_node_group, "numa_nodes", facts.numa_nodes, UNSIGNED),
    TOLD(weir_node_group, "cores", facts.cores, UNSIGNED),
    TOLD(weir_node_group, "cpu_count", facts.processors, UNSIGNED, .former = "processors"),
    NODE("allowed_cpus", facts.cpus, TEXT, .former = "cpus"),
    NODE("cpu_quota_permille", facts.cpu_quota_permille, KNOWN),
    NODE("smt", facts.smt, TEXT),
    NODE("governor", facts.governor, TEXT),
    NODE("clock_source", facts.clock_source, TEXT),
    NODE("container", facts.container, TEXT),
    NODE("hypervisor", facts.hypervisor, TEXT),
    TOLD(weir_node_group, "memory_bytes", facts.memory_bytes, COUNT),
    NODE("memory_limit_bytes", facts.memory_limit_bytes, KNOWN),
    NODE("numa_memory", facts.numa_memory, TEXT),
    TOLD(weir_node_group, "huge_page_bytes", facts.huge_page_bytes, COUNT),
    NODE("huge_pages", facts.huge_pages, COUNT,
         WEIR_JSON_WHEN(weir_node_group, facts.huge_page_bytes)),
    NODE("transparent_huge_pages", facts.transparent_huge_pages, TEXT),
    NODE("memlock_bytes", facts.memlock_bytes, KNOWN),
    NODE("open_files", facts.open_files, KNOWN),
    NODE("nics", facts.nics, LIST, WEIR_JSON_OF(nic_fields, weir_nic_facts),
         WEIR_JSON_COUNT_IN(weir_node_group, facts.nic_count)),
    {0},
};

static const struct weir_json_field resumed_fields[] = {
    WEIR_JSON_FIELD(weir_resumed, "run_id", run_id, TEXT),
    WEIR_JSON_FIELD(weir_resumed, "begun_s", begun_s, REAL),
    WEIR_JSON_FIELD(weir_resumed, "steps", step_count, UNSIGNED),
    WEIR_JSON_FIELD(weir_resumed, "reused_steps", kept_count, UNSIGNED, .former = "kept_steps"),
    WEIR_JSON_FIELD(weir_resumed, "reused_repetitions", kept_repetitions, UNSIGNED,
                    .flags = WEIR_JSON_OMITTED, WEIR_JSON_WHEN(weir_resumed, kept_repetitions),
                    .former = "kept_repetitions"),
    WEIR_JSON_FIELD(weir_resumed, "hosts", hosts, STRING, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_resumed, hosts)),
    {0},
};

#define RUN(key_text, member, ...) WEIR_JSON_FIELD(weir_result, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_run_fields[] = {
    RUN("begun_s", begun_s, REAL),
    RUN("ranks", rank_count, UNSIGNED, .flags = WEIR_JSON_OMITTED,
        WEIR_JSON_WHEN(weir_result, rank_count)),
    RUN("resumed", resumed, OBJECT, .flags = WEIR_JSON_OMITTED, .fields = resumed_fields,
        .when = offsetof(struct weir_result, resumed), .when_bytes = 1),
    RUN("clock", clock_name, TEXT),
    RUN("host", host, OBJECT, .fields = host_fields),
    RUN("mpi_library", mpi_library, STRING),
    RUN("launch_mismatch", launch_mismatch, STRING, .flags = WEIR_JSON_OMITTED,
        WEIR_JSON_WHEN(weir_result, launch_mismatch)),
    RUN("job", job, PAIRS, WEIR_JSON_COUNT_IN(weir_result, job_count)),
    RUN("environment", node_groups, VECTOR, WEIR_JSON_OF(node_fields, weir_node_group),
        WEIR_JSON_COUNT_IN(weir_result, node_group_count)),
    {0},
};

const struct weir_json_field weir_record_end_fields[] = {
    RUN("finished_s", finished_s, REAL),
    RUN("exit_code", exit_code, INTEGER),
    RUN("exit_reason", exit_reason, STRING),
    RUN("interrupted", is_interrupted, FLAG),
    RUN("out_of_time", is_out_of_time, FLAG),
    RUN("given_up", given_up, STRING),
    RUN("believed", believed, NAME, .names = weir_believed_names,
        .name_count = WEIR_BELIEVED_COUNT),
    {0},
};

/* ---- tests ---- */

#define FILESYSTEM(key_text, member, total)                                                        \
    WEIR_JSON_FIELD(weir_filesystem_facts, key_text, member, COUNT,                                \
                    WEIR_JSON_WHEN(weir_filesystem_facts, total))

static const struct weir_json_field filesystem_fields[] = {
    WEIR_JSON_FIELD(weir_filesystem_facts, "type", type, TEXT),
    FILESYSTEM("bytes_total", bytes_total, bytes_total),
    FILESYSTEM("bytes_used", bytes_used, bytes_total),
    FILESYSTEM("inodes_total", inodes_total, inodes_total),
    FILESYSTEM("inodes_used", inodes_used, inodes_total),
    {0},
};

#define DEVICE(key_text, member, type) WEIR_JSON_FIELD(weir_device_facts, key_text, member, type)

static const struct weir_json_field device_fields[] = {
    DEVICE("name", name, TEXT),
    DEVICE("level", level, UNSIGNED),
    DEVICE("model", model, TEXT),
    TOLD(weir_device_facts, "bytes", bytes, COUNT),
    DEVICE("partition", is_partition, FLAG),
    DEVICE("rotational", is_rotational, FLAG),
    DEVICE("memory", is_memory, FLAG),
    TOLD(weir_device_facts, "buffered_loop", is_buffered_loop, FLAG),
    TOLD(weir_device_facts, "virtual", is_virtual, FLAG),
    DEVICE("write_cache", write_cache, TEXT),
    DEVICE("scheduler", scheduler, TEXT),
    TOLD(weir_device_facts, "requests", request_count, UNSIGNED),
    TOLD(weir_device_facts, "hardware_queues", hardware_queues, UNSIGNED),
    TOLD(weir_device_facts, "queue_depth", queue_depth, UNSIGNED),
    DEVICE("numa_node", numa_node, PLACE),
    {0},
};

#define STORAGE(key_text, member, ...)                                                             \
    WEIR_JSON_FIELD(weir_storage_group, key_text, member, __VA_ARGS__)

/* A limit of control groups; left out where there is none. */
#define LIMIT(key_text, kind)                                                                      \
    STORAGE(key_text, facts.limits.per_s[kind], COUNT, .flags = WEIR_JSON_OMITTED,                 \
            WEIR_JSON_WHEN(weir_storage_group, facts.limits.per_s[kind]))

static const struct weir_json_field storage_fields[] = {
    STORAGE("count", count, UNSIGNED, .flags = WEIR_JSON_NEEDED),
    STORAGE("hosts", hosts, STRING, .flags = WEIR_JSON_NEEDED),
    STORAGE("known", facts.is_known, FLAG),
    STORAGE("network", facts.is_network, FLAG),
    STORAGE("network_unknown", facts.may_be_network, FLAG, .flags = WEIR_JSON_OMITTED,
            WEIR_JSON_WHEN(weir_storage_group, facts.may_be_network)),
    STORAGE("mount_point", facts.mount_point, TEXT),
    STORAGE("source", facts.source, TEXT),
    STORAGE("type", facts.type, TEXT),
    STORAGE("options", facts.options, TEXT),
    STORAGE("striping", facts.striping, TEXT),
    STORAGE("client_cache", facts.client_cache, TEXT, .flags = WEIR_JSON_OMITTED,
            WEIR_JSON_WHEN(weir_storage_group, facts.client_cache)),
    STORAGE("failed_parts", facts.failed_count, UNSIGNED, .flags = WEIR_JSON_OMITTED,
            WEIR_JSON_WHEN(weir_storage_group, facts.failed_count)),
    STORAGE("parts", facts.part_count, UNSIGNED, .flags = WEIR_JSON_OMITTED,
            WEIR_JSON_WHEN(weir_storage_group, facts.failed_count)),
    STORAGE("part_kind", facts.part_kind, TEXT, .flags = WEIR_JSON_OMITTED,
            WEIR_JSON_WHEN(weir_storage_group, facts.failed_count)),
    STORAGE("devices", facts.devices, LIST, WEIR_JSON_OF(device_fields, weir_device_facts),
            WEIR_JSON_COUNT_IN(weir_storage_group, facts.device_count)),
    LIMIT("limit_read_bytes_per_s", WEIR_LIMIT_READ_BYTES),
    LIMIT("limit_write_bytes_per_s", WEIR_LIMIT_WRITE_BYTES),
    LIMIT("limit_read_ops_per_s", WEIR_LIMIT_READ_OPS),
    LIMIT("limit_write_ops_per_s", WEIR_LIMIT_WRITE_OPS),
    STORAGE("limited_device", facts.limits.device, TEXT, .flags = WEIR_JSON_OMITTED,
            .when = offsetof(struct weir_storage_group, facts.limits.device), .when_bytes = 1),
    {0},
};

#define TEST(key_text, member, ...) WEIR_JSON_FIELD(weir_test_result, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_test_fields[] = {
    TEST("test", test, UNSIGNED),
    TEST("begun_s", begun_s, REAL),
    TEST("ranks", rank_count, UNSIGNED),
    TEST("nodes", node_count, UNSIGNED),
    TEST("ranks_per_node", ranks_per_node, UNSIGNED),
    TEST("node_map", node_map, STRING, .flags = WEIR_JSON_OMITTED,
         WEIR_JSON_WHEN(weir_test_result, node_map)),
    TEST("path", path, TEXT),
    TEST("existing_files", existing_count, COUNT),
    TEST("existing_path", existing_path, TEXT),
    TEST("no_space", no_room, TEXT, .flags = WEIR_JSON_OMITTED,
         .when = offsetof(struct weir_test_result, no_room), .when_bytes = 1, .former = "no_room"),
    TEST("filesystem", filesystem, OBJECT, .fields = filesystem_fields,
         WEIR_JSON_WHEN(weir_test_result, filesystem.is_known)),
    TEST("several_filesystems", has_several_filesystems, FLAG, .flags = WEIR_JSON_OMITTED,
         WEIR_JSON_WHEN(weir_test_result, has_several_filesystems)),
    TEST("storage", storages, VECTOR, WEIR_JSON_OF(storage_fields, weir_storage_group),
         WEIR_JSON_COUNT_IN(weir_test_result, storage_count)),
    {0},
};

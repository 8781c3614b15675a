/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the field's clients, from trees that were written after public documents
 * (client_trees/README.md). */
#include "weir/base/observable.h"
#include "weir/system/environment.h"

#include "planted.h"

#include "system/client_stats.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define MIB (UINT64_C(1) << 20)

static bool read_root(const char *root, const struct weir_storage_facts *facts,
                      struct weir_traffic *traffic)
{
    struct weir_traffic_watch *watch = weir_traffic_open(root, facts);

    weir_traffic_read(watch, traffic);
    weir_traffic_close(watch);
    return traffic->has_client;
}

static bool read_tree(const char *tree, const char *when, const struct weir_storage_facts *facts,
                      struct weir_traffic *traffic)
{
    char root[PATH_MAX];

    snprintf(root, sizeof root, "%s/%s/%s", TREES, tree, when);
    return read_root(root, facts, traffic);
}

static void bytes_that_crossed_the_network_are_those_of_the_mount(void **state)
{
    static const struct {
        const char *tree;
        const char *type;
        const char *source;
        const char *point;
        uint64_t read;
        uint64_t written;
        uint64_t dirty;
        uint64_t cache;
        uint64_t cached;
    } cases[] = {
        {"lustre-2.15", "lustre", "*@tcp:*@tcp:/scratch", "/scratch", 96 * MIB, 32 * MIB, 2 * MIB,
         96512 * MIB, 108 * MIB},
        {"lustre-2.15", "lustre", "mgs@o2ib:/scratch/project", "/p", 96 * MIB, 32 * MIB, 2 * MIB,
         96512 * MIB, 108 * MIB},
        {"lustre-2.10", "lustre", "mgs@tcp0:/lustre", "/l", 2 * MIB, 0, 0, 128 * MIB, 2 * MIB},
        {"nfs", "nfs4", "server:/scratch", "/scratch", 32 * MIB, 8 * MIB, 0, 0, 0},
        /* Version 3; all that programs read came from the cache. */
        {"nfs", "nfs", "server:/export/home", "/home", 0, 0, 0, 0, 0},
        {"ceph-5.14", "ceph", "admin@2fb2a3b0-5ba9-4a35-8a2f-5b8f5b1a0c11.cephfs=/", "/c", 96 * MIB,
         20 * MIB, 0, 0, 0},
        /* An old source names no cluster: that of another one is counted, and did not change. */
        {"ceph-5.14", "ceph", "*:6789:/", "/c", 96 * MIB, 20 * MIB, 0, 0, 0},
        {"ceph-5.10", "ceph", "*:6789:/", "/c", 96 * MIB, 20 * MIB, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_storage_facts facts = {.is_known = true, .is_network = true};
        struct weir_traffic before, after, between;

        snprintf(facts.type, sizeof facts.type, "%s", cases[i].type);
        snprintf(facts.source, sizeof facts.source, "%s", cases[i].source);
        snprintf(facts.mount_point, sizeof facts.mount_point, "%s", cases[i].point);
        assert_true(read_tree(cases[i].tree, "before", &facts, &before));
        assert_true(read_tree(cases[i].tree, "after", &facts, &after));
        between = weir_traffic_between(&before, &after);
        assert_true(between.has_client);
        assert_int_equal(between.client_read_bytes, cases[i].read);
        assert_int_equal(between.client_written_bytes, cases[i].written);
        assert_int_equal(between.client_dirty_bytes, cases[i].dirty);
        assert_int_equal(between.client_cache_bytes, cases[i].cache);
        assert_int_equal(between.client_cached_bytes, cases[i].cached);
        /* Counters that were set back in between tell nothing. */
        before.client_at_ns = 0;
        after.client_at_ns = 1;
        between = weir_traffic_between(&after, &before);
        assert_false(between.has_client);
        assert_int_equal(between.client_read_bytes, 0);
    }
}

static void what_is_not_there_or_closed_is_unknown(void **state)
{
    static const struct {
        const char *tree;
        const char *type;
        const char *source;
    } cases[] = {
        {"lustre-user", "lustre", "mgs@tcp:/scratch"}, /* cur_dirty_bytes alone */
        {"lustre-2.15", "lustre", "mgs@tcp:/other"},
        {"lustre-2.15", "lustre", "mgs@tcp:/"},
        {"lustre-2.15", "lustre", "mgs@tcp:/scratc"},
        {"nfs", "nfs4", "server:/other"},
        {"nfs", "fuse.sshfs", "server:/scratch"},
        {"ceph-5.14", "ceph", "admin@00000000-5ba9-4a35-8a2f-5b8f5b1a0c11.cephfs=/"},
        {"gpfs", "gpfs", "fs1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_storage_facts facts = {.is_known = true, .is_network = true};
        struct weir_traffic traffic;

        snprintf(facts.type, sizeof facts.type, "%s", cases[i].type);
        snprintf(facts.source, sizeof facts.source, "%s", cases[i].source);
        snprintf(facts.mount_point, sizeof facts.mount_point, "/other");
        assert_false(read_tree(cases[i].tree, "before", &facts, &traffic));
        assert_int_equal(traffic.client_read_bytes, 0);
    }
}

static void damaged_counters_are_unknown(void **state)
{
    static const struct planted_file files[] = {
        {"proc/self/mountstats", "device s:/a mounted on /a with fstype nfs4 statvers=1.1\n"
                                 "\tbytes:\t1 2 3 4 5\n"},
        {"sys/kernel/debug/ceph/1.client2/metrics", "item total_sz(bytes)\nread 1 2 3 4\n"},
    };
    struct weir_storage_facts facts = {.is_network = true, .mount_point = "/a", .source = "s:/a"};
    struct weir_traffic traffic;
    char root[ROOT_BYTES];

    (void)state;
    plant(root, files, COUNT(files));
    for (int i = 0; i < 2; i++) {
        snprintf(facts.type, sizeof facts.type, "%s", i == 0 ? "nfs4" : "ceph");
        assert_false(read_root(root, &facts, &traffic));
    }
    fell(root);
}

/* A table of mounts that takes milliseconds to read. */
#define PADDING_BYTES (4 << 20)

static void a_reading_counts_for_one_end_and_one_begin_of_a_phase(void **state)
{
    static const char mount[] = "device s:/a mounted on /a with fstype nfs4 statvers=1.1\n"
                                "\tbytes:\t1 2 3 4 5 6 7 8\n";
    const struct weir_storage_facts facts = {
        .is_network = true, .mount_point = "/a", .source = "s:/a", .type = "nfs4"};
    struct planted_file file = {.path = "proc/self/mountstats"};
    char *text = malloc(PADDING_BYTES + sizeof mount), root[ROOT_BYTES];
    struct weir_traffic_watch *watch;
    struct weir_traffic first;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < PADDING_BYTES; i++)
        text[i] = i % 2 == 0 ? 'x' : '\n';
    memcpy(text + PADDING_BYTES, mount, sizeof mount);
    file.text = text;
    plant(root, &file, 1);
    watch = weir_traffic_open(root, &facts);
    weir_traffic_read(watch, &first);
    assert_true(first.has_client);
    assert_int_equal(first.client_read_bytes, 5);
    /* A second may have passed on a busy machine: the counters are then read anew. */
    for (int i = 0; i < 3; i++) {
        struct weir_traffic next;

        weir_traffic_read(watch, &next);
        assert_true(!next.has_client || next.client_at_ns > first.client_at_ns);
    }
    weir_traffic_close(watch);
    fell(root);
    free(text);
}

static void ports_that_hide_rdma_are_not_counted(void **state)
{
    static const struct planted_file files[] = {
        {"sys/class/net/hsn0/device/vendor", "0x1\n"},
        {"sys/class/net/hsn0/type", "1\n"},
        {"sys/class/net/hsn0/statistics/rx_bytes", "1000\n"},
        {"sys/class/net/hsn0/statistics/tx_bytes", "2000\n"},
        {"sys/class/cxi/cxi0/uevent", ""},
    };
    struct weir_storage_facts facts = {.is_known = true, .is_network = true, .type = "lustre"};

    (void)state;
    for (size_t count = COUNT(files) - 1; count <= COUNT(files); count++) {
        struct weir_traffic traffic;
        char root[ROOT_BYTES];

        plant(root, files, count);
        read_root(root, &facts, &traffic);
        fell(root);
        assert_int_equal(traffic.has_network, count < COUNT(files));
    }
}

/* ---- caches ---- */

static void caches_of_clients_have_names(void **state)
{
    struct weir_storage_facts facts = {.type = "beegfs"};
    char text[48];

    (void)state;
    weir_client_describe_cache(TREES "/beegfs", &facts, text, sizeof text);
    assert_string_equal(text, "buffered (tuneFileCacheType)");
    weir_client_describe_cache(TREES "/nfs", &facts, text, sizeof text);
    assert_string_equal(text, "");
    assert_true(weir_page_pool_describe(TREES "/gpfs", text, sizeof text));
    assert_string_equal(text, "page pool 4G");
    assert_false(weir_page_pool_describe(TREES "/nfs", text, sizeof text));
}

/* ---- which questions can be answered ---- */

static void what_counts_the_bytes_depends_on_the_file_system(void **state)
{
    static const struct {
        const char *type;
        bool is_network, may_be_network;
        struct weir_traffic traffic;
        enum weir_counted_by by;
        bool is_observable;
        bool has_cache;
        bool hides_writes;
    } cases[] = {
        {"ext4", false, false, {.has_devices = true}, WEIR_COUNTED_BY_DEVICES, true, false, false},
        {"ext4", false, false, {0}, WEIR_COUNTED_NOWHERE, false, false, false},
        {"tmpfs", false, false, {0}, WEIR_COUNTED_NOWHERE, true, false, false},
        {"nfs4", true, false, {.has_client = true}, WEIR_COUNTED_BY_CLIENT, true, false, false},
        {"nfs4", true, false, {.has_network = true}, WEIR_COUNTED_BY_PORTS, true, false, false},
        {"lustre", true, false, {.has_disks = true}, WEIR_COUNTED_NOWHERE, false, false, false},
        {"beegfs", true, false, {.has_network = true}, WEIR_COUNTED_BY_PORTS, true, false, true},
        {"fuse.ceph-fuse",
         true,
         false,
         {.has_network = true},
         WEIR_COUNTED_BY_PORTS,
         true,
         true,
         true},
        {"gpfs",
         true,
         false,
         {.has_network = true, .has_disks = true},
         WEIR_COUNTED_BY_ALL,
         true,
         true,
         true},
        {"virtiofs", true, false, {.has_network = true}, WEIR_COUNTED_NOWHERE, false, false, false},
        {"ocfs2", false, true, {.has_devices = true}, WEIR_COUNTED_BY_DEVICES, true, false, false},
        {"fuse.x",
         false,
         true,
         {.has_network = true, .has_disks = true},
         WEIR_COUNTED_BY_ALL,
         false,
         true,
         true},
        {"fuse.x", false, true, {.has_network = true}, WEIR_COUNTED_NOWHERE, false, true, true},
        {"wekafs", true, false, {.has_network = true}, WEIR_COUNTED_NOWHERE, false, false, false},
        {"orangefs", true, false, {.has_network = true}, WEIR_COUNTED_BY_PORTS, true, false, false},
        {"panfs", true, false, {.has_network = true}, WEIR_COUNTED_BY_PORTS, true, false, true},
        {"zfs", false, false, {.has_devices = true}, WEIR_COUNTED_BY_DEVICES, true, false, true},
        {"fuseblk",
         false,
         false,
         {.has_devices = true},
         WEIR_COUNTED_BY_DEVICES,
         true,
         false,
         true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_storage_facts facts = {.is_known = true,
                                           .is_network = cases[i].is_network,
                                           .may_be_network = cases[i].may_be_network};
        const struct weir_probes probes = {.storage = &facts, .traffic = &cases[i].traffic};
        struct weir_obstacle obstacle;

        snprintf(facts.type, sizeof facts.type, "%s", cases[i].type);
        obstacle = weir_obstacle_find(WEIR_EVIDENCE_SUPPLIED, &probes);
        assert_int_equal(weir_counted_by(&facts, &cases[i].traffic), cases[i].by);
        assert_int_equal(obstacle.reason == NULL, cases[i].is_observable);
        /* What is limited has a way out. */
        assert_int_equal(obstacle.remedy == NULL, cases[i].is_observable);
        assert_int_equal(weir_storage_has_client_cache(&facts), cases[i].has_cache);
        assert_int_equal(weir_storage_hides_writes(&facts), cases[i].hides_writes);
    }
}

/* Pages of the files and counters of the ranks answer where no counter of the node does. */
static void readings_of_ranks_come_before_counters(void **state)
{
    static const struct {
        const char *type;
        bool is_local, is_on_loop;
        bool knows_dirty, counts_reads;
        bool is_stored, is_supplied;
        bool has_devices, has_names;
    } cases[] = {
        {"overlay", true, false, false, false, false, false, false, false},
        {"overlay", true, false, true, false, true, false, false, false},
        {"overlay", true, false, false, true, false, true, false, false},
        /* a daemon and a client that hold clean pages */
        {"fuse.x", false, false, true, false, false, false, false, false},
        {"beegfs", false, false, true, false, false, false, false, false},
        /* the file of the loop device is cached once more */
        {"ext4", true, true, true, true, false, false, false, false},
        {"ext4", true, true, true, true, false, false, true, false},
        {"ext4", true, false, true, true, true, true, true, true},
        {"tmpfs", true, false, false, false, true, true, false, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_storage_facts facts = {.is_known = true,
                                           .may_be_network = !cases[i].is_local,
                                           .device_count = cases[i].is_on_loop,
                                           .devices[0].is_buffered_loop = cases[i].is_on_loop};
        const struct weir_traffic traffic = {.has_devices = cases[i].has_devices};
        const struct weir_probes probes = {.storage = &facts,
                                           .traffic = &traffic,
                                           .knows_dirty = cases[i].knows_dirty,
                                           .counts_reads = cases[i].counts_reads};
        bool is_memory = strcmp(cases[i].type, "tmpfs") == 0;

        snprintf(facts.type, sizeof facts.type, "%s", cases[i].type);
#define IS_OBSERVABLE(question) (weir_obstacle_find(question, &probes).reason == NULL)
        assert_int_equal(IS_OBSERVABLE(WEIR_EVIDENCE_STORED), cases[i].is_stored);
        assert_int_equal(IS_OBSERVABLE(WEIR_EVIDENCE_SYNCED), cases[i].is_stored);
        assert_int_equal(IS_OBSERVABLE(WEIR_EVIDENCE_SUPPLIED), cases[i].is_supplied);
        assert_int_equal(IS_OBSERVABLE(WEIR_EVIDENCE_NAMES), cases[i].has_names);
        assert_int_equal(strstr(weir_observer_name(WEIR_EVIDENCE_STORED, &probes), "dirty pages") !=
                             NULL,
                         cases[i].is_stored && !is_memory);
        assert_int_equal(
            strstr(weir_observer_name(WEIR_EVIDENCE_SUPPLIED, &probes), "/proc/self/io") != NULL,
            cases[i].is_supplied && !is_memory);
    }
}

static void mount_options_tell_of_compression(void **state)
{
    static const struct {
        const char *options;
        bool compresses;
    } cases[] = {
        {"rw,noatime,compress=zstd:3,ssd", true},
        {"rw,compress-force=zlib", true},
        {"rw,compress_algorithm=lz4,compress_log_size=2", true},
        {"compress", true},
        {"rw,nocompress_extension=db", false},
        {"rw", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_storage_facts facts = {0};

        snprintf(facts.options, sizeof facts.options, "%s", cases[i].options);
        assert_int_equal(weir_storage_compresses(&facts), cases[i].compresses);
    }
}

/* ---- all disks of the node ---- */

static void disks_of_the_node_count_where_no_device_is_known(void **state)
{
#define STAT(read, written) "  11 12 " read " 14   21 22 " written " 24 0 30 31 1 2 3 4 5 6\n"
    static const struct planted_file files[] = {
        {"sys/class/block/sda/stat", STAT("10", "20")},
        {"sys/class/block/sda/device/model", "x\n"},
        {"sys/class/block/sda1/stat", STAT("10", "20")},
        {"sys/class/block/sda1/partition", "1\n"},
        {"sys/class/block/sda1/device/model", "x\n"},
        {"sys/class/block/nvme0n1/stat", STAT("100", "200")},
        {"sys/class/block/nvme0n1/device/model", "x\n"},
        {"sys/class/block/dm-0/stat", STAT("5", "5")}, /* on one of them */
        {"sys/class/block/loop0/stat", STAT("7", "7")},
    };
    struct weir_storage_facts facts = {.is_known = true, .may_be_network = true, .type = "fuse"};
    char root[ROOT_BYTES];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct weir_traffic traffic;

        facts.may_be_network = i != 1;
        facts.device_count = i == 2;
        plant(root, files, COUNT(files));
        read_root(root, &facts, &traffic);
        fell(root);
        assert_int_equal(traffic.has_disks, i == 0);
        assert_int_equal(traffic.disks_read_bytes, i == 0 ? 110 * 512 : 0);
        assert_int_equal(traffic.disks_written_bytes, i == 0 ? 220 * 512 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_crossed_the_network_are_those_of_the_mount),
        cmocka_unit_test(what_is_not_there_or_closed_is_unknown),
        cmocka_unit_test(damaged_counters_are_unknown),
        cmocka_unit_test(a_reading_counts_for_one_end_and_one_begin_of_a_phase),
        cmocka_unit_test(ports_that_hide_rdma_are_not_counted),
        cmocka_unit_test(caches_of_clients_have_names),
        cmocka_unit_test(what_counts_the_bytes_depends_on_the_file_system),
        cmocka_unit_test(readings_of_ranks_come_before_counters),
        cmocka_unit_test(mount_options_tell_of_compression),
        cmocka_unit_test(disks_of_the_node_count_where_no_device_is_known),
    };

    return cmocka_run_group_tests_name("client_stats", tests, NULL, NULL);
}

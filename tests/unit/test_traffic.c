/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of made-up devices and networks, and of this node's. */
#include "weir/system/environment.h"

#include "planted.h"

#include <fcntl.h>
#include <time.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define BLOCK "sys/class/block/"
#define STAT(read, written) "  11 12 " read " 14   21 22 " written " 24 0 30 31 1 2 3 4 5 6\n"

static void read_of(const struct planted_file *files, size_t count,
                    const struct weir_storage_facts *facts, struct weir_traffic *traffic)
{
    struct weir_traffic_watch *watch;
    char root[ROOT_BYTES];

    plant(root, files, count);
    watch = weir_traffic_open(root, facts);
    assert_non_null(watch);
    weir_traffic_read(watch, traffic);
    weir_traffic_close(watch);
    fell(root);
}

static void the_lowest_devices_count_and_each_once(void **state)
{
    static const struct {
        const char *devices[3];
        uint64_t read;
        uint64_t written;
        uint64_t top_read; /* by the devices that a file system is on */
        unsigned tops;
    } cases[] = {
        {{"sda"}, 100, 200, 100, 1},
        {{"sda1"}, 100, 200, 3, 1}, /* its disk */
        {{"dm-0"}, 100 + 1000, 200 + 2000, 9, 1},
        {{"dm-0", "sda"}, 100 + 1000, 200 + 2000, 9, 1},
        {{"sda1", "sda2"}, 100, 200, 3 + 4, 2},
        {{"loop0"}, 7, 8, 7, 1}, /* on a file that is on no device */
        {{"none"}, 0, 0, 0, 0},
    };
    static const struct planted_file files[] = {
        {"sys/devices/sda/stat", STAT("100", "200")},
        {"sys/devices/sda/sda1/partition", "1\n"},
        {"sys/devices/sda/sda1/stat", STAT("3", "3")},
        {"sys/devices/sda/sda2/partition", "2\n"},
        {"sys/devices/sda/sda2/stat", STAT("4", "4")},
        {BLOCK "sda", "-> ../../devices/sda"},
        {BLOCK "sda1", "-> ../../devices/sda/sda1"},
        {BLOCK "sda2", "-> ../../devices/sda/sda2"},
        {BLOCK "sdb/stat", STAT("1000", "2000")},
        {BLOCK "dm-0/stat", STAT("9", "9")},
        {BLOCK "dm-0/slaves/sda1", "x"},
        {BLOCK "dm-0/slaves/sda2", "x"},
        {BLOCK "dm-0/slaves/sdb", "x"},
        {BLOCK "loop0/loop/backing_file", "/gone\n"},
        {BLOCK "loop0/stat", STAT("7", "8")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_storage_facts facts = {.is_known = true};
        struct weir_traffic traffic;

        for (; cases[i].devices[facts.device_count] != NULL; facts.device_count++)
            snprintf(facts.devices[facts.device_count].name, 32, "%s",
                     cases[i].devices[facts.device_count]);
        read_of(files, COUNT(files), &facts, &traffic);
        assert_int_equal(traffic.has_devices, cases[i].read > 0);
        assert_int_equal(traffic.device_read_bytes, cases[i].read * 512);
        assert_int_equal(traffic.device_written_bytes, cases[i].written * 512);
        assert_int_equal(traffic.top_read_bytes, cases[i].top_read * 512);
        assert_int_equal(traffic.top_reads, 11 * cases[i].tops);
        assert_int_equal(traffic.top_writes, 21 * cases[i].tops);
        assert_false(traffic.has_network);
        assert_false(traffic.has_loopback);
    }
}

static void devices_that_did_not_fit_into_the_facts_count_too(void **state)
{
    struct weir_storage_facts facts = {.is_known = true, .device_count = 2};
    struct weir_traffic_watch *watch;
    struct weir_traffic traffic;
    char root[ROOT_BYTES];

    (void)state;
    plant(root, &(struct planted_file){BLOCK "md0/stat", STAT("1", "1")}, 1);
    for (int i = 0; i < 20; i++) {
        char path[64];

        snprintf(path, sizeof path, BLOCK "md0/slaves/sd%c", 'a' + i);
        plant_file(root, path, "x");
        snprintf(path, sizeof path, BLOCK "sd%c/stat", 'a' + i);
        plant_file(root, path, STAT("10", "20"));
    }
    snprintf(facts.devices[0].name, 32, "md0");
    snprintf(facts.devices[1].name, 32, "sda");
    facts.devices[1].level = 1;
    watch = weir_traffic_open(root, &facts);
    weir_traffic_read(watch, &traffic);
    weir_traffic_close(watch);
    fell(root);
    assert_int_equal(traffic.device_read_bytes, 200 * 512);
    assert_int_equal(traffic.device_written_bytes, 400 * 512);
}

/* ---- networks ---- */

#define NET "sys/class/net/"
#define RDMA "sys/class/infiniband/"

static const struct planted_file networks[] = {
    {NET "eth0/device/vendor", "0x1\n"},
    {NET "eth0/type", "1\n"},
    {NET "eth0/statistics/rx_bytes", "1000\n"},
    {NET "eth0/statistics/tx_bytes", "2000\n"},
    {NET "lo/type", "772\n"},
    {NET "lo/statistics/rx_bytes", "5\n"},
    {NET "lo/statistics/tx_bytes", "5\n"},
    /* IP over the port below: its bytes pass that. */
    {NET "ib0/device/vendor", "0x1\n"},
    {NET "ib0/type", "32\n"},
    {NET "ib0/statistics/rx_bytes", "7\n"},
    {NET "ib0/statistics/tx_bytes", "7\n"},
    {RDMA "mlx5_0/device/vendor", "0x1\n"},
    {RDMA "mlx5_0/ports/1/link_layer", "InfiniBand\n"},
    {RDMA "mlx5_0/ports/1/counters/port_rcv_data", "10000\n"},
    {RDMA "mlx5_0/ports/1/counters/port_xmit_data", "20000\n"},
    /* On top of eth0. */
    {RDMA "rxe0/ports/1/link_layer", "Ethernet\n"},
    {RDMA "rxe0/ports/1/counters/port_rcv_data", "9\n"},
    {RDMA "rxe0/ports/1/counters/port_xmit_data", "9\n"},
    /* Counts bytes, elsewhere. */
    {RDMA "efa0/device/vendor", "0x1\n"},
    {RDMA "efa0/ports/1/hw_counters/rx_bytes", "300\n"},
    {RDMA "efa0/ports/1/hw_counters/tx_bytes", "400\n"},
};

static void networks_count_for_what_is_behind_them(void **state)
{
    struct weir_storage_facts facts = {.is_known = true, .is_network = true};
    struct weir_traffic traffic;

    (void)state;
    read_of(networks, COUNT(networks), &facts, &traffic);
    assert_false(traffic.has_devices);
    assert_true(traffic.has_network);
    assert_int_equal(traffic.network_received_bytes, 1000 + 40000 + 300);
    assert_int_equal(traffic.network_sent_bytes, 2000 + 80000 + 400);
    assert_true(traffic.has_loopback);
    assert_int_equal(traffic.loopback_bytes, 5);
}

static void ip_over_infiniband_counts_where_its_ports_do_not(void **state)
{
    static const struct planted_file files[] = {
        {NET "ib0/device/vendor", "0x1\n"},
        {NET "ib0/type", "32\n"},
        {NET "ib0/statistics/rx_bytes", "7\n"},
        {NET "ib0/statistics/tx_bytes", "8\n"},
        {RDMA "mlx4_0/device/vendor", "0x1\n"},
        {RDMA "mlx4_0/ports/1/link_layer", "InfiniBand\n"},
        {RDMA "mlx4_0/ports/1/counters/port_rcv_data", "7\n"},
    };
    struct weir_storage_facts facts = {.is_known = true, .is_network = true};
    struct weir_traffic traffic;

    (void)state;
    read_of(files, COUNT(files), &facts, &traffic);
    assert_int_equal(traffic.network_received_bytes, 7);
    assert_int_equal(traffic.network_sent_bytes, 8);
}

static void networks_do_not_count_for_local_targets(void **state)
{
    struct weir_storage_facts facts = {.is_known = true};
    struct weir_traffic traffic;

    (void)state;
    read_of(networks, COUNT(networks), &facts, &traffic);
    assert_false(traffic.has_devices);
    assert_false(traffic.has_network);
    assert_int_equal(traffic.network_received_bytes, 0);
    /* Where nobody knows, they are shown. */
    facts.may_be_network = true;
    read_of(networks, COUNT(networks), &facts, &traffic);
    assert_true(traffic.has_network);
}

/* ---- over time ---- */

static void counters_are_read_anew_each_time(void **state)
{
    struct weir_storage_facts facts = {.is_known = true, .device_count = 1};
    struct weir_traffic before, after, between;
    struct weir_traffic_watch *watch;
    char root[ROOT_BYTES], path[PATH_MAX];
    FILE *file;

    (void)state;
    plant(root, &(struct planted_file){BLOCK "sda/stat", STAT("10", "100")}, 1);
    snprintf(facts.devices[0].name, 32, "sda");
    watch = weir_traffic_open(root, &facts);
    weir_traffic_read(watch, &before);
    snprintf(path, sizeof path, "%s/" BLOCK "sda/stat", root);
    file = fopen(path, "we");
    assert_non_null(file);
    fputs(STAT("12", "103"), file);
    fclose(file);
    weir_traffic_read(watch, &after);
    weir_traffic_close(watch);
    fell(root);
    between = weir_traffic_between(&before, &after);
    assert_true(between.has_devices);
    assert_int_equal(between.device_read_bytes, 1024);
    assert_int_equal(between.device_written_bytes, 1536);
}

static void what_goes_back_is_nothing(void **state)
{
    const struct weir_traffic before = {.has_devices = true,
                                        .has_network = true,
                                        .device_read_bytes = 10,
                                        .device_written_bytes = 10,
                                        .network_received_bytes = 10,
                                        .network_sent_bytes = 10};
    const struct weir_traffic after = {.has_devices = true,
                                       .device_read_bytes = 9,
                                       .device_written_bytes = 11,
                                       .network_received_bytes = 12,
                                       .network_sent_bytes = 0};
    const struct weir_traffic between = weir_traffic_between(&before, &after);

    (void)state;
    assert_true(between.has_devices);
    assert_false(between.has_network);
    assert_int_equal(between.device_read_bytes, 0);
    assert_int_equal(between.device_written_bytes, 1);
    assert_int_equal(between.network_received_bytes, 2);
    assert_int_equal(between.network_sent_bytes, 0);
}

static void nothing_watched_is_nothing_counted(void **state)
{
    static const struct weir_storage_facts nothing;
    struct weir_traffic_watch *watch = weir_traffic_open("", &nothing);
    struct weir_traffic traffic;

    (void)state;
    weir_traffic_read(watch, &traffic);
    weir_traffic_close(watch);
    weir_traffic_close(NULL);
    assert_false(traffic.has_devices);
    assert_false(traffic.has_network);
}

/* ---- this node ---- */

static void bytes_written_through_to_this_node_s_device_are_counted(void **state)
{
    char path[] = "/tmp/weir_test_traffic.XXXXXX";
    static char block[1 << 20];
    struct weir_traffic before, after, between;
    struct weir_traffic_watch *watch;
    struct weir_storage_facts facts;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    weir_storage_describe("", path, &facts);
    watch = weir_traffic_open("", &facts);
    weir_traffic_read(watch, &before);
    memset(block, 0x5a, sizeof block);
    for (int i = 0; i < 4; i++)
        assert_int_equal(write(fd, block, sizeof block), sizeof block);
    assert_int_equal(fsync(fd), 0);
    weir_traffic_read(watch, &after);
    weir_traffic_close(watch);
    close(fd);
    unlink(path);
    if (!before.has_devices)
        skip(); /* /tmp is on no device here */
    between = weir_traffic_between(&before, &after);
    assert_true(between.device_written_bytes >= 4 * sizeof block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_devices_count_and_each_once),
        cmocka_unit_test(devices_that_did_not_fit_into_the_facts_count_too),
        cmocka_unit_test(networks_count_for_what_is_behind_them),
        cmocka_unit_test(ip_over_infiniband_counts_where_its_ports_do_not),
        cmocka_unit_test(networks_do_not_count_for_local_targets),
        cmocka_unit_test(counters_are_read_anew_each_time),
        cmocka_unit_test(what_goes_back_is_nothing),
        cmocka_unit_test(nothing_watched_is_nothing_counted),
        cmocka_unit_test(bytes_written_through_to_this_node_s_device_are_counted),
    };

    return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for CPUs, the busiest process and limits of I/O, from made-up trees of /proc and /sys. */
#include "weir/system/pressure.h"

#include "weir/system/limiting_group.h"
#include "weir/system/running.h"

#include "planted.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define STAT(pid, name, user, system)                                                              \
    {                                                                                              \
        "proc/" pid "/stat", pid " (" name ") R 1 1 1 0 -1 4194304 1 0 0 0 " user " " system       \
                                 " 0 0 20 0 1 0 9 1 1\n"                                           \
    }

#define KERNEL(pid, name, system)                                                                  \
    {                                                                                              \
        "proc/" pid "/stat",                                                                       \
            pid " (" name ") S 2 0 0 0 -1 69238880 0 0 0 0 0 " system " 0 0 20 0 1 0 9 1 1\n"      \
    }

static void the_busiest_process_that_is_not_our_own_is_named(void **state)
{
    static const struct planted_file before[] = {
        {"proc/loadavg", "6.21 3.00 1.00 2/300 4711\n"},
        {"proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull total=0\n"},
        STAT("7", "idle", "90000", "0"),
        STAT("12", "stress (ng)", "100", "50"),
        STAT("20", "weir", "0", "0"),
        KERNEL("30", "kworker/0:1", "0"),
    };
    static const struct planted_file after[] = {
        {"proc/pressure/cpu",
         "some avg10=0.00 avg60=0.00 avg300=0.00 total=1001000\nfull total=0\n"},
        STAT("7", "idle", "90000", "1"),
        STAT("12", "stress (ng)", "102", "52"),
        STAT("20", "weir", "100000", "0"),
        KERNEL("30", "kworker/0:1", "200000"),
    };
    const pid_t own[] = {20};
    struct weir_pressure_watch *watch;
    struct weir_pressure pressure;
    char root[ROOT_BYTES];

    (void)state;
    plant(root, before, COUNT(before));
    watch = weir_pressure_open(root, own, COUNT(own));
    weir_pressure_begin(watch);
    usleep(60 * 1000);
    for (size_t i = 0; i < COUNT(after); i++)
        plant_file(root, after[i].path, after[i].text);
    weir_pressure_end(watch, 0, &pressure);
    assert_int_equal(pressure.load_hundredths, 621);
    assert_true(pressure.some_permille > 0);
    assert_string_equal(pressure.busiest, "stress (ng)");
    assert_int_equal(pressure.busiest_pid, 12);
    assert_true(pressure.busiest_permille > 0);
    assert_true(pressure.is_sampled);
    /* "idle" and "stress (ng)"; neither our own nor the kernel's */
    assert_true(pressure.foreign_permille >= pressure.busiest_permille);
    assert_true(pressure.foreign_permille < 2 * pressure.busiest_permille);
    /* Nothing has changed since, and nothing is sampled. */
    weir_pressure_begin(watch);
    weir_pressure_end(watch, 0, &pressure);
    assert_false(pressure.is_sampled);
    assert_int_equal(pressure.busiest_permille, 0);
    assert_int_equal(pressure.some_permille, 0);
    weir_pressure_close(watch);
    fell(root);
}

static void nothing_is_known_where_nothing_is_there(void **state)
{
    struct weir_pressure_watch *watch = weir_pressure_open("/nonexistent", NULL, 0);
    struct weir_pressure pressure;

    (void)state;
    weir_pressure_begin(watch);
    weir_pressure_end(watch, UINT64_C(3600000000000), &pressure);
    assert_int_equal(pressure.load_hundredths, 0);
    assert_int_equal(pressure.busiest_permille, 0);
    weir_pressure_close(watch);
    weir_pressure_close(NULL);
}

static void waits_are_those_of_schedstat(void **state)
{
    static const struct {
        const char *text; /* NULL: no file */
        uint64_t waited_ns;
    } cases[] = {
        {"2000 345 7\n", 345},
        {"0 0 0\n", WEIR_UNKNOWN}, /* not counted by this kernel */
        {"12\n", WEIR_UNKNOWN},
        {NULL, WEIR_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct planted_file files[] = {{"proc/x", "x"},
                                       {"proc/thread-self/schedstat", cases[i].text}};
        struct weir_run_probe *probe;
        char root[ROOT_BYTES];

        plant(root, files, cases[i].text != NULL ? 2 : 1);
        probe = weir_run_probe_open(root);
        assert_int_equal(weir_run_probe_waited(probe), cases[i].waited_ns);
        weir_run_probe_close(probe);
        fell(root);
    }
}

/* Version 2 has the least of all groups; version 1 that of the group itself, as its kernel does. */
static void limits_are_those_that_the_kernel_applies_to_the_device(void **state)
{
    static const struct planted_file version2[] = {
        {"proc/self/cgroup", "0::/job/step\n"},
        {"proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
        {"sys/class/block/sdb/dev", "8:16\n"},
        {"sys/fs/cgroup/job/io.max", "8:1 rbps=1 wbps=1 riops=1 wiops=1\n"
                                     "8:16 rbps=max wbps=2000 riops=max wiops=120\n"},
        {"sys/fs/cgroup/job/step/io.max", "8:16 rbps=5000 wbps=9000 riops=max wiops=max\n"},
    };
    static const struct planted_file version1[] = {
        {"proc/self/cgroup", "7:blkio:/job/step\n"},
        {"proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"},
        {"sys/class/block/sdb/dev", "8:16\n"},
        {"sys/fs/cgroup/blkio/job/blkio.throttle.write_bps_device", "8:16 1000\n"},
        {"sys/fs/cgroup/blkio/job/step/blkio.throttle.write_bps_device", "8:1 5\n8:16 2000\n"},
        {"sys/fs/cgroup/blkio/job/step/blkio.throttle.read_bps_device", "8:16 5000\n"},
        {"sys/fs/cgroup/blkio/job/step/blkio.throttle.write_iops_device", "8:16 120\n"},
    };
    static const struct {
        const struct planted_file *files;
        size_t count;
    } trees[] = {{version2, COUNT(version2)}, {version1, COUNT(version1)}};

    (void)state;
    for (size_t i = 0; i < COUNT(trees); i++) {
        struct weir_storage_facts facts = {.device_count = 1, .devices = {{.name = "sdb"}}};
        struct weir_storage_facts none = {.device_count = 1, .devices = {{.name = "sdc"}}};
        char root[ROOT_BYTES];

        plant(root, trees[i].files, trees[i].count);
        weir_io_limits_find(root, &facts);
        assert_int_equal(facts.limits.per_s[WEIR_LIMIT_READ_BYTES], 5000);
        assert_int_equal(facts.limits.per_s[WEIR_LIMIT_WRITE_BYTES], 2000);
        assert_int_equal(facts.limits.per_s[WEIR_LIMIT_READ_OPS], 0);
        assert_int_equal(facts.limits.per_s[WEIR_LIMIT_WRITE_OPS], 120);
        assert_string_equal(facts.limits.device, "sdb");
        weir_io_limits_find(root, &none);
        assert_int_equal(none.limits.per_s[WEIR_LIMIT_WRITE_BYTES], 0);
        fell(root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_process_that_is_not_our_own_is_named),
        cmocka_unit_test(nothing_is_known_where_nothing_is_there),
        cmocka_unit_test(waits_are_those_of_schedstat),
        cmocka_unit_test(limits_are_those_that_the_kernel_applies_to_the_device),
    };

    return cmocka_run_group_tests_name("pressure", tests, NULL, NULL);
}

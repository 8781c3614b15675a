/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and processors as made-up trees of /proc and /sys tell of them. */
#include "weir/system/memory.h"
#include "weir/system/processor.h"

#include "planted.h"

#include <errno.h>
#include <sched.h>

#define MIB (UINT64_C(1) << 20)

static const char meminfo[] = "MemTotal:        8192000 kB\n"
                              "MemFree:          100000 kB\n"
                              "MemAvailable:    4096000 kB\n";

static const struct {
    struct planted_file files[10];
    uint64_t total;
    uint64_t available;
} limits[] = {
    {{{"proc/meminfo", meminfo}}, 8000 * MIB, 4000 * MIB},
    {{{"proc/meminfo", meminfo}, {"proc/self/cgroup", "0::/job\n"}}, 8000 * MIB, 4000 * MIB},
    /* Version 2: the limit is below what is free; cache can be dropped. */
    {{{"proc/meminfo", meminfo},
      {"proc/self/cgroup", "0::/job/step\n"},
      {"sys/fs/cgroup/job/step/memory.max", "1073741824\n"},
      {"sys/fs/cgroup/job/step/memory.current", "536870912\n"},
      {"sys/fs/cgroup/job/step/memory.stat",
       "anon 268435456\ninactive_file 134217728\nactive_file 134217728\n"}},
     1024 * MIB,
     768 * MIB},
    /* No limit of its own, but one around it. */
    {{{"proc/meminfo", meminfo},
      {"proc/self/cgroup", "0::/job/step\n"},
      {"sys/fs/cgroup/job/step/memory.max", "max\n"},
      {"sys/fs/cgroup/job/memory.max", "2147483648\n"},
      {"sys/fs/cgroup/job/memory.current", "1073741824\n"}},
     2048 * MIB,
     1024 * MIB},
    /* The neighbours have nearly filled the group around it. */
    {{{"proc/meminfo", meminfo},
      {"proc/self/cgroup", "0::/job/step\n"},
      {"sys/fs/cgroup/job/step/memory.max", "1073741824\n"},
      {"sys/fs/cgroup/job/step/memory.current", "0\n"},
      {"sys/fs/cgroup/job/memory.max", "2147483648\n"},
      {"sys/fs/cgroup/job/memory.current", "2042626048\n"}},
     1024 * MIB,
     100 * MIB},
    /* A container is shown no more than its own part, which the kernel calls by its whole name
       if it has no namespace of its own. */
    {{{"proc/meminfo", meminfo},
      {"proc/self/cgroup", "4:memory:/docker/4711\n"},
      {"proc/self/mountinfo",
       "40 30 0:30 /docker/4711 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n"}},
     1024 * MIB,
     1024 * MIB},
    /* Version 1, among other controllers. */
    {{{"proc/meminfo", meminfo},
      {"proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory,hugetlb:/job\n0::/\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n"},
      {"sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1073741824\n"},
      {"sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 104857600\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
     1024 * MIB,
     100 * MIB},
    /* More is used than the limit allows. */
    {{{"proc/meminfo", meminfo},
      {"proc/self/cgroup", "0::/\n"},
      {"sys/fs/cgroup/memory.max", "1073741824\n"},
      {"sys/fs/cgroup/memory.current", "1073745920\n"}},
     1024 * MIB,
     0},
};

static void the_least_of_host_and_groups_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct weir_memory_facts facts;
        char root[64];

        plant(root, limits[i].files, sizeof limits[i].files / sizeof *limits[i].files);
        assert_int_equal(weir_memory_describe(root, &facts), 0);
        if (facts.bytes_total != limits[i].total || facts.bytes_available != limits[i].available)
            fail_msg("case %zu: %llu of %llu", i, (unsigned long long)facts.bytes_available,
                     (unsigned long long)facts.bytes_total);
        fell(root);
    }
}

static void a_host_that_does_not_tell_is_an_error(void **state)
{
    struct weir_memory_facts facts;
    char root[64];

    (void)state;
    plant(root, NULL, 0);
    assert_int_equal(weir_memory_describe(root, &facts), -ENODATA);
    fell(root);
}

static void this_host_has_memory(void **state)
{
    struct weir_memory_facts facts;

    (void)state;
    assert_int_equal(weir_memory_describe("", &facts), 0);
    assert_true(facts.bytes_total >= facts.bytes_available);
    assert_true(facts.bytes_available > MIB);
}

static void the_last_cache_is_the_largest(void **state)
{
    static const struct {
        struct planted_file files[5];
        uint64_t bytes;
    } cases[] = {
        {{{"proc/meminfo", meminfo}}, 0},
        {{{"sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n"}}, 48 << 10},
        {{{"sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n"},
          {"sys/devices/system/cpu/cpu0/cache/index1/size", "32K\n"},
          {"sys/devices/system/cpu/cpu0/cache/index2/size", "2048K\n"},
          {"sys/devices/system/cpu/cpu0/cache/index3/size", "260M\n"}},
         260 * MIB},
        {{{"sys/devices/system/cpu/cpu0/cache/index0/size", "unknown\n"}}, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char root[64];
        size_t count = 0;

        while (cases[i].files[count].path != NULL)
            count++;
        plant(root, cases[i].files, count);
        assert_int_equal(weir_processor_cache_bytes(root), cases[i].bytes);
        fell(root);
    }
}

static void pin_to_the_present_processor(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

static void a_package_is_that_of_the_processor(void **state)
{
    static const struct {
        const char *text;
        unsigned package;
    } cases[] = {{"0\n", 0}, {"1\n", 1}, {"17\n", 17}, {"-1\n", 0}, {"", 0}, {NULL, 0}};

    (void)state;
    pin_to_the_present_processor();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[PATH_MAX];
        char root[64];
        const struct planted_file file = {path, cases[i].text};

        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 sched_getcpu());
        plant(root, &file, cases[i].text != NULL ? 1 : 0);
        assert_int_equal(weir_processor_package(root), cases[i].package);
        fell(root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_of_host_and_groups_counts),
        cmocka_unit_test(a_host_that_does_not_tell_is_an_error),
        cmocka_unit_test(this_host_has_memory),
        cmocka_unit_test(the_last_cache_is_the_largest),
        cmocka_unit_test(a_package_is_that_of_the_processor),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}

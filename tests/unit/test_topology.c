/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as hwloc describes them: this one, files and texts. */
#include "weir/system/running.h"
#include "weir/system/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the golden tests. */
#define HOST(name) WEIR_TEST_HOSTS "/" name ".xml"

static struct weir_topology *open_source(const struct weir_topology_source *source)
{
    struct weir_topology *topology = NULL;
    struct weir_error error = {0};

    if (weir_topology_open(source, &topology, &error) != 0)
        fail_msg("%s", error.text);
    return topology;
}

static struct weir_topology *open_text(const char *synthetic)
{
    return open_source(&(struct weir_topology_source){.synthetic = synthetic});
}

static struct weir_topology *open_file(const char *path)
{
    return open_source(&(struct weir_topology_source){.xml_path = path});
}

static void assert_set(const struct weir_cpu_set *set, const char *expected)
{
    struct weir_text text = {0};

    weir_cpu_set_format(set, &text);
    assert_string_equal(weir_text_string(&text), expected);
    weir_text_close(&text);
}

static void parts_are_counted(void **state)
{
    static const struct {
        const char *synthetic;
        struct weir_topology_counts counts;
    } cases[] = {
        {"pack:1 core:1 pu:2", {1, 1, 1, 2}},
        {"pack:2 numa:4 core:8 pu:2", {2, 8, 64, 128}},
        {"pack:2 core:2 pu:1", {2, 1, 4, 4}},
        {"pu:4", {1, 1, 4, 4}}, /* a host that tells of no cores and packages */
        {"numa:2 pu:3", {1, 2, 6, 6}},
        {"pack:1 numa:1 core:1030 pu:1", {1, 1, 1030, 1030}},
        {"pack:8 numa:8 core:32 pu:2", {8, 64, 2048, 4096}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_topology *topology = open_text(cases[i].synthetic);
        struct weir_topology_counts counts = weir_topology_count(topology);

        assert_memory_equal(&counts, &cases[i].counts, sizeof counts);
        assert_false(weir_topology_is_this_host(topology));
        weir_topology_close(topology);
    }
}

static void a_processor_has_its_place(void **state)
{
    static const struct {
        unsigned cpu;
        struct weir_processor_place place;
    } cases[] = {
        {0, {0, 0, 0, 0}}, {8, {0, 0, 0, 0}},   {5, {5, 5, 0, 0}},  {13, {7, 7, 2, 1}},
        {7, {7, 7, 2, 1}}, {14, {8, 14, 1, 1}}, {11, {3, 3, 0, 0}},
    };
    struct weir_topology *topology = open_file(HOST("uneven"));
    struct weir_processor_place place;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(weir_topology_place(topology, cases[i].cpu, &place));
        assert_memory_equal(&place, &cases[i].place, sizeof place);
    }
    assert_false(weir_topology_place(topology, 15, &place));
    assert_false(weir_topology_place(topology, WEIR_CPUS_MAX, &place));
    weir_topology_close(topology);
}

static void sets_are_reduced_to_cores_and_nodes(void **state)
{
    static const struct {
        const char *cpus;
        const char *cores;
        uint64_t nodes;
    } cases[] = {{"0-14", "0-7,14", 7},
                 {"8-9", "0-1", 1},
                 {"13-14", "7,14", 6},
                 {"6,12,500", "6", 4},
                 {"500", "", 0}};
    struct weir_topology *topology = open_file(HOST("uneven"));

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_cpu_set cpus, cores;

        assert_int_equal(weir_cpu_set_parse(cases[i].cpus, &cpus), 0);
        cores = weir_topology_cores(topology, &cpus);
        assert_set(&cores, cases[i].cores);
        assert_int_equal(weir_topology_numa_nodes(topology, &cpus), cases[i].nodes);
    }
    weir_topology_close(topology);
}

static void what_control_groups_forbid_is_there_but_not_allowed(void **state)
{
    struct weir_topology *topology = open_file(HOST("three-allowed"));
    struct weir_cpu_set all, allowed;

    (void)state;
    weir_topology_processors(topology, &all, &allowed);
    assert_set(&all, "0-7");
    assert_set(&allowed, "2-4");
    assert_int_equal(weir_topology_count(topology).cores, 8);
    weir_topology_close(topology);
}

static void devices_are_near_to_processors(void **state)
{
    static const struct {
        const char *host;
        const char *device;
        int code;
        const char *cpus;
    } cases[] = {
        {HOST("hca"), "nvme0n1", 0, "0-3,8-11"},
        {HOST("hca"), "nvme1n1", 0, "4-7,12-15"},
        {HOST("hca"), "nvme1n1p12", 0, "4-7,12-15"},
        {HOST("hca"), "mlx5_0", 0, "4-7,12-15"},
        {HOST("hca"), "mlx5_0/1", 0, "4-7,12-15"},
        {HOST("hca"), "ib0", 0, "4-7,12-15"},
        {HOST("hca"), "eth0", 0, "0-3,8-11"},
        {HOST("hca"), "card0", 0, "0-3,8-11"},
        {HOST("hca"), "sda", -ENODATA, NULL},
        {HOST("hca"), "sda3", -ENODATA, NULL},
        {HOST("hca"), "nvme2n1", -ENODEV, NULL},
        {HOST("hca"), "nvme1n", -ENODEV, NULL},
        {HOST("hca"), "eth01", -ENODEV, NULL}, /* only disks have partitions */
        {HOST("hca"), "eth0p1", -ENODEV, NULL},
        {HOST("hca"), "eth", -ENODEV, NULL},
        {HOST("hca"), "loop0", -ENODEV, NULL},
        {HOST("hca"), "dm-0", -ENODEV, NULL},
        {HOST("hca"), "", -ENODEV, NULL},
        {HOST("hca"), "1", -ENODEV, NULL},
        {HOST("vm"), "nvme0n1", 0, "2-3"},
        {HOST("grace"), "mlx5_0", 0, "0-71"}, /* one node has all processors */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_topology *topology = open_file(cases[i].host);
        struct weir_cpu_set cpus;

        assert_int_equal(weir_topology_near(topology, cases[i].device, &cpus), cases[i].code);
        if (cases[i].code == 0)
            assert_set(&cpus, cases[i].cpus);
        weir_topology_close(topology);
    }
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 1 << 16);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The recorded host with one word in the place of another. */
static struct weir_topology *open_changed(const char *path, const char *from, const char *to)
{
    char changed[] = "/tmp/weir-topology-XXXXXX";
    char *text = read_all(path);
    char *at = strstr(text, from);
    int fd = mkstemp(changed);
    struct weir_topology *topology;

    assert_non_null(at);
    assert_true(fd >= 0);
    dprintf(fd, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    close(fd);
    topology = open_file(changed);
    unlink(changed);
    free(text);
    return topology;
}

static void the_standard_nic_is_up_and_rdma_comes_first(void **state)
{
    static const struct {
        const char *host;
        const char *from;
        const char *to;
        const char *nic;
    } cases[] = {
        {HOST("hca"), "gp_index", "gp_index", "mlx5_0"},
        {HOST("grace"), "gp_index", "gp_index", "mlx5_1"}, /* the port of the other is down */
        /* what does not tell comes behind what is up */
        {HOST("grace"), "\"Port1State\" value=\"1\"", "\"Rate\" value=\"1\"", "mlx5_1"},
        {HOST("hca"), "\"Port1State\"", "\"Rate\"", "mlx5_0"},
        {HOST("grace"), "\"Port1State\" value=\"4\"", "\"Rate\" value=\"4\"", "mlx5_1"},
        /* all are down */
        {HOST("grace"), "\"Port1State\" value=\"4\"", "\"Port1State\" value=\"2\"", "mlx5_0"},
        {HOST("hca"), "value=\"4\"", "value=\"1\"", "mlx5_0"},
        /* one port of two is up */
        {HOST("grace"), "<info name=\"Port1State\" value=\"1\"/>",
         "<info name=\"Port1State\" value=\"1\"/><info name=\"Port2State\" value=\"4\"/>",
         "mlx5_0"},
        {HOST("hca"), "osdev_type=\"3\"", "osdev_type=\"1\"", "eth0"},
        {HOST("vm"), "gp_index", "gp_index", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_topology *topology = open_changed(cases[i].host, cases[i].from, cases[i].to);
        const char *nic = weir_topology_standard_nic(topology);

        if (cases[i].nic == NULL)
            assert_null(nic);
        else
            assert_string_equal(nic, cases[i].nic);
        weir_topology_close(topology);
    }
}

static void this_host_allows_what_this_process_runs_on(void **state)
{
    struct weir_topology *topology = open_source(&(struct weir_topology_source){0});
    struct weir_cpu_set all, allowed, running;

    (void)state;
    weir_topology_processors(topology, &all, &allowed);
    assert_true(weir_topology_is_this_host(topology));
    assert_int_equal(weir_running_cpus(&running), 0);
    assert_true(weir_cpu_set_is_within(&running, &allowed));
    assert_true(weir_cpu_set_is_within(&allowed, &all));
    assert_int_equal(weir_cpu_set_count(&all), sysconf(_SC_NPROCESSORS_ONLN));
    weir_topology_close(topology);
}

static void variables_of_hwloc_stand_for_this_host(void **state)
{
    struct weir_topology *topology;

    (void)state;
    setenv("HWLOC_SYNTHETIC", "pack:3 core:2 pu:1", 1);
    topology = open_source(&(struct weir_topology_source){0});
    assert_int_equal(weir_topology_count(topology).packages, 3);
    assert_false(weir_topology_is_this_host(topology));
    weir_topology_close(topology);
    topology = open_text("pack:2 core:2 pu:1"); /* what is said is more than a variable */
    assert_int_equal(weir_topology_count(topology).packages, 2);
    weir_topology_close(topology);
    unsetenv("HWLOC_SYNTHETIC");
    setenv("HWLOC_XMLFILE", HOST("vm"), 1);
    topology = open_source(&(struct weir_topology_source){0});
    assert_int_equal(weir_topology_count(topology).cores, 4);
    weir_topology_close(topology);
    unsetenv("HWLOC_XMLFILE");
}

static void hosts_larger_than_the_sets_are_refused_by_name(void **state)
{
    static const struct {
        const char *synthetic;
        const char *text;
    } cases[] = {
        {"pack:1 core:4100 pu:1", "topology: there is a processor 4099: processors up to 4095 can "
                                  "be told of: raise WEIR_CPUS_MAX and build again"},
        {"pack:5 numa:13 core:2 pu:1",
         "topology: there is a NUMA node 64: nodes up to 63 can be told of: join them in the "
         "firmware (nodes per socket, sub-NUMA clustering)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_topology_source source = {.synthetic = cases[i].synthetic};
        struct weir_topology *topology = NULL;
        struct weir_error error = {0};

        assert_int_equal(weir_topology_open(&source, &topology, &error), -E2BIG);
        assert_string_equal(error.text, cases[i].text);
        assert_int_equal(error.exit, WEIR_EXIT_ENVIRONMENT);
        assert_null(topology);
    }
}

static void what_cannot_be_opened_is_named(void **state)
{
    static const struct {
        struct weir_topology_source source;
        const char *variable;
        const char *value;
        const char *text;
    } cases[] = {
        {{.xml_path = "/none/host.xml"},
         NULL,
         NULL,
         "/none/host.xml: cannot read this file: No such file or directory"},
        {{.xml_path = "/proc/self/status"},
         NULL,
         NULL,
         "/proc/self/status: hwloc finds no topology in this file: it must be a file as lstopo "
         "--of xml writes it"},
        {{.synthetic = "sockets:2"},
         NULL,
         NULL,
         "sockets:2: hwloc finds no topology in this text: the form is \"pack:2 numa:4 core:8 "
         "pu:2\""},
        {{0},
         "HWLOC_XMLFILE",
         "/none/host.xml",
         "HWLOC_XMLFILE: cannot read /none/host.xml: No such file or directory"},
        {{0},
         "HWLOC_SYNTHETIC",
         "sockets:2",
         "HWLOC_SYNTHETIC: hwloc finds no topology in sockets:2: the form is \"pack:2 numa:4 "
         "core:8 pu:2\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_topology *topology = NULL;
        struct weir_error error = {0};

        if (cases[i].variable != NULL)
            setenv(cases[i].variable, cases[i].value, 1);
        assert_true(weir_topology_open(&cases[i].source, &topology, &error) < 0);
        assert_string_equal(error.text, cases[i].text);
        assert_int_equal(error.exit, strstr(error.text, "cannot read") != NULL
                                         ? WEIR_EXIT_ENVIRONMENT
                                         : WEIR_EXIT_USAGE);
        assert_null(topology);
        if (cases[i].variable != NULL)
            unsetenv(cases[i].variable);
    }
    weir_topology_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_counted),
        cmocka_unit_test(a_processor_has_its_place),
        cmocka_unit_test(sets_are_reduced_to_cores_and_nodes),
        cmocka_unit_test(what_control_groups_forbid_is_there_but_not_allowed),
        cmocka_unit_test(devices_are_near_to_processors),
        cmocka_unit_test(the_standard_nic_is_up_and_rdma_comes_first),
        cmocka_unit_test(this_host_allows_what_this_process_runs_on),
        cmocka_unit_test(variables_of_hwloc_stand_for_this_host),
        cmocka_unit_test(hosts_larger_than_the_sets_are_refused_by_name),
        cmocka_unit_test(what_cannot_be_opened_is_named),
    };

    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_THISSYSTEM");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

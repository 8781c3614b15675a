/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes are, as made-up trees of /proc and /sys tell of them; and this one. */
#include "weir/system/environment.h"

#include "planted.h"

#include "system/wrapping.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define GIB (UINT64_C(1) << 30)

/* Describes a node of which these files are all there is. */
static void describe(const struct planted_file *files, size_t count, struct weir_node_facts *facts)
{
    char root[ROOT_BYTES];

    plant(root, files, count);
    memset(facts, 0xff, sizeof *facts);
    weir_environment_describe(root, NULL, facts);
    fell(root);
}

static void a_node_is_what_its_files_say(void **state)
{
    static const struct planted_file files[] = {
        {"etc/os-release", "NAME=\"X\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"},
        {"proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\n"
                         "model name\t: Intel(R) Xeon(R) Platinum 8480+\nflags\t\t: fpu sse2\n"},
        {"proc/self/status", "Name:\tweir\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3,8\n"},
        {"proc/meminfo", "MemTotal:       131897344 kB\nMemFree:        1 kB\n"
                         "HugePages_Total:      64\nHugePages_Free:       60\n"
                         "Hugepagesize:       2048 kB\n"},
        {"proc/self/cgroup", "0::/job\n"},
        {"sys/fs/cgroup/job/memory.max", "34359738368\n"},
        {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
        {"sys/devices/system/cpu/smt/control", "on\n"},
        {"sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
        {"sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet \n"},
        {"sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       65792000 kB\n"},
        {"sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       66060288 kB\n"},
        {"sys/devices/system/node/node2/meminfo", "Node 2 MemTotal:       0 kB\n"},
        {"sys/devices/system/node/node10/meminfo", "Node 10 MemTotal:       1048576 kB\n"},
        {"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
    };
    struct weir_node_facts facts;

    (void)state;
    describe(files, COUNT(files), &facts);
    assert_string_equal(facts.distribution, "Debian GNU/Linux 12 (bookworm)");
    assert_string_equal(facts.cpu_model, "Intel(R) Xeon(R) Platinum 8480+");
    assert_string_equal(facts.governor, "performance");
    assert_string_equal(facts.smt, "on");
    assert_string_equal(facts.clock_source, "tsc");
    assert_string_equal(facts.container, "");
    assert_string_equal(facts.hypervisor, "");
    assert_string_equal(facts.cpus, "0-3,8");
    assert_string_equal(facts.numa_memory, "0: 63 GiB, 1: 63 GiB, 10: 1 GiB");
    assert_string_equal(facts.transparent_huge_pages, "madvise");
    assert_int_equal(facts.memory_bytes, 126 * GIB);
    assert_int_equal(facts.memory_limit_bytes, 32 * GIB);
    assert_int_equal(facts.cpu_quota_permille, 1500);
    assert_int_equal(facts.huge_page_bytes, 2 << 20);
    assert_int_equal(facts.huge_pages, 64);
    assert_int_equal(facts.packages, 0);
    assert_int_equal(facts.nic_count, 0);
}

static void a_node_that_tells_nothing_has_no_limits_of_groups(void **state)
{
    struct weir_node_facts facts;

    (void)state;
    describe(NULL, 0, &facts);
    assert_string_equal(facts.distribution, "");
    assert_string_equal(facts.cpu_model, "");
    assert_string_equal(facts.governor, "");
    assert_string_equal(facts.cpus, "");
    assert_string_equal(facts.numa_memory, "");
    assert_int_equal(facts.memory_bytes, 0);
    assert_int_equal(facts.huge_pages, 0);
    assert_true(facts.memory_limit_bytes == WEIR_UNLIMITED);
    assert_true(facts.cpu_quota_permille == WEIR_UNLIMITED);
    assert_int_equal(weir_environment_machine("/nonexistent"), 0);
}

/* ---- one fact at a time ---- */

static void distributions_have_names(void **state)
{
    static const struct {
        const char *file;
        const char *text;
        const char *name;
    } cases[] = {
        {"etc/os-release", "PRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n",
         "Rocky Linux 9.4 (Blue Onyx)"},
        {"etc/os-release", "PRETTY_NAME='SLES 15 SP5'\nID=sles\n", "SLES 15 SP5"},
        {"etc/os-release", "PRETTY_NAME=Gentoo\n", "Gentoo"},
        {"etc/os-release", "PRETTY_NAME=\"a\033[2Jb\"\n", "a?[2Jb"},
        {"etc/os-release", "NAME=\"x\"\n", ""},
        {"usr/lib/os-release", "PRETTY_NAME=\"Fedora 40\"\n", "Fedora 40"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file file = {cases[i].file, cases[i].text};
        struct weir_node_facts facts;

        describe(&file, 1, &facts);
        assert_string_equal(facts.distribution, cases[i].name);
    }
}

static void processors_have_names(void **state)
{
    static const struct {
        const char *text;
        const char *name;
    } cases[] = {
        {"model name\t: AMD EPYC 9654 96-Core Processor\n", "AMD EPYC 9654 96-Core Processor"},
        {"cpu family\t: 6\nmodel\t\t: 1\nmodel name\t:    Padded   \n", "Padded"},
        {"processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
         "CPU variant\t: 0x0\nCPU part\t: 0xd4f\n",
         "Neoverse V2"},
        {"CPU implementer\t: 0x46\nCPU part\t: 0x001\n", "A64FX"},
        {"CPU implementer\t: 0x41\nCPU part\t: 0x001\n", "ARM implementer 0x41 part 0x001"},
        {"CPU implementer\t: 0x41\n", ""},
        {"cpu family\t: 6\nmodel\t\t: 1\n", ""},
        {"processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file file = {"proc/cpuinfo", cases[i].text};
        struct weir_node_facts facts;

        describe(&file, 1, &facts);
        assert_string_equal(facts.cpu_model, cases[i].name);
    }
}

static void governors_that_differ_are_mixed(void **state)
{
    static const struct {
        const char *governors[3];
        const char *told;
    } cases[] = {
        {{"powersave\n", "powersave\n", "powersave\n"}, "powersave"},
        {{"powersave\n", "powersave\n", "performance\n"}, "mixed"},
        {{"performance\n", "powersave\n", "performance\n"}, "mixed"},
        {{"schedutil\n", "", "schedutil\n"}, "schedutil"}, /* one is offline */
        {{"", "", ""}, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file files[] = {
            {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", cases[i].governors[0]},
            {"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", cases[i].governors[1]},
            {"sys/devices/system/cpu/cpu12/cpufreq/scaling_governor", cases[i].governors[2]},
            {"sys/devices/system/cpu/cpufreq/scaling_governor", "none of these\n"},
        };
        char governor[sizeof((struct weir_node_facts *)0)->governor];
        struct weir_node_facts facts;

        describe(files, COUNT(files), &facts);
        /* Nothing is left behind the end: nodes are compared byte by byte. */
        memset(governor, 0, sizeof governor);
        snprintf(governor, sizeof governor, "%s", cases[i].told);
        assert_memory_equal(facts.governor, governor, sizeof governor);
    }
}

static void memory_is_rounded_where_nodes_of_a_kind_differ(void **state)
{
    static const struct {
        const char *meminfo;
        uint64_t bytes;
    } cases[] = {
        {"MemTotal:        8388607 kB\n", UINT64_C(8388607) * 1024},
        {"MemTotal:        8388608 kB\n", 8 * GIB},
        {"MemTotal:       65700000 kB\n", 63 * GIB},
        {"MemTotal:       65712345 kB\n", 63 * GIB},
        {"MemTotal:       67000000 kB\n", 64 * GIB},
        {"MemFree:        67000000 kB\n", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file file = {"proc/meminfo", cases[i].meminfo};
        struct weir_node_facts facts;

        describe(&file, 1, &facts);
        assert_int_equal(facts.memory_bytes, cases[i].bytes);
    }
}

static void policies_of_huge_pages_stand_in_brackets(void **state)
{
    static const struct {
        const char *text;
        const char *policy;
    } cases[] = {
        {"[always] madvise never\n", "always"},
        {"always madvise [never]\n", "never"},
        {"always\n", ""},
        {"[always\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file file = {"sys/kernel/mm/transparent_hugepage/enabled",
                                          cases[i].text};
        struct weir_node_facts facts;

        describe(&file, 1, &facts);
        assert_string_equal(facts.transparent_huge_pages, cases[i].policy);
    }
}

static void lists_that_are_too_long_say_so(void **state)
{
    static const char *const ends[][2] = {{"0", ",68,..."}, {"10", ",66,..."}};

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct weir_node_facts facts;
        struct weir_text status = {0};

        weir_text_add(&status, "Cpus_allowed_list:\t%s", ends[i][0]);
        for (int j = 10; j < 80; j += 2)
            weir_text_add(&status, ",%d", j);
        weir_text_add(&status, "\n");
        describe(&(struct planted_file){"proc/self/status", weir_text_string(&status)}, 1, &facts);
        weir_text_close(&status);
        assert_true(strlen(facts.cpus) >= sizeof facts.cpus - 4);
        assert_string_equal(facts.cpus + strlen(facts.cpus) - 7, ends[i][1]);
    }
}

static void topologies_count_what_there_is(void **state)
{
    const struct weir_topology_source source = {.synthetic = "pack:2 numa:2 core:4 pu:2"};
    struct weir_topology *topology;
    struct weir_node_facts facts;
    struct weir_error error = {0};

    (void)state;
    assert_int_equal(weir_topology_open(&source, &topology, &error), 0);
    weir_environment_describe("/nonexistent", topology, &facts);
    assert_int_equal(facts.packages, 2);
    assert_int_equal(facts.numa_nodes, 4);
    assert_int_equal(facts.cores, 16);
    assert_int_equal(facts.processors, 32);
    assert_string_equal(facts.cpus, "0-31");
    weir_topology_close(topology);
}

/* ---- containers and virtual machines ---- */

/* "NAME=value" of the one variable that is set. */
static const char *variable;

static const char *get(const char *name)
{
    size_t length = strlen(name);

    return strncmp(variable, name, length) == 0 && variable[length] == '=' ? variable + length + 1
                                                                           : NULL;
}

#define MOUNTINFO "proc/self/mountinfo"
#define DISK "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
#define OVERLAY(lower) "21 1 0:40 / / rw - overlay overlay rw,lowerdir=" lower "\n"
#define HOSTS(part) "30 21 8:1 " part " /etc/hosts rw - ext4 /dev/sda1 rw\n"

static void containers_are_known_by_what_they_leave(void **state)
{
    static const struct {
        struct planted_file files[4];
        const char *variable;
        const char *name;
    } cases[] = {
        {{{MOUNTINFO, DISK}}, "", ""},
        {{{MOUNTINFO, DISK}}, "APPTAINER_NAME=weir.sif", "apptainer"},
        {{{MOUNTINFO, DISK}}, "SINGULARITY_NAME=weir.sif", "singularity"},
        {{{MOUNTINFO, DISK}}, "SINGULARITY_NAME=", ""},
        {{{"run/systemd/container", "systemd-nspawn\n"}}, "", "systemd-nspawn"},
        {{{"run/.containerenv", "engine=\"podman-4.9\"\n"}}, "", "podman"},
        {{{".dockerenv", ""}, {MOUNTINFO, OVERLAY("/l") HOSTS("/x/hosts")}}, "", "docker"},
        /* A machine that was made of an image. */
        {{{".dockerenv", ""}, {MOUNTINFO, DISK HOSTS("/x/hosts")}}, "", ""},
        {{{".dockerenv", ""}, {MOUNTINFO, OVERLAY("/lower")}}, "", ""},
        {{{"proc/self/cgroup", "12:cpu:/docker/0a1b2c\n0::/\n"}}, "", "docker"},
        {{{"proc/self/cgroup", "0::/system.slice/docker-0a1b.scope\n"}}, "", "docker"},
        {{{"proc/self/cgroup", "0::/system.slice/docker.service\n"}}, "", ""},
        {{{"proc/self/cgroup", "0::/user.slice\n"}, {"proc/1/cgroup", "0::/lxc.payload.n1\n"}},
         "",
         "lxc"},
        {{{"proc/self/cgroup", "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-1.scope\n"}},
         "",
         "kubernetes"},
        {{{"proc/self/cgroup", "0::/machine.slice/libpod-0a.scope\n"}}, "", "podman"},
        {{{"proc/self/cgroup", "0::/user.slice/dockery\n"}}, "", ""},
        {{{MOUNTINFO, OVERLAY("/var/lib/docker/overlay2/l/ABC:/x")}}, "", "docker"},
        {{{MOUNTINFO, OVERLAY("/l") HOSTS("/var/lib/kubelet/pods/1/etc-hosts")}}, "", "kubernetes"},
        {{{MOUNTINFO, OVERLAY("/home/u/.local/share/containers/storage/overlay/l/A")}},
         "",
         "podman"},
        /* What is mounted over another file system hides it. */
        {{{MOUNTINFO, DISK OVERLAY("/var/lib/docker/overlay2/l/A")}}, "", "docker"},
        /* A host that runs containers is in none. */
        {{{MOUNTINFO, DISK "40 21 0:50 / /var/lib/docker/overlay2/1/merged rw - overlay overlay "
                           "rw,lowerdir=/var/lib/docker/overlay2/l/A\n"}},
         "",
         ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char root[ROOT_BYTES], name[32];

        plant(root, cases[i].files, COUNT(cases[i].files));
        variable = cases[i].variable;
        weir_container_name(root, get, name, sizeof name);
        if (strcmp(name, cases[i].name) != 0)
            fail_msg("case %zu: \"%s\"", i, name);
        fell(root);
    }
}

#define DMI(vendor, product)                                                                       \
    {"sys/class/dmi/id/sys_vendor", vendor "\n"},                                                  \
    {                                                                                              \
        "sys/class/dmi/id/product_name", product "\n"                                              \
    }
#define CLOCKS "sys/devices/system/clocksource/clocksource0/available_clocksource"
#define FLAG                                                                                       \
    {                                                                                              \
        "proc/cpuinfo", "flags\t\t: fpu hypervisor sse\n"                                          \
    }

static void hypervisors_are_known_by_what_they_show(void **state)
{
    static const struct {
        struct planted_file files[4];
        const char *name;
    } cases[] = {
        {{DMI("Dell Inc.", "PowerEdge R760"), {"proc/cpuinfo", "flags\t: fpu hypervisorx\n"}}, ""},
        {{FLAG}, "unnamed"},
        {{{"proc/cpuinfo", "flags\t: fpu hypervisor\n"}}, "unnamed"},
        {{FLAG, {CLOCKS, "kvm-clock tsc acpi_pm \n"}, DMI("QEMU", "Standard PC")}, "kvm"},
        {{FLAG, {CLOCKS, "tsc hyperv_clocksource_tsc_page \n"}}, "hyper-v"},
        {{{CLOCKS, "arch_sys_counter \n"}, DMI("QEMU", "KVM Virtual Machine")}, "qemu"},
        {{FLAG, DMI("VMware, Inc.", "VMware7,1")}, "vmware"},
        {{FLAG, DMI("Microsoft Corporation", "Virtual Machine")}, "hyper-v"},
        {{DMI("Microsoft Corporation", "Surface")}, ""},
        {{FLAG, DMI("Amazon EC2", "m5.large")}, "amazon"},
        {{DMI("Amazon EC2", "m5.metal")}, ""},
        {{{"sys/hypervisor/type", "xen\n"}, FLAG}, "xen"},
        {{{"sys/hypervisor/type", "xen\n"}, {"proc/xen/capabilities", "control_d\n"}}, ""},
        {{{"proc/device-tree/hypervisor/compatible", "linux,kvm"}}, "kvm"},
        {{{NULL, NULL}}, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char root[ROOT_BYTES], name[32];

        plant(root, cases[i].files, COUNT(cases[i].files));
        weir_hypervisor_name(root, name, sizeof name);
        if (strcmp(name, cases[i].name) != 0)
            fail_msg("case %zu: \"%s\"", i, name);
        fell(root);
    }
}

/* ---- networks ---- */

#define PCI "sys/devices/pci0000:00/0000:00:03.0"
#define HCA "sys/devices/pci0000:80/0000:81:00.0"

static void networks_are_ports_and_devices_with_hardware(void **state)
{
    static const struct planted_file files[] = {
        /* A card of Ethernet on node 0. */
        {PCI "/numa_node", "0\n"},
        {PCI "/driver", "-> ../../../bus/pci/drivers/ice"},
        {PCI "/net/eth10/device", "-> ../../../0000:00:03.0"},
        {PCI "/net/eth10/type", "1\n"},
        {PCI "/net/eth10/operstate", "down\n"},
        {PCI "/net/eth10/speed", "-1\n"},
        {PCI "/net/eth10/address", "02:00:00:00:00:01\n"},
        {"sys/class/net/eth10", "-> ../../devices/pci0000:00/0000:00:03.0/net/eth10"},
        /* One of a virtual machine: its NUMA node is known above it. */
        {PCI "/virtio2/driver", "-> ../../../../bus/virtio/drivers/virtio_net"},
        {PCI "/virtio2/net/eth2/device", "-> ../../../virtio2"},
        {PCI "/virtio2/net/eth2/type", "1\n"},
        {PCI "/virtio2/net/eth2/operstate", "up\n"},
        {PCI "/virtio2/net/eth2/speed", "25000\n"},
        {"sys/class/net/eth2", "-> ../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth2"},
        /* No hardware. */
        {"sys/class/net/lo/operstate", "unknown\n"},
        {"sys/class/net/bond0/operstate", "up\n"},
        {"sys/class/net/bonding_masters", "bond0\n"},
        /* Two ports of InfiniBand on node 1, and IP on it. */
        {HCA "/numa_node", "1\n"},
        {HCA "/driver", "-> ../../../bus/pci/drivers/mlx5_core"},
        {HCA "/infiniband/mlx5_0/device", "-> ../../../0000:81:00.0"},
        {HCA "/infiniband/mlx5_0/node_type", "1: CA\n"},
        {HCA "/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n"},
        {HCA "/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n"},
        {HCA "/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n"},
        {HCA "/infiniband/mlx5_0/ports/2/link_layer", "Ethernet\n"},
        {HCA "/infiniband/mlx5_0/ports/2/state", "1: DOWN\n"},
        {HCA "/infiniband/mlx5_0/ports/2/rate", "2.5 Gb/sec (1X SDR)\n"},
        {"sys/class/infiniband/mlx5_0",
         "-> ../../devices/pci0000:80/0000:81:00.0/infiniband/mlx5_0"},
        {"sys/class/infiniband/siw0/node_type", "4: RNIC\n"},
        {"sys/class/infiniband/siw0/ports/1/link_layer", "Ethernet\n"},
        {"sys/class/infiniband/siw0/ports/1/state", "4: ACTIVE\n"},
        {HCA "/net/ib0/device", "-> ../../../0000:81:00.0"},
        {HCA "/net/ib0/type", "32\n"},
        {HCA "/net/ib0/operstate", "up\n"},
        {"sys/class/net/ib0", "-> ../../devices/pci0000:80/0000:81:00.0/net/ib0"},
    };
    /* What is up comes first. */
    static const struct weir_nic_facts expected[] = {
        {"mlx5_0/1", "infiniband", "active", "mlx5_core", UINT64_C(200000000000), 1},
        {"siw0/1", "iwarp", "active", "", 0, WEIR_NUMA_UNKNOWN},
        {"eth2", "ethernet", "up", "virtio_net", UINT64_C(25000000000), 0},
        {"ib0", "infiniband", "up", "mlx5_core", 0, 1},
        {"mlx5_0/2", "roce", "down", "mlx5_core", UINT64_C(2500000000), 1},
        {"eth10", "ethernet", "down", "ice", 0, 0},
    };
    struct weir_node_facts facts;

    (void)state;
    describe(files, COUNT(files), &facts);
    assert_int_equal(facts.nic_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_string_equal(facts.nics[i].name, expected[i].name);
        assert_string_equal(facts.nics[i].kind, expected[i].kind);
        assert_string_equal(facts.nics[i].state, expected[i].state);
        assert_string_equal(facts.nics[i].driver, expected[i].driver);
        assert_int_equal(facts.nics[i].bits_per_s, expected[i].bits_per_s);
        assert_int_equal(facts.nics[i].numa_node, expected[i].numa_node);
    }
}

static void of_many_networks_those_that_are_up_are_kept(void **state)
{
    struct weir_node_facts facts;
    char root[ROOT_BYTES];

    (void)state;
    plant(root, NULL, 0);
    for (int i = 0; i < 20; i++) {
        char path[64];

        snprintf(path, sizeof path, "sys/class/net/eth%d/device/vendor", i);
        plant_file(root, path, "0x1\n");
        snprintf(path, sizeof path, "sys/class/net/eth%d/operstate", i);
        plant_file(root, path, i == 3 || i == 17 ? "up\n" : "down\n");
    }
    weir_environment_describe(root, NULL, &facts);
    fell(root);
    assert_int_equal(facts.nic_count, WEIR_NICS_KEPT);
    assert_string_equal(facts.nics[0].name, "eth3");
    assert_string_equal(facts.nics[1].name, "eth17");
    assert_string_equal(facts.nics[2].name, "eth0");
    assert_string_equal(facts.nics[7].name, "eth6");
}

/* ---- machines ---- */

static uint64_t machine_of(const char *boot_id)
{
    const struct planted_file file = {"proc/sys/kernel/random/boot_id", boot_id};
    char root[ROOT_BYTES];
    uint64_t machine;

    plant(root, &file, 1);
    machine = weir_environment_machine(root);
    fell(root);
    return machine;
}

static void a_machine_is_one_until_it_boots_again(void **state)
{
    const uint64_t machine = machine_of("7d3e5a1c-0000-4000-8000-000000000001\n");

    (void)state;
    assert_int_not_equal(machine, 0);
    assert_int_equal(machine_of("7d3e5a1c-0000-4000-8000-000000000001\n"), machine);
    assert_int_not_equal(machine_of("7d3e5a1c-0000-4000-8000-000000000002\n"), machine);
    assert_int_equal(machine_of(""), 0);
}

/* ---- this node ---- */

static void this_node_is_described_in_the_same_bytes_twice(void **state)
{
    struct weir_node_facts facts, again;
    struct utsname host;
    struct rlimit files;

    (void)state;
    memset(&again, 0x55, sizeof again);
    weir_environment_describe("", NULL, &facts);
    weir_environment_describe("", NULL, &again);
    assert_memory_equal(&facts, &again, sizeof facts);
    assert_int_equal(uname(&host), 0);
    assert_non_null(strstr(facts.kernel, host.release));
    assert_non_null(strstr(facts.kernel, host.machine));
    assert_int_not_equal(facts.cpus[0], '\0');
    assert_int_not_equal(facts.memory_bytes, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur != RLIM_INFINITY)
        assert_int_equal(facts.open_files, files.rlim_cur);
    assert_int_equal(weir_environment_machine(""), weir_environment_machine(""));
}

static void limits_of_this_process_are_told(void **state)
{
    struct weir_node_facts facts;
    struct rlimit before, less;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
    less = before;
    less.rlim_cur = 65536;
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &less), 0);
    weir_environment_describe("/nonexistent", NULL, &facts);
    setrlimit(RLIMIT_MEMLOCK, &before);
    assert_int_equal(facts.memlock_bytes, 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_what_its_files_say),
        cmocka_unit_test(a_node_that_tells_nothing_has_no_limits_of_groups),
        cmocka_unit_test(distributions_have_names),
        cmocka_unit_test(processors_have_names),
        cmocka_unit_test(governors_that_differ_are_mixed),
        cmocka_unit_test(memory_is_rounded_where_nodes_of_a_kind_differ),
        cmocka_unit_test(policies_of_huge_pages_stand_in_brackets),
        cmocka_unit_test(lists_that_are_too_long_say_so),
        cmocka_unit_test(topologies_count_what_there_is),
        cmocka_unit_test(containers_are_known_by_what_they_leave),
        cmocka_unit_test(hypervisors_are_known_by_what_they_show),
        cmocka_unit_test(networks_are_ports_and_devices_with_hardware),
        cmocka_unit_test(of_many_networks_those_that_are_up_are_kept),
        cmocka_unit_test(a_machine_is_one_until_it_boots_again),
        cmocka_unit_test(this_node_is_described_in_the_same_bytes_twice),
        cmocka_unit_test(limits_of_this_process_are_told),
    };

    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on made-up hosts: trees of /proc, /sys and /dev below a directory of their own, with the
 * few system calls that no file tells of made up, too. */
#include "doctor/subjects.h"
#include "planted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what no file tells ---- */

#define CACHESTAT 451

struct calls {
    const char *nodes; /* that this process may use; "": the kernel does not tell */
    int bind_result;
    int look_result;
    int page_node; /* -1: the one that was asked for */
    uint64_t asked_nodes;
    int memory_file_error;
    uint64_t resident_pages; /* of two */
    uid_t user;
};

static struct calls calls;

static void reset_calls(void)
{
    calls = (struct calls){.nodes = "0-1", .page_node = -1, .resident_pages = 1, .user = 1000};
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);
uid_t __wrap_geteuid(void);

FILE *__wrap_fopen(const char *path, const char *mode)
{
    static char status[64];

    if (strcmp(path, "/proc/self/status") != 0)
        return __real_fopen(path, mode);
    snprintf(status, sizeof status, "%s%s\n", calls.nodes[0] != '\0' ? "Mems_allowed_list:\t" : "",
             calls.nodes);
    return fmemopen(status, strlen(status), "r");
}

static long result_of(int code)
{
    if (code == 0)
        return 0;
    errno = -code;
    return -1;
}

static long look_made_up(unsigned long count, int *nodes)
{
    int asked = __builtin_ctzll(calls.asked_nodes);

    for (unsigned long i = 0; i < count; i++)
        nodes[i] = calls.page_node >= 0 ? calls.page_node : asked;
    return result_of(calls.look_result);
}

long __wrap_syscall(long number, ...)
{
    long words[5]; /* no call that is looked at has its last argument looked at */
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 5; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    switch (number) {
    case SYS_mbind:
        assert_int_equal(words[2], MPOL_BIND);
        calls.asked_nodes = *(const uint64_t *)words[3];
        return result_of(calls.bind_result);
    case SYS_get_mempolicy:
        return result_of(-ENOSYS);
    case SYS_move_pages:
        return look_made_up((unsigned long)words[1], (int *)words[4]);
    case CACHESTAT:
        *(uint64_t *)words[2] = calls.resident_pages;
        return 0;
    default:
        return __real_syscall(number, words[0], words[1], words[2], words[3], words[4]);
    }
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    if (calls.memory_file_error == 0)
        return __real_memfd_create(name, flags);
    errno = calls.memory_file_error;
    return -1;
}

uid_t __wrap_geteuid(void)
{
    return calls.user;
}

/* ---- a made-up host ---- */

struct host {
    char root[64];
    struct weir_diagnosis diagnosis;
};

static void plant_host(struct host *host, const struct planted_file *files, size_t count)
{
    *host = (struct host){0};
    plant(host->root, files, count);
}

static void leave_host(struct host *host)
{
    weir_diagnosis_close(&host->diagnosis);
    fell(host->root);
}

static const char *const nothing_left_out[] = {NULL};
static const struct weir_registry no_backends = {.left_out = nothing_left_out};

static void examine_with(struct host *host, const struct weir_registry *registry, const char *path,
                         unsigned rank_count)
{
    const struct weir_doctor_params params = {
        .registry = registry, .path = path, .rank_count = rank_count, .root = host->root};
    struct weir_error error;

    assert_int_equal(weir_doctor_examine(&params, &host->diagnosis, &error), 0);
}

static const struct weir_diagnosis_line *find_line(const struct host *host, const char *subject)
{
    for (size_t i = 0; i < host->diagnosis.count; i++)
        if (strcmp(host->diagnosis.lines[i].subject, subject) == 0)
            return &host->diagnosis.lines[i];
    return NULL;
}

struct expectation {
    const char *subject;
    enum weir_verdict verdict;
    const char *text;   /* a part of it */
    const char *remedy; /* the same; NULL: there is none */
};

static void expect(const struct host *host, const struct expectation *wanted)
{
    const struct weir_diagnosis_line *line = find_line(host, wanted->subject);

    if (line == NULL)
        fail_msg("nothing is said of %s", wanted->subject);
    if (line->verdict != wanted->verdict || strstr(line->text, wanted->text) == NULL)
        fail_msg("%s: %s: '%s', and not %s: '%s'", line->subject, weir_verdict_name(line->verdict),
                 line->text, weir_verdict_name(wanted->verdict), wanted->text);
    if (wanted->remedy == NULL && line->remedy != NULL)
        fail_msg("%s: a way out of nothing: %s", line->subject, line->remedy);
    if (wanted->remedy != NULL &&
        (line->remedy == NULL || strstr(line->remedy, wanted->remedy) == NULL))
        fail_msg("%s: '%s' is no such way out as '%s'", line->subject,
                 line->remedy != NULL ? line->remedy : "(none)", wanted->remedy);
}

/* ---- subjects that files tell of ---- */

#define MEMINFO(available, swap, free_swap, total, unused)                                         \
    {                                                                                              \
        "proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: " available " kB\nSwapTotal: " swap   \
                        " kB\nSwapFree: " free_swap " kB\nHugePages_Total: " total                 \
                        "\nHugePages_Free: " unused "\nHugepagesize: 2048 kB\n"                    \
    }
#define LIMITS(locked, open)                                                                       \
    {                                                                                              \
        "proc/self/limits", "Limit                     Soft Limit           Hard Limit           " \
                            "Units     \nMax locked memory         " locked                        \
                            "               bytes     \nMax open files            " open           \
                            "               files     \n"                                          \
    }
#define PRIVILEGED "CapEff:\t000001ffffffffff\n"
#define DOCKER                                                                                     \
    {                                                                                              \
        "run/systemd/container", "docker\n"                                                        \
    }
#define CLOCKSOURCE "sys/devices/system/clocksource/clocksource0/"
#define THP "sys/kernel/mm/transparent_hugepage/enabled"
#define GROUP_FILE "proc/self/cgroup", "0::/job\n"
#define ONLINE "sys/devices/system/cpu/online"
#define PORT "sys/class/infiniband/mlx5_0/ports/1/"

static const struct {
    struct planted_file files[8];
    unsigned rank_count;
    struct expectation wanted;
} cases[] = {
    /* memory */
    {{{NULL, NULL}}, 0, {"memory", WEIR_NOTED, "does not tell", NULL}},
    {{MEMINFO("4194304", "0", "0", "0", "0")}, 0, {"memory", WEIR_GOOD, "8 GiB", NULL}},
    {{MEMINFO("1047552", "0", "0", "0", "0")},
     0,
     {"memory", WEIR_LIMITED, "only 1023 MiB", "ps -e"}},
    {{MEMINFO("4194304", "0", "0", "0", "0"),
      {GROUP_FILE},
      {"sys/fs/cgroup/job/memory.max", "1073741824\n"}},
     0,
     {"memory", WEIR_LIMITED, "leaves 1 GiB of 8 GiB", "echo max > "}},
    {{MEMINFO("4194304", "0", "0", "0", "0"),
      {"proc/self/cgroup", "4:memory:/job\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n"}},
     0,
     {"memory", WEIR_LIMITED, "leaves 1 GiB of 8 GiB", "memory/job/memory.limit_in_bytes"}},
    {{MEMINFO("4194304", "0", "0", "0", "0"),
      {GROUP_FILE},
      {"sys/fs/cgroup/job/memory.max", "1073741824\n"},
      DOCKER},
     0,
     {"memory", WEIR_LIMITED, "leaves 1 GiB of 8 GiB", "start the container with a greater"}},
    /* swap: a hundredth of the memory is no matter */
    {{MEMINFO("4194304", "0", "0", "0", "0")}, 0, {"swap", WEIR_GOOD, "none", NULL}},
    {{MEMINFO("4194304", "1048576", "964691", "0", "0")},
     0,
     {"swap", WEIR_GOOD, "1 GiB, next to unused", NULL}},
    {{MEMINFO("4194304", "1048576", "964689", "0", "0")},
     0,
     {"swap", WEIR_LIMITED, "of 1 GiB are used", "swapoff -a"}},
    /* huge pages */
    {{{NULL, NULL}}, 0, {"huge pages", WEIR_NOTED, "has none", NULL}},
    {{MEMINFO("4194304", "0", "0", "64", "12"), {THP, "always madvise [never]\n"}},
     0,
     {"huge pages", WEIR_GOOD, "64 of 2 MiB in reserve, 12 of them unused", NULL}},
    {{MEMINFO("4194304", "0", "0", "64", "0"), {THP, "always madvise [never]\n"}},
     0,
     {"huge pages", WEIR_LIMITED, "transparent ones: never", "vm.nr_hugepages=128"}},
    {{MEMINFO("4194304", "0", "0", "0", "0"), {THP, "always [madvise] never\n"}},
     0,
     {"huge pages", WEIR_GOOD, "transparent ones: madvise", NULL}},
    {{MEMINFO("4194304", "0", "0", "0", "0"), {THP, "[always] madvise never\n"}},
     0,
     {"huge pages", WEIR_GOOD, "transparent ones: always", NULL}},
    {{MEMINFO("4194304", "0", "0", "0", "0"), {THP, "always madvise [never]\n"}},
     0,
     {"huge pages", WEIR_LIMITED, "0 of 2 MiB", "or as root: echo madvise > /sys/kernel/mm"}},
    /* NUMA balancing */
    {{{NULL, NULL}}, 0, {"NUMA balancing", WEIR_NOTED, "has none", NULL}},
    {{{"proc/sys/kernel/numa_balancing", "0\n"}}, 0, {"NUMA balancing", WEIR_GOOD, "off", NULL}},
    {{{"proc/sys/kernel/numa_balancing", "1\n"}, {"sys/devices/system/node/online", "0\n"}},
     0,
     {"NUMA balancing", WEIR_GOOD, "one NUMA node", NULL}},
    {{{"proc/sys/kernel/numa_balancing", "1\n"}, {"sys/devices/system/node/online", "0-1\n"}},
     0,
     {"NUMA balancing", WEIR_LIMITED, "moves pages", "kernel.numa_balancing=0"}},
    {{{"proc/sys/kernel/numa_balancing", "2\n"}},
     0,
     {"NUMA balancing", WEIR_LIMITED, "moves pages", "kernel.numa_balancing=0"}},
    /* memlock */
    {{{NULL, NULL}}, 0, {"memlock", WEIR_NOTED, "does not tell", NULL}},
    {{LIMITS("unlimited unlimited", "1024 1024")}, 0, {"memlock", WEIR_GOOD, "unlimited", NULL}},
    {{LIMITS("67108864 67108864", "1024 1024")}, 0, {"memlock", WEIR_GOOD, "64 MiB", NULL}},
    {{LIMITS("67108863 67108863", "1024 1024")},
     0,
     {"memlock", WEIR_LIMITED, "want 64 MiB", "'* - memlock unlimited'"}},
    {{LIMITS("67108864 67108864", "1024 1024")},
     3,
     {"memlock", WEIR_LIMITED, "want 96 MiB", "LimitMEMLOCK=infinity"}},
    {{LIMITS("65536 unlimited", "1024 1024")},
     0,
     {"memlock", WEIR_LIMITED, "65536 bytes", "starts weir: ulimit -l unlimited"}},
    {{LIMITS("65536 8388608", "1024 1024")},
     0,
     {"memlock", WEIR_LIMITED, "65536 bytes", "up to the hard limit: ulimit -l 8192"}},
    {{LIMITS("65536 65536", "1024 1024"), DOCKER},
     0,
     {"memlock", WEIR_LIMITED, "65536 bytes", "--ulimit memlock=-1"}},
    {{LIMITS("65536 65536", "1024 1024"),
      {"proc/self/status", PRIVILEGED},
      {"proc/self/uid_map", "         0          0 4294967295\n"}},
     0,
     {"memlock", WEIR_GOOD, "not bound", NULL}},
    /* Who is root in a user namespace only is bound all the same. */
    {{LIMITS("65536 65536", "1024 1024"),
      {"proc/self/status", PRIVILEGED},
      {"proc/self/uid_map", "         0       1000          1\n"}},
     0,
     {"memlock", WEIR_LIMITED, "65536 bytes", "LimitMEMLOCK"}},
    {{LIMITS("65536 65536", "1024 1024"),
      {"proc/self/status", PRIVILEGED},
      {"proc/self/uid_map", "         0          0          1\n"}},
     0,
     {"memlock", WEIR_LIMITED, "65536 bytes", "LimitMEMLOCK"}},
    {{LIMITS("65536 65536", "1024 1024"), {"proc/self/status", "CapEff:\t000001ffffffbfff\n"}},
     0,
     {"memlock", WEIR_LIMITED, "65536 bytes", "LimitMEMLOCK"}},
    /* open files */
    {{{NULL, NULL}}, 0, {"open files", WEIR_NOTED, "does not tell", NULL}},
    {{LIMITS("65536 65536", "1024 4096")}, 16, {"open files", WEIR_GOOD, "1024", NULL}},
    {{LIMITS("65536 65536", "unlimited unlimited")},
     128,
     {"open files", WEIR_GOOD, "unlimited", NULL}},
    {{LIMITS("65536 65536", "1024 4096")},
     128,
     {"open files", WEIR_LIMITED, "want 3072", "up to the hard limit: ulimit -n 4096"}},
    {{LIMITS("65536 65536", "1023 1023")},
     0,
     {"open files", WEIR_LIMITED, "1023 per process", "LimitNOFILE=65536"}},
    {{LIMITS("65536 65536", "512 512"), DOCKER},
     0,
     {"open files", WEIR_LIMITED, "512", "--ulimit nofile=65536"}},
    /* processors */
    {{{NULL, NULL}}, 0, {"processors", WEIR_NOTED, "does not tell", NULL}},
    {{{"proc/self/status", "Cpus_allowed_list:\t0-7\n"}, {ONLINE, "0-3\n"}},
     0,
     {"processors", WEIR_GOOD, "all 4", NULL}},
    {{{"proc/self/status", "Cpus_allowed_list:\t0,2\n"}, {ONLINE, "0-3\n"}},
     0,
     {"processors", WEIR_LIMITED, "2 of the 4", "taskset -cp 0-3 $$"}},
    {{{"proc/self/status", "Cpus_allowed_list:\t0,2\n"}, {ONLINE, "0-3\n"}, DOCKER},
     0,
     {"processors", WEIR_LIMITED, "0,2 of 0-3", "--cpuset-cpus"}},
    /* CPU quota */
    {{{NULL, NULL}}, 0, {"CPU quota", WEIR_GOOD, "none", NULL}},
    {{{GROUP_FILE}, {"sys/fs/cgroup/job/cpu.max", "max 100000\n"}},
     0,
     {"CPU quota", WEIR_GOOD, "none", NULL}},
    {{{GROUP_FILE}, {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"}},
     0,
     {"CPU quota", WEIR_LIMITED, "1.50 processors", "cgroup/job/cpu.max"}},
    /* The group around it has less. */
    {{{GROUP_FILE},
      {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"},
      {"sys/fs/cgroup/cpu.max", "25000 100000\n"}},
     0,
     {"CPU quota", WEIR_LIMITED, "0.25 processors", "cgroup/cpu.max"}},
    {{{"proc/self/cgroup", "1:cpu:/job\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}},
     0,
     {"CPU quota", WEIR_LIMITED, "0.50 processors", "echo -1 > "}},
    {{{"proc/self/cgroup", "1:cpu:/job\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}},
     0,
     {"CPU quota", WEIR_GOOD, "none", NULL}},
    {{{GROUP_FILE}, {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"}, DOCKER},
     0,
     {"CPU quota", WEIR_LIMITED, "1.50", "greater --cpus"}},
    /* governor, SMT */
    {{{NULL, NULL}}, 0, {"governor", WEIR_NOTED, "does not choose", NULL}},
    {{{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"}},
     0,
     {"governor", WEIR_GOOD, "performance", NULL}},
    {{{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"}},
     0,
     {"governor", WEIR_LIMITED, "powersave", "echo performance | tee"}},
    {{{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
      {"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n"}},
     0,
     {"governor", WEIR_LIMITED, "mixed", "echo performance | tee"}},
    {{{"sys/devices/system/cpu/smt/control", "on\n"}}, 0, {"SMT", WEIR_NOTED, "--pin core", NULL}},
    {{{"sys/devices/system/cpu/smt/control", "off\n"}}, 0, {"SMT", WEIR_NOTED, "off", NULL}},
    {{{"sys/devices/system/cpu/smt/control", "notsupported\n"}},
     0,
     {"SMT", WEIR_NOTED, "have none", NULL}},
    /* clock source */
    {{{NULL, NULL}}, 0, {"clock source", WEIR_NOTED, "does not tell", NULL}},
    {{{CLOCKSOURCE "current_clocksource", "tsc\n"}}, 0, {"clock source", WEIR_GOOD, "tsc", NULL}},
    {{{CLOCKSOURCE "current_clocksource", "kvm-clock\n"}},
     0,
     {"clock source", WEIR_GOOD, "kvm-clock", NULL}},
    {{{CLOCKSOURCE "current_clocksource", "hpet\n"},
      {CLOCKSOURCE "available_clocksource", "hpet acpi_pm tsc \n"}},
     0,
     {"clock source", WEIR_LIMITED, "hpet", "echo tsc > /sys/devices"}},
    {{{CLOCKSOURCE "current_clocksource", "acpi_pm\n"},
      {CLOCKSOURCE "available_clocksource", "acpi_pm tsc-early\n"}},
     0,
     {"clock source", WEIR_LIMITED, "acpi_pm", "dmesg"}},
    /* RDMA */
    {{{NULL, NULL}}, 0, {"RDMA", WEIR_MISSING, "no RDMA device", "modprobe rdma_rxe"}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "4: ACTIVE\n"},
      {PORT "rate", "100 Gb/sec (4X EDR)\n"}},
     0,
     {"mlx5_0/1", WEIR_GOOD, "infiniband, active, 100 Gbit/s", NULL}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "2: INIT\n"}},
     0,
     {"mlx5_0/1", WEIR_LIMITED, "init", "opensm"}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "1: DOWN\n"}},
     0,
     {"mlx5_0/1", WEIR_LIMITED, "down", "cable"}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "Ethernet\n"},
      {PORT "state", "1: DOWN\n"}},
     0,
     {"mlx5_0/1", WEIR_LIMITED, "roce, down", "ip link set DEVICE up"}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "4: ACTIVE\n"}},
     0,
     {"verbs", WEIR_LIMITED, "there is no /dev/infiniband", "modprobe ib_uverbs"}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "4: ACTIVE\n"},
      DOCKER},
     0,
     {"verbs", WEIR_LIMITED, "there is no", "--device /dev/infiniband"}},
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "4: ACTIVE\n"},
      {"dev/infiniband/rdma_cm", ""},
      {"dev/infiniband/uverbs0", ""}},
     0,
     {"verbs", WEIR_GOOD, "dev/infiniband/uverbs0", NULL}},
    /* The manager of connections alone is no way to the devices. */
    {{{"sys/class/infiniband/mlx5_0/node_type", "1: CA\n"},
      {PORT "link_layer", "InfiniBand\n"},
      {PORT "state", "4: ACTIVE\n"},
      {"dev/infiniband/rdma_cm", ""}},
     0,
     {"verbs", WEIR_LIMITED, "there is no /dev/infiniband", "modprobe ib_uverbs"}},
    /* Network devices are none, though they may be of InfiniBand. */
    {{{"sys/class/net/ib0/type", "32\n"},
      {"sys/class/net/ib0/operstate", "up\n"},
      {"sys/class/net/ib0/device/vendor", "0x15b3\n"}},
     0,
     {"RDMA", WEIR_MISSING, "no RDMA device", "modprobe rdma_rxe"}},
    /* page cache */
    {{{NULL, NULL}}, 0, {"drop caches", WEIR_LIMITED, "may not", "--drop-caches files"}},
    {{{"proc/sys/vm/drop_caches", "0\n"}}, 0, {"drop caches", WEIR_GOOD, "can be emptied", NULL}},
    /* no path */
    {{{NULL, NULL}}, 0, {"target", WEIR_NOTED, "no path was given", "weir doctor DIRECTORY"}},
};

static void each_verdict_is_as_the_kernels_files_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct host host;

        reset_calls();
        plant_host(&host, cases[i].files, sizeof cases[i].files / sizeof *cases[i].files);
        examine_with(&host, &no_backends, NULL, cases[i].rank_count);
        expect(&host, &cases[i].wanted);
        leave_host(&host);
    }
}

/* Who has raised all that there is to raise is not told to do so. */
static void a_hard_limit_that_is_reached_is_not_raised_in_a_shell(void **state)
{
    static const struct planted_file files[] = {LIMITS("65536 65536", "64 64")};
    struct host host;

    (void)state;
    reset_calls();
    plant_host(&host, files, 1);
    examine_with(&host, &no_backends, NULL, 0);
    assert_null(strstr(find_line(&host, "memlock")->remedy, "ulimit"));
    assert_null(strstr(find_line(&host, "open files")->remedy, "ulimit"));
    leave_host(&host);
}

static void a_host_without_files_still_gets_a_page(void **state)
{
    struct weir_text page = {0};
    struct host host;

    (void)state;
    reset_calls();
    plant_host(&host, NULL, 0);
    examine_with(&host, &no_backends, NULL, 4);
    weir_doctor_write_page(&host.diagnosis, &page);
    assert_non_null(strstr(weir_text_string(&page), "\nMemory\n"));
    assert_non_null(strstr(weir_text_string(&page), " missing\n"));
    weir_text_close(&page);
    leave_host(&host);
}

static void whoever_is_in_a_job_asks_slurm(void **state)
{
    static const struct planted_file files[] = {LIMITS("65536 65536", "64 64"),
                                                {GROUP_FILE},
                                                {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"}};
    static const struct expectation wanted[] = {
        {"memlock", WEIR_LIMITED, "65536", "PropagateResourceLimitsExcept=MEMLOCK"},
        {"open files", WEIR_LIMITED, "64", "PropagateResourceLimitsExcept=NOFILE"},
        {"CPU quota", WEIR_LIMITED, "1.50", "ask Slurm for more: --cpus-per-task"},
    };
    struct host host;

    (void)state;
    reset_calls();
    plant_host(&host, files, 3);
    setenv("SLURM_JOB_ID", "4711", 1);
    examine_with(&host, &no_backends, NULL, 0);
    unsetenv("SLURM_JOB_ID");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        expect(&host, &wanted[i]);
    /* The file of the group is Slurm's. */
    assert_null(strstr(find_line(&host, "CPU quota")->remedy, "echo"));
    leave_host(&host);
}

/* ---- subjects that system calls tell of ---- */

static void page_placement_is_tried(void **state)
{
    static const struct {
        const char *nodes;
        int bind_result, look_result, page_node;
        bool is_filtered;
        struct expectation wanted;
    } placements[] = {
        {"0-1", 0, 0, -1, false, {"page placement", WEIR_GOOD, "can be bound", NULL}},
        {"0", 0, 0, -1, false, {"page placement", WEIR_GOOD, "can be bound", NULL}},
        {"", 0, 0, -1, false, {"page placement", WEIR_NOTED, "does not tell", NULL}},
        {"0", -ENOSYS, 0, 0, false, {"page placement", WEIR_NOTED, "no NUMA", NULL}},
        {"0",
         -ENOSYS,
         0,
         0,
         true,
         {"page placement", WEIR_LIMITED, "Function not implemented", "--cap-add SYS_NICE"}},
        {"0-1",
         -EPERM,
         0,
         0,
         false,
         {"page placement", WEIR_LIMITED, "cannot be bound", "--cap-add SYS_NICE"}},
        {"0-1",
         0,
         -EPERM,
         -1,
         false,
         {"page placement", WEIR_LIMITED, "does not tell on which", "--cap-add SYS_NICE"}},
        {"0-1",
         0,
         -EINVAL,
         -1,
         false,
         {"page placement", WEIR_LIMITED, "does not tell on which", "--membind none"}},
        {"0-1", 0, 0, 0, false, {"page placement", WEIR_LIMITED, "in vain", "--membind none"}},
    };
    static const struct planted_file filtered = {"proc/self/status", "Seccomp:\t2\n"};

    (void)state;
    for (size_t i = 0; i < sizeof placements / sizeof *placements; i++) {
        struct host host;

        reset_calls();
        calls.nodes = placements[i].nodes;
        calls.bind_result = placements[i].bind_result;
        calls.look_result = placements[i].look_result;
        calls.page_node = placements[i].page_node;
        plant_host(&host, &filtered, placements[i].is_filtered);
        examine_with(&host, &no_backends, NULL, 0);
        expect(&host, &placements[i].wanted);
        if (strcmp(calls.nodes, "0-1") == 0)
            assert_int_equal(calls.asked_nodes, 2);
        leave_host(&host);
    }
}

static void residency_is_tried(void **state)
{
    static const struct {
        uint64_t resident_pages;
        int memory_file_error;
        struct expectation wanted;
    } residencies[] = {
        {1, 0, {"residency", WEIR_GOOD, "cachestat tells", NULL}},
        {2, 0, {"residency", WEIR_LIMITED, "not to be believed", "seccomp"}},
        {0, 0, {"residency", WEIR_LIMITED, "not to be believed", "seccomp"}},
        {1, EPERM, {"residency", WEIR_MISSING, "Operation not permitted", "seccomp"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof residencies / sizeof *residencies; i++) {
        struct host host;

        reset_calls();
        calls.resident_pages = residencies[i].resident_pages;
        calls.memory_file_error = residencies[i].memory_file_error;
        plant_host(&host, NULL, 0);
        examine_with(&host, &no_backends, NULL, 0);
        expect(&host, &residencies[i].wanted);
        leave_host(&host);
    }
}

/* ---- backends ---- */

static void tell_of_library(struct weir_diagnosis *diagnosis, const char *path)
{
    (void)path;
    weir_diagnosis_add(diagnosis, WEIR_GOOD, "mpiio", NULL, "MPI-IO of Open MPI v4.1.4");
}

static void tell_of_mpich(struct weir_diagnosis *diagnosis, const char *path)
{
    (void)path;
    weir_diagnosis_add(diagnosis, WEIR_GOOD, "mpiio", NULL, "MPI-IO of MPICH Version: 4.0");
}

static void tell_of_path(struct weir_diagnosis *diagnosis, const char *path)
{
    weir_diagnosis_add(diagnosis, WEIR_GOOD, "path", NULL, "%s", path != NULL ? path : "none");
}

static const struct weir_backend open_mpi = {.diagnose = tell_of_library};
static const struct weir_backend mpich = {.diagnose = tell_of_mpich};
static const struct weir_backend pathfinder = {.diagnose = tell_of_path};
static const struct weir_backend silent = {.descriptor = {.name = "silent"}};

static void backends_are_asked_for_a_file_in_the_directory(void **state)
{
    static const struct weir_backend *const backends[] = {&silent, &pathfinder};
    const struct weir_registry registry = {
        .backends = backends, .count = 2, .left_out = nothing_left_out};
    static const struct planted_file files[] = {{"file", ""}};
    const struct {
        const char *below;
        const char *wanted;
    } paths[] = {{"", "/.weir-doctor"}, {"/file", "/file"}, {NULL, "none"}};
    struct host host;

    (void)state;
    reset_calls();
    plant_host(&host, files, 1);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[128], wanted[128];

        snprintf(path, sizeof path, "%s%s", host.root, paths[i].below ? paths[i].below : "");
        snprintf(wanted, sizeof wanted, "%s%s", paths[i].below ? host.root : "", paths[i].wanted);
        weir_diagnosis_close(&host.diagnosis);
        examine_with(&host, &registry, paths[i].below ? path : NULL, 0);
        assert_string_equal(find_line(&host, "path")->text, wanted);
        assert_string_equal(find_line(&host, "path")->heading, "Moving data");
    }
    leave_host(&host);
}

static void backends_that_were_not_built_are_missing(void **state)
{
    static const char *const left_out[] = {"uring: liburing was not found when weir was built",
                                           NULL};
    const struct weir_registry registry = {.left_out = left_out};
    static const struct expectation wanted = {
        "uring", WEIR_MISSING, "not in this build: liburing was not found", "scripts/deps build"};
    struct host host;

    (void)state;
    reset_calls();
    plant_host(&host, NULL, 0);
    examine_with(&host, &registry, NULL, 0);
    expect(&host, &wanted);
    leave_host(&host);
}

/* ---- launchers ---- */

/* A program in the first directory of PATH, by a link if `target` is another name. */
static void plant_program(const char *root, const char *name, const char *target)
{
    char path[PATH_MAX], link[PATH_MAX];

    snprintf(path, sizeof path, "bin/%s", target);
    plant_file(root, path, "#!/bin/sh\n");
    snprintf(path, sizeof path, "%s/bin/%s", root, target);
    snprintf(link, sizeof link, "%s/bin/%s", root, name);
    chmod(path, 0755);
    if (strcmp(name, target) != 0)
        assert_int_equal(symlink(path, link), 0);
}

static void the_launcher_is_looked_for_in_path(void **state)
{
    static const struct {
        const char *name;
        const char *target;
        const struct weir_backend *library;
        uid_t user;
        bool is_allowed;
        struct expectation wanted;
    } launchers[] = {
        {NULL, NULL, &open_mpi, 0, false, {"mpiexec", WEIR_MISSING, "neither", "openmpi-bin"}},
        {"srun", "srun", &open_mpi, 0, false, {"mpiexec", WEIR_GOOD, "srun starts ranks", NULL}},
        {"mpiexec", "orterun", &open_mpi, 1000, false, {"mpiexec", WEIR_GOOD, "/mpiexec", NULL}},
        {"mpiexec",
         "orterun",
         &open_mpi,
         0,
         false,
         {"mpiexec", WEIR_LIMITED, "as root", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}},
        {"mpiexec", "orterun", &open_mpi, 0, true, {"mpiexec", WEIR_GOOD, "/mpiexec", NULL}},
        {"mpiexec",
         "prterun",
         &mpich,
         1000,
         false,
         {"mpiexec", WEIR_LIMITED, "another MPI's", "first in PATH"}},
        {"mpiexec",
         "mpiexec.hydra",
         &open_mpi,
         1000,
         false,
         {"mpiexec", WEIR_LIMITED, "another MPI's", "first in PATH"}},
        {"mpiexec", "mpiexec.hydra", &mpich, 0, false, {"mpiexec", WEIR_GOOD, "/mpiexec", NULL}},
        {"mpiexec", "unheard-of", &mpich, 0, false, {"mpiexec", WEIR_GOOD, "/mpiexec", NULL}},
    };
    char *path = strdup(getenv("PATH"));

    (void)state;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct weir_registry registry = {
            .backends = &launchers[i].library, .count = 1, .left_out = nothing_left_out};
        struct host host;
        char words[256];

        reset_calls();
        calls.user = launchers[i].user;
        plant_host(&host, NULL, 0);
        if (launchers[i].name != NULL)
            plant_program(host.root, launchers[i].name, launchers[i].target);
        snprintf(words, sizeof words, ":%s/none:%s/bin", host.root, host.root);
        setenv("PATH", words, 1);
        unsetenv("OMPI_ALLOW_RUN_AS_ROOT");
        unsetenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
        if (launchers[i].is_allowed) {
            setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
            setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
        }
        examine_with(&host, &registry, NULL, 0);
        setenv("PATH", path, 1);
        expect(&host, &launchers[i].wanted);
        leave_host(&host);
    }
    free(path);
}

/* ---- the target ---- */

/* A line of mountinfo for the mount that `path` is on in truth, as something else. */
static void plant_mount(const char *root, const char *path, const char *options, const char *rest)
{
    struct statx facts;
    char line[512];

    assert_int_equal(statx(AT_FDCWD, path, 0, STATX_MNT_ID, &facts), 0);
    snprintf(line, sizeof line, "%llu 1 %u:%u / /data %s - %s\n",
             (unsigned long long)facts.stx_mnt_id, facts.stx_dev_major, facts.stx_dev_minor,
             options, rest);
    plant_file(root, "proc/self/mountinfo", line);
}

static void the_target_is_what_its_mount_says(void **state)
{
    static const struct {
        const char *options;
        const char *rest;
        struct expectation wanted;
    } mounts[] = {
        {"rw,noatime",
         "ext4 /dev/sda1 rw",
         {"file system", WEIR_GOOD, "ext4 at /data, from /dev/sda1", NULL}},
        {"rw,noatime", "ext4 /dev/sda1 rw", {"mount options", WEIR_NOTED, "noatime", NULL}},
        {"ro",
         "ext4 /dev/sda1 rw",
         {"file system", WEIR_LIMITED, "read-only", "mount -o remount,rw /data"}},
        {"rw",
         "xfs /dev/sda1 ro",
         {"file system", WEIR_LIMITED, "read-only", "mount -o remount,rw /data"}},
        {"rw,errors=remount-ro", "ext4 /dev/sda1 rw", {"file system", WEIR_GOOD, "ext4", NULL}},
        {"rw", "tmpfs none rw", {"file system", WEIR_LIMITED, "memory of the node", "df -hT"}},
        {"rw", "overlay overlay rw", {"file system", WEIR_LIMITED, "copies", "df -hT"}},
        {"rw", "nfs4 server:/export rw", {"way", WEIR_NOTED, "by its networks", NULL}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
        struct host host;

        reset_calls();
        plant_host(&host, NULL, 0);
        plant_mount(host.root, host.root, mounts[i].options, mounts[i].rest);
        examine_with(&host, &no_backends, host.root, 0);
        expect(&host, &mounts[i].wanted);
        assert_null(find_line(&host, "target"));
        leave_host(&host);
    }
}

static void devices_with_queues_want_no_scheduler(void **state)
{
    static const struct {
        const char *rotational, *scheduler, *queues;
        struct expectation wanted;
    } devices[] = {
        {"0\n", "[none] mq-deadline\n", "2", {"sda", WEIR_GOOD, "scheduler none", NULL}},
        {"0\n",
         "none [mq-deadline]\n",
         "2",
         {"sda", WEIR_LIMITED, "mq-deadline", "echo none > /sys/block/sda/queue/scheduler"}},
        {"0\n", "none [mq-deadline]\n", "1", {"sda", WEIR_GOOD, "mq-deadline", NULL}},
        {"0\n", "none [bfq]\n", "1", {"sda", WEIR_LIMITED, "bfq", "echo none"}},
        {"1\n", "none [bfq]\n", "2", {"sda", WEIR_GOOD, "rotational", NULL}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct planted_file files[] = {
            {"sys/class/block/sda/size", "2097152\n"},
            {"sys/class/block/sda/queue/rotational", devices[i].rotational},
            {"sys/class/block/sda/queue/scheduler", devices[i].scheduler},
            {"sys/class/block/sda/queue/write_cache", "write back\n"},
            {"sys/class/block/sda/queue/nr_requests", "256\n"},
            {"sys/class/block/sda/mq/0/cpu_list", "0\n"},
            {devices[i].queues[0] == '2' ? "sys/class/block/sda/mq/1/cpu_list" : NULL, "1\n"},
        };
        struct host host;

        reset_calls();
        plant_host(&host, files, sizeof files / sizeof *files);
        plant_mount(host.root, host.root, "rw", "ext4 /dev/sda rw");
        examine_with(&host, &no_backends, host.root, 0);
        expect(&host, &devices[i].wanted);
        assert_non_null(strstr(find_line(&host, "sda")->text, "1 GiB"));
        assert_non_null(strstr(find_line(&host, "sda")->text, "write back"));
        leave_host(&host);
    }
}

static void a_path_that_is_not_there_is_refused(void **state)
{
    const struct weir_pinning pinning = {0};
    const struct weir_doctor_params params = {
        .registry = &no_backends, .path = "/nobody/has/this", .pinning = &pinning, .root = ""};
    struct weir_error error = {0};
    struct weir_text text = {0};

    (void)state;
    assert_int_equal(weir_doctor_write(&params, &text, &error), -EINVAL);
    assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(error.text, "/nobody/has/this: No such file"));
    assert_int_equal(text.length, 0);
    weir_text_close(&text);
}

/* ---- the page ---- */

static void the_page_is_laid_out_in_columns(void **state)
{
    static const char wanted[] = "\nMemory\n"
                                 "  good     swap            none\n"
                                 "  limited  memlock         64 KiB\n"
                                 "           -> ulimit -l unlimited\n"
                                 "           -> or be root\n"
                                 "\nRDMA\n"
                                 "  missing  a very long subject indeed\n"
                                 "  note     long            " /* 91 columns are left for words */
                                 "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa "
                                 "aaaaaaaaa aaaaaaaaa aaaaaaaaa\n"
                                 "                           aaaaaaaaa bbb\n"
                                 "\n1 good, 1 limited, 1 missing\n";
    struct weir_diagnosis diagnosis = {0};
    struct weir_text page = {0};

    (void)state;
    weir_diagnosis_begin(&diagnosis, "Memory");
    weir_diagnosis_add(&diagnosis, WEIR_GOOD, "swap", NULL, "none");
    weir_diagnosis_begin(&diagnosis, "Memory");
    weir_diagnosis_add(&diagnosis, WEIR_LIMITED, "memlock", "ulimit -l unlimited\nor be root",
                       "64 KiB");
    weir_diagnosis_begin(&diagnosis, "RDMA");
    weir_diagnosis_add(&diagnosis, WEIR_MISSING, "a very long subject", NULL, "indeed");
    weir_diagnosis_add(&diagnosis, WEIR_NOTED, "long", NULL,
                       "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa "
                       "aaaaaaaaa aaaaaaaaa aaaaaaaaa bbb");
    weir_doctor_write_page(&diagnosis, &page);
    assert_string_equal(weir_text_string(&page), wanted);
    weir_text_close(&page);
    weir_diagnosis_close(&diagnosis);
}

static void words_longer_than_a_line_are_not_cut(void **state)
{
    struct weir_diagnosis diagnosis = {0};
    struct weir_text page = {0};
    char word[301];

    (void)state;
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    weir_diagnosis_add(&diagnosis, WEIR_GOOD, "a", NULL, "%s b", word);
    weir_doctor_write_page(&diagnosis, &page);
    assert_non_null(strstr(weir_text_string(&page), word));
    weir_text_close(&page);
    weir_diagnosis_close(&diagnosis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_verdict_is_as_the_kernels_files_say),
        cmocka_unit_test(a_hard_limit_that_is_reached_is_not_raised_in_a_shell),
        cmocka_unit_test(a_host_without_files_still_gets_a_page),
        cmocka_unit_test(whoever_is_in_a_job_asks_slurm),
        cmocka_unit_test(page_placement_is_tried),
        cmocka_unit_test(residency_is_tried),
        cmocka_unit_test(backends_are_asked_for_a_file_in_the_directory),
        cmocka_unit_test(backends_that_were_not_built_are_missing),
        cmocka_unit_test(the_launcher_is_looked_for_in_path),
        cmocka_unit_test(the_target_is_what_its_mount_says),
        cmocka_unit_test(devices_with_queues_want_no_scheduler),
        cmocka_unit_test(a_path_that_is_not_there_is_refused),
        cmocka_unit_test(the_page_is_laid_out_in_columns),
        cmocka_unit_test(words_longer_than_a_line_are_not_cut),
    };

    unsetenv("SLURM_JOB_ID");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

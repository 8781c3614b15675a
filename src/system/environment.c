/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of this node as uname(2), /proc and /sys report them. */
#include "weir/system/environment.h"

#include "cpu_model.h"
#include "network_ports.h"
#include "weir/system/control_group.h"
#include "weir/system/small_file.h"
#include "wrapping.h"

#include "weir/base/text.h"
#include "weir/system/limiting_group.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#define GIB (UINT64_C(1) << 30)
#define KIB UINT64_C(1024)

static const char *get_variable(const char *name)
{
    return getenv(name);
}

/* Copies a list whose members end before a comma; what does not fit is left out and "..." says
 * so. */
static void keep_list(char *to, size_t bytes, const char *list)
{
    size_t length = strlen(list);

    if (length >= bytes) {
        length = bytes - sizeof ",...";
        while (length > 0 && list[length] != ',')
            length--;
    }
    snprintf(to, bytes, "%.*s%s", (int)length, list, list[length] != '\0' ? ",..." : "");
}

/* ---- software ---- */

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)": a shell's assignment, with or without quotes. */
static bool read_distribution(const char *root, const char *file, char *name, size_t bytes)
{
    char path[WEIR_ROOTED_PATH_BYTES], value[256];
    const char *begin = value;

    snprintf(path, sizeof path, "%s%s", root, file);
    if (!weir_small_file_field(path, "PRETTY_NAME", value, sizeof value))
        return false;
    if (value[0] == '"' || value[0] == '\'') {
        value[1 + strcspn(value + 1, value[0] == '"' ? "\"" : "'")] = '\0';
        begin++;
    }
    weir_small_text_copy(name, bytes, begin);
    return name[0] != '\0';
}

static void describe_software(const char *root, struct weir_node_facts *facts)
{
    char kernel[sizeof(struct utsname)];
    struct utsname host;

    if (uname(&host) == 0) {
        snprintf(kernel, sizeof kernel, "%s %s %s", host.sysname, host.release, host.machine);
        weir_small_text_copy(facts->kernel, sizeof facts->kernel, kernel);
    }
    if (!read_distribution(root, "/etc/os-release", facts->distribution,
                           sizeof facts->distribution))
        read_distribution(root, "/usr/lib/os-release", facts->distribution,
                          sizeof facts->distribution);
    weir_container_name(root, get_variable, facts->container, sizeof facts->container);
    weir_hypervisor_name(root, facts->hypervisor, sizeof facts->hypervisor);
}

/* ---- processors ---- */

static bool is_numbered(const char *name, const char *word)
{
    size_t length = strlen(word);

    return strncmp(name, word, length) == 0 && isdigit((unsigned char)name[length]);
}

static void find_governor(const char *root, char *governor, size_t bytes)
{
    struct weir_name_list cpus;
    char each[32];

    weir_name_list_open(&cpus, "%s/sys/devices/system/cpu", root);
    for (size_t i = 0; i < cpus.count; i++) {
        const char *cpu = cpus.entries[i]->d_name;

        if (!is_numbered(cpu, "cpu") ||
            !weir_small_file_line(each, sizeof each,
                                  "%s/sys/devices/system/cpu/%s/cpufreq/scaling_governor", root,
                                  cpu))
            continue;
        if (governor[0] != '\0' && strcmp(governor, each) != 0) {
            weir_small_text_copy(governor, bytes, "mixed");
            break;
        }
        weir_small_text_copy(governor, bytes, each);
    }
    weir_name_list_close(&cpus);
}

/* Limits of control groups; a rank that its launcher has bound already may use less itself. */
static void find_cpus(const char *root, const struct weir_topology *topology,
                      struct weir_node_facts *facts)
{
    char path[WEIR_ROOTED_PATH_BYTES], line[PATH_MAX];
    struct weir_cpu_set all, allowed;
    struct weir_text list = {0};

    if (topology != NULL) {
        weir_topology_processors(topology, &all, &allowed);
        weir_cpu_set_format(&allowed, &list);
    } else {
        snprintf(path, sizeof path, "%s/proc/self/status", root);
        weir_small_file_field(path, "Cpus_allowed_list", line, sizeof line);
        weir_text_add(&list, "%s", line);
    }
    keep_list(facts->cpus, sizeof facts->cpus, weir_text_string(&list));
    weir_text_close(&list);
}

static void describe_processors(const char *root, const struct weir_topology *topology,
                                struct weir_node_facts *facts)
{
    weir_cpu_model(root, facts->cpu_model, sizeof facts->cpu_model);
    find_governor(root, facts->governor, sizeof facts->governor);
    weir_small_file_line(facts->smt, sizeof facts->smt, "%s/sys/devices/system/cpu/smt/control",
                         root);
    weir_small_file_line(facts->clock_source, sizeof facts->clock_source,
                         "%s/sys/devices/system/clocksource/clocksource0/current_clocksource",
                         root);
    find_cpus(root, topology, facts);
    if (topology != NULL) {
        const struct weir_topology_counts counts = weir_topology_count(topology);

        facts->packages = counts.packages;
        facts->numa_nodes = counts.numa_nodes;
        facts->cores = counts.cores;
        facts->processors = counts.processors;
    }
}

/* ---- memory ---- */

static uint64_t round_memory(uint64_t bytes)
{
    return bytes < 8 * GIB ? bytes : (bytes + GIB / 2) / GIB * GIB;
}

/* A node without memory of its own is left out. */
static void add_numa_memory(const char *root, const char *node, struct weir_text *list)
{
    char path[WEIR_ROOTED_PATH_BYTES], name[64], size[WEIR_SIZE_TEXT_BYTES];
    const char *number = node + strlen("node");
    uint64_t kib;

    snprintf(path, sizeof path, "%s/sys/devices/system/node/%s/meminfo", root, node);
    snprintf(name, sizeof name, "Node %.16s MemTotal", number);
    if (!weir_number_find(path, name, &kib) || kib == 0)
        return;
    weir_text_add(list, "%s%s: %s", list->length > 0 ? ", " : "", number,
                  weir_size_format(round_memory(kib * KIB), size));
}

static void find_numa_memory(const char *root, char *text, size_t bytes)
{
    struct weir_name_list nodes;
    struct weir_text list = {0};

    weir_name_list_open(&nodes, "%s/sys/devices/system/node", root);
    for (size_t i = 0; i < nodes.count; i++)
        if (is_numbered(nodes.entries[i]->d_name, "node"))
            add_numa_memory(root, nodes.entries[i]->d_name, &list);
    weir_name_list_close(&nodes);
    keep_list(text, bytes, weir_text_string(&list));
    weir_text_close(&list);
}

static void find_huge_policy(const char *root, char *policy, size_t bytes)
{
    char words[128];

    weir_small_file_line(words, sizeof words, "%s/sys/kernel/mm/transparent_hugepage/enabled",
                         root);
    weir_small_text_choice(policy, bytes, words);
}

static void describe_memory(const char *root, struct weir_node_facts *facts)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    uint64_t kib;

    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (weir_number_find(path, "MemTotal", &kib))
        facts->memory_bytes = round_memory(kib * KIB);
    if (weir_number_find(path, "Hugepagesize", &kib))
        facts->huge_page_bytes = kib * KIB;
    weir_number_find(path, "HugePages_Total", &facts->huge_pages);
    find_huge_policy(root, facts->transparent_huge_pages, sizeof facts->transparent_huge_pages);
    find_numa_memory(root, facts->numa_memory, sizeof facts->numa_memory);
}

/* ---- limits ---- */

static uint64_t own_limit(__rlimit_resource_t resource)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return WEIR_UNLIMITED;
    return limit.rlim_cur;
}

static uint64_t group_limit(const char *root, enum weir_group_limit kind)
{
    struct weir_limiting_group group;

    return weir_limiting_group_find(root, kind, &group) ? group.limit : WEIR_UNLIMITED;
}

static void describe_limits(const char *root, struct weir_node_facts *facts)
{
    facts->memory_limit_bytes = group_limit(root, WEIR_GROUP_MEMORY);
    facts->cpu_quota_permille = group_limit(root, WEIR_GROUP_CPU_QUOTA);
    facts->memlock_bytes = own_limit(RLIMIT_MEMLOCK);
    facts->open_files = own_limit(RLIMIT_NOFILE);
}

/* ---- networks ---- */

static bool is_up(const struct weir_nic_facts *nic)
{
    return strcmp(nic->state, "up") == 0 || strcmp(nic->state, "active") == 0;
}

/* Where there are more than are kept, those that are up. */
static void describe_networks(const char *root, struct weir_node_facts *facts)
{
    struct weir_network_ports ports;
    struct weir_nic_facts nic;

    weir_network_ports_find(root, &ports);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < ports.count && facts->nic_count < WEIR_NICS_KEPT; i++) {
            weir_network_port_describe(root, &ports.ports[i], &nic);
            if (is_up(&nic) == (turn == 0))
                facts->nics[facts->nic_count++] = nic;
        }
}

/* ---- all of it ---- */

void weir_environment_describe(const char *root, const struct weir_topology *topology,
                               struct weir_node_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    describe_software(root, facts);
    describe_processors(root, topology, facts);
    describe_memory(root, facts);
    describe_limits(root, facts);
    describe_networks(root, facts);
}

uint64_t weir_environment_machine(const char *root)
{
    char boot[64];

    if (!weir_small_file_line(boot, sizeof boot, "%s/proc/sys/kernel/random/boot_id", root))
        return 0;
    return weir_text_hash(boot, strlen(boot));
}

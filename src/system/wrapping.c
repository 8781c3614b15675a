/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for traces of containers and hypervisors that are visible from within. */
#include "wrapping.h"

#include "mounts.h"
#include "weir/base/text.h"
#include "weir/system/small_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- containers ---- */

/* Set by the runtime in every process that it starts. */
static const char *find_variable(const char *(*get)(const char *name))
{
    static const char *const variables[][2] = {
        {"APPTAINER_NAME", "apptainer"},
        {"SINGULARITY_NAME", "singularity"},
        {"CH_RUNNING", "charliecloud"},
        {"SHIFTER_RUNTIME", "shifter"},
    };

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = get(variables[i][0]);

        if (value != NULL && value[0] != '\0')
            return variables[i][1];
    }
    return NULL;
}

/* True if the file system at "/" is the whole of a block device: that is how machines are made, not
 * containers. */
static bool is_machine(const struct weir_mount *top)
{
    return strcmp(top->part, "/") == 0 && strncmp(top->source, "/dev/", 5) == 0;
}

/* Files that runtimes mount over those of the image. */
static const char *const given_files[] = {"/etc/resolv.conf", "/etc/hostname", "/etc/hosts"};
#define GIVEN_COUNT (sizeof given_files / sizeof *given_files)

static bool has_given_files(const char *root)
{
    struct weir_mount mount;

    for (size_t i = 0; i < GIVEN_COUNT; i++)
        if (weir_mount_find_at(root, given_files[i], &mount))
            return true;
    return false;
}

/* Files that runtimes put into a container. Images keep Docker's when a machine is made of them. */
static const char *find_mark(const char *root, const struct weir_mount *top)
{
    if (is_machine(top))
        return NULL;
    if (weir_small_file_is_there("%s/run/.containerenv", root))
        return "podman";
    if (weir_small_file_is_there("%s/.dockerenv", root) && has_given_files(root))
        return "docker";
    return NULL;
}

/* Where runtimes keep the files of containers, which the mounts within tell. */
static const char *find_store(const char *text)
{
    static const char *const stores[][2] = {
        {"/docker/", "docker"},
        {"/containers/storage/", "podman"},
        {"/kubelet/", "kubernetes"},
        {"containerd", "containerd"},
        {"/lxc/", "lxc"},
        {"/enroot/", "enroot"},
        {"/apptainer/", "apptainer"},
        {"/singularity/", "singularity"},
    };

    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (strstr(text, stores[i][0]) != NULL)
            return stores[i][1];
    return NULL;
}

static const char *find_mounts(const char *root, const struct weir_mount *top)
{
    const char *found = is_machine(top) ? NULL : find_store(top->part);
    struct weir_mount mount;

    if (found == NULL && strcmp(top->type, "overlay") == 0)
        found = find_store(top->super_options);
    for (size_t i = 0; i < GIVEN_COUNT && found == NULL; i++)
        if (weir_mount_find_at(root, given_files[i], &mount))
            found = find_store(mount.part);
    return found;
}

/* By the first name in the path of a control group that a runtime gives: "/docker/0a1b...",
 * "/system.slice/docker-0a1b....scope", but not "/system.slice/docker.service". */
static const char *find_name(const char *group)
{
    static const struct {
        const char *begin;
        const char *more; /* what may follow, but for the end of the name */
        const char *name;
    } names[] = {
        {"docker", "-", "docker"},       {"kubepods", ".-", "kubernetes"},
        {"libpod", "-_", "podman"},      {"podman", "-", "podman"},
        {"crio", "-", "cri-o"},          {"cri-containerd", "-", "containerd"},
        {"lxc.payload", ".", "lxc"},     {"lxc", "", "lxc"},
        {"apptainer", "-", "apptainer"}, {"singularity", "-", "singularity"},
    };

    for (const char *at = strchr(group, '/'); at != NULL; at = strchr(at + 1, '/'))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t length = strlen(names[i].begin);
            char next = strncmp(at + 1, names[i].begin, length) == 0 ? at[1 + length] : 'x';

            if (next == '\0' || next == '/' || next == '\n' || strchr(names[i].more, next) != NULL)
                return names[i].name;
        }
    return NULL;
}

static const char *find_group(const char *root, const char *process)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    const char *found = NULL;
    size_t capacity = 0;
    char *line = NULL;
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
    file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    while (found == NULL && getline(&line, &capacity, file) > 0)
        found = find_name(line);
    free(line);
    fclose(file);
    return found;
}

void weir_container_name(const char *root, const char *(*get)(const char *name), char *name,
                         size_t bytes)
{
    const char *found = find_variable(get);
    struct weir_mount top = {0};

    weir_mount_find_at(root, "/", &top);
    /* Written by systemd, if it runs in the container, or by its runtime. */
    if (found == NULL && weir_small_file_line(name, bytes, "%s/run/systemd/container", root))
        return;
    if (found == NULL)
        found = find_mark(root, &top);
    if (found == NULL)
        found = find_group(root, "self");
    if (found == NULL)
        found = find_group(root, "1");
    if (found == NULL)
        found = find_mounts(root, &top);
    weir_small_text_copy(name, bytes, found != NULL ? found : "");
}

/* ---- hypervisors ---- */

/* The machine's name in the firmware. Vendors that sell machines without a hypervisor under the
 * same name need another sign. */
static const char *find_product(const char *root, bool has_flag)
{
    static const struct {
        const char *vendor;
        const char *product; /* "": any */
        const char *name;
        bool needs_flag;
    } products[] = {
        {"QEMU", "", "qemu", false},
        {"", "KVM", "kvm", false},
        {"VMware", "", "vmware", false},
        {"innotek", "", "virtualbox", false},
        {"", "VirtualBox", "virtualbox", false},
        {"Xen", "", "xen", false},
        {"Microsoft", "Virtual Machine", "hyper-v", false},
        {"Parallels", "", "parallels", false},
        {"BHYVE", "", "bhyve", false},
        {"Bochs", "", "bochs", false},
        {"OpenStack", "", "openstack", false},
        {"Apple", "Apple Virtualization", "apple", false},
        {"Google", "", "google", true},
        {"Amazon EC2", "", "amazon", true},
        {"Alibaba", "", "alibaba", true},
    };
    char vendor[96], product[96];

    weir_small_file_line(vendor, sizeof vendor, "%s/sys/class/dmi/id/sys_vendor", root);
    weir_small_file_line(product, sizeof product, "%s/sys/class/dmi/id/product_name", root);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (weir_text_begins(vendor, products[i].vendor) &&
            weir_text_begins(product, products[i].product) && (has_flag || !products[i].needs_flag))
            return products[i].name;
    return NULL;
}

/* A clock of a hypervisor is offered only on it. */
static const char *find_clock(const char *root)
{
    static const char *const clocks[][2] = {
        {"kvm-clock", "kvm"},
        {"hyperv", "hyper-v"},
        {"xen", "xen"},
    };
    char offered[256];

    weir_small_file_line(offered, sizeof offered,
                         "%s/sys/devices/system/clocksource/clocksource0/available_clocksource",
                         root);
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strstr(offered, clocks[i][0]) != NULL)
            return clocks[i][1];
    return NULL;
}

/* On POWER and ARM: "linux,kvm". */
static const char *find_device_tree(const char *root)
{
    char compatible[96];

    weir_small_file_line(compatible, sizeof compatible, "%s/proc/device-tree/hypervisor/compatible",
                         root);
    if (strstr(compatible, "kvm") != NULL)
        return "kvm";
    return strstr(compatible, "xen") != NULL ? "xen" : NULL;
}

static bool has_processor_flag(const char *root)
{
    char path[WEIR_ROOTED_PATH_BYTES], flags[PATH_MAX];
    const char *at;

    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    weir_small_file_field(path, "flags", flags, sizeof flags);
    at = strstr(flags, "hypervisor");
    return at != NULL && strchr(" ", at[strlen("hypervisor")]) != NULL;
}

/* The first domain of Xen has the hardware. */
static bool is_first_domain(const char *root)
{
    char abilities[64];

    weir_small_file_line(abilities, sizeof abilities, "%s/proc/xen/capabilities", root);
    return strstr(abilities, "control_d") != NULL;
}

void weir_hypervisor_name(const char *root, char *name, size_t bytes)
{
    const bool has_flag = has_processor_flag(root);
    const char *found;

    weir_small_text_copy(name, bytes, "");
    if (is_first_domain(root) || weir_small_file_line(name, bytes, "%s/sys/hypervisor/type", root))
        return;
    found = find_clock(root);
    if (found == NULL)
        found = find_device_tree(root);
    if (found == NULL)
        found = find_product(root, has_flag);
    if (found == NULL)
        found = has_flag ? "unnamed" : "";
    weir_small_text_copy(name, bytes, found);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* All verdicts on RDMA. */
#include "kernel_files.h"
#include "subjects.h"
#include "weir/fabric/fabric.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- ports ---- */

/* Ports have numbers ("mlx5_0/1"), network devices have none: IP over InfiniBand is one. */
static bool is_rdma(const struct weir_nic_facts *nic)
{
    return strchr(nic->name, '/') != NULL;
}

static void describe_port(const struct weir_nic_facts *nic, struct weir_text *text)
{
    weir_text_add(text, "%s, %s", nic->kind, nic->state[0] != '\0' ? nic->state : "state not told");
    if (nic->bits_per_s > 0)
        weir_text_add(text, ", %g Gbit/s", (double)nic->bits_per_s / 1e9);
    if (nic->driver[0] != '\0')
        weir_text_add(text, ", driver %s", nic->driver);
    if (nic->numa_node != WEIR_NUMA_UNKNOWN)
        weir_text_add(text, ", NUMA node %d", nic->numa_node);
}

/* An InfiniBand port gets its address from a subnet manager; the others live on a network device.
 */
static void tell_way_up(struct weir_diagnosis *diagnosis, const struct weir_nic_facts *nic)
{
    if (strcmp(nic->kind, "infiniband") != 0)
        weir_diagnosis_help(diagnosis, "rdma link names the network device behind it; as root: ip "
                                       "link set DEVICE up");
    else if (strcmp(nic->state, "init") == 0 || strcmp(nic->state, "armed") == 0)
        weir_diagnosis_help(diagnosis, "the port waits for a subnet manager: start opensm on one "
                                       "node of the fabric, or look after the switch's");
    else
        weir_diagnosis_help(diagnosis, "look at the cable and the switch: ibstat tells the "
                                       "physical state");
}

static void tell_port(const struct weir_examination *examination, const struct weir_nic_facts *nic)
{
    bool is_up = strcmp(nic->state, "active") == 0;
    struct weir_text text = {0};

    describe_port(nic, &text);
    weir_diagnosis_add(examination->diagnosis, is_up ? WEIR_GOOD : WEIR_LIMITED, nic->name, NULL,
                       "%s", weir_text_string(&text));
    if (!is_up)
        tell_way_up(examination->diagnosis, nic);
    weir_text_close(&text);
}

/* ---- the way to them from programs ---- */

/* The first of /dev/infiniband/uverbs*; false if there is none. */
static bool find_verbs_device(const char *root, char path[2 * PATH_MAX])
{
    char directory[PATH_MAX];
    const struct dirent *entry;
    bool is_found = false;
    DIR *names;

    snprintf(directory, sizeof directory, "%s/dev/infiniband", root);
    names = opendir(directory);
    while (names != NULL && !is_found && (entry = readdir(names)) != NULL) {
        is_found = strncmp(entry->d_name, "uverbs", 6) == 0;
        if (is_found)
            snprintf(path, 2 * PATH_MAX, "%s/%s", directory, entry->d_name);
    }
    if (names != NULL)
        closedir(names);
    return is_found;
}

static void tell_verbs(const struct weir_examination *examination)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;
    char path[2 * PATH_MAX];

    if (!find_verbs_device(examination->root, path)) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "verbs", NULL,
                           "there is no /dev/infiniband/uverbs..., by which programs reach the "
                           "devices");
        weir_diagnosis_help(diagnosis, examination->node->container[0] != '\0'
                                           ? "start the container with --device /dev/infiniband "
                                             "(Docker, Podman)"
                                           : "as root: modprobe ib_uverbs");
    } else if (access(path, R_OK | W_OK) != 0) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "verbs", NULL,
                           "%s may not be opened by this user: %s", path, strerror(errno));
        weir_diagnosis_help(diagnosis, "as root: chmod a+rw %s, and a rule of udev to keep it so",
                            path);
    } else {
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "verbs", NULL,
                           "programs may open the devices (%s)", path);
    }
}

/* ---- all of it ---- */

static void tell_missing(struct weir_diagnosis *diagnosis)
{
    weir_diagnosis_add(diagnosis, WEIR_MISSING, "RDMA", NULL,
                       "this node has no RDMA device (/sys/class/infiniband)");
    weir_diagnosis_help(diagnosis,
                        "lspci (of pciutils) shows adapters that want a driver, such as mlx5_ib");
    weir_diagnosis_help(diagnosis,
                        "in software, where the kernel has the module rdma_rxe, as root: modprobe "
                        "rdma_rxe && rdma link add rxe0 type rxe netdev DEVICE");
}

void weir_examine_rdma(const struct weir_examination *examination)
{
    const struct weir_node_facts *node = examination->node;
    unsigned count = 0;

    for (uint32_t i = 0; i < node->nic_count; i++) {
        if (!is_rdma(&node->nics[i]))
            continue;
        tell_port(examination, &node->nics[i]);
        count++;
    }
    if (count > 0)
        tell_verbs(examination);
    else
        tell_missing(examination->diagnosis);
    /* They ask this host, and not one that was described as files. */
    if (examination->root[0] == '\0')
        weir_fabric_diagnose(examination->diagnosis);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the page: the host, its subjects one by one, and its picture. */
#include "weir/doctor/doctor.h"

#include "picture.h"
#include "subjects.h"

#include "weir/base/version.h"
#include "weir/system/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *heading;
    void (*examine)(const struct weir_examination *examination);
} subjects[] = {
    {"Moving data", weir_examine_backends},
    {"Target", weir_examine_target},
    {"Page cache", weir_examine_page_cache},
    {"Evidence of a run on the target", weir_examine_evidence},
    {"Memory", weir_examine_memory},
    {"Memory", weir_examine_locking},
    {"Memory", weir_examine_page_places},
    {"Processors and time", weir_examine_processors},
    {"Processors and time", weir_examine_clock},
    {"RDMA", weir_examine_rdma},
    {"Starting ranks", weir_examine_launch},
};

static void examine(const struct weir_doctor_params *params, const struct weir_node_facts *node,
                    struct weir_diagnosis *diagnosis)
{
    const struct weir_examination examination = {
        .root = params->root,
        .path = params->path,
        .rank_count = params->rank_count,
        .registry = params->registry,
        .diagnosis = diagnosis,
        .node = node,
        .mismatch = params->mismatch,
        .is_in_job = getenv("SLURM_JOB_ID") != NULL,
    };

    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        weir_diagnosis_begin(diagnosis, subjects[i].heading);
        subjects[i].examine(&examination);
    }
}

static int check_path(const char *path, struct weir_error *error)
{
    struct stat facts;

    if (path == NULL || stat(path, &facts) == 0)
        return 0;
    return weir_error_usage(error, "doctor",
                            "%s: %s: name a directory, a file or a device that is there", path,
                            strerror(errno));
}

int weir_doctor_examine(const struct weir_doctor_params *params, struct weir_diagnosis *diagnosis,
                        struct weir_error *error)
{
    struct weir_node_facts node = {0};
    int rc = check_path(params->path, error);

    if (rc < 0)
        return rc;
    weir_environment_describe(params->root, NULL, &node);
    examine(params, &node, diagnosis);
    return 0;
}

static void add_part(struct weir_text *text, const char *before, const char *part)
{
    if (part[0] != '\0')
        weir_text_add(text, "%s%s", before, part);
}

static void tell_host(const struct weir_node_facts *node, struct weir_text *text)
{
    struct weir_host_facts host;

    weir_host_describe(&host);
    weir_text_add(text, "weir doctor " WEIR_VERSION ": ");
    weir_text_add_visible(text, host.node);
    add_part(text, ", ", node->distribution);
    add_part(text, ", ", node->kernel);
    add_part(text, ", a guest of ", node->hypervisor);
    add_part(text, ", in a container: ", node->container);
    weir_text_add(text, "\n");
}

/* A host that hwloc cannot read has verdicts all the same. */
static int tell_all(const struct weir_doctor_params *params, struct weir_topology *topology,
                    const struct weir_error *no_topology, struct weir_text *text,
                    struct weir_error *error)
{
    struct weir_diagnosis diagnosis = {0};
    struct weir_node_facts node = {0};

    weir_environment_describe(params->root, topology, &node);
    tell_host(&node, text);
    examine(params, &node, &diagnosis);
    weir_doctor_write_page(&diagnosis, text);
    weir_diagnosis_close(&diagnosis);
    weir_text_add(text, "\n");
    if (topology != NULL)
        return weir_doctor_draw(params, topology, text, error);
    weir_text_add(text, "no picture of this host: %s\n", no_topology->text);
    return 0;
}

int weir_doctor_write(const struct weir_doctor_params *params, struct weir_text *text,
                      struct weir_error *error)
{
    const struct weir_topology_source source = {0};
    struct weir_topology *topology = NULL;
    struct weir_error no_topology = {0};
    int rc = check_path(params->path, error);

    if (rc < 0)
        return rc;
    weir_topology_open(&source, &topology, &no_topology);
    rc = tell_all(params, topology, &no_topology, text, error);
    weir_topology_close(topology);
    return rc;
}

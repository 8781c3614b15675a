/* SPDX-License-Identifier: Apache-2.0 */
/* The needs of policies beside a topology: the text of a rankfile, and the devices behind a
 * target. */
#include "weir/system/bindings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- the rankfile ---- */

static int read_text(FILE *file, struct weir_text *text)
{
    char part[4096];
    size_t count;

    errno = 0;
    while ((count = fread(part, 1, sizeof part, file)) > 0 &&
           text->length <= WEIR_RANKFILE_BYTES_MAX)
        weir_text_add_bytes(text, part, count);
    return ferror(file) ? (errno != 0 ? -errno : -EIO) : 0;
}

int weir_bindings_read_rankfile(const char *path, struct weir_text *text, struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    int code = file != NULL ? read_text(file, text) : -errno;

    if (file != NULL)
        fclose(file);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "--pin",
                              "%s: the rankfile cannot be read: %s", path, strerror(-code));
    if (text->length > WEIR_RANKFILE_BYTES_MAX)
        return weir_error_usage(error, "--pin",
                                "%s: more than %u MiB are no rankfile: it has a line for each rank",
                                path, (unsigned)(WEIR_RANKFILE_BYTES_MAX >> 20));
    if (weir_text_zero_line(text) != 0)
        return weir_error_usage(error, "--pin",
                                "%s:%zu: is no text: there is a zero byte in this line", path,
                                weir_text_zero_line(text));
    return 0;
}

/* ---- devices ---- */

/* All devices with a known attachment, at whichever level: the parts of a volume may end at
 * different ones, and the volume itself has none. */
static unsigned list_located(const struct weir_storage_facts *storage,
                             const struct weir_topology *topology, struct weir_binding_needs *needs)
{
    struct weir_cpu_set cpus;
    unsigned count = 0;

    for (uint32_t i = 0; i < storage->device_count; i++) {
        const struct weir_device_facts *device = &storage->devices[i];

        if (!device->is_partition && weir_topology_near(topology, device->name, &cpus) == 0)
            needs->devices[count++] = device->name;
    }
    return count;
}

/* Devices without a location are named all the same, so that the refusal can name them. */
static void list_lowest(const struct weir_storage_facts *storage, struct weir_binding_needs *needs)
{
    uint32_t lowest = 0;
    unsigned count = 0;

    for (uint32_t i = 0; i < storage->device_count; i++)
        if (!storage->devices[i].is_partition && storage->devices[i].level > lowest)
            lowest = storage->devices[i].level;
    for (uint32_t i = 0; i < storage->device_count; i++)
        if (!storage->devices[i].is_partition && storage->devices[i].level == lowest)
            needs->devices[count++] = storage->devices[i].name;
}

const char *const *weir_bindings_devices(const struct weir_topology *topology,
                                         const struct weir_storage_facts *storage,
                                         struct weir_binding_needs *needs)
{
    *needs = (struct weir_binding_needs){0};
    if (storage->is_network)
        needs->devices[0] = weir_topology_standard_nic(topology);
    else if (list_located(storage, topology, needs) == 0)
        list_lowest(storage, needs);
    return needs->devices[0] != NULL ? needs->devices : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A rankfile is read once for all; devices are those at the lower end of the chain. */
#include "seat_request.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rankfile ---- */

static int refuse(const char *path, int code, struct weir_error *error)
{
    return weir_error_set(error, WEIR_EXIT_USAGE, code, "--pin rankfile", "%s: %s", path,
                          strerror(-code));
}

/* The file as a string of `*bytes` bytes with its NUL. */
static int read_text(FILE *file, const char *path, char **text, uint64_t *bytes,
                     struct weir_error *error)
{
    char *read = calloc(1, WEIR_RANKFILE_BYTES_MAX + 1);
    size_t count;

    if (read == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    *text = read;
    errno = 0;
    count = fread(read, 1, WEIR_RANKFILE_BYTES_MAX + 1, file);
    if (ferror(file))
        return refuse(path, errno != 0 ? -errno : -EIO, error);
    if (count > WEIR_RANKFILE_BYTES_MAX)
        return weir_error_usage(error, "--pin rankfile",
                                "%s: more than %u KiB are no rankfile: it has a line for each rank",
                                path, (unsigned)(WEIR_RANKFILE_BYTES_MAX / 1024));
    read[count] = '\0';
    if (memchr(read, '\0', count) != NULL)
        return weir_error_usage(error, "--pin rankfile", "%s: this is no text", path);
    *bytes = count + 1;
    return 0;
}

static int read_file(const char *path, char **text, uint64_t *bytes, struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    int code;

    if (file == NULL)
        return refuse(path, -errno, error);
    code = read_text(file, path, text, bytes, error);
    fclose(file);
    return code;
}

/* `bytes` of rank 0's text, to all. */
static int share_text(struct weir_run *run, char **text, uint64_t bytes, struct weir_error *error)
{
    int code = weir_run_share(run, &bytes);

    if (code == 0 && run->group->rank != 0)
        *text = malloc(bytes);
    if (weir_group_any(run->group, code != 0 || *text == NULL))
        code = code != 0 ? code : -ENOMEM;
    if (code == 0)
        code = weir_group_broadcast(run->group, *text, bytes, 0);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "--pin rankfile",
                       "the ranks cannot share it: %s", strerror(-code));
    return weir_group_agree(run->group, error);
}

int weir_seat_read_rankfile(struct weir_run *run, char **text, struct weir_error *error)
{
    const struct weir_pinning *pinning = &run->test->pinning;
    char *mine = NULL;
    uint64_t bytes = 0;

    if (pinning->policy != WEIR_PIN_RANKFILE)
        return 0;
    assert(pinning->rankfile_path != NULL);
    if (run->group->rank == 0)
        read_file(pinning->rankfile_path, &mine, &bytes, error);
    if (weir_group_agree(run->group, error) == 0)
        share_text(run, &mine, bytes, error);
    if (weir_error_is_set(error))
        free(mine);
    else
        *text = mine;
    return error->code;
}

/* ---- devices ---- */

/* All that is attached somewhere, at whichever level: the parts of a volume may end at different
 * ones, and the volume itself is nowhere. */
static unsigned list_located(const struct weir_storage_facts *storage,
                             const struct weir_topology *topology, struct weir_seat_needs *needs)
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

/* What cannot be located is named all the same, so that the refusal can tell of it. */
static unsigned list_lowest(const struct weir_storage_facts *storage, struct weir_seat_needs *needs)
{
    uint32_t lowest = 0;
    unsigned count = 0;

    for (uint32_t i = 0; i < storage->device_count; i++)
        if (!storage->devices[i].is_partition && storage->devices[i].level > lowest)
            lowest = storage->devices[i].level;
    for (uint32_t i = 0; i < storage->device_count; i++)
        if (!storage->devices[i].is_partition && storage->devices[i].level == lowest)
            needs->devices[count++] = storage->devices[i].name;
    return count;
}

const char *const *weir_seat_devices(const struct weir_storage_facts *storage,
                                     const struct weir_topology *topology,
                                     struct weir_seat_needs *needs)
{
    *needs = (struct weir_seat_needs){0};
    if (storage->is_network) {
        needs->devices[0] = weir_topology_standard_nic(topology);
    } else if (list_located(storage, topology, needs) == 0) {
        list_lowest(storage, needs);
    }
    return needs->devices[0] != NULL ? needs->devices : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel which mount or process uses a device, and libblkid for its content. */
#include "weir/system/block_device.h"

#include "weir/base/text.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* Another rank on this host may look at the same moment. */
#define CLAIM_ATTEMPTS 50
#define CLAIM_PAUSE_NS 4000000

static int find_number(const char *path, uint64_t *number)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return -errno;
    if (!S_ISBLK(facts.st_mode))
        return -ENOTBLK;
    *number = facts.st_rdev;
    return 0;
}

int weir_block_device_find(const char *path, struct weir_block_device *device)
{
    struct weir_block_device found = {0};
    int code = find_number(path, &found.number);
    off_t end;
    int fd;

    if (code != 0)
        return code;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    end = lseek(fd, 0, SEEK_END);
    if (end < 0)
        code = -errno;
    close(fd);
    if (code != 0)
        return code;
    found.bytes = (uint64_t)end;
    *device = found;
    return 0;
}

/* ---- who uses it ---- */

/* 0 if this process could have had it alone; -EBUSY, or -errno. The kernel refuses it also where
 * only a partition of the device is taken. */
static int claim(const char *path)
{
    int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

static int claim_patiently(const char *path)
{
    const struct timespec pause = {.tv_nsec = CLAIM_PAUSE_NS};
    int code = claim(path);

    for (int attempt = 1; code == -EBUSY && attempt < CLAIM_ATTEMPTS; attempt++) {
        nanosleep(&pause, NULL);
        code = claim(path);
    }
    return code;
}

/* A line of mountinfo: id, parent, major:minor, root, mount point, ... */
static bool read_mount(const char *line, uint64_t number, char where[WEIR_DEVICE_TEXT_BYTES])
{
    unsigned major_number, minor_number;
    char point[WEIR_DEVICE_TEXT_BYTES];

    if (sscanf(line, "%*d %*d %u:%u %*s %319s", &major_number, &minor_number, point) != 3 ||
        makedev(major_number, minor_number) != number)
        return false;
    snprintf(where, WEIR_DEVICE_TEXT_BYTES, "%s", point);
    weir_text_make_visible(where, "");
    return true;
}

static void find_mount(uint64_t number, char where[WEIR_DEVICE_TEXT_BYTES])
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t capacity = 0;

    if (mounts == NULL)
        return;
    while (getline(&line, &capacity, mounts) > 0)
        if (read_mount(line, number, where))
            break;
    free(line);
    fclose(mounts);
}

int weir_block_device_is_used(const char *path, char where[WEIR_DEVICE_TEXT_BYTES])
{
    uint64_t number = 0;
    int code = find_number(path, &number);

    where[0] = '\0';
    if (code != 0)
        return code;
    find_mount(number, where);
    if (where[0] != '\0')
        return 1;
    code = claim_patiently(path);
    return code == -EBUSY ? 1 : code;
}

/* ---- what is on it ---- */

static const char *value_of(blkid_probe probe, const char *name)
{
    const char *value = NULL;

    return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : NULL;
}

static const char *kind_of(const char *usage)
{
    static const char *const kinds[][2] = {
        {"filesystem", " file system"},
        {"raid", " volume"},
        {"crypto", " encrypted volume"},
    };

    for (size_t i = 0; usage != NULL && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(usage, kinds[i][0]) == 0)
            return kinds[i][1];
    return "";
}

static void name_signature(blkid_probe probe, char what[WEIR_DEVICE_TEXT_BYTES])
{
    const char *type = value_of(probe, "TYPE");
    const char *label = value_of(probe, "LABEL");
    const char *table = value_of(probe, "PTTYPE");

    if (type != NULL)
        snprintf(what, WEIR_DEVICE_TEXT_BYTES, "%s%s%s%s", type, kind_of(value_of(probe, "USAGE")),
                 label != NULL ? " labelled " : "", label != NULL ? label : "");
    else
        snprintf(what, WEIR_DEVICE_TEXT_BYTES, "%s partition table",
                 table != NULL ? table : "unknown");
    weir_text_make_visible(what, "");
}

/* Of several that contradict each other, each one alone is reason enough. */
static int probe_all(blkid_probe probe, char what[WEIR_DEVICE_TEXT_BYTES])
{
    int found;

    blkid_probe_enable_superblocks(probe, 1);
    blkid_probe_set_superblocks_flags(probe,
                                      BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_USAGE);
    blkid_probe_enable_partitions(probe, 1);
    errno = 0;
    found = blkid_do_probe(probe);
    if (found < 0)
        return errno != 0 ? -errno : -EIO;
    if (found == 0)
        name_signature(probe, what);
    return 0;
}

int weir_block_device_signature(const char *path, char what[WEIR_DEVICE_TEXT_BYTES])
{
    blkid_probe probe;
    int code;

    what[0] = '\0';
    errno = 0;
    probe = blkid_new_probe_from_filename(path);
    if (probe == NULL)
        return errno != 0 ? -errno : -EIO;
    code = probe_all(probe, what);
    blkid_free_probe(probe);
    return code;
}

int weir_block_device_check_empty(const char *path, struct weir_error *error)
{
    char what[WEIR_DEVICE_TEXT_BYTES];
    int code = weir_block_device_signature(path, what);

    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "device",
                              "%s: what is on it cannot be told: %s", path, strerror(-code));
    if (what[0] == '\0')
        return 0;
    return weir_error_set(error, WEIR_EXIT_USAGE, -EEXIST, "device",
                          "%s carries a signature of others: %s: name another device or a file; if "
                          "all that is on it may be lost, wipefs -a %s takes the signature away",
                          path, what, path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Block devices of the host. Nothing is written: they are opened as mkfs would do it first, which
 * the kernel refuses if something uses them or a part of them. */
#include "sources.h"

#include "weir/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Memory, and media that may be slow to answer that there are none. */
static bool is_storage(const struct dirent *entry)
{
    static const char *const others[] = {".", "ram", "zram", "sr", "fd", "nbd"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (weir_text_begins(entry->d_name, others[i]))
            return false;
    return true;
}

static bool has_bytes(struct weir_arena *arena, const char *name)
{
    char digits[32] = "";
    int fd = open(weir_arena_printf(arena, "/sys/block/%s/size", name), O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, digits, sizeof digits - 1) : 0;

    if (fd >= 0)
        close(fd);
    return length > 0 && strtoull(digits, NULL, 10) > 0;
}

static void add_device(struct weir_arena *arena, struct weir_target_sources *sources,
                       const char *name)
{
    const char *path = weir_arena_printf(arena, "/dev/%s", name);
    int fd = open(path, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0) {
        close(fd);
        weir_targets_add(arena, sources, &(struct weir_target_source){.name = path, .path = path});
        return;
    }
    weir_targets_remark(
        arena, sources,
        weir_arena_printf(arena, "--devices: %s is left out: %s", path,
                          errno == EBUSY ? "it, or a part of it, is in use" : strerror(errno)));
}

/* One rank of a host after the other: what one has open, the kernel would tell others is in use.
 * -1: they are not held back. */
static int take_turn(void)
{
    int fd = open("/sys/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return fd;
}

int weir_targets_list_devices(struct weir_arena *arena, struct weir_target_sources *sources,
                              const char *place, struct weir_error *error)
{
    struct dirent **entries;
    int count = scandir("/sys/block", &entries, NULL, alphasort), turn;

    if (count < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, place,
                              "--devices: /sys/block: %s", strerror(errno));
    turn = take_turn();
    for (int i = 0; i < count; i++) {
        if (is_storage(entries[i]) && has_bytes(arena, entries[i]->d_name))
            add_device(arena, sources, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (turn >= 0)
        close(turn);
    if (sources->count > 0)
        return 0;
    return weir_error_usage(error, place,
                            "--devices: none of this host's devices is free to be read%s%s; name "
                            "them: weir targets --devices PATH...",
                            sources->remark_count > 0 ? "; " : "",
                            sources->remark_count > 0 ? sources->remarks[0] : "");
}

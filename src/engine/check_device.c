/* SPDX-License-Identifier: Apache-2.0 */
/* A device has no name of ours and no stamp that says whose it is, so what speaks against using it
 * is asked of the kernel and of libblkid. Nothing is written here. */
#include "check_device.h"

#include "weir/base/remedy.h"
#include "weir/system/block_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct device_check {
    struct weir_run *run;
    const struct weir_phase *phase;
    char path[WEIR_PATH_BYTES];
    struct weir_block_device device;
    struct weir_error *error;
};

#define REFUSE(check, ...)                                                                         \
    weir_error_usage((check)->error, (check)->run->backend->descriptor.name, __VA_ARGS__)

static unsigned long long number(uint64_t value)
{
    return value;
}

/* The same question on every rank. */
static int check_count(const struct device_check *check)
{
    const struct weir_target *target = check->phase->target;
    int ranks = check->run->group->size;

    if (target->is_shared || (size_t)ranks <= target->path_count)
        return 0;
    return REFUSE(check,
                  "%d ranks need as many devices of their own, and " WEIR_REMEDY_PATH
                  " lists %zu: list one for each "
                  "rank with @ between them, use fewer ranks, or let them share one "
                  "without " WEIR_REMEDY_FILE_PER_RANK,
                  ranks, target->path_count);
}

static int find_device(struct device_check *check)
{
    int code = weir_block_device_find(check->path, &check->device);

    if (code == -ENOTBLK)
        return REFUSE(check,
                      "%s is not a block device: leave " WEIR_REMEDY_DEVICE " out if it is a file",
                      check->path);
    if (code != 0)
        return REFUSE(check, "device %s cannot be opened: %s", check->path, strerror(-code));
    return 0;
}

static int check_size(const struct device_check *check)
{
    const struct weir_phase *phase = check->phase;
    uint64_t needed = weir_layout_bytes_per_rank(&phase->transfers.layout) *
                      (phase->target->is_shared ? (uint64_t)check->run->group->size : 1);

    if (!weir_verb_moves_data(phase->verb) || needed <= check->device.bytes)
        return 0;
    return REFUSE(check,
                  "device %s has %llu bytes, and the test takes %llu of it: move less "
                  "(" WEIR_REMEDY_LESS_DATA "), or use fewer ranks",
                  check->path, number(check->device.bytes), number(needed));
}

/* Two names of one device: two ranks would write the same blocks. */
static int check_alone(const struct device_check *check)
{
    const struct weir_group *group = check->run->group;
    uint64_t *numbers;
    int code;

    if (check->phase->target->is_shared)
        return 0;
    code = weir_run_collect(check->run, check->device.number, &numbers);
    if (code != 0)
        return weir_error_set(check->error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                              "ranks cannot tell each other their devices: %s", strerror(-code));
    for (int rank = 0; rank < group->rank; rank++)
        if (group->node_of_rank[rank] == group->node && numbers[rank] == check->device.number)
            REFUSE(check, "%s is the device of rank %d by another name: list each device once",
                   check->path, rank);
    free(numbers);
    return check->error->code;
}

static int check_use(const struct device_check *check)
{
    char where[WEIR_DEVICE_TEXT_BYTES];
    int used = weir_block_device_is_used(check->path, where);

    if (used < 0)
        return REFUSE(check, "device %s: whether it is in use cannot be told: %s", check->path,
                      strerror(-used));
    if (used == 0)
        return 0;
    if (where[0] != '\0')
        return REFUSE(check,
                      "device %s is in use: it is mounted at %s: unmount it, or choose another "
                      "one; " WEIR_REMEDY_DEVICE_FORCE " would write over it all the same",
                      check->path, where);
    return REFUSE(
        check,
        "device %s is in use: it, or a part of it, is held as swap space, by a volume, a "
        "RAID, a mounted file system or a program: choose another one; " WEIR_REMEDY_DEVICE_FORCE
        " would write over it all the same",
        check->path);
}

static int check_content(const struct device_check *check)
{
    char what[WEIR_DEVICE_TEXT_BYTES];
    int code = weir_block_device_signature(check->path, what);

    if (code != 0)
        return REFUSE(check, "device %s: what is on it cannot be told: %s", check->path,
                      strerror(-code));
    if (what[0] == '\0')
        return 0;
    return REFUSE(check,
                  "device %s carries a signature of others: %s: choose another one, or allow the "
                  "loss of everything on it with " WEIR_REMEDY_DEVICE_FORCE,
                  check->path, what);
}

/* Each node may have mounted a device that they share. */
static bool answers_for_device(const struct device_check *check)
{
    return !check->phase->target->is_shared || check->run->group->node_rank == 0;
}

static int check_loss(const struct device_check *check)
{
    int code;

    if (!weir_verb_writes(check->phase->verb) || check->run->test->may_take_used_device ||
        !answers_for_device(check))
        return 0;
    code = check_use(check);
    return code != 0 ? code : check_content(check);
}

int weir_check_device(struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error)
{
    struct device_check check = {.run = run, .phase = phase, .error = error};

    if (!phase->target->is_device || run->backend->names == NULL)
        return 0;
    if (check_count(&check) != 0)
        return error->code;
    weir_run_path(run, phase->target, (uint64_t)run->group->rank, check.path);
    find_device(&check);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    check_size(&check);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    check_alone(&check);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    check_loss(&check);
    return weir_group_agree(run->group, error);
}

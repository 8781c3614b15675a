/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of IOR's options that mean nothing: what IOR itself refuses, as far as it applies,
 * and a little more. */
#include "ior_check.h"

#include <inttypes.h>
#include <strings.h>

/* IOR's data are 8-byte words. */
#define WORD_BYTES 8

struct check {
    const struct weir_ior_config *ior;
    enum weir_payload_mode payload_mode;
    const char *place;
    struct weir_error *error;
};

#define REFUSE(check, ...) weir_error_usage((check)->error, (check)->place, __VA_ARGS__)

static int check_sizes(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;
    const int64_t block = ior->block_bytes, transfer = ior->transfer_bytes;

    if (transfer == 0)
        return REFUSE(check, "-t: transfer size is 0; it must be a multiple of %d", WORD_BYTES);
    if (transfer % WORD_BYTES != 0)
        return REFUSE(check,
                      "-t: transfer size %" PRId64
                      " is not a multiple of %d, the size of a word of data",
                      transfer, WORD_BYTES);
    if (block % transfer != 0)
        return REFUSE(check,
                      "-b: block size %" PRId64 " is not a multiple of transfer size %" PRId64,
                      block, transfer);
    if (block < transfer)
        return REFUSE(check, "-b: block size %" PRId64 " is smaller than transfer size %" PRId64,
                      block, transfer);
    if (ior->segment_count == 0)
        return REFUSE(check, "-s: segment count is 0; at least 1 is needed");
    return 0;
}

static int check_counts(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;

    if (ior->repetitions < 1)
        return REFUSE(check, "-i: %" PRId64 " repetitions; at least 1 is needed", ior->repetitions);
    if (ior->task_count == 0 || ior->task_count < -1)
        return REFUSE(check, "-N: %" PRId64 " tasks; at least 1 is needed (all of them are -N -1)",
                      ior->task_count);
    if (ior->signature < INT32_MIN || ior->signature > UINT32_MAX)
        return REFUSE(check, "-G: %" PRId64 " has more than 32 bits", ior->signature);
    return 0;
}

static int check_verification(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;
    const char *option = ior->check_read ? "-R" : "-W";

    if (!ior->check_read && !ior->check_write)
        return 0;
    /* IOR asks for -G here; our stamps say themselves what they were written with, but for the
     * smallest. */
    if (!ior->write_file && ior->signature == 0 && ior->transfer_bytes < 64)
        return REFUSE(
            check,
            "%s: transfers below 64 bytes carry no stamp: without -w there must be -G with "
            "the seed that the data were written with",
            option);
    if (check->payload_mode == WEIR_PAYLOAD_NONE)
        return REFUSE(check,
                      "%s: data written with --data none cannot be verified; use --data "
                      "stamp",
                      option);
    if (ior->random_offset > 1 && weir_ior_does_write(ior))
        return REFUSE(check, "-z -z: data written at random positions, twice or never, cannot be "
                             "verified; use -z once");
    return 0;
}

static int check_order(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;

    if (ior->reorder_tasks && ior->reorder_tasks_random)
        return REFUSE(check, "-Z: tasks are reordered either by -C or by -Z");
    if (ior->reorder_tasks_random && ior->reorder_tasks_random_seed < 0)
        return REFUSE(check,
                      "-X: seed %" PRId64
                      " asks for another order in each repetition, which is not built; "
                      "give a seed of 0 or more",
                      ior->reorder_tasks_random_seed);
    /* In a shared file there are still the transfers of the other tasks to choose from. */
    if (ior->random_offset == 1 && ior->file_per_process && ior->block_bytes == ior->transfer_bytes)
        return REFUSE(check,
                      "-z: with a block size of one transfer (%" PRId64
                      " bytes) there is nothing to shuffle; use -z -z or larger blocks",
                      ior->block_bytes);
    return 0;
}

static int check_stop(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;

    if (ior->wear_out && ior->deadline_ns == 0)
        return REFUSE(check, "stoneWallingWearOut: there is no deadline to wear out; give -D");
    if (ior->status_path && !ior->keep_file)
        return REFUSE(check,
                      "stoneWallingStatusFile: a count is of no use without its file; give -k");
    if (ior->status_path && weir_ior_does_write(ior) && !ior->wear_out)
        return REFUSE(check, "stoneWallingStatusFile: tasks have no common count of transfers "
                             "to store; give -O stoneWallingWearOut=1");
    return 0;
}

int weir_ior_check(const struct weir_ior_config *ior, enum weir_payload_mode payload_mode,
                   const char *place, struct weir_error *error)
{
    static int (*const checks[])(const struct check *) = {
        check_sizes, check_counts, check_verification, check_order, check_stop};
    const struct check check = {ior, payload_mode, place, error};
    int failure = 0;

    for (size_t i = 0; i < sizeof checks / sizeof *checks && !failure; i++)
        failure = checks[i](&check);
    return failure;
}

/* The backend direct always bypasses the cache, and posix does if asked. */
static bool can_be_direct(const struct weir_test *test)
{
    const struct weir_descriptor *stores = test->inner ? test->inner : test->backend;

    return stores->abilities & WEIR_BYPASSES_CACHE || strcasecmp(stores->name, "posix") == 0;
}

int weir_ior_check_backend(const struct weir_ior_config *ior, const struct weir_test *test,
                           const char *place, struct weir_error *error)
{
    if (ior->use_o_direct && !can_be_direct(test))
        return weir_error_usage(
            error, place,
            "useO_DIRECT (-B): backend %s has no O_DIRECT; leave it out, or use -a "
            "POSIX",
            test->label);
    if (ior->collective && !(weir_test_abilities(test) & WEIR_CAN_COLLECT))
        return weir_error_usage(error, place,
                                "-c: backend %s has no collective transfers: leave -c out, or use "
                                "-a MPIIO",
                                test->label);
    return 0;
}

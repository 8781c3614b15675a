/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of IOR's options without a meaning: those that IOR itself refuses, as far as it
 * applies, and a few more. */
#include "check.h"

#include "common_lowering.h"

#include <inttypes.h>

/* IOR's data are 8-byte words. */
#define WORD_BYTES 8

struct check {
    const struct weir_ior_request *request;
    const struct weir_ior_config *ior; /* of the request */
    const struct weir_payload *payload;
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

    if (ior->task_count < -1)
        return REFUSE(check, "-N: %" PRId64 " tasks; give at least 1, or -1 or 0 for all of them",
                      ior->task_count);
    if (ior->node_count < -1)
        return REFUSE(check,
                      "numNodes: %" PRId64 " nodes; give at least 1, or -1 for those there are",
                      ior->node_count);
    if (ior->tasks_on_node_0 < -1)
        return REFUSE(
            check, "numTasksOnNode0: %" PRId64 " tasks; give at least 1, or -1 for those there are",
            ior->tasks_on_node_0);
    if (ior->signature < INT32_MIN || ior->signature > UINT32_MAX)
        return REFUSE(check, "-G: %" PRId64 " has more than 32 bits", ior->signature);
    return 0;
}

static int check_verification(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;
    const struct weir_verification verification = {
        .option = ior->check_read ? "-R" : "-W",
        .payload = check->payload,
        .bytes = (uint64_t)ior->transfer_bytes,
        .maker = ior->write_file ? NULL : "-w", /* IOR always asks for -G then */
    };

    if (!ior->check_read && !ior->check_write)
        return 0;
    if (weir_lower_verification(&verification, check->place, check->error))
        return check->error->code;
    if (ior->random_offset > 1 && weir_ior_does_write(check->request))
        return REFUSE(check, "-z -z: data written at random positions, twice or never, cannot be "
                             "verified; use -z once");
    return 0;
}

static int check_prefill(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;

    if (ior->prefill_bytes == 0)
        return 0;
    if (ior->prefill_bytes % WORD_BYTES != 0)
        return REFUSE(check, "--randomPrefill: size %" PRId64 " is not a multiple of %d",
                      ior->prefill_bytes, WORD_BYTES);
    if (ior->block_bytes % ior->prefill_bytes != 0)
        return REFUSE(check,
                      "--randomPrefill: block size %" PRId64 " is not a multiple of size %" PRId64,
                      ior->block_bytes, ior->prefill_bytes);
    return 0;
}

static int check_order(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;

    if (ior->reorder_tasks && ior->reorder_tasks_random)
        return REFUSE(check, "-Z: tasks are reordered either by -C or by -Z");
    return 0;
}

static int check_stop(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;

    if (ior->wear_out && ior->deadline_ns == 0)
        return REFUSE(check, "stoneWallingWearOut: there is no deadline to wear out; give -D");
    if (ior->status_path && !ior->keep_file && !check->request->additions.device)
        return REFUSE(check,
                      "stoneWallingStatusFile: a count is of no use without its file; give -k");
    if (ior->status_path && weir_ior_does_write(check->request) && !ior->wear_out)
        return REFUSE(check, "stoneWallingStatusFile: tasks have no common count of transfers "
                             "to store; give -O stoneWallingWearOut=1");
    return 0;
}

static int check_mix(const struct check *check)
{
    int64_t percent = check->request->additions.read_percent;

    if (percent < -1 || percent > 100)
        return REFUSE(check, "--read-percent: %" PRId64 "%% of the transfers; give 0 to 100",
                      percent);
    if (percent >= 0 && check->ior->random_offset > 1)
        return REFUSE(check, "--read-percent: -z -z may come to a block while it is being written; "
                             "use -z once");
    return 0;
}

static int check_device(const struct check *check)
{
    const struct weir_ior_config *ior = check->ior;
    const char *option = ior->unique_dir ? "-u" : ior->dual_mount ? "-y" : "-m";

    if (check->request->additions.device && (ior->unique_dir || ior->dual_mount || ior->multi_file))
        return REFUSE(check,
                      "%s: a device has the name that it has, and no directory of ours; leave it "
                      "out with --device",
                      option);
    return 0;
}

int weir_ior_check(const struct weir_ior_request *request, const struct weir_payload *payload,
                   const char *place, struct weir_error *error)
{
    static int (*const checks[])(const struct check *) = {
        check_sizes, check_counts, check_verification, check_prefill,
        check_order, check_stop,   check_mix,          check_device};
    const struct check check = {request, &request->ior, payload, place, error};
    int failure = 0;

    for (size_t i = 0; i < sizeof checks / sizeof *checks && !failure; i++)
        failure = checks[i](&check);
    return failure;
}

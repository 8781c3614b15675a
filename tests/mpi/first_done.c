/* SPDX-License-Identifier: Apache-2.0 */
/* What no words of IOR ask for, on several ranks: the stonewall by the first rank that is done,
 * ranks that begin one after another, ranks that only read or only write. Rank 1 is slow. */
#include "../unit/engine_bed.h"

#define RANKS 3
#define OPS 64
#define BYTES (UINT64_C(65536))
#define ALL (RANKS * OPS * BYTES)

static struct bed bed;
/* What plans are to have; the phase is the first one. */
static bool has_wear_out, mixes, walls_stagger;
static uint64_t stagger_ns;
static bool starts_are_checked;

static void change(struct weir_plan *plan)
{
    struct weir_phase *first = (struct weir_phase *)(uintptr_t)plan->tests[0]->phases[0];

    first->stop.ends_with_first = (stagger_ns == 0 || walls_stagger) && !mixes;
    first->stop.has_wear_out = has_wear_out;
    first->stagger_ns = stagger_ns;
    for (size_t i = 0; i < plan->tests[0]->phase_count; i++) {
        struct weir_phase *mixed = (struct weir_phase *)(uintptr_t)plan->tests[0]->phases[i];

        if (mixed->verb == WEIR_MIXED)
            mixed->transfers.mixes_by_rank = mixed->transfers.alternates = mixes;
    }
}

static bool is_first(void)
{
    return bed.group->rank == 0;
}

static void check_sums(const struct weir_phase_result *record)
{
    const struct weir_counted *counted = &record->counted;

    assert_int_equal(record->error_count, 0);
    assert_int_equal(counted->ops_sum * BYTES, counted->bytes_sum);
    assert_true(counted->bytes_sum <= record->byte_count);
    assert_true(counted->bytes_per_s_min <= counted->bytes_per_s_max);
    assert_true(counted->bytes_per_s_sum >= counted->bytes_per_s_max);
    assert_true(counted->bytes_per_s_sum <= RANKS * counted->bytes_per_s_max);
}

#define SLOW "-a fault:posix --fault.rank=1 --fault.every=1 --fault.delay=4000 -F -t 64k -b 4m -k "

static void a_write_goes_on_to_its_end_and_counts_up_to_the_wall(void **state)
{
    const struct weir_phase_result *record;

    has_wear_out = true;
    run_well(&bed, SLOW "-w -e -o %s/f");
    if (!is_first())
        return;
    record = phase(&bed, 0);
    check_sums(record);
    assert_int_equal(record->byte_count, ALL);
    assert_int_equal(record->file_bytes, ALL);
    assert_true(record->stonewall.is_hit);
    assert_true(record->counted.bytes_min < OPS * BYTES);
    assert_int_equal(record->rank_ops_min, OPS);
}

static void a_read_stops_at_the_wall(void **state)
{
    const struct weir_phase_result *record;

    has_wear_out = false;
    run_well(&bed, SLOW "-r -o %s/f");
    if (!is_first())
        return;
    record = phase(&bed, 0);
    check_sums(record);
    assert_true(record->byte_count < ALL);
    assert_int_equal(record->rank_ops_max, OPS);
    assert_int_equal(record->counted.bytes_sum, record->byte_count);
    assert_int_equal(record->counted.ops_min, record->rank_ops_min);
}

static void a_rewrite_that_stops_leaves_what_verifies(void **state)
{
    has_wear_out = false;
    run_well(&bed, SLOW "-w -R -E -o %s/f");
    if (!is_first())
        return;
    check_sums(phase(&bed, 0));
    assert_true(phase(&bed, 0)->byte_count < ALL);
    assert_int_equal(phase(&bed, 0)->file_bytes, ALL);
    assert_int_equal(phase(&bed, 1)->byte_count, ALL);
    assert_int_equal(phase(&bed, 1)->mismatches.wrong_transfers, 0);
}

static void a_rank_that_fails_lets_the_others_go(void **state)
{
    has_wear_out = true;
    run(&bed, "-a fault:posix --fault.rank=1 --fault.at=5 --fault.verb=write --fault.errno=EIO -F "
              "-t 64k -b 4m -k "
              "-w -o %s/g");
    if (is_first() && bed.result->phase_count == 0)
        fail_msg("%s", bed.error.text);
    if (is_first())
        assert_int_equal(phase(&bed, 0)->error_count, 1);
}

/* Stamps are relative to the agreed start. The window of all ranks is no measure: the first rank
 * may begin late on a busy machine. */
static void check_starts(struct bed *shown, const struct weir_phase_result *record)
{
    (void)shown;
    for (int64_t rank = 0; rank < RANKS; rank++)
        assert_true(record->rows[rank].stamps_ns[WEIR_STAMP_MOVE_START] >= rank * 60000000);
    starts_are_checked = true;
}

static void ranks_begin_one_after_another(void **state)
{
    has_wear_out = false;
    stagger_ns = 60000000;
    bed.when_shown = check_starts;
    run_well(&bed, "-a posix -F -t 64k -b 4m -k -w -o %s/f");
    bed.when_shown = NULL;
    stagger_ns = 0;
    if (!is_first())
        return;
    check_sums(phase(&bed, 0));
    assert_true(starts_are_checked);
    assert_int_equal(phase(&bed, 0)->counted.bytes_sum, ALL);
}

static void a_rank_does_not_wait_for_its_turn_behind_the_wall(void **state)
{
    has_wear_out = false;
    walls_stagger = true;
    stagger_ns = 3000000000;
    run_well(&bed, "-a posix -F -t 64k -b 4m -k -r -o %s/f");
    walls_stagger = false;
    stagger_ns = 0;
    if (!is_first())
        return;
    assert_true(phase(&bed, 0)->windows.transfer_s < 3.0);
    assert_int_equal(phase(&bed, 0)->rank_ops_min, 0);
    assert_int_equal(phase(&bed, 0)->rank_ops_max, OPS);
}

static void ranks_read_or_write_alone(void **state)
{
    const struct weir_phase_result *record;

    mixes = true;
    run_well(&bed, "-a posix -F -t 64k -b 4m -k --read-percent 50 -o %s/f");
    mixes = false;
    if (!is_first())
        return;
    record = phase(&bed, bed.result->phase_count - 1);
    check_sums(record);
    assert_int_equal(record->read_latency->total, 2 * OPS);
    assert_int_equal(record->write_latency->total, OPS);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_goes_on_to_its_end_and_counts_up_to_the_wall),
        cmocka_unit_test(a_read_stops_at_the_wall),
        cmocka_unit_test(a_rewrite_that_stops_leaves_what_verifies),
        cmocka_unit_test(ranks_begin_one_after_another),
        cmocka_unit_test(a_rank_does_not_wait_for_its_turn_behind_the_wall),
        cmocka_unit_test(ranks_read_or_write_alone),
        cmocka_unit_test(a_rank_that_fails_lets_the_others_go),
    };
    int code;

    bed.registry = &weir_registry;
    bed.dialect = "ior";
    bed.change = change;
    if (weir_group_mpi_open(&argc, &argv, &bed.group, &bed.error) != 0 || argc != 2 ||
        bed.group->size != RANKS || weir_group_share_clock(bed.group, &bed.clock) != 0)
        return 2;
    snprintf(bed.directory, sizeof bed.directory, "%s", argv[1]);
    code = cmocka_run_group_tests_name("first_done", tests, NULL, NULL);
    weir_result_close(bed.result);
    weir_plan_close(bed.plan);
    weir_group_close(bed.group);
    return code;
}

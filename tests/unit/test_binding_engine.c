/* SPDX-License-Identifier: Apache-2.0 */
/* Where the engine puts a rank and its buffers, what it says of that, and what of all ranks and
 * nodes goes into a record. */
#include "engine_bed.h"
#include "planted.h"

#include "engine/gather_places.h"
#include "weir/system/bindings.h"
#include "weir/system/memory_place.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>

/* ---- processors of this process ---- */

static struct weir_cpu_set present_cpus(void)
{
    struct weir_cpu_set cpus;

    assert_int_equal(weir_running_cpus(&cpus), 0);
    return cpus;
}

/* The last processor of those that this test may use, which is the only one where there is but
 * one. */
static unsigned last_of(const struct weir_cpu_set *cpus)
{
    unsigned last = weir_cpu_set_next(cpus, 0);

    for (unsigned cpu = last; cpu < WEIR_CPUS_MAX; cpu = weir_cpu_set_next(cpus, cpu + 1))
        last = cpu;
    return last;
}

static struct weir_cpu_set only(unsigned cpu)
{
    struct weir_cpu_set cpus = {0};

    weir_cpu_set_add(&cpus, cpu);
    return cpus;
}

static void need_two_processors(void)
{
    struct weir_cpu_set cpus = present_cpus();

    if (weir_cpu_set_count(&cpus) < 2)
        skip();
}

static void assert_same(const struct weir_cpu_set *one, const struct weir_cpu_set *other)
{
    assert_true(weir_cpu_set_equals(one, other));
}

/* ---- pinning ---- */

static void run_pinned(struct bed *bed, const char *format, unsigned cpu)
{
    char line[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(line, sizeof line, format, cpu);
#pragma GCC diagnostic pop
    run(bed, line);
}

static void a_pinned_rank_runs_where_it_was_put_and_is_free_again_afterwards(void **state)
{
    const struct weir_cpu_set before = present_cpus();
    const unsigned cpu = last_of(&before);
    const struct weir_cpu_set wanted = only(cpu);
    const struct weir_cpu_set cores = weir_processor_cores("", &before);
    struct weir_cpu_set after;
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_pinned(&bed, "-a POSIX -w -r -t 64k -b 1m --pin list:%u -o %%s/f", cpu);
    assert_string_equal(bed.error.text, "");
    assert_same(&bed.cpus, &wanted);
    for (unsigned i = 0; i < 2; i++) {
        const struct weir_execution *execution = &bed.executions[i];

        assert_true(execution->is_known && execution->is_pinned && !execution->is_moved);
        assert_same(&execution->cpus, &wanted);
        assert_int_equal(weir_cpu_set_count(&execution->cores), 1);
        assert_int_equal(execution->last_cpu, cpu);
        assert_int_equal(execution->stolen_cpus, 1);
        assert_int_equal(execution->given_core_count, weir_cpu_set_count(&cores));
        assert_true(execution->wall_ns > 0);
        assert_non_null(phase(&bed, i)->node_places);
        assert_true(phase(&bed, i)->node_places[0].is_pinned);
        assert_int_equal(phase(&bed, i)->node_places[0].moved_count, 0);
    }
    after = present_cpus();
    assert_same(&after, &before);
    tear_down(&bed);
}

static void without_a_policy_a_rank_stays_where_it_was_put_by_others(void **state)
{
    const struct weir_cpu_set before = present_cpus();
    const struct weir_cpu_set given = only(last_of(&before));
    struct bed bed;

    (void)state;
    assert_int_equal(weir_running_bind(&given), 0);
    set_up(&bed);
    run_well(&bed, "-a POSIX -w -t 64k -b 1m -o %s/f");
    assert_true(bed.executions[0].is_known && !bed.executions[0].is_pinned);
    assert_false(bed.executions[0].is_moved);
    assert_same(&bed.executions[0].cpus, &given);
    assert_int_equal(weir_cpu_set_count(&bed.executions[0].cores), 1);
    tear_down(&bed);
    assert_int_equal(weir_running_bind(&before), 0);
}

static void
processors_that_the_launcher_withholds_are_refused_before_anything_is_written(void **state)
{
    const struct weir_cpu_set before = present_cpus();
    const unsigned first = weir_cpu_set_next(&before, 0);
    const struct weir_cpu_set given = only(last_of(&before));
    struct weir_cpu_set after;
    struct bed bed;

    (void)state;
    need_two_processors();
    assert_int_equal(weir_running_bind(&given), 0);
    set_up(&bed);
    run_pinned(&bed, "-a POSIX -w -k -t 64k -b 1m --pin list:%u -o %%s/f", first);
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "--pin"));
    assert_int_equal(count_files(&bed), 0);
    assert_int_equal(bed.result->phase_count, 0);
    after = present_cpus();
    assert_same(&after, &given);
    tear_down(&bed);
    assert_int_equal(weir_running_bind(&before), 0);
}

static void a_topology_of_another_host_places_nobody_and_stops_nobody_else(void **state)
{
    struct bed bed;

    (void)state;
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "pack:2 core:2 pu:1", 1), 0);
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -t 64k -b 1m --pin core -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "HWLOC_SYNTHETIC describes another host"));
    assert_int_equal(count_files(&bed), 0);

    run_well(&bed, "-a POSIX -w -t 64k -b 1m -o %s/f");
    assert_same(&bed.executions[0].cpus, &bed.cpus);
    assert_true(weir_cpu_set_count(&bed.executions[0].cores) > 0);
    assert_true(bed.executions[0].cpu_nodes != 0 || weir_memory_nodes() == 0);
    tear_down(&bed);
    unsetenv("HWLOC_SYNTHETIC");
}

/* ---- being moved ---- */

static void move_away(struct bed *bed, const struct weir_phase_result *phase)
{
    const struct weir_cpu_set *cpus = &bed->executions[0].cpus;
    unsigned cpu = weir_cpu_set_next(cpus, 0) == 0 ? 1 : 0;
    struct weir_cpu_set elsewhere = only(cpu);

    if (phase->phase == 0)
        assert_int_equal(weir_running_bind(&elsewhere), 0);
}

static void a_rank_that_somebody_binds_elsewhere_has_moved(void **state)
{
    const struct weir_cpu_set before = present_cpus();
    struct weir_cpu_set cores;
    struct bed bed;

    (void)state;
    if (!weir_cpu_set_has(&before, 0) || !weir_cpu_set_has(&before, 1))
        skip();
    set_up(&bed);
    bed.when_shown = move_away;
    run_well(&bed, "-a POSIX -w -r -t 64k -b 1m --pin list:0 -o %s/f");
    assert_false(bed.executions[0].is_moved);
    assert_true(bed.executions[1].is_moved);
    assert_true(weir_cpu_set_has(&bed.executions[1].cpus, 1));
    assert_false(weir_cpu_set_has(&bed.executions[1].cpus, 0));
    cores = weir_processor_cores("", &bed.executions[1].cpus);
    assert_same(&bed.executions[1].cores, &cores);
    assert_int_equal(phase(&bed, 0)->node_places[0].moved_count, 0);
    assert_int_equal(phase(&bed, 1)->node_places[0].moved_count, 1);
    tear_down(&bed);
}

/* ---- rankfiles ---- */

static void write_rankfile(const struct bed *bed, const char *text, size_t bytes)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/ranks", bed->directory);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void a_rankfile_that_is_none_is_refused_with_the_reason(void **state)
{
    static char text[WEIR_RANKFILE_BYTES_MAX + 1];
    static const struct {
        size_t bytes; /* 0: there is no file */
        const char *reason;
    } cases[] = {
        {0, "No such file"},
        {sizeof text, "more than 16 MiB"},
        {10, "no text"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;

        set_up(&bed);
        if (cases[i].bytes > 0)
            write_rankfile(&bed, text, cases[i].bytes);
        run(&bed, "-a null -w -t 64k -b 1m --pin rankfile:%s/ranks -o f");
        assert_int_equal(bed.error.exit,
                         cases[i].bytes > 0 ? WEIR_EXIT_USAGE : WEIR_EXIT_ENVIRONMENT);
        if (strstr(bed.error.text, cases[i].reason) == NULL)
            fail_msg("%s", bed.error.text);
        tear_down(&bed);
    }
}

/* ---- memory ---- */

static void a_numa_node_that_is_not_there_is_refused_before_anything_is_written(void **state)
{
    struct bed bed;

    (void)state;
    if ((weir_memory_nodes() & UINT64_C(1) << 63) != 0)
        skip();
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -t 64k -b 1m --membind node:63 -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "--membind node:63: this host has no NUMA node 63"));
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void buffers_are_looked_at_after_each_phase(void **state)
{
    static const struct {
        const char *line;
        bool asks;
    } cases[] = {
        {"-a POSIX -w -t 64k -b 1m -o %s/f", false},
        {"-a POSIX -w -t 64k -b 1m --membind none -o %s/f", false},
        {"-a POSIX -w -t 64k -b 1m --membind local -o %s/f", true},
        {"-a POSIX -w -t 64k -b 1m --membind interleave -o %s/f", true},
        {"-a POSIX -w -t 64k -b 1m --membind node:0 -o %s/f", true},
    };

    (void)state;
    if (weir_memory_nodes() != 1)
        skip(); /* of a host with one NUMA node, all is known beforehand */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;

        set_up(&bed);
        run_well(&bed, cases[i].line);
        assert_int_equal(bed.executions[0].asks_nodes, cases[i].asks);
        assert_int_equal(bed.executions[0].page_nodes, 1);
        assert_int_equal(bed.executions[0].cpu_nodes, 1);
        assert_int_equal(bed.executions[0].wanted_nodes, 1);
        assert_int_equal(bed.executions[0].away_permille, 0);
        tear_down(&bed);
    }
}

static void want_huge_pages(struct weir_plan *plan)
{
    plan->tests[0]->wants_huge_pages = true;
}

/* The kernel makes them where it is asked to. */
static bool kernel_makes_huge_pages(void)
{
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    char line[64] = "";

    if (file == NULL)
        return false;
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    return strstr(line, "[always]") != NULL || strstr(line, "[madvise]") != NULL;
}

static void huge_pages_that_the_user_wants_are_granted_or_missed_aloud(void **state)
{
    const char *granted, *shortfall;
    struct bed bed;

    (void)state;
    set_up(&bed);
    bed.change = want_huge_pages;
    run_well(&bed, "-a POSIX -w -t 64k -b 1m -o %s/f");
    granted = phase(&bed, 0)->granted;
    shortfall = phase(&bed, 0)->shortfall;
    if (kernel_makes_huge_pages())
        assert_true(granted != NULL && strstr(granted, "huge pages") != NULL);
    else
        assert_true((granted != NULL && strstr(granted, "huge pages") != NULL) ||
                    (shortfall != NULL && strstr(shortfall, "huge pages") != NULL));
    tear_down(&bed);
}

/* ---- what nodes tell ---- */

static void the_node_and_the_storage_of_the_test_are_in_the_result(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -t 64k -b 1m -o %s/f");
    assert_int_equal(bed.result->node_group_count, 1);
    assert_int_equal(bed.result->node_groups[0].count, 1);
    assert_true(bed.result->node_groups[0].facts.processors > 0);
    assert_null(bed.result->mpi_library);
    assert_int_equal(bed.result->tests[0].storage_count, 1);
    assert_true(bed.result->tests[0].storages[0].facts.is_known);
    assert_true(phase(&bed, 0)->node_memory_bytes > 0);

    /* What moves no data to a file has none behind it. */
    run(&bed, "-a null -w -t 64k -b 1m -o %s/f");
    assert_int_equal(bed.result->tests[0].storage_count, 0);
    tear_down(&bed);
}

static void removals_are_not_looked_at(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -t 64k -b 1m -o %s/f");
    assert_int_equal(bed.result->phase_count, 2);
    assert_non_null(phase(&bed, 0)->node_places);
    assert_non_null(phase(&bed, 0)->rank_places);
    assert_null(phase(&bed, 1)->node_places);
    assert_false(bed.executions[1].is_known);
    tear_down(&bed);
}

/* ---- rows to record ---- */

#define NODES 4
#define RANKS 6

static const char *const hosts[RANKS] = {"a", "b", "a", "c", "d", "d"};

static void fill_rows(struct weir_rank_row rows[RANKS])
{
    static const uint32_t nodes[RANKS] = {0, 1, 0, 2, 3, 3};

    memset(rows, 0, RANKS * sizeof *rows);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        rows[rank].node = nodes[rank];
        rows[rank].traffic =
            (struct weir_traffic){.has_devices = rank == 3,
                                  .has_network = rank == 1,
                                  .device_read_bytes = UINT64_C(1) << 8 * rank,
                                  .device_written_bytes = UINT64_C(2) << 8 * rank,
                                  .network_received_bytes = UINT64_C(3) << 8 * rank,
                                  .network_sent_bytes = UINT64_C(4) << 8 * rank};
        rows[rank].node_memory_bytes = 1000 - 10 * rank;
    }
}

static void gather(struct weir_arena *arena, const struct weir_rank_row rows[RANKS],
                   struct weir_phase_result *record)
{
    *record = (struct weir_phase_result){.arena = arena, .rank_count = RANKS, .node_count = NODES};
    weir_gather_places(rows, hosts, record);
}

static void traffic_is_that_of_first_ranks_and_of_each_machine_once(void **state)
{
    static const struct {
        uint64_t machines[NODES];
        uint64_t read; /* a bit for the first rank of each node: 0, 1, 3 and 4 */
    } cases[] = {
        {{7, 8, 9, 10}, 0x0000000101000101}, {{7, 7, 9, 10}, 0x0000000101000001},
        {{7, 8, 7, 8}, 0x0000000000000101},  {{0, 0, 0, 0}, 0x0000000101000101},
        {{5, 0, 5, 0}, 0x0000000100000101},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_rank_row rows[RANKS];
        struct weir_phase_result record;
        struct weir_arena arena = {0};

        fill_rows(rows);
        for (unsigned rank = 0; rank < RANKS; rank++)
            rows[rank].machine = cases[i].machines[rows[rank].node];
        gather(&arena, rows, &record);
        assert_int_equal(record.traffic.device_read_bytes, cases[i].read);
        assert_int_equal(record.traffic.device_written_bytes, 2 * cases[i].read);
        assert_int_equal(record.traffic.network_received_bytes, 3 * cases[i].read);
        assert_int_equal(record.traffic.network_sent_bytes, 4 * cases[i].read);
        assert_int_equal(record.traffic.has_devices, (cases[i].read & 0x1000000) != 0);
        assert_int_equal(record.traffic.has_network, (cases[i].read & 0x100) != 0);
        weir_arena_close(&arena);
    }
}

static struct weir_phase_result *keep(struct weir_result *result, const struct weir_rank_row *rows,
                                      unsigned test)
{
    struct weir_phase_result *record = weir_result_begin_phase(result);

    record->arena = &result->shown;
    record->test = test;
    record->rank_count = RANKS;
    record->node_count = NODES;
    weir_gather_places(rows, hosts, record);
    weir_result_keep_phase(result, false);
    return record;
}

static void phases_of_ranks_that_stay_share_their_places(void **state)
{
    struct weir_result *result = weir_result_open(1);
    struct weir_phase_result first, same, moved, other;
    struct weir_rank_row rows[RANKS];

    (void)state;
    fill_rows(rows);
    for (unsigned rank = 0; rank < RANKS; rank++)
        rows[rank].execution = (struct weir_execution){.is_known = true, .migrations = 1};
    first = *keep(result, rows, 0);
    assert_non_null(first.node_places);
    assert_non_null(first.rank_places);
    assert_int_equal(first.node_places[0].migrations, first.node_places[0].rank_count);
    rows[RANKS - 1].execution.migrations = 5;
    same = *keep(result, rows, 0);
    assert_ptr_equal(same.node_places, first.node_places);
    assert_int_equal(same.node_places[0].migrations, 2 * first.node_places[0].rank_count);
    assert_ptr_equal(same.rank_places, first.rank_places);
    assert_int_equal(same.rank_places[RANKS - 1].migrations, 5);
    rows[0].execution.is_moved = true;
    moved = *keep(result, rows, 0);
    assert_ptr_not_equal(moved.node_places, first.node_places);
    assert_int_equal(moved.node_places[0].moved_count, 1);
    assert_int_equal(first.node_places[0].moved_count, 0);
    assert_ptr_not_equal(moved.rank_places, first.rank_places);
    other = *keep(result, rows, 1);
    assert_ptr_not_equal(other.node_places, moved.node_places);
    weir_result_close(result);
}

static void the_least_memory_that_is_known_counts(void **state)
{
    static const struct {
        uint64_t bytes[NODES];
        uint64_t least;
    } cases[] = {{{4, 3, 2, 9}, 2}, {{0, 3, 0, 9}, 3}, {{0, 0, 0, 0}, 0}, {{5, 0, 0, 0}, 5}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_rank_row rows[RANKS];
        struct weir_phase_result record;
        struct weir_arena arena = {0};

        fill_rows(rows);
        for (unsigned rank = 0; rank < RANKS; rank++)
            rows[rank].node_memory_bytes = cases[i].bytes[rows[rank].node];
        gather(&arena, rows, &record);
        assert_int_equal(record.node_memory_bytes, cases[i].least);
        weir_arena_close(&arena);
    }
}

static void residency_is_summed_over_ranks_that_could_tell(void **state)
{
    struct weir_rank_row rows[RANKS];
    struct weir_phase_result record;
    struct weir_arena arena = {0};

    (void)state;
    fill_rows(rows);
    rows[1].resident_asked_bytes = 100;
    rows[1].resident_bytes = 40;
    rows[4].resident_asked_bytes = 1000;
    rows[5].resident_bytes = 77; /* of nothing that was asked */
    gather(&arena, rows, &record);
    assert_int_equal(record.residency.asked_bytes, 1100);
    assert_int_equal(record.residency.resident_bytes, 40);
    assert_int_equal(record.residency.rank_count, 2);
    assert_null(record.node_places);
    assert_null(record.rank_places);
    weir_arena_close(&arena);
}

/* ---- processors without a topology ---- */

static void cores_and_numa_nodes_are_those_that_the_kernel_tells(void **state)
{
    static const struct {
        const char *cpus;
        const char *cores;
        uint64_t nodes;
    } cases[] = {
        {"0", "0", 1},           {"4", "0", 1},   {"0,4", "0", 1}, {"0-1", "0-1", 1},
        {"5-6", "1,6", 0x9},     {"6", "6", 0x8}, {"9", "9", 0}, /* of which nothing is told */
        {"0-9", "0-3,6-9", 0x9},
    };
    char root[64] = "/tmp/test_seat_engine.XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(root));
    plant_file(root, "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n");
    plant_file(root, "sys/devices/system/cpu/cpu4/topology/thread_siblings_list", "0,4\n");
    plant_file(root, "sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,5\n");
    plant_file(root, "sys/devices/system/cpu/cpu5/topology/thread_siblings_list", "1,5\n");
    plant_file(root, "sys/devices/system/cpu/cpu6/topology/thread_siblings_list", "6\n");
    plant_file(root, "sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
    plant_file(root, "sys/devices/system/node/node1/cpulist", "\n");
    plant_file(root, "sys/devices/system/node/node3/cpulist", "6\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_cpu_set cpus, expected, cores;

        assert_int_equal(weir_cpu_set_parse(cases[i].cpus, &cpus), 0);
        assert_int_equal(weir_cpu_set_parse(cases[i].cores, &expected), 0);
        cores = weir_processor_cores(root, &cpus);
        assert_same(&cores, &expected);
        assert_int_equal(weir_processor_numa_nodes(root, &cpus), cases[i].nodes);
    }
    fell(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pinned_rank_runs_where_it_was_put_and_is_free_again_afterwards),
        cmocka_unit_test(without_a_policy_a_rank_stays_where_it_was_put_by_others),
        cmocka_unit_test(
            processors_that_the_launcher_withholds_are_refused_before_anything_is_written),
        cmocka_unit_test(a_topology_of_another_host_places_nobody_and_stops_nobody_else),
        cmocka_unit_test(a_rank_that_somebody_binds_elsewhere_has_moved),
        cmocka_unit_test(a_rankfile_that_is_none_is_refused_with_the_reason),
        cmocka_unit_test(a_numa_node_that_is_not_there_is_refused_before_anything_is_written),
        cmocka_unit_test(buffers_are_looked_at_after_each_phase),
        cmocka_unit_test(huge_pages_that_the_user_wants_are_granted_or_missed_aloud),
        cmocka_unit_test(the_node_and_the_storage_of_the_test_are_in_the_result),
        cmocka_unit_test(removals_are_not_looked_at),
        cmocka_unit_test(traffic_is_that_of_first_ranks_and_of_each_machine_once),
        cmocka_unit_test(phases_of_ranks_that_stay_share_their_places),
        cmocka_unit_test(the_least_memory_that_is_known_counts),
        cmocka_unit_test(residency_is_summed_over_ranks_that_could_tell),
        cmocka_unit_test(cores_and_numa_nodes_are_those_that_the_kernel_tells),
    };

    return cmocka_run_group_tests_name("binding_engine", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed phases, depths, rates and memory on one rank: what the engine makes of them, and what its
 * records say. */
#include "engine_bed.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <time.h>

#define KIB 1024

static struct weir_phase *plan_phase(struct weir_plan *plan, size_t number)
{
    assert_true(number < plan->tests[0]->phase_count);
    return plan->tests[0]->phases[number];
}

static uint64_t file_bytes(const struct bed *bed, const char *name)
{
    char path[PATH_MAX];
    FILE *file;
    long bytes;

    snprintf(path, sizeof path, "%s/%s", bed->directory, name);
    file = fopen(path, "re");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    bytes = ftell(file);
    fclose(file);
    return (uint64_t)bytes;
}

static void damage(const struct bed *bed, const char *name, long offset)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", bed->directory, name);
    file = fopen(path, "r+e");
    assert_non_null(file);
    fseek(file, offset, SEEK_SET);
    fputs("damage", file);
    fclose(file);
}

/* ---- a backend that is watched, and plays a device ---- */

#define DEPTH_MAX 64
#define VERBS_MAX 4096

/* What the one watched backend does and has seen. */
static struct watch {
    /* a device that makes so many transfers at once, each in this time; 0: posix, which blocks */
    unsigned servers;
    uint64_t service_ns;
    unsigned breaks_at; /* submit fails with this transfer; 0: never */
    unsigned fails_at;  /* this transfer fails with ENOSPC; 0: never */
    unsigned stops_at;  /* raises the stop signal with this one; 0: never */
    volatile sig_atomic_t *stop_signal;
    bool refuses_memory;
    bool wants_huge_pages;
    const char *granted;
    const char *shortfall;

    unsigned open_count;
    struct weir_file_params opened; /* the last one */
    bool was_there;                 /* before it was opened */
    unsigned transfer_count;
    unsigned in_flight;
    unsigned most_in_flight;
    uint64_t free_at_ns[DEPTH_MAX];
    uint64_t due_ns[DEPTH_MAX];
    struct weir_op *flying[DEPTH_MAX];
    char verbs[VERBS_MAX + 1]; /* r and w */
    uint64_t offsets[VERBS_MAX];
    unsigned opens[VERBS_MAX]; /* how many there were until then */
    unsigned char *memory;     /* lent; NULL: given back, or never lent */
    size_t memory_bytes;
    unsigned lend_count;
    bool has_foreign_memory; /* a transfer outside of what was lent */
    bool is_closed_with_memory;
} watch;

static const struct weir_backend *posix(void)
{
    return weir_backend_find(&weir_registry, "posix");
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int watch_file_open(struct weir_session *session, const struct weir_file_params *params,
                           struct weir_file **file)
{
    watch.open_count++;
    watch.opened = *params;
    watch.was_there = access(params->path, F_OK) == 0;
    return posix()->file->open(session, params, file);
}

static int64_t watch_transfer(struct weir_session *session, struct weir_op *op)
{
    unsigned number = ++watch.transfer_count;
    const unsigned char *data = op->data;

    if (number <= VERBS_MAX) {
        watch.verbs[number - 1] = op->verb == WEIR_OP_READ ? 'r' : 'w';
        watch.offsets[number - 1] = op->offset;
        watch.opens[number - 1] = watch.open_count;
    }
    watch.has_foreign_memory |=
        watch.memory != NULL &&
        (data < watch.memory || data + op->size > watch.memory + watch.memory_bytes);
    if (number == watch.stops_at)
        *watch.stop_signal = 15;
    if (number == watch.fails_at)
        return -ENOSPC;
    return posix()->transfer->transfer(session, op);
}

static int watch_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t start_ns = now_ns();
        unsigned server = 0;

        if (watch.breaks_at != 0 && watch.transfer_count + 1 >= watch.breaks_at)
            return -EPIPE;
        for (unsigned k = 1; k < watch.servers; k++)
            if (watch.free_at_ns[k] < watch.free_at_ns[server])
                server = k;
        if (watch.free_at_ns[server] > start_ns)
            start_ns = watch.free_at_ns[server];
        watch.free_at_ns[server] = start_ns + watch.service_ns;
        watch.due_ns[watch.in_flight] = watch.free_at_ns[server];
        ops[i]->result = watch_transfer(session, ops[i]);
        watch.flying[watch.in_flight++] = ops[i];
    }
    if (watch.in_flight > watch.most_in_flight)
        watch.most_in_flight = watch.in_flight;
    return (int)count;
}

static unsigned take_due(struct weir_op *done[], unsigned max)
{
    uint64_t time_ns = now_ns();
    unsigned count = 0;

    for (unsigned i = 0; i < watch.in_flight && count < max;) {
        if (watch.due_ns[i] > time_ns) {
            i++;
            continue;
        }
        done[count++] = watch.flying[i];
        watch.in_flight--;
        watch.flying[i] = watch.flying[watch.in_flight];
        watch.due_ns[i] = watch.due_ns[watch.in_flight];
    }
    return count;
}

static int watch_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                      unsigned max, uint64_t timeout_ns)
{
    uint64_t begun_ns = now_ns();
    unsigned count = 0;

    (void)session;
    for (;;) {
        count += take_due(done + count, max - count);
        if (count >= min || now_ns() - begun_ns >= timeout_ns)
            return (int)count;
        usleep(20);
    }
}

static void watch_describe(struct weir_session *session, struct weir_session_facts *facts)
{
    (void)session;
    if (watch.granted != NULL)
        weir_text_add(&facts->granted, "%s", watch.granted);
    if (watch.shortfall != NULL)
        weir_text_add(&facts->shortfall, "%s", watch.shortfall);
}

static int watch_lend(struct weir_session *session, void *memory, size_t bytes,
                      struct weir_error *error)
{
    (void)session;
    watch.lend_count++;
    if (watch.refuses_memory)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "watched",
                              "the limit of locked memory is too low");
    watch.memory = memory;
    watch.memory_bytes = bytes;
    return 0;
}

static void watch_give_back(struct weir_session *session)
{
    (void)session;
    assert_non_null(watch.memory);
    watch.memory = NULL;
}

static void watch_close(struct weir_session *session)
{
    watch.is_closed_with_memory |= watch.memory != NULL;
    posix()->close(session);
}

static int watch_open(const struct weir_session_params *params, struct weir_session **session,
                      struct weir_error *error);

static const struct weir_transfer_ops blocking_ops = {.transfer = watch_transfer};
static const struct weir_transfer_ops queued_ops = {.submit = watch_submit, .reap = watch_reap};
static const struct weir_memory_ops memory_ops = {.lend = watch_lend, .give_back = watch_give_back};

static struct weir_file_ops watched_file_ops;
static struct weir_backend watched;

static int watch_open(const struct weir_session_params *params, struct weir_session **session,
                      struct weir_error *error)
{
    int code = posix()->open(params, session, error);

    if (code != 0)
        return code;
    (*session)->backend = &watched;
    (*session)->depth = params->depth;
    (*session)->wants_huge_pages = watch.wants_huge_pages;
    return 0;
}

static const struct weir_backend *const watched_backends[] = {&watched};
static const struct weir_registry watched_registry = {.backends = watched_backends, .count = 1};

/* A bed whose posix is the watched backend, as `watch` says. */
static void set_up_watched(struct bed *bed, struct watch asked)
{
    set_up(bed);
    watch = asked;
    watch.stop_signal = &bed->stop_signal;
    watched = *posix();
    watched_file_ops = *posix()->file;
    watched_file_ops.open = watch_file_open;
    watched.descriptor.abilities |= WEIR_CAN_QUEUE;
    watched.open = watch_open;
    watched.close = watch_close;
    watched.describe = watch_describe;
    watched.file = &watched_file_ops;
    watched.transfer = watch.servers != 0 ? &queued_ops : &blocking_ops;
    watched.memory = &memory_ops;
    bed->registry = &watched_registry;
}

/* ---- mixed phases ---- */

static void mix_half(struct weir_plan *plan)
{
    plan_phase(plan, 0)->verb = WEIR_MIXED;
    plan_phase(plan, 0)->transfers.read_percent = 50;
}

static void only_write(struct weir_plan *plan)
{
    plan_phase(plan, 0)->verb = WEIR_MIXED;
    plan_phase(plan, 0)->transfers.read_percent = 0;
}

static void a_mixed_phase_goes_on_with_the_data_that_are_there(void **state)
{
    struct bed bed;
    uint64_t generation;

    (void)state;
    set_up_watched(&bed, (struct watch){0});
    run(&bed, "-a POSIX -w -k -t 4k -b 800k -o %s/f");
    generation = phase(&bed, 0)->generation;
    bed.change = mix_half;
    run_well(&bed, "-a POSIX -r -R -k -t 4k -b 800k -o %s/f");
    assert_true(watch.opened.can_read && watch.opened.can_write && !watch.opened.must_create);
    assert_int_equal(phase(&bed, 0)->generation, generation);
    assert_int_equal(phase(&bed, 0)->op_count, 200);
    assert_int_equal(phase(&bed, 0)->mismatches.checked_transfers, 100);
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 0);
    bed.change = NULL;
    run(&bed, "-a POSIX -r -R -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 0)->mismatches.checked_transfers, 200);
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 0);
    tear_down(&bed);
}

static void writes_of_a_mixed_phase_mend_what_they_overwrite(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -t 4k -b 800k -o %s/f");
    damage(&bed, "f", 40 * KIB);
    run(&bed, "-a POSIX -r -R -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 1);
    bed.change = only_write;
    run_well(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f");
    bed.change = NULL;
    run(&bed, "-a POSIX -r -R -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 0);
    tear_down(&bed);
}

static void data_that_nobody_knows_are_replaced_by_a_mix_that_does_not_verify(void **state)
{
    char path[PATH_MAX];
    struct bed bed;
    FILE *file;

    (void)state;
    set_up(&bed);
    snprintf(path, sizeof path, "%s/f", bed.directory);
    file = fopen(path, "we");
    assert_non_null(file);
    fputs("somebody's", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(truncate(path, 800 * KIB), 0);
    bed.change = only_write;
    run(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f");
    assert_non_null(strstr(bed.error.text, "/f"));
    bed.change = mix_half;
    run(&bed, "-a POSIX -r -R -k --overwrite -t 4k -b 800k -o %s/f");
    assert_non_null(strstr(bed.error.text, "no stamp"));
    bed.change = only_write;
    run_well(&bed, "-a POSIX -r -k --overwrite -t 4k -b 800k -o %s/f");
    bed.change = NULL;
    run(&bed, "-a POSIX -r -R -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 0)->mismatches.checked_transfers, 200);
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 0);
    tear_down(&bed);
}

static void a_mixed_phase_makes_no_file_and_no_file_longer(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    bed.change = mix_half;
    run(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "/f"));
    assert_int_equal(count_files(&bed), 0);
    bed.change = NULL;
    run(&bed, "-a POSIX -w -k -t 4k -b 796k -o %s/f");
    bed.change = mix_half;
    run(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "819200"));
    assert_int_equal(bed.result->phase_count, 0);
    /* A limit is known only when the phase begins. */
    run(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f -O stoneWallingWearOutIterations=200");
    assert_non_null(strstr(bed.error.text, "819200"));
    run_well(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f -O stoneWallingWearOutIterations=199");
    assert_int_equal(phase(&bed, 0)->op_count, 199);
    assert_int_equal(file_bytes(&bed, "f"), 796 * KIB);
    tear_down(&bed);
}

static void limit_write_and_mix_read(struct weir_plan *plan)
{
    plan_phase(plan, 0)->stop.op_limit = 20;
    plan_phase(plan, 1)->verb = WEIR_MIXED;
    plan_phase(plan, 1)->transfers.read_percent = 50;
}

static void a_mixed_phase_goes_as_far_as_a_cut_write_came(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    bed.change = limit_write_and_mix_read;
    run_well(&bed, "-a POSIX -w -r -R -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 1)->op_count, 20);
    assert_int_equal(phase(&bed, 1)->error_count, 0);
    assert_int_equal(phase(&bed, 1)->mismatches.wrong_transfers, 0);
    assert_int_equal(file_bytes(&bed, "f"), 80 * KIB);
    tear_down(&bed);
}

static void read_and_written_times_of_a_mixed_phase_are_told_apart(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -r -k -t 4k -b 800k -o %s/f");
    assert_null(phase(&bed, 0)->write_latency);
    assert_null(phase(&bed, 1)->read_latency);
    bed.change = mix_half;
    run(&bed, "-a POSIX -r -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 0)->latency->total, 200);
    assert_int_equal(phase(&bed, 0)->write_latency->total, 100);
    assert_int_equal(phase(&bed, 0)->read_latency->total, 100);
    assert_int_equal(phase(&bed, 0)->write_latency->sum_ns + phase(&bed, 0)->read_latency->sum_ns,
                     phase(&bed, 0)->latency->sum_ns);
    tear_down(&bed);
}

static void equal_seeds_make_equal_mixes(void **state)
{
    static const struct {
        const char *line;
        uint64_t seed; /* recorded; 0: any but that */
    } cases[] = {
        {"-a POSIX -r -k -t 4k -b 800k --random-offset-seed=7 -o %s/f", 7},
        {"-a POSIX -r -k -t 4k -b 800k --random-offset-seed=7 -o %s/f", 7},
        {"-a POSIX -r -k -t 4k -b 800k --random-offset-seed=8 -o %s/f", 8},
        {"-a POSIX -r -k -t 4k -b 800k -o %s/f", 0},
    };
    char verbs[4][VERBS_MAX + 1];
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){0});
    run(&bed, "-a POSIX -w -k -t 4k -b 800k -o %s/f");
    assert_int_equal(phase(&bed, 0)->order_seed, 0);
    bed.change = mix_half;
    for (size_t i = 0; i < 4; i++) {
        memset(watch.verbs, 0, sizeof watch.verbs);
        watch.transfer_count = 0;
        run_well(&bed, cases[i].line);
        memcpy(verbs[i], watch.verbs, sizeof watch.verbs);
        if (cases[i].seed != 0)
            assert_int_equal(phase(&bed, 0)->order_seed, cases[i].seed);
        else
            assert_int_not_equal(phase(&bed, 0)->order_seed, 0);
    }
    assert_string_equal(verbs[0], verbs[1]);
    assert_string_not_equal(verbs[0], verbs[2]);
    assert_string_not_equal(verbs[2], verbs[3]);
    tear_down(&bed);
}

/* ---- rates ---- */

static void a_record_says_what_load_was_asked_for(void **state)
{
    static const struct {
        const char *line;
        double asked_per_s;
        bool is_random;
    } cases[] = {
        {"-a POSIX -w -t 4k -b 80k --rate 2000 -o %s/f", 2000, false},
        {"-a POSIX -w -t 4k -b 80k --rate 2000 --rate-of rank -o %s/f", 2000, false},
        {"-a POSIX -w -t 4k -b 80k --rate 8m -o %s/f", 2048, false},
        {"-a POSIX -w -t 4k -b 80k --rate 2000 --arrivals poisson -o %s/f", 2000, true},
        {"-a POSIX -w -t 4k -b 80k -o %s/f", 0, false},
    };
    struct bed bed;

    (void)state;
    set_up(&bed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_well(&bed, cases[i].line);
        assert_true(phase(&bed, 0)->pace.asked_per_s == cases[i].asked_per_s);
        assert_int_equal(phase(&bed, 0)->order_seed != 0, cases[i].is_random);
        if (cases[i].asked_per_s == 0) {
            assert_null(phase(&bed, 0)->response);
            continue;
        }
        assert_int_equal(phase(&bed, 0)->response->total, 20);
        assert_true(phase(&bed, 0)->response->sum_ns >= phase(&bed, 0)->latency->sum_ns);
        assert_true(phase(&bed, 0)->pace.offered_s > 0);
    }
    tear_down(&bed);
}

static void the_backlog_is_part_of_the_series(void **state)
{
    uint64_t most = 0;
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 1, .service_ns = 1000000});
    run_well(&bed, "-a POSIX -w -t 4k -b 160k --depth 2 --rate 8000 -o %s/f");
    for (unsigned i = 0; i < phase(&bed, 0)->series->used; i++)
        if (phase(&bed, 0)->series->backlog[i] > most)
            most = phase(&bed, 0)->series->backlog[i];
    assert_true(most > 10);
    assert_true(phase(&bed, 0)->pace.max_backlog >= most);
    tear_down(&bed);
}

/* ---- processor time ---- */

static void processor_time_is_that_of_the_transfers(void **state)
{
    struct bed bed;
    double seconds;

    (void)state;
    set_up(&bed);
    run(&bed, "-a null -w -t 4k -b 64m -O minTimeDuration=0.1 -o %s/f");
    seconds = phase(&bed, 0)->cpu_user_s + phase(&bed, 0)->cpu_system_s;
    /* The clock of the process is read before and after that of the window. 64 MiB are made at
     * least, whatever share of a CPU the process gets. */
    assert_true(seconds > 0.001);
    assert_true(seconds < phase(&bed, 0)->windows.total_s + 0.02);
    run(&bed, "-a POSIX -w -t 4k -b 4k -O interIODelay=100000 -o %s/f");
    assert_true(phase(&bed, 0)->windows.total_s > 0.1);
    assert_true(phase(&bed, 0)->cpu_user_s + phase(&bed, 0)->cpu_system_s < 0.05);
    tear_down(&bed);
}

/* ---- sessions ---- */

static void what_a_session_got_is_in_the_record(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.granted = "one thing, another", .shortfall = "No more."});
    run(&bed, "-a POSIX -w -t 4k -b 8k -o %s/f");
    assert_string_equal(phase(&bed, 0)->granted, "one thing, another");
    assert_string_equal(phase(&bed, 0)->shortfall, "No more.");
    assert_int_equal(phase(&bed, 0)->shortfall_rank_count, 1);
    assert_null(phase(&bed, 1)->granted);
    tear_down(&bed);

    set_up_watched(&bed, (struct watch){0});
    run(&bed, "-a POSIX -w -t 4k -b 8k -o %s/f");
    assert_null(phase(&bed, 0)->granted);
    assert_null(phase(&bed, 0)->shortfall);
    assert_int_equal(phase(&bed, 0)->shortfall_rank_count, 0);
    tear_down(&bed);

    /* Of huge pages there are some, or the kernel is asked for some, or there are none. */
    set_up_watched(&bed, (struct watch){.granted = "one thing", .wants_huge_pages = true});
    run(&bed, "-a POSIX -w -t 4k -b 8k -o %s/f");
    if (phase(&bed, 0)->shortfall != NULL)
        assert_non_null(strstr(phase(&bed, 0)->shortfall, "vm.nr_hugepages"));
    else
        assert_non_null(strstr(phase(&bed, 0)->granted, "one thing, "));
    tear_down(&bed);
}

static void a_session_sees_all_memory_that_transfers_use(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4});
    run_well(&bed, "-a POSIX -w -r -R -t 4k -b 800k --depth 16 -o %s/f");
    assert_int_equal(watch.lend_count, 1);
    assert_int_equal(watch.most_in_flight, 16);
    assert_false(watch.has_foreign_memory);
    assert_null(watch.memory);
    assert_false(watch.is_closed_with_memory);
    tear_down(&bed);
}

static void a_session_that_refuses_the_memory_ends_the_run(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.refuses_memory = true});
    run(&bed, "-a POSIX -w -t 4k -b 8k -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_ENVIRONMENT);
    assert_non_null(strstr(bed.error.text, "locked memory"));
    assert_int_equal(bed.result->phase_count, 0);
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void a_session_that_breaks_ends_the_run_in_order(void **state)
{
    struct bed bed;

    (void)state;
    for (unsigned breaks_at = 1; breaks_at <= 20; breaks_at += 6) {
        set_up_watched(&bed, (struct watch){.servers = 4, .breaks_at = breaks_at});
        run_well(&bed, "-a POSIX -w -r -i 2 -t 4k -b 80k --depth 8 -o %s/f");
        assert_int_equal(bed.result->phase_count, 2);
        assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_PARTIAL);
        assert_non_null(strstr(phase(&bed, 0)->failure, "session broke"));
        assert_true(phase(&bed, 0)->op_count < breaks_at);
        assert_int_equal(bed.plan->tests[0]->phases[2]->number, phase(&bed, 1)->phase);
        assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
        assert_int_equal(count_files(&bed), 0);
        assert_null(watch.memory);
        tear_down(&bed);
    }
}

/* ---- depths ---- */

static void each_phase_has_the_depth_and_batch_of_the_plan(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4});
    run_well(&bed, "-a POSIX -w -t 4k -b 800k --depth 16 --batch 4 -o %s/f");
    assert_int_equal(phase(&bed, 0)->depth, 16);
    assert_int_equal(phase(&bed, 0)->batch, 4);
    assert_int_equal(phase(&bed, 0)->depth_curve.count, 0);
    assert_int_equal(phase(&bed, 1)->depth, 0);
    tear_down(&bed);
}

static double worth_of(const struct weir_depth_curve *curve, unsigned depth)
{
    for (unsigned i = 0; i < curve->count; i++)
        if (curve->points[i].depth == depth)
            return curve->points[i].ops_per_s;
    fail_msg("depth %u is not in the curve", depth);
    return 0;
}

static bool rises_up_to_four(const struct weir_depth_curve *curve)
{
    return worth_of(curve, 1) > 0 && worth_of(curve, 1) < 260 &&
           worth_of(curve, 2) > 1.5 * worth_of(curve, 1) &&
           worth_of(curve, 4) > 1.5 * worth_of(curve, 2) &&
           worth_of(curve, 8) < 1.3 * worth_of(curve, 4);
}

/* The device makes four transfers at once, of 4 ms each; the file has eight. What else runs here
 * can spoil a curve, and never mend it: it is right in one of a few runs. */
static void a_depth_is_found_once_before_the_first_repetition(void **state)
{
    const struct weir_depth_curve *curve;
    unsigned first_opens;
    struct bed bed;

    (void)state;
    for (unsigned tries = 0;; tries++) {
        set_up_watched(&bed, (struct watch){.servers = 4, .service_ns = 4000000});
        run_well(&bed, "-a POSIX -w -i 2 -t 4k -b 32k --depth auto:8 --batch 2 -o %s/f");
        curve = &phase(&bed, 0)->depth_curve;
        assert_true(curve->count >= 4);
        if (rises_up_to_four(curve))
            break;
        assert_true(tries < 5);
        tear_down(&bed);
    }
    assert_true(phase(&bed, 0)->depth >= 4 && phase(&bed, 0)->depth <= 8);
    assert_int_equal(phase(&bed, 0)->batch, 2);
    /* Nothing of the trials is counted, and the file is as if there had been none. */
    assert_int_equal(phase(&bed, 0)->op_count, 8);
    assert_int_equal(phase(&bed, 0)->latency->total, 8);
    assert_int_equal(phase(&bed, 0)->file_bytes, 32 * KIB);
    assert_int_equal(phase(&bed, 2)->depth, phase(&bed, 0)->depth);
    first_opens = 3 * curve->count + 1;
    assert_int_equal(watch.open_count, first_opens + 1);
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

/* So that no trial finds blocks that another one has made or read before. */
static void trials_go_on_where_the_last_one_ended(void **state)
{
    unsigned i = 0;
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 1, .service_ns = 8000000});
    run_well(&bed, "-a POSIX -w -E -t 4k -b 400k --depth auto:2 -T 0.005 -o %s/f");
    /* The second trial has depth 2. */
    for (; watch.opens[i] <= 2; i++)
        assert_int_equal(watch.offsets[i], (uint64_t)i * 4 * KIB);
    assert_true(watch.opens[i - 1] == 2 && watch.opens[0] == 1);
    tear_down(&bed);
}

/* A phase that makes its file pays for that, so its trials have to. */
static void trials_of_a_new_file_make_it_anew(void **state)
{
    struct bed bed;
    unsigned i = 0;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 1, .service_ns = 1000000});
    run_well(&bed, "-a POSIX -w -t 4k -b 32k --depth auto:2 -o %s/f");
    for (unsigned trial = 1; trial <= 2; trial++)
        for (unsigned transfer = 0; transfer < 8; transfer++, i++) {
            assert_int_equal(watch.opens[i], trial);
            assert_int_equal(watch.offsets[i], (uint64_t)transfer * 4 * KIB);
        }
    tear_down(&bed);
}

static void a_batch_is_no_more_than_the_depth_that_was_found(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 1, .service_ns = 4000000});
    run_well(&bed, "-a POSIX -w -t 4k -b 32k --depth auto:2 --batch 2 -o %s/f");
    if (phase(&bed, 0)->depth == 1)
        assert_int_equal(phase(&bed, 0)->batch, 1);
    tear_down(&bed);
}

static void a_trial_that_fails_is_the_failure_of_the_phase(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4, .service_ns = 1000000, .fails_at = 20});
    run_well(&bed, "-a POSIX -w -r -t 4k -b 32k --depth auto:8 -o %s/f");
    /* The failure is in the third trial, and the phase opens its file once more. */
    assert_int_equal(watch.open_count, 4);
    assert_int_equal(bed.result->phase_count, 2);
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_PARTIAL);
    assert_int_equal(phase(&bed, 0)->op_count, 0);
    assert_int_equal(phase(&bed, 0)->error_count, 1);
    assert_non_null(strstr(phase(&bed, 0)->failure, "No space left on device"));
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void a_session_that_breaks_in_a_trial_ends_the_run_in_order(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4, .service_ns = 1000000, .breaks_at = 20});
    run_well(&bed, "-a POSIX -w -r -t 4k -b 32k --depth auto:8 -o %s/f");
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_PARTIAL);
    assert_non_null(strstr(phase(&bed, 0)->failure, "session broke"));
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void a_signal_ends_the_trials_and_the_run(void **state)
{
    struct bed bed;
    uint64_t begun_ns;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4, .service_ns = 1000000, .stops_at = 20});
    begun_ns = now_ns();
    run_well(&bed, "-a POSIX -w -r -t 4k -b 1m --depth auto:64 -o %s/f");
    assert_true(now_ns() - begun_ns < 2000000000);
    assert_true(bed.result->is_interrupted);
    assert_int_equal(watch.open_count, 2);
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_PARTIAL);
    assert_true(phase(&bed, 0)->is_interrupted);
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void a_time_limit_ends_the_trials_and_no_phase(void **state)
{
    struct bed bed;
    uint64_t begun_ns;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4, .service_ns = 1000000});
    begun_ns = now_ns();
    run_well(&bed, "-a POSIX -w -T 0.005 -t 4k -b 32k --depth auto:64 -o %s/f");
    assert_true(now_ns() - begun_ns < 4000000000);
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(phase(&bed, 0)->op_count, 8);
    assert_true(phase(&bed, 0)->depth_curve.count >= 1);
    tear_down(&bed);
}

/* Trials of a write in place leave the file, whose data are then those of the phase; trials of a
 * file that was not there before, in a phase that would not replace it, leave none. */
static void trials_in_place_leave_the_file_as_they_found_it(void **state)
{
    struct bed bed;

    (void)state;
    set_up_watched(&bed, (struct watch){.servers = 4, .service_ns = 1000000});
    run(&bed, "-a POSIX -w -k -t 4k -b 64k -o %s/f");
    run_well(&bed, "-a POSIX -w -k -E -r -R -t 4k -b 32k --depth auto:2 -o %s/f");
    assert_int_equal(phase(&bed, 1)->mismatches.wrong_transfers, 0);
    assert_int_equal(file_bytes(&bed, "f"), 64 * KIB);
    assert_true(watch.was_there);
    run_well(&bed, "-a POSIX -w -k -E -t 4k -b 32k --depth auto:2 -o %s/g");
    assert_false(watch.was_there);
    run_well(&bed, "-a POSIX -w -k -t 4k -b 32k --depth auto:2 -o %s/g");
    assert_false(watch.was_there);
    tear_down(&bed);
}

/* ---- devices ---- */

static void call_it_a_device(struct weir_plan *plan)
{
    struct weir_target *target = (struct weir_target *)plan_phase(plan, 0)->target;

    target->is_device = true;
}

static void what_is_called_a_device_must_be_one(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -t 4k -b 32k -o %s/f");
    bed.change = call_it_a_device;
    run(&bed, "-a POSIX -w -k -t 4k -b 32k -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "/f"));
    run(&bed, "-a POSIX -w -k -t 4k -b 32k -o %s/g");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "No such file"));
    assert_int_equal(count_files(&bed), 1);
    bed.change = NULL;
    run(&bed, "-a POSIX -w -k -t 4k -b 32k -o /dev/null");
    assert_non_null(strstr(bed.error.text, WEIR_REMEDY_DEVICE));
    tear_down(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixed_phase_goes_on_with_the_data_that_are_there),
        cmocka_unit_test(writes_of_a_mixed_phase_mend_what_they_overwrite),
        cmocka_unit_test(data_that_nobody_knows_are_replaced_by_a_mix_that_does_not_verify),
        cmocka_unit_test(a_mixed_phase_makes_no_file_and_no_file_longer),
        cmocka_unit_test(a_mixed_phase_goes_as_far_as_a_cut_write_came),
        cmocka_unit_test(read_and_written_times_of_a_mixed_phase_are_told_apart),
        cmocka_unit_test(equal_seeds_make_equal_mixes),
        cmocka_unit_test(a_record_says_what_load_was_asked_for),
        cmocka_unit_test(the_backlog_is_part_of_the_series),
        cmocka_unit_test(processor_time_is_that_of_the_transfers),
        cmocka_unit_test(what_a_session_got_is_in_the_record),
        cmocka_unit_test(a_session_sees_all_memory_that_transfers_use),
        cmocka_unit_test(a_session_that_refuses_the_memory_ends_the_run),
        cmocka_unit_test(a_session_that_breaks_ends_the_run_in_order),
        cmocka_unit_test(each_phase_has_the_depth_and_batch_of_the_plan),
        cmocka_unit_test(a_depth_is_found_once_before_the_first_repetition),
        cmocka_unit_test(trials_go_on_where_the_last_one_ended),
        cmocka_unit_test(trials_of_a_new_file_make_it_anew),
        cmocka_unit_test(a_batch_is_no_more_than_the_depth_that_was_found),
        cmocka_unit_test(a_trial_that_fails_is_the_failure_of_the_phase),
        cmocka_unit_test(a_session_that_breaks_in_a_trial_ends_the_run_in_order),
        cmocka_unit_test(a_signal_ends_the_trials_and_the_run),
        cmocka_unit_test(a_time_limit_ends_the_trials_and_no_phase),
        cmocka_unit_test(trials_in_place_leave_the_file_as_they_found_it),
        cmocka_unit_test(what_is_called_a_device_must_be_one),
    };

    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}

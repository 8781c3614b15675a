/* SPDX-License-Identifier: Apache-2.0 */
/* The command that measures networks, with live output. */

#include "live.h"
#include "side_report.h"

#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/base/random.h"
#include "weir/base/thread.h"
#include "weir/commands/commands.h"
#include "weir/net/net.h"
#include "weir/report/expect.h"
#include "weir/report/measures.h"
#include "weir/report/net_report.h"
#include "weir/report/report.h"
#include "weir/surroundings/surroundings.h"
#include "weir/system/host.h"
#include "weir/system/memory.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of rank 0. */
struct net_recorder {
    const struct weir_net_plan *plan;
    struct weir_record_file record; /* descriptor -1: none is wanted, or it has failed */
    struct weir_error record_error;
    struct weir_text kept; /* records, if figures are computed from them: see needs_records */
    struct weir_live live;
    pthread_mutex_t lock;        /* of `live` */
    struct weir_net_window view; /* of the measurement that goes on */
    uint64_t message_bytes;
    unsigned rank_count;
    pthread_t thread; /* reports counts */
    pthread_cond_t wake;
    bool has_thread;
    bool must_end;
    struct weir_spare_report spare;
    bool has_begun;
    bool has_failed; /* standard output does not take it */
};

static void print(struct net_recorder *recorder, struct weir_text *text)
{
    pthread_mutex_lock(&recorder->lock);
    weir_progress_line_clear(&recorder->live.progress);
    pthread_mutex_unlock(&recorder->lock);
    weir_spare_report_add(&recorder->spare, text);
    if (text->length > 0 && fwrite(text->data, 1, text->length, stdout) != text->length)
        recorder->has_failed = true;
    if (fflush(stdout) != 0)
        recorder->has_failed = true;
    weir_text_close(text);
}

static void begin(struct net_recorder *recorder, const struct weir_net_result *result)
{
    struct weir_text text = {0};

    if (recorder->has_begun)
        return;
    recorder->has_begun = true;
    weir_net_report_begin(recorder->plan, result, &text);
    print(recorder, &text);
}

/* What rank 0 sees of the measurement: the messages of the flows that it drives, of all. */
static struct weir_counts count_messages(const struct net_recorder *recorder)
{
    uint64_t all = 0, own = 0, messages = weir_net_count_messages(&recorder->view, &own, &all);
    double scale = own > 0 ? (double)all / (double)own : 0;
    struct weir_counts counts = {.ranks = recorder->rank_count,
                                 .ranks_counted = recorder->rank_count};

    counts.operations = (uint64_t)((double)messages * scale);
    counts.bytes = counts.operations * recorder->message_bytes;
    return counts;
}

static void *report_counts(void *context)
{
    struct net_recorder *recorder = context;
    const uint64_t interval_ns = weir_live_interval(&recorder->live);
    uint64_t until_ns = weir_clock_kernel_ns() + interval_ns;

    pthread_mutex_lock(&recorder->lock);
    while (!recorder->must_end) {
        struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                 .tv_nsec = (long)(until_ns % 1000000000)};

        pthread_cond_timedwait(&recorder->wake, &recorder->lock, &until);
        if (recorder->must_end || weir_clock_kernel_ns() < until_ns)
            continue;
        until_ns = weir_clock_kernel_ns() + interval_ns;
        if (recorder->live.has_work) {
            struct weir_counts counts = count_messages(recorder);

            weir_live_count(&recorder->live, &counts);
        }
    }
    pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

static void start_counting(struct net_recorder *recorder)
{
    weir_condition_open(&recorder->wake);
    if (weir_live_interval(&recorder->live) > 0)
        recorder->has_thread = weir_thread_start(&recorder->thread, report_counts, recorder) == 0;
}

static void stop_counting(void *context)
{
    struct net_recorder *recorder = context;

    pthread_mutex_lock(&recorder->lock);
    recorder->must_end = true;
    pthread_cond_signal(&recorder->wake);
    pthread_mutex_unlock(&recorder->lock);
    if (recorder->has_thread)
        pthread_join(recorder->thread, NULL);
    recorder->has_thread = false;
    weir_live_close(&recorder->live);
}

static void tell_progress(void *context, uint64_t bytes, unsigned done, unsigned all)
{
    struct net_recorder *recorder = context;
    const struct weir_net_plan *plan = recorder->plan;
    struct weir_live_work work = {.test = done,
                                  .moves_data = true,
                                  .limit_s = (double)(plan->duration_ns + plan->warm_up_ns) * 1e-9};
    char size[WEIR_SIZE_TEXT_BYTES];

    snprintf(work.title, sizeof work.title, "measurement %u of %u, messages of %s", done + 1, all,
             weir_size_format_exact(bytes, size));
    snprintf(work.name, sizeof work.name, "%s %s",
             plan->measure == WEIR_NET_LATENCY ? "latency" : "bandwidth", size);
    if (plan->duration_ns == 0)
        work.limit_s = 0;
    pthread_mutex_lock(&recorder->lock);
    recorder->message_bytes = bytes;
    weir_live_begin(&recorder->live, &work);
    pthread_mutex_unlock(&recorder->lock);
}

/* ---- the result file ---- */

/* Whether figures of all dialects are printed, or compared with conditions. */
static bool needs_records(const struct weir_net_plan *plan)
{
    return plan->expect != NULL || plan->format == WEIR_NET_CSV_LONG ||
           plan->format == WEIR_NET_JSON_LONG;
}

/* The first failure ends it; what is measured is worth more, and goes on. */
static void record(struct net_recorder *recorder, struct weir_text *lines)
{
    int code = 0;

    if (needs_records(recorder->plan))
        weir_text_add_bytes(&recorder->kept, weir_text_string(lines), lines->length);
    if (recorder->record.descriptor >= 0)
        code = weir_record_append(&recorder->record, lines);
    weir_text_close(lines);
    if (code == 0)
        return;
    weir_error_set(&recorder->record_error, WEIR_EXIT_ENVIRONMENT, code, "net: --result", "%s: %s",
                   recorder->plan->result_path, strerror(-code));
    close(recorder->record.descriptor);
    recorder->record.descriptor = -1;
}

static int open_record(struct net_recorder *recorder, struct weir_error *error)
{
    const struct weir_output_file file = {.path = recorder->plan->result_path,
                                          .place = "net: --result",
                                          .kind = WEIR_OUTPUT_RESULT,
                                          .must_append = true};

    if (file.path == NULL)
        return 0;
    recorder->record.path = file.path;
    if (weir_output_file_check(&file, error) != 0)
        return error->code;
    return weir_output_file_open(&file, &recorder->record.descriptor, error);
}

/* Each rank takes part; rank 0 has a result. */
static int record_run(struct net_recorder *recorder, struct weir_group *group,
                      const struct weir_net_result *result, struct weir_error *error)
{
    struct weir_result *host = NULL;
    struct weir_text lines = {0};
    int code;

    if (recorder->plan->result_path == NULL && !needs_records(recorder->plan))
        return 0;
    if (result != NULL) {
        host = weir_result_open(1);
        weir_host_describe(&host->host);
    }
    code = weir_surroundings_describe(group, host, error);
    if (code == 0 && result != NULL) {
        weir_net_record_run(&lines, recorder->plan, result, host);
        record(recorder, &lines);
    }
    weir_result_close(host);
    return code;
}

static void close_record(struct net_recorder *recorder, const struct weir_net_result *result,
                         struct weir_error *error)
{
    struct weir_text lines = {0};
    int code;

    weir_net_record_end(&lines, recorder->plan, result);
    record(recorder, &lines);
    code = weir_record_finish(&recorder->record);
    if (code != 0)
        weir_error_set(&recorder->record_error, WEIR_EXIT_ENVIRONMENT, code, "net: --result",
                       "%s: %s", recorder->plan->result_path, strerror(-code));
    else if (recorder->record.is_damaged)
        weir_error_set(&recorder->record_error, WEIR_EXIT_FLAWED, -ENOENT, "net: --result",
                       "%s was changed by another process while this run appended to it",
                       recorder->plan->result_path);
    if (weir_error_is_set(&recorder->record_error) && !weir_error_is_set(error))
        *error = recorder->record_error;
}

static void tell_measurement(void *context, const struct weir_net_result *result)
{
    struct net_recorder *recorder = context;
    const uint32_t measurement = result->measurement_count - 1;
    struct weir_text text = {0}, lines = {0}, copy = {0};
    struct weir_counts counts = count_messages(recorder);

    counts.seconds = (double)weir_clock_kernel_ns() * 1e-9 - recorder->live.began_s;
    pthread_mutex_lock(&recorder->lock);
    weir_live_end(&recorder->live, &counts);
    pthread_mutex_unlock(&recorder->lock);
    begin(recorder, result);
    weir_net_report_measurement(recorder->plan, result, measurement, &text);
    print(recorder, &text);
    if (measurement == 0)
        weir_net_record_network(&lines, result);
    weir_net_record_measurement(&copy, result, measurement);
    weir_text_add_bytes(&lines, copy.data, copy.length);
    record(recorder, &lines);
    weir_live_run_command(&recorder->live, &copy);
    weir_text_close(&copy);
}

/* Compares the figures of the run with the conditions of the plan; `unmet` is set by the first one
 * that does not hold. Their lines are part of the table, else printed on standard error. */
static void judge_conditions(struct net_recorder *recorder, const struct weir_net_result *result,
                             struct weir_text *lines, struct weir_error *unmet)
{
    const struct weir_net_plan *plan = recorder->plan;
    struct weir_text records = {0};
    struct weir_arena arena = {0};
    const struct weir_expectations *all;

    if (plan->expect == NULL)
        return;
    weir_text_add(&records, "%s", weir_text_string(&recorder->kept));
    weir_net_record_end(&records, plan, result);
    all = weir_expect_judge_run(&arena, weir_measures_of_net(&arena, weir_text_string(&records)),
                                plan->expect, plan->allows_unverified);
    weir_expect_add_lines(lines, all);
    weir_expect_fail(all, unmet);
    weir_text_close(&records);
    weir_arena_close(&arena);
}

/* Appends the report of a run in a format of all dialects. */
static void add_data(const struct net_recorder *recorder, const struct weir_net_result *result,
                     struct weir_text *text)
{
    struct weir_text records = {0};
    struct weir_arena arena = {0};
    const struct weir_measured_run *run;

    weir_text_add(&records, "%s", weir_text_string(&recorder->kept));
    weir_net_record_end(&records, recorder->plan, result);
    run = weir_measures_of_net(&arena, weir_text_string(&records));
    if (recorder->plan->format == WEIR_NET_CSV_LONG) {
        weir_measured_csv_header(text);
        for (unsigned i = 0; i < run->phase_count; i++)
            weir_measured_csv_phase(text, &run->phases[i]);
    } else if (recorder->plan->format == WEIR_NET_JSON_LONG) {
        weir_measured_json_begin(text);
        weir_measured_json_run(text, run, true);
        weir_measured_json_end(text);
    }
    weir_text_close(&records);
    weir_arena_close(&arena);
}

/* Everything has been gathered on rank 0. */
static int conclude(struct net_recorder *recorder, struct weir_net_result *result,
                    struct weir_error *error)
{
    struct weir_text text = {0}, conditions = {0};
    struct weir_error unmet = {0};

    result->finished_s = weir_wall_clock_s();
    weir_net_result_believe(result, recorder->plan);
    if (!weir_error_is_set(error))
        judge_conditions(recorder, result, &conditions, &unmet);
    result->exit_reason = weir_error_is_set(error) ? error->text
                          : result->has_failed     ? "a flow failed"
                          : result->is_interrupted ? "interrupted"
                          : weir_net_result_is_refused(result, recorder->plan)
                              ? "--strict: a warning, or a finding that voids a figure"
                          : weir_error_is_set(&unmet) ? unmet.text
                                                      : NULL;
    result->exit_code = weir_error_is_set(error)      ? (int)error->exit
                        : result->exit_reason != NULL ? WEIR_EXIT_FLAWED
                                                      : WEIR_EXIT_DONE;
    if (!weir_error_is_set(error)) {
        begin(recorder, result);
        weir_net_report_end(recorder->plan, result, &text);
        if (needs_records(recorder->plan))
            add_data(recorder, result, &text);
        if (recorder->plan->format == WEIR_NET_TABLE)
            weir_text_add(&text, "%s", weir_text_string(&conditions));
        else
            fputs(weir_text_string(&conditions), stderr);
        weir_spare_report_add(&recorder->spare, &text);
    }
    weir_spare_report_close(&recorder->spare, result->run_id, result->is_interrupted);
    print(recorder, &text);
    if (result->exit_code == WEIR_EXIT_FLAWED && !weir_error_is_set(error))
        weir_log(WEIR_LOG_WARNING, "exit code 1: %s", result->exit_reason);
    close_record(recorder, result, error);
    weir_text_close(&conditions);
    weir_text_close(&recorder->kept);
    if (recorder->has_failed)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EIO, NULL,
                       "standard output cannot be written");
    return weir_error_is_set(error) ? (int)error->exit : result->exit_code;
}

/* Ranks that were given other words would wait for each other forever. */
static int agree_on_plan(struct weir_group *group, const struct weir_net_plan *plan,
                         struct weir_error *error)
{
    struct weir_text text = {0};
    uint64_t mine, first;

    weir_net_plan_explain(plan, &text);
    mine = first = weir_text_hash(weir_text_string(&text), text.length);
    weir_text_close(&text);
    if (weir_group_broadcast(group, &first, sizeof first, 0) == 0 && first != mine)
        weir_error_usage(error, "net",
                         "this rank was given another plan (%016" PRIx64
                         ") than rank 0 (%016" PRIx64 "): give all ranks the same options",
                         mine, first);
    return weir_group_agree(group, error);
}

int weir_run_net(struct weir_group *group, const struct weir_net_plan *plan,
                 struct weir_shell_helper *helper, const volatile sig_atomic_t *stop_signal,
                 struct weir_error *error)
{
    struct net_recorder recorder = {
        .plan = plan, .record.descriptor = -1, .rank_count = (unsigned)group->size};
    struct weir_net_result *result = NULL;
    struct weir_memory_facts memory;
    struct weir_clock clock;
    int exit_code = WEIR_EXIT_DONE;
    int code;

    pthread_mutex_init(&recorder.lock, NULL);
    weir_live_open(&recorder.live, &plan->live, plan->progress_ns);
    recorder.live.helper = helper;
    recorder.live.stop_signal = stop_signal;
    weir_spare_report_open(&recorder.spare, plan->result_path != NULL);
    if (weir_expect_check_net(plan->expect, weir_net_measure_name(plan->measure), WEIR_EXPECT_PLACE,
                              error) == 0 &&
        group->rank == 0 && weir_live_check(&plan->live, error) == 0)
        open_record(&recorder, error);
    if (agree_on_plan(group, plan, error) != 0)
        return (int)error->exit;
    if (weir_group_share_clock(group, &clock) != 0)
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    if (group->rank == 0) {
        result = weir_net_result_open();
        result->begun_s = weir_wall_clock_s();
        result->run_id = recorder.live.run_id = weir_random_draw();
        start_counting(&recorder);
    }
    if (weir_memory_describe("", &memory) < 0)
        memory.bytes_available = 0;
    code = record_run(&recorder, group, result, error);
    if (code == 0)
        code =
            weir_net_run(&(struct weir_net_params){.plan = plan,
                                                   .group = group,
                                                   .clock = &clock,
                                                   .stop_signal = stop_signal,
                                                   .cache_bytes = weir_processor_cache_bytes(""),
                                                   .copy_memory_bytes = memory.bytes_available / 4,
                                                   .measures = tell_progress,
                                                   .measured = tell_measurement,
                                                   .view = &recorder.view,
                                                   .ends = stop_counting,
                                                   .context = &recorder},
                         result, error);
    if (result != NULL) {
        stop_counting(&recorder); /* a run that did not begin has called nothing */
        exit_code = conclude(&recorder, result, error);
        weir_net_result_close(result);
    }
    /* Without an error that all know of, it was the agreement that failed. */
    if ((code != 0 && !weir_error_is_set(error)) ||
        weir_group_broadcast(group, &exit_code, sizeof exit_code, 0) != 0)
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    return exit_code;
}

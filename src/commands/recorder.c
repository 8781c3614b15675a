/* SPDX-License-Identifier: Apache-2.0 */
/* Each phase is audited, recorded and made stable, and printed, before the next one begins. */
#include "recorder.h"

#include "side_report.h"

#include "weir/audit/audit.h"
#include "weir/base/call_watch.h"
#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/base/remedy.h"
#include "weir/report/measures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME_BYTES 256 /* of a phase, as sentences begin with it; longer ones are cut */
/* A report goes to a file or a terminal in much less; a full pipe without a reader takes for ever.
 */
#define SEIZE_S 5

static int fail(struct weir_error *error, const char *option, const char *path)
{
    int code = errno != 0 ? -errno : -EIO;

    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, option, "%s: %s", path,
                          strerror(-code));
}

/* ---- the report ---- */

static bool may_overwrite(const struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->test_count; i++)
        if (plan->tests[i]->may_overwrite)
            return true;
    return false;
}

static struct weir_output_file report_file(const struct weir_plan *plan)
{
    return (struct weir_output_file){.path = plan->output.summary_path,
                                     .place = WEIR_REMEDY_REPORT_FILE,
                                     .kind = WEIR_OUTPUT_REPORT,
                                     .is_held = weir_report_is_held,
                                     .may_overwrite = may_overwrite(plan)};
}

static int open_report(struct weir_recorder *recorder, struct weir_error *error)
{
    struct weir_output_file file = report_file(recorder->plan);
    int fd;

    if (recorder->out != NULL)
        return 0;
    if (file.path != NULL && weir_output_file_open(&file, &fd, error) != 0)
        return error->code;
    recorder->out = file.path == NULL ? stdout : fdopen(fd, "w");
    if (recorder->out == NULL)
        return fail(error, file.place, file.path);
    if (!recorder->reporter->is_text && recorder->result->launch_mismatch != NULL)
        weir_log(WEIR_LOG_WARNING, "%s", recorder->result->launch_mismatch);
    weir_report_begin(&recorder->text, recorder->plan, recorder->result);
    return 0;
}

/* The reader of a pipe may end before the run does: of an interrupted job, some launchers close it
 * first. The result file has the same in full. */
static bool loses_reader(struct weir_recorder *recorder)
{
    if (errno != EPIPE || recorder->out != stdout || recorder->record.path == NULL)
        return false;
    recorder->is_out_lost = true;
    if (recorder->record.descriptor >= 0)
        weir_log(WEIR_LOG_WARNING, "standard output is closed; the run continues for %s",
                 recorder->record.path);
    return true;
}

static bool has_shadow(const struct weir_recorder *recorder)
{
    return recorder->shadow.dialect != NULL;
}

unsigned weir_recorder_warnings(const struct weir_recorder *recorder)
{
    const struct weir_text *text = has_shadow(recorder) ? &recorder->shadow_text : &recorder->text;

    return recorder->warning_count + weir_report_count_warnings(weir_text_string(text));
}

static int print(struct weir_recorder *recorder, struct weir_error *error)
{
    bool is_printed;

    weir_progress_line_clear(&recorder->live.progress);
    recorder->warning_count = weir_recorder_warnings(recorder);
    weir_text_clear(&recorder->shadow_text);
    weir_spare_report_add(&recorder->spare, &recorder->text);
    if (recorder->is_out_lost) {
        weir_text_clear(&recorder->text);
        return 0;
    }
    errno = 0;
    is_printed = fwrite(weir_text_string(&recorder->text), 1, recorder->text.length,
                        recorder->out) == recorder->text.length &&
                 fflush(recorder->out) == 0;

    weir_text_clear(&recorder->text);
    return is_printed || loses_reader(recorder) ? 0
                                                : fail(error, NULL, "the report cannot be written");
}

/* ---- the result file ---- */

static int record(struct weir_recorder *recorder, struct weir_text *lines, struct weir_error *error)
{
    int code = 0;

    weir_report_spell(lines, 0, recorder->words);
    if (recorder->record.descriptor >= 0) {
        weir_call_begin("append", recorder->plan->output.result_path);
        code = weir_record_append(&recorder->record, lines);
        weir_call_end();
    }
    weir_text_close(lines);
    if (code == 0)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "--result", "%s: %s",
                          recorder->plan->output.result_path, strerror(-code));
}

static const char *list_hosts(const struct weir_result *result, struct weir_arena *arena)
{
    const char *hosts = "";

    for (unsigned i = 0; i < result->node_group_count; i++)
        hosts = weir_arena_printf(arena, "%s%s%s", hosts, i > 0 ? "," : "",
                                  result->node_groups[i].hosts);
    return hosts;
}

/* Its steps that are kept are of other machines than the others. */
static void compare_hosts(struct weir_recorder *recorder)
{
    struct weir_result *result = recorder->result;
    const char *there;

    if (recorder->resumption->run_count == 0)
        return;
    there = list_hosts(recorder->resumption->runs[0].result, &result->arena);
    if (strcmp(there, list_hosts(result, &result->arena)) != 0)
        result->resumed.hosts = there;
}

static struct weir_output_file record_file(const struct weir_plan *plan)
{
    return (struct weir_output_file){.path = plan->output.result_path,
                                     .place = "--result",
                                     .kind = WEIR_OUTPUT_RESULT,
                                     .must_append = true};
}

int weir_recorder_check_files(const struct weir_plan *plan,
                              const struct weir_resumption *resumption, struct weir_error *error)
{
    const struct weir_output_file files[] = {
        record_file(plan),
        report_file(plan),
        {.path = plan->output.position_path,
         .place = plan->output.position_option,
         .kind = WEIR_OUTPUT_POSITION},
    };
    int code = 0;

    for (size_t i = 0; i < sizeof files / sizeof *files && code == 0; i++)
        if (files[i].path != NULL)
            code = weir_output_file_check(&files[i], error);
    if (code == 0)
        code = weir_live_check(&plan->output.live, error);
    if (code == 0)
        code = weir_rank_csv_file_check(plan, resumption, error);
    for (unsigned i = 0; i < plan->test_count && code == 0; i++)
        code = weir_side_report_check(plan, i, error);
    return code;
}

static int open_record(struct weir_recorder *recorder, struct weir_error *error)
{
    struct weir_output_file file = record_file(recorder->plan);
    struct weir_text lines = {0};

    if (file.path == NULL || recorder->record.descriptor >= 0)
        return 0;
    recorder->record.path = file.path;
    if (weir_output_file_open(&file, &recorder->record.descriptor, error) != 0)
        return error->code;
    compare_hosts(recorder);
    weir_record_run(&lines, recorder->plan, recorder->result);
    return record(recorder, &lines, error);
}

/* ---- progress ---- */

static void show_progress(void *context, const struct weir_progress *progress)
{
    struct weir_recorder *recorder = context;
    struct weir_result *result = recorder->result;
    const struct weir_phase *phase = progress->phase;
    struct weir_live_work work = {.is_pause = phase == NULL,
                                  .name = "pause",
                                  .repetition = progress->repetition,
                                  .trial_depth = progress->trial_depth,
                                  .limit_s = progress->sleep_s};
    struct weir_text title = {0};

    pthread_mutex_lock(&recorder->lock);
    if (result->test_count > 0)
        work.test = result->tests[result->test_count - 1].test;
    if (phase == NULL) {
        weir_text_add(&title, "pause of %.0f s", progress->sleep_s);
    } else {
        const struct weir_test *test = recorder->plan->tests[work.test];

        work.moves_data = weir_verb_moves_data(phase->verb);
        work.minimum_s = (double)phase->stop.minimum_ns * 1e-9;
        work.limit_s = (double)phase->stop.deadline_ns * 1e-9;
        snprintf(work.name, sizeof work.name, "%s",
                 weir_measures_name_phase(&result->arena, test, phase));
        if (recorder->plan->test_count > 1)
            weir_text_add(&title, "test %u, ", work.test);
        weir_text_add(&title, "%s",
                      phase->is_check     ? "verify"
                      : phase->is_prefill ? "fill"
                                          : weir_verb_name(phase->verb));
        if (test->repetitions > 1)
            weir_text_add(&title, " %u of %" PRIu64, progress->repetition + 1, test->repetitions);
        if (progress->trial_depth > 0)
            weir_text_add(&title, ", depth %u on trial", progress->trial_depth);
    }
    snprintf(work.title, sizeof work.title, "%s", weir_text_string(&title));
    weir_text_close(&title);
    weir_live_begin(&recorder->live, &work);
    pthread_mutex_unlock(&recorder->lock);
}

/* Of a thread that must not wait: while the main thread holds the lock, there is no line. */
static void show_counts(void *context, const struct weir_counts *counts)
{
    struct weir_recorder *recorder = context;

    if (pthread_mutex_trylock(&recorder->lock) != 0)
        return;
    weir_live_count(&recorder->live, counts);
    pthread_mutex_unlock(&recorder->lock);
}

/* ---- the observer ---- */

static void warn_of_test(const struct weir_recorder *recorder, const struct weir_test_result *begun)
{
    const struct weir_test *test = recorder->plan->tests[begun->test];
    const struct weir_phase *write = weir_test_phase(test, WEIR_WRITE);
    const char *fate = write != NULL && write->transfers.must_replace ? "replaced" : "overwritten";

    if (recorder->reporter->is_text)
        return;
    for (size_t i = 0; i < test->remark_count; i++)
        if (!weir_plan_repeats_remark(recorder->plan, test, i))
            weir_log(WEIR_LOG_WARNING, "%s", test->remarks[i]);
    if (test->rank_limit > begun->rank_count)
        weir_log(WEIR_LOG_WARNING, "%" PRIu64 " ranks were requested, and %u are available",
                 test->rank_limit, begun->rank_count);
    if (begun->no_room[0] != '\0')
        weir_log(WEIR_LOG_WARNING, "%s", begun->no_room);
    if (begun->existing_count == 1)
        weir_log(WEIR_LOG_WARNING, "%s exists already and will be %s", begun->existing_path, fate);
    else if (begun->existing_count > 1)
        weir_log(WEIR_LOG_WARNING, "%s and %" PRIu64 " more files exist already and will be %s",
                 begun->existing_path, begun->existing_count - 1, fate);
}

static int open_files(struct weir_recorder *recorder, struct weir_error *error)
{
    int code = open_record(recorder, error);

    return code != 0 ? code : open_report(recorder, error);
}

static void set_words(struct weir_recorder *recorder, unsigned test)
{
    recorder->words = weir_report_words_of(recorder->plan, test);
    weir_log_set_words(recorder->words);
}

/* A deadline is the usual reason; a file system that reports wrong sizes is a rare one. */
static void warn_of_bytes(const struct weir_recorder *recorder,
                          const struct weir_phase_result *phase)
{
    const struct weir_phase *planned =
        weir_plan_find_phase(recorder->plan, phase->test, phase->phase);

    if (recorder->reporter->is_text || !weir_verb_moves_data(planned->verb) || planned->is_check ||
        phase->outcome != WEIR_OUTCOME_COMPLETE || phase->byte_count == phase->expected_bytes ||
        (phase->byte_count > phase->expected_bytes && planned->stop.minimum_ns > 0))
        return;
    weir_log(
        WEIR_LOG_WARNING, "%s %u: %" PRIu64 " bytes were moved, not the %" PRIu64 " asked for%s",
        weir_verb_name(planned->verb), phase->repetition, phase->byte_count, phase->expected_bytes,
        planned->stop.deadline_ns > 0 ? ", possibly because of the deadline" : "");
}

static bool says_findings(const struct weir_recorder *recorder)
{
    return !recorder->reporter->is_text || recorder->plan->output.warnings_are_errors;
}

static bool is_error(const struct weir_plan *plan, const struct weir_finding *finding)
{
    return finding->severity == WEIR_WARNING ||
           (plan->output.is_strict && finding->effect == WEIR_VOID);
}

/* These have a sentence of their own. */
static bool is_said(const struct weir_finding *finding)
{
    static const char *const names[] = {"failed", "wrong-data", "interrupted", "launcher-mismatch"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(finding->name, names[i]) == 0)
            return true;
    return false;
}

/* That of the sizes of files is a reason of the exit code where bytes were lost. */
static bool is_of_lost_bytes(const struct weir_phase_result *phase,
                             const struct weir_finding *finding)
{
    return phase->has_lost_bytes && strcmp(finding->name, "file-size") == 0;
}

static const char *interrupter_of(const struct weir_plan *plan)
{
    return plan->has_stop_before ? "a signal, or the end of its time (--stop-before)" : "a signal";
}

static void name_phase(const struct weir_phase *planned, unsigned repetition, char name[NAME_BYTES])
{
    if (planned->verb == WEIR_PROGRAM && planned->program != NULL)
        snprintf(name, NAME_BYTES, "%s", planned->program->path);
    else
        snprintf(name, NAME_BYTES, "%s %u", weir_verb_name(planned->verb), repetition);
}

/* The reason of an exit code other than 0 is also written to standard error: of all formats only
 * Weir's own has a place for it, and that may be turned off. */
static void warn(const struct weir_recorder *recorder, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned =
        weir_plan_find_phase(recorder->plan, phase->test, phase->phase);
    uint64_t wrong = phase->mismatches.wrong_transfers;
    char name[NAME_BYTES];

    name_phase(planned, phase->repetition, name);
    if (phase->failure[0] != '\0' && planned->verb == WEIR_PROGRAM)
        weir_log(WEIR_LOG_WARNING, "%s", phase->failure);
    else if (phase->failure[0] != '\0')
        weir_log(WEIR_LOG_WARNING, "%s: %s", name, phase->failure);
    if (wrong > 0)
        weir_log(WEIR_LOG_WARNING, "%s: %" PRIu64 " of %" PRIu64 " %s held wrong data", name, wrong,
                 phase->mismatches.checked_transfers,
                 weir_verb_works_on_trees(planned->verb) ? "files" : "transfers");
    /* A launcher may end the run before it has removed a large tree. */
    if (phase->is_interrupted && weir_verb_works_on_trees(planned->verb) &&
        !weir_verb_removes(planned->verb))
        weir_log(WEIR_LOG_WARNING,
                 "%s: interrupted by %s; " WEIR_REMEDY_REMOVE " removes names that remain", name,
                 interrupter_of(recorder->plan));
    else if (phase->is_interrupted)
        weir_log(WEIR_LOG_WARNING, "%s: interrupted by %s", name, interrupter_of(recorder->plan));
    warn_of_bytes(recorder, phase);
    for (unsigned i = 0; i < phase->finding_count; i++)
        if (is_error(recorder->plan, &phase->findings[i]) && !is_said(&phase->findings[i]) &&
            (says_findings(recorder) || is_of_lost_bytes(phase, &phase->findings[i])))
            weir_log(WEIR_LOG_WARNING, "%s: %s", name, phase->findings[i].text);
}

static void show_notes(const struct weir_recorder *recorder, const struct weir_phase_result *phase)
{
    struct weir_text text = {0};

    weir_report_notes(&text, phase);
    weir_report_spell(&text, 0, recorder->words);
    fputs(weir_text_string(&text), stderr);
    weir_text_close(&text);
}

static int phase_done(void *context, struct weir_phase_result *phase, struct weir_error *error)
{
    struct weir_recorder *recorder = context;
    struct weir_text lines = {0}, copy = {0};
    bool has_command = recorder->plan->output.live.on_phase != NULL;
    int code = 0;

    pthread_mutex_lock(&recorder->lock);
    weir_live_end(&recorder->live,
                  &(struct weir_counts){.ranks = phase->rank_count,
                                        .ranks_counted = phase->rank_count,
                                        .operations = phase->op_count,
                                        .bytes = phase->byte_count,
                                        .has_share = phase->outcome == WEIR_OUTCOME_COMPLETE,
                                        .share = 1,
                                        .slowest_share = 2,
                                        .seconds = phase->windows.total_s});
    weir_audit_phase(recorder->plan, &recorder->result->tests[recorder->result->test_count - 1],
                     phase);
    weir_audit_launch(recorder->result, phase);
    weir_audit_peers(recorder->plan, recorder->result, phase);
    weir_audit_neighbours(recorder->plan, recorder->result,
                          &recorder->result->tests[recorder->result->test_count - 1], phase);
    weir_audit_repetitions(recorder->plan, recorder->result, phase);
    weir_audit_conclude(recorder->plan, phase);
    if (phase->notes != NULL && !recorder->reporter->is_text)
        show_notes(recorder, phase);
    warn(recorder, phase);
    /* Before the record: a phase that a later run keeps has its rows in the file. */
    code = weir_rank_csv_file_add(&recorder->side, recorder->plan, phase, error);
    if (recorder->record.descriptor >= 0 || has_command) {
        int rows_code = code;

        weir_record_phase(&lines, recorder->plan, recorder->result, phase);
        weir_report_spell(&lines, 0, recorder->words);
        if (has_command)
            weir_text_add_bytes(&copy, lines.data, lines.length);
        code = record(recorder, &lines, error);
        code = rows_code != 0 ? rows_code : code;
    }
    if (code == 0)
        code = weir_side_report_write(recorder->plan, recorder->result, phase, error);
    weir_report_phase_done(&recorder->text, recorder->plan, recorder->result, phase);
    if (has_shadow(recorder))
        weir_report_phase_done(&recorder->shadow_text, &recorder->shadow, recorder->result, phase);
    if (code == 0)
        code = print(recorder, error);
    pthread_mutex_unlock(&recorder->lock);
    /* The thread that ends a run may do so meanwhile. */
    weir_live_run_command(&recorder->live, &copy);
    weir_text_close(&copy);
    return code;
}

static int timed_done(void *context, const struct weir_timed_result *timed,
                      struct weir_error *error)
{
    struct weir_recorder *recorder = context;
    struct weir_text lines = {0};
    int code;

    if (recorder->record.descriptor < 0)
        return 0;
    pthread_mutex_lock(&recorder->lock);
    weir_record_timed(&lines, recorder->result, timed);
    code = record(recorder, &lines, error);
    pthread_mutex_unlock(&recorder->lock);
    return code;
}

static void test_ends(void *context, const struct weir_test_result *test)
{
    struct weir_recorder *recorder = context;

    pthread_mutex_lock(&recorder->lock);
    weir_report_test_ends(&recorder->text, recorder->plan, recorder->result, test);
    pthread_mutex_unlock(&recorder->lock);
}

/* ---- tests that an earlier run has finished ---- */

/* Of `kept` as if it had just been done, but for what is read again: whose it is, and how it
 * compares with those of this run. */
static void take_phase(struct weir_recorder *recorder, const struct weir_phase_result *kept,
                       uint64_t run_id, struct weir_text *lines)
{
    struct weir_result *result = recorder->result;
    struct weir_phase_result *phase = weir_result_begin_phase(result);

    *phase = *kept;
    phase->arena = &result->arena;
    if (phase->kept_from[0] == '\0')
        snprintf(phase->kept_from, sizeof phase->kept_from, "%016" PRIx64, run_id);
    weir_audit_peers_anew(recorder->plan, result, phase);
    weir_audit_repetitions(recorder->plan, result, phase);
    weir_audit_conclude(recorder->plan, phase);
    warn(recorder, phase);
    weir_record_phase(lines, recorder->plan, result, phase);
    weir_report_phase_done(&recorder->text, recorder->plan, result, phase);
    weir_result_keep_phase(result, !recorder->reporter->is_text);
}

/* Records the repetitions that an earlier run has finished of a test that is run again. */
static void take_repetitions(struct weir_recorder *recorder, unsigned test, struct weir_text *lines)
{
    const struct weir_resumption *resumption = recorder->resumption;
    const struct weir_result *from = resumption->kept != NULL ? resumption->partly[test] : NULL;

    for (unsigned i = 0; from != NULL && i < from->phase_count; i++)
        if (from->phases[i].test == test &&
            from->phases[i].repetition < resumption->repetitions[test])
            take_phase(recorder, &from->phases[i], from->run_id, lines);
}

static int test_begins(void *context, const struct weir_test_result *test, struct weir_error *error)
{
    struct weir_recorder *recorder = context;
    struct weir_text lines = {0};
    int code;

    pthread_mutex_lock(&recorder->lock);
    code = weir_rank_csv_file_open(&recorder->side, recorder->plan, recorder->resumption,
                                   test->test, error);
    if (code == 0)
        code = open_files(recorder, error);
    if (code == 0) {
        set_words(recorder, test->test);
        warn_of_test(recorder, test);
        weir_record_test(&lines, recorder->plan, recorder->result, test);
        weir_report_test_begins(&recorder->text, recorder->plan, recorder->result, test);
        if (has_shadow(recorder))
            weir_report_test_begins(&recorder->shadow_text, &recorder->shadow, recorder->result,
                                    test);
        take_repetitions(recorder, test->test, &lines);
        code = record(recorder, &lines, error);
    }
    if (code == 0)
        code = print(recorder, error);
    pthread_mutex_unlock(&recorder->lock);
    return code;
}

static void take_times(struct weir_recorder *recorder, const struct weir_result *from,
                       unsigned test, struct weir_text *lines)
{
    for (unsigned i = 0; i < from->timed_count; i++)
        if (from->timed[i].test == test) {
            struct weir_timed_result *timed = weir_result_add_timed(recorder->result);

            *timed = from->timed[i];
            weir_record_timed(lines, recorder->result, timed);
        }
}

static void take_test(struct weir_recorder *recorder, const struct weir_result *from,
                      const struct weir_test_result *kept, struct weir_text *lines)
{
    struct weir_result *result = recorder->result;
    struct weir_test_result *test = &result->tests[result->test_count++];

    *test = *kept;
    weir_record_test(lines, recorder->plan, result, test);
    weir_report_test_begins(&recorder->text, recorder->plan, result, test);
    for (unsigned i = 0; i < from->phase_count; i++)
        if (from->phases[i].test == test->test)
            take_phase(recorder, &from->phases[i], from->run_id, lines);
    take_times(recorder, from, test->test, lines);
    weir_report_test_ends(&recorder->text, recorder->plan, result, test);
}

/* In one piece: a run that is killed meanwhile is rather gone on with than read half. */
static int add_skipped_test(struct weir_recorder *recorder, unsigned test, struct weir_error *error)
{
    const struct weir_result *from = recorder->resumption->kept[test];
    struct weir_text lines = {0};
    int code = open_files(recorder, error);

    if (code != 0)
        return code;
    set_words(recorder, test);
    for (unsigned i = 0; i < from->test_count; i++)
        if (from->tests[i].test == test)
            take_test(recorder, from, &from->tests[i], &lines);
    code = record(recorder, &lines, error);
    return code != 0 ? code : print(recorder, error);
}

static int test_skipped(void *context, unsigned test, struct weir_error *error)
{
    struct weir_recorder *recorder = context;
    int code;

    pthread_mutex_lock(&recorder->lock);
    code = add_skipped_test(recorder, test, error);
    pthread_mutex_unlock(&recorder->lock);
    return code;
}

/* Those that come behind the end of a run that was cut. */
static void take_rest(struct weir_recorder *recorder, struct weir_error *error)
{
    const struct weir_result *result = recorder->result;

    if (recorder->out == NULL || recorder->resumption->kept == NULL)
        return;
    for (unsigned test = 0; test < recorder->plan->test_count; test++) {
        unsigned i = 0;

        while (i < result->test_count && result->tests[i].test != test)
            i++;
        if (i == result->test_count && recorder->resumption->kept[test] != NULL)
            add_skipped_test(recorder, test, error);
    }
}

void weir_recorder_open(struct weir_recorder *recorder, const struct weir_plan *plan,
                        struct weir_result *result, const struct weir_resumption *resumption,
                        struct weir_shell_helper *helper, const volatile sig_atomic_t *stop_signal,
                        struct weir_observer *observer)
{
    *recorder = (struct weir_recorder){
        .plan = plan,
        .result = result,
        .resumption = resumption,
        .reporter = weir_reporter_find(&plan->output),
        .record.descriptor = -1,
    };
    if (plan->output.warnings_are_errors && !recorder->reporter->is_text) {
        recorder->shadow = *plan;
        recorder->shadow.output.reporter = plan->dialect;
    }
    pthread_mutex_init(&recorder->lock, NULL);
    weir_live_open(&recorder->live, &plan->output.live, plan->output.progress_ns);
    recorder->live.run_id = result->run_id;
    recorder->live.helper = helper;
    recorder->live.stop_signal = stop_signal;
    weir_spare_report_open(&recorder->spare,
                           plan->output.summary_path != NULL || plan->output.result_path != NULL);
    *observer = (struct weir_observer){
        .context = recorder,
        .test_skipped = test_skipped,
        .test_begins = test_begins,
        .phase_done = phase_done,
        .timed_done = timed_done,
        .test_ends = test_ends,
        .progress = show_progress,
        .counted = show_counts,
        .keeps_each_note = !recorder->reporter->is_text,
        .progress_interval_ns = weir_live_interval(&recorder->live),
    };
}

bool weir_recorder_seize(struct weir_recorder *recorder)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SEIZE_S;
    return pthread_mutex_timedlock(&recorder->lock, &until) == 0;
}

/* A signal between two phases interrupts none, and no phase reports it. */
static bool is_interrupted_between_phases(const struct weir_result *result)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].is_interrupted)
            return false;
    return result->is_interrupted;
}

/* Prints our block and conditions, unless the report has them. */
static void tell_apart(const struct weir_recorder *recorder)
{
    const struct weir_plan *plan = recorder->plan;
    struct weir_text text = {0};

    if (plan->output.is_apart)
        weir_report_trust(&text, plan, recorder->result);
    if (plan->output.is_apart || !weir_report_has_conditions(plan))
        weir_report_conditions(&text, plan, recorder->result);
    weir_report_spell(&text, 0, weir_report_words_of(recorder->plan, 0));
    fputs(weir_text_string(&text), stderr);
    weir_text_close(&text);
}

static void finish_record(struct weir_recorder *recorder, struct weir_error *error)
{
    const char *path = recorder->plan->output.result_path;
    int code = weir_record_finish(&recorder->record);

    if (weir_error_is_set(error))
        return;
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "--result", "%s: %s", path,
                       strerror(-code));
    else if (recorder->record.is_damaged)
        weir_error_set(error, WEIR_EXIT_FLAWED, -ENOENT, "--result",
                       "%s was changed by another process while this run appended to it", path);
}

int weir_recorder_close(struct weir_recorder *recorder, struct weir_error *error)
{
    struct weir_text lines = {0};
    int code = 0;

    weir_live_close(&recorder->live);
    take_rest(recorder, error);
    if (is_interrupted_between_phases(recorder->result))
        weir_log(WEIR_LOG_WARNING, "the run was interrupted by %s", interrupter_of(recorder->plan));
    weir_rank_csv_file_close(&recorder->side, error);
    /* Before the report: a launcher that ends the run soon after a signal may not wait for it. */
    if (recorder->record.descriptor >= 0) {
        weir_record_end(&lines, recorder->result);
        record(recorder, &lines, error);
        finish_record(recorder, error);
    }
    if (recorder->out != NULL) {
        weir_report_end(&recorder->text, recorder->plan, recorder->result,
                        !recorder->plan->output.is_apart);
        /* Before the end of the report is printed, which may fail. */
        weir_spare_report_add(&recorder->spare, &recorder->text);
        weir_spare_report_close(&recorder->spare, recorder->result->run_id,
                                recorder->result->is_interrupted);
        code = print(recorder, error);
        if (recorder->is_out_lost && recorder->result->exit_code != WEIR_EXIT_DONE)
            weir_log(WEIR_LOG_WARNING, "\"weir report %s\" prints the report",
                     recorder->plan->output.result_path);
        else if (recorder->is_out_lost && !weir_error_is_set(error))
            code = weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EPIPE, NULL,
                                  "the report was not printed to its end: \"weir report %s\" "
                                  "prints it",
                                  recorder->plan->output.result_path);
        if (recorder->out != stdout && fclose(recorder->out) != 0)
            code = fail(error, WEIR_REMEDY_REPORT_FILE, recorder->plan->output.summary_path);
        tell_apart(recorder);
    }
    weir_text_close(&recorder->text);
    weir_text_close(&recorder->shadow_text);
    return code != 0 ? code : error->code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a result file, in one pass. Those that were made at the same time have their records
 * mixed. */
#include "record.h"

#include "dialect.h"

#include "weir/report/redact.h"
#include "weir/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NO_RUN (UINT_MAX - 2) /* only a list is wanted */

struct scanned_run {
    struct weir_recorded_run summary;
    bool is_wanted;            /* and not handed over yet */
    bool is_sound;             /* the plan could be read: records go to `read` as they come */
    char schema[32];           /* "" = none */
    unsigned line_count;       /* records so far */
    struct weir_recorded read; /* as JSON, records need 20 times their size in memory */
    json_t *records;           /* of weir net, as far as they were read */
};

struct weir_record_reader {
    const char *path;
    FILE *file;
    unsigned wanted; /* position, WEIR_LAST_RUN, WEIR_ALL_RUNS or NO_RUN */
    const char *id;  /* runs whose id begins with it are wanted, too; NULL = none */
    bool has_net;    /* runs of weir net are wanted, too */
    struct weir_redaction *redaction; /* NULL = names stay */
    bool is_at_end;
    bool has_records; /* some line is a record, be it of a run whose first line is lost */
    struct scanned_run *runs;
    unsigned count;
    unsigned capacity;
    unsigned next;    /* the first that was not handed over */
    unsigned damaged; /* lines that were left out */
    unsigned lost;    /* number of the first run that cannot be read, from 1 on; 0 = none */
    char *line;
    size_t line_room;
};

static bool is_kind(const json_t *record, const char *kind)
{
    const char *name = json_string_value(json_object_get(record, "record"));

    return name && strcmp(name, kind) == 0;
}

/* ---- from records to a result ---- */

static bool has_begun(const struct weir_result *result, unsigned test, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (result->tests[i].test == test)
            return true;
    return false;
}

static bool read_test(const json_t *record, struct weir_recorded *run)
{
    struct weir_result *result = run->result;
    struct weir_test_result test = {0};

    if (result->test_count >= run->plan->test_count ||
        !weir_json_take(record, weir_record_test_fields, &test, &result->arena) ||
        test.test >= run->plan->test_count || has_begun(result, test.test, result->test_count))
        return false;
    result->tests[result->test_count++] = test;
    return true;
}

static bool read_rank_places(struct weir_phase_result *phase)
{
    for (unsigned i = 0; phase->rank_places && i < phase->rank_count; i++) {
        phase->rank_places[i].rank = i;
        if (phase->rank_places[i].node >= phase->node_count)
            return false;
    }
    return true;
}

/* Findings get the present name of their kind. Files that were written before effects were stored
 * have no evidence: what would be OK or CAUTION is UNVERIFIED. */
static void renew_findings(const json_t *record, struct weir_phase_result *phase)
{
    bool has_effects = json_object_get(record, "believed") != NULL;

    for (unsigned i = 0; i < phase->finding_count; i++) {
        struct weir_finding *finding = &phase->findings[i];
        enum weir_finding_kind kind = weir_finding_lookup(finding->name);

        if (kind == WEIR_FINDING_COUNT)
            continue;
        finding->name = weir_finding_rows[kind].name;
        if (!has_effects)
            finding->effect = weir_finding_rows[kind].effect;
    }
    if (has_effects)
        return;
    weir_result_observe(phase, WEIR_EVIDENCE_SUPPLIED, WEIR_CANNOT_OBSERVE,
                        "an older version recorded no evidence");
    weir_result_believe(phase);
}

/* A phase without the record of its test, or that is not one of the test's plan, would mislead
 * reports. */
static bool read_phase(const json_t *record, struct weir_recorded *run)
{
    struct weir_result *result = run->result;
    struct weir_phase_result *phase = weir_result_begin_phase(result);
    const struct weir_phase *planned;
    bool is_sound;

    phase->file_bytes = UINT64_MAX;
    is_sound = json_object_get(record, "outcome") != NULL &&
               weir_json_take(record, weir_record_phase_fields, phase, &result->arena) &&
               weir_json_take(record, weir_record_detail_fields, phase, &result->arena) &&
               has_begun(result, phase->test, result->test_count) && read_rank_places(phase) &&
               (planned = weir_plan_find_phase(run->plan, phase->test, phase->phase)) != NULL &&
               (!phase->program ||
                (planned->program != NULL && weir_record_is_sound_program(phase->program)));
    if (is_sound)
        renew_findings(record, phase);
    else
        result->phase_count--;
    return is_sound;
}

static bool read_timed(const json_t *record, struct weir_recorded *run)
{
    bool is_sound = weir_json_take(record, weir_record_timed_fields,
                                   weir_result_add_timed(run->result), &run->result->arena);

    run->result->timed_count -= !is_sound;
    return is_sound;
}

static bool read_end(const json_t *record, struct weir_recorded *run)
{
    run->result->is_interrupted = false;
    return weir_json_take(record, weir_record_end_fields, run->result, &run->result->arena);
}

/* Counts the record if it is damaged, and leaves it out. */
static void read_record(const json_t *record, struct weir_recorded *run)
{
    static const struct {
        const char *name;
        bool (*read)(const json_t *record, struct weir_recorded *run);
    } kinds[] = {
        {"test", read_test}, {"phase", read_phase}, {"timed", read_timed}, {"end", read_end}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        run->damaged += is_kind(record, kinds[i].name) && !kinds[i].read(record, run);
    run->result->lost_records = run->damaged;
}

/* The plan and the host, out of the first record. False: it is damaged. */
static bool read_plan(const json_t *record, const char *id, struct weir_recorded *run)
{
    run->plan = weir_plan_open("", 0, NULL);
    if (!weir_json_take(record, weir_record_plan_fields, run->plan, &run->plan->arena) ||
        !weir_record_is_sound(run->plan) || !weir_report_fits(run->plan))
        return false;
    run->result = weir_result_open((unsigned)run->plan->test_count);
    run->result->run_id = strtoull(id, NULL, 16);
    run->result->is_interrupted = true; /* a run that was killed wrote no end */
    return weir_json_take(record, weir_record_run_fields, run->result, &run->result->arena);
}

/* 1 with the run, 0 if its first line is damaged, or an error. */
static int read_run(struct weir_record_reader *reader, struct scanned_run *scanned,
                    struct weir_recorded *run, struct weir_error *error)
{
    const char *schema = scanned->schema[0] != '\0' ? scanned->schema : NULL;

    if (!schema || strcmp(schema, WEIR_RECORD_SCHEMA) != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EPROTONOSUPPORT, reader->path,
                              "run %u has the schema %s; this version reads %s: take the version "
                              "of weir that wrote it",
                              run->number + 1, schema ? schema : "(none)", WEIR_RECORD_SCHEMA);
    if (!scanned->summary.has_report && reader->has_net) {
        run->summary = scanned->summary;
        run->records = json_incref(scanned->records);
        return 1;
    }
    if (!scanned->summary.has_report)
        return weir_error_usage(error, "report",
                                "run %u of %s is one of weir net, which prints its report only "
                                "while it runs: choose another with --run",
                                run->number + 1, reader->path);
    if (!scanned->is_sound) {
        reader->damaged += scanned->line_count;
        reader->lost = reader->lost != 0 ? reader->lost : run->number + 1;
        return 0;
    }
    scanned->read.number = run->number;
    scanned->read.summary = scanned->summary;
    *run = scanned->read;
    scanned->read = (struct weir_recorded){0};
    reader->damaged += run->damaged;
    return 1;
}

void weir_recorded_close(struct weir_recorded *run)
{
    weir_plan_close(run->plan);
    weir_result_close(run->result);
    json_decref(run->records);
    *run = (struct weir_recorded){0};
}

/* ---- from lines to records ---- */

static void release_run(struct scanned_run *run)
{
    weir_recorded_close(&run->read);
    json_decref(run->records);
    run->records = NULL;
    run->is_wanted = run->is_sound = false;
}

/* Reads the plan of a run, if it is wanted. */
static void begin_reading(struct weir_record_reader *reader, struct scanned_run *run,
                          const json_t *record)
{
    unsigned number = (unsigned)(run - reader->runs);
    bool is_shown = run->summary.has_report || reader->has_net;
    bool is_last = reader->wanted == WEIR_LAST_RUN && is_shown;

    for (unsigned i = number; is_last && i-- > 0;)
        release_run(&reader->runs[i]);
    if ((reader->wanted == WEIR_ALL_RUNS && is_shown) || is_last || reader->wanted == number ||
        (reader->id != NULL && strncasecmp(reader->id, run->summary.id, strlen(reader->id)) == 0))
        run->is_wanted = true;
    if (run->is_wanted && !run->summary.has_report)
        run->records = json_array();
    else if (run->is_wanted && strcmp(run->schema, WEIR_RECORD_SCHEMA) == 0)
        run->is_sound = read_plan(record, run->summary.id, &run->read);
}

static void copy_text(char *text, size_t bytes, const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    snprintf(text, bytes, "%s", value ? value : "");
}

static void add_parameters(struct weir_text *text, const json_t *parameters)
{
    const json_t *parameter;
    size_t i;

    json_array_foreach(parameters, i, parameter)
    {
        const char *name = json_string_value(json_object_get(parameter, "name"));
        const char *value = json_string_value(json_object_get(parameter, "value"));
        const char *from = json_string_value(json_object_get(parameter, "from"));

        if (name && value && from && strcmp(from, "default") != 0)
            weir_text_add(text, " %s=%s", name, value);
    }
}

/* Runs of one program have nothing else that tells them apart. */
static void copy_program(struct weir_recorded_run *summary, const json_t *record)
{
    const json_t *tests = json_object_get(json_object_get(record, "plan"), "tests");
    const json_t *phases = json_object_get(json_array_get(tests, 0), "phases");
    const json_t *program = json_object_get(json_array_get(phases, 0), "program");
    const char *path = json_string_value(json_object_get(program, "path"));
    long long ranks = json_integer_value(json_object_get(record, "ranks"));
    struct weir_text text = {0};

    if (!path)
        return;
    weir_text_add(&text, "%s on %lld rank%s", path, ranks, ranks == 1 ? "" : "s");
    add_parameters(&text, json_object_get(program, "parameters"));
    snprintf(summary->program, sizeof summary->program, "%s", weir_text_string(&text));
    weir_text_close(&text);
}

/* Where the run ran, and its command line: runs of one night differ in nothing else. */
static void copy_origin(struct weir_recorded_run *summary, const json_t *record)
{
    const json_t *plan = json_object_get(record, "plan"), *group;
    const char *key;
    json_t *value;
    size_t i;

    summary->rank_count = (unsigned)json_integer_value(json_object_get(record, "ranks"));
    json_array_foreach(json_object_get(record, "environment"), i, group) summary->node_count +=
        (unsigned)json_integer_value(json_object_get(group, "count"));
    copy_text(summary->command, sizeof summary->command,
              json_object_get(plan, "command_line") != NULL ? plan : record, "command_line");
    /* "slurm job", "pbs job"; not "slurm array job" */
    json_object_foreach(json_object_get(record, "job"), key, value)
    {
        const char *word = strchr(key, ' ');

        if (word != NULL && strcmp(word, " job") == 0 && json_is_string(value))
            snprintf(summary->job, sizeof summary->job, "%s %s", key, json_string_value(value));
    }
}

static bool begin_run(struct weir_record_reader *reader, const json_t *record)
{
    struct weir_recorded_run *summary;

    if (reader->count == reader->capacity) {
        unsigned capacity = reader->capacity == 0 ? 16 : 2 * reader->capacity;
        struct scanned_run *runs = realloc(reader->runs, capacity * sizeof *runs);

        if (!runs)
            return false;
        reader->runs = runs;
        reader->capacity = capacity;
    }
    reader->runs[reader->count] = (struct scanned_run){0};
    summary = &reader->runs[reader->count].summary;
    summary->begun_s = json_number_value(json_object_get(record, "begun_s"));
    copy_text(summary->id, sizeof summary->id, record, "run_id");
    copy_text(summary->dialect, sizeof summary->dialect, record, "dialect");
    copy_text(summary->plan_id, sizeof summary->plan_id, record, "plan_id");
    copy_text(summary->resumed_id, sizeof summary->resumed_id, json_object_get(record, "resumed"),
              "run_id");
    copy_text(summary->version, sizeof summary->version, record, "weir");
    summary->has_report = strcmp(summary->dialect, "net") != 0;
    copy_program(summary, record);
    copy_origin(summary, record);
    copy_text(reader->runs[reader->count].schema, sizeof reader->runs->schema, record, "schema");
    begin_reading(reader, &reader->runs[reader->count++], record);
    return true;
}

/* The run that a record belongs to; NULL: its beginning is lost. */
static struct scanned_run *owner_of(const struct weir_record_reader *reader, const json_t *record)
{
    const char *id = json_string_value(json_object_get(record, "run_id"));

    for (unsigned i = reader->count; i-- > 0;)
        if (strcmp(reader->runs[i].summary.id, id ? id : "") == 0)
            return &reader->runs[i];
    return NULL;
}

static bool take_record(struct weir_record_reader *reader, json_t *record)
{
    struct scanned_run *owner;

    if (reader->redaction != NULL)
        weir_redaction_apply(reader->redaction, record);
    if (is_kind(record, "run") && !begin_run(reader, record))
        return false;
    owner = owner_of(reader, record);
    reader->has_records |= json_object_get(record, "record") != NULL;
    if (!owner) {
        reader->damaged++;
        return true;
    }
    if (is_kind(record, "phase") || is_kind(record, "measurement"))
        owner->summary.phase_count++;
    if (is_kind(record, "end")) {
        owner->summary.has_ended = true;
        owner->summary.is_interrupted = json_is_true(json_object_get(record, "interrupted"));
        owner->summary.exit_code = (int)json_integer_value(json_object_get(record, "exit_code"));
    }
    owner->line_count++;
    if (owner->records)
        json_array_append(owner->records, record);
    else if (owner->is_sound)
        read_record(record, &owner->read);
    return true;
}

/* Lines that are not JSON were cut off when a run was killed or a disk was full. */
static int read_line(struct weir_record_reader *reader, struct weir_error *error)
{
    ssize_t length;
    int code = 0;

    errno = 0;
    length = getline(&reader->line, &reader->line_room, reader->file);
    if (length > 0) {
        json_t *record = json_loadb(reader->line, (size_t)length, 0, NULL);

        if (!json_is_object(record))
            reader->damaged += reader->line[strspn(reader->line, " \t\r\n")] != '\0';
        else if (!take_record(reader, record))
            code = -ENOMEM;
        json_decref(record);
    } else {
        reader->is_at_end = true;
        if (ferror(reader->file) || errno)
            code = errno ? -errno : -EIO;
    }
    if (code)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, reader->path, "%s",
                              strerror(-code));
    if (reader->is_at_end && reader->count == 0 && reader->has_records)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EBADMSG, reader->path,
                              "holds no whole run: %u line%s damaged, cut off, or of a run whose "
                              "first line is",
                              reader->damaged, reader->damaged == 1 ? " is" : "s are");
    if (reader->is_at_end && reader->count == 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENODATA, reader->path,
                              "holds no run; result files are made by --result FILE");
    return 0;
}

/* ---- runs, one after the other ---- */

int weir_record_open(const char *path, unsigned run, struct weir_record_reader **reader,
                     struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    struct weir_record_reader *opened;

    if (!file)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, path, "%s", strerror(errno));
    opened = calloc(1, sizeof *opened);
    if (!opened)
        weir_error_out_of_memory();
    *opened = (struct weir_record_reader){.path = path, .file = file, .wanted = run};
    *reader = opened;
    return 0;
}

void weir_record_select(struct weir_record_reader *reader, const char *word, unsigned before,
                        bool has_net)
{
    const size_t length = strlen(word);
    const bool is_number = length > 0 && strspn(word, "0123456789") == length;
    unsigned long number = strtoul(word, NULL, 10);

    reader->has_net = has_net;
    reader->wanted = NO_RUN;
    if (strcasecmp(word, "all") == 0)
        reader->wanted = WEIR_ALL_RUNS;
    else if (strcasecmp(word, "last") == 0)
        reader->wanted = WEIR_LAST_RUN;
    else if (is_number && number > before && number < NO_RUN)
        reader->wanted = (unsigned)number - 1 - before;
    /* 1 to 999 are never ids: one in 16 of these begins with each digit. */
    if (length >= (is_number ? 4 : 1) && strspn(word, "0123456789abcdefABCDEF") == length)
        reader->id = word;
}

void weir_record_redact(struct weir_record_reader *reader, struct weir_redaction *redaction)
{
    reader->redaction = redaction;
}

void weir_record_close(struct weir_record_reader *reader)
{
    if (!reader)
        return;
    for (unsigned i = 0; i < reader->count; i++)
        release_run(&reader->runs[i]);
    fclose(reader->file);
    free(reader->runs);
    free(reader->line);
    free(reader);
}

/* No more records of the next run will come. Which run is the last is known at the end. */
static bool is_next_whole(const struct weir_record_reader *reader)
{
    return reader->is_at_end || (reader->wanted != WEIR_LAST_RUN && reader->next < reader->count &&
                                 (reader->runs[reader->next].summary.has_ended ||
                                  !reader->runs[reader->next].is_wanted));
}

/* 1 with the next run, 0 if nothing of it is whole, or an error. */
static int hand_over(struct weir_record_reader *reader, struct weir_recorded *run,
                     struct weir_error *error)
{
    struct scanned_run *scanned = &reader->runs[reader->next];
    struct weir_recorded made = {.number = reader->next++};
    int code = read_run(reader, scanned, &made, error);

    release_run(scanned);
    if (code > 0)
        *run = made;
    else
        weir_recorded_close(&made);
    return code;
}

int weir_record_next(struct weir_record_reader *reader, struct weir_recorded *run,
                     struct weir_error *error)
{
    for (;;) {
        int code = 0;

        while (code == 0 && !is_next_whole(reader))
            code = read_line(reader, error);
        if (code != 0 || reader->next == reader->count)
            return code;
        if (reader->runs[reader->next].is_wanted)
            code = hand_over(reader, run, error);
        else
            reader->next++;
        if (code != 0)
            return code;
    }
}

unsigned weir_record_damaged(const struct weir_record_reader *reader)
{
    return reader->damaged;
}

unsigned weir_record_lost(const struct weir_record_reader *reader)
{
    return reader->lost;
}

unsigned weir_record_count(const struct weir_record_reader *reader)
{
    return reader->count;
}

int weir_record_read(const char *path, unsigned run, struct weir_recorded *read,
                     struct weir_error *error)
{
    struct weir_record_reader *reader;
    int code = weir_record_open(path, run, &reader, error);

    if (code)
        return code;
    code = weir_record_next(reader, read, error);
    if (code == 0 && reader->lost > 0)
        code = weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EBADMSG, path,
                              "the run is damaged: its first line cannot be read");
    else if (code == 0)
        code = weir_error_set(error, WEIR_EXIT_USAGE, -ENODATA, path, "has fewer runs than that");
    weir_record_close(reader);
    return code < 0 ? code : 0;
}

int weir_record_read_all(const char *path, struct weir_recorded **runs, unsigned *count,
                         struct weir_error *error)
{
    struct weir_record_reader *reader;
    struct weir_recorded *all = NULL;
    unsigned read = 0;
    int code = weir_record_open(path, WEIR_ALL_RUNS, &reader, error);

    if (code)
        return code;
    do {
        all = realloc(all, (read + 1) * sizeof *all);
        if (!all)
            weir_error_out_of_memory();
        code = weir_record_next(reader, &all[read], error);
    } while (code > 0 && ++read > 0);
    weir_record_close(reader);
    if (code == 0) {
        *runs = all;
        *count = read;
    } else {
        weir_recorded_close_all(all, read);
    }
    return code;
}

void weir_recorded_close_all(struct weir_recorded *runs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        weir_recorded_close(&runs[i]);
    free(runs);
}

int weir_record_list(const char *path, struct weir_arena *arena, struct weir_recorded_run **runs,
                     unsigned *count, struct weir_error *error)
{
    struct weir_record_reader *reader;
    int code = weir_record_open(path, NO_RUN, &reader, error);

    if (code)
        return code;
    while (code == 0 && !reader->is_at_end)
        code = read_line(reader, error);
    if (code == 0) {
        *runs = weir_arena_take(arena, reader->count * sizeof **runs);
        for (unsigned i = 0; i < reader->count; i++)
            (*runs)[i] = reader->runs[i].summary;
        *count = reader->count;
    }
    weir_record_close(reader);
    return code;
}

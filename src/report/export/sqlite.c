/* SPDX-License-Identifier: Apache-2.0 */
/* Measured phases in a database of SQLite. Its columns are those of csv-long, from the same table.
 * Ids of phases are hashes of what tells rows apart, so that a run that is imported again has the
 * same ones. */
#include "weir/report/export.h"

#include "measured.h"
#include "record/record.h"

#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/base/version.h"
#include "weir/report/measures.h"
#include "weir/report/redact.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x57656972 /* "Weir" */
#define SCHEMA_VERSION 1
#define LOCK_WAIT_MS 10000 /* an import of 10,000 phases takes less than 1 s */

enum statement {
    RUN,
    TAG,
    PHASE,
    FIGURE,
    FINDING,
    BUCKET,
    INTERVAL,
    FIND_RUN,
    KEEP_BUCKETS,
    KEEP_INTERVALS,
    DROP_RUN,
    COUNT
};

struct import {
    const struct weir_export_request *request;
    const char *path;
    sqlite3 *database;
    sqlite3_stmt *statements[COUNT];
    struct weir_redaction *redaction;
    struct weir_error *error;
    unsigned runs, phases, figures;
};

/* ---- errors ---- */

/* Sets the error from the state of the database. */
static int fail_import(struct import *import)
{
    int code = sqlite3_extended_errcode(import->database);

    if ((code & 0xff) == SQLITE_BUSY)
        return weir_error_set(import->error, WEIR_EXIT_ENVIRONMENT, -EBUSY, import->path,
                              "another process has locked the database for %d s: import again when "
                              "that has ended",
                              LOCK_WAIT_MS / 1000);
    return weir_error_set(import->error, WEIR_EXIT_ENVIRONMENT, -EIO, import->path, "%s",
                          sqlite3_errmsg(import->database));
}

static int execute(struct import *import, const char *sql)
{
    return sqlite3_exec(import->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                              : fail_import(import);
}

/* ---- schema ---- */

static bool is_text(const struct weir_json_field *field)
{
    return field->type == WEIR_JSON_TEXT || field->type == WEIR_JSON_STRING ||
           field->type == WEIR_JSON_NAME || field->type == WEIR_JSON_OWN;
}

/* Appends columns, each after `before`: with types, or as names alone, as a view has them. */
static void add_columns(struct weir_text *sql, const struct weir_json_field *fields,
                        const char *before, bool has_types)
{
    for (; fields->key != NULL; fields++)
        weir_text_add(sql, "%s\"%s\"%s", before, fields->key,
                      !has_types        ? ""
                      : is_text(fields) ? " TEXT"
                                        : " INTEGER");
}

static int make_schema(struct import *import)
{
    struct weir_text sql = {0};
    int code;

    weir_text_add(&sql, "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;\n"
                        "INSERT INTO meta VALUES('schema', 'weir-sqlite-1'),"
                        "('program', 'weir " WEIR_VERSION "');\n"
                        "CREATE TABLE run(source TEXT, begun_s REAL, finished_s REAL");
    add_columns(&sql, weir_measured_run_fields, ",\n  ", true);
    weir_text_add(&sql, ",\n  PRIMARY KEY(run_id)) WITHOUT ROWID;\n"
                        "CREATE TABLE tag(run_id TEXT REFERENCES run ON DELETE CASCADE, key TEXT, "
                        "value TEXT, PRIMARY KEY(run_id, key)) WITHOUT ROWID;\n"
                        "CREATE TABLE phase(phase_id INTEGER PRIMARY KEY, run_id TEXT NOT NULL "
                        "REFERENCES run ON DELETE CASCADE, begun_s REAL, findings TEXT");
    add_columns(&sql, weir_measured_phase_columns, ",\n  ", true);
    weir_text_add(
        &sql, ",\n  UNIQUE(run_id, test, phase, repetition, loops, part, name, target));\n"
              "CREATE TABLE figure(phase_id INTEGER REFERENCES phase ON DELETE CASCADE, name TEXT, "
              "value REAL, unit TEXT, better TEXT, n INTEGER, PRIMARY KEY(phase_id, name)) WITHOUT "
              "ROWID;\n"
              "CREATE TABLE finding(phase_id INTEGER REFERENCES phase ON DELETE CASCADE, position "
              "INTEGER");
    add_columns(&sql, weir_record_finding_fields, ", ", true);
    weir_text_add(
        &sql,
        ", PRIMARY KEY(phase_id, position)) WITHOUT ROWID;\n"
        "CREATE TABLE bucket(phase_id INTEGER REFERENCES phase ON DELETE CASCADE, kind TEXT, "
        "low_ns INTEGER, count INTEGER, PRIMARY KEY(phase_id, kind, low_ns)) WITHOUT ROWID;\n"
        "CREATE TABLE interval(phase_id INTEGER REFERENCES phase ON DELETE CASCADE, t_s REAL, "
        "operations INTEGER, bytes INTEGER, PRIMARY KEY(phase_id, t_s)) WITHOUT ROWID;\n"
        "CREATE INDEX phase_case ON phase(case_id, begun_s);\n"
        "CREATE VIEW result AS SELECT r.run_id, r.label, r.tags");
    add_columns(&sql, weir_measured_phase_columns, ", p.", false);
    add_columns(&sql, weir_measured_last_columns, ", r.", false);
    weir_text_add(
        &sql,
        ", p.findings, f.name AS figure, f.value, f.unit, f.better, f.n "
        "FROM run r JOIN phase p USING(run_id) JOIN figure f USING(phase_id);\n"
        "CREATE VIEW good AS SELECT * FROM result WHERE outcome = 'complete' AND believed "
        "NOT IN ('PARTIAL', 'DO NOT USE', 'WRONG DATA');\n"
        "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
        APPLICATION_ID, SCHEMA_VERSION);
    code = execute(import, weir_text_string(&sql));
    weir_text_close(&sql);
    return code;
}

/* The number that a pragma has; -1 if it cannot be read. */
static int64_t read_pragma(struct import *import, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;

    if (sqlite3_prepare_v2(import->database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* Makes the schema in an empty database, and refuses those of others. */
static int check_schema(struct import *import)
{
    int64_t id = read_pragma(import, "PRAGMA application_id");
    int64_t version = read_pragma(import, "PRAGMA user_version");
    int64_t tables = read_pragma(import, "SELECT count(*) FROM sqlite_master");

    if (id < 0 || tables < 0)
        return fail_import(import);
    if (tables == 0)
        return make_schema(import);
    if (id == APPLICATION_ID && version == SCHEMA_VERSION)
        return 0;
    return weir_error_usage(import->error, "export",
                            "%s is a database of %s: choose another name with -o", import->path,
                            id == APPLICATION_ID ? "another version of weir" : "another program");
}

/* ---- rows ---- */

static int prepare_statements(struct import *import)
{
    static const char *const fixed[COUNT] = {
        /* A comma at the end: followed by the columns of a table. */
        [RUN] = "INSERT INTO run VALUES(?,?,?,",
        [PHASE] = "INSERT OR IGNORE INTO phase VALUES(?,?,?,?,",
        [FINDING] = "INSERT INTO finding VALUES(?,?,",
        [TAG] = "INSERT OR REPLACE INTO tag VALUES(?,?,?)",
        [FIGURE] = "INSERT INTO figure VALUES(?,?,?,?,?,?)",
        [BUCKET] = "INSERT INTO bucket VALUES(?,?,?,?)",
        [INTERVAL] = "INSERT INTO interval VALUES(?,?,?,?)",
        [FIND_RUN] = "SELECT finished_s > 0, (SELECT count(*) FROM phase WHERE run_id = ?1) "
                     "FROM run WHERE run_id = ?1",
        [KEEP_BUCKETS] = "INSERT INTO kept_bucket SELECT b.* FROM bucket b JOIN phase "
                         "USING(phase_id) WHERE run_id = ?",
        [KEEP_INTERVALS] = "INSERT INTO kept_interval SELECT i.* FROM interval i JOIN phase "
                           "USING(phase_id) WHERE run_id = ?",
        [DROP_RUN] = "DELETE FROM run WHERE run_id = ?",
    };

    if (execute(import, "PRAGMA temp_store = MEMORY;"
                        "CREATE TEMP TABLE kept_bucket AS SELECT * FROM bucket WHERE 0;"
                        "CREATE TEMP TABLE kept_interval AS SELECT * FROM interval WHERE 0") != 0)
        return import->error->code;
    for (int i = 0; i < COUNT; i++) {
        const struct weir_json_field *fields = i == RUN     ? weir_measured_run_fields
                                               : i == PHASE ? weir_measured_phase_columns
                                                            : weir_record_finding_fields;
        struct weir_text sql = {0};
        int code;

        weir_text_add(&sql, "%s", fixed[i]);
        for (; sql.data[sql.length - 1] == ','; fields++)
            weir_text_add(&sql, fields[1].key != NULL ? "?," : "?)");
        code = sqlite3_prepare_v2(import->database, weir_text_string(&sql), -1,
                                  &import->statements[i], NULL);
        weir_text_close(&sql);
        if (code != SQLITE_OK)
            return fail_import(import);
    }
    return 0;
}

/* Binds the columns of a table from `place` on; objects as "key=value;key=value". */
static void bind_columns(sqlite3_stmt *statement, int place, const struct weir_json_field *fields,
                         const void *values)
{
    for (; fields->key != NULL; fields++, place++) {
        json_t *value = weir_measured_value(fields, values), *member;
        struct weir_text list = {0};
        const char *key, *text = json_string_value(value);

        json_object_foreach(value, key, member) weir_text_add(
            &list, "%s%s=%s", list.length > 0 ? ";" : "", key, json_string_value(member));
        if (json_is_object(value))
            text = weir_text_string(&list);
        if (text != NULL)
            sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
        else if (json_is_integer(value) || json_is_boolean(value))
            sqlite3_bind_int64(statement, place,
                               json_is_true(value) ? 1 : json_integer_value(value));
        else
            sqlite3_bind_null(statement, place);
        weir_text_close(&list);
        json_decref(value);
    }
}

/* Runs a statement. `types` has a letter for each value that follows: i, int64_t; d, double; s, a
 * text. After these come the columns of `fields`, if it is not NULL. */
static int insert(struct import *import, enum statement which, const struct weir_json_field *fields,
                  const void *values, const char *types, ...)
{
    sqlite3_stmt *statement = import->statements[which];
    int place = 1, code;
    va_list arguments;

    va_start(arguments, types);
    for (; *types != '\0'; types++, place++) {
        if (*types == 'i') {
            sqlite3_bind_int64(statement, place, va_arg(arguments, int64_t));
        } else if (*types == 'd') {
            sqlite3_bind_double(statement, place, va_arg(arguments, double));
        } else {
            json_t *text = weir_json_readable(va_arg(arguments, const char *));

            sqlite3_bind_text(statement, place, json_string_value(text), -1, SQLITE_TRANSIENT);
            json_decref(text);
        }
    }
    va_end(arguments);
    if (fields != NULL)
        bind_columns(statement, place, fields, values);
    code = sqlite3_step(statement);
    code = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : fail_import(import);
    sqlite3_reset(statement);
    return code;
}

/* Histograms and the series of a phase as a whole. */
static int add_details(struct import *import, int64_t id, const struct weir_phase_result *found)
{
    const struct {
        const char *kind;
        const struct weir_histogram *histogram;
    } kinds[] = {{"latency", found->latency},
                 {"response", found->response},
                 {"submission", found->submission},
                 {"read", found->read_latency},
                 {"write", found->write_latency}};
    const struct weir_series *series = import->request->has_series ? found->series : NULL;
    int code = 0;

    for (size_t i = 0; import->request->has_histograms && i < sizeof kinds / sizeof *kinds; i++) {
        const struct weir_histogram *from = kinds[i].histogram;

        if (from == NULL || from->total == 0)
            continue;
        for (unsigned k = (unsigned)from->first;
             code == 0 && k <= weir_histogram_bucket(from->max_ns); k++)
            if (from->counts[k - from->first] > 0)
                code = insert(import, BUCKET, NULL, NULL, "isii", id, kinds[i].kind,
                              (int64_t)weir_histogram_bucket_low(k),
                              (int64_t)from->counts[k - from->first]);
    }
    for (unsigned i = 0; series != NULL && code == 0 && i < series->used; i++)
        code = insert(import, INTERVAL, NULL, NULL, "idii", id,
                      (double)i * (double)(UINT64_C(1) << series->shift) / 1e9,
                      (int64_t)series->ops[i], (int64_t)series->bytes[i]);
    return code;
}

static int add_phase(struct import *import, const struct weir_measured_phase *phase)
{
    struct weir_text key = {0};
    int64_t id;
    int code;

    weir_text_add(&key, "%s %u %u %u\n%s\n%s\n%s\n%s", phase->run->run_id, phase->test,
                  phase->phase, phase->repetition, phase->loops, phase->part, phase->name,
                  phase->target);
    id = (int64_t)(weir_text_hash(weir_text_string(&key), key.length) >> 1);
    weir_text_close(&key);
    code = insert(import, PHASE, weir_measured_phase_columns, phase, "isds", id, phase->run->run_id,
                  phase->begun_s, phase->findings);
    /* A damaged file may have a phase twice: the first one counts. */
    if (code != 0 || sqlite3_changes(import->database) == 0)
        return code;
    import->phases++;
    import->figures += phase->figure_count;
    for (unsigned i = 0; code == 0 && i < phase->figure_count; i++) {
        const struct weir_measured_figure *figure = &phase->figures[i];

        code = insert(import, FIGURE, NULL, NULL, "isdssi", id, figure->row->name, figure->value,
                      figure->row->unit, figure->row->is_more_better ? "higher" : "lower",
                      (int64_t)figure->n);
    }
    for (unsigned i = 0; code == 0 && i < phase->finding_count; i++)
        code = insert(import, FINDING, weir_record_finding_fields, &phase->finding_list[i], "ii",
                      id, (int64_t)i);
    return code == 0 && phase->found != NULL && phase->part[0] == '\0'
               ? add_details(import, id, phase->found)
               : code;
}

/* Puts the run in the place of what there is of it, unless that has its end and this one has none,
 * or has more phases: a copy may be cut. Histograms and series that this import does not read stay.
 */
static int add_run(struct import *import, const struct weir_measured_run *run)
{
    sqlite3_stmt *find = import->statements[FIND_RUN];
    bool is_there, is_whole;
    unsigned phase_count;
    int code = 0;

    if (run->run_id[0] == '\0') {
        weir_log(WEIR_LOG_WARNING, "%s: run %u is left out: files of its version have no run ids",
                 run->source, run->number + 1);
        return 0;
    }
    sqlite3_bind_text(find, 1, run->run_id, -1, SQLITE_TRANSIENT);
    is_there = sqlite3_step(find) == SQLITE_ROW;
    is_whole = is_there && sqlite3_column_int(find, 0) != 0;
    phase_count = is_there ? (unsigned)sqlite3_column_int(find, 1) : 0;
    sqlite3_reset(find);
    if ((is_whole && !run->has_ended) || phase_count > run->phase_count) {
        weir_log(WEIR_LOG_WARNING,
                 "%s: run %s is left out: the database has more of it (%u phases, here %u%s)",
                 run->source, run->run_id, phase_count, run->phase_count,
                 run->has_ended ? "" : " and no end");
        return 0;
    }
    if (is_there && !import->request->has_histograms)
        code = insert(import, KEEP_BUCKETS, NULL, NULL, "s", run->run_id);
    if (is_there && !import->request->has_series && code == 0)
        code = insert(import, KEEP_INTERVALS, NULL, NULL, "s", run->run_id);
    if (code == 0)
        code = insert(import, DROP_RUN, NULL, NULL, "s", run->run_id);
    if (code == 0)
        code = insert(import, RUN, weir_measured_run_fields, run, "sdd", run->source, run->begun_s,
                      run->finished_s);
    import->runs++;
    for (size_t i = 0; code == 0 && i < run->tag_count; i++)
        code = insert(import, TAG, NULL, NULL, "sss", run->run_id, run->tags[i].key,
                      run->tags[i].value);
    for (unsigned i = 0; code == 0 && i < run->phase_count; i++)
        code = add_phase(import, &run->phases[i]);
    if (is_there && code == 0)
        code = execute(
            import, "INSERT INTO bucket SELECT k.* FROM kept_bucket k JOIN phase USING(phase_id);"
                    "INSERT INTO interval SELECT k.* FROM kept_interval k JOIN phase "
                    "USING(phase_id);"
                    "DELETE FROM kept_bucket; DELETE FROM kept_interval");
    return code;
}

/* ---- the import ---- */

static int read_files(struct import *import)
{
    const struct weir_export_request *request = import->request;
    const struct weir_measures_query query = {.paths = request->paths,
                                              .path_count = request->path_count,
                                              .run = request->run,
                                              .label = request->label,
                                              .redaction = import->redaction};
    struct weir_measures *reader = weir_measures_open(&query);
    const struct weir_measured_run *run;
    int code;

    import->runs = import->phases = import->figures = 0;
    while ((code = weir_measures_next(reader, &run, import->error)) > 0)
        if ((code = add_run(import, run)) != 0)
            break;
    for (const char *line = weir_measures_damage(reader); code == 0 && *line != '\0';) {
        int length = (int)strcspn(line, "\n");

        weir_log(WEIR_LOG_WARNING, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
    weir_measures_close(reader);
    return code;
}

/* Imports into an open file. No other process knows a new file: it needs no locks and no journal.
 */
static int import_into(struct import *import, const char *path, bool is_new)
{
    int code = sqlite3_open_v2(path, &import->database,
                               SQLITE_OPEN_READWRITE | (is_new ? SQLITE_OPEN_CREATE : 0),
                               is_new ? "unix-none" : "unix");

    code = code != SQLITE_OK ? fail_import(import) : 0;
    sqlite3_busy_timeout(import->database, LOCK_WAIT_MS);
    if (code == 0)
        code = execute(import, is_new ? "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"
                                      : "PRAGMA journal_mode = DELETE");
    if (code == 0)
        code = execute(import, "PRAGMA foreign_keys = ON; BEGIN IMMEDIATE");
    if (code == 0)
        code = check_schema(import);
    if (code == 0)
        code = prepare_statements(import);
    if (code == 0)
        code = read_files(import);
    if (code == 0)
        code = execute(import, "COMMIT");
    for (int i = 0; i < COUNT; i++) {
        sqlite3_finalize(import->statements[i]);
        import->statements[i] = NULL;
    }
    sqlite3_close(import->database);
    import->database = NULL;
    return code;
}

/* Writes a new database beside its place. Returns -EEXIST if another one is there by then. */
static int import_new(struct import *import)
{
    char beside[PATH_MAX];
    int fd = weir_output_file_beside(import->path, beside), code = fd;

    if (fd >= 0)
        code = import_into(import, beside, true);
    if (fd >= 0 && code == 0 && fsync(fd) != 0)
        code = -errno;
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && code != 0)
        unlink(beside);
    else if (fd >= 0)
        code = weir_output_file_settle(beside, import->path, false);
    if (code != 0 && code != -EEXIST && !weir_error_is_set(import->error))
        weir_error_set(import->error, WEIR_EXIT_ENVIRONMENT, code, import->path,
                       "cannot be made: %s", strerror(-code));
    return code;
}

/* Refuses a file system that does not lock: two imports at once would damage the database. */
static int check_locks(struct import *import)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    int fd = open(import->path, O_RDWR | O_CLOEXEC), code = 0;

    if (fd < 0)
        return weir_error_set(import->error, WEIR_EXIT_ENVIRONMENT, -errno, import->path, "%s",
                              strerror(errno));
    if (fcntl(fd, F_SETLK, &lock) != 0 && errno != EAGAIN && errno != EACCES)
        code = weir_error_set(import->error, WEIR_EXIT_ENVIRONMENT, -errno, import->path,
                              "the file system does not lock files (%s), and an import needs that: "
                              "choose a local file with -o, and copy it",
                              strerror(errno));
    close(fd);
    return code;
}

int weir_export_sqlite(const struct weir_export_request *request, struct weir_text *text,
                       struct weir_error *error)
{
    const struct weir_output_file file = {.path = request->database_path,
                                          .place = "export: -o",
                                          .kind = WEIR_OUTPUT_DATABASE,
                                          .must_append = true,
                                          .is_renamed = true};
    struct import import = {.request = request, .path = request->database_path, .error = error};
    struct stat facts;
    int code = weir_output_file_check(&file, error);

    if (code == 0)
        code = weir_redaction_open(&request->redact, &import.redaction, error);
    if (code != 0)
        return code;
    code = stat(import.path, &facts) != 0 ? import_new(&import) : -EEXIST;
    if (code == -EEXIST && request->redact.redacts && request->redact.key_path == NULL &&
        (stat(import.path, &facts) != 0 || facts.st_size > 0))
        code = weir_error_usage(error, "export: --redact",
                                "%s has pseudonyms of an earlier import, and host-1 may be another "
                                "host now: give --redact-key, or a new database with -o",
                                import.path);
    if (code == -EEXIST && (code = check_locks(&import)) == 0)
        code = import_into(&import, import.path, false);
    weir_redaction_close(import.redaction);
    if (code == 0)
        weir_text_add(text, "%s: imported %u run%s, %u phases, %u figures\n", import.path,
                      import.runs, import.runs == 1 ? "" : "s", import.phases, import.figures);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a result file. Those that were made at the same time have their records mixed. */
#include "record.h"

#include "weir/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool weir_record_is(const json_t *record, const char *kind)
{
    const char *name = json_string_value(json_object_get(record, "record"));

    return name && strcmp(name, kind) == 0;
}

/* What one look through a file finds. */
struct scan {
    struct weir_recorded_run *runs;
    unsigned count;
    unsigned capacity;
    unsigned wanted; /* position, or WEIR_LAST_RUN */
    json_t *kept;    /* records of that run; NULL: none are wanted */
};

static bool begin_run(struct scan *scan, const json_t *record)
{
    const char *id = json_string_value(json_object_get(record, "run_id"));
    const char *dialect = json_string_value(json_object_get(record, "dialect"));
    struct weir_recorded_run *run;

    if (scan->count == scan->capacity) {
        unsigned capacity = scan->capacity == 0 ? 16 : 2 * scan->capacity;
        struct weir_recorded_run *runs = realloc(scan->runs, capacity * sizeof *runs);

        if (!runs)
            return false;
        scan->runs = runs;
        scan->capacity = capacity;
    }
    run = &scan->runs[scan->count++];
    *run = (struct weir_recorded_run){.begun_s =
                                          json_number_value(json_object_get(record, "begun_s"))};
    snprintf(run->id, sizeof run->id, "%s", id ? id : "");
    snprintf(run->dialect, sizeof run->dialect, "%s", dialect ? dialect : "");
    if (scan->kept && scan->wanted == WEIR_LAST_RUN)
        json_array_clear(scan->kept);
    return true;
}

/* Position of the run that a record belongs to. In files of older versions, whose records have no
 * id, it is the one that began last. -1: its beginning is lost. */
static long owner_of(const struct scan *scan, const json_t *record)
{
    const char *id = json_string_value(json_object_get(record, "run_id"));
    long owner = (long)scan->count - 1;

    while (owner >= 0 && strcmp(scan->runs[owner].id, id ? id : "") != 0)
        owner--;
    return owner;
}

static bool is_wanted(const struct scan *scan, long owner)
{
    return owner == (scan->wanted == WEIR_LAST_RUN ? (long)scan->count - 1 : (long)scan->wanted);
}

static bool take_record(struct scan *scan, json_t *record)
{
    long owner;

    if (weir_record_is(record, "run") && !begin_run(scan, record))
        return false;
    owner = owner_of(scan, record);
    if (owner < 0)
        return true;
    if (weir_record_is(record, "phase") || weir_record_is(record, "measurement"))
        scan->runs[owner].phase_count++;
    if (weir_record_is(record, "end"))
        scan->runs[owner].has_ended = true;
    if (scan->kept && is_wanted(scan, owner))
        json_array_append(scan->kept, record);
    return true;
}

/* Lines that are not JSON were cut off when a run was killed or a disk was full. */
static bool scan_lines(struct scan *scan, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool has_memory = true;

    while (has_memory && (length = getline(&line, &room, file)) > 0) {
        json_t *record = json_loadb(line, (size_t)length, 0, NULL);

        if (json_is_object(record))
            has_memory = take_record(scan, record);
        json_decref(record);
    }
    free(line);
    return has_memory;
}

static int scan_file(struct scan *scan, const char *path, struct weir_error *error)
{
    FILE *file = fopen(path, "re");
    int code = 0;

    if (!file)
        return weir_error_set(error, WEIR_EXIT_USAGE, -errno, path, "%s", strerror(errno));
    errno = 0;
    if (!scan_lines(scan, file))
        code = -ENOMEM;
    else if (ferror(file))
        code = errno ? -errno : -EIO;
    fclose(file);
    if (code)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, path, "%s", strerror(-code));
    if (scan->count == 0)
        return weir_error_set(error, WEIR_EXIT_USAGE, -ENODATA, path,
                              "holds no run; result files are made by --result FILE");
    return 0;
}

int weir_record_list(const char *path, struct weir_arena *arena, struct weir_recorded_run **runs,
                     unsigned *count, struct weir_error *error)
{
    struct scan scan = {.wanted = WEIR_LAST_RUN};
    int code = scan_file(&scan, path, error);

    if (code == 0) {
        *runs = weir_arena_take(arena, scan.count * sizeof **runs);
        memcpy(*runs, scan.runs, scan.count * sizeof **runs);
        *count = scan.count;
    }
    free(scan.runs);
    return code;
}

static int check_schema(const json_t *records, const char *path, struct weir_error *error)
{
    const char *schema = json_string_value(json_object_get(json_array_get(records, 0), "schema"));

    if (json_array_size(records) == 0)
        return weir_error_set(error, WEIR_EXIT_USAGE, -ENODATA, path, "has fewer runs than that");
    if (!schema || strcmp(schema, WEIR_RECORD_SCHEMA) != 0)
        return weir_error_set(error, WEIR_EXIT_USAGE, -EPROTONOSUPPORT, path,
                              "has the schema %s; this version reads %s",
                              schema ? schema : "(none)", WEIR_RECORD_SCHEMA);
    return 0;
}

int weir_record_load(const char *path, unsigned run, json_t **records, struct weir_error *error)
{
    struct scan scan = {.wanted = run, .kept = json_array()};
    int code = scan_file(&scan, path, error);

    free(scan.runs);
    if (code == 0)
        code = check_schema(scan.kept, path, error);
    if (code == 0)
        *records = scan.kept;
    else
        json_decref(scan.kept);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of result files: the input is read as one, and what is whole in it is printed
 * as lines of values, as a document, as metrics, as each report of its dialect, and as a page with
 * pictures; then once more with pseudonyms. */
#include "dialect.h"

#include "weir/report/measures.h"
#include "weir/report/pictures.h"
#include "weir/report/redact.h"
#include "weir/report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

/* ---- lines that are still JSON, with another value in one place ---- */

/* A value in `root`, whose holder is set: each step ends with a chance of 1 in 4. */
static json_t *pick_value(json_t *root, unsigned *seed, json_t **holder, const char **key,
                          size_t *index)
{
    json_t *value = root;

    *holder = NULL;
    while (json_is_object(value) || json_is_array(value)) {
        size_t count = json_is_object(value) ? json_object_size(value) : json_array_size(value);

        if (count == 0 || (*holder != NULL && rand_r(seed) % 4 == 0))
            break;
        *holder = value;
        *index = (size_t)rand_r(seed) % count;
        if (json_is_object(value)) {
            void *at = json_object_iter(value);

            for (size_t i = 0; i < *index; i++)
                at = json_object_iter_next(value, at);
            *key = json_object_iter_key(at);
            value = json_object_iter_value(at);
        } else {
            value = json_array_get(value, *index);
        }
    }
    return value;
}

static json_t *other_value(json_t *root, json_t *value, unsigned *seed)
{
    static const json_int_t numbers[] = {0, 1, -1, 2, 3, 7, 64, 1000000, INT32_MAX, INT64_MAX};
    static const char *const texts[] = {"",
                                        "0x0",
                                        "mdtest",
                                        "ior",
                                        "read",
                                        "mixed",
                                        "program",
                                        "mkdir",
                                        "cycle",
                                        "sweep",
                                        "-1",
                                        "%s%n",
                                        "\xf0\x9f\x98\x80",
                                        "a,b;c=d",
                                        "4.0",
                                        "iozone"};
    json_t *holder;
    const char *key;
    size_t index;

    switch (rand_r(seed) % 7) {
    case 0:
        return json_integer(numbers[(size_t)rand_r(seed) % (sizeof numbers / sizeof *numbers)]);
    case 1:
        return json_string(texts[(size_t)rand_r(seed) % (sizeof texts / sizeof *texts)]);
    case 2:
        return json_is_integer(value) ? json_real(1e300) : json_integer(rand_r(seed) % 100);
    case 3:
        return rand_r(seed) % 2 ? json_array() : json_object();
    case 4:
        return rand_r(seed) % 2 ? json_null() : json_boolean(rand_r(seed) % 2);
    case 5: /* twice as long */
        holder = json_deep_copy(value);
        if (json_is_array(value))
            json_array_extend(holder, value);
        return holder;
    default:
        return json_deep_copy(pick_value(root, seed, &holder, &key, &index));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size_t begin = size > 0 ? (size_t)rand_r(&seed) % size : 0, end, length, index;
    json_t *line = NULL, *holder, *value, *other;
    const char *key;
    char *text;

    while (begin > 0 && data[begin - 1] != '\n')
        begin--;
    for (end = begin; end < size && data[end] != '\n'; end++)
        ;
    if (rand_r(&seed) % 8 != 0)
        line = json_loadb((const char *)data + begin, end - begin, 0, NULL);
    if (line == NULL)
        return LLVMFuzzerMutate(data, size, room);
    for (int i = rand_r(&seed) % 3; i >= 0; i--) {
        value = pick_value(line, &seed, &holder, &key, &index);
        other = holder != NULL ? other_value(line, value, &seed) : NULL;
        if (json_is_object(holder) && rand_r(&seed) % 4 == 0)
            json_object_del(holder, key);
        else if (json_is_object(holder))
            json_object_set(holder, key, other);
        else if (json_is_array(holder) && rand_r(&seed) % 4 == 0)
            json_array_remove(holder, index);
        else if (json_is_array(holder))
            json_array_set(holder, index, other);
        json_decref(other);
    }
    text = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    length = text != NULL ? strlen(text) : SIZE_MAX;
    if (text == NULL || size - (end - begin) + length > room) {
        free(text);
        return LLVMFuzzerMutate(data, size, room);
    }
    memmove(data + begin + length, data + end, size - end);
    memcpy(data + begin, text, length);
    free(text);
    return size - (end - begin) + length;
}

/* ---- what is printed of them ---- */

static void print_as(struct weir_text *text, const struct weir_measured_run *run,
                     const struct weir_dialect_reports *reports)
{
    for (size_t i = 0; reports != NULL && reports->reporters[i] != NULL; i++) {
        struct weir_plan plan = *run->plan;

        if (reports->reporters[i]->is_of_sweep && plan.sweep.axis_count == 0)
            continue;
        plan.output.reporter = reports->reporters[i]->name;
        weir_report_whole(text, &plan, run->result);
    }
}

/* A page has all pictures as SVG; the other two forms are of one. Attributes have no number that
 * is none. */
static void draw_run(struct weir_text *text, const struct weir_measured_run *run)
{
    static const char *const kinds[] = {"rate", "sweep", "heat", "latency", "operations", "labels"};
    struct weir_page page = {0};
    struct weir_error error = {0};

    weir_page_add_run(&page, run);
    weir_page_end(&page, text);
    weir_page_close(&page);
    if (strstr(weir_text_string(text), "=\"nan") != NULL ||
        strstr(weir_text_string(text), "=\"-nan") != NULL ||
        strstr(weir_text_string(text), "=\"inf") != NULL)
        abort();
    weir_text_clear(text);
    weir_pictures_list(run, text);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        error = (struct weir_error){0};
        weir_pictures_draw(run, kinds[i], "text", text, &error);
        error = (struct weir_error){0};
        weir_pictures_draw(run, kinds[i], "gnuplot", text, &error);
    }
    weir_text_clear(text);
}

static void print_run(struct weir_text *text, const struct weir_measured_run *run)
{
    draw_run(text, run);
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];

        weir_measured_csv_phase(text, phase);
        for (unsigned k = 0; k < phase->figure_count; k++)
            if (!isfinite(phase->figures[k].value) || phase->figures[k].n == 0)
                abort();
    }
    weir_measured_json_run(text, run, false);
    for (unsigned i = 0; i < run->phase_count; i++)
        weir_measured_influx_phase(text, &run->phases[i]);
    weir_measured_metrics(text, &run, 1);
    if (run->plan == NULL)
        return;
    print_as(text, run, weir_report_dialect(run->plan->dialect));
    print_as(text, run, &weir_ci_reports);
    print_as(text, run, weir_report_dialect("sweep"));
    print_as(text, run, weir_report_dialect("weir"));
    weir_text_clear(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const char *const paths[] = {path};
    struct weir_measures_query query = {.paths = paths, .path_count = 1};
    const struct weir_redact_request redact = {.redacts = true};
    const struct weir_measured_run *run;
    int file = memfd_create("result", 0), code;

    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (int pass = 0; pass < 2; pass++) {
        struct weir_measures *reader = weir_measures_open(&query);
        struct weir_error error = {0};
        struct weir_text text = {0};

        while ((code = weir_measures_next(reader, &run, &error)) > 0)
            print_run(&text, run);
        if ((code < 0) != weir_error_is_set(&error))
            abort();
        weir_measures_close(reader);
        weir_text_close(&text);
        weir_redaction_close(query.redaction);
        if (pass == 0 && weir_redaction_open(&redact, &query.redaction, &error) != 0)
            abort();
    }
    close(file);
    return 0;
}

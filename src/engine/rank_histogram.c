/* SPDX-License-Identifier: Apache-2.0 */
/* A few lines per rank and phase, written when the record of the phase is safe. */
#include "rank_histogram.h"

#include "weir/base/output_file.h"
#include "weir/base/remedy.h"
#include "weir/plan/side_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLACE WEIR_REMEDY_HISTOGRAMS
#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

static const struct {
    const char *label;
    uint64_t end_ns;
    bool ends_line;
} rows[WEIR_RANK_BANDS] = {{"20us", 20 * US, false},
                           {"40us", 40 * US, false},
                           {"60us", 60 * US, false},
                           {"80us", 80 * US, false},
                           {"100us", 100 * US, true},
                           {"200us", 200 * US, false},
                           {"400us", 400 * US, false},
                           {"600us", 600 * US, false},
                           {"800us", 800 * US, false},
                           {"1ms", MS, true},
                           {"2ms", 2 * MS, false},
                           {"4ms", 4 * MS, false},
                           {"6ms", 6 * MS, false},
                           {"8ms", 8 * MS, false},
                           {"10ms", 10 * MS, true},
                           {"12ms", 12 * MS, false},
                           {"14ms", 14 * MS, false},
                           {"16ms", 16 * MS, false},
                           {"18ms", 18 * MS, false},
                           {"20ms", 20 * MS, true},
                           {"40ms", 40 * MS, false},
                           {"60ms", 60 * MS, false},
                           {"80ms", 80 * MS, false},
                           {"100ms", 100 * MS, true},
                           {"200ms", 200 * MS, false},
                           {"400ms", 400 * MS, false},
                           {"600ms", 600 * MS, false},
                           {"800ms", 800 * MS, false},
                           {"1s", S, true},
                           {"2s", 2 * S, false},
                           {"4s", 4 * S, false},
                           {"6s", 6 * S, false},
                           {"8s", 8 * S, false},
                           {"10s", 10 * S, true},
                           {"20s", 20 * S, false},
                           {"40s", 40 * S, false},
                           {"60s", 60 * S, false},
                           {"80s", 80 * S, false},
                           {"120s", 120 * S, true},
                           {"120+s", UINT64_MAX, true}};

bool weir_rank_histogram_is_wanted(const struct weir_run *run, const struct weir_phase *phase)
{
    return run->test->rank_histogram_prefix != NULL && phase->transfers.histogram_name != NULL;
}

static int find_file(const struct weir_run *run, char path[WEIR_PATH_BYTES],
                     struct weir_output_file *file, struct weir_error *error)
{
    char number[16];

    snprintf(number, sizeof number, "%d", run->group->rank);
    *file = (struct weir_output_file){
        .path = path, .place = PLACE, .kind = WEIR_OUTPUT_HISTOGRAMS, .must_append = true};
    if (weir_test_latency_file(run->test, number, path, WEIR_PATH_BYTES) < WEIR_PATH_BYTES)
        return 0;
    return weir_error_usage(error, PLACE, "the names of files would be longer than %d bytes",
                            WEIR_PATH_BYTES - 1);
}

int weir_rank_histogram_check(const struct weir_run *run, const struct weir_phase *phase,
                              struct weir_error *error)
{
    char path[WEIR_PATH_BYTES];
    struct weir_output_file file;
    int code = 0;

    if (weir_rank_histogram_is_wanted(run, phase))
        code = find_file(run, path, &file, error);
    if (code == 0 && weir_rank_histogram_is_wanted(run, phase))
        code = weir_output_file_check(&file, error);
    return code;
}

static void add(const struct weir_histogram *histogram, uint64_t bands[WEIR_RANK_BANDS])
{
    unsigned band = 0;

    for (unsigned i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] == 0)
            continue;
        while (weir_histogram_bucket_end(i) > rows[band].end_ns)
            band++;
        bands[band] += histogram->counts[i];
    }
}

void weir_rank_histogram_take(const struct weir_tally *tally, uint64_t bands[WEIR_RANK_BANDS])
{
    memset(bands, 0, WEIR_RANK_BANDS * sizeof *bands);
    for (unsigned verb = WEIR_OP_WRITE; verb <= WEIR_OP_READ; verb++)
        if (tally->verbs[verb].latency != NULL)
            add(tally->verbs[verb].latency, bands);
}

int weir_rank_histogram_write(const struct weir_run *run, const struct weir_phase *phase,
                              const uint64_t bands[WEIR_RANK_BANDS], struct weir_error *error)
{
    struct weir_text text = {0};
    char path[WEIR_PATH_BYTES];
    struct weir_output_file file;
    unsigned line = 1;
    int fd, code = find_file(run, path, &file, error);

    if (code == 0)
        code = weir_output_file_open(&file, &fd, error);
    if (code != 0)
        return code;
    weir_text_add(&text, "Child: %d Op: %s\n", run->group->rank, phase->transfers.histogram_name);
    for (unsigned i = 0; i < WEIR_RANK_BANDS; i++) {
        if (i == 0 || rows[i - 1].ends_line)
            weir_text_add(&text, "Band %u:   ", line++);
        weir_text_add(&text, "%5s:%-8" PRIu64 "%s", rows[i].label, bands[i],
                      rows[i].ends_line ? "\n" : "");
    }
    weir_text_add(&text, "\n");
    code = weir_output_file_write(fd, weir_text_string(&text), strlen(weir_text_string(&text)));
    close(fd);
    weir_text_close(&text);
    return code == 0 ? 0
                     : weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, PLACE, "%s: %s", path,
                                      strerror(-code));
}

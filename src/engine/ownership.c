/* SPDX-License-Identifier: Apache-2.0 */
/* A sample that says nothing speaks against a file, unless it is empty or another one has a stamp.
 */
#include "ownership.h"

#include "recognise.h"
#include "samples.h"

/* What the samples of a file say so far. */
struct verdict {
    struct weir_traces traces;
    bool is_stamped;
    bool has_data; /* of a benchmark, in other ways */
    bool is_foreign;
    bool is_zero;
};

static bool has_stamp(const unsigned char *data, size_t bytes)
{
    struct weir_stamp_facts facts;

    for (size_t at = 0; at + WEIR_STAMP_BYTES <= bytes; at += sizeof(uint64_t))
        if (weir_stamp_read(data + at, &facts))
            return true;
    return false;
}

static void look_at(struct verdict *verdict, const unsigned char *data, size_t bytes,
                    uint64_t offset)
{
    const struct weir_stretch stretch = {.words = (const uint64_t *)(const void *)data,
                                         .count = bytes / sizeof(uint64_t),
                                         .offset = offset};
    enum weir_content content;

    if (has_stamp(data, bytes)) {
        verdict->is_stamped = true;
        return;
    }
    content = weir_recognise(&verdict->traces, &stretch);
    verdict->is_foreign |= content == WEIR_CONTENT_FOREIGN;
    verdict->is_zero &= content == WEIR_CONTENT_ZERO;
    verdict->has_data |= content == WEIR_CONTENT_BARE || content == WEIR_CONTENT_IOR ||
                         content == WEIR_CONTENT_OLD_IOR;
}

static int look_at_samples(struct weir_samples *samples, struct verdict *verdict)
{
    for (unsigned i = 0; i < WEIR_SAMPLES && !verdict->is_stamped; i++) {
        uint64_t offset = weir_sample_offset(samples->file_bytes, i);
        int64_t moved;

        if (i > 0 && offset == 0)
            continue;
        moved = weir_samples_read(samples, offset);
        if (moved < 0)
            return (int)moved;
        look_at(verdict, samples->data, (size_t)moved, offset);
    }
    return 0;
}

static bool is_zero(const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != 0)
            return false;
    return true;
}

/* Every byte that is in no hole. */
static int read_zeros(struct weir_samples *samples, bool *are_all)
{
    uint64_t read = 0;
    int64_t at = weir_samples_next_data(samples, 0);

    *are_all = false;
    while (at >= 0 && (uint64_t)at < samples->file_bytes) {
        int64_t start = at / WEIR_PIECE_BYTES * WEIR_PIECE_BYTES, moved;

        if (read >= WEIR_ZEROS_READ_MAX)
            return 0;
        moved = weir_samples_read(samples, (uint64_t)start);
        if (moved < 0)
            return (int)moved;
        if (moved == 0 || !is_zero(samples->data, (size_t)moved))
            return 0;
        read += (uint64_t)moved;
        at = weir_samples_next_data(samples, (uint64_t)(start + moved));
    }
    *are_all = at >= 0;
    return at < 0 ? (int)at : 0;
}

static int judge(struct weir_samples *samples, bool *is_benchmarks)
{
    struct verdict verdict = {.is_zero = true};
    bool is_empty = false;
    int code = look_at_samples(samples, &verdict);

    if (code == 0 && !verdict.is_stamped && verdict.is_zero)
        code = read_zeros(samples, &is_empty);
    *is_benchmarks = verdict.is_stamped || is_empty ||
                     (verdict.has_data && !verdict.is_foreign &&
                      weir_traces_suffice(&verdict.traces, samples->file_bytes));
    return code;
}

int weir_ownership_find(struct weir_run *run, const char *path, const struct weir_file_id *id,
                        bool *is_benchmarks)
{
    struct weir_samples samples;
    bool found = false;
    int code = weir_samples_open(&samples, run, path, id);
    int close_code;

    if (code != 0)
        return code;
    code = judge(&samples, &found);
    close_code = weir_samples_close(&samples);
    if (code != 0 || close_code != 0)
        return code != 0 ? code : close_code;
    *is_benchmarks = found;
    return 0;
}

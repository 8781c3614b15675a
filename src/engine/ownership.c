/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps count only where they say that they are: an archive or an image of a disk may hold a whole
 * file of Weir, and is not Weir's. */
#include "ownership.h"

#include "samples.h"
#include "weir/base/call_watch.h"

#include <errno.h>
#include <string.h>

/* Items of this number and below are recognised in any place if they are small: a search of 10 ms.
 */
#define SMALL_ITEMS (1u << 20)

/* What the samples of a file say so far. */
struct verdict {
    struct weir_traces traces;
    uint64_t stamped_pieces;
    uint64_t foreign_pieces;
    bool has_data;                     /* of a benchmark, without stamps */
    bool is_uniform;                   /* zeros alone, or another byte alone */
    const struct weir_item_data *item; /* NULL: no item of a tree */
    bool has_base;
    uint64_t base; /* place of an item's first byte according to its stamps */
};

/* Compares the offset in a stamp with `offset`. Stamps of an item differ from it by whole pieces,
 * all by as many as the first one. Such a file is known by a stamp in its first bytes, where an
 * archive has a header. */
static bool is_in_place(struct verdict *verdict, const struct weir_stamp_facts *facts,
                        uint64_t offset)
{
    uint64_t base = facts->offset - offset;

    if (facts->mode == WEIR_PAYLOAD_NONE)
        return true;
    if ((verdict->item != NULL || offset == 0) && !verdict->has_base &&
        base % WEIR_PIECE_BYTES == 0) {
        verdict->has_base = true;
        verdict->base = base;
    }
    return base == verdict->base;
}

/* True if a stamp begins in the piece at `at`, at the place that it tells, if it tells one. */
static bool has_stamp(struct verdict *verdict, const struct weir_sample *sample, size_t at,
                      size_t step)
{
    size_t end = at + WEIR_PIECE_BYTES;
    struct weir_stamp_facts facts;

    for (; at < end && at + WEIR_STAMP_BYTES <= sample->bytes; at += step)
        if (weir_stamp_read(sample->data + at, &facts) &&
            is_in_place(verdict, &facts, sample->offset + at))
            return true;
    return false;
}

/* Pieces that are neither stamped nor empty are other programs' data, or damaged. Transfers of odd
 * sizes have stamps at any byte. */
static void count_pieces(struct verdict *verdict, const struct weir_sample *sample,
                         uint64_t *stamped, uint64_t *foreign)
{
    for (size_t at = 0; at < sample->bytes; at += WEIR_PIECE_BYTES) {
        size_t left = sample->bytes - at;
        size_t bytes = left < WEIR_PIECE_BYTES ? left : WEIR_PIECE_BYTES;

        if (weir_bytes_are(sample->data + at, bytes, 0) ||
            weir_bytes_are(sample->data + at, bytes, 0xff))
            continue;
        if (has_stamp(verdict, sample, at, sizeof(uint64_t)) || has_stamp(verdict, sample, at, 1))
            ++*stamped;
        else
            ++*foreign;
    }
}

static void look_at(void *context, const struct weir_sample *sample)
{
    struct verdict *verdict = context;
    struct weir_stretch stretch = weir_sample_stretch(sample);
    uint64_t stamped = 0, foreign = 0;
    enum weir_content content;

    /* The rest of a file behind the last whole sample may be part of a transfer, which tells
     * nothing. */
    if (sample->offset > 0 && sample->bytes < WEIR_SECTOR_BYTES) {
        verdict->is_uniform &= weir_bytes_are(sample->data, sample->bytes, sample->data[0]);
        return;
    }
    count_pieces(verdict, sample, &stamped, &foreign);
    verdict->stamped_pieces += stamped;
    content = stamped > 0 ? WEIR_CONTENT_FOREIGN : weir_recognise(&verdict->traces, &stretch);
    verdict->is_uniform &= content == WEIR_CONTENT_ZERO || content == WEIR_CONTENT_UNIFORM;
    if (content == WEIR_CONTENT_FOREIGN && verdict->item != NULL && stamped == 0) {
        struct weir_traces of_item = verdict->traces;

        stretch.offset += verdict->item->offset;
        if (weir_recognise(&of_item, &stretch) == WEIR_CONTENT_BARE) {
            verdict->traces = of_item;
            content = WEIR_CONTENT_BARE;
        }
    }
    if (content == WEIR_CONTENT_FOREIGN || content == WEIR_CONTENT_UNIFORM)
        verdict->foreign_pieces += foreign;
    verdict->has_data |= content == WEIR_CONTENT_BARE || content == WEIR_CONTENT_IOR ||
                         content == WEIR_CONTENT_OLD_IOR || content == WEIR_CONTENT_IOZONE;
}

/* Reads every byte that is in no hole, and sets *are_all if each is `value`. */
static int read_uniform(struct weir_samples *samples, unsigned char value, bool *are_all)
{
    uint64_t read = 0;
    int64_t at = weir_samples_next_data(samples, 0);

    *are_all = false;
    while (at >= 0 && (uint64_t)at < samples->file_bytes) {
        int64_t start = at / WEIR_PIECE_BYTES * WEIR_PIECE_BYTES, moved;

        if (read >= WEIR_UNIFORM_READ_MAX)
            return 0;
        moved = weir_samples_read(samples, (uint64_t)start);
        if (moved < 0)
            return (int)moved;
        if (moved == 0 || !weir_bytes_are(samples->data, (size_t)moved, value))
            return 0;
        read += (uint64_t)moved;
        at = weir_samples_next_data(samples, (uint64_t)(start + moved));
    }
    *are_all = at >= 0;
    return at < 0 ? (int)at : 0;
}

/* `item`: NULL: the file is no item of a tree. */
static int judge(struct weir_samples *samples, const struct weir_name_facts *facts,
                 const struct weir_item_data *item, uint32_t signature, bool *is_benchmarks)
{
    struct verdict verdict = {
        .traces = {.modified_s = facts->modified_s, .own_signature = signature},
        .is_uniform = true,
        .item = item};
    bool is_empty = false;
    uint64_t failed_offset;
    int code = weir_samples_visit(samples, UINT64_MAX, look_at, &verdict, &failed_offset);

    if (code == 0 && verdict.is_uniform && facts->link_count <= 1)
        code = read_uniform(samples, verdict.traces.byte, &is_empty);
    if (verdict.stamped_pieces > 0)
        *is_benchmarks = verdict.stamped_pieces >= verdict.foreign_pieces;
    else
        *is_benchmarks = is_empty || (verdict.has_data && verdict.foreign_pieces == 0 &&
                                      weir_traces_suffice(&verdict.traces));
    return code;
}

/* Recognises an item of a tree in a file that is none of this test: it has no stamp below 64 bytes,
 * and its words follow from its number. */
static int find_small_item(struct weir_samples *samples, const struct weir_traces *times,
                           bool *is_item)
{
    const uint64_t bytes = samples->file_bytes;
    uint64_t first;
    int64_t moved;

    if (bytes < 2 * sizeof first || bytes >= WEIR_PIECE_REST_BYTES)
        return 0;
    moved = weir_samples_read(samples, 0);
    if (moved != (int64_t)bytes)
        return moved < 0 ? (int)moved : 0;
    memcpy(&first, samples->data, sizeof first);
    for (uint64_t number = 0; number < SMALL_ITEMS && !*is_item; number++) {
        uint64_t place = number * WEIR_PIECE_BYTES;
        uint64_t key = weir_bare_word(first, place);

        /* The search costs 20 bits of evidence; a third word or a time in the seed makes up for
         * them. */
        *is_item = key >> 32 <= UINT16_MAX &&
                   (bytes >= 3 * sizeof key || weir_traces_has_time(times, (uint32_t)key)) &&
                   weir_bare_matches(samples->data, bytes, key, place);
    }
    return 0;
}

int weir_ownership_find(struct weir_run *run, const char *path, const struct weir_name_facts *facts,
                        uint32_t signature, bool *is_benchmarks)
{
    const struct weir_traces times = {.modified_s = facts->modified_s};
    struct weir_samples samples;
    bool found = false;
    int code = weir_samples_open(&samples, run, path, &facts->id);
    int close_code;

    if (code != 0)
        return code;
    code = judge(&samples, facts, NULL, signature, &found);
    if (code == 0 && !found)
        code = find_small_item(&samples, &times, &found);
    close_code = weir_samples_close(&samples);
    if (code != 0 || close_code != 0)
        return code != 0 ? code : close_code;
    *is_benchmarks = found;
    return 0;
}

/* Recognises an item of a few bytes: by data equal to those that would be written, or by the words
 * of Weir that follow from its number and its owner. */
static bool is_small_item(struct weir_samples *samples, const struct weir_item_data *item,
                          const struct weir_traces *times)
{
    const uint64_t bytes = samples->file_bytes;
    uint64_t key;

    if (bytes == 0 || bytes >= WEIR_PIECE_REST_BYTES ||
        weir_samples_read(samples, 0) != (int64_t)bytes)
        return false;
    if (item->data != NULL && bytes == item->bytes && memcmp(samples->data, item->data, bytes) == 0)
        return true;
    /* Without a seed, these are the bytes that any run would write. */
    if (bytes < sizeof key)
        return bytes >= sizeof(uint32_t) && bytes == item->bytes &&
               weir_bare_matches(samples->data, bytes, item->owner << 32, item->offset);
    memcpy(&key, samples->data, sizeof key);
    key = weir_bare_word(key, item->offset);
    if (key >> 32 != item->owner || !weir_bare_matches(samples->data, bytes, key, item->offset))
        return false;
    /* The upper half of the first word follows from the number, so do at least 32 bits of the rest
     * or a seed that is a time or the given one. */
    return bytes >= sizeof key + sizeof(uint32_t) ||
           (bytes == item->bytes &&
            ((uint32_t)key == item->seed || weir_traces_has_time(times, (uint32_t)key)));
}

int weir_ownership_judge_item(void *context, const struct weir_found_file *found)
{
    const struct weir_item_data *item = context;
    const struct weir_name_facts facts = {.link_count = found->link_count,
                                          .modified_s = found->modified_s};
    const struct weir_buffers_params memory = {
        .slots = 1, .transfer_bytes = WEIR_SAMPLE_BYTES, .alignment = WEIR_PIECE_BYTES};
    struct weir_samples samples = {.found = found, .file_bytes = found->bytes};
    const struct weir_traces times = {.modified_s = found->modified_s};
    bool is_benchmarks = false;
    int code;

    if (weir_buffers_open(&samples.buffers, &memory) != 0)
        return -ENOMEM;
    samples.data = samples.buffers.memory;
    code = judge(&samples, &facts, item, item->seed, &is_benchmarks);
    if (code == 0 && !is_benchmarks)
        is_benchmarks = is_small_item(&samples, item, &times);
    weir_buffers_close(&samples.buffers);
    return code != 0 || is_benchmarks ? code : -EEXIST;
}

static int code_of_kind(enum weir_name_kind kind)
{
    switch (kind) {
    case WEIR_NAME_FILE:
        return 0;
    case WEIR_NAME_DIRECTORY:
        return -EISDIR;
    case WEIR_NAME_LINK:
        return -ELOOP;
    default:
        return -ESTALE;
    }
}

int weir_ownership_judge_name(const struct weir_run *run, const char *path,
                              const struct weir_name_facts *facts, struct weir_item_data *item)
{
    const struct weir_file_params params = {
        .path = path,
        .can_read = true,
        .claim = WEIR_CLAIM_ITEM,
        .judge = weir_ownership_judge_item,
        .judge_context = item,
        .group = run->self,
        .is_item = true,
    };
    struct weir_file *file;
    int code = code_of_kind(facts->kind);

    if (code == 0 && facts->link_count > 1)
        code = -EMLINK;
    if (code != 0 || facts->bytes == 0)
        return code;
    weir_call_begin("open", path);
    code = run->backend->file->open(run->session, &params, &file);
    weir_call_end();
    if (code != 0)
        return code;
    weir_call_begin("close", path);
    code = run->backend->file->close(run->session, file);
    weir_call_end();
    return code;
}

const char *weir_ownership_reason(int code)
{
    switch (code) {
    case -EEXIST:
        return "it holds no data of a benchmark: move it away, or allow its loss with "
               "--overwrite";
    case -EMLINK:
        return "it is one of several names of a file: remove the name, or allow its "
               "loss with --overwrite";
    case -ELOOP:
        return "it is a symbolic link: remove it";
    case -EISDIR:
        return "it is a directory: remove it";
    case -ESTALE:
        return "it is no regular file: remove it";
    default:
        return strerror(-code);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Data of calls, and the way they go to and from files. Programs write and read in sizes of their
 * own at any place, so what is verified follows from file and place alone, word by word, as in the
 * payload of small transfers. */
#include "program_calls.h"

#include "weir/base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { BUFFER_ALIGNMENT = 4096, BLOCK_BYTES = 4096, FLIPPED_BITS_MAX = 32 };

/* ---- buffers ---- */

static int open_buffer(struct weir_program_walk *walk, struct weir_buffers *buffers, uint64_t bytes)
{
    const struct weir_buffers_params params = {
        .slots = 1,
        .transfer_bytes = bytes,
        .alignment = BUFFER_ALIGNMENT,
        .wants_huge_pages = weir_run_wants_huge_pages(walk->run),
        .place = weir_surroundings_place_memory,
        .place_context = walk->run->surroundings,
    };
    int code = weir_buffers_open(buffers, &params);

    if (code == 0)
        memset(buffers->memory, '0', buffers->bytes);
    return code;
}

uint64_t weir_program_buffer_bytes(uint64_t room, uint64_t bytes)
{
    uint64_t grown = 2 * room < WEIR_CALL_PIECE_BYTES ? 2 * room : WEIR_CALL_PIECE_BYTES;

    return bytes > grown ? bytes : grown;
}

unsigned char *weir_program_buffer(struct weir_program_walk *walk,
                                   const struct weir_statement *statement,
                                   struct weir_buffers *buffers, uint64_t bytes)
{
    uint64_t room = buffers->memory != NULL ? buffers->buffer_bytes : 0;
    uint64_t wanted = weir_program_buffer_bytes(room, bytes);
    int code;

    if (__builtin_expect(room >= bytes && room > 0, 1))
        return buffers->memory;
    weir_buffers_close(buffers);
    *buffers = (struct weir_buffers){0};
    code = open_buffer(walk, buffers, wanted > 0 ? wanted : 1);
    if (code != 0 && wanted > bytes)
        code = open_buffer(walk, buffers, bytes);
    if (code == 0)
        return buffers->memory;
    weir_program_fail(walk, statement,
                      "%s: no memory for %" PRIu64 " bytes (%s): use smaller sizes, or fewer ranks "
                      "per node",
                      weir_calls[statement->call].word, bytes, strerror(-code));
    return NULL;
}

/* ---- what is verified ---- */

static uint64_t key_of(const struct weir_program_walk *walk, uint64_t file_number)
{
    return weir_mix64(file_number + walk->files->seed);
}

/* Bytes of the word at `offset`, which need not be a multiple of words. */
static size_t fill_part(uint64_t key, uint64_t offset, unsigned char *to, uint64_t bytes)
{
    const size_t skipped = offset % sizeof key;
    const uint64_t word = weir_bare_word(key, offset - skipped);
    size_t count = sizeof word - skipped;

    if (count > bytes)
        count = (size_t)bytes;
    memcpy(to, (const unsigned char *)&word + skipped, count);
    return count;
}

static void fill(uint64_t key, uint64_t offset, unsigned char *to, uint64_t bytes)
{
    uint64_t at = offset % sizeof key != 0 ? fill_part(key, offset, to, bytes) : 0;

    for (; at + sizeof key <= bytes; at += sizeof key) {
        const uint64_t word = weir_bare_word(key, offset + at);

        memcpy(to + at, &word, sizeof word);
    }
    if (at < bytes)
        fill_part(key, offset + at, to + at, bytes - at);
}

/* Neither is part of a transfer. */
static void add_data_ns(struct weir_program_walk *walk, uint64_t before_ns)
{
    walk->run->tally->data_ns += weir_run_now(walk->run) - before_ns;
}

void weir_program_fill(struct weir_program_walk *walk, uint64_t file_number, uint64_t offset,
                       void *data, uint64_t bytes)
{
    uint64_t before_ns = weir_run_now(walk->run);

    fill(key_of(walk, file_number), offset, data, bytes);
    add_data_ns(walk, before_ns);
}

void weir_program_poison(struct weir_program_walk *walk, unsigned char *data, uint64_t bytes)
{
    uint64_t before_ns = weir_run_now(walk->run);

    for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t))
        data[at] = (unsigned char)~data[at];
    add_data_ns(walk, before_ns);
}

static enum weir_mismatch_kind kind_of(const unsigned char *found, const unsigned char *right,
                                       size_t bytes)
{
    unsigned bits = 0, filled = 0;

    for (size_t i = 0; i < bytes; i++) {
        bits += (unsigned)__builtin_popcount((unsigned)(found[i] ^ right[i]));
        filled |= found[i];
    }
    if (filled == 0)
        return WEIR_MISMATCH_ZERO;
    return bits <= FLIPPED_BITS_MAX ? WEIR_MISMATCH_FLIP : WEIR_MISMATCH_GARBAGE;
}

static size_t first_wrong(const unsigned char *found, const unsigned char *right)
{
    size_t first = 0;

    while (found[first] == right[first])
        first++;
    return first;
}

/* From the first wrong byte to the last one. */
static void log_block(struct weir_mismatch_log *log, struct weir_mismatch mismatch,
                      const unsigned char *found, const unsigned char *right, size_t bytes)
{
    size_t first = first_wrong(found, right), last = bytes - 1;

    while (found[last] == right[last])
        last--;
    mismatch.kind = kind_of(found + first, right + first, last + 1 - first);
    mismatch.offset += first;
    mismatch.bytes = last + 1 - first;
    weir_mismatch_log_add(log, &mismatch);
}

bool weir_program_compare(struct weir_program_walk *walk, uint64_t file_number, uint64_t offset,
                          const void *data, uint64_t bytes, uint64_t *wrong_offset)
{
    struct weir_mismatch_log *log = &walk->run->tally->mismatches;
    const uint64_t before_ns = weir_run_now(walk->run), key = key_of(walk, file_number);
    struct weir_mismatch mismatch = {.file_number = (uint32_t)file_number,
                                     .reader = (uint32_t)walk->run->group->rank};
    bool is_right = true;

    for (uint64_t at = 0; at < bytes; at += BLOCK_BYTES) {
        const unsigned char *found = (const unsigned char *)data + at;
        size_t count = bytes - at < BLOCK_BYTES ? (size_t)(bytes - at) : BLOCK_BYTES;
        unsigned char right[BLOCK_BYTES];

        fill(key, offset + at, right, count);
        if (__builtin_expect(memcmp(found, right, count) == 0, 1))
            continue;
        mismatch.offset = offset + at;
        log_block(log, mismatch, found, right, count);
        if (is_right)
            *wrong_offset = mismatch.offset + first_wrong(found, right);
        is_right = false;
    }
    add_data_ns(walk, before_ns);
    return is_right;
}

void weir_program_count_compared(struct weir_program_walk *walk, bool is_right)
{
    struct weir_mismatch_log *log = &walk->run->tally->mismatches;

    log->checked_transfers++;
    log->wrong_transfers += !is_right;
}

/* ---- transfers ---- */

static int64_t move_queued(struct weir_program_walk *walk, struct weir_op *op)
{
    struct weir_queue *queue = &walk->run->queue;
    struct weir_op *slot = weir_queue_take(queue), *done;
    int count;

    slot->verb = op->verb;
    slot->is_collective = false;
    slot->may_wait = true;
    slot->file = op->file;
    slot->data = op->data;
    slot->offset = op->offset;
    slot->size = op->size;
    weir_queue_send(queue, slot);
    do
        count = weir_queue_reap(queue, &done, 1, 1, WEIR_FOREVER);
    while (count == 0);
    /* It has broken, and nothing that it has comes back. */
    if (count < 0) {
        op->issued_ns = op->done_ns = weir_run_now(walk->run);
        return count;
    }
    op->issued_ns = done->issued_ns;
    op->done_ns = done->done_ns;
    op->result = done->result;
    weir_queue_give(queue, done);
    return op->result;
}

static int64_t move_once(struct weir_program_walk *walk, struct weir_op *op)
{
    if (!walk->run->queue.is_blocking)
        return move_queued(walk, op);
    weir_queue_transfer(&walk->run->queue, op);
    return op->result;
}

/* Many pieces may take minutes: in between the rank moves, and may be told to end. */
static bool must_give_up(struct weir_program_walk *walk, uint64_t now_ns)
{
    if (weir_program_must_look(walk, now_ns))
        weir_program_look(walk, now_ns);
    return walk->must_end;
}

void weir_program_adapt_piece(struct weir_program_files *files, const struct weir_op *op)
{
    uint64_t took_ns = op->done_ns - op->issued_ns;

    if (took_ns > WEIR_CALL_PIECE_NS) {
        while (took_ns > WEIR_CALL_PIECE_NS && files->piece_bytes > WEIR_CALL_PIECE_LEAST) {
            files->piece_bytes /= 2;
            took_ns /= 2;
        }
    } else if (took_ns < WEIR_CALL_PIECE_NS / 4 && op->size >= files->piece_bytes &&
               files->piece_bytes < WEIR_CALL_PIECE_BYTES) {
        files->piece_bytes *= 2;
    }
}

/* Makes what is written, or damages what is about to be read: in the time between the pieces. */
static void prepare_piece(struct weir_program_walk *walk,
                          const struct weir_program_transfer *transfer, const struct weir_op *op)
{
    if (transfer->verb == WEIR_OP_WRITE)
        weir_program_fill(walk, transfer->file_number, op->offset, op->data, op->size);
    else
        weir_program_poison(walk, op->data, op->size);
    weir_queue_touch(&walk->run->queue);
}

static void compare_piece(struct weir_program_walk *walk, struct weir_program_transfer *transfer,
                          const struct weir_op *op)
{
    uint64_t wrong_offset;
    bool is_right = weir_program_compare(walk, transfer->file_number, op->offset, op->data,
                                         (uint64_t)op->result, &wrong_offset);

    weir_queue_touch(&walk->run->queue);
    if (is_right)
        return;
    if (!transfer->is_wrong)
        transfer->wrong_offset = wrong_offset;
    transfer->is_wrong = true;
}

/* What comes back short goes on. */
int weir_program_move(struct weir_program_walk *walk, struct weir_program_transfer *transfer)
{
    const bool must_verify = walk->program->must_verify;
    struct weir_program_files *files = walk->files;
    struct weir_op *op = &files->op;
    uint64_t aside_ns = 0, piece_end_ns = 0;
    bool is_first = true;

    op->verb = transfer->verb;
    op->file = transfer->file;
    transfer->moved = 0;
    do {
        uint64_t in_room = transfer->moved % transfer->room;
        uint64_t room = transfer->room - in_room, left = transfer->bytes - transfer->moved;
        int64_t moved;

        if (room > files->piece_bytes)
            room = files->piece_bytes;
        op->data = transfer->data + in_room;
        op->offset = transfer->offset + transfer->moved;
        op->size = left < room ? left : room;
        if (must_verify)
            prepare_piece(walk, transfer, op);
        moved = move_once(walk, op);
        if (is_first)
            transfer->begin_ns = op->issued_ns;
        else if (must_verify)
            aside_ns += op->issued_ns - piece_end_ns;
        is_first = false;
        piece_end_ns = op->done_ns;
        transfer->end_ns = piece_end_ns - aside_ns;
        if (moved == -EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? (int)moved : transfer->verb == WEIR_OP_READ ? -ENODATA : -EIO;
        if (must_verify && transfer->verb == WEIR_OP_READ)
            compare_piece(walk, transfer, op);
        transfer->moved += (uint64_t)moved;
        if (op->size >= WEIR_CALL_PIECE_LEAST)
            weir_program_adapt_piece(files, op);
        if (transfer->moved >= transfer->least)
            return 0;
    } while (!must_give_up(walk, op->done_ns));
    return -EINTR;
}

void weir_program_tell_direct(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              const struct weir_program_transfer *transfer)
{
    if (walk->files->has_told_direct)
        return;
    walk->files->has_told_direct = true;
    weir_log(WEIR_LOG_WARNING,
             "rank %d: line %u: %s: %" PRIu64 " bytes at offset %" PRIu64
             ": past the page cache, sizes and offsets are multiples of the sectors of the device "
             "(512 or 4096 bytes)",
             walk->run->group->rank, statement->line, weir_calls[statement->call].word,
             transfer->bytes, transfer->offset);
}

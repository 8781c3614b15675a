/* SPDX-License-Identifier: Apache-2.0 */
/* A look into an existing file: stretches of it, read outside of any timing. */
#ifndef WEIR_ENGINE_SAMPLES_H
#define WEIR_ENGINE_SAMPLES_H

#include "run.h"
#include "weir/payload/recognise.h"

#define WEIR_SAMPLES 16
#define WEIR_SAMPLE_BYTES (64 * 1024)

struct weir_samples {
    struct weir_run *run;
    struct weir_file *file;
    const struct weir_found_file *found; /* read in place of `file`; NULL: not of an item's open */
    struct weir_buffers buffers;
    const unsigned char *data; /* of the latest sample */
    uint64_t file_bytes;
    char path[WEIR_PATH_BYTES];
};

/* Opens the file for reading, alone; it must be the one of `id` (NULL: any). 0 or -errno, and then
 * nothing is left open. */
int weir_samples_open(struct weir_samples *samples, struct weir_run *run, const char *path,
                      const struct weir_file_id *id);

/* Reads up to WEIR_SAMPLE_BYTES from `offset` on, a multiple of WEIR_PIECE_BYTES, through the queue
 * like every transfer. Returns how many it got, or -errno. */
int64_t weir_samples_read(struct weir_samples *samples, uint64_t offset);

/* Where the first data are from `offset` on, as far as the backend knows the holes of a file: the
 * end of the file if there are none. */
int64_t weir_samples_next_data(const struct weir_samples *samples, uint64_t offset);

int weir_samples_close(struct weir_samples *samples);

/* What was read at one place of a file. */
struct weir_sample {
    const unsigned char *data;
    size_t bytes;
    uint64_t offset;
    unsigned number; /* below WEIR_SAMPLES */
};

/* The words of a sample. */
static inline struct weir_stretch weir_sample_stretch(const struct weir_sample *sample)
{
    return (struct weir_stretch){.words = (const uint64_t *)(const void *)sample->data,
                                 .count = sample->bytes / sizeof(uint64_t),
                                 .rest = sample->bytes % sizeof(uint64_t),
                                 .offset = sample->offset};
}

/* Reads up to WEIR_SAMPLES places of the first `bytes` of the file (UINT64_MAX: all of it) and
 * calls `visit` for each, in their order and no byte twice: places spread evenly, and the end,
 * which was written however sparse the file is before it. 0, or -errno and in *failed_offset the
 * place that could not be read. */
int weir_samples_visit(struct weir_samples *samples, uint64_t bytes,
                       void (*visit)(void *context, const struct weir_sample *sample),
                       void *context, uint64_t *failed_offset);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file holds what a benchmark wrote, from stretches of it: data of Weir that have no
 * stamps, those of IOR's releases, mdtest and md-workbench with whatever signature, and those of
 * IOzone. */
#ifndef WEIR_PAYLOAD_RECOGNISE_H
#define WEIR_PAYLOAD_RECOGNISE_H

#include "weir/payload/payload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The origin of the data in one stretch of a file. */
enum weir_content {
    WEIR_CONTENT_ZERO,    /* nothing, a hole maybe */
    WEIR_CONTENT_ONES,    /* all bits set, which IOR fills files with before random writes */
    WEIR_CONTENT_UNIFORM, /* one other byte throughout: IOzone with -V, Parabench */
    WEIR_CONTENT_BARE,    /* transfers of Weir that are too small for a stamp */
    WEIR_CONTENT_IOR,     /* what IOR 4 writes */
    WEIR_CONTENT_OLD_IOR, /* what IOR 3 writes, and earlier releases */
    WEIR_CONTENT_IOZONE,  /* one byte eight times at the start of each page, and zeros */
    WEIR_CONTENT_FOREIGN  /* anything else */
};

/* The words of a stretch at a multiple of 8 bytes in its file. */
struct weir_stretch {
    const uint64_t *words;
    size_t count;
    size_t rest;     /* bytes of a last word that is cut */
    uint64_t offset; /* of the first one, in bytes */
};

/* Findings about a file so far. Starts as zeros. */
struct weir_traces {
    uint64_t bare_key;             /* of WEIR_CONTENT_BARE */
    uint32_t signature;            /* of words that count, 0: not known */
    bool has_repeated;             /* they began again where a transfer did; or nothing counts */
    enum weir_ior_pattern pattern; /* of WEIR_CONTENT_IOR */
    unsigned char byte;            /* of WEIR_CONTENT_UNIFORM and WEIR_CONTENT_IOZONE; 0: none */
};

/* Looks at a stretch. Stretches are looked at in their order, and the first one begins the file.
 * Zeros between data are taken for holes. A few damaged words in a hundred do not matter. */
enum weir_content weir_recognise(struct weir_traces *traces, const struct weir_stretch *stretch);

/* Words that count up by one through a whole file are IOR's if it wrote one transfer: false if they
 * begin with 1, as numbers of any program do, or are seconds since 1970 that were over when the
 * file was last modified (likewise in seconds), as a record of times has them. */
bool weir_traces_suffice(const struct weir_traces *traces, uint64_t file_bytes, int64_t modified_s);

/* The signature that most words of a stretch of counting words have, in transfers of
 * `transfer_bytes` from the start of the file on; false if less than half agree. */
bool weir_recognise_signature(const struct weir_stretch *stretch, uint64_t transfer_bytes,
                              bool has_offset_words, int32_t *signature);

#endif

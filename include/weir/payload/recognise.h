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
    WEIR_CONTENT_UNIFORM, /* a byte of Parabench, or of IOzone with -V or -+X, throughout */
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

/* Findings about a file so far. Starts as zeros, but for what is known of the file and the run. */
struct weir_traces {
    int64_t modified_s;     /* modification of the file, in seconds since 1970; 0 = unknown */
    uint32_t own_signature; /* signature that the user gave for this run; 0 = none */
    bool has_any_signature; /* IOR's data are expected, with whatever signature */
    uint64_t bare_key;      /* of WEIR_CONTENT_BARE */
    uint32_t signature;     /* of words that count, 0: not known */
    uint32_t last_count;    /* the largest of words that count */
    uint64_t constant;      /* that incompressible transfers repeat; 0: none */
    bool has_repeated;      /* they began again where a transfer did; or nothing counts */
    enum weir_ior_pattern pattern; /* of WEIR_CONTENT_IOR */
    unsigned char byte;            /* of WEIR_CONTENT_UNIFORM and WEIR_CONTENT_IOZONE; 0: none */
};

/* Recognises the data of a stretch. Stretches are passed in their order, and the first one begins
 * the file. Zeros between data are taken for holes. A few damaged words in a hundred do not matter.
 * A benchmark's data have at least 64 bits that no other program writes: those of a hash or of a
 * generator; or they are transfers of at least 64 bytes that count from a signature, which is a
 * time up to a day before the file's modification, or the one of this run. */
enum weir_content weir_recognise(struct weir_traces *traces, const struct weir_stretch *stretch);

/* True if `seed` is a time up to a day before the file was modified, as one that the user did not
 * give is. */
bool weir_traces_has_time(const struct weir_traces *traces, uint32_t seed);

/* Words that count up by one through a whole file may be a record of times: false if they never
 * begin again, were over when the file was modified, and do not begin with the signature of this
 * run. */
bool weir_traces_suffice(const struct weir_traces *traces);

/* The signature that most words of a stretch of counting words have, in transfers of
 * `transfer_bytes` from the start of the file on; false if less than half agree. */
bool weir_recognise_signature(const struct weir_stretch *stretch, uint64_t transfer_bytes,
                              bool has_offset_words, int32_t *signature);

#endif

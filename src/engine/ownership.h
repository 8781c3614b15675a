/* SPDX-License-Identifier: Apache-2.0 */
/* Tells files of a benchmark, which may be overwritten and removed, from all others. */
#ifndef WEIR_ENGINE_OWNERSHIP_H
#define WEIR_ENGINE_OWNERSHIP_H

#include "run.h"

/* Of a file of zeros that are no holes, or of another byte, so much is read to be sure: what dd
 * with bs=1M count=1000 leaves is no more, and takes a second to read. */
#define WEIR_UNIFORM_READ_MAX (UINT64_C(1) << 30)

/* Sets *is_benchmarks if at least half of the pieces of 4 KiB in the samples of the file have
 * stamps of Weir at the places that they tell, or if all samples have what Weir writes without
 * stamps or what IOR, mdtest, md-workbench and IOzone write (weir_recognise says with how many bits
 * of evidence); holes, zeros and ones between them aside. And if the file holds nothing and has no
 * second name, by which others would know it: no data where the backend knows holes, zeros alone,
 * or a byte of Parabench or IOzone alone, every one of them read, up to WEIR_UNIFORM_READ_MAX.
 * `signature` is the one that this run was given; 0: none. The file must be the one of `facts`. 0
 * or -errno (-ENOENT: there is no such file). */
int weir_ownership_find(struct weir_run *run, const char *path, const struct weir_name_facts *facts,
                        uint32_t signature, bool *is_benchmarks);

/* An item that is to be written. */
struct weir_item_data {
    const void *data; /* `bytes` that are to be written; NULL: not known */
    uint64_t bytes;
    uint64_t offset; /* of the item, if all those of its owner were one file */
    uint64_t owner;
    uint32_t seed; /* seed or signature that the user gave for the data; 0 = none */
};

/* weir_file_params.judge of items: `context` is a struct weir_item_data. Returns 0 if the file is a
 * benchmark's as described above, or holds the same data as those to be written; else -EEXIST, or
 * the error of reading it. Stamps of an item may differ from their offset in the file, all by the
 * same number of pieces. Below 16 bytes the words that Weir writes in this item prove enough, with
 * a seed that is a time of the file or the one of this run. */
int weir_ownership_judge_item(void *context, const struct weir_found_file *found);

/* Judges the name of an item that an earlier run may have left as an open with WEIR_CLAIM_ITEM
 * would; item->data need not be known, and `facts` are those of the name. Returns 0 if the file may
 * be removed, or the reason why it is left. */
int weir_ownership_judge_name(const struct weir_run *run, const char *path,
                              const struct weir_name_facts *facts, struct weir_item_data *item);

/* Describes the reason, and what the user can do. */
const char *weir_ownership_reason(int code);

#endif

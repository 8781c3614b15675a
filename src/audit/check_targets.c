/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that ranks and nodes work in the files and on the storage that the paths promise, and that
 * servers cannot have the data in their memory. */
#include "checks.h"

#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/plan/program.h"

#include <stdlib.h>
#include <string.h>

/* Storage servers with less memory are hardly in use, and each further one adds its own. */
#define SERVER_MEMORY_BYTES (UINT64_C(16) << 30)
/* A day: caches of servers that others use have other data by then. */
#define OLD_S 86400.0

/* What a rank works in, as numbers that are equal where it is the same thing. */
struct spot {
    uint64_t scope; /* machine whose numbers these are; 0 = those of the servers */
    uint64_t device;
    uint64_t inode;
    uint64_t name;
    unsigned rank;
    uint32_t node;
};

/* File systems whose servers number files, so that all nodes see the same inode. Each client of the
 * others (sshfs, CIFS, 9p) counts by itself. */
static bool has_global_inodes(const struct weir_audit_input *input)
{
    static const char *const types[] = {
        "beegfs", "ceph", "fuse.ceph", "fuse.ceph-fuse", "fuse.glusterfs", "gfs2", "gpfs",
        "lustre", "nfs",  "nfs4",      "ocfs2",          "orangefs",       "panfs"};
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);

    if (input->begun->storage_count != 1 || input->begun->has_several_filesystems)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], storage->type) == 0)
            return true;
    return false;
}

static unsigned collect_spots(const struct weir_audit_input *input, struct spot spots[])
{
    bool is_global = has_global_inodes(input);
    unsigned count = 0;

    for (unsigned rank = 0; rank < input->record->rank_count; rank++) {
        const struct weir_rank_row *row = &input->record->rows[rank];
        uint64_t machine = row->machine != 0 ? row->machine : row->node + UINT64_C(1);

        if (row->sight.name != 0)
            spots[count++] = (struct spot){.scope = is_global ? 0 : machine,
                                           .device = is_global ? 0 : row->sight.device,
                                           .inode = row->sight.inode,
                                           .name = row->sight.name,
                                           .rank = rank,
                                           .node = row->node};
    }
    return count;
}

static int compare_words(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_things(const struct spot *a, const struct spot *b)
{
    int order = compare_words(a->scope, b->scope);

    if (order == 0)
        order = compare_words(a->device, b->device);
    return order != 0 ? order : compare_words(a->inode, b->inode);
}

static int by_thing(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    int order = compare_things(a, b);

    if (order == 0)
        order = compare_words(a->name, b->name);
    return order != 0 ? order : compare_words(a->rank, b->rank);
}

static int by_name(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    int order = compare_words(a->name, b->name);

    return order != 0 ? order : compare_words(a->rank, b->rank);
}

/* ---- one thing behind two names ---- */

/* Directories of trees are several so that several file systems have a part. */
static void check_roots(const struct weir_audit_input *input, const struct spot spots[],
                        unsigned count)
{
    const struct weir_target *target = input->phase->target;
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);

    if (target->path_count < 2 || target->has_exact_names || count < 2 ||
        !weir_storage_is_local(storage))
        return;
    for (unsigned i = 1; i < count; i++)
        if (spots[i].scope != spots[0].scope || spots[i].device != spots[0].device)
            return;
    weir_result_find(input->record, WEIR_FINDING_SHARED_TARGET,
                     "the %zu paths are on one file system (%.64s) -> a path on each",
                     target->path_count, storage->source);
}

static void check_same_file(const struct weir_audit_input *input, struct spot spots[],
                            unsigned count)
{
    const struct spot *first = NULL, *second = NULL;
    unsigned pairs = 0;
    char others[32] = "";

    qsort(spots, count, sizeof *spots, by_thing);
    for (unsigned i = 1; i < count; i++) {
        if (compare_things(&spots[i - 1], &spots[i]) != 0 || spots[i - 1].name == spots[i].name)
            continue;
        if (pairs++ == 0 || spots[i].rank < second->rank) {
            first = &spots[i - 1];
            second = &spots[i];
        }
    }
    if (pairs > 1)
        snprintf(others, sizeof others, ", and %u more pairs,", pairs - 1);
    if (pairs > 0 && weir_verb_works_on_trees(input->phase->verb))
        weir_result_find_as(input->record, WEIR_FINDING_SAME_FILE, WEIR_NOTE, WEIR_QUALIFY,
                            "the directories of ranks %u and %u are one -> a directory on each "
                            "file system",
                            first->rank, second->rank);
    else if (pairs > 0)
        weir_result_find(input->record, WEIR_FINDING_SAME_FILE,
                         "ranks %u and %u%s work in one file under two names -> " WEIR_REMEDY_PATH
                         " without links",
                         first->rank, second->rank, others);
    if (pairs == 0)
        check_roots(input, spots, count);
}

/* ---- nodes that see different storage ---- */

/* Finds two nodes whose ranks have different files or directories under one name. */
static bool check_one_name(const struct weir_audit_input *input, struct spot spots[],
                           unsigned count)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    bool is_local = weir_storage_is_local(storage);

    qsort(spots, count, sizeof *spots, by_name);
    for (unsigned i = 1; i < count; i++) {
        const struct spot *a = &spots[i - 1], *b = &spots[i];
        bool differs = a->scope == b->scope ? compare_things(a, b) != 0 : is_local;

        if (a->name != b->name || !differs)
            continue;
        weir_result_find(input->record, WEIR_FINDING_STORAGE_DIFFERS,
                         "ranks %u and %u see two different %s under one name -> " WEIR_REMEDY_PATH
                         " on shared storage",
                         a->rank, b->rank,
                         weir_verb_moves_data(input->phase->verb) ? "files" : "directories");
        return true;
    }
    return false;
}

static bool check_kinds(const struct weir_audit_input *input)
{
    const struct weir_storage_facts *first = weir_audit_first_storage(input);

    for (unsigned i = 1; i < input->begun->storage_count; i++) {
        const struct weir_storage_group *other = &input->begun->storages[i];
        const struct weir_storage_facts *facts = &other->facts;
        bool has_other_source = first->is_network && strcmp(first->source, facts->source) != 0;

        if (!first->is_known || !facts->is_known ||
            (strcmp(first->type, facts->type) == 0 && !has_other_source))
            continue;
        weir_result_find(
            input->record, WEIR_FINDING_STORAGE_DIFFERS,
            "%.24s has %.32s and %.24s has %.32s -> " WEIR_REMEDY_PATH " on shared storage",
            input->begun->storages[0].hosts, has_other_source ? first->source : first->type,
            other->hosts, has_other_source ? facts->source : facts->type);
        return true;
    }
    return false;
}

/* Scratch of nodes is often meant: good to know, once a run. */
static void check_own_storage(const struct weir_audit_input *input, struct spot spots[],
                              unsigned count)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    bool is_own = count > 1 && input->begun->storage_count > 0;

    for (unsigned i = 0; i < input->begun->storage_count; i++)
        is_own &= weir_storage_is_local(&input->begun->storages[i].facts);
    qsort(spots, count, sizeof *spots, by_thing);
    for (unsigned i = 1; i < count; i++)
        is_own &= spots[i].scope != spots[i - 1].scope || spots[i].device != spots[i - 1].device;
    if (is_own && input->record->node_count > 1 && input->test->number == 0)
        weir_result_find_as(input->record, WEIR_FINDING_STORAGE_DIFFERS, WEIR_NOTE, WEIR_INFORM,
                            "each of %u nodes has its own %.32s here -> " WEIR_REMEDY_PATH
                            " on shared storage, if that is meant",
                            input->record->node_count, storage->type);
}

/* The first rank of each node that has a spot, to the front; in the order of ranks. */
static unsigned keep_first_of_nodes(struct spot spots[], unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (kept == 0 || spots[i].node > spots[kept - 1].node)
            spots[kept++] = spots[i];
    return kept;
}

static void check_spots(const struct weir_audit_input *input)
{
    const struct weir_target *target = input->phase->target;
    struct spot *spots;
    unsigned count;
    bool is_one;

    if (input->record->rows == NULL || input->record->rank_count < 2 || input->test->is_dry_run)
        return;
    spots = calloc(input->record->rank_count, sizeof *spots);
    if (spots == NULL)
        return;
    count = collect_spots(input, spots);
    check_same_file(input, spots, count);
    /* Of several directories nodes may have different ones. */
    is_one = target->path_count < 2 && !target->has_package_directory;
    if ((is_one || target->has_exact_names) && input->record->node_count > 1 &&
        !check_one_name(input, spots, count) && !(is_one && check_kinds(input))) {
        count = keep_first_of_nodes(spots, collect_spots(input, spots));
        check_own_storage(input, spots, count);
    }
    free(spots);
}

/* ---- the age of files, and the memory of servers ---- */

static uint64_t read_bytes(const struct weir_audit_input *input)
{
    const struct weir_program_result *program = input->record->program;
    uint64_t bytes = 0;

    if (input->phase->verb == WEIR_READ)
        return input->record->byte_count;
    if (input->phase->verb == WEIR_MIXED)
        return input->record->byte_count - weir_audit_written_bytes(input);
    for (unsigned i = 0; program != NULL && i < program->call_count; i++)
        if (weir_calls[program->calls[i].call].moves_data &&
            !weir_calls[program->calls[i].call].writes)
            bytes += program->calls[i].byte_count;
    return bytes;
}

/* Of the file that was changed last, when the phase began; below 0 = not known. */
static double find_age(const struct weir_audit_input *input)
{
    int64_t latest_s = 0;

    for (unsigned i = 0; input->record->rows != NULL && i < input->record->rank_count; i++)
        if (input->record->rows[i].sight.modified_s > latest_s)
            latest_s = input->record->rows[i].sight.modified_s;
    return latest_s > 0 ? input->record->begun_s - (double)latest_s : -OLD_S;
}

/* Whether direct I/O was used or not: that passes the caches of this node alone. */
static void check_age(const struct weir_audit_input *input)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    uint64_t bytes = read_bytes(input);
    double age_s = find_age(input);
    char size[WEIR_SIZE_TEXT_BYTES];

    if (bytes == 0 || input->test->is_dry_run || input->phase->is_check || input->phase->is_prefill)
        return;
    if (age_s >= OLD_S && input->phase->verb != WEIR_MIXED)
        weir_result_find_as(input->record, WEIR_FINDING_OLD_NAMES, WEIR_NOTE, WEIR_INFORM,
                            "what is read was written %.0f day%s ago -> " WEIR_REMEDY_WRITE
                            " for files of this run",
                            age_s / OLD_S, age_s < 2 * OLD_S ? "" : "s");
    else if (storage->is_network && age_s > -OLD_S && bytes <= SERVER_MEMORY_BYTES)
        weir_result_find(input->record, WEIR_FINDING_FITS_SERVER_MEMORY,
                         "%s may be in the memory of servers -> more data, or older files",
                         weir_size_format(bytes, size));
}

void weir_audit_targets(const struct weir_audit_input *input)
{
    check_spots(input);
    check_age(input);
}

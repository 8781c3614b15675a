/* SPDX-License-Identifier: Apache-2.0 */
/* The page cache: whether it can be dropped, and whether the kernel reports residency. */
#include "subjects.h"

#include "weir/base/observable.h"
#include "weir/system/page_cache.h"
#include "weir/system/small_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void tell_dropping(const struct weir_examination *examination)
{
    if (weir_cache_may_drop_node(examination->root)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "drop caches", NULL,
                           "the node's whole page cache can be emptied (--drop-caches node)");
        return;
    }
    weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "drop caches",
                       "--drop-caches files needs no privilege: it has the kernel forget the files "
                       "of the test\n"
                       "or run as root, outside of containers that have /proc/sys read-only",
                       "this user may not empty the node's page cache "
                       "(/proc/sys/vm/drop_caches)");
}

/* How the kernel tells which pages of a file are in memory. */
struct residency_trial {
    const char *source;
    bool knows_dirty;
    bool is_true; /* of two pages it called the one resident that was written */
};

/* Tries it with a file of our own, in memory. 0 or -errno. */
static int try_residency(struct residency_trial *trial)
{
    long page_bytes = sysconf(_SC_PAGESIZE);
    struct weir_residency_probe *probe;
    struct weir_residency sum = {0};
    int fd = memfd_create("weir-doctor", MFD_CLOEXEC);
    char path[64];
    int rc = -EIO;

    if (fd < 0)
        return -errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (pwrite(fd, "", 1, 0) == 1 && ftruncate(fd, 2 * page_bytes) == 0)
        rc = weir_residency_open(path, &probe);
    if (rc == 0) {
        trial->source = weir_residency_source(probe);
        trial->knows_dirty = weir_residency_knows_dirty(probe);
        rc = weir_residency_add(probe, (struct weir_extent){.bytes = 2 * (uint64_t)page_bytes},
                                &sum);
        trial->is_true = sum.asked_bytes == 2 * sum.resident_bytes;
        weir_residency_close(probe);
    }
    close(fd);
    return rc;
}

static void tell_residency(const struct weir_examination *examination)
{
    struct residency_trial trial;
    int rc = try_residency(&trial);

    if (rc == 0 && trial.is_true)
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "residency", NULL,
                           "%s tells how much of a file is in the page cache", trial.source);
    else if (rc == 0)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "residency",
                           "in a container: let seccomp allow cachestat, which tells the truth",
                           "%s is not to be believed here: it calls pages resident that are not",
                           trial.source);
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_MISSING, "residency",
                           "in a container: let seccomp allow cachestat or mincore",
                           "the kernel does not tell how much of a file is in the page cache: %s",
                           strerror(-rc));
}

/* What a run on the target can observe, by the same function that the audit uses. */
void weir_examine_evidence(const struct weir_examination *examination)
{
    struct weir_storage_facts storage = {0};
    struct weir_traffic_watch *watch;
    struct weir_traffic traffic;
    struct residency_trial trial;
    struct weir_probes probes = {.storage = &storage, .traffic = &traffic};
    bool is_memory;

    if (examination->path == NULL)
        return;
    weir_storage_describe(examination->root, examination->path, &storage);
    watch = weir_traffic_open(examination->root, &storage);
    weir_traffic_read(watch, &traffic);
    weir_traffic_close(watch);
    probes.knows_residency = try_residency(&trial) == 0 && trial.is_true;
    probes.knows_dirty = probes.knows_residency && trial.knows_dirty &&
                         weir_residency_finds_pages(examination->path);
    probes.counts_reads = weir_storage_counts_reads(examination->path) &&
                          weir_small_file_is_there("%s/proc/self/io", examination->root);
    probes.knows_cpu_wait = weir_small_file_is_there("%s/proc/self/schedstat", examination->root);
    is_memory = weir_filesystem_is_memory(storage.type);
    if (is_memory)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "storage",
                           "--measure memory declares that memory is measured",
                           "the file system is memory (%s), and no storage has data or names",
                           storage.type);
    for (unsigned i = 0; i < WEIR_EVIDENCE_COUNT; i++) {
        const struct weir_evidence_row *row = &weir_evidence_rows[i];
        struct weir_obstacle obstacle = weir_obstacle_find((enum weir_evidence_question)i, &probes);

        if (is_memory && row->is_decisive)
            continue;
        if (obstacle.reason == NULL)
            weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, row->name, NULL,
                               "%s: observed by %s", row->question,
                               weir_observer_name((enum weir_evidence_question)i, &probes));
        else
            weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, row->name, obstacle.remedy,
                               "%s cannot be observed here: %s", row->question, obstacle.reason);
    }
}

void weir_examine_page_cache(const struct weir_examination *examination)
{
    tell_dropping(examination);
    tell_residency(examination);
}

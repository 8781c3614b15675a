/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks know what all nodes have and are asked for, before any of them takes a byte. */
#include "hog.h"

#include "run.h"

#include "weir/base/remedy.h"
#include "weir/system/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* MemAvailable is an estimate, and the run itself needs some of it: this fraction stays free. */
#define SPARE_PART 16
/* Between two looks for a signal. */
#define STRIDE_BYTES (UINT64_C(8) << 20)

/* Of one node: what its ranks may take, and want. */
struct budget {
    uint64_t *total; /* one each per node */
    uint64_t *available;
    uint64_t *wanted;
};

static bool has_hog(const struct weir_test *test)
{
    return !test->is_dry_run && (test->hog.bytes_per_rank != 0 || test->hog.bytes_per_node != 0 ||
                                 test->hog.percent_of_node != 0);
}

/* An equal part of what is asked of the node; the first ranks take what is left over. */
static uint64_t share_of(const struct weir_run *run, uint64_t node_bytes)
{
    uint64_t ranks = (uint64_t)run->group->node_size;

    return node_bytes / ranks + ((uint64_t)run->group->node_rank < node_bytes % ranks);
}

/* The word of IOR's that asked for it. */
static const char *asking_word(const struct weir_run *run)
{
    return run->test->hog.bytes_per_rank != 0 ? WEIR_REMEDY_HOG_PER_RANK : WEIR_REMEDY_HOG_PER_NODE;
}

static uint64_t wanted_bytes(const struct weir_run *run, uint64_t total_bytes)
{
    const struct weir_memory_hog *hog = &run->test->hog;

    if (hog->bytes_per_rank != 0)
        return hog->bytes_per_rank;
    if (hog->bytes_per_node != 0)
        return share_of(run, hog->bytes_per_node);
    return share_of(run, (uint64_t)((unsigned __int128)total_bytes * hog->percent_of_node / 100));
}

/* Ranks of one node may be held in by different control groups: the tightest one counts. */
static int survey(struct weir_run *run, const struct budget *budget, struct weir_error *error)
{
    size_t nodes = (size_t)run->group->node_count;
    size_t node = (size_t)run->group->node;
    struct weir_memory_facts facts = {0};
    int code = weir_memory_describe("", &facts);

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->test->dialect,
                       "%s: the kernel does not tell how much memory there is to take: leave it "
                       "out",
                       asking_word(run));
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    memset(budget->total, 0xff, nodes * sizeof *budget->total);
    memset(budget->available, 0xff, nodes * sizeof *budget->available);
    budget->total[node] = facts.bytes_total;
    budget->available[node] = facts.bytes_available;
    code = weir_group_reduce(run->group, budget->total, nodes, WEIR_MIN);
    if (code == 0)
        code = weir_group_reduce(run->group, budget->available, nodes, WEIR_MIN);
    budget->wanted[node] = wanted_bytes(run, budget->total[node]);
    run->hog.bytes = budget->wanted[node];
    if (code == 0)
        code = weir_group_reduce(run->group, budget->wanted, nodes, WEIR_SUM);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s", strerror(-code));
    return code;
}

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

/* Every rank comes to the same sentence. */
static int refuse_excess(const struct weir_run *run, const struct budget *budget,
                         struct weir_error *error)
{
    for (int node = 0; node < run->group->node_count; node++) {
        uint64_t most = budget->available[node] - budget->available[node] / SPARE_PART;

        if (budget->wanted[node] > most)
            return weir_error_set(
                error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, run->test->dialect,
                "%s: %.0f MiB on host %s are more than the %.0f MiB that can be taken there "
                "without swapping: ask for less",
                asking_word(run), mebibytes(budget->wanted[node]), run->group->node_names[node],
                mebibytes(most));
    }
    return 0;
}

static int check_budget(struct weir_run *run, struct weir_error *error)
{
    size_t nodes = (size_t)run->group->node_count;
    uint64_t *values = calloc(3 * nodes, sizeof *values);
    int code;

    if (values == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    code = weir_group_agree(run->group, error);
    if (code == 0) {
        struct budget budget;

        assert(values != NULL);
        budget = (struct budget){values, values + nodes, values + 2 * nodes};
        code = survey(run, &budget, error);
        if (code == 0)
            code = refuse_excess(run, &budget, error);
    }
    free(values);
    return code;
}

static void touch(struct weir_run *run)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t at = 0; at < run->hog.bytes; at += page) {
        if (at % STRIDE_BYTES == 0 && weir_run_must_stop(run))
            return;
        /* Pages that differ cannot be merged into one. */
        *(uint64_t *)(run->hog.memory + at) = weir_mix64(at + 1);
    }
    /* Where it is not allowed, the kernel may swap: it was not asked for more than there is. */
    mlock(run->hog.memory, run->hog.bytes);
}

int weir_hog_take(struct weir_run *run, struct weir_error *error)
{
    void *memory = NULL;

    if (!has_hog(run->test))
        return 0;
    if (check_budget(run, error) != 0)
        return error->code;
    if (run->hog.bytes != 0)
        memory =
            mmap(NULL, run->hog.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, run->test->dialect,
                       "%s: %.0f MiB cannot be had: %s", asking_word(run),
                       mebibytes(run->hog.bytes), strerror(errno));
    else
        run->hog.memory = memory;
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    touch(run);
    run->is_interrupted |= weir_group_any(run->group, weir_run_must_stop(run));
    run->is_ending |= run->is_interrupted;
    return 0;
}

void weir_hog_drop(struct weir_run *run)
{
    if (run->hog.memory != NULL)
        munmap(run->hog.memory, run->hog.bytes);
    run->hog = (struct weir_hog){0};
}

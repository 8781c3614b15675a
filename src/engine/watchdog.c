/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks say stands in memory that the ranks of a node share. The threads that read it call
 * nothing of MPI. Of other nodes, ranks learn by asking, where they wait for them. */
#include "watchdog.h"

#include "run.h"

#include "weir/base/call_watch.h"
#include "weir/base/log.h"
#include "weir/base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
/* Threads look four times in the time of the plan, but not more seldom than this, nor more often
 * than that. */
#define LONGEST_NAP_NS NS_PER_S
#define SHORTEST_NAP_NS (NS_PER_S / 20)
/* Who waits for others ends the run as MPI wants it; a rank that is held is not waited for. */
#define GRACE_NS (3 * NS_PER_S)
/* So many ranks of a node are told of by name each time. */
#define TOLD_RANKS 8
#define NAME_BYTES 64

struct slot {
    _Atomic uint64_t beat_ns; /* CLOCK_MONOTONIC: when the rank last said that it moves */
    _Atomic uint64_t offset;
    _Atomic uint32_t activity;
    _Atomic uint64_t stall_ns; /* the longest time without a beat, as watchers have seen it, ... */
    _Atomic uint32_t stall_activity; /* ... what it was in, ... */
    _Atomic uint64_t stall_offset;   /* ... and where */
    _Atomic bool has_given_up;       /* of the first rank of the node: one of its ranks has */
    _Atomic bool is_told;            /* by one of the two that may watch */
    /* Work of the present phase, see weir_watchdog_count(); begun_ns 0 = not yet begun */
    _Atomic uint64_t begun_ns;
    _Atomic uint64_t index;
    _Atomic uint64_t limit;
    _Atomic uint64_t ops;
    _Atomic uint64_t bytes;
    uint32_t rank;
    char path[WEIR_PATH_BYTES];
    char call[WEIR_PATH_BYTES + 32]; /* WEIR_ACTIVITY_CALL: which one, on what */
};

struct other_node {
    uint64_t asked_ns; /* latest question */
    bool is_told;
};

struct weir_watchdog {
    struct weir_run *run;
    const struct weir_group *group; /* of the test */
    struct slot *slots;             /* of the ranks of the node, in their order */
    size_t slot_count;
    struct slot *mine;
    struct weir_call_watch watch; /* of calls between phases */
    enum weir_activity activity;  /* which this rank goes on with after it has waited */
    uint64_t limit_ns;            /* 0 = ranks are counted, not watched */
    uint64_t interval_ns;         /* rank 0: between reports of the counters; 0 = none */
    uint64_t give_up_ns;          /* 0: never */
    uint64_t waits_since_ns;      /* 0: does not wait for others */
    struct other_node *others;    /* by node; NULL until this rank has waited for long */

    /* of a rank that watches */
    pthread_t thread;
    bool is_watching;
    size_t watched_count; /* slots from the first on */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool must_end;
    _Atomic bool must_give_up;
    _Atomic bool is_ending; /* the rank itself does it */
    char reason[WEIR_PATH_BYTES + 256];
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* ---- what ranks say ---- */

void weir_watchdog_say(struct weir_run *run, enum weir_activity activity, const char *path)
{
    struct weir_watchdog *dog = run->watchdog;

    if (dog == NULL)
        return;
    dog->activity = activity;
    dog->waits_since_ns = 0;
    if (path != NULL) {
        atomic_store(&dog->mine->activity, WEIR_ACTIVITY_NONE);
        snprintf(dog->mine->path, sizeof dog->mine->path, "%s", path);
        atomic_store(&dog->mine->stall_ns, 0);
        atomic_store(&dog->mine->offset, UINT64_MAX);
    }
    atomic_store(&dog->mine->beat_ns, now_ns());
    atomic_store(&dog->mine->activity, activity);
}

void weir_watchdog_beat(struct weir_run *run, uint64_t offset)
{
    struct weir_watchdog *dog = run->watchdog;

    if (dog == NULL || dog->activity == WEIR_ACTIVITY_MEET)
        return;
    dog->waits_since_ns = 0;
    atomic_store(&dog->mine->offset, offset);
    atomic_store(&dog->mine->beat_ns, now_ns());
    atomic_store(&dog->mine->activity, dog->activity);
}

void weir_watchdog_mark(struct weir_run *run, unsigned line)
{
    if (run->watchdog != NULL)
        atomic_store_explicit(&run->watchdog->mine->offset, line, memory_order_relaxed);
}

void weir_watchdog_count(struct weir_run *run, uint64_t index, uint64_t limit)
{
    struct slot *mine = run->watchdog != NULL ? run->watchdog->mine : NULL;

    if (mine == NULL)
        return;
    atomic_store_explicit(&mine->index, index, memory_order_relaxed);
    atomic_store_explicit(&mine->limit, limit, memory_order_relaxed);
    atomic_store_explicit(&mine->ops, weir_tally_ops(run->tally), memory_order_relaxed);
    atomic_store_explicit(&mine->bytes, weir_tally_bytes(run->tally), memory_order_relaxed);
    if (atomic_load_explicit(&mine->begun_ns, memory_order_relaxed) == 0)
        atomic_store_explicit(&mine->begun_ns, now_ns(), memory_order_release);
}

void weir_watchdog_end_count(struct weir_run *run)
{
    if (run->watchdog != NULL)
        atomic_store(&run->watchdog->mine->begun_ns, 0);
}

/* A call between phases, where nothing else is watched. */
static void begin_call(void *context, const char *call, const char *path)
{
    struct weir_watchdog *dog = context;

    if (dog->activity != WEIR_ACTIVITY_NONE)
        return;
    atomic_store(&dog->mine->activity, WEIR_ACTIVITY_NONE);
    snprintf(dog->mine->call, sizeof dog->mine->call, "%s of %s", call, path);
    atomic_store(&dog->mine->beat_ns, now_ns());
    atomic_store(&dog->mine->activity, WEIR_ACTIVITY_CALL);
}

static void end_call(void *context)
{
    struct weir_watchdog *dog = context;

    if (dog->activity == WEIR_ACTIVITY_NONE)
        atomic_store(&dog->mine->activity, WEIR_ACTIVITY_NONE);
}

/* Ends the run, and does not return. The main thread and the one that watches may both come here:
 * the second one waits for the end. `is_held`: MPI is not to be asked for anything, for the rank
 * may be in it. */
static void give_up(struct weir_watchdog *dog, const char *reason, bool is_held)
{
    const struct weir_engine_params *params = dog->run->params;
    const struct timespec step = {.tv_nsec = 20000000};
    struct slot *first = &dog->slots[0];

    while (atomic_exchange(&dog->is_ending, true))
        pause();
    /* Of two ranks of a node that watch, one ends the run: the first, unless it is held itself. */
    if (dog->mine != first)
        for (uint64_t until_ns = now_ns() + NS_PER_S;
             now_ns() < until_ns && !atomic_load(&first->has_given_up);)
            nanosleep(&step, NULL);
    if (atomic_exchange(&first->has_given_up, true)) {
        nanosleep(&(struct timespec){.tv_sec = 2 * GRACE_NS / NS_PER_S}, NULL);
        _exit(WEIR_EXIT_FLAWED);
    }
    if (params->give_up != NULL)
        params->give_up(params->give_up_context, reason, is_held);
    weir_log(WEIR_LOG_ERROR, "%s", reason);
    _exit(WEIR_EXIT_FLAWED);
}

/* A node of which this rank knows by asking. Gives the run up if it is silent for too long. */
static void look_at_node(struct weir_watchdog *dog, int node, uint64_t seen_ns)
{
    struct weir_group *group = dog->run->group;
    struct other_node *other = &dog->others[node];
    uint64_t silent_ns = seen_ns - other->asked_ns;
    bool is_open = weir_group_is_pinged(group, node);
    bool was_told = other->is_told;
    char reason[WEIR_NODE_NAME_BYTES + 128];

    other->is_told = is_open && silent_ns >= dog->limit_ns;
    if (was_told && !other->is_told)
        weir_log(WEIR_LOG_WARNING, "rank %d on host %s answers again", group->node_leader[node],
                 group->node_names[node]);
    if (!is_open && silent_ns >= dog->limit_ns / 4) {
        weir_group_ping(group, node);
        other->asked_ns = seen_ns;
    }
    if (!other->is_told)
        return;
    snprintf(reason, sizeof reason,
             "rank %d on host %s, the first of %d there, has not answered for %.0f s",
             group->node_leader[node], group->node_names[node],
             group->node_start[node + 1] - group->node_start[node], (double)silent_ns / NS_PER_S);
    if (!was_told)
        weir_log(WEIR_LOG_WARNING, "%s", reason);
    if (dog->give_up_ns != 0 && silent_ns >= dog->give_up_ns)
        give_up(dog, reason, false);
}

/* A node that is held as a whole cannot tell by itself: who has waited for long asks. */
static void look_at_nodes(struct weir_watchdog *dog, uint64_t seen_ns)
{
    const struct weir_group *group = dog->run->group;

    if (dog->waits_since_ns == 0)
        dog->waits_since_ns = seen_ns;
    /* While some of the ranks work in a group of their own, the others cannot answer. */
    if (group != dog->group || dog->run->is_outside)
        return;
    if (group->node_count < 2 || group->node_rank != 0 || group->node > 1 ||
        seen_ns - dog->waits_since_ns < dog->limit_ns / 4)
        return;
    if (dog->others == NULL)
        dog->others = calloc((size_t)group->node_count, sizeof *dog->others);
    for (int node = 0; dog->others != NULL && node < group->node_count; node++)
        if (node != group->node)
            look_at_node(dog, node, seen_ns);
}

void weir_watchdog_wait(struct weir_run *run)
{
    struct weir_watchdog *dog = run->watchdog;
    uint64_t seen_ns = now_ns();

    if (dog == NULL)
        return;
    if (dog->activity != WEIR_ACTIVITY_MEET) {
        atomic_store(&dog->mine->beat_ns, seen_ns);
        atomic_store(&dog->mine->activity, WEIR_ACTIVITY_WAIT);
    }
    if (atomic_load(&dog->must_give_up))
        give_up(dog, dog->reason, false);
    if (dog->limit_ns != 0)
        look_at_nodes(dog, seen_ns);
}

static void describe(char *text, size_t bytes, const struct slot *slot, uint32_t activity,
                     uint64_t offset)
{
    static const char *const words[] = {
        [WEIR_ACTIVITY_NONE] = "",
        [WEIR_ACTIVITY_CHECK] = "check of",
        [WEIR_ACTIVITY_OPEN] = "open",
        [WEIR_ACTIVITY_WRITE] = "write",
        [WEIR_ACTIVITY_READ] = "read",
        [WEIR_ACTIVITY_MIX] = "read or write",
        [WEIR_ACTIVITY_SYNC] = "sync",
        [WEIR_ACTIVITY_CLOSE] = "close",
        [WEIR_ACTIVITY_REMOVE] = "remove",
        [WEIR_ACTIVITY_NAMES] = "work on the tree in",
        [WEIR_ACTIVITY_COMMAND] = "run of the command",
        [WEIR_ACTIVITY_PROGRAM] = "program",
        [WEIR_ACTIVITY_CALL] = "",
        [WEIR_ACTIVITY_MEET] = "wait for other ranks of",
        [WEIR_ACTIVITY_WAIT] = "wait for other ranks, with",
    };
    bool moves = activity == WEIR_ACTIVITY_WRITE || activity == WEIR_ACTIVITY_READ ||
                 activity == WEIR_ACTIVITY_MIX;

    if (activity == WEIR_ACTIVITY_CALL)
        snprintf(text, bytes, "%s", slot->call);
    else if (moves && offset != UINT64_MAX)
        snprintf(text, bytes, "%s at or after offset %" PRIu64 " of %s", words[activity], offset,
                 slot->path);
    else if (activity == WEIR_ACTIVITY_MEET && offset == 0)
        snprintf(text, bytes, "%s %s, at its end", words[activity], slot->path);
    else if ((activity == WEIR_ACTIVITY_PROGRAM || activity == WEIR_ACTIVITY_MEET) &&
             offset != UINT64_MAX)
        snprintf(text, bytes, "%s %s, line %" PRIu64, words[activity], slot->path, offset);
    else
        snprintf(text, bytes, "%s %s", words[activity], slot->path);
}

uint64_t weir_watchdog_stall(const struct weir_run *run, struct weir_text *text)
{
    const struct weir_watchdog *dog = run->watchdog;
    char activity[WEIR_PATH_BYTES + 128];
    uint64_t stall_ns;

    if (dog == NULL)
        return 0;
    stall_ns = atomic_load(&dog->mine->stall_ns);
    if (stall_ns == 0)
        return 0;
    describe(activity, sizeof activity, dog->mine, atomic_load(&dog->mine->stall_activity),
             atomic_load(&dog->mine->stall_offset));
    weir_text_add(text, "%s", activity);
    return stall_ns;
}

/* ---- who watches ---- */

static const char *host_of(const struct weir_watchdog *dog)
{
    return dog->run->group->node_names[dog->run->group->node];
}

static void say_stalled(struct weir_watchdog *dog, const struct slot *slot, uint64_t stall_ns,
                        bool must_log)
{
    char activity[WEIR_PATH_BYTES + 128];

    describe(activity, sizeof activity, slot, atomic_load(&slot->activity),
             atomic_load(&slot->offset));
    snprintf(dog->reason, sizeof dog->reason, "rank %u on host %s has not moved for %.0f s: %s",
             slot->rank, host_of(dog), (double)stall_ns / NS_PER_S, activity);
    if (must_log)
        weir_log(WEIR_LOG_WARNING, "%s", dog->reason);
}

/* Ranks that wait for one another stand still if all do: since the last one began. UINT64_MAX: one
 * of them does something else. */
static uint64_t all_wait_since(const struct weir_watchdog *dog)
{
    uint64_t since_ns = 0;

    for (size_t i = 0; i < dog->slot_count; i++) {
        uint64_t beat_ns = atomic_load(&dog->slots[i].beat_ns);

        if (atomic_load(&dog->slots[i].activity) != WEIR_ACTIVITY_MEET)
            return UINT64_MAX;
        since_ns = beat_ns > since_ns ? beat_ns : since_ns;
    }
    return since_ns;
}

/* Ranks of other nodes may work meanwhile, as long as it takes them. */
static bool gives_up_for(const struct weir_watchdog *dog, uint32_t activity, uint64_t stall_ns)
{
    return dog->give_up_ns != 0 && stall_ns >= dog->give_up_ns &&
           (activity != WEIR_ACTIVITY_MEET || dog->group->node_count == 1);
}

/* True if the rank has not moved for too long. */
static bool look_at(struct weir_watchdog *dog, size_t number, uint64_t seen_ns, unsigned *told)
{
    struct slot *slot = &dog->slots[number];
    uint32_t activity = atomic_load(&slot->activity);
    uint64_t beat_ns =
        activity == WEIR_ACTIVITY_MEET ? all_wait_since(dog) : atomic_load(&slot->beat_ns);
    uint64_t stall_ns = seen_ns > beat_ns ? seen_ns - beat_ns : 0;

    if (activity == WEIR_ACTIVITY_NONE || stall_ns < dog->limit_ns) {
        if (atomic_exchange(&slot->is_told, false))
            weir_log(WEIR_LOG_WARNING, "rank %u on host %s moves again", slot->rank, host_of(dog));
        return false;
    }
    if (stall_ns > atomic_load(&slot->stall_ns)) {
        atomic_store(&slot->stall_activity, activity);
        atomic_store(&slot->stall_offset, atomic_load(&slot->offset));
        atomic_store(&slot->stall_ns, stall_ns);
    }
    if (!atomic_exchange(&slot->is_told, true) && (*told)++ < TOLD_RANKS)
        say_stalled(dog, slot, stall_ns, true);
    if (!gives_up_for(dog, activity, stall_ns))
        return false;
    say_stalled(dog, slot, stall_ns, false);
    return true;
}

/* The first rank of the run ends it, and what it has is whole. Where no rank of this node can, the
 * launcher ends all when this one is gone. */
static void look(struct weir_watchdog *dog, uint64_t *given_up_ns)
{
    uint64_t seen_ns = now_ns();
    unsigned told = 0;
    bool is_over = false;

    for (size_t i = 0; i < dog->watched_count && !is_over; i++)
        is_over = look_at(dog, i, seen_ns, &told);
    if (told > TOLD_RANKS)
        weir_log(WEIR_LOG_WARNING, "%u more ranks on host %s have not moved", told - TOLD_RANKS,
                 host_of(dog));
    if (!is_over)
        return;
    if (!atomic_load(&dog->must_give_up))
        *given_up_ns = seen_ns;
    atomic_store(&dog->must_give_up, true);
    if (seen_ns - *given_up_ns >= GRACE_NS && !atomic_load(&dog->is_ending))
        give_up(dog, dog->reason, true);
}

/* Sums up the counters of the node's ranks for the observer. The thread reads them from shared
 * memory: ranks exchange nothing for it, and none is interrupted. */
static void report_counts(struct weir_watchdog *dog, uint64_t seen_ns)
{
    const struct weir_observer *observer = dog->run->params->observer;
    struct weir_counts counts = {.ranks = (unsigned)dog->group->size,
                                 .ranks_counted = (unsigned)dog->slot_count,
                                 .has_share = true,
                                 .slowest_share = 2};
    uint64_t first_ns = seen_ns;
    unsigned begun = 0;

    for (size_t i = 0; i < dog->slot_count; i++) {
        struct slot *slot = &dog->slots[i];
        uint64_t begun_ns = atomic_load_explicit(&slot->begun_ns, memory_order_acquire);
        uint64_t limit = atomic_load(&slot->limit);
        double share = limit > 0 ? (double)atomic_load(&slot->index) / (double)limit : 0;

        if (begun_ns == 0)
            continue;
        begun++;
        first_ns = begun_ns < first_ns ? begun_ns : first_ns;
        counts.operations += atomic_load(&slot->ops);
        counts.bytes += atomic_load(&slot->bytes);
        counts.has_share &= limit > 0;
        counts.share += share;
        if (share < counts.slowest_share) {
            counts.slowest_share = share;
            counts.slowest_rank = slot->rank;
        }
    }
    counts.has_share &= begun > 0;
    counts.share /= begun > 0 ? begun : 1;
    counts.seconds = (double)(seen_ns - first_ns) / NS_PER_S;
    observer->counted(observer->context, &counts);
}

static void *keep_watch(void *context)
{
    struct weir_watchdog *dog = context;
    uint64_t nap_ns = dog->limit_ns / 4;
    uint64_t last_ns = now_ns(), look_ns, count_ns;
    uint64_t given_up_ns = 0;

    nap_ns = nap_ns > LONGEST_NAP_NS    ? LONGEST_NAP_NS
             : nap_ns < SHORTEST_NAP_NS ? SHORTEST_NAP_NS
                                        : nap_ns;
    look_ns = dog->limit_ns != 0 ? last_ns + nap_ns : UINT64_MAX;
    count_ns = dog->interval_ns != 0 ? last_ns + dog->interval_ns : UINT64_MAX;
    pthread_mutex_lock(&dog->lock);
    while (!dog->must_end) {
        uint64_t until_ns = look_ns < count_ns ? look_ns : count_ns, seen_ns;
        struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                 .tv_nsec = (long)(until_ns % NS_PER_S)};

        pthread_cond_timedwait(&dog->wake, &dog->lock, &until);
        seen_ns = now_ns();
        if (!dog->must_end && seen_ns >= look_ns) {
            /* After a time in which this process was held itself, the others get another one. */
            if (seen_ns - last_ns < 2 * nap_ns + NS_PER_S)
                look(dog, &given_up_ns);
            last_ns = now_ns();
            look_ns = last_ns + nap_ns;
        }
        if (!dog->must_end && seen_ns >= count_ns) {
            report_counts(dog, seen_ns);
            count_ns = seen_ns + dog->interval_ns;
        }
    }
    pthread_mutex_unlock(&dog->lock);
    return NULL;
}

static void start_watching(struct weir_watchdog *dog)
{
    pthread_mutex_init(&dog->lock, NULL);
    weir_condition_open(&dog->wake);
    dog->is_watching = weir_thread_start(&dog->thread, keep_watch, dog) == 0;
}

static void stop_watching(struct weir_watchdog *dog)
{
    if (!dog->is_watching)
        return;
    pthread_mutex_lock(&dog->lock);
    dog->must_end = true;
    pthread_cond_signal(&dog->wake);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
}

/* ---- the memory of a node ---- */

/* Where /dev/shm is full, memory that is not allocated yet would be missing when it is touched, by
 * a signal (SIGBUS). */
static struct slot *map(const char *name, int flags, size_t bytes)
{
    int descriptor = shm_open(name, flags, 0600);
    void *memory = MAP_FAILED;

    if (descriptor < 0)
        return NULL;
    if ((flags & O_CREAT) == 0 || posix_fallocate(descriptor, 0, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The first rank of the node makes it, and the name is gone when all have it. */
static int share_slots(struct weir_watchdog *dog)
{
    struct weir_group *group = dog->run->group;
    size_t bytes = dog->slot_count * sizeof *dog->slots;
    bool is_first = group->node_rank == 0;
    char name[NAME_BYTES] = "", *all = NULL;
    int code;

    if (is_first) {
        snprintf(name, sizeof name, "/weir-%ld-%" PRIu64, (long)getpid(), now_ns());
        dog->slots = map(name, O_RDWR | O_CREAT | O_EXCL, bytes);
        all = calloc(dog->slot_count, sizeof name);
        for (size_t i = 0; all != NULL && i < dog->slot_count; i++)
            memcpy(all + i * sizeof name, name, sizeof name);
    }
    code = weir_group_any(group, is_first && (all == NULL || dog->slots == NULL)) ? -ENOMEM : 0;
    if (code == 0)
        code = weir_group_scatter_on_node(group, all, sizeof name, name);
    if (code == 0 && !is_first)
        dog->slots = map(name, O_RDWR, bytes);
    if (weir_group_any(group, dog->slots == NULL) && code == 0)
        code = -ENOMEM;
    if (is_first)
        shm_unlink(all != NULL ? all : name);
    free(all);
    return code;
}

static void let_go(struct weir_watchdog *dog)
{
    stop_watching(dog);
    if (dog->slots != NULL)
        munmap(dog->slots, dog->slot_count * sizeof *dog->slots);
    free(dog->others);
    free(dog);
}

void weir_watchdog_open(struct weir_run *run)
{
    const struct weir_output *output = &run->params->plan->output;
    const struct weir_group *group = run->group;
    struct weir_watchdog *dog;

    /* All ranks decide alike: only rank 0 has an observer. */
    if (run->test->watchdog_ns == 0 && output->progress_ns == WEIR_PROGRESS_OFF &&
        output->live.path == NULL)
        return;
    dog = calloc(1, sizeof *dog);
    if (weir_group_any(run->group, dog == NULL)) {
        free(dog);
        return;
    }
    dog->run = run;
    dog->group = group;
    dog->slot_count = (size_t)group->node_size;
    dog->limit_ns = run->test->watchdog_ns;
    dog->give_up_ns = run->test->give_up_ns;
    if (weir_run_reports_progress(run))
        dog->interval_ns = run->params->observer->progress_interval_ns;
    if (share_slots(dog) != 0) {
        if (group->rank == 0 && dog->limit_ns != 0)
            weir_log(WEIR_LOG_WARNING,
                     "ranks that do not move will not be told of%s: the ranks of a node share no "
                     "memory, for which /dev/shm may have no room",
                     dog->give_up_ns != 0 ? ", and --give-up does nothing" : "");
        /* Rank 0 still counts its own work, in memory of its own. */
        if (dog->slots != NULL)
            munmap(dog->slots, dog->slot_count * sizeof *dog->slots);
        dog->slot_count = 1;
        dog->limit_ns = 0;
        dog->slots = mmap(NULL, sizeof *dog->slots, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (dog->slots == MAP_FAILED)
            dog->slots = NULL;
        if (dog->interval_ns == 0 || dog->slots == NULL) {
            let_go(dog);
            return;
        }
    }
    dog->mine = &dog->slots[dog->slot_count > 1 ? group->node_rank : 0];
    dog->mine->rank = (uint32_t)group->rank;
    dog->watched_count = group->node_rank == 0 ? dog->slot_count : 1;
    if ((dog->limit_ns != 0 && group->node_rank < 2) || dog->interval_ns != 0)
        start_watching(dog);
    run->watchdog = dog;
    dog->watch = (struct weir_call_watch){.begin = begin_call, .end = end_call, .context = dog};
    weir_call_watch_set(&dog->watch);
}

void weir_watchdog_close(struct weir_run *run)
{
    if (run->watchdog == NULL)
        return;
    weir_watchdog_say(run, WEIR_ACTIVITY_NONE, NULL);
    weir_call_watch_set(NULL);
    let_go(run->watchdog);
    run->watchdog = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: processes of one node. Data are copied by whoever writes or reads, messages go
 * through a ring per direction, and the socket of the link wakes those who sleep. */
#include "shm.h"

#include "weir/base/facts.h"
#include "weir/base/log.h"
#include "weir/base/pages.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

extern const struct weir_provider weir_provider_shm;

#define LONGEST_WR_BYTES (UINT64_C(1) << 30)
/* A post that has copied so much takes no more for now: what is done shall be told in time. */
#define POST_BYTES_MAX (UINT64_C(1) << 20)

struct done {
    void *context;
    int result;
};

struct shm_fabric {
    struct weir_fabric base;
    struct weir_shm_place place;
    struct weir_link *next; /* whose turn it is in progress; NULL: the first */
    bool is_asleep;         /* as the inboxes say */
};

struct shm_link {
    struct weir_link base;
    struct weir_shm_inbox inbox;  /* ours */
    struct weir_shm_inbox outbox; /* the peer's inbox */
    struct weir_shm_peer peer;
    struct done *done; /* a ring of a power of two: what was posted and not yet told */
    unsigned depth, done_mask, done_first, done_count;
    unsigned char *messages; /* as many as credits, told and not released */
    size_t message_stride;
    unsigned *unused; /* of messages: those that can receive, a stack */
    unsigned unused_count, message_count;
    bool owes_messages; /* those that are done had all the room */
    bool was_woken;     /* the socket has bytes, or its end */
    bool has_ended;     /* the socket */
    int end_code;
};

/* What one end tells the other. */
struct shm_endpoint {
    struct weir_shm_place place;
    struct weir_shm_inbox_info inbox;
};

static_assert(sizeof(struct shm_endpoint) <= WEIR_ENDPOINT_INFO_BYTES,
              "an endpoint info holds ours");

/* ---- opening ---- */

static int shm_open_fabric(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                           struct weir_error *error)
{
    struct shm_fabric *made = calloc(1, sizeof *made);

    if (!made)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "shm", "no memory is left");
    weir_shm_place_find(&made->place);
    made->base.facts = (struct weir_fabric_facts){
        .provider = "shm",
        .transport = "shared memory",
        .gid_index = -1,
        .numa_node = WEIR_NUMA_UNKNOWN,
        .depth = params->depth,
        .longest_wr_bytes = LONGEST_WR_BYTES,
        .is_one_sided = true,
    };
    *fabric = &made->base;
    return 0;
}

static void shm_close_fabric(struct weir_fabric *fabric)
{
    free(fabric);
}

static int shm_region_open(struct weir_fabric *fabric, void *memory, size_t bytes,
                           const struct weir_slab *slab, unsigned access,
                           struct weir_region **region, struct weir_error *error)
{
    struct weir_region *made = calloc(1, sizeof *made);
    int code = made ? 0 : -ENOMEM;

    /* A key that names no process is one that no peer takes. */
    if (code == 0 && access & WEIR_REGION_SERVED)
        code = weir_shm_key_make(&made->key, memory, bytes, slab);
    else if (code == 0)
        made->key = (struct weir_region_key){
            .address = (uint64_t)(uintptr_t)memory, .bytes = bytes, .process = -1, .fd = -1};
    if (code != 0) {
        free(made);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "shm",
                              "%zu bytes of memory cannot be served: %s", bytes, strerror(-code));
    }
    made->fabric = fabric;
    made->memory = memory;
    made->bytes = bytes;
    made->is_served = access & WEIR_REGION_SERVED;
    *region = made;
    return 0;
}

static void shm_region_close(struct weir_region *region)
{
    free(region);
}

/* ---- links ---- */

static void free_link(struct shm_link *link)
{
    weir_shm_inbox_close(&link->inbox);
    weir_shm_inbox_close(&link->outbox);
    weir_shm_peer_close(&link->peer);
    free(link->done);
    weir_pages_unmap(link->messages, link->message_count * link->message_stride);
    free(link->unused);
    free(link);
}

static int make_messages(struct shm_link *link, unsigned credits, unsigned message_bytes)
{
    link->message_stride = ((size_t)message_bytes + WEIR_SHM_LINE_BYTES - 1) / WEIR_SHM_LINE_BYTES *
                           WEIR_SHM_LINE_BYTES;
    link->message_count = credits;
    link->messages = weir_pages_map(credits * link->message_stride);
    link->unused = calloc(credits, sizeof *link->unused);
    link->done_mask = weir_ring_size(link->depth) - 1;
    link->done = calloc(link->done_mask + 1, sizeof *link->done);
    if (!link->messages || !link->unused || !link->done)
        return -ENOMEM;
    /* The one that was given back last is taken next: it is in the cache. */
    for (unsigned i = 0; i < credits; i++)
        link->unused[link->unused_count++] = credits - 1 - i;
    return 0;
}

static int shm_link_open(struct weir_fabric *fabric, struct weir_link **link,
                         struct weir_endpoint_info *info)
{
    const struct weir_fabric_params *params = &fabric->params;
    struct shm_endpoint ours = {.place = ((struct shm_fabric *)fabric)->place};
    struct shm_link *made = calloc(1, sizeof *made);
    int code;

    if (!made)
        return -ENOMEM;
    made->base.fabric = fabric;
    made->inbox.fd = made->outbox.fd = made->peer.directory = -1;
    made->depth = params->depth;
    code = weir_shm_inbox_open(&made->inbox, params->message_credits, params->message_bytes,
                               &ours.inbox);
    if (code == 0)
        code = make_messages(made, params->message_credits, params->message_bytes);
    if (code != 0) {
        free_link(made);
        return code;
    }
    memcpy(info->bytes, &ours, sizeof ours);
    *link = &made->base;
    return 0;
}

static int shm_link_join(struct weir_link *link, const struct weir_endpoint_info *info)
{
    const struct shm_fabric *fabric = (const struct shm_fabric *)link->fabric;
    struct shm_link *joining = (struct shm_link *)link;
    const char *refusal;
    struct shm_endpoint theirs;
    int code;

    memcpy(&theirs, info->bytes, sizeof theirs);
    refusal = weir_shm_place_refuse(&fabric->place, &theirs.place);
    code = refusal ? -EXDEV : weir_shm_peer_open(&joining->peer, theirs.place.process);
    if (code == 0) {
        refusal = weir_shm_peer_refuse(link->socket, &fabric->place, &joining->peer);
        code =
            refusal ? -EPERM : weir_shm_inbox_join(&joining->outbox, &joining->peer, &theirs.inbox);
    }
    if (!refusal && (code == -EACCES || code == -EPERM))
        refusal = "does not let this process into its memory (another user, or a program that "
                  "cannot be traced)";
    if (refusal)
        weir_log(WEIR_LOG_ERROR, "shm: %s %s: use the provider tcp", link->peer, refusal);
    return code;
}

static void shm_link_close(struct weir_link *link)
{
    struct shm_fabric *fabric = (struct shm_fabric *)link->fabric;

    if (fabric->next == link)
        fabric->next = NULL;
    free_link((struct shm_link *)link);
}

static void shm_release(struct weir_link *link, void *message)
{
    struct shm_link *shm = (struct shm_link *)link;
    size_t offset = (size_t)((unsigned char *)message - shm->messages);

    assert(offset % shm->message_stride == 0);
    assert(offset / shm->message_stride < shm->message_count);
    assert(shm->unused_count < shm->message_count);
    shm->unused[shm->unused_count++] = (unsigned)(offset / shm->message_stride);
}

/* Whatever else comes over the socket must not keep poll awake. */
static void lose(struct shm_link *link, int code)
{
    weir_fabric_unwatch(link->base.fabric, link->base.socket);
    weir_link_lose(&link->base, code);
}

/* ---- work requests ---- */

static void wake_peer(struct shm_link *link)
{
    if (!weir_shm_inbox_wants_wake(&link->outbox))
        return;
    /* A socket that is full has woken it already; one that is broken is seen by progress. */
    if (send(link->base.socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN)
        link->was_woken = true;
}

static void note_done(struct shm_link *link, void *context, int result)
{
    struct done *done = &link->done[(link->done_first + link->done_count) & link->done_mask];

    done->context = context;
    done->result = result;
    link->done_count++;
}

static int shm_post(struct weir_link *link, const struct weir_wr wrs[], unsigned count, bool waits)
{
    struct shm_link *shm = (struct shm_link *)link;
    uint64_t copied = 0;
    bool has_sent = false;
    unsigned taken;

    (void)waits;
    for (taken = 0; taken < count && shm->done_count < shm->depth && copied < POST_BYTES_MAX;
         taken++) {
        const struct weir_wr *wr = &wrs[taken];
        int result;

        if (wr->verb == WEIR_WR_SEND) {
            result = weir_shm_inbox_send(&shm->outbox, wr);
            if (result == -EAGAIN)
                break;
            if (result == -EPROTO) {
                lose(shm, result);
                return taken > 0 ? (int)taken : result;
            }
            has_sent = has_sent || result == 0;
        } else {
            result = weir_shm_move(&shm->peer, wr);
        }
        copied += wr->bytes;
        note_done(shm, wr->context, result);
    }
    if (has_sent)
        wake_peer(shm);
    return (int)taken;
}

static unsigned tell_done(struct shm_link *link, struct weir_event events[], unsigned max)
{
    unsigned told;

    for (told = 0; told < max && link->done_count > 0; told++) {
        const struct done *done = &link->done[link->done_first++ & link->done_mask];

        events[told] = (struct weir_event){.kind = WEIR_EVENT_DONE,
                                           .link = &link->base,
                                           .result = done->result,
                                           .context = done->context};
        link->done_count--;
    }
    return told;
}

/* How many, or -EPROTO. */
static int tell_messages(struct shm_link *link, struct weir_event events[], unsigned max)
{
    int waiting = weir_shm_inbox_waiting(&link->inbox);
    int told = 0;

    for (; told < waiting && (unsigned)told < max && link->unused_count > 0; told++) {
        unsigned index = link->unused[link->unused_count - 1];
        void *message = link->messages + index * link->message_stride;
        int bytes = weir_shm_inbox_receive(&link->inbox, message);

        if (bytes < 0)
            return told > 0 ? told : bytes; /* it is found again in the next round */
        link->unused_count--;
        events[told] = (struct weir_event){.kind = WEIR_EVENT_MESSAGE,
                                           .link = &link->base,
                                           .message = message,
                                           .bytes = (uint32_t)bytes};
    }
    return waiting < 0 ? waiting : told;
}

/* The bytes say nothing but that somebody has sent something; the end says that the peer is no
 * more. */
static void read_socket(struct shm_link *link)
{
    char bytes[256];
    ssize_t count;

    link->was_woken = false;
    do
        count = recv(link->base.socket, bytes, sizeof bytes, MSG_DONTWAIT);
    while (count > 0 || (count < 0 && errno == EINTR));
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    link->has_ended = true;
    link->end_code = count == 0 ? -ECONNRESET : -errno;
}

/* Work requests that are done come first: an answer after what it answers. But who posts one for
 * each that is told shall hear of messages, too. */
static unsigned progress_link(struct shm_link *link, struct weir_event events[], unsigned max)
{
    unsigned told = link->owes_messages ? 0 : tell_done(link, events, max);
    int code;

    link->owes_messages = told == max;
    /* The end first, and then the messages: what was sent before the end is not lost. */
    if (link->was_woken && !link->has_ended)
        read_socket(link);
    code = tell_messages(link, events + told, max - told);
    if (code < 0) {
        lose(link, code);
        return told;
    }
    told += (unsigned)code;
    told += tell_done(link, events + told, max - told);
    if (link->has_ended && (weir_shm_inbox_waiting(&link->inbox) <= 0 || link->unused_count == 0))
        lose(link, link->end_code);
    return told;
}

static void say_asleep(struct shm_fabric *fabric, bool is_asleep)
{
    for (struct weir_link *link = fabric->base.links; link; link = link->next)
        if (link->state == WEIR_LINK_UP)
            weir_shm_inbox_sleep(&((struct shm_link *)link)->inbox, is_asleep);
    fabric->is_asleep = is_asleep;
}

/* The links from `link` to the end, or before `end`. Returns where there was no more room. */
static struct weir_link *progress_some(struct weir_link *link, const struct weir_link *end,
                                       struct weir_event events[], unsigned max, unsigned *told)
{
    while (link && link != end && *told < max) {
        struct weir_link *following = link->next; /* who is lost goes to another list */

        if (link->state == WEIR_LINK_UP)
            *told += progress_link((struct shm_link *)link, events + *told, max - *told);
        link = following;
    }
    return link;
}

/* The links in turn, from where the last round had no room for more. */
static int shm_progress(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                        bool *sleeps)
{
    struct shm_fabric *shm = (struct shm_fabric *)fabric;
    struct weir_link *first = shm->next;
    unsigned told = 0;

    if (sleeps)
        *sleeps = true;
    if (sleeps || shm->is_asleep)
        say_asleep(shm, sleeps);
    shm->next = progress_some(first, NULL, events, max, &told);
    if (told < max)
        shm->next = progress_some(fabric->links, first, events, max, &told);
    return (int)told;
}

static int shm_drain(struct weir_link *link, struct weir_event events[], unsigned max)
{
    return (int)tell_done((struct shm_link *)link, events, max);
}

static void shm_woken(struct weir_fabric *fabric, void *context, uint32_t events)
{
    (void)fabric;
    (void)events;
    ((struct shm_link *)context)->was_woken = true;
}

const struct weir_provider weir_provider_shm = {
    .name = "shm",
    .host = &(const struct weir_provider_host){weir_shm_check, weir_shm_diagnose},
    .open = shm_open_fabric,
    .close = shm_close_fabric,
    .region_open = shm_region_open,
    .region_close = shm_region_close,
    .link_open = shm_link_open,
    .link_join = shm_link_join,
    .link_close = shm_link_close,
    .post = shm_post,
    .release = shm_release,
    .progress = shm_progress,
    .drain = shm_drain,
    .woken = shm_woken,
    .socket_events = EPOLLIN | EPOLLRDHUP,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* TCP streams: what RDMA does in hardware, done by the kernel and by whoever polls at the other
 * end. */
#include "tcp.h"

#include "door.h"
#include "interface.h"
#include "secret.h"

#include "weir/base/clock.h"
#include "weir/base/facts.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LONGEST_WIRE_BYTES (UINT64_C(1) << 40)

/* A silent peer is looked for so often where poll does not sleep. */
#define ROUNDS_PER_WATCH 4096

extern const struct weir_provider weir_provider_tcp;

/* What goes with the card. Numbers are little-endian. */
struct tcp_card {
    uint32_t pairs;
    uint32_t depth;
    unsigned char token[WEIR_TOKEN_BYTES]; /* from the end that listens */
};

/* ---- fabric ---- */

static void read_number(const char *device, const char *file, int64_t *number)
{
    char path[128];
    FILE *stream;
    long long value;

    snprintf(path, sizeof path, "/sys/class/net/%s/%s", device, file);
    stream = fopen(path, "re");
    if (stream == NULL)
        return;
    if (fscanf(stream, "%lld", &value) == 1)
        *number = value;
    fclose(stream);
}

static void tell_facts(struct weir_fabric *fabric, const struct weir_fabric_params *params,
                       const struct weir_place *place, const char *device)
{
    struct weir_fabric_facts *facts = &fabric->facts;
    int64_t mtu_bytes = 0, megabits_per_s = 0, node = -1;
    char address[WEIR_ADDRESS_BYTES];

    read_number(device, "mtu", &mtu_bytes);
    read_number(device, "speed", &megabits_per_s);
    read_number(device, "device/numa_node", &node);
    weir_place_format_host(place, address);
    *facts = (struct weir_fabric_facts){
        .provider = "tcp",
        .transport = "TCP",
        .gid_index = -1,
        .numa_node = node < 0 ? WEIR_NUMA_UNKNOWN : (int32_t)node,
        .mtu_bytes = mtu_bytes > 0 ? (uint32_t)mtu_bytes : 0,
        .pairs = params->pairs,
        .depth = params->depth,
        .bits_per_s = megabits_per_s > 0 ? (uint64_t)megabits_per_s * 1000000 : 0,
        .longest_wire_bytes = LONGEST_WIRE_BYTES,
    };
    snprintf(facts->device, sizeof facts->device, "%s", device);
    snprintf(facts->address, sizeof facts->address, "%.63s", address);
}

static int tcp_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                    struct weir_error *error)
{
    struct weir_place place;
    struct tcp_fabric *tcp;
    char device[32];
    int failure;

    if (params->pairs > TCP_PAIRS_MAX)
        return weir_error_usage(error, "tcp", "%u streams per link; %d are the most", params->pairs,
                                TCP_PAIRS_MAX);
    if (params->depth > TCP_DEPTH_MAX)
        return weir_error_usage(error, "tcp", "%u wires in flight on a link; %d are the most",
                                params->depth, TCP_DEPTH_MAX);
    failure = weir_interface_find(params->interface, &place, device, error);
    if (failure)
        return failure;
    tcp = calloc(1, sizeof *tcp);
    if (tcp != NULL)
        tcp->waste = malloc(TCP_WASTE_BYTES);
    if (tcp == NULL || tcp->waste == NULL) {
        free(tcp);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "tcp", "out of memory");
    }
    tell_facts(&tcp->fabric, params, &place, device);
    *fabric = &tcp->fabric;
    return 0;
}

static void tcp_close(struct weir_fabric *fabric)
{
    struct tcp_fabric *tcp = (struct tcp_fabric *)fabric;

    for (unsigned i = 0; i < tcp->region_count; i++)
        free(tcp->regions[i]);
    free(tcp->regions);
    free(tcp->waste);
    free(tcp);
}

/* ---- links ---- */

static uint32_t mask_of(uint32_t count)
{
    uint32_t size = 1;

    while (size < count)
        size *= 2;
    return size - 1;
}

static int open_stream(struct tcp_link *link, unsigned index)
{
    struct tcp_stream *stream = &link->streams[index];
    size_t requests, replies;

    stream->link = link;
    stream->index = index;
    stream->request_mask = mask_of(link->link.fabric->params.depth);
    stream->reply_mask = mask_of(link->peer_depth);
    requests = stream->request_mask + 1;
    replies = stream->reply_mask + 1;
    stream->requests = calloc(requests, sizeof *stream->requests);
    if (index == 0)
        stream->headers = malloc(requests * WEIR_HEADER_BYTES);
    stream->fences = calloc(requests * link->pairs, sizeof *stream->fences);
    stream->replies = calloc(replies, sizeof *stream->replies);
    if (stream->requests == NULL || (index == 0 && stream->headers == NULL) ||
        stream->fences == NULL || stream->replies == NULL)
        return -ENOMEM;
    return 0;
}

static int open_streams(struct tcp_link *link)
{
    int failure = 0;

    link->streams = calloc(link->pairs, sizeof *link->streams);
    if (link->streams == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < link->pairs; i++)
        link->streams[i].fd = -1;
    for (unsigned i = 0; i < link->pairs && !failure; i++)
        failure = open_stream(link, i);
    return failure;
}

static int open_buffers(struct tcp_link *link, const struct weir_fabric_params *params)
{
    unsigned credits = params->message_credits;

    link->buffer_bytes = params->message_bytes;
    link->free_buffers = calloc(credits, sizeof *link->free_buffers);
    link->inbox = calloc(credits, sizeof *link->inbox);
    link->buffers = aligned_alloc(64, (size_t)credits * ((link->buffer_bytes + 63) / 64 * 64));
    if (link->free_buffers == NULL || link->inbox == NULL || link->buffers == NULL)
        return -ENOMEM;
    while (link->free_count < credits) {
        link->free_buffers[link->free_count] =
            link->buffers + link->free_count * ((link->buffer_bytes + 63) / 64 * 64);
        link->free_count++;
    }
    return 0;
}

static void tcp_link_close(struct weir_link *link)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    struct tcp_fabric *fabric = (struct tcp_fabric *)link->fabric;
    struct tcp_link *previous = NULL;

    for (struct tcp_link *one = fabric == NULL ? NULL : fabric->ready_first; one != NULL;
         previous = one, one = one->next_ready) {
        if (one != tcp)
            continue;
        if (previous != NULL)
            previous->next_ready = tcp->next_ready;
        else
            fabric->ready_first = tcp->next_ready;
        if (fabric->ready_last == tcp)
            fabric->ready_last = previous;
        break;
    }
    for (unsigned i = 0; tcp->streams != NULL && i < tcp->pairs; i++) {
        struct tcp_stream *stream = &tcp->streams[i];

        if (i > 0 && stream->fd >= 0) {
            weir_fabric_unwatch(link->fabric, stream->fd);
            close(stream->fd);
        }
        free(stream->requests);
        free(stream->headers);
        free(stream->fences);
        free(stream->replies);
    }
    free(tcp->streams);
    free(tcp->free_buffers);
    free(tcp->inbox);
    free(tcp->buffers);
    free(tcp);
}

static int tcp_link_open(struct weir_fabric *fabric, bool is_incoming, struct weir_link **link,
                         struct weir_card *card)
{
    struct tcp_link *tcp = calloc(1, sizeof *tcp);
    struct tcp_card ours = {.pairs = htole32(fabric->params.pairs),
                            .depth = htole32(fabric->params.depth)};
    int failure;

    if (tcp == NULL)
        return -ENOMEM;
    failure = open_buffers(tcp, &fabric->params);
    if (!failure && is_incoming)
        failure = weir_secret_random(tcp->token, sizeof tcp->token);
    if (failure) {
        tcp_link_close(&tcp->link);
        return failure;
    }
    memcpy(ours.token, tcp->token, sizeof ours.token);
    memcpy(card->bytes, &ours, sizeof ours);
    *link = &tcp->link;
    return 0;
}

/* The end that connects says how many streams there are, and calls for them. */
static int tcp_link_join(struct weir_link *link, const struct weir_card *card)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    struct weir_stream_name name;
    struct tcp_card theirs;
    int failure;

    memcpy(&theirs, card->bytes, sizeof theirs);
    tcp->peer_depth = le32toh(theirs.depth);
    tcp->pairs = link->is_incoming ? le32toh(theirs.pairs) : link->fabric->params.pairs;
    if (tcp->pairs - 1 >= TCP_PAIRS_MAX || tcp->peer_depth - 1 >= TCP_DEPTH_MAX) {
        tcp->pairs = 0;
        return -EPROTO;
    }
    failure = open_streams(tcp);
    tcp->joined = 1;
    if (!failure && !link->is_incoming)
        memcpy(tcp->token, theirs.token, sizeof tcp->token);
    memcpy(name.token, tcp->token, sizeof name.token);
    for (name.index = 1; !failure && !link->is_incoming && name.index < tcp->pairs; name.index++)
        failure = weir_door_call_stream(link, &name);
    if (failure)
        return failure;
    return tcp->pairs > 1 ? -EINPROGRESS : 0;
}

/* Whoever connected knows the link; the other end finds it by its token. */
static struct weir_link *find_link(struct weir_fabric *fabric, const struct weir_stream_name *name)
{
    for (struct weir_link *link = fabric->links; link != NULL; link = link->next) {
        const struct tcp_link *tcp = (const struct tcp_link *)link;

        if (link->is_incoming && weir_secret_equal(tcp->token, name->token, sizeof tcp->token))
            return link;
    }
    return NULL;
}

static int tcp_stream_join(struct weir_fabric *fabric, struct weir_link *link,
                           const struct weir_stream_name *name, int socket)
{
    struct tcp_link *tcp;

    if (link == NULL)
        link = find_link(fabric, name);
    tcp = (struct tcp_link *)link;
    if (link == NULL || link->state != WEIR_LINK_JOINING || tcp->streams == NULL)
        return -ENOENT;
    if (name->index == 0 || name->index >= tcp->pairs || tcp->streams[name->index].fd >= 0)
        return -EPROTO;
    tcp->streams[name->index].fd = socket;
    if (++tcp->joined == tcp->pairs)
        weir_door_link_is_up(link);
    return 0;
}

static int tcp_link_up(struct weir_link *link)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    int failure = 0;

    tcp->streams[0].fd = link->socket;
    for (unsigned i = 0; i < tcp->pairs && !failure; i++) {
        struct tcp_stream *stream = &tcp->streams[i];

        stream->is_readable = true;
        stream->is_writable = true;
        weir_door_set_socket(stream->fd, link->fabric->params.timeout_ns);
        failure = weir_fabric_watch(link->fabric, stream->fd, stream,
                                    EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    }
    weir_tcp_set_ready(tcp);
    return failure;
}

static void tcp_release(struct weir_link *link, void *message)
{
    struct tcp_link *tcp = (struct tcp_link *)link;

    assert(tcp->free_count < link->fabric->params.message_credits);
    tcp->free_buffers[tcp->free_count++] = message;
    if (tcp->streams[0].stage == TCP_WAITING)
        weir_tcp_set_ready(tcp);
}

/* ---- progress ---- */

void weir_tcp_set_ready(struct tcp_link *link)
{
    struct tcp_fabric *fabric = (struct tcp_fabric *)link->link.fabric;

    if (link->is_ready)
        return;
    link->is_ready = true;
    link->next_ready = NULL;
    if (fabric->ready_last != NULL)
        fabric->ready_last->next_ready = link;
    else
        fabric->ready_first = link;
    fabric->ready_last = link;
}

static unsigned tell_messages(struct tcp_link *link, struct weir_event events[], unsigned max)
{
    unsigned count = 0;

    while (link->inbox_count > 0 && count < max) {
        events[count++] = link->inbox[link->inbox_first];
        link->inbox_first = (link->inbox_first + 1) % link->link.fabric->params.message_credits;
        link->inbox_count--;
    }
    return count;
}

/* Requests that are done up to `end`; those that the peer has not handled fail with `code`. */
static unsigned tell_done(struct tcp_stream *stream, uint32_t end, int code,
                          struct weir_event events[], unsigned max)
{
    unsigned count = 0;

    for (; stream->settled != end && count < max; stream->settled++) {
        const struct tcp_request *request =
            &stream->requests[stream->settled & stream->request_mask];
        bool is_handled = !tcp_reaches(stream->settled, stream->acknowledged);

        events[count++] = (struct weir_event){
            .kind = WEIR_EVENT_DONE,
            .link = &stream->link->link,
            .result = is_handled ? request->result : code,
            .context = request->context,
        };
    }
    return count;
}

/* What a link has to tell; and it receives and sends, once. */
static unsigned serve(struct tcp_link *link, struct weir_event events[], unsigned max)
{
    unsigned count = 0;

    for (unsigned i = 0; i < link->pairs && link->link.state == WEIR_LINK_UP; i++) {
        struct tcp_stream *stream = &link->streams[i];

        /* What was handled in the round before: who polled had the time to answer with more. */
        weir_tcp_transmit(stream);
        if (link->link.state == WEIR_LINK_UP)
            weir_tcp_receive(stream);
    }
    count = tell_messages(link, events, max);
    for (unsigned i = 0; i < link->pairs; i++) {
        struct tcp_stream *stream = &link->streams[i];

        count += tell_done(stream, stream->acknowledged, 0, events + count, max - count);
    }
    return count;
}

/* A stream that waits for another of its link, or for a buffer, may go on when something has moved
 * since `activity`. */
static bool has_work(const struct tcp_link *link, uint64_t activity)
{
    if (link->link.state != WEIR_LINK_UP)
        return false;
    if (link->inbox_count > 0)
        return true;
    for (unsigned i = 0; i < link->pairs; i++) {
        const struct tcp_stream *stream = &link->streams[i];
        bool has_output = stream->part_count > 0 || stream->laid != stream->posted ||
                          stream->reply_laid != stream->replied || weir_tcp_owes(stream);

        if (stream->settled != stream->acknowledged || (stream->is_writable && has_output) ||
            (stream->stage == TCP_WAITING ? link->activity != activity : stream->is_readable))
            return true;
    }
    return false;
}

/* Wires are in flight, and nothing has moved for the length of the timeout: the peer's kernel may
 * live, and its process not. */
static void watch_silence(struct weir_fabric *fabric)
{
    uint64_t now_ns = weir_clock_kernel_ns();
    struct weir_link *next;

    for (struct weir_link *link = fabric->links; link != NULL; link = next) {
        struct tcp_link *tcp = (struct tcp_link *)link;

        next = link->next;
        if (link->state != WEIR_LINK_UP)
            continue;
        if (link->flying == 0 || tcp->activity != tcp->seen_activity || tcp->seen_ns == 0) {
            tcp->seen_activity = tcp->activity;
            tcp->seen_ns = now_ns;
        } else if (now_ns - tcp->seen_ns >= fabric->params.timeout_ns) {
            weir_link_lose(link, -ETIMEDOUT);
        }
    }
}

static int tcp_progress(struct weir_fabric *fabric, struct weir_event events[], unsigned max)
{
    struct tcp_fabric *tcp = (struct tcp_fabric *)fabric;
    struct tcp_link *last = tcp->ready_last;
    bool is_last = last == NULL;
    unsigned count = 0;

    if (++tcp->rounds % ROUNDS_PER_WATCH == 0)
        watch_silence(fabric);
    while (!is_last && count < max) {
        struct tcp_link *link = tcp->ready_first;
        uint64_t activity;

        assert(link != NULL);
        is_last = link == last;
        tcp->ready_first = link->next_ready;
        if (tcp->ready_first == NULL)
            tcp->ready_last = NULL;
        link->is_ready = false;
        if (link->link.state != WEIR_LINK_UP)
            continue;
        activity = link->activity;
        count += serve(link, events + count, max - count);
        if (has_work(link, activity))
            weir_tcp_set_ready(link);
    }
    return (int)count;
}

static int tcp_drain(struct weir_link *link, struct weir_event events[], unsigned max)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    unsigned count = tell_messages(tcp, events, max);

    for (unsigned i = 0; i < tcp->pairs && count < max; i++) {
        struct tcp_stream *stream = &tcp->streams[i];

        count += tell_done(stream, stream->posted, link->lost_code, events + count, max - count);
    }
    return (int)count;
}

static bool tcp_arm(struct weir_fabric *fabric)
{
    watch_silence(fabric);
    return ((struct tcp_fabric *)fabric)->ready_first != NULL || fabric->leaving != NULL;
}

static void tcp_woken(struct weir_fabric *fabric, void *context, uint32_t events)
{
    struct tcp_stream *stream = context;

    (void)fabric;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        stream->has_ended = true;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        stream->is_readable = true;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        stream->is_writable = true;
    weir_tcp_set_ready(stream->link);
}

const struct weir_provider weir_provider_tcp = {
    .name = "tcp",
    .open = tcp_open,
    .close = tcp_close,
    .region_open = weir_tcp_region_open,
    .region_close = weir_tcp_region_close,
    .link_open = tcp_link_open,
    .link_join = tcp_link_join,
    .link_up = tcp_link_up,
    .stream_join = tcp_stream_join,
    .link_close = tcp_link_close,
    .post = weir_tcp_post,
    .release = tcp_release,
    .progress = tcp_progress,
    .drain = tcp_drain,
    .arm = tcp_arm,
    .woken = tcp_woken,
    .is_driven_by_kernel = true,
};

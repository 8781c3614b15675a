/* SPDX-License-Identifier: Apache-2.0 */
/* TCP: what RDMA does in hardware, done by the kernel and by whoever polls at the other
 * end. */
#include "tcp.h"

#include "interface.h"
#include "listener.h"

#include "weir/base/clock.h"
#include "weir/base/facts.h"
#include "weir/base/pages.h"
#include "weir/system/small_file.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LONGEST_WR_BYTES (UINT64_C(1) << 40)

/* A silent peer is looked for so often where poll does not sleep. */
#define ROUNDS_PER_WATCH 4096

extern const struct weir_provider weir_provider_tcp;

/* ---- fabric ---- */

static void tell_facts(struct weir_fabric *fabric, const struct weir_fabric_params *params,
                       const struct weir_place *place, const char *device)
{
    struct weir_fabric_facts *facts = &fabric->facts;
    int64_t mtu_bytes = 0, megabits_per_s = 0, node = -1;
    char address[WEIR_ADDRESS_BYTES];

    weir_small_file_number(&mtu_bytes, "/sys/class/net/%s/mtu", device);
    weir_small_file_number(&megabits_per_s, "/sys/class/net/%s/speed", device);
    weir_small_file_number(&node, "/sys/class/net/%s/device/numa_node", device);
    weir_place_format_host(place, address);
    *facts = (struct weir_fabric_facts){
        .provider = "tcp",
        .transport = "TCP",
        .gid_index = -1,
        .numa_node = node < 0 ? WEIR_NUMA_UNKNOWN : (int32_t)node,
        .mtu_bytes = mtu_bytes > 0 ? (uint32_t)mtu_bytes : 0,
        .depth = params->depth,
        .bits_per_s = megabits_per_s > 0 ? (uint64_t)megabits_per_s * 1000000 : 0,
        .longest_wr_bytes = LONGEST_WR_BYTES,
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

    if (params->depth > TCP_DEPTH_MAX)
        return weir_error_usage(error, "tcp",
                                "%u work requests in flight on a link; %d are the most",
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

static size_t buffers_bytes(const struct weir_fabric_params *params)
{
    return (size_t)params->message_credits * (((size_t)params->message_bytes + 63) / 64 * 64);
}

static int open_buffers(struct tcp_link *link, const struct weir_fabric_params *params)
{
    unsigned credits = params->message_credits;

    link->buffer_bytes = params->message_bytes;
    link->free_buffers = calloc(credits, sizeof *link->free_buffers);
    link->inbox = calloc(credits, sizeof *link->inbox);
    link->buffers = weir_pages_map(buffers_bytes(params));
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

    for (struct tcp_link *one = fabric->ready_first; one != NULL;
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
    free(tcp->requests);
    free(tcp->headers);
    free(tcp->replies);
    free(tcp->free_buffers);
    free(tcp->inbox);
    weir_pages_unmap(tcp->buffers, buffers_bytes(&link->fabric->params));
    free(tcp);
}

/* Each end tells how many requests it has in flight at most. */
static int tcp_link_open(struct weir_fabric *fabric, struct weir_link **link,
                         struct weir_endpoint_info *info)
{
    struct tcp_link *tcp = calloc(1, sizeof *tcp);
    uint32_t depth = htole32(fabric->params.depth);
    int code;

    if (tcp == NULL)
        return -ENOMEM;
    tcp->base.fabric = fabric;
    code = open_buffers(tcp, &fabric->params);
    if (code < 0) {
        tcp_link_close(&tcp->base);
        return code;
    }
    memcpy(info->bytes, &depth, sizeof depth);
    *link = &tcp->base;
    return 0;
}

static int tcp_link_join(struct weir_link *link, const struct weir_endpoint_info *info)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    size_t requests, replies;

    memcpy(&tcp->peer_depth, info->bytes, sizeof tcp->peer_depth);
    tcp->peer_depth = le32toh(tcp->peer_depth);
    if (tcp->peer_depth - 1 >= TCP_DEPTH_MAX)
        return -EPROTO;
    tcp->is_writable = true; /* when the handshake is over; epoll tells of what is there by then */
    tcp->request_mask = weir_ring_size(link->fabric->params.depth) - 1;
    tcp->reply_mask = weir_ring_size(tcp->peer_depth) - 1;
    requests = (size_t)tcp->request_mask + 1;
    replies = (size_t)tcp->reply_mask + 1;
    tcp->requests = calloc(requests, sizeof *tcp->requests);
    tcp->headers = malloc(requests * WEIR_HEADER_BYTES);
    tcp->replies = calloc(replies, sizeof *tcp->replies);
    return tcp->requests == NULL || tcp->headers == NULL || tcp->replies == NULL ? -ENOMEM : 0;
}

static void tcp_release(struct weir_link *link, void *message)
{
    struct tcp_link *tcp = (struct tcp_link *)link;

    assert(tcp->free_count < link->fabric->params.message_credits);
    tcp->free_buffers[tcp->free_count++] = message;
    if (tcp->stage == TCP_WAITING)
        weir_tcp_set_ready(tcp);
}

/* ---- progress ---- */

void weir_tcp_set_ready(struct tcp_link *link)
{
    struct tcp_fabric *fabric = (struct tcp_fabric *)link->base.fabric;

    if (link->is_queued)
        return;
    link->is_queued = true;
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
        link->inbox_first = (link->inbox_first + 1) % link->base.fabric->params.message_credits;
        link->inbox_count--;
    }
    return count;
}

/* Requests that are done up to `end`; those that the peer has not handled fail with `code`. */
static unsigned tell_done(struct tcp_link *link, uint32_t end, int code, struct weir_event events[],
                          unsigned max)
{
    unsigned count = 0;

    for (; link->settled != end && count < max; link->settled++) {
        const struct tcp_request *request = &link->requests[link->settled & link->request_mask];
        bool is_handled = !tcp_reaches(link->settled, link->acknowledged);

        events[count++] = (struct weir_event){
            .kind = WEIR_EVENT_DONE,
            .link = &link->base,
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

    /* What was handled in the round before: who polled had the time to answer with more. */
    weir_tcp_transmit(link);
    if (link->base.state == WEIR_LINK_UP)
        weir_tcp_receive(link);
    count = tell_messages(link, events, max);
    return count + tell_done(link, link->acknowledged, 0, events + count, max - count);
}

/* A message that waits for a buffer is gone on with when one is released. */
static bool has_work(const struct tcp_link *link)
{
    bool has_output = link->part_count > 0 || link->laid != link->posted ||
                      link->reply_laid != link->replied || weir_tcp_owes(link);

    if (link->base.state != WEIR_LINK_UP)
        return false;
    return link->inbox_count > 0 || link->settled != link->acknowledged ||
           (link->is_writable && has_output) || (link->stage != TCP_WAITING && link->is_readable);
}

/* Work requests are in flight, and nothing has moved for the length of the timeout: the peer's
 * kernel may live, and its process not. */
static void watch_silence(struct weir_fabric *fabric)
{
    uint64_t now_ns = weir_clock_kernel_ns();
    struct weir_link *next;

    for (struct weir_link *link = fabric->links; link != NULL; link = next) {
        struct tcp_link *tcp = (struct tcp_link *)link;

        next = link->next;
        if (link->state != WEIR_LINK_UP)
            continue;
        if (link->outstanding == 0 || tcp->activity != tcp->seen_activity || tcp->seen_ns == 0) {
            tcp->seen_activity = tcp->activity;
            tcp->seen_ns = now_ns;
        } else if (now_ns - tcp->seen_ns >= fabric->params.timeout_ns) {
            weir_link_lose(link, -ETIMEDOUT);
        }
    }
}

static int tcp_progress(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                        bool *sleeps)
{
    struct tcp_fabric *tcp = (struct tcp_fabric *)fabric;
    struct tcp_link *last = tcp->ready_last;
    bool is_last = last == NULL;
    unsigned count = 0;

    if (++tcp->rounds % ROUNDS_PER_WATCH == 0 || sleeps != NULL)
        watch_silence(fabric);
    while (!is_last && count < max) {
        struct tcp_link *link = tcp->ready_first;

        assert(link != NULL);
        is_last = link == last;
        tcp->ready_first = link->next_ready;
        if (tcp->ready_first == NULL)
            tcp->ready_last = NULL;
        link->is_queued = false;
        if (link->base.state != WEIR_LINK_UP)
            continue;
        count += serve(link, events + count, max - count);
        if (has_work(link))
            weir_tcp_set_ready(link);
    }
    if (sleeps != NULL)
        *sleeps = tcp->ready_first == NULL;
    return (int)count;
}

static int tcp_drain(struct weir_link *link, struct weir_event events[], unsigned max)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    unsigned count = tell_messages(tcp, events, max);

    return (int)(count + tell_done(tcp, tcp->posted, link->lost_code, events + count, max - count));
}

static void tcp_woken(struct weir_fabric *fabric, void *context, uint32_t events)
{
    struct tcp_link *link = context;

    (void)fabric;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        link->has_ended = true;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        link->is_readable = true;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        link->is_writable = true;
    weir_tcp_set_ready(link);
}

const struct weir_provider weir_provider_tcp = {
    .name = "tcp",
    .open = tcp_open,
    .close = tcp_close,
    .region_open = weir_tcp_region_open,
    .region_close = weir_tcp_region_close,
    .link_open = tcp_link_open,
    .link_join = tcp_link_join,
    .link_close = tcp_link_close,
    .post = weir_tcp_post,
    .release = tcp_release,
    .progress = tcp_progress,
    .drain = tcp_drain,
    .woken = tcp_woken,
    .socket_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
    .is_driven_by_kernel = true,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a net run over a fabric: verbs, tcp or shm. */
#include "transport.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EVENTS_MAX = 64,
    POST_MAX = 64,
    /* messages of the peer's that are not for data: control messages always find room */
    CONTROL_CREDITS = 8,
    CONTROL_DEPTH = 16
};

/* Buffers for messages received hold so much in all. */
#define MESSAGE_MEMORY (UINT64_C(64) << 20)

struct greeting {
    uint64_t magic;
    uint32_t rank;
    uint16_t path, path_count;
};

struct fabric_link {
    struct net_link base;
    /* `--pairs` of them: writes and reads take turns, all else has the first. NULL: no more */
    struct weir_link *paths[WEIR_NET_PAIRS_MAX];
    unsigned path_count, joined_paths, next_path;
    struct weir_region_key remote;
    bool has_key;          /* `remote` is known */
    bool is_lost;          /* its paths are closed when all events that were found are dealt with */
    unsigned credits;      /* data messages that the peer can still receive */
    unsigned credit_limit; /* of ours, for the peer's data */
    unsigned owed;         /* given back since we told the peer */
};

struct fabric_transport {
    struct net_transport base;
    struct weir_fabric *fabric;
    struct weir_region *region;
    uint32_t rank;
    unsigned access; /* WEIR_REGION_WATCHED, or 0 */
    unsigned path_count;
    unsigned data_credits;
    bool has_pending; /* control messages that did not go yet, on any link */
    bool has_lost;    /* a link that is_lost */
    /* links of nobody; closed when all events that were found are dealt with */
    struct weir_link *strangers[EVENTS_MAX];
    unsigned stranger_count;
};

static struct fabric_transport *transport_of(struct net_transport *transport)
{
    return (struct fabric_transport *)transport;
}

static struct fabric_link *link_of(struct net_link *link)
{
    return (struct fabric_link *)link;
}

static void fabric_describe(const struct net_transport *transport, struct weir_fabric_facts *facts)
{
    *facts = *weir_fabric_facts(((const struct fabric_transport *)transport)->fabric);
}

static int fabric_take_memory(struct net_transport *base, uint64_t bytes, bool wants_huge_pages,
                              unsigned links, struct weir_error *error)
{
    struct fabric_transport *transport = transport_of(base);
    const struct weir_fabric_need need = {
        .locked_bytes = bytes, .region_bytes = bytes, .regions = 1, .links = links};
    int code = weir_fabric_check(transport->fabric, &need, error);

    if (code == 0)
        code = net_transport_take_memory(base, bytes, wants_huge_pages, error);
    if (code < 0)
        return code;
    return weir_region_open(transport->fabric, base->memory, bytes, &base->slab,
                            WEIR_REGION_SERVED | transport->access, &transport->region, error);
}

static int fabric_listen(struct net_transport *transport, char address[WEIR_ADDRESS_BYTES],
                         struct weir_error *error)
{
    memset(address, 0, WEIR_ADDRESS_BYTES);
    return weir_fabric_listen(transport_of(transport)->fabric, NULL, address, error);
}

/* ---- links ---- */

static struct fabric_link *make_link(struct fabric_transport *transport, uint32_t peer,
                                     bool is_opener, unsigned path_count)
{
    struct fabric_link *link = net_link_new(&transport->base, sizeof *link, peer, is_opener);

    if (link == NULL)
        return NULL;
    link->credit_limit = transport->data_credits;
    link->path_count = path_count;
    return link;
}

static void close_paths(struct fabric_link *link)
{
    for (unsigned i = 0; i < link->path_count; i++) {
        weir_link_close(link->paths[i]);
        link->paths[i] = NULL;
    }
}

static int fabric_open_link(struct net_transport *base, uint32_t peer, const char *address,
                            struct net_link **opened)
{
    struct fabric_transport *transport = transport_of(base);
    struct fabric_link *link = make_link(transport, peer, true, transport->path_count);

    if (link == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < link->path_count; i++) {
        const struct greeting greeting = {.magic = NET_CONTROL_MAGIC,
                                          .rank = transport->rank,
                                          .path = (uint16_t)i,
                                          .path_count = (uint16_t)link->path_count};
        int code = weir_fabric_connect(transport->fabric, address, &greeting, sizeof greeting,
                                       &link->paths[i]);

        if (code < 0) {
            link->paths[i] = NULL;
            close_paths(link);
            link->base.code = code;
            return code;
        }
        weir_link_set_owner(link->paths[i], link);
    }
    *opened = &link->base;
    return 0;
}

/* ---- control messages ---- */

/* 1 if it went, 0 if there is no room now, or -errno. */
static int post_control(struct fabric_link *link, const struct net_control *control)
{
    const struct weir_wr wr = {
        .verb = WEIR_WR_SEND, .header = control, .header_bytes = sizeof *control};

    return weir_link_post(link->paths[0], &wr, 1);
}

static int flush_controls(struct fabric_link *link)
{
    struct net_controls *pending = &link->base.pending;
    unsigned gone = 0;
    int code = 1;

    if (link->paths[0] == NULL)
        return -ENOTCONN;
    while (gone < pending->count && (code = post_control(link, &pending->items[gone])) == 1)
        gone++;
    net_controls_drop(pending, gone);
    transport_of(link->base.transport)->has_pending |= pending->count > 0;
    return code < 0 ? code : 0;
}

static int fabric_tell(struct net_link *base, const struct net_control *control)
{
    struct fabric_link *link = link_of(base);
    int code = link->paths[0] != NULL ? net_controls_add(&base->pending, control) : -ENOTCONN;

    return code < 0 ? code : flush_controls(link);
}

/* ---- data ---- */

static struct weir_wr wr_of(const struct fabric_link *link, const struct net_transfer *transfer,
                            const struct net_piece *piece)
{
    static const enum weir_wr_verb verbs[] = {[WEIR_NET_WRITE] = WEIR_WR_WRITE,
                                              [WEIR_NET_READ] = WEIR_WR_READ,
                                              [WEIR_NET_SEND] = WEIR_WR_SEND};

    return (struct weir_wr){
        .verb = verbs[transfer->verb],
        .data = link->base.transport->memory + piece->offset,
        .bytes = transfer->bytes,
        .region = transport_of(link->base.transport)->region,
        .remote_address = link->remote.address + piece->remote_offset,
        .remote = &link->remote,
        .context = (void *)((uintptr_t)piece->token + 1),
    };
}

static unsigned fill_wrs(const struct fabric_link *link, const struct net_transfer *transfer,
                         const struct net_piece pieces[], unsigned count,
                         struct weir_wr wrs[POST_MAX])
{
    unsigned limit = count < POST_MAX ? count : POST_MAX;

    if (transfer->verb == WEIR_NET_SEND && limit > link->credits)
        limit = link->credits;
    for (unsigned i = 0; i < limit; i++)
        wrs[i] = wr_of(link, transfer, &pieces[i]);
    return limit;
}

/* The one with the fewest work requests in flight: a slow one is not to hold them all. */
static struct weir_link *freest_path(struct fabric_link *link)
{
    struct weir_link *best = link->paths[link->next_path];

    for (unsigned i = 1; i < link->path_count; i++) {
        struct weir_link *path = link->paths[(link->next_path + i) % link->path_count];

        if (weir_link_outstanding(path) < weir_link_outstanding(best))
            best = path;
    }
    link->next_path = (link->next_path + 1) % link->path_count;
    return best;
}

/* Over all paths, a share at a time. How many were taken, or -errno. */
static int post_wrs(struct fabric_link *link, const struct weir_wr wrs[], unsigned count)
{
    unsigned share = (count + link->path_count - 1) / link->path_count, taken = 0;

    while (taken < count) {
        unsigned left = count - taken;
        int code = weir_link_post(freest_path(link), wrs + taken, left < share ? left : share);

        if (code < 0)
            return taken > 0 ? (int)taken : code;
        if (code == 0)
            break;
        taken += (unsigned)code;
    }
    return (int)taken;
}

static int fabric_post(struct net_link *base, const struct net_transfer *transfer,
                       const struct net_piece pieces[], unsigned count)
{
    struct fabric_link *link = link_of(base);
    struct weir_wr wrs[POST_MAX];
    unsigned filled;
    int taken;

    if (link->paths[0] == NULL)
        return -ENOTCONN;
    filled = fill_wrs(link, transfer, pieces, count, wrs);
    if (filled == 0)
        return 0;
    if (transfer->verb != WEIR_NET_SEND)
        return post_wrs(link, wrs, filled);
    taken = weir_link_post(link->paths[0], wrs, filled);
    if (taken > 0)
        link->credits -= (unsigned)taken;
    return taken;
}

/* For one-sided messages, which need no credit. */
static int fabric_post_and_wait(struct net_link *base, const struct net_transfer *transfer,
                                const struct net_piece *piece)
{
    struct fabric_link *link = link_of(base);
    struct weir_wr wr;

    assert(transfer->verb != WEIR_NET_SEND);
    if (link->paths[0] == NULL)
        return -ENOTCONN;
    wr = wr_of(link, transfer, piece);
    return weir_link_post_and_wait(link->paths[0], &wr);
}

static void fabric_release(struct net_link *base, void *data)
{
    struct fabric_link *link = link_of(base);

    if (link->paths[0] == NULL)
        return;
    weir_link_release(link->paths[0], data);
    if (++link->owed < (link->credit_limit + 1) / 2)
        return;
    if (fabric_tell(base,
                    &(struct net_control){.kind = NET_CONTROL_CREDIT, .values = {link->owed}}) == 0)
        link->owed = 0;
}

/* ---- what happens ---- */

/* The link that an incoming path belongs to: that of its rank which is not complete yet, or a new
 * one. NULL: it is none of this run's. */
static struct fabric_link *link_of_incoming(struct fabric_transport *transport,
                                            const struct weir_event *event)
{
    const struct greeting *greeting = event->message;
    struct net_link *at = transport->base.links;
    struct fabric_link *link;

    if (event->bytes < sizeof *greeting || greeting->magic != NET_CONTROL_MAGIC ||
        greeting->path_count == 0 || greeting->path_count > WEIR_NET_PAIRS_MAX ||
        greeting->path >= greeting->path_count)
        return NULL;
    while (at != NULL && (at->is_opener || at->peer != greeting->rank ||
                          link_of(at)->joined_paths == link_of(at)->path_count))
        at = at->next;
    link = link_of(at);
    if (link == NULL)
        link = make_link(transport, greeting->rank, false, greeting->path_count);
    if (link == NULL || greeting->path >= link->path_count || link->paths[greeting->path] != NULL)
        return NULL;
    link->paths[greeting->path] = event->link;
    weir_link_set_owner(event->link, link);
    return link;
}

/* It can be used when all its paths are up, and where the peer's memory is, is known. */
static void come_up(struct fabric_link *link, struct net_event *event)
{
    if (link->joined_paths < link->path_count || !link->has_key)
        return;
    link->base.is_up = true;
    event->kind = NET_EVENT_JOINED;
}

static void send_away(struct fabric_transport *transport, struct weir_link *stranger)
{
    unsigned at = 0;

    while (at < transport->stranger_count && transport->strangers[at] != stranger)
        at++;
    transport->strangers[at] = stranger;
    transport->stranger_count += at == transport->stranger_count;
}

/* Its paths are closed once all events of this poll are told. */
static void lose(struct fabric_link *link, int code, struct net_event *event)
{
    event->kind = NET_EVENT_LOST;
    event->code = code;
    link->base.is_up = false;
    link->base.code = code;
    link->is_lost = true;
    transport_of(link->base.transport)->has_lost = true;
}

static void on_joined(struct fabric_transport *transport, const struct weir_event *from,
                      struct net_event *event)
{
    struct fabric_link *link =
        from->is_incoming ? link_of_incoming(transport, from) : weir_link_owner(from->link);
    unsigned credits = weir_link_credits(from->link);
    int code;

    if (link == NULL) {
        send_away(transport, from->link);
        return;
    }
    event->link = &link->base;
    if (++link->joined_paths < link->path_count)
        return;
    link->credits = credits > CONTROL_CREDITS ? credits - CONTROL_CREDITS : 1;
    code =
        fabric_tell(&link->base, &(struct net_control){.kind = NET_CONTROL_KEY,
                                                       .key = weir_region_key(transport->region)});
    if (code < 0)
        lose(link, code, event); /* the peer would wait for it without end */
    else
        come_up(link, event);
}

static void on_control(struct fabric_link *link, const struct net_control *control,
                       struct net_event *event)
{
    if (control->kind == NET_CONTROL_CREDIT) {
        link->credits += (unsigned)control->values[0];
    } else if (control->kind == NET_CONTROL_KEY) {
        link->remote = control->key;
        link->has_key = true;
        come_up(link, event);
    } else {
        event->kind = NET_EVENT_CONTROL;
        event->control = *control;
    }
}

static void on_message(struct fabric_link *link, const struct weir_event *from,
                       struct net_event *event)
{
    struct net_control control;

    if (from->bytes == sizeof control) {
        memcpy(&control, from->message, sizeof control);
        if (control.magic == NET_CONTROL_MAGIC) {
            weir_link_release(from->link, from->message);
            on_control(link, &control, event);
            return;
        }
    }
    event->kind = NET_EVENT_RECEIVED;
    event->data = from->message;
    event->bytes = from->bytes;
}

static void translate(struct fabric_transport *transport, const struct weir_event *from,
                      struct net_event *event)
{
    struct fabric_link *link = weir_link_owner(from->link);

    event->kind = NET_EVENT_NONE;
    if (from->kind == WEIR_EVENT_JOINED) {
        on_joined(transport, from, event);
        return;
    }
    if (link == NULL || link->is_lost) {
        if (from->kind == WEIR_EVENT_MESSAGE)
            weir_link_release(from->link, from->message);
        if (from->kind == WEIR_EVENT_LEFT && link == NULL)
            send_away(transport, from->link);
        return;
    }
    event->link = &link->base;
    if (from->kind == WEIR_EVENT_MESSAGE) {
        on_message(link, from, event);
    } else if (from->kind == WEIR_EVENT_LEFT) {
        lose(link, from->result < 0 ? from->result : -ECONNRESET, event);
    } else if (from->context != NULL) {
        event->kind = NET_EVENT_DONE;
        event->token = (uint32_t)((uintptr_t)from->context - 1);
        event->code = from->result;
    }
}

static void flush_all(struct fabric_transport *transport)
{
    transport->has_pending = false;
    for (struct net_link *link = transport->base.links; link != NULL; link = link->next)
        if (link->pending.count > 0)
            flush_controls(link_of(link));
}

static void close_lost(struct fabric_transport *transport)
{
    transport->has_lost = false;
    while (transport->stranger_count > 0)
        weir_link_close(transport->strangers[--transport->stranger_count]);
    for (struct net_link *link = transport->base.links; link != NULL; link = link->next)
        if (link_of(link)->is_lost)
            close_paths(link_of(link));
}

static int fabric_poll(struct net_transport *base, struct net_event events[], unsigned max,
                       uint64_t timeout_ns)
{
    struct fabric_transport *transport = transport_of(base);
    struct weir_event found[EVENTS_MAX];
    int count =
        weir_fabric_poll(transport->fabric, found, max < EVENTS_MAX ? max : EVENTS_MAX, timeout_ns);

    for (int i = 0; i < count; i++)
        translate(transport, &found[i], &events[i]);
    if (transport->has_lost || transport->stranger_count > 0)
        close_lost(transport);
    if (transport->has_pending)
        flush_all(transport);
    return count;
}

/* ---- opening and closing ---- */

static void fabric_close_links(struct net_transport *base)
{
    struct fabric_transport *transport = transport_of(base);

    for (; base->links != NULL; net_link_free(base))
        close_paths(link_of(base->links));
    transport->has_pending = transport->has_lost = false;
}

static void fabric_close(struct net_transport *base)
{
    struct fabric_transport *transport = transport_of(base);

    fabric_close_links(base);
    weir_region_close(transport->region);
    weir_fabric_close(transport->fabric);
    net_transport_free(base, false);
}

static const struct net_transport_ops fabric_ops = {
    .describe = fabric_describe,
    .take_memory = fabric_take_memory,
    .listen = fabric_listen,
    .open_link = fabric_open_link,
    .close_links = fabric_close_links,
    .post = fabric_post,
    .post_and_wait = fabric_post_and_wait,
    .tell = fabric_tell,
    .poll = fabric_poll,
    .release = fabric_release,
    .close = fabric_close,
};

/* `sleeps`: who waits gives its processor away at once. */
static struct weir_fabric_params fabric_params(const struct net_transport_params *params,
                                               unsigned data_credits, bool sleeps)
{
    const struct weir_net_plan *plan = params->plan;
    bool is_send = plan->verb == WEIR_NET_SEND;
    uint64_t message_bytes = is_send ? params->longest_bytes : 0;

    return (struct weir_fabric_params){
        .provider = params->provider,
        .device = plan->device,
        .interface = plan->interface,
        .gid_index = plan->gid_index,
        .depth = plan->depth + CONTROL_DEPTH,
        .message_bytes = message_bytes > 4096 ? (unsigned)message_bytes : 4096,
        .message_credits = data_credits + CONTROL_CREDITS,
        .signal_every = plan->signal_every,
        .mtu_bytes = plan->mtu_bytes,
        .read_depth = plan->read_depth,
        .inline_bytes = plan->inline_bytes,
        .service_level = plan->service_level,
        .traffic_class = plan->traffic_class,
        .pkey_index = plan->pkey_index,
        .spin_ns = sleeps ? 1 : 0,
        .secret = params->secret,
    };
}

/* How many messages a peer may have under way to us. */
static unsigned data_credits_of(const struct net_transport_params *params)
{
    uint64_t fitting = MESSAGE_MEMORY / (params->longest_bytes > 0 ? params->longest_bytes : 1);
    unsigned wanted = params->plan->depth;

    if (params->plan->verb != WEIR_NET_SEND)
        return 1;
    if (fitting < 2)
        fitting = 2;
    return wanted < fitting ? (wanted > 2 ? wanted : 2) : (unsigned)fitting;
}

/* Streams of the kernel are moved by the kernel: looking for what it has done takes from it. So it
 * is where there are more ranks than processors. */
static int open_fabric(const struct net_transport_params *params, unsigned data_credits,
                       struct weir_fabric **fabric, struct weir_error *error)
{
    bool is_crowded = params->group->node_size > sysconf(_SC_NPROCESSORS_ONLN);
    bool is_tcp = params->provider != NULL && strcmp(params->provider, "tcp") == 0;
    struct weir_fabric_params wanted = fabric_params(params, data_credits, is_crowded || is_tcp);
    int code = weir_fabric_open(&wanted, fabric, error);

    if (code < 0 || wanted.spin_ns > 0 || strcmp(weir_fabric_facts(*fabric)->provider, "tcp") != 0)
        return code;
    weir_fabric_close(*fabric);
    wanted.spin_ns = 1;
    return weir_fabric_open(&wanted, fabric, error);
}

int net_fabric_transport_open(const struct net_transport_params *params,
                              struct net_transport **opened, struct weir_error *error)
{
    unsigned data_credits = data_credits_of(params);
    struct fabric_transport *transport = net_transport_new(&fabric_ops, sizeof *transport, error);
    int code;

    if (transport == NULL)
        return -ENOMEM;
    code = open_fabric(params, data_credits, &transport->fabric, error);
    if (code < 0) {
        free(transport);
        return code;
    }
    transport->rank = (uint32_t)params->group->rank;
    transport->data_credits = data_credits;
    /* Latency is measured by looking for the last byte of a message. */
    if (params->plan->measure == WEIR_NET_LATENCY)
        transport->access = WEIR_REGION_WATCHED;
    transport->path_count = params->plan->pairs;
    transport->base.is_one_sided = weir_fabric_facts(transport->fabric)->is_one_sided;
    /* Over shm a message that is sent lies in the peer's inbox; the others' providers wait for an
     * acknowledgement. */
    transport->base.is_done_early =
        strcmp(weir_fabric_facts(transport->fabric)->provider, "shm") == 0;
    transport->base.longest_bytes = weir_fabric_facts(transport->fabric)->longest_wr_bytes;
    *opened = &transport->base;
    return 0;
}

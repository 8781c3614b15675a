/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a provider, and what is the same for all of them: links that come and go, and poll. */
#include "handshake.h"
#include "listener.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- opening ---- */

static void set_default(unsigned *value, unsigned standard)
{
    if (*value == 0)
        *value = standard;
}

static struct weir_fabric_params with_defaults(const struct weir_fabric_params *params)
{
    struct weir_fabric_params full = *params;

    set_default(&full.depth, 128);
    set_default(&full.message_bytes, 4096);
    set_default(&full.message_credits, 32);
    set_default(&full.timeout_exponent, 14);
    set_default(&full.retry_count, 7);
    if (full.spin_ns == 0)
        full.spin_ns = 50000;
    if (full.timeout_ns == 0)
        full.timeout_ns = UINT64_C(10000000000);
    return full;
}

static void tell_choice(struct weir_text *text)
{
    for (const struct weir_provider *const *one = weir_providers; *one != NULL; one++)
        weir_text_add(text, "%s%s", text->length > 0 ? ", " : "", (*one)->name);
    for (const char *const *reason = weir_providers_left_out; *reason != NULL; reason++)
        weir_text_add(text, "; left out: %s", *reason);
}

static const struct weir_provider *find_provider(const char *name)
{
    for (const struct weir_provider *const *one = weir_providers; *one != NULL; one++) {
        if (strcmp((*one)->name, name) == 0)
            return *one;
    }
    return NULL;
}

static int no_provider(const char *name, struct weir_error *error)
{
    struct weir_text text = {0};

    tell_choice(&text);
    weir_error_set(error, WEIR_EXIT_USAGE, -EINVAL, "fabric",
                   "this weir has no provider \"%s\"; it has %s", name, weir_text_string(&text));
    weir_text_close(&text);
    return -EINVAL;
}

static int open_provider(const struct weir_fabric_params *params, const char *name,
                         struct weir_fabric **fabric, struct weir_error *error)
{
    const struct weir_provider *provider = find_provider(name);
    int failure;

    if (provider == NULL)
        return no_provider(name, error);
    failure = provider->open(params, fabric, error);
    if (failure)
        return failure;
    (*fabric)->provider = provider;
    (*fabric)->epoll = -1;
    (*fabric)->wakeup = -1;
    return 0;
}

/* What only verbs have says that they are meant: TCP would take it and do nothing with it. */
static bool speaks_of_verbs(const struct weir_fabric_params *params)
{
    return params->device != NULL || params->gid_index >= 0 || params->mtu_bytes > 0 ||
           params->read_depth > 0 || params->signal_every > 0 || params->inline_bytes > 0 ||
           params->service_level > 0 || params->traffic_class > 0 || params->pkey_index > 0;
}

/* Verbs where they work, else TCP, which works everywhere. */
static int open_any(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                    struct weir_error *error)
{
    struct weir_error of_verbs = {0};

    if (params->provider != NULL)
        return open_provider(params, params->provider, fabric, error);
    if (speaks_of_verbs(params))
        return open_provider(params, "verbs", fabric, error);
    if (find_provider("verbs") != NULL && !open_provider(params, "verbs", fabric, &of_verbs))
        return 0;
    return open_provider(params, "tcp", fabric, error);
}

static int check_messages(const struct weir_fabric_params *params, struct weir_error *error)
{
    if (params->message_bytes <= WEIR_MESSAGE_BYTES_MAX &&
        params->message_credits <= WEIR_CREDITS_MAX)
        return 0;
    return weir_error_usage(error, "fabric",
                            "%u messages of up to %u bytes at once; %d of %d bytes are the most: "
                            "send shorter ones, or write and read instead",
                            params->message_credits, params->message_bytes, WEIR_CREDITS_MAX,
                            WEIR_MESSAGE_BYTES_MAX);
}

static int open_common(struct weir_fabric *fabric, const struct weir_fabric_params *params,
                       struct weir_error *error)
{
    int failure;

    fabric->params = *params;
    fabric->params.provider = fabric->provider->name;
    if (params->secret != NULL)
        memcpy(fabric->secret, params->secret, sizeof fabric->secret);
    fabric->params.secret = fabric->secret;
    fabric->epoll = epoll_create1(EPOLL_CLOEXEC);
    fabric->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    failure = fabric->epoll < 0 || fabric->wakeup < 0 ? -errno : weir_listener_open(fabric);
    if (!failure)
        failure = weir_fabric_watch_as(fabric, fabric->wakeup, WEIR_WATCHED_WAKEUP, NULL, EPOLLIN);
    if (failure)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, failure, fabric->provider->name,
                              "no descriptors for waiting: %s%s", strerror(-failure),
                              failure == -EMFILE ? "; ulimit -n allows more" : "");
    return 0;
}

int weir_fabric_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                     struct weir_error *error)
{
    struct weir_fabric_params full = with_defaults(params);
    struct weir_fabric *opened = NULL;
    int failure = check_messages(&full, error);

    if (!failure)
        failure = open_any(&full, &opened, error);
    if (failure)
        return failure;
    failure = open_common(opened, &full, error);
    if (failure) {
        weir_fabric_close(opened);
        return failure;
    }
    *fabric = opened;
    return 0;
}

void weir_fabric_close(struct weir_fabric *fabric)
{
    int epoll, wakeup;

    if (fabric == NULL)
        return;
    while (fabric->leaving != NULL)
        weir_link_close(fabric->leaving);
    while (fabric->links != NULL)
        weir_link_close(fabric->links);
    weir_listener_close(fabric->listener);
    epoll = fabric->epoll;
    wakeup = fabric->wakeup;
    fabric->provider->close(fabric);
    if (wakeup >= 0)
        close(wakeup);
    if (epoll >= 0)
        close(epoll);
}

const struct weir_fabric_facts *weir_fabric_facts(const struct weir_fabric *fabric)
{
    return &fabric->facts;
}

int weir_fabric_check(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                      struct weir_error *error)
{
    const struct weir_provider_host *host = fabric->provider->host;

    return host != NULL ? host->check(fabric, need, error) : 0;
}

void weir_fabric_diagnose(struct weir_diagnosis *diagnosis)
{
    for (const struct weir_provider *const *one = weir_providers; *one != NULL; one++) {
        if ((*one)->host != NULL)
            (*one)->host->diagnose(diagnosis);
    }
}

/* ---- memory ---- */

int weir_region_open(struct weir_fabric *fabric, void *memory, size_t bytes,
                     const struct weir_slab *slab, unsigned access, struct weir_region **region,
                     struct weir_error *error)
{
    assert(memory != NULL && bytes > 0);
    return fabric->provider->region_open(fabric, memory, bytes, slab, access, region, error);
}

void weir_region_close(struct weir_region *region)
{
    if (region != NULL)
        region->fabric->provider->region_close(region);
}

struct weir_region_key weir_region_key(const struct weir_region *region)
{
    return region->key;
}

/* ---- links ---- */

void weir_link_put(struct weir_link **list, struct weir_link *link)
{
    link->previous = NULL;
    link->next = *list;
    if (link->next != NULL)
        link->next->previous = link;
    *list = link;
}

void weir_link_take_out(struct weir_link *link)
{
    struct weir_fabric *fabric = link->fabric;

    if (link->previous != NULL)
        link->previous->next = link->next;
    else if (fabric->leaving == link)
        fabric->leaving = link->next;
    else
        fabric->links = link->next;
    if (link->next != NULL)
        link->next->previous = link->previous;
}

void weir_fabric_add_link(struct weir_fabric *fabric, struct weir_link *link)
{
    link->fabric = fabric;
    link->state = WEIR_LINK_JOINING;
    link->socket = -1;
    weir_link_put(&fabric->links, link);
}

void weir_fabric_join_link(struct weir_link *link)
{
    struct weir_fabric *fabric = link->fabric;

    link->state = WEIR_LINK_UP;
    link->next_joined = NULL;
    if (fabric->joined_first == NULL)
        fabric->joined_first = link;
    else
        fabric->joined_last->next_joined = link;
    fabric->joined_last = link;
}

/* Takes a link that is closed out of those whose JOINED is still to be told. */
static void forget_joined(struct weir_link *link)
{
    struct weir_fabric *fabric = link->fabric;
    struct weir_link *previous = NULL, *one = fabric->joined_first;

    for (; one != NULL && one != link; one = one->next_joined)
        previous = one;
    if (one == NULL)
        return;
    if (previous == NULL)
        fabric->joined_first = link->next_joined;
    else
        previous->next_joined = link->next_joined;
    if (fabric->joined_last == link)
        fabric->joined_last = previous;
}

int weir_fabric_listen(struct weir_fabric *fabric, const char *where,
                       char address[WEIR_ADDRESS_BYTES], struct weir_error *error)
{
    return weir_listener_listen(fabric->listener, where, address, error);
}

int weir_fabric_connect(struct weir_fabric *fabric, const char *address, const void *greeting,
                        size_t greeting_bytes, struct weir_link **link)
{
    struct weir_endpoint_info info = {{0}};
    struct weir_link *made = NULL;
    int failure;

    assert(greeting_bytes <= WEIR_GREETING_BYTES);
    failure = fabric->provider->link_open(fabric, &made, &info);
    if (failure)
        return failure;
    weir_fabric_add_link(fabric, made);
    made->greeting_bytes = (uint32_t)greeting_bytes;
    if (greeting_bytes > 0)
        memcpy(made->greeting, greeting, greeting_bytes);
    failure = weir_listener_connect(fabric->listener, made, address, &info);
    if (failure) {
        weir_link_close(made);
        return failure;
    }
    *link = made;
    return 0;
}

void weir_link_close(struct weir_link *link)
{
    struct weir_fabric *fabric;

    if (link == NULL)
        return;
    fabric = link->fabric;
    fabric->incoming_count -= link->is_incoming;
    weir_listener_forget(link);
    if (!link->is_told)
        forget_joined(link);
    weir_link_take_out(link);
    if (link->socket >= 0) {
        /* A child may hold a copy of it: closing alone would leave it watched. */
        weir_fabric_unwatch(fabric, link->socket);
        close(link->socket);
    }
    link->socket = -1;
    fabric->provider->link_close(link);
}

void weir_link_lose(struct weir_link *link, int code)
{
    assert(code < 0);
    if (link->state == WEIR_LINK_LOST)
        return;
    link->state = WEIR_LINK_LOST;
    link->lost_code = code;
    weir_link_take_out(link);
    weir_link_put(&link->fabric->leaving, link);
}

void weir_link_set_owner(struct weir_link *link, void *owner)
{
    link->owner = owner;
}

void *weir_link_owner(const struct weir_link *link)
{
    return link->owner;
}

const char *weir_link_peer(const struct weir_link *link)
{
    return link->peer;
}

unsigned weir_link_credits(const struct weir_link *link)
{
    return link->peer_credits;
}

unsigned weir_link_message_bytes(const struct weir_link *link)
{
    return link->peer_message_bytes;
}

unsigned weir_link_outstanding(const struct weir_link *link)
{
    return link->outstanding;
}

/* ---- work requests ---- */

static void check_wr(const struct weir_link *link, const struct weir_wr *wr)
{
    const struct weir_region *region = wr->region;

    assert(wr->header_bytes <= WEIR_HEADER_BYTES);
    if (wr->verb != WEIR_WR_SEND)
        assert(wr->bytes > 0 && wr->header_bytes == 0 && wr->remote != NULL);
    if (wr->bytes > 0) {
        assert(region != NULL && region->fabric == link->fabric);
        assert((unsigned char *)wr->data >= region->memory && wr->bytes <= region->bytes);
        assert((size_t)((unsigned char *)wr->data - region->memory) <= region->bytes - wr->bytes);
    }
}

/* The peer said how long a message may be: a program error of ours would be an assertion. */
static bool is_too_long(const struct weir_link *link, const struct weir_wr *wr)
{
    return wr->verb == WEIR_WR_SEND && wr->header_bytes + wr->bytes > link->peer_message_bytes;
}

int weir_link_post(struct weir_link *link, const struct weir_wr wrs[], unsigned count)
{
    unsigned room;
    int taken;

    if (link->state != WEIR_LINK_UP)
        return link->state == WEIR_LINK_LOST ? link->lost_code : -ENOTCONN;
    if (!link->is_ready)
        return 0;
    room = link->fabric->params.depth - link->outstanding;
    if (count > room)
        count = room;
    if (count == 0)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        if (is_too_long(link, &wrs[i]))
            return -EMSGSIZE;
        check_wr(link, &wrs[i]);
    }
    taken = link->fabric->provider->post(link, wrs, count, false);
    if (taken > 0)
        link->outstanding += (unsigned)taken;
    return taken;
}

int weir_link_post_and_wait(struct weir_link *link, const struct weir_wr *wr)
{
    const struct weir_provider *provider = link->fabric->provider;
    int code;

    if (!provider->can_wait || link->state != WEIR_LINK_UP || !link->is_ready ||
        link->outstanding > 0) {
        code = weir_link_post(link, wr, 1);
        return code == 1 ? -EINPROGRESS : code;
    }
    if (is_too_long(link, wr))
        return -EMSGSIZE;
    check_wr(link, wr);
    code = provider->post(link, wr, 1, true);
    link->outstanding += code == -EINPROGRESS;
    return code;
}

void weir_link_release(struct weir_link *link, void *message)
{
    link->fabric->provider->release(link, message);
}

struct weir_handshake_counts weir_fabric_handshake_counts(const struct weir_fabric *fabric)
{
    return weir_listener_counts(fabric->listener);
}

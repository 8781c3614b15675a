/* SPDX-License-Identifier: Apache-2.0 */
/* What both transports of a net run have: memory, a list of links, and control messages that wait.
 */
#include "transport.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void *net_transport_new(const struct net_transport_ops *ops, size_t bytes, struct weir_error *error)
{
    struct net_transport *transport = calloc(1, bytes);

    if (transport == NULL) {
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "net", "out of memory");
        return NULL;
    }
    transport->ops = ops;
    transport->slab.fd = -1;
    return transport;
}

int net_transport_take_memory(struct net_transport *transport, uint64_t bytes,
                              bool wants_huge_pages, struct weir_error *error)
{
    const struct weir_slab_params params = {.bytes = bytes, .wants_huge_pages = wants_huge_pages};
    int code = weir_slab_open(&transport->slab, &params);

    if (code < 0) {
        const char *denied_call = transport->slab.denied_call;

        transport->slab = (struct weir_slab){.fd = -1};
        if (denied_call != NULL)
            return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "net",
                                  "there are no buffers to share: " WEIR_SLAB_DENIED, denied_call);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "net",
                              "%" PRIu64 " bytes of buffers cannot be had: %s; give a smaller "
                              "--size, --depth or --working-set",
                              bytes, strerror(-code));
    }
    memset(transport->slab.memory, 0x5a, bytes);
    transport->memory = transport->slab.memory;
    return 0;
}

void net_transport_free(struct net_transport *transport, bool keeps_memory)
{
    if (transport->memory != NULL && !keeps_memory)
        weir_slab_close(&transport->slab);
    free(transport);
}

void *net_link_new(struct net_transport *transport, size_t bytes, uint32_t peer, bool is_opener)
{
    struct net_link *link = calloc(1, bytes);

    if (link == NULL)
        return NULL;
    *link = (struct net_link){
        .transport = transport, .next = transport->links, .peer = peer, .is_opener = is_opener};
    transport->links = link;
    return link;
}

void net_link_free(struct net_transport *transport)
{
    struct net_link *link = transport->links;

    transport->links = link->next;
    free(link->pending.items);
    free(link);
}

int net_controls_add(struct net_controls *controls, const struct net_control *control)
{
    for (unsigned i = 0; i < controls->count && control->kind == NET_CONTROL_CREDIT; i++)
        if (controls->items[i].kind == NET_CONTROL_CREDIT) {
            controls->items[i].values[0] += control->values[0];
            return 0;
        }
    if (controls->count == controls->capacity) {
        unsigned capacity = controls->capacity > 0 ? 2 * controls->capacity : 4;
        void *items = realloc(controls->items, capacity * sizeof *controls->items);

        if (items == NULL)
            return -ENOMEM;
        controls->items = items;
        controls->capacity = capacity;
    }
    controls->items[controls->count] = *control;
    controls->items[controls->count++].magic = NET_CONTROL_MAGIC;
    return 0;
}

void net_controls_drop(struct net_controls *controls, unsigned count)
{
    controls->count -= count;
    memmove(controls->items, controls->items + count, controls->count * sizeof *controls->items);
}

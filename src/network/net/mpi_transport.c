/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a net run over MPI: windows of nonblocking sends and receives. */
#include "transport.h"

#include "weir/base/text.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of one link: data and control messages, there and back. A rank can open a link to whom it accepts
 * one from: that link's messages go the other way, so their tags are others. */
enum { TAG_DATA = 1, TAG_CONTROL, TAG_DATA_BACK, TAG_CONTROL_BACK };

/* How many polls find nothing before it yields or sleeps. */
enum { IDLE_POLLS = 64 };

/* A message that no peer of this run takes for so long is given up, and so are all together at the
 * end of a measurement, however many peers there are. */
#define SILENT_NS UINT64_C(30000000000)
enum { SENDS_WAIT_MS = 2000 };

/* Requests in the order in which they were begun, which is that in which they end. */
struct window {
    MPI_Request *requests;
    uint32_t *tokens; /* of sends; places of receives */
    unsigned capacity;
    unsigned head;
    unsigned count;
};

struct mpi_link {
    struct net_link base;
    bool was_told_up;
    struct net_transfer transfer;
    bool is_active;
    struct window sends;
    struct window receives;
    uint64_t received;          /* numbers the places of receives */
    unsigned lent;              /* received and not yet given back */
    struct net_control control; /* being received */
    MPI_Request note_request;
    struct net_control told; /* being sent; others wait for that */
    MPI_Request told_request;
};

struct mpi_transport {
    struct net_transport base;
    MPI_Comm comm;
    bool has_abandoned; /* sends that MPI may still read */
};

static struct mpi_transport *transport_of(struct net_transport *transport)
{
    return (struct mpi_transport *)transport;
}

static struct mpi_link *link_of(struct net_link *link)
{
    return (struct mpi_link *)link;
}

static int to_errno(int mpi_code)
{
    return mpi_code == MPI_SUCCESS ? 0 : -ECOMM;
}

static void mpi_describe(const struct net_transport *transport, struct weir_fabric_facts *facts)
{
    (void)transport;
    *facts = (struct weir_fabric_facts){.gid_index = -1, .numa_node = -1};
    snprintf(facts->provider, sizeof facts->provider, "mpi");
    snprintf(facts->transport, sizeof facts->transport, "MPI");
}

static int mpi_take_memory(struct net_transport *transport, uint64_t bytes, bool wants_huge_pages,
                           unsigned links, struct weir_error *error)
{
    (void)links;
    return net_transport_take_memory(transport, bytes, wants_huge_pages, error);
}

static int mpi_listen(struct net_transport *transport, char address[WEIR_ADDRESS_BYTES],
                      struct weir_error *error)
{
    (void)transport;
    (void)error;
    memset(address, 0, WEIR_ADDRESS_BYTES);
    return 0;
}

/* ---- links ---- */

static MPI_Comm comm_of(const struct mpi_link *link)
{
    return transport_of(link->base.transport)->comm;
}

static int await_control(struct mpi_link *link)
{
    return to_errno(MPI_Irecv(&link->control, sizeof link->control, MPI_BYTE, (int)link->base.peer,
                              link->base.is_opener ? TAG_CONTROL_BACK : TAG_CONTROL, comm_of(link),
                              &link->note_request));
}

static int make_link(struct net_transport *transport, uint32_t peer, bool is_opener,
                     struct net_link **made)
{
    struct mpi_link *link = net_link_new(transport, sizeof *link, peer, is_opener);
    int code;

    if (link == NULL)
        return -ENOMEM;
    link->told_request = MPI_REQUEST_NULL;
    code = await_control(link);
    if (code < 0) {
        net_link_free(transport);
        return code;
    }
    link->base.is_up = true;
    *made = &link->base;
    return 0;
}

static int mpi_open_link(struct net_transport *transport, uint32_t peer, const char *address,
                         struct net_link **link)
{
    (void)address;
    return make_link(transport, peer, true, link);
}

static int mpi_expect_link(struct net_transport *transport, uint32_t peer)
{
    struct net_link *made;

    return make_link(transport, peer, false, &made);
}

/* ---- windows ---- */

static int window_open(struct window *window, unsigned capacity)
{
    *window = (struct window){.capacity = capacity};
    window->requests = calloc(capacity, sizeof *window->requests);
    window->tokens = calloc(capacity, sizeof *window->tokens);
    return window->requests != NULL && window->tokens != NULL ? 0 : -ENOMEM;
}

/* Receives are cancelled. Of sends, those are left that nobody took: the standard has no way to
 * take them back. */
static void window_close(struct window *window, bool is_sending)
{
    for (; window->count > 0; window->count--) {
        MPI_Request *request = &window->requests[window->head];

        window->head = (window->head + 1) % window->capacity;
        if (is_sending) {
            MPI_Request_free(request);
            continue;
        }
        MPI_Cancel(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    free(window->requests);
    free(window->tokens);
    *window = (struct window){0};
}

/* The next request to begin; the window is not full. */
static unsigned window_next(const struct window *window)
{
    unsigned next = window->head + window->count;

    return next < window->capacity ? next : next - window->capacity;
}

static void window_drop(struct window *window)
{
    window->head = window->head + 1 < window->capacity ? window->head + 1 : 0;
    window->count--;
}

static int receive_next(struct mpi_link *link)
{
    const struct net_transfer *transfer = &link->transfer;
    struct window *window = &link->receives;
    unsigned next = window_next(window);
    uint64_t place = link->received++ % transfer->slot_count;
    int code = to_errno(MPI_Irecv(
        link->base.transport->memory + transfer->offset + place * transfer->stride,
        (int)transfer->bytes, MPI_BYTE, (int)link->base.peer,
        link->base.is_opener ? TAG_DATA_BACK : TAG_DATA, comm_of(link), &window->requests[next]));

    window->tokens[next] = (uint32_t)place;
    window->count += code == 0;
    return code;
}

static int begin_transfer(const struct net_transfer *transfer)
{
    struct mpi_link *link = link_of(transfer->link);
    unsigned depth = transfer->depth;
    int code = 0;

    link->transfer = *transfer;
    link->is_active = true;
    link->received = 0;
    link->lent = 0;
    if (transfer->is_sending)
        code = window_open(&link->sends, depth);
    if (code == 0 && transfer->is_receiving)
        code = window_open(&link->receives, depth);
    while (code == 0 && transfer->is_receiving && link->receives.count < depth)
        code = receive_next(link);
    return code;
}

static int mpi_begin(struct net_transport *transport, const struct net_transfer transfers[],
                     unsigned count)
{
    int code = 0;

    (void)transport;
    for (unsigned i = 0; i < count && code == 0; i++)
        code = begin_transfer(&transfers[i]);
    return code;
}

/* ---- after a measurement ---- */

/* Whether all that this rank has sent was taken. */
static bool are_sent(struct mpi_transport *transport)
{
    for (struct net_link *at = transport->base.links; at != NULL; at = at->next) {
        struct mpi_link *link = link_of(at);
        int is_done = 1;

        while (is_done && link->sends.count > 0) {
            MPI_Test(&link->sends.requests[link->sends.head], &is_done, MPI_STATUS_IGNORE);
            if (is_done)
                window_drop(&link->sends);
        }
        if (is_done && link->told_request != MPI_REQUEST_NULL)
            MPI_Test(&link->told_request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done)
            return false;
    }
    return true;
}

/* Takes messages for which no receive waits any more. */
static void take_unwanted(MPI_Comm comm)
{
    MPI_Status status;
    int is_there = 0, bytes;
    void *unwanted;

    while (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &status) == MPI_SUCCESS &&
           is_there) {
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        unwanted = malloc((size_t)bytes + 1);
        if (unwanted == NULL)
            return;
        MPI_Recv(unwanted, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm,
                 MPI_STATUS_IGNORE);
        free(unwanted);
    }
}

/* A send ends when its peer receives, and none can be taken back: an end that has failed may have
 * left some, and its peer may have stopped to receive. So each rank takes what still comes until
 * all ranks say that theirs are done, or were given up. A peer that does nothing at all is waited
 * for once, and not once for each message or link. (The way of Hoefler, Siebert and Lumsdaine 2010
 * to find the end of an exchange.) */
static void settle(struct mpi_transport *transport)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request all = MPI_REQUEST_NULL;
    int is_over = 0;

    for (unsigned i = 0; i < 2 * SENDS_WAIT_MS && !is_over; i++) {
        if (all == MPI_REQUEST_NULL && (are_sent(transport) || i >= SENDS_WAIT_MS) &&
            MPI_Ibarrier(transport->comm, &all) != MPI_SUCCESS)
            break;
        take_unwanted(transport->comm);
        if (all != MPI_REQUEST_NULL && MPI_Test(&all, &is_over, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        if (!is_over && i >= IDLE_POLLS)
            nanosleep(&pause, NULL);
    }
    transport->has_abandoned |= !is_over || !are_sent(transport);
}

static void mpi_end(struct net_transport *base)
{
    settle(transport_of(base));
    for (struct net_link *at = base->links; at != NULL; at = at->next) {
        struct mpi_link *link = link_of(at);

        if (link->is_active) {
            window_close(&link->sends, true);
            window_close(&link->receives, false);
        }
        link->is_active = false;
    }
}

/* ---- posting ---- */

static int mpi_post(struct net_link *base, const struct net_transfer *transfer,
                    const struct net_piece pieces[], unsigned count)
{
    struct mpi_link *link = link_of(base);
    struct window *window = &link->sends;
    unsigned taken = 0;

    while (taken < count && window->count < window->capacity) {
        unsigned next = window_next(window);

        window->tokens[next] = pieces[taken].token;
        if (MPI_Isend(base->transport->memory + pieces[taken].offset, (int)transfer->bytes,
                      MPI_BYTE, (int)base->peer, base->is_opener ? TAG_DATA : TAG_DATA_BACK,
                      comm_of(link), &window->requests[next]) != MPI_SUCCESS)
            return -ECOMM;
        window->count++;
        taken++;
    }
    return (int)taken;
}

/* The next control message goes when the one before it has gone. */
static int flush_controls(struct mpi_link *link)
{
    struct net_controls *pending = &link->base.pending;
    int is_done = 1, code = 0;

    while (code == 0 && is_done && pending->count > 0) {
        if (link->told_request != MPI_REQUEST_NULL)
            code = to_errno(MPI_Test(&link->told_request, &is_done, MPI_STATUS_IGNORE));
        if (code < 0 || !is_done)
            break;
        link->told = pending->items[0];
        net_controls_drop(pending, 1);
        code = to_errno(MPI_Isend(&link->told, sizeof link->told, MPI_BYTE, (int)link->base.peer,
                                  link->base.is_opener ? TAG_CONTROL : TAG_CONTROL_BACK,
                                  comm_of(link), &link->told_request));
    }
    return code;
}

static int mpi_tell(struct net_link *base, const struct net_control *control)
{
    int code = net_controls_add(&base->pending, control);

    return code < 0 ? code : flush_controls(link_of(base));
}

/* ---- polling ---- */

/* What the oldest requests of a window have come to. */
static unsigned reap(struct mpi_link *link, struct window *window, bool is_receiving,
                     struct net_event events[], unsigned max)
{
    unsigned found = 0;

    while (found < max && window->count > (is_receiving ? link->lent : 0)) {
        unsigned at = window->head + (is_receiving ? link->lent : 0);
        MPI_Status status;
        int is_done = 0;
        int code, bytes = 0;

        at = at < window->capacity ? at : at - window->capacity;
        code = MPI_Test(&window->requests[at], &is_done, &status);
        if (code == MPI_SUCCESS && !is_done)
            break;
        events[found] = (struct net_event){.link = &link->base, .code = to_errno(code)};
        if (is_receiving) {
            const struct net_transfer *transfer = &link->transfer;

            MPI_Get_count(&status, MPI_BYTE, &bytes);
            events[found].kind = code == MPI_SUCCESS ? NET_EVENT_RECEIVED : NET_EVENT_LOST;
            events[found].data = link->base.transport->memory + transfer->offset +
                                 window->tokens[at] * transfer->stride;
            events[found].bytes = (uint64_t)bytes;
            link->lent++;
        } else {
            events[found].kind = NET_EVENT_DONE;
            events[found].token = window->tokens[at];
            window_drop(window);
        }
        found++;
    }
    return found;
}

/* Messages are given back in the order in which they came. */
static void mpi_release(struct net_link *base, void *data)
{
    struct mpi_link *link = link_of(base);

    (void)data;
    window_drop(&link->receives);
    link->lent--;
    if (receive_next(link) < 0)
        base->code = -ECOMM;
}

static unsigned read_control(struct mpi_link *link, struct net_event *event)
{
    int is_done = 0;

    if (MPI_Test(&link->note_request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !is_done)
        return 0;
    *event = (struct net_event){
        .kind = NET_EVENT_CONTROL, .link = &link->base, .control = link->control};
    await_control(link);
    return 1;
}

static unsigned collect(struct mpi_link *link, struct net_event events[], unsigned max)
{
    unsigned found = 0;

    if (!link->was_told_up && max > 0) {
        link->was_told_up = true;
        events[found++] = (struct net_event){.kind = NET_EVENT_JOINED, .link = &link->base};
    }
    if (link->base.pending.count > 0)
        flush_controls(link);
    if (!link->is_active)
        return found;
    /* A receive that could not be begun. */
    if (link->base.code < 0 && link->base.is_up && max > found) {
        link->base.is_up = false;
        events[found++] = (struct net_event){
            .kind = NET_EVENT_LOST, .code = link->base.code, .link = &link->base};
    }
    found += reap(link, &link->sends, false, events + found, max - found);
    found += reap(link, &link->receives, true, events + found, max - found);
    /* Control messages come at the end: they are looked for when nothing else is found. */
    if (found == 0 && max > 0)
        found += read_control(link, &events[found]);
    return found;
}

/* MPI moves its messages only while somebody asks it: there is no sleeping until something comes.
 */
static int mpi_poll(struct net_transport *base, struct net_event events[], unsigned max,
                    uint64_t timeout_ns)
{
    unsigned found = 0;
    bool is_active = false;

    for (unsigned tries = 0; found == 0 && tries < IDLE_POLLS; tries++) {
        for (struct net_link *link = base->links; link != NULL && found < max; link = link->next) {
            found += collect(link_of(link), events + found, max - found);
            is_active |= link_of(link)->is_active;
        }
        if (timeout_ns == 0 || !is_active)
            break;
    }
    if (found == 0 && !is_active && timeout_ns > 0)
        nanosleep(&(struct timespec){.tv_nsec = timeout_ns < 1000000 ? (long)timeout_ns : 1000000},
                  NULL);
    return (int)found;
}

/* ---- opening and closing ---- */

static void mpi_close(struct net_transport *base)
{
    struct mpi_transport *transport = transport_of(base);

    mpi_end(base);
    while (base->links != NULL) {
        struct mpi_link *link = link_of(base->links);

        MPI_Cancel(&link->note_request);
        MPI_Wait(&link->note_request, MPI_STATUS_IGNORE);
        if (!transport->has_abandoned)
            net_link_free(base);
        else
            base->links = link->base.next;
    }
    MPI_Comm_free(&transport->comm);
    net_transport_free(base, transport->has_abandoned);
}

static const struct net_transport_ops mpi_ops = {
    .describe = mpi_describe,
    .take_memory = mpi_take_memory,
    .listen = mpi_listen,
    .open_link = mpi_open_link,
    .expect_link = mpi_expect_link,
    .begin = mpi_begin,
    .end = mpi_end,
    .post = mpi_post,
    .tell = mpi_tell,
    .poll = mpi_poll,
    .release = mpi_release,
    .close = mpi_close,
};

int net_mpi_transport_open(const struct net_transport_params *params, struct net_transport **opened,
                           struct weir_error *error)
{
    struct mpi_transport *transport;

    if (params->group->native == NULL)
        return weir_error_usage(error, "net",
                                "--provider mpi: this process was started without "
                                "MPI; start it with mpiexec, or choose tcp or shm");
    transport = net_transport_new(&mpi_ops, sizeof *transport, error);
    if (transport == NULL)
        return -ENOMEM;
    if (MPI_Comm_dup(*(MPI_Comm *)params->group->native, &transport->comm) != MPI_SUCCESS) {
        free(transport);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "net",
                              "MPI gives no communicator for the data");
    }
    MPI_Comm_set_errhandler(transport->comm, MPI_ERRORS_RETURN);
    transport->base.is_done_early = true;
    transport->base.longest_bytes = UINT64_C(1) << 30;
    transport->base.silent_ns = params->plan->give_up_ns > 0 ? params->plan->give_up_ns : SILENT_NS;
    *opened = &transport->base;
    return 0;
}

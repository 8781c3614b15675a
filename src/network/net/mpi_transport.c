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

enum { CONTROLS_MAX = 4 };

/* How many polls find nothing before it yields or sleeps. */
enum { IDLE_POLLS = 64 };

/* A peer that is there receives within this time. */
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
    struct mpi_transport *transport;
    struct mpi_link *next;
    bool was_told_up;
    struct net_transfer transfer;
    bool is_active;
    struct window sends;
    struct window receives;
    uint64_t received;          /* numbers the places of receives */
    unsigned lent;              /* received and not yet given back */
    struct net_control control; /* being received */
    MPI_Request note_request;
    struct net_control told[CONTROLS_MAX];
    MPI_Request told_requests[CONTROLS_MAX];
};

struct mpi_transport {
    struct net_transport base;
    MPI_Comm comm;
    struct mpi_link *links;
    struct weir_slab slab;
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

static int mpi_take_memory(struct net_transport *base, uint64_t bytes, bool wants_huge_pages,
                           unsigned links, struct weir_error *error)
{
    struct mpi_transport *transport = transport_of(base);
    int code = weir_slab_open(
        &transport->slab,
        &(struct weir_slab_params){.bytes = bytes, .wants_huge_pages = wants_huge_pages});

    (void)links;
    if (code < 0) {
        transport->slab = (struct weir_slab){.fd = -1};
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "net",
                              "%llu bytes of buffers cannot be had: %s; give a smaller --size, "
                              "--depth or --working-set",
                              (unsigned long long)bytes, strerror(-code));
    }
    memset(transport->slab.memory, 0x5a, bytes);
    base->memory = transport->slab.memory;
    base->is_huge = transport->slab.is_huge;
    return 0;
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

static int await_control(struct mpi_link *link)
{
    return to_errno(MPI_Irecv(&link->control, sizeof link->control, MPI_BYTE, (int)link->base.peer,
                              link->base.is_opener ? TAG_CONTROL_BACK : TAG_CONTROL,
                              link->transport->comm, &link->note_request));
}

static int make_link(struct net_transport *transport, uint32_t peer, bool is_opener,
                     struct mpi_link **made)
{
    struct mpi_link *link = calloc(1, sizeof *link);
    int code;

    if (link == NULL)
        return -ENOMEM;
    link->base = (struct net_link){.peer = peer, .is_opener = is_opener, .is_up = true};
    link->transport = transport_of(transport);
    for (unsigned i = 0; i < CONTROLS_MAX; i++)
        link->told_requests[i] = MPI_REQUEST_NULL;
    code = await_control(link);
    if (code < 0) {
        free(link);
        return code;
    }
    link->next = link->transport->links;
    link->transport->links = link;
    *made = link;
    return 0;
}

static int mpi_open_link(struct net_transport *transport, uint32_t peer, const char *address,
                         struct net_link **link)
{
    struct mpi_link *made;
    int code = make_link(transport, peer, true, &made);

    (void)address;
    if (code == 0)
        *link = &made->base;
    return code;
}

static int mpi_expect_link(struct net_transport *transport, uint32_t peer)
{
    struct mpi_link *made;

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

/* A send ends when its peer receives. Of a peer that never does, it is given up after a while, and
 * its memory left to MPI: the standard has no other way, as sends need not be cancellable. False:
 * one was. */
static bool end_sends(MPI_Request requests[], unsigned count)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    bool is_given_up = false;
    int is_done = 0;

    for (unsigned i = 0; i < SENDS_WAIT_MS && !is_done; i++) {
        if (MPI_Testall((int)count, requests, &is_done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
            break;
        if (!is_done)
            nanosleep(&pause, NULL);
    }
    for (unsigned i = 0; i < count && !is_done; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Request_free(&requests[i]);
            is_given_up = true;
        }
    return !is_given_up;
}

static void close_sends(struct mpi_link *link)
{
    struct window *window = &link->sends;

    for (unsigned i = 0; i < window->capacity; i++) {
        unsigned after = (i + window->capacity - window->head) % window->capacity;

        if (after >= window->count)
            window->requests[i] = MPI_REQUEST_NULL;
    }
    link->transport->has_abandoned |= !end_sends(window->requests, window->capacity);
    free(window->requests);
    free(window->tokens);
    *window = (struct window){0};
}

static void close_receives(struct window *window)
{
    for (unsigned i = 0; i < window->count; i++) {
        MPI_Request *request = &window->requests[(window->head + i) % window->capacity];

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

    window->tokens[next] = (uint32_t)place;
    window->count++;
    return to_errno(
        MPI_Irecv(link->transport->base.memory + transfer->offset + place * transfer->stride,
                  (int)transfer->bytes, MPI_BYTE, (int)link->base.peer,
                  link->base.is_opener ? TAG_DATA_BACK : TAG_DATA, link->transport->comm,
                  &window->requests[next]));
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

static void mpi_end(struct net_transport *transport)
{
    for (struct mpi_link *link = transport_of(transport)->links; link != NULL; link = link->next) {
        if (!link->is_active)
            continue;
        close_sends(link);
        close_receives(&link->receives);
        link->is_active = false;
    }
}

static int mpi_post(struct net_link *base, const struct net_transfer *transfer,
                    const struct net_piece pieces[], unsigned count)
{
    struct mpi_link *link = link_of(base);
    struct window *window = &link->sends;
    unsigned taken = 0;

    while (taken < count && window->count < window->capacity) {
        unsigned next = window_next(window);

        window->tokens[next] = pieces[taken].token;
        if (MPI_Isend(link->transport->base.memory + pieces[taken].offset, (int)transfer->bytes,
                      MPI_BYTE, (int)base->peer, base->is_opener ? TAG_DATA : TAG_DATA_BACK,
                      link->transport->comm, &window->requests[next]) != MPI_SUCCESS)
            return -ECOMM;
        window->count++;
        taken++;
    }
    return (int)taken;
}

static int mpi_tell(struct net_link *base, const struct net_control *control)
{
    struct mpi_link *link = link_of(base);

    for (unsigned i = 0; i < CONTROLS_MAX; i++) {
        int is_done = 1;

        if (link->told_requests[i] != MPI_REQUEST_NULL &&
            MPI_Test(&link->told_requests[i], &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -ECOMM;
        if (!is_done)
            continue;
        link->told[i] = *control;
        link->told[i].magic = NET_CONTROL_MAGIC;
        return to_errno(MPI_Isend(&link->told[i], sizeof *control, MPI_BYTE, (int)base->peer,
                                  base->is_opener ? TAG_CONTROL : TAG_CONTROL_BACK,
                                  link->transport->comm, &link->told_requests[i]));
    }
    return -EAGAIN;
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
            events[found].data = link->transport->base.memory + transfer->offset +
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
    if (!link->is_active)
        return found;
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
    struct mpi_transport *transport = transport_of(base);
    unsigned found = 0;
    bool is_active = false;

    for (unsigned tries = 0; found == 0 && tries < IDLE_POLLS; tries++) {
        for (struct mpi_link *link = transport->links; link != NULL && found < max;
             link = link->next) {
            found += collect(link, events + found, max - found);
            is_active |= link->is_active;
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
    while (transport->links != NULL) {
        struct mpi_link *link = transport->links;

        transport->links = link->next;
        MPI_Cancel(&link->note_request);
        MPI_Wait(&link->note_request, MPI_STATUS_IGNORE);
        if (end_sends(link->told_requests, CONTROLS_MAX))
            free(link);
    }
    MPI_Comm_free(&transport->comm);
    if (base->memory != NULL && !transport->has_abandoned)
        weir_slab_close(&transport->slab);
    free(transport);
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
    transport = calloc(1, sizeof *transport);
    if (transport == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "net", "out of memory");
    if (MPI_Comm_dup(*(MPI_Comm *)params->group->native, &transport->comm) != MPI_SUCCESS) {
        free(transport);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "net",
                              "MPI gives no communicator for the data");
    }
    MPI_Comm_set_errhandler(transport->comm, MPI_ERRORS_RETURN);
    transport->base.ops = &mpi_ops;
    transport->base.longest_bytes = UINT64_C(1) << 30;
    *opened = &transport->base;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a net run over MPI: windows of nonblocking sends and receives. */
#include "carrier.h"

#include "weir/base/text.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Of one link: data and notes, there and back. A rank can open a link to whom it accepts one from:
 * that link's messages go the other way, so their tags are others. */
enum { TAG_DATA = 1, TAG_NOTE, TAG_DATA_BACK, TAG_NOTE_BACK };

enum { NOTES_MAX = 4 };

/* How many polls find nothing before it yields or sleeps. */
enum { IDLE_POLLS = 64 };

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
    struct mpi_carrier *carrier;
    struct mpi_link *next;
    bool was_told_up;
    struct net_course course;
    bool is_active;
    struct window sends;
    struct window receives;
    uint64_t received;    /* numbers the places of receives */
    unsigned lent;        /* received and not yet given back */
    struct net_note note; /* being received */
    MPI_Request note_request;
    struct net_note told[NOTES_MAX];
    MPI_Request told_requests[NOTES_MAX];
};

struct mpi_carrier {
    struct net_carrier base;
    MPI_Comm comm;
    struct mpi_link *links;
    uint64_t bytes;
    char version[96];
    unsigned idle_count;
};

static struct mpi_carrier *carrier_of(struct net_carrier *carrier)
{
    return (struct mpi_carrier *)carrier;
}

static struct mpi_link *link_of(struct net_link *link)
{
    return (struct mpi_link *)link;
}

static int to_errno(int mpi_code)
{
    return mpi_code == MPI_SUCCESS ? 0 : -ECOMM;
}

static void mpi_describe(const struct net_carrier *carrier, struct weir_fabric_facts *facts)
{
    (void)carrier;
    *facts = (struct weir_fabric_facts){.gid_index = -1, .numa_node = -1};
    snprintf(facts->provider, sizeof facts->provider, "mpi");
    snprintf(facts->transport, sizeof facts->transport, "MPI");
}

static int mpi_take_memory(struct net_carrier *carrier, uint64_t bytes, bool wants_huge_pages,
                           unsigned links, struct weir_error *error)
{
    const uint64_t huge_bytes = UINT64_C(2) << 20;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    void *memory = MAP_FAILED;

    (void)links;
    if (wants_huge_pages) {
        bytes = (bytes + huge_bytes - 1) / huge_bytes * huge_bytes;
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
    }
    carrier->is_huge = memory != MAP_FAILED;
    if (memory == MAP_FAILED)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, "net",
                              "%llu bytes of buffers cannot be had: %s; give a smaller --size, "
                              "--depth or --working-set",
                              (unsigned long long)bytes, strerror(errno));
    memset(memory, 0x5a, bytes);
    carrier->memory = memory;
    carrier_of(carrier)->bytes = bytes;
    return 0;
}

static int mpi_listen(struct net_carrier *carrier, char address[WEIR_ADDRESS_BYTES],
                      struct weir_error *error)
{
    (void)carrier;
    (void)error;
    memset(address, 0, WEIR_ADDRESS_BYTES);
    return 0;
}

/* ---- links ---- */

static int await_note(struct mpi_link *link)
{
    return to_errno(MPI_Irecv(&link->note, sizeof link->note, MPI_BYTE, (int)link->base.peer,
                              link->base.is_opener ? TAG_NOTE_BACK : TAG_NOTE, link->carrier->comm,
                              &link->note_request));
}

static int make_link(struct net_carrier *carrier, uint32_t peer, bool is_opener,
                     struct mpi_link **made)
{
    struct mpi_link *link = calloc(1, sizeof *link);
    int code;

    if (link == NULL)
        return -ENOMEM;
    link->base = (struct net_link){.peer = peer, .is_opener = is_opener, .is_up = true};
    link->carrier = carrier_of(carrier);
    for (unsigned i = 0; i < NOTES_MAX; i++)
        link->told_requests[i] = MPI_REQUEST_NULL;
    code = await_note(link);
    if (code < 0) {
        free(link);
        return code;
    }
    link->next = link->carrier->links;
    link->carrier->links = link;
    *made = link;
    return 0;
}

static int mpi_open_link(struct net_carrier *carrier, uint32_t peer, const char *address,
                         struct net_link **link)
{
    struct mpi_link *made;
    int code = make_link(carrier, peer, true, &made);

    (void)address;
    if (code == 0)
        *link = &made->base;
    return code;
}

static int mpi_expect_link(struct net_carrier *carrier, uint32_t peer)
{
    struct mpi_link *made;

    return make_link(carrier, peer, false, &made);
}

/* ---- windows ---- */

static int window_open(struct window *window, unsigned capacity)
{
    *window = (struct window){.capacity = capacity};
    window->requests = calloc(capacity, sizeof *window->requests);
    window->tokens = calloc(capacity, sizeof *window->tokens);
    return window->requests != NULL && window->tokens != NULL ? 0 : -ENOMEM;
}

static void window_close(struct window *window)
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
    const struct net_course *course = &link->course;
    struct window *window = &link->receives;
    unsigned next = window_next(window);
    uint64_t place = link->received++ % course->slot_count;

    window->tokens[next] = (uint32_t)place;
    window->count++;
    return to_errno(MPI_Irecv(link->carrier->base.memory + course->offset + place * course->stride,
                              (int)course->bytes, MPI_BYTE, (int)link->base.peer,
                              link->base.is_opener ? TAG_DATA_BACK : TAG_DATA, link->carrier->comm,
                              &window->requests[next]));
}

static int begin_course(const struct net_course *course)
{
    struct mpi_link *link = link_of(course->link);
    unsigned depth = course->depth;
    int code = 0;

    link->course = *course;
    link->is_active = true;
    link->received = 0;
    link->lent = 0;
    if (course->is_sending)
        code = window_open(&link->sends, depth);
    if (code == 0 && course->is_receiving)
        code = window_open(&link->receives, depth);
    while (code == 0 && course->is_receiving && link->receives.count < depth)
        code = receive_next(link);
    return code;
}

static int mpi_begin(struct net_carrier *carrier, const struct net_course courses[], unsigned count)
{
    int code = 0;

    (void)carrier;
    for (unsigned i = 0; i < count && code == 0; i++)
        code = begin_course(&courses[i]);
    return code;
}

static void mpi_end(struct net_carrier *carrier)
{
    for (struct mpi_link *link = carrier_of(carrier)->links; link != NULL; link = link->next) {
        if (!link->is_active)
            continue;
        window_close(&link->sends);
        window_close(&link->receives);
        link->is_active = false;
    }
}

static int mpi_post(struct net_link *base, const struct net_course *course,
                    const struct net_piece pieces[], unsigned count)
{
    struct mpi_link *link = link_of(base);
    struct window *window = &link->sends;
    unsigned taken = 0;

    while (taken < count && window->count < window->capacity) {
        unsigned next = window_next(window);

        window->tokens[next] = pieces[taken].token;
        if (MPI_Isend(link->carrier->base.memory + pieces[taken].offset, (int)course->bytes,
                      MPI_BYTE, (int)base->peer, base->is_opener ? TAG_DATA : TAG_DATA_BACK,
                      link->carrier->comm, &window->requests[next]) != MPI_SUCCESS)
            return -ECOMM;
        window->count++;
        taken++;
    }
    return (int)taken;
}

static int mpi_tell(struct net_link *base, const struct net_note *note)
{
    struct mpi_link *link = link_of(base);

    for (unsigned i = 0; i < NOTES_MAX; i++) {
        int is_done = 1;

        if (link->told_requests[i] != MPI_REQUEST_NULL &&
            MPI_Test(&link->told_requests[i], &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -ECOMM;
        if (!is_done)
            continue;
        link->told[i] = *note;
        link->told[i].magic = NET_NOTE_MAGIC;
        return to_errno(MPI_Isend(&link->told[i], sizeof *note, MPI_BYTE, (int)base->peer,
                                  base->is_opener ? TAG_NOTE : TAG_NOTE_BACK, link->carrier->comm,
                                  &link->told_requests[i]));
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
            const struct net_course *course = &link->course;

            MPI_Get_count(&status, MPI_BYTE, &bytes);
            events[found].kind = code == MPI_SUCCESS ? NET_EVENT_RECEIVED : NET_EVENT_LOST;
            events[found].data =
                link->carrier->base.memory + course->offset + window->tokens[at] * course->stride;
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

static unsigned read_note(struct mpi_link *link, struct net_event *event)
{
    int is_done = 0;

    if (MPI_Test(&link->note_request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !is_done)
        return 0;
    *event = (struct net_event){.kind = NET_EVENT_TOLD, .link = &link->base, .note = link->note};
    await_note(link);
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
    /* Notes come at the end: they are looked for when nothing else is found. */
    if (found == 0 && max > 0)
        found += read_note(link, &events[found]);
    return found;
}

/* MPI moves its messages only while somebody asks it: there is no sleeping until something comes.
 */
static int mpi_poll(struct net_carrier *base, struct net_event events[], unsigned max,
                    uint64_t timeout_ns)
{
    struct mpi_carrier *carrier = carrier_of(base);
    unsigned found = 0;
    bool is_active = false;

    for (unsigned tries = 0; found == 0 && tries < IDLE_POLLS; tries++) {
        for (struct mpi_link *link = carrier->links; link != NULL && found < max;
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

static void mpi_close(struct net_carrier *base)
{
    struct mpi_carrier *carrier = carrier_of(base);

    mpi_end(base);
    while (carrier->links != NULL) {
        struct mpi_link *link = carrier->links;

        carrier->links = link->next;
        MPI_Cancel(&link->note_request);
        MPI_Wait(&link->note_request, MPI_STATUS_IGNORE);
        MPI_Waitall(NOTES_MAX, link->told_requests, MPI_STATUSES_IGNORE);
        free(link);
    }
    MPI_Comm_free(&carrier->comm);
    if (base->memory != NULL)
        munmap(base->memory, carrier->bytes);
    free(carrier);
}

static const struct net_carrier_ops mpi_ops = {
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

int net_mpi_carrier_open(const struct net_carrier_params *params, struct net_carrier **opened,
                         struct weir_error *error)
{
    struct mpi_carrier *carrier;

    if (params->group->native == NULL)
        return weir_error_usage(error, "net",
                                "--provider mpi: this process was started without "
                                "MPI; start it with mpiexec, or choose tcp or shm");
    carrier = calloc(1, sizeof *carrier);
    if (carrier == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "net", "out of memory");
    if (MPI_Comm_dup(*(MPI_Comm *)params->group->native, &carrier->comm) != MPI_SUCCESS) {
        free(carrier);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "net",
                              "MPI gives no communicator for the data");
    }
    MPI_Comm_set_errhandler(carrier->comm, MPI_ERRORS_RETURN);
    carrier->base.ops = &mpi_ops;
    carrier->base.longest_bytes = UINT64_C(1) << 30;
    *opened = &carrier->base;
    return 0;
}

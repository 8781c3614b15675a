/* SPDX-License-Identifier: Apache-2.0 */
/* Transports of a net run whose peers do nothing: over tcp one that never looks, and over an MPI
 * that is played here, in which nothing is ever received. */
#include "network/net/transport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <time.h>

enum { LINKS = 64, DEPTH = 16, CONTROLS = 100 };

/* ---- MPI ---- */

static struct {
    bool receives; /* whoever we send to */
    unsigned naps, sent, given_up;
    uint64_t values[CONTROLS]; /* of control messages, as they went */
} mpi;

#define WRAP(name, ...) __wrap_##name(__VA_ARGS__)
#define FAKE(type) (type)(intptr_t) 1

int WRAP(MPI_Isend, const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request *request);
int WRAP(MPI_Irecv, void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
         MPI_Request *request);
int WRAP(MPI_Test, MPI_Request *request, int *is_done, MPI_Status *status);
int WRAP(MPI_Ibarrier, MPI_Comm comm, MPI_Request *request);
int WRAP(MPI_Iprobe, int from, int tag, MPI_Comm comm, int *is_there, MPI_Status *status);
int WRAP(MPI_Comm_dup, MPI_Comm comm, MPI_Comm *made);
int WRAP(MPI_Comm_free, MPI_Comm *comm);
int WRAP(MPI_Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler);
int WRAP(MPI_Cancel, MPI_Request *request);
int WRAP(MPI_Wait, MPI_Request *request, MPI_Status *status);
int WRAP(MPI_Request_free, MPI_Request *request);
int WRAP(nanosleep, const struct timespec *time, struct timespec *rest);

int WRAP(MPI_Isend, const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request *request)
{
    (void)type, (void)to, (void)tag, (void)comm;
    if (count == sizeof(struct net_control) && mpi.sent < CONTROLS)
        mpi.values[mpi.sent++] = ((const struct net_control *)data)->values[0];
    *request = FAKE(MPI_Request);
    return MPI_SUCCESS;
}

int WRAP(MPI_Irecv, void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
         MPI_Request *request)
{
    (void)data, (void)count, (void)type, (void)from, (void)tag, (void)comm;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int WRAP(MPI_Test, MPI_Request *request, int *is_done, MPI_Status *status)
{
    *is_done = mpi.receives && *request != MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int WRAP(MPI_Ibarrier, MPI_Comm comm, MPI_Request *request)
{
    *request = FAKE(MPI_Request);
    return MPI_SUCCESS;
}

int WRAP(MPI_Iprobe, int from, int tag, MPI_Comm comm, int *is_there, MPI_Status *status)
{
    (void)from, (void)tag, (void)comm, (void)status;
    *is_there = 0;
    return MPI_SUCCESS;
}

int WRAP(MPI_Comm_dup, MPI_Comm comm, MPI_Comm *made)
{
    *made = comm;
    return MPI_SUCCESS;
}

int WRAP(MPI_Comm_free, MPI_Comm *comm)
{
    return MPI_SUCCESS;
}

int WRAP(MPI_Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int WRAP(MPI_Cancel, MPI_Request *request)
{
    return MPI_SUCCESS;
}

int WRAP(MPI_Wait, MPI_Request *request, MPI_Status *status)
{
    (void)request, (void)status;
    return MPI_SUCCESS;
}

int WRAP(MPI_Request_free, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    mpi.given_up++;
    return MPI_SUCCESS;
}

int WRAP(nanosleep, const struct timespec *time, struct timespec *rest)
{
    (void)time, (void)rest;
    mpi.naps++;
    return 0;
}

/* ---- transports ---- */

static const struct weir_net_plan plan = {.provider = "tcp",
                                          .interface = "127.0.0.1",
                                          .gid_index = -1,
                                          .sizes = {4096},
                                          .size_count = 1,
                                          .depth = DEPTH,
                                          .batch = 4,
                                          .pairs = 1};

static struct net_transport *open_transport(int rank, bool is_mpi)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    struct weir_group group = {.rank = rank, .size = LINKS + 1, .node_size = 1, .native = &comm};
    const struct net_transport_params params = {.plan = &plan,
                                                .group = &group,
                                                .provider = is_mpi ? "mpi" : "tcp",
                                                .secret = (const unsigned char[32]){1},
                                                .longest_bytes = 4096};
    struct net_transport *transport = NULL;
    struct weir_error error = {0};

    if (is_mpi)
        net_mpi_transport_open(&params, &transport, &error);
    else
        net_fabric_transport_open(&params, &transport, &error);
    assert_string_equal(error.text, "");
    transport->ops->take_memory(transport, (uint64_t)LINKS * DEPTH * 4096, false, LINKS, &error);
    assert_string_equal(error.text, "");
    return transport;
}

static void tell_all(struct net_link *link)
{
    for (unsigned i = 0; i < CONTROLS; i++)
        assert_int_equal(link->transport->ops->tell(
                             link, &(struct net_control){.kind = NET_CONTROL_END, .values = {i}}),
                         0);
}

static void dead_peers_over_mpi_are_waited_for_once(void **state)
{
    struct net_transport *transport = open_transport(0, true);
    struct net_transfer transfers[LINKS];

    memset(&mpi, 0, sizeof mpi);
    for (uint32_t i = 0; i < LINKS; i++) {
        transfers[i] = (struct net_transfer){
            .verb = WEIR_NET_SEND, .bytes = 4096, .depth = DEPTH, .is_sending = true};
        assert_int_equal(transport->ops->open_link(transport, i + 1, NULL, &transfers[i].link), 0);
    }
    assert_int_equal(transport->ops->begin(transport, transfers, LINKS), 0);
    for (uint32_t i = 0; i < LINKS; i++)
        assert_int_equal(transport->ops->post(transfers[i].link, &transfers[i],
                                              (struct net_piece[DEPTH]){{0}}, DEPTH),
                         DEPTH);
    transport->ops->end(transport);
    assert_int_equal(mpi.given_up, LINKS * DEPTH);
    assert_in_range(mpi.naps, 1000, 5000); /* of a millisecond each */
    tell_all(transfers[0].link);
    net_transport_close(transport);
    assert_in_range(mpi.naps, 2000, 10000);
}

static void control_messages_wait_for_a_peer_that_takes_none_over_mpi(void **state)
{
    struct net_transport *transport = open_transport(0, true);
    struct net_event events[4];
    struct net_link *link;

    memset(&mpi, 0, sizeof mpi);
    assert_int_equal(transport->ops->open_link(transport, 1, NULL, &link), 0);
    tell_all(link);
    assert_int_equal(mpi.sent, 1);
    mpi.receives = true;
    transport->ops->poll(transport, events, 4, 0);
    assert_int_equal(mpi.sent, CONTROLS);
    for (unsigned i = 0; i < CONTROLS; i++)
        assert_int_equal(mpi.values[i], i);
    net_transport_close(transport);
}

static void control_messages_wait_for_a_peer_that_does_not_look_over_tcp(void **state)
{
    struct net_transport *ends[] = {open_transport(0, false), open_transport(1, false)};
    char address[WEIR_ADDRESS_BYTES];
    struct weir_error error = {0};
    struct net_link *link;
    bool is_told = false;
    uint64_t heard = 0;

    assert_int_equal(ends[1]->ops->listen(ends[1], address, &error), 0);
    assert_int_equal(ends[0]->ops->open_link(ends[0], 1, address, &link), 0);
    while (heard < CONTROLS) {
        for (unsigned i = 0; i < 2; i++) {
            struct net_event events[64];
            int count = ends[i]->ops->poll(ends[i], events, 64, 1000000);

            for (int j = 0; j < count; j++) {
                assert_int_not_equal(events[j].kind, NET_EVENT_LOST);
                if (events[j].kind == NET_EVENT_CONTROL)
                    assert_int_equal(events[j].control.values[0], heard++);
            }
        }
        if (link->is_up && !is_told)
            tell_all(link);
        is_told |= link->is_up;
    }
    net_transport_close(ends[0]);
    net_transport_close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_peers_over_mpi_are_waited_for_once),
        cmocka_unit_test(control_messages_wait_for_a_peer_that_takes_none_over_mpi),
        cmocka_unit_test(control_messages_wait_for_a_peer_that_does_not_look_over_tcp),
    };

    return cmocka_run_group_tests_name("net_transport", tests, NULL, NULL);
}

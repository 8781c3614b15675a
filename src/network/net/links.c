/* SPDX-License-Identifier: Apache-2.0 */
/* Who connects to whom, and when: only pairs that have a flow, and so few to one rank at a time
 * that its listener is not overrun. */
#include "run.h"

#include <stdio.h>
#include <string.h>

/* Links that one rank accepts at once. */
enum { ACCEPTED_AT_ONCE = 16, EVENTS_MAX = 64 };

#define TIMEOUT_NS 1000000

/* The stage of each flow: how many earlier ones go to the same rank, in heaps. All ranks find the
 * same. Returns the last stage. */
static uint32_t find_stages(struct net_run *run)
{
    uint32_t last = 0;

    memset(run->accepted, 0, (size_t)run->group->size * sizeof *run->accepted);
    for (uint32_t i = 0; i < run->flow_count; i++) {
        uint32_t acceptor = net_acceptor_of(run, &run->flows[i]);

        run->stages[i] = run->accepted[acceptor]++ / ACCEPTED_AT_ONCE;
        last = run->stages[i] > last ? run->stages[i] : last;
    }
    return last;
}

static void note_failure(struct net_run *run, uint32_t peer, int code)
{
    const struct weir_group *group = run->group;

    snprintf(run->peers[peer].failure, sizeof run->peers[peer].failure,
             "rank %u on host %s cannot be connected to: %s", peer,
             group->node_names[group->node_of_rank[peer]], strerror(-code));
}

/* Begins what this rank has to open in a stage. */
static void begin_stage(struct net_run *run, uint32_t stage)
{
    const struct net_transport_ops *ops = run->transport->ops;

    for (uint32_t i = 0; i < run->flow_count; i++) {
        uint32_t opener = net_opener_of(run, &run->flows[i]);
        uint32_t acceptor = net_acceptor_of(run, &run->flows[i]);
        uint32_t me = (uint32_t)run->group->rank;
        int code;

        if (run->stages[i] != stage)
            continue;
        if (opener == me && !run->peers[acceptor].was_tried) {
            run->peers[acceptor].was_tried = true;
            code = ops->open_link(run->transport, acceptor, run->addresses[acceptor],
                                  &run->peers[acceptor].opened);
            if (code < 0)
                note_failure(run, acceptor, code);
        } else if (acceptor == me && !run->peers[opener].accepted && ops->expect_link != NULL) {
            ops->expect_link(run->transport, opener);
        }
    }
}

static void hear(struct net_run *run, const struct net_event *event)
{
    struct net_peer *peer;

    if (event->kind == NET_EVENT_NONE || event->link->peer >= (uint32_t)run->group->size)
        return;
    peer = &run->peers[event->link->peer];
    if (event->kind == NET_EVENT_JOINED && !event->link->is_opener)
        peer->accepted = event->link;
    if (event->kind == NET_EVENT_RECEIVED)
        run->transport->ops->release(event->link, event->data);
    if (event->kind != NET_EVENT_LOST || run->is_closing)
        return;
    event->link->is_up = false;
    event->link->code = event->code;
    if (event->link->is_opener)
        note_failure(run, event->link->peer, event->code);
}

/* What this rank has begun to open is up, or has failed. */
static bool is_settled(const struct net_run *run)
{
    for (int rank = 0; rank < run->group->size; rank++) {
        const struct net_peer *peer = &run->peers[rank];

        if (!run->is_closing && peer->opened != NULL && !peer->opened->is_up &&
            peer->failure[0] == '\0')
            return false;
    }
    return true;
}

static int finish_stage(struct net_run *run)
{
    struct net_barrier barrier;
    int code = 0;

    net_barrier_begin(&barrier, run->group, run->clock, run->plan);
    while (code == 0) {
        struct net_event events[EVENTS_MAX];
        int count = run->transport->ops->poll(run->transport, events, EVENTS_MAX, TIMEOUT_NS);

        for (int i = 0; i < count; i++)
            hear(run, &events[i]);
        code = net_barrier_step(&barrier, count < 0 || is_settled(run), net_is_stopping(run));
    }
    run->has_stopped |= barrier.flag != 0;
    return code < 0 ? code : 0;
}

int net_links_open(struct net_run *run)
{
    uint32_t last = find_stages(run);
    int code = 0;

    for (uint32_t stage = 0; stage <= last && code == 0; stage++) {
        begin_stage(run, stage);
        code = finish_stage(run);
    }
    return code;
}

int net_links_close(struct net_run *run)
{
    int code;

    if (run->transport->ops->close_links == NULL)
        return 0;
    /* All are done with their links before one is closed, and have none before one is opened. */
    run->is_closing = true;
    code = finish_stage(run);
    run->transport->ops->close_links(run->transport);
    for (int rank = 0; rank < run->group->size; rank++) {
        struct net_peer *peer = &run->peers[rank];

        peer->opened = peer->accepted = NULL;
        peer->was_tried = peer->failure[0] != '\0'; /* what failed once is not tried again */
    }
    if (code == 0)
        code = finish_stage(run);
    run->is_closing = false;
    return code;
}

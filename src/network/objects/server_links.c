/* SPDX-License-Identifier: Apache-2.0 */
/* Clients come, ask, and go: their tasks from the message to the answer. */
#include "server_parts.h"

#include "weir/base/clock.h"
#include "weir/base/log.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_PAUSE_NS UINT64_C(1000000000)

static void enqueue(struct weir_task_queue *queue, struct weir_task *task)
{
    task->next_queued = NULL;
    if (queue->first)
        queue->last->next_queued = task;
    else
        queue->first = task;
    queue->last = task;
}

static void dequeue(struct weir_task_queue *queue)
{
    queue->first = queue->first->next_queued;
}

static void remove_queued(struct weir_task_queue *queue, const struct weir_task *task)
{
    struct weir_task *before = NULL;

    for (struct weir_task *other = queue->first; other; before = other, other = other->next_queued)
        if (other == task) {
            if (before)
                before->next_queued = other->next_queued;
            else
                queue->first = other->next_queued;
            if (queue->last == other)
                queue->last = before;
            return;
        }
}

static void log_disconnect(struct weir_object_server *server, const struct weir_link *link,
                           const char *why)
{
    uint64_t now = weir_clock_kernel_ns();
    char peer[WEIR_ADDRESS_BYTES];

    if (server->logged_ns && now - server->logged_ns < LOG_PAUSE_NS) {
        server->unlogged_count++;
        return;
    }
    server->logged_ns = now;
    strncpy(peer, weir_link_peer(link), sizeof peer - 1);
    peer[sizeof peer - 1] = 0;
    weir_text_make_visible(peer, "");
    weir_log(WEIR_LOG_WARNING, "server %s: client %s was cut off: %s", server->address, peer, why);
    if (server->unlogged_count)
        weir_log(WEIR_LOG_WARNING, "server %s: %llu others were cut off since the last time",
                 server->address, (unsigned long long)server->unlogged_count);
    server->unlogged_count = 0;
}

void weir_server_disconnect(struct weir_object_server *server, struct weir_server_client *client,
                            const char *why)
{
    if (client->is_leaving)
        return;
    client->is_leaving = true;
    client->next = server->leaving;
    server->leaving = client;
    if (why)
        log_disconnect(server, client->link, why);
}

/* ---- tasks ---- */

static struct weir_task *take_task(struct weir_object_server *server,
                                   struct weir_server_client *client)
{
    struct weir_task *task = server->free_tasks;

    if (task)
        server->free_tasks = task->next;
    else
        task = malloc(sizeof *task);
    if (!task)
        return NULL;
    task->client = client;
    task->previous = NULL;
    task->next = client->tasks;
    if (task->next)
        task->next->previous = task;
    client->tasks = task;
    client->task_count++;
    task->state = WEIR_TASK_STARTED;
    task->reply = NULL;
    task->shard = NULL;
    task->posted_bytes = 0;
    task->outstanding = 0;
    task->job = (struct weir_backing_job){.owner = task};
    memset(&task->header.answer, 0, sizeof task->header.answer);
    return task;
}

static void unlink_task(struct weir_task *task)
{
    struct weir_server_client *client = task->client;

    if (task->next)
        task->next->previous = task->previous;
    if (task->previous)
        task->previous->next = task->next;
    else
        client->tasks = task->next;
    client->task_count--;
}

static void give_task(struct weir_object_server *server, struct weir_task *task)
{
    weir_store_unpin(server->store, task->shard);
    free(task->job.pieces);
    if (task->reply)
        server->free_replies[server->free_reply_count++] = task->reply;
    task->next = server->free_tasks;
    server->free_tasks = task;
}

size_t weir_task_most_payload(const struct weir_object_server *server, const struct weir_task *task)
{
    size_t ours = server->params.fabric.message_bytes;
    size_t theirs = weir_link_message_bytes(task->client->link);
    size_t most = ours < theirs ? ours : theirs;

    return most < sizeof(struct weir_answer) ? 0 : most - sizeof(struct weir_answer);
}

unsigned char *weir_task_room(struct weir_object_server *server, struct weir_task *task,
                              size_t bytes)
{
    if (bytes <= WEIR_TASK_PAYLOAD_BYTES)
        return task->header.payload;
    assert(bytes <= server->params.fabric.message_bytes);
    if (!server->free_reply_count) {
        task->state = WEIR_TASK_STARVING;
        enqueue(&server->starving, task);
        return NULL;
    }
    task->reply = server->free_replies[--server->free_reply_count];
    return task->reply;
}

static void serve_starving(struct weir_object_server *server)
{
    while (server->starving.first && server->free_reply_count) {
        struct weir_task *task = server->starving.first;

        dequeue(&server->starving);
        task->state = WEIR_TASK_STARTED;
        weir_server_dispatch(server, task);
    }
}

/* ---- posting ---- */

/* 1: posted; 0: the link is full, or lost. */
static int post_wr(struct weir_task *task, const struct weir_wr *wr)
{
    int code = weir_link_post(task->client->link, wr, 1);

    if (code <= 0)
        return 0; /* of a link that is lost, poll tells more */
    task->outstanding++;
    return 1;
}

static int post_answer(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_answer *answer = &task->header.answer;
    struct weir_wr wr = {.verb = WEIR_WR_SEND,
                         .header = &task->header,
                         .context = task,
                         .header_bytes = sizeof *answer};

    if (task->reply) {
        wr.data = task->reply;
        wr.bytes = answer->payload_bytes;
        wr.region = server->replies_region;
    } else {
        wr.header_bytes += answer->payload_bytes;
    }
    return post_wr(task, &wr);
}

/* A task at the head of the queue. False: it must wait. */
static bool post_task(struct weir_object_server *server, struct weir_task *task)
{
    while (task->state == WEIR_TASK_MOVING) {
        struct weir_wr wr = weir_server_next_wr(server, task);

        if (!post_wr(task, &wr))
            return false;
        task->posted_bytes += wr.bytes;
        if (task->posted_bytes < task->parsed.request.bytes)
            continue;
        /* What was pulled must have come; what was pushed is there before the answer, or has
         * failed, and then no answer may go. */
        task->state = wr.verb == WEIR_WR_WRITE && weir_fabric_facts(server->fabric)->fails_in_order
                          ? WEIR_TASK_ANSWERING
                          : WEIR_TASK_OUTSTANDING;
    }
    if (task->state != WEIR_TASK_ANSWERING)
        return true;
    if (!post_answer(server, task))
        return false;
    task->state = WEIR_TASK_ANSWERED;
    return true;
}

static void pump(struct weir_object_server *server, struct weir_server_client *client)
{
    while (!client->is_leaving && client->posting.first && post_task(server, client->posting.first))
        dequeue(&client->posting);
}

static void give_message_back(struct weir_task *task)
{
    if (task->message)
        weir_link_release(task->client->link, task->message);
    task->message = NULL;
}

void weir_task_finish(struct weir_object_server *server, struct weir_task *task, int status)
{
    struct weir_answer *answer = &task->header.answer;

    answer->id = task->parsed.request.id;
    answer->status = status;
    if (status && status != -EPROTO)
        answer->payload_bytes = 0;
    /* Before the answer goes, so that the next request finds a buffer. */
    give_message_back(task);
    task->state = WEIR_TASK_ANSWERING;
    enqueue(&task->client->posting, task);
    pump(server, task->client);
}

void weir_task_move(struct weir_object_server *server, struct weir_task *task)
{
    give_message_back(task);
    task->header.answer.id = task->parsed.request.id;
    task->state = WEIR_TASK_MOVING;
    enqueue(&task->client->posting, task);
    pump(server, task->client);
}

/* ---- messages ---- */

static void start(struct weir_object_server *server, struct weir_server_client *client,
                  void *message, uint32_t bytes)
{
    struct weir_task *task = take_task(server, client);
    int code;

    atomic_fetch_add(&server->told.message_count, 1);
    if (!task) {
        weir_link_release(client->link, message);
        weir_server_disconnect(server, client, "the server has no memory for its request");
        return;
    }
    task->message = message;
    code = weir_request_parse(message, bytes, &task->parsed);
    if (code == -EBADMSG) {
        give_message_back(task);
        unlink_task(task);
        give_task(server, task);
        weir_server_disconnect(server, client, "it sent what is no request");
    } else if (code) {
        weir_task_finish(server, task, code);
    } else {
        weir_server_dispatch(server, task);
    }
}

/* As many tasks as it has credits: others wait, so that who takes no answers fills no memory. */
static void take_message(struct weir_object_server *server, struct weir_server_client *client,
                         void *message, uint32_t bytes)
{
    unsigned limit = server->params.fabric.message_credits;

    if (client->is_leaving) {
        weir_link_release(client->link, message);
    } else if (client->task_count < limit && !client->held_count) {
        start(server, client, message, bytes);
    } else if (client->held_count < limit) {
        unsigned place = (client->held_first + client->held_count++) % limit;

        client->held[place] = (struct weir_held_message){message, bytes};
    } else {
        weir_link_release(client->link, message);
        weir_server_disconnect(server, client, "it sends more than its credits");
    }
}

static void start_held(struct weir_object_server *server, struct weir_server_client *client)
{
    unsigned limit = server->params.fabric.message_credits;

    while (client->held_count && client->task_count < limit && !client->is_leaving) {
        struct weir_held_message held = client->held[client->held_first];

        client->held_first = (client->held_first + 1) % limit;
        client->held_count--;
        start(server, client, held.message, held.bytes);
    }
}

static void finish_wr(struct weir_object_server *server, struct weir_task *task, int result)
{
    struct weir_server_client *client = task->client;

    task->outstanding--;
    if (result && task->parsed.request.verb == WEIR_VERB_READ_PUSH)
        weir_server_disconnect(server, client,
                               result == -EACCES ? "its memory cannot be written to" : NULL);
    if (result && !task->header.answer.status)
        task->header.answer.status = result;
    if (task->state == WEIR_TASK_OUTSTANDING && !task->outstanding) {
        weir_task_finish(server, task, task->header.answer.status);
        return;
    }
    if (task->state == WEIR_TASK_ANSWERED && !task->outstanding) {
        unlink_task(task);
        give_task(server, task);
        start_held(server, client);
    }
    pump(server, client);
}

/* ---- coming and going ---- */

int weir_server_clients_open(struct weir_object_server *server)
{
    const unsigned limit = server->params.client_limit;

    server->clients = calloc(limit, sizeof *server->clients);
    for (unsigned i = limit; server->clients && i-- > 0;) {
        server->clients[i].next = server->free_clients;
        server->free_clients = &server->clients[i];
    }
    return server->clients ? 0 : -ENOMEM;
}

/* False: it cannot receive answers, or there is no memory for it. */
static bool admit(struct weir_object_server *server, struct weir_link *link)
{
    struct weir_server_client *client = server->free_clients;
    struct weir_held_message *held;

    if (weir_link_message_bytes(link) < WEIR_OBJECT_MESSAGE_BYTES_MIN) {
        log_disconnect(server, link, "its buffers are too short for answers");
        return false;
    }
    assert(client); /* the fabric lets in no more */
    held = calloc(server->params.fabric.message_credits, sizeof *held);
    if (!held) {
        log_disconnect(server, link, "the server has no memory for it");
        return false;
    }
    server->free_clients = client->next;
    *client = (struct weir_server_client){
        .link = link, .number = (uint32_t)(client - server->clients), .held = held};
    weir_link_set_owner(link, client);
    server->client_count++;
    return true;
}

static void close_client(struct weir_object_server *server, struct weir_server_client *client)
{
    weir_link_close(client->link);
    for (struct weir_task *task = client->tasks, *next; task; task = next) {
        next = task->next;
        if (task->state == WEIR_TASK_STARVING)
            remove_queued(&server->starving, task);
        if (task->state == WEIR_TASK_COMMITTING)
            task->client = NULL; /* the backing still has it */
        else
            give_task(server, task);
    }
    weir_store_leave(server->store, client->number);
    free(client->held);
    server->client_count--;
    *client = (struct weir_server_client){.next = server->free_clients};
    server->free_clients = client;
}

static void close_leaving(struct weir_object_server *server)
{
    while (server->leaving) {
        struct weir_server_client *client = server->leaving;

        server->leaving = client->next;
        close_client(server, client);
    }
}

void weir_server_take_events(struct weir_object_server *server, const struct weir_event events[],
                             unsigned count)
{
    struct weir_link *refused[WEIR_SERVER_EVENTS_MAX];
    unsigned refused_count = 0;

    assert(count <= WEIR_SERVER_EVENTS_MAX);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_event *event = &events[i];

        switch (event->kind) {
        case WEIR_EVENT_JOINED:
            if (!admit(server, event->link))
                refused[refused_count++] = event->link;
            break;
        case WEIR_EVENT_MESSAGE:
            if (weir_link_owner(event->link)) /* else it was refused just now */
                take_message(server, weir_link_owner(event->link), event->message, event->bytes);
            break;
        case WEIR_EVENT_DONE:
            finish_wr(server, event->context, event->result);
            break;
        case WEIR_EVENT_LEFT:
            if (weir_link_owner(event->link))
                weir_server_disconnect(server, weir_link_owner(event->link), NULL);
            break;
        }
    }
    /* Not earlier: events of the same batch may speak of them. */
    while (refused_count)
        weir_link_close(refused[--refused_count]);
    close_leaving(server);
    serve_starving(server);
}

void weir_server_reap_jobs(struct weir_object_server *server)
{
    struct weir_backing_job *job;

    while (server->backing && (job = weir_backing_reap(server->backing))) {
        struct weir_task *task = job->owner;

        server->committing_count--;
        if (!task->client) {
            give_task(server, task);
            continue;
        }
        task->header.answer.level = job->result ? WEIR_FLUSH_VISIBLE : WEIR_FLUSH_STORAGE;
        weir_task_finish(server, task, job->result);
    }
}

void weir_server_disconnect_all(struct weir_object_server *server)
{
    close_leaving(server);
    for (unsigned i = 0; server->clients && i < server->params.client_limit; i++)
        if (server->clients[i].link)
            close_client(server, &server->clients[i]);
    /* What the backing still has is not lost: it writes to the end. */
    while (server->committing_count) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        weir_server_reap_jobs(server);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What comes in on a link: payloads go where they belong without a copy, and a peer that does not
 * keep to what was agreed loses its link. */
#include "tcp.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* After so much other links, and who polls, get their turn. */
#define TURN_BYTES (4 << 20)
#define TURN_FRAMES 128

/* So many requests are handled before their peer hears of it. */
#define UNTOLD_MAX 8

static void lose(struct tcp_link *link, int code)
{
    link->is_readable = false;
    weir_link_lose(&link->base, code);
}

/* ---- frames ---- */

/* The peer has handled our requests up to `count`. */
static int acknowledge(struct tcp_link *link, uint32_t count)
{
    if (!tcp_reaches(count, link->acknowledged))
        return 0; /* an older count in an answer that waited */
    if (!tcp_reaches(link->sent, count))
        return -EPROTO;
    link->acknowledged = count;
    return 0;
}

/* Our request that an answer is for: the next that is not handled, or a later one. */
static struct tcp_request *find_request(struct tcp_link *link, uint32_t count)
{
    if (!tcp_reaches(link->sent, count) || tcp_reaches(link->acknowledged, count))
        return NULL;
    return &link->requests[(count - 1) & link->request_mask];
}

static int answer(struct tcp_link *link)
{
    int code = -link->failure;

    if (code == 0) {
        link->handled++;
        return 0;
    }
    link->failure = 0;
    return weir_tcp_reply(link, TCP_FAILED, NULL, (uint64_t)code);
}

static void begin_payload(struct tcp_link *link, unsigned char *target)
{
    link->target = target;
    link->left = link->frame.bytes;
    link->stage = TCP_PAYLOAD;
}

static int begin_write(struct tcp_link *link)
{
    const struct tcp_frame *frame = &link->frame;
    unsigned char *target =
        weir_tcp_find(tcp_fabric_of(link), frame->key, frame->address, frame->bytes);

    link->failure = target == NULL ? -EACCES : 0;
    begin_payload(link, target);
    return 0;
}

static int begin_read(struct tcp_link *link)
{
    const struct tcp_frame *frame = &link->frame;
    unsigned char *source;

    source = weir_tcp_find(tcp_fabric_of(link), frame->key, frame->address, frame->bytes);
    if (source == NULL)
        return weir_tcp_reply(link, TCP_FAILED, NULL, EACCES);
    return weir_tcp_reply(link, TCP_DATA, source, frame->bytes);
}

static int begin_message(struct tcp_link *link)
{
    if (link->frame.bytes > link->buffer_bytes)
        return -EMSGSIZE;
    if (link->free_count == 0) {
        link->stage = TCP_WAITING;
        return 0;
    }
    link->message = link->free_buffers[--link->free_count];
    begin_payload(link, link->message);
    return 0;
}

static int begin_data(struct tcp_link *link)
{
    struct tcp_request *request = find_request(link, link->frame.handled);

    if (request == NULL || request->verb != WEIR_WR_READ || request->bytes != link->frame.bytes)
        return -EPROTO;
    begin_payload(link, request->data);
    return acknowledge(link, link->frame.handled - 1);
}

static int take_failure(struct tcp_link *link)
{
    struct tcp_request *request = find_request(link, link->frame.handled);

    if (request == NULL || link->frame.bytes - 1 >= 4095)
        return -EPROTO;
    request->result = -(int)link->frame.bytes;
    return acknowledge(link, link->frame.handled);
}

static int begin(struct tcp_link *link)
{
    int failure = 0;

    if (link->frame.kind != TCP_DATA && link->frame.kind != TCP_FAILED &&
        link->stage != TCP_WAITING)
        failure = acknowledge(link, link->frame.handled);
    if (failure)
        return failure;
    switch (link->frame.kind) {
    case TCP_WRITE:
        return begin_write(link);
    case TCP_READ:
        return begin_read(link);
    case TCP_SEND:
        return begin_message(link);
    case TCP_DATA:
        return begin_data(link);
    case TCP_FAILED:
        return take_failure(link);
    case TCP_HANDLED:
        return 0;
    default:
        return -EPROTO;
    }
}

static int finish(struct tcp_link *link)
{
    link->stage = TCP_HEADER;
    if (link->frame.kind == TCP_DATA) {
        link->requests[(link->frame.handled - 1) & link->request_mask].result = 0;
        return acknowledge(link, link->frame.handled);
    }
    if (link->frame.kind == TCP_SEND) {
        unsigned place =
            (link->inbox_first + link->inbox_count++) % link->base.fabric->params.message_credits;

        link->inbox[place] = (struct weir_event){
            .kind = WEIR_EVENT_MESSAGE,
            .link = &link->base,
            .message = link->message,
            .bytes = (uint32_t)link->frame.bytes,
        };
        link->message = NULL;
    }
    return answer(link);
}

/* ---- bytes ---- */

/* False: the frame is not complete. */
static bool take_frame(struct tcp_link *link, int *failure)
{
    unsigned staged = link->stage_end - link->stage_first;
    const unsigned char *from = link->staged + link->stage_first;
    struct tcp_frame *frame = &link->frame;

    if (staged < sizeof *frame)
        return false;
    memcpy(frame, from, sizeof *frame);
    frame->handled = le32toh(frame->handled);
    frame->bytes = le64toh(frame->bytes);
    frame->address = le64toh(frame->address);
    frame->key = le64toh(frame->key);
    link->stage_first += (unsigned)sizeof *frame;
    *failure = begin(link);
    return true;
}

/* What of the payload came with its header. */
static void take_staged(struct tcp_link *link)
{
    uint64_t staged = link->stage_end - link->stage_first;
    uint64_t bytes = staged < link->left ? staged : link->left;

    if (link->target != NULL) {
        memcpy(link->target, link->staged + link->stage_first, bytes);
        link->target += bytes;
    }
    link->stage_first += (unsigned)bytes;
    link->left -= bytes;
}

/* Works on what is staged, until it is used up. How many frames were completed, or -errno. */
static int work(struct tcp_link *link)
{
    int frames = 0, failure = 0;

    for (;;) {
        if (link->stage == TCP_WAITING)
            failure = begin(link);
        else if (link->stage == TCP_HEADER && !take_frame(link, &failure))
            return frames;
        if (failure)
            return failure;
        if (link->stage == TCP_WAITING)
            return frames;
        if (link->stage == TCP_PAYLOAD) {
            take_staged(link);
            if (link->left > 0)
                return frames;
            failure = finish(link);
            if (failure)
                return failure;
        }
        frames++;
    }
}

static void compact(struct tcp_link *link)
{
    unsigned staged = link->stage_end - link->stage_first;

    if (link->stage_first == 0)
        return;
    memmove(link->staged, link->staged + link->stage_first, staged);
    link->stage_first = 0;
    link->stage_end = staged;
}

/* Bytes received, of `*asked`; or -errno. The rest of a payload goes straight to its place, and
 * what follows it into the stage: no more than a header behind a long one. */
static ssize_t fill(struct tcp_link *link, size_t *asked)
{
    struct iovec parts[2];
    struct msghdr message = {.msg_iov = parts};
    uint64_t payload = link->stage == TCP_PAYLOAD ? link->left : 0;
    size_t room = TCP_STAGE_BYTES - link->stage_end;
    ssize_t got;

    if (payload >= TCP_BULK_BYTES && room > sizeof(struct tcp_frame))
        room = sizeof(struct tcp_frame);
    if (payload > 0 && link->target == NULL && payload > TCP_WASTE_BYTES) {
        payload = TCP_WASTE_BYTES;
        room = 0;
    }
    if (payload > 0)
        parts[message.msg_iovlen++] = (struct iovec){
            link->target == NULL ? tcp_fabric_of(link)->waste : link->target, payload};
    if (room > 0)
        parts[message.msg_iovlen++] = (struct iovec){link->staged + link->stage_end, room};
    *asked = payload + room;
    do {
        got = recvmsg(link->base.socket, &message, MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    if ((uint64_t)got <= payload) {
        payload = (uint64_t)got;
    } else {
        link->stage_end += (unsigned)((uint64_t)got - payload);
    }
    if (link->stage == TCP_PAYLOAD) {
        link->left -= payload;
        if (link->target != NULL)
            link->target += payload;
    }
    return got;
}

void weir_tcp_receive(struct tcp_link *link)
{
    uint64_t bytes = 0;
    unsigned total = 0;

    for (;;) {
        size_t asked = 0;
        ssize_t got;
        int frames = work(link);

        if (frames < 0) {
            lose(link, frames);
            return;
        }
        total += (unsigned)frames;
        if (link->handled - link->told >= UNTOLD_MAX)
            weir_tcp_transmit(link);
        if (link->stage == TCP_WAITING || !link->is_readable || bytes >= TURN_BYTES ||
            total >= TURN_FRAMES)
            return;
        compact(link);
        got = fill(link, &asked);
        if (got == 0 || (got < 0 && got != -EAGAIN)) {
            lose(link, got == 0 ? -ECONNRESET : (int)got);
            return;
        }
        /* Less than asked: there is no more, until epoll says so. An end is said once only. */
        link->is_readable = got > 0 && ((size_t)got == asked || link->has_ended);
        if (got > 0) {
            link->activity++;
            bytes += (uint64_t)got;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What comes in on a stream: payloads go where they belong without a copy, and a peer that does not
 * keep to what was agreed loses its link. */
#include "tcp.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* After so much other streams, and who polls, get their turn. */
#define TURN_BYTES (4 << 20)
#define TURN_FRAMES 128

/* So many requests are handled before their peer hears of it. */
#define UNTOLD_MAX 8

static void lose(struct tcp_stream *stream, int code)
{
    stream->is_readable = false;
    weir_link_lose(&stream->link->link, code);
}

/* ---- frames ---- */

/* The peer has handled our requests up to `count`. */
static int acknowledge(struct tcp_stream *stream, uint32_t count)
{
    if (!tcp_reaches(count, stream->acknowledged))
        return 0; /* an older count in an answer that waited */
    if (!tcp_reaches(stream->sent, count))
        return -EPROTO;
    stream->acknowledged = count;
    /* Moves along, so that it is never half of all counts behind, where it would seem to be ahead.
     */
    if (tcp_reaches(count, stream->last_write))
        stream->last_write = count;
    return 0;
}

/* Our request that an answer is for: the next that is not handled, or a later one. */
static struct tcp_request *find_request(struct tcp_stream *stream, uint32_t count)
{
    if (!tcp_reaches(stream->sent, count) || tcp_reaches(stream->acknowledged, count))
        return NULL;
    return &stream->requests[(count - 1) & stream->request_mask];
}

static bool is_fenced(const struct tcp_stream *stream)
{
    for (unsigned i = 0; i < stream->frame.fences; i++) {
        const struct tcp_stream *other = &stream->link->streams[i];

        if (other != stream && !tcp_reaches(other->handled, stream->frame_fences[i]))
            return true;
    }
    return false;
}

static int answer(struct tcp_stream *stream)
{
    int code = -stream->failure;

    if (code == 0) {
        stream->handled++;
        return 0;
    }
    stream->failure = 0;
    return weir_tcp_reply(stream, TCP_FAILED, NULL, (uint64_t)code);
}

static void begin_payload(struct tcp_stream *stream, unsigned char *target)
{
    stream->target = target;
    stream->left = stream->frame.bytes;
    stream->stage = TCP_PAYLOAD;
}

static int begin_write(struct tcp_stream *stream)
{
    const struct tcp_frame *frame = &stream->frame;
    unsigned char *target =
        weir_tcp_find(tcp_fabric_of(stream), frame->key, frame->address, frame->bytes);

    stream->failure = target == NULL ? -EACCES : 0;
    begin_payload(stream, target);
    return 0;
}

static int begin_read(struct tcp_stream *stream)
{
    const struct tcp_frame *frame = &stream->frame;
    unsigned char *source;

    if (is_fenced(stream)) {
        stream->stage = TCP_WAITING;
        return 0;
    }
    stream->stage = TCP_HEADER;
    source = weir_tcp_find(tcp_fabric_of(stream), frame->key, frame->address, frame->bytes);
    if (source == NULL)
        return weir_tcp_reply(stream, TCP_FAILED, NULL, EACCES);
    return weir_tcp_reply(stream, TCP_DATA, source, frame->bytes);
}

static int begin_message(struct tcp_stream *stream)
{
    struct tcp_link *link = stream->link;

    if (stream->frame.bytes > link->buffer_bytes)
        return -EMSGSIZE;
    if (is_fenced(stream) || link->free_count == 0) {
        stream->stage = TCP_WAITING;
        return 0;
    }
    stream->message = link->free_buffers[--link->free_count];
    begin_payload(stream, stream->message);
    return 0;
}

static int begin_data(struct tcp_stream *stream)
{
    struct tcp_request *request = find_request(stream, stream->frame.handled);

    if (request == NULL || request->verb != WEIR_WIRE_READ || request->bytes != stream->frame.bytes)
        return -EPROTO;
    begin_payload(stream, request->data);
    return acknowledge(stream, stream->frame.handled - 1);
}

static int take_failure(struct tcp_stream *stream)
{
    struct tcp_request *request = find_request(stream, stream->frame.handled);

    if (request == NULL || stream->frame.bytes - 1 >= 4095)
        return -EPROTO;
    request->result = -(int)stream->frame.bytes;
    return acknowledge(stream, stream->frame.handled);
}

static int begin(struct tcp_stream *stream)
{
    int failure = 0;

    if (stream->frame.kind != TCP_DATA && stream->frame.kind != TCP_FAILED &&
        stream->stage != TCP_WAITING)
        failure = acknowledge(stream, stream->frame.handled);
    if (failure)
        return failure;
    switch (stream->frame.kind) {
    case TCP_WRITE:
        return begin_write(stream);
    case TCP_READ:
        return begin_read(stream);
    case TCP_SEND:
        return begin_message(stream);
    case TCP_DATA:
        return begin_data(stream);
    case TCP_FAILED:
        return take_failure(stream);
    case TCP_HANDLED:
        return 0;
    default:
        return -EPROTO;
    }
}

static int finish(struct tcp_stream *stream)
{
    struct tcp_link *link = stream->link;

    stream->stage = TCP_HEADER;
    if (stream->frame.kind == TCP_DATA) {
        stream->requests[(stream->frame.handled - 1) & stream->request_mask].result = 0;
        return acknowledge(stream, stream->frame.handled);
    }
    if (stream->frame.kind == TCP_SEND) {
        unsigned place =
            (link->inbox_first + link->inbox_count++) % link->link.fabric->params.message_credits;

        link->inbox[place] = (struct weir_event){
            .kind = WEIR_EVENT_MESSAGE,
            .link = &link->link,
            .message = stream->message,
            .bytes = (uint32_t)stream->frame.bytes,
        };
        stream->message = NULL;
    }
    return answer(stream);
}

/* ---- bytes ---- */

/* False: the frame is not complete. */
static bool take_frame(struct tcp_stream *stream, int *failure)
{
    unsigned staged = stream->stage_end - stream->stage_first;
    const unsigned char *from = stream->staged + stream->stage_first;
    struct tcp_frame *frame = &stream->frame;

    if (staged < sizeof *frame)
        return false;
    memcpy(frame, from, sizeof *frame);
    frame->fences = le16toh(frame->fences);
    frame->handled = le32toh(frame->handled);
    frame->bytes = le64toh(frame->bytes);
    frame->address = le64toh(frame->address);
    frame->key = le64toh(frame->key);
    if (frame->fences > 0 && frame->fences != stream->link->pairs) {
        *failure = -EPROTO;
        return true;
    }
    if (staged < sizeof *frame + frame->fences * sizeof(uint32_t))
        return false;
    for (unsigned i = 0; i < frame->fences; i++) {
        memcpy(&stream->frame_fences[i], from + sizeof *frame + i * sizeof(uint32_t),
               sizeof(uint32_t));
        stream->frame_fences[i] = le32toh(stream->frame_fences[i]);
    }
    stream->stage_first += (unsigned)(sizeof *frame + frame->fences * sizeof(uint32_t));
    *failure = begin(stream);
    return true;
}

/* What of the payload came with its header. */
static void take_staged(struct tcp_stream *stream)
{
    uint64_t staged = stream->stage_end - stream->stage_first;
    uint64_t bytes = staged < stream->left ? staged : stream->left;

    if (stream->target != NULL) {
        memcpy(stream->target, stream->staged + stream->stage_first, bytes);
        stream->target += bytes;
    }
    stream->stage_first += (unsigned)bytes;
    stream->left -= bytes;
}

/* Works on what is staged, until it is used up. How many frames were completed, or -errno. */
static int work(struct tcp_stream *stream)
{
    int frames = 0, failure = 0;

    for (;;) {
        if (stream->stage == TCP_WAITING)
            failure = begin(stream);
        else if (stream->stage == TCP_HEADER && !take_frame(stream, &failure))
            return frames;
        if (failure)
            return failure;
        if (stream->stage == TCP_WAITING)
            return frames;
        if (stream->stage == TCP_PAYLOAD) {
            take_staged(stream);
            if (stream->left > 0)
                return frames;
            failure = finish(stream);
            if (failure)
                return failure;
        }
        frames++;
    }
}

static void compact(struct tcp_stream *stream)
{
    unsigned staged = stream->stage_end - stream->stage_first;

    if (stream->stage_first == 0)
        return;
    memmove(stream->staged, stream->staged + stream->stage_first, staged);
    stream->stage_first = 0;
    stream->stage_end = staged;
}

/* Bytes received, of `*asked`; or -errno. The rest of a payload goes straight to its place, and
 * what follows it into the stage: no more than a header behind a long one. */
static ssize_t fill(struct tcp_stream *stream, size_t *asked)
{
    struct iovec parts[2];
    struct msghdr message = {.msg_iov = parts};
    uint64_t payload = stream->stage == TCP_PAYLOAD ? stream->left : 0;
    size_t room = TCP_STAGE_BYTES - stream->stage_end;
    ssize_t got;

    if (payload >= TCP_BULK_BYTES && room > sizeof(struct tcp_frame))
        room = sizeof(struct tcp_frame);
    if (payload > 0 && stream->target == NULL && payload > TCP_WASTE_BYTES) {
        payload = TCP_WASTE_BYTES;
        room = 0;
    }
    if (payload > 0)
        parts[message.msg_iovlen++] = (struct iovec){
            stream->target == NULL ? tcp_fabric_of(stream)->waste : stream->target, payload};
    if (room > 0)
        parts[message.msg_iovlen++] = (struct iovec){stream->staged + stream->stage_end, room};
    *asked = payload + room;
    do {
        got = recvmsg(stream->fd, &message, MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    if ((uint64_t)got <= payload) {
        payload = (uint64_t)got;
    } else {
        stream->stage_end += (unsigned)((uint64_t)got - payload);
    }
    if (stream->stage == TCP_PAYLOAD) {
        stream->left -= payload;
        if (stream->target != NULL)
            stream->target += payload;
    }
    return got;
}

void weir_tcp_receive(struct tcp_stream *stream)
{
    uint64_t bytes = 0;
    unsigned total = 0;

    for (;;) {
        size_t asked = 0;
        ssize_t got;
        int frames = work(stream);

        if (frames < 0) {
            lose(stream, frames);
            return;
        }
        total += (unsigned)frames;
        if (stream->handled - stream->told >= UNTOLD_MAX)
            weir_tcp_transmit(stream);
        if (stream->stage == TCP_WAITING || !stream->is_readable || bytes >= TURN_BYTES ||
            total >= TURN_FRAMES)
            return;
        compact(stream);
        got = fill(stream, &asked);
        if (got == 0 || (got < 0 && got != -EAGAIN)) {
            lose(stream, got == 0 ? -ECONNRESET : (int)got);
            return;
        }
        /* Less than asked: there is no more, until epoll says so. An end is said once only. */
        stream->is_readable = got > 0 && ((size_t)got == asked || stream->has_ended);
        if (got > 0) {
            stream->link->activity++;
            bytes += (uint64_t)got;
        }
    }
}

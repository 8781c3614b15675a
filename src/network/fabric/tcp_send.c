/* SPDX-License-Identifier: Apache-2.0 */
/* What goes out on a stream: requests and answers take turns, and many go with one call. */
#include "tcp.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Enough for one call: the kernel takes no more at a time from most callers. */
#define LAID_BYTES (4 << 20)

/* ---- laying out ---- */

static void lay(struct tcp_stream *stream, void *data, uint64_t bytes, enum tcp_part end)
{
    unsigned place = stream->part_first + stream->part_count;

    assert(place < TCP_PARTS);
    stream->parts[place] = (struct iovec){data, bytes};
    stream->ends[place] = (uint8_t)end;
    stream->part_count++;
    stream->part_bytes += bytes;
}

/* What may be told as handled: not beyond an answer that has not gone yet. */
static uint32_t handled_so_far(const struct tcp_stream *stream)
{
    if (stream->reply_laid != stream->replied)
        return stream->replies[stream->reply_laid & stream->reply_mask].number - 1;
    return stream->handled;
}

static void lay_request(struct tcp_stream *stream)
{
    uint32_t slot = stream->laid++ & stream->request_mask;
    struct tcp_request *request = &stream->requests[slot];
    uint16_t fences = le16toh(request->frame.fences);
    uint64_t bytes = request->verb == WEIR_WIRE_READ ? 0 : request->bytes;

    stream->told = handled_so_far(stream);
    request->frame.handled = htole32(stream->told);
    lay(stream, &request->frame, sizeof request->frame,
        fences + request->header_bytes + bytes == 0 ? TCP_PART_REQUEST : TCP_PART_INNER);
    if (fences > 0)
        lay(stream, &stream->fences[(size_t)slot * stream->link->pairs], fences * sizeof(uint32_t),
            request->header_bytes + bytes == 0 ? TCP_PART_REQUEST : TCP_PART_INNER);
    if (request->header_bytes > 0)
        lay(stream, stream->headers + (size_t)slot * WEIR_HEADER_BYTES, request->header_bytes,
            bytes == 0 ? TCP_PART_REQUEST : TCP_PART_INNER);
    if (bytes > 0)
        lay(stream, request->data, bytes, TCP_PART_REQUEST);
}

static void lay_reply(struct tcp_stream *stream)
{
    struct tcp_reply *reply = &stream->replies[stream->reply_laid++ & stream->reply_mask];

    stream->told = reply->number;
    reply->frame.handled = htole32(reply->number);
    lay(stream, &reply->frame, sizeof reply->frame,
        reply->bytes == 0 ? TCP_PART_REPLY : TCP_PART_INNER);
    if (reply->bytes > 0)
        lay(stream, reply->data, reply->bytes, TCP_PART_REPLY);
}

static void lay_handled(struct tcp_stream *stream)
{
    stream->told = handled_so_far(stream);
    stream->handled_frame =
        (struct tcp_frame){.kind = TCP_HANDLED, .handled = htole32(stream->told)};
    stream->is_telling = true;
    lay(stream, &stream->handled_frame, sizeof stream->handled_frame, TCP_PART_HANDLED);
}

/* Fills the parts with what waits. A request has four of them at most. */
static void lay_out(struct tcp_stream *stream)
{
    if (stream->part_first > 0) {
        memmove(stream->parts, stream->parts + stream->part_first,
                stream->part_count * sizeof *stream->parts);
        memmove(stream->ends, stream->ends + stream->part_first,
                stream->part_count * sizeof *stream->ends);
        stream->part_first = 0;
    }
    while (stream->part_count + 4 <= TCP_PARTS && stream->part_bytes < LAID_BYTES) {
        bool has_request = stream->laid != stream->posted;
        bool has_reply = stream->reply_laid != stream->replied;

        if (!has_request && !has_reply)
            break;
        stream->is_reply_turn = !has_request || (has_reply && !stream->is_reply_turn);
        if (stream->is_reply_turn)
            lay_reply(stream);
        else
            lay_request(stream);
    }
    if (stream->part_count == 0 && weir_tcp_owes(stream) && !stream->is_telling)
        lay_handled(stream);
}

bool weir_tcp_owes(const struct tcp_stream *stream)
{
    return stream->told != stream->handled;
}

/* ---- sending ---- */

static void count_sent(struct tcp_stream *stream, uint64_t bytes)
{
    stream->part_bytes -= bytes;
    while (stream->part_count > 0 && bytes >= stream->parts[stream->part_first].iov_len) {
        enum tcp_part end = stream->ends[stream->part_first];

        bytes -= stream->parts[stream->part_first].iov_len;
        stream->part_first++;
        stream->part_count--;
        stream->sent += end == TCP_PART_REQUEST;
        stream->reply_sent += end == TCP_PART_REPLY;
        if (end == TCP_PART_HANDLED)
            stream->is_telling = false;
    }
    if (bytes > 0) {
        struct iovec *part = &stream->parts[stream->part_first];

        part->iov_base = (unsigned char *)part->iov_base + bytes;
        part->iov_len -= bytes;
    }
}

void weir_tcp_transmit(struct tcp_stream *stream)
{
    while (stream->is_writable) {
        struct msghdr message = {0};
        ssize_t sent;

        lay_out(stream);
        if (stream->part_count == 0)
            return;
        message.msg_iov = stream->parts + stream->part_first;
        message.msg_iovlen = stream->part_count;
        sent = sendmsg(stream->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN) {
            weir_link_lose(&stream->link->link, -errno);
            return;
        }
        /* What was not taken will be when epoll says so. */
        stream->is_writable = sent >= 0 && (uint64_t)sent == stream->part_bytes;
        if (sent > 0) {
            stream->link->activity++;
            count_sent(stream, (uint64_t)sent);
        }
    }
}

int weir_tcp_reply(struct tcp_stream *stream, enum tcp_kind kind, unsigned char *data,
                   uint64_t bytes)
{
    struct tcp_reply *reply = &stream->replies[stream->replied & stream->reply_mask];

    if (stream->replied - stream->reply_sent > stream->reply_mask)
        return -EPROTO;
    *reply = (struct tcp_reply){
        .frame = {.kind = (uint8_t)kind, .bytes = htole64(bytes)},
        .number = ++stream->handled,
        .data = data,
        .bytes = kind == TCP_DATA ? bytes : 0,
    };
    stream->replied++;
    return 0;
}

/* ---- posting ---- */

/* A READ or a message sees what was written before it, on whichever stream that went. */
static uint16_t set_fences(struct tcp_link *link, const struct tcp_stream *stream, uint32_t *fences)
{
    bool is_needed = false;

    for (unsigned i = 0; i < link->pairs; i++) {
        const struct tcp_stream *other = &link->streams[i];
        bool is_open = !tcp_reaches(other->acknowledged, other->last_write);

        fences[i] = htole32(is_open ? other->last_write : other->acknowledged);
        is_needed = is_needed || (is_open && other != stream);
    }
    return is_needed ? (uint16_t)link->pairs : 0;
}

static void put_request(struct tcp_stream *stream, const struct weir_wire *wire)
{
    static const uint8_t kinds[] = {
        [WEIR_WIRE_WRITE] = TCP_WRITE, [WEIR_WIRE_READ] = TCP_READ, [WEIR_WIRE_SEND] = TCP_SEND};
    uint32_t slot = stream->posted & stream->request_mask;
    struct tcp_request *request = &stream->requests[slot];

    *request = (struct tcp_request){
        .frame = {.kind = kinds[wire->verb], .bytes = htole64(wire->bytes + wire->header_bytes)},
        .verb = wire->verb,
        .header_bytes = wire->header_bytes,
        /* Until its data have come: a count alone does not make a READ. */
        .result = wire->verb == WEIR_WIRE_READ ? -EPROTO : 0,
        .data = wire->data,
        .bytes = wire->bytes,
        .context = wire->context,
    };
    if (wire->verb != WEIR_WIRE_SEND) {
        request->frame.address = htole64(wire->remote_address);
        request->frame.key = htole64(wire->remote->key);
    }
    if (wire->header_bytes > 0)
        memcpy(stream->headers + (size_t)slot * WEIR_HEADER_BYTES, wire->header,
               wire->header_bytes);
    if (wire->verb != WEIR_WIRE_WRITE && stream->link->pairs > 1)
        request->frame.fences = htole16(
            set_fences(stream->link, stream, &stream->fences[(size_t)slot * stream->link->pairs]));
    stream->posted++;
    if (wire->verb == WEIR_WIRE_WRITE)
        stream->last_write = stream->posted;
}

/* The one with the fewest wires under way; messages keep their order on the first. */
static struct tcp_stream *choose(struct tcp_link *link, const struct weir_wire *wire)
{
    struct tcp_stream *best = &link->streams[link->next_stream];

    if (wire->verb == WEIR_WIRE_SEND)
        return &link->streams[0];
    for (unsigned i = 1; i < link->pairs; i++) {
        struct tcp_stream *stream = &link->streams[(link->next_stream + i) % link->pairs];

        if (stream->posted - stream->settled < best->posted - best->settled)
            best = stream;
    }
    link->next_stream = (best->index + 1) % link->pairs;
    return best;
}

int weir_tcp_post(struct weir_link *link, const struct weir_wire wires[], unsigned count)
{
    struct tcp_link *tcp = (struct tcp_link *)link;
    uint64_t touched = 0;

    for (unsigned i = 0; i < count; i++) {
        struct tcp_stream *stream = choose(tcp, &wires[i]);

        assert(stream->posted - stream->settled <= stream->request_mask);
        put_request(stream, &wires[i]);
        touched |= UINT64_C(1) << stream->index;
    }
    for (unsigned i = 0; i < tcp->pairs; i++) {
        if (touched >> i & 1)
            weir_tcp_transmit(&tcp->streams[i]);
    }
    return (int)count;
}

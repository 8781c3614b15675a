/* SPDX-License-Identifier: Apache-2.0 */
/* What goes out on a link: requests and answers take turns, and many go with one call. */
#include "tcp.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Enough for one call: the kernel takes no more at a time from most callers. */
#define LAID_BYTES (4 << 20)

/* ---- laying out ---- */

static void lay(struct tcp_link *link, void *data, uint64_t bytes, enum tcp_part end)
{
    unsigned place = link->part_first + link->part_count;

    assert(place < TCP_PARTS);
    link->parts[place] = (struct iovec){data, bytes};
    link->ends[place] = (uint8_t)end;
    link->part_count++;
    link->part_bytes += bytes;
}

/* What may be told as handled: not beyond an answer that has not gone yet. */
static uint32_t handled_so_far(const struct tcp_link *link)
{
    if (link->reply_laid != link->replied)
        return link->replies[link->reply_laid & link->reply_mask].number - 1;
    return link->handled;
}

static void lay_request(struct tcp_link *link)
{
    uint32_t slot = link->laid++ & link->request_mask;
    struct tcp_request *request = &link->requests[slot];
    uint64_t bytes = request->verb == WEIR_WR_READ ? 0 : request->bytes;

    link->told = handled_so_far(link);
    request->frame.handled = htole32(link->told);
    lay(link, &request->frame, sizeof request->frame,
        request->header_bytes + bytes == 0 ? TCP_PART_REQUEST : TCP_PART_INNER);
    if (request->header_bytes > 0)
        lay(link, link->headers + (size_t)slot * WEIR_HEADER_BYTES, request->header_bytes,
            bytes == 0 ? TCP_PART_REQUEST : TCP_PART_INNER);
    if (bytes > 0)
        lay(link, request->data, bytes, TCP_PART_REQUEST);
}

static void lay_reply(struct tcp_link *link)
{
    struct tcp_reply *reply = &link->replies[link->reply_laid++ & link->reply_mask];

    link->told = reply->number;
    reply->frame.handled = htole32(reply->number);
    lay(link, &reply->frame, sizeof reply->frame,
        reply->bytes == 0 ? TCP_PART_REPLY : TCP_PART_INNER);
    if (reply->bytes > 0)
        lay(link, reply->data, reply->bytes, TCP_PART_REPLY);
}

static void lay_handled(struct tcp_link *link)
{
    link->told = handled_so_far(link);
    link->handled_frame = (struct tcp_frame){.kind = TCP_HANDLED, .handled = htole32(link->told)};
    link->is_telling = true;
    lay(link, &link->handled_frame, sizeof link->handled_frame, TCP_PART_HANDLED);
}

/* Fills the parts with what waits. A request has three of them at most. */
static void lay_out(struct tcp_link *link)
{
    if (link->part_first > 0) {
        memmove(link->parts, link->parts + link->part_first,
                link->part_count * sizeof *link->parts);
        memmove(link->ends, link->ends + link->part_first, link->part_count * sizeof *link->ends);
        link->part_first = 0;
    }
    while (link->part_count + 3 <= TCP_PARTS && link->part_bytes < LAID_BYTES) {
        bool has_request = link->laid != link->posted;
        bool has_reply = link->reply_laid != link->replied;

        if (!has_request && !has_reply)
            break;
        link->is_reply_turn = !has_request || (has_reply && !link->is_reply_turn);
        if (link->is_reply_turn)
            lay_reply(link);
        else
            lay_request(link);
    }
    if (link->part_count == 0 && weir_tcp_owes(link) && !link->is_telling)
        lay_handled(link);
}

bool weir_tcp_owes(const struct tcp_link *link)
{
    return link->told != link->handled;
}

/* ---- sending ---- */

static void count_sent(struct tcp_link *link, uint64_t bytes)
{
    link->part_bytes -= bytes;
    while (link->part_count > 0 && bytes >= link->parts[link->part_first].iov_len) {
        enum tcp_part end = link->ends[link->part_first];

        bytes -= link->parts[link->part_first].iov_len;
        link->part_first++;
        link->part_count--;
        link->sent += end == TCP_PART_REQUEST;
        link->reply_sent += end == TCP_PART_REPLY;
        if (end == TCP_PART_HANDLED)
            link->is_telling = false;
    }
    if (bytes > 0) {
        struct iovec *part = &link->parts[link->part_first];

        part->iov_base = (unsigned char *)part->iov_base + bytes;
        part->iov_len -= bytes;
    }
}

void weir_tcp_transmit(struct tcp_link *link)
{
    while (link->is_writable) {
        struct msghdr message = {0};
        ssize_t sent;

        lay_out(link);
        if (link->part_count == 0)
            return;
        message.msg_iov = link->parts + link->part_first;
        message.msg_iovlen = link->part_count;
        sent = sendmsg(link->base.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN) {
            weir_link_lose(&link->base, -errno);
            return;
        }
        /* What was not taken will be when epoll says so. */
        link->is_writable = sent >= 0 && (uint64_t)sent == link->part_bytes;
        if (sent > 0) {
            link->activity++;
            count_sent(link, (uint64_t)sent);
        }
    }
}

int weir_tcp_reply(struct tcp_link *link, enum tcp_kind kind, unsigned char *data, uint64_t bytes)
{
    struct tcp_reply *reply = &link->replies[link->replied & link->reply_mask];

    if (link->replied - link->reply_sent > link->reply_mask)
        return -EPROTO;
    *reply = (struct tcp_reply){
        .frame = {.kind = (uint8_t)kind, .bytes = htole64(bytes)},
        .number = ++link->handled,
        .data = data,
        .bytes = kind == TCP_DATA ? bytes : 0,
    };
    link->replied++;
    return 0;
}

/* ---- posting ---- */

static void put_request(struct tcp_link *link, const struct weir_wr *wr)
{
    static const uint8_t kinds[] = {
        [WEIR_WR_WRITE] = TCP_WRITE, [WEIR_WR_READ] = TCP_READ, [WEIR_WR_SEND] = TCP_SEND};
    uint32_t slot = link->posted & link->request_mask;
    struct tcp_request *request = &link->requests[slot];

    *request = (struct tcp_request){
        .frame = {.kind = kinds[wr->verb], .bytes = htole64(wr->bytes + wr->header_bytes)},
        .verb = wr->verb,
        .header_bytes = wr->header_bytes,
        /* Until its data have come: a count alone does not make a READ. */
        .result = wr->verb == WEIR_WR_READ ? -EPROTO : 0,
        .data = wr->data,
        .bytes = wr->bytes,
        .context = wr->context,
    };
    if (wr->verb != WEIR_WR_SEND) {
        request->frame.address = htole64(wr->remote_address);
        request->frame.key = htole64(wr->remote->key);
    }
    if (wr->header_bytes > 0)
        memcpy(link->headers + (size_t)slot * WEIR_HEADER_BYTES, wr->header, wr->header_bytes);
    link->posted++;
}

int weir_tcp_post(struct weir_link *base, const struct weir_wr wrs[], unsigned count, bool waits)
{
    struct tcp_link *link = (struct tcp_link *)base;

    (void)waits;
    for (unsigned i = 0; i < count; i++) {
        assert(link->posted - link->settled <= link->request_mask);
        put_request(link, &wrs[i]);
    }
    weir_tcp_transmit(link);
    return (int)count;
}

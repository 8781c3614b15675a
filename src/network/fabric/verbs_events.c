/* SPDX-License-Identifier: Apache-2.0 */
/* What the device reports of itself, and links that are lost because of it. */
#include "verbs.h"

#include "weir/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

/* ---- losing links ---- */

void weir_verbs_lose(struct weir_verbs_link *link, int code, const struct ibv_wc *completion)
{
    /* A peer that goes in peace leaves no more than this. */
    if (completion != NULL && link->base.state == WEIR_LINK_UP &&
        completion->status != IBV_WC_WR_FLUSH_ERR)
        weir_log(WEIR_LOG_WARNING, "verbs: %s: %s (%s, vendor's code 0x%x)", link->base.peer,
                 weir_verbs_status_text(completion->status), ibv_wc_status_str(completion->status),
                 completion->vendor_err);
    weir_link_lose(&link->base, code);
}

void weir_verbs_lose_all(struct weir_verbs_fabric *fabric, int code)
{
    for (unsigned i = 0; i < fabric->places; i++)
        if (fabric->table[i].link != NULL)
            weir_verbs_lose(fabric->table[i].link, code, NULL);
}

/* Queue pairs are created with their link as context. */
static void lose_pair(const struct ibv_qp *qp, int code)
{
    if (qp->qp_context != NULL)
        weir_verbs_lose(qp->qp_context, code, NULL);
}

static void take_async(struct weir_verbs_fabric *fabric, const struct ibv_async_event *event)
{
    switch (event->event_type) {
    case IBV_EVENT_DEVICE_FATAL:
        weir_log(WEIR_LOG_ERROR, "verbs: the device %s has failed; dmesg tells more",
                 fabric->base.facts.device);
        fabric->is_broken = true;
        weir_verbs_lose_all(fabric, -ENODEV);
        break;
    case IBV_EVENT_PORT_ERR:
        /* Links outlive a short one: those with requests fail when their retries are used up. */
        if (event->element.port_num == fabric->port)
            weir_log(WEIR_LOG_WARNING,
                     "verbs: port %s went down: look at cable, switch and network device",
                     fabric->base.facts.device);
        break;
    case IBV_EVENT_CQ_ERR:
        weir_log(WEIR_LOG_ERROR, "verbs: a completion queue of %s ran over",
                 fabric->base.facts.device);
        fabric->is_broken = true;
        weir_verbs_lose_all(fabric, -EOVERFLOW);
        break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
        lose_pair(event->element.qp, -EIO);
        break;
    case IBV_EVENT_QP_ACCESS_ERR:
        lose_pair(event->element.qp, -EACCES);
        break;
    default: /* the rest is news that changes nothing here */
        break;
    }
}

static void async_progress(struct weir_verbs_fabric *fabric)
{
    struct ibv_async_event event;

    /* A failed device may be reported once only: acknowledged first, since closing what it is
     * about waits for that. */
    while (ibv_get_async_event(fabric->context, &event) == 0) {
        struct ibv_async_event copy = event;

        ibv_ack_async_event(&event);
        take_async(fabric, &copy);
    }
}

/* ---- descriptors ---- */

static void completion_progress(struct weir_verbs_fabric *fabric)
{
    struct ibv_cq *cq;
    void *context;

    while (ibv_get_cq_event(fabric->channel, &cq, &context) == 0)
        ibv_ack_cq_events(cq, 1);
}

void weir_verbs_events_progress(struct weir_verbs_fabric *fabric)
{
    fabric->has_event = false;
    completion_progress(fabric);
    async_progress(fabric);
}

void weir_verbs_woken(struct weir_fabric *base, void *context, uint32_t events)
{
    (void)context;
    (void)events;
    weir_verbs_fabric_of(base)->has_event = true;
}

static int watch(struct weir_verbs_fabric *fabric, int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return -errno;
    return weir_fabric_watch(&fabric->base, fd, fabric, EPOLLIN);
}

int weir_verbs_watch(struct weir_verbs_fabric *fabric)
{
    int code;

    if (fabric->is_watched)
        return 0;
    code = watch(fabric, fabric->channel->fd);

    if (code == 0)
        code = watch(fabric, fabric->context->async_fd);
    fabric->is_watched = code == 0;
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Wire-up by rdma_cm, which iWARP needs: the socket has proven who is there, then each queue pair
 * is connected by address, and shows a token that only the card knew. */
#include "verbs.h"

#include "weir/base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SETTLE_NS 30000000
#define PORTS_TRIED 16
#define BACKLOG 256
#define RECEIVER_RETRIES 6
#define ATTEMPTS 16
#define PRIVATE_BYTES 10 /* the token and the number of the lane */

/* ---- addresses ---- */

static bool is_wanted(const struct ifaddrs *entry, const char *interface)
{
    char text[INET6_ADDRSTRLEN] = "";

    if (entry->ifa_addr == NULL || (entry->ifa_flags & IFF_LOOPBACK) != 0)
        return false;
    if (entry->ifa_addr->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)entry->ifa_addr)->sin_addr,
                  text, sizeof text);
    else if (entry->ifa_addr->sa_family == AF_INET6)
        inet_ntop(AF_INET6,
                  &((const struct sockaddr_in6 *)(const void *)entry->ifa_addr)->sin6_addr, text,
                  sizeof text);
    if (text[0] == '\0' || strncmp(text, "fe80:", 5) == 0)
        return false;
    return interface == NULL || strcmp(interface, entry->ifa_name) == 0 ||
           strcmp(interface, text) == 0;
}

/* An id bound to an address of the device; NULL: none of this node's addresses is. `port` 0: any.
 */
static struct rdma_cm_id *bind_to(struct rdma_event_channel *channel, const char *device,
                                  unsigned port, const char *interface)
{
    struct rdma_cm_id *id = NULL;
    struct ifaddrs *list;

    if (getifaddrs(&list) < 0)
        return NULL;
    for (const struct ifaddrs *entry = list; entry != NULL; entry = entry->ifa_next) {
        if (!is_wanted(entry, interface) || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) != 0)
            continue;
        /* Ports of interfaces are 0: any port will be given. */
        if (rdma_bind_addr(id, entry->ifa_addr) == 0 && id->verbs != NULL &&
            strcmp(ibv_get_device_name(id->verbs->device), device) == 0 &&
            (port == 0 || id->port_num == port))
            break;
        rdma_destroy_id(id);
        id = NULL;
    }
    freeifaddrs(list);
    return id;
}

static void write_address(const struct sockaddr *address, uint8_t out[16])
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};

    if (address->sa_family == AF_INET6) {
        memcpy(out, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
        return;
    }
    memcpy(out, prefix, sizeof prefix);
    memcpy(out + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
}

static void read_address(const struct weir_verbs_card *card, struct sockaddr_storage *out)
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;

    memset(out, 0, sizeof *out);
    if (memcmp(card->cm_address, prefix, sizeof prefix) == 0) {
        four->sin_family = AF_INET;
        four->sin_port = htons(card->cm_port);
        memcpy(&four->sin_addr, card->cm_address + 12, 4);
    } else {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(card->cm_port);
        memcpy(&six->sin6_addr, card->cm_address, 16);
    }
}

static void address_text(struct rdma_cm_id *id, char *text, size_t bytes)
{
    const struct sockaddr *address = rdma_get_local_addr(id);

    if (address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, text,
                  (socklen_t)bytes);
    else
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, text,
                  (socklen_t)bytes);
}

bool weir_verbs_cm_address(const char *device, char *text, size_t bytes)
{
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *id = channel != NULL ? bind_to(channel, device, 0, NULL) : NULL;

    if (id != NULL) {
        address_text(id, text, bytes);
        rdma_destroy_id(id);
    }
    if (channel != NULL)
        rdma_destroy_event_channel(channel);
    return id != NULL;
}

/* ---- opening ---- */

int weir_verbs_cm_open(struct weir_verbs_fabric *fabric, const char *interface,
                       struct weir_error *error)
{
    char device[64];

    snprintf(device, sizeof device, "%s", ibv_get_device_name(fabric->context->device));
    fabric->cm = rdma_create_event_channel();
    if (fabric->cm == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, errno != 0 ? -errno : -ENODEV, "verbs",
                              "rdma_cm cannot be used: %s; as root: modprobe rdma_ucm; in "
                              "containers, /dev/infiniband/rdma_cm is needed",
                              strerror(errno));
    /* The door may be on another network than the device. */
    if (interface != NULL)
        fabric->listener = bind_to(fabric->cm, device, fabric->port, interface);
    if (fabric->listener == NULL)
        fabric->listener = bind_to(fabric->cm, device, fabric->port, NULL);
    if (fabric->listener == NULL)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EADDRNOTAVAIL, "verbs",
                              "rdma_cm finds %s/%u under no address of this node: give the network "
                              "device behind it an IP address%s",
                              device, fabric->port,
                              fabric->is_iwarp ? "" : ", or let the socket wire up (socket)");
    /* A queue pair of rdma_cm lives in rdma_cm's context of the device: so does all the rest. */
    weir_verbs_device_close(fabric);
    fabric->context = fabric->listener->verbs;
    fabric->owns_context = false;
    return 0;
}

void weir_verbs_cm_close(struct weir_verbs_fabric *fabric)
{
    if (fabric->listener != NULL)
        rdma_destroy_id(fabric->listener);
    if (fabric->cm != NULL)
        rdma_destroy_event_channel(fabric->cm);
    fabric->listener = NULL;
    fabric->cm = NULL;
}

void weir_verbs_cm_text(const struct weir_verbs_fabric *fabric, char *text, size_t bytes)
{
    address_text(fabric->listener, text, bytes);
}

/* The device's, with any port. */
static void own_address(const struct weir_verbs_fabric *fabric, struct sockaddr_storage *address)
{
    const struct sockaddr *bound = rdma_get_local_addr(fabric->listener);

    memset(address, 0, sizeof *address);
    memcpy(address, bound,
           bound->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
    /* The port is at the same place in both families. */
    ((struct sockaddr_in *)address)->sin_port = 0;
}

/* Bound to the same address as the listener, and to another port. NULL: there is none. */
static struct rdma_cm_id *bind_beside(const struct weir_verbs_fabric *fabric)
{
    struct sockaddr_storage address;
    struct rdma_cm_id *id = NULL;

    own_address(fabric, &address);
    if (rdma_create_id(fabric->cm, &id, NULL, RDMA_PS_TCP) != 0)
        return NULL;
    if (rdma_bind_addr(id, (struct sockaddr *)&address) == 0)
        return id;
    rdma_destroy_id(id);
    return NULL;
}

/* rdma_cm gives ports of its own; where connections are those of TCP, as on software iWARP, such a
 * port may be taken. 0 or -errno. */
static int listen_somewhere(struct weir_verbs_fabric *fabric)
{
    for (unsigned i = 0; rdma_listen(fabric->listener, BACKLOG) != 0; i++) {
        int code = errno != 0 ? -errno : -EIO;
        struct rdma_cm_id *other =
            code == -EADDRINUSE && i < PORTS_TRIED ? bind_beside(fabric) : NULL;

        if (other == NULL)
            return code;
        rdma_destroy_id(fabric->listener);
        fabric->listener = other;
    }
    return 0;
}

int weir_verbs_cm_listen(struct weir_verbs_fabric *fabric, struct weir_verbs_card *card)
{
    int code = fabric->is_listening ? 0 : listen_somewhere(fabric);

    if (code < 0)
        return code;
    fabric->is_listening = true;
    card->cm_port = ntohs(rdma_get_src_port(fabric->listener));
    write_address(rdma_get_local_addr(fabric->listener), card->cm_address);
    return 0;
}

/* ---- connecting ---- */

static int timeout_ms(const struct weir_verbs_fabric *fabric)
{
    uint64_t milliseconds = fabric->settings.timeout_ns / 1000000;

    return milliseconds == 0 ? 1 : milliseconds > 60000 ? 60000 : (int)milliseconds;
}

/* Begins with one queue pair: an id, and where it leads. */
static int begin_lane(struct weir_verbs_lane *lane, struct sockaddr *to)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(lane->link);
    uint8_t traffic_class = (uint8_t)fabric->settings.traffic_class;
    struct sockaddr_storage from;

    own_address(fabric, &from);
    if (rdma_create_id(fabric->cm, &lane->id, lane, RDMA_PS_TCP) != 0) {
        lane->id = NULL;
        return errno != 0 ? -errno : -EIO;
    }
    if (traffic_class > 0 && rdma_set_option(lane->id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS,
                                             &traffic_class, sizeof traffic_class) != 0)
        return errno != 0 ? -errno : -EIO;
    if (rdma_resolve_addr(lane->id, (struct sockaddr *)&from, to, timeout_ms(fabric)) != 0)
        return errno != 0 ? -errno : -EIO;
    return 0;
}

int weir_verbs_cm_connect(struct weir_verbs_link *link, const struct weir_verbs_card *card)
{
    struct sockaddr_storage to;

    read_address(card, &to);
    link->token = card->token;
    for (unsigned i = 0; i < link->lane_count; i++) {
        int code = begin_lane(&link->lanes[i], (struct sockaddr *)&to);

        if (code < 0)
            return code;
    }
    return -EINPROGRESS;
}

/* Software iWARP connects by TCP from a port that rdma_cm has chosen without asking TCP: where that
 * is taken, another one is tried. */
static int begin_lane_again(struct weir_verbs_lane *lane)
{
    struct sockaddr_storage to;
    int code;

    memcpy(&to, &lane->id->route.addr.dst_storage, sizeof to);
    if (lane->qp != NULL)
        rdma_destroy_qp(lane->id);
    lane->qp = NULL;
    rdma_destroy_id(lane->id);
    lane->id = NULL;
    /* Its receives are flushed, and must not be taken for those of the next. */
    code = weir_verbs_lane_renew(lane);
    /* Without room for another pair, what was in the way of this one is the cause. */
    if (code < 0)
        return code == -EAGAIN ? -EADDRINUSE : code;
    return begin_lane(lane, (struct sockaddr *)&to);
}

static int create_pair(struct weir_verbs_lane *lane)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(lane->link);
    struct ibv_qp_init_attr wish;
    uint8_t exponent = (uint8_t)fabric->settings.timeout_exponent;

    if (lane->id->verbs != fabric->context)
        return -EXDEV;
    weir_verbs_pair_wish(lane->link, lane, &wish);
    if (rdma_create_qp(lane->id, fabric->pd, &wish) != 0) {
        if (errno != EINVAL)
            return errno != 0 ? -errno : -EIO;
        weir_verbs_pair_wish(lane->link, lane, &wish);
        wish.cap.max_inline_data = 0;
        if (rdma_create_qp(lane->id, fabric->pd, &wish) != 0)
            return errno != 0 ? -errno : -EIO;
    }
    lane->qp = lane->id->qp;
    /* iWARP has no such time-out: TCP has its own. */
    rdma_set_option(lane->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &exponent,
                    sizeof exponent);
    return weir_verbs_lane_begin(lane, &wish);
}

static void fill_terms(const struct weir_verbs_link *link, struct rdma_conn_param *terms)
{
    *terms = (struct rdma_conn_param){
        .responder_resources = link->reads.theirs,
        .initiator_depth = link->reads.ours,
        .retry_count = (uint8_t)weir_verbs_home(link)->settings.retry_count,
        .rnr_retry_count = RECEIVER_RETRIES,
    };
}

static int connect_lane(struct weir_verbs_lane *lane)
{
    struct rdma_conn_param terms;
    unsigned char shown[PRIVATE_BYTES];
    unsigned number = (unsigned)(lane - lane->link->lanes);
    int code = create_pair(lane);

    if (code < 0)
        return code;
    fill_terms(lane->link, &terms);
    for (unsigned i = 0; i < 8; i++)
        shown[i] = (unsigned char)(lane->link->token >> 8 * i);
    shown[8] = (unsigned char)number;
    shown[9] = 0;
    terms.private_data = shown;
    terms.private_data_len = sizeof shown;
    return rdma_connect(lane->id, &terms) == 0 ? 0 : errno != 0 ? -errno : -EIO;
}

static int connect_lane_anywhere(struct weir_verbs_lane *lane)
{
    int code = connect_lane(lane);

    return code == -EADDRINUSE && ++lane->attempts < ATTEMPTS ? begin_lane_again(lane) : code;
}

/* ---- being connected to ---- */

static struct weir_verbs_lane *find_expected(const struct weir_verbs_fabric *fabric,
                                             const unsigned char shown[PRIVATE_BYTES])
{
    uint64_t token = 0;

    for (unsigned i = 0; i < 8; i++)
        token |= (uint64_t)shown[i] << 8 * i;
    for (unsigned i = 0; i < fabric->places; i++) {
        struct weir_verbs_lane *lane = fabric->table[i];

        if (lane != NULL && lane->link->base.is_incoming && lane->link->token == token &&
            lane == &lane->link->lanes[shown[8] % WEIR_VERBS_LANES] && lane->id == NULL &&
            !lane->link->is_cut)
            return lane;
    }
    return NULL;
}

static void take_request(struct weir_verbs_fabric *fabric, struct rdma_cm_id *id,
                         const unsigned char shown[PRIVATE_BYTES], bool is_complete)
{
    struct weir_verbs_lane *lane = is_complete ? find_expected(fabric, shown) : NULL;
    struct rdma_conn_param terms;
    int code;

    /* A stranger learns nothing. */
    if (lane == NULL) {
        rdma_reject(id, NULL, 0);
        rdma_destroy_id(id);
        return;
    }
    lane->id = id;
    id->context = lane;
    code = create_pair(lane);
    if (code == 0) {
        fill_terms(lane->link, &terms);
        code = rdma_accept(id, &terms) == 0 ? 0 : errno != 0 ? -errno : -EIO;
    }
    if (code < 0) {
        weir_log(WEIR_LOG_WARNING, "verbs: %s: a connection of rdma_cm cannot be accepted: %s",
                 lane->link->base.peer, strerror(-code));
        weir_verbs_lose(lane->link, code, NULL);
    }
}

/* ---- events ---- */

static const struct {
    int code;
    const char *text;
} troubles[] = {
    [RDMA_CM_EVENT_ADDR_ERROR] = {-EADDRNOTAVAIL, "the address of the peer belongs to no RDMA "
                                                  "device that is reached from this one"},
    [RDMA_CM_EVENT_ROUTE_ERROR] = {-ENETUNREACH, "there is no route to the peer"},
    [RDMA_CM_EVENT_CONNECT_ERROR] = {-ECONNABORTED, "the connection could not be finished"},
    [RDMA_CM_EVENT_UNREACHABLE] = {-EHOSTUNREACH, "the peer does not answer: is a firewall in the "
                                                  "way, of UDP port 4791 for RoCE?"},
    [RDMA_CM_EVENT_REJECTED] = {-ECONNREFUSED, "the peer does not want the connection: it gave up "
                                               "meanwhile, or its device has no room for more"},
    [RDMA_CM_EVENT_DISCONNECTED] = {-ECONNRESET, "the peer has disconnected"},
    [RDMA_CM_EVENT_DEVICE_REMOVAL] = {-ENODEV, "the device was removed"},
};

int weir_verbs_cm_event_code(enum rdma_cm_event_type type)
{
    return (size_t)type < sizeof troubles / sizeof *troubles ? troubles[type].code : 0;
}

const char *weir_verbs_cm_event_text(enum rdma_cm_event_type type)
{
    return weir_verbs_cm_event_code(type) != 0 ? troubles[type].text : rdma_event_str(type);
}

static void take_trouble(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane,
                         enum rdma_cm_event_type type)
{
    int code = weir_verbs_cm_event_code(type);

    if (code == 0)
        return;
    if (type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
        fabric->is_broken = true;
        weir_verbs_lose_all(fabric, code);
        return;
    }
    if (lane == NULL)
        return;
    if (type != RDMA_CM_EVENT_DISCONNECTED)
        weir_log(WEIR_LOG_WARNING, "verbs: %s: rdma_cm: %s", lane->link->base.peer,
                 weir_verbs_cm_event_text(type));
    weir_verbs_lose(lane->link, code, NULL);
}

/* The peer may still hold what its receiver needs: siw of Linux 6.1 then leaves lying what comes
 * first, until something comes after it. */
static void let_peer_settle(const struct weir_verbs_link *link)
{
    const struct timespec moment = {.tv_nsec = SETTLE_NS};

    if (link->is_iwarp)
        nanosleep(&moment, NULL);
}

static void take_step(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane,
                      enum rdma_cm_event_type type)
{
    struct weir_verbs_link *link = lane->link;
    int code = 0;

    if (type == RDMA_CM_EVENT_ADDR_RESOLVED)
        code = rdma_resolve_route(lane->id, timeout_ms(fabric)) == 0 ? 0 : -errno;
    else if (type == RDMA_CM_EVENT_ROUTE_RESOLVED)
        code = connect_lane_anywhere(lane);
    else if (type == RDMA_CM_EVENT_ESTABLISHED && !link->base.is_incoming &&
             ++link->established == link->lane_count) {
        let_peer_settle(link);
        weir_door_link_is_up(&link->base);
    }
    if (code < 0) {
        weir_log(WEIR_LOG_WARNING, "verbs: %s: rdma_cm: after %s: %s", link->base.peer,
                 rdma_event_str(type), strerror(-code));
        weir_verbs_lose(link, code, NULL);
    }
}

static void take_event(struct weir_verbs_fabric *fabric, struct rdma_cm_event *event)
{
    enum rdma_cm_event_type type = event->event;
    struct rdma_cm_id *id = event->id;
    unsigned char shown[PRIVATE_BYTES] = {0};
    bool is_complete = type == RDMA_CM_EVENT_CONNECT_REQUEST &&
                       event->param.conn.private_data_len >= PRIVATE_BYTES;

    if (is_complete)
        memcpy(shown, event->param.conn.private_data, PRIVATE_BYTES);
    /* An id can only be destroyed when its events are acknowledged. */
    rdma_ack_cm_event(event);
    if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
        take_request(fabric, id, shown, is_complete);
    } else if (id->context == NULL) {
        take_trouble(fabric, NULL, type);
    } else if (weir_verbs_cm_event_code(type) != 0) {
        take_trouble(fabric, id->context, type);
    } else {
        take_step(fabric, id->context, type);
    }
}

void weir_verbs_cm_progress(struct weir_verbs_fabric *fabric)
{
    struct rdma_cm_event *event;

    while (rdma_get_cm_event(fabric->cm, &event) == 0)
        take_event(fabric, event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Wire-up by rdma_cm: what it reports, step by step, and all that it can refuse. */
#include <arpa/inet.h>

#include "verbs_bed.h"

#include <ifaddrs.h>
#include <net/if.h>

static const struct weir_provider *const verbs = &weir_provider_verbs;

/* ---- a made-up rdma_cm ---- */

static struct rdma_cm_id *ids[16]; /* that are open, in the order of opening */
static unsigned id_count;
static bool is_elsewhere; /* the address belongs to another device */

int __wrap_getifaddrs(struct ifaddrs **list);
WRAPPED int __wrap_getifaddrs(struct ifaddrs **list)
{
    static struct sockaddr_in address;
    static struct ifaddrs entry;
    static char name[] = "eth0";

    if (fails("getifaddrs"))
        return -1;
    address.sin_family = AF_INET;
    inet_pton(AF_INET, "10.0.0.7", &address.sin_addr);
    entry = (struct ifaddrs){
        .ifa_name = name, .ifa_addr = (struct sockaddr *)&address, .ifa_flags = IFF_UP};
    *list = &entry;
    return 0;
}

void __wrap_freeifaddrs(struct ifaddrs *list);
WRAPPED void __wrap_freeifaddrs(struct ifaddrs *list)
{
    (void)list;
}

struct rdma_event_channel *__wrap_rdma_create_event_channel(void);
WRAPPED struct rdma_event_channel *__wrap_rdma_create_event_channel(void)
{
    return open_one("rdma_create_event_channel", sizeof(struct rdma_event_channel));
}

void __wrap_rdma_destroy_event_channel(struct rdma_event_channel *channel);
WRAPPED void __wrap_rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
    assert_int_equal(id_count, 0);
    close_one(channel);
}

int __wrap_rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
                          enum rdma_port_space space);
WRAPPED int __wrap_rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
                                  void *context, enum rdma_port_space space)
{
    assert_int_equal(space, RDMA_PS_TCP);
    assert_non_null(channel);
    *id = open_one("rdma_create_id", sizeof **id);
    if (*id == NULL)
        return -1;
    (*id)->context = context;
    ids[id_count++] = *id;
    return 0;
}

int __wrap_rdma_destroy_id(struct rdma_cm_id *id);
WRAPPED int __wrap_rdma_destroy_id(struct rdma_cm_id *id)
{
    unsigned at = 0;

    assert_null(id->qp);
    while (at < id_count && ids[at] != id)
        at++;
    assert_true(at < id_count);
    memmove(&ids[at], &ids[at + 1], (id_count - at - 1) * sizeof *ids);
    id_count--;
    return close_one(id);
}

int __wrap_rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address);
WRAPPED int __wrap_rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
    static struct ibv_device other = {.name = "other0"};
    static struct ibv_context elsewhere = {.device = &other};

    if (fails("rdma_bind_addr"))
        return -1;
    id->verbs = is_elsewhere ? &elsewhere : &made.context;
    id->port_num = 1;
    memcpy(&id->route.addr.src_addr, address, sizeof(struct sockaddr_in));
    return 0;
}

static const struct rdma_cm_id *listening;

int __wrap_rdma_listen(struct rdma_cm_id *id, int backlog);
WRAPPED int __wrap_rdma_listen(struct rdma_cm_id *id, int backlog)
{
    listening = id;
    assert_true(backlog > 0);
    made.listened++;
    return fails("rdma_listen") ? -1 : 0;
}

__be16 __wrap_rdma_get_src_port(struct rdma_cm_id *id);
WRAPPED __be16 __wrap_rdma_get_src_port(struct rdma_cm_id *id)
{
    (void)id;
    return htons(7471);
}

int __wrap_rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to,
                             int timeout_ms);
WRAPPED int __wrap_rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from,
                                     struct sockaddr *to, int timeout_ms)
{
    const struct sockaddr_in *place = (const struct sockaddr_in *)(const void *)to;

    assert_int_equal(((struct sockaddr_in *)(void *)from)->sin_port, 0);
    assert_int_equal(ntohs(place->sin_port), 7471);
    assert_int_equal(ntohl(place->sin_addr.s_addr), 0x0a000007);
    assert_int_equal(timeout_ms, 1000);
    id->verbs = &made.context;
    made.resolved_addresses++;
    return fails("rdma_resolve_addr") ? -1 : 0;
}

int __wrap_rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms);
WRAPPED int __wrap_rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
    (void)id;
    (void)timeout_ms;
    made.resolved_routes++;
    return fails("rdma_resolve_route") ? -1 : 0;
}

int __wrap_rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *wish);
WRAPPED int __wrap_rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd,
                                  struct ibv_qp_init_attr *wish)
{
    if (fails("rdma_create_qp"))
        return -1;
    id->qp = __wrap_ibv_create_qp(pd, wish);
    return id->qp != NULL ? 0 : -1;
}

void __wrap_rdma_destroy_qp(struct rdma_cm_id *id);
WRAPPED void __wrap_rdma_destroy_qp(struct rdma_cm_id *id)
{
    __wrap_ibv_destroy_qp(id->qp);
    id->qp = NULL;
}

int __wrap_rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *terms);
WRAPPED int __wrap_rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *terms)
{
    assert_non_null(id->qp);
    if (fails("rdma_connect"))
        return -1;
    made.terms = *terms;
    memcpy(made.shown, terms->private_data, terms->private_data_len);
    made.connected++;
    return 0;
}

int __wrap_rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *terms);
WRAPPED int __wrap_rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *terms)
{
    assert_non_null(id->qp);
    if (fails("rdma_accept"))
        return -1;
    made.terms = *terms;
    made.accepted++;
    return 0;
}

int __wrap_rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t bytes);
WRAPPED int __wrap_rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t bytes)
{
    (void)id;
    (void)data;
    assert_int_equal(bytes, 0);
    made.rejected++;
    return 0;
}

int __wrap_rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t bytes);
WRAPPED int __wrap_rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value,
                                   size_t bytes)
{
    (void)id;
    (void)level;
    (void)name;
    (void)value;
    (void)bytes;
    return -1; /* not every device has it */
}

int __wrap_rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
WRAPPED int __wrap_rdma_get_cm_event(struct rdma_event_channel *channel,
                                     struct rdma_cm_event **event)
{
    (void)channel;
    if (made.cm_taken == made.cm_count)
        return -1;
    *event = &made.cm[made.cm_taken++];
    return 0;
}

int __wrap_rdma_ack_cm_event(struct rdma_cm_event *event);
WRAPPED int __wrap_rdma_ack_cm_event(struct rdma_cm_event *event)
{
    memset(event, 0, sizeof *event);
    return 0;
}

/* ---- the bed ---- */

static struct weir_fabric *fabric;
static struct weir_link *links[2]; /* who connects, and who is connected to */

static void tell(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
    struct weir_event events[4];

    made.cm[0] = (struct rdma_cm_event){.id = id, .event = type};
    made.cm_count = 1;
    made.cm_taken = 0;
    verbs->woken(fabric, NULL, 0);
    assert_int_equal(verbs->progress(fabric, events, 4), 0);
}

/* A request to connect, with this at its head. */
static struct rdma_cm_id *ask(const unsigned char *shown, uint8_t bytes)
{
    struct rdma_cm_id *id = calloc(1, sizeof *id);
    struct weir_event events[4];

    assert_non_null(id);
    made.live++;
    ids[id_count++] = id;
    id->verbs = &made.context;
    made.cm[0] = (struct rdma_cm_event){.id = id, .event = RDMA_CM_EVENT_CONNECT_REQUEST};
    made.cm[0].param.conn.private_data = shown;
    made.cm[0].param.conn.private_data_len = bytes;
    made.cm_count = 1;
    made.cm_taken = 0;
    verbs->woken(fabric, NULL, 0);
    assert_int_equal(verbs->progress(fabric, events, 4), 0);
    return id;
}

static void open_fabric(unsigned pairs)
{
    struct weir_fabric_params params = standard();
    struct weir_error error = {0};

    params.wireup = WEIR_WIREUP_CM;
    params.pairs = pairs;
    if (verbs->open(&params, &fabric, &error) != 0)
        fail_msg("%s", error.text);
    fabric->provider = verbs;
    assert_int_equal(verbs->start(fabric, &error), 0);
}

static int join(void)
{
    struct weir_card cards[2];

    links[0] = links[1] = NULL;
    assert_int_equal(verbs->link_open(fabric, false, &links[0], &cards[0]), 0);
    assert_int_equal(verbs->link_open(fabric, true, &links[1], &cards[1]), 0);
    assert_int_equal(verbs->link_join(links[1], &cards[0]), 0);
    return verbs->link_join(links[0], &cards[1]);
}

static void part(void)
{
    for (unsigned i = 0; i < 2; i++)
        verbs->link_close(links[i]);
    verbs->close(fabric);
    assert_int_equal(made.live, 0);
    assert_int_equal(id_count, 0);
}

static struct rdma_cm_id *id_of(unsigned lane)
{
    return weir_verbs_link_of(links[0])->lanes[lane].id;
}

/* ---- wire-up ---- */

static void all_pairs_are_connected_before_the_link_is_up(void **state)
{
    (void)state;
    make_up();
    open_fabric(2);
    assert_string_equal(fabric->facts.address, "10.0.0.7");
    assert_int_equal(made.listened, 0);
    assert_int_equal(join(), -EINPROGRESS);
    assert_int_equal(made.listened, 1);
    assert_int_equal(made.resolved_addresses, 2);
    for (unsigned i = 0; i < 2; i++) {
        unsigned char shown[64];

        tell(id_of(i), RDMA_CM_EVENT_ADDR_RESOLVED);
        assert_int_equal(made.resolved_routes, i + 1);
        tell(id_of(i), RDMA_CM_EVENT_ROUTE_RESOLVED);
        assert_int_equal(made.connected, i + 1);
        assert_int_equal(made.terms.initiator_depth, 16);
        assert_int_equal(made.terms.responder_resources, 16);
        assert_int_equal(made.terms.retry_count, 7);
        assert_true(made.terms.rnr_retry_count < 7);
        /* The other end of it; some transports pad what is shown. */
        memcpy(shown, made.shown, sizeof shown);
        ask(shown, 56);
        assert_int_equal(made.accepted, i + 1);
        assert_int_equal(made.up, 0);
        tell(id_of(i), RDMA_CM_EVENT_ESTABLISHED);
    }
    assert_int_equal(made.up, 1);
    assert_int_equal(made.queue_pairs, 4);
    assert_int_equal(made.lost, 0);
    part();
}

static void strangers_are_rejected_and_learn_nothing(void **state)
{
    unsigned char shown[64] = {0};

    (void)state;
    make_up();
    open_fabric(1);
    assert_int_equal(join(), -EINPROGRESS);
    ask(NULL, 0);
    ask(shown, 4);
    ask(shown, 56);
    assert_int_equal(made.rejected, 3);
    for (unsigned i = 0; i < 8; i++)
        shown[i] = (unsigned char)(weir_verbs_link_of(links[1])->token >> 8 * i);
    shown[8] = 1; /* there is but one pair */
    ask(shown, 56);
    assert_int_equal(made.rejected, 4);
    shown[8] = 0;
    ask(shown, 56);
    assert_int_equal(made.accepted, 1);
    ask(shown, 56); /* the same again */
    assert_int_equal(made.rejected, 5);
    assert_int_equal(made.lost, 0);
    part();
}

static void what_rdma_cm_reports_as_trouble_loses_the_link(void **state)
{
    static const struct {
        enum rdma_cm_event_type type;
        int code;
        bool is_broken;
    } cases[] = {
        {RDMA_CM_EVENT_ADDR_ERROR, -EADDRNOTAVAIL, false},
        {RDMA_CM_EVENT_ROUTE_ERROR, -ENETUNREACH, false},
        {RDMA_CM_EVENT_CONNECT_ERROR, -ECONNABORTED, false},
        {RDMA_CM_EVENT_UNREACHABLE, -EHOSTUNREACH, false},
        {RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, false},
        {RDMA_CM_EVENT_DISCONNECTED, -ECONNRESET, false},
        {RDMA_CM_EVENT_DEVICE_REMOVAL, -ENODEV, true},
        {RDMA_CM_EVENT_TIMEWAIT_EXIT, 0, false},
        {RDMA_CM_EVENT_ADDR_CHANGE, 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_up();
        open_fabric(1);
        assert_int_equal(join(), -EINPROGRESS);
        tell(id_of(0), cases[i].type);
        assert_int_equal(links[0]->lost_code, cases[i].code);
        assert_int_equal(made.lost, cases[i].code == 0 ? 0 : cases[i].is_broken ? 2 : 1);
        assert_int_equal(weir_verbs_fabric_of(fabric)->is_broken, cases[i].is_broken);
        assert_true(strlen(weir_verbs_cm_event_text(cases[i].type)) > 3);
        part();
    }
}

static void each_step_that_fails_loses_the_link_and_leaves_nothing(void **state)
{
    static const struct {
        const char *call;
        int code;
    } cases[] = {{"rdma_resolve_route", ENETUNREACH},
                 {"rdma_create_qp", ENOMEM},
                 {"ibv_post_recv", ENOMEM},
                 {"rdma_connect", EINVAL}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_up();
        open_fabric(1);
        assert_int_equal(join(), -EINPROGRESS);
        made.failing = cases[i].call;
        made.failing_at = 1;
        made.failing_code = cases[i].code;
        tell(id_of(0), RDMA_CM_EVENT_ADDR_RESOLVED);
        if (made.lost == 0)
            tell(id_of(0), RDMA_CM_EVENT_ROUTE_RESOLVED);
        assert_int_equal(made.lost_code, -cases[i].code);
        part();
    }
}

static void a_pair_is_made_anew_however_many_links_there_are(void **state)
{
    struct weir_link *many[8];
    struct weir_card card;

    (void)state;
    make_up();
    made.device.transport_type = IBV_TRANSPORT_IWARP;
    open_fabric(1);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(verbs->link_open(fabric, true, &many[i], &card), 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(weir_verbs_lane_renew(&weir_verbs_link_of(many[i])->lanes[0]), 0);
    for (unsigned i = 0; i < 8; i++)
        verbs->link_close(many[i]);
    verbs->close(fabric);
    assert_int_equal(made.live, 0);
}

static void a_device_with_room_for_one_link_only_bears_it(void **state)
{
    const struct weir_fabric_params params = standard();
    unsigned entries = weir_verbs_link_entries(&params);
    const unsigned rooms[] = {entries, entries + entries / 2, 2 * entries - 1};

    (void)state;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct weir_link *both[2];
        struct weir_card card;

        make_up();
        made.attributes.max_cqe = (int)rooms[i];
        open_fabric(1);
        for (unsigned j = 0; j < 2; j++)
            assert_int_equal(verbs->link_open(fabric, true, &both[j], &card), 0);
        assert_int_equal(made.queues, 2);
        for (unsigned j = 0; j < 2; j++)
            verbs->link_close(both[j]);
        verbs->close(fabric);
        assert_int_equal(made.live, 0);
    }
}

static void a_device_without_room_for_a_link_is_refused(void **state)
{
    struct weir_fabric_params params = standard();
    struct weir_error error = {0};

    (void)state;
    make_up();
    params.wireup = WEIR_WIREUP_CM;
    made.attributes.max_cqe = (int)weir_verbs_link_entries(&params) - 1;
    assert_int_equal(verbs->open(&params, &fabric, &error), -ENOSPC);
    assert_int_equal(made.live, 0);
}

static void without_room_for_another_pair_the_port_that_is_taken_is_the_cause(void **state)
{
    const struct weir_fabric_params params = standard();

    (void)state;
    make_up();
    made.attributes.max_cqe = (int)weir_verbs_link_entries(&params);
    open_fabric(1);
    assert_int_equal(join(), -EINPROGRESS);
    made.failing = "rdma_connect";
    made.failing_at = 1;
    made.failing_code = EADDRINUSE;
    tell(id_of(0), RDMA_CM_EVENT_ADDR_RESOLVED);
    tell(id_of(0), RDMA_CM_EVENT_ROUTE_RESOLVED);
    assert_int_equal(made.lost_code, -EADDRINUSE);
    part();
}

static void another_port_is_listened_at_where_tcp_has_the_first(void **state)
{
    struct rdma_cm_id *first;
    int live;

    (void)state;
    make_up();
    open_fabric(1);
    first = weir_verbs_fabric_of(fabric)->listener;
    live = made.live;
    made.failing = "rdma_listen";
    made.failing_at = 1;
    made.failing_code = EADDRINUSE;
    assert_int_equal(join(), -EINPROGRESS);
    assert_int_equal(made.listened, 2);
    assert_ptr_not_equal(listening, first);
    assert_ptr_equal(weir_verbs_fabric_of(fabric)->listener, listening);
    assert_true(weir_verbs_fabric_of(fabric)->listener->verbs == &made.context);
    for (unsigned i = 0; i < 2; i++)
        verbs->link_close(links[i]);
    assert_int_equal(made.live, live);
    verbs->close(fabric);
    assert_int_equal(made.live, 0);
}

static void a_port_that_cannot_be_had_is_an_error(void **state)
{
    struct weir_card card;

    (void)state;
    make_up();
    open_fabric(1);
    made.failing = "rdma_listen";
    made.failing_at = 1;
    made.failing_code = EACCES;
    assert_int_equal(verbs->link_open(fabric, true, &links[1], &card), -EACCES);
    assert_int_equal(made.listened, 1);
    verbs->close(fabric);
    assert_int_equal(made.live, 0);
}

static void a_port_that_tcp_has_already_is_tried_around(void **state)
{
    struct rdma_cm_id *first;
    uint64_t stamp;

    (void)state;
    make_up();
    open_fabric(1);
    assert_int_equal(join(), -EINPROGRESS);
    first = id_of(0);
    stamp = weir_verbs_link_of(links[0])->lanes[0].stamp;
    memset(&first->route.addr.dst_storage, 0, sizeof first->route.addr.dst_storage);
    ((struct sockaddr_in *)&first->route.addr.dst_storage)->sin_port = htons(7471);
    ((struct sockaddr_in *)&first->route.addr.dst_storage)->sin_addr.s_addr = htonl(0x0a000007);
    tell(first, RDMA_CM_EVENT_ADDR_RESOLVED);
    made.failing = "rdma_connect";
    made.failing_at = 1;
    made.failing_code = EADDRINUSE;
    tell(id_of(0), RDMA_CM_EVENT_ROUTE_RESOLVED);
    assert_int_equal(made.lost, 0);
    assert_int_equal(made.resolved_addresses, 2);
    assert_int_equal(made.queue_pairs, 0);
    /* What the first queue pair leaves behind is nobody's. */
    assert_true(weir_verbs_link_of(links[0])->lanes[0].stamp != stamp);
    complete(WEIR_VERBS_RECEIVE | stamp, IBV_WC_WR_FLUSH_ERR);
    tell(id_of(0), RDMA_CM_EVENT_ADDR_RESOLVED);
    tell(id_of(0), RDMA_CM_EVENT_ROUTE_RESOLVED);
    assert_int_equal(made.connected, 1);
    tell(id_of(0), RDMA_CM_EVENT_ESTABLISHED);
    assert_int_equal(made.up, 1);
    assert_int_equal(made.lost, 0);
    part();
}

static void who_cannot_accept_loses_the_link(void **state)
{
    static const char *const calls[] = {"rdma_create_qp", "rdma_accept"};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        unsigned char shown[64] = {0};

        make_up();
        open_fabric(1);
        assert_int_equal(join(), -EINPROGRESS);
        for (unsigned k = 0; k < 8; k++)
            shown[k] = (unsigned char)(weir_verbs_link_of(links[1])->token >> 8 * k);
        made.failing = calls[i];
        made.failing_at = 1;
        made.failing_code = ENOMEM;
        ask(shown, 56);
        assert_int_equal(links[1]->lost_code, -ENOMEM);
        part();
    }
}

static void a_connection_that_cannot_begin_is_an_error_at_once(void **state)
{
    static const char *const calls[] = {"rdma_create_id", "rdma_resolve_addr"};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        make_up();
        open_fabric(2);
        made.failing = calls[i];
        made.failing_at = 2;
        made.failing_code = EADDRINUSE;
        assert_int_equal(join(), -EADDRINUSE);
        part();
    }
}

/* ---- opening ---- */

static void opening_without_rdma_cm_names_the_way_out(void **state)
{
    static const struct {
        const char *call;
        const char *text;
    } cases[] = {{"rdma_create_event_channel", "modprobe rdma_ucm"},
                 {"rdma_create_id", "give the network device behind it an IP address"},
                 {"rdma_bind_addr", "give the network device behind it an IP address"},
                 {"getifaddrs", "give the network device behind it an IP address"},
                 {NULL, "finds mk0/1 under no address"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_fabric_params params = standard();
        struct weir_error error = {0};

        make_up();
        params.wireup = WEIR_WIREUP_CM;
        made.failing = cases[i].call;
        made.failing_at = 1;
        made.failing_code = ENODEV;
        is_elsewhere = cases[i].call == NULL;
        assert_true(verbs->open(&params, &fabric, &error) < 0);
        is_elsewhere = false;
        if (strstr(error.text, cases[i].text) == NULL)
            fail_msg("%zu: %s", i, error.text);
        assert_int_equal(made.live, 0);
    }
}

static void iwarp_is_always_wired_up_by_rdma_cm_with_one_pair(void **state)
{
    struct weir_fabric_params params = standard();
    struct weir_region *region;
    struct weir_error error = {0};

    (void)state;
    make_up();
    made.device.transport_type = IBV_TRANSPORT_IWARP;
    made.gid_count = 0;
    params.pairs = 4;
    assert_int_equal(verbs->open(&params, &fabric, &error), 0);
    assert_string_equal(fabric->facts.transport, "iWARP");
    assert_string_equal(fabric->interface, "10.0.0.7");
    assert_int_equal(fabric->facts.gid_index, -1);
    assert_int_equal(fabric->facts.pairs, 1);
    /* What answers a READ is a write by the peer. */
    assert_int_equal(verbs->region_open(fabric, &params, 4096, NULL, false, &region, &error), 0);
    assert_int_equal(((struct weir_verbs_region *)region)->mr->handle & IBV_ACCESS_REMOTE_WRITE,
                     IBV_ACCESS_REMOTE_WRITE);
    verbs->region_close(region);
    verbs->close(fabric);
    params.wireup = WEIR_WIREUP_SOCKET;
    assert_int_equal(verbs->open(&params, &fabric, &error), -EINVAL);
    assert_non_null(strstr(error.text, "only rdma_cm"));
    assert_int_equal(made.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_connected_before_the_link_is_up),
        cmocka_unit_test(strangers_are_rejected_and_learn_nothing),
        cmocka_unit_test(what_rdma_cm_reports_as_trouble_loses_the_link),
        cmocka_unit_test(each_step_that_fails_loses_the_link_and_leaves_nothing),
        cmocka_unit_test(a_pair_is_made_anew_however_many_links_there_are),
        cmocka_unit_test(a_device_with_room_for_one_link_only_bears_it),
        cmocka_unit_test(a_device_without_room_for_a_link_is_refused),
        cmocka_unit_test(without_room_for_another_pair_the_port_that_is_taken_is_the_cause),
        cmocka_unit_test(another_port_is_listened_at_where_tcp_has_the_first),
        cmocka_unit_test(a_port_that_cannot_be_had_is_an_error),
        cmocka_unit_test(a_port_that_tcp_has_already_is_tried_around),
        cmocka_unit_test(who_cannot_accept_loses_the_link),
        cmocka_unit_test(a_connection_that_cannot_begin_is_an_error_at_once),
        cmocka_unit_test(opening_without_rdma_cm_names_the_way_out),
        cmocka_unit_test(iwarp_is_always_wired_up_by_rdma_cm_with_one_pair),
    };

    return cmocka_run_group_tests_name("verbs cm", tests, NULL, NULL);
}

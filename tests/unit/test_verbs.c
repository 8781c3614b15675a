/* SPDX-License-Identifier: Apache-2.0 */
/* How the verbs provider opens a device and makes links of queue pairs, and what is left of them
 * when a step fails: nothing. */
#include <arpa/inet.h>

#include "verbs_bed.h"

/* ---- opening ---- */

static void a_device_tells_its_facts(void **state)
{
    static const struct file files[] = {
        {"/sys/class/infiniband/mk0/device/numa_node", "1\n"},
        {"/sys/class/infiniband/mk0/ports/1/rate", "800 Gb/sec (4X XDR)\n"},
        {NULL, NULL}};
    const struct weir_fabric_facts *facts;
    struct weir_fabric *fabric;

    made.files = files;
    params.read_depth = 8;
    fabric = open_fabric();
    facts = &fabric->facts;
    assert_string_equal(facts->provider, "verbs");
    assert_string_equal(facts->device, "mk0/1");
    assert_string_equal(facts->transport, "RoCE v2");
    assert_string_equal(facts->address, "::ffff:10.0.0.7");
    assert_string_equal(fabric->interface, "10.0.0.7");
    assert_int_equal(facts->gid_index, 3);
    assert_int_equal(facts->numa_node, 1);
    assert_int_equal(facts->mtu_bytes, 1024);
    assert_int_equal(facts->inline_bytes, 256);
    assert_int_equal(facts->read_depth, 8);
    assert_int_equal(facts->bits_per_s, UINT64_C(800000000000));
    assert_int_equal(facts->longest_wr_bytes, 1u << 30);
    assert_true(facts->is_one_sided);
    verbs->close(fabric);
}

static void a_device_without_inline_data_is_asked_for_none(void **state)
{
    struct weir_fabric *fabric;

    made.inline_largest = 0;
    fabric = open_fabric();
    assert_int_equal(fabric->facts.inline_bytes, 0);
    verbs->close(fabric);
}

static void each_step_of_opening_that_fails_is_told_and_leaves_nothing(void **state)
{
    static const struct {
        const char *call;
        int code;
        int expected;
        const char *text;
    } cases[] = {
        {"ibv_get_device_list", ENOSYS, -ENOSYS, "modprobe ib_uverbs"},
        {"ibv_open_device", EACCES, -EACCES, "/dev/infiniband/uverbs"},
        {"ibv_query_device", EIO, -EIO, "cannot be opened"},
        {"ibv_query_port", EIO, -ENETDOWN, "no port of mk0 is active"},
        {"ibv_query_gid_table", ENOMEM, -EADDRNOTAVAIL, "has no GID"},
        {"ibv_alloc_pd", ENOMEM, -ENOMEM, "no protection domain"},
        {"ibv_create_comp_channel", EMFILE, -EMFILE, "ulimit -n"},
        {"ibv_create_cq", ENOMEM, -ENOMEM, "no completion queue"},
        {"ibv_create_qp", ENOMEM, -ENOMEM, "no queue pair for 64 work requests in flight"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        struct weir_fabric *fabric = NULL;

        make_up();
        let_fail(cases[i].call, 1, cases[i].code);
        params.device = "mk0";
        assert_int_equal(verbs->open(&params, &fabric, &error), cases[i].expected);
        assert_null(fabric);
        if (strncmp(error.text, "verbs: ", 7) != 0 || strstr(error.text, cases[i].text) == NULL)
            fail_msg("%s: %s", cases[i].call, error.text);
        assert_int_equal(made.live, 0);
    }
}

struct refusal {
    void (*change)(void);
    int code;
    const char *text;
};

static void no_devices(void)
{
    made.has_no_devices = true;
}

static void port_down(void)
{
    made.port.state = IBV_PORT_DOWN;
}

static void other_device(void)
{
    params.device = "mlx5_0/2";
}

static void no_reliable_connections(void)
{
    made.device.transport_type = IBV_TRANSPORT_UNSPECIFIED;
}

static void empty_gid(void)
{
    params.gid_index = 7;
}

static void no_gids(void)
{
    made.gid_count = 0;
}

static void iwarp(void)
{
    made.device.transport_type = IBV_TRANSPORT_IWARP;
}

static void too_deep(void)
{
    params.depth = 10000;
}

static void too_many_entries(void)
{
    params.depth = 4096;
    made.attributes.max_cqe = 4096;
}

static void too_patient(void)
{
    params.timeout_exponent = 32;
}

static void what_cannot_be_is_refused_with_the_way_out(void **state)
{
    static const struct refusal cases[] = {
        {no_devices, -ENODEV, "no RDMA device"},
        {port_down, -ENETDOWN, "ibv_devinfo"},
        {other_device, -ENODEV, "this node has mk0"},
        {no_reliable_connections, -ENODEV, "neither InfiniBand nor RoCE"},
        {iwarp, -ENODEV, "reached by the provider tcp"},
        {empty_gid, -EADDRNOTAVAIL, "no GID number 7; there are 0: fe80::1, 3: ::ffff:10.0.0.7"},
        {no_gids, -EADDRNOTAVAIL, "IP address"},
        {too_deep, -EINVAL, "room for 4096"},
        {too_many_entries, -ENOSPC, "needs 4104 entries"},
        {too_patient, -EINVAL, "at most 31 and 7"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        struct weir_fabric *fabric = NULL;

        make_up();
        cases[i].change();
        assert_int_equal(verbs->open(&params, &fabric, &error), cases[i].code);
        if (strstr(error.text, cases[i].text) == NULL)
            fail_msg("%zu: %s", i, error.text);
        assert_int_equal(made.live, 0);
    }
}

static void devices_that_are_up_are_taken_in_turn(void **state)
{
    static const struct {
        const char *named; /* by the user */
        unsigned number;
        const char *device;
    } cases[] = {
        {NULL, 0, "mk0/1"}, {NULL, 1, "mk2/1"},  {NULL, 2, "mk3/1"},  {NULL, 3, "mk0/1"},
        {NULL, 7, "mk2/1"}, {"mk3", 1, "mk3/1"}, {"mk0", 9, "mk0/1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_fabric *fabric;

        make_up();
        for (unsigned n = 0; n < 3; n++) {
            made.others[n] = made.device;
            snprintf(made.others[n].name, sizeof made.others[n].name, "mk%u", n + 1);
        }
        made.down = "mk1";
        params.device = cases[i].named;
        params.device_number = cases[i].number;
        fabric = open_fabric();
        assert_string_equal(fabric->facts.device, cases[i].device);
        verbs->close(fabric);
        assert_int_equal(made.live, 0);
    }
}

static void the_gid_that_most_peers_can_reach_is_chosen(void **state)
{
    const uint32_t v1 = IBV_GID_TYPE_ROCE_V1, v2 = IBV_GID_TYPE_ROCE_V2, ib = IBV_GID_TYPE_IB;
    const struct {
        struct ibv_gid_entry entries[4];
        int wanted;
        int index; /* in the port's table; -1: none */
    } cases[] = {
        {{gid_of(0, v2, "fe80::1"), gid_of(1, v2, "::ffff:10.0.0.1")}, -1, 1},
        {{gid_of(0, v1, "::ffff:10.0.0.1"), gid_of(1, v2, "::ffff:10.0.0.1")}, -1, 1},
        {{gid_of(0, v2, "2001:db8::1"), gid_of(1, v2, "::ffff:10.0.0.1")}, -1, 1},
        {{gid_of(0, v1, "::ffff:10.0.0.1"), gid_of(1, v2, "2001:db8::1")}, -1, 1},
        {{gid_of(0, v2, "fe80::1"), gid_of(1, v1, "2001:db8::1")}, -1, 1},
        {{gid_of(0, v1, "fe80::1"), gid_of(1, v2, "fe80::1")}, -1, 1},
        {{gid_of(4, v2, "::ffff:10.0.0.1"), gid_of(5, v2, "::ffff:10.0.0.2")}, -1, 4},
        {{gid_of(0, ib, "fe80::2:c903:1"), gid_of(1, ib, "fe80::2:c903:2")}, -1, 0},
        {{gid_of(0, v2, ""), gid_of(1, v2, "fe80::")}, -1, -1},
        {{gid_of(0, v2, ""), gid_of(1, v1, "fe80::9")}, -1, 1},
        {{gid_of(0, v1, "fe80::1"), gid_of(1, v2, "::ffff:10.0.0.1")}, 0, 0},
        {{gid_of(0, v2, ""), gid_of(1, v2, "::ffff:10.0.0.1")}, 0, -1},
        {{gid_of(0, v2, "fe80::1")}, 5, -1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int best = weir_verbs_gid_choose(cases[i].entries, 2, 1, cases[i].wanted);
        int index = best < 0 ? -1 : (int)cases[i].entries[best].gid_index;

        if (index != cases[i].index)
            fail_msg("case %zu: %d instead of %d", i, index, cases[i].index);
        assert_int_equal(weir_verbs_gid_choose(cases[i].entries, 2, 2, -1), -1);
    }
}

/* ---- links ---- */

/* Both ends in one process, as a handshake would connect them. */
struct couple {
    struct weir_fabric *fabric;
    struct weir_link *links[2];
};

static int join(struct couple *couple)
{
    struct weir_endpoint_info infos[2];
    int code = verbs->link_open(couple->fabric, &couple->links[0], &infos[0]);

    if (code == 0)
        code = verbs->link_open(couple->fabric, &couple->links[1], &infos[1]);
    if (code == 0)
        code = verbs->link_join(couple->links[1], &infos[0]);
    return code == 0 ? verbs->link_join(couple->links[0], &infos[1]) : code;
}

static void part(struct couple *couple)
{
    for (unsigned i = 0; i < 2; i++)
        if (couple->links[i] != NULL)
            verbs->link_close(couple->links[i]);
    verbs->close(couple->fabric);
}

static void queue_pairs_meet_with_what_both_ends_bear(void **state)
{
    struct couple couple = {0};

    params.mtu_bytes = 600;
    params.timeout_exponent = 12;
    params.retry_count = 3;
    couple.fabric = open_fabric();
    assert_int_equal(join(&couple), 0);
    assert_int_equal(couple.links[0]->mtu_bytes, 512);
    assert_int_equal(made.last_rtr.path_mtu, IBV_MTU_512);
    /* It begins 32 and answers 16. */
    assert_int_equal(made.last_rtr.max_dest_rd_atomic, 16);
    assert_int_equal(made.last_rts.max_rd_atomic, 16);
    assert_int_equal(made.last_rtr.ah_attr.is_global, 1);
    assert_int_equal(made.last_rtr.ah_attr.grh.sgid_index, 3);
    assert_int_equal(made.last_rtr.ah_attr.grh.dgid.raw[15], 7);
    assert_int_equal(made.last_rtr.dest_qp_num, 101);
    assert_int_equal(made.last_rts.timeout, 12);
    assert_int_equal(made.last_rts.retry_cnt, 3);
    assert_true(made.last_rts.rnr_retry < 7);
    assert_int_equal(made.received_count, 16);
    part(&couple);
}

/* Without them, all packets are in the lossy class of a fabric with priority flow control, and only
 * the first partition can be used. */
static void service_level_traffic_class_and_partition_are_those_asked_for(void **state)
{
    struct couple couple = {0};

    made.port.pkey_tbl_len = 4;
    couple.fabric = open_fabric();
    assert_int_equal(join(&couple), 0);
    assert_int_equal(made.last_init.pkey_index, 0);
    assert_int_equal(made.last_rtr.ah_attr.sl, 0);
    assert_int_equal(made.inline_wished, 220);
    part(&couple);
    params.service_level = 3;
    params.traffic_class = 104;
    params.pkey_index = 2;
    params.inline_bytes = WEIR_INLINE_NONE;
    couple = (struct couple){.fabric = open_fabric()};
    assert_int_equal(join(&couple), 0);
    assert_int_equal(made.last_init.pkey_index, 2);
    assert_int_equal(made.last_rtr.ah_attr.sl, 3);
    assert_int_equal(made.last_rtr.ah_attr.grh.traffic_class, 104);
    assert_int_equal(made.inline_wished, 0);
    part(&couple);
}

static void a_partition_that_the_port_does_not_have_is_refused(void **state)
{
    struct weir_error error = {0};
    struct weir_fabric *fabric;

    made.port.pkey_tbl_len = 4;
    params.pkey_index = 4;
    assert_int_equal(verbs->open(&params, &fabric, &error), -EINVAL);
    assert_non_null(strstr(error.text, "the port has 4 entries"));
}

/* Those of remote objects: 10,000 links of a server are to be had. */
static void receive_buffers_are_no_longer_than_messages(void **state)
{
    params = (struct weir_fabric_params){.message_bytes = 69632, .message_credits = 32};
    assert_int_equal(weir_verbs_link_bytes(&params), 32 * 69632 + 32 * WEIR_VERBS_SEND_BYTES);
    params = (struct weir_fabric_params){.message_bytes = 100, .message_credits = 3};
    assert_int_equal(weir_verbs_link_bytes(&params), 3 * 128 + 4 * WEIR_VERBS_SEND_BYTES);
}

static bool has_no_memory;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return has_no_memory ? NULL : __real_calloc(count, bytes);
}

/* Other ranks wait in a collective call: the process must not end here. */
static void too_little_memory_is_an_error_and_not_the_end(void **state)
{
    struct weir_error error = {0};
    struct weir_region *region;
    struct weir_fabric *fabric;
    char memory[64];

    has_no_memory = true;
    assert_int_equal(verbs->open(&params, &fabric, &error), -ENOMEM);
    has_no_memory = false;
    assert_int_equal(error.code, -ENOMEM);
    fabric = open_fabric();
    error = (struct weir_error){0};
    has_no_memory = true;
    assert_int_equal(verbs->region_open(fabric, memory, sizeof memory, NULL, WEIR_REGION_SERVED,
                                        &region, &error),
                     -ENOMEM);
    has_no_memory = false;
    assert_int_equal(error.code, -ENOMEM);
    verbs->close(fabric);
}

static void within_a_subnet_of_infiniband_the_lid_is_the_address(void **state)
{
    struct couple couple = {0};

    made.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
    made.port.lid = 17;
    made.gids[0] = gid_of(0, IBV_GID_TYPE_IB, "fe80::2:c903:1");
    made.gid_count = 1;
    couple.fabric = open_fabric();
    assert_string_equal(couple.fabric->facts.transport, "InfiniBand");
    assert_int_equal(join(&couple), 0);
    assert_int_equal(made.last_rtr.ah_attr.dlid, 17);
    assert_int_equal(made.last_rtr.ah_attr.is_global, 0);
    part(&couple);
}

static void each_step_of_joining_that_fails_leaves_nothing(void **state)
{
    static const struct {
        const char *call;
        unsigned at;
        int code;
    } cases[] = {
        {"ibv_create_qp", 2, ENOMEM},     {"ibv_create_qp", 3, EAGAIN},
        {"ibv_modify_qp", 1, EINVAL},     {"ibv_modify_qp", 3, ENETUNREACH},
        {"ibv_modify_qp", 4, EINVAL},     {"ibv_modify_qp", 6, ETIMEDOUT},
        {"weir_fabric_watch", 2, ENOMEM}, {"ibv_reg_mr", 1, ENOMEM},
        {"ibv_reg_mr", 2, EINVAL},        {"ibv_post_recv", 1, ENOMEM},
        {"ibv_post_recv", 8, ENOMEM},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct couple couple = {0};

        make_up();
        couple.fabric = open_fabric();
        let_fail(cases[i].call, cases[i].at - (strcmp(cases[i].call, "ibv_create_qp") == 0),
                 cases[i].code);
        if (join(&couple) != -cases[i].code)
            fail_msg("case %zu", i);
        part(&couple);
    }
}

static void ends_that_cannot_speak_with_each_other_say_why(void **state)
{
    const struct weir_verbs_endpoint usual = {.layer = IBV_LINK_LAYER_ETHERNET,
                                              .gid_type = IBV_GID_TYPE_ROCE_V2,
                                              .has_gid = 1,
                                              .gid = {[10] = 0xff, [11] = 0xff},
                                              .mtu = IBV_MTU_1024,
                                              .queue_pair = 17};
    struct weir_verbs_endpoint other;

    assert_null(weir_verbs_mismatch(&usual, &usual));
    other = usual;
    other.gid_type = IBV_GID_TYPE_ROCE_V1;
    assert_non_null(strstr(weir_verbs_mismatch(&usual, &other), "RoCE v1"));
    other = usual;
    other.gid[10] = 0;
    assert_non_null(strstr(weir_verbs_mismatch(&usual, &other), "IPv4"));
    other = usual;
    other.layer = IBV_LINK_LAYER_INFINIBAND;
    assert_non_null(strstr(weir_verbs_mismatch(&usual, &other), "of one kind"));
    other = usual;
    other.has_gid = 0;
    assert_non_null(strstr(weir_verbs_mismatch(&usual, &other), "none"));
    other = usual;
    other.queue_pair = 0;
    assert_non_null(strstr(weir_verbs_mismatch(&usual, &other), "no sense"));
    other = usual;
    other.mtu = 9;
    assert_non_null(strstr(weir_verbs_mismatch(&usual, &other), "no sense"));
}

static void completion_queues_have_room_for_all_that_can_complete(void **state)
{
    struct weir_link *links[40];
    struct weir_endpoint_info info;
    struct weir_fabric *fabric;
    unsigned room = 0, needed;

    params.depth = 256;
    fabric = open_fabric();
    needed = weir_verbs_link_entries(&params);
    assert_int_equal(needed, 256 + 8);
    for (unsigned i = 0; i < 30; i++)
        assert_int_equal(verbs->link_open(fabric, &links[i], &info), 0);
    assert_true(made.queues > 1 && made.queues < 4);
    for (unsigned i = 0; i < made.queues; i++)
        room += (unsigned)made.queue_entries[i] / needed;
    assert_true(room >= 30);
    /* What one leaves behind is room for the next, but not before its completions are gone. */
    for (unsigned i = 0; i < 30; i++)
        verbs->link_close(links[i]);
    for (const struct weir_verbs_queue *queue = weir_verbs_fabric_of(fabric)->queues; queue != NULL;
         queue = queue->next)
        assert_int_equal(queue->taken, queue->returned);
    verbs->progress(fabric, (struct weir_event[4]){0}, 4, NULL);
    for (const struct weir_verbs_queue *queue = weir_verbs_fabric_of(fabric)->queues; queue != NULL;
         queue = queue->next)
        assert_int_equal(queue->taken, 0);
    verbs->close(fabric);
}

/* ---- regions ---- */

static void only_served_regions_may_be_touched_by_peers(void **state)
{
    static unsigned char memory[4096];
    const int rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    struct weir_region *served, *own, *watched;
    struct weir_error error = {0};
    struct weir_fabric *fabric;

    fabric = open_fabric();
    assert_int_equal(verbs->region_open(fabric, memory, sizeof memory, NULL, WEIR_REGION_SERVED,
                                        &served, &error),
                     0);
    assert_int_equal(
        verbs->region_open(fabric, memory, sizeof memory, NULL, WEIR_REGION_LOCAL, &own, &error),
        0);
    assert_int_equal(served->key.address, (uintptr_t)memory);
    assert_int_equal(served->key.key, 0x2001);
    assert_int_equal(served->key.bytes, sizeof memory);
    assert_int_equal(((struct weir_verbs_region *)served)->mr->handle & (unsigned)rights, rights);
    assert_int_equal(((struct weir_verbs_region *)own)->mr->handle & (unsigned)rights, 0);
    assert_int_equal(verbs->region_open(fabric, memory, sizeof memory, NULL,
                                        WEIR_REGION_SERVED | WEIR_REGION_WATCHED, &watched, &error),
                     0);
    assert_true(((struct weir_verbs_region *)served)->mr->handle & IBV_ACCESS_RELAXED_ORDERING);
    assert_true(((struct weir_verbs_region *)own)->mr->handle & IBV_ACCESS_RELAXED_ORDERING);
    assert_false(((struct weir_verbs_region *)watched)->mr->handle & IBV_ACCESS_RELAXED_ORDERING);
    verbs->region_close(watched);
    verbs->region_close(served);
    verbs->region_close(own);
    verbs->close(fabric);
}

static void memory_that_cannot_be_registered_names_the_limit(void **state)
{
    static unsigned char memory[4096];
    struct weir_region *region = NULL;
    struct weir_error error = {0};
    struct weir_fabric *fabric;

    made.memlock = 65536;
    fabric = open_fabric();
    let_fail("ibv_reg_mr", 1, ENOMEM);
    assert_int_equal(
        verbs->region_open(fabric, memory, 1 << 20, NULL, WEIR_REGION_SERVED, &region, &error),
        -ENOMEM);
    assert_non_null(strstr(error.text, "1 MiB"));
    assert_non_null(strstr(error.text, "65536 bytes (RLIMIT_MEMLOCK)"));
    assert_non_null(strstr(error.text, "ulimit -l unlimited"));
    assert_null(region);
    verbs->close(fabric);
}

/* ---- statuses ---- */

static void every_status_has_its_errno_and_a_sentence(void **state)
{
    static const int codes[] = {
        [IBV_WC_SUCCESS] = 0,
        [IBV_WC_LOC_LEN_ERR] = EMSGSIZE,
        [IBV_WC_LOC_QP_OP_ERR] = EINVAL,
        [IBV_WC_LOC_EEC_OP_ERR] = EIO,
        [IBV_WC_LOC_PROT_ERR] = EFAULT,
        [IBV_WC_WR_FLUSH_ERR] = ECANCELED,
        [IBV_WC_MW_BIND_ERR] = EIO,
        [IBV_WC_BAD_RESP_ERR] = EBADMSG,
        [IBV_WC_LOC_ACCESS_ERR] = EACCES,
        [IBV_WC_REM_INV_REQ_ERR] = EPROTO,
        [IBV_WC_REM_ACCESS_ERR] = EACCES,
        [IBV_WC_REM_OP_ERR] = EREMOTEIO,
        [IBV_WC_RETRY_EXC_ERR] = ETIMEDOUT,
        [IBV_WC_RNR_RETRY_EXC_ERR] = ENOBUFS,
        [IBV_WC_LOC_RDD_VIOL_ERR] = EIO,
        [IBV_WC_REM_INV_RD_REQ_ERR] = EIO,
        [IBV_WC_REM_ABORT_ERR] = ECONNABORTED,
        [IBV_WC_INV_EECN_ERR] = EIO,
        [IBV_WC_INV_EEC_STATE_ERR] = EIO,
        [IBV_WC_FATAL_ERR] = EIO,
        [IBV_WC_RESP_TIMEOUT_ERR] = ETIMEDOUT,
        [IBV_WC_GENERAL_ERR] = EIO,
        [IBV_WC_TM_ERR] = EIO,
        [IBV_WC_TM_RNDV_INCOMPLETE] = EIO,
    };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_int_equal(weir_verbs_status_code((enum ibv_wc_status)i), -codes[i]);
        assert_true(strlen(weir_verbs_status_text((enum ibv_wc_status)i)) > 3);
    }
    assert_int_equal(weir_verbs_status_code((enum ibv_wc_status)(sizeof codes / sizeof *codes)),
                     -EIO);
    assert_non_null(weir_verbs_status_text((enum ibv_wc_status)999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_device_tells_its_facts),
        CASE(a_device_without_inline_data_is_asked_for_none),
        CASE(each_step_of_opening_that_fails_is_told_and_leaves_nothing),
        CASE(what_cannot_be_is_refused_with_the_way_out),
        CASE(devices_that_are_up_are_taken_in_turn),
        CASE(the_gid_that_most_peers_can_reach_is_chosen),
        CASE(queue_pairs_meet_with_what_both_ends_bear),
        CASE(service_level_traffic_class_and_partition_are_those_asked_for),
        CASE(a_partition_that_the_port_does_not_have_is_refused),
        CASE(receive_buffers_are_no_longer_than_messages),
        CASE(too_little_memory_is_an_error_and_not_the_end),
        CASE(within_a_subnet_of_infiniband_the_lid_is_the_address),
        CASE(each_step_of_joining_that_fails_leaves_nothing),
        CASE(ends_that_cannot_speak_with_each_other_say_why),
        CASE(completion_queues_have_room_for_all_that_can_complete),
        CASE(only_served_regions_may_be_touched_by_peers),
        CASE(memory_that_cannot_be_registered_names_the_limit),
        CASE(every_status_has_its_errno_and_a_sentence),
    };

    return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}

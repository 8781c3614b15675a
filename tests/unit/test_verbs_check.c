/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that stand in the way of RDMA: told with figures and the way out, before anything fails.
 */
#include <arpa/inet.h>

#include "verbs_bed.h"

/* Whatever the host of the test has. */
#define MOUNTED                                                                                    \
    {                                                                                              \
        "/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"            \
    }

#define MANY UINT64_C(1) << 60

#define STATUS "Name:\tweir\nVmPin:\t    1024 kB\nCapEff:\t%s\n"
#define NO_POWERS "0000000000000000"
#define MAY_LOCK "0000000000004000"

static void locked_memory_is_compared_with_what_may_be_locked(void **state)
{
    static const struct {
        rlim_t limit;
        const char *powers;
        uint64_t bytes;
        bool is_refused;
    } cases[] = {
        {RLIM_INFINITY, NO_POWERS, MANY, false},
        {8 << 20, NO_POWERS, 64 << 20, true},
        {8 << 20, MAY_LOCK, 64 << 20, false},
        /* 1 MiB is pinned already, and a link has 48 KiB of buffers. */
        {8 << 20, NO_POWERS, (7 << 20) - 49152, false},
        {8 << 20, NO_POWERS, (7 << 20) - 49151, true},
        {0, NO_POWERS, 4096, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char status[128];
        const struct file files[] = {{"/proc/self/status", status}, {NULL, NULL}};
        struct weir_error error = {0};
        struct weir_fabric *fabric;
        int code;

        snprintf(status, sizeof status, STATUS, cases[i].powers);
        make_up();
        made.attributes.max_mr_size = UINT64_MAX;
        made.memlock = cases[i].limit;
        made.files = files;
        fabric = open_fabric();
        code = verbs->host->check(
            fabric, &(struct weir_fabric_need){cases[i].bytes, cases[i].bytes, 1, 1}, &error);
        if (code != (cases[i].is_refused ? -ENOMEM : 0))
            fail_msg("case %zu: %s", i, error.text);
        if (cases[i].is_refused) {
            assert_non_null(strstr(error.text, "RLIMIT_MEMLOCK"));
            assert_non_null(strstr(error.text, "1 MiB are already"));
            assert_non_null(strstr(error.text, "PropagateResourceLimitsExcept=MEMLOCK"));
        }
        verbs->close(fabric);
        assert_int_equal(made.live, 0);
    }
}

static void limits_of_the_device_are_told_with_figures(void **state)
{
    static const struct {
        struct weir_fabric_need need;
        const char *text; /* NULL: all is well */
    } cases[] = {
        {{1 << 20, 1 << 20, 1, 10}, NULL},
        /* One region of nearly all bytes is not three thirds. */
        {{UINT64_C(2) << 40, (UINT64_C(2) << 40) - 8192, 3, 1},
         "bytes of a region are wanted; the device mk0 has"},
        {{UINT64_C(2) << 40, UINT64_C(1) << 40, 2, 1}, NULL},
        {{1 << 20, 4096, 995, 10}, "1005 memory regions are wanted; the device mk0 has 1000"},
        {{1 << 20, 1 << 20, 0, 1200},
         "1200 memory regions are wanted; the device mk0 has 1000: fewer links"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        struct weir_fabric *fabric;

        make_up();
        fabric = open_fabric();
        if (verbs->host->check(fabric, &cases[i].need, &error) !=
            (cases[i].text != NULL ? -ENOSPC : 0))
            fail_msg("case %zu: %s", i, error.text);
        if (cases[i].text != NULL && strstr(error.text, cases[i].text) == NULL)
            fail_msg("case %zu: %s", i, error.text);
        verbs->close(fabric);
    }
}

static void each_control_group_above_has_its_say(void **state)
{
    static const struct file inner[] = {
        {"/proc/self/cgroup", "0::/job/step\n"},
        MOUNTED,
        {"/sys/fs/cgroup/job/step/rdma.max", "mk0 hca_handle=max hca_object=100\n"},
        {"/sys/fs/cgroup/job/step/rdma.current", "mk0 hca_handle=1 hca_object=90\n"},
        {NULL, NULL}};
    static const struct file outer[] = {
        {"/proc/self/cgroup", "0::/job/step\n"},
        MOUNTED,
        {"/sys/fs/cgroup/job/step/rdma.max", "mk0 hca_handle=max hca_object=max\n"},
        {"/sys/fs/cgroup/job/rdma.max", "mk1 hca_object=1\nmk0 hca_handle=2 hca_object=20\n"},
        {"/sys/fs/cgroup/job/rdma.current", "mk0 hca_handle=1 hca_object=15\n"},
        {NULL, NULL}};
    /* A container is shown its own part; the number of a hierarchy may end in 0. */
    static const struct file container[] = {
        {"/proc/self/cgroup", "10::nonsense\n0::/docker/c1/job\n"},
        {"/proc/self/mountinfo", "30 23 0:26 /docker/c1 /groups rw - cgroup2 cgroup2 rw\n"},
        {"/groups/job/rdma.max", "mk0 hca_handle=2 hca_object=11\n"},
        {NULL, NULL}};
    static const struct file first_version[] = {
        {"/proc/self/cgroup", "5:cpu:/a\n4:rdma:/b\n"},
        {"/proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup/rdma rw - cgroup cgroup rw,rdma\n"},
        {"/sys/fs/cgroup/rdma/b/rdma.max", "mk0 hca_handle=2 hca_object=12\n"},
        {NULL, NULL}};
    static const struct file others[] = {{"/proc/self/cgroup", "0::/job\n"},
                                         MOUNTED,
                                         {"/sys/fs/cgroup/job/rdma.max", "mk01 hca_object=1\n"},
                                         {NULL, NULL}};
    static const struct {
        const struct file *files;
        const char *text;
    } cases[] = {
        {inner, "allows 100, of which 90 are taken"},
        {outer, "allows 20, of which 15 are taken"},
        {container, "allows 11, of which 0 are taken"},
        {first_version, "allows 12, of which 0 are taken"},
        {others, NULL},
        {NULL, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};
        struct weir_fabric *fabric;

        make_up();
        made.files = cases[i].files;
        fabric = open_fabric();
        if (verbs->host->check(fabric, &(struct weir_fabric_need){4096, 4096, 3, 5}, &error) !=
            (cases[i].text != NULL ? -EAGAIN : 0))
            fail_msg("case %zu: %s", i, error.text);
        if (cases[i].text != NULL &&
            (strstr(error.text, cases[i].text) == NULL || strstr(error.text, "rdma.max") == NULL))
            fail_msg("case %zu: %s", i, error.text);
        verbs->close(fabric);
    }
}

static void a_piece_too_large_for_the_device_says_so(void **state)
{
    struct weir_region *region;
    struct weir_error error = {0};
    struct weir_fabric *fabric;

    made.attributes.max_mr_size = 1 << 20;
    fabric = open_fabric();
    let_fail("ibv_reg_mr", 1, EINVAL);
    assert_int_equal(
        verbs->region_open(fabric, (void *)4096, 2 << 20, NULL, false, &region, &error), -EINVAL);
    assert_non_null(strstr(error.text, "1 MiB"));
    verbs->close(fabric);
}

/* ---- what is told without being asked to do anything ---- */

static const struct weir_diagnosis_line *line_of(const struct weir_diagnosis *diagnosis,
                                                 const char *subject)
{
    for (size_t i = 0; i < diagnosis->count; i++)
        if (strcmp(diagnosis->lines[i].subject, subject) == 0)
            return &diagnosis->lines[i];
    return NULL;
}

static void the_doctor_is_told_what_slows_a_port_down(void **state)
{
    static const struct file files[] = {
        {"/sys/class/infiniband/mk0/device/current_link_speed", "8.0 GT/s PCIe\n"},
        {"/sys/class/infiniband/mk0/device/max_link_speed", "16.0 GT/s PCIe\n"},
        {"/sys/class/infiniband/mk0/device/current_link_width", "16\n"},
        {"/sys/class/infiniband/mk0/device/max_link_width", "16\n"},
        {"/sys/class/infiniband/mk0/device/iommu_group/type", "DMA-FQ\n"},
        {"/proc/self/cgroup", "0::/job\n"},
        MOUNTED,
        {"/sys/fs/cgroup/job/rdma.max", "mk0 hca_handle=2 hca_object=20\n"},
        {NULL, NULL}};
    struct weir_diagnosis diagnosis = {0};
    const struct weir_diagnosis_line *line;

    made.files = files;
    made.memlock = 8 << 20;
    weir_diagnosis_begin(&diagnosis, "RDMA");
    verbs->host->diagnose(&diagnosis);
    assert_int_equal(made.live, 0);
    line = line_of(&diagnosis, "mk0/1");
    assert_non_null(line);
    assert_int_equal(line->verdict, WEIR_GOOD);
    assert_string_equal(line->text,
                        "peers reach it by GID 3, ::ffff:10.0.0.7 (RoCE v2, an IPv4 address)");
    line = line_of(&diagnosis, "MTU");
    assert_int_equal(line->verdict, WEIR_LIMITED);
    assert_string_equal(line->text, "mk0/1 has 1024 bytes of the 4096 that it is able to");
    assert_non_null(strstr(line->remedy, "ip link set DEVICE mtu 4200"));
    line = line_of(&diagnosis, "PCIe");
    assert_int_equal(line->verdict, WEIR_LIMITED);
    assert_string_equal(line->text, "mk0 runs at 8 GT/s x16, and is able to 16 GT/s x16");
    assert_non_null(line_of(&diagnosis, "IOMMU"));
    line = line_of(&diagnosis, "reads in flight");
    assert_string_equal(line->text, "mk0 begins 32 and answers 16 at once on a queue pair");
    line = line_of(&diagnosis, "control group");
    assert_non_null(strstr(line->text, "allows 20 objects"));
    line = line_of(&diagnosis, "locked memory");
    assert_int_equal(line->verdict, WEIR_LIMITED);
    assert_non_null(strstr(line->text, "8 MiB"));
    weir_diagnosis_close(&diagnosis);
}

static void without_an_active_port_there_is_nothing_to_add(void **state)
{
    struct weir_diagnosis diagnosis = {0};

    made.port.state = IBV_PORT_DOWN;
    verbs->host->diagnose(&diagnosis);
    made.has_no_devices = true;
    verbs->host->diagnose(&diagnosis);
    let_fail("ibv_get_device_list", 1, ENOSYS);
    verbs->host->diagnose(&diagnosis);
    assert_int_equal(diagnosis.count, 0);
    assert_int_equal(made.live, 0);
    weir_diagnosis_close(&diagnosis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(locked_memory_is_compared_with_what_may_be_locked),
        CASE(limits_of_the_device_are_told_with_figures),
        CASE(each_control_group_above_has_its_say),
        CASE(a_piece_too_large_for_the_device_says_so),
        CASE(the_doctor_is_told_what_slows_a_port_down),
        CASE(without_an_active_port_there_is_nothing_to_add),
    };

    return cmocka_run_group_tests_name("verbs check", tests, NULL, NULL);
}

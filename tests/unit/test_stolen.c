/* SPDX-License-Identifier: Apache-2.0 */
/* Time that a hypervisor took, of several sets of processors at once, on made-up hosts. */
#include "weir/system/stolen.h"

#include "planted.h"

#include "weir/base/execution.h"

#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* user nice system idle iowait irq softirq steal guest guest_nice */
static const char before_text[] = "cpu  9 9 9 9 9 9 9 9999 77 0\n"
                                  "cpu0 1 2 3 4 5 6 7 100 0 0\n"
                                  "cpu1 1 2 3 4 5 6 7 20 0 0\n"
                                  "cpu3 1 2 3 4 5 6 7 3 0 0\n"
                                  "cpu10 1 2 3 4 5 6 7 5000 0 0\n"
                                  "intr 5 1 1 1 1 1 1 1 1 1 1\n";
static const char after_text[] = "cpu  9 9 9 9 9 9 9 999999 77 0\n"
                                 "cpu0 1 2 3 4 5 6 7 101 0 0\n"
                                 "cpu1 1 2 3 4 5 6 7 27 0 0\n"
                                 "cpu3 1 2 3 4 5 6 7 503 0 0\n"
                                 "cpu10 1 2 3 4 5 6 7 35000 0 0\n"
                                 "intr 5 1 1 1 1 1 1 1 1 1 1\n";

static uint64_t tick_ns(void)
{
    return UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
}

static struct weir_cpu_set set_of(const char *list)
{
    struct weir_cpu_set set = {0};

    if (list[0] != '\0')
        assert_int_equal(weir_cpu_set_parse(list, &set), 0);
    return set;
}

/* What `before` and `after`, NULL for no file, make of a set beside that of processor 1. */
static uint64_t stolen_of(const char *before, const char *after, const char *list)
{
    const struct weir_cpu_set sets[] = {set_of("1"), set_of(list)};
    struct weir_stolen_watch *watch;
    const struct weir_stolen *stolen;
    uint64_t ns;
    char root[64];

    plant(root, &(struct planted_file){"proc/stat", before}, before ? 1 : 0);
    watch = weir_stolen_open(root, sets, COUNT(sets));
    weir_stolen_begin(watch);
    if (after != NULL)
        plant_file(root, "proc/stat", after);
    stolen = weir_stolen_end(watch);
    assert_true(stolen[1].interval_ns > 0);
    if (before == before_text && after == after_text)
        assert_int_equal(stolen[0].ns, 7 * tick_ns());
    ns = stolen[1].ns;
    weir_stolen_close(watch);
    fell(root);
    return ns;
}

static void each_set_has_what_was_taken_from_its_processors(void **state)
{
    static const struct {
        const char *list;
        uint64_t ticks;
    } cases[] = {
        {"0", 1},      {"1", 7},        {"0-1", 8}, {"0,2-3", 501}, /* 2 is off */
        {"1,9", 7}, /* the line of all together is of no processor */
        {"10", 30000}, {"0-10", 30508}, {"", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(stolen_of(before_text, after_text, cases[i].list),
                         cases[i].ticks * tick_ns());
}

static void what_is_not_told_is_not_known(void **state)
{
    static const char no_column[] = "cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu1 1 2 3 4 5 6 7 20\nintr 1\n";

    (void)state;
    assert_int_equal(stolen_of(NULL, NULL, "0"), WEIR_UNKNOWN);
    assert_int_equal(stolen_of(before_text, after_text, "2"), WEIR_UNKNOWN);
    assert_int_equal(stolen_of(no_column, no_column, "0"), WEIR_UNKNOWN);
    assert_int_equal(stolen_of(no_column, no_column, "1"), 0);
    assert_int_equal(stolen_of(before_text, "cpu  1\n", "0"), WEIR_UNKNOWN);
    assert_int_equal(stolen_of(after_text, before_text, "0"), 0);
}

/* The lines are as long as they can be. */
static void add_host(struct weir_text *text, unsigned factor)
{
    weir_text_add(text, "cpu  1 1 1 1 1 1 1 1 0 0\n");
    for (unsigned cpu = 0; cpu < WEIR_CPUS_MAX; cpu++)
        weir_text_add(text,
                      "cpu%u 1000000000000 1000000000000 1000000000000 1000000000000 1000000000000 "
                      "1000000000000 1000000000000 %u 1000000000000 1000000000000\n",
                      cpu, factor * cpu);
    weir_text_add(text, "intr 7\n");
}

static void a_host_of_all_processors_there_can_be_is_read_to_its_end(void **state)
{
    struct weir_text before = {0}, after = {0}, last = {0};

    (void)state;
    add_host(&before, 1);
    add_host(&after, 2);
    weir_text_add(&last, "%u", WEIR_CPUS_MAX - 1);
    assert_int_equal(stolen_of(before.data, after.data, last.data),
                     (WEIR_CPUS_MAX - 1) * tick_ns());
    weir_text_close(&before);
    weir_text_close(&after);
    weir_text_close(&last);
}

static void closing_nothing_is_no_error(void **state)
{
    (void)state;
    weir_stolen_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_set_has_what_was_taken_from_its_processors),
        cmocka_unit_test(what_is_not_told_is_not_known),
        cmocka_unit_test(a_host_of_all_processors_there_can_be_is_read_to_its_end),
        cmocka_unit_test(closing_nothing_is_no_error),
    };

    return cmocka_run_group_tests_name("stolen", tests, NULL, NULL);
}

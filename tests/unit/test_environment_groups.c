/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are alike are one group, with their names and their count. */
#include "weir/measure/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void alike_nodes_are_one_group_in_the_order_of_the_first_of_each(void **state)
{
    static const char *const hosts[] = {"n1", "login", "n2", "n4", "gpu1", "n3"};
    struct weir_node_facts facts[6] = {{.cores = 8},
                                       {.cores = 4},
                                       {.cores = 8},
                                       {.cores = 8},
                                       {.cores = 8, .nics = {{.name = "ib0"}}},
                                       {.cores = 8}};
    struct weir_result *result = weir_result_open(1);

    (void)state;
    weir_result_set_nodes(result, hosts, facts, 6);
    assert_int_equal(result->node_group_count, 3);
    assert_string_equal(result->node_groups[0].hosts, "n[1-4]");
    assert_int_equal(result->node_groups[0].count, 4);
    assert_int_equal(result->node_groups[0].facts.cores, 8);
    assert_string_equal(result->node_groups[1].hosts, "login");
    assert_int_equal(result->node_groups[1].facts.cores, 4);
    assert_string_equal(result->node_groups[2].hosts, "gpu1");
    assert_string_equal(result->node_groups[2].facts.nics[0].name, "ib0");
    weir_result_close(result);
}

static void storage_is_grouped_for_its_test(void **state)
{
    static const char *const hosts[] = {"n1", "n2", "n3"};
    struct weir_storage_facts facts[3] = {{.is_known = true, .source = "/dev/sda1"},
                                          {.is_known = true, .source = "/dev/sdb1"},
                                          {.is_known = true, .source = "/dev/sda1"}};
    struct weir_result *result = weir_result_open(2);

    (void)state;
    weir_result_set_storages(result, &result->tests[1], hosts, facts, 3);
    assert_int_equal(result->tests[0].storage_count, 0);
    assert_int_equal(result->tests[1].storage_count, 2);
    assert_int_equal(result->tests[1].storages[0].count, 2);
    assert_string_equal(result->tests[1].storages[0].hosts, "n[1,3]");
    assert_string_equal(result->tests[1].storages[0].facts.source, "/dev/sda1");
    assert_string_equal(result->tests[1].storages[1].hosts, "n2");
    assert_string_equal(result->tests[1].storages[1].facts.source, "/dev/sdb1");
    weir_result_close(result);
}

static void no_nodes_are_no_groups(void **state)
{
    struct weir_result *result = weir_result_open(1);

    (void)state;
    weir_result_set_nodes(result, NULL, NULL, 0);
    weir_result_set_storages(result, &result->tests[0], NULL, NULL, 0);
    assert_int_equal(result->node_group_count, 0);
    assert_int_equal(result->tests[0].storage_count, 0);
    weir_result_close(result);
}

/* Which is what makes the environment of thousands of nodes a few lines. */
static void a_thousand_alike_nodes_are_one_group(void **state)
{
    static struct weir_node_facts facts[1000];
    static char names[1000][8];
    const char *hosts[1000];
    struct weir_result *result = weir_result_open(1);

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "n%04u", i);
        hosts[i] = names[i];
    }
    weir_result_set_nodes(result, hosts, facts, 1000);
    assert_int_equal(result->node_group_count, 1);
    assert_int_equal(result->node_groups[0].count, 1000);
    assert_string_equal(result->node_groups[0].hosts, "n[0000-0999]");
    weir_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_nodes_are_one_group_in_the_order_of_the_first_of_each),
        cmocka_unit_test(storage_is_grouped_for_its_test),
        cmocka_unit_test(no_nodes_are_no_groups),
        cmocka_unit_test(a_thousand_alike_nodes_are_one_group),
    };

    return cmocka_run_group_tests_name("environment_groups", tests, NULL, NULL);
}

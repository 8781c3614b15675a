/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of mdtest's versions, from outputs of each of them. */
#include "layout.h"

#include "weir/base/version.h"

#include <stddef.h>
#include <string.h>

/* mdtest 4.1 says "in ms/op" over a table of seconds: here it has milliseconds. The titles of older
 * versions name no unit, and have the seconds that they always had. */
static const struct weir_mdtest_layout layouts[] = {
    {"mdtest 4.1", WEIR_IOR_VERSION, .rate_title = "SUMMARY rate (in ops/sec):",
     .time_title = "SUMMARY time (in ms/op):", .key = "%-20s: ", .head = "", .quote = '\'',
     .has_rename = true, .has_op_times = true, .has_read_warning = true, .has_node_map = true,
     .has_node_map_first = true, .has_gap_after_end = true},
    {"mdtest 4.0", "4.0.0", .rate_title = "SUMMARY rate:", .time_title = "SUMMARY time:",
     .key = "%-20s: ", .head = "", .quote = '\'', .has_rename = true, .has_read_warning = true,
     .has_node_map = true, .has_gap_after_end = true},
    {"mdtest 3.3", "3.3.0",
     .rate_title = "SUMMARY rate:", .time_title = "SUMMARY time:", .key = "%s: ", .head = " ",
     .quote = '\'', .label_columns = 26, .has_population_deviation = true, .has_node_map = true,
     .has_directory_above = true, .has_gap_before_tasks = true, .has_gap_after_end = true},
    {"mdtest 3.2", "1.9.3",
     .rate_title = "SUMMARY rate:", .time_title = "SUMMARY time:", .key = "%s: ", .head = " ",
     .quote = '"', .label_columns = 18, .has_population_deviation = true,
     .has_directory_above = true, .has_gap_before_tasks = true, .has_gap_before_end = true},
};

const struct weir_mdtest_layout *weir_mdtest_layout_of(const struct weir_plan *plan)
{
    const char *style = plan->output.style;

    for (size_t i = 0; style && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(style, layouts[i].name) == 0)
            return &layouts[i];
    return &layouts[0];
}

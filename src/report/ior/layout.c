/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of IOR's versions, from outputs of each of them. */
#include "layout.h"

#include <assert.h>

/* IOR 4.1 prints the lines "Max" at -v only, and most scripts look for them: here they are always
 * there, but for who asks for 4.0 by name. */
static const struct weir_ior_layout layouts[] = {
    [WEIR_COMPAT_IOR_4_1] = {.table_columns = 11,
                             .has_stonewall = true,
                             .has_nodes = true,
                             .has_buffers = true,
                             .has_verbosity = true,
                             .has_all_maxima = true,
                             .commencing = WEIR_COMMENCING_LINE,
                             .commencing_verbosity = 3,
                             .has_gap_before_reads = true},
    [WEIR_COMPAT_IOR_4_0] = {.table_columns = 11,
                             .has_stonewall = true,
                             .has_nodes = true,
                             .has_verbosity = true,
                             .participants = "Participating tasks : ",
                             .commencing = WEIR_COMMENCING_LINE,
                             .commencing_verbosity = 1},
    [WEIR_COMPAT_IOR_3_3] = {.table_columns = 11,
                             .has_stonewall = true,
                             .has_nodes = true,
                             .has_all_removals = true,
                             .has_all_maxima = true,
                             .has_skew = true,
                             .participants = "Participating tasks: ",
                             .commencing = WEIR_COMMENCING_LINE,
                             .commencing_verbosity = 1},
    [WEIR_COMPAT_IOR_3_2] = {.table_columns = 9,
                             .has_all_removals = true,
                             .has_all_maxima = true,
                             .has_skew = true,
                             .participants = "Participating tasks: ",
                             .commencing = WEIR_COMMENCING_LINE,
                             .commencing_verbosity = 1},
    [WEIR_COMPAT_IOR_3_0] = {.table_columns = 9,
                             .has_all_removals = true,
                             .has_all_maxima = true,
                             .has_skew = true,
                             .participants = "Participating tasks: "},
    [WEIR_COMPAT_IOR_2_10] = {.has_all_maxima = true,
                              .has_skew = true,
                              .participants = "Participating tasks: ",
                              .commencing = WEIR_COMMENCING_BLOCK,
                              .commencing_verbosity = 1},
};

const struct weir_ior_layout *weir_ior_layout_of(const struct weir_plan *plan)
{
    assert((unsigned)plan->output.compat < sizeof layouts / sizeof *layouts);
    return &layouts[plan->output.compat];
}

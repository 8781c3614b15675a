/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of IOR's versions, from outputs of each of them. */
#include "layout.h"

#include <stddef.h>
#include <string.h>

/* IOR 4.1 prints the lines "Max" at -v only, and most scripts look for them: here they are always
 * there, unless --compat 4.0 is given. */
static const struct weir_ior_layout layouts[] = {
    [WEIR_IOR_4_1] = {WEIR_IOR_4_1, "IOR 4.1", 11, .has_stonewall = true, .has_nodes = true,
                      .has_buffers = true, .has_verbosity = true, .has_all_maxima = true,
                      .commencing = WEIR_COMMENCING_LINE, .commencing_verbosity = 3,
                      .has_gap_before_reads = true},
    [WEIR_IOR_4_0] = {WEIR_IOR_4_0, "IOR 4.0", 11, .has_stonewall = true, .has_nodes = true,
                      .has_verbosity = true, .participants = "Participating tasks : ",
                      .commencing = WEIR_COMMENCING_LINE, .commencing_verbosity = 1},
    [WEIR_IOR_3_3] = {WEIR_IOR_3_3, "IOR 3.3", 11, .has_stonewall = true, .has_nodes = true,
                      .has_all_removals = true, .has_all_maxima = true, .has_skew = true,
                      .participants = "Participating tasks: ", .commencing = WEIR_COMMENCING_LINE,
                      .commencing_verbosity = 1},
    [WEIR_IOR_3_2] = {WEIR_IOR_3_2, "IOR 3.2", 9, .has_all_removals = true, .has_all_maxima = true,
                      .has_skew = true, .participants = "Participating tasks: ",
                      .commencing = WEIR_COMMENCING_LINE, .commencing_verbosity = 1},
    [WEIR_IOR_3_0] = {WEIR_IOR_3_0, "IOR 3.0", 9, .has_all_removals = true, .has_all_maxima = true,
                      .has_skew = true, .participants = "Participating tasks: "},
    [WEIR_IOR_2_10] = {WEIR_IOR_2_10, "IOR 2.10", 0, .has_all_maxima = true, .has_skew = true,
                       .participants = "Participating tasks: ", .commencing = WEIR_COMMENCING_BLOCK,
                       .commencing_verbosity = 1},
};

const struct weir_ior_layout *weir_ior_layout_find(const char *style)
{
    for (size_t i = 0; style && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(style, layouts[i].name) == 0)
            return &layouts[i];
    return &layouts[WEIR_IOR_4_1];
}

const struct weir_ior_layout *weir_ior_layout_of(const struct weir_plan *plan)
{
    return weir_ior_layout_find(plan->output.style);
}

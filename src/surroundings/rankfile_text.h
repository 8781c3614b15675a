/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a rankfile, which may exist on the node of rank 0 alone. */
#ifndef WEIR_SURROUNDINGS_RANKFILE_TEXT_H
#define WEIR_SURROUNDINGS_RANKFILE_TEXT_H

#include "weir/group/group.h"
#include "weir/system/bindings.h"

/* Rank 0 reads the file of a policy that has one, and all get its text, which is to be freed; *text
 * is left alone for other policies. Collective. */
int weir_rankfile_text_read(struct weir_group *group, const struct weir_pinning *pinning,
                            char **text, struct weir_error *error);

#endif

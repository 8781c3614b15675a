/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about ranks and their bindings, for the picture of a host. */
#ifndef WEIR_SYSTEM_BINDING_LINES_H
#define WEIR_SYSTEM_BINDING_LINES_H

#include "weir/system/bindings.h"

/* The parts of a picture, and the text that it goes to. */
struct weir_binding_drawing {
    struct weir_text *text;
    const struct weir_topology *topology;
    const struct weir_binding_request *request;
    const struct weir_binding *bindings;
};

/* Appends lines about the bindings with the given indices, `indent` blanks before each. `indices`
 * is used up. */
void weir_binding_lines_draw(const struct weir_binding_drawing *drawing, unsigned *indices,
                             unsigned count, int indent);

/* Appends numbers: ranges as the kernel writes them; of hosts that number processors over their
 * nodes in turn, "0,2..126". */
void weir_binding_set_add(struct weir_text *text, const struct weir_cpu_set *set);

#endif

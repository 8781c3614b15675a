/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a test takes away from the page cache for as long as it runs. */
#ifndef WEIR_ENGINE_HOG_H
#define WEIR_ENGINE_HOG_H

#include "weir/base/error.h"

#include <stddef.h>

struct weir_run;

struct weir_hog {
    unsigned char *memory; /* NULL: none */
    size_t bytes;
};

/* Takes this rank's share of run->test->hog, and touches every page of it. Refused is what some
 * node could not give without swapping or killing. A signal ends it early: then the run is
 * interrupted, on all ranks. Collective; weir_hog_drop gives the memory back. */
int weir_hog_take(struct weir_run *run, struct weir_error *error);
void weir_hog_drop(struct weir_run *run);

#endif

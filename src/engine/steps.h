/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of steps of a test, done by all of its ranks in step. */
#ifndef WEIR_ENGINE_STEPS_H
#define WEIR_ENGINE_STEPS_H

#include "run.h"

/* Memory for as many steps within one another as the test has. 0 or -ENOMEM. Needs run->test.
 * weir_steps_close takes back what was opened, on all ranks of the test together: groups of ranks
 * are closed. */
int weir_steps_open(struct weir_run *run);
void weir_steps_close(struct weir_run *run);

/* Does all steps of the test. After an error the removals are still done, and an error of theirs
 * changes nothing. Returns the code of `error`. Collective. */
int weir_steps_run(struct weir_run *run, struct weir_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect ior. */
#include "ior.h"

#include "remedies.h"

static const struct weir_reporter *const reporters[] = {&weir_reporter_ior, &weir_reporter_ior_csv,
                                                        &weir_reporter_ior_json, NULL};

const struct weir_dialect_reports weir_ior_reports = {.dialect = "ior",
                                                      .work = WEIR_WORKS_ON_FILES,
                                                      .reporters = reporters,
                                                      .remedies = weir_ior_remedies,
                                                      .rank_csv = &weir_ior_rank_csv};

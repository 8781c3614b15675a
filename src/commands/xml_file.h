/* SPDX-License-Identifier: Apache-2.0 */
/* The results.xml of a program (parabench -e), beside its report. Rank 0 only. */
#ifndef WEIR_COMMANDS_XML_FILE_H
#define WEIR_COMMANDS_XML_FILE_H

#include "weir/report/report.h"

/* Refuses, before the test is run, a file that holds anything but such a report, unless the test
 * may overwrite it. Nothing to do without the setting "xml" of the test, which is the file's path.
 * 0, or the error. */
int weir_xml_file_check(const struct weir_plan *plan, unsigned test, struct weir_error *error);

/* Writes the file when the phase is done. 0, or the error. */
int weir_xml_file_write(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_error *error);

#endif

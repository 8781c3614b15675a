/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as reports print them. */
#ifndef WEIR_REPORT_DATES_H
#define WEIR_REPORT_DATES_H

#define WEIR_DATE_BYTES 80 /* six numbers of struct tm, whatever they hold */

/* Seconds since 1970 as ctime(3) prints them, in local time and without a line end: "Sat Nov 21
 * 00:01:41 2026". Returns `buffer`. */
char *weir_date_format(double seconds, char buffer[WEIR_DATE_BYTES]);

/* In local time, as mdtest prints it: "11/21/2026 00:01:41". Returns `buffer`. */
char *weir_date_format_american(double seconds, char buffer[WEIR_DATE_BYTES]);

/* The same as "2026-11-21 00:01:41". */
char *weir_date_format_iso(double seconds, char buffer[WEIR_DATE_BYTES]);

/* In UTC, as "2026-11-21T00:01:41.250Z"; "" for 0, which is no date. Returns `buffer`. */
char *weir_date_format_utc(double seconds, char buffer[WEIR_DATE_BYTES]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as reports print them, in English whatever the locale. */
#include "dates.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* Some 30,000 years from now: a damaged file may hold more, which is no date. */
#define LATEST_S 1e12

static bool find_date(double seconds, struct tm *date)
{
    time_t when;

    if (!(fabs(seconds) < LATEST_S))
        return false;
    when = (time_t)floor(seconds);
    return localtime_r(&when, date) != NULL;
}

char *weir_date_format(double seconds, char buffer[WEIR_DATE_BYTES])
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm date;

    buffer[0] = '\0';
    if (find_date(seconds, &date))
        snprintf(buffer, WEIR_DATE_BYTES, "%s %s %2d %02d:%02d:%02d %d", days[date.tm_wday],
                 months[date.tm_mon], date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                 date.tm_year + 1900);
    return buffer;
}

char *weir_date_format_american(double seconds, char buffer[WEIR_DATE_BYTES])
{
    struct tm date;

    buffer[0] = '\0';
    if (find_date(seconds, &date))
        snprintf(buffer, WEIR_DATE_BYTES, "%02d/%02d/%d %02d:%02d:%02d", date.tm_mon + 1,
                 date.tm_mday, date.tm_year + 1900, date.tm_hour, date.tm_min, date.tm_sec);
    return buffer;
}

char *weir_date_format_iso(double seconds, char buffer[WEIR_DATE_BYTES])
{
    struct tm date;

    buffer[0] = '\0';
    if (find_date(seconds, &date))
        snprintf(buffer, WEIR_DATE_BYTES, "%d-%02d-%02d %02d:%02d:%02d", date.tm_year + 1900,
                 date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
    return buffer;
}

char *weir_date_format_utc(double seconds, char buffer[WEIR_DATE_BYTES])
{
    const time_t whole = seconds > 0.0 && seconds < LATEST_S ? (time_t)seconds : 0;
    struct tm date;

    buffer[0] = '\0';
    if (whole > 0 && gmtime_r(&whole, &date) != NULL)
        snprintf(buffer, WEIR_DATE_BYTES, "%d-%02d-%02dT%02d:%02d:%02d.%03dZ", date.tm_year + 1900,
                 date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                 (int)((seconds - (double)whole) * 1000.0));
    return buffer;
}

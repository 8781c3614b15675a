/* SPDX-License-Identifier: Apache-2.0 */
/* Dates in the form of ctime(3), in English whatever the locale. */
#include "dates.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* Some 30,000 years from now: a damaged file may hold more, which is no date. */
#define LATEST_S 1e12

char *weir_date_format(double seconds, char buffer[WEIR_DATE_BYTES])
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    bool is_date = fabs(seconds) < LATEST_S;
    time_t when = is_date ? (time_t)floor(seconds) : 0;
    struct tm date;

    if (!is_date || !localtime_r(&when, &date)) {
        buffer[0] = '\0';
        return buffer;
    }
    snprintf(buffer, WEIR_DATE_BYTES, "%s %s %2d %02d:%02d:%02d %d", days[date.tm_wday],
             months[date.tm_mon], date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
             date.tm_year + 1900);
    return buffer;
}

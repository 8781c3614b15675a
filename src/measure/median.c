/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/measure/median.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double weir_median_sort(double values[], unsigned count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Medians of numbers. */
#ifndef WEIR_MEASURE_MEDIAN_H
#define WEIR_MEASURE_MEDIAN_H

/* Sorts the `count` > 0 values and returns their median: of an even number, the mean of the two in
 * the middle. */
double weir_median_sort(double values[], unsigned count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What CMake writes where all three file systems are installed. */
#ifndef WEIR_BACKENDS_STRIPING_REFUSALS_H
#define WEIR_BACKENDS_STRIPING_REFUSALS_H

#define WEIR_LUSTRE_REFUSAL NULL
#define WEIR_GPFS_REFUSAL NULL
#define WEIR_BEEGFS_REFUSAL NULL

#endif

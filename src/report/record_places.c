/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, storage and places of ranks as records of the result file. */
#include "record.h"

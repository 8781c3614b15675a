/* SPDX-License-Identifier: Apache-2.0 */
/* Families of words for backends that are not built. */
#include "absent_backends.h"

static const char backend_refusal[] =
    "the backend that it is for is not built; see weir backends for those that are";

#define NOT_BUILT(key, backends)                                                                   \
    {                                                                                              \
        0, key, WEIR_OPTION_TEXT, .help = "options of the " backends, .refusal = backend_refusal,  \
                                  .since = "4.1"                                                   \
    }

static const struct weir_option rows[] = {
    NOT_BUILT("hdf5.*", "backend HDF5"),
    NOT_BUILT("ncmpi.*", "backend NCMPI"),
    NOT_BUILT("dfs.*", "backend DFS (DAOS)"),
    NOT_BUILT("rados.*", "backend RADOS"),
    NOT_BUILT("cephfs.*", "backend CEPHFS"),
    NOT_BUILT("S3-*", "backends S3-libs3, S3-4c and S3-curl"),
    NOT_BUILT("hdfs.*", "backend HDFS"),
    NOT_BUILT("ime.*", "backend IME"),
    NOT_BUILT("chfs.*", "backend CHFS"),
    NOT_BUILT("finchfs.*", "backend FINCHFS"),
    NOT_BUILT("libnfs.*", "backend LIBNFS"),
    {0},
};

const struct weir_option_set weir_absent_backend_set = {"backends that are not built", rows, 0};

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of words that only older versions of IOR knew, and of families of words for backends and
 * file systems. What still has a meaning is an alias; the rest is refused with what to do in its
 * place. */
#include "ior_options.h"

#define AT(member) offsetof(struct weir_ior_config, member)

static const char pointer_refusal[] =
    "shared file pointers are not built; leave it out, and transfers are at explicit offsets";
static const char hdf5_refusal[] = "the backend HDF5, which it is for, is not built; leave it out";
static const char format_refusal[] =
    "the backends HDF5 and NCMPI, which it is for, are not built; leave it out";
static const char backend_refusal[] =
    "the backend that it is for is not built; see weir backends for those that are";

static const struct weir_option old_rows[] = {
    {'B', NULL, WEIR_OPTION_FLAG, AT(use_o_direct), .help = "the same as --posix.odirect",
     .since = "2.10"},
    {'H', "showHints", WEIR_OPTION_FLAG, AT(show_hints), .help = "the same as --mpiio.showHints",
     .since = "2.10"},
    {'p', "preallocate", WEIR_OPTION_FLAG, AT(preallocate),
     .help = "the same as --mpiio.preallocate", .since = "2.10"},
    {'U', "hintsFileName", WEIR_OPTION_TEXT, AT(hints_path),
     .help = "the same as --mpiio.hintsFileName", .since = "2.10"},
    {'S', "useStridedDatatype", WEIR_OPTION_FLAG, AT(use_strided_datatype),
     .help = "the same as --mpiio.useStridedDatatype", .since = "2.10"},
    {'V', "useFileView", WEIR_OPTION_FLAG, AT(use_file_view),
     .help = "the same as --mpiio.useFileView", .since = "2.10"},
    {'P', "useSharedFilePointer", WEIR_OPTION_FLAG, .help = "one file pointer for all tasks",
     .refusal = pointer_refusal, .since = "2.10"},
    {'q', "quitOnError", WEIR_OPTION_FLAG, AT(quit_on_error),
     .help = "a task that verifies stops at its first wrong transfer", .since = "2.10"},
    {0, "storeFileOffset", WEIR_OPTION_FLAG, AT(store_file_offset), .help = "the same as -l offset",
     .since = "2.10"},
    {0, "incompressibleSeed", WEIR_OPTION_INTEGER, AT(signature), .help = "the same as -G",
     .since = "3.2"},
    {0, "showHelp", WEIR_OPTION_FLAG, AT(show_help), .help = "the same as --help", .since = "2.10"},
    {0, "lustreStripeCount", WEIR_OPTION_TEXT, AT(lustre_stripe_count),
     .help = "the same as --posix.lustre.stripecount", .since = "3.0"},
    {0, "lustreStripeSize", WEIR_OPTION_TEXT, AT(lustre_stripe_size),
     .help = "the same as --posix.lustre.stripesize", .since = "3.0"},
    {0, "lustreStartOST", WEIR_OPTION_TEXT, AT(lustre_start_ost),
     .help = "the same as --posix.lustre.startost", .since = "3.0"},
    {0, "lustreIgnoreLocks", WEIR_OPTION_FLAG, AT(lustre_ignore_locks),
     .help = "the same as --posix.lustre.ignorelocks", .since = "3.0"},
    {0, "gpfsHintAccess", WEIR_OPTION_FLAG, AT(gpfs_hint_access),
     .help = "the same as --posix.gpfs.hintaccess", .since = "3.2"},
    {0, "gpfsReleaseToken", WEIR_OPTION_FLAG, AT(gpfs_release_token),
     .help = "the same as --posix.gpfs.releasetoken", .since = "3.2"},
    {0, "beegfsNumTargets", WEIR_OPTION_TEXT, AT(beegfs_target_count),
     .help = "the same as --posix.beegfs.NumTargets", .since = "3.3"},
    {0, "beegfsChunkSize", WEIR_OPTION_TEXT, AT(beegfs_chunk_size),
     .help = "the same as --posix.beegfs.ChunkSize", .since = "3.3"},
    {'I', "individualDataSets", WEIR_OPTION_FLAG, .help = "a data set for each task",
     .refusal = hdf5_refusal, .since = "2.10"},
    {'J', "setAlignment", WEIR_OPTION_SIZE, .standard = "1",
     .help = "alignment of the parts of a file", .refusal = hdf5_refusal, .since = "2.10"},
    {'n', "noFill", WEIR_OPTION_FLAG, .help = "no values put into new data sets",
     .refusal = format_refusal, .since = "2.10"},
    {0, "collectiveMetadata", WEIR_OPTION_FLAG, .help = "metadata of HDF5 together",
     .refusal = hdf5_refusal, .since = "3.2"},
    {0, "corruptFile", WEIR_OPTION_FLAG, .help = "spoil the file before it is verified",
     .refusal = "spoiling data on purpose is not built; leave it out", .since = "3.3"},
    {0, "randomSeed", WEIR_OPTION_INTEGER, .standard = "-1", .help = "seed of random orders",
     .refusal = "write --random-offset-seed SEED for -z, and -X SEED for -Z", .since = "3.3"},
    {0, "mpiNumHints", WEIR_OPTION_INTEGER, .help = "how many hints there are",
     .refusal = "leave it out: hints are counted; they come from --mpiio.hintsFileName and from "
                "IOR_HINT__MPI__... in the environment",
     .since = "3.3"},
    {0, "queryBw", WEIR_OPTION_FLAG, .help = "ask for the bandwidth",
     .refusal = "not built; leave it out", .since = "3.3"},
    {0, "hdf5.*", WEIR_OPTION_TEXT, .help = "options of the backend HDF5",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "ncmpi.*", WEIR_OPTION_TEXT, .help = "options of the backend NCMPI",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "dfs.*", WEIR_OPTION_TEXT, .help = "options of the backend DFS (DAOS)",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "rados.*", WEIR_OPTION_TEXT, .help = "options of the backend RADOS",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "cephfs.*", WEIR_OPTION_TEXT, .help = "options of the backend CEPHFS",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "S3-*", WEIR_OPTION_TEXT, .help = "options of the backends S3-libs3, S3-4c and S3-curl",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "hdfs.*", WEIR_OPTION_TEXT, .help = "options of the backend HDFS",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "ime.*", WEIR_OPTION_TEXT, .help = "options of the backend IME", .refusal = backend_refusal,
     .since = "4.1"},
    {0, "chfs.*", WEIR_OPTION_TEXT, .help = "options of the backend CHFS",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "finchfs.*", WEIR_OPTION_TEXT, .help = "options of the backend FINCHFS",
     .refusal = backend_refusal, .since = "4.1"},
    {0, "libnfs.*", WEIR_OPTION_TEXT, .help = "options of the backend LIBNFS",
     .refusal = backend_refusal, .since = "4.1"},
    {0},
};

const struct weir_option_set weir_ior_old_set = {"older IOR", old_rows,
                                                 sizeof(struct weir_ior_config)};

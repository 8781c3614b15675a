/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of words that only older versions of IOR knew. What still has a meaning is an alias; the
 * rest is refused with what to do in its place. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_ior_config, member)

static const char unused_better[] = "a remark says that it changes nothing";

/* An option of a backend by another name. */
#define ALIAS(letter_text, key, kind, other, note, release)                                        \
    {                                                                                              \
        letter_text, key, WEIR_OPTION_##kind, .alias = other, .help = "the same as --" other note, \
                                              .since = release                                     \
    }

static const struct weir_option old_rows[] = {
    {'B', NULL, WEIR_OPTION_FLAG, AT(use_o_direct), .help = "the same as --posix.odirect",
     .since = "2.10"},
    ALIAS('H', "showHints", FLAG, "mpiio.showHints", "", "2.10"),
    ALIAS('p', "preallocate", FLAG, "mpiio.preallocate", "", "2.10"),
    ALIAS('U', "hintsFileName", TEXT, "mpiio.hintsFileName", "", "2.10"),
    ALIAS('S', "useStridedDatatype", FLAG, "mpiio.useStridedDatatype", "", "2.10"),
    ALIAS('V', "useFileView", FLAG, "mpiio.useFileView", "; weir -V, alone, prints the version",
          "2.10"),
    {'P', "useSharedFilePointer", WEIR_OPTION_FLAG, AT(shared_file_pointer),
     .help = "one file pointer for all tasks, an option of backend MPIIO", .since = "2.10",
     .better = "refused with -a MPIIO, where it never worked, and a remark with others"},
    {'q', "quitOnError", WEIR_OPTION_FLAG, AT(quit_on_error),
     .help = "a task that verifies stops at its first wrong transfer", .since = "2.10"},
    {0, "storeFileOffset", WEIR_OPTION_FLAG, AT(store_file_offset), .help = "the same as -l offset",
     .since = "2.10"},
    {0, "incompressibleSeed", WEIR_OPTION_INTEGER, AT(signature), .help = "the same as -G",
     .since = "3.2"},
    {0, "showHelp", WEIR_OPTION_FLAG, AT(show_help), .help = "the same as --help", .since = "2.10"},
    ALIAS(0, "lustreStripeCount", TEXT, "posix.lustre.stripecount", "", "3.0"),
    ALIAS(0, "lustreStripeSize", TEXT, "posix.lustre.stripesize", "", "3.0"),
    ALIAS(0, "lustreStartOST", TEXT, "posix.lustre.startost", "", "3.0"),
    ALIAS(0, "lustreIgnoreLocks", FLAG, "posix.lustre.ignorelocks", "", "3.0"),
    ALIAS(0, "gpfsHintAccess", FLAG, "posix.gpfs.hintaccess", "", "3.2"),
    ALIAS(0, "gpfsReleaseToken", FLAG, "posix.gpfs.releasetoken", "", "3.2"),
    ALIAS(0, "beegfsNumTargets", TEXT, "posix.beegfs.NumTargets", "", "3.3"),
    ALIAS(0, "beegfsChunkSize", TEXT, "posix.beegfs.ChunkSize", "", "3.3"),
    {'I', "individualDataSets", WEIR_OPTION_FLAG, AT(individual_data_sets),
     .help = "a data set for each task, an option of backend HDF5", .since = "2.10",
     .better = unused_better},
    {'J', "setAlignment", WEIR_OPTION_SIZE, AT(alignment_bytes), "1",
     .help = "alignment of the parts of a file, an option of backend HDF5", .since = "2.10",
     .better = unused_better},
    {'n', "noFill", WEIR_OPTION_FLAG, AT(no_fill),
     .help = "no values put into new data sets, an option of backends HDF5 and NCMPI",
     .since = "2.10", .better = unused_better},
    {0, "collectiveMetadata", WEIR_OPTION_FLAG, AT(collective_metadata),
     .help = "metadata of HDF5 together, an option of backend HDF5", .since = "3.2",
     .better = unused_better},
    {'-', NULL, WEIR_OPTION_FLAG, AT(stray_dashes),
     .help = "a dash among letters, as in -z-k, is passed over", .since = "2.10",
     .better = unused_better},
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
    {0},
};

const struct weir_option_set weir_ior_old_set = {"older IOR", old_rows,
                                                 sizeof(struct weir_ior_config)};

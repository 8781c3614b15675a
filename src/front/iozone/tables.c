/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of IOzone 3.487's options, of what we add to them, and of what is done in place of a
 * run. IOzone has letters alone; long names are ours. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_iozone_config, member)
#define ROW(letter_, name_, type_, member_, help_, ...)                                            \
    {                                                                                              \
        letter_, name_, WEIR_OPTION_##type_, AT(member_), .help = help_, .since = "3.487",         \
                                                          __VA_ARGS__                              \
    }
#define PLUS(letter_, name_, type_, member_, help_, ...)                                           \
    ROW(0, name_, type_, member_, help_, .plus = letter_, __VA_ARGS__)
#define REFUSED(letter_, plus_, name_, type_, help_, sentence_)                                    \
    {                                                                                              \
        letter_, name_, WEIR_OPTION_##type_, .plus = plus_, .help = help_, .refusal = sentence_,   \
                                             .since = "3.487"                                      \
    }

static const char sizes_better[] = "t and decimals are taken, and what is no size is refused";
static const char dedup[] = "data are not shaped for deduplication; --data full is unique and "
                            "incompressible, --data none what the buffer holds";

static const struct weir_option rows[] = {
    ROW('a', "auto", FLAG, is_auto, "all record sizes over all file sizes"),
    ROW('A', "auto-old", FLAG, is_old_auto, "the same as -a -z -i 0 -i 1 with a short table"),
    ROW('b', "excel-file", TEXT, excel_path, "file for the figures; -R as well",
        .better = "CSV, which spreadsheets and scripts read"),
    ROW('B', "mmap", FLAG, uses_mmap, "through a mapping of the file: backend mmap"),
    ROW('c', "close", FLAG, counts_close, "the time has the close in it"),
    ROW('C', "child-lines", FLAG, has_child_lines, "a line for each child"),
    ROW('d', "stagger", MICROSECONDS, stagger_ns, "microseconds between the starts of children",
        .better = "right above 100000 too, and with a unit: 1s"),
    ROW('D', "mmap-async", FLAG, syncs_map_later, "backend mmap; msync is that of -e alone"),
    ROW('e', "flush", FLAG, flushes, "the time of each test, of reads too, has a sync in it"),
    ROW('E', "pwrite", FLAG, has_pwrite, "tests 9 and 10 in single mode, and the long table"),
    ROW('f', "file", TEXT, file, "file of the tests in single mode; iozone.tmp if not given"),
    ROW('F', "files", TEXT, files, "as many file names as children"),
    ROW('g', "largest-file", TEXT, largest_file, "largest file of auto mode; 512m if not given",
        .better = sizes_better),
    ROW('G', "mmap-sync", FLAG, syncs_map, "with -B or -D: a sync after each record"),
    ROW('H', "aio-copy", COUNT, aio_copy_depth, "transfers in flight: backend libaio",
        .most = 4096),
    ROW('i', "test", TEXT, tests, "a test, 0 to 10, as often as wanted",
        .better = "a number that is no test is refused and not taken for 0, which writes"),
    ROW('I', "direct-io", FLAG, is_direct, "past the page cache, but for tests 6 and 7"),
    ROW('j', "stride-records", COUNT, stride, "stride of test 5 in records", .standard = "17",
        .least = 1, .most = INT64_C(1) << 40),
    ROW('J', "think", MILLISECONDS, think_ns, "milliseconds before each operation",
        .better = "decimals and units count: 0.5, 2s"),
    REFUSED('K', 0, "disturb", FLAG, "disturbed reads",
            "reads are not disturbed by others; test 2 reads in random order"),
    ROW('k', "aio", COUNT, aio_depth, "transfers in flight: backend libaio", .most = 4096),
    ROW('l', "least-children", COUNT, least_children, "the first number of children",
        .most = 1 << 20),
    ROW('L', "line-size", COUNT, line_bytes, "printed alone", .standard = "32"),
    ROW('m', "multi-buffer", FLAG, unused, "printed alone: buffers are those of the depth"),
    ROW('M', "machine", FLAG, tells_machine, "the system in the header"),
    ROW('n', "smallest-file", TEXT, smallest_file, "smallest file of auto mode; 64k if not given",
        .better = sizes_better),
    ROW('N', "microseconds", FLAG, in_microseconds, "microseconds per operation in single mode"),
    ROW('o', "sync", FLAG, is_sync, "each write is synced",
        .better = "by fsync, which all backends have"),
    ROW('O', "ops", FLAG, in_ops, "operations per second"),
    REFUSED('p', 0, "purge", FLAG, "purged processor caches",
            "processor caches are not purged; --drop-caches node empties the page cache"),
    ROW('P', "bind", INTEGER, first_processor, "printed alone: --pin core binds ranks",
        .standard = "-1"),
    ROW('q', "largest-record", TEXT, largest_record,
        "largest record of auto mode; 16m if not given", .better = sizes_better),
    ROW('Q', "latency-files", FLAG, has_latency_files, "files with the time of each operation"),
    ROW('r', "record", TEXT, records, "record size, as often as wanted", .better = sizes_better),
    ROW('R', "excel", FLAG, has_excel, "Excel text at the end"),
    ROW('s', "size", TEXT, sizes, "file size of each child, as often as wanted",
        .better = sizes_better),
    ROW('S', "cache-size", COUNT, cache_kb, "printed alone", .standard = "1024"),
    ROW('t', "child-count", TEXT, children, "throughput mode with so many ranks",
        .better = "more than 1024; several in a list"),
    ROW('T', "as-threads", FLAG, has_threads, "printed alone: children are ranks"),
    ROW('u', "most-children", COUNT, most_children, "the last number of children", .most = 1 << 20),
    ROW('U', "remount", TEXT, remount, "mount point that is remounted before each test",
        .better = "on each node"),
    ROW('V', "verify", TEXT, pattern, "verify what is read",
        .better = "data prove their place; the pattern is ours"),
    ROW('W', "lock", FLAG, locks_file,
        "files are locked while they are open, but for tests 6 and 7",
        .better = "kept from the open to the close, and not the process's but the open file's"),
    ROW('w', "keep", FLAG, keeps, "files stay"),
    ROW('x', "no-stonewall", FLAG, has_no_wall, "all children do all"),
    ROW('X', "write-telemetry", TEXT, write_list,
        "file with a line for each transfer of test 0: offset, bytes, and maybe milliseconds "
        "before",
        .better =
            "sizes with units and parts of milliseconds are taken, and a wrong line is named"),
    ROW('y', "smallest-record", TEXT, smallest_record,
        "smallest record of auto mode; 4k if not given", .better = sizes_better),
    ROW('Y', "read-telemetry", TEXT, read_list, "the same for test 1",
        .better = "a transfer that is not in the file is named"),
    ROW('z', "no-crossover", FLAG, has_no_crossover, "small records for large files too"),
    REFUSED('Z', 0, "mixed-mapping", FLAG, "mapping and writes together",
            "a mapping and writes are not mixed; use -B, or leave it out"),
    REFUSED(0, 'a', "zero-percent", COUNT, "share of zeros", dedup),
    PLUS('A', "madvise", COUNT, advice,
         "advice on the mapping: 0 normal, 1 random, 2 sequential, 3 dontneed, 4 willneed",
         .most = 4),
    REFUSED(0, 'b', "bursts", TEXT, "bursts and pauses",
            "there are no bursts; -J pauses before each operation, --rate sets a rate"),
    PLUS('B', "sequential-mix", FLAG, mixes_in_order, "test 8 goes in order"),
    PLUS('c', "controller", TEXT, print_only, "accepted: MPI starts ranks"),
    REFUSED(0, 'C', "dedup-within", COUNT, "deduplication", dedup),
    PLUS('d', "diagnose", FLAG, verifies, "verify what is read, and stop at wrong data"),
    PLUS('D', "dsync", FLAG, is_dsync, "each write is synced"),
    PLUS('E', "existing", FLAG, is_foreign, "read files of others: no writes, nothing removed"),
    REFUSED(0, 'F', "truncate", FLAG, "O_TRUNC of test 8",
            "a mixed test needs what is in the file; leave it out"),
    PLUS('h', "host-name", TEXT, print_only, "accepted: MPI starts ranks"),
    PLUS('H', "time-host", TEXT, print_only, "accepted: clocks of ranks are synchronised"),
    PLUS('i', "port", TEXT, print_only, "accepted: MPI starts ranks"),
    PLUS('J', "count-think", FLAG, counts_think, "the time has pauses of -J in it"),
    PLUS('k', "constant-total", FLAG, splits_total, "-s is the size of all children together"),
    PLUS('K', "mix-readers", COUNT, readers, "test 8: so many of the children read",
         .most = 1 << 20),
    PLUS('l', "record-locks", FLAG, locks_records,
         "each record is locked while it is moved, but for tests 6 and 7"),
    REFUSED(0, 'L', "shared-locks", FLAG, "locks each record of one file",
            "children have files of their own, whose records -+l locks; weir ior has a file of all "
            "tasks, and --posix.rangelocks"),
    PLUS('m', "host-list", TEXT, host_list,
         "file with a line for each child: host, directory, "
         "program, and maybe a file",
         .better = "ranks on these hosts; blank lines are taken; all lines without -t"),
    REFUSED(0, 'M', "dedup-compress", FLAG, "deduplication", dedup),
    PLUS('n', "no-retest", FLAG, no_retest, "no second pass"),
    PLUS('N', "no-truncate", FLAG, has_old_file, "a file that is there is not removed before"),
    PLUS('O', "op-rate", COUNT, rate, "operations per second of each child"),
    PLUS('p', "mix-read-percent", COUNT, read_percent, "test 8: share of the children that read",
         .most = 100),
    PLUS('P', "time-port", TEXT, print_only, "accepted: clocks of ranks are synchronised"),
    PLUS('q', "pause", SECONDS, delay_ns, "seconds between tests",
         .better = "decimals and units count: 0.5, 2m"),
    REFUSED(0, 'Q', "dedup-granule", COUNT, "deduplication", dedup),
    PLUS('r', "rsync", FLAG, is_rsync, "each write is synced"),
    PLUS('R', "name-list", TEXT, name_list, "file with the file names of children, one a line"),
    PLUS('s', "silent", FLAG, unused, "accepted: MPI starts ranks"),
    REFUSED(0, 'S', "dedup-seed", COUNT, "deduplication", dedup),
    REFUSED(0, 't', "net-check", FLAG, "speed of the network", "use weir net"),
    PLUS('T', "time-stamps", FLAG, unused,
         "accepted: starts and ends of all tests are in the file of --result"),
    PLUS('u', "cpu-use", FLAG, has_cpu, "processor time"),
    REFUSED(0, 'U', "unbuffered", FLAG, "of Windows", "use -I"),
    REFUSED(0, 'V', "shared-file", FLAG, "all children on the same bytes of one file",
            "children do not race over one region; weir ior has a file in which each task has its "
            "own segments"),
    REFUSED(0, 'w', "dedup-across", COUNT, "deduplication", dedup),
    REFUSED(0, 'W', "dedup-skew", COUNT, "deduplication", dedup),
    PLUS('x', "growth", COUNT, growth, "from one size of auto mode to the next", .standard = "2",
         .least = 2, .most = 1 << 20),
    REFUSED(0, 'X', "short-circuit", FLAG, "constant data", dedup),
    REFUSED(0, 'y', "dedup-interior", COUNT, "deduplication", dedup),
    PLUS('z', "histograms", FLAG, has_histograms, "files with the latencies of each child"),
    REFUSED(0, 'Z', "old-data", FLAG, "data of older releases",
            "files of IOzone are read with -+E; leave it out"),
    {0},
};

const struct weir_option_set weir_iozone_option_set = {"iozone", rows,
                                                       sizeof(struct weir_iozone_config)};

/* ---- what we add ---- */

#define OURS(member) WEIR_OPTION_AT(struct weir_iozone_additions, member)

static const struct weir_option addition_rows[] = {
    {0, "backend", WEIR_OPTION_TEXT, OURS(backend), "POSIX",
     .help = "backend of all tests but 6 and 7, see weir backends"},
    {0, "same-order", WEIR_OPTION_FLAG, OURS(has_same_order),
     .help = "all children have the same random order, as in the original"},
    {0, "compat", WEIR_OPTION_TEXT, OURS(compat), "3.487",
     .help = "print the layout of this IOzone: 3.420 or 3.487"},
    WEIR_SUMMARY_ROWS(OURS(summary_path), OURS(summary_format)),
};

const struct weir_option_set weir_iozone_addition_set = {"Weir for IOzone", addition_rows,
                                                         sizeof(struct weir_iozone_additions)};

static const struct weir_option order_rows[] = {
    {0, "explain", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, explain),
     .help = "print what would be done, and stop"},
    {'h', "help", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, help),
     .help = "print this, and stop", .since = "3.487"},
    {'v', "version", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, version),
     .help = "print the version, and stop", .since = "3.487"},
    {0},
};

const struct weir_option_set weir_iozone_order_set = {"in place of a run", order_rows,
                                                      sizeof(struct weir_orders)};

const struct weir_foreign_word weir_iozone_foreign_words[] = {
    {"np|nprocs|numjobs|threads|procs|ranks|tasks", "-t NUMBER below mpiexec -n NUMBER"},
    {"filesize|file-size|blocksize", "-s SIZE (of each child)"},
    {"bs|transfer|transferSize", "-r SIZE"},
    {"iodepth|qd|queue-depth", "--depth NUMBER, or -k NUMBER"},
    {"dir|directory|path|testFile", "-f FILE, or -F and a file for each child"},
    {"hostfile|hosts|machinefile", "-+m FILE"},
    {"odirect|direct_io|nocache", "-I"},
    {"json|csv|format", "--summaryFormat default|JSON|CSV"},
    {"dry|dry-run|dryRun", "--explain"},
    {"force", "--overwrite (what this program did not make may be lost)"},
    {0},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* What IOR does that its users would not expect. Each was observed on the original, by running it
 * or in its issue tracker. */
#include "ior_compat.h"

static const struct weir_ior_quirk of_the_command_line[] = {
    {"`-t1m` also sets `-m`, `-o/tmp/f` also `-t -m -p -f`: letters of an attached value are "
     "searched "
     "for flags",
     "a value is a value", "the line would mean something else than it says"},
    {"`--posix.odirect=` ends in a segmentation fault", "refused: the value is empty",
     "a crash helps nobody"},
    {"`-b 1.5g` is 1 byte, `1e6` is 1, `0x10` is 0: whatever follows the digits is dropped",
     "`1.5g` is 1536 MiB; what is no number is refused",
     "a size is what it says, or nothing is run"},
    {"`-t abc` is -1, and is refused for not being a multiple of 8", "refused for not being a size",
     "the sentence names the mistake"},
    {"`-d 0.1` is 0 seconds, as are all fractions", "fractions of seconds and minutes count",
     "they can be waited for"},
    {"after one wrong word all later ones are called wrong, and the whole help follows",
     "one sentence on the first wrong word, with the nearest right one",
     "the mistake stands on the screen"},
    {"`-h` ends with exit code 1, and every task prints the help", "exit code 0, printed once",
     "asking for help is no failure"},
    {"every task prints every error, and MPI_Abort ends the job with 255",
     "rank 0 prints it once; exit code 2 (words) or 3 (environment)",
     "64 copies of a sentence hide it"},
    {"`-F -F` counts to 2, which some places take for off", "given twice is given",
     "a flag has no third state"},
    {"sizes above what an int holds are cut off with a warning", "64 bits, and refused beyond",
     "a cut-off number is a wrong number"},
    {"an option of a backend that is not used is taken without a word",
     "taken, with a remark in the report", "`--posix.odirect` with `-a MPIIO` does nothing"},
    {"`-C 1`, which some write, is refused with the help",
     "refused: the word 1 is one too many; `-Q` "
     "gives the distance",
     "the same, with a reason"},
    {"`useExistingTestFile` and others of the manual are known, `quitOnError`, `storeFileOffset`, "
     "`lustreStripeCount` and others of older releases are not any more",
     "all that have a meaning here are accepted", "published recipes go on working"},
    {"-M 2g takes 2 percent of the memory", "-M 2g takes 2 GiB of each node",
     "sizes mean sizes; percent are written with %"},
    {"`-i 0` runs with a table of no entries and writes behind it",
     "one repetition, with a warning", "the warning is IOR's"},
    {"a value that begins with `-` is taken (`-t -w`)",
     "refused: the value is missing; numbers below 0, `-o=-file` and `-O --key=value` are taken",
     "the option behind it was meant"},
    {"`-D 5m` is 5242880 seconds: times take the units of sizes",
     "refused: times are decimals without unit", "5m means minutes to most who write it"},
    {"whole numbers take units: `-i 1k` is 1024 repetitions", "the same", "scripts write it"},
    {"`-k=yes` is 0", "refused", "yes does not mean no"},
    {"a negative delay is 0, with a warning", "the same", "the warning is IOR's"},
    {"`-s 0` writes nothing and prints nan", "refused", "there is nothing to measure"},
    {"`-D -1` and other negative times are taken", "refused", "a time is 0 or more; 0 says never"},
    {"a seed above 32 bits is cut, with a warning", "refused", "a cut seed verifies nothing later"},
    {"`-c` with POSIX and others without collective calls is taken without a word",
     "taken, with a remark; the report says independent", "the report must not say collective"},
    {"`-u` without `-F` is taken without a word", "taken, with a remark",
     "one file has no directory of its own"},
    {"`-u` with a list of names is refused", "each file has a directory beside its own name",
     "it has a meaning"},
    {"`-z` with `-C` or `-Z` on a shared file is refused, as is `-z -R` without a seed, and `-z` "
     "with collective MPI-IO",
     "done", "orders are permutations that every rank can compute"},
    {"`-C` with `-Z -Z` is taken", "refused, as `-C` with `-Z` is",
     "only one of the two can be meant"},
    {"`-M` and memoryPerTask together take both", "refused", "only one of the two can be meant"},
    {"`-l` was a flag (storeFileOffset) in the oldest releases",
     "`-l` is the data packet type; the key storeFileOffset is `-l offset`", "the letter is taken"},
    {"`-q` (to 3.3) ends the program at the first wrong word",
     "a rank ends its reading at its first wrong transfer; the rest is told, and the exit code is "
     "1",
     "what was found is worth telling"},
    {"`IOR_FAKE_NODES` and `IOR_FAKE_TASK_PER_NODES` in the environment change what is counted",
     "the same, with a remark; the command line goes before them, and the result file keeps them",
     "a result must tell what it was made of"},
    {0},
};

static const struct weir_ior_quirk of_scripts[] = {
    {"lines above 1023 characters are cut off", "lines of any length",
     "nothing is dropped in silence"},
    {"after two `RUN` in a row, a line `--option=value` crashes", "it belongs to the next test",
     "that is what it says"},
    {"`-O` and script lines read most numbers without unit", "with or without unit, as options do",
     "one syntax for one thing"},
    {"side files are opened and emptied when the line is read", "when the run begins",
     "a run that is refused leaves files alone"},
    {"-f inside a script is read", "refused", "the order of the tests would depend on the reader"},
    {0},
};

static const struct weir_ior_quirk of_access[] = {
    {"`-z` on a shared file deals transfers to tasks by chance: some get more than others, each "
     "segment has the same pattern, and the list takes memory and, for 10^9 transfers, three "
     "minutes",
     "a permutation of all transfers, equally many for each rank, another one in each segment, "
     "computed "
     "as it goes",
     "the work is even, and nothing is generated inside the timing"},
    {"`-z` shuffles with a bias, from the C library's generator", "a keyed permutation",
     "every order is as likely as every other; the same seed gives the same order everywhere"},
    {"`-z -z -w` divides by zero",
     "writes blocks at random positions of the file that the layout would "
     "make",
     "it is what the words ask for"},
    {"wear-out with `-z -z` draws from a file of another size than the main loop", "from the same",
     "one formula"},
    {"`-Z` draws for each task alone: several may read the same region, and some are read by none",
     "a random permutation that keeps `-Q` nodes away", "every region is read once"},
    {"`-C` on one node changes nothing, in silence",
     "a finding says that the data were read where they "
     "were written",
     "the number is that of the page cache"},
    {"shifts count all nodes as full as the first one", "nodes are counted as they are",
     "with 1 and 3 tasks on two nodes most would read their own"},
    {"`-C` with `-W` can check what a node itself has cached on more than two nodes",
     "the check reads from yet another node where there is one", "it is to check the storage"},
    {"`--randomPrefill` fills the file with 0xFF inside of the timing, once for each segment with "
     "-D",
     "fills it before, in a phase of its own, with data that can be told from what is written "
     "later",
     "the time of the fill is not that of the random writes"},
    {"`-T` is looked at by each task on its own: some may leave, and the others wait forever",
     "rank 0 decides for all; phases that were not begun are told as such",
     "a job ends, and nan is no result"},
    {"a status file that holds no number leaves the other tasks waiting", "refused by all",
     "a job ends"},
    {"`-Y` syncs twice after each write with POSIX", "once", "once is what it says"},
    {"POSIX moves the file position and then transfers: two system calls", "one: pread, pwrite",
     "half of the calls of 4 KiB runs were not the storage's"},
    {"a short transfer is tried again up to 10000 times, then the job is aborted; MPI-IO as a "
     "whole",
     "the rest is asked for until nothing more comes, and counted; `-x` makes it an error",
     "a short transfer is a fact of the storage"},
    {"MMAP with -F maps each file at the size of all together", "at its own size",
     "files are as large as what is written"},
    {"directories of `-u` are never removed", "those that the run made are removed, unless `-k`",
     "a run leaves nothing behind"},
    {"what stands at the target is overwritten or removed, whatever it is",
     "only what a benchmark of ours wrote, unless `--overwrite`", "a mistyped path costs no data"},
    {"GPU words are accepted in builds that cannot do it", "refused",
     "no word is taken and ignored"},
    {0},
};

static const struct weir_ior_quirk of_data[] = {
    {"`-l i` (\"incompressible\") repeats one word since 4.0: 1 MiB packs to 2.6 KB",
     "does not compress at all", "that is what it says; `--data ior -l i` gives IOR's bytes"},
    {"the default pattern is the same in every transfer of a task: swapped blocks are not noticed",
     "every 4 KiB says file, offset, writer and generation",
     "verification that cannot fail is none"},
    {"verification counts one error per transfer and says no place",
     "file, offset, bytes, kind, writer "
     "and reader of the first ones",
     "someone has to find the disk"},
    {"`-l r -w -W` without `-G` always finds errors", "finds none where there are none",
     "the seed is one for the whole run"},
    {"`-R` without `-w` and `-G` is refused", "what was written says with which seed",
     "stamps hold it"},
    {"comparing, and making random data, count as I/O time",
     "both are timed apart and cut out; columns "
     "`wall` have them in",
     "the storage did not do it"},
    {"a read that does nothing is noticed in the first byte of the buffer only",
     "every sector of the buffer is spoiled before", "a torn read is a read"},
    {0},
};

static const struct weir_ior_quirk of_numbers[] = {
    {"the exit code is twice the number of errors modulo 256: 128 wrong transfers give 0",
     "1 with any error of data or operation, or if interrupted", "0 means right"},
    {"`Latency(s)` is the mean of task 0, not the least of all means as the manual has it",
     "the least of the ranks' means; percentiles over all transfers stand in our own block",
     "a delay of another task would not be seen"},
    {"`IOPS` counts over the transfer window, `OPs` of the summary over the whole time", "the same",
     "parsers of both exist"},
    {"times of different nodes are subtracted from each other as their wall clocks give them",
     "one monotonic time for all nodes, measured before and after each phase, with its error",
     "a clock that is 10 ms off makes a 10 ms phase of nothing"},
    {"times have a resolution of a microsecond and two calls per transfer",
     "nanoseconds; one reading "
     "serves the end of one transfer and the start of the next",
     "the harness must not be what is measured"},
    {"results that were not measured are nan or inf", "0 or no row", "JSON has no nan"},
    {"`clients per node` is that of the first node",
     "the same line; the report's own block has the "
     "truth",
     "parsers expect one number"},
    {"the summary's header stands three columns off its rows", "the same",
     "parsers split at blanks"},
    {"0 bytes of a `-D` run, or a short file, are told in a WARNING, with exit code 0",
     "the same lines; what failed makes the exit code 1", "stopping at a deadline is no failure"},
    {0},
};

static const struct weir_ior_quirk of_output[] = {
    {"releases from 4.0 on leave out `Max Write`, `Max Read` and the remove row without -v",
     "4.1's layout has the Max lines always; `--compat` prints each older layout whole",
     "scripts written for 3.x go on working"},
    {"warnings and wear-out lines stand in the middle of JSON and CSV", "on standard error",
     "JSON that parses is the point of JSON"},
    {"JSON strings are not escaped; infinite values are the word inf", "a JSON library writes it",
     "any file name may be measured"},
    {"-vvv prints the whole environment of task 0", "never", "it holds secrets"},
    {"-vvvv lets each task sleep for 5 seconds and prints every transfer",
     "as -vvv; savePerOpDataCSV has every transfer", "prints inside of the timing change it"},
    {"savePerOpDataCSV: the read overwrites the file of the write, and rows are printed inside of "
     "the "
     "timing",
     "`-write-`, `-read-` and `-check-` in the names; written after the phase", "both are wanted"},
    {"saveRankPerformanceDetailsCSV takes all tasks to have moved equally much", "what each moved",
     "-D and failures make them differ"},
    {"names and lines are cut at 1023 or 4096 bytes, some buffers overflow",
     "any length up to the "
     "system's limit for paths, else refused",
     "no silent other file"},
    {"an interrupted run leaves its files and no result",
     "a partial result, flagged; files removed "
     "unless kept; finished phases are on disk with `--result`",
     "a walltime limit is no reason to "
     "lose six hours"},
    {0},
};

const struct weir_ior_quirk_list weir_ior_quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {"Of scripts and directives", of_scripts},
    {"Of what is done", of_access},
    {"Of data and verification", of_data},
    {"Of numbers", of_numbers},
    {"Of output", of_output},
    {0},
};

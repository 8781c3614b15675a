/* SPDX-License-Identifier: Apache-2.0 */
/* Behaviour of mdtest that its users would not expect. Each was observed on the original, by
 * running it, in its manual or in its issue tracker. */
#include "compat.h"

static const struct weir_quirk of_the_command_line[] = {
    {"each `@` in `-d` separates two directories, and one before the first fails",
     "`@@` is an @ of a name; an @ before the first or after the last says nothing",
     "homes may be named user@domain"},
    {"`-B` takes a value since 3.2, and any use of it ends the run",
     "a flag, as in 1.9; a remark says that phases begin together all the same",
     "no time of a phase holds a barrier: it ends with the last operation of the slowest task"},
    {"`-N` with `-B`, `-c` with `-B`: refused", "taken",
     "phases begin together: no task looks for what another has not made yet"},
    {"`-W` with a branching factor above 1: refused", "taken",
     "items are counted, whichever directory they are in"},
    {"`-f` without `-l` is passed over", "the same, with a remark", "a test was expected"},
    {"`-N` with `-u` and a tree ends with No such file or directory: names of directories below "
     "the first are those of the wrong task",
     "done: task r's items are in the tree of task r + N, at any depth", "it is what -N means"},
    {"every task prints errors and some warnings; MPI_Abort ends the job",
     "rank 0 prints it once; exit code 2 (words), 3 (environment) or 1 (what failed while running)",
     "64 copies of a sentence hide it"},
    {"letters of an attached value are searched for flags, `-V4` as well as `-n8F`",
     "a value is a value", "the line would mean something else than it says"},
    {"`-h` ends with exit code 1, and every task prints the help", "exit code 0, printed once",
     "asking for help is no failure"},
    {"`-n 1.5k` is 1: whatever follows the digits is dropped", "1536; what is no number is refused",
     "a count is what it says, or nothing is run"},
    {"`IOR_FAKE_NODES` and `IOR_FAKE_TASK_PER_NODES` in the environment change what is counted, "
     "for "
     "the head and for `-N`",
     "the same; the result file keeps them", "a result must have its origin"},
    {"`-i 0` is taken", "one iteration, with a remark", "0 iterations were not meant"},
    {0},
};

static const struct weir_quirk of_what_is_done[] = {
    {"`-n` that the directories of the tree do not divide is rounded down in silence",
     "rounded down likewise, with a remark; less than one item per directory is refused",
     "names and places of files are those of the original"},
    {"neither `-n` nor `-I`: all phases are run on nothing", "the tree alone, with a remark",
     "rates of nothing say nothing"},
    {"directory creation is stopped by `-W` without wear-out, and the phases behind it look for "
     "directories that are not there",
     "all tasks go on to the count of the furthest, and later phases work on so many",
     "rates are of what exists"},
    {"`-x` counts files; directories read the same count",
     "the file counts what is made by the "
     "test: files, or with `-D` directories",
     "two counts do not fit into one number"},
    {"`-k` makes files of mode 0400", "0664, less the umask, as without it",
     "later runs read and write them"},
    {"`-R` shuffles a list of all items, with a seed per task", "an order that needs no list",
     "a billion items fit"},
    {"the directory of `-d` and what is below it is removed by name",
     "only what has mdtest's names or our mark is removed; anything else stays, is named, and the "
     "exit code is 1",
     "a wrong -d costs nobody their files"},
    {"a read of directories is a phase that does nothing", "no such phase",
     "there is nothing to measure"},
    {"directory renames of `-N` runs work on the own directories",
     "on those two steps away, where mdtest's read of directories would be",
     "the own node has them in its cache"},
    {"no listing, links, attributes, lookups of missing names, renames of files", "`--also`",
     "directories are listed as often as they are filled"},
    {"`-Y` runs the command sync by the shell", "a system call", "the shell is no part of it"},
    {0},
};

static const struct weir_quirk of_data[] = {
    {"wrong data are a line in the output, and the exit code is 0", "the exit code is 1",
     "scripts look at the exit code"},
    {"only the count of wrong transfers is told", "file, offset, writer and kind of the first ones",
     "a count does not say what is wrong"},
    {"`-X` compares data with those of the task that is expected",
     "any rank's data are recognised, "
     "in later runs too, without `-G`",
     "stamps say who wrote them, and when"},
    {0},
};

static const struct weir_quirk of_output[] = {
    {"`-Z` and the second table of `-P` are called `time (in ms/op)`, and hold seconds of whole "
     "phases",
     "milliseconds per operation, as the title says; titles of older layouts name no unit, and "
     "have "
     "the seconds of the original",
     "a number without its unit is of no use"},
    {"the lines of `-v` have the rate of task 0 for directories and files",
     "the rate of all tasks, as the table", "both are of the same phase"},
    {"the means and deviations of 3.3 are those of the rates of single tasks in all iterations",
     "`--compat 3.3` has those of iterations; the deviation divides by their number, as in 3.2 and "
     "3.3, and from 4.0 on by one less",
     "a rate of the phase is that of all tasks"},
    {"MPI_Abort ends a run that fails, without a table",
     "the table of what was done is headed `INCOMPLETE rate`, not `SUMMARY rate`, and the last "
     "line "
     "is `-- ended early at`, not `-- finished at`",
     "scripts take `SUMMARY` and `finished` for success"},
    {"`random seed:` is printed whenever `-R` is given",
     "if `--random-seed` is given; a seed that was drawn is in the result file",
     "a drawn seed is no option of the run"},
    {"`-v` prints leaf_only as remove_only, the API that was not given as (null), and 0.000 for "
     "phases that are not run; `-vv` and above trace each function and directory",
     "the right words, POSIX, and lines of what is run; no traces",
     "a time of 0 is that of nothing; prints inside of the timing change it"},
    {"`--print-all-procs` prints all eleven tests once an iteration is over, those that are not "
     "measured as 0",
     "a line as each phase ends, in the order of the run, and none of what is not measured",
     "what a long run has done can be read while it goes on"},
    {"with `-u` the tables have the rate at which task 0 made, and removed, its own tree; the line "
     "`all` of --saveRankPerformanceDetails that of all trees",
     "the same two: directories of one tree, and of all trees, over the time until the last task "
     "is done; JSON and CSV have that of all trees",
     "a time of the phase is that of all tasks"},
    {"`V-0: Rank   0 Line  2594` and other line numbers of the source", "the same words",
     "parsers look for them"},
    {"4.x has no colons behind the names of rows, which parsers for 3.x need",
     "`--compat 3.3` prints them", "old parsers go on working"},
    {0},
};

const struct weir_quirk_list weir_mdtest_quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {"Of what is done", of_what_is_done},
    {"Of data and verification", of_data},
    {"Of output", of_output},
    {0},
};

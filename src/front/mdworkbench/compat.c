/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-md-workbench.md, and behaviour of md-workbench that its users would not
 * expect. Each quirk was observed on the original, by running it or in its outputs. */
#include "compat.h"

#include "options.h"
#include "weir/base/version.h"

static const struct weir_quirk of_the_command_line[] = {
    {"`-h` ends with exit code 1, and every task prints the help", "exit code 0, printed once",
     "asking for help is no failure"},
    {"`-P 1.5k` is 1: whatever follows the digits is dropped", "1536; what is no number is refused",
     "a count is what it says, or nothing is run"},
    {"letters of an attached value are searched for flags", "a value is a value",
     "the line would mean something else than it says"},
    {0},
};

static const struct weir_quirk of_output[] = {
    {"times have a resolution of a microsecond or so: `stat(0.0000e+00s`",
     "nanoseconds; quantiles are those of a histogram, right within 0.8 %",
     "operations on names are faster than that"},
    {"one phase makes directories and objects, and one removes them",
     "the same line, of two phases: the time of the directories is that of all tasks together",
     "the deviation is that of the tasks' times for objects"},
    {"`-3` removes the directory of `-o`, also one that was there before",
     "the directory goes if `-1` of this or of an earlier run has made it, otherwise it stays",
     "a directory of others is not ours to remove"},
    {0},
};

static const struct weir_quirk_list quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {"Of output", of_output},
    {0},
};

void weir_mdworkbench_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    (void)backends;
    weir_text_add(
        text,
        "# Weir and md-workbench\n\n"
        "This page is what `weir compat md-workbench` prints: it is made from the tables that the "
        "parser of the command line reads, and the list of quirks in "
        "`src/front/mdworkbench/compat.c`. A test compares the two. "
        "[md-workbench.md](md-workbench.md) is the manual.\n\n"
        "\"Same\" means: the same words, the same meaning, the same names and places of files, and "
        "numbers by the same definition. \"Better\": the same words and meaning, and something "
        "that the original leaves out or gets wrong. \"Refused\": the run ends with exit code 2 "
        "and a sentence before anything is touched; no word is ignored in silence. \"Since\" is "
        "the release of IOR with which the word came; the original is looked at up to %s. Long "
        "names beside `-G` and `-o` are ours.\n\n"
        "Options of backends are those of `weir ior`: [compat-ior.md](compat-ior.md) lists them. "
        "Backends without operations on names, such as MPIIO, are refused.\n\n",
        WEIR_IOR_VERSION);
    weir_compat_add_options(text, &weir_mdworkbench_option_tables, NULL);
    weir_compat_add_quirks(text, "md-workbench", quirk_lists);
}

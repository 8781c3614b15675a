/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-md-workbench.md, and behaviour of md-workbench that its users would not
 * expect. Each quirk was observed on the original, by running it or in its outputs. */
#include "compat.h"

#include "absent_backends.h"
#include "options.h"
#include "weir/base/version.h"

static const struct weir_quirk of_what_is_done[] = {
    {"each task and phase waits for the slowest, and the time of directories is in that of objects",
     "the same line, of two phases: the directories, whose time is that of all tasks, and the "
     "objects",
     "the deviation is that of the tasks' times for objects"},
    {"the file of `--run-info-file` is written over whatever it held",
     "a file that holds something else than a position is refused",
     "a mistyped name costs nobody their file"},
    {"`--read-only` repeats",
     "each iteration reads the same objects, the first `-I` of the "
     "working set",
     "nothing has moved"},
    {"`-I` may be greater than `-P`", "refused",
     "a task would work on objects that another one has not made yet"},
    {"errors of single operations are counted in the benchmark, and end the run before it",
     "the first one ends the run, and with `--ignore-precreate-errors` or `--on-error` all are "
     "counted",
     "a rate of failures is no result"},
    {"what is below the directory of `-o` is removed by name",
     "only data sets with our mark are removed; anything else stays and is named",
     "a wrong -o costs nobody their files"},
    {0},
};

static const struct weir_quirk of_output[] = {
    {"times are rounded to microseconds, `stat` of 0.0000e+00s among them",
     "nanoseconds; quantiles are those of a histogram, right within 0.8 %",
     "operations on names are faster than a microsecond"},
    {"`--process-reports` has quantiles of each task", "no quantiles of single tasks",
     "histograms are merged over all tasks"},
    {"`-h` ends with exit code 1, and every task prints the help", "exit code 0, printed once",
     "asking for help is no failure"},
    {"wrong data are counted as errors, and the exit code is 0", "the exit code is 1",
     "scripts look at the exit code"},
    {0},
};

static const struct weir_quirk_list quirk_lists[] = {
    {"Of what is done", of_what_is_done},
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
        "Backends without operations on names, such as MPIIO, are refused.\n\n"
        "## Options\n\n### Of md-workbench 4.1\n",
        WEIR_IOR_VERSION);
    weir_compat_add_rows(text, "md-workbench", &weir_mdworkbench_option_set);
    weir_text_add(text, "\n### Of backends that are not built\n");
    weir_compat_add_rows(text, "md-workbench", &weir_absent_backend_set);
    weir_text_add(text, "\n### Beyond md-workbench\n");
    weir_compat_add_rows(text, "md-workbench", &weir_common_set);
    weir_compat_add_rows(text, "md-workbench", &weir_mdworkbench_addition_set);
    weir_compat_add_rows(text, "md-workbench", &weir_mdworkbench_order_set);
    weir_compat_add_quirks(text, "md-workbench", quirk_lists);
}

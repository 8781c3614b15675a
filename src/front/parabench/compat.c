/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-parabench.md, and behaviour of Parabench that is different here. Each quirk
 * was observed on the original, by running it or in its outputs. */
#include "options.h"

#include "compat_page.h"

static const struct weir_quirk of_the_command_line[] = {
    {"without a program, or with one that is not there: a hint, exit code 0", "exit code 2",
     "a script must see that nothing was run"},
    {"all groups without a size: their blocks are skipped", "refused; give `-g NAME:SIZE`",
     "a run that does nothing looks like a fast one. If only some have no size, the report says "
     "so"},
    {"each rank echoes the words of `-g`, and parameters that the environment sets",
     "told by `--explain`", "the output of a run has one line for what all ranks share"},
    {"`name=value` and PARABENCH_name: of parameters alone, by name",
     "the same, and by the name of "
     "the variable, too",
     "both names are in the program"},
    {"values of parameters have no suffixes: `4k` is 4", "4096, as in the program",
     "a size is written alike everywhere"},
    {"names of files may be anywhere",
     "only in the current directory and in those that values of parameters name; `--root "
     "DIRECTORY` in place of them, or `--anywhere`",
     "a slip in a variable must not cost data elsewhere"},
    {0},
};

static const struct weir_quirk of_the_language[] = {
    {"`1M` is 1 byte: large K, M and G are read and do nothing",
     "1048576, with a remark; T is "
     "1024^4",
     "nobody can have wanted it"},
    {"`%` is weaker than `*` and `/`, `^` is right-associative",
     "the same; comparisons are weaker than all, and a minus in front is weaker than `^` alone",
     "programs depend on it"},
    {"`$a = $b;` ends the run", "copies", "it has one meaning"},
    {"a minus only in definitions; no comparison, no `if`",
     "everywhere; `== != < <= > >=`, and "
     "`if (expr) body else body`",
     "they can be in no old program"},
    {"no number of ranks, no rank in a group, no host", "`$$size $$grank $$gsize $$node $$host`",
     "programs had to be told"},
    {"`$$crand` is `$$rand`", "the same number on all ranks of the innermost group",
     "as it was meant; `--seed` repeats both"},
    {"`$$myrank` is `$$rank`: internal variables are found by a part of their name",
     "refused, with "
     "those that there are",
     "a slip must not become another number"},
    {"negative numbers are told unsigned inside of texts", "with their sign",
     "18446744073709551613 is not -3"},
    {"no loops that end by time",
     "`repeat 60s body` and `repeat $i 60s body`; units ms, s, min and "
     "h (5m is 5 times 1024^2)",
     "tests of unknown length could not be bounded"},
    {"`define param ... ;` is a syntax error, `{ }` and a leading `;` crash; `group` takes a block "
     "alone, `fopen`, `fcreat` and `pfopen` parentheses, and a label is a text",
     "accepted; `group` takes one statement, too, parentheses may always be left out, and a label "
     "may be a variable",
     "they have one meaning"},
    {"an unknown word or character is dropped, and what is left is parsed",
     "refused, with the place and the "
     "word that was meant",
     "something else than what is written would be run"},
    {"a variable that is not set, an unknown pattern, group or mode: found when they are come to, "
     "or never",
     "the program is checked whole before anything is touched",
     "a slip in the last line must not cost a night"},
    {"a barrier or a call of several ranks inside of `master` hangs", "refused",
     "only one rank comes to it"},
    {"a pattern may be used by other ranks than those that it names", "refused",
     "the file would have holes, or parts that are written twice"},
    {"`barrier(\"unknown\")` crashes; variables in the mode of fopen are not looked at", "refused",
     "both are known before the run"},
    {"calls of more than 2 GiB come back short and count as failed; patterns of more abort",
     "64 bits everywhere", "files are larger today"},
    {0},
};

static const struct weir_quirk of_calls[] = {
    {"calls that fail are counted, some with a message each, and the exit code is 0",
     "counted by line and error, the first of each is told, and the exit code is 1; `--on-error`",
     "a script must see that something failed"},
    {"a failed fopen ends the run at the next use of its variable", "the same, with the line",
     "the program cannot go on"},
    {"mode `a+` opens for reading alone, O_DIRECTORY means O_DIRECT, too",
     "for reading and "
     "appending; O_DIRECTORY alone",
     "as the names say"},
    {"unknown modes are read-only", "refused, with the list", "as unknown words"},
    {"open and close of calls by name are in no figure",
     "commands of their own in our tables, "
     "outside of the call's time",
     "on many storages they are what takes the time"},
    {"pfopen, pfclose and pdelete are in no core time", "the same, as calls of our tables",
     "core times are comparable"},
    {"`pfopen` opens with O_RDWR and O_CREAT whatever the mode says; a third argument of `pread` "
     "does nothing",
     "the same; a remark on the argument", "old programs have them"},
    {"dread and dwrite need a build of their own, and buffers are not aligned", "built in, aligned",
     "O_DIRECT asks for it"},
    {"a program that used fopen crashes at its end", "it does not", "there is nothing to keep"},
    {0},
};

static const struct weir_quirk of_output[] = {
    {"labels are told for each rank and execution, and nothing is summed",
     "the same lists, and "
     "behind them a table of labels over all ranks and executions; `--plain` leaves it out",
     "the rate of a job is that of all its ranks"},
    {"all events are kept and listed",
     "up to `--events` of all ranks are kept, and up to 1000 of each kind listed on standard "
     "output, which says where the others are; figures of labels are of all",
     "memory must not grow with the length of a run, and a verdict must not stand behind a flood"},
    {"results.xml: in arbitrary order, names are not escaped, hours are those of UTC + 1",
     "sorted by name, rank and number, escaped, local time", "as it was meant"},
    {0},
};

static const struct weir_quirk_list quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {"Of the language", of_the_language},
    {"Of calls", of_calls},
    {"Of output", of_output},
    {0},
};

void weir_parabench_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    (void)backends;
    weir_text_add(
        text,
        "# Weir and Parabench\n\n"
        "This page is what `weir compat parabench` prints: it is made from the tables that the "
        "parser of the command line reads, and the list of quirks in "
        "`src/front/parabench/compat.c`. A test compares the two. [parabench.md](parabench.md) is "
        "the manual.\n\n"
        "\"Same\", \"better\" and \"refused\" mean what they mean on [the page of "
        "IOR](compat-ior.md), where the options of backends are, too. \"Since\" is the release of "
        "Parabench that was looked at, the last one, of 2013. Its programs run unchanged, but for "
        "what is refused below.\n\n");
    weir_compat_add_options(text, &weir_parabench_tables, NULL);
    weir_compat_add_quirks(text, "Parabench", quirk_lists);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-dd.md, and what users of dd would not expect of a benchmark with it. */
#include "options.h"

#include "compat_page.h"

static const struct weir_quirk of_the_command_line[] = {
    {"`if=A of=B` copies", "refused", "one of both is measured at a time: which one is said"},
    {"an existing output file is emptied",
     "it is removed first, outside of the time, if a benchmark made it; others are refused without "
     "--overwrite",
     "a slip of the pen must not cost data"},
    {"without `count` it goes on to the end of the file, or of the storage", "refused",
     "all ranks must know how much each does"},
    {"`count=0` with `oflag=nocache` or `iflag=nocache` drops a file from the page cache",
     "refused",
     "--drop-caches files, given to the read, does it on all nodes and checks that it did"},
    {"short reads count as blocks unless `iflag=fullblock` is given", "each block is read in full",
     "a rate of blocks of any size says nothing"},
    {0},
};

static const struct weir_quirk of_output[] = {
    {"the lines go to standard error", "they are the report, on standard output",
     "`--summaryFile`, `weir report` and our own block work as for every dialect"},
    {"a copy that fails or is interrupted has its three lines, too",
     "`weir dd: not all was done`, and the blocks that were",
     "scripts accept the lines as success"},
    {"below 1000 bytes a second the rate is 0.0 kB/s", "the same", "readers know no other unit"},
    {"/dev/zero: the file holds zeros, which file systems and devices compress or leave out",
     "stamps that prove their place; zeros are not written",
     "else it is not the storage that is measured"},
    {0},
};

static const struct weir_quirk_list quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {"Of output", of_output},
    {0},
};

void weir_dd_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    (void)backends;
    weir_text_add(
        text,
        "# Weir and dd\n\n"
        "This page is what `weir compat dd` prints: it is made from the tables that the parser of "
        "the command line reads, and the list of quirks in `src/front/dd/compat.c`. A test "
        "compares the two. [dd.md](dd.md) is the manual.\n\n"
        "\"Same\", \"better\" and \"refused\" mean what they mean on [the page of "
        "IOR](compat-ior.md), where the options of backends are, too. \"Since\" is the release of "
        "coreutils that was looked at.\n\n");
    weir_compat_add_options(text, &weir_dd_tables, NULL);
    weir_compat_add_quirks(text, "dd", quirk_lists);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-iozone.md, and behaviour of IOzone that its users would not expect. Each
 * quirk was observed on the original, by running it or in its outputs. */
#include "compat_page.h"
#include "lowering.h"

static const struct weir_quirk of_the_command_line[] = {
    {"`-i 99` is not an error, and runs test 0, which writes",
     "refused with the tests that there are", "scripts that loop over numbers overwrite files"},
    {"`-s 1t` is 1 kB", "1 TiB", "a size is what it says"},
    {"a record that is larger than the file gives a row of 0", "refused", "nothing was measured"},
    {"without options it prints how it is used, exit code 255", "the same, exit code 2",
     "a benchmark writes only where it is asked to"},
    {"`-n`, `-g`, `-y` and `-q` without `-a` change nothing", "the same, with a note",
     "a range was expected"},
    {"lists of `-s` and `-r` must ascend, and what does not is passed over",
     "all are run, as given", "a test was expected"},
    {"`-F` takes as many words as `-t` before it says", "the words up to the next option",
     "`-t` may stand behind it"},
    {"`-+m` without `-t` runs everything on the local host", "all lines of the list are used",
     "such numbers were published as those of clusters"},
    {"an empty line in the list of `-+m` is an error", "passed over", "it says nothing"},
    {0},
};

static const struct weir_quirk of_what_is_done[] = {
    {"a missing file hangs throughput mode for ever",
     "said before any test begins, with rank, host and file; exit code 2", "jobs end"},
    {"a test that fails is 0, and the exit code is 0", "the run ends, and the exit code is not 0",
     "scripts look at the exit code"},
    {"a wrong working directory in the list is passed over", "an error",
     "the numbers are of another disk"},
    {"all children have the same random order", "each its own; `--same-order` for theirs",
     "real programs do not march in step"},
    {"test 5 reads some records twice and does not reach others", "each record once",
     "the amount is that of the file"},
    {"the file is synced before and after each test, outside of the time; with `-e` once more "
     "inside, for reads too; `-c` closes it in the time, without a sync after",
     "the same; with `-c -w` the file that the last test wrote is synced as well",
     "what `-w` keeps is on the device"},
    {"`-o`, `-+D` and `-+r` open with O_SYNC or O_DSYNC", "an fsync after each write",
     "every backend has it"},
    {"each read is checked in the timed loop", "`-V` and `-+d` alone check",
     "rates are of transfers"},
    {"`-Q` adds what a child does in the mixed test to its file of random reads or writes; one "
     "stream has files of tests 0 and 1 alone",
     "`Child_N_mixol.dat` for the mixed test; each test of one stream has a file",
     "a file is of one test"},
    {"2 s or 4 s of sleep between tests", "none; `-+q` sleeps", "time is dear"},
    {0},
};

static const struct weir_quirk_list quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {"Of what is done", of_what_is_done},
    {0},
};

static const struct weir_front_tables page_tables = {
    .place = "iozone",
    .title = "IOzone",
    .release = WEIR_IOZONE_RELEASE,
    .options = &weir_iozone_option_set,
    .additions = &weir_iozone_addition_set,
    .orders = &weir_iozone_order_set,
    .foreign = weir_iozone_foreign_words,
};

void weir_iozone_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    (void)backends;
    weir_text_add(
        text,
        "# Weir and IOzone\n\n"
        "This page is what `weir compat iozone` prints: it is made from the tables that the parser "
        "of the command line reads, and the list of quirks in `src/front/iozone/compat.c`. A test "
        "compares the two. [iozone.md](iozone.md) is the manual, and "
        "[iozone-output.md](iozone-output.md) says what is printed.\n\n"
        "\"Same\" means: the same words, the same meaning, the same names and places of files, and "
        "numbers by the same definition. \"Better\": the same words and meaning, and something "
        "that the original leaves out or gets wrong. \"Refused\": the run ends with exit code 2 "
        "and a sentence before anything is touched; no word is ignored in silence. The original is "
        "looked at in release %s. It has letters alone; long names are ours.\n\n"
        "Options of backends are those of `weir ior`: [compat-ior.md](compat-ior.md) lists "
        "them.\n\n",
        WEIR_IOZONE_RELEASE);
    weir_compat_add_options(text, &page_tables, NULL);
    weir_compat_add_quirks(text, "IOzone", quirk_lists);
}

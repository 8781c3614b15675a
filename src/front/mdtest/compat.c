/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-mdtest.md. */
#include "compat.h"

#include "options.h"
#include "weir/base/version.h"

/* Options of backends stand on IOR's page: they are the same. */
void weir_mdtest_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    (void)backends;
    weir_text_add(
        text,
        "# Weir and mdtest\n\n"
        "This page is what `weir compat mdtest` prints: it is made from the tables that the parser "
        "of the command line reads, and the list of quirks in `src/front/mdtest/quirks.c`. A test "
        "compares the two. [mdtest.md](mdtest.md) is the manual.\n\n"
        "\"Same\" means: the same words, the same meaning, the same names and places of files, and "
        "numbers by the same definition. \"Better\": the same words and meaning, and something "
        "that the original leaves out or gets wrong. \"Refused\": the run ends with exit code 2 "
        "and a sentence before anything is touched; no word is ignored in silence. \"Since "
        "mdtest\" is the oldest release in which the word is known to work: 1.9 was a program of "
        "its own, and since 3.2 it comes with IOR and has its numbers; the original is looked at "
        "up to %s. mdtest has letters for most options; a long name beside a letter is ours, but "
        "for those with capitals in them and `--verify-read`.\n\n"
        "Options of backends are those of `weir ior`: [compat-ior.md](compat-ior.md) lists them. "
        "Backends without operations on names, such as MPIIO, are refused.\n\n",
        WEIR_IOR_VERSION);
    weir_compat_add_options(text, &weir_mdtest_option_tables, NULL);
    weir_compat_add_quirks(text, "mdtest", weir_mdtest_quirk_lists);
}

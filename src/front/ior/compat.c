/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-ior.md. */
#include "compat.h"

#include "options.h"
#include "weir/base/version.h"

void weir_ior_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(
        text,
        "# Weir and IOR\n\n"
        "This page is what `weir compat ior` prints: it is made from the tables that the parser of "
        "the "
        "command line reads, and the list of quirks in `src/front/ior/quirks.c`. A test compares "
        "the two.\n\n"
        "\"Same\" means: the same words, the same meaning, and numbers by the same definition. "
        "\"Better\": the same words and meaning, and something that the original leaves out or "
        "gets wrong. \"Refused\": the run ends with exit code 2 and a sentence before anything is "
        "touched; no word is ignored in silence. Refused words are accepted with the value "
        "that they have when they are left out, such as `noFill=0`: scripts name them all. \"Since "
        "IOR\" is the oldest release in which "
        "the word is known to work; the original is looked at up to %s.\n\n"
        "Every long name is also a key of `-O key=value[,key=value...]` and of script lines, "
        "without regard to case. In IOR, those that begin with `stoneWalling`, `summary`, `save` "
        "and `num`, and `minTimeDuration`, `interIODelay`, `memoryPerTask`, `debug` and "
        "`platform`, are such keys only (`-O minTimeDuration=10`); here they are options, too.\n\n",
        WEIR_IOR_VERSION);
    weir_compat_add_options(text, &weir_ior_option_tables, backends);
    weir_compat_add_quirks(text, "IOR", weir_ior_quirk_lists);
}

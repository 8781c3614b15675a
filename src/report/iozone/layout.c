/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of IOzone's versions: the newest from outputs of it, the older one from the widths
 * that readers of it know. */
#include "layout.h"

#include <stddef.h>
#include <string.h>

#define BLANKS_15 "               "
#define BLANKS_60 BLANKS_15 BLANKS_15 BLANKS_15 BLANKS_15

static const struct weir_iozone_layout layouts[] = {
    {"iozone 3.487", .version = "3.487", .kb = "kB", .kbyte = "kByte",
     .heads = {{BLANKS_60, "              kB  reclen    write  rewrite    read    reread"},
               {"  random    random     bkwd    record    stride",
                "    read     write     read   rewrite      read"},
               {BLANKS_15 BLANKS_15 "      ", "   fwrite frewrite    fread  freread"},
               {BLANKS_15 BLANKS_15 "     ", "  pwrite repwrite   pread   repread"}},
     .file_width = 16, .record_width = 8,
     .widths = {9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9, 9, 9, 8, 9}},
    {"3.420", .version = "3.420", .kb = "KB", .kbyte = "Kbyte",
     .heads = {{BLANKS_15 BLANKS_15 BLANKS_15 "             ",
                "              KB  reclen   write rewrite    read    reread"},
               {"  random  random    bkwd   record   stride",
                "    read   write    read  rewrite     read"},
               {BLANKS_15 BLANKS_15 "     ", "   fwrite frewrite   fread  freread"},
               {BLANKS_15 BLANKS_15 "     ", "  pwrite repwrite   pread   repread"}},
     .file_width = 16, .record_width = 8,
     .widths = {8, 8, 9, 9, 8, 8, 8, 9, 9, 9, 9, 8, 9, 9, 9, 8, 9}},
};

const struct weir_iozone_layout *weir_iozone_layout_of(const struct weir_plan *plan)
{
    const char *style = plan->output.style;

    for (size_t i = 0; style != NULL && i < sizeof layouts / sizeof *layouts; i++)
        if (strstr(style, layouts[i].version) != NULL)
            return &layouts[i];
    return &layouts[0];
}

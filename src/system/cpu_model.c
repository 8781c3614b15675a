/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name of a processor by what the architectures call it. */
#include "cpu_model.h"

#include "weir/system/small_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *find_arm(unsigned long implementer, unsigned long part)
{
    static const struct {
        unsigned implementer;
        unsigned part;
        const char *name;
    } parts[] = {
        {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
        {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse N1"}, {0x41, 0xd40, "Neoverse V1"},
        {0x41, 0xd49, "Neoverse N2"}, {0x41, 0xd4f, "Neoverse V2"}, {0x41, 0xd83, "Neoverse V3AE"},
        {0x41, 0xd84, "Neoverse V3"}, {0x41, 0xd8e, "Neoverse N3"}, {0x42, 0x516, "ThunderX2"},
        {0x43, 0x0a1, "ThunderX"},    {0x43, 0x0af, "ThunderX2"},   {0x46, 0x001, "A64FX"},
        {0x48, 0xd01, "Kunpeng-920"}, {0xc0, 0xac3, "AmpereOne"},   {0xc0, 0xac4, "AmpereOne"},
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].implementer == implementer && parts[i].part == part)
            return parts[i].name;
    return NULL;
}

static void name_arm(const char *path, char *model, size_t bytes)
{
    char implementer[16], part[16], words[96];
    const char *name;

    if (!weir_small_file_field(path, "CPU implementer", implementer, sizeof implementer) ||
        !weir_small_file_field(path, "CPU part", part, sizeof part))
        return;
    name = find_arm(strtoul(implementer, NULL, 0), strtoul(part, NULL, 0));
    snprintf(words, sizeof words, "ARM implementer %s part %s", implementer, part);
    weir_small_text_copy(model, bytes, name != NULL ? name : words);
}

void weir_cpu_model(const char *root, char *model, size_t bytes)
{
    /* x86, LoongArch, POWER, RISC-V, s390. */
    static const char *const names[] = {"model name", "Model Name", "cpu", "uarch", "processor 0"};
    char path[WEIR_ROOTED_PATH_BYTES];

    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (weir_small_file_field(path, names[i], model, bytes))
            return;
    name_arm(path, model, bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Follows block devices down, as /sys/class/block tells. */
#include "block_chain.h"

#include "weir/system/small_file.h"

#include "weir/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Where devices are added: below a link, or to the highest level. */
#define ON_TOP SIZE_MAX

/* A chain while it is made. */
struct builder {
    struct weir_block_chain *chain;
    const char *root;
};

static size_t find_link(const struct weir_block_chain *chain, const char *name)
{
    size_t i = 0;

    while (i < chain->count && strcmp(chain->links[i].name, name) != 0)
        i++;
    return i;
}

/* Behind the parts of `parent` that are there already. */
static void insert(struct builder *builder, size_t parent, const char *name)
{
    struct weir_block_chain *chain = builder->chain;
    const uint32_t level = parent == ON_TOP ? 0 : chain->links[parent].level + 1;
    size_t place = parent == ON_TOP ? chain->count : parent + 1;

    while (place < chain->count && chain->links[place].level >= level)
        place++;
    memmove(&chain->links[place + 1], &chain->links[place],
            (chain->count - place) * sizeof *chain->links);
    chain->links[place] = (struct weir_block_link){
        .level = level,
        .is_partition =
            weir_small_file_is_there("%s/sys/class/block/%s/partition", builder->root, name),
    };
    memcpy(chain->links[place].name, name, strlen(name) + 1);
    chain->count++;
}

/* A device that is in the chain already stays where it is. */
static void add(struct builder *builder, size_t parent, const char *name)
{
    struct weir_block_chain *chain = builder->chain;

    if (strlen(name) >= sizeof chain->links->name ||
        !weir_small_file_is_there("%s/sys/class/block/%s", builder->root, name))
        return;
    if (find_link(chain, name) == chain->count) {
        if (chain->count == WEIR_CHAIN_MAX)
            return;
        insert(builder, parent, name);
    }
    if (parent != ON_TOP)
        chain->links[parent].has_parts = true;
}

static bool add_number(struct builder *builder, size_t parent, dev_t number)
{
    char name[NAME_MAX + 1];

    if (!weir_link_name(name, sizeof name, "%s/sys/dev/block/%u:%u", builder->root, major(number),
                        minor(number)))
        return false;
    add(builder, parent, name);
    return true;
}

/* ---- devices of a file system ---- */

/* "/dev/mapper/a-b": a device, or a link to one. */
static void add_node(struct builder *builder, size_t parent, const char *node)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    char real[PATH_MAX];
    struct stat facts;

    snprintf(path, sizeof path, "%s%s", builder->root, node);
    if (stat(path, &facts) == 0 && S_ISBLK(facts.st_mode) &&
        add_number(builder, parent, facts.st_rdev))
        return;
    if (realpath(path, real) != NULL)
        add(builder, parent, strrchr(real, '/') + 1);
    else
        add(builder, parent, strrchr(node, '/') + 1);
}

/* Btrfs names one of its devices as the source; the others stand beside it. */
static void add_btrfs(struct builder *builder, size_t parent, const char *name)
{
    struct weir_name_list systems, devices;

    weir_name_list_open(&systems, "%s/sys/fs/btrfs", builder->root);
    for (size_t i = 0; i < systems.count; i++) {
        const char *system = systems.entries[i]->d_name;

        if (!weir_small_file_is_there("%s/sys/fs/btrfs/%s/devices/%s", builder->root, system, name))
            continue;
        weir_name_list_open(&devices, "%s/sys/fs/btrfs/%s/devices", builder->root, system);
        for (size_t j = 0; j < devices.count; j++)
            add(builder, parent, devices.entries[j]->d_name);
        weir_name_list_close(&devices);
    }
    weir_name_list_close(&systems);
}

/* File systems of several devices have a number of their own that is no device's; bcachefs names
 * all of its devices, with colons between them. */
static void add_mount(struct builder *builder, size_t parent, const struct weir_mount *mount)
{
    struct weir_block_chain *chain = builder->chain;
    const size_t first = parent == ON_TOP ? chain->count : parent + 1;
    char source[PATH_MAX];
    char *rest = source;

    if (add_number(builder, parent, mount->device) || strncmp(mount->source, "/dev/", 5) != 0)
        return;
    snprintf(source, sizeof source, "%s", mount->source);
    while (rest != NULL) {
        const char *node = strsep(&rest, ":");

        if (strncmp(node, "/dev/", 5) == 0)
            add_node(builder, parent, node);
    }
    if (strcmp(mount->type, "btrfs") == 0 && first < chain->count)
        add_btrfs(builder, parent, chain->links[first].name);
}

/* ---- what is below one device ---- */

/* A partition is a directory in that of its disk. */
static void add_disk(struct builder *builder, size_t place)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    char real[PATH_MAX];

    snprintf(path, sizeof path, "%s/sys/class/block/%s", builder->root,
             builder->chain->links[place].name);
    if (realpath(path, real) != NULL && weir_text_cut_name(real))
        add(builder, place, strrchr(real, '/') + 1);
}

/* Of the device mapper, and of RAID. */
static void add_slaves(struct builder *builder, size_t place)
{
    struct weir_name_list slaves;

    weir_name_list_open(&slaves, "%s/sys/class/block/%s/slaves", builder->root,
                        builder->chain->links[place].name);
    for (size_t i = 0; i < slaves.count; i++)
        add(builder, place, slaves.entries[i]->d_name);
    weir_name_list_close(&slaves);
}

/* The backing of a loop device: another device, or a file. */
static void add_backing(struct builder *builder, size_t place)
{
    char file[PATH_MAX], path[WEIR_ROOTED_PATH_BYTES];
    struct weir_mount mount;
    struct stat facts;

    if (!weir_small_file_line(file, sizeof file, "%s/sys/class/block/%s/loop/backing_file",
                              builder->root, builder->chain->links[place].name))
        return;
    snprintf(path, sizeof path, "%s%s", builder->root, file);
    if (stat(path, &facts) != 0)
        return;
    if (S_ISBLK(facts.st_mode))
        add_number(builder, place, facts.st_rdev);
    else if (weir_mount_find(builder->root, path, &mount))
        add_mount(builder, place, &mount);
}

/* The parts of a link come behind it, so that they have their turn in this loop, too. */
static void add_all_below(struct builder *builder, size_t first)
{
    for (size_t i = first; i < builder->chain->count; i++) {
        if (builder->chain->links[i].is_partition)
            add_disk(builder, i);
        else
            add_slaves(builder, i);
        add_backing(builder, i);
    }
}

/* ---- chains ---- */

void weir_block_chain_add(struct weir_block_chain *chain, const char *root, const char *name)
{
    struct builder builder = {chain, root};
    const size_t first = chain->count;

    add(&builder, ON_TOP, name);
    add_all_below(&builder, first);
}

void weir_block_chain_add_number(struct weir_block_chain *chain, const char *root, dev_t number)
{
    struct builder builder = {chain, root};
    const size_t first = chain->count;

    add_number(&builder, ON_TOP, number);
    add_all_below(&builder, first);
}

void weir_block_chain_add_mount(struct weir_block_chain *chain, const char *root,
                                const struct weir_mount *mount)
{
    struct builder builder = {chain, root};
    const size_t first = chain->count;

    add_mount(&builder, ON_TOP, mount);
    add_all_below(&builder, first);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of a program over the ranks, its patterns by name, and names of its files without dots. */
#include "weir/plan/program.h"

#include <inttypes.h>
#include <string.h>

/* Whether group `a` is mapped before group `b`. */
static bool is_before(const struct weir_program_group *groups, unsigned a, unsigned b)
{
    if (groups[a].tag != groups[b].tag)
        return groups[a].tag < groups[b].tag;
    if (groups[a].order != groups[b].order)
        return groups[a].order < groups[b].order;
    return a < b;
}

/* The first group behind `last` in the order of mapping; group_count if there is none. `last` of
 * group_count: the first of all. */
static unsigned next_group(const struct weir_program *program, unsigned last)
{
    unsigned count = program->group_count, next = count;

    for (unsigned i = 0; i < count; i++)
        if ((last == count || is_before(program->groups, last, i)) &&
            (next == count || is_before(program->groups, i, next)))
            next = i;
    return next;
}

static void warn(struct weir_text *warnings, const struct weir_program_group *group,
                 const struct weir_rank_range *range)
{
    if (!warnings || (group->size > 0 && range->count == group->size))
        return;
    weir_text_add(warnings, "Warning: ");
    if (range->count > 0)
        weir_text_add(warnings,
                      "Mapping for group %s incomplete (%" PRIu64 " of %" PRIu64 " not mapped).\n",
                      group->name, group->size - range->count, group->size);
    else
        weir_text_add(warnings, "Group %s will not be mapped (%s).\n", group->name,
                      group->size == 0 ? "its size is 0" : "no ranks are left");
}

void weir_program_map_groups(const struct weir_program *program, uint64_t ranks,
                             struct weir_rank_range ranges[], struct weir_text *warnings)
{
    const struct weir_program_group *before = NULL;
    uint64_t single_end = 0, at = 0;

    for (unsigned i = next_group(program, program->group_count); i < program->group_count;
         i = next_group(program, i)) {
        const struct weir_program_group *group = &program->groups[i];
        bool follows = group->tag == WEIR_GROUP_SINGLE ||
                       (group->tag == WEIR_GROUP_DISJOINT && before &&
                        before->tag == WEIR_GROUP_DISJOINT && before->order == group->order);

        if (!follows)
            at = single_end;
        ranges[i].first = at;
        ranges[i].count = group->size < ranks - at ? group->size : ranks - at;
        warn(warnings, group, &ranges[i]);
        at += ranges[i].count;
        if (group->tag == WEIR_GROUP_SINGLE)
            single_end = at;
        before = group;
    }
}

int weir_program_set_parameters(const struct weir_program *program, struct weir_value values[])
{
    int code = 0;

    for (unsigned i = 0; code == 0 && i < program->parameter_count; i++) {
        const struct weir_parameter *parameter = &program->parameters[i];

        code = weir_value_set_text(&values[parameter->variable], parameter->value,
                                   strlen(parameter->value));
    }
    return code;
}

const struct weir_pattern *weir_program_find_pattern(const struct weir_program *program,
                                                     const char *name)
{
    for (unsigned i = 0; i < program->pattern_count; i++)
        if (strcmp(program->patterns[i].name, name) == 0)
            return &program->patterns[i];
    return NULL;
}

size_t weir_program_clean_path(char *path, size_t length, const char *name)
{
    while (*name != '\0') {
        size_t bytes = (size_t)(strchrnul(name, '/') - name);

        if (bytes == 2 && name[0] == '.' && name[1] == '.') {
            while (length > 0 && path[--length] != '/')
                ;
        } else if (bytes > 1 || (bytes == 1 && name[0] != '.')) {
            path[length++] = '/';
            memcpy(path + length, name, bytes);
            length += bytes;
        }
        name += bytes + (name[bytes] == '/');
    }
    path[length] = '\0';
    return length;
}

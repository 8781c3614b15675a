/* SPDX-License-Identifier: Apache-2.0 */
/* A group of one rank: every collective is done before it begins. */
#include "weir/group/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct self_group {
    struct weir_group base;
    int zero; /* the only rank, its node, and that node's leader */
    int node_start[2];
    char node_name[1][WEIR_NODE_NAME_BYTES];
};

static int self_send(struct weir_group *group, const void *data, size_t bytes, int to)
{
    (void)group;
    (void)data;
    (void)bytes;
    (void)to;
    return -EINVAL;
}

static int self_receive(struct weir_group *group, void *data, size_t bytes, int from)
{
    (void)group;
    (void)data;
    (void)bytes;
    (void)from;
    return -EINVAL;
}

static int self_part(struct weir_group *group, bool is_member, struct weir_group **part)
{
    (void)group;
    *part = NULL;
    return is_member ? weir_group_self_open(part) : 0;
}

static bool self_has_message(struct weir_group *group, int from)
{
    (void)group;
    (void)from;
    return false;
}

static void self_close(struct weir_group *group)
{
    free(group);
}

static const struct weir_group_ops self_ops = {
    .send = self_send,
    .receive = self_receive,
    .part = self_part,
    .has_message = self_has_message,
    .close = self_close,
};

int weir_group_self_open(struct weir_group **group)
{
    struct self_group *self = calloc(1, sizeof *self);
    struct weir_launch launch;

    if (!self)
        return -ENOMEM;
    /* A name that was cut is not terminated by the call itself. */
    if (gethostname(self->node_name[0], sizeof self->node_name[0] - 1) != 0)
        strncpy(self->node_name[0], "localhost", sizeof self->node_name[0] - 1);
    self->node_start[1] = 1;
    self->base = (struct weir_group){
        .ops = &self_ops,
        .size = 1,
        .node_count = 1,
        .node_size = 1,
        .node_of_rank = &self->zero,
        .node_leader = &self->zero,
        .node_start = self->node_start,
        .node_names = self->node_name,
    };
    weir_launch_read(NULL, &launch);
    weir_launch_compare(&launch, 1, "", &self->base.mismatch);
    *group = &self->base;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the queue pairs of two ends can be connected, and with what both can do. */
#include "verbs.h"

#include <string.h>

static bool is_mapped(const uint8_t gid[16])
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};

    return memcmp(gid, prefix, sizeof prefix) == 0;
}

const char *weir_verbs_mismatch(const struct weir_verbs_endpoint *ours,
                                const struct weir_verbs_endpoint *theirs)
{
    if (theirs->mtu < IBV_MTU_256 || theirs->mtu > IBV_MTU_4096 || theirs->queue_pair == 0)
        return "its endpoint makes no sense: are both ends of the same version of weir?";
    if (ours->layer != theirs->layer)
        return "one end is InfiniBand and the other RoCE: name devices of one kind with "
               "--rdma.device";
    if (ours->has_gid != theirs->has_gid)
        return "one end has a GID and the other has none: give both a --rdma.gid";
    if (ours->has_gid && ours->gid_type != theirs->gid_type)
        return "one end speaks RoCE v1 and the other RoCE v2: choose GIDs of one type with "
               "--rdma.gid";
    if (ours->has_gid && ours->layer == IBV_LINK_LAYER_ETHERNET &&
        is_mapped(ours->gid) != is_mapped(theirs->gid))
        return "one end's GID is an IPv4 address and the other's is not: choose GIDs of one family "
               "with --rdma.gid";
    return NULL;
}

struct weir_verbs_reads weir_verbs_reads_agreed(const struct weir_verbs_endpoint *ours,
                                                const struct weir_verbs_endpoint *theirs)
{
    return (struct weir_verbs_reads){
        .ours = (uint8_t)weir_verbs_smaller(ours->begins, theirs->answers),
        .theirs = (uint8_t)weir_verbs_smaller(ours->answers, theirs->begins)};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What two ends tell each other before their queue pairs meet: written and read byte by byte, so
 * that hosts of any byte order can. */
#include "verbs.h"

#include <string.h>

static unsigned char *put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> 8 * i);
    return at;
}

static const unsigned char *get(const unsigned char *at, uint64_t *value, unsigned bytes)
{
    *value = 0;
    for (unsigned i = 0; i < bytes; i++)
        *value |= (uint64_t)*at++ << 8 * i;
    return at;
}

void weir_verbs_card_write(const struct weir_verbs_card *values, struct weir_card *card)
{
    unsigned char *at = card->bytes;
    const uint8_t small[] = {values->transport, values->layer,   values->gid_type,
                             values->uses_cm,   values->mtu,     values->answers,
                             values->begins,    values->has_gid, values->lanes};

    memset(card, 0, sizeof *card);
    for (size_t i = 0; i < sizeof small; i++)
        at = put(at, small[i], 1);
    at = put(at, values->lid, 2);
    at = put(at, values->cm_port, 2);
    at = put(at, values->psn, 4);
    at = put(at, values->token, 8);
    memcpy(at, values->gid, sizeof values->gid);
    at += sizeof values->gid;
    memcpy(at, values->cm_address, sizeof values->cm_address);
    at += sizeof values->cm_address;
    for (unsigned i = 0; i < WEIR_VERBS_LANES; i++)
        at = put(at, values->pairs[i], 4);
}

void weir_verbs_card_read(const struct weir_card *card, struct weir_verbs_card *values)
{
    const unsigned char *at = card->bytes;
    uint8_t *const small[] = {&values->transport, &values->layer,   &values->gid_type,
                              &values->uses_cm,   &values->mtu,     &values->answers,
                              &values->begins,    &values->has_gid, &values->lanes};
    uint64_t value;

    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        *small[i] = *at++;
    at = get(at, &value, 2);
    values->lid = (uint16_t)value;
    at = get(at, &value, 2);
    values->cm_port = (uint16_t)value;
    at = get(at, &value, 4);
    values->psn = (uint32_t)value;
    at = get(at, &values->token, 8);
    memcpy(values->gid, at, sizeof values->gid);
    at += sizeof values->gid;
    memcpy(values->cm_address, at, sizeof values->cm_address);
    at += sizeof values->cm_address;
    for (unsigned i = 0; i < WEIR_VERBS_LANES; i++) {
        at = get(at, &value, 4);
        values->pairs[i] = (uint32_t)value;
    }
}

static bool is_mapped(const uint8_t gid[16])
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};

    return memcmp(gid, prefix, sizeof prefix) == 0;
}

const char *weir_verbs_card_quarrel(const struct weir_verbs_card *ours,
                                    const struct weir_verbs_card *theirs)
{
    if (theirs->lanes == 0 || theirs->lanes > WEIR_VERBS_LANES || theirs->mtu < IBV_MTU_256 ||
        theirs->mtu > IBV_MTU_4096)
        return "its card makes no sense: are both ends of the same version of weir?";
    if (ours->transport != theirs->transport || ours->layer != theirs->layer)
        return "one end is InfiniBand, RoCE or iWARP and the other is not: name devices of one "
               "kind with --rdma.device";
    if (ours->uses_cm != theirs->uses_cm)
        return "one end wants to be wired up by rdma_cm and the other does not: give both the same "
               "--rdma.wireup";
    if (ours->uses_cm)
        return NULL;
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

struct weir_verbs_reads weir_verbs_reads_agreed(const struct weir_verbs_card *ours,
                                                const struct weir_verbs_card *theirs)
{
    return (struct weir_verbs_reads){
        .ours = (uint8_t)weir_verbs_smaller(ours->begins, theirs->answers),
        .theirs = (uint8_t)weir_verbs_smaller(ours->answers, theirs->begins)};
}

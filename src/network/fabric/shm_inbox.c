/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the shm provider: a ring of slots in a memfd, with one sender and one receiver. */
#include "shm.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static_assert(ATOMIC_INT_LOCK_FREE == 2, "counts are shared between processes");

/* More than anybody asks for, and so little that sizes do not overflow. */
enum { SLOTS_MAX = 1 << 16, MESSAGE_BYTES_MAX = 1 << 26 };

/* In front of each message, in a line with its first bytes. */
struct slot_head {
    _Alignas(8) uint32_t bytes;
};

static size_t slot_stride(uint32_t message_bytes)
{
    size_t bytes = sizeof(struct slot_head) + message_bytes;

    return (bytes + WEIR_SHM_LINE_BYTES - 1) / WEIR_SHM_LINE_BYTES * WEIR_SHM_LINE_BYTES;
}

static size_t inbox_bytes(uint32_t slot_count, uint32_t message_bytes)
{
    return sizeof(struct weir_shm_inbox_head) + slot_count * slot_stride(message_bytes);
}

static bool is_sane(uint32_t slot_count, uint32_t message_bytes)
{
    return slot_count >= 1 && slot_count <= SLOTS_MAX && (slot_count & (slot_count - 1)) == 0 &&
           message_bytes >= 1 && message_bytes <= MESSAGE_BYTES_MAX;
}

static void use(struct weir_shm_inbox *inbox, void *memory, size_t bytes)
{
    inbox->head = memory;
    inbox->slots = (unsigned char *)memory + sizeof *inbox->head;
    inbox->bytes = bytes;
    inbox->stride = slot_stride(inbox->message_bytes);
}

int weir_shm_inbox_open(struct weir_shm_inbox *inbox, unsigned credits, unsigned message_bytes,
                        struct weir_shm_inbox_info *info)
{
    uint32_t slot_count = weir_ring_size(credits);
    struct weir_slab slab;
    struct stat facts;
    int code;

    *inbox = (struct weir_shm_inbox){.fd = -1};
    if (!is_sane(slot_count, message_bytes))
        return -EINVAL;
    code = weir_slab_open(
        &slab, &(struct weir_slab_params){.bytes = inbox_bytes(slot_count, message_bytes)});
    if (code != 0)
        return code;
    if (fstat(slab.fd, &facts) != 0) {
        code = -errno;
        weir_slab_close(&slab);
        return code;
    }
    inbox->fd = slab.fd;
    inbox->slot_count = slot_count;
    inbox->message_bytes = message_bytes;
    use(inbox, slab.memory, slab.bytes);
    *info = (struct weir_shm_inbox_info){
        .inode = facts.st_ino,
        .fd = slab.fd,
        .slot_count = slot_count,
        .message_bytes = message_bytes,
    };
    return 0;
}

int weir_shm_inbox_join(struct weir_shm_inbox *inbox, const struct weir_shm_peer *peer,
                        const struct weir_shm_inbox_info *info)
{
    struct weir_shm_mapping mapping;
    int code;

    *inbox = (struct weir_shm_inbox){.fd = -1};
    if (!is_sane(info->slot_count, info->message_bytes))
        return -EPROTO;
    code = weir_shm_map(&mapping, peer, info->fd, info->inode, UINT64_MAX);
    if (code != 0)
        return code;
    if (mapping.bytes < inbox_bytes(info->slot_count, info->message_bytes)) {
        weir_shm_unmap(&mapping);
        return -EPROTO;
    }
    inbox->slot_count = info->slot_count;
    inbox->message_bytes = info->message_bytes;
    use(inbox, mapping.memory, mapping.bytes);
    return 0;
}

void weir_shm_inbox_close(struct weir_shm_inbox *inbox)
{
    if (inbox->head)
        munmap(inbox->head, inbox->bytes);
    if (inbox->fd >= 0)
        close(inbox->fd);
    *inbox = (struct weir_shm_inbox){.fd = -1};
}

static unsigned char *slot_at(const struct weir_shm_inbox *inbox, uint32_t count)
{
    return inbox->slots + (count & (inbox->slot_count - 1)) * inbox->stride;
}

int weir_shm_inbox_send(struct weir_shm_inbox *inbox, const struct weir_wr *wr)
{
    unsigned char *slot = slot_at(inbox, inbox->count);

    if (wr->header_bytes > inbox->message_bytes ||
        wr->bytes > inbox->message_bytes - wr->header_bytes)
        return -EMSGSIZE;
    if (inbox->count - inbox->received == inbox->slot_count) {
        inbox->received = atomic_load_explicit(&inbox->head->received, memory_order_acquire);
        if (inbox->count - inbox->received > inbox->slot_count)
            return -EPROTO;
        if (inbox->count - inbox->received == inbox->slot_count)
            return -EAGAIN;
    }
    ((struct slot_head *)(void *)slot)->bytes = wr->header_bytes + (uint32_t)wr->bytes;
    slot += sizeof(struct slot_head);
    if (wr->header_bytes > 0)
        memcpy(slot, wr->header, wr->header_bytes);
    if (wr->bytes > 0)
        memcpy(slot + wr->header_bytes, wr->data, wr->bytes);
    inbox->count++;
    atomic_store_explicit(&inbox->head->sent, inbox->count, memory_order_release);
    return 0;
}

/* Either we see that the owner sleeps, or the owner, who looks once more after having said so,
 * sees what we have sent: the fences put both in one order. */
bool weir_shm_inbox_wants_wake(struct weir_shm_inbox *inbox)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&inbox->head->is_asleep, memory_order_relaxed) != 0 &&
           atomic_exchange_explicit(&inbox->head->is_asleep, 0, memory_order_relaxed) != 0;
}

void weir_shm_inbox_sleep(struct weir_shm_inbox *inbox, bool is_asleep)
{
    atomic_store_explicit(&inbox->head->is_asleep, is_asleep, memory_order_relaxed);
    if (is_asleep)
        atomic_thread_fence(memory_order_seq_cst);
}

int weir_shm_inbox_waiting(const struct weir_shm_inbox *inbox)
{
    uint32_t sent = atomic_load_explicit(&inbox->head->sent, memory_order_acquire);
    uint32_t waiting = sent - inbox->count;

    return waiting <= inbox->slot_count ? (int)waiting : -EPROTO;
}

/* The slot is free again at once: the user may keep messages, and give them back in any order; and
 * what it reads does not change under its hands. */
int weir_shm_inbox_receive(struct weir_shm_inbox *inbox, void *message)
{
    const unsigned char *slot = slot_at(inbox, inbox->count);
    uint32_t bytes = ((const volatile struct slot_head *)(const void *)slot)->bytes;

    if (bytes > inbox->message_bytes)
        return -EPROTO;
    memcpy(message, slot + sizeof(struct slot_head), bytes);
    inbox->count++;
    atomic_store_explicit(&inbox->head->received, inbox->count, memory_order_release);
    return (int)bytes;
}

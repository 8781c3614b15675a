/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a peer on the same node: its slabs are mapped, other memory is copied by the
 * kernel. */
#include "shm.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define OFFSET_MASK ((UINT64_C(1) << WEIR_SHM_OFFSET_BITS) - 1)
#define INODE_MASK (UINT64_MAX >> WEIR_SHM_OFFSET_BITS)

int weir_shm_key_make(struct weir_region_key *key, const void *memory, size_t bytes,
                      const struct weir_slab *slab)
{
    struct weir_region_key made = {
        .address = (uint64_t)(uintptr_t)memory, .bytes = bytes, .process = getpid(), .fd = -1};

    if (slab) {
        uint64_t offset = made.address - (uint64_t)(uintptr_t)slab->memory;
        struct stat facts;

        assert(offset <= slab->bytes && bytes <= slab->bytes - offset);
        if (offset > OFFSET_MASK)
            return -EFBIG;
        if (fstat(slab->fd, &facts) != 0)
            return -errno;
        made.fd = slab->fd;
        made.key = ((uint64_t)facts.st_ino & INODE_MASK) << WEIR_SHM_OFFSET_BITS | offset;
    } else {
        /* Where Yama restricts it, peers are no ancestors of ours. It is no error if this kernel
         * has no Yama. */
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    }
    *key = made;
    return 0;
}

static int map_file(struct weir_shm_mapping *mapping, int file, uint64_t inode, uint64_t inode_mask)
{
    int seals = fcntl(file, F_GET_SEALS);
    struct stat facts;
    void *memory;

    if (fstat(file, &facts) != 0)
        return -errno;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || facts.st_size <= 0 ||
        ((uint64_t)facts.st_ino & inode_mask) != inode)
        return -EACCES;
    /* All pages are there already: the tables of this process are filled at once. */
    memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                  file, 0);
    if (memory == MAP_FAILED)
        return -errno;
    mapping->inode = inode;
    mapping->memory = memory;
    mapping->bytes = (size_t)facts.st_size;
    return 0;
}

int weir_shm_peer_open(struct weir_shm_peer *peer, int32_t process)
{
    char path[32];

    *peer = (struct weir_shm_peer){.process = process, .directory = -1};
    snprintf(path, sizeof path, "/proc/%d", (int)process);
    if (process > 0)
        peer->directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return peer->directory < 0 ? -ESRCH : 0;
}

void weir_shm_peer_close(struct weir_shm_peer *peer)
{
    for (unsigned i = 0; i < WEIR_SHM_MAPPINGS_MAX; i++)
        weir_shm_unmap(&peer->mappings[i]);
    if (peer->directory >= 0)
        close(peer->directory);
    peer->directory = -1;
}

int weir_shm_map(struct weir_shm_mapping *mapping, const struct weir_shm_peer *peer, int32_t fd,
                 uint64_t inode, uint64_t inode_mask)
{
    char path[32];
    struct stat facts;
    int file, code;

    *mapping = (struct weir_shm_mapping){.fd = fd};
    if (fd < 0)
        return -EACCES;
    snprintf(path, sizeof path, "fd/%d", (int)fd);
    /* To open a device or a pipe can have effects. */
    if (fstatat(peer->directory, path, &facts, 0) != 0)
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return -EACCES;
    file = openat(peer->directory, path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -errno;
    code = map_file(mapping, file, inode, inode_mask);
    close(file);
    return code;
}

void weir_shm_unmap(struct weir_shm_mapping *mapping)
{
    if (mapping->memory)
        munmap(mapping->memory, mapping->bytes);
    *mapping = (struct weir_shm_mapping){.fd = -1};
}

/* The slab of a key: mapped when it is first met. A server has one, so that the few that are
 * remembered do for all. */
static int find_slab(struct weir_shm_peer *peer, const struct weir_region_key *key,
                     const struct weir_shm_mapping **slab)
{
    uint64_t inode = key->key >> WEIR_SHM_OFFSET_BITS;
    struct weir_shm_mapping *place = &peer->mappings[peer->next];
    int code;

    for (unsigned i = 0; i < WEIR_SHM_MAPPINGS_MAX; i++) {
        struct weir_shm_mapping *mapping = &peer->mappings[i];

        if (mapping->memory && mapping->fd == key->fd) {
            *slab = mapping;
            if (mapping->inode == inode)
                return 0;
            place = mapping; /* the descriptor has become another slab */
            break;
        }
    }
    weir_shm_unmap(place);
    code = weir_shm_map(place, peer, key->fd, inode, INODE_MASK);
    if (code != 0)
        return code == -ENOENT ? -EACCES : code;
    if (place == &peer->mappings[peer->next])
        peer->next = (peer->next + 1) % WEIR_SHM_MAPPINGS_MAX;
    *slab = place;
    return 0;
}

static int move_mapped(struct weir_shm_peer *peer, const struct weir_wr *wr)
{
    const struct weir_region_key *key = wr->remote;
    uint64_t offset = (key->key & OFFSET_MASK) + (wr->remote_address - key->address);
    const struct weir_shm_mapping *slab;
    int code = find_slab(peer, key, &slab);

    if (code != 0)
        return code;
    assert(slab->memory != NULL);
    if (offset > slab->bytes || wr->bytes > slab->bytes - offset)
        return -EACCES;
    if (wr->verb == WEIR_WR_WRITE)
        memcpy(slab->memory + offset, wr->data, wr->bytes);
    else
        memcpy(wr->data, slab->memory + offset, wr->bytes);
    return 0;
}

static int kernel_error(int code)
{
    switch (code) {
    case EFAULT:
        return -EACCES;
    case ESRCH:
        return -ECONNRESET;
    case ENOSYS: /* left out of the kernel, or kept from containers */
        return -EPERM;
    default:
        return -code;
    }
}

static int move_by_kernel(const struct weir_shm_peer *peer, const struct weir_wr *wr)
{
    struct stat facts;

    /* The number may be another process's by now; in the directory of one that has ended nothing
     * is found. */
    if (fstatat(peer->directory, "mem", &facts, 0) != 0)
        return -ECONNRESET;
    for (uint64_t done = 0; done < wr->bytes;) {
        struct iovec ours = {(unsigned char *)wr->data + done, wr->bytes - done};
        struct iovec theirs = {(void *)(uintptr_t)(wr->remote_address + done), wr->bytes - done};
        ssize_t moved = wr->verb == WEIR_WR_WRITE
                            ? process_vm_writev(peer->process, &ours, 1, &theirs, 1, 0)
                            : process_vm_readv(peer->process, &ours, 1, &theirs, 1, 0);

        if (moved < 0)
            return kernel_error(errno);
        if (moved == 0)
            return -EACCES;
        done += (uint64_t)moved;
    }
    return 0;
}

int weir_shm_move(struct weir_shm_peer *peer, const struct weir_wr *wr)
{
    const struct weir_region_key *key = wr->remote;
    uint64_t offset = wr->remote_address - key->address;

    if (key->process != peer->process || offset > key->bytes || wr->bytes > key->bytes - offset)
        return -EACCES;
    return key->fd >= 0 ? move_mapped(peer, wr) : move_by_kernel(peer, wr);
}

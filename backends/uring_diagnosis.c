/* SPDX-License-Identifier: Apache-2.0 */
/* What io_uring can do on this host, found by making a ring and trying things on it. */
#include "posix_files.h"
#include "uring_probes.h"

#include "weir/base/pages.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

/* A rank with the standard depth and transfers of this size. */
enum { RING_DEPTH = 32, TRANSFER_BYTES = 1 << 20 };

#define DISABLED "/proc/sys/kernel/io_uring_disabled"

/* All that weir asks a ring for. */
static const struct {
    enum io_uring_op verb;
    const char *name;
} verbs[] = {
    {IORING_OP_READ, "read"},         {IORING_OP_READ_FIXED, "read-fixed"},
    {IORING_OP_WRITE, "write"},       {IORING_OP_WRITE_FIXED, "write-fixed"},
    {IORING_OP_FSYNC, "fsync"},       {IORING_OP_OPENAT, "openat"},
    {IORING_OP_CLOSE, "close"},       {IORING_OP_STATX, "statx"},
    {IORING_OP_MKDIRAT, "mkdir"},     {IORING_OP_UNLINKAT, "unlink"},
    {IORING_OP_RENAMEAT, "rename"},   {IORING_OP_LINKAT, "link"},
    {IORING_OP_SYMLINKAT, "symlink"}, {IORING_OP_GETXATTR, "getxattr"},
};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

/* ---- no ring ---- */

static void tell_forbidden(struct weir_diagnosis *diagnosis)
{
    /* 0, 1 (for all but a group) or 2; the kernel may not have it. */
    long value = weir_posix_kernel_number(DISABLED);

    if (value > 0) {
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "io_uring",
                           "as root: sysctl -w kernel.io_uring_disabled=0",
                           "switched off on this host%s: kernel.io_uring_disabled is %ld",
                           value == 1 ? " for all but a group" : "", value);
        if (value == 1)
            weir_diagnosis_help(diagnosis, "or be root, or in the group with this number, as root: "
                                           "sysctl -w kernel.io_uring_group=NUMBER");
        return;
    }
    weir_diagnosis_add(diagnosis, WEIR_MISSING, "io_uring", NULL, "forbidden to this process by %s",
                       weir_posix_is_filtered() ? "a seccomp filter, as containers have"
                                                : "a security module of the kernel");
    if (weir_posix_is_filtered())
        weir_diagnosis_help(diagnosis, WEIR_POSIX_FILTER_REMEDY,
                            "io_uring_setup, io_uring_enter and io_uring_register");
    else
        weir_diagnosis_help(diagnosis, "the log of the kernel names it: dmesg | grep -i denied");
}

static void tell_refusal(struct weir_diagnosis *diagnosis, int rc)
{
    if (rc == -EPERM || rc == -EACCES || (rc == -ENOSYS && weir_posix_is_filtered())) {
        tell_forbidden(diagnosis);
        return;
    }
    if (rc == -ENOSYS || rc == -EOPNOTSUPP) {
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "io_uring",
                           "boot Linux 5.11 or a later one, built with CONFIG_IO_URING", "%s",
                           rc == -ENOSYS ? "this kernel has none"
                                         : "that of this kernel is too old: it cannot limit its "
                                           "waiting");
        return;
    }
    weir_diagnosis_add(diagnosis, WEIR_MISSING, "io_uring", NULL, "a ring of %d cannot be made: %s",
                       RING_DEPTH, strerror(-rc));
    if (rc == -ENOMEM)
        weir_diagnosis_help(diagnosis, "kernels before 5.12 count rings as locked memory: raise "
                                       "the limit, as the line memlock says");
}

/* ---- a ring ---- */

static int open_ring(struct weir_uring_ring *ring, struct weir_uring_request request)
{
    struct weir_error error = {0};

    request.depth = RING_DEPTH;
    request.entries = RING_DEPTH;
    request.poller_cpu = -1;
    return weir_uring_ring_open(ring, &request, "uring", &error);
}

/* Adds the names of operations that the kernel does not know; how many. */
static unsigned find_unknown_verbs(const struct weir_uring_ring *ring, struct weir_text *names)
{
    struct io_uring_probe *probe = io_uring_get_probe_ring((struct io_uring *)&ring->ring);
    unsigned count = 0;

    for (unsigned i = 0; i < VERB_COUNT; i++) {
        if (probe && io_uring_opcode_supported(probe, verbs[i].verb))
            continue;
        weir_text_add(names, "%s%s", count > 0 ? ", " : "", verbs[i].name);
        count++;
    }
    if (probe)
        io_uring_free_probe(probe);
    return count;
}

/* Sentences of a shortfall stand in lines of their own. */
static void join_lines(struct weir_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == '\n')
        text->data[--text->length] = '\0';
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] == '\n')
            text->data[i] = ';';
}

static void tell_ring(struct weir_diagnosis *diagnosis, const struct weir_uring_ring *ring)
{
    struct weir_session_facts facts = {0};
    struct weir_text unknown = {0};
    unsigned unknown_count = find_unknown_verbs(ring, &unknown);

    weir_uring_ring_describe(ring, &facts);
    join_lines(&facts.shortfall);
    if (facts.shortfall.length == 0 && unknown_count == 0)
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "io_uring", NULL, "%s, all %d operations",
                           weir_text_string(&facts.granted), VERB_COUNT);
    else
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "io_uring",
                           "boot a later kernel: Linux 6.1 has all of it", "%s%s%s%s%s",
                           weir_text_string(&facts.granted), facts.shortfall.length > 0 ? "; " : "",
                           weir_text_string(&facts.shortfall),
                           unknown_count > 0 ? "; not known, so that they block: " : "",
                           weir_text_string(&unknown));
    weir_text_close(&unknown);
    weir_text_close(&facts.granted);
    weir_text_close(&facts.shortfall);
}

/* ---- registered buffers ---- */

/* One piece of memory, registered as often as there would be transfers: the kernel counts each
 * time, and no more than one piece is taken from the host. */
static int register_pieces(struct weir_uring_ring *ring, void *piece, unsigned count)
{
    struct iovec pieces[RING_DEPTH];
    int rc;

    for (unsigned i = 0; i < count; i++)
        pieces[i] = (struct iovec){.iov_base = piece, .iov_len = TRANSFER_BYTES};
    rc = io_uring_register_buffers(&ring->ring, pieces, count);
    if (rc == 0)
        io_uring_unregister_buffers(&ring->ring);
    return rc;
}

static void tell_lock_limit(struct weir_diagnosis *diagnosis, unsigned count)
{
    char limit_text[WEIR_SIZE_TEXT_BYTES] = "";
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
        weir_size_format(limit.rlim_cur, limit_text);
    weir_diagnosis_add(diagnosis, WEIR_LIMITED, "fixed buffers",
                       "raise the limit of locked memory: see memlock\n"
                       "or do without: --uring.fixed-buffers=0",
                       "%d buffers of 1 MiB cannot be registered, %u can: the processes of a user "
                       "may lock %s together",
                       RING_DEPTH, count, limit_text);
}

static void tell_memory(struct weir_diagnosis *diagnosis, struct weir_uring_ring *ring)
{
    void *piece = weir_pages_map(TRANSFER_BYTES);
    unsigned count = RING_DEPTH;
    int rc;

    if (!piece)
        return;
    /* Of a huge page the kernel would count the first use only. */
    madvise(piece, TRANSFER_BYTES, MADV_NOHUGEPAGE);
    rc = register_pieces(ring, piece, count);
    if (rc == 0) {
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "fixed buffers", NULL,
                           "%d buffers of 1 MiB can be registered", RING_DEPTH);
    } else if (rc == -ENOMEM) {
        do
            count /= 2;
        while (count > 0 && register_pieces(ring, piece, count) == -ENOMEM);
        tell_lock_limit(diagnosis, count);
    } else {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "fixed buffers",
                           "do without: --uring.fixed-buffers=0", "cannot be registered: %s",
                           strerror(-rc));
    }
    weir_pages_unmap(piece, TRANSFER_BYTES);
}

/* ---- polling ---- */

static void tell_poller(struct weir_diagnosis *diagnosis)
{
    struct weir_uring_ring ring;
    int rc = open_ring(&ring, (struct weir_uring_request){.has_poller = true});

    if (rc < 0) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "SQPOLL",
                           "leave --uring.sqpoll out, run as root, or boot Linux 5.11 or a later "
                           "one, which lets everybody",
                           "a thread of the kernel cannot submit: %s", strerror(-rc));
        return;
    }
    weir_diagnosis_add(diagnosis, WEIR_GOOD, "SQPOLL", NULL,
                       "a thread of the kernel can submit (--uring.sqpoll)");
    weir_uring_ring_close(&ring);
}

/* The driver takes no more queues than there are processors. */
static void tell_nvme(struct weir_diagnosis *diagnosis)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    long queues = processors < 1 ? 1 : processors < 4 ? processors : 4;

    weir_diagnosis_add(diagnosis, WEIR_LIMITED, "IOPOLL", NULL,
                       "the target's NVMe device has no queues that can be polled for completions");
    weir_diagnosis_help(diagnosis, "boot with nvme.poll_queues=%ld on the kernel's command line",
                        queues);
    weir_diagnosis_help(diagnosis,
                        "or, where nothing on NVMe is mounted, as root: modprobe -r nvme && "
                        "modprobe nvme poll_queues=%ld",
                        queues);
    weir_diagnosis_help(diagnosis, "or leave --uring.iopoll out");
}

/* As weir_uring_takes_polling. */
static int try_polling(const char *path, bool *is_nvme)
{
    struct weir_uring_ring ring;
    bool may_write;
    int fd = weir_uring_open_probe(path, true, &may_write);
    int rc;

    if (fd < 0)
        return -errno;
    *is_nvme = weir_uring_is_nvme(fd);
    rc = open_ring(&ring, (struct weir_uring_request){.is_polled = true});
    if (rc == 0) {
        rc = weir_uring_takes_polling(&ring, fd, may_write);
        weir_uring_ring_close(&ring);
    }
    close(fd);
    return rc;
}

static void tell_polling(struct weir_diagnosis *diagnosis, const char *path)
{
    bool is_nvme = false;
    int rc = try_polling(path, &is_nvme);

    if (rc < 0)
        weir_diagnosis_add(diagnosis, WEIR_NOTED, "IOPOLL", NULL,
                           "not tried: no file of the target can be read directly: %s",
                           strerror(-rc));
    else if (rc > 0)
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "IOPOLL", NULL,
                           "the target's device can be polled for completions (--uring.iopoll)");
    else if (is_nvme)
        tell_nvme(diagnosis);
    else
        weir_diagnosis_add(diagnosis, WEIR_NOTED, "IOPOLL", NULL,
                           "the target's device has no queues that can be polled: --uring.iopoll "
                           "is refused there");
}

/* ---- flags of transfers ---- */

static void tell_flag(struct weir_diagnosis *diagnosis, int fd, int flag, const char *subject,
                      const char *option, const char *since)
{
    if (weir_uring_takes_flag(fd, flag))
        weir_diagnosis_add(diagnosis, WEIR_GOOD, subject, NULL,
                           "the target's file system has it (%s)", option);
    else
        weir_diagnosis_add(diagnosis, WEIR_NOTED, subject, NULL,
                           "the target's file system has none, or the kernel%s: %s is refused "
                           "there",
                           since, option);
}

static void tell_flags(struct weir_diagnosis *diagnosis, const char *path)
{
    bool may_write;
    int fd = weir_uring_open_probe(path, false, &may_write);

    if (fd < 0)
        return;
    tell_flag(diagnosis, fd, RWF_NOWAIT, "NOWAIT", "--uring.nowait", "");
    tell_flag(diagnosis, fd, WEIR_URING_DROP_CACHE, "DONTCACHE", "--uring.dontcache",
              " (Linux 6.14 has it)");
    close(fd);
}

/* A directory that is always there stands for the files of a run. */
static void place_file(struct weir_uring_ring *ring)
{
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    weir_uring_ring_add_file(ring, fd);
    weir_uring_ring_remove_file(ring, fd);
    close(fd);
}

/* ---- all of it ---- */

void weir_uring_diagnose(struct weir_diagnosis *diagnosis, const char *path)
{
    struct weir_uring_ring ring;
    int rc = open_ring(&ring, (struct weir_uring_request){.must_register_memory = true,
                                                          .must_register_files = true});

    if (rc < 0) {
        tell_refusal(diagnosis, rc);
        return;
    }
    place_file(&ring);
    tell_ring(diagnosis, &ring);
    tell_memory(diagnosis, &ring);
    weir_uring_ring_close(&ring);
    tell_poller(diagnosis);
    if (!path)
        return;
    tell_polling(diagnosis, path);
    tell_flags(diagnosis, path);
}

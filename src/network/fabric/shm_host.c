/* SPDX-License-Identifier: Apache-2.0 */
/* What this host lets processes do to each other's memory, and who can be a peer at all. */
#include "shm.h"

#include "weir/system/small_file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void weir_shm_place_find(struct weir_shm_place *place)
{
    struct stat facts;

    memset(place, 0, sizeof *place);
    weir_small_file_line(place->boot, sizeof place->boot, "/proc/sys/kernel/random/boot_id");
    if (stat("/proc/self/ns/pid", &facts) == 0)
        place->process_names = facts.st_ino;
    place->process = getpid();
    place->user = geteuid();
}

const char *weir_shm_place_refuse(const struct weir_shm_place *ours,
                                  const struct weir_shm_place *theirs)
{
    if (strncmp(ours->boot, theirs->boot, sizeof ours->boot) != 0)
        return "runs on another host";
    if (ours->process_names != theirs->process_names)
        return "has a PID namespace of its own, as containers do";
    if (ours->user != theirs->user && ours->user != 0)
        return "belongs to another user";
    return NULL;
}

/* ---- whose a socket is ---- */

/* The end of a connection as the kernel's tables write it: words of the address as they lie in
 * memory. IPv4 addresses are mapped in the table of IPv6. False: none of the table. */
static bool write_end(const struct sockaddr_storage *address, bool is_table_6, char text[48])
{
    struct in6_addr words = {.s6_addr32 = {0, 0, htonl(0xffff), 0}};
    unsigned port = ntohs(((const struct sockaddr_in6 *)address)->sin6_port); /* of both */

    if (address->ss_family == AF_INET6)
        words = ((const struct sockaddr_in6 *)address)->sin6_addr;
    else
        words.s6_addr32[3] = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
    if (is_table_6)
        snprintf(text, 48, "%08X%08X%08X%08X:%04X", words.s6_addr32[0], words.s6_addr32[1],
                 words.s6_addr32[2], words.s6_addr32[3], port);
    else
        snprintf(text, 48, "%08X:%04X", words.s6_addr32[3], port);
    return is_table_6 || IN6_IS_ADDR_V4MAPPED(&words);
}

/* The user of the open TCP socket whose own end is `local` and whose peer is `remote`; -1: there is
 * none in this network namespace. One that was closed stands in the table for a while as root's. */
static int64_t user_of_socket(const struct sockaddr_storage *local,
                              const struct sockaddr_storage *remote)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    int64_t user = -1;

    for (int i = 0; i < 2 && user < 0; i++) {
        char line[512], ends[2][48], both[104];
        const char *found;
        unsigned owner;
        FILE *file;

        if (!write_end(local, i, ends[0]) || !write_end(remote, i, ends[1]))
            continue;
        snprintf(both, sizeof both, " %s %s 01 ", ends[0], ends[1]);
        file = fopen(tables[i], "re");
        while (file && user < 0 && fgets(line, sizeof line, file))
            if ((found = strstr(line, both)) != NULL &&
                sscanf(found + strlen(both), "%*x:%*x %*x:%*x %*x %u", &owner) == 1)
                user = owner;
        if (file)
            fclose(file);
    }
    return user;
}

const char *weir_shm_peer_refuse(int socket, const struct weir_shm_place *ours,
                                 const struct weir_shm_peer *peer)
{
    struct sockaddr_storage local = {0}, remote = {0};
    socklen_t local_bytes = sizeof local, remote_bytes = sizeof remote;
    struct stat facts;
    int64_t user;

    if (ours->user != 0) /* the kernel lets us touch nobody else's */
        return NULL;
    if (getsockname(socket, (struct sockaddr *)&local, &local_bytes) != 0 ||
        getpeername(socket, (struct sockaddr *)&remote, &remote_bytes) != 0 ||
        fstat(peer->directory, &facts) != 0)
        return "has gone";
    user = user_of_socket(&remote, &local);
    if (user < 0)
        return "has gone, or has a network namespace of its own, in which nobody can tell whose it "
               "is";
    return user == 0 || user == facts.st_uid ? NULL : "names a process that is not its user's";
}

/* Whether the kernel copies between processes at all: containers often may not. */
static bool can_copy(void)
{
    char from = 1, to = 0;
    struct iovec ours = {&to, 1}, theirs = {&from, 1};

    return process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == 1;
}

void weir_shm_diagnose(struct weir_diagnosis *diagnosis)
{
    char scope[16];

    weir_small_file_line(scope, sizeof scope, "/proc/sys/kernel/yama/ptrace_scope");
    if (!can_copy())
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "shared memory",
                           "containers: --cap-add SYS_PTRACE, or a seccomp profile that lets "
                           "process_vm_readv and process_vm_writev pass\n"
                           "or the provider tcp",
                           "processes map each other's slabs, but the kernel does not copy between "
                           "them (process_vm_readv is refused): memory that is no slab cannot be "
                           "reached");
    else if ((strcmp(scope, "2") == 0 && geteuid() != 0) || strcmp(scope, "3") == 0)
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "shared memory",
                           strcmp(scope, "3") == 0
                               ? "3 stays until the host is started again with less\n"
                                 "or the provider tcp"
                               : "as root: sysctl -w kernel.yama.ptrace_scope=1\n"
                                 "or the provider tcp",
                           "kernel.yama.ptrace_scope is %s: processes map each other's slabs, but "
                           "memory that is no slab cannot be reached",
                           scope);
    else
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "shared memory", NULL,
                           "processes of one user reach each other's memory");
}

/* The socket, the inbox, and the directory of the peer. */
enum { LINK_DESCRIPTORS = 3, OTHER_DESCRIPTORS = 64 };

int weir_shm_check(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                   struct weir_error *error)
{
    uint64_t needed = (uint64_t)need->links * LINK_DESCRIPTORS + need->regions + OTHER_DESCRIPTORS;
    struct rlimit limit;

    (void)fabric;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= needed)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EMFILE, "shm",
                          "%u links need about %llu descriptors, and %llu may be open: ulimit -n "
                          "%llu",
                          need->links, (unsigned long long)needed,
                          (unsigned long long)limit.rlim_cur, (unsigned long long)needed);
}

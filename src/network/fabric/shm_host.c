/* SPDX-License-Identifier: Apache-2.0 */
/* What this host lets processes do to each other's memory, and who can be a peer at all. */
#include "shm.h"

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

static void read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (!file)
        return;
    if (fgets(line, (int)bytes, file))
        line[strcspn(line, "\n")] = '\0';
    else
        line[0] = '\0';
    fclose(file);
}

void weir_shm_place_find(struct weir_shm_place *place)
{
    struct stat facts;

    memset(place, 0, sizeof *place);
    read_line("/proc/sys/kernel/random/boot_id", place->boot, sizeof place->boot);
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

/* An end of a connection as the kernel's tables have it: words of the address as they lie in
 * memory, an IPv4 one mapped into IPv6. */
struct socket_end {
    uint32_t address[4];
    unsigned port;
};

static struct socket_end end_of(const struct sockaddr_storage *address)
{
    struct socket_end end = {.address = {0, 0, htonl(0xffff), 0}};

    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const void *)address;

        memcpy(end.address, &six->sin6_addr, sizeof end.address);
        end.port = ntohs(six->sin6_port);
    } else {
        const struct sockaddr_in *four = (const void *)address;

        end.address[3] = four->sin_addr.s_addr;
        end.port = ntohs(four->sin_port);
    }
    return end;
}

/* "0100007F:1F90", or 32 digits of an address. */
static bool is_end(const char *text, const struct socket_end *end)
{
    struct socket_end found = {.address = {0, 0, htonl(0xffff), 0}};
    uint32_t *words = found.address;
    int read = strcspn(text, ":") == 8 ? 3 + sscanf(text, "%8x:%x", &words[3], &found.port)
                                       : sscanf(text, "%8x%8x%8x%8x:%x", &words[0], &words[1],
                                                &words[2], &words[3], &found.port);

    return read == 5 && memcmp(found.address, end->address, sizeof found.address) == 0 &&
           found.port == end->port;
}

/* The user of the TCP socket whose own end is `local` and whose peer is `remote`; -1: there is none
 * in this network namespace. */
static int64_t user_of_socket(const struct socket_end *local, const struct socket_end *remote)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    int64_t user = -1;

    for (int i = 0; i < 2 && user < 0; i++) {
        FILE *file = fopen(tables[i], "re");
        char line[512];

        while (file && user < 0 && fgets(line, sizeof line, file)) {
            char ends[2][48];
            unsigned owner;

            if (sscanf(line, " %*d: %47[0-9A-F:] %47[0-9A-F:] %*x %*x:%*x %*x:%*x %*x %u", ends[0],
                       ends[1], &owner) == 3 &&
                is_end(ends[0], local) && is_end(ends[1], remote))
                user = owner;
        }
        if (file)
            fclose(file);
    }
    return user;
}

const char *weir_shm_peer_refuse(int socket, const struct weir_shm_place *ours, int32_t process)
{
    struct sockaddr_storage local = {0}, remote = {0};
    socklen_t local_bytes = sizeof local, remote_bytes = sizeof remote;
    struct socket_end ours_end, theirs_end;
    struct stat facts;
    char path[32];
    int64_t user;

    if (ours->user != 0) /* the kernel lets us touch nobody else's */
        return NULL;
    snprintf(path, sizeof path, "/proc/%d", process);
    if (getsockname(socket, (struct sockaddr *)&local, &local_bytes) != 0 ||
        getpeername(socket, (struct sockaddr *)&remote, &remote_bytes) != 0 ||
        stat(path, &facts) != 0)
        return "has gone";
    ours_end = end_of(&local);
    theirs_end = end_of(&remote);
    user = user_of_socket(&theirs_end, &ours_end);
    if (user < 0)
        return "has a network namespace of its own, in which nobody can tell whose it is";
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

    read_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
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

/* The socket, and the inbox. */
enum { LINK_DESCRIPTORS = 2, OTHER_DESCRIPTORS = 64 };

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

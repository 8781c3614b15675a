/* SPDX-License-Identifier: Apache-2.0 */
/* What this host lets processes do to each other's memory, and who can be a peer at all. */
#include "shm.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
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

/* From the kernel's table of TCP sockets: the user of the one whose own end is `local` and whose
 * peer is `remote`. -1: it is not there, or is told to nobody. */
static int64_t user_of_socket(const struct sockaddr_storage *local,
                              const struct sockaddr_storage *remote)
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } question = {
        .header = {.nlmsg_len = sizeof question,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST},
        .request = {.sdiag_family = (uint8_t)local->ss_family,
                    .sdiag_protocol = IPPROTO_TCP,
                    .idiag_states = ~0u,
                    .id.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
    };
    struct {
        struct nlmsghdr header;
        struct inet_diag_msg facts;
        unsigned char rest[1024];
    } answer;
    struct inet_diag_sockid *id = &question.request.id;
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    ssize_t bytes = -1;

    if (local->ss_family == AF_INET6) {
        const struct sockaddr_in6 *from = (const void *)local, *to = (const void *)remote;

        id->idiag_sport = from->sin6_port;
        id->idiag_dport = to->sin6_port;
        memcpy(id->idiag_src, &from->sin6_addr, sizeof from->sin6_addr);
        memcpy(id->idiag_dst, &to->sin6_addr, sizeof to->sin6_addr);
    } else {
        const struct sockaddr_in *from = (const void *)local, *to = (const void *)remote;

        id->idiag_sport = from->sin_port;
        id->idiag_dport = to->sin_port;
        memcpy(id->idiag_src, &from->sin_addr, sizeof from->sin_addr);
        memcpy(id->idiag_dst, &to->sin_addr, sizeof to->sin_addr);
    }
    if (netlink >= 0 && send(netlink, &question, sizeof question, 0) == sizeof question)
        bytes = recv(netlink, &answer, sizeof answer, 0);
    if (netlink >= 0)
        close(netlink);
    if (bytes < (ssize_t)(sizeof answer.header + sizeof answer.facts) ||
        answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return -1;
    return answer.facts.idiag_uid;
}

const char *weir_shm_peer_refuse(int socket, const struct weir_shm_place *ours, int32_t process)
{
    struct sockaddr_storage local = {0}, remote = {0};
    socklen_t local_bytes = sizeof local, remote_bytes = sizeof remote;
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
    user = user_of_socket(&remote, &local);
    if (user < 0)
        return "has a network of its own, or the kernel does not tell whose its socket is";
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

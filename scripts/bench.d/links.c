/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients of one object server: what each costs it in messages and memory, and how long they
 * take to come and to go. links PROVIDER CLIENTS prints a line of JSON. The server is a process of
 * its own; the clients are in this one, each with its own end of the network. */
#include "weir/base/clock.h"
#include "weir/objects/client.h"
#include "weir/objects/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OBJECT_BYTES = 4096 };

static const unsigned char secret[WEIR_SECRET_BYTES] = "of a bench on loopback";

/* What the server's process is asked for, again and again. */
struct facts {
    uint64_t messages;
    uint64_t clients;
    uint64_t resident_bytes;
};

struct server {
    pid_t process;
    int questions, answers;
    char address[WEIR_ADDRESS_BYTES];
};

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "links: %s: %s\n", what, why);
    exit(1);
}

static uint64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long all, resident = 0;

    if (!file || fscanf(file, "%lu %lu", &all, &resident) != 2)
        give_up("/proc/self/statm", "cannot be read");
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct weir_fabric_params network(const char *provider)
{
    return (struct weir_fabric_params){.provider = provider,
                                       .gid_index = -1,
                                       .timeout_ns = UINT64_C(60000000000),
                                       .secret = secret};
}

/* ---- the server ---- */

static void serve(const char *provider, unsigned clients, int questions, int answers)
{
    const struct weir_object_server_params params = {.fabric = network(provider),
                                                     .listen = "127.0.0.1",
                                                     .capacity_bytes = UINT64_C(64) << 20,
                                                     .client_limit = 2 * clients,
                                                     .client_count = clients};
    struct weir_object_server *server;
    struct weir_error error = {0};
    char question;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (weir_object_server_open(&params, &server, &error) != 0)
        give_up("server", error.text);
    if (write(answers, weir_object_server_address(server),
              strlen(weir_object_server_address(server)) + 1) < 0)
        give_up("server", strerror(errno));
    while (read(questions, &question, 1) == 1) {
        struct weir_object_server_facts told;
        struct facts facts;

        weir_object_server_facts(server, &told);
        facts = (struct facts){told.message_count, told.client_count, resident_bytes()};
        if (write(answers, &facts, sizeof facts) != sizeof facts)
            break;
    }
    weir_object_server_close(server);
    exit(0);
}

static struct server start_server(const char *provider, unsigned clients)
{
    struct server server = {0};
    int to[2], from[2];

    if (pipe(to) != 0 || pipe(from) != 0)
        give_up("pipe", strerror(errno));
    server.process = fork();
    if (server.process < 0)
        give_up("fork", strerror(errno));
    if (server.process == 0) {
        close(to[1]);
        close(from[0]);
        serve(provider, clients, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    server.questions = to[1];
    server.answers = from[0];
    if (read(server.answers, server.address, sizeof server.address) <= 0)
        give_up("server", "it did not start");
    return server;
}

static struct facts ask(const struct server *server)
{
    struct facts facts;

    if (write(server->questions, "?", 1) != 1 ||
        read(server->answers, &facts, sizeof facts) != sizeof facts)
        give_up("server", "it has ended");
    return facts;
}

/* ---- clients ---- */

struct user {
    struct weir_object_client *client;
    struct weir_object *object;
    unsigned char data[OBJECT_BYTES];
};

/* The first one of a node tries the way, and the others connect. */
static void come(struct user *user, unsigned number, unsigned count, const char *provider,
                 const char *address)
{
    const char *const addresses[] = {address};
    const struct weir_object_client_params params = {.fabric = network(provider),
                                                     .addresses = addresses,
                                                     .server_count = 1,
                                                     .depth = 8,
                                                     .client_count = count,
                                                     .leaves_trial = number > 0};
    struct weir_error error = {0};

    if (weir_object_client_open(&params, &user->client, &error) != 0 ||
        weir_object_client_preflight(user->client, &error) != 0)
        give_up("client", error.text);
}

/* Each opens the one object that all share, and writes a block of its own. */
static void work(struct user *user, unsigned number)
{
    const struct weir_object_params params = {
        .path = "dir/shared", .can_write = true, .must_create = true};
    struct weir_object_io io = {.verb = WEIR_OBJECT_WRITE,
                                .data = user->data,
                                .offset = (uint64_t)number * OBJECT_BYTES,
                                .bytes = OBJECT_BYTES};
    struct weir_object_io *submitted = &io, *done;

    if (weir_object_open(user->client, &params, &user->object) != 0)
        give_up("client", "it cannot open the object");
    io.object = user->object;
    if (weir_object_submit(user->client, &submitted, 1) != 1 ||
        weir_object_reap(user->client, &done, 1, 1, UINT64_MAX) != 1 || io.result != OBJECT_BYTES ||
        weir_object_sync(user->client, user->object) != 0)
        give_up("client", "it cannot write");
}

static void leave(struct user *user)
{
    if (weir_object_close(user->client, user->object) != 0)
        give_up("client", "it cannot close the object");
    weir_object_client_close(user->client);
}

/* ---- the run ---- */

static double seconds_since(uint64_t *ns)
{
    uint64_t now = weir_clock_kernel_ns();
    double seconds = (double)(now - *ns) * 1e-9;

    *ns = now;
    return seconds;
}

static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
    unsigned count = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    struct facts idle, linked, worked;
    double coming, working, leaving;
    struct server server;
    struct user *users;
    uint64_t ns;

    if (count == 0)
        give_up("usage", "links PROVIDER CLIENTS");
    raise_limit();
    server = start_server(argv[1], count);
    users = calloc(count, sizeof *users);
    if (!users)
        give_up("clients", "out of memory");
    idle = ask(&server);
    ns = weir_clock_kernel_ns();
    for (unsigned i = 0; i < count; i++)
        come(&users[i], i, count, argv[1], server.address);
    coming = seconds_since(&ns);
    linked = ask(&server);
    for (unsigned i = 0; i < count; i++)
        work(&users[i], i);
    working = seconds_since(&ns);
    worked = ask(&server);
    for (unsigned i = 0; i < count; i++)
        leave(&users[i]);
    while (ask(&server).clients > 0)
        usleep(1000);
    leaving = seconds_since(&ns);
    printf("{\"clients\": %u, \"linked\": %llu, \"come_s\": %.4f, \"work_s\": %.4f, \"leave_s\": "
           "%.4f, \"come_messages\": %llu, \"work_messages\": %llu, \"resident_bytes\": %lld}\n",
           count, (unsigned long long)linked.clients, coming, working, leaving,
           (unsigned long long)(linked.messages - idle.messages),
           (unsigned long long)(worked.messages - linked.messages),
           (long long)(worked.resident_bytes - idle.resident_bytes));
    free(users);
    close(server.questions);
    waitpid(server.process, NULL, 0);
    return 0;
}

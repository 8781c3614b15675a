/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients of one object server: what each costs it in messages and memory, and how long they
 * take to come, to move data and to go. mpiexec -n N links PROVIDER CLIENTS: the last rank serves,
 * each of the others has so many clients, each with its own end of the network, and all are there
 * at once. The server's rank prints a line of JSON. */
#include "weir/base/clock.h"
#include "weir/objects/client.h"
#include "weir/objects/server.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096, DEPTH = 4, ROUNDS = 8 };

static const unsigned char secret[WEIR_SECRET_BYTES] = "of a bench on loopback";

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "links: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

struct memory {
    uint64_t resident_bytes;
    uint64_t own_bytes; /* without what it shares: over shm, clients map the server's slab */
};

static struct memory look_at_memory(void)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long resident = 0, shared = 0;

    if (!file || fscanf(file, "%*u %lu %lu", &resident, &shared) != 2)
        give_up("/proc/self/statm", "cannot be read");
    fclose(file);
    return (struct memory){resident * page_bytes, (resident - shared) * page_bytes};
}

static struct weir_fabric_params network(const char *provider)
{
    return (struct weir_fabric_params){.provider = provider,
                                       .gid_index = -1,
                                       .timeout_ns = UINT64_C(60000000000),
                                       .secret = secret};
}

/* Waits for all ranks, and leaves the processor to those that work. */
static void meet(void)
{
    MPI_Request request;
    int is_over = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
        if (is_over)
            return;
        usleep(500);
    }
}

/* The server's rank looks at what there is meanwhile. */
static void stand_still(void)
{
    meet();
    meet();
}

/* ---- clients ---- */

struct user {
    struct weir_object_client *client;
    struct weir_object *object;
    struct weir_object_io ios[DEPTH];
    unsigned number; /* of all in the job */
    uint64_t data[DEPTH][BLOCK_BYTES / sizeof(uint64_t)];
};

/* The first one of a node tries the way, and the others connect. */
static void come(struct user *user, unsigned count, const char *provider, const char *address)
{
    const char *const addresses[] = {address};
    const struct weir_object_client_params params = {.fabric = network(provider),
                                                     .addresses = addresses,
                                                     .server_count = 1,
                                                     .depth = DEPTH,
                                                     .client_count = count,
                                                     .leaves_trial = user->number > 0};
    struct weir_error error = {0};

    if (weir_object_client_open(&params, &user->client, &error) != 0 ||
        weir_object_client_preflight(user->client, &error) != 0)
        give_up("client", error.text);
}

/* All its blocks are under way at once. They lie together in the object that all share. */
static void submit(struct user *user, enum weir_object_verb verb)
{
    for (unsigned i = 0; i < DEPTH; i++) {
        struct weir_object_io *io = &user->ios[i];

        *io = (struct weir_object_io){.object = user->object,
                                      .verb = verb,
                                      .data = user->data[i],
                                      .offset = ((uint64_t)user->number * DEPTH + i) * BLOCK_BYTES,
                                      .bytes = BLOCK_BYTES,
                                      .slot = i};
        if (weir_object_submit(user->client, &io, 1) != 1)
            give_up("client", "it cannot submit");
    }
}

static void reap(struct user *user)
{
    struct weir_object_io *done[DEPTH];

    if (weir_object_reap(user->client, done, DEPTH, DEPTH, UINT64_MAX) != DEPTH)
        give_up("client", "transfers did not come back");
    for (unsigned i = 0; i < DEPTH; i++)
        if (done[i]->result != BLOCK_BYTES)
            give_up("client", "a transfer failed");
}

static void open_shared(struct user *user)
{
    const struct weir_object_params params = {
        .path = "dir/shared", .can_write = true, .can_read = true, .must_create = true};

    if (weir_object_open(user->client, &params, &user->object) != 0)
        give_up("client", "it cannot open the object");
}

/* Each opens the object, writes its blocks and syncs. */
static void work(struct user *user)
{
    open_shared(user);
    submit(user, WEIR_OBJECT_WRITE);
    reap(user);
    if (weir_object_sync(user->client, user->object) != 0)
        give_up("client", "it cannot sync");
}

static void leave(struct user *user)
{
    if (weir_object_close(user->client, user->object) != 0)
        give_up("client", "it cannot close the object");
    weir_object_client_close(user->client);
}

/* What stands at a word in a round; nobody else's, and of no other round. */
static uint64_t word_of(const struct user *user, unsigned round, unsigned block, unsigned word)
{
    return ((uint64_t)user->number << 32 | round << 24 | block << 16 | word) *
           UINT64_C(0x9e3779b97f4a7c15);
}

static void fill(struct user *user, unsigned round)
{
    for (unsigned i = 0; i < DEPTH; i++)
        for (unsigned k = 0; k < BLOCK_BYTES / sizeof(uint64_t); k++)
            user->data[i][k] = word_of(user, round, i, k);
}

static void verify(const struct user *user, unsigned round)
{
    for (unsigned i = 0; i < DEPTH; i++)
        for (unsigned k = 0; k < BLOCK_BYTES / sizeof(uint64_t); k++)
            if (user->data[i][k] != word_of(user, round, i, k))
                give_up("client", "it has read what it did not write");
}

/* All clients of the rank have all their blocks under way at once: written in one round and read
 * back, into buffers that hold something else. */
static void move(struct user *users, unsigned count)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < count; i++) {
            fill(&users[i], round);
            submit(&users[i], WEIR_OBJECT_WRITE);
        }
        for (unsigned i = 0; i < count; i++) {
            reap(&users[i]);
            memset(users[i].data, 0, sizeof users[i].data);
            submit(&users[i], WEIR_OBJECT_READ);
        }
        for (unsigned i = 0; i < count; i++) {
            reap(&users[i]);
            verify(&users[i], round);
        }
    }
}

/* ---- the steps, between which ranks meet ---- */

struct job {
    const char *provider;
    char address[WEIR_ADDRESS_BYTES];
    int rank, client_ranks;
    unsigned count; /* clients of all ranks */
    unsigned own;   /* of this one */
};

/* Returns the memory that its clients take. */
static uint64_t be_clients(const struct job *job)
{
    struct user *users = calloc(job->own, sizeof *users);
    uint64_t before, after;

    if (!users)
        give_up("clients", "out of memory");
    for (unsigned i = 0; i < job->own; i++)
        users[i].number = (unsigned)job->rank * job->own + i;
    stand_still();
    before = look_at_memory().own_bytes;
    for (unsigned i = 0; i < job->own; i++)
        come(&users[i], job->count, job->provider, job->address);
    after = look_at_memory().own_bytes;
    stand_still();
    for (unsigned i = 0; i < job->own; i++)
        work(&users[i]);
    stand_still();
    move(users, job->own);
    stand_still();
    for (unsigned i = 0; i < job->own; i++)
        leave(&users[i]);
    free(users);
    return after - before;
}

static double seconds_since(uint64_t *ns)
{
    uint64_t now = weir_clock_kernel_ns();
    double seconds = (double)(now - *ns) * 1e-9;

    *ns = now;
    return seconds;
}

struct facts {
    struct weir_object_server_facts server;
    uint64_t resident_bytes;
    double seconds; /* since the last ones */
};

/* While the others stand still. */
static struct facts look(struct weir_object_server *server, uint64_t *ns)
{
    struct facts facts;

    meet();
    facts.seconds = seconds_since(ns);
    facts.resident_bytes = look_at_memory().resident_bytes;
    weir_object_server_facts(server, &facts.server);
    meet();
    return facts;
}

static void print(const struct job *job, const struct facts facts[], double leaving,
                  uint64_t client_bytes)
{
    printf("{\"ranks\": %d, \"clients\": %u, \"linked\": %llu, \"come_s\": %.4f, "
           "\"work_s\": %.4f, \"move_s\": %.4f, \"moved_bytes\": %llu, \"leave_s\": %.4f, "
           "\"come_messages\": %llu, \"work_messages\": %llu, \"move_messages\": %llu, "
           "\"resident_bytes\": %lld, \"client_bytes\": %llu}\n",
           job->client_ranks, job->count, (unsigned long long)facts[3].server.client_count,
           facts[1].seconds, facts[2].seconds, facts[3].seconds,
           2ULL * ROUNDS * DEPTH * BLOCK_BYTES * job->count, leaving,
           (unsigned long long)(facts[1].server.message_count - facts[0].server.message_count),
           (unsigned long long)(facts[2].server.message_count - facts[1].server.message_count),
           (unsigned long long)(facts[3].server.message_count - facts[2].server.message_count),
           (long long)(facts[3].resident_bytes - facts[0].resident_bytes),
           (unsigned long long)client_bytes);
}

/* Opened before the others learn where it is. */
static struct weir_object_server *open_server(struct job *job)
{
    const struct weir_object_server_params params = {.fabric = network(job->provider),
                                                     .listen = "127.0.0.1",
                                                     .capacity_bytes = UINT64_C(64) << 20,
                                                     .client_limit = 2 * job->count,
                                                     .client_count = job->count};
    struct weir_object_server *server;
    struct weir_error error = {0};

    if (weir_object_server_open(&params, &server, &error) != 0)
        give_up("server", error.text);
    snprintf(job->address, sizeof job->address, "%s", weir_object_server_address(server));
    return server;
}

/* Seconds until the last client has gone. */
static double see_off(struct weir_object_server *server, uint64_t *ns)
{
    struct weir_object_server_facts facts;

    do {
        usleep(1000);
        weir_object_server_facts(server, &facts);
    } while (facts.client_count > 0);
    return seconds_since(ns);
}

static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void run(struct job *job)
{
    struct weir_object_server *server = NULL;
    uint64_t own_bytes = 0, client_bytes = 0, ns = 0;
    bool is_server = job->rank == job->client_ranks;
    struct facts facts[4];
    double leaving = 0;

    if (is_server)
        server = open_server(job);
    MPI_Bcast(job->address, sizeof job->address, MPI_BYTE, job->client_ranks, MPI_COMM_WORLD);
    if (is_server) {
        for (unsigned i = 0; i < 4; i++)
            facts[i] = look(server, &ns);
        leaving = see_off(server, &ns);
    } else {
        own_bytes = be_clients(job);
    }
    meet();
    MPI_Reduce(&own_bytes, &client_bytes, 1, MPI_UINT64_T, MPI_SUM, job->client_ranks,
               MPI_COMM_WORLD);
    if (is_server)
        print(job, facts, leaving, client_bytes);
    weir_object_server_close(server);
}

int main(int argc, char **argv)
{
    struct job job = {.provider = argc == 3 ? argv[1] : ""};
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    job.client_ranks = size - 1;
    job.own = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    job.count = job.own * (unsigned)job.client_ranks;
    if (job.count == 0)
        give_up("usage", "mpiexec -n N links PROVIDER CLIENTS, of each rank but the last");
    raise_limit();
    run(&job);
    MPI_Finalize();
    return 0;
}

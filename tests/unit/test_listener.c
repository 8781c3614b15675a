/* SPDX-License-Identifier: Apache-2.0 */
/* Which handshakes end in a link: peers that say one thing wrong, or nothing. */
#include "network/fabric/shm.h"
#include "raw_peer.h"

#include "../mocks/allocated.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define TIMEOUT_NS UINT64_C(300000000)

struct bed {
    struct wr_end end;
    struct raw_peer peer;
    int err; /* what is logged goes here */
    int saved_err;
};

static int set_up(void **state)
{
    static const unsigned char secret[WEIR_SECRET_BYTES] = "what only friends know";
    struct bed *bed = calloc(1, sizeof *bed);
    struct weir_fabric_params params = {.provider = "tcp",
                                        .interface = "127.0.0.1",
                                        .gid_index = -1,
                                        .timeout_ns = TIMEOUT_NS,
                                        .secret = secret};

    if (bed == NULL)
        return -1;
    wr_open_end(&bed->end, &params);
    wr_listen(&bed->end);
    memcpy(bed->peer.secret, secret, sizeof secret);
    bed->peer.fd = raw_peer_dial(bed->end.address);
    raw_peer_set_hello(&bed->peer, "tcp");
    bed->err = memfd_create("log", MFD_CLOEXEC);
    bed->saved_err = dup(STDERR_FILENO);
    dup2(bed->err, STDERR_FILENO);
    *state = bed;
    return 0;
}

static int tear_down(void **state)
{
    struct bed *bed = *state;

    dup2(bed->saved_err, STDERR_FILENO);
    close(bed->saved_err);
    close(bed->err);
    close(bed->peer.fd);
    wr_close_end(&bed->end);
    free(bed);
    return 0;
}

/* Lines that were logged with these words in them. */
static unsigned count_logged(const struct bed *bed, const char *words)
{
    char text[65536] = "";
    unsigned count = 0;

    assert_true(pread(bed->err, text, sizeof text - 1, 0) >= 0);
    for (const char *place = strstr(text, words); place != NULL; place = strstr(place + 1, words))
        count++;
    return count;
}

static uint64_t refused(const struct bed *bed)
{
    return weir_fabric_handshake_counts(bed->end.fabric).refused;
}

/* ---- honest ones ---- */

static void a_peer_that_proves_the_secret_gets_an_endpoint_and_a_link(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_endpoint endpoint = raw_peer_join(&bed->peer, &bed->end, 8);

    assert_int_equal(le32toh(endpoint.status), WEIR_HANDSHAKE_OK);
    assert_int_equal(le32toh(endpoint.credits), 32);
    assert_int_equal(le32toh(endpoint.message_bytes), 4096);
    while (bed->end.joined == 0)
        wr_poll_end(&bed->end, 1000000);
    assert_int_equal(weir_link_credits(bed->end.link), 4);
    assert_int_equal(weir_link_message_bytes(bed->end.link), 512);
    assert_int_equal(weir_fabric_handshake_counts(bed->end.fabric).joined, 1);
    assert_int_equal(refused(bed), 0);
}

static void the_server_proves_that_it_knows_the_secret_too(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_proof answer;
    unsigned char expected[WEIR_PROOF_BYTES];

    raw_peer_greet(&bed->peer, &bed->end);
    answer = raw_peer_show(&bed->peer, &bed->end);
    raw_peer_prove(&bed->peer, "server", expected);
    assert_memory_equal(answer.proof, expected, sizeof expected);
}

static void words_that_come_byte_by_byte_are_understood(void **state)
{
    struct bed *bed = *state;
    const unsigned char *hello = (const unsigned char *)&bed->peer.hello;

    for (size_t i = 0; i < sizeof bed->peer.hello; i++) {
        raw_peer_say(&bed->peer, hello + i, 1);
        wr_poll_end(&bed->end, 0);
    }
    assert_int_equal(
        raw_peer_hear(&bed->peer, &bed->end, &bed->peer.challenge, sizeof bed->peer.challenge),
        sizeof bed->peer.challenge);
    assert_int_equal(le32toh(raw_peer_show(&bed->peer, &bed->end).status), WEIR_HANDSHAKE_OK);
}

/* ---- the others ---- */

static void a_wrong_secret_gets_neither_proof_nor_endpoint(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_proof answer;
    struct weir_handshake_endpoint endpoint = {0};

    bed->peer.secret[0] ^= 1;
    raw_peer_greet(&bed->peer, &bed->end);
    answer = raw_peer_show(&bed->peer, &bed->end);
    assert_int_equal(le32toh(answer.status), WEIR_HANDSHAKE_WRONG_SECRET);
    for (size_t i = 0; i < sizeof answer.proof; i++)
        assert_int_equal(answer.proof[i], 0);
    send(bed->peer.fd, &endpoint, sizeof endpoint, MSG_NOSIGNAL);
    assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
    assert_int_equal(refused(bed), 1);
    assert_int_equal(bed->end.joined, 0);
    assert_int_equal(count_logged(bed, "secret"), 1);
}

static void the_proof_of_one_visit_is_of_no_use_in_the_next(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_proof proof;
    struct weir_handshake_proof answer;

    raw_peer_greet(&bed->peer, &bed->end);
    raw_peer_prove(&bed->peer, "client", proof.proof);
    close(bed->peer.fd);
    bed->peer.fd = raw_peer_dial(bed->end.address);
    raw_peer_greet(&bed->peer, &bed->end);
    answer = raw_peer_offer(&bed->peer, &bed->end, &proof);
    assert_int_equal(le32toh(answer.status), WEIR_HANDSHAKE_WRONG_SECRET);
}

static void the_servers_proof_does_not_pass_for_a_clients(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_proof proof;
    struct weir_handshake_proof answer;

    raw_peer_greet(&bed->peer, &bed->end);
    raw_peer_prove(&bed->peer, "server", proof.proof);
    answer = raw_peer_offer(&bed->peer, &bed->end, &proof);
    assert_int_equal(le32toh(answer.status), WEIR_HANDSHAKE_WRONG_SECRET);
}

static void another_version_is_told_as_such(void **state)
{
    struct bed *bed = *state;

    bed->peer.hello.version = htole32(WEIR_HANDSHAKE_VERSION + 1);
    raw_peer_greet(&bed->peer, &bed->end);
    assert_int_equal(le32toh(bed->peer.challenge.status), WEIR_HANDSHAKE_OTHER_VERSION);
    assert_int_equal(le32toh(bed->peer.challenge.version), WEIR_HANDSHAKE_VERSION);
    assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
    assert_int_equal(refused(bed), 1);
    assert_int_equal(count_logged(bed, "version"), 2);
}

static void another_provider_is_told_as_such(void **state)
{
    struct bed *bed = *state;

    raw_peer_set_hello(&bed->peer, "verbs");
    raw_peer_greet(&bed->peer, &bed->end);
    assert_int_equal(le32toh(bed->peer.challenge.status), WEIR_HANDSHAKE_OTHER_PROVIDER);
    assert_string_equal(bed->peer.challenge.provider, "tcp");
    assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
    assert_int_equal(count_logged(bed, "verbs"), 1);
}

static void garbage_is_hung_up_on_at_its_first_bytes(void **state)
{
    struct bed *bed = *state;

    raw_peer_say(&bed->peer, "GET", 3);
    assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
    assert_int_equal(refused(bed), 1);
}

static void silence_is_hung_up_on_when_the_timeout_ends(void **state)
{
    struct bed *bed = *state;
    uint64_t start_ns = weir_clock_kernel_ns();

    raw_peer_say(&bed->peer, &bed->peer.hello, 20);
    assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
    assert_true(weir_clock_kernel_ns() - start_ns >= TIMEOUT_NS / 2);
    assert_int_equal(refused(bed), 1);
}

static void a_poll_that_sleeps_wakes_up_for_silence(void **state)
{
    struct bed *bed = *state;
    uint64_t start_ns = weir_clock_kernel_ns();
    struct weir_event event;

    /* Without a byte, the kernel would keep it to itself for longer. */
    raw_peer_say(&bed->peer, &bed->peer.hello, 1);
    assert_int_equal(weir_fabric_poll(bed->end.fabric, &event, 1, 3 * TIMEOUT_NS), 0);
    assert_true(weir_clock_kernel_ns() - start_ns >= 3 * TIMEOUT_NS);
    assert_int_equal(refused(bed), 1);
}

static void an_endpoint_that_makes_no_sense_is_refused(void **state)
{
    static const struct weir_handshake_endpoint endpoints[] = {
        {.credits = 0, .message_bytes = 4096},
        {.credits = UINT32_MAX, .message_bytes = 4096},
        {.credits = 1, .message_bytes = 0},
        {.credits = 1, .message_bytes = UINT32_MAX},
        {.credits = 1, .message_bytes = 4096, .greeting_bytes = WEIR_GREETING_BYTES + 1},
        {.credits = 1, .message_bytes = 4096}, /* no request in flight */
        {.status = WEIR_HANDSHAKE_CANNOT, .credits = 1, .message_bytes = 4096},
    };
    struct bed *bed = *state;

    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++) {
        struct weir_handshake_endpoint theirs;

        raw_peer_greet(&bed->peer, &bed->end);
        raw_peer_show(&bed->peer, &bed->end);
        raw_peer_say(&bed->peer, &endpoints[i], sizeof endpoints[i]);
        if (raw_peer_hear(&bed->peer, &bed->end, &theirs, sizeof theirs) == sizeof theirs) {
            unsigned char nothing[WEIR_ENDPOINT_INFO_BYTES] = {0};

            assert_int_equal(le32toh(theirs.status), WEIR_HANDSHAKE_CANNOT);
            assert_memory_equal(theirs.info.bytes, nothing, sizeof nothing);
        }
        assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
        assert_int_equal(refused(bed), i + 1);
        close(bed->peer.fd);
        bed->peer.fd = raw_peer_dial(bed->end.address);
    }
    assert_int_equal(bed->end.joined, 0);
}

/* What the provider shm is told: memory of this process, whose user is root. */
struct shm_endpoint {
    struct weir_shm_place place;
    struct weir_shm_inbox_info inbox;
};

/* The peer knows the secret, says what is true of a process of root's, and sends no READY: without
 * it, too, it could ask for that process's memory. */
static void root_links_with_no_socket_of_a_user_who_names_anothers_process(void **state)
{
    static const uid_t users[] = {65534, 0};
    struct shm_endpoint ours = {.place = {.process = 0}};
    struct weir_fabric_params params = {.provider = "shm", .interface = "127.0.0.1"};
    struct raw_peer peer = {.fd = -1};
    struct weir_shm_inbox inbox;
    struct wr_end end;

    if (geteuid() != 0)
        skip();
    wr_open_end(&end, &params);
    wr_listen(&end);
    weir_shm_place_find(&ours.place);
    assert_int_equal(weir_shm_inbox_open(&inbox, 4, 512, &ours.inbox), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(seteuid(users[i]), 0);
        peer.fd = raw_peer_dial(end.address);
        assert_int_equal(seteuid(0), 0);
        raw_peer_set_hello(&peer, "shm");
        assert_int_equal(le32toh(raw_peer_show_info(&peer, &end, &ours, sizeof ours).status),
                         users[i] == 0 ? WEIR_HANDSHAKE_OK : WEIR_HANDSHAKE_CANNOT);
        wr_poll_end(&end, 1000000);
        assert_int_equal(end.joined, users[i] == 0);
        close(peer.fd);
    }
    weir_shm_inbox_close(&inbox);
    wr_close_end(&end);
}

/* They count from their endpoint on, and until they are closed here: who sends no READY, and who
 * was not told of yet. */
static void no_more_links_come_in_than_may(void **state)
{
    static const unsigned char secret[WEIR_SECRET_BYTES] = "s";
    struct weir_fabric_params params = {
        .provider = "tcp", .interface = "127.0.0.1", .secret = secret, .incoming_limit = 2};
    struct raw_peer peers[4];
    struct wr_end end;

    wr_open_end(&end, &params);
    wr_listen(&end);
    for (unsigned i = 0; i < 4; i++) {
        peers[i].fd = raw_peer_dial(end.address);
        memcpy(peers[i].secret, secret, sizeof secret);
        raw_peer_set_hello(&peers[i], "tcp");
        assert_int_equal(le32toh(raw_peer_show_endpoint(&peers[i], &end, 8).status),
                         i == 2 ? WEIR_HANDSHAKE_CANNOT : WEIR_HANDSHAKE_OK);
        if (i == 2)
            close(peers[0].fd);
        while (i == 2 && end.left == 0)
            wr_poll_end(&end, 1000000);
        if (i == 2)
            weir_link_close(end.noted[end.noted_count - 1].link);
    }
    while (end.joined < 3)
        wr_poll_end(&end, 1000000);
    assert_int_equal(weir_fabric_handshake_counts(end.fabric).refused, 2); /* and who left */
    for (unsigned i = 1; i < 4; i++)
        close(peers[i].fd);
    wr_close_end(&end);
}

/* ---- many of them ---- */

static uint64_t thread_ns(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000 +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

static void who_is_refused_again_and_again_does_not_fill_the_log(void **state)
{
    struct bed *bed = *state;

    for (unsigned i = 0; i < 120; i++) {
        int fd = raw_peer_dial(bed->end.address);

        assert_int_equal(send(fd, "garbage!", 8, MSG_NOSIGNAL), 8);
        while (refused(bed) <= i)
            wr_poll_end(&bed->end, 1000000);
        close(fd);
    }
    assert_int_equal(count_logged(bed, "is refused"), 3);
    assert_int_equal(count_logged(bed, "100 times"), 1);
}

static void *visit(void *address)
{
    for (unsigned i = 0; i < 200; i++) {
        int fd = raw_peer_dial(address);

        send(fd, "garbage!", 8, MSG_NOSIGNAL);
        close(fd);
    }
    return NULL;
}

static void who_was_refused_takes_no_memory_while_poll_waits(void **state)
{
    struct bed *bed = *state;
    struct weir_event event;
    pthread_t thread;
    size_t before = weir_test_allocated_bytes();

    assert_int_equal(pthread_create(&thread, NULL, visit, bed->end.address), 0);
    assert_int_equal(weir_fabric_poll(bed->end.fabric, &event, 1, UINT64_C(1000000000)), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(refused(bed) >= 100);
    assert_true(weir_test_allocated_bytes() < before + 65536);
}

static void three_hundred_silent_ones_do_not_keep_a_friend_out(void **state)
{
    struct bed *bed = *state;
    int fds[300];

    for (unsigned i = 0; i < 300; i++)
        fds[i] = raw_peer_dial(bed->end.address);
    close(bed->peer.fd);
    bed->peer.fd = raw_peer_dial(bed->end.address);
    raw_peer_join(&bed->peer, &bed->end, 8);
    while (bed->end.joined == 0)
        wr_poll_end(&bed->end, 1000000);
    assert_true(refused(bed) > 0);
    for (unsigned i = 0; i < 300; i++)
        close(fds[i]);
}

/* Half of READY, and then nothing: the link is told of, since its peer may send data before READY
 * is read, and given up in time. */
static void a_link_whose_peer_is_never_ready_is_given_up_and_does_not_keep_poll_awake(void **state)
{
    struct bed *bed = *state;
    struct rusage before, after;

    raw_peer_show_endpoint(&bed->peer, &bed->end, 8);
    raw_peer_say(&bed->peer, "\0\0\0\0", 4);
    getrusage(RUSAGE_THREAD, &before);
    while (bed->end.left == 0)
        wr_poll_end(&bed->end, TIMEOUT_NS / 2);
    getrusage(RUSAGE_THREAD, &after);
    assert_int_equal(bed->end.joined, 1);
    assert_int_equal(wr_find(&bed->end, WEIR_EVENT_LEFT)->result, -ETIMEDOUT);
    assert_true(thread_ns(&after) - thread_ns(&before) < TIMEOUT_NS / 4);
    assert_true(raw_peer_is_hung_up_on(&bed->peer, &bed->end));
}

/* The peer cannot receive before it is ready: nothing is taken, and nothing is lost. */
static void a_link_takes_work_requests_when_its_peer_is_ready(void **state)
{
    struct bed *bed = *state;
    struct weir_wr wr = {.verb = WEIR_WR_SEND, .header = "news", .header_bytes = 4};
    struct weir_handshake_ready ready = {0};

    raw_peer_show_endpoint(&bed->peer, &bed->end, 8);
    while (bed->end.joined == 0)
        wr_poll_end(&bed->end, 1000000);
    assert_int_equal(weir_link_post(bed->end.link, &wr, 1), 0);
    raw_peer_say(&bed->peer, &ready, sizeof ready);
    while (weir_link_post(bed->end.link, &wr, 1) == 0)
        wr_poll_end(&bed->end, 1000000);
    assert_int_equal(weir_link_outstanding(bed->end.link), 1);
}

static void without_descriptors_the_listener_waits_and_does_not_spin(void **state)
{
    struct bed *bed = *state;
    struct rlimit limit, low;
    struct rusage before, after;
    struct weir_event event;
    int next = dup(STDERR_FILENO);

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    close(next);
    low = limit;
    low.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    getrusage(RUSAGE_THREAD, &before);
    weir_fabric_poll(bed->end.fabric, &event, 1, UINT64_C(1000000000));
    getrusage(RUSAGE_THREAD, &after);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(after.ru_nvcsw - before.ru_nvcsw < 100);
    assert_true(thread_ns(&after) - thread_ns(&before) < UINT64_C(500000000));
    /* The one who waited is served when there is room again. */
    raw_peer_greet(&bed->peer, &bed->end);
}

/* ---- the other side: peers who listen ---- */

struct false_server {
    int listener, fd;
    char address[64];
};

static void open_false_server(struct false_server *server)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof place;

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&place, bytes), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&place, &bytes), 0);
    snprintf(server->address, sizeof server->address, "127.0.0.1:%u", ntohs(place.sin_port));
    server->fd = -1;
}

static void close_false_server(struct false_server *server)
{
    close(server->fd);
    close(server->listener);
}

/* Why a link with a server was not made that says `challenge` and then `answer`. */
static int connect_to_false(struct bed *bed, const struct weir_handshake_hello *challenge,
                            const struct weir_handshake_proof *answer, bool is_told_endpoint)
{
    struct false_server server;
    struct raw_peer other = {0};
    struct weir_handshake_endpoint endpoint;
    int result;

    open_false_server(&server);
    assert_int_equal(weir_fabric_connect(bed->end.fabric, server.address, NULL, 0, &bed->end.link),
                     0);
    server.fd = accept(server.listener, NULL, NULL);
    other.fd = server.fd;
    assert_int_equal(raw_peer_hear(&other, &bed->end, &other.hello, sizeof other.hello),
                     sizeof other.hello);
    if (challenge != NULL)
        raw_peer_say(&other, challenge, sizeof *challenge);
    if (answer != NULL) {
        raw_peer_say(&other, answer, sizeof *answer);
        assert_int_equal(
            raw_peer_hear(&other, &bed->end, &endpoint, sizeof(struct weir_handshake_proof)),
            sizeof(struct weir_handshake_proof));
        assert_int_equal(raw_peer_hear(&other, &bed->end, &endpoint, sizeof endpoint) ==
                             sizeof endpoint,
                         is_told_endpoint);
    }
    while (bed->end.left == 0)
        wr_poll_end(&bed->end, 1000000);
    result = wr_find(&bed->end, WEIR_EVENT_LEFT)->result;
    weir_link_close(bed->end.link);
    bed->end.link = NULL;
    wr_forget(&bed->end);
    close_false_server(&server);
    return result;
}

static void a_server_that_does_not_know_the_secret_is_left(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_hello challenge = {.magic = WEIR_HANDSHAKE_MAGIC,
                                             .version = htole32(WEIR_HANDSHAKE_VERSION),
                                             .provider = "tcp"};
    struct weir_handshake_proof welcome = {.status = htole32(WEIR_HANDSHAKE_OK)};
    struct weir_handshake_proof wrong = {.status = htole32(WEIR_HANDSHAKE_WRONG_SECRET)};

    assert_int_equal(connect_to_false(bed, &challenge, &welcome, false), -EACCES);
    assert_int_equal(count_logged(bed, "secret"), 1);
    assert_int_equal(connect_to_false(bed, &challenge, &wrong, false), -EACCES);
    assert_int_equal(count_logged(bed, "secret"), 2);
}

static void a_server_of_another_kind_is_left_with_the_reason(void **state)
{
    struct bed *bed = *state;
    struct weir_handshake_hello challenge = {.magic = WEIR_HANDSHAKE_MAGIC,
                                             .version = htole32(8),
                                             .status = htole32(WEIR_HANDSHAKE_OTHER_VERSION)};

    assert_int_equal(connect_to_false(bed, &challenge, NULL, false), -EPROTONOSUPPORT);
    assert_int_equal(count_logged(bed, "version 8"), 1);
    challenge.version = htole32(WEIR_HANDSHAKE_VERSION);
    challenge.status = htole32(WEIR_HANDSHAKE_OTHER_PROVIDER);
    memcpy(challenge.provider, "verbs", 6);
    assert_int_equal(connect_to_false(bed, &challenge, NULL, false), -EPROTOTYPE);
    assert_int_equal(count_logged(bed, "verbs"), 1);
    challenge.magic[0] = 'x';
    assert_int_equal(connect_to_false(bed, &challenge, NULL, false), -EPROTO);
    assert_int_equal(connect_to_false(bed, NULL, NULL, false), -ETIMEDOUT);
}

/* ---- places ---- */

static void places_in_words_are_taken_apart(void **state)
{
    static const struct {
        const char *text, *host, *port;
    } cases[] = {
        {"n2:7471", "n2", "7471"},
        {"n2", "n2", "0"},
        {"10.0.0.1:1", "10.0.0.1", "1"},
        {"[fe80::1%eth0]:65535", "fe80::1%eth0", "65535"},
        {"[::1]", "::1", "0"},
        {"::1", "::1", "0"},
        {"", NULL, NULL},
        {":7471", NULL, NULL},
        {"n2:", NULL, NULL},
        {"n2:x", NULL, NULL},
        {"n2:70000", NULL, NULL},
        {"n2:-1", NULL, NULL},
        {"n2:1 ", NULL, NULL},
        {"[::1", NULL, NULL},
        {"[::1]7471", NULL, NULL},
        {"[]:1", NULL, NULL},
    };
    struct weir_host_port parsed;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int result = weir_host_port_parse(cases[i].text, &parsed);

        assert_int_equal(result, cases[i].host == NULL ? -EINVAL : 0);
        if (result)
            continue;
        assert_string_equal(parsed.host, cases[i].host);
        assert_string_equal(parsed.port, cases[i].port);
    }
}

static void addresses_that_cannot_be_read_make_no_link(void **state)
{
    static const char *const wrong[] = {"",       "127.0.0.1",      "127.0.0.1:", "127.0.0.1:0",
                                        "[::1:5", "127.0.0.1:99999"};
    struct bed *bed = *state;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(weir_fabric_connect(bed->end.fabric, wrong[i], NULL, 0, &bed->end.link),
                         -EINVAL);
    assert_null(bed->end.link);
}

static void a_fabric_listens_where_it_is_told(void **state)
{
    static const char *const places[] = {"127.0.0.1:0", "127.0.0.1", "[::1]:0", "0.0.0.0"};
    struct weir_fabric_params params = {
        .provider = "tcp", .interface = "127.0.0.1", .gid_index = -1};
    struct weir_error error = {0};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char address[WEIR_ADDRESS_BYTES];
        struct weir_fabric *fabric;

        assert_int_equal(weir_fabric_open(&params, &fabric, &error), 0);
        assert_int_equal(weir_fabric_listen(fabric, places[i], address, &error), 0);
        assert_int_equal(strncmp(address, i == 2 ? "[::1]:" : "127.0.0.1:", i == 2 ? 6 : 10), 0);
        weir_fabric_close(fabric);
    }
}

static void places_where_nobody_can_listen_are_refused_by_name(void **state)
{
    struct bed *bed = *state;
    struct weir_fabric_params params = {
        .provider = "tcp", .interface = "127.0.0.1", .gid_index = -1};
    char address[WEIR_ADDRESS_BYTES];
    struct weir_fabric *fabric;
    struct weir_error error = {0};

    assert_int_equal(weir_fabric_open(&params, &fabric, &error), 0);
    assert_int_equal(weir_fabric_listen(fabric, bed->end.address, address, &error), -EADDRINUSE);
    assert_non_null(strstr(error.text, bed->end.address));
    error = (struct weir_error){0};
    assert_int_equal(weir_fabric_listen(fabric, "127.0.0.1:x", address, &error), -EINVAL);
    assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    weir_fabric_close(fabric);
    error = (struct weir_error){0};
    params.interface = "nosuch0";
    assert_int_equal(weir_fabric_open(&params, &fabric, &error), -ENODEV);
    assert_non_null(strstr(error.text, "\"nosuch0\""));
    assert_non_null(strstr(error.text, "lo"));
    error = (struct weir_error){0};
    params.provider = "pigeon";
    assert_int_equal(weir_fabric_open(&params, &fabric, &error), -EINVAL);
    assert_non_null(strstr(error.text, "tcp"));
}

static void what_could_only_be_ignored_or_refused_later_opens_no_fabric(void **state)
{
    struct weir_fabric_params device = {.device = "nosuch0/1", .gid_index = -1};
    struct weir_fabric_params message = {
        .provider = "tcp", .interface = "127.0.0.1", .gid_index = -1, .message_bytes = 17 << 20};
    struct weir_fabric *fabric = NULL;
    struct weir_error error = {0};

    assert_int_not_equal(weir_fabric_open(&device, &fabric, &error), 0);
    assert_null(fabric);
    error = (struct weir_error){0};
    assert_int_equal(weir_fabric_open(&message, &fabric, &error), -EINVAL);
    assert_string_not_equal(error.text, "");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(a_peer_that_proves_the_secret_gets_an_endpoint_and_a_link),
        CASE(the_server_proves_that_it_knows_the_secret_too),
        CASE(words_that_come_byte_by_byte_are_understood),
        CASE(a_wrong_secret_gets_neither_proof_nor_endpoint),
        CASE(the_proof_of_one_visit_is_of_no_use_in_the_next),
        CASE(the_servers_proof_does_not_pass_for_a_clients),
        CASE(another_version_is_told_as_such),
        CASE(another_provider_is_told_as_such),
        CASE(garbage_is_hung_up_on_at_its_first_bytes),
        CASE(silence_is_hung_up_on_when_the_timeout_ends),
        CASE(a_poll_that_sleeps_wakes_up_for_silence),
        CASE(an_endpoint_that_makes_no_sense_is_refused),
        cmocka_unit_test(no_more_links_come_in_than_may),
        cmocka_unit_test(root_links_with_no_socket_of_a_user_who_names_anothers_process),
        CASE(who_is_refused_again_and_again_does_not_fill_the_log),
        CASE(who_was_refused_takes_no_memory_while_poll_waits),
        CASE(three_hundred_silent_ones_do_not_keep_a_friend_out),
        CASE(a_link_whose_peer_is_never_ready_is_given_up_and_does_not_keep_poll_awake),
        CASE(a_link_takes_work_requests_when_its_peer_is_ready),
        CASE(without_descriptors_the_listener_waits_and_does_not_spin),
        CASE(a_server_that_does_not_know_the_secret_is_left),
        CASE(a_server_of_another_kind_is_left_with_the_reason),
        cmocka_unit_test(places_in_words_are_taken_apart),
        CASE(addresses_that_cannot_be_read_make_no_link),
        cmocka_unit_test(a_fabric_listens_where_it_is_told),
        CASE(places_where_nobody_can_listen_are_refused_by_name),
        CASE(what_could_only_be_ignored_or_refused_later_opens_no_fabric),
    };

    return cmocka_run_group_tests_name("listener", cases, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a server, prints its address, and waits: the work is done in the server's own thread. */

#include "advert.h"

#include "weir/base/clock.h"
#include "weir/base/launch.h"
#include "weir/base/output_file.h"
#include "weir/commands/commands.h"
#include "weir/objects/server.h"
#include "weir/system/block_device.h"
#include "weir/system/memory_place.h"
#include "weir/system/running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The interval of checks for the end. Signals are seen at once. */
#define LOOK_NS 100000000

/* ---- which of several ---- */

/* Rank and size as launchers put them into the environment; MPI is not started for them. */
static struct weir_launch read_launch(void)
{
    struct weir_launch launch;

    weir_launch_read(NULL, &launch);
    return launch;
}

/* With the rank in place of each %d. */
static void name_backing(struct weir_text *name, const char *pattern)
{
    unsigned rank = read_launch().rank;
    const char *mark;

    for (; (mark = strstr(pattern, "%d")) != NULL; pattern = mark + 2)
        weir_text_add(name, "%.*s%u", (int)(mark - pattern), pattern, rank);
    weir_text_add(name, "%s", pattern);
}

static int choose_backing(const char *pattern, char path[WEIR_PATH_BYTES], struct weir_error *error)
{
    const char *mark = strstr(pattern, "%d");
    unsigned task_count = read_launch().task_count;
    struct weir_text name = {0};
    int length;

    if (mark == NULL && task_count > 1)
        return weir_error_usage(error, "serve",
                                "--back: %s would be written by %u servers: put %%d into its name, "
                                "which becomes the rank",
                                pattern, task_count);
    name_backing(&name, pattern);
    length = snprintf(path, WEIR_PATH_BYTES, "%s", weir_text_string(&name));
    weir_text_close(&name);
    if (length < 0 || length >= WEIR_PATH_BYTES)
        return weir_error_usage(error, "serve",
                                "--back: a path of %d bytes is too long: %d at most", length,
                                WEIR_PATH_BYTES - 1);
    return 0;
}

/* ---- opening ---- */

static int open_server(const struct weir_serve_request *request, const char *backing_path,
                       struct weir_object_server **server, struct weir_error *error)
{
    unsigned char secret[WEIR_SECRET_BYTES];
    const struct weir_object_server_params params = {
        .fabric = {.provider = request->provider,
                   .device = request->device,
                   .interface = request->interface,
                   .gid_index = request->gid_index,
                   .service_level = request->service_level,
                   .traffic_class = request->traffic_class,
                   .pkey_index = request->pkey_index,
                   .spin_ns = request->spin_ns,
                   .secret = secret},
        .listen = request->listen,
        .capacity_bytes = request->capacity_bytes,
        .needs_huge_pages = request->needs_huge_pages,
        .backing_path = backing_path,
        .place = weir_memory_place_near,
        .bind = weir_running_bind_near,
        .check_device = weir_block_device_check_empty,
        .client_limit = request->client_limit,
    };
    int code = weir_secret_read(request->secret_path, secret, error);

    if (code == 0)
        code = weir_object_server_open(&params, server, error);
    explicit_bzero(secret, sizeof secret);
    return code;
}

/* ---- what it says ---- */

/* Prints a line: clients would not learn the address of a server whose line is lost. 0, or the
 * error. */
static int print_line(const char *line, struct weir_error *error)
{
    if (printf("%s\n", line) >= 0 && fflush(stdout) == 0)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -errno, NULL,
                          "standard output cannot be written: %s", strerror(errno));
}

static int print_beginning(struct weir_object_server *server, const char *backing_path,
                           struct weir_error *error)
{
    struct weir_object_server_facts facts = {0};
    char size[WEIR_SIZE_TEXT_BYTES];
    struct weir_text line = {0};
    int code;

    weir_object_server_facts(server, &facts);
    weir_text_add(&line, "serving at %s: %s over %s", weir_object_server_address(server),
                  weir_size_format(facts.capacity_bytes, size), facts.fabric.provider);
    if (facts.fabric.device[0] != '\0')
        weir_text_add(&line, " (%s, %s)", facts.fabric.device, facts.fabric.transport);
    if (facts.is_huge)
        weir_text_add(&line, ", in huge pages");
    if (facts.has_backing) {
        weir_text_add(&line, ", backed by ");
        weir_text_add_visible(&line, backing_path);
    }
    weir_text_add(&line, ", process %d", (int)getpid());
    code = print_line(weir_text_string(&line), error);
    weir_text_close(&line);
    return code;
}

static int print_end(struct weir_object_server *server, uint64_t ns, const char *why,
                     struct weir_error *error)
{
    struct weir_object_server_facts facts = {0};
    char size[WEIR_SIZE_TEXT_BYTES], line[256];

    weir_object_server_facts(server, &facts);
    snprintf(line, sizeof line,
             "served for %.1f s, ended by %s: %llu messages answered, %llu strangers refused; "
             "%llu objects in %s are gone",
             (double)ns / 1e9, why, (unsigned long long)facts.message_count,
             (unsigned long long)facts.refused_count, (unsigned long long)facts.object_count,
             weir_size_format(facts.used_bytes, size));
    return print_line(line, error);
}

/* ---- waiting ---- */

/* The clients reported so far. */
struct watch {
    uint64_t message_count;
    uint64_t busy_ns; /* when there was one last */
    bool has_served;
    bool is_broken; /* no client is served any more */
};

/* A client that came and went between two looks has left its messages. NULL: it is not over. */
static const char *look(const struct weir_serve_request *request, struct weir_object_server *server,
                        struct watch *watch)
{
    struct weir_object_server_facts facts = {0};
    uint64_t now = weir_clock_kernel_ns();
    bool is_busy;

    weir_object_server_facts(server, &facts);
    watch->is_broken = facts.is_broken;
    if (facts.is_broken)
        return "its network";
    is_busy = facts.client_count > 0;
    if (is_busy || facts.message_count != watch->message_count) {
        watch->has_served = true;
        watch->busy_ns = now;
    }
    watch->message_count = facts.message_count;
    if (request->is_once && watch->has_served && !is_busy)
        return "--once";
    if (request->idle_ns > 0 && now - watch->busy_ns >= request->idle_ns)
        return "--idle";
    return NULL;
}

static const char *wait_for_end(const struct weir_serve_request *request,
                                struct weir_object_server *server,
                                const volatile sig_atomic_t *stop_signal, struct watch *watch)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    const char *why = NULL;

    while (why == NULL && *stop_signal == 0) {
        nanosleep(&pause, NULL);
        why = look(request, server, watch);
    }
    return why != NULL ? why : strsignal(*stop_signal);
}

/* ---- all of it ---- */

static int serve(const struct weir_serve_request *request, struct weir_object_server *server,
                 const char *backing_path, const volatile sig_atomic_t *stop_signal,
                 struct weir_error *error)
{
    uint64_t begun_ns = weir_clock_kernel_ns();
    struct watch watch = {.busy_ns = begun_ns};
    const char *why;

    if (print_beginning(server, backing_path, error) != 0)
        return error->code;
    why = wait_for_end(request, server, stop_signal, &watch);
    print_end(server, weir_clock_kernel_ns() - begun_ns, why, error);
    if (watch.is_broken)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENETDOWN, "serve",
                       "the network of this server broke: the line before says how; start it "
                       "again when its device is up (weir doctor tells)");
    return error->code;
}

int weir_serve(const struct weir_serve_request *request, const volatile sig_atomic_t *stop_signal,
               struct weir_error *error)
{
    char path[WEIR_PATH_BYTES];
    const char *backing_path = request->backing_path != NULL ? path : NULL;
    const struct weir_output_file advert = {.path = request->advert_path,
                                            .place = "serve: --advertise",
                                            .kind = WEIR_OUTPUT_SERVERS,
                                            .must_append = true};
    struct weir_object_server *server = NULL;
    int code = 0;

    if (request->advert_path != NULL)
        code = weir_output_file_check(&advert, error);
    if (code == 0 && request->listen != NULL)
        code = weir_fabric_check_address(request->listen, true, "serve: --listen", error);
    if (code == 0 && backing_path != NULL)
        code = choose_backing(request->backing_path, path, error);
    if (code == 0)
        code = open_server(request, backing_path, &server, error);
    if (code != 0)
        return (int)error->exit;
    if (request->advert_path != NULL)
        code = weir_advert_add(request->advert_path, weir_object_server_address(server),
                               stop_signal, error);
    if (code == 0) {
        serve(request, server, backing_path, stop_signal, error);
        if (request->advert_path != NULL)
            weir_advert_remove(request->advert_path, weir_object_server_address(server), error);
    }
    weir_object_server_close(server);
    /* A signal came while the lock of --advertise was waited for. */
    if (code == -EINTR)
        return WEIR_EXIT_DONE;
    return weir_error_is_set(error) ? (int)error->exit : WEIR_EXIT_DONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* No reader stops or slows a run: lines that a socket does not accept are dropped, a file that
 * cannot be written is closed, and commands have a time limit. */
#include "live.h"

#include "weir/base/clock.h"
#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/report/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *socket_path(const struct weir_live_request *request)
{
    return request->path != NULL && weir_text_begins(request->path, WEIR_LIVE_SOCKET)
               ? request->path + strlen(WEIR_LIVE_SOCKET)
               : NULL;
}

static struct weir_output_file live_file(const struct weir_live_request *request)
{
    return (struct weir_output_file){.path = request->path,
                                     .place = "--live",
                                     .kind = WEIR_OUTPUT_LIVE,
                                     .must_append = true,
                                     .may_be_full = true};
}

void weir_live_open(struct weir_live *live, const struct weir_live_request *request,
                    uint64_t progress_ns)
{
    *live = (struct weir_live){.request = request, .fd = -1};
    weir_progress_line_open(&live->progress, progress_ns);
}

uint64_t weir_live_interval(const struct weir_live *live)
{
    uint64_t interval_ns = weir_progress_line_interval(&live->progress);

    if (live->request->path != NULL &&
        (interval_ns == 0 || live->request->interval_ns < interval_ns))
        interval_ns = live->request->interval_ns;
    return interval_ns;
}

int weir_live_check(const struct weir_live_request *request, struct weir_error *error)
{
    struct weir_output_file file = live_file(request);

    if (request->path == NULL || socket_path(request) != NULL)
        return 0;
    return weir_output_file_check(&file, error);
}

/* ---- lines for programs ---- */

static void give_file_up(struct weir_live *live, const char *reason)
{
    weir_progress_line_clear(&live->progress);
    weir_log(WEIR_LOG_WARNING, "--live: %s: %s: the run continues without it", live->request->path,
             reason);
    live->is_over = true;
    if (live->fd >= 0)
        close(live->fd);
    live->fd = -1;
}

/* A run that was killed may have left a part of a line. */
static void open_file(struct weir_live *live)
{
    struct weir_output_file file = live_file(live->request);
    struct weir_error error = {0};
    char last = '\n';
    off_t end;

    if (weir_output_file_open(&file, &live->fd, &error) != 0) {
        live->fd = -1;
        give_file_up(live, error.code != 0 ? strerror(-error.code) : error.text);
        return;
    }
    end = lseek(live->fd, 0, SEEK_END);
    if (end > 0 && pread(live->fd, &last, 1, end - 1) == 1 && last != '\n')
        weir_output_file_write(live->fd, "\n", 1);
}

static void connect_socket(struct weir_live *live)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path(live->request));
    live->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (live->fd >= 0 &&
        connect(live->fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(live->fd);
        live->fd = -1;
    }
    weir_text_clear(&live->rest);
}

/* Sends a text, and what an earlier one has left before it. Returns false if none of it was sent.
 */
static bool send_text(struct weir_live *live, const char *text, size_t bytes)
{
    ssize_t sent = send(live->fd, text, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    struct weir_text rest = {0};

    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        close(live->fd);
        live->fd = -1;
    }
    if (sent > 0 && (size_t)sent < bytes)
        weir_text_add_bytes(&rest, text + sent, bytes - (size_t)sent);
    if (sent > 0) {
        weir_text_close(&live->rest);
        live->rest = rest;
    }
    return sent > 0;
}

static void write_line(struct weir_live *live, const struct weir_text *line)
{
    bool is_socket = socket_path(live->request) != NULL;
    struct pollfd ready = {.events = POLLOUT};
    int code;

    live->line_count++;
    if (live->fd < 0 && is_socket)
        connect_socket(live);
    else if (live->fd < 0)
        open_file(live);
    ready.fd = live->fd;
    if (live->fd >= 0 && is_socket && live->rest.length > 0)
        send_text(live, live->rest.data, live->rest.length);
    if (live->fd < 0 || live->rest.length > 0 || (!is_socket && poll(&ready, 1, 0) == 0)) {
        live->dropped_count++;
        return;
    }
    if (is_socket) {
        live->dropped_count += !send_text(live, line->data, line->length);
        return;
    }
    code = weir_output_file_write(live->fd, line->data, line->length);
    if (code != 0)
        give_file_up(live, strerror(-code));
}

/* ---- figures ---- */

/* Figures of a line. Counters of other nodes are extrapolated. */
struct figures {
    double scale;
    double rate;
    double ops;
    double share; /* NAN = unknown, as left_s */
    double left_s;
};

/* The time left follows from what limits the phase: its work, a least time, or a deadline. */
static struct figures derive(const struct weir_live *live, const struct weir_counts *counts,
                             const struct weir_counts *before)
{
    const struct weir_live_work *work = &live->work;
    struct figures figures = {
        .scale = counts->ranks_counted > 0 ? (double)counts->ranks / counts->ranks_counted : 1,
        .rate = NAN,
        .ops = NAN,
        .share = NAN,
        .left_s = NAN};
    double seconds = counts->seconds, spent_s = seconds - before->seconds;

    if (spent_s > 0 && counts->operations >= before->operations && counts->bytes >= before->bytes) {
        figures.rate = (double)(counts->bytes - before->bytes) * figures.scale / spent_s;
        figures.ops = (double)(counts->operations - before->operations) * figures.scale / spent_s;
    }
    if (counts->has_share && counts->share > 0) {
        figures.share = fmin(counts->share, 1);
        figures.left_s = seconds / figures.share - seconds;
    }
    if (work->minimum_s > 0 && !(figures.left_s > work->minimum_s - seconds)) {
        figures.share = fmin(seconds / work->minimum_s, 1);
        figures.left_s = fmax(work->minimum_s - seconds, 0);
    }
    if (work->limit_s > 0 && !(seconds + figures.left_s < work->limit_s)) {
        figures.share = fmin(seconds / work->limit_s, 1);
        figures.left_s = fmax(work->limit_s - seconds, 0);
    }
    return figures;
}

static void send_counts(struct weir_live *live, const char *event, const struct weir_counts *counts)
{
    const struct weir_live_work *work = &live->work;
    const struct weir_counts none = {0};
    bool is_end = strcmp(event, "phase") == 0;
    struct figures figures = derive(live, counts, is_end ? &none : &live->sent);
    bool has_slowest = counts->has_share && counts->slowest_share <= 1 && counts->ranks > 1;
    struct weir_text line = {0};

    if (live->request->path == NULL || live->is_over)
        return;
    weir_report_live(
        &line, &(struct weir_live_line){
                   .time_s = weir_wall_clock_s(),
                   .run_id = live->run_id,
                   .event = event,
                   .test = work->test,
                   .name = work->name,
                   .repetition = work->repetition,
                   .trial_depth = work->trial_depth,
                   .elapsed_s = counts->seconds,
                   .bytes = work->is_pause ? NAN : (double)counts->bytes * figures.scale,
                   .operations = work->is_pause ? NAN : (double)counts->operations * figures.scale,
                   .rate = work->is_pause ? NAN : figures.rate,
                   .ops = work->is_pause ? NAN : figures.ops,
                   .share = figures.share,
                   .left_s = figures.left_s,
                   .ranks = counts->ranks,
                   .ranks_counted = counts->ranks_counted,
                   .slowest_rank = has_slowest ? counts->slowest_rank : NAN,
                   .slowest_share = has_slowest ? counts->slowest_share : NAN,
               });
    write_line(live, &line);
    weir_text_close(&line);
    live->sent = *counts;
}

/* ---- a line for people ---- */

static void show_counts(struct weir_live *live, const struct weir_counts *counts)
{
    struct figures figures = derive(live, counts, &live->shown);
    const char *about = counts->ranks_counted < counts->ranks ? "about " : "";
    double mib = (double)counts->bytes * figures.scale / (1 << 20);
    struct weir_text text = {0};

    weir_text_add(&text, "%s", live->work.title);
    if (live->work.moves_data)
        weir_text_add(&text, ", %s%.*f MiB", about, mib < 10, mib);
    else if (!live->work.is_pause)
        weir_text_add(&text, ", %s%.0f operations", about,
                      (double)counts->operations * figures.scale);
    if (live->work.moves_data && isfinite(figures.rate))
        weir_text_add(&text, ", %.*f MiB/s", figures.rate < 10 << 20, figures.rate / (1 << 20));
    else if (!live->work.is_pause && isfinite(figures.ops))
        weir_text_add(&text, ", %.0f/s", figures.ops);
    if (isfinite(figures.share))
        weir_text_add(&text, ", %.0f %%, %.0f s left", figures.share * 100, figures.left_s);
    if (counts->has_share && counts->slowest_share <= 1 && counts->ranks_counted > 1)
        weir_text_add(&text, ", slowest rank %u at %.0f %%", counts->slowest_rank,
                      counts->slowest_share * 100);
    weir_progress_line_show(&live->progress, &text);
    live->shown = *counts;
}

/* ---- the course of a phase ---- */

static double now_s(void)
{
    return (double)weir_clock_kernel_ns() * 1e-9;
}

void weir_live_begin(struct weir_live *live, const struct weir_live_work *work)
{
    struct weir_text text = {0};

    live->work = *work;
    live->has_work = true;
    live->began_s = now_s();
    live->shown = live->sent = (struct weir_counts){0};
    live->due_ns = weir_clock_kernel_ns() + live->request->interval_ns;
    weir_text_add(&text, "%s%s", work->title,
                  work->is_pause || work->trial_depth > 0 ? "" : " begins");
    weir_progress_line_show(&live->progress, &text);
}

void weir_live_count(struct weir_live *live, const struct weir_counts *counts)
{
    uint64_t now_ns = weir_clock_kernel_ns();
    struct weir_counts present = *counts;

    if (!live->has_work)
        return;
    /* Ranks have not begun yet, or none counts. */
    if (!(present.seconds > 0))
        present.seconds = now_s() - live->began_s;
    /* Ranks that have ended the phase count no more. */
    if (present.operations < live->shown.operations || present.operations < live->sent.operations)
        return;
    if (weir_progress_line_is_due(&live->progress))
        show_counts(live, &present);
    /* The thread wakes by the shorter of two intervals: a line may be early by 1/8. */
    if (now_ns + live->request->interval_ns / 8 >= live->due_ns) {
        send_counts(live, "interval", &present);
        live->due_ns = now_ns + live->request->interval_ns;
    }
}

void weir_live_end(struct weir_live *live, const struct weir_counts *counts)
{
    weir_progress_line_clear(&live->progress);
    if (live->has_work)
        send_counts(live, "phase", counts);
    live->has_work = false;
}

void weir_live_run_command(struct weir_live *live, const struct weir_text *record)
{
    static const char option[] = "--on-phase";
    char reason[WEIR_SHELL_REASON_BYTES];
    char *text = malloc(WEIR_SHELL_OUTPUT_BYTES);
    uint64_t printed;
    int code;

    if (text == NULL || live->request->on_phase == NULL)
        goto end;
    live->command_count++;
    if (live->helper == NULL) {
        code = -EPIPE;
        snprintf(reason, sizeof reason, "there is no process that could run it");
        text[0] = '\0';
        printed = 0;
    } else {
        code = weir_shell_helper_run(live->helper, record->data, record->length,
                                     live->request->on_phase_limit_ns, live->stop_signal, text,
                                     &printed, reason);
    }
    weir_text_make_visible(text, "\n\t");
    if (printed > 0)
        fprintf(stderr, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
    if (printed >= WEIR_SHELL_OUTPUT_BYTES)
        weir_log(WEIR_LOG_WARNING,
                 "%s: the command printed %" PRIu64 " bytes: all beyond %d are dropped", option,
                 printed, WEIR_SHELL_OUTPUT_BYTES - 1);
    if (code != 0 && live->failure_count++ == 0)
        weir_log(WEIR_LOG_WARNING, "%s: the command \"%s\" failed: %s; the run continues", option,
                 live->request->on_phase, reason);
end:
    free(text);
}

void weir_live_close(struct weir_live *live)
{
    weir_progress_line_clear(&live->progress);
    if (live->fd >= 0)
        close(live->fd);
    live->fd = -1;
    live->has_work = false;
    weir_text_close(&live->rest);
    if (live->dropped_count > 0)
        weir_log(WEIR_LOG_WARNING, "--live: %" PRIu64 " of %" PRIu64 " lines were dropped: %s %s",
                 live->dropped_count, live->line_count, live->request->path,
                 socket_path(live->request) != NULL ? "has no reader, or a slow one"
                                                    : "could not be written");
    if (live->failure_count > 1)
        weir_log(WEIR_LOG_WARNING, "--on-phase: %" PRIu64 " of %" PRIu64 " commands failed",
                 live->failure_count, live->command_count);
    live->dropped_count = live->failure_count = 0;
}

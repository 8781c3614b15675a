/* SPDX-License-Identifier: Apache-2.0 */
/* The intervals of progress and live lines, and what runs after each phase. */
#include "progress_words.h"

#include "weir/base/log.h"
#include "weir/base/text.h"

#include <string.h>
#include <strings.h>
#include <sys/un.h>

int weir_progress_read(const char *word, const char *place, struct weir_error *error,
                       uint64_t *interval_ns)
{
    static const struct {
        const char *word;
        uint64_t interval_ns;
    } words[] = {
        {"auto", WEIR_PROGRESS_AUTO}, {"on", WEIR_PROGRESS_ON}, {"off", WEIR_PROGRESS_OFF}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            *interval_ns = words[i].interval_ns;
            return 0;
        }
    }
    if (weir_time_parse(word, UINT64_C(1000000000), interval_ns) == 0 &&
        *interval_ns > WEIR_PROGRESS_ON)
        return 0;
    return weir_error_usage(
        error, place,
        "--progress: \"%s\" is neither auto, on, off nor a time above 0, such as 5 or 10s", word);
}

int weir_live_read(const char *limit, uint64_t progress_ns, const char *place,
                   struct weir_error *error, struct weir_live_request *request)
{
    bool is_socket = request->path != NULL && weir_text_begins(request->path, WEIR_LIVE_SOCKET);
    const char *path = is_socket ? request->path + strlen(WEIR_LIVE_SOCKET) : request->path;

    if (path != NULL && *path == '\0')
        return weir_error_usage(error, place, "--live: the path of the socket is empty");
    if (is_socket && strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return weir_error_usage(error, place,
                                "--live: a path of a socket has at most %zu bytes, and this one "
                                "has %zu: change to a directory near it and give a relative one",
                                sizeof((struct sockaddr_un *)0)->sun_path - 1, strlen(path));
    request->interval_ns = progress_ns > WEIR_PROGRESS_ON && progress_ns != WEIR_PROGRESS_OFF
                               ? progress_ns
                               : UINT64_C(1000000000);
    if (weir_time_parse(limit, UINT64_C(1000000000), &request->on_phase_limit_ns) != 0 ||
        request->on_phase_limit_ns == 0)
        return weir_error_usage(
            error, place, "--on-phase-limit: \"%s\" is no time above 0, such as 60s or 2m", limit);
    return 0;
}

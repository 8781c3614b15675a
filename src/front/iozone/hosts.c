/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files, and the lists of hosts and names that they come from. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FILE_BYTES_MAX (UINT64_C(64) << 20)
#define BLANKS " \t\r"

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)

const char *weir_iozone_read_file(const struct weir_iozone_lowering *lowering, const char *option,
                                  const char *path)
{
    struct weir_text text = {0};
    FILE *file = fopen(path, "re");
    int code = file != NULL ? weir_text_add_file(&text, file, FILE_BYTES_MAX) : -errno;
    const char *copy = NULL;

    if (code != 0)
        weir_error_set(lowering->base.error, WEIR_EXIT_ENVIRONMENT, code, lowering->base.place,
                       "%s: %s: %s", option, path, strerror(-code));
    else if (weir_text_zero_line(&text) != 0)
        REFUSE(lowering, "%s: %s:%zu: is no text: there is a zero byte in this line", option, path,
               weir_text_zero_line(&text));
    else
        copy = weir_arena_copy(&lowering->base.plan->arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

/* As exact names have it: a percent sign is doubled. */
static void add_exact(struct weir_text *text, const char *name)
{
    for (; *name != '\0'; name++)
        weir_text_add(text, *name == '%' ? "%%%c" : "%c", *name);
}

static const char *exact(struct weir_arena *arena, const char *directory, const char *name)
{
    struct weir_text text = {0};
    const char *copy;

    if (directory != NULL && name[0] != '/') {
        add_exact(&text, directory);
        weir_text_add(&text, "/");
    }
    add_exact(&text, name);
    copy = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

/* ---- -+m ---- */

/* The next word of a line; NULL: there is none. */
static const char *next_word(struct weir_arena *arena, const char **line)
{
    size_t length;
    const char *word;

    *line += strspn(*line, BLANKS);
    length = strcspn(*line, BLANKS);
    word = length > 0 ? weir_arena_printf(arena, "%.*s", (int)length, *line) : NULL;
    *line += length;
    return word;
}

struct host_list {
    const char **hosts;
    const char **directories; /* with a slash at the end */
    const char **paths;
    size_t count;
};

static int read_line(struct weir_iozone_lowering *lowering, const char *line, size_t number,
                     struct host_list *list)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    const char *host, *directory, *program, *file;

    if (line[0] == '#' || line[strspn(line, BLANKS)] == '\0')
        return 0;
    host = next_word(arena, &line);
    directory = next_word(arena, &line);
    program = next_word(arena, &line);
    file = next_word(arena, &line);
    if (program == NULL)
        return REFUSE(lowering,
                      "-+m: %s:%zu: a line is HOST DIRECTORY PROGRAM and maybe a FILE; the program "
                      "is not used",
                      lowering->config->host_list, number);
    if (file == NULL)
        file = weir_arena_printf(arena, "iozone.DUMMY.%zu", list->count);
    list->hosts[list->count] = host;
    list->directories[list->count] = weir_arena_printf(arena, "%s/", directory);
    list->paths[list->count++] = exact(arena, directory, file);
    return 0;
}

static int read_hosts(struct weir_iozone_lowering *lowering, uint64_t most)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    const char *const *lines;
    const char *text = weir_iozone_read_file(lowering, "-+m", lowering->config->host_list);
    size_t line_count = text ? weir_iozone_split(arena, text, &lines) : 0;
    struct host_list list = {weir_arena_take(arena, (line_count + 1) * sizeof(char *)),
                             weir_arena_take(arena, (line_count + 1) * sizeof(char *)),
                             weir_arena_take(arena, (line_count + 1) * sizeof(char *)), 0};

    if (text == NULL)
        return -EINVAL;
    for (size_t i = 0; i < line_count; i++)
        if (read_line(lowering, lines[i], i + 1, &list))
            return -EINVAL;
    if (list.count == 0)
        return REFUSE(lowering, "-+m: %s has no line", lowering->config->host_list);
    if (most > list.count)
        return REFUSE(lowering, "-+m: %s has %zu lines, and -t asks for %" PRIu64 " children",
                      lowering->config->host_list, list.count, most);
    most = most > 0 ? most : list.count;
    lowering->base.plan->rank_order = (struct weir_rank_order){WEIR_RANKS_LISTED, list.hosts, most};
    lowering->paths = list.paths;
    lowering->path_count = most;
    lowering->directories = list.directories;
    if (lowering->counts.count > 0)
        return 0;
    return weir_iozone_read_counts(lowering, "-+m", weir_arena_printf(arena, "%" PRIu64, most),
                                   &lowering->counts);
}

/* ---- -F and -+R ---- */

static int take_names(struct weir_iozone_lowering *lowering, const char *option, const char *text,
                      uint64_t most)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    const char *const *names;
    size_t count = weir_iozone_split(arena, text, &names);
    const char **paths = weir_arena_take(arena, count * sizeof *paths);
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (names[i][0] != '\0')
            paths[found++] = exact(arena, NULL, names[i]);
    if (found < most)
        return REFUSE(lowering, "%s: %zu names, and %" PRIu64 " children need one each", option,
                      found, most);
    lowering->paths = paths;
    lowering->path_count = most;
    return 0;
}

/* ---- all of them ---- */

static int take_one(struct weir_iozone_lowering *lowering, const char *path)
{
    const char **paths = weir_arena_take(&lowering->base.plan->arena, sizeof *paths);

    paths[0] = path;
    lowering->paths = paths;
    lowering->path_count = 1;
    return 0;
}

int weir_iozone_lower_files(struct weir_iozone_lowering *lowering, uint64_t most)
{
    const struct weir_iozone_config *config = lowering->config;
    const char *text;

    if ((config->files || config->name_list) && config->host_list)
        return REFUSE(lowering, "%s: with -+m, names of files are the fourth word of its lines",
                      GIVEN(lowering, "files", "name-list"));
    if (config->files && config->name_list)
        return REFUSE(lowering, "-F, -+R: names come from one of the two; leave the other out");
    if (!lowering->is_throughput)
        return take_one(lowering, exact(&lowering->base.plan->arena, NULL,
                                        config->file ? config->file : "iozone.tmp"));
    if (config->host_list)
        return read_hosts(lowering, most);
    if (config->files)
        return take_names(lowering, "-F", config->files, most);
    if (config->name_list == NULL)
        return take_one(lowering, "iozone.DUMMY.%r");
    text = weir_iozone_read_file(lowering, "-+R", config->name_list);
    return text ? take_names(lowering, "-+R", text, most) : -EINVAL;
}

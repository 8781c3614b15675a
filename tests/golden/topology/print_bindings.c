/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where ranks would sit on a host that a file describes: pictures as users see them, and a
 * table of all ranks and policies. Each word at the beginning of a line of the file says what the
 * rest of the line is: xml (a file beside it), synthetic, allowed, target (devices behind it), nic,
 * list, rankfile (a file beside it), picture (policy, order, ranks). */
#include "weir/base/arena.h"
#include "weir/system/bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 8
#define PICTURES_MAX 64

/* What is in the file. */
struct scene {
    struct weir_arena arena;
    struct weir_topology_source source;
    struct weir_cpu_set given;
    const char *devices[DEVICES_MAX + 1];
    const char *nic;
    const char *list;
    const char *rankfile_path;
    const char *rankfile;
    const char *pictures[PICTURES_MAX];
    size_t picture_count;
    struct weir_topology *topology;
};

static void fail(const char *place, const char *why)
{
    fprintf(stderr, "%s: %s\n", place, why);
    exit(1);
}

static char *read_file(struct weir_arena *arena, const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = weir_arena_take(arena, 1 << 16);

    if (file == NULL || fread(text, 1, (1 << 16) - 1, file) == 0)
        fail(path, "cannot be read");
    fclose(file);
    return text;
}

static const char *beside(struct scene *scene, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');

    return weir_arena_printf(&scene->arena, "%.*s%s", slash != NULL ? (int)(slash + 1 - path) : 0,
                             path, name);
}

static void take_devices(struct scene *scene, char *names)
{
    size_t count = 0;
    char *name;

    while ((name = strsep(&names, " ")) != NULL && count < DEVICES_MAX)
        scene->devices[count++] = name;
}

static void take_line(struct scene *scene, const char *path, const char *word, char *rest)
{
    if (strcmp(word, "xml") == 0)
        scene->source.xml_path = beside(scene, path, rest);
    else if (strcmp(word, "synthetic") == 0)
        scene->source.synthetic = rest;
    else if (strcmp(word, "allowed") == 0 && weir_cpu_set_parse(rest, &scene->given) == 0)
        return;
    else if (strcmp(word, "target") == 0)
        take_devices(scene, rest);
    else if (strcmp(word, "nic") == 0)
        scene->nic = rest;
    else if (strcmp(word, "list") == 0)
        scene->list = rest;
    else if (strcmp(word, "rankfile") == 0)
        scene->rankfile_path = rest;
    else if (strcmp(word, "picture") == 0 && scene->picture_count < PICTURES_MAX)
        scene->pictures[scene->picture_count++] = rest;
    else
        fail(path, word);
}

static void read_scene(struct scene *scene, const char *path)
{
    char *rest = read_file(&scene->arena, path);
    char *line;

    while ((line = strsep(&rest, "\n")) != NULL) {
        const char *word;

        if (line[0] == '#' || line[0] == '\0')
            continue;
        word = strsep(&line, " ");
        take_line(scene, path, word, line);
    }
    if (scene->rankfile_path != NULL)
        scene->rankfile = read_file(&scene->arena, beside(scene, path, scene->rankfile_path));
}

static void open_topology(struct scene *scene)
{
    struct weir_error error = {0};
    struct weir_cpu_set all, allowed;

    if (weir_topology_open(&scene->source, &scene->topology, &error) != 0)
        fail("topology", error.text);
    weir_topology_processors(scene->topology, &all, &allowed);
    if (weir_cpu_set_is_empty(&scene->given))
        scene->given = allowed;
}

/* ---- plans ---- */

struct question {
    struct weir_pinning pinning;
    unsigned ranks;
};

struct answer {
    int code;
    struct weir_binding *bindings;
    struct weir_error error;
    struct weir_binding_request request;
};

static struct answer ask(struct scene *scene, const struct question *question)
{
    size_t count = question->ranks;
    struct weir_cpu_set *given = weir_arena_take(&scene->arena, (count + 1) * sizeof *given);
    struct weir_pinning *pinning = weir_arena_take(&scene->arena, sizeof *pinning);
    struct answer answer = {
        .bindings = weir_arena_take(&scene->arena, (count + 1) * sizeof *answer.bindings)};

    for (size_t i = 0; i < count; i++)
        given[i] = scene->given;
    *pinning = question->pinning;
    pinning->list = scene->list;
    pinning->nic = scene->nic;
    pinning->rankfile_path = scene->rankfile_path;
    answer.request = (struct weir_binding_request){
        .pinning = pinning,
        .rank_count = question->ranks,
        .given = given,
        .rankfile = scene->rankfile,
        .devices = scene->devices,
    };
    answer.code =
        weir_bindings_plan(scene->topology, &answer.request, answer.bindings, &answer.error);
    return answer;
}

/* ---- pictures ---- */

static enum weir_pin_policy policy_of(const char *name)
{
    for (int policy = 0; policy < WEIR_PIN_POLICIES; policy++)
        if (strcmp(weir_pin_policy_name((enum weir_pin_policy)policy), name) == 0)
            return (enum weir_pin_policy)policy;
    fail(name, "no such policy");
    return WEIR_PIN_NONE;
}

static void tell_picture(struct scene *scene, const char *words)
{
    char policy[16], order[16];
    struct question question = {0};
    struct weir_text text = {0};
    struct answer answer;

    if (sscanf(words, "%15s %15s %u", policy, order, &question.ranks) != 3)
        fail(words, "must be policy, order, ranks");
    question.pinning.policy = policy_of(policy);
    question.pinning.order = strcmp(order, "compact") == 0   ? WEIR_PIN_COMPACT
                             : strcmp(order, "scatter") == 0 ? WEIR_PIN_SCATTER
                                                             : WEIR_PIN_ORDER_STANDARD;
    answer = ask(scene, &question);
    if (answer.code == 0)
        weir_bindings_draw(&text, scene->topology, &answer.request, answer.bindings);
    else
        weir_text_add(&text, "%s\n", answer.error.text);
    printf("==== %s\n%s\n", words, weir_text_string(&text));
    weir_text_close(&text);
}

/* ---- the table ---- */

static const struct {
    const char *title;
    struct weir_pinning pinning;
} columns[] = {
    {"core compact", {WEIR_PIN_CORE, WEIR_PIN_COMPACT, NULL, NULL, NULL}},
    {"core scatter", {WEIR_PIN_CORE, WEIR_PIN_SCATTER, NULL, NULL, NULL}},
    {"pu compact", {WEIR_PIN_PU, WEIR_PIN_COMPACT, NULL, NULL, NULL}},
    {"pu scatter", {WEIR_PIN_PU, WEIR_PIN_SCATTER, NULL, NULL, NULL}},
    {"numa compact", {WEIR_PIN_NUMA, WEIR_PIN_COMPACT, NULL, NULL, NULL}},
    {"numa scatter", {WEIR_PIN_NUMA, WEIR_PIN_SCATTER, NULL, NULL, NULL}},
    {"package compact", {WEIR_PIN_PACKAGE, WEIR_PIN_COMPACT, NULL, NULL, NULL}},
    {"package scatter", {WEIR_PIN_PACKAGE, WEIR_PIN_SCATTER, NULL, NULL, NULL}},
    {"storage compact", {WEIR_PIN_STORAGE, WEIR_PIN_COMPACT, NULL, NULL, NULL}},
    {"storage scatter", {WEIR_PIN_STORAGE, WEIR_PIN_SCATTER, NULL, NULL, NULL}},
    {"nic compact", {WEIR_PIN_NIC, WEIR_PIN_COMPACT, NULL, NULL, NULL}},
    {"nic scatter", {WEIR_PIN_NIC, WEIR_PIN_SCATTER, NULL, NULL, NULL}},
    {"list", {WEIR_PIN_LIST, WEIR_PIN_ORDER_STANDARD, NULL, NULL, NULL}},
    {"none", {WEIR_PIN_NONE, WEIR_PIN_ORDER_STANDARD, NULL, NULL, NULL}},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static bool is_in_table(const struct scene *scene, size_t column)
{
    switch (columns[column].pinning.policy) {
    case WEIR_PIN_STORAGE:
        return scene->devices[0] != NULL;
    case WEIR_PIN_NIC:
        return weir_topology_standard_nic(scene->topology) != NULL;
    case WEIR_PIN_LIST:
        return scene->list != NULL;
    default:
        return true;
    }
}

/* One rank more must not move the others; it may come to share a place. */
static void check_smaller(struct scene *scene, const char *title, const struct question *question,
                          const struct weir_binding *bindings, struct weir_text *sharing)
{
    unsigned first_shared = 0;

    for (unsigned ranks = 1; ranks <= question->ranks; ranks++) {
        const struct question smaller = {.pinning = question->pinning, .ranks = ranks};
        struct answer answer = ask(scene, &smaller);

        for (unsigned i = 0; i < ranks; i++) {
            if (!weir_cpu_set_equals(&answer.bindings[i].cpus, &bindings[i].cpus))
                fail(title, "a rank more has moved another one");
            if (answer.bindings[i].is_shared && first_shared == 0)
                first_shared = ranks;
        }
    }
    if (first_shared > 0)
        weir_text_add(sharing, "%s: places are shared from %u ranks on\n", title, first_shared);
}

static void add_cell(struct weir_text *text, const struct weir_binding *binding)
{
    size_t start = text->length;

    weir_cpu_set_format(&binding->cpus, text);
    weir_text_add(text, "%s%s", binding->is_narrowed ? "<" : "", binding->is_far ? "~" : "");
    weir_text_add(text, "%*s", text->length - start < 16 ? (int)(16 - (text->length - start)) : 1,
                  "");
}

static void end_line(struct weir_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    weir_text_add(text, "\n");
}

static void tell_table(struct scene *scene)
{
    unsigned ranks = weir_cpu_set_count(&scene->given) + 1;
    struct weir_text text = {0}, sharing = {0};
    struct answer answers[COLUMNS] = {0};

    weir_text_add(&text, "==== processors of each rank; < narrowed, ~ far\nrank ");
    for (size_t c = 0; c < COLUMNS; c++) {
        const struct question question = {.pinning = columns[c].pinning, .ranks = ranks};

        if (!is_in_table(scene, c))
            continue;
        answers[c] = ask(scene, &question);
        if (answers[c].code != 0)
            fail(columns[c].title, answers[c].error.text);
        weir_text_add(&text, "%-16s", columns[c].title);
        check_smaller(scene, columns[c].title, &question, answers[c].bindings, &sharing);
    }
    end_line(&text);
    for (unsigned i = 0; i < ranks; i++) {
        weir_text_add(&text, "%4u ", i);
        for (size_t c = 0; c < COLUMNS; c++)
            if (is_in_table(scene, c))
                add_cell(&text, &answers[c].bindings[i]);
        end_line(&text);
    }
    printf("%s%s", weir_text_string(&text), weir_text_string(&sharing));
    weir_text_close(&text);
    weir_text_close(&sharing);
}

int main(int argc, char **argv)
{
    struct scene scene = {0};

    if (argc != 2)
        fail("usage", "print_bindings FILE");
    read_scene(&scene, argv[1]);
    open_topology(&scene);
    for (size_t i = 0; i < scene.picture_count; i++)
        tell_picture(&scene, scene.pictures[i]);
    tell_table(&scene);
    weir_topology_close(scene.topology);
    weir_arena_close(&scene.arena);
    return 0;
}

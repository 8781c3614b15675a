/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's words as options of the tables: clusters of letters, letters behind -+ whose operand is
 * the next word, -F with all the words behind it, and options that are given again and again. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ---- lines of the header ---- */

/* Lines that an option adds. In them %s is the value, %k its kilobytes, %t its
 * seconds, %v the byte of -V four times, and %m the system. */
static const struct {
    const char *name;
    const char *line;
} splash[] = {
    {"auto", "Auto Mode"},
    {"auto-old", "Auto Mode 2. This option is obsolete. Use -az -i0 -i1 "},
    {"mmap", "Using mmap files"},
    {"close", "Include close in write timing"},
    {"mmap-async", "Using msync(MS_ASYNC) on mmap files"},
    {"flush", "Include fsync in write timing"},
    {"largest-file", "Using maximum file size of %k kilobytes."},
    {"smallest-file", "Using minimum file size of %k kilobytes."},
    {"mmap-sync", "Using msync(MS_SYNC) on mmap files"},
    {"aio-copy", "POSIX async I/O (with bcopy). Depth %s "},
    {"aio", "POSIX Async I/O (no bcopy). Depth %s "},
    {"direct-io", "O_DIRECT feature enabled"},
    {"multi-buffer", "Multi_buffer. Work area 16777216 bytes"},
    {"machine", "Machine = %m"},
    {"microseconds", "Microseconds/op Mode. Output is in microseconds per operation."},
    {"sync", "SYNC Mode. "},
    {"ops", "OPS Mode. Output is in operations per second."},
    {"bind", "Binding of processors beginning with %s "},
    {"largest-record", "Using Maximum Record Size %k kB"},
    {"smallest-record", "Using Minimum Record Size %k kB"},
    {"latency-files", "Offset/latency files enabled."},
    {"record", "Record Size %k kB"},
    {"excel", "Excel chart generation enabled"},
    {"size", "File size set to %k kB"},
    {"verify", "Verify Mode. Pattern %v\nPerformance measurements are invalid in this mode."},
    {"keep", "Setting no_unlink"},
    {"lock", "Lock file when reading/writing."},
    {"no-stonewall", "Stonewall disabled"},
    {"no-crossover", "Cross over of record size disabled."},
    {"madvise", "Madvise enabled: %s"},
    {"sequential-mix", ">>> Sequential Mixed workload. <<<"},
    {"diagnose", ">>> I/O Diagnostic mode enabled. <<<\n"
                 "Performance measurements are invalid in this mode."},
    {"dsync", ">>> O_DSYNC mode enabled. <<<"},
    {"existing", ">>> No Verify mode. <<<"},
    {"host-name", "Hostname = %s"},
    {"count-think", ">>> Think time is included in throughput cal. <<<"},
    {"record-locks", ">>> Record locking mode enabled. <<<"},
    {"mix-readers", "Manual control of test 8. >>> Very Experimental. Sony special <<<"},
    {"host-list", "Network distribution mode enabled."},
    {"no-retest", "No retest option selected"},
    {"op-rate", "Rate control active %s Ops/sec ."},
    {"mix-read-percent", "Percent read in mix test is %s"},
    {"pause", "Delay %t seconds between tests enabled."},
    {"rsync", "Read & Write sync mode active."},
    {"name-list", "Filenames from a file option enabled. File: %s"},
    {"cpu-use", "CPU utilization Resolution =  0.000 seconds.\n"
                "CPU utilization Excel chart enabled"},
    {"histograms", "Histogram summary enabled."},
    {"write-telemetry", "Using write telemetry file \"%s\""},
    {"read-telemetry", "Using read telemetry file \"%s\""},
};

/* ---- reading ---- */

#define LISTS 4
static const char *const list_names[LISTS] = {"test", "record", "size", "child-count"};

struct speller {
    const struct weir_option_parser *parser;
    struct weir_arena *arena;
    const char *const *words;
    int count, next;
    const char **spelled;
    int spelled_count;
    struct weir_text splash;
    struct weir_text lists[LISTS];
    const char *place;
    struct weir_error *error;
};

static void add_system(struct weir_text *text)
{
    struct utsname name;

    if (uname(&name) == 0)
        weir_text_add(text, "%s %s %s %s %s%s", name.sysname, name.nodename, name.release,
                      name.version, name.machine,
                      strcmp(name.sysname, "Linux") == 0 ? " GNU/Linux" : "");
}

static void add_splash(struct speller *speller, const char *name, const char *value)
{
    const char *line = NULL;
    uint64_t bytes, ns;

    for (size_t i = 0; i < sizeof splash / sizeof *splash && line == NULL; i++)
        if (strcmp(splash[i].name, name) == 0)
            line = splash[i].line;
    if (line == NULL)
        return;
    if (speller->splash.length > 0)
        weir_text_add(&speller->splash, "\n");
    for (; *line != '\0'; line++) {
        if (*line != '%') {
            weir_text_add_bytes(&speller->splash, line, 1);
            continue;
        }
        line++;
        if (*line == 'm')
            add_system(&speller->splash);
        else if (*line == 'k' && weir_iozone_size_parse(value, &bytes) == 0)
            weir_text_add(&speller->splash, "%" PRIu64, bytes / 1024);
        else if (*line == 't' && weir_time_parse(value, UINT64_C(1000000000), &ns) == 0)
            weir_text_add(&speller->splash, "%g", (double)ns / 1e9);
        else if (*line == 'v')
            weir_text_add(&speller->splash, "%x",
                          ((unsigned)strtol(value, NULL, 10) & 0xff) * 0x01010101U);
        else
            weir_text_add(&speller->splash, "%s", value);
    }
}

static void spell(struct speller *speller, const char *word)
{
    speller->spelled[speller->spelled_count++] = word;
}

/* A refused option is named as it was typed. */
static int refuse(struct speller *speller, const struct weir_option *row)
{
    return weir_error_usage(speller->error, speller->place, "-%s%c: %s", row->plus ? "+" : "",
                            row->plus ? row->plus : row->letter, row->refusal);
}

/* Values of an option that is a list are kept until all words are read. */
static void spell_option(struct speller *speller, const struct weir_option *row, const char *value)
{
    add_splash(speller, row->name, value);
    weir_options_spell(speller->parser, row->name,
                       weir_arena_printf(speller->arena, "-%s%c", row->plus ? "+" : "",
                                         row->plus ? row->plus : row->letter));
    for (unsigned i = 0; i < LISTS; i++)
        if (strcmp(row->name, list_names[i]) == 0) {
            if (speller->lists[i].length > 0)
                weir_text_add(&speller->lists[i], "%c", WEIR_IOZONE_SEPARATOR);
            weir_text_add(&speller->lists[i], "%s", value);
            return;
        }
    spell(speller, value ? weir_arena_printf(speller->arena, "--%s=%s", row->name, value)
                         : weir_arena_printf(speller->arena, "--%s", row->name));
}

static const struct weir_option *find_row(char letter, bool is_plus)
{
    const struct weir_option *row = weir_iozone_option_set.rows;

    for (; row->letter || row->name; row++)
        if ((is_plus ? row->plus : row->letter) == letter)
            return row;
    return NULL;
}

/* -F n1 n2 ...: `first` may be attached. */
static int take_files(struct speller *speller, const struct weir_option *row, const char *first)
{
    struct weir_text files = {0};

    weir_text_add(&files, "%s", first);
    while (speller->next < speller->count && speller->words[speller->next][0] != '-')
        weir_text_add(&files, "%s%s", files.length > 0 ? "\n" : "",
                      speller->words[speller->next++]);
    if (files.length > 0)
        spell_option(speller, row, weir_arena_copy(speller->arena, weir_text_string(&files)));
    weir_text_close(&files);
    return 0;
}

/* An option with its operand: attached to a letter, or the next word. */
static int take_option(struct speller *speller, const struct weir_option *row, const char *attached)
{
    char dashes[] = {'-', row->plus ? '+' : row->letter, row->plus, '\0'};

    if (row->refusal)
        return refuse(speller, row);
    if (row->letter == 'F')
        return take_files(speller, row, attached);
    if (*attached == '\0' && speller->next < speller->count)
        attached = speller->words[speller->next++];
    if (*attached == '\0')
        return weir_error_usage(speller->error, speller->place, "%s: value is missing", dashes);
    spell_option(speller, row, attached);
    return 0;
}

static int read_plus(struct speller *speller, const char *letter)
{
    const struct weir_option *row;

    if (*letter == '\0' && speller->next < speller->count)
        letter = speller->words[speller->next++];
    row = *letter != '\0' ? find_row(*letter, true) : NULL;
    if (row == NULL || letter[1] != '\0')
        return weir_error_usage(speller->error, speller->place,
                                "-+%s: unknown option; these are of one letter, and a value is the "
                                "next word",
                                letter);
    if (row->type != WEIR_OPTION_FLAG)
        return take_option(speller, row, "");
    if (row->refusal)
        return refuse(speller, row);
    spell_option(speller, row, NULL);
    return 0;
}

static int read_cluster(struct speller *speller, const char *letter)
{
    for (; *letter != '\0'; letter++) {
        const struct weir_option *row = find_row(*letter, false);

        if (*letter == '+')
            return read_plus(speller, letter + 1);
        if (row && row->type != WEIR_OPTION_FLAG)
            return take_option(speller, row, letter + 1);
        if (row && row->refusal)
            return refuse(speller, row);
        if (row)
            spell_option(speller, row, NULL);
        else
            spell(speller, weir_arena_printf(speller->arena, "-%c", *letter));
    }
    return 0;
}

/* Words with two dashes are ours; their values stay behind them. */
static int read_all(struct speller *speller)
{
    int failure = 0;

    while (speller->next < speller->count && failure == 0) {
        const char *word = speller->words[speller->next++];

        if (word[0] == '-' && word[1] != '-' && word[1] != '\0')
            failure = read_cluster(speller, word + 1);
        else
            spell(speller, word);
    }
    return failure;
}

const char *const *weir_iozone_spell(struct weir_front_request *request, int *count,
                                     const char *const words[], struct weir_error *error)
{
    struct weir_arena *arena = request->parser.arena;
    struct speller speller = {.parser = &request->parser,
                              .arena = arena,
                              .words = words,
                              .count = *count,
                              .place = request->parser.place,
                              .error = error};
    size_t room = LISTS + 1;
    int failure;

    if (*count == 0) {
        weir_error_usage(error, request->parser.place,
                         "usage: iozone without options runs nothing: -a runs all tests over all "
                         "sizes, -s SIZE those of one file; --help lists all options");
        return NULL;
    }
    for (int i = 0; i < *count; i++)
        room += strlen(words[i]) + 1;
    speller.spelled = weir_arena_take(arena, room * sizeof *speller.spelled);
    failure = read_all(&speller);
    for (unsigned i = 0; i < LISTS; i++) {
        if (speller.lists[i].length > 0)
            spell(&speller, weir_arena_printf(arena, "--%s=%s", list_names[i],
                                              weir_text_string(&speller.lists[i])));
        weir_text_close(&speller.lists[i]);
    }
    if (speller.splash.length > 0)
        ((struct weir_iozone_request *)request)->splash =
            weir_arena_copy(arena, weir_text_string(&speller.splash));
    weir_text_close(&speller.splash);
    *count = speller.spelled_count;
    return failure ? NULL : speller.spelled;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files that name the processors of each rank. */
#include "rankfile.h"

#include "weir/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far beyond any job. */
#define RANK_MAX 100000000

struct reader {
    const char *path;
    const char *host;
    unsigned line;
    struct weir_error *error;
};

static int refuse(const struct reader *reader, const char *sentence)
{
    char place[300];

    snprintf(place, sizeof place, "%s:%u", reader->path, reader->line);
    return weir_error_usage(reader->error, place, "%s", sentence);
}

/* ---- one line ---- */

static char *skip_blanks(char *at)
{
    return at + strspn(at, " \t");
}

/* Without comment and blanks at both ends. */
static char *trim(char *line)
{
    size_t length;

    line[strcspn(line, "#")] = '\0';
    line = skip_blanks(line);
    length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    line[length] = '\0';
    return line;
}

/* The number at `*at`, which then stands behind it and the blanks there. */
static bool take_rank(char **at, unsigned *rank)
{
    char *end;
    unsigned long number;

    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    number = strtoul(*at, &end, 10);
    if (errno != 0 || number > RANK_MAX)
        return false;
    *rank = (unsigned)number;
    *at = end;
    return true;
}

/* "WORD", with blanks around it, and then `sign`. */
static bool take_word(char **at, const char *word, const char *sign)
{
    size_t length = strlen(word);
    char *behind;

    if (strncmp(*at, word, length) != 0)
        return false;
    behind = skip_blanks(*at + length);
    if (!weir_text_begins(behind, sign))
        return false;
    *at = skip_blanks(behind + strlen(sign));
    return true;
}

static int take_cpus(const struct reader *reader, const char *list, struct weir_cpu_set *cpus)
{
    int code = weir_cpu_set_parse(list, cpus);

    if (strpbrk(list, ":;*") != NULL)
        return refuse(reader, "sockets and cores are not understood here: give the numbers of "
                              "processors, as in slot=0-3,8");
    if (code == -ERANGE)
        return refuse(reader, "a number of a processor is too large");
    return code == 0 ? 0 : refuse(reader, "the processors must be numbers and ranges, as in 0-3,8");
}

/* Names of one host: "n1" and "n1.cluster". Two long names must be the same. */
static bool is_same_host(const char *a, const char *b)
{
    size_t a_length = strcspn(a, ".");
    size_t b_length = strcspn(b, ".");

    if (a[a_length] != '\0' && b[b_length] != '\0')
        return strcasecmp(a, b) == 0;
    return a_length == b_length && strncasecmp(a, b, a_length) == 0;
}

static int read_plain(const struct reader *reader, char *at, struct weir_rankfile_row *row)
{
    static const char forms[] = "a line is a rank and its processors, as in \"3 0-3,8\", or "
                                "\"rank 3=HOST slot=0-3,8\"";

    if (!take_rank(&at, &row->rank) || (*at != ' ' && *at != '\t'))
        return refuse(reader, forms);
    return take_cpus(reader, skip_blanks(at), &row->cpus);
}

/* Behind "rank": "N=HOST slot=LIST", as Open MPI's mpirun(1) has it. */
static int read_slots(const struct reader *reader, char *at, struct weir_rankfile_row *row)
{
    static const char form[] = "a line that begins with \"rank\" is \"rank 3=HOST slot=0-3,8\"";
    char *host;

    if (!take_rank(&at, &row->rank) || *(at = skip_blanks(at)) != '=')
        return refuse(reader, form);
    host = skip_blanks(at + 1);
    if (*host == '+')
        return refuse(reader, "hosts by their order (+n0) are not understood: name the host");
    at = host + strcspn(host, " \t");
    if (at == host || *at == '\0')
        return refuse(reader, form);
    *at = '\0';
    at = skip_blanks(at + 1);
    if (!take_word(&at, "slot", "="))
        return refuse(reader, form);
    row->is_distant = reader->host != NULL && !is_same_host(host, reader->host);
    return take_cpus(reader, at, &row->cpus);
}

static int read_line(const struct reader *reader, char *line, struct weir_rankfile_row *row)
{
    *row = (struct weir_rankfile_row){.line = reader->line};
    if (strncmp(line, "rank", 4) == 0 && (line[4] == ' ' || line[4] == '\t'))
        return read_slots(reader, skip_blanks(line + 4), row);
    return read_plain(reader, line, row);
}

/* ---- the whole ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct weir_rankfile_row *left = a;
    const struct weir_rankfile_row *right = b;

    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static int refuse_twins(struct reader *reader, const struct weir_rankfile *rankfile)
{
    for (unsigned i = 1; i < rankfile->count; i++) {
        const struct weir_rankfile_row *row = &rankfile->rows[i];
        char sentence[100];

        if (row->rank != row[-1].rank)
            continue;
        reader->line = row->line;
        snprintf(sentence, sizeof sentence, "rank %u has a line already, line %u: leave one",
                 row->rank, row[-1].line);
        return refuse(reader, sentence);
    }
    return 0;
}

static unsigned count_lines(const char *text)
{
    unsigned count = 1;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static int read_lines(struct reader *reader, char *text, struct weir_rankfile *rankfile)
{
    char *rest = text;
    char *line;
    int code = 0;

    while (code == 0 && (line = strsep(&rest, "\n")) != NULL) {
        reader->line++;
        line = trim(line);
        if (*line != '\0')
            code = read_line(reader, line, &rankfile->rows[rankfile->count++]);
    }
    return code;
}

int weir_rankfile_read(const char *text, const char *path, const char *host,
                       struct weir_rankfile *rankfile, struct weir_error *error)
{
    struct reader reader = {.path = path, .host = host, .error = error};
    struct weir_rankfile read = {.rows = calloc(count_lines(text), sizeof *read.rows)};
    char *copy = strdup(text);
    int code;

    if (read.rows == NULL || copy == NULL)
        weir_error_out_of_memory();
    code = read_lines(&reader, copy, &read);
    free(copy);
    if (code == 0) {
        qsort(read.rows, read.count, sizeof *read.rows, compare_rows);
        code = refuse_twins(&reader, &read);
    }
    if (code == 0)
        *rankfile = read;
    else
        weir_rankfile_close(&read);
    return code;
}

void weir_rankfile_close(struct weir_rankfile *rankfile)
{
    free(rankfile->rows);
    *rankfile = (struct weir_rankfile){0};
}

const struct weir_rankfile_row *weir_rankfile_find(const struct weir_rankfile *rankfile,
                                                   unsigned rank)
{
    unsigned low = 0, high = rankfile->count;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;

        if (rankfile->rows[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rankfile->count && rankfile->rows[low].rank == rank ? &rankfile->rows[low] : NULL;
}

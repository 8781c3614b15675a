/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a program as tokens, and refusals that point at a place in it. */
#include "tokens.h"

#include "weir/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define VARIABLES_MAX 10000
#define SHOWN_BEFORE 60 /* bytes of a long line before the place, and in all */
#define SHOWN 100

/* ---- refusals ---- */

/* Characters of UTF-8 in these bytes. */
static size_t characters(const char *from, const char *to)
{
    size_t count = 0;

    for (; from < to; from++)
        count += ((unsigned char)*from & 0xc0) != 0x80;
    return count;
}

static unsigned line_of(const char *text, const char *at)
{
    unsigned line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* The line, as much of it as is worth to be seen, and a mark under `at`. */
static void add_line(struct weir_text *text, const char *begin, const char *at)
{
    const char *shown = begin;
    size_t length = strcspn(begin, "\n");
    const char *end = begin + length;
    size_t first = text->length;

    if (end > at && end[-1] == '\r')
        length = (size_t)(--end - begin);
    if (at - begin > SHOWN_BEFORE)
        for (shown = at - SHOWN_BEFORE; ((unsigned char)*shown & 0xc0) == 0x80;)
            shown++;
    if (end - shown > SHOWN)
        end = shown + SHOWN;
    weir_text_add(text, "\n    %s", shown > begin ? "..." : "");
    weir_text_add_bytes(text, shown, (size_t)(end - shown));
    for (size_t i = first + 1; i < text->length; i++)
        if (text->data[i] == '\t' || text->data[i] == '\r')
            text->data[i] = ' ';
    weir_text_add(text, "%s\n    %*s^", begin + length > end ? "..." : "",
                  (int)characters(shown, at) + (shown > begin ? 3 : 0), "");
}

int weir_pbl_refuse(const struct weir_pbl_source *source, const char *at, const char *format, ...)
{
    struct weir_text place = {0}, text = {0};
    const char *begin = at;
    va_list arguments;

    while (begin > source->text && begin[-1] != '\n')
        begin--;
    weir_text_add(&place, "%s: %s:%u:%zu", source->place, source->path,
                  line_of(source->text, begin), characters(begin, at) + 1);
    va_start(arguments, format);
    weir_text_add_list(&text, format, arguments);
    va_end(arguments);
    add_line(&text, begin, at);
    weir_error_usage(source->error, weir_text_string(&place), "%s", weir_text_string(&text));
    weir_text_close(&place);
    weir_text_close(&text);
    return -EINVAL;
}

/* ---- variables ---- */

struct scanner {
    const struct weir_pbl_source *source;
    struct weir_arena *arena;
    struct weir_pbl_tokens *tokens;
    const char *at;
    unsigned line;
    const char **names; /* those of the tokens' variables */
};

static size_t name_length(const char *name)
{
    return strspn(name, LETTERS DIGITS);
}

static int note_name(struct scanner *scanner, const char *name, size_t length)
{
    struct weir_variables *variables = &scanner->tokens->variables;
    unsigned at = variables->count;
    const char *copy;

    if (weir_variables_find(variables, name, length) < at)
        return 0;
    if (at == VARIABLES_MAX)
        return weir_pbl_refuse(scanner->source, name - 1, "more than %d variables", VARIABLES_MAX);
    copy = weir_arena_printf(scanner->arena, "%.*s", (int)length, name);
    for (; at > 0 && strcmp(scanner->names[at - 1], copy) > 0; at--)
        scanner->names[at] = scanner->names[at - 1];
    scanner->names[at] = copy;
    variables->count++;
    return 0;
}

static int note_names_of_text(struct scanner *scanner, const char *at, size_t length)
{
    int failure = 0;

    for (const char *end = at + length; at < end && !failure; at++) {
        if (*at == '\\' || (at[0] == '$' && at[1] == '$'))
            at++;
        else if (*at == '$' && isalnum((unsigned char)at[1]))
            failure = note_name(scanner, at + 1, name_length(at + 1));
    }
    return failure;
}

/* ---- tokens ---- */

/* The token is the next `length` bytes. */
static struct weir_pbl_token *add_token(struct scanner *scanner, enum weir_pbl_kind kind,
                                        size_t length)
{
    struct weir_pbl_tokens *tokens = scanner->tokens;

    if (tokens->count == tokens->room) {
        tokens->room = tokens->room > 0 ? 2 * tokens->room : 256;
        tokens->list = realloc(tokens->list, tokens->room * sizeof *tokens->list);
        if (tokens->list == NULL)
            weir_error_out_of_memory();
    }
    tokens->list[tokens->count] = (struct weir_pbl_token){
        .kind = kind, .line = scanner->line, .at = scanner->at, .length = length};
    scanner->at += length;
    return &tokens->list[tokens->count++];
}

static size_t word_length(const char *word)
{
    return strspn(word, LETTERS DIGITS "_");
}

static bool is_among(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static int scan_time(struct scanner *scanner, size_t digits, size_t unit, uint64_t unit_ns)
{
    char number[64];
    uint64_t ns = 0;
    const char *at = scanner->at;

    if (digits < sizeof number) {
        memcpy(number, at, digits);
        number[digits] = '\0';
    }
    if (digits >= sizeof number || weir_duration_parse(number, unit_ns, &ns) || ns > INT64_MAX)
        return weir_pbl_refuse(scanner->source, at, "%.*s is out of range", (int)(digits + unit),
                               at);
    add_token(scanner, WEIR_PBL_TIME, digits + unit)->value = (int64_t)ns;
    return 0;
}

/* Power of 1024; 0: none. The original took large letters for nothing. */
static unsigned power_of(struct scanner *scanner, char suffix)
{
    static const char suffixes[] = "kmgt";
    const char *found = strchr(suffixes, suffix | 0x20);

    if (found == NULL || *found == '\0')
        return 0;
    if (isupper((unsigned char)suffix) && *found != 't' && scanner->tokens->large_suffix_line == 0)
        scanner->tokens->large_suffix_line = scanner->line;
    return (unsigned)(found - suffixes) + 1;
}

static int scan_number(struct scanner *scanner)
{
    const char *at = scanner->at;
    size_t digits = strspn(at, DIGITS);
    size_t with_fraction = digits + (at[digits] == '.' ? 1 + strspn(at + digits + 1, DIGITS) : 0);
    size_t unit = word_length(at + with_fraction);
    uint64_t unit_ns = weir_time_unit_ns(at + with_fraction, unit);
    unsigned power = unit == 1 && with_fraction == digits ? power_of(scanner, at[digits]) : 0;
    int64_t value = 0;
    bool is_large = false;

    if (unit_ns > 0)
        return scan_time(scanner, with_fraction, unit, unit_ns);
    if (with_fraction > digits)
        return weir_pbl_refuse(scanner->source, at,
                               "numbers are whole; only times have a fraction, such as 1.5s");
    for (size_t i = 0; i < digits; i++)
        is_large |= __builtin_mul_overflow(value, 10, &value) ||
                    __builtin_add_overflow(value, at[i] - '0', &value);
    for (unsigned i = 0; i < power; i++)
        is_large |= __builtin_mul_overflow(value, 1024, &value);
    if (is_large)
        return weir_pbl_refuse(scanner->source, at, "this number is larger than 2^63 - 1");
    add_token(scanner, WEIR_PBL_NUMBER, digits + (power > 0))->value = value;
    return 0;
}

static int scan_text(struct scanner *scanner)
{
    const char *at = scanner->at;
    size_t length = 1;

    while (at[length] != '"' && at[length] != '\n' && at[length] != '\0')
        length += at[length] == '\\' && at[length + 1] == '"' ? 2 : 1;
    if (at[length] != '"')
        return weir_pbl_refuse(scanner->source, at, "the \" at the end of this text is missing");
    add_token(scanner, WEIR_PBL_TEXT, length + 1);
    return note_names_of_text(scanner, at + 1, length - 1);
}

static int scan_variable(struct scanner *scanner)
{
    const char *at = scanner->at;
    bool is_internal = at[1] == '$';
    size_t length = name_length(at + 1 + is_internal);

    if (length == 0)
        return weir_pbl_refuse(scanner->source, at, "a name of letters and digits is missing");
    add_token(scanner, is_internal ? WEIR_PBL_INTERNAL : WEIR_PBL_VARIABLE,
              length + 1 + is_internal);
    return is_internal ? 0 : note_name(scanner, at + 1, length);
}

static int scan_sign(struct scanner *scanner)
{
    static const char signs[] = "=+-%*/^,;:()[]{}<>";
    const char *at = scanner->at;

    if (strchr("=!<>", at[0]) != NULL && at[1] == '=')
        add_token(scanner, WEIR_PBL_SIGN, 2);
    else if (strchr(signs, at[0]) != NULL)
        add_token(scanner, WEIR_PBL_SIGN, 1);
    else
        return weir_pbl_refuse(scanner->source, at, "this character has no meaning here");
    return 0;
}

static int scan_token(struct scanner *scanner)
{
    char first = *scanner->at;

    if (isdigit((unsigned char)first))
        return scan_number(scanner);
    if (first == '"')
        return scan_text(scanner);
    if (first == '$')
        return scan_variable(scanner);
    if (!isalpha((unsigned char)first) && first != '_')
        return scan_sign(scanner);
    add_token(scanner, WEIR_PBL_WORD, word_length(scanner->at));
    return 0;
}

static int skip_comment(struct scanner *scanner)
{
    const char *end = strstr(scanner->at + 2, "*/");

    if (end == NULL)
        return weir_pbl_refuse(scanner->source, scanner->at,
                               "the */ at the end of this comment is missing");
    for (; scanner->at < end + 2; scanner->at++)
        scanner->line += *scanner->at == '\n';
    return 0;
}

static int scan_next(struct scanner *scanner)
{
    const char *at = scanner->at;

    if (strchr(" \t\r\n\f\v", *at) != NULL) {
        scanner->line += *at == '\n';
        scanner->at++;
        return 0;
    }
    if (*at == '#') {
        scanner->at += strcspn(at, "\n");
        return 0;
    }
    return at[0] == '/' && at[1] == '*' ? skip_comment(scanner) : scan_token(scanner);
}

static void number_variables(struct weir_pbl_tokens *tokens)
{
    for (struct weir_pbl_token *token = tokens->list; token->kind != WEIR_PBL_END; token++)
        if (token->kind == WEIR_PBL_VARIABLE)
            token->value =
                weir_variables_find(&tokens->variables, token->at + 1, token->length - 1);
}

int weir_pbl_scan(const struct weir_pbl_source *source, struct weir_arena *arena,
                  struct weir_pbl_tokens *tokens)
{
    struct scanner scanner = {
        .source = source, .arena = arena, .tokens = tokens, .at = source->text, .line = 1};
    int failure = 0;

    scanner.names = weir_arena_take(arena, VARIABLES_MAX * sizeof *scanner.names);
    tokens->variables.names = scanner.names;
    /* Editors of other systems put the byte order mark of UTF-8 first. */
    if (strncmp(scanner.at, "\xef\xbb\xbf", 3) == 0)
        scanner.at += 3;
    while (!failure && *scanner.at != '\0')
        failure = scan_next(&scanner);
    add_token(&scanner, WEIR_PBL_END, 0);
    number_variables(tokens);
    return failure;
}

void weir_pbl_tokens_close(struct weir_pbl_tokens *tokens)
{
    free(tokens->list);
}

bool weir_pbl_is_word(const struct weir_pbl_token *token, const char *word)
{
    return token->kind == WEIR_PBL_WORD && is_among(token->at, token->length, word);
}

bool weir_pbl_is_sign(const struct weir_pbl_token *token, const char *sign)
{
    return token->kind == WEIR_PBL_SIGN && strlen(sign) == token->length &&
           memcmp(token->at, sign, token->length) == 0;
}

const char *weir_pbl_text_of(const struct weir_pbl_token *token, size_t *length)
{
    const char *first = token->at, *end = token->at + token->length;

    while (first < end && *first == '"')
        first++;
    while (end > first && end[-1] == '"')
        end--;
    *length = (size_t)(end - first);
    return first;
}

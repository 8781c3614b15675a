/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with variables in them: their scanner, and their values on a rank. */
#include "expr_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the scanner ---- */

static bool is_name_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static enum weir_token found(struct weir_scan *scan, enum weir_token token, const char *word,
                             const char *word_end, const char *at)
{
    scan->word = word;
    scan->length = (size_t)(word_end - word);
    scan->at = at;
    return token;
}

/* `at` is a $. */
static enum weir_token scan_name(struct weir_scan *scan, const char *at)
{
    const char *begin = at;
    enum weir_token token = WEIR_TOKEN_VARIABLE;
    const char *name, *end;

    at++;
    if (at < scan->end && *at == '$') {
        token = WEIR_TOKEN_INTERNAL;
        at++;
    }
    for (name = at; at < scan->end && is_name_character(*at);)
        at++;
    if (at == name)
        return found(scan, WEIR_TOKEN_WRONG, begin, at, at);
    if (token == WEIR_TOKEN_VARIABLE || at - name != 3 || memcmp(name, "env", 3) != 0)
        return found(scan, token, name, at, at);
    end = at < scan->end && *at == '(' ? memchr(at, ')', (size_t)(scan->end - at)) : NULL;
    if (!end || end == at + 1)
        return found(scan, WEIR_TOKEN_WRONG, begin, at, at);
    return found(scan, WEIR_TOKEN_ENVIRONMENT, at + 1, end, end + 1);
}

enum weir_token weir_scan_next(struct weir_scan *scan)
{
    const char *begin = scan->at, *at;

    if (begin == scan->end)
        return WEIR_TOKEN_END;
    if (*begin == '$')
        return scan_name(scan, begin);
    at = memchr(begin, '$', (size_t)(scan->end - begin));
    if (!at)
        return found(scan, WEIR_TOKEN_LITERAL, begin, scan->end, scan->end);
    if (at[-1] != '\\')
        return found(scan, WEIR_TOKEN_LITERAL, begin, at, at);
    if (at - 1 > begin)
        return found(scan, WEIR_TOKEN_LITERAL, begin, at - 1, at - 1);
    return found(scan, WEIR_TOKEN_LITERAL, at, at + 1, at + 1);
}

int weir_scan_environment(const struct weir_scan *scan, const char **value)
{
    char name[256];
    const char *found_value;

    if (scan->length >= sizeof name)
        return -ENODATA;
    memcpy(name, scan->word, scan->length);
    name[scan->length] = '\0';
    found_value = getenv(name);
    if (!found_value)
        return -ENODATA;
    *value = found_value;
    return 0;
}

/* ---- values ---- */

/* A text that grows in a buffer of WEIR_VALUE_BYTES. */
struct sink {
    struct weir_scope *scope;
    char *data;
    size_t length;
    unsigned scanned; /* texts of variables that were scanned for further ones */
};

/* As many at most in one text: names that double at each level would take for ever. */
#define SCANNED_MAX 65536

/* Most are a few bytes, for which a call would take as long as all the rest: two halves that
 * overlap. */
static inline void copy_bytes(char *to, const char *from, size_t count)
{
    if (count > 16) {
        memcpy(to, from, count);
    } else if (count >= 8) {
        uint64_t first, last;

        memcpy(&first, from, 8);
        memcpy(&last, from + count - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + count - 8, &last, 8);
    } else if (count >= 4) {
        uint32_t first, last;

        memcpy(&first, from, 4);
        memcpy(&last, from + count - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + count - 4, &last, 4);
    } else if (count > 0) {
        to[0] = from[0];
        to[count / 2] = from[count / 2];
        to[count - 1] = from[count - 1];
    }
}

static inline int add_bytes(struct sink *sink, const char *bytes, size_t count)
{
    if (count >= WEIR_VALUE_BYTES - sink->length)
        return weir_expr_fail(sink->scope, -ENAMETOOLONG, "a text of more than %d bytes",
                              WEIR_VALUE_BYTES - 1);
    copy_bytes(sink->data + sink->length, bytes, count);
    sink->length += count;
    return 0;
}

static int add_integer(struct sink *sink, int64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[24];
    char *at = digits + sizeof digits;

    for (; rest >= 100; rest /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (rest % 100), 2);
    }
    *--at = (char)('0' + rest % 10);
    if (rest >= 10)
        *--at = (char)('0' + rest / 10);
    if (value < 0)
        *--at = '-';
    return add_bytes(sink, at, (size_t)(digits + sizeof digits - at));
}

static int add_internal(struct sink *sink, unsigned internal)
{
    if (internal == WEIR_INTERNAL_HOST)
        return add_bytes(sink, sink->scope->host, strlen(sink->scope->host));
    return add_integer(sink, weir_internal_value(sink->scope, internal));
}

static int add_variable(struct sink *sink, unsigned variable, unsigned depth);

static int add_token(struct sink *sink, enum weir_token token, const struct weir_scan *scan,
                     unsigned depth)
{
    struct weir_scope *scope = sink->scope;
    int length = scan->length < 64 ? (int)scan->length : 64;
    const char *value;
    unsigned number;

    switch (token) {
    case WEIR_TOKEN_VARIABLE:
        number = weir_variables_find(scope->variables, scan->word, scan->length);
        if (number == scope->variables->count)
            return weir_expr_fail(scope, -ENODATA, "there is no variable $%.*s", length,
                                  scan->word);
        return add_variable(sink, number, depth + 1);
    case WEIR_TOKEN_INTERNAL:
        number = weir_internal_find(scan->word, scan->length);
        if (number == WEIR_INTERNAL_COUNT)
            return weir_expr_fail(scope, -ENODATA, "there is no internal variable $$%.*s", length,
                                  scan->word);
        return add_internal(sink, number);
    case WEIR_TOKEN_ENVIRONMENT:
        if (weir_scan_environment(scan, &value))
            return weir_expr_fail(scope, -ENODATA, "the environment has no %.*s", length,
                                  scan->word);
        return add_bytes(sink, value, strlen(value));
    case WEIR_TOKEN_WRONG:
        return weir_expr_fail(scope, -EINVAL, "%.*s without a name: write \\$ for the sign", length,
                              scan->word);
    default:
        return add_bytes(sink, scan->word, scan->length);
    }
}

/* The text of a variable may name further ones. */
static int add_scanned(struct sink *sink, unsigned variable, unsigned depth)
{
    const struct weir_value *value = &sink->scope->values[variable];
    struct weir_scan scan = {.at = value->text, .end = value->text + value->length};
    enum weir_token token;
    int status = 0;

    if (depth > WEIR_INTERPOLATION_MAX || ++sink->scanned > SCANNED_MAX)
        return weir_expr_fail(
            sink->scope, -ELOOP,
            "texts name variables whose texts name variables, without end, at $%s",
            sink->scope->variables->names[variable]);
    while (status == 0 && (token = weir_scan_next(&scan)) != WEIR_TOKEN_END)
        status = add_token(sink, token, &scan, depth);
    return status;
}

static int add_variable(struct sink *sink, unsigned variable, unsigned depth)
{
    const struct weir_value *value = &sink->scope->values[variable];

    switch (value->kind) {
    case WEIR_VALUE_INTEGER:
        return add_integer(sink, value->integer);
    case WEIR_VALUE_TEXT:
        return value->is_plain ? add_bytes(sink, value->text, value->length)
                               : add_scanned(sink, variable, depth);
    case WEIR_VALUE_FILE:
        return weir_expr_fail(sink->scope, -EINVAL, "$%s is a file, and no text",
                              sink->scope->variables->names[variable]);
    default:
        return weir_expr_fail(sink->scope, -ENODATA, "$%s is not set",
                              sink->scope->variables->names[variable]);
    }
}

static int add_pieces(struct sink *sink, const struct weir_piece *piece)
{
    int status;

    for (;; piece++) {
        status = add_bytes(sink, piece->literal, piece->length);
        if (status || piece->kind == WEIR_PIECE_END)
            return status;
        status = piece->kind == WEIR_PIECE_VARIABLE ? add_variable(sink, piece->number, 1)
                                                    : add_internal(sink, piece->number);
        if (status)
            return status;
    }
}

int weir_expr_evaluate_text(const struct weir_expr *expr, struct weir_scope *scope, char *buffer,
                            size_t *length)
{
    struct sink sink = {.scope = scope, .data = buffer};
    int64_t number;
    int status;

    switch (expr->kind) {
    case WEIR_EXPR_TEXT:
        status = add_pieces(&sink, expr->pieces);
        break;
    case WEIR_EXPR_VARIABLE:
        status = add_variable(&sink, expr->variable, 1);
        break;
    case WEIR_EXPR_INTERNAL:
        status = add_internal(&sink, expr->internal);
        break;
    default:
        status = weir_expr_evaluate_integer(expr, scope, &number);
        status = status ? status : add_integer(&sink, number);
    }
    if (status)
        return status;
    buffer[sink.length] = '\0';
    *length = sink.length;
    return 0;
}

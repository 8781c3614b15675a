/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text, and sizes and durations in the forms that people type and read. */
#include "weir/base/text.h"

#include "weir/base/memory.h"
#include "weir/base/random.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S UINT64_C(1000000000)

/* ---- growing text ---- */

/* Longer than a number or a word with its separators. */
#define SHORT_PIECE_BYTES 63

/* Room for `count` more bytes and the NUL. */
static void reserve(struct weir_text *text, size_t count)
{
    size_t needed = text->length + count + 1;
    size_t capacity = text->capacity ? text->capacity : 256;

    if (needed <= text->capacity)
        return;
    while (capacity < needed)
        capacity *= 2;
    text->data = weir_memory_grow(text->data, capacity);
    text->capacity = capacity;
}

void weir_text_add_list(struct weir_text *text, const char *format, va_list arguments)
{
    va_list again;
    size_t room;
    int length;

    /* Most pieces fit into what is reserved, and are formatted once. */
    reserve(text, SHORT_PIECE_BYTES);
    room = text->capacity - text->length;
    va_copy(again, arguments);
    length = vsnprintf(text->data + text->length, room, format, again);
    va_end(again);
    if (length >= 0 && (size_t)length >= room) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    }
    if (length < 0)
        text->data[text->length] = '\0';
    else
        text->length += (size_t)length;
}

void weir_text_add(struct weir_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    weir_text_add_list(text, format, arguments);
    va_end(arguments);
}

void weir_text_add_bytes(struct weir_text *text, const char *bytes, size_t count)
{
    reserve(text, count);
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

int weir_text_add_file(struct weir_text *text, FILE *file, size_t most)
{
    char piece[4096];
    size_t count, sum = 0;
    int code = 0;

    while (sum <= most && (count = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_text_add_bytes(text, piece, count);
        sum += count;
    }
    if (ferror(file))
        code = -errno;
    else if (sum > most)
        code = -EFBIG;
    fclose(file);
    return code;
}

size_t weir_text_zero_line(const struct weir_text *text)
{
    size_t length = strlen(weir_text_string(text)), line = 1;

    for (size_t i = 0; i < length; i++)
        line += text->data[i] == '\n';
    return length < text->length ? line : 0;
}

void weir_text_add_quoted(struct weir_text *text, const char *string)
{
    weir_text_add(text, "\"");
    for (; *string != '\0'; string++)
        weir_text_add(text, "%.*s%c", *string == '"', "\"", *string);
    weir_text_add(text, "\"");
}

void weir_text_add_shell(struct weir_text *text, const char *word)
{
    weir_text_add(text, "'");
    for (; *word != '\0'; word++)
        weir_text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    weir_text_add(text, "'");
}

void weir_text_add_visible(struct weir_text *text, const char *string)
{
    size_t begin = text->length;

    weir_text_add_bytes(text, string, strlen(string));
    weir_text_make_visible(text->data + begin, "");
}

void weir_text_add_markdown(struct weir_text *text, const char *string)
{
    for (; *string != '\0'; string++)
        if (*string == '<')
            weir_text_add(text, "&lt;");
        else
            weir_text_add(text, "%s%c", strchr("|`[*_\\", *string) != NULL ? "\\" : "", *string);
}

const char *weir_text_string(const struct weir_text *text)
{
    return text->data ? text->data : "";
}

void weir_text_clear(struct weir_text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void weir_text_close(struct weir_text *text)
{
    free(text->data);
    *text = (struct weir_text){0};
}

/* ---- what others chose ---- */

/* The length of the character at `at` if it must not be shown; 0 if it may. */
static size_t hidden_length(const unsigned char *at, bool is_within_character)
{
    bool is_separator = at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9);

    if (at[0] < 0x20 || at[0] == 0x7f)
        return 1;
    if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f)
        return 2;
    if (is_separator) /* U+2028 and U+2029 */
        return 3;
    /* A control of 8-bit terminals, unless it is the rest of a character of UTF-8. */
    return at[0] >= 0x80 && at[0] <= 0x9f && !is_within_character ? 1 : 0;
}

void weir_text_make_visible(char *string, const char *kept)
{
    bool is_within_character = false;

    for (char *at = string; *at;) {
        size_t length =
            strchr(kept, *at) ? 0 : hidden_length((const unsigned char *)at, is_within_character);

        memset(at, '?', length);
        at += length > 0 ? length : 1;
        is_within_character = (unsigned char)at[-1] >= 0x80 && (unsigned char)at[-1] < 0xf5;
    }
}

/* ---- UTF-8 and XML ---- */

unsigned weir_utf8_bytes(const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    unsigned bytes = *at < 0x80                  ? 1
                     : *at >= 0xc2 && *at < 0xe0 ? 2
                     : *at >= 0xe0 && *at < 0xf0 ? 3
                                                 : 4;

    if (*at >= 0x80 && (*at < 0xc2 || *at > 0xf4))
        return 0;
    for (unsigned i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* Longer forms than needed, surrogates, values above U+10FFFF, and U+FFFE and U+FFFF. */
    if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
        (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f) ||
        (*at == 0xef && at[1] == 0xbf && at[2] >= 0xbe))
        return 0;
    return bytes;
}

void weir_xml_add(struct weir_text *text, const char *string)
{
    static const char *const escaped[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};

    for (unsigned bytes; *string != '\0'; string += bytes > 0 ? bytes : 1) {
        unsigned char first = (unsigned char)*string;

        bytes = weir_utf8_bytes(string);
        if (bytes == 0 || first == 0x7f || (first < ' ' && first != '\n' && first != '\t') ||
            (first == 0xc2 && (unsigned char)string[1] < 0xa0))
            weir_text_add(text, "\xef\xbf\xbd");
        else if (first < 128 && escaped[first] != NULL)
            weir_text_add(text, "%s", escaped[first]);
        else
            weir_text_add_bytes(text, string, bytes);
    }
}

/* ---- numbers as they are typed ---- */

/* Digits after the point that are taken into account: 10^18 still fits. */
#define FRACTION_DIGITS_MAX 18

/* whole + numerator / denominator */
struct decimal {
    uint64_t whole;
    uint64_t numerator;
    uint64_t denominator;
    bool is_cut; /* digits other than 0 were dropped at the end */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *read_fraction(const char *text, struct decimal *decimal)
{
    unsigned digits = 0;

    for (; is_digit(*text); text++) {
        if (digits++ >= FRACTION_DIGITS_MAX) {
            decimal->is_cut |= *text != '0';
            continue;
        }
        decimal->numerator = decimal->numerator * 10 + (uint64_t)(*text - '0');
        decimal->denominator *= 10;
    }
    return text;
}

/* Reads digits with an optional fraction; sets *end behind them. */
static int read_decimal(const char *text, struct decimal *decimal, const char **end)
{
    *decimal = (struct decimal){.denominator = 1};
    if (!is_digit(*text))
        return -EINVAL;
    for (; is_digit(*text); text++) {
        if (__builtin_mul_overflow(decimal->whole, 10u, &decimal->whole) ||
            __builtin_add_overflow(decimal->whole, (uint64_t)(*text - '0'), &decimal->whole))
            return -ERANGE;
    }
    if (*text == '.') {
        if (!is_digit(*++text))
            return -EINVAL;
        text = read_fraction(text, decimal);
    }
    *end = text;
    return 0;
}

/* The factor of a unit such as "k", "kb" or "KiB"; 1 for the empty text; 0 for anything else. */
static uint64_t unit_factor(const char *unit)
{
    static const char letters[] = "kmgtp";
    const char *letter;

    if (*unit == '\0')
        return 1;
    letter = strchr(letters, *unit | 0x20);
    if (!letter || *letter == '\0')
        return 0;
    unit++;
    if (*unit != '\0' && strcasecmp(unit, "b") != 0 && strcasecmp(unit, "ib") != 0)
        return 0;
    return UINT64_C(1) << (10 * (letter - letters + 1));
}

int weir_size_parse(const char *text, uint64_t *value)
{
    struct decimal decimal;
    const char *unit;
    uint64_t factor;
    unsigned __int128 part, total;
    int failure = read_decimal(text, &decimal, &unit);

    if (failure)
        return failure;
    factor = unit_factor(unit);
    part = (unsigned __int128)decimal.numerator * factor;
    if (factor == 0 || decimal.is_cut || part % decimal.denominator != 0)
        return -EINVAL;
    total = (unsigned __int128)decimal.whole * factor + part / decimal.denominator;
    if (total > INT64_MAX)
        return -ERANGE;
    *value = (uint64_t)total;
    return 0;
}

int weir_integer_parse(const char *text, int64_t *value)
{
    bool is_negative = *text == '-';
    uint64_t magnitude;
    int failure;

    if (*text == '-' || *text == '+')
        text++;
    failure = weir_size_parse(text, &magnitude);
    if (failure)
        return failure;
    *value = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return 0;
}

int weir_rate_parse(const char *text, bool is_in_bytes, double *per_s)
{
    static const char prefixes[] = "kmgtp";
    struct decimal decimal;
    const char *unit, *prefix, *first;
    double base = 1000.0, factor = 1.0;
    int failure = read_decimal(text, &decimal, &unit);

    if (failure)
        return failure;
    unit += strspn(unit, " ");
    first = unit;
    prefix = *unit != '\0' ? strchr(prefixes, *unit | 0x20) : NULL;
    if (prefix != NULL) {
        unit++;
        if (*unit == 'i' || *unit == 'I') {
            base = 1024.0;
            unit++;
        }
        for (const char *each = prefixes; each <= prefix; each++)
            factor *= base;
    }
    unit += is_in_bytes && *unit == 'B';
    if ((*unit != '\0' && strcasecmp(unit, "/s") != 0) ||
        (is_in_bytes && unit == first && (decimal.whole > 0 || decimal.numerator > 0)))
        return -EINVAL;
    *per_s =
        factor * ((double)decimal.whole + (double)decimal.numerator / (double)decimal.denominator);
    return 0;
}

uint64_t weir_time_unit_ns(const char *unit, size_t length)
{
    static const struct {
        const char *word;
        uint64_t ns;
    } units[] = {
        {"ms", NS_PER_S / 1000}, {"s", NS_PER_S}, {"min", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].word) == length && strncasecmp(unit, units[i].word, length) == 0)
            return units[i].ns;
    return 0;
}

int weir_duration_parse(const char *text, uint64_t unit_ns, uint64_t *value_ns)
{
    struct decimal decimal;
    const char *end;
    unsigned __int128 part, total;
    int failure = read_decimal(text, &decimal, &end);

    if (failure)
        return failure;
    if (*end != '\0')
        return -EINVAL;
    part = (unsigned __int128)decimal.numerator * unit_ns + decimal.denominator / 2;
    total = (unsigned __int128)decimal.whole * unit_ns + part / decimal.denominator;
    if (total > INT64_MAX)
        return -ERANGE;
    *value_ns = (uint64_t)total;
    return 0;
}

int weir_time_parse(const char *text, uint64_t unit_ns, uint64_t *value_ns)
{
    size_t length = strspn(text, "0123456789.");
    const char *unit = text + length;
    char number[64];

    if (*unit != '\0')
        unit_ns =
            strcasecmp(unit, "m") == 0 ? 60 * NS_PER_S : weir_time_unit_ns(unit, strlen(unit));
    if (unit_ns == 0 || length >= sizeof number)
        return -EINVAL;
    memcpy(number, text, length);
    number[length] = '\0';
    return weir_duration_parse(number, unit_ns, value_ns);
}

/* ---- numbers as they are read ---- */

char *weir_size_format(uint64_t bytes, char buffer[WEIR_SIZE_TEXT_BYTES])
{
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t unit = UINT64_C(1) << units[i].shift;

        if (bytes < unit)
            continue;
        if (bytes % unit == 0)
            snprintf(buffer, WEIR_SIZE_TEXT_BYTES, "%" PRIu64 " %s", bytes / unit, units[i].name);
        else
            snprintf(buffer, WEIR_SIZE_TEXT_BYTES, "%.2f %s", (double)bytes / (double)unit,
                     units[i].name);
        return buffer;
    }
    snprintf(buffer, WEIR_SIZE_TEXT_BYTES, "%" PRIu64 " bytes", bytes);
    return buffer;
}

char *weir_size_format_exact(uint64_t bytes, char buffer[WEIR_SIZE_TEXT_BYTES])
{
    static const char letters[] = "kmgtp";
    unsigned power = 0;

    while (bytes != 0 && bytes % 1024 == 0 && letters[power] != '\0') {
        bytes /= 1024;
        power++;
    }
    if (power == 0)
        snprintf(buffer, WEIR_SIZE_TEXT_BYTES, "%" PRIu64, bytes);
    else
        snprintf(buffer, WEIR_SIZE_TEXT_BYTES, "%" PRIu64 "%c", bytes, letters[power - 1]);
    return buffer;
}

char *weir_rate_format(double rate, const char *unit, char buffer[WEIR_RATE_TEXT_BYTES])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    unsigned prefix = 0;

    while (rate >= 999.5 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        rate /= 1000.0;
        prefix++;
    }
    snprintf(buffer, WEIR_RATE_TEXT_BYTES, "%.*f %s%s",
             rate < 9.995   ? 2
             : rate < 99.95 ? 1
                            : 0,
             rate, prefixes[prefix], unit);
    return buffer;
}

char *weir_duration_format(double seconds, char buffer[WEIR_DURATION_TEXT_BYTES])
{
    static const struct {
        double limit_s;
        double unit_s;
        const char *unit;
    } units[] = {{999.5e-9, 1e-9, "ns"}, {999.5e-6, 1e-6, "us"}, {999.5e-3, 1e-3, "ms"}};
    double value = seconds;
    const char *unit = "s";

    if (seconds <= 0.0) {
        snprintf(buffer, WEIR_DURATION_TEXT_BYTES, "0 s");
        return buffer;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds < units[i].limit_s) {
            value = seconds / units[i].unit_s;
            unit = units[i].unit;
            break;
        }
    snprintf(buffer, WEIR_DURATION_TEXT_BYTES, "%.*f %s",
             value < 9.995   ? 2
             : value < 99.95 ? 1
                             : 0,
             value, unit);
    return buffer;
}

/* ---- sentences that are too long ---- */

#define WORD_KEPT_BYTES 24

static const char ellipsis[] = "...";

/* The longest word begins at the return value and has *length bytes. */
static char *longest_word(char *string, size_t *length)
{
    char *longest = string;

    *length = 0;
    for (char *word = string; *word != '\0';) {
        size_t here;

        word += strspn(word, " \n");
        here = strcspn(word, " \n");
        if (here > *length) {
            *length = here;
            longest = word;
        }
        word += here;
    }
    return longest;
}

static bool is_within_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Takes the middle out of a word, `excess` bytes or as much as there is to take. */
static void cut_middle(char *word, size_t length, size_t excess)
{
    size_t dots = sizeof ellipsis - 1;
    size_t gone = excess + dots < length - WORD_KEPT_BYTES + dots ? excess + dots
                                                                  : length - WORD_KEPT_BYTES + dots;
    char *begin = word + (length - gone) / 2;
    char *end = begin + gone;

    while (begin > word && is_within_character(*begin))
        begin--;
    while (end < word + length && is_within_character(*end))
        end++;
    memcpy(begin, ellipsis, dots);
    memmove(begin + dots, end, strlen(end) + 1);
}

void weir_text_shorten(char *string, size_t capacity)
{
    size_t used = strlen(string);

    while (used >= capacity) {
        size_t length;
        char *word = longest_word(string, &length);

        if (length <= WORD_KEPT_BYTES) {
            memcpy(string + capacity - sizeof ellipsis, ellipsis, sizeof ellipsis);
            return;
        }
        cut_middle(word, length, used - (capacity - 1));
        used = strlen(string);
    }
}

bool weir_text_begins(const char *string, const char *beginning)
{
    return strncmp(string, beginning, strlen(beginning)) == 0;
}

bool weir_text_list_has(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (;;) {
        size_t size = strcspn(words, ",");

        if (size == length && strncmp(words, word, length) == 0)
            return true;
        if (words[size] == '\0')
            return false;
        words += size + 1;
    }
}

bool weir_text_cut_name(char *path)
{
    char *slash = strrchr(path, '/');

    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0)
        return false;
    if (!slash)
        memcpy(path, ".", 2);
    else if (slash == path)
        path[1] = '\0';
    else
        *slash = '\0';
    return true;
}

/* FNV-1a (Fowler, Noll, Vo), finished by a mix because its high bits move little on short texts. */
uint64_t weir_text_hash(const char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return weir_mix64(hash);
}

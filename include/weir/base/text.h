/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text, and the reading and writing of sizes and durations. */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero is an empty text. `data` is NULL or ends with a NUL that `length` does not count. */
struct weir_text {
    char *data;
    size_t length;
    size_t capacity;
};

void weir_text_add(struct weir_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void weir_text_add_list(struct weir_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void weir_text_add_bytes(struct weir_text *text, const char *bytes, size_t count);

/* Appends a cell of CSV: in quotes, and those in it doubled. */
void weir_text_add_quoted(struct weir_text *text, const char *string);
/* Appends an argument of a command of the shell, in single quotes. */
void weir_text_add_shell(struct weir_text *text, const char *word);

/* Appends what is left of a file, and closes it. 0; -EFBIG if there are more bytes than `most`; or
 * -errno. */
int weir_text_add_file(struct weir_text *text, FILE *file, size_t most);

/* Returns the line of the first zero byte, counted from 1, which would cut the rest of a text off;
 * 0 = there is none. */
size_t weir_text_zero_line(const struct weir_text *text);

/* The text as a string: never NULL. */
const char *weir_text_string(const struct weir_text *text);
/* Appends a name or a sentence that others chose, made visible. */
void weir_text_add_visible(struct weir_text *text, const char *string);
/* Appends a text that Markdown shows as it is. */
void weir_text_add_markdown(struct weir_text *text, const char *string);
void weir_text_clear(struct weir_text *text);
void weir_text_close(struct weir_text *text);

/* Puts "?" in the place of each byte of what could end a line or steer a terminal: control
 * characters, those of UTF-8 beyond ASCII too, and its separators of lines. Those of ASCII that
 * stand in `kept` stay. */
void weir_text_make_visible(char *string, const char *kept);

/* Bytes of the next character of UTF-8; 0 = the bytes are none. */
unsigned weir_utf8_bytes(const char *string);
/* Appends a text for XML or HTML, as content or as the value of an attribute in double quotes:
 * markup is escaped, and bytes that are no characters of XML become U+FFFD. */
void weir_xml_add(struct weir_text *text, const char *string);

/* Makes a sentence shorter than `capacity` (at least 64): its longest words, paths as a rule, lose
 * what is in their middle, and show it by "...". Words of up to 24 bytes stay whole: if they are
 * too many, the end of the sentence goes. */
void weir_text_shorten(char *string, size_t capacity);

bool weir_text_begins(const char *string, const char *beginning);

/* True if one of the words, which commas separate, is `word`. */
bool weir_text_list_has(const char *words, const char *word);

/* Cuts the last name off a path, which leaves the directory that it is in: of "a/b", "a"; of "a",
 * "."; of "/a", "/". False if nothing is above: of "." and "/". */
bool weir_text_cut_name(char *path);

/* Reads a size: decimal digits with an optional fraction, and an optional binary unit k m g t p
 * (2^10 ... 2^50), in either case, alone or followed by "b" or "ib". The result must be a whole
 * number below 2^63: "1.5g" is 1610612736, "1.5" and "-1" and "1x" are errors. 0, or -EINVAL, or
 * -ERANGE. */
int weir_size_parse(const char *text, uint64_t *value);

/* Reads a signed integer with the same units. 0, -EINVAL or -ERANGE. */
int weir_integer_parse(const char *text, int64_t *value);

/* Reads a decimal number (with an optional fraction) of units of `unit_ns` nanoseconds. 0, -EINVAL,
 * -ERANGE. */
int weir_duration_parse(const char *text, uint64_t unit_ns, uint64_t *value_ns);

/* Reads a rate: a decimal number with a unit, decimal (5.5GB/s, 200k) or, with an i, binary
 * (5GiB/s); "/s" may be missing. Bytes per second have a unit, unless they are 0; others have no
 * "B" (20000, 20k/s). 0, -EINVAL or -ERANGE. */
int weir_rate_parse(const char *text, bool is_in_bytes, double *per_s);

/* Nanoseconds of a unit of time: "ms", "s", "min" or "h", in either case; 0 = no such unit.
 */
uint64_t weir_time_unit_ns(const char *unit, size_t length);

/* Reads a value of an option: a decimal number with one of these units or "m", which is minutes, or
 * without one, in units of `unit_ns` nanoseconds. 0, -EINVAL, -ERANGE. */
int weir_time_parse(const char *text, uint64_t unit_ns, uint64_t *value_ns);

/* IOR's human form: "1 GiB" if exact, else "1.25 GiB", for sizes of at least one MiB; below, "65536
 * bytes". Returns `buffer`. */
#define WEIR_SIZE_TEXT_BYTES 32
char *weir_size_format(uint64_t bytes, char buffer[WEIR_SIZE_TEXT_BYTES]);

/* The shortest exact form with a unit, as a user would type it: "1m", "4k", "47008". Returns
 * `buffer`. */
char *weir_size_format_exact(uint64_t bytes, char buffer[WEIR_SIZE_TEXT_BYTES]);

/* A time for people to read, in three digits and a unit: "12.3 us". Returns `buffer`. */
#define WEIR_DURATION_TEXT_BYTES 16
char *weir_duration_format(double seconds, char buffer[WEIR_DURATION_TEXT_BYTES]);

/* A rate for people to read, in three digits, with a decimal prefix before `unit` ("B/s"):
 * "2.09 GB/s". Returns `buffer`. */
#define WEIR_RATE_TEXT_BYTES 32
char *weir_rate_format(double rate, const char *unit, char buffer[WEIR_RATE_TEXT_BYTES]);

/* A stable 64-bit hash of bytes, for plan ids. Not cryptographic. */
uint64_t weir_text_hash(const char *bytes, size_t count);

#endif

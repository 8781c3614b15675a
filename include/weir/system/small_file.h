/* SPDX-License-Identifier: Apache-2.0 */
/* Small files and links of /proc and /sys. Paths are made like printf(3) does. All texts are
 * made visible, cut to fit, and filled up with zeros. */
#ifndef WEIR_SYSTEM_SMALL_FILE_H
#define WEIR_SYSTEM_SMALL_FILE_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a path below a root. What is longer is not there. */
#define WEIR_ROOTED_PATH_BYTES (2 * PATH_MAX)

/* Copies a text made by others, without the blanks and ends of lines around it. */
void weir_small_text_copy(char *to, size_t bytes, const char *from);

/* The same for the word in brackets of "none [mq-deadline] bfq"; what is behind it goes from
 * `choices`. False, and *to as it was, if there are no brackets. */
bool weir_small_text_choice(char *to, size_t bytes, char *choices);

/* Copies the value of "KEY=VALUE" in a list with commas. False if the key is not there. */
bool weir_small_list_value(const char *words, const char *key, char *value, size_t bytes);

/* The first line. False, and "", if the file is not there or the line is blank. */
bool weir_small_file_line(char *line, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The whole number that the file begins with; false, and *number as it was, if there is none. */
bool weir_small_file_number(int64_t *number, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The rest of the first line that begins with `name` and a colon or equals sign, and has
 * something behind it. */
bool weir_small_file_field(const char *path, const char *name, char *value, size_t bytes);

/* True if there is a file, directory or link of that name that leads somewhere. */
bool weir_small_file_is_there(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The last name in what a link says; false, and "", if there is no such link. */
bool weir_link_name(char *name, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Names in a directory, but for those that begin with a dot; numbers in them count as such: "eth2"
 * is before "eth10". None if the directory is not there. */
struct weir_name_list {
    struct dirent **entries;
    size_t count;
};

void weir_name_list_open(struct weir_name_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void weir_name_list_close(struct weir_name_list *list);

/* The NUMA node of what the path leads to, or of the nearest device above it that has one;
 * WEIR_NUMA_UNKNOWN. */
int32_t weir_numa_node_above(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

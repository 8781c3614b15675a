/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up trees of /proc and /sys, each below a directory of its own. */
#ifndef WEIR_TESTS_PLANTED_H
#define WEIR_TESTS_PLANTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT_BYTES 64

/* A text that begins with "-> " makes a symbolic link, and NULL a directory. */
struct planted_file {
    const char *path; /* below the root, without a slash in front */
    const char *text;
};

/* Writes a file anew, with all directories that it needs. */
static inline void plant_file(const char *root, const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    if (text == NULL) {
        assert_int_equal(mkdir(path, 0777), 0);
    } else if (strncmp(text, "-> ", 3) == 0) {
        assert_int_equal(symlink(text + 3, path), 0);
    } else {
        file = fopen(path, "we");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
    }
}

/* Files up to the first without a path. */
static inline void plant(char root[ROOT_BYTES], const struct planted_file *files, size_t count)
{
    snprintf(root, ROOT_BYTES, "/tmp/test_planted.XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < count && files[i].path != NULL; i++)
        plant_file(root, files[i].path, files[i].text);
}

static inline void fell(const char *root)
{
    char command[2 * ROOT_BYTES + 32];
    FILE *shell;

    snprintf(command, sizeof command, "chmod -R u+rwX '%s'; rm -rf '%s'", root, root);
    shell = popen(command, "re");
    assert_non_null(shell);
    assert_int_equal(pclose(shell), 0);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of small files in a directory of their own, for what reads /proc and /sys below a root. */
#ifndef TREE_BED_H
#define TREE_BED_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ROOT_BYTES 64

/* A text that begins with "-> " makes a symbolic link, and NULL a directory. */
struct planted {
    const char *path;
    const char *text;
};

/* Makes all directories that the path needs. */
static void plant_one(const char *root, const char *name, const char *text)
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

/* Files until the first without a path. */
static void plant(char root[ROOT_BYTES], const struct planted *files, size_t count)
{
    snprintf(root, ROOT_BYTES, "/tmp/weir_test_tree.XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < count && files[i].path != NULL; i++)
        plant_one(root, files[i].path, files[i].text);
}

static void fell(const char *root)
{
    char command[ROOT_BYTES + 16];
    FILE *shell;

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    shell = popen(command, "re");
    assert_non_null(shell);
    assert_int_equal(pclose(shell), 0);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Texts against those of a folder, which the build names: WEIR_TEST_GOLDEN. WEIR_BLESS=1 writes
 * them anew. */
#ifndef WEIR_TESTS_UNIT_GOLDEN_TEXT_H
#define WEIR_TESTS_UNIT_GOLDEN_TEXT_H

#include "weir/base/text.h"
#include "weir/base/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A new version of the program is no new text. */
static inline void golden_expect(const char *name, const struct weir_text *text)
{
    const char *bless = getenv("WEIR_BLESS"), *rest = weir_text_string(text), *version;
    struct weir_text actual = {0}, expected = {0};
    char path[4096], bytes[4096];
    size_t count;
    FILE *file;

    while ((version = strstr(rest, WEIR_VERSION)) != NULL) {
        weir_text_add_bytes(&actual, rest, (size_t)(version - rest));
        weir_text_add(&actual, "VERSION");
        rest = version + strlen(WEIR_VERSION);
    }
    weir_text_add(&actual, "%s", rest);
    snprintf(path, sizeof path, "%s/%s", WEIR_TEST_GOLDEN, name);
    file = fopen(path, bless != NULL && strcmp(bless, "1") == 0 ? "w+" : "r");
    if (file == NULL)
        fail_msg("%s cannot be opened; WEIR_BLESS=1 writes it", path);
    if (bless != NULL && strcmp(bless, "1") == 0) {
        assert_true(fputs(weir_text_string(&actual), file) >= 0);
        rewind(file);
    }
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        weir_text_add_bytes(&expected, bytes, count);
    fclose(file);
    assert_string_equal(weir_text_string(&actual), weir_text_string(&expected));
    weir_text_close(&expected);
    weir_text_close(&actual);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets: which files hold one, what becomes of it, and how it is proven. */
#include "network/fabric/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text, size_t bytes, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, bytes), bytes);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static int set_up(void **state)
{
    char *path = strdup("/tmp/weir_secret_XXXXXX");
    int fd = path == NULL ? -1 : mkstemp(path);

    if (fd < 0)
        return -1;
    close(fd);
    *state = path;
    return 0;
}

static int tear_down(void **state)
{
    unlink(*state);
    free(*state);
    return 0;
}

static void a_secret_is_the_digest_of_its_bytes_without_white_space_behind(void **state)
{
    /* SHA-256 of "0123456789abcdef", as sha256sum tells it. */
    static const unsigned char expected[] = {0x9f, 0x9f, 0x51, 0x11, 0xf7, 0xb2, 0x7a, 0x78,
                                             0x1f, 0x1f, 0x1d, 0xdd, 0xe5, 0xeb, 0xc2, 0xdd,
                                             0x2b, 0x79, 0x6b, 0xfc, 0x73, 0x65, 0xc9, 0xc2,
                                             0x8b, 0x54, 0x8e, 0x56, 0x41, 0x76, 0x92, 0x9f};
    static const char *const texts[] = {"0123456789abcdef", "0123456789abcdef\n",
                                        "0123456789abcdef \t\r\n\n"};
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_error error = {0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(*state, texts[i], strlen(texts[i]), 0600);
        assert_int_equal(weir_secret_read(*state, secret, &error), 0);
        assert_memory_equal(secret, expected, sizeof expected);
    }
}

static void a_file_that_others_may_touch_is_refused(void **state)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0601, 0777};
    unsigned char secret[WEIR_SECRET_BYTES];

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct weir_error error = {0};

        write_file(*state, "0123456789abcdef", 16, modes[i]);
        assert_int_equal(weir_secret_read(*state, secret, &error), -EPERM);
        assert_non_null(strstr(error.text, "chmod 600"));
        assert_non_null(strstr(error.text, *state));
    }
}

static uid_t user;

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
    return user != 0 ? user : __real_geteuid();
}

/* Root may give its secret to others; nobody else may give one to root. */
static void a_file_of_another_user_is_refused(void **state)
{
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_error error = {0};
    struct stat status;

    write_file(*state, "0123456789abcdef", 16, 0600);
    assert_int_equal(stat(*state, &status), 0);
    user = status.st_uid + 1;
    assert_int_equal(weir_secret_read(*state, secret, &error), status.st_uid == 0 ? 0 : -EPERM);
    if (status.st_uid == 0) {
        assert_int_equal(chown(*state, 4711, (gid_t)-1), 0);
        assert_int_equal(weir_secret_read(*state, secret, &error), -EPERM);
    }
    assert_non_null(strstr(error.text, *state));
    user = 0;
}

static void what_is_too_short_or_too_long_is_refused(void **state)
{
    static char text[5000];
    static const struct {
        size_t bytes;
        int code;
    } cases[] = {{0, -EINVAL}, {15, -EINVAL}, {16, 0}, {4096, 0}, {4097, -EFBIG}, {5000, -EFBIG}};
    unsigned char secret[WEIR_SECRET_BYTES];

    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};

        write_file(*state, text, cases[i].bytes, 0600);
        assert_int_equal(weir_secret_read(*state, secret, &error), cases[i].code);
        assert_int_equal(error.code, cases[i].code);
    }
    write_file(*state, "short            \n", 18, 0600);
    assert_int_equal(weir_secret_read(*state, secret, &(struct weir_error){0}), -EINVAL);
}

static void what_is_no_file_is_refused(void **state)
{
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_error error = {0};

    assert_int_equal(weir_secret_read("/nonexistent/secret", secret, &error), -ENOENT);
    error = (struct weir_error){0};
    assert_int_equal(weir_secret_read("/tmp", secret, &error), -EINVAL);
    unlink(*state);
    assert_int_equal(mkfifo(*state, 0600), 0);
    error = (struct weir_error){0};
    assert_int_equal(weir_secret_read(*state, secret, &error), -EINVAL);
    assert_non_null(strstr(error.text, "regular file"));
}

static void two_secrets_drawn_are_not_the_same(void **state)
{
    unsigned char one[WEIR_SECRET_BYTES] = {0}, other[WEIR_SECRET_BYTES] = {0};

    assert_int_equal(weir_secret_draw(one), 0);
    assert_int_equal(weir_secret_draw(other), 0);
    assert_memory_not_equal(one, other, sizeof one);
}

static void a_proof_depends_on_the_secret_the_role_and_both_texts(void **state)
{
    static const struct {
        unsigned char first;
        const char *role, *left, *right;
    } cases[] = {{0, "client", "abc", "def"},
                 {1, "client", "abc", "def"},
                 {0, "server", "abc", "def"},
                 {0, "client", "abd", "def"},
                 {0, "client", "abc", "dee"}};
    unsigned char proofs[5][WEIR_SECRET_PROOF_BYTES];

    for (size_t i = 0; i < 5; i++) {
        unsigned char secret[WEIR_SECRET_BYTES] = {cases[i].first};

        assert_int_equal(weir_secret_prove(secret, cases[i].role, cases[i].left, 3, cases[i].right,
                                           3, proofs[i]),
                         0);
        for (size_t j = 0; j < i; j++)
            assert_false(weir_secret_equal(proofs[i], proofs[j], sizeof proofs[i]));
        assert_true(weir_secret_equal(proofs[i], proofs[i], sizeof proofs[i]));
    }
}

static void a_proof_is_hmac_sha256(void **state)
{
    /* Of "Hi" NUL "There": printf 'Hi\0There' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00...
     */
    static const char expected[] =
        "d995acc715a602c18a08a04adb67313c99b9af28cd1517ebfc0f26a4a05ccbc7";
    unsigned char secret[WEIR_SECRET_BYTES] = {0};
    unsigned char proof[WEIR_SECRET_PROOF_BYTES];
    char text[2 * WEIR_SECRET_PROOF_BYTES + 1];

    assert_int_equal(weir_secret_prove(secret, "Hi", "The", 3, "re", 2, proof), 0);
    for (size_t i = 0; i < sizeof proof; i++)
        snprintf(text + 2 * i, 3, "%02x", proof[i]);
    assert_string_equal(text, expected);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test_setup_teardown(
            a_secret_is_the_digest_of_its_bytes_without_white_space_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_may_touch_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_another_user_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_too_short_or_too_long_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, set_up, tear_down),
        cmocka_unit_test(two_secrets_drawn_are_not_the_same),
        cmocka_unit_test(a_proof_depends_on_the_secret_the_role_and_both_texts),
        cmocka_unit_test(a_proof_is_hmac_sha256),
    };

    return cmocka_run_group_tests_name("secret", cases, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets: read, drawn, and proven by HMAC-SHA256 without being shown. */
#include "secret.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHORTEST_BYTES 16
/* A secret that is longer is some other file. */
#define LONGEST_BYTES 4096

#define LONGEST_TEXT_BYTES 256

static int cannot_read(struct weir_error *error, const char *path)
{
    int code = -errno;

    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, path, "the secret cannot be read: %s",
                          strerror(-code));
}

/* A regular file, because a pipe's bytes reach one reader only; readable by its owner alone, who is
 * this process's user or root: any other owner would know the secret. */
static int check_file(int fd, const char *path, struct weir_error *error)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return cannot_read(error, path);
    if (!S_ISREG(status.st_mode))
        return weir_error_set(error, WEIR_EXIT_USAGE, -EINVAL, path,
                              "the secret must be in a regular file");
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return weir_error_set(error, WEIR_EXIT_USAGE, -EPERM, path,
                              "the secret is in a file of user %u, who knows it then; copy it to a "
                              "file of user %u",
                              (unsigned)status.st_uid, (unsigned)geteuid());
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return weir_error_set(error, WEIR_EXIT_USAGE, -EPERM, path,
                              "others may read or write the secret (mode %04o); chmod 600 makes it "
                              "its owner's alone",
                              (unsigned)status.st_mode & 07777);
    return 0;
}

/* Bytes of the file, or -errno with `error` set. */
static ssize_t read_bytes(int fd, const char *path, unsigned char *bytes, size_t most,
                          struct weir_error *error)
{
    size_t count = 0;

    while (count < most) {
        ssize_t got = read(fd, bytes + count, most - count);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot_read(error, path);
        if (got == 0)
            break;
        count += (size_t)got;
    }
    return (ssize_t)count;
}

static int digest(const char *path, const unsigned char *bytes, size_t count,
                  unsigned char secret[WEIR_SECRET_BYTES], struct weir_error *error)
{
    unsigned length = 0;

    while (count > 0 && isspace(bytes[count - 1]))
        count--;
    if (count < SHORTEST_BYTES)
        return weir_error_set(error, WEIR_EXIT_USAGE, -EINVAL, path,
                              "a secret of %zu bytes can be guessed; it needs %d at least, such as "
                              "those of: head -c 32 /dev/urandom | base64",
                              count, SHORTEST_BYTES);
    if (EVP_Digest(bytes, count, secret, &length, EVP_sha256(), NULL) != 1)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EIO, path,
                              "libcrypto of this host has no SHA-256");
    assert(length == WEIR_SECRET_BYTES);
    return 0;
}

int weir_secret_read(const char *path, unsigned char secret[WEIR_SECRET_BYTES],
                     struct weir_error *error)
{
    unsigned char bytes[LONGEST_BYTES + 1];
    ssize_t count;
    int failure;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return cannot_read(error, path);
    failure = check_file(fd, path, error);
    if (!failure) {
        count = read_bytes(fd, path, bytes, sizeof bytes, error);
        if (count < 0)
            failure = (int)count;
        else if (count > LONGEST_BYTES)
            failure = weir_error_set(error, WEIR_EXIT_USAGE, -EFBIG, path,
                                     "longer than %d bytes: this is no secret", LONGEST_BYTES);
        else
            failure = digest(path, bytes, (size_t)count, secret, error);
        OPENSSL_cleanse(bytes, sizeof bytes);
    }
    close(fd);
    return failure;
}

int weir_secret_random(void *bytes, size_t count)
{
    unsigned char *next = bytes;

    while (count > 0) {
        ssize_t got = getrandom(next, count, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        next += got;
        count -= (size_t)got;
    }
    return 0;
}

int weir_secret_draw(unsigned char secret[WEIR_SECRET_BYTES])
{
    return weir_secret_random(secret, WEIR_SECRET_BYTES);
}

int weir_secret_prove(const unsigned char secret[WEIR_SECRET_BYTES], const char *role,
                      const void *first, size_t first_bytes, const void *second,
                      size_t second_bytes, unsigned char proof[WEIR_SECRET_PROOF_BYTES])
{
    unsigned char text[LONGEST_TEXT_BYTES];
    size_t role_bytes = strlen(role) + 1;
    unsigned length = 0;

    assert(role_bytes + first_bytes + second_bytes <= sizeof text);
    memcpy(text, role, role_bytes);
    memcpy(text + role_bytes, first, first_bytes);
    memcpy(text + role_bytes + first_bytes, second, second_bytes);
    if (HMAC(EVP_sha256(), secret, WEIR_SECRET_BYTES, text, role_bytes + first_bytes + second_bytes,
             proof, &length) == NULL)
        return -EIO;
    assert(length == WEIR_SECRET_PROOF_BYTES);
    return 0;
}

bool weir_secret_equal(const void *left, const void *right, size_t count)
{
    return CRYPTO_memcmp(left, right, count) == 0;
}

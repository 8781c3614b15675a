/* SPDX-License-Identifier: Apache-2.0 */
/* What is no device, and what signatures say. Real devices are tried in tests/mpi/devices.sh. */
#include "weir/system/block_device.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A file of a MiB with `bytes` at `offset`: what a device would hold. */
struct image {
    char path[64];
    int fd;
};

static void make_image(struct image *image)
{
    snprintf(image->path, sizeof image->path, "/tmp/test_device.XXXXXX");
    image->fd = mkstemp(image->path);
    assert_true(image->fd >= 0);
    assert_int_equal(ftruncate(image->fd, 1 << 20), 0);
}

static void put(const struct image *image, const void *bytes, size_t count, off_t offset)
{
    assert_int_equal(pwrite(image->fd, bytes, count, offset), count);
}

static void drop_image(struct image *image)
{
    close(image->fd);
    unlink(image->path);
}

static void what_is_no_block_device_is_told(void **state)
{
    struct weir_block_device device = {.number = 7, .bytes = 9};
    char where[WEIR_DEVICE_TEXT_BYTES];
    struct image image;

    (void)state;
    make_image(&image);
    assert_int_equal(weir_block_device_find(image.path, &device), -ENOTBLK);
    assert_int_equal(weir_block_device_find("/dev/null", &device), -ENOTBLK);
    assert_int_equal(weir_block_device_find("/tmp", &device), -ENOTBLK);
    assert_int_equal(weir_block_device_find("/dev/nosuchdevice", &device), -ENOENT);
    assert_int_equal(weir_block_device_is_used(image.path, where), -ENOTBLK);
    assert_int_equal(weir_block_device_is_used("/dev/nosuchdevice", where), -ENOENT);
    assert_int_equal(device.number, 7);
    assert_int_equal(device.bytes, 9);
    drop_image(&image);
}

static void zeros_and_noise_have_no_signature(void **state)
{
    char what[WEIR_DEVICE_TEXT_BYTES] = "x";
    unsigned char noise[8192];
    struct image image;

    (void)state;
    make_image(&image);
    assert_int_equal(weir_block_device_signature(image.path, what), 0);
    assert_string_equal(what, "");
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)(i * 167 + i / 251);
    put(&image, noise, sizeof noise, 0);
    assert_int_equal(weir_block_device_signature(image.path, what), 0);
    assert_string_equal(what, "");
    drop_image(&image);
}

static void signatures_are_named(void **state)
{
    /* The magic of LUKS, and its version; of swap space, with version, last page and label; an
     * entry of a table of partitions: active, Linux, of 1024 sectors from the first on. */
    static const unsigned char luks[] = {'L', 'U', 'K', 'S', 0xba, 0xbe, 0, 1};
    static const unsigned char swap[] = {1, 0, 0, 0, 255, 0, 0, 0};
    static const unsigned char partition[] = {0x80, 1, 1, 0, 0x83, 1, 1, 1, 1, 0, 0, 0, 0, 4, 0, 0};
    static const unsigned char end[] = {0x55, 0xaa};
    char what[WEIR_DEVICE_TEXT_BYTES];
    struct image image;

    (void)state;
    make_image(&image);
    put(&image, partition, sizeof partition, 446);
    put(&image, end, sizeof end, 510);
    assert_int_equal(weir_block_device_signature(image.path, what), 0);
    assert_string_equal(what, "dos partition table");
    put(&image, luks, sizeof luks, 0);
    assert_int_equal(weir_block_device_signature(image.path, what), 0);
    assert_string_equal(what, "crypto_LUKS encrypted volume");
    drop_image(&image);

    make_image(&image);
    put(&image, "SWAPSPACE2", 10, 4086);
    put(&image, swap, sizeof swap, 1024);
    put(&image, "two\033words", 9, 1024 + 28);
    assert_int_equal(weir_block_device_signature(image.path, what), 0);
    assert_string_equal(what, "swap labelled two?words");
    drop_image(&image);
}

static void what_cannot_be_looked_at_is_an_error(void **state)
{
    char what[WEIR_DEVICE_TEXT_BYTES];

    (void)state;
    assert_int_equal(weir_block_device_signature("/dev/nosuchdevice", what), -ENOENT);
    assert_string_equal(what, "");
}

/* ---- processor time ---- */

static void time_goes_by_while_the_processor_works_and_not_while_it_waits(void **state)
{
    const struct weir_processor_time start = weir_processor_time();
    struct weir_processor_time worked, waited;
    volatile unsigned long spun;

    (void)state;
    do {
        for (spun = 0; spun < 1000000; spun++)
            ;
        worked = weir_processor_time();
    } while (worked.user_ns - start.user_ns < 20000000);
    usleep(50000);
    waited = weir_processor_time();
    assert_true(waited.user_ns - worked.user_ns + waited.system_ns - worked.system_ns < 20000000);
    for (unsigned i = 0; waited.system_ns - start.system_ns < 5000000; i++) {
        char byte;

        assert_true(i < 50000000);
        assert_int_equal(readlink("/", &byte, 1), -1);
        if (i % 1024 == 0)
            waited = weir_processor_time();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_block_device_is_told),
        cmocka_unit_test(zeros_and_noise_have_no_signature),
        cmocka_unit_test(signatures_are_named),
        cmocka_unit_test(what_cannot_be_looked_at_is_an_error),
        cmocka_unit_test(time_goes_by_while_the_processor_works_and_not_while_it_waits),
    };

    return cmocka_run_group_tests_name("block device", tests, NULL, NULL);
}

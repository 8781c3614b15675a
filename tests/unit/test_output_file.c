/* SPDX-License-Identifier: Apache-2.0 */
/* Files beside the data: what may be lost, what is never opened, and what a crash leaves. */
#include "weir/base/output_file.h"
#include "weir/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define RANKS "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n"
#define CSV                                                                                        \
    "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),"       \
    "numTasks,iter\n"

struct bed {
    char directory[64];
    char path[96];
};

static void set_up(struct bed *bed)
{
    *bed = (struct bed){.directory = "/tmp/test_output_file.XXXXXX"};
    assert_non_null(mkdtemp(bed->directory));
    snprintf(bed->path, sizeof bed->path, "%s/file", bed->directory);
}

/* Nothing but the file itself is left: no name that was made beside it. */
static void tear_down(const struct bed *bed)
{
    unlink(bed->path);
    assert_int_equal(rmdir(bed->directory), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void assert_content(const char *path, const char *text)
{
    char found[8192] = "";
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

/* Tries the check and the open, which must agree; 0 or the code, and the exit code of a refusal. */
static int try(const struct weir_output_file *file, enum weir_exit *exit)
{
    struct weir_error checked = {0}, opened = {0};
    int check = weir_output_file_check(file, &checked);
    int fd = -1;
    int code = weir_output_file_open(file, &fd, &opened);

    assert_int_equal(check, code);
    assert_int_equal(checked.exit, opened.exit);
    if (code == 0)
        close(fd);
    *exit = opened.exit;
    return code;
}

static const struct {
    enum weir_output_kind kind;
    const char *text;
    bool is_taken;
} cases[] = {
    {WEIR_OUTPUT_REPORT, "", true},
    {WEIR_OUTPUT_REPORT, "IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O\nBegan", true},
    {WEIR_OUTPUT_REPORT, "IOR-2.10.3: MPI Coordinated Test of Parallel I/O\n\n", true},
    {WEIR_OUTPUT_REPORT,
     "Fake number of node: using 2\nIOR-3.3.0: MPI Coordinated Test of Parallel I/O\n", true},
    {WEIR_OUTPUT_REPORT, "\nIOR-3.0.1: MPI Coordinated Test of Parallel I/O\n", true},
    {WEIR_OUTPUT_REPORT, "{\n  \"Version\": \"4.1.0+dev\", \n  \"Began\": \"Sat\"", true},
    {WEIR_OUTPUT_REPORT, CSV "write,1635", true},
    {WEIR_OUTPUT_REPORT, "{\"name\": \"my precious config\"}", false},
    {WEIR_OUTPUT_REPORT, "{\"Version\": \"1.2\", \"dependencies\": {}}", false},
    {WEIR_OUTPUT_REPORT, "{", false},
    {WEIR_OUTPUT_REPORT, "\nDear diary\n", false},
    {WEIR_OUTPUT_REPORT, "\n", false},
    {WEIR_OUTPUT_REPORT, "IOR-notes: read the manual\n", false},
    {WEIR_OUTPUT_REPORT, "IOR-3.0: my own notes\n", false},
    {WEIR_OUTPUT_REPORT, "Fake news\n", false},
    {WEIR_OUTPUT_REPORT, "access,bw(MiB/s)\n", false},
    {WEIR_OUTPUT_RESULT, "{\"record\":\"run\",\"schema\":\"weir-result-2\",\"weir\":", true},
    {WEIR_OUTPUT_RESULT, "{\"record\":\"run\",\"run\":\"0a\",\"schema\":\"weir-result-2\"", true},
    {WEIR_OUTPUT_RESULT, "{\"name\":\"package\",\"version\":\"1\"}", false},
    {WEIR_OUTPUT_RESULT, "{\"record\":\"run\",\"schema\":\"other\"}\nweir-result-", false},
    {WEIR_OUTPUT_RANK_CSV, RANKS "write,0,7.1", true},
    {WEIR_OUTPUT_RANK_CSV, "access,mode,unit,children,fileKB,recordKB,childrenSum,parent\n", true},
    {WEIR_OUTPUT_RANK_CSV, "access,rank\n", false},
    {WEIR_OUTPUT_OP_CSV, "time,runtime,tp\n0.0,", true},
    {WEIR_OUTPUT_OP_CSV, "time,runtime\n0.0,", true}, /* of md-workbench */
    {WEIR_OUTPUT_OP_CSV, "time,runtime,t\n", false},
    {WEIR_OUTPUT_OFFSETS, WEIR_OUTPUT_OFFSETS_HEADING "        64         60      65536\n", true},
    {WEIR_OUTPUT_OFFSETS, "Offset in KB   Latency\n", false},
    {WEIR_OUTPUT_HISTOGRAMS, "Child: 12 Op: Random Read\nBand 1:", true},
    {WEIR_OUTPUT_HISTOGRAMS, "Child: 12\nBand 1:", false},
    {WEIR_OUTPUT_STATUS, "16", true},
    {WEIR_OUTPUT_STATUS, "18446744073709551615\n", true},
    {WEIR_OUTPUT_STATUS, "2024 budget: my numbers", false},
    {WEIR_OUTPUT_STATUS, "16\n17\n", false},
    {WEIR_OUTPUT_STATUS, "-1", false},
    {WEIR_OUTPUT_STATUS, "1e9", false},
    {WEIR_OUTPUT_STATUS, "99999999999999999999999", false},
    {WEIR_OUTPUT_SERVERS, "n1:7471\n# spare\n[::1]:80", true},
    {WEIR_OUTPUT_SERVERS, "dear diary: 1\n", false},
    {WEIR_OUTPUT_SERVERS, "key = value\n", false},
};

static void try_case(size_t number, bool may_overwrite)
{
    enum weir_output_kind kind = cases[number].kind;
    bool must_append = kind == WEIR_OUTPUT_RESULT || kind == WEIR_OUTPUT_SERVERS;
    bool is_taken = cases[number].is_taken || (may_overwrite && !must_append);
    enum weir_exit exit;
    struct bed bed;
    int code;

    set_up(&bed);
    write_file(bed.path, cases[number].text);
    code = try(&(struct weir_output_file){.path = bed.path,
                                          .place = "test",
                                          .kind = kind,
                                          .is_held = weir_report_is_held,
                                          .may_overwrite = may_overwrite,
                                          .must_append = must_append},
               &exit);
    if ((code == 0) != is_taken)
        fail_msg("case %zu: %d", number, code);
    if (!is_taken)
        assert_int_equal(exit, WEIR_EXIT_USAGE);
    assert_content(bed.path, is_taken && !must_append ? "" : cases[number].text);
    tear_down(&bed);
}

static void only_files_of_its_kind_are_replaced_or_appended_to(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int may_overwrite = 0; may_overwrite < 2; may_overwrite++)
            try_case(i, may_overwrite);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

/* An open that waits for a reader would never return: the alarm ends the test. */
static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    struct bed bed;
    enum weir_exit exit;

    (void)state;
    alarm(20);
    for (int kind = 0; kind < 3; kind++) {
        for (int may_overwrite = 0; may_overwrite < 2; may_overwrite++) {
            set_up(&bed);
            if (kind == 0)
                assert_int_equal(mkfifo(bed.path, 0600), 0);
            else if (kind == 1)
                assert_int_equal(mkdir(bed.path, 0700), 0);
            else
                make_socket(bed.path);
            assert_int_equal(try(&(struct weir_output_file){.path = bed.path,
                                                            .place = "test",
                                                            .kind = WEIR_OUTPUT_REPORT,
                                                            .is_held = weir_report_is_held,
                                                            .may_overwrite = may_overwrite},
                                 &exit),
                             -EINVAL);
            assert_int_equal(exit, WEIR_EXIT_USAGE);
            rmdir(bed.path);
            tear_down(&bed);
        }
    }
    alarm(0);
}

static void null_is_taken_and_other_devices_are_not(void **state)
{
    static const struct {
        const char *path;
        int code;
    } devices[] = {
        {"/dev/null", 0}, {"/dev/full", 0}, {"/dev/zero", -EINVAL}, {"/dev/mem", -EINVAL}};

    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        enum weir_exit exit;

        if (access(devices[i].path, F_OK) != 0)
            continue;
        assert_int_equal(try(&(struct weir_output_file){.path = devices[i].path,
                                                        .place = "test",
                                                        .kind = WEIR_OUTPUT_RESULT,
                                                        .must_append = true},
                             &exit),
                         devices[i].code);
    }
}

static void no_device_loses_its_name_to_a_count(void **state)
{
    enum weir_exit exit;

    (void)state;
    assert_int_equal(try(&(struct weir_output_file){.path = "/dev/null",
                                                    .place = "test",
                                                    .kind = WEIR_OUTPUT_STATUS,
                                                    .may_overwrite = true},
                         &exit),
                     -EINVAL);
}

static void a_pipe_that_is_open_already_is_written(void **state)
{
    struct weir_error error = {0};
    char path[64], text[8] = "";
    int pipes[2], fd;

    (void)state;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", pipes[1]);
    assert_int_equal(
        weir_output_file_open(
            &(struct weir_output_file){.path = path, .place = "test", .kind = WEIR_OUTPUT_REPORT},
            &fd, &error),
        0);
    assert_int_equal(weir_output_file_write(fd, "text", 4), 0);
    assert_int_equal(read(pipes[0], text, sizeof text), 4);
    assert_string_equal(text, "text");
    close(fd);
    close(pipes[0]);
    close(pipes[1]);
}

static void a_new_content_takes_the_place_of_the_old_one(void **state)
{
    char long_name[PATH_MAX];
    struct stat facts;
    struct bed bed;

    (void)state;
    set_up(&bed);
    assert_int_equal(weir_output_file_replace(bed.path, "1", 1, 0), 0);
    assert_int_equal(chmod(bed.path, 0640), 0);
    assert_int_equal(weir_output_file_replace(bed.path, "22", 2, 0), 0);
    assert_content(bed.path, "22");
    assert_int_equal(stat(bed.path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    /* A name as long as they get leaves no room for anything behind it. */
    snprintf(long_name, sizeof long_name, "%s/%0255d", bed.directory, 1);
    assert_int_equal(weir_output_file_replace(long_name, "3", 1, 0), 0);
    assert_content(long_name, "3");
    unlink(long_name);
    tear_down(&bed);
}

static void a_replacement_that_fails_leaves_the_old_content(void **state)
{
    char path[PATH_MAX];
    struct bed bed;

    (void)state;
    set_up(&bed);
    /* The name is taken by a directory that is not empty: the rename fails. */
    assert_int_equal(mkdir(bed.path, 0700), 0);
    snprintf(path, sizeof path, "%s/inside", bed.path);
    write_file(path, "kept");
    assert_true(weir_output_file_replace(bed.path, "new", 3, 0) < 0);
    assert_content(path, "kept");
    unlink(path);
    rmdir(bed.path);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(weir_output_file_replace(path, "new", 3, 0), -ENAMETOOLONG);
    tear_down(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_files_of_its_kind_are_replaced_or_appended_to),
        cmocka_unit_test(what_is_no_regular_file_is_refused_at_once),
        cmocka_unit_test(null_is_taken_and_other_devices_are_not),
        cmocka_unit_test(no_device_loses_its_name_to_a_count),
        cmocka_unit_test(a_pipe_that_is_open_already_is_written),
        cmocka_unit_test(a_new_content_takes_the_place_of_the_old_one),
        cmocka_unit_test(a_replacement_that_fails_leaves_the_old_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The way up through control groups, as hosts, containers and hybrids of both versions show them.
 */
#include "weir/system/control_group.h"

#include "planted.h"

/* What the visitor saw: "2!/sys/fs/cgroup/job 2/sys/fs/cgroup"; "!" marks the process's own. */
struct trail {
    const char *root;
    char text[2048];
};

static void note(void *context, const struct weir_control_group *group)
{
    struct trail *trail = context;
    size_t length = strlen(trail->text);

    assert_int_equal(strncmp(group->directory, trail->root, strlen(trail->root)), 0);
    snprintf(trail->text + length, sizeof trail->text - length, "%s%u%s%s", length > 0 ? " " : "",
             group->version, group->is_own ? "!" : "", group->directory + strlen(trail->root));
}

struct scene {
    const char *what;
    const char *controller;
    struct planted_file files[5];
    const char *trail;
};

/* Lines of mountinfo. */
#define V2 "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define TMPFS "31 20 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs rw,mode=755\n"
#define CPU "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:1 - cgroup cgroup rw,cpu,cpuacct\n"
#define MEMORY "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define DISK "23 1 8:1 / / rw - ext4 /dev/sda1 rw\n"

static const struct scene scenes[] = {
    {"version 2",
     "cpu",
     {{"proc/self/cgroup", "0::/slurm/job_7/step_0\n"}, {"proc/self/mountinfo", DISK V2}},
     "2!/sys/fs/cgroup/slurm/job_7/step_0 2/sys/fs/cgroup/slurm/job_7 2/sys/fs/cgroup/slurm "
     "2/sys/fs/cgroup"},
    {"in the outermost group",
     "cpu",
     {{"proc/self/cgroup", "0::/\n"}, {"proc/self/mountinfo", V2}},
     "2!/sys/fs/cgroup"},
    {"two controllers of version 1 in one hierarchy",
     "cpu",
     {{"proc/self/cgroup", "3:memory:/m\n2:cpu,cpuacct:/job\n"},
      {"proc/self/mountinfo", TMPFS MEMORY CPU}},
     "1!/sys/fs/cgroup/cpu,cpuacct/job 1/sys/fs/cgroup/cpu,cpuacct"},
    {"a name that only begins alike is another",
     "cpu",
     {{"proc/self/cgroup", "2:cpuacct:/a\n3:cpuset:/b\n"},
      {"proc/self/mountinfo",
       "32 31 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"}},
     ""},
    {"a hybrid: both versions",
     "memory",
     {{"proc/self/cgroup", "3:memory:/m\n0::/session\n"},
      {"proc/self/mountinfo", TMPFS MEMORY UNIFIED}},
     "1!/sys/fs/cgroup/memory/m 1/sys/fs/cgroup/memory 2!/sys/fs/cgroup/unified/session "
     "2/sys/fs/cgroup/unified"},
    {"a hierarchy that is not mounted",
     "memory",
     {{"proc/self/cgroup", "3:memory:/m\n0::/s\n"}, {"proc/self/mountinfo", TMPFS CPU}},
     ""},
    {"a container with its part of version 1 only, and whole names",
     "memory",
     {{"proc/self/cgroup", "3:memory:/docker/77/inner\n"},
      {"proc/self/mountinfo",
       "35 31 0:32 /docker/77 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"}},
     "1!/sys/fs/cgroup/memory/inner 1/sys/fs/cgroup/memory"},
    {"a group beside the part that is mounted, whose name begins alike",
     "memory",
     {{"proc/self/cgroup", "3:memory:/docker/777\n"},
      {"proc/self/mountinfo",
       "35 31 0:32 /docker/77 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"}},
     "1/sys/fs/cgroup/memory"},
    {"a namespace whose root the process has left",
     "cpu",
     {{"proc/self/cgroup", "0::/../neighbour\n"}, {"proc/self/mountinfo", V2}},
     "2/sys/fs/cgroup"},
    {"a mount from outside of the namespace",
     "cpu",
     {{"proc/self/cgroup", "0::/\n"},
      {"proc/self/mountinfo", "30 20 0:26 /.. /sys/fs/cgroup ro - cgroup2 cgroup rw\n"}},
     "2/sys/fs/cgroup"},
    {"of several mounts, the one that shows most",
     "cpu",
     {{"proc/self/cgroup", "0::/job/step\n"},
      {"proc/self/mountinfo", "50 20 0:26 /o /mnt/other rw - cgroup2 none rw\n"
                              "51 20 0:26 /job /mnt/job rw - cgroup2 none rw\n" V2
                              "52 20 0:26 /job/step /mnt/step rw - cgroup2 none rw\n"}},
     "2!/sys/fs/cgroup/job/step 2/sys/fs/cgroup/job 2/sys/fs/cgroup"},
    {"a mount that shows the group, behind one of another part",
     "cpu",
     {{"proc/self/cgroup", "0::/job/step\n"},
      {"proc/self/mountinfo", "50 20 0:26 /o /mnt/other rw - cgroup2 none rw\n"
                              "51 20 0:26 /job /mnt/job rw - cgroup2 none rw\n"}},
     "2!/mnt/job/step 2/mnt/job"},
    {"a place with a blank in its name",
     "cpu",
     {{"proc/self/cgroup", "0::/job\n"},
      {"proc/self/mountinfo", "30 20 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n"}},
     "2!/my groups/job 2/my groups"},
    {"nothing is told of mounts: version 2",
     "cpu",
     {{"proc/self/cgroup", "0::/job\n"}},
     "2!/sys/fs/cgroup/job 2/sys/fs/cgroup"},
    {"nothing is told of mounts: a hybrid",
     "cpu",
     {{"proc/self/cgroup", "1:cpu,cpuacct:/job\n0::/\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.stat", ""},
      {"sys/fs/cgroup/unified/cgroup.procs", ""}},
     "1!/sys/fs/cgroup/cpu,cpuacct/job 1/sys/fs/cgroup/cpu,cpuacct 2!/sys/fs/cgroup/unified"},
    {"nothing is told of mounts: a name of its own",
     "cpu",
     {{"proc/self/cgroup", "1:cpu,cpuacct:/job\n"}, {"sys/fs/cgroup/cpu/cpu.stat", ""}},
     "1!/sys/fs/cgroup/cpu/job 1/sys/fs/cgroup/cpu"},
    {"nothing is told of mounts: a group outside of the namespace",
     "cpu",
     {{"proc/self/cgroup", "0::/../neighbour\n"}},
     "2/sys/fs/cgroup"},
    {"lines that are none",
     "cpu",
     {{"proc/self/cgroup", "\nrubbish\n1:cpu\n0::/a\n"},
      {"proc/self/mountinfo", "rubbish\n - \n1 2 - cgroup2\n1 2 3 - cgroup2 a b\n" V2}},
     "2!/sys/fs/cgroup/a 2/sys/fs/cgroup"},
    {"no control groups", "cpu", {{"proc/self/mountinfo", V2}}, ""},
};

static void each_group_is_visited_from_the_innermost_to_the_outermost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const struct scene *scene = &scenes[i];
        struct trail trail = {.text = ""};
        char root[64];

        plant(root, scene->files, sizeof scene->files / sizeof *scene->files);
        trail.root = root;
        weir_control_groups_visit(root, scene->controller, note, &trail);
        if (strcmp(trail.text, scene->trail) != 0)
            fail_msg("%s:\n  %s\nand not\n  %s", scene->what, trail.text, scene->trail);
        fell(root);
    }
}

static void numbers_are_told_from_what_stands_for_no_limit(void **state)
{
    static const struct {
        const char *text;
        const char *name;
        bool is_found;
        uint64_t number;
    } cases[] = {
        {"4096\n", "", true, 4096},
        {"max\n", "", false, 0},
        {"-1\n", "", false, 0},
        {"max 100000\n", "", false, 0},
        {"", "", false, 0},
        {"9223372036854771712\n", "", true, UINT64_C(9223372036854771712)},
        {"nr_periods 7\nthrottled_usec 12\n", "throttled_usec", true, 12},
        {"nr_throttled_usec 12\n", "throttled_usec", false, 0},
        {"throttled_usecs 12\nthrottled_usec 13", "throttled_usec", true, 13},
        {"se.nr_migrations                     :      5\n", "se.nr_migrations", true, 5},
        {"MemTotal:        8192 kB\n", "MemTotal", true, 8192},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct planted_file file = {"group/file", cases[i].text};
        char root[64], directory[128];
        const struct weir_control_group group = {.directory = directory, .version = 2};
        uint64_t in_file = 0, in_text = 0;

        plant(root, &file, 1);
        snprintf(directory, sizeof directory, "%s/group", root);
        assert_int_equal(weir_control_group_number(&group, "file", cases[i].name, &in_file),
                         cases[i].is_found);
        assert_int_equal(in_file, cases[i].number);
        assert_int_equal(weir_number_find_in(cases[i].text, cases[i].name, &in_text),
                         cases[i].is_found);
        assert_int_equal(in_text, cases[i].number);
        assert_false(weir_control_group_number(&group, "nothing", "", &in_file));
        fell(root);
    }
}

static void a_line_has_no_end_and_fits(void **state)
{
    const struct planted_file file = {"group/cpu.max", "150000 100000\nmore\n"};
    char root[64], directory[128], line[32], little[7];
    const struct weir_control_group group = {.directory = directory, .version = 2};

    (void)state;
    plant(root, &file, 1);
    snprintf(directory, sizeof directory, "%s/group", root);
    assert_true(weir_control_group_line(&group, "cpu.max", line, sizeof line));
    assert_string_equal(line, "150000 100000");
    assert_true(weir_control_group_line(&group, "cpu.max", little, sizeof little));
    assert_string_equal(little, "150000");
    assert_false(weir_control_group_line(&group, "cpu.min", line, sizeof line));
    fell(root);
}

/* The root is always the last, and it is there. */
static void check_directory(void *context, const struct weir_control_group *group)
{
    struct stat facts;
    bool *is_there = context;

    *is_there = stat(group->directory, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static void this_host_shows_the_groups_that_it_names(void **state)
{
    bool is_there = true;

    (void)state;
    weir_control_groups_visit("", "cpu", check_directory, &is_there);
    assert_true(is_there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_group_is_visited_from_the_innermost_to_the_outermost),
        cmocka_unit_test(numbers_are_told_from_what_stands_for_no_limit),
        cmocka_unit_test(a_line_has_no_end_and_fits),
        cmocka_unit_test(this_host_shows_the_groups_that_it_names),
    };

    return cmocka_run_group_tests_name("control_group", tests, NULL, NULL);
}

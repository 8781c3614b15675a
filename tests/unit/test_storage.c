/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind paths, as made-up trees of /proc and /sys tell of them; and on this node. */
#include "weir/system/environment.h"

#include "planted.h"

#include "system/mask.h"
#include "system/stripes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define MIB (UINT64_C(1) << 20)

/* The path that is looked at is a real one: trees speak of its mount, whose numbers stand where
 * they say @id@ and @device@. A file of /proc is on another file system than the trees are, which
 * is
 * @under@. */
#define TARGET "/proc/self/status"

struct numbers {
    char id[24];
    char device[24];
    char under[24];
};

static void find_device(const char *path, char device[24], char id[24])
{
    struct statx facts;

    assert_int_equal(statx(AT_FDCWD, path, 0, STATX_MNT_ID, &facts), 0);
    snprintf(device, 24, "%u:%u", facts.stx_dev_major, facts.stx_dev_minor);
    snprintf(id, 24, "%llu", (unsigned long long)facts.stx_mnt_id);
}

static void replace(char *text, size_t bytes, const char *mark, const char *word)
{
    char *at;

    while ((at = strstr(text, mark)) != NULL) {
        char *rest = strdup(at + strlen(mark));

        assert_non_null(rest);
        snprintf(at, bytes - (size_t)(at - text), "%s%s", word, rest);
        free(rest);
    }
}

static void plant_numbered(char root[ROOT_BYTES], const struct planted_file *files, size_t count)
{
    struct numbers numbers;
    char under_id[24];

    plant(root, NULL, 0);
    find_device(TARGET, numbers.device, numbers.id);
    find_device(root, numbers.under, under_id);
    for (size_t i = 0; i < count && files[i].path != NULL; i++) {
        char path[PATH_MAX], text[2048];

        snprintf(path, sizeof path, "%s", files[i].path);
        snprintf(text, sizeof text, "%s", files[i].text != NULL ? files[i].text : "");
        replace(path, sizeof path, "@device@", numbers.device);
        replace(path, sizeof path, "@under@", numbers.under);
        replace(text, sizeof text, "@id@", numbers.id);
        replace(text, sizeof text, "@under_id@", under_id);
        replace(text, sizeof text, "@device@", numbers.device);
        replace(text, sizeof text, "@under@", numbers.under);
        plant_file(root, path, files[i].text != NULL ? text : NULL);
    }
}

static void describe(const struct planted_file *files, size_t count,
                     struct weir_storage_facts *facts)
{
    char root[ROOT_BYTES];

    plant_numbered(root, files, count);
    memset(facts, 0xff, sizeof *facts);
    weir_storage_describe(root, TARGET, facts);
    fell(root);
}

/* ---- mounts ---- */

#define LINE(point, options, rest) "@id@ 1 @device@ / " point " " options " shared:7 - " rest "\n"

static void a_mount_is_what_its_line_says(void **state)
{
    static const struct {
        const char *lines;
        const char *point;
        const char *source;
        const char *type;
        const char *options;
        bool is_network;
    } cases[] = {
        {"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n" LINE("/scratch", "rw,noatime",
                                                     "xfs /dev/nvme0n1p1 rw,noatime,inode64"),
         "/scratch", "/dev/nvme0n1p1", "xfs", "rw,noatime,inode64", false},
        {LINE("/a\\040b\\134c", "rw", "tmpfs tm\\011pfs rw,size=1g"), "/a b\\c", "tm?pfs", "tmpfs",
         "rw,size=1g", false},
        {LINE("/x\\012y", "ro,nosuid", "ext4 /dev/sda rw,discard"), "/x?y", "/dev/sda", "ext4",
         "ro,nosuid,discard", false},
        /* The same file system, mounted elsewhere. */
        {"999999999 1 @device@ / /other rw - ext4 /dev/sda rw\n" LINE("/x", "rw",
                                                                      "ext4 /dev/sda rw"),
         "/x", "/dev/sda", "ext4", "rw", false},
        {LINE("/y", "rw", "fuse.x x rw,peer=10.1.2.3"), "/y", "x", "fuse.x", "rw,peer=*", false},
        {LINE("/x", "rw", "ext4 /dev/sda ro"), "/x", "/dev/sda", "ext4", "ro", false},
        {LINE("/x", "rw", "ext4 /dev/sda rw,root=x"), "/x", "/dev/sda", "ext4", "rw,root=x", false},
        {LINE("/x", "rw", "ext4  rw"), "/x", "", "ext4", "rw", false},
        {LINE("/n", "rw",
              "nfs4 server:/export rw,vers=4.2,rsize=1048576,clientaddr=10.1.2.3,"
              "addr=10.1.2.4"),
         "/n", "server:/export", "nfs4", "rw,vers=4.2,rsize=1048576", true},
        {LINE("/n", "rw", "nfs 10.1.2.4:/export rw,mountaddr=10.1.2.4,mountport=20048"), "/n",
         "*:/export", "nfs", "rw,mountport=20048", true},
        {LINE("/w", "rw",
              "cifs //server/share rw,vers=3.0,username=joe,password=hunter2,"
              "credentials=/root/c,uid=0"),
         "/w", "//server/share", "cifs", "rw,vers=3.0,username=joe,uid=0", true},
        {LINE("/l", "rw", "lustre 10.0.0.1@o2ib:10.0.0.2@o2ib:/fs rw,flock"), "/l",
         "*@o2ib:*@o2ib:/fs", "lustre", "rw,flock", true},
        {LINE("/c", "rw", "ceph 10.0.0.1:6789,[fd00::2]:6789:/ rw,name=weir,secret=<hidden>,acl"),
         "/c", "*:6789,[*]:6789:/", "ceph", "rw,name=weir,acl", true},
        {LINE("/g", "rw", "fuse.glusterfs server:vol rw"), "/g", "server:vol", "fuse.glusterfs",
         "rw", true},
        {LINE("/s", "rw", "fuse.sshfs joe@host:/ rw"), "/s", "*@host:/", "fuse.sshfs", "rw", true},
        {LINE("/s", "rw", "fuse.sshfs host:/a@b rw"), "/s", "host:/a@b", "fuse.sshfs", "rw", true},
        {LINE("/l", "rw", "lustre mgs@o2ib:/fs rw"), "/l", "mgs@o2ib:/fs", "lustre", "rw", true},
        {LINE("/d", "rw", "fuse.davfs https://joe:hunter2@host/dav rw"), "/d", "https://*@host/dav",
         "fuse.davfs", "rw", true},
        {LINE("/b", "rw", "beegfs beegfs_nodev rw,cfgFile=/etc/beegfs.conf"), "/b", "beegfs_nodev",
         "beegfs", "rw,cfgFile=/etc/beegfs.conf", true},
        {LINE("/p", "rw", "gpfs fs0 rw"), "/p", "fs0", "gpfs", "rw", true},
        {LINE("/9", "rw", "9p host rw,trans=virtio"), "/9", "host", "9p", "rw,trans=virtio", true},
        {LINE("/o", "rw", "overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d,xino=off"),
         "/o", "overlay", "overlay", "rw,xino=off", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file file = {"proc/self/mountinfo", cases[i].lines};
        struct weir_storage_facts facts;

        describe(&file, 1, &facts);
        assert_true(facts.is_known);
        assert_string_equal(facts.mount_point, cases[i].point);
        assert_string_equal(facts.source, cases[i].source);
        assert_string_equal(facts.type, cases[i].type);
        assert_string_equal(facts.options, cases[i].options);
        assert_int_equal(facts.is_network, cases[i].is_network);
        assert_int_equal(facts.device_count, 0);
        assert_string_equal(facts.striping, "");
    }
}

/* What is neither is not known. */
static void a_mount_is_local_or_of_a_network_only_if_that_is_known(void **state)
{
    static const struct {
        const char *rest;
        bool is_network, is_local;
        const char *source;
    } cases[] = {
        {"ext4 /dev/sda rw", false, true, "/dev/sda"},
        {"xfs /dev/sda rw", false, true, "/dev/sda"},
        {"btrfs /dev/sda rw", false, true, "/dev/sda"},
        {"zfs pool/data rw", false, true, "pool/data"},
        {"tmpfs tmpfs rw", false, true, "tmpfs"},
        {"overlay overlay rw", false, true, "overlay"},
        {"fuseblk /dev/sdb1 rw", false, true, "/dev/sdb1"},
        {"nfs4 server:/export rw", true, false, "server:/export"},
        {"fuse.glusterfs server:vol rw", true, false, "server:vol"},
        /* Nodes share these through their block devices. */
        {"ocfs2 /dev/sdc rw", false, false, "/dev/sdc"},
        {"gfs2 /dev/sdc rw", false, false, "/dev/sdc"},
        {"newfs thing rw", false, false, "thing"},
        /* FUSE without a subtype: that of the source, or an address in it. */
        {"fuse mfs#master:9421 rw", true, false, "mfs#master:9421"},
        {"fuse mfs#10.0.0.1:9421 rw", true, false, "mfs#*:9421"},
        {"fuse sshfs#joe@host:/ rw", true, false, "*@host:/"},
        {"fuse host:9421 rw", true, false, "host:9421"},
        {"fuse.unheardof host:/export rw", true, false, "host:/export"},
        {"fuse.unheardof //host/share rw", true, false, "//host/share"},
        {"fuse.unheardof https://host/share rw", true, false, "https://host/share"},
        {"fuse.unheardof unheardof rw", false, false, "unheardof"},
        {"fuse /dev/fuse rw", false, false, "/dev/fuse"},
        {"fuse /a/b:9421 rw", false, false, "/a/b:9421"},
        {"fuse.unheardof file:///a rw", false, false, "file:///a"},
        {"fuse.unheardof remote:folder rw", false, false, "remote:folder"},
        {"fuse.unheardof #x rw", false, false, "#x"},
        {"fuse bindfs#x rw", false, false, "bindfs#x"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char line[256];
        const struct planted_file file = {"proc/self/mountinfo", line};
        struct weir_storage_facts facts;

        snprintf(line, sizeof line, "@id@ 1 @device@ / /x rw shared:7 - %s\n", cases[i].rest);
        describe(&file, 1, &facts);
        if (facts.is_network != cases[i].is_network ||
            weir_storage_is_local(&facts) != cases[i].is_local)
            fail_msg("%s: network %d, local %d", cases[i].rest, facts.is_network,
                     weir_storage_is_local(&facts));
        assert_string_equal(facts.source, cases[i].source);
    }
}

static void options_that_do_not_fit_are_left_out_whole(void **state)
{
    char line[2048] = "@id@ 1 @device@ / / rw,";
    const struct planted_file file = {"proc/self/mountinfo", line};
    struct weir_storage_facts facts;

    (void)state;
    memset(line + strlen(line), 'x', 500);
    snprintf(line + strlen(line), sizeof line - strlen(line), ",noatime - ext4 /dev/sda rw\n");
    describe(&file, 1, &facts);
    assert_string_equal(facts.options, "rw,noatime");
}

static void nothing_is_known_of_what_is_mounted_nowhere(void **state)
{
    static const char *const lines[] = {"", "1 0 0:0 / / rw\n", "nonsense\n", "- - -\n", " - \n"};
    static const struct weir_storage_facts nothing;

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        const struct planted_file file = {"proc/self/mountinfo", lines[i]};
        struct weir_storage_facts facts;

        describe(&file, 1, &facts);
        assert_memory_equal(&facts, &nothing, sizeof facts);
    }
}

/* As "/" is in a chroot whose directory is no mount point. */
static void without_a_line_the_device_number_and_statfs_are_used(void **state)
{
    static const struct planted_file files[] = {
        {"proc/self/mountinfo", "1 0 0:99999 / /proc rw - proc proc rw\n"},
        {"sys/class/block/vdz/size", "8\n"},
        {"sys/dev/block/@under@", "-> ../../devices/virtual/block/vdz"},
    };
    struct weir_storage_facts facts;
    char root[ROOT_BYTES];
    struct statfs kind;

    (void)state;
    plant_numbered(root, files, COUNT(files));
    assert_int_equal(statfs(root, &kind), 0);
    weir_storage_describe(root, root, &facts);
    fell(root);
    if (kind.f_type != EXT4_SUPER_MAGIC && kind.f_type != XFS_SUPER_MAGIC)
        skip();
    assert_true(facts.is_known);
    assert_string_equal(facts.source, "/dev/vdz");
    assert_string_equal(facts.type, kind.f_type == XFS_SUPER_MAGIC ? "xfs" : "ext4");
    assert_int_equal(facts.device_count, 1);
    assert_string_equal(facts.devices[0].name, "vdz");
}

/* ---- secrets ---- */

static void addresses_are_masked_and_names_are_not(void **state)
{
    static const char *const cases[][2] = {
        {"10.0.0.1", "*"},
        {"10.0.0.1:/a,192.168.255.255/16", "*:/a,*/16"},
        {"[2001:db8::1]:6789", "[*]:6789"},
        {"fe80::1%eth0", "*%eth0"},
        {"::ffff:10.0.0.1", "*"},
        {"1:2:3:4:5:6:7:8", "*"},
        {"02:00:5e:10:00:01", "*"},
        {"server.10.0.0.1.example", "server.10.0.0.1.example"},
        {"10.0.0.1.example.org", "10.0.0.1.example.org"},
        {"10.0.0.256", "10.0.0.256"},
        {"10.0.0", "10.0.0"},
        {"v1.2.3.4", "v1.2.3.4"},
        {"12:30:00", "12:30:00"},
        {"mlx5_0:1", "mlx5_0:1"},
        {"0000:81:00.0", "0000:81:00.0"},
        {"a:b", "a:b"},
        {"server::module", "server::module"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];

        snprintf(text, sizeof text, "%s", cases[i][0]);
        weir_mask_addresses(text);
        assert_string_equal(text, cases[i][1]);
    }
}

static void users_in_addresses_of_the_web_are_masked(void **state)
{
    static const char *const cases[][2] = {
        {"https://joe:hunter2@host/x", "https://*@host/x"},
        {"https://joe:p@ss@host/x", "https://*@host/x"},
        {"//host/share", "//host/share"},
        {"//host/a@b", "//host/a@b"},
        {"joe@host:/", "joe@host:/"},
        {"//", "//"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];

        snprintf(text, sizeof text, "%s", cases[i][0]);
        weir_mask_user(text);
        assert_string_equal(text, cases[i][1]);
    }
}

static void private_options_are_known_by_their_names(void **state)
{
    static const struct {
        const char *option;
        bool is_private;
    } cases[] = {
        {"password=x", true},     {"pass=x", true},     {"password2=x", true},
        {"passwd_file=/x", true}, {"secret=x", true},   {"secretfile=/x", true},
        {"credentials=/x", true}, {"cred=/x", true},    {"PASSWORD=x", true},
        {"api_token=x", true},    {"keyring=/x", true}, {"addr=h", true},
        {"unc=\\\\h\\s", true},   {"noatime", false},   {"size=1g", false},
        {"mode=secret", false},   {"addrs=x", false},   {"", false},
        {"nocto", false},         {"user_id=0", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (weir_mask_is_private(cases[i].option) != cases[i].is_private)
            fail_msg("%s", cases[i].option);
}

/* ---- chains ---- */

#define BLOCK "sys/class/block/"
#define EXT4                                                                                       \
    {                                                                                              \
        "proc/self/mountinfo", LINE("/m", "rw", "ext4 /dev/x rw")                                  \
    }

/* The whole chain as "name level" of each device. */
static void check_chain(const struct planted_file *files, size_t count, const char *expected)
{
    struct weir_storage_facts facts;
    char text[512] = "";

    describe(files, count, &facts);
    for (uint32_t i = 0; i < facts.device_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s %u", i > 0 ? ", " : "",
                 facts.devices[i].name, facts.devices[i].is_partition ? "*" : "",
                 facts.devices[i].level);
    assert_string_equal(text, expected);
}

static void chains_go_down_to_the_last_device(void **state)
{
    static const struct {
        struct planted_file files[16];
        const char *chain;
    } cases[] = {
        {{EXT4, {"sys/dev/block/@device@", "-> ../../block/vda"}, {BLOCK "vda/size", "8\n"}},
         "vda 0"},
        /* The kernel's number leads to nothing. */
        {{EXT4, {BLOCK "vda/size", "8\n"}}, ""},
        {{EXT4, {"sys/dev/block/@device@", "-> ../../block/vda"}}, ""},
        /* A partition. */
        {{EXT4,
          {"sys/dev/block/@device@", "-> ../../devices/pci/sda/sda1"},
          {"sys/devices/pci/sda/sda1/partition", "1\n"},
          {BLOCK "sda1", "-> ../../devices/pci/sda/sda1"},
          {BLOCK "sda", "-> ../../devices/pci/sda"}},
         "sda1* 0, sda 1"},
        /* A volume on two partitions of one disk, and on a RAID of two disks. */
        {{EXT4,
          {"sys/dev/block/@device@", "-> ../../block/dm-0"},
          {BLOCK "dm-0/slaves/sda1", "-> ../../sda1"},
          {BLOCK "dm-0/slaves/sda2", "-> ../../sda2"},
          {BLOCK "dm-0/slaves/md0", "-> ../../md0"},
          {"sys/devices/sda/sda1/partition", "1\n"},
          {"sys/devices/sda/sda2/partition", "2\n"},
          {BLOCK "sda1", "-> ../../devices/sda/sda1"},
          {BLOCK "sda2", "-> ../../devices/sda/sda2"},
          {BLOCK "sda", "-> ../../devices/sda"},
          {BLOCK "md0/slaves/sdb", "-> ../../sdb"},
          {BLOCK "md0/slaves/sdc", "-> ../../sdc"},
          {BLOCK "sdb/size", "8\n"},
          {BLOCK "sdc/size", "8\n"}},
         "dm-0 0, md0 1, sdb 2, sdc 2, sda1* 1, sda 2, sda2* 1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_chain(cases[i].files, COUNT(cases[i].files), cases[i].chain);
}

static void file_systems_and_files_lead_to_devices(void **state)
{
    static const struct {
        struct planted_file files[16];
        const char *chain;
    } cases[] = {
        /* A file on another file system, through a loop device. */
        {{{"proc/self/mountinfo",
           LINE("/m", "rw", "ext4 /dev/loop0 rw") "@under_id@ 1 @under@ / "
                                                  "/ rw - xfs /dev/vda rw\n"},
          {"sys/dev/block/@device@", "-> ../../block/loop0"},
          {BLOCK "loop0/loop/backing_file", "/data/image one\n"},
          {"data/image one", "x"},
          {"sys/dev/block/@under@", "-> ../../block/vda"},
          {BLOCK "vda/size", "8\n"}},
         "loop0 0, vda 1"},
        /* A file that is gone. */
        {{EXT4,
          {"sys/dev/block/@device@", "-> ../../block/loop0"},
          {BLOCK "loop0/loop/backing_file", "/data/image (deleted)\n"}},
         "loop0 0"},
        /* A file on the file system that is on it ends the chain. */
        {{{"proc/self/mountinfo",
           LINE("/m", "rw", "ext4 /dev/loop0 rw") "@under_id@ 1 @under@ / / rw - xfs /dev/x rw\n"},
          {"sys/dev/block/@device@", "-> ../../block/loop0"},
          {"sys/dev/block/@under@", "-> ../../block/loop0"},
          {BLOCK "loop0/loop/backing_file", "/data/image\n"},
          {"data/image", "x"}},
         "loop0 0"},
        /* Several devices of one file system, whose number is no device's. */
        {{{"proc/self/mountinfo", LINE("/m", "rw", "btrfs /dev/mapper/a rw")},
          {"dev/mapper/a", "-> ../dm-3"},
          {"dev/dm-3", "x"},
          {BLOCK "dm-3/size", "8\n"},
          {BLOCK "sdd/size", "8\n"},
          {BLOCK "sde/size", "8\n"},
          {"sys/fs/btrfs/0a-1/devices/sde", "-> ../../../../class/block/sde"},
          {"sys/fs/btrfs/0b-2/devices/dm-3", "-> ../../../../class/block/dm-3"},
          {"sys/fs/btrfs/0b-2/devices/sdd", "-> ../../../../class/block/sdd"},
          {"sys/fs/btrfs/features/raid56", "0\n"}},
         "dm-3 0, sdd 0"},
        {{{"proc/self/mountinfo", LINE("/m", "rw", "bcachefs /dev/sda:/dev/sdb rw")},
          {BLOCK "sda/size", "8\n"},
          {BLOCK "sdb/size", "8\n"}},
         "sda 0, sdb 0"},
        {{{"proc/self/mountinfo", LINE("/m", "rw", "zfs tank/data rw")}, {BLOCK "tank/size", "8"}},
         ""},
        {{{"proc/self/mountinfo", LINE("/m", "rw", "nfs host:/dev/sda rw")},
          {BLOCK "sda/size", "8\n"}},
         ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_chain(cases[i].files, COUNT(cases[i].files), cases[i].chain);
}

static void of_many_devices_the_first_are_kept(void **state)
{
    struct planted_file files[42] = {EXT4, {"sys/dev/block/@device@", "-> ../../block/md0"}};
    char paths[40][64];

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        snprintf(paths[2 * i], sizeof *paths, BLOCK "md0/slaves/nvme%zun1", i);
        files[2 + 2 * i] = (struct planted_file){paths[2 * i], "x"};
        snprintf(paths[2 * i + 1], sizeof *paths, BLOCK "nvme%zun1/size", i);
        files[3 + 2 * i] = (struct planted_file){paths[2 * i + 1], "8\n"};
    }
    check_chain(
        files, COUNT(files),
        "md0 0, nvme0n1 1, nvme1n1 1, nvme2n1 1, nvme3n1 1, nvme4n1 1, nvme5n1 1, nvme6n1 1");
}

static void a_device_is_what_its_files_say(void **state)
{
    static const struct planted_file files[] = {
        EXT4,
        {"sys/dev/block/@device@", "-> ../../devices/pci0/ctl/sda/sda1"},
        {BLOCK "sda1", "-> ../../devices/pci0/ctl/sda/sda1"},
        {BLOCK "sda", "-> ../../devices/pci0/ctl/sda"},
        {"sys/devices/pci0/numa_node", "1\n"},
        {"sys/devices/pci0/ctl/numa_node", "-1\n"},
        {"sys/devices/pci0/ctl/sda/sda1/partition", "1\n"},
        {"sys/devices/pci0/ctl/sda/sda1/size", "2048\n"},
        {"sys/devices/pci0/ctl/sda/size", "4096\n"},
        {"sys/devices/pci0/ctl/sda/device/model", "HGST HUS726T6   \n"},
        {"sys/devices/pci0/ctl/sda/device/serial", "secret\n"},
        {"sys/devices/pci0/ctl/sda/device/queue_depth", "32\n"},
        {"sys/devices/pci0/ctl/sda/queue/scheduler", "none mq-deadline [bfq] \n"},
        {"sys/devices/pci0/ctl/sda/queue/nr_requests", "64\n"},
        {"sys/devices/pci0/ctl/sda/queue/rotational", "1\n"},
        {"sys/devices/pci0/ctl/sda/queue/write_cache", "write back\n"},
        {"sys/devices/pci0/ctl/sda/mq/0/nr_tags", "1\n"},
        {"sys/devices/pci0/ctl/sda/mq/1/nr_tags", "1\n"},
    };
    static const struct weir_device_facts expected[] = {
        {.name = "sda1", .bytes = MIB, .is_rotational = true, .is_partition = true, .numa_node = 1},
        {.name = "sda",
         .model = "HGST HUS726T6",
         .scheduler = "bfq",
         .write_cache = "write back",
         .bytes = 2 * MIB,
         .request_count = 64,
         .hardware_queues = 2,
         .queue_depth = 32,
         .level = 1,
         .is_rotational = true,
         .numa_node = 1},
    };
    struct weir_storage_facts facts;

    (void)state;
    describe(files, COUNT(files), &facts);
    assert_int_equal(facts.device_count, COUNT(expected));
    assert_memory_equal(facts.devices, expected, sizeof expected);
}

static void volumes_and_queues_without_choice_are_told(void **state)
{
    static const struct {
        struct planted_file file;
        const char *model;
        const char *scheduler;
    } cases[] = {
        {{BLOCK "x/dm/uuid", "LVM-abcDEF0123\n"}, "LVM", ""},
        {{BLOCK "x/dm/uuid", "CRYPT-LUKS2-0a1b-name\n"}, "CRYPT", ""},
        {{BLOCK "x/md/level", "raid0\n"}, "raid0", ""},
        {{BLOCK "x/device/name", "SD64G\n"}, "SD64G", ""},
        {{BLOCK "x/queue/scheduler", "none\n"}, "", "none"},
        {{BLOCK "x/device/model", "a\033b\n"}, "a?b", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct planted_file files[] = {
            EXT4, {"sys/dev/block/@device@", "-> ../../block/x"}, cases[i].file};
        struct weir_storage_facts facts;

        describe(files, COUNT(files), &facts);
        assert_int_equal(facts.device_count, 1);
        assert_string_equal(facts.devices[0].model, cases[i].model);
        assert_string_equal(facts.devices[0].scheduler, cases[i].scheduler);
        assert_false(facts.devices[0].is_rotational);
        assert_int_equal(facts.devices[0].hardware_queues, 0);
        assert_int_equal(facts.devices[0].numa_node, WEIR_NUMA_UNKNOWN);
    }
}

static void nvme_with_several_paths_is_near_its_first_controller(void **state)
{
    static const struct planted_file files[] = {
        EXT4,
        {"sys/dev/block/@device@", "-> ../../devices/virtual/nvme-subsystem/s0/nvme0n1"},
        {BLOCK "nvme0n1", "-> ../../devices/virtual/nvme-subsystem/s0/nvme0n1"},
        {"sys/devices/virtual/nvme-subsystem/s0/nvme0n1/device", "-> ../../s0"},
        {"sys/devices/virtual/nvme-subsystem/s0/model", "SSD\n"},
        {"sys/devices/virtual/nvme-subsystem/s0/nvme1", "-> ../../../pci0/nvme/nvme1"},
        {"sys/devices/pci0/nvme/nvme1/state", "live\n"},
        {"sys/devices/pci0/numa_node", "3\n"},
    };
    struct weir_storage_facts facts;

    (void)state;
    describe(files, COUNT(files), &facts);
    assert_int_equal(facts.device_count, 1);
    assert_string_equal(facts.devices[0].model, "SSD");
    assert_int_equal(facts.devices[0].numa_node, 3);
}

static void a_block_device_is_its_own_chain(void **state)
{
    static const struct planted_file files[] = {
        {"sys/dev/block/7:99", "-> ../../block/loop99"},
        {BLOCK "loop99/size", "16\n"},
    };
    struct weir_storage_facts facts;
    char root[ROOT_BYTES], path[2 * ROOT_BYTES];

    (void)state;
    plant(root, files, COUNT(files));
    snprintf(path, sizeof path, "%s/node", root);
    if (mknod(path, S_IFBLK | 0600, makedev(7, 99)) != 0) {
        fell(root);
        skip(); /* only root may make one */
    }
    weir_storage_describe(root, path, &facts);
    assert_true(facts.is_known);
    assert_false(facts.is_network);
    assert_string_equal(facts.source, path);
    assert_string_equal(facts.type, "block device");
    assert_string_equal(facts.mount_point, "");
    assert_int_equal(facts.device_count, 1);
    assert_string_equal(facts.devices[0].name, "loop99");
    assert_int_equal(facts.devices[0].bytes, 8192);
    fell(root);
}

/* ---- stripes ---- */

/* A layout of Lustre is made of these words, in the order of the host. */
#define WORDS(...)                                                                                 \
    (const uint32_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define V1 0x0bd10bd0
#define V3 0x0bd30bd0
#define PLAIN(version, pattern, bytes, count) version, pattern, 1, 2, 3, 4, bytes, count
#define PART(from, offset) 1, 0, from, 0, 0xffffffff, 0xffffffff, offset, 48, 0, 0, 0, 0
#define PARTS(bytes, count) 0x0bd60bd0, bytes, 1, (count) << 16, 0, 0, 0, 0

static void stripes_of_lustre_are_read(void **state)
{
    const struct {
        const uint32_t *words;
        size_t bytes;
        const char *told;
    } cases[] = {
        {WORDS(PLAIN(V1, 1, 1 << 20, 4)), 32, "4 stripes of 1 MiB"},
        {WORDS(PLAIN(V1, 1, 4 << 20, 1)), 56, "1 stripe of 4 MiB"},
        {WORDS(PLAIN(V1, 1, 1 << 20, 0xffff)), 32, "stripes of 1 MiB on all targets"},
        {WORDS(PLAIN(V1, 1, 0, 0)), 32, "as the file system chooses"},
        {WORDS(PLAIN(V3, 1, 1 << 20, 2), 0x73616c66, 0x68, 0, 0), 48,
         "2 stripes of 1 MiB, pool flash"},
        {WORDS(PLAIN(V3, 1, 1 << 20, 2), 0x1b616c66, 0x68, 0, 0), 48,
         "2 stripes of 1 MiB, pool fla?h"},
        {WORDS(PLAIN(V3, 1, 1 << 20, 2)), 32, "2 stripes of 1 MiB"},
        {WORDS(PARTS(256, 3), PART(0, 176), PART(1 << 20, 208), PART(64 << 20, 240),
               PLAIN(V1, 0x100, 1 << 20, 0), PLAIN(V1, 1, 1 << 20, 1), PLAIN(V1, 1, 4 << 20, 8)),
         272,
         "from 0: on a metadata target; from 1 MiB: 1 stripe of 1 MiB; from 64 MiB: 8 stripes of 4 "
         "MiB"},
        /* Cut, or not to be understood. */
        {WORDS(PLAIN(V1, 1, 1 << 20, 4)), 31, ""},
        {WORDS(PLAIN(0x0bd90bd0, 1, 1 << 20, 4)), 32, ""},
        {WORDS(PARTS(256, 3), PART(0, 176)), 80, ""},
        {WORDS(PARTS(256, 2), PART(0, 80), PLAIN(V1, 1, 80, 1)), 112, ""},
        {WORDS(PARTS(256, 1), PART(0, 79), 0), 80, ""},
        {WORDS(PARTS(256, 1), PART(0, 0xffffffff), 0), 80, ""},
        {WORDS(PARTS(256, 0)), 32, ""},
        {WORDS(V1), 4, ""},
        {WORDS(V1), 2, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        void *layout = malloc(cases[i].bytes);
        struct weir_text text = {0};
        size_t given = cases[i].bytes < 32 ? cases[i].bytes : 32;

        assert_non_null(layout);
        /* Behind what is given stand objects, which are not read. */
        memset(layout, 0, cases[i].bytes);
        if (cases[i].words[0] == V3 && cases[i].bytes == 48)
            given = 48;
        if (cases[i].words[0] == 0x0bd60bd0 && cases[i].bytes > 32)
            given = cases[i].bytes;
        memcpy(layout, cases[i].words, given);
        weir_stripes_of_lustre(layout, cases[i].bytes, &text);
        assert_string_equal(weir_text_string(&text), cases[i].told);
        weir_text_close(&text);
        free(layout);
    }
}

static void stripes_of_ceph_are_read(void **state)
{
    static const char *const cases[][2] = {
        {"stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data",
         "1 stripe of 4 MiB in objects of 4 MiB, pool data"},
        {"stripe_unit=1048576 stripe_count=8 object_size=16777216 pool=a b pool_namespace=x",
         "8 stripes of 1 MiB in objects of 16 MiB, pool a"},
        {"stripe_unit=1048576 stripe_count=8 object_size=16777216",
         "8 stripes of 1 MiB in objects of 16 MiB"},
        {"stripe_unit=1048576 object_size=16777216 pool=x", ""},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_text text = {0};

        weir_stripes_of_ceph(cases[i][0], &text);
        assert_string_equal(weir_text_string(&text), cases[i][1]);
        weir_text_close(&text);
    }
}

static void bricks_of_gluster_are_counted(void **state)
{
    static const char *const cases[][2] = {
        {"(<DISTRIBUTE:v-dht> <POSIX(/b1):h:/b1/f>)", "distribute over 1 brick"},
        {"((<DISTRIBUTE:v-dht> (<REPLICATE:v-r-0> <POSIX(/b1):h:/b1/> <POSIX(/b2):h:/b2/>) "
         "(<REPLICATE:v-r-1> <POSIX(/b3):h:/b3/> <POSIX(/b4):h:/b4/>)) (v-dht-layout (v-r-0 0 1)))",
         "distribute, replicate over 4 bricks"},
        {"<POSIX(/b1):h:/b1/f>", "1 brick"},
        {"(<DISTRIBUTE:v-dht>)", ""},
        {"<", ""},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_text text = {0};

        weir_stripes_of_gluster(cases[i][0], NULL, &text);
        assert_string_equal(weir_text_string(&text), cases[i][1]);
        weir_text_close(&text);
    }
}

static void a_file_of_gluster_is_on_some_bricks_of_its_directory(void **state)
{
    static const char directory[] = "((<DISTRIBUTE:v-dht> <POSIX(/b1):h:/b1/> <POSIX(/b2):h:/b2/> "
                                    "<POSIX(/b3):h:/b3/> <POSIX(/b4):h:/b4/>) (v-dht-layout))";
    static const char *const cases[][3] = {
        {"(<DISTRIBUTE:v-dht> <POSIX(/b1):h:/b1/f>)", directory,
         "distribute over 4 bricks, this file on 1"},
        {directory, directory, "distribute over 4 bricks"},
        {"(<DISTRIBUTE:v-dht> <POSIX(/b1):h:/b1/f>)", "", "distribute over 1 brick"},
        {"", directory, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_text text = {0};

        weir_stripes_of_gluster(cases[i][0], cases[i][1], &text);
        assert_string_equal(weir_text_string(&text), cases[i][2]);
        weir_text_close(&text);
    }
}

static void bricks_of_gluster_that_are_down_are_told(void **state)
{
#define STATE(connected) "[xlator.protocol.client.v.priv]\nconnected = " connected "\nping = 42\n"
    static const struct {
        struct planted_file files[4];
        size_t count;
        const char *places;
        const char *text;
    } cases[] = {
        {{{"v-client-0/private", STATE("1")}, {"v-client-1/private", STATE("1")}},
         2,
         "replicate over 2 bricks",
         "replicate over 2 bricks"},
        {{{"v-client-0/private", STATE("1")},
          {"v-client-1/private", STATE("0")},
          {"v-client-10/private", STATE("1")},
          {"v-client-x/private", STATE("0")}},
         4,
         "replicate over 2 bricks",
         "replicate over 2 bricks, 1 of the volume's 3 bricks is down"},
        {{{"v-client-0/private", STATE("0")},
          {"v-client-1/private", STATE("0")},
          {"v-disperse-0/private", "x"}},
         3,
         "",
         "disperse over 2 bricks, 2 of the volume's 2 bricks are down"},
        {{{"v-client-0/private", "x\n"}}, 1, "", "1 brick"},
        {{{"other", "x"}}, 1, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_text text = {0};
        char root[ROOT_BYTES];

        plant(root, cases[i].files, cases[i].count);
        weir_text_add(&text, "%s", cases[i].places);
        assert_int_equal(weir_stripes_of_gluster_client(root, &text), i < 4);
        assert_string_equal(weir_text_string(&text), cases[i].text);
        weir_text_close(&text);
        fell(root);
    }
}

/* Trees as the kernel and the clients of file systems make them; those of Lustre, ZFS and Ceph are
 * written from their documentation. Each beside one in which all parts are there. */
#define MD "sys/class/block/md0/md/"
#define BTRFS "sys/fs/btrfs/6b1a/"
#define MPATH "sys/class/block/dm-3/"
#define OSC "sys/fs/lustre/osc/"
static const struct {
    const char *type, *source, *device;
    struct planted_file files[6];
    uint32_t failed, count;
    const char *kind;
} parts[] = {
    {"ext4",
     "/dev/md0",
     "md0",
     {{MD "level", "raid1\n"}, {MD "degraded", "0\n"}, {MD "raid_disks", "2\n"}},
     0,
     0,
     ""},
    {"ext4",
     "/dev/md0",
     "md0",
     {{MD "level", "raid1\n"}, {MD "degraded", "1\n"}, {MD "raid_disks", "2\n"}},
     1,
     2,
     "RAID disk"},
    {"ext4", "/dev/md0", "md0", {{MD "level", "raid0\n"}, {MD "raid_disks", "2\n"}}, 0, 0, ""},
    {"btrfs",
     "/dev/sda",
     "sda",
     {{BTRFS "devices/sda", "x"},
      {BTRFS "devinfo/1/missing", "0\n"},
      {BTRFS "devinfo/2/missing", "1\n"},
      {"sys/fs/btrfs/other/devices/sdb", "x"},
      {"sys/fs/btrfs/other/devinfo/1/missing", "1\n"}},
     1,
     2,
     "btrfs device"},
    {"btrfs",
     "/dev/sda",
     "sda",
     {{BTRFS "devices/sda", "x"}, {BTRFS "devinfo/1/missing", "0\n"}},
     0,
     0,
     ""},
    {"zfs", "tank/home", "", {{"proc/spl/kstat/zfs/tank/state", "ONLINE\n"}}, 0, 0, ""},
    {"zfs", "tank/home", "", {{"proc/spl/kstat/zfs/tank/state", "DEGRADED\n"}}, 1, 1, "ZFS pool"},
    {"lustre",
     "10.0.0.1@tcp:/work",
     "",
     {{OSC "work-OST0000-osc-ffff88/active", "1\n"},
      {OSC "work-OST0001-osc-ffff88/active", "0\n"},
      {OSC "work2-OST0000-osc-ffff99/active", "0\n"}},
     1,
     2,
     "OST"},
    /* a directory of the file system is mounted */
    {"lustre",
     "10.0.0.1@tcp:/work/project",
     "",
     {{OSC "work-OST0000-osc-ffff88/active", "0\n"},
      {OSC "project-OST0000-osc-ffff99/active", "1\n"}},
     1,
     1,
     "OST"},
    {"lustre",
     "10.0.0.1@tcp:/work",
     "",
     {{"proc/fs/lustre/osc/work-OST0000-osc-ffff88/active", "1\n"}},
     0,
     0,
     ""},
    {"ceph",
     "a:6789:/",
     "",
     {{"sys/kernel/debug/ceph/6e.client4/osdmap",
       "epoch 9 barrier 0 flags 0x0\npool 1 'd'\nosd0\t1.2.3.4:6800\t100%\t(exists, up)\t100%\n"
       "osd1\t1.2.3.5:6800\t100%\t(exists)\t100%\n"}},
     1,
     2,
     "OSD"},
    {"xfs",
     "/dev/mapper/m",
     "dm-3",
     {{MPATH "dm/uuid", "mpath-3600\n"},
      {MPATH "slaves/sdb/device/state", "running\n"},
      {MPATH "slaves/sdc/device/state", "offline\n"}},
     1,
     2,
     "path"},
    {"fuse.glusterfs",
     "server:/v",
     "",
     {{"mnt/.meta/graphs/active/v-client-0/private", STATE("1")},
      {"mnt/.meta/graphs/active/v-client-1/private", STATE("0")},
      {"mnt/.meta/graphs/active/v-client-2/private", STATE("1")}},
     1,
     3,
     "brick"},
    {"tmpfs", "none", "", {{"x", "x"}}, 0, 0, ""},
};

static void parts_that_have_failed_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct weir_storage_facts facts = {.is_known = true, .mount_point = "/mnt"};
        char root[ROOT_BYTES];

        plant(root, parts[i].files, COUNT(parts[i].files));
        snprintf(facts.type, sizeof facts.type, "%s", parts[i].type);
        snprintf(facts.source, sizeof facts.source, "%s", parts[i].source);
        facts.device_count = parts[i].device[0] != '\0';
        snprintf(facts.devices[0].name, sizeof facts.devices[0].name, "%s", parts[i].device);
        weir_storage_count_failed(root, &facts);
        if (facts.failed_count != parts[i].failed || facts.part_count != parts[i].count ||
            strcmp(facts.part_kind, parts[i].kind) != 0)
            fail_msg("case %zu: %u of %u %s", i, facts.failed_count, facts.part_count,
                     facts.part_kind);
        fell(root);
    }
}

static void file_systems_that_do_not_tell_stripes_say_nothing(void **state)
{
    static const char *const types[] = {"lustre", "ceph", "fuse.glusterfs", "ext4", ""};

    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct weir_text text = {0};

        weir_stripes_describe("/proc/self", types[i], &text);
        assert_string_equal(weir_text_string(&text), "");
        weir_text_close(&text);
    }
}

/* ---- this node ---- */

static void this_node_is_described_in_the_same_bytes_twice(void **state)
{
    static const char *const paths[] = {"/", "/proc/self/status", "/tmp/none/of/these", "."};

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct weir_storage_facts facts, again;

        memset(&again, 0x55, sizeof again);
        weir_storage_describe("", paths[i], &facts);
        weir_storage_describe("", paths[i], &again);
        assert_memory_equal(&facts, &again, sizeof facts);
        assert_true(facts.is_known);
        assert_int_equal(facts.mount_point[0], '/');
        assert_int_not_equal(facts.type[0], '\0');
        assert_true(strncmp(facts.options, "rw", 2) == 0 || strncmp(facts.options, "ro", 2) == 0);
        for (uint32_t j = 0; j < facts.device_count; j++)
            assert_int_not_equal(facts.devices[j].name[0], '\0');
    }
}

static void proc_is_on_no_device_and_a_missing_path_on_that_of_its_parent(void **state)
{
    struct weir_storage_facts facts, parent;

    (void)state;
    weir_storage_describe("", "/proc/self/status", &facts);
    assert_string_equal(facts.type, "proc");
    assert_string_equal(facts.mount_point, "/proc");
    assert_int_equal(facts.device_count, 0);
    weir_storage_describe("", "/tmp/none/of/these", &facts);
    weir_storage_describe("", "/tmp", &parent);
    assert_memory_equal(&facts, &parent, sizeof facts);
}

/* What a command prints, without the end of the line. */
static bool run(const char *command, char line[256])
{
    FILE *shell = popen(command, "re");

    assert_non_null(shell);
    if (fgets(line, 256, shell) == NULL)
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return pclose(shell) == 0;
}

static void a_loop_device_leads_to_the_device_of_its_file(void **state)
{
    struct weir_storage_facts facts, under;
    char root[ROOT_BYTES], command[PATH_MAX], line[256], loop[256];

    (void)state;
    if (geteuid() != 0)
        skip(); /* only root may make one */
    plant(root, &(struct planted_file){"image", "x"}, 1);
    snprintf(command, sizeof command, "truncate -s 1M '%s/image'", root);
    assert_true(run(command, line));
    snprintf(command, sizeof command, "losetup --find --show '%s/image' 2>/dev/null", root);
    if (!run(command, loop)) {
        fell(root);
        skip(); /* no loop devices here */
    }
    weir_storage_describe("", loop, &facts);
    weir_storage_describe("", root, &under);
    snprintf(command, sizeof command, "losetup -d '%s'", loop);
    assert_true(run(command, line));
    fell(root);
    assert_string_equal(facts.type, "block device");
    assert_true(facts.device_count >= 1);
    assert_string_equal(facts.devices[0].name, loop + strlen("/dev/"));
    assert_int_equal(facts.devices[0].bytes, MIB);
    if (under.device_count == 0)
        return;
    assert_true(facts.device_count >= 2);
    assert_string_equal(facts.devices[1].name, under.devices[0].name);
    assert_int_equal(facts.devices[1].level, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mount_is_what_its_line_says),
        cmocka_unit_test(a_mount_is_local_or_of_a_network_only_if_that_is_known),
        cmocka_unit_test(options_that_do_not_fit_are_left_out_whole),
        cmocka_unit_test(nothing_is_known_of_what_is_mounted_nowhere),
        cmocka_unit_test(without_a_line_the_device_number_and_statfs_are_used),
        cmocka_unit_test(addresses_are_masked_and_names_are_not),
        cmocka_unit_test(users_in_addresses_of_the_web_are_masked),
        cmocka_unit_test(private_options_are_known_by_their_names),
        cmocka_unit_test(chains_go_down_to_the_last_device),
        cmocka_unit_test(file_systems_and_files_lead_to_devices),
        cmocka_unit_test(of_many_devices_the_first_are_kept),
        cmocka_unit_test(a_device_is_what_its_files_say),
        cmocka_unit_test(volumes_and_queues_without_choice_are_told),
        cmocka_unit_test(nvme_with_several_paths_is_near_its_first_controller),
        cmocka_unit_test(a_block_device_is_its_own_chain),
        cmocka_unit_test(stripes_of_lustre_are_read),
        cmocka_unit_test(stripes_of_ceph_are_read),
        cmocka_unit_test(bricks_of_gluster_are_counted),
        cmocka_unit_test(a_file_of_gluster_is_on_some_bricks_of_its_directory),
        cmocka_unit_test(bricks_of_gluster_that_are_down_are_told),
        cmocka_unit_test(parts_that_have_failed_are_counted),
        cmocka_unit_test(file_systems_that_do_not_tell_stripes_say_nothing),
        cmocka_unit_test(this_node_is_described_in_the_same_bytes_twice),
        cmocka_unit_test(proc_is_on_no_device_and_a_missing_path_on_that_of_its_parent),
        cmocka_unit_test(a_loop_device_leads_to_the_device_of_its_file),
    };

    return cmocka_run_group_tests_name("storage", tests, NULL, NULL);
}

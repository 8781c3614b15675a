# no transfers past the page cache: a remark, and buffered
/mnt/a /mnt/b -a mmap

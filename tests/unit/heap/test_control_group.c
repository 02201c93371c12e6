/* Reads made-up directory trees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "gc/policy/machine.h"

static char root[64];

static void make_root(void) {
  strcpy(root, "groups-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(root));
}

static void make_directory(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", root, name);
  ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void write_file(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static struct spgc_group_tree tree(void) {
  static char groups[128];
  snprintf(groups, sizeof groups, "%s/groups", root);
  return (struct spgc_group_tree){groups, root};
}

static struct spgc_machine_memory memory;

static size_t admitted(void) {
  memory = (struct spgc_machine_memory){.bytes = SIZE_MAX};
  const struct spgc_group_tree groups = tree();
  spgc_group_memory(&groups, &memory);
  return memory.bytes;
}

static void check_file(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", root, name);
  ck_assert_str_eq(memory.file, path);
}

static uint32_t processors(void) {
  const struct spgc_group_tree groups = tree();
  return spgc_group_processors(&groups);
}

static void remove_root(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  ck_assert_int_eq(system(command), 0);
}

START_TEST(the_least_limit_of_a_group_and_those_it_lies_in_counts) {
  make_root();
  make_directory("a");
  make_directory("a/b");
  write_file("groups", "0::/a/b\n");
  ck_assert_uint_eq(admitted(), SIZE_MAX);
  write_file("a/b/memory.max", "max\n");
  ck_assert_uint_eq(admitted(), SIZE_MAX);
  write_file("a/memory.max", "268435456\n");
  ck_assert_uint_eq(admitted(), 256 << 20);
  write_file("a/b/memory.max", "134217728\n");
  ck_assert_uint_eq(admitted(), 128 << 20);
  write_file("memory.max", "67108864\n");
  ck_assert_uint_eq(admitted(), 64 << 20);
  write_file("a/memory.max", "0\n");
  ck_assert_uint_eq(admitted(), 0);
  remove_root();
}
END_TEST

START_TEST(the_lesser_of_high_and_max_counts_in_every_group) {
  make_root();
  make_directory("a");
  make_directory("a/b");
  write_file("groups", "0::/a/b\n");
  write_file("a/b/memory.max", "max\n");
  write_file("a/b/memory.high", "268435456\n");
  ck_assert_uint_eq(admitted(), 256 << 20);
  check_file("a/b/memory.high");
  write_file("a/memory.high", "134217728\n");
  ck_assert_uint_eq(admitted(), 128 << 20);
  check_file("a/memory.high");
  write_file("a/b/memory.max", "67108864\n");
  ck_assert_uint_eq(admitted(), 64 << 20);
  check_file("a/b/memory.max");
  write_file("memory.high", "33554432\n");
  ck_assert_uint_eq(admitted(), 32 << 20);
  check_file("memory.high");
  remove_root();
}
END_TEST

START_TEST(the_least_quota_of_processors_counts_and_is_rounded_up) {
  make_root();
  make_directory("a");
  make_directory("a/b");
  write_file("groups", "0::/a/b\n");
  ck_assert_uint_eq(processors(), UINT32_MAX);
  write_file("a/b/cpu.max", "max 100000\n");
  ck_assert_uint_eq(processors(), UINT32_MAX);
  write_file("a/cpu.max", "350000 100000\n");
  ck_assert_uint_eq(processors(), 4);
  write_file("a/b/cpu.max", "300000 100000\n");
  ck_assert_uint_eq(processors(), 3);
  write_file("cpu.max", "5000 50000\n");
  ck_assert_uint_eq(processors(), 1);
  write_file("cpu.max", "0 50000\n");
  ck_assert_uint_eq(processors(), 1);
  remove_root();
}
END_TEST

START_TEST(version_1_has_quota_and_period_in_files) {
  make_root();
  make_directory("cpu");
  make_directory("cpu/a");
  write_file("groups", "4:cpu,cpuacct:/a\n0::/\n");
  write_file("cpu/cpu.cfs_quota_us", "-1\n");
  write_file("cpu/cpu.cfs_period_us", "100000\n");
  ck_assert_uint_eq(processors(), UINT32_MAX);
  write_file("cpu/a/cpu.cfs_quota_us", "150000\n");
  write_file("cpu/a/cpu.cfs_period_us", "100000\n");
  ck_assert_uint_eq(processors(), 2);
  remove_root();
}
END_TEST

START_TEST(a_quota_that_cannot_be_read_limits_nothing) {
  make_root();
  write_file("groups", "0::/\n");
  static const char *const quotas[] = {
      "", "\n", "1", "1 \n", "1 x", "1 0\n", "-1 100", "99999999999999999999999 100000\n"};
  for (size_t i = 0; i < sizeof quotas / sizeof *quotas; i++) {
    write_file("cpu.max", quotas[i]);
    ck_assert_uint_eq(processors(), UINT32_MAX);
  }
  remove_root();
}
END_TEST

START_TEST(version_1_lists_its_controllers) {
  make_root();
  make_directory("memory");
  make_directory("memory/a");
  write_file("groups", "5:cpu,memory_of_old:/x\n4:pids,memory:/a\n1:name=systemd:/memory\n");
  write_file("memory/a/memory.limit_in_bytes", "33554432\n");
  write_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
  ck_assert_uint_eq(admitted(), 32 << 20);
  remove_root();
}
END_TEST

START_TEST(what_cannot_be_read_limits_nothing) {
  make_root();
  ck_assert_uint_eq(admitted(), SIZE_MAX);
  make_directory("a");
  write_file("a/memory.max", "99999999999999999999999999\n");
  static const char *const groups[] = {
      "", "\n", "::", "0::", "0:/a", "no colon at all\n", "0::/a", "0::/b\n", "0::a/../..\n"};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    write_file("groups", groups[i]);
    ck_assert_uint_eq(admitted(), SIZE_MAX);
  }
  write_file("a/memory.max", "-4096\n");
  write_file("groups", "0::/a\n");
  ck_assert_uint_eq(admitted(), SIZE_MAX);
  remove_root();
}
END_TEST

START_TEST(the_machine_has_memory_and_processors) {
  spgc_machine_memory_read(&memory);
  ck_assert_uint_gt(memory.bytes, 1 << 20);
  ck_assert_uint_le(memory.bytes, (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
  ck_assert_uint_ge(spgc_processors(), 1);
  ck_assert_uint_le(spgc_processors(), (size_t)sysconf(_SC_NPROCESSORS_CONF));
}
END_TEST

CHECK_MAIN("heap-control-group", the_least_limit_of_a_group_and_those_it_lies_in_counts,
           the_lesser_of_high_and_max_counts_in_every_group, version_1_lists_its_controllers,
           what_cannot_be_read_limits_nothing,
           the_least_quota_of_processors_counts_and_is_rounded_up,
           version_1_has_quota_and_period_in_files, a_quota_that_cannot_be_read_limits_nothing,
           the_machine_has_memory_and_processors)

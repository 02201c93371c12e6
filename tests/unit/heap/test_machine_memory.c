/* The memory that control groups admit, read from a made-up directory tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "gc/policy/machine_memory.h"

static char root[64];

/* In the working directory of the test. */
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

static size_t admitted(void) {
  char groups[128];
  snprintf(groups, sizeof groups, "%s/groups", root);
  return spgc_group_memory(groups, root);
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
  ck_assert_uint_eq(spgc_group_memory("/nowhere/at/all", "/nowhere"), SIZE_MAX);
  make_root();
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

START_TEST(the_machine_has_memory) {
  ck_assert_uint_gt(spgc_machine_memory(), 1 << 20);
  ck_assert_uint_le(spgc_machine_memory(),
                    (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
}
END_TEST

CHECK_MAIN("heap-machine-memory", the_least_limit_of_a_group_and_those_it_lies_in_counts,
           version_1_lists_its_controllers, what_cannot_be_read_limits_nothing,
           the_machine_has_memory)

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spgc/stackwalk.h"
#include "tests/support/fatal_check.h"
#include "tests/support/suite.h"

enum { PAGE_BYTES = 4096 };

static void *base;

/* Like a tracer, which puts its own address in place of return addresses. */
void tracer_return(void);
__asm__(".text\n"
        ".p2align 4\n"
        "nop\n"
        ".globl tracer_return\n"
        ".type tracer_return, @function\n"
        "tracer_return:\n"
        ".cfi_startproc\n"
#if defined(__x86_64__)
        "  ud2\n"
#elif defined(__aarch64__)
        "  udf #0\n"
#endif
        ".cfi_endproc\n"
        ".size tracer_return, . - tracer_return\n");

__attribute__((noinline)) static void walk_below(void *replacement) {
  void *volatile *return_address = (void *volatile *)__builtin_frame_address(0) + 1;
  const struct spgc_stack_visitor visitor = {0};
  *return_address = replacement;
  spgc_walk_stack(base, &visitor, NULL);
}

__attribute__((noinline)) static void walk_from(void *replacement) {
  walk_below(replacement);
  abort();
}

static void *map_page(int file) {
  int kind = file < 0 ? MAP_ANONYMOUS : 0;
  void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | kind, file, 0);
  ck_assert_ptr_ne(page, MAP_FAILED);
  return page;
}

/* A mapping named like the kernel's page. */
static void walk_below_a_probe(void) {
  char folder[] = "/tmp/spgc-odd-XXXXXX", path[64];
  base = __builtin_frame_address(0);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  strcat(strcpy(path, folder), "/[uprobes]");
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(ftruncate(file, PAGE_BYTES), 0);
  void *page = map_page(file);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(rmdir(folder), 0);
  walk_from(page);
  abort();
}

static void walk_below_a_tracer(void) {
  base = __builtin_frame_address(0);
  walk_from((void *)(uintptr_t)tracer_return);
  abort();
}

static void walk_below_unknown_code(void) {
  base = __builtin_frame_address(0);
  walk_from((char *)map_page(-1) + 64);
  abort();
}

START_TEST(a_probe_is_named) {
  check_is_fatal(walk_below_a_probe, "a probe at a function's return");
}
END_TEST

START_TEST(a_tracer_is_named) {
  check_is_fatal(walk_below_a_tracer, "a tracer or profiler has replaced the original one");
}
END_TEST

START_TEST(code_of_no_file_is_named) {
  check_is_fatal(walk_below_unknown_code, "no loaded file has code there");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-odd-address");
  TCase *tests = tcase_create("odd addresses");
  tcase_add_test(tests, a_probe_is_named);
  tcase_add_test(tests, a_tracer_is_named);
  tcase_add_test(tests, code_of_no_file_is_named);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}

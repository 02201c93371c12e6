/* Not even the first walk makes one, so walks use no descriptor or lock. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"
#include "tests/support/suite.h"
#include "tests/support/system_calls.h"
#include "tests/support/toy_heap.h"

uint64_t sum_of_eight(struct spgc_ref array);
uint64_t sum_beside_dynamic_alloca(struct spgc_ref array, uint64_t bytes);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

enum { WALKS = 3, ROOTS = 8 };

static void *base;
static bool after_a_walk;

static void count(void *roots, const struct spgc_slot *bases, size_t count) {
  *(size_t *)roots += count;
}

static size_t walk(void) {
  size_t roots = 0;
  const struct spgc_stack_visitor visitor = {.context = &roots, .bases = count};
  spgc_walk_stack(base, &visitor, NULL);
  return roots;
}

static void walk_without_system_calls(void) {
  if (after_a_walk)
    walk();
  system_calls_forbid();
  bool met_all = true;
  for (int i = 0; i < WALKS; i++)
    met_all = walk() >= ROOTS && met_all;
  _exit(met_all ? 0 : 1);
}

static int call_through_c(const void *left, const void *right) {
  walk_without_system_calls();
  return 0;
}

/* With frames of the C library, and one with a realigned stack, which GCC describes by
 * expressions. */
__attribute__((noinline, force_align_arg_pointer)) static void walk_below_the_c_library(void) {
  int items[2] __attribute__((aligned(256))) = {1, 2};
  char varying[(unsigned)items[1] * (base != NULL)];
  __asm__ volatile("" : : "r"(varying) : "memory");
  qsort(items, 2, sizeof *items, call_through_c);
  __asm__ volatile("" : : "r"(varying) : "memory");
}

static struct spgc_ref array_of_seven(void) {
  struct spgc_ref array = toy_new(1000);
  for (unsigned i = 1; i <= 7; i++)
    toy_set_reference(array, i, toy_new(i));
  return array;
}

static void run_managed_code(bool varying) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  struct spgc_stackmap *map;
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, NULL), SPGC_OK);
  base = __builtin_frame_address(0);
  toy_heap_reset(base);
  toy_on_collect = walk_below_the_c_library;
  if (varying)
    sum_beside_dynamic_alloca(array_of_seven(), 64);
  else
    sum_of_eight(array_of_seven());
  _exit(2);
}

static void check_that_it_ends(bool varying) {
  int status;
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0)
    run_managed_code(varying);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_msg(!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS, "the walk made a system call");
  ck_assert_int_eq(status, 0);
}

START_TEST(frames_that_were_met_take_no_system_call) {
  after_a_walk = true;
  check_that_it_ends(false);
  check_that_it_ends(true);
}
END_TEST

START_TEST(frames_met_first_take_none_either) {
  check_that_it_ends(false);
  check_that_it_ends(true);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-system-calls");
  TCase *tcase = tcase_create("system-calls");
  tcase_add_test(tcase, frames_that_were_met_take_no_system_call);
  tcase_add_test(tcase, frames_met_first_take_none_either);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}

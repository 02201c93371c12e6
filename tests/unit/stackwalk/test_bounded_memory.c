#include <malloc.h>
#include <stdio.h>

#include "spgc/stackwalk.h"
#include "support/fatal.h"
#include "tests/support/made_code.h"
#include "tests/support/suite.h"

enum {
  WALKS_OF_EACH = 125,
  ROOTS = 2 * MADE_FUNCTIONS,
  MOST_GROWTH = 256 << 10,
  MOST_ALLOCATED = 16 << 10
};

static void *base;
static uint64_t objects[2];

static void move(void *moved, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t word = spgc_slot_load(bases[i]).word;
    spgc_require(word == (uintptr_t)&objects[0] || word == (uintptr_t)&objects[1],
                 "this is not the object");
    bases[i].location->word = (uintptr_t)&objects[word == (uintptr_t)&objects[0]];
  }
  *(size_t *)moved += count;
}

static uint64_t walk(struct spgc_ref object) {
  for (unsigned i = 0; i < WALKS_OF_EACH; i++) {
    size_t moved = 0;
    const struct spgc_stack_visitor visitor = {.context = &moved, .bases = move};
    spgc_walk_stack(base, &visitor, NULL);
    spgc_require(moved == ROOTS, "a walk met %zu roots", moved);
  }
  return 0;
}

static void run_codes(struct made_code *code, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    made_code_make(code, (unsigned)(i * 16 % (MADE_MOST_SHIFT + 16)), walk);
    ck_assert_uint_eq(code->first(spgc_ref_from_word((uintptr_t)&objects[0])), 0);
    made_code_forget(code);
  }
}

/* Resident memory without mapped files. */
static size_t resident(void) {
  size_t total, in_memory, shared;
  FILE *file = fopen("/proc/self/statm", "r");
  ck_assert(file != NULL && fscanf(file, "%zu %zu %zu", &total, &in_memory, &shared) == 3);
  fclose(file);
  return (in_memory - shared) * 4096;
}

static void check_growth(enum spgc_walk how, uint64_t walks) {
  spgc_walk_select(how);
  base = __builtin_frame_address(0);
  struct made_code code;
  made_code_reserve(&code);
  uint64_t codes = walks / WALKS_OF_EACH;
  run_codes(&code, codes / 2); /* malloc keeps some freed memory */
  size_t before = resident(), allocated = mallinfo2().uordblks;
  run_codes(&code, codes);
  ptrdiff_t grown = (ptrdiff_t)(resident() - before);
  ck_assert_int_lt(grown, MOST_GROWTH);
  ck_assert_uint_lt(mallinfo2().uordblks, allocated + MOST_ALLOCATED);
  made_code_release(&code);
}

START_TEST(fast_walks_keep_no_memory) {
  check_growth(SPGC_WALK_FAST, 250000);
}
END_TEST

START_TEST(comparing_walks_agree_on_code_that_changes_and_keep_no_memory) {
  check_growth(SPGC_WALK_DIFFERENTIAL, 12500);
}
END_TEST

START_TEST(walks_by_libunwind_keep_no_memory) {
  check_growth(SPGC_WALK_UNWIND, 12500);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-bounded-memory");
  TCase *tcase = tcase_create("bounded-memory");
  tcase_set_timeout(tcase, 100);
  tcase_add_test(tcase, fast_walks_keep_no_memory);
  tcase_add_test(tcase, comparing_walks_agree_on_code_that_changes_and_keep_no_memory);
  tcase_add_test(tcase, walks_by_libunwind_keep_no_memory);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}

/* Element-wise atomic copies of references, while objects move, and their cards. */
#include "spgc/heap.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

/* A few more references than fill a chunk of 1,024 bytes. Each takes a collection to make. */
enum { TWO_CHUNKS = 132 };

static int64_t count_collections(int64_t unused) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return (int64_t)(statistics.collections);
}

static int64_t settle(int64_t unused) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_MINOR);
  return 0;
}

static int64_t run(const char *options, const char *name, int64_t argument, unsigned level) {
  struct spgc_error error;
  jit_world_start(options);
  jit_world_define("collections", (void *)count_collections);
  jit_world_define("settle", (void *)settle);
  jit_world_load_file("element_copies.ll", level);
  int64_t result = jit_world_run(name, argument);
  ck_assert_msg(spgc_heap_verify(&error) == SPGC_OK, "%s", error.message);
  jit_world_finish();
  jit_world_stop();
  return result;
}

static int64_t weight(int64_t n, int64_t (*number_at)(int64_t place, int64_t n)) {
  int64_t sum = 0;
  for (int64_t place = 1; place <= n; place++)
    sum += place * number_at(place, n);
  return sum;
}

static int64_t in_place(int64_t place, int64_t n) {
  return place;
}

static int64_t counted_down(int64_t place, int64_t n) {
  return n + 1 - place;
}

static int64_t moved_up(int64_t place, int64_t n) {
  return place == 1 ? 1 : place - 1;
}

static int64_t moved_down(int64_t place, int64_t n) {
  return place == n ? n : place + 1;
}

static void check_all(const char *options, int64_t n, unsigned level) {
  ck_assert_int_eq(run(options, "weight_of_copy", n, level), weight(n, in_place));
  ck_assert_int_eq(run(options, "weight_of_copy_down", n, level), weight(n, counted_down));
  ck_assert_int_eq(run(options, "weight_of_leaf_copy", n, level), weight(n, in_place));
  ck_assert_int_eq(run(options, "weight_of_move_up", n, level), weight(n, moved_up));
  ck_assert_int_eq(run(options, "weight_of_move_down", n, level), weight(n, moved_down));
}

START_TEST(copies_are_right_while_everything_moves) {
  check_all(jit_world_hostile, TWO_CHUNKS, (unsigned)_i);
}
END_TEST

START_TEST(copies_are_right_with_a_minor_collection_at_each_safepoint) {
  check_all("stress=every-allocation,verify=full,poison=on,limit=64m", TWO_CHUNKS, (unsigned)_i);
}
END_TEST

START_TEST(copies_into_old_arrays_mark_their_cards) {
  check_all("nursery=32k,verify=full,limit=64m", 3000, (unsigned)_i);
}
END_TEST

START_TEST(a_long_copy_is_many_safepoints) {
  int64_t shortest = run(jit_world_hostile, "collections_of_copy", 1, (unsigned)_i);
  ck_assert_int_ge(shortest, 1);
  ck_assert_int_ge(run(jit_world_hostile, "collections_of_copy", 300, (unsigned)_i),
                   shortest + 300 * 8 / 1024);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-element-copy");
  TCase *copies = tcase_create("copies");
  tcase_set_timeout(copies, 120);
  compile_add_levels(copies, copies_are_right_while_everything_moves);
  compile_add_levels(copies, copies_are_right_with_a_minor_collection_at_each_safepoint);
  compile_add_levels(copies, copies_into_old_arrays_mark_their_cards);
  compile_add_levels(copies, a_long_copy_is_many_safepoints);
  suite_add_tcase(suite, copies);
  return suite_run(suite);
}

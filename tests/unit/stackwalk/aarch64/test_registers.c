/* Compiled with -mbranch-protection=standard, like the toy heap, so their frames also sign. */
#include <stdlib.h>

#include "spgc/stackmap.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/machine_frame.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

enum { ELEVEN = 11, VALUES = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 };

extern const char __start_test_stackmaps[], __stop_test_stackmaps[];
uint64_t sum_of_eleven(struct spgc_ref array, uint64_t unused);
uint64_t signed_sum(struct spgc_ref array, uint64_t left);

static void register_maps(void) {
  struct spgc_error error;
  struct spgc_stackmap *map;
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_msg(spgc_stackmap_register(__start_test_stackmaps, size, &map, &error) == SPGC_OK, "%s",
                error.message);
}

static struct spgc_ref array_of_eleven(uint64_t value) {
  struct spgc_ref array = toy_new(value);
  for (unsigned i = 1; i <= ELEVEN; i++)
    toy_set_reference(array, i, toy_new(i));
  return array;
}

static const enum spgc_walk walks[] = {SPGC_WALK_FAST, SPGC_WALK_UNWIND, SPGC_WALK_DIFFERENTIAL};

START_TEST(each_register_is_rewritten) {
  _Static_assert((int)CALLEE_SAVED_REGISTERS == (int)ELEVEN, "x19 to x29");
  register_maps();
  spgc_walk_select(walks[_i]);
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(sum_of_eleven(array_of_eleven(0), 0), VALUES);
  ck_assert_uint_eq(toy_statistics.collections, 2);
  ck_assert_uint_eq(toy_statistics.walks.roots_in_registers, 2 * ELEVEN);
  ck_assert_uint_eq(toy_statistics.walks.registers_rewritten, 2 * ELEVEN);
  ck_assert_uint_eq(toy_statistics.walks.roots_in_slots, 0);
}
END_TEST

/* Some frame's word differs from its address: not without pointer authentication. */
static bool has_signature;

static void look_for_signature(void) {
  for (const uintptr_t *record = __builtin_frame_address(0); record[0] != 0 && !has_signature;
       record = (const uintptr_t *)record[0])
    has_signature = record[1] != return_address_of_word(record[1]).word;
}

START_TEST(signed_frames_are_crossed) {
  enum { FRAMES = 20 };
  register_maps();
  spgc_walk_select(walks[_i]);
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(signed_sum(array_of_eleven(1000), FRAMES), VALUES + 1000 * (FRAMES + 1));
  ck_assert_uint_eq(toy_statistics.collections, 2);
  ck_assert_uint_ge(toy_statistics.walks.managed_frames, 2 * (FRAMES + 2));
  toy_on_collect = look_for_signature;
  toy_heap_reset(__builtin_frame_address(0));
  signed_sum(array_of_eleven(1000), FRAMES);
  toy_on_collect = NULL;
  ck_assert_msg(has_signature, "the processor signs nothing: use qemu-aarch64 -cpu max");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("registers");
  TCase *tests = tcase_create("registers");
  tcase_add_loop_test(tests, each_register_is_rewritten, 0, sizeof walks / sizeof *walks);
  tcase_add_loop_test(tests, signed_frames_are_crossed, 0, sizeof walks / sizeof *walks);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}

/* The heap is nearly full of items, some of which die. */
#include <stddef.h>

#include "gc/policy/machine.h"
#include "gc/trace/evacuate.h"
#include "heap/blocks.h"
#include "heap_world.h"
#include "spgc/pin.h"
#include "tests/support/suite.h"

enum {
  LIMIT_BYTES = 8 << 20,
  ITEMS = 195000,
  PER_DEATH = 8,  /* one item in so many dies */
  PER_WEAK = 500, /* one in so many is an array of weak elements */
  PER_PINNED = 10000,
  ROOM_BYTES = LIMIT_BYTES / 8,
};

static const char *const options[] = {"limit=8m,nursery=256k,concurrent=off,threads=1",
                                      "limit=8m,nursery=256k,concurrent=off,threads=4"};

static const uint32_t element_offset = 0;
static const struct spgc_type weak_type = {.size = 16,
                                           .element_size = 8,
                                           .flags = SPGC_TYPE_TAIL | SPGC_TYPE_TAIL_WEAK,
                                           .element_reference_count = 1,
                                           .element_reference_offsets = &element_offset,
                                           .name = "weak"};

static struct {
  unsigned relocations;
  uint32_t excess_blocks, left_blocks;
  const struct spgc_heap *heap;
  uint32_t granted;
} seen = {.granted = UINT32_MAX};

void __real_spgc_evacuation_relocate(struct spgc_evacuation *evacuation);
void __wrap_spgc_evacuation_relocate(struct spgc_evacuation *evacuation);

void __wrap_spgc_evacuation_relocate(struct spgc_evacuation *evacuation) {
  seen.relocations++;
  seen.heap = evacuation->heap;
  seen.excess_blocks = evacuation->heap->excess_blocks;
  __real_spgc_evacuation_relocate(evacuation);
  seen.left_blocks = evacuation->heap->excess_blocks;
}

uint32_t __real_spgc_blocks_take_destination(struct spgc_heap *heap);
uint32_t __wrap_spgc_blocks_take_destination(struct spgc_heap *heap);

/* The system grants only some blocks. */
uint32_t __wrap_spgc_blocks_take_destination(struct spgc_heap *heap) {
  if (seen.granted == 0)
    return SPGC_BLOCK_NONE;
  seen.granted--;
  return __real_spgc_blocks_take_destination(heap);
}

static bool is_weak(unsigned i) {
  return i % PER_WEAK == PER_DEATH + 1;
}

static bool dies(unsigned i) {
  return i % PER_DEATH == 3;
}

/* Each refers to the item before it; weak arrays also to one that dies. */
static struct spgc_handle new_items(void) {
  struct spgc_handle items = spgc_handle_make(spgc_allocate_array(&world_references, ITEMS));
  for (unsigned i = 0; i < ITEMS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle item = spgc_handle_make(is_weak(i) ? spgc_allocate_array(&weak_type, 2)
                                                          : spgc_allocate(&world_pair));
    if (!is_weak(i))
      world_set_word(item, 1, i);
    if (i != 0)
      world_set(item, 2, world_get(items, 2 + i - 1));
    if (is_weak(i))
      world_set(item, 3, world_get(items, 2 + i / PER_DEATH * PER_DEATH - PER_DEATH + 3));
    world_set(items, 2 + i, spgc_handle_get(item));
    spgc_scope_close(scope);
  }
  return items;
}

static void let_die(struct spgc_handle items) {
  for (unsigned i = 0; i < ITEMS; i++)
    if (dies(i)) {
      if (i + 1 < ITEMS && !dies(i + 1))
        spgc_store(spgc_slot_at((uint64_t *)spgc_ref_memory(world_get(items, 2 + i + 1)) + 2),
                   spgc_ref_null());
      world_set(items, 2 + i, spgc_ref_null());
    }
}

static void check_item(struct spgc_handle items, unsigned i) {
  const uint64_t *words = spgc_ref_memory(world_get(items, 2 + i));
  uint64_t before = i == 0 || dies(i - 1) ? 0 : world_get(items, 2 + i - 1).word;
  bool is_right = is_weak(i) ? words[0] == (uintptr_t)&weak_type && words[1] == 2 && words[3] == 0
                             : words[0] == (uintptr_t)&world_pair && words[1] == i;
  if (!is_right || words[2] != before)
    ck_abort_msg("item %u is not what it was", i);
}

static void check_items(struct spgc_handle items) {
  for (unsigned i = 0; i < ITEMS; i++)
    if (!dies(i))
      check_item(items, i);
}

START_TEST(what_lives_is_packed_and_the_excess_is_given_back) {
  world_open_fixed(options[_i]);
  struct spgc_handle items = new_items();
  let_die(items);
  seen.relocations = 0;
  uint64_t moved = world_collect_moved(SPGC_COLLECTION_FULL);
  check_items(items);
  ck_assert_uint_eq(seen.relocations, 1);
  ck_assert_uint_gt(moved, LIMIT_BYTES / 4);
  ck_assert_uint_le(world_statistics().heap_bytes, LIMIT_BYTES - ROOM_BYTES + SPGC_BLOCK_BYTES);
  if (!world_poisons() && !WORLD_IS_SANITIZED) {
    ck_assert_uint_gt(seen.excess_blocks, 0);
    ck_assert_uint_eq(seen.left_blocks, 0);
  }
  world_close();
}
END_TEST

START_TEST(weak_elements_follow_what_moved) {
  world_open_fixed(options[_i]);
  struct spgc_handle items = new_items();
  let_die(items);
  spgc_collect(SPGC_COLLECTION_FULL);
  unsigned weak = PER_DEATH + 1;
  struct spgc_handle array = spgc_handle_make(world_get(items, 2 + weak));
  world_set(items, 2 + weak - 1, spgc_ref_null());
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_get(array, 2).word, 0);
  world_close();
}
END_TEST

START_TEST(blocks_with_pinned_objects_stay) {
  world_open_fixed(options[_i]);
  struct spgc_handle items = new_items();
  let_die(items);
  uintptr_t pinned[ITEMS / PER_PINNED + 1];
  for (unsigned i = 0; i < ITEMS; i += PER_PINNED) {
    pinned[i / PER_PINNED] = world_get(items, 2 + i).word;
    ck_assert_int_eq(spgc_pin(world_get(items, 2 + i), NULL), SPGC_OK);
  }
  ck_assert_uint_gt(world_collect_moved(SPGC_COLLECTION_FULL), LIMIT_BYTES / 4);
  check_items(items);
  for (unsigned i = 0; i < ITEMS; i += PER_PINNED) {
    ck_assert_uint_eq(world_get(items, 2 + i).word, pinned[i / PER_PINNED]);
    spgc_unpin(world_get(items, 2 + i));
  }
  world_close();
}
END_TEST

static void relocate_with(struct spgc_handle items, uint32_t granted) {
  seen.relocations = 0;
  seen.granted = granted;
  spgc_collect(SPGC_COLLECTION_FULL);
  seen.granted = UINT32_MAX;
  world_verify();
  check_items(items);
}

START_TEST(refused_blocks_end_a_relocation_early) {
  world_open_fixed(options[_i]);
  struct spgc_handle items = new_items();
  let_die(items);
  relocate_with(items, 0);
  ck_assert_uint_eq(seen.relocations, 0);
  uint64_t before = world_statistics().heap_bytes;
  relocate_with(items, 1);
  ck_assert_uint_eq(seen.relocations, 1);
  ck_assert_uint_le(world_statistics().heap_bytes, before);
  relocate_with(items, 20);
  ck_assert_uint_lt(world_statistics().heap_bytes, before);
  relocate_with(items, UINT32_MAX);
  ck_assert_uint_le(world_statistics().heap_bytes, LIMIT_BYTES - ROOM_BYTES);
  world_close();
}
END_TEST

/* An eighth of it is too little. */
START_TEST(the_least_limit_leaves_room_for_a_nursery) {
  enum { LENGTH = 128, SLOTS = 4096 };
  world_open_fixed("limit=2m,concurrent=off");
  struct spgc_handle slots = spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
  unsigned count = 0, again = 0;
  for (; count < SLOTS; count++) {
    struct spgc_ref bytes = spgc_allocate_array(&world_references, LENGTH);
    if (spgc_ref_is_null(bytes))
      break;
    world_set(slots, 2 + count, bytes);
  }
  for (unsigned i = 0; i < count; i += 2)
    world_set(slots, 2 + i, spgc_ref_null());
  for (; again < count / 2; again++) {
    struct spgc_ref bytes = spgc_allocate_array(&world_references, LENGTH);
    if (spgc_ref_is_null(bytes))
      break;
    world_set(slots, 2 + 2 * again, bytes);
  }
  ck_assert_uint_lt(count, SLOTS);
  ck_assert_uint_ge(again, count / 2 - count / 10);
  world_close();
}
END_TEST

static bool accessible_memory_counts;
bool __wrap_spgc_accessible_memory_counts(void);

/* As under RLIMIT_DATA, which emulators ignore and sanitizers exceed. */
bool __wrap_spgc_accessible_memory_counts(void) {
  return accessible_memory_counts;
}

/* Vacated memory is given back, although twice the limit is granted. */
START_TEST(accessible_memory_is_given_back_where_it_counts) {
  accessible_memory_counts = true;
  world_open_fixed(options[_i]);
  struct spgc_handle items = new_items();
  let_die(items);
  seen.relocations = 0;
  spgc_collect(SPGC_COLLECTION_FULL);
  check_items(items);
  ck_assert_uint_eq(seen.relocations, 1);
  const struct spgc_heap *heap = seen.heap;
  ck_assert_uint_le(heap->used_blocks + spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES) +
                        spgc_blocks_accessible(heap, SPGC_ZONE_RUNS),
                    LIMIT_BYTES / SPGC_BLOCK_BYTES);
  world_close();
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("relocation");
  TCase *tests = tcase_create("relocation");
  tcase_set_timeout(tests, 120);
  enum { OPTIONS = sizeof options / sizeof options[0] };
  tcase_add_loop_test(tests, what_lives_is_packed_and_the_excess_is_given_back, 0, OPTIONS);
  tcase_add_loop_test(tests, weak_elements_follow_what_moved, 0, OPTIONS);
  tcase_add_loop_test(tests, blocks_with_pinned_objects_stay, 0, OPTIONS);
  tcase_add_loop_test(tests, refused_blocks_end_a_relocation_early, 0, OPTIONS);
  tcase_add_test(tests, the_least_limit_leaves_room_for_a_nursery);
  tcase_add_loop_test(tests, accessible_memory_is_given_back_where_it_counts, 0, OPTIONS);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}

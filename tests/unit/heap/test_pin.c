#include "check_main.h"
#include "fatal_check.h"
#include "gc/plan/collection.h"
#include "gc/state/runtime.h"
#include "gc/trace/evacuate.h"
#include "heap/geometry.h"
#include "heap/mark_bits.h"
#include "heap/remembered/tables.h"
#include "heap/vacated.h"
#include "heap_world.h"
#include "spgc/pin.h"
#include "support/random.h"

static void pin(struct spgc_ref object) {
  struct spgc_error error;
  enum spgc_result result = spgc_pin(object, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

START_TEST(pinned_objects_stay) {
  world_open("verify=full,poison=on");
  uint64_t length = world_amount(1000, 1000, 200);
  for (int old = 0; old < 2; old++) {
    struct spgc_handle list = world_new_list(length);
    if (old)
      spgc_collect(SPGC_COLLECTION_MINOR);
    struct spgc_ref pinned = spgc_handle_get(list);
    pin(pinned);
    for (int round = 0; round < 6; round++) {
      spgc_collect(round % 3 == 1 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
      ck_assert(spgc_ref_equal(spgc_handle_get(list), pinned));
      world_check_list(list, length);
      world_new_list(length / 10);
    }
    spgc_unpin(pinned);
  }
  world_close();
}
END_TEST

START_TEST(everything_else_moves_though_everything_moves) {
  world_open("move=always,verify=full,poison=on,seed=4");
  enum { COUNT = 3000, PERIOD = 50 };
  unsigned count = (unsigned)world_amount(COUNT, COUNT, 500);
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(array, 2 + i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
  }
  static uintptr_t addresses[COUNT];
  for (unsigned i = 0; i < count; i += PERIOD)
    pin(world_get(array, 2 + i));
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < count; i++)
      addresses[i] = world_get(array, 2 + i).word;
    spgc_collect(SPGC_COLLECTION_MINOR);
    for (unsigned i = 0; i < count; i++) {
      ck_assert((world_get(array, 2 + i).word == addresses[i]) == (i % PERIOD == 0));
      ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(world_get(array, 2 + i)))[1], i);
    }
  }
  for (unsigned i = 0; i < count; i += PERIOD)
    spgc_unpin(world_get(array, 2 + i));
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (unsigned i = 0; i < count; i += PERIOD)
    ck_assert(world_get(array, 2 + i).word != addresses[i]);
  world_close();
}
END_TEST

START_TEST(pins_keep_objects_alive_and_are_counted) {
  world_open("verify=full,poison=on");
  for (int large = 0; large < 2; large++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle value = world_new_leaf(9);
    struct spgc_ref object =
        large ? spgc_allocate_array(&world_references, 5000) : spgc_allocate(&world_pair);
    spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(object) + 3),
               spgc_handle_get(value));
    pin(object);
    pin(object);
    spgc_scope_close(scope);
    for (int round = 0; round < 4; round++) {
      spgc_collect(round % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
      const uint64_t *words = spgc_ref_memory(object);
      ck_assert_uint_eq(((const uint64_t *)words[3])[1], 9);
      if (round == 1)
        spgc_unpin(object);
    }
    uint64_t live = world_statistics().live_bytes;
    spgc_unpin(object);
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_lt(world_statistics().live_bytes, live);
  }
  world_close();
}
END_TEST

START_TEST(cycles_find_what_only_pins_hold) {
  world_open("nursery=256k,limit=16m,poison=on");
  enum { PINS = 100 };
  struct spgc_ref pinned[PINS];
  for (unsigned i = 0; i < PINS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle list = world_new_list(i % 10 + 1);
    pinned[i] = spgc_handle_get(list);
    pin(pinned[i]);
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_churn(world_verifies() ? 1 : 3);
  for (unsigned i = 0; i < PINS; i++)
    world_check_list(spgc_handle_make(pinned[i]), i % 10 + 1);
  world_close();
}
END_TEST

START_TEST(memory_around_a_pinned_object_is_used_again) {
  world_require("born=default"); /* otherwise nurseries are promoted, and holes stay */
  world_open("nursery=64k,limit=16m,poison=on");
  enum { PINS = 64 };
  struct spgc_ref pinned[PINS];
  unsigned length = world_is_stressed() ? 16 : 2000;
  for (unsigned i = 0; i < PINS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_new_list(length / 2);
    pinned[i] = spgc_handle_get(world_new_leaf(i));
    pin(pinned[i]);
    world_new_list(length / 2);
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t pinned_bytes = world_statistics().heap_bytes;
  ck_assert_uint_le(pinned_bytes, (PINS + 8) * (32 << 10));
  if (!world_is_stressed()) { /* everything moves to free blocks then */
    struct spgc_handle list = world_new_list(length * 20);
    spgc_collect(SPGC_COLLECTION_MINOR);
    ck_assert_uint_le(world_statistics().heap_bytes, pinned_bytes + (256 << 10));
    world_check_list(list, length * 20);
  }
  for (unsigned i = 0; i < PINS; i++) {
    ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(pinned[i]))[1], i);
    spgc_unpin(pinned[i]);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  world_close();
}
END_TEST

START_TEST(pins_come_and_go_during_marking) {
  world_open("nursery=128k,limit=16m,poison=on");
  enum { COUNT = 250, STEPS = 100000, RING = 8192 };
  static uintptr_t addresses[COUNT]; /* 0: not pinned */
  struct spgc_random random = {8};
  struct spgc_handle lists = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  struct spgc_handle ring = spgc_handle_make(spgc_allocate_array(&world_references, RING));
  unsigned steps = (unsigned)world_amount(STEPS, STEPS / 20, STEPS / 1000);
  for (unsigned step = 0; step < steps; step++) {
    struct spgc_scope scope = spgc_scope_open();
    unsigned i = (unsigned)(spgc_random_next(&random) % COUNT);
    struct spgc_handle list = spgc_handle_make(world_get(lists, 2 + i));
    if (!spgc_ref_is_null(spgc_handle_get(list))) {
      ck_assert(addresses[i] == 0 || addresses[i] == spgc_handle_get(list).word);
      world_check_list(list, 1 + i % 5);
    }
    if (addresses[i] != 0) {
      spgc_unpin(spgc_handle_get(list));
      addresses[i] = 0;
    }
    if (step % 2 == 0)
      spgc_handle_set(list, spgc_handle_get(world_new_list(1 + i % 5)));
    world_set(lists, 2 + i, spgc_handle_get(list));
    if (step % 3 != 0 && !spgc_ref_is_null(spgc_handle_get(list))) {
      pin(spgc_handle_get(list));
      addresses[i] = spgc_handle_get(list).word;
      world_set(list, 3, spgc_handle_get(world_new_leaf(step)));
    }
    world_set(ring, 2 + step % RING, spgc_allocate_array(&world_bytes, 300));
    spgc_scope_close(scope);
  }
  ck_assert(world_is_stressed() || world_verifies() || world_old_collections() > 1);
  world_close();
}
END_TEST

/* By a marking in progress. */
START_TEST(old_pinned_objects_are_counted_once) {
  enum { PINS = 100, LENGTH = 20000, RING = 4, ELEMENTS = 1000 };
  world_open_fixed("nursery=64k,limit=12m,concurrent=off,threads=1");
  for (unsigned i = 0; i < PINS; i++)
    pin(spgc_allocate_array(&world_bytes, LENGTH));
  struct spgc_handle ring = spgc_handle_make(spgc_allocate_array(&world_references, RING));
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t live = world_statistics().live_bytes;
  ck_assert_uint_ge(live, PINS * LENGTH);
  for (unsigned i = 0; world_statistics().final_marks < 2; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(ring, 2 + i % RING, spgc_handle_get(world_new_list(ELEMENTS)));
    spgc_scope_close(scope);
  }
  ck_assert_uint_lt(world_statistics().live_bytes, live + PINS * LENGTH);
  world_close();
}
END_TEST

START_TEST(a_block_that_a_pin_keeps_has_no_marked_bytes_without_a_marking) {
  world_open_fixed("concurrent=off,without=prediction");
  struct spgc_ref pinned = spgc_allocate(&world_pair);
  pin(pinned);
  world_new_list(100);
  uint32_t index = spgc_heap_block_of(&spgc_runtime.heap, pinned.word);
  const struct spgc_block *block = &spgc_runtime.heap.blocks[index];
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(!spgc_runtime.cycle.marker.active);
  ck_assert_uint_eq(block->vacated_by, spgc_runtime.heap.collection); /* all others have moved */
  ck_assert(!block->unswept);
  ck_assert_uint_eq(block->live, 0);
  world_close();
}
END_TEST

/* Otherwise what only other survivors refer to would be freed, because they were scanned. */
START_TEST(a_marking_in_progress_marks_pinned_survivors) {
  enum { LENGTH = 50000, RING = 100 };
  world_open_fixed("nursery=64k,limit=16m,concurrent=off,threads=1");
  world_new_list(LENGTH);
  struct spgc_handle ring = spgc_handle_make(spgc_allocate_array(&world_references, RING));
  for (unsigned i = 0; !spgc_runtime.cycle.marker.active; i++)
    world_set(ring, 2 + i % RING, spgc_allocate_array(&world_bytes, 1000));
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_ref pinned = spgc_allocate(&world_leaf);
  pin(pinned);
  world_set(pair, 2, pinned);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(spgc_runtime.cycle.marker.active);
  ck_assert(spgc_mark_bit_is_set(&spgc_runtime.heap, spgc_handle_get(pair)));
  ck_assert(spgc_mark_bit_is_set(&spgc_runtime.heap, pinned));
  world_verify();
  world_close();
}
END_TEST

/* As if the block's unused end still had an object of an earlier use. */
START_TEST(what_follows_the_last_object_of_a_kept_block_did_not_die) {
  world_open_fixed("poison=on,concurrent=off,without=prediction");
  struct spgc_ref pinned = spgc_allocate(&world_leaf);
  pin(pinned);
  uint32_t index = spgc_heap_block_of(&spgc_runtime.heap, pinned.word);
  struct spgc_ref after = {pinned.word + world_leaf.size};
  spgc_object_set_header(after, (uintptr_t)&world_leaf);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(spgc_runtime.heap.blocks[index].vacated_by, spgc_runtime.heap.collection);
  ck_assert_ptr_null(spgc_vacated_find(&spgc_runtime.heap.vacated, after.word));
  world_close();
}
END_TEST

/* A marking had found all objects of its block live. */
START_TEST(a_kept_block_is_swept_whatever_its_marking_found) {
  world_open_fixed("concurrent=off,move=always");
  struct spgc_handle pinned = spgc_handle_make(spgc_allocate(&world_pair));
  pin(spgc_handle_get(pinned));
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_block *block =
      &spgc_runtime.heap
           .blocks[spgc_heap_block_of(&spgc_runtime.heap, spgc_handle_get(pinned).word)];
  block->live = SPGC_BLOCK_BYTES;
  memset(spgc_runtime.heap.marks[block - spgc_runtime.heap.blocks], UINT8_MAX,
         SPGC_BLOCK_BYTES / SPGC_WORD_BYTES / 8);
  block->hole_words = 0;
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(block->vacated_by, spgc_runtime.heap.collection);
  ck_assert(block->is_recyclable);
  ck_assert_uint_eq(block->hole_words, (SPGC_BLOCK_BYTES - world_pair.size) / SPGC_WORD_BYTES);
  world_verify();
  world_close();
}
END_TEST

/* A marking may yet have to scan the cards of the next block. */
START_TEST(a_kept_block_has_only_its_own_cards_cleaned) {
  enum { BLOCKS = 8, PAIRS = BLOCKS * SPGC_BLOCK_BYTES / 32 };
  struct spgc_heap *heap = &spgc_runtime.heap;
  world_open_fixed("concurrent=off,without=prediction");
  world_new_list(PAIRS); /* becomes old in blocks after those that it was made in */
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_ref pinned;
  uint32_t index;
  do {
    pinned = spgc_allocate(&world_pair);
    index = spgc_heap_block_of(heap, pinned.word);
  } while (spgc_heap_space(heap, index + 1) != SPGC_SPACE_OLD);
  pin(pinned);
  uint8_t *card = &heap->cards[(index + 1) * (size_t)SPGC_CARDS_PER_BLOCK],
          *group_card = &heap->group_cards[spgc_first_group(index + 1)];
  *card = *group_card = SPGC_CARD_DEFERRED;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_eq(spgc_heap_space(heap, index), SPGC_SPACE_OLD);
  ck_assert_uint_eq(*card, SPGC_CARD_DEFERRED);
  ck_assert_uint_eq(*group_card, SPGC_CARD_DEFERRED);
  world_close();
}
END_TEST

static unsigned holds;

uintptr_t __real_spgc_evacuation_hold(struct spgc_evacuation *evacuation, struct spgc_ref object);
uintptr_t __wrap_spgc_evacuation_hold(struct spgc_evacuation *evacuation, struct spgc_ref object);

uintptr_t __wrap_spgc_evacuation_hold(struct spgc_evacuation *evacuation, struct spgc_ref object) {
  holds++;
  return __real_spgc_evacuation_hold(evacuation, object);
}

START_TEST(pins_of_old_objects_take_no_time_in_minor_collections) {
  enum { PINS = 3, ROUNDS = 3 };
  world_open_fixed("concurrent=off,without=prediction");
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < PINS; i++)
      pin(spgc_allocate(&world_leaf));
    holds = 0;
    spgc_collect(SPGC_COLLECTION_MINOR);
    ck_assert_uint_eq(holds, PINS);
  }
  world_close();
}
END_TEST

static void do_nothing(void *context, size_t requested) {
}

static void expect_copies_without_reserves(bool without) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  size_t free = spgc_limit_free_blocks(limit, &spgc_runtime.heap);
  ck_assert_uint_gt(limit->reserve_blocks, 0);
  ck_assert_uint_eq(spgc_free_for_copies(), without ? free - limit->reserve_blocks : free);
}

/* Blocks with pinned objects do not become free. */
START_TEST(while_there_are_pins_copies_do_not_use_the_reserves_of_hooks) {
  enum { PINS = 2 };
  struct spgc_ref pinned[PINS];
  world_open_fixed("");
  spgc_set_out_of_memory_hook(do_nothing, NULL);
  expect_copies_without_reserves(false);
  for (int i = 0; i < PINS; i++) {
    pinned[i] = spgc_allocate(&world_leaf);
    pin(pinned[i]);
    expect_copies_without_reserves(true);
  }
  for (int i = 0; i < PINS; i++)
    spgc_unpin(pinned[i]);
  expect_copies_without_reserves(false);
  world_close();
}
END_TEST

static void unpin_what_is_not_pinned(void) {
  world_open("");
  spgc_unpin(spgc_allocate(&world_leaf));
}

START_TEST(unpinning_what_is_not_pinned_is_fatal) {
  check_is_fatal(unpin_what_is_not_pinned, "is not pinned");
}
END_TEST

START_TEST(what_is_no_object_cannot_be_pinned) {
  world_open("");
  ck_assert_int_eq(spgc_pin(spgc_ref_null(), NULL), SPGC_ERROR_INVALID_ARGUMENT);
  world_close();
}
END_TEST

/* Survivors look for holes there. */
START_TEST(pinned_objects_may_fill_their_blocks) {
  enum { COUNT = 250, BYTES = SPGC_BLOCK_BYTES / 4, LENGTH = BYTES - 16 };
  unsigned count = (unsigned)world_amount(COUNT, COUNT, 24);
  unsigned leaves = (unsigned)world_amount(2000, 2000, 50);
  world_require("born=default"); /* what is born old is not copied */
  world_open("nursery=8m");
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, leaves));
  struct spgc_ref pinned[COUNT];
  for (unsigned i = 0; i < count; i++) {
    pinned[i] = spgc_allocate_array(&world_bytes, LENGTH);
    ck_assert_int_eq(spgc_pin(pinned[i], NULL), SPGC_OK);
    memset((char *)spgc_ref_memory(pinned[i]) + 16, (int)i, LENGTH);
  }
  for (int round = 0; round < 5; round++) {
    for (unsigned k = 0; k < leaves; k++)
      world_set(kept, 2 + k, spgc_allocate(&world_leaf));
    spgc_collect(SPGC_COLLECTION_MINOR);
    for (unsigned i = 0; i < count; i++) {
      const unsigned char *bytes = (const unsigned char *)spgc_ref_memory(pinned[i]) + 16;
      ck_assert_uint_eq(spgc_object_size(pinned[i]), BYTES);
      for (unsigned k = 0; k < LENGTH; k++)
        ck_assert_uint_eq(bytes[k], i);
    }
  }
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-pin", pinned_objects_stay,
                  everything_else_moves_though_everything_moves,
                  pins_keep_objects_alive_and_are_counted, cycles_find_what_only_pins_hold,
                  memory_around_a_pinned_object_is_used_again, pins_come_and_go_during_marking,
                  pinned_objects_may_fill_their_blocks, old_pinned_objects_are_counted_once,
                  a_marking_in_progress_marks_pinned_survivors,
                  what_follows_the_last_object_of_a_kept_block_did_not_die,
                  a_block_that_a_pin_keeps_has_no_marked_bytes_without_a_marking,
                  a_kept_block_is_swept_whatever_its_marking_found,
                  a_kept_block_has_only_its_own_cards_cleaned,
                  pins_of_old_objects_take_no_time_in_minor_collections,
                  while_there_are_pins_copies_do_not_use_the_reserves_of_hooks,
                  unpinning_what_is_not_pinned_is_fatal, what_is_no_object_cannot_be_pinned)

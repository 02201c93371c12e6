#include <stdio.h>
#include <sys/mman.h>

#include "check_main.h"
#include "heap/memory.h"
#include "heap_world.h"
#include "support/random.h"

/* Old pairs: of every `period`, `run` are left, numbered anew. */
static struct spgc_handle new_thinned_list(uint64_t count, uint64_t run, uint64_t period) {
  struct spgc_handle list = world_new_list(count);
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t number = 0, *last = NULL;
  for (uint64_t i = 0, *words = spgc_ref_memory(spgc_handle_get(list)); words != NULL; i++) {
    if (i % period < run) {
      words[1] = number++;
      if (last != NULL)
        last[2] = (uint64_t)words;
      last = words;
    }
    words = (uint64_t *)words[2];
  }
  last[2] = 0;
  return list;
}

START_TEST(dense_blocks_stay_in_place) {
  world_open_fixed("verify=full");
  enum { COUNT = 20000 };
  struct spgc_handle list = world_new_list(COUNT);
  spgc_collect(SPGC_COLLECTION_FULL);
  uintptr_t address = spgc_handle_get(list).word;
  ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_FULL), 0);
  ck_assert_uint_eq(spgc_handle_get(list).word, address);
  ck_assert_uint_eq(world_statistics().live_bytes, COUNT * world_pair.size);
  world_check_list(list, COUNT);
  world_close();
}
END_TEST

/* The holes are so few that the full collection leaves them. */
START_TEST(survivors_go_between_old_objects) {
  world_open_fixed("nursery=64m,verify=full,poison=on");
  enum { COUNT = 400000, LEFT = COUNT / 16 * 15, NEW = COUNT / 32 };
  struct spgc_handle thinned = new_thinned_list(COUNT, 60, 64);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, LEFT * world_pair.size);
  uint64_t before = world_statistics().heap_bytes;
  for (int round = 0; round < 2; round++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle list = world_new_list(NEW);
    ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_MINOR), NEW * world_pair.size);
    ck_assert_uint_le(world_statistics().heap_bytes, before + (128 << 10));
    world_check_list(list, NEW);
    world_check_list(thinned, LEFT);
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

START_TEST(sparse_blocks_are_vacated) {
  world_open_fixed("nursery=64m,verify=full,poison=on");
  enum { COUNT = 48000, PERIOD = 16 };
  struct spgc_handle thinned = new_thinned_list(COUNT, 1, PERIOD);
  uint64_t before = world_statistics().heap_bytes;
  ck_assert_uint_ge(world_collect_moved(SPGC_COLLECTION_FULL),
                    COUNT / PERIOD * world_pair.size * 9 / 10);
  ck_assert_uint_le(world_statistics().heap_bytes, before / 8);
  world_check_list(thinned, COUNT / PERIOD);
  world_close();
}
END_TEST

START_TEST(more_objects_than_the_work_stacks_hold_are_found) {
  world_open_fixed("nursery=256m");
  enum { COUNT = 1300000 };
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  for (unsigned i = 0; i < COUNT; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle leaf = world_new_leaf(i);
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[2] = spgc_handle_get(leaf).word;
    world_set(array, 2 + i, pair);
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (unsigned i = 0; i < COUNT; i++)
    spgc_handle_make(world_get(array, 2 + i));
  spgc_handle_set(array, spgc_ref_null());
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes,
                    COUNT * (uint64_t)(world_pair.size + world_leaf.size));
  world_verify();
  world_close();
}
END_TEST

START_TEST(references_that_move_during_marking_are_found) {
  char options[64];
  snprintf(options, sizeof options, "nursery=256k,limit=%um", (unsigned)world_amount(8, 4, 4));
  world_open(options);
  uint64_t cells = world_amount(100000, 25000, 500), swaps = world_amount(6000000, 3000000, 4000);
  struct spgc_random random = {7};
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, cells));
  for (unsigned i = 0; i < cells; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(array, 2 + i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
  }
  uint64_t sum = 0, expected = cells * (cells - 1) / 2;
  for (unsigned k = 0; k < swaps; k++) {
    unsigned a = (unsigned)(spgc_random_next(&random) % cells),
             b = (unsigned)(spgc_random_next(&random) % cells);
    struct spgc_ref at_a = world_get(array, 2 + a), at_b = world_get(array, 2 + b);
    world_set(array, 2 + a, at_b);
    world_set(array, 2 + b, at_a);
    if (k % 4 == 0) {
      struct spgc_ref leaf = spgc_allocate(&world_leaf);
      ((uint64_t *)spgc_ref_memory(leaf))[1] =
          ((uint64_t *)spgc_ref_memory(world_get(array, 2 + a)))[1];
      world_set(array, 2 + a, leaf);
    }
  }
  world_verify();
  for (unsigned i = 0; i < cells; i++)
    sum += ((const uint64_t *)spgc_ref_memory(world_get(array, 2 + i)))[1];
  ck_assert_uint_eq(sum, expected);
  ck_assert_uint_gt(world_old_collections(), 1);
  if (world_is_stressed())
    ck_assert_uint_gt(world_usual_collections(), cells);
  else
    ck_assert_uint_gt(world_statistics().minor_collections, 10 * world_old_collections());
  world_close();
}
END_TEST

enum { DIRTIED = 10 };

/* Pages of dirty slots' cards, and the array's first and last page, stay accessible. */
static void protect_clean_pages(uintptr_t start, uintptr_t end, const uintptr_t dirty[DIRTIED],
                                int protection) {
  const uintptr_t page = spgc_memory_page_bytes(), mask = ~(page - 1);
  start = (start + 2 * page - 1) & mask;
  end &= mask;
  for (unsigned i = 0; i <= DIRTIED; i++) {
    uintptr_t stop = i < DIRTIED ? dirty[i] & mask : end;
    if (stop > start)
      ck_assert_int_eq(mprotect((void *)start, stop - start, protection), 0);
    start = stop + page > start ? stop + page : start;
  }
}

START_TEST(a_minor_collection_reads_only_dirty_cards_of_a_long_array) {
  world_open_fixed(
      "verify=none,threads=1,limit=2g,growth=limit"); /* marking and verifying read everything */
  enum { LENGTH = 100 << 17 };                        /* 100 MiB */
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  spgc_collect(SPGC_COLLECTION_MINOR);
  uintptr_t start = spgc_handle_get(array).word, dirty[DIRTIED];
  for (unsigned round = 0; round < 5; round++) {
    struct spgc_handle leaves[DIRTIED];
    for (unsigned i = 0; i < DIRTIED; i++) {
      unsigned slot = 2 + LENGTH / DIRTIED * i + LENGTH / DIRTIED / 2 + round * 700;
      leaves[i] = world_new_leaf(round * DIRTIED + i);
      world_set(array, slot, spgc_handle_get(leaves[i]));
      dirty[i] = start + slot * sizeof(uint64_t);
    }
    uint64_t moved = world_statistics().moved_objects;
    protect_clean_pages(start, start + LENGTH * sizeof(uint64_t), dirty, PROT_NONE);
    spgc_collect(SPGC_COLLECTION_MINOR);
    protect_clean_pages(start, start + LENGTH * sizeof(uint64_t), dirty, PROT_READ | PROT_WRITE);
    ck_assert_uint_ge(world_statistics().moved_objects, moved + DIRTIED);
    for (unsigned i = 0; i < DIRTIED; i++) {
      ck_assert_uint_eq(*(const uint64_t *)dirty[i], spgc_handle_get(leaves[i]).word);
      ck_assert_uint_eq(world_get_word(leaves[i], 1), round * DIRTIED + i);
    }
  }
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(60, "heap-old-space", dense_blocks_stay_in_place,
                  survivors_go_between_old_objects, sparse_blocks_are_vacated,
                  more_objects_than_the_work_stacks_hold_are_found,
                  references_that_move_during_marking_are_found,
                  a_minor_collection_reads_only_dirty_cards_of_a_long_array)

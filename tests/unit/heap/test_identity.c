#include <stdlib.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/identity.h"

START_TEST(hashes_stay_while_objects_move) {
  world_open("verify=full,poison=on");
  enum { COUNT = 3000 };
  static uint32_t hashes[COUNT];
  unsigned count = (unsigned)world_amount(COUNT, COUNT, 500);
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref leaf =
        i % 100 == 0 ? spgc_allocate_array(&world_bytes, 9000) : spgc_allocate(&world_leaf);
    world_set(array, 2 + i, leaf);
    hashes[i] = spgc_identity_hash(leaf);
    ck_assert_uint_ne(hashes[i], 0);
  }
  for (int round = 0; round < 4; round++) {
    spgc_collect(round % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    for (unsigned i = 0; i < count; i++)
      if (spgc_identity_hash(world_get(array, 2 + i)) != hashes[i])
        ck_abort_msg("the hash of object %u has changed", i);
    for (unsigned i = (unsigned)round; i < count; i += 7) { /* others take their place */
      struct spgc_ref leaf = spgc_allocate(&world_leaf);
      world_set(array, 2 + i, leaf);
      hashes[i] = spgc_identity_hash(leaf);
    }
  }
  world_close();
}
END_TEST

static int by_value(const void *a, const void *b) {
  uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
  return (first > second) - (first < second);
}

START_TEST(hashes_differ_and_are_evenly_distributed) {
  if (world_is_stressed()) /* each allocation would collect */
    world_require("stress=every-20");
  world_open("");
  enum { COUNT = 20000, BITS = 32, BUCKETS = 256 };
  static uint32_t hashes[COUNT];
  unsigned set_bits[BITS] = {0}, low[BUCKETS] = {0}, high[BUCKETS] = {0};
  for (unsigned i = 0; i < COUNT; i++) {
    uint32_t hash = hashes[i] = spgc_identity_hash(spgc_allocate(&world_leaf));
    for (unsigned bit = 0; bit < BITS; bit++)
      set_bits[bit] += hash >> bit & 1;
    low[hash % BUCKETS]++;
    high[hash >> 24]++;
  }
  for (unsigned bit = 0; bit < BITS; bit++)
    ck_assert(set_bits[bit] > COUNT * 48 / 100 && set_bits[bit] < COUNT * 52 / 100);
  for (unsigned i = 0; i < BUCKETS; i++) {
    enum { MEAN = COUNT / BUCKETS };
    ck_assert(low[i] > MEAN / 2 && low[i] < MEAN * 3 / 2);
    ck_assert(high[i] > MEAN / 2 && high[i] < MEAN * 3 / 2);
  }
  qsort(hashes, COUNT, sizeof hashes[0], by_value);
  for (unsigned i = 1; i < COUNT; i++)
    ck_assert(hashes[i - 1] != hashes[i]);
  world_close();
}
END_TEST

START_TEST(words_outside_the_heap_are_hashed_by_value) {
  world_open("");
  struct spgc_ref one = spgc_ref_from_word(1), two = spgc_ref_from_word(UINT64_C(1) << 32);
  ck_assert_uint_eq(spgc_identity_hash(one), spgc_identity_hash(one));
  ck_assert_uint_ne(spgc_identity_hash(one), spgc_identity_hash(two));
  for (uintptr_t word = 0; word < 100000; word++)
    ck_assert(spgc_identity_hash(spgc_ref_from_word(word)) != 0);
  world_close();
}
END_TEST

START_TEST(dead_objects_give_their_memory_back) {
  world_open("nursery=1m,limit=64m");
  enum { ROUNDS = 30, FIRST_ROUNDS = 10, COUNT = 100000 };
  int rounds = world_is_stressed() ? 1 : ROUNDS;
  uint64_t at_first = 0;
  for (int round = 0; round < rounds; round++) {
    for (unsigned i = 0; i < (world_is_stressed() ? COUNT / 100 : COUNT); i++)
      spgc_identity_hash(spgc_allocate(&world_leaf));
    spgc_collect(SPGC_COLLECTION_FULL);
    if (round < FIRST_ROUNDS && world_resident_bytes() > at_first)
      at_first = world_resident_bytes();
  }
  ck_assert_uint_lt(world_resident_bytes(), at_first + (8 << 20));
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-identity", hashes_stay_while_objects_move,
                  hashes_differ_and_are_evenly_distributed,
                  words_outside_the_heap_are_hashed_by_value, dead_objects_give_their_memory_back)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "support/random.h"

/* ThreadSanitizer makes a marking some ten times slower. */
static uint64_t cycles(uint64_t plain) {
#ifdef __SANITIZE_THREAD__
  plain = 1;
#endif
  return world_amount(plain, 1, 1);
}

/* Few of them fill a heap, because each takes a collection. */
static const struct spgc_type wide_leaf = {.size = 512, .name = "wide leaf"};
static const struct spgc_type *leaf_type = &world_leaf;

static struct spgc_ref new_leaf(uint64_t number) {
  struct spgc_ref leaf = spgc_allocate(leaf_type);
  ((uint64_t *)spgc_ref_memory(leaf))[1] = number;
  return leaf;
}

static struct spgc_handle new_leaves(unsigned count) {
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref leaf = new_leaf(i);
    world_set(array, 2 + i, leaf);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  return array;
}

static void shuffle(struct spgc_handle array, unsigned count, unsigned swaps,
                    struct spgc_random *random) {
  for (unsigned k = 0; k < swaps; k++) {
    unsigned a = (unsigned)(spgc_random_next(random) % count),
             b = (unsigned)(spgc_random_next(random) % count);
    struct spgc_ref at_a = world_get(array, 2 + a), at_b = world_get(array, 2 + b);
    world_set(array, 2 + a, at_b);
    world_set(array, 2 + b, at_a);
    if (k % 4 == 0) {
      struct spgc_ref leaf =
          new_leaf(((const uint64_t *)spgc_ref_memory(world_get(array, 2 + a)))[1]);
      world_set(array, 2 + a, leaf);
    }
  }
}

static void check_leaves(struct spgc_handle array, unsigned count) {
  uint8_t *seen = calloc(count, 1);
  ck_assert_ptr_nonnull(seen);
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref leaf = world_get(array, 2 + i);
    const uint64_t *words = spgc_ref_memory(leaf);
    if (words[0] != (uint64_t)leaf_type || words[1] >= count || seen[words[1]]++ != 0)
      ck_abort_msg("element %u is not a leaf, or another has its number", i);
  }
  free(seen);
}

/* The system may still list it. */
static void await_end_of_thread(void) {
  while (world_count_threads("spgc-cycle") != 0)
    usleep(1000);
}

static void shuffle_until_collected(const char *options, unsigned count, uint64_t wanted) {
  world_open_fixed(options);
  struct spgc_random random = {11};
  struct spgc_handle array = new_leaves(count);
  while (world_old_collections() < wanted)
    shuffle(array, count, count, &random);
  check_leaves(array, count);
  ck_assert_int_eq(world_count_threads("spgc-cycle"), 1);
  world_close();
  await_end_of_thread();
}

START_TEST(references_that_move_while_a_thread_marks_are_found) {
  shuffle_until_collected("nursery=128k,limit=8m,concurrent=on", 60000, cycles(4));
}
END_TEST

START_TEST(the_thread_is_stopped_and_started_by_every_small_nursery) {
  shuffle_until_collected("nursery=32k,limit=4m,concurrent=on,verify=full", 10000, cycles(3));
}
END_TEST

START_TEST(the_thread_is_stopped_and_started_at_every_allocation) {
  leaf_type = &wide_leaf;
  shuffle_until_collected("stress=every-allocation,limit=2m,concurrent=on,poison=on",
                          world_verifies() ? 500 : 1500, cycles(2));
}
END_TEST

/* The rest of a chain is hung on another, so unmarked objects move to visited places. */
enum { CHAINS = 64, NEXT = 2 };

static void exchange_rests(struct spgc_handle heads, unsigned from, unsigned to, uint64_t steps) {
  struct spgc_handle cut = spgc_handle_make(world_get(heads, 2 + from));
  while (steps-- != 0 && !spgc_ref_is_null(spgc_handle_get(cut)))
    spgc_handle_set(cut, world_get(cut, NEXT));
  if (from == to || spgc_ref_is_null(spgc_handle_get(cut)))
    return;
  struct spgc_ref rest = world_get(cut, NEXT);
  world_set(cut, NEXT, world_get(heads, 2 + to));
  world_set(heads, 2 + to, rest);
}

static void replace_first(struct spgc_handle heads, unsigned chain) {
  if (spgc_ref_is_null(world_get(heads, 2 + chain)))
    return;
  struct spgc_ref copy = spgc_allocate(&world_pair);
  const uint64_t *first = spgc_ref_memory(world_get(heads, 2 + chain));
  uint64_t *words = spgc_ref_memory(copy);
  words[1] = first[1];
  words[NEXT] = first[NEXT];
  world_set(heads, 2 + chain, copy);
}

START_TEST(chains_that_change_hands_while_a_thread_marks_keep_their_elements) {
  uint64_t elements = world_amount(60000, 15000, 15000);
  world_open_fixed(world_verifies() ? "nursery=128k,limit=3m,concurrent=on"
                                    : "nursery=128k,limit=10m,concurrent=on");
  struct spgc_random random = {5};
  struct spgc_handle heads = spgc_handle_make(spgc_allocate_array(&world_references, CHAINS));
  struct spgc_handle chain = world_new_list(elements);
  world_set(heads, 2, spgc_handle_get(chain));
  spgc_handle_set(chain, spgc_ref_null());
  while (world_old_collections() < cycles(5)) {
    struct spgc_scope scope = spgc_scope_open();
    unsigned from = (unsigned)(spgc_random_next(&random) % CHAINS),
             to = (unsigned)(spgc_random_next(&random) % CHAINS);
    exchange_rests(heads, from, to, spgc_random_next(&random) % 100);
    for (unsigned i = 0; i < CHAINS; i++)
      replace_first(heads, i);
    spgc_scope_close(scope);
  }
  uint64_t count = 0, sum = 0;
  for (unsigned i = 0; i < CHAINS; i++)
    for (const uint64_t *pair = spgc_ref_memory(world_get(heads, 2 + i)); pair != NULL;
         pair = (const uint64_t *)pair[NEXT], count++)
      sum += pair[1];
  ck_assert_uint_eq(count, elements);
  ck_assert_uint_eq(sum, elements * (elements - 1) / 2);
  world_close();
}
END_TEST

START_TEST(full_collections_abandon_a_marking_of_the_thread) {
  world_open_fixed("nursery=256k,limit=8m,concurrent=on,verify=full");
  enum { COUNT = 30000 };
  struct spgc_random random = {3};
  struct spgc_handle array = new_leaves(COUNT);
  for (int round = 0; round < 8; round++) {
    shuffle(array, COUNT, COUNT, &random);
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_le(world_statistics().live_bytes,
                      COUNT * (uint64_t)(world_leaf.size + 8) + 4096);
  }
  check_leaves(array, COUNT);
  world_close();
}
END_TEST

START_TEST(no_thread_runs_when_it_is_not_wanted) {
  world_open_fixed("nursery=256k,limit=12m,concurrent=off");
  struct spgc_random random = {9};
  struct spgc_handle array = new_leaves(100000);
  while (world_old_collections() < cycles(3)) {
    shuffle(array, 100000, 10000, &random);
    ck_assert_int_eq(world_count_threads("spgc-cycle"), 0);
  }
  check_leaves(array, 100000);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-concurrent", references_that_move_while_a_thread_marks_are_found,
                  the_thread_is_stopped_and_started_by_every_small_nursery,
                  the_thread_is_stopped_and_started_at_every_allocation,
                  chains_that_change_hands_while_a_thread_marks_keep_their_elements,
                  full_collections_abandon_a_marking_of_the_thread,
                  no_thread_runs_when_it_is_not_wanted)

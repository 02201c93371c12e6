/* Near the limit, each worker also needs blocks for its PLABs. */
#include <stdlib.h>

#include "heap_world.h"
#include "support/random.h"
#include "tests/support/suite.h"
#include "worker_count.h"

enum { SLOTS = 16000, LONGEST = 1000, ROUNDS = 3 };

static const char *const options[] = {"limit=6m,threads=16,move=always,verify=full",
                                      "limit=6m,threads=2,move=always,verify=full",
                                      "limit=12m,threads=16,nursery=1m,verify=full",
                                      "limit=12m,threads=4,nursery=1m,verify=full,concurrent=off"};

/* Elements refer to the array, the first to a leaf. */
static bool fill_slot(struct spgc_handle slots, unsigned slot, uint64_t length) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, length));
  bool filled = !spgc_ref_is_null(spgc_handle_get(array));
  if (filled) {
    for (unsigned i = 0; i < length; i++)
      world_set(array, 2 + i, spgc_handle_get(array));
    struct spgc_ref leaf = spgc_allocate(&world_leaf);
    filled = !spgc_ref_is_null(leaf);
    if (filled) {
      ((uint64_t *)spgc_ref_memory(leaf))[1] = slot;
      world_set(array, 2, leaf);
      world_set(slots, 2 + slot, spgc_handle_get(array));
    }
  }
  spgc_scope_close(scope);
  return filled;
}

static void check_slot(struct spgc_handle slots, unsigned slot) {
  struct spgc_ref array = world_get(slots, 2 + slot);
  if (spgc_ref_is_null(array))
    return;
  const uint64_t *words = spgc_ref_memory(array);
  const uint64_t *leaf = spgc_ref_memory(spgc_ref_from_word(words[2]));
  if (leaf[0] != (uintptr_t)&world_leaf || leaf[1] != slot)
    ck_abort_msg("the leaf of slot %u is not what it was", slot);
  for (uint64_t i = 1; i < words[1]; i++)
    if (words[2 + i] != array.word)
      ck_abort_msg("element %u of slot %u is not what it was", (unsigned)i, slot);
}

/* Lengths of all magnitudes. */
static uint64_t random_length(struct spgc_random *random) {
  uint64_t most = LONGEST >> spgc_random_next(random) % 8;
  return 1 + spgc_random_next(random) % most;
}

static unsigned fill(struct spgc_handle slots, struct spgc_random *random) {
  for (unsigned slot = 0; slot < SLOTS; slot++)
    if (spgc_ref_is_null(world_get(slots, 2 + slot)) &&
        !fill_slot(slots, slot, random_length(random)))
      return slot;
  return SLOTS;
}

START_TEST(workers_get_blocks_for_their_plabs_or_stay_away) {
  world_open_fixed(options[_i]);
  struct spgc_random random = {(uint64_t)_i};
  struct spgc_handle slots = spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
  for (int round = 0; round < ROUNDS; round++) {
    ck_assert_uint_lt(fill(slots, &random), SLOTS);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
      check_slot(slots, slot);
      if (spgc_random_next(&random) % 4 == 0)
        world_set(slots, 2 + slot, spgc_ref_null());
    }
    spgc_collect(round % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    for (unsigned slot = 0; slot < SLOTS; slot++)
      check_slot(slots, slot);
  }
  ck_assert_uint_ne(worker_count(), 0);
  world_close();
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("limit");
  TCase *tests = tcase_create("limit");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, workers_get_blocks_for_their_plabs_or_stay_away, 0,
                      sizeof options / sizeof options[0]);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}

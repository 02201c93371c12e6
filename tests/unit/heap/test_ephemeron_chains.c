#include <stdlib.h>

#include "check_main.h"
#include "gc/weak/weak_map.h"
#include "heap_world.h"
#include "support/random.h"
#include "weak_maps.h"

/* The value of each key is a pair that refers to the next key. Only the first key is kept. */
enum order { ASCENDING, DESCENDING, SHUFFLED };

static struct spgc_handle new_chain(unsigned count, enum order order, bool own_maps) {
  struct spgc_random random = {11};
  struct spgc_handle keys = spgc_handle_make(spgc_allocate_array(&world_references, count));
  struct spgc_handle first = spgc_handle_make(spgc_ref_null());
  struct spgc_weak_map shared = weak_map_new(spgc_ref_null());
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[1] = i;
    world_set(keys, 2 + i, pair);
  }
  unsigned *position = malloc(count * sizeof *position);
  ck_assert_ptr_nonnull(position);
  for (unsigned i = 0; i < count; i++)
    position[i] = order == DESCENDING ? count - 1 - i : i;
  for (unsigned i = count - 1; order == SHUFFLED && i > 0; i--) {
    unsigned k = (unsigned)(spgc_random_next(&random) % (i + 1)), swapped = position[i];
    position[i] = position[k];
    position[k] = swapped;
  }
  for (unsigned i = 0; i < count; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle value = spgc_handle_make(spgc_allocate(&world_pair));
    unsigned k = position[i];
    if (k + 1 < count)
      world_set(value, 3, world_get(keys, 2 + k + 1));
    struct spgc_handle key = spgc_handle_make(world_get(keys, 2 + k));
    weak_map_set(own_maps ? weak_map_new(spgc_handle_get(key)) : shared, key, value);
    spgc_scope_close(scope);
  }
  free(position);
  spgc_handle_set(first, world_get(keys, 2));
  spgc_handle_set(keys, spgc_ref_null());
  return first;
}

static unsigned chain_length(struct spgc_handle first, struct spgc_weak_map map) {
  unsigned length = 0;
  struct spgc_ref key = spgc_handle_get(first), value;
  while (!spgc_ref_is_null(key) && spgc_weak_map_get(map, key, &value)) {
    ck_assert_uint_eq(number_of(key), length);
    length++;
    key = spgc_ref_from_word(((const uint64_t *)spgc_ref_memory(value))[3]);
  }
  return length;
}

START_TEST(chains_are_followed_in_any_order) {
  world_open("verify=full,poison=on");
  enum { COUNT = 300 };
  for (enum order order = ASCENDING; order <= SHUFFLED; order++) {
    struct spgc_handle first = new_chain(COUNT, order, false);
    struct spgc_weak_map map = {order};
    for (int round = 0; round < 4; round++) {
      spgc_collect(round == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
      ck_assert_uint_eq(chain_length(first, map), COUNT);
    }
    spgc_handle_set(first, spgc_ref_null());
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(spgc_weak_map_count(map), 0);
  }
  world_close();
}
END_TEST

/* An entry is examined when its map is found alive, when its key is, and when its value is kept
 * alive. */
START_TEST(long_chains_take_linear_work) {
  world_open_fixed("nursery=256m,verify=none");
  enum { LENGTH = 100000, ROUNDS = 3 };
  for (int own_maps = 0; own_maps < 2; own_maps++) {
    struct spgc_scope scope = spgc_scope_open();
    new_chain(LENGTH, SHUFFLED, own_maps != 0);
    uint64_t before = spgc_weak_maps.entries_examined;
    for (int round = 0; round < ROUNDS; round++)
      spgc_collect(SPGC_COLLECTION_FULL);
    uint64_t examined = spgc_weak_maps.entries_examined - before;
    ck_assert_uint_ge(examined, ROUNDS * LENGTH);
    ck_assert_uint_le(examined, UINT64_C(8) * ROUNDS * LENGTH);
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-ephemeron-chains", chains_are_followed_in_any_order,
                  long_chains_take_linear_work)

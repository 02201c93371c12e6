#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "support/random.h"
#include "weak_maps.h"

static struct spgc_ref get(struct spgc_weak_map map, struct spgc_ref key) {
  struct spgc_ref value;
  if (!spgc_weak_map_get(map, key, &value))
    ck_abort_msg("the map has lost a key");
  return value;
}

START_TEST(entries_are_found_set_and_removed) {
  world_open("verify=full");
  struct spgc_handle key = world_new_leaf(1), other = world_new_leaf(2), value = world_new_leaf(3);
  struct spgc_weak_map map = weak_map_new(spgc_ref_null()), second = weak_map_new(spgc_ref_null());
  ck_assert(!spgc_weak_map_get(map, spgc_handle_get(key), NULL));
  weak_map_set(map, key, value);
  weak_map_set(second, key, other);
  weak_map_set(map, key, value);
  ck_assert_uint_eq(spgc_weak_map_count(map), 1);
  ck_assert(!spgc_weak_map_get(map, spgc_handle_get(other), NULL));
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(spgc_ref_equal(get(map, spgc_handle_get(key)), spgc_handle_get(value)));
  weak_map_set(map, key, other);
  ck_assert_uint_eq(spgc_weak_map_count(map), 1);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(spgc_ref_equal(get(map, spgc_handle_get(key)), spgc_handle_get(other)));
  ck_assert(spgc_weak_map_remove(map, spgc_handle_get(key)));
  ck_assert(!spgc_weak_map_remove(map, spgc_handle_get(key)));
  ck_assert_uint_eq(spgc_weak_map_count(map), 0);
  ck_assert(spgc_ref_equal(get(second, spgc_handle_get(key)), spgc_handle_get(other)));
  ck_assert_int_eq(spgc_weak_map_set(map, spgc_ref_from_word(3), spgc_handle_get(key), NULL),
                   SPGC_ERROR_INVALID_ARGUMENT);
  spgc_weak_map_destroy(second);
  world_close();
}
END_TEST

/* Even keys stay in the array. */
static struct spgc_handle fill(struct spgc_weak_map map, unsigned count) {
  struct spgc_handle keys = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle key = world_new_leaf(i), value = world_new_leaf(i);
    weak_map_set(map, key, value);
    if (i % 2 == 0)
      world_set(keys, 2 + i, spgc_handle_get(key));
    spgc_scope_close(scope);
  }
  return keys;
}

START_TEST(entries_of_dead_keys_disappear) {
  world_open("poison=on");
  unsigned count = (unsigned)world_amount(4000, 4000, 300);
  struct spgc_weak_map map = weak_map_new(spgc_ref_null());
  struct spgc_handle keys = fill(map, count);
  for (int round = 0; round < 3; round++) {
    spgc_collect(round == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    ck_assert_uint_le(spgc_weak_map_count(map), count);
    for (unsigned i = 0; i < count; i += 2)
      ck_assert_uint_eq(number_of(get(map, world_get(keys, 2 + i))), i);
  }
  ck_assert_uint_eq(spgc_weak_map_count(map), count / 2);
  spgc_handle_set(keys, spgc_ref_null());
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(spgc_weak_map_count(map), 0);
  world_close();
}
END_TEST

START_TEST(a_value_that_leads_to_its_key_does_not_keep_it) {
  world_open("verify=full,poison=on");
  struct spgc_weak_map map = weak_map_new(spgc_ref_null());
  for (int old = 0; old < 2; old++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle key = world_new_leaf(1),
                       value = spgc_handle_make(spgc_allocate(&world_pair));
    world_set(value, 2, spgc_handle_get(key));
    weak_map_set(map, key, value);
    if (old)
      spgc_collect(SPGC_COLLECTION_MINOR);
    spgc_scope_close(scope);
    spgc_collect(old || world_is_stressed() ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    ck_assert_uint_eq(spgc_weak_map_count(map), 0);
  }
  world_close();
}
END_TEST

START_TEST(a_map_dies_with_its_owner) {
  world_open("verify=full,poison=on");
  for (int old = 0; old < 2; old++) {
    struct spgc_handle key = world_new_leaf(1), kept = world_new_leaf(9);
    uint64_t live_before = 0;
    struct spgc_weak_map map = weak_map_new(spgc_handle_get(kept));
    weak_map_set(map, key, world_new_leaf(4));
    spgc_collect(SPGC_COLLECTION_FULL);
    live_before = world_statistics().live_bytes;
    if (old)
      spgc_collect(SPGC_COLLECTION_MINOR);
    ck_assert_uint_eq(number_of(get(map, spgc_handle_get(key))), 4);
    spgc_handle_set(kept, spgc_ref_null());
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_lt(world_statistics().live_bytes, live_before);
    ck_assert_uint_eq(weak_map_new(spgc_ref_null()).number, map.number);
  }
  world_close();
}
END_TEST

START_TEST(a_key_that_waits_for_its_finalizer_has_its_value) {
  world_open("verify=full,poison=on");
  for (int old = 0; old < 2; old++) {
    struct spgc_weak_map map = weak_map_new(spgc_ref_null());
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle key = world_new_leaf(5);
    weak_map_set(map, key, world_new_leaf(6));
    ck_assert_int_eq(spgc_finalizer_register(spgc_handle_get(key), spgc_ref_null(), NULL), SPGC_OK);
    if (old)
      spgc_collect(SPGC_COLLECTION_MINOR);
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_FULL);
    spgc_collect(SPGC_COLLECTION_FULL);
    struct spgc_finalizer finalizer;
    ck_assert(spgc_finalizer_next(&finalizer));
    ck_assert_uint_eq(number_of(get(map, finalizer.object)), 6);
    finalizer.object = spgc_ref_null();
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(spgc_weak_map_count(map), 0);
  }
  world_close();
}
END_TEST

START_TEST(values_set_during_marking_are_found) {
  world_open("nursery=256k,limit=16m");
  enum { STEPS = 150000 };
  unsigned count = (unsigned)world_amount(1000, 1000, 200);
  struct spgc_random random = {5};
  struct spgc_weak_map map = weak_map_new(spgc_ref_null());
  struct spgc_handle keys = spgc_handle_make(spgc_allocate_array(&world_references, count));
  struct spgc_handle ring = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++)
    world_set(keys, 2 + i, spgc_allocate(&world_leaf));
  unsigned steps = (unsigned)world_amount(STEPS, STEPS / 30, STEPS / 1000);
  for (unsigned step = 0; step < steps; step++) {
    unsigned i = (unsigned)(spgc_random_next(&random) % count),
             k = (unsigned)(spgc_random_next(&random) % count);
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle value = world_new_list(3);
    weak_map_set(map, spgc_handle_make(world_get(keys, 2 + i)), value);
    struct spgc_ref other;
    if (spgc_weak_map_get(map, world_get(keys, 2 + k), &other)) {
      world_check_list(spgc_handle_make(other), 3);
      if (step % 3 == 0)
        spgc_weak_map_remove(map, world_get(keys, 2 + k));
      else
        weak_map_set(map, spgc_handle_make(world_get(keys, 2 + i)), spgc_handle_make(other));
    }
    world_set(ring, 2 + k, spgc_allocate_array(&world_bytes, 150));
    spgc_scope_close(scope);
  }
  ck_assert(world_is_stressed() || world_verifies() || world_old_collections() > 1);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-weak-map", entries_are_found_set_and_removed,
                  entries_of_dead_keys_disappear, a_value_that_leads_to_its_key_does_not_keep_it,
                  a_map_dies_with_its_owner, a_key_that_waits_for_its_finalizer_has_its_value,
                  values_set_during_marking_are_found)

#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/weak.h"

static bool leads_to(struct spgc_handle holder, uint64_t number) {
  struct spgc_ref referent = world_weak_referent(holder);
  return spgc_is_heap_reference(referent) &&
         ((const uint64_t *)spgc_ref_memory(referent))[1] == number;
}

static bool is_cleared(struct spgc_handle holder) {
  return spgc_ref_is_null(world_weak_referent(holder));
}

/* When it `dies`, the referent is not in a handle. */
static struct spgc_handle new_case(bool old_holder, bool old_referent, bool dies) {
  struct spgc_handle holder = spgc_handle_make(spgc_ref_null()),
                     kept = spgc_handle_make(spgc_ref_null());
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle made = spgc_handle_make(spgc_ref_null()),
                     leaf = spgc_handle_make(spgc_ref_null());
  if (old_holder)
    spgc_handle_set(made, spgc_allocate(&world_holder));
  if (old_referent)
    spgc_handle_set(leaf, spgc_handle_get(world_new_leaf(7)));
  spgc_collect(SPGC_COLLECTION_MINOR);
  if (!old_holder)
    spgc_handle_set(made, spgc_allocate(&world_holder));
  if (!old_referent)
    spgc_handle_set(leaf, spgc_handle_get(world_new_leaf(7)));
  ck_assert_int_eq(
      spgc_weak_bind(spgc_handle_get(made), WORLD_WEAK_OFFSET, spgc_handle_get(leaf), NULL),
      SPGC_OK);
  spgc_handle_set(holder, spgc_handle_get(made));
  if (!dies)
    spgc_handle_set(kept, spgc_handle_get(leaf));
  spgc_scope_close(scope);
  return holder;
}

START_TEST(a_field_follows_a_referent_that_lives) {
  world_open("verify=full,poison=on");
  for (int ages = 0; ages < 4; ages++) {
    struct spgc_handle holder = new_case((ages & 1) != 0, (ages & 2) != 0, false);
    for (int round = 0; round < 3; round++) {
      ck_assert(leads_to(holder, 7));
      spgc_collect(round == 1 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    }
    ck_assert(leads_to(holder, 7));
  }
  world_close();
}
END_TEST

START_TEST(a_field_is_cleared_when_its_referent_dies) {
  world_open_fixed("verify=full,poison=on");
  for (int ages = 0; ages < 4; ages++) {
    struct spgc_handle holder = new_case((ages & 1) != 0, (ages & 2) != 0, true);
    spgc_collect((ages & 2) != 0 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    ck_assert(is_cleared(holder));
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert(is_cleared(holder));
  }
  world_close();
}
END_TEST

START_TEST(fields_of_large_objects_and_to_large_objects) {
  world_open("verify=full,poison=on");
  enum { LENGTH = 100000 };
  struct spgc_handle bytes = spgc_handle_make(spgc_allocate_array(&world_bytes, LENGTH));
  struct spgc_handle to_large = world_new_holder(bytes);
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_bytes, LENGTH));
  struct spgc_handle leaf = world_new_leaf(3);
  enum { OFFSET = 8192 };
  ck_assert_int_eq(spgc_weak_bind(spgc_handle_get(large), OFFSET, spgc_handle_get(leaf), NULL),
                   SPGC_OK);
  for (int round = 0; round < 2; round++) {
    spgc_collect(round == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    ck_assert(spgc_ref_equal(world_weak_referent(to_large), spgc_handle_get(bytes)));
    ck_assert(spgc_ref_equal(spgc_weak_get(spgc_handle_get(large), OFFSET), spgc_handle_get(leaf)));
  }
  spgc_handle_set(bytes, spgc_ref_null());
  spgc_handle_set(leaf, spgc_ref_null());
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(is_cleared(to_large));
  ck_assert(spgc_ref_is_null(spgc_weak_get(spgc_handle_get(large), OFFSET)));
  world_close();
}
END_TEST

START_TEST(binding_again_replaces_the_referent) {
  world_open("verify=full,poison=on");
  struct spgc_handle first = world_new_leaf(1), holder = world_new_holder(first);
  for (int round = 0; round < 1000; round++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle second = world_new_leaf(2);
    ck_assert_int_eq(
        spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET, spgc_handle_get(second), NULL),
        SPGC_OK);
    if (round % 100 == 0)
      spgc_collect(SPGC_COLLECTION_MINOR);
    ck_assert(leads_to(holder, 2));
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(is_cleared(holder));
  struct spgc_ref immediate = spgc_ref_from_word(5);
  ck_assert_int_eq(spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET, immediate, NULL),
                   SPGC_OK);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_weak_referent(holder).word, 5);
  world_close();
}
END_TEST

START_TEST(what_is_no_free_word_is_refused) {
  world_open("verify=full");
  struct spgc_error error;
  struct spgc_handle holder = spgc_handle_make(spgc_allocate(&world_holder)),
                     leaf = world_new_leaf(1);
  struct spgc_handle values = spgc_handle_make(spgc_allocate(&world_values));
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_bytes, 16));
  const struct {
    struct spgc_handle object;
    uint32_t offset;
  } wrong[] = {{holder, 0}, {holder, 12}, {holder, 24}, {holder, 32},
               {values, 8}, {array, 8},   {array, 32}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    ck_assert_int_eq(spgc_weak_bind(spgc_handle_get(wrong[i].object), wrong[i].offset,
                                    spgc_handle_get(leaf), &error),
                     SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_weak_bind(spgc_ref_null(), 8, spgc_handle_get(leaf), &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_weak_bind(spgc_handle_get(array), 24, spgc_handle_get(leaf), &error),
                   SPGC_OK);
  world_close();
}
END_TEST

START_TEST(all_fields_of_an_object_are_cleared_at_once) {
  world_open("nursery=64k,limit=64m");
  enum { LEAVES = 30 };
  unsigned holders = (unsigned)world_amount(3000, 3000, 300);
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, holders));
  struct spgc_handle leaves = spgc_handle_make(spgc_allocate_array(&world_references, LEAVES));
  for (unsigned i = 0; i < LEAVES; i++)
    world_set(leaves, 2 + i, spgc_allocate(&world_leaf));
  for (unsigned i = 0; i < holders; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(
        array, 2 + i,
        spgc_handle_get(world_new_holder(spgc_handle_make(world_get(leaves, 2 + i % LEAVES)))));
    spgc_scope_close(scope);
  }
  for (unsigned i = 0; i < LEAVES; i += 3)
    world_set(leaves, 2 + i, spgc_ref_null());
  for (int round = 0; round < 50; round++) {
    unsigned cleared[LEAVES] = {0};
    for (unsigned i = 0; i < holders; i++)
      cleared[i % LEAVES] +=
          spgc_ref_is_null(spgc_weak_get(world_get(array, 2 + i), WORLD_WEAK_OFFSET));
    for (unsigned k = 0; k < LEAVES; k++)
      ck_assert(cleared[k] == 0 || (k % 3 == 0 && cleared[k] == holders / LEAVES));
    if (round == 48)
      spgc_collect(SPGC_COLLECTION_FULL);
    else
      world_new_list(50);
    ck_assert(round != 49 || cleared[0] != 0);
  }
  world_close();
}
END_TEST

START_TEST(a_referent_taken_during_marking_lives) {
  world_open("nursery=256k,limit=16m,verify=full");
  unsigned count = (unsigned)world_amount(500, 500, 150);
  struct spgc_handle holders = spgc_handle_make(spgc_allocate_array(&world_references, count));
  struct spgc_handle taken = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle leaf = world_new_leaf(i);
    world_set(taken, 2 + i, spgc_handle_get(leaf));
    world_set(holders, 2 + i, spgc_handle_get(world_new_holder(leaf)));
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t cycles = world_old_collections();
  uint64_t goal = cycles + 3;
  for (unsigned step = 0; world_old_collections() < goal; step++) {
    unsigned i = step % count; /* the only strong reference goes and comes back */
    world_set(taken, 2 + i, spgc_ref_null());
    unsigned back = (step + count - 3) % count;
    struct spgc_ref referent = spgc_weak_get(world_get(holders, 2 + back), WORLD_WEAK_OFFSET);
    if (spgc_is_heap_reference(referent)) {
      ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(referent))[1], back);
      world_set(taken, 2 + back, referent);
    }
    spgc_allocate_array(&world_bytes, 400);
    struct spgc_scope scope = spgc_scope_open();
    if (step % 8 == 0)
      world_new_list(20);
    spgc_scope_close(scope);
    if (step % 50000 == 49999)
      spgc_collect(SPGC_COLLECTION_FULL);
  }
  unsigned live = 0;
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref referent = world_get(taken, 2 + i);
    if (!spgc_is_heap_reference(referent))
      continue;
    live++;
    ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(referent))[1], i);
    ck_assert(
        spgc_ref_equal(spgc_weak_get(world_get(holders, 2 + i), WORLD_WEAK_OFFSET), referent));
  }
  ck_assert_uint_gt(live, count / 2);
  world_close();
}
END_TEST

START_TEST(dead_objects_in_the_old_space_are_found_by_cycles) {
  world_open("nursery=256k,limit=16m");
  unsigned count = (unsigned)world_amount(2000, 2000, 300);
  struct spgc_handle holders = spgc_handle_make(spgc_allocate_array(&world_references, count));
  struct spgc_handle leaves = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle leaf = world_new_leaf(i);
    world_set(leaves, 2 + i, spgc_handle_get(leaf));
    world_set(holders, 2 + i, spgc_handle_get(world_new_holder(leaf)));
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (unsigned i = 0; i < count; i += 2)
    world_set(leaves, 2 + i, spgc_ref_null());
  world_churn(3);
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref referent = spgc_weak_get(world_get(holders, 2 + i), WORLD_WEAK_OFFSET);
    ck_assert(spgc_ref_equal(referent, world_get(leaves, 2 + i)));
  }
  world_close();
}
END_TEST

START_TEST(fields_are_cleared_before_objects_are_queued) {
  world_open("verify=full,poison=on");
  for (int old = 0; old < 2; old++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle doomed = world_new_leaf(1), outside = spgc_handle_make(spgc_ref_null());
    struct spgc_handle holder = world_new_holder(doomed),
                       to_holder = spgc_handle_make(spgc_ref_null());
    spgc_handle_set(to_holder, spgc_handle_get(world_new_holder(holder)));
    ck_assert_int_eq(spgc_finalizer_register(spgc_handle_get(holder), spgc_ref_null(), NULL),
                     SPGC_OK);
    spgc_handle_set(outside, spgc_handle_get(to_holder));
    if (old)
      spgc_collect(SPGC_COLLECTION_MINOR);
    struct spgc_handle kept = spgc_global_handle_make(spgc_handle_get(outside));
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert(is_cleared(kept));
    struct spgc_finalizer finalizer;
    ck_assert(spgc_finalizer_next(&finalizer));
    ck_assert(spgc_ref_is_null(spgc_weak_get(finalizer.object, WORLD_WEAK_OFFSET)));
    spgc_global_handle_release(kept);
  }
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-weak", a_field_follows_a_referent_that_lives,
                  a_field_is_cleared_when_its_referent_dies,
                  fields_of_large_objects_and_to_large_objects, binding_again_replaces_the_referent,
                  what_is_no_free_word_is_refused, all_fields_of_an_object_are_cleared_at_once,
                  a_referent_taken_during_marking_lives,
                  dead_objects_in_the_old_space_are_found_by_cycles,
                  fields_are_cleared_before_objects_are_queued)

#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/weak.h"
#include "support/random.h"

static uint64_t number_of(struct spgc_ref object) {
  return ((const uint64_t *)spgc_ref_memory(object))[1];
}

static void register_finalizer(struct spgc_handle object, struct spgc_ref held) {
  struct spgc_error error;
  enum spgc_result result = spgc_finalizer_register(spgc_handle_get(object), held, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

static uint64_t next_number(void) {
  struct spgc_finalizer finalizer;
  ck_assert(spgc_finalizer_next(&finalizer));
  return number_of(finalizer.object);
}

/* In the order of their numbers, every `old_period`-th of them old; all die. */
static void register_leaves(unsigned count, unsigned old_period) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaves = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i += old_period)
    world_set(leaves, 2 + i, spgc_handle_get(world_new_leaf(i)));
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (unsigned i = 0; i < count; i++) {
    struct spgc_scope inner = spgc_scope_open();
    struct spgc_handle leaf = spgc_handle_make(world_get(leaves, 2 + i));
    if (i % old_period != 0) {
      spgc_handle_set(leaf, spgc_handle_get(world_new_leaf(i)));
      world_set(leaves, 2 + i, spgc_handle_get(leaf));
    }
    register_finalizer(leaf, spgc_ref_from_word(2 * i + 1));
    spgc_scope_close(inner);
  }
  spgc_scope_close(scope);
}

START_TEST(dead_objects_are_queued_in_the_order_of_registration) {
  world_open("verify=full,poison=on");
  unsigned count = (unsigned)world_amount(2000, 2000, 300);
  for (unsigned period = 1; period < 6; period += 2) {
    register_leaves(count, period);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(spgc_finalizers_waiting(), count);
    for (unsigned i = 0; i < count; i++) {
      struct spgc_finalizer finalizer;
      ck_assert(spgc_finalizer_next(&finalizer));
      ck_assert_uint_eq(number_of(finalizer.object), i);
      ck_assert_uint_eq(finalizer.held.word, 2 * i + 1);
    }
    struct spgc_finalizer none;
    ck_assert(!spgc_finalizer_next(&none));
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
  }
  world_close();
}
END_TEST

START_TEST(young_objects_are_found_by_minor_collections) {
  world_open("verify=full,poison=on");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle dies = world_new_leaf(1);
  register_finalizer(dies, spgc_ref_null());
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(next_number(), 1);
  world_close();
}
END_TEST

START_TEST(what_waits_lives_with_all_it_refers_to) {
  world_open("poison=on");
  uint64_t length = world_amount(3000, 3000, 300);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = world_new_list(length), held = world_new_leaf(77);
  register_finalizer(list, spgc_handle_get(held));
  spgc_scope_close(scope);
  for (int round = 0; round < 5; round++) {
    spgc_collect(round % 2 == 0 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 1);
  }
  struct spgc_finalizer finalizer;
  ck_assert(spgc_finalizer_next(&finalizer));
  ck_assert_uint_eq(number_of(finalizer.held), 77);
  world_check_list(spgc_handle_make(finalizer.object), length);
  world_close();
}
END_TEST

START_TEST(an_object_can_be_resurrected_and_registered_again) {
  world_open("verify=full,poison=on");
  struct spgc_handle kept = spgc_handle_make(spgc_ref_null());
  struct spgc_scope scope = spgc_scope_open();
  register_finalizer(world_new_leaf(5), spgc_ref_null());
  spgc_scope_close(scope);
  for (int life = 0; life < 3; life++) {
    spgc_collect(SPGC_COLLECTION_FULL);
    struct spgc_finalizer finalizer;
    ck_assert(spgc_finalizer_next(&finalizer));
    spgc_handle_set(kept, finalizer.object);
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
    ck_assert_uint_eq(world_get_word(kept, 1), 5);
    register_finalizer(kept, spgc_ref_null());
    spgc_collect(SPGC_COLLECTION_MINOR);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
    spgc_handle_set(kept, spgc_ref_null());
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(next_number(), 5);
  world_close();
}
END_TEST

START_TEST(objects_that_refer_to_each_other_are_queued_together) {
  world_open("verify=full,poison=on");
  for (int old = 0; old < 2; old++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle first = world_new_list(1), second = world_new_list(1);
    world_set_word(second, 1, 1);
    world_set(first, 3, spgc_handle_get(second));
    world_set(second, 3, spgc_handle_get(first));
    register_finalizer(second, spgc_ref_null());
    register_finalizer(first, spgc_ref_null());
    register_finalizer(second, spgc_ref_null());
    if (old)
      spgc_collect(SPGC_COLLECTION_MINOR);
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 3);
    ck_assert_uint_eq(next_number(), 1);
    ck_assert_uint_eq(next_number(), 0);
    ck_assert_uint_eq(next_number(), 1);
  }
  world_close();
}
END_TEST

START_TEST(a_registration_can_be_taken_back) {
  world_open("verify=full");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(1);
  register_finalizer(leaf, spgc_ref_from_word(1));
  register_finalizer(leaf, spgc_ref_from_word(3));
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(spgc_finalizer_cancel(spgc_handle_get(leaf)));
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_finalizer finalizer;
  ck_assert(spgc_finalizer_next(&finalizer));
  ck_assert_uint_eq(finalizer.held.word, 1);
  ck_assert(!spgc_finalizer_cancel(finalizer.object));
  ck_assert_int_eq(spgc_finalizer_register(spgc_ref_null(), spgc_ref_null(), NULL),
                   SPGC_ERROR_INVALID_ARGUMENT);
  world_close();
}
END_TEST

START_TEST(an_object_its_finalizer_holds_never_dies) {
  world_open("verify=full");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(1), pair = world_new_list(1);
  world_set(pair, 3, spgc_handle_get(leaf));
  register_finalizer(leaf, spgc_handle_get(pair));
  spgc_scope_close(scope);
  for (int round = 0; round < 3; round++)
    spgc_collect(round == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
  world_close();
}
END_TEST

START_TEST(cycles_find_what_only_registrations_hold) {
  world_open("nursery=256k,limit=16m,poison=on");
  enum { COUNT = 100 };
  struct spgc_handle leaf = world_new_leaf(1);
  for (unsigned i = 0; i < COUNT; i++) {
    struct spgc_scope scope = spgc_scope_open();
    register_finalizer(leaf, spgc_handle_get(world_new_list(i % 10 + 1)));
    spgc_scope_close(scope);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_churn(world_verifies() ? 1 : 3);
  spgc_finalizers_queue_all();
  world_churn(1);
  for (unsigned i = 0; i < COUNT; i++) {
    struct spgc_finalizer finalizer;
    ck_assert(spgc_finalizer_next(&finalizer));
    ck_assert_uint_eq(number_of(finalizer.object), 1);
    world_check_list(spgc_handle_make(finalizer.held), i % 10 + 1);
  }
  world_close();
}
END_TEST

START_TEST(everything_can_be_queued_at_the_end) {
  world_open("verify=full");
  struct spgc_handle alive = world_new_leaf(0);
  register_leaves(10, 3);
  register_finalizer(alive, spgc_ref_from_word(99));
  spgc_finalizers_queue_all();
  ck_assert_uint_eq(spgc_finalizers_waiting(), 11);
  spgc_collect(SPGC_COLLECTION_FULL);
  for (unsigned i = 0; i < 10; i++)
    ck_assert_uint_eq(next_number(), i);
  struct spgc_finalizer last;
  ck_assert(spgc_finalizer_next(&last));
  ck_assert(spgc_ref_equal(last.object, spgc_handle_get(alive)));
  world_close();
}
END_TEST

START_TEST(stopping_forgets_what_waits) {
  for (int life = 0; life < 2; life++) {
    world_open("verify=full");
    ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
    register_leaves(100, 2);
    spgc_collect(SPGC_COLLECTION_FULL);
    register_leaves(100, 2);
    ck_assert_uint_eq(next_number(), 0);
    world_close();
  }
}
END_TEST

START_TEST(cycles_queue_each_dead_object_once) {
  world_open("nursery=256k,limit=16m");
  enum { OBJECTS = 20000, SLOTS = 500, LARGE_PERIOD = 500 };
  struct spgc_random random = {3};
  unsigned char *queued = calloc(OBJECTS, 1);
  ck_assert_ptr_nonnull(queued);
  struct spgc_handle slots = spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
  unsigned found = 0, made = 0;
  unsigned objects = world_is_stressed() ? OBJECTS / 20 : OBJECTS;
  while (found < objects) {
    struct spgc_scope scope = spgc_scope_open();
    if (made < objects) {
      bool large = made % LARGE_PERIOD == 0;
      struct spgc_handle object =
          large ? spgc_handle_make(spgc_allocate_array(&world_bytes, 20000)) : world_new_leaf(made);
      register_finalizer(object, spgc_ref_from_word(2 * made + 1));
      world_set(slots, 2 + (unsigned)(spgc_random_next(&random) % SLOTS), spgc_handle_get(object));
      made++;
    } else {
      spgc_handle_set(slots, spgc_handle_get(world_new_list(1)));
      spgc_collect(SPGC_COLLECTION_FULL);
    }
    struct spgc_finalizer finalizer;
    while (spgc_finalizer_next(&finalizer)) {
      uint64_t number = finalizer.held.word / 2;
      ck_assert(number < objects && !queued[number]);
      ck_assert(number % LARGE_PERIOD == 0 || number_of(finalizer.object) == number);
      queued[number] = 1;
      found++;
    }
    spgc_scope_close(scope);
  }
  free(queued);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-finalizer", dead_objects_are_queued_in_the_order_of_registration,
                  young_objects_are_found_by_minor_collections,
                  what_waits_lives_with_all_it_refers_to,
                  an_object_can_be_resurrected_and_registered_again,
                  objects_that_refer_to_each_other_are_queued_together,
                  a_registration_can_be_taken_back, an_object_its_finalizer_holds_never_dies,
                  cycles_find_what_only_registrations_hold, everything_can_be_queued_at_the_end,
                  stopping_forgets_what_waits, cycles_queue_each_dead_object_once)

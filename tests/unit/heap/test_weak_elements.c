#include "check_main.h"
#include "gc/state/runtime.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/pin.h"

struct element {
  uint64_t number; /* the last stored leaf's; not a reference */
  struct spgc_ref leaf;
};

struct array {
  const struct spgc_type *type;
  uint64_t length;
  struct element at[];
};

static const uint32_t leaf_offset = offsetof(struct element, leaf);
static const struct spgc_type weak_type = {.size = offsetof(struct array, at),
                                           .element_size = sizeof(struct element),
                                           .flags = SPGC_TYPE_TAIL | SPGC_TYPE_TAIL_WEAK,
                                           .element_reference_count = 1,
                                           .element_reference_offsets = &leaf_offset,
                                           .name = "weak"};

static struct array *array_of(struct spgc_handle handle) {
  return spgc_ref_memory(spgc_handle_get(handle));
}

static struct spgc_handle new_array(uint64_t length) {
  return spgc_handle_make(spgc_allocate_array(&weak_type, length));
}

static struct spgc_ref leaf_at(struct spgc_handle array, uint64_t i) {
  return array_of(array)->at[i].leaf;
}

static void store(struct spgc_handle array, uint64_t i, struct spgc_ref leaf, uint64_t number) {
  array_of(array)->at[i].number = number;
  spgc_store(spgc_slot_at(&array_of(array)->at[i].leaf), leaf);
}

static void store_new(struct spgc_handle array, uint64_t i, uint64_t number) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(number);
  store(array, i, spgc_handle_get(leaf), number);
  spgc_scope_close(scope);
}

static uint64_t number_of(struct spgc_ref leaf) {
  return ((const uint64_t *)spgc_ref_memory(leaf))[1];
}

static uint64_t wrong_elements(struct spgc_handle array, struct spgc_handle kept) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < array_of(array)->length; i++) {
    struct spgc_ref leaf = leaf_at(array, i), expected = world_get(kept, (unsigned)i + 2);
    wrong += !spgc_ref_equal(leaf, expected) || array_of(array)->at[i].number != i ||
             (i % 3 == 0 && number_of(leaf) != i);
  }
  return wrong;
}

static void check_array(uint64_t length, bool is_old) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = new_array(length),
                     kept = spgc_handle_make(spgc_allocate_array(&world_references, length));
  if (is_old)
    spgc_collect(SPGC_COLLECTION_MINOR);
  for (uint64_t i = 0; i < length; i++) {
    store_new(array, i, i);
    if (i % 3 == 0)
      world_set(kept, (unsigned)i + 2, leaf_at(array, i));
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(wrong_elements(array, kept), 0);
  spgc_scope_close(scope);
}

START_TEST(elements_follow_what_lives_and_are_cleared) {
  world_open("verify=full,poison=on");
  for (int old = 0; old < 2; old++) {
    check_array(10, old);
    check_array(world_amount(20000, 10000, 200), old);
  }
  world_close();
}
END_TEST

START_TEST(words_that_are_numbers_stay) {
  static const struct spgc_type type = {.size = 16,
                                        .element_size = 8,
                                        .flags = SPGC_TYPE_TAIL | SPGC_TYPE_TAIL_VALUES |
                                                 SPGC_TYPE_TAIL_WEAK};
  world_open("verify=full,poison=on");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&type, 2));
  struct spgc_scope scope = spgc_scope_open();
  world_set(array, 2, spgc_ref_from_word(77));
  world_set(array, 3, spgc_handle_get(world_new_leaf(1)));
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_get(array, 2).word, 77);
  ck_assert(spgc_ref_is_null(world_get(array, 3)));
  world_close();
}
END_TEST

START_TEST(elements_are_cleared_before_objects_are_queued) {
  world_open("verify=full,poison=on");
  struct spgc_handle array = new_array(1);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle doomed = world_new_leaf(1);
  ck_assert_int_eq(spgc_finalizer_register(spgc_handle_get(doomed), spgc_ref_null(), NULL),
                   SPGC_OK);
  store(array, 0, spgc_handle_get(doomed), 1);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(spgc_ref_is_null(leaf_at(array, 0)));
  struct spgc_finalizer finalizer;
  ck_assert(spgc_finalizer_next(&finalizer));
  world_close();
}
END_TEST

/* Only the first leaf is reached through the waiting object. */
START_TEST(an_array_that_a_finalizer_keeps_has_no_dead_elements) {
  world_open("verify=full,poison=on");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = new_array(2), leaf = world_new_leaf(4),
                     doomed = spgc_handle_make(spgc_allocate(&world_pair));
  store(array, 0, spgc_handle_get(leaf), 4);
  store_new(array, 1, 5);
  world_set(doomed, 2, spgc_handle_get(array));
  world_set(doomed, 3, spgc_handle_get(leaf));
  ck_assert_int_eq(spgc_finalizer_register(spgc_handle_get(doomed), spgc_ref_null(), NULL),
                   SPGC_OK);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_finalizer finalizer;
  ck_assert(spgc_finalizer_next(&finalizer));
  struct spgc_handle kept = spgc_handle_make(finalizer.object);
  array = spgc_handle_make(world_get(kept, 2));
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(spgc_ref_is_null(leaf_at(array, 1)));
  ck_assert(spgc_ref_is_null(leaf_at(array, 0)) ||
            spgc_ref_equal(leaf_at(array, 0), world_get(kept, 3)));
  world_close();
}
END_TEST

/* Stores new leaves to every `step`th element, and keeps the first. Returns how many others a minor
 * collection leaves. */
static uint64_t left_by_minor(struct spgc_handle array, uint64_t step) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept = world_new_leaf(7);
  uint64_t left = 0, length = array_of(array)->length;
  store(array, 0, spgc_handle_get(kept), 7);
  for (uint64_t i = step; i < length; i += step)
    store_new(array, i, i);
  uintptr_t before = spgc_handle_get(kept).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ne(spgc_handle_get(kept).word, before);
  ck_assert(spgc_ref_equal(leaf_at(array, 0), spgc_handle_get(kept)));
  ck_assert_uint_eq(number_of(leaf_at(array, 0)), 7);
  for (uint64_t i = step; i < length; i += step)
    left += !spgc_ref_is_null(leaf_at(array, i));
  spgc_scope_close(scope);
  return left;
}

static void check_minor(uint64_t length, uint64_t step) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = new_array(length);
  ck_assert_uint_eq(left_by_minor(array, step), 0);
  ck_assert_uint_eq(left_by_minor(array, step), 0);
  spgc_scope_close(scope);
}

/* With dirty group cards, and with fields in store buffers. */
START_TEST(minor_collections_clear_elements_of_large_arrays) {
  static const char *const options[] = {"verify=full,poison=on,without=prediction",
                                        "verify=full,poison=on,without=prediction,threads=4"};
  const uint64_t length = world_amount(20000, 10000, 2000);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    world_open_fixed(options[i]);
    check_minor(length, 1);
    check_minor(length, 500);
    world_close();
  }
}
END_TEST

/* Dirty cards suffice, but fields in store buffers do not say whose they are. */
START_TEST(minor_collections_clear_elements_of_small_arrays) {
  world_open_fixed("verify=full,poison=on,without=prediction");
  struct spgc_handle array = new_array(100);
  ck_assert_uint_eq(left_by_minor(array, 1), 0);
  ck_assert_uint_eq(left_by_minor(array, 1), 0);
  world_close();
}
END_TEST

START_TEST(elements_of_pinned_arrays_are_weak) {
  static const char *const options[] = {"verify=full,poison=on,without=prediction,threads=1",
                                        "verify=full,poison=on,without=prediction,threads=2"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    world_open(options[i]);
    struct spgc_handle array = new_array(10);
    ck_assert_int_eq(spgc_pin(spgc_handle_get(array), NULL), SPGC_OK);
    ck_assert_uint_eq(left_by_minor(array, 1), 0);
    spgc_unpin(spgc_handle_get(array));
    world_close();
  }
}
END_TEST

START_TEST(elements_that_cannot_be_recorded_keep_their_objects_once) {
  world_open_fixed("verify=full,poison=on,without=prediction");
  const uint64_t length = world_amount(5000, 2000, 2000);
  struct spgc_handle array = new_array(length);
  struct spgc_recorded *recorded = &spgc_runtime.heap.weak_slots;
  const uint32_t capacity = recorded->capacity;
  ck_assert(spgc_recorded_open(recorded));
  recorded->capacity = 0;
  ck_assert_uint_eq(left_by_minor(array, 1), length - 1);
  recorded->capacity = capacity;
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t left = 0;
  for (uint64_t i = 0; i < length; i++)
    left += !spgc_ref_is_null(leaf_at(array, i));
  ck_assert_uint_eq(left, 0);
  world_close();
}
END_TEST

/* ---- Beside compactions ---- */

enum { KEPT_OF = 5 };

static unsigned length_of(struct spgc_handle references) {
  return (unsigned)spgc_object_length(spgc_handle_get(references));
}

static void fill(struct spgc_handle objects, struct spgc_handle arrays, uint64_t length) {
  const unsigned count = length_of(objects);
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref object = spgc_allocate_array(&world_bytes, 100);
    ((uint64_t *)spgc_ref_memory(object))[2] = i;
    world_set(objects, i + 2, object);
  }
  for (unsigned a = 0; a < length_of(arrays); a++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle array = new_array(length);
    for (uint64_t k = 0; k < length; k++)
      store(array, k, world_get(objects, (unsigned)((k + a * length) * KEPT_OF % count) + 2), k);
    world_set(arrays, a + 2, spgc_handle_get(array));
    spgc_scope_close(scope);
  }
}

static void drop(struct spgc_handle references, unsigned kept_of) {
  for (unsigned i = 0; i < length_of(references); i++)
    if (kept_of == 0 || i % kept_of != 0)
      world_set(references, i + 2, spgc_ref_null());
}

static void check_dead_arrays(unsigned count, uint64_t length) {
  struct spgc_scope scope = spgc_scope_open();
  const uint64_t amount = world_amount(10000, 5000, 500);
  struct spgc_handle objects = spgc_handle_make(spgc_allocate_array(&world_references, amount)),
                     arrays = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (int round = 0; round < 2; round++) {
    fill(objects, arrays, length);
    spgc_collect(SPGC_COLLECTION_MINOR);
    drop(objects, KEPT_OF);
    world_churn(2);
    drop(arrays, 0);
    world_churn(2);
    for (unsigned i = 0; i < amount; i += KEPT_OF)
      ck_assert_uint_eq(((uint64_t *)spgc_ref_memory(world_get(objects, i + 2)))[2], i);
  }
  spgc_scope_close(scope);
}

START_TEST(compactions_do_not_touch_arrays_that_died) {
  world_open("compact=always,nursery=256k,limit=64m,concurrent=off,poison=on,verify=full");
  check_dead_arrays(1, world_amount(3000, 3000, 600));
  check_dead_arrays(16, 120);
  world_close();
}
END_TEST

/* ---- Against a model ---- */

enum { SLOTS = 500 };

struct model {
  struct spgc_handle weak, strong;
  uint64_t last_stored[SLOTS], kept[SLOTS];
  uint64_t random;
};

static uint64_t draw(struct model *model, uint64_t below) {
  model->random = model->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (model->random >> 33) % below;
}

/* Each must be the leaf stored last, or null if that is not kept. */
static uint64_t wrong_slots(const struct model *model) {
  uint64_t wrong = 0;
  for (unsigned i = 0; i < SLOTS; i++) {
    struct spgc_ref leaf = leaf_at(model->weak, i), kept = world_get(model->strong, i + 2);
    uint64_t number = spgc_ref_is_null(leaf) ? 0 : number_of(leaf);
    wrong += number != 0 && number != model->last_stored[i];
    wrong += model->kept[i] != (spgc_ref_is_null(kept) ? 0 : number_of(kept));
    wrong += model->kept[i] == model->last_stored[i] && number != model->last_stored[i];
  }
  return wrong;
}

static void step(struct model *model, uint64_t number) {
  unsigned i = (unsigned)draw(model, SLOTS);
  switch (draw(model, 4)) {
  case 0:
    world_set(model->strong, i + 2, leaf_at(model->weak, i));
    model->kept[i] =
        spgc_ref_is_null(leaf_at(model->weak, i)) ? 0 : number_of(leaf_at(model->weak, i));
    break;
  case 1:
    world_set(model->strong, i + 2, spgc_ref_null());
    model->kept[i] = 0;
    break;
  default: store_new(model->weak, i, number); model->last_stored[i] = number;
  }
}

static void run_model(uint64_t seed, uint64_t steps) {
  struct spgc_scope scope = spgc_scope_open();
  struct model model = {.weak = new_array(SLOTS), .random = seed};
  model.strong = spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
  for (uint64_t i = 1; i <= steps; i++) {
    step(&model, i);
    spgc_allocate_array(&world_bytes, draw(&model, 400));
    if (i % 1000 == 0)
      ck_assert_uint_eq(wrong_slots(&model), 0);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t wrong = wrong_slots(&model);
  for (unsigned i = 0; i < SLOTS; i++)
    wrong += !spgc_ref_is_null(leaf_at(model.weak, i)) && model.kept[i] != model.last_stored[i];
  ck_assert_uint_eq(wrong, 0);
  spgc_scope_close(scope);
}

START_TEST(elements_agree_with_a_model_in_all_collections) {
  static const char *const options[] = {"nursery=32k",
                                        "nursery=32k,concurrent=on,growth=10,limit=16m",
                                        "nursery=64k,born=old,limit=8m",
                                        "nursery=32k,threads=2,limit=8m",
                                        "nursery=32k,born=random,concurrent=off,growth=5,limit=6m",
                                        "nursery=64k,threads=4,stress=every-700,limit=8m"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    world_open(options[i]);
    run_model(i + 1, world_amount(40000, 20000, 1500));
    world_close();
  }
}
END_TEST

START_TEST(markings_clear_elements) {
  world_open("nursery=64k,limit=16m,verify=full");
  struct spgc_handle array = new_array(SLOTS), leaf = world_new_leaf(3);
  for (uint64_t i = 1; i < SLOTS; i++)
    store_new(array, i, i);
  store(array, 0, spgc_handle_get(leaf), 3);
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_churn(3);
  uint64_t left = 0;
  for (uint64_t i = 1; i < SLOTS; i++)
    left += !spgc_ref_is_null(leaf_at(array, i));
  ck_assert_uint_eq(left, 0);
  ck_assert(spgc_ref_equal(leaf_at(array, 0), spgc_handle_get(leaf)));
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(240, "heap-weak-elements", elements_follow_what_lives_and_are_cleared,
                  words_that_are_numbers_stay, elements_are_cleared_before_objects_are_queued,
                  an_array_that_a_finalizer_keeps_has_no_dead_elements,
                  minor_collections_clear_elements_of_large_arrays,
                  minor_collections_clear_elements_of_small_arrays,
                  elements_of_pinned_arrays_are_weak,
                  elements_that_cannot_be_recorded_keep_their_objects_once,
                  compactions_do_not_touch_arrays_that_died,
                  elements_agree_with_a_model_in_all_collections, markings_clear_elements)

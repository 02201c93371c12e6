#include <stdlib.h>

#include "heap_world.h"
#include "support/random.h"
#include "tests/support/suite.h"

enum { CELLS = 8000, LISTS = 16, ELEMENTS = 1500, STORES = 4, WRITTEN_CELLS = 64, NEXT = 2 };

struct scene {
  struct spgc_handle cells;
  struct spgc_handle lists[LISTS];
  struct spgc_random random;
  uint64_t steps;
};

static void put(struct spgc_handle array, unsigned cell, struct spgc_handle value) {
  world_set(array, 2 + cell, spgc_handle_get(value));
}

static void open_scene(struct scene *scene, void *base, const char *options) {
  world_open_fixed_at(base, options);
  *scene = (struct scene){.cells = spgc_handle_make(spgc_allocate_array(&world_references, CELLS)),
                          .random = {17}};
  for (unsigned i = 0; i < CELLS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    put(scene->cells, i, world_new_list(2));
    spgc_scope_close(scope);
  }
  for (unsigned i = 0; i < LISTS; i++)
    scene->lists[i] = spgc_handle_make(spgc_ref_null());
}

static void step(struct scene *scene) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = scene->lists[scene->steps % LISTS];
  for (unsigned i = 0; i < STORES; i++) {
    struct spgc_handle old = scene->lists[spgc_random_next(&scene->random) % LISTS];
    if (!spgc_ref_is_null(spgc_handle_get(old)))
      put(scene->cells, (unsigned)(spgc_random_next(&scene->random) % WRITTEN_CELLS), old);
  }
  spgc_handle_set(list, spgc_handle_get(world_new_list(ELEMENTS)));
  scene->steps++;
  spgc_scope_close(scope);
}

static void check_scene(const struct scene *scene) {
  world_verify();
  for (unsigned i = 0; i < CELLS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle list = spgc_handle_make(world_get(scene->cells, 2 + i));
    struct spgc_ref second = world_get(list, NEXT);
    world_check_list(list,
                     spgc_ref_is_null(world_get(spgc_handle_make(second), NEXT)) ? 2 : ELEMENTS);
    spgc_scope_close(scope);
  }
}

static void run_scene(const char *options, uint64_t partial) {
  struct scene scene;
  open_scene(&scene, __builtin_frame_address(0), options);
  while (world_statistics().partial_markings < partial)
    step(&scene);
  check_scene(&scene);
  ck_assert_uint_gt(world_old_collections(), world_statistics().partial_markings);
  spgc_collect(SPGC_COLLECTION_FULL);
  check_scene(&scene);
  world_close();
}

START_TEST(what_only_marked_objects_refer_to_is_found_between_allocations) {
  run_scene("nursery=64k,limit=12m,concurrent=off", world_amount(4, 1, 1));
}
END_TEST

START_TEST(what_only_marked_objects_refer_to_is_found_by_the_thread) {
  run_scene("nursery=64k,limit=12m,concurrent=on", world_amount(4, 1, 1));
}
END_TEST

START_TEST(no_card_is_forgotten) {
  run_scene("nursery=256k,limit=8m,concurrent=off,verify=full", 1);
}
END_TEST

/* With so few stores, group cards stay clean, and store buffers have the fields. */
START_TEST(no_field_is_forgotten) {
  run_scene("nursery=64k,limit=6m,concurrent=off,verify=full", 1);
}
END_TEST

/* Partial markings find the same live bytes each time. */
START_TEST(memory_of_what_dies_soon_is_free_after_partial_markings) {
  struct scene scene;
  open_scene(&scene, __builtin_frame_address(0), "nursery=64k,limit=12m,concurrent=off");
  while (world_statistics().partial_markings < world_amount(6, 4, 4)) {
    struct spgc_scope scope = spgc_scope_open();
    spgc_handle_set(scene.lists[scene.steps++ % LISTS], spgc_handle_get(world_new_list(ELEMENTS)));
    spgc_scope_close(scope);
  }
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_le(
      statistics.final_marks + statistics.full_collections - statistics.partial_markings, 6);
  ck_assert_uint_lt(statistics.peak_heap_bytes, (uint64_t)12 << 20);
  ck_assert_uint_gt(statistics.allocated_bytes, 2 * ((uint64_t)12 << 20));
  check_scene(&scene);
  world_close();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-partial");
  TCase *steps = tcase_create("steps"), *threads = tcase_create("threads");
  tcase_set_timeout(steps, 120);
  tcase_add_test(steps, what_only_marked_objects_refer_to_is_found_between_allocations);
  tcase_add_test(steps, no_card_is_forgotten);
  tcase_add_test(steps, no_field_is_forgotten);
  tcase_add_test(steps, memory_of_what_dies_soon_is_free_after_partial_markings);
  suite_add_tcase(suite, steps);
  tcase_set_timeout(threads, 120);
  tcase_add_test(threads, what_only_marked_objects_refer_to_is_found_by_the_thread);
  suite_add_tcase(suite, threads);
  return suite_run(suite);
}

#include <setjmp.h>

#include "check_main.h"
#include "fatal_check.h"
#include "gc/mutator/handles.h"
#include "heap_world.h"
#include "spgc/module.h"

static uint64_t number(struct spgc_ref leaf) {
  ck_assert(spgc_is_heap_reference(leaf));
  return ((const uint64_t *)spgc_ref_memory(leaf))[1];
}

START_TEST(many_scoped_handles_follow_their_objects) {
  world_open("");
  enum { COUNT = 3000 };
  static struct spgc_handle handles[COUNT];
  uint64_t count = world_is_stressed() ? 100 : COUNT;
  struct spgc_scope scope = spgc_scope_open();
  for (uint64_t i = 0; i < count; i++)
    handles[i] = world_new_leaf(i);
  spgc_collect(SPGC_COLLECTION_FULL);
  for (uint64_t i = 0; i < count; i++)
    ck_assert_uint_eq(number(spgc_handle_get(handles[i])), i);
  spgc_scope_close(scope);
  ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_FULL), 0);
  world_close();
}
END_TEST

START_TEST(inner_scopes_end_before_outer_ones) {
  world_open("");
  struct spgc_scope outer = spgc_scope_open();
  struct spgc_handle kept = world_new_leaf(1);
  struct spgc_scope inner = spgc_scope_open();
  world_new_leaf(2);
  world_new_leaf(3);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 3 * world_leaf.size);
  spgc_scope_close(inner);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, world_leaf.size);
  ck_assert_uint_eq(number(spgc_handle_get(kept)), 1);
  spgc_scope_close(outer);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

static jmp_buf escape;

static void leave_two_scopes_open(void) {
  spgc_scope_open();
  world_new_leaf(1);
  spgc_scope_open();
  world_new_leaf(2);
  longjmp(escape, 1);
}

START_TEST(closing_a_scope_ends_those_left_by_longjmp) {
  world_open("");
  struct spgc_scope scope = spgc_scope_open();
  if (setjmp(escape) == 0)
    leave_two_scopes_open();
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

START_TEST(global_handles_outlive_scopes_and_attachment) {
  world_open("");
  enum { COUNT = 1500 };
  static struct spgc_handle handles[COUNT];
  struct spgc_scope scope = spgc_scope_open();
  for (uint64_t i = 0; i < COUNT; i++) {
    handles[i] = spgc_global_handle_make(spgc_ref_null());
    ck_assert_ptr_nonnull(handles[i].slot);
  }
  for (uint64_t i = 0; i < COUNT; i += 100)
    spgc_handle_set(handles[i], spgc_handle_get(world_new_leaf(i)));
  spgc_scope_close(scope);
  spgc_thread_detach();
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_FULL);
  for (uint64_t i = 0; i < COUNT; i++)
    if (i % 100 == 0)
      ck_assert_uint_eq(number(spgc_handle_get(handles[i])), i);
    else
      ck_assert(spgc_ref_is_null(spgc_handle_get(handles[i])));
  for (uint64_t i = 0; i < COUNT; i++)
    spgc_global_handle_release(handles[i]);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

static void count_slot(void *context, struct spgc_slot slot, const char *what) {
  ++*(uint64_t *)context;
}

static uint64_t written_global_slots(void) {
  uint64_t count = 0;
  spgc_global_handles_visit(SPGC_CHANGED_ROOTS, count_slot, &count);
  return count;
}

/* Only one handle among many refers to the object. */
static void check_written_handle(struct spgc_handle handle) {
  for (uint64_t i = 0; i < 2; i++) {
    struct spgc_scope scope = spgc_scope_open();
    spgc_handle_set(handle, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_MINOR);
    ck_assert_uint_eq(number(spgc_handle_get(handle)), i);
  }
}

START_TEST(a_minor_collection_visits_chunks_of_handles_that_were_written) {
  enum { COUNT = 5 * SPGC_HANDLE_CHUNK, CHOSEN = 2 * SPGC_HANDLE_CHUNK + 7 };
  static struct spgc_handle global[COUNT], scoped[COUNT];
  world_open("");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(1);
  spgc_collect(SPGC_COLLECTION_MINOR); /* the visits below are no collections: nothing is young */
  for (uint64_t i = 0; i < COUNT; i++) {
    global[i] = spgc_global_handle_make(spgc_handle_get(leaf));
    scoped[i] = spgc_handle_make(spgc_handle_get(leaf));
  }
  ck_assert_uint_ge(written_global_slots(), COUNT);
  ck_assert_uint_eq(written_global_slots(), 0);
  spgc_handle_set(global[CHOSEN], spgc_handle_get(leaf));
  ck_assert_uint_eq(written_global_slots(), SPGC_HANDLE_CHUNK);
  check_written_handle(global[CHOSEN]);
  check_written_handle(scoped[CHOSEN]);
  for (uint64_t i = 0; i < COUNT; i++)
    spgc_global_handle_release(global[i]);
  spgc_scope_close(scope);
  world_close();
}
END_TEST

START_TEST(a_released_global_handle_is_used_again) {
  world_open("");
  struct spgc_handle first = spgc_global_handle_make(spgc_ref_null());
  spgc_global_handle_release(first);
  struct spgc_handle second = spgc_global_handle_make(spgc_ref_null());
  ck_assert_ptr_eq(first.slot, second.slot);
  spgc_global_handle_release(second);
  world_close();
}
END_TEST

static struct spgc_ref lone_global, global_array[3];
static const struct spgc_global_roots module_roots[] = {{&lone_global, 1}, {global_array, 3}};
static struct spgc_module module = {
    .version = SPGC_MODULE_VERSION, .roots = module_roots, .root_count = 2, .name = "globals"};

START_TEST(registered_globals_are_roots_from_before_the_start) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_OK);
  world_open("");
  struct spgc_scope scope = spgc_scope_open();
  lone_global = spgc_handle_get(world_new_leaf(1));
  global_array[2] = spgc_handle_get(world_new_leaf(2));
  global_array[1] = lone_global;
  spgc_scope_close(scope);
  uintptr_t before = lone_global.word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ne(lone_global.word, before);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(number(lone_global), 1);
  ck_assert_uint_eq(number(global_array[2]), 2);
  ck_assert(spgc_ref_equal(lone_global, global_array[1]));
  ck_assert(spgc_ref_is_null(global_array[0]));
  spgc_module_unregister(&module);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

START_TEST(globals_are_cleared_when_the_heap_stops) {
  ck_assert_int_eq(spgc_module_register(&module, 0, NULL), SPGC_OK);
  world_open("");
  struct spgc_handle global = spgc_global_handle_make(spgc_handle_get(world_new_leaf(4)));
  lone_global = spgc_handle_get(global);
  global_array[0] = spgc_ref_from_word(17);
  world_close();
  ck_assert(spgc_ref_is_null(lone_global));
  ck_assert(spgc_ref_is_null(spgc_handle_get(global)));
  ck_assert_uint_eq(global_array[0].word, 17);
  spgc_global_handle_release(global);
  spgc_module_unregister(&module);
}
END_TEST

static void load_a_module_of_the_future(void) {
  struct spgc_module future = {.version = SPGC_MODULE_VERSION + 1};
  spgc_module_load(&future, "future.ll");
}

START_TEST(a_module_is_registered_once_and_of_this_version) {
  check_is_fatal(load_a_module_of_the_future, "module future.ll rejected: its code is of version");
  struct spgc_error error;
  struct spgc_module future = {.version = SPGC_MODULE_VERSION + 1};
  ck_assert_int_eq(spgc_module_register(&future, 0, &error), SPGC_ERROR_UNSUPPORTED);
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_OK);
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_ERROR_STATE);
  spgc_module_unregister(&module);
  spgc_module_unregister(&module);
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_OK);
  spgc_module_unregister(&module);
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-handles", many_scoped_handles_follow_their_objects,
                  inner_scopes_end_before_outer_ones, closing_a_scope_ends_those_left_by_longjmp,
                  global_handles_outlive_scopes_and_attachment,
                  a_minor_collection_visits_chunks_of_handles_that_were_written,
                  a_released_global_handle_is_used_again,
                  registered_globals_are_roots_from_before_the_start,
                  globals_are_cleared_when_the_heap_stops,
                  a_module_is_registered_once_and_of_this_version)

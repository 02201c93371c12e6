/* A module without a size finds the end of its stack map. */
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check_main.h"
#include "ends.h"
#include "gc/roots/modules.h"
#include "heap_world.h"
#include "spgc/generated.h"
#include "stackmap_builder.h"
#include "stackwalk/machine.h"

enum { KIND_CONSTANT = 4, KIND_INDIRECT = 3, STACK_POINTER = DWARF_STACK_POINTER };

static const struct builder_location locations[] = {{KIND_INDIRECT, 8, STACK_POINTER, 16},
                                                    {KIND_INDIRECT, 8, STACK_POINTER, 16},
                                                    {KIND_CONSTANT, 8, 0, 0},
                                                    {KIND_CONSTANT, 8, 0, 0}};

/* Two statepoints and a pooled constant. */
static void build_map(struct stackmap_builder *builder, uint64_t function) {
  builder_header(builder, 3, 1, 1, 2);
  builder_function(builder, function, 24, 2);
  builder_u64(builder, UINT64_C(0x123456789abc));
  builder_statepoint(builder, 1, 10, locations, 2);
  builder_statepoint(builder, 2, 20, locations, 4);
}

START_TEST(the_extent_is_that_of_the_first_map) {
  struct stackmap_builder one = {0}, two = {0};
  build_map(&one, 0x1000);
  build_map(&two, 0x1000);
  build_map(&two, 0x2000);
  builder_bytes(&two, "whatever the linker puts there", 30);
  size_t extent;
  ck_assert_int_eq(spgc_stackmap_extent(one.bytes, one.size, &extent, NULL), SPGC_OK);
  ck_assert_uint_eq(extent, one.size);
  ck_assert_int_eq(spgc_stackmap_extent(two.bytes, two.size, &extent, NULL), SPGC_OK);
  ck_assert_uint_eq(extent, one.size);
  builder_free(&one);
  builder_free(&two);
}
END_TEST

START_TEST(a_map_cut_short_anywhere_is_malformed) {
  struct stackmap_builder map = {0};
  build_map(&map, 0x1000);
  for (size_t size = 0; size < map.size; size++) {
    struct spgc_error error;
    size_t extent;
    ck_assert_int_eq(spgc_stackmap_extent(map.bytes, size, &extent, &error), SPGC_ERROR_MALFORMED);
    ck_assert_uint_le(error.position, size);
  }
  builder_free(&map);
}
END_TEST

START_TEST(counts_that_overflow_are_malformed) {
  size_t extent;
  for (int field = 0; field < 3; field++) {
    struct stackmap_builder map = {0};
    builder_header(&map, 3, field == 0 ? UINT32_MAX : 0, field == 1 ? UINT32_MAX : 0,
                   field == 2 ? UINT32_MAX : 0);
    ck_assert_int_eq(spgc_stackmap_extent(map.bytes, map.size, &extent, NULL),
                     SPGC_ERROR_MALFORMED);
    builder_free(&map);
  }
}
END_TEST

START_TEST(another_version_is_unsupported) {
  struct stackmap_builder map = {0};
  size_t extent;
  builder_header(&map, 4, 0, 0, 0);
  ck_assert_int_eq(spgc_stackmap_extent(map.bytes, map.size, &extent, NULL),
                   SPGC_ERROR_UNSUPPORTED);
  builder_free(&map);
}
END_TEST

/* In the program's data segment, with other data after the map. */
static _Alignas(8) unsigned char segment_data[1024] = {1};

START_TEST(a_module_without_a_size_is_bounded_by_its_segment) {
  struct stackmap_builder map = {0};
  build_map(&map, 0x1000);
  memset(segment_data, 0xff, sizeof segment_data);
  memcpy(segment_data, map.bytes, map.size);
  struct spgc_module module = {.version = SPGC_MODULE_VERSION, .stackmaps = segment_data};
  struct spgc_error error;
  enum spgc_result result = spgc_module_register(&module, 0, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  ck_assert_ptr_nonnull(module.registered);
  spgc_module_unregister(&module);
  struct spgc_module outside = {
      .version = SPGC_MODULE_VERSION, .stackmaps = map.bytes, .name = "outside"};
  ck_assert_int_eq(spgc_module_register(&outside, 0, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.message, "outside"));
  ck_assert_int_eq(spgc_module_register(&outside, map.size, &error), SPGC_OK);
  spgc_module_unregister(&outside);
  builder_free(&map);
}
END_TEST

/* No call ends at byte 10, which the first record names, because LLVM and GCC begin by saving
 * registers. */
START_TEST(a_map_of_other_code_is_refused) {
  struct stackmap_builder map = {0};
  struct spgc_error error;
  build_map(&map, (uint64_t)(uintptr_t)&build_map);
  memcpy(segment_data, map.bytes, map.size);
  struct spgc_module module = {.version = SPGC_MODULE_VERSION, .stackmaps = segment_data};
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_ERROR_MALFORMED);
  ck_assert_ptr_nonnull(strstr(error.message, "rewritten after the link"));
  ck_assert_ptr_null(module.registered);
  builder_free(&map);
}
END_TEST

static atomic_bool is_inside, stays_inside;

/* Reaches safepoints while it holds the loader's lock. */
static int poll_inside(struct dl_phdr_info *object, size_t size, void *context) {
  atomic_store(&is_inside, true);
  while (atomic_load(&stays_inside))
    spgc_poll_slow();
  return 1;
}

static void *look_at_objects(void *unused) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  dl_iterate_phdr(poll_inside, NULL);
  spgc_thread_detach();
  return unused;
}

/* A collection would wait for this thread. */
START_TEST(a_module_is_registered_while_the_loader_is_held) {
  static struct spgc_module module = {.version = SPGC_MODULE_VERSION, .stackmaps = segment_data};
  struct stackmap_builder map = {0};
  pthread_t thread;
  build_map(&map, 0x1000);
  memcpy(segment_data, map.bytes, map.size);
  builder_free(&map);
  world_open("");
  atomic_store(&stays_inside, true);
  ck_assert_int_eq(pthread_create(&thread, NULL, look_at_objects, NULL), 0);
  while (!atomic_load(&is_inside))
    spgc_poll_slow();
  ck_assert_int_eq(spgc_module_register(&module, 0, NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_module_unregister(&module);
  atomic_store(&stays_inside, false);
  join_blocking(thread);
  world_close();
}
END_TEST

CHECK_MAIN("heap-stackmap-extent", the_extent_is_that_of_the_first_map,
           a_map_cut_short_anywhere_is_malformed, counts_that_overflow_are_malformed,
           another_version_is_unsupported, a_module_without_a_size_is_bounded_by_its_segment,
           a_map_of_other_code_is_refused, a_module_is_registered_while_the_loader_is_held)

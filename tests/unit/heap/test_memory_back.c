#include "check_main.h"
#include "gc/state/runtime.h"
#include "heap/blocks.h"
#include "heap_world.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

enum { OBJECT_BYTES = 1000, NURSERY_BYTES = 1 << 20 };

/* Verifying 200 MiB each time would take minutes. */
static const char options[] = "limit=1g,threads=1,concurrent=off,seed=1,nursery=1m,verify=none";

static void allocate_and_drop(uint64_t bytes) {
  for (uint64_t i = 0; i < bytes / OBJECT_BYTES; i++)
    ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, OBJECT_BYTES)));
}

static void live_through_a_peak(uint64_t bytes) {
  struct spgc_scope scope = spgc_scope_open();
  uint64_t count = bytes / OBJECT_BYTES;
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (uint64_t i = 0; i < count; i++)
    world_set(kept, (unsigned)(2 + i), spgc_allocate_array(&world_bytes, OBJECT_BYTES));
  spgc_scope_close(scope);
}

static uint64_t resident_bytes(void) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  return (heap->used_blocks + spgc_blocks_resident(heap)) * SPGC_BLOCK_BYTES;
}

START_TEST(after_a_peak_memory_is_near_what_it_was) {
  world_open_fixed(options);
  allocate_and_drop(100 * MIB);
  uint64_t before = resident_bytes();
  live_through_a_peak(200 * MIB);
  ck_assert_uint_gt(resident_bytes(), 200 * MIB);
  allocate_and_drop(100 * MIB);
  ck_assert_uint_le(resident_bytes(), before + 2 * NURSERY_BYTES);
  ck_assert_uint_eq(world_statistics().full_collections, 0);
  world_close();
}
END_TEST

/* Live objects are marked in vain after 32, 128 and 512 MiB. A cycle that growth began may be
 * active. */
START_TEST(an_old_space_that_stays_alive_is_marked_ever_more_seldom) {
  world_open_fixed(options);
  uint64_t count = 100 * MIB / OBJECT_BYTES;
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (uint64_t i = 0; i < count; i++)
    world_set(kept, (unsigned)(2 + i), spgc_allocate_array(&world_bytes, OBJECT_BYTES));
  uint64_t before = world_statistics().final_marks;
  allocate_and_drop(800 * MIB);
  ck_assert_uint_le(world_statistics().final_marks - before, 5);
  ck_assert_uint_ge(world_statistics().final_marks - before, 2);
  world_close();
}
END_TEST

CHECK_MAIN("memory_back", after_a_peak_memory_is_near_what_it_was,
           an_old_space_that_stays_alive_is_marked_ever_more_seldom)

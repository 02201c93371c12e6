#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "heap/blocks.h"
#include "heap/runs.h"
#include "heap_world.h"
#include "support/random.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

static int hook_calls;

static void count_hook_calls(void *context, size_t requested) {
  hook_calls++;
}

START_TEST(small_objects_between_large_ones_leave_space_for_larger_ones) {
  world_open("limit=64m");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  uint64_t rounds = world_amount(40, 10, 3);
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, rounds * 20));
  for (uint64_t round = 0; round < rounds; round++) {
    for (uint64_t i = 0; i < 20; i++) {
      spgc_allocate_array(&world_bytes, (UINT64_C(512) << (round % 4)) * KIB);
      struct spgc_ref small = spgc_allocate_array(&world_bytes, 9 * KIB);
      ck_assert(!spgc_ref_is_null(small));
      world_set(kept, (unsigned)(2 + round * 20 + i), small);
    }
    ck_assert_msg(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 16 * MIB)),
                  "none in round %" PRIu64, round);
  }
  ck_assert_int_eq(hook_calls, 0);
  world_close();
}
END_TEST

START_TEST(a_tenth_of_the_limit_lives_between_objects_that_grow) {
  world_open_fixed("limit=64m,poison=off");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, 128));
  unsigned count = 0;
  for (uint64_t bytes = 40 * KIB; bytes <= 32 * MIB; bytes *= 2) {
    uint64_t live = 0;
    for (uint64_t i = 0; i < 60 * MIB / bytes; i++) {
      struct spgc_ref object = spgc_allocate_array(&world_bytes, bytes);
      ck_assert_msg(!spgc_ref_is_null(object), "no object of %" PRIu64 " bytes", bytes);
      if (i % 10 == 5 && live + bytes <= 60 * MIB / 80) {
        world_set(kept, 2 + count++, object);
        live += bytes;
      }
    }
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  ck_assert_uint_gt(count, 20);
  ck_assert_int_eq(hook_calls, 0);
  world_close();
}
END_TEST

struct run {
  uint32_t first, count;
};

struct zone {
  struct spgc_heap heap;
  size_t limit, used, highest; /* blocks */
  struct run *runs;
  size_t count;
  unsigned char *taken;
};

static void open_zone(struct zone *zone, size_t limit) {
  *zone = (struct zone){.limit = limit};
  ck_assert(spgc_heap_create(&zone->heap, limit * SPGC_BLOCK_BYTES, SIZE_MAX, false));
  ck_assert_uint_ge(zone->heap.block_count - zone->heap.boundary, spgc_runs_blocks(limit));
  zone->runs = calloc(limit, sizeof *zone->runs);
  zone->taken = calloc(spgc_runs_blocks(limit) + 1, 1);
}

static void close_zone(struct zone *zone) {
  spgc_heap_destroy(&zone->heap);
  free(zone->runs);
  free(zone->taken);
}

static uint32_t first_fit(const struct zone *zone, size_t count) {
  size_t length = 0;
  for (uint32_t i = 0;; i++) {
    length = zone->taken[i] ? 0 : length + 1;
    if (length == count)
      return i + 1 - (uint32_t)count;
  }
}

static void take(struct zone *zone, size_t count, bool compared) {
  uint32_t index = spgc_blocks_take_run(&zone->heap, count * SPGC_BLOCK_BYTES);
  ck_assert_msg(index != SPGC_BLOCK_NONE, "no place for %zu blocks beside %zu", count, zone->used);
  uint32_t first = index - zone->heap.boundary;
  if (compared)
    ck_assert_uint_eq(first, first_fit(zone, count));
  for (size_t i = first; i < first + count; i++)
    ck_assert_uint_eq(zone->taken[i]++, 0);
  zone->runs[zone->count++] = (struct run){first, (uint32_t)count};
  zone->used += count;
  if (first + count > zone->highest)
    zone->highest = first + count;
}

static void give(struct zone *zone, size_t which) {
  struct spgc_heap *heap = &zone->heap;
  struct run run = zone->runs[which];
  zone->runs[which] = zone->runs[--zone->count];
  uint32_t index = heap->boundary + run.first;
  spgc_block_list_remove(&heap->nursery_large, heap->blocks, index);
  spgc_block_list_append(&heap->condemned_large, heap->blocks, index);
  spgc_blocks_free_condemned(heap);
  memset(zone->taken + run.first, 0, run.count);
  zone->used -= run.count;
}

START_TEST(random_runs_lie_where_first_fit_puts_them) {
  uint64_t seed = world_number("SPGC_MODEL_SEED", 1);
  printf("seed %" PRIu64 "\n", seed);
  enum { LIMIT = 512, STEPS = 40000 };
  struct spgc_random random = {seed};
  struct zone zone;
  open_zone(&zone, LIMIT);
  for (int step = 0; step < STEPS; step++) {
    size_t most = (size_t)2 << spgc_random_next(&random) % 8,
           count = 2 + spgc_random_next(&random) % most;
    if (zone.used + count <= zone.limit && spgc_random_next(&random) % 8 != 0)
      take(&zone, count, true);
    else if (zone.count != 0)
      give(&zone, spgc_random_next(&random) % zone.count);
  }
  ck_assert_uint_le(zone.highest, spgc_runs_blocks(LIMIT));
  close_zone(&zone);
}
END_TEST

/* The worst known case (Robson 1971): objects of each size stay that make every gap too short for
 * the next, double size. */
START_TEST(the_bound_holds_against_who_frees_what_hurts_most) {
  enum { LIMIT = 2048 };
  struct zone zone;
  open_zone(&zone, LIMIT);
  uint32_t offset = 0;
  for (uint32_t size = 2; size <= LIMIT; size *= 2) {
    while (zone.used + size <= LIMIT)
      take(&zone, size, false);
    /* Frees objects that cover neither `offset` nor `offset + size` of a window of twice the size,
     * whichever frees more. */
    size_t covered[2] = {0, 0};
    for (size_t i = 0; i < zone.count; i++)
      for (uint32_t half = 0; half < 2; half++) {
        uint32_t at = (offset + half * size - zone.runs[i].first) % (2 * size);
        covered[half] += at < zone.runs[i].count ? zone.runs[i].count : 0;
      }
    offset += covered[1] < covered[0] ? size : 0;
    for (size_t i = zone.count; i-- != 0;)
      if ((offset - zone.runs[i].first) % (2 * size) >= zone.runs[i].count)
        give(&zone, i);
  }
  printf("%zu blocks of %zu, with a limit of %d\n", zone.highest, spgc_runs_blocks(LIMIT), LIMIT);
  ck_assert_uint_gt(zone.highest, UINT64_C(3) * LIMIT); /* more than the range had once */
  ck_assert_uint_le(zone.highest, spgc_runs_blocks(LIMIT));
  close_zone(&zone);
}
END_TEST

/* At most the peak of used blocks is resident. */
START_TEST(idle_memory_of_large_objects_serves_small_ones_and_the_other_way_round) {
  world_open_fixed("limit=256m,poison=off");
  enum { BYTES = 64 * MIB, LARGE = MIB, SHADOW_PART = 8 };
  uint64_t before = world_resident_bytes();
  for (int round = 0; round < 4; round++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle kept =
        spgc_handle_make(spgc_allocate_array(&world_references, BYTES / LARGE));
    for (unsigned i = 0; i < BYTES / LARGE; i++)
      world_set(kept, 2 + i, spgc_allocate_array(&world_bytes, LARGE - 64));
    spgc_handle_set(kept, spgc_ref_null());
    spgc_collect(SPGC_COLLECTION_MINOR);
    struct spgc_handle list = world_new_list(BYTES / world_pair.size);
    /* The address sanitizer's shadow of unused addresses stays in RAM. Their number depends on when
     * the cycle's thread is done. */
    uint64_t checker = world_checker_bytes(), used_once = (uint64_t)(round + 1) * 2 * BYTES;
    if (checker != 0)
      checker += used_once / SHADOW_PART;
    ck_assert_uint_lt(world_resident_bytes(),
                      before + world_statistics().peak_heap_bytes + 16 * MIB + checker);
    world_check_list(list, BYTES / world_pair.size);
    spgc_scope_close(scope);
  }
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(60, "heap-fragmentation",
                  small_objects_between_large_ones_leave_space_for_larger_ones,
                  a_tenth_of_the_limit_lives_between_objects_that_grow,
                  random_runs_lie_where_first_fit_puts_them,
                  the_bound_holds_against_who_frees_what_hurts_most,
                  idle_memory_of_large_objects_serves_small_ones_and_the_other_way_round)

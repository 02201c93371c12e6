#include "check_main.h"
#include "gc/state/runtime.h"
#include "heap/condemn.h"
#include "heap/remembered/recorded.h"
#include "heap_world.h"
#include "spgc/pin.h"

/* One thread does all the work, so runs repeat. */
#define OPTIONS "limit=256m,threads=1,concurrent=off,seed=1,nursery=1m,compact="

enum { OBJECTS = 40000, OBJECT_BYTES = 200, KEPT_OF = 10, MARKINGS = 10 };

static struct spgc_handle kept;

static uintptr_t address_of(uint64_t i) {
  return world_get(kept, (unsigned)(2 + i)).word;
}

/* One in ten objects is kept. Each begins with its number. */
static void make_sparse(void) {
  kept = spgc_handle_make(spgc_allocate_array(&world_references, OBJECTS));
  for (uint64_t i = 0; i < OBJECTS; i++) {
    struct spgc_ref object = spgc_allocate_array(&world_bytes, OBJECT_BYTES);
    ((uint64_t *)spgc_ref_memory(object))[2] = i;
    world_set(kept, (unsigned)(2 + i), object);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (uint64_t i = 0; i < OBJECTS; i++)
    if (i % KEPT_OF != 0)
      world_set(kept, (unsigned)(2 + i), spgc_ref_null());
}

/* Replaces old objects. */
static void mark_often(uint64_t markings) {
  enum { RECENT = 20000 };
  struct spgc_handle recent = spgc_handle_make(spgc_allocate_array(&world_references, RECENT));
  uint64_t end = world_statistics().final_marks + markings;
  for (uint64_t i = 0; world_statistics().final_marks < end; i++)
    world_set(recent, (unsigned)(2 + i % RECENT), spgc_allocate_array(&world_bytes, OBJECT_BYTES));
}

static void check_kept(void) {
  for (uint64_t i = 0; i < OBJECTS; i += KEPT_OF)
    ck_assert_uint_eq(((uint64_t *)spgc_ref_memory(world_get(kept, (unsigned)(2 + i))))[2], i);
}

/* Most move, but not all: survivors fill the holes of some blocks first. */
static uint64_t count_moved(const uintptr_t before[]) {
  uint64_t moved = 0;
  for (uint64_t i = 0; i < OBJECTS; i += KEPT_OF)
    moved += address_of(i) != before[i];
  return moved;
}

static uint32_t count_blocks(void) {
  uint32_t blocks = 0, last = SPGC_BLOCK_NONE;
  for (uint64_t i = 0; i < OBJECTS; i += KEPT_OF) {
    uint32_t index = spgc_heap_block_of(&spgc_runtime.heap, address_of(i));
    blocks += index != last;
    last = index;
  }
  return blocks;
}

static void note_addresses(uintptr_t addresses[]) {
  for (uint64_t i = 0; i < OBJECTS; i += KEPT_OF)
    addresses[i] = address_of(i);
}

static uintptr_t before[OBJECTS];

static void begin(void) {
  make_sparse();
  note_addresses(before);
}

START_TEST(sparse_blocks_are_vacated_without_a_full_collection) {
  world_open_fixed(OPTIONS "always");
  begin();
  uint32_t blocks = count_blocks();
  mark_often(MARKINGS);
  check_kept();
  ck_assert_uint_gt(count_moved(before), OBJECTS / KEPT_OF / 2);
  ck_assert_uint_lt(count_blocks(), blocks / 2);
  ck_assert_uint_eq(world_statistics().full_collections, 0);
  world_close();
}
END_TEST

START_TEST(nothing_moves_where_compaction_is_off) {
  world_open_fixed(OPTIONS "off");
  begin();
  mark_often(MARKINGS);
  check_kept();
  ck_assert_uint_eq(count_moved(before), 0);
  world_close();
}
END_TEST

START_TEST(a_pinned_object_stays) {
  world_open_fixed(OPTIONS "always");
  begin();
  struct spgc_ref pinned = world_get(kept, 2);
  ck_assert_int_eq(spgc_pin(pinned, NULL), SPGC_OK);
  mark_often(MARKINGS);
  check_kept();
  ck_assert_uint_eq(address_of(0), before[0]);
  ck_assert_uint_gt(count_moved(before), OBJECTS / KEPT_OF / 2);
  spgc_unpin(pinned);
  world_close();
}
END_TEST

/* Updating the many slots that lead to it would take too long. */
START_TEST(a_popular_object_stays) {
  enum { FANS = 20000 };
  world_open_fixed(OPTIONS "always");
  begin();
  struct spgc_handle fans = spgc_handle_make(spgc_allocate_array(&world_references, FANS));
  for (unsigned i = 0; i < FANS; i++)
    world_set(fans, 2 + i, world_get(kept, 2));
  mark_often(MARKINGS);
  check_kept();
  ck_assert_uint_eq(address_of(0), before[0]);
  for (unsigned i = 0; i < FANS; i++)
    ck_assert_uint_eq(world_get(fans, 2 + i).word, before[0]);
  ck_assert_uint_gt(count_moved(before), OBJECTS / KEPT_OF / 2);
  world_close();
}
END_TEST

START_TEST(nothing_moves_when_slots_were_lost) {
  world_open_fixed(OPTIONS "always");
  begin();
  struct spgc_recorded *recorded = &spgc_runtime.heap.recorded;
  const uint32_t capacity = recorded->capacity;
  ck_assert(spgc_recorded_open(recorded));
  recorded->capacity = 0;
  mark_often(MARKINGS);
  check_kept();
  ck_assert_uint_eq(count_moved(before), 0);
  recorded->capacity = capacity;
  world_close();
}
END_TEST

START_TEST(a_block_with_too_much_work_is_no_candidate_any_more) {
  world_open_fixed("concurrent=off");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_heap *heap = &spgc_runtime.heap;
  uint32_t index = spgc_heap_block_of(heap, spgc_handle_get(pair).word);
  heap->blocks[index].evacuation_work = 0;
  spgc_heap_set_space(heap, index, SPGC_SPACE_OLD_CANDIDATE);
  for (uint32_t work = 1; work <= SPGC_MOST_COMPACTED; work++) {
    ck_assert_int_eq(spgc_heap_space(heap, index), SPGC_SPACE_OLD_CANDIDATE);
    spgc_candidate_add_work(heap, index);
    ck_assert_uint_eq(heap->blocks[index].evacuation_work, work);
  }
  ck_assert_int_eq(spgc_heap_space(heap, index), SPGC_SPACE_OLD);
  world_close();
}
END_TEST

/* Memory that was given back reads as zero, but the system may have kept some. */
static void record_and_forget(uint32_t chunks) {
  struct spgc_recorded recorded = {.capacity = chunks};
  struct spgc_recorder recorder = {0};
  struct spgc_ref field;
  ck_assert(spgc_recorded_open(&recorded));
  for (unsigned i = 0; i < chunks; i++)
    recorded.chunks[i].count = 1;
  for (unsigned i = 0; i < chunks * SPGC_RECORDED_SLOTS; i++)
    ck_assert(spgc_recorded_add(&recorded, &recorder, (struct spgc_slot){&field}));
  ck_assert_uint_eq(recorded.taken, chunks);
  ck_assert(!spgc_recorded_is_full(&recorded)); /* none was lost */
  ck_assert_uint_eq(spgc_recorded_chunks(&recorded), chunks);
  ck_assert_ptr_eq(recorded.chunks[chunks - 1].slots[SPGC_RECORDED_SLOTS - 1].location, &field);
  for (unsigned i = 0; i < 2; i++) {
    ck_assert(!spgc_recorded_add(&recorded, &recorder, (struct spgc_slot){&field}));
    ck_assert(spgc_recorded_is_full(&recorded));
    ck_assert_uint_eq(spgc_recorded_chunks(&recorded), chunks);
  }
  spgc_recorded_forget(&recorded);
  ck_assert_uint_eq(recorded.taken, 0);
  for (unsigned i = 0; i < chunks; i++)
    ck_assert_uint_eq(recorded.chunks[i].count, 0);
  ck_assert_ptr_null(recorded.chunks[chunks - 1].slots[SPGC_RECORDED_SLOTS - 1].location);
  spgc_recorded_destroy(&recorded);
  ck_assert_ptr_null(recorded.chunks);
}

START_TEST(forgotten_slots_take_no_memory) {
  record_and_forget(1);
  record_and_forget(3);
}
END_TEST

CHECK_MAIN("compaction", sparse_blocks_are_vacated_without_a_full_collection,
           nothing_moves_where_compaction_is_off, a_pinned_object_stays, a_popular_object_stays,
           nothing_moves_when_slots_were_lost, a_block_with_too_much_work_is_no_candidate_any_more,
           forgotten_slots_take_no_memory)

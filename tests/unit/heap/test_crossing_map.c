#include "check_main.h"
#include "heap/blocks.h"
#include "heap/born_old.h"
#include "heap/check.h"
#include "heap/condemn.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/remembered/crossing_map.h"
#include "heap/remembered/scan.h"
#include "heap/sweep.h"
#include "heap_world.h"
#include "support/random.h"

enum { HEAP_BYTES = 64 << 20, BLOCKS = 20 };

static void fill(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  for (; block->top + world_pair.size <= SPGC_BLOCK_BYTES; block->top += world_pair.size) {
    uintptr_t pair = spgc_heap_block_start(heap, index) + block->top;
    spgc_object_set_header(spgc_ref_from_word(pair), (uintptr_t)&world_pair);
  }
}

static void promote_blocks(struct spgc_heap *heap) {
  for (int i = 0; i < BLOCKS; i++) {
    uint32_t index = spgc_blocks_take_nursery(heap);
    ck_assert_uint_ne(index, SPGC_BLOCK_NONE);
    fill(heap, index);
  }
  spgc_promote_nursery(heap);
  ck_assert_uint_eq(heap->old_blocks, BLOCKS);
}

static uintptr_t first_byte_of(const struct spgc_heap *heap, uint32_t index, uint32_t card) {
  return spgc_heap_block_start(heap, index) + ((uintptr_t)card << SPGC_CARD_SHIFT);
}

static void check_card(struct spgc_heap *heap, uint32_t index, uint32_t card) {
  struct spgc_ref object = spgc_crossing_map_find(heap, index, card);
  ck_assert_uint_le(object.word, first_byte_of(heap, index, card));
  ck_assert_uint_gt(spgc_object_next(object).word, first_byte_of(heap, index, card));
}

static void check_map(struct spgc_heap *heap, uint32_t index) {
  for (uint32_t card = 0; card < SPGC_CARDS_PER_BLOCK; card++)
    check_card(heap, index, card);
}

static uint32_t count_early(const struct spgc_heap *heap) {
  uint32_t count = 0;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    for (uint32_t card = 0; card << SPGC_CARD_SHIFT < heap->blocks[i].crossing_map_top; card++) {
      uintptr_t object = spgc_heap_block_start(heap, i) +
                         (uintptr_t)heap->crossing_maps[i][card] * SPGC_WORD_BYTES;
      count += spgc_object_next(spgc_ref_from_word(object)).word <= first_byte_of(heap, i, card);
    }
  return count;
}

/* Marks about half of the objects of each old block, unswept. */
static void let_half_die(struct spgc_heap *heap, struct spgc_random *random) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    uintptr_t end = spgc_heap_block_start(heap, i) + SPGC_BLOCK_BYTES;
    heap->blocks[i].live = 0;
    for (struct spgc_ref object = spgc_heap_first_object(heap, i); object.word < end;
         object = spgc_object_next(object)) {
      const struct spgc_type *type = spgc_object_type(object);
      bool is_object = type == &world_leaf || type == &world_pair || type == &world_bytes;
      if (!is_object || spgc_random_next(random) % 2 == 0)
        continue;
      size_t bytes = spgc_object_bytes(object, type);
      spgc_mark_bits_cover(heap, object, bytes, SPGC_TRACE_SERIAL);
      heap->blocks[i].live += (uint32_t)bytes;
    }
  }
  spgc_sweep_begin(heap);
}

/* Puts an object of a random type, if it fits. Returns its end. */
static uintptr_t put_object(uintptr_t at, uintptr_t limit, struct spgc_random *random) {
  const struct spgc_type *types[] = {&world_leaf, &world_pair, &world_bytes};
  const struct spgc_type *type = types[spgc_random_next(random) % 3];
  size_t length = spgc_random_next(random) % 400, bytes = 0;
  ck_assert(spgc_type_bytes_for(type, length, &bytes));
  if (bytes > limit - at)
    return limit;
  memset((void *)at, 0, bytes);
  spgc_object_set_header(spgc_ref_from_word(at), (uintptr_t)type);
  if (type == &world_bytes)
    ((uint64_t *)at)[1] = length;
  return at + bytes;
}

static uint32_t fill_holes(struct spgc_heap *heap, struct spgc_random *random) {
  struct spgc_born_old born_old;
  uint32_t count = 0;
  spgc_born_old_create(&born_old);
  while (spgc_born_old_take(heap, &born_old, world_pair.size) != 0)
    for (uintptr_t end = 0, next; spgc_born_old_next_hole(heap, &born_old, end, world_pair.size);
         count++)
      for (end = born_old.start; (next = put_object(end, born_old.limit, random)) != born_old.limit;
           end = next)
        if (spgc_random_next(random) % 8 == 0)
          break;
  spgc_born_old_return(heap, &born_old);
  return count;
}

static void look_up_some(struct spgc_heap *heap, struct spgc_random *random) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    for (int n = 0; n < 8; n++)
      check_card(heap, i, (uint32_t)(spgc_random_next(random) % SPGC_CARDS_PER_BLOCK));
}

/* A card leads to the object that crosses into it. */
START_TEST(objects_in_holes_are_found) {
  enum { ROUNDS = 60 };
  struct spgc_random random = {1};
  struct spgc_heap heap;
  struct spgc_error error;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  struct spgc_check check = {.heap = &heap};
  promote_blocks(&heap);
  uint32_t filled = 0, early = 0;
  for (int round = 0; round < ROUNDS; round++) {
    let_half_die(&heap, &random);
    ck_assert(!spgc_sweep_some(&heap, UINT32_MAX));
    filled += fill_holes(&heap, &random);
    early += count_early(&heap);
    look_up_some(&heap, &random);
    ck_assert_msg(spgc_check_heap(&check, &error) == SPGC_OK, "%s", error.message);
  }
  for (uint32_t i = spgc_old_first(&heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(&heap, i))
    check_map(&heap, i);
  ck_assert_uint_eq(count_early(&heap), 0);
  ck_assert_uint_gt(filled, 100 * ROUNDS);
  ck_assert_uint_gt(early, 10 * ROUNDS);
  spgc_check_destroy(&check);
  spgc_heap_destroy(&heap);
}
END_TEST

struct live {
  struct spgc_ref objects[BLOCKS * SPGC_BLOCK_BYTES / 16];
  uint32_t count, visited;
};

/* Also spoils the headers of the dead: their descriptors may be gone. */
static void list_live(struct spgc_heap *heap, struct live *live) {
  live->count = 0;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    uintptr_t end = spgc_heap_block_start(heap, i) + SPGC_BLOCK_BYTES;
    for (struct spgc_ref next, object = spgc_heap_first_object(heap, i); object.word < end;
         object = next) {
      next = spgc_object_next(object);
      if (spgc_mark_bit_is_set(heap, object))
        live->objects[live->count++] = object;
      else
        spgc_object_set_header(object, 8);
    }
  }
}

static void expect_next(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct live *live = context;
  const struct spgc_type *type = spgc_object_type(object);
  if (type == &spgc_filler_word || type == &spgc_filler_words)
    return;
  ck_assert_uint_lt(live->visited, live->count);
  ck_assert_uint_eq(object.word, live->objects[live->visited++].word);
  ck_assert_uint_lt(object.word, to);
  ck_assert_uint_gt(spgc_object_next(object).word, from);
}

/* Exactly the live objects with a part on the card. */
static void check_visit(struct spgc_heap *heap, struct live *live, uint32_t index, uint32_t card) {
  uintptr_t from = first_byte_of(heap, index, card);
  live->visited = 0;
  while (live->visited < live->count && spgc_object_next(live->objects[live->visited]).word <= from)
    live->visited++;
  spgc_cards_visit_small(heap, (size_t)index * SPGC_CARDS_PER_BLOCK + card, expect_next, live);
  if (live->visited < live->count)
    ck_assert_uint_ge(live->objects[live->visited].word, from + SPGC_CARD_BYTES);
}

static uint32_t random_block(const struct spgc_heap *heap, struct spgc_random *random) {
  uint32_t index = spgc_old_first(heap);
  for (uint64_t n = spgc_random_next(random) % BLOCKS; n > 0; n--) {
    uint32_t next = spgc_old_after(heap, index);
    index = next == SPGC_BLOCK_NONE ? spgc_old_first(heap) : next;
  }
  return index;
}

START_TEST(dead_objects_are_not_read) {
  enum { ROUNDS = 40, CARDS = 200 };
  struct spgc_random random = {2};
  struct spgc_heap heap;
  struct spgc_error error;
  static struct live live;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  struct spgc_check check = {.heap = &heap};
  promote_blocks(&heap);
  uint32_t unswept = 0;
  for (int round = 0; round < ROUNDS; round++) {
    let_half_die(&heap, &random);
    list_live(&heap, &live);
    ck_assert_uint_gt(live.count, 100);
    for (int n = 0; n < CARDS; n++) {
      uint32_t index = random_block(&heap, &random);
      unswept += heap.blocks[index].unswept;
      check_visit(&heap, &live, index,
                  (uint32_t)(spgc_random_next(&random) % SPGC_CARDS_PER_BLOCK));
      if (spgc_random_next(&random) % 8 == 0)
        spgc_sweep_block(&heap, index);
    }
    ck_assert_msg(spgc_check_heap(&check, &error) == SPGC_OK, "%s", error.message);
    ck_assert(!spgc_sweep_some(&heap, UINT32_MAX));
    ck_assert_msg(spgc_check_heap(&check, &error) == SPGC_OK, "%s", error.message);
    fill_holes(&heap, &random);
  }
  ck_assert_uint_gt(unswept, ROUNDS * CARDS / 4);
  spgc_check_destroy(&check);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-crossing-map", objects_in_holes_are_found, dead_objects_are_not_read)

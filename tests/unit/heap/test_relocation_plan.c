/* New addresses, compared with next-fit packing without mark bits: an object follows the one
 * before, or begins a new block. */
#include "check_main.h"
#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/mark_bits.h"
#include "heap/relocation.h"
#include "heap/sweep.h"
#include "heap_world.h"
#include "support/random.h"

enum { HEAP_BYTES = 64 << 20, BLOCKS = 40, HEADER_BYTES = 16, LEAST_BYTES = 24, ROUNDS = 200 };

static const struct spgc_type bytes_type = {
    .size = HEADER_BYTES, .element_size = 1, .flags = SPGC_TYPE_TAIL, .name = "bytes"};

/* Bytes of an object; 1 in `dying` dies. */
struct shape {
  size_t least, most;
  uint32_t dying;
};

/* Objects of a quarter block end where the block does. */
static const struct shape shapes[] = {
    {LEAST_BYTES, 200, 2},          {LEAST_BYTES, SPGC_LARGEST_SMALL, 3},
    {8 << 10, 8 << 10, 2},          {4 << 10, 4 << 10, 4},
    {LEAST_BYTES, LEAST_BYTES, 20}, {SPGC_LARGEST_SMALL / 2, SPGC_LARGEST_SMALL, 9},
};

static size_t size_of(const struct shape *shape, struct spgc_random *random) {
  size_t bytes = shape->least + spgc_random_next(random) % (shape->most - shape->least + 1);
  return bytes / SPGC_WORD_BYTES * SPGC_WORD_BYTES;
}

static void fill_block(struct spgc_heap *heap, const struct shape *shape,
                       struct spgc_random *random) {
  uint32_t index = spgc_blocks_take_nursery(heap);
  ck_assert_uint_ne(index, SPGC_BLOCK_NONE);
  uintptr_t start = spgc_heap_block_start(heap, index);
  size_t at = 0, bytes;
  for (; at + (bytes = size_of(shape, random)) <= SPGC_BLOCK_BYTES; at += bytes) {
    spgc_object_set_header(spgc_ref_from_word(start + at), (uintptr_t)&bytes_type);
    *(uint64_t *)(start + at + SPGC_WORD_BYTES) = bytes - HEADER_BYTES;
  }
  heap->blocks[index].top = (uint32_t)at;
}

static size_t bytes_at(uintptr_t object) {
  struct spgc_ref ref = spgc_ref_from_word(object);
  return spgc_object_bytes(ref, spgc_object_type(ref));
}

/* A filler ends the block. */
static bool dies(const struct shape *shape, struct spgc_random *random, uintptr_t object) {
  return spgc_object_type(spgc_ref_from_word(object)) != &bytes_type ||
         spgc_random_next(random) % shape->dying == 0;
}

static void let_die(struct spgc_heap *heap, const struct shape *shape, struct spgc_random *random) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    uintptr_t object = spgc_heap_block_start(heap, i), end = object + heap->blocks[i].top;
    for (; object < end; object += bytes_at(object))
      if (!dies(shape, random, object)) {
        spgc_mark_bits_cover(heap, spgc_ref_from_word(object), bytes_at(object), SPGC_TRACE_SERIAL);
        heap->blocks[i].live += (uint32_t)bytes_at(object);
      }
  }
}

/* Where the next object goes. */
struct packing {
  uint32_t block; /* or SPGC_BLOCK_NONE */
  size_t used;
};

static void check_object(struct spgc_heap *heap, struct packing *packing, uintptr_t object,
                         size_t bytes) {
  uintptr_t to = spgc_relocation_address(heap, object);
  uint32_t block = spgc_heap_block_of(heap, to);
  bool fits = packing->block != SPGC_BLOCK_NONE && packing->used + bytes <= SPGC_BLOCK_BYTES;
  if (!fits)
    *packing = (struct packing){block == packing->block ? SPGC_BLOCK_NONE : block, 0};
  if (block != packing->block || spgc_heap_space(heap, block) != SPGC_SPACE_OLD ||
      to != spgc_heap_block_start(heap, block) + packing->used)
    ck_abort_msg("the object at %p goes to %p", (void *)object, (void *)to);
  packing->used += bytes;
}

static size_t check_block(struct spgc_heap *heap, struct packing *packing, uint32_t index) {
  uintptr_t start = spgc_heap_block_start(heap, index), end = start + heap->blocks[index].top;
  size_t moved = 0;
  for (uintptr_t object = start; object < end; object += bytes_at(object))
    if (spgc_mark_bit_is_set(heap, spgc_ref_from_word(object))) {
      check_object(heap, packing, object, bytes_at(object));
      moved += bytes_at(object);
    }
  return moved;
}

static const struct spgc_sparse all_sparse = {.most_live_bytes = SPGC_BLOCK_BYTES,
                                              .unused_bytes = SIZE_MAX / 2};

static bool open_heap(struct spgc_heap *heap, const struct shape *shape,
                      struct spgc_random *random) {
  ck_assert(spgc_heap_create(heap, HEAP_BYTES, SIZE_MAX, false));
  for (int i = 0; i < BLOCKS; i++)
    fill_block(heap, shape, random);
  spgc_promote_nursery(heap);
  let_die(heap, shape, random);
  spgc_sweep_begin(heap);
  return spgc_condemn_sparse(heap, all_sparse);
}

static size_t check_plan(struct spgc_heap *heap) {
  struct spgc_relocation_plan plan = spgc_relocation_plan(heap, SIZE_MAX, false);
  ck_assert(!plan.is_refused);
  struct packing packing = {SPGC_BLOCK_NONE, 0};
  size_t moved = 0;
  for (uint32_t i = heap->condemned.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    moved += check_block(heap, &packing, i);
  ck_assert_uint_eq(moved, plan.bytes);
  return moved;
}

START_TEST(objects_are_packed_in_address_order) {
  struct spgc_random random = {(uint64_t)_i + 1};
  size_t moved = 0;
  for (int round = 0; round < ROUNDS / (int)(sizeof shapes / sizeof shapes[0]); round++) {
    struct spgc_heap heap;
    if (open_heap(&heap, &shapes[_i], &random))
      moved += check_plan(&heap);
    spgc_heap_destroy(&heap);
  }
  ck_assert_uint_ne(moved, 0);
}
END_TEST

/* Four objects fill seven eighths of a block. */
START_TEST(without_gain_all_blocks_are_spared) {
  enum { BYTES = SPGC_LARGEST_SMALL / 8 * 7 };
  const struct shape all_live = {BYTES, BYTES, UINT32_MAX}, some_dead = {BYTES, BYTES, 8};
  struct spgc_random random = {1};
  struct spgc_heap heap;
  ck_assert(open_heap(&heap, &all_live, &random));
  uint32_t used = heap.used_blocks + heap.condemned.count;
  ck_assert_uint_eq(spgc_relocation_plan(&heap, SIZE_MAX, true).bytes, 0);
  ck_assert_uint_eq(heap.condemned.count, 0);
  ck_assert_uint_eq(heap.used_blocks, used);
  spgc_heap_destroy(&heap);
  ck_assert(open_heap(&heap, &some_dead, &random));
  ck_assert_uint_ne(spgc_relocation_plan(&heap, SIZE_MAX, true).bytes, 0);
  ck_assert_uint_lt(heap.used_blocks, used);
  spgc_heap_destroy(&heap);
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("heap-relocation-plan");
  TCase *tests = tcase_create("plan");
  tcase_add_loop_test(tests, objects_are_packed_in_address_order, 0,
                      sizeof shapes / sizeof shapes[0]);
  tcase_add_test(tests, without_gain_all_blocks_are_spared);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}

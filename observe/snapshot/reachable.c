#include "observe/snapshot/reachable.h"

#include "heap/mark_bits.h"
#include "heap/memory.h"
#include "heap/object.h"

enum { STACK_OBJECTS = 1 << 16 };

bool spgc_reachable_create(struct spgc_reachable *reachable, const struct spgc_heap *heap) {
  uint32_t blocks = heap->high_water - heap->low_water;
  *reachable =
      (struct spgc_reachable){.heap = heap, .first_block = heap->low_water, .block_count = blocks};
  size_t entries = (size_t)blocks + 1; /* no mapping is empty */
  reachable->starts = spgc_memory_map(entries * sizeof *reachable->starts);
  reachable->before_word = spgc_memory_map(entries * sizeof *reachable->before_word);
  reachable->before_block = spgc_memory_map(entries * sizeof *reachable->before_block);
  reachable->waits = spgc_memory_map(entries * sizeof *reachable->waits);
  reachable->stack = spgc_memory_map(STACK_OBJECTS * sizeof *reachable->stack);
  return reachable->starts != NULL && reachable->before_word != NULL &&
         reachable->before_block != NULL && reachable->waits != NULL && reachable->stack != NULL;
}

static uint32_t block_of(const struct spgc_reachable *reachable, struct spgc_ref object) {
  return spgc_heap_block_of(reachable->heap, object.word) - reachable->first_block;
}

static size_t word_of(struct spgc_ref object) {
  return object.word % SPGC_BLOCK_BYTES / SPGC_WORD_BYTES;
}

static bool has_bit(const struct spgc_reachable *reachable, uint32_t block, size_t word) {
  return (reachable->starts[block][word / SPGC_MARK_BITS] >> word % SPGC_MARK_BITS & 1) != 0;
}

bool spgc_reachable_has(const struct spgc_reachable *reachable, struct spgc_ref object) {
  return spgc_heap_contains(reachable->heap, object.word) &&
         has_bit(reachable, block_of(reachable, object), word_of(object));
}

static void push(struct spgc_reachable *reachable, struct spgc_ref object, uint32_t block) {
  if (reachable->height < STACK_OBJECTS)
    reachable->stack[reachable->height++] = object;
  else
    reachable->waits[block] = reachable->any_waits = true;
}

void spgc_reachable_reach(struct spgc_reachable *reachable, struct spgc_ref object) {
  if (!spgc_heap_contains(reachable->heap, object.word))
    return;
  uint32_t block = block_of(reachable, object);
  size_t word = word_of(object);
  if (has_bit(reachable, block, word))
    return;
  reachable->starts[block][word / SPGC_MARK_BITS] |= UINT64_C(1) << word % SPGC_MARK_BITS;
  push(reachable, object, block);
}

static void reach_slot(void *reachable, struct spgc_slot slot) {
  spgc_reachable_reach(reachable, *slot.location);
}

static void scan(void *context, struct spgc_ref object) {
  struct spgc_reachable *reachable = context;
  if (!spgc_type_is_weak(spgc_object_type(object)))
    spgc_object_visit(object, spgc_object_type(object), reach_slot, reachable);
  if (reachable->hook != NULL)
    reachable->hook(reachable, object);
}

static void drain_stack(struct spgc_reachable *reachable) {
  while (reachable->height != 0)
    scan(reachable, reachable->stack[--reachable->height]);
}

static void each_in_block(const struct spgc_reachable *reachable, uint32_t block,
                          void (*visit)(void *context, struct spgc_ref object), void *context) {
  uintptr_t start = spgc_heap_block_start(reachable->heap, reachable->first_block + block);
  for (size_t group = 0; group < SPGC_MARK_WORDS; group++)
    for (uint64_t bits = reachable->starts[block][group]; bits != 0; bits &= bits - 1) {
      size_t word = group * SPGC_MARK_BITS + (size_t)__builtin_ctzll(bits);
      visit(context, spgc_ref_from_word(start + word * SPGC_WORD_BYTES));
    }
}

void spgc_reachable_each(const struct spgc_reachable *reachable,
                         void (*visit)(void *context, struct spgc_ref object), void *context) {
  for (uint32_t block = 0; block < reachable->block_count; block++)
    if (reachable->heap->spaces[reachable->first_block + block] != SPGC_SPACE_FREE)
      each_in_block(reachable, block, visit, context);
}

/* All reached objects of the waiting blocks are scanned, some again. The stack is emptied before
 * the next block, so that few must wait again. */
static void drain_blocks(struct spgc_reachable *reachable) {
  reachable->any_waits = false;
  for (uint32_t block = 0; block < reachable->block_count; block++) {
    if (!reachable->waits[block])
      continue;
    reachable->waits[block] = false;
    each_in_block(reachable, block, scan, reachable);
    drain_stack(reachable);
  }
}

void spgc_reachable_drain(struct spgc_reachable *reachable) {
  drain_stack(reachable);
  while (reachable->any_waits)
    drain_blocks(reachable);
}

void spgc_reachable_number_all(struct spgc_reachable *reachable) {
  reachable->count = 0;
  for (uint32_t block = 0; block < reachable->block_count; block++) {
    reachable->before_block[block] = reachable->count;
    if (reachable->heap->spaces[reachable->first_block + block] == SPGC_SPACE_FREE)
      continue;
    uint16_t before = 0;
    for (size_t group = 0; group < SPGC_MARK_WORDS; group++) {
      reachable->before_word[block][group] = before;
      before = (uint16_t)(before + __builtin_popcountll(reachable->starts[block][group]));
    }
    reachable->count += before;
  }
}

uint64_t spgc_reachable_number(const struct spgc_reachable *reachable, struct spgc_ref object) {
  uint32_t block = block_of(reachable, object);
  size_t word = word_of(object), group = word / SPGC_MARK_BITS;
  uint64_t before = (UINT64_C(1) << word % SPGC_MARK_BITS) - 1;
  return reachable->before_block[block] + reachable->before_word[block][group] +
         (uint64_t)__builtin_popcountll(reachable->starts[block][group] & before);
}
